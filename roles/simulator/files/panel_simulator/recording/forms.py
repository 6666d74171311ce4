# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts by their form: addresses, names, paths, values of DNS, certificates. The form stays, what is in it becomes pseudonyms."""

from __future__ import annotations

import base64
import contextlib
import itertools
import re
import unicodedata
from urllib.parse import urlsplit

from panel_simulator.recording.pseudonyms import Pseudonyms, moment_as_text
from panel_simulator.recording.vocabulary import (
    DNS_BEGINNINGS,
    DNS_WORDS,
    PATHS,
    PEM_LABELS,
    PHRASES,
    PREFERENCES,
    SENTENCE,
    TEXTS,
    WORDS,
)

GONE = "…"
SECRET = "secret-that-was-not-recorded"
_MOST_WORDS, _LONGEST_SENTENCE = 10, 40
_PIECES = re.compile(r"([^\W_]+)")
_DOMAIN = re.compile(r"(?=.*[.])[\w*-]+(\.[\w*-]+)*\.?")
_VERSION = re.compile(r"\d{1,4}(\.\d{1,4}){1,2}", re.ASCII)
_NETWORK = re.compile(r"([0-9a-fA-F.:]+)/\d{1,3}", re.ASCII)
_BLOCK = re.compile(r"-----BEGIN ([A-Z ]+)-----(.*?)-----END \1-----", re.DOTALL)
_CHUNKS = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ONLY_CHUNKS = re.compile(r'\s*("(?:[^"\\]|\\.)*"\s*)+')
_RECORD = re.compile(r"(\S+)(\s+IN\s+TXT\s+\(\s*)(.*?)(\s*\)\s*)", re.DOTALL)
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]{16,}", re.ASCII)
_PORTS = ("80", "443", "8080", "8443")


def any_text(text: str, to: Pseudonyms) -> str:
    """A text of which nothing is known."""
    if text in TEXTS or not text:
        return text
    for form in (_moment, _address, _certificates, _url, _email, _record, _domain, _path):
        found = form(text, to)
        if found is not None:
            return found
    return name(text, to) if not re.search(r"\s", text) or to.knows_name(text) else to.text(text)


def name(text: str, to: Pseudonyms) -> str:
    """A name: each of its words becomes another one, what is between them stays. An endless or a spelled one is no name."""
    if text in TEXTS or not text:
        return text
    composed = unicodedata.normalize("NFC", text)
    pieces = _PIECES.split(composed)
    words = pieces[1::2]
    singles = sum(len(word) == 1 for word in words)
    between = "".join(pieces[::2])
    is_plain = between.isascii() and between.isprintable() and len(between) <= len(words) + 2
    if not words or len(words) > _MOST_WORDS or singles > 2 or not is_plain:
        return to.text(text)
    to.note_name(text)
    found = "".join(to.word(piece) if place % 2 else piece for place, piece in enumerate(pieces))
    return found if composed == text else unicodedata.normalize("NFD", found)


def host(text: str, to: Pseudonyms) -> str:
    """A domain name or a part of one, label by label, in punycode where it was."""
    return ".".join(_label(label, to) for label in text.split("."))


def _label(label: str, to: Pseudonyms) -> str:
    if label in WORDS:
        return label
    if label.lower().startswith("xn--"):
        with contextlib.suppress(UnicodeError):
            decoded = name(label[4:].encode("ascii").decode("punycode"), to)
            return decoded if decoded.isascii() else f"xn--{decoded.encode('punycode').decode()}"
    return name(label, to).replace(" ", "")


def size(text: str, to: Pseudonyms) -> str | None:
    """A number of bytes with a unit, said in the same unit; None for other texts."""
    match = re.fullmatch(r"(\d{1,12})([KMGT])", text, re.ASCII | re.IGNORECASE)
    if match is None:
        return None
    factor = 2 ** (10 * ("KMGT".index(match[2].upper()) + 1))
    return f"{to.number(int(match[1]) * factor, is_size=True) // factor}{match[2]}"


def sentence(text: str, to: Pseudonyms) -> str:
    """What of a sentence are the interface's own words, in their order; a word that is known as a name is none of them."""
    words = text.split()[:_LONGEST_SENTENCE]
    said: list[str] = []
    begins, in_phrase = True, 0
    for place, word in enumerate(words):
        in_phrase = max(in_phrase - 1, *(len(one) for one in PHRASES if words[place : place + len(one)] == one), 0)
        kept = word if in_phrase or _is_own_word(word, to, begins) else GONE
        begins = word.endswith((".", "!", "?", ":"))
        if kept != GONE or said[-1:] != [GONE]:
            said.append(kept)
    return " ".join(said)


def _is_own_word(word: str, to: Pseudonyms, begins: bool) -> bool:
    """begins: whether it may have a great letter; elsewhere that is how names are written. Names of domains may be plain words, too."""
    match = re.fullmatch(r"([A-Za-z_.-]{2,}?)[.,:;!?]?", word, re.ASCII)
    if match is None or match[1] not in (match[1].lower(), match[1].capitalize() if begins else ""):
        return False
    own = match[1].lower()
    return (own in SENTENCE and not to.knows_word(own)) or (
        match[1] in PATHS and not any(map(to.knows_word, own.split(".")))
    )


def schedule(text: str, to: Pseudonyms) -> str:
    """One field of a cron schedule."""
    return re.sub(r"[^\W_]+", lambda found: to.in_schedule(found[0]), re.sub(r"[^\w*,/-]", "", text)[:20]) or "*"


def dns_text(text: str, to: Pseudonyms) -> str:
    """The value of a TXT record: in as many strings, quoted or not, and the same text whatever its strings are."""
    is_quoted = _ONLY_CHUNKS.fullmatch(text) is not None
    chunks = [re.sub(r"\\(.)", r"\1", chunk) for chunk in _CHUNKS.findall(text)] if is_quoted else [text]
    content = "".join(chunks)
    if content in TEXTS or not content:
        return text if text == content else f'"{content}"'
    beginning = next((known for known in DNS_BEGINNINGS if content.startswith(known)), "")
    separator = "; " if ";" in content[len(beginning) :][:1] else " "
    said = (beginning + separator if beginning else "") + to.text(content)
    if not is_quoted:
        return said
    parts = min(len(chunks), len(said))
    cuts = [len(said) * part // parts for part in range(parts + 1)]
    return " ".join(f'"{said[start:end]}"' for start, end in itertools.pairwise(cuts))


def dns_value(kind: str, text: str, to: Pseudonyms) -> str:
    """The value of a record of another type: numbers, hosts, addresses, quoted texts."""
    if kind in ("TXT", "SPF"):
        return dns_text(text, to)
    return " ".join(_dns_word(word, to) for word in re.findall(r'"[^"]*"|\S+', text)[:12])


def _dns_word(word: str, to: Pseudonyms) -> str:
    if word in DNS_WORDS or (word.isascii() and word.isdigit() and len(word) < 4 and int(word) in PREFERENCES):
        return word
    if word.startswith('"'):
        return dns_text(word, to)
    if word.isascii() and word.isdigit():
        return to.digits(word)
    if _HEXADECIMAL.fullmatch(word):
        return "".join(f"{ord(letter):02x}" for letter in to.word(word))
    return _address(word, to) or (host(word, to) if re.fullmatch(r"[\w.*-]+", word) else to.text(word))


def _moment(text: str, to: Pseudonyms) -> str | None:
    return moment_as_text(text, to)


def _address(text: str, to: Pseudonyms) -> str | None:
    with contextlib.suppress(ValueError):
        if _NETWORK.fullmatch(text):
            address = to.address(text.partition("/")[0])
            return f"{address}/{128 if ':' in address else 32}"
        return to.address(text)
    return None


def _certificates(text: str, to: Pseudonyms) -> str | None:
    if "-----BEGIN " not in text or _BLOCK.sub("", text).strip():
        return None
    blocks = _BLOCK.findall(text)
    if not {label for label, _body in blocks} <= PEM_LABELS:
        return None
    shown = []
    for label, body in blocks:
        said = SECRET if "PRIVATE" in label else f"{to.text(''.join(body.split()))} instead of the real one"
        shown.append(f"-----BEGIN {label}-----\n{base64.b64encode(said.encode()).decode()}\n-----END {label}-----")
    return "\n".join(shown) + ("\n" if text.endswith("\n") else "")


def _url(text: str, to: Pseudonyms) -> str | None:
    if not re.match(r"https?://\S+\Z", text, re.IGNORECASE):
        return None
    try:
        parts = urlsplit(text)
        server = parts.hostname or ""
        port = "" if parts.port is None else f":{parts.port}" if str(parts.port) in _PORTS else ":8443"
    except ValueError:
        return None
    place = _address(server, to) or host(server, to)
    place = f"[{place}]" if ":" in place else place
    query = f"?{to.text(parts.query).replace(' ', '')}" if parts.query else ""
    return f"{parts.scheme.lower()}://{place}{port}{file_path(parts.path, to)}{query}"


def _email(text: str, to: Pseudonyms) -> str | None:
    local, at, domain = text.rpartition("@")
    if not at or re.search(r"[\s@/]", text.replace("@", "", 1)) or not re.fullmatch(r"[\w.-]+", domain):
        return None
    return f"{name(local, to).replace(' ', '')}@{host(domain, to)}"


def _record(text: str, to: Pseudonyms) -> str | None:
    match = _RECORD.fullmatch(text)
    if match is None:
        return None
    return f"{host(match[1], to)} IN TXT ( {dns_text(match[3], to)} )"


def _domain(text: str, to: Pseudonyms) -> str | None:
    if _VERSION.fullmatch(text):
        return to.version(text)
    if not _DOMAIN.fullmatch(unicodedata.normalize("NFC", text)):
        return None
    return host(text, to)


def _path(text: str, to: Pseudonyms) -> str | None:
    if not text.startswith("/") or re.search(r"\s", text):
        return None
    return file_path(text, to)


def file_path(text: str, to: Pseudonyms) -> str:
    """A path of files, segment by segment."""
    return "/".join(
        part if part in ("", ".", "..", "##DOCROOT##") else any_text(part, to).replace(" ", "")
        for part in text.split("/")
    )
