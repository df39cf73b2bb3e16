"""Sphinx configuration: pydata theme, numpydoc, Markdown."""

import inffs

project = "inffs"
author = "The inffs developers"
release = version = inffs.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "myst_parser"]
html_theme = "pydata_sphinx_theme"
html_title = "inffs"
html_show_sourcelink = False
exclude_patterns = ["_build"]
autosummary_generate = True
numpydoc_show_class_members = False
myst_heading_anchors = 3
