"""How settings are written, in words, and what makes no sense in them."""

from __future__ import annotations

import difflib
import ipaddress
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from panel_simulator.names import ascii_domain

LARGEST = 10**9
ZONES = "dns"
# What stands for ids and names in paths.
_SAMPLES = ({"id": "1", "name": "name"}, {"id": "12345", "name": "a%40b.example"})


@dataclass(frozen=True)
class Known:
    """What settings can name: by kind the ``members`` of answers (``components.csr`` within another), the kinds ``listed``, and ``paths``."""

    members: Mapping[str, tuple[str, ...]]
    listed: tuple[str, ...]
    paths: tuple[str, ...]


def told(value: Any) -> str:
    """A value as it was given, on one line."""
    text = json.dumps(value, ensure_ascii=True, default=str, skipkeys=True)
    return text if len(text) <= 80 else f"{text[:80]}…"


def unknown(words: str, given: Any, known: Collection[str]) -> str:
    """A sentence about something unknown, with the nearest known name, or with all."""
    found = difflib.get_close_matches(str(given), list(known), 1)
    return f"{words}; did you mean {found[0]}?" if found else f"{words}; there are {', '.join(known)}."


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _is_whole(value: Any) -> bool:
    return _is_number(value) and isinstance(value, int)


def _reads(read: Callable[[Any], Any]) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        try:
            return _is_text(value) and read(value) is not None
        except ValueError:
            return False

    return fits


def _all(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _by_kind(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Mapping) and all(map(fits, value.values()))


def _has_texts(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_text, [*value, *value.values()]))


def _new_members(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_text, value))


_MEMBERS = "a mapping of kinds of objects to lists of their members, such as {clients: [notes]}"
FORMS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "switch": ("true or false", lambda value: isinstance(value, bool)),
    "seconds": (f"a number of seconds from 0 to {LARGEST}", _is_number),
    "milliseconds": (f"a number of milliseconds from 0 to {LARGEST}", _is_number),
    "number": (f"a whole number from 0 to {LARGEST}", _is_whole),
    "status": ("a status from 400 to 599, such as 409", lambda value: _is_whole(value) and 400 <= value <= 599),
    "text": ("a text that is not empty", _is_text),
    "host": ("a name of a host, such as server.panel.example", _reads(ascii_domain)),
    "texts": ("a list of texts that are not empty", _are_texts),
    "some texts": (
        "a list of texts that are not empty, of one at least",
        lambda value: _are_texts(value) and value != [],
    ),
    "addresses": ("a list of IP addresses, such as [192.0.2.10]", _all(_reads(ipaddress.ip_address))),
    "networks": (
        "a list of IP addresses and networks, such as [192.0.2.0/24]",
        _all(_reads(lambda text: ipaddress.ip_network(text, strict=False))),
    ),
    "kinds": ("a list of kinds of objects, such as [emails]", _are_texts),
    "seconds by kind": ("a mapping of kinds of objects to seconds, such as {emails: 2}", _by_kind(_is_number)),
    "patterns": (
        r"a list of regular expressions for METHOD /path, such as ['GET /ftp-users/\d+']",
        _all(_reads(re.compile)),
    ),
    "names": ("a list of texts", _are_texts),
    "members": (_MEMBERS, _by_kind(_are_texts)),
    "members in lists": (_MEMBERS, _by_kind(_are_texts)),
    "defaults": (
        'a mapping of kinds of objects to new members and what they are at first, such as {clients: {colour: ""}}',
        _by_kind(_new_members),
    ),
    "names by member": (
        "a mapping of kinds of objects to members and their other names, such as {domains: {id_user: id_client}}",
        _by_kind(_has_texts),
    ),
}
_LISTED = ("kinds", "seconds by kind", "members in lists")


def problem(form: str, value: Any, known: Known) -> str:
    """A sentence about what is wrong with a value, empty for nothing."""
    words, fits = FORMS[form]
    try:
        is_right = fits(value)
    except re.error:
        is_right = False
    if not is_right:
        return f"must be {words}, and is {told(value)}."
    if form == "patterns":
        return next((f"{told(one)} fits no METHOD /path of the panel." for one in value if not _fits(one, known)), "")
    if form in _LISTED or form in ("members", "defaults", "names by member"):
        return next(_wrong_names(form, value, known), "")
    return ""


def _wrong_names(form: str, value: Any, known: Known) -> Iterator[str]:
    kinds = known.listed if form in _LISTED else tuple(known.members)
    for kind in value:
        if kind not in kinds:
            yield unknown(f"{kind} is no kind of objects", kind, kinds)
    if form in ("kinds", "seconds by kind"):
        return
    for kind, names in value.items():
        members = known.members[kind]
        for name in names:
            if form == "defaults" and name in members:
                yield f"{kind} have a member {name} already; give a new name."
            if form != "defaults" and name not in members:
                yield unknown(f"{kind} have no member {name}", name, members)
        if form == "names by member":
            yield from (f"{kind} have a member {other} already." for other in names.values() if other in members)


def _fits(pattern: str, known: Known) -> bool:
    paths = (path.replace("{id}", one["id"]).replace("{name}", one["name"]) for path in known.paths for one in _SAMPLES)
    return any(re.fullmatch(pattern, path) for path in paths)


def normal(value: Any) -> Any:
    """In alphabetical order, and without the kinds of which nothing is said."""
    if isinstance(value, list):
        return sorted(value)
    if isinstance(value, Mapping):
        ordered = {
            kind: sorted(one) if isinstance(one, list) else dict(sorted(one.items())) for kind, one in value.items()
        }
        return {kind: one for kind, one in sorted(ordered.items()) if one}
    return value
