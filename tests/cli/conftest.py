"""The command in a subprocess, as a person runs it."""

import os
import subprocess
import sys

import pytest


@pytest.fixture
def inffs(tmp_path):
    """Run ``inffs ...`` in an empty folder; gives code, out and err."""

    def run(*words, **options):
        environment = {**os.environ, "COLUMNS": "100", "OPENBLAS_NUM_THREADS": "1"}
        environment.update(options.pop("env", {}))
        return subprocess.run(
            [sys.executable, "-m", "inffs", *map(str, words)],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, **options,
        )  # fmt: skip

    return run


@pytest.fixture
def table(tmp_path):
    """table.csv in the folder the command runs in."""
    from tests.tables.make_files import write

    return write(".csv", tmp_path)[0]
