"""What SECURITY.md promises beyond the readers (test_hostile_tables, test_bombs): links, pages."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from inffs._utils.child import TooLongError, run_isolated
from inffs._utils.files import new_file, write_text
from inffs.io import FORMATS, Table, read_table, write_table
from tests.system import needs_posix


@pytest.fixture
def victim(tmp_path):
    path = tmp_path / "victim.txt"
    path.write_text("precious")
    return path


def test_a_link_at_the_output_is_replaced_and_not_followed(tmp_path, victim):
    (tmp_path / "out.csv").symlink_to(victim)
    table = Table(np.eye(3), ["a", "b", "c"])
    with pytest.raises(FileExistsError):
        write_table(table, tmp_path / "out.csv")
    write_table(table, tmp_path / "out.csv", force=True)
    assert not (tmp_path / "out.csv").is_symlink()
    assert victim.read_text() == "precious"


def test_a_dangling_link_is_a_file_that_exists(tmp_path):
    (tmp_path / "out.csv").symlink_to(tmp_path / "elsewhere.csv")
    with pytest.raises(FileExistsError):
        write_table(Table(np.eye(3), ["a", "b", "c"]), tmp_path / "out.csv")
    write_text(tmp_path / "out.csv", "new")
    assert not (tmp_path / "elsewhere.csv").exists()


def test_the_file_beside_is_made_by_us_or_not_at_all(tmp_path, victim, monkeypatch):
    """Even a link under the very name that will be used is not written through."""
    monkeypatch.setattr("secrets.token_hex", lambda size: "guessed")
    (tmp_path / ".out-guessed.txt").symlink_to(victim)
    with pytest.raises(FileExistsError), new_file(tmp_path / "out.txt") as beside:
        beside.write_text("written")
    assert victim.read_text() == "precious"


def test_no_table_of_a_comparison_follows_a_link(tmp_path, victim):
    from inffs.comparison.page import write_tables

    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "one.csv").symlink_to(victim)
    write_tables({"one": pd.DataFrame({"a": [1]})}, tmp_path / "tables")
    assert victim.read_text() == "precious"
    assert (tmp_path / "tables" / "one.csv").read_text() == "a\n1\n"


def test_writing_beside_exists_once():
    """No module but one renames a file into its place."""
    from pathlib import Path

    import inffs

    root = Path(inffs.__file__).parent
    found = [
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if "os.replace(" in path.read_text(encoding="utf-8")
    ]
    assert found == ["_utils/files.py"]


def test_a_reader_that_never_ends_is_ended():
    endless = "max(__import__('itertools').count())"
    with pytest.raises(TooLongError):
        run_isolated("builtins", "eval", [endless], {}, cpu_seconds=1)


@needs_posix
@pytest.mark.parametrize("ending", [".csv", ".txt.gz", ".npz", ".npy", ".parquet"])
def test_a_pipe_is_not_waited_for(ending, tmp_path):
    os.mkfifo(tmp_path / f"t{ending}")
    with pytest.raises(ValueError, match="is a pipe or a device"):
        read_table(tmp_path / f"t{ending}")
    (tmp_path / "c.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(ValueError, match="is a pipe or a device"):
        read_table(tmp_path / "c.csv", labels=tmp_path / f"t{ending}", label="y", on=0, index=0)


@needs_posix
def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "s1ReadsPerGene.out.tab")
    os.mkfifo(tmp_path / "matrix.mtx")
    with pytest.raises(ValueError, match=r"without matrix\.mtx"):
        read_table(tmp_path)


def test_compiled_readers_run_in_a_process_of_their_own():
    assert {form.name for form in FORMATS if form.isolated} == {
        "Parquet", "Feather", "MAT", "AnnData", "loom", "Matrix Market", "spreadsheet", "R",
        "Stata", "SPSS", "SAS",
    }  # fmt: skip


def test_a_reader_may_take_the_free_memory_and_no_more():
    with pytest.raises(MemoryError):
        run_isolated("builtins", "bytearray", [2**46], {}, cpu_seconds=20)


def test_what_a_reader_raises_arrives(tmp_path):
    with pytest.raises(ValueError, match="invalid literal"):
        run_isolated("builtins", "int", ["seven"], {}, cpu_seconds=20)
    assert run_isolated("math", "sqrt", [9.0], {}, cpu_seconds=20) == 3


def test_a_process_for_a_reader_starts_without_scikit_learn():
    """It would take longer than most tables take to be read."""
    modules = {form.read.__module__ for form in FORMATS if form.isolated} | {"inffs.io._sheet"}
    loaded = f"repr([*map(__import__, {sorted(modules)}), *__import__('sys').modules])"
    found = run_isolated("builtins", "eval", [loaded], {}, cpu_seconds=20)
    assert len(modules) > 3
    assert "'inffs.io._sheet'" in found
    assert "'sklearn" not in found


def test_a_module_beside_the_table_is_not_imported(tmp_path):
    """A reader in a process of its own starts isolated from the current folder."""
    h5py = pytest.importorskip("h5py")
    pytest.importorskip("anndata")
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file["X"] = np.eye(3)
    for name in ("struct", "h5py", "inffs", "pickle", "types", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("open('executed', 'w')\n")
    code = "import sys\nsys.path.remove('')\nfrom inffs.io import read_table\n"
    code += "try:\n    read_table('t.h5ad')\nexcept ValueError as e:\n    print(e)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True)
    assert not (tmp_path / "executed").exists()


def test_names_never_become_formulas_when_asked(tmp_path):
    from inffs.report._outputs import _safe

    table = Table(np.eye(2), ["=1+1", "plain"], np.array(["@x", "y"], dtype=object), "-label")
    shown = _safe(table)
    assert (shown.names, shown.label) == (["'=1+1", "plain"], "'-label")
    assert shown.y.tolist() == ["'@x", "y"]
    for sign in "=+-@＝＋－＠\t\r\n":
        table = Table(np.eye(2), [f"{sign}1", "plain"], index=np.array([f"{sign}s", "t"]))
        assert _safe(table).names == [f"'{sign}1", "plain"]
        assert _safe(table).index.tolist() == [f"'{sign}s", "t"]


def test_text_longer_than_any_name_is_no_label(tmp_path):
    import pyarrow as pa
    from pyarrow import feather

    values = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 5), pa.array(["x" * 10**6, "y"]))
    feather.write_feather(
        pa.table({"a": np.arange(10.0), "y": values}), str(tmp_path / "t.feather")
    )
    with pytest.raises(ValueError, match=r"label 'y' holds text of 1,000,000 characters"):
        read_table(tmp_path / "t.feather", label="y")


def test_every_promise_names_tests_that_exist():
    import re
    from fnmatch import fnmatch
    from pathlib import Path

    root = Path(__file__).parents[2]
    if not (root / "SECURITY.md").exists():
        pytest.skip("not among the sources")
    text = (root / "SECURITY.md").read_text(encoding="utf-8")
    files = list((root / "tests").rglob("test_*.py"))
    written = {name for path in files for name in re.findall(r"def (test_\w+)", path.read_text())}
    pattern = r"`([\w/*]*test_[\w*]+(?:\.py)?)`"
    for name in re.findall(pattern, text):
        if name.endswith(".py"):
            assert [path for path in files if path.as_posix().endswith(name)], name
        else:
            assert [one for one in written if fnmatch(one, name)], name
    promises = text.partition("## What can be relied on")[2].partition("\n## ")[0]
    for promise in re.split(r"\n- \*\*", promises)[1:]:
        assert re.search(pattern, promise), promise[:60]


def test_what_is_installed_is_what_was_locked():
    """Every package has a hash, and pip is told to look at it; our own is the only exception.

    Nothing is resolved again: a newer release of what another package asks for by an extra would
    be looked at, and refused for want of a hash.
    """
    root = Path(__file__).parents[2]
    installs = [
        line for line in (root / "Makefile").read_text().splitlines()
        if "$(PIP)" in line and "requirements/" in line
    ]  # fmt: skip
    assert len(installs) >= 5
    assert all("--require-hashes --no-deps" in line for line in installs)
    for path in (root / "requirements").glob("*.txt"):
        locked = path.read_text().replace("\\\n", " ").splitlines()
        wanted = [line for line in locked if "==" in line]
        assert wanted
        assert all("--hash=sha256:" in line for line in wanted), path
