"""The typed program also runs; ``make lint`` reads it with mypy --strict."""

from tests.typing.user_program import main


def test_the_typed_program_runs(tmp_path):
    lines = main(tmp_path)
    assert lines[3] == "report.html"
    assert "inf-fs-u" in lines
