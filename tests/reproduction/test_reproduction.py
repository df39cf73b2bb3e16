"""The paper's claims on made results: verdicts, reasons, the page."""

import json
import re

import pandas as pd
import pytest

from inffs.comparison import summary
from inffs.comparison.dataset import plain_name
from inffs.comparison.plan import Plan, write_plan
from inffs.comparison.store import Store
from inffs.evaluation import interval_of_mean
from reproduction import claims, findings, reasons, tables
from reproduction.claim import FAILS, HOLDS, OPEN, PARTLY
from reproduction.claim_list import ALL_CLAIMS, HYPOTHESES
from reproduction.compared import find_methods
from reproduction.page import as_markdown, write_reproduction
from reproduction.paper import MICROARRAY, TABLE_3
from reproduction.readings import EQUAL
from reproduction.suite import GROWTH, equal_weights, paper_rounds
from reproduction.verdicts import Verdicts, complete_sets, wanted_splits
from tests.comparison.made_results import LEVELS, SIZES, result, results, stored


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
    levels = {**LEVELS, "fisher": 0.90, "mi": 0.80, "inf-fs-c": 0.95}  # the last is no rival there
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
    assert "(60 x 500 here, 62 x 2000 there; " in reasons.our_data("colon")(rows, table)
    alike = rows.assign(samples=62, features=2000)
    assert "(of its size, 62 x 2000; " in reasons.our_data("colon")(alike, table)


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
    for row in (row for row in tuned if row["method"] == "mcfs" and row["asked"] == "50"):
        row["selected"] = list(range(1, 51))
    frame = stored(tmp_path, rows + tuned)
    table = summary.tuned_gain(frame).set_index("method")
    assert table.loc["mcfs", ["gain", "from", "to"]].tolist() == pytest.approx([3, 3, 3])
    assert table.loc["fisher", ["gain", "from", "to"]].tolist() == pytest.approx([0, 0, 0])
    assert list(table.index) == ["fisher", "mcfs"]
    assert table["sets"].tolist() == [2, 2]
    assert table["other picks"].tolist() == pytest.approx([0, 33.3])
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
    (line,) = tables.table_3(summary.means(stored(tmp_path, rows))).to_dict("records")
    assert line["size"] == 30
    assert line["accuracy"] == pytest.approx(78, abs=1)
    assert (line["paper_size"], line["paper_accuracy"]) == (326, 91.1)
    assert line["difference"] == pytest.approx(line["accuracy"] - 91.1)
    assert len(TABLE_3) == 44
    assert plain_name("gisette (rebuilt)") == "gisette"
    assert plain_name("colon (log)") == "colon (log)"


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


def test_growth_is_the_exponent():
    rows = pd.DataFrame(
        [{"method": "a", "features": n, "cpu_seconds": 1e-6 * n**1.5} for n in (1000, 2000, 4000)]
    )
    assert tables.growth(rows)["a"] == pytest.approx(1.5)


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
    (found,) = findings.of_judges(store.frame(judge=None)).to_dict("records")
    assert (found["judge"], found["best"], found["methods"]) == ("rbf", "mi", 1)
    assert found["best by linear"] == "mi"  # fisher's picks have not been judged by both
    assert found["mean"] == pytest.approx(found["its mean"] + 20, abs=0.11)
    assert "madelon: rbf 75" in findings.judges_disagree(store.frame(judge=None))
    assert summary.means(store.frame())["quality"].max() < 0.7  # the linear judge alone counts


def test_who_was_given_longer_than_a_fit_may_take(tmp_path):
    rows = results({"fisher": 0.8}, tune_seconds=599.0)
    assert findings.longer_choices(stored(tmp_path / "a", rows)) == ""
    rows += results({"inf-fs-s": 0.9}, tune_seconds=601.0)
    told = findings.longer_choices(stored(tmp_path / "b", rows))
    assert told.endswith("by the clock, for inf-fs-s on colon (up to 601 s).")


def test_splits_of_a_complete_run():
    voc = "voc2007 (other network)"
    assert [wanted_splits(voc, study, 1) for study in ("paper", "cardinality")] == [5, 5]
    assert wanted_splits(voc, "official", 1) == 1
    assert wanted_splits("colon", "paper", 2) == 20


def test_guests_leave_a_data_set_complete(tmp_path):
    """A guest with one split of twenty; then a method with one."""
    write_plan(tmp_path, Plan("colon", "paper", ("fisher",), 20))
    rows = [result("colon", "fisher", split, "10", 0.8) for split in range(20)]
    frame = stored(tmp_path, [*rows, result("colon", "boruta", 0, "10", 0.8, kind="third-party")])
    write_plan(tmp_path, Plan("colon", "paper", ("boruta",), 20))
    assert complete_sets(tmp_path, frame) == {"colon"}
    write_plan(tmp_path, Plan("colon", "paper", ("mi",), 20))
    assert complete_sets(tmp_path, frame) == set()


def test_where_random_features_are_better(tmp_path):
    rows = results({"inf-fs-u": 0.7, "inf-fs-s": 0.9, "random": 0.8}, ("colon",))
    rows += results({"inf-fs-u": 0.85, "random": 0.8}, ("lung",))
    told = findings.random_is_better(summary.means(stored(tmp_path / "a", rows)))
    assert told.endswith("of 2 data sets: inf-fs-u on colon (70.0, random 80.0).")
    table = summary.means(stored(tmp_path / "b", rows[-30:]))
    assert findings.random_is_better(table[table["method"] != "random"]) == ""


def test_the_published_split_has_its_table(tmp_path):
    rows = [
        result("voc2007", method, 0, asked, 0.97, setting="official", C=C, supervised=True,
               mean_average_precision=level, eleven_point_precision=level - 0.03)
        for method, level, C in (("mi", 0.8, 1e-4), ("fisher", 0.9, 1e-3))
        for asked in ("10", "100")
    ]  # fmt: skip
    rows.append(result("voc2007", "all", 0, "all", 0.97, setting="official"))
    found = findings.on_published_split(stored(tmp_path, rows))
    assert found.columns.tolist() == ["method", "labels", "10", "100", "mean", "eleven points",
                                      "C at 100"]  # fmt: skip
    assert found.to_numpy().tolist() == [
        ["fisher", "yes", 90.0, 90.0, 90.0, 87.0, 1e-3],
        ["mi", "yes", 80.0, 80.0, 80.0, 77.0, 1e-4],
    ]
    assert findings.on_published_split(stored(tmp_path / "none", results(LEVELS))).empty


def test_guests_stand_on_the_page_but_decide_no_claim(tmp_path):
    rows = results(LEVELS, MICROARRAY) + results({"boruta": 0.99}, MICROARRAY, kind="third-party")
    text = as_markdown(tmp_path, stored(tmp_path, rows), [])
    guests = text[text.index("## Third-party methods") : text.index("## Other judges")]
    assert re.search(r"\| boruta \| 99(\.\d)? \|", guests)
    assert "Splits: colon 6, leukemia 6," in guests
    assert "boruta" not in text[: text.index("## Figures")]
    assert "boruta" not in text[text.index("## How far") :]


def test_studies_without_a_choice_of_weights_count_in_both_readings(tmp_path):
    """The growth of the time has one form of each Inf-FS, under its plain name."""
    levels, rows = {"inf-fs-u": 0.8, "inf-fs-s": 0.8}, []
    for n in (1000, 2000, 4000):
        made = {"features": n, "cpu_seconds": n / 1000, "setting": GROWTH}
        rows += results(levels, (f"made, {n} features",), **made)
    verdicts = Verdicts(tmp_path, stored(tmp_path, rows))
    (claim,) = (each for each in ALL_CLAIMS if each.study == GROWTH)
    assert verdicts.finding(claim, EQUAL) == verdicts.finding(claim)
    assert verdicts.finding(claim).verdict == HOLDS


def test_growth_measures_every_method_once():
    chosen = (*find_methods(["fisher", "inf-fs-u"]), *equal_weights())
    first = next(iter(paper_rounds([GROWTH], tuple(chosen))))
    keys = [trial.key(first.dataset.version) for trial in first.trials()]
    assert len(set(keys)) == len(keys) == 6


@pytest.mark.parametrize(
    ("lost", "verdict"), [((0.0, 0.0), HOLDS), ((0.05, 0.0), PARTLY), ((0.05, 0.05), FAILS)]
)
def test_the_band_of_caltech_is_looked_at_at_every_size(lost, verdict):
    """Inf-FS_U and Inf-FS_S lose so much to the best at 5 %, and so much at 25 %."""
    rows = [
        ("caltech101 (other network)", "cnn", method, "filter", asked, n, 0.9 - below)
        for asked, n, below in (("5%", 51, lost[0]), ("25%", 256, lost[1]))
        for method, below in (("inf-fs-u", below), ("inf-fs-s", below), ("fisher", 0.0))
    ]
    names = ["dataset", "challenge", "method", "kind", "asked", "n_features", "quality"]
    found = claims.caltech_band(pd.DataFrame(rows, columns=names))
    assert found.verdict == verdict
    assert "3 methods; 5%:" in found.evidence
    assert claims.caltech_band(pd.DataFrame(rows[:0], columns=names)).verdict == OPEN
