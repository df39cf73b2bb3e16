"""Every method at every size on the same splits: which to recommend, and what it is worth.

The accuracy of the best of many is too good to be true, and splits of one table share their
samples. So the samples (or their groups) are drawn, as if the table had been another: the rule that
recommends is applied to the draw, and what it recommends is scored on the samples left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from inffs.comparison import summary
from inffs.evaluation.choice import choose
from inffs.evaluation.estimates import (
    corrected_best,
    interval_of_difference,
    interval_of_mean,
    interval_of_repeat,
)

FEWEST = 10  # splits: from fewer nothing is promised
_DRAWS = 300
PAID = 0.5  # of the bias correction: folds train on fewer samples, which makes up for the rest
_BASELINES = ("all", "random")
_KEY = ["method", "asked"]


@dataclass(frozen=True)
class Standings:
    """Configurations (a method at a size) in ``lines``, and their ``scores`` of the same units.

    Units are samples or groups of samples where the store knows how these fared, else splits.
    ``late`` names the methods that have too few splits to be compared with the others.
    """

    lines: pd.DataFrame
    scores: np.ndarray
    splits: int
    by_sample: bool
    late: tuple[str, ...]

    @cached_property
    def selections(self) -> np.ndarray:
        """Places of the configurations that select: not the baselines, not every column."""
        partial = self.lines["n_features"] < self.lines["features"]
        return np.flatnonzero(partial & ~self.lines["method"].isin(_BASELINES))

    @cached_property
    def best(self) -> int:
        """Place of the best selection; the simpler of equals."""
        return int(self.selections[choose(self._of_selections, self._simplest_first, slack=0.0)])

    @cached_property
    def chosen(self) -> int:
        """Place of the simplest selection within one standard error of the best."""
        return int(self.selections[self._choose(self._of_selections)])

    def _choose(self, drawn: np.ndarray) -> int:
        return choose(drawn, self._simplest_first)

    @cached_property
    def _of_selections(self) -> np.ndarray:
        return self.scores[:, self.selections]

    @cached_property
    def _simplest_first(self) -> np.ndarray:
        """Rank of every selection: fewest features, then most stable, then cheapest.

        Prices are equal up to a tenth of a second and within a power of ten.
        """
        lines = self.lines.iloc[self.selections]
        unstable = -lines["nogueira"].fillna(0.0).round(6)
        price = np.round(np.log10(lines["cpu_seconds"].clip(lower=0.1)))
        keys = np.column_stack([lines["n_features"], unstable, price])
        return np.unique(keys, axis=0, return_inverse=True)[1].ravel()

    def promise(self) -> tuple[float, float, float]:
        """What new samples will show, the choice paid for, and where as many will show it."""
        corrected, _ = corrected_best(self._of_selections, select=self._choose, n_draws=_DRAWS)
        expected = self.apparent() + PAID * (corrected - self.apparent())
        mine = self.scores[:, self.chosen]
        if self.by_sample:
            return expected, *interval_of_repeat(expected, mine)
        mean, low, high = interval_of_mean(mine)
        shift = expected - mean
        return expected, max(0.0, low + shift), min(1.0, high + shift)

    def apparent(self) -> float:
        """What the recommended one scored, before the choice is paid for."""
        return float(self.scores[:, self.chosen].mean())

    def lead(self, place: int) -> tuple[float, float, float]:
        """The recommended one minus another, unit by unit, with its interval."""
        difference = self.scores[:, self.chosen] - self.scores[:, place]
        return (interval_of_difference if self.by_sample else interval_of_mean)(difference)

    def baseline(self, method: str) -> int | None:
        """Place of a baseline, at the size nearest the recommended one; None where it has none."""
        places = np.flatnonzero(self.lines["method"] == method)
        if not places.size:
            return None
        sizes = self.lines["n_features"].to_numpy()
        return int(places[np.argmin(np.abs(sizes[places] - sizes[self.chosen]))])


def standings_of(rows: pd.DataFrame) -> Standings:
    """The contest of one data set's finished rows, on the splits that all compared methods have."""
    counts = rows.groupby("method")["split"].nunique()
    most = counts.drop(list(_BASELINES), errors="ignore").max()
    counted = set(counts.index[counts >= (FEWEST if most >= FEWEST else 0.5 * most)])
    mine = rows[rows["method"].isin(counted)]
    shared = set.intersection(*(set(each) for _, each in mine.groupby("method")["split"]))
    mine = mine[mine["split"].isin(shared)].drop_duplicates([*_KEY, "split"])
    whole = mine.groupby(_KEY)["split"].transform("size") == len(shared)
    mine = mine[whole]
    lines = summary.lines_of(mine)
    by_sample = bool(mine["sample_scores"].map(_is_list).all())
    scores = (_by_sample if by_sample else _by_split)(mine, lines)
    late = tuple(sorted(set(counts.index) - counted))
    return Standings(lines, scores, len(shared), by_sample, late)


def _is_list(value: object) -> bool:
    return value is not None and not isinstance(value, float)


def _by_split(rows: pd.DataFrame, lines: pd.DataFrame) -> np.ndarray:
    wide = rows.pivot(index="split", columns=_KEY, values="quality")
    return wide[list(lines[_KEY].itertuples(index=False, name=None))].to_numpy()


def _by_sample(rows: pd.DataFrame, lines: pd.DataFrame) -> np.ndarray:
    """Mean score of every tested unit over its splits, units in rows."""
    units = np.unique(np.concatenate(list(rows["tested"])))
    places = {tuple(key): place for place, key in enumerate(lines[_KEY].to_numpy())}
    total, count = np.zeros((units.size, len(lines))), np.zeros((units.size, len(lines)))
    for key, tested, scores in zip(
        rows[_KEY].to_numpy(), rows["tested"], rows["sample_scores"], strict=True
    ):
        where = np.searchsorted(units, tested)
        np.add.at(total[:, places[tuple(key)]], where, scores)
        np.add.at(count[:, places[tuple(key)]], where, 1)
    return total / count
