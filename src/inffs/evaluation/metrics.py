"""Scores of outputs: accuracy, balanced accuracy, AUC, average precision, R2, concordance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score

from inffs.evaluation.cox import concordant_share
from inffs.target import CLASSIFICATION, MULTILABEL, REGRESSION, SURVIVAL, Target

MAIN = {
    "classification": "accuracy", "multilabel": "mean_average_precision", "regression": "r2",
    "survival": "concordance",
}  # fmt: skip
NAMES = {  # of the measures, as people read them
    "accuracy": "accuracy", "balanced_accuracy": "balanced accuracy", "r2": "R2",
    "mean_average_precision": "mean average precision", "concordance": "C-index",
}  # fmt: skip


def is_share(measure: str) -> bool:
    """Whether scores of this measure are shares of the samples, which are written as percent."""
    return measure.endswith("accuracy")


def score_text(measure: str, value: float) -> str:
    """A score as text: 96.7 %, or 0.47."""
    return f"{100 * value:.1f} %" if is_share(measure) else f"{value:.2f}"


def main_score(target: Target, outputs: np.ndarray, rows: np.ndarray) -> float:
    """What settings are chosen by: accuracy, mean average precision, R2, or concordance."""
    if target.type == MULTILABEL:
        return mean_average_precision(target.values[rows], outputs, _ignored(target, rows))
    if target.type == CLASSIFICATION:
        return float(np.mean(target.predict(outputs) == target.values[rows]))
    if target.type == SURVIVAL:
        return concordance(target.values[rows], outputs)
    return r2(target.values[rows], target.predict(outputs))


def measures(target: Target, outputs: np.ndarray, rows: np.ndarray) -> dict[str, float]:
    """All measures that fit the kind of target.

    Parameters
    ----------
    target : Target
        Of all samples.
    outputs : ndarray of shape (n_rows, n_outputs)
        The outputs of an evaluator.
    rows : ndarray of int
        The samples they are of.

    Returns
    -------
    dict of str to float

    See Also
    --------
    assess : Fits, predicts and measures.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.evaluation.metrics import measures
    >>> from inffs.target import make_target
    >>> outputs = np.array([[-1.0], [0.5], [0.2], [2.0]])
    >>> measures(make_target([0, 0, 1, 1]), outputs, np.arange(4))["accuracy"]
    0.75
    """
    truth, predicted = target.values[rows], target.predict(outputs)
    if target.type == MULTILABEL:
        ignored = _ignored(target, rows)
        return {
            "accuracy": float(np.mean(predicted == truth)),
            "mean_average_precision": mean_average_precision(truth, outputs, ignored),
            "eleven_point_precision": mean_average_precision(truth, outputs, ignored, eleven_point),
        }
    if target.type == SURVIVAL:
        return {"concordance": concordance(truth, outputs)}
    if target.type != CLASSIFICATION:
        return {"r2": r2(truth, predicted)}
    return {
        "accuracy": float(np.mean(predicted == truth)),
        "balanced_accuracy": balanced_accuracy(truth, predicted),
        "auc": auc(target.columns(rows) > 0, outputs),
    }


def sample_scores(target: Target, outputs: np.ndarray, rows: np.ndarray) -> np.ndarray | None:
    """What every sample adds to the main measure, whose mean they have; None where none can.

    1 for a class that was recognised and 0 for another; for numbers the share of the variance
    that is left unexplained, taken from 1.
    """
    truth, predicted = target.values[rows], target.predict(outputs)
    if target.type == CLASSIFICATION:
        return (predicted == truth).astype(np.float32)
    if target.type != REGRESSION or target.has_several or not np.var(truth) > 0:
        return None
    return (1 - (truth - predicted) ** 2 / np.var(truth)).astype(np.float32)


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


def _ignored(target: Target, rows: np.ndarray) -> np.ndarray | None:
    return None if target.ignored is None else target.ignored[rows]


def mean_average_precision(
    truth: np.ndarray,
    outputs: np.ndarray,
    ignored: np.ndarray | None = None,
    precision: Callable[[np.ndarray, np.ndarray], float] = average_precision_score,
) -> float:
    """The mean over the labels that occur of the average precision; NaN where none does.

    A sample that is ``ignored`` for a label has no part in that label's precision.
    """
    counts = np.ones(truth.shape, dtype=bool) if ignored is None else ~ignored
    found = [
        precision(truth[rows, label], outputs[rows, label])
        for label, rows in enumerate(counts.T)
        if truth[rows, label].any()
    ]
    return float(np.mean(found)) if found else float("nan")


def eleven_point(truth: np.ndarray, outputs: np.ndarray) -> float:
    """Average precision as in PASCAL VOC 2007 (Everingham et al. 2010, IJCV 88, Sec. 4.2).

    The mean over the recalls 0, 0.1, ... 1 of the best precision at that recall or beyond.
    """
    right = np.cumsum(truth[np.argsort(-outputs, kind="stable")])
    precision = right / np.arange(1, right.size + 1)
    at_or_beyond = np.maximum.accumulate(precision[::-1])[::-1]
    places = np.searchsorted(right, np.ceil(np.arange(11) * right[-1] / 10 - 1e-9))
    return float(at_or_beyond[places].mean())


def r2(truth: np.ndarray, predicted: np.ndarray) -> float:
    """The explained share of the variance, 0 for a constant truth; the mean over outputs."""
    truth, predicted = (each.reshape(len(each), -1) for each in (truth, predicted))
    total = np.sum((truth - truth.mean(axis=0)) ** 2, axis=0)
    left = np.sum((truth - predicted) ** 2, axis=0)
    ratio = np.divide(left, total, out=np.ones_like(total), where=total > 0)
    return float(np.mean(1 - ratio))


def concordance(truth: np.ndarray, outputs: np.ndarray) -> float:
    """Harrell's concordance: the larger risk has its event first; 0.5 without comparable pairs."""
    return float(concordant_share(outputs[:, :1], truth["time"], truth["event"])[0])
