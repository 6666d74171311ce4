"""The directory of an import applies to an empty panel, and a second run has nothing to do."""

from __future__ import annotations

from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapped_source import (
    MappedSource,
    reveal,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping.mapper import map_source
from ansible_collections.hosting.panel.plugins.plugin_utils._import.operator_mapping import (
    read_mapping,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    CatchAll,
    Certificate,
    CronJob,
    Customer,
    Database,
    Domain,
    Forward,
    FtpUser,
    Limits,
    MailAliasDomain,
    Mailbox,
    MailDomain,
    Origin,
    PathPrefix,
    Plan,
    ProtectionUser,
    Record,
    Redirect,
    Source,
    Zone,
)
from tests.support import pem

SHA512 = "$6$rounds=5000$saltsaltsaltsalt$" + "x" * 86
LIMITS = Limits(
    disk_space=5 * 1024**3,
    traffic=-1,
    domains=-1,
    subdomains=-1,
    mailboxes=-1,
    forwards=-1,
    databases=-1,
    ftp_users=-1,
    scheduled_tasks=-1,
)


def _make_origin(number: int) -> Origin:
    return Origin("row", str(number))


def _make_records(*records: tuple[str, str, str, int]) -> tuple[Record, ...]:
    return tuple(
        Record(_make_origin(100 + number), host, kind, value, ttl)
        for number, (host, kind, value, ttl) in enumerate(records)
    )


def _make_source() -> Source:
    private_key = ec.generate_private_key(ec.SECP256R1())
    text = pem.make_self_signed_certificate(private_key, "garten.example", days=90).decode()
    key = pem.encode_key(private_key).decode()
    return Source(
        customers=(
            Customer(
                _make_origin(1),
                "Garten_1",
                "it@garten.example, second@garten.example",
                LIMITS,
                contact={"first_name": "Ada", "country": "de"},
                language="Deutsch",
                reseller="nord",
                plan="Web L",
                hash=SHA512,
                paths=(PathPrefix("/srv/web/garten", "/www"),),
            ),
            Customer(_make_origin(2), "garten_1", "", Limits(disk_space=-1), is_locked=True),
        ),
        plans=(Plan(_make_origin(3), "Web L", LIMITS), Plan(_make_origin(4), "Unused", Limits(domains=1))),
        domains=(
            Domain(
                _make_origin(10),
                "Garten_1",
                "garten.example",
                folder="/srv/web/garten",
                www=True,
                php="PHP 8.1",
                certificate=Certificate(_make_origin(10), text, key),
                addresses=("192.0.2.10",),
            ),
            Domain(
                _make_origin(11),
                "Garten_1",
                "shop.garten.example",
                parent="garten.example",
                folder="/srv/web/garten/shop",
                is_active=False,
            ),
            Domain(_make_origin(12), "Garten_1", "alias.example", alias_of="garten.example"),
            Domain(
                _make_origin(13),
                "Garten_1",
                "old.example",
                redirect=Redirect("[scheme]://garten.example/", 303),
            ),
        ),
        mail_domains=(
            MailDomain(_make_origin(20), "Garten_1", "garten.example", selector="default"),
            MailDomain(_make_origin(21), "Garten_1", "nurmail.example"),
        ),
        mail_alias_domains=(MailAliasDomain(_make_origin(22), "Garten_1", "post.example", "garten.example"),),
        mailboxes=(
            Mailbox(
                _make_origin(30),
                "Garten_1",
                "info@garten.example",
                -1,
                SHA512,
                copies=("chef@elsewhere.example",),
                login="info_garten",
            ),
        ),
        forwards=(
            Forward(_make_origin(31), "Garten_1", "buero@garten.example", ("info@garten.example",), is_alias=True),
            Forward(_make_origin(32), "Garten_1", "weg@garten.example", ("weit@elsewhere.example", "|/bin/x")),
            Forward(_make_origin(33), "Garten_1", "tot@garten.example", (":fail:",)),
        ),
        catch_alls=(
            CatchAll(_make_origin(34), "Garten_1", "garten.example", ("info@garten.example",)),
            CatchAll(_make_origin(35), "Garten_1", "nurmail.example", ("weit@elsewhere.example",)),
        ),
        zones=(
            Zone(
                _make_origin(40),
                "Garten_1",
                "garten.example",
                _make_records(
                    ("@", "A", "192.0.2.10", 3600),
                    ("www", "CNAME", "shops.elsewhere.example.", 0),
                    ("kasse", "A", "198.51.100.7", 300),
                    ("kasse", "A", "198.51.100.7", 600),
                    ("@", "NS", "ns1.elsewhere.example.", 3600),
                    ("default._domainkey", "TXT", "v=DKIM1; p=AAAA", 3600),
                    ("k1._domainkey", "TXT", "v=DKIM1; p=BBBB", 3600),
                    ("@", "TXT", '"v=spf1 ip4:192.0.2.10 ~all"', 3600),
                    ("@", "MX", "10 mail.garten.example.", 3600),
                ),
                is_whole=True,
            ),
            Zone(_make_origin(41), "Garten_1", "nur-dns.example", (), is_whole=True),
        ),
        databases=(
            Database(_make_origin(50), "Garten_1", "c1web", user="c1user", user_origin=_make_origin(51), hash="*" + "A" * 40),
            Database(_make_origin(52), "Garten_1", "c1shop", user="c1user", user_origin=_make_origin(51), hash="*" + "A" * 40, remote_hosts=("%",)),
        ),
        ftp_users=(
            FtpUser(_make_origin(60), "Garten_1", "garten_ftp", "/srv/web/garten/shop", SHA512),
            FtpUser(_make_origin(61), "Garten_1", "garten_out", "/home/else", SHA512),
        ),
        protection_users=(
            ProtectionUser(_make_origin(70), "Garten_1", "/srv/web/garten/shop/intern", "anna", "$apr1$abcdefgh$" + "x" * 22,
                folder_origin=_make_origin(71)),
        ),
        cron_jobs=(
            CronJob(_make_origin(80), "Garten_1", "*/5 * * * *", "https://u:Geheim99@garten.example/cron", is_url=True),
            CronJob(_make_origin(81), "Garten_1", "@daily", "/bin/true"),
            CronJob(_make_origin(82), "Garten_1", "0 1 * * *", "/bin/true"),
            CronJob(_make_origin(83), "Garten_1", "@reboot", "/bin/true"),
        ),
    )  # fmt: skip


def _combine(mapped: MappedSource) -> dict[str, list[dict[str, Any]]]:
    resources: dict[str, list[dict[str, Any]]] = {}
    for items_by_kind in mapped.resources.values():
        for kind, items in items_by_kind.items():
            resources.setdefault(kind, []).extend(reveal(items))
    return resources


@pytest.fixture
def mapped() -> MappedSource:
    """Return the source as a directory, without a mapping."""
    return map_source(_make_source(), read_mapping(None))


def test_it_applies_to_an_empty_panel_and_is_complete_then(
    in_memory: Any, mapped: MappedSource
) -> None:
    panel = in_memory({}, ip_addresses=["203.0.113.5"], password_hashes="written")
    resources = _combine(mapped)

    first = panel.run("panel_resources", resources=resources)
    assert not first.get("failed"), first["msg"]
    second = panel.run("panel_resources", resources=resources, check_mode=True)
    assert second["plan"]["actions"] == []
    assert first["plan"]["summary"]["create"] == sum(mapped.counts.values()) - mapped.counts["dns"]


def test_records_lead_where_they_did_or_to_the_new_server(
    in_memory: Any, mapped: MappedSource
) -> None:
    panel = in_memory({}, ip_addresses=["203.0.113.5"], password_hashes="written")
    panel.run("panel_resources", resources=_combine(mapped))

    zone = panel.run("panel_dns_info", domain="garten.example")["dns"][0]
    records = {
        (record["host"], record["type"], record["value"]) for record in zone["records"]["other"]
    }
    assert ("@", "A", "203.0.113.5") in records
    assert ("mail", "A", "203.0.113.5") in records
    assert ("www", "CNAME", "shops.elsewhere.example.") in records
    assert ("kasse", "A", "198.51.100.7") in records
    assert ("k1._domainkey", "TXT", "v=DKIM1; p=BBBB") in records
    assert not any(host == "www" and kind == "A" for host, kind, _value in records)


def _find(mapped: MappedSource, kind: str, key: str, option: str) -> dict[str, Any]:
    items: list[dict[str, Any]] = _combine(mapped)[kind]
    return next(item for item in items if item[option] == key)


def test_a_customer_becomes_a_client_with_a_name_that_the_panel_takes(mapped: MappedSource) -> None:
    client = _find(mapped, "clients", "garten_1-2", "username")

    assert client == {
        "username": "garten_1-2",
        "email": "it@garten.example",
        "language": "de",
        "notes": "Reseller: nord",
        "hosting_plan": "Web L",
        "contact_data": {"first_name": "Ada", "country": "DE"},
        "password_hash": SHA512.replace("rounds=5000$", ""),
        "password_hash_os": SHA512.replace("rounds=5000$", ""),
    }
    assert mapped.renamed[0]["from"] == "Garten_1"
    locked = _find(mapped, "clients", "garten_1", "username")
    assert locked["is_suspended"] is True
    assert locked["hosting_plan"] == "Import 1"


@pytest.mark.parametrize(
    ("name", "languages", "code"),
    [("Deutsch", {}, "de"), ("de", {"de": "en"}, "en"), ("Deutsch", {"Deutsch": "fr"}, "fr")],
)
def test_the_language_of_a_customer_is_a_code_or_what_the_operator_says(
    name: str, languages: dict[str, str], code: str
) -> None:
    customer = Customer(_make_origin(1), "anna", "", Limits(), language=name)

    mapped = map_source(Source(customers=(customer,)), read_mapping({"languages": languages}))

    assert _find(mapped, "clients", "anna", "username")["language"] == code


def test_a_hash_that_is_locked_is_left_out_and_suspends_nobody() -> None:
    customer = Customer(_make_origin(1), "anna", "", Limits(), hash=f"!{SHA512}")

    mapped = map_source(Source(customers=(customer,)), read_mapping(None))

    client = _find(mapped, "clients", "anna", "username")
    assert client.keys() & {"is_suspended", "password_hash", "password_hash_os"} == set()
    fields = [entry.get("field") for entry in mapped.left_out if entry["kind"] == "clients"]
    assert fields == ["password_hash"]


@pytest.mark.parametrize(
    ("addresses", "own_address"),
    [
        (["192.0.2.1", "192.0.2.1", "198.51.100.9"], "192.0.2.1"),
        (["192.0.2.1", "198.51.100.9"], None),
        (["192.0.2.1"], "192.0.2.1"),
    ],
)
def test_the_address_of_most_web_domains_is_that_of_the_server(
    addresses: list[str], own_address: str | None
) -> None:
    names = [f"site{number}.example" for number in range(len(addresses))]
    source = Source(
        customers=(Customer(_make_origin(1), "anna", "", Limits()),),
        domains=tuple(
            Domain(_make_origin(10 + number), "anna", name) for number, name in enumerate(names)
        ),
        zones=tuple(
            Zone(
                _make_origin(20 + number),
                "anna",
                name,
                (Record(_make_origin(30 + number), "@", "A", addresses[number], 3600),),
                is_whole=True,
            )
            for number, name in enumerate(names)
        ),
    )

    mapped = map_source(source, read_mapping(None))

    asked = [question["about"] for question in mapped.questions]
    assert asked == ([own_address] if own_address else [])


def test_sites_subdomains_aliases_and_redirects_are_domains(mapped: MappedSource) -> None:
    main = _find(mapped, "domains", "garten.example", "domain")
    assert main["target"] == {"target": "/"}
    assert main["create_www_subdomain"] is True
    assert main["security"] == {"certificate": "garten.example"}
    assert "php_version" not in main
    shop = _find(mapped, "domains", "shop.garten.example", "domain")
    assert shop["parent_domain"] == "garten.example"
    assert shop["is_disabled"] is True
    assert shop["is_email_domain"] is False
    assert shop["target"] == {"target": "/shop"}
    assert _find(mapped, "domains", "alias.example", "domain")["target"] == {"target": "/"}
    assert _find(mapped, "domains", "old.example", "domain")["target"] == {
        "target": "https://garten.example/",
        "forwarding_type": 302,
    }
    assert _find(mapped, "domains", "nurmail.example", "domain")["is_email_domain"] is True


def test_mail_of_an_address_is_one_object(mapped: MappedSource) -> None:
    info = _find(mapped, "emails", "info@garten.example", "email")
    assert info["aliases"] == ["buero@garten.example", "buero@post.example", "info@post.example"]
    assert info["forwardings"] == ["chef@elsewhere.example"]
    assert info["store_forwarded_emails"] is True
    assert info["catch_all"] is True
    assert info["max_size"] == 10 * 1024**3
    away = _find(mapped, "emails", "weg@garten.example", "email")
    assert away["forwardings"] == ["weit@elsewhere.example"]
    assert away["store_forwarded_emails"] is False
    assert away["aliases"] == ["weg@post.example"]
    catch_all = _find(mapped, "emails", "catch-all@nurmail.example", "email")
    assert catch_all["catch_all"] is True
    assert ("info_garten", "info@garten.example") in [
        (entry["from"], entry["to"]) for entry in mapped.renamed
    ]


def test_a_user_of_two_databases_gets_a_second_name_with_the_same_hash(
    mapped: MappedSource,
) -> None:
    shop = _find(mapped, "databases", "c1shop", "database_name")
    assert shop["database_username"] == "c1user_2"
    assert shop["password_hash"] == "*" + "A" * 40


def test_tasks_are_switched_off_and_their_passwords_hidden(mapped: MappedSource) -> None:
    tasks = _combine(mapped)["scheduled_tasks"]
    assert [task["description"] for task in tasks] == [
        "https://…@garten.example …",
        "true",
        "true (2)",
    ]
    assert tasks[0]["type"] == "http"
    assert tasks[1]["schedule"]["hour"] == "0"
    assert not any(task["is_enabled"] for task in tasks)
    assert "Geheim99" not in repr(mapped)


def test_the_operator_is_asked_for_what_was_assumed(mapped: MappedSource) -> None:
    assert mapped.questions == [
        {"mapping": "addresses", "about": "192.0.2.10", "default": None},
        {"mapping": "mailbox_size", "about": "info@garten.example", "default": "10G"},
        {"mapping": "php_versions", "about": "PHP 8.1", "default": ""},
    ]


def test_an_answered_question_is_not_asked(in_memory: Any) -> None:
    mapping = {
        "addresses": {"192.0.2.10": "203.0.113.9"},
        "mailbox_size": "2G",
        "php_versions": {"PHP 8.1": "8.1"},
    }
    mapped = map_source(_make_source(), read_mapping(mapping))

    assert mapped.questions == []
    records = _find(mapped, "dns", "garten.example", "domain")["records"]
    assert {"host": "@", "type": "A", "ttl": 3600, "value": "203.0.113.9"} in records
    assert _find(mapped, "domains", "garten.example", "domain")["php_version"] == "8.1"


@pytest.mark.parametrize(
    ("kind", "mapping"),
    [("dns", "addresses"), ("emails", "mailbox_size"), ("domains", "php_versions")],
)
def test_the_operator_is_asked_nothing_about_a_kind_that_is_skipped(
    kind: str, mapping: str
) -> None:
    mapped = map_source(_make_source(), read_mapping({"skip": [kind]}))

    assert mapping not in {question["mapping"] for question in mapped.questions}


def test_no_hash_is_in_the_directory_where_passwords_are_new() -> None:
    mapped = map_source(_make_source(), read_mapping(None), "new")

    assert not any("password_hash" in item for items in _combine(mapped).values() for item in items)
    assert mapped.passwords.kept == 0
    assert mapped.passwords.new == 7


def test_what_is_left_out_has_a_reason(mapped: MappedSource) -> None:
    reasons = {
        (entry["kind"], entry["key"], entry.get("field")): entry["why"] for entry in mapped.left_out
    }
    for expected in (
        ("plans", "Unused", None),
        ("clients", "Garten_1", "email"),
        ("domains", "garten.example", "php_version"),
        ("dns", "garten.example @ A", None),
        ("dns", "garten.example @ NS", None),
        ("dns", "garten.example default._domainkey TXT", None),
        ("dns", "nur-dns.example", None),
        ("emails", "tot@garten.example", None),
        ("emails", "weg@garten.example", "forwardings"),
        ("ftp_users", "garten_out", None),
        ("scheduled_tasks", "true", None),
        ("clients", "garten_1", "password_hash"),
    ):
        assert reasons[expected]
