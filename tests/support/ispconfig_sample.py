"""The customers of the small ISPConfig that tests read: every kind of object, and every trap.

hofladen (client 11, group 21) has most. studio.nord (12, 22) is a reseller, and verein (13, 23) is
below it and locked. gast (14, 24) is cancelled. Rows of group 99 are orphans, those of group 1 the
administrator's.
"""

from __future__ import annotations

from typing import Any

from tests.support.ispconfig_source import COLUMNS, Rows, add_row, serialize_php

HOF = 21
STUDIO = 22
VEREIN = 23
GAST = 24
ORPHAN = 99
ADMIN = 1
HASH = "$6$rounds=5000$0123456789abcdef$" + "a" * 86
DATABASE_HASH = "*" + "0123456789ABCDEF0123" * 2
SECRETS = {
    "id_rsa": "-----BEGIN RSA PRIVATE KEY-----\nsecret-of-ssh\n-----END RSA PRIVATE KEY-----",
    "dkim_private": "-----BEGIN PRIVATE KEY-----\nsecret-of-dkim\n-----END PRIVATE KEY-----",
    "ssl_key": "-----BEGIN PRIVATE KEY-----\nsecret-of-tls\n-----END PRIVATE KEY-----",
    "fetched": "secret-of-fetchmail",
    "webdav": "secret-of-webdav",
    "command": "secret-of-job",
    "list": "secret-of-list",
}
_CERTIFICATE = "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----"
_GENERATED = (
    "### BEGIN FILTER_ID:1\nif (/^From: .*list/:h)\n{\nto /dev/null\n}\n### END FILTER_ID:1\n"
)
_ROOT = "/var/www/clients/client11/web31"
# What was off before verein was locked: a mailbox, an alias and a job.
LOCK = {
    "prev_active": {
        "cron": {94: {"active": "n"}},
        "ftp_user": {},
        "mail_user": {77: {"postfix": "n", "disablesmtp": "y"}},
        "mail_forwarding": {88: {"active": "n"}},
        "web_domain": {},
    },
    "prev_sys_userid": {"cron": {}},
}


def make_sample() -> Rows:
    """Return the rows of all tables, new ones in each call."""
    rows: Rows = {table: [] for table in COLUMNS}
    _add_accounts(rows)
    _add_sites(rows)
    _add_users_of_sites(rows)
    _add_databases(rows)
    _add_mail(rows)
    _add_zones(rows)
    return rows


def _add_accounts(rows: Rows) -> None:
    limits: dict[str, Any] = {
        "limit_web_quota": 2048, "limit_traffic_quota": 10240, "limit_web_domain": 4,
        "limit_web_subdomain": 9, "limit_mailbox": 12, "limit_mailforward": 20,
        "limit_database": 3, "limit_ftp_user": 2, "limit_cron": 5,
    }  # fmt: skip
    add_row(rows, "client_template", 1, template_name="Hof", **limits)
    add_row(rows, "client_template", 2, template_name="Plus", template_type="a", limit_mailbox=5)
    add_row(rows, "client_template_assigned", 5, client_id=11, client_template_id=2)
    add_row(
        rows, "client", 11, username="hofladen", password=HASH, template_master=1,
        company_name="Hofladen Ähre", contact_firstname="Lena", contact_name="Korn",
        street="Feldweg 2", zip="00123", city="Dorf", telephone="+49 1", customer_no="H-1",
        email="lena@hof.example, hof@post.example", notes="zahlt\nbar", mobile="+49 2",
        bank_account_iban="DE00", id_rsa=SECRETS["id_rsa"], ssh_rsa="ssh-rsa AAAA", **limits,
    )  # fmt: skip
    add_row(rows, "client", 12, username="Studio.Nord", password=HASH, limit_client=5, country="AT")
    add_row(
        rows, "client", 13, sys_groupid=STUDIO, username="verein", password=HASH, locked="y",
        parent_client_id=12, tmp_data=serialize_php(LOCK), email="post@verein.example",
    )  # fmt: skip
    add_row(rows, "client", 14, username="gast", password="$1$old$hash", canceled="y")
    add_row(rows, "sys_group", ADMIN, name="admin")
    for group, client in ((HOF, 11), (STUDIO, 12), (VEREIN, 13), (GAST, 14)):
        add_row(rows, "sys_group", group, name=f"client{client}", client_id=client)
        add_row(rows, "sys_user", group, client_id=client, active=0 if client == 14 else 1)
    add_row(rows, "server_ip", 1, ip_address="192.0.2.40")
    add_row(rows, "server_ip", 2, ip_address="2001:db8::40", ip_type="IPv6")
    add_row(rows, "server_php", 1, name="PHP 8.2")


def _add_sites(rows: Rows) -> None:
    table = "web_domain"
    add_row(
        rows, table, 31, HOF, domain="hof.example", document_root=_ROOT, subdomain="www", system_user="web31",
        server_php_id=1, ip_address="192.0.2.40", ipv6_address="2001:db8::40", ssl="y",
        ssl_cert=_CERTIFICATE, ssl_key=SECRETS["ssl_key"], ssl_bundle=_CERTIFICATE,
        apache_directives="Header set X 1", custom_php_ini="memory_limit = 1G", hd_quota=500,
        php_open_basedir=f"{_ROOT}/web:{_ROOT}/tmp:/usr/share/php", seo_redirect="non_www_to_www",
    )  # fmt: skip
    add_row(
        rows,
        table,
        32,
        HOF,
        domain="käse.example",
        document_root="/var/www/clients/client11/web32",
        system_user="web32",
        subdomain="*",
        php="no",
    )
    add_row(
        rows, table, 33, HOF, domain="laden.hof.example", type="vhostsubdomain",
        parent_domain_id=31, document_root="-", web_folder="laden", ssl="y", ssl_letsencrypt="y",
    )  # fmt: skip
    add_row(
        rows, table, 34, HOF, domain="markt.example", type="vhostalias", parent_domain_id=31,
        document_root=_ROOT, web_folder="markt/public", php_open_basedir="/",
    )  # fmt: skip
    for number, name, kind, redirect, path in (
        (35, "neu.hof.example", "subdomain", "", ""),
        (36, "weg.hof.example", "subdomain", "R=301,L", "[scheme]://hof.example/weg"),
        (37, "unten.hof.example", "subdomain", "L", "/unten/"),
        (38, "proxy.hof.example", "subdomain", "proxy", "http://192.0.2.9:8080/"),
        (39, "zweit.example", "alias", "", ""),
        (40, "dritt.example", "alias", "R=307,L", "https://hof.example/"),
        (41, "kreis.example", "alias", "permanent", "https://www.kreis.example/"),
    ):
        add_row(
            rows, table, number, HOF, domain=name, type=kind, parent_domain_id=31, php="y",
            redirect_type=redirect, redirect_path=path, ip_address=None,
        )  # fmt: skip
    add_row(
        rows,
        table,
        42,
        HOF,
        domain="aus.example",
        document_root="/var/www/clients/client11/web42",
        system_user="web42",
        active="n",
        ssl_cert=_CERTIFICATE,
    )
    add_row(
        rows,
        table,
        43,
        VEREIN,
        domain="verein.example",
        document_root="/var/www/clients/client13/web43",
        system_user="web43",
        active="n",
    )
    add_row(
        rows,
        table,
        44,
        ORPHAN,
        domain="waise.example",
        document_root="/var/www/clients/client9/web44",
        system_user="web44",
    )
    add_row(
        rows,
        table,
        45,
        ADMIN,
        domain="panel.example",
        document_root="/var/www/panel",
        system_user="-",
    )
    add_row(
        rows, table, 46, HOF, domain="lost.hof.example", type="subdomain", parent_domain_id=4711
    )


def _add_users_of_sites(rows: Rows) -> None:
    add_row(
        rows,
        "ftp_user",
        51,
        HOF,
        parent_domain_id=31,
        username="hofladen_ftp",
        username_prefix="hofladen_",
        password=HASH,
        dir=_ROOT,
    )
    add_row(
        rows,
        "ftp_user",
        52,
        HOF,
        parent_domain_id=31,
        username="Alt-Bilder",
        password=HASH,
        dir=f"{_ROOT}/web/bilder",
        quota_size=100,
    )
    add_row(rows, "ftp_user", 53, HOF, username="weg", password=HASH, dir="/home/elsewhere")
    add_row(rows, "ftp_user", 54, HOF, username="aus", password=HASH, dir=_ROOT, active="n")
    add_row(
        rows,
        "ftp_user",
        55,
        VEREIN,
        username="verein_ftp",
        password=HASH,
        dir="/var/www/clients/client13/web43",
        active="n",
    )
    add_row(rows, "shell_user", 56, HOF, username="hof_ssh", password=HASH, ssh_rsa="ssh-rsa AAAA")
    add_row(rows, "webdav_user", 57, HOF, username="hof_dav", password=SECRETS["webdav"])
    add_row(rows, "web_folder", 61, HOF, parent_domain_id=31, path="intern")
    add_row(rows, "web_folder", 62, HOF, parent_domain_id=33, path="/", active="n")
    add_row(rows, "web_folder", 63, HOF, parent_domain_id=31, path="leer")
    add_row(rows, "web_folder_user", 64, HOF, web_folder_id=61, username="Lena", password=HASH)
    add_row(
        rows,
        "web_folder_user",
        65,
        HOF,
        web_folder_id=61,
        username="aus",
        password=HASH,
        active="n",
    )
    add_row(rows, "web_folder_user", 66, HOF, web_folder_id=62, username="Lena", password=HASH)
    url = f"https://lena:{SECRETS['command']}@hof.example/cron.php?a=1&b=2"
    add_row(rows, "cron", 91, HOF, parent_domain_id=31, command=url, run_min="*/5", run_hour="*")
    add_row(
        rows,
        "cron",
        92,
        HOF,
        type="full",
        command="/usr/bin/backup",
        run_min="@daily",
        run_hour="",
        run_mday="",
        run_month="",
        run_wday="",
    )
    add_row(
        rows,
        "cron",
        93,
        HOF,
        type="chrooted",
        command="/bin/true",
        active="n",
        log="y",
        run_month="jan",
    )
    add_row(rows, "cron", 94, VEREIN, type="full", command="/bin/false", active="n")
    add_row(rows, "cron", 95, VEREIN, type="full", command="/bin/date", active="n")


def _add_databases(rows: Rows) -> None:
    for number, group, name in (
        (1, HOF, "c11shop"),
        (2, HOF, "c11read"),
        (3, VEREIN, "verein"),
        (4, HOF, "c11spare"),
    ):
        add_row(
            rows,
            "web_database_user",
            number,
            group,
            database_user=name,
            database_user_prefix="c11",
            database_password=DATABASE_HASH,
        )
    add_row(
        rows,
        "web_database",
        1,
        HOF,
        database_name="c11shop",
        database_name_prefix="c11",
        database_user_id=1,
        database_ro_user_id=2,
    )
    add_row(
        rows,
        "web_database",
        2,
        HOF,
        database_name="c11blog",
        database_user_id=1,
        remote_access="y",
        remote_ips="198.51.100.1, 198.51.100.2",
        database_quota=50,
    )
    add_row(
        rows,
        "web_database",
        3,
        VEREIN,
        database_name="verein",
        database_user_id=3,
        active="n",
        remote_access="y",
    )
    add_row(rows, "web_database", 4, HOF, database_name="docs", type="mongo", database_user_id=4)
    add_row(rows, "web_database", 5, HOF, database_name="c11old", database_user_id=1, active="n")


def _add_mail(rows: Rows) -> None:
    add_row(
        rows,
        "mail_domain",
        1,
        HOF,
        domain="hof.example",
        dkim="y",
        dkim_selector="k1",
        dkim_private=SECRETS["dkim_private"],
        dkim_public="none",
    )
    add_row(rows, "mail_domain", 2, HOF, domain="xn--kse-qla.example")
    add_row(rows, "mail_domain", 3, VEREIN, domain="verein.example", active="n")
    add_row(
        rows, "mail_domain", 4, HOF, domain="nurpost.example", active="n", relay_host="smtp.example"
    )
    add_row(
        rows,
        "mail_user",
        71,
        HOF,
        email="lena@hof.example",
        login="lena@hof.example",
        password=HASH,
        name='Lena "Ä" O\'Korn',
        quota=1073741824,
        cc="eins@post.example,zwei@post.example",
        custom_mailfilter=_GENERATED,
    )
    add_row(
        rows,
        "mail_user",
        72,
        HOF,
        email="Laden+Shop@hof.example",
        login="laden",
        password=HASH,
        custom_mailfilter=_GENERATED + "to $OWN\n",
        autoresponder="y",
        autoresponder_text="Bin weg",
        move_junk="n",
        purge_trash_days=30,
        sender_cc="kopie@post.example",
    )
    add_row(
        rows,
        "mail_user",
        73,
        HOF,
        email="zu@hof.example",
        login="zu@hof.example",
        password=HASH,
        postfix="n",
        disableimap="y",
        disablesieve__filter="y",
    )
    add_row(
        rows,
        "mail_user",
        74,
        HOF,
        email="kontakt@xn--kse-qla.example",
        login="kontakt@xn--kse-qla.example",
        password=HASH,
        quota=-1,
    )
    add_row(
        rows,
        "mail_user",
        76,
        VEREIN,
        email="post@verein.example",
        login="post@verein.example",
        password=HASH,
        postfix="n",
        disablesmtp="y",
    )
    add_row(
        rows,
        "mail_user",
        77,
        VEREIN,
        email="alt@verein.example",
        login="alt@verein.example",
        password=HASH,
        postfix="n",
        disablesmtp="y",
    )
    add_row(
        rows,
        "mail_user",
        78,
        VEREIN,
        email="spaeter@verein.example",
        login="spaeter@verein.example",
        password=HASH,
    )
    add_row(
        rows,
        "mail_forwarding",
        81,
        HOF,
        source="team@hof.example",
        destination="lena@hof.example\nAndere@Post.example, dritte@post.example",
        type="forward",
    )
    add_row(
        rows, "mail_forwarding", 82, HOF, source="info@hof.example", destination="lena@hof.example"
    )
    add_row(
        rows,
        "mail_forwarding",
        83,
        HOF,
        source="@hof.example",
        destination="lena@hof.example\nfern@post.example",
        type="catchall",
    )
    add_row(
        rows,
        "mail_forwarding",
        84,
        HOF,
        source="@nurpost.example",
        destination="@hof.example",
        type="aliasdomain",
    )
    add_row(
        rows,
        "mail_forwarding",
        85,
        HOF,
        source="aus@hof.example",
        destination="lena@hof.example",
        active="n",
    )
    add_row(
        rows,
        "mail_forwarding",
        86,
        HOF,
        source="rohr@hof.example",
        destination="|/usr/bin/vacation lena\n/dev/null",
        type="forward",
        greylisting="y",
    )
    add_row(
        rows,
        "mail_forwarding",
        87,
        VEREIN,
        source="vorstand@verein.example",
        destination="post@verein.example",
        active="n",
    )
    add_row(
        rows,
        "mail_forwarding",
        88,
        VEREIN,
        source="ehemals@verein.example",
        destination="post@verein.example",
        active="n",
    )
    add_row(rows, "mail_user_filter", 1, HOF, mailuser_id=71, rulename="Liste", searchterm="list")
    add_row(rows, "mail_user_filter", 2, HOF, mailuser_id=4711, rulename="Ohne")
    add_row(
        rows,
        "mail_get",
        1,
        HOF,
        source_server="imap.example",
        source_username="lena",
        source_password=SECRETS["fetched"],
        destination="lena@hof.example",
    )
    add_row(rows, "mail_transport", 1, ADMIN, domain="hof.example", transport="smtp:[mx.example]")
    add_row(
        rows,
        "mail_mailinglist",
        1,
        HOF,
        domain="hof.example",
        listname="kunden",
        email="lena@hof.example",
        password=SECRETS["list"],
    )
    add_row(rows, "spamfilter_users", 1, ADMIN, email="@hof.example")
    add_row(rows, "spamfilter_users", 2, HOF, email="lena@hof.example")
    add_row(rows, "spamfilter_wblist", 1, HOF, email="spam@post.example", rid=2)
    add_row(rows, "spamfilter_policy", 1, 0, policy_name="Normal")
    add_row(rows, "spamfilter_policy", 2, HOF, policy_name="Eigene")


def _add_zones(rows: Rows) -> None:
    add_row(rows, "dns_soa", 1, HOF, origin="hof.example.", dnssec_wanted="Y")
    add_row(rows, "dns_soa", 2, HOF, origin="aus.example.", active="N")
    add_row(rows, "dns_soa", 3, VEREIN, origin="verein.example.", xfer="192.0.2.53")
    add_row(rows, "dns_slave", 1, HOF, origin="fern.example.", ns="192.0.2.54")
    for number, zone, name, kind, data, aux in (
        (1, 1, "hof.example.", "A", "192.0.2.40", 0),
        (2, 1, "www", "A", "192.0.2.40", 0),
        (3, 1, "hof.example.", "NS", "ns1.panel.example.", 0),
        (4, 1, "hof.example.", "MX", "mail.hof.example.", 10),
        (5, 1, "_sip._tcp", "SRV", "5 5060 sip.post.example.", 20),
        (6, 1, "@", "CAA", '0 issue "ca.example"', 0),
        (7, 1, "tel.hof.example.", "NAPTR", '10 "u" "E2U+sip" "!^.*$!sip:a@hof.example!" .', 100),
        (8, 1, "k1._domainkey.hof.example.", "TXT", "v=DKIM1; t=s; p=AAAA", 0),
        (9, 1, "", "TXT", "v=spf1 mx a ~all", 0),
        (10, 1, "Shop", "CNAME", "www", 0),
        (11, 1, "fremd.example.", "A", "192.0.2.1", 0),
        (12, 1, "ident", "ALIAS", "cdn.example.", 0),
        (13, 2, "aus.example.", "A", "192.0.2.40", 0),
        (14, 3, "verein.example.", "A", "192.0.2.40", 0),
        (15, 4711, "stray", "A", "192.0.2.40", 0),
    ):
        add_row(
            rows,
            "dns_rr",
            number,
            ADMIN if number == 2 else HOF,
            zone=zone,
            name=name,
            type=kind,
            data=data,
            aux=aux,
        )
    add_row(rows, "dns_rr", 16, HOF, zone=1, name="alt", data="192.0.2.1", active="N")
    add_row(rows, "dns_rr", 17, HOF, zone=1, name="null", data="192.0.2.2", ttl=0)
