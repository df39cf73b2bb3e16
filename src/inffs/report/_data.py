"""The data of the page: a row per feature, what the choice on the page needs, the run in Python."""

from __future__ import annotations

import base64
import gzip
import inspect
import json
import shlex
import sys
from collections.abc import Callable, Sequence
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
_MEASURES = (  # of the reasons
    "dispersion", "fisher", "information", "mean_correlation", "nearest_correlation",
    "complement_correlation",
)  # fmt: skip
_LIVE = {"folds": "folds", "votes": "methods"}  # columns that follow the choice, and what they need


def page_data(
    selector: Any, names: list[str], reasons: Reasons, choice: dict[str, Any]
) -> tuple[dict[str, Any], Markup, str]:
    """As many of the best rows as the page may hold; the data, their text, and its type."""
    rows = min(selector.n_features_in_, _MOST_ROWS)
    while True:
        data = ranking_data(selector, names, reasons, choice, rows)
        text, kind = pack(data)
        if len(text) <= _MOST_BYTES or rows == 1:
            return data, text, kind
        rows = max(1, int(rows * _MOST_BYTES / len(text)))


def ranking_data(
    selector: Any, names: list[str], reasons: Reasons, choice: dict[str, Any], rows: int
) -> dict[str, Any]:
    """The first rows of the ranking, rounded; partners are named by their place, -1 for none."""
    order = selector.order_[:rows]
    place_of = np.append(selector.ranking_ - 1, -1)
    place_of[place_of >= rows] = -1
    partners = {"nearest": reasons.nearest, "complement": reasons.complement}
    if hasattr(selector, "represented_by_"):
        partners["represented"] = selector.represented_by_
    numbers = {name: getattr(reasons, name) for name in _MEASURES} | selector._ranking_columns()
    numbers |= {"q_value": selector.cut_.q_values}
    return {
        "kept": int(selector.n_features_),
        "names": [names[feature] for feature in order],
        "position": order.tolist(),
        "score": _rounded(selector.scores_[order], 5),
        "choice": _within(choice, rows) if rows < selector.n_features_in_ else choice,
        **{name: place_of[values[order]].tolist() for name, values in partners.items()},
        **_places_by_choice(selector, order),
        **{
            name: _rounded(values[order])
            for name, values in numbers.items()
            if values is not None and name in (*_COLUMNS, *_MEASURES)
        },
        **_effects(reasons.effects, order),
    }


def _effects(effects: dict[str, np.ndarray], order: np.ndarray) -> dict[str, Any]:
    """Every feature's own effect; the few different words stand once."""
    if not effects:
        return {}
    told, which = np.unique([word or "" for word in effects["direction"]], return_inverse=True)
    words = [clip(word, _LONGEST_WORDS) for word in told.tolist()]
    numbers = {key: _rounded(effects[key][order]) for key in effects if key != "direction"}
    return {"words": {"direction": words}, "direction": which[order].tolist(), **numbers}


def _rounded(values: np.ndarray, digits: int = 3) -> list[float | None]:
    """Significant digits only: what a person reads, at a fraction of the bytes."""
    return [
        float(f"{value:.{digits}g}") if np.isfinite(value) else None for value in values.tolist()
    ]


def table_parts(data: dict[str, Any]) -> dict[str, Any]:
    """The table's columns, and its first rows for readers without JavaScript."""
    choice = data["choice"]
    live = {"place", "feature", "pick"} | {key for key, needs in _LIVE.items() if choice[needs]}
    titles = _COLUMNS | (_FOR_PAIRS if "same_sign" in data else {})
    titles |= _FOR_SURVIVAL if "hazard_ratio" in data else {}
    columns = {}
    for key, told in titles.items():
        if key in data or key in live:
            columns[key] = told
        if key == "votes":
            columns |= {
                f"m{number}": (name, f"Place by {name} alone")
                for number, name in enumerate(choice["methods"] or ())
            }
    heads = [
        {"key": key, "name": name, "help": told, "number": key not in _WORDS,
         "hidden": key in _HIDDEN_AT_FIRST}
        for key, (name, told) in columns.items()
    ]  # fmt: skip
    rows = [
        {"kept": place < data["kept"], "cells": [_cell(data, key, place) for key in columns]}
        for place in range(min(_FIRST_ROWS, len(data["names"])))
    ]
    return {"columns": heads, "first_rows": rows}


def _cell(data: dict[str, Any], key: str, place: int) -> str:
    """The text of a cell, as the script of the page writes it."""
    if key == "place":
        return str(place + 1)
    if key == "feature":
        return data["names"][place]
    value = data[key][place] if key in data else None
    if value is None or (key in ("nearest", "represented") and value < 0):
        return ""
    if key == "direction":
        return data["words"][key][value]
    if key in ("nearest", "represented"):
        near = f" ({data['nearest_correlation'][place]:.3g})" if key == "nearest" else ""
        return data["names"][value] + near
    if key in _P_VALUES:
        return p_text(value)
    if key == "hazard_ratio":
        ends = [data[f"hazard_ratio_{end}"][place] for end in ("low", "high")]
        low, high = ("" if end is None else f"{end:.3g}" for end in ends)
        return f"{value:.3g} ({low} to {high})"
    return f"{value:.3f}" if key in ("auc", "concordance") else f"{value:.4g}"


def safe_json(value: Any) -> Markup:
    """JSON that cannot leave its script element, whatever the names are."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def pack(value: Any) -> tuple[Markup, str]:
    """Plain JSON, or compressed and in letters of base64; and the type of the script element."""
    text = safe_json(value)
    if len(text) <= _PLAIN_BYTES:
        return text, "application/json"
    letters = base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()
    return Markup(letters), "application/gzip"


def choice_data(
    selector: Any,
    names: list[str],
    shown: list[str],
    check: Check | None,
    run: dict[str, Any],
    repeat: Callable[[Any], str],
) -> dict[str, Any]:
    """Facts that are not a value per feature. Features are named by their place, from 0."""
    constraints, method = _constraints(selector), unconstrained(selector)
    pinned, struck = (
        sorted((selector.ranking_[list(constraints.get(name, ()))] - 1).tolist())
        for name in ("include", "exclude")
    )
    # another size could rank or skip others, so that all must be named to repeat
    depends = getattr(method, "_size_matters", False)
    return {
        "pinned": pinned,
        "struck": struck,
        "explicit": bool(depends or constraints.keys() & {"max_correlation", "feature_groups"}),
        "exact": _exact_names(selector, names, shown),
        "check": check and _check_curve(selector, check),
        "folds": check and _fold_orders(selector, check),
        "chart": score_geometry(selector.n_features_in_),
        "methods": list(method.names_) if hasattr(method, "agreement_") else None,
        "command": _base_command(run.get("command")),
        **_python(method, repeat),
    }


def _within(choice: dict[str, Any], rows: int) -> dict[str, Any]:
    """The same for a page that shows the best ``rows`` features only."""
    inside = {key: [one for one in choice[key] if one < rows] for key in ("pinned", "struck")}
    exact = {place: name for place, name in choice["exact"].items() if place < rows}
    return choice | inside | {"exact": exact, "explicit": True}


def _places_by_choice(selector: Any, order: np.ndarray) -> dict[str, list]:
    """What the choice on the page needs: the group of every feature, its place by every method."""
    groups = _constraints(selector).get("feature_groups")
    columns = {} if groups is None else {"group": groups[order].tolist()}
    for number, ranks in enumerate(getattr(unconstrained(selector), "ranks_", np.empty((0, 0))).T):
        places = np.argsort(np.argsort(ranks, kind="stable")) + 1
        columns[f"m{number}"] = places[order].tolist()
    return columns


def _constraints(selector: Any) -> dict[str, Any]:
    """The constraints of a fitted selector, columns by position."""
    names = getattr(selector, "feature_names_in_", None)
    return by_position(constraints_of(selector), selector.n_features_in_, names)


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


def python_lines(
    selector: Any,
    reading: dict[str, Any] | None = None,
    steps: Sequence[Any] = (),
    missing: Sequence[str] = (),
) -> str:
    """The run in Python; parameters at their defaults are left out.

    ``reading`` holds "path" and what else :func:`read_table` was told; without it X and y are to be
    there already. ``steps`` are scikit-learn's transformers before the selector,
    ``missing`` flags that only the command has.
    """
    imports = [import_line(part) for part in estimators_in(selector)]
    made = constructor_call(selector)
    before: list[str] = []
    X, y, groups = "X", "y", ""
    if reading is not None:
        more, before = _read_lines(dict(reading))
        imports += more
        X, y = "table.X", "y" if reading.keys() & {"time", "labels_of"} else "table.y"
        groups = ", groups=groups" * ("group" in reading)
    fit = f"fit({X}, {y}{groups})" if getattr(selector, "_supervised", False) else f"fit({X})"
    run = [f"selector = {made}.{fit}"]
    if steps:
        imports += ["from sklearn.pipeline import make_pipeline", *map(import_line, steps)]
        stages = ", ".join([*map(constructor_call, steps), made])
        fit = fit.replace("groups=", f"{type(selector).__name__.lower()}__groups=")
        run = [f"pipeline = make_pipeline({stages}).{fit}", "selector = pipeline[-1]"]
    after = ["kept = [table.names[place] for place in selector.get_support(indices=True)]"]
    lines = [*sorted(set(imports)), "", *before, *run]
    notes = [f"# without {flag}, which only the command has" for flag in missing]
    return "\n".join(notes + lines + after * (reading is not None))


def _read_lines(reading: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Imports, and the lines that read the table, and columns of the target and of groups."""
    path, parts = reading.pop("path"), ("time", "event", "labels_of", "group")
    beside = {part: reading.pop(part) for part in parts if part in reading}
    given = "".join(f", {name}={value!r}" for name, value in reading.items())
    imports, lines = ["from inffs.io import read_table"], [f"table = read_table({path!r}{given})"]
    given = "".join(
        f", {name}={value!r}" for name, value in reading.items() if name not in ("label", "drop")
    )

    def column(name: str) -> str:
        return f"read_table({path!r}, label={name}{given}).y"

    if "time" in beside:
        imports.append("from inffs.target import survival_of")
        lines += [f"{part} = {column(repr(beside[part]))}" for part in ("time", "event")]
        lines.append(f"y = survival_of(event, time, {beside['event']!r}, {beside['time']!r})")
    if "labels_of" in beside:
        imports.append("import numpy as np")
        labels = f"[{column('name')} for name in {beside['labels_of']!r}]"
        lines.append(f"y = np.column_stack({labels})")
    if "group" in beside:
        lines.append(f"groups = {column(repr(beside['group']))}")
    return imports, lines


def estimators_in(estimator: Any) -> list[Any]:
    """An estimator and all estimators among its parameters."""
    inside = [value for value in estimator.get_params(deep=False).values() if _is_estimator(value)]
    return [estimator, *(part for value in inside for part in estimators_in(value))]


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def import_line(estimator: Any) -> str:
    """The import of the class of an estimator from the shortest public module."""
    made = type(estimator)
    parts = made.__module__.split(".")
    for end in range(1, len(parts)):
        place = ".".join(parts[:end])
        if made.__name__ in getattr(sys.modules.get(place), "__all__", ()):
            return f"from {place} import {made.__name__}"
    return f"from {made.__module__} import {made.__name__}"


def constructor_call(estimator: Any) -> str:
    """The call that constructs an estimator, without parameters at their defaults."""
    defaults = inspect.signature(type(estimator)).parameters
    params = ", ".join(
        f"{name}={_literal(value)}"
        for name, value in estimator.get_params(deep=False).items()
        if name == "n_features_to_select" or not _same(value, defaults[name].default)
    )
    return f"{type(estimator).__name__}({params})"


def _literal(value: Any) -> str:
    if _is_estimator(value):
        return constructor_call(value)
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return repr(value)


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and repr(value) == repr(default)
