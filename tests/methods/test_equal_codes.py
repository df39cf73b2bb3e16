"""Counts by comparison against counts by hand."""

import numpy as np
import pytest

from inffs.methods.solvers.common_level import Block
from inffs.methods.solvers.equal_codes import ClassGroups, LevelGroups
from inffs.methods.solvers.pair_counts import BinnedTable, PairCounts


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
    pair, triple = LevelGroups(codes[:, 7], y).log_counts(codes, True)
    some = range(0, 300, 29)
    expected = [log_counts(codes[:, j], codes[:, 7]) for j in some]
    np.testing.assert_allclose(pair[some], expected, rtol=1e-12)
    expected = [log_counts(codes[:, j], codes[:, 7], y) for j in some]
    np.testing.assert_allclose(triple[some], expected, rtol=1e-12)


def test_all_samples_in_one_cell_do_not_overflow():
    codes = np.zeros((255, 2), dtype=np.uint8)
    pair, _ = LevelGroups(codes[:, 0], np.zeros(255, dtype=int)).log_counts(codes, False)
    np.testing.assert_allclose(pair, 255 * np.log(255), rtol=1e-13)


@pytest.mark.parametrize("bins", [4, 10, 30])
def test_comparing_and_counting_agree(bins, rng):
    X, y = rng.normal(size=(150, 40)), rng.integers(0, 3, 150)
    table = BinnedTable(X, bins).with_label(y)
    compared = table.with_chosen(3, True)
    table._comparable = False
    for ours, counted in zip(compared, table.with_chosen(3, True), strict=True):
        np.testing.assert_allclose(ours, counted, rtol=0, atol=1e-13)


def in_classes(codes, y, k):
    levels = codes.max(axis=0).astype(np.intp) + 1
    halves = [slice(0, 300), slice(300, 600)]
    size = max(int(levels[half].sum()) for half in halves)
    blocks = [Block(codes[:, half], levels[half], y, size) for half in halves]
    counts = np.arange(y.size + 1)
    log = np.log(np.maximum(counts, 1))
    groups = ClassGroups(codes[:, k].astype(np.intp), y)
    return groups.log_counts(codes, blocks, log, counts * log)


@pytest.mark.parametrize(
    ("T", "classes"), [(30, 30), (900, 8), (900, 200), (2000, 1)], ids=["alone", "both", "s", "l"]
)
@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_many_classes(T, classes, kind, rng):
    """All samples alone, groups small and large, small only, large only."""
    codes = rng.integers(0, 6, size=(T, 600)).astype(kind) * (np.arange(600) % 3 + 1).astype(kind)
    y = np.sort(np.arange(T) % classes if classes > 1 else np.zeros(T, dtype=int))
    y[: T // 4] = y[0]  # a large class
    y = np.arange(T) if classes == T else y
    triple = in_classes(codes, y, 7)
    some = [0, 7, 299, 300, 511, 512, 599]
    expected = [log_counts(codes[:, j], codes[:, 7], y) for j in some]
    np.testing.assert_allclose(triple[some], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("classes", [8, 40])
def test_many_classes_as_by_counting_all(classes, rng, monkeypatch):
    X, y = rng.normal(size=(700, 40)), rng.integers(0, classes, 700)
    table = BinnedTable(X, 20).with_label(y)
    assert table._is_thin(table._codes[:, 3])
    compared = table.with_chosen(3, True)
    monkeypatch.setattr(PairCounts, "_is_thin", lambda self, level: False)
    for ours, counted in zip(compared, table.with_chosen(3, True), strict=True):
        np.testing.assert_allclose(ours, counted, rtol=0, atol=1e-13)


def test_few_classes_or_few_cells_are_counted(rng):
    X = rng.normal(size=(700, 3))
    assert not BinnedTable(X, 20).with_label(np.arange(700) % 7)._is_thin(np.arange(700) % 20)
    assert not BinnedTable(X, 9).with_label(np.arange(700) % 8)._is_thin(np.arange(700) % 9)
