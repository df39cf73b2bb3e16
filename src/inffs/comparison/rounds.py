"""What is to run, and within which limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

import pandas as pd

from inffs._version import __version__
from inffs.comparison.compared import ComparedMethod
from inffs.comparison.dataset import Dataset
from inffs.comparison.plan import Plan
from inffs.comparison.protocol import OFFICIAL, Protocol
from inffs.comparison.trial import Trial, has_gaps, protocol_key


@dataclass(frozen=True)
class Limits:
    """What a trial may take, and how many splits a slow method gets.

    ``fit_timeout`` in seconds and ``memory`` in MiB stop a trial; a method whose fit took longer
    than ``slow_fit`` seconds gets only ``slow_splits`` splits of that data set. Seconds are those
    of the processor, so that a busy machine decides nothing; a fit that only waits is stopped
    after ten times ``fit_timeout`` by the clock.

    Parameters
    ----------
    fit_timeout, slow_fit : float
        Seconds of the processor.
    slow_splits : int
        Of a slow method.
    memory : float, optional
        MiB.

    See Also
    --------
    run : Keeps them.

    Examples
    --------
    >>> from inffs.comparison import Limits
    >>> Limits(fit_timeout=60).fit_timeout
    60
    """

    fit_timeout: float | None = 600.0
    memory: float | None = None
    slow_fit: float = 60.0
    slow_splits: int = 5

    def slow(self, rows: pd.DataFrame) -> bool:
        """Whether a fit of these rows was slow; by the clock where only that was recorded."""
        seconds = rows["cpu_seconds"].fillna(rows["fit_seconds"])
        return bool((seconds > self.slow_fit).any())


@dataclass(frozen=True)
class Round:
    """One data set, its protocol and the methods that take part.

    Parameters
    ----------
    dataset : Dataset
        The table.
    protocol : Protocol
        What is done with it.
    methods : tuple of ComparedMethod
        Who takes part.
    limits : Limits, optional
        Of this round alone.
    easier : str
        A data set of which every method takes less time: what took too long there is not tried.

    See Also
    --------
    run : Runs several.

    Examples
    --------
    >>> from inffs.comparison import Dataset, Protocol, Store, find_methods, run
    >>> from inffs.comparison.rounds import Round
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> dataset = Dataset("iris", X, y, ["a", "b", "c", "d"])
    >>> one = Round(dataset, Protocol(sizes=(2,), n_splits=1), tuple(find_methods(["fisher"])))
    >>> len(one.methods)
    1
    """

    dataset: Dataset
    protocol: Protocol
    methods: tuple[ComparedMethod, ...]
    limits: Limits | None = None
    easier: str = ""

    @property
    def plan(self) -> Plan:
        """What is to run, and on which version of everything."""
        return Plan(
            dataset=self.dataset.name,
            setting=self.protocol.setting,
            methods=tuple(method.name for method in self.methods),
            splits=self.protocol.n_splits,
            commonest=self.dataset.commonest,
            missing=has_gaps(self.dataset.X),
            data_version=self.dataset.version,
            protocol=protocol_key(self.protocol),
            package=__version__,
            details=asdict(self.protocol),
        )

    @property
    def published(self) -> Plan | None:
        """The same on the published split, where that trains on no more samples."""
        test = self.dataset.official_test
        if test is None or self.protocol.study or test.mean() < self.protocol.test_size:
            return None
        return replace(self, protocol=replace(self.protocol, study=OFFICIAL)).plan

    def trials(self) -> Iterator[Trial]:
        """Split by split over all methods, so that a run cut short is fair to all of them."""
        for number in range(self.protocol.n_splits):
            for method in self.methods:
                yield Trial(method, number, self.protocol)
