"""A page per public object, written before each build: its docstring and where it is used."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

from catalogue_pages import public_name, write_changed

import inffs
from inffs.base import FeatureSelector

_KINDS = (property, classmethod, staticmethod)
HEAD = """\
API
===

Everything a program imports, a page for each object. The sub-commands of ``inffs`` are on
:doc:`a page of their own </command>`; which method to take, and what each costs, is in the
:doc:`catalogue </catalogue/index>`. :doc:`Constraints on the subset
</guide/constraints>` work with every selector.

.. py:data:: inffs.__version__
   :type: str

   The version of the package.

"""
# a name, or a module with .* for all that is public in it
SECTIONS: dict[str, tuple[str, ...]] = {
    "The front door": (
        "inffs.rank", "inffs.select_genes", "inffs.catalogue", "inffs.open_table", "inffs.LogCPM",
        "inffs.write_report", "inffs.Report", "inffs.show_progress",
    ),
    "The estimators of Inf-FS": (
        "inffs.InfFSU", "inffs.InfFSS", "inffs.InfFSC", "inffs.InfFS", "inffs.InfFSUCV",
        "inffs.InfFSSCV", "inffs.conditional.ConditionalPath", "inffs.conditional.Pick",
        "inffs.inf_fs_c.Explanation",
    ),
    "The other methods": ("catalogue",),
    "Selectors made of selectors": (
        "inffs.Constrained", "inffs.StabilitySelection", "inffs.Consensus", "inffs.BestOf",
    ),
    "What every selector has": (
        "inffs.base.FeatureSelector", "inffs.base.Scored", "inffs.methods.Entry",
        "inffs.methods.find_entry", "inffs.RoundingWarning", "inffs.TableWarning",
    ),
    "Relations": ("inffs.relations.*",),
    "Paths": (
        "inffs.paths.Paths", "inffs.paths.Regularization", "inffs.paths.walk",
        "inffs.landmarks.Landmarks",
    ),
    "Cuts": (
        "inffs.cuts.by_scores.*", "inffs.cuts.cut.*", "inffs.cuts.registry.default_cut",
        "inffs.cuts.registry.apply_cut", "inffs.cuts.by_table.*",
        "inffs.cuts.false_discovery_rate.FalseDiscoveryRate", "inffs.cuts.predict.Predict",
    ),
    "Measures": ("inffs.measures.*",),
    "Judging": ("inffs.evaluation.*",),
    "Tables in chunks and on disk": (
        "inffs.streaming.StreamingSelector", "inffs.validation.lazy.LazyTable",
    ),
    "Reading files": ("inffs.io.*",),
    "Pictures and the report": ("inffs.plot.*", "inffs.report.explain", "inffs.report.Reasons"),
    "The comparison": ("inffs.comparison.*",),
}  # fmt: skip


def find(name: str) -> Any:
    """The object of a full name."""
    module, _, thing = name.rpartition(".")
    return getattr(import_module(module), thing)


def public_things(module: str) -> list[str]:
    """Classes and functions that a module shows, or defines where it does not say."""
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
    """The index and a page for every object; pages of what is gone are taken away."""
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
    """One object: what its docstring says, its members, and where the gallery uses it."""
    thing, short = find(name), name.rpartition(".")[2]
    kind = "autoclass" if isinstance(thing, type) else "autofunction"
    members = own_members(thing) if isinstance(thing, type) else []
    lines = [
        short, "=" * len(short), "", f".. {kind}:: {name}",
        *([f"   :members: {', '.join(members)}"] if members else []), "",
        *catalogue_link(name),
        f".. minigallery:: {name}", "   :add-heading: Examples that use it",
        "   :heading-level: -", "",
    ]  # fmt: skip
    return "\n".join(lines)


def own_members(thing: type) -> list[str]:
    """Methods and properties that the class explains; of a selector only what is its own."""
    selector = issubclass(thing, FeatureSelector)
    homes = [cls for cls in thing.__mro__ if cls.__module__.startswith("inffs")]
    shared = [thing, *(cls for cls in homes[1:] if selector and cls is not FeatureSelector)]
    members = {name: member for cls in reversed(shared) for name, member in vars(cls).items()}
    return [
        name
        for name, member in members.items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, _KINDS))
        if _told(member, in_full=selector)
    ]


def _told(member: Any, in_full: bool) -> bool:
    text = inspect.getdoc(member) or ""
    return "\n-----" in text if in_full else bool(text)


def catalogue_link(name: str) -> list[str]:
    for entry in inffs.catalogue():
        if public_name(entry) == name:
            told = "what it costs, how it does, how to cite it"
            return [f"In the catalogue: :doc:`{entry.key} </catalogue/{entry.key}>` ({told}).", ""]
    return []


def index(sections: dict[str, list[str]]) -> str:
    parts = [HEAD]
    for title, names in sections.items():
        rows = "".join(_row(name) for name in names)
        table = f".. list-table::\n   :widths: 36 64\n\n{rows}\n"
        pages = "".join(f"   {name}\n" for name in names)
        toctree = f".. toctree::\n   :hidden:\n   :caption: {title}\n\n{pages}\n"
        parts.append(f"{title}\n{'-' * len(title)}\n\n{table}\n{toctree}\n")
    return "".join(parts)


def _row(name: str) -> str:
    shown = name.removeprefix("inffs.")
    first = (inspect.getdoc(find(name)) or "").split("\n\n")[0].replace("\n", " ")
    told = first.replace("|", r"\|")
    return f"   * - :doc:`{shown} <{name}>`\n     - {told}\n"


def _before_reading(app: Any) -> None:
    write_pages(Path(app.srcdir) / "api")


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", _before_reading)
    return {"parallel_read_safe": True}
