# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How settings are written that are not one of a few words: each form in words, what makes no sense in it, and its normal order."""

from __future__ import annotations

import difflib
import ipaddress
import itertools
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from panel_simulator.names import ascii_domain

LARGEST, LARGEST_WHOLE, DEEPEST = 10**9, 2**63, 100
_LONGEST, _MOST = 80, 40
ZONES = "dns"
# What stands for ids and names in paths: some, and as a regular expression any.
_SAMPLES = ({"id": "1", "name": "name"}, {"id": "10", "name": "name.example"}, {"id": "12345", "name": "a%40b.example"})
_ANY = {"id": r"\d+", "name": "[^/]+"}


@dataclass(frozen=True)
class Known:
    """What there is on a panel, by kind: members of answers, members that can have another name, and names that members have already.

    listed: kinds that have lists. paths: each as ``GET /clients/{id}``.
    """

    shown: Mapping[str, tuple[str, ...]]
    renamable: Mapping[str, tuple[str, ...]]
    taken: Mapping[str, frozenset[str]]
    listed: tuple[str, ...]
    paths: tuple[str, ...]


def told(value: Any) -> str:
    """A value as it was given, on one line."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str, skipkeys=True)
    except (ValueError, RecursionError):
        return "what no line can show"
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def nearest(given: Any, known: Iterable[str]) -> str:
    """The end of a sentence about something unknown: the known name that is nearest to it, if there is one."""
    found = difflib.get_close_matches(str(given), list(known), 1)
    return f"; did you mean {found[0]}?" if found else "."


def unknown(words: str, given: Any, known: Collection[str]) -> str:
    """A sentence about something unknown, with the nearest known name, or with all where they are few."""
    end = nearest(given, known)
    return f"{words}; there are {', '.join(known)}." if end == "." and len(known) <= _MOST else words + end


def not_json(value: Any, depth: int = 1) -> str:
    """Why no answer in JSON can hold a value; empty where one can."""
    if depth > DEEPEST:
        return f"is deeper than {DEEPEST} lists and mappings in each other"
    if isinstance(value, str):
        return "" if _is_encodable(value) else "has half a character"
    if isinstance(value, (Mapping, list)):
        if isinstance(value, Mapping) and not all(isinstance(name, str) for name in value):
            return "has a name that is no text"
        inner = [*value, *value.values()] if isinstance(value, Mapping) else value
        return next((problem for item in inner if (problem := not_json(item, depth + 1))), "")
    if isinstance(value, float) and not math.isfinite(value):
        return "is no number"
    if isinstance(value, int) and abs(value) >= LARGEST_WHOLE:
        return "has more than 64 bits"
    return "" if value is None or isinstance(value, (int, float)) else "is none of what JSON has"


def _is_encodable(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and _is_encodable(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and _is_encodable(item) for item in value)


def _are_texts(value: Any) -> bool:
    return _is_list(value) and all(map(_is_text, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _is_whole(value: Any) -> bool:
    return _is_number(value) and isinstance(value, int)


def _reads(read: Callable[[str], Any]) -> Callable[[Any], bool]:
    """Whether it is a text that can be read so."""

    def fits(value: Any) -> bool:
        try:
            return _is_text(value) and read(value) is not None
        except ValueError:
            return False

    return fits


def _all(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _by_name(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Mapping) and all(map(fits, value.values()))


def _twice(names: Iterable[str], what: str = "") -> Iterator[str]:
    """Sentences about names that are there twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield f"{what}{told(name)} is given twice."
        seen.add(name)


def _kinds(given: Iterable[Any], known: Collection[str]) -> Iterator[str]:
    for kind in given:
        if kind not in known:
            yield unknown(f"{kind} is no kind of objects", kind, known)


def _listed(given: Collection[Any], known: Known) -> Iterator[str]:
    if ZONES in given:
        yield f"there is no list of {ZONES}, and they have no status; there are {', '.join(known.listed)}."
    yield from _kinds(given, known.listed)


def _members(value: Mapping[str, list[str]], known: Known) -> Iterator[str]:
    yield from _kinds(value, tuple(known.shown))
    for kind, names in value.items():
        members = known.shown[kind]
        yield from (_no_member(kind, name, members) for name in names if name not in members)
        yield from _twice(names, f"{kind}: ")


def _no_member(kind: str, name: str, members: Iterable[str], noun: str = "member") -> str:
    words = f"{kind} have no {noun} that is usually called {name}"
    end = nearest(name, members)
    return words + end if end != "." else unknown(words, name, [one for one in members if "." not in one])


def _new_members(value: Mapping[str, Mapping[str, Any]], known: Known) -> Iterator[str]:
    yield from _kinds(value, tuple(known.shown))
    for kind, members in value.items():
        for name, at_first in members.items():
            if name in known.taken[kind]:
                yield f"{kind} have a member {name} already, and take it for that; give a new name."
            if problem := not_json(at_first):
                yield f"{kind}: {name} {problem}, which no answer in JSON can hold: {told(at_first)}."


def _new_names(value: Mapping[str, Mapping[str, str]], known: Known) -> Iterator[str]:
    yield from _kinds(value, tuple(known.shown))
    for kind, names in value.items():
        for name, other in names.items():
            if name not in known.renamable[kind]:
                yield _no_member(kind, name, known.renamable[kind], "whole member" if "." in name else "member")
            if other in known.taken[kind]:
                yield f"{kind} have a member {other} already; {name} needs a name that no other has."
        yield from _twice(names.values(), f"{kind}: the new name ")


def _paths(value: Iterable[str], known: Known) -> Iterator[str]:
    for pattern in value:
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            yield f"{told(pattern)} is no regular expression: {error}."
            continue
        if not _fits_a_path(pattern, known.paths):
            end = nearest(pattern, [_filled(path, _ANY) for path in known.paths])
            yield f"{told(pattern)} fits no METHOD /path of the panel{end}"
    yield from _twice(value)


@cache
def _fits_a_path(pattern: str, paths: tuple[str, ...]) -> bool:
    """Whether it fits one with some id or name; or is one itself, as for a certain object."""
    samples = (_filled(path, one) for path in paths for one in _SAMPLES)
    return any(re.fullmatch(pattern, sample) for sample in samples) or any(
        re.fullmatch(_filled(path, _ANY), pattern) for path in paths
    )


def _filled(path: str, words: Mapping[str, str]) -> str:
    return path.replace("{id}", words["id"]).replace("{name}", words["name"])


def _sorted(value: Mapping[str, Any]) -> dict[str, Any]:
    """By kind and member, without the kinds of which nothing is said."""
    found = {kind: sorted(one) if isinstance(one, list) else dict(sorted(one.items())) for kind, one in value.items()}
    return {kind: one for kind, one in sorted(found.items()) if one}


def _nothing(_value: Any, _known: Known) -> Iterator[str]:
    return iter(())


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Form:
    """words: what it is, after "must be". fits: whether a value has it. wrong: sentences about what makes no sense in one that fits.

    normal: the one order of what has none.
    """

    words: str
    fits: Callable[[Any], bool]
    wrong: Callable[[Any, Known], Iterator[str]] = _nothing
    normal: Callable[[Any], Any] = _as_it_is

    def problem(self, value: Any, known: Known | None) -> str:
        """A sentence about what is wrong, empty for nothing. known: None where nothing is known of a panel yet."""
        if not self.fits(value):
            return f"must be {self.words}, and is {told(value)}."
        return next(self.wrong(value, known), "") if known is not None else ""


_MEMBERS = "a mapping of kinds of objects to lists of their members, such as {clients: [notes]}"
FORMS: Mapping[str, Form] = {
    "switch": Form("true or false", lambda value: isinstance(value, bool)),
    "seconds": Form(f"a number of seconds from 0 to {LARGEST}", _is_number),
    "milliseconds": Form(f"a number of milliseconds from 0 to {LARGEST}", _is_number),
    "number": Form(f"a whole number from 0 to {LARGEST}", _is_whole),
    # 401 is always about the key.
    "status": Form(
        "a status from 400 to 599, but not 401, such as 409",
        lambda value: _is_whole(value) and 400 <= value <= 599 and value != 401,
    ),
    "text": Form("a text that is not empty", _is_text),
    "host": Form("a name of a host, such as server.panel.example", _reads(ascii_domain)),
    "texts": Form("a list of texts that are not empty", _are_texts, lambda value, _known: _twice(value)),
    "some texts": Form(
        "a list of texts that are not empty, of one at least",
        lambda value: _are_texts(value) and value != [],
        lambda value, _known: _twice(value),
    ),
    "addresses": Form("a list of IP addresses, such as [192.0.2.10]", _all(_reads(ipaddress.ip_address))),
    "networks": Form(
        "a list of IP addresses and networks, such as [192.0.2.0/24]",
        _all(_reads(lambda text: ipaddress.ip_network(text, strict=False))),
    ),
    "kinds": Form("a list of kinds of objects, such as [emails]", _are_texts, _listed),
    "seconds by kind": Form(
        f"a mapping of kinds of objects to seconds from 0 to {LARGEST}, such as {{emails: 2}}",
        _by_name(_is_number),
        _listed,
    ),
    "patterns": Form(
        r"a list of regular expressions for METHOD /path, such as ['GET /ftp-users/\d+']", _is_list, _paths, sorted
    ),
    "names": Form("a list of texts", _are_texts, lambda value, _known: _twice(value), sorted),
    "members": Form(_MEMBERS, _by_name(_are_texts), _members, _sorted),
    "members in lists": Form(
        _MEMBERS,
        _by_name(_are_texts),
        lambda value, known: itertools.chain(_listed(value, known), _members(value, known)),
        _sorted,
    ),
    "defaults": Form(
        'a mapping of kinds of objects to new members and what they are at first, such as {clients: {colour: ""}}',
        _by_name(lambda members: isinstance(members, Mapping) and all(map(_is_text, members))),
        _new_members,
        _sorted,
    ),
    "names by member": Form(
        "a mapping of kinds of objects to members and their other names, such as {domains: {id_user: id_client}}",
        _by_name(lambda names: isinstance(names, Mapping) and all(map(_is_text, [*names, *names.values()]))),
        _new_names,
        _sorted,
    ),
}
