"""Guards: checks of a table that warn of common mistakes, one sentence each.

A guard is one function and one line of :data:`GUARDS`. It gets a :class:`Look` and returns a
sentence that ends with what to type, or None. Guards never change a result.
"""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from inffs.guards.look import Look
from inffs.guards.sentences import GUARDS
from inffs.validation.checks import canonical
from inffs.validation.lazy import LazyTable


class TableWarning(UserWarning):
    """The table has a property that limits what the ranking means.

    :func:`inffs.rank` warns; ``fit`` does not.

    See Also
    --------
    inffs.rank : Looks at the table.
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
) -> list[str]:
    """Return the sentences of all guards about a table; a table on disk is not examined.

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
    found = [f"x{place}" for place in range(table.shape[1])] if names is None else list(names)
    seen = Look(table, found, None if y is None else np.asarray(y), label or "y", selector, scaled)
    return [sentence for guard in GUARDS.values() if (sentence := guard(seen))]


def warn_about(X: Any, y: Any = None, names: Any = None, **who: Any) -> None:
    """Warn with the sentences of the guards, which name parameters instead of flags."""
    if names is None and hasattr(X, "columns"):
        names = [str(name) for name in X.columns]
    if not sparse.issparse(X):
        if not (isinstance(X, (np.ndarray, list, tuple)) or hasattr(X, "columns")):
            return
        X = np.asarray(X, dtype=np.float64)
        if not np.isfinite(X.sum()):  # missing values
            return
    y = None if y is None or getattr(np.asarray(y).dtype, "names", None) else y
    for sentence in look_at(X, y, names, **who):
        for flag, words in _IN_PYTHON:
            sentence = re.sub(flag, words, sentence)
        if names is None:
            sentence = re.sub(r"exclude='x(\d+)'", r"exclude=\1", sentence)
        warnings.warn(sentence, TableWarning, stacklevel=3)


def _excluded(flag: re.Match[str]) -> str:
    return f"exclude={shlex.split(flag[1])[0]!r}."


_IN_PYTHON: tuple[tuple[str, Any], ...] = (  # what to type there
    (r"(?:--index .* or )?--drop (.*)\.$", _excluded),
    (r"--scale standard \(or robust, range\)", "scale them first (StandardScaler)"),
    (r"use --normalize log-cpm", "normalise them first (LogCPM)"),
    (r"use --target-type regression", "use target_type='regression'"),
    (r"name another --label, and this column with --index .*\.$", "give another y."),
    (r"name another --label", "give another y"),
    (r"; --folds 0 skips the check", ""),
)
