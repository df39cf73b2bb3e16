"""The claims put to the test on one run, in both readings of the paper."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from inffs.comparison import summary
from inffs.comparison.dataset import plain_name
from inffs.comparison.protocol import OFFICIAL
from inffs.comparison.run_status import status
from reproduction.claim import FAILS, HOLDS, OPEN, PARTLY, Claim, Finding
from reproduction.claim_list import ALL_CLAIMS
from reproduction.readings import CHOSEN, EQUAL, as_read, has_equal_weights
from reproduction.suite import FINE, full_splits
from reproduction.third_party import THIRD_PARTY

_CLAIMED = ("paper", "cardinality", "official")  # settings that the claims are about
_NOT_CHOSEN = ("cardinality", "growth")  # studies that run with equal weights in either reading


class Verdicts:
    """Tests claims on one run, in both readings of the paper, without third-party methods."""

    def __init__(self, folder: str | Path, frame: pd.DataFrame) -> None:
        frame = frame[frame["kind"] != "third-party"]
        self._tables = {study: summary.means(frame, study)
                        for study in ("paper", "cardinality", "growth", OFFICIAL)}  # fmt: skip
        self.rows = as_read(summary.finished(frame), CHOSEN)
        self.complete = complete_sets(folder, frame)
        self._status = dict(
            zip(self.rows["dataset"].map(plain_name), self.rows["status_of_data"], strict=True)
        )
        self._findings: dict[tuple[Claim, str], Finding] = {}

    def table(self, study: str, reading: str = CHOSEN) -> pd.DataFrame:
        """The means of a study."""
        table = self._tables[study]
        return table if study in _NOT_CHOSEN else as_read(table, reading)

    def finding(self, claim: Claim, reading: str = CHOSEN) -> Finding:
        if (claim, reading) not in self._findings:
            self._findings[claim, reading] = self._find(claim, reading)
        return self._findings[claim, reading]

    def _find(self, claim: Claim, reading: str) -> Finding:
        weighted = reading == EQUAL and claim.study not in _NOT_CHOSEN
        if weighted and not has_equal_weights(self._tables[claim.study]):
            return Finding(OPEN, "equal weights have not run")
        return claim.check(self.table(claim.study, reading))

    def overview(self, reading: str) -> str:
        """How many claims hold."""
        verdicts = {claim: self.finding(claim, reading).verdict for claim in ALL_CLAIMS}
        found = list(verdicts.values())
        words = {
            HOLDS: "hold",
            PARTLY: "hold partly",
            FAILS: "do not hold here",
            OPEN: "could not be tested yet",
        }
        counts = [f"{found.count(verdict)} {word}" for verdict, word in words.items()
                  if verdict in found]  # fmt: skip
        early = sum(bool(self._waiting(claim, verdict)) for claim, verdict in verdicts.items())
        rests = f" ({early} of the verdicts rest on data sets that are incomplete)" if early else ""
        return f"With {reading}, of {len(found)} claims {', '.join(counts)}{rests}."

    def _waiting(self, claim: Claim, verdict: str) -> list[str]:
        """Data sets that a verdict waits for, though it has been given."""
        return [name for name in claim.sets if name not in self.complete and verdict != OPEN]

    def lists(self) -> list[str]:
        """Which claims hold and which do not, by where the paper makes them."""
        found = {claim: self.finding(claim).verdict for claim in ALL_CLAIMS}
        heads = {
            HOLDS: "What holds",
            FAILS: "What does not hold",
            OPEN: "Not tested yet",
        }
        lines = []
        for verdict, head in heads.items():
            named = [
                claim.text.rstrip(".") + " (so far)" * bool(self._waiting(claim, verdict))
                for claim in found
                if found[claim] == verdict
            ]
            if named:
                lines.append(f"{head}: {'; '.join(named)}.")
        return lines

    def differences(self) -> str:
        """Claims whose verdict depends on the reading."""
        pairs = [(claim, self.finding(claim), self.finding(claim, EQUAL)) for claim in ALL_CLAIMS]
        named = [
            f"{claim.text.rstrip('.')} ({one.verdict}; {other.verdict})"
            for claim, one, other in pairs
            if one.verdict != other.verdict and OPEN not in (one.verdict, other.verdict)
        ]
        if not named:
            return ""
        return f"The choice of weights decides (chosen; equal): {'; '.join(named)}."

    def as_text(self, claim: Claim) -> str:
        """The claim with verdicts, numbers, data and reason."""
        finding, equal = self.finding(claim), self.finding(claim, EQUAL)
        untested, waiting = finding.verdict == OPEN, self._waiting(claim, finding.verdict)
        so_far = " so far" if waiting else ""
        lines = [f"- **{finding.verdict}{so_far}**: {claim.text} ({claim.where})"]
        lines.append(f"  - Here: {finding.evidence}.")
        if equal.verdict != OPEN and equal.evidence != finding.evidence:
            lines.append(f"  - With equal weights **{equal.verdict}{so_far}**: {equal.evidence}.")
        if not untested and claim.sets:
            lines.append(f"  - Data: {self._data(claim.sets)}.")
        if claim.why is not None and finding.verdict not in (HOLDS, OPEN):
            why = claim.why(self.rows, self.table("paper"))
            lines += [f"  - Why: {why}"] if why else []
        if so_far:
            lines.append(f"  - Still incomplete: {', '.join(waiting)}.")
        return "\n".join(lines)

    def _data(self, names: tuple[str, ...]) -> str:
        """The status of the data sets that a claim is about."""
        groups: dict[str, list[str]] = {}
        for name in names:
            groups.setdefault(self._status.get(name, "no results yet"), []).append(name)
        return "; ".join(f"{status}: {', '.join(group)}" for status, group in groups.items())


def complete_sets(folder: str | Path, frame: pd.DataFrame) -> set[str]:
    """The paper's names of the data sets on which every split of the protocol is done.

    Other settings, such as tuned rivals or the study of the cuts, have no part in the claims, nor
    have third-party methods.
    """
    state = status(folder, THIRD_PARTY)
    state = state[state["setting"].isin(_CLAIMED)] if len(state) else state
    short = {
        row["dataset"]
        for _, row in state.iterrows()
        if row["left"] > 0 or row["splits"] < wanted_splits(row["dataset"], row["setting"], 0)
    }
    run = set(frame.loc[frame["setting"].isin(_CLAIMED), "dataset"])
    return {plain_name(name) for name in run - short}


def wanted_splits(dataset: str, setting: str, planned: int) -> int:
    """Splits that a complete run has: the protocol's, whatever part of it was planned so far."""
    return full_splits(dataset) if setting in ("paper", "cardinality", FINE) else planned
