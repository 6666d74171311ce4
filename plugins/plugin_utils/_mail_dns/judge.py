# SPDX-License-Identifier: GPL-3.0-or-later
"""The mail DNS of domains: which have mail, what is wrong, and which record is missing. Pure."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...module_utils._dns.record_names import normalize_name
from ...module_utils._dns.record_values import find_dkim_text
from ...module_utils._errors import OptionError
from ...module_utils._kinds.tables import classify_domain
from ...module_utils._values.names import DomainName
from ...module_utils._values.value_types import parse_option
from .dkim import find_key, judge_dkim, may_have_key
from .dmarc import USUAL_DMARC, judge_dmarc
from .mail_problem import BAD, HINT, NEAR, MailProblem
from .mx import find_mail_server, judge_mx
from .resolver import Resolver, ZoneRecords, list_suffixes
from .spf import USUAL_SPF, judge_spf

_FORM = "must be a list of {0}s as hosting.panel.panel_{1}_info returns them."
_RECORD_FIELDS = ("host", "type", "value")
_RECORDS_FORM = f"must be a list of records, each with {', '.join(_RECORD_FIELDS)} as texts."
Object = Mapping[str, Any]
"""A zone, a domain or a record as the panel shows it."""


# The input of the filter


def list_findings(zones: Any, domains: Any = None, origin: Any = None) -> list[dict[str, Any]]:
    """Return the findings of all domains with mail, each with its ``domain`` and ``zone``.

    Args:
        zones: A zone or a list of zones, or the records of one.
        domains: The domains of the panel; without them, each zone has mail.
        origin: The name of the zone, where the input does not hold it.

    Raises:
        OptionError: The input has another form.
    """
    checked_zones = _read_zones(zones)
    checked_domains = _read_objects("domains", domains or [], _FORM.format("domain", "domain"))
    zones_by_name = _merge_zones(checked_zones, origin)

    findings = []
    for judgement in judge_domains(zones_by_name, checked_domains or None):
        subject = {"domain": judgement["domain"], "zone": judgement["zone"]}
        findings += [{**subject, **finding} for finding in judgement["findings"]]
    return findings


def _read_objects(name: str, objects: Any, form: str) -> list[Object]:
    is_list = isinstance(objects, (list, tuple))
    if not is_list or not all(isinstance(element, Mapping) for element in objects):
        raise OptionError(form, option=name)
    return list(objects)


def _read_zones(zones: Any) -> list[Object]:
    if isinstance(zones, Mapping):
        zones = [zones]
    form = _FORM.format("zone", "dns")
    objects = _read_objects("zones", zones, form)
    if all(map(_is_zone, objects)):
        return objects
    if not all("type" in record for record in objects):
        raise OptionError(form, option="zones")
    # These are the records of one zone.
    return [{"records": objects}]


def _is_zone(candidate: Object) -> bool:
    is_named = "domain" in candidate and _needs_no_records(candidate)
    return is_named or "records" in candidate or "other" in candidate


def _needs_no_records(zone: Object) -> bool:
    """Tell whether a zone answers nothing, whatever it holds."""
    return zone.get("state") == "absent" or bool(zone.get("is_dns_disabled"))


def _merge_zones(zones: Iterable[Object], origin: Any) -> dict[str, Object]:
    """Return zones by name; several of one name have their records together."""
    zones_by_name: dict[str, Any] = {}
    for zone in zones:
        if zone.get("state") == "absent":
            continue
        if not (origin or zone.get("domain")):
            problem = "missing; give the name of the zone, since the input does not hold it."
            raise OptionError(problem, option="origin")
        name = parse_option(DomainName(), "origin", origin or zone["domain"])
        records = _find_records(zone)
        if records is None and _needs_no_records(zone):
            records = []
        merged = zones_by_name.setdefault(name, {**zone, "records": {"other": []}})
        merged["records"]["other"] += _read_records(f"the records of {name}", records)
    return zones_by_name


def _find_records(zone: Object) -> Any:
    """Return the records except SOA, which the API nests and the options of panel_dns do not."""
    if "other" in zone:
        return zone["other"]
    records = zone.get("records")
    if isinstance(records, Mapping):
        return records.get("other")
    return records


def _read_records(name: str, records: Any) -> list[Object]:
    """Return records that have what each record has."""
    objects = _read_objects(name, records, _RECORDS_FORM)
    texts = [record.get(field) for record in objects for field in _RECORD_FIELDS]
    if not all(isinstance(text, str) for text in texts):
        raise OptionError(_RECORDS_FORM, option=name)
    return objects


# The domains


def judge_domains(
    zones: Mapping[str, Object],
    domains: Iterable[Object] | None,
) -> list[dict[str, Any]]:
    """Judge the domains with mail.

    Args:
        zones: The zones as the panel shows them, by name.
        domains: The domains as the panel shows them; without them, each zone has mail.

    Returns:
        ``{"domain", "zone", "level", "look_ups", "findings"}`` for each. ``look_ups`` are those
        that its SPF record makes, None if unknown.
    """
    if domains is None:
        domains = [{"domain": name} for name in zones]
    domains_by_name = {
        normalize_domain(domain.get("domain")): domain
        for domain in domains
        if classify_domain(domain) != "system_domains"
    }
    main_domains = set(zones)
    for name, domain in domains_by_name.items():
        if classify_domain(domain) == "main_domains":
            main_domains.add(name)

    resolver = Resolver(zones)
    judgements = []
    for name, domain in domains_by_name.items():
        main_domain = _find_main_domain(name, main_domains)
        if name and _has_mail(domain, is_main=name == main_domain):
            zone = zones.get(name, {})
            judgements.append(_DomainJudge(name, main_domain, domain, zone, resolver).judge())
    return judgements


def normalize_domain(name: Any) -> str:
    """Return a name in punycode, without a dot at its end; empty for what is no name."""
    with contextlib.suppress(ValueError):
        return normalize_name(name or "").rstrip(".")
    return ""


def _find_main_domain(name: str, main_domains: set[str]) -> str:
    for suffix in list_suffixes(name):
        if suffix in main_domains:
            return suffix
    return name


def _has_mail(domain: Object, is_main: bool) -> bool:
    has_mail = domain.get("is_email_domain")
    if has_mail is None:
        return is_main
    return bool(has_mail)


class _PanelKey(NamedTuple):
    """The DKIM key that the panel shows; both are empty where it shows none.

    Attributes:
        selector: Its selector.
        text: The text of its record.
    """

    selector: str
    text: str


class _DomainJudge:
    """Judges the records of one domain.

    Args:
        name: Its name.
        main_domain: The main domain in whose zone its records are.
        domain: The domain as the panel shows it.
        own_zone: The zone of this name as the panel shows it; empty where it has none.
        resolver: All zones.
    """

    def __init__(
        self,
        name: str,
        main_domain: str,
        domain: Object,
        own_zone: Object,
        resolver: Resolver,
    ) -> None:
        self._name = name
        self._main_domain = main_domain
        self._domain = domain
        self._own_zone = own_zone
        self._resolver = resolver
        self._findings: list[dict[str, Any]] = []

    def judge(self) -> dict[str, Any]:
        """Return the findings with what a report shows of the domain."""
        look_ups = None
        zone = self._resolver.find_zone(self._name)
        if zone is None or self._resolver.find_values(self._name, "TXT") is None:
            self._note_unknown_records()
        else:
            spf = judge_spf(self._name, self._resolver)
            look_ups = spf.look_ups
            self._note(zone, "spf", spf.problems, self._name, USUAL_SPF)
            self._judge_dkim(zone)
            self._judge_dmarc(zone)
            self._judge_mx(zone)

        return {
            "domain": self._name,
            "zone": self._main_domain,
            "level": self._find_level(),
            "look_ups": look_ups,
            "findings": self._findings,
        }

    def _find_level(self) -> str:
        levels = {finding["level"] for finding in self._findings}
        for level in (BAD, NEAR):
            if level in levels:
                return level
        return HINT

    def _note_unknown_records(self) -> None:
        message = "The records of this domain are not on this panel, or could not be read, so they were not checked."
        problem = MailProblem("not_here", HINT, message, "Check them where they are.")
        self._findings.append(_make_finding("zone", problem))

    def _note(
        self,
        zone: ZoneRecords,
        about: str,
        problems: Iterable[MailProblem],
        name: str = "",
        value: str = "",
        record_type: str = "TXT",
    ) -> None:
        """Note problems, with the record that is missing unless it would take something away.

        Args:
            zone: The zone that has the record.
            about: What the problems are about.
            problems: What is wrong.
            name: The name of the record.
            value: The value of a missing record; empty where only the owner can know it.
            record_type: Its type.
        """
        for problem in problems:
            finding = _make_finding(about, problem)
            if problem.problem == "missing" and value:
                host = zone.relativize(name)
                obstacle = zone.advise_on_obstacle(host)
                if obstacle:
                    finding["advice"] = obstacle
                else:
                    finding["record"] = {"host": host, "type": record_type, "value": value}
            self._findings.append(finding)

    def _judge_dkim(self, zone: ZoneRecords) -> None:
        panel_key = self._find_panel_key()
        selectors = zone.list_dkim_selectors(self._name)
        level_if_revoked = self._find_level_if_revoked(panel_key, selectors)
        if panel_key.selector:
            selectors = [panel_key.selector]
        for selector in selectors:
            name = self._qualify_selector(selector)
            problems = judge_dkim(name, panel_key.text, self._resolver, level_if_revoked)
            self._note(zone, "dkim", problems, name, panel_key.text)

        if not selectors and self._name == self._main_domain:
            message = "There is no DKIM record, and the panel shows no key for this domain."
            advice = "Give the domain a DKIM key on the panel, and set its record."
            self._note(zone, "dkim", [MailProblem("missing", NEAR, message, advice)])

    def _qualify_selector(self, selector: str) -> str:
        return f"{selector}._domainkey.{self._name}"

    def _find_level_if_revoked(self, panel_key: _PanelKey, selectors: Iterable[str]) -> str:
        """Return how bad a revoked key is: less where another key may be in use."""
        if panel_key.text:
            return BAD
        if any(may_have_key(self._qualify_selector(name), self._resolver) for name in selectors):
            return HINT
        return BAD if panel_key.selector else NEAR

    def _find_panel_key(self) -> _PanelKey:
        """Return the key that the panel shows at the domain, or else at the zone."""
        dkim_record = self._domain.get("dkim_record") or self._own_zone.get("dkim_record") or ""
        host, separator, _zone = dkim_record.partition("._domainkey")
        selector: str | None = None
        if separator:
            selector = host.strip()
        elif self._name == self._main_domain:
            selector = self._domain.get("dkim_selector")

        text = find_dkim_text({"dkim_record": dkim_record, "records": {"other": []}}) or ""
        if not find_key(text):
            text = ""
        return _PanelKey(normalize_domain(selector), text)

    def _judge_dmarc(self, zone: ZoneRecords) -> None:
        dmarc = judge_dmarc(self._name, self._resolver)
        # At the main domain, where it counts for all names below.
        name = f"_dmarc.{self._main_domain}"
        self._note(zone, "dmarc", dmarc.problems, name, USUAL_DMARC if dmarc.may_be_set else "")

    def _judge_mx(self, zone: ZoneRecords) -> None:
        if self._domain.get("is_email_sending_only"):
            return
        problems = judge_mx(self._name, self._resolver)
        server = find_mail_server(self._name, self._main_domain, self._resolver)
        self._note(zone, "mx", problems, self._name, f"10 {server}." if server else "", "MX")


def _make_finding(about: str, problem: MailProblem) -> dict[str, Any]:
    return {
        "about": about,
        "problem": problem.problem,
        "level": problem.level,
        "message": problem.message,
        "advice": problem.advice,
        "record": None,
    }
