"""``inffs compare``: recommend a method for a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inffs.cli import _compare_options as run
from inffs.cli import _options as opt
from inffs.cli._run import Terminal, UsageError


def compare(
    terminal: Terminal,
    source: opt.Design,
    methods: run.Methods = None,
    sizes: run.Sizes = None,
    splits: run.Splits = None,
    tuned: run.Tuned = False,
    evaluators: run.Evaluators = None,
    scale: run.ScaleBy = None,
    seed: opt.Seed = 0,
    out: run.Out = None,
    jobs: run.Jobs = 1,
    budget: run.Budget = None,
    fit_timeout: run.FitTimeout = "10m",
    memory: run.Memory = None,
    retry: run.Retry = False,
) -> None:
    """Compare all methods on a table and recommend one, with a number of features.

    Missing values are imputed with the medians of each training part.

    [dim]inffs compare genes.csv --label diagnosis --budget 10m[/dim]
    """
    from inffs.cli._target import WORDS, check_target, read_beside, settle
    from inffs.cli._work import load
    from inffs.comparison import Limits, write_run_report
    from inffs.comparison import compare as compare_methods

    asked, table = check_target(source, str(source.target_type)), source.table
    if not source.labelled:
        raise UsageError("`inffs compare` needs a target: name its column (--label).")
    limits = Limits(run.parse_duration(fit_timeout), run.parse_memory(memory))
    options: dict[str, Any] = {
        "methods": run.parse_methods(methods),
        "sizes": run.parse_sizes(sizes),
        "budget": run.parse_duration(budget),
        "evaluators": None if evaluators is None else run.parse_evaluators(evaluators),
    }
    beside = read_beside(source)
    data, known = settle(
        load(terminal, source, beside, source.encode, "later", source.normalize),
        beside, asked,
    )  # fmt: skip
    for note in [*data.notes, *beside.notes]:
        terminal.note(note, style="yellow")
    folder = out or Path(f"inffs-compare-{table.name.partition('.')[0]}")
    with terminal.progress():
        answer = compare_methods(
            data.X, data.y, folder, name=table.name, names=data.names, groups=beside.groups,
            target_type="regression" if known == "regression" else "auto",
            splits=splits or 10, tuned=tuned, limits=limits, n_jobs=jobs, seed=seed,
            retry=retry, scale=scale and str(scale), **options,
        )  # fmt: skip
    if known != opt.TargetType.classification:
        terminal.out.print(f"Target: {data.label}, {WORDS[known]}.", markup=False)
    for sentence in answer.sentences():
        terminal.out.print(sentence, markup=False, soft_wrap=True)
    terminal.out.print(f"\n{answer.code}", markup=False, soft_wrap=True)
    flags = {
        "--label": source.label, "--target-type": str(source.target_type), "--time": source.time,
        "--event": source.event, "--group": source.group, "--index": source.index,
        "--drop": source.drop, "--transpose": source.transpose,
        "--encode": source.encode and str(source.encode),
        "--normalize": source.normalize and str(source.normalize),
        "--scale": scale and str(scale), "--seed": seed, "--sheet": source.sheet,
        "--layer": source.layer, "--header": source.header is True,
        "--no-header": source.header is False, "--labels": source.labels, "--on": source.on,
        "--allow-missing-samples": source.allow_missing_samples,
        "--drop-missing-labels": source.drop_missing_labels,
    }  # fmt: skip
    words = _select_command(table, answer, flags, data.X, tuned)
    if words:
        terminal.out.print(f"\n{words}", markup=False, soft_wrap=True)
    terminal.note(f"\nThe whole comparison: {write_run_report(folder)}")
    run.leave_on_crashes(terminal, folder)


def _select_command(table: Path, answer: Any, flags: dict[str, Any], X: Any, tuned: bool) -> str:
    """The ``inffs select`` command of the recommendation; "" where that command cannot do it."""
    import shlex

    from inffs.comparison.methods import find_method
    from inffs.comparison.trial import has_gaps

    method = find_method(answer.method, tuned)
    if method.baseline or method.grid:
        return ""
    usual = "none" if method.sees_raw else "standard"
    keep = "auto" if answer.asked == "auto" else str(answer.size)
    flags = {
        **flags,
        "--scale": flags["--scale"] or usual,
        "--impute": "median" if has_gaps(X) else None,
        "--method": answer.method,
        "--keep": keep,
    }
    words = [word for name, value in flags.items() for word in _as_words(name, value)]
    return shlex.join(["inffs", "select", str(table), *words])


_USUAL = {"--target-type": "auto", "--scale": "none", "--seed": 0}


def _as_words(name: str, value: Any) -> list[str]:
    """A flag as it is typed; nothing where its value is the usual one."""
    if value is None or value is False or value == [] or value == _USUAL.get(name):
        return []
    if value is True:
        return [name]
    return [word for each in (value if isinstance(value, list) else [value])
            for word in (name, str(each))]  # fmt: skip
