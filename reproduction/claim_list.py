"""The paper's claims, one by one, each with its check and the likely reason where it fails."""

from __future__ import annotations

from reproduction import claims, rank_claims, reasons, subset_claims
from reproduction.claim import Claim
from reproduction.paper import MICROARRAY, NIPS, TABLE_3

_LABELS = reasons.labels_set_by_set("colon", "leukemia", "lung")
_MENDED = reasons.guess("the paper's rivals ran as published programs, many of which depart from "
                        "their papers.")  # fmt: skip

CLAIMS = {
    "Few samples, many features: the microarray sets": (
        Claim("Inf-FS_U is the best unsupervised method at every size, by a mild but steady gap.",
              "Fig. 1, left", claims.unsupervised_microarray, MICROARRAY,
              reasons.both(reasons.against_the_best(MICROARRAY, False),
                           reasons.variance_is_as_good)),
        Claim("Inf-FS_S is the best supervised method, most of all at 10 to 100 features.",
              "Fig. 1, right", claims.supervised_microarray, MICROARRAY,
              reasons.both(reasons.against_the_best(MICROARRAY, True),
                           reasons.parts_of_inf_fs_s, _MENDED)),
        Claim("Accuracy rises up to a knee near 50 features and is flat after 150.", "Sec. 4.1",
              claims.knee, MICROARRAY),
        Claim("Inf-FS_S is better than Inf-FS_U on the mean, and equal on colon, leukemia and "
              "lung.", "Sec. 4.1", claims.labels_help, MICROARRAY, _LABELS),
    ),
    "Labels or not: the NIPS sets": (
        Claim("Inf-FS_S beats Inf-FS_U on dexter.", "Fig. 2", claims.supervised_wins("dexter"),
              ("dexter",), reasons.our_data("dexter")),
        Claim("Inf-FS_S beats Inf-FS_U on gina.", "Fig. 2", claims.supervised_wins("gina"),
              ("gina",), reasons.our_data("gina")),
        Claim("Inf-FS_S beats Inf-FS_U on gisette.", "Fig. 2", claims.supervised_wins("gisette"),
              ("gisette",), reasons.our_data("gisette")),
        Claim("On madelon Inf-FS_U is better at 10 features and equal elsewhere.", "Fig. 2",
              claims.madelon, ("madelon",), reasons.noise_of_a_set("madelon")),
        Claim("On gisette Inf-FS_S is the best supervised method at 10 features.", "Sec. 4.2",
              claims.best_at("gisette", "10"), ("gisette",), reasons.our_data("gisette")),
        Claim("On gisette Inf-FS_U is about third of the unsupervised methods, after LLCFS and "
              "the Laplacian score.", "Sec. 4.2", rank_claims.gisette_unsupervised, ("gisette",),
              reasons.our_data("gisette")),
        Claim("On gina supervised methods are ahead of unsupervised ones at 10 features.",
              "Sec. 4.2", claims.gina_needs_labels, ("gina",), reasons.our_data("gina")),
        Claim("On gina Inf-FS_S equals MI and Fisher at 10 features.", "Sec. 4.2",
              claims.gina_like_its_parts, ("gina",), reasons.our_data("gina")),
        Claim("On gina Inf-FS_U is about fourth of the unsupervised methods.", "Sec. 4.2",
              rank_claims.gina_unsupervised, ("gina",), reasons.our_data("gina")),
        Claim("On dexter Inf-FS_S is the best supervised method from 50 features on.", "Sec. 4.2",
              claims.dexter_supervised, ("dexter",),
              reasons.both(reasons.against_the_best(("dexter",), True),
                           reasons.our_data("dexter"))),
        Claim("On dexter Inf-FS_U is the best unsupervised method, on a par with the Laplacian "
              "score.", "Sec. 4.2", claims.dexter_unsupervised, ("dexter",),
              reasons.both(reasons.against_the_best(("dexter",), False),
                           reasons.our_data("dexter"))),
    ),
    "Features of neural networks": (
        Claim("On Caltech 101 all methods lie in a narrow band and both forms of Inf-FS are at "
              "its top.", "Fig. 3", claims.caltech_band, ("caltech101",),
              reasons.our_data("caltech101")),
        Claim("On VOC 2007 Inf-FS_S is slightly above ECFS, Inf-FS_U among the first three.",
              "Fig. 3", claims.voc, ("voc2007",), reasons.our_data("voc2007")),
        Claim("A part of the features, best between 25 and 45 %, is better than all of them.",
              "Fig. 5", claims.part_beats_whole, ("voc2007", "caltech101"),
              reasons.our_data("voc2007"), study="cardinality"),
    ),
    "Over all data sets": (
        Claim("Inf-FS_U has the best average rank of the unsupervised methods.",
              "Fig. 4, left", rank_claims.best_rank(False), MICROARRAY + NIPS,
              reasons.against_the_best(MICROARRAY + NIPS, False)),
        Claim("Inf-FS_S has the best average rank of the supervised methods.",
              "Fig. 4, right", rank_claims.best_rank(True), MICROARRAY + NIPS,
              reasons.both(reasons.against_the_best(MICROARRAY + NIPS, True), _MENDED)),
        Claim("Whatever the data, Inf-FS is first of its class, or else second or third.",
              "abstract, Sec. 1", rank_claims.versatile, MICROARRAY + NIPS, _MENDED),
        Claim("The time of Inf-FS grows at most with the cube of the number of features.",
              "Table 1", claims.cubic, (), study="growth"),
    ),
    "Automatic subsets": (
        Claim("Inf-FS beats both LASSOs on nine of eleven sets.", "Table 3",
              subset_claims.beats_lasso, MICROARRAY + NIPS, reasons.lassos_mended),
        Claim("Inf-FS_S keeps fewer features than Inf-FS_U on every set.", "Table 3",
              subset_claims.labels_shrink_the_subset, MICROARRAY + NIPS,
              reasons.guess("the sizes follow the shape of the scores' histogram, which knows "
                            "nothing of labels.")),
        Claim("Inf-FS keeps fewer features than the LASSO with hinge loss.", "Table 3",
              subset_claims.fewer_than_lasso, MICROARRAY + NIPS, reasons.lasso_optimum),
        Claim("Of the four the LASSO with hinge loss keeps the most features.", "Table 3",
              subset_claims.lasso_sizes, MICROARRAY + NIPS, reasons.lasso_optimum),
        Claim("The unhinged LASSO is very poor on the microarray sets.", "Table 3",
              subset_claims.unhinged_is_poor, MICROARRAY, reasons.lassos_mended),
        Claim("The automatic subset is about as good as the best fixed size.", "Table 3",
              subset_claims.automatic_is_competitive, MICROARRAY + NIPS,
              reasons.guess("the best fixed size is chosen after the fact among five, which "
                            "favours it.")),
        Claim(f"Inf-FS reaches {TABLE_3['colon', 'inf-fs-s'][3]} % on colon.", "Table 3",
              subset_claims.colon_accuracy, ("colon",),
              reasons.both(reasons.colon_ceiling, reasons.noise_of_a_set("colon"))),
    ),
}  # fmt: skip

ALL_CLAIMS = tuple(claim for group in CLAIMS.values() for claim in group)

HYPOTHESES = (
    Claim("Rivals that follow their papers do better than the paper reports.", "ours",
          subset_claims.rivals_do_better, MICROARRAY + NIPS),
    Claim("With honest splits colon is near 84 % on raw and 88 % on logarithmic values.", "ours",
          subset_claims.colon_hypothesis, ("colon", "colon (log)"),
          reasons.noise_of_a_set("colon")),
    Claim("The sizes of the paper's Table 3 follow the histogram rule.", "ours",
          subset_claims.histogram_sizes, MICROARRAY + NIPS),
)  # fmt: skip
