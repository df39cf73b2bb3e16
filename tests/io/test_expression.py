"""Expression tables of repositories and programs: GEO, GCT, featureCounts, STAR, salmon."""

import gzip
import re

import numpy as np
import pytest

from inffs.io import read_table
from inffs.io._formats import find_format

X = np.array([[7.25, 1.5, 3], [6.5, 2.5, 4], [8.0, 3.5, 5], [9.75, 4.5, 6]])  # 4 samples, 3 genes
SAMPLES = [f"GSM10{place}" for place in range(4)]
PROBES = ["1007_s_at", "1053_at", "117_at"]


def line(name, *cells):
    return "\t".join([name, *(f'"{cell}"' for cell in cells)])


def series_matrix():
    """The layout of GSE*_series_matrix.txt: series, samples, and a table between two marks."""
    rows = [list(map(str, row)) for row in X.T.tolist()]
    lines = [
        line("!Series_title", "Livers, ill and well"),
        line("!Series_geo_accession", "GSE1"),
        line("!Series_sample_id", " ".join(SAMPLES)),
        "",
        line("!Sample_title", "a, first", "b", "c", "d"),
        line("!Sample_geo_accession", *SAMPLES),
        line("!Sample_characteristics_ch1", *["tissue: liver"] * 4),
        line("!Sample_characteristics_ch1", "disease: ill", "disease: well", "age: 41", ""),
        line("!Sample_characteristics_ch1", "age: 30", "age: 51", "disease: ill", "disease: well"),
        line("!Sample_data_row_count", *["3"] * 4),
        "!series_matrix_table_begin",
        line("ID_REF", *SAMPLES),
        *("\t".join([f'"{probe}"', *row]) for probe, row in zip(PROBES, rows, strict=True)),
        "!series_matrix_table_end",
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", ["GSE1_series_matrix.txt.gz", "GSE1_series_matrix.txt",
                                  "renamed.txt", "renamed.txt.gz", "renamed.tsv"])  # fmt: skip
@pytest.mark.parametrize("transpose", [False, True])
def test_geo_series_matrix(name, transpose, tmp_path):
    content = series_matrix().encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    table = read_table(tmp_path / name, label="disease", transpose=transpose)
    np.testing.assert_array_equal(table.X, X)
    assert table.names == PROBES
    assert list(table.index) == SAMPLES
    assert list(table.y) == ["ill", "well", "ill", "well"]
    assert find_format(tmp_path / name)[0].name == "GEO series matrix"


def test_characteristics_are_columns(tmp_path):
    path = tmp_path / "GSE1_series_matrix.txt"
    path.write_text(series_matrix().replace("age: 41", "age: 41.5"))
    table = read_table(path, label="age", drop_missing_labels=True)
    assert list(table.y) == [30, 51, 41.5]
    assert table.shape == (3, 3)
    assert read_table(path, label="title").y[0] == "a, first"
    with pytest.raises(ValueError, match=r"'diseases'.*'disease'"):
        read_table(path, label="diseases")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("sign", ["\x1c", "\x1e", "\x85", "\u2028"])
def test_only_line_ends_part_the_lines_about_samples(sign, end, tmp_path):
    content = series_matrix().replace("a, first", f"a{sign}first").replace("\n", end)
    (tmp_path / "t_series_matrix.txt").write_bytes(content.encode())
    table = read_table(tmp_path / "t_series_matrix.txt", label="title")
    assert table.y.tolist() == [f"a{sign}first", "b", "c", "d"]
    np.testing.assert_array_equal(table.X, X)


def test_missing_values_of_geo(tmp_path):
    path = tmp_path / "GSE1_series_matrix.txt"
    path.write_text(series_matrix().replace("\t6.5\t", "\t\t"))
    assert read_table(path, impute="median").X[1, 0] == 8.0
    with pytest.raises(ValueError, match=r"1007_s_at.*1 of 4"):
        read_table(path)


def test_geo_series_that_is_cut_short_or_has_no_values(tmp_path):
    path = tmp_path / "GSE1_series_matrix.txt"
    path.write_text(series_matrix()[:-30])
    with pytest.raises(ValueError, match="cut short"):
        read_table(path)
    begin, end = "!series_matrix_table_begin", "!series_matrix_table_end"
    text = re.sub(f"({begin}\n[^\n]*\n).*({end})", r"\1\2", series_matrix(), flags=re.S)
    path.write_text(text)
    with pytest.raises(ValueError, match="supplementary"):
        read_table(path)


def test_gct(tmp_path):
    head = "#1.2\n3\t4\nName\tDescription\t" + "\t".join(SAMPLES)
    rows = [f"{probe}\tna\t" + "\t".join(map(str, row))
            for probe, row in zip(PROBES, X.T.tolist(), strict=True)]  # fmt: skip
    (tmp_path / "t.gct").write_text("\n".join([head, *rows]) + "\n")
    table = read_table(tmp_path / "t.gct")
    np.testing.assert_array_equal(table.X, X)
    assert (table.names, list(table.index)) == (PROBES, SAMPLES)
    (tmp_path / "t.gct").write_text("\n".join([head, *rows[:2]]) + "\n")
    with pytest.raises(ValueError, match="announces 3 rows"):
        read_table(tmp_path / "t.gct")


def test_gct_with_what_is_known_of_samples(tmp_path):
    head = "#1.3\n3\t4\t2\t2\nid\tsymbol\tchr\t" + "\t".join(SAMPLES)
    known = ["dose\tna\tna\t1\t2.5\t1\t2", "status\tna\tna\till\twell\till\twell"]
    rows = [f"{probe}\tS{probe}\t1\t" + "\t".join(map(str, row))
            for probe, row in zip(PROBES, X.T.tolist(), strict=True)]  # fmt: skip
    (tmp_path / "t.gct.gz").write_bytes(gzip.compress("\n".join([head, *known, *rows]).encode()))
    table = read_table(tmp_path / "t.gct.gz", label="status")
    np.testing.assert_array_equal(table.X, X)
    assert list(table.y) == ["ill", "well", "ill", "well"]
    assert list(read_table(tmp_path / "t.gct.gz", label="dose").y) == [1, 2.5, 1, 2]


def feature_counts(path):
    genes = [f"ENSG{place}" for place in range(3)]
    head = ["Geneid", "Chr", "Start", "End", "Strand", "Length", *(f"{s}.bam" for s in SAMPLES)]
    rows = [[gene, "1;1", "5;90", "20;120", "+;+", "47", *map(str, row)]
            for gene, row in zip(genes, (X.T * 4).astype(int).tolist(), strict=True)]  # fmt: skip
    lines = [
        '# Program:featureCounts v2.0.6; Command:"featureCounts" "-a" "genes.gtf"',
        "\t".join(head),
    ]
    path.write_text("\n".join([*lines, *map("\t".join, rows)]) + "\n")
    return genes


@pytest.mark.parametrize("drop", [[], ["Chr", "Length"], ["GSM103*"], ["ENSG1"]])
def test_feature_counts(drop, tmp_path):
    genes = feature_counts(tmp_path / "counts.txt")
    table = read_table(tmp_path / "counts.txt", transpose=True, drop=drop)
    samples = 3 if drop == ["GSM103*"] else 4
    kept = [0, 2] if drop == ["ENSG1"] else [0, 1, 2]
    np.testing.assert_array_equal(table.X, (X * 4)[:samples, kept])
    assert table.names == [genes[place] for place in kept]
    assert list(table.index) == [f"{sample}.bam" for sample in SAMPLES[:samples]]
    with pytest.raises(ValueError, match="ENSG9"):
        read_table(tmp_path / "counts.txt", transpose=True, drop=["ENSG9"])


def test_a_merged_table_with_the_symbols_of_genes(tmp_path):
    """As nf-core's rnaseq writes salmon.merged.gene_counts.tsv."""
    text = "gene_id\tgene_name\ts1\ts2\ts3\nE1\tTP53\t1\t2.5\t3\nE2\tMYC\t4\t5\t6\n"
    (tmp_path / "t.tsv").write_text(text)
    table = read_table(tmp_path / "t.tsv", transpose=True)
    assert (table.names, list(table.index)) == (["E1", "E2"], ["s1", "s2", "s3"])
    np.testing.assert_array_equal(table.X, [[1, 4], [2.5, 5], [3, 6]])
    assert "gene_name" in " ".join(table.notes)


def test_a_row_of_labels_is_no_description(tmp_path):
    text = "gene\ts1\ts2\ts3\nE1\t1\t2.5\t3\nstatus\till\twell\till\n"
    (tmp_path / "t.tsv").write_text(text)
    table = read_table(tmp_path / "t.tsv", transpose=True, label="status")
    assert list(table.y) == ["ill", "well", "ill"]


@pytest.mark.parametrize("layer", [None, "reverse"])
def test_a_folder_of_star(layer, tmp_path):
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 99, (2, 5, 3))
    for sample, table in zip(("a", "b"), counts, strict=True):
        rows = [
            f"N_{what}\t1\t2\t3" for what in ("unmapped", "multimapping", "noFeature", "ambiguous")
        ]
        rows += ["\t".join(["G" + str(place), *map(str, row)]) for place, row in enumerate(table)]
        (tmp_path / f"{sample}.ReadsPerGene.out.tab").write_text("\n".join(rows) + "\n")
    table = read_table(tmp_path, layer=layer)
    np.testing.assert_array_equal(table.X, counts[:, :, 2 if layer else 0])
    assert (list(table.index), table.names) == (["a", "b"], [f"G{place}" for place in range(5)])
    with pytest.raises(ValueError, match="'forward'"):
        read_table(tmp_path, layer="TPM")


def test_folders_of_salmon(tmp_path):
    for place, sample in enumerate(("a", "b")):
        (tmp_path / sample).mkdir()
        text = "Name\tLength\tEffectiveLength\tTPM\tNumReads\n"
        text += f"T1\t900\t700.5\t{place}.5\t{place + 3}\nT2\t100\t50.5\t2.5\t7.25\n"
        (tmp_path / sample / "quant.sf").write_text(text)
    table = read_table(tmp_path)
    np.testing.assert_array_equal(table.X, [[3, 7.25], [4, 7.25]])
    np.testing.assert_array_equal(read_table(tmp_path, layer="TPM").X, [[0.5, 2.5], [1.5, 2.5]])
    (tmp_path / "b" / "quant.sf").write_text(text.replace("T2", "T3"))
    with pytest.raises(ValueError, match="other genes"):
        read_table(tmp_path)
