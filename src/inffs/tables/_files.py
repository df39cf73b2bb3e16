"""Files that are whole or not there: written beside, then renamed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def new_file(path: str | Path, *, force: bool = False) -> Iterator[Path]:
    """A path beside ``path`` to write to; it takes the name when the block ends well.

    An error or an interrupt inside the block removes what was written. A file that is there
    already is refused unless ``force``.
    """
    path = Path(path)
    refuse_existing([path], force)
    name, dot, endings = path.name.partition(".")
    beside = path.with_name(f".{name[:80]}-{secrets.token_hex(4)}{dot}{endings}")
    try:
        yield beside
        os.replace(beside, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            beside.unlink()


def refuse_existing(paths: list[Path], force: bool) -> None:
    """Raise if one of the files is there already, unless ``force``."""
    there = [str(path) for path in paths if path.exists()]
    if there and not force:
        verb = "exists" if len(there) == 1 else "exist"
        raise FileExistsError(f"{', '.join(there)} {verb} already: --force overwrites.")


def sha256_of(path: str | Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
