"""The estimators: invariances, manners, every kind of input."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from inffs import InfFS, InfFSS, InfFSU
from inffs.graph import tiles
from inffs.methods import FSV
from inffs.relations import Coupling, Decorrelation, Dispersion


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([InfFS()])
def test_scikit_learn_manners(estimator, check):
    check(estimator)


def correlated(rng, n):
    X = rng.normal(size=(25, 5)) @ rng.normal(size=(5, n)) + rng.normal(size=(25, n))
    X[:, 40] = X[:, 3]
    X[:, 99] = X[:, 3]
    return X


@pytest.fixture
def wide(rng):
    return correlated(rng, 150)


@pytest.fixture
def wider(rng):
    """Several tiles, stored or passing, in single precision."""
    return correlated(rng, 2600)


def test_identical_columns_tie_exactly(wider):
    for alpha in (0.0, 0.4, 1.0):
        selector = InfFSU(alpha).fit(wider)
        assert selector.scores_[3] == selector.scores_[40] == selector.scores_[99]
        places = selector.ranking_[[3, 40, 99]]
        assert places.tolist() == sorted(places)


def test_tiles_stored_or_not(wider):
    stored = InfFSU(0.3).fit(wider).scores_
    passing = InfFSU(0.3, memory_limit=0).fit(wider).scores_
    np.testing.assert_allclose(passing, stored, rtol=1e-7)


def test_threads_do_not_change_a_bit(wider):
    from threadpoolctl import threadpool_limits

    answers = []
    for count in (1, 2):
        with threadpool_limits(count, user_api="blas"):
            answers.append(InfFSU(0.3).fit(wider).scores_)
    np.testing.assert_array_equal(*answers)


def test_monotone_maps_change_nothing_without_dispersion(wide):
    bent = np.exp(wide / 10) ** 3 + 2
    np.testing.assert_allclose(
        InfFSU(0.0).fit(bent).scores_, InfFSU(0.0).fit(wide).scores_, rtol=1e-12
    )


def test_common_scale_changes_nothing(wide):
    np.testing.assert_allclose(
        InfFSU(0.5).fit(1e6 * wide - 7).scores_, InfFSU(0.5).fit(wide).scores_, rtol=1e-9
    )


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_equals_dense(make, rng):
    S = sparse.random(40, 70, 0.15, random_state=5, data_rvs=rng.standard_normal).tocsr()
    y = np.arange(40) % 2
    D = S.toarray()
    relation = Dispersion() + Decorrelation("pearson", power=2)
    for selector in (InfFSU(0.3), InfFSS(n_features_to_select=3), InfFS(relation)):
        thin, full = clone(selector).fit(make(S), y), clone(selector).fit(D, y)
        np.testing.assert_allclose(thin.scores_, full.scores_, rtol=1e-10)
        np.testing.assert_array_equal(thin.support_, full.support_)
        assert sparse.issparse(thin.transform(make(S)))


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, bool])
def test_number_types(dtype, rng):
    X = rng.integers(0, 2 if dtype is bool else 9, size=(30, 8)).astype(dtype)
    scores = InfFSU().fit(X).scores_
    np.testing.assert_allclose(scores, InfFSU().fit(X.astype(float)).scores_, rtol=1e-7)


def test_memory_mapped_read_only_and_strided_input(wide, tmp_path):
    expected = InfFSU().fit(wide).scores_
    np.save(tmp_path / "X.npy", wide)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    doubled = np.repeat(wide, 2, axis=1)[:, ::2]
    for X in (mapped, doubled, np.asfortranarray(wide)):
        before = X.copy()
        np.testing.assert_allclose(InfFSU().fit(X).scores_, expected, rtol=1e-12)
        np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("library", [pd, pl])
def test_data_frames_in_and_out(library, labelled):
    X, y = labelled
    names = [f"gene {j}" for j in range(12)]
    frame = library.DataFrame({name: X[:, j] for j, name in enumerate(names)})
    output = "pandas" if library is pd else "polars"
    selector = InfFSS(n_features_to_select=4).set_output(transform=output).fit(frame, y)
    small = selector.transform(frame)
    assert isinstance(small, library.DataFrame)
    assert list(small.columns) == list(selector.get_feature_names_out())
    np.testing.assert_array_equal(
        selector.scores_, InfFSS(n_features_to_select=3).fit(X, y).scores_
    )


def test_inside_pipeline_and_grid_search(labelled):
    X, y = labelled
    pipeline = make_pipeline(InfFSU(n_features_to_select=4), LinearSVC(max_iter=100_000))
    search = GridSearchCV(pipeline, {"inffsu__alpha": [0.1, 0.5, 0.9]}, cv=3).fit(X, y)
    assert search.best_estimator_[0].n_features_ == 4


@pytest.mark.parametrize(
    "selector", [InfFSU(), InfFSS(n_features_to_select=3), InfFS(0.2 * Dispersion())]
)
def test_clone_and_pickle(selector, labelled):
    X, y = labelled
    copy = pickle.loads(pickle.dumps(clone(selector).fit(X, y)))
    np.testing.assert_array_equal(copy.scores_, selector.fit(X, y).scores_)
    np.testing.assert_array_equal(copy.walk_.scores(2), selector.walk_.scores(2))


def test_fitted_selectors_are_light(rng):
    X = rng.normal(size=(400, 300))
    assert len(pickle.dumps(InfFSU().fit(X))) < X.nbytes / 4


@pytest.mark.parametrize(
    ("size", "kept"), [(3, 3), (np.int64(3), 3), (0.25, 3), (1.0, 12), (0.001, 1), ("knee", None)]
)
def test_sizes(size, kept, labelled):
    X, _ = labelled
    selector = InfFSU(n_features_to_select=size).fit(X)
    assert selector.transform(X).shape[1] == selector.n_features_ == (kept or selector.cut_.size)


def test_multi_label(labelled, rng):
    X, _ = labelled
    Y = rng.integers(0, 2, size=(40, 3))
    selector = InfFSS(n_features_to_select=3).fit(X, Y)
    assert np.isfinite(selector.scores_).all()
    again = InfFSS(n_features_to_select=3).fit(X, sparse.csr_array(Y))
    np.testing.assert_array_equal(selector.scores_, again.scores_)
    with pytest.raises(ValueError, match="y has 3 columns"):
        FSV().fit(X, Y)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alpha": 1.5}, "'alpha' parameter of InfFSU must be a float in the range"),
        ({"alpha": -0.1}, "'alpha'"),
        ({"factor": 1.0}, "'factor'"),
        ({"regularization": "none"}, "'regularization'"),
        ({"series": "harmonic"}, "'series'"),
        ({"memory_limit": -1}, "'memory_limit'"),
    ],
)
def test_parameters_out_of_range(params, message, labelled):
    with pytest.raises(ValueError, match=message):
        InfFSU(**params).fit(labelled[0])


@pytest.mark.parametrize("weights", [(0.5, 0.5, 0.5), (1.2, -0.2, 0), (0.5, 0.5), "abc"])
def test_weights_that_do_not_sum_to_one(weights, labelled):
    with pytest.raises(ValueError, match="weights"):
        InfFSS(weights).fit(*labelled)


def test_progress_is_told_and_complete(wider):
    from inffs._utils.progress import listen

    heard = []
    with listen(lambda what, done, total: heard.append((what, done, total))):
        InfFSU().fit(wider)
    names = {what for what, _, _ in heard}
    assert names == {"ranking columns", "walking the graph"}
    for name in names:
        told = [(done, total) for what, done, total in heard if what == name]
        assert told[-1][0] == told[-1][1]
        assert [done for done, _ in told] == sorted(done for done, _ in told)
    n, (height, width) = wider.shape[1], tiles.STORED_SHAPE
    rest = [max(0, n - start - height) for start in range(0, n, height)]
    tiles_of_a_pass = sum(1 + -(-left // width) for left in rest)
    walked = [total for what, _, total in heard if what == "walking the graph"]
    assert walked[0] == 5 * tiles_of_a_pass  # five passes are usual


def test_steps_are_foreseen_while_the_walk_goes_on(wide):
    """Once the scores have moved three times, their pace tells when they will stand still."""
    from inffs._utils.progress import listen

    heard = []
    with listen(lambda what, done, total: heard.append((what, done, total))):
        steps = InfFSU(0.3).fit(wide).walk_.steps
    told = [(done, total) for what, done, total in heard if what == "walking the graph"]
    a_pass = told[0][1] // 5
    late = {total // a_pass for done, total in told if done > 4 * a_pass}
    assert steps > 5
    assert max(abs(guess - steps) for guess in late) <= 1


def test_a_second_fit_leaves_nothing_of_the_first(wide):
    selector = InfFSU()
    frame = pd.DataFrame(wide).add_prefix("f")
    assert not hasattr(selector.fit(frame).fit(wide), "feature_names_in_")


def test_classes_of_a_multi_label_fit_are_0_and_1(rng):
    Y = rng.integers(0, 2, size=(20, 3))
    selector = InfFSS(n_features_to_select=2).fit(rng.normal(size=(20, 5)), Y)
    np.testing.assert_array_equal(selector.classes_, [0, 1])


@pytest.mark.parametrize("regularization", ["spectral", "markov"])
@pytest.mark.parametrize("factor", [0.3, 0.9])
@pytest.mark.parametrize("series", ["geometric", "exponential"])
def test_no_setting_of_the_walk_changes_the_ranking_of_rank_one(
    regularization, factor, series, labelled
):
    """A = s s': every length is s times a number, so the scores are s times f(r s's) / s's e's."""
    X, y = labelled
    walked = {"regularization": regularization, "factor": factor, "series": series}
    general = InfFS(Coupling(), n_features_to_select=3, memory_limit=0, **walked).fit(X, y)
    plain = InfFSS(n_features_to_select=3).fit(X, y)
    np.testing.assert_array_equal(general.order_, plain.order_)
    ratio = general.scores_[plain.scores_ > 0] / plain.scores_[plain.scores_ > 0]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)


def test_scores_that_stop_changing_at_once_give_no_warning():
    table = [[0, 1, 1, 1], [2, 0, 1, 0], [2, 2, 1, 2], [2, 1, 0, 1], [1, 2, 2, 2], [2, 2, 0, 2]]
    selector = InfFSU(n_features_to_select=1).fit(np.array(table)[:, [0, 1, 2, 3, 0]])
    assert selector.scores_[1] == selector.scores_[3]
