"""Rules that read only the scores. Cost: a sort or a few passes over the n scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.fft import irfft, rfft

from inffs._utils.words import best_of
from inffs.cuts.cut import ScoreCut
from inffs.measures.batch import rescale

_CELLS = 512  # into which more distinct scores are put before they are grouped
_VALUES = 4096  # points of the grid on which densities are computed
_LEVELS = 24  # bandwidths on that grid


@dataclass(frozen=True)
class Histogram(ScoreCut):
    """Keep as many features as there are over-full bins, as the published Inf-FS programs do.

    The n scores are divided into floor(n / 2) equal bins, where an edge belongs to the lower bin.
    The size is the number of bins that hold more scores than the mean. The rule counts bins, not
    features, so the size says little about the features.

    See Also
    --------
    Middle : Compares it with two other rules.

    Examples
    --------
    >>> from inffs.cuts import Histogram
    >>> size, why = Histogram()([9.0, 8.0, 7.5, 2.0, 1.5, 1.0])
    >>> size
    2
    """

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        bins, low, high = scores.size // 2, scores.min(), scores.max()
        place = np.ceil((scores - low) * (bins / (high - low)))
        counts = np.bincount(np.clip(place, 1, bins).astype(np.intp))
        full = int(np.count_nonzero(counts > scores.size / bins))
        return max(1, full), (
            f"{full} of {bins} equal bins of the scores hold more than the mean count "
            "(the published program's rule), so as many features are kept."
        )


@dataclass(frozen=True)
class Knee(ScoreCut):
    """Keep the features up to the bend of the score curve (Satopää et al. 2011).

    See Also
    --------
    Middle : Compares it with two other rules.

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
class MeanShift(ScoreCut):
    """Keep the cluster of the best feature under one-dimensional mean shift, as in the paper.

    The bandwidth of each score follows a pilot density (Comaniciu, Ramesh, Meer 2001), whose own
    bandwidth is the direct plug-in of Sheather and Jones. In one dimension the basins of mean shift
    are the intervals between the density's minima, so a grid and a few Fourier transforms replace
    n^2 distances.

    See Also
    --------
    Histogram : The rule of the published program.

    Examples
    --------
    >>> from inffs.cuts import MeanShift
    >>> size, why = MeanShift()([9.0, 8.0, 7.5, 2.0, 1.5, 1.0])
    >>> size
    3
    """

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        scores = rescale(scores)
        grid = Grid.of(scores)
        bandwidth = plug_in_bandwidth(grid)
        pilot = grid.smooth(np.full(grid.size, bandwidth))
        density = grid.smooth(grid.sample_point_bandwidths(bandwidth, pilot))
        threshold = falling_edge(grid, density)
        size = int(np.count_nonzero(scores >= threshold))
        if size == scores.size:
            return size, "Mean shift finds one cluster of scores only, so every feature is kept."
        return size, (
            f"Mean shift puts the {best_of(size, 'score')} into the uppermost cluster "
            f"(pilot bandwidth {bandwidth:.3g} of their range)."
        )


@dataclass(frozen=True)
class Middle(ScoreCut):
    """Keep the median of three sizes that fail in different ways.

    The three rules are the histogram rule, the knee, and the uppermost of three natural groups of
    scores (Fisher 1958; Jenks 1967). If one of them keeps a single feature or nearly all features,
    the median is decided by the other two.

    See Also
    --------
    Histogram, Knee : Two of the three.

    Examples
    --------
    >>> from inffs.cuts import Middle
    >>> size, why = Middle()([9.0, 8.0, 7.5, 2.0, 1.5, 1.0])
    >>> size
    2
    """

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        sizes = sorted([
            (Histogram()(scores)[0], "the histogram"), (Knee()(scores)[0], "the knee"),
            (_uppermost_group(rescale(scores), 3), "the uppermost of three groups"),
        ])  # fmt: skip
        told = [f"{name} keeps {size}" for size, name in sizes]
        return sizes[1][0], (
            f"Of three rules {told[0]}, {told[1]} and {told[2]} features: the middle one is taken."
        )


def _uppermost_group(values: np.ndarray, classes: int) -> int:
    """How many of the values the uppermost of the best ``classes`` groups holds.

    Best is the least sum of squares inside the groups (Fisher 1958), by dynamic programming over
    the distinct values, or over 512 equal cells where there are more.
    """
    counts, sums, squares = _cells(values)
    classes = min(classes, counts.size)
    edges = np.arange(counts.size + 1)
    totals = [np.concatenate([[0.0], np.cumsum(part)]) for part in (counts, sums, squares)]
    weight, first, second = (total[None, :] - total[:, None] for total in totals)
    inside = second - np.divide(first**2, weight, out=np.zeros_like(first), where=weight > 0)
    inside[edges[:, None] >= edges[None, :]] = np.inf
    cost = inside[0]
    for _ in range(classes - 1):
        through = cost[:, None] + inside
        start, cost = int(np.argmin(through[:, -1])), through.min(axis=0)
    return int(counts[start:].sum())


def _cells(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Count, sum and sum of squares in every filled cell, lowest first."""
    place = np.minimum((values * (_CELLS / values.max())).astype(np.intp), _CELLS - 1)
    if values.size <= _CELLS:
        place = np.unique(values, return_inverse=True)[1]
    counts = np.bincount(place)
    filled = counts > 0
    sums, squares = np.bincount(place, values), np.bincount(place, values**2)
    return counts[filled], sums[filled], squares[filled]


@dataclass(frozen=True)
class Grid:
    """Scores counted on equally spaced points (each score shared by its two neighbours)."""

    points: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray) -> Grid:
        low, high = scores.min(), scores.max()
        margin = 0.05 * (high - low)
        points = np.linspace(low - margin, high + margin, _VALUES)
        at = (scores - points[0]) / (points[1] - points[0])
        left = at.astype(np.intp)
        share = at - left
        counts = np.bincount(left, 1.0 - share, minlength=_VALUES)
        counts[1:] += np.bincount(left, share, minlength=_VALUES)[:-1]
        return cls(points, counts)

    @property
    def size(self) -> int:
        return self.points.size

    @property
    def step(self) -> float:
        return float(self.points[1] - self.points[0])

    def scale(self) -> float:
        """The smaller of the standard deviation and the interquartile range / 1.349."""
        total = self.counts.sum()
        mean = self.counts @ self.points / total
        deviation = np.sqrt(self.counts @ (self.points - mean) ** 2 / total)
        filled = np.cumsum(self.counts) / total
        quartiles = self.points[np.searchsorted(filled, [0.25, 0.75])]
        spread = (quartiles[1] - quartiles[0]) / 1.349
        return float(min(deviation, spread) if spread > 0 else deviation)

    @property
    def frequencies(self) -> np.ndarray:
        """Those of transforms that are padded so that no end meets the other."""
        return 2 * np.pi * np.fft.rfftfreq(2 * self.size, self.step)

    def smooth(self, bandwidths: np.ndarray) -> np.ndarray:
        """Gaussian sample-point density; every grid point brings its own bandwidth.

        The densities of log-spaced bandwidths are computed; each point is shared by two of them.
        """
        logs = np.log(bandwidths)
        levels = np.linspace(logs.min(), logs.max(), _LEVELS)
        level = (logs - levels[0]) / (levels[1] - levels[0] or 1.0)
        padded, frequencies = 2 * self.size, self.frequencies
        total = np.zeros(frequencies.size, dtype=complex)
        for number, bandwidth in enumerate(np.exp(levels)):
            share = np.clip(1.0 - np.abs(level - number), 0.0, None)
            if share.any():
                weight = rfft(self.counts * share, padded)
                total += weight * np.exp(-0.5 * (bandwidth * frequencies) ** 2)
        density = irfft(total, padded)[: self.size]
        return np.clip(density, 0.0, None) / (self.counts.sum() * self.step)

    def sample_point_bandwidths(self, bandwidth: float, pilot: np.ndarray) -> np.ndarray:
        """h0 sqrt(g / f(x)), g the geometric mean of the pilot density at the scores."""
        floor = pilot.max() * 1e-12
        logs = np.log(np.maximum(pilot, floor))
        mean = self.counts @ logs / self.counts.sum()
        held = np.where(self.counts > 0, logs, mean)
        return bandwidth * np.exp(0.5 * (mean - held))


def plug_in_bandwidth(grid: Grid) -> float:
    """Two-stage direct plug-in bandwidth (Sheather, Jones 1991; Wand, Jones 1995, 3.6.1)."""
    count, scale = grid.counts.sum(), grid.scale()
    eighth = 105 / (32 * np.sqrt(np.pi) * scale**9)
    first = (30 / (np.sqrt(2 * np.pi) * eighth * count)) ** (1 / 9)
    sixth = _density_functional(grid, first, 6)
    second = (-6 / (np.sqrt(2 * np.pi) * sixth * count)) ** (1 / 7)
    fourth = _density_functional(grid, second, 4)
    return float(max((1 / (2 * np.sqrt(np.pi) * fourth * count)) ** 0.2, grid.step))


def _density_functional(grid: Grid, bandwidth: float, order: int) -> float:
    """Integral of density times its derivative of even order, by Parseval's theorem."""
    frequencies, transform = grid.frequencies, rfft(grid.counts, 2 * grid.size)
    kernel = (1j * frequencies) ** order * np.exp(-0.5 * (bandwidth * frequencies) ** 2)
    power = np.abs(transform) ** 2 * kernel.real
    whole = power[0] + 2 * power[1:].sum()
    return float(whole / (grid.counts.sum() ** 2 * 2 * grid.size * grid.step))


def falling_edge(grid: Grid, density: np.ndarray) -> float:
    """The density's minimum just below the mode that the best score climbs to."""
    place = int(np.flatnonzero(grid.counts)[-1])
    while place > 0 and density[place - 1] > density[place]:
        place -= 1
    while place > 0 and density[place - 1] <= density[place]:
        place -= 1
    return float(grid.points[place]) if density[:place].any() else -np.inf
