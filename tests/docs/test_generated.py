"""Generated parts of the pages: the numbers of the benchmark and the help of the command."""

import sys
from pathlib import Path

import pandas as pd
import pytest

import inffs
from inffs.cli import _COMMANDS
from reproduction.packed import PackedStore

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", autouse=True)
def extensions():
    sys.path.insert(0, str(ROOT / "docs" / "_ext"))
    yield
    sys.path.pop(0)


def test_without_results_it_says_so(tmp_path):
    import comparison_facts

    assert comparison_facts.measured(tmp_path) is None
    assert comparison_facts.result_lines(None, "fisher") == [comparison_facts.NOTHING]


def test_the_guide_without_results(tmp_path):
    import which_method

    which_method.write(tmp_path / "generated", tmp_path)
    assert "Not measured yet" in (tmp_path / "generated" / "which-method.md").read_text("utf-8")


def test_the_decision_tree_leads_to_the_default_methods():
    from inffs.methods.entries import default_method

    picture = (ROOT / "docs" / "snippets" / "which-method.svg.html").read_text("utf-8")
    defaults = [default_method(False, False), default_method(True, False)]
    defaults.append(default_method(True, True))
    assert all(f">{key}" in picture for key in defaults)


def test_the_guide_says_what_the_numbers_say(tmp_path):
    """The winner named for the microarrays is the one of means taken from the store's rows."""
    import which_method

    which_method.write(tmp_path, ROOT / "results")
    text = (tmp_path / "which-method.md").read_text("utf-8")
    rows = PackedStore(ROOT / "results").frame()
    rows = rows[(rows["challenge"] == "microarray") & (rows["setting"] == "paper")]
    rows = rows[(rows["status"] == "done") & rows["asked"].isin(["10", "50", "100", "150", "200"])]
    rows = rows[
        (rows["dataset"] != "colon (log)") & ~rows["kind"].isin(["baseline", "third-party"])
    ]
    means = rows.groupby(["supervised", "method", "dataset"])["accuracy"].mean()
    means = means.groupby(["supervised", "method"]).mean()
    for supervised, label in ((False, "Without labels"), (True, "With labels")):
        best = means[supervised].idxmax()
        assert f"{label} `{best}` is best with {100 * means[supervised].max():.1f} %" in text
    assert (tmp_path / "which-microarray.png").stat().st_size > 10_000


def test_results_are_told_as_they_are():
    """The numbers on the pages, against means taken straight from the store's rows."""
    import comparison_facts

    rows = PackedStore(ROOT / "results").frame()
    rows = rows[(rows["asked"] == "50") & (rows["setting"] == "paper") & (rows["status"] == "done")]
    rows = rows[rows["kind"] != "third-party"]
    colon = rows[rows["dataset"] == "colon"].groupby("method")["accuracy"].mean()
    lines = comparison_facts.result_lines(comparison_facts.measured(ROOT / "results"), "fisher")
    place = int((colon > colon["fisher"] + 1e-12).sum()) + 1
    assert f"     - {100 * colon['fisher']:.1f} %" in lines
    assert f"     - {place} of {colon.size}" in lines


def evaluated_rows() -> pd.DataFrame:
    """Conditional paths lead by 2 points by the linear SVM and trail by 1 by the neighbours."""
    import comparison_facts

    own, ahead = comparison_facts.METHOD, {"linear": 0.02, "knn": -0.01}
    return pd.DataFrame([
        {"dataset": dataset, "split": split, "evaluator": by, "method": method, "asked": asked,
         "kind": "filter", "n_features": 10, "cpu_seconds": 1.0, "status": "done",
         "score": 0.7 + 0.01 * (split % 3) + (method == own) * times * ahead[by]}
        for dataset, splits, times in (("colon", 10, 0.5), ("madelon", 10, 1.5), ("voc2007", 3, 1))
        for split in range(splits) for by in ahead for asked in ("10", "50")
        for method in (own, comparison_facts.REFERENCE, "fisher", "mi")
    ])  # fmt: skip


def test_every_evaluator_has_a_line_of_its_own():
    import standing_page

    _, table = standing_page._differences(evaluated_rows())
    lines = {line.split("|")[1].strip(): line.split("|")[2:7] for line in table.splitlines()[2:]}
    assert [float(cell) for cell in lines["a linear SVM"]] == [2, 2, 2, 2, 2]
    assert [float(cell) for cell in lines["five nearest neighbours"]] == [2, 0, -1, -1, -1]
    _, largest = standing_page._largest(evaluated_rows())
    places = [line.split("|")[1:6] for line in largest.splitlines()[2:]]
    assert [[cell.strip() for cell in line] for line in places] == [
        ["voc2007", "linear", "1", "4", "2"], ["voc2007", "knn", "4", "4", "-1"],
    ]  # fmt: skip


def test_the_readme_says_what_the_results_say():
    import readme_facts

    text = readme_facts.README.read_text("utf-8")
    assert readme_facts.with_block(text, readme_facts.block()) == text


def test_a_method_without_results_is_named_as_such():
    import comparison_facts

    lines = comparison_facts.result_lines(
        comparison_facts.measured(ROOT / "results"), "no-such-method"
    )
    assert lines[0].startswith("Not measured yet")


def test_every_command_has_its_help():
    import command_help

    texts = command_help.help_texts()
    assert set(texts) == {"", *_COMMANDS}
    assert "--label" in texts["select"]
    assert all("Usage: inffs" in text for text in texts.values())


def test_citation_text():
    import bibtex

    text = bibtex.entries()["mcfs"]
    assert text.startswith("@inproceedings{cai2010mcfs,")
    assert len(bibtex.entries()) == len(inffs.catalogue())


def test_costs_are_those_measured(tmp_path):
    """Powers of n and T that were put in come out; what was not measured is a dash."""
    import cost_table

    lines = ["method,T,n,processor seconds,MiB"]
    lines += [f"mrmr,100,{n},{1e-5 * n**1.5},{1e-3 * n}" for n in (1000, 2000, 4000, 8000)]
    lines += [f"mrmr,{T},1000,{1e-6 * T**2},1.5" for T in (200, 400, 800)]
    (tmp_path / "cost.csv").write_text("\n".join(lines))
    told = cost_table.overview(cost_table.measured(tmp_path))
    row = next(line for line in told if "`mrmr`" in line)
    assert row.split(" | ")[1:-1] == [
        "0.89", "2", "n<sup>1.5</sup>", "T<sup>2.0</sup>", "n<sup>1.0</sup>", "little"
    ]  # fmt: skip
    assert "| – | – | – | – | – | – | n T |" in next(line for line in told if "`cfs`" in line)


def test_every_method_was_measured():
    import cost_table

    rows = cost_table.measured()
    for entry in inffs.catalogue():
        mine = rows[rows["method"] == entry.key]
        assert "–" not in cost_table.usual(rows, entry.key), entry.key
        assert mine[mine["T"] == 100]["n"].nunique() >= 3, entry.key
        assert mine[mine["n"] == 1000]["T"].nunique() >= 3, entry.key


def test_growth_is_told_with_its_slopes(tmp_path):
    import cost_table

    assert "Not measured yet" in cost_table.growth_caption(tmp_path)
    rows = [f"exact,{n},{1e-9 * n**2}" for n in (1000, 10_000, 100_000, 200_000)]
    rows += [f"squared,{n},{1e-6 * n}" for n in (1000, 10_000, 1_000_000)]
    (tmp_path / "growth.csv").write_text("\n".join(["form,n,processor seconds", *rows]))
    caption = cost_table.growth_caption(tmp_path)
    assert "exact 2.00 (measured to n = 200,000), squared 1.00 (measured to n = 1,000,000)" in (
        caption
    )


def test_ratios_are_told_as_measured(tmp_path):
    import cost_table

    assert "Not measured yet" in cost_table.ratios(tmp_path)
    (tmp_path / "speed-at-size.csv").write_text("what,ratio,target\nexact,1.10,<= 1.3\n")
    table = ["| what | ratio | target |", "| --- | --- | --- |", "| exact | 1.10 | <= 1.3 |"]
    assert cost_table.ratios(tmp_path).splitlines() == table


def test_expected_accuracies_are_shown_as_they_came_out(tmp_path):
    """Three halves of two data sets, one outside its interval by hand."""
    import expected_accuracy

    expected_accuracy.write(tmp_path, tmp_path / "nowhere.csv")
    assert (tmp_path / "expected-accuracy.md").read_text().strip() == expected_accuracy.NOTHING
    rows = [
        "table,source,samples,features,classes,method,size,stated,low,high,uncorrected,found,truth",
        '"a, cut 1",real,50,100,2,fisher,5,0.8,0.7,0.9,0.85,0.75,nan',
        '"a, cut 2",real,50,100,2,fisher,5,0.8,0.7,0.9,0.85,0.85,nan',
        '"b, cut 1",real,50,100,2,mi,5,0.9,0.8,0.95,0.9,0.65,nan',
    ]
    (tmp_path / "expected-accuracy.csv").write_text("\n".join(rows))
    expected_accuracy.write(tmp_path, tmp_path / "expected-accuracy.csv")
    text = (tmp_path / "expected-accuracy.md").read_text()
    assert "| 2 of 3 (66.7 %) |" in text
    assert "| some on either side | 1 and 0 |" in text
    assert "| within one point | +8.3 points (standard error over 2 data sets 12.5) |" in text
    assert "| +11.7 points |" in text
    sets = (tmp_path / "expected-accuracy-sets.md").read_text()
    assert "| a | 50 x 100, 2 | 80.0 | 80.0 | +0.0 | 2 of 2 |" in sets
    assert "| b | 50 x 100, 2 | 90.0 | 65.0 | +25.0 | 0 of 1 |" in sets


def test_the_gain_of_curves_is_the_mean_over_the_sizes(tmp_path):
    import comparison_facts

    (tmp_path / "replaced.csv").write_text(
        "dataset,method,evaluator,n_features,accuracy\n"
        "colon,inf-fs-c,linear,5,0.7\ncolon,inf-fs-c,linear,10,0.8\n"
    )
    rows = pd.DataFrame({
        "dataset": "colon", "method": ["inf-fs-c"] * 4 + ["fisher"], "evaluator": "linear",
        "n_features": [5, 5, 10, 10, 5], "score": [0.7, 0.8, 0.8, 0.8, 0.1],
    })  # fmt: skip
    assert comparison_facts.gains_of_curves(rows, tmp_path).to_dict() == {"colon": 2.5}
