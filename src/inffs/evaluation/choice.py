"""Choose weights, C or a size from noisy scores: candidates that do not differ go to the prior."""

from __future__ import annotations

from typing import Any

import numpy as np

SLACK = 1.0


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
    >>> from inffs.evaluation.choice import choose
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
