# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds secrets in values by their options, by the names of fields, and by what they look like. Pure. Private to the collection."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from typing import Any, Callable

MASK = "********"
OMITTED = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"  # Ansible's own words for it
LENGTH_OF_A_WORD = 8
"""A shorter secret is masked as a whole word only, so that "admin" does not blank half of a sentence."""
_CHARACTERS = r"[\w./+=,$-]"
_HASHES = (
    # crypt and phpass: $6$salt$hash, $2y$10$…, $argon2id$v=19$…, $P$B….
    rf"\$(?:[1567yPHS]|gy|2[abxy]?|md5|sha1|apr1|bcrypt-sha256|scrypt|pbkdf2(?:-\w+)?|argon2(?:i|d|id))\${_CHARACTERS}{{8,}}",
    # LDAP and Dovecot.
    rf"\{{(?:S?SHA\d*|S?MD5|CRYPT|[\w-]+-CRYPT|CRAM-MD5|DIGEST-MD5|ARGON2(?:I|D|ID)?|PBKDF2[\w-]*|PLAIN|CLEARTEXT)(?:\.\w+)?\}}{_CHARACTERS}{{8,}}",
    # Web frameworks, PostgreSQL and MySQL.
    rf"(?:pbkdf2|bcrypt|argon2|scrypt)[\w:]*\${_CHARACTERS}{{8,}}|SCRAM-SHA-\d+\$\S{{8,}}|md5[0-9a-f]{{32}}|\*[0-9A-F]{{40}}",
)
# A whole line, also one of a file of users, with the name ahead and more fields behind.
_HASH = re.compile(
    rf"^[^\S\n]*(?:[^\s:${{]{{1,64}}:)?(?P<secret>{'|'.join(_HASHES)})(?::\S*)?[^\S\n]*$",
    re.ASCII | re.MULTILINE | re.IGNORECASE,
)
_HASH_IN_TEXT = re.compile(rf"(?<![\w$])(?P<secret>{'|'.join(_HASHES)})", re.ASCII | re.IGNORECASE)
# What stands before the host of an address, where that can log in: a password, or a token in the place of a name.
_LOGIN = re.compile(
    r"(?<![a-z0-9+.-])(?:https?://|[a-z][a-z0-9+.-]*://(?=[^\s/?#\"<>@:]*:))(?P<secret>[^\s/?#\"<>]+)@",
    re.ASCII | re.IGNORECASE,
)
_LOGIN_URL = re.compile(r"https?://[^\s\"'<>]*login[^\s\"'<>]*", re.IGNORECASE)
PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)", re.DOTALL
)
_NAMED_VALUE = re.compile(
    r"""(?P<name>[\w-]+)(?P<between>\\?["']?\s*(?:=>|[:=])\s*)(?P<value>\\?"(?:[^"\\]|\\.)*\\?"?|'[^']*'?|[^\s,;&}<"']+)"""
)
_WORDS_OF_A_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
# The last word of a name decides, however its words are joined, without what only describes it.
_SECRET_NAME = re.compile(
    r"(?:crypt|hash|hashes|session|signature)|.*?(?:"
    r"(?:^|_)(?:auth|authorization|bearer|cookie|credential|cvc|cvv|jwt|mnemonic|otp|pass|pin|private|psk|puk|pw|pwd|salt|seed|totp"
    r"|(?:access|account|api|auth|encryption|hmac|licen[cs]e|master|private|secret|shared|signing|ssh)_key"
    r"|(?:backup|otp|pin|recovery|security|totp)_code|pass_word|de_passe|session_id|recovery_phrase"
    r"|(?:login|reset)_url|(?:login|magic|reset)_link)"
    r"|(?:password|passwd|passphrase|passcode|passwort|kennwort|motdepasse|secret|token|apikey|privatekey)"
    r")s?(?:_(?:again|b64|base64|confirm|confirmation|crypt|encrypted|hash|hashed|hashes|new|old|os|pem|plain|repeat|text|value|\d+))*"
)
_OF_ADDRESSES = re.compile("url|link", re.IGNORECASE)
_HOST = re.compile(r"\s*https?://[^/?#]*", re.IGNORECASE)
_PARTS = re.compile(rf"[^/?&=#]{{{LENGTH_OF_A_WORD},}}")
# A user name and password before the host, which api_url refuses.
_LOGIN_IN_ADDRESS = re.compile(r"^(\s*(?:(?:[a-z]+:)?//)?)[^/]*@", re.IGNORECASE)
_PARAMETERS = re.compile("([?#]).*", re.DOTALL)
_DROPPED = object()
_MASKED = re.compile(rf"^\s*(?:[^\s:]{{1,64}}:)?{re.escape(MASK)}(?::\S*)?\s*$|://{re.escape(MASK)}@", re.MULTILINE)


@functools.lru_cache(maxsize=1024)
def is_secret_name(name: Any) -> bool:
    """Whether a field with this name holds a secret: password, new-password, privateKey, API_KEY, pwd; not key, auth_name, token_count."""
    return isinstance(name, str) and bool(_SECRET_NAME.fullmatch("_".join(_WORDS_OF_A_NAME.findall(name)).lower()))


def holds_private_key(value: object) -> bool:
    return isinstance(value, str) and "PRIVATE KEY-----" in value


def shown_text(text: str, hashes: re.Pattern[str] = _HASH) -> str:
    """A field's text without what is secret by its form: a private key, a hash of a password, what logs in within an address."""
    # Most texts have nothing of all of these, and one expression for it would take twice the time for a long list.
    if not ("$" in text or "://" in text or "}" in text or "*" in text or "-----" in text or "md5" in text.lower()):
        return text
    if holds_private_key(text):
        return MASK
    for pattern in (hashes, _LOGIN):
        text = pattern.sub(lambda hit: hit[0].replace(hit["secret"], MASK), text)
    return text


def is_masked(text: str) -> bool:
    """Whether a text is one that came of ``shown_text``, where it had a secret."""
    return bool(_MASKED.search(text))


def without_forms_and_names(text: str) -> str:
    """The same for an answer that cannot be read, with hashes in the middle of a line, and the values behind the names of secret fields."""

    def without_value(hit: re.Match[str]) -> str:
        return f"{hit['name']}{hit['between']}{MASK}" if is_secret_name(hit["name"]) else hit[0]

    return _NAMED_VALUE.sub(without_value, shown_text(_LOGIN_URL.sub(MASK, PRIVATE_KEY.sub(MASK, text)), _HASH_IN_TEXT))


def holds_secret_by_form(value: Any) -> bool:
    """Whether a text, or one inside of a value, is not shown as it is."""
    return bool(mapped(value, shown_text) != value)


def mapped(value: Any, text: Callable[[str], str], secret: Any = None, public: frozenset[str] = frozenset()) -> Any:
    """A copy of a value with each of its texts replaced. secret: what stands in place of a field with the name of a secret, if anything.

    public: names of fields whose texts everyone can read anyway; of these private keys alone are replaced.
    """
    if isinstance(value, dict):
        found = {}
        for name, member in value.items():
            if secret is None or not is_secret_name(name) or isinstance(member, bool):  # a switch may ask for a secret
                is_public = name in public and isinstance(member, str) and not holds_private_key(member)
                found[name] = member if is_public else mapped(member, text, secret, public)
            elif secret is not _DROPPED:
                found[name] = member if member in (None, "") else secret
        return found
    if isinstance(value, (list, tuple)):
        return [mapped(entry, text, secret, public) for entry in value]
    return text(value) if isinstance(value, str) else value


def without_secrets(value: Any, public: frozenset[str] = frozenset()) -> Any:
    """A copy without secret fields, and with what is secret by its form masked elsewhere. public: as of ``mapped``."""
    return mapped(value, shown_text, _DROPPED, public)


def with_masked_secrets(value: Any) -> Any:
    """A copy in which secret fields are masked, and what is secret by its form."""
    return mapped(value, shown_text, MASK)


def texts_in(value: Any) -> list[str]:
    """Every text and number in a value, as a text."""
    if isinstance(value, (dict, list)):
        return [text for member in (value.values() if isinstance(value, dict) else value) for text in texts_in(member)]
    return [] if isinstance(value, bool) or value is None or value == "" else [str(value)]


def secrets_in(value: Any, argument_spec: Mapping[str, Any] | None = None) -> list[str]:
    """The values of all options that are marked no_log, and of all fields with the name of a secret."""
    if isinstance(value, list):
        return [text for entry in value for text in secrets_in(entry, argument_spec)]
    found: list[str] = []
    for name, member in value.items() if isinstance(value, dict) else ():
        specification = argument_spec.get(name, {}) if argument_spec else {}
        if specification.get("type") == "raw" and isinstance(member, str):
            member = structured(member) or member
        if specification.get("no_log", is_secret_name(name)):
            texts = texts_in(member)
            # Of an address the parts that are no words, since the host is in every other one too.
            is_address = _OF_ADDRESSES.search(name)
            found += [part for text in texts for part in _PARTS.findall(_HOST.sub("", text))] if is_address else texts
        elif isinstance(member, (dict, list)):
            found += secrets_in(member, specification.get("options"))
    return found


def shown_arguments(params: Mapping[str, Any], argument_spec: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a task as its invocation may show them."""
    return {name: _shown_argument(name, value, argument_spec.get(name)) for name, value in params.items()}


def _shown_argument(name: str, value: Any, specification: Mapping[str, Any] | None) -> Any:
    if value is None:
        return None
    if specification is None:
        return MASK  # what is no option of this module may be a mistyped name of a secret one
    if specification.get("no_log"):
        return OMITTED
    members = specification.get("options")
    if isinstance(value, str) and specification.get("type") in ("raw", "dict"):
        is_short = members is None and (len(value) < LENGTH_OF_A_WORD or value.isdecimal())
        # In place of a dictionary it may be a secret field, and a text that is longer than a number a structure, badly written.
        value = structured(value) or (value if is_short else OMITTED)
    if members is None:
        is_address = name in ("api_url", "path") and isinstance(value, str)
        return shown_address(value) if is_address else with_masked_secrets(value)
    if isinstance(value, list):
        return [_shown_argument(name, entry, specification) for entry in value]
    return shown_arguments(value, members) if isinstance(value, dict) else OMITTED


def shown_address(text: str) -> str:
    """An address or a path without what logs in, and without parameters."""
    return _LOGIN_IN_ADDRESS.sub(rf"\1{MASK}@", _PARAMETERS.sub(rf"\1{MASK}", text))


def structured(text: str) -> Any:
    """What a text of JSON stands for, if that is a dictionary or a list; None for every other text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (dict, list)) else None
