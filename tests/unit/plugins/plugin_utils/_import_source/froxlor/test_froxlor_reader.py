# SPDX-License-Identifier: GPL-3.0-or-later
"""What a froxlor says becomes a Source: nothing is lost, nothing is invented."""

from __future__ import annotations

import dataclasses

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.dump_file import (
    read_dump,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.froxlor.mysql_users import (
    add_mysql_users,
    find_mysql_users,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.froxlor.reader import (
    read_froxlor,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.froxlor.sites import (
    add_certificates,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.froxlor.tables import (
    FROXLOR_FORMS,
    read_froxlor_answers,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_answers import (
    find_answers,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    Certificate,
    Domain,
    Origin,
    PathPrefix,
    Redirect,
    Source,
)
from tests.support.froxlor_source import (
    BCRYPT,
    COLUMNS,
    MYSQL_USERS,
    Rows,
    make_froxlor_rows,
    write_answers,
    write_dump,
)
from tests.support.import_sources import find_accounting_faults, find_left_out

OWN = "The source's panel made it for itself, and the new panel has its own."
HOMES = "/srv/customers/webs"
# Tables of the server, and those whose rows belong to a row of another one.
OF_SERVER = {
    "panel_domaintoip", "panel_ipsandports", "panel_phpconfigs", "domain_redirect_codes",
    "redirect_codes",
}  # fmt: skip


def read_dump_of(folder, rows: Rows) -> Source:
    """Return what a reader gives of the rows in a dump."""
    path = write_dump(folder, rows)
    tables = add_mysql_users(read_dump(path, FROXLOR_FORMS), find_mysql_users(path))
    return read_froxlor(tables)


def read_answers_of(folder, rows: Rows) -> Source:
    """Return what a reader gives of the rows in answers."""
    write_dump(folder, rows)
    path = write_answers(folder, rows)
    answers = find_answers(path, lambda content: content)
    tables = add_mysql_users(read_froxlor_answers(answers), find_mysql_users(path))
    return read_froxlor(tables)


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Source:
    """Return the Source of the dump."""
    return read_dump_of(tmp_path_factory.mktemp("dump"), make_froxlor_rows())


@pytest.fixture(scope="module")
def answered(tmp_path_factory) -> Source:
    """Return the Source of the answers."""
    return read_answers_of(tmp_path_factory.mktemp("answers"), make_froxlor_rows())


def index_by_name(objects, field: str = "name"):
    """Return objects by one of their fields."""
    return {getattr(item, field): item for item in objects}


def list_fields_left_out(item) -> set[str]:
    """Return the fields that an object is carried without."""
    return {entry.field for entry in item.fields_left_out}


def list_origins_of_rows(rows: Rows) -> list[Origin]:
    """Return where each row comes from that stands for something."""
    users = {user for user, *_columns in MYSQL_USERS if user != "root"}
    origins = [Origin("mysql_user", user) for user in sorted(users)]
    for table in COLUMNS.keys() - OF_SERVER:
        origins += [Origin(table, str(next(iter(row.values())))) for row in rows[table]]
    return origins


def test_each_row_is_in_an_object_or_left_out_once(source):
    assert find_accounting_faults(source, list_origins_of_rows(make_froxlor_rows())) == []


def test_each_row_that_the_api_shows_is_in_an_object_or_left_out_once(answered):
    rows = make_froxlor_rows()
    for table, listed in rows.items():
        rows[table] = [row for row in listed if row.get("customerid", 1) != 9]
    rows["mail_users"] = [row for row in rows["mail_users"] if row["id"] != 9]
    rows["domain_ssl_settings"] = [row for row in rows["domain_ssl_settings"] if row["id"] != 7]
    assert find_accounting_faults(answered, list_origins_of_rows(rows)) == []


def _without_code(domain):
    """Return a domain that says nothing of the code of its redirect."""
    omitted = [entry for entry in domain.fields_left_out if entry.field != "forwarding_type"]
    return dataclasses.replace(domain, fields_left_out=tuple(omitted))


def test_both_forms_agree_in_all_that_the_api_shows(tmp_path):
    rows = make_froxlor_rows()
    for table, listed in rows.items():
        rows[table] = [
            {**row, "aliasdomain": None} if row.get("aliasdomain") == 99 else row
            for row in listed
            if row.get("customerid") != 9
        ]
    certificates = rows["domain_ssl_settings"]
    rows["domain_ssl_settings"] = [row for row in certificates if row["domainid"] != 17]
    rows["domain_redirect_codes"] = []
    rows["mail_users"] = [row for row in rows["mail_users"] if row["id"] != 9]
    for row in rows["mail_users"]:
        row["password_enc"] = ""

    (tmp_path / "dump").mkdir()
    (tmp_path / "api").mkdir()
    dumped = read_dump_of(tmp_path / "dump", rows)
    asked = read_answers_of(tmp_path / "api", rows)
    # Only a dump shows the codes of redirects, whose lack the answers name.
    domains = [_without_code(domain) for domain in asked.domains]
    asked = dataclasses.replace(asked, domains=tuple(domains))
    for field in dataclasses.fields(Source):
        assert getattr(asked, field.name) == getattr(dumped, field.name), field.name


# Customers


def test_a_customer_has_its_contact_data_notes_and_folder(source):
    customer = index_by_name(source.customers, "username")["muehle"]
    assert customer.contact == {
        "first_name": "Jörg",
        "last_name": "Korn",
        "company": "Mühle GmbH",
        "telephone": "+49 7000 1",
        "address": "Am Bach 3\\2",
        "city": "Süd",
        "zip": "01067",
        "client_id": "M-1",
    }
    assert customer.email == "post@muehle.example"
    assert customer.language == "de"
    assert customer.notes == "Zeile 1\nZeile 2"
    assert customer.hash == BCRYPT
    assert customer.paths == (PathPrefix(f"{HOMES}/muehle", "/www"),)
    assert not customer.is_locked


def test_settings_of_a_customer_that_do_not_arrive_are_named(source):
    customers = index_by_name(source.customers, "username")
    assert list_fields_left_out(customers["muehle"]) == {
        "fax", "gender", "emails", "email_quota", "perlenabled", "type_2fa", "leprivatekey",
        "allowed_phpconfigs",
    }  # fmt: skip
    assert list_fields_left_out(customers["hafen"]) == {"gui_access"}
    assert "KEY-OF-ACCOUNT" not in repr(source)


def test_a_deactivated_customer_of_a_reseller_is_locked_and_names_it(source):
    customer = index_by_name(source.customers, "username")["kontor"]
    assert customer.is_locked
    assert customer.reseller == "Netzwerk Nord (wiederverk)"
    assert index_by_name(source.customers, "username")["muehle"].reseller == ""


def test_limits_of_customers_and_plans_are_the_same_in_bytes(source):
    customers = index_by_name(source.customers, "username")
    plans = index_by_name(source.plans)
    assert customers["muehle"].limits == plans["Klein"].limits
    assert plans["Klein"].limits.disk_space == 1024**3
    assert plans["Klein"].limits.traffic == 10 * 1024**3
    assert customers["hafen"].limits == plans["Frei"].limits
    assert plans["Frei"].limits.disk_space == -1
    assert plans["Frei"].limits.mailboxes == -1
    assert plans["Frei"].limits.domains is None


def test_a_plan_that_cannot_be_read_is_left_out(source):
    entry = find_left_out(source, "panel_plans", "3")
    assert (entry.customer, entry.plural, entry.key) == (None, "plans", "Kaputt")


def test_administrators_and_resellers_are_left_out_by_name(source):
    assert "administrator" in find_left_out(source, "panel_admins", "1").reason
    entry = find_left_out(source, "panel_admins", "2")
    assert (entry.key, entry.plural) == ("wiederverk", "clients")
    assert "no resellers" in entry.reason


# Domains


def test_a_name_is_punycode_although_the_api_shows_letters_too(source, answered):
    assert "xn--mhle-0ra.example" in index_by_name(source.domains)
    assert index_by_name(answered.domains).keys() >= {"xn--mhle-0ra.example"}


def test_a_site_has_its_folder_version_and_addresses(source):
    site = index_by_name(source.domains)["muehle.example"]
    assert site.folder == f"{HOMES}/muehle/muehle.example"
    assert (site.php, site.has_php) == ("PHP 8.2", True)
    assert site.addresses == ("192.0.2.80", "2001:db8::80")
    assert source.own_addresses == ("192.0.2.80", "2001:db8::80")
    assert site.www
    assert site.is_active


def test_settings_of_a_site_that_do_not_arrive_are_named(source):
    domains = index_by_name(source.domains)
    assert list_fields_left_out(domains["muehle.example"]) == {
        "description", "termination_date", "specialsettings", "ssl_redirect", "hsts", "hsts_sub",
        "http2", "openbasedir_path",
    }  # fmt: skip
    assert list_fields_left_out(domains["hafen.example"]) == {"openbasedir"}


def test_a_wildcard_shows_www_and_is_left_out_itself(source):
    site = index_by_name(source.domains)["xn--mhle-0ra.example"]
    assert site.www
    assert list_fields_left_out(site) == {"iswildcarddomain"}
    assert (site.php, site.has_php) == ("", False)


def test_www_with_a_site_of_its_own_is_no_name_of_the_other_site(source):
    domains = index_by_name(source.domains)
    assert not domains["hafen.example"].www
    assert domains["www.hafen.example"].parent == "hafen.example"


def test_a_blank_in_a_path_has_no_backslash(source):
    domain = index_by_name(source.domains)["laden.muehle.example"]
    assert domain.folder == f"{HOMES}/muehle/neuer laden 2"
    assert domain.parent == "muehle.example"
    assert index_by_name(source.ftp_users, "username")["muehleftp1"].folder == domain.folder


@pytest.mark.parametrize("form", ["source", "answered"])
def test_an_alias_names_its_target_in_both_forms(form, request):
    alias = index_by_name(request.getfixturevalue(form).domains)["mehl.example"]
    assert alias.alias_of == "muehle.example"
    assert (alias.folder, alias.redirect, alias.has_php) == ("", None, None)
    assert alias.www


def test_an_alias_of_a_domain_that_is_gone_is_left_out(source):
    assert "verwaist.example" not in index_by_name(source.domains)
    entry = find_left_out(source, "panel_domains", "4")
    assert (entry.customer, entry.key) == ("muehle", "verwaist.example")
    assert "alias of a domain that does not exist" in entry.reason


def test_an_alias_of_a_domain_that_is_gone_keeps_its_mail(source):
    domain = index_by_name(source.mail_domains)["verwaiste-post.example"]
    assert list_fields_left_out(domain) == {"aliasdomain"}
    assert "verwaiste-post.example" not in index_by_name(source.domains)


@pytest.mark.parametrize(
    ("name", "redirect"),
    [
        ("alt.example", Redirect("https://muehle.example/", 301)),
        ("bald.muehle.example", Redirect("HTTP://neu.example/x", 302)),
        ("r303.example", Redirect("https://a.example/", 302)),
        ("r307.example", Redirect("https://b.example/", 302)),
    ],
)
def test_a_folder_that_is_a_url_redirects(source, name, redirect):
    domain = index_by_name(source.domains)[name]
    assert domain.redirect == redirect
    assert domain.folder == ""


def test_a_redirect_of_the_api_has_the_usual_code(answered):
    codes = {domain.redirect.code for domain in answered.domains if domain.redirect}
    assert codes == {301}


@pytest.mark.parametrize("name", ["alt.example", "r303.example"])
def test_a_redirect_whose_code_is_not_shown_says_so(source, answered, name):
    assert "forwarding_type" in list_fields_left_out(index_by_name(answered.domains)[name])
    assert "forwarding_type" not in list_fields_left_out(index_by_name(source.domains)[name])


def test_a_site_that_does_not_redirect_lacks_no_code(answered):
    assert "forwarding_type" not in list_fields_left_out(
        index_by_name(answered.domains)["muehle.example"]
    )


def test_a_domain_for_mail_alone_has_no_site(source):
    assert "nur-post.example" not in index_by_name(source.domains)
    domain = index_by_name(source.mail_domains)["nur-post.example"]
    assert list_fields_left_out(domain) == {"description"}


def test_the_standard_subdomain_and_its_certificate_are_the_panels_own(source):
    assert find_left_out(source, "panel_domains", "11").reason == OWN
    assert find_left_out(source, "domain_ssl_settings", "6").reason == OWN


def test_what_a_deactivated_customer_has_counts_as_on(source):
    assert index_by_name(source.domains)["kontor.example"].is_active
    assert index_by_name(source.mail_domains)["kontor.example"].is_active
    assert index_by_name(source.mailboxes, "address")["kim@kontor.example"].is_active
    assert "kontorftp1" in index_by_name(source.ftp_users, "username")


def test_a_deactivated_domain_of_another_customer_is_off(source):
    assert not index_by_name(source.domains)["aus.example"].is_active


@pytest.mark.parametrize("index", [9, 7], ids=["with a site", "for mail alone"])
def test_mail_of_a_deactivated_domain_goes_on(tmp_path, index):
    rows = make_froxlor_rows()
    rows["panel_domains"][index].update(deactivated=1, isemaildomain=1)
    name = rows["panel_domains"][index]["domain"]
    assert index_by_name(read_dump_of(tmp_path, rows).mail_domains)[name].is_active


def test_a_domain_for_mail_alone_tells_that_it_is_deactivated(tmp_path):
    rows = make_froxlor_rows()
    rows["panel_domains"][7]["deactivated"] = 1
    domain = index_by_name(read_dump_of(tmp_path, rows).mail_domains)["nur-post.example"]
    assert list_fields_left_out(domain) == {"description", "deactivated"}


def test_the_standard_subdomain_is_one_of_the_same_customer(tmp_path):
    rows = make_froxlor_rows()
    rows["panel_customers"][2]["standardsubdomain"] = 1
    source = read_dump_of(tmp_path, rows)
    assert "muehle.example" in index_by_name(source.domains)


def test_a_customer_without_a_folder_is_named(tmp_path):
    rows = make_froxlor_rows()
    number = [row["loginname"] for row in rows["panel_customers"]].index("muehle")
    rows["panel_customers"][number]["documentroot"] = ""
    source = read_dump_of(tmp_path, rows)
    customer = index_by_name(source.customers, "username")["muehle"]
    assert customer.paths == ()
    assert "content" in list_fields_left_out(customer)


def test_an_alias_of_the_standard_subdomain_shows_its_folder(tmp_path):
    rows = make_froxlor_rows()
    rows["panel_domains"][2]["aliasdomain"] = 11
    site = index_by_name(read_dump_of(tmp_path, rows).domains)["mehl.example"]
    assert site.alias_of is None
    assert site.folder == f"{HOMES}/muehle/muehle.panel.example"


def test_php_is_off_where_the_customer_may_not_use_it(source):
    assert index_by_name(source.domains)["kontor.example"].has_php is False


def test_a_dkim_key_is_named_and_shown_nowhere(source):
    domain = index_by_name(source.mail_domains)["muehle.example"]
    assert domain.selector == "dkim4"
    assert list_fields_left_out(domain) == {"dkim_privkey"}
    assert "DKIM-KEY" not in repr(source)


def test_each_site_gets_the_certificate_of_its_row_and_no_other():
    sites = [Domain(Origin("panel_domains", id_), "muehle", f"{id_}.example") for id_ in ("4", "5")]
    certificate = Certificate(Origin("domain_ssl_settings", "4"), "CERT", "KEY")

    first, second = add_certificates(sites, {"5": certificate})

    assert first == sites[0]
    assert second == dataclasses.replace(sites[1], certificate=certificate)


def test_a_certificate_with_its_key_belongs_to_its_site(source):
    certificate = index_by_name(source.domains)["muehle.example"].certificate
    assert certificate.origin == Origin("domain_ssl_settings", "1")
    assert certificate.certificate == "CERT-1"
    assert certificate.private_key == "KEY-1"
    assert certificate.ca_certificate == "CHAIN-1\nCA-1"
    renewed = index_by_name(source.domains)["laden.muehle.example"]
    assert renewed.uses_lets_encrypt
    assert renewed.certificate.ca_certificate == "CA-2"


@pytest.mark.parametrize(
    ("id_", "name", "reason"),
    [
        ("3", "hafen.example", "no private key"),
        ("4", "nur-post.example", "without a site"),
        ("5", "muehle.example", "another certificate"),
    ],
)
def test_a_certificate_of_no_use_is_left_out(source, id_, name, reason):
    entry = find_left_out(source, "domain_ssl_settings", id_)
    assert (entry.plural, entry.key) == ("certificates", name)
    assert reason in entry.reason


# Orphans


@pytest.mark.parametrize(
    ("table", "id_"),
    [
        ("panel_domains", "17"),
        ("panel_domains", "18"),
        ("domain_ssl_settings", "7"),
        ("mail_virtual", "11"),
        ("mail_users", "7"),
        ("panel_databases", "4"),
        ("ftp_users", "6"),
        ("panel_htpasswds", "7"),
    ],
)
def test_what_a_deleted_customer_has_left_behind_is_an_orphan(source, table, id_):
    entry = find_left_out(source, table, id_)
    assert entry.customer is None
    assert entry.reason == "Its customer does not exist at the source."


def test_the_api_shows_domains_of_a_deleted_customer(answered):
    entry = find_left_out(answered, "panel_domains", "17")
    assert (entry.customer, entry.key) == (None, "fort.example")


# Zones


def test_own_records_add_to_a_zone_that_the_panel_generates(source):
    zones = index_by_name(source.zones)
    assert zones.keys() == {"muehle.example", "kontor.example"}
    zone = zones["muehle.example"]
    assert not zone.is_whole
    assert [(record.host, record.type, record.value, record.ttl) for record in zone.records] == [
        ("@", "A", "192.0.2.81", 18000),
        ("ghs", "CNAME", "ghs.elsewhere.example.muehle.example.", 18000),
        ("kurz", "CNAME", "ziel", 18000),
        ("@", "MX", "20 mx2.elsewhere.example.", 18000),
        ("_sip._tcp", "SRV", "10 5 5060 sip.elsewhere.example.", 600),
        ("@", "TXT", '"v=spf1 a mx -all"', 18000),
        ("zitat", "TXT", '"er sagte "ja" und ging"', 18000),
        ("@", "CAA", '0 issue "ca.example"', 18000),
        ("@", "NS", "ns1.elsewhere.example.", 18000),
    ]
    assert [(record.host, record.ttl) for record in zones["kontor.example"].records] == [("@", 0)]


def test_records_of_a_domain_without_a_zone_are_left_out(tmp_path):
    rows = make_froxlor_rows()
    rows["panel_domains"][11]["isbinddomain"] = 0
    entry = find_left_out(read_dump_of(tmp_path, rows), "domain_dns_entries", "10")
    assert (entry.plural, entry.key) == ("dns", "kontor.example @ A")
    assert entry.reason == "The source serves no zone for its domain."


# Mail


def test_a_mailbox_has_its_quota_hash_and_copies(source):
    mailboxes = index_by_name(source.mailboxes, "address")
    mailbox = mailboxes["Jörg.Korn@muehle.example"]
    assert mailbox.copies == ("privat@elsewhere.example",)
    assert mailbox.hash == "{BLF-CRYPT}" + BCRYPT
    assert mailbox.hash_origin == Origin("mail_users", "2")
    assert mailbox.quota == 512 * 1024**2
    assert list_fields_left_out(mailbox) == {"spam_kill_level"}
    assert mailboxes["info@muehle.example"].description == "Büro"
    assert mailboxes["info@muehle.example"].copies == ()
    assert mailboxes["x@hafen.example"].quota == -1
    assert list_fields_left_out(mailboxes["x@hafen.example"]) == {"pop3"}


@pytest.mark.parametrize("form", ["source", "answered"])
def test_an_address_is_punycode_in_both_forms(form, request):
    mailboxes = index_by_name(request.getfixturevalue(form).mailboxes, "address")
    assert "post@xn--mhle-0ra.example" in mailboxes


def test_the_api_shows_no_hash_of_a_mailbox(answered):
    assert {mailbox.hash for mailbox in answered.mailboxes} == {""}


def test_an_address_without_a_mailbox_is_a_forward(source):
    forward = index_by_name(source.forwards, "address")["team@muehle.example"]
    assert forward.targets == ("info@muehle.example", "X@elsewhere.example")
    assert find_left_out(source, "mail_virtual", "3", "bypass_spam").key == "team@muehle.example"


def test_a_catch_all_leads_to_its_targets_or_to_its_own_mailbox(source):
    catch_alls = index_by_name(source.catch_alls, "domain")
    assert catch_alls["muehle.example"].targets == ("info@muehle.example",)
    assert catch_alls["muehle.example"].address == "alle@muehle.example"
    assert catch_alls["xn--mhle-0ra.example"].targets == ("rest@xn--mhle-0ra.example",)
    assert "rest@xn--mhle-0ra.example" in index_by_name(source.mailboxes, "address")
    assert "alle@muehle.example" not in index_by_name(source.forwards, "address")


@pytest.mark.parametrize(
    ("table", "id_", "reason"),
    [
        ("mail_virtual", "5", "It leads nowhere at the source."),
        ("mail_virtual", "8", "Its mailbox does not exist at the source."),
        ("mail_virtual", "12", "Its domain does not exist at the source."),
        ("mail_virtual", "13", "Its domain does not arrive, or has no mail at the source."),
        ("mail_users", "8", "Its address does not arrive."),
        ("mail_users", "9", "No address at the source leads to this mailbox."),
    ],
)
def test_an_address_that_makes_no_sense_is_left_out(source, table, id_, reason):
    entry = find_left_out(source, table, id_)
    assert (entry.customer, entry.plural, entry.reason) == ("muehle", "emails", reason)


def test_another_sender_of_a_mailbox_is_left_out_with_the_field(source):
    entry = find_left_out(source, "mail_sender_aliases", "1", "allowed_sender")
    assert (entry.customer, entry.key) == ("muehle", "info@muehle.example")
    assert "rechnung@elsewhere.example" in entry.reason


def test_a_mailbox_that_is_switched_off_is_inactive(tmp_path):
    rows = make_froxlor_rows()
    rows["mail_users"][0].update(imap=0, pop3=0, postfix="N")
    mailbox = index_by_name(read_dump_of(tmp_path, rows).mailboxes, "address")[
        "info@muehle.example"
    ]
    assert not mailbox.is_active
    assert mailbox.fields_left_out == ()


@pytest.mark.parametrize(
    "changes",
    [{"popaccountid": 5}, {"popaccountid": 1}],
    ids=["of another customer", "of another address"],
)
def test_the_mailbox_of_somebody_else_is_not_taken(tmp_path, changes):
    rows = make_froxlor_rows()
    rows["mail_virtual"][1].update(changes)
    source = read_dump_of(tmp_path, rows)
    forward = index_by_name(source.forwards, "address")["Jörg.Korn@muehle.example"]
    assert forward.targets == ("privat@elsewhere.example",)
    assert find_accounting_faults(source, list_origins_of_rows(rows)) == []
    left_out = find_left_out(source, "mail_virtual", "2", "popaccountid")
    assert left_out.reason == "Its mailbox at the source is another address's."


def test_a_login_that_is_not_the_address_is_kept(tmp_path):
    rows = make_froxlor_rows()
    rows["mail_users"][0]["username"] = "web1p1"
    mailbox = index_by_name(read_dump_of(tmp_path, rows).mailboxes, "address")[
        "info@muehle.example"
    ]
    assert mailbox.login == "web1p1"


# Databases, FTP users and protections


def test_a_database_has_the_user_of_its_name_with_hash_and_hosts(source):
    database = index_by_name(source.databases)["muehlesql1"]
    assert database.user == "muehlesql1"
    assert database.user_origin == Origin("mysql_user", "muehlesql1")
    assert database.hash == f"*{'B' * 40}"
    assert database.remote_hosts == ("203.0.113.9",)
    assert list_fields_left_out(database) == {"remote_hosts"}
    assert database.description == 'Laden "alt"; 2020'
    lone = index_by_name(source.databases)["muehlesql2"]
    assert (lone.hash, lone.user_origin) == ("", None)
    assert list_fields_left_out(lone) == {"dbserver"}


@pytest.mark.parametrize(
    ("table", "id_"),
    [
        ("ftp_users", "1"),
        ("ftp_users", "2"),
        ("panel_htpasswds", "1"),
        ("panel_htpasswds", "2"),
        ("mysql_user", "muehle"),
    ],
)
def test_what_the_panel_made_for_itself_is_left_out_with_that_reason(source, table, id_):
    assert find_left_out(source, table, id_).reason == OWN


def test_a_user_of_the_database_server_without_a_database_is_left_out(source):
    entry = find_left_out(source, "mysql_user", "fortsql2")
    assert (entry.customer, entry.plural) == (None, "databases")
    assert not [item for item in source.left_out if item.key == "root"]


def test_an_ftp_user_that_is_off_is_left_out(source):
    entry = find_left_out(source, "ftp_users", "4")
    assert (entry.customer, entry.key) == ("muehle", "muehleftp2")
    assert "switched off" in entry.reason


def test_an_ftp_user_with_a_shell_arrives_without_it(source):
    user = index_by_name(source.ftp_users, "username")["muehleftp1"]
    assert list_fields_left_out(user) == {"shell"}
    assert user.hash.startswith("$5$")


def test_users_of_protected_folders_arrive_each_by_name(source):
    users = [(user.folder.removeprefix(HOMES), user.username) for user in source.protection_users]
    assert users == [
        ("/muehle/intern", "chef"),
        ("/muehle/intern", "azubi"),
        ("/muehle/goaccess", "chef"),
        ("/muehle/geheime akten", "muehle"),
    ]
    assert {user.auth_name for user in source.protection_users} == {"Intern"}


@pytest.mark.parametrize(
    ("table", "kind", "key"),
    [
        ("panel_sshkeys", "ftp_users", "Rechner"),
        ("panel_htaccess", "directory_protections", f"{HOMES}/muehle/bilder/"),
    ],
)
def test_what_the_panel_has_nothing_for_is_left_out_by_name(source, table, kind, key):
    entry = find_left_out(source, table, "1")
    assert (entry.customer, entry.plural, entry.key) == ("muehle", kind, key)


def test_no_hash_and_no_key_is_in_the_representation_of_a_source(source):
    text = repr(source)
    for secret in (BCRYPT, "KEY-1", "B" * 40, "$5$salt$"):
        assert secret not in text


def test_the_same_rows_in_another_order_are_the_same_source(source, tmp_path):
    rows = make_froxlor_rows()
    for listed in rows.values():
        listed.reverse()
    rows["panel_domaintoip"].reverse()
    assert read_dump_of(tmp_path, rows) == source
