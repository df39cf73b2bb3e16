"""The study of the cuts: one fit, every cut, and the tables made of it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from inffs.comparison.dataset import Dataset
from inffs.comparison.methods import find_method
from inffs.comparison.protocol import Protocol, split
from inffs.comparison.runner import run
from inffs.comparison.store import SCHEMA, Store
from inffs.comparison.trial import as_seen, run_trial
from inffs.cuts import CUTS, default_cut
from inffs.cuts.stability import nogueira
from inffs.methods import FisherScore
from reproduction import cutting, suite
from reproduction.cutting import CutsProtocol, CutsRound, CutsTrial
from reproduction.packed import PackedStore
from reproduction.suite import paper_rounds

PROTOCOL = CutsProtocol(
    n_splits=3,
    Cs=(0.1,),
    folds=2,
    automatic=False,
    study="cuts",
    cuts=tuple(CUTS),
)


def planted(name="colon", T=60, n=60):
    rng = np.random.default_rng(len(name))
    y = np.arange(T) % 2
    X = rng.normal(size=(T, n)) * np.linspace(1, 3, n)
    X[:, :8] += 2 * y[:, None]
    return Dataset(name, X, y, [f"x{j}" for j in range(n)])


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("cuts"))
    methods = tuple(map(find_method, ("fisher", "variance")))
    assert run(
        [CutsRound(planted(name), PROTOCOL, methods) for name in ("colon", "lung")],
        store,
        path=suite.ROOT,
    )
    return store


def test_every_cut_keeps_what_the_selector_keeps():
    dataset = planted()
    rows = run_trial(dataset, CutsTrial(find_method("fisher"), 0, PROTOCOL))
    sizes = {row["asked"]: row["n_features"] for row in rows}
    assert list(sizes) == ["10", "50", *PROTOCOL.cuts]
    train = split(PROTOCOL, dataset.y, 0)[0]
    X = as_seen(find_method("fisher"), dataset.X[train])
    for name in CUTS:
        selector = FisherScore(n_features_to_select=name).fit(X, dataset.y[train])
        assert sizes[name] == selector.n_features_, name


def test_equal_sizes_have_equal_results_and_picks_are_beginnings_of_one_order(store):
    frame = store.frame()
    for _, rows in frame[frame["asked"] != "fdr"].groupby("trial"):
        assert (rows.groupby("n_features")["accuracy"].nunique() == 1).all()
        longest = max(rows["selected"], key=len)
        assert len(longest) == rows["n_features"].max()
        for picked, size in zip(rows["selected"], rows["n_features"], strict=True):
            np.testing.assert_array_equal(picked, longest[:size])


def test_without_labels_there_is_no_null_and_nothing_to_predict(store):
    asked = store.frame().groupby("method")["asked"].agg(set)
    assert asked["fisher"] - asked["variance"] == {"fdr", "predict"}


def test_resumes_and_other_trials_keep_their_keys(store):
    before = store.frame()
    methods = (find_method("fisher"),)
    assert run([CutsRound(planted("colon"), PROTOCOL, methods)], store, path=suite.ROOT)
    pd.testing.assert_frame_equal(store.frame(), before)
    assert "cuts" not in Protocol().identity()
    assert PROTOCOL.identity()["cuts"] == PROTOCOL.cuts


def test_cells_against_the_rows(store):
    frame = store.frame()
    cells = cutting.cut_means(frame).set_index(["dataset", "method", "cut"])
    rows = frame[(frame["dataset"] == "lung") & (frame["method"] == "fisher")]
    at = {name: group.set_index("split")["accuracy"] for name, group in rows.groupby("asked")}
    best = max(("10", "50"), key=lambda size: at[size].mean())
    cell = cells.loc[("lung", "fisher", "mean-shift")]
    assert cell["best"] == int(best)
    assert cell["difference"] == pytest.approx(100 * (at["mean-shift"] - at[best]).mean())
    fair = [
        at[max(("10", "50"), key=lambda size: at[size].drop(number).mean())][number]
        for number in range(3)
    ]
    assert cell["fair"] == pytest.approx(100 * (at["mean-shift"] - fair).mean())
    orders = rows.sort_values("n_features").drop_duplicates("split", keep="last")
    orders = orders.set_index("split")["selected"]
    sizes = rows[rows["asked"] == "mean-shift"].set_index("split")["n_features"]
    picked = [orders[number][: sizes[number]] for number in range(3)]
    assert cell["stability"] == pytest.approx(nogueira(picked, 60))


def test_table_is_paired_and_chooses_the_sets(store):
    table = cutting.cut_table(store.frame(), cutting.REPORTING, supervised=True).set_index("cut")
    cells = cutting.cut_means(store.frame())
    mine = cells[(cells["dataset"] == "lung") & (cells["method"] == "fisher")].set_index("cut")
    pd.testing.assert_series_equal(table["difference"], mine["difference"], check_like=True)
    assert (table["low"] <= table["difference"] + 1e-9).all()
    assert (table["high"] >= table["difference"] - 1e-9).all()
    best = str(mine["best"].iloc[0])
    assert table.loc[best, ["difference", "low", "high"]].tolist() == [0, 0, 0]
    assert table.loc["histogram", "of_histogram"] == pytest.approx(1)
    assert cutting.cut_table(SCHEMA.empty_table().to_pandas(), cutting.REPORTING, True).empty


def test_a_default_fares_no_worse_at_its_worst():
    table = pd.DataFrame(
        [
            ("200", 1.0, 0.0, 5),
            ("predict", 0.4, -1.0, 5),
            ("middle", 0.2, -1.0, 3),
            ("knee", 0.1, -4.0, 5),
            ("histogram", 0.0, -4.0, 5),
            ("mean-shift", -5.0, -3.0, 5),
        ],
        columns=["cut", "difference", "worst", "sets"],
    )
    assert cutting.ranked_defaults(table) == ["knee", "histogram", "mean-shift"]


def test_the_default_without_labels_is_what_the_results_say():
    rows = PackedStore(Path(__file__).parents[2] / "results").frame()
    table = cutting.cut_table(rows[rows["setting"] == "cuts"], cutting.CHOOSING, supervised=False)
    assert cutting.ranked_defaults(table)[0] == default_cut(supervised=False)


def test_the_study_by_name(monkeypatch):
    monkeypatch.setattr(suite, "load_spec", lambda name: planted(name))
    chosen = tuple(map(find_method, ("fisher", "mrmr", "inf-fs-u")))
    rounds = list(paper_rounds(["cuts"], chosen, splits=7))
    names = [each.dataset.name for each in rounds]
    assert list(dict.fromkeys(names)) == [*cutting.CHOOSING, *cutting.REPORTING]
    assert [each.protocol.setting for each in rounds[:2]] == [cutting.STUDY, cutting.REFIT]
    assert {*rounds[0].protocol.cuts, *rounds[1].protocol.cuts} == {*CUTS}
    assert [each.protocol.n_splits for each in rounds[:2]] == [7, 5]
    assert [each.key for each in rounds[0].methods] == ["fisher", "inf-fs-u"]
    assert all(each.grid == () for each in rounds[0].methods)
    only = list(paper_rounds(["cuts:gina"], chosen))
    assert {each.dataset.name for each in only} == {"gina"}
