# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides which hashes of another panel an object can keep, by kind and form, and names what becomes
of a password. No text of it shows a hash. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

STAYS = "stays"
"""The customer keeps the password, since the object gets or has its hash."""
NEW = "new"
"""The object has another password than before."""
UNKNOWN = "unknown"
"""The panel does not show which password the object has."""
FORMS = ("$5$", "$6$", "$2y$", "$apr1$", "*")
"""The beginnings of all hashes that a panel may take."""
_SHA_CRYPT = r"(?:rounds=[1-9][0-9]{3,8}\$)?[!-#%-9;-~]{1,16}\$"
_CRYPT = {
    "$5$": re.compile(rf"\$5\${_SHA_CRYPT}[./0-9A-Za-z]{{43}}", re.ASCII),
    "$6$": re.compile(rf"\$6\${_SHA_CRYPT}[./0-9A-Za-z]{{86}}", re.ASCII),
    "$2y$": re.compile(r"\$2y\$(?:0[4-9]|[12][0-9]|3[01])\$[./0-9A-Za-z]{53}", re.ASCII),
}
_APR1 = {"$apr1$": re.compile(r"\$apr1\$[./0-9A-Za-z]{1,8}\$[./0-9A-Za-z]{22}", re.ASCII)}
_OF_KIND = {
    "clients": _CRYPT,
    "emails": _CRYPT,
    "ftp_users": _CRYPT,
    "directory_protections": {**_CRYPT, **_APR1},
    "databases": {"*": re.compile(r"\*[0-9A-Fa-f]{40}", re.ASCII)},
}
# Those whose hash follows the scheme as crypt writes it.
_SCHEME = re.compile(r"\{(BLF-CRYPT|SHA256-CRYPT|SHA512-CRYPT|CRYPT)\}", re.IGNORECASE)
_DEFAULT_ROUNDS = re.compile(r"(?<=^\$[56]\$)rounds=5000\$")
_FORM_NAMES = (
    ("$1$", "an MD5 crypt hash ($1$)"),
    ("$apr1$", "an Apache MD5 hash ($apr1$)"),
    ("$argon2", "an Argon2 hash"),
    ("$y$", "a yescrypt hash"),
    ("$2a$", "a bcrypt hash of another form ($2a$)"),
    ("$2b$", "a bcrypt hash of another form ($2b$)"),
    ("$A$", "a hash of caching_sha2_password"),
    ("{PLAIN", "a password in plain text"),
    ("{CLEARTEXT", "a password in plain text"),
)
_NOT_TAKEN = "The source has {}, which is not taken over; the object gets a new password."
_NO_HASH = "The source shows no hash of the password; the object gets a new one."
_LOCKED = "The hash is locked with ! at the source; the object gets a new password."


def find_hash(plural: str, text: str, refused: Iterable[str] = ()) -> tuple[str, str]:
    """Return a hash as the panel gets it, and why there is none.

    Args:
        plural: That of the object's kind.
        text: What the source keeps.
        refused: The beginnings of hashes that the panel does not take.

    Returns:
        The hash and an empty text, or an empty text and the reason.
    """
    stored = text.strip()
    if not stored:
        return "", _NO_HASH
    if stored.startswith("!"):
        return "", _LOCKED

    candidate = _SCHEME.sub("", stored, count=1) if _SCHEME.match(stored) else stored
    candidate = _DEFAULT_ROUNDS.sub("", candidate)
    for beginning, form in _OF_KIND[plural].items():
        if form.fullmatch(candidate):
            return _accept_unless_refused(candidate, beginning, refused)
    return "", _NOT_TAKEN.format(_describe_form(candidate, plural))


def _accept_unless_refused(
    candidate: str, beginning: str, refused: Iterable[str]
) -> tuple[str, str]:
    """Return a hash of a known form as ``find_hash`` does."""
    if beginning not in refused:
        return candidate, ""
    return (
        "",
        f"The panel takes no hash that starts with {beginning}; the object gets a new password.",
    )


def _describe_form(candidate: str, plural: str) -> str:
    for beginning in _OF_KIND[plural]:
        if candidate.startswith(beginning):
            return f"a hash that starts with {beginning} and is damaged or cut off"
    for beginning, name in _FORM_NAMES:
        if candidate.upper().startswith(beginning.upper()):
            return name
    return "a hash of another form"
