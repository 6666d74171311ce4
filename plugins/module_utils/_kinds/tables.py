# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of all kinds of objects, the client that an object belongs to, and the classes of
domains.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Callable

from .._schema.copying_reference import CopyingReference
from .._schema.field_paths import Path
from .._schema.fields import OWNER, Field, Mutability, Reference, declare_reference
from .._schema.groups import Group
from .._schema.kind import Kind, ObjectRules, PanelTraits
from .._schema.password_options import Password
from .._values.answer_forms import (
    NUMBER,
    STRICT_TEXT,
    SWITCH,
    TEXT,
    TEXTS,
    DictionaryOf,
    ListOf,
    declare_numbers,
)
from .._values.cron import CronField
from .._values.days import Day
from .._values.names import (
    REMOTE_HOST,
    AliasAddress,
    Directory,
    DomainName,
    EmailAddress,
    ForwardingAddress,
    MailboxAddress,
    Name,
    ObjectName,
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
    "the name of a client, not empty and without upper case, blanks around it or invisible "
    "characters",
    lambda name: is_visible(name) and name == name.lower(),
)


def declare_owner(change: Mutability = Mutability.IDENTITY, **further: Any) -> Reference:
    """Return the options client and id_user, which docs/panel_api.md#owners describes.

    Args:
        change: Another owner is another object, except for certificates, whose owner can change.
        further: Other attributes of the reference; ``empty_is_zero`` says that the server itself
            may own it, which the API writes as 0.
    """
    return declare_reference("client", CLIENT_NAME, name=OWNER, change=change, **further)


_COUNTED = (
    "domains", "subdomains", "email_accounts", "email_addresses", "email_forwardings", "databases",
    "ftp_users", "scheduled_tasks",
)  # fmt: skip
_PERMISSIONS = (
    "ftp", "php", "perl", "ssh", "backup", "panel_access", "domain_security",
    "certificate_management", "file_manager", "dns_editor", "database_remote_access",
    "email_catchall", "update_contact_data", "delete_main_domain", "applications", "ssh_jail",
)  # fmt: skip
_PHP_NEEDED = ("memory_limit", "post_max_size", "upload_max_filesize", "open_basedir")
_PHP_TEXTS = (
    "disable_functions",
    "env_variables",
    "extra_directives_immutable",
    "extra_directives_mutable",
)
_SPARE = ("min_spare_servers", "max_spare_servers")


def _find_contradictions_of_plan(plan: Mapping[str, Any]) -> Iterable[tuple[Path, str]]:
    pool = plan.get("php_fpm")
    if not isinstance(pool, Mapping) or pool.get("pm") != "dynamic":
        return

    for name in _SPARE:
        if pool.get(name) is None:
            yield ("php_fpm", name), "needed with php_fpm.pm: dynamic."
    least = pool.get("min_spare_servers")
    most = pool.get("max_spare_servers")
    if isinstance(least, int) and isinstance(most, int) and least > most:
        cause = f"{most} is less than min_spare_servers, which is {least}."
        yield ("php_fpm", "max_spare_servers"), cause


PLAN = Kind(
    singular="plan",
    title="hosting plan",
    path="/hosting-plans",
    key=(Field("name", ObjectName()),),
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
    traits=PanelTraits(sorts=("id", "name")),
    rules=ObjectRules(find_contradictions=_find_contradictions_of_plan),
)

# A client has other names for the groups of a plan (docs/panel_api.md#copied-features).
_COPIED_FEATURES = {
    "resources": "resource_limits",
    "permissions": "permissions",
    "php": "php",
    "php_fpm": "php_fpm",
}
_PLAN_OF_CLIENT = CopyingReference(
    "id_hosting_plan",
    ObjectName(),
    option="hosting_plan",
    kind_path="/hosting-plans",
    noun="hosting plan",
    copies=_COPIED_FEATURES,
    reapply="reapply_plan",
)
# Whether the client's limits, permissions and PHP settings are the plan's, which is all that
# assigning a plan copies.
has_features_of = _PLAN_OF_CLIENT.has_copies_of


def _find_contradictions_of_client(client: Mapping[str, Any]) -> Iterable[tuple[Path, str]]:
    # The panel needs an address to send the data to (docs/panel_api.md#login-data). A generated
    # password is enough, so the password is not checked.
    if client.get("send_login_credentials") and not client.get("email"):
        yield ("send_login_credentials",), "needs email, the address that they are sent to."


_CONTACT = (
    "first_name", "last_name", "company", "telephone", "address", "city", "zip", "state", "country",
    "client_id",
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
            Field(name, Boolean(), Mutability.AT_CREATION)
            for name in ("send_login_credentials", "create_system_domain")
        ),
        Field("skeleton", Text(), Mutability.AT_CREATION),
        Group(
            "contact_data", fields=tuple(Field(name, Text()) for name in _CONTACT), clearable=True
        ),
    ),
    password=Password(hash_os=True),
    traits=PanelTraits(has_status=True, sorts=("id", "username")),
    rules=ObjectRules(find_contradictions=_find_contradictions_of_client),
    read_only={
        "created_at": STRICT_TEXT,
        **{copy: PLAN.field_by_option[name].answer_form for name, copy in _COPIED_FEATURES.items()},
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
    traits=PanelTraits(sorts=("id", "username")),
    rules=ObjectRules(keep_last="is_main_admin"),
)

# Certificates, domains and their zones

PARENT = "id_parent_domain"  # the field that says which domain a subdomain is in, and goes with
_URL_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def _read_target(text: str) -> str:
    return text or "/"


def _normalize_target(text: str) -> str:
    """Return a directory without the slashes around it, which have no meaning
    (docs/panel_api.md#target-directories); an empty text is www itself."""
    if _URL_SCHEME.match(text):
        return text
    return "/".join(filter(None, text.split("/")))


# Sent as it is written.
TARGET = Word(
    "a directory below the client's www such as /shop.example.com/, or a URL",
    _read_target,
    _normalize_target,
)

_READ_ONLY_OF_DOMAINS = {
    "domain_utf8": TEXT,
    "created_at": STRICT_TEXT,
    "traffic": NUMBER,
    "dkim_record": STRICT_TEXT,
    "is_custom_dns": SWITCH,
    "is_dns_disabled": SWITCH,
    "is_subdomain": SWITCH,
    "is_system_domain": SWITCH,
}


def _find_contradictions_of_domain(domain: Mapping[str, Any]) -> Iterable[tuple[Path, str]]:
    if domain.get(PARENT, 0) == 0:
        return

    cause = f"is for main domains only, and {domain.get('domain')} is a subdomain; omit it."
    for flag in ("create_www_subdomain", "is_dns_disabled"):
        if domain.get(flag):
            yield (flag,), cause


# The parts are those of docs/panel_api.md#fields-of-certificates.
CERTIFICATE = Kind(
    singular="certificate",
    key=(Field("name", ObjectName()),),
    fields=(
        declare_owner(empty_is_zero=True, change=Mutability.FREE),
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
    traits=PanelTraits(sorts=("id", "name")),
    read_only={"secured_domains": TEXTS, "valid_till": STRICT_TEXT, "issuer": TEXT},
)

# The fields are those of docs/panel_api.md#fields-of-domains.
DOMAIN = Kind(
    singular="domain",
    key=(Field("domain", DomainName()),),
    fields=(
        declare_reference(
            "parent_domain", DomainName(), "domain", change=Mutability.IDENTITY, empty_is_zero=True
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
                declare_reference("certificate", ObjectName(), empty_is_zero=True),
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
        Field("create_www_subdomain", Boolean(), Mutability.AT_CREATION),
        Field("is_dns_disabled", Boolean(), Mutability.AT_CREATION),
    ),
    traits=PanelTraits(has_status=True, sorts=("id", "domain", "domain_utf8")),
    rules=ObjectRules(find_contradictions=_find_contradictions_of_domain),
    read_only=_READ_ONLY_OF_DOMAINS,
)

_RECORD_FORM = DictionaryOf({"host": TEXT, "type": TEXT, "value": TEXT, **declare_numbers("ttl")})
_SOA_FORM = DictionaryOf(
    {
        "primary_ns": TEXT,
        "rname": TEXT,
        **declare_numbers("ttl", "refresh", "retry", "expire", "minimum"),
    }
)

# Zones have no fields, since they are compared record by record: see ``_dns``.
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
        "records": DictionaryOf(
            {"soa": _SOA_FORM, "other": ListOf(_RECORD_FORM, is_strict=True)}, is_strict=True
        ),
    },
)

# What else a client has, whose fields are known from docs/panel_api.md#fields-of-other-types


def _find_contradictions_of_mailbox(account: Mapping[str, Any]) -> Iterable[tuple[Path, str]]:
    # A panel may not repeat the address of an account that is asked for by its id, nor show a list.
    address, aliases = account.get("email"), account.get("aliases")
    if isinstance(aliases, list) and address in aliases:
        yield ("aliases",), f"{address} is the address of the mailbox itself."


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
        Field("aliases", SetOf(AliasAddress())),
        Field("forwardings", SetOf(ForwardingAddress())),
    ),
    password=Password(),
    traits=PanelTraits(has_status=True, sorts=("id", "email", "email_utf8")),
    rules=ObjectRules(
        addresses=("email", "aliases"), find_contradictions=_find_contradictions_of_mailbox
    ),
    read_only={
        "email_utf8": TEXT,
        "size": NUMBER,
        "aliases_utf8": TEXTS,
        "forwardings_utf8": TEXTS,
    },
)

DATABASE = Kind(
    singular="database",
    key=(Field("database_name", ObjectName()),),
    fields=(
        declare_owner(required=True),
        # It is never left to the panel, since every client that is known to work sends it
        # (docs/panel_api.md#fields-of-other-types).
        Field(
            "database_username",
            ObjectName(),
            change=Mutability.IDENTITY,
            default_from="database_name",
        ),
        Field("description", Text()),
        Field("remote_hosts", SetOf(REMOTE_HOST)),
    ),
    password=Password(),
    traits=PanelTraits(
        by_name=False, has_scheme=True, sorts=("id", "database_name", "database_username")
    ),
    read_only={"size": NUMBER},
)

FTP_USER = Kind(
    singular="ftp_user",
    title="FTP user",
    key=(Field("username", ObjectName()),),
    fields=(
        declare_owner(required=True),
        Field("description", Text()),
        Field("home_directory", Directory("/www/shop")),
    ),
    password=Password(),
    traits=PanelTraits(by_name=False, is_inferred=True, has_scheme=True, has_status=True),
)

# The web server's file of users has a colon after each name.
_USER = ObjectName("a string that is not empty and has no colon", lambda name: ":" not in name)


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
    password=Password(),
    traits=PanelTraits(by_name=False, is_inferred=True, is_unique=False, has_status=True),
)

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")

SCHEDULED_TASK = Kind(
    singular="scheduled_task",
    # The panel has no name for a task; the description is what operators tell them apart by. It is a
    # text of people, which a customer may have written with any sign, and which is moved as it is.
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
    traits=PanelTraits(by_name=False, is_inferred=True, is_unique=False, has_status=True),
)

# An object comes after those that it can name.
IN_ORDER = (
    PLAN, ADMIN, CLIENT, CERTIFICATE, DOMAIN, ZONE, EMAIL, DATABASE, FTP_USER,
    DIRECTORY_PROTECTION, SCHEDULED_TASK,
)  # fmt: skip


# The answer is filtered too, since the values of the filters are unknown and ``true`` is assumed
# (docs/panel_api.md#domain-filters).

_SYSTEM = "system_domains"
CLASSES = ("main_domains", "subdomains", _SYSTEM)
CLASS_OPTIONS: dict[str, dict[str, Any]] = {name: {"type": "bool"} for name in CLASSES}


def classify_domain(domain: Mapping[str, Any]) -> str:
    """Return the filter that a domain falls under; a domain that shows nothing about it is a main
    domain.
    """
    if domain.get("is_system_domain") is True:
        return _SYSTEM

    is_subdomain = domain.get("is_subdomain")
    if not isinstance(is_subdomain, bool):
        is_subdomain = domain.get(PARENT) not in (None, "", 0, "0")
    return "subdomains" if is_subdomain else "main_domains"


def build_class_query(params: Mapping[str, Any]) -> dict[str, str]:
    """Return the query parameters of the classes that a task asks for."""
    return {name: "true" for name in CLASSES if params.get(name)}


def find_hidden_system_domains(
    listed: Iterable[Mapping[str, Any]], ask: Callable[[Mapping[str, str]], list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Return the system domains of a panel that shows them only if it is asked for them, unlike
    docs/panel_api.md#system-domains.

    Args:
        listed: The domains of the usual list.
        ask: Asks for the list with query parameters.
    """
    if any(classify_domain(domain) == _SYSTEM for domain in listed):
        return []

    domains = ask(build_class_query({_SYSTEM: True}))
    return [domain for domain in domains if classify_domain(domain) == _SYSTEM and "id" in domain]


def filter_by_class(
    domains: list[dict[str, Any]], params: Mapping[str, Any], _task: object
) -> list[dict[str, Any]]:
    """Return the domains of the classes that are true if there is one, else of all classes but
    those that are false.
    """
    classes = {name for name in CLASSES if params.get(name)}
    if not classes:
        classes = {name for name in CLASSES if params.get(name) is not False}
    return [domain for domain in domains if classify_domain(domain) in classes]
