"""What some tests ask of the system they run on; elsewhere they are skipped."""

import os
import signal
import sys

import pytest

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows ends a process by either

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
needs_limits = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's limits")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="needs signals and modes of POSIX")
needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="mounting needs root"
)


def hear_interrupts():
    """For ``preexec_fn``: what a shell starts in the background would ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def limited(**limits):
    """For ``preexec_fn``: limits such as ``AS=2**30`` of a child; None where there are none."""
    if sys.platform != "linux":
        return None
    import resource

    def apply():
        for name, most in limits.items():
            kind = getattr(resource, f"RLIMIT_{name}")
            resource.setrlimit(kind, (int(most), resource.getrlimit(kind)[1]))

    return apply


def lift_file_size():
    """End a limit on file sizes: what measures coverage writes its figures at the end."""
    if sys.platform == "linux":
        import resource

        most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
