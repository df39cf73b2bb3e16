"""Odd terminals, odd file names, interrupts and early refusals: the command keeps its manners."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from tests.io.make_files import frame
from tests.system import hear_interrupts, needs_posix


@pytest.fixture
def snow(tmp_path):
    """A table whose names are beyond latin-1."""
    data = frame().rename(columns={"gene 1": "☃ größe", "gene 4": "漢字"})
    data.to_csv(tmp_path / "snow.csv", index=False)
    return ["snow.csv", "-l", "status", "--index", "sample"]


@pytest.mark.parametrize("encoding", ["ascii", pytest.param("latin-1", marks=pytest.mark.slow)])
def test_a_terminal_that_cannot_show_every_sign(encoding, inffs, snow, tmp_path):
    told = {"PYTHONIOENCODING": encoding}
    done = inffs("select", *snow, "--no-report", env=told)
    assert done.returncode == 0, done.stderr
    assert "ranking.csv" in done.stdout
    assert "☃ größe" in (tmp_path / "inffs-snow" / "ranking.csv").read_text(encoding="utf-8")
    ranked = inffs("rank", *snow, env=told)
    assert ranked.returncode == 0, ranked.stderr
    assert "\\u2603 gr" in ranked.stdout  # written out, not lost


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux")
@pytest.mark.parametrize("ending", [".csv", ".parquet", ".npz"])
def test_a_file_name_in_latin_1(ending, inffs, tmp_path):
    from tests.io.make_files import write

    path, *_ = write(ending, tmp_path)
    odd = os.fsencode(tmp_path) + b"/caf\xe9" + ending.encode()
    os.rename(path, odd)
    name = os.fsdecode(b"caf\xe9" + ending.encode())
    done = inffs("select", name, "-l", "status", "--index", "sample", "--folds", 0)
    assert done.returncode == 0, done.stderr
    (folder,) = [entry for entry in os.listdir(tmp_path) if entry.startswith("inffs-")]
    run = json.loads((tmp_path / folder / "run.json").read_text(encoding="utf-8"))
    assert run["table"] == name
    assert (tmp_path / folder / "report.html").exists()


def test_no_correlations_without_a_report(inffs, tmp_path):
    frame().to_csv(tmp_path / "t.csv", index=False)
    words = ["select", "t.csv", "-l", "status", "--index", "sample", "--folds", 0]
    assert inffs(*words, "--no-report").returncode == 0
    short = pd.read_csv(tmp_path / "inffs-t" / "ranking.csv")
    assert not [name for name in short if "correlation" in name or "partner" in name]
    assert inffs(*words, "-o", "whole").returncode == 0
    whole = pd.read_csv(tmp_path / "whole" / "ranking.csv")
    pd.testing.assert_frame_equal(short, whole[list(short)])


@pytest.mark.parametrize("file", ["ranking.csv", "report.html", "run.json", "selected.csv"])
def test_what_exists_is_refused_before_anything_is_read(file, inffs, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / file).write_text("mine")
    (tmp_path / "t.csv").write_text("no table at all")
    done = inffs("select", "t.csv", "-o", "out")
    assert done.returncode == 1
    assert "exists already: --force overwrites" in " ".join(done.stderr.split())


@needs_posix
@pytest.mark.parametrize(
    ("words", "moment"),
    [
        (["-m", "inffs"], 0.02),
        (["SCRIPT"], 0.5),
        pytest.param(["-m", "inffs"], 0.5, marks=pytest.mark.slow),
        pytest.param(["SCRIPT"], 0.02, marks=pytest.mark.slow),
    ],
)
def test_an_early_interrupt_prints_no_traceback(moment, words, tmp_path):
    np.savez(tmp_path / "t.npz", X=np.random.default_rng(0).normal(size=(300, 3000)))
    if words == ["SCRIPT"]:
        (tmp_path / "inffs").write_text("from inffs.cli import main\nmain()\n")
        words = [str(tmp_path / "inffs")]
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", *words, "select", "t.npz"], cwd=tmp_path,
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, preexec_fn=hear_interrupts,
    )  # fmt: skip
    said = []
    for line in process.stderr:  # wait until it is at our package
        said.append(line)
        if "inffs._version" in line:
            break
    time.sleep(moment)
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=120)[1]
    assert process.returncode == 1
    assert "Traceback" not in rest
    assert "Interrupted" in rest


@pytest.mark.parametrize(
    ("flags", "code", "sentence"),
    [
        (["--keep", "0"], 2, "--keep takes auto, all, a number from 1"),
        (["--keep", "150%"], 2, "--keep takes auto, all, a number from 1"),
        (["--keep", "nonsense"], 1, "--keep nonsense is no cut."),
        (
            ["--max-correlation", "2"],
            1,
            "--max-correlation must be a float in the range",
        ),
        (["--min-features", "5", "--max-features", "2"], 1, "--min-features 5, but at most 2"),
        (["--labels", "few.csv"], 1, "leave these samples out (--allow"),
    ],
)
def test_errors_name_flags_and_no_parameters(inffs, tmp_path, flags, code, sentence):
    data = frame()
    data.to_csv(tmp_path / "t.csv", index=False)
    data[["sample", "status"]].iloc[:9].to_csv(tmp_path / "few.csv", index=False)
    if "--labels" in flags:
        data.drop(columns="status").to_csv(tmp_path / "t.csv", index=False)
    done = inffs("rank", "t.csv", "-l", "status", "--index", "sample", *flags)
    assert done.returncode == code
    said = " ".join(done.stderr.split())
    assert sentence in said
    assert not re.search(r"\b(n_features|min_features|max_corr|allow_missing)", said)


def test_a_table_without_samples_is_named(inffs, tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n")
    done = inffs("rank", "t.csv")
    assert done.returncode == 1
    assert "t.csv has no samples" in done.stderr
