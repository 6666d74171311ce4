# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of events in which Ansible sees no template: customers choose some of them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# What Ansible would take for the beginning of a template, wherever an event becomes a variable. A
# text may also end with one that the next text of a playbook completes, or be one where
# ansible-core 2.16 and 2.18 take it for a list or a dictionary of Python, in which quotes and
# escapes go.
_TEMPLATE = re.compile(r"""\{(?=[{%#"'\\]|\Z)""")
_ESCAPE = re.compile(r"\\(?=[xuUN0-7]|\Z)")
# A text that begins so says itself which other characters its templates begin with. A playbook may
# take away what is before it.
_HEADER = "#jinja2:"


def without_templates(value: Any) -> Any:
    """Return the value with nothing in it that Ansible would take for a template."""
    if isinstance(value, str):
        return _break_templates(value)
    if isinstance(value, Mapping):
        return {without_templates(name): without_templates(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_templates(inner) for inner in value]
    return value


def _break_templates(text: str) -> str:
    """Break the beginning of each template, and the header of a text that is one."""
    content = text.lstrip()
    # Another text may complete a header that is only begun.
    is_header_begun = bool(content) and _HEADER.startswith(content.rstrip())
    if content.startswith(_HEADER) or is_header_begun:
        blanks = text[: len(text) - len(content)]
        text = f"{blanks}# {content[1:]}"
    return _ESCAPE.sub(r"\\ ", _TEMPLATE.sub("{ ", text))
