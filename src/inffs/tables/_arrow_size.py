"""How large an Arrow file becomes in memory, from its metadata: nothing is unpacked.

Record batches are described by flatbuffers; the few fields that matter are read here by hand, as
pyarrow does not show them. Every compressed buffer begins with its unpacked length.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

_MAGIC = b"ARROW1"
_HEADER = 2  # of a message: the place of the field that holds the batch
_LENGTH, _NODES, _BUFFERS, _COMPRESSION = range(4)  # of a record batch
_DATA = 1  # of a dictionary batch


def unpacked_size(path: Path) -> float:
    """Bytes of all batches of an Arrow file or stream, at least 8 a cell; 0 where unreadable."""
    import pyarrow as pa
    from pyarrow import ipc

    size = 0.0
    with pa.memory_map(str(path)) as source:
        source.seek(8 if source.read(6) == _MAGIC else 0)
        try:
            for message in ipc.MessageReader.open_stream(source):
                if message.type in ("record batch", "dictionary"):
                    size += _batch_size(message)
        except (pa.ArrowException, OSError, EOFError, struct.error):
            return size  # the reader says what is wrong
    return size


def _batch_size(message: Any) -> float:
    data = message.metadata.to_pybytes()
    batch = _Table(data, struct.unpack_from("<I", data)[0]).table(_HEADER)
    if message.type == "dictionary":
        batch = batch.table(_DATA)
    cells = batch.number(_LENGTH) * batch.count(_NODES)
    return max(8.0 * cells, float(_unpacked_buffers(batch, message.body)))


def _unpacked_buffers(batch: _Table, body: Any) -> int:
    if not batch.place(_COMPRESSION) or body is None:
        return 0
    total = 0
    for offset, length in batch.pairs(_BUFFERS):
        if length >= 8:
            total += max(length, struct.unpack("<q", body.slice(offset, 8).to_pybytes())[0])
    return total


class _Table:
    """A table of a flatbuffer: fields by their number."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at

    def place(self, field: int) -> int:
        """Where a field stands, 0 if it is not there."""
        known = self._at - struct.unpack_from("<i", self._data, self._at)[0]
        end = struct.unpack_from("<H", self._data, known)[0]
        entry = 4 + 2 * field
        offset = struct.unpack_from("<H", self._data, known + entry)[0] if entry < end else 0
        return self._at + offset if offset else 0

    def _follow(self, field: int) -> int:
        at = self.place(field)
        if not at:
            raise struct.error("a field is missing")
        return at + struct.unpack_from("<I", self._data, at)[0]

    def table(self, field: int) -> _Table:
        return _Table(self._data, self._follow(field))

    def number(self, field: int) -> int:
        at = self.place(field)
        return struct.unpack_from("<q", self._data, at)[0] if at else 0

    def count(self, field: int) -> int:
        """Length of a vector."""
        return struct.unpack_from("<I", self._data, self._follow(field))[0]

    def pairs(self, field: int) -> list[tuple[int, int]]:
        """A vector of pairs of 64-bit numbers."""
        start = self._follow(field) + 4
        numbers = struct.unpack_from(f"<{2 * self.count(field)}q", self._data, start)
        return list(zip(numbers[::2], numbers[1::2], strict=True))
