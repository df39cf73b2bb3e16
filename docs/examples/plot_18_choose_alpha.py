"""
Choosing the weights by cross-validation
========================================

A grid search of scikit-learn ranks and evaluates the features with every weight, each time on the
training part of a fold only. The same recipe chooses the weights of ``InfFSS``.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC

from inffs import InfFSU

X, y = load_wine(return_X_y=True)
steps = [
    ("scale", MinMaxScaler()),
    ("select", InfFSU(n_features_to_select=3)),
    ("classify", LinearSVC()),
]
alphas = np.linspace(0, 1, 11)
search = GridSearchCV(Pipeline(steps), {"select__alpha": alphas}, cv=5).fit(X, y)
chosen = search.best_params_["select__alpha"]
print(f"chosen: alpha = {chosen:.1f}, accuracy in the folds {search.best_score_:.3f}")

# %%
# The mean accuracy over the folds with its spread; the line marks the chosen alpha. A flat curve
# means that alpha has little effect. The accuracy of the chosen alpha is slightly
# optimistic, because it is the best of several. Evaluate the whole search in an outer
# cross-validation.

mean, spread = (search.cv_results_[name] for name in ("mean_test_score", "std_test_score"))
figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
ax.errorbar(alphas, mean, spread, fmt="o-", color="#2a6fdb", capsize=3)
ax.axvline(chosen, color="#c2410c", lw=1.5)
ax.set(xlabel="alpha", ylabel="accuracy with 3 features")
plt.show()
