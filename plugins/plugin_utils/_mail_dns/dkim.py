# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges DKIM records (RFC 6376) by the zones of a panel. Private to the collection."""

from __future__ import annotations

import re

from ...module_utils._dns.record_values import PLACEHOLDER
from .mail_problem import BAD, HINT, MailProblem
from .record_tags import parse_tags
from .resolver import Resolver, display_name

_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_REPLACE = "Replace it with the key that the panel shows at the domain."


def find_key(text: str) -> str:
    """Return the key of a DKIM record with its type; empty if it has none or cannot be read."""
    tags = _parse_key_tags(text)
    key = "".join(tags.get("p", "").split())
    if not _BASE64.fullmatch(key):
        return ""
    return f"{tags.get('k', 'rsa')} {key}"


def is_revoked(text: str) -> bool:
    """Tell whether a DKIM record says that its key counts no more.

    Then p exists and is empty (RFC 6376, section 3.6.1).
    """
    return _parse_key_tags(text).get("p") == ""


def _parse_key_tags(text: str) -> dict[str, str]:
    """Return the tags; empty for what no receiver takes for the record of a key."""
    tags = parse_tags(text)
    if not tags.is_well_formed:
        return {}
    first_tag = next(iter(tags.values.items()), None)
    if "v" in tags.values and first_tag != ("v", "DKIM1"):
        return {}
    return tags.values


def may_have_key(name: str, resolver: Resolver) -> bool:
    """Tell whether mail may be signed with the key at a name: it exists, or no zone tells."""
    texts = resolver.find_values(name, "TXT")
    if texts is None:
        return True
    return any(text == PLACEHOLDER or find_key(text) for text in texts)


def judge_dkim(
    name: str,
    panel_key: str,
    resolver: Resolver,
    level_if_revoked: str = BAD,
) -> list[MailProblem]:
    """Return what is wrong with the record of a selector.

    Args:
        name: The name of the record.
        panel_key: The text of the record with the key that the panel signs with; empty if the panel
            does not say.
        resolver: The zones of the panel.
        level_if_revoked: How bad it is if this key counts no more.
    """
    texts = resolver.find_values(name, "TXT")
    if texts is None or texts == [PLACEHOLDER]:
        return []
    displayed = display_name(name)
    if not texts:
        message = f"There is no DKIM record at {displayed}, so no one can check the signature of mail from here."
        advice = f"Set the key that the panel {'signs with' if panel_key else 'shows'}."
        return [MailProblem("missing", BAD, message, advice)]
    if len(texts) > 1:
        message = f"There are {len(texts)} texts at {displayed}, and which one a receiver takes is left to chance."
        return [MailProblem("several", BAD, message, _REPLACE)]
    return _judge_text(texts[0], displayed, panel_key, level_if_revoked)


def _judge_text(
    text: str,
    displayed: str,
    panel_key: str,
    level_if_revoked: str,
) -> list[MailProblem]:
    """Return what is wrong with the only text at a name."""
    if is_revoked(text):
        message = f"The DKIM key at {displayed} is revoked: its p is empty, so no signature with it is valid."
        advice = _REPLACE
        if level_if_revoked == HINT:
            advice = "Nothing, since there is another key."
        return [MailProblem("revoked", level_if_revoked, message, advice)]

    key = find_key(text)
    if not key:
        form = "v=DKIM1 has to be its first tag, p the key in base64, and no tag may be there twice"
        message = f"The DKIM record at {displayed} cannot be read: {form}."
        return [MailProblem("syntax", BAD, message, _REPLACE)]
    if panel_key and key != find_key(panel_key):
        message = f"The key at {displayed} is not the one that the panel signs with."
        return [MailProblem("other_key", BAD, message, _REPLACE)]
    return []
