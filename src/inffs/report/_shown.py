"""The report as an object that a notebook shows."""

from __future__ import annotations

from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from inffs.ranking import as_frame
from inffs.report._check import Check
from inffs.report._page import render
from inffs.report._study import Study, matrix_of, names_of


class Report:
    """The report of a fitted selector: a notebook shows it, ``save`` writes it.

    The page is made when it is first asked for and kept. The object holds the table it was given,
    not a copy: leave the table as it is.

    Parameters
    ----------
    selector : fitted selector
        It does not keep the table, so the table is asked for again.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The table the selector was fitted on.
    y : array of shape (n_samples,), optional
        Class labels: they add the classes' pictures and the cross-validated check.
    height : int, default=600
        Of the frame in a notebook, in pixels.
    feature_names, title, folds, seed, run
        As in :func:`inffs.write_report`.

    See Also
    --------
    inffs.write_report : The same, straight to a file.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs import InfFSS, Report
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = InfFSS(n_features_to_select=3).fit(X, y)
    >>> report = Report(selector, X, y, folds=0)
    >>> report
    Report(InfFSS: 3 of 13 features kept)
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
    ) -> None:
        names = names_of(selector, X, feature_names)
        self.selector = selector
        self.height = height
        self.title = title
        self.run = run or {}
        self._study = Study(selector, matrix_of(selector, X), y, names, folds, seed)

    @cached_property
    def html(self) -> str:
        """The page: one HTML text that loads nothing."""
        return render(self._study, self.title, self.run)

    @property
    def check(self) -> Check | None:
        """How well the features kept predict, in folds; None where nothing can be checked."""
        return self._study.check

    @property
    def findings(self) -> list[str]:
        """What was found, one sentence each, the weightiest first."""
        return [finding.sentence for finding in self._study.findings]

    def ranking(self) -> Any:
        """The ranking with all its reasons: the data frame that ranking.csv is.

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
            Where to write; an existing file is refused unless ``force``.
        force : bool, default=False
            Overwrite an existing file.

        Returns
        -------
        Path
            The file that was written.
        """
        from inffs._utils.files import new_file

        with new_file(path, force=force) as beside:
            beside.write_text(self.html, encoding="utf-8", errors="replace")
        return Path(path)

    def __repr__(self) -> str:
        kept, n = self.selector.n_features_, self.selector.n_features_in_
        return f"Report({type(self.selector).__name__}: {kept} of {n} features kept)"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that its styles and the notebook's stay apart."""
        return (
            f'<iframe title="{escape(repr(self))}" srcdoc="{escape(self.html)}" '
            f'sandbox="allow-scripts allow-downloads allow-popups" width="100%" '
            f'height="{self.height}" style="border: 1px solid #ccc"></iframe>'
        )
