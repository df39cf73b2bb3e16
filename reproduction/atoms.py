"""The paper's claims as atoms: one comparison each, in one table; :mod:`decision` decides them."""

from __future__ import annotations

from dataclasses import dataclass

from reproduction.paper import MICROARRAY, NIPS, TABLE_3

SCORE, FEATURES, PLACE, RANK, GROWTH = "score", "features", "place", "rank", "growth"
ABOVE, EQUAL, NOT_BELOW = "above", "equal", "not below"
SUPERVISED, UNSUPERVISED, EVERY = "supervised", "unsupervised", "every method"
CLASSES = (SUPERVISED, UNSUPERVISED, EVERY)
PUBLISHED = "the paper's number"
SIZES = ("10", "50", "100", "150", "200")
SHARES = ("5%", "10%", "15%", "20%", "25%")  # of the features of neural networks
AUTO, BEST_SIZE = ("auto",), ("best fixed size",)
U, S, HINGE, UNHINGED = "inf-fs-u", "inf-fs-s", "lasso-hinge", "lasso-unhinged"
BOTH = MICROARRAY + NIPS


@dataclass(frozen=True)
class Atom:
    """One claim that one comparison decides.

    Parameters
    ----------
    text, where : str
        The claim in our words, and its place in the paper.
    left, right : str
        The methods compared. ``right`` may be a class of methods, a number or PUBLISHED.
    sets : tuple of str
        The paper's names of the data sets.
    sizes, right_sizes : tuple of str
        The sizes whose mean is compared; on the right the same ones unless given.
    kind : str
        What is compared: scores, numbers of features kept, the place in a class, the average rank
        in a class, or the growth of the time (an exponent).
    claim : str
        That left is ABOVE, EQUAL (within the margin) or NOT_BELOW (by the margin).
    beyond : float
        By how many points left must be above.
    each : float, optional
        Share of the data sets on which the claim must be true; None for the mean over the sets.
    places : tuple of two int
        First and last place of a PLACE that agree with the claim.
    study : str
        Setting of the results.
    """

    text: str
    where: str
    left: str
    right: str | float
    sets: tuple[str, ...]
    sizes: tuple[str, ...] = SIZES
    right_sizes: tuple[str, ...] | None = None
    kind: str = SCORE
    claim: str = ABOVE
    beyond: float = 0.0
    each: float | None = None
    places: tuple[int, int] = (1, 1)
    study: str = "paper"


_MICROARRAY = (
    *(Atom(f"Inf-FS_U is the best unsupervised method at {size} features.", "Fig. 1, left",
           U, UNSUPERVISED, MICROARRAY, (size,), kind=PLACE) for size in SIZES),
    Atom("Inf-FS_S is the best supervised method, mean over the sizes.", "Fig. 1, right",
         S, SUPERVISED, MICROARRAY, kind=PLACE),
    Atom("Inf-FS_S is the best supervised method at 10 to 100 features.", "Fig. 1, right",
         S, SUPERVISED, MICROARRAY, SIZES[:3], kind=PLACE),
    Atom("Accuracy rises from 10 to 50 features (mean of all methods).", "Sec. 4.1",
         EVERY, EVERY, MICROARRAY, ("50",), ("10",)),
    Atom("Accuracy has its knee near 50 features: it lies above the middle of 10 and 200.",
         "Sec. 4.1", EVERY, EVERY, MICROARRAY, ("50",), ("10", "200")),
    Atom("Accuracy is flat from 150 to 200 features (mean of all methods).", "Sec. 4.1",
         EVERY, EVERY, MICROARRAY, ("200",), ("150",), claim=EQUAL),
    Atom("Inf-FS_S is better than Inf-FS_U on the mean.", "Sec. 4.1", S, U, MICROARRAY),
    *(Atom(f"Inf-FS_S equals Inf-FS_U on {name}.", "Sec. 4.1", S, U, (name,), claim=EQUAL)
      for name in ("colon", "leukemia", "lung")),
)  # fmt: skip
_NIPS = (
    *(Atom(f"Inf-FS_S beats Inf-FS_U on {name}.", "Fig. 2", S, U, (name,))
      for name in ("dexter", "gina", "gisette")),
    Atom("Inf-FS_U beats Inf-FS_S on madelon at 10 features.", "Fig. 2", U, S, ("madelon",),
         ("10",)),
    Atom("Inf-FS_U equals Inf-FS_S on madelon from 50 features on.", "Fig. 2", U, S, ("madelon",),
         SIZES[1:], claim=EQUAL),
    Atom("On gisette Inf-FS_S is the best supervised method at 10 features.", "Sec. 4.2",
         S, SUPERVISED, ("gisette",), ("10",), kind=PLACE),
    Atom("On gisette Inf-FS_U is about third (2 to 4) of the unsupervised methods.", "Sec. 4.2",
         U, UNSUPERVISED, ("gisette",), kind=PLACE, places=(2, 4)),
    Atom("On gisette LLCFS is better than Inf-FS_U.", "Sec. 4.2", "llcfs", U, ("gisette",)),
    Atom("On gisette the Laplacian score is better than Inf-FS_U.", "Sec. 4.2",
         "laplacian", U, ("gisette",)),
    Atom("On gina supervised methods are ahead of unsupervised ones at 10 features (means).",
         "Sec. 4.2", SUPERVISED, UNSUPERVISED, ("gina",), ("10",)),
    Atom("On gina Inf-FS_S equals MI at 10 features.", "Sec. 4.2", S, "mi", ("gina",), ("10",),
         claim=EQUAL),
    Atom("On gina Inf-FS_S equals Fisher at 10 features.", "Sec. 4.2", S, "fisher", ("gina",),
         ("10",), claim=EQUAL),
    Atom("On gina Inf-FS_U is about fourth (3 to 5) of the unsupervised methods.", "Sec. 4.2",
         U, UNSUPERVISED, ("gina",), kind=PLACE, places=(3, 5)),
    Atom("On dexter Inf-FS_S is the best supervised method from 50 features on.", "Sec. 4.2",
         S, SUPERVISED, ("dexter",), SIZES[1:], kind=PLACE),
    Atom("On dexter Inf-FS_U is the best unsupervised method.", "Sec. 4.2",
         U, UNSUPERVISED, ("dexter",), kind=PLACE),
    Atom("On dexter Inf-FS_U equals the Laplacian score.", "Sec. 4.2", U, "laplacian",
         ("dexter",), claim=EQUAL),
)  # fmt: skip
_NETWORKS = (
    Atom("On Caltech 101 Inf-FS_U is among the first three unsupervised methods.", "Fig. 3",
         U, UNSUPERVISED, ("caltech101",), SHARES, kind=PLACE, places=(1, 3)),
    Atom("On Caltech 101 Inf-FS_S is among the first three supervised methods.", "Fig. 3",
         S, SUPERVISED, ("caltech101",), SHARES, kind=PLACE, places=(1, 3)),
    Atom("On VOC 2007 Inf-FS_S is above ECFS.", "Fig. 3", S, "ecfs", ("voc2007",), SHARES),
    Atom("On VOC 2007 Inf-FS_U is among the first three unsupervised methods.", "Fig. 3",
         U, UNSUPERVISED, ("voc2007",), SHARES, kind=PLACE, places=(1, 3)),
    *(Atom(f"On {title} 25 to 45 % of the features are better than all of them ({form}).",
           "Fig. 5", key, key, (name,), ("25%", "30%", "35%", "40%", "45%"), ("100%",),
           study="cardinality")
      for title, name in (("VOC 2007", "voc2007"), ("Caltech 101", "caltech101"))
      for form, key in (("Inf-FS_U", U), ("Inf-FS_S", S))),
)  # fmt: skip
_OVER_ALL = (
    Atom("Inf-FS_U has the best average rank of the unsupervised methods.", "Fig. 4, left",
         U, UNSUPERVISED, BOTH, kind=RANK),
    Atom("Inf-FS_S has the best average rank of the supervised methods.", "Fig. 4, right",
         S, SUPERVISED, BOTH, kind=RANK),
    Atom("Inf-FS_U is among the first three of its class on every set.", "abstract, Sec. 1",
         U, UNSUPERVISED, BOTH, kind=PLACE, places=(1, 3), each=1.0),
    Atom("Inf-FS_S is among the first three of its class on every set.", "abstract, Sec. 1",
         S, SUPERVISED, BOTH, kind=PLACE, places=(1, 3), each=1.0),
    *(Atom(f"The time of {form} grows at most with the cube of the number of features.",
           "Table 1", key, 3.0, (), kind=GROWTH, study="growth")
      for form, key in (("Inf-FS_U", U), ("Inf-FS_S", S))),
)  # fmt: skip
_SUBSETS = (
    *(Atom(f"{form} beats the {lasso} LASSO on nine of eleven sets.", "Table 3", key, rival, BOTH,
           AUTO, each=9 / 11)
      for form, key in (("Inf-FS_U", U), ("Inf-FS_S", S))
      for lasso, rival in (("hinge", HINGE), ("unhinged", UNHINGED))),
    Atom("Inf-FS_S keeps fewer features than Inf-FS_U on every set.", "Table 3", S, U, BOTH, AUTO,
         kind=FEATURES, each=1.0),
    *(Atom(f"{form} keeps fewer features than the hinge LASSO on every set.", "Table 3", key,
           HINGE, BOTH, AUTO, kind=FEATURES, each=1.0)
      for form, key in (("Inf-FS_U", U), ("Inf-FS_S", S), ("The unhinged LASSO", UNHINGED))),
    Atom("The unhinged LASSO is very poor: 5 points below Inf-FS_S.", "Table 3", S, UNHINGED,
         MICROARRAY, AUTO, beyond=5.0),
    *(Atom(f"The automatic subset of {form} is as good as its best fixed size.", "Table 3",
           key, key, BOTH, AUTO, BEST_SIZE, claim=NOT_BELOW)
      for form, key in (("Inf-FS_U", U), ("Inf-FS_S", S))),
    *(Atom(f"{form} reaches {TABLE_3['colon', key][3]} % on colon with {size} features.",
           "Table 3", key, TABLE_3["colon", key][3], ("colon",), (size,), claim=NOT_BELOW)
      for form, key, size in (("Inf-FS_U", U, "150"), ("Inf-FS_S", S, "100"))),
)  # fmt: skip
ATOMS = {
    "Microarray sets": _MICROARRAY,
    "Sets of the NIPS challenge": _NIPS,
    "Features of neural networks": _NETWORKS,
    "Over all data sets": _OVER_ALL,
    "Automatic subsets": _SUBSETS,
}
ALL_ATOMS = tuple(atom for group in ATOMS.values() for atom in group)
OWN = tuple(
    Atom(f"The automatic subset of {form} is better here than in the paper.", "ours", key,
         PUBLISHED, BOTH, AUTO)
    for form, key in (("the hinge LASSO", HINGE), ("the unhinged LASSO", UNHINGED),
                      ("Inf-FS_U", U), ("Inf-FS_S", S))
)  # fmt: skip
