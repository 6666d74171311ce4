# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of ISPConfig that a reader needs, with their columns, and what its API calls them.

Every row names its group, and the group its client. The tables of a customer's objects are needed;
those that some installations lack may be missing.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..source_tables import TableForm

_GROUP = "sys_groupid"
LIMIT_COLUMNS = (
    "limit_web_quota",
    "limit_traffic_quota",
    "limit_web_domain",
    "limit_web_subdomain",
    "limit_mailbox",
    "limit_mailforward",
    "limit_database",
    "limit_ftp_user",
    "limit_cron",
)
_CLIENT = TableForm(
    "client",
    "client_id",
    (
        "username", "password", "email", "company_name", "contact_firstname", "contact_name",
        "customer_no", "street", "zip", "city", "state", "country", "telephone", "language", "notes",
        "locked", "parent_client_id", "template_master", "tmp_data", *LIMIT_COLUMNS,
    ),
    (
        "canceled", "template_additional", "limit_client", "mobile", "fax", "internet", "icq", "vat_id", "company_id",
        "bank_account_owner", "bank_account_number", "bank_code", "bank_name", "bank_account_iban",
        "bank_account_swift", "paypal_email", "id_rsa", "ssh_rsa",
    ),
)  # fmt: skip
_WEB_DOMAIN = TableForm(
    "web_domain",
    "domain_id",
    (
        _GROUP, "domain", "type", "parent_domain_id", "document_root", "web_folder", "subdomain",
        "php", "server_php_id", "redirect_type", "redirect_path", "ssl", "ssl_cert", "ssl_bundle",
        "ssl_key", "ip_address", "ipv6_address", "active",
    ),
    (
        "ssl_letsencrypt", "seo_redirect", "rewrite_to_https", "hd_quota", "traffic_quota", "cgi",
        "system_user", "ssi", "ruby", "python", "perl", "apache_directives", "nginx_directives",
        "proxy_directives", "rewrite_rules", "directive_snippets_id", "folder_directive_snippets",
        "custom_php_ini", "php_open_basedir", "php_fpm_chroot", "pm", "pm_max_children",
        "pm_start_servers", "pm_min_spare_servers", "pm_max_spare_servers",
        "pm_process_idle_timeout", "pm_max_requests", "backup_interval", "enable_pagespeed",
    ),
)  # fmt: skip
_MAIL_USER = TableForm(
    "mail_user",
    "mailuser_id",
    (_GROUP, "email", "login", "password", "name", "quota", "cc", "postfix"),
    (
        "sender_cc", "forward_in_lda", "autoresponder", "move_junk", "purge_trash_days",
        "purge_junk_days", "custom_mailfilter", "greylisting", "access", "disableimap",
        "disablepop3", "disabledeliver", "disablesmtp", "disablesieve", "disablesieve-filter",
        "backup_interval",
    ),
)  # fmt: skip
# fmt: off
FORMS = (
    _CLIENT,
    TableForm("sys_group", "groupid", ("client_id",)),
    TableForm("sys_user", "userid", ("client_id", "active"), may_lack=True),
    TableForm("client_template", "template_id", ("template_name", "template_type", *LIMIT_COLUMNS)),
    TableForm(
        "client_template_assigned",
        "assigned_template_id",
        ("client_id", "client_template_id"),
        may_lack=True,
        title="assigned template",
    ),
    TableForm("server_ip", "server_ip_id", ("ip_address",)),
    TableForm("server_php", "server_php_id", ("name",)),
    _WEB_DOMAIN,
    TableForm(
        "web_database",
        "database_id",
        (
            _GROUP,
            "type",
            "database_name",
            "database_user_id",
            "database_ro_user_id",
            "remote_access",
            "remote_ips",
            "active",
        ),
        ("database_quota", "backup_interval"),
    ),
    TableForm(
        "web_database_user",
        "database_user_id",
        (_GROUP, "database_user", "database_password"),
        ("database_password_sha2",),
        title="database user",
    ),
    TableForm(
        "ftp_user",
        "ftp_user_id",
        (_GROUP, "parent_domain_id", "username", "password", "dir", "active"),
        (
            "quota_size",
            "quota_files",
            "ul_ratio",
            "dl_ratio",
            "ul_bandwidth",
            "dl_bandwidth",
            "expires",
        ),
    ),
    TableForm("shell_user", "shell_user_id", (_GROUP, "username"), title="shell user"),
    TableForm("webdav_user", "webdav_user_id", (_GROUP, "username"), title="WebDAV user"),
    TableForm(
        "cron",
        "id",
        (
            _GROUP,
            "type",
            "command",
            "run_min",
            "run_hour",
            "run_mday",
            "run_month",
            "run_wday",
            "active",
        ),
        ("log",),
    ),
    TableForm("web_folder", "web_folder_id", (_GROUP, "parent_domain_id", "path", "active")),
    TableForm(
        "web_folder_user",
        "web_folder_user_id",
        (_GROUP, "web_folder_id", "username", "password", "active"),
    ),
    TableForm(
        "mail_domain",
        "domain_id",
        (_GROUP, "domain", "active"),
        ("dkim", "dkim_selector", "dkim_private", "relay_host"),
    ),
    _MAIL_USER,
    TableForm(
        "mail_forwarding",
        "forwarding_id",
        (_GROUP, "source", "destination", "type", "active"),
        ("allow_send_as", "greylisting"),
        title="forward",
        has_addresses=True,
    ),
    TableForm(
        "mail_user_filter", "filter_id", (_GROUP, "mailuser_id", "rulename"),
        title="mail filter",
    ),
    TableForm("mail_get", "mailget_id", (_GROUP, "destination"), title="fetched mailbox"),
    TableForm("mail_transport", "transport_id", (_GROUP, "domain"), title="mail transport"),
    TableForm(
        "mail_mailinglist", "mailinglist_id", (_GROUP, "domain", "listname"), may_lack=True,
        title="mailing list",
        has_addresses=True,
    ),
    TableForm("spamfilter_users", "id", (_GROUP, "email"), may_lack=True, title="spam filter"),
    TableForm(
        "spamfilter_wblist", "wblist_id", (_GROUP, "email"), may_lack=True,
        title="spam filter",
    ),
    TableForm(
        "spamfilter_policy", "id", (_GROUP, "policy_name"), may_lack=True,
        title="spam filter",
    ),
    TableForm(
        "mail_relay_recipient", "relay_recipient_id", (_GROUP, "source"), may_lack=True,
        title="mail relay",
    ),
    TableForm("xmpp_domain", "domain_id", (_GROUP, "domain"), may_lack=True, title="chat domain"),
    TableForm("xmpp_user", "xmppuser_id", (_GROUP, "jid"), may_lack=True, title="chat user"),
    TableForm(
        "dns_soa", "id", (_GROUP, "origin", "active"), ("xfer", "also_notify", "dnssec_wanted")
    ),
    TableForm(
        "dns_rr", "id", (_GROUP, "zone", "name", "type", "data", "aux", "ttl", "active"),
        title="DNS record",
    ),
    TableForm("dns_slave", "id", (_GROUP, "origin"), title="secondary DNS zone"),
)
# fmt: on
FORM_BY_TABLE: Mapping[str, TableForm] = {form.name: form for form in FORMS}
# Each function answers the whole table, whatever its name says: only the column type parts the rows.
FUNCTIONS_BY_TABLE: Mapping[str, tuple[str, ...]] = {
    "client": ("client_get",),
    "client_template": ("client_templates_get_all",),
    "server_ip": ("server_ip_get",),
    "server_php": ("server_get_php_versions",),
    "web_domain": (
        "sites_web_domain_get",
        "sites_web_vhost_subdomain_get",
        "sites_web_vhost_aliasdomain_get",
        "sites_web_aliasdomain_get",
        "sites_web_subdomain_get",
    ),
    "web_database": ("sites_database_get",),
    "web_database_user": ("sites_database_user_get",),
    "ftp_user": ("sites_ftp_user_get",),
    "shell_user": ("sites_shell_user_get",),
    "webdav_user": ("sites_webdav_user_get",),
    "cron": ("sites_cron_get",),
    "web_folder": ("sites_web_folder_get",),
    "web_folder_user": ("sites_web_folder_user_get",),
    "mail_domain": ("mail_domain_get",),
    "mail_user": ("mail_user_get",),
    "mail_forwarding": (
        "mail_forward_get",
        "mail_alias_get",
        "mail_catchall_get",
        "mail_aliasdomain_get",
    ),
    "mail_user_filter": ("mail_user_filter_get",),
    "mail_get": ("mail_fetchmail_get",),
    "mail_transport": ("mail_transport_get",),
    "mail_mailinglist": ("mail_mailinglist_get",),
    "spamfilter_users": ("mail_spamfilter_user_get",),
    "spamfilter_wblist": ("mail_spamfilter_whitelist_get", "mail_spamfilter_blacklist_get"),
    "spamfilter_policy": ("mail_policy_get",),
    "mail_relay_recipient": ("mail_relay_recipient_get",),
    "dns_soa": ("dns_zone_get",),
    "dns_slave": ("dns_slave_get",),
}
RECORD_TYPES_OF_FUNCTIONS = (
    "a", "aaaa", "alias", "caa", "cname", "dname", "ds", "hinfo", "loc", "mx", "naptr", "ns", "ptr",
    "rp", "srv", "sshfp", "tlsa", "txt",
)  # fmt: skip
RECORD_FUNCTIONS = tuple(f"dns_{name}_get" for name in RECORD_TYPES_OF_FUNCTIONS)
RECORDS_OF_ZONE = "dns_rr_get_all_by_zone"
CLIENT_OF_GROUP = "client_get_by_groupid"
GROUP_OF_CLIENT = "client_get_groupid"
