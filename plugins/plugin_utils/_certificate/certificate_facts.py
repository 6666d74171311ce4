# SPDX-License-Identifier: GPL-3.0-or-later
"""What the plan of certificates is made from: the panel, what earlier runs kept, and this run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ansible.errors import AnsibleFilterError

from ...module_utils._values.names import normalize_domain
from ...module_utils._values.pem import CERTIFICATE_LABEL, read_blocks
from ...module_utils._values.value_types import WrongValue
from .items import Certificate, covers

Fields = Mapping[str, Any]
_CHALLENGE_LABEL = "_acme-challenge."


@dataclass(frozen=True)
class CertificateFacts:
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


def list_domains_above(name: str, domains: Mapping[str, Fields]) -> list[str]:
    """Return those of the domains that a name is or is below of, the longest first."""
    labels = name.removeprefix("*.").split(".")
    candidates = [".".join(labels[start:]) for start in range(len(labels))]
    return [candidate for candidate in candidates if candidate in domains]


def _find_zone(name: str, domains: Mapping[str, Fields]) -> str | None:
    for domain in list_domains_above(name, domains):
        if not domains[domain].get("parent_domain"):
            return domain
    return None


def list_covered_domains(certificate: Certificate, facts: CertificateFacts) -> list[str]:
    """Return the domains that can use the certificate that was issued."""
    issued = facts.issued.get(certificate.name)
    if not issued:
        return []
    return [domain for domain in certificate.assign if covers(issued["names"], domain)]


def find_zones_of_challenges(order: Fields, facts: CertificateFacts) -> dict[str, str | None]:
    """Return by host of a challenge the zone that it belongs to; None if it is of none of the
    domains of its certificate."""
    (certificate,) = [item for item in facts.certificates if item.name == order["name"]]
    zones = {
        f"{_CHALLENGE_LABEL}{name.removeprefix('*.')}": facts.zones[name]
        for name in certificate.names
    }
    # An authority may write a name in other letters than it was ordered.
    return {host: zones.get(host.lower().rstrip(".")) for host in order["challenges"]}


def find_pem(item: Fields | None) -> Any:
    """Return the text of a certificate of the panel, or of one to upload; None without one."""
    components = (item or {}).get("components") or {}
    return components.get("certificate")


def find_certificate_name(domain: Fields) -> Any:
    """Return the name of the certificate that a domain uses."""
    security = domain.get("security") or {}
    return security.get("certificate")


def is_ours(pem: Any, issued: Fields | None) -> bool:
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


def check_panel(kept: Fields, panel: Fields) -> None:
    """Refuse what earlier runs kept for another panel."""
    kept_panel = kept.get("panel", panel["panel"])
    if kept_panel != panel["panel"]:
        raise AnsibleFilterError(
            "certificate_state_dir: the certificates there are those of the panel "
            f"{kept_panel}, and this panel is "
            f"{panel['panel']}. Nothing was ordered. Give each panel its own directory."
        )


def check_challenges(kept: Fields) -> None:
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
