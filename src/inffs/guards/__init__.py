"""Guards: checks of a table that warn of common mistakes, one sentence each.

A guard is one function and one line of :data:`GUARDS`. It gets a :class:`Look` and returns a
sentence that ends with what to type, or None. Guards never change a result.
"""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from inffs.guards.look import Look
from inffs.guards.sentences import GUARDS, SLOW
from inffs.validation.checks import canonical
from inffs.validation.intake import is_dask
from inffs.validation.lazy import LazyTable


class TableWarning(UserWarning):
    """The table has a property that limits what the ranking means.

    ``fit`` of every selector checks the table once, but not the parts of it that it ranks again.

    See Also
    --------
    inffs.rank : Reports columns that repeat each other as well.
    inffs.RoundingWarning : Another one.

    Examples
    --------
    >>> import warnings
    >>> from inffs import TableWarning, rank
    >>> from sklearn.datasets import load_iris
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", TableWarning)
    ...     rank(*load_iris(return_X_y=True)).n_features_in_
    4
    """


def look_at(
    X: Any,
    y: Any = None,
    names: Sequence[str] | None = None,
    *,
    label: str | None = None,
    selector: Any = None,
    scaled: bool = False,
    guards: Iterable[str] = tuple(GUARDS),
) -> list[str]:
    """Return the sentences of the guards about a table; a table on disk is not examined.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.guards import look_at
    >>> X = np.random.default_rng(0).normal(size=(30, 3))
    >>> for sentence in look_at(X, np.arange(30) % 2, ["a", "b", "a"]):
    ...     print(sentence)
    2 columns are called 'a', so their results cannot be distinguished: rename them, or --drop a.
    """
    if isinstance(X, LazyTable):
        return []
    table = canonical(X.tocsc()) if hasattr(X, "tocsc") else np.asarray(X)
    seen = Look(table, names, None if y is None else np.asarray(y), label or "y", selector, scaled)
    return [sentence for key in guards if (sentence := GUARDS[key](seen))]


def warn_about(selector: Any, X: Any, y: Any = None, *, slow: bool = False) -> None:
    """Warn the caller of ``fit`` about its table, in the words of Python.

    The names of the columns are those of the selector. A table with missing values, or whose sum
    overflows, is not examined. ``slow`` runs the guards that take longer than 2 % of a fit instead
    of the others.
    """
    if isinstance(X, LazyTable) or is_dask(X):
        return
    values = X.data if sparse.issparse(X) else np.asarray(X)
    values = values if values.dtype.kind in "fiub" else values.astype(np.float64)
    with np.errstate(over="ignore"):
        total = values.sum(dtype=np.float64)
    if not np.isfinite(total):
        return
    known = getattr(selector, "feature_names_in_", None)
    names = None if known is None else [str(name) for name in known]
    guards = [key for key in GUARDS if (key in SLOW) == slow]
    table = X if sparse.issparse(X) else values
    with np.errstate(over="ignore", invalid="ignore"):  # some methods take values of any size
        sentences = look_at(table, y, names, selector=selector, guards=guards)
    for sentence in sentences:
        for flag, words in _IN_PYTHON:
            sentence = re.sub(flag, words, sentence)
        if names is None:
            sentence = re.sub(r"exclude='x(\d+)'", r"exclude=\1", sentence)
        warnings.warn(sentence, TableWarning, stacklevel=3 if slow else 5)


def _excluded(flag: re.Match[str]) -> str:
    return f"exclude={shlex.split(flag[1])[0]!r}."


_IN_PYTHON: tuple[tuple[str, Any], ...] = (  # what to type there
    (r"(?:--index .* or )?--drop (.*)\.$", _excluded),
    (r"use --scale range", "scale them first (MinMaxScaler)"),
    (r"use --normalize log-cpm", "normalise them first (LogCPM)"),
    (r"--group .*\.$", "pass it to fit as groups and leave it out of X."),
    (r"use --target-type regression", "use target_type='regression'"),
    (r"name another --label, and this column with --index .*\.$", "give another y."),
    (r"name another --label", "give another y"),
)
