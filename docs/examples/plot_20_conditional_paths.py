"""
The unexplained association along a conditional path
====================================================

Conditional paths (:class:`inffs.InfFSC`) select features one after another. After each selection,
they compute the association of every other feature with the target that the selected features do
not explain. This example shows the first path through the breast cancer data.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import MinMaxScaler

from inffs import InfFSC, InfFSS

data = load_breast_cancer()
X, y, names = data.data, data.target, data.feature_names
selector = InfFSC(n_features_to_select=10).fit(X, y)
path = selector.paths_[0].features[:4]
print("inf-fs-c:", ", ".join(names[path]))
scaled = MinMaxScaler().fit_transform(X)  # inf-fs-s depends on units, inf-fs-c does not
print("inf-fs-s:", ", ".join(names[InfFSS().fit(scaled, y).order_[:4]]))

# %%
# The same by the formula. The profiles z are standardised, clipped and scaled to norm 1. The
# association that the path S does not explain is C = s - rho_S (lambda I + rho_SS)^-1 s_S.

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
# Each row is a feature and each column a step of the path; dark cells are unexplained
# associations. The first selected feature, worst perimeter, explains its whole group: radius, area
# and perimeter. Worst texture has a smaller association, but less of it is explained, so it is
# selected third.

order = np.argsort(-(s**2))
order = order[(np.arange(n) < 18) | np.isin(order, path)]
figure, ax = plt.subplots(figsize=(7.2, 6.4), layout="constrained")
shades = ax.imshow(np.sqrt(left[order]), cmap="Blues", aspect="auto", vmin=0)
ax.set_yticks(range(order.size), names[order])
steps = ["nothing\nselected", *("+ " + names[i].replace(" ", "\n", 1) for i in path)]
ax.set_xticks(range(len(steps)), steps, fontsize=8)
for step, i in enumerate(path):
    ax.add_patch(plt.Rectangle((step - 0.5, list(order).index(i) - 0.5), 1, 1, fill=False, lw=2))
figure.colorbar(shades, label="unexplained association, |C|")
ax.set_title("Boxed: the feature selected next")
plt.show()

# %%
# An explanation of the rank of one feature:

print(selector.explain(int(np.flatnonzero(names == "worst area")[0])))
