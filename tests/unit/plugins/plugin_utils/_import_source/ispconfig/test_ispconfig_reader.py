# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything of an ISPConfig is read once, as it was before a lock, and no row goes in silence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.dump_file import (
    read_dump,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.ispconfig.answers import (
    read_ispconfig_answers,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.ispconfig.reader import (
    read_ispconfig,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.ispconfig.tables import (
    FORMS,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_answers import (
    KeptAnswers,
    find_answers,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    LeftOut,
    Limits,
    Origin,
    PathPrefix,
    Redirect,
    Source,
)
from tests.support.import_sources import find_accounting_faults, list_ispconfig_rows
from tests.support.ispconfig_sample import DATABASE_HASH, HASH, HOF, SECRETS, VEREIN, make_sample
from tests.support.ispconfig_source import (
    Rows,
    add_row,
    change_row,
    make_answers,
    serialize_php,
    write_answers,
    write_dump,
)

CLIENTS = "/var/www/clients/client11"
ROOT = f"{CLIENTS}/web31"


def read(rows: Rows) -> Source:
    """Return what the answers with these rows say."""
    return read_ispconfig(read_ispconfig_answers(KeptAnswers("answers", make_answers(rows))))


def read_from_dump(rows: Rows, folder: Path) -> Source:
    """Return what a dump with these rows says."""
    path = folder / "dump.sql"
    write_dump(rows, path)
    return read_ispconfig(read_dump(path, FORMS))


def pick(objects: Any, row_id: int) -> Any:
    """Return the object of a row; None where no object is of this row."""
    return next((item for item in objects if item.origin.id == str(row_id)), None)


def find_left_out(source: Source, table: str, row_id: int, kind: str | None = None) -> LeftOut:
    """Return the entry of a row that does not arrive."""
    entries = [
        entry
        for entry in source.left_out
        if str(entry.origin) == f"{table}:{row_id}" and kind in (None, entry.plural)
    ]
    assert len(entries) == 1, entries
    return entries[0]


def list_omitted_fields(item: Any) -> list[str]:
    """Return the fields that an object arrives without."""
    return [entry.field for entry in item.fields_left_out]


@pytest.fixture(scope="module")
def source() -> Source:
    """Return what the sample says."""
    return read(make_sample())


# Both forms, and every row


def test_a_dump_and_answers_say_the_same(source, tmp_path):
    assert read_from_dump(make_sample(), tmp_path) == source


def test_answers_in_files_say_the_same(source, tmp_path):
    write_answers(make_sample(), tmp_path)
    tables = read_ispconfig_answers(find_answers(tmp_path, lambda content: content))
    assert read_ispconfig(tables) == source


def test_the_order_of_rows_changes_nothing(source):
    rows = make_sample()
    for table_rows in rows.values():
        table_rows.reverse()
    assert read(rows) == source


def test_each_row_arrives_or_is_left_out_once(source):
    tables = read_ispconfig_answers(KeptAnswers("answers", make_answers(make_sample())))
    assert find_accounting_faults(source, list_ispconfig_rows(tables)) == []


def test_a_row_that_goes_in_silence_would_be_noticed(source):
    rows = make_sample()
    add_row(rows, "ftp_user", 59, HOF, username="new", dir=ROOT)
    tables = read_ispconfig_answers(KeptAnswers("answers", make_answers(rows)))
    faults = find_accounting_faults(source, list_ispconfig_rows(tables))
    assert faults == ["ftp_user:59 is nowhere"]


@pytest.mark.parametrize("secret", [HASH, DATABASE_HASH, *SECRETS.values()])
def test_no_reason_and_no_key_has_a_secret_of_its_row(source, secret):
    entries = [*source.left_out]
    for objects in (source.customers, source.domains, source.mail_domains, source.mailboxes):
        entries.extend(entry for item in objects for entry in item.fields_left_out)
    assert secret not in str(entries)
    assert "secret-of" not in str(source.customers) + str(source.domains) + str(source.mail_domains)


# Accounts


def test_a_client_is_a_customer_with_contact_data_and_limits_in_bytes(source):
    customer = pick(source.customers, 11)
    assert (customer.username, customer.email, customer.hash) == (
        "hofladen",
        "lena@hof.example",
        HASH,
    )
    assert customer.contact == {
        "first_name": "Lena",
        "last_name": "Korn",
        "company": "Hofladen Ähre",
        "telephone": "+49 1",
        "address": "Feldweg 2",
        "city": "Dorf",
        "zip": "00123",
        "country": "DE",
        "client_id": "H-1",
    }
    assert customer.limits == Limits(2 * 1024**3, 10 * 1024**3, 4, 9, 12, 20, 3, 2, 5)
    assert customer.notes == "zahlt\nbar"
    assert list_omitted_fields(customer) == ["mobile", "bank_account_iban", "ssh_rsa", "email"]


def test_the_template_of_a_client_is_its_plan_and_an_additional_one_is_left_out(source):
    assert [plan.name for plan in source.plans] == ["Hof"]
    assert pick(source.customers, 11).plan == "Hof"
    assert pick(source.customers, 11).limits == source.plans[0].limits
    assert pick(source.customers, 12).plan is None
    assert find_left_out(source, "client_template", 2).key == "Plus"


@pytest.mark.parametrize("text", ["", "perhaps", "-2", "1" + "0" * 30, None])
def test_a_limit_that_is_no_number_is_left_out_by_name(text):
    customer = pick(
        read(change_row(make_sample(), "client", 11, limit_database=text)).customers, 11
    )
    assert customer.limits.databases is None
    assert "limit_database" in list_omitted_fields(customer)


def test_the_customers_of_a_reseller_name_it_and_the_reseller_comes_too(source):
    assert pick(source.customers, 13).reseller == "Studio.Nord"
    assert pick(source.customers, 12).reseller == ""
    assert "limit_client" in list_omitted_fields(pick(source.customers, 12))


def test_a_reseller_that_is_not_there_is_named():
    customer = pick(
        read(change_row(make_sample(), "client", 11, parent_client_id=99)).customers, 11
    )
    assert customer.reseller == ""
    assert "parent_client_id" in list_omitted_fields(customer)


def test_locked_and_cancelled_clients_are_locked(source):
    locked = {customer.username for customer in source.customers if customer.is_locked}
    assert locked == {"verein", "gast"}


def test_a_login_that_only_the_dump_shows_as_off_locks_its_client(tmp_path):
    rows = change_row(make_sample(), "sys_user", HOF, active=0)
    assert pick(read_from_dump(rows, tmp_path).customers, 11).is_locked
    assert not pick(read(rows).customers, 11).is_locked


def test_a_second_client_of_one_username_is_left_out_with_its_rows():
    source = read(change_row(make_sample(), "client", 13, username="hofladen"))
    assert "Another client" in find_left_out(source, "client", 13).reason
    entry = find_left_out(source, "web_domain", 43)
    assert (entry.customer, entry.reason) == (None, "The customer that has it does not arrive.")


@pytest.mark.parametrize("username", ["", " ", None, "\udce4"])
def test_a_client_without_a_username_is_left_out_and_the_others_stay(username):
    rows = change_row(make_sample(), "client", 14, username=username)
    source = read(rows)
    assert find_left_out(source, "client", 14).customer in (None, " ", "\ufffd")
    assert len(source.customers) == 3


def test_each_site_has_a_folder_of_its_own_below_www(source):
    folders = ((31, "hof.example"), (32, "xn--kse-qla.example"), (42, "aus.example"))
    assert pick(source.customers, 11).paths == tuple(
        PathPrefix(
            f"{CLIENTS}/web{number}",
            f"/www/{site}",
            f"web{number}",
            ("/log",),
            site,
            Origin("web_domain", str(number)),
        )
        for number, site in folders
    )


@pytest.mark.parametrize("root", [None, "", "/", "//", "srv/web31", "~/x", "/srv/../web31"])
def test_a_site_that_does_not_say_where_its_files_are_is_named(root):
    source = read(change_row(make_sample(), "web_domain", 31, document_root=root))
    site = pick(source.domains, 31)
    reasons = [entry.reason for entry in site.fields_left_out if entry.field == "content"]
    assert reasons == [
        f"{root or ''!r} is no full path of a directory, so its files are not copied."
    ]
    assert "hof.example" not in [path.site for path in pick(source.customers, 11).paths]


@pytest.mark.parametrize("name", [None, "", "-", "root", "web", "web1\nweb2", "-web1", "web1 web2"])
def test_another_name_than_the_panel_gives_is_no_system_user_of_a_site(name):
    rows = change_row(make_sample(), "web_domain", 31, system_user=name)

    assert pick(read(rows).customers, 11).paths[0].owner == ""


def test_the_addresses_of_the_server_are_read(source):
    assert source.own_addresses == ("192.0.2.40", "2001:db8::40")


# Owners


@pytest.mark.parametrize(
    ("row_id", "reason"),
    [
        (44, "No customer of the source has it: its owner is gone."),
        (45, "It belongs to the administrator of the source, not to a customer."),
    ],
)
def test_what_no_customer_has_is_left_out_without_one(source, row_id, reason):
    entry = find_left_out(source, "web_domain", row_id)
    assert (entry.customer, entry.reason) == (None, reason)


@pytest.mark.parametrize("group", ["", "0", None, "text"])
def test_a_group_that_is_none_is_nobodys(group):
    entry = find_left_out(
        read(change_row(make_sample(), "ftp_user", 51, sys_groupid=group)), "ftp_user", 51
    )
    assert entry.customer is None


def test_the_group_of_a_client_row_is_its_makers_and_not_its_own(source):
    assert pick(source.domains, 43).customer == "verein"


# Locks


@pytest.mark.parametrize(
    ("objects", "row_id"),
    [("domains", 43), ("mailboxes", 76), ("mailboxes", 78), ("mail_domains", 3)],
)
def test_what_a_lock_switched_off_counts_as_on(source, objects, row_id):
    assert pick(getattr(source, objects), row_id).is_active


@pytest.mark.parametrize(
    ("objects", "row_id"),
    [("ftp_users", 55), ("forwards", 87), ("databases", 3), ("cron_jobs", 95)],
)
def test_what_a_lock_switched_off_arrives(source, objects, row_id):
    item = pick(getattr(source, objects), row_id)
    assert (item.customer, list_omitted_fields(item)) == ("verein", [])


def test_what_was_off_before_a_lock_stays_off(source):
    mailbox = pick(source.mailboxes, 77)
    assert not mailbox.is_active
    assert pick(source.forwards, 88) is None
    assert "switched off" in find_left_out(source, "mail_forwarding", 88).reason
    assert list_omitted_fields(pick(source.cron_jobs, 94)) == ["active"]


def test_the_protocol_that_a_lock_switched_off_is_no_loss(source):
    assert list_omitted_fields(pick(source.mailboxes, 76)) == []


@pytest.mark.parametrize("text", ["perhaps", 'O:8:"stdClass":0:{}', "a:1:{", "\udce4"])
def test_after_a_lock_that_cannot_be_read_all_counts_as_on_and_the_page_says_so(text):
    source = read(change_row(make_sample(), "client", 13, tmp_data=text))
    assert "tmp_data" in list_omitted_fields(pick(source.customers, 13))
    assert pick(source.mailboxes, 77).is_active
    assert pick(source.forwards, 88) is not None


def test_a_note_that_an_earlier_lock_left_says_nothing_of_a_client_that_is_not_locked():
    source = read(change_row(make_sample(), "client", 13, locked="n"))
    assert not pick(source.domains, 43).is_active
    assert pick(source.forwards, 87) is None


def test_a_note_names_rows_of_its_own_tables_alone():
    note = serialize_php({"prev_active": {"web_domain": {77: {"active": "n"}}}})
    source = read(change_row(make_sample(), "client", 13, tmp_data=note))
    assert pick(source.mailboxes, 77).is_active


# Sites


def test_a_site_has_the_folder_web_below_its_root_and_what_its_row_says(source):
    site = pick(source.domains, 31)
    assert (site.name, site.folder, site.www) == ("hof.example", f"{ROOT}/web", True)
    assert (site.php, site.has_php) == ("PHP 8.2", True)
    assert site.addresses == ("192.0.2.40", "2001:db8::40")
    assert site.certificate.private_key == SECRETS["ssl_key"]
    assert site.certificate.ca_certificate
    assert list_omitted_fields(site) == [
        "seo_redirect",
        "apache_directives",
        "custom_php_ini",
        "hd_quota",
    ]


@pytest.mark.parametrize(
    ("row_id", "folder"), [(33, f"{ROOT}/laden"), (34, f"{ROOT}/markt/public")]
)
def test_a_virtual_host_of_a_subdomain_or_an_alias_shows_a_folder_of_its_parents(
    source, row_id, folder
):
    site = pick(source.domains, row_id)
    assert (site.folder, site.alias_of) == (folder, None)


def test_a_subdomain_has_a_parent_and_an_alias_has_none(source):
    parents = {site.origin.id: site.parent for site in source.domains if site.parent}
    assert parents == dict.fromkeys(("33", "35", "36", "37", "38"), "hof.example")


@pytest.mark.parametrize("row_id", [35, 39, 38, 41])
def test_a_name_without_a_virtual_host_shows_its_parents_site(source, row_id):
    site = pick(source.domains, row_id)
    assert (site.alias_of, site.folder, site.php) == ("hof.example", "", "")
    assert (site.has_php, site.redirect) == (None, None)
    assert site.addresses == ("192.0.2.40", "2001:db8::40")


def test_a_name_without_a_virtual_host_is_off_with_its_parent():
    source = read(change_row(make_sample(), "web_domain", 31, active="n"))
    assert not pick(source.domains, 39).is_active
    assert pick(source.domains, 33).is_active


def test_a_path_below_the_parents_folder_is_a_folder(source):
    site = pick(source.domains, 37)
    assert (site.folder, site.alias_of) == (f"{ROOT}/web/unten", None)


@pytest.mark.parametrize(
    ("kind", "path", "redirect"),
    [
        ("R=301,L", "[scheme]://post.example/x", Redirect("https://post.example/x", 301)),
        ("R=302,L", "http://post.example/", Redirect("http://post.example/", 302)),
        ("R", "http://post.example", Redirect("http://post.example", 302)),
        ("L", "http://post.example", Redirect("http://post.example", 302)),
        ("no", "http://post.example", Redirect("http://post.example", 302)),
        ("R=303,L", "https://post.example/", Redirect("https://post.example/", 302)),
        ("R=307", "https://post.example/", Redirect("https://post.example/", 302)),
        ("R=308", "https://post.example/", Redirect("https://post.example/", 301)),
        ("permanent", "https://post.example/?a=1#b", Redirect("https://post.example/?a=1#b", 301)),
        ("redirect", "https://post.example/", Redirect("https://post.example/", 302)),
        ("last", "https://post.example/", Redirect("https://post.example/", 302)),
        ("", "https://post.example/", None),
        ("R=301,L", "", None),
    ],
)
def test_a_redirect_has_its_target_and_one_of_two_codes(kind, path, redirect):
    rows = change_row(make_sample(), "web_domain", 39, redirect_type=kind, redirect_path=path)
    site = pick(read(rows).domains, 39)
    assert site.redirect == redirect
    assert list_omitted_fields(site) == []
    assert site.alias_of == (None if redirect else "hof.example")


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("R=301,L", "https://zweit.example/"),
        ("R=301,L", "https://www.Zweit.example:443/x"),
        ("R=301,L", "https://me@zweit.example/x"),
        ("R=301,L", "/elsewhere/"),
        ("permanent", "/elsewhere/"),
        ("proxy", "https://post.example/"),
        ("P", "https://post.example/"),
        ("R=301,L", "ftp://post.example/"),
        ("R=301,L", "javascript:alert(1)"),
        ("R=301,L", "https://post.example/ x"),
        ("L", "/../../etc/"),
    ],
)
def test_a_redirect_that_the_panel_cannot_have_is_left_out_by_name(kind, path):
    rows = change_row(make_sample(), "web_domain", 39, redirect_type=kind, redirect_path=path)
    site = pick(read(rows).domains, 39)
    assert (site.redirect, list_omitted_fields(site)) == (None, ["target"])


def test_www_of_a_name_that_is_a_site_of_its_own_is_not_made_with_it():
    rows = make_sample()
    add_row(
        rows, "web_domain", 48, HOF, domain="www.hof.example", type="subdomain", parent_domain_id=31
    )
    assert not pick(read(rows).domains, 31).www


def test_a_site_for_any_subdomain_has_www_and_the_rest_is_named(source):
    site = pick(source.domains, 32)
    assert (site.name, site.www, list_omitted_fields(site)) == (
        "xn--kse-qla.example",
        True,
        ["subdomain"],
    )
    assert (site.has_php, site.php) == (False, "")


def test_a_version_of_php_that_is_not_there_is_named():
    site = pick(read(change_row(make_sample(), "web_domain", 31, server_php_id=9)).domains, 31)
    assert (site.php, "php_version" in list_omitted_fields(site)) == ("", True)


def test_folders_that_somebody_opened_for_php_are_named(source):
    assert list_omitted_fields(pick(source.domains, 34)) == ["php_open_basedir"]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("nginx_directives", "x"), ("proxy_directives", "x"), ("rewrite_rules", "x"),
        ("directive_snippets_id", 3), ("folder_directive_snippets", "1:/"), ("pm", "static"),
        ("pm_max_children", 99), ("php_fpm_chroot", "y"), ("perl", "y"), ("traffic_quota", 9),
        ("backup_interval", "daily"), ("rewrite_to_https", "y"), ("enable_pagespeed", "y"),
    ],
)  # fmt: skip
def test_what_a_site_has_and_the_panel_has_not_is_named(column, value):
    site = pick(read(change_row(make_sample(), "web_domain", 43, **{column: value})).domains, 43)
    assert list_omitted_fields(site) == [column]


def test_lets_encrypt_counts_where_tls_is_on(source):
    assert pick(source.domains, 33).uses_lets_encrypt
    off = read(change_row(make_sample(), "web_domain", 33, ssl="n"))
    assert not pick(off.domains, 33).uses_lets_encrypt


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"ssl_key": ""}, "The row has a certificate without its key."),
        ({"ssl_cert": None}, "The row has a key without a certificate."),
        ({"domain": "no domain"}, "Its site does not arrive."),
    ],
)
def test_a_certificate_that_does_not_arrive_is_named_as_one(values, reason):
    source = read(change_row(make_sample(), "web_domain", 31, **values))
    assert find_left_out(source, "web_domain", 31, "certificates").reason == reason


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"domain": "two words.example"}, "Its name is no domain name."),
        ({"domain": None}, "Its name is no domain name."),
        ({"type": "vhostother"}, "The type of this site is unknown."),
        ({"parent_domain_id": 43}, "The site that it belongs to is another customer's."),
        ({"parent_domain_id": 999}, "The site that it belongs to is not at the source."),
    ],
)
def test_a_site_that_makes_no_sense_is_left_out(values, reason):
    source = read(change_row(make_sample(), "web_domain", 33, **values))
    assert find_left_out(source, "web_domain", 33).reason == reason


@pytest.mark.parametrize("folder", ["../web5/web", "a/../../b"])
def test_a_folder_outside_of_its_site_is_no_folder(folder):
    site = pick(read(change_row(make_sample(), "web_domain", 33, web_folder=folder)).domains, 33)
    assert (site.folder, list_omitted_fields(site)) == ("", ["target"])


# What belongs to sites


def test_ftp_users_have_absolute_folders_and_names_with_their_prefixes(source):
    folders = {user.username: user.folder for user in source.ftp_users}
    assert folders == {
        "hofladen_ftp": ROOT,
        "Alt-Bilder": f"{ROOT}/web/bilder",
        "weg": "/home/elsewhere",
        "verein_ftp": "/var/www/clients/client13/web43",
    }
    assert list_omitted_fields(pick(source.ftp_users, 52)) == ["quota_size"]
    assert "switched off" in find_left_out(source, "ftp_user", 54).reason


@pytest.mark.parametrize(("table", "row_id"), [("shell_user", 56), ("webdav_user", 57)])
def test_logins_that_the_panel_has_not_are_left_out_by_name(source, table, row_id):
    entry = find_left_out(source, table, row_id)
    assert (entry.customer, entry.plural) == ("hofladen", "ftp_users")
    assert entry.key.startswith("hof_")


def test_users_of_folders_have_the_path_below_the_folder_of_the_site(source):
    users = [
        (user.username, user.folder, str(user.folder_origin)) for user in source.protection_users
    ]
    assert users == [("Lena", f"{ROOT}/web/intern", "web_folder:61")]
    assert find_left_out(source, "web_folder_user", 65).key == "hofladen:intern:aus"


@pytest.mark.parametrize(
    ("row_id", "phrase"), [(62, "switched off"), (63, "No user of it arrives")]
)
def test_a_folder_without_a_user_who_arrives_is_named(source, row_id, phrase):
    assert phrase in find_left_out(source, "web_folder", row_id).reason


def test_a_folder_below_a_virtual_host_of_a_subdomain_lies_in_its_folder():
    rows = change_row(make_sample(), "web_folder", 61, parent_domain_id=34, path="/geheim/")
    assert pick(read(rows).protection_users, 64).folder == f"{ROOT}/markt/public/geheim"


@pytest.mark.parametrize(
    ("table", "row_id", "values"),
    [
        ("web_folder_user", 64, {"web_folder_id": 999}),
        ("web_folder_user", 64, {"sys_groupid": VEREIN}),
        ("web_folder", 61, {"parent_domain_id": 43}),
        ("web_folder", 61, {"path": "../../web9"}),
    ],
)
def test_a_user_whose_folder_makes_no_sense_is_left_out(table, row_id, values):
    source = read(change_row(make_sample(), table, row_id, **values))
    assert find_left_out(source, "web_folder_user", 64).reason
    assert find_left_out(source, "web_folder", 61).reason


@pytest.mark.parametrize(
    ("row_id", "schedule", "is_url", "fields"),
    [
        (91, "*/5 * * * *", True, []),
        (92, "@daily", False, []),
        (93, "0 3 * jan *", False, ["type", "log", "active"]),
    ],
)
def test_a_job_has_its_five_fields_or_the_macro_of_old_rows(
    source, row_id, schedule, is_url, fields
):
    job = pick(source.cron_jobs, row_id)
    assert (job.schedule, job.is_url, list_omitted_fields(job)) == (schedule, is_url, fields)


@pytest.mark.parametrize("values", [{"run_hour": ""}, {"run_wday": None}, {"command": " "}])
def test_a_job_that_makes_no_sense_is_left_out_without_its_command(values):
    source = read(change_row(make_sample(), "cron", 91, **values))
    assert find_left_out(source, "cron", 91).key == "job 91"


# Databases


def test_a_database_has_its_user_with_all_rights_and_its_hosts(source):
    shop = pick(source.databases, 1)
    assert (shop.user, str(shop.user_origin), shop.hash) == (
        "c11shop",
        "web_database_user:1",
        DATABASE_HASH,
    )
    assert (shop.remote_hosts, list_omitted_fields(shop)) == ((), ["database_ro_user_id"])
    blog = pick(source.databases, 2)
    assert (blog.user, blog.remote_hosts) == ("c11shop", ("198.51.100.1", "198.51.100.2"))
    assert pick(source.databases, 3).remote_hosts == ("%",)


@pytest.mark.parametrize(("row_id", "phrase"), [(2, "only read"), (4, "No database that arrives")])
def test_a_user_that_no_database_has_is_left_out_by_name(source, row_id, phrase):
    assert phrase in find_left_out(source, "web_database_user", row_id).reason


@pytest.mark.parametrize(("row_id", "phrase"), [(4, "no database of MySQL"), (5, "switched off")])
def test_a_database_that_the_panel_cannot_have_is_left_out(source, row_id, phrase):
    assert phrase in find_left_out(source, "web_database", row_id).reason


@pytest.mark.parametrize(("user_id", "fields"), [(0, []), (None, []), (999, ["database_username"])])
def test_a_database_without_a_user_arrives_without_one(user_id, fields):
    rows = change_row(make_sample(), "web_database", 2, database_user_id=user_id, database_quota=-1)
    database = pick(read(rows).databases, 2)
    assert (database.user, database.user_origin, list_omitted_fields(database)) == (
        "",
        None,
        fields,
    )


# Mail


def test_a_mailbox_has_bytes_copies_and_what_people_log_in_with(source):
    mailbox = pick(source.mailboxes, 71)
    assert (mailbox.address, mailbox.quota) == ("lena@hof.example", 1024**3)
    assert mailbox.copies == ("eins@post.example", "zwei@post.example")
    assert mailbox.description == 'Lena "Ä" O\'Korn'
    old = pick(source.mailboxes, 72)
    assert (old.address, old.login) == ("laden+shop@hof.example", "laden")


@pytest.mark.parametrize("quota", [0, -1, "", "perhaps", None, -7])
def test_a_mailbox_without_a_limit_has_none(quota):
    assert (
        pick(read(change_row(make_sample(), "mail_user", 71, quota=quota)).mailboxes, 71).quota
        == -1
    )


@pytest.mark.parametrize("quota", ["", "perhaps", None, -7, 10**30])
def test_a_size_that_is_no_number_is_named(quota):
    mailbox = pick(read(change_row(make_sample(), "mail_user", 71, quota=quota)).mailboxes, 71)
    assert list_omitted_fields(mailbox) == ["quota"]


def test_blocks_that_the_panel_wrote_are_no_filter_of_ones_own(source):
    assert list_omitted_fields(pick(source.mailboxes, 71)) == []
    assert "custom_mailfilter" in list_omitted_fields(pick(source.mailboxes, 72))


@pytest.mark.parametrize(
    "text", ["### BEGIN FILTER_ID:1\nif (1)", "### BEGIN FILTER_ID:1\nx\n### END FILTER_ID:2\n"]
)
def test_a_block_without_its_end_is_ones_own(text):
    mailbox = pick(
        read(change_row(make_sample(), "mail_user", 71, custom_mailfilter=text)).mailboxes, 71
    )
    assert list_omitted_fields(mailbox) == ["custom_mailfilter"]


def test_many_blocks_without_an_end_take_no_longer_than_their_lines():
    text = "### BEGIN FILTER_ID:1\n" * 200_000
    mailbox = pick(
        read(change_row(make_sample(), "mail_user", 71, custom_mailfilter=text)).mailboxes, 71
    )
    assert list_omitted_fields(mailbox) == ["custom_mailfilter"]


def test_what_a_mailbox_has_and_the_panel_has_not_is_named(source):
    expected = ["autoresponder", "move_junk", "purge_trash_days", "sender_cc", "custom_mailfilter"]
    assert list_omitted_fields(pick(source.mailboxes, 72)) == expected
    assert list_omitted_fields(pick(source.mailboxes, 73)) == [
        "disableimap",
        "disablesieve-filter",
        "postfix",
    ]


@pytest.mark.parametrize(
    ("values", "is_active"),
    [
        ({}, True),
        ({"disablepop3": "y"}, False),
        ({"disablesmtp": "y"}, False),
        ({"postfix": "y", "disablepop3": "y"}, True),
    ],
)
def test_a_mailbox_is_off_that_neither_receives_nor_sends_or_is_read(values, is_active):
    mailbox = pick(read(change_row(make_sample(), "mail_user", 73, **values)).mailboxes, 73)
    assert mailbox.is_active is is_active
    assert ("postfix" in list_omitted_fields(mailbox)) is (is_active and not values)


def test_a_key_of_dkim_is_named_and_its_selector_is_read(source):
    domain = pick(source.mail_domains, 1)
    assert (domain.selector, list_omitted_fields(domain)) == ("k1", ["dkim"])
    assert [pick(source.mail_domains, row_id).selector for row_id in (2, 3, 4)] == ["", "", ""]
    assert (
        pick(source.mail_domains, 4).is_active,
        list_omitted_fields(pick(source.mail_domains, 4)),
    ) == (
        False,
        ["relay_host"],
    )


def test_the_type_alone_parts_forwards_aliases_catch_alls_and_domains(source):
    forward = pick(source.forwards, 81)
    assert forward.targets == ("lena@hof.example", "andere@post.example", "dritte@post.example")
    assert {item.origin.id: item.is_alias for item in source.forwards} == {
        "81": False, "82": True, "86": False, "87": True,
    }  # fmt: skip
    [catch_all] = source.catch_alls
    assert (catch_all.domain, catch_all.targets) == (
        "hof.example",
        ("lena@hof.example", "fern@post.example"),
    )
    [alias_domain] = source.mail_alias_domains
    assert (alias_domain.name, alias_domain.target) == ("nurpost.example", "hof.example")


def test_a_pipe_stays_whole_so_that_nobody_takes_it_for_addresses(source):
    forward = pick(source.forwards, 86)
    assert forward.targets == ("|/usr/bin/vacation lena", "/dev/null")
    assert list_omitted_fields(forward) == ["greylisting"]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"type": "other"}, "The type of this forward is unknown."),
        ({"destination": " \n,"}, "It leads nowhere."),
        ({"source": "no address"}, "Its address is none."),
        ({"type": "aliasdomain"}, "It stands for no whole domain."),
        ({"type": "catchall"}, "It stands for no whole domain."),
        ({"active": "n"}, "It is switched off at the source, and the panel has no switch for it."),
    ],
)
def test_a_forward_that_makes_no_sense_is_left_out(values, reason):
    source = read(change_row(make_sample(), "mail_forwarding", 81, **values))
    assert find_left_out(source, "mail_forwarding", 81).reason == reason


@pytest.mark.parametrize(
    ("table", "row_id", "key", "field"),
    [
        ("mail_user_filter", 1, "lena@hof.example", "filter"),
        ("mail_user_filter", 2, "Ohne", None),
        ("mail_get", 1, "lena@hof.example", "fetchmail"),
        ("mail_transport", 1, "hof.example", None),
        ("mail_mailinglist", 1, "kunden@hof.example", None),
        ("spamfilter_users", 1, "@hof.example", None),
        ("spamfilter_users", 2, "lena@hof.example", "spam_filter"),
        ("spamfilter_wblist", 1, "spam@post.example", None),
        ("spamfilter_policy", 2, "Eigene", None),
    ],
)
def test_what_there_is_around_mail_is_left_out_by_name(source, table, row_id, key, field):
    entry = find_left_out(source, table, row_id)
    assert (entry.customer, entry.plural, entry.key, entry.field) == (
        "hofladen",
        "emails",
        key,
        field,
    )


def test_policies_of_spam_that_the_panel_brings_are_nobodys(source):
    assert [e.key for e in source.left_out if e.origin.table == "spamfilter_policy"] == ["Eigene"]


# Zones


def test_records_have_hosts_relative_to_their_zone_and_numbers_in_their_values(source):
    zone = pick(source.zones, 1)
    assert (zone.name, zone.is_whole, list_omitted_fields(zone)) == (
        "hof.example",
        True,
        ["dnssec_wanted"],
    )
    records = {
        record.origin.id: (record.host, record.type, record.value) for record in zone.records
    }
    assert records == {
        "1": ("@", "A", "192.0.2.40"),
        "2": ("www", "A", "192.0.2.40"),
        "3": ("@", "NS", "ns1.panel.example."),
        "4": ("@", "MX", "10 mail.hof.example."),
        "5": ("_sip._tcp", "SRV", "20 5 5060 sip.post.example."),
        "6": ("@", "CAA", '0 issue "ca.example"'),
        "7": ("tel", "NAPTR", '100 10 "u" "E2U+sip" "!^.*$!sip:a@hof.example!" .'),
        "8": ("k1._domainkey", "TXT", "v=DKIM1; t=s; p=AAAA"),
        "9": ("@", "TXT", "v=spf1 mx a ~all"),
        "10": ("shop", "CNAME", "www"),
        "12": ("ident", "ALIAS", "cdn.example."),
        "17": ("null", "A", "192.0.2.2"),
    }
    assert [record.ttl for record in zone.records if record.host == "null"] == [0]


@pytest.mark.parametrize(
    ("row_id", "key", "phrase"),
    [
        (11, "hof.example fremd.example. A", "outside of its zone"),
        (16, "hof.example alt A", "switched off"),
        (15, "stray A", "not at the source"),
    ],
)
def test_a_record_that_does_not_arrive_is_left_out_by_name(source, row_id, key, phrase):
    entry = find_left_out(source, "dns_rr", row_id)
    assert (entry.plural, entry.key, phrase in entry.reason) == ("dns", key, True)


@pytest.mark.parametrize(
    "values",
    [{"aux": "x"}, {"ttl": ""}, {"ttl": -1}, {"data": ""}, {"type": None}, {"data": "a\nb"}],
)
def test_a_record_that_makes_no_sense_is_left_out_and_its_zone_stays(values):
    source = read(change_row(make_sample(), "dns_rr", 4, **values))
    assert find_left_out(source, "dns_rr", 4).customer == "hofladen"
    assert len(pick(source.zones, 1).records) == 11


def test_zones_of_other_servers_and_those_that_are_off_are_left_out(source):
    assert "switched off" in find_left_out(source, "dns_soa", 2).reason
    assert find_left_out(source, "dns_slave", 1).key == "fern.example"
    assert [zone.name for zone in source.zones] == ["hof.example", "verein.example"]
    assert list_omitted_fields(pick(source.zones, 3)) == ["xfer"]


@pytest.mark.parametrize(
    ("values", "schedule"),
    [
        ({"run_month": "@reboot"}, "@reboot"),
        ({"run_min": "@daily", "run_hour": "", "run_wday": None}, "@daily"),
        ({"run_min": "0, 30", "run_mday": " 1"}, "0,30 3 1 * *"),
    ],
)
def test_the_time_of_a_job_is_what_the_panel_wrote_for_the_server(values, schedule):
    rows = make_sample()
    add_row(rows, "cron", 901, HOF, command="/bin/true", type="full", **values)
    assert pick(read(rows).cron_jobs, "901").schedule == schedule


@pytest.mark.parametrize(
    ("values", "fields"),
    [
        ({"type": "full", "command": "php [web_root]/cron.php"}, {"command"}),
        ({"type": "full", "command": "{SITE_PHP} {DOCROOT_CLIENT}/cron.php"}, {"command"}),
        ({"type": "full", "command": "/bin/sh -c '[ -d /x ]'"}, set()),
        ({"type": "url", "command": "https://hof.example/[web_root]"}, set()),
    ],
)
def test_a_command_with_a_placeholder_of_the_panel_is_named(values, fields):
    rows = make_sample()
    add_row(rows, "cron", 901, HOF, **values)
    job = pick(read(rows).cron_jobs, "901")
    assert job.command == values["command"]
    assert {item.field for item in job.fields_left_out} == fields


def test_a_database_does_not_get_the_user_and_password_of_another_customer():
    rows = make_sample()
    add_row(
        rows, "web_database_user", 901, VEREIN, database_user="fremd",
        database_password=DATABASE_HASH,
    )  # fmt: skip
    add_row(rows, "web_database", 901, HOF, database_name="eigen", database_user_id=901)
    source = read(rows)
    database = pick(source.databases, "901")
    assert (database.user, database.hash, database.user_origin) == ("", "", None)
    assert [item.reason for item in database.fields_left_out] == ["Its user is another customer's."]
    assert find_accounting_faults(source, [Origin("web_database_user", "901")]) == []
