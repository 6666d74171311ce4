"""How values are written: of settings, of open points, and of the fields of faults."""

from __future__ import annotations

import difflib
import ipaddress
import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from panel_simulator.spellings import ascii_domain

Fits = Callable[[Any], bool]
LARGEST = 10**9


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_filled(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_amount(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _is_count(value: Any) -> bool:
    return _is_amount(value) and isinstance(value, int)


def _is_status(value: Any) -> bool:
    return _is_count(value) and 200 <= value <= 999


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _reads(read: Callable[[Any], Any]) -> Fits:
    def fits(value: Any) -> bool:
        try:
            return _is_filled(value) and read(value) is not None
        except (ValueError, re.error):
            return False

    return fits


def _list_of(fits: Fits) -> Fits:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _mapping_of(fits: Fits) -> Fits:
    return lambda value: isinstance(value, Mapping) and all(map(fits, value.values()))


def _names_to(fits: Fits) -> Fits:
    return lambda value: isinstance(value, Mapping) and all(map(_is_filled, value)) and all(map(fits, value.values()))


_are_texts = _list_of(_is_filled)
_MEMBERS = (
    "a mapping of kinds of objects to lists of their members, such as {clients: [notes]}",
    _mapping_of(_are_texts),
)
_NETWORK = _reads(lambda text: ipaddress.ip_network(text, strict=False))
_NEW_NAMES = 'a mapping of kinds of objects to new members and what they are at first, such as {clients: {colour: ""}}'
_OTHER_NAMES = "a mapping of kinds of objects to members and their other names, such as {domains: {id_user: id_client}}"
# In words, and whether a value fits.
FORMS: Mapping[str, tuple[str, Fits]] = {
    "anything": ("anything", lambda _value: True),
    "switch": ("true or false", lambda value: isinstance(value, bool)),
    "seconds": (f"a number of seconds from 0 to {LARGEST}", _is_amount),
    "milliseconds": (f"a number of milliseconds from 0 to {LARGEST}", _is_amount),
    "number": (f"a whole number from 0 to {LARGEST}", _is_count),
    "text": ("a string", _is_text),
    "host": ("a name of a host, such as server.panel.example", _reads(ascii_domain)),
    "texts": ("a list of texts that are not empty", _are_texts),
    "some texts": ("a list of texts that are not empty, of one at least", lambda value: _are_texts(value) and value),
    "addresses": ("a list of IP addresses, such as [192.0.2.10]", _list_of(_reads(ipaddress.ip_address))),
    "networks": ("a list of IP addresses and networks, such as [192.0.2.0/24]", _list_of(_NETWORK)),
    "kinds": ("a list of kinds of objects, such as [emails]", _are_texts),
    "patterns": (
        r"a list of regular expressions for METHOD /path, such as ['GET /ftp-users/\d+']",
        _list_of(_reads(re.compile)),
    ),
    "names": ("a list of texts", _are_texts),
    "members": _MEMBERS,
    "members in lists": _MEMBERS,
    "defaults": (_NEW_NAMES, _mapping_of(_names_to(lambda _value: True))),
    "names by member": (_OTHER_NAMES, _mapping_of(_names_to(_is_filled))),
    # Those of faults.
    "methods": ("a method or a list of them", lambda value: _is_text(value) or _list_of(_is_text)(value)),
    "pattern": ("a regular expression", _is_text),
    "when": ("before or after", lambda value: value in ("before", "after")),
    "page or JSON": ("html or json", lambda value: value in ("html", "json")),
    "object": ("an object", _is_object),
    "status": ("an HTTP status", _is_status),
    "records": ("a list of records", _list_of(_is_object)),
    "members of records": ("a list of members that records have", _list_of(_is_object)),
    "ids": ("a list of ids", _list_of(_is_count)),
}


def told(value: Any) -> str:
    """A value as a sentence shows it."""
    text = json.dumps(value, ensure_ascii=True, default=str, skipkeys=True)
    return text if len(text) <= 80 else f"{text[:80]}…"


def unknown(words: str, given: Any, known: Collection[str]) -> str:
    """A sentence about something unknown, with the nearest known name, or with all."""
    found = difflib.get_close_matches(str(given), list(known), 1)
    return f"{words}; did you mean {found[0]}?" if found else f"{words}; there are {', '.join(known)}."


def misfit(form: str, value: Any) -> str:
    """How a value must be written; empty where it is."""
    words, fits = FORMS[form]
    return "" if fits(value) else words
