"""Kernel density of many scores on a grid, for the mean-shift cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.fft import irfft, rfft

_VALUES = 4096
_LEVELS = 24


@dataclass(frozen=True)
class Grid:
    """Scores counted on equally spaced points (each score shared by its two neighbours)."""

    points: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray, cells: int = _VALUES) -> Grid:
        low, high = scores.min(), scores.max()
        margin = 0.05 * (high - low)
        points = np.linspace(low - margin, high + margin, cells)
        at = (scores - points[0]) / (points[1] - points[0])
        left = at.astype(np.intp)
        share = at - left
        counts = np.bincount(left, 1.0 - share, minlength=cells)
        counts[1:] += np.bincount(left, share, minlength=cells)[:-1]
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

    def spectrum(self) -> tuple[np.ndarray, np.ndarray]:
        """Frequencies and transform of the counts, padded so that no end meets the other."""
        padded = 2 * self.size
        frequencies = 2 * np.pi * np.fft.rfftfreq(padded, self.step)
        return frequencies, rfft(self.counts, padded)

    def smooth(self, bandwidths: np.ndarray) -> np.ndarray:
        """Gaussian sample-point density; every grid point brings its own bandwidth."""
        level, levels = _two_levels(bandwidths)
        padded = 2 * self.size
        frequencies = 2 * np.pi * np.fft.rfftfreq(padded, self.step)
        total = np.zeros(frequencies.size, dtype=complex)
        for number, bandwidth in enumerate(levels):
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
    frequencies, transform = grid.spectrum()
    kernel = (1j * frequencies) ** order * np.exp(-0.5 * (bandwidth * frequencies) ** 2)
    power = np.abs(transform) ** 2 * kernel.real
    whole = power[0] + 2 * power[1:].sum()
    return float(whole / (grid.counts.sum() ** 2 * 2 * grid.size * grid.step))


def falling_edge(grid: Grid, density: np.ndarray) -> float:
    """The density's minimum just below the mode that the best score climbs to."""
    best = int(np.flatnonzero(grid.counts)[-1])
    place = best
    while place > 0 and density[place - 1] > density[place]:
        place -= 1
    while place < grid.size - 1 and density[place + 1] > density[place]:
        place += 1
    while place > 0 and density[place - 1] <= density[place]:
        place -= 1
    return float(grid.points[place]) if density[:place].any() else -np.inf


def _two_levels(bandwidths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log-spaced bandwidth levels, and where on their scale each bandwidth lies."""
    logs = np.log(bandwidths)
    low, high = logs.min(), logs.max()
    if high - low < 1e-9:
        return np.zeros(bandwidths.size), np.exp([low])
    levels = np.linspace(low, high, _LEVELS)
    return (logs - low) / (levels[1] - levels[0]), np.exp(levels)
