"""What guards look at: a table, its label, and facts that several guards need."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from scipy import sparse

from inffs._utils.threads import dense
from inffs.measures import fisher
from inffs.measures.moments import centred, positive
from inffs.target import REGRESSION
from inffs.validation.checks import varying_columns

_ID_NAME = re.compile(
    r"(?<![^\W_])(id|index|idx|nr|no|key|uuid|barcode|sample|patient|subject|donor|participant)$",
    re.IGNORECASE | re.MULTILINE,
)
_DATE = re.compile(r"^\d{4}-\d\d?-\d\d?([T ].*)?$|^\d\d?[./]\d\d?[./]\d{2,4}$")
_MOST_CLASSES = 20  # numbers of more values, on over a fifth of the samples, may be measured
_FEW_ROWS = 8  # of each of two classes: continuous values hardly separate these by chance
SAME = 0.9999  # |correlation| of near-duplicates
_VALUES, _ROWS, _COMPARED = 2**23, 1000, 2000  # values, rows and columns that are looked at
_SUSPECTS = 20  # features that are tried for separating the classes on their own


Value = TypeVar("Value")


class _Fact(Generic[Value]):
    """A property that is computed once, when it is first asked for.

    ``functools.cached_property`` of Python 3.11 has a lock, which would remain locked in a process
    that is forked while another thread computes.
    """

    def __init__(self, compute: Callable[[Look], Value]) -> None:
        self._compute = compute

    def __get__(self, seen: Look, owner: type) -> Value:
        found = vars(seen)[self._compute.__name__] = self._compute(seen)
        return found


@dataclass(frozen=True)
class Look:
    """What guards look at: the table as the selector gets it, its label and the selector.

    ``scaled`` is True where the columns are scaled before the fit, and ``in_python`` where the
    reader calls ``fit`` instead of the command.
    """

    X: Any
    names: Sequence[str] | None = None
    y: np.ndarray | None = None
    label: str = "y"
    selector: Any = None
    scaled: bool = False
    in_python: bool = False

    def advice(self, flags: str, python: str) -> str:
        """What to do, in the words of the command or of Python."""
        return python if self.in_python else flags

    def leave_out(self, place: int) -> str:
        """How a column is left out."""
        name = self.name(place)
        return self.advice(
            f"--drop {shlex.quote(name)}", f"exclude={place if self.names is None else repr(name)}"
        )

    def name(self, place: int) -> str:
        """The name of a column."""
        return f"x{place}" if self.names is None else self.names[place]

    def column(self, place: int) -> np.ndarray:
        """One column as a dense vector."""
        return dense(self.X[:, [place]]).ravel()

    @_Fact
    def classes(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Class names and codes, or None where the label is none of classes."""
        if self.y is None or self.y.ndim != 1 or self.y.dtype.kind == "V":
            return None
        if self.measured or self.classless:
            return None
        labels = self.y.astype(str) if self.y.dtype.kind == "O" else self.y
        names, codes = np.unique(labels, return_inverse=True)
        return (names, codes) if 1 < names.size < self.y.size else None

    @_Fact
    def measured(self) -> bool:
        """Whether the label is a measurement, or has too many different numbers for classes."""
        y = self.y
        if y is None or (y.dtype.kind == "f" and not np.isfinite(y).all()):  # for fit to refuse
            return False
        different = np.unique(y).size if y.ndim == 1 and y.dtype.kind in "iuf" else 0
        many = different > _MOST_CLASSES and different > y.size / 5
        return many or getattr(self.selector, "target_type", "auto") == REGRESSION

    @property
    def classless(self) -> str:
        """What the label holds instead of classes: "dates", "structures", "names" or nothing."""
        y = self.y
        if y is None or y.ndim != 1 or y.dtype.kind not in "OUSM":
            return ""
        if y.dtype.kind == "M" or all(_DATE.match(str(value)) for value in y[:50]):
            return "dates"
        if isinstance(y[0], (dict, list, tuple, np.ndarray)):
            return "structures"
        return "names" if len({str(value) for value in y}) == y.size > 2 else ""

    @_Fact
    def numbering(self) -> list[int]:
        """Places of columns that count the rows, or have a name like an id and repeat no number."""
        if sparse.issparse(self.X):
            return []
        head = self.X[:10]
        steps = np.diff(head, axis=0)
        whole = (head == np.round(head)).all(axis=0)
        counting = whole & (steps == steps[0]).all(axis=0) & (steps[0] != 0)
        named = {i for i in self.named if whole[i]}
        suspected = sorted(named.union(np.flatnonzero(counting).tolist()))
        return [i for i in suspected if _numbers_rows(self.X[:, i], named=i in named)]

    @_Fact
    def named(self) -> list[int]:
        """Places of the columns whose name is that of an identifier."""
        if self.names is None or sparse.issparse(self.X):
            return []
        if not _ID_NAME.search("\n".join(self.names)):  # one search instead of thousands
            return []
        return [i for i, name in enumerate(self.names) if _ID_NAME.search(name)]

    @_Fact
    def separable(self) -> bool:
        """Whether a column may separate the two largest classes, in a few samples and then in all.

        Sparse columns are not looked at.
        """
        if self.classes is None or sparse.issparse(self.X):
            return self.classes is not None
        codes = self.classes[1]
        rows = [np.flatnonzero(codes == code) for code in np.argsort(-np.bincount(codes))[:2]]
        columns = np.arange(self.X.shape[1])
        for taken in (_FEW_ROWS, None):
            one, other = (self.X[np.ix_(each[:taken], columns)] for each in rows)
            apart = (one.max(axis=0) < other.min(axis=0)) | (other.max(axis=0) < one.min(axis=0))
            columns = columns[apart]
        return columns.size > 0

    @_Fact
    def suspects(self) -> np.ndarray:
        """The columns in which the classes lie farthest apart."""
        moving = np.setdiff1d(varying_columns(self.X), self.numbering)
        if moving.size == 0 or self.classes is None:
            return moving[:0]
        table = self.X if moving.size == self.X.shape[1] else self.X[:, moving]
        ratio = fisher(table, self.classes[1])
        first = np.argsort(-ratio, kind="stable")[:_SUSPECTS]
        return moving[first[~np.isnan(ratio[first])]]  # not columns with missing values

    @_Fact
    def same_as_label(self) -> int | None:
        """The place of a column from which the label follows, and which follows from the label."""
        if self.classes is None or not self.separable:
            return None
        names, codes = self.classes
        for place in self.suspects:
            column = self.column(place)
            if np.unique(column).size == names.size:
                pairs = np.unique(np.stack([column, codes]), axis=1)
                if pairs.shape[1] == names.size:
                    return int(place)
        return None


def _numbers_rows(column: np.ndarray, named: bool) -> bool:
    """Whether whole numbers rise by one step or, with a name like an id, never repeat."""
    steps = np.diff(column)
    alike = bool((steps == steps[0]).all() and steps[0] != 0)
    apart = alike or (named and np.unique(column).size == column.size)
    return apart and bool((column == np.round(column)).all())


def separates(values: np.ndarray, codes: np.ndarray) -> bool:
    """Whether thresholds separate the classes without an error."""
    order = np.argsort(values, kind="stable")
    values, codes = values[order], codes[order]
    change = codes[1:] != codes[:-1]
    return int(change.sum()) == codes.max() and bool((values[1:] > values[:-1])[change].all())


def near_copies(X: Any) -> np.ndarray:
    """Pairs of near-duplicate columns of a matrix, dense or sparse by columns, (n_pairs, 2).

    The first column of a pair is the smaller one. Time O(n_samples n_features) for the search, and
    the square of what it finds, at most 2,000 columns, for the comparison.
    """
    places = _neighbours(X)[:_COMPARED]
    unit = _unit_columns(X[:, places])
    return places[np.argwhere(np.triu(np.abs(unit.T @ unit) > SAME, 1))]


def _neighbours(X: Any) -> np.ndarray:
    """Places of columns that point the same way as another one on some of the samples.

    Seen from six directions they fall into one cell of a grid, or of one moved by half a cell.
    """
    rows = slice(None, None, -(-X.shape[0] // _ROWS))
    block = X[:, : _VALUES // min(X.shape[0], _ROWS)]
    unit = _unit_columns(block.tocsr()[rows] if sparse.issparse(block) else block[rows])
    shadows = np.random.default_rng(0).normal(size=(6, unit.shape[0])) @ unit
    shadows *= np.where(shadows[0] < 0, -1.0, 1.0)
    found = [_in_one_cell(unit, shadows, moved) for moved in (0.0, 0.5)]
    return np.unique(np.concatenate(found))


def _in_one_cell(unit: np.ndarray, shadows: np.ndarray, moved: float) -> np.ndarray:
    cells = np.floor(2 * shadows + moved)
    order = np.lexsort((shadows[0], *cells))
    together = (cells[:, order[1:]] == cells[:, order[:-1]]).all(axis=0)
    first, second = order[:-1][together], order[1:][together]
    alike = np.abs(np.einsum("ij,ij->j", unit[:, first], unit[:, second])) > SAME
    return np.concatenate([first[alike], second[alike]])


def _unit_columns(X: Any) -> np.ndarray:
    """Centred columns of length 1, and of length 0 where they are constant."""
    near = centred(dense(X))
    return near / positive(np.sqrt(np.square(near).sum(axis=0)))
