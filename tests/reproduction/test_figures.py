"""The paper's figures, drawn from made results."""

from reproduction import figures
from reproduction.drawing import RED
from reproduction.paper import MICROARRAY
from tests.comparison.made_results import LEVELS, results, stored


def test_every_method_is_named_in_the_pictures(tmp_path):
    frame = stored(tmp_path, results(LEVELS, MICROARRAY))
    for name, figure in figures.all_figures(frame).items():
        text = {each.get_text() for axis in figure.axes for each in axis.texts}
        words = {word for line in text for word in line.replace("(", " ").split()}
        assert set(LEVELS) - {"variance"} <= words, name


def test_growing_selections_have_a_colour_per_method_and_the_sets_own_measure(tmp_path):
    frame = stored(tmp_path, results(LEVELS, ("caltech101",), setting="cardinality"))
    (axis,) = figures.cardinality(frame).axes
    colors = {line.get_label(): line.get_color() for line in axis.lines}
    assert set(LEVELS) <= set(colors)
    assert colors["inf-fs-s"] == RED != colors["fisher"]
    assert axis.get_ylabel() == "accuracy (%)"
    ranked = frame.assign(mean_average_precision=frame["accuracy"])
    assert figures.cardinality(ranked).axes[0].get_ylabel() == "mean average precision (%)"
