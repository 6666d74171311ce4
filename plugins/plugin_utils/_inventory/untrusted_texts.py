# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks what a panel answered, so that Ansible never evaluates a template in it. Private to the collection."""

from __future__ import annotations

import contextlib
from typing import Any

_trusted: Any = None
with contextlib.suppress(ImportError):
    from ansible.template import trust_as_template as _trusted


def untrusted(value: Any) -> Any:
    """The value with every text in it marked that could hold a template.

    Since 2.19 ansible-core evaluates only what is marked as trusted, so nothing is to be done there. Before, it evaluates everything
    that is not marked as unsafe; texts without a brace are left alone, because inventories show the marks.
    """
    return value if _trusted is not None else _marked(value)


def _marked(value: Any) -> Any:
    from ansible.utils.unsafe_proxy import wrap_var  # noqa: PLC0415 - only old releases need it

    if isinstance(value, dict):
        return {_marked(name): _marked(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_marked(entry) for entry in value]
    return wrap_var(value) if isinstance(value, str) and "{" in value else value


def trusted_template(text: str) -> str:
    """A template of the collection's own that Ansible is to evaluate."""
    trusted: str = text if _trusted is None else _trusted(text)
    return trusted
