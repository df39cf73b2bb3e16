"""Survival times as in scikit-survival: a structured array with the fields event and time."""

from __future__ import annotations

from typing import Any

import numpy as np

_HAPPENED = {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}
_HAPPENED_IN_R = {"2": True, "2.0": True, "1": False, "1.0": False}

SURVIVAL_DTYPE = np.dtype([("event", np.bool_), ("time", np.float64)])


def as_survival(event: Any, time: Any) -> np.ndarray:
    """Return both columns as one structured array."""
    y = np.empty(len(time), dtype=SURVIVAL_DTYPE)
    y["event"], y["time"] = event, time
    return y


def check_survival(y: np.ndarray) -> np.ndarray:
    """Return event and time of every sample as one structured array; raise where one is invalid.

    The event is the boolean field, or the first one, which holds 1 and 0. If a column holds 1 and
    2, as in R, 2 is the event.
    """
    names = y.dtype.names or ()
    if len(names) != 2:
        raise ValueError(
            f"y has {len(names)} field(s); survival times have two: whether the event happened, "
            "and the time."
        )
    event, time = names if y.dtype[names[1]].kind != "b" else names[::-1]
    return survival_of(y[event], y[time], event, time)


def survival_of(event: Any, time: Any, event_name: str, time_name: str) -> np.ndarray:
    """Check two columns and return them as one array; the names are for the messages."""
    y = as_survival(_happened(np.asarray(event), event_name), _times(np.asarray(time), time_name))
    if not y["event"].any():
        raise ValueError(
            f"No event happened: {event_name!r} is 0 in all {y.size} rows (1 is the event, 0 a "
            "censored sample)."
        )
    if np.ptp(y["time"]) == 0:
        raise ValueError(
            f"Every {time_name!r} is {y['time'][0]:.6g}, so no two samples can be compared: "
            "give times that differ."
        )
    return y


def _happened(event: np.ndarray, name: str) -> np.ndarray:
    if event.dtype.kind == "b":
        return event
    meaning = _HAPPENED_IN_R if coded_as_in_r(event) else _HAPPENED
    words = _words(event)
    for row, word in enumerate(words):
        if word not in meaning:
            raise ValueError(
                f"The event {name!r} is {event.tolist()[row]!r} in row {row}: it takes 1 (the "
                "event happened) and 0 (censored), or 2 and 1 as in R."
            )
    return np.array([meaning[word] for word in words])


def coded_as_in_r(event: np.ndarray) -> bool:
    """Whether the codes are 1 (censored) and 2 (the event), and both occur."""
    meanings = {_HAPPENED_IN_R.get(word) for word in _words(event)}
    return meanings == {True, False}


def _words(event: np.ndarray) -> list[str]:
    return [str(value).strip().lower() for value in event.tolist()]


def _times(time: np.ndarray, name: str) -> np.ndarray:
    try:
        numbers = time.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The time {name!r} is not a number in every row ({error}).") from None
    wrong = np.flatnonzero(~(numbers >= 0) | np.isinf(numbers))
    if wrong.size:
        row = int(wrong[0])
        value = "missing" if np.isnan(numbers[row]) else f"{numbers[row]:.6g}"
        raise ValueError(
            f"The time {name!r} is {value} in row {row}: times must be finite and not negative. "
            "Drop such samples."
        )
    return numbers
