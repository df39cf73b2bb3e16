"""How many features to keep: size rules, by name in :data:`CUTS`.

A rule is a :class:`SizeRule`, which is called with the ranking, the samples and one callable that
ranks some of the samples again; or any callable that takes the scores and returns a size, or a size
and a sentence. The rules in :data:`SCORE_CUTS` read only the scores.
"""

from inffs.cuts.by_scores import Histogram, Knee, MeanShift, Middle
from inffs.cuts.cut import Cut, Ranking, ScoreCut, SizeRule
from inffs.cuts.false_discovery_rate import FalseDiscoveryRate
from inffs.cuts.predict import Predict
from inffs.cuts.registry import CUTS, SCORE_CUTS, apply_cut
from inffs.cuts.samples import Samples
from inffs.cuts.size_selection import SizeSelection
from inffs.cuts.stability import Stability

__all__ = [
    "CUTS",
    "SCORE_CUTS",
    "Cut",
    "FalseDiscoveryRate",
    "Histogram",
    "Knee",
    "MeanShift",
    "Middle",
    "Predict",
    "Ranking",
    "Samples",
    "ScoreCut",
    "SizeRule",
    "SizeSelection",
    "Stability",
    "apply_cut",
]
