"""
Comparing methods fairly
========================

A fair comparison uses the same splits for all methods, selects on the training part, and tries
several sizes. It includes two baselines: all features and random features. ``inffs compare`` does
this for every method; this example shows the principle.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit

from inffs.methods import find_entry

X, y = make_classification(
    150, 300, n_informative=10, n_redundant=20, class_sep=1.5, shuffle=False, random_state=0
)
splits = list(StratifiedShuffleSplit(8, test_size=0.3, random_state=0).split(X, y))
sizes = [5, 10, 20, 40, 80]
methods = ["inf-fs-c", "inf-fs-s", "inf-fs-u", "fisher", "mi", "relieff", "mrmr"]


def evaluate(columns, train, test):
    model = LogisticRegression(max_iter=2000).fit(X[train][:, columns], y[train])
    return model.score(X[test][:, columns], y[test])


def curve(key, train, test):
    """Accuracy at every size, from one ranking of the training part."""
    selector = find_entry(key).estimator(n_features_to_select=max(sizes))
    order = selector.fit(X[train], y[train]).order_
    return [evaluate(order[:size], train, test) for size in sizes]


results = {key: np.array([curve(key, *split) for split in splits]) for key in methods}
rng = np.random.default_rng(0)
results["random"] = np.array(
    [[evaluate(rng.permutation(300)[:size], *split) for size in sizes] for split in splits]
)
everything = np.array([evaluate(np.arange(300), *split) for split in splits])

# %%
# The mean accuracy over the splits for each number of features. Random features (dotted) and all
# features (horizontal line) are the baselines. With 10 to 40 features, six of the seven methods are
# more accurate than all features. Random features need many more columns.

figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
for key, values in results.items():
    style = {"color": "black", "ls": ":"} if key == "random" else {"ls": "-"}
    ax.plot(sizes, values.mean(axis=0), marker="o", label=key, **style)
ax.axhline(everything.mean(), color="black", lw=1, label="all 300")
ax.set(xscale="log", xlabel="features kept", ylabel="accuracy on the test parts")
ax.set_xticks(sizes, sizes)
ax.set_xticks([], minor=True)
ax.legend(frameon=False, ncols=2)
plt.show()

# %%
# The best method minus each other method with 20 features, with standard errors. Most differences
# are within two standard errors, so this table does not show which of these methods is best.

best = max(methods, key=lambda key: results[key][:, 2].mean())
for key in methods:
    gap = results[best][:, 2] - results[key][:, 2]
    if key != best:
        error = gap.std(ddof=1) / np.sqrt(gap.size)
        print(f"{best} minus {key}: {gap.mean():+.3f} ± {error:.3f}")
