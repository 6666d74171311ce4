# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is tried with zones. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...module_utils._http.answers import Exchange
from .evidence import Shown, is_on
from .observations import OTHERWISE
from .trials import Trying, trial

SHORT_TEXT = "hosting panel verify"
LONG_TEXT = "hosting-panel-verify=" + "0123456789" * 28
EMPTY_HOST_TEXT = "hosting panel verify of the zone"


@trial
def dkim_read(do: Trying) -> Any:
    do.read_zone()
    values = [str(record.get("value")) for record in _records(do.zone) if "_domainkey" in str(record.get("host"))]
    if not values:
        return None
    return "placeholder" if any("<DKIM_RECORD_VALUE>" in value for value in values) else "actual"


@trial
def txt_read(do: Trying) -> Any:
    """Where the panel takes no long text, a short one is tried alone."""
    texts = [_text("short", SHORT_TEXT), _text("long", LONG_TEXT)]
    if not any(_write(do, more).is_done for more in (texts, texts[:1])):
        return None
    do.read_zone()
    values = {str(record.get("host")): str(record.get("value")) for record in _records(do.zone)}
    short, long = values.get("short", ""), values.get("long", "")
    if _joined(short) != SHORT_TEXT:
        return OTHERWISE if values else None
    if _joined(long) == LONG_TEXT and long.count('"') > 2:
        return "split"
    return "quoted" if short.startswith('"') else "as_written"


def _joined(text: str) -> str:
    """A text without the quotes around its parts."""
    return re.sub(r'"\s*"', "", text).strip('"')


@trial
def subdomain_zones(do: Trying) -> Any:
    """Told by the text that the zone of the domain has by now."""
    reply = do.ask("GET", do.zone_path("subdomain"))
    if reply.is_done:
        values = {_joined(str(record.get("value"))) for record in _records(reply.object)}
        return None if not (values and _has_text(do.zone)) else "of_parent" if SHORT_TEXT in values else "own"
    is_none = reply.status == 404 and reply.is_json == do.seen.unknown_id.is_json
    if is_none or (reply.status == 400 and do.seen.is_objection(reply)):
        return "none"
    return OTHERWISE if do.seen.is_objection(reply) else None


def _has_text(zone: Shown) -> bool:
    return any(_joined(str(record.get("value"))) == SHORT_TEXT for record in _records(zone))


@trial
def empty_host(do: Trying) -> Any:
    reply = _write(do, [_text("", EMPTY_HOST_TEXT)])
    if not reply.is_done:
        return "refused" if do.seen.is_objection(reply) and _write(do, []).is_done else None
    do.read_zone()
    hosts = [str(one.get("host")) for one in _records(do.zone) if _joined(str(one.get("value"))) == EMPTY_HOST_TEXT]
    return {"@": "apex", "": "kept"}.get(hosts[0], OTHERWISE) if hosts else None


@trial
def disabled_zones(do: Trying) -> Any:
    if not _is_disabled(do):
        return None
    return "shown" if _records(do.zone) else "soa_only"


@trial
def zone_deletion(do: Trying) -> Any:
    """Of a zone whose DNS is disabled."""
    is_disabled = is_on(do.zone.get("is_dns_disabled")) or _is_disabled(do)
    if not is_disabled or not do.ask("DELETE", do.zone_path("domain")).is_done:
        return None
    do.read_zone()
    if "is_dns_disabled" not in do.zone:
        return None
    return "stays_disabled" if is_on(do.zone["is_dns_disabled"]) else "default_records"


def _is_disabled(do: Trying) -> bool:
    """Whether DNS of the domain could be disabled."""
    if do.ask("PUT", do.zone_path("domain"), {"is_dns_disabled": True}).is_done:
        do.read_zone()
    return is_on(do.zone.get("is_dns_disabled"))


def _write(do: Trying, more: list[dict[str, Any]]) -> Exchange:
    """The first zone with more records."""
    records = do.first_zone.get("records")
    soa, other = (records.get("soa"), records.get("other")) if isinstance(records, Mapping) else (None, None)
    body = {"records": {"soa": soa, "other": [*other, *more] if isinstance(other, list) else more}}
    return do.ask("PUT", do.zone_path("domain"), body)


def _text(host: str, value: str) -> dict[str, Any]:
    return {"host": host, "ttl": 3600, "type": "TXT", "value": value}


def _records(zone: Shown) -> list[Mapping[str, Any]]:
    records = zone.get("records")
    other = records.get("other") if isinstance(records, Mapping) else None
    return [record for record in other if isinstance(record, Mapping)] if isinstance(other, list) else []
