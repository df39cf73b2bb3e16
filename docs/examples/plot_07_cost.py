"""
My own relation, 2: a cost for each feature
===========================================

A blood test is cheap and a scan is expensive. If every edge is multiplied by u_i u_j, where u
decreases with the cost, then paths through expensive features have smaller values.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from inffs import InfFS
from inffs.relations import Coupling, Decorrelation, Outer

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
cost = np.repeat([1.0, 3.0, 9.0], 10)  # means, their errors, the worst values: invented prices
worth = Coupling() * Decorrelation(power=2)

# %%
# The total cost and the accuracy of the best eight features for increasing influence of the cost
# (the power). The selection runs inside the folds.

powers = [0, 0.02, 0.05, 0.1, 0.15, 0.5]
prices, accuracies = [], []
for power in powers:
    selector = InfFS(worth * Outer(cost**-power), n_features_to_select=8)
    model = make_pipeline(selector, LogisticRegression(max_iter=2000))
    accuracies.append(cross_val_score(model, X, y, cv=5).mean())
    prices.append(cost[selector.fit(X, y).get_support()].sum())
    print(f"power {power}: price {prices[-1]:.0f}, accuracy {accuracies[-1]:.3f}")

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.plot(prices, accuracies, "o-", color="#2a6fdb")
for price, accuracy, power in zip(prices, accuracies, powers, strict=True):
    ax.annotate(
        f"power {power}", (price, accuracy), xytext=(-6, 6), textcoords="offset points", ha="right"
    )
ax.margins(x=0.25, y=0.12)
ax.set(xlabel="total cost of the eight features", ylabel="cross-validated accuracy")
plt.show()
