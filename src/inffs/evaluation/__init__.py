"""Evaluation of selected features: learners, splits, choices under noise, intervals.

Nothing here depends on how features are ranked.
"""

from inffs.evaluation.assess import assess
from inffs.evaluation.evaluators import EVALUATORS, Evaluator, find_evaluator
from inffs.evaluation.folds import Part, holdout, make_folds
from inffs.evaluation.svm import LinearSVM

__all__ = [
    "EVALUATORS",
    "Evaluator",
    "LinearSVM",
    "Part",
    "assess",
    "find_evaluator",
    "holdout",
    "make_folds",
]
