"""Run the Python of a Markdown page as its reader would: block after block, in one session."""

import contextlib
import doctest
import io
import re
from pathlib import Path

_PRINTED = re.compile(r"^```python\n([^`]*)^```\n\n```text\n([^`]*)^```", re.MULTILINE)
_FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [body for name, body in _FENCE.findall(page.read_text("utf-8")) if name == language]


def run_python(page: Path) -> None:
    """Plain blocks are executed; they, and blocks with prompts, must print what the page shows."""
    session: dict = {"__name__": "__main__"}
    shown = dict(_PRINTED.findall(page.read_text("utf-8")))
    for place, block in enumerate(blocks(page, "python"), 1):
        name = f"{page.name}, Python block {place}"
        if ">>>" not in block:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(block, name, "exec"), session)
            assert printed.getvalue() == shown.get(block, printed.getvalue()), name
            continue
        test = doctest.DocTestParser().get_doctest(block, session, name, str(page), 0)
        flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
        runner = doctest.DocTestRunner(optionflags=flags)
        runner.run(test, clear_globs=False)
        session.update(test.globs)
        assert runner.summarize(verbose=False).failed == 0, name
