"""Files of the benchmark: found in the data folder or the cache, or downloaded, always checked."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from reproduction.registry import DataFile

STALL_SECONDS = 30.0


class DataError(ValueError):
    """A data set that could not be had; the message says why and what to do."""


def cache_folder() -> Path:
    """Where downloads are kept: the user's cache folder for this package."""
    import pooch

    return Path(pooch.os_cache("inffs"))


def locate(file: DataFile, cache: Path | None = None) -> Path:
    """The file on this machine: from ``INFFS_DATA``, from the cache, or downloaded."""
    folder = os.environ.get("INFFS_DATA")
    if folder and (Path(folder) / file.path).is_file():
        return _checked(Path(folder) / file.path, file)
    if not file.address:
        raise DataError(
            f"{Path(file.path).name} has no public address: put it under {file.path} in a folder "
            "and name that folder in INFFS_DATA."
        )
    return download(file, cache or cache_folder())


def is_here(file: DataFile) -> bool:
    """Whether the file lies in ``INFFS_DATA`` or in the cache."""
    folder = os.environ.get("INFFS_DATA")
    own = folder is not None and (Path(folder) / file.path).is_file()
    return own or (cache_folder() / Path(file.path).name).is_file()


def _checked(path: Path, file: DataFile) -> Path:
    if not _is_published(path, file):
        raise DataError(
            f"{path} is not the file that was published (another hash): delete it and load the "
            "data set again."
        )
    return path


def _is_published(path: Path, file: DataFile) -> bool:
    if file.sha256:
        with path.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest() == file.sha256
    whole = path.read_bytes()
    blob = b"blob %d\0" % len(whole) + whole
    return hashlib.sha1(blob, usedforsecurity=False).hexdigest() == file.git_blob


def download(file: DataFile, cache: Path, stall: float = STALL_SECONDS) -> Path:
    """Download once into the cache; the name appears there only when the hash is right."""
    import pooch
    import requests

    _check_scheme(file.address)
    name = Path(file.path).name
    kept = cache / name
    if kept.is_file():
        if _is_published(kept, file):
            return kept
        kept.unlink()
    http = pooch.HTTPDownloader(timeout=stall, allow_redirects=False)

    def fetch(address: str, target: str, caller: Any) -> None:
        http(address, target, caller)
        if not _is_published(Path(target), file):
            raise ValueError("another hash")

    try:
        known = f"sha256:{file.sha256}" if file.sha256 else None
        with _without_log():
            pooch.retrieve(file.address, known, fname=name, path=cache, downloader=fetch)
    except requests.HTTPError as error:
        raise DataError(f"{file.address} answered {error}: the file is gone there.") from error
    except (requests.Timeout, requests.exceptions.ChunkedEncodingError) as error:
        raise DataError(
            f"The download of {name} broke off ({type(error).__name__}): nothing was kept, "
            "try again."
        ) from error
    except requests.ConnectionError as error:
        raise DataError(_unreachable(file, name, error)) from error
    except ValueError as error:
        raise DataError(
            f"The bytes served as {file.address} are not those that were published (another "
            "hash): nothing was kept."
        ) from error
    return kept


@contextlib.contextmanager
def _without_log() -> Iterator[None]:
    """Pooch logs the hash of a file for which it was given none; it was checked here."""
    import pooch

    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")
    try:
        yield
    finally:
        logger.setLevel(level)


def _unreachable(file: DataFile, name: str, error: Exception) -> str:
    from urllib3.exceptions import ReadTimeoutError

    if error.args and isinstance(error.args[0], ReadTimeoutError):
        return f"The download of {name} broke off (it stalled): nothing was kept, try again."
    host = urlsplit(file.address).hostname
    return (
        f"{host} cannot be reached, so {name} was not downloaded: check the network, or put the "
        f"file under {file.path} in a folder and name that folder in INFFS_DATA."
    )


def _check_scheme(address: str) -> None:
    """https only; plain http to this very machine is allowed, for a mirror of one's own."""
    parts = urlsplit(address)
    if parts.scheme != "https" and parts.hostname != "127.0.0.1":
        raise DataError(f"{address} is not an https address: it is not downloaded.")
