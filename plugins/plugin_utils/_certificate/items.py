# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificates that the variables of the role certificate describe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...module_utils._values.names import compose_letters, normalize_domain

_WILDCARD = "*."
_REQUIRED = frozenset({"name", "client", "domains"})


class Certificate(NamedTuple):
    """A certificate that the role should bring to the panel.

    Attributes:
        name: As on the panel.
        client: The username of the owner.
        names: The domain names that it is for, in punycode, perhaps with wildcards.
        assign: The domains of the panel that should use it, in punycode.
    """

    name: str
    client: str
    names: list[str]
    assign: list[str]


def read_items(items: Any, mistakes: list[str]) -> list[Certificate]:
    """Read the certificates; the specification of the role reports wrong types itself.

    Args:
        items: The variable ``certificate_items``.
        mistakes: Gets a sentence for each thing that is wrong.
    """
    if not isinstance(items, list):
        return []

    certificates: dict[str, Certificate] = {}
    # By domain the certificate that is assigned to it first.
    users: dict[str, str] = {}
    for item in items:
        if not isinstance(item, Mapping) or not item.keys() >= _REQUIRED:
            continue
        certificate = _read_item(item, mistakes)
        where = f"certificate_items: {certificate.name}"
        if certificate.name in certificates:
            mistakes.append(
                f"{where}: the name is there twice. Give each certificate its own name."
            )
        if item["domains"] == []:
            mistakes.append(f"{where}: domains is empty. Name at least one domain.")
        mistakes += _find_mistakes_in_assignment(certificate, users)
        for domain in certificate.assign:
            users.setdefault(domain, certificate.name)
        certificates[certificate.name] = certificate

    return list(certificates.values())


def _find_mistakes_in_assignment(
    certificate: Certificate, users: Mapping[str, str]
) -> Iterator[str]:
    """Yield which domains cannot be assigned.

    Args:
        certificate: The one that they should use.
        users: By domain the certificate of an earlier item.
    """
    where = f"certificate_items: {certificate.name}: assign"
    for domain in certificate.assign:
        first_user = users.get(domain, certificate.name)
        if first_user != certificate.name:
            yield f"{where}: {domain} is assigned to {first_user} too."
        # Without a name that could be read, the mistake is in domains.
        if certificate.names and not covers(certificate.names, domain):
            yield f"{where}: {domain} is not covered by domains. Add it there."


def _read_item(item: Mapping[str, Any], mistakes: list[str]) -> Certificate:
    name = compose_letters(str(item["name"]))
    option = f"certificate_items: {name}: domains"
    names = _read_names(item.get("domains"), option, mistakes, allows_wildcards=True)
    option = f"certificate_items: {name}: assign"
    assign = _read_names(item.get("assign"), option, mistakes, allows_wildcards=False)
    return Certificate(name, str(item["client"]), names, assign)


def _read_names(
    texts: Any, option: str, mistakes: list[str], *, allows_wildcards: bool
) -> list[str]:
    """Return the domain names in punycode, sorted, each once."""
    if not isinstance(texts, list):
        return []

    names = set()
    for text in texts:
        star = ""
        domain = str(text)
        if allows_wildcards and domain.startswith(_WILDCARD):
            star = _WILDCARD
            domain = domain.removeprefix(_WILDCARD)
        try:
            names.add(star + normalize_domain(domain))
        except ValueError:
            mistakes.append(f"{option}: {text!r} is not a domain name such as shop.example.com.")

    return sorted(names)


def covers(names: Iterable[str], domain: str) -> bool:
    """Return whether a certificate for these names is valid for the domain."""
    parent = domain.partition(".")[2]
    return domain in names or f"{_WILDCARD}{parent}" in names
