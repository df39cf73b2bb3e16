"""The linear evaluator against liblinear on the benchmark's tables."""

import os

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from inffs.comparison.trial import prepare
from inffs.evaluation import EVALUATORS, Part, holdout
from inffs.target import make_target
from reproduction.datasets import known, load

SETS = [entry.name for entry in known()]
COLUMNS, SAMPLES, C = 200, 1200, 0.1


def a_part(name):
    """200 columns and at most 1,200 training samples of a set, all the rest to test on."""
    dataset = load(name)
    train, test = holdout(dataset.y, 0.3, 0)
    rng = np.random.default_rng(0)
    if train.size > SAMPLES:
        train = np.sort(rng.permutation(train)[:SAMPLES])
    columns = np.sort(rng.permutation(dataset.X.shape[1])[:COLUMNS])
    table = prepare(dataset.X[:, columns], train)
    return Part(table, make_target(dataset.y), train, test)


def by_liblinear(part):
    """Predictions of liblinear with a nearly free intercept, one label at a time, to 1e-10."""
    A, B = part.standardised(np.arange(part.X.shape[1]))
    svm = LinearSVC(C=C, dual=False, intercept_scaling=1e4, tol=1e-10, max_iter=100_000)
    each = []
    for y in part.target.columns(part.train).T:
        one = np.unique(y).size == 1
        values = (
            np.full(part.test.size, y[0])
            if one
            else svm.fit(A.astype(float), y).decision_function(B)
        )
        each.append(values)
    return part.target.predict(np.stack(each, axis=1))


@pytest.mark.slow
@pytest.mark.skipif("INFFS_DATA" not in os.environ, reason="needs the benchmark's tables")
@pytest.mark.parametrize("name", SETS)
def test_predictions_are_liblinears(name):
    part = a_part(name)
    outputs = EVALUATORS["linear"].outputs(part, [np.arange(part.X.shape[1])], [C])[0][0]
    ours, theirs = part.target.predict(outputs), by_liblinear(part)
    assert np.mean(ours == theirs) >= 0.999
