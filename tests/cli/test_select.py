"""``inffs select``: every format against the Python API, errors, interruption, full disks."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from inffs import rank
from inffs.io import read_table
from inffs.io._formats import find_format
from tests.io.make_files import KINDS, frame, sample, write
from tests.system import hear_interrupts, needs_limits, needs_posix

QUICK = {".csv", ".parquet"}
EVERY_KIND = [pytest.param(kind, marks=[] if kind in QUICK else pytest.mark.slow) for kind in KINDS]
FILES = ["ranking.csv", "report.html", "run.json", "selected.csv"]


def names_in(folder):
    return sorted(path.name for path in Path(folder).iterdir())


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_format_gives_what_the_python_interface_gives(kind, inffs, tmp_path):
    path, label, index, _ = write(kind, tmp_path)
    options = ["--label", label] if label else []
    options += ["--index", index] if index else []
    done = inffs("select", path, *options, "--keep", 3, "--out", "out", "--folds", 2)
    assert done.returncode == 0, done.stderr
    table = read_table(path, label=label, index=index)
    method = "inf-fs-c" if label else "inf-fs-u"
    selector = rank(table.X, table.y, method=method, n_features_to_select=3)
    ranking = pd.read_csv(tmp_path / "out" / "ranking.csv", dtype={"feature": str})
    assert list(ranking.feature) == [table.names[place] for place in selector.order_]
    np.testing.assert_allclose(ranking.score, selector.scores_[selector.order_], rtol=1e-12)
    assert ranking.kept.sum() == 3
    form, _ = find_format(f"t{kind}")
    selected = tmp_path / "out" / f"selected{form.written_as(kind)}"
    selected = read_table(selected, label=label, index=index or (0 if form.write is None else None))
    kept = table.X[:, selector.support_]
    if hasattr(kept, "toarray"):
        kept = kept.toarray()
    if hasattr(selected.X, "toarray"):
        selected.X = selected.X.toarray()
    np.testing.assert_allclose(selected.X, kept, rtol=1e-12)
    if label:
        np.testing.assert_array_equal(selected.y, table.y)


def test_what_a_run_leaves_behind(inffs, table, tmp_path):
    done = inffs("select", table, "--label", "status", "--index", "sample")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "inffs-table"
    assert names_in(folder) == FILES
    run = json.loads((folder / "run.json").read_text())
    assert run["sha256"] == hashlib.sha256(table.read_bytes()).hexdigest()
    assert run["method"] == "inf-fs-c"
    assert run["command"].startswith("inffs select ")
    assert set(run["versions"]) >= {"python", "inffs", "numpy", "scikit-learn"}
    assert run["seed"] == 0
    assert f"Selected {run['selected']} of 8 features" in done.stdout
    assert "report.html" in done.stdout
    assert done.stderr == ""
    ranking = pd.read_csv(folder / "ranking.csv")
    assert list(ranking.columns) == [
        "feature", "score", "rank", "kept", "tied_with", "dispersion", "fisher",
        "mutual_information", "direction", "difference", "fold_change", "auc", "effect_p",
        "effect_q", "kept_in_folds", "mean_abs_correlation", "most_redundant_partner",
        "partner_abs_correlation", "position",
    ]  # fmt: skip
    assert set(ranking["direction"].str.partition(" in ")[0]) <= {"high", "low"}


def test_the_command_in_run_json_repeats_the_run(inffs, table, tmp_path):
    inffs("select", "table.csv", "-l", "status", "--index", "sample", "-k", "0.5", "--folds", 0)
    first = (tmp_path / "inffs-table" / "ranking.csv").read_bytes()
    run = json.loads((tmp_path / "inffs-table" / "run.json").read_text())
    done = inffs(*run["command"].split()[1:], "--force")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "inffs-table" / "ranking.csv").read_bytes() == first


def test_methods_with_parameters_and_cuts(inffs, table, tmp_path):
    done = inffs(
        "select", table, "--index", "sample", "--drop", "status", "--keep", "histogram",
        "--method", "inf-fs-u[alpha=0.2,regularization=markov]", "--out", "o", "-q",
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    run = json.loads((tmp_path / "o" / "run.json").read_text())
    X = sample()[0]
    expected = rank(
        X, method="inf-fs-u", alpha=0.2, regularization="markov", n_features_to_select="histogram"
    )
    assert run["selected"] == expected.n_features_
    assert run["parameters"]["alpha"] == 0.2
    assert run["cut"]["name"] == "histogram"


def test_text_and_gaps_with_a_choice(inffs, tmp_path):
    data = frame()
    data["sex"] = ["f", "m", "m"] * 10
    data.loc[3, "gene 2"] = np.nan
    data.to_csv(tmp_path / "t.csv", index=False)
    words = ["select", "t.csv", "-l", "status", "--index", "sample", "--no-report", "-k", 4]
    refused = inffs(*words)
    assert refused.returncode == 1
    assert "'sex' (2 different values)" in refused.stderr
    refused = inffs(*words, "--encode", "onehot")
    assert "'gene 2' (1 of 30)" in refused.stderr
    assert not (tmp_path / "inffs-t").exists()
    done = inffs(*words, "--encode", "onehot", "--impute", "knn")
    assert done.returncode == 0
    assert "1 missing value in 1 column" in done.stderr
    ranking = pd.read_csv(tmp_path / "inffs-t" / "ranking.csv")
    assert {"sex=f", "sex=m"} <= set(ranking.feature)
    assert names_in(tmp_path / "inffs-t") == ["ranking.csv", "run.json", "selected.csv"]


def test_samples_as_columns(inffs, tmp_path):
    frame().set_index("sample").T.to_csv(tmp_path / "t.csv", index_label="gene")
    done = inffs("select", "t.csv", "--transpose", "--label", "status", "-k", 2, "--folds", 0)
    assert done.returncode == 0, done.stderr
    selected = pd.read_csv(tmp_path / "inffs-t" / "selected.csv", index_col="gene")
    assert set(selected.index) >= {"gene 1", "status"}
    assert list(selected) == [f"s{i}" for i in range(30)]


def test_existing_output_is_kept_without_force(inffs, table, tmp_path):
    words = ["select", table, "-l", "status", "--index", "sample", "-o", "out", "--folds", 0]
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "ranking.csv").write_text("mine")
    refused = inffs(*words)
    assert refused.returncode == 1
    assert "exists already: --force overwrites" in refused.stderr
    assert (tmp_path / "out" / "ranking.csv").read_text() == "mine"
    assert names_in(tmp_path / "out") == ["ranking.csv"]
    assert inffs(*words, "--force").returncode == 0
    assert names_in(tmp_path / "out") == FILES


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--method", "inf-fs-z"], 2, "no method 'inf-fs-z'. Did you mean inf-fs"),
        (["--method", "fisher[x=1]", "-l", "status"], 2, "no parameter 'x'"),
        (["--method", "fisher"], 2, "--label"),
        (["--label", "statos"], 1, "Did you mean 'status'"),
        (["--label", "status", "--index", "sample", "--keep", "99"], 1, "only 8 features"),
        (["--label", "status", "--index", "sample", "--keep", "knea"], 1, "Did you mean knee"),
        (["--nonsense"], 2, "No such option"),
        (["--encode", "hash"], 2, "onehot"),
    ],
)
def test_errors_are_one_sentence(words, code, said, inffs, table, tmp_path):
    done = inffs("select", table, *words)
    assert done.returncode == code
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert names_in(tmp_path) == ["table.csv"]


def test_debug_shows_the_traceback(inffs, table):
    done = inffs("select", table, "--label", "nobody", "--debug")
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_missing_file_and_unknown_ending(inffs, tmp_path):
    assert "There is no file" in inffs("select", "none.csv").stderr
    (tmp_path / "t.xyz").write_text("")
    assert "no ending of a known format" in inffs("select", "t.xyz").stderr


def test_unwritable_folder(inffs, table, tmp_path):
    folder = tmp_path / "shut"
    folder.mkdir()
    folder.chmod(0o555)
    if os.access(folder, os.W_OK):  # root may write anywhere but here
        folder = Path("/proc/self/fdinfo")
    words = ["select", table, "-l", "status", "--index", "sample", "--folds", 0]
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    done = inffs(*words, "--out", folder / "out")
    assert done.returncode == 1
    assert str(folder) in done.stderr
    assert "Traceback" not in done.stderr
    earlier = inffs("select", "other.csv", *words[2:], "--out", folder / "out")  # no such column
    assert str(folder) in earlier.stderr  # before the table is read
    assert "status" not in earlier.stderr


@needs_limits
def test_full_disk_leaves_nothing(inffs, table, tmp_path):
    """A limit on file sizes fails the writing as a full disk does."""
    words = ["select", table, "-l", "status", "--index", "sample", "--folds", 0, "-o", "out"]
    done = inffs(*words, FSIZE=20_000)
    assert done.returncode == 1
    assert "too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert names_in(tmp_path) == ["table.csv"]


@needs_posix
@pytest.mark.parametrize(
    "sign", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_interruption_leaves_nothing(sign, tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "big.npz", X=rng.normal(size=(300, 9000)), y=np.arange(300) % 3)
    words = ["select", "big.npz", "-l", "y", "-m", "inf-fs-u", "-o", "out", "--folds", "2"]
    started = subprocess.Popen(
        [sys.executable, "-m", "inffs", *words],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "100"},
        preexec_fn=hear_interrupts,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob(".out-*/run/ranking.csv")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert started.poll() is None, "the run ended before it could be interrupted"
    started.send_signal(sign)
    _, said = started.communicate(timeout=60)
    assert started.returncode == 1
    assert "Interrupted" in said
    assert "Traceback" not in said
    assert names_in(tmp_path) == ["big.npz"]


def write_csv(path, columns):
    names = list(columns)
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(names), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_guards_speak_and_the_flag_they_name_helps(inffs, tmp_path):
    rng = np.random.default_rng(0)
    columns = {f"c{place}": rng.normal(size=40) for place in range(4)}
    columns["loud"] = 1e6 * rng.normal(size=40)
    columns["state"] = np.arange(40) % 2
    write_csv(tmp_path / "units.csv", columns)
    silent = inffs("rank", "units.csv", "--label", "state")
    assert silent.returncode == 0, silent.stderr
    assert "different units" not in silent.stderr  # no unit changes what inf-fs-c ranks
    words = ["units.csv", "--label", "state", "-m", "inf-fs-s"]
    said = inffs("select", *words, "--no-report")
    assert "different units" in said.stderr
    assert "--scale range" in said.stderr
    again = inffs("rank", *words, "--scale", "range", "--top", 5)
    assert again.returncode == 0, again.stderr
    assert "different units" not in again.stderr
    run = json.loads((tmp_path / "inffs-units" / "run.json").read_text())
    assert any("different units" in sentence for sentence in run["guards"])


def test_numbers_as_a_label_are_explained_as_numbers(inffs, tmp_path):
    rng = np.random.default_rng(0)
    columns = {f"c{place}": rng.normal(size=60) for place in range(5)}
    columns["age"] = np.round(40 + 10 * columns["c2"] + rng.normal(size=60)).astype(int)
    write_csv(tmp_path / "ages.csv", columns)
    regression = ("--target-type", "regression")
    found = inffs("rank", "ages.csv", "--label", "age", "--format", "json", *regression)
    assert json.loads(found.stdout)[0]["feature"] == "c2", found.stderr
    wrong = inffs(
        "rank", "ages.csv", "--label", "age", "--target-type", "regression", "-m", "svm-rfe"
    )
    assert wrong.returncode == 2
    assert "inf-fs-c" in wrong.stderr


def test_a_share_of_the_features(inffs, table, tmp_path):
    words = ["--label", "status", "--index", "sample", "--no-report", "--keep", "50%"]
    assert inffs("select", table.name, *words).returncode == 0
    run = json.loads(next(tmp_path.glob("inffs-*/run.json")).read_text())
    assert run["selected"] == round(run["features"] / 2)


def test_flags_have_no_type_in_the_help(inffs):
    words = inffs("select", "--help").stdout
    assert "<bool>" not in words
    assert "'KEY[param=value]'" in words


def test_labels_in_a_second_file(inffs, tmp_path):
    data = frame()
    data.drop(columns="status").to_csv(tmp_path / "t.csv", index=False)
    data[["sample", "status"]].iloc[1:].to_csv(tmp_path / "pheno.csv", index=False)
    words = ["select", "t.csv", "--labels", "pheno.csv", "--on", "sample", "--label", "status"]
    stopped = inffs(*words, "--no-report")
    assert stopped.returncode == 1
    assert "'s0'" in stopped.stderr
    assert "--allow-missing-samples" in stopped.stderr
    done = inffs(*words, "--no-report", "--allow-missing-samples")
    assert done.returncode == 0, done.stderr
    assert "'s0'" in done.stderr
    selected = pd.read_csv(tmp_path / "inffs-t" / "selected.csv")
    assert list(selected["status"]) == list(data["status"][1:])
    assert list(selected["sample"]) == list(data["sample"][1:])


def test_a_file_without_header(inffs, tmp_path):
    frame().drop(columns="sample").to_csv(tmp_path / "t.csv", index=False, header=False)
    guessed = inffs("rank", "t.csv", "--label", -1)
    told = inffs("rank", "t.csv", "--label", -1, "--no-header")
    assert guessed.returncode == told.returncode == 0, guessed.stderr
    assert guessed.stdout == told.stdout
    assert "--header" in " ".join(guessed.stderr.split())
