"""BibTeX entries of the methods, from references.bib, laid out for copying."""

from __future__ import annotations

import re
from pathlib import Path

SOURCE = Path(__file__).with_name("references.bib")
_ENTRY = re.compile(r"^@(\w+)\{([\w-]+), (.*)\}$", re.MULTILINE)
_FIELD = re.compile(r"(\w+)=\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")


def entries() -> dict[str, str]:
    """BibTeX text by catalogue key."""
    found = {
        key: (kind, dict(_FIELD.findall(fields)))
        for kind, key, fields in _ENTRY.findall(SOURCE.read_text("utf-8"))
    }
    return {key: _text(*_follow(key, found)) for key in found}


def _follow(key: str, found: dict) -> tuple[str, str, dict[str, str]]:
    kind, fields = found[key]
    if "crossref" in fields:
        return _follow(fields["crossref"], found)
    first = fields["author"].split(",")[0].split()[-1].lower()
    return kind, f"{first}{fields['year']}{key.replace('-', '')}", fields


def _text(kind: str, name: str, fields: dict[str, str]) -> str:
    width = max(map(len, fields))
    lines = [f"  {field:<{width}} = {{{value}}}," for field, value in fields.items()]
    return "\n".join([f"@{kind}{{{name},", *lines, "}"])
