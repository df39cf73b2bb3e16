"""Selectors made of selectors: error control over halves of the samples, a consensus, a choice."""

from inffs.meta.best_of import BestOf
from inffs.meta.consensus import Consensus
from inffs.meta.stability_selection import StabilitySelection

__all__ = ["BestOf", "Consensus", "StabilitySelection"]
