import os

import pytest

from tests.forked import forking


@pytest.fixture(autouse=True, scope="module")
def _processes_start_at_once(request):
    """Except in the module that reads a file of every format as in use."""
    if request.module.__name__.endswith(".test_read") or not hasattr(os, "fork"):
        yield
        return
    with forking():
        yield
