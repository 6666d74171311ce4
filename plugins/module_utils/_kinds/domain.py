# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Domains and subdomains (interface "Domains"; facts.md section 6). Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .._schema.kind import Change, Field, Group, Kind, Needed, Reference, Taken
from .._values.dates import Day
from .._values.names import DomainName, Name
from .._values.value_types import Boolean, Choice, Integer, Text, ValueType
from .owner import owner

_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class Target(ValueType):
    """A directory below the client's www, or a URL to forward to; sent as it is written.

    Slashes around a directory have no meaning (facts.md section 6 shows both), so they do not count; an empty text is www itself.
    """

    form = "a directory below the client's www such as /shop.example.com/, or a URL"

    def parse(self, value: Any) -> str:
        if isinstance(value, (dict, list, bool)):
            raise ValueError
        return str(value).strip() or "/"

    def comparable(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return value if _URL.match(value) else "/".join(part for part in value.split("/") if part)


def _outside(domain: Mapping[str, Any], parent: str) -> str:
    return "" if domain["domain"].endswith(f".{parent}") else f"{domain['domain']} is not below {parent}."


def _above(domain: Mapping[str, Any]) -> list[str]:
    """What a domain without a parent is below of by its name; a mistake where that is another client's."""
    if domain.get("id_parent_domain", 0) != 0:
        return []
    labels = domain["domain"].split(".")
    return [".".join(labels[start:]) for start in range(1, len(labels) - 1)]


def _www_of(domain: Mapping[str, Any]) -> list[str]:
    return [f"www.{domain['domain']}"] if domain.get("create_www_subdomain") else []


def _wrong(domain: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    is_sub = domain.get("id_parent_domain", 0) != 0
    for flag in ("create_www_subdomain", "is_dns_disabled"):
        if is_sub and domain.get(flag):
            yield flag, f"is for main domains only, and {domain.get('domain')} is a subdomain; omit it."


DOMAIN = Kind(
    singular="domain",
    plural="domains",
    title="domain",
    path="/domains",
    key=(Field("domain", DomainName()),),
    rows=(
        Reference(
            "parent_domain",
            "id_parent_domain",
            collection="/domains",
            noun="domain",
            type=DomainName(),
            change=Change.IDENTITY,
            empty_is_zero=True,
            same_owner=True,
            fits=_outside,
        ),
        owner(required=True, inherit="id_parent_domain"),
        Field("php_version", Text()),
        Field("is_disabled", Boolean()),
        Field("delete_on", Day()),
        Field("dkim_selector", Text(clearable=False)),
        Field("is_email_domain", Boolean()),
        Field("is_email_sending_only", Boolean()),
        Group(
            "target",
            members=(
                Field("target", Target()),
                Field("forwarding_type", Choice(301, 302)),
            ),
            shown=("is_forwarding",),
        ),
        Group(
            "security",
            members=(
                Reference(
                    "certificate",
                    "id_certificate",
                    collection="/certificates",
                    noun="certificate",
                    type=Name(),
                    empty_is_zero=True,
                    same_owner=True,
                ),
                Field("lets_encrypt", Boolean()),
                Field("is_prefer_https", Boolean()),
                Field("is_hsts", Boolean()),
                Field("hsts_max_age", Integer()),
                Field("hsts_include", Boolean()),
                Field("hsts_preload", Boolean()),
            ),
            # The panel's form has one choice of three: none, Let's Encrypt or a certificate.
            alternatives=(("id_certificate", 0), ("lets_encrypt", False)),
        ),
        Group(
            "apache",
            members=(
                Field("http_directives", Text()),
                Field("https_directives", Text()),
            ),
        ),
        Field("create_www_subdomain", Boolean(), change=Change.AT_CREATION),
        Field(
            "is_dns_disabled",
            Boolean(),
            change=Change.AT_CREATION,
            elsewhere="Use hosting.panel.panel_dns with is_dns_disabled to switch it.",
        ),
    ),
    has_status=True,
    sorts=("id", "domain", "domain_utf8"),
    needs=(Needed("domain", "/domains", "domain", "domain", DomainName(), _above, ("id", False, ""), may_lack=True),),
    takes=(Taken("create_www_subdomain", "/domains", _www_of, "it would be created a second time"),),
    wrong=_wrong,
    is_of_site=True,
)
