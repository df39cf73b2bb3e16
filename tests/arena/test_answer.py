"""The plain answer, the page and the reproduction: from made-up results with a known truth."""

import itertools
import json
import re

import numpy as np
import pandas as pd
import pytest

from inffs.arena.data.paper import MICROARRAY, TABLE_3, paper_name
from inffs.arena.engine.contestants import find_contestant, find_contestants
from inffs.arena.engine.protocol import Protocol
from inffs.arena.engine.selection import select
from inffs.arena.engine.store import SCHEMA, Store
from inffs.arena.engine.trial import prepare
from inffs.arena.paper import claims, findings, reasons
from inffs.arena.paper.claim import FAILS, HOLDS, OPEN, PARTLY
from inffs.arena.paper.claim_list import ALL_CLAIMS, HYPOTHESES
from inffs.arena.paper.reproduction import as_markdown, write_reproduction
from inffs.arena.paper.suite import GROWTH, equal_weights, paper_rounds
from inffs.arena.results import drawing, figures, page, summary
from inffs.arena.results.advice import best_answer
from inffs.arena.results.answer import default_sizes, own_dataset
from inffs.arena.results.recipe import write_recipe
from inffs.evaluation import interval_of_mean

SIZES = ("10", "50", "100", "150", "200")
HOSTILE = "<script>alert('x')</script> $\\frac$ {{ 7 * 7 }}"


def result(dataset, method, split, asked, accuracy, **more):
    size = {"auto": 30, "all": 500}.get(asked) or int(asked)
    row = dict.fromkeys(SCHEMA.names)
    return {
        **row, "trial": f"{dataset}{method}{split}", "dataset": dataset, "method": method,
        "challenge": "microarray", "status_of_data": "original", "samples": 60, "features": 500,
        "kind": "filter", "supervised": method not in ("inf-fs-u", "variance", "laplacian", "mcfs"),
        "setting": "paper", "split": split, "asked": asked, "n_features": size,
        "fit_seconds": 0.01, "tune_seconds": 0.0, "peak_mib": 1.0, "trial_seconds": 0.1,
        "accuracy": accuracy, "balanced_accuracy": accuracy, "status": "done", "reason": "",
        "selected": list(range(size)) if asked != "all" else [], **more,
    }  # fmt: skip


def results(levels, datasets=("colon",), sizes=("10", "50", "100", "150", "200"), **more):
    """Every method at its level, the same small noise for all methods of a split."""
    noise = np.random.default_rng(0).normal(scale=0.004, size=6)
    return [
        result(name, method, split, asked, level + noise[split], **more)
        for name in datasets
        for method, level in levels.items()
        for split in range(6)
        for asked in sizes
    ]


def stored(folder, rows):
    store = Store(folder)
    store.append(rows)
    return store.frame()


LEVELS = {"inf-fs-u": 0.80, "inf-fs-s": 0.90, "fisher": 0.85, "mi": 0.84, "laplacian": 0.70,
          "mcfs": 0.72, "variance": 0.75}  # fmt: skip


def own(levels, splits=10, sizes=("10", "50"), samples=60, seed=0, **more):
    """A table of one's own: every sample is as hard for all, and tested once in five splits."""
    rng = np.random.default_rng(seed)
    hard, rows = rng.permutation(samples) / samples, []
    for (method, level), split, asked in itertools.product(levels.items(), range(splits), sizes):
        asked = "all" if method == "all" else asked
        tested = np.flatnonzero((np.arange(samples) + split // 5) % 5 == split % 5)
        right = (hard[tested] < level).astype(float)
        kind = "baseline" if method in ("all", "random") else "filter"
        rows.append(result("mine", method, split, asked, right.mean(), samples=samples, kind=kind,
                           challenge="own", tested=tested.tolist(), sample_scores=right.tolist(),
                           **more))  # fmt: skip
    return rows


def test_the_best_method_with_the_fewest_features_is_named(tmp_path):
    answer = best_answer(stored(tmp_path, own({**LEVELS, "all": 0.88})), "mine", chance=0.6)
    assert (answer.method, answer.size) == ("inf-fs-s", 10)
    assert answer.apparent == pytest.approx(0.90)
    assert answer.low < answer.accuracy < answer.high <= 1
    assert answer.all_features == pytest.approx(0.88, abs=0.01)
    assert (answer.tried, answer.units) == (14, 60)
    told = " ".join(answer.sentences())
    assert "Use inf-fs-s with 10 features." in told
    assert "Another 60 of them will show" in told
    assert "InfFSSCV" not in answer.code  # nothing was tuned
    assert "method='inf-fs-s', n_features_to_select=10" in answer.code


def test_fewer_than_ten_splits_promise_nothing_and_say_what_ten_take(tmp_path):
    answer = best_answer(stored(tmp_path, own({"fisher": 0.9, "mi": 0.8}, splits=3)), "mine")
    assert np.isnan([answer.accuracy, answer.low, answer.high]).all()
    told = " ".join(answer.sentences())
    assert "So far fisher with 10 features is ahead. Nothing is promised from 3 splits" in told
    assert "The 7 still to run take about 1.4 s" in told  # 0.1 s a trial
    assert not answer.cautions
    assert "Expect" not in told
    assert "%" not in told.replace("With all features", "")


def test_the_simplest_of_those_that_cannot_be_told_apart(tmp_path):
    """One sample of 60 more is no reason for 50 features; twelve are."""
    near = [*own({"mi": 0.80}, sizes=("50",)), *own({"fisher": 0.78}, sizes=("10",))]
    answer = best_answer(stored(tmp_path / "near", near), "mine")
    assert (answer.method, answer.size) == ("fisher", 10)
    assert (answer.best.method, answer.best.size) == ("mi", 50)
    assert "cannot be told from the best (mi with 50 features)" in answer.sentences()[0]
    far = [*own({"mi": 0.80}, sizes=("50",)), *own({"fisher": 0.60}, sizes=("10",))]
    assert best_answer(stored(tmp_path / "far", far), "mine").method == "mi"


def test_of_as_many_features_the_more_stable_and_then_the_cheaper(tmp_path):
    other = [{**row, "selected": list(range(row["split"], row["split"] + 10))}
             for row in own({"mi": 0.8}, sizes=("10",))]  # fmt: skip
    rows = [*other, *own({"fisher": 0.78}, sizes=("10",))]
    assert best_answer(stored(tmp_path / "stable", rows), "mine").method == "fisher"
    rows = own({"mi": 0.8}, sizes=("10",), cpu_seconds=20.0) + own({"fisher": 0.78}, sizes=("10",))
    assert best_answer(stored(tmp_path / "cheap", rows), "mine").method == "fisher"


def test_every_column_is_no_selection(tmp_path):
    rows = own({"fisher": 0.8}, sizes=("10",))
    rows += [{**row, "n_features": 500, "asked": "100%"}
             for row in own({"mi": 0.95}, sizes=("50",))]  # fmt: skip
    answer = best_answer(stored(tmp_path, rows), "mine")
    assert (answer.method, answer.tried) == ("fisher", 1)
    with pytest.raises(ValueError, match="selects nothing"):
        best_answer(stored(tmp_path / "all", rows[10:]), "mine")


@pytest.mark.parametrize(
    ("samples", "random", "said"),
    [
        (60, 0.75, "Not shown: that the choice beats as many random features"),
        (2000, 0.80, "as many random features do as well (within 2 points)"),
        (2000, 0.60, ""),
    ],
)
def test_random_features_are_as_good_only_where_that_was_shown(tmp_path, samples, random, said):
    """With 60 samples five points may be luck: neither beaten nor equal."""
    rows = own({"fisher": 0.80, "mi": 0.80, "random": random}, samples=samples)
    answer = best_answer(stored(tmp_path, rows), "mine", chance=0.5)
    assert {rival.method for rival in answer.as_good} == {"mi"}
    assert said in " ".join(answer.cautions)
    assert bool(answer.cautions) == bool(said)


def test_what_is_no_better_than_the_commonest_class_is_not_recommended(tmp_path):
    answer = best_answer(stored(tmp_path, own({"fisher": 0.55})), "mine", chance=0.5)
    assert answer.sentences()[0].startswith("Nothing here clearly beats always saying the")


def test_all_features_that_are_better_are_named(tmp_path):
    answer = best_answer(stored(tmp_path, own({"fisher": 0.6, "all": 0.9})), "mine")
    assert "Caution: all features are better (+30.0 points" in " ".join(answer.cautions)


def test_a_slow_method_with_few_splits_is_not_compared(tmp_path):
    rows = own({"fisher": 0.8}) + own({"svm-rfe": 0.95}, splits=5)
    answer = best_answer(stored(tmp_path, rows), "mine")
    assert (answer.method, answer.splits, answer.late) == ("fisher", 10, ("svm-rfe",))
    assert "Too few splits to be compared, for lack of time: svm-rfe." in answer.sentences()


def test_one_feature_is_singular(tmp_path):
    rows = [{**row, "n_features": 1, "asked": "1"} for row in own({"mi": 0.9}, sizes=("10",))]
    assert "with 1 feature." in best_answer(stored(tmp_path, rows), "mine").sentences()[0]


def test_results_without_samples_are_corrected_over_the_splits(tmp_path):
    """Several labels, or results of an earlier version: splits are drawn, the interval kept."""
    rows = [{**row, "tested": None, "sample_scores": None} for row in own(LEVELS)]
    answer = best_answer(stored(tmp_path, rows), "mine")
    assert answer.method == "inf-fs-s"
    assert 0 <= answer.low < answer.accuracy < answer.high <= 1


def measured(spec, X, y, **protocol):
    """The columns that a trial picks where all samples are in the training part."""
    contestant = find_contestant(spec, protocol.get("tuned", False), paper=False)
    everything = np.arange(len(y))
    table = prepare(X, everything, protocol.get("scale"))
    (found,) = select(contestant, table, y, {"4": 4}, Protocol(**protocol))
    return found.features


RECIPES = ("inf-fs-s", "inf-fs-u", "fisher", "relieff", "variance", "mrmr[bins=5]", "laplacian",
           "lasso-unhinged", "svm-rce", "anova-f")  # fmt: skip


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
    exec(write_recipe(spec, 4, Protocol(**protocol), missing=True), names)
    columns = sorted(measured(spec, X, y, **protocol))
    if "columns" in names:
        assert sorted(names["columns"]) == columns
    else:
        expected = prepare(X, np.arange(len(y)), protocol.get("scale"))[:, columns]
        np.testing.assert_array_equal(names["X_small"], expected)


def test_no_result_yet(tmp_path):
    with pytest.raises(ValueError, match="No method has finished yet"):
        best_answer(Store(tmp_path).frame(), "mine")


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
    assert (tmp_path / "figures" / "own.svg").exists()
    assert (tmp_path / "tables" / "results.csv").exists()
    assert text.index("Use inf-fs-s with 10 features") < text.index("<h2 id")


def test_page_of_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="holds no results yet"):
        page.write_run_report(tmp_path)


def test_claims_follow_the_numbers(tmp_path):
    table = summary.means(stored(tmp_path / "a", results(LEVELS, MICROARRAY)))
    assert claims.unsupervised_microarray(table).verdict == HOLDS
    assert claims.supervised_microarray(table).verdict == HOLDS
    assert claims.labels_help(table).verdict == PARTLY  # better, but not equal on colon
    worse = {**LEVELS, "inf-fs-s": 0.80, "inf-fs-u": 0.60}
    table = summary.means(stored(tmp_path / "b", results(worse, MICROARRAY)))
    assert claims.supervised_microarray(table).verdict == FAILS
    assert "place 3 of 3 (best fisher 85" in claims.supervised_microarray(table).evidence
    one = summary.means(stored(tmp_path / "c", results(LEVELS, ("colon",))))
    assert claims.supervised_microarray(one).verdict == HOLDS
    assert claims.madelon(one).verdict == OPEN


def test_reasons_are_numbers_or_called_guesses(tmp_path):
    """A method ten points ahead on every split is told as more than noise, one equal is not."""
    levels = {**LEVELS, "fisher": 0.90, "mi": 0.80}
    frame = stored(tmp_path, results({**levels, "inf-fs-s": 0.80}, MICROARRAY))
    rows, table = summary.finished(frame), summary.means(frame)
    told = reasons.against_the_best(MICROARRAY, True)(rows, table)
    assert told.startswith("inf-fs-s minus fisher, split by split: -10.0 points (-10.0 to -10.0)")
    assert told.endswith("more than the noise of the splits.")
    mean, low, high = reasons.paired(rows, ["colon"], ["10"], "inf-fs-s", "mi")
    assert (mean, low, high) == pytest.approx((0, 0, 0), abs=1e-9)
    fisher, mi = re.findall(r"([\d.]+) \((?:fisher|mi)\)", reasons.parts_of_inf_fs_s(rows, table))
    assert (float(fisher), float(mi)) == pytest.approx((90, 80), abs=0.5)
    assert reasons.guess("so.")(rows, table).startswith("A guess")
    assert reasons.against_the_best(("dexter",), True)(rows, table) == ""


def test_intervals_of_paired_differences(tmp_path):
    """One data set: the corrected interval of the differences themselves."""
    rows = [result("colon", name, split, "10", accuracy)
            for split, values in enumerate([(0.8, 0.7), (0.9, 0.7), (0.7, 0.7)])
            for name, accuracy in zip(("inf-fs-s", "mi"), values, strict=True)]  # fmt: skip
    found = reasons.paired(
        summary.finished(stored(tmp_path, rows)), ["colon"], ["10"], "inf-fs-s", "mi"
    )
    assert found == pytest.approx(interval_of_mean([10, 20, 0]))


def test_what_tuning_gains(tmp_path):
    """Paired on what both settings have: mcfs gains 2 points on one set and 4 on the other."""
    rows = results({"mcfs": 0.70, "fisher": 0.80}, ("colon", "lung"), ("10", "50", "auto"))
    tuned = results({"mcfs": 0.72, "fisher": 0.80}, ("colon",), ("10", "50"), setting="tuned")
    tuned += results({"mcfs": 0.74, "fisher": 0.80}, ("lung",), ("10",), setting="tuned")
    tuned = [{**row, "trial": f"tuned {row['trial']}"} for row in tuned if row["split"] < 4]
    frame = stored(tmp_path, rows + tuned)
    table = summary.tuned_gain(frame).set_index("method")
    assert table.loc["mcfs", ["gain", "from", "to"]].tolist() == pytest.approx([3, 3, 3])
    assert table.loc["fisher", ["gain", "from", "to"]].tolist() == pytest.approx([0, 0, 0])
    assert list(table.index) == ["fisher", "mcfs"]
    text = as_markdown(tmp_path, frame, [])
    assert "Data sets, in brackets the splits: colon (4), lung (4)." in text
    assert "| mcfs | no | " in text
    assert summary.tuned_gain(stored(tmp_path / "none", rows)).empty


def test_every_claim_is_told_on_a_full_store(tmp_path):
    """Every verdict, reason and hypothesis, on made-up results of all challenges."""
    both = {"lasso-hinge": 0.86, "lasso-unhinged": 0.87, **LEVELS}
    rows = results(both, (*MICROARRAY, "colon (log)"), (*SIZES, "auto"))
    rows += results(both, ("dexter", "madelon", "gina (rebuilt)", "gisette (rebuilt)"),
                    (*SIZES, "auto"), challenge="nips")  # fmt: skip
    text = as_markdown(tmp_path, stored(tmp_path, rows), [])
    claimed = len(ALL_CLAIMS) + len(HYPOTHESES)
    assert text.count("  - Here: ") == claimed
    # both CNN sets, cardinality, growth; four unsupervised methods on gina and gisette
    assert text.count("**not tested yet**") == 6
    assert "nan" not in text
    assert "The hinge LASSO keeps no more features" in text


def test_table_3_stands_beside_the_papers(tmp_path):
    rows = results({"inf-fs-u": 0.8}) + results({"inf-fs-u": 0.78}, sizes=("auto",))
    (line,) = summary.table_3(summary.means(stored(tmp_path, rows))).to_dict("records")
    assert line["size"] == 30
    assert line["accuracy"] == pytest.approx(78, abs=1)
    assert (line["paper_size"], line["paper_accuracy"]) == (326, 91.1)
    assert line["difference"] == pytest.approx(line["accuracy"] - 91.1)
    assert len(TABLE_3) == 44
    assert paper_name("gisette (rebuilt)") == "gisette"
    assert paper_name("colon (log)") == "colon (log)"


def test_reproduction_says_what_is_missing(tmp_path):
    rows = results(LEVELS, MICROARRAY) + results({"inf-fs-u": 0.8}, ("colon (log)",))
    frame = stored(tmp_path / "run", rows)
    text = as_markdown(tmp_path / "run", frame, [])
    assert "| colon (log) |" in text
    assert "**holds**: Inf-FS_S is the best supervised method" in text
    assert "madelon: not run yet." in text
    plan = {"dataset": "colon", "setting": "tuned", "splits": 20, "methods": ["mi"]}
    (tmp_path / "run" / "plan.json").write_text(json.dumps([plan]))
    again = as_markdown(tmp_path / "run", frame, [])
    assert "**holds**: Inf-FS_S is the best supervised method" in again
    half = as_markdown(tmp_path / "half", stored(tmp_path / "half", results(LEVELS)), [])
    assert "**holds so far**: Inf-FS_S is the best supervised method" in half
    assert "Still incomplete: leukemia, lung, lymphoma, prostate." in half
    assert re.search(r"What holds: .*best supervised method, [^;]*\(so far\)", half)
    assert "of the verdicts rest on data sets that are incomplete" in half
    assert re.search(r"What holds: .*best supervised method, most of all[^;(]*[;.]", text)


@pytest.mark.slow
def test_reproduction_draws_its_figures(tmp_path):
    stored(tmp_path / "run", results(LEVELS, MICROARRAY))
    path = write_reproduction(tmp_path / "run", tmp_path / "docs")
    assert "reproduction/microarray.png" in path.read_text(encoding="utf-8")
    assert (tmp_path / "docs" / "reproduction" / "microarray.png").exists()


@pytest.mark.slow
def test_same_results_draw_the_same_bytes(tmp_path):
    frame = stored(tmp_path / "run", results(LEVELS, MICROARRAY))
    for name in ("one", "two"):
        figures.save(figures.all_figures(frame), tmp_path / name, ("svg",))
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
    points, sets = figures.best_points(table, "nogueira")
    assert sets == ["colon", "lung"]
    assert set(points.index) == set(LEVELS)
    assert figures.best_points(table, "fit_seconds")[1] == ["colon", "lung", "gina"]


def test_every_method_is_named_in_the_pictures(tmp_path):
    frame = stored(tmp_path, results(LEVELS, MICROARRAY))
    for name, figure in figures.all_figures(frame).items():
        text = {each.get_text() for axis in figure.axes for each in axis.texts}
        words = {word for line in text for word in line.replace("(", " ").split()}
        assert set(LEVELS) - {"variance"} <= words, name


def test_how_far_the_run_has_come(tmp_path):
    rows = [*results({"fisher": 0.8}, ("colon",)), result("colon", "mi", 0, "10", 0.7)]
    plan = {"dataset": "colon", "setting": "paper", "splits": 20, "methods": ["fisher", "mi"]}
    frame = stored(tmp_path, rows)
    (tmp_path / "plan.json").write_text(json.dumps([plan]))
    (line,) = page.progress(tmp_path, frame).to_dict("records")
    assert (line["splits done"], line["splits planned"], line["methods"]) == ("1 to 6", 20, 2)
    assert line["left"] == 40 - 7


def test_a_tuned_run_alone_has_its_page(tmp_path):
    stored(tmp_path, own(LEVELS, setting="tuned"))
    text = page.write_run_report(tmp_path).read_text(encoding="utf-8")
    assert "Use inf-fs-s with 10 features" in text
    assert (tmp_path / "figures" / "own.png").exists()


def test_ranks_and_stability(tmp_path):
    table = summary.means(stored(tmp_path, results(LEVELS, MICROARRAY)))
    mean, variance = summary.average_ranks(table, list(MICROARRAY), ["10"], ["fisher", "inf-fs-s"])
    assert mean["10"].to_dict() == {"fisher": 2.0, "inf-fs-s": 1.0}
    assert (variance["10"] == 0).all()
    assert table["nogueira"].dropna().eq(1.0).all()


def test_growth_is_the_exponent():
    rows = pd.DataFrame(
        [{"method": "a", "features": n, "cpu_seconds": 1e-6 * n**1.5} for n in (1000, 2000, 4000)]
    )
    assert summary.growth(rows)["a"] == pytest.approx(1.5)


def test_both_readings_and_the_summary(tmp_path):
    """Equal weights first, chosen weights last of three: both verdicts, and what decides."""
    levels = {"inf-fs-s": 0.80, "fisher": 0.85, "mi": 0.84, "inf-fs-s (equal weights)": 0.90,
              "inf-fs-u": 0.75, "inf-fs-u (alpha 0.5)": 0.75, "laplacian": 0.6, "mcfs": 0.72,
              "variance": 0.75, "random": 0.65}  # fmt: skip
    unsupervised = ("inf-fs-u (alpha 0.5)", "random", "inf-fs-u", "laplacian", "mcfs", "variance")
    rows = [{**row, "supervised": row["method"] not in unsupervised}
            for row in results(levels, MICROARRAY)]  # fmt: skip
    text = as_markdown(tmp_path, stored(tmp_path, rows), [])
    summary_part = text[text.index("## In short") : text.index("Protocol:")]
    assert len(summary_part.strip().splitlines()) <= 12
    claims_part = text[text.index("## The paper's claims") :]
    claim = claims_part[claims_part.index("Inf-FS_S is the best supervised method, most") - 24 :]
    assert "does not hold here" in claim.split("\n")[0]
    assert "With equal weights **holds**: 10: 90" in claim.split("\n- **")[0]
    assert "(does not hold here; holds)" in summary_part
    assert "fall unsupervised: laplacian 60" in summary_part
    assert "plain variance is as good as Inf-FS_U there" in summary_part


def test_where_another_judge_sees_more(tmp_path):
    rows = results({"fisher": 0.6, "mi": 0.55}, ("madelon",), judge="linear")
    rows += [{**row, "judge": "rbf", "accuracy": row["accuracy"] + 0.2, "selected": []}
             for row in rows if row["method"] == "mi"]  # fmt: skip
    store = Store(tmp_path)
    store.append(rows)
    found = findings.of_judges(store.frame(judge=None)).set_index("judge")["best"].to_dict()
    assert found == {"linear": "fisher", "rbf": "mi"}
    assert "madelon: rbf 75" in findings.judges_disagree(store.frame(judge=None))
    assert summary.means(store.frame())["quality"].max() < 0.7  # the linear judge alone counts


def test_guests_stand_apart(tmp_path):
    rows = results(LEVELS, MICROARRAY) + results({"boruta": 0.99}, MICROARRAY, kind="guest")
    frame = stored(tmp_path, rows)
    table = summary.means(frame)
    shown = summary.guests(table).set_index("method")["colon"]
    assert list(shown.index) == ["boruta", "inf-fs-u", "inf-fs-s", "best other"]
    assert shown["boruta"] == pytest.approx(99, abs=0.5)
    assert shown["best other"] == shown["inf-fs-s"]
    named = {each.get_text() for axis in figures.all_figures(frame)["microarray"].axes
             for each in axis.texts}  # fmt: skip
    assert "boruta" not in named
    assert summary.guests(summary.means(stored(tmp_path / "none", results(LEVELS)))).empty


def test_growth_measures_every_method_once():
    chosen = (*find_contestants(["fisher", "inf-fs-u"], False, False), *equal_weights())
    first = next(iter(paper_rounds([GROWTH], tuple(chosen))))
    keys = [trial.key(first.dataset.version) for trial in first.trials()]
    assert len(set(keys)) == len(keys) == 6
