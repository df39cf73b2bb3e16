"""ARFF files (Weka)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from inffs.io._delimited import as_csv, parse_rows
from inffs.io._dialect import Dialect
from inffs.io._guard import read_text
from inffs.io._sheet import Sheet, Table, quoted, text_places

_QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_CELL = re.compile(rf"""\s*+({_QUOTED}|[^,\t'"]*+)\s*+(?:[,\t]|$)""")
_ATTRIBUTE = re.compile(rf"\s*+({_QUOTED}|(?!['\"])[^\s{{]++)\s*+(\S+)")
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_SIGNS = {"n": "\n", "r": "\r", "t": "\t"}
_NUMERIC = ("numeric", "real", "integer")


def read_arff(path: Path) -> Sheet:
    """Numeric and nominal attributes, text and dates; what is not numeric is text."""
    import pyarrow as pa

    file = io.TextIOWrapper(io.BytesIO(read_text(path)), "utf-8", errors="replace")
    attributes = list(_attributes(file, path))
    if not attributes:
        raise ValueError(f"{path} has no @attribute: it is no ARFF file.")
    names = [name for name, _ in attributes]
    text = frozenset(at for at, (_, is_number) in enumerate(attributes) if not is_number)
    rows = as_csv(_rows(file, path, len(names)))
    if not rows:
        raise ValueError(f"{path} has no rows behind @data.")
    found = parse_rows(rows, Dialect(names, ",", ids=text), path)
    if wrong := set(text_places(found)).difference(text):
        named = quoted([names[at] for at in sorted(wrong)])
        raise ValueError(f"{path} holds text among the values of {named}, which are numeric.")
    columns = [
        column if at in text else column.cast(pa.float64())
        for at, column in enumerate(found.columns)
    ]
    return Sheet(names, pa.Table.from_arrays(columns, names=names))


def _attributes(file: TextIO, path: Path) -> Iterator[tuple[str, bool]]:
    """Names, and whether the values are numbers; up to the line of @data."""
    for line in file:
        word, _, rest = line.strip().partition(" ")
        word, _, more = word.partition("\t")
        if word.lower() == "@data":
            return
        if word.lower() == "@attribute":
            found = _ATTRIBUTE.match(f"{more} {rest}")
            if found is None:
                raise ValueError(f"{path} has an @attribute without name or type: {line[:99]!r}.")
            if found[2].lower() == "relational":
                raise ValueError(f"{path} holds tables within its table (relational attributes).")
            if found[2][0] != "{" and found[2].lower() not in (*_NUMERIC, "string", "date"):
                raise ValueError(f"{path} has an @attribute of unknown type: {line[:99]!r}.")
            yield _unquoted(found[1]), found[2].lower() in _NUMERIC


def _rows(file: TextIO, path: Path, n: int) -> Iterator[list[str]]:
    """The n values of every row, without their quotes; one that is missing is empty."""
    rows = (row for line in file if (row := line.strip()) and not row.startswith("%"))
    for place, row in enumerate(rows, 1):
        if row.startswith("{"):
            raise ValueError(f"{path} is a sparse ARFF file: save it dense, or as .svmlight.")
        cells = _cells(row)
        if len(cells) != n:
            raise ValueError(
                f"{path}: row {place} of its data has {len(cells)} values, but there are {n} "
                "attributes."
            )
        yield ["" if cell == "?" else _unquoted(cell) for cell in cells]


def _cells(row: str) -> list[str]:
    """The values of a row, between commas or tabs, with their quotes."""
    if "'" not in row and '"' not in row:
        return [cell.strip() for cell in row.split("," if "," in row else "\t")]
    cells, at = [], 0
    while found := _CELL.match(row, at):
        cells.append(found[1].strip())
        at = found.end()
        if at == len(row) and row[-1] not in ",\t":
            return cells
        if at == len(row):
            return [*cells, ""]
    return []  # a quote that is not closed


def _unquoted(cell: str) -> str:
    if len(cell) > 1 and cell[0] == cell[-1] and cell[0] in "'\"":
        return _ESCAPED.sub(_sign, cell[1:-1])
    return cell


def _sign(found: re.Match[str]) -> str:
    """What stands behind a backslash, as Weka means it."""
    text = found[1]
    return chr(int(text[1:], 16)) if len(text) == 5 else _SIGNS.get(text, text)


def write_arff(table: Table, path: Path) -> None:
    columns: list[tuple[str, Any, str]] = [
        (name, table.X[:, place], "NUMERIC") for place, name in enumerate(table.names)
    ]
    if table.y is not None:
        columns.append((table.label or "label", *_label(table.y)))
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write("@RELATION selected\n")
        for name, _, kind in columns:
            file.write(f"@ATTRIBUTE {_quote(name)} {kind}\n")
        file.write("@DATA\n")
        for row in zip(*(values for _, values, _ in columns), strict=True):
            file.write(",".join(v if isinstance(v, str) else _number(v) for v in row) + "\n")


def _label(y: Any) -> tuple[Any, str]:
    """The label's values and type: numbers with decimals are numeric, all else is nominal."""
    if np.asarray(y).dtype.kind == "f":
        return y, "NUMERIC"
    values = [_quote(str(value)) for value in y]
    return values, "{" + ",".join(sorted(set(values))) + "}"


def _number(value: float) -> str:
    return "?" if value != value else repr(float(value))


def _quote(text: str) -> str:
    """The text between quotes, as Weka writes it."""
    for sign, escaped in (("\\", "\\"), ("'", "'"), ("\n", "n"), ("\r", "r"), ("\t", "t")):
        text = text.replace(sign, f"\\{escaped}")
    return f"'{text}'"
