"""
Several methods at once
=======================

Four methods rank the same table. Where they agree, and what they say together.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from inffs import Consensus, plot

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
several = Consensus(["inf-fs-s", "relieff", "fisher", "mrmr"], how="rra").fit(X, y)
print(several.cut_.why)

# %%
# Kendall's tau between every two rankings, and the places of the features that come out first.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
plot.agreement(several, left)
best = several.order_[:10]
right.plot(several.ranks_[best], np.arange(10), "o", alpha=0.8)
right.set_yticks(range(10), X.columns[best])
right.invert_yaxis()
right.set(xlabel="place by each method", xlim=(0, 31))
right.legend(several.names_, frameon=False)
plt.show()

# %%
# The p-values of robust rank aggregation order the features; they would be p-values if the methods
# were independent of each other.

for feature in best[:5]:
    print(f"{X.columns[feature]:25s} {several.p_values_[feature]:.1e}")
