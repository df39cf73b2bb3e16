"""What "auto" claims on noise, and how its size depends on units and seeds.

    python benchmarks/automatic_size.py [--tables 20]

Prints the share of noise tables with a claim (seven kinds, 20 to 200 samples, inf-fs-c), and the
sizes of planted tables under eight rescalings and ten seeds.
"""

from __future__ import annotations

import argparse

import numpy as np

from inffs import InfFSC
from inffs.cuts import Predict

KINDS = ("gaussian", "counts", "log-normal", "cauchy", "genotypes", "correlated", "4 against 44")


def noise(kind: str, T: int, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A table without any signal, and two classes."""
    y = rng.permutation(np.arange(T) % 2)
    X = rng.normal(size=(T, n))
    if kind == "counts":
        X = rng.poisson(0.1, (T, n)).astype(float)
    elif kind == "log-normal":
        X = np.exp(2 * X)
    elif kind == "cauchy":
        X = rng.standard_cauchy((T, n))
    elif kind == "genotypes":
        X = rng.binomial(2, rng.uniform(0.05, 0.5, n), (T, n)).astype(float)
    elif kind == "correlated":
        X = 0.6 * X + 0.8 * np.repeat(rng.normal(size=(T, n // 20)), 20, axis=1)
    elif kind == "4 against 44":
        y = rng.permutation(np.r_[np.ones(4, int), np.zeros(44, int)])
        X = X[:48] if T >= 48 else rng.normal(size=(48, n))
    return X, y


def planted(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A hundred samples, 500 features, 5 to 40 of them with a shifted mean."""
    rng = np.random.default_rng(seed)
    y, strong = np.arange(100) % 2, int(rng.integers(5, 41))
    X = rng.normal(size=(100, 500))
    X[:, :strong] += rng.uniform(0.5, 1.5) * y[:, None]
    return X, y


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=20)
    tables = parser.parse_args().tables
    for kind in KINDS:
        for T in (20, 60, 200):
            claims = 0
            for seed in range(tables):
                X, y = noise(kind, T, 200, np.random.default_rng(seed))
                claims += not InfFSC().fit(X, y).cut_.forced
            print(f"{kind:>14} {T:>4} samples: {claims} of {tables} claimed", flush=True)
    steady = 0
    for seed in range(tables):
        X, y = planted(seed)
        scales = np.random.default_rng(seed).choice([0.01, 1.1, 1.3, 100.0], (8, X.shape[1]))
        scaled = {InfFSC().fit(X * scale, y).n_features_ for scale in scales}
        seeds = [
            InfFSC(n_features_to_select=Predict(random_state=each)).fit(X, y).n_features_
            for each in range(10)
        ]
        steady += max(seeds) <= 2 * min(seeds)
        print(f"table {seed}: rescaled {sorted(scaled)}, seeds {min(seeds)} to {max(seeds)}")
    print(f"seeds within a factor of two on {steady} of {tables} tables")


if __name__ == "__main__":
    main()
