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

from inffs.io._delimited import parse_text
from inffs.io._dialect import MISSING_NUMBER, Dialect
from inffs.io._guard import refuse_gzip_bomb, refuse_larger_than_memory, refuse_zero_bytes
from inffs.io._sheet import Sheet, arrow_to_numpy, is_numeric, quoted

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
    with path.open("rb") as file:
        start = file.read(2**12)
    if path.suffix.lower() == ".gz":
        try:
            start = zlib.decompressobj(wbits=31).decompress(start, len(_SERIES))
        except zlib.error:
            return False
    return start.startswith(_SERIES)


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
    features, X, samples = _matrix(body.strip("\r\n"), path)
    if not features:
        raise ValueError(
            f"{path} holds no values: a series of sequencing data keeps them in a supplementary "
            "file; read that, with this file's samples as labels."
        )
    beside = {
        name: _values(cells)
        for name, cells in _sample_columns(re.split(r"[\r\n]+", head)).items()
        if len(cells) == len(samples)
    }
    return Sheet(features, X, beside, np.array(samples, dtype=object), "geo_accession")


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
    header, _, body = rest[0].partition("\n")
    lines = body.split("\n", about_samples)
    known, body = lines[:about_samples], lines[about_samples]
    features, X, samples = _matrix(f"{header}\n{body}", path, about_rows)
    if (len(features), len(samples)) != tuple(counts[:2]):
        raise ValueError(
            f"{path} announces {counts[0]:,} rows and {counts[1]:,} samples, but holds "
            f"{len(features):,} and {len(samples):,}: it is cut short."
        )
    beside = {}
    for line in known:
        name, *cells = line.rstrip("\r").split("\t")
        beside[name] = _values(cells[about_rows:])
    left_out = header.split("\t")[1 : 1 + about_rows]
    note = f"What describes the rows is left out: {quoted(left_out)}." if left_out else ""
    return Sheet(features, X, beside, np.array(samples, dtype=object), "id", [note] * bool(note))


def _text(path: Path) -> str:
    refuse_gzip_bomb(path)
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    refuse_zero_bytes(path, data)
    return data.decode("utf-8-sig", errors="replace")


def _matrix(text: str, path: Path, skip: int = 0) -> tuple[list[str], np.ndarray, list[str]]:
    """Features, the matrix of samples by features, and samples; ``skip`` columns describe rows."""
    header = next(csv.reader([text.partition("\n")[0]], delimiter="\t"), [])
    names = [f"c{place}" for place in range(len(header))]
    rows = text.partition("\n")[2]
    if not rows.strip():
        return [], np.empty((0, 0)), header[1 + skip :]
    text_places = tuple(range(1 + skip))
    found = parse_text(rows.encode(), Dialect("utf-8", "\t", ".", 0, False, names, ids=text_places))
    columns = found.columns[1 + skip :]
    wrong = [
        name for name, column in zip(header[1 + skip :], columns, strict=True)
        if not is_numeric(column.type)
    ]  # fmt: skip
    if wrong:
        raise ValueError(f"{path} holds text among the values of {quoted(wrong)}.")
    refuse_larger_than_memory(path, 8.0 * found.num_rows * len(columns))
    X = np.array([arrow_to_numpy(column) for column in columns], dtype=np.float64)
    X = X.reshape(len(columns), found.num_rows)
    names = ["" if name is None else name for name in arrow_to_numpy(found.column(0))]
    if broken := [name for name in names if "\n" in name]:
        raise ValueError(
            f"{path} has a quote that does not close, at the row {quoted(broken[:1])}."
        )
    return names, X, header[1 + skip :]


def _values(cells: list[str]) -> np.ndarray:
    """Numbers where all that is there is one, whole ones as such; text otherwise."""
    known = [None if cell.strip() in MISSING_NUMBER else cell for cell in cells]
    try:
        numbers = np.array([np.nan if cell is None else float(cell) for cell in known])
    except ValueError:
        return np.array(known, dtype=object)
    whole = numbers.size and np.array_equal(numbers, np.rint(numbers))
    return numbers.astype(np.int64) if whole else numbers


def files_of(folder: Path) -> list[Path]:
    """The files of STAR or salmon in a folder, one per sample."""
    for pattern in (f"*{_STAR}", f"*/*{_STAR}", f"*/{_SALMON}"):
        if found := sorted(path for path in folder.glob(pattern) if path.is_file()):
            return found
    return []


def read_quantified(folder: Path, layer: str | None = None) -> Sheet:
    """Samples by genes. ``layer``: of STAR the strand (unstranded), of salmon NumReads or TPM."""
    files = files_of(folder)
    is_salmon = files[0].name == _SALMON
    places = _COLUMNS if is_salmon else _STRANDS
    chosen = layer or next(iter(places))
    if chosen not in places:
        raise ValueError(f"{folder} has no layer {chosen!r}; its layers: {quoted(list(places))}.")
    genes: Any = None
    rows: list[np.ndarray] = []
    for path in files:
        refuse_larger_than_memory(path, 2.0 * path.stat().st_size)
        names, values = _sample(path, places[chosen], is_salmon)
        if genes is not None and not names.equals(genes):
            raise ValueError(f"{path} has other genes than {files[0].name} of the first sample.")
        genes = names
        rows.append(values)
    refuse_larger_than_memory(folder, 8.0 * len(rows) * len(rows[0]))
    samples = [_name(path) for path in files]
    note = (
        f"{len(files):,} samples of {'salmon' if is_salmon else 'STAR'} are read, {chosen} (layer)."
    )
    return Sheet(genes.to_pylist(), np.array(rows), index=np.array(samples, dtype=object),
                 index_name="sample", notes=[note])  # fmt: skip


def _sample(path: Path, place: int, is_salmon: bool) -> tuple[Any, np.ndarray]:
    """The genes of a file and their values; STAR's lines N_unmapped and so on are no genes."""
    import pyarrow as pa
    from pyarrow import compute
    from pyarrow import csv as arrow_csv

    width = 5 if is_salmon else 4
    names = [f"c{column}" for column in range(width)]
    found = arrow_csv.read_csv(
        str(path),
        read_options=arrow_csv.ReadOptions(column_names=names, skip_rows=1 if is_salmon else 0),
        parse_options=arrow_csv.ParseOptions(delimiter="\t"),
        convert_options=arrow_csv.ConvertOptions(
            column_types={"c0": pa.string(), names[place]: pa.float64()},
            include_columns=["c0", names[place]],
        ),
    )
    if not is_salmon:
        found = found.filter(compute.invert(compute.match_substring_regex(found["c0"], "^N_")))
    return found["c0"].combine_chunks(), found[names[place]].to_numpy()


def _name(path: Path) -> str:
    """The sample's name: what stands before the file's own name, or the folder it lies in."""
    before = path.name.removesuffix(_STAR).rstrip("._-") if path.name != _SALMON else ""
    return before or path.parent.name
