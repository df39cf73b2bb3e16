"""Write a page per method from the catalogue, the docstrings and the results."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import bibtex
import comparison_facts
import cost_table
import expected_accuracy
import known_truth
import standing_page
import unseen_page
import which_method
from other_programs import SLIPS

import inffs

HEAD = """\
Catalogue
=========

These tables list every method by its key. Use the key in ``inffs.rank(X, y, method=key)`` and in
``inffs select --method key``. The time is given for T samples, n features, G classes, i iterations
and b selected features. A method depends on the scales of the columns if its ranking of a table
changes when each column is multiplied by a different factor; :doc:`/guide/scaling` shows what to do
then.

"""
FACTS = """\
.. list-table::
   :widths: 35 65

"""


def public_name(entry: Any) -> str:
    """How a user imports the class."""
    home = "inffs" if entry.class_name in inffs.__all__ else "inffs.methods"
    return f"{home}.{entry.class_name}"


def idea(entry: Any) -> str:
    """First line of the docstring."""
    return inspect.getdoc(entry.estimator).splitlines()[0].rstrip(".")


def cost(text: str) -> str:
    """O(n^2 T) with its powers raised."""
    return re.sub(r"\^([\d.]+)", r"\\ :sup:`\1`\\ ", text)


def write_pages(folder: Path) -> None:
    """Write the index and a page for every method of the catalogue."""
    folder.mkdir(parents=True, exist_ok=True)
    grid, citations = comparison_facts.measured(), bibtex.entries()
    scales = {entry.key: known_truth.scales_matter(entry) for entry in inffs.catalogue()}
    for entry in inffs.catalogue():
        sentence = known_truth.draw(entry, folder / f"{entry.key}.png")
        text = page(entry, scales[entry.key], sentence, grid, citations[entry.key])
        write_changed(folder / f"{entry.key}.rst", text)
    write_changed(folder / "index.rst", index(scales))
    which_method.write(folder.parent / "generated")
    cost_table.write_pages(folder.parent / "generated")
    standing_page.write(folder.parent / "generated")
    unseen_page.write(folder.parent / "generated")
    expected_accuracy.write(folder.parent / "generated")


def index(scales: dict[str, bool]) -> str:
    parts = [HEAD]
    for supervised, title in ((False, "Without labels"), (True, "With labels")):
        mine = [entry for entry in inffs.catalogue() if entry.supervised == supervised]
        parts.append(f"{title}\n{'-' * len(title)}\n\n{_overview(mine, scales)}\n")
    keys = "\n".join(f"   {entry.key}" for entry in inffs.catalogue())
    parts.append(f".. toctree::\n   :hidden:\n   :maxdepth: 1\n\n{keys}\n")
    return "".join(parts)


def _overview(entries: list, scales: dict[str, bool]) -> str:
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 16 40 12 20 12", ""]
    rows = [("key", "idea", "type", "time", "depends on scales")]
    rows += [
        (f":doc:`{e.key}`", idea(e), e.kind, cost(e.cost), "yes" if scales[e.key] else "no")
        for e in entries
    ]
    return "\n".join(lines + [_row(row) for row in rows]) + "\n"


def page(entry: Any, scale: bool, sentence: str, grid: Any, citation: str) -> str:
    title = f"{entry.key}: {entry.class_name}"
    slips = [f"- {line}" for line in SLIPS.get(entry.key, ())]
    parts = [
        title, "=" * len(title), "", f"{idea(entry)}.", "", *_code("python", _call(entry)), "",
        *_code("console", f"$ inffs select table.csv{_label(entry)} --method {entry.key}"), "",
        f":class:`{public_name(entry)}` describes the parameters, attributes and examples.", "",
        FACTS + _facts(entry, scale), "",
        *_titled("On a table with known truth"),
        "The picture shows the ranking of a made table with 120 samples, two classes and 40 "
        "columns. Six columns are associated with the class (signals), and six are noisy copies of "
        "these. Six columns are noise at three times the scale (loud noise), and 22 are noise. A "
        "good ranking begins with blue columns.",
        "",
        f".. image:: {entry.key}.png", f"   :alt: The ranking of {entry.key} by kind of column",
        "", sentence, "",
        *_titled("In the benchmark"), *comparison_facts.result_lines(grid, entry.key), "",
        *([*_titled("Other programs"), *slips, ""] if slips else []),
        *_titled("Citation"), *_code("bibtex", citation), "",
    ]  # fmt: skip
    return "\n".join(parts)


def _facts(entry: Any, scale: bool) -> str:
    cls = entry.estimator
    facts = [
        ("target", ", ".join(entry.targets) if entry.supervised else "not used"),
        ("type of method", entry.kind),
        ("time", cost(entry.cost)),
        ("time in Table 1 of the Inf-FS paper", cost(entry.paper_cost) or "not listed"),
        ("memory in addition to the table (numbers)", cost_table.kept(entry, r"\\ :sup:`\1`\\ ")),
        ("measured with 100 samples and 2,000 features", _measured(entry)),
        ("depends on the scales of the columns", "yes (:doc:`/guide/scaling`)" if scale else "no"),
        ("accepts sparse tables", "yes" if cls._sparse else "no"),
        ("reads tables on disk in blocks", "yes" if cls._lazy else "no, reads them whole"),
        ("learns from chunks of rows", "yes" if hasattr(cls, "partial_fit") else "no"),
        ("paper", entry.paper),
    ]
    return "\n".join(_row(fact) for fact in facts)


def _measured(entry: Any) -> str:
    seconds, mib = cost_table.usual(cost_table.measured(), entry.key)
    return f"{seconds} s of processor time, peak memory of {mib} MiB (:doc:`/scale`)"


def _call(entry: Any) -> str:
    home, _, name = public_name(entry).rpartition(".")
    labels = "X, y" if entry.supervised else "X"
    return f"from {home} import {name}\n\n{name}(n_features_to_select=10).fit({labels})"


def _label(entry: Any) -> str:
    return " --label diagnosis" if entry.supervised else ""


def _row(cells: tuple) -> str:
    return "\n".join(f"   {'* -' if n == 0 else '  -'} {cell}" for n, cell in enumerate(cells))


def _titled(title: str) -> list[str]:
    return [title, "-" * len(title), ""]


def _code(language: str, text: str) -> list[str]:
    return [f".. code-block:: {language}", "", *(f"   {line}" for line in text.splitlines())]


def write_changed(path: Path, text: str) -> None:
    """Write a file if its text changed, so that Sphinx reads only new pages again."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _before_reading(app: Any) -> None:
    write_pages(Path(app.srcdir) / "catalogue")


def _plain_bars(app: Any, what: str, name: str, thing: Any, options: Any, lines: list) -> None:
    """Escape the bars of norms such as |w|, which reStructuredText reads as substitutions."""
    lines[:] = [line if ">>>" in line else line.replace("|", r"\|") for line in lines]


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _plain_bars, priority=100)
    app.connect("builder-inited", _before_reading)
    return {"parallel_read_safe": True}
