"""Kills, full disks, missing folders and memory limits: whole files or none, and a sentence."""

import json
import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

FILES = ["ranking.csv", "report.html", "run.json", "selected.npz"]


def write_table(folder, T=60, n=400):
    rng = np.random.default_rng(0)
    np.savez(folder / "t.npz", X=rng.normal(size=(T, n)), y=np.arange(T) % 3)


def start(folder, *words, **options):
    """``inffs select`` in a process of its own."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **options.pop("env", {})}
    return subprocess.Popen(
        [sys.executable, "-m", "inffs", "select", "t.npz", "-l", "y", "-o", "out", *words],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        **options,
    )  # fmt: skip


def outcome(process, limit=300):
    _, said = process.communicate(timeout=limit)
    return process.returncode, said


def assert_one_sentence(code, said):
    assert code == 1, (code, said[-800:])
    assert "Traceback" not in said
    assert said.strip().splitlines()[-1].startswith("inffs: ")


@pytest.mark.slow
def test_kill_at_twenty_moments_leaves_all_or_nothing(tmp_path):
    write_table(tmp_path)
    began = time.monotonic()
    assert outcome(start(tmp_path, "--folds", "2"))[0] == 0
    whole = time.monotonic() - began
    out = tmp_path / "out"
    expected = {name: (out / name).read_bytes() for name in ("ranking.csv", "report.html")}
    finished = 0
    for share in np.linspace(0.3, 1.1, 20):
        for name in FILES:
            (out / name).unlink()
        out.rmdir()
        process = start(tmp_path, "--folds", "2")
        time.sleep(share * whole)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if not out.exists():
            assert outcome(start(tmp_path, "--folds", "2"))[0] == 0
        else:
            finished += 1
        assert sorted(os.listdir(out)) == FILES
        json.loads((out / "run.json").read_text())
        assert (out / "ranking.csv").read_bytes() == expected["ranking.csv"]
    assert finished < 20


def test_the_folder_appears_with_all_files_in_it(tmp_path):
    """Whoever watches the folder never sees a part of a run."""
    write_table(tmp_path)
    process = start(tmp_path, "--folds", "0")
    seen = set()
    while process.poll() is None:
        if (tmp_path / "out").exists():
            seen.add(tuple(sorted(os.listdir(tmp_path / "out"))))
        time.sleep(0.002)
    assert outcome(process)[0] == 0
    assert seen <= {tuple(FILES)}
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o777 & ~_umask()


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.slow
def test_temporary_folder_gone(tmp_path):
    write_table(tmp_path)
    gone = {"TMPDIR": str(tmp_path / "gone"), "TEMP": "", "TMP": ""}
    assert outcome(start(tmp_path, "--folds", "0", env=gone))[0] == 0
    assert sorted(os.listdir(tmp_path / "out")) == FILES


@pytest.mark.slow
@pytest.mark.parametrize("gib", [2, 1.2])
def test_memory_limit(gib, tmp_path):
    """6000 x 20000 numbers are 0.9 GiB, and the work on them needs more."""
    from numpy.lib.format import write_array_header_1_0

    with (tmp_path / "t.npy").open("wb") as file:
        shape = {"descr": "<f8", "fortran_order": False, "shape": (6000, 20_000)}
        write_array_header_1_0(file, shape)
        file.truncate(file.tell() + 8 * 6000 * 20_000)
    process = subprocess.Popen(
        [sys.executable, "-m", "inffs", "select", "t.npy", "-o", "out", "-m", "laplacian"],
        cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (int(gib * 2**30),) * 2),
    )  # fmt: skip
    code, said = outcome(process)
    assert_one_sentence(code, said)
    assert os.listdir(tmp_path) == ["t.npy"]


@pytest.mark.parametrize("place", [pytest.param("out", marks=pytest.mark.slow), "parent"])
def test_output_folder_is_a_file(place, tmp_path):
    write_table(tmp_path)
    (tmp_path / place).write_text("mine")
    words = ["-o", "parent/out"] if place == "parent" else []
    assert_one_sentence(*outcome(start(tmp_path, "--folds", "0", *words)))
    assert (tmp_path / place).read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == sorted([place, "t.npz"])


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_standard_output_on_a_full_disk(tmp_path):
    write_table(tmp_path)
    words = [sys.executable, "-m", "inffs", "rank", "t.npz", "-l", "y"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "No space left" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="mounting needs root")
def test_full_file_system_leaves_nothing(tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)])
    if mounted.returncode:
        pytest.skip("no tmpfs can be mounted here")
    try:
        write_table(tmp_path)
        assert_one_sentence(*outcome(start(tmp_path, "--folds", "0", "-o", "small/out")))
        assert os.listdir(small) == []
    finally:
        subprocess.run(["umount", str(small)], check=True)
