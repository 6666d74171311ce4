# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages and metrics as Jinja templates, each over one dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def render_template(
    template: Path, content: Mapping[str, Any], **filters: Callable[..., Any]
) -> str:
    """Return the text of a template.

    Not by Ansible's templar, which escapes nothing: in a page of HTML every value is escaped.
    """
    environment = Environment(
        loader=FileSystemLoader(str(template.parent)),
        autoescape=".html" in template.name,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(filters)
    return environment.get_template(template.name).render(content)
