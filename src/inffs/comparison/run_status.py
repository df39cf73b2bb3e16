"""How far the runs in a folder have come."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pandas as pd

from inffs.comparison.plan import Plan, read_plans
from inffs.comparison.rounds import Limits
from inffs.comparison.store import Store
from inffs.comparison.trial import CRASHED, DONE, FAILED, SKIPPED


def status(folder: str | Path, without: Collection[str] = ()) -> pd.DataFrame:
    """How far the runs in a folder have come: a line for each data set and setting.

    Parameters
    ----------
    folder : str or Path
        Of the results.
    without : collection of str
        Names of methods that do not count.

    Returns
    -------
    pandas.DataFrame

    See Also
    --------
    run : Goes on where it ended.

    Examples
    --------
    >>> from inffs.comparison import status
    >>> len(status("results"))  # nothing was begun there
    0
    """
    rows = Store(folder).frame().drop_duplicates("trial")
    rows = rows[~rows["method"].isin(without)]
    lines = []
    for plan in read_plans(folder).values():
        methods = tuple(name for name in plan.methods if name not in without)
        plan = replace(plan, methods=methods)
        mine = rows[(rows["dataset"] == plan.dataset) & (rows["setting"] == plan.setting)]
        counts = mine["status"].value_counts()
        left = _trials_left(plan, mine[mine["status"] != CRASHED])
        lines.append(
            {
                "dataset": plan.dataset,
                "setting": plan.setting,
                "splits": plan.splits,
                "planned": plan.splits * len(plan.methods),
                "done": int(counts.get(DONE, 0)),
                "skipped": int(counts.get(SKIPPED, 0)),
                "failed": int(counts.get(FAILED, 0)),
                "crashed": int(counts.get(CRASHED, 0)),
                "left": len(left),
                "hours_left": sum(left) / 3600,
            }
        )
    return pd.DataFrame(lines)


def _trials_left(plan: Plan, rows: pd.DataFrame) -> list[float]:
    """Expected seconds of every trial that is still to run (a slow method's few splits count)."""
    typical = _typical(rows["trial_seconds"])
    left = []
    for method in plan.methods:
        mine = rows[rows["method"] == method]
        splits = min(plan.splits, Limits.slow_splits) if Limits().slow(mine) else plan.splits
        seconds = _typical(mine["trial_seconds"]) or typical
        left += [seconds] * max(0, splits - len(mine))
    return left


def _typical(seconds: pd.Series) -> float:
    known = seconds.dropna()
    return float(known.median()) if len(known) else 0.0
