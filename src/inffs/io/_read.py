"""Read a table from a file, and write one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from inffs._utils.child import TooLongError
from inffs._utils.files import new_file
from inffs._utils.memory import available_memory
from inffs.io._choose import choose, pick, places_of, transposed, with_labels, without_columns
from inffs.io._columnar import ColumnsOnDisk, sheet_of
from inffs.io._formats import find_format, refuse_wrong_kind
from inffs.io._guard import in_a_process_of_its_own
from inffs.io._prepare import ENCODINGS, IMPUTATIONS, fill_in, refuse_text, to_numbers
from inffs.io._sheet import Sheet, Table, numbered
from inffs.validation.lazy import open_table
from inffs.validation.preparation import LOG_CPM, NORMALIZATIONS, log_cpm

_LONGEST = 500  # characters of a message besides the path
_ON_DISK = "The table is large: it stays on disk and is read column by column."
_MOST_PACKED = 100  # cells of 8 bytes for a byte of a Parquet file; more is not looked into
_ARRAY, _COLUMNS = (".npy",), (".parquet", ".pq")


def read_table(
    path: str | Path,
    *,
    label: str | int | None = None,
    index: str | int | None = None,
    drop: Iterable[str] = (),
    transpose: bool = False,
    encode: str | None = None,
    impute: str | None = None,
    sheet: str | None = None,
    header: bool | None = None,
    labels: str | Path | None = None,
    on: str | int | None = None,
    layer: str | None = None,
    allow_missing_samples: bool = False,
    drop_missing_labels: bool = False,
    columns: Sequence[str] | None = None,
    normalize: str | None = None,
) -> Table:
    """Read a table from a file of any known format.

    Parameters
    ----------
    path : str or Path
        The ending determines the format: see ``FORMATS``.
    label, index : str or int, optional
        The column of classes and the column of sample names: a name or a position (from 0,
        negative from the end). A name takes precedence over a position. Sample names are text: 007
        stays 007.
    drop : iterable of str
        Names or patterns (``*``, ``?``, ``[abc]``) of columns to leave out.
    transpose : bool
        The file has samples as columns and features as rows (expression matrices often do):
        the index column then holds the feature names, and the label is a row. Columns that
        describe the features (``Chr``, ``Length``, a gene's symbol) are left out. Formats that
        always have samples as columns (GEO, GCT) need no ``transpose``.
    encode : {"onehot", "ordinal"}, optional
        What to do with text columns; None refuses them.
    impute : {"median", "knn", "later", "keep"}, optional
        What to do with missing values; None refuses them, "later" leaves them NaN for a step that
        fills them in from a training part only, "keep" for a selector that can do with them.
    sheet : str, optional
        The sheet of a workbook. Default: the first.
    header : bool, optional
        Whether the first row of a text file or a sheet holds names; None looks at the rows.
    labels : str or Path, optional
        A second file with the labels, or another sheet of a workbook (``"book.xlsx#pheno"``);
        samples are matched by name. ``label`` is then a column of that file.
    on : str or int, optional
        The column of sample names in ``labels``. Default: its first. Here they are the index, or
        the column of the same name.
    layer : str, optional
        The layer of an AnnData file to read instead of its X.
    allow_missing_samples : bool, default=False
        Whether to leave out samples that are not in ``labels``; by default they are an error.
    drop_missing_labels : bool, default=False
        Whether to leave out samples whose label is missing; by default they are an error.
    columns : sequence of str, optional
        The names of the features to read, in this order; other columns and names that are not in
        the file are left out. Default: all.
    normalize : {"log-cpm"}, optional
        Turn counts into log2(1 + counts per million of the sample), by the totals of all features.

    Returns
    -------
    Table

    See Also
    --------
    write_table : The way back.
    inffs.open_table : For tables that stay on disk.

    Examples
    --------
    >>> import pandas as pd
    >>> from inffs.io import read_table
    >>> people = pd.DataFrame({"height": [1.8, 1.6], "weight": [80, 60], "sex": ["m", "f"]})
    >>> people.to_csv("people.csv", index=False)
    >>> table = read_table("people.csv", label="sex")
    >>> table.names, table.y.tolist()
    (['height', 'weight'], ['m', 'f'])
    """
    _check_choice("encode", encode, ENCODINGS)
    _check_choice("impute", impute, IMPUTATIONS)
    _check_choice("normalize", normalize, NORMALIZATIONS)
    ids = [each for each in (index, None if labels is None else on) if each is not None]
    form, _ = find_format(path)
    options = {"header": header, "sheet": sheet, "layer": layer}
    found = _read_sheet(Path(path), ids, [label, index], **options)
    if transpose and not form.turned:
        found, drop = without_columns(found, list(drop))
        found, index = transposed(found, index), None
    if labels is not None:
        second, second_sheet = split_sheet(labels)
        pheno = _read_sheet(second, [0 if on is None else on], [label, on], sheet=second_sheet)
        if index is None and found.index is None and isinstance(on, str) and on in found.names:
            index = on
        files = Path(path).name, Path(labels).name
        found = with_labels(found, pheno, files, label, on, index, allow_missing_samples)
        label = str(pick(pheno, label, "label")[1])
    chosen = choose(found, label, index, drop)
    if columns is not None and normalize is None:
        chosen = chosen.only(columns)
    if drop_missing_labels:
        chosen = chosen.labelled()
    X, names, encoded = to_numbers(chosen.features, encode)
    X, filled = fill_in(X, names, impute)
    table = chosen.table(X, names, [*encoded, *filled])
    if normalize is not None:
        table = replace(table, X=log_cpm(table.X), notes=[*table.notes, LOG_CPM])
    table.ordinal = chosen.features.text_places() if encode == "ordinal" else []
    if columns is not None and normalize is not None:
        table = replace(table.take(places_of(columns, names)), notes=table.notes)
    whole = form.whole and not (transpose or impute or normalize)
    return replace(table, source=Path(path)) if whole else table


def too_large(path: Path) -> bool:
    """Whether a Parquet or NPY file would take more than a quarter of the memory that is free."""
    ending = path.suffix.lower()
    if ending not in _ARRAY + _COLUMNS or not path.is_file():
        return False
    size, enough = path.stat().st_size, available_memory() / 4
    if ending in _COLUMNS and size * _MOST_PACKED > enough:
        import pyarrow.parquet as parquet

        stored = parquet.read_metadata(path)
        size = 8 * stored.num_rows * stored.num_columns
    return size > enough


def read_lazily(
    path: str | Path,
    *,
    label: str | int | None = None,
    index: str | int | None = None,
    drop: Iterable[str] = (),
) -> Table:
    """A table whose ``X`` is read column by column; label and index are in memory.

    Takes Parquet and NPY files of numeric columns; missing values are refused when a selector
    meets them.
    """
    path = Path(path)
    chosen = choose(_lazy_sheet(path), label, index, drop)
    refuse_text(chosen.features)
    columns = chosen.features.columns
    X = open_table(path, columns=columns.places) if chosen.features.mixed else columns
    return chosen.table(X, chosen.features.names, [_ON_DISK])


def _lazy_sheet(path: Path) -> Sheet:
    if path.suffix.lower() in _COLUMNS:
        import pyarrow.parquet as parquet

        return sheet_of(ColumnsOnDisk(parquet.ParquetFile(path, memory_map=True)))
    X = open_table(path)
    return Sheet(numbered(X.shape[1]), X)


def read_sheet(
    path: str | Path,
    *,
    index: str | int | None = None,
    transpose: bool = False,
    named: Iterable[str | int | None] = (),
    **options: Any,
) -> Sheet:
    """The columns of a file as they are; the options are those of :func:`read_table`."""
    found = _read_sheet(Path(path), [], [*named, index], **options)
    return transposed(found, index) if transpose else found


def read_names(path: str | Path) -> dict[str, str]:
    """Read the names of features from a file of two columns, the feature and its name.

    The first row counts whether it is a header or not: no feature has the name of a header. Of
    several names of a feature the first is taken; an empty name is none.
    """
    book, chosen = split_sheet(path)
    sheet = _read_sheet(book, [0, 1], sheet=chosen)
    if len(sheet.names) != 2:
        raise ValueError(
            f"{path} has {len(sheet.names)} columns: give a file of two, the feature and its name."
        )
    pairs = zip(*(sheet.column(place) for place in (0, 1)), strict=True)
    found: dict[str, str] = {}
    for feature, name in [tuple(sheet.names), *pairs]:
        if name is not None and str(name).strip():
            found.setdefault(str(feature), str(name).strip())
    return found


def split_sheet(path: str | Path) -> tuple[Path, str | None]:
    """The workbook and the sheet of ``book.xlsx#sheet``; a file of that name comes first."""
    book, mark, sheet = str(path).rpartition("#")
    known = mark and not Path(path).exists() and Path(book).exists()
    return (Path(book), sheet) if known else (Path(path), None)


def _read_sheet(
    path: Path,
    ids: Sequence[str | int] = (),
    named: Iterable[str | int | None] = (),
    **options: Any,
) -> Sheet:
    """The content of a file.

    ``ids`` are columns of names, which stay text where the file is. A first row that holds one of
    the names ``named`` is a header.
    """
    form, ending = find_format(path)
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    if not (path.is_file() or path.is_dir()):  # to open a pipe waits for its other end
        raise ValueError(f"{path} is a pipe or a device: save the table in a file first.")
    if any("\ud800" <= sign <= "\udfff" for sign in str(path)):  # bytes that are not Unicode
        with _under_a_plain_name(path, ending) as plain:
            return _read_sheet(plain, ids, named, **options)
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in form.options:
            raise ValueError(f"{form.name} files have no {name}: leave it out.")
    if "header" in form.options:
        words = [each for each in named if isinstance(each, str)]
        names = [each for each in words if not each.lstrip("-").isdecimal()]
        given = {"header": names, "ids": ids, **given}
    if path.is_file():
        refuse_wrong_kind(path, form.name)
    with _one_sentence(path, form.name):
        if form.isolated:
            found = in_a_process_of_its_own(form.read, path, **given)
        else:
            found = form.read(path, **given)
        found.refuse_uneven()
    return found


@contextmanager
def _one_sentence(path: Path, form: str) -> Iterator[None]:
    """Raise the errors of readers as one sentence; those of ours that name the path stay."""
    try:
        yield
    except (ImportError, PermissionError):
        raise
    except MemoryError as error:
        raise MemoryError(
            f"{path} unpacks to more than the {available_memory() / 2**30:,.1f} GiB of memory that "
            "are free: leave out columns, or read it on a machine with more memory."
        ) from error
    except TooLongError as error:
        raise ValueError(f"{path} takes too long to read as {form}: it is damaged.") from error
    except Exception as error:
        short = len(str(error)) <= _LONGEST + len(str(path))
        if type(error) is ValueError and str(path) in str(error) and short:
            raise
        what = (str(error).splitlines() or [""])[0][:200] or type(error).__name__
        raise ValueError(
            f"{path} could not be read as {form} ({what}): it is damaged, cut short, or "
            "another kind of file."
        ) from error


@contextmanager
def _under_a_plain_name(path: Path, ending: str) -> Iterator[Path]:
    """A link to a file whose name is not Unicode, which compiled readers need."""
    with tempfile.TemporaryDirectory(prefix="inffs-") as folder:
        plain = Path(folder) / f"table{ending}"
        plain.symlink_to(path.resolve())
        yield plain


def write_table(table: Any, path: str | Path, *, force: bool = False) -> None:
    """Write a table in the format of its ending.

    Formats of columns (CSV, TSV, Parquet, Feather) also take a ``pyarrow.Table``.

    Parameters
    ----------
    table : Table
        What is written.
    path : str or Path
        Its ending names the format.
    force : bool, default=False
        Whether to replace a file that is there.

    See Also
    --------
    read_table : The way back.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.io import Table, read_table, write_table
    >>> write_table(Table(np.eye(2), ["a", "b"]), "t.parquet")
    >>> read_table("t.parquet").shape
    (2, 2)
    """
    form, _ = find_format(path)
    if form.write is None:
        raise ValueError(f"{form.name} files are read only: write {path} in another format.")
    with new_file(path, force=force) as beside:
        form.write(table, beside)


def _check_choice(what: str, given: str | None, known: tuple[str, ...]) -> None:
    if given is not None and given not in known:
        raise ValueError(f"{what}={given!r} is not known: it is one of {', '.join(known)}.")
