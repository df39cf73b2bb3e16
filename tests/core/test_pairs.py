"""Paired designs: differences within pairs."""

import numpy as np
import pytest
from scipy import stats

from inffs.methods import FisherScore
from inffs.validation.pairs import within_pairs


@pytest.fixture
def paired(rng):
    """30 patients; features 0 to 2 differ within a patient, and far more between patients."""
    m, n = 30, 60
    patients = np.tile(np.arange(m), 2)
    y = np.repeat(["normal", "tumour"], m)
    X = rng.normal(size=(2 * m, n))
    X[:, :3] += rng.normal(scale=50, size=(m, 3))[patients]
    X[m:, :3] += 2.0
    order = rng.permutation(2 * m)
    return X[order], y[order], patients[order]


def test_fisher_of_differences_is_the_paired_t_test(paired):
    X, y, pairs = paired
    differences, classes = within_pairs(X, y, pairs)
    assert classes.tolist() == y.tolist()
    found = FisherScore(n_features_to_select=3).fit(differences, classes, groups=pairs)
    first, second = (X[y == name][np.argsort(pairs[y == name])] for name in ("normal", "tumour"))
    t = stats.ttest_rel(first, second).statistic
    squares = found.scores_ * np.max(t**2) / found.scores_.max()
    np.testing.assert_allclose(squares, t**2, rtol=1e-9)


def test_pairs_find_what_levels_of_patients_hide(paired):
    X, y, pairs = paired
    hidden = FisherScore(n_features_to_select=3).fit(X, y)
    found = FisherScore(n_features_to_select=3).fit(*within_pairs(X, y, pairs), groups=pairs)
    assert set(found.get_support(indices=True)) == {0, 1, 2}
    assert not set(hidden.get_support(indices=True)) & {0, 1, 2}


def test_numbers_are_centred_and_missing_values_stay_with_their_pair():
    X = np.array([[1.0, np.nan], [3.0, 2.0], [5.0, 4.0], [6.0, 8.0]])
    differences, y = within_pairs(X, [0.5, 1.5, 2.25, 0.25], ["a", "a", "b", "b"])
    assert y.tolist() == [-0.5, 0.5, 1.0, -1.0]
    assert np.isnan(differences[:2, 1]).all()
    assert differences[:, 0].tolist() == [-1.0, 1.0, -0.5, 0.5]
    assert differences[2:, 1].tolist() == [-2.0, 2.0]


@pytest.mark.parametrize(
    ("y", "pairs", "named"),
    [
        (["a", "b", "a"], ["p", "p", "q"], "'q'"),
        (["a", "a", "b", "a"], ["p", "p", "q", "q"], "'p'"),
        (["a", "b"], ["p"], "1 entries"),
    ],
)
def test_what_is_no_pair_is_named(y, pairs, named):
    with pytest.raises(ValueError, match=named):
        within_pairs(np.ones((len(y), 2)), y, pairs)
