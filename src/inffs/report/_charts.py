"""The report's pictures as inline SVG."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from markupsafe import Markup

from inffs._utils.words import counted
from inffs.cuts import Cut
from inffs.meta.rank_aggregation import overlap_curves
from inffs.report._check import Check
from inffs.report._facts import Groups, Settling
from inffs.report._svg import Picture, Scale, clip, spread, thinned

Points = list[tuple[float, float]]
_WIDTH, _LETTER = 640, 6.6
_ON_PHONE = 19 / 13  # letters of the style sheet there
_RED, _GREEN, _BLUE = 42, 111, 219


def score_axis(n: int) -> Scale:
    """Places in the ranking along the score chart."""
    return Scale(1, max(n, 2), 64, _WIDTH - 16, log=n > 60)


def score_geometry(n: int) -> dict[str, Any]:
    """Where a place stands on the score chart, for a handle over it."""
    x = score_axis(n)
    return {"start": x.start, "stop": x.stop, "width": _WIDTH, "log": x.log, "last": n}


def score_chart(selector: Any, cuts: list[Cut], second: Cut | None = None) -> Markup:
    """The falling scores, the cut, the runner-up and where other cuts would be."""
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
    curve = [(x(i + 1), y(scores[i])) for i in thinned(range(n))]
    picture.curve(curve, "curve")
    for cut in cuts:
        if cut.size != kept:
            picture.line(x(cut.size), y.start - 10, x(cut.size), y.start, "other")
    picture.line(x(kept), y.stop, x(kept), y.start, "cut")
    taken = [_name_line(picture, x(kept), f"{kept:,} selected", "cut-name", curve, [x(kept)], [])]
    if second is not None and second.size != kept:
        picture.line(x(second.size), y.stop + 24, x(second.size), y.start, "runner-up")
        words = f"runner-up: {second.size:,} by {second.name}"
        uprights = [x(second.size), x(kept)]
        _name_line(picture, x(second.size), words, "runner-up-name", curve, uprights, taken)
    return picture.render()


def _name_line(
    picture: Picture,
    x: float,
    words: str,
    kind: str,
    curve: Points,
    uprights: list[float],
    taken: list[float],
) -> float:
    """Words beside an upright line, where they meet neither curve nor lines nor other words.

    A place where a phone shows all of them goes first. Returns the height where they stand.
    """
    width = _LETTER * len(words)
    beyond = [line + 6 for line in uprights if line >= x]  # its own line first
    sides = [(start, start + width, "") for start in beyond] + [(x - 6 - width, x - 6, " end")]
    places = [(46.0 + 22 * step, *side) for step in range(10) for side in sides]
    inside = [place for place in places if place[1] > 60 and place[2] < _WIDTH] or places
    apart = [place for place in inside if all(abs(place[0] - one) > 18 for one in taken)]
    clear = [place for place in apart if not _meets(curve, *place[:3])] or apart
    height, start, stop, end = min(
        clear, key=lambda place: (_is_cut_off_on_phones(place), _crosses(uprights, place))
    )
    picture.text(stop if end else start, height, words, kind + end)
    return height


def _is_cut_off_on_phones(place: tuple[float, float, float, str]) -> bool:
    """Whether larger letters leave the picture."""
    _, start, stop, end = place
    width = _ON_PHONE * (stop - start)
    return stop < width if end else start + width > _WIDTH


def _crosses(uprights: list[float], place: tuple[float, float, float, str]) -> bool:
    return any(place[1] < line < place[2] for line in uprights)


def _meets(curve: Points, height: float, left: float, right: float) -> bool:
    """Whether a falling curve passes through words that stand there."""
    x, y = (np.array(part) for part in zip(*curve, strict=True))
    high, low = np.interp([left, right], x, y)
    return bool(low > height - 14 and high < height + 5)


def check_chart(check: Check) -> Markup:
    """The score against the size: selected, random and all features."""
    chosen = check.score
    picture = Picture(
        _WIDTH,
        338,
        f"Cross-validated {check.words.measure} by number of features",
        f"{counted(check.sizes[check.chosen], 'selected feature')}: {check.text(chosen)}, "
        f"all features: {check.text(check.whole.mean())}.",
    )
    x = Scale(check.sizes[0], check.sizes[-1], 64, _WIDTH - 24, log=check.sizes[-1] > 20)
    shown = check.selected.mean(axis=0), check.random.mean(axis=0)
    lowest = min(*map(np.min, shown), check.whole.mean(), check.baseline) - 0.06
    y = Scale(max(0.0 if check.baseline else -0.5, float(lowest)), 1.0, 282, 34)
    measure = f"{check.words.measure} in the test folds"
    picture.axes(x, y, "number of features", measure, share=check.words.share)
    whole = y(float(check.whole.mean()))
    picture.line(x.start, whole, x.stop, whole, "whole")
    picture.line(x.start, y(check.baseline), x.stop, y(check.baseline), "baseline")
    _band(picture, x, y, check, check.random, "random")
    _band(picture, x, y, check, check.selected, "selected")
    picture.add("circle", cx=x(check.sizes[check.chosen]), cy=y(chosen), r=5, class_="dot")
    return picture.render()


def _band(picture: Picture, x: Scale, y: Scale, check: Check, folds: Any, kind: str) -> None:
    """Mean over the folds, and one standard error to both sides."""
    mean = np.maximum(folds.mean(axis=0), y.low)
    error, sizes = [check.error(column) for column in folds.T], check.sizes
    top = [(x(s), y(min(1.0, m + e))) for s, m, e in zip(sizes, mean, error, strict=True)]
    low = [(x(s), y(max(y.low, m - e))) for s, m, e in zip(sizes, mean, error, strict=True)]
    picture.curve([*top, *reversed(low)], f"band {kind}")
    picture.curve([(x(s), y(m)) for s, m in zip(sizes, mean, strict=True)], f"line {kind}")
    for size, value in zip(sizes, mean, strict=True):
        picture.add("circle", cx=x(size), cy=y(float(value)), r=2.5, class_=f"point {kind}")


def agreement_chart(consensus: Any) -> Markup:
    """How much of the best k features the methods share: mean, least and most of the pairs."""
    shares, kept = overlap_curves(consensus.ranks_), max(1, consensus.n_features_)
    n, mean = shares.shape[1], shares.mean(axis=0)
    picture = Picture(
        _WIDTH,
        338,
        "What the methods have in common among the best",
        f"Of the best {kept} features two methods share {mean[kept - 1]:.0%} in the mean; "
        f"chance would give {kept / n:.0%}.",
    )
    x, y = score_axis(n), Scale(0.0, 1.0, 282, 34)
    picture.axes(x, y, "best features of every method", "share that two methods have", share=True)
    shown = thinned(range(n))
    most, least = shares.max(axis=0), shares.min(axis=0)
    edge = [(x(i + 1), y(most[i])) for i in shown]
    edge += [(x(i + 1), y(least[i])) for i in reversed(shown)]
    picture.curve(edge, "band selected")
    picture.curve([(x(i + 1), y(mean[i])) for i in shown], "line selected")
    picture.curve([(x(i + 1), y((i + 1) / n)) for i in shown], "line random")
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
        f"|Spearman correlation| of {m} features, clustered; {len(groups.groups)} groups repeat "
        "each other.",
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
