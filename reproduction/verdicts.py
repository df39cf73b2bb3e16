"""The paper's claims decided on one run, in both readings of the paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from inffs.comparison import summary
from inffs.comparison.protocol import OFFICIAL
from inffs.comparison.runner import status
from reproduction.atoms import ALL_ATOMS, ATOMS, GROWTH, OWN, PLACE, Atom
from reproduction.datasets import plain_name
from reproduction.decision import (
    RISK,
    SUPPORTED,
    UNTESTABLE,
    WORDS,
    Results,
    Verdict,
    decide,
)
from reproduction.packed import PackedStore
from reproduction.paper import CHOSEN, EQUAL, as_read, has_equal_weights
from reproduction.statistics import holm
from reproduction.suite import FINE, full_splits
from reproduction.third_party import THIRD_PARTY

_CLAIMED = ("paper", "cardinality", OFFICIAL)  # settings that the claims are about
READINGS = (CHOSEN, EQUAL)


class Verdicts:
    """Every atom decided on one run in both readings, without third-party methods."""

    def __init__(self, folder: str | Path, frame: pd.DataFrame) -> None:
        frame = frame[frame["kind"] != "third-party"]
        self.table = as_read(summary.means(frame), CHOSEN)
        self.rows = as_read(summary.finished(frame), CHOSEN)
        complete = frozenset(complete_sets(folder, frame))
        known = frame.drop_duplicates("dataset")
        self._status = dict(
            zip(known["dataset"].map(plain_name), known["status_of_data"], strict=True)
        )
        self.found: dict[str, dict[Atom, Verdict]] = {CHOSEN: {}, EQUAL: {}}
        for reading in READINGS if has_equal_weights(frame) else (CHOSEN,):
            results = Results(frame, reading, complete)
            self.found[reading] = {atom: decide(atom, results) for atom in (*ALL_ATOMS, *OWN)}

    def verdict(self, atom: Atom, reading: str = CHOSEN) -> Verdict:
        return self.found[reading].get(atom, Verdict(UNTESTABLE, reason="equal weights not run"))

    def counts(self, reading: str = CHOSEN) -> dict[str, int]:
        """How many of the paper's atoms have each word."""
        words = [self.verdict(atom, reading).word for atom in ALL_ATOMS]
        return {word: words.count(word) for word in WORDS if word in words}

    def supported_after_holm(self, reading: str = CHOSEN) -> int:
        """Supported atoms that remain so when all atoms are corrected together."""
        tested = [self.verdict(atom, reading) for atom in ALL_ATOMS]
        p = np.array([each.support for each in tested if each.word != UNTESTABLE])
        return int((holm(p) < RISK).sum()) if p.size else 0

    def overview(self, reading: str = CHOSEN) -> str:
        """The counts in two sentences."""
        counts = self.counts(reading)
        others = ", ".join(f"{count} {word}" for word, count in counts.items() if word != SUPPORTED)
        rest = f" The others: {others}." if others else ""
        return (
            f"With {reading}, {counts.get(SUPPORTED, 0)} of the paper's {len(ALL_ATOMS)} single "
            f"claims are supported ({self.supported_after_holm(reading)} after Holm's correction "
            f"over all of them).{rest}"
        )

    def answer(self) -> str:
        """One paragraph: does the paper hold?"""
        best = [self.verdict(atom) for atom in ALL_ATOMS
                if atom.kind == PLACE and atom.places == (1, 1)]  # fmt: skip
        shown = sum(each.word == SUPPORTED for each in best)
        leading = sum(bool(each.evidence and each.evidence.leading) for each in best)
        first = self.counts()
        head = ("Nothing could be tested yet." if set(first) <= {UNTESTABLE} else "Yes."
                if set(first) <= {SUPPORTED, UNTESTABLE} else "In part."
                if SUPPORTED in first else "No claim is supported.")  # fmt: skip
        equal = self.overview(EQUAL) if self.found[EQUAL] else "Equal weights have not run."
        return (
            f"{head} {self.overview()} {equal} {len(best)} claims state that a form of Inf-FS is "
            f"the best method of its class. The data support {shown or 'none'} of them. In "
            f"{leading} cases Inf-FS is in the leading group, where no rival is significantly "
            "better."
        )

    def by_part(self) -> pd.DataFrame:
        """How many atoms of each part of the paper have each word, with chosen weights."""
        lines = []
        for title, atoms in ATOMS.items():
            words = [self.verdict(atom).word for atom in atoms]
            lines.append({
                "part of the paper": title, "claims": len(words),
                **{word: words.count(word) for word in WORDS},
            })  # fmt: skip
        return pd.DataFrame(lines)

    def lines(self, which: tuple[Atom, ...]) -> pd.DataFrame:
        """The page's table: one line for each atom, both readings side by side."""
        return pd.DataFrame(
            [
                {
                    "claim": atom.text,
                    "where": atom.where,
                    **{reading: self._cell(atom, reading) for reading in READINGS},
                    "data": self._data(atom),
                }
                for atom in which
            ]
        )

    def _cell(self, atom: Atom, reading: str) -> str:
        """The coloured word and the number that decides, or why there is none."""
        found = self.verdict(atom, reading)
        if found.word == UNTESTABLE:
            return f'<span class="verdict not">{found.word}</span> {found.reason}'
        word = f'<span class="verdict {found.word}">{found.word}</span>'
        group = " (leading group)" if found.evidence and found.evidence.leading else ""
        return f"{word}{group}<br>{found.number}"

    def _data(self, atom: Atom) -> str:
        """Whether the data sets are the paper's."""
        if atom.kind == GROWTH:
            return "made"
        found = pd.Series([self._status.get(name, "missing") for name in atom.sets])
        counts = found.value_counts()
        return ", ".join(
            status if len(counts) == 1 else f"{count} {status}" for status, count in counts.items()
        )

    def numbers(self) -> pd.DataFrame:
        """Everything the words rest on, for the table that can be downloaded."""
        group = {atom: title for title, atoms in ATOMS.items() for atom in atoms}
        lines = []
        for atom in (*ALL_ATOMS, *OWN):
            for reading in READINGS:
                found = self.verdict(atom, reading)
                evidence = found.evidence
                reach = evidence.reach if evidence else 0.0
                lines.append({
                    "group": group.get(atom, "ours"), "claim": atom.text, "where": atom.where,
                    "reading": reading, "verdict": found.word, "number": found.number,
                    "half-width": f"{reach:.2f}" if reach > 0 else "",
                    "p for": f"{evidence.support:.2g}" if evidence else "",
                    "p against": f"{evidence.against:.2g}" if evidence else "",
                    "p within the margin": f"{evidence.equal:.2g}" if evidence else "",
                    "detail": evidence.detail if evidence else "", "reason": found.reason,
                    "data sets": " ".join(atom.sets), "sizes": " ".join(atom.sizes),
                })  # fmt: skip
        return pd.DataFrame(lines)


def complete_sets(folder: str | Path, frame: pd.DataFrame) -> set[str]:
    """The paper's names of the data sets on which every split of the protocol is done.

    Other settings, such as tuned rivals or the study of the cuts, have no part in the claims, nor
    have third-party methods.
    """
    state = status(PackedStore(folder), THIRD_PARTY)
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
