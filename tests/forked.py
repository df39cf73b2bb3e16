"""Readers in processes of their own that start at once: a fork serves as a new Python would.

Limits, the request and the answer are those of the real process; only the start is skipped.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

from inffs._utils import child


class Forked:
    """``subprocess.Popen`` of a reader: a fork that serves as the real process does."""

    def __init__(self, command, stdin, stdout, stderr):
        assert (stdin, stderr) == (subprocess.PIPE, subprocess.DEVNULL)
        self.returncode = None
        read, self._write = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(self._write)
            os.dup2(read, 0)
            os.dup2(stdout.fileno(), 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            sys.stdin = open(0, closefd=False)  # noqa: SIM115
            try:
                child.serve()
            finally:
                os._exit(0)
        os.close(read)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.returncode is None:
            self._wait(0)

    def communicate(self, told, timeout):
        with open(self._write, "wb") as pipe:
            pipe.write(told)
        end = time.monotonic() + timeout
        while not self._wait(os.WNOHANG):
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired("a fork", timeout)
            time.sleep(0.0005)

    def _wait(self, how):
        process, status = os.waitpid(self._process, how)
        if process:
            self.returncode = os.waitstatus_to_exitcode(status)
        return process

    def kill(self):
        if self.returncode is None:
            os.kill(self._process, signal.SIGKILL)


@contextlib.contextmanager
def forking():
    names = "PIPE", "DEVNULL", "TimeoutExpired"
    child.subprocess = SimpleNamespace(
        Popen=Forked, **{name: vars(subprocess)[name] for name in names}
    )
    try:
        yield
    finally:
        child.subprocess = subprocess
