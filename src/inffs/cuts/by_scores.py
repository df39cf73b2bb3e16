"""Cuts that read only the scores. Cost: a sort or a few passes over the n scores.

Those that also look at the table are in :mod:`inffs.cuts.by_table`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inffs._utils.words import best_of
from inffs.cuts.cut import ScoreCut
from inffs.cuts.density import Grid, diffusion_bandwidth, falling_edge, plug_in_bandwidth
from inffs.cuts.groups import natural_breaks, two_gaussians
from inffs.measures.batch import rescale


@dataclass(frozen=True)
class Histogram(ScoreCut):
    """As many features as there are over-full bins: the rule of the published Inf-FS programs.

    The n scores fall into ``bins`` equal bins (floor(n / 2) by default, an edge belongs to the
    lower bin); the bins that hold more than the mean count are counted, and so many of the best
    features are kept. The rule counts bins, not features: see the guide for what that means.

    Parameters
    ----------
    bins : int, optional
        How many; floor(n_features / 2) by default.

    See Also
    --------
    Middle : Holds it, where it runs away, to two other rules.

    Examples
    --------
    >>> from inffs.cuts import Histogram
    >>> size, why = Histogram()([9.0, 8.0, 7.5, 2.0, 1.5, 1.0])
    >>> size
    2
    """

    bins: int | None = None

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        bins = self.bins or scores.size // 2
        low, high = scores.min(), scores.max()
        place = np.ceil((scores - low) * (bins / (high - low)))
        counts = np.bincount(np.clip(place, 1, bins).astype(np.intp))
        full = int(np.count_nonzero(counts > scores.size / bins))
        size = max(1, full)
        return size, (
            f"{full} of {bins} equal bins of the scores hold more than the mean count "
            "(the published program's rule), so as many features are kept."
        )


@dataclass(frozen=True)
class Gap(ScoreCut):
    """Everything above the widest gap between two neighbouring scores.

    See Also
    --------
    Otsu, Jenks : Look at groups instead of neighbours.

    Examples
    --------
    >>> from inffs.cuts import Gap
    >>> size, why = Gap()([9.0, 8.0, 7.5, 2.0, 1.5, 1.0])
    >>> size
    3
    """

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        rising = np.sort(scores)
        gaps = np.diff(rising)
        widest = int(gaps.size - 1 - np.argmax(gaps[::-1]))
        size = scores.size - 1 - widest
        return size, (
            f"The widest gap between neighbouring scores ({gaps[widest]:.3g}) "
            f"lies below the {best_of(size)}."
        )


@dataclass(frozen=True)
class Otsu(ScoreCut):
    """The two groups of scores with the least variance inside them (Otsu 1979).

    See Also
    --------
    Jenks : The same with more groups.

    Examples
    --------
    >>> from inffs.cuts import Otsu
    >>> size, why = Otsu()([9.0, 8.0, 7.5, 2.0, 1.5, 1.0])
    >>> size
    3
    """

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        falling = np.sort(scores)[::-1]
        falling = falling - falling.mean()
        above = np.arange(1, falling.size)
        head = np.cumsum(falling)[:-1]
        between = head * head / (above * (falling.size - above))
        size = int(np.argmax(between)) + 1
        share = between[size - 1] * falling.size / (falling @ falling)
        return size, (
            f"Parting the scores after the {best_of(size)} leaves the least variance inside the "
            f"two groups ({share:.0%} of it lies between them)."
        )


@dataclass(frozen=True)
class Jenks(ScoreCut):
    """The uppermost of several natural groups of scores (Fisher 1958; Jenks 1967).

    :class:`Otsu` with more than two groups: the best ones may be far above the rest, and the rest
    need not be one group.

    Parameters
    ----------
    classes : int, default=3
        How many groups.

    See Also
    --------
    Otsu : Two groups.
    Mixture : Two groups that overlap.

    Examples
    --------
    >>> from inffs.cuts import Jenks
    >>> size, why = Jenks()([9.0, 8.0, 7.5, 2.0, 1.5, 1.0])
    >>> size
    1
    """

    classes: int = 3

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        size = natural_breaks(rescale(scores), max(2, self.classes))
        return size, (
            f"Of {self.classes} groups of scores with the least variance inside them, "
            f"the uppermost holds {size}."
        )


@dataclass(frozen=True)
class Mixture(ScoreCut):
    """The upper of two Gaussians on the logarithm of the scores (McLachlan, Peel 2000, ch. 3).

    Scores are counted from the lowest and set off by their median before the logarithm, which
    keeps their order and draws in a long tail; the fit runs on a grid, from Otsu's two groups.

    See Also
    --------
    MeanShift : Finds out how many groups there are.

    Examples
    --------
    >>> from inffs.cuts import Mixture
    >>> size, why = Mixture()([9.0, 8.0, 7.5, 2.0, 1.5, 1.0])
    >>> size
    3
    """

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        lifted = rescale(scores)
        lifted = np.log1p(lifted / max(float(np.median(lifted)), 1e-6))
        grid = Grid.of(lifted, 1024)
        highest = natural_breaks(lifted, 2)
        middle = np.partition(lifted, lifted.size - highest)[lifted.size - highest]
        fit = two_gaussians(grid.points, grid.counts, middle - 0.5 * grid.step)
        size = int(np.count_nonzero(lifted > fit.edge(grid.points)))
        if not fit.better or size in (0, scores.size):
            return scores.size, (
                "One Gaussian describes the logarithm of the scores as well as two, "
                "so every feature is kept."
            )
        return size, (
            f"The {best_of(size, 'score')} belong{'s' * (size == 1)} to the upper of two Gaussians "
            f"on their logarithm "
            f"(weights {fit.weights[0]:.2f} and {fit.weights[1]:.2f})."
        )


@dataclass(frozen=True)
class Knee(ScoreCut):
    """The point of the falling score curve farthest below its chord (Satopää et al. 2011).

    See Also
    --------
    SecondDifference : The sharpest bend between neighbours.

    Examples
    --------
    >>> from inffs.cuts import Knee
    >>> size, why = Knee()([9.0, 8.0, 7.5, 2.0, 1.5, 1.0])
    >>> size
    3
    """

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        falling = np.sort(scores)[::-1]
        height = (falling - falling[-1]) / (falling[0] - falling[-1])
        drop = np.linspace(1.0, 0.0, falling.size) - height
        size = max(1, int(np.argmax(drop)))
        return size, f"The score curve bends most after the {best_of(size, 'feature')}."


@dataclass(frozen=True)
class SecondDifference(ScoreCut):
    """Everything above the sharpest bend of the score curve: the acceleration factor.

    G. Raîche and others, "Non-graphical solutions for Cattell's scree test", Methodology 2013.

    See Also
    --------
    Knee : The bend of the whole curve.

    Examples
    --------
    >>> from inffs.cuts import SecondDifference
    >>> size, why = SecondDifference()([9.0, 8.0, 7.5, 2.0, 1.5, 1.0])
    >>> size
    3
    """

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        falling = np.sort(rescale(scores))[::-1]
        if falling.size < 3:
            return 1, "Two scores have no bend: the better one is kept."
        size = int(np.argmax(np.diff(falling, 2))) + 1
        return size, f"The fall of the scores slows down most after the {best_of(size)}."


@dataclass(frozen=True)
class BrokenStick(ScoreCut):
    """The leading scores that are longer than the pieces of a stick broken at random.

    Shares of the sum of scores (counted from the lowest one) against the expected k-th longest of n
    pieces, (1/k + ... + 1/n) / n (Frontier 1976; Jackson 1993, Ecology 74).

    See Also
    --------
    Knee : Where the curve bends.

    Examples
    --------
    >>> from inffs.cuts import BrokenStick
    >>> size, why = BrokenStick()([9.0, 8.0, 7.5, 2.0, 1.5, 1.0])
    >>> size
    1
    """

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        falling = np.sort(rescale(scores))[::-1]
        n = falling.size
        pieces = np.cumsum(1.0 / np.arange(n, 0, -1))[::-1] / n
        shorter = np.flatnonzero(falling / falling.sum() <= pieces)
        size = max(1, int(shorter[0]) if shorter.size else n)
        return size, (
            f"Only the {best_of(size, 'score')} take{'s' * (size == 1)} a larger share of the "
            "whole than the pieces of a stick broken at random."
        )


@dataclass(frozen=True)
class MeanShift(ScoreCut):
    """The cluster of the best feature under one-dimensional mean shift, as the paper says.

    With ``variable=True`` the bandwidth of each score follows a pilot density (Comaniciu, Ramesh,
    Meer 2001). The (pilot's) bandwidth is the direct plug-in of Sheather and Jones, "isj" for that
    of Botev, Grotowski and Kroese (2010), or a number: a share of the scores' range. In one
    dimension the basins of mean shift are the intervals between the density's minima, so a grid
    and a few Fourier transforms replace n^2 distances.

    Parameters
    ----------
    variable : bool, default=True
        Whether every score has a bandwidth of its own.
    bandwidth : {"plug-in", "isj"} or float, default="plug-in"
        The rule, or a share of the range.

    See Also
    --------
    Mixture : Two groups, and a test whether there are two.

    Examples
    --------
    >>> from inffs.cuts import MeanShift
    >>> size, why = MeanShift()([9.0, 8.0, 7.5, 2.0, 1.5, 1.0])
    >>> size
    3
    """

    variable: bool = True
    bandwidth: str | float = "plug-in"

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        scores = rescale(scores)
        grid = Grid.of(scores)
        bandwidth = self._bandwidth(grid)
        density = grid.smooth(np.full(grid.size, bandwidth))
        if self.variable:
            density = grid.smooth(grid.sample_point_bandwidths(bandwidth, density))
        threshold = falling_edge(grid, density)
        size = int(np.count_nonzero(scores >= threshold))
        if size == scores.size:
            return size, "Mean shift finds one cluster of scores only, so every feature is kept."
        return size, (
            f"Mean shift puts the {best_of(size, 'score')} into the uppermost cluster "
            f"({'pilot ' if self.variable else ''}bandwidth {bandwidth:.3g} of their range)."
        )

    def _bandwidth(self, grid: Grid) -> float:
        if not isinstance(self.bandwidth, str):
            return float(self.bandwidth)
        rules = {"plug-in": plug_in_bandwidth, "isj": diffusion_bandwidth}
        if self.bandwidth not in rules:
            raise ValueError(f"bandwidth={self.bandwidth!r}: give plug-in, isj or a number.")
        return rules[self.bandwidth](grid)


@dataclass(frozen=True)
class Middle(ScoreCut):
    """The middle one of three rules that fail in different ways: a rule of our own.

    The histogram rule counts bins, Jenks looks for groups, the knee for a bend. Where one of them
    runs away (keeps one feature, or nearly all) the other two hold the middle.

    See Also
    --------
    Histogram, Jenks, Knee : The three.

    Examples
    --------
    >>> from inffs.cuts import Middle
    >>> size, why = Middle()([9.0, 8.0, 7.5, 2.0, 1.5, 1.0])
    >>> size
    2
    """

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        sizes = sorted((rule(scores)[0], name) for name, rule in MIDDLE_OF.items())
        told = [f"{name} keeps {size}" for size, name in sizes]
        return sizes[1][0], (
            f"Of three rules {told[0]}, {told[1]} and {told[2]} features: the middle one is taken."
        )


MIDDLE_OF: dict[str, ScoreCut] = {"histogram": Histogram(), "jenks": Jenks(), "knee": Knee()}
