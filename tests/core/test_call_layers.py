"""One fit, watched: calls point down through the layers, as imports do."""

import os
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import inffs
from inffs import InfFSC, InfFSS

PACKAGE = Path(inffs.__file__).parent
MOST_MODULES = {InfFSS: 15, InfFSC: 20}  # besides the guards, which only warn
THREADS = Path("_utils", "threads.py")  # it runs the functions that it receives
# A base class calls what its subclasses define, by name; guards ask for the facts of a selector,
# and scikit-learn for its tags.
HOOKS = {
    "__init__",
    "__sklearn_tags__",
    "_fit",
    "_reset",
    "_fixed_scale",
    "_scale_free",
    "_score",
    "_score_samples",
}


def layers():
    """The place of every layer of the import contracts, the lowest 0."""
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    contracts = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
    named = next(c["layers"] for c in contracts if c["type"] == "layers")
    rows = [row.replace("(", "").replace(")", "").split("|") for row in reversed(named)]
    return {name.strip(): place for place, row in enumerate(rows) for name in row}


def calls_of(work):
    """The calls between our functions during ``work``: file and function of both."""
    calls = set()

    def ours(frame):
        return frame.f_code.co_filename.startswith(str(PACKAGE) + os.sep)

    def watch(frame, event, _):
        if event != "call" or not ours(frame):
            return
        caller = frame.f_back
        while caller is not None and not ours(caller):
            caller = caller.f_back
        if caller is not None:
            calls.add((caller.f_code, frame.f_code))

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def module(code):
    return Path(code.co_filename).relative_to(PACKAGE)


def layer(code):
    return module(code).parts[0].removesuffix(".py")


def is_value(code):
    """Whether a function was defined in another one and handed down as a value."""
    return code.co_flags & 0x10 or code.co_name.startswith("<")


@pytest.mark.parametrize("method", [InfFSS, InfFSC])
def test_calls_point_down(method, rng):
    X, y = rng.normal(size=(60, 200)), np.arange(60) % 2
    selector = method(n_features_to_select=20)
    calls = calls_of(lambda: selector.fit(X, y))
    place = layers()
    upward = {
        f"{module(caller)} {caller.co_name} -> {module(called)} {called.co_name}"
        for caller, called in calls
        if place[layer(caller)] < place[layer(called)]
        and module(caller) != THREADS
        and called.co_name not in HOOKS
        and not is_value(called)
    }
    assert upward == set()
    walked = {module(code) for pair in calls for code in pair if layer(code) != "guards"}
    assert len(walked) <= MOST_MODULES[method], sorted(map(str, walked))
