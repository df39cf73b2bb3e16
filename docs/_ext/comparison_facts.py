"""The results of the benchmark for one method."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pandas as pd
from scipy import stats

RESULTS = Path(__file__).parents[2] / "results"
UNSEEN = RESULTS / "unseen"  # of benchmarks/unseen.py
METHOD, REFERENCE = "inf-fs-c", "inf-fs-s (equal weights)"
NOTHING = (
    "Not measured yet: ``results/`` is empty. "
    "``python -m reproduction run --out results`` runs the benchmark."
)
SIZE = "50"


@functools.cache
def means_of(folder: Path = RESULTS) -> pd.DataFrame | None:
    """Means over the splits of everything except third-party methods; None without results."""
    from inffs.comparison.summary import means
    from reproduction.packed import PackedStore

    if not folder.is_dir():
        return None
    frame = PackedStore(folder).frame()
    table = means(frame[frame["kind"] != "third-party"])
    return None if table.empty else table


def measured(folder: Path = RESULTS) -> pd.DataFrame | None:
    """Scores with 50 features, data sets in rows, methods in columns; None without results."""
    table = means_of(folder)
    if table is None:
        return None
    table = table[table["asked"] == SIZE]
    wide = table.pivot_table(index="dataset", columns="method", values="score")
    splits = table.groupby("dataset")["splits"]
    wide.attrs = {"fewest": splits.min().to_dict(), "most": splits.max().to_dict()}
    return None if wide.empty else wide


def _splits(grid: pd.DataFrame, name: str) -> str:
    fewest, most = grid.attrs["fewest"][name], grid.attrs["most"][name]
    return f"{most} splits" if fewest == most else f"{fewest} to {most} splits"


def result_lines(grid: pd.DataFrame | None, key: str) -> list[str]:
    """Return the accuracy and place of a method on every data set, for its page."""
    if grid is None:
        return [NOTHING]
    if key not in grid:
        return [f"Not measured yet on the {len(grid)} data sets of ``results/``."]
    mine = grid[key].dropna()
    places = grid.rank(axis=1, ascending=False, method="min").loc[mine.index, key].astype(int)
    rivals = grid.loc[mine.index].notna().sum(axis=1)
    lines = [
        f"With {SIZE} features, the best place is {_place(places, rivals, places.idxmin())} and "
        f"the worst {_place(places, rivals, places.idxmax())}.",
        "",
        ".. list-table::",
        "   :header-rows: 1",
        "",
        "   * - data set",
        "     - accuracy",
        "     - place",
    ]
    for name in mine.index:
        place = f"{places[name]} of {rivals[name]}"
        cells = (f"{name}, {_splits(grid, name)}", f"{100 * mine[name]:.1f} %", place)
        lines += [f"   {'* -' if n == 0 else '  -'} {cell}" for n, cell in enumerate(cells)]
    return lines


def _place(places: Any, rivals: Any, name: str) -> str:
    return f"{places[name]} of {rivals[name]} ({name})"


def gains_of_curves(rows: pd.DataFrame, folder: Path = UNSEEN) -> pd.Series | None:
    """What curves and pairs add to straight lines on every unseen table, in points.

    ``rows`` are those of one evaluator; ``replaced.csv`` holds the means with straight lines.
    """
    path = folder / "replaced.csv"
    if not path.exists():
        return None
    key = ["dataset", "evaluator", "n_features"]
    lines = pd.read_csv(path).set_index(key)["accuracy"]
    now = rows[rows["method"] == METHOD].groupby(key)["score"].mean()
    gains = 100 * (now - lines).dropna()
    return gains.groupby("dataset").mean().round(3)


def with_error(gains: pd.Series) -> str:
    """The mean over tables and half of its 95 % interval."""
    half = gains.std(ddof=1) / len(gains) ** 0.5 * stats.t.ppf(0.975, len(gains) - 1)
    return f"{gains.mean():+.1f} ± {half:.1f}"
