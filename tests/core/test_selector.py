"""The base class on its own: methods that say what they are told, so every answer is known."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

from inffs.base import FeatureSelector
from inffs.cuts import Cut, SizeRule
from inffs.scores import Ranking
from inffs.validation.lazy import LazyTable


class Told(FeatureSelector):
    """Answers what it is told of the columns that vary."""

    def __init__(self, said=None, *, n_features_to_select="auto"):
        self.said = said
        self.n_features_to_select = n_features_to_select

    def _score(self, X, y):
        self.seen_ = X, y
        if isinstance(self.said, Exception):
            raise self.said
        return np.zeros(X.shape[1]) if self.said is None else self.said


class Supervised(Told):
    _supervised = True


class MultiLabel(Told):
    _supervised = _sparse = True
    _targets = ("classification", "multilabel")


class ColumnByColumn(Told):
    _lazy = True


class InMemory(LazyTable):
    def __init__(self, X, names=None):
        super().__init__(X.shape[0], names, np.arange(X.shape[1]))
        self.X = X

    def _read(self, columns):
        return self.X[:, columns]


@pytest.fixture
def X(rng):
    X = rng.normal(size=(10, 6))
    X[:, 2] = 5.0
    return X


def test_falling_scores_ties_to_the_smaller_index_constants_last(X):
    selector = Told(np.array([0.1, 0.7, 0.3, 0.7, 0.3]), n_features_to_select=2).fit(X)
    assert selector.order_.tolist() == [1, 4, 3, 5, 0, 2]
    assert selector.ranking_.tolist() == [5, 1, 6, 3, 2, 4]
    assert selector.scores_.tolist() == [0.1, 0.7, 0.0, 0.3, 0.7, 0.3]
    assert selector.get_support(indices=True).tolist() == [1, 4]
    assert selector.cut_ == Cut("given", 2, "2 of 6 features were asked for.")
    assert selector.seen_[0].shape == (10, 5)
    assert selector.seen_[1] is None
    assert selector.ties_.tolist() == [0, 1, 0, 1, 1, 1]


def test_constant_columns_tie_with_one_another(X):
    X[:, 5] = 1.0
    heights = np.array([2.0, 2.0, 1.0, 0.0])  # 0 by its method, not for being constant
    assert Told(heights).fit(X).ties_.tolist() == [1, 1, 1, 0, 0, 1]
    own = Ranking(heights, np.array([0, 1, 2, 3]), 2, "Mine.")
    assert Told(own).fit(X).ties_.tolist() == [0, 0, 1, 0, 0, 1]


@pytest.mark.parametrize(("lowest", "constant"), [(-3.0, -3.0), (0.0, 0.0), (0.5, 0.0), (2.0, 0.0)])
def test_constant_columns_score_nothing_or_the_lowest(lowest, constant, X):
    assert Told(np.array([4.0, 3.0, lowest, 5.0, 6.0])).fit(X).scores_[2] == constant


def test_own_order_and_own_size(X):
    said = Ranking(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([3, 0, 4, 1, 2]), 3, "Mine.")
    selector = Told(said).fit(X)
    assert selector.order_.tolist() == [4, 0, 5, 1, 3, 2]
    assert selector.cut_ == Cut("own", 3, "Mine.")
    assert selector.get_support(indices=True).tolist() == [0, 4, 5]
    assert Told(said, n_features_to_select=2).fit(X).cut_.name == "given"


@pytest.mark.parametrize("cut", ["knee", "auto"])
def test_own_size_is_for_auto_only(cut, X):
    said = Ranking(np.array([9.0, 8.0, 1.0, 0.5, 0.0]), np.arange(5), 4, "Mine.")
    selector = Told(said, n_features_to_select=cut).fit(X)
    assert selector.cut_.size == (4 if cut == "auto" else 2)
    assert selector.cut_.name == ("own" if cut == "auto" else cut)


@pytest.mark.parametrize("rise", [1e-9, 0.4, 3.0])
def test_cuts_do_not_read_scores_that_rise_along_the_order(rise, X):
    said = Ranking(np.array([9.0, 5.0, 5.0 + rise, 1.0, 0.0]), np.arange(5))
    with pytest.raises(ValueError, match=r"its own order .* the cut 'knee' cannot"):
        Told(said, n_features_to_select="knee").fit(X)
    level = Ranking(np.array([9.0, 5.0, 5.0, 1.0, 0.0]), np.arange(5))
    assert Told(level, n_features_to_select="knee").fit(X).cut_.size == 1


def test_a_size_rule_gets_values_and_a_callable_that_ranks_again(X):
    scores, order = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([3, 0, 4, 1, 2])

    class Look(SizeRule):
        def __call__(self, ranking, samples, rank_again):
            assert (ranking.scores.tolist(), ranking.order.tolist()) == (
                scores.tolist(),
                order.tolist(),
            )
            assert not ranking.falling
            assert rank_again(samples, 2).tolist()[: order.size] == order.tolist()
            return 1

    assert Told(Ranking(scores, order), n_features_to_select=Look()).fit(X).cut_.size == 1


@pytest.mark.parametrize(
    ("asked", "size"), [(1, 1), (6, 6), (0.05, 1), (0.2, 1), (0.3, 2), (0.5, 3), (1.0, 6)]
)
def test_sizes_and_shares(asked, size, X):
    assert Told(n_features_to_select=asked).fit(X).n_features_ == size


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite(value, X):
    with pytest.raises(ValueError, match=r"Told .* not finite"):
        Told(np.array([1.0, value, 1.0, 1.0, 1.0])).fit(X)


def test_equations_without_a_solution(X):
    with pytest.raises(ValueError, match=r"Told .*singular.*scale the columns"):
        Told(np.linalg.LinAlgError("singular")).fit(X)


def test_a_method_must_score(X):
    class Silent(FeatureSelector):
        def __init__(self, n_features_to_select="auto"):
            self.n_features_to_select = n_features_to_select

    with pytest.raises(TypeError, match="Silent does not define"):
        Silent().fit(X)


def test_large_values_are_refused_but_where_the_method_takes_them(X):
    class Unbounded(Told):
        _any_magnitude = True

    X[4, 3] = -1e200
    with pytest.raises(ValueError, match=r"X has -1e\+200 in column 3, row 4, and the squares"):
        Told().fit(X)
    assert Unbounded().fit(X).seen_[0].shape == (10, 5)


def test_the_first_column_of_text_is_named(X):
    table = X.astype(object)
    table[2:, 3] = "high"
    table[:, 5] = "low"
    with pytest.raises(ValueError, match="Column 3 of X is not numeric"):
        Told().fit(table)
    for wrong in (X[0], X[None], X.astype(complex)):  # scikit-learn's words for the rest
        with pytest.raises(ValueError, match=r"Expected 2D|dim 3|Complex data"):
            Told().fit(wrong)
    with pytest.raises(ValueError, match="could not convert string"):
        Told().fit(np.array(["a", "b"], dtype=object))


def test_labels_become_codes(X):
    y = np.array(["cat", "ape", "bee", "ape", "cat", "cat", "bee", "ape", "ape", "bee"])
    selector = Supervised().fit(X, y)
    assert selector.classes_.tolist() == ["ape", "bee", "cat"]
    assert selector.seen_[1].tolist() == [2, 0, 1, 0, 2, 2, 1, 0, 0, 1]
    with pytest.warns(DataConversionWarning, match="1d array was expected"):
        column = Supervised().fit(X, y[:, None])
    assert column.seen_[1].tolist() == selector.seen_[1].tolist()


def test_several_columns_of_labels(X):
    Y = np.arange(30).reshape(10, 3) % 2
    for given in (Y, sparse.csr_array(Y), Y.astype(bool)):
        selector = MultiLabel(n_features_to_select=2).fit(X, given)
        assert selector.seen_[1].tolist() == Y[:, -1].tolist()  # the labels come one by one
        assert selector.seen_[1].dtype == int
        assert selector.classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"y has 3 columns .*multilabel-indicator.* takes one"):
        Supervised().fit(X, Y)
    for kind in (Supervised, MultiLabel):
        with pytest.raises(ValueError, match=r"y has 2 columns .*multiclass-multioutput"):
            kind().fit(X, np.arange(20).reshape(10, 2) % 5)
        for numbers in (X[:, 0], X[:, :2]):
            with pytest.raises(ValueError, match=r"y is continuous .*bin y into classes"):
                kind().fit(X, numbers)


def test_tables_on_disk(X):
    names = list("abcdef")
    selector = ColumnByColumn(n_features_to_select=2).fit(InMemory(X, names))
    assert isinstance(selector.seen_[0], LazyTable)
    assert selector.n_features_in_ == 6
    assert selector.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(selector.transform(InMemory(X, names)), X[:, [0, 1]])
    nameless = ColumnByColumn().fit(InMemory(X))
    assert not hasattr(nameless, "feature_names_in_")
    assert not isinstance(Told().fit(InMemory(X)).seen_[0], LazyTable)
    with pytest.raises(NotFittedError):
        ColumnByColumn().transform(InMemory(X))


@pytest.mark.parametrize("shape", [(1, 6), (10, 0)])
def test_tables_on_disk_that_are_too_small(shape, X):
    with pytest.raises(
        ValueError, match=rf"has {shape[0]} sample\(s\) and {shape[1]} feature\(s\)"
    ):
        ColumnByColumn().fit(InMemory(X[: shape[0], : shape[1]]))
    assert ColumnByColumn().fit(InMemory(X[:2])).n_features_in_ == 6


@pytest.mark.parametrize(("free", "refused"), [(960, False), (959, True), (481, True)])
def test_tables_on_disk_are_read_if_half_of_the_memory_holds_them(free, refused, X, monkeypatch):
    monkeypatch.setattr("inffs.validation.intake.available_memory", lambda: free * 2**20)
    big = InMemory(X)
    big.shape = (10 * 2**20, 6)  # 480 MiB
    if refused:
        said = rf"10485760 x 6 take 0\.469 GiB, but {free / 1024:.3g} GiB are free.*inf-fs-u"
        with pytest.raises(ValueError, match=said):
            Told()._check_lazy(big, True, 2)
    else:
        Told()._check_lazy(big, True, 2)


@pytest.mark.parametrize("kind", [Told, Supervised, MultiLabel])
def test_what_scikit_learn_is_told(kind):
    tags = kind().__sklearn_tags__()
    assert tags.input_tags.sparse == (kind is MultiLabel)
    assert tags.target_tags.required == (kind is not Told)
    assert tags.target_tags.multi_output == (kind is MultiLabel)


def test_sparse_tables_only_where_the_method_takes_them(X):
    with pytest.raises(TypeError, match="Sparse data was passed"):
        Told().fit(sparse.csr_array(X))
    seen = MultiLabel().fit(sparse.csr_array(X), np.arange(10) % 2).seen_[0]
    assert seen.format == "csc"


def test_a_ranking_cannot_be_changed():
    with pytest.raises(AttributeError):
        Ranking(np.zeros(3)).size = 2


def test_parameters_are_checked_before_the_table(X):
    with pytest.raises(InvalidParameterError, match="'n_features_to_select' parameter of Told"):
        Told(n_features_to_select=[3]).fit(X)


def test_text_in_the_last_of_many_columns_is_named():
    table = np.zeros((3, 7), dtype=object)
    table[1, 6] = "high"
    with pytest.raises(ValueError, match=r"Column 6 of X is not numeric .*'high'"):
        Told().fit(table)
