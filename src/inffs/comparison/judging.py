"""More judges for picks that are stored: nothing is ranked again."""

from __future__ import annotations

import pandas as pd

from inffs.comparison.protocol import Protocol
from inffs.comparison.trial import DONE, Judging


class Judged:
    """Who has judged the trials in these rows so far."""

    def __init__(self, rows: pd.DataFrame) -> None:
        rows = rows[rows["status"] == DONE]
        self._trials = {str(key): group for key, group in rows.groupby("trial")}

    def trials(self) -> dict[str, int]:
        """The trials that are done, with the number of their split."""
        return {key: int(rows["split"].iloc[0]) for key, rows in self._trials.items()}

    def missing(self, key: str, protocol: Protocol, number: int) -> Judging | None:
        """What the protocol's judges have not judged yet of a trial; None where that is nothing."""
        if key not in self._trials:
            return None
        rows = self._trials[key]
        by = rows["judge"].fillna(protocol.judges[0])
        judges = tuple(judge for judge in protocol.judges if judge not in set(by))
        if not judges:
            return None
        picks = rows["selected"].map(len).groupby(by).sum()
        return Judging(
            protocol, number, tuple(rows[by == picks.idxmax()].to_dict("records")), judges
        )
