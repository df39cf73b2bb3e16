"""Charts of the ranking, the scores and the paths as inline SVG."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from inffs._utils.words import counted
from inffs.conditional import ConditionalPath, Pick
from inffs.cuts import Cut
from inffs.meta.consensus import overlap_curves
from inffs.meta.constrained import unconstrained
from inffs.report._check import Check
from inffs.report._reasons import Groups, Settling
from inffs.report._svg import Picture, Scale, clip, spread, thinned

_WIDTH = 640
_BESIDE_NAME = 124.0  # where the name of the axis ends, in the letters of a phone
_RED, _GREEN, _BLUE = 42, 111, 219
_ROW, _TOP = 22, 14  # of the chart of the paths
_TRUNK, _BRANCH, _NAME, _BAR = 14, 34, 48, 250
_LONGEST_BAR, _GAP = 200.0, 24
_MOST_ROWS, _COLOURS = 40, 8
_REPEATED = 0.5  # share of the association of a feature that an earlier one explains


def score_axis(n: int) -> Scale:
    """Places in the ranking along the score chart."""
    return Scale(1, max(n, 2), 64, _WIDTH - 16, log=n > 60)


def score_geometry(n: int) -> dict[str, Any]:
    """Where a place stands on the score chart, for a handle over it."""
    x = score_axis(n)
    return {
        "start": x.start, "stop": x.stop, "width": _WIDTH, "beside": _BESIDE_NAME, "log": x.log,
        "last": n,
    }  # fmt: skip


def score_chart(selector: Any, cuts: list[Cut]) -> Markup:
    """The scores along the ranking, the cut, and marks where other cuts would be."""
    scores = selector.scores_[selector.order_]
    n, kept = scores.size, selector.n_features_
    picture = Picture(
        _WIDTH,
        338,
        "Scores from the best feature to the last",
        f"The score falls from {scores[0]:.3g} to {scores[-1]:.3g}; "
        f"the cut is after {kept} of {n} features.",
    )
    x = score_axis(n)
    low = min(0.0, float(scores.min()))
    y = Scale(low, max(float(scores.max()), low + 1e-12), 282, 34)
    picture.axes(x, y, "place in the ranking", "score")
    picture.add(
        "rect", x=x.start, y=y.stop, width=x(kept) - x.start, height=y.start - y.stop, class_="kept"
    )
    picture.curve([(x(i + 1), y(scores[i])) for i in thinned(range(n))], "curve")
    for cut in cuts:
        if cut.size != kept:
            picture.line(x(cut.size), y.start - 10, x(cut.size), y.start, "other")
    picture.line(x(kept), y.stop, x(kept), y.start, "cut")
    # above the curve; the script moves these words in the same way
    left = x(kept) < _WIDTH / 2
    at = max(x(kept), _BESIDE_NAME) if left else x(kept)
    picture.text(at, 24, f"{kept:,} selected", "cut-name" if left else "cut-name end")
    return picture.render()


def check_chart(check: Check) -> Markup:
    """The score against the size: selected, random and all features."""
    picture = Picture(
        _WIDTH,
        338,
        f"Cross-validated {check.words.measure} by number of features",
        f"{counted(check.sizes[check.chosen], 'selected feature')}: {check.text(check.score)}, "
        f"all features: {check.text(check.whole.mean())}.",
    )
    x = Scale(check.sizes[0], check.sizes[-1], 64, _WIDTH - 24, log=check.sizes[-1] > 20)
    means = {"random": check.random.mean(axis=0), "selected": check.selected.mean(axis=0)}
    lowest = min(*map(np.min, means.values()), check.whole.mean(), check.baseline) - 0.06
    y = Scale(max(0.0 if check.baseline else -0.5, float(lowest)), 1.0, 282, 34)
    measure = f"{check.words.measure} in the test folds"
    picture.axes(x, y, "number of features", measure, share=check.words.share)
    for kind, value in (("whole", float(check.whole.mean())), ("baseline", check.baseline)):
        picture.line(x.start, y(value), x.stop, y(value), kind)
    for kind, folds in (("random", check.random), ("selected", check.selected)):
        error = np.array([check.error(column) for column in folds.T])
        mean = np.maximum(means[kind], y.low)
        band = np.maximum(mean - error, y.low), np.minimum(mean + error, 1.0)
        _curve_with_band(picture, x, y, check.sizes, mean, band, kind)
        for size, value in zip(check.sizes, mean.tolist(), strict=True):
            picture.add("circle", cx=x(size), cy=y(value), r=2.5, class_=f"point {kind}")
    picture.add("circle", cx=x(check.sizes[check.chosen]), cy=y(check.score), r=5, class_="dot")
    return picture.render()


def _curve_with_band(
    picture: Picture,
    x: Scale,
    y: Scale,
    places: Sequence[int],
    middle: np.ndarray,
    band: tuple[np.ndarray, np.ndarray],
    kind: str,
) -> None:
    """A line through the middle of a band."""
    low, high = ([(x(p), y(v)) for p, v in zip(places, edge, strict=True)] for edge in band)
    picture.curve([*high, *reversed(low)], f"band {kind}")
    points = [(x(p), y(v)) for p, v in zip(places, middle, strict=True)]
    picture.curve(points, f"line {kind}")


def agreement_chart(consensus: Any) -> Markup:
    """How much of the best k features the methods share: mean, least and most of the pairs."""
    shares, kept = overlap_curves(consensus.ranks_), max(1, consensus.n_features_)
    n, mean = shares.shape[1], shares.mean(axis=0)
    picture = Picture(
        _WIDTH,
        338,
        "Best features that two methods share",
        f"Two methods share {mean[kept - 1]:.0%} of their best {kept} features on average; "
        f"{kept / n:.0%} are expected by chance.",
    )
    x, y = score_axis(n), Scale(0.0, 1.0, 282, 34)
    picture.axes(x, y, "best features of every method", "share that two methods have", share=True)
    shown = np.array(thinned(range(n)))
    band = shares.min(axis=0)[shown], shares.max(axis=0)[shown]
    _curve_with_band(picture, x, y, (shown + 1).tolist(), mean[shown], band, "selected")
    picture.curve([(x(size), y(size / n)) for size in (shown + 1).tolist()], "line random")
    picture.line(x(kept), y.stop, x(kept), y.start, "cut")
    return picture.render()


def settle_chart(settling: Settling, names: list[str]) -> Markup:
    """Ranks of the best features by the longest path that is counted."""
    worst = int(settling.ranks.max())
    picture = Picture(
        _WIDTH,
        360,
        "Places of the best features as paths grow longer",
        f"Rank agreement with the final ranking: {settling.agreement[0]:.3f} with single edges, "
        f"{settling.agreement[-1]:.3f} with paths of up to {settling.lengths[-1]} edges.",
    )
    x = Scale(1, settling.lengths[-1], 44, _WIDTH - 170)
    y = Scale(1, max(worst, 2), 34, 310, log=worst > 40)
    for length in settling.lengths:
        picture.text(x(length), 330, str(length), "tick mid")
    picture.text((x.start + x.stop) / 2, 350, "longest path counted (edges)", "name mid")
    for value in y.ticks(6) if worst > 40 else range(1, worst + 1, max(1, worst // 8)):
        picture.text(36, y(value) + 4, f"{value:,.0f}", "tick end")
    picture.text(8, 18, "place", "name")
    ends = [y(float(rank)) for rank in settling.ranks[-1]]
    for place, label in enumerate(spread(ends, 14)):
        pairs = zip(settling.lengths, settling.ranks[:, place], strict=True)
        picture.curve([(x(length), y(rank)) for length, rank in pairs], f"bump c{place % 8}")
        if label - ends[place] > 1:
            picture.line(x.stop + 1, ends[place], x.stop + 14, label, f"bump c{place % 8}")
        picture.text(x.stop + 18, label + 4, clip(names[place], 21), "tick")
    return picture.render()


def heat_map(groups: Groups, names: list[str]) -> Markup:
    """|correlation| of the selected features in cluster order, groups outlined."""
    m = groups.features.size
    labels = [clip(name, 28) for name in names] if m <= 40 else []
    left = 16 + 6.6 * max(map(len, labels), default=0)
    side = float(min(480, max(200, 26 * m)))
    picture = Picture(
        max(460, round(left + side + 24)),
        round(side + 60),
        "Redundancy of the selected features",
        f"|Spearman correlation| of {m} features, clustered, with "
        f"{counted(len(groups.groups), 'group')} of correlated features.",
    )
    cell = side / m
    picture.add("rect", x=left, y=10, width=side, height=side, class_="frame")
    picture.add(
        "image", x=left, y=10, width=side, height=side, href=_png(groups.correlation),
        preserveAspectRatio="none", style="image-rendering:pixelated",
    )  # fmt: skip
    for number, (start, stop) in enumerate(groups.groups):
        size = (stop - start) * cell
        corner = left + start * cell, 10 + start * cell
        picture.add("rect", x=corner[0], y=corner[1], width=size, height=size, class_="group")
        if size > 14:
            picture.text(corner[0] + size + 3, corner[1] + 11, f"{number + 1}", "tick group-name")
    for place, label in enumerate(labels):
        picture.text(left - 6, 10 + (place + 0.5) * cell + 4, label, "tick end")
    _shades(picture, left, side + 26)
    return picture.render()


def _shades(picture: Picture, left: float, top: float) -> None:
    """What the shades mean: five squares from 0 to 1."""
    for step in range(5):
        at = left + 34 * step
        picture.add("rect", x=at, y=top, width=34, height=10, class_="frame")
        picture.add("rect", x=at, y=top, width=34, height=10, class_="shade", opacity=step / 4)
        picture.text(at + 17, top + 24, f"{step / 4:.3g}", "tick mid")


def _png(values: np.ndarray) -> str:
    """One hue whose opacity is the value: readable on light and dark ground."""
    from PIL import Image

    pixels = np.empty((*values.shape, 4), dtype=np.uint8)
    pixels[..., :3] = _RED, _GREEN, _BLUE
    pixels[..., 3] = np.round(255 * np.clip(values, 0, 1))
    file = io.BytesIO()
    Image.fromarray(pixels, "RGBA").save(file, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


@dataclass(frozen=True)
class Branches:
    """The chart of the paths, and the numbers of the text beside it."""

    chart: Markup
    shown: int
    picked: int
    classes: int


def branches(selector: Any, names: list[str], n_classes: int = 0) -> Branches | None:
    """The selected part of the paths; None for selectors without conditional paths.

    A bar is split among the classes, if the paths use them.
    """
    paths = getattr(unconstrained(selector), "paths_", None)
    if not (isinstance(paths, list) and paths and isinstance(paths[0], ConditionalPath)):
        return None
    left, drawn = min(_MOST_ROWS, selector.n_features_), []
    for path in paths:
        drawn.append(list(path.picks[:left]))
        left -= len(drawn[-1])
        if not left:
            break
    rows = sum(map(len, drawn))
    n_classes = n_classes if n_classes == paths[0].picks[0].signal.size else 0
    picture = Picture(
        _WIDTH,
        _TOP + _ROW * rows + (_GAP + 6) * len(drawn),
        "Paths as branches",
        f"{rows} features on {len(drawn)} paths. The first path: "
        + ", ".join(names[pick.feature] for pick in drawn[0])
        + ".",
    )
    largest = max(pick.gain for path in drawn for pick in path) or 1.0
    top = float(_TOP)
    for number, path in enumerate(drawn, start=1):
        end = top + _ROW * len(path) + 6
        picture.curve([(_TRUNK, _TOP - 12), (_TRUNK, top), (_BRANCH, top + 10)], "branch")
        picture.curve([(_BRANCH, top + 10), (_BRANCH, end)], "branch")
        picture.text(_NAME, top + 5, f"Path {number}", "path-name")
        for step, pick in enumerate(path, start=1):
            middle, length = (
                top + _ROW * step + 6,
                _LONGEST_BAR * float(np.sqrt(pick.gain / largest)),
            )
            picture.add("circle", cx=_BRANCH, cy=middle, r=4, class_="dot")
            picture.text(_NAME, middle + 4, clip(names[pick.feature], 28))
            _bar(picture, pick, middle, length, n_classes)
            words = f"{pick.gain:.2g}" + _remark(selector, pick, names)
            picture.text(_BAR + length + 6, middle + 4, clip(words, 25), "tick")
        top = end + _GAP
    return Branches(picture.render(), rows, sum(map(len, paths)), n_classes)


def _bar(picture: Picture, pick: Pick, middle: float, length: float, classes: int) -> None:
    """What the pick adds, split among the classes; faint where the feature is low in a class.

    With two classes the class with the high values gets all of it.
    """
    shares = pick.signal**2 if classes > 2 else pick.signal[:classes] > 0
    shares = shares / max(float(shares.sum()), 1e-300) if classes else np.ones(1)
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


def _remark(selector: Any, pick: Pick, names: list[str]) -> str:
    """The earlier feature that explains the first one of a path, if this is more than noise."""
    told = unconstrained(selector).explain(pick.feature)
    quiet = told.step != 1 or pick.evidence < pick.noise
    if quiet or told.redundant_with is None or told.redundant_share < _REPEATED:
        return ""
    return f", {told.redundant_share:.0%} in {names[told.redundant_with]}"
