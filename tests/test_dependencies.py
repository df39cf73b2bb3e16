"""What the package declares is what it imports."""

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
IMPORTED_AS = {
    "mrmr_selection": "mrmr", "pillow": "PIL", "python-calamine": "python_calamine",
    "scikit-learn": "sklearn", "scikit-posthocs": "scikit_posthocs",
}  # fmt: skip
OURS = {"inffs", "reproduction"}
NOT_FOR_USERS = ("test", "docs", "dev")
NEVER_REQUIRED = {"polars", "fast_select", "urllib3"}  # the caller's, faster if there, requests'


def imported():
    """Packages that the sources import, inside functions too."""
    found = set()
    for path in (*(ROOT / "src").rglob("*.py"), *(ROOT / "reproduction").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found.update(name.name for name in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "require":
                found.add(ast.literal_eval(node.args[0]))
    return {name.partition(".")[0] for name in found} - sys.stdlib_module_names - OURS


def declared():
    """Packages that users are told to install, by the names they are imported under."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].items()
    wanted = [*project["dependencies"]]
    wanted += [each for name, extra in extras if name not in NOT_FOR_USERS for each in extra]
    names = {re.match(r"[\w-]+", each)[0] for each in wanted} - {"inffs"}
    return {IMPORTED_AS.get(name, name) for name in names}


def test_nothing_is_required_that_is_never_imported():
    assert declared() <= imported()


def test_nothing_is_imported_that_is_never_required():
    assert imported() - declared() - {"distributed"} == NEVER_REQUIRED  # distributed is dask's


def test_the_conda_recipe_requires_what_the_library_and_the_command_require():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = {*project["dependencies"], *extras["cli"], *extras["tables"], *extras["report"]}
    packages = {each for each in wanted if not each.startswith("inffs[")}
    wanted = {each.replace("matplotlib", "matplotlib-base") for each in packages}
    recipe = (ROOT / "conda" / "meta.yaml").read_text("utf-8")
    oldest = project["requires-python"].removeprefix(">=")
    assert f'set python_min = "{oldest}"' in recipe
    lines = recipe.split("\n  run:")[1].split("\ntest:")[0].splitlines()
    listed = {line.strip("- ").replace(" ", "") for line in lines if "- " in line}
    assert {each for each in listed if not each.startswith("python>")} == wanted
