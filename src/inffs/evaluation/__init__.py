"""Judging selections: learners, splits, choices under noise and estimates that hold.

Stands below the methods: nothing here knows how features are ranked.
"""

from inffs.evaluation.assess import assess
from inffs.evaluation.choice import choose
from inffs.evaluation.estimates import (
    corrected_best,
    interval_of_difference,
    interval_of_mean,
    interval_of_proportion,
    interval_of_repeat,
)
from inffs.evaluation.folds import holdout, make_folds
from inffs.evaluation.judges import JUDGES, Judge, find_judge
from inffs.evaluation.parts import Part
from inffs.evaluation.quality import measures
from inffs.evaluation.svm import LinearSVM, svm_path

__all__ = [
    "JUDGES",
    "Judge",
    "LinearSVM",
    "Part",
    "assess",
    "choose",
    "corrected_best",
    "find_judge",
    "holdout",
    "interval_of_difference",
    "interval_of_mean",
    "interval_of_proportion",
    "interval_of_repeat",
    "make_folds",
    "measures",
    "svm_path",
]
