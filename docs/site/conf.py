# SPDX-License-Identifier: Apache-2.0
# Sphinx reads markdown through MyST and dresses it as Furo; build.sh gives it the pages.

project = "tenon"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "tenon"
html_static_path = ["_static"]
html_css_files = ["tenon.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_extra_path = ["extra"]
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]
highlight_language = "text"
pygments_style = "tango"
pygments_dark_style = "monokai"
# Lexers of tables of flags and of new C++ give up here and there; the block is then shown without colours.
suppress_warnings = ["misc.highlighting_failure"]
