"""Evaluate sets of columns, with the setting chosen inside the training part.

Choose weights, C or a size from noisy scores: candidates that do not differ go to the prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inffs.evaluation.evaluators import Evaluator
from inffs.evaluation.folds import Part, Split
from inffs.evaluation.metrics import measures, sample_scores

SLACK = 1.0


def assess(
    evaluator: Evaluator,
    part: Part,
    subsets: Sequence[np.ndarray],
    folds: Sequence[Split],
    settings: Sequence[float] | None = None,
) -> list[dict[str, Any]]:
    """Evaluate sets of columns on the test part.

    The setting is chosen for each set on ``folds`` of the training part. If scores do not differ
    clearly, the simpler setting is chosen. The model is then fitted on the whole training part.
    ``sample_scores`` holds what every sample of the test part adds to the main measure.

    Parameters
    ----------
    evaluator : Evaluator
        The evaluator that fits and predicts.
    part : Part
        The table, its target, the training and the test rows.
    subsets : sequence of ndarray
        Sets of columns.
    folds : sequence of (train, test)
        Folds of the training part, as positions in it. Without folds, the first setting is used.
    settings : sequence of float, optional
        The settings to choose from. The default is those of the evaluator.

    Returns
    -------
    list of dict
        For every set of columns: the setting, the measures and ``sample_scores``.

    See Also
    --------
    make_folds : Folds of a training part.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.evaluation import Part, find_evaluator
    >>> from inffs.target import make_target
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> rows = np.arange(150)
    >>> part = Part(X, make_target(y), rows[rows % 3 > 0], rows[rows % 3 == 0])
    >>> from inffs.evaluation import assess
    >>> found = assess(find_evaluator("linear"), part, [np.array([2, 3])], folds=[], settings=[1.0])
    >>> found[0]["accuracy"] > 0.8
    True
    """
    settings = evaluator.settings if settings is None else tuple(settings)
    places = choose_settings(evaluator, part, subsets, folds, settings)
    used = sorted(set(places))
    fitted = evaluator.outputs(part, subsets, [settings[place] for place in used])
    return [
        {
            evaluator.parameter: float(settings[place]),
            **measures(part.target, outputs[used.index(place)], part.test),
            "sample_scores": sample_scores(part.target, outputs[used.index(place)], part.test),
        }
        for place, outputs in zip(places, fitted, strict=True)
    ]


def choose_settings(
    evaluator: Evaluator,
    part: Part,
    subsets: Sequence[np.ndarray],
    folds: Sequence[Split],
    settings: Sequence[float],
) -> list[int]:
    """The place of the setting for every set of columns."""
    if len(settings) == 1 or not folds:
        return [0] * len(subsets)
    found = [evaluator.scores(part.within(*fold), subsets, settings) for fold in folds]
    scores = np.array(found)
    return [choose(scores[:, place], np.arange(len(settings))) for place in range(len(subsets))]


def choose(scores: np.ndarray, distance: Any, slack: float = SLACK) -> int:
    """The candidate nearest the prior among those that are not clearly worse than the best.

    A candidate is not clearly worse if its mean score is within ``slack`` standard errors of the
    best one's, the error being that of their paired differences over the folds; exact ties always
    go to the prior.

    Parameters
    ----------
    scores : array of shape (n_folds, n_candidates)
        Larger is better.
    distance : array of shape (n_candidates,)
        From the prior: of the weights from equal ones, C, or the size itself.
    slack : float
        0 leaves ties only to the prior.

    Returns
    -------
    int
        The place of the candidate.

    See Also
    --------
    corrected_best : What the choice is worth once it is paid for.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.evaluation.assess import choose
    >>> choose(np.array([[0.9, 0.9, 0.8], [0.8, 0.9, 0.8]]), [0, 1, 2])
    0
    """
    near = np.flatnonzero(near_best(scores, slack))
    distance = np.round(np.asarray(distance, dtype=np.float64)[near], 12)
    means = np.round(scores.mean(axis=0)[near], 12)
    return int(near[np.lexsort((-means, distance))[0]])


def near_best(scores: np.ndarray, slack: float = SLACK) -> np.ndarray:
    """Whether each candidate is within ``slack`` standard errors of the best."""
    means = scores.mean(axis=0)
    best = int(np.argmax(means))
    lost = scores[:, [best]] - scores
    error = lost.std(axis=0, ddof=1) / np.sqrt(len(scores)) if len(scores) > 1 else 0.0 * means
    return means[best] - means <= slack * error + 1e-12
