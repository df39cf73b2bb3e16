"""
Leakage: selecting features before cross-validation
===================================================

If features are selected on the whole table, the selection uses the labels of the test folds. The
cross-validated accuracy of a classifier is then too high. This example shows it on tables of pure
noise, for which the true accuracy is 50 %.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from inffs import InfFSS

T, n, size, repeats = 60, 2000, 20, 10
wrong, right = [], []
for seed in range(repeats):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(T, n)), np.arange(T) % 2
    kept = InfFSS(n_features_to_select=size).fit_transform(X, y)  # uses all labels
    wrong.append(cross_val_score(LogisticRegression(), kept, y, cv=5).mean())
    model = make_pipeline(InfFSS(n_features_to_select=size), LogisticRegression())
    right.append(cross_val_score(model, X, y, cv=5).mean())  # uses the labels of the training folds

print(f"selection outside the folds: {np.mean(wrong):.1%}")
print(f"selection inside the folds:  {np.mean(right):.1%}")
print("true accuracy:               50.0%")

# %%
# Each pair of points is one table of noise. Selection outside the folds (left) reports a high
# accuracy, selection inside the folds (right) does not.

figure, ax = plt.subplots(figsize=(5.5, 4), layout="constrained")
ax.plot([0, 1], [wrong, right], "o-", color="#b8c0cc", zorder=1)
ax.scatter(np.zeros(repeats), wrong, color="#c2410c", zorder=2)
ax.scatter(np.ones(repeats), right, color="#2a6fdb", zorder=2)
ax.axhline(0.5, color="black", lw=1, ls="--")
ax.set_xticks([0, 1], ["outside the folds (wrong)", "inside, in a Pipeline"])
ax.set(ylabel="cross-validated accuracy on pure noise", xlim=(-0.5, 1.5), ylim=(0.2, 1.02))
plt.show()
