"""How a method stands, on rows whose answer is known."""

import numpy as np
import pandas as pd
import pytest

from reproduction import standing
from reproduction.tables import markdown

GAIN = {"a": 0.0, "b": -0.02, "c": -0.05}


@pytest.fixture(scope="module")
def rows():
    """Three sets of which caltech101 has more than two classes; noise is shared by the methods."""
    rng, lines = np.random.default_rng(0), []
    for dataset in ("colon", "madelon", "caltech101"):
        for split in range(10):
            luck = rng.normal(scale=0.05)
            for method, gain in GAIN.items():
                for asked, more in (("10", 0.0), ("50", 0.04), ("auto", -0.5)):
                    lines.append({
                        "dataset": dataset, "split": split, "method": method, "asked": asked,
                        "kind": "filter", "n_features": 10, "cpu_seconds": 1.0, "status": "done",
                        "score": 0.8 + luck + gain * (2 if dataset == "caltech101" else 1) + more
                        + rng.normal(scale=0.002),
                    })  # fmt: skip
    return pd.DataFrame(lines)


def test_the_mean_over_sizes_leaves_out_automatic_ones_and_baselines(rows):
    extra = rows[rows["method"] == "a"].assign(method="random", kind="baseline")
    quality = standing.over_sizes(pd.concat([rows, extra]))
    assert list(quality) == ["a", "b", "c"]
    mine = rows[(rows["dataset"] == "colon") & (rows["split"] == 3) & (rows["method"] == "b")]
    expected = 100 * mine[mine["asked"] != "auto"]["score"].mean()
    assert quality.loc[("colon", 3), "b"] == pytest.approx(expected)


def test_places_are_those_of_the_means(rows):
    table, distance = standing.places(standing.over_sizes(rows))
    assert table["method"].tolist() == ["a", "b", "c"]
    assert table["average rank"].tolist() == [1, 2, 3]
    assert table["sets first"].tolist() == [3, 0, 0]
    assert distance == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 3)), rel=1e-3)  # Demsar, Table 5


def test_who_misses_a_set_is_named(rows):
    whole = standing.over_sizes(rows)
    assert standing.without_place(whole, standing.places(whole)[0]) == ""
    slow = rows[(rows["method"] != "b") | (rows["dataset"] != "madelon")]
    quality = standing.over_sizes(slow)
    table, _ = standing.places(quality)
    assert table["method"].tolist() == ["a", "c"]
    assert standing.without_place(quality, table).endswith("without a rank: b.")
    third_party_methods = quality.assign(
        boruta=quality["a"].where(quality.index.get_level_values(0) == "colon")
    )
    assert standing.without_place(third_party_methods, table).endswith("without a rank: b.")
    late = quality.assign(fastcan=quality["a"].where(quality.index.get_level_values(0) != "colon"))
    assert standing.without_place(late, table).endswith("without a rank: b, fastcan.")


def test_lucky_splits_give_no_place(rows):
    """A method that ran on the two easiest splits only is not called the best."""
    lucky = rows[(rows["method"] == "c") & rows["split"].isin([0, 1])]
    lucky = lucky.assign(method="lucky", score=0.99)
    table, _ = standing.places(standing.over_sizes(pd.concat([rows, lucky])))
    assert "lucky" not in set(table["method"])


def test_easy_splits_give_no_better_place(rows):
    """With results on the five best splits of b, a method like b has the place of b."""
    quality = standing.over_sizes(rows)
    whole, _ = standing.places(quality)
    best = quality["b"].groupby("dataset").nlargest(5).droplevel(0).index
    quality["few"] = quality["b"].where(quality.index.isin(best))
    table = standing.places(quality)[0].set_index("method")
    assert table.index[0] == "a"
    assert table.loc["few", "mean score"] == pytest.approx(table.loc["b", "mean score"], abs=0.11)
    assert table.loc[whole["method"], "mean score"].tolist() == whole["mean score"].tolist()


def test_differences_and_their_intervals(rows):
    found = standing.against(standing.over_sizes(rows), "a", ["b", "c"]).set_index("rival")
    assert found.loc["b", "difference"] == pytest.approx(100 * 0.02 * 4 / 3, abs=0.15)
    assert found.loc["b", "from"] < found.loc["b", "difference"] < found.loc["b", "to"]
    assert found["clearly better on"].tolist() == [3, 3]
    assert found["clearly worse on"].tolist() == [0, 0]
    found = standing.lead(standing.over_sizes(rows), "a", "b")
    assert (found["sets"], found["better on"], found["leads"]) == (3, 3, True)
    low, high = map(float, found["sets like these"].split(" to "))
    assert low < found["from"] < found["difference"] < found["to"] < high
    assert not standing.lead(standing.over_sizes(rows), "b", "a")["leads"]


def test_a_lead_needs_two_thirds_of_the_sets(rows):
    """Far ahead on one set and a little behind on the others: the mean alone does not lead."""
    far = rows["score"].where((rows["method"] != "a") | (rows["dataset"] != "colon"), 0.99)
    behind = (rows["method"] == "a") & (rows["dataset"] != "colon")
    found = standing.lead(
        standing.over_sizes(rows.assign(score=far.mask(behind, far - 0.04))), "a", "b"
    )
    assert (found["better on"], found["leads"]) == (1, False)
    assert found["from"] > 0


def test_gain_by_size_and_by_classes(rows):
    sizes = standing.by_size(rows, "a", ["b"])
    assert sizes[["size", "sets"]].values.tolist() == [["10", 3], ["50", 3]]
    shares = rows.assign(asked=rows["asked"].replace("10", "5%"))
    assert standing.by_size(shares, "a", ["b"])["size"].tolist() == ["50", "5%"]
    classes = standing.by_classes(standing.over_sizes(rows), "a", ["b"]).set_index("classes")
    assert classes["sets"].to_dict() == {"two": 2, "more": 1}
    assert classes.loc["more", "b"] == pytest.approx(4, abs=0.3)
    assert classes.loc["two", "b"] == pytest.approx(2, abs=0.3)


def test_sets_of_few_splits_stand_apart(rows):
    few = rows[(rows["dataset"] != "madelon") | (rows["split"] < 3)]
    assert set(standing.over_sizes(few).index.get_level_values(0)) == {"colon", "caltech101"}
    (line,) = standing.outside_ranks(few, "b", "c").to_dict("records")
    named = ("data set", "splits", "place", "best other", "ahead on splits")
    assert [line[name] for name in named] == ["madelon", 3, 2, "a", 3]
    assert line["minus c"] == pytest.approx(3, abs=0.3)
    assert standing.outside_ranks(rows, "b", "c").empty


def test_classes_may_be_told(rows):
    quality = standing.over_sizes(rows)
    told = standing.by_classes(quality, "a", ["b"], {"colon": 5, "madelon": 3, "caltech101": 2})
    assert told[["classes", "sets"]].values.tolist() == [["two", 1], ["more", 2]]


def test_a_set_that_few_methods_finish_costs_nobody_a_place(rows):
    slow = rows[(rows["dataset"] != "caltech101") | (rows["method"] != "c")]
    quality = standing.over_sizes(slow)
    ranked = standing.ranked(quality)
    assert set(ranked.index.get_level_values(0)) == {"colon", "madelon"}
    assert standing.places(ranked)[0]["method"].tolist() == ["a", "b", "c"]
    assert standing.against(quality, "a", ["b", "c"])["sets"].tolist() == [3, 2]
    (line,) = standing.outside_ranks(slow, "a", "b").to_dict("records")
    assert (line["data set"], line["methods"], line["place"]) == ("caltech101", 2, 1)


def test_third_party_methods_neither_open_nor_close_a_set(rows):
    other = rows[(rows["method"] == "b") & (rows["dataset"] == "colon")]
    quality = standing.over_sizes(
        pd.concat([rows, other.assign(method="boruta", kind="third-party")])
    )
    assert standing.third_party_methods(quality) == ["boruta"]
    assert len(standing.ranked(quality)) == len(quality)
    (line,) = standing.against(quality, "a", ["boruta"]).to_dict("records")
    assert (line["sets"], line["difference"]) == (1, pytest.approx(2, abs=0.3))


def test_fewer_than_five_shared_splits_are_no_pair(rows):
    few = rows[(rows["method"] != "b") | (rows["split"] < 4)]
    quality = standing.over_sizes(few)
    assert standing.against(quality, "a", ["b"]).empty
    assert standing.against(quality, "a", ["b", "c"])["rival"].tolist() == ["c"]


def test_tuned_rivals_meet_the_method_on_the_same_splits(rows):
    """A rival that gains three points by tuning passes from two behind to one ahead."""
    tuned = rows[(rows["method"] == "b") & (rows["dataset"] != "caltech101")]
    tuned = tuned.assign(score=tuned["score"] + 0.03)
    found = standing.with_tuned(standing.over_sizes(rows), tuned, "a")
    (line,) = standing.against(found, "a", ["b"]).to_dict("records")
    assert (line["sets"], line["difference"]) == (2, pytest.approx(-1, abs=0.2))


def test_a_column_of_tenths_has_them_in_every_line():
    table = pd.DataFrame({"rank": [8.5, 9, -0.0], "size": [10, np.nan, 50], "s": [0.25, 1, 2]})
    lines = markdown(table).splitlines()[2:]
    assert lines == ["| 8.5 | 10 | 0.25 |", "| 9.0 | - | 1 |", "| 0.0 | 50 | 2 |"]
