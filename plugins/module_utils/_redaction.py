# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one place where secrets are taken out of what a person sees. Private to the collection."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

MASK = "********"
ELLIPSIS = "…"  # where a long text was cut
OMITTED = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"  # Ansible's own words for it
_SECRET_NAME = re.compile(
    r"(^|_)(password|passwd|secret|token|private_key|api_key|passphrase)(_hash(_os)?)?$", re.IGNORECASE
)
# A user name and password before the host, which api_url refuses, but somebody may have written.
_LOGIN_IN_ADDRESS = re.compile(r"^(\s*(?:[a-z]+://)?)[^/]*@", re.IGNORECASE)
_QUERY_OF_ADDRESS = re.compile(r"([?#]).*", re.DOTALL)
# Shorter secrets are looked for as whole words only, so that "admin" does not blank half of a sentence.
_LENGTH_OF_A_WORD = 8


@functools.lru_cache(maxsize=1024)
def is_secret_name(name: Any) -> bool:
    """Whether a member with this name holds a secret."""
    return isinstance(name, str) and _SECRET_NAME.search(name) is not None


def holds_private_key(value: Any) -> bool:
    """Whether a text is a private key in PEM, in whichever member it stands."""
    return isinstance(value, str) and "PRIVATE KEY-----" in value


def without_secrets(value: Any) -> Any:
    """A copy without the members whose names are those of secrets, and with private keys elsewhere masked."""
    if isinstance(value, dict):
        return {name: without_secrets(member) for name, member in value.items() if not is_secret_name(name)}
    if isinstance(value, list):
        return [without_secrets(entry) for entry in value]
    return MASK if holds_private_key(value) else value


def with_masked_secrets(value: Any) -> Any:
    """A copy in which the members whose names are those of secrets are masked, and private keys."""
    if isinstance(value, dict):
        return {
            name: MASK if is_secret_name(name) and member not in (None, "") else with_masked_secrets(member)
            for name, member in value.items()
        }
    if isinstance(value, list):
        return [with_masked_secrets(entry) for entry in value]
    return MASK if holds_private_key(value) else value


def shown_arguments(params: Mapping[str, Any], argument_spec: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a task as its invocation may show them."""
    shown: dict[str, Any] = {}
    for name, value in params.items():
        specification = argument_spec.get(name, {})
        if value is None:
            shown[name] = None
        elif name == "api_url" and isinstance(value, str):
            shown[name] = _QUERY_OF_ADDRESS.sub(rf"\1{MASK}", _LOGIN_IN_ADDRESS.sub(rf"\1{MASK}@", value))
        elif specification.get("no_log"):
            shown[name] = OMITTED
        elif not specification:
            # No option of this module; a mistyped name of a secret looks like any other.
            shown[name] = MASK
        elif "options" in specification and isinstance(value, dict):
            shown[name] = shown_arguments(value, specification["options"])
        elif not isinstance(value, (dict, list)) and _holds_secrets(specification):
            # A text in the place of a dictionary: the whole of it may be the secret member.
            shown[name] = OMITTED
        elif "options" in specification and isinstance(value, list):
            shown[name] = [
                shown_arguments(entry, specification["options"]) if isinstance(entry, dict) else entry
                for entry in value
            ]
        elif specification.get("type") in ("raw", "dict") and isinstance(value, str):
            shown[name] = _shown_text(value)
        else:
            shown[name] = with_masked_secrets(value)
    return shown


def structured(text: str) -> Any:
    """What a text of JSON stands for, where that is a dictionary or a list; None for every other text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (dict, list)) else None


def _shown_text(text: str) -> Any:
    """A text in the place of anything; one that is longer than a number may be a structure with secrets, badly written."""
    value = structured(text)
    if value is not None:
        return with_masked_secrets(value)
    return text if len(text) < _LENGTH_OF_A_WORD or text.isdecimal() else OMITTED


def _holds_secrets(specification: Mapping[str, Any]) -> bool:
    members = specification.get("options") or {}
    return any(member.get("no_log") or _holds_secrets(member) for member in members.values())


def secrets_in(params: Mapping[str, Any], argument_spec: Mapping[str, Any]) -> list[str]:
    """The values of all options that are marked no_log, of secret-named members of dictionaries, and private keys."""
    found: list[str] = []
    for name, value in params.items():
        specification = argument_spec.get(name, {})
        if specification.get("type") == "raw" and isinstance(value, str):
            value = structured(value)
        if specification.get("no_log", is_secret_name(name)) or holds_private_key(value):
            found += _texts_in(value)
        elif isinstance(value, dict):
            found += secrets_in(value, specification.get("options") or {})
        elif isinstance(value, list):
            for entry in value:
                if isinstance(entry, dict):
                    found += secrets_in(entry, specification.get("options") or {})
    return found


def _texts_in(value: Any) -> list[str]:
    """Every text and number in a value, as a text."""
    if isinstance(value, dict):
        return [text for member in value.values() for text in _texts_in(member)]
    if isinstance(value, list):
        return [text for entry in value for text in _texts_in(entry)]
    if isinstance(value, bool) or value is None or value == "":
        return []
    return [str(value)]


class Redactor:
    """Takes known secrets out of texts that the panel wrote, in the encodings in which they may come back.

    It gets ready with the first text, because a task without one should not pay for it.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = frozenset(secrets)

    @functools.cached_property
    def _forms(self) -> set[str]:
        from ansible_collections.hosting.panel.plugins.module_utils._secret_forms import forms_of

        forms: set[str] = set()
        for secret in self._secrets:
            forms |= forms_of(secret, _LENGTH_OF_A_WORD)
        return forms

    @functools.cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        patterns = [
            re.escape(form) if len(form) >= _LENGTH_OF_A_WORD else rf"(?<!\w){re.escape(form)}(?!\w)"
            for form in sorted(self._forms, key=len, reverse=True)
        ]
        return re.compile("|".join(patterns)) if patterns else None

    def text(self, text: str) -> str:
        return self._without_beginnings(self._pattern.sub(MASK, text)) if self._pattern else text

    def _without_beginnings(self, text: str) -> str:
        """Long texts of the panel are cut before they come here, maybe in the middle of a secret."""
        *cut, rest = text.split(ELLIPSIS)
        return "".join(self._without_beginning(part) + ELLIPSIS for part in cut) + rest

    def _without_beginning(self, text: str) -> str:
        longest = 0
        for form in self._forms:
            for length in range(min(len(form) - 1, len(text)), max(longest, _LENGTH_OF_A_WORD // 2 - 1), -1):
                if text.endswith(form[:length]):
                    longest = length
                    break
        return text[:-longest] + MASK if longest else text

    def value(self, value: Any) -> Any:
        """The same for every text inside a value."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {name: self.value(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self.value(entry) for entry in value]
        return value
