"""Choose the method and the size to recommend, estimate the score to expect, and write the code.

The score of the best of many is too good, and the splits of one table share their samples. So
the samples (or their groups) are drawn with replacement: the rule that recommends is applied to
each draw, and its recommendation is scored on the samples left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from sklearn.preprocessing import StandardScaler

from inffs.comparison import summary
from inffs.comparison.methods import ComparedMethod, find_method
from inffs.comparison.protocol import Protocol
from inffs.comparison.recommendation import FEWEST, Alternative, Lead, Recommendation
from inffs.comparison.store import Plan
from inffs.evaluation.assess import choose
from inffs.evaluation.estimates import (
    corrected_best,
    interval_of_difference,
    interval_of_mean,
    interval_of_repeat,
)
from inffs.report._data import constructor_call, import_line
from inffs.validation.preparation import Preparation

_DRAWS = 300
_BASELINES = ("all", "random")
_KEY = ["method", "asked"]


@dataclass(frozen=True)
class Standings:
    """The configurations (a method at a size), and their scores on the same units.

    Units are samples, or groups of samples, if the store contains their scores; else splits.
    ``incomplete`` names the methods that have too few splits to be compared.
    """

    lines: pd.DataFrame
    scores: np.ndarray
    splits: int
    by_sample: bool
    incomplete: tuple[str, ...]

    @cached_property
    def selections(self) -> np.ndarray:
        """Places of the configurations that select: no baselines, and not every column."""
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

        Costs are equal up to a tenth of a second and within a power of ten.
        """
        lines = self.lines.iloc[self.selections]
        unstable = -lines["nogueira"].fillna(0.0).round(6)
        cost = np.round(np.log10(lines["cpu_seconds"].clip(lower=0.1)))
        keys = np.column_stack([lines["n_features"], unstable, cost])
        return np.unique(keys, axis=0, return_inverse=True)[1].ravel()

    def expected(self) -> tuple[float, float, float]:
        """The score to expect, corrected for the choice, and an interval for as many samples."""
        if self.splits < FEWEST:
            return (float("nan"),) * 3
        expected = corrected_best(self._of_selections, self._choose, _DRAWS)
        mine = self.scores[:, self.chosen]
        if self.by_sample:
            return expected, *interval_of_repeat(expected, mine)
        mean, low, high = interval_of_mean(mine)
        shift = expected - mean
        return expected, max(0.0, low + shift), min(1.0, high + shift)

    def mean(self, place: int) -> float:
        return float(self.scores[:, place].mean())

    def lead(self, place: int) -> Lead:
        """The recommendation minus another configuration, unit by unit, with its interval."""
        difference = self.scores[:, self.chosen] - self.scores[:, place]
        return (interval_of_difference if self.by_sample else interval_of_mean)(difference)

    def baseline(self, method: str) -> int | None:
        """Place of a baseline, at the size nearest the recommended one; None if it was not run."""
        places = np.flatnonzero(self.lines["method"] == method)
        if not places.size:
            return None
        sizes = self.lines["n_features"].to_numpy()
        return int(places[np.argmin(np.abs(sizes[places] - sizes[self.chosen]))])

    def alternative(self, place: int) -> Alternative:
        """A configuration as the recommendation lists it."""
        line = self.lines.iloc[place]
        return Alternative(str(line["method"]), round(line["n_features"]), self.mean(place))

    def as_good(self) -> tuple[Alternative, ...]:
        """Methods, each at its best size, that are not clearly worse than the recommended one."""
        order = self.selections[np.argsort(-self.scores.mean(axis=0)[self.selections])]
        mine, found = self.lines["method"].iloc[self.chosen], {}
        for place in order:
            method = self.lines["method"].iloc[place]
            if method != mine and method not in found and not self.lead(place)[1] > 0:
                found[method] = self.alternative(int(place))
        return tuple(found.values())


def standings_of(rows: pd.DataFrame) -> Standings:
    """Compare one data set's finished rows on the splits that all compared methods have."""
    counts = rows.groupby("method")["split"].nunique()
    most = counts.drop(list(_BASELINES), errors="ignore").max()
    counted = set(counts.index[counts >= (FEWEST if most >= FEWEST else 0.5 * most)])
    mine = rows[rows["method"].isin(counted)]
    shared = set.intersection(*(set(each) for _, each in mine.groupby("method")["split"]))
    mine = mine[mine["split"].isin(shared)].drop_duplicates([*_KEY, "split"])
    mine = mine[mine.groupby(_KEY)["split"].transform("size") == len(shared)]
    lines = summary.lines_of(mine)
    by_sample = _has_samples(mine)
    if by_sample:
        tested = mine.explode(["tested", "sample_scores"])
        scores = _wide(tested, lines, "tested", "sample_scores")
    else:
        scores = _wide(mine, lines, "split", "score")
    incomplete = tuple(sorted(set(counts.index) - counted))
    return Standings(lines, scores, len(shared), by_sample, incomplete)


def _has_samples(rows: pd.DataFrame) -> bool:
    """Whether the score of every tested sample is stored."""
    return bool(rows["sample_scores"].map(lambda scores: np.ndim(scores) == 1).all())


def _wide(rows: pd.DataFrame, lines: pd.DataFrame, unit: str, score: str) -> np.ndarray:
    """Mean score of every unit, units in rows and the configurations of ``lines`` in columns."""
    wide = rows.astype({score: float}).pivot_table(index=unit, columns=_KEY, values=score)
    return wide[list(lines[_KEY].itertuples(index=False, name=None))].to_numpy()


def recommend(
    frame: pd.DataFrame, dataset: str, setting: str = "paper", plan: Plan | None = None
) -> Recommendation:
    """Recommend a method and a size from the results so far.

    A ``plan`` has the accuracy of the majority-class baseline, and how the table was prepared.
    """
    rows = summary.finished(frame[frame["dataset"] == dataset], setting)
    if rows.empty or not (~rows["method"].isin(_BASELINES)).any():
        raise ValueError(
            "No method has finished yet. Allow a larger budget or compare fewer methods, and run "
            "it again; finished trials are kept."
        )
    standings = standings_of(rows)
    if not standings.selections.size:
        raise ValueError("Every size keeps all columns, which selects nothing: use smaller sizes.")
    line = standings.lines.iloc[standings.chosen]
    method, asked, measure = str(line["method"]), str(line["asked"]), str(line["measure"])
    size = round(line["n_features"])
    expected, low, high = standings.expected()
    protocol = None if plan is None else Protocol.of_details(plan.details or {})
    everything, random = standings.baseline("all"), standings.baseline("random")
    seconds_of_a_split = float(rows.groupby("method")["trial_seconds"].median().sum())
    return Recommendation(
        method=method,
        size=size,
        asked=asked,
        measure=measure,
        expected=expected,
        low=low,
        high=high,
        apparent=standings.mean(standings.chosen),
        tried=standings.selections.size,
        units=len(standings.scores) if standings.by_sample else int(rows["samples"].iloc[0]),
        best=standings.alternative(standings.best),
        seconds=float(line["fit_seconds"]),
        splits=standings.splits,
        seconds_left=seconds_of_a_split * max(0, FEWEST - standings.splits),
        others=standings.lines["method"].iloc[standings.selections].nunique() - 1,
        as_good=standings.as_good(),
        incomplete=standings.incomplete,
        all_features=float("nan") if everything is None else standings.mean(everything),
        majority=None if plan is None else plan.majority,
        lead_on_random=None if random is None else standings.lead(random),
        lead_on_all=None if everything is None else standings.lead(everything),
        code=write_recipe(
            method,
            "auto" if asked == "auto" else size,
            protocol,
            plan is not None and plan.missing,
            "regression" if measure == "R2" else "auto",
        ),
    )


def write_recipe(
    method: str,
    size: int | str,
    protocol: Protocol | None = None,
    missing: bool = False,
    target_type: str = "auto",
) -> str:
    """Write code that makes ``X_small`` of ``X`` and ``y`` as in the trials of the comparison.

    ``size`` is a number of features or "auto"; ``missing``: whether cells of the table are empty.
    """
    protocol = protocol or Protocol()
    compared = find_method(method, protocol.tuned)
    if compared.baseline or compared.grid:
        return _by_pick(method, size, protocol, target_type)
    before = Preparation("median" if missing else None, protocol.scale or "none").steps()
    scaled = [] if compared.sees_raw or protocol.scale is not None else [StandardScaler()]
    selector = _selector(compared, size, protocol, target_type)
    lines = [f"X = {_pipeline(before)}.fit_transform(X)"] if before else []
    last = "[-1]" if scaled else ""
    target = "X, y" if compared.supervised else "X"
    lines += [f"selector = {_pipeline([*scaled, selector])}.fit({target}){last}"]
    lines += ["X_small = selector.transform(X)"]
    imports = {import_line(each) for each in [*before, *scaled, selector]}
    if len(before) > 1 or scaled:
        imports.add("from sklearn.pipeline import make_pipeline")
    return "\n".join([*sorted(imports), "", *lines])


def _pipeline(steps: list[Any]) -> str:
    """One estimator, or a pipeline of several."""
    calls = ", ".join(map(constructor_call, steps))
    return calls if len(steps) == 1 else f"make_pipeline({calls})"


def _by_pick(method: str, size: int | str, protocol: Protocol, target_type: str) -> str:
    """Baselines, and parameters chosen by cross-validation, have no public class."""
    given: dict[str, Any] = {"tuned": True} if protocol.tuned else {}
    given |= {} if protocol.scale is None else {"scale": protocol.scale}
    given |= {} if protocol.seed == 0 else {"seed": protocol.seed}
    given |= {} if target_type == "auto" else {"target_type": target_type}
    arguments = "".join(f", {name}={value!r}" for name, value in given.items())
    return (
        "import numpy as np\n\nfrom inffs.comparison import pick\n\n"
        f"columns = pick(X, y, {method!r}, {size!r}{arguments})\n"
        "X_small = np.asarray(X)[:, columns]"
    )


def _selector(
    compared: ComparedMethod, size: int | str, protocol: Protocol, target_type: str
) -> Any:
    """The selector that the comparison evaluated, not fitted."""
    selector = compared.estimator(n_features_to_select=size, **compared.params)
    further = {"random_state": protocol.seed, "target_type": target_type}
    known = selector.get_params()
    return selector.set_params(**{name: further[name] for name in further.keys() & known.keys()})
