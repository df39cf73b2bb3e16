"""The same numbers on a cluster: a real one of two worker processes."""

import os
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from inffs import InfFS, InfFSS, InfFSU
from inffs.methods import FisherScore
from inffs.relations import Decorrelation

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

from inffs.validation.dask_table import DaskTable  # noqa: E402
from tests.system import KILL  # noqa: E402


@pytest.fixture
def X(rng):
    X = rng.normal(size=(30, 240)) * rng.uniform(0.5, 2, 240)
    X[:, 100] = 3.0
    X[:, 200] = X[:, 3]
    return X


SELECTORS = [InfFSU(0.3), InfFSS(n_features_to_select=5), InfFS(Decorrelation("pearson", power=2))]


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_threads(selector, X):
    y = np.arange(30) % 2
    here = type(selector)(**selector.get_params()).fit(X, y)
    there = selector.fit(da.from_array(X, chunks=(30, 64)), y)
    np.testing.assert_allclose(there.scores_, here.scores_, rtol=1e-10)
    np.testing.assert_array_equal(there.order_, here.order_)


def test_data_frames_keep_their_names(X):
    frame = pd.DataFrame(X).add_prefix("gene")
    with pytest.warns(UserWarning, match="rechunked"):
        selector = InfFSU(n_features_to_select=2).fit(dd.from_pandas(frame, npartitions=3))
    here = InfFSU(n_features_to_select=2).fit(frame)
    assert list(selector.get_feature_names_out()) == list(here.get_feature_names_out())


def test_transform_stays_lazy(X):
    selector = InfFSU(n_features_to_select=4).fit(X)
    places = selector.get_support(indices=True)
    chunks = da.from_array(X, chunks=(10, 50))
    found = selector.transform(chunks)
    assert isinstance(found, da.Array)
    assert found.chunks[0] == chunks.chunks[0]
    np.testing.assert_array_equal(found.compute(), X[:, places])
    with pytest.raises(ValueError, match="has 49 features"):
        selector.transform(chunks[:, :49])
    frame = pd.DataFrame(X).add_prefix("gene")
    named = InfFSU(n_features_to_select=4).fit(frame)
    lazy = named.transform(dd.from_pandas(frame, npartitions=3))
    assert not isinstance(lazy, pd.DataFrame)
    pd.testing.assert_frame_equal(lazy.compute(), frame.iloc[:, places], check_names=False)
    with pytest.raises(ValueError, match="feature names"):
        named.transform(dd.from_pandas(frame.add_suffix("x"), npartitions=3))


def test_chunks_of_rows_are_rechunked_with_a_sentence(X):
    with pytest.warns(UserWarning, match=r"rechunked from \(10, 50\) to \(30, 50\)"):
        selector = InfFSU(0.3).fit(da.from_array(X, chunks=(10, 50)))
    np.testing.assert_allclose(selector.scores_, InfFSU(0.3).fit(X).scores_, rtol=1e-10)


class OnDisk:
    """A table that notes how many rows are read at once."""

    def __init__(self, X):
        self.X, self.shape, self.dtype, self.ndim, self.most = X, X.shape, X.dtype, 2, 0

    def __getitem__(self, key):
        part = self.X[key]
        self.most = max(self.most, part.shape[0])
        return part


BY_ROWS = [
    FisherScore(n_features_to_select=5),
    InfFSS(n_features_to_select=5),
    InfFSS(weights=(0, 1, 0), bins=7, n_features_to_select=5),
    InfFSS(weights=(0, 0, 1), n_features_to_select="knee"),
]


@pytest.mark.parametrize("chunks", [(10, 50), (7, 240), ((1, 29), 1000)], ids=str)
@pytest.mark.parametrize("selector", BY_ROWS, ids=repr)
def test_chunks_of_rows_are_measured_where_they_lie(selector, chunks, X, monkeypatch):
    y = np.array(["b", "a", "c"])[np.arange(30) % 3]
    here = clone(selector).fit(X, y)
    disk = OnDisk(X)
    table = da.from_array(disk, chunks=chunks)
    monkeypatch.setattr(da.Array, "rechunk", lambda *_: pytest.fail("rechunked"))
    there = clone(selector).fit(table, y)
    assert disk.most == max(table.chunks[0]) < 30
    np.testing.assert_allclose(there.scores_, here.scores_, rtol=1e-10)
    np.testing.assert_array_equal(there.order_, here.order_)
    assert there.n_features_ == here.n_features_
    assert there.classes_.tolist() == ["a", "b", "c"]


def test_chunks_of_rows_of_a_frame_keep_names_and_errors(X):
    y = np.arange(30) % 2
    frame = pd.DataFrame(X).add_prefix("gene")
    there = FisherScore(n_features_to_select=2).fit(dd.from_pandas(frame, npartitions=3), y)
    here = FisherScore(n_features_to_select=2).fit(frame, y)
    np.testing.assert_array_equal(there.get_feature_names_out(), here.get_feature_names_out())
    with pytest.raises(ValueError, match="inconsistent"):
        FisherScore(n_features_to_select=2).fit(dd.from_pandas(frame, npartitions=3), y[:-1])
    frame.loc[20, "gene7"] = np.inf
    with pytest.warns(UserWarning, match="rechunked"), pytest.raises(ValueError, match="'gene7'"):
        FisherScore(n_features_to_select=2).fit(dd.from_pandas(frame, npartitions=3), y)


def test_thousands_of_tiny_chunks_become_few(rng):
    X = da.from_array(rng.normal(size=(5, 1000)), chunks=(5, 1))
    with pytest.warns(UserWarning, match="not too few"):
        table = DaskTable.of(X)
    assert len(table.chunks()) <= 40


def test_chunks_that_would_explode_are_refused():
    huge = da.zeros((10_000_000, 100_000), chunks=(1_000_000, 10))
    with pytest.raises(ValueError, match="fewer samples"):
        InfFSU().fit(huge)


def test_bad_values_are_named(X):
    X[4, 150] = np.nan
    with pytest.raises(ValueError, match="NaN in column 150, row 4"):
        InfFSU().fit(da.from_array(X, chunks=(30, 64)))


@pytest.fixture
def cluster():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_two_worker_processes(selector, cluster, rng):
    X = rng.normal(size=(40, 3000)).astype(np.float32)
    y = np.arange(40) % 2
    here = type(selector)(**selector.get_params()).fit(X, y)
    there = selector.fit(da.from_array(X, chunks=(40, 500)), y)
    np.testing.assert_allclose(there.scores_, here.scores_, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_killed_worker_costs_time_only(cluster, rng):
    X = rng.normal(size=(60, 6000)).astype(np.float32)
    here = InfFSU(0.3).fit(X).scores_
    workers = [info["pid"] for info in cluster.run(lambda: {"pid": os.getpid()}).values()]

    def strike():
        time.sleep(1.0)
        os.kill(workers[0], KILL)

    threading.Thread(target=strike).start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        there = InfFSU(0.3).fit(da.from_array(X, chunks=(60, 500))).scores_
    np.testing.assert_allclose(there, here, rtol=1e-6)


def test_dask_is_never_imported_otherwise():
    import subprocess
    import sys

    program = (
        "import numpy, sys; from inffs import InfFSU; InfFSU().fit(numpy.random.rand(9, 5));"
        "assert 'dask' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("chunks", [4, 8, 16])
def test_tasks_of_a_product_grow_with_the_pairs_of_chunks(chunks, rng):
    """Counted by the scheduler itself, over the whole fit: ranks, tiles and every product."""
    from dask.callbacks import Callback

    X = rng.normal(size=(30, 240))
    sizes = []
    with Callback(start=lambda graph: sizes.append(len(graph))):
        InfFSU(0.3).fit(da.from_array(X, chunks=(30, 240 // chunks)))
    pairs = chunks * (chunks + 1) // 2
    assert max(sizes) <= 4 * pairs + 10 * chunks
