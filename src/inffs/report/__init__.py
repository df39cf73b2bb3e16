"""The report a person looks at: one HTML file, no network, made from a fitted selector."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from inffs.columns.lazy import LazyTable
from inffs.columns.missing import as_seen
from inffs.report._reasons import Reasons, explain

if TYPE_CHECKING:
    from inffs.report._shown import Report

__all__ = ["Reasons", "Report", "explain", "write_report"]

_MULTIPLES = 9


def write_report(
    selector: Any,
    X: Any,
    y: Any = None,
    path: str | Path = "report.html",
    *,
    feature_names: Any = None,
    title: str = "Which features to keep",
    folds: int = 5,
    seed: int = 0,
    force: bool = False,
    run: dict[str, Any] | None = None,
    reasons: Reasons | None = None,
) -> Path:
    """Write the report of a fitted selector to one self-contained HTML file.

    Parameters
    ----------
    selector : fitted selector
        It does not keep the table, so the table is asked for again.
    X : array, data frame or sparse matrix of shape (T, n)
        The table the selector was fitted on.
    y : array of shape (T,), optional
        Class labels: they add the classes' pictures and the cross-validated check.
    path : str or Path
        Where to write; an existing file is refused unless ``force``.
    feature_names : sequence of str, optional
        Default: the columns of X, or the names seen in ``fit``, or x0, x1, ...
    title : str
        Heading of the page.
    folds : int
        Folds of the check; 0 leaves it out (it fits the selector once a fold).
    seed : int
        For the folds and the random subsets of the check.
    force : bool
        Overwrite an existing file.
    run : dict, optional
        What to say about the run: "command", "table", "sha256", "label".
    reasons : Reasons, optional
        From :func:`explain`, where they are known already.

    Returns
    -------
    Path
        The file that was written.

    See Also
    --------
    inffs.plot : The pictures alone, with matplotlib.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs import InfFSS, write_report
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = InfFSS(n_features_to_select=3).fit(X, y)
    >>> write_report(selector, X, y, "wine.html", folds=0).name
    'wine.html'
    """
    from inffs._engine.files import new_file

    with new_file(path, force=force) as beside:
        names = _names(selector, X, feature_names)
        X = _matrix(selector, X)
        page = _compose(selector, X, y, names, title, folds, seed, run or {}, reasons)
        beside.write_text(page, encoding="utf-8", errors="replace")
    return Path(path)


def _compose(
    selector: Any,
    X: Any,
    y: Any,
    names: list[str],
    title: str,
    folds: int,
    seed: int,
    run: dict[str, Any],
    reasons: Reasons | None,
) -> str:
    from inffs.report import _facts, _page
    from inffs.report._check import cross_check

    found = _facts.class_codes(y)
    codes = None if found is None else found[1]
    reasons = explain(selector, X, codes) if reasons is None else reasons
    if selector.missing != "refuse":
        X, _ = as_seen("median", X)  # the check's model and the pictures need every value
    check = None
    no_check = "The check was left out." if folds < 2 else "A class has one sample only: no check."
    if isinstance(X, LazyTable):
        folds, no_check = 0, "The table is large and stays on disk: no check."
    if codes is not None and folds >= 2:
        check = cross_check(selector, X, codes, folds=folds, seed=seed)
    best = selector.order_[: min(_MULTIPLES, selector.n_features_)]
    return _page.render(
        selector=selector,
        shape=X.shape,
        names=names,
        reasons=reasons,
        groups=_facts.group_features(X, selector.order_[: min(_facts.SHOWN, selector.n_features_)]),
        settling=_facts.settle(selector),
        cuts=_facts.alternative_cuts(selector, X),
        classes=None if found is None else ([str(name) for name in found[0]], found[1]),
        columns=[] if found is None else [_column(X, feature) for feature in best],
        check=check,
        no_check=no_check,
        title=title,
        run=run,
    )


def _column(X: Any, feature: int) -> np.ndarray:
    if isinstance(X, LazyTable):
        return X[:, feature : feature + 1].ravel()
    return X[:, [feature]].toarray().ravel() if sparse.issparse(X) else X[:, feature]


def _names(selector: Any, X: Any, given: Any) -> list[str]:
    check_is_fitted(selector)
    n = selector.n_features_in_
    found = given
    if found is None:
        found = getattr(X, "columns", None)
    if found is None:
        found = getattr(selector, "feature_names_in_", None)
    names = [f"x{place}" for place in range(n)] if found is None else [str(name) for name in found]
    if len(names) != n:
        raise ValueError(f"There are {len(names)} feature names for {n} features.")
    return names


def _matrix(selector: Any, X: Any) -> Any:
    """X as numbers, of as many columns as the selector saw."""
    if not isinstance(X, LazyTable):
        X = X.tocsc() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != selector.n_features_in_:
        raise ValueError(
            f"X has shape {X.shape}, but the selector was fitted on "
            f"{selector.n_features_in_} features: give it the same table."
        )
    return X


def __getattr__(name: str) -> Any:
    if name == "Report":  # it stands on what is above
        from inffs.report._shown import Report

        return Report
    raise AttributeError(f"module 'inffs.report' has no attribute {name!r}")
