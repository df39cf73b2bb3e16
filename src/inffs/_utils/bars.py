"""Bars of the work that goes on, in a terminal or a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inffs._utils.progress import listen


@contextmanager
def show_progress(console: Any = None) -> Iterator[None]:
    """Draw a bar for every long loop of ours inside this block, in a notebook or a terminal.

    With scikit-learn 1.9 and later ``selector.set_callbacks(sklearn.callback.ProgressBar())`` does
    the same for one selector. Needs rich, which comes with the extra ``cli``.

    Parameters
    ----------
    console : rich.console.Console, optional
        Where to draw; by default where rich would.

    See Also
    --------
    inffs.Report : What a notebook shows of a fitted selector.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import inffs
    >>> X, y = load_wine(return_X_y=True)
    >>> with inffs.show_progress():
    ...     selector = inffs.InfFSU().fit(X)
    """
    try:
        from rich import get_console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as Remaining
    except ImportError as error:
        raise ImportError("show_progress needs rich: pip install rich", name="rich") from error
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining()
    tasks: dict[str, Any] = {}
    console = console or get_console()
    if not (console.is_terminal or console.is_jupyter):  # in a file bars are empty lines
        yield
        return
    with Progress(*columns, console=console, transient=True) as bars:

        def show(what: str, done: int, total: int | None) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)

        with listen(show):
            yield
