"""Stability selection: the features that a selector selects from most halves of the samples.

The bounds are those of Shah and Samworth (2013). A feature counts as false if the selector selects
it from a random half of the samples no more often than a feature drawn at random: with probability
at most q / n, q features per half, n in all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import delayed
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from inffs._utils.threads import run_jobs
from inffs.base import FeatureSelector
from inffs.cuts import Samples
from inffs.evaluation.folds import halves
from inffs.meta.member import SelectorOfSelectors, fitted, is_ours
from inffs.scores import Ranking
from inffs.target import CLASSIFICATION

_STEPS = 65  # trial distributions between two neighbouring supports


def expected_false(
    q: float, n: int, threshold: float, pairs: int, assumption: str = "unimodal"
) -> float:
    """The largest expected number of false features among those with this frequency or more.

    Parameters
    ----------
    q : float
        Mean number of features that are selected from a half of the samples.
    n : int
        Features in all.
    threshold : float in (0.5, 1]
        Smallest share of the halves that select a feature for it to be kept.
    pairs : int
        Pairs of complementary halves.
    assumption : {"none", "unimodal", "r-concave"}
        On the shape of the distribution of a false feature's frequency.

    Returns
    -------
    float
        The bound.
    """
    hits = least_hits(threshold, pairs)
    if hits <= pairs:
        raise ValueError(f"threshold={threshold!r} must be above 0.5.")
    return float(_BOUNDS[assumption](q, n, hits, pairs))


def least_threshold(most: float, q: float, n: int, pairs: int, assumption: str) -> float | None:
    """The least threshold that lets at most ``most`` false ones through; None if there is none."""
    for hits in range(pairs + 2, 2 * pairs + 1):
        if _BOUNDS[assumption](q, n, hits, pairs) <= most:
            return hits / (2 * pairs)
    return None


def least_hits(threshold: float, pairs: int) -> int:
    """The number of halves, of 2 x pairs, that a threshold asks for."""
    return int(np.ceil(2 * pairs * threshold - 1e-9))


def _free(q: float, n: int, hits: int, pairs: int) -> float:
    """Theorem 1: q^2 / (n (2 threshold - 1)), whatever the distribution."""
    return q**2 / n / (hits / pairs - 1)


def _unimodal(q: float, n: int, hits: int, pairs: int) -> float:
    """Theorem 2, for a share q / n of at most 1 / sqrt(3)."""
    share, threshold = q / n, hits / (2 * pairs)
    free = _free(q, n, hits, pairs)
    least = 0.5 + min(share**2, 0.5 / pairs + 0.75 * share**2)
    if share > 1 / np.sqrt(3) or threshold <= least:
        return free
    if threshold <= 0.75:
        factor = 0.5 / (2 * threshold - 1 - 0.5 / pairs)
    else:
        factor = 4 * (1 - threshold + 0.5 / pairs) / (1 + 1 / pairs)
    return min(free, factor * q**2 / n)


def _r_concave(q: float, n: int, hits: int, pairs: int) -> float:
    """Eq. 8: selections by both halves are -1/2-concave, those by single halves -1/4-concave."""
    both = r_concave_tails((q / n) ** 2 * pairs, pairs, -0.5)[hits - pairs]
    single = r_concave_tails(q / n * 2 * pairs, 2 * pairs, -0.25)[hits]
    return min(_free(q, n, hits, pairs), n * min(both, single))


_BOUNDS: dict[str, Callable[[float, int, int, int], float]] = {
    "r-concave": _r_concave,
    "unimodal": _unimodal,
    "none": _free,
}
ASSUMPTIONS = frozenset(_BOUNDS)


@lru_cache(maxsize=64)
def r_concave_tails(mean: float, top: int, r: float) -> np.ndarray:
    """Largest P(X >= t), t = 0 ... top, of an r-concave X on 0 ... top whose mean is ``mean``.

    The extreme distributions have masses (a + i)^(1/r) on 0 ... k and what the mean leaves on
    k + 1 (Appendix A.4 of the paper); a lies between the values at which k and k + 1 are full.
    Where t is no more than twice the mean, the bound is 1.
    """
    tails = np.ones(top + 1)
    first = int(np.ceil(2 * mean))
    if first >= top:
        return tails
    tails[first + 1 :] = 0.0
    shifts = _full_shifts(mean, np.arange(first, top + 1), 1 / r)
    points = np.arange(top + 1)
    for k, (upper, lower) in enumerate(pairwise(shifts), first):
        a = np.geomspace(lower, upper, _STEPS)[:, None]
        masses = (a + points[: k + 1]) ** (1 / r)
        whole = masses.sum(axis=1)
        left = (mean * whole - masses @ points[: k + 1]) / (k + 1 - mean)
        below = np.cumsum(masses, axis=1)[:, first:] / (whole + np.maximum(left, 0))[:, None]
        tails[first + 1 : k + 2] = np.maximum(tails[first + 1 : k + 2], 1 - below.min(axis=0))
    return tails


def _full_shifts(mean: float, last: np.ndarray, power: float) -> np.ndarray:
    """For every k in ``last``: the a at which masses (a + i)^power on 0 ... k have this mean."""
    points = np.arange(last[-1] + 1)
    inside = points <= last[:, None]
    low, high = np.full(last.size, -25.0), np.full(last.size, 25.0)  # logarithms of a
    for _ in range(60):
        middle = (low + high) / 2
        masses = np.where(inside, (np.exp(middle)[:, None] + points) ** power, 0.0)
        above = masses @ points > mean * masses.sum(axis=1)
        high, low = np.where(above, middle, high), np.where(above, low, middle)
    return np.exp(high)


class StabilitySelection(SelectorOfSelectors):
    """Keep the features that most halves of the samples select, with a bound on false features.

    The samples are split at random into two halves many times (complementary pairs), and the
    selector selects features from every half. A feature is kept if at least a share ``threshold``
    of the halves selected it. For any selector, at most ``max_false`` of the kept features are
    expected to be false. A feature is false if a half selects it no more often than a feature drawn
    at random. ``threshold`` and ``n_per_half`` are chosen to satisfy this bound if they are "auto".
    If no feature is stable enough, none is kept.

    The bound applies to the selector on half of the samples. A selector that ignores the labels may
    reliably select features that are not associated with them. These are not false in this sense.

    It takes the time of 2 x ``pairs`` fits on half of the samples, and the memory of the selector.

    Parameters
    ----------
    selector : selector
        Any selector of this package or of scikit-learn.
    max_false : float, default=1.0
        The largest expected number of false features.
    threshold : "auto" or float in (0.5, 1], default="auto"
        The smallest share of the halves that must select a feature. "auto" is the smallest value
        that satisfies the bound.
    n_per_half : "auto", int or None, default="auto"
        The number of features selected from a half. "auto" is sqrt(0.8 n max_false), which
        satisfies the bound at a threshold of 0.9 for any distribution. None keeps the number of the
        selector, and so does a selector without ``n_features_to_select`` or ``k``.
    pairs : int, default=50
        The number of pairs of halves.
    assumption : {"none", "unimodal", "r-concave"}, default="unimodal"
        Assumption on the distribution of a false feature's frequency. A stronger one lowers the
        threshold. "r-concave" leaves no margin: one-by-one filters reach its bound.
    n_features_to_select : "auto", int or float, default="auto"
        "auto" keeps the features that reach the threshold. A number keeps the most frequent
        features, without a bound on false features.
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.
    n_jobs : int, optional
        Pairs at once, by joblib.
    random_state : int, RandomState or None, default=None
        Seed of the halves.

    Attributes
    ----------
    frequencies_ : ndarray of shape (n,)
        Share of the halves that select the feature; also its score.
    threshold_ : float
        The threshold that was used.
    n_per_half_ : float
        Mean number of features selected from a half.
    max_false_ : float
        The bound on the expected number of false features at this threshold.

    See Also
    --------
    Consensus : Combines the rankings of several methods.

    References
    ----------
    R. D. Shah, R. J. Samworth, "Variable selection with error control: another look at stability
    selection", Journal of the Royal Statistical Society B 75, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs import StabilitySelection
    >>> from inffs.methods import FisherScore
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(80) % 2
    >>> X = rng.normal(size=(80, 100))
    >>> X[:, :3] += 1.5 * y[:, None]
    >>> StabilitySelection(FisherScore(), random_state=0).fit(X, y).get_support(indices=True)
    array([0, 1, 2])
    """

    _chooses_size = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "selector": [HasMethods(["fit", "get_support"])],
        "max_false": [Interval(Real, 0, None, closed="neither")],
        "threshold": [StrOptions({"auto"}), Interval(Real, 0.5, 1, closed="right")],
        "n_per_half": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left"), None],
        "pairs": [Interval(Integral, 2, None, closed="left")],
        "assumption": [StrOptions(set(ASSUMPTIONS))],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        selector: Any,
        *,
        max_false: float = 1.0,
        threshold: Any = "auto",
        n_per_half: Any = "auto",
        pairs: int = 50,
        assumption: str = "unimodal",
        n_features_to_select: Any = "auto",
        n_jobs: Any = None,
        random_state: Any = None,
        target_type: str = "auto",
    ) -> None:
        self.selector = selector
        self.max_false = max_false
        self.threshold = threshold
        self.n_per_half = n_per_half
        self.pairs = pairs
        self.assumption = assumption
        self.n_features_to_select = n_features_to_select
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.target_type = target_type

    def _ranking_columns(self) -> dict[str, np.ndarray]:
        """How often every feature was selected."""
        return {"frequency": self.frequencies_}

    def _inside(self) -> list[Any]:
        return [self.selector]

    @property
    def _min_samples(self) -> int:  # type: ignore[override]
        return 2 * self.selector._min_samples if is_ours(self.selector) else 2

    def _score_samples(self, samples: Samples, columns: np.ndarray) -> Ranking:
        n = columns.size
        picked, places = self._select_from_halves(samples)
        frequencies = picked.mean(axis=0)
        self.n_per_half_ = float(picked.sum(axis=1).mean())
        self.threshold_ = self._threshold(n)
        self.max_false_ = expected_false(
            self.n_per_half_, n, self.threshold_, self.pairs, self.assumption
        )
        self.frequencies_ = np.zeros(self.n_features_in_)
        self.frequencies_[columns] = frequencies
        order = np.lexsort((places.mean(axis=0), -frequencies))
        hits = np.count_nonzero(picked, axis=0)
        size = int(np.count_nonzero(hits >= least_hits(self.threshold_, self.pairs)))
        return Ranking(frequencies, order, size, self._why(size))

    def _select_from_halves(self, samples: Samples) -> tuple[np.ndarray, np.ndarray]:
        """Of every half and feature, shape (2 pairs, n): whether it is selected, and its place."""
        samples, rng = samples.by_rows(), check_random_state(self.random_state)
        size = self._size_of_a_half(samples.X.shape[1])
        target, units = samples.target, samples.units()
        strata = np.zeros(len(samples), dtype=int)
        if target is not None and target.type == CLASSIFICATION:
            strata = target.values
            self._refuse_single_units(strata, units)
        drawn = list(halves(strata, self.pairs, rng, units))
        seeds = rng.randint(2**31 - 1, size=len(drawn))
        select = delayed(partial(_selected, self.selector, samples, size))
        jobs = (select(*job) for job in zip(drawn, seeds, strict=True))
        found = run_jobs(jobs, self.n_jobs, "ranking halves of the samples", len(drawn))
        return np.array([half[0] for half in found]), np.array([half[1] for half in found])

    def _refuse_single_units(self, codes: np.ndarray, units: np.ndarray) -> None:
        """Both halves need every class, and a group of samples stays in one half."""
        pairs = np.unique(np.stack([codes, units]), axis=1)
        counts = np.bincount(pairs[0])
        if counts.min() < 2:
            alone = int(np.argmin(counts))
            size = np.count_nonzero(codes == alone)
            what = "1 sample" if size == 1 else f"{size} samples in 1 group"
            raise ValueError(
                f"The class {self.classes_.tolist()[alone]!r} has {what}, and both halves of the "
                "samples need one of every class: drop it or join it with another class."
            )

    def _size_of_a_half(self, n: int) -> int | None:
        if self.n_per_half is None:
            return None
        if isinstance(self.n_per_half, str):
            return int(np.clip(np.sqrt(0.8 * n * self.max_false), 1, max(1, n // 2)))
        if self.n_per_half > n:
            raise ValueError(f"n_per_half={self.n_per_half}, but X has only {n} varying features.")
        return int(self.n_per_half)

    def _threshold(self, n: int) -> float:
        if not isinstance(self.threshold, str):
            return max(least_hits(self.threshold, self.pairs), self.pairs + 1) / (2 * self.pairs)
        found = least_threshold(self.max_false, self.n_per_half_, n, self.pairs, self.assumption)
        if found is None:
            raise ValueError(
                f"No threshold keeps the expected number of false features at {self.max_false:g}, "
                f"with {self.n_per_half_:g} of {n} features selected from a half: "
                "give a larger max_false, a smaller n_per_half or more pairs."
            )
        return found

    def _why(self, size: int) -> str:
        how_often = (
            f"in at least {self.threshold_:.0%} of {2 * self.pairs} halves of the samples "
            f"({self.n_per_half_:.3g} from each)"
        )
        if size == 0:
            return f"No feature was selected {how_often}: no feature is stable enough to be kept."
        what = "1 feature was" if size == 1 else f"{size} features were"
        return (
            f"{what} selected {how_often}; at most {self.max_false_:.2g} of the kept features are "
            "expected to be false."
        )


def _selected(
    selector: Any, samples: Samples, size: int | None, rows: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Which features are selected from these rows, and the place of every feature.

    A selector that has no ranking puts the features it selects first.
    """
    found = fitted(selector, samples.take(rows), seed, size)
    support = found.get_support()
    return support, np.asarray(getattr(found, "ranking_", ~support), dtype=float)
