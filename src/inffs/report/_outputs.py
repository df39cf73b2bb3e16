"""The folder a run leaves behind: ranking.csv, the selected columns, report.html, run.json."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from inffs._utils.files import new_file, refuse_existing
from inffs.io import Table, write_table
from inffs.io._formats import FORMATS
from inffs.meta.constrained import constraints_of, unconstrained
from inffs.report._check import Check
from inffs.report._page import render
from inffs.report._report import Study
from inffs.report._words import find_key, given_parameters, plain_values, versions

_FORMULA = tuple("=+-@＝＋－＠\t\r\n")


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
    folder, report = Path(folder), study.thorough
    names = output_names(ending, report)
    refuse_existing([folder / name for name in names], force)
    selection = _selected(study.selector, table, ending, spreadsheet_safe)
    run = {**(run or {}), "label": table.label, "selection": selection}
    table = replace(table, X=study.own)
    with _all_at_once(folder) as beside:
        shown = _safe(table) if spreadsheet_safe else table
        write_table(ranking_table(study, shown.names, spreadsheet_safe), beside / "ranking.csv")
        marked = replace(shown, marks=_marks(study.selector))
        write_table(marked.take(study.selector.support_), beside / f"selected{ending}")
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


def _marks(selector: Any) -> dict[str, np.ndarray]:
    """What stands beside the features where the format has a place for it (AnnData's var)."""
    found = selector.scores_, selector.ranking_, selector.support_
    return dict(zip(("inffs_score", "inffs_rank", "inffs_selected"), found, strict=True))


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
    found = {"findings": [finding.sentence for finding in study.findings]} if study.thorough else {}
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
        **({"evaluation": describe_check(study.check)} if study.check is not None else {}),
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
    means = {name: found[0].mean(axis=0) for name, found in check.others.items()}
    by_size = {
        check.measure: check.selected.mean(axis=0),
        "random_features": check.random.mean(axis=0),
        **means,
    }
    return {
        "folds": check.folds,
        "measure": check.measure,
        "sizes": check.sizes,
        **{name: [round(float(value), 6) for value in values] for name, values in by_size.items()},
        "score": round(check.score, 6),
        "standard_error": round(check.error(check.kept), 6),
        "all_features": round(float(check.whole.mean()), 6),
        "baseline": round(check.baseline, 6),
    }
