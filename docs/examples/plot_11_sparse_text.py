"""
Sparse text: words that separate two topics
===========================================

Inf-FS ranks the columns of a sparse matrix without making it dense. The texts of this example are
generated, so no download is needed.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from inffs import InfFSS, InfFSU

TOPICS = (
    "orbit rocket moon launch crew planet telescope gravity",
    "goal match coach league referee penalty stadium striker",
)
COMMON = [f"word{place}" for place in range(3000)]
rng = np.random.default_rng(0)


def write(topic):
    """Forty words: common ones by Zipf's law, and a few of the topic."""
    common = rng.zipf(1.4, size=36) % len(COMMON)
    own = rng.choice(TOPICS[topic].split(), size=4)
    return " ".join([*(COMMON[place] for place in common), *own])


y = np.arange(400) % 2
counts = CountVectorizer()
X = counts.fit_transform([write(topic) for topic in y])
words = counts.get_feature_names_out()
print(f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz / np.prod(X.shape):.2%} of the cells filled")

# %%
# With labels, the words of the topics (blue) have the highest scores. Without labels, the frequent
# words come first, because their counts vary most.

with_labels = InfFSS(n_features_to_select=16).fit(X, y)
without = InfFSU(n_features_to_select=16).fit(X)
topical = set(" ".join(TOPICS).split())
for name, selector in (("with labels", with_labels), ("without", without)):
    best = words[selector.order_[:16]]
    print(f"{name}: {len(topical & set(best))} of 16 are words of a topic")

figure, ax = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
best = with_labels.order_[:20][::-1]
colours = ["#2a6fdb" if words[j] in topical else "#b8c0cc" for j in best]
ax.barh(words[best], with_labels.scores_[best], color=colours)
ax.set(xlabel="score of Inf-FS_S", title="blue: words of a topic")
plt.show()
