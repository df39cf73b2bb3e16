"""The mutation check: change the code a little, a thousand times, and see a test fail each time.

cosmic-ray makes the mutants. The tests are collected once; each mutant lives in a fork of that
process and meets the tests that enter the changed function, the quickest first, until one fails.
What was killed is kept in build/mutants.killed: a second run tries only the survivors again.

    python -m tests.mutants paths graph.operators  # --every 5: every fifth mutant
"""

import argparse
import ast
import gc
import hashlib
import importlib
import json
import os
import re
import resource
import signal
import sys
import threading
import time
from inspect import isclass, isfunction, unwrap
from pathlib import Path

import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import MutationVisitor
from cosmic_ray.plugins import get_operator, operator_names

MODULES = ["paths", "graph.operators", "measures.batch", "cuts.by_scores", "base"]
CORE = ["paths", "graph", "measures", "cut", "selector", "formula", "golden", "inf_fs"]
CORE += ["every_form", "relations", "columns", "lazy"]
TESTS = [f"tests/core/test_{name}.py" for name in CORE]
TESTS += ["tests/methods/test_mutual_information.py"]
TESTS += ["tests/test_common.py", "tests/test_bad_input.py"]
# of the catalogue a few methods: Inf-FS and two filters
METHODS = "(InfFS or FisherScore or inf-fs or fisher or cfs) and not (mcfs or ecfs or llcfs)"
SOME = f"not CV and not dask and (not (test_common or test_bad_input) or {METHODS})"
LONGEST, LIMIT = 3.0, 60  # seconds of a test, of a mutant
ROOT = Path(__file__).parents[1]
KILLED, CALLS, FAILED = (
    ROOT / "build" / f"mutants.{name}" for name in ("killed", "calls", "failed")
)


def telling(name):
    """Leave out what only gives type errors, such as shifts and bits of floats for sums."""
    if found := re.search("_(Is|IsNot|In|NotIn|Bit[A-Za-z]+)_([A-Za-z]+)$", name):
        return found[2].startswith(("Is", "In", "NotIn", "Bit")) and found[1][:2] == found[2][:2]
    return not re.search("_(.Shift|Bit[A-Za-z]+|Is|IsNot|In|NotIn)$", name)


def annotations(source):
    """Where annotations stand: (line, column) of their first and last characters."""
    for node in ast.walk(ast.parse(source)):
        for name in ("annotation", "returns"):
            if found := getattr(node, name, None):
                yield (found.lineno, found.col_offset), (found.end_lineno, found.end_col_offset)


def functions(node, within=""):
    """(first line, last line, qualified name) of functions and methods, inner ones left out."""
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield from functions(child, f"{within}{child.name}.")
        elif isinstance(child, ast.FunctionDef):
            yield child.lineno, child.end_lineno, f"{within}{child.name}"


class Module:
    """A module under test: its mutants, and a way to become one of them."""

    def __init__(self, name):
        self.name, self.live = name, importlib.import_module(f"inffs.{name}")
        self.path = ROOT / "src" / "inffs" / f"{name.replace('.', '/')}.py"
        self.source = self.path.read_text()
        self.digest = hashlib.sha1(self.source.encode()).hexdigest()[:12]
        self.tree, self.functions = get_ast(self.source), list(functions(ast.parse(self.source)))

    def mutants(self):
        """(operator, occurrence, line) of every mutant that is not one of an annotation."""
        words = list(annotations(self.source))
        for name in filter(telling, operator_names()):
            if not get_operator(name).arguments():
                operator, nodes = get_operator(name)(), ast_nodes(self.tree)
                places = [place for node in nodes for place in operator.mutation_positions(node)]
                for occurrence, (start, _) in enumerate(places):
                    if not any(first <= start <= last for first, last in words):
                        yield name, occurrence, start[0]

    def function_at(self, line):
        return next((name for first, last, name in self.functions if first <= line <= last), None)

    def mutate(self, operator, occurrence):
        """Become a mutant; tells the line that differs. For a fork: there is no way back."""
        mutated = MutationVisitor(occurrence, get_operator(operator)()).walk(self.tree).get_code()
        self.become(mutated)
        pairs = zip(self.source.splitlines(), mutated.splitlines(), strict=False)
        old, new = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
        return f"  - {old.strip()}\n  + {new.strip()}"

    def become(self, source):
        """Put the functions and constants of the source into the module that is in use."""
        new = dict(vars(self.live))
        exec(compile(source, str(self.path), "exec"), new)
        for name, old in list(vars(self.live).items()):
            if getattr(old, "__module__", None) != self.live.__name__:
                replace_value(self.live, name, old, new[name])
            elif isclass(old):
                replace_class(old, new[name])
            elif isfunction(old):
                replace_function(old, new[name])


def replace_value(owner, name, old, new):
    if isinstance(old, dict) and not name.startswith("__"):
        old.clear()
        old.update(new)
    elif not name.startswith("__"):
        setattr(owner, name, new)


def replace_function(old, new):
    old.__code__, old.__defaults__ = new.__code__, new.__defaults__
    old.__kwdefaults__ = new.__kwdefaults__


def replace_class(old, new):
    fixed = {"__dict__", "__weakref__", "__module__", "__doc__", "__qualname__", "_abc_impl"}
    for name in vars(old).keys() - vars(new).keys() - fixed:
        delattr(old, name)
    for name in vars(new).keys() - fixed:
        before, after = vars(old).get(name), vars(new)[name]
        if type(before) is type(after) and alike(bare(before), bare(after)):
            replace_function(bare(before), bare(after))
        else:
            setattr(old, name, after)


def bare(value):
    """The function inside a property, a static method or a decorated function."""
    value = getattr(value, "fget", None) or getattr(value, "__func__", value)
    return unwrap(value) if callable(value) else value


def alike(old, new):
    both = isfunction(old) and isfunction(new)
    return both and old.__code__.co_freevars == new.__code__.co_freevars


def in_fork(work):
    """What work() gives (text) in a fork; nothing where it fails or meets a limit."""
    end, start = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            with open(start, "w") as answer:
                answer.write(work() or "")
        finally:
            os._exit(0)
    os.close(start)
    with open(end) as answer:
        said = answer.read()
    os.waitpid(pid, 0)
    return said


class Check:
    """A pytest plugin that runs the collected tests once for every mutant."""

    def __init__(self, given):
        self.given, self.entered = given, set()

    def pytest_runtestloop(self, session):
        self.session, self.items = session, {item.nodeid: item for item in session.items}
        modules = [Module(name) for name in self.given.modules]
        self.files = {str(Module(name).path): name for name in MODULES}
        self.calls = self.look_at_calls()
        gc.freeze()
        for module in modules:
            self.check(module)
        return True

    def pytest_runtest_logreport(self, report):
        if report.failed:
            FAILED.write_text(f"{report.nodeid}\n{report.longreprtext}\n")

    def check(self, module):
        if not self.survivor(module, None, lambda: module.become(module.source) or "unchanged"):
            raise pytest.UsageError(f"The tests fail with {module.name} unchanged: see {FAILED}.")
        KILLED.touch()
        killed, alive = set(KILLED.read_text().splitlines()), 0
        everything = list(module.mutants())[:: self.given.every]
        for operator, occurrence, line in everything:
            key = f"{module.name} {module.digest} {operator} {occurrence}"
            if key in killed:
                continue
            mutate = lambda what=(operator, occurrence): module.mutate(*what)  # noqa: E731
            if difference := self.survivor(module, module.function_at(line), mutate):
                alive += 1
                print(f"{module.name}.py:{line} {operator}\n{difference}", flush=True)
            else:
                with KILLED.open("a") as store:
                    store.write(key + "\n")
        print(f"{module.name}: {len(everything)} mutants, {alive} survive", flush=True)

    def survivor(self, module, function, mutate):
        """What the mutant changes, if it survives its tests; nothing if one fails."""
        tests = [self.items[test] for test in self.tests_of(module.name, function)]

        def work():
            resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            signal.alarm(20 * LIMIT)
            difference = mutate()
            for item in tests[: self.given.tests]:
                item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
                if self.session.testsfailed:
                    return None
            return difference

        return in_fork(work)

    def tests_of(self, module, function):
        """The tests that enter a function, those of its module first, then the quickest.

        For a change outside functions: those that enter any, and all of the module's own.
        """
        own = f"/test_{module}.py"
        chosen = [
            (own not in test, took, test)
            for test, (took, entered) in self.calls.items()
            if test in self.items and took < LONGEST
            if (own in test and function is None)
            or any(name == module and function in (None, inside) for name, inside in entered)
        ]
        return [test for *_, test in sorted(chosen)]

    def look_at_calls(self):
        """{test: (seconds, functions it enters)}; only tests not seen before are run."""
        calls = json.loads(CALLS.read_text()) if CALLS.exists() else {}
        unseen = [item for name, item in self.items.items() if name not in calls]

        def work():
            seen = {item.nodeid: self.calls_of(item) for item in unseen}
            return None if self.session.testsfailed else json.dumps(seen)

        seen = in_fork(work)
        if not seen:
            raise pytest.UsageError(f"The tests fail without any change: see {FAILED}.")
        calls |= json.loads(seen)
        CALLS.write_text(json.dumps(calls))
        return calls

    def calls_of(self, item):
        self.entered, start = set(), time.process_time()
        for tracer in (sys, threading):
            tracer.settrace(self.note)
        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        for tracer in (sys, threading):
            tracer.settrace(None)
        return time.process_time() - start, sorted(self.entered)

    def note(self, frame, event, _):
        if module := self.files.get(frame.f_code.co_filename):
            self.entered.add((module, frame.f_code.co_qualname))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("modules", nargs="*", default=MODULES)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--tests", type=int, help="at most so many tests for a mutant")
    os.chdir(ROOT)
    KILLED.parent.mkdir(exist_ok=True)
    arguments = ["-q", "-s", "-p", "no:cacheprovider", "-m", "not slow", "-k", SOME, *TESTS]
    sys.exit(pytest.main(arguments, plugins=[Check(parser.parse_args())]))


if __name__ == "__main__":
    main()
