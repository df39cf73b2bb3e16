"""Kills, full disks, missing folders and memory limits: whole files or none, and a sentence."""

import contextlib
import hashlib
import itertools
import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from inffs import Consensus
from inffs.comparison.dataset import Dataset
from inffs.comparison.methods import find_method
from inffs.comparison.process import Child, Limits
from inffs.comparison.protocol import Protocol
from inffs.comparison.store import LINES, MEASURED, Store
from inffs.comparison.trial import Trial
from inffs.io import Table
from inffs.methods import FisherScore
from inffs.report._outputs import _all_at_once, write_outputs
from inffs.report._report import Study
from reproduction.fetch import download
from reproduction.registry import DataFile
from reproduction.suite import reproduce
from tests.command import run_inffs
from tests.system import KILL, needs_fork, needs_limits, needs_posix, needs_root

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


def random_moments(count, low=0.3, high=1.1):
    """Shares of a whole run's time, spread and jittered."""
    rng = np.random.default_rng(0)
    return np.linspace(low, high, count) + rng.uniform(-0.02, 0.02, count)


@pytest.mark.slow
def test_kill_select_at_twenty_moments_leaves_all_or_nothing(tmp_path):
    write_table(tmp_path)
    began = time.monotonic()
    assert outcome(start(tmp_path, "--folds", "2"))[0] == 0
    whole = time.monotonic() - began
    out = tmp_path / "out"
    expected = {name: (out / name).read_bytes() for name in ("ranking.csv", "report.html")}
    finished = 0
    for share in random_moments(20):
        for name in FILES:
            (out / name).unlink()
        out.rmdir()
        process = start(tmp_path, "--folds", "2")
        time.sleep(share * whole)
        process.kill()
        process.communicate()
        if not out.exists():
            assert outcome(start(tmp_path, "--folds", "2"))[0] == 0
        else:
            finished += 1
        assert sorted(os.listdir(out)) == FILES
        json.loads((out / "run.json").read_text())
        assert (out / "ranking.csv").read_bytes() == expected["ranking.csv"]
    assert finished < 20


def put(out, number):
    with _all_at_once(out) as beside:
        for name in FILES:
            (beside / name).write_text(str(number))


def put_for_ever(out):
    for number in itertools.count():
        put(out, number)


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_kill_at_any_moment_of_replacing_a_run(tmp_path):
    """The folder holds one run, never files of two; absent, the old one lies whole beside it."""
    for moment in np.random.default_rng(0).uniform(0.01, 0.1, 20):
        out = tmp_path / str(moment) / "out"
        put(out, "old")
        process = multiprocessing.get_context("fork").Process(target=put_for_ever, args=[out])
        process.start()
        time.sleep(moment)
        process.kill()
        process.join()
        (held,) = [out] if out.exists() else out.parent.glob(".out-*/old")
        assert sorted(os.listdir(held)) == FILES
        assert len({(held / name).read_text() for name in FILES}) == 1


@needs_posix
def test_force_replaces_the_run_and_nothing_else(tmp_path):
    rng = np.random.default_rng(0)
    table = Table(rng.normal(size=(20, 8)), list("abcdefgh"), np.arange(20) % 2, "y")
    out = tmp_path / "out"
    out.mkdir(mode=0o750)

    def run(keep, **options):
        selector = FisherScore(n_features_to_select=keep).fit(table.X, table.y)
        study = Study(selector, table.X, table.y, table.names, folds=0, **options)
        write_outputs(study, table, out, ending=".npz", force=True)
        assert json.loads((out / "run.json").read_text())["selected"] == keep

    run(2)
    run(3, thorough=False)
    assert sorted(os.listdir(out)) == [name for name in FILES if name != "report.html"]
    assert out.stat().st_mode & 0o777 == 0o750
    (out / "notes.txt").write_text("mine")
    run(4)
    assert (out / "notes.txt").read_text() == "mine"
    assert os.listdir(tmp_path) == ["out"]


@needs_posix
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


def write_labels(folder):
    rng = np.random.default_rng(1)
    Y = np.eye(3, dtype=int)[np.arange(45) % 3]
    X = rng.normal(size=(45, 30))
    X[:, :3] += 3 * Y
    np.savez(folder / "voc.npz", X=X, Y=Y)


def command(folder, out):
    """``python -m reproduction run`` on a small table of one's own."""
    words = ["--datasets", "voc2007[path=voc.npz]", "--sizes", "2,5", "--splits", "3"]
    words += ["--methods", "variance,laplacian,inf-fs-u[alpha=0.5],inf-fs-s[weights=(0.5,0.5,0)]"]
    sources = filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")])
    known = {"PYTHONPATH": os.pathsep.join(sources), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "reproduction", "run", "-q", "--jobs", "2", "--out", out, *words],
        cwd=folder, env={**os.environ, **known},
    )  # fmt: skip


def compare_command(folder, out):
    """``inffs compare`` on a small table of one's own."""
    words = ["t.npz", "--label", "y", "--sizes", "2,5", "--splits", "3", "--methods",
             "variance,fisher,mi,inf-fs-s[weights=(0.5,0.5,0)]"]  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "inffs", "compare", "-q", "--jobs", "2", "--out", out, *words],
        cwd=folder, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}, stdout=subprocess.DEVNULL,
    )  # fmt: skip


class Forked:
    """The same without the command, from a fork: nothing has to be imported again."""

    def __init__(self, folder, out):
        data, methods = f"voc2007[path={folder / 'voc.npz'}]", ["variance", "inf-fs-u[alpha=0.5]"]
        self._process = multiprocessing.get_context("fork").Process(
            target=reproduce,
            args=(folder / out,),
            kwargs={"names": [data], "methods": methods, "sizes": (2, 5), "splits": 4},
        )
        self._process.start()
        self.kill = self._process.kill

    def poll(self):
        return self._process.exitcode

    def wait(self):
        self._process.join()
        return self._process.exitcode


def trials_in(folder):
    """The number of trials that a folder holds, without opening it."""
    path = folder / LINES
    return path.read_bytes().count(b'{"rows"') if path.exists() else 0


def results(folder):
    return Store(folder).frame().drop(columns=list(MEASURED))


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*was previously imported")  # coverage, in the fork
@pytest.mark.parametrize(
    ("start", "moments"),
    [
        (Forked, 3),
        pytest.param(command, 20, marks=pytest.mark.slow),
        pytest.param(compare_command, 20, marks=pytest.mark.slow),
    ],
)
def test_killed_benchmark_resumes_to_the_identical_table(start, moments, tmp_path):
    """One run in pieces: each is killed after some more trials, the next goes on."""
    write_labels(tmp_path)
    write_table(tmp_path, n=30)
    assert start(tmp_path, "whole").wait() == 0
    expected = results(tmp_path / "whole")
    rng = np.random.default_rng(0)
    for number in range(moments):
        out = tmp_path / f"run{number // 5}"  # every fifth time a new one, so that there is work
        before = trials_in(out)
        process = start(tmp_path, out.name)
        while process.poll() is None and trials_in(out) <= before:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.2))
        process.kill()
        process.wait()
        kept = results(out)
        so_far = expected[expected["trial"].isin(set(kept["trial"]))]
        pd.testing.assert_frame_equal(kept, so_far.reset_index(drop=True))
    for out in tmp_path.glob("run*"):
        assert start(tmp_path, out.name).wait() == 0
        pd.testing.assert_frame_equal(results(out), expected)


class Slowly(BaseHTTPRequestHandler):
    """Serves a file in forty pieces, three milliseconds apart."""

    content = np.random.default_rng(2).bytes(400_000)

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()
        with contextlib.suppress(OSError):
            for start in range(0, len(self.content), 10_000):
                self.wfile.write(self.content[start : start + 10_000])
                time.sleep(0.003)

    def log_message(self, *_):
        pass


@pytest.fixture
def slow_server():
    service = ThreadingHTTPServer(("127.0.0.1", 0), Slowly)
    service.daemon_threads = True
    threading.Thread(target=service.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{service.server_port}/"
    service.shutdown()
    service.server_close()


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_kill_at_twenty_moments_of_a_download(slow_server, tmp_path):
    sha256 = hashlib.sha256(Slowly.content).hexdigest()
    file = DataFile("raw/table.csv", slow_server + "table.csv", sha256)
    began = time.monotonic()
    download(file, tmp_path)
    taken = time.monotonic() - began  # and what it imports is there for every child
    absent = 0
    for moment in np.random.default_rng(0).uniform(0.0, 1.2, 20):
        cache = tmp_path / str(moment)
        child = multiprocessing.get_context("fork").Process(target=download, args=(file, cache))
        child.start()
        time.sleep(moment * taken)
        child.kill()
        child.join()
        path = cache / "table.csv"
        absent += not path.exists()
        assert not path.exists() or path.read_bytes() == Slowly.content
    assert absent
    assert download(file, cache).read_bytes() == Slowly.content


# -- workers that die


class Deadly(BaseEstimator):
    """A selector whose process is killed, as the kernel does where memory runs out."""

    def fit(self, X, y):
        os.kill(os.getpid(), KILL)

    def get_support(self):
        """Nothing: it never gets so far."""


def test_worker_of_an_estimator_dies():
    rng = np.random.default_rng(0)
    selector = Consensus([Deadly(), Deadly()], n_jobs=2)
    with pytest.raises(RuntimeError, match=r"A worker process .* smaller n_jobs"):
        selector.fit(rng.normal(size=(30, 6)), np.arange(30) % 2)


def test_child_of_a_comparison_dies_while_idle():
    """The trial that finds its process dead is a crash, and no result of the method."""
    rng = np.random.default_rng(0)
    dataset = Dataset("t", rng.normal(size=(30, 5)), np.arange(30) % 2, list("abcde"))
    trial = Trial(find_method("variance"), 0, Protocol(sizes=(2,), n_splits=1, Cs=(1.0,)))
    child = Child()
    os.kill(child.process.pid, KILL)
    status, reason = child.run(dataset, trial, Limits())
    assert status == "crashed"
    assert reason.startswith("its process died")
    assert not child.alive


@pytest.mark.slow
def test_temporary_folder_gone(tmp_path):
    write_table(tmp_path)
    gone = {"TMPDIR": str(tmp_path / "gone"), "TEMP": "", "TMP": ""}
    assert outcome(start(tmp_path, "--folds", "0", env=gone))[0] == 0
    assert sorted(os.listdir(tmp_path / "out")) == FILES


@pytest.mark.slow
@needs_limits
@pytest.mark.parametrize("gib", [2, 1.2])
def test_memory_limit(gib, tmp_path):
    """6000 x 20000 numbers are 0.9 GiB, and the work on them needs more."""
    from numpy.lib.format import write_array_header_1_0

    with (tmp_path / "t.npy").open("wb") as file:
        shape = {"descr": "<f8", "fortran_order": False, "shape": (6000, 20_000)}
        write_array_header_1_0(file, shape)
        file.truncate(file.tell() + 8 * 6000 * 20_000)
    done = run_inffs(["select", "t.npy", "-m", "laplacian"], tmp_path, AS=gib * 2**30)
    assert_one_sentence(done.returncode, done.stderr)
    assert os.listdir(tmp_path) == ["t.npy"]


@pytest.mark.parametrize("place", [pytest.param("out", marks=pytest.mark.slow), "parent"])
def test_output_folder_is_a_file(place, tmp_path):
    write_table(tmp_path)
    (tmp_path / place).write_text("mine")
    out = {"parent": "parent/out", "out": "out"}[place]
    done = run_inffs(["select", "t.npz", "-l", "y", "--folds", 0, "-o", out], tmp_path)
    assert_one_sentence(done.returncode, done.stderr)
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


@contextlib.contextmanager
def file_system(folder, options):
    """A file system of its own on a folder."""
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]).returncode:
        pytest.skip("no tmpfs can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.slow
@needs_root
def test_full_file_system_leaves_nothing(tmp_path):
    with file_system(tmp_path / "small", "size=64k"):
        write_table(tmp_path)
        assert_one_sentence(*outcome(start(tmp_path, "--folds", "0", "-o", "small/out")))
        assert os.listdir(tmp_path / "small") == []


@needs_root
@pytest.mark.parametrize("out", ["fixed", "fixed/out"])
def test_a_folder_that_is_read_only(out, tmp_path):
    write_table(tmp_path)
    with file_system(tmp_path / "fixed", "size=1m,ro"):
        words = ["select", "t.npz", "-l", "y", "--folds", 0, "--force", "-o", out]
        done = run_inffs(words, tmp_path)
        assert_one_sentence(done.returncode, done.stderr)
        assert "fixed" in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["fixed", "t.npz"]


@needs_root
def test_a_folder_into_which_nothing_can_be_renamed(tmp_path):
    """It is a file system of its own, such as a volume of a container."""
    write_table(tmp_path)
    with file_system(tmp_path / "out", "size=9m"):
        for keep in (3, 2):
            words = ["select", "t.npz", "-l", "y", "--folds", 0, "--force", "--keep", keep]
            done = run_inffs([*words, "-o", "out"], tmp_path)
            assert done.returncode == 0, done.stderr
            assert sorted(os.listdir(tmp_path / "out")) == FILES
            assert json.loads((tmp_path / "out" / "run.json").read_text())["selected"] == keep
        assert sorted(os.listdir(tmp_path)) == ["out", "t.npz"]


def as_another_user(work, *arguments):
    """Do this in a process without any right of ours; gives the exit code."""

    def without_rights():
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        work(*arguments)

    process = multiprocessing.get_context("fork").Process(target=without_rights)
    process.start()
    process.join()
    return process.exitcode


@needs_root
@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_folders_of_other_users():
    """A folder of one's own is written wherever it is; a run of somebody else stays as it is."""
    with TemporaryDirectory() as place:
        parent = Path(place)
        parent.chmod(0o755)
        mine, theirs = parent / "mine", parent / "theirs"
        mine.mkdir()
        os.chown(mine, 65534, 65534)
        for number in (1, 2):
            assert as_another_user(put, mine, number) == 0
            assert {(mine / name).read_text() for name in FILES} == {str(number)}
            assert sorted(os.listdir(mine)) == FILES
        put(theirs, 0)
        assert as_another_user(put, theirs, 1) == 1
        assert as_another_user(put, parent / "new", 1) == 1
        assert {(theirs / name).read_text() for name in FILES} == {"0"}
        assert sorted(os.listdir(parent)) == ["mine", "theirs"]
