"""One feature and survival times: the Kaplan-Meier curves of its lower and its upper half."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup
from scipy.stats import chi2

from inffs.measures import cox_score
from inffs.report._svg import Picture, Scale, short, thinned

_SHOWN = 0.95  # of the samples were watched no longer: the tail of few is not drawn


def kaplan_meier(time: np.ndarray, event: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The times of deaths, rising, and the share that lives on after each (Kaplan, Meier 1958)."""
    deaths, count = np.unique(time[event], return_counts=True)
    at_risk = time.size - np.searchsorted(np.sort(time), deaths, side="left")
    return deaths, np.cumprod(1 - count / at_risk)


def halves(values: np.ndarray) -> np.ndarray:
    """True for the upper half: above the median, or not below it where that parts nobody."""
    middle = np.median(values)
    above = values > middle
    return above if above.any() else values >= middle


def survival_chart(values: np.ndarray, y: np.ndarray, title: str) -> Markup:
    """The share alive over time, samples with low values and with high ones apart."""
    time, event, upper = y["time"], y["event"], halves(values)
    p = logrank(upper, y)
    picture = Picture(
        300,
        206,
        f"Survival by {title}",
        f"{int((~upper).sum())} samples with low values, {int(upper.sum())} with high ones; "
        f"log-rank p {p:.2g}.",
    )
    last = float(np.quantile(time, _SHOWN))
    x, up = Scale(0.0, last, 40, 290), Scale(0.0, 1.0, 164, 12)
    picture.line(x.start, up.start, x.stop, up.start, "axis")
    for value in (0.0, 0.5, 1.0):
        picture.text(34, up(value) + 4, f"{value:.0%}", "tick end")
    for code, part in enumerate((~upper, upper)):
        if part.any():
            picture.curve(_steps(x, up, time[part], event[part]), f"survival s{code}")
    picture.text(x.start, 180, "0", "tick")
    picture.text(x.stop, 180, short(last), "tick end")
    picture.text(x.start, 200, f"low ({int((~upper).sum())})", "tick survival-name s0")
    picture.text(130, 200, f"high ({int(upper.sum())})", "tick survival-name s1")
    picture.text(x.stop, 200, f"p {p:.2g}", "tick end")
    return picture.render()


def logrank(upper: np.ndarray, y: np.ndarray) -> float:
    """P-value of the score test of a Cox model with the half as its column."""
    if upper.all() or not upper.any():
        return 1.0
    return float(chi2.sf(cox_score(upper[:, None].astype(float), y["time"], y["event"])[0], 1))


def _steps(x: Scale, up: Scale, time: np.ndarray, event: np.ndarray) -> list[tuple[float, float]]:
    """The corners of the curve, to the last sample that was watched or the end of the picture."""
    deaths, alive = kaplan_meier(time, event)
    alive = alive[deaths <= x.high]
    deaths = deaths[deaths <= x.high]
    points, level = [(x(0.0), up(1.0))], 1.0
    for place in thinned(range(deaths.size)):
        points += [(x(deaths[place]), up(level)), (x(deaths[place]), up(alive[place]))]
        level = float(alive[place])
    return [*points, (x(min(float(time.max()), x.high)), up(level))]
