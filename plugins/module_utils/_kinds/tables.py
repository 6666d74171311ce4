# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of all kinds of objects, the client that an object belongs to, and the classes of
domains. Private to the collection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Callable

from .._schema.kind import OWNER, Change, Field, Group, Kind, Password, Reference, declare_reference
from .._values.answer_forms import (
    NUMBER,
    STRICT_TEXT,
    SWITCH,
    TEXT,
    TEXTS,
    Fields,
    ListOf,
    declare_numbers,
)
from .._values.days import Day
from .._values.names import (
    REMOTE_HOST,
    Directory,
    DomainName,
    EmailAddress,
    ForwardingAddress,
    MailboxAddress,
    Name,
    is_visible,
)
from .._values.pem import Pem
from .._values.sizes import ByteSize
from .._values.value_types import Boolean, Choice, Integer, SetOf, Text, Word

# Hosting plans, clients and admins, whose fields are known from
# docs/panel_api.md#fields-of-hosting-plans and docs/panel_api.md#fields-of-accounts

ACCOUNT_NAME = Name(
    "a name, not empty and without blanks around it or invisible characters", is_visible
)
# The panel refuses upper case (docs/panel_api.md#user-names), so it is a mistake and never
# another client.
CLIENT_NAME = Name(
    "the name of a client, not empty and without upper case, blanks around it or invisible characters",
    lambda name: is_visible(name) and name == name.lower(),
)


def declare_owner(change: Change = Change.IDENTITY, **further: Any) -> Reference:
    """The options client and id_user, which docs/panel_api.md#owners describes.

    change: another owner is another object, except for certificates, whose owner can change.
    empty_is_zero: whether the server itself may own it, which the API writes as 0.
    """
    return declare_reference("client", CLIENT_NAME, name=OWNER, change=change, **further)


_COUNTED = (
    "domains", "subdomains", "email_accounts", "email_addresses", "email_forwardings", "databases", "ftp_users", "scheduled_tasks",
)  # fmt: skip
_PERMISSIONS = (
    "ftp", "php", "perl", "ssh", "backup", "panel_access", "domain_security", "certificate_management", "file_manager", "dns_editor",
    "database_remote_access", "email_catchall", "update_contact_data", "delete_main_domain", "applications", "ssh_jail",
)  # fmt: skip
_PHP_NEEDED = ("memory_limit", "post_max_size", "upload_max_filesize", "open_basedir")
_PHP_TEXTS = (
    "disable_functions",
    "env_variables",
    "extra_directives_immutable",
    "extra_directives_mutable",
)
_SPARE = ("min_spare_servers", "max_spare_servers")


def _wrong_plan(plan: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    pool = plan.get("php_fpm")
    if isinstance(pool, Mapping) and pool.get("pm") == "dynamic":
        for name in _SPARE:
            if pool.get(name) is None:
                yield f"php_fpm.{name}", "needed with php_fpm.pm: dynamic."
        least, most = (pool.get(name) for name in _SPARE)
        if isinstance(least, int) and isinstance(most, int) and least > most:
            yield (
                "php_fpm.max_spare_servers",
                f"{most} is less than min_spare_servers, which is {least}.",
            )


PLAN = Kind(
    singular="plan",
    title="hosting plan",
    path="/hosting-plans",
    key=(Field("name", Name()),),
    fields=(
        Group(
            "resources",
            fields=(
                Field("disk_space", ByteSize(least=1)),
                Field("traffic", ByteSize(least=0)),
                *(Field(name, Integer(unlimited=True)) for name in _COUNTED),
            ),
        ),
        Group("permissions", fields=tuple(Field(name, Boolean()) for name in _PERMISSIONS)),
        Group(
            "php",
            fields=(
                *(Field(name, Text(clearable=False)) for name in _PHP_NEEDED),
                Field("max_execution_time", Integer(most=2147483647)),
                *(Field(name, Text()) for name in _PHP_TEXTS),
                Field("sendmail_from", EmailAddress(clearable=True)),
            ),
        ),
        Group(
            "php_fpm",
            fields=(
                Field("pm", Choice("static", "ondemand", "dynamic")),
                Field("max_children", Integer(least=1)),
                Field("max_requests", Integer()),
                *(
                    Field(name, Integer(1, clearable=True), only_with=("pm", "dynamic"))
                    for name in _SPARE
                ),
                Field("status", Boolean()),
                Field("status_ip_restriction", Text(empty_is_null=True)),
            ),
        ),
    ),
    is_renamable=True,
    sorts=("id", "name"),
    wrong=_wrong_plan,
)

# A client has other names for the groups of a plan (docs/panel_api.md#copied-features).
_COPIED_FEATURES = {
    "resources": "resource_limits",
    "permissions": "permissions",
    "php": "php",
    "php_fpm": "php_fpm",
}
_PLAN_OF_CLIENT = declare_reference(
    "hosting_plan", Name(), copies=_COPIED_FEATURES, reapply="reapply_plan"
)
# Whether the client's limits, permissions and PHP settings are the plan's, which is all that assigning a plan copies.
has_features_of = _PLAN_OF_CLIENT.has_copies_of


def _wrong_client(client: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    # The panel needs an address to send the data to (docs/panel_api.md#login-data). A generated
    # password is enough, so the password is not checked.
    if client.get("send_login_credentials") and not client.get("email"):
        yield "send_login_credentials", "needs email, the address that they are sent to."


_CONTACT = (
    "first_name", "last_name", "company", "telephone", "address", "city", "zip", "state", "country", "client_id",
)  # fmt: skip

CLIENT = Kind(
    singular="client",
    key=(Field("username", CLIENT_NAME),),
    fields=(
        Field("email", EmailAddress(clearable=True)),
        Field("language", Text(clearable=False)),
        Field("notes", Text()),
        _PLAN_OF_CLIENT,
        Field("is_suspended", Boolean()),
        Field("suspend_on", Day()),
        Field("delete_on", Day()),
        *(
            Field(name, Boolean(), Change.AT_CREATION)
            for name in ("send_login_credentials", "create_system_domain")
        ),
        Field("skeleton", Text(), Change.AT_CREATION),
        Group(
            "contact_data", fields=tuple(Field(name, Text()) for name in _CONTACT), clearable=True
        ),
    ),
    has_status=True,
    password=Password(hash_os=True),
    sorts=("id", "username"),
    wrong=_wrong_client,
    read_only={
        "created_at": STRICT_TEXT,
        **{own: PLAN.field_by_option[name].answer_form for name, own in _COPIED_FEATURES.items()},
    },
)

ADMIN = Kind(
    singular="admin",
    key=(Field("username", ACCOUNT_NAME),),
    fields=(
        # The panel decides whether it needs one (docs/panel_api.md#address-of-an-admin).
        Field("email", EmailAddress()),
        # An empty one never is what the panel stores: it takes its default language instead.
        Field("language", Text(clearable=False)),
        Field("is_main_admin", Boolean()),
    ),
    password=Password(),
    sorts=("id", "username"),
    keep_last="is_main_admin",
)

# Certificates, domains and their zones

PARENT = "id_parent_domain"  # the member that says which domain a subdomain is in, and goes with
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def _normal_target(text: str) -> str:
    """Slashes around a directory have no meaning (docs/panel_api.md#target-directories); an empty
    text is www itself."""
    return text if _URL.match(text) else "/".join(filter(None, text.split("/")))


# Sent as it is written.
TARGET = Word(
    "a directory below the client's www such as /shop.example.com/, or a URL",
    lambda text: text or "/",
    _normal_target,
)

_SHOWN_OF_DOMAINS = {
    "domain_utf8": TEXT, "created_at": STRICT_TEXT, "traffic": NUMBER, "dkim_record": STRICT_TEXT, "is_custom_dns": SWITCH, "is_dns_disabled": SWITCH,
    "is_subdomain": SWITCH, "is_system_domain": SWITCH,
}  # fmt: skip


def _wrong_domain(domain: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    is_sub = domain.get(PARENT, 0) != 0
    for flag in ("create_www_subdomain", "is_dns_disabled"):
        if is_sub and domain.get(flag):
            yield (
                flag,
                f"is for main domains only, and {domain.get('domain')} is a subdomain; omit it.",
            )


# The parts are those of docs/panel_api.md#fields-of-certificates.
CERTIFICATE = Kind(
    singular="certificate",
    key=(Field("name", Name()),),
    fields=(
        declare_owner(empty_is_zero=True, change=Change.FREE),
        Group(
            "components",
            fields=(
                Field("certificate", Pem("CERTIFICATE"), required=True),
                Field("ca_certificate", Pem("CERTIFICATE", clearable=True)),
                # After the certificate, since it counts as unchanged while that is.
                Field(
                    "private_key",
                    Pem("PRIVATE KEY"),
                    required=True,
                    secret=True,
                    unchanged_with="certificate",
                ),
            ),
            read_only=("csr",),
        ),
    ),
    is_renamable=True,
    sorts=("id", "name"),
    read_only={"secured_domains": TEXTS, "valid_till": STRICT_TEXT, "issuer": TEXT},
)

# The fields are those of docs/panel_api.md#fields-of-domains.
DOMAIN = Kind(
    singular="domain",
    key=(Field("domain", DomainName()),),
    fields=(
        declare_reference(
            "parent_domain", DomainName(), "domain", change=Change.IDENTITY, empty_is_zero=True
        ),
        declare_owner(required=True, inherit=PARENT),
        Field("php_version", Text()),
        Field("is_disabled", Boolean()),
        Field("delete_on", Day()),
        Field("dkim_selector", Text(clearable=False)),
        Field("is_email_domain", Boolean()),
        Field("is_email_sending_only", Boolean()),
        Group(
            "target",
            fields=(Field("target", TARGET), Field("forwarding_type", Choice(301, 302))),
            read_only=("is_forwarding",),
        ),
        Group(
            "security",
            fields=(
                declare_reference("certificate", Name(), empty_is_zero=True),
                *(
                    Field(name, Boolean())
                    for name in ("lets_encrypt", "is_prefer_https", "is_hsts")
                ),
                Field("hsts_max_age", Integer()),
                *(Field(name, Boolean()) for name in ("hsts_include", "hsts_preload")),
            ),
            # One excludes the other (docs/panel_api.md#certificate-choice).
            alternatives=(("id_certificate", 0), ("lets_encrypt", False)),
        ),
        Group(
            "apache", fields=(Field("http_directives", Text()), Field("https_directives", Text()))
        ),
        Field("create_www_subdomain", Boolean(), Change.AT_CREATION),
        Field("is_dns_disabled", Boolean(), Change.AT_CREATION),
    ),
    has_status=True,
    sorts=("id", "domain", "domain_utf8"),
    wrong=_wrong_domain,
    read_only=_SHOWN_OF_DOMAINS,
)

_RECORD = Fields({"host": TEXT, "type": TEXT, "value": TEXT, **declare_numbers("ttl")})
_SOA = Fields(
    {
        "primary_ns": TEXT,
        "rname": TEXT,
        **declare_numbers("ttl", "refresh", "retry", "expire", "minimum"),
    }
)

# Zones have no rows, since they are compared record by record: see ``_dns``.
ZONE = Kind(
    singular="dns",
    plural="dns",
    title="DNS zone",
    key=(Field("domain", DomainName()),),
    part_of="domains",
    read_only={
        "is_custom_dns": SWITCH,
        "is_dns_disabled": SWITCH,
        "dkim_record": STRICT_TEXT,
        # A zone whose records cannot be read is never one without records.
        "records": Fields({"soa": _SOA, "other": ListOf(_RECORD)}, is_strict=True),
    },
)

# What else a client has, whose fields are known from docs/panel_api.md#fields-of-other-types


def _wrong_mailbox(account: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    # A panel may not repeat the address of an account that is asked for by its id, nor show a list.
    address, aliases = account.get("email"), account.get("aliases")
    if isinstance(aliases, list) and address in aliases:
        yield "aliases", f"{address} is the address of the mailbox itself."


# The fields are those of docs/panel_api.md#fields-of-mailboxes.
EMAIL = Kind(
    singular="email",
    title="mailbox",
    key=(Field("email", MailboxAddress()),),
    fields=(
        declare_owner(inherit="email"),
        Field("description", Text()),
        # The panel decides whether it accepts -1 (docs/panel_api.md#size-of-a-mailbox).
        Field("max_size", ByteSize(least=1)),
        Field("catch_all", Boolean()),
        Field("store_forwarded_emails", Boolean()),
        Field("aliases", SetOf(MailboxAddress())),
        Field("forwardings", SetOf(ForwardingAddress())),
    ),
    has_status=True,
    password=Password(),
    sorts=("id", "email", "email_utf8"),
    addresses=("email", "aliases"),
    wrong=_wrong_mailbox,
    read_only={
        "email_utf8": TEXT,
        "size": NUMBER,
        "aliases_utf8": TEXTS,
        "forwardings_utf8": TEXTS,
    },
)

DATABASE = Kind(
    singular="database",
    key=(Field("database_name", Name()),),
    fields=(
        declare_owner(required=True),
        # It is never left to the panel, since every client that is known to work sends it
        # (docs/panel_api.md#fields-of-other-types).
        Field("database_username", Name(), change=Change.IDENTITY, default_from="database_name"),
        Field("description", Text()),
        Field("remote_hosts", SetOf(REMOTE_HOST)),
    ),
    by_name=False,
    has_scheme=True,
    password=Password(),
    sorts=("id", "database_name", "database_username"),
    read_only={"size": NUMBER},
)

FTP_USER = Kind(
    singular="ftp_user",
    title="FTP user",
    key=(Field("username", Name()),),
    fields=(
        declare_owner(required=True),
        Field("description", Text()),
        Field("home_directory", Directory("/www/shop")),
    ),
    by_name=False,
    has_scheme=True,
    is_inferred=True,
    has_status=True,
    password=Password(),
)

# The web server's file of users has a colon after each name.
_USER = Name("a string that is not empty and has no colon", lambda name: ":" not in name)


def _read_exception(line: str) -> str:
    if not line:
        raise ValueError
    return line


_EXCEPTION = Word("a string that is not empty", _read_exception, str.strip)

DIRECTORY_PROTECTION = Kind(
    singular="directory_protection",
    # Each user of a directory is a separate object, which the panel may accept twice
    # (docs/panel_api.md#duplicates).
    key=(
        declare_owner(),
        Field("path", Directory("/shop/admin, or / for all of it")),
        Field("username", _USER),
    ),
    fields=(Field("auth_name", Text()), Field("exceptions", SetOf(_EXCEPTION))),
    by_name=False,
    is_inferred=True,
    is_unique=False,
    has_status=True,
    password=Password(),
)

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
# A step goes through a range; behind a single number no cron takes one.
_OF_ANOTHER_CRON = re.compile(r"(?!\w+$)[\w*/,@#?~-]+", re.ASCII)
_PART = re.compile(r"(?:\*|(\w+)-(\w+))(?:/[1-9]\d*)?|(\w+)", re.ASCII)


class CronField(Word):
    """One column of a cron table, as cron takes it. Zeros in front and upper case have no meaning."""

    is_text = False

    def __init__(self, least: int, most: int, names: tuple[str, ...] = ()) -> None:
        or_names = f" or {names[0]} to {names[-1]}" if names else ""
        form = f"a field of a cron table with numbers from {least} to {most}{or_names}, such as {most}, */2, 2-4 or *"
        super().__init__(form, self._checked, _normal_field)
        self._numbers = {str(number): number for number in range(least, most + 1)}
        self._numbers.update({name: number for number, name in enumerate(names, least)})

    def may_be_stored(self, value: Any) -> bool:
        """Another cron may take other steps and names; left out of an export, the task would be made to run at other times."""
        return isinstance(value, str) and bool(_OF_ANOTHER_CRON.fullmatch(value))

    def _checked(self, text: str) -> str:
        for part in _normal_field(text).split(","):
            match = _PART.fullmatch(part)
            ends = (
                [self._numbers.get(word, -1) for word in match.groups() if word is not None]
                if match
                else [-1]
            )
            if -1 in ends or ends != sorted(ends):
                raise ValueError
        return _without_blanks(text)


def _normal_field(text: str) -> str:
    return re.sub(r"(?<!\d)0+(?=\d)", "", _without_blanks(text.strip())).lower()


def _without_blanks(text: str) -> str:
    """Returns a field without the blanks around its commas."""
    first, *others = text.split(",")
    if not others:
        return text
    *middle, last = others
    return ",".join([first.rstrip(), *(part.strip() for part in middle), last.lstrip()])


SCHEDULED_TASK = Kind(
    singular="scheduled_task",
    # The panel has no name for a task; the description is what operators tell them apart by.
    key=(declare_owner(empty_is_zero=True), Field("description", Name())),
    fields=(
        Field("type", Choice("exec", "php", "http"), required=True),
        Field("command", Text(clearable=False), required=True),
        Field("php_interpreter", Text(empty_is_null=True)),
        Group(
            "schedule",
            fields=(
                Field("minute", CronField(0, 59)),
                Field("hour", CronField(0, 23)),
                Field("day_of_month", CronField(1, 31)),
                Field("month", CronField(1, 12, _MONTHS)),
                Field("day_of_week", CronField(0, 7, _DAYS)),
            ),
        ),
        Field("is_enabled", Boolean()),
    ),
    by_name=False,
    is_inferred=True,
    is_unique=False,
    has_status=True,
)

# An object comes after those that it can name.
IN_ORDER = (
    PLAN, ADMIN, CLIENT, CERTIFICATE, DOMAIN, ZONE, EMAIL, DATABASE, FTP_USER, DIRECTORY_PROTECTION, SCHEDULED_TASK,
)  # fmt: skip


# The answer is filtered too, since the values of the filters are unknown and ``true`` is assumed
# (docs/panel_api.md#domain-filters).

_SYSTEM = "system_domains"
CLASSES = ("main_domains", "subdomains", _SYSTEM)
CLASS_OPTIONS: dict[str, dict[str, Any]] = {name: {"type": "bool"} for name in CLASSES}


def classify_domain(domain: Mapping[str, Any]) -> str:
    """The filter that a domain falls under; a domain that shows nothing about it is a main domain."""
    if domain.get("is_system_domain") is True:
        return _SYSTEM
    is_subdomain = domain.get("is_subdomain")
    if not isinstance(is_subdomain, bool):
        is_subdomain = domain.get(PARENT) not in (None, "", 0, "0")
    return "subdomains" if is_subdomain else "main_domains"


def build_class_query(params: Mapping[str, Any]) -> dict[str, str]:
    return {name: "true" for name in CLASSES if params.get(name)}


def find_hidden_system_domains(
    listed: Iterable[Mapping[str, Any]], ask: Callable[[Mapping[str, str]], list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """The system domains of a panel that shows them only if it is asked for them, unlike
    docs/panel_api.md#system-domains."""
    if any(classify_domain(domain) == _SYSTEM for domain in listed):
        return []
    return [
        one
        for one in ask(build_class_query({_SYSTEM: True}))
        if classify_domain(one) == _SYSTEM and "id" in one
    ]


def filter_by_class(
    domains: list[dict[str, Any]], params: Mapping[str, Any], _task: object
) -> list[dict[str, Any]]:
    """Only the classes said to be true if there is one, otherwise all but those said to be false."""
    named = {name for name in CLASSES if params.get(name)}
    wanted = named or {name for name in CLASSES if params.get(name) is not False}
    return [domain for domain in domains if classify_domain(domain) in wanted]
