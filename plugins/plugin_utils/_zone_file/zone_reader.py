# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the text of a zone file, entry by entry, with the library dnspython. Pure. Private to the collection.

A file often leaves out the name of its zone. Relative names belong to the first of these that is there: $ORIGIN, the origin that the
caller gives, the name of the SOA record.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, NamedTuple

from ...module_utils._dns.record_names import normalize_name

Codec: Any = object
try:
    import dns.name
    import dns.rdata
    import dns.rdatatype
    import dns.tokenizer
    import dns.ttl

    Codec = dns.name.IDNACodec
except ImportError:
    dns = None  # type: ignore[assignment]

_LINE_END = re.compile(r"\r\n?")
# What RFC 1035 and RFC 3597 call a class.
_CLASS = re.compile(r"IN|CH|HS|CS|ANY|NONE|CLASS\d{1,5}", re.IGNORECASE | re.ASCII)
_INTERNET = frozenset({"IN", "CLASS1"})
_TYPE = re.compile(r"[A-Z][A-Z0-9_-]*", re.ASCII)
# Releases of the library before 2.9 take escapes in these for letters, or write them so that they mean something else.
_READ_AS_TEXT = frozenset({"CAA", "HTTPS", "NAPTR", "SPF", "SVCB", "TXT", "URI"})
_TAG = re.compile(r"\s*[A-Za-z][A-Za-z0-9._-]*=", re.ASCII)
_LONGEST_LABEL = 63
_LONGEST_TYPE = 30
_UNKNOWN = "the line needs a name, or a blank at its start for the name of the line before, then a type such as A or MX"
# More records than anyone keeps in one zone of a panel.
MOST_GENERATED = 65536
_LONGEST_FORM = 1000


class ZoneMistake(Exception):
    """A line that cannot be read. line: counted from 1. reason: what is wrong with it, without an end."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}.")
        self.line = line
        self.reason = reason


class Entry(NamedTuple):
    """One record. name: absolute. data: as the library has it. written: as the file has it, where that was read as text."""

    line: int
    name: Any
    ttl: int
    type: str
    data: Any
    written: DataText | None = None


class DataText(NamedTuple):
    """The data of a record on one line, without comments.

    is_one_quote: whether it is one quoted string. ends_in_tags: whether a list of tags without quotes ends in a comment with more tags.
    """

    text: str
    is_one_quote: bool
    ends_in_tags: bool


class Unread(NamedTuple):
    """A record whose data was passed over. is_known: whether the library knows its type."""

    line: int
    type: str
    is_known: bool


class ZoneText(NamedTuple):
    """What a text holds. zone: its name, None where nothing says it."""

    zone: Any
    entries: list[Entry]
    unread: list[Unread]


def read_entries(text: str, origin: str, types: Collection[str]) -> ZoneText:
    """Read all records of a zone file.

    Args:
        text: The file; a mark of its encoding and all ends of lines are taken.
        origin: The name of the zone, empty where the text has to say it.
        types: The types that are read. Of others the line and the type are told; SOA has to be among them.

    Raises:
        ZoneMistake: For the first line that cannot be read.
    """
    reader = _Reader(text, origin, types)
    reader.read()
    return ZoneText(reader.zone(), reader.entries, reader.unread)


def _cut(text: str, longest: int = 60) -> str:
    """A part of the file, or what the library says of it, as far as a message shows it."""
    return text if len(text) <= longest else f"{text[:longest]}…"


class _Punycode(Codec):
    """Names outside ASCII as everywhere in the collection."""

    def encode(self, label: str) -> bytes:
        if label.isascii():
            return label.encode("ascii")
        if len(label) > _LONGEST_LABEL:
            # Punycode is never shorter, and its library takes long for long labels.
            raise dns.name.LabelTooLong
        return normalize_name(label).encode("ascii")


class _Reader:
    """The state of a reader between two lines."""

    def __init__(self, text: str, origin: str, types: Collection[str]) -> None:
        plain_text = _LINE_END.sub("\n", text.removeprefix("\ufeff"))
        self._tokens = dns.tokenizer.Tokenizer(plain_text, idna_codec=_Punycode())
        self._types = types
        self._line = 1
        self._given_zone = dns.name.from_text(origin) if origin else None
        self._origin = self._given_zone
        self._first_origin: Any = None
        self._soa_name: Any = None
        self._last_name: Any = None
        self._default_ttl: int | None = None
        self._last_ttl: int | None = None
        self._soa_minimum: int | None = None
        self._generated = 0
        self.entries: list[Entry] = []
        self.unread: list[Unread] = []

    def zone(self) -> Any:
        """The name of the zone; None where nothing says it."""
        return self._given_zone or self._soa_name or self._first_origin

    def read(self) -> None:
        while True:
            # Here no end of a line is read ahead, so this is the line in which the next entry starts.
            self._line = self._tokens.where()[1]
            try:
                if not self._read_line():
                    return
            except (dns.exception.DNSException, ValueError) as error:
                reason = _cut(str(error).rstrip("."), 200) or "it ends too early"
                raise self._mistake(f"this cannot be read: {reason}") from None

    def _mistake(self, reason: str) -> ZoneMistake:
        return ZoneMistake(self._line, reason)

    def _read_line(self) -> bool:
        """Read an entry or an empty line; False at the end of the text."""
        token = self._tokens.get(want_leading=True)
        is_indented = token.is_whitespace()
        if is_indented:
            token = self._tokens.get()
        if token.is_eol_or_eof():
            return not token.is_eof()

        directive = token.value.upper() if token.is_identifier() and not is_indented else ""
        if directive == "$TTL":
            self._default_ttl = dns.ttl.from_text(self._identifier())
            self._tokens.get_eol()
        elif directive == "$ORIGIN":
            self._read_origin()
        elif directive == "$GENERATE":
            self._read_generate()
        elif directive == "$INCLUDE":
            raise self._mistake("$INCLUDE names another file, which is not read. Put its text in place of this line")
        elif directive.startswith("$"):
            raise self._mistake(f"{_cut(directive)} is no directive of a zone file")
        else:
            self._read_record(token, is_indented)
        return True

    def _identifier(self) -> str:
        token = self._tokens.get()
        if not token.is_identifier():
            raise self._mistake("it ends too early" if token.is_eol_or_eof() else _UNKNOWN)
        return str(token.value)

    def _name(self, text: str) -> Any:
        """A name as it is written, relative or absolute."""
        return dns.name.from_text(text, None, self._tokens.idna_codec)

    def _absolute(self, name: Any) -> Any:
        if name.is_absolute():
            return name
        if self._origin is None:
            shown = name.to_text()
            why = f"{shown} is relative, and neither an $ORIGIN nor a SOA record before it says to which zone"
            raise self._mistake(f"{why}. Give the name of the zone as origin")
        return name.derelativize(self._origin)

    def _read_origin(self) -> None:
        name = self._name(self._identifier())
        self._tokens.get_eol()
        if self._is_complete(name):
            name = name.derelativize(dns.name.root)
        self._origin = self._absolute(name)
        if self._origin != dns.name.root:
            self._first_origin = self._first_origin or self._origin

    def _is_complete(self, name: Any) -> bool:
        """Whether a relative name is meant as an absolute one: the name of a zone whose final dot was left out."""
        if name.is_absolute() or len(name) < 2:
            return False
        if self._origin is None:
            return True
        # Beside an origin, it repeats that or a part of it; else it is relative to it.
        whole = name.derelativize(dns.name.root)
        return bool(whole.is_subdomain(self._origin) or self._origin.is_subdomain(whole))

    def _read_record(self, token: Any, is_indented: bool) -> None:
        name = None
        if is_indented:
            self._tokens.unget(token)
        elif token.is_identifier():
            name = self._name(token.value)
        else:
            raise self._mistake(_UNKNOWN)

        ttl, kind = self._read_ttl_class_and_type()
        is_whole_zone = kind == "SOA" and name is not None and self._is_complete(name)
        if name is None:
            name = self._last_name
        elif is_whole_zone:
            name = name.derelativize(dns.name.root)
        elif kind == "SOA":
            name = self._soa_owner(name)
        else:
            name = self._absolute(name)
        if name is None:
            raise self._mistake("the line starts with a blank, and no line before it has a name")
        self._last_name = name

        if kind not in self._types:
            self._pass_over_line()
            self._note_unread(kind)
        elif kind == "SOA":
            data = self._read_soa(name, is_whole_zone)
            self._note_soa(name, data)
            self._add(name, ttl, kind, data)
        elif kind in _READ_AS_TEXT:
            written = self._rest_of_line()
            self._add(name, ttl, kind, self._read_data(kind, written.text, self._origin), written)
        else:
            self._add(name, ttl, kind, self._read_data(kind, self._tokens, self._origin))

    def _read_ttl_class_and_type(self) -> tuple[int | None, str]:
        """The TTL, None where the line has none, and the type; a TTL and a class come in any order."""
        ttl: int | None = None
        has_class = False
        while True:
            word = self._identifier()
            if ttl is None and word[0].isdigit():
                ttl = self._ttl(word)
            elif not has_class and _CLASS.fullmatch(word):
                has_class = True
                if word.upper() not in _INTERNET:
                    raise self._mistake(f"the class is {_cut(word)}, and a panel has the class IN alone")
            else:
                break
        return ttl, self._type(word)

    def _type(self, word: str) -> str:
        """The usual name of a type: TYPE1 is A."""
        try:
            return str(dns.rdatatype.to_text(dns.rdatatype.from_text(word)))
        except (dns.exception.DNSException, ValueError):
            if len(word) <= _LONGEST_TYPE and _TYPE.fullmatch(word.upper()):
                return word.upper()
            raise self._mistake(f"this cannot be read: {_cut(word)} is no type; {_UNKNOWN}") from None

    def _ttl(self, word: str) -> int:
        try:
            self._last_ttl = int(dns.ttl.from_text(word))
        except dns.ttl.BadTTL:
            raise self._mistake(f"this cannot be read: {_cut(word)} is neither a TTL nor a type") from None
        return self._last_ttl

    def _usual_ttl(self) -> int:
        """Of a line without one: the default, else that of the line before (RFC 1035), else the last number of the SOA record."""
        for ttl in (self._default_ttl, self._last_ttl, self._soa_minimum):
            if ttl is not None:
                return ttl
        raise self._mistake("it has no TTL, and there is no $TTL before it")

    def _soa_owner(self, name: Any) -> Any:
        if name.is_absolute() or self._origin is not None:
            return self._absolute(name)
        shown = name.to_text()
        raise self._mistake(
            f"the SOA record is at {shown}, and the text does not say which zone that is. Give its name as origin"
        )

    def _read_soa(self, zone: Any, is_whole_zone: bool) -> Any:
        """The data of a SOA record. is_whole_zone: whether the names in it leave out their final dot, as its own name does."""
        if not is_whole_zone:
            return self._read_data("SOA", self._tokens, self._origin or zone)
        data: Any = dns.rdata.from_text("IN", "SOA", self._tokens, None, False)
        names = {
            field: name.derelativize(dns.name.root if len(name) > 1 else zone)
            for field, name in (("mname", data.mname), ("rname", data.rname))
        }
        return data.replace(**names)

    def _note_soa(self, name: Any, data: Any) -> None:
        if self._soa_name is not None:
            return
        self._soa_name = name
        self._soa_minimum = data.minimum
        if self._origin is None:
            self._origin = name

    def _read_data(self, kind: str, source: Any, origin: Any) -> Any:
        """The data of a record, with absolute names. source: the tokens, or a text. origin: of its names, None where it is unknown."""
        if isinstance(source, str):
            source = dns.tokenizer.Tokenizer(source, idna_codec=self._tokens.idna_codec)
        data = dns.rdata.from_text("IN", kind, source, origin, False)
        if origin is None:
            try:
                data.to_wire()
            except dns.name.NeedAbsoluteNameOrOrigin:
                why = "a name in the data is relative, and neither an $ORIGIN nor a SOA record before it says to which zone"
                raise self._mistake(f"{why}. Give the name of the zone as origin") from None
        return data

    def _pass_over_line(self) -> None:
        while not self._tokens.get().is_eol_or_eof():
            pass

    def _note_unread(self, kind: str) -> None:
        is_known = kind in dns.rdatatype.RdataType.__members__ or kind.startswith("TYPE")
        self.unread.append(Unread(self._line, kind, is_known))

    def _add(self, name: Any, ttl: int | None, kind: str, data: Any, written: DataText | None = None) -> None:
        known_ttl = self._usual_ttl() if ttl is None else ttl
        self.entries.append(Entry(self._line, name, known_ttl, kind, data, written))

    def _read_generate(self) -> None:
        """Make the records of one line: RANGE NAME [TTL] [CLASS] TYPE DATA, with $ in name and data for each number."""
        numbers = _numbers_of(self._identifier())
        if numbers is None:
            raise self._mistake("the range of $GENERATE must be two numbers such as 1-10, or 1-10/2")
        self._generated += len(numbers)
        if self._generated > MOST_GENERATED:
            raise self._mistake(f"$GENERATE makes more than {MOST_GENERATED} records")
        name_form = self._identifier()
        ttl, kind = self._read_ttl_class_and_type()
        written = self._rest_of_line()
        # Data of several words may be quoted as a whole; quotes of a text are its own.
        is_quoted = written.is_one_quote and kind not in ("TXT", "SPF")
        data_form = written.text[1:-1] if is_quoted else written.text
        if kind not in self._types:
            self._note_unread(kind)
            return
        if len(name_form) + len(data_form) > _LONGEST_FORM:
            raise self._mistake(f"$GENERATE has a name and data of more than {_LONGEST_FORM} characters")
        for number in numbers:
            try:
                name_text, data_text = _filled(name_form, number), _filled(data_form, number)
            except ValueError as error:
                raise self._mistake(f"$GENERATE: {error}") from None
            self._last_name = self._absolute(self._name(name_text))
            data = self._read_data(kind, data_text, self._origin)
            text_read = written._replace(text=data_text) if kind in _READ_AS_TEXT else None
            self._add(self._last_name, ttl, kind, data, text_read)

    def _rest_of_line(self) -> DataText:
        """Read up to the end of the record, which may be several lines in parentheses."""
        parts = []
        last_word = ""
        ends_in_tags = False
        while True:
            token = self._tokens.get(want_leading=True, want_comment=True)
            if token.is_eol_or_eof():
                break
            if token.is_comment():
                is_more = bool(_TAG.match(last_word) and _TAG.match(token.value))
                ends_in_tags = ends_in_tags or is_more
            elif token.is_whitespace():
                parts.append(" ")
            elif token.is_quoted_string():
                # The library passes over blanks behind a quote.
                parts.extend([f'"{token.value}"', " "])
                last_word = ""
            else:
                last_word = str(token.value)
                parts.append(last_word)
        text = "".join(parts).strip()
        words = [part for part in parts if part != " "]
        return DataText(text, len(words) == 1 and text.startswith('"'), ends_in_tags)


_RANGE = re.compile(r"(\d{1,10})-(\d{1,10})(?:/(\d{1,10}))?", re.ASCII)
# An escaped character, two signs, or one sign with {offset,width,base} behind it.
_SIGN = re.compile(r"\\.|\$\$|\$(\{[^}$]{0,40}\}?)?", re.DOTALL)
_MODIFIERS = re.compile(r"\{([-+]?\d{1,10})(?:,(\d{1,3})(?:,([doxXnN]))?)?\}", re.ASCII)
_MOST_WIDTH = 127


def _numbers_of(text: str) -> range | None:
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    first, last, step = int(match[1]), int(match[2]), int(match[3] or 1)
    return range(first, last + 1, step) if first <= last and step else None


def _filled(form: str, number: int) -> str:
    """The text with the number for each sign; raises ValueError for modifiers that no name server takes."""

    def replaced(match: re.Match[str]) -> str:
        if match[0] in ("$$", r"\$"):
            return "$"
        if match[0].startswith("\\"):
            return match[0]
        return _formatted(number, match[1] or "{0}")

    return _SIGN.sub(replaced, form)


def _formatted(number: int, modifiers: str) -> str:
    match = _MODIFIERS.fullmatch(modifiers)
    if match is None or int(match[2] or 0) > _MOST_WIDTH:
        raise ValueError(f"{modifiers} must be an offset, a width and a base such as {{0,3,d}}")
    value, width, base = number + int(match[1]), int(match[2] or 0), match[3] or "d"
    if base not in "nN":
        return format(value, base).zfill(width)
    if value < 0:
        raise ValueError(f"{modifiers} makes a negative number, which has no nibbles")
    # The last digit first, a dot between two; the width is that of the whole text.
    digits = format(value, "x" if base == "n" else "X").zfill((width + 1) // 2)
    return ".".join(reversed(digits))
