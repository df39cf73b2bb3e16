"""ILFS against the published program's scores and the series of paths it closes."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine

from inffs.methods import ILFS
from inffs.methods.ilfs import token_counts
from tests.methods.filter_goldens import cases, names, table


@pytest.mark.parametrize("case", cases("ilfs"), ids=names("ilfs"))
def test_published_scores(case):
    X, y = table(case["data"])
    selector = ILFS(n_tokens=case["T"], n_features_to_select=None).fit(X, y)
    np.testing.assert_allclose(selector.scores_, case["score"], rtol=1e-9, atol=1e-9)
    # the published order, but for scores that differ by rounding only
    published = np.array(case["score"])[selector.order_]
    assert np.diff(published).max() < 1e-9


def test_closed_form_is_the_series_of_paths():
    X, y = load_wine(return_X_y=True)
    scores = ILFS(n_features_to_select=None).fit(X, y).scores_
    A = np.outer(scores, scores)  # proportional to q q'
    r = 0.99 / np.linalg.eigvalsh(A)[-1]
    paths = np.linalg.inv(np.eye(13) - r * A) - np.eye(13)
    np.testing.assert_allclose(scores, paths.sum(axis=1), rtol=1e-8)


def test_tokens_by_the_definition(rng):
    X, y = rng.normal(size=(30, 5)), np.arange(30) % 3
    counts = token_counts(X, y, 4)
    for j, f in enumerate(X.T):
        square = np.array([(f - f[y == g].mean()) ** 2 for g in range(3)])
        share = square[y, np.arange(30)] / square.sum(axis=0)
        edges = np.linspace(share.min(), share.max(), 4)
        expected = [((share >= a) & (share < b)).sum() for a, b in pairwise(edges)]
        np.testing.assert_array_equal(counts[:, j], [*expected, (share == share.max()).sum()])
    np.testing.assert_array_equal(counts.sum(axis=0), 30)


def test_a_sample_on_every_class_mean_zeroes_the_column(rng):
    y = np.repeat([0, 1], 5)
    X = np.c_[np.tile([-2.0, -1.0, 0.0, 1.0, 2.0], 2), rng.normal(size=10) + y]
    selector = ILFS(n_features_to_select=None).fit(X, y)
    assert selector.scores_[0] == 0
    only = ILFS(n_features_to_select=None).fit(X[:, :1], y)
    np.testing.assert_array_equal(only.scores_, [0.0])


def test_sweeps_are_bounded(labelled):
    assert ILFS(max_iter=3, n_features_to_select=None).fit(*labelled).n_iter_ == 3
    assert ILFS(max_iter=10_000, n_features_to_select=None).fit(*labelled).n_iter_ < 10_000


def test_scale_and_shift_change_nothing(labelled):
    X, y = labelled
    np.testing.assert_allclose(
        ILFS(n_features_to_select=None).fit(64 * X - 3, y).scores_,
        ILFS(n_features_to_select=None).fit(X, y).scores_,
        rtol=1e-6,
    )


def test_sparse_equals_dense(rng):
    X = sparse.random_array((60, 30), density=0.5, random_state=rng, format="csr")
    y = np.arange(60) % 3
    np.testing.assert_array_equal(
        ILFS(n_features_to_select=None).fit(X, y).scores_,
        ILFS(n_features_to_select=None).fit(X.toarray(), y).scores_,
    )


@pytest.mark.parametrize("params", [{"n_tokens": 1}, {"max_iter": 0}, {"n_tokens": 2.5}])
def test_parameters_out_of_range(params, labelled):
    with pytest.raises(ValueError, match=f"'{next(iter(params))}' parameter"):
        ILFS(**params, n_features_to_select=None).fit(*labelled)
