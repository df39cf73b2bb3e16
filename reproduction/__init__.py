"""The reproduction of the publication: data sets, experiments, claims and what came of them."""
