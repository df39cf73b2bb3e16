"""
First selection: measured columns against shuffled ones
=======================================================

The table contains 30 measurements of tumours and 30 copies with shuffled rows. The copies are not
associated with the diagnosis, so a good ranking puts them last.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from inffs import InfFSS, plot

data = load_breast_cancer()
rng = np.random.default_rng(0)
X = data.data / np.ptp(data.data, axis=0)
X = np.hstack([X, rng.permuted(X, axis=0)])

selector = InfFSS().fit(X, data.target)
shuffled = selector.order_ >= 30
print(selector.cut_.why)
print("shuffled copies among the first 20:", int(shuffled[:20].sum()))

# %%
# The scores in descending order. The line marks the number of features that the cut selects, and
# the small marks below show the other cuts.

plot.scores(selector)

# %%
# The same scores by type: measured features (blue) have the highest scores, shuffled copies
# (orange) the lowest.

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
colours = np.where(shuffled, "#c2410c", "#2a6fdb")
ax.bar(np.arange(1, 61), selector.scores_[selector.order_], color=colours)
ax.set(xlabel="rank", ylabel="score")
ax.set_title("blue: measured, orange: shuffled copies")
plt.show()
