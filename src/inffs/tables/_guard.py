"""Bounds on what a file may turn into: a damaged or hostile one gets a sentence, not the memory."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scipy import sparse

from inffs._memory import available_memory

MOST_COLUMNS = 20_000_000
_DEEPEST = 100  # levels of cells and structs inside each other in a MAT file
_PEEK, _SUSPICIOUS = 2**16, 50
_COMPRESSED, _MATRIX = 15, 14
_NESTING = (1, 2, 3)  # MATLAB's cell, struct and object


def refuse_larger_than_memory(path: Path, size: float) -> None:
    """Raise if ``size`` bytes, what the file says it holds, are more than there is memory."""
    free = available_memory()
    if size > free:
        raise ValueError(
            f"{path} unpacks to {size / 2**30:,.1f} GiB, but only {free / 2**30:,.1f} GiB of "
            "memory are free: leave out columns, or store the table as .npy or .parquet and "
            "open it with inffs.open_table."
        )


def refuse_too_many_columns(path: Path, count: int) -> None:
    if count > MOST_COLUMNS:
        raise ValueError(
            f"{path} claims {count:,} columns; more than {MOST_COLUMNS:,} are not read: "
            "the file is damaged, or the table stands on its side."
        )


def sound_csc(X: Any, path: Path) -> Any:
    """A sparse matrix as CSC, its indices checked: compiled code believes them blindly."""
    refuse_too_many_columns(path, X.shape[1])
    refuse_larger_than_memory(path, 8.0 * max(X.shape))
    if hasattr(X, "check_format"):
        try:
            X.check_format(full_check=True)
        except (ValueError, TypeError, IndexError) as error:
            raise ValueError(f"{path} holds a damaged sparse matrix: {error}.") from error
    return sparse.csc_matrix(X)


def refuse_gzip_bomb(path: Path) -> None:
    """Raise if a gzipped file unpacks to more than memory; only one that shrank a lot is counted.

    Text of numbers shrinks to a third or a tenth, zeros to a thousandth.
    """
    if path.suffix != ".gz":
        return
    with path.open("rb") as file:
        start = file.read(_PEEK)
    try:
        unpacked = len(zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(start))
    except zlib.error:
        return  # no gzip file: its reader says so
    if unpacked > _SUSPICIOUS * len(start):
        refuse_larger_than_memory(path, _unpacked_size(path, available_memory()))


def _unpacked_size(path: Path, enough: float) -> int:
    """Bytes behind a gzip file, counted until they are ``enough``."""
    size = 0
    with gzip.open(path) as file:
        while size <= enough and (part := file.read(2**24)):
            size += len(part)
    return size


def refuse_deep_nesting(path: Path) -> None:
    """Raise if a MAT file nests cells or structs so deep that its reader would run out of stack."""
    if any(_too_deep(data, order) for data, order in _nesting_variables(path)):
        raise ValueError(
            f"{path} nests cells or structs more than {_DEEPEST} deep: save the matrix alone."
        )


def _nesting_variables(path: Path) -> Iterator[tuple[bytes, str]]:
    """The bytes of the variables that can hold others, and the byte order, of a MAT 5 file."""
    with path.open("rb") as file:
        mark = file.read(128)[126:]
        if mark not in (b"IM", b"MI"):
            return
        order = "<" if mark == b"IM" else ">"
        while len(tag := file.read(8)) == 8:
            kind, size = struct.unpack(f"{order}II", tag)
            start = file.tell()
            head = file.read(min(size, 256))
            if kind == _COMPRESSED:
                head = zlib.decompressobj().decompress(head, 32)[8:]
            if _can_hold_others(head, order):
                file.seek(start)
                body = file.read(size)
                yield zlib.decompress(body)[8:] if kind == _COMPRESSED else body, order
            file.seek(start + size)


def _can_hold_others(head: bytes, order: str) -> bool:
    return len(head) >= 12 and struct.unpack(f"{order}I", head[8:12])[0] & 0xFF in _NESTING


def _too_deep(data: bytes, order: str) -> bool:
    """Walk the elements with a list of open ends in place of recursion."""
    ends: list[int] = []
    at = 0
    while at + 8 <= len(data):
        while ends and ends[-1] <= at:
            ends.pop()
        kind, size = struct.unpack(f"{order}II", data[at : at + 8])
        if kind == _MATRIX and size:
            ends.append(at + 8 + size)
            if len(ends) > _DEEPEST:
                return True
            at += 8
        elif kind >> 16:  # a short element: its data stand in the tag
            at += 8
        else:
            at += 8 + size + -size % 8
    return False
