"""Thousands of damaged files per format: a sentence, or the table that the bytes hold.

The readers run as in use, in processes of their own with their limits; these are forks.
"""

import contextlib
import csv
import functools
import gzip
import importlib
import os
import re
from collections import Counter

import numpy as np
import pytest

from inffs import open_table
from inffs._utils import child
from inffs.io import Table, write_table
from inffs.io._dialect import MISSING, MISSING_NUMBER
from inffs.io._formats import FORMATS
from inffs.io._read import _read_sheet
from tests.forked import forking
from tests.io.make_files import NAMES, write
from tests.system import needs_fork

MUTANTS = int(os.environ.get("INFFS_MUTANTS", "3000"))
BINARY = [
    ".feather", ".parquet", ".npz", ".npy", ".mat", ".h5ad", ".loom", ".xlsx", ".rds", ".rda",
    ".dta", ".sav", ".xpt",
]  # fmt: skip
TEXT = [
    ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".arff", ".svmlight", ".mtx", "_series_matrix.txt",
    ".gct",
]  # fmt: skip
ENDS = ("sentence", "same table", "right table")
CHECKED = (".xlsx", ".rds", ".rda")  # their containers hold checksums of every byte

pytestmark = [needs_fork, pytest.mark.filterwarnings("ignore")]


def bytes_changed(content, rng):
    """The file with one to four bytes, or one number of 4 or 8 bytes, changed."""
    content = bytearray(content)
    if rng.random() < 0.5:
        for _ in range(rng.integers(1, 5)):
            content[rng.integers(len(content))] = rng.integers(256)
        return bytes(content)
    size = int(rng.choice([4, 8]))
    at = int(rng.integers(max(1, len(content) - size))) // 4 * 4
    old = int.from_bytes(content[at : at + size], "little")
    step = int(rng.choice([1, -1, 100, 50_000_000, 2_000_000_000, -(2**31), 2**40]))
    content[at : at + size] = ((old + step) % 2 ** (8 * size)).to_bytes(size, "little")
    return bytes(content)


def columns_of(path):
    """All that our reader finds in a file: names, and columns as numbers or text."""
    sheet = _read_sheet(path)
    found = [(name, sheet.column(place)) for place, name in enumerate(sheet.names)]
    found += sheet.beside.items()
    if sheet.index is not None:
        found.append(("index", sheet.index))
    return [(name, plain(values)) for name, values in found]


def plain(values):
    """Numbers as floats, all else as text, what is missing as None: equal where values are."""
    values = np.ravel(np.asarray(values))
    if values.dtype.kind in "biuf":
        return values.astype(np.float64).tobytes()
    cells = (each.decode() if isinstance(each, bytes) else each for each in values.tolist())
    return tuple(None if each is None or each != each else str(each) for each in cells)


def of_frame(frame):
    return [(str(name), plain(frame[name].to_numpy())) for name in frame.columns]


def by_pandas(path):
    import pandas as pd

    return of_frame(pd.read_stata(path))


def by_pyarrow(module, path):
    """Without the metadata of pandas, which may be damaged while the table is not."""
    read = importlib.import_module(f"pyarrow.{module}")
    table = read.ParquetFile(path).read() if module == "parquet" else read.read_table(str(path))
    return [(name, plain(column.to_numpy()))
            for name, column in zip(table.column_names, table.columns, strict=True)]  # fmt: skip


def by_pyreadstat(read, path):
    import pyreadstat

    return of_frame(getattr(pyreadstat, read)(path)[0])


def by_numpy(path):
    X = np.load(path)
    return [(f"x{place}", plain(column)) for place, column in enumerate(X.T)]


def by_numpy_parts(path):
    stored = np.load(path)
    names = stored.get("feature_names", [f"x{place}" for place in range(stored["X"].shape[1])])
    columns = [
        (str(name), plain(column)) for name, column in zip(names, stored["X"].T, strict=True)
    ]
    others = [key for key in stored if key not in ("feature_names", "X")]
    return columns + [
        (key, plain(stored[key])) for key in others if len(stored[key]) == len(stored["X"])
    ]


def by_scipy(path):
    from scipy.io import loadmat

    stored = {key: value for key, value in loadmat(path).items() if not key.startswith("__")}
    X = stored.pop("X" if "X" in stored else max(stored, key=lambda key: stored[key].size))
    columns = [(f"x{place}", plain(column)) for place, column in enumerate(X.T)]
    return columns + [(key, plain(value)) for key, value in stored.items() if value.size == len(X)]


def by_h5py(path):
    """The values of a loom file; features without names are numbered."""
    import h5py

    with h5py.File(path) as file:
        X = file["matrix"][()]
        genes, cells = ({name: plain(item.asstr()[()])
                         for name, item in file.get(group, {}).items() if hasattr(item, "asstr")}
                        for group in ("row_attrs", "col_attrs"))  # fmt: skip
    names = genes.get("Gene", [f"x{place}" for place in range(len(X))])
    if "CellID" in cells:
        cells["index"] = cells.pop("CellID")
    known = [(name, values) for name, values in cells.items() if len(values) == X.shape[1]]
    return [(name, plain(row)) for name, row in zip(names, X, strict=True)] + known


def by_h5py_cells(path):
    """The values of an AnnData file, by its documented layout."""
    import h5py
    from scipy import sparse

    with h5py.File(path) as file:
        parts = [file[f"X/{key}"][()] for key in ("data", "indices", "indptr")]
        X = sparse.csr_matrix(tuple(parts), shape=tuple(file["X"].attrs["shape"])).toarray()
        names = file[f"var/{file['var'].attrs['_index']}"].asstr()[()]
        cells = file[f"obs/{file['obs'].attrs['_index']}"].asstr()[()]
        kinds, codes = file["obs/status/categories"].asstr()[()], file["obs/status/codes"][()]
    columns = [(name, plain(column)) for name, column in zip(names, X.T, strict=True)]
    status = np.array([kinds[code] if code >= 0 else None for code in codes], dtype=object)
    return [*columns, ("status", plain(status)), ("index", plain(cells))]


def by_csv(sign, path):
    """Rows of a text file by the csv module; remarks of another length are no rows."""
    content = path.read_bytes()
    content = gzip.decompress(content) if path.suffix == ".gz" else content
    rows = [row for row in csv.reader(content.decode().split("\n"), delimiter=sign) if row]
    return by_rows(row for row in rows if len(row) == len(rows[0]) or row[0][:1] != "#")


def by_rows(rows):
    """Columns of rows of text, the first with their names, or as R with one name less."""
    head, *cells = rows
    head = ["", *head] if cells and len(cells[0]) == len(head) + 1 else head
    columns = zip(*cells, strict=True)
    return [(name, plain(guessed(column))) for name, column in zip(head, columns, strict=True)]


def by_turned_rows(rows, about=()):
    """The same where samples are columns; ``about`` are rows that describe the samples."""
    columns = list(zip(*rows, strict=True))
    (_, *samples), *_ = zip(*columns, strict=True)
    known = [(name, plain(guessed(cells))) for name, *cells in about]
    return [*by_rows(columns)[1:], *known, ("index", plain(samples))]


def guessed(cells):
    """Numbers where every cell is one or missing, else text: float reads more than numbers."""
    try:
        if not all(re.fullmatch(r"[\t -^`-~]*", cell) for cell in cells):
            raise ValueError
        return np.array([np.nan if cell.strip() in MISSING_NUMBER else float(cell)
                         for cell in cells])  # fmt: skip
    except ValueError:
        return np.array([None if cell in MISSING else cell for cell in cells], dtype=object)


def by_lines_of_arff(path):
    lines = [line for line in path.read_text(errors="replace").split("\n") if line.strip()]
    begin = [line.strip().lower() for line in lines].index("@data")
    words = [re.match(r"\S+\s+('[^']*'|[^\s{]+)\s*(.*)", line).groups() for line in lines[1:begin]]
    rows = [line.split(",") for line in lines[begin + 1 :] if line[0] != "%"]
    found = []
    for (name, kind), cells in zip(words, zip(*rows, strict=True), strict=True):
        cells = np.array([None if each in ("?", "") else each.strip() for each in cells])
        is_number = kind.split()[0].lower() in ("numeric", "real", "integer")
        found.append((name.strip("'"), plain(cells.astype(float) if is_number else cells)))
    return found


def by_lines_of_svmlight(path):
    rows = [
        row for line in path.read_bytes().splitlines() if (row := line.partition(b"#")[0].split())
    ]
    cells = [(i, *map(float, cell.split(b":"))) for i, row in enumerate(rows) for cell in row[1:]]
    X = np.zeros((len(rows), 1 + max(int(at) for _, at, _ in cells)))
    for i, at, value in cells:
        X[i, int(at)] = value
    first = int(X.shape[1] > 1 and not any(at == 0 for _, at, _ in cells))
    columns = [(str(at), plain(X[:, at])) for at in range(first, X.shape[1])]
    return [*columns, ("label", plain(np.array([float(row[0]) for row in rows])))]


def by_lines_of_market(path):
    lines = [line for line in path.read_text().split("\n") if not line.startswith("%")]
    sizes, *entries = [line.split() for line in lines if line.strip()]
    X = np.zeros((int(sizes[0]), int(sizes[1])))
    for i, j, value in entries:
        X[int(i) - 1, int(j) - 1] += float(value)
    barcodes = path.with_name("barcodes.tsv").read_text().split()
    return [(name, plain(row)) for name, row in zip(NAMES, X, strict=True)] + [
        ("index", plain(barcodes))
    ]


def by_lines_of_series(path):
    lines = path.read_text(errors="replace").rstrip("\n").split("\n")
    lines = [next(csv.reader([line], delimiter="\t"), [""]) for line in lines]
    begin, end = (lines.index([f"!series_matrix_table_{word}"]) for word in ("begin", "end"))
    known = {}
    for name, *cells in (line for line in lines[:begin] if line[0].startswith("!Sample_")):
        if not name.startswith("!Sample_characteristics"):
            known[name.removeprefix("!Sample_")] = cells
            continue
        for place, (tag, colon, value) in enumerate(cell.partition(": ") for cell in cells):
            if colon:
                known.setdefault(tag, [""] * len(cells))[place] = value
    n = len(lines[begin + 1])
    about = [[name, *cells] for name, cells in known.items() if len(cells) == n - 1]
    return by_turned_rows(lines[begin + 1 : end], about)


def by_lines_of_gct(path):
    text = path.read_text(errors="replace").rstrip("\n")
    lines = [line.split("\t") for line in text.split("\n")]
    return by_turned_rows([lines[2], *lines[4:]], [lines[3]])


BY_OTHERS = {
    ".csv": functools.partial(by_csv, ","),
    ".csv.gz": functools.partial(by_csv, ","),
    ".tsv": functools.partial(by_csv, "\t"),
    ".tsv.gz": functools.partial(by_csv, "\t"),
    ".arff": by_lines_of_arff,
    ".svmlight": by_lines_of_svmlight,
    ".mtx": by_lines_of_market,
    "_series_matrix.txt": by_lines_of_series,
    ".gct": by_lines_of_gct,
    ".feather": functools.partial(by_pyarrow, "feather"),
    ".parquet": functools.partial(by_pyarrow, "parquet"),
    ".dta": by_pandas,
    ".sav": functools.partial(by_pyreadstat, "read_sav"),
    ".xpt": functools.partial(by_pyreadstat, "read_xport"),
    ".npy": by_numpy,
    ".npz": by_numpy_parts,
    ".mat": by_scipy,
    ".loom": by_h5py,
    ".h5ad": by_h5py_cells,
}


def read_elsewhere(function, *arguments):
    """What a function of this module gives in a process of its own, or its error."""
    try:
        return child.run_isolated(__name__, function, arguments, {}, cpu_seconds=60)
    except Exception as error:
        return error


def other_columns(ending, path):
    return BY_OTHERS[ending](path)


def outcome(path, ending, whole):
    """How reading a damaged file ends; anything but a sentence and the right table is raised."""
    isolated = next(form.isolated for form in FORMATS if ending in form.endings)
    found = read_elsewhere("columns_of", path) if not isolated else None
    try:
        found = columns_of(path) if isolated else found
    except (ValueError, MemoryError) as error:
        found = error
    if isinstance(found, Exception):
        assert type(found) in (ValueError, MemoryError), repr(found)
        assert str(path) in str(found), repr(found)
        assert "its reader crashed" not in str(found) or isolated
        assert len(str(found)) <= 500 + len(str(path))
        return "sentence"
    if found == whole:
        return "same table"
    assert ending not in CHECKED
    other = read_elsewhere("other_columns", ending, path)
    if isinstance(other, Exception):
        return f"only ours: {type(other).__name__} {str(other)[:60]}"
    return "right table" if sorted(found) == sorted(other) else "other table"


def damage(ending, count, seed, folder):
    """Read so many damaged files of a format; how they ended."""
    for form in FORMATS:
        importlib.import_module(form.read.__module__)
    path = write(ending, folder)[0]
    content, rng, whole = path.read_bytes(), np.random.default_rng(seed), columns_of(path)
    ends = Counter()
    with forking():
        for number in range(count):
            path.write_bytes(bytes_changed(content, rng))
            end = outcome(path, ending, whole)
            ends[end] += 1
            assert end in ENDS, (number, end)
    return ends


@pytest.mark.slow
@pytest.mark.parametrize("ending", [*BINARY, *TEXT])
def test_three_thousand_damaged_files(ending, tmp_path):
    assert damage(ending, MUTANTS, 39, tmp_path).total() == MUTANTS


@pytest.mark.slow
def test_our_parquet_files_detect_damage(tmp_path, rng):
    """Pages carry checksums: values are as they were written, whatever happens to names."""
    X, path = rng.normal(size=(50, 4)), tmp_path / "t.parquet"
    write_table(Table(X, list("abcd"), np.array(["u", "v"] * 25), "y"), path)
    content = path.read_bytes()
    with forking():
        for _ in range(MUTANTS):
            path.write_bytes(bytes_changed(content, rng))
            with contextlib.suppress(ValueError, MemoryError):
                columns = [values for _, values in columns_of(path)]
                assert columns[:4] == [plain(column) for column in X.T]


def read_columns(path):
    return np.asarray(open_table(path)).shape


@pytest.mark.slow
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
def test_three_thousand_damaged_tables_on_disk(compression, tmp_path, rng):
    """``open_table`` reads in the process itself: no damage ends it."""
    import pandas as pd

    path = tmp_path / "t.parquet"
    table = pd.DataFrame(rng.normal(size=(30, 8))).add_prefix("x").assign(n=range(30))
    table.to_parquet(path, compression=compression)
    content = path.read_bytes()
    with forking():
        for _ in range(MUTANTS):
            path.write_bytes(bytes_changed(content, rng))
            found = read_elsewhere("read_columns", path)
            assert "crashed" not in str(found), found
