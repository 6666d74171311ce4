# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges DKIM records (RFC 6376) by the zones of a panel."""

from __future__ import annotations

import base64
import re

from ...module_utils._dns.record_values import PLACEHOLDER
from ...module_utils._values.der_forms import DerForm, measure_rsa_key, recognize_form
from ...module_utils._values.pem import is_complete_sequence
from .mail_problem import BAD, HINT, MailProblem
from .record_tags import parse_tags
from .resolver import Resolver, display_name, display_text

_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_KEY_TYPES = frozenset({"rsa", "ed25519"})
_ED25519_LENGTH = 32
# In bits; receivers take no shorter one (RFC 8301, section 3.2).
_SHORTEST_RSA_KEY = 1024
_NO_KEY = "its p is cut off or no public key"
_CORRECT = "Set the whole record again, as the service that signs shows it, or remove it."
_REPLACE = "Replace it with the key that the panel shows at the domain."
_KEEP_ONE = "Leave one of them, as the service that signs shows it."


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


def find_flaw(text: str, is_key_known: bool) -> str:
    """Return why receivers pass over a key (RFC 6376, section 3.6.1); empty if they take it.

    Args:
        text: The text of the record.
        is_key_known: Whether it is the key that the panel shows, whose type and length are right.
    """
    tags = _parse_key_tags(text)
    services = _split_list(tags.get("s", "*"))
    hashes = _split_list(tags.get("h", "sha256"))
    if not services & {"*", "email"}:
        return "its s has neither email nor *"
    if "sha256" not in hashes:
        return "its h lacks sha256"
    if is_key_known:
        return ""

    key_type = tags.get("k", "rsa")
    if key_type not in _KEY_TYPES:
        displayed = display_text(key_type, 40) or "empty"
        return f"its k is {displayed}, and must be rsa or ed25519"
    key = "".join(tags.get("p", "").split())
    return _find_flaw_of_key(key_type, key)


def _split_list(value: str) -> set[str]:
    # In the case in which they are written (RFC 6376, section 3.2).
    return {entry.strip() for entry in value.split(":")}


def _find_flaw_of_key(key_type: str, text: str) -> str:
    """Return why receivers take a text in base64 for no public key of a type."""
    try:
        content = base64.b64decode(text, validate=True)
    except ValueError:
        return _NO_KEY
    if key_type == "rsa":
        return _find_flaw_of_rsa_key(content)
    return "" if len(content) == _ED25519_LENGTH else _NO_KEY


def _find_flaw_of_rsa_key(content: bytes) -> str:
    """Return why receivers take a content for no public key of RSA."""
    if not is_complete_sequence(content):
        return _NO_KEY
    if recognize_form(content) is DerForm.PRIVATE_KEY:
        return "its p is a private key, which everyone can read, so sign with a new one"

    bits = measure_rsa_key(content)
    if not bits:
        return "its p is no public key of RSA"
    return "" if bits >= _SHORTEST_RSA_KEY else f"it has {bits} bits, and needs {_SHORTEST_RSA_KEY}"


def may_have_key(name: str, resolver: Resolver) -> bool:
    """Tell whether mail may be signed with the key at a name: it exists, or no zone tells."""
    texts = resolver.find_values(name, "TXT")
    if texts is None:
        return True
    for text in texts:
        is_usable = bool(find_key(text)) and not find_flaw(text, is_key_known=False)
        if text == PLACEHOLDER or is_usable:
            return True
    return False


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
        level_if_revoked: How bad it is if this key counts no more, or never did.
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
        advice = _KEEP_ONE
        if panel_key:
            advice = _REPLACE
        return [MailProblem("several", BAD, message, advice)]
    return _judge_text(texts[0], displayed, panel_key, level_if_revoked)


def _judge_text(
    text: str,
    displayed: str,
    panel_key: str,
    level_if_revoked: str,
) -> list[MailProblem]:
    """Return what is wrong with the only text at a name."""
    correction = _REPLACE if panel_key else _CORRECT
    if is_revoked(text):
        message = f"The DKIM key at {displayed} is revoked: its p is empty, so no signature with it is valid."
        advice = correction
        if level_if_revoked == HINT:
            advice = "Nothing, since there is another key."
        return [MailProblem("revoked", level_if_revoked, message, advice)]

    key = find_key(text)
    if not key:
        form = "v=DKIM1 has to be its first tag, p the key in base64, and no tag may be there twice"
        message = f"The DKIM record at {displayed} cannot be read: {form}."
        return [MailProblem("syntax", BAD, message, correction)]
    if panel_key and key != find_key(panel_key):
        message = f"The key at {displayed} is not the one that the panel signs with."
        return [MailProblem("other_key", BAD, message, _REPLACE)]

    flaw = find_flaw(text, is_key_known=bool(panel_key))
    if flaw:
        message = f"Receivers pass over the DKIM key at {displayed}: {flaw}."
        level = level_if_revoked
        if panel_key:
            level = BAD
        return [MailProblem("unusable", level, message, correction)]
    return []
