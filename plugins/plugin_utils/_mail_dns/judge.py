# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The mail DNS of domains: which have mail, what is wrong, and which record is missing. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...module_utils._dns.record_values import APEX, PLACEHOLDER, dkim_text, is_below
from ...module_utils._errors import PanelError
from ...module_utils._kinds.domain import class_of
from ...module_utils._values.names import DomainName
from ...module_utils._values.value_types import Boolean, parsed
from .names import Names, Zone, is_text, looked_up, named
from .records import HINT, USUAL_DMARC, is_key, judge_dkim, judge_dmarc, judge_mx, mail_server
from .spf import BAD, NEAR, USUAL, Problem, judge_spf

ABOUT = ("spf", "dkim", "dmarc", "mx")


class MailDnsError(Exception):
    """The input cannot be judged; the message is one sentence."""


@dataclass(frozen=True)
class MailDomain:
    """A domain with mail. main_domain: in whose zone its records are. key: the text of its DKIM record, as the panel shows it."""

    name: str
    main_domain: str
    takes_mail: bool = True
    selector: str = ""
    key: str = ""

    def host(self, first: str = "") -> str:
        """The name of a record relative to the zone."""
        below = "" if self.name == self.main_domain else self.name[: -len(self.main_domain) - 1]
        return ".".join(part for part in (first, below) if part) or APEX


def findings_of(zones: Any, domains: Any = None, origin: Any = None) -> list[dict[str, Any]]:
    """The findings of all domains, each with its ``domain`` and ``zone``; raises MailDnsError."""
    shown = dict(_zone(zone, origin) for zone in _zones(zones))
    if domains is not None and not _are_objects(domains):
        raise MailDnsError("domains: must be a list of domains as hosting.panel.panel_domain_info returns them.")
    read = [Zone(name, zone) for name, zone in shown.items()]
    names = Names(read)
    judged = [judge_domain(domain, names) for domain in mail_domains(read, shown, domains or ())]
    return [{"domain": one["domain"], "zone": one["zone"], **finding} for one in judged for finding in one["findings"]]


def _zones(given: Any) -> list[Mapping[str, Any]]:
    """One zone, a list of zones, or the records of one."""
    if isinstance(given, Mapping):
        return [given]
    if not _are_objects(given):
        raise MailDnsError("the input must be a zone or a list of zones as hosting.panel.panel_dns_info returns them.")
    return list(given) if all("records" in one or "other" in one for one in given) else [{"records": list(given)}]


def _are_objects(given: Any) -> bool:
    return isinstance(given, (list, tuple)) and all(isinstance(one, Mapping) for one in given)


def _zone(zone: Mapping[str, Any], origin: Any) -> tuple[str, dict[str, Any]]:
    name = origin or zone.get("domain")
    if not name:
        raise MailDnsError("origin: missing; give the name of the zone, since the input does not hold it.")
    records = zone if "other" in zone else zone.get("records")
    other = records.get("other") if isinstance(records, Mapping) else records
    if not isinstance(other or [], (list, tuple)):
        raise MailDnsError(f"the records of {name} must be a list.")
    try:
        return parsed(DomainName(), "origin", name), {**zone, "records": {"other": list(other or [])}}
    except PanelError as error:
        raise MailDnsError(error.message) from None


def mail_domains(
    zones: Sequence[Zone], shown: Mapping[str, Any], domains: Iterable[Mapping[str, Any]]
) -> list[MailDomain]:
    """The domains with mail: of those that the panel shows, or else of the zones. shown: the zones as the panel shows them, by name."""
    named_ones = [(looked_up(one.get("domain")), one) for one in domains if class_of(one) != "system_domains"]
    listed = [(name, domain) for name, domain in named_ones if name]
    main = [zone.name for zone in zones]
    main += [name for name, domain in listed if class_of(domain) == "main_domains" and name not in main]
    found = []
    for name, domain in listed or [(name, {}) for name in main]:
        above = max((one for one in main if is_below(name, one)), key=len, default=name)
        if _switch(domain, "is_email_domain", name == above):
            takes_mail = not _switch(domain, "is_email_sending_only", False)
            found.append(_with_key(name, above, takes_mail, shown.get(name, {}), domain))
    return found


def _switch(domain: Mapping[str, Any], name: str, usual: bool) -> bool:
    value = Boolean().comparable(domain.get(name))
    return value if isinstance(value, bool) else usual


def _with_key(
    name: str, main_domain: str, takes_mail: bool, zone: Mapping[str, Any], domain: Mapping[str, Any]
) -> MailDomain:
    """With the key that the panel shows at the domain, or else at the zone."""
    whole = next((one for one in (domain.get("dkim_record"), zone.get("dkim_record")) if is_text(one) and one), "")
    host = whole.split(maxsplit=1)[0] if whole.strip() else ""
    selector = domain.get("dkim_selector") if name == main_domain else None
    if "._domainkey" in host:
        selector = host.partition("._domainkey")[0]
    key = dkim_text({"dkim_record": whole, "records": {"other": []}}) or ""
    is_known = key != PLACEHOLDER and is_key(key)
    return MailDomain(name, main_domain, takes_mail, looked_up(selector), key if is_known else "")


def judge_domain(domain: MailDomain, names: Names) -> dict[str, Any]:
    """``{"domain", "zone", "level", "look_ups", "findings"}``; look_ups: that its SPF record makes, None if that is unknown."""
    findings, look_ups = _findings(domain, names)
    levels = {finding["level"] for finding in findings}
    return {
        "domain": domain.name,
        "zone": domain.main_domain,
        "level": BAD if BAD in levels else NEAR if NEAR in levels else HINT,
        "look_ups": look_ups,
        "findings": findings,
    }


def _findings(domain: MailDomain, names: Names) -> tuple[list[dict[str, Any]], int | None]:
    zone = names.zone_of(domain.name)
    if zone is None or names.find(domain.name, "TXT") is None:
        message = "The records of this domain are not on this panel, so they were not checked."
        return [_finding("zone", ("not_here", HINT, message, "Check them where they are."))], None

    def found(about: str, problems: Iterable[Problem], host: str, value: str, kind: str = "TXT") -> Iterable[Any]:
        for problem in problems:
            yield _with_record(_finding(about, problem), host, kind, value, domain.main_domain, zone)

    spf, look_ups = judge_spf(domain.name, names)
    findings = [*found("spf", spf, domain.host(), USUAL)]
    selectors = [domain.selector] if domain.selector else zone.selectors(_below(zone, domain.name))
    for first in (f"{selector}._domainkey" for selector in selectors):
        host = domain.host(first)
        findings += found("dkim", judge_dkim(f"{first}.{domain.name}", host, domain.key, names), host, domain.key)
    if not selectors and domain.name == domain.main_domain:
        message = "There is no DKIM record, and the panel shows no key for this domain."
        advice = "Give the domain a DKIM key on the panel, and set its record."
        findings.append(_finding("dkim", ("missing", NEAR, message, advice)))
    dmarc, may_be_set = judge_dmarc(domain.name, names)
    # At the main domain, where it counts for all names below.
    findings += found("dmarc", dmarc, "_dmarc", USUAL_DMARC if may_be_set else "")
    if domain.takes_mail:
        server = mail_server(domain.name, domain.main_domain, names)
        value = f"10 {server}." if server else ""
        findings += found("mx", judge_mx(domain.name, names), domain.host(), value, "MX")
    return findings, look_ups


def _below(zone: Zone, name: str) -> str:
    return "" if zone.name == name else zone.host(name)


def _finding(about: str, problem: Problem) -> dict[str, Any]:
    word, level, message, advice = problem
    shown = {"about": about, "problem": word, "level": level, "message": message, "advice": advice}
    return {**shown, "record": None}


def _with_record(
    finding: dict[str, Any], host: str, kind: str, value: str, main_domain: str, zone: Zone
) -> dict[str, Any]:
    """The finding with the record that is missing, unless setting it would take something away; then with what to do."""
    if finding["problem"] != "missing" or not value:
        return finding
    name = main_domain if host == APEX else f"{host}.{main_domain}"
    alias, hidden = zone.alias(zone.host(name)), zone.hidden_by(zone.host(name))
    if alias:
        advice = f"{named(name)} is an alias for {named(alias)}, and nothing may stand beside one: set it there, or replace the alias."
        return {**finding, "advice": advice}
    if hidden:
        wildcard, below = zone.wildcard(hidden), f"{hidden}.{zone.name}"
        advice = (
            f"What {named(f'{wildcard}.{zone.name}')} answers for {named(below)} would be gone beside a record of its own: "
            "set it together with copies of that."
        )
        return {**finding, "advice": advice}
    return {**finding, "record": {"host": host, "type": kind, "value": value}}
