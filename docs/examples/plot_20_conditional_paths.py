"""
What a path leaves for the others
=================================

Conditional paths (:class:`inffs.InfFSC`) pick features one after another and ask of every other
feature what it still has to say. The picture follows the first path through the breast cancer
data: a column for each pick, a row for each feature, darker where more is left to be said.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from inffs import InfFSC, InfFSS

data = load_breast_cancer()
X, y, names = data.data, data.target, data.feature_names
selector = InfFSC(n_features_to_select=10).fit(X, y)
path = selector.paths_[0].features[:4]
print("inf-fs-c:", ", ".join(names[path]))
print("inf-fs-s:", ", ".join(names[InfFSS().fit(X, y).order_[:4]]))

# %%
# The same by the formula: profiles z (standardised, clipped, norm 1), the class axis, and after
# each pick what no walk through the path S carries, C = s - rho_S (lambda I + rho_SS)^-1 s_S.

Z = np.clip((X - X.mean(axis=0)) / X.std(axis=0), -2, 2)
Z = (Z - Z.mean(axis=0)) / np.linalg.norm(Z - Z.mean(axis=0), axis=0)
axis = (y - y.mean()) / np.linalg.norm(y - y.mean())
rho, s = Z.T @ Z, Z.T @ axis
T, n = X.shape
left = [s**2]
for length in range(1, len(path) + 1):
    S = path[:length]
    inverse = np.linalg.inv(10 * np.log(n) / T * np.eye(length) + rho[np.ix_(S, S)])
    left.append((s - rho[:, S] @ inverse @ s[S]) ** 2)
left = np.array(left).T

# %%
# The first pick, worst perimeter, empties its family: radius, area and perimeter have hardly
# anything left. Worst texture says less at first, but keeps more of it than they do, and comes
# third.

order = np.argsort(-(s**2))
order = order[(np.arange(n) < 18) | np.isin(order, path)]
figure, ax = plt.subplots(figsize=(7.2, 6.4), layout="constrained")
shades = ax.imshow(np.sqrt(left[order]), cmap="Blues", aspect="auto", vmin=0)
ax.set_yticks(range(order.size), names[order])
steps = ["nothing\npicked", *("+ " + names[i].replace(" ", "\n", 1) for i in path)]
ax.set_xticks(range(len(steps)), steps, fontsize=8)
for step, i in enumerate(path):
    ax.add_patch(plt.Rectangle((step - 0.5, list(order).index(i) - 0.5), 1, 1, fill=False, lw=2))
figure.colorbar(shades, label="what is left to be said, |C|")
ax.set_title("Boxed: the feature picked next")
plt.show()

# %%
# Why a feature is where it is, in words:

print(selector.explain(int(np.flatnonzero(names == "worst area")[0])))
