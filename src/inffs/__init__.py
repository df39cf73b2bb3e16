"""Infinite Feature Selection and its rivals behind one scikit-learn interface.

The way of the data: table -> measures -> relations -> graph -> paths -> scores -> cut -> subset.
"""

__version__ = "0.1.0"

from inffs.inf_fs import InfFS, InfFSS, InfFSU
from inffs.inf_fs_cv import InfFSSCV, InfFSUCV
from inffs.methods import catalogue, rank

__all__ = ["InfFS", "InfFSS", "InfFSSCV", "InfFSU", "InfFSUCV", "catalogue", "rank", "__version__"]
