"""The registry of formats: a format is one line here, a reader and a writer."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from inffs.io import _arff as arff
from inffs.io import _arrays as arrays
from inffs.io import _columnar as arrow
from inffs.io import _delimited as text
from inffs.io import _expression as genes
from inffs.io import _hdf5 as hdf5
from inffs.io import _programs as programs
from inffs.io._sheet import Sheet, Table


@dataclass(frozen=True)
class Format:
    """A kind of file: the endings it goes by (the first is used for writing).

    ``isolated`` readers run in a process of their own, within bounds of time and memory. A
    selection of a file that cannot be written in its own format is written as CSV.

    Parameters
    ----------
    name : str
        For messages.
    endings : tuple of str
        Of file names.
    read : callable
        From a path to the columns.
    write : callable, optional
        Takes a :class:`Table` and a path.
    options : tuple of str
        Names of the reader's options besides the path.
    isolated : bool, default=False
        Whether it runs in a process of its own.
    whole : bool, default=False
        Whether a selection of a file keeps all else that the file holds.
    turned : bool, default=False
        Whether samples are always columns in the file; the reader makes them rows.

    See Also
    --------
    find_format : The format of a file.

    Examples
    --------
    >>> from inffs.io import FORMATS
    >>> [form.name for form in FORMATS][:3]
    ['CSV', 'TSV', 'GEO series matrix']
    """

    name: str
    endings: tuple[str, ...]
    read: Callable[..., Sheet]
    write: Callable[[Table, Path], None] | None = None
    options: tuple[str, ...] = ()
    isolated: bool = False
    whole: bool = False
    turned: bool = False

    def written_as(self, ending: str) -> str:
        """The ending under which a table of this format is written."""
        return ending if self.write is not None else ".csv"


# the first bytes of a file, what it is then, and the endings of tables that begin so
_BEGINNINGS: tuple[tuple[bytes, str, tuple[str, ...]], ...] = (
    (b"\x89PNG", "an image (PNG)", ()),
    (b"\xff\xd8\xff", "an image (JPEG)", ()),
    (b"GIF8", "an image (GIF)", ()),
    (b"II*\x00", "an image (TIFF)", ()),
    (b"MM\x00*", "an image (TIFF)", ()),
    (b"%PDF", "a PDF document", ()),
    (b"{\\rtf", "a text document (RTF)", ()),
    (b"<!DOCTYPE", "a web page", ()),
    (b"<html", "a web page", ()),
    (b"\x1f\x8b", "a gzipped file", (".gz", ".rds", ".rdata", ".rda")),
    (b"\xd0\xcf\x11\xe0", "an old document of Microsoft Office, or one protected with a password",
     (".xls",)),
    (b"PAR1", "a Parquet file", (".parquet", ".pq")),
    (b"ARROW1", "an Arrow file", (".feather", ".arrow", ".ipc")),
    (b"\x93NUMPY", "a NumPy file", (".npy",)),
    (b"\x89HDF", "an HDF5 file", (".h5ad", ".loom", ".mat")),
)  # fmt: skip
# the same of zip archives, by the beginning of a name in them
_ARCHIVES = (
    ("word/", "a Word document", ()),
    ("ppt/", "a presentation", ()),
    ("xl/", "an Excel workbook", (".xlsx", ".xlsm")),
    ("content.xml", "an OpenDocument file", (".ods",)),
)

SAMPLES = Format("STAR or salmon", (), genes.read_quantified, None, ("layer",), turned=True)
MARKET = Format("Matrix Market", (".mtx", ".mtx.gz"), arrays.read_market, isolated=True)  # and 10x

_OF_TEXT = ("header", "ids")
_SHEETS, _OF_SHEETS = (".xlsx", ".xlsm", ".xls", ".ods"), ("sheet", *_OF_TEXT)

# fmt: off
FORMATS: tuple[Format, ...] = (
    Format("CSV", (".csv", ".csv.gz"), text.read_csv, text.write_csv, _OF_TEXT),
    Format("TSV", (".tsv", ".tsv.gz", ".tab", ".txt", ".txt.gz"), text.read_tsv, text.write_tsv,
           _OF_TEXT),
    Format("GEO series matrix", genes.ENDINGS, genes.read_series_matrix, turned=True),
    Format("GCT", (".gct", ".gct.gz"), genes.read_gct, turned=True),
    Format("Parquet", (".parquet", ".pq"), arrow.read_parquet, arrow.write_parquet, isolated=True),
    Format("Feather", (".feather", ".arrow", ".ipc"), arrow.read_feather, arrow.write_feather,
           isolated=True),
    Format("NPZ", (".npz",), arrays.read_npz, arrays.write_npz),
    Format("NPY", (".npy",), arrays.read_npy, arrays.write_npy),
    Format("MAT", (".mat",), arrays.read_mat, arrays.write_mat, isolated=True),
    Format("ARFF", (".arff",), arff.read_arff, arff.write_arff),
    Format("svmlight", (".svmlight", ".libsvm"), arrays.read_svmlight, arrays.write_svmlight),
    Format("AnnData", (".h5ad",), hdf5.read_h5ad, hdf5.write_h5ad, ("layer",), True, True),
    Format("loom", (".loom",), hdf5.read_loom, isolated=True),
    MARKET,
    Format("spreadsheet", _SHEETS, programs.read_spreadsheet, None, _OF_SHEETS, True),
    Format("R", (".rds", ".rdata", ".rda"), programs.read_r, None, ("layer",), isolated=True),
    Format("Stata", (".dta",), programs.read_stata, isolated=True),
    Format("SPSS", (".sav", ".zsav"), programs.read_statistics, isolated=True),
    Format("SAS", (".xpt", ".sas7bdat"), programs.read_statistics, isolated=True),
)
# fmt: on


def find_format(path: str | Path) -> tuple[Format, str]:
    """The format of a file by its ending, and that ending with its dots."""
    name = Path(path).name.lower()
    if name.endswith(".zarr"):
        raise ValueError(
            f"{path} is a Zarr store, which inffs does not read: export it as .h5ad "
            "(anndata.read_zarr, write_h5ad) or as .npy."
        )
    if Path(path).is_dir():
        return (SAMPLES if genes.files_of(Path(path)) else MARKET), ""
    if genes.is_series_matrix(Path(path)):
        return next(form for form in FORMATS if form.read is genes.read_series_matrix), _last(name)
    known = {end: form for form in FORMATS for end in form.endings}
    if found := [end for end in known if name.endswith(end)]:
        ending = max(found, key=len)
        return known[ending], ending
    if kind := _kind_of(Path(path))[0]:
        raise ValueError(f"{path} is {kind}, not a table.")
    raise ValueError(f"{path} has no ending of a known format: {', '.join(known)}.")


def _last(name: str) -> str:
    """The ending of a text file, with that of its compression."""
    return "".join(Path(name).suffixes[-2 if name.endswith(".gz") else -1 :])


def refuse_wrong_kind(path: Path, name: str) -> None:
    """Raise if a file of the format ``name`` begins as another kind of file does."""
    kind, endings = _kind_of(path)
    if kind and path.suffix.lower() not in endings:
        raise ValueError(f"{path} is {kind}, not {name}: name it so, or save it as {name}.")


def _kind_of(path: Path) -> tuple[str, tuple[str, ...]]:
    """The kind of a file by its first bytes, if they show one, and the endings of such tables."""
    if not path.is_file():
        return "", ()
    with path.open("rb") as file:
        start = file.read(16)
    if start.startswith(b"PK\x03\x04"):
        return _archive(path)
    known = ((kind, own) for begin, kind, own in _BEGINNINGS if start.startswith(begin))
    return next(known, ("", ()))


def _archive(path: Path) -> tuple[str, tuple[str, ...]]:
    try:
        with zipfile.ZipFile(path) as packed:
            names = packed.namelist()
    except Exception:  # of a damaged archive, zipfile raises errors of many kinds
        names = []
    known = ((kind, own) for begin, kind, own in _ARCHIVES
             if any(name.startswith(begin) for name in names))  # fmt: skip
    return next(known, ("a zip archive", (".npz",)))
