# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds words of a mapping that the source does not have, so that a mistyped one is noticed. Pure.

A word counts as known wherever the source has it, also if the mapping has answered its question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from .._import_source.source_shape import Source
from .naming.own_addresses import read_address
from .operator_mapping import OperatorMapping


def find_unknown_words(source: Source, mapping: OperatorMapping) -> list[str]:
    """Return each entry that is about nothing of the source, as its part and its word.

    Args:
        source: What the other panel says, of all customers.
        mapping: The decisions of the operator.
    """
    unknown = []
    for section, list_words in _WORDS.items():
        entries: Mapping[str, str] = getattr(mapping, section)
        if entries:
            existing = set(list_words(source))
            unknown += [f"{section}.{name}" for name in entries if name not in existing]
    if mapping.paths:
        folders = set(_list_folders(source))
        unknown += [f"paths.{prefix}" for prefix in mapping.paths if prefix not in folders]
    return unknown


def _list_usernames(source: Source) -> Iterator[str]:
    return (customer.username for customer in source.customers)


def _list_plans(source: Source) -> Iterator[str]:
    """Yield the names of plans, and those that own limits of customers may get."""
    for plan in source.plans:
        yield plan.name
    # Numbers that a plan of the source has already are passed over.
    for number in range(1, len(source.customers) + len(source.plans) + 1):
        yield f"Import {number}"


def _list_php_versions(source: Source) -> Iterator[str]:
    return (site.php for site in source.domains)


def _list_languages(source: Source) -> Iterator[str]:
    return (customer.language for customer in source.customers)


def _list_addresses(source: Source) -> Iterator[str]:
    """Yield the addresses of the server, of sites and of records in normal form."""
    texts = list(source.own_addresses)
    for site in source.domains:
        texts += site.addresses
    for zone in source.zones:
        texts += [record.value for record in zone.records]
    for text in texts:
        address = read_address(text)
        if address is not None:
            yield address


_WORDS: Mapping[str, Callable[[Source], Iterable[str]]] = {
    "usernames": _list_usernames,
    "hosting_plans": _list_plans,
    "php_versions": _list_php_versions,
    "languages": _list_languages,
    "addresses": _list_addresses,
}


def _list_folders(source: Source) -> Iterator[str]:
    """Yield each directory of the source with all directories above it."""
    paths = [site.folder for site in source.domains]
    paths += [user.folder for user in source.ftp_users]
    paths += [user.folder for user in source.protection_users]
    for customer in source.customers:
        paths += [prefix.source for prefix in customer.paths]
    for path in filter(None, dict.fromkeys(paths)):
        folder = ""
        yield "/"
        for step in path.split("/"):
            if step not in ("", "."):
                folder = f"{folder}/{step}"
                yield folder
