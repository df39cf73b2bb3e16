"""The report of a fitted selector: one HTML file that needs no network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from inffs.report._reasons import Reasons, explain

if TYPE_CHECKING:
    from inffs.report._shown import Report

__all__ = ["Report", "explain", "write_report"]


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
        It does not store the table, so X and y are given again.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The table the selector was fitted on.
    y : array of shape (n_samples,), optional
        The target. It adds charts of the first features and the cross-validated score.
    path : str or Path
        The file. An existing file is refused unless ``force``.
    feature_names : sequence of str, optional
        Default: the columns of X, or the names seen in ``fit``, or x0, x1, ...
    title : str
        Heading of the page.
    folds : int
        Folds of the cross-validation; 0 switches it off. The selector is fitted once per fold.
    seed : int
        Seed of the folds and of the random subsets.
    force : bool
        Overwrite an existing file.
    run : dict, optional
        Facts about the run: "command", "table", "sha256", "label", and "reading", the arguments
        of :func:`inffs.io.read_table` ("path" and its options).
    reasons : Reasons, optional
        The result of :func:`explain`, if it is known already.

    Returns
    -------
    Path
        The file that was written.

    See Also
    --------
    inffs.plot : Some of the charts, with matplotlib.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs import InfFSS, write_report
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = InfFSS(n_features_to_select=3).fit(X, y)
    >>> write_report(selector, X, y, "wine.html", folds=0).name
    'wine.html'
    """
    from inffs._utils.files import new_file
    from inffs.report._page import render
    from inffs.report._study import Study, matrix_of, names_of

    with new_file(path, force=force) as beside:
        names = names_of(selector, X, feature_names)
        study = Study(selector, matrix_of(selector, X), y, names, folds, seed)
        if reasons is not None:
            study.reasons = reasons
        beside.write_text(render(study, title, run or {}), encoding="utf-8", errors="replace")
    return Path(path)


def __getattr__(name: str) -> Any:
    if name == "Report":  # needs the packages of the extra report
        from inffs.report._shown import Report

        return Report
    raise AttributeError(f"module 'inffs.report' has no attribute {name!r}")
