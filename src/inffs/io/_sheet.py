"""The content of a file as it was read, and a table ready for a selector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from inffs.validation.checks import is_numeric
from inffs.validation.lazy import LazyTable

_WIDE = 500  # columns from which a copy costs less than a visit to every column


@dataclass
class Sheet:
    """Columns as a reader found them.

    ``columns`` is a ``pyarrow.Table`` (any types) or a numeric matrix, dense, sparse or lazy, of
    shape (n_samples, n_features); ``beside`` holds columns that are no features whatever happens
    (the target of an svmlight file, ``obs`` of an AnnData file); ``index`` the sample names where
    the format has them; ``turned`` is what stands above the features' names where samples are
    columns.
    """

    names: list[str]
    columns: Any
    beside: dict[str, np.ndarray] = field(default_factory=dict)
    index: np.ndarray | None = None
    index_name: str | None = None
    notes: list[str] = field(default_factory=list)
    turned: str | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Between processes a wide Arrow table travels as one buffer, not column by column."""
        if not self.mixed or len(self.names) < _WIDE:
            return vars(self)
        import pyarrow as pa

        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.columns.schema) as stream:
            stream.write_table(self.columns)
        return {**vars(self), "columns": None, "stream": sink.getvalue()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if (stream := state.pop("stream", None)) is not None:
            import pyarrow as pa

            state["columns"] = pa.ipc.open_stream(stream).read_all()
        vars(self).update(state)

    @property
    def mixed(self) -> bool:
        """Whether columns have types of their own (an Arrow table) or are one numeric matrix."""
        return hasattr(self.columns, "num_rows")

    @property
    def samples(self) -> int:
        return int(self.columns.num_rows if self.mixed else self.columns.shape[0])

    def text_places(self) -> list[int]:
        """Places of the columns that are not numbers."""
        return text_places(self.columns) if self.mixed else []

    def refuse_uneven(self) -> None:
        """Raise if names, columns and what is beside them differ in number."""
        n = len(self.columns.column_names) if self.mixed else self.columns.shape[1]
        if len(self.names) != n:
            raise ValueError(f"{len(self.names):,} names for {n:,} columns")
        index = {} if self.index is None else {"sample names": self.index}
        for name, values in {**self.beside, **index}.items():
            if len(values) != self.samples:
                raise ValueError(
                    f"{len(values):,} values of {quoted([name])} for {self.samples:,} samples"
                )

    def column(self, place: int) -> np.ndarray:
        """One column as a NumPy array (text as objects, None where missing)."""
        if self.mixed:
            return arrow_to_numpy(self.columns.column(place))
        if hasattr(self.columns, "tocsc"):
            return self.columns[:, [place]].toarray().ravel()
        return np.asarray(self.columns[:, [place]]).ravel()

    def take(self, places: Sequence[int]) -> Sheet:
        """The sheet with these columns only, in this order."""
        if len(places) == len(self.names) and list(places) == list(range(len(self.names))):
            return self
        chosen = [self.names[place] for place in places]
        columns = self.columns.select(list(places)) if self.mixed else self.columns[:, places]
        return replace(self, names=chosen, columns=columns)

    def take_rows(self, rows: np.ndarray) -> Sheet:
        """The sheet with these samples only, in this order."""
        columns = self.columns.take(rows) if self.mixed else self.columns[rows]
        beside = {name: values[rows] for name, values in self.beside.items()}
        index = None if self.index is None else self.index[rows]
        return replace(self, columns=columns, beside=beside, index=index)


@dataclass
class Table:
    """A table ready for a selector.

    Parameters
    ----------
    X : ndarray or CSC matrix of shape (n_samples, n_features)
        The features.
    names : list of str
        One per feature; not necessarily unique, possibly empty: names are data.
    y : ndarray or None
        The label column, as it was read.
    label, index_name : str or None
        Names of the label and of the index column.
    index : ndarray or None
        Sample names.
    notes : list of str
        Sentences on what was done to the table.
    turned : str or None
        Where samples are columns in the file: what stands above the names of the features. The
        table is written that way again.
    ordinal : list of int
        Places of features whose numbers stand for the sorted values of text.
    source : Path or None
        The file it comes from, where a selection of it is to keep all else that the file holds.
    marks : dict
        Values per feature that are written beside them, where the format has a place for them.
    targets : list of str
        The names of the columns of y, if it has several.

    See Also
    --------
    read_table : Reads one.
    write_table : Writes one.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.io import Table
    >>> Table(np.eye(3), ["a", "b", "c"]).take([2, 0]).names
    ['c', 'a']
    """

    X: Any
    names: list[str]
    y: np.ndarray | None = None
    label: str | None = None
    index: np.ndarray | None = None
    index_name: str | None = None
    notes: list[str] = field(default_factory=list)
    turned: str | None = None
    ordinal: list[int] = field(default_factory=list)
    source: Path | None = None
    marks: dict[str, np.ndarray] = field(default_factory=dict)
    targets: list[str] = field(default_factory=list)

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape

    def take(self, features: Any) -> Table:
        """The same samples with these features only."""
        places = np.arange(len(self.names))[features]
        names = [self.names[place] for place in places]
        X = self.X[:, places]
        X = np.asarray(X) if isinstance(X, LazyTable) else X
        marks = {name: values[places] for name, values in self.marks.items()}
        return _with_plain_target(
            replace(self, X=X, names=names, notes=[], marks=marks, ordinal=[])
        )


def _with_plain_target(table: Table) -> Table:
    """The target as columns of a file: survival times are two, several labels one each."""
    y = table.y
    if y is None or (y.ndim == 1 and y.dtype.names is None):
        return table
    if y.ndim == 2:
        *names, label = table.targets
        return _with_columns(table, y[:, :-1], names, y[:, -1], label)
    event, time = y.dtype.names or ()
    return _with_columns(table, y[time][:, None], [time], y[event].astype(int), event)


def _with_columns(
    table: Table, columns: np.ndarray, names: list[str], y: np.ndarray, label: str
) -> Table:
    """The table with further columns of the target before the features."""
    if table.source is not None:  # the file keeps them beside the features
        return replace(table, y=y, label=label, targets=[])
    marks = {name: np.insert(values, [0] * len(names), 0) for name, values in table.marks.items()}
    if hasattr(table.X, "tocsc"):
        from scipy import sparse  # a process that reads dense tables starts sooner without it

        X = sparse.hstack([columns, table.X], "csc")
    else:
        X = np.hstack([columns, table.X])
    names = [*names, *table.names]
    return replace(table, X=X, names=names, y=y, label=label, marks=marks, targets=[])


def arrow_to_numpy(column: Any) -> np.ndarray:
    """An Arrow column as NumPy: numbers as floats or integers, text as objects.

    Equal texts are one object: a column of a long text many times stays small.
    """
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind) and pa.types.is_primitive(kind.value_type):
        column = column.cast(kind.value_type)
    if is_bytes(kind):
        column = column.cast(pa.string())
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    if not is_text(column.type) and not pa.types.is_dictionary(column.type):
        return column.to_numpy()
    parts = [_shared_objects(chunk) for chunk in column.chunks]
    return np.concatenate(parts) if parts else np.empty(0, dtype=object)


def _shared_objects(chunk: Any) -> np.ndarray:
    """A dictionary's values at the places of its indices, None where there is none."""
    coded = chunk if hasattr(chunk, "indices") else chunk.dictionary_encode()
    values = np.append(coded.dictionary.to_numpy(zero_copy_only=False).astype(object), [None])
    return values[coded.indices.fill_null(len(values) - 1).to_numpy(zero_copy_only=False)]


def is_bytes(kind: Any) -> bool:
    """Whether an Arrow type is bytes: text of an old Parquet file, or of an unknown encoding."""
    return str(kind) in ("binary", "large_binary", "binary_view")


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is text, whatever its layout."""
    return str(kind) in ("string", "large_string", "string_view", "utf8_view")


def is_matrix(value: Any) -> bool:
    """Whether something out of a file is a matrix of numbers, or a column of them."""
    kind = getattr(getattr(value, "dtype", None), "kind", " ")
    return kind in "biuf" and value.ndim == 2


def text_places(table: Any) -> list[int]:
    """Places of the columns of an Arrow table that are not numbers."""
    kinds = table.schema.types
    numeric = {kind: is_numeric(kind) for kind in set(kinds)}  # few types, many columns
    return [place for place, kind in enumerate(kinds) if not numeric[kind]]


def numbered(n: int) -> list[str]:
    """Names for columns that have none: x0, x1, ..."""
    return [f"x{place}" for place in range(n)]


def quoted(names: Sequence[str]) -> str:
    """Up to five names for a message, long ones shortened."""
    shown = [repr(name if len(name) <= 60 else f"{name[:57]}...") for name in names[:5]]
    more = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
    return ", ".join(shown) + more
