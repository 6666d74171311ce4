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
# The panel's own list is not shown anywhere; these are the types in common use.
TYPES = (
    "A", "AAAA", "CAA", "CNAME", "DNAME", "DS", "HTTPS", "LOC", "MX", "NAPTR", "NS", "OPENPGPKEY", "PTR", "SMIMEA", "SPF", "SRV", "SSHFP", "SVCB",
    "TLSA", "TXT",
)  # fmt: skip
_LABELS = r"[A-Za-z0-9_]([A-Za-z0-9_-]*)(\.[A-Za-z0-9_]([A-Za-z0-9_-]*))*"
_NAME = re.compile(
    r"(\.|[A-Za-z0-9_*]([A-Za-z0-9_-]*)(\.[A-Za-z0-9_]([A-Za-z0-9_-]*))*\.?|@)", re.ASCII
)
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


def dkim_value(secret: str) -> str:
    """The value of the DKIM record: quoted chunks, since the key is longer than one TXT string may be."""
    key = b"".join(hashlib.sha256(f"{secret}{number}".encode()).digest() for number in range(9))
    encoded = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA" + base64.b64encode(key).decode()
    text = f"v=DKIM1; k=rsa; p={encoded}"
    return " ".join(f'"{text[start : start + 200]}"' for start in range(0, len(text), 200))


def dkim_record(selector: str, secret: str) -> str:
    return f"{selector}._domainkey IN TXT ( {dkim_value(secret)} )"


def default_soa(panel: Panel, entry: Entry) -> dict[str, Any]:
    names = (panel.settings.name_servers[0], f"hostmaster.{entry.data['domain']}.")
    return dict(zip(SOA.by_name, (DEFAULT_TTL, *names, 14400, 1800, 604800, 3600), strict=True))


def default_records(panel: Panel, entry: Entry) -> list[dict[str, Any]]:
    """The other records of a new zone, which are assumed (docs/panel_api.md#default-zones)."""
    data = entry.data
    records = [("@", "NS", name) for name in panel.settings.name_servers]
    for host in ("@", "www", "mail"):
        records += [
            (host, "AAAA" if ":" in address else "A", address)
            for address in panel.settings.ip_addresses
        ]
    if data["is_email_domain"]:
        records += [
            ("@", "MX", f"10 mail.{data['domain']}."),
            ("@", "TXT", "v=spf1 a mx ~all"),
            (f"{data['dkim_selector']}._domainkey", "TXT", dkim_value(entry.hidden["dkim_secret"])),
        ]
    return [
        {"host": host, "ttl": DEFAULT_TTL, "type": kind, "value": value}
        for host, kind, value in records
    ]


def stored(panel: Panel, entry: Entry) -> Zone:
    """The zone as it is now; a change of it is another zone in its place."""
    zone = panel.zones.get(entry.id)
    if zone is None:
        return Zone(soa=default_soa(panel, entry), other=default_records(panel, entry))
    return zone


def reset(panel: Panel, entry: Entry) -> None:
    """Back to the default records, or to no records if the domain says that DNS is disabled."""
    if entry.data["is_dns_disabled"]:
        panel.zones[entry.id] = Zone(is_disabled=True, soa=default_soa(panel, entry), other=[])
    else:
        panel.zones.pop(entry.id, None)
    entry.data["is_custom_dns"] = False
    panel.store.touch()


def set_custom(
    panel: Panel, entry: Entry, soa: dict[str, Any], other: list[dict[str, Any]]
) -> None:
    panel.zones[entry.id] = Zone(soa=soa, other=other)
    entry.data["is_custom_dns"] = True
    entry.data["is_dns_disabled"] = False
    panel.store.touch()


def shown(panel: Panel, entry: Entry) -> dict[str, Any]:
    """The body of GET /dns; a disabled zone shows no records beside SOA."""
    zone = stored(panel, entry)
    return {
        "is_custom_dns": entry.data["is_custom_dns"],
        "is_dns_disabled": zone.is_disabled,
        "dkim_record": entry.data["dkim_record"],
        "records": {"soa": zone.soa, "other": zone.other},
    }


def read_records(entry: Entry, records: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """(SOA, other records) of a PUT body's ``records``, checked, with the placeholder replaced."""
    read = RECORDS.check(records, "records")
    actual = dkim_value(entry.hidden["dkim_secret"])
    other = [
        filled(record, f"records.other[{number}]", actual)
        for number, record in enumerate(read["other"])
    ]
    return read["soa"], other


def filled(record: dict[str, Any], where: str, actual_dkim: str) -> dict[str, Any]:
    """A record with its real value, checked by its type."""
    value = record["value"]
    value = (
        actual_dkim if value.strip(' "') == PLACEHOLDER else value.replace(PLACEHOLDER, actual_dkim)
    )
    _check_value(record["type"], value, f"{where}.value")
    return {**record, "host": record["host"] or "@", "value": value}


def _check_value(kind: str, value: str, where: str) -> None:
    numbers = {"MX": 1, "SRV": 3}.get(kind, 0)
    try:
        if kind in ("A", "AAAA"):
            ipaddress.ip_address(value)
        is_right = (kind != "A" or "." in value) and (kind != "AAAA" or ":" in value)
        if numbers or kind in ("CNAME", "NS", "PTR"):
            *found, name = value.split() if numbers else [value]
            is_small = all(0 <= int(number) <= 65535 for number in found)
            is_right = len(found) == numbers and is_small and bool(_NAME.fullmatch(name))
    except ValueError:
        is_right = False
    if not is_right:
        raise Invalid(f"{where}: is not the value of a record of the type {kind}.")
