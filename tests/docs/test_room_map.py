"""The map of the rooms: drawn from the imports, and imports point down only."""

import sys
from graphlib import CycleError
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def room_map():
    sys.path.insert(0, str(ROOT / "docs" / "_ext"))
    import room_map

    yield room_map
    sys.path.pop(0)


def test_imports_point_down_only(room_map):
    rows = room_map.layers(room_map.imports())
    assert "_utils" in rows[0]
    assert rows[-1] == ["cli"]


def test_every_room_is_drawn_and_says_what_it_holds(room_map, tmp_path):
    room_map.write(tmp_path / "generated")
    drawn = (tmp_path / "generated" / "rooms.svg.html").read_text("utf-8")
    told = (tmp_path / "generated" / "rooms.md").read_text("utf-8")
    folders = {path.name for path in (ROOT / "src" / "inffs").iterdir() if path.is_dir()}
    for room in folders - {"__pycache__"}:
        assert f">{room}/</text>" in drawn
        assert room_map.summary(room)
        assert f"| `{room}` |" in told


def test_an_upward_import_is_found_inside_a_function_too(room_map, tmp_path):
    source = tmp_path / "inffs"
    (source / "low").mkdir(parents=True)
    (source / "high.py").write_text("from inffs import low\n")
    (source / "low" / "__init__.py").write_text("def f():\n    import inffs.high\n")
    assert room_map.imports(source) == {"high": {"low"}, "low": {"high"}}
    with pytest.raises(CycleError):
        room_map.layers(room_map.imports(source))


def test_the_table_of_rooms_names_every_room():
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("| room |")[2]
    source = ROOT / "src" / "inffs"
    rooms = [f"{path.name}/" for path in source.iterdir() if (path / "__init__.py").exists()]
    rooms += [path.name for path in source.glob("*.py") if path.name[:2] not in ("__", "_v")]
    assert [room for room in rooms if f"`{room}`" not in table] == []
