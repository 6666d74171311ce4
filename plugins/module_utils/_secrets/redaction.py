# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds secrets by options, names of fields and what they look like. Pure.

Known secrets leave every text that a panel or a message repeats; all else of the panel's words is
shown.
"""

from __future__ import annotations

import functools
import html
import json
import re
import threading
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, Callable

from .spellings import Margins, Reading, base64_forms, readings

MASK = "********"
KEY_MASK = f"{MASK} (private key)"
"""What stands for a private key in a text that has more than the key."""
OMITTED = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"  # Ansible's own words for it
LENGTH_OF_A_WORD = 8
"""A shorter secret is masked as a whole word only, so that "admin" does not blank half of a
sentence.
"""
_CHARACTERS = r"[\w./+=,$-]"
_HASHES = (
    # crypt and phpass: $6$salt$hash, $2y$10$…, $argon2id$v=19$…, $P$B….
    (
        r"\$(?:[1567yPHS]|gy|2[abxy]?|md5|sha1|apr1|bcrypt-sha256|scrypt|pbkdf2(?:-\w+)?"
        rf"|argon2(?:i|d|id))\${_CHARACTERS}{{8,}}"
    ),
    # LDAP and Dovecot.
    (
        r"\{(?:S?SHA\d*|S?MD5|CRYPT|[\w-]+-CRYPT|CRAM-MD5|DIGEST-MD5|ARGON2(?:I|D|ID)?|PBKDF2[\w-]*"
        rf"|PLAIN|CLEARTEXT)(?:\.\w+)?\}}{_CHARACTERS}{{8,}}"
    ),
    # Web frameworks, PostgreSQL and MySQL.
    (
        rf"(?:pbkdf2|bcrypt|argon2|scrypt)[\w:]{{0,64}}\${_CHARACTERS}{{8,}}"
        r"|SCRAM-SHA-\d+\$\S{8,}(?!\S)|md5[0-9a-f]{32}|\*[0-9A-F]{40}"
    ),
)
# A whole line, also one of a file of users, with the name ahead and more fields behind.
_HASH = re.compile(
    rf"^[^\S\n]*(?:[^\s:${{]{{1,64}}:)?(?P<secret>{'|'.join(_HASHES)})(?::\S*)?[^\S\n]*$",
    re.ASCII | re.MULTILINE | re.IGNORECASE,
)
_HASH_IN_TEXT = re.compile(rf"(?<![\w$])(?P<secret>{'|'.join(_HASHES)})", re.ASCII | re.IGNORECASE)
# What stands before the host of an address, where that can log in: a password, or a token in the
# place of a name.
_LOGIN = re.compile(
    r"(?<![a-z0-9+.-])(?:https?://|[a-z][a-z0-9+.-]*://(?=[^\s/?#\"<>@:]*:))"
    r"(?P<secret>[^\s/?#\"<>]+)@",
    re.ASCII | re.IGNORECASE,
)
# A password within a command; not a variable of the shell, whose name is no secret.
_WORD_OF_SHELL = (
    r"""(?P<secret>(?!"?\$[A-Za-z_({])(?!\*{8})(?:'[^'\n]*'|"[^"\n]*"|[^\s'";|&<>]+))"""
)
_IN_A_COMMAND = r"[^\n;|&]{0,200}?"
_PASSWORDS_IN_COMMANDS = tuple(
    re.compile(before + _WORD_OF_SHELL, re.ASCII)
    for before in (
        rf"(?<![\w-])(?:mysql\w{{0,20}}|mariadb[\w-]{{0,20}})\b{_IN_A_COMMAND}\s-p",
        r"(?<![\w-])sshpass\s{1,9}-p\s{0,9}",
        rf"(?<![\w-])curl\b{_IN_A_COMMAND}\s(?:-u|--user)[\s=]{{0,9}}[^\s:'\"]{{1,64}}:",
        r"(?<!\S)--(?:[a-z]{1,20}-){0,3}pass(?:word|wd)?=",
        r"(?<!\w)(?:MYSQL_PWD|SSHPASS|[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PASSPHRASE))=",
    )
)
_URL = re.compile(r"https?://[^\s\"'<>]*", re.IGNORECASE)
PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)", re.DOTALL
)
# A key in a field ends where its letters do, though its end is missing: what stands behind it may
# be code that will run.
_KEY_BREAK = r"(?:\s|\\[nrt])"
_KEY_LETTER = r"[A-Za-z0-9+/=]"
_KEY_END = r"-----END [A-Z0-9 ]*PRIVATE KEY-----(?:\\[nrt])*"
_KEY_IN_FIELD = re.compile(
    rf"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:{_KEY_BREAK}*(?:Proc-Type|DEK-Info): [\w,-]+)*"
    rf"(?:(?:{_KEY_BREAK}|{_KEY_LETTER})*{_KEY_END}|(?:{_KEY_BREAK}*{_KEY_LETTER}{{16,}})*)"
)
# Lines of a key that something else stands between, such as the sign of a comment.
_KEY_LINE = re.compile(rf"{_KEY_LETTER}{{32,}}")
_PEM_MARK = re.compile(r"-----[^-\n]*-----")
_PEM_LINE = 64
_NAMED_VALUE = re.compile(
    r"""(?<![\w-])(?P<name>[\w-]+)(?P<between>\\?["']?\s*(?:=>|[:=])\s*)"""
    r"""(?P<value>\\?"(?:[^"\\]|\\.)*\\?"?|'[^']*'?|[^\s,;&}<"']+)"""
)
_WORDS_OF_A_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
# The last word of a name decides, however its words are joined, without what only describes it.
_SECRET_NAME = re.compile(
    r"(?:crypt|hash|hashes|session|signature)|.*?(?:"
    r"(?:^|_)(?:auth|authorization|bearer|cookie|credential|cvc|cvv|jwt|mnemonic|otp|pass|pin"
    r"|private|psk|puk|pw|pwd|salt|seed|totp"
    r"|(?:access|account|api|auth|encryption|hmac|licen[cs]e|master|private|secret|shared|signing"
    r"|ssh)_key"
    r"|(?:auth|authorization|backup|epp|otp|pin|recovery|security|totp|transfer)_code"
    r"|auth_info|pass_word|de_passe|session_id|recovery_phrase"
    r"|(?:login|reset)_url|(?:login|magic|reset)_link)"
    r"|(?:password|passwd|passphrase|passcode|passwort|kennwort|motdepasse|secret|token|apikey"
    r"|privatekey|authcode|eppcode|authinfo)"
    r")s?(?:_(?:again|b64|base64|confirm|confirmation|crypt|encrypted|hash|hashed|hashes|new|old|os"
    r"|pem|plain|repeat|text|value|\d+))*"
)
EXTRA = "extra"  # the option for fields that the tables do not know
_SECRET_IN_EXTRA = re.compile(
    "password|secret|token|key|(?:auth|epp|transfer)[_-]?code", re.IGNORECASE
)
_OF_ADDRESSES = re.compile("url|link", re.IGNORECASE)
_HOST = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
_PARTS = re.compile(rf"[^/?&=#]{{{LENGTH_OF_A_WORD},}}")
# What stands before the host in an address, but for a user name and password, which api_url
# refuses.
_BEFORE_THE_HOST = re.compile(r"\s*(?:(?:[a-z]+:)?//)?", re.IGNORECASE)
_PARAMETERS = re.compile("([?#]).*", re.DOTALL)
_DROPPED = object()
# A text that came of ``shown_text``, where it had a secret.
MASKED = re.compile(
    rf"^[^\S\n]*(?:[^\s:]{{1,64}}:)?{re.escape(MASK)}(?::\S*)?[^\S\n]*$"
    rf"|://{re.escape(MASK)}@|{re.escape(KEY_MASK)}"
    r"|(?:\s-p\s?|\s-u\s?\S{1,64}:|--user[\s=]\S{1,64}:|pass(?:word|wd)?=|PWD=|PASS\w{0,20}=)"
    rf"{re.escape(MASK)}",
    re.MULTILINE,
)
LONGEST = 500
# Of a text of which a person sees 500 characters, so many are looked at, and a few more for a
# secret that begins in these.
_MOST_READ = 16_000
_LONGEST_SECRET = 4_000
# A shorter secret is masked only where it is a whole value.
_SHORTEST = 4
_FEW = 64
# Where messages cut a value off.
_CUT = re.compile(r"\.\.\.|\u2026")
_MOST_ANSWERS = 100
# Control characters except the tabulator, marks that turn the direction of a text, and what ends a
# line or a paragraph.
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_WORD_CHARACTER = re.compile(r"\w")
_BASE64_DIGIT = re.compile(r"[A-Za-z0-9+/_-]")
_TITLE = re.compile(r"<title\b[^<>]*>", re.IGNORECASE)
_END_OF_TITLE = re.compile("</title", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
# Not html.unescape on the whole, which fails for a number of thousands of digits.
_ENTITY = re.compile(r"&(?:#[0-9]{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};?)")


@functools.lru_cache(maxsize=1024)
def is_secret_name(name: Any) -> bool:
    """Tell whether a field with this name holds a secret.

    Password, new-password, privateKey, API_KEY and pwd do; key, auth_name and token_count do not.
    """
    if not isinstance(name, str):
        return False
    normal_form = "_".join(_WORDS_OF_A_NAME.findall(name)).lower()
    return bool(_SECRET_NAME.fullmatch(normal_form))


def is_secret_in_extra(name: Any) -> bool:
    """Tell whether a field of the option extra is secret by its name, of which a part is enough.

    The tables know nothing of these fields.
    """
    if is_secret_name(name):
        return True
    return isinstance(name, str) and bool(_SECRET_IN_EXTRA.search(name))


def holds_private_key(value: object) -> bool:
    """Tell whether a value is a text with a private key in it."""
    return isinstance(value, str) and "PRIVATE KEY-----" in value


def shown_text(text: str, hashes: re.Pattern[str] = _HASH) -> str:
    """Return a field's text without what is secret by its form.

    That is a private key, a hash of a password, or what logs in within an address or a command.
    """
    # Most texts have nothing of all of these, and one expression for it would take twice the time
    # for a long list.
    has_form = (
        "$" in text
        or "://" in text
        or "}" in text
        or "*" in text
        or "-----" in text
        or "md5" in text.lower()
    )
    if not has_form and not _may_hold_command(text):
        return text
    if holds_private_key(text):
        text = _without_private_keys(text)
    patterns = [hashes, _LOGIN]
    if _may_hold_command(text):
        patterns += _PASSWORDS_IN_COMMANDS
    for pattern in patterns:
        text = pattern.sub(_with_mask, text)
    return text


def _may_hold_command(text: str) -> bool:
    """Tell whether a command with a password may be in a text."""
    return "-p" in text or "curl" in text or "PASS" in text or "MYSQL_PWD" in text


def _with_mask(hit: re.Match[str]) -> str:
    """Return what a pattern has matched with a mask in the place of its secret."""
    text: str = hit[0]
    start = hit.start("secret") - hit.start()
    end = hit.end("secret") - hit.start()
    return f"{text[:start]}{MASK}{text[end:]}"


def _without_private_keys(text: str) -> str:
    """Return a text without its private keys, and with everything else that it says."""
    masked = _KEY_IN_FIELD.sub(KEY_MASK, text)
    if not masked.replace(KEY_MASK, "").strip():
        return MASK
    return _KEY_LINE.sub(MASK, masked)


def without_forms_and_names(text: str) -> str:
    """Return the same for an answer that cannot be read.

    Hashes in the middle of a line are masked too, and the values behind the names of secret fields.
    """

    def without_value(hit: re.Match[str]) -> str:
        """Return the name of a field, and a mask if it is that of a secret."""
        if not is_secret_name(hit["name"]):
            return hit[0]
        return f"{hit['name']}{hit['between']}{MASK}"

    def without_login(url: re.Match[str]) -> str:
        """Return a mask in the place of an address that logs in."""
        return MASK if "login" in url[0].lower() else url[0]

    without_keys = PRIVATE_KEY.sub(MASK, text)
    if holds_private_key(without_keys):
        return MASK
    without_logins = _URL.sub(without_login, without_keys)
    return _NAMED_VALUE.sub(without_value, shown_text(without_logins, _HASH_IN_TEXT))


def mapped(
    value: Any,
    text: Callable[[str], str],
    secret: Any = None,
    public: frozenset[str] = frozenset(),
    is_secret: Callable[[Any], bool] = is_secret_name,
) -> Any:
    """Return a copy of a value with each of its texts replaced.

    Args:
        value: What is copied.
        text: Makes what stands in the place of a text.
        secret: Stands in the place of a field with the name of a secret, if anything does.
        public: Names of fields whose texts everyone can read anyway; of these only private keys
            are replaced.
        is_secret: Whether a name is that of a secret.
    """
    return _Mapper(text, secret, public, is_secret).copy(value)


class _Mapper:
    """Copies values with their texts and secrets replaced; it takes the arguments of ``mapped``."""

    def __init__(
        self,
        text: Callable[[str], str],
        secret: Any,
        public: frozenset[str],
        is_secret: Callable[[Any], bool],
    ) -> None:
        self._text = text
        self._secret = secret
        self._public = public
        self._is_secret = is_secret

    def copy(self, value: Any) -> Any:
        """Return a copy of a value."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, (list, tuple)):
            return [self.copy(entry) for entry in value]
        if isinstance(value, dict):
            return self._copy_fields(value)
        return value

    def _copy_fields(self, fields: dict[Any, Any]) -> dict[Any, Any]:
        """Return a copy of a dictionary."""
        copied: dict[Any, Any] = {}
        for name, member in fields.items():
            if not self._replaces(name, member):
                copied[name] = self._copy_member(name, member)
            elif self._secret is not _DROPPED:
                copied[name] = member if member in (None, "") else self._secret
        return copied

    def _copy_member(self, name: Any, member: Any) -> Any:
        """Return a copy of a field that is not secret by its name."""
        if name in self._public and _is_public_text(member):
            return member
        return self.copy(member)

    def _replaces(self, name: Any, member: Any) -> bool:
        """Tell whether something else stands in the place of a field; a switch may ask for a
        secret.
        """
        if self._secret is None or isinstance(member, bool):
            return False
        return self._is_secret(name)


def _is_public_text(value: object) -> bool:
    """Tell whether the value of a field that everyone can read is a text without a private key."""
    return isinstance(value, str) and not holds_private_key(value)


def without_secrets(value: Any, public: frozenset[str] = frozenset()) -> Any:
    """Return a copy without secret fields, and with what is secret by its form masked elsewhere.

    Args:
        value: What is copied.
        public: As of ``mapped``.
    """
    return mapped(value, shown_text, _DROPPED, public)


def without_secrets_in_extra(
    actual: Mapping[str, Any], extra: Mapping[str, Any], mark: Any = None
) -> dict[str, Any]:
    """Return a copy without what is secret in the fields that the option extra gave.

    Args:
        actual: An object, or a side of its diff.
        extra: What the option says.
        mark: Stands in the place of each secret; without one the field is left out.
    """
    secret = _DROPPED if mark is None else mark
    kept: dict[str, Any] = {}
    for name, value in actual.items():
        if name in extra:
            kept.update(mapped({name: value}, str, secret, is_secret=is_secret_in_extra))
        else:
            kept[name] = value
    return kept


def partly_masked_texts(
    value: Any, is_secret: Callable[[Any], bool] = is_secret_name, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the texts that ``shown_text`` does not show as they are, each with its path; none of
    secret fields.

    Args:
        value: Where they are.
        is_secret: Whether a name is that of a secret.
        path: Leads to the value.
    """
    if isinstance(value, str):
        if shown_text(value) != value:
            yield path, value
        return

    for step, member in _public_members(value, is_secret):
        yield from partly_masked_texts(member, is_secret, (*path, step))


def _public_members(value: Any, is_secret: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    """Yield what is in a dictionary or a list, each with its name or position; no secret fields."""
    if isinstance(value, dict):
        for name, member in value.items():
            if not is_secret(name):
                yield str(name), member
    elif isinstance(value, (list, tuple)):
        for position, entry in enumerate(value):
            yield str(position), entry


def with_masked_secrets(value: Any) -> Any:
    """Return a copy in which secret fields are masked, and what is secret by its form."""
    return mapped(value, shown_text, MASK)


def texts_in(value: Any) -> list[str]:
    """Return every text and number in a value, as a text."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for member in value for text in texts_in(member)]
    if isinstance(value, bool) or value is None or value == "":
        return []
    return [str(value)]


def secrets_in(
    value: Any,
    argument_spec: Mapping[str, Any] | None = None,
    is_secret: Callable[[Any], bool] = is_secret_name,
) -> list[str]:
    """Return the values of all options that are marked no_log, and of all fields with the name of a
    secret.
    """
    if isinstance(value, list):
        return [text for entry in value for text in secrets_in(entry, argument_spec, is_secret)]
    if not isinstance(value, dict):
        return []

    if argument_spec is None:
        argument_spec = {}
    secrets: list[str] = []
    for name, member in value.items():
        specification = argument_spec.get(name, {})
        secrets += _secrets_in_member(name, member, specification, is_secret)
    return secrets


def _secrets_in_member(
    name: Any, member: Any, specification: Mapping[str, Any], is_secret: Callable[[Any], bool]
) -> list[str]:
    """Return the secrets in a field or an option, whose specification is empty for a field."""
    if specification.get("type") == "raw" and isinstance(member, str):
        member = structured(member) or member
    if specification.get("no_log", is_secret(name)):
        return _texts_of_secret(name, member)
    if not isinstance(member, (dict, list)):
        return []

    if specification and name == EXTRA:
        is_secret = is_secret_in_extra
    return secrets_in(member, specification.get("options"), is_secret)


def _texts_of_secret(name: str, value: Any) -> list[str]:
    """Return what is secret in the value of a secret field."""
    texts = texts_in(value)
    if not _OF_ADDRESSES.search(name):
        return texts

    # Of an address the parts that are no words, since the host is in every other one too.
    secret_parts: list[str] = []
    for text in texts:
        secret_parts += _secret_parts_of(text)
    return secret_parts


def _secret_parts_of(address: str) -> list[str]:
    """Return the parts of an address, behind its host, that are no words."""
    behind_host = _HOST.sub("", address.strip())
    return [segment for segment in _PARTS.findall(behind_host) if segment.strip()]


def shown_arguments(params: Mapping[str, Any], argument_spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a task as its invocation may show them."""
    return {
        name: _shown_argument(name, value, argument_spec.get(name))
        for name, value in params.items()
    }


def _shown_argument(name: str, value: Any, specification: Mapping[str, Any] | None) -> Any:
    """Return the value of an option as the invocation may show it."""
    if value is None:
        return None
    if specification is None:
        return MASK  # what is no option of this module may be a mistyped name of a secret one
    if specification.get("no_log"):
        return OMITTED

    members = specification.get("options")
    if isinstance(value, str) and specification.get("type") in ("raw", "dict"):
        value = _structure_or_short_text(value, has_members=members is not None)
    if members is None:
        return _shown_value(name, value)
    if isinstance(value, list):
        return [_shown_argument(name, entry, specification) for entry in value]
    if isinstance(value, dict):
        return shown_arguments(value, members)
    return OMITTED


def _structure_or_short_text(text: str, has_members: bool) -> Any:
    """Return what may be shown of a text in the place of a structure."""
    structure = structured(text)
    if structure:
        return structure
    # In place of a dictionary it may be a secret field, and a text that is longer than a number a
    # structure, badly written.
    is_short = len(text) < LENGTH_OF_A_WORD or text.isdecimal()
    if has_members or not is_short:
        return OMITTED
    return text


def _shown_value(name: str, value: Any) -> Any:
    """Return the value of an option without options of its own as an invocation may show it."""
    if name == EXTRA:
        return mapped(value, shown_text, MASK, is_secret=is_secret_in_extra)
    if name in ("api_url", "path") and isinstance(value, str):
        return shown_address(value)
    return with_masked_secrets(value)


def shown_address(text: str) -> str:
    """Return an address or a path without what logs in, and without parameters."""
    address = _PARAMETERS.sub(rf"\1{MASK}", text)
    start = 0
    before_host = _BEFORE_THE_HOST.match(address)
    if before_host:
        start = before_host.end()

    host, slash, path = address[start:].partition("/")
    login, at, host = host.rpartition("@")
    if at:
        login = MASK
    return f"{address[:start]}{login}{at}{host}{slash}{path}"


def structured(text: str) -> Any:
    """Return what a text of JSON stands for, if that is a dictionary or a list; None for every
    other text.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, (dict, list)):
        return None
    return value


class Secrets:
    """Secrets of options, answers and the API key, masked wherever a text repeats them.

    A panel, Ansible or a message may repeat them in any spelling. Safe to use from several threads.
    It gets ready with the first text, since most tasks never show one.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._lock = threading.RLock()
        self._added: list[Iterable[str]] = [texts]
        self._answers: list[Any] = []
        self._texts: set[str] = set()
        self._forms: dict[str, Margins] = {}
        # By their last letters how long they are, so that looking costs the length of a text,
        # however many secrets there are.
        self._lengths: dict[str, set[int]] = {}
        # By their first letters, for those of which a message shows the beginning only.
        self._forms_by_head: dict[str, list[str]] = {}

    def add(self, texts: Iterable[str]) -> None:
        """Mask these texts from now on."""
        with self._lock:
            self._added.append(texts)

    def learn(self, answer: Any) -> None:
        """Mask the secret fields of an answer from now on."""
        if not isinstance(answer, (dict, list)):
            return
        with self._lock:
            self._answers.append(answer)
            if len(self._answers) > _MOST_ANSWERS:
                # A loop of thousands of items does not keep all of its answers.
                self._add_secrets_of_answers()

    def _add_secrets_of_answers(self) -> None:
        """Mask the secret fields of the answers that were kept."""
        self._added += map(secrets_in, self._answers)
        self._answers = []

    def masked(
        self, text: str, least: int = 1, with_answers: bool = True, most: int | None = None
    ) -> str:
        """Return a text without known secrets.

        Args:
            text: What is masked.
            least: How long a secret has to be.
            with_answers: Whether those that only answers hold are masked too.
            most: How many characters of the text are returned; all without it.
        """
        with self._lock:
            if with_answers:
                self._add_secrets_of_answers()
            self._prepare_forms()
            if text in self._texts and text.strip() and len(text) >= least:
                return MASK

            end = len(text)
            searched = text
            if most is not None:
                end = most
                searched = text[: most + _LONGEST_SECRET]
            spans: list[tuple[int, int]] = []
            for reading in readings(searched):
                spans += self._spans_in(reading, least)
        return _with_masks(text, spans, end)

    def _prepare_forms(self) -> None:
        """Make the forms of all secrets that were added since the last time."""
        new: set[str] = set()
        for texts in self._added:
            new.update(texts)
        new -= self._texts
        self._added = []

        self._texts |= new
        for secret in new:
            for form, margins in _forms_of(secret).items():
                if form not in self._forms and len(form) > LENGTH_OF_A_WORD:
                    self._forms_by_head.setdefault(form[:LENGTH_OF_A_WORD], []).append(form)
                self._forms[form] = margins
                self._lengths.setdefault(form[-_SHORTEST:], set()).add(len(form))

    def _spans_in(self, reading: Reading, least: int) -> Iterator[tuple[int, int]]:
        """Yield where in the text of a reading secrets begin and end."""
        for form, start in self._forms_in(reading.text):
            end = start + len(form)
            if len(form) < least:
                continue
            if len(form) < LENGTH_OF_A_WORD and not _is_whole_word(reading.text, start, end):
                continue

            margins = self._forms[form]
            if margins.before and start > 0 and _BASE64_DIGIT.match(reading.text, start - 1):
                start -= 1
            if margins.behind and _BASE64_DIGIT.match(reading.text, end):
                end += 1
            yield reading.position(start), reading.position(end)
        for start, end in self._cut_forms_in(reading.text):
            yield reading.position(start), reading.position(end)

    def _cut_forms_in(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the beginning of a secret begins, and where the text cuts it off."""
        behind_last = 0
        for cut in _CUT.finditer(text):
            end = cut.start()
            first = max(behind_last, end - _LONGEST_SECRET)
            for start in range(first, end - LENGTH_OF_A_WORD + 1):
                forms = self._forms_by_head.get(text[start : start + LENGTH_OF_A_WORD], ())
                if any(form.startswith(text[start:end]) for form in forms):
                    yield start, end
                    break
            behind_last = cut.end()

    def _forms_in(self, text: str) -> Iterator[tuple[str, int]]:
        """Yield the forms of secrets in a text, each with the position where it begins."""
        if len(self._forms) <= _FEW:
            for form in self._forms:
                for start in _positions_of(form, text):
                    yield form, start
            return

        for end in range(_SHORTEST, len(text) + 1):
            last_letters = text[end - _SHORTEST : end]
            for length in self._lengths.get(last_letters, ()):
                form = text[max(0, end - length) : end]
                if form in self._forms:
                    yield form, end - length

    def value(self, value: Any) -> Any:
        """Return a copy of a value without known secrets in its texts."""
        return mapped(value, self.masked)

    def without_given(self, value: Any, public: Container[str] = ()) -> Any:
        """Return the same without those secrets that were added, and with those that only answers
        hold.

        Args:
            value: What is copied.
            public: Texts that the task shows anyway, which a short secret does not blank.
        """
        return mapped(value, functools.partial(self.masked_given, public=public))

    def masked_given(self, text: str, public: Container[str] = ()) -> str:
        """Return a text as ``without_given`` shows it."""
        least = LENGTH_OF_A_WORD if text in public else 1
        return self.masked(text, least, with_answers=False)

    def is_masked_form(self, displayed: str, text: str) -> bool:
        """Tell whether a result shows a text in this form, with a mask in the place of a secret."""
        if MASK not in displayed or displayed == text:
            return False
        return displayed in (self.masked_given(text), self.masked(text))

    def panel_text(self, text: object) -> str:
        """Return a reason in an error of the panel, on one line."""
        reason = PRIVATE_KEY.sub(MASK, self.masked(str(text), most=_MOST_READ))
        reason = _TAG.sub(" ", _without_comments(reason))
        reason = _ENTITY.sub(_unescape, reason)
        reason = " ".join(_CONTROL.sub(_space_or_nothing, reason).split())

        # An entity may have stood for a letter of a secret, and a control character between two of
        # them.
        reason = self.masked(reason)
        if len(reason) <= LONGEST:
            return reason
        beginning = reason[:LONGEST].rpartition(" ")[0] or reason[:LONGEST]
        return f"{beginning} …"

    def page(self, content: bytes, media_type: str) -> str:
        """Return what is said of an answer that cannot be read.

        It is its type, and its title if it is HTML, or else how it begins.
        """
        kind = self.panel_text(media_type.partition(";")[0])[:60] or "no media type"
        text = content[: _MOST_READ + _LONGEST_SECRET].decode("utf-8", "replace")
        title = _title_of(text)
        if title is not None:
            return f'{kind} with the title "{self.panel_text(title)}"'
        if "html" in kind or not text.strip():
            return f"{kind} of {len(content)} bytes"

        beginning = without_forms_and_names(self.masked(text, most=_MOST_READ))
        return f'{kind}: "{self.panel_text(beginning)}"'


def _positions_of(form: str, text: str) -> Iterator[int]:
    """Yield where in a text a form of a secret begins."""
    start = text.find(form)
    while start >= 0:
        yield start
        start = text.find(form, start + 1)


def _unescape(entity: re.Match[str]) -> str:
    """Return the letters that an entity of HTML stands for."""
    return html.unescape(entity[0])


def _space_or_nothing(control: re.Match[str]) -> str:
    """Return what stands in the place of a control character on one line."""
    return " " if control[0].isspace() else ""


def _with_masks(text: str, spans: Iterable[tuple[int, int]], most: int) -> str:
    """Return the beginning of a text, with a mask in the place of each span; those that share a
    letter are one.
    """
    parts: list[str] = []
    masked_to = 0
    for start, end in sorted(spans):
        if start >= most:
            break
        if start >= masked_to or not parts:
            parts += [text[masked_to:start], MASK]
        masked_to = max(masked_to, end)

    if not parts and most >= len(text):
        return text
    return "".join([*parts, text[masked_to:most]])


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """Tell whether no letter stands directly before a part of a text, and none behind it."""
    if _WORD_CHARACTER.match(text, end):
        return False
    return start == 0 or not _WORD_CHARACTER.match(text, start - 1)


def _title_of(page: str) -> str | None:
    """Return the title of a page of HTML, if it has one."""
    begin = _TITLE.search(page)
    if begin is None:
        return None
    end = _END_OF_TITLE.search(page, begin.end())
    if end is None:
        return None
    return page[begin.end() : end.start()]


def _without_comments(page: str) -> str:
    """Return a page of HTML with a space in the place of each comment."""
    parts: list[str] = []
    end = 0
    while True:
        start = page.find("<!--", end)
        behind = page.find("-->", start + 4) if start >= 0 else -1
        if behind < 0:
            # One that does not end is none, and neither is any behind it.
            return "".join([*parts, page[end:]])
        parts += [page[end:start], " "]
        end = behind + 3


def _forms_of(secret: str) -> dict[str, Margins]:
    """Return how a secret may be written where it stands, apart from the escapes that ``readings``
    knows.
    """
    texts = {secret, secret.strip(), " ".join(secret.split()), secret.replace(" ", "+")}
    if "-----" in secret:
        # Of a key each line is enough, except those that only say what it is.
        lines = [line for line in secret.split() if "-----" not in line]
        lines += _lines_anew(secret)
        texts |= {line for line in lines if len(line) >= LENGTH_OF_A_WORD}

    forms = dict.fromkeys(texts, Margins())
    if len(secret) >= LENGTH_OF_A_WORD:
        forms |= base64_forms(secret)
    return {
        form: margins for form, margins in forms.items() if len(form) >= _SHORTEST and form.strip()
    }


def _lines_anew(secret: str) -> Iterator[str]:
    """Yield the lines of a key as they are sent, which need not be those in which it was
    written.
    """
    for inside in _PEM_MARK.split(secret):
        text = "".join(inside.split())
        for start in range(0, len(text), _PEM_LINE):
            yield text[start : start + _PEM_LINE]


def on_one_line(text: str) -> str:
    r"""Return the text with what a terminal would obey in signs that show: ``\x1b``, ``\n``.

    No message has a second line.
    """
    # Of a type of ours, Ansible's queue of results could not be read again, and the run would
    # never end: hence str.
    return str(_CONTROL.sub(_escaped, text))


def _escaped(control: re.Match[str]) -> str:
    """Return the signs that show a control character."""
    return control[0].encode("unicode_escape").decode()
