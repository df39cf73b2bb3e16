"""The data of the page: a row per feature, and what the choice of features on the page needs."""

from __future__ import annotations

import base64
import gzip
import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from sklearn.base import clone

from inffs.meta.constrained import (
    Constrained,
    by_position,
    constraints_of,
    size_parameter,
    unconstrained,
)
from inffs.report._charts import clip, p_text, score_geometry
from inffs.report._check import Check
from inffs.report._reasons import Reasons
from inffs.report._words import python_lines

_FOLDS_REACH = 1000, 10_000  # places of a fold's ranking in the page, least and most
_LONGEST_NAME = 1000
_SHORT = {"-k", "-o"}  # the flags of the command that the choice replaces
_LONG = {"keep", "include", "exclude", "max-correlation", "min-features", "max-features", "out"}
_REPLACED = _SHORT | {f"--{name}" for name in _LONG}
_FIRST_ROWS = 25
_MOST_BYTES = 4_400_000  # the page stays under 5 MB
_PLAIN_BYTES = 1_000_000  # anything larger is compressed, which takes the page a moment to undo
_MOST_ROWS = 50_000  # of the page; ranking.csv has all
_LONGEST_WORDS = 48
_COLUMNS = {
    "place": ("Rank", "Position in the ranking"),
    "feature": ("Feature", "Name of the column; press for details"),
    "pick": ("Choice", "Pin a feature to select it, or strike it out to leave it out"),
    "score": ("Score", "The score of the method; larger is better"),
    "represented": ("Represented by", "The selected feature that it correlates with most"),
    "folds": ("Folds", "Number of folds that would select it at this size"),
    "votes": ("Methods", "Number of methods that would select it at this size"),
    "frequency": ("Frequency", "Share of the subsamples in which it was selected"),
    "rra_p_value": ("p (rankings)", "p-value of the agreement between the methods' rankings"),
    "q_value": ("q (permutation)", "False discovery rate at which the feature is significant"),
    "direction": ("Direction", "The class that the feature separates best, by ranks"),
    "difference": ("Difference", "Mean of that class minus the mean of the rest"),
    "fold_change": ("Fold change", "Ratio of the means of counts, or 2^difference of logarithms"),
    "auc": ("AUC", "How well the feature alone separates that class: 0.5 to 1"),
    "same_sign": ("Same sign", "Share of the pairs that differ in this direction"),
    "hazard_ratio": ("Hazard ratio", "Per standard deviation, with its 95 % interval (Cox model)"),
    "concordance": ("C-index", "Share of the comparable pairs that the feature alone orders"),
    "correlation": ("Correlation", "Spearman correlation with the target"),
    "slope": ("Slope", "Change of the target per unit of the feature"),
    "effect_p": ("p (rank test)", "Kruskal-Wallis or Spearman test of this feature alone"),
    "effect_q": ("q (rank test)", "The same p-value adjusted by Benjamini and Hochberg"),
    "dispersion": ("Dispersion", "Standard deviation, relative to the largest"),
    "fisher": ("Fisher", "Separation of the classes, 0 to 1"),
    "information": ("MI", "Mutual information with the label, 0 to 1"),
    "mean_correlation": ("Mean |r|", "Mean absolute correlation with all other features"),
    "nearest": ("Most correlated (|r|)", "The feature with the highest absolute correlation"),
}
_FOR_SURVIVAL = {
    "direction": ("Direction", "Whether larger values go with a higher or a lower hazard"),
    "effect_p": ("p (Cox)", "Wald test of the Cox model of this feature alone"),
    "effect_q": ("q (Cox)", "The same p-value adjusted by Benjamini and Hochberg"),
}
_FOR_PAIRS = {
    "direction": ("Direction", "The class with the higher values within pairs"),
    "difference": ("Difference", "Mean difference within pairs, second class minus first"),
    "effect_p": ("p (signed ranks)", "Wilcoxon's signed-rank test of the differences within pairs"),
    "effect_q": ("q (signed ranks)", "The same p-value adjusted by Benjamini and Hochberg"),
}
_HIDDEN_AT_FIRST = (
    "fold_change", "same_sign", "effect_q", "dispersion", "fisher", "information",
    "mean_correlation", "nearest",
)  # fmt: skip
_P_VALUES = ("effect_p", "effect_q", "q_value", "rra_p_value")
_WORDS = ("feature", "pick", "nearest", "represented", "direction")
_PARTNERS = {"nearest", "complement", "represented"}  # places of other features
_LIVE = {"folds": "folds", "votes": "methods"}  # columns that follow the choice, and what they need


def ranking_data(
    selector: Any, names: list[str], reasons: Reasons, choice: dict[str, Any]
) -> dict[str, Any]:
    """The first rows of the ranking, rounded; partners are named by their place."""
    order = selector.order_[:_MOST_ROWS]
    place_of = np.append(selector.ranking_ - 1, -1)
    place_of[place_of >= order.size] = -1
    data: dict[str, Any] = {
        "kept": int(selector.n_features_),
        "names": [names[feature] for feature in order],
        "score": _rounded(selector.scores_[order], 5),
        "nearest": place_of[reasons.nearest[order]].tolist(),
        "complement": place_of[reasons.complement[order]].tolist(),
        "choice": within(choice, order.size) if order.size < selector.order_.size else choice,
        **{key: values[: order.size] for key, values in choice_columns(selector).items()},
        **_effects(reasons.effects, order),
    }
    if hasattr(selector, "represented_by_"):
        data["represented"] = place_of[selector.represented_by_[order]].tolist()
    if selector.cut_.q_values is not None:
        data["q_value"] = _rounded(selector.cut_.q_values[order], 3)
    for key in _COLUMNS.keys() & selector._ranking_columns().keys():
        data[key] = _rounded(selector._ranking_columns()[key][order], 3)
    for key in ("dispersion", "fisher", "information", "mean_correlation"):
        values = getattr(reasons, key)
        if values is not None:
            data[key] = _rounded(values[order], 3)
    for key in ("nearest_correlation", "complement_correlation"):
        data[key] = _rounded(getattr(reasons, key)[order], 3)
    return data


def fit_rows(data: dict[str, Any]) -> tuple[dict[str, Any], Packed]:
    """As many of the best rows as the page may hold; partners further down are then left out."""
    packed, all_rows = pack(data), len(data["names"])
    rows = rows_that_fit(packed, all_rows)
    if rows == all_rows:
        return data, packed
    cut = {key: value[:rows] if isinstance(value, list) else value for key, value in data.items()}
    for key in _PARTNERS & cut.keys():
        cut[key] = [place if place < rows else -1 for place in cut[key]]
    cut["choice"] = within(data["choice"], rows)
    return fit_rows(cut)


def _effects(effects: dict[str, np.ndarray], order: np.ndarray) -> dict[str, Any]:
    """Every feature's own effect; the few different words stand once."""
    if not effects:
        return {}
    told, which = np.unique([word or "" for word in effects["direction"]], return_inverse=True)
    numbers = {key: _rounded(effects[key][order], 3) for key in effects if key != "direction"}
    words = [clip(word, _LONGEST_WORDS) for word in told.tolist()]
    return {"words": {"direction": words}, "direction": which[order].tolist(), **numbers}


def _rounded(values: np.ndarray, digits: int) -> list[float | None]:
    """Significant digits only: what a person reads, at a fraction of the bytes."""
    return [
        float(f"{value:.{digits}g}") if np.isfinite(value) else None for value in values.tolist()
    ]


def table_parts(data: dict[str, Any]) -> dict[str, Any]:
    """The table's columns, and its first rows for readers without JavaScript."""
    choice = data["choice"]
    live = {"place", "feature", "pick"} | {key for key, needs in _LIVE.items() if choice[needs]}
    columns = {}
    for key, told in _titles(data).items():
        if key in data or key in live:
            columns[key] = told
        if key == "votes":
            columns |= _method_columns(choice["methods"] or ())
    heads = [
        {
            "key": key,
            "name": name,
            "help": told,
            "number": key not in _WORDS,
            "hidden": key in _HIDDEN_AT_FIRST,
        }
        for key, (name, told) in columns.items()
    ]
    rows = [
        {"kept": place < data["kept"], "cells": [_cell(data, key, place) for key in columns]}
        for place in range(min(_FIRST_ROWS, len(data["names"])))
    ]
    return {"columns": heads, "first_rows": rows}


def _titles(data: dict[str, Any]) -> dict[str, tuple[str, str]]:
    if "same_sign" in data:
        return _COLUMNS | _FOR_PAIRS
    return _COLUMNS | (_FOR_SURVIVAL if "hazard_ratio" in data else {})


def _method_columns(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    return {f"m{number}": (name, f"Place by {name} alone") for number, name in enumerate(names)}


def _cell(data: dict[str, Any], key: str, place: int) -> str:
    if key == "place":
        return str(place + 1)
    if key == "feature":
        return data["names"][place]
    if key == "nearest":
        nearest = data["nearest"][place]
        correlation = data["nearest_correlation"][place]
        return f"{data['names'][nearest]} ({correlation:.3g})" if nearest >= 0 else ""
    if key == "represented":
        by = data["represented"][place]
        return data["names"][by] if by >= 0 else ""
    value = data[key][place] if key in data else None
    if key == "direction" and value is not None:
        return data["words"][key][value]
    if value is None:
        return ""
    if key in _P_VALUES:
        return p_text(value)
    if key == "hazard_ratio":
        ends = [data[f"hazard_ratio_{end}"][place] for end in ("low", "high")]
        low, high = ("" if end is None else f"{end:.3g}" for end in ends)
        return f"{value:.3g} ({low} to {high})"
    return f"{value:.3f}" if key in ("auc", "concordance") else f"{value:.4g}"


@dataclass(frozen=True)
class Packed:
    """Text for a script element, and of which type the element is."""

    text: Markup
    type: str


def safe_json(value: Any) -> Markup:
    """JSON that cannot leave its script element, whatever the names are."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def pack(value: Any) -> Packed:
    """Plain JSON, or compressed and in letters of base64."""
    text = safe_json(value)
    if len(text) <= _PLAIN_BYTES:
        return Packed(text, "application/json")
    letters = base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()
    return Packed(Markup(letters), "application/gzip")


def rows_that_fit(packed: Packed, rows: int) -> int:
    """How many of so many rows stay within the limit of the page."""
    size = len(packed.text)
    return rows if size <= _MOST_BYTES else max(1, int(rows * _MOST_BYTES / size))


def choice_data(
    selector: Any,
    names: list[str],
    shown: list[str],
    check: Check | None,
    run: dict[str, Any],
    repeat: Callable[[Any], str] = python_lines,
) -> dict[str, Any]:
    """Facts that are not a value per feature. Features are named by their place, from 0."""
    constraints, method = _constraints(selector), unconstrained(selector)
    return {
        "pinned": _places(selector, constraints.get("include", ())),
        "struck": _places(selector, constraints.get("exclude", ())),
        "explicit": _explicit(method, constraints),
        "exact": _exact_names(selector, names, shown),
        "check": check and _check_curve(selector, check),
        "folds": check and _fold_orders(selector, check),
        "chart": score_geometry(selector.n_features_in_),
        "methods": list(method.names_) if hasattr(method, "agreement_") else None,
        "command": _base_command(run.get("command")),
        **_python(method, repeat),
    }


def within(choice: dict[str, Any], rows: int) -> dict[str, Any]:
    """The same for a page that shows the best ``rows`` features only."""
    inside = {key: [one for one in choice[key] if one < rows] for key in ("pinned", "struck")}
    exact = {place: name for place, name in choice["exact"].items() if place < rows}
    return choice | inside | {"exact": exact, "explicit": True}


def choice_columns(selector: Any) -> dict[str, list]:
    """A value per feature, best first: its position, its group, its place by every method."""
    order = selector.order_
    columns = {"position": order.tolist()}
    groups = _constraints(selector).get("feature_groups")
    if groups is not None:
        columns["group"] = groups[order].tolist()
    for number, ranks in enumerate(
        getattr(unconstrained(selector), "ranks_", np.empty((order.size, 0))).T
    ):
        places = np.empty(order.size, dtype=int)
        places[np.argsort(ranks, kind="stable")] = np.arange(1, order.size + 1)
        columns[f"m{number}"] = places[order].tolist()
    return columns


def _constraints(selector: Any) -> dict[str, Any]:
    """The constraints of a fitted selector, columns by position."""
    names = getattr(selector, "feature_names_in_", None)
    return by_position(constraints_of(selector), selector.n_features_in_, names)


def _places(selector: Any, columns: Sequence[int]) -> list[int]:
    return sorted(int(selector.ranking_[column]) - 1 for column in columns)


def _explicit(method: Any, constraints: dict[str, Any]) -> bool:
    """Whether another size could rank or skip others, so that all must be named to repeat."""
    depends = getattr(method, "_size_matters", False)
    return bool(depends or constraints.keys() & {"max_correlation", "feature_groups"})


def _exact_names(selector: Any, names: list[str], shown: list[str]) -> dict[int, str]:
    """Names that the page shows in another way."""
    return {
        place: names[feature][:_LONGEST_NAME]
        for place, feature in enumerate(selector.order_.tolist())
        if names[feature] != shown[feature]
    }


def _check_curve(selector: Any, check: Check) -> dict[str, Any]:
    """The scores by size; the whole table is the last one."""
    sizes, values = check.sizes, check.selected
    if sizes[-1] < selector.n_features_in_:
        sizes = [*sizes, selector.n_features_in_]
        values = np.column_stack([values, check.whole])
    return {
        "measure": check.words.measure,
        "share": check.words.share,
        "sizes": sizes,
        "mean": values.mean(axis=0).tolist(),
        "error": [check.error(column) for column in values.T],
    }


def _fold_orders(selector: Any, check: Check) -> list[list[int]]:
    """The folds' rankings, far enough for the column of the page."""
    reach = int(np.clip(2 * selector.n_features_, *_FOLDS_REACH))
    return (selector.ranking_[check.orders[:, :reach]] - 1).tolist()


def _base_command(command: str | None) -> str | None:
    """The command of the run without what the choice replaces, into a folder of its own."""
    if command is None or not command.startswith("inffs select "):
        return None
    words, kept, out = iter(shlex.split(command)), [], "inffs"
    for word in words:
        name, equals, value = word.partition("=")
        if name in _REPLACED:
            value = value if equals else next(words, "")
        elif word[:2] in _SHORT:
            name, value = word[:2], word[2:]
        else:
            kept.append(word)
            continue
        out = value if name in ("-o", "--out") else out
    return shlex.join([*kept, "--out", f"{out}-choice"])


class _Slot:
    """A placeholder for a parameter that is chosen on the page."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"⟦{self.name}⟧"


def _python(method: Any, repeat: Callable[[Any], str]) -> dict[str, str]:
    """The run in Python with slots for the choice: without constraints, and with them."""
    name = size_parameter(method)
    plain = clone(method)
    if name is not None:
        plain.set_params(**{name: _Slot("size")})
    slots: dict[str, Any] = {"include": _Slot("include"), "exclude": _Slot("exclude")}
    return {"python": repeat(plain), "python_constrained": repeat(Constrained(plain, **slots))}
