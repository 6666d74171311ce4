# SPDX-License-Identifier: GPL-3.0-or-later
"""Domains, the filters of their list, their zones, and certificates (interface; facts.md sections 6 to 8). Private to the collection.

The interface names the filters and not their values. They are asked for as ``true``, and the answer is filtered here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Callable

from .._schema.kind import Change, Field, Group, Kind, reference_to
from .._task.operation import Task
from .._values.names import DomainName, Name
from .._values.value_types import Boolean, Choice, Day, Integer, Pem, Text, Word
from .client import owner

PARENT = "id_parent_domain"  # the member that says which domain a subdomain is in, and goes with
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def _normal_target(text: str) -> str:
    """Slashes around a directory have no meaning (facts.md section 6 shows both); an empty text is www itself."""
    return text if _URL.match(text) else "/".join(filter(None, text.split("/")))


# Sent as it is written.
TARGET = Word(
    "a directory below the client's www such as /shop.example.com/, or a URL", lambda text: text or "/", _normal_target
)

_SHOWN = (
    "domain_utf8", "created_at", "traffic", "dkim_record", "is_custom_dns", "is_dns_disabled", "is_subdomain", "is_system_domain",
)  # fmt: skip


def _wrong(domain: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    is_sub = domain.get(PARENT, 0) != 0
    for flag in ("create_www_subdomain", "is_dns_disabled"):
        if is_sub and domain.get(flag):
            yield flag, f"is for main domains only, and {domain.get('domain')} is a subdomain; omit it."


CERTIFICATE = Kind(
    singular="certificate",
    key=(Field("name", Name()),),
    rows=(
        owner(empty_is_zero=True, change=Change.FREE),
        Group(
            "components",
            members=(
                Field("certificate", Pem("CERTIFICATE"), required=True),
                Field("ca_certificate", Pem("CERTIFICATE", clearable=True)),
                # After the certificate, since it counts as unchanged while that is.
                Field("private_key", Pem("PRIVATE KEY"), required=True, secret=True, unchanged_with="certificate"),
            ),
            read_only=("csr",),
        ),
    ),
    renames=True,
    sorts=("id", "name"),
    shown=("secured_domains", "valid_till", "issuer"),
)

DOMAIN = Kind(
    singular="domain",
    key=(Field("domain", DomainName()),),
    rows=(
        reference_to("parent_domain", DomainName(), "domain", change=Change.IDENTITY, empty_is_zero=True),
        owner(required=True, inherit=PARENT),
        Field("php_version", Text()),
        Field("is_disabled", Boolean()),
        Field("delete_on", Day()),
        Field("dkim_selector", Text(clearable=False)),
        Field("is_email_domain", Boolean()),
        Field("is_email_sending_only", Boolean()),
        Group(
            "target",
            members=(Field("target", TARGET), Field("forwarding_type", Choice(301, 302))),
            read_only=("is_forwarding",),
        ),
        Group(
            "security",
            members=(
                reference_to("certificate", Name(), empty_is_zero=True),
                *(Field(name, Boolean()) for name in ("lets_encrypt", "is_prefer_https", "is_hsts")),
                Field("hsts_max_age", Integer()),
                *(Field(name, Boolean()) for name in ("hsts_include", "hsts_preload")),
            ),
            # The panel's form has one choice of three: none, Let's Encrypt or a certificate.
            alternatives=(("id_certificate", 0), ("lets_encrypt", False)),
        ),
        Group("apache", members=(Field("http_directives", Text()), Field("https_directives", Text()))),
        Field("create_www_subdomain", Boolean(), Change.AT_CREATION),
        Field("is_dns_disabled", Boolean(), Change.AT_CREATION),
    ),
    has_status=True,
    sorts=("id", "domain", "domain_utf8"),
    wrong=_wrong,
    shown=_SHOWN,
)

# Zones have no rows, since they are compared record by record: see ``_dns``.
ZONE = Kind(
    singular="dns",
    plural="dns",
    title="DNS zone",
    key=(Field("domain", DomainName()),),
    part_of="domains",
    shown=("is_custom_dns", "is_dns_disabled", "dkim_record", "records"),
)


_SYSTEM = "system_domains"
CLASSES = ("main_domains", "subdomains", _SYSTEM)
CLASS_OPTIONS: dict[str, dict[str, Any]] = {name: {"type": "bool"} for name in CLASSES}


def class_of(domain: Mapping[str, Any]) -> str:
    """The filter that a domain falls under; a domain that shows nothing about it is a main domain."""
    if domain.get("is_system_domain") is True:
        return _SYSTEM
    is_subdomain = domain.get("is_subdomain")
    if not isinstance(is_subdomain, bool):
        is_subdomain = domain.get(PARENT) not in (None, "", 0, "0")
    return "subdomains" if is_subdomain else "main_domains"


def class_query(params: Mapping[str, Any]) -> dict[str, str]:
    return {name: "true" for name in CLASSES if params.get(name)}


def system_domains_beside(
    listed: Iterable[Mapping[str, Any]], ask: Callable[[Mapping[str, str]], list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Those that a list may show only when it is asked for them (facts.md section 6), which it is where it shows none."""
    if any(class_of(domain) == _SYSTEM for domain in listed):
        return []
    return [one for one in ask(class_query({_SYSTEM: True})) if class_of(one) == _SYSTEM and "id" in one]


def of_wanted_classes(domains: list[dict[str, Any]], params: Mapping[str, Any], _task: Task) -> list[dict[str, Any]]:
    """Only the classes said to be true if there is one, otherwise all but those said to be false."""
    named = {name for name in CLASSES if params.get(name)}
    wanted = named or {name for name in CLASSES if params.get(name) is not False}
    return [domain for domain in domains if class_of(domain) in wanted]
