# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts in which somebody may have noted a secret, made fit to be shown. Pure. Private to the collection."""

from __future__ import annotations

import re

from ...module_utils._secrets.redaction import MASK, is_secret_name, without_secret_parts

SWITCHES = frozenset({"regenerate_password", "send_login_credentials", "update_password"})
"""Options whose names sound like those of secrets."""
_MEMBER = re.compile(r"(?P<name>[\w.-]+)(?P<quote>[\"']?\s*[:=]\s*)(?P<value>\S[^\r\n]*)")


def masked(text: str) -> str:
    """A text to be shown, in which nothing follows what looks like the name of a secret, in a comment or in a text of a customer."""
    lines = without_secret_parts(text, MASK).splitlines(keepends=True)
    return "".join(_MEMBER.sub(_masked_member, line) for line in lines)


def _masked_member(member: re.Match[str]) -> str:
    name, quote, value = member["name"], member["quote"], member["value"]
    return (
        f"{name}{quote}{MASK if is_secret_name(name) and name not in SWITCHES else _MEMBER.sub(_masked_member, value)}"
    )
