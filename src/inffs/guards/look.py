"""What guards look at: a table, its label, and facts that several guards need."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from inffs._utils.threads import dense
from inffs.measures import fisher
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


@dataclass(frozen=True)
class Look:
    """What guards look at: the table as the selector gets it, its label and the selector.

    ``scaled`` is True where the columns are scaled before the fit.

    Facts are computed when they are first asked for and kept in a dictionary, because the lock of
    ``functools.cached_property`` (Python 3.11) would remain locked in a forked process.
    """

    X: Any
    names: Sequence[str] | None = None
    y: np.ndarray | None = None
    label: str = "y"
    selector: Any = None
    scaled: bool = False
    _computed: dict[Callable[[Look], Any], Any] = field(default_factory=dict, repr=False)

    def name(self, place: int) -> str:
        """The name of a column."""
        return f"x{place}" if self.names is None else self.names[place]

    def column(self, place: int) -> np.ndarray:
        """One column as a dense vector."""
        return dense(self.X[:, [place]]).ravel()

    @property
    def classes(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Class names and codes, or None where the label is none of classes."""
        return self._once(_classes)

    @property
    def measured(self) -> bool:
        """Whether the label is a measurement, not a class."""
        return self._once(_measured)

    @property
    def classless(self) -> str:
        """What the label holds instead of classes: "dates", "structures", "names" or nothing."""
        return "" if self.y is None or self.y.ndim != 1 else _classless(self.y)

    @property
    def numbering(self) -> list[int]:
        """Places of the columns that number the samples."""
        return self._once(_whole_and_rising)

    @property
    def named(self) -> list[int]:
        """Places of the columns whose name is that of an identifier."""
        return self._once(_named)

    @property
    def separable(self) -> bool:
        """Whether a column may separate the two largest classes without an error."""
        return self._once(_separable)

    @property
    def suspects(self) -> np.ndarray:
        """The columns in which the classes lie farthest apart."""
        return self._once(_suspects)

    @property
    def same_as_label(self) -> int | None:
        """The place of a column from which the label follows, and which follows from the label."""
        return self._once(_same_as_label)

    def _once(self, compute: Callable[[Look], Any]) -> Any:
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        return self._computed[compute]


def _classes(seen: Look) -> tuple[np.ndarray, np.ndarray] | None:
    if seen.y is None or seen.y.ndim != 1 or seen.y.dtype.kind == "V":
        return None
    if seen.measured or seen.classless:
        return None
    names, codes = np.unique(_sortable(seen.y), return_inverse=True)
    return (names, codes) if 1 < names.size < seen.y.size else None


def _measured(seen: Look) -> bool:
    y = seen.y
    if y is None or (y.dtype.kind == "f" and not np.isfinite(y).all()):  # for fit to refuse
        return False
    asked = getattr(seen.selector, "target_type", "auto")
    return asked == REGRESSION or _has_many_values(y)


def _whole_and_rising(seen: Look) -> list[int]:
    """Places of columns that count the rows, or have a name like an id and repeat no number."""
    if sparse.issparse(seen.X):
        return []
    head = seen.X[:10]
    steps = np.diff(head, axis=0)
    whole = (head == np.round(head)).all(axis=0)
    counting = whole & (steps == steps[0]).all(axis=0) & (steps[0] != 0)
    named = {i for i in seen.named if whole[i]}
    suspected = sorted(named.union(np.flatnonzero(counting).tolist()))
    return [i for i in suspected if _numbers_rows(seen.X[:, i], named=i in named)]


def _numbers_rows(column: np.ndarray, named: bool) -> bool:
    """Whether whole numbers rise by one step or, with a name like an id, never repeat."""
    steps = np.diff(column)
    alike = bool((steps == steps[0]).all() and steps[0] != 0)
    apart = alike or (named and np.unique(column).size == column.size)
    return apart and bool((column == np.round(column)).all())


def _suspects(seen: Look) -> np.ndarray:
    found = seen.classes
    moving = np.setdiff1d(varying_columns(seen.X), seen.numbering)
    if moving.size == 0 or found is None:
        return moving[:0]
    ratio = fisher(seen.X if moving.size == seen.X.shape[1] else seen.X[:, moving], found[1])
    first = np.argsort(-ratio, kind="stable")[:_SUSPECTS]
    return moving[first[~np.isnan(ratio[first])]]  # not columns with missing values


def _same_as_label(seen: Look) -> int | None:
    if seen.classes is None or not seen.separable:
        return None
    names, codes = seen.classes
    for place in seen.suspects:
        column = seen.column(place)
        if np.unique(column).size != names.size:
            continue
        values = np.unique(column, return_inverse=True)[1]
        if np.unique(np.stack([values, codes]), axis=1).shape[1] == names.size:
            return int(place)
    return None


def _named(seen: Look) -> list[int]:
    if seen.names is None or sparse.issparse(seen.X):
        return []
    if not _ID_NAME.search("\n".join(seen.names)):  # one search instead of thousands
        return []
    return [i for i, name in enumerate(seen.names) if _ID_NAME.search(name)]


def _separable(seen: Look) -> bool:
    """Whether the values of two classes do not overlap, first in a few samples, then in all."""
    if seen.classes is None or sparse.issparse(seen.X):
        return seen.classes is not None
    codes = seen.classes[1]
    rows = [np.flatnonzero(codes == code) for code in np.argsort(-np.bincount(codes))[:2]]
    columns = np.arange(seen.X.shape[1])
    for taken in (_FEW_ROWS, None):
        one, other = (seen.X[np.ix_(each[:taken], columns)] for each in rows)
        apart = (one.max(axis=0) < other.min(axis=0)) | (other.max(axis=0) < one.min(axis=0))
        columns = columns[apart]
    return columns.size > 0


def separates(values: np.ndarray, codes: np.ndarray) -> bool:
    """Whether thresholds separate the classes without an error."""
    order = np.argsort(values, kind="stable")
    values, codes = values[order], codes[order]
    change = codes[1:] != codes[:-1]
    return int(change.sum()) == codes.max() and bool((values[1:] > values[:-1])[change].all())


def _has_many_values(y: np.ndarray) -> bool:
    """Whether numbers have so many values that a measurement is more likely than classes."""
    different = np.unique(y).size if y.ndim == 1 and y.dtype.kind in "iuf" else 0
    return different > _MOST_CLASSES and different > y.size / 5


def _sortable(y: np.ndarray) -> np.ndarray:
    return y.astype(str) if y.dtype.kind == "O" else y


def _classless(y: np.ndarray) -> str:
    if y.dtype.kind not in "OUSM":
        return ""
    if y.dtype.kind == "M" or all(_DATE.match(str(value)) for value in y[:50]):
        return "dates"
    if isinstance(y[0], (dict, list, tuple, np.ndarray)):
        return "structures"
    return "names" if len({str(value) for value in y}) == y.size > 2 else ""


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
    block = dense(X).astype(np.float64, copy=False)
    centred = block - block.mean(axis=0)
    norm = np.sqrt((centred**2).sum(axis=0))
    return np.divide(centred, norm, out=np.zeros_like(centred), where=norm > 0)
