# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes tables of froxlor's database out of the answers of its API, which show most of them.

The listings are rows of these tables with additions. What they lack are hashes of mailboxes, codes
of redirects, and aliases of domains that are gone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..source_answers import Answers
from ..source_tables import (
    MOST_ROWS,
    Row,
    SourceError,
    TableForm,
    Tables,
    check_columns,
    format_value,
)

_LIMITS = (
    "diskspace",
    "traffic",
    "subdomains",
    "email_accounts",
    "email_forwarders",
    "mysqls",
    "ftps",
)
_CONTACT = ("name", "firstname", "company", "street", "zipcode", "city", "phone", "customernumber")

FROXLOR_FORMS = (
    TableForm(
        "panel_customers", "customerid",
        ("loginname", "password", "adminid", "email", "def_language", "documentroot",
         "standardsubdomain", "deactivated", *_CONTACT, *_LIMITS),
        ("phpenabled", "custom_notes", "fax", "gender", "emails", "email_quota", "perlenabled",
         "allowed_phpconfigs", "type_2fa", "gui_access", "leprivatekey"),
    ),
    TableForm(
        "panel_admins", "adminid", ("loginname", "name"), ("change_serversettings",),
        title="account",
    ),
    TableForm("panel_plans", "id", ("name", "value"), may_lack=True),
    TableForm(
        "panel_domains", "id",
        ("domain", "customerid", "aliasdomain", "documentroot", "isbinddomain", "isemaildomain",
         "email_only", "iswildcarddomain", "wwwserveralias", "parentdomainid", "deactivated",
         "phpsettingid"),
        ("domain_ace", "phpenabled", "letsencrypt", "openbasedir", "openbasedir_path",
         "ssl_redirect", "specialsettings", "ssl_specialsettings", "include_specialsettings",
         "hsts", "hsts_sub", "hsts_preload", "ocsp_stapling", "http2", "http3", "notryfiles",
         "speciallogfile", "writeaccesslog", "writeerrorlog", "override_tls", "ssl_enabled",
         "mod_fcgid_starter", "mod_fcgid_maxrequests", "description", "registration_date",
         "termination_date", "zonefile", "dkim", "dkim_id", "dkim_privkey"),
    ),
    TableForm("panel_domaintoip", "id_domain", ("id_ipandports",)),
    TableForm("panel_ipsandports", "id", ("ip",)),
    TableForm("panel_phpconfigs", "id", ("description",)),
    TableForm("domain_redirect_codes", "did", ("rid",), may_lack=True),
    TableForm("redirect_codes", "id", ("code",), may_lack=True),
    TableForm(
        "domain_ssl_settings", "id", ("domainid", "ssl_cert_file", "ssl_key_file"),
        ("ssl_ca_file", "ssl_cert_chainfile"),
    ),
    TableForm(
        "domain_dns_entries", "id", ("domain_id", "record", "type", "content", "ttl", "prio"),
        may_lack=True,
        title="DNS record",
    ),
    TableForm(
        "mail_virtual", "id",
        ("email", "email_full", "destination", "domainid", "customerid", "popaccountid",
         "iscatchall"),
        ("description", "spam_tag_level", "rewrite_subject", "spam_kill_level", "bypass_spam",
         "policy_greylist"),
    ),
    TableForm(
        "mail_users", "id",
        ("email", "username", "password_enc", "customerid", "quota", "postfix"),
        ("imap", "pop3"),
    ),
    TableForm(
        "mail_sender_aliases", "id", ("email", "allowed_sender"), may_lack=True,
        title="other sender",
    ),
    TableForm("panel_databases", "id", ("customerid", "databasename"), ("description", "dbserver")),
    TableForm(
        "ftp_users", "id", ("username", "password", "homedir", "login_enabled", "customerid"),
        ("shell", "description"),
    ),
    TableForm(
        "panel_htpasswds", "id", ("customerid", "path", "username", "password"), ("authname",)
    ),
    TableForm(
        "panel_htaccess", "id", ("customerid", "path"), title="options of a directory"
    ),
    TableForm(
        "panel_sshkeys",
        "id",
        ("customerid",),
        ("description", "ftp_user_id"),
        may_lack=True,
        title="SSH key",
    ),
    TableForm(
        "mysql_user", "User", ("Host", "authentication_string"), may_lack=True,
        title="database user",
    ),
)  # fmt: skip
"""The tables of froxlor's database that the reader uses; mysql_user is the table of the server."""

FORMS_BY_TABLE = {form.name: form for form in FROXLOR_FORMS}

_TABLES_OF_LISTINGS = {
    "Admins.listing": "panel_admins",
    "Certificates.listing": "domain_ssl_settings",
    "Customers.listing": "panel_customers",
    "DirOptions.listing": "panel_htaccess",
    "DirProtections.listing": "panel_htpasswds",
    "Ftps.listing": "ftp_users",
    "HostingPlans.listing": "panel_plans",
    "IpsAndPorts.listing": "panel_ipsandports",
    "Mysqls.listing": "panel_databases",
    "PhpSettings.listing": "panel_phpconfigs",
    "SshKeys.listing": "panel_sshkeys",
}
DOMAIN_LISTINGS = ("Domains.listing", "SubDomains.listing")
MAIL_LISTING = "Emails.listing"
ZONE_LISTING = "DomainZones.listing"
SENDER_LISTING = "EmailSender.listing"
FROXLOR_LISTINGS = (*_TABLES_OF_LISTINGS, *DOMAIN_LISTINGS, MAIL_LISTING)
"""Functions that a source has to answer once; ZONE_LISTING comes once for each zone in addition."""

_NUMBER = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)

Entry = Mapping[str, Any]


def read_froxlor_answers(answers: Answers) -> Tables:
    """Return the tables that the answers of the API show.

    Raises:
        SourceError: An answer is missing, refused, or of another version.
    """
    rows: dict[str, list[Row]] = {}
    for function, table in _TABLES_OF_LISTINGS.items():
        entries = _list_entries(answers, function)
        _check_form(FORMS_BY_TABLE[table], entries, f"{answers.location}: {function}")
        rows[table] = [_make_row(table, entry) for entry in entries]

    domains = _list_domains(answers)
    rows["panel_domains"] = [_make_domain(entry, domains) for entry in domains]
    rows["panel_domaintoip"] = [row for entry in domains for row in _make_addresses(entry)]

    addresses = _list_entries(answers, MAIL_LISTING)
    _check_form(FORMS_BY_TABLE["mail_virtual"], addresses, f"{answers.location}: {MAIL_LISTING}")
    rows["mail_virtual"] = [_make_row("mail_virtual", entry) for entry in addresses]
    rows["mail_users"] = [_make_mailbox(entry) for entry in addresses if _has_mailbox(entry)]
    rows["mail_sender_aliases"] = _list_senders(answers)
    rows["domain_dns_entries"] = _list_records(answers, rows)
    return Tables(rows, answers.location)


def _list_entries(answers: Answers, function: str) -> list[Entry]:
    """Return the entries of a listing."""
    return unwrap_listing(answers.get_body(function), f"{answers.location}: {function}")


def unwrap_listing(body: Any, location: str) -> list[Entry]:
    """Return the entries of an answer in any of its envelopes.

    Args:
        body: `{data: {count, list}}`, `{count, list}` or the list itself.
        location: What messages call it.

    Raises:
        SourceError: The panel refused the request, or the answer is something else.
    """
    content = body
    if isinstance(content, dict) and "data" in content:
        content = content["data"]
    if isinstance(content, dict) and "list" in content:
        content = content["list"]
        # PHP writes a list with gaps in its numbers as a dictionary.
        if isinstance(content, dict):
            content = list(content.values())
    if not isinstance(content, list):
        raise SourceError(location, f"this is no list of froxlor's API{_explain_refusal(body)}.")
    if len(content) > MOST_ROWS:
        raise SourceError(location, f"the answer has more than {MOST_ROWS:,} entries.")
    return [entry if isinstance(entry, dict) else {} for entry in content]


def _explain_refusal(body: Any) -> str:
    """Return what the panel said in place of a list."""
    if not isinstance(body, dict):
        return ""
    message = body.get("message") or body.get("status_message")
    if not isinstance(message, str):
        return ""
    printable = "".join(sign if sign.isprintable() else " " for sign in message)
    return f", which answered: {printable[:200].rstrip('.')}"


def _check_form(form: TableForm, entries: Sequence[Entry], location: str) -> None:
    """Check that entries have the columns that the reader needs, where there are any."""
    columns = {column for entry in entries for column in entry}
    if columns:
        check_columns(form, sorted(columns), location)


def _make_row(table: str, entry: Entry) -> Row:
    """Return the columns of an entry that the reader uses."""
    return {
        column: _format_column(entry[column])
        for column in FORMS_BY_TABLE[table].list_columns()
        if column in entry
    }


def _format_column(value: Any) -> str | None:
    """Return a value of JSON as a column shows it."""
    if isinstance(value, (dict, list)):
        return json.dumps(value)
    return format_value(value)


def _list_domains(answers: Answers) -> list[Entry]:
    """Return each domain once, although SubDomains.listing has the main ones too."""
    entries: dict[str | None, Entry] = {}
    strange: list[Entry] = []
    for function in DOMAIN_LISTINGS:
        listed = _list_entries(answers, function)
        _check_form(FORMS_BY_TABLE["panel_domains"], listed, f"{answers.location}: {function}")
        for entry in listed:
            if entry.get("id") is None:
                strange.append(entry)
            else:
                entries.setdefault(_format_column(entry["id"]), entry)
    return [*entries.values(), *strange]


def _make_domain(entry: Entry, domains: Iterable[Entry]) -> Row:
    """Return the row of a domain: listings name the target of an alias, the table has its id."""
    row = dict(_make_row("panel_domains", entry))
    target = entry.get("aliasdomain")
    if "aliasdomainid" in entry:
        target = entry["aliasdomainid"]
    elif isinstance(target, str) and not target.isdigit():
        ids = [domain.get("id") for domain in domains if domain.get("domain") == target]
        target = next(iter(ids), target)
    row["aliasdomain"] = _format_column(target)
    return row


def _make_addresses(entry: Entry) -> list[Row]:
    """Return the rows that join a domain to its addresses."""
    addresses = entry.get("ipsandports")
    if not isinstance(addresses, list):
        return []
    return [
        {
            "id_domain": _format_column(entry.get("id")),
            "id_ipandports": _format_column(item.get("id")),
        }
        for item in addresses
        if isinstance(item, dict)
    ]


def _has_mailbox(entry: Entry) -> bool:
    """Tell whether an address has a mailbox that exists."""
    account = _format_column(entry.get("popaccountid"))
    return account not in {None, "", "0"} and entry.get("quota") is not None


def _make_mailbox(entry: Entry) -> Row:
    """Return the row of a mailbox, as far as the listing of addresses shows it."""
    row = {
        column: _format_column(entry[column])
        for column in ("customerid", "quota", "imap", "pop3", "postfix")
        if column in entry
    }
    row["id"] = _format_column(entry.get("popaccountid"))
    row["email"] = _format_column(entry.get("email_full"))
    return row


def _list_senders(answers: Answers) -> list[Row]:
    """Return other senders that mailboxes may use, which each address has a listing of."""
    rows: dict[str | None, Row] = {}
    for name in answers.list_names():
        if SENDER_LISTING not in name:
            continue
        for listing in _find_sender_listings(answers.get_body(name)):
            for entry in unwrap_listing(listing, f"{answers.location}: {name}"):
                row = _make_row("mail_sender_aliases", entry)
                rows.setdefault(row.get("id"), row)
    return list(rows.values())


def _find_sender_listings(body: Any) -> list[Any]:
    """Return the listings of a file: one, or those of many addresses by id."""
    if not isinstance(body, dict):
        return [body]
    listings = [
        item["sender"] for item in body.values() if isinstance(item, dict) and "sender" in item
    ]
    if listings or all(str(key).isdigit() for key in body):
        return listings
    return [body]


def _list_records(answers: Answers, rows: Mapping[str, Sequence[Row]]) -> list[Row]:
    """Return the customers' own records, which come by zone.

    Raises:
        SourceError: The listing of a zone is missing or refused.
    """
    names = [name for name in answers.list_names() if name == ZONE_LISTING]
    if not names:
        zones = _list_zones(rows)
        names = [f"{ZONE_LISTING}.{domain_id}" for domain_id in zones]
        names += [
            name
            for name in answers.list_names()
            if name.startswith(f"{ZONE_LISTING}.") and name not in names
        ]
    records: list[Row] = []
    for name in names:
        entries = _list_entries(answers, name)
        _check_form(FORMS_BY_TABLE["domain_dns_entries"], entries, f"{answers.location}: {name}")
        records += [_make_row("domain_dns_entries", entry) for entry in entries]
    return records


def _list_zones(rows: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the ids of main domains of customers that the source serves a zone for."""
    customers = {row.get("customerid") for row in rows["panel_customers"]}
    return [
        str(row["id"])
        for row in rows["panel_domains"]
        if row.get("id")
        and row.get("isbinddomain") == "1"
        and row.get("parentdomainid") in {"0", None}
        and row.get("customerid") in customers
    ]


def list_zones(answers: Answers) -> list[str]:
    """Return the ids of the domains whose own records ZONE_LISTING shows, one at a time.

    Raises:
        SourceError: The answers of customers or domains are none.
    """
    customers = _list_entries(answers, "Customers.listing")
    domains = [_make_row("panel_domains", entry) for entry in _list_domains(answers)]
    rows = {
        "panel_customers": [_make_row("panel_customers", entry) for entry in customers],
        "panel_domains": domains,
    }
    return [number for number in _list_zones(rows) if _NUMBER.fullmatch(number)]


def list_mailboxes(answers: Answers) -> list[str]:
    """Return the ids of the addresses whose senders SENDER_LISTING shows, one at a time.

    Raises:
        SourceError: The answer of addresses is none.
    """
    addresses = _list_entries(answers, MAIL_LISTING)
    numbers = [str(entry.get("id")) for entry in addresses if _has_mailbox(entry)]
    return [number for number in numbers if _NUMBER.fullmatch(number)]
