"""Files of the benchmark: found in the data folder or the cache, or downloaded, always checked."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from urllib.parse import urlsplit

from inffs.arena.data.registry import DataFile

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


def _checked(path: Path, file: DataFile) -> Path:
    with path.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != file.sha256:
        raise DataError(
            f"{path} is not the file that was published (sha256 {found[:12]}... instead of "
            f"{file.sha256[:12]}...): delete it and load the data set again."
        )
    return path


def download(file: DataFile, cache: Path, stall: float = STALL_SECONDS) -> Path:
    """Download once into the cache; the name appears there only when the hash is right."""
    import pooch
    import requests

    _check_scheme(file.address)
    name = Path(file.path).name
    try:
        kept = pooch.retrieve(
            file.address,
            known_hash=f"sha256:{file.sha256}",
            fname=name,
            path=cache,
            downloader=pooch.HTTPDownloader(timeout=stall, allow_redirects=False),
        )
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
            "sha256): nothing was kept."
        ) from error
    return Path(kept)


def _unreachable(file: DataFile, name: str, error: Exception) -> str:
    if "Read timed out" in str(error):
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
