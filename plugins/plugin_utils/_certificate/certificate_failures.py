# SPDX-License-Identifier: GPL-3.0-or-later
"""Why certificates cannot be ordered, and why they failed in this run, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...module_utils._problems import Written
from ...module_utils._values.near_names import ask_for_near_names
from .certificate_facts import (
    CertificateFacts,
    Fields,
    find_certificate_name,
    find_pem,
    find_zones_of_challenges,
    is_ours,
    list_domains_above,
)
from .items import Certificate, covers

_FOREIGN = (
    'the panel already has a certificate "{}" that this role did not upload. '
    "It was not overwritten. "
    "Rename it on the panel, or choose another name."
)


# What keeps a certificate from being ordered, whether it is due or not.


def collect_problems(facts: CertificateFacts) -> dict[str, str]:
    """Return by name what keeps a certificate from being ordered; none for one that can be."""
    problems = {}
    for certificate in facts.certificates:
        sentences = list(_find_problems(certificate, facts))
        if sentences:
            problems[certificate.name] = " ".join(sentences)
    return problems


def _find_problems(certificate: Certificate, facts: CertificateFacts) -> Iterator[str]:
    if certificate.client not in facts.usernames:
        ending = ask_for_near_names([certificate.client], facts.usernames)
        yield f"client: no client {certificate.client} exists{ending}"
    yield from _find_problems_of_names(certificate, facts)
    yield from _find_problems_of_assignment(certificate, facts)
    if certificate.name in facts.uploaded:
        yield from _find_problems_of_upload(certificate, facts)


def _find_problems_of_names(certificate: Certificate, facts: CertificateFacts) -> Iterator[str]:
    """Yield which names are not in a zone of the client."""
    for name in certificate.names:
        if facts.zones[name] is None:
            ending = ask_for_near_names([name.removeprefix("*.")], facts.domains)
            yield f"domains: {name} is in no zone of this panel{ending}"
            continue

        closest = list_domains_above(name, facts.domains)[0]
        if facts.domains[closest].get("client") != certificate.client:
            yield f"domains: {closest} belongs to another client than {certificate.client}."


def _find_problems_of_assignment(
    certificate: Certificate, facts: CertificateFacts
) -> Iterator[str]:
    """Yield which domains cannot use it."""
    for domain in certificate.assign:
        if domain not in facts.domains:
            ending = ask_for_near_names([domain], facts.domains)
            yield f"assign: no domain {domain} exists{ending}"
        elif facts.domains[domain].get("client") != certificate.client:
            yield f"assign: {domain} belongs to another client than {certificate.client}."


def _find_problems_of_upload(certificate: Certificate, facts: CertificateFacts) -> Iterator[str]:
    """Yield why a certificate of this name on the panel cannot be replaced."""
    pem = find_pem(facts.uploaded[certificate.name])
    if not is_ours(pem, facts.issued.get(certificate.name)):
        yield _FOREIGN.format(certificate.name)
        return

    users = [
        name
        for name, domain in facts.domains.items()
        if find_certificate_name(domain) == certificate.name
    ]
    uncovered = [name for name in sorted(users) if not covers(certificate.names, name)]
    if uncovered:
        yield (
            f"domains: {', '.join(uncovered)} uses this certificate and would not be covered "
            "any more. "
            "Give it another certificate first."
        )


def list_uploads(
    facts: CertificateFacts, problems: Mapping[str, str], foreign: Iterable[str]
) -> list[Certificate]:
    """Return the certificates that were issued and can be uploaded."""
    uploads = []
    for certificate in facts.certificates:
        is_issued = bool(facts.issued.get(certificate.name))
        is_refused = certificate.name in problems or certificate.name in foreign
        if is_issued and not is_refused:
            uploads.append(certificate)
    return uploads


# What failed in this run.


def collect_failures(
    facts: CertificateFacts, problems: Mapping[str, str], foreign: Iterable[str]
) -> dict[str, str]:
    """Return by name why a certificate failed, in the order of the certificates."""
    # What would keep one from being ordered is no failure of one that this run orders.
    ordered = facts.run.get("due") or {}
    failed = {name: text for name, text in problems.items() if name not in ordered}
    failed.update(_collect_failures_of_run(facts))
    _add_failures_of_upload(failed, facts, list_uploads(facts, problems, foreign))
    failed.update({name: _FOREIGN.format(name) for name in foreign})

    names = dict.fromkeys([*[certificate.name for certificate in facts.certificates], *failed])
    return {name: failed[name] for name in names if name in failed}


def _collect_failures_of_run(facts: CertificateFacts) -> dict[str, str]:
    """Return by name what went wrong in this run."""
    failed = _collect_failures_of_zones(facts)
    failed.update(collect_foreign_challenges(facts))
    failed.update(_collect_misfits(facts))
    failed.update(_collect_failures_after_stop(facts.run))
    failed.update(facts.run.get("failed") or {})
    return failed


def _collect_failures_of_zones(facts: CertificateFacts) -> dict[str, str]:
    """Return why the challenges of a certificate are not served."""
    ordered = facts.run.get("due") or {}
    unserved = facts.run.get("zones") or {}
    failed = {}
    for certificate in facts.certificates:
        if certificate.name not in ordered:
            continue
        zones = [facts.zones[name] for name in certificate.names]
        messages = [unserved[zone] for zone in zones if zone in unserved]
        if messages:
            failed[certificate.name] = " ".join(dict.fromkeys(messages))

    return failed


def collect_foreign_challenges(facts: CertificateFacts) -> dict[str, str]:
    """Return by name of a certificate which records the authority asks for that are not of its
    domains."""
    failed = {}
    for order in facts.run.get("orders") or ():
        zones = find_zones_of_challenges(order, facts)
        foreign = [host for host, zone in zones.items() if zone is None]
        if foreign:
            failed[order["name"]] = (
                f"the authority asks for a record at {', '.join(foreign)}, "
                f"which is of none of its domains. {Written.NOTHING_FOR_IT.value}"
            )
    return failed


def _collect_misfits(facts: CertificateFacts) -> dict[str, str]:
    """Return by name why a certificate that was fetched is not the one that was ordered."""
    fetched = facts.run.get("fetched")
    if not fetched:
        return {}
    # Here, since what the role needs is checked with this plan, and cryptography may be missing.
    from .issued import describe_misfit  # noqa: PLC0415

    wanted = {certificate.name: certificate.names for certificate in facts.certificates}
    keys = facts.kept.get("ordered") or {}
    failed = {}
    for name, pem in fetched.items():
        # The key of one that fits goes from ordered to certificates when it is kept.
        if name not in keys:
            continue
        misfit = describe_misfit(pem, keys[name], wanted[name])
        if misfit:
            failed[name] = f"{misfit} It was not uploaded."
    return failed


def _collect_failures_after_stop(run: Fields) -> dict[str, str]:
    """Return which certificates were not ordered, since the authority refused an earlier order for
    all of them."""
    if not run.get("stopped"):
        return {}
    ordered = {order["name"] for order in run.get("orders") or ()}
    ordered.update(run["failed"])
    due = run.get("due") or {}
    return {
        name: f"was not ordered after that: {run['stopped']}" for name in due if name not in ordered
    }


def _add_failures_of_upload(
    failed: dict[str, str], facts: CertificateFacts, uploads: Iterable[Certificate]
) -> None:
    """Add what was not uploaded or assigned; what failed before stays.

    Args:
        failed: By name why a certificate failed.
        facts: What the plan is made from.
        uploads: What was to be uploaded.
    """
    upload = facts.run.get("upload")
    if not upload:
        return

    reasons: list[tuple[str | None, str]] = []
    for outcome in upload.get("results") or ():
        if outcome["result"] in ("failed", "skipped"):
            name = _find_certificate_of_outcome(outcome, facts.certificates)
            message = outcome.get("msg") or "it was skipped."
            reasons.append((name, f"{outcome['kind']} {outcome['key']}: {message}"))
    # A task that ends before it writes has a message alone.
    if not upload.get("is_complete") and "results" not in upload:
        reasons += [(certificate.name, upload["msg"]) for certificate in uploads]

    for name, reason in reasons:
        if name is not None:
            failed.setdefault(name, reason)


def _find_certificate_of_outcome(
    outcome: Fields, certificates: Iterable[Certificate]
) -> str | None:
    """Return the name of the first certificate that a result of the upload is about."""
    for certificate in certificates:
        # A certificate may have the name of a domain that another one is for.
        if outcome["kind"] == "certificates":
            is_about = outcome["key"] == certificate.name
        else:
            is_about = outcome["key"] in certificate.assign
        if is_about:
            return certificate.name
    return None


def describe_failures(failed: Mapping[str, str], count: int) -> str:
    """Return why certificates failed, for people; empty if none did. count: of all certificates."""
    if not failed:
        return ""
    reasons = " ".join(f"{name}: {text}" for name, text in failed.items())
    return f"{len(failed)} of {count} certificates failed: {reasons} Run again for the rest."
