"""Transpose tables that have samples as columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from inffs.io._choose import find_column
from inffs.io._sheet import Sheet, is_numeric, numbered, quoted

_ABOUT_FEATURES = (  # of featureCounts, salmon, GCT and tables of genes, in small letters
    "chr", "chrom", "chromosome", "start", "end", "strand", "length", "effectivelength",
    "description", "gene_name", "gene_symbol", "symbol", "gene_type", "gene_biotype", "biotype",
    "entrezid", "entrez_gene_id", "entrez_id",
)  # fmt: skip


def transposed(sheet: Sheet, index: str | int | None) -> Sheet:
    """Rows become columns; the index column (or a first column of text) gives their names."""
    if not sheet.mixed:
        X = sheet.columns.T
        names = numbered(X.shape[1])
        X = X.tocsc() if hasattr(X, "tocsc") else np.ascontiguousarray(X)
        return Sheet(names, X, turned="")
    place = _place_of_names(sheet, index)
    about = _describing(sheet, place)
    samples = [at for at in range(len(sheet.names)) if at != place and at not in about]
    if place is None:
        names = numbered(sheet.samples)
    else:
        names = ["" if value is None else str(value) for value in sheet.column(place)]
    values = sheet.take(samples)
    index_values = np.array([sheet.names[position] for position in samples], dtype=object)
    corner = "" if place is None else sheet.names[place]
    notes = list(sheet.notes)
    if about:
        left_out = quoted([sheet.names[at] for at in sorted(about)])
        notes.append(f"Columns that describe the features are left out: {left_out}.")
    return Sheet(names, _turned(values, names), index=index_values, notes=notes, turned=corner)


def _describing(sheet: Sheet, place: int | None) -> set[int]:
    """Places of columns that describe the features: by their names, or text beside numbers."""
    numeric = {kind: is_numeric(kind) for kind in set(sheet.columns.schema.types)}
    text = {at for at, kind in enumerate(sheet.columns.schema.types) if not numeric[kind]}
    few = 2 * len(text) < len(sheet.names)  # a label in a row makes every column text
    known = {at for at, name in enumerate(sheet.names) if name.lower() in _ABOUT_FEATURES}
    found = (text if few else set()) | (known if _is_block(known) else set())
    return found - {place}


def _is_block(places: set[int]) -> bool:
    """Whether the columns stand beside each other at the beginning, as programs write them."""
    return bool(places) and places <= set(range(len(places) + 1))


def _place_of_names(sheet: Sheet, index: str | int | None) -> int | None:
    if index is not None:
        return find_column(sheet, index, "index")
    return None if is_numeric(sheet.columns.schema.types[0]) else 0


def _turned(sheet: Sheet, names: list[str]) -> Any:
    """Numeric rows as one matrix; with a row of text among them, column by column."""
    if all(is_numeric(kind) for kind in sheet.columns.schema.types):
        rows = np.empty((len(sheet.names), sheet.samples))
        for place in range(len(sheet.names)):
            rows[place] = sheet.column(place)
        return rows
    return _typed_columns(sheet, names)


def _typed_columns(sheet: Sheet, names: list[str]) -> Any:
    """Every row on its own: numbers where all its values are, text otherwise."""
    import pyarrow as pa

    texts = [sheet.columns.column(place).cast(pa.string()) for place in range(len(sheet.names))]
    by_sample = [column.to_numpy(zero_copy_only=False) for column in texts]
    cells = np.ascontiguousarray(np.array(by_sample, dtype=object).T)
    columns = []
    for row in range(sheet.samples):
        values = cells[row]
        try:
            columns.append(pa.array(values.astype(np.float64), from_pandas=True))
        except ValueError:
            columns.append(pa.array(values, pa.string()))
    return pa.Table.from_arrays(columns, names=names)
