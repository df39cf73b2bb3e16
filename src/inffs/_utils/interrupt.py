"""Print a line instead of a traceback for Ctrl-C while the command starts.

Importing this module sets the handler if the process is the ``inffs`` command, because most of its
start is spent on imports.
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


def leave(*_: Any) -> NoReturn:
    """End the process with a line on stderr."""
    os.write(2, b"Interrupted; nothing was begun.\n")
    os._exit(1)


if _is_the_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, leave)
