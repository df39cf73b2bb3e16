"""Sphinx configuration: pydata theme, numpydoc, Markdown, gallery; reads without a network."""

import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

from sklearn_inventory import write_inventory

import inffs

warnings.simplefilter("error", inffs.TableWarning)  # the examples of the gallery show good practice

project = "inffs"
author = "The inffs developers"
copyright = author
release = version = inffs.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "catalogue_pages",
    "api_pages",
    "command_help",
    "module_map",
]
exclude_patterns = [
    "_build",
    "examples/*",
    "generated/*.md",
    "sg_execution_times.rst",
    "gallery/sg_execution_times.rst",
]
suppress_warnings = ["config.cache"]

html_theme = "pydata_sphinx_theme"
html_title = f"inffs {release}"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["inffs.css"]
html_js_files = ["sort.js"]
html_theme_options = {
    "logo": {"text": "inffs"},
    "navbar_align": "left",
    "header_links_before_dropdown": 9,
    "show_prev_next": True,
    "show_toc_level": 2,
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        "reproduction": [],
        "conditional-paths-evidence": [],
    },
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {
    page: []
    for page in ("index", "start", "command", "api/index", "contributors", "reproduction",
                 "reproduction-details", "conditional-paths-evidence")
}  # fmt: skip

autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "deflist"]

# The inventory is written from the installed scikit-learn: the build asks no server.
intersphinx_mapping = {
    "sklearn": (
        "https://scikit-learn.org/stable/",
        str(write_inventory(HERE / "generated" / "sklearn.inv")),
    )
}

sphinx_gallery_conf = {
    "examples_dirs": ["examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "doc_module": ("inffs",),
    "reference_url": {"inffs": None},
    "backreferences_dir": "generated/backreferences",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 5,
    "plot_gallery": True,
    "abort_on_example_error": False,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": (),
}
