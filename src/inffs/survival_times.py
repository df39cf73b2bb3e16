"""Survival times as scikit-survival has them: a structured array of two fields, event and time."""

from __future__ import annotations

from typing import Any

import numpy as np

_YES, _NO = ("1", "1.0", "true"), ("0", "0.0", "false")


SURVIVAL_DTYPE = np.dtype([("event", np.bool_), ("time", np.float64)])


def as_survival(event: Any, time: Any) -> np.ndarray:
    """Both columns as one structured array."""
    y = np.empty(len(time), dtype=SURVIVAL_DTYPE)
    y["event"], y["time"] = event, time
    return y


def is_record(y: Any) -> bool:
    """Whether y is a structured array: it can only be meant as survival times."""
    return getattr(getattr(y, "dtype", None), "names", None) is not None


def check_survival(y: np.ndarray) -> np.ndarray:
    """Event and time of every sample as one structured array; bad ones get a sentence.

    The event is the field of True and False, or the first one, of 1 and 0.
    """
    names = y.dtype.names or ()
    if len(names) != 2:
        raise ValueError(
            f"y has {len(names)} field(s); survival times are two: whether the event happened, and "
            "the time."
        )
    event, time = names if y.dtype[names[1]].kind != "b" else names[::-1]
    return survival_of(y[event], y[time], event, time)


def survival_of(event: Any, time: Any, event_name: str, time_name: str) -> np.ndarray:
    """Two columns, checked, as one target; the names are for the messages."""
    y = as_survival(_happened(np.asarray(event), event_name), _times(np.asarray(time), time_name))
    if not y["event"].any():
        raise ValueError(
            f"No event happened: {event_name!r} is 0 in all {y.size} rows, so there is nothing to "
            "learn (1 is the event, 0 a censored sample)."
        )
    if np.ptp(y["time"]) == 0:
        raise ValueError(
            f"Every {time_name!r} is {y['time'][0]:.6g}: there are no comparable pairs, so there "
            "is nothing to learn."
        )
    return y


def _happened(event: np.ndarray, name: str) -> np.ndarray:
    if event.dtype.kind == "b":
        return event
    told = [str(value).strip().lower() for value in event.tolist()]
    for row, word in enumerate(told):
        if word not in _YES + _NO:
            raise ValueError(
                f"The event {name!r} is {event.tolist()[row]!r} in row {row}: it takes 1 (the "
                "event happened) and 0 (censored)."
            )
    return np.array([word in _YES for word in told])


def _times(time: np.ndarray, name: str) -> np.ndarray:
    try:
        numbers = time.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The time {name!r} is not a number in every row ({error}).") from None
    wrong = np.flatnonzero(~(numbers >= 0) | np.isinf(numbers))
    if wrong.size:
        row = int(wrong[0])
        told = "missing" if np.isnan(numbers[row]) else f"{numbers[row]:.6g}"
        raise ValueError(
            f"The time {name!r} is {told} in row {row}: times are finite and not negative; drop "
            "such samples."
        )
    return numbers
