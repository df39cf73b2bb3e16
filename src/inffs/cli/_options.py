"""The options that sub-commands share, in groups: a sub-command takes a group as one argument."""

from __future__ import annotations

import contextlib
from dataclasses import MISSING, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from inffs.cli._run import UsageError, option

WORDS = {  # for the types of a target
    "auto": "labels", "classification": "classes", "multilabel": "several labels",
    "regression": "numbers (regression)", "survival": "survival times",
}  # fmt: skip
IMPUTATIONS, SCALES = ("median", "knn"), ("none", "standard", "robust", "range")


def complete_method(incomplete: str) -> list[str]:
    """The keys of the methods that begin so."""
    from inffs.methods import catalogue

    return [entry.key for entry in catalogue() if entry.key.startswith(incomplete)]


def _complete_keep(incomplete: str) -> list[str]:
    from inffs.cuts import CUTS

    return [name for name in ("auto", *CUTS) if name.startswith(incomplete)]


of_table, of_target, of_method, of_subset = (
    partial(option, panel=f"The {name}") for name in ("table", "target", "method", "subset")
)

FORCE: Any = option("Overwrite existing files.", default=False, names="--force -f")


@dataclass(kw_only=True)
class Source:
    """The table, and the columns of the target."""

    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            help="A file in CSV, TSV (also .gz), Excel, Parquet, Feather, NPZ, NPY, MAT, ARFF, "
            "svmlight, .h5ad, .loom, R, Stata, SPSS, SAS, Matrix Market, GEO series matrix or GCT "
            "format, or a folder from 10x Genomics, STAR or salmon.",
            show_default=False,
        ),
    ]
    label: str | None = of_target(
        "Column of the label, by name or position (-1 is the last). Separate several columns "
        "by commas: all of 0 and 1, or all of numbers. Without a label the selection is "
        "unsupervised.",
        "COLUMN",
        names="--label -l",
    )
    time: str | None = of_target("Column of survival times (instead of --label).", "COLUMN")
    event: str | None = of_target(
        "Column of events for --time: 1 if the event happened at that time, 0 if the sample "
        "was censored. The codes 2 and 1 of R are understood as well.",
        "COLUMN",
    )
    labels: Path | None = of_target(
        "A second file with the label, or another sheet of a workbook (book.xlsx#pheno). "
        "Samples are matched by name.",
        "FILE",
    )
    on: str | None = of_target(
        "Column of sample names in the file of --labels. Default: the first one.", "COLUMN"
    )
    allow_missing_samples: bool = of_target(
        "Leave out samples that are not in the file of --labels.", default=False
    )
    drop_missing_labels: bool = of_target("Leave out samples without a label.", default=False)
    index: str | None = of_table(
        "Column of sample names (feature names with --transpose).", "COLUMN"
    )
    drop: list[str] | None = of_table(
        "Leave out the columns with this name or pattern (* and ?). Can be repeated.", "PATTERN"
    )
    transpose: bool = of_table("The samples are the columns of the file.", default=False)
    sheet: str | None = of_table("The sheet of a workbook. Default: the first one.", "NAME")
    header: bool | None = of_table(
        "Whether the first row contains names. Default: decided from the rows.",
        names="--header/--no-header",
    )
    layer: str | None = of_table("The layer of an AnnData file. Default: X.", "NAME")

    @property
    def survival(self) -> bool:
        """Whether the target is survival times."""
        return self.time is not None and self.event is not None

    @property
    def labelled(self) -> bool:
        """Whether there is a target."""
        return self.survival or self.label is not None

    def columns_beside(self) -> list[tuple[str, str]]:
        """Flags and columns that are no features; a single label is read with the table."""
        found = []
        for name in ("label", "time", "event", "group", "pair", "adjust"):
            text = getattr(self, name, None) or ""
            parts = text.split(",") if name in ("label", "adjust") else [text]
            columns = [part.strip() for part in parts if part.strip()]
            if name != "label" or len(columns) > 1:
                found += [(f"--{name}", column) for column in columns]
        return found


@dataclass(kw_only=True)
class Design(Source):
    """The same with what decides how the table is evaluated."""

    target_type: str = of_target(
        "What the label contains: classes (classification), numbers (regression) or survival "
        "times. auto: numbers with decimals are regression, all others are classes.",
        default="auto",
        choices=("auto", "classification", "regression", "survival"),
    )
    group: str | None = of_table(
        "Column of groups, such as patients. The samples of a group are never divided between "
        "training and test.",
        "COLUMN",
    )
    encode: str | None = of_table("Turn text columns into numbers.", choices=("onehot", "ordinal"))
    normalize: str | None = of_table(
        "Turn counts (RNA sequencing) into log2(1 + counts per million).", choices=("log-cpm",)
    )


@dataclass(kw_only=True)
class Prepared(Design):
    """The same with the preparation of the table before the ranking."""

    pair: str | None = of_table(
        "Column of pairs, such as patients with one sample of each of two classes. Features "
        "are ranked and tested by their differences within pairs.",
        "COLUMN",
    )
    adjust: str | None = of_table(
        "Columns of covariates, separated by commas (batch,age). What they explain is removed "
        "from every feature before the ranking.",
        "COLUMNS",
    )
    impute: str | None = of_table("Fill in missing values.", choices=IMPUTATIONS)
    missing: str = of_table(
        "Refuse missing values, or ignore them: every column is then measured on the samples "
        "that have a value.",
        default="refuse",
        choices=("refuse", "ignore"),
    )
    scale: str = of_table("Scale the columns before the ranking.", default="none", choices=SCALES)
    names: Path | None = of_table(
        "A file with two columns, feature and name. The names (gene symbols) are shown beside "
        "the features.",
        "FILE",
    )


@dataclass(kw_only=True)
class Method:
    """The method and the number of features."""

    method: str | None = of_method(
        "A key of `inffs methods`, with parameters in brackets. Several keys, separated by "
        "commas, form a consensus. Default: inf-fs-c for classes and numbers, inf-fs-s for "
        "survival times, inf-fs-u without a label.",
        "'KEY[param=value]'",
        names="--method -m",
        autocompletion=complete_method,
    )
    keep: str | None = of_method(
        "How many features to select: auto, a number, a share, or a rule (predict, fdr, "
        "stability, knee, ...); all selects every feature. Default: auto (rank: all).",
        "auto|N|20%|RULE",
        names="--keep -k",
        autocompletion=_complete_keep,
    )
    goal: str | None = of_method(
        "predict: the smallest set that predicts as well as the best one (the default with a "
        "label). discover: all features that are associated with the label, at a false "
        "discovery rate of 10 %.",
        choices=("predict", "discover"),
    )
    consensus: str = of_method(
        "How several methods become one ranking. best: the method with the highest "
        "cross-validated score; the first one if no other is clearly better.",
        default="mean-rank",
        choices=("mean-rank", "median", "rra", "best"),
    )
    max_false: float | None = of_method(
        "Stability selection: select the features that the method selects on most halves of "
        "the samples, with at most N false features expected.",
        "N",
    )
    seed: int = of_method("Seed of the random numbers.", default=0)

    def size(self, usual: str = "auto") -> str:
        """What ``--keep`` means under the goal."""
        if self.goal is None:
            return self.keep or usual
        if self.keep not in (None, "auto"):
            raise UsageError("Give --goal or --keep, not both: a goal decides how many to keep.")
        return "fdr" if self.goal == "discover" else "auto"


@dataclass(kw_only=True)
class Subset:
    """Constraints on the selected features."""

    include: list[str] | None = of_subset(
        "Always select the columns with this name or pattern (* and ?). Can be repeated.",
        "PATTERN",
    )
    exclude: list[str] | None = of_subset(
        "Rank the columns with this name or pattern, but never select them. Can be repeated.",
        "PATTERN",
    )
    max_correlation: float | None = of_subset(
        "No two selected features have a higher |Spearman correlation|.", "0.9"
    )
    group_score: str | None = of_subset(
        "The columns that --encode onehot makes of one text column are selected together. "
        "Rank them by their best or their mean score.",
        choices=("best", "mean"),
    )
    min_features: int | None = of_subset("Select at least N features.", "N")
    max_features: int | None = of_subset("Select at most N features.", "N")


def given(options: Any) -> dict[str, Any]:
    """The options of a group that differ from their defaults, as plain values."""
    values = {each.name: (getattr(options, each.name), each.default) for each in fields(options)}
    return {
        name: str(value) if isinstance(value, Path) else value
        for name, (value, default) in values.items()
        if default is not MISSING and value not in (default, [])
    }


def parse_keep(keep: str) -> int | float | str | None:
    """``--keep`` as the library takes it: a number, a share, the name of a rule, None for all."""
    if keep == "all":
        return None
    number = read_number(keep)
    if number is None:
        return keep
    if is_size(number):
        return number
    raise UsageError(
        f"--keep takes auto, all, a number from 1, a share up to 100% or a rule, not {keep}."
    )


def read_number(text: str) -> int | float | None:
    """A number or a share such as 20%; None for other text."""
    with contextlib.suppress(ValueError):
        return int(text)
    with contextlib.suppress(ValueError):
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    return None


def is_size(number: int | float) -> bool:
    """Whether so many features, or this share of them, can be selected."""
    return number >= 1 if isinstance(number, int) else 0 < number <= 1
