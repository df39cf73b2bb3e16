"""
Pruning the neurons of a network
================================

The activations of a hidden layer are a table: samples by neurons. Ranking its columns says which
neurons matter, the idea of NISP (Yu et al., CVPR 2018), which scores a network's last layers with
Inf-FS and prunes by it. Here a small network on digits loses its neurons one by one.
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
    """What the hundred neurons say."""
    return np.maximum(samples @ network.coefs_[0] + network.intercepts_[0], 0)


def accuracy(kept):
    """The network with only these neurons, nothing trained again."""
    out = hidden(test)[:, kept] @ network.coefs_[1][kept] + network.intercepts_[1]
    return np.mean(out.argmax(axis=1) == y_test)


# %%
# Keep the best neurons by Inf-FS on the training activations, against random ones. A neuron speaks
# as loudly as its outgoing weights let it: the activations are scaled by their length, so that
# dispersion means what the next layer hears.

loudness = np.linalg.norm(network.coefs_[1], axis=1)
order = InfFSU(alpha=0.9).fit(hidden(train) * loudness).order_
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
