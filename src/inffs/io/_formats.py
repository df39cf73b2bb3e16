"""The registry of formats: a format is one line here, a reader and a writer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from inffs.io import _anndata as cells
from inffs.io import _arff as arff
from inffs.io import _arrays as arrays
from inffs.io import _columnar as arrow
from inffs.io import _delimited as text
from inffs.io import _expression as genes
from inffs.io import _frames as frames
from inffs.io import _hdf5 as hdf5
from inffs.io import _market as market
from inffs.io import _quantified as counts
from inffs.io import _r as r
from inffs.io import _spreadsheet as sheets
from inffs.io._kinds import kind_of
from inffs.io._sheet import Sheet, Table


@dataclass(frozen=True)
class Format:
    """A kind of file: the endings it goes by (the first is used for writing).

    ``options`` names what its reader can be told besides the path; ``isolated`` readers run in a
    process of their own, within bounds of time and memory. What is read only is written as CSV.

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
        Of the reader.
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


SAMPLES = Format("STAR or salmon", (), counts.read_quantified, None, ("layer",), turned=True)
MARKET = Format("Matrix Market", (".mtx", ".mtx.gz"), market.read_market, isolated=True)  # and 10x

_OF_TEXT = ("header", "ids")
_SHEETS, _OF_SHEETS = (".xlsx", ".xlsm", ".xls", ".ods"), ("sheet", "header")

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
    Format("AnnData", (".h5ad",), cells.read_h5ad, cells.write_h5ad, ("layer",), True, True),
    Format("loom", (".loom",), hdf5.read_loom, isolated=True),
    MARKET,
    Format("spreadsheet", _SHEETS, sheets.read_spreadsheet, None, _OF_SHEETS, True),
    Format("R", (".rds", ".rdata", ".rda"), r.read_r, None, ("layer",), isolated=True),
    Format("Stata", (".dta",), frames.read_stata, isolated=True),
    Format("SPSS", (".sav", ".zsav"), frames.read_spss, isolated=True),
    Format("SAS", (".xpt", ".sas7bdat"), frames.read_sas, isolated=True),
)
# fmt: on


def find_format(path: str | Path) -> tuple[Format, str]:
    """The format of a file by its ending, and that ending.

    Parameters
    ----------
    path : str or Path
        Need not exist.

    Returns
    -------
    form : Format
        What reads it.
    ending : str
        With its dots.

    See Also
    --------
    read_table : Uses it.

    Examples
    --------
    >>> from inffs.io import find_format
    >>> form, ending = find_format("genes.csv.gz")
    >>> form.name, ending
    ('CSV', '.csv.gz')
    """
    name = Path(path).name.lower()
    if Path(path).is_dir():
        return (SAMPLES if counts.files_of(Path(path)) else MARKET), ""
    if genes.is_series_matrix(Path(path)):
        return next(form for form in FORMATS if form.read is genes.read_series_matrix), _last(name)
    found = [(form, end) for form in FORMATS for end in form.endings if name.endswith(end)]
    if not found:
        if kind := kind_of(Path(path)):
            raise ValueError(f"{path} is {kind}, no table.")
        endings = ", ".join(end for form in FORMATS for end in form.endings)
        raise ValueError(f"{path} has no ending of a known format: {endings}.")
    return max(found, key=lambda pair: len(pair[1]))


def _last(name: str) -> str:
    """The ending of a text file, with that of its compression."""
    return "".join(Path(name).suffixes[-2 if name.endswith(".gz") else -1 :])
