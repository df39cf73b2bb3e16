"""The page: facts, pictures and sentences put into the template, one self-contained file."""

from __future__ import annotations

import base64
import datetime
import hashlib
import re
from collections.abc import Iterable
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup, escape
from scipy.sparse import issparse

from inffs._utils.words import counted
from inffs._version import __version__
from inffs.meta.constrained import unconstrained
from inffs.report import _charts, _words
from inffs.report._data import choice_data, fit_rows, ranking_data, table_parts
from inffs.report._feature_charts import (
    MOST_CLASSES,
    association_charts,
    associations,
    chart_of_features,
)
from inffs.report._reasons import REDUNDANT, Groups, Settling, alternative_cuts, settle

if TYPE_CHECKING:
    from inffs.report._report import Study

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
    """The report of a study as HTML text; ``run`` is what :class:`inffs.Report` was given."""
    selector, names, check = study.selector, study.shown_names, study.check
    method, classes = unconstrained(selector), study.classes
    target_type = "" if study.target is None else study.target.type
    settling = settle(selector)
    repeat = partial(
        _words.python_lines,
        reading=run.get("reading"),
        steps=study.preparation.steps(issparse(study.X)),
        missing=study.preparation.only_in_the_command(),
    )
    cuts = alternative_cuts(selector, study.complete)
    choice = choice_data(selector, study.names, names, check, run, repeat)
    data, packed = fit_rows(ranking_data(selector, names, study.reasons, choice))
    facts = {"Table": "table", "SHA-256 of the table": "sha256", "Label": "label"}
    page: dict[str, Any] = {
        "title": title,
        "study": study,
        "check": check,
        "cut": study.cut,
        "kept": study.kept,
        "cuts": cuts,
        "best": [names[feature] for feature in selector.order_[: min(12, study.kept)]],
        "key": _words.find_key(selector),
        "method": type(method).__name__,
        "meaning": _words.scores_explained(selector),
        "date": datetime.date.today().isoformat(),
        "target_type": target_type,
        "pairs": any(partner is not None for _, partner in associations(selector)),
        "label": run.get("label") or "y",
        "classes": classes and classes[0],
        "data": packed,
        "shown": len(data["names"]),
        "command": run.get("command"),
        "choice_command": choice["command"],
        "python": repeat(selector),
        "paragraph": _words.methods_paragraph(selector, study.X.shape, check, study.done),
        "facts": {name: run[key] for name, key in facts.items() if run.get(key) is not None}
        | _words.versions(),
        "redundant": REDUNDANT,
        "consensus": method if hasattr(method, "agreement_") else None,
        "most_classes": MOST_CLASSES,
        "data_has_effects": "auc" in data,
        "data_has_tests": "effect_p" in data,
        "marks": any(cut.size != study.kept for cut in cuts),
        "beside": check.beside if check and study.unequal else None,
        "grouped": study.groups.features.size,
        "groups": [_group(study.groups, group, selector, names) for group in study.groups.groups],
        "settling": settling,
        "settle_words": settling and _settle_words(settling),
        "score_chart": _charts.score_chart(selector, cuts),
        "check_chart": check and _charts.check_chart(check),
        "agreement_chart": hasattr(method, "agreement_") and _charts.agreement_chart(selector),
        **_feature_drawings(study, settling, run.get("label")),
        **table_parts(data),
    }
    needs = {
        "redundancy": "heat_map", "classes": "class_charts", "check": "target_type",
        "paths": "settling" if settling else "branches",
    }  # fmt: skip
    named = {
        "classes": {"regression": "Target", "survival": "Survival"}.get(target_type, "Classes")
    }
    page["sections"] = {
        key: name
        for key, name in (_SECTIONS | named).items()
        if key not in needs or page[needs[key]]
    }
    return fill("inffs.report", "report.html.j2", _SCRIPTS, **page)


def _feature_drawings(study: Study, settling: Settling | None, label: str | None) -> dict[str, Any]:
    """The charts of single features, of their groups and of their paths."""
    selector, names, classes = study.selector, study.shown_names, study.classes
    grouped = study.groups.features
    columns = [] if study.target is None else study.best_columns
    best = [names[feature] for feature in selector.order_[: len(columns)]]
    ranked = [] if settling is None else [names[feature] for feature in settling.features]
    draw = chart_of_features(study.target, label)
    return {
        "heat_map": grouped.size > 1
        and _charts.heat_map(study.groups, [names[feature] for feature in grouped]),
        "settle_chart": settling and settling.moves and _charts.settle_chart(settling, ranked),
        "branches": _charts.branches(selector, names, len(classes[0]) if classes else 0),
        "association_charts": association_charts(selector, names, columns, study.target, label),
        "class_charts": [
            (name, draw(values, title=name)) for name, values in zip(best, columns, strict=True)
        ]
        if draw
        else [],
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


def fill(package: str, template: str, scripts: Iterable[str], **page: Any) -> str:
    """The page as text, with its style and scripts; names are data and never markup."""
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["thousands"] = lambda value: f"{value:,}"
    environment.filters["typed"] = typed
    script = _joined(scripts)
    return environment.from_string(_read(package, template)).render(
        **page,
        version=__version__,
        style=Markup(_read("inffs.report", "report.css")),
        script=Markup(script),
        script_hash=_hash_of(script),
    )


def typed(sentence: str) -> Markup:
    """A sentence with flags as code, and without line breaks between a number and its sign."""
    flag = r"--[a-z]+( \d+| discover)?"
    text = re.sub(flag, r"<code>\g<0></code>", str(escape(sentence)))
    return Markup(re.sub(r"(?<=\d) (?=%)|(?<=±) ", "\N{NO-BREAK SPACE}", text))


def _read(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _joined(scripts: Iterable[str]) -> str:
    """These parts of ``script/`` as one that leaves no names behind."""
    parts = "".join(_read("inffs.report", f"script/{name}.js") for name in scripts)
    return f'(async () => {{\n"use strict";\n{parts}}})();'


def _hash_of(script: str) -> str:
    """The hash by which a content security policy recognises the script."""
    digest = hashlib.sha256(script.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()
