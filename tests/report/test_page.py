"""The report's numbers against formulas written out, and what the file promises."""

import base64
import gzip
import json
import random
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import inffs
from inffs import BestOf, Consensus, Constrained, InfFSC, InfFSS, catalogue, rank
from inffs._utils.words import display_names
from inffs.methods import FisherScore
from inffs.report import _data, explain
from inffs.report._check import cross_check
from inffs.report._data import choice_data, pack, page_data, python_lines, ranking_data, safe_json
from inffs.report._findings import methods_paragraph, references_of, scores_explained
from inffs.report._outputs import ranking_table
from inffs.report._reasons import (
    alternative_cuts,
    group_features,
    settle,
    target_in,
)
from inffs.report._report import Report, Study
from tests.report.conftest import write_report
from tests.report.hostile import HOSTILE, hostile_table


@pytest.mark.parametrize("n", [2, 300, 1300, 2100])
def test_redundancy_is_that_of_the_whole_matrix(n, rng):
    X = rng.normal(size=(25, n))
    X[:, 1] = -(X[:, 0] ** 3)
    selector = rank(X, method="inf-fs-u")
    reasons = explain(selector, X)
    whole = np.abs(np.atleast_2d(stats.spearmanr(X).statistic))
    if n == 2:
        whole = np.array([[1.0, whole[0, 0]], [whole[0, 0], 1.0]])
    np.fill_diagonal(whole, 0.0)
    tolerance = 1e-12 if n <= 2000 else 1e-6
    np.testing.assert_allclose(reasons.mean_correlation, whole.sum(axis=1) / (n - 1), tolerance)
    np.testing.assert_allclose(reasons.nearest_correlation, whole.max(axis=1), atol=tolerance)
    found = whole[np.arange(n), reasons.nearest]
    np.testing.assert_allclose(found, whole.max(axis=1), atol=tolerance)
    assert (reasons.nearest[:2] == [1, 0]).all()


def test_very_many_features_are_compared_with_the_best_only(rng, monkeypatch):
    from inffs.report import _reasons

    X = rng.normal(size=(30, 400))
    selector = rank(X, method="inf-fs-u")
    monkeypatch.setattr(_reasons, "_ALL_PAIRS_UP_TO", 399)
    monkeypatch.setattr(_reasons, "_COMPARED", 50)
    reasons = explain(selector, X)
    best = np.sort(selector.order_[:50])
    whole = np.abs(stats.spearmanr(X).statistic)
    np.fill_diagonal(whole, 0.0)
    np.testing.assert_array_equal(reasons.nearest, best[whole[:, best].argmax(axis=1)])
    counted = 50 - np.isin(np.arange(400), best)
    np.testing.assert_allclose(reasons.mean_correlation, whole[:, best].sum(axis=1) / counted)


def test_constant_column_has_no_duplicate_and_sparse_is_dense(labelled):
    X, y = labelled
    selector = rank(X, y, method="inf-fs-s")
    dense = explain(selector, X, y)
    assert dense.nearest[5] == -1
    assert dense.mean_correlation[5] == 0
    thin = explain(selector, sparse.csc_matrix(X), y)
    for name in ("mean_correlation", "nearest", "fisher", "information", "complement"):
        np.testing.assert_allclose(getattr(thin, name), getattr(dense, name), atol=1e-12)


def test_best_partner_is_good_and_different(labelled):
    X, y = labelled
    selector = rank(X, y, method="inf-fs-s", n_features_to_select=6)
    reasons = explain(selector, X, y)
    correlation = np.abs(stats.spearmanr(np.delete(X, 5, axis=1)).statistic)
    correlation = np.insert(np.insert(correlation, 5, 0, axis=0), 5, 0, axis=1)
    scores = selector.scores_ - selector.scores_.min()
    gain = scores[selector.order_[:6]] * (1 - correlation[:, selector.order_[:6]])
    gain[np.arange(12)[:, None] == selector.order_[:6]] = -1
    np.testing.assert_array_equal(reasons.complement, selector.order_[:6][gain.argmax(axis=1)])


def test_check_is_what_scikit_learn_says_with_the_selection_inside(labelled):
    X, y = labelled
    selector = rank(X, y, method="fisher", n_features_to_select=4)
    check = cross_check(selector, X, y, folds=4, seed=3)
    assert check.sizes[check.chosen] == 4
    splits = StratifiedKFold(4, shuffle=True, random_state=3).split(X, y)
    kept = np.zeros(12, dtype=int)
    for fold, (train, test) in enumerate(splits):
        own = rank(X[train], y[train], method="fisher")
        kept[own.order_[:3]] += 1
        for place, size in enumerate(check.sizes):
            svm = LinearSVC(C=0.1, dual=False, intercept_scaling=1e4, tol=1e-8)
            model = make_pipeline(StandardScaler(), svm)
            best = own.order_[:size]
            accuracy = model.fit(X[train][:, best], y[train]).score(X[test][:, best], y[test])
            assert check.selected[fold, place] == accuracy
    np.testing.assert_array_equal(check.times_kept(3), kept)


def test_check_does_not_leak(rng):
    """Noise: selection outside the folds would look far better than chance."""
    X, y = rng.normal(size=(60, 3000)), np.arange(60) % 2
    selector = rank(X, y, method="fisher", n_features_to_select=20)
    assert 0.3 < cross_check(selector, X, y).score < 0.7


def test_check_needs_two_of_a_class(labelled):
    X, y = labelled
    y = np.where(np.arange(40) == 0, 9, y)
    assert cross_check(rank(X, y, method="fisher", n_features_to_select=3), X, y) is None
    ruled = rank(X, y, method="fisher")  # the rule ranks the lone sample but does not evaluate it
    check = cross_check(ruled, X, y)
    assert check.n_samples == 39
    assert check.score == pytest.approx(ruled.size_selection_.means[check.chosen], rel=1e-14)


def test_groups_hold_features_that_repeat_each_other(rng):
    X = rng.normal(size=(200, 9))
    X[:, 3] = X[:, 0] + 0.1 * rng.normal(size=200)
    X[:, 7] = -X[:, 3] + 0.1 * rng.normal(size=200)
    X[:, 5] = X[:, 4] ** 3
    found = group_features(X, np.arange(9))
    groups = [set(found.features[start:stop].tolist()) for start, stop in found.groups]
    assert sorted(map(sorted, groups)) == [[0, 3, 7], [4, 5]]
    np.testing.assert_array_equal(np.diag(found.correlation), 1)


def test_paths_settle_on_the_final_ranking(rng):
    X = rng.normal(size=(40, 30)) * np.linspace(1, 3, 30)
    selector = rank(X, method="inf-fs-u")
    settling = settle(selector, features=5, longest=60)
    np.testing.assert_array_equal(settling.ranks[-1], [1, 2, 3, 4, 5])
    assert settling.agreement[-1] == pytest.approx(1.0)
    assert settling.overlap[-1] == 1.0
    one = np.argsort(-selector.walk_.scores(length=1), kind="stable")
    place = {feature: rank + 1 for rank, feature in enumerate(one)}
    assert settling.ranks[0].tolist() == [place[feature] for feature in selector.order_[:5]]
    assert settle(rank(X, np.arange(40) % 2, method="fisher")) is None


def test_alternatives_are_the_library_s_cuts(labelled):
    X, y = labelled
    selector = rank(X, y, method="fisher")
    assert len(alternative_cuts(selector, X)) >= 5
    for cut in alternative_cuts(selector, X):
        again = rank(np.delete(X, 5, axis=1), y, method="fisher", n_features_to_select=cut.name)
        assert cut.size == again.n_features_


def test_q_values_stand_in_the_ranking_where_the_cut_has_them(labelled):
    X, y = labelled
    names = [f"g{j}" for j in range(12)]
    selector = rank(X, y, method="fisher", n_features_to_select="fdr")
    reasons = explain(selector, X, y)
    table = ranking_table(Study(selector, X, y, names, 0)).to_pydict()
    expected = selector.cut_.q_values[selector.order_]
    np.testing.assert_array_equal(table["q_value"], expected)
    choice = choice_data(selector, names, names, None, {}, python_lines)
    data = ranking_data(selector, names, reasons, choice, 12)
    np.testing.assert_allclose(data["q_value"], expected, rtol=0.05)
    assert selector.cut_ in alternative_cuts(selector, X)
    checked = rank(X, y, method="fisher")
    assert checked.cut_ in alternative_cuts(checked, X)
    plain = rank(X, y, method="fisher", n_features_to_select="knee")
    assert "q_value" not in ranking_table(Study(plain, X, y, names, 0)).column_names
    assert "q_value" not in ranking_data(plain, names, explain(plain, X, y), choice, 12)


def test_who_stands_for_whom_is_in_the_ranking(labelled, tmp_path):
    X, y = labelled
    X[:, 8] = X[:, 0] ** 3
    selector = Constrained(FisherScore(n_features_to_select=3), max_correlation=0.9).fit(X, y)
    data = ranking_data(selector, list("abcdefghijkl"), explain(selector, X, y), {}, 12)
    feature = int(np.flatnonzero(selector.represented_by_ >= 0)[0])
    place = data["represented"][selector.ranking_[feature] - 1]
    assert selector.order_[place] == selector.represented_by_[feature]
    text = write_report(selector, X, y, tmp_path / "r.html", folds=0).read_text()
    assert "Represented by" in text
    plain = write_report(rank(X, y), X, y, tmp_path / "p.html", folds=0).read_text()
    assert "Represented by" not in plain


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["b", "a", "b"], ["a", "b"]),
        ([1.0, 0.0, 1.0], [0, 1]),
        ([0.5, 1.7, 2.2], None),
        (None, None),
        ([1, 1, 1], None),
    ],
)
def test_which_labels_are_classes(y, classes):
    found = target_in(inffs.InfFSU(), None if y is None else np.array(y))
    named = None if found is None or found.classes is None else found.classes.tolist()
    assert named == classes


def test_names_for_people():
    shown = display_names(["a", "b", "a", "", " ", "z" * 500, "tab\there"])
    assert shown[:5] == [
        "a (column 1)", "b", "a (column 3)", "(no name, column 4)", "(no name, column 5)"
    ]  # fmt: skip
    assert len(shown[5]) == 160
    assert shown[6] == "tab�here"


def test_json_cannot_leave_its_element():
    hostile = {"names": [*HOSTILE, "\u2028\u2029]]>"]}
    text = safe_json(hostile)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == hostile


def test_large_data_is_compressed_and_the_page_bounded(monkeypatch):
    small, large = {"a": [1]}, {"names": [f"<g{j}>" for j in range(80_000)]}
    assert pack(small)[1] == "application/json"
    assert json.loads(gzip.decompress(base64.b64decode(pack(large)[0]))) == large
    monkeypatch.setattr(_data, "_MOST_BYTES", 1_000_000)
    names = [random.randbytes(1000).hex() for _ in range(900)]
    X = np.random.default_rng(0).normal(size=(9, 900))
    selector = rank(X, method="inf-fs-u")
    choice = choice_data(selector, names, names, None, {}, python_lines)
    data, text, _ = page_data(selector, names, explain(selector, X), choice)
    assert 900_000 < len(text) <= 1_000_000
    rows = len(data["names"])
    assert rows < 900
    assert len(data["score"]) == len(data["position"]) == rows
    assert max(data["nearest"] + data["complement"]) < rows
    monkeypatch.setattr(_data, "_MOST_BYTES", 1)
    assert len(page_data(selector, names, explain(selector, X), choice)[0]["names"]) == 1


def test_page_is_self_contained_and_says_what_was_done(hostile_page):
    page = hostile_page.read_text(encoding="utf-8")
    assert len(page) < 5_000_000
    outside = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?(?!#|data:)([^"')>]+)""", page)
    assert [link for link in outside if "//" in link] == []
    for words in ("12 of 40 features selected", "InfFSU", "Roffo"):
        assert words in page


@pytest.mark.parametrize("key", [entry.key for entry in catalogue()])
def test_every_method_of_the_catalogue_gets_its_words(key):
    entry = next(entry for entry in catalogue() if entry.key == key)
    assert references_of(entry.estimator()), f"{key} names no paper"


def test_papers_of_the_methods_that_were_asked_are_named(labelled):
    X, y = labelled
    roffo, fisher = references_of(InfFSS()), references_of(FisherScore())
    both = references_of(Consensus(["inf-fs-s", "fisher"]).fit(X, y))
    assert both == [*references_of(Consensus(["inf-fs-s", "fisher"])), *roffo, *fisher]
    chosen = BestOf(["fisher", "fisher"]).fit(X, y)
    assert references_of(chosen) == fisher
    assert fisher[0] in methods_paragraph(chosen, X.shape, None)


def test_methods_paragraph_and_python_lines_repeat_the_run(labelled):
    X, y = labelled
    selector = rank(X, y, method="inf-fs-u", alpha=0.25, n_features_to_select=3)
    text = methods_paragraph(selector, X.shape, None)
    for words in ("40 samples", "12 features", "alpha = 0.25", "3 of 12", "IEEE TPAMI 2020"):
        assert words in text
    space = {"X": X, "y": y}
    exec(python_lines(selector), space)
    np.testing.assert_array_equal(space["selector"].order_, selector.order_)


@pytest.mark.parametrize("kind", ["array", "pandas", "polars", "sparse"])
@pytest.mark.parametrize("label", [True, False])
def test_any_kind_of_table(kind, label, labelled, tmp_path):
    X, y = labelled
    frame = pd.DataFrame(X, columns=[f"gene {place}" for place in range(12)])
    if kind == "polars":
        polars = pytest.importorskip("polars")
        frame = polars.from_pandas(frame)
    given = {"array": X, "sparse": sparse.csr_matrix(X)}.get(kind, frame)
    given_y, method = (y, "inf-fs-s") if label else (None, "inf-fs-u")
    selector = rank(given, given_y, method=method, n_features_to_select=4)
    path = write_report(selector, given, given_y, tmp_path / "r.html", folds=2)
    page = path.read_text(encoding="utf-8")
    assert ("gene 1" in page) == (kind in ("pandas", "polars"))
    assert ('id="h-check"' in page) == label


def test_refusals(labelled, tmp_path):
    X, y = labelled
    selector = rank(X, y, method="fisher", n_features_to_select=3)
    with pytest.raises(ValueError, match="same table"):
        write_report(selector, X[:, :5], y, tmp_path / "r.html")
    with pytest.raises(ValueError, match="3 names, but there are 12"):
        write_report(selector, X, y, tmp_path / "r.html", feature_names=["a", "b", "c"])
    write_report(selector, X, y, tmp_path / "r.html", folds=0)
    with pytest.raises(FileExistsError):
        write_report(selector, X, y, tmp_path / "r.html")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_one_kept_feature_and_two_features(tmp_path, rng):
    X = rng.normal(size=(20, 2))
    selector = rank(X, np.arange(20) % 2, method="fisher", n_features_to_select=1)
    write_report(selector, X, np.arange(20) % 2, tmp_path / "a.html")
    one = rank(X[:, :1], method="inf-fs-u", n_features_to_select=1)
    write_report(one, X[:, :1], path=tmp_path / "b.html")


def test_the_report_is_loaded_when_asked_for():
    assert inffs.Report is Report
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        inffs.nonsense


def test_the_table_is_not_changed(tmp_path):
    X, y = hostile_table()
    before = X.copy()
    selector = rank(X, y, method="inf-fs-s", n_features_to_select=3)
    write_report(selector, X, y, tmp_path / "r.html", folds=2)
    pd.testing.assert_frame_equal(X, before)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("key", [entry.key for entry in catalogue()])
def test_every_method_gets_its_page(key, labelled, tmp_path):
    X, y = labelled
    selector = rank(X, y, method=key, n_features_to_select=5)
    page = write_report(selector, X, y, tmp_path / "r.html", folds=2).read_text(encoding="utf-8")
    assert "5 of 12 features selected" in page
    assert f"<code>{key}</code>" in page


@pytest.mark.parametrize("classes", [2, 3, 12, 0])
def test_conditional_paths_are_drawn_as_branches(classes, rng, tmp_path):
    """Every kept feature by name; nothing of other selectors' path view."""
    y = np.arange(120) % classes if classes else rng.normal(size=120)
    X = rng.normal(size=(120, 30))
    X[:, 0] += 2 * y
    names = [f"gene-{j}" for j in range(30)]
    selector = InfFSC(n_features_to_select=6).fit(X, y)
    page = write_report(selector, X, y, tmp_path / "r.html", feature_names=names, folds=0)
    text = page.read_text("utf-8")
    chart = text[text.index("Paths as branches") :].partition("</svg>")[0]
    assert all(names[feature] in chart for feature in selector.order_[:6])
    assert ("others" in chart) == (classes > 8)
    assert scores_explained(selector)[:40] in text
    assert "How the ranking settles" not in text
