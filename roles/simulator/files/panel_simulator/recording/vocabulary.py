# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a conversation is written down as it is, as data. Everything that is not in here becomes a pseudonym."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from panel_simulator import server, zones
from panel_simulator.client_reports import PROTOCOLS, RESOURCE_LISTS
from panel_simulator.fields import Field, Members
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.hosting_plans import COUNTED
from panel_simulator.routes import ROUTES
from panel_simulator.values import Choice


def _fields(fields: Iterable[Field]) -> Iterator[Field]:
    for field in fields:
        yield field
        if isinstance(field.value, Members):
            yield from _fields(field.value.fields)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _paths(fields: Iterable[Field]) -> Iterator[str]:
    for field in fields:
        if isinstance(field.value, Members):
            yield from (
                f"{field.name}.{path}"
                for path in (*(one.name for one in field.value.fields), *_paths(field.value.fields))
            )


_FIELDS = [field for kind in KINDS.values() for field in _fields(kind.fields)]

# Names of members: those of the tables, those that answers have beside them, and those of other versions of the interface.
MEMBERS = frozenset(
    {field.name for field in _FIELDS}
    | {name for route in ROUTES for name, _form in route.query}
    | {*server.BLOCKS, *RESOURCE_LISTS, *PROTOCOLS, *COUNTED, *zones.SOA_NUMBERS, *zones.SOA_NAMES}
    | _words(
        """
        id status code message response url password password_hash password_hash_os sort order month page in out value max disk_space files traffic
        hostname ip_addresses panel_version panel_build uptime days hours minutes seconds label updates reboot_required load minute_1 minute_5
        minute_15 percent consumed_disk_space kernel web_server database port protocol is_online records soa other host ttl type is_custom_dns
        is_dns_disabled dkim_record dkim_selector dkim_txt_record email_utf8 aliases_utf8 forwardings_utf8 domain_utf8 size created_at last_login
        id_client id_plan id_hosting_plan id_parent_domain id_certificate force_https additional_settings change_personal_data confirm errors
        data items hosting_plan parent_domain certificate client components resource_limits memory disks processor virtualization time_zone
        """
    )
)

# Texts that a member may have as they are.
CHOICES: dict[str, frozenset[str]] = {
    field.name: frozenset(field.value.words) for field in _FIELDS if isinstance(field.value, Choice)
}
CHOICES["type"] |= frozenset(zones.TYPES)
CHOICES["response"] = frozenset({"pong"})
CHOICES["protocol"] = frozenset({"tcp", "udp"})
CHOICES["order"] = frozenset({"asc", "desc"})
CHOICES["sort"] = frozenset(name for kind in KINDS.values() for name in kind.sorts) | {"domain_utf8", "email_utf8"}
CHOICES["language"] = _words("ca de en es fr it hu nl no pl pt pt-BR sv tr ru ar zh-CN zh-TW")
# Texts that may stand anywhere: they are the interface's own.
TEXTS = frozenset(
    {"true", "false", "*", "@", "%", "/", zones.PLACEHOLDER, "0000-00-00", "0000-00-00 00:00:00", "##DOCROOT##"}
)

# Numbers: by member, and everywhere.
IDS = _words("id id_user id_client id_hosting_plan id_plan id_parent_domain id_certificate")
EVERYWHERE = frozenset({-1, 0, 1})
STATUSES = frozenset(range(5))
_SECONDS = (
    "2 5 10 30 60 120 300 600 900 1200 1800 3600 7200 10800 14400 21600 28800 43200 86400 172800 259200 604800 1209600 1814400 2419200 2592000"
    " 3600000 10368000 15552000 15768000 31536000 63072000"
)
DURATIONS = frozenset(map(int, _SECONDS.split()))
WITH_DURATIONS = frozenset({*zones.SOA_NUMBERS, "hsts_max_age"})
NUMBERS: dict[str, frozenset[int]] = {
    "status": STATUSES,
    "forwarding_type": frozenset({301, 302}),
    **dict.fromkeys(WITH_DURATIONS, DURATIONS),
}
SIZES = _words(
    "disk_space traffic consumed_disk_space max_size size memory_limit post_max_size upload_max_filesize in out"
)
PREFERENCES = frozenset(range(0, 101, 5))
SCHEDULE = frozenset({"minute", "hour", "day_of_month", "month", "day_of_week"})
# Members whose texts are names: words of them are found again in paths, addresses and other names.
NAMES = _words("name username database_name database_username auth_name")

# Words that are kept inside of names, hosts and paths of files.
WORDS = _words(
    """
    www files tmp localhost _domainkey _dmarc _acme-challenge _tcp _udp _mta-sts _smtp _tls spf dkim
    """
)
# Words of DNS values, and what TXT records begin with.
DNS_WORDS = frozenset({"issue", "issuewild", "iodef", "@", "."})
DNS_BEGINNINGS = ("v=spf1", "v=DKIM1", "v=DMARC1", "v=STSv1", "v=TLSRPTv1")

# What is said with a status, and in the titles of pages.
SENTENCE = MEMBERS | _words(
    """
    access account address admin administrator allowed already and api are argument array available bad be been body boolean bytes can cannot
    change changed character characters client content could create created data database date default delete deleted denied directory disabled
    does domain done down duplicate email empty enabled endpoint error exceeded exist exists expected expired failed field file for forbidden
    format found from gateway given greater has have header hosting html http https id in inactive integer internal invalid ip is it json key
    least length less limit limited list login long longer maintenance many may maximum media member message method minimum missing more most
    must name negative no not null number object of on one only or page panel parameter parent password path permission permitted php plan please
    positive primary proxy rate reached read record refused reload request requested requests required resource restart retry server service
    shorter short size sorry string subdomain successful support supported syntax system temporarily than that the this time timeout to too
    try type unauthorized unavailable unexpected unique unknown unsupported url use used user username valid value values was welcome while
    with within write wrong you your zone later again
    """
) - {"a"}

# What of a sentence stays though it has a dot or a great letter in its middle.
PATHS = frozenset(path for kind in KINDS.values() for path in _paths(kind.fields)) | {"records.soa", "records.other"}
PHRASES = [words for words in (status.phrase.split() for status in HTTPStatus) if len(words) > 1]
PHRASES.append(["Service", "Temporarily", "Unavailable"])

# HTTP.
MEDIA_TYPES = _words(
    """
    application/json application/problem+json application/xml application/yaml application/octet-stream application/x-www-form-urlencoded
    text/html text/plain text/xml text/yaml text/json */* application/* text/*
    """
)
CHARSETS = frozenset({"utf-8", "iso-8859-1", "us-ascii", "windows-1252"})
METHODS = _words("GET HEAD POST PUT PATCH DELETE OPTIONS")
PATH_WORDS = frozenset(
    word for route in ROUTES for word in route.path.strip("/").split("/") if not word.startswith("{")
)
PEM_LABELS = frozenset(
    {"CERTIFICATE", "CERTIFICATE REQUEST", "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"}
)

# An unknown member keeps its name if it is made of several of these.
NAME_PARTS = (
    {part for name in MEMBERS for part in name.split("_") if not part.isdigit()}
    | SENTENCE
    | _words(
        """
        active allocated assigned auto automatic available average backup billing build bytes cache catch certificates clients count counted current
        custom domains edited effective emails enable expires expiry external extra filter flags forced free group groups hosts info interval is
        key last locale locked logged logs main managed mode modified next new notify number old option options order owned owner per period plans
        policy position previous priority profile protocol quota renew reseller reset role root rule rules scope security shared show source spam
        start state stats step stop suspended tag tags template test text time total type unlimited updated upload used version virus
        """
    )
)
# Members that are secrets by their names: not even which of them are equal is told.
SECRET_NAME = re.compile(
    r"(?i)pass|pwd|secret|token|credential|hash|api_?key|private_?key|salt|otp|session|cookie|digest"
)


def is_kept_number(name: str, number: int) -> bool:
    """Whether a member's number is written as it is."""
    return number in EVERYWHERE or number in NUMBERS.get(name, ())


def nearest_type(content_type: str) -> str | None:
    """A Content-Type or a part of Accept as far as it is known; None where there is none, "other" for an unknown one."""
    if not content_type.strip():
        return None
    media, _semicolon, parameters = content_type.partition(";")
    known = media.strip().lower()
    if known not in MEDIA_TYPES:
        return "other"
    charset = re.search(r"charset=\"?([\w-]+)", parameters)
    return f"{known}; charset={charset[1].lower()}" if charset and charset[1].lower() in CHARSETS else known


def kept_headers(headers: Mapping[str, str]) -> dict[str, Any]:
    """Of an answer's headers, what is no data: for how long to wait, and which methods are allowed."""
    kept: dict[str, Any] = {}
    if re.fullmatch(r"\d{1,3}", headers.get("Retry-After", ""), re.ASCII):
        kept["Retry-After"] = headers["Retry-After"]
    allowed = [word.strip().upper() for word in headers.get("Allow", "").split(",")]
    if allowed != [""] and set(allowed) <= METHODS:
        kept["Allow"] = ", ".join(allowed)
    return kept
