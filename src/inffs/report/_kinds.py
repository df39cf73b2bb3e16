"""What the report says and draws for every kind of target: classes, numbers, survival times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from inffs.report._scatter import scatter_chart
from inffs.report._survival import survival_chart
from inffs.target import CLASSIFICATION, REGRESSION, SURVIVAL, Target


@dataclass(frozen=True)
class Wording:
    """The words of the check: what is measured, by whom, and what knowing nothing reaches."""

    measure: str
    judge: str
    guess: str
    question: str
    reached: str
    guessed: str
    share: bool = False

    @property
    def title(self) -> str:
        """The measure at the beginning of a line."""
        return self.measure[:1].upper() + self.measure[1:]


WORDINGS = {
    CLASSIFICATION: Wording(
        "accuracy",
        "a linear SVM",
        "always the largest class",
        "Does it help a classifier?",
        "The features kept predict {told} of the samples left out, {whole}",
        "always naming the largest class is right for {guess}",
        share=True,
    ),
    REGRESSION: Wording(
        "R2",
        "a ridge regression",
        "always the mean",
        "Does it help to predict?",
        "The features kept explain {told} of the variance in the samples left out (R2), {whole}",
        "always saying the mean explains {guess}",
    ),
    SURVIVAL: Wording(
        "concordance",
        "a Cox model with a ridge",
        "tossing a coin",
        "Does it tell who lives longer?",
        "The features kept put {told} of the pairs of samples left out in the right order "
        "(concordance), {whole}",
        "tossing a coin does so for {guess}",
    ),
}


@dataclass(frozen=True)
class Along:
    """Pictures of the best features: what a section of the page shows, and how to read it."""

    name: str
    title: str
    how: str
    draw: Callable[[np.ndarray, str], Markup]
    continuous: tuple[str, np.ndarray] | None = None  # name and values of a continuous target


def along_target(target: Target | None, label: str | None) -> Along | None:
    """How the best features go with numbers or with survival times; None for classes."""
    if target is None or target.type == CLASSIFICATION:
        return None
    if target.type == REGRESSION:
        shown = label or "y"
        return Along(
            "Target",
            f"{shown} along the best features",
            "A dot is a sample; the line joins the medians of fifths of the samples.",
            lambda values, name: scatter_chart(values, target.values, name, shown),
            (shown, target.values),
        )
    return Along(
        "Survival",
        "Survival by the best features",
        "The share alive over time (Kaplan and Meier): samples above and below the median of the "
        "feature. p is that of a log-rank test of the halves; features were chosen by these "
        "samples, so it flatters.",
        lambda values, name: survival_chart(values, target.values, name),
    )
