# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From what a playbook has of zones and domains to findings. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils._errors import PanelError
from ...module_utils._values.names import DomainName
from ...module_utils._values.value_types import parsed
from .judge import judge_domain, mail_domains
from .names import Names, Zone
from .resolver import Resolver, WrongResolver


class MailDnsError(Exception):
    """The input cannot be judged; the message is one sentence."""


def findings_of(zones: Any, domains: Any = None, origin: Any = None, resolver: Any = None) -> list[dict[str, Any]]:
    """The findings of all domains, each with its ``domain`` and ``zone``; raises MailDnsError."""
    shown = dict(_zone(zone, origin) for zone in _zones(zones))
    if domains is not None and not (
        isinstance(domains, (list, tuple)) and all(isinstance(d, Mapping) for d in domains)
    ):
        raise MailDnsError("domains: must be a list of domains as hosting.panel.panel_domain_info returns them.")
    read = [Zone(name, zone) for name, zone in shown.items()]
    names = Names(read, _resolver(resolver).find) if resolver else Names(read)
    judged = [judge_domain(domain, names) for domain in mail_domains(read, shown, domains or ())]
    return [{"domain": one["domain"], "zone": one["zone"], **finding} for one in judged for finding in one["findings"]]


def _resolver(server: Any) -> Resolver:
    try:
        return Resolver(str(server))
    except WrongResolver as error:
        raise MailDnsError(f"resolver: {error}") from None


def _zones(given: Any) -> list[Mapping[str, Any]]:
    """One zone, a list of zones, or the records of one."""
    if isinstance(given, Mapping):
        return [given]
    if not isinstance(given, (list, tuple)) or not all(isinstance(one, Mapping) for one in given):
        raise MailDnsError("the input must be a zone or a list of zones as hosting.panel.panel_dns_info returns them.")
    return list(given) if all("records" in one or "other" in one for one in given) else [{"records": list(given)}]


def _zone(zone: Mapping[str, Any], origin: Any) -> tuple[str, dict[str, Any]]:
    """The name of a zone, and the zone in the shape of the API."""
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
