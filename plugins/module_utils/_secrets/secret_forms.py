# SPDX-License-Identifier: GPL-3.0-or-later
"""Knows secrets by the names of their fields and by what they look like. Pure."""

from __future__ import annotations

import functools
import re
from typing import Any

MASK = "********"
KEY_MASK = f"{MASK} (private key)"
"""What stands for a private key in a text that has more than the key."""
_CHARACTERS = r"[\w./+=,$-]"
HASHES = (
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
    rf"^[^\S\n]*(?:[^\s:${{]{{1,64}}:)?(?P<secret>{'|'.join(HASHES)})(?::\S*)?[^\S\n]*$",
    re.ASCII | re.MULTILINE | re.IGNORECASE,
)
# What stands before the host of an address, where that can log in: a password, or a token in the
# place of a name.
LOGIN = re.compile(
    r"(?<![a-z0-9+.-])(?:https?://|[a-z][a-z0-9+.-]*://(?=[^\s/?#\"<>@:]*:))"
    r"(?P<secret>[^\s/?#\"<>]+)@",
    re.ASCII | re.IGNORECASE,
)
# A password within a command; not a variable of the shell, whose name is no secret.
_WORD_OF_SHELL = (
    r"""(?P<secret>(?!"?\$[A-Za-z_({])(?!\*{8})(?:'[^'\n]*'|"[^"\n]*"|[^\s'";|&<>]+))"""
)
_IN_A_COMMAND = r"[^\n;|&]{0,200}?"
PASSWORDS_IN_COMMANDS = tuple(
    re.compile(before + _WORD_OF_SHELL, re.ASCII)
    for before in (
        rf"(?<![\w-])(?:mysql\w{{0,20}}|mariadb[\w-]{{0,20}})\b{_IN_A_COMMAND}\s-p",
        r"(?<![\w-])sshpass\s{1,9}-p\s{0,9}",
        rf"(?<![\w-])curl\b{_IN_A_COMMAND}\s(?:-u|--user)[\s=]{{0,9}}[^\s:'\"]{{1,64}}:",
        r"(?<!\S)--(?:[a-z]{1,20}-){0,3}pass(?:word|wd)?=",
        r"(?<!\w)(?:MYSQL_PWD|SSHPASS|[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PASSPHRASE))=",
    )
)
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
# Options that hold no secret, only what is done with one. What is written there by mistake is often
# a word that every message has.
_PUBLIC_OPTIONS = frozenset({"regenerate_password", "send_login_credentials", "update_password"})
_SECRET_IN_EXTRA = re.compile(
    "password|secret|token|key|(?:auth|epp|transfer)[_-]?code", re.IGNORECASE
)
# A text that came of ``mask_secret_forms``, where it had a secret.
MASKED = re.compile(
    rf"^[^\S\n]*(?:[^\s:]{{1,64}}:)?{re.escape(MASK)}(?::\S*)?[^\S\n]*$"
    rf"|://{re.escape(MASK)}@|{re.escape(KEY_MASK)}"
    r"|(?:\s-p\s?|\s-u\s?\S{1,64}:|--user[\s=]\S{1,64}:|pass(?:word|wd)?=|PWD=|PASS\w{0,20}=)"
    rf"{re.escape(MASK)}",
    re.MULTILINE,
)


@functools.lru_cache(maxsize=1024)
def is_secret_name(name: Any) -> bool:
    """Tell whether a field with this name holds a secret.

    Password, new-password, privateKey, API_KEY and pwd do; key, auth_name, token_count and
    update_password do not.
    """
    if not isinstance(name, str):
        return False
    normal_form = "_".join(_WORDS_OF_A_NAME.findall(name)).lower()
    if normal_form in _PUBLIC_OPTIONS:
        return False
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


def mask_secret_forms(text: str) -> str:
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
    patterns = [_HASH, LOGIN]
    if _may_hold_command(text):
        patterns += PASSWORDS_IN_COMMANDS
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
