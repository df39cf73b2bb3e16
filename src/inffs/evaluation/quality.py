"""How good outputs are: accuracy, balanced accuracy, AUC, average precision, R2."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score

from inffs.evaluation.parts import CLASSES, LABELS, Target

MAIN = {"classes": "accuracy", "labels": "mean_average_precision", "numbers": "r2"}


def quality(target: Target, outputs: np.ndarray, rows: np.ndarray) -> float:
    """What settings are chosen by: accuracy, mean average precision, or R2."""
    if target.kind == LABELS:
        return mean_average_precision(target.values[rows], outputs)
    if target.kind == CLASSES:
        return float(np.mean(target.predict(outputs) == target.values[rows]))
    return r2(target.values[rows], outputs[:, 0])


def smooth_quality(target: Target, outputs: np.ndarray, rows: np.ndarray) -> float:
    """Minus the mean squared hinge (squared error for numbers): smoother than counting errors."""
    truth = target.columns(rows)
    if target.kind not in (CLASSES, LABELS):
        return -float(np.mean((truth - outputs) ** 2))
    return -float(np.mean(np.maximum(0, 1 - truth * outputs) ** 2))


def measures(target: Target, outputs: np.ndarray, rows: np.ndarray) -> dict[str, float]:
    """All measures that fit the kind of target."""
    truth, predicted = target.values[rows], target.predict(outputs)
    if target.kind == LABELS:
        precision = mean_average_precision(truth, outputs)
        accuracy = float(np.mean(predicted == truth))
        return {"accuracy": accuracy, "mean_average_precision": precision}
    if target.kind != CLASSES:
        return {"r2": r2(truth, predicted)}
    return {
        "accuracy": float(np.mean(predicted == truth)),
        "balanced_accuracy": balanced_accuracy(truth, predicted),
        "auc": auc(target.columns(rows) > 0, outputs),
    }


def balanced_accuracy(truth: np.ndarray, predicted: np.ndarray) -> float:
    """The mean over the classes that occur of the share that is recognised."""
    right = truth == predicted
    return float(np.mean([right[truth == code].mean() for code in np.unique(truth)]))


def auc(positive: np.ndarray, outputs: np.ndarray) -> float:
    """The mean over the columns of the area under the ROC curve; NaN where none has both sides.

    The share of pairs of a positive and a negative sample that are in order, ties half (Mann and
    Whitney 1947), one against the rest.
    """
    ranks = rankdata(outputs, axis=0)
    ones = positive.sum(axis=0)
    zeros = len(positive) - ones
    both = (ones > 0) & (zeros > 0)
    if not both.any():
        return float("nan")
    above = (ranks * positive).sum(axis=0) - ones * (ones + 1) / 2
    return float(np.mean(above[both] / (ones * zeros)[both]))


def mean_average_precision(truth: np.ndarray, outputs: np.ndarray) -> float:
    """The mean over the labels that occur of the average precision; NaN where none does."""
    present = truth.any(axis=0)
    if not present.any():
        return float("nan")
    return float(average_precision_score(truth[:, present], outputs[:, present], average="macro"))


def r2(truth: np.ndarray, predicted: np.ndarray) -> float:
    """The share of the variance that is explained; 0 for a constant truth."""
    total = float(np.sum((truth - truth.mean()) ** 2))
    return 1 - float(np.sum((truth - predicted) ** 2)) / total if total > 0 else 0.0
