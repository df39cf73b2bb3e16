"""Files that pandas and rdata read: Stata, SPSS and R."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from inffs.io._columnar import sheet_of
from inffs.io._sheet import Sheet, numbered, quoted


def read_stata(path: Path) -> Sheet:
    import pandas as pd

    return sheet_of_frame(pd.read_stata(path))


def read_spss(path: Path) -> Sheet:
    import pandas as pd

    try:
        return sheet_of_frame(pd.read_spss(path))
    except ImportError as error:
        raise ImportError(
            "reading SPSS files needs pyreadstat: pip install pyreadstat", name="pyreadstat"
        ) from error


def read_r(path: Path) -> Sheet:
    """The largest data frame, matrix, or list of x and y of an R file."""
    try:
        import rdata
    except ImportError as error:
        raise ImportError("reading R files needs rdata: pip install rdata", name="rdata") from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = path.suffix.lower() == ".rds"
        found = rdata.read_rds(path) if one else rdata.read_rda(path)
    held = {"": found} if one else found
    sheets = [sheet for value in held.values() if (sheet := _sheet_of_r(value)) is not None]
    if not sheets:
        there = quoted([str(name) for name in held if name]) or "something else"
        raise ValueError(f"{path} holds no data frame and no matrix of numbers; it has {there}.")
    return max(sheets, key=lambda sheet: sheet.samples * len(sheet.names))


def _sheet_of_r(value: Any) -> Sheet | None:
    """A sheet of what R calls a data frame, a matrix or a list with x."""
    if hasattr(value, "columns") and hasattr(value, "dtypes"):
        return sheet_of_frame(value)
    if isinstance(value, dict) and "x" in value:
        sheet = _sheet_of_r(value["x"])
        if sheet is not None:
            rest = {str(k): np.asarray(v) for k, v in value.items() if k != "x"}
            sheet.beside |= {k: v for k, v in rest.items() if v.shape == (sheet.samples,)}
        return sheet
    array = np.asarray(value) if hasattr(value, "shape") else None
    if array is None or array.ndim != 2 or array.dtype.kind not in "biuf":
        return None
    rows, names = _dimnames(value)
    return Sheet(names or numbered(array.shape[1]), array, index=rows)


def _dimnames(value: Any) -> tuple[np.ndarray | None, list[str] | None]:
    coords = getattr(value, "coords", {})
    rows, columns = (coords[d].values if d in coords else None for d in ("dim_0", "dim_1"))
    index = None if rows is None else np.array([str(row) for row in rows], dtype=object)
    return index, None if columns is None else [str(column) for column in columns]


def sheet_of_frame(frame: Any) -> Sheet:
    """A data frame; an index that only numbers the rows is none."""
    import pyarrow as pa

    counted = [str(value) for value in frame.index] == [
        str(place + 1) for place in range(len(frame))
    ]
    frame = frame.reset_index(drop=True) if counted else frame
    frame.columns = [str(name) for name in frame.columns]
    return sheet_of(pa.Table.from_pandas(frame))
