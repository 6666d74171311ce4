# SPDX-License-Identifier: GPL-3.0-or-later
"""The grammar of SPF records (RFC 7208). Pure.

What does not fit it is a permanent error for a receiver.
"""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple

_IS_SPF = re.compile(r"v=spf1(?: .*)?", re.IGNORECASE | re.DOTALL)
_TERM = re.compile(r"([-+~?]?)([a-z][a-z0-9_.-]*)(.*)", re.IGNORECASE | re.ASCII | re.DOTALL)
# %{d}, %{ir}, %{l1r+-}: a letter, how many parts, in which order, what parts them. A count is never
# 0 (section 7.3).
_MACRO = r"%(?:\{[a-z](?:0*[1-9][0-9]*)?r?[-.+,/_=]*\}|[%_-])"
_MACROS = re.compile(_MACRO, re.IGNORECASE | re.ASCII)
_MACRO_STRING = re.compile(rf"(?:{_MACRO}|[!-$&-~])*", re.IGNORECASE | re.ASCII)
# Those of the sentence alone that exp leads to, c, r and t, are a mistake in a name (section 7.2).
_MACRO_LETTERS = frozenset("slodiphv")
_LETTERS_OF_SENTENCES = frozenset("crt")
_LAST_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", re.IGNORECASE | re.ASCII)
# What stands before the lengths of networks, the lengths of IPv4 and of IPv6.
_TARGET_AND_LENGTHS = re.compile(r"(.*?)(?:/([0-9]+))?(?://([0-9]+))?", re.DOTALL)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,2}")
_HOST_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)+[a-z0-9_-]{1,63}\.?", re.IGNORECASE | re.ASCII)

_MAX_HOST_NAME = 254
_MAX_NAME = 253
_MAX_LABEL = 63

# Mechanisms and modifiers that look something up in the DNS; a receiver counts these.
LOOKING_UP = frozenset({"include", "exists", "a", "mx", "ptr", "redirect"})
_NEEDING_NAME = frozenset({"include", "exists"})
_WITH_LENGTHS = frozenset({"ip4", "ip6", "a", "mx"})
_MECHANISMS = frozenset({"all", "ip4", "ip6", *LOOKING_UP}) - {"redirect"}
# A record may have each of them once.
_MODIFIERS = ("redirect", "exp")


class Term(NamedTuple):
    """Describes one term of a record.

    Attributes:
        text: The term as it is written.
        qualifier: Its first sign, one of + - ~ ?; empty without one.
        name: That of the mechanism or modifier, in lower case.
        target: The name behind it; empty for that of the record itself.
    """

    text: str
    qualifier: str
    name: str
    target: str = ""

    @property
    def host(self) -> str:
        """Return the target as names are looked up."""
        return self.target.lower().rstrip(".")

    @property
    def allows_everyone(self) -> bool:
        """Tell whether it lets each server of the internet send: of its addresses, no bit counts."""
        return self.lets_networks_send and "0" in self.text.split("/")[1:]

    @property
    def lets_networks_send(self) -> bool:
        """Tell whether it lets the networks of addresses send."""
        return self.is_allowing and self.name in _WITH_LENGTHS

    @property
    def is_allowing(self) -> bool:
        """Tell whether what it matches may send."""
        return self.qualifier in ("", "+")

    @property
    def has_macro(self) -> bool:
        """Tell whether the target depends on more than the record."""
        return "%" in self.target


class SpfRecord(NamedTuple):
    """Describes what a receiver makes of a record.

    Attributes:
        terms: Those that it evaluates.
        mistakes: The terms for which it stops with a permanent error.
        ignored: The terms that have no effect because of all: mechanisms behind it, and redirect.
    """

    terms: list[Term]
    mistakes: list[str]
    ignored: list[str]


def is_spf(text: str) -> bool:
    """Tell whether receivers take a text for an SPF record."""
    return bool(_IS_SPF.fullmatch(text))


def is_host_name(text: str) -> bool:
    """Tell whether a name can be that of a domain; others have no records."""
    return len(text) <= _MAX_HOST_NAME and bool(_HOST_NAME.fullmatch(text))


def parse_spf(text: str) -> SpfRecord:
    """Read an SPF record.

    The syntax of all terms counts (section 4.6), also behind all, whose mechanisms no receiver
    evaluates.
    """
    record = SpfRecord([], [], [])
    names: set[str] = set()
    for term_text in filter(None, text.split(" ")[1:]):
        term = _parse_term(term_text)
        if term is None:
            record.mistakes.append(term_text)
            continue
        if term.name in _MODIFIERS and term.name in names:
            record.mistakes.append(f"{term.name} twice")
            continue

        if term.name in _MODIFIERS or "all" not in names:
            record.terms.append(term)
        elif term.name in _MECHANISMS:
            record.ignored.append(term_text)
        names.add(term.name)

    if "all" in names:
        return _ignore_redirect(record)
    return record


def _ignore_redirect(record: SpfRecord) -> SpfRecord:
    """Return the record as receivers evaluate it: beside all they read no redirect (section 6.1)."""
    redirects = [term.text for term in record.terms if term.name == "redirect"]
    terms = [term for term in record.terms if term.name != "redirect"]
    return record._replace(terms=terms, ignored=record.ignored + redirects)


def _parse_term(text: str) -> Term | None:
    """Read a term of a record; None for what no receiver understands."""
    match = _TERM.fullmatch(text)
    if match is None:
        return None
    qualifier = match[1]
    name = match[2].lower()
    argument = match[3]
    if argument.startswith("=") and name not in _MECHANISMS:
        if qualifier:
            return None
        return _parse_modifier(text, name, argument[1:])
    if name in _MECHANISMS:
        return _parse_mechanism(text, qualifier, name, argument)
    return None


def _parse_modifier(text: str, name: str, value: str) -> Term | None:
    if name in _MODIFIERS:
        return Term(text, "", name, value) if _is_domain_spec(value) else None
    # Receivers pass over the others, but not over mistakes in their grammar. It takes c, r and t
    # (section 12).
    letters = _MACRO_LETTERS | _LETTERS_OF_SENTENCES
    return Term(text, "", name) if _is_macro_string(value, letters) else None


def _parse_mechanism(text: str, qualifier: str, name: str, argument: str) -> Term | None:
    if name == "all":
        return None if argument else Term(text, qualifier, name)
    if name in ("ip4", "ip6"):
        is_valid = argument.startswith(":") and _is_network(name, argument[1:])
        return Term(text, qualifier, name) if is_valid else None

    target: str | None = argument
    if name not in _NEEDING_NAME:
        target = _strip_lengths(name, argument)
        if target == "":
            return Term(text, qualifier, name)
    if target and target.startswith(":") and _is_domain_spec(target[1:]):
        return Term(text, qualifier, name, target[1:])
    return None


def _strip_lengths(name: str, argument: str) -> str | None:
    """Return an argument without the lengths of networks, which ptr cannot have.

    Returns:
        The target with its colon, empty where it is left out; None where a length is wrong.
    """
    match = _TARGET_AND_LENGTHS.fullmatch(argument)
    if name == "ptr" or match is None:
        return argument
    target, length4, length6 = match.groups()
    if not (_is_length(length4, 32) and _is_length(length6, 128)):
        return None
    return str(target)


def read_lengths(text: str) -> tuple[int, int]:
    """Return how many bits of an IPv4 and of an IPv6 address count by a term without mistakes."""
    match = _TARGET_AND_LENGTHS.fullmatch(text)
    length4, length6 = match.groups()[1:] if match else (None, None)
    return int(length4 or 32), int(length6 or 128)


def _is_length(text: str | None, limit: int) -> bool:
    """Tell whether a length of a network is right, or left out."""
    if text is None:
        return True
    return bool(_NUMBER.fullmatch(text)) and int(text) <= limit


def _is_network(name: str, text: str) -> bool:
    address, slash, digits = text.partition("/")
    length = digits if slash else None
    if name == "ip4":
        return _is_ipv4(address) and _is_length(length, 32)
    return _is_ipv6(address) and _is_length(length, 128)


def _is_ipv4(address: str) -> bool:
    numbers = address.split(".")
    return len(numbers) == 4 and all(_is_length(number, 255) for number in numbers)


def _is_ipv6(address: str) -> bool:
    # An address with a zone is one for Python alone.
    if "%" in address:
        return False
    try:
        ipaddress.IPv6Address(address)
    except ValueError:
        return False
    return True


def _is_macro_string(text: str, letters: frozenset[str] = _MACRO_LETTERS) -> bool:
    """Tell whether a text has no wrong macro. letters: those that a macro may have."""
    if not _MACRO_STRING.fullmatch(text):
        return False
    macros = [match[0] for match in _MACROS.finditer(text)]
    return all(macro[2].lower() in letters for macro in macros if macro.startswith("%{"))


def _has_valid_lengths(name: str) -> bool:
    """Tell whether a name can be looked up (RFC 1035)."""
    name = name.removesuffix(".")
    if len(name) > _MAX_NAME:
        return False
    return all(0 < len(label) <= _MAX_LABEL for label in name.split("."))


def _is_domain_spec(text: str) -> bool:
    """Tell whether a name ends in a macro or in the name of a top-level domain (section 7.1).

    The latter has no digits alone and follows a dot. A name without macros can be looked up only if
    each label has 1 to 63 characters, and all together at most 253.
    """
    if not _is_macro_string(text):
        return False
    if "%" not in text and not _has_valid_lengths(text):
        return False

    end = 0
    for match in _MACROS.finditer(text):
        end = match.end()
    if end and end == len(text):
        return True
    _before, dot, last_label = text[end:].removesuffix(".").rpartition(".")
    return bool(dot) and bool(_LAST_LABEL.fullmatch(last_label)) and not last_label.isdigit()
