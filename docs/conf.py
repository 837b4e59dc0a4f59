"""How the documentation site is built."""

from __future__ import annotations

import re
from importlib.metadata import version as installed_version
from typing import Any

project = "rocketpy"
author = "The rocketpy authors"
copyright = "The rocketpy authors"  # noqa: A001 - the name Sphinx looks for
release = version = installed_version("rocketpy-mq")

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
nitpicky = False

html_theme = "furo"
html_title = f"rocketpy {release}"

# Links such as [text](page.md#a-heading) work on three levels of headings.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

# Docstrings write `names` as Markdown does.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {"Int": "Int", "Long": "Long"}
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88


def escape_marks(app: Any, what: str, name: str, obj: object, options: Any, lines: list[str]) -> None:
    """Docstrings are prose with `names` in it; no other mark of reStructuredText is meant."""
    for number, line in enumerate(lines):
        pieces = line.split("`")
        pieces[::2] = [re.sub(r"([|*]|_(?=\W|$))", r"\\\1", prose) for prose in pieces[::2]]
        lines[number] = "`".join(pieces)


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", escape_marks)
