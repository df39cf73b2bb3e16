"""Selectors around selectors: constraints, consensus, best of several, stability selection."""

from inffs.meta.best_of import BestOf
from inffs.meta.consensus import Consensus
from inffs.meta.constrained import Constrained
from inffs.meta.stability_selection import StabilitySelection

__all__ = ["BestOf", "Consensus", "Constrained", "StabilitySelection"]
