"""The look and the scripts that the pages share: one style, scripts put together of small files."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from importlib.resources import files


def read_asset(name: str) -> str:
    """The text of a file that stands beside this one."""
    return files("inffs.report").joinpath(name).read_text(encoding="utf-8")


def join_scripts(names: Iterable[str]) -> str:
    """These parts of ``script/`` as one that leaves no names behind."""
    parts = "".join(read_asset(f"script/{name}.js") for name in names)
    return f'(async () => {{\n"use strict";\n{parts}}})();'


def hash_of(script: str) -> str:
    """What a content security policy knows the script by."""
    digest = hashlib.sha256(script.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()
