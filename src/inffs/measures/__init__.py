"""A number per feature, of a table at once (batch) or in chunks of samples (running)."""

from inffs.measures.batch import (
    class_measures,
    dispersion,
    fisher,
    mutual_information,
    ratio_of_spreads,
    rescale,
    rescale_fisher,
    rescale_information,
    standard_deviation,
    symmetric_uncertainty,
)
from inffs.measures.binning import count_log_count, equal_width_bins, number_of_bins
from inffs.measures.continuous import (
    as_codes,
    equal_frequency_codes,
    explained_ratio,
    is_continuous,
    squared_correlation,
)
from inffs.measures.effect_sizes import ClassEffects, Effects, NumberEffects, effects
from inffs.measures.running import RunningMeasures, column_ranges
from inffs.measures.survival import concordance, cox_score, ordering

__all__ = [
    "ClassEffects",
    "Effects",
    "NumberEffects",
    "as_codes",
    "equal_frequency_codes",
    "explained_ratio",
    "is_continuous",
    "squared_correlation",
    "RunningMeasures",
    "class_measures",
    "column_ranges",
    "concordance",
    "count_log_count",
    "cox_score",
    "dispersion",
    "effects",
    "equal_width_bins",
    "fisher",
    "mutual_information",
    "number_of_bins",
    "ordering",
    "ratio_of_spreads",
    "rescale",
    "rescale_fisher",
    "rescale_information",
    "standard_deviation",
    "symmetric_uncertainty",
]
