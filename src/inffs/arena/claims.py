"""The paper's claims, each put to the test on our results. No number here is typed by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from inffs.arena import summary
from inffs.arena.figures import comparable, fixed_sizes, present
from inffs.arena.paper import MICROARRAY, NIPS, TABLE_3, paper_name
from inffs.methods import catalogue

HOLDS, PARTLY, FAILS, OPEN = "holds", "holds partly", "does not hold here", "not tested yet"
NEAR = 0.01  # accuracies that differ by less than a point count as equal


@dataclass(frozen=True)
class Finding:
    """A verdict with the numbers it rests on."""

    verdict: str
    evidence: str


@dataclass(frozen=True)
class Claim:
    """What the paper says (in our words), where, how it is checked, and of which data sets."""

    text: str
    where: str
    check: Callable[[pd.DataFrame], Finding]
    sets: tuple[str, ...]
    why: str = ""


def _pct(value: float) -> str:
    return f"{100 * value:.1f}"


def _methods(table: pd.DataFrame, supervised: bool) -> list[str]:
    """The methods of a class that the paper compares (its Table 1) and that have results."""
    listed = {entry.key for entry in catalogue() if entry.paper_cost}
    rows = table[table["supervised"] == supervised]
    return sorted(listed & set(rows["method"]))


def _value(table: pd.DataFrame, dataset: str, method: str, asked: str) -> float:
    rows = table[
        (table["dataset"] == dataset) & (table["method"] == method) & (table["asked"] == asked)
    ]
    return float(rows["quality"].iloc[0]) if len(rows) else float("nan")


def _set(table: pd.DataFrame, name: str) -> str:
    """Our data set that stands for the paper's, "" if there are no results on it."""
    found = present(table, (name,))
    return found[0] if found else ""


def _first_among(
    table: pd.DataFrame, sets: list[str], method: str, rivals: list[str], sizes: list[str]
) -> Finding:
    """Is the method's mean over the sets the best of its class at every size?"""
    if not sets or not sizes:
        return Finding(OPEN, "no results")
    everyone = summary.curves(table[table["kind"] != "baseline"], sets, sizes).dropna()
    curves = everyone.loc[[name for name in rivals if name in everyone.index]]
    if method not in curves.index or len(curves) < 3:
        return Finding(OPEN, "too few methods have finished on all of these sets")
    places = curves.rank(ascending=False, method="min").loc[method].astype(int)
    gap = curves.max() - curves.loc[method]
    told = "; ".join(
        f"{size}: {_pct(curves.loc[method, size])}, place {places[size]} of {len(curves)} "
        f"(best {curves[size].idxmax()} {_pct(curves[size].max())})"
        for size in sizes
    )
    top = everyone.mean(axis=1)
    told += f"; of all {len(top)} methods here {top.idxmax()} is best on average"
    if (places == 1).all():
        return Finding(HOLDS, told)
    partly = (places == 1).any() or (gap <= NEAR).all()
    return Finding(PARTLY if partly else FAILS, told)


def unsupervised_microarray(table: pd.DataFrame) -> Finding:
    sets, sizes = comparable(table, MICROARRAY), fixed_sizes(table, "microarray")
    found = _first_among(table, sets, "inf-fs-u", _methods(table, False), sizes)
    if found.verdict != OPEN and (table["method"] == "variance").any():
        plain = summary.curves(table[table["method"] == "variance"], sets, sizes).loc["variance"]
        told = ", ".join(f"{size}: {_pct(plain[size])}" for size in sizes)
        found = Finding(found.verdict, f"{found.evidence}; beside it plain variance: {told}")
    return found


def supervised_microarray(table: pd.DataFrame) -> Finding:
    sets, sizes = comparable(table, MICROARRAY), fixed_sizes(table, "microarray")
    return _first_among(table, sets, "inf-fs-s", _methods(table, True), sizes)


def knee(table: pd.DataFrame) -> Finding:
    sets, sizes = comparable(table, MICROARRAY), fixed_sizes(table, "microarray")
    if not sets or len(sizes) < 5:
        return Finding(OPEN, "no results")
    mean = summary.curves(table, sets, sizes).drop(["random"], errors="ignore").mean()
    early, late = mean.iloc[1] - mean.iloc[0], mean.iloc[-1] - mean.iloc[1]
    last = mean.iloc[-1] - mean.iloc[-2]
    told = (
        f"mean over all methods: {', '.join(f'{s}: {_pct(mean[s])}' for s in sizes)}; "
        f"{sizes[0]} to {sizes[1]} gains {_pct(early)} points, {sizes[1]} to {sizes[-1]} "
        f"{_pct(late)}, the last step {_pct(last)}"
    )
    good = (early > late, abs(last) < 0.005)
    return Finding(HOLDS if all(good) else PARTLY if any(good) else FAILS, told)


def labels_help(table: pd.DataFrame) -> Finding:
    """Supervised above unsupervised on the mean, equal on colon, leukemia and lung."""
    sets, sizes = comparable(table, MICROARRAY), fixed_sizes(table, "microarray")
    differences = {
        name: float(
            pd.Series(
                [_value(table, name, "inf-fs-s", s) - _value(table, name, "inf-fs-u", s)
                 for s in sizes]
            ).mean()
        )
        for name in sets
    }  # fmt: skip
    if not differences or any(pd.isna(each) for each in differences.values()):
        return Finding(OPEN, "both forms must have finished on the microarray sets")
    mean = sum(differences.values()) / len(differences)
    told = f"mean difference {_pct(mean)} points; " + ", ".join(
        f"{name} {100 * each:+.1f}" for name, each in differences.items()
    )
    alike = [abs(differences[name]) <= 0.02 for name in ("colon", "leukemia", "lung")
             if name in differences]  # fmt: skip
    good = (mean > 0, all(alike))
    return Finding(HOLDS if all(good) else PARTLY if any(good) else FAILS, told)


def supervised_wins(name: str) -> Callable[[pd.DataFrame], Finding]:
    def check(table: pd.DataFrame) -> Finding:
        ours = _set(table, name)
        pairs = _pairs(table, ours)
        if not pairs:
            return Finding(OPEN, f"no results on {name}")
        wins = [s > u for _, u, s in pairs]
        verdict = HOLDS if all(wins) else PARTLY if any(wins) else FAILS
        return Finding(verdict, _tell_pairs(ours, pairs))

    return check


def _pairs(table: pd.DataFrame, dataset: str) -> list[tuple[str, float, float]]:
    mine = table[table["dataset"] == dataset]
    sizes = fixed_sizes(mine, tuple(mine["challenge"].unique()))
    found = [
        (s, _value(table, dataset, "inf-fs-u", s), _value(table, dataset, "inf-fs-s", s))
        for s in sizes
    ]
    return [each for each in found if not pd.isna(each[1]) and not pd.isna(each[2])]


def _tell_pairs(dataset: str, pairs: list[tuple[str, float, float]]) -> str:
    told = ", ".join(f"{size}: {_pct(u)} / {_pct(s)}" for size, u, s in pairs)
    return f"{dataset}, Inf-FS_U / Inf-FS_S: {told}"


def madelon(table: pd.DataFrame) -> Finding:
    pairs = _pairs(table, _set(table, "madelon"))
    if not pairs:
        return Finding(OPEN, "no results on madelon")
    first = pairs[0][1] > pairs[0][2]
    rest = all(abs(u - s) <= 0.02 for _, u, s in pairs[1:])
    verdict = HOLDS if first and rest else PARTLY if first or rest else FAILS
    return Finding(verdict, _tell_pairs("madelon", pairs))


def best_at(name: str, asked: str) -> Callable[[pd.DataFrame], Finding]:
    def check(table: pd.DataFrame) -> Finding:
        ours = _set(table, name)
        if not ours:
            return Finding(OPEN, f"no results on {name}")
        return _first_among(table, [ours], "inf-fs-s", _methods(table, True), [asked])

    return check


def gina_like_its_parts(table: pd.DataFrame) -> Finding:
    ours = _set(table, "gina")
    values = {name: _value(table, ours, name, "10") for name in ("inf-fs-s", "mi", "fisher")}
    if any(pd.isna(each) for each in values.values()):
        return Finding(OPEN, "no results on gina")
    told = f"{ours}, 10 features: " + ", ".join(f"{k} {_pct(v)}" for k, v in values.items())
    near = [abs(values["inf-fs-s"] - values[name]) <= 0.01 for name in ("mi", "fisher")]
    return Finding(HOLDS if all(near) else PARTLY if any(near) else FAILS, told)


def dexter_supervised(table: pd.DataFrame) -> Finding:
    ours = _set(table, "dexter")
    if not ours:
        return Finding(OPEN, "no results on dexter")
    sizes = [size for size in fixed_sizes(table[table["dataset"] == ours], "nips") if size != "10"]
    return _first_among(table, [ours], "inf-fs-s", _methods(table, True), sizes)


def dexter_unsupervised(table: pd.DataFrame) -> Finding:
    ours = _set(table, "dexter")
    if not ours:
        return Finding(OPEN, "no results on dexter")
    sizes = fixed_sizes(table[table["dataset"] == ours], "nips")
    return _first_among(table, [ours], "inf-fs-u", _methods(table, False), sizes)


def caltech_band(table: pd.DataFrame) -> Finding:
    ours = _set(table, "caltech101")
    rows = table[(table["dataset"] == ours) & (table["asked"] == "25%")]
    rows = rows[rows["kind"] != "baseline"].set_index("method")["quality"]
    if "inf-fs-u" not in rows or "inf-fs-s" not in rows:
        return Finding(OPEN, "no results on caltech101")
    best = rows.max()
    told = (
        f"{ours}, 25 % of the features, {len(rows)} methods from {_pct(rows.min())} to "
        f"{_pct(best)}; Inf-FS_U {_pct(rows['inf-fs-u'])}, Inf-FS_S {_pct(rows['inf-fs-s'])}"
    )
    near = [best - rows[name] <= NEAR for name in ("inf-fs-u", "inf-fs-s")]
    return Finding(HOLDS if all(near) else PARTLY if any(near) else FAILS, told)


def voc(table: pd.DataFrame) -> Finding:
    return Finding(OPEN, "no public features of PASCAL VOC 2007: bring your own")


def best_rank(supervised: bool) -> Callable[[pd.DataFrame], Finding]:
    def check(table: pd.DataFrame) -> Finding:
        sets = comparable(table, MICROARRAY + NIPS)
        sizes = fixed_sizes(table, ("microarray", "nips"))
        method = "inf-fs-s" if supervised else "inf-fs-u"
        mean, variance = summary.average_ranks(table, sets, sizes, _methods(table, supervised))
        if method not in mean.index or len(mean) < 3 or len(sets) < 3:
            return Finding(OPEN, "too few methods have finished")
        overall = mean.mean(axis=1).sort_values()
        place = list(overall.index).index(method) + 1
        told = (
            f"{len(sets)} data sets, {len(overall)} methods; average rank over the sizes: "
            + ", ".join(f"{name} {value:.2f}" for name, value in overall.head(5).items())
            + f"; {method} {overall[method]:.2f} (place {place}, mean variance "
            f"{variance.loc[method].mean():.2f})"
        )
        verdict = HOLDS if place == 1 else PARTLY if place <= 3 else FAILS
        return Finding(verdict, told)

    return check


def beats_lasso(table: pd.DataFrame) -> Finding:
    wide = _automatic(table, "accuracy")
    if wide.empty:
        return Finding(OPEN, "both LASSOs and both forms of Inf-FS must have finished on a set")
    ours = wide[["inf-fs-u", "inf-fs-s"]].max(axis=1)
    theirs = wide[["lasso-hinge", "lasso-unhinged"]].max(axis=1)
    won = int((ours > theirs).sum())
    told = f"{won} of {len(wide)} sets; " + "; ".join(
        f"{name}: Inf-FS {ours[name]:.1f}, LASSO {theirs[name]:.1f}" for name in wide.index
    )
    return Finding(HOLDS if won >= 0.8 * len(wide) else PARTLY if won else FAILS, told)


def _automatic(table: pd.DataFrame, column: str) -> pd.DataFrame:
    rows = summary.table_3(table)
    if rows.empty:
        return rows
    wide = rows.pivot_table(index="dataset", columns="method", values=column)
    wide = wide.reindex(columns=["lasso-hinge", "lasso-unhinged", "inf-fs-u", "inf-fs-s"])
    return wide.loc[[name for name in wide.index if not name.endswith("(log)")]].dropna()


def labels_shrink_the_subset(table: pd.DataFrame) -> Finding:
    rows = summary.table_3(table)
    if rows.empty:
        return Finding(OPEN, "no results")
    wide = rows.pivot_table(index="dataset", columns="method", values="size")
    wide = wide.reindex(columns=["inf-fs-u", "inf-fs-s"]).dropna()
    wide = wide.loc[[name for name in wide.index if not name.endswith("(log)")]]
    fewer = wide["inf-fs-s"] < wide["inf-fs-u"]
    told = "; ".join(f"{d}: {r['inf-fs-u']:.0f} / {r['inf-fs-s']:.0f}" for d, r in wide.iterrows())
    return Finding(
        HOLDS if fewer.all() else PARTLY if fewer.any() else FAILS, f"sizes U / S: {told}"
    )


def fewer_than_lasso(table: pd.DataFrame) -> Finding:
    wide = _automatic(table, "size")
    if wide.empty:
        return Finding(OPEN, "both LASSOs must have finished")
    ours = wide[["inf-fs-u", "inf-fs-s"]].max(axis=1)
    fewer = ours < wide["lasso-hinge"]
    told = "; ".join(
        f"{name}: Inf-FS at most {ours[name]:.0f}, hinge {wide.loc[name, 'lasso-hinge']:.0f}, "
        f"unhinged {wide.loc[name, 'lasso-unhinged']:.0f}"
        for name in wide.index
    )
    return Finding(HOLDS if fewer.all() else PARTLY if fewer.any() else FAILS, told)


def automatic_is_competitive(table: pd.DataFrame) -> Finding:
    rows = summary.table_3(table)
    rows = rows[rows["method"].isin(["inf-fs-u", "inf-fs-s"])] if len(rows) else rows
    if rows.empty:
        return Finding(OPEN, "no results")
    loss = rows["best_accuracy"] - rows["accuracy"]
    told = (
        f"best fixed size minus automatic: mean {loss.mean():.1f} points, at worst "
        f"{loss.max():.1f} ({rows.loc[loss.idxmax(), 'method']} on "
        f"{rows.loc[loss.idxmax(), 'dataset']})"
    )
    return Finding(HOLDS if loss.max() <= 2 else PARTLY if loss.mean() <= 2 else FAILS, told)


def colon_accuracy(table: pd.DataFrame) -> Finding:
    told, best = [], {}
    for name in ("colon", "colon (log)"):
        rows = table[(table["dataset"] == name) & table["method"].isin(["inf-fs-u", "inf-fs-s"])]
        if len(rows):
            top = rows.loc[rows["quality"].idxmax()]
            best[name] = 100 * top["quality"]
            told.append(f"{name}: at best {best[name]:.1f} ({top['method']}, {top['asked']})")
    if "colon" not in best:
        return Finding(OPEN, "no results on colon")
    published = TABLE_3["colon", "inf-fs-s"][3]
    near = max(best.values()) >= published - 1
    return Finding(HOLDS if near else FAILS, "; ".join([*told, f"the paper: {published}"]))


def rivals_do_better(table: pd.DataFrame) -> Finding:
    rows = summary.table_3(table)
    rows = rows[rows["method"].str.startswith("lasso")].dropna() if len(rows) else rows
    if rows.empty:
        return Finding(OPEN, "the LASSOs must have finished")
    gain = rows["best_accuracy"] - rows["paper_best_accuracy"]
    told = f"LASSOs at their best size, ours minus the paper's: mean {gain.mean():+.1f} points; "
    told += "; ".join(
        f"{m} on {d} {g:+.1f}"
        for m, d, g in zip(rows["method"], rows["dataset"], gain, strict=True)
    )
    share = (gain > 0).mean()
    return Finding(HOLDS if share >= 0.8 else PARTLY if share >= 0.4 else FAILS, told)


def histogram_sizes(table: pd.DataFrame) -> Finding:
    rows = summary.table_3(table)
    rows = rows[rows["method"].isin(["inf-fs-u", "inf-fs-s"])].dropna() if len(rows) else rows
    if rows.empty:
        return Finding(OPEN, "no results")
    ratio = rows["size"] / rows["paper_size"]
    near = ratio.between(0.5, 2.0)
    told = f"{int(near.sum())} of {len(rows)} sizes within a factor of two of the paper's; "
    told += "; ".join(
        f"{m} on {paper_name(d)}: {s:.0f} / {p:.0f}"
        for m, d, s, p in zip(
            rows["method"], rows["dataset"], rows["size"], rows["paper_size"], strict=True
        )
    )
    share = near.mean()
    return Finding(HOLDS if share >= 0.8 else PARTLY if share >= 0.4 else FAILS, told)
