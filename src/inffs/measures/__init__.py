"""A number per feature, of a table at once (batch) or in chunks of samples (running)."""

from inffs.measures.batch import (
    dispersion,
    fisher,
    fisher_ratio,
    information,
    mutual_information,
    ratio_of_spreads,
    rescale,
    standard_deviation,
    symmetric_uncertainty,
)
from inffs.measures.binning import count_log_count, equal_width_bins, number_of_bins
from inffs.measures.running import RunningMeasures, column_ranges

__all__ = [
    "RunningMeasures",
    "column_ranges",
    "count_log_count",
    "dispersion",
    "equal_width_bins",
    "fisher",
    "fisher_ratio",
    "information",
    "mutual_information",
    "number_of_bins",
    "ratio_of_spreads",
    "rescale",
    "standard_deviation",
    "symmetric_uncertainty",
]
