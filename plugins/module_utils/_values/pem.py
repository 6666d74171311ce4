# SPDX-License-Identifier: GPL-3.0-or-later
"""PEM texts: read from whatever stands around and between their blocks, checked, and written
anew.
"""

from __future__ import annotations

import base64
import re
from typing import Any, NamedTuple

from .answer_forms import STRICT_TEXT
from .der_forms import DerForm, recognize_form
from .value_types import OR_EMPTY, ValueType, WrongValue

CERTIFICATE_LABEL = "CERTIFICATE"
PRIVATE_KEY_LABEL = "PRIVATE KEY"
_MARK = re.compile(r"-----[ \t]*(BEGIN|END)[ \t]+([A-Z0-9#]+(?:[ \t]+[A-Z0-9#]+)*)[ \t]*-----")
# Blanks of every kind, and what editors put before a text or between its letters without showing
# it.
_BLANKS = re.compile("[\\s\ufeff\u200b]+")
_LINE_LENGTH = 64
# OpenSSL writes it before keys on elliptic curves; the key itself says it again.
_REDUNDANT = "EC PARAMETERS"
_CERTIFICATES = frozenset({CERTIFICATE_LABEL, "X509 CERTIFICATE"})
_KEYS = frozenset({PRIVATE_KEY_LABEL, "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY"})
_REQUESTS = frozenset({"CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"})
_CONTAINERS = frozenset({"PKCS7", "PKCS #7 SIGNED DATA", "CMS"})
# Messages show no label with another word, since the value may be encrypted in the file that has
# it.
_USUAL_WORDS = frozenset(
    " ".join(["DH CRL PUBLIC ENCRYPTED OPENSSH TRUSTED", _REDUNDANT, *_KEYS, *_REQUESTS]).split()
) | frozenset(" ".join([*_CERTIFICATES, *_CONTAINERS]).split())
# What the first byte of DER says of a sequence, and its second byte of lengths.
_SEQUENCE = 0x30
_LONG_LENGTH = 0x80

_HOLDS_KEY = (
    "the given value holds a private key; give certificates alone here, and the key in private_key."
)
_HAS_PASSPHRASE = (
    "the given value is encrypted with a passphrase; "
    "give the key without it, as openssl pkey writes it."
)
_HOLDS_CERTIFICATE = "the given value holds a certificate; give the private key alone here."
_IS_SSH = "the given value is a key of OpenSSH; give a key in PEM, as openssl pkey writes it."
_IS_TRUSTED = (
    "the given value holds a TRUSTED CERTIFICATE, a form of OpenSSL's own; "
    "openssl x509 writes it as a CERTIFICATE."
)
# What is wrong with a form in a text of certificates, whatever its label says.
_WRONG_AS_CERTIFICATE = {
    DerForm.PRIVATE_KEY: _HOLDS_KEY,
    DerForm.ENCRYPTED_KEY: _HOLDS_KEY,
    DerForm.OPENSSH_KEY: _HOLDS_KEY,
    DerForm.CONTAINER: "the given value is a PKCS#7 container; give its certificates, "
    "which openssl pkcs7 -print_certs writes.",
    DerForm.KEY_STORE: "the given value is a PKCS#12 container; give its certificates, "
    "which openssl pkcs12 -nokeys writes.",
    DerForm.PUBLIC_KEY: "the given value holds a public key; "
    "give the certificate that the authority made for it.",
    DerForm.REQUEST: "the given value holds a certificate signing request; "
    "give the certificate that the authority made of it.",
    DerForm.REVOCATIONS: "the given value holds a list of revocations; give certificates alone "
    "here.",
}
# The same in the place of a private key.
_WRONG_AS_KEY = {
    DerForm.CERTIFICATE: _HOLDS_CERTIFICATE,
    DerForm.ENCRYPTED_KEY: _HAS_PASSPHRASE,
    DerForm.OPENSSH_KEY: _IS_SSH,
    DerForm.CONTAINER: "the given value is a PKCS#7 container, which has no private key; "
    "give the key itself.",
    DerForm.KEY_STORE: "the given value is a PKCS#12 container; give its key, "
    "which openssl pkcs12 -nocerts -nodes writes.",
    DerForm.PUBLIC_KEY: "the given value holds a public key; give the private key alone here.",
    DerForm.REQUEST: "the given value holds a certificate signing request; "
    "give the private key that it was made with.",
    DerForm.REVOCATIONS: "the given value holds a list of revocations; give the private key alone "
    "here.",
}
_HAS_ESCAPED_ENDS = (
    "the given value has \\n written out where lines end; "
    "in YAML put it in double quotes, or write it as a block behind |."
)


class Block(NamedTuple):
    """A block of a PEM text.

    label: What follows BEGIN.
    content: What is encoded in it.
    has_passphrase: Whether its headers say that a passphrase encrypts it.
    """

    label: str
    content: bytes
    has_passphrase: bool = False

    def format(self) -> str:
        """Return the block with lines of the usual length."""
        text = base64.b64encode(self.content).decode()
        lines = [text[start : start + _LINE_LENGTH] for start in range(0, len(text), _LINE_LENGTH)]
        begin = f"-----BEGIN {self.label}-----"
        end = f"-----END {self.label}-----"
        return "\n".join([begin, *lines, end, ""])


def read_blocks(text: str) -> list[Block]:
    """Find the blocks of a text in their order, whatever stands around them.

    Raises:
        WrongValue: where a block has no end, or holds what is not base64.
    """
    blocks: list[Block] = []
    begin: re.Match[str] | None = None

    for mark in _MARK.finditer(text):
        label = _read_label(mark)
        if mark[1] == "BEGIN":
            if begin is not None:
                break
            begin = mark
            continue

        if begin is None or _read_label(begin) != label:
            name = _display_label(label)
            raise WrongValue(
                f"the given value has -----END {name}----- without its -----BEGIN {name}-----."
            )
        if label != _REDUNDANT:
            blocks.append(_read_block(label, text[begin.end() : mark.start()]))
        begin = None

    if begin is not None:
        label = _display_label(_read_label(begin))
        raise WrongValue(
            f"the given value has -----BEGIN {label}----- without its -----END {label}-----."
        )
    return blocks


def _display_label(label: str) -> str:
    """Return a label for a message."""
    is_usual = _USUAL_WORDS.issuperset(label.split())
    return label if is_usual else "…"


def _read_label(mark: re.Match[str]) -> str:
    return " ".join(mark[2].split())


def _read_block(label: str, inside: str) -> Block:
    lines = inside.splitlines()
    headers = [line for line in lines if ":" in line]
    if any("ENCRYPTED" in line for line in headers):
        return Block(label, b"", has_passphrase=True)

    text = "".join(line for line in lines if ":" not in line)
    if "\\n" in text or "\\r" in text:
        raise WrongValue(_HAS_ESCAPED_ENDS)
    try:
        content = base64.b64decode(_BLANKS.sub("", text), validate=True)
    except ValueError:
        name = _display_label(label)
        raise WrongValue(
            f"the given value has a block {name} that is not base64; copy it again."
        ) from None
    return Block(label, content)


def is_complete_sequence(content: bytes) -> bool:
    """Tell whether a content is one sequence of DER that ends where its length says."""
    if len(content) < 2 or content[0] != _SEQUENCE:
        return False

    size = content[1]
    start = 2
    if size == _LONG_LENGTH:  # of no definite length, which DER does not have
        return False
    if size > _LONG_LENGTH:
        start = 2 + size - _LONG_LENGTH
        size = int.from_bytes(content[2:start], "big")
    return len(content) == start + size


class Pem(ValueType):
    """Takes PEM text of certificates, or of one private key; sent as it is written anew, compared
    by content and order.
    """

    # A private key in the place of a certificate is a mistake that no message may print.
    is_printable = False
    is_text = True
    answer_form = STRICT_TEXT

    def __init__(self, label: str, clearable: bool = False) -> None:
        """Prepare to read.

        Args:
            label: What the text holds, ``CERTIFICATE`` or ``PRIVATE_KEY``.
            clearable: Whether an empty string clears the field.
        """
        self.label = label
        self.clearable = clearable
        self.form = f"PEM text with -----BEGIN {label}-----"
        if clearable:
            self.form += OR_EMPTY

    def parse(self, value: Any) -> str:
        """Return the text as it is sent."""
        if not isinstance(value, str):
            raise ValueError
        if self.clearable and not value:
            return ""

        blocks = read_blocks(value)
        if not blocks and "\\n" in value:
            raise WrongValue(_HAS_ESCAPED_ENDS)
        if not blocks:
            raise ValueError
        self._check(blocks)
        if self.label == CERTIFICATE_LABEL:
            blocks = [block._replace(label=CERTIFICATE_LABEL) for block in blocks]
        return "".join(block.format() for block in blocks)

    def _check(self, blocks: list[Block]) -> None:
        """Raise WrongValue for blocks that cannot be in such a text."""
        for block in blocks:
            problem = self._describe_problem(block)
            if problem:
                raise WrongValue(problem)
        if self.label == PRIVATE_KEY_LABEL and len(blocks) > 1:
            raise WrongValue(
                f"the given value holds {len(blocks)} private keys; "
                "give the one of the certificate."
            )

    def _describe_problem(self, block: Block) -> str:
        """Say why a block cannot be in such a text; empty where it can."""
        if self.label == PRIVATE_KEY_LABEL:
            problem = _describe_key_problem(block)
        else:
            problem = _describe_certificate_problem(block)
        if problem or is_complete_sequence(block.content):
            return problem

        damage = "cut off or damaged"
        if not block.content:
            damage = "empty"
        name = _display_label(block.label)
        return f"the given value has a block {name} that is {damage}; copy it again."

    def normalize(self, value: Any) -> Any:
        """Return the contents of the blocks."""
        if not isinstance(value, str) or not value:
            return value or ()
        try:
            blocks = read_blocks(value)
        except WrongValue:
            return value.strip()
        if not blocks:
            return value.strip()
        # The label differs between forms of one key only when its content does too, so it is left
        # out.
        return tuple(block.content for block in blocks)


def _describe_key_problem(block: Block) -> str:
    if block.has_passphrase or block.label == f"ENCRYPTED {PRIVATE_KEY_LABEL}":
        return _HAS_PASSPHRASE
    if block.label == f"OPENSSH {PRIVATE_KEY_LABEL}":
        return _IS_SSH
    if block.label.endswith(CERTIFICATE_LABEL):
        return _HOLDS_CERTIFICATE
    if block.label in _KEYS:
        # Nothing says that the panel looks behind the label.
        return _WRONG_AS_KEY.get(recognize_form(block.content), "")
    return _describe_label_problem(block.label, PRIVATE_KEY_LABEL, _WRONG_AS_KEY)


def _describe_certificate_problem(block: Block) -> str:
    if block.has_passphrase or block.label.endswith(PRIVATE_KEY_LABEL):
        return _HOLDS_KEY
    if block.label == f"TRUSTED {CERTIFICATE_LABEL}":
        return _IS_TRUSTED
    # The field is shown, so a key with any other label may not get there.
    problem = _WRONG_AS_CERTIFICATE.get(recognize_form(block.content), "")
    if problem == _HOLDS_KEY or block.label in _CERTIFICATES:
        return problem
    return _describe_label_problem(block.label, CERTIFICATE_LABEL, _WRONG_AS_CERTIFICATE)


def _describe_label_problem(label: str, expected: str, sentences: dict[DerForm, str]) -> str:
    if label in _REQUESTS:
        return sentences[DerForm.REQUEST]
    if label in _CONTAINERS:
        return sentences[DerForm.CONTAINER]
    name = _display_label(label)
    return f"the given value has a block {name}; only -----BEGIN {expected}----- is taken here."
