# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The mail DNS of domains: which have mail, what is wrong, and which record is missing. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...module_utils._dns.record_values import PLACEHOLDER, dkim_text, is_below
from ...module_utils._errors import PanelError
from ...module_utils._kinds.domain import class_of
from ...module_utils._values.names import DomainName
from ...module_utils._values.value_types import Boolean, parsed
from . import records
from .names import Names, Zone, looked_up
from .records import BAD, HINT, NEAR, Problem

ABOUT = ("spf", "dkim", "dmarc", "mx")


class MailDnsError(Exception):
    """The input cannot be judged; the message is one sentence."""


@dataclass(frozen=True)
class MailDomain:
    """A domain with mail. main_domain: in whose zone its records are. key: the text of its DKIM record, as the panel shows it."""

    name: str
    main_domain: str
    takes_mail: bool
    selector: str
    key: str


def findings_of(zones: Any, domains: Any = None, origin: Any = None) -> list[dict[str, Any]]:
    """The findings of all domains, each with its ``domain`` and ``zone``; raises MailDnsError."""
    given = [zones] if isinstance(zones, Mapping) else zones
    if not _are_objects(given):
        raise MailDnsError("the input must be a zone or a list of zones as hosting.panel.panel_dns_info returns them.")
    if not all("records" in one or "other" in one for one in given):
        given = [{"records": given}]
    if domains is not None and not _are_objects(domains):
        raise MailDnsError("domains: must be a list of domains as hosting.panel.panel_domain_info returns them.")
    shown: dict[str, dict[str, Any]] = {}
    for name, zone in (_zone(one, origin) for one in given if one.get("state") != "absent"):
        shown.setdefault(name, {**zone, "records": {"other": []}})["records"]["other"] += zone["records"]["other"]
    read = [Zone(name, zone) for name, zone in shown.items()]
    names = Names(read)
    judged = [judge_domain(domain, names) for domain in mail_domains(read, shown, domains or ())]
    return [{"domain": one["domain"], "zone": one["zone"], **finding} for one in judged for finding in one["findings"]]


def _are_objects(given: Any) -> bool:
    return isinstance(given, (list, tuple)) and all(isinstance(one, Mapping) for one in given)


def _zone(zone: Mapping[str, Any], origin: Any) -> tuple[str, dict[str, Any]]:
    name = origin or zone.get("domain")
    if not name:
        raise MailDnsError("origin: missing; give the name of the zone, since the input does not hold it.")
    given = zone if "other" in zone else zone["records"]
    other = given.get("other") if isinstance(given, Mapping) else given
    if not _are_objects(other or []):
        raise MailDnsError(f"the records of {name} must be a list.")
    try:
        return parsed(DomainName(), "origin", name), {**zone, "records": {"other": other or []}}
    except PanelError as error:
        raise MailDnsError(error.message) from None


def mail_domains(
    zones: Sequence[Zone], shown: Mapping[str, Any], domains: Iterable[Mapping[str, Any]]
) -> list[MailDomain]:
    """The domains with mail: of those that the panel shows, or else of the zones. shown: the zones as the panel shows them, by name."""
    named_ones = [(looked_up(one.get("domain")), one) for one in domains if class_of(one) != "system_domains"]
    listed = [(name, domain) for name, domain in named_ones if name]
    main = [zone.name for zone in zones]
    main += [name for name, domain in listed if class_of(domain) == "main_domains"]
    found = []
    for name, domain in listed or [(name, {}) for name in main]:
        above = max((one for one in main if is_below(name, one)), key=len, default=name)
        if _switch(domain, "is_email_domain", name == above):
            takes_mail = not _switch(domain, "is_email_sending_only", False)
            found.append(
                MailDomain(name, above, takes_mail, *_selector_and_key(name == above, shown.get(name, {}), domain))
            )
    return found


def _switch(domain: Mapping[str, Any], name: str, usual: bool) -> bool:
    value = Boolean().comparable(domain.get(name))
    return value if isinstance(value, bool) else usual


def _selector_and_key(is_main: bool, zone: Mapping[str, Any], domain: Mapping[str, Any]) -> tuple[str, str]:
    """Of the key that the panel shows at the domain, or else at the zone."""
    whole = domain.get("dkim_record") or zone.get("dkim_record") or ""
    host, below, _zone = whole.partition("._domainkey")
    selector = host.strip() if below else domain.get("dkim_selector") if is_main else ""
    key = dkim_text({"dkim_record": whole, "records": {"other": []}}) or ""
    return looked_up(selector), key if key != PLACEHOLDER and records.is_key(key) else ""


def judge_domain(domain: MailDomain, names: Names) -> dict[str, Any]:
    """``{"domain", "zone", "level", "look_ups", "findings"}``; look_ups: that its SPF record makes, None if that is unknown."""
    findings: list[dict[str, Any]] = []
    look_ups = None
    zone = names.zone_of(domain.name)

    def add(about: str, problems: Iterable[Problem], host: str = "", value: str = "", kind: str = "TXT") -> None:
        """With the record that is missing, unless setting it would take something away; then with what to do."""
        for word, level, message, advice in problems:
            record = None
            if zone and word == "missing" and value:
                in_the_way = zone.in_the_way(zone.host(host))
                advice = in_the_way or advice
                record = None if in_the_way else {"host": zone.host(host), "type": kind, "value": value}
            finding = {"about": about, "problem": word, "level": level, "message": message, "advice": advice}
            findings.append({**finding, "record": record})

    if zone is None or names.find(domain.name, "TXT") is None:
        message = "The records of this domain are not on this panel, so they were not checked."
        add("zone", [("not_here", HINT, message, "Check them where they are.")])
    else:
        problems, look_ups = records.judge_spf(domain.name, names)
        add("spf", problems, domain.name, records.USUAL_SPF)
        selectors = [domain.selector] if domain.selector else zone.selectors(domain.name)
        for name in (f"{selector}._domainkey.{domain.name}" for selector in selectors):
            add("dkim", records.judge_dkim(name, zone.host(name), domain.key, names), name, domain.key)
        if not selectors and domain.name == domain.main_domain:
            message = "There is no DKIM record, and the panel shows no key for this domain."
            add("dkim", [("missing", NEAR, message, "Give the domain a DKIM key on the panel, and set its record.")])
        problems, may_be_set = records.judge_dmarc(domain.name, names)
        # At the main domain, where it counts for all names below.
        add("dmarc", problems, f"_dmarc.{domain.main_domain}", records.USUAL_DMARC if may_be_set else "")
        if domain.takes_mail:
            server = records.mail_server(domain.name, domain.main_domain, names)
            add("mx", records.judge_mx(domain.name, names), domain.name, f"10 {server}." if server else "", "MX")
    levels = {finding["level"] for finding in findings}
    return {
        "domain": domain.name,
        "zone": domain.main_domain,
        "level": BAD if BAD in levels else NEAR if NEAR in levels else HINT,
        "look_ups": look_ups,
        "findings": findings,
    }
