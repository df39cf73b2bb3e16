"""What a run leaves behind: ranking.csv, the selected columns, report.html and run.json.

The page is one self-contained file: facts, pictures and sentences put into the template.
"""

from __future__ import annotations

import base64
import contextlib
import datetime
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup, escape
from scipy.sparse import issparse

from inffs._utils.files import new_file, refuse_existing
from inffs._version import __version__
from inffs.io import Table, write_table
from inffs.io._formats import FORMATS
from inffs.meta.constrained import constraints_of, unconstrained
from inffs.report import _charts
from inffs.report._check import Check
from inffs.report._data import choice_data, page_data, python_lines, table_parts
from inffs.report._feature_charts import (
    MOST_CLASSES,
    association_charts,
    associations,
    chart_of_features,
)
from inffs.report._findings import (
    find_key,
    given_parameters,
    methods_paragraph,
    plain_values,
    scores_explained,
    versions,
)
from inffs.report._reasons import REDUNDANT, Groups, alternative_cuts, settle

if TYPE_CHECKING:
    from inffs.report._report import Study

_FORMULA = tuple("=+-@＝＋－＠\t\r\n")
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


def write_outputs(
    study: Study,
    table: Table,
    folder: str | Path,
    *,
    ending: str = ".csv",
    title: str = "Feature selection",
    force: bool = False,
    spreadsheet_safe: bool = False,
    run: dict[str, Any] | None = None,
) -> list[Path]:
    """Write what a run leaves behind; the folder gets all files at once or none.

    ``force`` replaces the folder of an earlier run as a whole; a folder that holds other things
    too gets the files one by one, run.json last.

    Without a report (``study.thorough``) features are not compared with one another, which is
    the costly part.

    ``ending`` is the format of the selected columns, ``run`` what else run.json should hold;
    ``spreadsheet_safe`` puts an apostrophe before names that a spreadsheet would compute.
    """
    folder, report, selector = Path(folder), study.thorough, study.selector
    names = output_names(ending, report)
    refuse_existing([folder / name for name in names], force)
    selection = _selected(selector, table, ending, spreadsheet_safe)
    run = {**(run or {}), "label": table.label, "selection": selection}
    table = replace(table, X=study.own)
    with _all_at_once(folder) as beside:
        shown = _safe(table) if spreadsheet_safe else table
        write_table(ranking_table(study, shown.names, spreadsheet_safe), beside / "ranking.csv")
        marks = {  # for a format that has a place for them, as AnnData's var
            "inffs_score": selector.scores_,
            "inffs_rank": selector.ranking_,
            "inffs_selected": selector.support_,
        }
        marked = replace(shown, marks=marks).take(selector.support_)
        write_table(marked, beside / f"selected{ending}")
        if report:
            page = render(study, title, run)
            (beside / "report.html").write_text(page, encoding="utf-8", errors="replace")
        text = json.dumps(describe_run(study, table, run), indent=2, ensure_ascii=False)
        (beside / "run.json").write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    return [folder / name for name in names]


def output_names(ending: str, report: bool) -> list[str]:
    """The files of a run."""
    return ["ranking.csv", f"selected{ending}", "run.json", *(["report.html"] if report else [])]


def _selected(selector: Any, table: Table, ending: str, safe: bool) -> dict[str, Any]:
    """The selected features by name and how their file is read: for another table of them."""
    names = [table.names[place] for place in np.flatnonzero(selector.support_)]
    ordinal = {table.names[place] for place in table.ordinal}
    return {
        "file": f"selected{ending}",
        "features": names,
        "ordinal": [name for name in names if name in ordinal],
        "transpose": table.turned is not None,
        "spreadsheet_safe": safe,
    }


@contextmanager
def _all_at_once(folder: Path) -> Iterator[Path]:
    """A folder beside ``folder`` that takes its name, and its place, when the block ends well.

    Where only ``folder`` itself can be written, it is in there, and its files are copied.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    name = folder.name[:80].encode(errors="replace").decode()  # compiled writers want Unicode
    try:
        beside = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder.parent))
    except OSError:  # a folder of the user in one that is not, such as a mounted volume
        if not folder.is_dir():
            raise
        beside = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder))
    inside = beside / "run"
    try:
        inside.mkdir()
        yield inside
        if not folder.exists():
            os.rename(inside, folder)
        elif not _swapped(inside, folder, beside / "old"):
            _move_into(inside, folder)
    finally:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(beside)


def _swapped(new: Path, folder: Path, old: Path) -> bool:
    """Whether the folder could be replaced as a whole: it held an earlier run and nothing else."""
    in_use = folder.is_symlink() or Path.cwd().is_relative_to(folder.resolve())
    if in_use or not all(_is_of_a_run(name) for name in os.listdir(folder)):
        return False
    shutil.copymode(folder, new)
    try:
        os.rename(folder, old)
        os.rename(new, folder)
    except OSError:  # a mount point, say
        return False
    finally:
        if not folder.exists():
            os.rename(old, folder)
    return True


def _is_of_a_run(name: str) -> bool:
    if name.startswith("selected."):
        return any(name == f"selected{ending}" for form in FORMATS for ending in form.endings)
    return name in ("ranking.csv", "run.json", "report.html")


def _move_into(new: Path, folder: Path) -> None:
    """Copy the files one by one; run.json goes first and comes last, so it means a whole run.

    The folder may be on another file system, where nothing can be renamed into it.
    """
    (folder / "run.json").unlink(missing_ok=True)
    for file in sorted(new.iterdir(), key=lambda file: file.name == "run.json"):
        with new_file(folder / file.name, force=True) as beside:
            shutil.copyfile(file, beside)


def ranking_table(study: Study, names: list[str] | None = None, safe: bool = False) -> Any:
    """The ranking with its reasons, best first, as an Arrow table."""
    import pyarrow as pa

    columns = study.columns(names)
    if safe and "name" in columns:
        columns["name"] = [name and _harmless(name) for name in columns["name"]]
    filled = {name: pa.array(values, from_pandas=True) for name, values in columns.items()}
    return pa.table(filled)  # what is not known, a fold change of negative values say, is empty


def _safe(table: Table) -> Table:
    """Names and text that a spreadsheet would take for a formula, behind an apostrophe."""
    y, index = _harmless_values(table.y), _harmless_values(table.index)
    label, index_name = (name and _harmless(name) for name in (table.label, table.index_name))
    names = [_harmless(name) for name in table.names]
    return replace(table, names=names, y=y, label=label, index=index, index_name=index_name)


def _harmless_values(values: np.ndarray | None) -> np.ndarray | None:
    if values is None or values.dtype.kind not in "OU":
        return values
    return np.array([_harmless(str(value)) for value in values], dtype=object)


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def describe_run(study: Study, table: Table, run: dict[str, Any]) -> dict[str, Any]:
    """Everything needed to repeat the run, and what it found, as JSON takes it."""
    T, n = table.shape
    selector = study.selector
    method, constraints = unconstrained(selector), constraints_of(selector)
    found: dict[str, Any] = {}
    if study.thorough:
        found["findings"] = [finding.sentence for finding in study.findings]
    if study.check is not None:
        found["evaluation"] = describe_check(study.check)
    return {
        **run,
        "samples": T,
        "features": n,
        "index": table.index_name,
        "notes": study.done,
        "method": find_key(selector),
        "class": f"{type(method).__module__}.{type(method).__name__}",
        "parameters": given_parameters(selector),
        **({"constraints": plain_values(constraints)} if constraints else {}),
        "selected": selector.n_features_,
        "cut": describe_cut(selector),
        **found,
        "versions": versions(),
    }


def describe_cut(selector: Any) -> dict[str, Any]:
    """The rule, whether its answer is claimed, and what a cross-validation of the size measured."""
    cut = selector.cut_
    said = {"name": cut.name, "claimed": not cut.forced, "why": cut.why}
    found = cut.evidence
    if found is None:
        return said
    return said | {
        "size_selection": {
            "measure": found.measure,
            "sizes": found.sizes.tolist(),
            "means": found.means.round(6).tolist(),
            "standard_errors": found.errors.round(6).tolist(),
            "baseline": found.baseline,
            "baseline_standard_error": found.baseline_error,
            "folds": len(found.folds),
            "independent_samples": found.n_units,
        }
    }


def describe_check(check: Check) -> dict[str, Any]:
    """The numbers of the cross-validation: means over the folds by size."""
    folds = {check.measure: check.selected, "random_features": check.random}
    folds |= {name: check.of_best(name) for name in check.others}
    return {
        "folds": check.folds,
        "measure": check.measure,
        "sizes": check.sizes,
        **{
            name: [round(value, 6) for value in each.mean(axis=0).tolist()]
            for name, each in folds.items()
        },
        "score": round(check.score, 6),
        "standard_error": round(check.error(check.kept), 6),
        "all_features": round(float(check.whole.mean()), 6),
        "baseline": round(check.baseline, 6),
    }


def render(study: Study, title: str, run: dict[str, Any]) -> str:
    """The report of a study as HTML text; ``run`` is what :class:`inffs.Report` was given."""
    selector, names, check = study.selector, study.shown_names, study.check
    method = unconstrained(selector)
    repeat = partial(
        python_lines,
        reading=run.get("reading"),
        steps=study.preparation.steps(issparse(study.X)),
        missing=study.preparation.only_in_the_command(),
    )
    cuts = alternative_cuts(selector, study.complete)
    choice = choice_data(selector, study.names, names, check, run, repeat)
    data, text, text_type = page_data(selector, names, study.reasons, choice)
    facts = {"Table": "table", "SHA-256 of the table": "sha256", "Label": "label"}
    page: dict[str, Any] = {
        "title": title,
        "study": study,
        "cuts": cuts,
        "best": [names[feature] for feature in selector.order_[: min(12, study.kept)]],
        "key": find_key(selector),
        "method": type(method).__name__,
        "meaning": scores_explained(selector),
        "date": datetime.date.today().isoformat(),
        "target_type": "" if study.target is None else study.target.type,
        "pairs": any(partner is not None for _, partner in associations(selector)),
        "label": run.get("label") or "y",
        "data": text,
        "data_type": text_type,
        "shown": len(data["names"]),
        "command": run.get("command"),
        "choice_command": choice["command"],
        "python": repeat(selector),
        "paragraph": methods_paragraph(selector, study.X.shape, check, study.done),
        "facts": {name: run[key] for name, key in facts.items() if run.get(key) is not None}
        | versions(),
        "redundant": REDUNDANT,
        "consensus": method if hasattr(method, "agreement_") else None,
        "most_classes": MOST_CLASSES,
        "data_has_effects": "auc" in data,
        "data_has_tests": "effect_p" in data,
        "score_chart": _charts.score_chart(selector, cuts),
        "check_chart": check and _charts.check_chart(check),
        "agreement_chart": hasattr(method, "agreement_") and _charts.agreement_chart(selector),
        **_feature_drawings(study, run.get("label")),
        **table_parts(data),
    }
    page["sections"] = _sections(page)
    return fill("inffs.report", "report.html.j2", _SCRIPTS, **page)


def _sections(page: dict[str, Any]) -> dict[str, str]:
    """The sections of a page by their anchors, those without content left out."""
    needs = {
        "redundancy": "heat_map", "classes": "class_charts", "check": "target_type",
        "paths": "settling" if page["settling"] else "branches",
    }  # fmt: skip
    target = {"regression": "Target", "survival": "Survival"}.get(page["target_type"], "Classes")
    named = _SECTIONS | {"classes": target}
    return {key: name for key, name in named.items() if key not in needs or page[needs[key]]}


def _feature_drawings(study: Study, label: str | None) -> dict[str, Any]:
    """The charts of single features, of their groups and of their paths."""
    selector, names, groups = study.selector, study.shown_names, study.groups
    settling, n_classes = settle(selector), len(study.class_names)
    columns = [] if study.target is None else study.best_columns
    draw = chart_of_features(study.target, label)
    best = zip(selector.order_.tolist(), columns, strict=False)
    return {
        "heat_map": groups.features.size > 1
        and _charts.heat_map(groups, [names[feature] for feature in groups.features]),
        "groups": [_group(groups, group, selector, names) for group in groups.groups],
        "settling": settling,
        "settle_chart": settling and settling.moves and _charts.settle_chart(settling, names),
        "branches": _charts.branches(selector, names, n_classes),
        "association_charts": association_charts(selector, names, columns, study.target, label),
        "class_charts": draw
        and [(names[feature], draw(values, title=names[feature])) for feature, values in best],
    }


def _group(groups: Groups, group: tuple[int, int], selector: Any, names: list[str]) -> dict:
    members = groups.members(group, selector.ranking_)
    inside, size = groups.correlation[slice(*group), slice(*group)], members.size
    mean = (inside.sum() - size) / (size * (size - 1))
    first, *others = (names[feature] for feature in members)
    return {"name": first, "others": others, "mean": mean}


def fill(package: str, template: str, scripts: Iterable[str], **page: Any) -> str:
    """The page as text, with its style and scripts; names are data and never markup."""
    import jinja2

    own = files("inffs.report")
    parts = "".join(own.joinpath(f"script/{name}.js").read_text("utf-8") for name in scripts)
    script = f'(async () => {{\n"use strict";\n{parts}}})();'  # leaves no names behind
    digest = hashlib.sha256(script.encode()).digest()  # a content security policy knows it by this
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"thousands": "{:,}".format, "typed": typed}
    return environment.from_string(files(package).joinpath(template).read_text("utf-8")).render(
        **page,
        version=__version__,
        style=Markup(own.joinpath("report.css").read_text("utf-8")),
        script=Markup(script),
        script_hash=f"sha256-{base64.b64encode(digest).decode()}",
    )


def typed(sentence: str) -> Markup:
    """A sentence with flags as code, and without line breaks between a number and its sign."""
    flag = r"--[a-z]+( \d+| discover)?"
    text = re.sub(flag, r"<code>\g<0></code>", str(escape(sentence)))
    return Markup(re.sub(r"(?<=\d) (?=%)|(?<=±) ", "\N{NO-BREAK SPACE}", text))
