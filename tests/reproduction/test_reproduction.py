"""The pages of the reproduction on made results: the answer, tables, what is missing."""

import re

import pandas as pd
import pytest

from inffs.comparison import summary
from inffs.comparison.store import Plan, Store
from reproduction import details, findings, other_benchmarks, tables
from reproduction.atoms import ALL_ATOMS, OWN
from reproduction.compared import find_methods
from reproduction.datasets import plain_name
from reproduction.page import as_markdown, write_reproduction
from reproduction.paper import MICROARRAY, TABLE_3
from reproduction.suite import GROWTH, equal_weights, paper_rounds
from reproduction.verdicts import Verdicts, complete_sets, wanted_splits
from tests.comparison.made_results import LEVELS, SIZES, result, results, stored


def test_what_tuning_gains(tmp_path):
    """Paired on what both settings have: mcfs gains 2 points on one set and 4 on the other."""
    rows = results({"mcfs": 0.70, "fisher": 0.80}, ("colon", "lung"), ("10", "50", "auto"))
    tuned = results({"mcfs": 0.72, "fisher": 0.80}, ("colon",), ("10", "50"), setting="tuned")
    tuned += results({"mcfs": 0.74, "fisher": 0.80}, ("lung",), ("10",), setting="tuned")
    tuned = [{**row, "trial": f"tuned {row['trial']}"} for row in tuned if row["split"] < 4]
    for row in (row for row in tuned if row["method"] == "mcfs" and row["asked"] == "50"):
        row["selected"] = list(range(1, 51))
    frame = stored(tmp_path, rows + tuned)
    table = tables.tuned_gain(frame).set_index("method")
    assert table.loc["mcfs", ["gain", "from", "to"]].tolist() == pytest.approx([3, 3, 3])
    assert table.loc["fisher", ["gain", "from", "to"]].tolist() == pytest.approx([0, 0, 0])
    assert list(table.index) == ["fisher", "mcfs"]
    assert table["sets"].tolist() == [2, 2]
    assert table["other features"].tolist() == pytest.approx([0, 33.3])
    text = details.as_markdown(tmp_path, frame, frame, [])
    assert "Splits: colon 4, lung 4." in text
    assert "| mcfs | no | " in text
    assert tables.tuned_gain(stored(tmp_path / "none", rows)).empty


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


@pytest.mark.slow
def test_reproduction_draws_its_figures(tmp_path):
    stored(tmp_path / "run", results(LEVELS, MICROARRAY))
    path = write_reproduction(tmp_path / "run", tmp_path / "docs")
    assert "reproduction/microarray.png" in path.read_text(encoding="utf-8")
    assert (tmp_path / "docs" / "reproduction-details.md").exists()
    beside = tmp_path / "docs" / "reproduction"
    assert (beside / "microarray.png").exists()
    assert len(pd.read_csv(beside / "claims.csv")) == 2 * len((*ALL_ATOMS, *OWN))
    missing = pd.read_csv(beside / "missing.csv")
    assert "madelon" in set(missing["data set"])


def test_every_claim_has_one_line(tmp_path):
    """On made results of most sets, both LASSOs included: every atom, and no number is missing."""
    both = {"lasso-hinge": 0.86, "lasso-unhinged": 0.87, **LEVELS}
    rows = results(both, (*MICROARRAY, "colon (log)"), (*SIZES, "auto"))
    rows += results(both, ("dexter", "madelon", "gina (rebuilt)", "gisette (rebuilt)"),
                    (*SIZES, "auto"), challenge="nips")  # fmt: skip
    frame = stored(tmp_path, rows)
    text = as_markdown(Verdicts(tmp_path, frame), frame, [], [])
    assert text.count('<span class="verdict') == 2 * len((*ALL_ATOMS, *OWN))
    assert "nan" not in text
    assert text.index("## Does the paper hold?") < text.index("## The paper's claims")


def test_other_benchmarks_show_published_values_beside_ours(tmp_path):
    (tmp_path / "nonlinear").mkdir()
    lines = ["benchmark,table,samples,method,value"]
    lines += [f"made,{name},1000,inf-fs-c,{value}" for name, value in (("ring", 91.5), ("xor", 97))]
    lines += ["made,ring,1000,forest (published),99.5", "made,xor,1000,LassoNet (published),81.5"]
    lines += ["madelon,madelon,2000,inf-fs-c,96.5", "madelon,madelon,2000,forest (published),95.5"]
    (tmp_path / "nonlinear" / "results.csv").write_text("\n".join(lines))
    text = "\n".join(other_benchmarks.as_markdown(tmp_path))
    assert "| inf-fs-c | 91.5 | 97.0 |" in text
    assert "| best published value of the column | 99.5 | 81.5 |" in text
    assert text.index("| inf-fs-c | 96.5 |") < text.index("| forest (published) | 95.5 |")
    assert other_benchmarks.as_markdown(tmp_path / "nothing") == []


def test_third_party_methods_decide_no_claim(tmp_path):
    rows = results(LEVELS, MICROARRAY)
    rows += results({"boruta": 0.99}, MICROARRAY, kind="third-party")
    frame = stored(tmp_path, rows)
    assert "boruta" not in as_markdown(Verdicts(tmp_path, frame), frame, [], [])
    text = details.as_markdown(tmp_path, frame, frame, [])
    assert re.search(r"\| boruta \| 99(\.\d)? \|", text)
    assert "Splits: colon 6, leukemia 6," in text


def test_growth_is_the_exponent():
    rows = pd.DataFrame(
        [{"method": "a", "features": n, "cpu_seconds": 1e-6 * n**1.5} for n in (1000, 2000, 4000)]
    )
    assert tables.growth(rows)["a"] == pytest.approx(1.5)


def test_where_another_evaluator_is_far_above(tmp_path):
    rows = results({"fisher": 0.6, "mi": 0.55}, ("madelon",), evaluator="linear")
    rows += [{**row, "evaluator": "rbf", "accuracy": row["accuracy"] + 0.2, "selected": []}
             for row in rows if row["method"] == "mi"]  # fmt: skip
    store = Store(tmp_path)
    store.append(rows)
    (found,) = findings.of_evaluators(store.frame(evaluator=None)).to_dict("records")
    assert (found["evaluator"], found["best"], found["methods"]) == ("rbf", "mi", 1)
    assert found["best by linear"] == "mi"  # fisher's selections were not evaluated by both
    assert found["mean"] == pytest.approx(found["its mean"] + 20, abs=0.11)
    assert "madelon: rbf 75" in findings.evaluators_disagree(store.frame(evaluator=None))
    assert summary.means(store.frame())["score"].max() < 0.7  # the linear SVM alone counts


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


def test_third_party_methods_leave_a_data_set_complete(tmp_path):
    """A third-party method with one split of twenty; then a method with one."""
    Store(tmp_path).add_plan(Plan("colon", "paper", ("fisher",), 20))
    rows = [result("colon", "fisher", split, "10", 0.8) for split in range(20)]
    frame = stored(tmp_path, [*rows, result("colon", "boruta", 0, "10", 0.8, kind="third-party")])
    Store(tmp_path).add_plan(Plan("colon", "paper", ("boruta",), 20))
    assert complete_sets(tmp_path, frame) == {"colon"}
    Store(tmp_path).add_plan(Plan("colon", "paper", ("mi",), 20))
    assert complete_sets(tmp_path, frame) == set()


def test_where_random_features_are_better(tmp_path):
    rows = results({"inf-fs-u": 0.7, "inf-fs-s": 0.9, "random": 0.8}, ("colon",))
    rows += results({"inf-fs-u": 0.85, "random": 0.8}, ("lung",))
    told = findings.random_is_better(summary.means(stored(tmp_path / "a", rows)))
    assert "2 sets" in told
    assert told.endswith(": inf-fs-u on colon (70.0, random 80.0).")
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


def test_growth_measures_every_method_once():
    chosen = (*find_methods(["fisher", "inf-fs-u"]), *equal_weights())
    first = next(iter(paper_rounds([GROWTH], tuple(chosen))))
    keys = [trial.key(first.dataset.version) for trial in first.trials()]
    assert len(set(keys)) == len(keys) == 6
