"""The steps on the contributors' page, followed in a copy of the tree."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inffs.comparison import Store

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "contributors.md"
SNIPPETS = ROOT / "docs" / "snippets"
TOYS = ("column_range.py", "noisy_range.py")
TESTED = ("test_common.py", "test_bad_input.py", "trust/test_properties.py")


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy with the toy methods added as the page says."""
    tree = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "src", tree / "src")  # with what was compiled
    shutil.copy(ROOT / "pyproject.toml", tree)
    (tree / "tests" / "trust").mkdir(parents=True)
    for name in (
        *TESTED,
        "__init__.py",
        "conftest.py",
        "quick.py",
        "trust/__init__.py",
        "trust/tables.py",
    ):
        shutil.copy(ROOT / "tests" / name, tree / "tests" / name)
    methods = tree / "src" / "inffs" / "methods"
    for name in TOYS:
        shutil.copy(SNIPPETS / name, methods)
    entries = methods / "entries.py"
    line = (SNIPPETS / "entry.txt").read_text("utf-8")
    text = entries.read_text("utf-8")
    assert text.count("\n)\n# fmt: on") == 1
    entries.write_text(text.replace("\n)\n# fmt: on", f"\n{line})\n# fmt: on"), encoding="utf-8")
    return tree


def run(tree, words, cwd):
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'src'}", "COLUMNS": "200"}
    environment.pop("COVERAGE_PROCESS_CONFIG", None)  # a copy is no part of what is measured
    done = subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_page_names_the_files():
    text = PAGE.read_text("utf-8")
    assert "src/inffs/methods/column_range.py" in text
    assert "src/inffs/methods/entries.py" in text
    for name in (
        "docs/_ext/references.bib",
        "docs/guide/how-many.md",
        "src/inffs/cuts/__init__.py",
    ):
        assert name in text
        assert (ROOT / name).exists()
    assert set(re.findall(r"\{literalinclude\} snippets/(\S+)", text)) == {
        *TOYS,
        "entry.txt",
    }


def test_in_the_api(tree, tmp_path):
    code = (
        "import numpy as np, inffs\n"
        "from inffs.methods import ColumnRange\n"
        "X = np.random.default_rng(0).normal(size=(30, 4)) * [1, 9, 3, 1]\n"
        "selector = inffs.rank(X, method='column-range', n_features_to_select=2)\n"
        "assert isinstance(selector, ColumnRange)\n"
        "assert 'column-range' in [entry.key for entry in inffs.catalogue()]\n"
        "print(selector.order_[:2])"
    )
    assert run(tree, ["-c", code], tmp_path).strip() == "[1 2]"


def test_in_the_command(tree, tmp_path, breast_cancer_csv):
    select = (
        "-m inffs select table.csv --label diagnosis --method column-range --out here --folds 0"
    )
    run(tree, shlex.split(select), tmp_path)
    ranking = (tmp_path / "here" / "ranking.csv").read_text("utf-8")
    assert "worst area" in ranking.splitlines()[1]


def test_in_a_comparison(tree, tmp_path, big_parquet):
    arena = (
        "-m inffs compare big.parquet --label label --methods column-range,noisy-range,fisher "
        "--sizes 3 --splits 1 --out results"
    )
    run(tree, shlex.split(arena), tmp_path)
    rows = Store(tmp_path / "results").frame()
    done = set(rows["method"][rows["status"] == "done"])
    assert done >= {"column-range", "fisher", "noisy-range"}


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [("-m", "not slow"), ()], ids=["quick", "all"])
def test_in_the_checks(chosen, tree):
    """The page's own command, with the word that names what to run."""
    command = next(line for line in PAGE.read_text("utf-8").splitlines() if "pytest " in line)
    words = [*shlex.split(command), *chosen, "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    out = run(tree, ["-m", *words], tree)
    assert int(re.search(r"(\d+) passed", out)[1]) > 100
    assert "failed" not in out
