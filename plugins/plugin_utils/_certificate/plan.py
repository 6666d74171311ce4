# SPDX-License-Identifier: GPL-3.0-or-later
"""What is left to do for certificates: order, upload, assign, and why not.

The role makes the plan again after each of its steps. It holds no key, so a task can keep it as a
fact; what is uploaded has keys, and is made for the task that uploads it.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils._http.repeats import LATEST_EFFECT
from ...module_utils._secrets.redaction import escape_control_characters
from .certificate_facts import (
    CertificateFacts,
    Fields,
    check_challenges,
    check_panel,
    compute_fingerprint,
    find_certificate_name,
    find_pem,
    find_zones_of_challenges,
    is_ours,
    list_covered_domains,
)
from .certificate_failures import (
    collect_failures,
    collect_foreign_challenges,
    collect_problems,
    describe_failures,
    list_uploads,
)
from .items import Certificate, read_items
from .requirements import find_missing_requirements

# Seconds, for the records that an authority asks for.
_TTL = 60


def plan_certificates(
    items: Any,
    panel: Fields | None = None,
    kept: Fields | None = None,
    run: Fields | None = None,
    directory: str = "",
    key_type: str = "ec256",
    renew_days: int = 30,
) -> dict[str, Any]:
    """Decide what is left to do.

    Args:
        items: The variable ``certificate_items``.
        panel: The result of panel_resources_info; empty to check the items and the controller only.
        kept: The secrets that earlier runs kept: their panel, certificates and challenges.
        run: What this run has done so far; the documentation of the filter lists its keys.
        directory: The address of the authority's directory.
        key_type: The type of key that certificates should have.
        renew_days: A certificate is due if it expires within this many days.

    Raises:
        AnsibleFilterError: What earlier runs kept is of another panel.
    """
    mistakes: list[str] = []
    certificates = read_items(items, mistakes)
    if not panel:
        return {"mistakes": mistakes, "missing": list(find_missing_requirements())}

    kept = kept or {}
    check_panel(kept, panel)
    check_challenges(kept)
    facts = CertificateFacts(certificates, panel, kept, run or {})
    problems = collect_problems(facts)
    due = _collect_reasons_to_order(
        facts, problems, _OrderSettings(directory, key_type, int(renew_days))
    )
    foreign = _list_foreign_certificates(facts)
    failed = collect_failures(facts, problems, foreign)
    challenges = _collect_challenges(facts)
    is_complete = _is_complete(facts, _make_resources(facts, problems, foreign))
    result = [_make_result(certificate, facts, failed) for certificate in certificates]
    failure = describe_failures(failed, len(result))
    lines = _describe_result(result, due, failed, facts.run)
    return {
        "mistakes": mistakes,
        "names": {certificate.name: certificate.names for certificate in certificates},
        "due": due,
        "failed": failed,
        "challenges": challenges,
        "wait": _count_seconds_to_wait(facts),
        "foreign": foreign,
        "is_complete": is_complete,
        "is_work": bool(due or challenges or not is_complete),
        "result": result,
        "lines": [escape_control_characters(line) for line in lines],
        "failure": escape_control_characters(failure),
    }


def make_upload(
    items: Any, panel: Fields, kept: Fields, foreign: Iterable[str] = ()
) -> dict[str, list[dict[str, Any]]]:
    """Return what was issued and can be uploaded, with its keys, and the domains that it covers.

    Args:
        items: The variable ``certificate_items``.
        panel: The result of panel_resources_info.
        kept: The secrets that earlier runs, and this one, kept.
        foreign: The names of certificates that appeared on the panel, and are not of the role.
    """
    facts = CertificateFacts(read_items(items, []), panel, kept, {})
    return _make_resources(facts, collect_problems(facts), foreign)


@dataclass(frozen=True)
class _OrderSettings:
    """How certificates should be; one that is otherwise is due."""

    directory: str
    key_type: str
    renew_days: int


def _collect_reasons_to_order(
    facts: CertificateFacts, problems: Mapping[str, str], settings: _OrderSettings
) -> dict[str, str]:
    """Return by name why a certificate is ordered."""
    due = {}
    for certificate in facts.certificates:
        reason = _find_reason_to_order(certificate, facts.issued.get(certificate.name), settings)
        if reason and certificate.name not in problems:
            due[certificate.name] = reason
    return due


def _find_reason_to_order(
    certificate: Certificate, issued: Fields | None, settings: _OrderSettings
) -> str:
    if not issued:
        return "there is none yet"

    added = sorted(set(certificate.names) - set(issued["names"]))
    removed = sorted(set(issued["names"]) - set(certificate.names))
    if added or removed:
        changes = [f"+{name}" for name in added] + [f"-{name}" for name in removed]
        return f"its names change: {' '.join(changes)}"
    if issued["key_type"] != settings.key_type:
        return f"its key is {issued['key_type']} and not {settings.key_type}"
    if issued["directory"] != settings.directory:
        return f"it is of {issued['directory']}"

    now = datetime.datetime.now(datetime.timezone.utc)
    remaining = datetime.datetime.fromisoformat(issued["not_after"]) - now
    if remaining <= datetime.timedelta(days=settings.renew_days):
        return f"it expires on {issued['not_after'][:10]}"
    return ""


def _list_foreign_certificates(facts: CertificateFacts) -> list[str]:
    """Return the names of certificates that appeared on the panel during the run, and are not of
    the role."""
    names = set(facts.run.get("foreign") or ())
    for action in facts.run.get("actions") or ():
        is_update = action["kind"] == "certificates" and action["action"] == "update"
        if not is_update or not find_pem(action.get("after")):
            continue
        if not is_ours(find_pem(action.get("before")), facts.issued[action["key"]]):
            names.add(action["key"])
    return sorted(names)


def _collect_challenges(facts: CertificateFacts) -> dict[str, list[dict[str, Any]]]:
    """Return by zone the records that the authority asks for, and those that earlier runs left."""
    remaining = facts.kept.get("challenges") or {}
    challenges = {zone: list(records) for zone, records in remaining.items()}
    foreign = collect_foreign_challenges(facts)
    for order in facts.run.get("orders") or ():
        if order["name"] in foreign:
            continue
        zones = find_zones_of_challenges(order, facts)
        for host, values in order["challenges"].items():
            records = challenges.setdefault(str(zones[host]), [])
            name = host.lower().rstrip(".")
            for value in values:
                record = {"host": f"{name}.", "type": "TXT", "ttl": _TTL, "value": value}
                if record not in records:
                    records.append(record)

    return challenges


def _count_seconds_to_wait(facts: CertificateFacts) -> int:
    """Return how long no challenge counts as removed: one that was written without an answer may
    still come (docs/panel_api.md#late-writes).
    """
    if not facts.kept.get("challenges"):
        return 0
    # Empty if the panel answered each write. Without it, this run or one before it may have ended
    # while it wrote.
    was_answered = facts.run.get("zones") == {}

    return 0 if was_answered else LATEST_EFFECT


def _make_resources(
    facts: CertificateFacts, problems: Mapping[str, str], foreign: Iterable[str]
) -> dict[str, list[dict[str, Any]]]:
    """Return what was issued and can be uploaded, and the domains that it covers."""
    certificates = []
    domains = []
    for certificate in list_uploads(facts, problems, foreign):
        issued = facts.issued[certificate.name]
        components = {
            "private_key": issued["private_key"],
            "certificate": issued["certificate"],
            "ca_certificate": issued["chain"],
        }
        certificates.append(
            {"name": certificate.name, "client": certificate.client, "components": components}
        )
        security = {"certificate": certificate.name}
        domains += [
            {"domain": domain, "security": security}
            for domain in list_covered_domains(certificate, facts)
        ]

    return {"certificates": certificates, "domains": domains}


def _is_complete(facts: CertificateFacts, resources: Mapping[str, list[dict[str, Any]]]) -> bool:
    """Return whether the panel has all resources already."""
    for item in resources["certificates"]:
        uploaded = facts.uploaded.get(item["name"]) or {}
        if uploaded.get("client") != item["client"]:
            return False
        if compute_fingerprint(find_pem(uploaded)) != compute_fingerprint(find_pem(item)):
            return False
    return all(_is_assigned(item, facts) for item in resources["domains"])


def _is_assigned(item: Fields, facts: CertificateFacts) -> bool:
    """Return whether a domain uses its certificate already."""
    domain = facts.domains[item["domain"]]
    return bool(find_certificate_name(domain) == find_certificate_name(item))


def _make_result(
    certificate: Certificate, facts: CertificateFacts, failed: Mapping[str, str]
) -> dict[str, Any]:
    """Return what the role reports of a certificate."""
    not_after = None
    if certificate.name in facts.issued:
        not_after = facts.issued[certificate.name]["not_after"]
    assigned: list[str] = []
    if certificate.name not in failed:
        assigned = list_covered_domains(certificate, facts)
    return {
        "name": certificate.name,
        "domains": certificate.names,
        "not_after": not_after,
        "renewed": certificate.name in (facts.run.get("issued") or ()),
        "assigned": assigned,
    }


def _describe_result(
    result: list[dict[str, Any]], due: Fields, failed: Mapping[str, str], run: Fields
) -> Iterator[str]:
    """Yield the result for people, a line for each certificate."""
    for item in result:
        name = item["name"]
        notes = []
        if item["not_after"]:
            notes.append(f"until {item['not_after'][:10]}")
        if item["renewed"]:
            notes.append(f"ordered, since {run['due'][name]}")
        elif name in due and name not in failed:
            notes.append(f"would be ordered, since {due[name]}")
        if name in failed:
            notes.append("failed")
        yield f"{name}: {'; '.join(notes)}"
