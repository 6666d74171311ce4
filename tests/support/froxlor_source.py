# SPDX-License-Identifier: GPL-3.0-or-later
"""A froxlor of our own: rows from which both a dump and the answers of its API are made.

Columns and functions are named as froxlor names them. The customers are a mill with everything, an
office of a reseller that is deactivated, a harbour without limits, and objects of somebody who is
gone.
"""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Rows = dict[str, list[Row]]

# The columns that the research knows, with what is in a row that nobody has changed.
COLUMNS: dict[str, Row] = {
    "panel_admins": {"adminid": 0, "loginname": "", "password": "", "name": "", "email": "",
        "change_serversettings": 0, "customers_see_all": 0},
    "panel_customers": {"customerid": 0, "loginname": "", "password": "", "adminid": 1, "name": "",
        "firstname": "", "gender": 0, "company": "", "street": "", "zipcode": "", "city": "",
        "phone": "", "fax": "", "email": "", "customernumber": "", "def_language": "de",
        "diskspace": 1048576, "mysqls": 5, "emails": -1, "email_accounts": 5, "email_forwarders": 5,
        "email_quota": -1, "ftps": 5, "subdomains": 5, "traffic": 10485760, "documentroot": "",
        "standardsubdomain": 0, "guid": 10000, "deactivated": 0, "phpenabled": 1, "pop3": 1,
        "imap": 1, "perlenabled": 0, "dnsenabled": 1, "custom_notes": None, "leprivatekey": None,
        "allowed_phpconfigs": "[]", "type_2fa": 0, "data_2fa": "", "gui_access": 1},
    "panel_plans": {"id": 0, "adminid": 1, "name": "", "description": "", "value": "{}", "ts": 0},
    "panel_domains": {"id": 0, "domain": "", "domain_ace": "", "adminid": 1, "customerid": 0,
        "aliasdomain": None, "documentroot": "", "isbinddomain": 0, "isemaildomain": 0,
        "email_only": 0, "iswildcarddomain": 0, "subcanemaildomain": 0, "caneditdomain": 1,
        "zonefile": "", "dkim": 0, "dkim_id": 0, "dkim_privkey": "", "dkim_pubkey": "",
        "wwwserveralias": 0, "parentdomainid": 0, "phpenabled": 1, "openbasedir": 1,
        "openbasedir_path": 0, "speciallogfile": 0, "ssl_redirect": 0, "specialsettings": "",
        "ssl_specialsettings": "", "include_specialsettings": 0, "deactivated": 0,
        "bindserial": "2026010100", "add_date": 0, "registration_date": None,
        "termination_date": None, "phpsettingid": 1, "mod_fcgid_starter": -1,
        "mod_fcgid_maxrequests": -1, "letsencrypt": 0, "hsts": "0", "hsts_sub": 0,
        "hsts_preload": 0, "ocsp_stapling": 0, "http2": 0, "http3": 0, "notryfiles": 0,
        "writeaccesslog": 1, "writeerrorlog": 1, "override_tls": 0, "ssl_enabled": 1,
        "description": ""},
    "panel_domaintoip": {"id_domain": 0, "id_ipandports": 0},
    "panel_ipsandports": {"id": 0, "ip": "", "port": 80, "ssl": 0},
    "panel_phpconfigs": {"id": 0, "description": "", "binary": "/usr/bin/php-cgi"},
    "domain_redirect_codes": {"rid": 0, "did": 0},
    "redirect_codes": {"id": 0, "code": "", "desc": "", "enabled": 1},
    "domain_ssl_settings": {"id": 0, "domainid": 0, "ssl_cert_file": "", "ssl_key_file": "",
        "ssl_ca_file": "", "ssl_cert_chainfile": "", "ssl_csr_file": ""},
    "domain_dns_entries": {"id": 0, "domain_id": 0, "record": "@", "type": "A", "content": "",
        "ttl": 18000, "prio": 0},
    "mail_virtual": {"id": 0, "email": "", "email_full": "", "destination": "", "domainid": 0,
        "customerid": 0, "popaccountid": 0, "iscatchall": 0, "description": "",
        "spam_tag_level": 7.0, "rewrite_subject": 1, "spam_kill_level": 14.0, "bypass_spam": 0,
        "policy_greylist": 1},
    "mail_users": {"id": 0, "email": "", "username": "", "password": "", "password_enc": "",
        "homedir": "/mail/", "postfix": "Y", "domainid": 0, "customerid": 0, "quota": 0, "pop3": 1,
        "imap": 1},
    "mail_sender_aliases": {"id": 0, "email": "", "allowed_sender": ""},
    "panel_databases": {"id": 0, "customerid": 0, "databasename": "", "description": "",
        "dbserver": 0},
    "ftp_users": {"id": 0, "username": "", "uid": 10000, "gid": 10000, "password": "",
        "homedir": "", "shell": "/bin/false", "login_enabled": "Y", "customerid": 0,
        "description": ""},
    "panel_htpasswds": {"id": 0, "customerid": 0, "path": "", "username": "", "password": "",
        "authname": ""},
    "panel_htaccess": {"id": 0, "customerid": 0, "path": "", "options_indexes": 0,
        "error404path": "", "options_cgi": 0},
    "panel_sshkeys": {"id": 0, "customerid": 0, "ftp_user_id": 0, "ssh_pubkey": "",
        "description": ""},
}  # fmt: skip
FUNCTIONS = (
    "Admins.listing", "Certificates.listing", "Customers.listing", "DirOptions.listing",
    "DirProtections.listing", "DomainZones.listing", "Domains.listing", "EmailSender.listing",
    "Emails.listing", "Ftps.listing", "HostingPlans.listing", "IpsAndPorts.listing",
    "Mysqls.listing", "PhpSettings.listing", "SshKeys.listing", "SubDomains.listing",
)  # fmt: skip
_PLAIN_LISTINGS = {
    "Admins.listing": "panel_admins",
    "Customers.listing": "panel_customers",
    "HostingPlans.listing": "panel_plans",
    "IpsAndPorts.listing": "panel_ipsandports",
    "PhpSettings.listing": "panel_phpconfigs",
}
_LISTINGS_OF_CUSTOMERS = {
    "DirOptions.listing": "panel_htaccess",
    "DirProtections.listing": "panel_htpasswds",
    "Ftps.listing": "ftp_users",
    "Mysqls.listing": "panel_databases",
    "SshKeys.listing": "panel_sshkeys",
}
_HOMES = "/srv/customers/webs"
BCRYPT = "$2y$10$" + "a" * 53
_LETTERS = {"xn--mhle-0ra.example": "mühle.example"}
_ESCAPES = {"\\": "\\\\", "'": "\\'", '"': '\\"', "\n": "\\n", "\0": "\\0"}


def make_row(table: str, **values: Any) -> Row:
    """Return a row with all columns of its table."""
    unknown = values.keys() - COLUMNS[table].keys()
    assert not unknown, unknown
    return {**COLUMNS[table], **values}


def make_froxlor_rows() -> Rows:
    """Return the rows of the panel, which a test may change."""
    listed: Rows = {
        "panel_admins": [
            make_row("panel_admins", adminid=1, loginname="root-admin", name="Verwaltung",
                change_serversettings=1),
            make_row("panel_admins", adminid=2, loginname="wiederverk", name="Netzwerk Nord"),
        ],
        "panel_customers": _make_customers(),
        "panel_plans": [
            make_row("panel_plans", id=1, name="Klein", value=json.dumps(
                {"diskspace": 1024, "traffic": 10, "subdomains": 5, "email_accounts": 5,
                 "email_forwarders": 5, "ftps": 5, "mysqls": 5, "allowed_phpconfigs": [1]})),
            make_row("panel_plans", id=2, name="Frei", value=json.dumps(
                {"diskspace": -1, "traffic": -1, "subdomains": "-1", "email_accounts": 0,
                 "email_accounts_ul": "1", "email_forwarders": -1, "ftps": -1, "mysqls": -1})),
            make_row("panel_plans", id=3, name="Kaputt", value="{"),
        ],
        "panel_domains": _make_domains(),
        "panel_domaintoip": [
            make_row("panel_domaintoip", id_domain=domain, id_ipandports=address)
            for domain, address in itertools.product(range(1, 19), (1, 2, 3))
        ],
        "panel_ipsandports": [
            make_row("panel_ipsandports", id=1, ip="192.0.2.80"),
            make_row("panel_ipsandports", id=2, ip="192.0.2.80", port=443, ssl=1),
            make_row("panel_ipsandports", id=3, ip="2001:db8::80"),
        ],
        "panel_phpconfigs": [
            make_row("panel_phpconfigs", id=1, description="Werkseinstellung"),
            make_row("panel_phpconfigs", id=2, description="PHP 8.2"),
        ],
        "domain_redirect_codes": [
            make_row("domain_redirect_codes", rid=rid, did=did)
            for rid, did in ((1, 6), (3, 7), (4, 13), (5, 14))
        ],
        "redirect_codes": [
            make_row("redirect_codes", id=id_, code=code)
            for id_, code in ((1, "---"), (2, "301"), (3, "302"), (4, "303"), (5, "307"))
        ],
        "domain_ssl_settings": _make_certificates(),
        "domain_dns_entries": _make_records(),
        "panel_databases": [
            make_row("panel_databases", id=1, customerid=1, databasename="muehlesql1",
                description='Laden "alt"; 2020'),
            make_row("panel_databases", id=2, customerid=1, databasename="muehlesql2", dbserver=1),
            make_row("panel_databases", id=3, customerid=2, databasename="kontorsql1"),
            make_row("panel_databases", id=4, customerid=9, databasename="fortsql1"),
        ],
        "panel_htaccess": [
            make_row("panel_htaccess", id=1, customerid=1, path=f"{_HOMES}/muehle/bilder/",
                options_indexes=1),
        ],
        "panel_sshkeys": [
            make_row("panel_sshkeys", id=1, customerid=1, ftp_user_id=3,
                ssh_pubkey="ssh-ed25519 AAAA", description="Rechner"),
        ],
    }  # fmt: skip
    return {**listed, **_make_mail(), **_make_access()}


def _make_customers() -> list[Row]:
    return [
        make_row("panel_customers", customerid=1, loginname="muehle", password=BCRYPT, name="Korn",
            firstname="Jörg", gender=1, company="Mühle GmbH", street="Am Bach 3\\2",
            zipcode="01067", city="Süd", phone="+49 7000 1", fax="+49 7000 2",
            email="post@muehle.example", customernumber="M-1", custom_notes="Zeile 1\nZeile 2",
            emails=40, email_quota=2048, documentroot=f"{_HOMES}/muehle/", standardsubdomain=11,
            allowed_phpconfigs="[1,2]", type_2fa=1, perlenabled=1, leprivatekey="KEY-OF-ACCOUNT"),
        make_row("panel_customers", customerid=2, adminid=2, loginname="kontor", password="0" * 32,
            email="", documentroot=f"{_HOMES}/kontor/", deactivated=1, phpenabled=0),
        make_row("panel_customers", customerid=3, loginname="hafen", password=BCRYPT,
            email="x@hafen.example", documentroot=f"{_HOMES}/hafen/", diskspace=-1024,
            traffic=-1048576, mysqls=-1, email_accounts=-1, email_forwarders=-1, ftps=-1,
            subdomains=-1, gui_access=0),
    ]  # fmt: skip


def _make_domain(id_: int, name: str, customer: int = 1, **values: Any) -> Row:
    """Return a row of panel_domains with a folder of its own."""
    homes = {1: "muehle", 2: "kontor", 3: "hafen", 9: "fort"}
    values.setdefault("documentroot", f"{_HOMES}/{homes[customer]}/{name}/")
    letters = _LETTERS.get(name, name)
    return make_row(
        "panel_domains", id=id_, domain=name, domain_ace=letters, customerid=customer, **values
    )


def _make_domains() -> list[Row]:
    return [
        _make_domain(1, "muehle.example", isbinddomain=1, isemaildomain=1, wwwserveralias=1,
            phpsettingid=2, dkim=1, dkim_id=4, dkim_privkey="DKIM-KEY", description="Haupt",
            openbasedir_path=1, ssl_redirect=1, hsts="31536000", hsts_sub=1, http2=1,
            specialsettings="RewriteRule ^a\\.b$ /c", termination_date="2027-03-01"),
        _make_domain(2, "xn--mhle-0ra.example", isbinddomain=1, isemaildomain=1, iswildcarddomain=1,
            phpenabled=0),
        _make_domain(3, "mehl.example", aliasdomain=1, wwwserveralias=1),
        _make_domain(4, "verwaist.example", aliasdomain=99),
        _make_domain(5, "verwaiste-post.example", aliasdomain=99, isemaildomain=1),
        _make_domain(6, "alt.example", documentroot="https://muehle.example/"),
        _make_domain(7, "bald.muehle.example", parentdomainid=1, documentroot="HTTP://neu.example/x"),
        _make_domain(8, "nur-post.example", isbinddomain=1, isemaildomain=1, email_only=1,
            description="nur Post"),
        _make_domain(9, "laden.muehle.example", parentdomainid=1, letsencrypt=1, ssl_redirect=2,
            documentroot=f"{_HOMES}/muehle/neuer\\ laden\\ 2/"),
        _make_domain(10, "aus.example", deactivated=1),
        _make_domain(11, "muehle.panel.example", caneditdomain=0),
        _make_domain(12, "kontor.example", 2, isbinddomain=1, isemaildomain=1, deactivated=1),
        _make_domain(13, "r303.example", documentroot="https://a.example/"),
        _make_domain(14, "r307.example", documentroot="https://b.example/"),
        _make_domain(15, "hafen.example", 3, isbinddomain=1, isemaildomain=1, wwwserveralias=1,
            openbasedir=0),
        _make_domain(16, "www.hafen.example", 3, parentdomainid=15),
        _make_domain(17, "fort.example", 9, isbinddomain=1, isemaildomain=1),
        _make_domain(18, "unter.fort.example", 9, parentdomainid=17),
    ]  # fmt: skip


def _make_certificates() -> list[Row]:
    return [
        make_row("domain_ssl_settings", id=1, domainid=1, ssl_cert_file="CERT-1\n",
            ssl_key_file="KEY-1", ssl_ca_file="CA-1", ssl_cert_chainfile="CHAIN-1"),
        make_row("domain_ssl_settings", id=2, domainid=9, ssl_cert_file="CERT-2",
            ssl_key_file="KEY-2", ssl_ca_file="CA-2"),
        make_row("domain_ssl_settings", id=3, domainid=15, ssl_cert_file="CERT-3"),
        make_row("domain_ssl_settings", id=4, domainid=8, ssl_cert_file="CERT-4",
            ssl_key_file="KEY-4"),
        make_row("domain_ssl_settings", id=5, domainid=1, ssl_cert_file="CERT-5",
            ssl_key_file="KEY-5"),
        make_row("domain_ssl_settings", id=6, domainid=11, ssl_cert_file="CERT-6",
            ssl_key_file="KEY-6"),
        make_row("domain_ssl_settings", id=7, domainid=17, ssl_cert_file="CERT-7",
            ssl_key_file="KEY-7"),
    ]  # fmt: skip


def _make_records() -> list[Row]:
    listed = [
        (1, "@", "A", "192.0.2.81", 18000, 0),
        (1, "ghs", "CNAME", "ghs.elsewhere.example.muehle.example.", 18000, 0),
        (1, "kurz", "CNAME", "ziel", 18000, 0),
        (1, "@", "MX", "mx2.elsewhere.example.", 18000, 20),
        (1, "_sip._tcp", "SRV", "5 5060 sip.elsewhere.example.", 600, 10),
        (1, "@", "TXT", '"v=spf1 a mx -all"', 18000, 0),
        (1, "zitat", "TXT", '"er sagte "ja" und ging"', 18000, 0),
        (1, "@", "CAA", '0 issue "ca.example"', 18000, 0),
        (1, "@", "NS", "ns1.elsewhere.example.", 18000, 0),
        (12, "", "A", "192.0.2.82", 0, 0),
    ]
    return [
        make_row("domain_dns_entries", id=id_, domain_id=domain, record=record, type=type_,
            content=content, ttl=ttl, prio=prio)
        for id_, (domain, record, type_, content, ttl, prio) in enumerate(listed, start=1)
    ]  # fmt: skip


def _make_mail() -> Rows:
    """Return rows of mail: id, address, destination, domain, account, and what else there is."""
    addresses: list[tuple[int, str, str | None, int, int, Row]] = [
        (1, "info@muehle.example", "info@muehle.example", 1, 1, {"description": "Büro"}),
        (2, "Jörg.Korn@muehle.example",
            "  Jörg.Korn@muehle.example   privat@elsewhere.example  privat@elsewhere.example ", 1, 2,
            {"spam_kill_level": 20.0}),
        (3, "team@muehle.example", "info@muehle.example  X@Elsewhere.example", 1, 0,
            {"bypass_spam": 1}),
        (4, "alle@muehle.example", "info@muehle.example", 1, 0, {"iscatchall": 1}),
        (5, "leer@muehle.example", None, 1, 0, {}),
        (6, "post@xn--mhle-0ra.example", "post@xn--mhle-0ra.example", 2, 3, {}),
        (7, "rest@xn--mhle-0ra.example", "rest@xn--mhle-0ra.example", 2, 4, {"iscatchall": 1}),
        (8, "ohne@muehle.example", "ohne@muehle.example", 1, 77, {}),
        (9, "kim@kontor.example", "kim@kontor.example", 12, 5, {"customerid": 2}),
        (10, "x@hafen.example", "x@hafen.example", 15, 6, {"customerid": 3}),
        (11, "weg@fort.example", "weg@fort.example", 17, 7, {"customerid": 9}),
        (12, "a@gone.example", "info@muehle.example", 98, 0, {}),
        (13, "a@mehl.example", "info@muehle.example", 3, 0, {}),
        (15, "b@gone.example", "b@gone.example", 98, 8, {}),
        (14, "a@verwaiste-post.example", "info@muehle.example", 5, 0, {}),
    ]  # fmt: skip
    virtual: list[Row] = []
    users: list[Row] = []
    switched_off: dict[int, Row] = {5: {"imap": 0, "pop3": 0, "postfix": "N"}, 6: {"pop3": 0}}
    for id_, address, destination, domain, account, values in addresses:
        row = make_row("mail_virtual", id=id_, email=address, email_full=address,
            destination=destination, domainid=domain, popaccountid=account,
            **{"customerid": 1, **values})  # fmt: skip
        if row["iscatchall"]:
            row["email"] = "@" + address.rpartition("@")[2]
        virtual.append(row)
        if account in range(1, 9):
            users.append(
                make_row("mail_users", id=account, email=address, username=address, domainid=domain,
                    password_enc="{BLF-CRYPT}" + BCRYPT, customerid=row["customerid"],
                    quota=0 if account == 6 else 512, **switched_off.get(account, {}))
            )  # fmt: skip
    users.append(make_row("mail_users", id=9, email="lost@muehle.example", customerid=1))
    return {
        "mail_virtual": virtual,
        "mail_users": users,
        "mail_sender_aliases": [
            make_row("mail_sender_aliases", id=1, email="info@muehle.example",
                allowed_sender="rechnung@elsewhere.example"),
        ],
    }  # fmt: skip


def _make_access() -> Rows:
    hash_ = "$5$salt$" + "b" * 43
    users: list[tuple[int, str, int, str, Row]] = [
        (1, "muehle", 1, "muehle/", {}),
        (2, "kontor", 2, "kontor/", {"login_enabled": "N"}),
        (3, "muehleftp1", 1, "muehle/neuer\\ laden\\ 2/", {"shell": "/bin/bash"}),
        (4, "muehleftp2", 1, "muehle/", {"login_enabled": "N", "description": "Gast"}),
        (5, "kontorftp1", 2, "kontor/", {"login_enabled": "N"}),
        (6, "fortftp1", 9, "fort/", {}),
    ]
    protections = [
        (1, 1, "muehle/goaccess/", "muehle"),
        (2, 2, "kontor/goaccess/", "kontor"),
        (3, 1, "muehle/intern/", "chef"),
        (4, 1, "muehle/intern/", "azubi"),
        (5, 1, "muehle/goaccess/", "chef"),
        (6, 1, "muehle/geheime\\ akten/", "muehle"),
        (7, 9, "fort/x/", "weg"),
    ]
    return {
        "ftp_users": [
            make_row("ftp_users", id=id_, username=username, customerid=customer, password=hash_,
                homedir=f"{_HOMES}/{folder}", **values)
            for id_, username, customer, folder, values in users
        ],
        "panel_htpasswds": [
            make_row("panel_htpasswds", id=id_, customerid=customer, path=f"{_HOMES}/{folder}",
                username=username, password=BCRYPT, authname="Intern")
            for id_, customer, folder, username in protections
        ],
    }  # fmt: skip


_MYSQL_NAMES = {"muehle": "A", "muehlesql1": "B", "kontorsql1": "C", "fortsql2": "D", "root": "E"}
MYSQL_USERS = [
    (user, host, "mysql_native_password", f"*{_MYSQL_NAMES[user] * 40}")
    for user, host in itertools.product(_MYSQL_NAMES, ("192.0.2.80", "localhost"))
]
MYSQL_USERS.append(("muehlesql1", "203.0.113.9", "mysql_native_password", f"*{'F' * 40}"))


def format_mysql_users(users: Iterable[Sequence[str]] = tuple(MYSQL_USERS)) -> str:
    """Return what `mysql --batch` writes of the users of a server."""
    titles = ("User", "Host", "plugin", "authentication_string")
    return "".join("\t".join(line) + "\n" for line in (titles, *users))


def dump_text(rows: Rows) -> str:
    """Return the rows as mysqldump writes them."""
    lines = ["-- MariaDB dump 10.19  Distrib 10.11.18-MariaDB", "/*!40101 SET NAMES utf8mb4 */;"]
    for table, columns in COLUMNS.items():
        lines.append(f"CREATE TABLE `{table}` (")
        lines += [f"  `{column}` {_choose_sql_type(value)}," for column, value in columns.items()]
        lines.append(") ENGINE=InnoDB;")
        values = ",".join(_format_sql_row(row) for row in rows[table])
        if values:
            lines.append(f"INSERT INTO `{table}` VALUES {values};")
    return "\n".join([*lines, "-- Dump completed", ""])


def _choose_sql_type(value: Any) -> str:
    types = {int: "int(11) NOT NULL", float: "float(4,1) NOT NULL", str: "varchar(255) NOT NULL"}
    return types.get(type(value), "text DEFAULT NULL")


def _format_sql_row(row: Row) -> str:
    return f"({','.join(_format_sql_value(value) for value in row.values())})"


def _format_sql_value(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + "".join(_ESCAPES.get(sign, sign) for sign in value) + "'"
    return str(value)


def make_answer_bodies(rows: Rows) -> dict[str, Any]:
    """Return what the API of this panel answers, by function."""
    rows = copy.deepcopy(rows)
    customers = {row["customerid"] for row in rows["panel_customers"]}
    lists: dict[str, list[Row]] = {
        function: rows[table] for function, table in _PLAIN_LISTINGS.items()
    }
    for function, table in _LISTINGS_OF_CUSTOMERS.items():
        lists[function] = [row for row in rows[table] if row["customerid"] in customers]

    domains = {row["id"]: row for row in rows["panel_domains"]}
    listed = [_show_domain(row, domains, rows) for row in domains.values()]
    lists["Domains.listing"] = [row for row in listed if not row["parentdomainid"]]
    owned = [row for row in listed if row["customerid"] in customers]
    lists["SubDomains.listing"] = sorted(owned, key=lambda row: row["domain"])
    lists["Certificates.listing"] = [
        {**row, "domain": domains[row["domainid"]]["domain"]}
        for row in rows["domain_ssl_settings"]
        if domains[row["domainid"]]["customerid"] in customers
    ]
    addresses = [row for row in rows["mail_virtual"] if row["customerid"] in customers]
    accounts = {row["id"]: row for row in rows["mail_users"]}
    lists["Emails.listing"] = [_show_address(row, accounts) for row in addresses]
    for row in addresses:
        senders = [
            sender
            for sender in rows["mail_sender_aliases"]
            if sender["email"] == row["email_full"] and row["popaccountid"]
        ]
        lists[f"EmailSender.listing.{row['id']}"] = senders
    for row in owned:
        if row["isbinddomain"] and not row["parentdomainid"]:
            lists[f"DomainZones.listing.{row['id']}"] = [
                record for record in rows["domain_dns_entries"] if record["domain_id"] == row["id"]
            ]
    return {
        function: {"data": {"count": len(entries), "list": entries}}
        for function, entries in lists.items()
    }


def _show_domain(row: Row, domains: Mapping[int, Row], rows: Rows) -> Row:
    """Return a domain as listings show it: names in place of ids, and what belongs to it."""
    target = domains.get(row["aliasdomain"])
    addresses = {item["id"]: item for item in rows["panel_ipsandports"]}
    joined = [
        addresses[item["id_ipandports"]]
        for item in rows["panel_domaintoip"]
        if item["id_domain"] == row["id"]
    ]
    return {
        **row,
        "aliasdomain": target["domain"] if target else None,
        "aliasdomainid": target["id"] if target else None,
        "ipsandports": joined,
        "domain_hascert": 0,
    }


def _show_address(row: Row, accounts: Mapping[int, Row]) -> Row:
    """Return an address as listings show it: in letters, with the settings of its mailbox."""
    account = accounts.get(row["popaccountid"], {})
    joined = {column: account.get(column) for column in ("quota", "imap", "pop3", "postfix")}
    letters = {column: _write_in_letters(row[column]) for column in ("email", "email_full")}
    whole = {
        "spam_tag_level": int(row["spam_tag_level"]),
        "spam_kill_level": int(row["spam_kill_level"]),
    }
    return {**row, **letters, **joined, **whole}


def _write_in_letters(address: str) -> str:
    local, _sign, domain = address.rpartition("@")
    return f"{local}@{_LETTERS.get(domain, domain)}"


def write_dump(folder: Path, rows: Rows) -> Path:
    """Write the dump, and the users of the database server beside it; return its path."""
    path = folder / "froxlor.sql"
    path.write_text(dump_text(rows), encoding="utf-8")
    (folder / "mysql_user.tsv").write_text(format_mysql_users(), encoding="utf-8")
    return path


def write_answers(folder: Path, rows: Rows) -> Path:
    """Write a folder with the answers; return its path."""
    answers = folder / "answers"
    answers.mkdir()
    for function, body in make_answer_bodies(rows).items():
        (answers / f"{function}.json").write_text(json.dumps(body), encoding="utf-8")
    return answers
