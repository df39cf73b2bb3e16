"""The typed program also runs; ``make lint`` reads it with mypy --strict."""

import ast
import inspect

import pytest

import inffs
from inffs import comparison, cuts, evaluation, methods, relations
from tests.typing import user_program
from tests.typing.user_program import main

# Classes that users receive and do not construct.
RETURNED = {
    comparison.Recommendation,
    cuts.Cut,
    cuts.SizeSelection,
    evaluation.Evaluator,
    methods.Entry,
}


def test_the_typed_program_runs(tmp_path):
    lines = main(tmp_path)
    assert lines[3] == "report.html"
    assert "inf-fs-u" in lines


def public_classes():
    """Every class that users construct; warnings are only named."""
    modules = (inffs, comparison, cuts, evaluation, methods, relations)
    found = [getattr(place, name) for place in modules for name in place.__all__]
    classes = {each for each in found if inspect.isclass(each)} - RETURNED
    return sorted(
        (each for each in classes if not issubclass(each, Warning)), key=lambda each: each.__name__
    )


def given_in_the_program():
    """The arguments of every call in the program: by name, and how many by position."""
    calls = [
        node
        for node in ast.walk(ast.parse(inspect.getsource(user_program)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    return [(call.func.id, len(call.args), {key.arg for key in call.keywords}) for call in calls]


@pytest.mark.parametrize("made", public_classes(), ids=lambda made: made.__name__)
def test_every_class_is_made_with_every_parameter(made):
    parameters = list(inspect.signature(made).parameters)
    calls = [call for call in given_in_the_program() if call[0] == made.__name__]
    assert any(set(parameters[:count]) | named == set(parameters) for _, count, named in calls)
