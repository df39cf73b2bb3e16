"""
I have no labels: what alpha does
=================================

The parameter alpha sets the balance between large dispersion and low correlation with other
features. This example ranks the pixels of handwritten digits without labels.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from inffs import InfFSU

X = load_digits().data
print("pixels that never change:", int(np.sum(np.ptp(X, axis=0) == 0)))

# %%
# The best twenty pixels are white. At alpha = 1 they are the pixels that vary most, next to each
# other. Towards alpha = 0 they spread out, because neighbouring pixels are correlated. Constant
# pixels are last at every alpha.

alphas = [0.0, 0.3, 0.7, 1.0]
figure, axes = plt.subplots(1, 4, figsize=(10, 3), layout="constrained")
for ax, alpha in zip(axes, alphas, strict=True):
    selector = InfFSU(alpha, n_features_to_select=20).fit(X)
    ax.imshow(selector.get_support().reshape(8, 8), cmap="gray")
    ax.set(title=f"alpha = {alpha}", xticks=[], yticks=[])
plt.show()

# %%
# The share of the best twenty pixels that the rankings of two values of alpha have in common.

grid = np.linspace(0, 1, 11)
kept = [set(InfFSU(alpha, n_features_to_select=20).fit(X).order_[:20]) for alpha in grid]
common = np.array([[len(a & b) / 20 for b in kept] for a in kept])
figure, ax = plt.subplots(figsize=(4.8, 4), layout="constrained")
picture = ax.imshow(common, vmin=0, vmax=1, cmap="Blues", extent=(-0.05, 1.05, 1.05, -0.05))
ax.set(xlabel="alpha", ylabel="alpha", title="share in common")
figure.colorbar(picture)
plt.show()
