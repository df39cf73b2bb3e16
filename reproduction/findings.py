"""What the results show that the paper does not ask: for the summary of the page."""

from __future__ import annotations

import pandas as pd

from inffs.comparison import summary
from inffs.comparison.page import fixed_sizes
from inffs.comparison.process import Limits
from inffs.comparison.protocol import OFFICIAL
from inffs.comparison.store import MAIN_EVALUATOR
from reproduction.paper import MICROARRAY, NIPS
from reproduction.scatter import comparable, present

_OFFICE = ("office-caffenet", "office-googlenet")
_YES = {True: "yes", False: "no"}
_FIT_TIMEOUT = Limits().fit_timeout or float("inf")
_LARGE = 5.0  # points of accuracy by which a second evaluator changes the picture


def below_random(table: pd.DataFrame) -> str:
    """Methods that are worse than random features on the microarray sets."""
    sets, sizes = comparable(table, MICROARRAY), fixed_sizes(table, "microarray")
    means = summary.curves(table, sets, sizes).mean(axis=1) if sets and sizes else pd.Series()
    if "random" not in means:
        return ""
    kinds = table.drop_duplicates("method").set_index("method")["supervised"]
    worse = means[means < means["random"]].sort_values()
    named = {
        title: ", ".join(f"{name} ({100 * worse[name]:.1f})" for name in worse.index
                         if bool(kinds[name]) == flag)
        for title, flag in (("unsupervised", False), ("supervised", True))
    }  # fmt: skip
    shown = " ".join(f"The {title} ones are {text}." for title, text in named.items() if text)
    if not shown:
        random = f"{100 * means['random']:.1f} %"
        return f"On the microarray sets no method is less accurate than random features ({random})."
    return (
        f"Some methods are less accurate than random features on the {len(sets)} microarray sets "
        f"(linear SVM; random features reach {100 * means['random']:.1f} %). {shown}"
    )


def random_is_better(table: pd.DataFrame) -> str:
    """Data sets on which random features are better than a form of Inf-FS; "" without results."""
    lines, seen = [], 0
    for dataset in sorted(set(table["dataset"])):
        mine = table[table["dataset"] == dataset]
        means = 100 * summary.curves(mine, [dataset], _sizes(mine)).mean(axis=1)
        forms = means.reindex(["inf-fs-u", "inf-fs-s"]).dropna() if "random" in means else means[:0]
        seen += forms.size > 0
        lines += [f"{name} on {dataset} ({value:.1f}, random {means['random']:.1f})"
                  for name, value in forms.items() if value < means["random"]]  # fmt: skip
    if not seen:
        return ""
    if not lines:
        return f"Both forms of Inf-FS are at least as accurate as random features on {seen} sets."
    found = "; ".join(lines)
    return f"On some of {seen} sets Inf-FS is less accurate than random features: {found}."


def on_published_split(frame: pd.DataFrame) -> pd.DataFrame:
    """Score in percent at every size on the published split of a data set, best mean first.

    Beside it VOC 2007's own measure, where precision is read at eleven points, and the
    evaluator's C at the largest size.
    """
    rows = summary.finished(frame, OFFICIAL)
    rows = rows[~rows["asked"].isin(["auto", "all"])]
    sizes = rows.groupby("asked")["n_features"].mean().sort_values().index
    shown = 100 * rows.pivot_table(index="method", columns="asked", values="score")[list(sizes)]
    shown.insert(0, "labels", rows.groupby("method")["supervised"].first().map(_YES))
    shown["mean"] = shown[list(sizes)].mean(axis=1)
    shown["eleven points"] = 100 * rows.groupby("method")["eleven_point_precision"].mean()
    shown = shown.sort_values("mean", ascending=False).round(1)
    if len(sizes):
        shown[f"C at {sizes[-1]}"] = rows[rows["asked"] == sizes[-1]].set_index("method")["C"]
    return shown.rename_axis(columns=None).reset_index()


def longer_choices(frame: pd.DataFrame) -> str:
    """Whose choice of parameters took longer than a fit may take; "" where nobody's did."""
    most = frame.groupby(["method", "dataset"])["tune_seconds"].max()
    most = most[most > _FIT_TIMEOUT]
    if most.empty:
        return ""
    each = ", ".join(f"{method} on {dataset} (up to {seconds:.0f} s)"
                     for (method, dataset), seconds in most.items())  # fmt: skip
    return (
        f"A method whose fit takes more than {_FIT_TIMEOUT:g} s of processor time is left out. The "
        f"choice of parameters is part of a fit. It was given longer, by the clock, for {each}."
    )


def of_evaluators(frame: pd.DataFrame) -> pd.DataFrame:
    """Per data set the best method by another evaluator, and by the linear SVM on the same ones.

    The score is the mean over the sizes, in percent.
    """
    linear, lines = frame[frame["evaluator"] == MAIN_EVALUATOR], []
    for evaluator in sorted(set(frame["evaluator"].dropna()) - {MAIN_EVALUATOR}):
        evaluated = frame[frame["evaluator"] == evaluator]
        both = linear[linear["trial"].isin(evaluated["trial"])]
        mine, usual = summary.means(evaluated), summary.means(both)
        for dataset in present(usual, MICROARRAY + NIPS + _OFFICE):
            best, beside = _best(mine, dataset), _best(usual, dataset)
            splits = evaluated.loc[evaluated["dataset"] == dataset, "split"].nunique()
            lines.append((dataset, evaluator, best[2], splits, *best[:2], *beside[:2]))
    columns = ["data set", "evaluator", "methods", "splits", "best", "mean", "best by linear",
               "its mean"]  # fmt: skip
    return pd.DataFrame(lines, columns=columns).sort_values("data set", kind="stable")


def _best(table: pd.DataFrame, dataset: str) -> tuple[str, float, int]:
    """The best method of a data set by its mean over the sizes, that mean, and of how many."""
    mine = table[(table["dataset"] == dataset) & (table["kind"] != "baseline")]
    curves = summary.curves(mine, [dataset], _sizes(mine)).dropna().mean(axis=1)
    return str(curves.idxmax()), round(100 * curves.max(), 1), len(curves)


def _sizes(table: pd.DataFrame) -> list[str]:
    return fixed_sizes(table, tuple(table["challenge"].unique()))


def evaluators_disagree(frame: pd.DataFrame) -> str:
    """Where another evaluator is far above the linear SVM on the same selections."""
    found = of_evaluators(frame)
    if found.empty:
        return ""
    lines = [
        f"{row['data set']}: {row['evaluator']} {row['mean']:.1f}, linear {row['its mean']:.1f}"
        for _, row in found.iterrows()
        if row["mean"] - row["its mean"] > _LARGE
    ]
    if not lines:
        return "No other evaluator is more than five points above the linear SVM."
    return f"A nonlinear evaluator finds more than the linear SVM: {'; '.join(lines)}."
