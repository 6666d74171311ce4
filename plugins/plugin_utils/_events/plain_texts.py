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
# The header by which a text says itself which other characters its templates begin with, whole or
# begun at the end. It counts anywhere: a playbook may take away what is before it, and another text
# may complete one that is only begun.
_HEADER = re.compile(r"#(?=jinja2:|(?:j(?:i(?:n(?:j(?:a2?)?)?)?)?)?\s*\Z)")


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
    """Break the beginning of each template, and each header of a text that is one."""
    text = _HEADER.sub("# ", text)
    text = _TEMPLATE.sub("{ ", text)
    return _ESCAPE.sub(r"\\ ", text)
