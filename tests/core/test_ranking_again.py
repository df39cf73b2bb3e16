"""Rules that use the table: fdr, predict, stability."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from inffs import InfFSS, InfFSU
from inffs.base import RankAgain
from inffs.cuts import Predict, Samples, Stability
from inffs.cuts.stability import nogueira, stability_curve
from inffs.methods import FisherScore
from inffs.target import make_target
from tests.core.planted import planted


@pytest.mark.parametrize("name", ["fdr", "predict", "stability"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_features(name, n):
    X, y = planted(1, 3.0, 7, n=n)
    cut = FisherScore(n_features_to_select=name).fit(X, y).cut_
    assert cut.name == name
    assert 1 <= cut.size <= n


@pytest.mark.parametrize("name", ["fdr", "predict", "stability"])
def test_multi_label_and_sparse(name, rng):
    X, y = planted(6, 3.0, 8, n=60)
    Y = np.stack([y, (X[:, 0] > 1).astype(int)], axis=1)
    for table, labels in ((X, Y), (sparse.csr_array(X), y)):
        selector = InfFSS((0.5, 0.5, 0.0), n_features_to_select=name).fit(table, labels)
        assert selector.support_[:1].all()
        assert selector.n_features_ < 60


@pytest.mark.parametrize("method", [FisherScore, InfFSS, InfFSU])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_ranking_a_part_is_fitting_it(method, form):
    X, y = planted(5, 2.0, 0, T=40, n=30)
    part = np.arange(0, 40, 3)
    selector = method(n_features_to_select=30)
    labels = y[part] if selector._supervised else None
    again = RankAgain(clone(selector))
    order = again(Samples(form(X), None if labels is None else make_target(y)).take(part), 30)
    np.testing.assert_array_equal(order, selector.fit(form(X)[part], labels).order_)


@pytest.mark.parametrize("wrong", [{"share": 0}, {"share": 1.0}, {"subsamples": 1}])
def test_no_stability_of_one_part(wrong):
    with pytest.raises(ValueError, match="share between 0 and 1 and at least 2 subsamples"):
        Stability(**wrong)


def test_stability_of_every_size_is_nogueira_s(rng):
    base = rng.normal(size=30) * 2
    orders = np.stack([np.argsort(base + rng.normal(size=30)) for _ in range(7)])
    expected = [nogueira(list(orders[:, :k]), 30) for k in range(1, 30)]
    np.testing.assert_allclose(stability_curve(orders), expected, atol=1e-12)


@pytest.mark.parametrize("method", [FisherScore, InfFSU])
def test_the_stable_size_is_that_of_the_planted_group(method, rng):
    X, y = planted(12, 4.0, 12, T=80, n=300)
    X[:, :12] *= 20  # what the unsupervised score sees
    cut = method(n_features_to_select=Stability(subsamples=10)).fit(X, y).cut_
    assert cut.name == "stability"
    assert cut.size == 12


def test_scores_of_a_size_are_those_of_a_pipeline():
    """One size after the other by cross_val_score, the selection a step of the pipeline."""
    X, y = planted(8, 1.0, 13, T=80, n=100)
    cv, model = StratifiedKFold(4), LogisticRegression()
    rule = Predict(estimator=model, cv=cv)
    found = FisherScore(n_features_to_select=rule).fit(X, y).size_selection_
    for size in (1, 10, 100):
        pipeline = make_pipeline(FisherScore(n_features_to_select=size), model)
        expected = cross_val_score(pipeline, X, y, cv=cv)
        np.testing.assert_allclose(found.scores[:, found.place(size)], expected, atol=1e-9)
