"""One table in every storage form and engine: the same numbers as the plain array."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from inffs import InfFS, InfFSS, InfFSU, open_table
from inffs.graph.profiles import dense_profiles
from inffs.methods import FisherScore
from inffs.relations import Coupling, Decorrelation, Dispersion


@pytest.fixture
def table(rng):
    X = rng.normal(size=(36, 150)) * rng.uniform(0.5, 2, 150)
    X[np.abs(X) < 0.8] = 0.0  # sparse forms have something to leave out
    X[:, 20] = 0.0
    X[:, 90] = X[:, 4]
    return X, np.arange(36) % 3


def npy(X, folder):
    np.save(folder / "X.npy", X)
    return open_table(folder / "X.npy")


def parquet(X, folder):
    pd.DataFrame(X).add_prefix("f").to_parquet(folder / "X.parquet")
    return open_table(folder / "X.parquet")


def mapped(X, folder):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


def dask_array(X, folder):
    return pytest.importorskip("dask.array").from_array(X, chunks=(36, 40))


FORMS = {
    "Fortran order": lambda X, _: np.asfortranarray(X),
    "strided": lambda X, _: np.repeat(X, 2, axis=0)[::2],
    "memory map": mapped,
    "csr": lambda X, _: sparse.csr_matrix(X),
    "csc array": lambda X, _: sparse.csc_array(X),
    "pandas": lambda X, _: pd.DataFrame(X).add_prefix("f"),
    "polars": lambda X, _: pl.DataFrame(X),
    "NPY on disk": npy,
    "Parquet on disk": parquet,
    "dask": dask_array,
}

SELECTORS = {
    "inf-fs-u": InfFSU(0.3),
    "inf-fs-u, nothing stored": InfFSU(0.3, memory_limit=0),
    "inf-fs-s": InfFSS(n_features_to_select=5),
    "squared": InfFS(0.2 * Dispersion() + 0.8 * Decorrelation(power=2)),
    "coupled": InfFS(Coupling() * Decorrelation("pearson", power=2), n_features_to_select=5),
    "fisher": FisherScore(n_features_to_select=5),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SELECTORS)
def test_same_numbers(form, name, table, tmp_path):
    X, y = table
    plain = type(SELECTORS[name])(**SELECTORS[name].get_params()).fit(X, y)
    other = type(SELECTORS[name])(**SELECTORS[name].get_params()).fit(FORMS[form](X, tmp_path), y)
    np.testing.assert_allclose(other.scores_, plain.scores_, rtol=1e-10, atol=1e-14)
    np.testing.assert_array_equal(other.order_, plain.order_)
    np.testing.assert_array_equal(other.support_, plain.support_)
    assert other.scores_[4] == other.scores_[90]
    assert other.order_[-1] == 20


@pytest.mark.parametrize("form", ["csr", "NPY on disk", "dask"])
def test_same_numbers_in_single_precision(form, rng, tmp_path):
    """Above 2000 features the ranks are in single precision, in every form."""
    X = np.round(rng.normal(size=(25, 2100)), 1) * (rng.random((25, 2100)) < 0.5)
    plain = InfFSU(0.3).fit(X).scores_
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The dask array is rechunked")
        other = InfFSU(0.3).fit(FORMS[form](X, tmp_path)).scores_
    np.testing.assert_allclose(other, plain, rtol=1e-6)


@pytest.mark.slow
def test_a_million_samples(rng):
    """Float32 ranks of many samples are summed in double: against exact float64 correlations."""
    T, n = 1_000_000, 30
    X = rng.standard_normal((T, n), dtype=np.float32)
    X[:, 1] += X[:, 0]
    everything = slice(0, n)
    exact, single = (
        dense_profiles(X, dtype=dtype).correlations(everything, everything)
        for dtype in (np.float64, np.float32)
    )
    np.testing.assert_allclose(single, exact, atol=1e-7)
