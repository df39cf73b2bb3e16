"""The page's data as text inside a script element: JSON, compressed where it is large."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

_MOST_BYTES = 4_400_000  # the page stays under 5 MB
_PLAIN_BYTES = 1_000_000  # anything larger is compressed, which takes the page a moment to undo


@dataclass(frozen=True)
class Packed:
    """Text for a script element, and of which type the element is."""

    text: Markup
    type: str


def safe_json(value: Any) -> Markup:
    """JSON that cannot leave its script element, whatever the names are."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def pack(value: Any) -> Packed:
    """Plain JSON, or compressed and in letters of base64."""
    text = safe_json(value)
    if len(text) <= _PLAIN_BYTES:
        return Packed(text, "application/json")
    letters = base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()
    return Packed(Markup(letters), "application/gzip")


def rows_that_fit(packed: Packed, rows: int) -> int:
    """How many of so many rows stay within the limit of the page."""
    size = len(packed.text)
    return rows if size <= _MOST_BYTES else max(1, int(rows * _MOST_BYTES / size))
