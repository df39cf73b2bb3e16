"""
Eight products with a vector replace the inverse
================================================

The paper writes the scores as ((I - rA)\\ :sup:`-1` - I) e. Only the product with e is needed. A
Krylov method computes it, and each step multiplies A with a vector once. This example shows how
fast the scores converge.
"""

import matplotlib.pyplot as plt
import numpy as np

from inffs.relations import BoundTable, Decorrelation, Dispersion

rng = np.random.default_rng(0)
T, n = 60, 400
X = rng.normal(size=(T, 40)) @ rng.normal(size=(40, n)) * rng.uniform(0.3, 1, n)


def exact_scores(A, r):
    """The paper's formula, with the inverse."""
    return np.linalg.inv(np.eye(n) - r * A).sum(axis=1) - 1


def lanczos_scores(A, factor, steps):
    """c = sqrt(n) Q f(T) e1 after some steps from e, and the r that the walk itself finds."""
    Q, H = np.zeros((n, steps + 1)), np.zeros((steps + 1, steps))
    Q[:, 0] = 1 / np.sqrt(n)
    for k in range(steps):
        w = A @ Q[:, k]
        for _ in range(2):
            part = Q[:, : k + 1].T @ w
            w -= Q[:, : k + 1] @ part
            H[: k + 1, k] += part
        H[k + 1, k] = np.linalg.norm(w)
        Q[:, k + 1] = w / H[k + 1, k]
    small = (H[:steps] + H[:steps].T) / 2
    values, vectors = np.linalg.eigh(small)
    x = factor * values / values.max()
    return np.sqrt(n) * Q[:, :steps] @ (vectors @ (x / (1 - x) * vectors[0]))


# %%
# Every step reduces the error by one or two digits, for every alpha.

steps = range(1, 13)
figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
for alpha in (0.1, 0.5, 0.9):
    relation = alpha * Dispersion() + (1 - alpha) * Decorrelation()
    A = relation.bind(BoundTable(X)).dot(np.eye(n))
    exact = exact_scores(A, 0.9 / np.abs(np.linalg.eigvalsh(A)).max())
    errors = [np.abs(lanczos_scores(A, 0.9, k) / exact - 1).max() for k in steps]
    print(f"alpha {alpha}: error after 8 products {errors[7]:.1e}")
    ax.semilogy(steps, errors, "o-", label=f"alpha = {alpha}")
ax.set(xlabel="products of A with a vector", ylabel="largest relative error of a score")
ax.legend(frameon=False)
plt.show()

# %%
# The reason: nearly all of e lies along the leading eigenvector of a matrix of positive entries.
# The method needs to resolve only the rest.

values, vectors = np.linalg.eigh(A)
share = (vectors.sum(axis=0) ** 2 / n)[::-1]
print("share of e along the first three eigenvectors:", np.round(np.sort(share)[::-1][:3], 4))
