"""What programs in circulation do differently: seen by running or reading them, by catalogue key.

FSLib is the MATLAB library of the Inf-FS authors (generation of 2018), whose demo shows how the
paper's comparison calls each method.
"""

SLIPS: dict[str, tuple[str, ...]] = {
    "inf-fs-u": (
        "The published programs differ from the paper and from each other: see "
        ":doc:`/programs-and-paper`.",
    ),
    "inf-fs-s": (
        "The published program builds another, unsymmetric graph in which mutual information "
        "cannot change the ranking: see :doc:`/programs-and-paper`.",
    ),
    "laplacian": (
        "FSLib passes a complete graph with negative weights. Its guard against constant features "
        "then fires for every feature, and what comes out orders nearly by variance.",
    ),
    "mcfs": (
        "FSLib asks for all features, so the whole path is walked to reach what is a plain ridge "
        "regression.",
        "scikit-feature and ITMO_FS take the signed largest coefficient where the paper takes the "
        "absolute one, and ITMO_FS keeps the trivial constant eigenvector.",
    ),
    "udfs": (
        "scikit-feature mixes up sample and neighbour when it adds up the local matrices, and uses "
        "one number for two parameters.",
        "FSLib returns the columns in their input order when its matrix holds a NaN.",
    ),
    "llcfs": ("FSLib's defaults (2 clusters) meet the degenerate case described above.",),
    "dgufs": ("FSLib runs 5 iterations where the authors run 100.",),
    "ufsol": ("FSLib runs 10 iterations where the authors run 100.",),
    "fsasl": (
        "FSLib makes a single pass, so nothing adapts, and ranks by another norm of the rows.",
    ),
    "mi": (
        "FSLib bins the feature in two ways, with values on an edge in the lower bin for the "
        "marginal and in the upper for the joint: a constant column gets the largest score of "
        "all.",
        "A label vector 1 ... G gives NaN there.",
    ),
    "ecfs": ("FSLib's version shares the mutual information of ``mi`` with its two histograms.",),
    "relieff": (
        "FSLib hands numeric labels to MATLAB's ``relieff``, which by its documentation is then "
        "RReliefF, the form for regression.",
    ),
    "svm-rfe": (
        "FSLib asks for as many features as there are: the loop ends at once and the ranking is 1, "
        "2, 3, ... Where it halves, a dropped half is listed upside down.",
    ),
    "lasso-hinge": (
        'FSLib\'s "lasso" is a squared-loss lasso on numeric labels, ordered by the signed '
        "coefficient, so that strong negative ones come last.",
    ),
    "mrmr": (
        "FSLib rounds the values to integers first (a table of small values collapses) and looks "
        "at the 1000 most relevant features only.",
    ),
    "cfs": ("The name is often read as Hall's supervised CFS; it is not that method.",),
}
