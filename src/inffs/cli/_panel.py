"""The selected features of an earlier run, and the score of a model on another table."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inffs._utils.threads import dense
from inffs._utils.words import counted
from inffs.cli._options import Source
from inffs.cli._run import UsageError
from inffs.cli._source import read_beside, with_target
from inffs.evaluation import Part, find_evaluator
from inffs.evaluation.metrics import MAIN, measures, r2
from inffs.io import Table, read_table
from inffs.report._check import WORDINGS
from inffs.target import CLASSIFICATION, MULTILABEL, REGRESSION, SURVIVAL, Target, make_target
from inffs.validation.missing import has_missing
from inffs.validation.preparation import Preparation


@dataclass(frozen=True)
class Panel:
    """The selected features of a run, and the table that they come from."""

    folder: Path
    run: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> Panel:
        """The panel of the run in a folder."""
        path = folder / "run.json"
        try:
            run = json.loads(path.read_text(encoding="utf-8"))
            run["selection"]["features"]
        except (OSError, ValueError, KeyError, TypeError):
            raise UsageError(
                f"{folder} is not the folder of an `inffs select`: it has no run.json that lists "
                "selected features."
            ) from None
        return cls(folder, run)

    @property
    def features(self) -> list[str]:
        return list(self.run["selection"]["features"])

    @property
    def asked(self) -> dict[str, Any]:
        """The options of the run."""
        return self.run.get("asked") or {}

    @property
    def target_type(self) -> str:
        return str(self.asked.get("target_type", "auto"))

    @property
    def sources(self) -> list[str]:
        """The columns to read: of one-hot columns the text column that they come from."""
        if ordinal := self.run["selection"]["ordinal"]:
            raise ValueError(
                f"{ordinal[0]!r} is text that was numbered by its own values (--encode ordinal), "
                "which another table can number otherwise: use --encode onehot in select."
            )
        of_text = [name.partition("=")[0] for name in self.features]
        return list(dict.fromkeys([*self.features, *of_text * ("encode" in self.asked)]))

    def divided(
        self, names: list[str], table: str, allow_missing: bool
    ) -> tuple[list[str], list[str]]:
        """The selected features that are among ``names``, and those that are missing."""
        there = [name for name in self.features if name in set(names)]
        lost = [name for name in self.features if name not in set(names)]
        if not there or (lost and not allow_missing):
            remedy = ", or use --allow-missing-features" if there else ""
            verb = "is" if len(lost) == 1 else "are"
            raise ValueError(
                f"{len(lost):,} of the {len(self.features):,} selected features {verb} not in "
                f"{table} ({', '.join(map(repr, lost))}): give a table with these columns{remedy}."
            )
        return there, lost

    def first_table(self, features: list[str]) -> Table:
        """The table that the features were selected from, with these columns and its target."""
        how = self.run["selection"]
        if how["spreadsheet_safe"]:
            raise ValueError(
                "The run was written with --spreadsheet-safe, so its names are changed: select "
                "again without it."
            )
        reading = self.run.get("reading") or {}
        survival = self.target_type == SURVIVAL
        source = Source(
            table=self.folder / how["file"], label=None if survival else self.run["label"],
            time=reading.get("time"), event=reading.get("event"), transpose=how["transpose"],
        )  # fmt: skip
        beside = read_beside(source)
        label = None if beside.names else source.label
        data = read_table(
            source.table, label=label, transpose=source.transpose, impute="later", columns=features
        )
        return with_target(data, beside, self.target_type)[0]

    def evaluate(self, data: Table, features: list[str], impute: str | None) -> dict[str, Any]:
        """The score of a model trained on the first table, on all samples of another one."""
        if self.run.get("label") is None:
            raise UsageError(f"The run in {self.folder} had no target: leave out the labels.")
        first = self.first_table(features)
        if has_missing(data.X) and impute is None:
            raise ValueError(
                f"{data.label!r} cannot be predicted where values are missing: fill them in by "
                "the first table's values (--impute median)."
            )
        target = _together(first, data, self.target_type)
        train, test = np.split(np.arange(len(target)), [first.shape[0]])
        both = np.vstack([dense(first.X), dense(data.X)])
        X = Preparation(impute or "median").of(both, train)
        model = find_evaluator(kind=target.type)
        part = Part(X, target, train, test)
        (outputs,) = model.outputs(part, [np.arange(X.shape[1])], (model.usual,))
        scores = measures(target, outputs[0], test)
        return {
            "model": model.title,
            "trained_on": int(train.size),
            "score": MAIN[target.type],
            **{name: round(float(value), 6) for name, value in scores.items()},
            "baseline": round(_baseline(target, train, test), 6),
        }


def _together(first: Any, data: Any, target_type: str) -> Target:
    """The target of both tables, the first one's samples first; new classes are refused."""
    one, other = first.y, data.y
    if target_type == CLASSIFICATION:
        if one.dtype.kind != other.dtype.kind:
            one, other = one.astype(str), other.astype(str)
        if new := sorted(set(other.tolist()) - set(one.tolist())):
            raise ValueError(
                f"The label {data.label!r} has the class {new[0]!r}, which the first table does "
                f"not have ({', '.join(map(repr, np.unique(one).tolist()))}): leave such samples "
                "out, or give the same --label."
            )
    if target_type == SURVIVAL:
        one, other = (each.astype([("event", bool), ("time", float)]) for each in (one, other))
    return make_target(np.concatenate([one, other]), target_type)


def _baseline(target: Target, train: np.ndarray, test: np.ndarray) -> float:
    """What a model without features reaches on the new samples."""
    if target.type == CLASSIFICATION:
        most = np.bincount(target.values[train]).argmax()
        return float(np.mean(target.values[test] == most))
    if target.type == REGRESSION:
        truth = target.values[test]
        return r2(truth, np.full_like(truth, target.values[train].mean(axis=0)))
    return float(target.values[test].mean()) if target.type == MULTILABEL else 0.5


def score_line(found: dict[str, Any], samples: int, first: Panel) -> str:
    """The score of the evaluation as a sentence."""
    words = WORDINGS[found["score"]]
    write = words.text if words.share else "{:.3f}".format
    score, baseline = write(found[found["score"]]), write(found["baseline"])
    return (
        f"{words.title}: {score} on {counted(samples, 'sample')} ({found['model']}, trained on the "
        f"{counted(found['trained_on'], 'sample')} of {first.run['table']}). Baseline: {baseline}."
    )
