"""Files of programs: spreadsheets, Stata, SPSS, SAS and R (with the containers of Bioconductor)."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from inffs.io._columnar import sheet_of
from inffs.io._dialect import MISSING_NUMBER, is_sample, refuse_merged
from inffs.io._sheet import Sheet, numbered, quoted

_FIRST = ("exprs", "counts")  # of several assays
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")  # how old and encrypted files of Microsoft Office begin
_LOOKED_AT = 20


def read_stata(path: Path) -> Sheet:
    import pandas as pd

    return sheet_of_frame(pd.read_stata(path))


def read_spss(path: Path) -> Sheet:
    return sheet_of_frame(_readstat("SPSS").read_sav(path, apply_value_formats=True)[0])


def read_sas(path: Path) -> Sheet:
    """SAS: transport files (.xpt) and .sas7bdat; pandas' own reader loses rows of the former."""
    readers = _readstat("SAS")
    is_transport = path.suffix.lower() == ".xpt"
    return sheet_of_frame((readers.read_xport if is_transport else readers.read_sas7bdat)(path)[0])


def _readstat(kind: str) -> Any:
    try:
        import pyreadstat
    except ImportError as error:
        raise ImportError(
            f"reading {kind} files needs pyreadstat: pip install 'inffs[statistics]'",
            name="pyreadstat",
        ) from error
    return pyreadstat


def sheet_of_frame(frame: Any) -> Sheet:
    """A data frame; an index that only numbers the rows is none."""
    import pyarrow as pa

    counted = [str(value) for value in frame.index] == [
        str(place + 1) for place in range(len(frame))
    ]
    frame = frame.reset_index(drop=True) if counted else frame
    frame.columns = [str(name) for name in frame.columns]
    return sheet_of(pa.Table.from_pandas(frame))


def read_r(path: Path, layer: str | None = None) -> Sheet:
    """The largest table of an R file; ``layer`` names the assay of a container."""
    held = _objects(path)
    sheets = [sheet for value in held.values() if (sheet := _sheet(value, path, layer)) is not None]
    if not sheets:
        raise ValueError(
            f"{path} holds no data frame and no matrix of numbers; it has {_described(held)}. "
            'In R, write.csv(as.matrix(x), "table.csv") exports a matrix x.'
        )
    return max(sheets, key=lambda sheet: sheet.samples * len(sheet.names))


def _objects(path: Path) -> dict[str, Any]:
    """The objects of a file by name; what has no counterpart in Python is None."""
    try:
        from rdata import conversion, parser
    except ImportError as error:
        raise ImportError(
            "reading R files needs rdata: pip install 'inffs[statistics]'", name="rdata"
        ) from error

    class Converter(conversion.SimpleConverter):
        def _convert_next(self, obj: Any) -> Any:
            try:
                return super()._convert_next(obj)
            except NotImplementedError:  # promises, code
                return None

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = Converter().convert(parser.parse_file(path))
    return {"": found} if path.suffix.lower() == ".rds" else found


def _described(held: Mapping[str, Any]) -> str:
    kinds = (str(np.ravel(vars(value).get("class", "?"))[0]) if _is_s4(value) else ""
             for value in held.values())  # fmt: skip
    words = [f"{name or 'an object'}{f' of class {kind}' * bool(kind)}"
             for name, kind in zip(held, kinds, strict=True)]  # fmt: skip
    return quoted(words) or "nothing"


def _is_s4(value: Any) -> bool:
    return isinstance(value, SimpleNamespace)


def _sheet(value: Any, path: Path, layer: str | None) -> Sheet | None:
    """A sheet of a container, a data frame, a matrix or a list with x."""
    if _is_s4(value):
        return _contained(vars(value), path, layer)
    if hasattr(value, "columns") and hasattr(value, "dtypes"):
        return sheet_of_frame(value)
    if isinstance(value, dict) and "x" in value:
        sheet = _sheet(value["x"], path, layer)
        if sheet is not None:
            rest = {str(k): np.asarray(v) for k, v in value.items() if k != "x"}
            sheet.beside |= {k: v for k, v in rest.items() if v.shape == (sheet.samples,)}
        return sheet
    if not _is_matrix(value):
        return None
    rows, names = _dimnames(value)
    X = np.asarray(value)
    return Sheet(names or numbered(X.shape[1]), X, index=_texts(rows))


def _is_matrix(value: Any) -> bool:
    return hasattr(value, "shape") and value.ndim == 2 and np.asarray(value).dtype.kind in "biuf"


def _dimnames(value: Any) -> tuple[list[str] | None, list[str] | None]:
    coords = getattr(value, "coords", {})
    found = (coords[dim].values if dim in coords else None for dim in ("dim_0", "dim_1"))
    rows, columns = (None if names is None else list(map(str, names)) for names in found)
    return rows, columns


def _texts(names: list[str] | None) -> np.ndarray | None:
    return None if names is None else np.array(names, dtype=object)


def _contained(slots: dict[str, Any], path: Path, layer: str | None) -> Sheet | None:
    """An ExpressionSet or a SummarizedExperiment: genes are rows, samples are columns."""
    known = slots.get("phenoData", slots.get("colData"))
    assays = dict(_assays(slots.get("assayData", slots.get("assays"))))
    if known is None or not assays:
        return None
    first = next((name for name in _FIRST if name in assays), next(iter(assays)))
    if layer is not None and layer not in assays:
        raise ValueError(f"{path} has no layer {layer!r}; its layers: {quoted(list(assays))}.")
    matrix = assays[layer or first]
    genes, samples = _dimnames(matrix)
    X = np.ascontiguousarray(np.asarray(matrix).T)
    beside, rows = _known_of_samples(vars(known))
    samples, genes = samples or rows, genes or _names_of_rows(slots)
    notes = [f"The assay {quoted([layer or first])} is read, of {quoted(list(assays))} (layer)."]
    return Sheet(genes or numbered(X.shape[1]), X,
                 {name: values for name, values in beside.items() if len(values) == len(X)},
                 _texts(samples), notes=notes if len(assays) > 1 else [])  # fmt: skip


def _assays(held: Any) -> Iterator[tuple[str, Any]]:
    """Matrices by name, in lists, environments and objects that wrap them."""
    frame = getattr(held, "frame", None)  # of an environment
    if _is_s4(held):
        held = {key: value for key, value in vars(held).items() if not key.startswith("elementM")}
    for name, value in {**(held if isinstance(held, dict) else {}), **(frame or {})}.items():
        if _is_matrix(value):
            yield str(name), value
        else:
            yield from _assays(value)


def _known_of_samples(slots: dict[str, Any]) -> tuple[dict[str, np.ndarray], list[str] | None]:
    """What is known of the samples, and their names: of Biobase's or of S4Vectors' frames."""
    frame = slots.get("data")
    if frame is not None:
        columns = {str(name): np.asarray(frame[name]) for name in frame.columns}
        return columns, [str(name) for name in frame.index]
    rows = slots.get("rownames")
    columns = {
        str(name): np.asarray(value) for name, value in (slots.get("listData") or {}).items()
    }
    return columns, None if rows is None else [str(row) for row in np.ravel(rows)]


def _names_of_rows(slots: dict[str, Any]) -> list[str] | None:
    """Genes of a SummarizedExperiment, in its slot NAMES or in that of its ranges."""
    names = slots.get("NAMES")
    for within in ("rowRanges", "ranges", "unlistData", "partitioning"):
        if names is None and _is_s4(slots.get(within)):
            names = _names_of_rows(vars(slots[within]))
    return None if names is None else [str(name) for name in np.ravel(names)]


def read_spreadsheet(path: Path, sheet: str | None = None, header: bool | None = None) -> Sheet:
    """One sheet of a workbook, the first if none is named."""
    rows, notes = _cells(path, sheet)
    width = max((len(row) for row in rows), default=0)
    rows = [row + [""] * (width - len(row)) for row in rows]
    rows = [row for row in rows if any(cell != "" for cell in row)]
    if len(rows) < 2:
        raise ValueError(f"{path} has no table in it: a row of names and rows of values.")
    shown = [[_text(cell) for cell in row] for row in rows[:_LOOKED_AT]]
    refuse_merged(shown, path)
    if header is None:
        header = not is_sample(shown)
    names = [_text(cell) for cell in rows[0]] if header else numbered(width)
    return Sheet(names, _columns(rows[1 if header else 0 :], names), notes=notes)


def _cells(path: Path, sheet: str | None) -> tuple[list[list[Any]], list[str]]:
    try:
        import python_calamine as calamine
    except ImportError as error:
        raise ImportError(
            "reading spreadsheets needs python-calamine: pip install 'inffs[excel]'",
            name="python_calamine",
        ) from error
    _refuse_encrypted(path)
    with calamine.CalamineWorkbook.from_path(str(path)) as book:
        names = list(book.sheet_names)
        if sheet is not None and sheet not in names:
            raise ValueError(f"{path} has no sheet {sheet!r}: it has {quoted(names)}.")
        chosen = sheet or names[0]
        rows = book.get_sheet_by_name(chosen).to_python(skip_empty_area=True)
    several = len(names) > 1 and sheet is None
    note = f"{path.name} has {len(names)} sheets; {quoted([chosen])} is read (sheet)."
    return rows, [note] if several else []


def _refuse_encrypted(path: Path) -> None:
    with path.open("rb") as file:
        if path.suffix.lower() != ".xls" and file.read(8) == _OLE:
            raise ValueError(
                f"{path} is protected with a password: save a copy without one and read that."
            )


def _columns(rows: list[list[Any]], names: list[str]) -> Any:
    import pyarrow as pa

    return pa.Table.from_arrays(
        [_column([row[place] for row in rows]) for place in range(len(names))], names=names
    )


def _column(cells: list[Any]) -> Any:
    """Numbers where every cell that is not missing is one; whole ones as such; text otherwise."""
    import pyarrow as pa

    known = [None if _is_missing(cell) else cell for cell in cells]
    there = [cell for cell in known if cell is not None]
    if all(isinstance(cell, bool) for cell in there) and there:
        return pa.array(known, pa.bool_())
    if all(isinstance(cell, int | float) for cell in there):
        whole = there and len(there) == len(known) and all(cell == cell // 1 for cell in there)
        small = whole and all(abs(cell) < 2**53 for cell in there)
        return pa.array([int(cell) for cell in there]) if small else pa.array(known, pa.float64())
    return pa.array([None if cell in (None, "") else _text(cell) for cell in cells], pa.string())


def _is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip() in MISSING_NUMBER)


def _text(cell: Any) -> str:
    if isinstance(cell, float) and cell == cell // 1 and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, datetime.datetime | datetime.date):
        return cell.isoformat()
    return str(cell)
