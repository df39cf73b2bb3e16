"""How much memory the process may still use."""

from __future__ import annotations

import os
from pathlib import Path

_UNKNOWN = 4 * 2**30


def memory_budget(limit: float | str) -> float:
    """Bytes that stored tiles may take: the limit given in MiB, or half of what is free."""
    return available_memory() / 2 if isinstance(limit, str) else float(limit) * 2**20


def available_memory() -> float:
    """Bytes this process may still take: the machine's, its control group's, its own limit's."""
    return max(0.0, min(_machine(), _control_group(), _address_space()))


def _machine() -> float:
    lines = _read("/proc/meminfo").splitlines()
    for line in lines:
        if line.startswith("MemAvailable:"):
            return float(line.split()[1]) * 1024
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) / 2
    except (AttributeError, ValueError, OSError):
        return float(_UNKNOWN)


def _control_group() -> float:
    """What Linux control groups (version 2, then 1) leave; infinity where there is no limit."""
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        (
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        ),
    ):
        if _read(limit).strip().isdigit() and _read(used).strip().isdigit():
            return float(_read(limit)) - float(_read(used))
    return float("inf")


def _address_space() -> float:
    try:
        import resource
    except ImportError:  # Windows
        return float("inf")
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY:
        return float("inf")
    pages = _read("/proc/self/statm").split()
    used = int(pages[0]) * os.sysconf("SC_PAGE_SIZE") if pages else 0
    return float(soft - used)


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
