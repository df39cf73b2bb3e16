"""Offsets and scales cost no digits: every measure against exact rational arithmetic."""

import numpy as np
import pytest
from scipy import sparse

from inffs import InfFSS, InfFSU, measures, open_table, rank
from inffs.graph import unit_profiles
from inffs.measures.running import RunningMeasures
from inffs.methods import ECFS, FisherScore
from tests.trust import exact
from tests.trust.tables import ENTRIES, fitted


def far(rng, offset, spread, T=60, n=5):
    """Columns that lie far from zero, with classes a third of a deviation apart."""
    y = np.arange(T) % 3
    X = offset + spread * (rng.normal(size=(T, n)) + 0.3 * y[:, None] * np.arange(n))
    return X, y


def running(X, y, parts):
    moving = RunningMeasures(X.shape[1], 3)
    for rows in np.array_split(np.arange(y.size), parts):
        chunk = X[rows]
        moving.add(chunk.tocsc() if sparse.issparse(chunk) else chunk, y[rows])
    return moving


def on_disk(X, folder):
    np.save(folder / "X.npy", X)
    return open_table(folder / "X.npy")


OFFSETS = [
    (0.0, 1.0), (1.7e9, 1e-5), (-1e5, 1e-3), (1e12, 1.0), (1e300, 1e286), (0.0, 1e-165),
    (1e-300, 1e-312), (0.0, 5e-322), (0.0, 1e200), (1.0, 1e-14),
]  # fmt: skip


@pytest.mark.parametrize(("offset", "spread"), OFFSETS)
def test_fisher_and_dispersion_are_exact(offset, spread, rng, tmp_path):
    X, y = far(rng, offset, spread)
    h = np.array([float(each) for each in exact.fisher(X, y)])
    sigma = np.array(exact.dispersion(X))
    forms = (
        X,
        sparse.csc_array(X),
        sparse.csc_matrix(np.where(X == 0, 0, X)),
        on_disk(X, tmp_path),
    )
    for form in forms:
        np.testing.assert_allclose(measures.fisher(form, y), h, rtol=1e-6)
        np.testing.assert_allclose(measures.dispersion(form), sigma, rtol=1e-6)
    for parts in (1, 7, 60):
        for form in (X, sparse.csr_array(X)):
            moving = running(form, y, parts)
            np.testing.assert_allclose(moving.fisher(), h, rtol=1e-6)
            np.testing.assert_allclose(moving.dispersion(), sigma, rtol=1e-6)


@pytest.mark.parametrize(("offset", "spread"), OFFSETS)
def test_pearson_is_exact(offset, spread, rng):
    X, _ = far(rng, offset, spread)
    expected = np.array(exact.pearson(X))
    everyone = np.arange(X.shape[1])
    for form in (X, sparse.csc_array(X), sparse.csc_array(X, dtype=float)):
        got = np.abs(unit_profiles(form, "pearson").correlations(everyone, everyone))
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-9)


def test_sparse_columns_with_zeros_and_without(rng):
    """Most of a column stored, all of it, little of it; one far value in a class of its own."""
    X, y = far(rng, 1e5, 1e-3, n=6)
    X[rng.random(60) < 0.1, 0] = 0.0
    X[rng.random(60) < 0.9, 1] = 0.0
    X[4, 2] = -3e7
    h = np.array([float(each) for each in exact.fisher(X, y)])
    np.testing.assert_allclose(measures.fisher(sparse.csc_array(X), y), h, rtol=1e-6)
    np.testing.assert_allclose(measures.fisher(X, y), h, rtol=1e-6)
    expected = np.array(exact.pearson(X))
    got = np.abs(unit_profiles(sparse.csc_array(X), "pearson").correlations(slice(6), slice(6)))
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-9)


def test_a_thousand_samples_far_from_zero(rng):
    y = np.arange(1000) % 2
    X = 1.7e9 + 1e-5 * (rng.normal(size=(1000, 3)) + 0.3 * y[:, None])
    h = np.array([float(each) for each in exact.fisher(X, y)])
    np.testing.assert_allclose(FisherScore().fit(X, y).scores_, h, rtol=1e-6)
    np.testing.assert_allclose(FisherScore().fit(sparse.csc_array(X), y).scores_, h, rtol=1e-6)


@pytest.mark.parametrize("selector", [FisherScore(), InfFSS(), ECFS(), InfFSU(0.3)])
def test_a_power_of_two_changes_no_score(selector, rng):
    X, y = far(rng, 1e3, 1.0)
    plain = selector.fit(X, y).scores_
    for power in (-1000, -560, -100, 400):
        np.testing.assert_allclose(
            selector.fit(np.ldexp(X, power), y).scores_, plain, rtol=1e-9, err_msg=str(power)
        )


def test_what_is_equal_to_rounding_is_equal(rng):
    """A column and its complement: the same criterion but for the last bit."""
    x, y = rng.random(40), np.arange(40) % 2
    X = np.column_stack([x, 1.0 - x])
    scores = InfFSS().fit(X, y).scores_
    assert scores[0] == pytest.approx(scores[1], rel=1e-9)


@pytest.mark.parametrize("T", [2, 3])
def test_no_edges_but_rounding_means_no_paths(T, rng):
    """Columns that all rise or fall alike: 1 - |Spearman| is 0, and so is every score."""
    X = np.sort(rng.normal(size=(T, 9)), axis=0) * np.array([1, -1, 2, 3, -4, 5, 6, 7, -8])
    np.testing.assert_array_equal(InfFSU(0.0).fit(X).scores_, np.zeros(9))


@pytest.mark.parametrize("seed", range(40))
def test_chunks_of_a_one_decimal_table_are_the_whole(seed):
    """Values on the edges of bins fall into the same bins in both."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(260, 6)) * 2, 1) * 10.0 ** rng.integers(-300, 3, 6)
    y = rng.integers(0, 3, 260)
    ranges = X.min(axis=0), X.max(axis=0)
    moving = InfFSS()
    for rows in np.array_split(np.arange(260), 4):
        moving.partial_fit(X[rows], y[rows], classes=[0, 1, 2], ranges=ranges)
    whole = InfFSS().fit(X, y)
    np.testing.assert_array_equal(moving.order_, whole.order_)
    np.testing.assert_allclose(moving.scores_, whole.scores_, rtol=1e-9)


def test_edges_of_seven_bins():
    X = np.tile(np.arange(1, 9) / 10, 30)[:, None]
    y = (np.arange(240) % 8 < 3).astype(int)
    moving = RunningMeasures(1, 2, (X.min(axis=0), X.max(axis=0)), 7)
    moving.add(X, y)
    whole = measures.mutual_information(X, y, bins=7)
    np.testing.assert_allclose(moving.mutual_information(), whole, rtol=1e-12)


@pytest.mark.parametrize("key", ["inf-fs-s", "fisher", "mi", "ecfs", "inf-fs-u", "ilfs"])
def test_sparse_matrices_with_duplicates_are_not_touched(key, rng):
    rows, columns = rng.integers(0, 30, 400), rng.integers(0, 8, 400)
    twice = np.tile(rows, 2), np.tile(columns, 2)
    tangled = sparse.coo_array((rng.normal(size=800), twice), shape=(30, 8))
    y = np.arange(30) % 2
    for make in (_csc_with_duplicates, _csr_with_duplicates):
        X = make(tangled)
        before = X.data.copy(), X.indices.copy(), X.indptr.copy()
        for part in (X.data, X.indices, X.indptr):
            part.setflags(write=False)
        got = rank(X, y, method=key)
        for part, old in zip((X.data, X.indices, X.indptr), before, strict=True):
            np.testing.assert_array_equal(part, old)
        np.testing.assert_allclose(
            got.scores_, rank(tangled.toarray(), y, method=key).scores_, rtol=1e-9, atol=1e-13
        )


def _csc_with_duplicates(entries):
    order = np.argsort(entries.col, kind="stable")
    ends = np.cumsum(np.bincount(entries.col, minlength=entries.shape[1]))
    return sparse.csc_matrix(
        (entries.data[order], entries.row[order], np.append(0, ends)), shape=entries.shape
    )


def _csr_with_duplicates(entries):
    turned = sparse.coo_array((entries.data, (entries.col, entries.row)), shape=entries.shape[::-1])
    return _csc_with_duplicates(turned).T


@pytest.mark.parametrize("key", ["svm-rfe", "sw-svm-rfe", "l0-svm"])
def test_the_intercept_takes_up_an_offset(key, rng):
    """Fourteen samples at -1e6 once took ten seconds and gave another margin."""
    X = np.round(rng.normal(size=(14, 3)), 3)
    y = np.arange(14) % 2
    near, far_away = (rank(table, y, method=key) for table in (X, X - 2.0**20))
    np.testing.assert_allclose(far_away.scores_, near.scores_, rtol=1e-4)
    np.testing.assert_array_equal(far_away.order_, near.order_)


@pytest.mark.parametrize("power", [20, 30, 40])
@pytest.mark.parametrize("key", ["laplacian", "udfs"])
def test_an_offset_that_rounds_nothing_changes_nothing(key, power, rng):
    X = np.round(rng.normal(size=(40, 12)) * 2**10) / 2**10  # so many digits are left beside 2^40
    offsets = 2.0**power * rng.choice([-1, 1], 12)
    near, far_away = (rank(table, method=key) for table in (X, X + offsets))
    np.testing.assert_allclose(far_away.scores_, near.scores_, rtol=1e-6)
    np.testing.assert_array_equal(far_away.order_, near.order_)


@pytest.mark.parametrize("key", ENTRIES)
def test_underflow_is_answered_or_refused(key, rng):
    """Scaled down until squares vanish: the same order, or a sentence; never another answer."""
    y = np.arange(40) % 3
    X = rng.normal(size=(40, 8))
    X[:, :3] += y[:, None]
    start = 0 if ENTRIES[key].estimator()._scale_free else -120  # where scales weigh nothing more
    orders = [order_or_refusal(key, np.ldexp(X, start + down), y) for down in (0, -330, -570, -900)]
    assert orders[0] is not None
    for order in orders[1:]:
        assert order in (None, orders[0])


def order_or_refusal(key, X, y):
    try:
        return fitted(key, X, y, X.shape[1]).order_.tolist()
    except ValueError as error:
        if "so small that" not in str(error):
            raise


def test_a_chunk_of_zeros_before_denormals():
    X, y = np.array([[0.0], [0.0], [5e-324], [2e-323]]), np.array([0, 1, 0, 1])
    moving = RunningMeasures(1, 2)
    moving.add(X[:2], y[:2])
    moving.add(X[2:], y[2:])
    np.testing.assert_allclose(moving.dispersion(), [1.0])
    np.testing.assert_allclose(moving.fisher(), [float(exact.fisher(X, y)[0])], rtol=1e-12)
