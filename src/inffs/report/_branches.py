"""Conditional paths as branches: every feature with its gain, divided among the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from inffs.conditional import ConditionalPath, Pick
from inffs.meta.constrained import unconstrained
from inffs.report._svg import Picture, clip

_WIDTH, _ROW, _TOP = 640, 22, 40
_TRUNK, _BRANCH, _NAME, _BAR = 14, 34, 48, 250
_LONGEST_BAR, _GAP = 200.0, 24
_MOST_ROWS, _COLOURS = 40, 8
_REPEATED = 0.5  # share of the association of a feature that an earlier one explains


@dataclass(frozen=True)
class Branches:
    """The picture, and the numbers of the text beside it."""

    chart: Markup
    shown: int
    picked: int
    paths: int
    classes: int


def branches(selector: Any, names: list[str], classes: list[str] | None) -> Branches | None:
    """The selected part of the paths; None for selectors without conditional paths."""
    paths = getattr(unconstrained(selector), "paths_", None)
    if not (isinstance(paths, list) and paths and isinstance(paths[0], ConditionalPath)):
        return None
    drawn = _first(paths, min(_MOST_ROWS, selector.n_features_))
    rows = sum(map(len, drawn))
    named = classes if classes is not None and len(classes) == paths[0].picks[0].signal.size else []
    legend = _entries(named)
    top = _TOP + 18 * (legend[-1][1] if legend else 0)
    picture = Picture(
        _WIDTH,
        top + _ROW * rows + (_GAP + 6) * len(drawn),
        "Paths as branches",
        f"{rows} features on {len(drawn)} paths. The first path: "
        + ", ".join(names[pick.feature] for pick in drawn[0])
        + ".",
    )
    for at, line, words, kind in legend:
        picture.add("rect", x=at, y=6 + 18 * line, width=11, height=11, class_=f"part {kind}")
        picture.text(at + 16, 16 + 18 * line, words, "tick")
    _draw(picture, drawn, selector, names, len(named), top)
    picked = sum(map(len, paths))
    return Branches(picture.render(), rows, picked, len(drawn), len(named))


def _first(paths: list[ConditionalPath], count: int) -> list[list[Pick]]:
    """The first ``count`` picks, path by path."""
    drawn: list[list[Pick]] = []
    for path in paths:
        left = count - sum(map(len, drawn))
        if left > 0:
            drawn.append(list(path.picks[:left]))
    return drawn


def _entries(classes: list[str]) -> list[tuple[float, int, str, str]]:
    """Of every class in the legend: where it begins, on which line, its words and its colour."""
    entries: list[tuple[float, int, str, str]] = []
    shown = [(clip(name, 40), f"c{code}") for code, name in enumerate(classes[:_COLOURS])]
    shown += [("others", "others")] * (len(classes) > _COLOURS)
    at, line = float(_NAME), 0
    for words, kind in shown:
        width = 32 + 7.4 * len(words)
        if at + width > _WIDTH and at > _NAME:
            at, line = float(_NAME), line + 1
        entries.append((at, line, words, kind))
        at += width
    return entries


def _draw(
    picture: Picture,
    drawn: list[list[Pick]],
    selector: Any,
    names: list[str],
    classes: int,
    first: float,
) -> None:
    largest = max(pick.gain for path in drawn for pick in path)
    top = first
    for number, path in enumerate(drawn, start=1):
        picture.curve([(_TRUNK, first - 12), (_TRUNK, top), (_BRANCH, top + 10)], "branch")
        end = top + _ROW * len(path) + 6
        picture.curve([(_BRANCH, top + 10), (_BRANCH, end)], "branch")
        picture.text(_NAME, top + 5, f"Path {number}", "path-name")
        for step, pick in enumerate(path):
            middle = top + _ROW * (step + 1) + 6
            picture.add("circle", cx=_BRANCH, cy=middle, r=4, class_="dot")
            picture.text(_NAME, middle + 4, clip(names[pick.feature], 28))
            length = _LONGEST_BAR * np.sqrt(pick.gain / largest) if largest > 0 else 0.0
            _bar(picture, pick, middle, float(length), classes)
            words = f"{pick.gain:.2g}" + _remark(selector, pick, names)
            picture.text(_BAR + length + 6, middle + 4, clip(words, 30), "tick")
        top = end + _GAP


def _bar(picture: Picture, pick: Pick, middle: float, length: float, classes: int) -> None:
    """What the pick adds, split among the classes; faint where the feature is low in a class."""
    shares = _shares(pick.signal, classes)
    left = float(_BAR)
    for code in np.argsort(-shares, kind="stable").tolist():
        width = length * float(shares[code])
        kind = ("all" if classes == 0 else f"c{code}") if code < _COLOURS else "others"
        faint = " faint" if classes > 2 and pick.signal[code] < 0 else ""
        if width > 0.3:
            picture.add(
                "rect", x=left, y=middle - 6, width=width, height=12, class_=f"part {kind}{faint}"
            )
        left += width


def _shares(signal: np.ndarray, classes: int) -> np.ndarray:
    """The share of every class; with two classes the class with the high values gets all."""
    if classes == 0:
        return np.ones(1)
    if classes == 2:
        return np.array([1.0, 0.0]) if signal[0] > 0 else np.array([0.0, 1.0])
    squares = signal**2
    return squares / max(float(squares.sum()), 1e-300)


def _remark(selector: Any, pick: Pick, names: list[str]) -> str:
    """The earlier feature that explains the first one of a path, if this is more than noise."""
    told = unconstrained(selector).explain(pick.feature)
    quiet = told.step != 1 or pick.evidence < pick.noise
    if quiet or told.redundant_with is None or told.redundant_share < _REPEATED:
        return ""
    return f", {told.redundant_share:.0%} in {names[told.redundant_with]}"
