"""What comes in through the door: wrong forms get a sentence, right ones are left untouched."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from threadpoolctl import ThreadpoolController, threadpool_limits

from inffs import InfFS, InfFSS, InfFSU, catalogue, open_table, rank
from inffs._utils.threads import one_blas_thread
from inffs.methods import FisherScore
from tests.system import needs_fork, needs_root

LABELS = ["a", "b", None, "a", "b", "a"]


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: entry.key)
def test_unfitted_selectors_say_so(entry):
    for ask in ("transform", "inverse_transform"):
        with pytest.raises(NotFittedError):
            getattr(entry.estimator(), ask)(np.zeros((3, 2)))
    with pytest.raises(NotFittedError):
        entry.estimator().get_support()


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(LABELS, dtype="category"), pd.Categorical(LABELS), np.array(LABELS, dtype=object),
        pd.Series(LABELS, dtype="string"), pd.Series([0, 1, None, 0, 1, 0], dtype="Int64"),
        np.array([0, 1, np.nan, 0, 1, 0]),
    ],
    ids=["category", "Categorical", "object", "string", "Int64", "float"],
)  # fmt: skip
@pytest.mark.parametrize("fit", [FisherScore().fit, FisherScore().partial_fit, InfFS().fit])
def test_a_missing_label_is_named(fit, y, rng):
    with pytest.raises(ValueError, match="y contains NaN: row 2 has no label"):
        fit(rng.normal(size=(6, 3)), y)


@pytest.mark.parametrize("y", [[], np.array([]), pd.Series([], dtype=float)])
def test_empty_labels(y, rng):
    with pytest.raises(ValueError, match=r"\[6, 0\]"):
        FisherScore().fit(rng.normal(size=(6, 3)), y)


def test_bins_are_whole_numbers(rng):
    with pytest.raises(ValueError, match="'bins' parameter"):
        InfFSS(bins=2.7).fit(rng.normal(size=(6, 3)), [0, 1] * 3)


def parquet(frame, folder, name="X.parquet"):
    frame.to_parquet(folder / name)
    return open_table(folder / name)


def test_transform_of_a_table_on_disk_checks_its_columns(rng, tmp_path):
    frame = pd.DataFrame(rng.normal(size=(20, 4)), columns=list("abcd"))
    selector = InfFSU(n_features_to_select=2).fit(parquet(frame, tmp_path))
    kept = selector.transform(parquet(frame, tmp_path))
    np.testing.assert_array_equal(kept, frame.to_numpy()[:, selector.get_support()])
    with pytest.raises(ValueError, match="X has 3 features, but InfFSU is expecting 4"):
        selector.transform(parquet(frame[["a", "b", "c"]], tmp_path))
    with pytest.raises(ValueError, match="column 0 is 'b' here and was 'a' there"):
        selector.transform(parquet(frame[["b", "a", "c", "d"]], tmp_path))
    with pytest.raises(ValueError, match="column 3 is 'e' here and was 'd' there"):
        selector.transform(parquet(frame.rename(columns={"d": "e"}), tmp_path))
    np.save(tmp_path / "X.npy", frame.to_numpy())
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        selector.transform(open_table(tmp_path / "X.npy"))
    with pytest.raises(NotFittedError):
        InfFSU().transform(parquet(frame, tmp_path))


def test_names_of_a_table_that_is_read_whole(rng, tmp_path):
    frame = pd.DataFrame(rng.normal(size=(20, 4)), columns=list("abcd"))
    selector = rank(parquet(frame, tmp_path), method="laplacian", n_features_to_select=2)
    assert list(selector.feature_names_in_) == list("abcd")


def test_dask_transform_and_types(rng):
    da = pytest.importorskip("dask.array")
    X = rng.normal(size=(20, 4))
    selector = InfFSU(n_features_to_select=2).fit(da.from_array(X, chunks=(20, 2)))
    kept = selector.transform(da.from_array(X, chunks=(20, 2)))
    np.testing.assert_array_equal(kept, X[:, selector.get_support()])
    with pytest.raises(ValueError, match="X has 3 features"):
        selector.transform(da.from_array(X[:, :3], chunks=(20, 3)))
    with pytest.raises(ValueError, match=r"dask array is complex\. Complex data not supported"):
        InfFSU().fit(da.from_array(X + 1j, chunks=(20, 2)))
    with pytest.raises(ValueError, match="dask array has 1 dimension"):
        InfFSU().fit(da.from_array(X[:, 0], chunks=20))


def test_six_threads_on_one_matrix(rng):
    """SciPy sorts and adds up in place: nobody's work may show another thread half of it."""
    rows, columns = rng.integers(0, 60, 4000), rng.integers(0, 40, 4000)
    order = np.argsort(columns, kind="stable")
    ends = np.append(0, np.cumsum(np.bincount(columns, minlength=40)))
    X = sparse.csc_matrix((rng.normal(size=4000), rows[order], ends), shape=(60, 40))
    stored, y = X.nnz, np.arange(60) % 3

    def scores(X, key):
        return rank(X, y, method=key, n_features_to_select=5).scores_

    alone = {key: scores(X.copy(), key) for key in ("fisher", "inf-fs-s", "mi")}

    def fit(turn):
        key = list(alone)[turn % 3]
        np.testing.assert_array_equal(scores(X, key), alone[key])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(fit, range(60)))
    assert X.nnz == stored


def _blas_threads():
    blas = ThreadpoolController().select(user_api="blas")
    return max(library["num_threads"] for library in blas.info())


def _tell_threads(connection):
    with one_blas_thread():
        pass
    connection.send(_blas_threads())


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_forked_during_a_fit_has_its_threads_back():
    """Also where another thread of the parent held the lock at that moment."""
    ours, theirs = get_context("fork").Pipe(duplex=False)
    with threadpool_limits(2, user_api="blas"), one_blas_thread():
        assert _blas_threads() == 1
        child = get_context("fork").Process(target=_tell_threads, args=(theirs,))
        child.start()
        assert ours.poll(60)
        assert ours.recv() == 2
        child.join()
        assert _blas_threads() == 1


def test_a_chunk_that_was_refused_leaves_nothing(rng):
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 3
    selector = FisherScore()
    with pytest.raises(ValueError, match="label 2 was not announced"):
        selector.partial_fit(X, y, classes=[0, 1])
    selector.partial_fit(X, y, classes=[0, 1, 2])
    np.testing.assert_allclose(selector.scores_, FisherScore().fit(X, y).scores_, rtol=1e-12)


def test_chunks_are_asked_for_no_more_features_than_there_are(rng):
    X, y = rng.normal(size=(30, 12)), np.arange(30) % 3
    with pytest.raises(ValueError, match="n_features_to_select=99, but X has only 12 features"):
        FisherScore(n_features_to_select=99).partial_fit(X, y)
    with pytest.raises(ValueError, match="'fdr' needs the whole table, not chunks"):
        FisherScore(n_features_to_select="fdr").partial_fit(X, y)


FULL_DISK = """
import numpy as np, tempfile, sys
from inffs.graph import profiles
profiles.available_memory = lambda: 1000.0
tempfile.tempdir = sys.argv[1]
try:
    profiles.dense_profiles(np.random.default_rng(0).normal(size=(100, 20000)))
except OSError as error:
    print(error)
"""


@needs_root
def test_ranks_that_find_no_room_on_the_disk_are_told(tmp_path):
    """A mapped page that cannot be written kills the process; room is taken before."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path)])
    if mounted.returncode:
        pytest.skip("no tmpfs can be mounted here")
    try:
        words = [sys.executable, "-c", FULL_DISK, str(tmp_path)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        assert "has no room for them: let TMPDIR name a folder" in done.stdout
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
