"""Differences of other published programs from the papers, by catalogue key.

They were found by running or reading the programs. FSLib is the MATLAB library of the Inf-FS
authors (version of 2018); its demo shows how the comparison of the paper calls each method.
"""

SLIPS: dict[str, tuple[str, ...]] = {
    "inf-fs-u": (
        "The published programs differ from the paper and from each other. "
        ":doc:`/programs-and-paper` lists the differences.",
    ),
    "inf-fs-s": (
        "The published program builds a different graph, which is not symmetric and in which "
        "mutual information cannot change the ranking. :doc:`/programs-and-paper` lists the "
        "differences.",
    ),
    "laplacian": (
        "FSLib passes a complete graph with negative weights. Its test for constant features "
        "then applies to every feature, and the result is nearly the order by variance.",
    ),
    "mcfs": (
        "FSLib asks for all features, so it computes the whole path and ends with a plain ridge "
        "regression.",
        "scikit-feature and ITMO_FS use the largest signed coefficient; the paper uses the "
        "largest absolute one. ITMO_FS also keeps the constant eigenvector.",
    ),
    "udfs": (
        "scikit-feature exchanges sample and neighbour when it sums the local matrices, and "
        "uses one number for two parameters.",
        "FSLib returns the columns in their input order if its matrix contains a NaN.",
    ),
    "llcfs": ("With its defaults (2 clusters), FSLib runs into the degenerate case.",),
    "dgufs": ("FSLib runs 5 iterations; the authors run 100.",),
    "ufsol": ("FSLib runs 10 iterations; the authors run 100.",),
    "fsasl": (
        "FSLib runs a single iteration, so the graph is never adapted. It also ranks by another "
        "norm of the rows.",
    ),
    "mi": (
        "FSLib assigns values on the edge of a bin to the lower bin for the marginal histogram "
        "and to the upper bin for the joint one. A constant column therefore gets the largest "
        "score.",
        "For labels 1 ... G, FSLib returns NaN.",
    ),
    "ecfs": ("FSLib uses the mutual information of its ``mi`` with the two different histograms.",),
    "relieff": (
        "FSLib passes numeric labels to MATLAB's ``relieff``. According to its documentation, "
        "this selects RReliefF, the form for regression.",
    ),
    "svm-rfe": (
        "FSLib asks for all features, so the loop ends at once and the ranking is 1, 2, 3, ... "
        "If it halves the features, it lists the removed half in reverse order.",
    ),
    "lasso-hinge": (
        'The "lasso" of FSLib has a squared loss on numeric labels. It orders features by '
        "the signed coefficient, so features with large negative coefficients are last.",
    ),
    "mrmr": (
        "FSLib first rounds the values to integers, which makes columns of small values "
        "constant. It considers only the 1000 most relevant features.",
    ),
    "cfs": ("The name can be confused with Hall's supervised CFS, which is a different method.",),
}
