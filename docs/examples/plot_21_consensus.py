"""
The consensus of several methods
================================

Four methods rank the same table. This example shows how far they agree, and combines their
rankings.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import MinMaxScaler

from inffs import Consensus, plot

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = MinMaxScaler().set_output(transform="pandas").fit_transform(X)
several = Consensus(["inf-fs-s", "relieff", "fisher", "mrmr"], how="rra").fit(X, y)
print(several.cut_.why)

# %%
# Left: Kendall's tau between every two rankings. Right: the ranks of the ten best features of the
# consensus by each method; close points mean that the methods agree.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
plot.agreement(several, left)
best = several.order_[:10]
right.plot(several.ranks_[best], np.arange(10), "o", alpha=0.8)
right.set_yticks(range(10), X.columns[best])
right.invert_yaxis()
right.set(xlabel="rank by each method", xlim=(0, 31))
right.legend(several.names_, frameon=False)
plt.show()

# %%
# Robust rank aggregation orders the features by p-values. They are valid p-values only if the
# methods are independent of each other, so use them as an order.

for feature in best[:5]:
    print(f"{X.columns[feature]:25s} {several.p_values_[feature]:.1e}")
