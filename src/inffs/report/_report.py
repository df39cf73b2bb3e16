"""The report of a fitted selector, for a notebook or as one HTML file that needs no network."""

from __future__ import annotations

from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from inffs._utils.files import new_file
from inffs.ranking import as_frame
from inffs.report._check import Check
from inffs.report._page import render
from inffs.report._reasons import Reasons
from inffs.report._study import Study, matrix_of, names_of


class Report:
    """Report of a fitted selector, shown in a notebook or saved to a file.

    The page is made when it is first needed. The object stores a reference to the table, so do not
    change the table in between.

    Parameters
    ----------
    selector : fitted selector
        It does not store the table, so X and y are given again.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The table the selector was fitted on.
    y : array of shape (n_samples,), optional
        The target. It adds charts of the first features and the cross-validated score.
    height : int, default=600
        Height of the frame in a notebook, in pixels.
    feature_names : sequence of str, optional
        Default: the columns of X, or the names seen in ``fit``, or x0, x1, ...
    title : str
        Heading of the page.
    folds : int
        Folds of the cross-validation; 0 switches it off. The selector is fitted once per fold.
    seed : int
        Seed of the folds and of the random subsets.
    run : dict, optional
        Facts about the run: "command", "table", "sha256", "label", and "reading", the arguments
        of :func:`inffs.io.read_table` ("path" and its options).
    reasons : Reasons, optional
        The result of :func:`inffs.report.explain`, if it is known already.

    See Also
    --------
    inffs.write_report : Write the report to a file.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs import InfFSS, Report
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = InfFSS(n_features_to_select=3).fit(X, y)
    >>> report = Report(selector, X, y, folds=0)
    >>> report
    Report(InfFSS: 3 of 13 features selected)
    >>> report.ranking()["feature"].iloc[0]
    'proline'
    >>> report.save("wine.html").name
    'wine.html'
    """

    def __init__(
        self,
        selector: Any,
        X: Any,
        y: Any = None,
        *,
        height: int = 600,
        feature_names: Any = None,
        title: str = "Which features to keep",
        folds: int = 5,
        seed: int = 0,
        run: dict[str, Any] | None = None,
        reasons: Reasons | None = None,
    ) -> None:
        names = names_of(selector, X, feature_names)
        self.selector = selector
        self.height = height
        self.title = title
        self.run = run or {}
        self._study = Study(selector, matrix_of(selector, X), y, names, folds, seed)
        if reasons is not None:
            self._study.reasons = reasons

    @cached_property
    def html(self) -> str:
        """The page as HTML text."""
        return render(self._study, self.title, self.run)

    @property
    def check(self) -> Check | None:
        """The cross-validated scores; None if there is no cross-validation."""
        return self._study.check

    @property
    def findings(self) -> list[str]:
        """The findings, one sentence each, the most important first."""
        return [finding.sentence for finding in self._study.findings]

    def ranking(self) -> Any:
        """Return the ranking with its reasons, as in the file ranking.csv.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            polars after ``selector.set_output(transform="polars")``, pandas otherwise.
        """
        return as_frame(self._study.columns(), self.selector)

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the page to a file.

        Parameters
        ----------
        path : str or Path
            The file. An existing file is refused unless ``force``.
        force : bool, default=False
            Overwrite an existing file.

        Returns
        -------
        Path
            The file that was written.
        """
        with new_file(path, force=force) as beside:
            beside.write_text(self.html, encoding="utf-8", errors="replace")
        return Path(path)

    def __repr__(self) -> str:
        kept, n = self.selector.n_features_, self.selector.n_features_in_
        return f"Report({type(self.selector).__name__}: {kept} of {n} features selected)"

    def _repr_html_(self) -> str:
        """The page in a frame, so that its styles do not affect the notebook."""
        return (
            f'<iframe title="{escape(repr(self))}" srcdoc="{escape(self.html)}" '
            f'sandbox="allow-scripts allow-downloads allow-popups" width="100%" '
            f'height="{self.height}" style="border: 1px solid #ccc"></iframe>'
        )


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
    selector, X, y, feature_names, title, folds, seed, run, reasons
        As in :class:`inffs.Report`.
    path : str or Path
        The file. An existing file is refused unless ``force``.
    force : bool
        Overwrite an existing file.

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
    >>> write_report(selector, X, y, "three-of-wine.html", folds=0).name
    'three-of-wine.html'
    """
    report = Report(
        selector, X, y, feature_names=feature_names, title=title, folds=folds, seed=seed, run=run,
        reasons=reasons,
    )  # fmt: skip
    return report.save(path, force=force)
