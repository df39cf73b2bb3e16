"""Third-party methods: the packages people use, called as they are; absent ones are named."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import f_classif

from inffs.comparison import summary
from inffs.comparison.dataset import Dataset
from inffs.comparison.protocol import Protocol
from inffs.comparison.trial import Trial, run_trial
from reproduction import figures, tables
from reproduction.compared import find_method, find_methods
from reproduction.paper import MICROARRAY
from reproduction.third_party import THIRD_PARTY, AnovaF, ThirdPartyEntry, chosen_first
from tests.comparison.made_results import LEVELS, results, stored

HERE = [key for key, entry in THIRD_PARTY.items() if not entry.missing()]
SLOW = {"boruta", "permutation"}


def planted(n_classes, n=30):
    rng = np.random.default_rng(0)
    y = np.arange(60) % n_classes
    X = rng.normal(size=(60, n))
    X[:, 7] += 3 * y
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=[pytest.mark.slow] * (key in SLOW)) for key in HERE]
)
def test_every_installed_method_finds_what_is_planted(key, n_classes):
    X, y = planted(n_classes)
    one, two = (THIRD_PARTY[key].estimator(random_state=0, n_features_to_select=5).fit(X, y)
                for _ in range(2))  # fmt: skip
    assert one.order_[0] == 7
    np.testing.assert_array_equal(one.order_, two.order_)
    assert sorted(one.order_) == list(range(30))


@pytest.mark.slow
def test_scikit_learns_own_numbers():
    X, y = planted(3)
    scores = THIRD_PARTY["anova-f"].estimator().fit(X, y).scores_
    np.testing.assert_allclose(scores, f_classif(X, y)[0])
    found = THIRD_PARTY["random-forest"].estimator(random_state=np.random.RandomState(5)).fit(X, y)
    seed = np.random.RandomState(5).randint(2**31 - 1)
    forest = RandomForestClassifier(500, random_state=seed).fit(X, y)
    np.testing.assert_allclose(found.scores_, forest.feature_importances_)


def test_l1_logistic_orders_by_entry():
    """Strong, weaker and no effect on orthogonal columns enter in that order."""
    rng = np.random.default_rng(1)
    Q = np.linalg.qr(rng.normal(size=(200, 6)) - 0.0)[0] * np.sqrt(200)
    y = (2 * Q[:, 3] + Q[:, 1] + 0.5 * rng.normal(size=200) > 0).astype(int)
    assert THIRD_PARTY["l1-logistic"].estimator().fit(Q, y).order_[:2].tolist() == [3, 1]


def test_what_was_not_chosen_follows():
    scored = chosen_first([4, 2], 6)
    assert scored.order.tolist() == [4, 2, 0, 1, 3, 5]
    assert scored.size == 2
    assert np.all(np.diff(scored.scores[scored.order]) <= 0)


def test_an_absent_package_is_skipped_with_what_to_install(monkeypatch):
    absent = ThirdPartyEntry("nobody", AnovaF, (("no_such_package", "no-such-package"),))
    monkeypatch.setitem(THIRD_PARTY, "nobody", absent)
    reason = find_method("nobody").skip("classification")
    assert reason == "needs the package no-such-package: pip install no-such-package"


def test_third_party_methods_take_part_when_asked():
    assert not any(each.kind == "third-party" for each in find_methods())
    invited = find_methods(["fisher"], third_party=True)
    assert [each.key for each in invited] == ["fisher", *THIRD_PARTY]
    X, y = planted(2)
    dataset = Dataset("t", X, y, [f"x{j}" for j in range(30)])
    protocol = Protocol(sizes=(2,), n_splits=1, Cs=(1.0,), automatic=False)
    (row,) = run_trial(dataset, Trial(find_method("anova-f"), 0, protocol))
    assert (row["kind"], row["supervised"], row["selected"][0]) == ("third-party", True, 7)
    assert "multilabel" in find_method("anova-f").skip("multilabel")


def test_third_party_methods_stand_apart(tmp_path):
    rows = results(LEVELS, MICROARRAY) + results({"boruta": 0.99}, MICROARRAY, kind="third-party")
    frame = stored(tmp_path, rows)
    table = summary.means(frame)
    shown = tables.third_party(table).set_index("method")["colon"]
    assert list(shown.index) == ["boruta", "inf-fs-u", "inf-fs-s", "best other"]
    assert shown["boruta"] == pytest.approx(99, abs=0.5)
    assert shown["best other"] == shown["inf-fs-s"]
    named = {each.get_text() for axis in figures.all_figures(frame)["microarray"].axes
             for each in axis.texts}  # fmt: skip
    assert "boruta" not in named
    assert tables.third_party(summary.means(stored(tmp_path / "none", results(LEVELS)))).empty
