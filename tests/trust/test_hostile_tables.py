"""Damaged and hostile files: every reader answers with a table or one sentence, within bounds."""

import functools
import gzip
import io
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from inffs.tables import read_table
from inffs.tables._arrow_size import unpacked_size
from inffs.tables._formats import FORMATS
from tests.system import limited
from tests.tables.make_files import write

ELSEWHERE = [f.endings[0] for f in FORMATS if f.isolated or f.name == "MAT"]
HERE = [f.endings[0] for f in FORMATS if f.endings[0] not in ELSEWHERE]


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """The bytes of a good file of a format."""
    folder = tmp_path_factory.mktemp("good")
    return functools.cache(lambda ending: write(ending, folder)[0].read_bytes())


def damaged(content, how, where, fill):
    """The bytes with one kind of damage at a relative place."""
    at = int(where * len(content))
    if how == "cut":
        return content[:at]
    if how == "overwrite":
        return content[:at] + fill + content[at + len(fill) :]
    if how == "insert":
        return content[:at] + fill + content[at:]
    if how == "repeat":
        return content[:at] + content[at // 2 :]
    return content[:at] + content[at + len(fill) :]


damages = st.tuples(
    st.sampled_from(["cut", "overwrite", "insert", "repeat", "remove"]),
    st.floats(0, 1),
    st.one_of(
        st.binary(min_size=1, max_size=24),
        st.sampled_from([b"\0" * 9, b"\xff\xfe", b"9" * 40, b"\xff" * 8, b'"', b"\n\n", b",,"]),
    ),
)


def read_or_sentence(path):
    try:
        table = read_table(path, encode="ordinal", impute="median")
    except (ValueError, MemoryError) as error:
        text = str(error)
        if isinstance(error, ValueError) and ("\n" in text or not text.endswith(".")):
            raise
        return
    assert table.X.shape[1] == len(table.names)


REPEATABLE = {
    "deadline": None, "database": None, "derandomize": True,
    "suppress_health_check": list(HealthCheck),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ending", HERE)
@settings(max_examples=25, **REPEATABLE)
@given(harm=st.lists(damages, min_size=1, max_size=3))
@example(harm=[("cut", 0.0, b" ")])
@example(harm=[("cut", 0.5, b" ")])
@example(harm=[("cut", 0.99, b" ")])
@example(harm=[("overwrite", 0.0, bytes(8))])
def test_damaged_file(ending, harm, original, tmp_path):
    read_damaged(ending, harm, original, tmp_path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ending", ELSEWHERE)
@settings(max_examples=3, **REPEATABLE)
@given(harm=st.lists(damages, min_size=1, max_size=3))
@example(harm=[("cut", 0.5, b" ")])
def test_damaged_file_of_a_reader_with_a_process_of_its_own(ending, harm, original, tmp_path):
    read_damaged(ending, harm, original, tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ending", ELSEWHERE)
@settings(max_examples=60, **REPEATABLE)
@given(harm=st.lists(damages, min_size=1, max_size=3))
def test_much_damage_to_them(ending, harm, original, tmp_path):
    read_damaged(ending, harm, original, tmp_path)


def read_damaged(ending, harm, original, tmp_path):
    content = original(ending)
    for how, where, fill in harm:
        content = damaged(content, how, where, fill)
    path = tmp_path / f"damaged{ending}"
    path.write_bytes(content)
    read_or_sentence(path)


def _bounded(path, gib=4, label=None):
    """Read the file in a process of its own that may take so much memory; what it printed."""
    code = (
        "import sys\nfrom inffs.tables import read_table\n"
        f"try:\n    print('read', read_table(sys.argv[1], label={label!r}).shape)\n"
        "except (ValueError, MemoryError) as error:\n    print(type(error).__name__, error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=240,
        preexec_fn=limited(AS=gib * 2**30),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout


def npy_header(*shape):
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        out, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    return out.getvalue()


def test_zip_bomb(tmp_path):
    path = tmp_path / "bomb.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed,
        packed.open("X.npy", "w", force_zip64=True) as part,
    ):
        part.write(npy_header(1000, 419_430))
        for _ in range(200):
            part.write(bytes(2**24))
    assert path.stat().st_size < 2**24
    assert "unpacks to" in _bounded(path, gib=2)


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
        for _ in range(20):
            out.write_table(block)
    assert path.stat().st_size < 2**22
    assert "unpacks to" in _bounded(path, gib=2)


@pytest.mark.parametrize("compression", ["zstd", "lz4", "uncompressed"])
@pytest.mark.parametrize("stream", [False, True])
def test_size_of_an_arrow_file_is_known_before_it_is_read(compression, stream, tmp_path):
    import pyarrow as pa
    from pyarrow import feather, ipc

    columns = {"a": np.zeros(5000), "b": np.arange(5000.0), "c": [None, "x" * 100] * 2500}
    table = pa.table({**columns, "d": pa.array(["u", "v"] * 2500).dictionary_encode()})
    path = tmp_path / "t.feather"
    if stream:
        packed = None if compression == "uncompressed" else compression
        options = ipc.IpcWriteOptions(compression=packed)
        with (
            pa.OSFile(str(path), "wb") as file,
            ipc.new_stream(file, table.schema, options=options) as out,
        ):
            out.write_table(table, max_chunksize=1000)
    else:
        feather.write_feather(table, str(path), compression=compression, chunksize=1000)
    held = table.nbytes
    least = 8 * 4 * 5000 if compression == "uncompressed" else 0.95 * held
    assert least <= unpacked_size(path) <= 1.2 * held
    assert read_table(path, encode="ordinal", impute="median").X.shape == (5000, 4)


@pytest.mark.parametrize("stream", [False, True])
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


def test_hdf5_that_looks_into_other_files(tmp_path):
    h5py = pytest.importorskip("h5py")
    (tmp_path / "secret").write_bytes(bytes(800))
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file.create_dataset("X", (10, 10), "f8", external=[(str(tmp_path / "secret"), 0, 800)])
    with pytest.raises(ValueError, match="keeps X in another file"):
        read_table(tmp_path / "t.h5ad")


def test_mat_bomb(tmp_path):
    from zlib import compress

    size = 8 * 10**9  # declared in the tag of the compressed variable
    inner = struct.pack("<II", 14, size % 2**32) + bytes(2**20)
    packed = compress(inner)
    header = b"MATLAB 5.0 MAT-file".ljust(124, b"\0") + struct.pack("<H", 0x0100) + b"IM"
    path = tmp_path / "bomb.mat"
    path.write_bytes(header + struct.pack("<II", 15, len(packed)) + packed)
    assert "unpacks to" in _bounded(path, gib=3)


@pytest.mark.slow
def test_gzip_bomb_behind_a_harmless_start(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    start = "".join(f"{a},{a * 7919 % 10007}\n" for a in range(40_000))
    with gzip.open(path, "wb", compresslevel=6) as out:
        out.write(b"a,b\n" + start.encode())
        for _ in range(140):
            out.write(b"1,2\n3,4\n" * 2**21)
    assert "unpacks to" in _bounded(path, gib=2)


def small_mat(packed):
    """The bytes of a MAT file with numbers, texts and a struct."""
    from scipy.io import savemat

    out = io.BytesIO()
    labels = np.array([["a"], ["b"]] * 3, dtype=object)
    stored = {"X": np.arange(24.0).reshape(6, 4), "Y": labels, "s": {"a": {"b": 1.0}}}
    savemat(out, stored, do_compression=packed)
    return out.getvalue()


def assert_mat_is_answered(content, at, value, path):
    """In this process: one that dies takes the test run with it."""
    path.write_bytes(content[:at] + bytes([value]) + content[at + 1 :])
    read_or_sentence(path)


@pytest.mark.parametrize(("at", "value"), [(177, 217), (529, 240), (585, 218), (641, 206)])
def test_one_byte_that_kills_a_reader(at, value, tmp_path):
    assert_mat_is_answered(small_mat(packed=False), at, value, tmp_path / "t.mat")


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("part", range(5))
def test_thirty_single_bytes_of_a_mat_file(packed, part, tmp_path):
    rng = np.random.default_rng([part, packed])
    content = small_mat(packed)
    for _ in range(30):
        at, value = rng.integers(len(content)), rng.integers(256)
        assert_mat_is_answered(content, at, value, tmp_path / "t.mat")


def _element(kind, content):
    return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 8)


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
    header = b"MATLAB 5.0 MAT-file".ljust(124, b"\0") + struct.pack("<H", 0x0100) + b"IM"
    return header + b"".join(reversed(shells)) + inner


@pytest.mark.parametrize(("depth", "said"), [(20, "no matrix of numbers"), (50_000, "100 deep")])
def test_nested_cells(depth, said, tmp_path):
    path = tmp_path / "nested.mat"
    path.write_bytes(nested_cells(depth))
    assert said in _bounded(path)


def test_zero_bytes_in_a_matrix_market_file(tmp_path):
    """They crash SciPy's reader."""
    entries = "".join(f"{i} {j} 1.5\n" for i in range(1, 9) for j in range(1, 20))
    text = f"%%MatrixMarket matrix coordinate real general\n8 30 152\n{entries}".encode()
    (tmp_path / "t.mtx").write_bytes(text[:60] + bytes(9) + text[60:])
    assert "its reader crashed" in _bounded(tmp_path / "t.mtx")


def test_nested_struct_beside_a_matrix_is_no_matter(tmp_path):
    from scipy.io import savemat

    struct_of_structs = {"a": {"b": {"c": np.arange(6.0), "text": "x"}}}
    savemat(tmp_path / "s.mat", {"X": np.eye(5), "more": struct_of_structs}, do_compression=True)
    assert read_table(tmp_path / "s.mat").X.shape == (5, 5)


@pytest.mark.slow
def test_a_million_columns_declared(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{j}" for j in range(10**6)) + "\n")
    assert "ValueError" in _bounded(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a,b\n1,\0\0\n2,3\n", "not numeric"),
        (b"a,b\n1,2\n2,\xff\xfe\n", "not"),
        (b"a,\xff\n1,2\n2,5\n", "not UTF-8"),
        (b'a,b\n1,"2\n' + b"3,4\n" * 1000, "not numeric"),
        (b'a,b\n1,"' + b"x" * 10**6 + b'"\n2,3\n', "not numeric"),
        (b"\0" * 1000, "wide.csv"),
    ],
)
def test_strange_text(content, said, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=said):
        read_table(path)


class Exploding:
    """Unpickling it leaves a mark on the disk."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return (Path.touch, (Path(self.mark),))


@pytest.mark.parametrize("ending", [".npy", ".npz"])
def test_no_pickle_is_ever_opened(ending, tmp_path):
    mark = tmp_path / "opened"
    loaded = np.array([[Exploding(mark)]], dtype=object)
    path = tmp_path / f"pickled{ending}"
    if ending == ".npy":
        np.save(path, loaded, allow_pickle=True)
    else:
        np.savez(path, X=loaded)
    with pytest.raises(ValueError, match="pickled"):
        read_table(path)
    if ending == ".npy":
        from inffs import open_table

        with pytest.raises(ValueError):
            open_table(path)
    assert not mark.exists()


def test_no_code_of_ours_unpickles():
    import inffs

    root = Path(inffs.__file__).parent
    for source in root.rglob("*.py"):
        if source.name in ("worker.py", "child.py"):  # pipes between our own processes
            continue
        text = source.read_text(encoding="utf-8")
        for word in ("allow_pickle=True", "pickle.load", "joblib.load", "read_pickle", "eval("):
            found = [line for line in text.splitlines() if word in line]
            assert not [line for line in found if "literal_eval" not in line], (source.name, word)


@pytest.mark.parametrize("kind", ["external", "soft", "group"])
def test_hdf5_links_are_not_followed(kind, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["X"] = np.arange(100.0).reshape(10, 10)
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        if kind == "external":
            file["X"] = h5py.ExternalLink(str(tmp_path / "secret.h5"), "/X")
        elif kind == "soft":
            file["X"] = h5py.SoftLink("/elsewhere")
        else:
            file["X"] = np.eye(10)
            file.create_group("uns")["inner"] = h5py.ExternalLink("secret.h5", "/")
    with pytest.raises(ValueError, match=r"t\.h5ad .*(link|another file)"):
        read_table(tmp_path / "t.h5ad")


def test_hdf5_groups_inside_themselves(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file["X"] = np.eye(4)
        group = file.create_group("uns")
        group["loop"] = group
    assert _bounded(tmp_path / "t.h5ad").startswith(("read (4, 4)", "ValueError"))


def test_parquet_of_one_value_many_times(tmp_path):
    """A file of some kilobytes: 10^8 rows of one number."""
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "one.parquet"
    block = pa.table({"a": pa.array(np.zeros(10**8))})
    parquet.write_table(block, path, compression="zstd", row_group_size=10**8)
    assert path.stat().st_size < 2**20
    assert "unpacks to" in _bounded(path, gib=2)


def test_parquet_of_one_text_many_times(tmp_path):
    """20 GB of text, one value in the dictionary: refused as text, within the memory."""
    import pyarrow as pa
    from pyarrow import parquet

    rows, text = 200_000, "x" * 100_000
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([text]))
    table = pa.table({"a": np.arange(rows, dtype=float), "t": column})
    parquet.write_table(table, tmp_path / "t.parquet", store_schema=False)
    assert (tmp_path / "t.parquet").stat().st_size < 2**22
    assert "1 different value" in _bounded(tmp_path / "t.parquet", gib=2)


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


@pytest.mark.parametrize("kind", ["dictionary", "view"])
def test_arrow_label_of_one_text_many_times(kind, tmp_path):
    import pyarrow as pa
    from pyarrow import feather

    rows, text = 100_000, "x" * 200_000
    y = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([text]))
    if kind == "view":
        views = np.tile(pa.array([text]).cast(pa.string_view()).buffers()[1], rows)
        buffers = [None, pa.py_buffer(views), pa.array([text]).buffers()[2]]
        y = pa.Array.from_buffers(pa.string_view(), rows, buffers)
    table = pa.table({"a": np.arange(rows, dtype=float), "y": y})
    feather.write_feather(table, str(tmp_path / "t.feather"), compression="zstd")
    assert (tmp_path / "t.feather").stat().st_size < 2**23
    said = _bounded(tmp_path / "t.feather", gib=2, label="y")
    assert "text of 200,000 characters" in said


def test_nested_columns_are_refused_unread(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"a": [1.0, 2.0], "l": [[1, 2], [3]]}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"Column 'l' .*list"):
        read_table(tmp_path / "t.parquet")


def test_a_damaged_file_says_little(tmp_path):
    """What a library says about damaged bytes may be half a megabyte long."""
    import pyarrow as pa
    from pyarrow import feather

    feather.write_feather(pa.table({"a" * 300_000: np.arange(9.0)}), str(tmp_path / "t.feather"))
    content = bytearray((tmp_path / "t.feather").read_bytes())
    for place in range(8, len(content), 997):
        content[place] ^= 0xFF
    (tmp_path / "t.feather").write_bytes(content)
    with pytest.raises(ValueError) as caught:
        read_table(tmp_path / "t.feather")
    assert len(str(caught.value)) < 1000
