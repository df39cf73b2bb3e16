"""``inffs compare``: which method serves this table?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inffs.cli import _compare_options as run
from inffs.cli import _options as opt
from inffs.cli import _target as goal
from inffs.cli._run import Terminal, UsageError


def compare(
    terminal: Terminal,
    table: opt.TablePath,
    label: opt.Label = None,
    methods: run.Methods = None,
    sizes: run.Sizes = None,
    splits: run.Splits = None,
    tuned: run.Tuned = False,
    evaluators: run.Evaluators = None,
    group: opt.Group = None,
    index: opt.Index = None,
    drop: opt.Drop = None,
    transpose: opt.Transpose = False,
    sheet: opt.Sheet = None,
    header: opt.Header = None,
    labels: opt.Labels = None,
    on: opt.On = None,
    allow_missing_samples: opt.AllowMissingSamples = False,
    drop_missing_labels: opt.DropMissingLabels = False,
    layer: opt.Layer = None,
    encode: opt.Encode = None,
    normalize: opt.Normalize = None,
    scale: run.ScaleBy = None,
    target_type: goal.TargetTypeIs = goal.TargetType.auto,
    time: goal.Time = None,
    event: goal.Event = None,
    seed: opt.Seed = 0,
    out: run.Out = None,
    jobs: run.Jobs = 1,
    dask: run.Dask = None,
    budget: run.Budget = None,
    fit_timeout: run.FitTimeout = "10m",
    memory: run.Memory = None,
    retry: run.Retry = False,
) -> None:
    """Run every method on a table and tell which to use, with how many features.

    Missing values are filled in with the medians of each training part.

    [dim]inffs compare genes.csv --label diagnosis --budget 10m[/dim]
    """
    from inffs.cli._work import load_target, read_groups
    from inffs.comparison import Limits, write_run_report
    from inffs.comparison import compare as compare_methods

    asked = goal.Asked(label, target_type, time, event)
    if not asked.given:
        raise UsageError("`inffs compare` needs a target: name its column (--label).")
    limits = Limits(run.parse_duration(fit_timeout), run.parse_memory(memory))
    options: dict[str, Any] = {
        "methods": run.parse_methods(methods),
        "sizes": run.parse_sizes(sizes),
        "budget": run.parse_duration(budget),
        "evaluators": None if evaluators is None else run.parse_evaluators(evaluators),
    }
    if labels is not None and group is not None:
        raise UsageError("--group reads the table alone: put the labels into it (no --labels).")
    if drop_missing_labels and group is not None:
        raise UsageError("--group needs a label for every sample: no --drop-missing-labels.")
    reading: dict[str, Any] = {"sheet": sheet, "header": header, "layer": layer}
    groups, drop = read_groups(table, group, index, drop or [], transpose, **reading)
    reading |= {
        "labels": labels, "on": on, "allow_missing_samples": allow_missing_samples or None,
        "drop_missing_labels": drop_missing_labels or None,
        "normalize": normalize and str(normalize),
    }  # fmt: skip
    data, known = load_target(
        terminal, asked, table, index, drop, transpose, encode, "later", **reading
    )
    folder = out or Path(f"inffs-compare-{table.name.partition('.')[0]}")
    with terminal.progress():
        answer = compare_methods(
            data.X, data.y, folder, name=table.name, names=data.names, groups=groups,
            target_type="regression" if known == "regression" else "auto",
            splits=splits or 10, tuned=tuned, limits=limits, n_jobs=jobs, dask=dask, seed=seed,
            retry=retry, scale=scale and str(scale), **options,
        )  # fmt: skip
    if known != goal.TargetType.classification:
        terminal.out.print(f"Target: {data.label}, {goal.WORDS[known]}.", markup=False)
    for sentence in answer.sentences():
        terminal.out.print(sentence, markup=False, soft_wrap=True)
    terminal.out.print(f"\n{answer.code}", markup=False, soft_wrap=True)
    flags = {
        "--label": label, "--target-type": str(target_type), "--time": time, "--event": event,
        "--index": index, "--drop": drop,
        "--transpose": transpose, "--encode": encode and str(encode),
        "--normalize": normalize and str(normalize),
        "--scale": scale and str(scale), "--seed": seed, "--sheet": sheet, "--layer": layer,
        "--header": header is True, "--no-header": header is False, "--labels": labels, "--on": on,
        "--allow-missing-samples": allow_missing_samples,
        "--drop-missing-labels": drop_missing_labels,
    }  # fmt: skip
    words = _select_command(table, answer, flags, data.X, tuned)
    if words:
        terminal.out.print(f"\n{words}", markup=False, soft_wrap=True)
    terminal.note(f"\nThe whole comparison: {write_run_report(folder)}")
    run.leave_on_crashes(terminal, folder)


def _select_command(table: Path, answer: Any, flags: dict[str, Any], X: Any, tuned: bool) -> str:
    """The ``inffs select`` command of the recommendation; "" where that command cannot do it."""
    import shlex

    from inffs.comparison.compared import find_method
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
