"""Files that pandas reads: Stata, SPSS and SAS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inffs.io._columnar import sheet_of
from inffs.io._sheet import Sheet


def read_stata(path: Path) -> Sheet:
    import pandas as pd

    return sheet_of_frame(pd.read_stata(path))


def read_spss(path: Path) -> Sheet:
    return sheet_of_frame(_readstat("SPSS").read_sav(path, apply_value_formats=True)[0])


def read_sas(path: Path) -> Sheet:
    """SAS: transport files (.xpt) and .sas7bdat; pandas' own reader loses rows of the former."""
    readers = _readstat("SAS")
    is_transport = path.suffix.lower() == ".xpt"
    return sheet_of_frame((readers.read_xport if is_transport else readers.read_sas7bdat)(path)[0])


def _readstat(kind: str) -> Any:
    try:
        import pyreadstat
    except ImportError as error:
        raise ImportError(
            f"reading {kind} files needs pyreadstat: pip install 'inffs[statistics]'",
            name="pyreadstat",
        ) from error
    return pyreadstat


def sheet_of_frame(frame: Any) -> Sheet:
    """A data frame; an index that only numbers the rows is none."""
    import pyarrow as pa

    counted = [str(value) for value in frame.index] == [
        str(place + 1) for place in range(len(frame))
    ]
    frame = frame.reset_index(drop=True) if counted else frame
    frame.columns = [str(name) for name in frame.columns]
    return sheet_of(pa.Table.from_pandas(frame))
