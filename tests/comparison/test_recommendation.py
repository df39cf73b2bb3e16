"""The recommendation and the page: from made-up results with a known truth."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from inffs.comparison import page, summary
from inffs.comparison.dataset import own_dataset
from inffs.comparison.methods import find_method
from inffs.comparison.protocol import Protocol
from inffs.comparison.runner import default_sizes
from inffs.comparison.standings import Standings, recommend, write_recipe
from inffs.comparison.store import Plan, Store
from inffs.comparison.trial import prepare, select
from reproduction import drawing, scatter, tables
from reproduction.figures import all_figures
from reproduction.paper import MICROARRAY
from tests.comparison.made_results import LEVELS, own, result, results, stored

HOSTILE = "<script>alert('x')</script> $\\frac$ {{ 7 * 7 }}"


def test_the_best_method_with_the_fewest_features_is_named(tmp_path):
    answer = recommend(stored(tmp_path, own({**LEVELS, "all": 0.88})), "mine", plan=plan_of(0.6))
    assert (answer.method, answer.size) == ("inf-fs-s", 10)
    assert answer.apparent == pytest.approx(0.90)
    assert answer.low < answer.expected < answer.high <= 1
    assert answer.all_features == pytest.approx(0.88, abs=0.01)
    assert (answer.tried, answer.units) == (14, 60)
    told = " ".join(answer.sentences())
    assert "Use inf-fs-s with 10 features." in told
    assert "On another 60 samples" in told
    assert "pick" not in answer.code  # nothing was tuned
    assert "InfFSS(n_features_to_select=10)" in answer.code


def test_fewer_than_ten_splits_state_no_expected_score(tmp_path):
    answer = recommend(stored(tmp_path, own({"fisher": 0.9, "mi": 0.8}, splits=3)), "mine")
    assert np.isnan([answer.expected, answer.low, answer.high]).all()
    told = " ".join(answer.sentences())
    assert "So far fisher with 10 features" in told
    assert "The other 7 take about 1.4 s" in told  # 0.1 s a trial
    assert not list(answer.warnings())
    assert "Expected" not in told
    assert "%" not in told


def test_the_simplest_of_those_that_cannot_be_told_apart(tmp_path):
    """One sample of 60 more is no reason for 50 features; twelve are."""
    near = [*own({"mi": 0.80}, sizes=("50",)), *own({"fisher": 0.78}, sizes=("10",))]
    answer = recommend(stored(tmp_path / "near", near), "mine")
    assert (answer.method, answer.size) == ("fisher", 10)
    assert (answer.best.method, answer.best.size) == ("mi", 50)
    assert "the best (mi with 50 features)" in answer.sentences()[0]
    far = [*own({"mi": 0.80}, sizes=("50",)), *own({"fisher": 0.60}, sizes=("10",))]
    assert recommend(stored(tmp_path / "far", far), "mine").method == "mi"


def test_of_as_many_features_the_more_stable_and_then_the_cheaper(tmp_path):
    other = [{**row, "selected": list(range(row["split"], row["split"] + 10))}
             for row in own({"mi": 0.8}, sizes=("10",))]  # fmt: skip
    rows = [*other, *own({"fisher": 0.78}, sizes=("10",))]
    assert recommend(stored(tmp_path / "stable", rows), "mine").method == "fisher"
    rows = own({"mi": 0.8}, sizes=("10",), cpu_seconds=20.0) + own({"fisher": 0.78}, sizes=("10",))
    assert recommend(stored(tmp_path / "cheap", rows), "mine").method == "fisher"


def test_every_column_is_no_selection(tmp_path):
    rows = own({"fisher": 0.8}, sizes=("10",))
    rows += [{**row, "n_features": 500, "asked": "100%"}
             for row in own({"mi": 0.95}, sizes=("50",))]  # fmt: skip
    answer = recommend(stored(tmp_path, rows), "mine")
    assert (answer.method, answer.tried) == ("fisher", 1)
    with pytest.raises(ValueError, match="selects nothing"):
        recommend(stored(tmp_path / "all", rows[10:]), "mine")


@pytest.mark.parametrize(
    ("samples", "random", "said"),
    [
        (60, 0.75, "Not shown"),
        (2000, 0.80, "(within 2 points)"),
        (2000, 0.60, ""),
    ],
)
def test_random_features_are_as_good_only_where_that_was_shown(tmp_path, samples, random, said):
    """With 60 samples five points may be luck: neither beaten nor equal."""
    rows = own({"fisher": 0.80, "mi": 0.80, "random": random}, samples=samples)
    answer = recommend(stored(tmp_path, rows), "mine", plan=plan_of(0.5))
    warnings = " ".join(answer.warnings())
    assert {other.method for other in answer.as_good} == {"mi"}
    assert said in warnings
    assert bool(warnings) == bool(said)


def test_what_is_no_better_than_the_majority_class_is_not_recommended(tmp_path):
    answer = recommend(stored(tmp_path, own({"fisher": 0.55})), "mine", plan=plan_of(0.5))
    assert answer.sentences()[0].startswith("No method is clearly better")


def test_one_method_is_not_compared_with_others(tmp_path):
    answer = recommend(stored(tmp_path / "one", own({"fisher": 0.9, "random": 0.6})), "mine")
    assert answer.others == 0
    assert not [each for each in answer.sentences() if "other method" in each]
    answer = recommend(stored(tmp_path / "two", own({"fisher": 0.9, "mi": 0.6})), "mine")
    assert answer.others == 1
    assert [each for each in answer.sentences() if "other method" in each]


def test_all_features_that_are_better_are_named(tmp_path):
    answer = recommend(stored(tmp_path, own({"fisher": 0.6, "all": 0.9})), "mine")
    assert "Caution: all features are better (+30.0 points" in " ".join(answer.warnings())


def test_a_slow_method_with_few_splits_is_not_compared(tmp_path):
    rows = own({"fisher": 0.8}) + own({"svm-rfe": 0.95}, splits=5)
    answer = recommend(stored(tmp_path, rows), "mine")
    assert (answer.method, answer.splits, answer.incomplete) == ("fisher", 10, ("svm-rfe",))
    assert any("svm-rfe" in sentence for sentence in answer.sentences())


def test_one_feature_is_singular(tmp_path):
    rows = [{**row, "n_features": 1, "asked": "1"} for row in own({"mi": 0.9}, sizes=("10",))]
    assert "with 1 feature." in recommend(stored(tmp_path, rows), "mine").sentences()[0]


def test_results_without_samples_are_corrected_over_the_splits(tmp_path):
    """Several labels, or results of an earlier version: splits are drawn, the interval kept."""
    rows = [{**row, "tested": None, "sample_scores": None} for row in own(LEVELS)]
    answer = recommend(stored(tmp_path, rows), "mine")
    assert answer.method == "inf-fs-s"
    assert 0 <= answer.low < answer.expected < answer.high <= 1


def plan_of(majority):
    return Plan("mine", "paper", (), 10, majority)


def measured(spec, X, y, **protocol):
    """The columns that a trial picks where all samples are in the training part."""
    method = find_method(spec, protocol.get("tuned", False))
    everything = np.arange(len(y))
    table = prepare(X, everything, protocol.get("scale"))
    (found,) = select(method, table, y, {"4": 4}, Protocol(**protocol))
    return found["selected"]


PUBLIC = {"inffs", "inffs.methods", "inffs.comparison", "sklearn.impute", "sklearn.pipeline",
          "sklearn.preprocessing"}  # fmt: skip
RECIPES = ("inf-fs-s", "inf-fs-u", "fisher", "relieff", "variance", "mrmr[bins=5]", "laplacian",
           "lasso-unhinged", "svm-rce")  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "protocol"),
    [
        *((spec, {}) for spec in RECIPES),
        *((spec, {"scale": "robust", "seed": 3}) for spec in ("relieff", "variance", "svm-rce")),
        ("inf-fs-s", {"tuned": True}),
        ("relieff", {"tuned": True, "scale": "range"}),
    ],
)
def test_the_code_does_what_was_measured(labelled, spec, protocol):
    """Units of the columns differ by powers of ten and a cell is missing: scaling tells."""
    X, y = labelled
    X = X * 10.0 ** np.random.default_rng(0).integers(-3, 4, size=X.shape[1])
    X[3, 2] = np.nan
    names = {"X": X.copy(), "y": y}
    code = write_recipe(spec, 4, Protocol(**protocol), missing=True)
    assert set(re.findall(r"^from ([\w.]+) import", code, re.M)) <= PUBLIC
    exec(code, names)
    columns = sorted(measured(spec, X, y, **protocol))
    if "columns" in names:
        assert sorted(names["columns"]) == columns
    else:
        expected = prepare(X, np.arange(len(y)), protocol.get("scale"))[:, columns]
        np.testing.assert_array_equal(names["X_small"], expected)


@pytest.mark.parametrize("spec", ["fisher", "inf-fs-s"])
def test_the_code_says_what_whole_numbers_are(labelled, spec):
    X, _ = labelled
    y = np.arange(len(X)) % 7
    names = {"X": X, "y": y}
    exec(write_recipe(spec, 3, target_type="regression"), names)
    assert names["selector"].target_type_ == "regression"


def test_no_result_yet(tmp_path):
    with pytest.raises(ValueError, match="No method has finished yet"):
        recommend(Store(tmp_path).frame(), "mine")


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (np.zeros(30), "only one class"),
        (np.arange(30).astype(str), "30 different values"),
        (np.repeat(["a", "b"], [28, 2]), "'b' has only 2 samples"),
    ],
)
def test_labels_that_cannot_be_split(y, sentence):
    with pytest.raises(ValueError, match=sentence):
        own_dataset(np.zeros((30, 3)), y)


def test_sizes_fit_the_table():
    assert default_sizes(30) == (5, 10, 20)
    assert default_sizes(4) == (1, 2, 3)


def test_page_shows_hostile_names_and_runs_nothing(tmp_path):
    rows = [{**row, "dataset": HOSTILE} for row in own(LEVELS)]
    stored(tmp_path, rows)
    text = page.write_run_report(tmp_path).read_text(encoding="utf-8")
    assert text.count("<script") == 1  # the page's own, known by its hash
    assert "&lt;script&gt;" in text
    assert "{{ 7 * 7 }}" in text
    assert "Content-Security-Policy" in text
    assert "http" not in text.replace("http-equiv", "")
    assert "&lt;script&gt;" in text[text.index('id="h-figures"') :].partition("</section>")[0]
    assert (tmp_path / "tables" / "results.csv").exists()
    assert not [head for head in re.findall(r"<th[^>]*>([^<]+)", text) if "_" in head]
    assert text.index("Use inf-fs-s with 10 features") < text.index("<h2 id")


def test_columns_of_the_progress_are_words():
    state = pd.DataFrame({"dataset": ["mine"], "hours_left": [0.5]})
    heads = page.as_cells("progress", state)["heads"]
    assert [head["text"] for head in heads] == ["data set", "hours left"]


def test_page_of_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="holds no results yet"):
        page.write_run_report(tmp_path)


@pytest.mark.slow
def test_same_results_draw_the_same_bytes(tmp_path):
    frame = stored(tmp_path / "run", results(LEVELS, MICROARRAY))
    for name in ("one", "two"):
        drawing.save(all_figures(frame), tmp_path / name, ("svg",))
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


@pytest.mark.parametrize("values", [[1, 1, 1], [0, 5, 9], [0, 0.1, 9, 9.1, 9.2], [3, 10, 10, 10]])
def test_names_keep_their_distance_and_their_order(values):
    places = drawing.spread(values, 1.0, 0.0, 10.0)
    assert np.all(np.diff(places) >= 1.0 - 1e-12)
    assert min(places) >= 0
    assert max(places) <= 10


def test_names_that_have_room_stay_where_they_are():
    assert drawing.spread([0, 2, 7], 1.0, 0.0, 10.0) == [0, 2, 7]
    assert drawing.spread([4, 4], 1.0, 0.0, 10.0) == [3.5, 4.5]


def test_a_set_with_one_split_has_no_stability_and_hides_nobody_elses(tmp_path):
    rows = results(LEVELS, ("colon", "lung"))
    rows += [row for row in results(LEVELS, ("gina",)) if row["split"] == 0]
    table = summary.means(stored(tmp_path, rows))
    names = ("colon", "lung", "gina")
    points, sets = scatter.best_points(table, "nogueira", names)
    assert sets == ["colon", "lung"]
    assert set(points.index) == set(LEVELS)
    assert scatter.best_points(table, "fit_seconds", names)[1] == [*names]


def test_how_far_the_run_has_come(tmp_path):
    rows = [*results({"fisher": 0.8}, ("colon",)), result("colon", "mi", 0, "10", 0.7)]
    plan = {"dataset": "colon", "setting": "paper", "splits": 20, "methods": ["fisher", "mi"]}
    frame = stored(tmp_path, rows)
    Store(tmp_path).add_plan(Plan.of_json(plan))
    (line,) = tables.progress(tmp_path, frame).to_dict("records")
    assert (line["splits done"], line["splits planned"], line["methods"]) == ("1 to 6", 20, 2)
    assert line["left"] == 40 - 7


def test_a_tuned_run_alone_has_its_page(tmp_path):
    stored(tmp_path, own(LEVELS, setting="tuned"))
    text = page.write_run_report(tmp_path).read_text(encoding="utf-8")
    assert "Use inf-fs-s with 10 features" in text
    assert "supervised methods</figcaption><svg" in text


def test_ranks_and_stability(tmp_path):
    table = summary.means(stored(tmp_path, results(LEVELS, MICROARRAY)))
    mean, variance = tables.average_ranks(table, list(MICROARRAY), ["10"], ["fisher", "inf-fs-s"])
    assert mean["10"].to_dict() == {"fisher": 2.0, "inf-fs-s": 1.0}
    assert (variance["10"] == 0).all()
    assert table["nogueira"].dropna().eq(1.0).all()


@pytest.mark.parametrize("level", [0.6, 0.8, 0.95])
def test_the_interval_holds_the_accuracy_on_new_samples(level):
    """39 configurations of known truth, one recommended: what 40 new samples show lies inside.

    A sample is harder or easier for all configurations alike, as in real tables.
    """
    rng, inside, off, uncorrected = np.random.default_rng(1), [], [], []
    lines = pd.DataFrame({
        "method": [f"m{place}" for place in range(39)], "asked": "10", "n_features": 10,
        "features": 100, "nogueira": 0.5, "cpu_seconds": 1.0,
    })  # fmt: skip
    for _ in range(120):
        skill = stats.norm.ppf(level) + rng.normal(scale=0.15, size=39)
        learned = skill + rng.normal(scale=0.1, size=39)  # what this training part gives
        old, new = (
            (s + (rng.normal(size=(40, 1)) + rng.normal(size=(40, 39))) / np.sqrt(2) > 0) * 1.0
            for s in (learned, skill)
        )
        standings = Standings(lines, old, 10, True, ())
        expected, low, high = standings.expected()
        found = new[:, standings.chosen].mean()
        inside.append(low <= found <= high)
        off.append(expected - found)
        uncorrected.append(standings.mean(standings.chosen) - found)
    assert np.mean(inside) >= 0.93
    assert abs(np.mean(off)) < 0.25 * np.mean(uncorrected)
