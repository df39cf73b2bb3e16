"""The page: facts, pictures and sentences put into the template, one self-contained file."""

from __future__ import annotations

import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup
from scipy.sparse import issparse

from inffs._utils.words import counted
from inffs.meta.constrained import unconstrained
from inffs.report import _charts, _words
from inffs.report._data import choice_data, fit_rows, ranking_data, table_parts
from inffs.report._facts import (
    REDUNDANT,
    SHOWN,
    Groups,
    Settling,
    alternative_cuts,
    second_opinion,
    settle,
)
from inffs.report._feature_charts import (
    MOST_CLASSES,
    Along,
    along_target,
    association_charts,
    class_chart,
)
from inffs.report._findings import are_unequal
from inffs.report._template import fill

if TYPE_CHECKING:
    from inffs.report._study import Study

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


def render(study: Study, title: str, run: dict[str, Any]) -> str:
    """The report of a study as HTML text; ``run`` is what :func:`inffs.write_report` was given."""
    selector, names = study.selector, study.shown_names
    check, along = study.check, along_target(study.target, run.get("label"))
    classes = None
    if study.classes is not None:
        classes = [str(name) for name in study.classes[0]], study.classes[1]
    columns = [] if study.target is None else study.best_columns
    repeat = partial(
        _words.python_lines,
        reading=run.get("reading"),
        steps=study.preparation.steps(issparse(study.X)),
        missing=study.preparation.only_in_the_command(),
    )
    cuts = alternative_cuts(selector, study.complete)
    second = second_opinion(selector, cuts)
    choice = choice_data(selector, study.names, names, check, run, repeat)
    data, packed = fit_rows(ranking_data(selector, names, study.reasons, choice))
    page: dict[str, Any] = {
        "title": title,
        "shape": study.X.shape,
        "kept": selector.n_features_,
        "cut": selector.cut_,
        "cuts": cuts,
        "second": second,
        "best": [names[feature] for feature in selector.order_[: min(12, selector.n_features_)]],
        **_named(selector),
        "labelled": bool(classes or along or check),
        "along": along,
        "classes": classes and classes[0],
        "check": check,
        "no_check": study.no_check,
        "findings": study.findings,
        "done": study.done,
        "data": packed,
        "shown": len(data["names"]),
        "paragraph": _words.methods_paragraph(selector, study.X.shape, check, study.done),
        "python": repeat(selector),
        "command": run.get("command"),
        "facts": _run_facts(run),
        "redundant": REDUNDANT,
        "methods": data["choice"]["methods"],
        "most_classes": MOST_CLASSES,
        "data_has_effects": "auc" in data,
        "data_has_tests": "effect_p" in data,
        "marks": any(cut.size != selector.n_features_ for cut in cuts),
        "unequal": _unequal(check, classes),
        "score_chart": _charts.score_chart(selector, cuts, second),
        "check_chart": check and _charts.check_chart(check),
        **_redundancy(study.groups, selector, names),
        **_paths(selector, names, classes, columns, along),
        "class_charts": _feature_charts(selector, names, classes, columns, along),
        **table_parts(data),
    }
    if page["methods"]:
        page["agreement"] = selector.agreement_
        page["agreement_chart"] = _charts.agreement_chart(selector)
        page["overlap"] = selector.overlap_at(max(1, selector.n_features_))
    sections = _SECTIONS | ({} if along is None else {"classes": along.name})
    page["sections"] = [(key, name) for key, name in sections.items() if _has(page, key)]
    return fill("inffs.report", "report.html.j2", _SCRIPTS, **page)


def _named(selector: Any) -> dict[str, Any]:
    """The method and the date."""
    return {
        "key": _words.find_key(selector),
        "method": type(unconstrained(selector)).__name__,
        "meaning": _words.scores_explained(selector),
        "date": datetime.date.today().isoformat(),
    }


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


def _redundancy(groups: Groups, selector: Any, names: list[str]) -> dict[str, Any]:
    """The heat map of the selected features, and their groups."""
    ordered = [names[feature] for feature in groups.features]
    return {
        "heat_map": _charts.heat_map(groups, ordered) if groups.features.size > 1 else None,
        "groups": [_group(groups, group, selector, names) for group in groups.groups],
        "grouped": min(SHOWN, groups.features.size),
    }


def _paths(
    selector: Any, names: list[str], classes: Any, columns: list[np.ndarray], along: Along | None
) -> dict[str, Any]:
    """Paths of all lengths, or conditional paths with their curves and pairs."""
    settling, drawn = settle(selector), _charts.branches(selector, names, classes and classes[0])
    moves = settling is not None and not (settling.flat or settling.same_scores)
    ranked = [] if settling is None else [names[feature] for feature in settling.features]
    target = None if along is None else along.continuous
    return {
        "settling": settling,
        "settle_chart": _charts.settle_chart(settling, ranked) if settling and moves else None,
        "settle_words": settling and _settle_words(settling),
        "branches": drawn,
        "association_charts": association_charts(selector, names, columns, classes, target),
        "path_view": settling or drawn,
    }


def _feature_charts(
    selector: Any, names: list[str], classes: Any, columns: list[np.ndarray], along: Along | None
) -> list[tuple[str, Markup]]:
    """Names and charts of the first features against the target."""
    found = []
    for feature, values in zip(selector.order_, columns, strict=False):
        name = names[feature]
        if along is not None:
            found.append((name, along.draw(values, name)))
        elif classes:
            found.append((name, class_chart(values, classes[1], classes[0], name)))
    return found


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
            "Here paths of every length give the same scores up to a factor, because an edge is "
            "the product of one number per feature. There is nothing to draw."
        )
    if settling.flat:
        return "Here every length gives the same order, so there is nothing to draw."
    still = np.flatnonzero(settling.agreement < 0.9995)
    settled = int(still[-1]) + 2 if still.size else 1
    follow = "The lines show the ranks of the best features as longer paths are included."
    if settled > settling.lengths[-1]:
        return follow
    return (
        f"{follow} From paths of {counted(settled, 'edge')} on, the whole ranking no longer "
        "changes (agreement 0.9995 or more)."
    )


def _run_facts(run: dict[str, Any]) -> list[tuple[str, Any]]:
    known = [("Table", "table"), ("SHA-256 of the table", "sha256"), ("Label", "label")]
    facts = [(name, run[key]) for name, key in known if run.get(key) is not None]
    return facts + [(name, number) for name, number in _words.versions().items()]
