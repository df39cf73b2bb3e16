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

from inffs._engine.files import refuse_existing
from inffs.columns.missing import as_seen
from inffs.ranking import Measured, measured, ranked_columns
from inffs.report import explain, write_report
from inffs.report._facts import class_codes
from inffs.report._reasons import Reasons, partner_columns
from inffs.report._words import find_key, given_parameters, versions
from inffs.tables import Table, write_table
from inffs.tables._formats import FORMATS

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_outputs(
    selector: Any,
    table: Table,
    folder: str | Path,
    *,
    ending: str = ".csv",
    title: str = "Which features to keep",
    report: bool = True,
    folds: int = 5,
    seed: int = 0,
    force: bool = False,
    spreadsheet_safe: bool = False,
    run: dict[str, Any] | None = None,
) -> list[Path]:
    """Write what a run leaves behind; the folder gets all files at once or none.

    ``force`` replaces the folder of an earlier run as a whole; a folder that holds other things
    too gets the files one by one, run.json last.

    Without a report nothing is said about correlations between features, the costly part.

    ``ending`` is the format of the selected columns, ``run`` what else run.json should hold;
    ``spreadsheet_safe`` puts an apostrophe before names that a spreadsheet would compute.
    """
    folder = Path(folder)
    names = output_names(ending, report)
    refuse_existing([folder / name for name in names], force)
    run = dict(run or {})
    found = class_codes(table.y)
    with _all_at_once(folder) as beside:
        classes, codes = (None, None) if found is None else found
        reasons = explain(selector, table.X, codes, classes) if report else None
        shown = _safe(table) if spreadsheet_safe else table
        told = reasons or _measured(selector, table.X, codes, classes)
        ranked = ranking_table(selector, shown.names, told)
        write_table(ranked, beside / "ranking.csv")
        marked = replace(shown, marks=_marks(selector))
        write_table(marked.take(selector.support_), beside / f"selected{ending}")
        if report:
            write_report(
                selector, table.X, table.y, beside / "report.html", feature_names=table.names,
                title=title, folds=folds, seed=seed, run=run, reasons=reasons,
            )  # fmt: skip
        text = json.dumps(describe_run(selector, table, run), indent=2, ensure_ascii=False)
        (beside / "run.json").write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    return [folder / name for name in names]


def _measured(selector: Any, X: Any, y: Any, classes: Any) -> Measured:
    X, weight = as_seen(selector.missing, X)
    return measured(X, y, classes, sample_weight=weight)


def output_names(ending: str, report: bool) -> list[str]:
    """The files of a run."""
    return ["ranking.csv", f"selected{ending}", "run.json", *(["report.html"] if report else [])]


@contextmanager
def _all_at_once(folder: Path) -> Iterator[Path]:
    """A folder beside ``folder`` that takes its name, and its place, when the block ends well."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    name = folder.name[:80].encode(errors="replace").decode()  # compiled writers want Unicode
    beside = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder.parent))
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
    """Move the files one by one; run.json goes first and comes last, so it means a whole run."""
    (folder / "run.json").unlink(missing_ok=True)
    for file in sorted(new.iterdir(), key=lambda file: file.name == "run.json"):
        os.replace(file, folder / file.name)


def ranking_table(selector: Any, names: list[str], reasons: Measured) -> Any:
    """The ranking with its reasons, best first, as an Arrow table."""
    import pyarrow as pa

    partners = partner_columns(selector, names, reasons) if isinstance(reasons, Reasons) else {}
    columns = ranked_columns(selector, names, reasons, partners)
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


def describe_run(selector: Any, table: Table, run: dict[str, Any]) -> dict[str, Any]:
    """Everything needed to repeat the run, as JSON takes it."""
    T, n = table.shape
    return {
        **run,
        "samples": T,
        "features": n,
        "label": table.label,
        "index": table.index_name,
        "notes": table.notes,
        "method": find_key(selector),
        "class": f"{type(selector).__module__}.{type(selector).__name__}",
        "parameters": given_parameters(selector),
        "kept": selector.n_features_,
        "cut": {"name": selector.cut_.name, "why": selector.cut_.why},
        "versions": versions(),
    }
