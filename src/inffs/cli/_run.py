"""Shared by all sub-commands: -q, -v, --debug, progress, one-sentence errors, exit codes."""

from __future__ import annotations

import ast
import errno
import inspect
import os
import re
import shlex
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import StrEnum
from typing import Annotated, Any, get_type_hints

import typer
from rich import box
from rich.console import Console
from rich.segment import Segment
from rich.table import Table
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from inffs._utils import interrupt
from inffs._utils.progress import ProgressLines, listen, show_progress
from inffs._utils.words import visible

FAILED, USAGE = 1, 2
_NO_PLACE = (errno.ENOSPC, errno.EROFS, errno.ENOTDIR, errno.EACCES)
_WrongUsage: Any = typer.BadParameter.__base__  # click's UsageError, or that of typer's own click


def option(
    help: str,
    metavar: str | None = None,
    *,
    default: Any = None,
    panel: str | None = None,
    names: str = "",
    choices: Sequence[str] = (),
    **more: Any,
) -> Any:
    """A field of a group of options.

    ``names`` are the flags, separated by blanks; by default the name of the field. ``choices`` are
    all values that the option takes, ``more`` is for typer.
    """
    shown = {"help": help, "metavar": metavar, "rich_help_panel": panel, **more}
    return field(default=default, metadata={"names": names, "choices": choices, "shown": shown})


@dataclass(kw_only=True)
class Shared:
    """The options of every sub-command."""

    quiet: bool = option("Print only errors.", default=False, names="--quiet -q")
    verbose: bool = option("Print more details.", default=False, names="--verbose -v")
    debug: bool = option("Show the traceback of an error.", default=False)


_strings: Any = StrEnum  # makes a type of some strings


class PlainConsole(Console):
    """A console that writes out the control characters of what it prints: names are data."""

    def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
        """The parts of what is printed; those that steer the terminal are rich's own."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(visible(text), style)


@dataclass
class Terminal:
    """Where a sub-command prints: ``out`` for results, ``notes`` (stderr) for all else."""

    quiet: bool = False
    verbose: bool = False
    out: Console = field(default_factory=lambda: PlainConsole(highlight=False, soft_wrap=False))
    notes: Console = field(default_factory=lambda: PlainConsole(stderr=True, highlight=False))

    def say(self, text: str, **style: Any) -> None:
        """A line of the result on stdout, unless -q."""
        if not self.quiet:
            self.out.print(text, markup=False, soft_wrap=True, **style)

    def data(self, text: str) -> None:
        """Text for a file or another program as it is, for a terminal as it can be shown."""
        print(visible(text) if self.out.is_terminal else text, flush=True)

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[str]], right: str = "") -> None:
        """Rows under heads; tab-separated lines for a file or another program.

        ``right`` names the heads whose columns are aligned on the right.
        """
        if not self.out.is_terminal:
            print("\n".join("\t".join(row) for row in [heads, *rows]), flush=True)
            return
        shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for place, head in enumerate(heads):
            shown.add_column(
                head.replace("_", " "), style="" if place else "bold cyan", no_wrap=not place,
                justify="right" if head in right.split() else "left",
            )  # fmt: skip
        for row in rows:
            shown.add_row(*map(Text, row))
        self.out.print(shown)

    def note(self, text: str, **style: Any) -> None:
        """A line on stderr, unless -q."""
        if not self.quiet:
            self.notes.print(text, markup=False, soft_wrap=True, **style)

    def warn(self, sentences: Iterable[str]) -> None:
        """Lines on stderr that stand out, unless -q."""
        for sentence in sentences:
            self.note(sentence, style="yellow")

    def detail(self, text: str) -> None:
        """A line under -v only."""
        if self.verbose:
            self.note(text, style="dim")

    @contextmanager
    def progress(self, what: str = "working") -> Iterator[None]:
        """Show progress as bars, or as one line every ten seconds if stderr is no terminal."""
        if self.quiet:
            yield
        elif self.notes.is_terminal:
            with show_progress(self.notes):
                yield
        else:
            with ProgressLines(self.note, what=what) as lines, listen(lines):
                yield


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Make a sub-command of ``function(terminal, ...)``: shared options, errors as one sentence.

    A parameter whose type is a data class is a group of options: each field is an option.
    """
    own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    groups = {one.name: one.annotation for one in own if is_dataclass(one.annotation)}

    def run(**options: Any) -> None:
        shared: Any = _taken(Shared, options)
        terminal = Terminal(shared.quiet, shared.verbose)
        try:
            if signal.getsignal(signal.SIGINT) is interrupt.leave:  # no longer during the imports
                signal.signal(signal.SIGINT, signal.default_int_handler)
            given = {name: _taken(group, options) for name, group in groups.items()}
            function(terminal, **options, **given)
        except (typer.Exit, typer.Abort):
            raise
        except KeyboardInterrupt:
            terminal.notes.print("Interrupted; nothing half-written is left.", style="yellow")
            raise typer.Exit(FAILED) from None
        except BrokenPipeError:
            _leave_quietly()
        except Exception as error:
            said = "".join(traceback.format_exception(error)) if shared.debug else _sentence(error)
            terminal.notes.print(said, markup=False, soft_wrap=True, style="red")
            code = USAGE if isinstance(error, UsageError) else FAILED
            raise typer.Exit(code) from None

    parameters = [one for parameter in own for one in _parameters(parameter)]
    parameters += _fields(Shared)
    run.__name__, run.__doc__ = function.__name__, function.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _taken(group: Any, options: dict[str, Any]) -> Any:
    """A group of options, which are taken out of all options."""
    values = {each.name: options.pop(each.name) for each in fields(group)}
    return group(**{
        name: str(value) if isinstance(value, StrEnum) else value for name, value in values.items()
    })  # fmt: skip


def _parameters(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """The parameter itself, or one for every option of a group."""
    if is_dataclass(parameter.annotation):
        return _fields(parameter.annotation)
    return [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)]


def _fields(group: Any) -> list[inspect.Parameter]:
    types = get_type_hints(group, include_extras=True)
    return [_as_parameter(each, types[each.name]) for each in fields(group)]


def _as_parameter(each: Field, kind: Any) -> inspect.Parameter:
    """A field that :func:`option` made, or one whose type says what typer has to know."""
    default = inspect.Parameter.empty if each.default is MISSING else each.default
    if each.metadata:
        names = each.metadata["names"] or f"--{each.name.replace('_', '-')}"
        if choices := each.metadata["choices"]:
            enum = _strings(each.name, [(choice, choice) for choice in choices])
            kind, default = (enum | None, None) if default is None else (enum, enum(default))
        kind = Annotated[kind, typer.Option(*names.split(), **each.metadata["shown"])]
    return inspect.Parameter(
        each.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind
    )


class _PlainFlags:
    """A flag takes no value, so the help shows no type beside it."""

    def get_params(self, ctx: Any) -> list[Any]:
        params = super().get_params(ctx)  # type: ignore[misc]
        for option in params:
            if getattr(option, "is_flag", False):
                option.metavar = option.metavar or " "
        return params


class Command(_PlainFlags, TyperCommand):
    """A sub-command."""


class Group(_PlainFlags, TyperGroup):
    """The command itself."""

    def make_context(self, *given: Any, **more: Any) -> Any:
        with _visible_errors():
            return super().make_context(*given, **more)

    def invoke(self, ctx: Any) -> Any:
        with _visible_errors():
            return super().invoke(ctx)


def make_app(name: str, help: str, functions: dict[str, Callable[..., None]]) -> typer.Typer:
    """The typer application of a command with these functions as sub-commands."""
    app = typer.Typer(
        name=name,
        cls=Group,
        help=help,
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for word, function in functions.items():
        app.command(word, cls=Command)(command(function))
    return app


@contextmanager
def _visible_errors() -> Iterator[None]:
    """Errors of usage without control characters."""
    try:
        yield
    except _WrongUsage as error:
        error.message = visible(error.message)
        raise


def show_warnings_plainly() -> None:
    """Write out the control characters in the warnings of Python."""
    plain = warnings.formatwarning
    warnings.formatwarning = lambda *given, **more: visible(plain(*given, **more))


class UsageError(ValueError):
    """The command was called in a way that cannot work: exit code 2."""


@contextmanager
def usage_errors(beginning: str = "") -> Iterator[None]:
    """Errors of values in this block are errors of usage."""
    try:
        yield
    except ValueError as error:
        raise UsageError(f"{beginning}{error}") from error


_FLAGS = {  # of the parameters that errors of the library name
    **{name: f"--{name.replace('_', '-')}" for name in (
        "include", "exclude", "max_correlation", "min_features", "max_features", "group_score",
        "max_false", "target_type", "missing", "label", "index", "drop", "transpose", "encode",
        "impute", "header", "on", "layer", "allow_missing_samples", "drop_missing_labels",
    )},
    "n_features_to_select": "--keep", "groups": "--group", "covariates": "--adjust",
    "random_state": "--seed", "n_jobs": "--jobs",
}  # fmt: skip
_NAMED = "|".join(_FLAGS)
_VALUE = (  # of a parameter: True or left open, text or a list of one text, or anything else
    r"""(?:(?P<none>True\b|\[?\.\.\.\]?)|\[?(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\]?)?"""
)


def with_flags(sentence: str) -> str:
    """An error of the library as the command says it: flags, the table and the label.

    Parameters are recognised by their sign of equality, some of them at the beginning.

    Examples
    --------
    >>> with_flags("min_features=5, but at most 2 features can be selected.")
    '--min-features 5, but at most 2 features can be selected.'
    >>> with_flags("Name the samples (index='sample id'), or turn the table (transpose=True).")
    "Name the samples (--index 'sample id'), or turn the table (--transpose)."
    >>> with_flags("X has only 6 features.")
    'The table has only 6 features.'
    """
    sentence = re.sub(r"^(include|exclude)(?= )", r"--\1", sentence)
    for name, words in (("X", "the table"), ("y", "the label")):
        sentence = re.sub(rf"^{name}(?= )", words.capitalize(), sentence)
        sentence = re.sub(rf"\b(in|of|but|determine) {name}(?=[ ,.:])", rf"\1 {words}", sentence)
    sentence = re.sub(
        rf"The '({_NAMED})' parameter of \w+ must be (.*?)(?: or None)?\. Got (.*) instead\.",
        lambda found: f"{_FLAGS[found[1]]} must be {found[2]}, not {found[3]}.", sentence,
    )  # fmt: skip
    return re.sub(rf"(?<![-\w'\"])({_NAMED})={_VALUE}", _as_typed, sentence)


def _as_typed(found: re.Match[str]) -> str:
    """A parameter and its value as an option."""
    flag, text = _FLAGS[found[1]], found["text"]
    if text:
        return f"{flag} {shlex.quote(ast.literal_eval(text))}"
    return flag if found["none"] else f"{flag} "


def _sentence(error: Exception) -> str:
    """One sentence about the error; for unexpected errors also how to see more."""
    if isinstance(error, ImportError):
        package = (error.name or "a package").split(".")[0]
        return f"inffs: {package} is not installed ({error}): pip install 'inffs[all]'"
    if isinstance(error, MemoryError):
        return "inffs: there is not enough memory for this table: drop columns or use fewer."
    if isinstance(error, OSError) and error.strerror:
        where = f": {os.fsdecode(error.filename)}" if error.filename else ""
        remedy = ". Choose another folder (--out)." if error.errno in _NO_PLACE else ""
        return f"inffs: {error.strerror}{where}{remedy}"
    if isinstance(error, (ValueError, OSError)):
        return f"inffs: {with_flags(str(error))}"
    return f"inffs: {type(error).__name__}: {error} (--debug shows the traceback)"


def _leave_quietly() -> None:
    """The reader of the pipe has ended (``inffs rank ... | head``), which is no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise typer.Exit(0)
