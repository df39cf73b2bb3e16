"""Programs as processes of their own, forked from one that has imported everything already."""

import atexit
import contextlib
import functools
import gc
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {"COLUMNS": "100", "OPENBLAS_NUM_THREADS": "1"}
SECONDS = 300


def run_inffs(words, folder, *, env=None, terminal=None, **limits):
    """Run ``inffs ...`` in a folder; gives code, out and err.

    ``env`` is added to the environment; ``terminal`` is the path of one that takes out and err;
    limits are those of :func:`tests.system.limited`.
    """
    return _run(None, words, folder, env or {}, terminal, limits)


def run_reproduction(words, folder, *, env=None, terminal=None):
    """Run ``python -m reproduction ...`` in a folder."""
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
    program = f"{start}\nfrom reproduction.__main__ import main\nmain()"
    return _run(program, words, folder, env or {}, terminal, {})


def on_a_terminal(words, folder, run=run_inffs):
    """What ``inffs ...`` shows on a pseudo-terminal."""
    pty = pytest.importorskip("pty", reason="needs pseudo-terminals")
    leader, follower = pty.openpty()
    said = []
    listener = threading.Thread(target=lambda: said.extend(_parts_of(leader)))
    listener.start()
    env = {"TERM": "xterm-256color"}
    done = run(words, folder, env=env, terminal=os.ttyname(follower))
    os.close(follower)
    listener.join()
    os.close(leader)
    assert done.returncode == 0
    return b"".join(said).decode()


def _parts_of(leader):
    """What arrives at a terminal, until nobody writes to it."""
    with contextlib.suppress(OSError):
        while part := os.read(leader, 65536):
            yield part


def run_python(program, words, folder, **limits):
    """Run a program as ``python -c`` does, within limits."""
    return _run(program, words, folder, {}, None, limits)


def _run(program, words, folder, env, terminal, limits):
    words = [str(word) for word in words]
    env = {**ENVIRONMENT, **env}
    if hasattr(os, "fork"):
        return _warm()(program, words, str(folder), env, terminal, limits)
    start = ["-m", "inffs"] if program is None else ["-c", program]
    return subprocess.run(
        [sys.executable, *start, *words], cwd=folder, env={**os.environ, **env},
        capture_output=True, encoding=_encoding(env), timeout=SECONDS,
    )  # fmt: skip


def _encoding(env):
    return env.get("PYTHONIOENCODING", "utf-8")


@functools.cache
def _warm():
    serving = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import tests.command as c; c.serve()"
    server = subprocess.Popen(
        [sys.executable, "-c", serving], env={**os.environ, **ENVIRONMENT},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    atexit.register(server.kill)

    def run(program, words, folder, env, terminal, limits):
        heard = [Path(folder) / f".{name}-of-the-command" for name in ("out", "err")]
        streams = [terminal or str(path) for path in heard]
        server.stdin.write(json.dumps([program, words, folder, env, streams, limits]) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        if terminal:
            return subprocess.CompletedProcess(words, code)
        out, err = (path.read_text(encoding=_encoding(env)) for path in heard)
        for path in heard:
            path.unlink()
        return subprocess.CompletedProcess(words, code, out, err)

    return run


def serve():
    """Fork for every command or program on stdin; its exit code on stdout."""
    from inffs.cli import main
    from tests.system import lift_file_size, limited

    gc.freeze()  # a child that collects would copy all that was imported
    while line := sys.stdin.readline():
        program, words, folder, env, streams, limits = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _become(folder, env, streams)
            sys.argv = ["inffs" if program is None else "-c", *words]
            if limit := limited(**limits):
                limit()
            _leave(
                main if program is None else functools.partial(exec, program, {}), lift_file_size
            )
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def _leave(main, before_the_end):
    """End as an interpreter does, but for taking apart every module."""
    try:
        code = main()
    except SystemExit as end:
        code = end.code
    threading._shutdown()
    before_the_end()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)


def _become(folder, env, streams):
    signal.alarm(SECONDS)
    sys.path.remove(str(ROOT))
    os.chdir(folder)
    os.environ.update(env)
    for number, path in enumerate((os.devnull, *streams)):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_NOCTTY
        os.dup2(os.open(path, flags), number)
    kinds = (("r", "strict"), ("w", "strict"), ("w", "backslashreplace"))
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding=_encoding(env), errors=errors, closefd=False)  # noqa: SIM115
        for number, (mode, errors) in enumerate(kinds)
    )
