# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON member by member: which values stay, and which become pseudonyms of which form."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from panel_simulator.recording import forms, vocabulary
from panel_simulator.recording.pseudonyms import Pseudonyms

_STATUSES = frozenset(status.value for status in HTTPStatus)
_CODES = {f"{status.value} {status.phrase}" for status in HTTPStatus}
_PANEL_VERSION = re.compile(r"\d{1,3}(\.\d{1,3}){1,2}", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)
_GREATEST_BUILD = 100_000
_MOST_PARTS = 5


def without_data(value: Any, to: Pseudonyms, name: str = "", holder: str = "", is_secret: bool = False) -> Any:
    """A copy of decoded JSON. name: of the member that has it; holder: of the member around that one."""
    if isinstance(value, Mapping):
        return _members(value, to, name, is_secret)
    if isinstance(value, list):
        return [without_data(item, to, name, holder, is_secret) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if is_secret:
        return _secret(value)
    if isinstance(value, int):
        return _number(value, to, name, holder)
    if isinstance(value, float):
        return to.real(value) if math.isfinite(value) else 0.5
    return member_text(value, to, name, holder)


def _secret(value: Any) -> Any:
    if not isinstance(value, str):
        return 0
    if "-----BEGIN " in value:
        return "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"
    return forms.SECRET if value else ""


def _members(value: Mapping[str, Any], to: Pseudonyms, holder: str, is_secret: bool) -> dict[str, Any]:
    names = _names(value, to)
    result: dict[str, Any] = {}
    for name, member in value.items():
        hides = is_secret or vocabulary.SECRET_NAME.search(name) is not None
        if not hides and _is_record(value) and name in ("host", "value") and isinstance(member, str):
            kind = str(value.get("type", ""))
            result[name] = forms.host(member, to) if name == "host" else forms.dns_value(kind, member, to)
        else:
            result[names[name]] = without_data(member, to, name, holder, hides)
    return result


def _is_record(value: Mapping[str, Any]) -> bool:
    return "host" in value and "type" in value


def _names(value: Mapping[str, Any], to: Pseudonyms) -> dict[str, str]:
    """The names of an object's members: any may be data, what is asked for by names for example, that is not made of the interface's words."""
    return {name: name if _is_own_name(name, to) else forms.any_text(name, to) for name in value}


def _is_own_name(name: str, to: Pseudonyms) -> bool:
    parts = name.split("_")
    is_made_of_words = 1 < len(parts) <= _MOST_PARTS and vocabulary.NAME_PARTS.issuperset(parts)
    return name in vocabulary.MEMBERS or (is_made_of_words and not any(map(to.knows_word, parts)))


def _number(value: int, to: Pseudonyms, name: str, holder: str) -> int:
    if name in vocabulary.IDS:
        return to.id(value)
    if vocabulary.is_kept_number(name, value) or (name == "code" and value in _STATUSES):
        return value
    if name == "panel_build" and 0 < value < _GREATEST_BUILD:
        return value
    return to.number(value, is_size=name in vocabulary.SIZES or holder in vocabulary.SIZES)


def member_text(value: str, to: Pseudonyms, name: str, holder: str = "") -> str:
    """The text of a member that is no secret."""
    if value in vocabulary.CHOICES.get(name, ()) or (name == "code" and value in _CODES):
        return value
    if name == "panel_version" and _PANEL_VERSION.fullmatch(value):
        return value
    if name in ("message", "code"):
        return forms.sentence(value, to)
    if name == "country" and re.fullmatch("[A-Z]{2}", value):
        return to.country(value)
    if name in vocabulary.SCHEDULE and value:
        return forms.schedule(value, to)
    if _NUMBER.fullmatch(value):
        return _digits(value, to, name, holder)
    as_size = forms.size(value, to) if name in vocabulary.SIZES or holder in vocabulary.SIZES else None
    if as_size is not None:
        return as_size
    return forms.name(value, to) if name in vocabulary.NAMES else forms.any_text(value, to)


def _digits(value: str, to: Pseudonyms, name: str, holder: str) -> str:
    number = int(value)
    if str(number) != value:
        return ("-" if value.startswith("-") else "") + to.digits(value.lstrip("-"))
    return str(_number(number, to, name, holder))
