# SPDX-License-Identifier: GPL-3.0-or-later
"""The mail DNS of domains: which have mail, what is wrong, and which record is missing. Pure. Private to the collection."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._dns.record_names import normalize_name
from ...module_utils._dns.record_values import find_dkim_text
from ...module_utils._errors import OptionError
from ...module_utils._kinds.tables import class_of
from ...module_utils._values.names import DomainName
from ...module_utils._values.value_types import parsed
from . import records
from .names import Names, and_above
from .records import BAD, HINT, NEAR, Problem

_AS_SHOWN = "must be a list of {0}s as hosting.panel.panel_{1}_info returns them."
Shown = Mapping[str, Any]


def findings_of(zones: Any, domains: Any = None, origin: Any = None) -> list[dict[str, Any]]:
    """The findings of all domains, each with its ``domain`` and ``zone``; raises OptionError."""
    given = _objects("zones", [zones] if isinstance(zones, Mapping) else zones, _AS_SHOWN.format("zone", "dns"))
    if not all("records" in one or "other" in one for one in given):
        given = [{"records": given}]
    listed = _objects("domains", domains or [], _AS_SHOWN.format("domain", "domain"))
    shown: dict[str, Any] = {}
    for zone in (one for one in given if one.get("state") != "absent"):
        if not (origin or zone.get("domain")):
            raise OptionError("origin", "missing; give the name of the zone, since the input does not hold it.")
        name = parsed(DomainName(), "origin", origin or zone["domain"])
        own = zone if "other" in zone else zone["records"]
        other = own.get("other") if isinstance(own, Mapping) else own
        first = shown.setdefault(name, {**zone, "records": {"other": []}})
        first["records"]["other"] += _objects(f"the records of {name}", other or [], "must be a list.")
    return [
        {"domain": one["domain"], "zone": one["zone"], **finding}
        for one in judged(shown, listed or None)
        for finding in one["findings"]
    ]


def _objects(name: str, given: Any, form: str) -> list[Shown]:
    if not isinstance(given, (list, tuple)) or not all(isinstance(one, Mapping) for one in given):
        raise OptionError(name, form)
    return list(given)


def judged(shown: Mapping[str, Shown], domains: Iterable[Shown] | None) -> list[dict[str, Any]]:
    """The domains with mail: ``{"domain", "zone", "level", "look_ups", "findings"}``; look_ups: that its SPF record makes, None if unknown.

    shown: zones by name. domains: as the panel shows them; without, each zone has mail.
    """
    names, found = Names(shown), []
    if domains is None:
        domains = [{"domain": name} for name in shown]
    listed = {looked_up(one.get("domain")): one for one in domains if class_of(one) != "system_domains"}
    main = {*shown, *(name for name, domain in listed.items() if class_of(domain) == "main_domains")}
    for name, domain in listed.items():
        above = next((one for one in and_above(name) if one in main), name)
        has_mail = domain.get("is_email_domain")
        if name and (name == above if has_mail is None else has_mail):
            findings, look_ups = _findings(name, above, domain, shown.get(name, {}), names)
            levels = {one["level"] for one in findings}
            level = next((one for one in (BAD, NEAR) if one in levels), HINT)
            one = {"domain": name, "zone": above, "level": level, "look_ups": look_ups, "findings": findings}
            found.append(one)
    return found


def looked_up(name: Any) -> str:
    """The name in punycode, without a dot at its end; empty for what is none."""
    with contextlib.suppress(ValueError):
        return normalize_name(name or "").rstrip(".")
    return ""


def _findings(
    name: str, main_domain: str, domain: Shown, shown: Shown, names: Names
) -> tuple[list[dict[str, Any]], int | None]:
    """Of a domain, with the look-ups of its SPF record. shown: the zone of this name."""
    findings: list[dict[str, Any]] = []
    zone = names.zone_of(name)

    def add(about: str, problems: Iterable[Problem], at: str = "", value: str = "", kind: str = "TXT") -> None:
        """With the record that is missing, unless setting it would take something away; then with what to do."""
        for word, level, message, advice in problems:
            record = None
            if zone and word == "missing" and value:
                in_the_way = zone.in_the_way(zone.host(at))
                advice = in_the_way or advice
                record = None if in_the_way else {"host": zone.host(at), "type": kind, "value": value}
            finding = {"about": about, "problem": word, "level": level, "message": message, "advice": advice}
            findings.append({**finding, "record": record})

    if zone is None or names.find(name, "TXT") is None:
        message = "The records of this domain are not on this panel, or could not be read, so they were not checked."
        add("zone", [("not_here", HINT, message, "Check them where they are.")])
        return findings, None
    problems, look_ups = records.judge_spf(name, names)
    add("spf", problems, name, records.USUAL_SPF)
    selector, key = _selector_and_key(name == main_domain, shown, domain)
    selectors = [selector] if selector else zone.selectors(name)
    level_if_revoked = BAD
    if not key:
        others = (f"{one}._domainkey.{name}" for one in zone.selectors(name))
        has_valid_key = any(records.may_hold_key(other, names) for other in others)
        level_if_revoked = HINT if has_valid_key else BAD if selector else NEAR
    for at in (f"{one}._domainkey.{name}" for one in selectors):
        add("dkim", records.judge_dkim(at, key, names, level_if_revoked), at, key)
    if not selectors and name == main_domain:
        message = "There is no DKIM record, and the panel shows no key for this domain."
        add("dkim", [("missing", NEAR, message, "Give the domain a DKIM key on the panel, and set its record.")])
    problems, may_be_set = records.judge_dmarc(name, names)
    # At the main domain, where it counts for all names below.
    add("dmarc", problems, f"_dmarc.{main_domain}", records.USUAL_DMARC if may_be_set else "")
    if not domain.get("is_email_sending_only"):
        server = records.mail_server(name, main_domain, names)
        add("mx", records.judge_mx(name, names), name, f"10 {server}." if server else "", "MX")
    return findings, look_ups


def _selector_and_key(is_main: bool, zone: Shown, domain: Shown) -> tuple[str, str]:
    """Of the DKIM key that the panel shows at the domain, or else at the zone; the key is the text of its record."""
    whole = domain.get("dkim_record") or zone.get("dkim_record") or ""
    host, below, _zone = whole.partition("._domainkey")
    selector = host.strip() if below else domain.get("dkim_selector") if is_main else ""
    key = find_dkim_text({"dkim_record": whole, "records": {"other": []}}) or ""
    return looked_up(selector), key if records.key_in(key) else ""
