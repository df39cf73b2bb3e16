"""Measures of single features, on a whole table (batch) or in chunks of samples (running)."""

from inffs.measures.batch import dispersion, fisher, mutual_information
from inffs.measures.continuous import equal_frequency_codes, squared_correlation
from inffs.measures.effect_sizes import effects
from inffs.measures.running import column_ranges
from inffs.measures.survival import concordance, cox_score

__all__ = [
    "column_ranges",
    "concordance",
    "cox_score",
    "dispersion",
    "effects",
    "equal_frequency_codes",
    "fisher",
    "mutual_information",
    "squared_correlation",
]
