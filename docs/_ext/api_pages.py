"""Write a page per public object with its docstring and the examples that use it."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from catalogue_pages import public_name, write_changed
from numpydoc.docscrape import NumpyDocString

import inffs
from inffs.base import FeatureSelector

INHERITED = (
    "fit", "transform", "fit_transform", "inverse_transform", "get_support",
    "get_feature_names_out", "ranking", "set_output",
)  # fmt: skip
_KINDS = (property, classmethod, staticmethod)
HEAD = """\
API
===

This page lists every public class and function by task. :doc:`Start </start>` and the
:doc:`guide </guide/index>` show how to use them. The :doc:`catalogue </catalogue/index>`
compares the methods and their cost, and :doc:`Command </command>` describes the sub-commands of
``inffs``.

"""
VERSION = """\
.. py:data:: inffs.__version__
   :type: str

   The version of the package.
"""
# a name, or a module with .* for everything public in it
SECTIONS: dict[str, tuple[str, ...]] = {
    "Select features": (
        "inffs.InfFSC", "inffs.InfFSS", "inffs.InfFSU", "inffs.InfFS", "inffs.rank",
        "inffs.select_genes",
    ),
    "Select features with another method": (
        "inffs.catalogue", "inffs.methods.find_entry", "inffs.methods.Entry", "catalogue",
    ),
    "Constrain, stabilize and combine selectors": (
        "inffs.Constrained", "inffs.StabilitySelection", "inffs.Consensus", "inffs.BestOf",
    ),
    "Choose the number of features": (
        "inffs.cuts.predict.Predict", "inffs.cuts.false_discovery_rate.FalseDiscoveryRate",
        "inffs.cuts.stability.Stability", "inffs.cuts.by_scores.Knee",
        "inffs.cuts.by_scores.Histogram", "inffs.cuts.by_scores.MeanShift",
        "inffs.cuts.by_scores.Middle",
        "inffs.cuts.cut.Cut", "inffs.scores.Ranking", "inffs.cuts.cut.SizeRule",
        "inffs.cuts.cut.ScoreCut",
        "inffs.cuts.apply_cut",
    ),
    "Explain and draw a selection": (
        "inffs.Report", "inffs.report.explain", "inffs.report.Reasons",
        "inffs.inf_fs_c.Explanation", "inffs.conditional.ConditionalPath",
        "inffs.conditional.SelectedFeature", "inffs.plot.*",
    ),
    "Read and prepare tables, export selectors": (
        "inffs.open_table", "inffs.LogCPM", "inffs.io.*", "inffs.validation.lazy.LazyTable",
        "inffs.streaming.StreamingSelector", "inffs.onnx.register",
    ),
    "Compare methods": ("inffs.comparison.*",),
    "Evaluate a selection": ("inffs.evaluation.*",),
    "Measure features, relations and paths": (
        "inffs.measures.*", "inffs.relations.*", "inffs.paths.Paths",
        "inffs.paths.Regularization", "inffs.paths.walk",
    ),
    "Write a method, show progress, filter warnings": (
        "inffs.base.FeatureSelector", "inffs.show_progress",
        "inffs.RoundingWarning", "inffs.TableWarning",
    ),
}  # fmt: skip


def find(name: str) -> Any:
    """The object of a full name."""
    module, _, thing = name.rpartition(".")
    return getattr(import_module(module), thing)


def public_things(module: str) -> list[str]:
    """Return the names in ``__all__`` of a module, or those that the module defines."""
    home = import_module(module)
    named = getattr(home, "__all__", None)
    return [
        f"{module}.{name}"
        for name in (named or [name for name in vars(home) if not name.startswith("_")])
        if isinstance(thing := getattr(home, name), type) or inspect.isroutine(thing)
        if named or thing.__module__ == module
    ]


def names_of(section: str) -> list[str]:
    """The full names of a section, each in one section only."""
    found: list[str] = []
    for name in SECTIONS[section]:
        if name == "catalogue":
            listed = {one for key in SECTIONS if key != section for one in SECTIONS[key]}
            ours = (public_name(entry) for entry in inffs.catalogue())
            found += [one for one in ours if one not in listed]
        else:
            found += public_things(name[:-2]) if name.endswith(".*") else [name]
    return found


def write_pages(folder: Path) -> None:
    """Write the index and a page for every object, and remove the pages of deleted objects."""
    folder.mkdir(parents=True, exist_ok=True)
    sections = {title: names_of(title) for title in SECTIONS}
    for name in (name for names in sections.values() for name in names):
        write_changed(folder / f"{name}.rst", page(name))
    write_changed(folder / "index.rst", index(sections))
    kept = {"index", *(name for names in sections.values() for name in names)}
    for old in folder.glob("*.rst"):
        if old.stem not in kept:
            old.unlink()


def page(name: str) -> str:
    """Return the page of an object: its docstring, its members and the examples that use it."""
    thing, short = find(name), name.rpartition(".")[2]
    kind = "autoclass" if isinstance(thing, type) else "autofunction"
    members = own_members(thing) if isinstance(thing, type) else []
    lines = [
        short, "=" * len(short), "", f".. {kind}:: {name}",
        *([f"   :members: {', '.join(members)}"] if members else []), "",
        *(inherited(thing, members) if isinstance(thing, type) else []),
        *catalogue_link(name),
        f".. minigallery:: {name}", "   :add-heading: Examples that use it",
        "   :heading-level: -", "",
    ]  # fmt: skip
    return "\n".join(lines)


def own_members(thing: type) -> list[str]:
    """Return the documented members of a class, for selectors without those of the base class."""
    selector = issubclass(thing, FeatureSelector)
    homes = [cls for cls in thing.__mro__ if cls.__module__.startswith("inffs")]
    shared = [thing, *(cls for cls in homes[1:] if selector and cls is not FeatureSelector)]
    members = {name: member for cls in reversed(shared) for name, member in vars(cls).items()}
    return [
        name
        for name, member in members.items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, _KINDS))
        if _described(member, in_full=selector)
    ]


def _described(member: Any, in_full: bool) -> bool:
    text = inspect.getdoc(member) or ""
    return "\n-----" in text if in_full else bool(text)


def inherited(thing: type, own: list[str]) -> list[str]:
    """Return a table of the members that a selector inherits, with a link to the base class."""
    if not issubclass(thing, FeatureSelector) or thing is FeatureSelector:
        return []
    described = {entry.name for entry in NumpyDocString(inspect.getdoc(thing) or "")["Attributes"]}
    rows = [
        (entry.name, re.split(r"\.\s+(?=[A-Z0-9])", " ".join(entry.desc))[0].rstrip("."))
        for entry in NumpyDocString(inspect.getdoc(FeatureSelector) or "")["Attributes"]
        if entry.name not in described
    ]
    rows += [
        (f"{name}()", (inspect.getdoc(getattr(thing, name)) or "").split("\n\n")[0].rstrip("."))
        for name in INHERITED
        if name not in own and hasattr(thing, name)
    ]
    lines = [f"   * - ``{name}``\n     - {' '.join(what.split())}" for name, what in rows]
    base = ":doc:`FeatureSelector </api/inffs.base.FeatureSelector>`"
    return [".. rubric:: Inherited attributes and methods", "",
            f"{base} describes them in full.", "",
            ".. list-table::", "   :widths: 30 70", "", *lines, ""]  # fmt: skip


def catalogue_link(name: str) -> list[str]:
    for entry in inffs.catalogue():
        if public_name(entry) == name:
            what = "cost, ranking of a table with known truth, citation"
            return [f"In the catalogue: :doc:`{entry.key} </catalogue/{entry.key}>` ({what}).", ""]
    return []


def index(sections: dict[str, list[str]]) -> str:
    parts = [HEAD]
    for title, names in sections.items():
        rows = "".join(_row(name) for name in names)
        table = f".. list-table::\n   :widths: 36 64\n\n{rows}\n"
        pages = "".join(f"   {name}\n" for name in names)
        toctree = f".. toctree::\n   :hidden:\n   :caption: {title}\n\n{pages}\n"
        parts.append(f"{title}\n{'-' * len(title)}\n\n{table}\n{toctree}\n")
    return "".join([*parts, VERSION])


def _row(name: str) -> str:
    shown = name.removeprefix("inffs.")
    first = (inspect.getdoc(find(name)) or "").split("\n\n")[0].replace("\n", " ")
    summary = first.replace("|", r"\|")
    return f"   * - :doc:`{shown} <{name}>`\n     - {summary}\n"


def _before_reading(app: Any) -> None:
    write_pages(Path(app.srcdir) / "api")


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", _before_reading)
    return {"parallel_read_safe": True}
