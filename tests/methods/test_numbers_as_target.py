"""Numbers as target of ReliefF, the lassos and the pursuits, against others' numbers."""

from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.feature_selection import f_regression
from sklearn.linear_model import Lasso, lars_path
from sklearn.preprocessing import scale

from inffs import rank
from inffs.methods import NHTP, GraHTP, LassoHinge, LassoUnhinged, ReliefF


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    y = y + 0.5  # a fraction: regression
    return scale(X), y


def naive_rrelieff(X, y, k, sigma=None):
    """Fig. 3 of Robnik-Sikonja and Kononenko 2003, sample by sample, every one a query."""
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    y = (y - y.min()) / np.ptp(y)
    distances = cdist(X, X, "cityblock")
    rank_weight = np.ones(k) if sigma is None else np.exp(-((np.arange(1, k + 1) / sigma) ** 2))
    rank_weight /= rank_weight.sum()
    ndc, nda, ndcda = 0.0, np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for i in range(len(y)):
        near = [j for j in np.argsort(distances[i], kind="stable") if j != i][:k]
        for j, weight in zip(near, rank_weight, strict=True):
            change, moved = abs(y[i] - y[j]), np.abs(X[i] - X[j])
            ndc += change * weight
            nda += moved * weight
            ndcda += change * moved * weight
    return ndcda / ndc - (nda - ndcda) / (len(y) - ndc)


@pytest.mark.parametrize(("k", "sigma"), [(10, None), (7, 3.0), (70, 20.0)])
def test_rrelieff_is_the_published_formula(k, sigma, rng):
    X = rng.normal(size=(80, 12))
    y = X[:, 3] + X[:, 5] * X[:, 7] + 0.1 * rng.normal(size=80)
    found = ReliefF(n_neighbors=k, sigma=sigma, n_features_to_select=None).fit(X, y).scores_
    np.testing.assert_allclose(found, naive_rrelieff(X, y, k, sigma), rtol=1e-10, atol=1e-13)


def test_rrelieff_sees_a_product_that_no_single_measure_sees(rng):
    X = rng.uniform(-1, 1, size=(400, 8))
    y = X[:, 2] * X[:, 6]
    assert set(ReliefF(n_neighbors=10, n_features_to_select=None).fit(X, y).order_[:2]) == {2, 6}
    assert f_regression(X, y)[0][[2, 6]].max() < 10


def test_rrelieff_of_neighbours_that_never_differ(rng):
    X = rng.normal(size=(30, 3)) + 100 * (np.arange(30) % 2)[:, None]
    scores = (
        ReliefF(n_neighbors=3, target_type="regression", n_features_to_select=None)
        .fit(X, np.arange(30) % 2)
        .scores_
    )
    assert np.isfinite(scores).all()


def test_the_lasso_at_one_alpha_is_scikit_learns(diabetes):
    X, y = diabetes
    found = LassoHinge(alpha=0.05).fit(X, y)
    theirs = np.abs(Lasso(0.05, tol=1e-10).fit(X, scale(y)).coef_)
    np.testing.assert_allclose(found.scores_, theirs, atol=1e-6)
    assert found.n_features_ == np.count_nonzero(theirs)


def test_features_enter_as_on_the_exact_path(diabetes):
    X, y = diabetes
    X, y = X[:, :8], scale(y)
    found = LassoHinge(n_alphas=400).fit(X, y)
    alphas, _, weights = lars_path(X, y, method="lasso")
    first = np.array([alphas[np.flatnonzero(w)[0] - 1] for w in weights])
    np.testing.assert_array_equal(found.order_, np.argsort(-first))
    assert (found.scores_ <= first * (1 + 1e-9)).all()
    assert (found.scores_ >= first * 0.98).all()


def test_the_unhinged_lasso_ranks_by_correlation(diabetes):
    X, y = diabetes
    found = LassoUnhinged().fit(X, y)
    r = np.abs([np.corrcoef(column, y)[0, 1] for column in X.T])
    np.testing.assert_allclose(found.scores_, r, rtol=1e-10)
    kept = LassoUnhinged(alpha=0.3).fit(X, y)
    np.testing.assert_allclose(kept.scores_, np.maximum(r - 0.3, 0), atol=1e-12)


@pytest.mark.parametrize("make", [NHTP, GraHTP])
def test_pursuits_solve_least_squares_on_their_support(make, diabetes):
    X, y = diabetes
    found = make(n_features_to_select=4).fit(X, y)
    kept = found.get_support(indices=True)
    solved = np.linalg.lstsq(X[:, kept], scale(y), rcond=None)[0]
    np.testing.assert_allclose(found.scores_[kept], np.abs(solved), rtol=1e-5)


@pytest.mark.parametrize("make", [NHTP, GraHTP])
def test_pursuits_find_the_best_of_all_subsets(make, rng):
    """A planted model among ten columns: every subset of three is tried."""
    X = scale(rng.normal(size=(60, 10)))
    y = X[:, [1, 4, 8]] @ [1.0, -0.7, 0.5] + 0.3 * rng.normal(size=60)
    y -= y.mean()
    rest = {
        subset: np.linalg.lstsq(X[:, list(subset)], y, rcond=None)[1][0]
        for subset in combinations(range(10), 3)
    }
    found = make(n_features_to_select=3).fit(X, y).get_support(indices=True)
    assert tuple(found) == min(rest, key=rest.get)


@pytest.mark.parametrize("key", ["relieff", "lasso-hinge", "lasso-unhinged", "nhtp", "grahtp"])
def test_friedmans_columns_stand_before_noise(key):
    X, y = make_friedman1(300, 10, noise=0.5, random_state=1)
    linear = {0, 1, 3, 4}
    assert len(linear & set(rank(X, y, method=key, n_features_to_select=5).order_[:5])) >= 3


@pytest.mark.parametrize("key", ["lasso-unhinged", "fisher"])
def test_two_values_rank_as_two_classes(key, rng):
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 15)) + np.outer(y, np.linspace(0, 1, 15))
    classes = rank(X, y, method=key)
    numbers = rank(X, y, method=key, target_type="regression")
    assert (classes.target_type_, numbers.target_type_) == ("classification", "regression")
    np.testing.assert_array_equal(classes.order_, numbers.order_)
