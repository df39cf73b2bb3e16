"""Landmarks: exact where all features serve, near and honest about it where some do."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from inffs import InfFSU, inf_fs


@pytest.fixture
def X(rng):
    hidden = rng.normal(size=(60, 8))
    X = hidden @ rng.normal(size=(8, 900)) + 2 * rng.normal(size=(60, 900))
    X *= rng.uniform(0.5, 1.5, 900)
    X[:, 5] = 1.0
    X[:, 700] = X[:, 3]
    return X


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_all_features_as_landmarks_are_exact(alpha, X):
    exact = InfFSU(alpha).fit(X)
    near = InfFSU(alpha, solver="landmarks", n_landmarks=900).fit(X)
    np.testing.assert_allclose(near.scores_, exact.scores_, rtol=1e-3)
    assert near.landmarks_.errors.max() == 0.0
    assert near.landmarks_.expected_overlap(20) == 1.0


def test_more_landmarks_come_nearer(X):
    exact = InfFSU(0.3).fit(X).scores_
    taus = []
    for count in (32, 128, 512):
        near = InfFSU(0.3, solver="landmarks", n_landmarks=count, random_state=0).fit(X)
        taus.append(kendalltau(near.scores_, exact).statistic)
    assert taus == sorted(taus)
    assert taus[-1] > 0.95


def test_expected_overlap_is_the_overlap(X):
    best = set(np.argsort(-InfFSU(0.3).fit(X).scores_)[:50])
    seen, promised = [], []
    for seed in range(10):
        near = InfFSU(0.3, solver="landmarks", n_landmarks=128, random_state=seed).fit(X)
        seen.append(len(best & set(near.order_[:50])) / 50)
        promised.append(near.landmarks_.expected_overlap(50))
    assert np.mean(promised) == pytest.approx(np.mean(seen), abs=0.1)


def test_seeded_ties_and_constants(X):
    fits = [
        InfFSU(0.3, solver="landmarks", n_landmarks=64, random_state=4).fit(X) for _ in range(2)
    ]
    np.testing.assert_array_equal(fits[0].scores_, fits[1].scores_)
    assert fits[0].scores_[3] == fits[0].scores_[700]
    assert fits[0].order_[-1] == 5
    assert 5 not in fits[0].landmarks_.features


def test_auto_turns_to_landmarks_by_the_size_of_the_table(X, monkeypatch):
    """Operations are counted: neither a clock nor the machine's load has a say."""
    assert not hasattr(InfFSU(n_landmarks=64).fit(X), "landmarks_")
    monkeypatch.setattr(inf_fs, "PATIENCE", 3 * 899**2 * 100)
    assert not hasattr(InfFSU(n_landmarks=64).fit(X), "landmarks_")
    monkeypatch.setattr(inf_fs, "PATIENCE", 3 * 898**2 * 100)
    with pytest.warns(UserWarning, match=r"899 features .* 2.4e\+08 operations .* 64 landmarks"):
        near = InfFSU(n_landmarks=64).fit(X)
    assert near.landmarks_.features.size == 64
    assert not hasattr(InfFSU(solver="exact").fit(X), "landmarks_")
