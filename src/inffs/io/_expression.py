"""Expression tables with samples as columns: GEO series matrices, GCT files, STAR and salmon.

The table comes out with samples as rows. What GEO and GCT files hold about the samples is beside
it.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from inffs.io._delimited import as_csv, parse_rows
from inffs.io._dialect import Dialect
from inffs.io._guard import read_text, refuse_larger_than_memory
from inffs.io._sheet import Sheet, arrow_to_numpy, quoted
from inffs.validation.checks import is_numeric

_TABLE = "!series_matrix_table_"  # and begin or end: the lines around the values
_BEGIN, _END = (re.compile(rf"\n{_TABLE}{word}[ \t\r]*(?=\n|\Z)") for word in ("begin", "end"))
_SAMPLE, _CHARACTERISTICS = "!Sample_", "characteristics"
_SERIES = b"!Series_"  # what a series matrix begins with
_STAR, _SALMON = "ReadsPerGene.out.tab", "quant.sf"
_STRANDS = {"unstranded": 1, "forward": 2, "reverse": 3}
_COLUMNS = {"NumReads": 4, "TPM": 3}
ENDINGS = ("_series_matrix.txt", "_series_matrix.txt.gz")


def is_series_matrix(path: Path) -> bool:
    """Whether a text file is one, whatever its name."""
    if not path.is_file() or not path.name.lower().endswith((".txt", ".txt.gz", ".tsv", ".tsv.gz")):
        return False
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opened(path, "rb") as file:
            return file.read(len(_SERIES)) == _SERIES
    except (OSError, EOFError, zlib.error):
        return False


def read_series_matrix(path: Path) -> Sheet:
    """A series matrix of GEO: probes are features; what is known of the samples stands beside.

    Characteristics (``tissue: liver``) are columns under their own names.
    """
    head, *rest = _BEGIN.split(_text(path), maxsplit=1)
    body, *end = _END.split("".join(rest), maxsplit=1)
    if not end:
        raise ValueError(
            f"{path} has no line {_TABLE}begin or {_TABLE}end: it is damaged or cut short."
        )
    header, _, rows = body.strip("\r\n").partition("\n")
    if not rows:
        raise ValueError(
            f"{path} holds no values: a series of sequencing data keeps them in a supplementary "
            "file; read that, with this file's samples as labels."
        )
    found = _turned(header, rows, path)
    known = _sample_columns(re.split(r"[\r\n]+", head))
    fitting = {name: cells for name, cells in known.items() if len(cells) == found.samples}
    found.beside, found.index_name = _typed(fitting, path), "geo_accession"
    return found


def _sample_columns(lines: list[str]) -> dict[str, list[str]]:
    """What is known of the samples, by name; a name that comes twice is numbered."""
    found: dict[str, list[str]] = {}
    for line in lines:
        if not line.startswith(_SAMPLE):
            continue
        name, *cells = next(csv.reader([line], delimiter="\t"))
        name = name.removeprefix(_SAMPLE)
        if name.startswith(_CHARACTERISTICS):
            _add_characteristics(found, cells)
        else:
            found[_numbered(name, found)] = cells
    return found


def _add_characteristics(found: dict[str, list[str]], cells: list[str]) -> None:
    """Cells ``tag: value`` under their tags: a line may hold several, a tag several lines."""
    for place, cell in enumerate(cells):
        tag, colon, value = cell.partition(": ")
        if colon:
            found.setdefault(tag, [""] * len(cells))[place] = value


def _numbered(name: str, taken: Iterable[str]) -> str:
    count, free = 1, name
    while free in taken:
        count += 1
        free = f"{name}.{count}"
    return free


def read_gct(path: Path) -> Sheet:
    """A GCT file, version 1.2 or 1.3: rows are features, what is known of samples stands beside."""
    version, sizes, *rest = _text(path).split("\n", 2)
    counts = [int(each) for each in sizes.split()]
    if version.strip() not in ("#1.2", "#1.3") or len(counts) not in (2, 4) or not rest:
        raise ValueError(
            f"{path} does not begin with #1.2 or #1.3 and its sizes: it is no GCT file."
        )
    about_rows, about_samples = counts[2:] or (1, 0)
    header, *lines = rest[0].split("\n", 1 + about_samples)
    found = _turned(header, "\n".join(lines[about_samples:]), path, about_rows)
    if [len(found.names), found.samples] != counts[:2]:
        raise ValueError(
            f"{path} announces {counts[0]:,} rows and {counts[1]:,} samples, but holds "
            f"{len(found.names):,} and {found.samples:,}: it is cut short."
        )
    known = [line.rstrip("\r").split("\t") for line in lines[:about_samples]]
    found.beside = _typed({name: cells[about_rows:] for name, *cells in known}, path)
    found.index_name = "id"
    return found


def _text(path: Path) -> str:
    return read_text(path).decode(errors="replace")


def _turned(header: str, rows: str, path: Path, about_rows: int = 0) -> Sheet:
    """The rows as features of the samples in the header; ``about_rows`` columns describe them."""
    names, *cells = next(csv.reader([header], delimiter="\t"))
    left_out, samples = cells[:about_rows], cells[about_rows:]
    dialect = Dialect([names, *cells], ids=frozenset(range(1 + len(left_out))))
    table = parse_rows(rows.encode(), dialect, path)
    columns = table.columns[1 + about_rows :]
    wrong = [
        name for name, column in zip(samples, columns, strict=True) if not is_numeric(column.type)
    ]
    if wrong:
        raise ValueError(f"{path} holds text among the values of {quoted(wrong)}.")
    features = ["" if name is None else name for name in arrow_to_numpy(table.column(0))]
    if broken := [name for name in features if "\n" in name]:
        raise ValueError(
            f"{path} has a quote that does not close, at the row {quoted(broken[:1])}."
        )
    refuse_larger_than_memory(path, 8.0 * len(features) * len(columns))
    X = np.array([arrow_to_numpy(column) for column in columns], dtype=np.float64)
    X = X.reshape(len(columns), len(features))
    notes = [f"What describes the rows is left out: {quoted(left_out)}."] if left_out else []
    return Sheet(features, X, index=np.array(samples, dtype=object), notes=notes)


def _typed(known: dict[str, list[str]], path: Path) -> dict[str, np.ndarray]:
    """What is known of the samples, as numbers where every value is one."""
    if not known:
        return {}
    rows = as_csv(zip(*known.values(), strict=True))
    table = parse_rows(rows, Dialect(list(known), ","), path)
    return dict(zip(known, map(arrow_to_numpy, table.columns), strict=True))


def files_of(folder: Path) -> list[Path]:
    """The files of STAR or salmon in a folder, one per sample."""
    for pattern in (f"*{_STAR}", f"*/*{_STAR}", f"*/{_SALMON}"):
        if found := sorted(path for path in folder.glob(pattern) if path.is_file()):
            return found
    return []


def read_quantified(folder: Path, layer: str | None = None) -> Sheet:
    """Samples by genes. ``layer``: of STAR the strand (unstranded), of salmon NumReads or TPM."""
    files = files_of(folder)
    program, places = ("salmon", _COLUMNS) if files[0].name == _SALMON else ("STAR", _STRANDS)
    chosen = layer or next(iter(places))
    if chosen not in places:
        raise ValueError(f"{folder} has no layer {chosen!r}; its layers: {quoted(list(places))}.")
    genes: list[str] = []
    rows: list[np.ndarray] = []
    for path in files:
        names, values = _sample(path, places[chosen])
        if genes and names != genes:
            raise ValueError(f"{path} has other genes than {files[0].name} of the first sample.")
        genes = names
        rows.append(values)
    refuse_larger_than_memory(folder, 8.0 * len(rows) * len(genes))
    samples = [_name(path) for path in files]
    note = f"{len(files):,} samples of {program} are read, {chosen} (layer)."
    return Sheet(genes, np.array(rows), index=np.array(samples, dtype=object),
                 index_name="sample", notes=[note])  # fmt: skip


def _sample(path: Path, place: int) -> tuple[list[str], np.ndarray]:
    """The genes of a file and their values; STAR's lines N_unmapped and so on are no genes."""
    rows, width = read_text(path), 4
    if path.name == _SALMON:
        rows, width = rows.partition(b"\n")[2], 5
    table: Any = parse_rows(rows, Dialect([""] * width, ids=frozenset([0])), path)
    genes, values = arrow_to_numpy(table.column(0)).tolist(), table.column(place)
    if not is_numeric(values.type):
        raise ValueError(f"{path} holds text among its counts.")
    kept = [at for at, gene in enumerate(genes) if not (width == 4 and str(gene).startswith("N_"))]
    return [str(genes[at]) for at in kept], arrow_to_numpy(values).astype(np.float64)[kept]


def _name(path: Path) -> str:
    """The sample's name: what stands before the file's own name, or the folder it lies in."""
    before = path.name.removesuffix(_STAR).rstrip("._-") if path.name != _SALMON else ""
    return before or path.parent.name
