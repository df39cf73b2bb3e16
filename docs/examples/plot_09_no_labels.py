"""
I have no labels: what alpha does
=================================

alpha weighs how much a feature varies against how little it repeats the others. The digits have no
labels here; the pictures show which pixels are kept.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from inffs import InfFSU

X = load_digits().data
print("pixels that never change:", int(np.sum(np.ptp(X, axis=0) == 0)))

# %%
# White pixels are the best twenty. At alpha = 1 they are the most varying pixels, next to each
# other; towards alpha = 0 they spread out, since neighbours repeat each other. Pixels that never
# change come last at every alpha.

alphas = [0.0, 0.3, 0.7, 1.0]
figure, axes = plt.subplots(1, 4, figsize=(10, 3), layout="constrained")
for ax, alpha in zip(axes, alphas, strict=True):
    selector = InfFSU(alpha, n_features_to_select=20).fit(X)
    ax.imshow(selector.get_support().reshape(8, 8), cmap="gray")
    ax.set(title=f"alpha = {alpha}", xticks=[], yticks=[])
plt.show()

# %%
# How alike two rankings are as alpha moves: the share of the best twenty they have in common.

grid = np.linspace(0, 1, 11)
kept = [set(InfFSU(alpha, n_features_to_select=20).fit(X).order_[:20]) for alpha in grid]
common = np.array([[len(a & b) / 20 for b in kept] for a in kept])
figure, ax = plt.subplots(figsize=(4.8, 4), layout="constrained")
picture = ax.imshow(common, vmin=0, vmax=1, cmap="Blues", extent=(-0.05, 1.05, 1.05, -0.05))
ax.set(xlabel="alpha", ylabel="alpha", title="share in common")
figure.colorbar(picture)
plt.show()
