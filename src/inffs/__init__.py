"""Infinite Feature Selection and its rivals behind one scikit-learn interface.

The way of the data: table -> measures -> relations -> graph -> paths -> scores -> cut -> subset.
"""

__version__ = "0.1.0"

from inffs.methods import catalogue, rank

__all__ = ["catalogue", "rank", "__version__"]
