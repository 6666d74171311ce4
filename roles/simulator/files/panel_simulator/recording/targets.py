# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was asked for: path and query in pseudonyms, percent-encoded wherever and however they were."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, unquote_plus

from panel_simulator import API_PATH
from panel_simulator.recording import forms, vocabulary
from panel_simulator.recording.members import member_text
from panel_simulator.recording.pseudonyms import Pseudonyms

_ENCODED = re.compile(r"((?:%[0-9A-Fa-f]{2})+)")


def target_without_data(target: str, to: Pseudonyms) -> str:
    """A target below the API's path, as it was sent."""
    path, mark, query = target.partition("?")
    return _path(path, to) + (mark and "?" + "&".join(_parameter(part, to) for part in query.split("&")))


def _path(path: str, to: Pseudonyms) -> str:
    segments = path.removeprefix(API_PATH).split("/")
    shown: list[str] = []
    for place, segment in enumerate(segments):
        if segment == "" or (segment in vocabulary.PATH_WORDS and segments[place - 1] != "name"):
            shown.append(segment)
        elif re.fullmatch(r"\d{1,18}", segment, re.ASCII) and segments[place - 1] != "name":
            shown.append(str(to.id(int(segment))))
        else:
            shown.append(_encoded_alike(segment, _named(unquote(segment), segments[1], to)))
    return API_PATH + "/".join(shown)


def _named(text: str, collection: str, to: Pseudonyms) -> str:
    """What a path names, as the member of such an object shows it."""
    if collection in ("emails", "domains", "dns"):
        return forms.any_text(text, to)
    return member_text(text, to, "name")


def _encoded_alike(sent: str, pseudonym: str) -> str:
    """A pseudonym with each character that is no letter encoded as it was sent: "@" as "%40", "%2f" or "@"."""
    forms_of: dict[str, str] = {}
    for place, piece in enumerate(_ENCODED.split(sent)):
        if place % 2:
            is_small = piece != piece.upper()
            for character in unquote(piece):
                encoded = quote(character, safe="")
                encoded = encoded if "%" in encoded else f"%{ord(character):02X}"
                if not character.isalnum():
                    forms_of.setdefault(character, encoded.lower() if is_small else encoded)
        else:
            forms_of.update(
                {character: character for character in piece if not character.isalnum() and character.isascii()}
            )
    return "".join(forms_of.get(character) or quote(character, safe="") for character in pseudonym)


def _parameter(part: str, to: Pseudonyms) -> str:
    name, mark, value = part.partition("=")
    shown = name if name in vocabulary.MEMBERS else quote(forms.any_text(unquote_plus(name), to), safe="")
    return shown + mark + (quote(_value(name, unquote_plus(value), to), safe="") if value else "")


def _value(name: str, value: str, to: Pseudonyms) -> str:
    if vocabulary.SECRET_NAME.search(name):
        return forms.SECRET
    if name == "month" and re.fullmatch(r"\d{4}-\d\d", value, re.ASCII):
        return to.month(value)
    return member_text(value, to, "" if name == "month" else name)
