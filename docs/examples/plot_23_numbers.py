"""
A numeric target
================

Friedman's function depends on five of ten columns. One of them (column 2) has a symmetric effect,
so the squared correlation does not detect it. The mutual information does. Inf-FS_S uses both.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1

from inffs import InfFSS
from inffs.measures import equal_frequency_codes, mutual_information, squared_correlation

X, y = make_friedman1(n_samples=600, n_features=10, noise=0.5, random_state=0)
selector = InfFSS((0.5, 0.5, 0.0), n_features_to_select=5).fit(X, y)
print("kept:", selector.get_support(indices=True))

# %%
# The two measures of every column. Blue columns determine the target. Column 2 has a
# squared correlation of zero, and a higher mutual information than the grey columns.

measures = {
    "squared correlation": squared_correlation(X, y),
    "mutual information (nats)": mutual_information(X, equal_frequency_codes(y)),
}
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", sharex=True)
for ax, (name, values) in zip(axes, measures.items(), strict=True):
    ax.bar(np.arange(10), values, color=np.where(np.arange(10) < 5, "#2a6fdb", "#7a8594"))
    ax.set(xlabel="column (the first five determine y)", ylabel=name, xticks=range(10))
plt.show()
