# SPDX-License-Identifier: GPL-3.0-or-later
"""What is left to do for certificates: order, upload, assign, and why not.

The role makes the plan again after each of its steps. It holds no key, so a task can keep it as a
fact; what is uploaded has keys, and is made for the task that uploads it.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ansible.errors import AnsibleFilterError

from ...module_utils._http.repeats import LATEST_EFFECT
from ...module_utils._problems import Written
from ...module_utils._secrets.redaction import escape_control_characters
from ...module_utils._values.names import normalize_domain
from ...module_utils._values.near_names import ask_for_near_names
from ...module_utils._values.pem import CERTIFICATE_LABEL, read_blocks
from ...module_utils._values.value_types import WrongValue
from .items import Certificate, covers, read_items
from .requirements import find_missing_requirements

Fields = Mapping[str, Any]
# Seconds, for the records that an authority asks for.
_TTL = 60
_CHALLENGE_LABEL = "_acme-challenge."
_FOREIGN = (
    'the panel already has a certificate "{}" that this role did not upload. '
    "It was not overwritten. "
    "Rename it on the panel, or choose another name."
)


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
    _check_panel(kept, panel)
    _check_challenges(kept)
    facts = _Facts(certificates, panel, kept, run or {})
    problems = _collect_problems(facts)
    due = _collect_reasons_to_order(facts, problems, _Wish(directory, key_type, int(renew_days)))
    foreign = _list_foreign_certificates(facts)
    failed = _collect_failures(facts, problems, foreign)
    challenges = _collect_challenges(facts)
    is_complete = _is_complete(facts, _make_resources(facts, problems, foreign))
    result = [_make_result(certificate, facts, failed) for certificate in certificates]
    failure = _describe_failures(failed, len(result))
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
    facts = _Facts(read_items(items, []), panel, kept, {})
    return _make_resources(facts, _collect_problems(facts), foreign)


def _check_panel(kept: Fields, panel: Fields) -> None:
    """Refuse what earlier runs kept for another panel."""
    kept_panel = kept.get("panel", panel["panel"])
    if kept_panel != panel["panel"]:
        raise AnsibleFilterError(
            "certificate_state_dir: the certificates there are those of the panel "
            f"{kept_panel}, and this panel is "
            f"{panel['panel']}. Nothing was ordered. Give each panel its own directory."
        )


def _check_challenges(kept: Fields) -> None:
    """Refuse kept challenges of another form: without its value, a record stands for a whole set,
    which would be deleted.
    """
    challenges = kept.get("challenges") or {}
    if not isinstance(challenges, Mapping):
        raise _make_unreadable_challenges_error()
    for records in challenges.values():
        if not isinstance(records, Sequence) or not all(map(_is_challenge, records)):
            raise _make_unreadable_challenges_error()


def _is_challenge(record: Any) -> bool:
    """Tell whether a kept record is one that this role adds for an authority."""
    if not isinstance(record, Mapping):
        return False
    host = str(record.get("host"))
    value = record.get("value")
    if not isinstance(value, str) or not value.strip():
        return False

    return host.startswith(_CHALLENGE_LABEL) and record.get("type") == "TXT"


def _make_unreadable_challenges_error() -> AnsibleFilterError:
    return AnsibleFilterError(
        "certificate_state_dir: what is kept there of challenges is not what this role writes. "
        "Nothing was ordered or removed. Take challenges out of the file with ansible-vault edit."
    )


@dataclass(frozen=True)
class _Wish:
    """How certificates should be; one that is otherwise is due."""

    directory: str
    key_type: str
    renew_days: int


@dataclass(frozen=True)
class _Facts:
    """What the plan is made from.

    Attributes:
        certificates: Those that the role should bring to the panel.
        panel: The result of panel_resources_info.
        kept: The secrets that earlier runs kept.
        run: What this run has done so far.
    """

    certificates: list[Certificate]
    panel: Fields
    kept: Fields
    run: Fields

    @cached_property
    def issued(self) -> Fields:
        """Return by name the certificates that this role was issued, also in earlier runs."""
        return self.kept.get("certificates") or {}

    @cached_property
    def usernames(self) -> set[str]:
        """Return the usernames of all clients of the panel."""
        return {client["username"] for client in self.panel["resources"]["clients"]}

    @cached_property
    def domains(self) -> dict[str, Fields]:
        """Return the domains of the panel by name in punycode."""
        return {
            normalize_domain(domain["domain"]): domain
            for domain in self.panel["resources"]["domains"]
        }

    @cached_property
    def zones(self) -> dict[str, str | None]:
        """Return by name of a certificate the zone that it is in; None if the panel has none."""
        zones = {}
        for certificate in self.certificates:
            for name in certificate.names:
                zones[name] = _find_zone(name, self.domains)
        return zones

    @cached_property
    def uploaded(self) -> dict[str, Fields]:
        """Return the certificates of the panel by name, also those of which it shows a part
        only."""
        certificates = {item["name"]: item for item in self.panel["resources"]["certificates"]}
        for item in self.panel["left_out"]:
            if item["kind"] == "certificates" and not item.get("option"):
                certificates[item["key"]] = item
        return certificates


def _list_domains_above(name: str, domains: Mapping[str, Fields]) -> list[str]:
    """Return those of the domains that a name is or is below of, the longest first."""
    labels = name.removeprefix("*.").split(".")
    candidates = [".".join(labels[start:]) for start in range(len(labels))]
    return [candidate for candidate in candidates if candidate in domains]


def _find_zone(name: str, domains: Mapping[str, Fields]) -> str | None:
    for domain in _list_domains_above(name, domains):
        if not domains[domain].get("parent_domain"):
            return domain
    return None


def _list_covered_domains(certificate: Certificate, facts: _Facts) -> list[str]:
    """Return the domains that can use the certificate that was issued."""
    issued = facts.issued.get(certificate.name)
    if not issued:
        return []
    return [domain for domain in certificate.assign if covers(issued["names"], domain)]


def _find_pem(item: Fields | None) -> Any:
    components = (item or {}).get("components") or {}
    return components.get("certificate")


def _find_certificate_name(domain: Fields) -> Any:
    """Return the name of the certificate that a domain uses."""
    security = domain.get("security") or {}
    return security.get("certificate")


# What keeps a certificate from being ordered, whether it is due or not.


def _collect_problems(facts: _Facts) -> dict[str, str]:
    """Return by name what keeps a certificate from being ordered; none for one that can be."""
    problems = {}
    for certificate in facts.certificates:
        sentences = list(_find_problems(certificate, facts))
        if sentences:
            problems[certificate.name] = " ".join(sentences)
    return problems


def _find_problems(certificate: Certificate, facts: _Facts) -> Iterator[str]:
    if certificate.client not in facts.usernames:
        ending = ask_for_near_names([certificate.client], facts.usernames)
        yield f"client: no client {certificate.client} exists{ending}"
    yield from _find_problems_of_names(certificate, facts)
    yield from _find_problems_of_assignment(certificate, facts)
    if certificate.name in facts.uploaded:
        yield from _find_problems_of_upload(certificate, facts)


def _find_problems_of_names(certificate: Certificate, facts: _Facts) -> Iterator[str]:
    """Yield which names are not in a zone of the client."""
    for name in certificate.names:
        if facts.zones[name] is None:
            ending = ask_for_near_names([name.removeprefix("*.")], facts.domains)
            yield f"domains: {name} is in no zone of this panel{ending}"
            continue

        closest = _list_domains_above(name, facts.domains)[0]
        if facts.domains[closest].get("client") != certificate.client:
            yield f"domains: {closest} belongs to another client than {certificate.client}."


def _find_problems_of_assignment(certificate: Certificate, facts: _Facts) -> Iterator[str]:
    """Yield which domains cannot use it."""
    for domain in certificate.assign:
        if domain not in facts.domains:
            ending = ask_for_near_names([domain], facts.domains)
            yield f"assign: no domain {domain} exists{ending}"
        elif facts.domains[domain].get("client") != certificate.client:
            yield f"assign: {domain} belongs to another client than {certificate.client}."


def _find_problems_of_upload(certificate: Certificate, facts: _Facts) -> Iterator[str]:
    """Yield why a certificate of this name on the panel cannot be replaced."""
    pem = _find_pem(facts.uploaded[certificate.name])
    if not _is_ours(pem, facts.issued.get(certificate.name)):
        yield _FOREIGN.format(certificate.name)
        return

    users = [
        name
        for name, domain in facts.domains.items()
        if _find_certificate_name(domain) == certificate.name
    ]
    uncovered = [name for name in sorted(users) if not covers(certificate.names, name)]
    if uncovered:
        yield (
            f"domains: {', '.join(uncovered)} uses this certificate and would not be covered "
            "any more. "
            "Give it another certificate first."
        )


def _is_ours(pem: Any, issued: Fields | None) -> bool:
    """Return whether the role was issued this certificate, now or before it was renewed."""
    if not issued:
        return False
    candidates = [issued["certificate"], *(issued.get("replaced") or ())]
    return compute_fingerprint(pem) in map(compute_fingerprint, candidates)


def compute_fingerprint(pem: Any) -> str:
    """Return the checksum of the first certificate in a text; empty if there is none."""
    try:
        blocks = read_blocks(str(pem))
        certificates = [block for block in blocks if block.label == CERTIFICATE_LABEL]
    except WrongValue:
        return ""
    if not certificates:
        return ""
    return hashlib.sha256(certificates[0].content).hexdigest()


# The keys of the result.


def _collect_reasons_to_order(
    facts: _Facts, problems: Mapping[str, str], wish: _Wish
) -> dict[str, str]:
    """Return by name why a certificate is ordered."""
    due = {}
    for certificate in facts.certificates:
        reason = _find_reason_to_order(certificate, facts.issued.get(certificate.name), wish)
        if reason and certificate.name not in problems:
            due[certificate.name] = reason
    return due


def _find_reason_to_order(certificate: Certificate, issued: Fields | None, wish: _Wish) -> str:
    if not issued:
        return "there is none yet"

    added = sorted(set(certificate.names) - set(issued["names"]))
    removed = sorted(set(issued["names"]) - set(certificate.names))
    if added or removed:
        changes = [f"+{name}" for name in added] + [f"-{name}" for name in removed]
        return f"its names change: {' '.join(changes)}"
    if issued["key_type"] != wish.key_type:
        return f"its key is {issued['key_type']} and not {wish.key_type}"
    if issued["directory"] != wish.directory:
        return f"it is of {issued['directory']}"

    now = datetime.datetime.now(datetime.timezone.utc)
    remaining = datetime.datetime.fromisoformat(issued["not_after"]) - now
    if remaining <= datetime.timedelta(days=wish.renew_days):
        return f"it expires on {issued['not_after'][:10]}"
    return ""


def _list_foreign_certificates(facts: _Facts) -> list[str]:
    """Return the names of certificates that appeared on the panel during the run, and are not of
    the role."""
    names = set(facts.run.get("foreign") or ())
    for action in facts.run.get("actions") or ():
        is_update = action["kind"] == "certificates" and action["action"] == "update"
        if not is_update or not _find_pem(action.get("after")):
            continue
        if not _is_ours(_find_pem(action.get("before")), facts.issued[action["key"]]):
            names.add(action["key"])
    return sorted(names)


def _collect_failures(
    facts: _Facts, problems: Mapping[str, str], foreign: Iterable[str]
) -> dict[str, str]:
    """Return by name why a certificate failed, in the order of the certificates."""
    # What would keep one from being ordered is no failure of one that this run orders.
    ordered = facts.run.get("due") or {}
    failed = {name: text for name, text in problems.items() if name not in ordered}
    failed.update(_collect_failures_of_run(facts))
    _add_failures_of_upload(failed, facts, _list_uploads(facts, problems, foreign))
    failed.update({name: _FOREIGN.format(name) for name in foreign})

    names = dict.fromkeys([*[certificate.name for certificate in facts.certificates], *failed])
    return {name: failed[name] for name in names if name in failed}


def _collect_failures_of_run(facts: _Facts) -> dict[str, str]:
    """Return by name what went wrong in this run."""
    failed = _collect_failures_of_zones(facts)
    failed.update(_collect_foreign_challenges(facts))
    failed.update(_collect_misfits(facts))
    failed.update(_collect_failures_after_stop(facts.run))
    failed.update(facts.run.get("failed") or {})
    return failed


def _add_failures_of_upload(
    failed: dict[str, str], facts: _Facts, uploads: Iterable[Certificate]
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


def _collect_failures_of_zones(facts: _Facts) -> dict[str, str]:
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


def _collect_foreign_challenges(facts: _Facts) -> dict[str, str]:
    """Return by name of a certificate which records the authority asks for that are not of its
    domains."""
    failed = {}
    for order in facts.run.get("orders") or ():
        zones = _find_zones_of_challenges(order, facts)
        foreign = [host for host, zone in zones.items() if zone is None]
        if foreign:
            failed[order["name"]] = (
                f"the authority asks for a record at {', '.join(foreign)}, "
                f"which is of none of its domains. {Written.NOTHING_FOR_IT.value}"
            )
    return failed


def _find_zones_of_challenges(order: Fields, facts: _Facts) -> dict[str, str | None]:
    """Return by host of a challenge the zone that it belongs to; None if it is of none of the
    domains of its certificate."""
    (certificate,) = [wish for wish in facts.certificates if wish.name == order["name"]]
    zones = {
        f"{_CHALLENGE_LABEL}{name.removeprefix('*.')}": facts.zones[name]
        for name in certificate.names
    }
    # An authority may write a name in other letters than it was ordered.
    return {host: zones.get(host.lower().rstrip(".")) for host in order["challenges"]}


def _collect_misfits(facts: _Facts) -> dict[str, str]:
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


def _collect_challenges(facts: _Facts) -> dict[str, list[dict[str, Any]]]:
    """Return by zone the records that the authority asks for, and those that earlier runs left."""
    remaining = facts.kept.get("challenges") or {}
    challenges = {zone: list(records) for zone, records in remaining.items()}
    foreign = _collect_foreign_challenges(facts)
    for order in facts.run.get("orders") or ():
        if order["name"] in foreign:
            continue
        zones = _find_zones_of_challenges(order, facts)
        for host, values in order["challenges"].items():
            records = challenges.setdefault(str(zones[host]), [])
            name = host.lower().rstrip(".")
            for value in values:
                record = {"host": f"{name}.", "type": "TXT", "ttl": _TTL, "value": value}
                if record not in records:
                    records.append(record)

    return challenges


def _count_seconds_to_wait(facts: _Facts) -> int:
    """Return how long no challenge counts as removed: one that was written without an answer may
    still come (docs/panel_api.md#late-writes).
    """
    if not facts.kept.get("challenges"):
        return 0
    # Empty if the panel answered each write. Without it, this run or one before it may have ended
    # while it wrote.
    was_answered = facts.run.get("zones") == {}

    return 0 if was_answered else LATEST_EFFECT


def _list_uploads(
    facts: _Facts, problems: Mapping[str, str], foreign: Iterable[str]
) -> list[Certificate]:
    """Return the certificates that were issued and can be uploaded."""
    uploads = []
    for certificate in facts.certificates:
        is_issued = bool(facts.issued.get(certificate.name))
        is_refused = certificate.name in problems or certificate.name in foreign
        if is_issued and not is_refused:
            uploads.append(certificate)
    return uploads


def _make_resources(
    facts: _Facts, problems: Mapping[str, str], foreign: Iterable[str]
) -> dict[str, list[dict[str, Any]]]:
    """Return what was issued and can be uploaded, and the domains that it covers."""
    certificates = []
    domains = []
    for certificate in _list_uploads(facts, problems, foreign):
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
            for domain in _list_covered_domains(certificate, facts)
        ]

    return {"certificates": certificates, "domains": domains}


def _is_complete(facts: _Facts, resources: Mapping[str, list[dict[str, Any]]]) -> bool:
    """Return whether the panel has all resources already."""
    for item in resources["certificates"]:
        uploaded = facts.uploaded.get(item["name"]) or {}
        if uploaded.get("client") != item["client"]:
            return False
        if compute_fingerprint(_find_pem(uploaded)) != compute_fingerprint(_find_pem(item)):
            return False
    return all(_is_assigned(item, facts) for item in resources["domains"])


def _is_assigned(item: Fields, facts: _Facts) -> bool:
    """Return whether a domain uses its certificate already."""
    domain = facts.domains[item["domain"]]
    return bool(_find_certificate_name(domain) == _find_certificate_name(item))


def _make_result(
    certificate: Certificate, facts: _Facts, failed: Mapping[str, str]
) -> dict[str, Any]:
    """Return what the role reports of a certificate."""
    not_after = None
    if certificate.name in facts.issued:
        not_after = facts.issued[certificate.name]["not_after"]
    assigned: list[str] = []
    if certificate.name not in failed:
        assigned = _list_covered_domains(certificate, facts)
    return {
        "name": certificate.name,
        "domains": certificate.names,
        "not_after": not_after,
        "renewed": certificate.name in (facts.run.get("issued") or ()),
        "assigned": assigned,
    }


def _describe_failures(failed: Mapping[str, str], count: int) -> str:
    """Return why certificates failed, for people; empty if none did. count: of all certificates."""
    if not failed:
        return ""
    reasons = " ".join(f"{name}: {text}" for name, text in failed.items())
    return f"{len(failed)} of {count} certificates failed: {reasons} Run again for the rest."


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
