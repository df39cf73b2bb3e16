"""
Constraints on the subset
=========================

The best features of a table are often highly correlated. ``max_correlation`` skips features that
correlate with a better one, ``include`` always selects the features it names.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import MinMaxScaler

from inffs import Constrained, InfFSS, plot

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = MinMaxScaler().set_output(transform="pandas").fit_transform(X)
plain = InfFSS(n_features_to_select=8).fit(X, y)
eight = InfFSS(n_features_to_select=8)
constrained = Constrained(eight, max_correlation=0.8, include="mean texture").fit(X, y)
print(constrained.cut_.why)

# %%
# Absolute Spearman correlations of the selected features. With constraints (right), no correlation
# outside the diagonal is above 0.8.

figure, axes = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
for ax, selector, title in zip(
    axes, (plain, constrained), ("as ranked", "with constraints"), strict=True
):
    plot.redundancy(selector, X, ax)
    ax.set_title(title)
plt.show()

# %%
# The selected feature that every skipped feature correlates with.

for feature, selected in enumerate(constrained.represented_by_):
    if selected >= 0 and plain.support_[feature]:
        print(f"{X.columns[feature]} -> {X.columns[selected]}")
