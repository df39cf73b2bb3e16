"""Selectors made of selectors: error control over halves of the samples, a consensus, a choice."""

from inffs.ensembles.best_of import BestOf
from inffs.ensembles.consensus import Consensus
from inffs.ensembles.stability_selection import StabilitySelection

__all__ = ["BestOf", "Consensus", "StabilitySelection"]
