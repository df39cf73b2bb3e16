"""What a table or a file is called never steers the terminal."""

import csv
import json

import numpy as np
import pytest

from inffs._utils.words import visible
from tests.command import on_a_terminal

CLEAR = "\x1b[2J\x1b]0;owned\x07"
ODD = f"a{CLEAR}\u202eb\x9b31m"
STEERING = ["\x1b[2J", "\x1b]0", "\x07", "\u202e", "\x9b"]


def assert_tame(*texts):
    for text in texts:
        assert not [each for each in STEERING if each in text]


@pytest.fixture
def table(tmp_path):
    """Numbers, two classes, sample names; every text of it odd."""
    rng = np.random.default_rng(0)
    path = tmp_path / f"t{CLEAR.replace('/', '')}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([f"{ODD}id", ODD, f"{ODD}2", "c", f"{ODD}y"])
        for row in range(20):
            cells = [f"{ODD}{row}", *rng.normal(size=3), f"{ODD}{row % 2}"]
            writer.writerow(cells)
    return path


def test_errors_and_hints(inffs, table):
    """The hint for --index names a column, other errors a file or an option."""
    for words in (
        ["select", table],
        ["select", table, "--label", CLEAR],
        ["select", f"{CLEAR}.csv"],
        ["select", table, table],
        ["select", table, f"--{CLEAR}"],
        ["select", table, "--encode", CLEAR],
        ["select", table, "--drop", CLEAR],
        ["select", table, "--method", CLEAR],
        ["rank", table, "--debug"],
        [CLEAR],
    ):
        done = inffs(*words)
        assert done.returncode != 0
        assert "x1b" in done.stderr
        assert_tame(done.stdout, done.stderr)


def test_results(inffs, table):
    words = [table, "--label", f"{ODD}y", "--index", f"{ODD}id"]
    done = inffs("select", *words, "--keep", 2, "-v")
    assert done.returncode == 0, done.stderr
    assert_tame(done.stdout, done.stderr)
    done = inffs("rank", *words, "--format", "table")
    assert_tame(done.stdout, done.stderr)


def test_a_pipe_gets_the_names_as_they_are(inffs, table):
    words = ["rank", table, "--label", f"{ODD}y", "--index", f"{ODD}id", "--format"]
    rows = list(csv.DictReader(inffs(*words, "csv").stdout.splitlines()))
    assert ODD in [row["feature"] for row in rows]
    assert ODD in [row["feature"] for row in json.loads(inffs(*words, "json").stdout)]


@pytest.mark.parametrize("shape", ["csv", "json", "table"])
def test_a_terminal_does_not(shape, table):
    words = ["rank", table, "--label", f"{ODD}y", "--index", f"{ODD}id", "--format", shape]
    assert_tame(on_a_terminal(words, table.parent))


def test_warnings_of_python(run_program):
    done = run_program(
        "import warnings\nfrom inffs.cli._run import show_warnings_plainly\n"
        "show_warnings_plainly()\nwarnings.warn('\\x1b[2J the column')"
    )
    assert "the column" in done.stderr
    assert_tame(done.stderr)


@pytest.fixture
def run_program(tmp_path):
    from tests.command import run_python

    return lambda program: run_python(program, [], tmp_path)


def test_ordinary_text_stays():
    text = "größe μm ☃ 漢字\tand a tab\nand a line"
    assert visible(text) == text
    assert visible(visible(ODD)) == visible(ODD)
