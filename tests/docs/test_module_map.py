"""The map of the modules: drawn from the imports, and imports point down only."""

import sys
from graphlib import CycleError
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def module_map():
    sys.path.insert(0, str(ROOT / "docs" / "_ext"))
    import module_map

    yield module_map
    sys.path.pop(0)


def test_imports_point_down_only(module_map):
    rows = module_map.layers(module_map.imports())
    assert "_utils" in rows[0]
    assert rows[-1] == ["cli"]


def test_every_component_is_drawn_with_its_summary(module_map, tmp_path):
    module_map.write(tmp_path / "generated")
    drawn = (tmp_path / "generated" / "modules.svg.html").read_text("utf-8")
    listed = (tmp_path / "generated" / "modules.md").read_text("utf-8")
    folders = {path.name for path in (ROOT / "src" / "inffs").iterdir() if path.is_dir()}
    for component in folders - {"__pycache__"}:
        assert f">{component}/</text>" in drawn
        assert module_map.summary(component)
        assert f"| `{component}` |" in listed


def test_an_upward_import_is_found_inside_a_function_too(module_map, tmp_path):
    source = tmp_path / "inffs"
    (source / "low").mkdir(parents=True)
    (source / "high.py").write_text("from inffs import low\n")
    (source / "low" / "__init__.py").write_text("def f():\n    import inffs.high\n")
    assert module_map.imports(source) == {"high": {"low"}, "low": {"high"}}
    with pytest.raises(CycleError):
        module_map.layers(module_map.imports(source))
