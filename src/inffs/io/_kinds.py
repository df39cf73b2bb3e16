"""Files that are something else than their name says, told by how they begin."""

from __future__ import annotations

import zipfile
from pathlib import Path

_BEGINNINGS = (
    (b"\x89PNG", "an image (PNG)"),
    (b"\xff\xd8\xff", "an image (JPEG)"),
    (b"GIF8", "an image (GIF)"),
    (b"II*\x00", "an image (TIFF)"),
    (b"MM\x00*", "an image (TIFF)"),
    (b"%PDF", "a PDF document"),
    (b"{\\rtf", "a text document (RTF)"),
    (b"<!DOCTYPE", "a web page"),
    (b"<html", "a web page"),
    (b"\x1f\x8b", "a gzipped file"),
    (b"\xd0\xcf\x11\xe0", "an old document of Microsoft Office, or one with a password"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"\x93NUMPY", "a NumPy file"),
    (b"\x89HDF", "an HDF5 file"),
)
_ARCHIVES = (
    ("word/", "a Word document"),
    ("ppt/", "a presentation"),
    ("xl/", "an Excel workbook"),
    ("content.xml", "an OpenDocument file"),
)
# what a format begins with although the list above calls it something else
_OWN = {
    ".parquet": "Parquet", ".pq": "Parquet", ".feather": "Arrow", ".arrow": "Arrow",
    ".ipc": "Arrow", ".npy": "NumPy", ".gz": "gzipped", ".h5ad": "HDF5", ".loom": "HDF5",
    ".mat": "HDF5", ".xls": "Office", ".xlsx": "Excel|Office", ".xlsm": "Excel|Office",
    ".ods": "OpenDocument", ".rds": "gzipped", ".rdata": "gzipped", ".rda": "gzipped",
    ".npz": "zip",
}  # fmt: skip


def refuse_wrong_kind(path: Path, name: str) -> None:
    """Raise if a file of the format ``name`` begins as another kind of file does."""
    found = kind_of(path)
    own = _OWN.get(path.suffix.lower(), "").split("|")
    if found and not any(word and word in found for word in own):
        raise ValueError(f"{path} is {found}, not {name}: name it so, or save it as {name}.")


def kind_of(path: Path) -> str | None:
    """What a file is by its first bytes; None where they do not say."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        start = file.read(16)
    if start.startswith(b"PK\x03\x04"):
        return _archive(path)
    return next((kind for begin, kind in _BEGINNINGS if start.startswith(begin)), None)


def _archive(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as packed:
            names = packed.namelist()
    except Exception:  # of a damaged archive, zipfile raises errors of many kinds
        return "a zip archive"
    found = (kind for start, kind in _ARCHIVES if any(name.startswith(start) for name in names))
    return next(found, "a zip archive")
