"""One rule that decides every atom: a paired comparison, its interval, and a word.

On one data set the interval is that of the paired differences of the splits, corrected for
overlapping training parts. Over several data sets it is the t interval of their means. Where
several comparisons must hold together, Holm's correction counts those that do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil, inf, nan, sqrt

import numpy as np
import pandas as pd
from scipy import stats

from inffs.comparison import summary
from inffs.comparison.summary import fair_means
from inffs.evaluation.estimates import interval_of_mean
from inffs.methods import catalogue
from reproduction import atoms
from reproduction.atoms import Atom
from reproduction.datasets import plain_name
from reproduction.paper import CHOSEN, TABLE_3, as_read
from reproduction.statistics import critical_difference, friedman, holm, ranks

SUPPORTED, EQUIVALENT, CONTRADICTED = "supported", "equivalent", "contradicted"
UNDECIDED, UNTESTABLE = "undecided", "not testable here"
WORDS = (SUPPORTED, EQUIVALENT, CONTRADICTED, UNDECIDED, UNTESTABLE)
MARGIN = 1.0  # point; in the number of features and in exponents no margin is needed
LEVEL = 0.95
RISK = (1 - LEVEL) / 2  # of each side
FEWEST = 5  # paired splits: fewer have no interval worth the name
ONE_FORM = ("cardinality", "growth")  # studies that run with equal weights in either reading


@dataclass(frozen=True)
class Estimate:
    """A mean difference with its standard error and degrees of freedom."""

    mean: float
    error: float
    df: float

    @property
    def reach(self) -> float:
        return float(self.error * stats.t.ppf(1 - RISK, self.df))

    def p_above(self, bound: float) -> float:
        """The p-value against "at most ``bound``"."""
        away = self.mean - bound
        return float(stats.t.sf(away / self.error, self.df)) if self.error else float(away <= 0)

    def p_below(self, bound: float) -> float:
        return Estimate(-self.mean, self.error, self.df).p_above(-bound)

    def __str__(self) -> str:
        low, high = self.mean - self.reach, self.mean + self.reach
        return f"{self.mean:+z.1f} ({low:+z.1f} to {high:+z.1f})"


def of_splits(values: pd.Series) -> Estimate:
    """Of one data set, corrected for overlapping training parts."""
    mean, _, high = interval_of_mean(values, level=LEVEL)
    df = len(values) - 1
    error = (high - mean) / float(stats.t.ppf(1 - RISK, df))
    return Estimate(mean, error if error > 1e-9 else 0.0, df)


def of_sets(found: Sequence[Estimate]) -> Estimate:
    """The mean over data sets as they come: their spread is the noise."""
    if len(found) == 1:
        return found[0]
    means = np.array([each.mean for each in found])
    error = float(means.std(ddof=1) / sqrt(len(means)))
    return Estimate(float(means.mean()), error if error > 1e-9 else 0.0, len(means) - 1)


@dataclass(frozen=True)
class Evidence:
    """P-values for the claim, against it, and for a difference within the margin."""

    support: float
    against: float
    equal: float = 1.0
    number: str = ""
    reach: float = nan
    detail: str = ""
    leading: bool = False  # no rival is shown to be better, and not every one worse

    @property
    def word(self) -> str:
        found = zip((SUPPORTED, CONTRADICTED, EQUIVALENT),
                    (self.support, self.against, self.equal), strict=True)  # fmt: skip
        return next((word for word, p in found if p < RISK), UNDECIDED)


@dataclass(frozen=True)
class Verdict:
    """A word with what it rests on; ``evidence`` is None where nothing could be compared."""

    word: str
    evidence: Evidence | None = None
    reason: str = ""

    @property
    def number(self) -> str:
        return self.evidence.number if self.evidence else "-"

    @property
    def support(self) -> float:
        return self.evidence.support if self.evidence else 1.0


@dataclass(frozen=True)
class Results:
    """The finished rows of one reading; ``complete`` names the data sets on which all is done."""

    rows: pd.DataFrame
    reading: str = CHOSEN
    complete: frozenset[str] = frozenset()
    _cells: dict[tuple[str, str], pd.DataFrame] = field(default_factory=dict)

    def study(self, name: str) -> pd.DataFrame:
        mine = summary.finished(self.rows, name)
        mine = mine if name in ONE_FORM else as_read(mine, self.reading)
        return mine.assign(dataset=mine["dataset"].map(plain_name), score=100 * mine["score"])

    def cells(self, study: str, column: str = "score") -> pd.DataFrame:
        """Data sets and splits in rows, methods and sizes in columns."""
        if (study, column) not in self._cells:
            self._cells[study, column] = self.study(study).pivot_table(
                index=["dataset", "split"], columns=["method", "asked"], values=column
            )
        return self._cells[study, column]

    def methods(self, which: str) -> list[str]:
        """The methods that the paper compares (its Table 1), of one class or of both."""
        paper = {entry.key for entry in catalogue() if entry.paper_cost}
        kinds = self.rows.drop_duplicates("method").set_index("method")["supervised"]
        wanted = {atoms.SUPERVISED: (True,), atoms.UNSUPERVISED: (False,)}.get(which, (True, False))
        return sorted(name for name in kinds.index if name in paper and bool(kinds[name]) in wanted)

    def side(
        self, study: str, dataset: str, which: str, sizes: tuple[str, ...], column: str = "score"
    ) -> pd.Series:
        """By split the mean over the sizes of a method, or of all methods of a class."""
        cells = self.cells(study, column)
        if dataset not in cells.index.get_level_values("dataset"):
            return pd.Series(dtype=float)
        mine = cells.loc[dataset].dropna(axis=1, how="all")
        names = self.methods(which) if which in atoms.CLASSES else [which]
        if sizes == atoms.BEST_SIZE:
            fixed = [size for size in atoms.SIZES if (which, size) in mine]
            sizes = (str(mine[which][fixed].mean().idxmax()),) if fixed else sizes
        names = [name for name in names if all((name, size) in mine for size in sizes)]
        columns = [(name, size) for name in names for size in sizes]
        return mine[columns].mean(axis=1, skipna=False).dropna()


def decide(atom: Atom, results: Results) -> Verdict:
    """The word for an atom by the rule above."""
    makers = {atoms.PLACE: _place, atoms.RANK: _rank, atoms.GROWTH: _growth}
    evidence = makers.get(atom.kind, _difference)(atom, results)
    status = results.rows.drop_duplicates("dataset").set_index("dataset")["status_of_data"]
    status.index = status.index.map(plain_name)
    if any(status.get(name) == "other network" for name in atom.sets):
        return Verdict(UNTESTABLE, evidence, "another network")
    if waiting := [name for name in atom.sets if name not in results.complete]:
        return Verdict(UNTESTABLE, evidence, f"incomplete: {', '.join(waiting)}")
    if evidence is None:
        return Verdict(UNTESTABLE, reason="no result")
    return Verdict(evidence.word, evidence)


def _difference(atom: Atom, results: Results) -> Evidence | None:
    """Left minus right, on the mean over the sets or set by set."""
    found = _paired(atom, results, str(atom.left), atom.right)
    if not found:
        return None
    if atom.each is not None:
        return _counted([_p_values(atom, each) for each in found], atom.each)
    pooled = of_sets(found)
    return Evidence(*_p_values(atom, pooled), str(pooled), pooled.reach)


def _p_values(atom: Atom, found: Estimate) -> tuple[float, float, float]:
    """For the claim, against it, and for no difference that matters."""
    within = max(found.p_above(atom.beyond - MARGIN), found.p_below(atom.beyond + MARGIN))
    if atom.claim == atoms.EQUAL:
        return within, min(found.p_above(MARGIN), found.p_below(-MARGIN)), 1.0
    if atom.claim == atoms.NOT_BELOW:
        return found.p_above(-MARGIN), found.p_below(-MARGIN), 1.0
    equal = 1.0 if atom.kind == atoms.FEATURES else within
    return found.p_above(atom.beyond), found.p_below(atom.beyond), equal


def at_least(p: Sequence[float], k: int) -> float:
    """The p-value of "at least ``k`` of these are true": the k-th smallest after Holm."""
    return float(np.sort(holm(np.array(p)))[k - 1]) if 1 <= k <= len(p) else float(k > len(p))


def _counted(found: list[tuple[float, float, float]], share: float) -> Evidence:
    """On so many of the sets, each with its own interval."""
    n, wanted = len(found), ceil(share * len(found) - 1e-9)
    support, against = ([each[side] for each in found] for side in (0, 1))
    yes, no = (sum(p < RISK for p in side) for side in (support, against))
    number = f"yes on {yes}, no on {no}, open on {n - yes - no} of {n} sets"
    return Evidence(at_least(support, wanted), at_least(against, n - wanted + 1), 1.0, number)


def _place(atom: Atom, results: Results) -> Evidence | None:
    """The place in a class, on the mean over the sets or set by set."""
    if atom.each is None:
        return _place_on(atom, results, atom.sets)
    found = [_place_on(atom, results, (name,)) for name in atom.sets]
    known = [(each.support, each.against, 1.0) for each in found if each is not None]
    return _counted(known, atom.each) if known else None


def _place_on(atom: Atom, results: Results, sets: tuple[str, ...]) -> Evidence | None:
    """Better than enough rivals, and (where the place is not the first) worse than enough."""
    names = [*results.methods(str(atom.right)), "variance"]
    leads, missing = {}, []
    for rival in (name for name in names if name != atom.left):
        found = _paired(atom, results, atom.left, rival, sets)
        if len(found) == len(sets):
            leads[rival] = of_sets(found)
        else:
            missing.append(rival)
    if len(leads) < 2:
        return None
    (first, last), n = atom.places, len(leads) + 1
    better = [each.p_above(0) for each in leads.values()]
    worse = [each.p_below(0) for each in leads.values()]
    support = max(at_least(better, n - last), at_least(worse, first - 1) if first > 1 else 0.0)
    against = min(at_least(worse, last), at_least(better, n - first + 1) if first > 1 else 1.0)
    low = 1 + int((holm(np.array(worse)) < RISK).sum())
    high = n - int((holm(np.array(better)) < RISK).sum())
    nearest = min(leads, key=lambda name: leads[name].mean)
    lead, place = leads[nearest], 1 + sum(each.mean < 0 for each in leads.values())
    equal = max(lead.p_above(-MARGIN), lead.p_below(MARGIN)) if last == 1 else 1.0
    position = f"place {place} of {n} ({low} to {high})"
    ahead = f"{lead} over {nearest}"
    number, detail = (ahead, position) if last == 1 else (position, ahead)
    if missing:
        detail += f"; without a result: {', '.join(missing)}"
    reach = lead.reach if last == 1 else nan
    return Evidence(support, against, equal, number, reach, detail, leading=last == low == 1 < high)


def _rank(atom: Atom, results: Results) -> Evidence | None:
    """The best average rank by Friedman's and Nemenyi's tests; then missing methods last."""
    names = dict.fromkeys([*results.methods(str(atom.right)), "variance", atom.left])
    scores = pd.DataFrame([_means(atom, results, dataset, list(names)) for dataset in atom.sets])
    first = _ranked(scores.dropna(axis=1), atom.left)
    second = _ranked(scores.fillna(-inf), atom.left)
    if first is None or second is None:
        return None
    detail = f"missing methods ranked last: {second.number}, {second.word}; {first.detail}"
    return replace(first, detail=detail)


def _means(atom: Atom, results: Results, dataset: str, names: list[str]) -> pd.Series:
    """Every method's mean on a data set, what a split does to all methods taken out."""
    sides = {name: results.side(atom.study, dataset, name, atom.sizes) for name in names}
    known = pd.DataFrame({name: side for name, side in sides.items() if len(side) >= FEWEST})
    return fair_means(known).reindex(names) if len(known) else pd.Series(nan, names)


def _ranked(scores: pd.DataFrame, method: str) -> Evidence | None:
    n, m = scores.shape
    if method not in scores or m < 3 or n < 3:
        return None
    mean = ranks(scores).mean()
    lead = mean.drop(method) - mean[method]
    z = lead.abs() / sqrt(m * (m + 1) / (6 * n)) * sqrt(2)
    p = pd.Series(stats.studentized_range.sf(z, m, np.inf) / 2, lead.index)
    p_friedman = friedman(scores)[1]
    reach, nearest = critical_difference(m, n), lead.idxmin()
    number = f"average rank {mean[method]:.1f}, {nearest} {mean[nearest]:.1f} ({m} methods)"
    detail = f"critical difference {reach:.1f}, Friedman p {p_friedman:.1g}"
    if p_friedman >= 1 - LEVEL:
        return Evidence(1.0, 1.0, 1.0, number, reach, detail)
    return Evidence(float(p.where(lead > 0, 1.0).max()), float(p.where(lead < 0, 1.0).min()),
                    1.0, number, reach, detail)  # fmt: skip


def _growth(atom: Atom, results: Results) -> Evidence | None:
    """The exponent of the processor time in the number of features is at most the claimed one."""
    rows = results.study(atom.study)
    rows = rows[(rows["method"] == atom.left) & rows["cpu_seconds"].notna()]
    if rows["features"].nunique() < 3:
        return None
    line = stats.linregress(
        np.log(rows["features"].astype(float)), np.log(rows["cpu_seconds"].astype(float))
    )
    found, limit = Estimate(line.slope, line.stderr, len(rows) - 2), float(atom.right)
    number = (
        f"n^{found.mean:.2f} ({found.mean - found.reach:.2f} to {found.mean + found.reach:.2f})"
    )
    return Evidence(found.p_below(limit), found.p_above(limit), 1.0, number, found.reach)


def _paired(
    atom: Atom, results: Results, left: str, right: str | float, sets: tuple[str, ...] = ()
) -> list[Estimate]:
    """Left minus right on every data set that has both; fewer features count as more."""
    size = atom.kind == atoms.FEATURES
    column = "n_features" if size else "score"
    found = []
    for dataset in sets or atom.sets:
        one = results.side(atom.study, dataset, left, atom.sizes, column)
        if right == atoms.PUBLISHED:
            other: pd.Series | float = TABLE_3[dataset, left][1]
        elif isinstance(right, str):
            sizes = atom.right_sizes or atom.sizes
            other = results.side(atom.study, dataset, right, sizes, column)
        else:
            other = right
        values = (np.log2(other) - np.log2(one) if size else one - other).dropna()
        if len(values) >= FEWEST:
            found.append(of_splits(values))
    return found
