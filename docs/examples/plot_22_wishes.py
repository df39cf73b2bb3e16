"""
Wishes on the subset
====================

The best features of a table often say the same thing. ``max_correlation`` passes over near-copies,
``include`` keeps what must stay.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from inffs import InfFSS, plot

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
plain = InfFSS(n_features_to_select=8).fit(X, y)
wished = InfFSS(n_features_to_select=8, max_correlation=0.8, include="mean texture").fit(X, y)
print(wished.cut_.why)

# %%
# Absolute Spearman correlations among the kept features.

figure, axes = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
for ax, selector, title in zip(axes, (plain, wished), ("as ranked", "with wishes"), strict=True):
    plot.redundancy(selector, X, ax)
    ax.set_title(title)
plt.show()

# %%
# Every feature that was passed over has a kept one that stands for it.

for feature, stands_for_it in enumerate(wished.represented_by_):
    if stands_for_it >= 0 and plain.support_[feature]:
        print(f"{X.columns[feature]} -> {X.columns[stands_for_it]}")
