"""Tables on disk give the numbers of tables in memory, without ever being whole in memory."""

import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest

from inffs import InfFS, InfFSS, InfFSU, open_table, rank
from inffs.graph import profiles
from inffs.relations import Decorrelation
from inffs.validation.lazy import LazyTable
from tests.system import needs_limits


@pytest.fixture
def X(rng):
    X = rng.normal(size=(40, 300)) * rng.uniform(0.5, 2, 300)
    X[:, 7] = 4.0
    X[:, 200] = X[:, 3]
    return X


@pytest.fixture
def frame(X):
    frame = pd.DataFrame(X).add_prefix("gene")
    frame["label"] = np.where(np.arange(40) % 2, "case", "control")
    return frame


@pytest.fixture(params=["npy", "npy32", "parquet"])
def opened(request, X, frame, tmp_path):
    """The lazy table and the same values in memory."""
    if request.param == "parquet":
        frame.to_parquet(tmp_path / "X.parquet")
        return open_table(tmp_path / "X.parquet", drop=["label"]), X
    values = X.astype(np.float32) if request.param == "npy32" else X
    np.save(tmp_path / "X.npy", values)
    return open_table(tmp_path / "X.npy"), values


@pytest.mark.parametrize(
    "selector",
    [InfFSU(0.3), InfFSS(n_features_to_select=5), InfFS(Decorrelation("pearson", power=2))],
    ids=repr,
)
def test_inf_fs(selector, opened):
    table, X = opened
    y = np.arange(40) % 2
    lazy, whole = selector.fit(table, y), type(selector)(**selector.get_params()).fit(X, y)
    np.testing.assert_allclose(lazy.scores_, whole.scores_, rtol=1e-12)
    np.testing.assert_array_equal(lazy.order_, whole.order_)
    np.testing.assert_array_equal(lazy.transform(table), whole.transform(X))
    assert lazy.scores_[3] == lazy.scores_[200]


@pytest.mark.parametrize("method", ["fisher", "mi", "ecfs", "laplacian"])
def test_rivals(method, opened):
    table, X = opened
    y = np.arange(40) % 2
    lazy, whole = (rank(each, y, method=method, n_features_to_select=5) for each in (table, X))
    np.testing.assert_allclose(lazy.scores_, whole.scores_, rtol=1e-10)


def test_names_come_from_the_file(frame, tmp_path):
    frame.to_parquet(tmp_path / "X.parquet")
    table = open_table(tmp_path / "X.parquet", drop=["label"])
    selector = InfFSU(n_features_to_select=2).fit(table)
    kept = [f"gene{j}" for j in np.sort(selector.order_[:2])]
    assert list(selector.get_feature_names_out()) == kept


def test_ranks_that_do_not_fit_are_spilled(X, monkeypatch):
    expected = InfFSU(0.3).fit(X).scores_
    monkeypatch.setattr(profiles, "available_memory", lambda: 1000)
    spilled = profiles.dense_profiles(X)
    assert isinstance(spilled.rows, np.memmap)
    np.testing.assert_array_equal(InfFSU(0.3).fit(X).scores_, expected)


def test_reading_by_columns_only(opened):
    table, X = opened
    assert isinstance(table[:, [4, 2]], LazyTable)
    np.testing.assert_array_equal(table[:, [4, 2]][:, 0:2], X[:, [4, 2]])
    np.testing.assert_array_equal(np.asarray(table), X)
    with pytest.raises(TypeError, match="read by columns"):
        table[3]


def test_bad_files(frame, tmp_path, X):
    frame.to_parquet(tmp_path / "X.parquet")
    with pytest.raises(ValueError, match=r"Column 'label' of X\.parquet is of type"):
        open_table(tmp_path / "X.parquet")
    with pytest.raises(ValueError, match="no column 'lable' to drop"):
        open_table(tmp_path / "X.parquet", drop=["lable"])
    with pytest.raises(ValueError, match=r"only \.npy and \.parquet"):
        open_table(tmp_path / "X.csv")
    np.save(tmp_path / "flat.npy", np.arange(5.0))
    with pytest.raises(ValueError, match="needs two dimensions"):
        open_table(tmp_path / "flat.npy")
    np.save(tmp_path / "objects.npy", np.array([["a", None]], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="Python objects"):
        open_table(tmp_path / "objects.npy")
    X[5, 250] = np.nan
    np.save(tmp_path / "holes.npy", X)
    with pytest.raises(ValueError, match="NaN in column 250, row 5"):
        InfFSU().fit(open_table(tmp_path / "holes.npy"))
    X[5, 250] = -1e160
    np.save(tmp_path / "huge.npy", X)
    with pytest.raises(ValueError, match=r"X has -1e\+160 in column 250, row 5"):
        InfFSU().fit(open_table(tmp_path / "huge.npy"))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        InfFSS().fit(open_table(tmp_path / "holes.npy")[:, [0, 1]], [0, 1])


@pytest.mark.parametrize("largest", [1e18, 1e30])
def test_single_precision_whose_squares_overflow_is_ranked(X, largest, tmp_path):
    X = X.astype(np.float32)
    X[0, 0] = largest
    np.save(tmp_path / "X.npy", X)
    lazy, whole = InfFSU().fit(open_table(tmp_path / "X.npy")), InfFSU().fit(X)
    np.testing.assert_allclose(lazy.scores_, whole.scores_, rtol=1e-12)


def test_names_of_an_earlier_file_are_forgotten(X, frame, tmp_path):
    frame.to_parquet(tmp_path / "X.parquet")
    np.save(tmp_path / "X.npy", X)
    selector = InfFSU().fit(open_table(tmp_path / "X.parquet", drop=["label"]))
    assert not hasattr(selector.fit(open_table(tmp_path / "X.npy")), "feature_names_in_")


@pytest.mark.slow
@needs_limits
def test_sixty_thousand_features_in_a_gigabyte_and_a_half():
    """The whole graph would take 14 GB in single precision."""
    program = """
        import resource
        import numpy as np
        from inffs import InfFSU
        X = np.random.default_rng(0).standard_normal((100, 60_000), dtype=np.float32)
        resource.setrlimit(resource.RLIMIT_AS, (1536 * 2**20, 1536 * 2**20))
        selector = InfFSU(n_features_to_select=100).fit(X)
        assert np.isfinite(selector.scores_).all()
        print(selector.walk_.steps)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
