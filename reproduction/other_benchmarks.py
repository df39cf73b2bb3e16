"""Results beyond the paper's data sets: made tables of a publication, madelon and unseen tables."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from inffs.comparison import summary
from inffs.comparison.store import MAIN_EVALUATOR
from reproduction import standing, tables
from reproduction.packed import PackedStore

METHOD = "inf-fs-c"
SAMPLES = 1000
PUBLISHED = " (published)"
_SHOWN = 6


def as_markdown(folder: Path) -> list[str]:
    """The section of the page; empty where these benchmarks have not been run."""
    parts = [*_nonlinear(folder / "nonlinear" / "results.csv"), *_unseen(folder / "unseen")]
    if not parts:
        return []
    return [
        "## Conditional paths on other benchmarks",
        f"The paper does not contain conditional paths (`{METHOD}`), the default method of inffs. "
        "These benchmarks compare it with published results and with the other methods. The "
        "[evidence page](conditional-paths-evidence.md) holds all rows.",
        *parts,
    ]


def _nonlinear(path: Path) -> list[str]:
    if not path.exists():
        return []
    rows = pd.read_csv(path)
    made = rows[(rows["benchmark"] == "made") & (rows["samples"] == SAMPLES)]
    madelon = rows[rows["benchmark"] == "madelon"].set_index("method")["value"]
    return [
        "**Made tables with a known truth.** Four tables of a publication (Passemiers and others "
        f"2024) were drawn anew with {SAMPLES:,} samples. The numbers are the share of the true "
        "features among the first ones, in percent, averaged over 2 to 2,048 features. The table "
        f"shows the best {_SHOWN} methods by their mean, and the best published value of each "
        "column.",
        tables.markdown(_best_made(made)),
        "**Madelon.** A random forest was trained on 20 selected features. The numbers are areas "
        "under the ROC curve, in percent.",
        tables.markdown(_best_madelon(madelon)),
    ]


def _best_made(rows: pd.DataFrame) -> pd.DataFrame:
    wide = rows.pivot_table(index="method", columns="table", values="value", sort=False)
    published = wide[wide.index.str.endswith(PUBLISHED)].max()
    best = wide.loc[wide.mean(axis=1).sort_values(ascending=False).index[:_SHOWN]]
    best.loc["best published value of the column"] = published
    return best.round(1).rename_axis(columns=None).reset_index()


def _best_madelon(values: pd.Series) -> pd.DataFrame:
    published = values[values.index.str.endswith(PUBLISHED)]
    ours = values.drop(index=published.index).nlargest(_SHOWN)
    shown = pd.concat([ours, published.nlargest(_SHOWN)]).sort_values(ascending=False)
    return shown.round(1).rename("area under the curve").rename_axis("method").reset_index()


def _unseen(folder: Path) -> list[str]:
    if not folder.is_dir():
        return []
    rows = summary.finished(PackedStore(folder).frame(evaluator=MAIN_EVALUATOR))
    quality = standing.over_sizes(rows)
    table, distance = standing.places(quality)
    place = int(table.index[table["method"] == METHOD][0]) + 1
    return [
        f"**{quality.groupby('dataset').ngroups} public tables that were not used to develop the "
        f"method.** By the accuracy of a linear SVM, averaged over 5 to 200 features, `{METHOD}` "
        f"has rank {place} of {len(table)} methods. Average ranks closer than {distance:.1f} do "
        "not differ significantly (Nemenyi, 5 %).",
        tables.markdown(table.head(_SHOWN)),
    ]
