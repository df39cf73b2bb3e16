"""Pictures of a curved feature and of a pair of features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from inffs.report._associations import (
    Points,
    Profile,
    associations,
    class_points,
    class_profile,
    target_points,
    target_profile,
)
from inffs.report._svg import Picture, Scale, clip, core_range, short

_COLOURS, _MOST_LINES = 8, 4  # of many classes those whose shares change most are drawn


def association_charts(
    selector: Any,
    names: list[str],
    columns: Sequence[np.ndarray],
    classes: tuple[list[str], np.ndarray] | None,
    target: tuple[str, np.ndarray] | None,
) -> list[tuple[str, Markup]]:
    """Captions and pictures of the curved features and the pairs among the best features.

    ``columns`` are the values of the first features of ``selector.order_``; ``target`` is the name
    of a continuous target and its values. Other targets have no pictures.
    """
    values = dict(zip(selector.order_.tolist(), columns, strict=False))
    charts = []
    for one in associations(selector):
        if one.feature not in values or (one.partner is not None and one.partner not in values):
            continue
        name, first = names[one.feature], values[one.feature]
        if one.partner is not None:
            both, second = (name, names[one.partner]), values[one.partner]
            if classes:
                points = class_points(first, second, classes[1], classes[0])
            elif target:
                points = target_points(first, second, target[1])
            else:
                continue
            label = target[0] if target else "Class"
            charts.append((f"{name} together with {both[1]}", pair_chart(points, both, label)))
        elif classes:
            profile = class_profile(first, classes[1], len(classes[0]))
            charts.append((f"{name}: curved", profile_chart(profile, name, "Class", classes[0])))
        elif target:
            profile = target_profile(first, target[1])
            charts.append((f"{name}: curved", profile_chart(profile, name, target[0])))
    return charts


def profile_chart(profile: Profile, title: str, label: str, classes: Sequence[str] = ()) -> Markup:
    """The share of every class, or the mean of the target, along a feature, with its band."""
    spans = np.ptp(profile.values, axis=0)
    lines = np.sort(np.argsort(-spans, kind="stable")[:_MOST_LINES]).tolist()
    height = 206 if classes else 190
    what = "The share of every class" if classes else f"The mean of {label}"
    picture = Picture(300, height, f"{label} along {title}", f"{what}, with 95% intervals.")
    ends = (0.0, 1.0) if classes else (float(profile.low.min()), float(profile.high.max()))
    x = Scale(float(profile.centres[0]), float(profile.centres[-1]), 56, 290)
    up = Scale(*ends, 164, 12)
    picture.line(x.start, up.start, x.stop, up.start, "axis")
    for value in ends:
        picture.text(50, up(value) + 4, f"{value:.0%}" if classes else short(value), "tick end")
    places = [x(centre) for centre in profile.centres]
    for line in lines:
        kind = f"c{line % _COLOURS}"
        upper = [(at, up(value)) for at, value in zip(places, profile.high[:, line], strict=True)]
        lower = [(at, up(value)) for at, value in zip(places, profile.low[:, line], strict=True)]
        picture.curve([*upper, *lower[::-1]], f"part {kind} band")
        middle = zip(places, profile.values[:, line], strict=True)
        picture.curve([(at, up(value)) for at, value in middle], f"bump {kind}")
    picture.text(x.start, 182, short(x.low), "tick")
    picture.text(x.stop, 182, short(x.high), "tick end")
    if classes:
        _legend(picture, [(f"c{line % _COLOURS}", classes[line]) for line in lines], 200)
    return picture.render()


def pair_chart(points: Points, titles: tuple[str, str], label: str) -> Markup:
    """The samples of two features, coloured by class."""
    picture = Picture(
        300, 222, f"{label} by {titles[0]} and {titles[1]}",
        f"{titles[0]} across, {titles[1]} upwards, a dot is a sample.",
    )  # fmt: skip
    low, high, x_ends = core_range(points.x)
    bottom, top, y_ends = core_range(points.y)
    x, up = Scale(low, high, 56, 290), Scale(bottom, top, 164, 12)
    picture.line(x.start, up.start, x.stop, up.start, "axis")
    shown = np.unique(points.code).tolist()
    for code in shown:
        inside = points.code == code
        places = zip(np.clip(points.x[inside], low, high), np.clip(points.y[inside], bottom, top),
                     strict=True)  # fmt: skip
        dots = "".join(f"M{x(a):.1f},{up(b):.1f}h0" for a, b in places)
        picture.add("path", d=dots, class_=f"dots c{code % _COLOURS}")
    picture.text(x.start, 182, x_ends[0], "tick")
    picture.text(x.stop, 182, x_ends[1], "tick end")
    picture.text(50, up.start, y_ends[0], "tick end")
    picture.text(50, up.stop + 10, y_ends[1], "tick end")
    picture.text(x.start, 199, f"{clip(titles[0], 20)} → , {clip(titles[1], 20)} ↑", "tick")
    _legend(picture, [(f"c{code % _COLOURS}", points.names[code]) for code in shown], 217)
    return picture.render()


def _legend(picture: Picture, entries: list[tuple[str, str]], height: float) -> None:
    width = 290 / max(len(entries[:_MOST_LINES]), 1)
    for place, (kind, name) in enumerate(entries[:_MOST_LINES]):
        at = 4 + width * place
        picture.add("rect", x=at, y=height - 9, width=9, height=9, class_=f"part {kind}")
        picture.text(at + 12, height, clip(name, max(4, int((width - 16) / 6.6))), "tick")
