"""All evaluators on tables without signal, with odd classes and with odd columns."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from inffs._utils.threads import dense
from inffs.evaluation import EVALUATORS, LinearSVM, Part, assess, find_evaluator, make_folds
from inffs.evaluation.folds import holdout, inner_products, standardise
from inffs.target import REGRESSION, make_target

CLASSIFIERS = [
    evaluator for evaluator in EVALUATORS.values() if "classification" in evaluator.targets
]
NAMES = [evaluator.name for evaluator in CLASSIFIERS]


def part_of(X, y, seed=0, kind="auto"):
    y = np.asarray(y)
    return Part(X, make_target(y, kind), *holdout(y, 0.3, seed))


def verdict(evaluator, X, y, sizes, seed=0):
    part = part_of(X, y, seed)
    subsets = [np.arange(size) for size in sizes]
    return assess(evaluator, part, subsets, make_folds(np.asarray(y)[part.train]))


@pytest.mark.parametrize("evaluator", CLASSIFIERS, ids=NAMES)
def test_shuffled_labels_give_chance(evaluator):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    found = [
        verdict(evaluator, rng.normal(size=(120, 20)), rng.permutation(y), [5, 20], seed)
        for seed in range(10)
    ]
    for place in (0, 1):
        each = [trial[place]["balanced_accuracy"] for trial in found]
        # 10 test parts of 36: a standard error of about 2.6 points
        assert abs(np.mean(each) - 0.5) < 0.08
        assert abs(np.mean([trial[place]["auc"] for trial in found]) - 0.5) < 0.09


@pytest.mark.parametrize("evaluator", CLASSIFIERS, ids=NAMES)
def test_no_size_is_rewarded_without_signal_in_unbalanced_classes(evaluator):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [108, 12])
    found = np.array([
        [row["balanced_accuracy"] for row in
         verdict(evaluator, rng.normal(size=(120, 40)), rng.permutation(y), [2, 10, 40], seed)]
        for seed in range(10)
    ])  # fmt: skip
    assert (np.abs(found.mean(axis=0) - 0.5) < 0.1).all()
    accuracy = verdict(evaluator, rng.normal(size=(120, 40)), rng.permutation(y), [2, 10, 40])
    assert max(row["accuracy"] for row in accuracy) <= 0.93


@pytest.mark.parametrize("evaluator", CLASSIFIERS, ids=NAMES)
@pytest.mark.parametrize(
    "case", ["missing", "two", "constant", "scales", "one column", "separable"]
)
def test_odd_tables_get_a_finite_answer(evaluator, case):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(36, 6)), np.repeat([0, 1, 2], 12)
    X[:, 0] += 3 * y
    train, test = np.arange(0, 36, 2), np.arange(1, 36, 2)
    if case == "missing":
        train = train[y[train] != 2]
    elif case == "two":
        X, y, train, test = (
            X[[0, 1, 12, 13, 24, 25]],
            np.repeat([0, 1, 2], 2),
            np.arange(0, 6, 2),
            np.arange(1, 6, 2),
        )
    elif case == "constant":
        X[:, 1], X[train, 2] = 7.0, 1e9
    elif case == "scales":
        X = X * np.array([1e-6, 1e6, 1e-3, 1, 1e3, 1e6]) + 1e6
    elif case == "separable":
        X[:, 0] = 100 * y
    subsets = [np.array([0]), np.arange(6)] if case != "one column" else [np.array([0])]
    outputs = evaluator.outputs(
        Part(X, make_target(y), train, test),
        subsets,
        [5] if evaluator.name == "knn" else [1.0, 1e6],
    )
    assert all(np.isfinite(each).all() for each in outputs)
    if case in ("separable", "scales", "constant"):
        predicted = make_target(y).predict(outputs[0][0])
        assert np.mean(predicted == y[test]) > 0.6  # one line cannot part the middle class


@pytest.mark.parametrize("evaluator", CLASSIFIERS, ids=NAMES)
def test_a_single_class_in_training_is_predicted_everywhere(evaluator):
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.repeat([0, 1], 10)
    part = Part(X, make_target(y), np.arange(10, 18), np.array([0, 1, 18, 19]))
    outputs = evaluator.outputs(part, [np.arange(3)], [evaluator.usual])[0][0]
    assert (make_target(y).predict(outputs) == 1).all()


@pytest.mark.parametrize("evaluator", CLASSIFIERS, ids=NAMES)
def test_scale_and_order_of_columns_do_not_matter(evaluator):
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 8)) + 0.8 * y[:, None]
    part, settings = part_of(X, y), [evaluator.usual]
    moved = Part(X * 1e12 ** rng.random(8) - 5, part.target, part.train, part.test)
    plain = evaluator.outputs(part, [np.arange(8)], settings)[0]
    np.testing.assert_allclose(
        evaluator.outputs(moved, [np.arange(8)], settings)[0], plain, atol=2e-3
    )
    turned = evaluator.outputs(part, [np.arange(8)[::-1]], settings)[0]
    np.testing.assert_allclose(turned, plain, atol=2e-3)


@pytest.mark.parametrize("evaluator", CLASSIFIERS, ids=NAMES)
@pytest.mark.parametrize("classes", [2, 3])
def test_sparse_is_dense(evaluator, classes):
    rng = np.random.default_rng(4)
    y = np.arange(60) % classes
    X = rng.exponential(size=(60, 12)) * (rng.random((60, 12)) < 0.4 + 0.2 * y[:, None])
    parts = [part_of(X, y), part_of(sparse.csr_matrix(X), y)]
    found = [
        evaluator.outputs(part, [np.arange(10), np.arange(12)], [evaluator.usual]) for part in parts
    ]
    for left, right in zip(*found, strict=True):
        if evaluator.name == "hinge":  # libsvm ends within 1e-3, so a vote may turn
            left, right = (parts[0].target.predict(each[0]) for each in (left, right))
            assert np.mean(left == right) > 0.9
        else:
            np.testing.assert_allclose(left, right, atol=2e-3)


def test_products_of_many_columns_are_those_of_all_at_once():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(50, 2100))
    part = part_of(X, np.arange(50) % 3)
    for table in (X, sparse.csr_matrix(X)):
        part = Part(table, part.target, part.train, part.test)
        order = rng.permutation(2100)
        A, B = map(dense, part.standardised(order))
        found = inner_products(part, order)
        for each, whole in zip(found, (A @ A.T, B @ A.T, (B * B).sum(axis=1)), strict=True):
            np.testing.assert_allclose(each, whole, rtol=1e-9, atol=1e-9)


def test_hinge_rbf_and_neighbours_are_scikit_learns():
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1, 2], 30)
    X = rng.normal(size=(90, 5)) + y[:, None]
    part = part_of(X, y)
    A, B = part.standardised(np.arange(5))
    distances = ((A[:, None] - A) ** 2).sum(axis=2)[np.triu_indices(len(A), 1)]
    peers = {
        "hinge": SVC(kernel="linear", C=0.1),
        "rbf": SVC(kernel="rbf", gamma=1 / np.median(distances), C=0.1),
        "knn": KNeighborsClassifier(5),
    }
    for name, peer in peers.items():
        outputs = EVALUATORS[name].outputs(part, [np.arange(5)], [EVALUATORS[name].usual])[0][0]
        theirs = peer.fit(A, y[part.train]).predict(B)
        assert np.mean(part.target.predict(outputs) == theirs) == 1.0


@pytest.mark.parametrize("n", [4, 80])
def test_ridge_is_scikit_learns_and_takes_numbers(n):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(50, n))
    y = X[:, 0] + 0.1 * rng.normal(size=50)
    part = Part(X, make_target(y, REGRESSION), np.arange(35), np.arange(35, 50))
    A, B = part.standardised(np.arange(n))
    outputs = EVALUATORS["ridge"].outputs(part, [np.arange(n)], [0.1, 10.0])[0]
    for each, C in zip(outputs, (0.1, 10.0), strict=True):
        peer = Ridge(alpha=0.5 / C).fit(A, y[part.train])
        np.testing.assert_allclose(each[:, 0], peer.predict(B), rtol=1e-8)
    row = assess(EVALUATORS["ridge"], part, [np.arange(1)], make_folds(part.target.strata()[:35]))[
        0
    ]
    assert row["r2"] > 0.9


def test_several_labels():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(80, 6))
    Y = (X[:, :3] + 0.3 * rng.normal(size=(80, 3)) > 0).astype(int)
    Y = np.hstack([Y, np.zeros((80, 1), dtype=int)])  # a label that never occurs
    part = Part(X, make_target(Y), np.arange(56), np.arange(56, 80))
    for evaluator in CLASSIFIERS:
        row = assess(evaluator, part, [np.arange(6)], make_folds(Y[:56]))[0]
        assert row["mean_average_precision"] > 0.8


def test_standardise_is_scikit_learns_and_silences_constants():
    X = np.random.default_rng(9).normal(size=(20, 4)) * [1, 10, 1e-9, 1] + [0, 5, 0, 1e9]
    X[:15, 3] = 1e9
    A, B = standardise(X[:15], X[15:])
    scaler = StandardScaler().fit(X[:15])
    np.testing.assert_allclose(A[:, :3], scaler.transform(X[:15])[:, :3])
    np.testing.assert_allclose(B[:, :3], scaler.transform(X[15:])[:, :3])
    assert not A[:, 3].any()
    assert not B[:, 3].any()


def test_an_estimator_of_the_users_is_fitted_on_the_columns_and_names_given():
    X, y = np.random.default_rng(0).normal(size=(40, 4)), np.repeat(["a", "b"], 20)
    X[:, 1] += 3 * (y == "b")
    evaluator, part = find_evaluator(KNeighborsClassifier(3), "balanced_accuracy"), part_of(X, y)
    score = evaluator.scores(part, [np.array([1]), np.array([0])])
    assert score.shape == (2, 1)
    assert score[0, 0] > 0.8 > score[1, 0]


def test_a_scoring_alone_goes_with_the_default_evaluator():
    X, y = np.random.default_rng(0).normal(size=(40, 4)), np.repeat(["a", "b"], 20)
    evaluator, part = find_evaluator(None, "accuracy"), part_of(X, y)
    A, B = part.standardised(np.arange(4))
    peer = LinearSVM(0.1).fit(A, y[part.train]).score(B, y[part.test])
    assert evaluator.scores(part, [np.arange(4)])[0, 0] == peer


def test_an_unknown_evaluator_is_told():
    with pytest.raises(ValueError, match=r"'hinge' for regression.* rbf, knn, ridge"):
        find_evaluator("hinge", kind="regression")
