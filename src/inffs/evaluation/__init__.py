"""Evaluation of selected features: learners, splits, choices under noise, intervals.

Nothing here depends on how features are ranked.
"""

from inffs.evaluation.assess import assess
from inffs.evaluation.folds import holdout, make_folds
from inffs.evaluation.judges import JUDGES, Judge, find_judge
from inffs.evaluation.parts import Part
from inffs.evaluation.svm import LinearSVM

__all__ = [
    "JUDGES",
    "Judge",
    "LinearSVM",
    "Part",
    "assess",
    "find_judge",
    "holdout",
    "make_folds",
]
