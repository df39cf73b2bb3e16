"""Every example in a docstring of the package runs and prints what it says."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import inffs


def modules_with_examples():
    for found in pkgutil.walk_packages(inffs.__path__, "inffs."):
        source = Path(found.module_finder.path) / f"{found.name.rpartition('.')[2]}.py"
        path = source if source.exists() else source.with_suffix("") / "__init__.py"
        if ">>>" in path.read_text(encoding="utf-8"):
            yield found.name


@pytest.mark.parametrize("name", list(modules_with_examples()))
def test_examples_in_docstrings(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted
    assert result.failed == 0
