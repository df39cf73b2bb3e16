"""The benchmark's data sets: where they come from, how they are read, what the paper calls them."""
