"""Atomic writes: a file is written under a temporary name and then renamed."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def new_file(path: str | Path, *, force: bool = False) -> Iterator[Path]:
    """Yield a temporary path in the same folder, which is renamed to ``path`` after the block.

    The temporary file has a random name and is never opened through a link; a link at ``path`` is
    replaced, not followed. An error or an interrupt inside the block removes the file. An existing
    file is an error unless ``force``.
    """
    path = Path(path)
    refuse_existing([path], force)
    name, dot, endings = path.name.partition(".")
    beside = path.with_name(f".{name[:80]}-{secrets.token_hex(8)}{dot}{endings}")
    os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield beside
        os.replace(beside, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            beside.unlink()


def write_text(path: str | Path, text: str) -> None:
    """Write a file of UTF-8 text and replace an existing one."""
    with new_file(path, force=True) as beside:
        beside.write_text(text, encoding="utf-8")


def refuse_existing(paths: list[Path], force: bool, remedy: str = "force=True") -> None:
    """Raise if one of the files exists, unless ``force``."""
    there = [str(path) for path in paths if os.path.lexists(path)]
    if there and not force:
        verb = "exists" if len(there) == 1 else "exist"
        raise FileExistsError(f"{', '.join(there)} {verb} already: {remedy} overwrites.")


def check_writable(folder: Path) -> None:
    """Raise the error of the system if a new folder, or files in an existing one, cannot be made.

    The first existing folder above is tried, and ``folder`` itself where only that one is writable.
    """
    above = next(place for place in folder.absolute().parents if place.exists())
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    try:
        tempfile.TemporaryFile(dir=above).close()
    except OSError as error:
        if not folder.is_dir():
            raise OSError(error.errno, error.strerror, str(above)) from None
        tempfile.TemporaryFile(dir=folder).close()


def sha256_of(path: str | Path) -> str:
    """The SHA-256 of a file, or of all files of a folder in the order of their names."""
    path = Path(path)
    files = sorted(one for one in path.iterdir() if one.is_file()) if path.is_dir() else [path]
    found = hashlib.sha256()
    for one in files:
        with one.open("rb") as file:
            hashlib.file_digest(file, lambda: found)
    return found.hexdigest()
