"""Counts by comparison against counts by hand."""

import numpy as np
import pytest

from inffs.methods.solvers.equal_codes import Groups
from inffs.methods.solvers.pair_counts import PairCounts


def log_counts(*columns):
    """sum over samples of log c, c the samples that agree with it in all these columns."""
    _, place, counts = np.unique(np.stack(columns), axis=1, return_inverse=True, return_counts=True)
    return np.log(counts[place.ravel()]).sum()


@pytest.mark.parametrize(
    ("T", "levels", "classes"), [(3, 2, 1), (37, 6, 3), (130, 9, 2), (255, 3, 4)]
)
def test_sums_of_logs(T, levels, classes, rng):
    codes = rng.integers(0, levels, size=(T, 300)).astype(np.uint8)
    y = np.sort(rng.integers(0, classes, T))
    pair, triple = Groups(codes[:, 7], y).log_counts(codes, True)
    some = range(0, 300, 29)
    expected = [log_counts(codes[:, j], codes[:, 7]) for j in some]
    np.testing.assert_allclose(pair[some], expected, rtol=1e-12)
    expected = [log_counts(codes[:, j], codes[:, 7], y) for j in some]
    np.testing.assert_allclose(triple[some], expected, rtol=1e-12)


def test_all_samples_in_one_cell_do_not_overflow():
    codes = np.zeros((255, 2), dtype=np.uint8)
    pair, _ = Groups(codes[:, 0], np.zeros(255, dtype=int)).log_counts(codes, False)
    np.testing.assert_allclose(pair, 255 * np.log(255), rtol=1e-13)


@pytest.mark.parametrize("bins", [4, 10, 30])
def test_comparing_and_counting_agree(bins, rng):
    X, y = rng.normal(size=(150, 40)), rng.integers(0, 3, 150)
    table = PairCounts(X, y, bins)
    compared = table.with_chosen(3, True)
    table._comparable = False
    for ours, counted in zip(compared, table.with_chosen(3, True), strict=True):
        np.testing.assert_allclose(ours, counted, rtol=0, atol=1e-13)
