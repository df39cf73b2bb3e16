"""The page: facts, pictures and sentences put into the template, one self-contained file."""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
from importlib.resources import files
from typing import Any

import numpy as np
from markupsafe import Markup

from inffs.report import _charts, _words
from inffs.report._branches import branches
from inffs.report._facts import REDUNDANT, SHOWN, Groups, Settling, second_opinion
from inffs.report._reasons import Reasons

_MOST_BYTES = 4_400_000  # of the ranking's data; the page stays under 5 MB
_LONGEST_NAME = 160
_FIRST_ROWS = 25
_SECTIONS = {
    "answer": "Answer",
    "scores": "Scores",
    "ranking": "Ranking",
    "redundancy": "Redundancy",
    "paths": "Paths",
    "classes": "Classes",
    "check": "Check",
    "methods": "Methods",
    "repeat": "Repeat",
}
_COLUMNS = {
    "place": ("Place", "Place in the ranking"),
    "feature": ("Feature", "Name of the column; press for the reasons"),
    "score": ("Score", "The method's score, larger is better"),
    "q_value": ("q", "Least false-discovery rate at which the feature counts as found"),
    "dispersion": ("Dispersion", "Standard deviation over the largest one"),
    "fisher": ("Fisher", "How far apart the classes are, 0 to 1"),
    "information": ("MI", "Mutual information with the label, 0 to 1"),
    "mean_correlation": ("Mean |r|", "Mean absolute correlation with the other features"),
    "twin": ("Twin (|r|)", "The feature most like this one"),
}


def display_names(names: list[str]) -> list[str]:
    """Names for people: printable, not too long, and told apart where they are equal or empty."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
    shown = []
    for place, name in enumerate(names):
        clean = "".join(sign if sign.isprintable() else "�" for sign in name[: _LONGEST_NAME + 1])
        if len(clean) > _LONGEST_NAME:
            clean = f"{clean[: _LONGEST_NAME - 1]}…"
        if not clean.strip():
            clean = f"(no name, column {place + 1})"
        elif seen[name] > 1:
            clean = f"{clean} (column {place + 1})"
        shown.append(clean)
    return shown


def safe_json(value: Any) -> Markup:
    """JSON that cannot leave its script element, whatever the names are."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def ranking_data(selector: Any, names: list[str], reasons: Reasons) -> dict[str, Any]:
    """The ranking in order, rounded; partners are named by their place. Cut off where too big."""
    order = selector.order_
    place_of = np.append(selector.ranking_ - 1, -1)
    data: dict[str, Any] = {
        "kept": int(selector.n_features_),
        "names": [names[feature] for feature in order],
        "score": _rounded(selector.scores_[order], 5),
        "twin": place_of[reasons.twin[order]].tolist(),
        "company": place_of[reasons.company[order]].tolist(),
    }
    if selector.cut_.q_values is not None:
        data["q_value"] = _rounded(selector.cut_.q_values[order], 2)
    for key in ("dispersion", "fisher", "information", "mean_correlation"):
        values = getattr(reasons, key)
        if values is not None:
            data[key] = _rounded(values[order], 3)
    for key in ("twin_correlation", "company_correlation"):
        data[key] = _rounded(getattr(reasons, key)[order], 3)
    return _fitting(data)


def _fitting(data: dict[str, Any]) -> dict[str, Any]:
    """As many of the best rows as fit; partners further down are then left out."""
    rows = len(data["names"])
    size = len(json.dumps(data, separators=(",", ":")))
    if size <= _MOST_BYTES:
        return data
    rows = max(1, int(rows * _MOST_BYTES / size))
    cut = {key: value[:rows] if isinstance(value, list) else value for key, value in data.items()}
    for key in ("twin", "company"):
        cut[key] = [place if place < rows else -1 for place in cut[key]]
    return _fitting(cut) if rows > 1 else cut


def _rounded(values: np.ndarray, digits: int) -> list[float]:
    """Significant digits only: what a person reads, at a fraction of the bytes."""
    return [float(f"{value:.{digits}g}") for value in values.tolist()]


def render(
    *,
    selector: Any,
    shape: tuple[int, int],
    names: list[str],
    reasons: Reasons,
    groups: Groups,
    settling: Settling | None,
    cuts: list[Any],
    classes: tuple[list[str], np.ndarray] | None,
    columns: list[np.ndarray],
    check: Any,
    no_check: str,
    title: str,
    run: dict[str, Any],
) -> str:
    """The report as HTML text. ``columns`` are the values of the best features."""
    names = display_names(names)
    best = [names[feature] for feature in selector.order_[: min(12, selector.n_features_)]]
    data = ranking_data(selector, names, reasons)
    script = _asset("report.js")
    page: dict[str, Any] = {
        "title": title,
        "shape": shape,
        "kept": selector.n_features_,
        "cut": selector.cut_,
        "cuts": cuts,
        "best": best,
        "key": _words.find_key(selector),
        "method": type(selector).__name__,
        "described": _words.title_of(selector),
        "date": datetime.date.today().isoformat(),
        "labelled": classes is not None,
        "classes": classes and classes[0],
        "check": check,
        "no_check": no_check,
        "data": safe_json(data),
        "shown": len(data["names"]),
        "script": Markup(script),
        "script_hash": _hash_of(script),
        "style": Markup(_asset("report.css")),
        "versions": _words.versions(),
        "paragraph": _words.methods_paragraph(selector, shape, check),
        "python": _words.python_lines(selector),
        "command": run.get("command"),
        "facts": _run_facts(run),
        "redundant": REDUNDANT,
    }
    page |= _table(data)
    second = second_opinion(selector, cuts)
    page["second"] = second
    page |= _pictures(selector, names, groups, settling, cuts, second, classes, columns, check)
    page["sections"] = [(key, name) for key, name in _SECTIONS.items() if _has(page, key)]
    return _template().render(page)


def _has(page: dict[str, Any], section: str) -> bool:
    needs = {"redundancy": "heat_map", "paths": "path_view", "classes": "class_charts"}
    if section == "check":
        return bool(page["labelled"])
    return section not in needs or bool(page[needs[section]])


def _pictures(
    selector: Any,
    names: list[str],
    groups: Groups,
    settling: Settling | None,
    cuts: list[Any],
    second: Any,
    classes: Any,
    columns: list[np.ndarray],
    check: Any,
) -> dict[str, Any]:
    ordered = [names[feature] for feature in groups.features]
    drawn = branches(selector, names, classes and classes[0])
    return {
        "score_chart": _charts.score_chart(selector, cuts, second),
        "heat_map": _charts.heat_map(groups, ordered) if groups.features.size > 1 else None,
        "groups": [_group(groups, group, selector, names) for group in groups.groups],
        "grouped": min(SHOWN, groups.features.size),
        "settling": settling,
        "settle_chart": settling
        and _charts.settle_chart(settling, [names[feature] for feature in settling.features]),
        "settle_words": settling and _settle_words(settling),
        "branches": drawn,
        "path_view": settling or drawn,
        "class_charts": [
            (names[feature], _charts.class_chart(values, classes[1], classes[0], names[feature]))
            for feature, values in zip(selector.order_, columns, strict=False)
        ]
        if classes
        else [],
        "check_chart": check and _charts.check_chart(check),
    }


def _group(groups: Groups, group: tuple[int, int], selector: Any, names: list[str]) -> dict:
    members = groups.members(group, selector.ranking_)
    inside = groups.correlation[group[0] : group[1], group[0] : group[1]]
    size = members.size
    return {
        "name": names[members[0]],
        "others": [names[feature] for feature in members[1:]],
        "mean": (inside.sum() - size) / (size * (size - 1)),
    }


def _settle_words(settling: Settling) -> str:
    still = np.flatnonzero(settling.agreement < 0.9995)
    if still.size == 0 and (settling.ranks == settling.ranks[-1]).all():
        return (
            "Here every length gives the same order, so the longest paths only confirm what "
            "single edges say."
        )
    settled = int(still[-1]) + 2 if still.size else 1
    return (
        f"The lines follow the best features as longer paths are counted in; the whole ranking "
        f"stands still (agreement 0.9995 or more) from paths of {settled} edges on."
        if settled <= settling.lengths[-1]
        else "The lines follow the best features as longer paths are counted in."
    )


def _table(data: dict[str, Any]) -> dict[str, Any]:
    """The table's columns, and its first rows for readers without JavaScript."""
    keys = [key for key in _COLUMNS if key in ("place", "feature") or key in data]
    columns = [
        {"key": key, "name": _COLUMNS[key][0], "help": _COLUMNS[key][1],
         "number": key not in ("feature", "twin")}
        for key in keys
    ]  # fmt: skip
    rows = [
        {"kept": place < data["kept"], "cells": [_cell(data, key, place) for key in keys]}
        for place in range(min(_FIRST_ROWS, len(data["names"])))
    ]
    return {"columns": columns, "first_rows": rows}


def _cell(data: dict[str, Any], key: str, place: int) -> str:
    if key == "place":
        return str(place + 1)
    if key == "feature":
        return data["names"][place]
    if key == "twin":
        twin = data["twin"][place]
        correlation = data["twin_correlation"][place]
        return f"{data['names'][twin]} ({correlation:.3g})" if twin >= 0 else ""
    return f"{data[key][place]:.4g}"


def _run_facts(run: dict[str, Any]) -> list[tuple[str, Any]]:
    known = [("Table", "table"), ("SHA-256 of the table", "sha256"), ("Label", "label")]
    facts = [(name, run[key]) for name, key in known if run.get(key) is not None]
    return facts + [(name, number) for name, number in _words.versions().items()]


def _asset(name: str) -> str:
    return files("inffs.report").joinpath(name).read_text(encoding="utf-8")


def _hash_of(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()


def _template() -> Any:
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["thousands"] = lambda value: f"{value:,}"
    environment.filters["percent"] = lambda value: f"{100 * value:.1f} %"
    return environment.from_string(_asset("report.html.j2"))
