"""Without the extras the core works, and what needs an extra names it."""

import subprocess
import sys

import pytest

EXTRAS = ("jinja2", "markupsafe", "matplotlib", "PIL", "pandas", "pyarrow", "typer", "rich")
BEFORE = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS!r}))\n"


def run(code):
    return subprocess.run([sys.executable, "-c", BEFORE + code], capture_output=True, text=True)


def test_selectors_need_no_extra():
    code = (
        "from inffs import InfFSC; from sklearn.datasets import load_iris\n"
        "print(InfFSC(n_features_to_select=2).fit(*load_iris(return_X_y=True)).n_features_)"
    )
    done = run(code)
    assert done.stdout.strip() == "2", done.stderr


@pytest.mark.parametrize(
    "code",
    [
        "import inffs; inffs.Report(*[None] * 3)",
        "from inffs import *",
        "import inffs; s = inffs.InfFSU().fit([[1, 2], [2, 1], [3, 5]]); inffs.plot.scores(s)",
        "import inffs.plot as p, inffs; p.scores(inffs.InfFSU().fit([[1, 2], [2, 1], [3, 5]]))",
    ],
)
def test_what_needs_an_extra_names_it(code):
    done = run(code)
    assert done.returncode == 1
    assert "pip install 'inffs[report]'" in done.stderr.splitlines()[-1]


def test_submodules_are_attributes():
    done = run("import inffs; print(inffs.onnx.__name__, inffs.cuts.__name__)")
    assert done.stdout.split() == ["inffs.onnx", "inffs.cuts"], done.stderr
