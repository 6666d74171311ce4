# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the mail DNS of the domains of a panel, by its zones. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...module_utils._dns.record_values import APEX, PLACEHOLDER, dkim_text, is_below
from ...module_utils._kinds.domain import class_of
from ...module_utils._values.value_types import Boolean
from .dkim import judge_dkim
from .dmarc import NAME, judge_dmarc
from .finding import DKIM, HINT, NEAR, Finding, worst
from .mx import judge_mx
from .names import Names, Zone, is_text, looked_up
from .settable import settable
from .spf import judge_spf

ZONE = "zone"


@dataclass(frozen=True)
class MailDomain:
    """A domain with mail. main_domain: in whose zone its records are. takes_mail: whether it has mailboxes, and does not only send.

    selector: of its DKIM key, and key: the text of that record; empty where the panel does not show them.
    """

    name: str
    main_domain: str
    takes_mail: bool = True
    selector: str = ""
    key: str = ""

    def host(self, first: str = "") -> str:
        """The name of a record relative to the zone."""
        below = "" if self.name == self.main_domain else self.name[: -len(self.main_domain) - 1]
        return ".".join(part for part in (first, below) if part) or APEX


def judge_domain(domain: MailDomain, names: Names) -> dict[str, Any]:
    """``{"domain", "zone", "level", "look_ups", "findings"}``; look_ups: that its SPF record makes, None where it is not known."""
    if names.find(domain.name, "TXT") is None:
        message = "The records of this domain are not on this panel, so nothing can be said of them here."
        advice = "Look at them where they are, or name a resolver that may be asked."
        findings = [Finding(ZONE, "not_here", HINT, message, advice)]
        walked = None
    else:
        findings, walked = judge_spf(domain.name, domain.host(), names)
        of_keys, has_key = _dkim(domain, names)
        findings += of_keys
        is_ready = walked is not None and has_key and not findings
        findings += judge_dmarc(domain.name, domain.host(NAME), names, is_ready)
        findings += judge_mx(domain.name, domain.main_domain, domain.host(), names) if domain.takes_mail else []
    shown = [settable(finding, domain.main_domain, names).shown() for finding in findings]
    return {
        "domain": domain.name,
        "zone": domain.main_domain,
        "level": worst(shown),
        "look_ups": None if walked is None else walked.look_ups,
        "findings": shown,
    }


def _dkim(domain: MailDomain, names: Names) -> tuple[list[Finding], bool]:
    """Of the selector that the panel names; where it names none, of those that there are. And whether there is a record that is known here."""
    zone = names.zone_of(domain.name)
    selectors = [domain.selector] if domain.selector else []
    if not selectors and zone is not None:
        selectors = zone.selectors("" if zone.name == domain.name else zone.host(domain.name))
    hosts = [f"{selector}._domainkey" for selector in selectors]
    found = [judge_dkim(f"{host}.{domain.name}", domain.host(host), domain.key, names) for host in hosts]
    if not hosts and zone is not None and domain.name == domain.main_domain:
        message = "There is no DKIM record, and the panel shows no key for this domain."
        found = [
            Finding(DKIM, "missing", NEAR, message, "Give the domain a DKIM key on the panel, and set its record.")
        ]
    has_key = any(names.find(f"{host}.{domain.name}", "TXT") for host in hosts)
    return [finding for finding in found if finding is not None], has_key


def mail_domains(
    zones: Sequence[Zone], shown: Mapping[str, Any], domains: Iterable[Mapping[str, Any]]
) -> list[MailDomain]:
    """The domains with mail. shown: by name what the panel shows of the zones. domains: as the panel shows them; those of the zones where
    there are none.
    """
    main = {name: name for name in (zone.name for zone in zones)}
    named = ((looked_up(domain.get("domain")), domain) for domain in domains if class_of(domain) != "system_domains")
    listed = [(name, domain) for name, domain in named if name]
    for name, domain in listed:
        if class_of(domain) == "main_domains":
            main.setdefault(name, name)
    if not listed:
        return [_with_key(name, name, True, shown.get(name, {}), {}) for name in main]
    found = []
    for name, domain in listed:
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
    return MailDomain(name, main_domain, takes_mail, looked_up(selector), "" if key == PLACEHOLDER else key)
