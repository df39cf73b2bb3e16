# Tables with classes out of R packages, written as CSV files for benchmarks/unseen.py.
#
#   Rscript benchmarks/unseen_tables.R LIBRARY OUT
#
# LIBRARY is a folder of installed (or merely unpacked) packages; none of them is loaded. OUT is made.
# Taken is every table of these packages with classes, at least 50 numeric columns and 50 samples,
# no class with nine tenths of the samples, not drawn by a simulation, and in no other of the tables.

arguments <- commandArgs(TRUE)
library_folder <- arguments[1]
out <- arguments[2]
dir.create(out, showWarnings = FALSE)

from_file <- function(package, file) {
  found <- new.env()
  load(file.path(library_folder, package, "data", file), found)
  found
}

from_database <- function(package) {
  found <- new.env()
  lazyLoad(file.path(library_folder, package, "data", "Rdata"), found)
  found
}

as_number <- function(column) {
  if (is.factor(column) || is.character(column)) as.integer(factor(column)) - 1 else as.numeric(column)
}

write_table <- function(name, X, y) {
  X <- as.data.frame(lapply(as.data.frame(X), as_number))
  names(X) <- paste0("v", seq_along(X))
  X$class <- as.character(y)
  file <- gzfile(file.path(out, paste0(name, ".csv.gz")))
  write.csv(X[!is.na(X$class), ], file, row.names = FALSE)
  cat(name, nrow(X), ncol(X) - 1, "\n")
}

without <- function(table, ...) table[, !(names(table) %in% c(...))]
with_class <- function(name, table, class, ...) write_table(name, without(table, class, ...), table[[class]])

# objects of S4 classes whose packages are not loaded are read by their slots
expression <- function(set) t(get("exprs", attr(set, "assayData")))
about_samples <- function(set) attr(attr(set, "phenoData"), "data")
counts <- function(object) {
  table <- unclass(attr(object, "otu_table"))
  plain <- matrix(as.numeric(table), nrow = nrow(table))
  if (attr(table, "taxa_are_rows")) t(plain) else plain
}
sample_column <- function(object, column) {
  samples <- attr(object, "sam_data")
  as.character(unclass(samples)[[which(attr(samples, "names") == column)]])
}

ALL <- from_file("ALL", "ALL.rda")$ALL
write_table("all-molecular", expression(ALL), about_samples(ALL)$mol.biol)
bladder <- from_file("bladderbatch", "bladderdata.rda")$bladderEset
write_table("bladder", expression(bladder), about_samples(bladder)$cancer)
tissue <- from_database("dslabs")$tissue_gene_expression
write_table("tissue", tissue$x, tissue$y)

with_class("dhfr", from_file("caret", "dhfr.RData")$dhfr, "Y")
cox2 <- from_file("caret", "cox2.RData")
write_table("cox2", cox2$cox2Descr, cox2$cox2Class)
mdrr <- from_file("caret", "mdrr.RData")
write_table("mdrr", mdrr$mdrrDescr, mdrr$mdrrClass)
with_class("cells", from_file("caret", "segmentationData.RData")$segmentationData, "Class", "Cell", "Case")
with_class("germancredit", from_file("caret", "GermanCredit.RData")$GermanCredit, "Class")

with_class("musk", from_file("kernlab", "musk.rda")$musk, "Class")
with_class("spam", from_file("kernlab", "spam.rda")$spam, "type")
with_class("promoters", from_file("kernlab", "promotergene.rda")$promotergene, "Class")
with_class("dna", from_file("mlbench", "DNA.rda")$DNA, "Class")
with_class("sonar", from_file("mlbench", "Sonar.rda")$Sonar, "Class")

modeldata <- from_database("modeldata")
with_class("alzheimer", modeldata$ad_data, "Class")
with_class("parkinson", modeldata$pd_speech, "class", "id")
with_class("grants", modeldata$grants_other, "class")

enterotype <- from_file("phyloseq", "enterotype.RData")$enterotype
write_table("enterotype", counts(enterotype), sample_column(enterotype, "SeqTech"))
soil <- from_file("phyloseq", "soilrep.RData")$soilrep
write_table("soil", counts(soil), sample_column(soil, "warmed"))

microbov <- from_file("adegenet", "microbov.rda")$microbov
write_table("microbov", attr(microbov, "tab"), attr(microbov, "pop"))
h3n2 <- from_file("adegenet", "H3N2.rda")$H3N2
write_table("h3n2", attr(h3n2, "tab"), attr(h3n2, "other")$epid)
cats <- from_file("adegenet", "nancycats.rda")$nancycats
write_table("nancycats", attr(cats, "tab"), attr(cats, "pop"))
people <- from_file("adegenet", "eHGDP.rda")$eHGDP
region <- attr(people, "other")$popInfo$Region
write_table("hgdp", attr(people, "tab"), region[as.integer(attr(people, "pop"))])

fruit <- from_file("rrcov", "fruit.rda")$fruit
write_table("fruit", fruit[, -1], fruit[[1]])
