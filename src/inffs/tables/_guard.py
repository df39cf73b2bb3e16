"""Bounds on what a file may turn into: a damaged or hostile one gets a sentence, not the memory."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from scipy import sparse

from inffs._engine.child import run_isolated
from inffs._engine.memory import available_memory

MOST_COLUMNS = 20_000_000
_LEAST_SECONDS, _BYTES_A_SECOND = 30, 2**21  # processor time of a reader that may hang
_DEEPEST = 100  # levels of cells and structs inside each other in a MAT file
_DEFLATE_AT_MOST = 1032  # no byte of a deflated file unpacks to more
_COMPRESSED, _MATRIX = 15, 14
_NESTING = (1, 2, 3)  # MATLAB's cell, struct and object


def in_a_process_of_its_own(reader: Callable[..., Any], path: Path, **options: Any) -> Any:
    """What a reader makes of a file, within bounds of memory and of time for its size."""
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
    """Raise if a gzipped file unpacks to more than memory; one too small for it is not counted."""
    free = available_memory()
    if path.suffix == ".gz" and path.stat().st_size * _DEFLATE_AT_MOST > free:
        refuse_larger_than_memory(path, _unpacked_size(path, free))


def _unpacked_size(path: Path, enough: float) -> int:
    """Bytes behind a gzip file, counted until they are ``enough``."""
    size = 0
    with gzip.open(path) as file:
        while size <= enough and (part := file.read(2**24)):
            size += len(part)
    return size


def refuse_hostile_mat(path: Path) -> None:
    """Raise if a MAT 5 file unpacks to more than memory or nests deeper than a reader's stack."""
    size = 0
    for variable in _mat_variables(path):
        size += variable.size
        refuse_larger_than_memory(path, size)
        if variable.can_hold_others and _too_deep(variable.body(), variable.order):
            raise ValueError(
                f"{path} nests cells or structs more than {_DEEPEST} deep: save the matrix alone."
            )


@dataclass(frozen=True)
class _Variable:
    """One variable of a MAT file: where its bytes stand and how they begin, unpacked."""

    file: BinaryIO
    start: int
    length: int
    packed: bool
    head: bytes
    order: str

    @property
    def size(self) -> int:
        """The bytes it says it unpacks to."""
        return struct.unpack(f"{self.order}I", self.head[4:8])[0] if len(self.head) >= 8 else 0

    @property
    def can_hold_others(self) -> bool:
        if len(self.head) < 20:
            return False
        return struct.unpack(f"{self.order}I", self.head[16:20])[0] & 0xFF in _NESTING

    def body(self) -> bytes:
        self.file.seek(self.start)
        content = self.file.read(self.length)
        if self.packed:
            return zlib.decompressobj().decompress(content, self.size + 8)[8:]
        return content


def _mat_variables(path: Path) -> Iterator[_Variable]:
    with path.open("rb") as file:
        mark = file.read(128)[126:]
        if mark not in (b"IM", b"MI"):
            return
        order = "<" if mark == b"IM" else ">"
        while len(tag := file.read(8)) == 8:
            kind, length = struct.unpack(f"{order}II", tag)
            start, head = file.tell(), file.read(min(length, 256))
            packed = kind == _COMPRESSED
            head = zlib.decompressobj().decompress(head, 40) if packed else tag + head
            yield _Variable(file, start, length, packed, head, order)
            file.seek(start + length)


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
