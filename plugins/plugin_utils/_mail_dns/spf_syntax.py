# SPDX-License-Identifier: GPL-3.0-or-later
"""The grammar of SPF records (RFC 7208). What does not fit it is a permanent error for a receiver. Pure. Private to the collection."""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple

_IS_SPF = re.compile(r"v=spf1(?: .*)?", re.IGNORECASE | re.DOTALL)
_TERM = re.compile(r"([-+~?]?)([a-z][a-z0-9_.-]*)(.*)", re.IGNORECASE | re.ASCII | re.DOTALL)
# %{d}, %{ir}, %{l1r+-}: a letter, how many parts, in which order, what parts them. A count is never 0 (section 7.3).
_MACRO = r"%(?:\{[a-z](?:0*[1-9][0-9]*)?r?[-.+,/_=]*\}|[%_-])"
_IS_MACRO = re.compile(_MACRO, re.IGNORECASE | re.ASCII)
_MACRO_STRING = re.compile(rf"(?:{_MACRO}|[!-$&-~])*", re.IGNORECASE | re.ASCII)
# Those of the sentence alone that exp leads to, c, r and t, are a mistake in a record (section 7.2).
_LETTERS = frozenset("slodiphv")
_LAST_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", re.IGNORECASE | re.ASCII)
# What stands before the lengths of networks, the lengths of IPv4 and of IPv6.
_WITH_LENGTHS = re.compile(r"(.*?)(?:/([0-9]+))?(?://([0-9]+))?", re.DOTALL)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,2}")
_HOST_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)+[a-z0-9_-]{1,63}\.?", re.IGNORECASE | re.ASCII)

_LONGEST_NAME = 253
_LONGEST_LABEL = 63

# Mechanisms and modifiers that ask the DNS; a receiver counts these.
ASKING = frozenset({"include", "exists", "a", "mx", "ptr", "redirect"})
_WITH_NAME = frozenset({"include", "exists"})
_MECHANISMS = frozenset({"all", "ip4", "ip6", *ASKING}) - {"redirect"}
# Each may be there once.
_MODIFIERS = ("redirect", "exp")


class Term(NamedTuple):
    """One word of a record. target: the name behind it, empty for that of the record itself."""

    word: str
    qualifier: str
    name: str
    target: str = ""

    @property
    def host(self) -> str:
        """The target as names are looked up."""
        return self.target.lower().rstrip(".")

    @property
    def is_known(self) -> bool:
        """Whether the target depends on nothing but the record."""
        return "%" not in self.target


class SpfRecord(NamedTuple):
    """What a receiver makes of a record.

    terms: those that it evaluates. mistakes: the words for which it stops with a permanent error. ignored: the words that have no effect
    because of all: mechanisms behind it, and redirect.
    """

    terms: list[Term]
    mistakes: list[str]
    ignored: list[str]


def is_spf(text: str) -> bool:
    """Whether receivers take a text for an SPF record."""
    return bool(_IS_SPF.fullmatch(text))


def read_spf(text: str) -> SpfRecord:
    """Read an SPF record.

    The syntax of all words counts (section 4.6), also behind all, whose mechanisms no receiver evaluates.
    """
    record = SpfRecord([], [], [])
    names: set[str] = set()
    for word in text.split(" ")[1:]:
        term = _read_term(word)
        if term is None:
            record.mistakes.extend([word] if word else [])
            continue
        if term.name in _MODIFIERS and term.name in names:
            record.mistakes.append(f"{term.name} twice")
        elif term.name in _MODIFIERS or "all" not in names:
            record.terms.append(term)
        elif term.name in _MECHANISMS:
            record.ignored.append(word)
        names.add(term.name)
    if "all" in names:
        # Beside all, no receiver reads a redirect (section 6.1).
        record.ignored.extend(term.word for term in record.terms if term.name == "redirect")
        record.terms[:] = [term for term in record.terms if term.name != "redirect"]
    return record


def is_host_name(text: str) -> bool:
    """Whether a name can be that of a domain; others have no records."""
    return len(text) <= 254 and bool(_HOST_NAME.fullmatch(text))


def _read_term(word: str) -> Term | None:
    match = _TERM.fullmatch(word)
    if match is None:
        return None
    qualifier, name, rest = match[1], match[2].lower(), match[3]
    if rest.startswith("=") and name not in _MECHANISMS:
        return None if qualifier else _read_modifier(word, name, rest[1:])
    if name == "all":
        return None if rest else Term(word, qualifier, name)
    if name in ("ip4", "ip6"):
        is_right = rest.startswith(":") and _is_network(name, rest[1:])
        return Term(word, qualifier, name) if is_right else None
    if name in _WITH_NAME:
        is_right = rest.startswith(":") and _is_domain_spec(rest[1:])
        return Term(word, qualifier, name, rest[1:]) if is_right else None
    if name in _MECHANISMS:
        return _read_hosts(word, qualifier, name, rest)
    return None


def _read_modifier(word: str, name: str, value: str) -> Term | None:
    if name in _MODIFIERS:
        return Term(word, "", name, value) if _is_domain_spec(value) else None
    # Receivers pass over the others, but not over mistakes in them.
    return Term(word, "", name) if _is_macro_string(value) else None


def _read_hosts(word: str, qualifier: str, name: str, rest: str) -> Term | None:
    """A term with a name and lengths of networks that may be left out: a, mx, and without lengths ptr."""
    match = _WITH_LENGTHS.fullmatch(rest) if name != "ptr" else None
    target = rest if match is None else match[1]
    if match is not None and not (_is_length(match[2], 32) and _is_length(match[3], 128)):
        return None
    if not target:
        return Term(word, qualifier, name)
    is_right = target.startswith(":") and _is_domain_spec(target[1:])
    return Term(word, qualifier, name, target[1:]) if is_right else None


def _is_length(text: str | None, most: int) -> bool:
    return text is None or (bool(_NUMBER.fullmatch(text)) and int(text) <= most)


def _is_network(name: str, text: str) -> bool:
    address, slash, length = text.partition("/")
    if name == "ip4":
        parts = address.split(".")
        is_address = len(parts) == 4 and all(_is_length(part, 255) for part in parts)
        return is_address and _is_length(length if slash else None, 32)
    try:
        # An address with a zone is one for Python alone.
        is_address = "%" not in address and bool(ipaddress.IPv6Address(address).packed)
    except ValueError:
        return False
    return is_address and _is_length(length if slash else None, 128)


def _is_macro_string(text: str) -> bool:
    if not _MACRO_STRING.fullmatch(text):
        return False
    macros = (match[0] for match in _IS_MACRO.finditer(text) if match[0].startswith("%{"))
    return all(macro[2].lower() in _LETTERS for macro in macros)


def _has_lengths_of_a_name(text: str) -> bool:
    name = text.removesuffix(".")
    return len(name) <= _LONGEST_NAME and all(0 < len(label) <= _LONGEST_LABEL for label in name.split("."))


def _is_domain_spec(text: str) -> bool:
    """Whether a name ends in a macro or in the name of a top-level domain, which has no digits alone and follows a dot (section 7.1).

    A name without macros can be looked up only if each label has 1 to 63 characters, and all together at most 253 (RFC 1035).
    """
    if not _is_macro_string(text):
        return False
    if "%" not in text and not _has_lengths_of_a_name(text):
        return False
    end = 0
    for match in _IS_MACRO.finditer(text):
        end = match.end()
    if end and end == len(text):
        return True
    _before, dot, last = text[end:].removesuffix(".").rpartition(".")
    return bool(dot) and bool(_LAST_LABEL.fullmatch(last)) and not last.isdigit()
