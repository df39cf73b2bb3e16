"""
Pruning the neurons of a network
================================

The activations of a hidden layer are a table of samples and neurons. Its ranking shows which
neurons to keep. This is the idea of NISP (Yu et al., CVPR 2018), which scores the last layers of a
network with Inf-FS. This example prunes a small network for handwritten digits.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

from inffs import InfFSU

X, y = load_digits(return_X_y=True)
train, test, y_train, y_test = train_test_split(X / 16, y, random_state=0, stratify=y)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)  # good enough after 40 passes
    network = MLPClassifier((100,), max_iter=40, random_state=0).fit(train, y_train)


def hidden(samples):
    """The activations of the hundred neurons."""
    return np.maximum(samples @ network.coefs_[0] + network.intercepts_[0], 0)


def accuracy(kept):
    """The network with only these neurons, nothing trained again."""
    out = hidden(test)[:, kept] @ network.coefs_[1][kept] + network.intercepts_[1]
    return np.mean(out.argmax(axis=1) == y_test)


# %%
# The best neurons by Inf-FS on the training activations, compared with random neurons (grey). The
# activations are multiplied by the norm of the outgoing weights, so that the dispersion measures
# the effect on the next layer. Without this scaling (dotted), the ranking is hardly better than
# random.

outgoing = np.linalg.norm(network.coefs_[1], axis=1)
order = InfFSU(alpha=0.9).fit(hidden(train) * outgoing).order_
sizes = np.arange(5, 101, 5)
ranked = [accuracy(order[:size]) for size in sizes]
draws = [np.random.default_rng(seed).permutation(100) for seed in range(20)]
random = np.array([[accuracy(draw[:size]) for size in sizes] for draw in draws])
plain = [accuracy(InfFSU(alpha=0.9).fit(hidden(train)).order_[:size]) for size in sizes]
print(f"40 of 100 neurons: {ranked[7]:.1%} by Inf-FS, {random[:, 7].mean():.1%} at random")
print(f"without the scaling: {plain[7]:.1%}")

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
ax.plot(sizes, ranked, "o-", color="#2a6fdb", label="best by Inf-FS")
ax.plot(sizes, plain, "o:", color="#c2410c", label="the same without the scaling")
ax.plot(sizes, random.mean(axis=0), color="#7a8594", label="random, mean of 20")
ax.fill_between(sizes, random.min(axis=0), random.max(axis=0), color="#7a8594", alpha=0.2)
ax.set(xlabel="neurons kept", ylabel="accuracy, without training again")
ax.legend(frameon=False)
plt.show()
