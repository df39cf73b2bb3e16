"""
Sample weights correct an unbalanced sample
===========================================

A study asks as many old people as young ones, although only a tenth of the population is old. With
weights, the scores are close to those of the population.
"""

import matplotlib.pyplot as plt
import numpy as np

from inffs.methods import FisherScore


def sample(rng, old):
    """Forty columns: the first ten separate the classes among the old, the next ten the young."""
    y = np.arange(old.size) % 2
    X = rng.normal(size=(old.size, 40))
    X[:, :10] += (y * old)[:, None] * np.linspace(0.4, 1.6, 10)
    X[:, 10:20] += (y * ~old)[:, None] * np.linspace(0.4, 1.6, 10)
    return X, y


rng = np.random.default_rng(0)
population = FisherScore().fit(*sample(rng, rng.random(100_000) < 0.1))

# %%
# The sample has 300 people of each group. The weight of an old person is 0.1 / 0.5 = 0.2, and that
# of a young person is 1.8. In the picture, the weighted scores (blue) lie near the diagonal.

old = np.arange(600) % 4 < 2
X, y = sample(rng, old)
plain = FisherScore().fit(X, y)
weighted = FisherScore().fit(X, y, sample_weight=np.where(old, 0.2, 1.8))

figure, ax = plt.subplots(figsize=(5.5, 4.5), layout="constrained")
for selector, name, color in (
    (plain, "as sampled", "#c2410c"),
    (weighted, "weighted", "#2a6fdb"),
):
    found = len(set(population.order_[:10]) & set(selector.order_[:10]))
    print(f"{name}: {found} of the population's ten best")
    ax.plot(population.scores_, selector.scores_, "o", color=color, alpha=0.7, label=name)
highest = population.scores_.max()
ax.plot([0, highest], [0, highest], color="gray", linewidth=0.8)
ax.set(xlabel="Fisher score in the population", ylabel="Fisher score in the sample")
ax.legend(frameon=False)
plt.show()
