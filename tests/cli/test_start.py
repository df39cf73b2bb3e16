"""What answers without computing does not wait for the packages that compute."""

import subprocess
import sys

import pytest

import inffs

HEAVY = ("sklearn", "scipy", "numpy", "pandas", "matplotlib", "pyarrow")


def loaded_after(code):
    """Which of the packages that compute a fresh process has imported after this code."""
    code += f"; import sys; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    "words",
    [["--help"], ["--version"], ["methods"], ["select", "--help"], ["nonsense"]],
    ids=" ".join,
)
def test_the_command_answers_without_what_computes(words):
    code = (
        f"import sys, inffs.cli; sys.argv = ['inffs', *{words}]\n"
        "try: inffs.cli.main()\n"
        "except SystemExit: pass\n"
        "0"
    )
    assert loaded_after(code) == "[]"


def test_importing_the_package_imports_nothing_else():
    assert loaded_after("import inffs; inffs.__version__; dir(inffs)") == "[]"


def test_every_public_name_is_found_and_listed():
    namespace = {}
    exec("from inffs import *", namespace)
    assert set(inffs.__all__) <= set(namespace) & set(dir(inffs))
    with pytest.raises(AttributeError, match="nothing_like_this"):
        inffs.nothing_like_this


def test_submodules_need_no_import_of_their_own():
    code = "import inffs; print(inffs.measures.dispersion, inffs.cuts.Cut, inffs.methods.MCFS)"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
