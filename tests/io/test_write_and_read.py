"""What our writers write, our readers read back: odd names, blanks and single columns included."""

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from inffs._utils.files import new_file
from inffs.io import Table, read_table, write_table
from inffs.io._dialect import MISSING_NUMBER

SIGNS = st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=("Cs",))
NAME = st.text(SIGNS, min_size=1, max_size=8)
# text that is neither a number nor a mark of a missing value in any format
TEXT = NAME.map(lambda text: f"{text}k").filter(lambda text: text not in MISSING_NUMBER)
NUMBER = st.floats(allow_nan=False, allow_infinity=False, width=64)
QUICK = settings(
    max_examples=40, deadline=None, derandomize=True, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
FEW = settings(QUICK, max_examples=6)  # where a process reads each


@st.composite
def tables(draw):
    """A table of few samples, its label and sample names under other names than its features."""
    n, T = draw(st.integers(1, 4)), draw(st.integers(2, 5))
    names = draw(st.lists(NAME, min_size=n + 2, max_size=n + 2, unique_by=str.strip))
    X = np.array(draw(st.lists(NUMBER, min_size=n * T, max_size=n * T))).reshape(T, n)
    labels, samples = (
        np.array(draw(st.lists(TEXT, min_size=T, max_size=T, unique=unique)), dtype=object)
        for unique in (False, True)
    )
    return Table(X, names[:n], labels, names[n], samples, names[n + 1])


def awkward(n=1):
    names = ["a", "it's", "=1+1\n", '"'][:n]
    labels = np.array(["it's", " b ", "it's"], dtype=object)
    samples = np.array([" s1", "s2 ", "007k"], dtype=object)
    return Table(np.arange(3.0 * n).reshape(3, n) + 0.5, names, labels, "the class", samples, "id")


def written(table, ending, folder, **options):
    path = folder / f"t{ending}"
    write_table(table, path, force=True)
    return read_table(path, **options)


def assert_same(found, table, names=True, index=True):
    X = found.X.toarray() if sparse.issparse(found.X) else found.X
    np.testing.assert_array_equal(X, table.X)
    assert list(found.y) == list(table.y)
    if names:
        assert found.names == table.names
    if index:
        assert list(found.index) == list(table.index)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv"])
@QUICK
@given(table=tables())
@example(table=awkward())
@example(table=awkward(4))
def test_text(ending, table, tmp_path):
    found = written(table, ending, tmp_path, label=table.label, index=table.index_name)
    assert_same(found, table)


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
@FEW
@given(table=tables())
@example(table=awkward())
@example(table=awkward(4))
def test_arrow(ending, table, tmp_path):
    found = written(table, ending, tmp_path, label=table.label, index=table.index_name)
    assert_same(found, table)


@QUICK
@given(table=tables())
@example(table=awkward())
@example(table=awkward(4))
def test_npz(table, tmp_path):
    assert_same(written(table, ".npz", tmp_path, label=table.label, index=table.index_name), table)


@pytest.mark.parametrize("n", [1, 4])
def test_sparse_npz_keeps_names_labels_and_samples(n, tmp_path):
    table = awkward(n)
    dense = table.X
    table.X = sparse.csc_matrix(dense)
    found = written(table, ".npz", tmp_path, label=table.label, index=table.index_name)
    assert sparse.issparse(found.X)
    table.X = dense
    assert_same(found, table)
    np.testing.assert_array_equal(sparse.load_npz(tmp_path / "t.npz").toarray(), dense)


@FEW
@given(table=tables())
@example(table=awkward())
@example(table=awkward(4))
def test_mat(table, tmp_path):
    table.label, table.index_name = "Y", "samples"
    found = written(table, ".mat", tmp_path, label="Y", index="samples")
    assert_same(found, table)


@pytest.mark.parametrize("ending", [".mat", ".npz"])
@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("label", ["X", "names", "columns", "samples", "Y"])
def test_a_label_named_as_a_key_of_the_format(label, n, ending, tmp_path):
    """With as many samples as features: sizes do not tell names from labels."""
    table = awkward(n)
    table.label, table.index_name = label, "samples"
    assert_same(written(table, ending, tmp_path, label=label), table, index=False)


@QUICK
@given(table=tables())
@example(table=awkward())
@example(table=awkward(4))
def test_arff(table, tmp_path):
    assert_same(written(table, ".arff", tmp_path, label=table.label), table, index=False)


def test_arff_as_scipy_reads_it(tmp_path):
    from scipy.io import arff

    X, names = np.arange(6.0).reshape(3, 2), ["a", "b"]
    write_table(Table(X, names, np.array(["x", "y", "x"])), tmp_path / "t.arff")
    data, meta = arff.loadarff(tmp_path / "t.arff")
    assert [name.strip("'") for name in meta.names()] == ["a", "b", "label"]
    np.testing.assert_array_equal(data[meta.names()[1]], X[:, 1])


def test_numbers_to_explain_stay_numbers_in_arff(tmp_path):
    table = Table(np.eye(3), ["a", "b", "c"], np.array([0.5, 1.25, np.pi]), "dose")
    assert_same(written(table, ".arff", tmp_path, label="dose"), table, index=False)


@QUICK
@given(table=tables())
@example(table=awkward())
def test_svmlight(table, tmp_path):
    """Features by their numbers, classes by their codes; what is zero throughout ends there."""
    table.X[0, -1] = 1.0
    codes = np.unique(table.y.astype(str), return_inverse=True)[1]
    table.y = codes
    found = written(table, ".svmlight", tmp_path, label="label")
    assert_same(found, table, names=False, index=False)


@FEW
@given(table=tables())
@example(table=awkward())
def test_h5ad(table, tmp_path):
    pytest.importorskip("anndata")
    table.names = [f"g{place}{name}" for place, name in enumerate(table.names)]
    table.label = "status"
    assert_same(written(table, ".h5ad", tmp_path, label="status"), table)


@pytest.mark.parametrize("n", [1, 4])
def test_npy(n, tmp_path):
    np.testing.assert_array_equal(written(awkward(n), ".npy", tmp_path).X, awkward(n).X)


@QUICK
@given(table=tables())
@example(table=awkward(4))
def test_samples_as_columns(table, tmp_path):
    table.turned = "feature"
    table.names = [f"{name}g" for name in table.names]
    found = written(table, ".csv", tmp_path, transpose=True, index="feature", label=table.label)
    assert_same(found, table)


def test_a_rename_that_fails_leaves_nothing_beside(tmp_path):
    """A folder stands where the file belongs."""
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(OSError), new_file(tmp_path / "t.csv", force=True) as beside:
        beside.write_text("a,b")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
