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
MOST_LOOK_UPS, _MOST_IN_VAIN = 10, 2  # section 4.6.4
# A tree of records that asks more than this is not walked to its end.
_ENOUGH = 5 * MOST_LOOK_UPS
# No provider has as many addresses as a network with a shorter length.
_SHORTEST_4, _SHORTEST_6 = 8, 16
_MECHANISMS = ("all", "include", "exists", "a", "mx", "ptr", "ip4", "ip6")
_ASKING = ("include", "exists", "a", "mx", "ptr")
_MODIFIER = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*)=([!-~]*)")
_MECHANISM = re.compile(r"([-+~?]?)([A-Za-z][A-Za-z0-9_.-]*)(?::([^/]*))?(?:/([0-9]{1,3}))?(?://([0-9]{1,3}))?")
# Sender ID, which starts with spf2.0, is another thing.
_LOOKS_LIKE = re.compile(r"\W*(?:v\W*spf|spf1\b)", re.IGNORECASE)


@dataclass(frozen=True)
class Term:
    """One word of a record. qualifier: one of + - ~ ?, empty for a modifier. is_vast: its network has a great part of all addresses."""

    text: str
    name: str
    qualifier: str = ""
    target: str = ""
    is_vast: bool = False


class Spf:
    """A record as a receiver reads it. wrong: the words that are no terms, with the reason. late: what ``all`` makes void."""

    def __init__(self, text: str) -> None:
        self.wrong: dict[str, str] = {}
        terms: list[Term] = []
        for word in text[len(VERSION) :].split():
            term = _term(word)
            if isinstance(term, str):
                self.wrong[word] = term
            else:
                terms.append(term)
        mechanisms = [term for term in terms if term.qualifier]
        redirects = [term for term in terms if term.name == "redirect"]
        end = next((at for at, term in enumerate(mechanisms) if term.name == "all"), None)
        self.end = None if end is None else mechanisms[end]
        self.read = mechanisms[:end]
        self.redirect = redirects[0] if redirects and end is None else None
        self.late = [] if end is None else mechanisms[end + 1 :] + redirects


def is_spf(text: str) -> bool:
    """Whether receivers take the text for an SPF record (section 4.5)."""
    return f"{text.lower()} ".startswith(f"{VERSION} ")


def _term(word: str) -> Term | str:
    """The term that a word is, or why it is none."""
    modifier, mechanism = _MODIFIER.fullmatch(word), _MECHANISM.fullmatch(word)
    if modifier:
        name, target = modifier[1].lower(), modifier[2]
        if name in _MECHANISMS:
            return f"{name} needs a colon instead of ="
        return (name == "redirect" and _wrong_name(target)) or Term(word, name, "", target)
    if mechanism is None:
        return "it is neither a mechanism nor a modifier"
    name, target = mechanism[2].lower(), mechanism[3] or ""
    four, six = (None if length is None else int(length) for length in mechanism.group(4, 5))
    if name not in _MECHANISMS:
        return f"there is no mechanism {plain(name)}"
    if name in ("ip4", "ip6"):
        try:
            network = ipaddress.ip_network(word.partition(":")[2], strict=False)
        except ValueError:
            network = None
        if network is None or network.version != int(name[2]):
            return f"{name} needs a colon and an address or network of IPv{name[2]}"
        four, six = (network.prefixlen, None) if name == "ip4" else (None, network.prefixlen)
    elif name == "all" and not word.lower().endswith("all"):
        return "all takes nothing behind it"
    elif (four or 0) > 32 or (six or 0) > 128:
        return "the length of its network is wrong"
    elif (target or name in ("include", "exists")) and (reason := _wrong_name(target)):
        return reason
    is_vast = (four is not None and four < _SHORTEST_4) or (six is not None and six < _SHORTEST_6)
    return Term(word, name, mechanism[1] or "+", target, is_vast)


def _wrong_name(target: str) -> str:
    if not target.isascii():
        return "names are written in punycode there"
    is_right = "%" in target or (is_name(target) and "." in target.rstrip("."))
    return "" if is_right else f"{plain(target) or 'nothing'} is not the name of a domain"


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
                name = ascii_name(term.target or domain).rstrip(".")
                if (self.names.addresses(name) if term.name == "a" else self.names.find(name, "MX")) == []:
                    self.in_vain.append(term.text)
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


def judge_spf(domain: str, names: Names) -> tuple[list[Problem], int | None]:
    """What is wrong, and how many look-ups the one record makes; None without one."""
    texts = names.find(domain, "TXT") or []
    records = [text for text in texts if is_spf(text)]
    if len(records) == 1:
        record, walk = Spf(records[0]), Walk(names)
        walk.end = walk.through(domain, record, (domain,))
        return list(_problems(record, walk)), walk.look_ups
    if records:
        message = f"There are {len(records)} SPF records, and receivers then take none of them."
        return [("several", BAD, message, "Leave one that names all servers that send.")], None
    alike = [text for text in texts if _LOOKS_LIKE.match(text)]
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
        word, reason = list(record.wrong.items())[0]  # noqa: RUF015
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
    if walk.everyone:
        message = f"Almost everybody may send for this domain: {_listed(walk.everyone)}."
        yield "allows_everyone", BAD, message, "Name only the servers that send."
    advice = "Name the servers that send, and end it in ~all or -all."
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
