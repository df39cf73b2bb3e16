"""What readers share: bounds on time and memory, the content of a text file, optional packages."""

from __future__ import annotations

import codecs
import gzip
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inffs._utils.child import run_isolated
from inffs._utils.memory import available_memory

MOST_COLUMNS = 20_000_000
_MANY_COLUMNS = 2**20
_EMPTY = 100  # rows or columns for each value from which a large sparse matrix is no table
_BYTES_A_COLUMN = 80  # of a sparse matrix: a pointer and a name
_LEAST_SECONDS, _BYTES_A_SECOND = 30, 2**21  # processor time of a reader that may hang
_DEFLATE_AT_MOST = 1032  # no byte of a deflated file unpacks to more
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def in_a_process_of_its_own(reader: Callable[..., Any], path: Path, **options: Any) -> Any:
    """Run a reader in another process, within the free memory and a time that fits the file."""
    files = [each for each in path.iterdir() if each.is_file()] if path.is_dir() else [path]
    seconds = _LEAST_SECONDS + sum(each.stat().st_size for each in files) / _BYTES_A_SECOND
    where = reader.__module__, reader.__name__
    return run_isolated(*where, [path], options, cpu_seconds=seconds)


def refuse_larger_than_memory(path: Path, size: float, cells: float = 0.0) -> None:
    """Raise if ``size`` bytes, what the file holds, are more than there is memory.

    ``cells`` of columns are copied twice on the way to a matrix.
    """
    free = available_memory()
    if size + 16 * cells > free:
        raise ValueError(
            f"{path} unpacks to {size / 2**30:,.1f} GiB, but only {free / 2**30:,.1f} GiB of "
            "memory are free: leave out columns, or store the table as .npy or .parquet and "
            "open it with inffs.open_table."
        )


def refuse_wild_shape(path: Path, shape: tuple[int, ...], values: int) -> None:
    """Raise if a file declares a shape that does not fit its values, or the memory."""
    rows, columns = shape
    if columns > MOST_COLUMNS:
        raise ValueError(
            f"{path} claims {columns:,} columns; more than {MOST_COLUMNS:,} are not read: "
            "the file is damaged, or the table stands on its side."
        )
    for count, what, many in ((rows, "rows", MOST_COLUMNS), (columns, "columns", _MANY_COLUMNS)):
        if count > many and count > _EMPTY * values:
            raise ValueError(
                f"{path} claims {count:,} {what} and holds {values:,} values: the file is damaged."
            )
    refuse_larger_than_memory(path, 8.0 * rows + _BYTES_A_COLUMN * columns)


def sound_csc(X: Any, path: Path) -> Any:
    """A sparse matrix as CSC, its indices checked: compiled code does not check them."""
    from scipy import sparse

    refuse_wild_shape(path, X.shape, X.nnz)
    if hasattr(X, "check_format"):
        try:
            X.check_format(full_check=True)
        except (ValueError, TypeError, IndexError) as error:
            raise ValueError(f"{path} holds a damaged sparse matrix: {error}.") from error
    return sparse.csc_matrix(X)


def read_text(path: Path) -> bytes:
    """The content of a text file, unpacked and in UTF-8.

    Zero bytes are refused, as some parsers end a number or a name there, and a gzipped file that
    unpacks to more than memory.
    """
    packed, size, free = path.suffix.lower() == ".gz", path.stat().st_size, available_memory()
    if packed and size * _DEFLATE_AT_MOST > free:
        size = _unpacked_size(path, free)
    refuse_larger_than_memory(path, size)
    content = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    if encoding is not None:
        content = content.decode(encoding).encode()
    if b"\0" in content:
        raise ValueError(f"{path} holds zero bytes: it is damaged, or not UTF-8 text.")
    return content.removeprefix(codecs.BOM_UTF8)


def _unpacked_size(path: Path, enough: float) -> int:
    """Bytes behind a gzip file, counted until they are ``enough``."""
    size = 0
    with gzip.open(path) as file:
        while size <= enough and (part := file.read(2**24)):
            size += len(part)
    return size


def require(module: str, what: str, install: str) -> Any:
    """Import a package that only some formats need."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"reading {what} needs {module}: pip install {install}", name=module
        ) from error
