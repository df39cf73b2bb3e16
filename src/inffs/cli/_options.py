"""Options that sub-commands share. A sub-command names those it takes; the text is here once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from inffs.cli._run import UsageError


class Encoding(StrEnum):
    """How text becomes numbers."""

    onehot = "onehot"
    ordinal = "ordinal"


class Aggregation(StrEnum):
    """How the rankings of several methods become one."""

    mean_rank = "mean-rank"
    median = "median"
    rra = "rra"
    best = "best"


class Normalization(StrEnum):
    """How counts become comparable between samples."""

    log_cpm = "log-cpm"


class Imputation(StrEnum):
    """How missing values are filled in."""

    median = "median"
    knn = "knn"


class Missing(StrEnum):
    """What the method does with missing values."""

    refuse = "refuse"
    ignore = "ignore"


class Goal(StrEnum):
    """What the selected features are for."""

    predict = "predict"
    discover = "discover"


class Scale(StrEnum):
    """What is done to the columns' scales before ranking."""

    none = "none"
    standard = "standard"
    robust = "robust"
    range = "range"


_TABLE, _METHOD = "The table", "The method"


def _complete_method(incomplete: str) -> list[str]:
    from inffs.methods import catalogue

    return [entry.key for entry in catalogue() if entry.key.startswith(incomplete)]


def _complete_keep(incomplete: str) -> list[str]:
    from inffs.cuts import CUTS

    return [name for name in ("auto", *CUTS) if name.startswith(incomplete)]


TablePath = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV (also .gz), Excel, Parquet, Feather, NPZ, NPY, MAT, ARFF, svmlight, .h5ad, "
        ".loom, R, Stata, SPSS, SAS, Matrix Market, a GEO series matrix, GCT, or a folder of 10x "
        "Genomics, STAR or salmon.",
        show_default=False,
    ),
]
Label = Annotated[
    str | None,
    typer.Option(
        "--label",
        "-l",
        metavar="COLUMN",
        help="Column of classes, by name or position (-1 is the last). Without it: unsupervised.",
        rich_help_panel=_TABLE,
    ),
]
Index = Annotated[
    str | None,
    typer.Option(
        "--index",
        metavar="COLUMN",
        help="Column of sample names (feature names with --transpose).",
        rich_help_panel=_TABLE,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="PATTERN",
        help="Leave out columns of this name or pattern (* and ?); may be repeated.",
        rich_help_panel=_TABLE,
    ),
]
Transpose = Annotated[
    bool,
    typer.Option("--transpose", help="Samples are columns in the file.", rich_help_panel=_TABLE),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        metavar="NAME",
        help="The sheet of a workbook. Default: the first.",
        rich_help_panel=_TABLE,
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first row holds names. Default: as it looks.",
        rich_help_panel=_TABLE,
    ),
]
Names = Annotated[
    Path | None,
    typer.Option(
        "--names",
        metavar="FILE",
        help="A file of two columns, feature and name: names (gene symbols) are shown beside the "
        "features.",
        rich_help_panel=_TABLE,
    ),
]
Labels = Annotated[
    Path | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="A second file that holds the column of classes, or another sheet of a workbook "
        "(book.xlsx#pheno); samples are matched by name.",
        rich_help_panel=_TABLE,
    ),
]
AllowMissingSamples = Annotated[
    bool,
    typer.Option(
        "--allow-missing-samples",
        help="Leave out samples that are not in the file of --labels.",
        rich_help_panel=_TABLE,
    ),
]
DropMissingLabels = Annotated[
    bool,
    typer.Option(
        "--drop-missing-labels",
        help="Leave out samples whose label is missing.",
        rich_help_panel=_TABLE,
    ),
]
On = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="COLUMN",
        help="Column of sample names in the file of --labels. Default: its first.",
        rich_help_panel=_TABLE,
    ),
]
Layer = Annotated[
    str | None,
    typer.Option(
        "--layer",
        metavar="NAME",
        help="The layer of an AnnData file. Default: its X.",
        rich_help_panel=_TABLE,
    ),
]
Encode = Annotated[
    Encoding | None,
    typer.Option("--encode", help="Turn text columns into numbers.", rich_help_panel=_TABLE),
]
Normalize = Annotated[
    Normalization | None,
    typer.Option(
        "--normalize",
        help="Turn counts (RNA sequencing) into log2(1 + counts per million of the sample).",
        rich_help_panel=_TABLE,
    ),
]
Impute = Annotated[
    Imputation | None,
    typer.Option("--impute", help="Fill in missing values.", rich_help_panel=_TABLE),
]
MissingBy = Annotated[
    Missing,
    typer.Option(
        "--missing",
        help="Missing values: refuse them, or measure every column on the samples that have a "
        "value; --impute fills them in.",
        rich_help_panel=_TABLE,
    ),
]
ScaleBy = Annotated[
    Scale,
    typer.Option(
        "--scale",
        help="Bring columns of different units to one scale before ranking.",
        rich_help_panel=_TABLE,
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        "-m",
        metavar="'KEY[param=value]'",
        help="A key of `inffs methods`; parameters stand in brackets behind it, and the whole in "
        "quotes. Several, separated by commas, for their consensus. Default: inf-fs-c with "
        "classes or numbers, inf-fs-s with survival times, inf-fs-u without a label.",
        autocompletion=_complete_method,
        rich_help_panel=_METHOD,
    ),
]
Keep = Annotated[
    str,
    typer.Option(
        "--keep",
        "-k",
        metavar="auto|N|20%|CUT",
        help="How many features: automatic, a number, a share, or a cut "
        "(predict, fdr, stability, knee, ...); all ranks only.",
        autocompletion=_complete_keep,
        rich_help_panel=_METHOD,
    ),
]
Group = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="COLUMN",
        help="Samples with the same value (a patient) stay on one side of every split.",
        rich_help_panel=_TABLE,
    ),
]
Adjust = Annotated[
    str | None,
    typer.Option(
        "--adjust",
        metavar="COLUMNS",
        help="Covariates, separated by commas (batch,age): what they explain is removed from every "
        "feature before it is ranked.",
        rich_help_panel=_TABLE,
    ),
]
GoalIs = Annotated[
    Goal | None,
    typer.Option(
        "--goal",
        help="predict: the smallest set that predicts as well as the best one (the default with a "
        "label); discover: all features associated with the label, at a false discovery rate of "
        "10 %.",
        rich_help_panel=_METHOD,
    ),
]
Consensus = Annotated[
    Aggregation,
    typer.Option(
        "--consensus",
        help="How several methods become one ranking; best: the one that predicts best on folds "
        "of the table, in doubt the first.",
        rich_help_panel=_METHOD,
    ),
]
MaxFalse = Annotated[
    float | None,
    typer.Option(
        "--max-false",
        metavar="N",
        help="Stability selection: keep what the method picks from most halves of the samples, at "
        "most N features of it expected to be false.",
        rich_help_panel=_METHOD,
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", help="For methods that draw at random.", rich_help_panel=_METHOD),
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite what is there.")]


def method_or_default(method: str | None, labelled: bool, target_type: str = "auto") -> str:
    """The method asked for; else inf-fs-u without a label, inf-fs-s for survival, inf-fs-c."""
    usual = "inf-fs-s" if target_type == "survival" else "inf-fs-c"
    return method or (usual if labelled else "inf-fs-u")


def keep_for(goal: Goal | None, keep: str) -> str:
    """What ``--keep`` is under a goal."""
    if goal is None:
        return keep
    if keep != "auto":
        raise UsageError("Give --goal or --keep, not both: a goal decides how many to keep.")
    return "fdr" if goal is Goal.discover else "auto"


def parse_keep(keep: str) -> int | float | str | None:
    """``--keep`` as the library takes it: a number, a fraction, a rule's name, None for all."""
    if keep == "all":
        return None
    for read in (int, float, _percent):
        try:
            return read(keep)
        except ValueError:
            continue
    return keep


def _percent(keep: str) -> float:
    """A share such as 20%."""
    number = keep.removesuffix("%")
    if number == keep:
        raise ValueError("no share")
    return float(number) / 100
