"""What the README shows works: its Python as it stands, its commands as far as they are quick."""

import re
import shlex
from pathlib import Path

import pytest

from tests.command import run_inffs
from tests.docs.snippets import blocks, run_python

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
FENCED = [
    line for kind in ("bash", "sh", "console") for line in "".join(blocks(README, kind)).split("\n")
]
INDENTED = re.findall(
    r"^ {4}(.+)$", re.sub(r"```.*?```", "", README.read_text("utf-8"), flags=re.S), re.M
)
COMMANDS = [
    line.strip().removeprefix("$ ")
    for line in (*FENCED, *INDENTED)
    if re.match(r"\s*(\$ )?(make|inffs) ", line)
]
# Too long for a quick test, or in need of the network: only --help is asked.
LONG = {"compare", "status", "report"}


def test_python(tmp_path, monkeypatch, breast_cancer_csv, big_parquet):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    run_python(README)


def test_there_are_commands_to_run():
    assert any(command.startswith("inffs select") for command in COMMANDS)
    assert any(command.startswith("make test") for command in COMMANDS)


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("inffs ")])
def test_inffs_commands(command, tmp_path, monkeypatch, breast_cancer_csv):
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command, comments=True)
    if words[1] in LONG:
        words = [*words[:2], "--help"]
    else:
        words = _with_known_table(words, breast_cancer_csv)
    done = run_inffs(words[1:], tmp_path)
    assert done.returncode == 0, f"{command}\n{done.stderr}"


def _with_known_table(words, table):
    """A table that the README only names is the one of this test, with its label."""
    words = [str(table) if word.endswith(".csv") else word for word in words]
    if "--label" in words:
        words[words.index("--label") + 1] = "diagnosis"
    return words


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("make ")])
def test_make_targets_exist(command):
    known = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    targets = [word for word in shlex.split(command, comments=True)[1:] if "=" not in word]
    assert set(targets) <= known


def test_links_lead_somewhere():
    text = README.read_text("utf-8")
    local = [target for target in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in target]
    local += [target for target in re.findall(r'src="([^"]+)"', text) if "://" not in target]
    missing = [target for target in local if not (ROOT / target).exists()]
    assert not missing


@pytest.mark.parametrize("rival", ["ANOVA F", "random forest importances", "mRMR"])
def test_the_front_pages_give_the_points_of_the_benchmark(rival):
    """The leads over well-known methods are written by hand in two places, and computed in one."""
    text = README.read_text("utf-8")
    computed = re.search(rf"^\| {rival}[^|]*\| \+([\d.]+) points", text, re.MULTILINE)[1]
    why = " ".join(text.partition("## Why inffs")[2].partition("\n## ")[0].split())
    front = (ROOT / "docs" / "index.md").read_text("utf-8")
    assert re.search(rf"([\d.]+) points above (that of )?{rival}", why)[1] == computed
    assert re.search(rf"\+([\d.]+)( points\*\* \| of accuracy)? over {rival}", front)[1] == computed
