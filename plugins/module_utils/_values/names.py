# SPDX-License-Identifier: GPL-3.0-or-later
"""What objects are named by: domains, addresses and texts, each the same name in every spelling of Unicode. Private to the collection."""

from __future__ import annotations

import contextlib
import functools
import re
import unicodedata
from typing import Any, Callable

from .._errors import MissingLibrary
from .value_types import Text, Word, WrongValue, shorten

idna: Any = None
with contextlib.suppress(ImportError):
    import idna  # installed with requests; needed for names outside ASCII only

# Neither blanks and quotes nor what would be another path.
_NOT_LOCAL = re.compile(r"[\s@,;<>()\[\]\"\\/]|^\.|\.\.|\.$")
# Controls, marks of direction, spaces without width, ends of lines.
_UNSEEN = frozenset(["Cc", "Cf", "Zl", "Zp"])
# What of an address stands for all others of its domain.
_EVERY_ADDRESS = re.compile(r"\s*\*?@")
_LONGEST_ADDRESS = 320
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)", re.ASCII)


@functools.lru_cache(maxsize=4096)  # without it 5,000 items take 5 % more, whose addresses are in a few domains
def normalize_domain(text: str) -> str:
    """The stored form of a domain name of two labels or more: punycode, lower case, no dot at the end; raises ValueError if it is none."""
    name = text.strip().rstrip(".").lower()
    if not name.isascii():
        name = encode_punycode(name)
    if "." not in name or len(name) > 253 or not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise ValueError
    return name


def encode_punycode(name: str) -> str:
    """A name or a label with letters outside ASCII; raises ValueError where it cannot be written so, and MissingLibrary."""
    if idna is None:
        raise MissingLibrary(
            f"The Python library idna, which comes with requests, is not installed for the Python that runs this task; it is needed "
            f"for names such as {name}. Install it there (pip install requests), or write the name in punycode."
        )
    try:
        encoded: bytes = idna.encode(name, uts46=True)
    except idna.IDNAError as error:
        raise ValueError(str(error)) from error
    return encoded.decode("ascii")


def decode_punycode(name: str) -> str:
    """A domain name or an e-mail address as people write it, each label in the letters of its language where they lead back to it."""
    local, sign, domain = name.rpartition("@")
    if idna is None or "xn--" not in domain:
        return name
    labels = domain.split(".")
    for place, label in enumerate(labels):
        with contextlib.suppress(ValueError):  # idna's own errors are ValueErrors
            letters = idna.decode(label) if label.startswith("xn--") else label
            labels[place] = letters if letters.isprintable() and encode_punycode(letters) == label else label
    return f"{local}{sign}{'.'.join(labels)}"


@functools.lru_cache(maxsize=65536)  # another 5 %: each is asked for when it is wanted, listed and looked for
def normalize_address(text: str) -> str:
    """The stored form of an e-mail address: lower case, its domain in punycode; raises ValueError if it is none."""
    local, separator, domain = text.strip().rpartition("@")
    if not separator or not local or _NOT_LOCAL.search(local) or domain != domain.strip():
        raise ValueError
    return f"{compose_letters(local.lower())}@{normalize_domain(domain)}"


def _forwarding_as_sent(text: str) -> str:
    """An address as it was written, but for a domain outside ASCII; raises ValueError if it is none."""
    normalize_address(text)
    local, _sign, domain = text.strip().rpartition("@")
    return f"{local}@{domain.rstrip('.') if domain.isascii() else normalize_domain(domain)}"


def _comparable_forwarding(text: str) -> str:
    """The form of an address that has no meaning in the case of its domain alone; raises ValueError if it is none."""
    local, sign, domain = text.strip().rpartition("@")
    if not sign or not local:
        raise ValueError
    return f"{compose_letters(local)}@{normalize_domain(domain)}"


def compose_letters(text: str) -> str:
    """The text with each letter and its accents as one character (NFC), the form that keyboards and browsers write."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold_spelling(text: str) -> str:
    """The spelling that is the same for all names that differ in case, width, accents or the form of a domain alone."""
    # The mark that ends sentences in Chinese and Japanese is a dot in domain names.
    name = unicodedata.normalize("NFKC", text).replace("\u3002", ".")
    return decode_punycode(compose_letters(name.strip().lower().rstrip(".")))


def is_visible(name: str) -> bool:
    """Whether a name has neither blanks around it nor invisible characters, which would make it another one."""
    return name == name.strip() and not any(unicodedata.category(character) in _UNSEEN for character in name)


class Name(Text):
    """The name of an object, sent with composed letters. What the panel has keeps its spelling.

    fits: what more is asked of it, in the words of ``form``.
    """

    def __init__(self, form: str = "a string that is not empty", fits: Callable[[str], bool] = bool) -> None:
        super().__init__(clearable=False)
        self.form, self._fits = form, fits

    def parse(self, value: Any) -> str:
        name = compose_letters(super().parse(value))
        if not self._fits(name):
            raise ValueError
        return name

    def normalize(self, value: Any) -> Any:
        shown = super().normalize(value)
        return compose_letters(shown) if isinstance(shown, str) else shown


class DomainName(Word):
    """A domain name, or an e-mail address, stored in one spelling, which is punycode
    (docs/panel_api.md#punycode)."""

    example = "a domain name such as shop.example.com"
    stored: Any = staticmethod(normalize_domain)

    def __init__(self, clearable: bool = False) -> None:
        super().__init__(f"{self.example}, in punycode or UTF-8", self.stored, self.stored, clearable)


class EmailAddress(DomainName):
    """An e-mail address, stored in one spelling. One that the panel has stays as it is, however unusual it is."""

    example = "an e-mail address such as info@example.com"
    stored: Any = staticmethod(normalize_address)

    def may_be_stored(self, value: Any) -> bool:
        is_word = isinstance(value, str) and value.isprintable() and value == value.strip()
        return is_word and "@" in value and len(value) <= _LONGEST_ADDRESS


class MailboxAddress(EmailAddress):
    """An address of a mailbox, or an alias of one."""

    def parse(self, value: Any) -> Any:
        refuse_every_address(value)
        return super().parse(value)


class ForwardingAddress(EmailAddress):
    """An address that mail is forwarded to. It may be somebody else's, to whom the case of its first part may mean something."""

    stored: Any = staticmethod(_forwarding_as_sent)

    def __init__(self) -> None:
        super().__init__()
        self._normal = _comparable_forwarding

    def parse(self, value: Any) -> Any:
        refuse_every_address(value)
        return super().parse(value)


def refuse_every_address(value: Any) -> None:
    """Raises WrongValue for what stands for every address of a domain."""
    if isinstance(value, str) and _EVERY_ADDRESS.match(value):
        stands_for = "stands for every address of a domain; a mailbox takes those with catch_all: true"
        raise WrongValue(f"{shorten(value)} {stands_for}.")


class Directory(Word):
    """A directory below the client's (docs/panel_api.md#directories); sent as it is written. Slashes
    at both ends and repeated ones have no meaning."""

    def __init__(self, example: str) -> None:
        super().__init__(f"a directory such as {example}, without .. in it", _directory, _path)

    def display(self, shown: Any) -> str:
        """A panel may show a slash at the end that nobody writes."""
        return str(self.normalize(shown))


def _directory(text: str) -> str:
    if not text or ".." in text.split("/"):
        raise ValueError
    return text


def _path(text: str) -> str:
    return f"/{'/'.join(filter(None, compose_letters(text).split('/')))}"


_HOST = re.compile(r"[a-z0-9%_.-]+(?:/[0-9.]+)?|(?:[0-9a-f%]*:){2}[0-9a-f:.%]*", re.ASCII | re.IGNORECASE)


def _remote_host(text: str) -> str:
    if len(text) > 255 or not _HOST.fullmatch(text):
        raise ValueError
    return text


class RemoteHost(Word):
    """Where a database user may connect from. What the panel has stays as it is, however unusual it is."""

    def may_be_stored(self, value: Any) -> bool:
        return isinstance(value, str) and value.isprintable() and bool(_ODD_HOST.fullmatch(value))


# Neither the address of a page nor a host with a port, which are mistakes wherever they stand.
_ODD_HOST = re.compile(r"(?!.*://)(?![^:]*:\d+$)\S{1,255}")
# As the database server takes it; case has no meaning.
REMOTE_HOST = RemoteHost(
    "an address or a host name such as 192.0.2.20, 192.0.2.% or app.example.com, or % for any host",
    _remote_host,
    str.lower,
)
