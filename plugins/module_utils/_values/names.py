# SPDX-License-Identifier: GPL-3.0-or-later
"""What objects are named by: domains, addresses and texts, each the same name in every spelling of
Unicode.
"""

from __future__ import annotations

import contextlib
import functools
import re
import sys
import unicodedata
from typing import Any, Callable

from .._errors import MissingLibrary
from .value_types import Text, Word, WrongValue, quote_value

idna: Any = None
with contextlib.suppress(ImportError):
    import idna  # installed with requests; needed for names outside ASCII only

# Neither blanks and quotes nor what would be another path.
_NOT_LOCAL = re.compile(r"[\s@,;<>()\[\]\"\\/]|^\.|\.\.|\.$")
# Controls, marks of direction, spaces without width, ends of lines.
_INVISIBLE_CATEGORIES = frozenset(["Cc", "Cf", "Zl", "Zp"])
# Letters, marks and signs that show nothing: fillers, variation selectors, the blank of Braille.
_BLANK_SIGN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
# Those that letters of some languages need in a domain name, where IDNA decides about them.
_JOINERS = re.compile("[\u200c\u200d]")
# What a name of several words or lines has, and what joins the letters of some languages and the
# parts of pictures: it hides no other name.
_UNSUSPICIOUS = re.compile("[\\t\\n\\r]|(?<=[^\\x00-\\x7f])[\u200c\u200d\ufe0e\ufe0f]")
# What no first part of an address has, but the links of pages (mailto:, tel:) and what lists of a
# mail server have for programs and files (|, :include:).
_NO_RECIPIENT = re.compile(r":|^\|")
_LONGEST_LOCAL = 64  # in bytes, RFC 5321
# What of an address stands for all others of its domain.
_EVERY_ADDRESS = re.compile(r"\s*\*?@")
_LONGEST_ADDRESS = 320
_LONGEST_DOMAIN = 253
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)", re.ASCII)
_PUNYCODE = "xn--"


# Domains and addresses


@functools.lru_cache(maxsize=4096)  # else 5,000 items, with addresses in a few domains, cost 5 %
def normalize_domain(text: str) -> str:
    """Return the stored form of a domain name of two labels or more: punycode, lower case, no dot
    at the end; raises ValueError if it is none.
    """
    name = _normalize_labels(text)
    if "." not in name:
        raise ValueError
    return name


def normalize_host_name(text: str) -> str:
    """Return the stored form of the name of a host, of one label or more: punycode, lower case, no
    dot at the end; raises ValueError if it is none. An address is none.
    """
    name = _normalize_labels(text)
    last_label = name.rpartition(".")[2]
    if last_label.isdigit():
        raise ValueError
    return name


def _normalize_labels(text: str) -> str:
    name = text.strip().rstrip(".").lower()
    if not name.isascii():
        name = encode_punycode(name)
    if len(name) > _LONGEST_DOMAIN:
        raise ValueError
    if not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise ValueError
    return name


def encode_punycode(name: str) -> str:
    """Return a name or a label with letters outside ASCII in punycode.

    Raises:
        ValueError: It cannot be written so.
        MissingLibrary: The library that knows how is not there.
    """
    if idna is None:
        raise MissingLibrary(
            "The Python library idna, which comes with requests, is not installed for the Python "
            f"that runs this task; it is needed for names such as {name}. Install it there "
            f"with {sys.executable} -m pip install requests, or write the name in punycode."
        )
    try:
        encoded: bytes = idna.encode(name, uts46=True)
    except idna.IDNAError as error:
        raise ValueError(str(error)) from error
    return encoded.decode("ascii")


def decode_punycode(name: str) -> str:
    """Return a domain name or an e-mail address as people write it, each label in the letters of
    its language where they lead back to it.
    """
    local, sign, domain = name.rpartition("@")
    if idna is None or _PUNYCODE not in domain:
        return name

    labels = domain.split(".")
    for index, label in enumerate(labels):
        with contextlib.suppress(ValueError):  # idna's own errors are ValueErrors
            labels[index] = _decode_label(label)
    return f"{local}{sign}{'.'.join(labels)}"


def _decode_label(label: str) -> str:
    if not label.startswith(_PUNYCODE):
        return label
    letters: str = idna.decode(label)
    if letters.isprintable() and encode_punycode(letters) == label:
        return letters
    return label


@functools.lru_cache(maxsize=65536)  # another 5 %: each is asked for when desired, listed and found
def normalize_address(text: str) -> str:
    """Return the stored form of an e-mail address: lower case, its domain in punycode; raises
    ValueError if it is none.
    """
    local, separator, domain = text.strip().rpartition("@")
    if not separator or not local or _NOT_LOCAL.search(local) or domain != domain.strip():
        raise ValueError
    return f"{compose_letters(local.lower())}@{normalize_domain(domain)}"


def _read_domain(text: str) -> str:
    """Return the stored form of a domain name that somebody wrote; raises ValueError if it is none
    or has an invisible character, which comes with a copied text.
    """
    refuse_invisible(text)
    return normalize_domain(text)


def refuse_invisible(domain: str) -> None:
    """Raise ValueError for an invisible character in a domain name, which its punycode lacks."""
    if not is_visible(_JOINERS.sub("", domain.strip())):
        raise ValueError


def _read_address(text: str) -> str:
    """Return the stored form of an e-mail address that somebody wrote; raises ValueError if it is
    none, or one that reaches nobody though it looks as if it did.
    """
    address = normalize_address(text)
    local, _sign, domain = text.strip().rpartition("@")
    if not is_visible(local) or _NO_RECIPIENT.search(unicodedata.normalize("NFKC", local)):
        raise ValueError
    if len(local.encode("utf-8", "surrogatepass")) > _LONGEST_LOCAL:
        raise ValueError
    _read_domain(domain)
    return address


def _read_forwarding(text: str) -> str:
    """Return an address as it was written, but for a domain outside ASCII; raises ValueError if it
    is none.
    """
    _read_address(text)
    local, _sign, domain = text.strip().rpartition("@")
    if domain.isascii():
        return f"{local}@{domain.rstrip('.')}"
    return f"{local}@{normalize_domain(domain)}"


def _normalize_forwarding(text: str) -> str:
    """Return the form of an address that has no meaning in the case of its domain alone; raises
    ValueError if it is none.
    """
    local, sign, domain = text.strip().rpartition("@")
    if not sign or not local:
        raise ValueError
    return f"{compose_letters(local)}@{normalize_domain(domain)}"


# Spellings


def compose_letters(text: str) -> str:
    """Return the text with each letter and its accents as one character (NFC), the form that
    keyboards and browsers write.
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text)


def fold_spelling(text: str) -> str:
    """Return the spelling that is the same for all names that differ in case, width, accents or the
    form of a domain alone.
    """
    # The mark that ends sentences in Chinese and Japanese is a dot in domain names.
    name = unicodedata.normalize("NFKC", text).replace("\u3002", ".")
    return decode_punycode(compose_letters(name.strip().lower().rstrip(".")))


def is_visible(name: str) -> bool:
    """Tell whether a name has neither blanks around it nor invisible characters, which would make
    it another one.
    """
    if name != name.strip():
        return False
    if name.isascii():
        return name.isprintable()
    if _BLANK_SIGN.search(name):
        return False
    return not any(unicodedata.category(character) in _INVISIBLE_CATEGORIES for character in name)


def refuse_look_alike(name: str) -> None:
    """Raise WrongValue for a name that looks like another one."""
    if name == name.strip() and is_visible(_UNSUSPICIOUS.sub("", name)):
        return
    raise WrongValue(
        f"{quote_value(name)} has blanks around it or invisible characters; "
        "write the name without them."
    )


# Types


class Name(Text):
    """Takes the name of an object, and sends it with composed letters. What the panel has keeps
    its spelling.
    """

    def __init__(
        self, form: str = "a string that is not empty", is_valid: Callable[[str], bool] = bool
    ) -> None:
        """Prepare to read.

        Args:
            form: The accepted form, for messages.
            is_valid: Tells whether a name has it.
        """
        super().__init__(clearable=False)
        self.form = form
        self._is_valid = is_valid

    def parse(self, value: Any) -> str:
        """Return the name as it is sent."""
        name = compose_letters(super().parse(value))
        if not self._is_valid(name):
            raise ValueError
        return name

    def normalize(self, value: Any) -> Any:
        """Return the name as it is compared."""
        text = super().normalize(value)
        if not isinstance(text, str):
            return text
        return compose_letters(text)


class ObjectName(Name):
    """Takes the name of an object for which a panel takes any text. One that the panel has stays as
    it is, even if it looks like another one.
    """

    def parse(self, value: Any) -> str:
        """Return the name as it is sent."""
        name = super().parse(value)
        refuse_look_alike(self.normalize(name))
        return name

    def may_be_stored(self, value: Any) -> bool:
        """Tell whether a panel may hold a name."""
        return isinstance(value, str) and bool(value) and self._is_valid(value)


class DomainName(Word):
    """Takes a domain name, stored in one spelling, which is punycode
    (docs/panel_api.md#punycode)."""

    example = "a domain name such as shop.example.com"
    read_name: Any = staticmethod(_read_domain)
    normalize_name: Any = staticmethod(normalize_domain)

    def __init__(self, clearable: bool = False) -> None:
        """Prepare to read. clearable: whether the name may be empty."""
        form = f"{self.example}, in punycode or UTF-8"
        super().__init__(form, self.read_name, self.normalize_name, clearable)


class EmailAddress(DomainName):
    """Takes an e-mail address, stored in one spelling. One that the panel has stays as it is,
    however unusual it is.
    """

    example = "an e-mail address such as info@example.com"
    read_name: Any = staticmethod(_read_address)
    normalize_name: Any = staticmethod(normalize_address)

    def may_be_stored(self, value: Any) -> bool:
        """Tell whether a panel may hold an address."""
        return _is_plain_text(value) and "@" in value


def _is_plain_text(value: Any) -> bool:
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_ADDRESS:
        return False
    # A panel may have taken invisible characters, too.
    visible = "".join(sign for sign in value if unicodedata.category(sign) != "Cf")
    return visible.isprintable() and value == value.strip()


class MailboxAddress(EmailAddress):
    """Takes the address of a mailbox."""

    def parse(self, value: Any) -> Any:
        """Return the address as it is sent."""
        refuse_every_address(value)
        return super().parse(value)


class AliasAddress(MailboxAddress):
    """Takes another address of a mailbox. A panel may have one without a domain."""

    def may_be_stored(self, value: Any) -> bool:
        """Tell whether a panel may hold an alias."""
        return _is_plain_text(value)


class ForwardingAddress(EmailAddress):
    """Takes an address that mail is forwarded to. It may be somebody else's, to whom the case of
    its first part may mean something.
    """

    read_name: Any = staticmethod(_read_forwarding)
    normalize_name: Any = staticmethod(_normalize_forwarding)

    def parse(self, value: Any) -> Any:
        """Return the address as it is sent."""
        refuse_every_address(value)
        return super().parse(value)

    def may_be_stored(self, value: Any) -> bool:
        """Tell whether a panel may forward mail there, as to a user or a program of the server."""
        return _is_plain_text(value)


def refuse_every_address(value: Any) -> None:
    """Raise WrongValue for what stands for every address of a domain."""
    if isinstance(value, str) and _EVERY_ADDRESS.match(value):
        raise WrongValue(
            f"{quote_value(value)} stands for every address of a domain; "
            "a mailbox takes those with catch_all: true."
        )


class Directory(Word):
    """Takes a directory below the client's (docs/panel_api.md#directories), and sends it as it is
    written. Slashes at both ends and repeated ones have no meaning."""

    def __init__(self, example: str) -> None:
        """Prepare to read. example: one for messages."""
        form = f"a directory such as {example}, without .. in it"
        super().__init__(form, _read_directory, _normalize_directory)

    def may_be_stored(self, value: Any) -> bool:
        """Tell whether a panel may hold a directory, which may look like another one."""
        return isinstance(value, str) and _is_below(value.strip())

    def display(self, actual: Any) -> str:
        """Return a directory without the slash at the end that a panel may show and nobody
        writes.
        """
        return str(self.normalize(actual))


def _read_directory(text: str) -> str:
    if not _is_below(text):
        raise ValueError
    refuse_look_alike(text)
    return text


def _is_below(text: str) -> bool:
    return bool(text) and ".." not in text.split("/")


def _normalize_directory(text: str) -> str:
    steps = filter(None, compose_letters(text).split("/"))
    return f"/{'/'.join(steps)}"


_DATABASE_HOST = re.compile(
    r"[a-z0-9%_.-]+(?:/[0-9.]+)?|(?:[0-9a-f%]*:){2}[0-9a-f:.%]*", re.ASCII | re.IGNORECASE
)
_LONGEST_HOST = 255
# Neither the address of a page nor a host with a port, which are mistakes wherever they stand.
_ODD_HOST = re.compile(r"(?!.*://)(?![^:]*:\d+$)\S{1,255}")


def _read_host(text: str) -> str:
    if len(text) > _LONGEST_HOST or not _DATABASE_HOST.fullmatch(text):
        raise ValueError
    return text


class RemoteHost(Word):
    """Takes where a database user may connect from. What the panel has stays as it is, however
    unusual it is.
    """

    def may_be_stored(self, value: Any) -> bool:
        """Tell whether a panel may hold a host."""
        return isinstance(value, str) and value.isprintable() and bool(_ODD_HOST.fullmatch(value))


# As the database server takes it; case has no meaning.
REMOTE_HOST = RemoteHost(
    "an address or a host name such as 192.0.2.20, 192.0.2.% or app.example.com, or % for any host",
    _read_host,
    str.lower,
)
