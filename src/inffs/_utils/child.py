"""Run a function in a process of its own, within bounds of time and memory.

Compiled readers can crash, loop without end or exhaust the memory on a damaged file; a process can
be ended. It starts isolated: neither the current folder nor the environment adds a module to it.
The request and the answer are pickled, as both ends are ours. The arrays of the answer are in a
file in memory that this process maps, so they are not copied again.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import mmap
import os
import pickle
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from inffs._utils.memory import available_memory

_PACKAGE = Path(__file__).resolve().parents[1]
_SERVE = """
import os, sys, types
root, *sys.path[:] = sys.argv[1:]
for folder, _, files in os.walk(root):
    if "__init__.py" in files:  # without what it imports at its start: scikit-learn
        name = "inffs" + folder[len(root):].replace(os.sep, ".")
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [folder]
from inffs._utils.child import serve
serve()
"""
_ALIGNED = 64  # bytes; Arrow computes on aligned arrays only
_WALL_PER_CPU = 20  # a machine under load gives a process a fraction of its time


class TooLongError(Exception):
    """The function took longer than it may."""


def run_isolated(
    module: str, function: str, arguments: Sequence[Any], options: dict, *, cpu_seconds: float
) -> Any:
    """Compute ``module.function(*arguments, **options)`` in another process.

    An error there is raised here. After ``cpu_seconds`` of processor time, :class:`TooLongError`
    is raised.
    """
    request = pickle.dumps((module, function, list(arguments), options, cpu_seconds))
    command = [sys.executable, "-I", "-c", _SERVE, str(_PACKAGE), *import_paths()]
    with (
        _memory_file() as answer,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=answer, stderr=subprocess.DEVNULL
        ) as process,
    ):
        try:
            process.communicate(request, timeout=_WALL_PER_CPU * cpu_seconds)
        except subprocess.TimeoutExpired:
            raise TooLongError from None
        finally:
            process.kill()
        if process.returncode and -process.returncode in _out_of_time():
            raise TooLongError
        if process.returncode:
            raise ValueError("its reader crashed")
        kind, content = _read_parts(answer)
    if kind == "raised":
        raise content
    return content


def _memory_file() -> BinaryIO:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("inffs"), "w+b")
    return tempfile.TemporaryFile()


def _write_parts(value: Any, file: BinaryIO) -> None:
    """The pickled value and its arrays one after the other, behind a line of their sizes."""
    arrays: list[pickle.PickleBuffer] = []
    head = pickle.dumps(value, protocol=5, buffer_callback=arrays.append)
    parts = [memoryview(head), *(array.raw() for array in arrays)]
    file.write(json.dumps([part.nbytes for part in parts]).encode() + b"\n")
    for part in parts:
        file.write(bytes(-file.tell() % _ALIGNED))
        file.write(part)


def _read_parts(file: BinaryIO) -> Any:
    file.seek(0)
    sizes, at = json.loads(file.readline()), file.tell()
    mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    parts = []
    for size in sizes:
        at += -at % _ALIGNED
        parts.append(mapped[at : at + size])
        at += size
    return pickle.loads(parts[0], buffers=parts[1:])


def _out_of_time() -> tuple[int, ...]:
    import signal

    return (int(signal.SIGXCPU), int(signal.SIGKILL)) if hasattr(signal, "SIGXCPU") else ()


def import_paths() -> list[str]:
    """The import path of this process, standard library first, without the current folder.

    The current folder remains only if this package is in it.
    """
    here, ours = Path.cwd(), _PACKAGE.parent
    places = {path: Path(path).resolve() for path in sys.path if path}
    paths = [path for path, place in places.items() if place != here or place == ours]
    return sorted(paths, key=lambda path: not _is_standard(places[path]))


def _is_standard(place: Path) -> bool:
    libraries = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    return place in libraries or place.suffix == ".zip" or place.name in ("lib-dynload", "DLLs")


def serve() -> None:
    """Compute the request on stdin and answer on stdout; anything else printed is discarded."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    module, function, arguments, options, cpu_seconds = pickle.loads(sys.stdin.buffer.read())
    _limit(cpu_seconds)
    try:
        found = getattr(importlib.import_module(module), function)(*arguments, **options)
        answer = "value", found
    except BaseException as error:
        answer = "raised", _plain(error)
    with out:
        _write_parts(answer, out)


def _plain(error: BaseException) -> BaseException:
    """The error as one that any process can unpickle, its message cut to what can be read."""
    if isinstance(error, ImportError):
        return ImportError(str(error)[:500], name=error.name)
    for kind in (MemoryError, FileNotFoundError, PermissionError, ValueError):
        if isinstance(error, kind):
            return kind(str(error)[:2000])
    return ValueError(str(error)[:500] or type(error).__name__)


def _limit(cpu_seconds: float) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    with contextlib.suppress(ValueError, OSError):
        seconds = int(cpu_seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    pages = Path("/proc/self/statm")
    free = available_memory()
    if pages.exists() and free < float("inf"):
        used = int(pages.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (used + int(free) + 2**30, hard))
