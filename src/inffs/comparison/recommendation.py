"""The recommendation of a comparison in words: which method, how many features, what to expect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inffs._utils.words import counted
from inffs.comparison.summary import NO_INFORMATION

FEWEST = 10  # splits; from fewer no score is stated
MARGIN = 0.02  # smaller differences count as equal where the interval shows them
Lead = tuple[float, float, float]  # a difference and its 95 % interval


@dataclass(frozen=True)
class Alternative:
    """A method at its best size."""

    method: str
    size: int
    score: float


@dataclass(frozen=True)
class Recommendation:
    """The method to use, the number of features, the score to expect and the alternatives.

    Parameters
    ----------
    method, size, asked : str, int and str
        The method, the number of features, and how that number was requested.
    measure : str
        The name of the score: accuracy, R2, ...
    expected, low, high : float
        The score to expect on new samples, corrected for the choice, and the 95 % interval for
        another table of this size. They are NaN if fewer than ten splits are done.
    apparent, tried, units : float, int and int
        The uncorrected score, the number of compared combinations of method and size, and the
        number of tested samples (or groups of them).
    best : Alternative
        The best combination. The recommended one is not clearly worse.
    seconds, splits, seconds_left : float, int and float
        The time of one fit, the number of splits, and the time of those that are missing to ten.
    others : int
        The number of methods that the recommended one was compared with.
    as_good, incomplete : tuples of Alternative and of str
        The methods that are not clearly worse, and those that have too few splits to be compared.
    all_features, majority : float
        The score of all features, and the accuracy of the majority-class baseline.
    lead_on_random, lead_on_all : tuple of float, optional
        The difference to as many random features and to all features, with its interval.
    code : str
        Python code that repeats the recommended selection.

    See Also
    --------
    compare : Returns a recommendation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inffs.comparison import compare
    >>> X, y = load_iris(return_X_y=True)
    >>> found = compare(X, y, "out", methods=["all", "fisher"], sizes=(2,), splits=10)
    >>> found.sentences()[0]
    'Use fisher with 2 features.'
    """

    method: str
    size: int
    asked: str
    measure: str
    expected: float
    low: float
    high: float
    apparent: float
    tried: int
    units: int
    best: Alternative
    seconds: float
    splits: int
    seconds_left: float
    others: int
    as_good: tuple[Alternative, ...]
    incomplete: tuple[str, ...]
    all_features: float
    majority: float | None
    lead_on_random: Lead | None
    lead_on_all: Lead | None
    code: str

    @property
    def complete(self) -> bool:
        """Whether there were enough splits to state the score to expect."""
        return not np.isnan(self.expected)

    @property
    def clear(self) -> bool:
        """Whether even the low end of the interval is above the baseline."""
        least = NO_INFORMATION.get(self.measure, self.majority)
        return least is None or self.low > least

    def sentences(self) -> list[str]:
        """Return the recommendation in words."""
        return [
            self._use(),
            self._expected() if self.complete else self._too_few(),
            f"A fit takes {_duration(self.seconds)}.",
            *([self._alternatives()] if self.others else []),
            *([self._incomplete()] if self.incomplete else []),
            "; ".join(f"{name}: {value}" for name, value in self._baselines()) + ".",
            *self.warnings(),
        ]

    def tiles(self) -> list[tuple[str, str]]:
        """Return the main numbers with their names."""
        if not self.complete:
            expected = [("Expected", f"not known yet ({counted(self.splits, 'split')})")]
        else:
            interval = f"{self._shown(self.low)} to {self._shown(self.high)}"
            expected = [
                (f"Expected {self.measure}", self._shown(self.expected)),
                (f"On another {self.units} samples (95 %)", interval),
            ]
        return [*expected, *self._baselines()]

    def warnings(self) -> Iterator[str]:
        """Yield the reasons not to trust the ranking or the selection."""
        if self.complete and self.lead_on_random is not None:
            yield from self._beside_random(*self.lead_on_random)
        if self.complete and self.lead_on_all is not None and self.lead_on_all[2] < 0:
            mean, low, high = self.lead_on_all
            yield f"Caution: all features are better ({self._difference(-mean, -high, -low)})."

    def _beside_random(self, mean: float, low: float, high: float) -> Iterator[str]:
        """Equivalence is stated only where it was shown."""
        correction = self.apparent - self.expected
        mean, low, high = mean - correction, low - correction, high - correction
        if high < MARGIN:
            margin = f"{MARGIN:g}" if self._plain else f"{100 * MARGIN:.0f} points"
            yield (
                f"Caution: as many random features are equally good (within {margin}), so do not "
                "interpret the ranking."
            )
        elif low <= 0:
            yield (
                "Not shown: that the selected features are better than as many random ones "
                f"({self._difference(mean, low, high)})."
            )

    def _use(self) -> str:
        number = counted(self.size, "feature")
        if self.asked == "auto":
            number = f"its automatic number of features (about {self.size})"
        what = f"{self.method} with {number}"
        if not self.complete:
            return f"So far {what} has the highest estimate."
        if not self.clear:
            baseline = (
                "a model without information" if self._plain else "the majority-class baseline"
            )
            return f"No method is clearly better than {baseline}. The best choice is {what}."
        if (self.method, self.size) == (self.best.method, self.best.size):
            return f"Use {what}."
        best = f"{self.best.method} with {counted(self.best.size, 'feature')}"
        return f"Use {what}. It is the simplest that is not clearly worse than the best ({best})."

    def _expected(self) -> str:
        return (
            f"Expected {self.measure} on new samples: {self._shown(self.expected)}, corrected for "
            f"the choice among {self.tried} combinations of method and size (uncorrected "
            f"{self._shown(self.apparent)}). On another {self.units} samples it will be "
            f"{self._shown(self.low)} to {self._shown(self.high)} (95 % interval, "
            f"{self.splits} splits)."
        )

    def _too_few(self) -> str:
        return (
            f"{counted(self.splits, 'split')} are too few to state an expected "
            f"{self.measure}; that takes {FEWEST}. The other {FEWEST - self.splits} take about "
            f"{_duration(self.seconds_left)} on one core; finished trials are kept."
        ).replace("1 split are", "1 split is")

    def _incomplete(self) -> str:
        return f"Not compared, because they have too few splits: {', '.join(self.incomplete)}."

    def _baselines(self) -> list[tuple[str, str]]:
        found = [("All features", self._shown(self.all_features))]
        if self.majority is not None:
            found.append(("Majority-class baseline", _percent(self.majority)))
        return found

    def _alternatives(self) -> str:
        if not self.as_good:
            return "Every other method is clearly worse."
        named = ", ".join(f"{each.method} ({each.size})" for each in self.as_good[:6])
        more = len(self.as_good) - 6
        end = f" and {more} more." if more > 0 else "."
        return f"Not clearly worse (number of features in brackets): {named}{end}"

    @property
    def _plain(self) -> bool:
        """Whether scores are shown as they are: R2 and concordance, not shares in percent."""
        return self.measure in NO_INFORMATION

    def _shown(self, value: float) -> str:
        return _percent(value) if not self._plain or np.isnan(value) else f"{value:.3f}"

    def _difference(self, mean: float, low: float, high: float) -> str:
        if self._plain:
            return f"{mean:+.3f}, 95 % interval {low:+.3f} to {high:+.3f}"
        low, high = 100 * low, 100 * high
        return f"{100 * mean:+z.1f} points, 95 % interval {low:+z.1f} to {high:+z.1f}"


def _percent(value: float) -> str:
    return "not measured" if np.isnan(value) else f"{100 * value:.1f} %"


def _duration(seconds: float) -> str:
    if seconds < 0.1:
        return "less than 0.1 s"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
