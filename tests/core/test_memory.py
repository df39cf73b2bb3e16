"""How much memory may still be used: the machine, control groups, the process's own limit."""

import subprocess
import sys

import pytest

from inffs._utils import memory as _memory
from tests.system import needs_limits

GIB = 2**30


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """A made-up tree of control groups; ``groups(path, **files)`` writes one."""
    monkeypatch.setattr(_memory, "_GROUPS", tmp_path)
    read = _memory._read

    def fake(path):
        return fake.own if str(path) == "/proc/self/cgroup" else read(path)

    fake.own = "0::/user/job\n"
    monkeypatch.setattr(_memory, "_read", fake)

    def write(path, **files):
        folder = tmp_path / path
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name.replace("_", ".", 1)).write_text(f"{text}\n")

    write.told = fake
    return write


def test_the_own_group_and_those_above_hold(groups):
    groups("user/job", memory_max="max", memory_current=GIB)
    assert _memory._control_group() == float("inf")
    groups("user", memory_max=3 * GIB, memory_current=2 * GIB)
    assert _memory._control_group() == GIB
    groups("user/job", memory_max=GIB + 500, memory_current=GIB)
    assert _memory._control_group() == 500


def test_a_container_sees_its_group_as_the_root(groups):
    groups.told.own = "0::/\n"
    groups(".", memory_max=2 * GIB, memory_current=GIB)
    assert _memory._control_group() == GIB
    assert _memory.available_memory() <= GIB
    assert _memory.memory_budget("auto") <= GIB / 2
    assert _memory.memory_budget(5) == 5 * 2**20


def test_idle_file_pages_are_free(groups):
    groups("user/job", memory_max=GIB, memory_current=GIB, memory_stat="anon 5\ninactive_file 77")
    assert _memory._control_group() == 77


def test_version_one(groups):
    groups.told.own = "7:cpu,cpuacct:/a\n4:memory:/a\n"
    groups("memory/a", memory_limit_in_bytes=900, memory_usage_in_bytes=400)
    assert _memory._control_group() == 500


@needs_limits
def test_the_limit_of_the_process_holds():
    program = (
        "import resource; from inffs._utils.memory import available_memory;"
        "resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30));"
        "assert 0 < available_memory() < 2**30, available_memory()"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
