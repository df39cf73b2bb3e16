"""The options that sub-commands share, in groups: a sub-command takes a group as one argument."""

from __future__ import annotations

import contextlib
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from inffs.cli._run import UsageError

Encoding = StrEnum("Encoding", ["onehot", "ordinal"])
Normalization = StrEnum("Normalization", [("log_cpm", "log-cpm")])
Imputation = StrEnum("Imputation", ["median", "knn"])
Missing = StrEnum("Missing", ["refuse", "ignore"])
Scale = StrEnum("Scale", ["none", "standard", "robust", "range"])
TargetType = StrEnum("TargetType", ["auto", "classification", "regression", "survival"])
Goal = StrEnum("Goal", ["predict", "discover"])
GroupBy = StrEnum("GroupBy", ["best", "mean"])
Aggregation = StrEnum(
    "Aggregation",
    [("mean_rank", "mean-rank"), ("median", "median"), ("rra", "rra"), ("best", "best")],
)

WORDS = {  # for the types of a target
    "auto": "labels", "classification": "classes", "multilabel": "several labels",
    "regression": "numbers (regression)", "survival": "survival times",
}  # fmt: skip


def _complete_method(incomplete: str) -> list[str]:
    from inffs.methods import catalogue

    return [entry.key for entry in catalogue() if entry.key.startswith(incomplete)]


def _complete_keep(incomplete: str) -> list[str]:
    from inffs.cuts import CUTS

    return [name for name in ("auto", *CUTS) if name.startswith(incomplete)]


def option(panel: str, help: str, *names: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=panel, **more)


_TABLE, _TARGET, _METHOD, _SUBSET = "The table", "The target", "The method", "The subset"

TablePath = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="A file in CSV, TSV (also .gz), Excel, Parquet, Feather, NPZ, NPY, MAT, ARFF, "
        "svmlight, .h5ad, .loom, R, Stata, SPSS, SAS, Matrix Market, GEO series matrix or GCT "
        "format, or a folder from 10x Genomics, STAR or salmon.",
        show_default=False,
    ),
]
Seed = Annotated[int, option(_METHOD, "Seed of the random numbers.")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite existing files.")]
ScaleBy = Annotated[Scale, option(_TABLE, "Scale the columns before the ranking.")]


@dataclass(kw_only=True)
class Source:
    """The table, and the columns of the target."""

    table: TablePath
    label: Annotated[
        str | None,
        option(
            _TARGET,
            "Column of the label, by name or position (-1 is the last). Separate several columns "
            "by commas: all of 0 and 1, or all of numbers. Without a label the selection is "
            "unsupervised.",
            "--label", "-l", metavar="COLUMN",
        ),
    ] = None  # fmt: skip
    time: Annotated[
        str | None,
        option(_TARGET, "Column of survival times (instead of --label).", metavar="COLUMN"),
    ] = None
    event: Annotated[
        str | None,
        option(
            _TARGET,
            "Column of events for --time: 1 if the event happened at that time, 0 if the sample "
            "was censored. The codes 2 and 1 of R are understood as well.",
            metavar="COLUMN",
        ),
    ] = None
    labels: Annotated[
        Path | None,
        option(
            _TARGET,
            "A second file with the label, or another sheet of a workbook (book.xlsx#pheno). "
            "Samples are matched by name.",
            metavar="FILE",
        ),
    ] = None
    on: Annotated[
        str | None,
        option(
            _TARGET,
            "Column of sample names in the file of --labels. Default: the first one.",
            metavar="COLUMN",
        ),
    ] = None
    allow_missing_samples: Annotated[
        bool,
        option(
            _TARGET,
            "Leave out samples that are not in the file of --labels.",
            "--allow-missing-samples",
        ),
    ] = False
    drop_missing_labels: Annotated[
        bool, option(_TARGET, "Leave out samples without a label.", "--drop-missing-labels")
    ] = False
    index: Annotated[
        str | None,
        option(
            _TABLE, "Column of sample names (feature names with --transpose).", metavar="COLUMN"
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        option(
            _TABLE,
            "Leave out the columns with this name or pattern (* and ?). Can be repeated.",
            metavar="PATTERN",
        ),
    ] = None
    transpose: Annotated[
        bool, option(_TABLE, "The samples are the columns of the file.", "--transpose")
    ] = False
    sheet: Annotated[
        str | None,
        option(_TABLE, "The sheet of a workbook. Default: the first one.", metavar="NAME"),
    ] = None
    header: Annotated[
        bool | None,
        option(
            _TABLE,
            "Whether the first row contains names. Default: decided from the rows.",
            "--header/--no-header",
        ),
    ] = None
    layer: Annotated[
        str | None, option(_TABLE, "The layer of an AnnData file. Default: X.", metavar="NAME")
    ] = None

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

    target_type: Annotated[
        TargetType,
        option(
            _TARGET,
            "What the label contains: classes (classification), numbers (regression) or survival "
            "times. auto: numbers with decimals are regression, all others are classes.",
        ),
    ] = TargetType.auto
    group: Annotated[
        str | None,
        option(
            _TABLE,
            "Column of groups, such as patients. The samples of a group are never divided between "
            "training and test.",
            metavar="COLUMN",
        ),
    ] = None
    encode: Annotated[Encoding | None, option(_TABLE, "Turn text columns into numbers.")] = None
    normalize: Annotated[
        Normalization | None,
        option(_TABLE, "Turn counts (RNA sequencing) into log2(1 + counts per million)."),
    ] = None


@dataclass(kw_only=True)
class Prepared(Design):
    """The same with the preparation of the table before the ranking."""

    pair: Annotated[
        str | None,
        option(
            _TABLE,
            "Column of pairs, such as patients with one sample of each of two classes. Features "
            "are ranked and tested by their differences within pairs.",
            metavar="COLUMN",
        ),
    ] = None
    adjust: Annotated[
        str | None,
        option(
            _TABLE,
            "Columns of covariates, separated by commas (batch,age). What they explain is removed "
            "from every feature before the ranking.",
            metavar="COLUMNS",
        ),
    ] = None
    impute: Annotated[Imputation | None, option(_TABLE, "Fill in missing values.")] = None
    missing: Annotated[
        Missing,
        option(
            _TABLE,
            "Refuse missing values, or ignore them: every column is then measured on the samples "
            "that have a value.",
        ),
    ] = Missing.refuse
    scale: ScaleBy = Scale.none
    names: Annotated[
        Path | None,
        option(
            _TABLE,
            "A file with two columns, feature and name. The names (gene symbols) are shown beside "
            "the features.",
            metavar="FILE",
        ),
    ] = None


@dataclass(kw_only=True)
class Method:
    """The method and the number of features."""

    method: Annotated[
        str | None,
        option(
            _METHOD,
            "A key of `inffs methods`, with parameters in brackets. Several keys, separated by "
            "commas, form a consensus. Default: inf-fs-c for classes and numbers, inf-fs-s for "
            "survival times, inf-fs-u without a label.",
            "--method", "-m", metavar="'KEY[param=value]'", autocompletion=_complete_method,
        ),
    ] = None  # fmt: skip
    keep: Annotated[
        str | None,
        option(
            _METHOD,
            "How many features to select: auto, a number, a share, or a rule (predict, fdr, "
            "stability, knee, ...); all selects every feature. Default: auto (rank: all).",
            "--keep", "-k", metavar="auto|N|20%|RULE", autocompletion=_complete_keep,
        ),
    ] = None  # fmt: skip
    goal: Annotated[
        Goal | None,
        option(
            _METHOD,
            "predict: the smallest set that predicts as well as the best one (the default with a "
            "label). discover: all features that are associated with the label, at a false "
            "discovery rate of 10 %.",
        ),
    ] = None
    consensus: Annotated[
        Aggregation,
        option(
            _METHOD,
            "How several methods become one ranking. best: the method with the highest "
            "cross-validated score; the first one if no other is clearly better.",
        ),
    ] = Aggregation.mean_rank
    max_false: Annotated[
        float | None,
        option(
            _METHOD,
            "Stability selection: select the features that the method selects on most halves of "
            "the samples, with at most N false features expected.",
            metavar="N",
        ),
    ] = None
    seed: Seed = 0

    def size(self, usual: str = "auto") -> str:
        """What ``--keep`` means under the goal."""
        if self.goal is None:
            return self.keep or usual
        if self.keep not in (None, "auto"):
            raise UsageError("Give --goal or --keep, not both: a goal decides how many to keep.")
        return "fdr" if self.goal is Goal.discover else "auto"


@dataclass(kw_only=True)
class Subset:
    """Constraints on the selected features."""

    include: Annotated[
        list[str] | None,
        option(
            _SUBSET,
            "Always select the columns with this name or pattern (* and ?). Can be repeated.",
            metavar="PATTERN",
        ),
    ] = None
    exclude: Annotated[
        list[str] | None,
        option(
            _SUBSET,
            "Rank the columns with this name or pattern, but never select them. Can be repeated.",
            metavar="PATTERN",
        ),
    ] = None
    max_correlation: Annotated[
        float | None,
        option(
            _SUBSET,
            "No two selected features have a higher |Spearman correlation|.",
            metavar="0.9",
        ),
    ] = None
    group_score: Annotated[
        GroupBy | None,
        option(
            _SUBSET,
            "The columns that --encode onehot makes of one text column are selected together. "
            "Rank them by their best or their mean score.",
        ),
    ] = None
    min_features: Annotated[
        int | None, option(_SUBSET, "Select at least N features.", metavar="N")
    ] = None
    max_features: Annotated[
        int | None, option(_SUBSET, "Select at most N features.", metavar="N")
    ] = None


def given(options: Any) -> dict[str, Any]:
    """The options of a group that differ from their defaults, as plain values."""
    values = {each.name: (getattr(options, each.name), each.default) for each in fields(options)}
    return {
        name: str(value) if isinstance(value, (StrEnum, Path)) else value
        for name, (value, default) in values.items()
        if default is not MISSING and value not in (default, [])
    }


def parse_keep(keep: str) -> int | float | str | None:
    """``--keep`` as the library takes it: a number, a share, the name of a rule, None for all."""
    if keep == "all":
        return None
    number = _number(keep)
    if number is None:
        return keep
    if number >= 1 if isinstance(number, int) else 0 < number <= 1:
        return number
    raise UsageError(
        f"--keep takes auto, all, a number from 1, a share up to 100% or a rule, not {keep}."
    )


def _number(text: str) -> int | float | None:
    """A number or a share such as 20%; None for other text."""
    with contextlib.suppress(ValueError):
        return int(text)
    with contextlib.suppress(ValueError):
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    return None
