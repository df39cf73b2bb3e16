"""
First selection: measured columns against shuffled ones
=======================================================

Thirty measurements of tumours, and beside each a copy with its rows shuffled: the copies say
nothing about the diagnosis. A good ranking leaves them behind.
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
# The score curve with the cut. The small marks below are where the other cuts would be.

plot.scores(selector)

# %%
# The same scores, coloured by what stands there.

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
colours = np.where(shuffled, "#c2410c", "#2a6fdb")
ax.bar(np.arange(1, 61), selector.scores_[selector.order_], color=colours)
ax.set(xlabel="place in the ranking", ylabel="score")
ax.set_title("blue: measured, orange: shuffled copies")
plt.show()
