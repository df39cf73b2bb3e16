"""Which cut deserves to be the default: the study of the cuts as tables.

Every ranking of the study was computed once per split and ended by every cut. The measure of a cut
is the accuracy at its size minus the accuracy at the best fixed size of that ranking and data set:
the one of 10, 50, 100, 150 and 200 with the best mean over the splits. This choice in hindsight
favours the fixed size. The "fair" choice uses only the other splits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from inffs.base import RankAgain
from inffs.comparison.protocol import Protocol
from inffs.comparison.runner import Round
from inffs.comparison.summary import finished
from inffs.comparison.trial import Asked, Row, Training, Trial, as_seen, one_row, seconds_now
from inffs.cuts import SCORE_CUTS, Samples, apply_cut
from inffs.cuts.stability import nogueira
from inffs.target import make_target
from inffs.validation.checks import varying_columns

STUDY = "cuts"
REFIT = "cuts that fit again"  # the slow ones, on fewer splits
CHOOSING = ("colon", "lymphoma", "prostate", "madelon", "dexter")
REPORTING = ("leukemia", "lung", "office-googlenet", "office-caffenet", "gina", "gisette")
FIXED = ("10", "50", "100", "150", "200")
_DRAWS = 2000
MIDDLE_OF = ("histogram", "jenks", "knee")
_RANKING = ["dataset", "method"]


@dataclass(frozen=True)
class CutsProtocol(Protocol):
    """A protocol in which every ranking is ended by each of the ``cuts``, beside the sizes."""

    cuts: tuple[str, ...] = ()


class CutsTrial(Trial):
    """One fit with the default parameters, ended by every cut."""

    protocol: CutsProtocol

    def select(self, X: Any, y: Any, asked: Asked, groups: np.ndarray | None) -> list[Row]:
        """Seconds are those of the fit for a requested number, and those of the cut for a cut."""
        method, protocol, target = self.method, self.protocol, make_target(y)
        table, n = as_seen(method, X, protocol.scale), X.shape[1]
        table = table.tocsc() if sparse.issparse(table) else table
        began = seconds_now()
        part = Training(method, X, target, protocol, protocol.seed + self.number)
        selector = part.fitted(method.params, table, {"all": n})
        spent = seconds_now() - began
        rows = [
            one_row(name, selector.order_[:size], spent)
            for name, size in asked.items()
            if isinstance(size, int)
        ]
        varying, known = varying_columns(table), target if method.supervised else None
        scores, columns = selector.scores_[varying], table[:, varying]
        for name in protocol.cuts:
            if name in ("fdr", "predict") and not method.supervised:
                continue
            samples = Samples(columns, known)
            began = seconds_now()
            cut = apply_cut(name, scores, samples, RankAgain(selector)).among(varying, n)
            kept = cut.first(selector.order_)[: cut.size]
            rows.append(one_row(name, kept, seconds_now() - began))
        return rows


class CutsRound(Round):
    """A round of such trials."""

    def trials(self) -> Iterator[Trial]:
        """The trials, split by split."""
        for each in super().trials():
            yield CutsTrial(each.method, each.number, each.protocol)


def is_among(frame: pd.DataFrame, datasets: tuple[str, ...]) -> pd.Series:
    """Which rows are of these data sets; "gina (rebuilt)" is gina."""
    return frame["dataset"].str.split(" ").str[0].isin(datasets)


def study_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """The finished rows of the study; older ones have "middle" by the three sizes it is among."""
    rows = pd.concat([finished(frame, STUDY), finished(frame, REFIT)], ignore_index=True)
    measured = rows.loc[rows["asked"] == "middle", "trial"]
    older = rows[~rows["trial"].isin(measured)]
    three = older[older["asked"].isin(MIDDLE_OF)].sort_values(
        ["trial", "n_features"], kind="stable"
    )
    place = three.groupby("trial").cumcount()
    whole = three.groupby("trial")["asked"].transform("nunique") == len(MIDDLE_OF)
    middle = three[whole & (place == 1)].copy()
    middle["cpu_seconds"] = three.groupby("trial")["cpu_seconds"].sum()[middle["trial"]].to_numpy()
    middle["asked"] = "middle"
    middle["selected"] = [[] for _ in range(len(middle))]
    return pd.concat([rows, middle], ignore_index=True) if len(middle) else rows


def cut_means(frame: pd.DataFrame) -> pd.DataFrame:
    """One line for each data set, method and cut, means over the splits.

    ``difference`` (hindsight) and ``fair`` are in points of accuracy, ``fits`` the processor time
    of the cut in fits of the method, ``stability`` Nogueira's over the splits (NaN where the
    selections are too long to have been kept, or all features).
    """
    lines = []
    for (dataset, method), rows in study_rows(frame).groupby(_RANKING, sort=True):
        accuracy = rows.pivot_table(index="split", columns="asked", values="score")
        best, fair = _best_fixed(accuracy), _fair_fixed(accuracy)
        kept = rows.sort_values("selected", key=lambda each: each.map(len), kind="stable")
        kept = kept.set_index("trial")["selected"].to_dict()  # the longest of every trial
        fit = rows[rows["asked"].isin(FIXED)]["cpu_seconds"].median()
        for asked, group in rows.groupby("asked"):
            difference = accuracy[asked] - accuracy[best]
            lines.append(
                {
                    "dataset": dataset,
                    "method": method,
                    "supervised": bool(group["supervised"].iloc[0]),
                    "cut": asked,
                    "splits": len(group),
                    "best": int(best),
                    "difference": 100 * difference.mean(),
                    "fair": 100 * (accuracy[asked] - fair).mean(),
                    "size": group["n_features"].mean(),
                    "share": (group["n_features"] / group["features"]).mean(),
                    "stability": _stability(kept, group),
                    "fits": group["cpu_seconds"].median() / max(fit, 1e-9),
                }
            )
    return pd.DataFrame(lines)


def _best_fixed(accuracy: pd.DataFrame) -> str:
    """The fixed size with the best mean; the smallest among equals."""
    fixed = [size for size in FIXED if size in accuracy]
    return str(accuracy[fixed].mean().idxmax())


def _fair_fixed(accuracy: pd.DataFrame) -> pd.Series:
    """In every split the accuracy of the fixed size that is best over the other splits."""
    fixed = accuracy[[size for size in FIXED if size in accuracy]].dropna()
    if len(fixed) < 2:
        return pd.Series(np.nan, index=fixed.index)
    others = (fixed.sum() - fixed).to_numpy()
    best = np.argmax(others, axis=1)
    return pd.Series(fixed.to_numpy()[np.arange(len(fixed)), best], index=fixed.index)


def _stability(order: dict[str, Any], group: pd.DataFrame) -> float:
    """Of the beginnings of the orders that one row of every trial keeps."""
    picked = [
        order[trial][: int(size)]
        for trial, size in zip(group["trial"], group["n_features"], strict=True)
        if size <= len(order.get(trial, ()))
    ]
    whole = len(picked) == len(group)
    return nogueira(picked, int(group["features"].iloc[0])) if whole else float("nan")


def cut_table(
    frame: pd.DataFrame, datasets: tuple[str, ...], supervised: bool, seed: int = 0
) -> pd.DataFrame:
    """One line for each cut over the data sets that have it, best mean difference first.

    ``low`` and ``high`` bound the mean difference: the 95 % interval of 2000 bootstraps that draw
    splits within every data set, all methods and cuts together, so that it is paired.
    """
    frame = frame[is_among(frame, datasets) & (frame["supervised"] == supervised)]
    mine = cut_means(frame)
    if mine.empty:
        return mine
    histogram = mine[mine["cut"] == "histogram"].set_index(_RANKING)["size"]
    bounds = _bootstrap(frame, mine, np.random.default_rng(seed))
    lines = []
    for cut, group in mine.groupby("cut"):
        by_set = group.groupby("dataset")["difference"].mean()
        ratio = group.set_index(_RANKING)["size"] / histogram
        worst = group.loc[group["difference"].idxmin()]
        lines.append(
            {
                "cut": cut,
                "sets": len(by_set),
                "splits": group["splits"].max(),
                "difference": by_set.mean(),
                "low": bounds[cut][0],
                "high": bounds[cut][1],
                "fair": group.groupby("dataset")["fair"].mean().mean(),
                "worst_set": by_set.min(),
                "worst": worst["difference"],
                "worst_where": f"{worst['method']} on {worst['dataset']}",
                "size": group.groupby("dataset")["size"].mean().mean(),
                "of_histogram": float(np.exp(np.log(ratio).mean())),
                "smallest": group["size"].min(),
                "all_kept": float((group["share"] > 0.999).mean()),
                "stability": group["stability"].mean(),
                "fits": group["fits"].median(),
            }
        )
    return pd.DataFrame(lines).sort_values("difference", ascending=False, ignore_index=True)


def ranked_defaults(choosing: pd.DataFrame) -> list[str]:
    """The cuts that read only the scores, first choice first, by the table of the choosing sets.

    Without labels the first is "auto". Only those that were measured on every set and whose worst
    ranking fares no worse than with the histogram rule, by their mean difference.
    """
    worst = choosing.set_index("cut").loc["histogram", "worst"]
    fit = choosing["cut"].isin(SCORE_CUTS) & (choosing["sets"] == choosing["sets"].max())
    return choosing[fit & (choosing["worst"] >= worst)]["cut"].tolist()


def _bootstrap(
    frame: pd.DataFrame, cells: pd.DataFrame, rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """Bounds of the mean difference of every cut, splits drawn within each data set."""
    rows = study_rows(frame).merge(cells[[*_RANKING, "cut", "best"]], left_on=[*_RANKING, "asked"],
                                        right_on=[*_RANKING, "cut"])  # fmt: skip
    key = ["dataset", "method", "split"]
    fixed = rows[rows["asked"] == rows["best"].astype(str)].set_index(key)["score"]
    rows = rows.join(fixed.rename("fixed"), on=key)
    rows["difference"] = 100 * (rows["score"] - rows["fixed"])
    draws: dict[str, list[np.ndarray]] = {}
    for dataset in rows["dataset"].unique():
        mine = rows[rows["dataset"] == dataset]
        pivot = mine.pivot_table(index="split", columns=["cut", "method"], values="difference")
        drawn = rng.integers(0, len(pivot), size=(_DRAWS, len(pivot)))
        weight = np.apply_along_axis(np.bincount, 1, drawn, minlength=len(pivot))
        there = pivot.notna().to_numpy()
        means = (weight @ pivot.fillna(0.0).to_numpy()) / np.maximum(weight @ there, 1e-9)
        means = pd.DataFrame(np.where(weight @ there, means, np.nan), columns=pivot.columns)
        for cut, part in means.T.groupby(level="cut"):
            draws.setdefault(str(cut), []).append(part.mean().to_numpy())
    return {
        cut: tuple(np.nanquantile(np.mean(each, axis=0), [0.025, 0.975]))
        for cut, each in draws.items()
    }
