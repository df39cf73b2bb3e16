"""Selectors made of selectors: error control over halves of the samples, a consensus of methods."""

from inffs.ensembles.consensus import Consensus
from inffs.ensembles.stability_selection import StabilitySelection

__all__ = ["Consensus", "StabilitySelection"]
