# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges SPF records (RFC 7208) by the zones of a panel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .mail_problem import BAD, NEAR, MailProblem
from .resolver import Resolver, display_name, display_text
from .spf_networks import AllowedNetwork, find_broad_terms, list_networks
from .spf_syntax import LOOKING_UP, SpfRecord, Term, is_host_name, is_spf, parse_spf

USUAL_SPF = "v=spf1 a mx ~all"
# RFC 7208, section 4.6.4
_MAX_LOOK_UPS = 10
_MAX_VOID = 2
_MAX_SERVERS = 10
# With a slip of the hand; a second record beside one of these would be none the better.
_MEANT_AS_SPF = re.compile(r"\W*v\W*spf|.*spf1", re.IGNORECASE | re.DOTALL)


class SpfJudgement(NamedTuple):
    """Holds what is wrong, and how many look-ups the one record makes; None without one."""

    problems: list[MailProblem]
    look_ups: int | None


class _Walk(NamedTuple):
    """What a receiver does with a record.

    Attributes:
        look_ups: How many it makes.
        void: The terms that ask for what does not exist.
        error: Why it stops with an error; empty where it does not.
        open_terms: The terms before all by which everybody may send.
        networks: Those that may send.
    """

    look_ups: int
    void: list[str]
    error: str
    open_terms: list[str]
    networks: list[AllowedNetwork]


def judge_spf(domain: str, resolver: Resolver) -> SpfJudgement:
    """Return what is wrong with the SPF record of a domain."""
    texts = resolver.find_values(domain, "TXT") or []
    records = [text for text in texts if is_spf(text)]
    if len(records) == 1:
        record = parse_spf(records[0])
        walk = _walk(record, resolver, (domain,))
        qualifier = _find_final_qualifier(record, resolver)
        return SpfJudgement(list(_judge_record(record, walk, qualifier)), walk.look_ups)
    if records:
        message = f"There are {len(records)} SPF records, and receivers then take none of them."
        advice = "Leave one that names all servers that send."
        return SpfJudgement([MailProblem("several", BAD, message, advice)], None)

    for text in texts:
        if _MEANT_AS_SPF.match(text):
            message = (
                f'"{display_text(text)}" is no SPF record: one starts with v=spf1 and a blank.'
            )
            return SpfJudgement([MailProblem("syntax", BAD, message, "Correct it.")], None)
    message = "There is no SPF record, so receivers cannot tell who may send for this domain."
    advice = "Set one that names the servers of the domain."
    return SpfJudgement([MailProblem("missing", BAD, message, advice)], None)


# What a receiver does


def _walk(record: SpfRecord, resolver: Resolver, path: tuple[str, ...]) -> _Walk:
    """Follow a record as a receiver does that no term lets end before.

    A few more look-ups than it may make are followed.

    Args:
        record: The record.
        resolver: The zones of the panel.
        path: The names that led here, the last one that of the record.
    """
    look_ups = 0
    void: list[str] = []
    error = ""
    open_terms = [term.text for term in record.terms if term.allows_everyone]
    networks: list[AllowedNetwork] = []
    for term in record.terms:
        if term.name in LOOKING_UP:
            look_ups += 1
        if look_ups > _MAX_LOOK_UPS or len(path) > _MAX_LOOK_UPS or term.has_macro:
            continue
        walk = _walk_term(term, resolver, path)
        look_ups += walk.look_ups
        void += walk.void
        error = error or walk.error
        open_terms += walk.open_terms
        networks += walk.networks
    return _Walk(look_ups, void, error, open_terms, networks)


def _walk_term(term: Term, resolver: Resolver, path: tuple[str, ...]) -> _Walk:
    """Follow one term beyond its own look-up."""
    if term.name in ("include", "redirect"):
        return _walk_other_record(term, resolver, path)
    host = term.host or path[-1]
    void = [display_text(term.text)] if _is_void(term, host, resolver) else []
    error = _describe_excess_of_servers(term, host, resolver)
    networks = []
    if term.lets_networks_send and "/" in term.text:
        networks = list_networks(term, _find_addresses(term, host, resolver))
    return _Walk(0, void, error, [], networks)


def _find_addresses(term: Term, host: str, resolver: Resolver) -> list[str]:
    """Return the addresses of an a or mx, as far as the zones hold them."""
    names = []
    if term.name == "a":
        names = [host]
    if term.name == "mx":
        servers = resolver.find_values(host, "MX") or []
        names = [server.split()[-1].lower().rstrip(".") for server in servers[:_MAX_SERVERS]]
    addresses: list[str] = []
    for name in names:
        addresses += resolver.find_addresses(name) or []
    return addresses


def _walk_other_record(term: Term, resolver: Resolver, path: tuple[str, ...]) -> _Walk:
    """Follow the record that a term leads to."""
    displayed_term = display_text(term.text)
    host = display_name(term.host)
    if term.host in path:
        return _stop(f"{displayed_term} refers back to {host}")
    if not is_host_name(term.host):
        return _stop(f"{displayed_term} leads to {host}, which is no name of a domain")
    records = _find_spf_records(term.host, resolver)
    if records is None:
        return _stop("")
    if len(records) != 1:
        number = "several" if records else "no"
        return _stop(f"{displayed_term} leads to {host}, which has {number} SPF records")
    return _walk_only_record(term, parse_spf(records[0]), resolver, path)


def _walk_only_record(
    term: Term, record: SpfRecord, resolver: Resolver, path: tuple[str, ...]
) -> _Walk:
    """Follow the only record at the name in a term."""
    walk = _walk(record, resolver, (*path, term.host))
    if record.mistakes:
        host = display_name(term.host)
        error = f"{display_text(term.text)} leads to {host}, whose SPF record has a mistake"
        return walk._replace(error=error, open_terms=[], networks=[])
    if term.name == "redirect":
        return walk
    if not term.is_allowing:
        return walk._replace(open_terms=[], networks=[])
    is_open = walk.open_terms or _find_final_qualifier(record, resolver) == "+"
    networks = [allowed._replace(term_text=term.text) for allowed in walk.networks]
    return walk._replace(open_terms=[term.text] if is_open else [], networks=networks)


def _stop(error: str) -> _Walk:
    """Return the walk of a term that leads to no other record."""
    return _Walk(0, [], error, [], [])


def _is_void(term: Term, host: str, resolver: Resolver) -> bool:
    """Tell whether the zones have nothing of what a term asks for."""
    if term.name == "a":
        return resolver.find_addresses(host) == []
    if term.name == "exists":
        return resolver.find_values(host, "A") == []
    return term.name == "mx" and resolver.find_values(host, "MX") == []


def _describe_excess_of_servers(term: Term, host: str, resolver: Resolver) -> str:
    if term.name != "mx":
        return ""
    servers = resolver.find_values(host, "MX")
    if servers is None or len(servers) <= _MAX_SERVERS:
        return ""
    displayed_term = display_text(term.text)
    return f"{displayed_term} leads to {len(servers)} MX records, more than {_MAX_SERVERS}"


def _find_final_qualifier(record: SpfRecord, resolver: Resolver) -> str:
    """Return what is said of all other senders at the end of redirects.

    Returns:
        One of + - ~ and ?; empty where nothing is said.
    """
    for _step in range(_MAX_LOOK_UPS + 1):
        terms = {term.name: term for term in reversed(record.terms)}
        if "all" in terms:
            return terms["all"].qualifier or "+"
        if "redirect" not in terms:
            return ""
        records = _find_spf_records(terms["redirect"].host, resolver)
        if records is None or len(records) != 1:
            break
        record = parse_spf(records[0])
    return "-"


def _find_spf_records(name: str, resolver: Resolver) -> list[str] | None:
    """Return the SPF records at a name; None where no zone holds it."""
    texts = resolver.find_values(name, "TXT")
    if texts is None:
        return None
    return [text for text in texts if is_spf(text)]


# What is wrong


def _judge_record(record: SpfRecord, walk: _Walk, qualifier: str) -> Iterator[MailProblem]:
    """Yield what is wrong with the only record of a domain.

    Args:
        record: The record.
        walk: What a receiver does with it.
        qualifier: What it says of all other senders.
    """
    if record.mistakes:
        displayed = display_text(", ".join(record.mistakes))
        message = f"No receiver understands this in it: {displayed}."
        yield MailProblem("syntax", BAD, message, "Correct it, or take it out (RFC 7208).")
    yield from _judge_walk(walk)
    # A record with a mistake ends in an error, so nothing in it counts.
    if record.ignored and not record.mistakes:
        displayed = display_text(", ".join(record.ignored))
        message = f"Receivers ignore mechanisms behind all, and redirect beside it: {displayed}."
        advice = "Move what is to count in front of all, and take the rest out (RFC 7208)."
        yield MailProblem("ignored", NEAR, message, advice)
    if not record.mistakes:
        yield from _judge_breadth(walk)
    yield from _judge_final_qualifier(qualifier, bool(record.mistakes))


def _judge_walk(walk: _Walk) -> Iterator[MailProblem]:
    if walk.error:
        message = f"{walk.error}, so receivers stop with an error."
        advice = "Correct it, or take it out if no one sends from there any more."
        yield MailProblem("broken_include", BAD, message, advice)
    if walk.look_ups > _MAX_LOOK_UPS:
        message = f"It makes {walk.look_ups} look-ups, and receivers stop with an error after {_MAX_LOOK_UPS}."
        advice = "Take out services that do not send any more, or name servers by their addresses, with ip4 and ip6."
        yield MailProblem("look_ups", BAD, message, advice)
    if len(walk.void) > _MAX_VOID:
        displayed = display_text(", ".join(walk.void))
        message = f"Receivers stop with an error after {_MAX_VOID} terms that ask for what is not there: {displayed}."
        advice = "Take them out, or set the records that they ask for."
        yield MailProblem("void", BAD, message, advice)


def _judge_breadth(walk: _Walk) -> Iterator[MailProblem]:
    advice = (
        "List the servers that send, there and in what is included: behind a slash stands how "
        "many bits of an address count."
    )
    if walk.open_terms:
        displayed = display_text(", ".join(walk.open_terms))
        message = f"{displayed} lets everybody send for this domain."
        yield MailProblem("allows_everyone", BAD, message, advice)
        return
    for broad_terms in find_broad_terms(walk.networks):
        displayed = display_text(", ".join(broad_terms.texts))
        addresses = f"at least half of all IPv{broad_terms.version} addresses"
        message = f"By {displayed}, {addresses} may send for this domain."
        yield MailProblem("allows_everyone", BAD, message, advice)


def _judge_final_qualifier(qualifier: str, has_mistakes: bool) -> Iterator[MailProblem]:
    advice = "List the servers that send, and end it in ~all or -all."
    if qualifier == "+":
        # A record with a mistake lets nobody send.
        if not has_mistakes:
            message = "It ends in +all, which lets everybody send for this domain."
            yield MailProblem("allows_everyone", BAD, message, advice)
    elif qualifier == "?":
        message = "It ends in ?all, which says nothing of other senders."
        yield MailProblem("open_end", NEAR, message, advice)
    elif not qualifier:
        message = "It does not end in all, so it says nothing of other senders."
        yield MailProblem("open_end", NEAR, message, advice)
