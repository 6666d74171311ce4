# SPDX-License-Identifier: GPL-3.0-or-later
"""What the DER inside of a PEM block holds, whatever its label says. Pure."""

from __future__ import annotations

import enum
import re
from typing import NamedTuple

_INTEGER = 0x02
_BIT_STRING = 0x03
_OBJECT_IDENTIFIER = 0x06
_SEQUENCE = 0x30
_LONG_LENGTH = 0x80
# Of the parts of a sequence, this many tell its form.
_MOST_PARTS = 8
# The algorithm rsaEncryption, 1.2.840.113549.1.1.1.
_RSA_ENCRYPTION = bytes.fromhex("2a864886f70d010101")
# How a key of OpenSSH begins, which is no DER.
_OPENSSH_START = b"openssh-key-v1\x00"


class DerForm(enum.Enum):
    """A form of content that can be told by its structure."""

    CERTIFICATE = "certificate"
    CONTAINER = "container"
    ENCRYPTED_KEY = "encrypted key"
    KEY_STORE = "key store"
    OPENSSH_KEY = "key of OpenSSH"
    PRIVATE_KEY = "private key"
    PUBLIC_KEY = "public key"
    REQUEST = "request"
    REVOCATIONS = "list of revocations"
    UNKNOWN = "unknown"


class _Part(NamedTuple):
    """A part of a sequence; its content is cut where the sequence is."""

    tag: int
    content: bytes


# The forms by their structure, as _describe_structure writes it. A private key begins with a
# version, behind which RSA and DSA have numbers, elliptic curves a text of bytes, and PKCS#8 an
# algorithm. What an authority has signed begins with a sequence: that of a certificate has its
# version in [0], or, as of version 1, a number, an algorithm, a name, a time, a name and a key.
_FORMS = (
    (re.compile("02 (02|04|30)[^:]*: 0[01]$"), DerForm.PRIVATE_KEY),
    (re.compile("02 30[^:]*: 03$"), DerForm.KEY_STORE),
    (re.compile("02 02: "), DerForm.PUBLIC_KEY),
    (re.compile("06 a0: "), DerForm.CONTAINER),
    (re.compile("30 04: 06"), DerForm.ENCRYPTED_KEY),
    (re.compile("30 03: 06"), DerForm.PUBLIC_KEY),
    (re.compile("30 30 03: (a0 02 30|02 30 30 30 30 30)"), DerForm.CERTIFICATE),
    (re.compile("30 30 03: (02 )?30 30 1[78]"), DerForm.REVOCATIONS),
    (re.compile("30 30 03: 02 30 30( a0|$)"), DerForm.REQUEST),
)


def recognize_form(content: bytes) -> DerForm:
    """Tell what a content is by its structure; also where it is cut off behind that."""
    if content.startswith(_OPENSSH_START):
        return DerForm.OPENSSH_KEY

    structure = _describe_structure(content)
    for pattern, form in _FORMS:
        if pattern.match(structure):
            return form
    return DerForm.UNKNOWN


def measure_rsa_key(content: bytes) -> int:
    """Return how many bits the modulus of a public key of RSA has; 0 for anything else.

    The key stands alone, or behind its algorithm (RFC 8017, A.1.1, and RFC 5280, 4.1).
    """
    parts = _read_sequence(content)
    if _join_tags(parts) == bytes([_SEQUENCE, _BIT_STRING]):
        algorithm = _read_parts(parts[0].content)
        if algorithm[:1] != [_Part(_OBJECT_IDENTIFIER, _RSA_ENCRYPTION)]:
            return 0
        # The first byte counts the bits that are unused.
        parts = _read_sequence(parts[1].content[1:])
    if _join_tags(parts) != bytes([_INTEGER, _INTEGER]):
        return 0
    return int.from_bytes(parts[0].content, "big").bit_length()


def _describe_structure(content: bytes) -> str:
    """Return the tags of the parts of a sequence, and behind a colon what the first one has.

    Of a sequence these are the tags of its parts, of a number of one byte this byte.
    """
    parts = _read_sequence(content)
    if not parts:
        return ""

    first = parts[0]
    inside = b""
    if first.tag == _SEQUENCE:
        inside = _join_tags(_read_parts(first.content))
    elif first.tag == _INTEGER and len(first.content) == 1:
        inside = first.content
    return f"{_join_tags(parts).hex(' ')}: {inside.hex(' ')}"


def _read_sequence(content: bytes) -> list[_Part]:
    """Return the first parts of a content that is one sequence; empty for anything else."""
    if content[:1] != bytes([_SEQUENCE]):
        return []
    return _read_parts(_read_part(content, 0)[0].content)


def _join_tags(parts: list[_Part]) -> bytes:
    return bytes(part.tag for part in parts)


def _read_parts(content: bytes) -> list[_Part]:
    """Return the first parts of a sequence."""
    parts: list[_Part] = []
    start = 0
    while start < len(content) and len(parts) < _MOST_PARTS:
        part, start = _read_part(content, start)
        parts.append(part)
    return parts


def _read_part(content: bytes, start: int) -> tuple[_Part, int]:
    """Return the part that starts there, and where the next one does."""
    tag = content[start]
    size_start = start + 1
    size = content[size_start] if size_start < len(content) else 0
    inside = size_start + 1
    if size >= _LONG_LENGTH:
        inside += size - _LONG_LENGTH
        size = int.from_bytes(content[size_start + 1 : inside], "big")
    return _Part(tag, content[inside : inside + size]), inside + size
