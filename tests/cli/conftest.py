"""The command as a person runs it."""

import pytest

from tests.command import run_inffs


@pytest.fixture
def inffs(tmp_path):
    """Run ``inffs ...`` in an empty folder; gives code, out and err."""
    return lambda *words, **options: run_inffs(words, tmp_path, **options)


@pytest.fixture
def table(tmp_path):
    """table.csv in the folder the command runs in."""
    from tests.io.make_files import write

    return write(".csv", tmp_path)[0]
