# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one place where secrets are taken out of what a person sees. Private to the collection.

They are known by their options, by the names of members, and in whichever member they stand by what they look like.
"""

from __future__ import annotations

import functools
import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_CHARACTERS = r"[\w./+=,$-]"
_HASHES = (
    # crypt and phpass: $6$salt$hash, $2y$10$…, $argon2id$v=19$…, $P$B….
    rf"\$(?:[1567yPHS]|gy|2[abxy]?|md5|sha1|apr1|bcrypt-sha256|scrypt|pbkdf2(?:-\w+)?|argon2(?:i|d|id))\${_CHARACTERS}{{8,}}",
    # LDAP and Dovecot.
    rf"\{{(?:S?SHA\d*|S?MD5|CRYPT|[\w-]+-CRYPT|CRAM-MD5|DIGEST-MD5|ARGON2(?:I|D|ID)?|PBKDF2[\w-]*|PLAIN|CLEARTEXT)(?:\.\w+)?\}}{_CHARACTERS}{{8,}}",
    # Web frameworks.
    rf"(?:pbkdf2|bcrypt|argon2|scrypt)[\w:]*\${_CHARACTERS}{{8,}}",
    # PostgreSQL and MySQL.
    r"SCRAM-SHA-\d+\$\S{8,}",
    r"md5[0-9a-f]{32}",
    r"\*[0-9A-F]{40}",
)
# A whole line, also one of a file of users, with the name ahead and more fields behind.
_HASH = re.compile(
    rf"^[^\S\n]*(?:[^\s:${{]{{1,64}}:)?(?P<secret>{'|'.join(_HASHES)})(?::\S*)?[^\S\n]*$",
    re.ASCII | re.MULTILINE | re.IGNORECASE,
)
# What stands before the host of an address, where that can log in: a password, or a token in the place of a name.
_LOGIN = re.compile(
    r"(?<![a-z0-9+.-])(?:https?://|[a-z][a-z0-9+.-]*://(?=[^\s/?#\"<>@:]*:))(?P<secret>[^\s/?#\"<>]+)@",
    re.ASCII | re.IGNORECASE,
)


def holds_private_key(value: object) -> bool:
    """Whether a text is a private key in PEM."""
    return isinstance(value, str) and "PRIVATE KEY-----" in value


def _may_hold_one(text: str) -> bool:
    """Whether a text has what all of these have; most have not, and one expression for it would take twice the time for a long list."""
    return "$" in text or "://" in text or "}" in text or "*" in text or "-----" in text or "md5" in text.lower()


def secret_parts(text: str) -> list[str]:
    """What in a text is secret: private keys, hashes of passwords, and what logs in within an address."""
    if not _may_hold_one(text):
        return []
    if holds_private_key(text):
        return [text]
    return [hit["secret"] for pattern in (_HASH, _LOGIN) for hit in pattern.finditer(text)]


def without_secret_parts(text: str, mask: str) -> str:
    """The text with the mask in the place of each of them."""
    if not _may_hold_one(text):
        return text
    if holds_private_key(text):
        return mask
    for pattern in (_HASH, _LOGIN):
        text = pattern.sub(lambda hit: hit[0].replace(hit["secret"], mask), text)
    return text


MASK = "********"
ELLIPSIS = "…"  # where something is left out
OMITTED = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"  # Ansible's own words for it
# Which names are those of secrets: the last word of each, however its words are joined, what only describes it taken off.
_SECRET_WORDS = frozenset({
    "auth", "authorization", "bearer", "cookie", "credential", "cvc", "cvv", "jwt", "mnemonic", "otp", "pass", "pin", "private", "psk", "puk",
    "pw", "pwd", "salt", "seed", "totp",
})  # fmt: skip
_SECRET_ENDINGS = (
    "password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "motdepasse", "secret", "token", "apikey", "privatekey",
)  # fmt: skip
_SECRET_PAIRS = frozenset({
    ("access", "key"), ("account", "key"), ("api", "key"), ("auth", "key"), ("encryption", "key"), ("master", "key"), ("private", "key"),
    ("secret", "key"), ("signing", "key"), ("ssh", "key"), ("hmac", "key"), ("pass", "word"), ("login", "url"), ("session", "id"),
    ("recovery", "code"), ("recovery", "phrase"), ("backup", "code"), ("security", "code"), ("pin", "code"), ("otp", "code"), ("totp", "code"),
    ("licence", "key"), ("license", "key"), ("shared", "key"), ("reset", "link"), ("reset", "url"), ("login", "link"), ("magic", "link"),
    ("de", "passe"),
})  # fmt: skip
# As the whole name only: longer ones describe something, or count.
_SECRET_NAMES = frozenset({"crypt", "hash", "hashes", "session", "signature"})
_DESCRIPTIONS = frozenset({
    "again", "b64", "base64", "confirm", "confirmation", "crypt", "encrypted", "hash", "hashed", "hashes", "new", "old", "os", "pem",
    "plain", "repeat", "text", "value",
})  # fmt: skip
# Before the name of a secret, these ask whether there is one.
_QUESTIONS = frozenset({
    "allow", "allows", "can", "enable", "has", "is", "may", "must", "need", "needs", "require", "requires", "show", "use", "uses",
})  # fmt: skip
_WORDS_OF_A_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_ADDRESS = re.compile(r"\s*https?://[^/?#]*", re.IGNORECASE)
# A user name and password before the host, which api_url refuses, but somebody may have written.
_LOGIN_IN_ADDRESS = re.compile(r"^(\s*(?:[a-z]+://)?)[^/]*@", re.IGNORECASE)
# A parameter with a value; what has none may be a secret itself, also one in base64, which ends in equals signs.
_PARAMETER = re.compile(r"([a-z][\w.\[\]-]{0,39}=)[^=].*", re.IGNORECASE | re.DOTALL)
_ADDRESSES = frozenset({"api_url", "path"})
# Shorter secrets are looked for as whole words only, so that "admin" does not blank half of a sentence.
LENGTH_OF_A_WORD = 8


@functools.lru_cache(maxsize=1024)
def is_secret_name(name: Any) -> bool:
    """Whether a member with this name holds a secret: password, new-password, privateKey, API_KEY, pwd; not key, auth_name, token_count."""
    if not isinstance(name, str):
        return False
    words = [word.lower() for word in _WORDS_OF_A_NAME.findall(name)]
    if len(words) == 1 and words[0] in _SECRET_NAMES:
        return True
    while len(words) > 1 and (words[-1] in _DESCRIPTIONS or words[-1].isdigit()):
        words.pop()
    if not words:
        return False
    last = words[-1] if words[-1] in _SECRET_WORDS or not words[-1].endswith("s") else words[-1][:-1]
    return last in _SECRET_WORDS or last.endswith(_SECRET_ENDINGS) or (*words[-2:-1], last) in _SECRET_PAIRS


def _is_secret(name: Any, value: Any) -> bool:
    """Whether a member holds a secret; a switch that asks for one does not."""
    if not is_secret_name(name):
        return False
    return not (isinstance(value, bool) and _WORDS_OF_A_NAME.findall(name)[0].lower() in _QUESTIONS)


def shown_text(text: str) -> str:
    """A text without what is secret in it by its form; one that is JSON in turn, without its members whose names are those of secrets."""
    try:
        value = _parsed(text)
        if value is None:
            return without_secret_parts(text, MASK)
        shown = with_masked_secrets(value)
    except (_CannotTell, RecursionError):
        return MASK
    return text if shown == value else json.dumps(shown, ensure_ascii=False)


def _secrets_in_text(text: str) -> list[str]:
    """What ``shown_text`` does not show."""
    try:
        value = _parsed(text)
    except (_CannotTell, RecursionError):
        return [text]
    if value is not None:
        return secret_texts_in(value)
    # Of a name and a password the name is shown elsewhere, too.
    return [part.partition(":")[2] or part.rstrip(":") if "://" in text else part for part in secret_parts(text)]


def holds_secret_by_form(value: Any) -> bool:
    """Whether a text, or one inside of a value, is not shown as it is."""
    if isinstance(value, Mapping):
        return any(map(holds_secret_by_form, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(holds_secret_by_form, value))
    return isinstance(value, str) and shown_text(value) != value


def is_masked(text: str) -> bool:
    """Whether a text is one that came of ``shown_text``, where it had a secret."""
    if MASK not in text:
        return False
    return any(shown_text(text.replace(MASK, secret)) == text for secret in ("password", "$6$salt$hash"))


class _CannotTell(ValueError):
    """A text of JSON that programs read differently: it has a member twice."""


def _parsed(text: str) -> Any:
    """What a text of JSON stands for; None for a text that is none, and for one that a number or a single word is."""
    if not text.lstrip().startswith(("{", "[", '"')):
        return None
    try:
        return json.loads(text, object_pairs_hook=_unambiguous)
    except _CannotTell:
        raise
    except ValueError:
        return None


def _unambiguous(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        raise _CannotTell
    return found


def without_secrets(value: Any, public: frozenset[str] = frozenset()) -> Any:
    """A copy without the members whose names are those of secrets, and with what is secret by its form masked elsewhere.

    public: names of members whose texts the world can read anyway; of these private keys alone are masked.
    """
    if isinstance(value, dict):
        return {
            name: member
            if name in public and isinstance(member, str) and not holds_private_key(member)
            else without_secrets(member, public)
            for name, member in value.items()
            if not _is_secret(name, member)
        }
    if isinstance(value, list):
        return [without_secrets(entry, public) for entry in value]
    return shown_text(value) if isinstance(value, str) else value


def with_masked_secrets(value: Any) -> Any:
    """A copy in which the members whose names are those of secrets are masked, and what is secret by its form."""
    if isinstance(value, dict):
        return {
            name: MASK if _is_secret(name, member) and member not in (None, "") else with_masked_secrets(member)
            for name, member in value.items()
        }
    if isinstance(value, list):
        return [with_masked_secrets(entry) for entry in value]
    return shown_text(value) if isinstance(value, str) else value


def with_masked_texts(value: Any) -> Any:
    """A copy in which every text is masked, for answers that are secrets as a whole."""
    if isinstance(value, dict):
        return {name: with_masked_texts(member) for name, member in value.items()}
    if isinstance(value, list):
        return [with_masked_texts(entry) for entry in value]
    return MASK if isinstance(value, str) and value else value


def shown_arguments(params: Mapping[str, Any], argument_spec: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a task as its invocation may show them."""
    shown: dict[str, Any] = {}
    for name, value in params.items():
        specification = argument_spec.get(name, {})
        if value is None:
            shown[name] = None
        elif name in _ADDRESSES and isinstance(value, str):
            shown[name] = shown_address(value)
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


def option_names(argument_spec: Mapping[str, Any]) -> Iterator[str]:
    """The names of options, those of members also with what they are in."""
    for name, specification in argument_spec.items():
        yield name
        for member in option_names(specification.get("options") or {}):
            yield from (member, f"{name}.{member}")


def logged_arguments(params: Mapping[str, Any], argument_spec: Mapping[str, Any]) -> dict[str, Any]:
    """The same for the log of a system, which others read for years: of dictionaries of anyone's making the names alone."""
    return {
        name: _names_alone(value)
        if argument_spec.get(name, {}).get("type") in ("dict", "raw")
        and "options" not in argument_spec[name]
        and isinstance(value, (dict, list))
        else value
        for name, value in shown_arguments(params, argument_spec).items()
    }


def _names_alone(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _names_alone(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_names_alone(entry) for entry in value]
    return value if value is None or isinstance(value, bool) else MASK


def shown_address(text: str) -> str:
    """An address or a path without what logs in; of its parameters the names alone."""
    place, question, query = text.partition("#")[0].partition("?")
    parameters = [hit[1] + MASK if (hit := _PARAMETER.fullmatch(one)) else MASK for one in query.split("&")]
    fragment = f"#{MASK}" if "#" in text else ""
    return _LOGIN_IN_ADDRESS.sub(rf"\1{MASK}@", place) + question + "&".join(parameters) * bool(question) + fragment


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
    return text if len(text) < LENGTH_OF_A_WORD or text.isdecimal() else OMITTED


def _holds_secrets(specification: Mapping[str, Any]) -> bool:
    members = specification.get("options") or {}
    return any(member.get("no_log") or _holds_secrets(member) for member in members.values())


def secrets_in(params: Mapping[str, Any], argument_spec: Mapping[str, Any]) -> list[str]:
    """The values of all options that are marked no_log, of secret-named members of dictionaries, and secrets by their form."""
    found: list[str] = []
    for name, value in params.items():
        specification = argument_spec.get(name, {})
        if specification.get("type") == "raw" and isinstance(value, str):
            value = structured(value)
        if specification.get("no_log", is_secret_name(name)):
            found += texts_in(value)
            continue
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, dict):
                found += secrets_in(entry, specification.get("options") or {})
            elif isinstance(entry, str):
                found += _secrets_in_text(entry)
    return found


def secret_texts_in(data: Any) -> list[str]:
    """What an answer holds of secrets: members whose names are those of secrets, and secrets by their form; of addresses what logs in."""
    found: list[str] = []
    waiting = deque([data])
    while waiting:
        value = waiting.popleft()
        if isinstance(value, dict):
            for name, member in value.items():
                if is_secret_name(name):
                    found += [part for text in texts_in(member) for part in _without_host(text)]
                elif isinstance(member, (str, dict, list)):
                    waiting.append(member)
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str):
            found += _secrets_in_text(value)
    return found


def _without_host(text: str) -> list[str]:
    """A text as it is; of an address the parts that are no words, since its host is in every other one too."""
    host = _ADDRESS.match(text)
    if host is None:
        return [text]
    return [part for part in re.split(r"[/?&=#]", text[host.end() :]) if len(part) >= LENGTH_OF_A_WORD]


def texts_in(value: Any) -> list[str]:
    """Every text and number in a value, as a text."""
    if isinstance(value, dict):
        return [text for member in value.values() for text in texts_in(member)]
    if isinstance(value, list):
        return [text for entry in value for text in texts_in(entry)]
    if isinstance(value, bool) or value is None or value == "":
        return []
    return [str(value)]


class Redactor:
    """Takes the secrets of options out of our own messages, which show values that were refused.

    What a panel wrote has gone through foreign_texts.py before. It gets ready with the first text, because a task without one should
    not pay for it.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = frozenset(secrets)

    @functools.cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        forms = {form for secret in self._secrets for form in _as_shown(secret)}
        patterns = [
            re.escape(form) if len(form) >= LENGTH_OF_A_WORD else rf"(?<!\w){re.escape(form)}(?!\w)"
            for form in sorted(forms, key=len, reverse=True)
        ]
        return re.compile("|".join(patterns)) if patterns else None

    def text(self, text: str) -> str:
        return self._pattern.sub(MASK, text) if self._pattern else text

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


def _as_shown(secret: str) -> set[str]:
    """The ways in which Ansible and we write a value into a message: as it is, in quotes of Python, in those of JSON, on one line."""
    texts = {secret, secret.strip(), " ".join(secret.split())}
    if "-----" in secret:
        # Of a key each line is enough, but for those that say only what it is.
        texts |= {line for line in secret.split() if len(line) >= LENGTH_OF_A_WORD and "-----" not in line}
    shown = {form for text in texts for form in (text, repr(text)[1:-1], json.dumps(text)[1:-1])}
    return {form for form in shown if form.strip()}
