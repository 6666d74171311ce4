"""One zone in the spellings of many programs.

Whatever a file leaves out, reorders or breaks into lines, its records are the same.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.zone
import pytest

from ansible_collections.hosting.panel.plugins.module_utils._dns.records import normalize_record
from ansible_collections.hosting.panel.plugins.module_utils._errors import PanelError
from ansible_collections.hosting.panel.plugins.plugin_utils._zone_file.text_to_zone import (
    format_value,
    read_zone_text,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._zone_file.zone_reader import (
    Entry,
    RawData,
)
from tests.support.seeds import make_seeds

ZONE = "acme.example"
OTHER = "elsewhere.example."
# How a text says whose zone it is.
WAYS = (
    "origin",
    "$ORIGIN",
    "$ORIGIN .",
    "SOA",
    "SOA without its dot",
    "SOA without its dot beside an origin",
)
Known = tuple[Any, ...]
HOSTS = ("@", "www", "mail", "*", "*.w", "_sip._tcp", "a.b", "x.sub", "sub", "_dmarc")
NAMES = (f"mail.{ZONE}.", f"{ZONE}.", f"x.sub.{ZONE}.", OTHER, f"ns.{OTHER}")


@dataclass
class Model:
    """soa: ttl, names and numbers.

    records: host, type, ttl and the words of the data; a word that ends with a dot is a name.
    """

    soa: tuple[Any, ...]
    records: list[tuple[str, str, int, list[str]]] = field(default_factory=list)

    def list_identities(self) -> list[Known]:
        """Return what the records of the zone are, in order."""
        records = (
            {"host": host, "type": kind, "ttl": ttl, "value": " ".join(fields)}
            for host, kind, ttl, fields in self.records
        )
        return sorted(get_identity(record) for record in records)


def get_identity(record: dict[str, Any]) -> Known:
    """What panel_dns compares."""
    comparable = normalize_record(record, ZONE)
    return (*comparable.key, comparable.ttl)


def draw_model(draw: random.Random) -> Model:
    """Return a random zone."""
    soa = (
        draw.choice((0, 300, 86400)),
        f"ns1.{draw.choice((ZONE + '.', OTHER))}",
        f"it.{OTHER}",
        14400,
        1800,
        604800,
        77,
    )
    values: dict[str, Callable[[], list[str]]] = {
        "A": lambda: [f"192.0.2.{draw.randrange(256)}"],
        "AAAA": lambda: [f"2001:db8::{draw.randrange(16):x}"],
        "MX": lambda: [str(draw.randrange(99)), draw.choice(NAMES)],
        "NS": lambda: [draw.choice(NAMES)],
        "SRV": lambda: ["0", "5", str(draw.randrange(65536)), draw.choice(NAMES)],
        "TXT": lambda: ['"' + draw.choice(("v=spf1 a -all", "bare", "a; b (c)", "x=y", "ü")) + '"'],
        "CAA": lambda: [
            "0",
            "issue",
            draw.choice(('"ca.example"', '";"', '"ca.example; account=1"')),
        ],
        "HTTPS": lambda: ["1", draw.choice((".", OTHER)), 'alpn="h2,h3"', "port=8443"],
        "TLSA": lambda: ["3", "1", "1", "ab" * 32],
        "SSHFP": lambda: ["4", "2", "0a" * 32],
        "NAPTR": lambda: ["100", "10", '"u"', '"E2U+sip"', '"!^.*$!sip:it@acme.example!"', "."],
        "LOC": lambda: ["52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m"],
    }
    ttls: dict[tuple[str, str], int] = {}
    records: dict[Known, tuple[str, str, int, list[str]]] = {}

    for _number in range(draw.randrange(1, 12)):
        host = draw.choice(HOSTS)
        kind = draw.choice(sorted(values))
        ttl = ttls.setdefault((host, kind), draw.choice((0, 1, 300, 3600, 86400, 5400)))
        record = (host, kind, ttl, values[kind]())
        records[(host, kind, *record[3])] = record

    return Model(soa, list(records.values()))


class Writer:
    """Writes a model as a file, each detail by lot."""

    def __init__(self, draw: random.Random, way: str) -> None:
        self.draw = draw
        self.way = way
        self.lines: list[str] = []
        # What relative names belong to; None where the text has not said it yet.
        self.origin: str | None = {"origin": f"{ZONE}.", "$ORIGIN .": "."}.get(way)
        if way == "SOA without its dot beside an origin":
            self.origin = f"{ZONE}."
        self.default_ttl: int | None = None
        self.last_ttl: int | None = None
        self.last_host: str | None = None

    def draw_choice(self, *choices: Any) -> Any:
        """Draw one of some choices."""
        return self.draw.choice(choices)

    def draw_blank(self) -> str:
        """Draw what parts two fields."""
        return str(self.draw_choice(" ", "\t", "   ", " \t "))

    def draw_remark(self) -> str:
        """Draw a comment, or none."""
        return str(self.draw_choice("", "", ' ; a comment; with ( " and ) in it', ";", "\t"))

    def spell_seconds(self, ttl: int) -> str:
        """Spell a ttl, with units or without."""
        units = {
            3600: ("1h", "60M", "1H0s"),
            86400: ("1d", "24h"),
            5400: ("1h30m", "90m"),
            300: ("5m", "5M"),
        }
        return str(self.draw_choice(str(ttl), *units.get(ttl, ())))

    def spell_case(self, text: str) -> str:
        """Spell a text in lower or upper case."""
        return str(self.draw_choice(text, text, text.upper()))

    def name(self, name: str) -> str:
        """An absolute name, or what of it is left out."""
        if self.origin in (None, ".") or self.draw_choice(True, False):
            return self.spell_case(name)
        if name == self.origin:
            return "@"
        return self.spell_case(name.removesuffix(f".{self.origin}"))

    def spell_owner(self, host: str) -> str:
        """Spell the owner of a record, which is empty where it is the last one."""
        if host == self.last_host and self.draw_choice(True, False):
            return ""
        self.last_host = host
        return self.name(f"{ZONE}." if host == "@" else f"{host}.{ZONE}.")

    def spell_ttl_and_class(self, ttl: int) -> str:
        """Spell the ttl and the class of a record, or leave them out."""
        usual = self.last_ttl if self.default_ttl is None else self.default_ttl
        fields = [] if ttl == usual and self.draw_choice(True, False) else [self.spell_seconds(ttl)]
        if fields:
            self.last_ttl = ttl
        fields += self.draw_choice([], ["IN"], ["in"], ["CLASS1"])
        self.draw.shuffle(fields)

        return "".join(f"{self.draw_blank()}{field}" for field in fields)

    def spell_kind(self, kind: str) -> str:
        """Spell the type of a record."""
        return str(
            self.draw_choice(kind, kind, kind.lower(), f"TYPE{int(dns.rdatatype.from_text(kind))}")
        )

    def spell_data(self, fields: Sequence[str]) -> str:
        """Spell the fields of a record, on one line or in parentheses."""
        written = [self.spell_field(field) for field in fields]
        if self.draw_choice(True, True, False):
            return self.draw_blank().join(written)
        # In parentheses, a blank may be the end of a line.
        gaps = [self.draw_choice(" ", "\n\t", " ; why\n  ", "\n\n ") for _field in written]

        return (
            "( " + "".join(f"{field}{gap}" for field, gap in zip(written, gaps, strict=True)) + ")"
        )

    def spell_field(self, field: str) -> str:
        """Spell one field of a record."""
        if field.endswith(".") and field != ".":
            return self.name(field)
        text = field[1:-1]
        if not field.startswith('"'):
            return field
        bare = text.isalnum() and text.isascii()
        digits = "".join(f"\\{byte:03d}" for byte in text.encode())

        return str(self.draw_choice(field, field, f'"{digits}"', text if bare else field))

    def write_entry(self, owner: str, ttl: int, kind: str, fields: Sequence[str]) -> None:
        """Write a record."""
        owner = f"{owner}{self.draw_blank()}" if owner else self.draw_blank()
        head = f"{self.spell_ttl_and_class(ttl)}{self.draw_blank()}{self.spell_kind(kind)}".lstrip()
        self.lines.append(
            f"{owner}{head}{self.draw_blank()}{self.spell_data(fields)}{self.draw_remark()}"
        )

    def move_origin(self) -> None:
        """Write a new origin."""
        origin = self.draw_choice(f"{ZONE}.", f"sub.{ZONE}.", f"{OTHER}")
        self.lines.append(f"{self.spell_case('$origin')} {self.name(origin)}{self.draw_remark()}")
        self.origin = origin

    def start(self, soa: tuple[Any, ...]) -> None:
        """What comes before the records, with the SOA record."""
        if self.way == "$ORIGIN":
            self.origin = f"{ZONE}."
            self.lines.append(f"$ORIGIN {self.draw_choice(ZONE, ZONE + '.')}")
        elif self.way == "$ORIGIN .":
            self.lines.append("$ORIGIN .")

        if self.draw_choice(True, False):
            self.default_ttl = self.draw_choice(300, 3600, 0)
            self.lines.append(f"$TTL {self.spell_seconds(self.default_ttl)}{self.draw_remark()}")

        self.add_soa(soa)

    def add_soa(self, soa: tuple[Any, ...]) -> None:
        """The SOA record, whose owner may be the first to say what the origin is."""
        ttl, primary, rname, *numbers = soa
        self.last_host = "@"
        owner = {"SOA": f"{ZONE}.", "$ORIGIN .": ZONE}.get(self.way) or self.name(f"{ZONE}.")
        names = [self.spell_field(primary), self.spell_field(rname)]

        if self.way.startswith("SOA without its dot"):
            owner = self.spell_case(ZONE)
            names = [self.draw_choice(name, name.rstrip(".")) for name in (primary, rname)]
        elif self.way == "SOA":
            # Its own names are relative to it already.
            names = [
                self.draw_choice(name, name.removesuffix(f".{ZONE}.")) for name in (primary, rname)
            ]

        if self.origin is None:
            self.origin = f"{ZONE}."
        fields = [*names, "2026010101", *map(str, numbers)]
        head = f"{self.spell_ttl_and_class(ttl)} SOA".lstrip()
        breaks = self.draw_choice(" ", "\n  ")
        body = breaks.join(fields)
        self.lines.append(f"{owner} {head} ({breaks}{body} ){self.draw_remark()}")

    def write(self, model: Model) -> str:
        """Return the text of a zone file."""
        self.start(model.soa)
        for host, kind, ttl, fields in model.records:
            if self.draw_choice(True, False, False, False):
                self.move_origin()
            self.lines += self.draw_choice([], [], [""], ["; nothing here"], ["  ", "\t; nor here"])
            self.write_entry(self.spell_owner(host), ttl, kind, fields)

        text = "\n".join(self.lines) + self.draw_choice("", "\n", "\n\n;; end")

        return str(self.draw_choice("", "", "\ufeff")) + (
            text if self.draw_choice(True, False) else text.replace("\n", "\r\n")
        )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", make_seeds(50))
def test_a_zone_is_the_same_in_every_spelling(way: str, seed: int) -> None:
    draw = random.Random(f"{way} {seed}")
    model = draw_model(draw)
    text = Writer(draw, way).write(model)
    origin = ZONE if way in ("origin", "SOA without its dot beside an origin") else None
    zone, warnings = read_zone_text(text, origin)

    assert zone["domain"] == ZONE, text
    assert warnings == [], text
    assert sorted(map(get_identity, zone["records"])) == model.list_identities(), text

    ttl, primary, rname, *numbers = model.soa
    assert [
        value.lower() if isinstance(value, str) else value for value in zone["soa"].values()
    ] == [
        ttl,
        primary,
        rname,
        *numbers,
    ], text


@pytest.mark.parametrize("seed", make_seeds(50))
def test_where_the_library_can_read_a_text_it_reads_the_same(seed: int) -> None:
    draw = random.Random(seed)
    text = Writer(draw, "origin").write(draw_model(draw))
    library = dns.zone.from_text(
        text.removeprefix("\ufeff"), ZONE, relativize=False, check_origin=False
    )
    apex = dns.name.from_text(ZONE)
    theirs = []

    for name, ttl, data in library.iterate_rdatas():
        host = "@" if name == apex else name.relativize(apex).to_text()
        record = {
            "host": host,
            "type": dns.rdatatype.to_text(data.rdtype),
            "ttl": ttl,
            "value": data.to_text(),
        }
        theirs += [] if record["type"] == "SOA" else [get_identity(record)]

    zone, _warnings = read_zone_text(text, ZONE)

    assert sorted(map(get_identity, zone["records"])) == sorted(theirs), text


# What files leave out


def list_records(text: str, origin: str | None = None) -> list[str]:
    """Return host, type and value of each record of a zone file."""
    zone, _warnings = read_zone_text(text, origin)
    return [f"{entry['host']} {entry['type']} {entry['value']}" for entry in zone["records"]]


def get_mistake(text: str, origin: str | None = None, **arguments: Any) -> str:
    """Return the message for which a zone file is refused."""
    with pytest.raises(PanelError) as raised:
        read_zone_text(text, origin, **arguments)
    return str(raised.value)


SOA = "ns1.acme.example. it.acme.example. 1 14400 1800 604800 3600\n"


def test_without_an_origin_relative_names_belong_to_the_zone_of_the_soa_record() -> None:
    text = f"acme.example. 3600 IN SOA {SOA}\tIN MX 10 mail\nmail IN A 192.0.2.1\n@ IN TXT here\n"
    assert list_records(text) == ["@ MX 10 mail.acme.example.", "mail A 192.0.2.1", "@ TXT here"]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        (
            f"www 60 A 192.0.2.1\nacme.example. 60 SOA {SOA}",
            "line 1: www is relative, and neither an $ORIGIN nor",
        ),
        (
            f"\nacme.example. 60 MX 10 mail\nacme.example. 60 SOA {SOA}",
            "line 2: a name in the data is relative, and",
        ),
        (
            f"acme.example. 60 HTTPS 1 @\nacme.example. 60 SOA {SOA}",
            "line 1: a name in the data is relative, and",
        ),
        ("$ORIGIN sub\n", "line 1: sub is relative, and neither an $ORIGIN nor"),
        (
            "$TTL 60\n$GENERATE 1-3 host$ A 192.0.2.$\n",
            "line 2: host1 is relative, and neither an $ORIGIN nor",
        ),
        (
            f"@ 60 SOA {SOA}",
            "line 1: the SOA record is at @, and the text does not say which zone that is",
        ),
        (
            f"; x\n\nacme 60 SOA {SOA}",
            "line 3: the SOA record is at acme, and the text does not say which zone",
        ),
        (
            f". 60 SOA {SOA}\nwww.acme.example. 60 A 192.0.2.1",
            "line 1: the SOA record is at the root (.), which is no zone of a panel",
        ),
        (
            "$ORIGIN .\nacme.example. 60 A 192.0.2.1\n",
            "origin: missing; the text has neither a SOA record nor",
        ),
    ],
)
def test_a_relative_name_without_a_zone_is_a_mistake_with_its_line(text: str, start: str) -> None:
    assert get_mistake(text).startswith(start)


@pytest.mark.parametrize("origin", [None, "acme.example", "ACME.example."])
@pytest.mark.parametrize(
    "names",
    [
        "ada.ns.provider.example dns.provider.example",
        "ada.ns.provider.example. dns.provider.example.",
    ],
)
def test_an_export_whose_soa_record_lacks_its_final_dots_is_read_with_and_without_origin(
    origin: str | None, names: str
) -> None:
    text = (
        ";;\n;; Domain:     acme.example.\n;; Exported:   2026-01-01 00:00:00\n;;\n\n;; SOA Record\n"
        f"acme.example\t3600\tIN\tSOA\t{names} 2051234567 10000 2400 604800 3600\n\n;; A Records\n"
        "acme.example.\t1\tIN\tA\t192.0.2.1 ; cf_tags=cf-proxied:true\nwww.acme.example.\t1\tIN\tCNAME\tacme.example.\n"
    )
    zone, warnings = read_zone_text(text, origin)

    assert zone["domain"] == "acme.example"
    assert warnings == []
    assert zone["soa"]["primary_ns"] == "ada.ns.provider.example."
    assert zone["soa"]["rname"] == "dns.provider.example."
    assert list_records(text, origin) == ["@ A 192.0.2.1", "www CNAME acme.example."]


@pytest.mark.parametrize(
    ("start", "owner", "zone"),
    [
        # The parent as $ORIGIN, as some name servers write their copies.
        ("$ORIGIN example.\n", "acme", "acme.example"),
        ("$ORIGIN example.\n", "shop.acme", "shop.acme.example"),
        ("$ORIGIN example.\n", "acme.example", "acme.example"),
        ("$ORIGIN .\n", "acme.example", "acme.example"),
        ("$ORIGIN acme.example.\n", "acme.example", "acme.example"),
        ("$ORIGIN sub.acme.example.\n", "acme.example", "acme.example"),
        ("", "acme.co.example", "acme.co.example"),
        ("", "müller.example", "xn--mller-kva.example"),
    ],
)
def test_the_owner_of_the_soa_record_says_which_zone_it_is(
    start: str, owner: str, zone: str
) -> None:
    assert read_zone_text(f"{start}{owner} 60 SOA {SOA}")[0]["domain"] == zone


@pytest.mark.parametrize("owner", ["other.example", "other.example.", "sub.acme.example", "www"])
def test_a_soa_record_of_another_zone_is_a_mistake(owner: str) -> None:
    assert get_mistake(f"{owner} 60 SOA {SOA}", "acme.example").startswith("line 1: ")


def test_a_name_that_lacks_its_final_dot_gives_a_warning() -> None:
    text = (
        f"acme.example. 60 SOA {SOA}www.acme.example A 192.0.2.1\n@ MX 10 mail.acme.example\nx CNAME acme.example\n"
        "ok.acme.example. A 192.0.2.1\n@ TXT acme.example.acme.example.\n"
    )

    assert read_zone_text(text)[1] == [
        "line 2: www.acme.example has no dot at its end, so it means www.acme.example.acme.example.",
        "line 3: mail.acme.example has no dot at its end, so it means mail.acme.example.acme.example.",
        "line 4: acme.example has no dot at its end, so it means acme.example.acme.example.",
    ]


FOREIGN_TARGETS = {
    "@ MX 10 mail.provider.com": "mail.provider.com",
    "@ NS ns1.provider.net": "ns1.provider.net",
    "www CNAME shop.provider.info ; of a provider": "shop.provider.info",
    "_sip._tcp SRV 0 5 443 (\n  sip.provider.de )": "sip.provider.de",
    "s1._domainkey CNAME s1.domainkey.u1.wl.xn--p1ai": "s1.domainkey.u1.wl.xn--p1ai",
    "shop CNAME müller.com": "müller.com",
}


@pytest.mark.parametrize("line", FOREIGN_TARGETS)
def test_a_target_like_a_public_name_without_its_final_dot_gives_a_warning(line: str) -> None:
    target = FOREIGN_TARGETS[line]
    absolute_name = target.replace("müller", "xn--mller-kva")

    warnings = read_zone_text(f"acme.example. 60 SOA {SOA}{line}\n* A 192.0.2.1\n")[1]

    assert warnings == [
        f"line 2: {target} has no dot at its end, so it means {absolute_name}.acme.example."
    ]


@pytest.mark.parametrize(
    "lines",
    [
        "@ MX 10 mail.provider.com.",
        "@ MX 10 mail",
        "@ MX 10 @",
        "@ MX 10 mail.provider.com.acme.example.",
        "@ MX 10 mail.office",
        "@ MX 10 mail.hq\nmail.hq A 192.0.2.1",
        "@ MX 10 mail.hq\n*.hq A 192.0.2.1",
        "@ MX 10 mail.hq\ngate.hq A 192.0.2.1",
        "hq NS ns1.inner.hq",
        "_dmarc CNAME policy._mail",
        "x CNAME 10.4",
        "@ TXT mail.provider.com",
        "$ORIGIN sub.acme.example.\nx CNAME mail.hq\n$ORIGIN acme.example.\nmail.hq.sub A 192.0.2.1",
    ],
)
def test_a_target_that_may_be_meant_in_this_zone_gives_no_warning(lines: str) -> None:
    assert read_zone_text(f"acme.example. 60 SOA {SOA}{lines}\n")[1] == []


def test_an_address_in_the_place_of_a_name_gives_a_warning() -> None:
    """Read names that look like addresses, and some that only begin or end so."""
    text = (
        f"acme.example. 60 SOA {SOA}@ MX 10 192.0.2.1\nx CNAME 192.0.2.2\n_sip._tcp SRV 0 5 5060 192.0.2.3\n"
        "y CNAME 192.0.2.4.other.example.\n@ NS 1.192.0.2.4\n@ TXT 192.0.2.5.acme.example.\n192.0.2.6 A 192.0.2.6\n"
    )
    ending = "Write the name that has this address."

    assert read_zone_text(text)[1] == [
        f"line 2: 192.0.2.1 is an address, and MX takes a name, so it means 192.0.2.1.acme.example. {ending}",
        f"line 3: 192.0.2.2 is an address, and CNAME takes a name, so it means 192.0.2.2.acme.example. {ending}",
        f"line 4: 192.0.2.3 is an address, and SRV takes a name, so it means 192.0.2.3.acme.example. {ending}",
    ]


SIGNED = f"""\
acme.example. 3600 IN SOA {SOA}acme.example. 3600 IN RRSIG SOA 13 2 3600 20260101000000 20250101000000 1 acme.example. AAAA
acme.example. 3600 IN DNSKEY 257 3 13 AAAA
acme.example. 0 IN NSEC3PARAM 1 0 0 -
acme.example. 3600 IN CDNSKEY 257 3 13 (
    AAAA )
acme.example. 0 IN TYPE65534 \\# 5 0D04D20001
www.acme.example. 3600 IN A 192.0.2.1
www.acme.example. 3600 IN RRSIG A 13 3 3600 20260101000000 20250101000000 1 acme.example. AAAA
x.acme.example. 60 IN CNAM www.acme.example.
"""


def test_all_types_that_no_panel_takes_are_told_in_one_mistake_whose_advice_is_enough() -> None:
    message = get_mistake(SIGNED)
    assert message == (
        "line 2: records of these types are not for a panel: RRSIG (line 2 and 1 more), DNSKEY (line 3), NSEC3PARAM (line 4), "
        "CDNSKEY (line 5), TYPE65534 (line 7), CNAM (line 10, unknown, did you mean CNAME?); leave them all out with "
        "skip_types=['RRSIG', 'DNSKEY', 'NSEC3PARAM', 'CDNSKEY', 'TYPE65534', 'CNAM']."
    )

    names = ["RRSIG", "DNSKEY", "NSEC3PARAM", "CDNSKEY", "TYPE65534", "CNAM"]
    zone, warnings = read_zone_text(SIGNED, skip_types=names)

    assert [entry["host"] for entry in zone["records"]] == ["www"]
    assert len(warnings) == len(names)
    # What is left out already is part of the advice.
    assert "skip_types=['A', 'RRSIG', " in get_mistake(SIGNED, skip_types=["A"])
    assert "skip_types=['RRSIG', " in get_mistake(
        SIGNED.replace("www.acme.example. 3600 IN A", "www.acme.example. IN A")
    )


def test_a_type_that_is_left_out_need_not_be_readable() -> None:
    text = 'a 60 A 192.0.2.1\nb 60 LOC nowhere\nc 60 ALIAS (\n "x ) y"\n other ) ; z\nd 60 A 192.0.2.2\n'
    zone, _warnings = read_zone_text(text, ZONE, ["LOC", "ALIAS"])

    assert [entry["host"] for entry in zone["records"]] == ["a", "d"]


def test_the_soa_record_may_be_left_out_and_still_names_the_zone() -> None:
    zone, _warnings = read_zone_text(f"acme.example. 60 SOA {SOA}www A 192.0.2.1\n", None, ["SOA"])
    assert zone["domain"] == ZONE
    assert zone["soa"] is None
    assert len(zone["records"]) == 1


# $GENERATE


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1-3 host$ A 192.0.2.$", ["host1 A 192.0.2.1", "host2 A 192.0.2.2", "host3 A 192.0.2.3"]),
        (
            "0-4/2 h$ 60 IN CNAME x$",
            ["h0 CNAME x0.acme.example.", "h2 CNAME x2.acme.example.", "h4 CNAME x4.acme.example."],
        ),
        ("9-10 h${0,3} IN A 192.0.2.${-9}", ["h009 A 192.0.2.0", "h010 A 192.0.2.1"]),
        ("10-11 h${0,2,x} A 192.0.2.1", ["h0a A 192.0.2.1", "h0b A 192.0.2.1"]),
        ("8-8 h${1,0,o} A 192.0.2.1", ["h11 A 192.0.2.1"]),
        ("18-18 ${0,7,n} A 192.0.2.1", ["2.1.0.0 A 192.0.2.1"]),
        ('1-1 m$ MX "10 mail$"', ["m1 MX 10 mail1.acme.example."]),
        ("1-1 m$ MX 10 mail$ ; why", ["m1 MX 10 mail1.acme.example."]),
        ('1-1 t$ TXT "a $ b" c', ['t1 TXT "a 1 b" "c"']),
        ('1-1 t$ TXT "$$5"', ["t1 TXT $5"]),
    ],
    ids=str,
)
def test_generated_records_are_read(line: str, expected: list[str]) -> None:
    zone, _warnings = read_zone_text(f"$TTL 60\n$GENERATE {line}\nlast A 192.0.2.9\n", ZONE)
    generated = [f"{entry['host']} {entry['type']} {entry['value']}" for entry in zone["records"]]

    assert generated == [*expected, "last A 192.0.2.9"]


@pytest.mark.parametrize(
    ("lines", "neighbour"),
    [
        pytest.param(
            "$GENERATE 1-3 h$ CNAME www\nh1 A 192.0.2.1", "line 3 (A)", id="of another line"
        ),
        pytest.param("$GENERATE 1-2 h1 CNAME www$", "line 2 (CNAME)", id="of the same line"),
    ],
)
def test_each_generated_alias_is_refused_beside_a_record(lines: str, neighbour: str) -> None:
    with pytest.raises(PanelError) as caught:
        read_zone_text(f"$TTL 60\n{lines}\n", ZONE)

    problem = "a CNAME allows no other record on its host, and h1 also has"
    assert str(caught.value) == f"line 2: {problem} {neighbour}."


@pytest.mark.parametrize("seed", make_seeds(40))
def test_generated_records_are_those_that_the_library_makes(seed: int) -> None:
    draw = random.Random(seed)
    width = draw.randrange(9)
    base = draw.choice("doxXnN")
    first = draw.randrange(300)
    modifiers = draw.choice(
        ("", "{0}", f"{{{draw.randrange(9)},{width}}}", f"{{3,{width},{base}}}")
    )
    line = f"$GENERATE {first}-{first + draw.randrange(20)}/{draw.randrange(1, 4)} h-${modifiers} 60 CNAME x${modifiers}y"
    library = dns.zone.from_text(f"{line}\n", ZONE, relativize=False, check_origin=False)
    theirs = [(name.to_text(), data.to_text()) for name, _ttl, data in library.iterate_rdatas()]
    zone, _warnings = read_zone_text(f"{line}\n", ZONE)
    ours = [(f"{entry['host']}.{ZONE}.", entry["value"]) for entry in zone["records"]]

    assert sorted(ours) == sorted((name.lower(), value) for name, value in theirs), line


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("x h$ A 192.0.2.1", "line 2: the range of $GENERATE must be two numbers"),
        ("3-1 h$ A 192.0.2.1", "line 2: the range of $GENERATE must be two numbers"),
        ("1-3/0 h$ A 192.0.2.1", "line 2: the range of $GENERATE must be two numbers"),
        ("1-3 h${x} A 192.0.2.1", "line 2: $GENERATE: {x} must be an offset"),
        ("1-3 h${0,999} A 192.0.2.1", "line 2: $GENERATE: {0,999} must be an offset"),
        ("1-3 h${ A 192.0.2.1", "line 2: $GENERATE: { must be an offset"),
        ("1-3 h${-9,3,n} A 192.0.2.1", "line 2: $GENERATE: {-9,3,n} makes a negative number"),
        ("1-3 h$ A 192.0.2", "line 2: this cannot be read: "),
        ("1-3 h$", "line 2: it ends too early"),
        ("1-65537 h$ A 192.0.2.1", "line 2: $GENERATE makes more than 65536 records"),
        ("1-9999999999 h$ A 192.0.2.1", "line 2: $GENERATE makes more than 65536 records"),
        (
            "1-60000 h$ TXT " + "x" * 2000,
            "line 2: $GENERATE has a name and data of more than 1000 characters",
        ),
        (
            "1-3 h$ DNSKEY 257 3 13 AAAA",
            "line 2: records of these types are not for a panel: DNSKEY (line 2)",
        ),
    ],
)
def test_a_mistake_in_generate_names_its_line(line: str, start: str) -> None:
    assert get_mistake(f"$TTL 60\n$GENERATE {line}\n", ZONE).startswith(start)


# Hostile texts

# A text of this length takes a tenth of that; one whose time grows with its square takes minutes.
SECONDS = 10


@pytest.mark.parametrize(
    "unit",
    [
        "(",
        '"',
        '"" ',
        "$",
        "${",
        "\\",
        ";",
        "\t",
        "\n",
        "ü",
        "a.",
        "x 60 TXT ",
        "TYPE1 ",
        "1",
        "$GENERATE 1-2 ",
        "(\n",
        "\\1",
        "@ ",
    ],
)
@pytest.mark.parametrize(
    "head", ["", "x 60 TXT ", "x 60 A ", "$ORIGIN ", "$GENERATE 1-3 h$ TXT ", "x 60 HTTPS 1 . "]
)
@pytest.mark.long
def test_a_long_hostile_text_is_an_answer_or_a_mistake_with_its_line(head: str, unit: str) -> None:
    start = time.process_time()

    try:
        read_zone_text(head + unit * 20000, ZONE)
    except PanelError as error:
        assert str(error).startswith(("line ", "origin: "))

    assert time.process_time() - start < SECONDS


LONG_ZONES = {
    "addresses": (3000, "h{0} A 192.0.2.1\n"),
    "aliases that share a host": (4000, "h{0} CNAME a\nh{0} CNAME b\n"),
    "hosts that no panel has": (3000, "h\\.{0} A 192.0.2.1\n"),
    "types that no panel has": (3000, "h{0} RRSIG a\n"),
    "names of the zone": (3000, "h{0}.acme.example CNAME a.acme.example\n"),
}


@pytest.mark.parametrize("lines", LONG_ZONES)
@pytest.mark.long
def test_the_time_for_a_zone_grows_with_its_lines(lines: str) -> None:
    """A thousand lines take a fifth of a second.

    Lines that are compared with one another take minutes.
    """
    count, line = LONG_ZONES[lines]
    text = "$TTL 60\n" + "".join(line.format(number) for number in range(count))

    start = time.process_time()

    try:
        read_zone_text(text, ZONE)
    except PanelError as error:
        assert str(error).startswith(
            ("line 2: ", "4000 mistakes: line 3: ", "3000 mistakes: line 2.")
        )
        assert len(str(error)) < 20000

    assert time.process_time() - start < 2 * SECONDS


# Letters outside ASCII, and signs with an escape, in values that hold texts

SIGNS = {
    "a letter": "ü",
    "a letter by its bytes": "\\195\\188",
    "an ideograph": "例",
    "an ideograph by its bytes": "\\228\\190\\139",
    "a byte that is no letter": "\\255",
    "a quote": '\\"',
    "a backslash": "\\\\",
    "a semicolon": ";",
    "an ASCII letter by its byte": "\\097",
}
VALUES = {
    "CAA": '0 issue "{0}.example"',
    "CAA of a contact": '0 iodef "mailto:{0}@example.org"',
    "HTTPS": '1 mail alpn="x{0},h2" port=443',
    "HTTPS with a parameter by its number": '1 . key700="{0}"',
    "SVCB": '1 {zone}. alpn="{0}{0}"',
    "NAPTR": '10 20 "u" "E2U+sip" "!^.*${0}!x!" sip',
    "URI": '1 1 "https://www.example/{0}"',
    "TXT": '"{0}"',
}


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("form", VALUES)
def test_every_sign_of_a_value_keeps_its_meaning(form: str, sign: str) -> None:
    kind = form.split(maxsplit=1)[0]
    value = VALUES[form].replace("{zone}", ZONE).replace("{0}", SIGNS[sign])
    zone, warnings = read_zone_text(f"x 60 {kind} {value}\n", ZONE)

    assert warnings == []

    written = {"host": "x", "type": kind, "ttl": 60, "value": value}

    if kind in ("HTTPS", "NAPTR"):
        # A relative name belongs to the zone.
        written["value"] = value.replace(" mail ", f" mail.{ZONE}. ").replace(
            " sip", f" sip.{ZONE}."
        )

    assert [normalize_record(entry, ZONE) for entry in zone["records"]] == [
        normalize_record(written, ZONE)._replace(fields=zone["records"][0])
    ]


@pytest.mark.parametrize(
    ("kind", "written", "misread", "expected"),
    [
        ("CAA", '0 issue "\\195\\188"', '0 issue "\\195\\131\\194\\188"', '0 issue "\\195\\188"'),
        ("URI", '1 1 "\\195\\188"', '1 1 "\\195\\131\\194\\188"', '1 1 "\\195\\188"'),
        ("HTTPS", '1 x  alpn="\\255"', '1 x alpn="255"', f'1 x.{ZONE}. alpn="\\255"'),
        (
            "NAPTR",
            '1 1 "" "" "\\255" x',
            '1 1 "" "" "\\195\\191" x',
            f'1 1 "" "" "\\255" x.{ZONE}.',
        ),
        ("CAA", '0  issue "a"', '0 issue "a"', '0 issue "a"'),
    ],
)
def test_a_value_that_the_library_misreads_is_taken_as_it_is_written(
    kind: str, written: str, misread: str, expected: str
) -> None:
    data = dns.rdata.from_text("IN", kind, misread, dns.name.from_text(ZONE), False)
    text = RawData(written, is_one_quote=False, ends_in_tags=False)

    assert format_value(Entry(1, dns.name.from_text(ZONE), 60, kind, data, text)) == expected


def test_a_generated_parameter_keeps_its_quotes() -> None:
    zone, _warnings = read_zone_text(
        '$GENERATE 1-2 h$ 60 HTTPS 1 . alpn="h2,h3" port="44$"\n', ZONE
    )
    assert [(entry["host"], entry["value"]) for entry in zone["records"]] == [
        ("h1", '1 . alpn="h2,h3" port="441"'),
        ("h2", '1 . alpn="h2,h3" port="442"'),
    ]


# Texts that end at a semicolon

CUT = {
    "DMARC": ("v=DMARC1; p=none", "v=DMARC1"),
    "without a blank": ("v=DMARC1;p=none", "v=DMARC1"),
    "a blank before the semicolon": ("v=DKIM1 ; k=rsa ; p=MIIB", "v=DKIM1"),
    "behind a quoted word": ('"v=DKIM1; " k=rsa; p=MIIB', '"v=DKIM1; " "k=rsa"'),
    "in parentheses": ("( v=STSv1; id=20260101\n )", "v=STSv1"),
    "in parentheses before another word": ("( v=STSv1; id=20260101\n x )", '"v=STSv1" "x"'),
    "tabs": ("v=TLSRPTv1;\t rua=mailto:it@acme.example", "v=TLSRPTv1"),
}


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("kind", ["TXT", "SPF"])
def test_a_list_of_tags_that_ends_at_a_semicolon_without_quotes_is_a_warning(
    name: str, kind: str
) -> None:
    data, value = CUT[name]
    zone, warnings = read_zone_text(f"\n_dmarc 60 {kind} {data}\nx 60 A 192.0.2.1\n", ZONE)

    assert [entry["value"] for entry in zone["records"]] == [value, "192.0.2.1"]

    problem = f"the text of _dmarc is {value!r}, since a semicolon without quotes begins a comment"
    assert warnings == [
        f"line 2: {problem}. Put the whole text in quotes if the comment belongs to it."
    ]


@pytest.mark.parametrize(
    "data",
    [
        '"v=DMARC1; p=none"',
        '"v=DMARC1" ; p=none',
        "v=DMARC1\\; p=none",
        "v=DMARC1 ; set in May",
        "v=DMARC1; set by Ann",
        "site-verification=abc ;",
        "bare ; p=none",
        "bare ; behind it a comment",
        "( site-verification=abc ; of the shop\n )",
    ],
)
def test_an_ordinary_comment_behind_a_text_is_no_warning(data: str) -> None:
    _zone, warnings = read_zone_text(f"x 60 TXT {data}\n", ZONE)
    assert warnings == []


def test_a_comment_behind_another_record_is_no_warning() -> None:
    _zone, warnings = read_zone_text(
        "x 60 URI 1 1 a=b ; c=d\nx 60 HTTPS 1 . alpn=h2 ; port=443\n", ZONE
    )
    assert warnings == []
