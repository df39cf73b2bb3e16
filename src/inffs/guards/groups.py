"""Does a text column hold groups of samples, such as patients with several samples each?"""

from __future__ import annotations

import numpy as np
from scipy import stats

_FEWEST = 5  # groups; fewer values are more likely classes
_COLUMNS = 200  # numeric columns that are looked at
_LEVEL = 0.05  # at which the median column differs between the groups


def looks_like_groups(values: np.ndarray, X: np.ndarray) -> bool:
    """Whether the values repeat and samples of one value resemble each other.

    The values repeat if they occur twice or more on average. Samples resemble each other if more
    than half of the numeric columns differ between the values (F test at 5 %), which chance hardly
    brings about.

    Parameters
    ----------
    values : array of shape (n_samples,)
        A text column; None where a value is missing.
    X : ndarray of shape (n_samples, n_features)
        Numeric columns of the same table.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.guards.groups import looks_like_groups
    >>> rng = np.random.default_rng(0)
    >>> patient = np.repeat([f"p{number}" for number in range(8)], 3)
    >>> own = np.repeat(rng.normal(size=(8, 20)), 3, axis=0)
    >>> looks_like_groups(patient, own + 0.3 * rng.normal(size=(24, 20)))
    True
    >>> looks_like_groups(patient, rng.normal(size=(24, 20)))
    False
    """
    known = np.array([value is not None for value in values])
    names, codes = np.unique(np.asarray(values)[known].astype(str), return_inverse=True)
    T, count = codes.size, names.size
    if not _FEWEST <= count <= T / 2 or X.shape[1] == 0:
        return False
    chosen = np.linspace(0, X.shape[1] - 1, min(X.shape[1], _COLUMNS)).astype(int)
    block = X[known][:, chosen].astype(float)
    block = block[:, np.isfinite(block).all(axis=0)]
    block = block[:, np.ptp(block, axis=0) > 0]
    if block.shape[1] == 0:
        return False
    block = block - block.mean(axis=0)
    sums = np.zeros((count, block.shape[1]))
    np.add.at(sums, codes, block)
    between = (sums**2 / np.bincount(codes)[:, None]).sum(axis=0)
    share = between / np.square(block).sum(axis=0)
    level = stats.beta.ppf(1 - _LEVEL, (count - 1) / 2, (T - count) / 2)
    return bool(np.median(share) > level)
