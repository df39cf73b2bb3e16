"""The page: facts, pictures and sentences put into the template, one self-contained file."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from inffs._utils.words import counted, with_symbol
from inffs.meta.constrained import unconstrained
from inffs.report import _charts, _words
from inffs.report._assets import hash_of, join_scripts, read_asset
from inffs.report._association_charts import association_charts
from inffs.report._branches import branches
from inffs.report._choice import choice_data
from inffs.report._facts import REDUNDANT, SHOWN, Groups, Settling, second_opinion
from inffs.report._findings import Finding, are_unequal
from inffs.report._kinds import Along
from inffs.report._reasons import Reasons
from inffs.report._rows import fit_rows, ranking_data, table_parts

_LONGEST_NAME = 160
_SCRIPTS = ("page", "base", "choice", "handle", "table", "repeat", "copy", "start")  # in this order
_SECTIONS = {
    "answer": "Result",
    "scores": "Scores",
    "ranking": "Ranking",
    "choice": "Your selection",
    "redundancy": "Redundancy",
    "paths": "Paths",
    "classes": "Classes",
    "check": "Evaluation",
    "methods": "Methods",
    "repeat": "Repeat",
}


def display_names(names: list[str], symbols: dict[str, str] | None = None) -> list[str]:
    """Names for people: printable, not too long, and told apart where they are equal or empty.

    A feature of ``symbols`` is shown as "symbol (feature)".
    """
    names = [with_symbol(name, (symbols or {}).get(name)) for name in names]
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


def render(
    *,
    selector: Any,
    shape: tuple[int, int],
    names: list[str],
    symbols: dict[str, str],
    reasons: Reasons,
    groups: Groups,
    settling: Settling | None,
    cuts: list[Any],
    classes: tuple[list[str], np.ndarray] | None,
    columns: list[np.ndarray],
    along: Along | None,
    check: Any,
    no_check: str,
    findings: list[Finding],
    done: list[str],
    repeat: Callable[[Any], str],
    title: str,
    run: dict[str, Any],
) -> str:
    """The report as HTML text.

    ``columns`` are the values of the best features; ``repeat`` writes the run in Python, with any
    parameters of the selector.
    """
    exact, names = names, display_names(names, symbols)
    best = [names[feature] for feature in selector.order_[: min(12, selector.n_features_)]]
    choice = choice_data(selector, exact, names, check, run, repeat)
    data, packed = fit_rows(ranking_data(selector, names, reasons, choice))
    page: dict[str, Any] = {
        "title": title,
        "shape": shape,
        "kept": selector.n_features_,
        "cut": selector.cut_,
        "cuts": cuts,
        "best": best,
        **_named(selector),
        "labelled": classes is not None or along is not None,
        "along": along,
        "classes": classes and classes[0],
        "check": check,
        "no_check": no_check,
        "findings": findings,
        "done": done,
        "data": packed,
        "shown": len(data["names"]),
        **_assets(),
        "paragraph": _words.methods_paragraph(selector, shape, check, done),
        "python": repeat(selector),
        "command": run.get("command"),
        "facts": _run_facts(run),
        "redundant": REDUNDANT,
        "methods": data["choice"]["methods"],
        "most_classes": _charts.MOST_CLASSES,
        "data_has_effects": "auc" in data,
        "marks": any(cut.size != selector.n_features_ for cut in cuts),
        "unequal": _unequal(check, classes),
    }
    if page["methods"]:
        page["agreement"] = selector.agreement_
        page["agreement_chart"] = _charts.agreement_chart(selector)
        page["overlap"] = selector.overlap_at(max(1, selector.n_features_))
    page |= table_parts(data)
    second = second_opinion(selector, cuts)
    page["second"] = second
    target = None if along is None else along.continuous
    page |= _pictures(
        selector, names, groups, settling, cuts, second, classes, columns, check, target
    )
    if along is not None:
        best_few = zip(selector.order_, columns, strict=False)
        page["class_charts"] = [(names[j], along.draw(v, names[j])) for j, v in best_few]
    sections = _SECTIONS | ({} if along is None else {"classes": along.name})
    page["sections"] = [(key, name) for key, name in sections.items() if _has(page, key)]
    return _template().render(page)


def _named(selector: Any) -> dict[str, Any]:
    """The method and the date."""
    return {
        "key": _words.find_key(selector),
        "method": type(unconstrained(selector)).__name__,
        "described": _words.title_of(selector),
        "meaning": _words.scores_explained(selector),
        "date": datetime.date.today().isoformat(),
        "versions": _words.versions(),
    }


def _assets() -> dict[str, Any]:
    """Scripts and style."""
    script = join_scripts(_SCRIPTS)
    style = Markup(read_asset("report.css"))
    return {"script": Markup(script), "script_hash": hash_of(script), "style": style}


def _unequal(check: Any, classes: Any) -> dict[str, Any] | None:
    """Measures to show beside the accuracy where the classes are unequal."""
    if check is None or classes is None or not are_unequal(np.bincount(classes[1])):
        return None
    found = {name: values[0][:, check.chosen] for name, values in check.others.items()}
    other = "balanced_accuracy" if "balanced_accuracy" in found else "accuracy"
    title = other.replace("_", " ").capitalize()
    return {"title": title, "values": found[other], "auc": float(np.nanmean(found["auc"]))}


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
    target: tuple[str, np.ndarray] | None,
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
        and not (settling.flat or settling.same_scores)
        and _charts.settle_chart(settling, [names[feature] for feature in settling.features]),
        "settle_words": settling and _settle_words(settling),
        "branches": drawn,
        "association_charts": association_charts(selector, names, columns, classes, target),
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
    if settling.same_scores:
        return (
            "Here paths of every length give the same scores up to a factor, as they do in a graph "
            "of rank one (an edge is the product of a number of each of its two features): there "
            "is nothing to draw."
        )
    if settling.flat:
        return "Here every length gives the same order: there is nothing to draw."
    still = np.flatnonzero(settling.agreement < 0.9995)
    settled = int(still[-1]) + 2 if still.size else 1
    follow = "The lines follow the best features as longer paths are counted in"
    if settled > settling.lengths[-1]:
        return f"{follow}."
    return (
        f"{follow}; the whole ranking stands still (agreement 0.9995 or more) from paths of "
        f"{counted(settled, 'edge')} on."
    )


def _run_facts(run: dict[str, Any]) -> list[tuple[str, Any]]:
    known = [("Table", "table"), ("SHA-256 of the table", "sha256"), ("Label", "label")]
    facts = [(name, run[key]) for name, key in known if run.get(key) is not None]
    return facts + [(name, number) for name, number in _words.versions().items()]


def _template() -> Any:
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["thousands"] = lambda value: f"{value:,}"
    environment.filters["typed"] = _typed
    return environment.from_string(read_asset("report.html.j2"))


def _typed(sentence: str) -> Markup:
    """A sentence whose flags stand as code, which is never broken at a hyphen."""
    flag = r"--[a-z]+( \d+| discover)?"
    return Markup(re.sub(flag, r"<code>\g<0></code>", str(escape(sentence))))
