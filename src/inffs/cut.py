"""Where to end the ranking: cuts read the scores and say how many features to keep, and why.

A cut is any callable ``cut(scores, *, selector, X, y)`` that returns a size, or a size and a
sentence. The ones here need only the scores. Cost: a sort or a few passes over the n scores.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

import numpy as np

from inffs._density import Grid, falling_edge, plug_in_bandwidth
from inffs.measures import rescale

DEFAULT = "histogram"


@dataclass(frozen=True)
class Cut:
    """A cut that was made: its name, how many features it keeps, and the sentence why."""

    name: str
    size: int
    why: str


@dataclass(frozen=True)
class Histogram:
    """As many features as there are over-full bins: the rule of the published Inf-FS programs.

    The n scores fall into ``bins`` equal bins (floor(n / 2) by default, an edge belongs to the
    lower bin); the bins that hold more than the mean count are counted, and so many of the best
    features are kept. The rule counts bins, not features: see the guide for what that means.
    """

    bins: int | None = None

    def __call__(self, scores: np.ndarray, **_: Any) -> tuple[int, str]:
        bins = self.bins or max(1, scores.size // 2)
        low, high = scores.min(), scores.max()
        place = np.ceil((scores - low) * (bins / (high - low)))
        place = np.clip(place, 1, bins).astype(np.intp) - 1
        counts = np.bincount(place, minlength=bins)
        full = int(np.count_nonzero(counts > scores.size / bins))
        size = max(1, full)
        return size, (
            f"{full} of {bins} equal bins of the scores hold more than the mean count "
            "(the published program's rule), so as many features are kept."
        )


@dataclass(frozen=True)
class Gap:
    """Everything above the widest gap between two neighbouring scores."""

    def __call__(self, scores: np.ndarray, **_: Any) -> tuple[int, str]:
        rising = np.sort(scores)
        gaps = np.diff(rising)
        widest = int(gaps.size - 1 - np.argmax(gaps[::-1]))
        size = scores.size - 1 - widest
        return size, (
            f"The widest gap between neighbouring scores ({gaps[widest]:.3g}) "
            f"lies below the best {size}."
        )


@dataclass(frozen=True)
class Otsu:
    """The two groups of scores with the least variance inside them (Otsu 1979)."""

    def __call__(self, scores: np.ndarray, **_: Any) -> tuple[int, str]:
        falling = np.sort(scores)[::-1]
        falling = falling - falling.mean()
        above = np.arange(1, falling.size)
        head = np.cumsum(falling)[:-1]
        between = head * head / (above * (falling.size - above))
        between[np.diff(falling) == 0] = -1.0  # a cut never parts equal scores
        size = int(np.argmax(between)) + 1
        share = between[size - 1] * falling.size / (falling @ falling)
        return size, (
            f"Parting the scores after the best {size} leaves the least variance inside the two "
            f"groups ({share:.0%} of it lies between them)."
        )


@dataclass(frozen=True)
class Knee:
    """The point of the falling score curve farthest below its chord (Satopää et al. 2011)."""

    def __call__(self, scores: np.ndarray, **_: Any) -> tuple[int, str]:
        falling = np.sort(scores)[::-1]
        height = (falling - falling[-1]) / (falling[0] - falling[-1])
        drop = np.linspace(1.0, 0.0, falling.size) - height
        size = max(1, int(np.argmax(drop)))
        return size, f"The score curve bends most after the best {size} features."


@dataclass(frozen=True)
class MeanShift:
    """The cluster of the best feature under one-dimensional mean shift, as the paper says.

    With ``variable=True`` the bandwidth of each score follows a pilot density (Comaniciu, Ramesh,
    Meer 2001); the pilot's own bandwidth is the direct plug-in of Sheather and Jones. In one
    dimension the basins of mean shift are the intervals between the density's minima, so a grid
    and a few Fourier transforms replace n^2 distances.
    """

    variable: bool = True

    def __call__(self, scores: np.ndarray, **_: Any) -> tuple[int, str]:
        scores = rescale(scores)
        grid = Grid.of(scores)
        bandwidth = plug_in_bandwidth(grid)
        density = grid.smooth(np.full(grid.size, bandwidth))
        if self.variable:
            density = grid.smooth(grid.sample_point_bandwidths(bandwidth, density))
        threshold = falling_edge(grid, density)
        size = int(np.count_nonzero(scores >= threshold))
        if size == scores.size:
            return size, "Mean shift finds one cluster of scores only, so every feature is kept."
        return size, (
            f"Mean shift puts the best {size} scores into the cluster of the best one "
            f"(pilot bandwidth {bandwidth:.3g} of their range)."
        )


CUTS: dict[str, Any] = {
    "histogram": Histogram(),
    "mean-shift": MeanShift(),
    "gap": Gap(),
    "otsu": Otsu(),
    "knee": Knee(),
}


def apply_cut(asked: Any, scores: np.ndarray, *, selector: Any, X: Any, y: Any) -> Cut:
    """Cut by name ("auto" is the default cut) or by a callable of the user's."""
    name, rule = _find_rule(asked)
    n = scores.size
    if isinstance(asked, str) and np.ptp(scores) <= 1e-12 * np.abs(scores).max():
        return Cut(name, n, "All scores are equal: nothing tells the features apart.")
    answer = rule(scores, selector=selector, X=X, y=y)
    if isinstance(answer, Cut):
        return answer
    size, why = answer if isinstance(answer, tuple) else (answer, f"The cut {name} said so.")
    if not (isinstance(size, (int, np.integer)) and 1 <= size <= n):
        raise ValueError(
            f"The cut {name} must return a number of features between 1 and {n}; it gave {size!r}."
        )
    return Cut(name, int(size), why)


def _find_rule(asked: Any) -> tuple[str, Any]:
    if callable(asked):
        return getattr(asked, "__name__", type(asked).__name__), asked
    name = DEFAULT if asked == "auto" else asked
    if name in CUTS:
        return name, CUTS[name]
    near = difflib.get_close_matches(name, ["auto", *CUTS], n=3, cutoff=0.4)
    hint = f"Did you mean {' or '.join(near)}?" if near else ""
    raise ValueError(
        f"n_features_to_select={asked!r} is no cut. {hint} Give a number, a fraction or one of "
        f"auto, {', '.join(CUTS)}."
    )
