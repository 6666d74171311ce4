# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of a zone file as records in the API's shape, and records as text. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from ...module_utils._dns.record_values import (
    APEX,
    LONGEST_PIECE,
    NUMBERS_BEFORE_NAME,
    PLACEHOLDER,
    TEXT_TYPES,
    ascii_name,
    comparable_value,
    dkim_text,
    relative_host,
    text_of,
)
from ...module_utils._dns.wanted_zone import SOA_MEMBERS, GivenRecord, read_record, read_wanted_zone
from ...module_utils._errors import MissingLibrary, OptionError, PanelError
from ...module_utils._values.names import DomainName
from ...module_utils._values.value_types import parsed

Reader: Any = object
Codec: Any = object
try:
    import dns.zonefile

    Reader, Codec = dns.zonefile.Reader, dns.name.IDNACodec
except ImportError:
    dns = None  # type: ignore[assignment]

# Every other type belongs to the name server that signs or transfers the zone, or is of no use in a panel.
KNOWN_TYPES = {"A", "AAAA", "CAA", "CNAME", "DNAME", "DS", "HTTPS", "LOC", "MX", "NAPTR", "NS", "OPENPGPKEY", "PTR"}
KNOWN_TYPES |= {"SMIMEA", "SOA", "SPF", "SRV", "SSHFP", "SVCB", "TLSA", "TXT", "URI"}
_NAME, _INDEX = DomainName(), re.compile(r"records\[(\d+)\]")
_USUAL_TTL = 86400  # that of the panel's own records, facts.md section 7
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
# The records of the zone itself come first, and of a host those that every zone has.
_RANKS = {"SOA": 0, "NS": 1, "MX": 2}
Zone = dict[str, Any]


def require_library() -> None:
    if dns is None:
        where = "the Python that runs Ansible"
        raise MissingLibrary(f"{where} has no library dnspython; install it there (pip install dnspython).")


def _types(skip_types: Any) -> set[str]:
    if not isinstance(skip_types, (list, tuple)):
        raise PanelError("skip_types: must be a list of types such as [RRSIG, NSEC].")
    return {str(name).strip().upper() for name in skip_types}


def read_zone_text(text: Any, origin: Any = None, skip_types: Any = ()) -> tuple[Zone, dict[str, list[int]]]:
    """The options of panel_dns, and by type the lines of what was left out; raises PanelError.

    origin: the zone's name; without it, $ORIGIN or the SOA record has to say it.
    """
    require_library()
    if not isinstance(text, str):
        raise PanelError("the input must be the text of a zone file.")
    domain, unwanted = parsed(_NAME, "origin", origin) if origin else "", _types(skip_types)
    reader = _Reader(text, domain)
    try:
        reader.read()
    except (dns.exception.DNSException, ValueError) as error:
        reason = re.sub(r"^\S+:\d+: ", "", str(error)).rstrip(".") or "it ends too early"
        raise PanelError(f"line {reader.line}: this cannot be read: {reason}.") from None
    names = [name for _line, name, _ttl, data in reader.found if data.rdtype == dns.rdatatype.SOA] + reader.origins
    if not domain and (not names or names[0] == dns.name.root):
        raise PanelError("origin: missing; the text has neither a SOA record nor an $ORIGIN.")
    zone: Zone = {"domain": domain or parsed(_NAME, "origin", names[0].to_text()), "records": [], "soa": None}
    lines: list[int] = []
    skipped: dict[str, list[int]] = {}
    for line, name, ttl, data in reader.found:
        kind = str(dns.rdatatype.to_text(data.rdtype))
        if kind in unwanted:
            skipped.setdefault(kind, []).append(line)
        else:
            lines += [line] * _add(zone, f"line {line}", name, kind, ttl, data)
    try:
        # What panel_dns would refuse is an error here, where the line is known.
        read_wanted_zone(zone)
    except OptionError as error:
        in_lines = _INDEX.sub(lambda found: f"line {lines[int(found[1])]}", error.message)
        raise PanelError(in_lines) from None
    return zone, skipped


def _add(zone: Zone, line: str, name: Any, kind: str, ttl: int, data: Any) -> bool:
    """Whether it was added to the records."""
    apex = dns.name.from_text(zone["domain"])
    if not name.is_subdomain(apex):
        raise PanelError(f"{line}: {name} does not lie in the zone {zone['domain']}.")
    if kind not in KNOWN_TYPES:
        advice = f"leave them all out with skip_types=['{kind}']"
        raise PanelError(f"{line}: records of type {kind} are not for a panel; {advice}.")
    if kind == "SOA":
        numbers = {name: getattr(data, name) for name in ("refresh", "retry", "expire", "minimum")}
        soa = {"ttl": ttl, "primary_ns": data.mname.to_text(), "rname": data.rname.to_text(), **numbers}
        # A transfer ends with the SOA record that it began with.
        if name != apex or zone["soa"] not in (None, soa):
            raise PanelError(f"{line}: a zone has one SOA record, at {zone['domain']} itself.")
        zone["soa"] = soa
        return False
    host = APEX if name == apex else name.relativize(apex).to_text().lower()
    value = _text_value(data.to_text(), len(data.strings)) if kind in TEXT_TYPES else data.to_text(chunksize=0)
    zone["records"].append({"host": host, "type": kind, "ttl": ttl, "value": value})
    return True


def _text_value(quoted: str, pieces: int) -> str:
    """The bare text as panels show it where it can be told from a quoted one, else the quoted pieces."""
    text = text_of(quoted)
    is_readable = text.isprintable() and not {'"', "\\"} & set(text)
    return text if pieces == 1 and text and is_readable and text == text_of(text) else quoted


class _Reader(Reader):
    """dnspython's reader, which keeps every record with its line and leaves none out. The root stands for a zone that is not known yet."""

    def __init__(self, text: str, zone: str) -> None:
        self.line, self.found, self.origins = 1, list[tuple[int, Any, int, Any]](), list[Any]()
        # What it needs of a zone that takes the records.
        manager = SimpleNamespace(origin_information=lambda: (dns.name.root, False, dns.name.root))
        taking = SimpleNamespace(
            manager=manager,
            add=lambda name, ttl, data: self.found.append((self.line, name, ttl, data)),
            _set_origin=self.origins.append,
            check_put_rdataset=lambda _check: None,
        )
        tokens = dns.tokenizer.Tokenizer(text.lstrip("\ufeff").replace("\r\n", "\n"), idna_codec=_Punycode())
        super().__init__(tokens, dns.rdataclass.IN, taking)
        self.current_origin = dns.name.from_text(zone) if zone else dns.name.root
        self.last_name = None

    def _rr_line(self) -> None:
        token = self.tok.get(want_leading=True)
        self.line = self.tok.where()[1]
        self.tok.unget(token)
        super()._rr_line()


class _Punycode(Codec):
    """Names outside ASCII as everywhere in the collection."""

    def encode(self, label: str) -> bytes:
        return (label if label.isascii() else ascii_name(label)).encode("ascii")


def write_zone_text(
    records: Any,
    origin: Any = None,
    soa: Any = None,
    serial: Any = 1,
    dkim_record: Any = None,
    skip_types: Any = (),
) -> tuple[str, dict[str, int]]:
    """The text of the zone, and how many records of which type were left out; raises PanelError, which names the record.

    records: a list of records, or a zone: an entry of panel_dns_info, the options of panel_dns, or {soa, other} as the API nests them.
    """
    require_library()
    given = records if isinstance(records, Mapping) else {"records": records}
    listed = given if "other" in given else given.get("records")
    nested = listed if isinstance(listed, Mapping) else {"other": listed}
    listed = nested.get("other")
    if not isinstance(listed, (list, tuple)):
        raise PanelError("the input must be a list of records or a zone as hosting.panel.panel_dns_info returns it.")
    if not (origin or given.get("domain")):
        raise PanelError("origin: missing; give the name of the zone, since the input does not hold it.")
    zone, unwanted = parsed(_NAME, "origin", origin or given["domain"]), _types(skip_types)
    soa = given.get("soa", nested.get("soa")) if soa is None else soa
    try:
        read = [read_record(f"records[{index}]", record, needs_value=True) for index, record in enumerate(listed)]
        shown_soa = read_wanted_zone({"domain": zone, "soa": dict(soa)}).soa if soa else {}
    except OptionError as error:
        raise PanelError(f"{zone}: {error.message}") from None
    kept = [(index, record) for index, record in enumerate(read) if record["type"] not in unwanted]
    dkim = given.get("dkim_record") if dkim_record is None else dkim_record
    if dkim != PLACEHOLDER:
        dkim = dkim_text({"dkim_record": dkim, "records": {"other": read}})
    counts = Counter(record["ttl"] for _index, record in kept if "ttl" in record)
    usual_ttl = max(counts, key=lambda ttl: (counts[ttl], ttl)) if counts else shown_soa.get("ttl", _USUAL_TTL)
    lines = set()
    for index, record in kept:
        named = f"{zone}: records[{index}] ({record['host']} {record['type']})"
        host = relative_host(record["host"], zone)
        if host.endswith("."):
            raise PanelError(f"{named}: the host does not lie in the zone.")
        value = _data(named, record["type"], _with_dkim(named, record, dkim), zone)
        lines.add((host, record.get("ttl", usual_ttl), record["type"], value))
    if soa:
        checked = {"ttl": usual_ttl, **shown_soa}
        for name in (name for name in SOA_MEMBERS if name not in checked):
            raise PanelError(f"{zone}: soa.{name}: missing; a zone file needs the whole SOA record.")
        ttl, primary_ns, rname, *numbers = (checked[name] for name in SOA_MEMBERS)
        value = " ".join(map(str, (primary_ns, rname, serial, *numbers)))
        lines.add((APEX, ttl, "SOA", _data(f"{zone}: soa with serial {serial}", "SOA", value, zone)))
    width = max((len(host) for host, _ttl, _kind, _value in lines), default=0)
    ordered = sorted(lines, key=lambda line: (line[0] != APEX, line[0], _RANKS.get(line[2], 3), line[2:], line[1]))
    text = [f"$ORIGIN {zone}.", f"$TTL {usual_ttl}"]
    text += [f"{host:<{width}} {ttl:<6} IN {kind:<5} {value}" for host, ttl, kind, value in ordered]
    return "\n".join(text) + "\n", dict(Counter(record["type"] for record in read if record["type"] in unwanted))


def _with_dkim(named: str, record: GivenRecord, dkim: str | None) -> str:
    value = str(record["value"])
    if record["type"] not in TEXT_TYPES or PLACEHOLDER not in value:
        return value
    if dkim is None:
        why = f"the panel's placeholder {PLACEHOLDER} stands for a text that the input does not hold"
        raise PanelError(f"{named}: {why}; give it as dkim_record, or give the placeholder itself to keep it.")
    return _quoted(text_of(value).replace(PLACEHOLDER, dkim))


def _data(named: str, kind: str, value: str, zone: str) -> str:
    """The value as a zone file has it, read and written by the library, so that nothing in it can become another line."""
    try:
        text, origin = _presented(kind, value, zone), dns.name.from_text(zone)
        presented: str = dns.rdata.from_text(dns.rdataclass.IN, kind, text, origin, False).to_text(chunksize=0)
    except (dns.exception.DNSException, ValueError) as error:
        reason, skip = str(error).rstrip(".") or "it cannot be read", f"skip_types=['{kind}']"
        why = f"a zone file cannot have it: {reason}. Correct it, or leave the type out with {skip}"
        raise PanelError(f"{named}: {why}.") from None
    return presented


def _presented(kind: str, value: str, zone: str) -> str:
    if kind in TEXT_TYPES:
        # The pieces that the value has, and those split that are longer than one may be.
        is_quoted = text_of(value) != value.strip()
        return " ".join(_quoted(text_of(piece)) for piece in (_QUOTED.findall(value) if is_quoted else [value]))
    if kind in NUMBERS_BEFORE_NAME:
        # A name with a dot inside is complete for panel_dns, also without one at its end.
        return comparable_value(kind, value, zone).rstrip(".") + "."
    if kind == "CAA":
        flags, tag, text = comparable_value(kind, value, zone).split(" ", 2)
        return f"{flags} {tag} {_quoted(text)}"
    return value


def _quoted(text: str) -> str:
    """Every byte escaped; the library writes those plainly that may be so."""
    content = text.encode("utf-8", "surrogateescape")
    pieces = [content[start : start + LONGEST_PIECE] for start in range(0, len(content), LONGEST_PIECE)] or [b""]
    return " ".join('"' + "".join(f"\\{byte:03d}" for byte in piece) + '"' for piece in pieces)
