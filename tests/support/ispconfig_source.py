"""A small ISPConfig for tests: rows of its tables, and the dump and the answers that they make.

The rows are written for these tests, in the panel's form: all values of answers are texts, numbers
of a dump stand bare, and each function answers all of its table.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Rows = dict[str, list[dict[str, Any]]]
# Numbers are columns of numbers, texts those of texts. A row has what is not said otherwise here.
COLUMNS: dict[str, dict[str, Any]] = {
    "client": {
        "client_id": 0, "sys_userid": 1, "sys_groupid": 1, "sys_perm_user": "riud",
        "company_name": "", "company_id": "", "gender": "", "contact_firstname": "",
        "contact_name": "", "customer_no": "", "vat_id": "", "street": "", "zip": "", "city": "",
        "state": "", "country": "DE", "telephone": "", "mobile": "", "fax": "", "email": "",
        "internet": "", "icq": "", "notes": "", "bank_account_owner": "",
        "bank_account_number": "", "bank_code": "", "bank_name": "", "bank_account_iban": "",
        "bank_account_swift": "", "paypal_email": "", "limit_maildomain": -1, "limit_mailbox": -1,
        "limit_mailalias": -1, "limit_mailforward": -1, "limit_mailquota": -1,
        "limit_web_domain": -1, "limit_web_quota": -1, "limit_web_subdomain": -1,
        "limit_ftp_user": -1, "limit_dns_zone": -1, "limit_database": -1, "limit_cron": 0,
        "limit_traffic_quota": -1, "limit_client": 0, "parent_client_id": 0, "username": "",
        "password": "", "language": "de", "template_master": 0, "template_additional": "",
        "created_at": 0, "locked": "n", "canceled": "n", "tmp_data": None, "id_rsa": "",
        "ssh_rsa": "",
    },
    "client_template": {
        "template_id": 0, "sys_groupid": 1, "template_name": "", "template_type": "m",
        "limit_mailbox": -1, "limit_mailforward": -1, "limit_web_domain": -1,
        "limit_web_quota": -1, "limit_web_subdomain": -1, "limit_ftp_user": -1,
        "limit_database": -1, "limit_cron": 0, "limit_traffic_quota": -1,
    },
    "client_template_assigned": {
        "assigned_template_id": 0, "client_id": 0, "client_template_id": 0,
    },
    "sys_group": {"groupid": 0, "name": "", "description": "", "client_id": 0},
    "sys_user": {
        "userid": 0, "sys_groupid": 1, "username": "", "passwort": "", "active": 1,
        "default_group": 0, "client_id": 0,
    },
    "server_ip": {"server_ip_id": 0, "sys_groupid": 1, "client_id": 0, "ip_type": "IPv4", "ip_address": None},
    "server_php": {"server_php_id": 0, "sys_groupid": 1, "name": None, "active": "y"},
    "web_domain": {
        "domain_id": 0, "sys_userid": 1, "sys_groupid": 0, "server_id": 1, "ip_address": "*",
        "ipv6_address": "", "domain": None, "type": "vhost", "parent_domain_id": 0,
        "document_root": None, "web_folder": None, "system_user": None, "hd_quota": -1,
        "traffic_quota": -1, "cgi": "n", "ssi": "n", "is_subdomainwww": 1, "subdomain": "none",
        "php": "php-fpm", "ruby": "n", "python": "n", "perl": "n", "redirect_type": "",
        "redirect_path": "", "seo_redirect": "", "rewrite_to_https": "n", "ssl": "n",
        "ssl_letsencrypt": "n", "ssl_request": None, "ssl_cert": None, "ssl_bundle": None,
        "ssl_key": None, "apache_directives": "", "nginx_directives": "", "pm": "ondemand",
        "pm_max_children": 10, "pm_start_servers": 2, "pm_min_spare_servers": 1,
        "pm_max_spare_servers": 5, "pm_process_idle_timeout": 10, "pm_max_requests": 0,
        "php_open_basedir": "", "custom_php_ini": "", "backup_interval": "none", "active": "y",
        "proxy_directives": "", "rewrite_rules": "", "directive_snippets_id": 0,
        "folder_directive_snippets": "", "php_fpm_chroot": "n", "enable_pagespeed": "n",
        "server_php_id": 0,
    },
    "web_database": {
        "database_id": 0, "sys_groupid": 0, "parent_domain_id": 0, "type": "mysql",
        "database_name": None, "database_name_prefix": "", "database_quota": -1,
        "database_user_id": 0, "database_ro_user_id": 0, "remote_access": "n", "remote_ips": "",
        "backup_interval": "none", "active": "y",
    },
    "web_database_user": {
        "database_user_id": 0, "sys_groupid": 0, "database_user": None,
        "database_user_prefix": "", "database_password": None, "database_password_mongo": None,
    },
    "ftp_user": {
        "ftp_user_id": 0, "sys_groupid": 0, "parent_domain_id": 0, "username": None,
        "username_prefix": "", "password": None, "quota_size": -1, "active": "y", "dir": None,
        "quota_files": -1, "ul_ratio": -1, "dl_ratio": -1, "ul_bandwidth": -1,
        "dl_bandwidth": -1, "expires": None,
    },
    "shell_user": {
        "shell_user_id": 0, "sys_groupid": 0, "parent_domain_id": 0, "username": None,
        "password": None, "active": "y", "dir": None, "chroot": "no", "ssh_rsa": None,
    },
    "webdav_user": {
        "webdav_user_id": 0, "sys_groupid": 0, "parent_domain_id": 0, "username": None,
        "password": None, "active": "y", "dir": None,
    },
    "cron": {
        "id": 0, "sys_groupid": 0, "parent_domain_id": 0, "type": "url", "command": None,
        "run_min": "0", "run_hour": "3", "run_mday": "*", "run_month": "*", "run_wday": "*",
        "log": "n", "active": "y",
    },
    "web_folder": {
        "web_folder_id": 0, "sys_groupid": 0, "parent_domain_id": 0, "path": None, "active": "y",
    },
    "web_folder_user": {
        "web_folder_user_id": 0, "sys_groupid": 0, "web_folder_id": 0, "username": None,
        "password": None, "active": "y",
    },
    "mail_domain": {
        "domain_id": 0, "sys_groupid": 0, "domain": "", "dkim": "n", "dkim_selector": "default",
        "dkim_private": None, "dkim_public": None, "relay_host": "", "relay_user": "",
        "relay_pass": "", "active": "y",
    },
    "mail_user": {
        "mailuser_id": 0, "sys_groupid": 0, "email": "", "login": "", "password": "", "name": "",
        "maildir": "", "quota": 0, "cc": "", "forward_in_lda": "n", "sender_cc": "",
        "autoresponder": "n", "autoresponder_text": None, "move_junk": "y",
        "purge_trash_days": 0, "purge_junk_days": 0, "custom_mailfilter": None, "postfix": "y",
        "greylisting": "n", "access": "y", "disableimap": "n", "disablepop3": "n",
        "disabledeliver": "n", "disablesmtp": "n", "disablesieve": "n",
        "disablesieve-filter": "n", "disablelda": "n", "disablelmtp": "n",
        "disabledoveadm": "n", "disablequota-status": "n", "disableindexer-worker": "n",
        "backup_interval": "none",
    },
    "mail_forwarding": {
        "forwarding_id": 0, "sys_groupid": 0, "source": "", "destination": None,
        "type": "alias", "active": "y", "allow_send_as": "n", "greylisting": "n",
    },
    "mail_user_filter": {
        "filter_id": 0, "sys_groupid": 0, "mailuser_id": 0, "rulename": None, "source": "From",
        "searchterm": None, "op": "is", "action": "delete", "target": None, "active": "y",
    },
    "mail_get": {
        "mailget_id": 0, "sys_groupid": 0, "type": "imap", "source_server": None,
        "source_username": None, "source_password": None, "destination": None, "active": "y",
    },
    "mail_transport": {
        "transport_id": 0, "sys_groupid": 0, "domain": "", "transport": "", "active": "y",
    },
    "mail_mailinglist": {
        "mailinglist_id": 0, "sys_groupid": 0, "domain": "", "listname": "", "email": "",
        "password": "",
    },
    "spamfilter_users": {
        "id": 0, "sys_groupid": 0, "priority": 7, "policy_id": 0, "email": "", "fullname": None,
    },
    "spamfilter_wblist": {"wblist_id": 0, "sys_groupid": 0, "wb": "W", "rid": 0, "email": ""},
    "spamfilter_policy": {"id": 0, "sys_groupid": 0, "policy_name": None},
    "dns_soa": {
        "id": 0, "sys_groupid": 0, "origin": "", "ns": "", "mbox": "", "ttl": 3600,
        "active": "Y", "xfer": None, "also_notify": None, "dnssec_wanted": "N",
    },
    "dns_rr": {
        "id": 0, "sys_groupid": 0, "zone": 0, "name": "", "type": "A", "data": "", "aux": 0,
        "ttl": 3600, "active": "Y",
    },
    "dns_slave": {"id": 0, "sys_groupid": 0, "origin": "", "ns": "", "active": "Y"},
}  # fmt: skip
FUNCTIONS = {
    "client": ["client_get"],
    "client_template": ["client_templates_get_all"],
    "server_ip": ["server_ip_get"],
    "server_php": ["server_get_php_versions"],
    "web_domain": [
        "sites_web_domain_get",
        "sites_web_vhost_subdomain_get",
        "sites_web_vhost_aliasdomain_get",
        "sites_web_aliasdomain_get",
        "sites_web_subdomain_get",
    ],
    "web_database": ["sites_database_get"],
    "web_database_user": ["sites_database_user_get"],
    "ftp_user": ["sites_ftp_user_get"],
    "shell_user": ["sites_shell_user_get"],
    "webdav_user": ["sites_webdav_user_get"],
    "cron": ["sites_cron_get"],
    "web_folder": ["sites_web_folder_get"],
    "web_folder_user": ["sites_web_folder_user_get"],
    "mail_domain": ["mail_domain_get"],
    "mail_user": ["mail_user_get"],
    "mail_forwarding": [
        "mail_forward_get",
        "mail_alias_get",
        "mail_catchall_get",
        "mail_aliasdomain_get",
    ],
    "mail_user_filter": ["mail_user_filter_get"],
    "mail_get": ["mail_fetchmail_get"],
    "mail_transport": ["mail_transport_get"],
    "mail_mailinglist": ["mail_mailinglist_get"],
    "spamfilter_users": ["mail_spamfilter_user_get"],
    "spamfilter_wblist": ["mail_spamfilter_whitelist_get", "mail_spamfilter_blacklist_get"],
    "spamfilter_policy": ["mail_policy_get"],
    "dns_soa": ["dns_zone_get"],
    "dns_rr": ["dns_a_get"],
    "dns_slave": ["dns_slave_get"],
}
# What customers have no rows of their own in.
NO_OBJECTS = ("sys_group", "sys_user", "server_ip", "server_php", "spamfilter_policy")
KEYS = {table: next(iter(columns)) for table, columns in COLUMNS.items()}


def add_row(rows: Rows, table: str, row_id: int, group: int | None = None, **values: Any) -> None:
    """Add a row with what it has beside the usual; a hyphen is written as two underscores."""
    row = dict(COLUMNS[table])
    row[KEYS[table]] = row_id
    if group is not None:
        row["sys_groupid"] = group
    row.update({name.replace("__", "-"): value for name, value in values.items()})
    assert row.keys() == COLUMNS[table].keys(), sorted(row.keys() ^ COLUMNS[table].keys())
    rows[table].append(row)


def change_row(rows: Rows, table: str, row_id: int, **values: Any) -> Rows:
    """Return other rows, in which one has other values."""
    changed = copy.deepcopy(rows)
    row = next(row for row in changed[table] if row[KEYS[table]] == row_id)
    row.update({name.replace("__", "-"): value for name, value in values.items()})
    assert row.keys() == COLUMNS[table].keys(), sorted(row.keys() ^ COLUMNS[table].keys())
    return changed


def serialize_php(value: Any) -> str:
    """Return a value as PHP serialises it."""
    if isinstance(value, dict):
        entries = "".join(serialize_php(key) + serialize_php(entry) for key, entry in value.items())
        return f"a:{len(value)}:{{{entries}}}"
    if isinstance(value, int):
        return f"i:{value};"
    if value is None:
        return "N;"
    return f's:{len(value.encode())}:"{value}";'


# Forms


def write_dump(rows: Rows, path: Path) -> None:
    """Write the rows as mysqldump writes them."""
    parts = ["-- MariaDB dump 10.19  Distrib 10.11\n", "/*!40101 SET NAMES utf8mb4 */;\n"]
    for table, table_rows in rows.items():
        lines = [f"  `{name}` {_choose_type(value)}" for name, value in COLUMNS[table].items()]
        parts.append(f"CREATE TABLE `{table}` (\n" + ",\n".join(lines) + "\n) ENGINE=InnoDB;\n")
        if table_rows:
            values = ",".join(_format_values(row) for row in table_rows)
            parts.append(f"INSERT INTO `{table}` VALUES {values};\n")
    parts.append("-- Dump completed on 2026-11-29 12:00:00\n")
    path.write_bytes("".join(parts).encode("utf-8", "surrogateescape"))


def _choose_type(usual: Any) -> str:
    """Return a type of a column whose usual value this is."""
    return "int(11) NOT NULL" if isinstance(usual, int) else "text DEFAULT NULL"


def _format_values(row: Mapping[str, Any]) -> str:
    """Return a row as an INSERT has it."""
    return "(" + ",".join(_quote(value) for value in row.values()) + ")"


def _quote(value: Any) -> str:
    """Return a value as an INSERT has it."""
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def make_answers(rows: Rows) -> dict[str, Any]:
    """Return the bodies of the API's answers by function."""
    bodies = {}
    for table, functions in FUNCTIONS.items():
        table_rows = [_make_texts(row) for row in rows[table]]
        bodies.update({name: _make_envelope(table_rows) for name in functions})
    for client in bodies["client_get"]["response"]:
        client["template_additional"] = _list_assigned(rows, client["client_id"])
    for row in rows["sys_group"]:
        if row["client_id"]:
            bodies[f"client_get_groupid.{row['client_id']}"] = _make_envelope(row["groupid"])
            client = next(
                c
                for c in bodies["client_get"]["response"]
                if c["client_id"] == str(row["client_id"])
            )
            bodies[f"client_get_by_groupid.{row['groupid']}"] = _make_envelope(client)
        else:
            refusal = {"code": "remote_fault", "message": "no client", "response": False}
            bodies[f"client_get_by_groupid.{row['groupid']}"] = refusal
    return bodies


def _list_assigned(rows: Rows, client_id: str) -> str:
    """Return a client's additional templates as answers have them; the column itself is empty."""
    return "".join(
        f"{row['assigned_template_id']}:{row['client_template_id']}/"
        for row in rows["client_template_assigned"]
        if str(row["client_id"]) == client_id
    )


def write_answers(rows: Rows, folder: Path) -> None:
    """Write the API's answers as files named after the functions."""
    for name, body in make_answers(rows).items():
        (folder / f"{name}.json").write_text(json.dumps(body))


def _make_envelope(response: Any) -> dict[str, Any]:
    """Return a body with an answer in it."""
    return {"code": "ok", "message": "", "response": response}


def _make_texts(row: Mapping[str, Any]) -> dict[str, str | None]:
    """Return a row as answers have it: each value is a text or null."""
    return {name: None if value is None else str(value) for name, value in row.items()}
