"""The memory that the process may still use."""

from __future__ import annotations

import os
from pathlib import Path

_UNKNOWN = 4 * 2**30
_GROUPS = Path("/sys/fs/cgroup")


def memory_budget(limit: float | str) -> float:
    """Bytes for stored tiles: the given limit in MiB, or half of the available memory."""
    return available_memory() / 2 if isinstance(limit, str) else float(limit) * 2**20


def available_memory() -> float:
    """Bytes this process may still use, by the machine, its control group and its own limit."""
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
    """Bytes that Linux control groups (version 2 or 1) allow; infinity without a limit.

    The limits of the group of the process and of all groups above it apply.
    """
    left = float("inf")
    for line in _read("/proc/self/cgroup").splitlines():
        _, kinds, path = line.split(":", 2)
        if kinds == "":
            left = min(left, _left_along(_GROUPS, path, "memory.max", "memory.current"))
        elif "memory" in kinds.split(","):
            names = "memory.limit_in_bytes", "memory.usage_in_bytes"
            left = min(left, _left_along(_GROUPS / "memory", path, *names))
    return left


def _left_along(root: Path, path: str, limit: str, used: str) -> float:
    """The least that a group or one above it allows; inactive file pages count as free."""
    group = root / path.strip("/")
    left = float("inf")
    for folder in (group, *group.parents):
        most, taken = (_read(folder / name).strip() for name in (limit, used))
        if most.isdigit() and taken.isdigit():
            left = min(left, float(most) - float(taken) + _idle(folder))
        if folder == root:
            break
    return left


def _idle(folder: Path) -> float:
    for line in _read(folder / "memory.stat").splitlines():
        if line.startswith(("inactive_file ", "total_inactive_file ")):
            return float(line.split()[1])
    return 0.0


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


def _read(path: str | Path) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
