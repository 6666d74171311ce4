# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SPF records (RFC 7208): read, walked as a receiver walks them, and judged. The zones of the panel answer. Private to the collection."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...module_utils._dns.record_values import ascii_name, is_name
from .names import Names, named, plain

VERSION = "v=spf1"
USUAL = f"{VERSION} a mx ~all"
# A problem, its level, what is wrong, and what to do.
Problem = tuple[str, str, str, str]
BAD, NEAR = "bad", "near"
MOST_LOOK_UPS, _MOST_IN_VAIN, _MOST_MX = 10, 2, 10  # section 4.6.4
# A tree of records that asks more than this is not walked to its end.
_ENOUGH = 5 * MOST_LOOK_UPS
# No provider has as many addresses as a network with a shorter length.
_SHORTEST_4, _SHORTEST_6 = 8, 16
_ASKING = frozenset({"a", "exists", "include", "mx", "ptr"})
_EXPAND = r"%(?:\{[slodiphvSLODIPHV](?:[1-9][0-9]*)?[rR]?[-.+,/_=]*\}|[%_-])"
_TOP = r"(?:[0-9]*[A-Za-z][A-Za-z0-9]*|[A-Za-z0-9]+-[A-Za-z0-9-]*[A-Za-z0-9])"
_DOMAIN = rf"(?:{_EXPAND}|[!-$&-~])*(?:\.{_TOP}\.?|{_EXPAND})"
_LENGTH_4, _LENGTH_6 = r"/(?:3[0-2]|[12]?[0-9])", r"/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9])"
_TERM = re.compile(r"([-+~?]?)([A-Za-z][A-Za-z0-9_.-]*)(.*)", re.DOTALL)
_LOOKS_LIKE = re.compile(
    r"\W*(?:v\W*spf|spf1\b)", re.IGNORECASE
)  # Sender ID, which starts with spf2.0, is another thing
_OF_A_NAME = re.compile(rf":({_DOMAIN})()")
_OF_SERVERS = re.compile(rf"(?::({_DOMAIN}))?((?:{_LENGTH_4})?(?:/{_LENGTH_6})?)")
# What may follow the name of a mechanism: a domain or address, and the length of a network.
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
_MODIFIER = re.compile(r"(?:%\{[a-zA-Z](?:[1-9][0-9]*)?[rR]?[-.+,/_=]*\}|%[%_-]|[!-$&-~])*")


@dataclass(frozen=True)
class Term:
    """One word of a record. qualifier: one of + - ~ ?, empty for a modifier."""

    text: str
    name: str
    qualifier: str = ""
    target: str = ""
    length: str = ""

    @property
    def is_vast(self) -> bool:
        """Whether its network holds a great part of all addresses."""
        four, _slashes, six = f"/{self.length}".rpartition("//") if self.name == "ip6" else self.length.partition("//")
        return 0 <= int(four.strip("/") or -1) < _SHORTEST_4 or 0 <= int(six.strip("/") or -1) < _SHORTEST_6


class Spf:
    """A record as a receiver reads it. wrong: the words that are no terms, with the reason. late: what ``all`` makes void."""

    def __init__(self, text: str) -> None:
        self.wrong: dict[str, str] = {}
        terms: list[Term] = []
        for word in filter(None, text[len(VERSION) :].split(" ")):
            term = _term_or_reason(word)
            if isinstance(term, str):
                self.wrong[word] = term
            elif term.name in ("redirect", "exp") and any(other.name == term.name for other in terms):
                self.wrong[word] = f"{term.name} may be there only once"
            else:
                terms.append(term)
        names = [term.name for term in terms]
        end = names.index("all") if "all" in names else len(terms)
        self.end = terms[end] if "all" in names else None
        self.read = [term for term in terms[:end] if term.qualifier]
        redirects = [term for term in terms if term.name == "redirect"]
        self.redirect = redirects[0] if redirects and self.end is None else None
        self.late = [*(term for term in terms[end + 1 :] if term.qualifier), *redirects] if self.end else []


def is_spf(text: str) -> bool:
    """Whether receivers take the text for an SPF record (section 4.5)."""
    return text.lower() == VERSION or text.lower().startswith(f"{VERSION} ")


def _term_or_reason(word: str) -> Term | str:
    try:
        return _term(word)
    except ValueError as error:
        return str(error)


def _term(word: str) -> Term:
    match = _TERM.fullmatch(word)
    if match is None:
        raise ValueError("it is neither a mechanism nor a modifier")
    qualifier, name, rest = match[1], match[2].lower(), match[3]
    if rest.startswith("="):
        if qualifier or name in _FORMS:
            raise ValueError("a modifier has no sign before it" if qualifier else f"{name} needs a colon instead of =")
        is_name_wanted = name in ("redirect", "exp")
        if not re.fullmatch(_DOMAIN, rest[1:]) if is_name_wanted else not _MODIFIER.fullmatch(rest[1:]):
            raise ValueError(f"{name} needs the name of a domain" if is_name_wanted else "its value is no valid text")
        if is_name_wanted:
            _check_target(name, rest[1:])
        return Term(word, name, "", rest[1:])
    if name not in _FORMS:
        raise ValueError(f"there is no mechanism {plain(name)}")
    found = _FORMS[name].fullmatch(rest)
    if found is None:
        raise ValueError(_reason(name, rest))
    _check_target(name, found[1] or "")
    return Term(word, name, qualifier or "+", found[1] or "", found[2] or "")


def _reason(name: str, rest: str) -> str:
    if name == "all":
        return "all takes nothing behind it"
    if name in ("ip4", "ip6"):
        return f"{name} needs a colon and an address or network of IPv{name[2]}"
    if not rest.isascii():
        return "names are written in punycode there"
    return f"{name} needs a colon and the name of a domain" if rest in ("", ":") else "its domain or network is wrong"


def _check_target(name: str, target: str) -> None:
    if name in ("ip4", "ip6"):
        try:
            (ipaddress.IPv4Address if name == "ip4" else ipaddress.IPv6Address)(target)
        except ValueError:
            raise ValueError(f"{plain(target)} is not an address of IPv{name[2]}") from None
    elif target and "%" not in target and not is_name(target):
        raise ValueError(f"{plain(target)} is not the name of a domain")


@dataclass
class Walk:
    """What a receiver comes to. end: the qualifier of the ``all`` that it reaches, empty for none, None if that is unknown."""

    names: Names
    look_ups: int = 0
    in_vain: list[str] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)
    everyone: list[str] = field(default_factory=list)
    end: str | None = ""

    def through(
        self, domain: str, record: Spf, path: tuple[str, ...], first: str = "", lets_through: bool = True
    ) -> str | None:
        """Walks a record. first: the word of the domain's own record that led here. lets_through: whether what fits here may send."""
        lets_through = lets_through and not record.wrong  # a record with a mistake ends in an error
        for term in record.read:
            is_pass, word = lets_through and term.qualifier == "+", first or term.text
            if is_pass and term.is_vast:
                self.everyone.append(word)
            if term.name not in _ASKING or self.look_ups > _ENOUGH:
                continue
            self.look_ups += 1
            if term.name == "include":
                if self._follow(term, path, word, is_pass) == "+" and is_pass:
                    self.everyone.append(word)
            elif term.name in ("a", "mx") and "%" not in term.target:
                self._servers(term, ascii_name(term.target or domain).rstrip("."), word)
        if record.end is not None:
            return record.end.qualifier if lets_through or record.end.qualifier != "+" else None
        if record.redirect is None or self.look_ups > _ENOUGH:
            return ""
        self.look_ups += 1
        return self._follow(record.redirect, path, first or record.redirect.text, lets_through)

    def _follow(self, term: Term, path: tuple[str, ...], first: str, lets_through: bool) -> str | None:
        if "%" in term.target:
            return None
        target = ascii_name(term.target).rstrip(".")
        texts = self.names.find(target, "TXT")
        records = [text for text in texts or () if is_spf(text)]
        if target in path:
            self.broken[first] = f"leads back to {named(target)}"
        elif texts is not None and len(records) != 1:
            self.broken[first] = f"leads to {named(target)}, which has {'several' if records else 'no'} SPF records"
        elif records:
            record = Spf(records[0])
            if record.wrong:
                self.broken[first] = f"leads to {named(target)}, whose SPF record has a mistake"
            return self.through(target, record, (*path, target), first, lets_through)
        return None

    def _servers(self, term: Term, name: str, first: str) -> None:
        values = self.names.addresses(name) if term.name == "a" else self.names.find(name, "MX")
        if values == []:
            self.in_vain.append(term.text)
        elif values and term.name == "mx" and len(values) > _MOST_MX:
            self.broken[first] = f"finds {len(values)} mail servers, and receivers look at {_MOST_MX} at most"


def judge_spf(domain: str, names: Names) -> tuple[list[Problem], int | None]:
    """What is wrong, and how many look-ups the one record makes; None without one."""
    texts = names.find(domain, "TXT") or []
    records = [text for text in texts if is_spf(text)]
    if len(records) == 1:
        record, walk = Spf(records[0]), Walk(names)
        walk.end = walk.through(domain, record, (domain,))
        return [*_problems(record, walk), *_ends(record, walk)], walk.look_ups
    if records:
        message = f"There are {len(records)} SPF records, and receivers then take none of them."
        return [("several", BAD, message, "Leave one that names all servers that send.")], None
    alike = [text for text in texts if _LOOKS_LIKE.match(text.strip())]
    if alike:
        message = f"{plain(alike[0])} is no SPF record: one starts with {VERSION} and a blank."
        return [("syntax", BAD, message, "Correct it.")], None
    if names.find(domain, "SPF"):
        message = "The SPF record is one of the type SPF, which receivers do not read."
        return [("obsolete_type", BAD, message, "Set it as TXT.")], None
    message = "There is no SPF record, so receivers cannot tell who may send for this domain."
    return [("missing", BAD, message, "Set one that names the servers of the domain.")], None


def _problems(record: Spf, walk: Walk) -> Iterator[Problem]:
    if record.wrong:
        word, reason = next(iter(record.wrong.items()))
        more = f", and {len(record.wrong) - 1} more" if len(record.wrong) > 1 else ""
        yield "syntax", BAD, f"{plain(word, 60)} is wrong: {reason}{more}.", "Correct it, or take it out."
    for word, reason in walk.broken.items():
        message = f"{plain(word, 60)} {plain(reason)}, so receivers stop with an error."
        yield "broken_include", BAD, message, "Correct it, or take it out if no one sends from there any more."
    if walk.look_ups > MOST_LOOK_UPS:
        message = f"It makes {walk.look_ups} look-ups, and receivers stop with an error after {MOST_LOOK_UPS}."
        advice = "Take out services that do not send any more, or name servers by their addresses, with ip4 and ip6."
        yield "look_ups", BAD, message, advice
    if len(walk.in_vain) > _MOST_IN_VAIN:
        message = f"{len(walk.in_vain)} words find nothing, and receivers stop after {_MOST_IN_VAIN}: {_listed(walk.in_vain)}."
        yield "in_vain", BAD, message, "Correct the names, or take them out."


def _ends(record: Spf, walk: Walk) -> Iterator[Problem]:
    advice = "Name the servers that send, and end it in ~all or -all."
    if walk.everyone:
        message = f"Almost everybody may send for this domain: {_listed(walk.everyone)}."
        yield "allows_everyone", BAD, message, "Name only the servers that send."
    if walk.end == "+":
        yield "allows_everyone", BAD, "It ends in +all, which lets everybody send for this domain.", advice
    elif walk.end == "?":
        yield "open_end", NEAR, "It ends in ?all, which says nothing of other senders.", advice
    elif walk.end == "":
        yield "open_end", NEAR, "It does not end in all, so it says nothing of other senders.", advice
    if record.late:
        message = f"No receiver reads what stands behind all: {_listed(term.text for term in record.late)}."
        yield "behind_the_end", NEAR, message, "Move what you need before the first all, and take out the rest."
    if any(term.name == "ptr" for term in record.read):
        message = "ptr is slow and obsolete; many receivers pass over it."
        yield "ptr", NEAR, message, "Name the servers with a, mx or ip4."


def _listed(words: Iterable[str]) -> str:
    return ", ".join(plain(word, 40) for word in dict.fromkeys(words))
