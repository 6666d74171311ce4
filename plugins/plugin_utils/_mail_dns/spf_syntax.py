# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The syntax of SPF records (RFC 7208, sections 4.5 to 7). Pure. Private to the collection.

Of our own, since the libraries for it resolve names by themselves, and here the zones of a panel answer.
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ...module_utils._dns.record_values import ascii_name, is_name
from .finding import plain

VERSION = "v=spf1"
# What asks the DNS when a receiver comes to it (section 4.6.4); the modifier redirect does, too.
ASKING = frozenset({"a", "exists", "include", "mx", "ptr"})
_EXPAND = r"%(?:\{[slodiphvSLODIPHV](?:[1-9][0-9]*)?[rR]?[-.+,/_=]*\}|[%_-])"
_STRING = rf"(?:{_EXPAND}|[!-$&-~])*"
_TOP = r"(?:[0-9]*[A-Za-z][A-Za-z0-9]*|[A-Za-z0-9]+-[A-Za-z0-9-]*[A-Za-z0-9])"
_DOMAIN = rf"{_STRING}(?:\.{_TOP}\.?|{_EXPAND})"
_LENGTH_4 = r"/(?:3[0-2]|[12]?[0-9])"
_LENGTH_6 = r"/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9])"
_TERM = re.compile(r"([-+~?]?)([A-Za-z][A-Za-z0-9_.-]*)(.*)", re.DOTALL)
# Sender ID, which begins with spf2.0, is another thing.
_LOOKS_LIKE = re.compile(r"\W*(?:v\W*spf|spf1\b)", re.IGNORECASE)
_BEGINNING = re.compile(r"\W*(?:v\W*)?spf[0-9.]*(?:/[a-z,]+)?[;,:]*", re.IGNORECASE)
# No one provider has as many addresses: the shortest lengths of a network that names anybody in particular.
_SHORTEST_4, _SHORTEST_6 = 8, 16
_OF_SERVERS = re.compile(rf"(?::({_DOMAIN}))?((?:{_LENGTH_4})?(?:/{_LENGTH_6})?)")
_OF_A_NAME = re.compile(rf":({_DOMAIN})()")
# By mechanism what may follow its name: a domain and a length of a network.
_FORMS = {
    "all": re.compile(r"()()"),
    "include": _OF_A_NAME,
    "exists": _OF_A_NAME,
    "a": _OF_SERVERS,
    "mx": _OF_SERVERS,
    "ptr": re.compile(rf"(?::({_DOMAIN}))?()"),
    "ip4": re.compile(rf":([0-9.]+)((?:{_LENGTH_4})?)"),
    "ip6": re.compile(rf":([0-9A-Fa-f:.]+)((?:{_LENGTH_6})?)"),
}
_TARGET_OF_MODIFIER = re.compile(_DOMAIN)
_VALUE_OF_MODIFIER = re.compile(r"(?:%\{[a-zA-Z](?:[1-9][0-9]*)?[rR]?[-.+,/_=]*\}|%[%_-]|[!-$&-~])*")
_ONCE = ("redirect", "exp")
# What people write, and what they mean by it.
_MEANT = {"ipv4": "ip4", "ipv6": "ip6", "ip": "ip4", "ip-4": "ip4", "ip-6": "ip6", "includes": "include"}


@dataclass(frozen=True)
class Term:
    """One word of a record. qualifier: one of + - ~ ?, empty for a modifier. target: a domain or an address. length: of its network."""

    text: str
    name: str
    qualifier: str = ""
    target: str = ""
    length: str = ""

    @property
    def has_macro(self) -> bool:
        """Whether the target depends on the mail that is looked at."""
        return "%" in self.target

    @property
    def is_vast(self) -> bool:
        """Whether its network holds a great part of all addresses."""
        four, _slashes, six = f"/{self.length}".rpartition("//") if self.name == "ip6" else self.length.partition("//")
        return 0 <= _number(four) < _SHORTEST_4 or 0 <= _number(six) < _SHORTEST_6


def _number(length: str) -> int:
    return int(length.strip("/") or -1)


@dataclass(frozen=True)
class Spf:
    """A record as it was read. wrong: the words that are no terms, each with the reason. words: all of them in their order."""

    terms: tuple[Term, ...]
    wrong: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()

    @property
    def end(self) -> Term | None:
        """The first ``all``, behind which nothing is read."""
        return next((term for term in self.terms if term.name == "all"), None)

    @property
    def read(self) -> tuple[Term, ...]:
        """The mechanisms that a receiver comes to, ``all`` left out."""
        mechanisms = [term for term in self.terms if term.qualifier]
        return tuple(mechanisms if self.end is None else mechanisms[: mechanisms.index(self.end)])

    @property
    def redirect(self) -> Term | None:
        """Where the rest is; ``all`` makes it void."""
        return None if self.end else next((term for term in self.terms if term.name == "redirect"), None)

    @property
    def behind_the_end(self) -> tuple[Term, ...]:
        """What no receiver reads."""
        if self.end is None:
            return ()
        place = self.terms.index(self.end)
        late = [term for term in self.terms[place + 1 :] if term.qualifier]
        return (*late, *(term for term in self.terms if term.name == "redirect"))


def is_spf(text: str) -> bool:
    """Whether receivers take the text for an SPF record (section 4.5)."""
    return text.lower() == VERSION or text.lower().startswith(f"{VERSION} ")


def looks_like_spf(text: str) -> bool:
    """Whether somebody meant an SPF record that receivers do not take for one."""
    return _LOOKS_LIKE.match(text.strip()) is not None and not is_spf(text)


def read_spf(text: str) -> Spf:
    """The terms of a record for which ``is_spf`` holds."""
    terms: list[Term] = []
    wrong: list[tuple[str, str]] = []
    words: list[str] = []
    for word in text[len(VERSION) :].split(" "):
        if not word:
            continue
        words.append(word)
        try:
            term = _term(word)
            if term.name in _ONCE and any(other.name == term.name for other in terms):
                raise ValueError(f"{term.name} may be there only once")
            terms.append(term)
        except ValueError as error:
            wrong.append((word, str(error)))
    return Spf(tuple(terms), tuple(wrong), tuple(words))


def as_spf(text: str) -> Spf:
    """The terms of a text that looks like a record."""
    return read_spf(f"{VERSION} {_BEGINNING.sub('', text, count=1)}")


def _term(word: str) -> Term:
    """One word; raises ValueError with the reason."""
    match = _TERM.fullmatch(word)
    if match is None:
        raise ValueError("it is neither a mechanism nor a modifier")
    qualifier, name, rest = match[1], match[2].lower(), match[3]
    if rest.startswith("="):
        return _modifier(word, qualifier, name, rest[1:])
    form = _FORMS.get(name)
    if form is None:
        raise ValueError(f"there is no mechanism {plain(name)}")
    found = form.fullmatch(rest)
    if found is None:
        raise ValueError(_reason(name, rest))
    target = found[1] or ""
    _check_target(name, target)
    return Term(word, name, qualifier or "+", target, found[2] or "")


def _modifier(word: str, qualifier: str, name: str, value: str) -> Term:
    if qualifier:
        raise ValueError("a modifier has no sign before it")
    if name in _FORMS:
        raise ValueError(f"{name} needs a colon; with = receivers pass over it")
    if name in _ONCE:
        if not _TARGET_OF_MODIFIER.fullmatch(value):
            raise ValueError(f"{name} needs the name of a domain")
        _check_target(name, value)
    elif not _VALUE_OF_MODIFIER.fullmatch(value):
        raise ValueError("its value is not written as macros are")
    return Term(word, name, "", value)


def _reason(name: str, rest: str) -> str:
    if name == "all":
        return "all takes nothing behind it"
    if name in ("ip4", "ip6"):
        return f"{name} needs a colon and an address or network of IPv{name[2]}"
    if not rest.isascii():
        return "names are written in punycode there"
    if rest in ("", ":"):
        return f"{name} needs a colon and the name of a domain"
    return "what stands behind the name is not a domain" + (" or a length of a network" if name in ("a", "mx") else "")


def _check_target(name: str, target: str) -> None:
    if name in ("ip4", "ip6"):
        try:
            (ipaddress.IPv4Address if name == "ip4" else ipaddress.IPv6Address)(target)
        except ValueError:
            raise ValueError(f"{plain(target)} is not an address of IPv{name[2]}") from None
    elif target and "%" not in target and not is_name(target):
        raise ValueError(f"{plain(target)} is not the name of a domain")


def mended(word: str) -> str:
    """What a wrong word was probably meant as; empty where that is not known."""
    match = _TERM.fullmatch(word)
    if match is None:
        return ""
    name, rest = match[2].lower(), match[3]
    name = _MEANT.get(name, name)
    if not rest.isascii():
        with contextlib.suppress(ValueError):
            rest = rest[:1] + ascii_name(rest[1:])
    if name in ("a", "ip4", "ip6") and rest[:1] in (":", "="):
        address = rest[1:].partition("/")[0]
        with contextlib.suppress(ValueError):
            name = f"ip{ipaddress.ip_address(address).version}"
    mechanism = f"{match[1]}{name}:{rest[1:]}" if rest[:1] in (":", "=") else f"{match[1]}{name}{rest}"
    try:
        return _term(mechanism).text
    except ValueError:
        return ""


def composed(words: Iterable[str], end: str) -> str:
    """A record of these words, each once, and of ``all`` with this qualifier; without ``all`` where that is empty."""
    kept: dict[str, str] = {}
    for word in words:
        kept.setdefault(word.lower().removeprefix("+"), word)
    modifiers = [word for word in kept.values() if _is_modifier(word)]
    mechanisms = [word for word in kept.values() if not _is_modifier(word)]
    return " ".join([VERSION, *mechanisms, *([f"{end}all"] if end else []), *modifiers])


def _is_modifier(word: str) -> bool:
    match = _TERM.fullmatch(word)
    return match is not None and match[3].startswith("=")
