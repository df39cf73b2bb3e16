"""``inffs ...`` as a process of its own, forked from one that has imported everything already."""

import atexit
import functools
import gc
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {"COLUMNS": "100", "OPENBLAS_NUM_THREADS": "1"}
SECONDS = 300


def run_inffs(words, folder, **options):
    """Run the command in a folder; gives code, out and err.

    With options of ``subprocess.run``, or where a process cannot fork, a new interpreter starts.
    """
    words = [str(word) for word in words]
    if not options and hasattr(os, "fork"):
        return _warm()(words, folder)
    environment = {**os.environ, **ENVIRONMENT, **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-m", "inffs", *words],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, **options,
    )  # fmt: skip


@functools.cache
def _warm():
    serving = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import tests.command as c; c.serve()"
    server = subprocess.Popen(
        [sys.executable, "-c", serving], env={**os.environ, **ENVIRONMENT},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    atexit.register(server.kill)

    def run(words, folder):
        heard = [Path(folder) / f".{name}-of-the-command" for name in ("out", "err")]
        server.stdin.write(json.dumps([words, str(folder), *map(str, heard)]) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        out, err = (path.read_text(encoding="utf-8") for path in heard)
        for path in heard:
            path.unlink()
        return subprocess.CompletedProcess(["inffs", *words], code, out, err)

    return run


def serve():
    """Fork for every command on stdin; its exit code on stdout."""
    from inffs.cli import main

    gc.freeze()  # a child that collects would copy all that was imported
    while line := sys.stdin.readline():
        words, folder, out, err = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _become(folder, out, err)
            sys.argv = ["inffs", *words]
            _leave(main)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def _leave(main):
    """End as an interpreter does, but for taking apart every module."""
    try:
        code = main()
    except SystemExit as end:
        code = end.code
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)


def _become(folder, out, err):
    signal.alarm(SECONDS)
    sys.path.remove(str(ROOT))
    os.chdir(folder)
    for number, path in enumerate((os.devnull, out, err)):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT
        os.dup2(os.open(path, flags), number)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
        for number, mode in enumerate(("r", "w", "w"))
    )
