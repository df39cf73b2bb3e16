"""The authors' own programs, written with our relations, regularisation and factor.

Constant columns leave before our estimators see them; the programs keep them in, so the graphs
are bound to the whole table here.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from inffs.cuts import Histogram
from inffs.paths import Regularization, walk
from inffs.relations import BoundTable, Decorrelation, Dispersion, Outer

GOLDEN = Path(__file__).parent.parent / "golden"
NUMBERS = json.loads((GOLDEN / "inffs.json").read_text())
UNSUPERVISED = json.loads((GOLDEN / "unsupervised_tables.json").read_text())
SUPERVISED = json.loads((GOLDEN / "supervised_tables.json").read_text())


def unsupervised_table(name):
    return np.array(UNSUPERVISED[name]["X"], dtype=float)


def same_order(ours, theirs, scores, gap=1e-9):
    """Equal orders wherever two scores differ by more than rounding."""
    np.testing.assert_allclose(scores[ours], scores[theirs], rtol=gap)


@pytest.mark.parametrize("name", ["a0", "a", "b", "d"])
@pytest.mark.parametrize(("suffix", "alpha"), [("", 0.5), ("_a02", 0.2)])
def test_program_of_2015(name, suffix, alpha):
    X = unsupervised_table(name)
    relation = (1 - alpha) * Dispersion("minmax") + alpha * Decorrelation()
    scores = walk(relation.bind(BoundTable(X)), Regularization(factor=0.99)).scores()
    golden = NUMBERS["unsupervised"][name]
    np.testing.assert_allclose(scores, golden[f"inffs2015{suffix}_w"], rtol=1e-9)
    same_order(np.argsort(-scores, kind="stable"), golden[f"inffs2015{suffix}_rank"], scores)


@pytest.mark.parametrize("name", ["a0", "a", "b", "d"])
def test_unsupervised_program_of_2020(name):
    X = unsupervised_table(name)
    n = X.shape[1]
    graph = (0.5 * Dispersion("minmax") + 0.5 * Decorrelation()).bind(BoundTable(X))
    scores = 1 + walk(graph, divided_twice(graph, n)).scores()
    golden = NUMBERS["unsupervised"][name]
    np.testing.assert_allclose(scores, golden["inffsu_w"], rtol=1e-9)
    same_order(np.argsort(-scores, kind="stable"), golden["inffsu_rank"], scores)
    size, _ = Histogram()(scores)
    assert size == len(golden["inffsu_subset"])


@pytest.mark.parametrize("case", NUMBERS["supervised_cases"], ids=lambda c: f"{c['data']}")
def test_supervised_program_of_2020(case):
    table = SUPERVISED[case["data"]]
    X, y = np.array(table["X"], dtype=float), np.array(table["y"])
    n, ones = X.shape[1], np.ones(X.shape[1])
    a1, a2, a3 = case["alpha"]
    fisher, information = program_fisher(X, y), program_information(X, y)
    relation = (
        (a1 + a2) / 2 * Outer(ones, information)
        + (a1 + a3) / 2 * Outer(fisher, ones)
        + (a2 + a3) / 2 * Dispersion("minmax")
    )
    graph = relation.bind(BoundTable(X))
    scores = 1 + walk(graph, divided_twice(graph, n)).scores()
    np.testing.assert_allclose(scores, case["score"], rtol=1e-9)
    same_order(np.argsort(-scores, kind="stable"), case["ranking"], scores)
    size, _ = Histogram()(scores)
    assert size == case["n_selected"]


def divided_twice(graph, n):
    """The 2020 programs divide by the largest row sum twice."""
    slack = 5e-6 * n
    largest = graph.dot(np.ones((n, 1))).max()
    return Regularization("markov", (1 - slack) / (largest + slack))


def rescaled(values):
    shifted = values - values.min()
    return shifted / shifted.max()


def program_fisher(X, y):
    plus, minus = X[y == 1], X[y == -1]
    below = plus.var(axis=0, ddof=1) + minus.var(axis=0, ddof=1)
    below[below == 0] = 10000
    return rescaled((plus.mean(axis=0) - minus.mean(axis=0)) ** 2 / below)


def program_information(X, y):
    """The program's mutual information: marginal and joint put edge values to different sides.

    It decides nothing of the order, but the scores carry it.
    """
    scores = np.array([_program_information(column, y) for column in X.T])
    return rescaled(np.where(np.isfinite(scores), scores, 0.0))


def _program_information(a, y):
    T = a.size
    K = 20 if T > 200 else max(T // 10, 10)
    width = (a.max() - a.min()) / K
    marginal = _octave_histogram(a, K) / T
    marginal[marginal == 0] = 1e-5
    label = np.array([np.mean(y == 1), np.mean(y == -1)])
    joint = np.empty((2, K))
    for row, g in enumerate((1, -1)):
        left = a.min()
        for k in range(K):
            inside = (a >= left) & ((a < left + width) if k < K - 1 else True) & (y == g)
            joint[row, k] = inside.sum() or 1e-5
            left += width
    joint /= T
    entropies = -(marginal * np.log(marginal)).sum() - (label * np.log(label)).sum()
    return 2 * (joint * np.log(joint / np.outer(label, marginal))).sum() / entropies


def _octave_histogram(a, K):
    """Equal bins, an inner edge belongs to the lower one; a constant falls into a middle bin."""
    low, high = a.min(), a.max()
    if low == high:
        low, high = low - 0.5, high + 0.5
    place = np.ceil((a - low) / (high - low) * K).clip(1, K).astype(int) - 1
    return np.bincount(place, minlength=K).astype(float)
