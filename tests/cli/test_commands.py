"""``inffs rank``, ``methods``, ``demo``, help and completion."""

import json
import re
import subprocess
import sys
from io import StringIO

import pandas as pd
import pytest

from inffs import catalogue, rank
from tests.command import on_a_terminal
from tests.io.make_files import sample


def test_rank_prints_csv_and_json_when_piped(inffs, table):
    words = ["rank", table, "--label", "status", "--index", "sample", "--method", "fisher"]
    X, labels, _ = sample()
    selector = rank(X, labels, method="fisher")
    printed = pd.read_csv(StringIO(inffs(*words).stdout))
    assert list(printed.feature) == [f"gene {place}" for place in selector.order_]
    listed = json.loads(inffs(*words, "--format", "json", "--top", 3).stdout)
    assert [row["rank"] for row in listed] == [1, 2, 3]
    assert listed[0]["score"] == pytest.approx(selector.scores_.max())


def test_a_terminal_gets_a_table_and_bars(table, tmp_path):
    said = on_a_terminal(["rank", table, "-l", "status", "--index", "sample"], tmp_path)
    assert "█" in said
    assert "selects" in said
    words = ["select", table, "-l", "status", "--index", "sample", "-m", "inf-fs-u", "-k", 3]
    said = on_a_terminal([*words, "--folds", 2], tmp_path)
    assert "evaluating" in said, "no progress bar was drawn"
    said = on_a_terminal([*words, "--folds", 0, "--force", "-q"], tmp_path)
    assert said == ""


def test_verbose_tells_the_steps(inffs, table):
    done = inffs("rank", table, "-l", "status", "--index", "sample", "-v")
    assert "30 samples, 8 features" in done.stderr
    assert "Ranked with InfFSC" in done.stderr


def test_a_closed_pipe_is_no_error(table, tmp_path):
    shell = f"{sys.executable} -m inffs rank {table} -l status --index sample -m fisher | head -1"
    done = subprocess.run(shell, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "rank,feature,score,kept\n"
    assert done.stderr == ""


def test_methods_lists_the_catalogue_and_tells_of_one(inffs):
    listed = [line.split("\t")[0] for line in inffs("methods").stdout.splitlines()[1:]]
    assert listed == [entry.key for entry in catalogue()]
    told = inffs("methods", "inf-fs-u").stdout
    assert "Roffo" in told
    assert "alpha" in told
    wrong = inffs("methods", "inf-fs-x")
    assert wrong.returncode == 1
    assert "Did you mean" in wrong.stderr


def test_demo_ends_with_the_report(inffs, tmp_path):
    (tmp_path / "inffs-demo").mkdir()
    (tmp_path / "inffs-demo" / "report.html").write_text("an earlier demo, which may be replaced")
    done = inffs("demo")
    assert done.returncode == 0, done.stderr
    found = re.search(
        r"(\d+) of the selected features (is a shuffled copy|are shuffled)", done.stdout
    )
    kept = re.search(r"Selected (\d+) of 210", done.stdout)
    assert int(found[1]) <= 0.1 * int(kept[1])
    assert done.stdout.strip().endswith("Open inffs-demo/report.html in a browser.")
    assert (tmp_path / "inffs-demo" / "report.html").stat().st_size > 10_000
    assert "worst concave points" in done.stdout
    assert "inf-fs-s" in done.stdout
    page = (tmp_path / "inffs-demo" / "report.html").read_text("utf-8")
    assert "Paths as branches" in page


@pytest.mark.parametrize("words", [[], ["select"], ["rank"], ["methods"], ["demo"]])
def test_help_pages(words):
    from typer.testing import CliRunner

    from inffs.cli import build_app

    done = CliRunner().invoke(build_app(), [*words, "--help"], env={"COLUMNS": "100"})
    assert done.exit_code == 0
    assert "Usage: " in done.output
    assert "--debug" in done.output or not words


def test_version_usage_and_completion(inffs):
    from inffs import __version__

    assert inffs("--version").stdout.strip() == f"inffs {__version__}"
    assert inffs("nonsense").returncode == 2
    assert inffs().returncode == 2
    asked = {"_INFFS_COMPLETE": "complete_bash", "COMP_WORDS": "inffs sel", "COMP_CWORD": "1"}
    assert inffs(env=asked).stdout.split() == ["select"]
    asked["COMP_WORDS"], asked["COMP_CWORD"] = "inffs rank t.csv --method fis", "4"
    assert "fisher" in inffs(env=asked).stdout.split()
