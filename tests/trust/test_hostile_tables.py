"""Damaged and hostile files: every reader answers with a table or one sentence."""

import contextlib
import functools
import io
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from inffs.io import read_table
from inffs.io._formats import FORMATS
from tests.forked import forking
from tests.io.make_files import write

ELSEWHERE = [f.endings[0] for f in FORMATS if f.isolated]
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
        assert len(text) < 6000
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
    with forking() if hasattr(os, "fork") else contextlib.nullcontext():
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


def path_with(path, content):
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("ending", "change", "said"),
    [
        (".csv", (b"ill", b"i\0l"), "holds zero bytes"),
        (".mtx", (b"1 1 2.0409", b"1 1 2.04\x009"), "holds zero bytes"),
        (".mtx", (b"1 1 2.0409", b"1 1 2.04x9"), "could not be read as Matrix Market"),
        (".gct", (b"gene 3", b"gene\x003"), "holds zero bytes"),
        ("_series_matrix.txt", (b"\n!series_matrix", b"\t!series_matrix"), "no line"),
        ("_series_matrix.txt", (b"_end\n", b"_end;"), "no line"),
        ("_series_matrix.txt", (b'gene 3"', b"gene 3 "), "quote that does not close"),
        (".arff", (b"'gene 3' NUMERIC", b"'gene 3' NUMERIK"), "@attribute of unknown type"),
        (".arff", (b"'gene 3' NUMERIC", b"'gene 3  NUMERIC"), "@attribute without name or type"),
    ],
)
def test_text_that_parsers_would_take_for_another_table(ending, change, said, tmp_path):
    path = write(ending, tmp_path)[0]
    assert change[0] in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(*change, 1))
    with pytest.raises(ValueError, match=said):
        read_table(path, encode="ordinal")


@pytest.mark.parametrize("ending", [".arff", ".svmlight", ".gct"])
def test_a_long_cell_is_not_repeated_in_the_message(ending, tmp_path):
    path = write(ending, tmp_path)[0]
    path.write_bytes(path.read_bytes().replace(b"2.0409", b"2.0409x" * 500, 1))
    with pytest.raises(ValueError, match="table") as caught:
        read_table(path)
    assert len(str(caught.value)) <= 500 + len(str(path))


@pytest.mark.parametrize("step", [100, 50_000_000, 2_000_000_000])
def test_text_that_ends_elsewhere(step, tmp_path):
    """An offset into the text of a Feather file, moved: a sentence of a length to be read."""
    import pyarrow as pa
    from pyarrow import feather

    texts = ["healthy", "ill"] * 40
    table = pa.table({"a": np.arange(80.0), "status": texts})
    feather.write_feather(table, str(tmp_path / "t.feather"), compression="uncompressed")
    content = (tmp_path / "t.feather").read_bytes()
    offsets = np.cumsum([0, *map(len, texts)]).astype(np.int32)
    at = content.index(offsets.tobytes())
    offsets[40] += step
    changed = content[:at] + offsets.tobytes() + content[at + offsets.nbytes :]
    with pytest.raises(ValueError) as caught:
        read_table(path_with(tmp_path / "u.feather", changed), label="status")
    assert len(str(caught.value)) < 1000


def test_hdf5_that_looks_into_other_files(tmp_path):
    h5py = pytest.importorskip("h5py")
    (tmp_path / "secret").write_bytes(bytes(800))
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file.create_dataset("X", (10, 10), "f8", external=[(str(tmp_path / "secret"), 0, 800)])
    with pytest.raises(ValueError, match="keeps X in another file"):
        read_table(tmp_path / "t.h5ad")


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


def test_nested_struct_beside_a_matrix_is_no_matter(tmp_path):
    from scipy.io import savemat

    struct_of_structs = {"a": {"b": {"c": np.arange(6.0), "text": "x"}}}
    savemat(tmp_path / "s.mat", {"X": np.eye(5), "more": struct_of_structs}, do_compression=True)
    assert read_table(tmp_path / "s.mat").X.shape == (5, 5)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a,b\n1,\0\0\n2,3\n", "holds zero bytes"),
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
        if source.name in ("process.py", "child.py"):  # pipes between our own processes
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


@pytest.mark.parametrize("ending", [".h5ad", ".loom"])
@pytest.mark.parametrize("compression", [None, "gzip"])
def test_hdf5_chunks_of_a_wrong_size(compression, ending, tmp_path):
    """HDF5 reads the rest of such a chunk out of its own memory, other values each time."""
    h5py = pytest.importorskip("h5py")
    key = "X" if ending == ".h5ad" else "matrix"
    with h5py.File(tmp_path / f"t{ending}", "w") as file:
        data = file.create_dataset(key, (10, 20), "f8", chunks=(10, 10), compression=compression)
        data[:] = np.arange(200.0).reshape(10, 20)
        mask = 0 if compression is None else 1
        data.id.write_direct_chunk((0, 10), bytes(400), filter_mask=mask)
    with pytest.raises(ValueError, match=rf"holds a part of {key} in a wrong size"):
        read_table(tmp_path / f"t{ending}")


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
