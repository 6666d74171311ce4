# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts that are secrets by what they look like, in whichever member they stand. Pure. Private to the collection."""

from __future__ import annotations

import re

_CHARACTERS = r"[\w./+=,$-]"
_HASHES = (
    # crypt and phpass: $6$salt$hash, $2y$10$…, $argon2id$v=19$…, $P$B….
    rf"\$(?:[1567yPHS]|gy|2[abxy]?|md5|sha1|apr1|bcrypt-sha256|scrypt|pbkdf2(?:-\w+)?|argon2(?:i|d|id))\${_CHARACTERS}{{8,}}",
    # LDAP and Dovecot.
    rf"\{{(?:S?SHA\d*|S?MD5|CRYPT|[\w-]+-CRYPT|CRAM-MD5|DIGEST-MD5|ARGON2(?:I|D|ID)?|PBKDF2[\w-]*|PLAIN|CLEARTEXT)(?:\.\w+)?\}}{_CHARACTERS}{{8,}}",
    # Web frameworks.
    rf"(?:pbkdf2|bcrypt|argon2|scrypt)[\w:]*\${_CHARACTERS}{{8,}}",
    # PostgreSQL and MySQL.
    r"SCRAM-SHA-\d+\$\S{8,}",
    r"md5[0-9a-f]{32}",
    r"\*[0-9A-F]{40}",
)
# A whole line, also one of a file of users, with the name ahead and more fields behind.
_HASH = re.compile(
    rf"^[^\S\n]*(?:[^\s:${{]{{1,64}}:)?(?P<secret>{'|'.join(_HASHES)})(?::\S*)?[^\S\n]*$",
    re.ASCII | re.MULTILINE | re.IGNORECASE,
)
# What stands before the host of an address, where that can log in: a password, or a token in the place of a name.
_LOGIN = re.compile(
    r"(?<![a-z0-9+.-])(?:https?://|[a-z][a-z0-9+.-]*://(?=[^\s/?#\"<>@:]*:))(?P<secret>[^\s/?#\"<>]+)@",
    re.ASCII | re.IGNORECASE,
)
# In every text with one of these; most have none, and long lists have many texts.
_MAY_BE_ONE = re.compile(r"://|\$|[*}]\S{8}|md5|PRIVATE KEY-----", re.IGNORECASE)


def holds_private_key(value: object) -> bool:
    """Whether a text is a private key in PEM."""
    return isinstance(value, str) and "PRIVATE KEY-----" in value


def secret_parts(text: str) -> list[str]:
    """What in a text is secret: private keys, hashes of passwords, and what logs in within an address."""
    if _MAY_BE_ONE.search(text) is None:
        return []
    if holds_private_key(text):
        return [text]
    return [hit["secret"] for pattern in (_HASH, _LOGIN) for hit in pattern.finditer(text)]


def without_secret_parts(text: str, mask: str) -> str:
    """The text with the mask in the place of each of them."""
    if _MAY_BE_ONE.search(text) is None:
        return text
    if holds_private_key(text):
        return mask
    for pattern in (_HASH, _LOGIN):
        text = pattern.sub(lambda hit: hit[0].replace(hit["secret"], mask), text)
    return text
