"""ARFF files (Weka)."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from inffs.io._sheet import Sheet, Table


def read_arff(path: Path) -> Sheet:
    """Numeric and nominal attributes; a nominal one is text."""
    import pyarrow as pa
    from scipy.io import arff

    _refuse_uneven_arff(path)
    data, meta = arff.loadarff(str(path))
    columns = []
    for name in meta.names():
        values = np.atleast_1d(data[name])
        if values.dtype.kind == "S":
            text = np.char.decode(values, "utf-8")
            columns.append(pa.array(text.astype(object), mask=text == "?"))
        else:
            columns.append(pa.array(values))
    return Sheet(list(meta.names()), pa.Table.from_arrays(columns, names=list(meta.names())))


def _refuse_uneven_arff(path: Path) -> None:
    """Raise if a row has more or fewer values than there are attributes."""
    with path.open(encoding="utf-8", errors="replace") as file:
        n = 0
        for line in file:
            word = line.split(None, 1)[0].lower() if line.strip() else ""
            n += word == "@attribute"
            if word == "@data":
                break
        rows = (line.strip() for line in file)
        rows = (row for row in rows if row and not row.startswith(("%", "{")))
        for place, values in enumerate(_arff_rows(rows)):
            if len(values) != n:
                raise ValueError(
                    f"{path}: row {place + 1} of its data has {len(values)} values, but there are "
                    f"{n} attributes."
                )


def _arff_rows(rows: Iterator[str]) -> Iterator[list[str]]:
    """The values of each row: between commas or tabs, quotes of both kinds honoured."""
    for row in rows:
        quote = '"' if "'" not in row else "'"
        delimiter = "," if "," in row else "\t"
        yield next(
            csv.reader([row], delimiter=delimiter, quotechar=quote, escapechar="\\",
                       skipinitialspace=True)
        )  # fmt: skip


def write_arff(table: Table, path: Path) -> None:
    columns: list[tuple[str, Any, str]] = [
        (name, table.X[:, place], "NUMERIC") for place, name in enumerate(table.names)
    ]
    if table.y is not None:
        values = [_quote(str(value)) for value in table.y]
        kinds = "{" + ",".join(sorted(set(values))) + "}"
        columns.append((table.label or "label", values, kinds))
    with path.open("w", encoding="utf-8") as file:
        file.write("@RELATION selected\n")
        for name, _, kind in columns:
            file.write(f"@ATTRIBUTE {_quote(name)} {kind}\n")
        file.write("@DATA\n")
        for row in zip(*(values for _, values, _ in columns), strict=True):
            file.write(",".join(v if isinstance(v, str) else repr(float(v)) for v in row) + "\n")


def _quote(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", " ").replace("\r", " ")
    return f"'{plain}'"
