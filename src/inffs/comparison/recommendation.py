"""The answer: which method with how many features, what to expect, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from inffs.comparison import summary
from inffs.comparison.plan import Plan
from inffs.comparison.protocol import Protocol
from inffs.comparison.recipe import write_recipe
from inffs.comparison.standings import FEWEST, Standings, standings_of

MARGIN = 0.02  # differences within it are called equal where they are shown to be


@dataclass(frozen=True)
class Rival:
    """A method at its best size, for the list of those that are as good."""

    method: str
    size: int
    accuracy: float
    seconds: float


@dataclass(frozen=True)
class Recommendation:
    """Use this method with this many features; what to expect, what it costs, what is as good.

    Parameters
    ----------
    method, size, asked : str, int and str
        Which to use with how many features, and how that number was asked for.
    accuracy, low, high : float
        What new samples will show, the choice paid for, and where another table of this size will
        lie with 95 % probability; NaN where fewer than ten splits are done.
    apparent, tried, units : float, int and int
        The uncorrected accuracy, among how many combinations of method and size was chosen, and
        how many samples (or groups of them) were tested.
    best : Rival
        The best of all, from which the recommended one cannot be told.
    seconds, splits, seconds_left : float, int and float
        Of one fit; how many splits there were; of those that ten still lack.
    as_good, late : tuples of Rival and of str
        What is as good within the noise; methods that have too few splits to be compared.
    all_features, chance : float
        What all features reach, and always saying the commonest class.
    measure, code : str
        What is measured; Python to copy.
    cautions : tuple of str
        What speaks against trusting it.

    See Also
    --------
    compare : Gives one.

    Examples
    --------
    >>> from inffs.comparison import Recommendation
    >>> from inffs.comparison.recommendation import Rival
    >>> words = {"method": "fisher", "asked": "2", "measure": "accuracy", "code": ""}
    >>> promise = {"accuracy": 0.95, "low": 0.9, "high": 0.98, "apparent": 0.96, "chance": 0.33}
    >>> counts = {"size": 2, "tried": 12, "units": 150, "splits": 10}
    >>> seconds = {"seconds": 0.1, "seconds_left": 0.0}
    >>> others = {"best": Rival("fisher", 2, 0.96, 0.1), "as_good": (), "late": (), "cautions": ()}
    >>> numbers = {**promise, **counts, **seconds, "all_features": 0.96}
    >>> answer = Recommendation(**words, **numbers, **others)
    >>> answer.sentences()[0]
    'Use fisher with 2 features.'
    """

    method: str
    size: int
    asked: str
    accuracy: float
    low: float
    high: float
    apparent: float
    tried: int
    units: int
    best: Rival
    seconds: float
    splits: int
    seconds_left: float
    as_good: tuple[Rival, ...]
    late: tuple[str, ...]
    all_features: float
    chance: float | None
    measure: str
    code: str
    cautions: tuple[str, ...]

    @property
    def promised(self) -> bool:
        """Whether there were splits enough to say what to expect."""
        return not np.isnan(self.accuracy)

    def sentences(self) -> list[str]:
        """The answer as a person would give it."""
        return [
            self._use(),
            self._expected() if self.promised else self._too_few(),
            f"A fit takes {_duration(self.seconds)}.",
            self._rivals(),
            *([self._late()] if self.late else []),
            self._beside(),
            *self.cautions,
        ]

    def tiles(self) -> list[tuple[str, str]]:
        """The numbers that matter, with their names."""
        found = [("With all features", self._told(self.all_features))]
        if self.chance is not None:
            found.append(("Always the commonest class", _percent(self.chance)))
        if not self.promised:
            return [("Promised", f"nothing yet ({_count(self.splits, 'split')})"), *found]
        interval = f"{self._told(self.low)} to {self._told(self.high)}"
        return [
            (f"Expected {self.measure}", self._told(self.accuracy)),
            (f"Another {self.units} samples will show", interval),
            *found,
        ]

    @property
    def clear(self) -> bool:
        """Whether even the low end of the interval beats knowing nothing."""
        least = summary.GUESSED.get(self.measure, self.chance)
        return least is None or self.low > least

    def _use(self) -> str:
        what = f"{self.method} with {_features(self.size, self.asked)}"
        if not self.promised:
            return f"So far {what} is ahead."
        if not self.clear:
            guess = "always saying the commonest class"
            guess = "knowing nothing" if self.measure in summary.GUESSED else guess
            return f"Nothing here clearly beats {guess}; the best bet is {what}."
        if (self.method, self.size) == (self.best.method, self.best.size):
            return f"Use {what}."
        best = f"{self.best.method} with {_features(self.best.size)}"
        return f"Use {what}: the simplest that cannot be told from the best ({best})."

    def _expected(self) -> str:
        return (
            f"Expect {self._named()} on new samples like these (corrected for having chosen among "
            f"{self.tried} combinations of method and size; uncorrected "
            f"{self._told(self.apparent)}). Another {self.units} of them will show "
            f"{self._told(self.low)} to {self._told(self.high)} (95 % interval, {self.splits} "
            "splits)."
        )

    def _named(self) -> str:
        if self.measure not in summary.GUESSED:
            return f"{self._told(self.accuracy)} {self.measure}"
        return (
            f"{'an' if self.measure == 'R2' else 'a'} {self.measure} of {self._told(self.accuracy)}"
        )

    def _told(self, value: float) -> str:
        """A share in percent, R2 and concordance as they are."""
        if self.measure not in summary.GUESSED or np.isnan(value):
            return _percent(value)
        return f"{value:.3f}"

    def _too_few(self) -> str:
        missing = FEWEST - self.splits
        return (
            f"Nothing is promised from {_count(self.splits, 'split')}: that takes {FEWEST}. The "
            f"{missing} still to run take about {_duration(self.seconds_left)} on one core "
            f"(--splits {FEWEST}, or a larger --budget); what is done is kept."
        )

    def _late(self) -> str:
        return f"Too few splits to be compared, for lack of time: {', '.join(self.late)}."

    def _beside(self) -> str:
        text = f"With all features: {self._told(self.all_features)}"
        if self.chance is not None:
            text += f"; always saying the commonest class: {_percent(self.chance)}"
        return f"{text}."

    def _rivals(self) -> str:
        if not self.as_good:
            return "No other method comes as near."
        named = ", ".join(f"{each.method} ({each.size})" for each in self.as_good[:6])
        more = len(self.as_good) - 6
        return f"As good within the noise: {named}" + (f" and {more} more." if more > 0 else ".")


def _features(size: int, asked: str = "") -> str:
    if asked == "auto":
        return f"the number of features it chooses itself (about {size})"
    return _count(size, "feature")


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _percent(value: float) -> str:
    return "not measured" if np.isnan(value) else f"{100 * value:.1f} %"


def _duration(seconds: float) -> str:
    if seconds < 0.1:
        return "less than a tenth of a second"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def recommend(
    frame: pd.DataFrame,
    dataset: str,
    setting: str = "paper",
    chance: float | None = None,
    plan: Plan | None = None,
) -> Recommendation:
    """The answer from the results so far.

    ``chance`` is the accuracy of always saying the commonest class; the ``plan`` knows it, and how
    the table was prepared.
    """
    chance = chance if plan is None else plan.commonest
    rows = summary.finished(frame[frame["dataset"] == dataset], setting)
    if rows.empty or not (~rows["method"].isin(["all", "random"])).any():
        raise ValueError(
            "No method has finished yet: give a larger --budget or fewer --methods, and call "
            "again; what is done is kept."
        )
    contest = standings_of(rows)
    if not contest.selections.size:
        raise ValueError("Every size keeps all columns, which selects nothing: smaller --sizes.")
    line = contest.lines.iloc[contest.chosen]
    protocol = None if plan is None else Protocol.of_details(plan.details or {})
    promise = contest.promise() if contest.splits >= FEWEST else (float("nan"),) * 3
    size = round(line["n_features"])
    everything = contest.baseline("all")
    return Recommendation(
        method=str(line["method"]),
        size=size,
        asked=str(line["asked"]),
        accuracy=promise[0],
        low=promise[1],
        high=promise[2],
        apparent=contest.apparent(),
        tried=contest.selections.size,
        units=len(contest.scores) if contest.by_sample else int(rows["samples"].iloc[0]),
        best=_as_rival(contest, contest.best),
        seconds=float(line["fit_seconds"]),
        splits=contest.splits,
        seconds_left=_seconds_of_a_split(rows) * max(0, FEWEST - contest.splits),
        as_good=_as_good(contest),
        late=contest.late,
        all_features=float("nan") if everything is None else _mean(contest, everything),
        chance=chance,
        measure=str(line["measure"]),
        code=write_recipe(
            str(line["method"]),
            "auto" if line["asked"] == "auto" else size,
            protocol,
            plan is not None and plan.missing,
            "regression" if line["measure"] == "R2" else "auto",
        ),
        cautions=tuple(_cautions(contest, promise[0])),
    )


def _seconds_of_a_split(rows: pd.DataFrame) -> float:
    return float(rows.groupby("method")["trial_seconds"].median().sum())


def _mean(contest: Standings, place: int) -> float:
    return float(contest.scores[:, place].mean())


def _as_rival(contest: Standings, place: int) -> Rival:
    line = contest.lines.iloc[place]
    return Rival(
        str(line["method"]),
        round(line["n_features"]),
        _mean(contest, place),
        float(line["fit_seconds"]),
    )


def _as_good(contest: Standings) -> tuple[Rival, ...]:
    """Methods, each at its best size, that the recommended one does not clearly beat."""
    order = contest.selections[np.argsort(-contest.scores.mean(axis=0)[contest.selections])]
    mine, found = contest.lines["method"].iloc[contest.chosen], {}
    for place in order:
        method = contest.lines["method"].iloc[place]
        if method != mine and method not in found and not contest.lead(place)[1] > 0:
            found[method] = _as_rival(contest, int(place))
    return tuple(found.values())


def _cautions(contest: Standings, expected: float) -> Iterator[str]:
    if np.isnan(expected):
        return
    told = _plainly if contest.lines["measure"].iloc[0] in summary.GUESSED else _in_points
    if (place := contest.baseline("random")) is not None:
        price = contest.apparent() - expected
        yield from _beside_random(told, *(each - price for each in contest.lead(place)))
    if (place := contest.baseline("all")) is not None and contest.lead(place)[2] < 0:
        lost, low, high = (-each for each in contest.lead(place))
        yield f"Caution: all features are better ({told(lost, high, low)})."


def _beside_random(
    told: Callable[[float, float, float], str], difference: float, low: float, high: float
) -> Iterator[str]:
    """Equivalence is said where it was shown, not where a difference was not."""
    if high < MARGIN:
        margin = f"{100 * MARGIN:.0f} points" if told is _in_points else f"{MARGIN:g}"
        yield (
            f"Caution: as many random features do as well (within {margin}), so the ranking itself "
            "should not be read as a finding."
        )
    elif low <= 0:
        yield (
            "Not shown: that the choice beats as many random features "
            f"({told(difference, low, high)})."
        )


def _in_points(mean: float, low: float, high: float) -> str:
    return f"{100 * mean:+z.1f} points, 95 % interval {100 * low:+z.1f} to {100 * high:+z.1f}"


def _plainly(mean: float, low: float, high: float) -> str:
    return f"{mean:+.3f}, 95 % interval {low:+.3f} to {high:+.3f}"
