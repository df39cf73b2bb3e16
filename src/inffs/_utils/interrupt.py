"""Ctrl-C while the command still starts: a line, no traceback.

Importing this sets the handler, and only where the process is the ``inffs`` command: most of its
start is imports, which nothing of ours could guard otherwise.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn


def _is_the_command() -> bool:
    words = sys.orig_argv
    by_module = "-m" in words and words[words.index("-m") + 1 :][:1] == ["inffs"]
    return by_module or Path((sys.argv or [""])[0]).stem == "inffs"


def _leave(*_: Any) -> NoReturn:
    os.write(2, b"Interrupted; nothing was begun.\n")
    os._exit(1)


def ready() -> None:
    """From now on Ctrl-C raises KeyboardInterrupt, which the command handles."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


if _is_the_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _leave)
