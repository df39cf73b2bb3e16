"""One table in every form, against exact arithmetic: dense, sparse, on disk, in chunks, on dask.

``INFFS_CASES=30000 pytest tests/trust/test_forms.py -m slow`` sets how many tables are tried.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st
from scipy import sparse

from inffs import InfFSS, InfFSU, measures, open_table
from inffs.graph import unit_profiles
from inffs.measures.running import RunningMeasures
from inffs.methods import FisherScore
from tests.trust import exact
from tests.trust.tables import CASES, try_tables

QUICK, THOROUGH = 60, 30_000
FIRST = {"n_features_to_select": 1}  # scores are compared, and to check the sizes takes long
SELECTORS = (FisherScore(**FIRST), InfFSS(**FIRST), InfFSU(0.3, **FIRST))
LARGE = "the squares of such values leave the range of floating point"
FAMILIES = ("offset", "one ulp", "denormal", "rounded", "sparse", "outlier")


@dataclass(frozen=True)
class Column:
    """What makes the columns of a table: a family, a magnitude and how far the spread is below."""

    family: str
    exponent: int
    digits: int


@dataclass(frozen=True)
class Case:
    samples: int
    classes: int
    columns: tuple
    chunks: int
    seed: int

    def table(self):
        rng = np.random.default_rng(self.seed)
        y = rng.permutation(np.arange(self.samples) % self.classes)
        return np.column_stack([values(column, y, rng) for column in self.columns]), y


def values(column, y, rng):
    """A column of the family; some of them say something of the classes."""
    x = rng.normal(size=y.size) + rng.choice([0.0, 0.5]) * y
    size = 10.0**column.exponent
    if column.family == "offset":
        return size + (size * 10.0**-column.digits) * x
    if column.family == "one ulp":
        return size + np.spacing(size) * np.round(2 * x)
    if column.family == "denormal":
        return 5e-324 * np.round(x * 10.0 ** (column.digits % 6))
    if column.family == "rounded":
        return np.round(x, 1) * 10.0 ** (column.exponent // 100)
    if column.family == "sparse":
        return np.where(rng.random(y.size) < 0.6, 0.0, x * size)
    x[rng.integers(y.size)] = 1e6
    return x * size


cases = st.builds(
    Case,
    samples=st.integers(4, 24),
    classes=st.integers(2, 3),
    columns=st.lists(
        st.builds(
            Column, st.sampled_from(FAMILIES), st.integers(-300, 300), st.integers(0, 13)
        ),
        min_size=1,
        max_size=4,
    ).map(tuple),
    chunks=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
)  # fmt: skip


def tangled(X, rng):
    """The table as CSC with every value in two parts, zeros stored, indices in no order."""
    parts = np.where(rng.random(X.shape) < 0.5, X, 0.0)
    rows, columns = np.tile(np.indices(X.shape).reshape(2, -1), 2)
    data = np.concatenate([parts.ravel(), np.where(parts == X, 0.0, X).ravel()])
    order = np.lexsort((rng.random(data.size), columns))
    ends = np.append(0, np.cumsum(np.bincount(columns, minlength=X.shape[1])))
    return sparse.csc_array((data[order], rows[order], ends), shape=X.shape)


def in_chunks(X, y, case):
    running = RunningMeasures(X.shape[1], case.classes)
    for rows in np.array_split(np.arange(y.size), case.chunks):
        running.add(X[rows], y[rows])
    return running


def check_numbers(case):
    """Fisher, dispersion and Pearson of every form against rational arithmetic."""
    X, y = case.table()
    X = X[:, np.ptp(X / np.maximum(np.abs(X).max(axis=0), 5e-324), axis=0) > 0]
    assume(X.shape[1] and np.isfinite(X).all())  # selectors refuse such tables by name
    fisher, sigma = exact.fisher(X, y), np.array(exact.dispersion(X))
    plain = np.array([j for j, h in enumerate(fisher) if h is not None and h < 10**12], dtype=int)
    h = np.array([float(fisher[j]) for j in plain])
    thin = tangled(X, np.random.default_rng(case.seed))
    running = in_chunks(X, y, case)
    for got in (measures.fisher(X, y), measures.fisher(thin, y), running.fisher()):
        np.testing.assert_allclose(got[plain], h, rtol=1e-6, atol=1e-25)
    for got in (measures.dispersion(X), measures.dispersion(thin), running.dispersion()):
        np.testing.assert_allclose(got, sigma, rtol=1e-6, atol=1e-300)
    correlations, everyone = np.array(exact.pearson(X)), np.arange(X.shape[1])
    for form in (X, thin):
        got = np.abs(unit_profiles(form, "pearson").correlations(everyone, everyone))
        np.testing.assert_allclose(got, correlations, rtol=1e-6, atol=1e-7)


def scores_or_sentence(fit):
    try:
        return fit().scores_
    except ValueError as error:
        return str(error).split(":")[0]


def check_forms(case, folder, distributed=False):
    """A selector on every form: the same scores, or the same refusal."""
    X, y = case.table()
    np.save(folder / "X.npy", X)
    forms = {
        "sparse": tangled(X, np.random.default_rng(case.seed)),
        "Fortran": np.asfortranarray(X),
        "on disk": open_table(folder / "X.npy"),
    }
    if distributed:
        forms["dask"] = pytest.importorskip("dask.array").from_array(X, chunks=(y.size, 2))
    selector = SELECTORS[case.seed % len(SELECTORS)]
    plain = scores_or_sentence(lambda: selector.fit(X, y))
    for name, form in forms.items():
        other = scores_or_sentence(lambda: selector.fit(form, y))  # noqa: B023
        same(other, plain, f"{type(selector).__name__} {name}")
    check_chunks(scores_or_sentence(lambda: InfFSS(bins=20, **FIRST).fit(X, y)), X, y, case)


def check_chunks(whole, X, y, case):
    """Chunks as the whole; values whose squares overflow are met, if at all, in another chunk."""
    chunked = scores_or_sentence(lambda: partial(X, y, case))
    if LARGE in str(whole):
        assert LARGE in chunked if isinstance(chunked, str) else np.isfinite(chunked).all()
    else:
        same(chunked, whole, "partial_fit")


def partial(X, y, case):
    """Chunks that follow the ranges, as the whole table has them."""
    selector, ranges = InfFSS(bins=20, **FIRST), (X.min(axis=0), X.max(axis=0))
    for rows in np.array_split(np.arange(y.size), case.chunks):
        selector.partial_fit(X[rows], y[rows], classes=np.unique(y), ranges=ranges)
    if not hasattr(selector, "scores_"):
        raise ValueError(f"All {X.shape[1]} columns of X are constant: chunks of them.")
    return selector


def same(other, plain, what):
    if isinstance(plain, str) or isinstance(other, str):
        assert other == plain, what
    else:
        np.testing.assert_allclose(other, plain, rtol=1e-7, atol=1e-12, err_msg=what)


def test_numbers_are_exact_in_every_form():
    try_tables(cases, QUICK, check_numbers)


def test_every_form_gives_the_same_scores(tmp_path):
    try_tables(cases, QUICK // 2, lambda case: check_forms(case, tmp_path))


def test_dask_gives_the_same_scores(tmp_path):
    try_tables(cases, 4, lambda case: check_forms(case, tmp_path, distributed=True))


@pytest.mark.slow
def test_numbers_are_exact_in_every_form_thoroughly():
    total = (CASES or THOROUGH) * 2 // 3
    assert try_tables(cases, total, check_numbers).total() >= total


@pytest.mark.slow
def test_every_form_gives_the_same_scores_thoroughly(tmp_path):
    total = CASES or THOROUGH
    assert (
        try_tables(cases, total // 3, lambda case: check_forms(case, tmp_path)).total()
        >= total // 3
    )
    few = max(1, total // 300)
    assert (
        try_tables(cases, few, lambda case: check_forms(case, tmp_path, distributed=True)).total()
        >= few
    )
