"""The report as an object that a notebook shows."""

from __future__ import annotations

from functools import cached_property
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sklearn.utils.validation import check_is_fitted

from inffs.ranking import as_frame, ranked_columns
from inffs.report import _matrix as matrix_of
from inffs.report import _names as names_of
from inffs.report import explain, write_report
from inffs.report._facts import class_codes
from inffs.report._reasons import Reasons, partner_columns


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
    **options
        ``feature_names``, ``title``, ``folds``, ``seed`` and ``run`` of
        :func:`inffs.write_report`.

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
        self, selector: Any, X: Any, y: Any = None, *, height: int = 600, **options: Any
    ) -> None:
        check_is_fitted(selector)
        self.selector = selector
        self.X = X
        self.y = y
        self.height = height
        self.options = options

    @cached_property
    def _names(self) -> list[str]:
        return names_of(self.selector, self.X, self.options.get("feature_names"))

    @cached_property
    def _reasons(self) -> Reasons:
        classes, codes = class_codes(self.y) or (None, None)
        return explain(self.selector, matrix_of(self.selector, self.X), codes, classes)

    @cached_property
    def html(self) -> str:
        """The page: one HTML text that loads nothing."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "report.html"
            write_report(self.selector, self.X, self.y, path, reasons=self._reasons, **self.options)
            return path.read_text("utf-8")

    def ranking(self) -> Any:
        """The ranking with all its reasons: the data frame that ranking.csv is.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            polars after ``selector.set_output(transform="polars")``, pandas otherwise.
        """
        partners = partner_columns(self.selector, self._names, self._reasons)
        columns = ranked_columns(self.selector, self._names, self._reasons, partners)
        return as_frame(columns, self.selector)

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
        from inffs._engine.files import new_file

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
