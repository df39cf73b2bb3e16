"""A number per pair of features: small objects that scale, add and multiply.

``0.3 * Dispersion() + 0.7 * Decorrelation()`` is the graph of Inf-FS_U at alpha = 0.3;
``Coupling() * Decorrelation(power=2)`` is a supervised graph that penalises redundancy. A relation
defines the edges; bound to a table it becomes a :class:`inffs.graph.operators.Graph`.
"""

from inffs.relations.algebra import BoundTable, Relation
from inffs.relations.edges import (
    Coupling,
    Decorrelation,
    Dispersion,
    Outer,
    Pairwise,
    Precomputed,
)

__all__ = [
    "BoundTable",
    "Coupling",
    "Decorrelation",
    "Dispersion",
    "Outer",
    "Pairwise",
    "Precomputed",
    "Relation",
]
