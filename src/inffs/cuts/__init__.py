"""Where to end the ranking: cuts say how many features to keep, and why.

A cut is any callable ``cut(scores, *, selector, X, y)`` that returns a size, or a size and a
sentence. :data:`CUTS` holds all of them by name; those in :data:`SCORE_CUTS` read only the scores.
"""

from inffs.cuts.by_scores import (
    MIDDLE_OF,
    BrokenStick,
    Gap,
    Histogram,
    Jenks,
    Knee,
    MeanShift,
    Middle,
    Mixture,
    Otsu,
    SecondDifference,
)
from inffs.cuts.by_table import CrossValidation, Stability
from inffs.cuts.cut import Cut, ScoreCut
from inffs.cuts.false_discovery_rate import FalseDiscoveryRate
from inffs.cuts.registry import (
    CUTS,
    DEFAULTS,
    SCORE_CUTS,
    apply_cut,
    default_cut,
    needs_table,
    quick_cut,
    runner_up,
    size_asked,
)
from inffs.cuts.supported import Supported

__all__ = [
    "CUTS",
    "DEFAULTS",
    "MIDDLE_OF",
    "SCORE_CUTS",
    "BrokenStick",
    "CrossValidation",
    "Cut",
    "FalseDiscoveryRate",
    "Gap",
    "Histogram",
    "Jenks",
    "Knee",
    "MeanShift",
    "Middle",
    "Mixture",
    "Otsu",
    "ScoreCut",
    "SecondDifference",
    "Stability",
    "Supported",
    "apply_cut",
    "default_cut",
    "needs_table",
    "quick_cut",
    "runner_up",
    "size_asked",
]
