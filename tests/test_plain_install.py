"""Without the extras the core works, and what needs an extra names it."""

import subprocess
import sys

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


def test_what_needs_an_extra_names_it():
    codes = [
        "import inffs; inffs.Report(*[None] * 3)",
        "from inffs import *",
        "import inffs; s = inffs.InfFSU().fit([[1, 2], [2, 1], [3, 5]]); inffs.plot.scores(s)",
        "import inffs.plot as p, inffs; p.scores(inffs.InfFSU().fit([[1, 2], [2, 1], [3, 5]]))",
    ]
    attempt = "try:\n        exec(code, {})\n    except ImportError as error:\n        print(error)"
    done = run(f"for code in {codes!r}:\n    {attempt}")
    errors = done.stdout.splitlines()
    assert len(errors) == len(codes), done.stderr
    assert all("pip install 'inffs[report]'" in error for error in errors)


def test_submodules_are_attributes():
    done = run("import inffs; print(inffs.onnx.__name__, inffs.cuts.__name__)")
    assert done.stdout.split() == ["inffs.onnx", "inffs.cuts"], done.stderr
