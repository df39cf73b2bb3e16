"""Templates of pages: one style, scripts put together of small files, no network."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from markupsafe import Markup, escape

from inffs._version import __version__


def fill(package: str, template: str, scripts: Iterable[str], **page: Any) -> str:
    """The page as text, with its style and scripts; names are data and never markup."""
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["thousands"] = lambda value: f"{value:,}"
    environment.filters["typed"] = typed
    script = _joined(scripts)
    return environment.from_string(_read(package, template)).render(
        **page,
        version=__version__,
        style=Markup(_read("inffs.report", "report.css")),
        script=Markup(script),
        script_hash=_hash_of(script),
    )


def typed(sentence: str) -> Markup:
    """A sentence with flags as code, and without line breaks between a number and its sign."""
    flag = r"--[a-z]+( \d+| discover)?"
    text = re.sub(flag, r"<code>\g<0></code>", str(escape(sentence)))
    return Markup(re.sub(r"(?<=\d) (?=%)|(?<=±) ", "\N{NO-BREAK SPACE}", text))


def _read(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _joined(scripts: Iterable[str]) -> str:
    """These parts of ``script/`` as one that leaves no names behind."""
    parts = "".join(_read("inffs.report", f"script/{name}.js") for name in scripts)
    return f'(async () => {{\n"use strict";\n{parts}}})();'


def _hash_of(script: str) -> str:
    """The hash by which a content security policy recognises the script."""
    digest = hashlib.sha256(script.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()
