"""The settings of Sphinx, which reads this file by its name."""

from __future__ import annotations

from pathlib import Path

project = "hosting.panel"
project_copyright = "2026, the hosting.panel contributors"
html_title = html_short_title = "hosting.panel"

extensions = ["myst_parser", "sphinx_antsibull_ext"]
root_doc = "index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["**/requirements.txt"]
myst_heading_anchors = 4
nitpicky = True
# A build asks no server, so it does not know Ansible's own documentation; antsibull-docs checks the references of plugins.
suppress_warnings = ["ref.ref"]
nitpick_ignore_regex = [("std:envvar|envvar", "ANSIBLE_.*")]
default_role = "any"
smartquotes = False

html_theme = "furo"
html_theme_options: dict[str, list[str]] = {"top_of_page_buttons": []}
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_show_sphinx = False
html_copy_source = False
html_use_index = False
html_use_modindex = False
pygments_dark_style = "github-dark"
highlight_language = "yaml"
