# SPDX-License-Identifier: GPL-3.0-or-later
"""DNS zones of main domains: default, custom or disabled (docs/panel_api.md#zones)."""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import re
from typing import Any

from panel_simulator.calls import Invalid
from panel_simulator.fields import Choice, Field, Flag, ListOf, Members, Number, Text
from panel_simulator.panel import Panel
from panel_simulator.store import Entry, Zone

PLACEHOLDER = "<DKIM_RECORD_VALUE>"
DEFAULT_TTL = 86400
LONGEST_TEXT = 255
# The types in common use (docs/panel_api.md#types-of-records).
TYPES = (
    "A", "AAAA", "CAA", "CNAME", "DNAME", "DS", "HTTPS", "LOC", "MX", "NAPTR", "NS", "OPENPGPKEY", "PTR", "SMIMEA", "SPF", "SRV", "SSHFP", "SVCB",
    "TLSA", "TXT",
)  # fmt: skip
_LABELS = r"[A-Za-z0-9_]([A-Za-z0-9_-]*)(\.[A-Za-z0-9_]([A-Za-z0-9_-]*))*"
_NAME = re.compile(
    r"(\.|[A-Za-z0-9_*]([A-Za-z0-9_-]*)(\.[A-Za-z0-9_]([A-Za-z0-9_-]*))*\.?|@)", re.ASCII
)
# What stands before the name in values of these types.
_NUMBERS_BEFORE_NAME = {"MX": 1, "SRV": 3}
_NUMBER = Number(least=1, text=True)
_QUALIFIED = Text(
    pattern=r"[A-Za-z0-9_]([A-Za-z0-9_\\-]*)(\.[A-Za-z0-9_]([A-Za-z0-9_-]*))*\.",
    required=True,
    form="must be a fully qualified name with a dot at the end.",
)
_HOST = Text(pattern=rf"@|\*|(\*\.)?{_LABELS}", form="must be a name relative to the domain, or @.")
SOA = Members(
    Field("ttl", _NUMBER),
    Field("primary_ns", _QUALIFIED),
    Field("rname", _QUALIFIED),
    *(Field(name, _NUMBER) for name in ("refresh", "retry", "expire", "minimum")),
)
RECORD = Members(
    Field("host", _HOST),
    Field("ttl", _NUMBER),
    Field("type", Choice(*TYPES)),
    Field("value", Text(required=True)),
)
RECORDS = Members(Field("soa", SOA), Field("other", ListOf(RECORD, is_set=False)))
ZONE = Members(
    Field("is_custom_dns", Flag(), access="ro"),
    Field("is_dns_disabled", Flag()),
    Field("dkim_record", Text(), access="ro"),
    Field("records", RECORDS),
)


def make_dkim_value(secret: str) -> str:
    """Return the value of the DKIM record: quoted chunks, since no TXT string may hold the key."""
    key = b""
    for number in range(9):
        seed = f"{secret}{number}"
        key += hashlib.sha256(seed.encode()).digest()

    encoded = base64.b64encode(key).decode()
    text = f"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA{encoded}"
    chunks = [text[start : start + 200] for start in range(0, len(text), 200)]
    return " ".join(f'"{chunk}"' for chunk in chunks)


def make_dkim_record(selector: str, secret: str) -> str:
    """Return the line of a zone file that a domain shows as its DKIM record."""
    return f"{selector}._domainkey IN TXT ( {make_dkim_value(secret)} )"


def make_default_soa(panel: Panel, entry: Entry) -> dict[str, Any]:
    """Return the SOA of a new zone."""
    return {
        "ttl": DEFAULT_TTL,
        "primary_ns": panel.settings["name_servers"][0],
        "rname": f"hostmaster.{entry.data['domain']}.",
        "refresh": 14400,
        "retry": 1800,
        "expire": 604800,
        "minimum": 3600,
    }


def make_default_records(panel: Panel, entry: Entry) -> list[dict[str, Any]]:
    """Return the other records of a new zone, which are assumed
    (docs/panel_api.md#default-zones)."""
    data = entry.data
    records = [("@", "NS", name) for name in panel.settings["name_servers"]]

    for host in ("@", "www", "mail"):
        records += [
            (host, _find_address_type(address), address)
            for address in panel.settings["ip_addresses"]
        ]

    if data["is_email_domain"]:
        dkim_host = f"{data['dkim_selector']}._domainkey"
        records += [
            ("@", "MX", f"10 mail.{data['domain']}."),
            ("@", "TXT", "v=spf1 a mx ~all"),
            (dkim_host, "TXT", make_dkim_value(entry.hidden["dkim_secret"])),
        ]

    return [
        {"host": host, "ttl": DEFAULT_TTL, "type": kind, "value": value}
        for host, kind, value in records
    ]


def _find_address_type(address: str) -> str:
    return "AAAA" if ":" in address else "A"


def get_stored_zone(panel: Panel, entry: Entry) -> Zone:
    """Return the zone as it is now; a change of it is another zone in its place."""
    zone = panel.zones.get(entry.id)
    if zone is None:
        return Zone(soa=make_default_soa(panel, entry), other=make_default_records(panel, entry))
    return zone


def reset(panel: Panel, entry: Entry) -> None:
    """Return to the default records, or to no records if the domain says that DNS is disabled."""
    if entry.data["is_dns_disabled"]:
        panel.zones[entry.id] = Zone(is_disabled=True, soa=make_default_soa(panel, entry), other=[])
    else:
        panel.zones.pop(entry.id, None)

    entry.data["is_custom_dns"] = False
    panel.store.touch()


def set_custom(
    panel: Panel, entry: Entry, soa: dict[str, Any], records: list[dict[str, Any]]
) -> None:
    """Give a domain a zone with these records; its DNS is on from then on."""
    panel.zones[entry.id] = Zone(soa=soa, other=records)
    entry.data["is_custom_dns"] = True
    entry.data["is_dns_disabled"] = False
    panel.store.touch()


def show_zone(panel: Panel, entry: Entry) -> dict[str, Any]:
    """Return the body of GET /dns; a disabled zone shows no records beside SOA."""
    zone = get_stored_zone(panel, entry)
    return {
        "is_custom_dns": entry.data["is_custom_dns"],
        "is_dns_disabled": zone.is_disabled,
        "dkim_record": entry.data["dkim_record"],
        "records": {"soa": zone.soa, "other": zone.other},
    }


def read_records(entry: Entry, records: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Check the ``records`` of a PUT body, and replace the placeholder of the DKIM record.

    Returns: the SOA, and the other records.
    Raises: Invalid.
    """
    checked = RECORDS.check(records, "records")
    actual_dkim = make_dkim_value(entry.hidden["dkim_secret"])
    other_records = [
        fill_record(record, f"records.other[{number}]", actual_dkim)
        for number, record in enumerate(checked["other"])
    ]
    return checked["soa"], other_records


def fill_record(record: dict[str, Any], where: str, actual_dkim: str) -> dict[str, Any]:
    """Return a record with its real value, checked by its type; raises Invalid."""
    value = record["value"]
    if value.strip(' "') == PLACEHOLDER:
        value = actual_dkim
    else:
        value = value.replace(PLACEHOLDER, actual_dkim)

    if not _is_value(record["type"], value):
        raise Invalid(f"{where}.value: is not the value of a record of the type {record['type']}.")

    return {**record, "host": record["host"] or "@", "value": value}


def _is_value(kind: str, value: str) -> bool:
    """Return whether a record of a type can have a value; most types are not checked."""
    try:
        if kind == "A":
            return "." in value and bool(ipaddress.ip_address(value))
        if kind == "AAAA":
            return ":" in value and bool(ipaddress.ip_address(value))
        if kind in _NUMBERS_BEFORE_NAME:
            return _is_numbers_and_name(value.split(), _NUMBERS_BEFORE_NAME[kind])
        if kind in ("CNAME", "NS", "PTR"):
            return _is_numbers_and_name([value], 0)
    except ValueError:
        return False

    return True


def _is_numbers_and_name(tokens: list[str], count: int) -> bool:
    """Return whether these are so many numbers of 16 bits and a name; raises ValueError."""
    *numbers, name = tokens
    is_small = all(0 <= int(number) <= 65535 for number in numbers)
    return len(numbers) == count and is_small and bool(_NAME.fullmatch(name))
