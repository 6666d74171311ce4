"""A word of a mapping that the source does not have is named, and one that it has is not."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping_words import (
    find_unknown_words,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.operator_mapping import (
    read_mapping,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    Customer,
    Domain,
    FtpUser,
    Limits,
    Origin,
    Plan,
    Record,
    Source,
    Zone,
)

CUSTOMER = Customer(Origin("client", "1"), "Acme", "", Limits(), language="Klingon")
SITE = Domain(
    Origin("site", "1"), "Acme", "acme.example", folder="/var/webs/acme/shop", php="PHP 8.1"
)
SOURCE = Source(
    customers=(CUSTOMER,),
    plans=(Plan(Origin("plan", "1"), "Web S", Limits()),),
    domains=(SITE,),
    ftp_users=(FtpUser(Origin("ftp", "1"), "Acme", "acme_ftp", "/srv/acme"),),
    zones=(
        Zone(
            Origin("zone", "1"),
            "Acme",
            "acme.example",
            (Record(Origin("record", "1"), "@", "AAAA", "2001:DB8::0010", 3600),),
            is_whole=True,
        ),
    ),
    own_addresses=("192.0.2.10",),
)


@pytest.mark.parametrize(
    "mapping",
    [
        None,
        {"usernames": {"Acme": "acme"}},
        {"hosting_plans": {"Web S": "Small", "Import 1": "Large"}},
        {"php_versions": {"PHP 8.1": "8.1"}},
        {"languages": {"Klingon": "en"}},
        {"addresses": {"192.0.2.10": "203.0.113.5", "2001:db8::10": "2001:db8::20"}},
        {"paths": {"/var/webs": "/www", "/": "/files", "/srv/acme/": "/files/acme"}},
        {"mailbox_size": "5G", "skip": ["dns"]},
    ],
)
def test_a_word_of_the_source_is_known(mapping: Any) -> None:
    assert find_unknown_words(SOURCE, read_mapping(mapping)) == []


@pytest.mark.parametrize(
    ("mapping", "unknown"),
    [
        ({"usernames": {"acme": "a", "Acme": "acme"}}, ["usernames.acme"]),
        ({"hosting_plans": {"Web M": "Small", "Import 9": "Large"}},
         ["hosting_plans.Web M", "hosting_plans.Import 9"]),
        ({"php_versions": {"PHP 8.9": "8.1"}}, ["php_versions.PHP 8.9"]),
        ({"languages": {"klingon": "en"}}, ["languages.klingon"]),
        ({"addresses": {"192.0.2.11": "203.0.113.5"}}, ["addresses.192.0.2.11"]),
        ({"paths": {"/var/web": "/www"}}, ["paths./var/web"]),
    ],
)  # fmt: skip
def test_a_word_that_the_source_does_not_have_is_named(mapping: Any, unknown: list[str]) -> None:
    assert find_unknown_words(SOURCE, read_mapping(mapping)) == unknown
