"""What the report says and draws for every kind of target: classes, numbers, survival times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from inffs.report._scatter import scatter_chart
from inffs.report._survival import survival_chart
from inffs.target import CLASSIFICATION, REGRESSION, Target


@dataclass(frozen=True)
class Wording:
    """The words of the cross-validation: its score, its model and its baseline.

    ``share`` is True for scores that are shares of the samples: they are written as percent.
    """

    measure: str
    model: str
    baseline: str
    share: bool = False

    @property
    def title(self) -> str:
        """The measure at the beginning of a line."""
        return self.measure[:1].upper() + self.measure[1:]

    def text(self, value: float) -> str:
        """A score as text: 96.7 %, or 0.47.

        Examples
        --------
        >>> WORDINGS["accuracy"].text(0.9667), WORDINGS["r2"].text(0.4712)
        ('96.7 %', '0.47')
        """
        return f"{100 * value:.1f} %" if self.share else f"{value:.2f}"

    def error(self, value: float) -> str:
        """A standard error as it stands behind a ±."""
        return f"{100 * value:.1f}" if self.share else f"{value:.2f}"


_SVM, _LARGEST = "a linear SVM", "the most frequent class"
WORDINGS = {
    "accuracy": Wording("accuracy", _SVM, _LARGEST, share=True),
    "balanced_accuracy": Wording("balanced accuracy", _SVM, _LARGEST, share=True),
    "r2": Wording("R2", "a ridge regression", "the mean"),
    "concordance": Wording("C-index", "a Cox model with a ridge penalty", "a random order"),
}


@dataclass(frozen=True)
class Along:
    """Charts of the first features: what a section of the page shows, and how to read it."""

    name: str
    title: str
    how: str
    draw: Callable[[np.ndarray, str], Markup]
    continuous: tuple[str, np.ndarray] | None = None  # name and values of a continuous target


def along_target(target: Target | None, label: str | None) -> Along | None:
    """Charts of the first features against numbers or survival times; None for classes."""
    if target is None or target.type == CLASSIFICATION:
        return None
    if target.type == REGRESSION:
        shown = label or "y"
        return Along(
            "Target",
            f"{shown} by the first features",
            "Each dot is a sample. The line joins the medians of five equal parts of the samples.",
            lambda values, name: scatter_chart(values, target.values, name, shown),
            (shown, target.values),
        )
    return Along(
        "Survival",
        "Survival by the first features",
        "Kaplan-Meier curves of the samples above and below the median of each feature. p is from "
        "a log-rank test of the two halves. The features were selected with these samples, so "
        "these p-values are too small.",
        lambda values, name: survival_chart(values, target.values, name),
    )
