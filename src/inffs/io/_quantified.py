"""Folders of one file per sample, as STAR and salmon leave them: counts of reads per gene."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from inffs.io._guard import refuse_larger_than_memory
from inffs.io._sheet import Sheet, quoted

_STAR, _SALMON = "ReadsPerGene.out.tab", "quant.sf"
_STRANDS = {"unstranded": 1, "forward": 2, "reverse": 3}
_COLUMNS = {"NumReads": 4, "TPM": 3}


def files_of(folder: Path) -> list[Path]:
    """The files of STAR or salmon in a folder, one per sample."""
    found = sorted(folder.glob(f"*{_STAR}")) or sorted(folder.glob(f"*/*{_STAR}"))
    return found or sorted(folder.glob(f"*/{_SALMON}"))


def read_quantified(folder: Path, layer: str | None = None) -> Sheet:
    """Samples by genes. ``layer``: of STAR the strand (unstranded), of salmon NumReads or TPM."""
    files = files_of(folder)
    is_salmon = files[0].name == _SALMON
    places = _COLUMNS if is_salmon else _STRANDS
    chosen = layer or next(iter(places))
    if chosen not in places:
        raise ValueError(f"{folder} has no layer {chosen!r}; its layers: {quoted(list(places))}.")
    genes: Any = None
    rows: list[np.ndarray] = []
    for path in files:
        refuse_larger_than_memory(path, 2.0 * path.stat().st_size)
        names, values = _sample(path, places[chosen], is_salmon)
        if genes is not None and not names.equals(genes):
            raise ValueError(f"{path} has other genes than {files[0].name} of the first sample.")
        genes = names
        rows.append(values)
    refuse_larger_than_memory(folder, 8.0 * len(rows) * len(rows[0]))
    samples = [_name(path) for path in files]
    note = (
        f"{len(files):,} samples of {'salmon' if is_salmon else 'STAR'} are read, {chosen} (layer)."
    )
    return Sheet(genes.to_pylist(), np.array(rows), index=np.array(samples, dtype=object),
                 index_name="sample", notes=[note])  # fmt: skip


def _sample(path: Path, place: int, is_salmon: bool) -> tuple[Any, np.ndarray]:
    """The genes of a file and their values; STAR's lines N_unmapped and so on are no genes."""
    import pyarrow as pa
    from pyarrow import compute
    from pyarrow import csv as arrow_csv

    width = 5 if is_salmon else 4
    names = [f"c{column}" for column in range(width)]
    found = arrow_csv.read_csv(
        str(path),
        read_options=arrow_csv.ReadOptions(column_names=names, skip_rows=1 if is_salmon else 0),
        parse_options=arrow_csv.ParseOptions(delimiter="\t"),
        convert_options=arrow_csv.ConvertOptions(
            column_types={"c0": pa.string(), names[place]: pa.float64()},
            include_columns=["c0", names[place]],
        ),
    )
    if not is_salmon:
        found = found.filter(compute.invert(compute.match_substring_regex(found["c0"], "^N_")))
    return found["c0"].combine_chunks(), found[names[place]].to_numpy()


def _name(path: Path) -> str:
    """The sample's name: what stands before the file's own name, or the folder it lies in."""
    before = path.name.removesuffix(_STAR).rstrip("._-") if path.name != _SALMON else ""
    return before or path.parent.name
