"""The paper's formulas, written out naively in float64: what the fast forms are compared with."""

import numpy as np
from scipy import stats


def spearman(X):
    """|Spearman| by average ranks; a constant column correlates 0 with everything, itself too."""
    ranks = stats.rankdata(X, axis=0)
    centred = ranks - ranks.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0))
    norms[norms == 0] = np.inf
    return (centred / norms).T @ (centred / norms)


def unsupervised_graph(X, alpha):
    sigma = X.std(axis=0, ddof=1)
    sigma = sigma / sigma.max()
    R = np.abs(spearman(X))
    R = (R + R.T) / 2
    np.fill_diagonal(R, 1.0)
    return alpha * np.maximum.outer(sigma, sigma) + (1 - alpha) * (1 - R)


def fisher(X, y):
    means = np.array([X[y == g].mean(axis=0) for g in np.unique(y)])
    variances = np.array([X[y == g].var(axis=0, ddof=1) for g in np.unique(y)])
    h = ((means - X.mean(axis=0)) ** 2).sum(axis=0) / variances.sum(axis=0)
    return (h - h.min()) / (h.max() - h.min())


def mutual_information(X, y, bins):
    m = np.array([_plug_in(column, y, bins) for column in X.T])
    return (m - m.min()) / (m.max() - m.min())


def _plug_in(f, y, bins):
    edges = np.linspace(f.min(), f.max(), bins + 1)
    joint = np.array([np.histogram(f[y == g], edges)[0] for g in np.unique(y)]) / f.size
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    some = joint > 0
    return (joint[some] * np.log(joint[some] / product[some])).sum()


def scores(A, regularization="spectral", factor=0.9):
    """((I - rA)^-1 - I) e."""
    n = A.shape[0]
    eigenvalues = np.linalg.eigvalsh if np.array_equal(A, A.T) else np.linalg.eigvals
    bound = np.abs(eigenvalues(A)).max() if regularization == "spectral" else A.sum(1).max()
    r = factor / bound
    return (np.linalg.inv(np.eye(n) - r * A) - np.eye(n)) @ np.ones(n), r
