"""Counts without the commonest level against counts by hand."""

import numpy as np
import pytest

from inffs.methods.solvers.common_level import Block, CommonLevel
from inffs.methods.solvers.pair_counts import BinnedTable


def log_counts(*columns):
    """sum of c log c over the combinations of values of these columns."""
    _, counts = np.unique(np.stack(columns), axis=1, return_counts=True)
    return counts @ np.log(counts)


def rectified(T, classes, rng):
    """Codes with many zeros, of 2 to 9 levels, and sorted classes."""
    codes = np.maximum(rng.integers(-9, 9, size=(T, 40)), 0) % np.arange(2, 10).repeat(5)
    return codes.astype(np.uint8), np.sort(rng.integers(0, classes, T))


def beside(codes, y, k, width=16):
    levels = codes.max(axis=0).astype(np.intp) + 1
    starts = range(0, levels.size, width)
    size = max(int(levels[start : start + width].sum()) for start in starts)
    parts = [slice(start, start + width) for start in starts]
    blocks = [Block(codes[:, part], levels[part], y, size) for part in parts]
    counts = np.arange(y.size + 1)
    xlogx = counts * np.log(np.maximum(counts, 1))
    return CommonLevel(codes[:, k].astype(np.intp), y, blocks, xlogx)


def joined(sums):
    return np.concatenate(sums, axis=1)


@pytest.mark.parametrize(("T", "classes"), [(5, 2), (300, 2), (300, 17), (2000, 3)])
def test_sums(T, classes, rng):
    codes, y = rectified(T, classes, rng)
    for k in (0, 23, 39):
        pair, triple = joined(beside(codes, y, k).sums(True))
        expected = [log_counts(column, codes[:, k]) for column in codes.T]
        np.testing.assert_allclose(pair, expected, rtol=1e-13, atol=1e-13)
        expected = [log_counts(column, codes[:, k], y) for column in codes.T]
        np.testing.assert_allclose(triple, expected, rtol=1e-13, atol=1e-12)
        alone, nothing = joined(beside(codes, y, k).sums(False))
        np.testing.assert_allclose(alone, pair, rtol=1e-13)
        assert not nothing.any()


def test_a_class_that_has_no_samples(rng):
    codes, y = rectified(300, 3, rng)
    y = np.where(y == 1, 2, y)
    _, triple = joined(beside(codes, y, 4).sums(True))
    expected = [log_counts(column, codes[:, 4], y) for column in codes.T]
    np.testing.assert_allclose(triple, expected, rtol=1e-13)


def test_when_it_is_quicker(rng):
    """Measured: a rectified column of a long table; few samples never."""
    rare = (rng.random((3000, 40)) < 0.2).astype(np.uint8)
    even = rng.integers(0, 20, size=(3000, 40)).astype(np.uint8)
    two, many = np.arange(3000) // 1500, np.arange(3000) // 2
    assert beside(rare, two, 0).is_quicker(False)
    assert beside(rare, two, 0).is_quicker(True)
    assert not beside(even, two, 0).is_quicker(True)
    assert not beside(rare, many, 0).is_quicker(True)
    assert not beside(rare[:400], two[:400], 0).is_quicker(False)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_table_of_pairs_is_that_of_counting_all(classes, rng, monkeypatch):
    X = np.maximum(rng.normal(size=(1500, 70)) - 0.4, 0)
    table = BinnedTable(X, 20).with_label(rng.integers(0, classes, 1500))
    left_out = table.with_chosen(5, True)
    monkeypatch.setattr(CommonLevel, "is_quicker", lambda self, with_class: False)
    for ours, counted in zip(left_out, table.with_chosen(5, True), strict=True):
        np.testing.assert_allclose(ours, counted, rtol=0, atol=1e-13)
