"""One run of `inffs select`, watched: one cross-validation, and few modules."""

import json
import os
import re
import sys
from collections import Counter
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import inffs
from inffs.cli import build_app

PACKAGE = f"{Path(inffs.__file__).parent}{os.sep}"
MOST_MODULES = 60  # whose functions run, the report included


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    ill = np.arange(60) % 2
    X = rng.normal(size=(60, 20))
    X[:, :3] += 1.2 * ill[:, None]
    data = pd.DataFrame(X).add_prefix("g").assign(y=np.where(ill, "ill", "well"))
    path = tmp_path_factory.mktemp("table") / "table.csv"
    data.to_csv(path, index=False)
    return path


def select(*words):
    """Run the command; gives its output and how often each function of the package ran.

    What a class or a module contains at its definition is not a call of a function.
    """
    calls, function = Counter(), 1  # a flag of code

    def watch(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and code.co_flags & function:
            calls[code] += 1

    sys.setprofile(watch)
    try:
        done = CliRunner().invoke(build_app(), ["select", *map(str, words)])
    finally:
        sys.setprofile(None)
    assert done.exit_code == 0, done.output
    named = Counter()
    for code, count in calls.items():
        named[code.co_filename.removeprefix(PACKAGE), code.co_name] += count
    return done.stdout, named


CROSS_VALIDATIONS = {
    "by the rule": ([], 20),
    "of a given size": (["--keep", 5], 5),
    "of significant features": (["--goal", "discover"], 5),
    "under constraints": (["--max-correlation", 0.9], 5),
}


@pytest.mark.parametrize(("flags", "folds"), CROSS_VALIDATIONS.values(), ids=CROSS_VALIDATIONS)
def test_terminal_page_and_file_have_the_numbers_of_one_cross_validation(
    table, tmp_path, flags, folds
):
    """Only constraints need another one: the rule evaluates features without them."""
    out = tmp_path / "out"
    printed, calls = select(table, "--label", "y", "--out", out, *flags)
    run = json.loads((out / "run.json").read_text("utf-8"))
    found = run["evaluation"]
    assert found["folds"] == folds
    ranked = calls["inf_fs_c.py", "_score_samples"] - 1  # on all samples once
    assert ranked == folds + 20 * ("--max-correlation" in flags)
    shown = {f"{100 * found[name]:.1f}" for name in ("score", "all_features", "baseline")}
    shown.add(f"{100 * found['random_features'][found['sizes'].index(run['selected'])]:.1f}")
    (sentence,) = [line for line in printed.splitlines() if "accuracy: " in line]
    stated = set(re.findall(r"[\d.]+(?= %)", sentence))
    assert stated == shown
    assert sentence in run["findings"]
    page = unescape((out / "report.html").read_text("utf-8")).replace("\N{NO-BREAK SPACE}", " ")
    assert sentence in page
    paragraph = re.search(r'<blockquote id="paragraph">(.*?)</blockquote>', page, re.S)[1]
    assert set(re.findall(r"\d+\.\d(?= %)", paragraph)) <= shown


def test_a_run_walks_through_few_modules(table, tmp_path):
    words = (table, "--label", "y", "--out")
    select(*words, tmp_path / "first")  # imports what it needs
    _, calls = select(*words, tmp_path / "second")
    walked = {module for module, _ in calls}
    assert len(walked) <= MOST_MODULES, sorted(walked)
