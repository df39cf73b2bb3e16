"""Files of programs: spreadsheets, Stata, SPSS, SAS and R (with the containers of Bioconductor)."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from inffs.io._columnar import sheet_of
from inffs.io._delimited import as_csv, sheet_of_text
from inffs.io._guard import require
from inffs.io._sheet import Sheet, is_matrix, numbered, quoted

_FIRST = ("exprs", "counts")  # of several assays


def read_stata(path: Path) -> Sheet:
    import pandas as pd

    return sheet_of_frame(pd.read_stata(path))


def read_statistics(path: Path) -> Sheet:
    """Files of SPSS and SAS; the reader of pandas loses rows of SAS transport files (.xpt)."""
    readers = require("pyreadstat", "SPSS and SAS files", "'inffs[statistics]'")
    if (ending := path.suffix.lower()) in (".sav", ".zsav"):
        return sheet_of_frame(readers.read_sav(path, apply_value_formats=True)[0])
    read = readers.read_xport if ending == ".xpt" else readers.read_sas7bdat
    return sheet_of_frame(read(path)[0])


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
    rdata = require("rdata", "R files", "'inffs[statistics]'")

    class Converter(rdata.conversion.SimpleConverter):  # type: ignore[name-defined]
        def _convert_next(self, obj: Any) -> Any:
            try:
                return super()._convert_next(obj)
            except NotImplementedError:  # promises, code
                return None

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = Converter().convert(rdata.parser.parse_file(path))
    return {"": found} if path.suffix.lower() == ".rds" else found


def _described(held: Mapping[str, Any]) -> str:
    """The names of objects and, where they have one, their class in R."""
    words = []
    for name, value in held.items():
        kind = np.ravel(vars(value).get("class", "?"))[0] if _is_s4(value) else ""
        words.append(f"{name or 'an object'}{f' of class {kind}' * bool(kind)}")
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
    if not is_matrix(value):
        return None
    rows, names = _dimnames(value)
    X = np.asarray(value)
    index = None if rows is None else np.array(rows, dtype=object)
    return Sheet(names or numbered(X.shape[1]), X, index=index)


def _dimnames(value: Any) -> tuple[list[str] | None, list[str] | None]:
    coords = getattr(value, "coords", {})
    found = (coords[dim].values if dim in coords else None for dim in ("dim_0", "dim_1"))
    rows, columns = (None if names is None else list(map(str, names)) for names in found)
    return rows, columns


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
    beside, rows = _known_of_samples(vars(known))
    names = samples or rows
    X = np.ascontiguousarray(np.asarray(matrix).T)
    notes = [f"The assay {quoted([layer or first])} is read, of {quoted(list(assays))} (layer)."]
    return Sheet(
        genes or _names_of_rows(slots) or numbered(X.shape[1]),
        X,
        {name: values for name, values in beside.items() if len(values) == len(X)},
        None if names is None else np.array(names, dtype=object),
        notes=notes if len(assays) > 1 else [],
    )


def _assays(held: Any) -> Iterator[tuple[str, Any]]:
    """Matrices by name, in lists, environments and objects that wrap them."""
    frame = getattr(held, "frame", None)  # of an environment
    if _is_s4(held):
        held = {key: value for key, value in vars(held).items() if not key.startswith("elementM")}
    for name, value in {**(held if isinstance(held, dict) else {}), **(frame or {})}.items():
        if is_matrix(value):
            yield str(name), value
        else:
            yield from _assays(value)


def _known_of_samples(slots: dict[str, Any]) -> tuple[dict[str, np.ndarray], list[str] | None]:
    """What is known of the samples, and their names: of Biobase's or of S4Vectors' frames."""
    columns = slots.get("data")
    if columns is None:
        columns, rows = slots.get("listData") or {}, slots.get("rownames")
    else:
        rows = columns.index
    known = {str(name): np.asarray(columns[name]) for name in columns}
    return known, None if rows is None else [str(row) for row in np.ravel(rows)]


def _names_of_rows(slots: dict[str, Any]) -> list[str] | None:
    """Genes of a SummarizedExperiment, in its slot NAMES or in that of its ranges."""
    names = slots.get("NAMES")
    for within in ("rowRanges", "ranges", "unlistData", "partitioning"):
        if names is None and _is_s4(slots.get(within)):
            names = _names_of_rows(vars(slots[within]))
    return None if names is None else [str(name) for name in np.ravel(names)]


def read_spreadsheet(
    path: Path,
    sheet: str | None = None,
    header: bool | Iterable[str] = (),
    ids: Sequence[str | int] = (),
) -> Sheet:
    """One sheet of a workbook, the first if none is named; its cells are read as those of a CSV."""
    calamine = require("python_calamine", "spreadsheets", "'inffs[excel]'")
    with calamine.CalamineWorkbook.from_path(str(path)) as book:
        names = list(book.sheet_names)
        if sheet is not None and sheet not in names:
            raise ValueError(f"{path} has no sheet {sheet!r}: it has {quoted(names)}.")
        chosen = sheet or names[0]
        rows = book.get_sheet_by_name(chosen).to_python(skip_empty_area=True)
    cells = [texts for row in rows if any(texts := [_text(cell) for cell in row])]
    if len(cells) < 2:
        raise ValueError(f"{path} has no table in it: a row of names and rows of values.")
    found = sheet_of_text(as_csv(cells), path, ",", header, ids)
    if len(names) > 1 and sheet is None:
        note = f"{path.name} has {len(names)} sheets; {quoted([chosen])} is read (sheet)."
        found.notes.insert(0, note)
    return found


def _text(cell: Any) -> str:
    if isinstance(cell, float) and cell == cell // 1 and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, datetime.datetime | datetime.date):
        return cell.isoformat()
    return str(cell)
