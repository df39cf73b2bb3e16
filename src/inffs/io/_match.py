"""Labels in a file of their own, matched to the samples by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from inffs.io._choose import find_column, pick
from inffs.io._sheet import Sheet, quoted


def with_labels(
    sheet: Sheet,
    labels: Sheet,
    files: tuple[str, str],
    label: str | int | None,
    on: str | int | None,
    index: str | int | None,
    allow_missing: bool = False,
) -> Sheet:
    """The samples with their labels; samples without one are refused, or left out.

    ``files`` are the names of the table's file and of that with the labels.
    """
    table, where = files
    if label is None:
        raise ValueError(f"{where} holds labels: name its column of classes (label).")
    place = pick(labels, label, "label")
    values, name = np.asarray(place[0]), place[1]
    keys, key_name = _keys(labels, on)
    samples = _samples(sheet, on, index, table, keys)
    known = _label_of(keys, values, where)
    rows = np.array([row for row, sample in enumerate(samples) if sample in known], dtype=int)
    if not rows.size:
        raise ValueError(
            f"None of the {len(samples):,} samples of the table (such as {quoted(samples[:3])}) is "
            f"in the column {quoted([key_name])} of {where} (such as {quoted(keys[:3])}): name the "
            f"column of sample names there (--on) and here (--index).{_on_its_side(sheet, keys)}"
        )
    if rows.size < len(samples) and not allow_missing:
        raise ValueError(
            f"{_unmatched(samples, keys, where)[0]} {_alike(samples, keys)}Check the names, or "
            "leave these samples out (allow_missing_samples; --allow-missing-samples)."
        )
    found = sheet if rows.size == len(samples) else sheet.take_rows(rows)
    found.beside[str(name)] = np.array([known[samples[row]] for row in rows], dtype=values.dtype)
    found.notes = [*sheet.notes, *_unmatched(samples, keys, where)]
    return found


def _keys(labels: Sheet, on: str | int | None) -> tuple[list[str], str]:
    """Sample names in the file of labels: the column asked for, its index, or the first."""
    if on is None and labels.index is not None:
        return _texts(labels.index), labels.index_name or "index"
    place = find_column(labels, 0 if on is None else on, "sample names (--on)")
    return _texts(labels.column(place)), labels.names[place]


def _samples(
    sheet: Sheet, on: str | int | None, index: str | int | None, table: str, keys: list[str]
) -> list[str]:
    if index is not None:
        values, _, _ = pick(sheet, index, "index")
        return _texts(values)
    if sheet.index is not None:
        return _texts(sheet.index)
    if isinstance(on, str) and sheet.names.count(on) == 1:
        return _texts(sheet.column(sheet.names.index(on)))
    raise ValueError(
        f"Name the column of sample names of {table} (--index) to match the labels."
        f"{_on_its_side(sheet, keys)}"
    )


def _on_its_side(sheet: Sheet, keys: list[str]) -> str:
    """A proposal where the samples that have labels are columns of the table."""
    columns = set(sheet.names)
    found = sum(key in columns for key in keys)
    if 2 * found <= len(keys):
        return ""
    return (
        f" {found:,} of the {len(keys):,} samples with labels are columns of the table: read it "
        "with samples in columns (--transpose)."
    )


def _texts(values: Any) -> list[str]:
    """Names as text; whole numbers without a point, whatever their type."""
    return [
        str(int(value)) if isinstance(value, float | np.floating) and value == value // 1 else
        str(value)
        for value in values
    ]  # fmt: skip


def _label_of(keys: list[str], values: Any, where: str) -> dict[str, Any]:
    known: dict[str, Any] = {}
    several = set()
    for key, value in zip(keys, values, strict=True):
        if key in known and known[key] != value:
            several.add(key)
        known[key] = value
    if several:
        what = "1 sample stands" if len(several) == 1 else f"{len(several):,} samples stand"
        raise ValueError(f"{what} in {where} with several labels: {quoted(sorted(several))}.")
    return known


def _alike(samples: list[str], keys: list[str]) -> str:
    """A sentence where names differ by zeros, spaces or capitals only."""
    known = {_bare(key): key for key in keys}
    missing = (sample for sample in samples if sample not in set(keys))
    similar = next((sample for sample in missing if _bare(sample) in known), None)
    if similar is None:
        return ""
    return f"The name {quoted([similar])} is written {quoted([known[_bare(similar)]])} there. "


def _bare(name: str) -> str:
    return name.strip().lower().lstrip("0")


def _unmatched(samples: list[str], keys: list[str], where: str) -> list[str]:
    """Notes on samples that are in one of the files only."""
    notes = []
    if missing := [sample for sample in samples if sample not in set(keys)]:
        verb = "is" if len(missing) == 1 else "are"
        counts = f"{len(missing):,} of {len(samples):,} samples"
        notes.append(f"{counts} {verb} not in {where}: {quoted(missing)}.")
    if unused := [key for key in keys if key not in set(samples)]:
        verb = "is" if len(unused) == 1 else "are"
        notes.append(
            f"{len(unused):,} of {len(keys):,} rows of {where} {verb} not a sample of the table: "
            f"{quoted(unused)}."
        )
    return notes
