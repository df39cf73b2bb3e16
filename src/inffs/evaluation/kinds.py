"""Marks that a checked target carries: numbers to explain, survival times."""

from __future__ import annotations

from typing import Any

import numpy as np

SURVIVAL = np.dtype([("event", np.bool_), ("time", np.float64)])


def is_survival(y: Any) -> bool:
    """Whether a checked target holds survival times."""
    return getattr(y, "dtype", None) == SURVIVAL


def as_survival(event: Any, time: Any) -> np.ndarray:
    """Both columns as one target."""
    y = np.empty(len(time), dtype=SURVIVAL)
    y["event"], y["time"] = event, time
    return y


class Numbers(np.ndarray):
    """Numbers to explain, also where they are whole and few: see :func:`as_numbers`."""


def as_numbers(y: Any) -> np.ndarray:
    """Numbers that every selector takes for numbers to explain, never for classes.

    Whole numbers of few values (grades from 1 to 6) are classes otherwise. For the opposite, give
    text: ``y.astype(str)`` is always classes.

    Parameters
    ----------
    y : array of shape (n_samples,)
        Numbers.

    Returns
    -------
    ndarray of shape (n_samples,)
        The same numbers as float64, marked.

    See Also
    --------
    inffs.InfFSS : Takes classes, numbers and survival times.

    Examples
    --------
    >>> from inffs import as_numbers
    >>> from inffs.validation.targets import kind_of_target
    >>> grades = [1, 3, 2, 6, 2, 1]
    >>> kind_of_target(grades), kind_of_target(as_numbers(grades))
    ('classes', 'continuous')
    """
    return np.asarray(y, dtype=np.float64).view(Numbers)
