# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the text of a zone file, entry by entry, with the library dnspython. Pure.

A file often leaves out the name of its zone. Relative names belong to the first of these that
exists: $ORIGIN, the origin that the caller gives, the name of the SOA record.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from ...module_utils._dns.record_names import normalize_name
from ...module_utils._dns.record_values import NUMBERS_BEFORE_NAME
from ...module_utils._errors import is_caused_by
from ...module_utils._problems import cut_text
from ...module_utils._values.unsendable import HALF_CHARACTER, holds_half_character
from .odd_blanks import find_odd_blank, name_character

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
# Releases of the library before 2.9 take escapes in these for letters, or write them so that they
# mean something else.
_WITH_ODD_ESCAPES = ("CAA", "HTTPS", "NAPTR", "SPF", "SVCB", "TXT", "URI")
# Only the text of a target tells whether it has a dot at its end.
_READ_AS_TEXT = frozenset([*_WITH_ODD_ESCAPES, *NUMBERS_BEFORE_NAME])
# Quotes of a text are its own.
_QUOTED_TYPES = ("TXT", "SPF")
_TAG = re.compile(r"\s*[A-Za-z][A-Za-z0-9._-]*=", re.ASCII)
_MAX_LABEL = 63
_MAX_TYPE = 30
_MAX_DISPLAYED = 60
_MAX_REASON = 200
# More records than anyone keeps in one zone of a panel.
_MAX_GENERATED = 65536
_MAX_TEMPLATE = 1000
_EXPECTED = (
    "the line needs a name, or a blank at its start for the name of the line before, "
    "then a type such as A or MX"
)
_ODD_BLANK = "holds {}, which is no blank of a zone file. Put a space in its place, or remove it"
_SAVE_AS_UTF8 = "A file that is not UTF-8 has such: save it as UTF-8"
_GIVE_ORIGIN = "Give the name of the zone as origin"
_NO_ORIGIN = "neither an $ORIGIN nor a SOA record before it says to which zone"


class ZoneMistake(Exception):
    """Says that a line cannot be read.

    Args:
        line: The line, counted from 1.
        reason: What is wrong with it, without an end.
    """

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}.")
        self.line = line
        self.reason = reason


class RawData(NamedTuple):
    """Holds the data of a record as the file has it, on one line and without comments.

    Attributes:
        text: The data.
        is_one_quote: Whether it is one quoted string.
        ends_in_tags: Whether a list of tags without quotes ends in a comment with more tags.
    """

    text: str
    is_one_quote: bool
    ends_in_tags: bool


class Entry(NamedTuple):
    """Holds one record.

    Attributes:
        line: The line in which it starts.
        name: Its absolute name.
        ttl: Its TTL.
        type: Its type.
        data: Its data as the library has it.
        raw: Its data as the file has it, where that was read as text.
    """

    line: int
    name: Any
    ttl: int
    type: str
    data: Any
    raw: RawData | None = None


class SkippedRecord(NamedTuple):
    """Names a record whose data was passed over.

    Attributes:
        line: The line in which it starts.
        type: Its type.
        is_known: Whether the library knows this type.
    """

    line: int
    type: str
    is_known: bool


class ZoneText(NamedTuple):
    """Holds what a text has.

    Attributes:
        zone: The name of the zone; None where nothing says it.
        entries: The records in their order.
        skipped: The records of other types.
    """

    zone: Any
    entries: list[Entry]
    skipped: list[SkippedRecord]


class _Fields(NamedTuple):
    """What a line has between the name and the data; the TTL is None where it has none."""

    ttl: int | None
    type: str


def read_entries(text: str, origin: str, types: Collection[str]) -> ZoneText:
    """Read all records of a zone file.

    Args:
        text: The file; a mark of its encoding and all ends of lines are taken.
        origin: The name of the zone, empty where the text has to say it.
        types: The types that are read, among them SOA. Of others line and type are returned.

    Raises:
        ZoneMistake: For the first line that cannot be read.
    """
    reader = _Reader(text, origin, types)
    reader.read()
    return ZoneText(reader.find_zone(), reader.entries, reader.skipped)


def _shorten(text: str, limit: int = _MAX_DISPLAYED) -> str:
    """Return a part of the file, or the library's words about it, for a message."""
    return cut_text(text, limit)


class _Punycode(Codec):
    """Names outside ASCII as everywhere in the collection."""

    def encode(self, label: str) -> bytes:
        """Return a label in ASCII."""
        if label.isascii():
            return label.encode("ascii")
        blank = find_odd_blank(label)
        if blank:
            # Left out, as IDNA does, it would join a name with what stands beside it.
            raise UnicodeError(_ODD_BLANK.format(name_character(blank)))
        if len(label) > _MAX_LABEL:
            # Punycode is never shorter, and its library takes long for long labels.
            raise dns.name.LabelTooLong
        return normalize_name(label).encode("ascii")


class _Reader:
    """Holds the state of a reader between two lines."""

    def __init__(self, text: str, origin: str, types: Collection[str]) -> None:
        plain_text = _LINE_END.sub("\n", text.removeprefix("\ufeff"))
        self._text_lines = plain_text.split("\n")
        self._tokens = dns.tokenizer.Tokenizer(plain_text, idna_codec=_Punycode())
        self._types = types
        self._line = 1
        self._requested_zone = dns.name.from_text(origin) if origin else None
        self._origin = self._requested_zone
        self._first_origin: Any = None
        self._soa_name: Any = None
        self._last_name: Any = None
        self._default_ttl: int | None = None
        self._last_ttl: int | None = None
        self._soa_minimum: int | None = None
        self._generated = 0
        self.entries: list[Entry] = []
        self.skipped: list[SkippedRecord] = []

    def find_zone(self) -> Any:
        """Return the name of the zone; None where nothing says it."""
        return self._requested_zone or self._soa_name or self._first_origin

    def read(self) -> None:
        """Read all lines."""
        while True:
            # Here no end of a line is read ahead, so this is the line in which the next entry
            # starts.
            self._line = self._tokens.where()[1]
            try:
                if not self._read_line():
                    return
            except (dns.exception.DNSException, ValueError, ZoneMistake) as error:
                raise self._describe_error(error) from None

    def _describe_error(self, error: Exception) -> ZoneMistake:
        """Return what stops the library in the current entry."""
        last_line = self._tokens.where()[1]
        for number in range(self._line, last_line + 1):
            text = self._text_lines[number - 1]
            if is_caused_by(error, UnicodeError) and holds_half_character(text):
                reason = f"{_shorten(text.strip())} holds {HALF_CHARACTER}. {_SAVE_AS_UTF8}"
                return ZoneMistake(number, reason)
            blank = find_odd_blank(text)
            if blank:
                return ZoneMistake(number, _ODD_BLANK.format(name_character(blank)))

        if isinstance(error, ZoneMistake):
            return error
        reason = _shorten(str(error).rstrip("."), _MAX_REASON) or "it ends too early"
        text = _shorten(self._text_lines[self._line - 1].strip())
        return self._make_mistake(f"this cannot be read: {reason}, in {text}")

    def _make_mistake(self, reason: str) -> ZoneMistake:
        return ZoneMistake(self._line, reason)

    def _read_line(self) -> bool:
        """Read an entry or an empty line; False at the end of the text."""
        token = self._tokens.get(want_leading=True)
        is_indented = token.is_whitespace()
        if is_indented:
            token = self._tokens.get()
        if token.is_eol_or_eof():
            return not token.is_eof()

        is_at_start = token.is_identifier() and not is_indented
        if is_at_start and token.value.startswith("$"):
            self._read_directive(token.value.upper())
        else:
            self._read_record(token, is_indented)
        return True

    def _read_identifier(self) -> str:
        token = self._tokens.get()
        if token.is_identifier():
            return str(token.value)
        raise self._make_mistake("it ends too early" if token.is_eol_or_eof() else _EXPECTED)

    # Directives

    def _read_directive(self, name: str) -> None:
        """Read the rest of a line that starts with a directive; its name is in upper case."""
        if name == "$TTL":
            self._default_ttl = dns.ttl.from_text(self._read_identifier())
            self._tokens.get_eol()
        elif name == "$ORIGIN":
            self._read_origin()
        elif name == "$GENERATE":
            self._read_generate()
        elif name == "$INCLUDE":
            advice = "Put its text in place of this line"
            raise self._make_mistake(f"$INCLUDE names another file, which is not read. {advice}")
        else:
            raise self._make_mistake(f"{_shorten(name)} is no directive of a zone file")

    def _read_origin(self) -> None:
        name = self._parse_name(self._read_identifier())
        self._tokens.get_eol()
        if self._is_complete(name):
            name = name.derelativize(dns.name.root)
        self._origin = self._make_absolute(name)
        if self._origin != dns.name.root:
            self._first_origin = self._first_origin or self._origin

    def _read_generate(self) -> None:
        """Make the records of one line: RANGE NAME [TTL] [CLASS] TYPE DATA.

        A $ in name and data stands for each number.
        """
        numbers = self._read_range()
        name_template = self._read_identifier()
        fields = self._read_fields()
        raw = self._read_raw_data()
        data_template = raw.text
        # Data of several words may be quoted as a whole.
        if raw.is_one_quote and fields.type not in _QUOTED_TYPES:
            data_template = data_template[1:-1]
        if fields.type not in self._types:
            self._note_skipped(fields.type)
            return
        if len(name_template) + len(data_template) > _MAX_TEMPLATE:
            raise self._make_mistake(
                f"$GENERATE has a name and data of more than {_MAX_TEMPLATE} characters"
            )
        for number in numbers:
            name = self._fill_template(name_template, number)
            data = self._fill_template(data_template, number)
            self._generate_record(name, fields, raw._replace(text=data))

    def _read_range(self) -> range:
        """Read the numbers of $GENERATE, and count them."""
        numbers = _parse_range(self._read_identifier())
        if numbers is None:
            raise self._make_mistake(
                "the range of $GENERATE must be two numbers such as 1-10, or 1-10/2"
            )
        self._generated += len(numbers)
        if self._generated > _MAX_GENERATED:
            raise self._make_mistake(f"$GENERATE makes more than {_MAX_GENERATED} records")
        return numbers

    def _fill_template(self, template: str, number: int) -> str:
        try:
            return _fill(template, number)
        except ValueError as error:
            raise self._make_mistake(f"$GENERATE: {error}") from None

    def _generate_record(self, name: str, fields: _Fields, raw: RawData) -> None:
        self._last_name = self._make_absolute(self._parse_name(name))
        data = self._read_data(fields.type, raw.text, self._origin)
        raw_data = raw if fields.type in _READ_AS_TEXT else None
        self._add(self._last_name, fields, data, raw_data)

    # Names

    def _parse_name(self, text: str) -> Any:
        """Return a name as it is written, relative or absolute."""
        return dns.name.from_text(text, None, self._tokens.idna_codec)

    def _make_absolute(self, name: Any) -> Any:
        if name.is_absolute():
            return name
        if self._origin is None:
            reason = f"{name.to_text()} is relative, and {_NO_ORIGIN}"
            raise self._make_mistake(f"{reason}. {_GIVE_ORIGIN}")
        return name.derelativize(self._origin)

    def _is_complete(self, name: Any) -> bool:
        """Return whether a relative name is meant as an absolute one without its final dot."""
        if name.is_absolute() or len(name) < 2:
            return False
        if self._origin is None:
            return True
        # Beside an origin, it repeats that or a part of it; else it is relative to it.
        absolute_name = name.derelativize(dns.name.root)
        return bool(
            absolute_name.is_subdomain(self._origin) or self._origin.is_subdomain(absolute_name)
        )

    # Records

    def _read_record(self, token: Any, is_indented: bool) -> None:
        """Read a record.

        Args:
            token: The first one of the line.
            is_indented: Whether the line starts with a blank, so that it has the last name.
        """
        written_name = None
        if is_indented:
            self._tokens.unget(token)
        elif token.is_identifier():
            written_name = self._parse_name(token.value)
        else:
            raise self._make_mistake(_EXPECTED)

        fields = self._read_fields()
        name = self._find_owner(written_name, fields.type)
        self._last_name = name
        if fields.type not in self._types:
            self._skip_line()
            self._note_skipped(fields.type)
        elif fields.type == "SOA":
            omits_dots = written_name is not None and self._is_complete(written_name)
            data = self._read_soa(name, omits_dots)
            self._note_soa(name, data)
            self._add(name, fields, data)
        elif fields.type in _READ_AS_TEXT:
            raw = self._read_raw_data()
            self._add(name, fields, self._read_data(fields.type, raw.text, self._origin), raw)
        else:
            self._add(name, fields, self._read_data(fields.type, self._tokens, self._origin))

    def _find_owner(self, written_name: Any, record_type: str) -> Any:
        """Return the absolute name of a record.

        Args:
            written_name: The name that its line has; None where it has none.
            record_type: The type of the record.
        """
        if written_name is None:
            if self._last_name is None:
                raise self._make_mistake(
                    "the line starts with a blank, and no line before it has a name"
                )
            return self._last_name
        if record_type != "SOA":
            return self._make_absolute(written_name)

        if self._is_complete(written_name):
            return written_name.derelativize(dns.name.root)
        if written_name.is_absolute() or self._origin is not None:
            return self._make_absolute(written_name)
        name = written_name.to_text()
        reason = f"the SOA record is at {name}, and the text does not say which zone that is"
        raise self._make_mistake(f"{reason}. Give its name as origin")

    def _read_fields(self) -> _Fields:
        """Read a TTL and a class, in any order, and the type."""
        ttl: int | None = None
        has_class = False
        while True:
            text = self._read_identifier()
            if ttl is None and text[0].isdigit():
                ttl = self._parse_ttl(text)
            elif not has_class and _CLASS.fullmatch(text):
                has_class = True
                self._check_class(text)
            else:
                return _Fields(ttl, self._parse_type(text))

    def _check_class(self, text: str) -> None:
        if text.upper() not in _INTERNET:
            raise self._make_mistake(
                f"the class is {_shorten(text)}, and a panel has the class IN alone"
            )

    def _parse_type(self, text: str) -> str:
        """Return the usual name of a type: TYPE1 is A."""
        try:
            return str(dns.rdatatype.to_text(dns.rdatatype.from_text(text)))
        except (dns.exception.DNSException, ValueError):
            if len(text) <= _MAX_TYPE and _TYPE.fullmatch(text.upper()):
                return text.upper()
            raise self._make_mistake(
                f"this cannot be read: {_shorten(text)} is no type; {_EXPECTED}"
            ) from None

    def _parse_ttl(self, text: str) -> int:
        try:
            self._last_ttl = int(dns.ttl.from_text(text))
        except dns.ttl.BadTTL:
            raise self._make_mistake(
                f"this cannot be read: {_shorten(text)} is neither a TTL nor a type"
            ) from None
        return self._last_ttl

    def _find_usual_ttl(self) -> int:
        """Return the TTL of a line without one.

        It is the default, else that of the line before (RFC 1035), else the last number of the SOA
        record.
        """
        for ttl in (self._default_ttl, self._last_ttl, self._soa_minimum):
            if ttl is not None:
                return ttl
        raise self._make_mistake("it has no TTL, and there is no $TTL before it")

    def _read_soa(self, zone: Any, omits_dots: bool) -> Any:
        """Return the data of a SOA record.

        Args:
            zone: The name of the record.
            omits_dots: Whether the names in it leave out their final dot, as its own name does.
        """
        if not omits_dots:
            return self._read_data("SOA", self._tokens, self._origin or zone)
        data: Any = dns.rdata.from_text("IN", "SOA", self._tokens, None, False)
        return data.replace(
            mname=_complete_soa_name(data.mname, zone),
            rname=_complete_soa_name(data.rname, zone),
        )

    def _note_soa(self, name: Any, data: Any) -> None:
        if self._soa_name is not None:
            return
        self._soa_name = name
        self._soa_minimum = data.minimum
        if self._origin is None:
            self._origin = name

    def _read_data(self, record_type: str, source: Any, origin: Any) -> Any:
        """Return the data of a record, with absolute names.

        Args:
            record_type: The type of the record.
            source: The tokens, or a text.
            origin: The zone of relative names; None where it is unknown.
        """
        if isinstance(source, str):
            source = dns.tokenizer.Tokenizer(source, idna_codec=self._tokens.idna_codec)
        data = dns.rdata.from_text("IN", record_type, source, origin, False)
        if origin is None:
            try:
                data.to_wire()
            except dns.name.NeedAbsoluteNameOrOrigin:
                reason = f"a name in the data is relative, and {_NO_ORIGIN}"
                raise self._make_mistake(f"{reason}. {_GIVE_ORIGIN}") from None
        return data

    def _skip_line(self) -> None:
        for _token in self._iterate_line():
            pass

    def _note_skipped(self, record_type: str) -> None:
        is_known = record_type in dns.rdatatype.RdataType.__members__ or record_type.startswith(
            "TYPE"
        )
        self.skipped.append(SkippedRecord(self._line, record_type, is_known))

    def _add(self, name: Any, fields: _Fields, data: Any, raw: RawData | None = None) -> None:
        ttl = self._find_usual_ttl() if fields.ttl is None else fields.ttl
        self.entries.append(Entry(self._line, name, ttl, fields.type, data, raw))

    def _iterate_line(self, **wanted: bool) -> Iterator[Any]:
        """Yield the tokens up to the end of the record.

        Args:
            wanted: What the library yields beside words, such as ``want_comment``.
        """
        while True:
            token = self._tokens.get(**wanted)
            if token.is_eol_or_eof():
                return
            yield token

    def _read_raw_data(self) -> RawData:
        """Read up to the end of the record, which may be several lines in parentheses."""
        tokens = list(self._iterate_line(want_leading=True, want_comment=True))
        # Strings, and the blanks between them.
        pieces: list[str] = []
        for token in tokens:
            if token.is_quoted_string():
                # The library passes over blanks behind a quote.
                pieces.extend([f'"{token.value}"', " "])
            elif token.is_whitespace():
                pieces.append(" ")
            elif not token.is_comment():
                pieces.append(str(token.value))

        text = "".join(pieces).strip()
        strings = [piece for piece in pieces if piece != " "]
        is_one_quote = len(strings) == 1 and text.startswith('"')
        return RawData(text, is_one_quote, _ends_in_tags(tokens))


def _complete_soa_name(name: Any, zone: Any) -> Any:
    """Return an absolute name in a SOA record whose names leave out their final dot."""
    return name.derelativize(dns.name.root if len(name) > 1 else zone)


def _ends_in_tags(tokens: Iterable[Any]) -> bool:
    """Return whether a tag without quotes has a comment behind it that starts with a tag."""
    last_text = ""
    for token in tokens:
        if token.is_whitespace():
            continue
        if token.is_comment():
            if _TAG.match(last_text) and _TAG.match(token.value):
                return True
            continue
        last_text = str(token.value)
        if token.is_quoted_string():
            last_text = ""
    return False


# Numbers of $GENERATE


_RANGE = re.compile(r"(\d{1,10})-(\d{1,10})(?:/(\d{1,10}))?", re.ASCII)
# An escaped character, two signs, or one sign with {offset,width,base} behind it.
_SIGN = re.compile(r"\\.|\$\$|\$(\{[^}$]{0,40}\}?)?", re.DOTALL)
_MODIFIERS = re.compile(r"\{([-+]?\d{1,10})(?:,(\d{1,3})(?:,([doxXnN]))?)?\}", re.ASCII)
_MAX_WIDTH = 127


def _parse_range(text: str) -> range | None:
    """Return the numbers of a range such as 1-10/2; None for what is none."""
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    first = int(match[1])
    last = int(match[2])
    step = int(match[3] or 1)
    if first > last or not step:
        return None
    return range(first, last + 1, step)


def _fill(template: str, number: int) -> str:
    """Return a text with the number for each sign.

    Raises:
        ValueError: A sign has modifiers that no name server takes.
    """

    def replace(match: re.Match[str]) -> str:
        if match[0] in ("$$", r"\$"):
            return "$"
        if match[0].startswith("\\"):
            return match[0]
        return _format_number(number, match[1] or "{0}")

    return _SIGN.sub(replace, template)


def _format_number(number: int, modifiers: str) -> str:
    """Return a number as modifiers write it; raises ValueError for modifiers that are none."""
    match = _MODIFIERS.fullmatch(modifiers)
    if match is None or int(match[2] or 0) > _MAX_WIDTH:
        raise ValueError(f"{modifiers} must be an offset, a width and a base such as {{0,3,d}}")
    value = number + int(match[1])
    width = int(match[2] or 0)
    base = match[3] or "d"
    if base not in "nN":
        return format(value, base).zfill(width)
    if value < 0:
        raise ValueError(f"{modifiers} makes a negative number, which has no nibbles")
    # The last digit first, a dot between two; the width is that of the whole text.
    digits = format(value, "x" if base == "n" else "X").zfill((width + 1) // 2)
    return ".".join(reversed(digits))
