"""R's own binary form (``saveRDS``) of what Bioconductor keeps tables in: S4 objects, environments.

Written here by the published layout of R's serialization, as no Python package writes S4 objects.
"""

import gzip
import struct
from dataclasses import dataclass, field

import numpy as np

_NIL, _GLOBAL = struct.pack(">i", 254), struct.pack(">i", 253)


@dataclass
class S4:
    """An object of a class, with its slots."""

    name: str
    slots: dict = field(default_factory=dict)


@dataclass
class Environment:
    """Names and their values."""

    frame: dict


@dataclass
class Matrix:
    """Numbers with names of rows and columns; None for names that are not stored."""

    values: np.ndarray
    rows: list | None
    columns: list | None


@dataclass
class Frame:
    """A data frame."""

    columns: dict
    rows: list


def write_rds(path, value):
    path.write_bytes(
        gzip.compress(b"X\n" + struct.pack(">iii", 2, 0x30600, 0x20300) + _bytes(value))
    )


def _bytes(value):
    if value is None:
        return _NIL
    if isinstance(value, S4):
        return _flags(25, True, True) + _pairs({**value.slots, "class": [value.name]})
    if isinstance(value, Environment):
        return struct.pack(">ii", 4, 0) + _GLOBAL + _pairs(value.frame) + _NIL + _NIL
    if isinstance(value, Matrix):
        dimnames = {"dimnames": _Plain([value.rows, value.columns])} if value.rows else {}
        about = {"dim": np.array(value.values.shape, dtype=np.int32), **dimnames}
        return _vector(value.values.ravel(order="F"), about)
    if isinstance(value, Frame):
        about = {"names": list(value.columns), "row.names": value.rows, "class": ["data.frame"]}
        return _vector(_Plain(value.columns.values()), about, is_object=True)
    if isinstance(value, dict):
        return _vector(_Plain(value.values()), {"names": list(value)})
    return _vector(value, {})


class _Plain(list):
    """A list without names."""


def _vector(values, about, is_object=False):
    if isinstance(values, _Plain):
        kind, content = 19, [_bytes(each) for each in values]
    elif isinstance(values, list):
        kind, content = 16, [_char(each) for each in values]
    else:
        kind = 13 if values.dtype == np.int32 else 14
        content = [values.astype(">i4" if kind == 13 else ">f8").tobytes()]
    start = _flags(kind, is_object, bool(about)) + struct.pack(">i", len(values))
    return start + b"".join(content) + (_pairs(about) if about else b"")


def _pairs(named):
    """A pairlist: what names and values are kept in."""
    parts = (_flags(2, tag=True) + struct.pack(">i", 1) + _char(name) + _bytes(value)
             for name, value in named.items())  # fmt: skip
    return b"".join(parts) + _NIL


def _char(text):
    return struct.pack(">ii", 9 | 8 << 12, len(text.encode())) + text.encode()


def _flags(kind, is_object=False, attributes=False, tag=False):
    return struct.pack(">i", kind | is_object << 8 | attributes << 9 | tag << 10)
