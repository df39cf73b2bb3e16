"""A judge's verdict on sets of columns: its setting chosen inside the training part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inffs.evaluation.choice import choose
from inffs.evaluation.folds import Split
from inffs.evaluation.judges import Judge
from inffs.evaluation.parts import Part, distinct
from inffs.evaluation.quality import measures, sample_scores


def assess(
    judge: Judge,
    part: Part,
    subsets: Sequence[np.ndarray],
    folds: Sequence[Split],
    settings: Sequence[float] | None = None,
) -> list[dict[str, Any]]:
    """The measures on the test part for every set of columns, with the setting chosen.

    The setting is chosen per set on ``folds`` of the training part (places in it), the simpler one
    where scores cannot be told apart; the model is then fitted on all of the training part.
    ``sample_scores`` holds what every sample of the test part adds to the main measure.
    """
    settings = judge.settings if settings is None else tuple(settings)
    subsets, whose = distinct(subsets)
    places = choose_settings(judge, part, subsets, folds, settings)
    used = sorted(set(places))
    fitted = judge.outputs(part, subsets, [settings[place] for place in used])
    found = [
        {
            judge.parameter: float(settings[place]),
            **measures(part.target, outputs[used.index(place)], part.test),
            "sample_scores": sample_scores(part.target, outputs[used.index(place)], part.test),
        }
        for place, outputs in zip(places, fitted, strict=True)
    ]
    return [dict(found[place]) for place in whose]


def choose_settings(
    judge: Judge,
    part: Part,
    subsets: Sequence[np.ndarray],
    folds: Sequence[Split],
    settings: Sequence[float],
) -> list[int]:
    """The place of the setting for every set of columns."""
    if len(settings) == 1 or not folds:
        return [0] * len(subsets)
    found = [judge.scores(part.within(*fold), subsets, settings) for fold in folds]
    scores = np.array(found)
    return [choose(scores[:, place], np.arange(len(settings))) for place in range(len(subsets))]
