"""How Sphinx makes the documentation: called by make.py, which puts all sources into one folder first."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import easydyn

project = "easydyn"
author = "The easydyn developers"
version = release = easydyn.__version__
project_copyright = author
root_doc = "index"
language = "en"
smartquotes_action = "D"  # dashes only: what stands in quotes is often code
exclude_patterns = ["_*"]
nitpicky = True

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "mathml",
    "names",
    "docstrings",
]

# Pages
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
myst_url_schemes = {"http": None, "https": None, "mailto": None, "source": {"url": "{{path}}"}}  # see make.py
nb_execution_mode = "off"  # make.py has them executed, once for the tests and for these pages
nb_merge_streams = True
nb_ipywidgets_js = {}  # nothing is loaded from elsewhere
html_math_renderer = "mathml"

# Docstrings: NumPy's form; types stand there, not in signatures
default_role = "code"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
add_module_names = False
python_display_short_literal_types = True
toc_object_entries_show_parents = "hide"

# Looks
html_theme = "furo"
html_title = f"easydyn {version}"
html_static_path = [str(Path(__file__).resolve().parents[2] / "build" / "site-sources" / "_static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # they are fetched, which browsers refuse for files
html_theme_options = {"source_repository": "", "footer_icons": []}
pygments_style = "friendly"
pygments_dark_style = "monokai"
