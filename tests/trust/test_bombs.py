"""Files that unpack to more than memory: every reader answers within bounds."""

import functools
import gzip
import io
import re
import struct
import zipfile
import zlib

import numpy as np
import pytest

from inffs.io import read_table
from tests.command import run_python
from tests.system import needs_limits

MAT = b"MATLAB 5.0 MAT-file".ljust(124, b"\0") + struct.pack("<H", 0x0100) + b"IM"
READ = """
import sys
from inffs.io import read_table
try:
    print("read", read_table(sys.argv[1], label=sys.argv[2] or None).shape)
except (ValueError, MemoryError) as error:
    print(type(error).__name__, error)
"""


def _bounded(path, gib=4, label=""):
    """Read the file in a process that may take so much memory; what it printed."""
    done = run_python(READ, [path, label], path.parent, AS=gib * 2**30)
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout


def npy_header(*shape):
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        out, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    return out.getvalue()


def test_zip_bomb(tmp_path):
    """Real zeros, packed once: 16 MiB of them, deflated, stand many times behind each other."""
    path, header, zeros, times = tmp_path / "bomb.npz", npy_header(1000, 209_715), bytes(2**24), 100
    pack = zlib.compressobj(wbits=-15)
    start, block = (pack.compress(each) + pack.flush(zlib.Z_FULL_FLUSH) for each in (header, zeros))
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("X.npy", start + block * times + pack.flush())
        (entry,) = packed.filelist  # as the directory at the end of the file will name it
        entry.compress_type, entry.file_size = zipfile.ZIP_DEFLATED, len(header) + times * 2**24
        entry.CRC = functools.reduce(lambda crc, _: zlib.crc32(zeros, crc), range(times),
                                     zlib.crc32(header))  # fmt: skip
    with zipfile.ZipFile(path) as packed, packed.open("X.npy") as part:
        assert part.read(len(header)) == header
        assert not any(part.read(2**10))
    assert path.stat().st_size < 2**24
    assert "unpacks to" in _bounded(path, gib=1)


def test_sparse_matrix_with_wild_indices(tmp_path):
    path = tmp_path / "wild.npz"
    parts = {"indptr": [0, 1, 2], "indices": [10**8, -5]}
    np.savez(
        path, data=np.ones(2), shape=np.array([2, 3]), format=np.array(b"csr"),
        **{key: np.array(value, dtype=np.int32) for key, value in parts.items()},
    )  # fmt: skip
    assert "damaged sparse matrix" in _bounded(path)


@pytest.mark.parametrize("ending", [".svmlight", ".npz"])
def test_billions_of_columns_in_a_few_bytes(ending, tmp_path):
    path = tmp_path / f"wide{ending}"
    if ending == ".svmlight":
        path.write_text("1 2000000000:1\n0 1:2\n")
    else:
        parts = {"indptr": [0, 1, 2], "indices": [0, 1], "shape": [2, 2 * 10**9]}
        np.savez(path, data=np.ones(2), format=np.array(b"csr"), **parts)
    assert "claims 2,000,000,000 columns" in _bounded(path)


def test_npz_whose_header_announces_more_than_the_archive_holds(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as packed:
        packed.writestr("X.npy", npy_header(10**5, 10**4) + bytes(80))
    assert "unpacks to more than" in _bounded(tmp_path / "t.npz", gib=1)


def test_svmlight_of_few_bytes_and_millions_of_columns(tmp_path):
    (tmp_path / "t.svmlight").write_text("1 19000000:1\n" + "0 1:1\n" * 10)
    assert "claims 19,000,000 columns" in _bounded(tmp_path / "t.svmlight", gib=1)


def test_h5ad_of_few_bytes_and_a_billion_columns(tmp_path):
    h5py = pytest.importorskip("h5py")
    pytest.importorskip("anndata")
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
        X = file.create_group("X")
        X.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0",
                        "shape": [3, 10**9]})  # fmt: skip
        X["data"], X["indices"], X["indptr"] = np.ones(1), np.array([5]), np.array([0, 1, 1, 1])
    assert "claims 1,000,000,000 columns" in _bounded(tmp_path / "t.h5ad")


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("#1.2\n1000000000\t1000000000\nName\tDescription\ta\n", "announces 1,000,000,000 rows"),
        ("#1.3\n1\t1\t900000000\t900000000\nid\tDescription\ta\n", "but holds 0 and 0"),
    ],
)
def test_gct_that_announces_too_much(head, said, tmp_path):
    (tmp_path / "t.gct").write_text(f"{head}x\ty\t1\n")
    assert said in _bounded(tmp_path / "t.gct", gib=1)


def test_array_larger_than_any_memory(tmp_path):
    path = tmp_path / "huge.npy"
    path.write_bytes(npy_header(10**9, 10**4) + bytes(80))
    assert _bounded(path).startswith(("MemoryError", "ValueError"))


def test_parquet_of_more_rows_than_memory(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "zeros.parquet"
    block = pa.table({"a": pa.array(np.zeros(10**7)), "b": pa.array(np.zeros(10**7))})
    with parquet.ParquetWriter(path, block.schema, compression="zstd") as out:
        for _ in range(8):
            out.write_table(block)
    assert path.stat().st_size < 2**22
    assert "unpacks to" in _bounded(path, gib=1)


@pytest.mark.parametrize("compression", ["zstd", "lz4", None])
@pytest.mark.parametrize("stream", [False, True])
def test_arrow_files_of_several_batches(compression, stream, tmp_path):
    import pyarrow as pa
    from pyarrow import ipc

    columns = {"a": np.zeros(5000), "b": np.arange(5000.0), "c": [None, "x" * 100] * 2500}
    table = pa.table({**columns, "d": pa.array(["u", "v"] * 2500).dictionary_encode()})
    path, begin = tmp_path / "t.feather", ipc.new_stream if stream else ipc.new_file
    options = ipc.IpcWriteOptions(compression=compression)
    with pa.OSFile(str(path), "wb") as file, begin(file, table.schema, options=options) as out:
        out.write_table(table, max_chunksize=1000)
    X = read_table(path, encode="ordinal", impute="median").X
    np.testing.assert_array_equal(X[:, 1], np.arange(5000.0))
    np.testing.assert_array_equal(X[:, 3], np.arange(5000) % 2)


def test_a_matrix_of_few_bytes_and_a_billion_columns(tmp_path):
    """Sizes are checked before anything is made of them."""
    for shape in ("2 1000000000", "1000000000 2"):
        start = "%%MatrixMarket matrix coordinate real general\n"
        (tmp_path / "t.mtx").write_text(f"{start}{shape} 1\n1 1 1.5\n")
        assert "claims 1,000,000,000" in _bounded(tmp_path / "t.mtx", gib=1)


@pytest.mark.parametrize("stream", [pytest.param(False, marks=pytest.mark.slow), True])
def test_arrow_bomb(stream, tmp_path):
    import pyarrow as pa
    from pyarrow import ipc

    path = tmp_path / "zeros.arrow"
    block = pa.table({name: pa.array(np.zeros(10**7)) for name in "ab"})
    options = ipc.IpcWriteOptions(compression="zstd")
    begin = ipc.new_stream if stream else ipc.new_file
    with pa.OSFile(str(path), "wb") as file, begin(file, block.schema, options=options) as out:
        for _ in range(14):
            out.write_table(block)
    assert path.stat().st_size < 2**22
    assert "unpacks to" in _bounded(path, gib=2)


def test_hdf5_bomb(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "zeros.h5ad"
    with h5py.File(path, "w") as file:  # declared, never written: a few kilobytes on disk
        shape, chunks = (10**6, 10**5), (1000, 1000)
        file.create_dataset("X", shape, "f8", chunks=chunks, compression="gzip")
    assert path.stat().st_size < 2**22
    assert "unpacks to" in _bounded(path)


def test_mat_bomb(tmp_path):
    size = 8 * 10**9  # declared in the tag of the compressed variable
    inner = struct.pack("<II", 14, size % 2**32) + bytes(2**20)
    (tmp_path / "bomb.mat").write_bytes(MAT + _element(15, zlib.compress(inner), padded=False))
    assert "could not be read as MAT" in _bounded(tmp_path / "bomb.mat", gib=3)


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ((20_000, 20_000), "ValueError .* unpacks to 3.0 GiB"),
        pytest.param((1, 1), "MemoryError .* unpacks to more", marks=needs_limits),
    ],
)
def test_mat_of_billions_of_zeros(shape, said, tmp_path):
    """Some megabytes deflated; the second declares one number and unpacks to as much."""
    size, zeros = 8 * 20_000**2, bytes(2**24)
    head = _element(6, struct.pack("<II", 6, 0)) + _element(5, struct.pack("<ii", *shape))
    head += _element(1, b"X") + struct.pack("<II", 9, size)
    pack = zlib.compressobj()
    start = pack.compress(struct.pack("<II", 14, len(head) + size) + head)
    parts = [start + pack.flush(zlib.Z_FULL_FLUSH)]
    parts += [pack.compress(zeros) + pack.flush(zlib.Z_FULL_FLUSH)] * (size // 2**24)
    parts += [pack.compress(bytes(size % 2**24)) + pack.flush(zlib.Z_FULL_FLUSH)]
    (tmp_path / "t.mat").write_bytes(MAT + _element(15, b"".join(parts), padded=False))
    assert (tmp_path / "t.mat").stat().st_size < 2**22
    assert re.match(said, _bounded(tmp_path / "t.mat", gib=1))


@pytest.mark.slow
def test_gzip_bomb_behind_a_harmless_start(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    start = "".join(f"{a},{a * 7919 % 10007}\n" for a in range(40_000))
    with gzip.open(path, "wb", compresslevel=6) as out:
        out.write(b"a,b\n" + start.encode())
        for _ in range(140):
            out.write(b"1,2\n3,4\n" * 2**21)
    assert "unpacks to" in _bounded(path, gib=2)


def _element(kind, content, padded=True):
    padding = bytes(-len(content) % 8) if padded else b""
    return struct.pack("<II", kind, len(content)) + content + padding


def nested_cells(depth):
    """A MAT file of one variable: cells inside each other."""
    start = _element(6, struct.pack("<II", 1, 0)) + _element(5, struct.pack("<ii", 1, 1))
    number = start.replace(struct.pack("<II", 1, 0), struct.pack("<II", 6, 0))
    inner = _element(14, number + _element(1, b"") + _element(9, struct.pack("<d", 1.0)))
    shells, size = [], len(inner)
    for level in range(depth):
        head = start + _element(1, b"deep" if level == depth - 1 else b"")
        shells.append(struct.pack("<II", 14, len(head) + size) + head)
        size += len(head) + 8
    return MAT + b"".join(reversed(shells)) + inner


@pytest.mark.parametrize(
    ("depth", "said"),
    [(20, "no matrix of numbers"), (50_000, "could not be read as MAT (its reader crashed)")],
)
def test_nested_cells(depth, said, tmp_path):
    path = tmp_path / "nested.mat"
    path.write_bytes(nested_cells(depth))
    assert said in _bounded(path)


def test_zero_bytes_in_a_matrix_market_file(tmp_path):
    """They crash SciPy's reader."""
    entries = "".join(f"{i} {j} 1.5\n" for i in range(1, 9) for j in range(1, 20))
    text = f"%%MatrixMarket matrix coordinate real general\n8 30 152\n{entries}".encode()
    (tmp_path / "t.mtx").write_bytes(text[:60] + bytes(9) + text[60:])
    assert "holds zero bytes" in _bounded(tmp_path / "t.mtx")


@pytest.mark.slow
def test_a_million_columns_declared(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{j}" for j in range(10**6)) + "\n")
    assert "ValueError" in _bounded(path)


def test_hdf5_groups_inside_themselves(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file["X"] = np.eye(4)
        group = file.create_group("uns")
        group["loop"] = group
    assert _bounded(tmp_path / "t.h5ad").startswith(("read (4, 4)", "ValueError"))


@pytest.mark.slow
def test_parquet_of_one_value_many_times(tmp_path):
    """A file of some kilobytes: 10^8 rows of one number."""
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "one.parquet"
    block = pa.table({"a": pa.array(np.zeros(10**8))})
    parquet.write_table(block, path, compression="zstd", row_group_size=10**8)
    assert path.stat().st_size < 2**20
    assert "unpacks to" in _bounded(path, gib=2)


@pytest.mark.slow
@needs_limits
def test_parquet_of_one_text_many_times(tmp_path):
    """4 GB of text, one value in the dictionary: refused as text, within the memory."""
    import pyarrow as pa
    from pyarrow import parquet

    rows, text = 40_000, "x" * 100_000
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([text]))
    table = pa.table({"a": np.arange(rows, dtype=float), "t": column})
    parquet.write_table(table, tmp_path / "t.parquet", store_schema=False)
    assert (tmp_path / "t.parquet").stat().st_size < 2**22
    assert "unpacks to" in _bounded(tmp_path / "t.parquet", gib=2)


@needs_limits
def test_parquet_of_prefixes(tmp_path):
    """Every value repeats the one before: megabytes of text for two stored bytes."""
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({"a": np.arange(100.0), "t": ["x" * 200_000] * 100})
    encoding = {"a": "PLAIN", "t": "DELTA_BYTE_ARRAY"}
    with parquet.ParquetWriter(
        tmp_path / "t.parquet", table.schema, use_dictionary=False, column_encoding=encoding
    ) as out:
        for _ in range(60):
            out.write_table(table)
    assert (tmp_path / "t.parquet").stat().st_size < 2**22
    said = _bounded(tmp_path / "t.parquet", gib=2)
    assert "unpacks to" in said


@pytest.mark.parametrize("kind", ["dictionary", pytest.param("view", marks=pytest.mark.slow)])
def test_arrow_label_of_one_text_many_times(kind, tmp_path):
    import pyarrow as pa
    from pyarrow import feather

    rows, text = 100_000, "x" * 200_000
    y = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([text]))
    if kind == "view":
        if not hasattr(pa, "string_view"):
            pytest.skip("this pyarrow has no views")
        views = np.tile(pa.array([text]).cast(pa.string_view()).buffers()[1], rows)
        buffers = [None, pa.py_buffer(views), pa.array([text]).buffers()[2]]
        y = pa.Array.from_buffers(pa.string_view(), rows, buffers)
    table = pa.table({"a": np.arange(rows, dtype=float), "y": y})
    feather.write_feather(table, str(tmp_path / "t.feather"), compression="zstd")
    assert (tmp_path / "t.feather").stat().st_size < 2**23
    said = _bounded(tmp_path / "t.feather", gib=2, label="y")
    assert "text of 200,000 characters" in said
