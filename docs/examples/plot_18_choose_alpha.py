"""
Choosing the weights by cross-validation
========================================

``InfFSUCV`` and ``InfFSSCV`` cross-validate a grid of weights and rank with the best one. All
values of alpha share one pass over the graph.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from inffs import InfFSUCV

X, y = load_wine(return_X_y=True)
selector = InfFSUCV(n_features_to_select=3).fit(X, y)
results = selector.cv_results_
print("chosen:", selector.best_params_, f"accuracy in the folds {selector.best_score_:.3f}")

# %%
# A flat curve means that alpha has little effect. The accuracy of the chosen alpha is slightly
# optimistic, because it is the best of several. Evaluate the whole selector in an outer
# cross-validation.

alphas = np.linspace(0, 1, 11)
mean, spread = results["mean_test_score"], results["std_test_score"]
figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
ax.errorbar(alphas, mean, spread, fmt="o-", color="#2a6fdb", capsize=3)
ax.axvline(selector.alpha_, color="#c2410c", lw=1.5)
ax.set(xlabel="alpha", ylabel="accuracy with 3 features, mean and spread over folds")
plt.show()
