"""The wanted objects of a whole panel.

What is read from them, and every mistake in them at once.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.bulk_task import (
    build_resources_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._items.desired_items import (
    Item,
    read_items,
)
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS, TABLES
from ansible_collections.hosting.panel.plugins.module_utils._schema.desired_object import (
    build_argument_spec,
)
from tests.support.memory import MemoryPanel
from tests.support.samples import get_key
from tests.support.tasks import run_task

SECRET = "s3cret-of-a-customer"
KEY = f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----\n"
DIGITS = "is a number, and YAML may have changed its digits (01234 becomes 668); put it in quotes."
SWITCH = "is not accepted; YAML reads yes, no, on and off as a switch. Put the word in quotes."


def find_mistakes(resources: Any, **options: Any) -> list[str]:
    """What a task says of these items, in check mode the same.

    It sends nothing and shows no secret.
    """
    panel = MemoryPanel()
    results = [
        run_task(
            build_resources_operation(), panel, {"resources": resources, **options}, check_mode=mode
        )
        for mode in (False, True)
    ]
    assert panel.calls == []
    result = results[0]
    assert results[1] == result
    assert result["failed"] is True
    assert result["changed"] is False
    assert SECRET not in str(result)
    assert result["error"]["type"] == "WrongItems"
    problems: list[str] = result["error"]["mistakes"]
    count = f"{len(problems)} mistakes: " if len(problems) > 1 else ""
    assert result["msg"] == f"{count}{' '.join(problems)} Nothing was written."

    return problems


def get_only_mistake(resources: Any, **options: Any) -> str:
    """The one mistake of these items."""
    problems = find_mistakes(resources, **options)
    assert len(problems) == 1, problems
    return problems[0]


def list_items(resources: dict[str, Any]) -> dict[str, list[Item]]:
    """The items of resources without a mistake."""
    reading = read_items(resources)
    assert reading.mistakes == ()
    return dict(reading.items)


# The whole


def test_every_mistake_of_a_whole_file_is_told_at_once_each_with_its_place_and_option() -> None:
    problems = find_mistakes(
        {
            "mailboxes": [],
            "clients": [
                {"username": "acme", "emial": "it@acme.example"},
                {"username": "globex", "api_key": SECRET, "api_url": "https://panel.example"},
                {"username": "initech", "wait": True, "wait_timeout": 5, "read_back": True},
                {"username": "Hooli"},
                ["username", "umbrella"],
                {"email": "it@acme.example"},
            ],
            "domains": [
                {"domain": "acme.example", "client": "acme", "id_user": 3},
                {"domain": "müller.example"},
                {"domain": "XN--MLLER-KVA.Example."},
                {
                    "domain": "shop.example",
                    "security": {"hsts_max_age": "long", "lets_encrypt": "perhaps"},
                },
            ],
            "emails": [
                {
                    "email": "info@acme.example",
                    "max_size": "1.5G",
                    "catch_all": "perhaps",
                    "state": "gone",
                },
                {"email": "nobody"},
            ],
            "databases": "acme_shop",
            "dns": [
                {
                    "domain": "acme.example",
                    "records": [
                        {"host": "www", "type": "A", "ttl": 60, "value": "nowhere"},
                        {"host": "www", "type": "A", "ttl": 60, "value": "192.0.2.1"},
                        {"host": "www", "type": "AAAA", "ttl": "soon", "value": "2001:db8::1"},
                    ],
                },
                {
                    "domain": "shop.example",
                    "state": ["present"],
                    "soa": {"refesh": 60, "retyr": 60, "ttl": -1},
                },
            ],
        }
    )

    assert [text.partition(";")[0] for text in problems] == [
        "mailboxes: there is no such type",
        "clients[0] (acme) emial: there is no such option",
        "clients[1] (globex) api_key: the connection is given once for the task, not in an item.",
        "clients[1] (globex) api_url: the connection is given once for the task, not in an item.",
        "clients[2] (initech) wait: is an option of the single module only.",
        "clients[2] (initech) wait_timeout: is an option of the single module only.",
        "clients[2] (initech) read_back: is an option of the single module only.",
        "clients[3] (Hooli) username: 'Hooli' is not accepted",
        "clients[4]: must be a dictionary of options.",
        "clients[5] username: missing",
        "domains[0] (acme.example) client: excludes id_user",
        "domains[2] (xn--mller-kva.example): names the same object as domains[1].",
        "domains[3] (shop.example) security.hsts_max_age: 'long' is not accepted",
        "domains[3] (shop.example) security.lets_encrypt: 'perhaps' is not accepted",
        "dns[0] (acme.example) records[0].value: 'nowhere' is not accepted",
        "dns[0] (acme.example) records[2].ttl: 'soon' is not accepted",
        "dns[1] (shop.example) state: ['present'] is not accepted",
        "dns[1] (shop.example) soa.refesh: there is no such field",
        "dns[1] (shop.example) soa.retyr: there is no such field",
        "dns[1] (shop.example) soa.ttl: -1 is not accepted",
        "emails[0] (info@acme.example) catch_all: 'perhaps' is not accepted",
        "emails[0] (info@acme.example) state: 'gone' is not accepted",
        "emails[0] (info@acme.example) max_size: '1.5G' is not accepted",
        "emails[1] (nobody) email: 'nobody' is not accepted",
        "databases: must be a list of dictionaries.",
    ]


# Single options


def test_the_options_are_told_where_one_is_unknown_but_not_those_that_are_refused() -> None:
    text = get_only_mistake({"domains": [{"domain": "acme.example", "php": "8.3"}]})
    start = "domains[0] (acme.example) php: there is no such option; there are "

    assert text.startswith(start)

    options_named = text.removeprefix(start).rstrip(".").split(", ")
    assert options_named == sorted(
        set(build_argument_spec(TABLES["domains"])) - {"wait", "wait_timeout", "read_back"}
    )


@pytest.mark.parametrize(
    ("kind", "options", "mistake"),
    [
        ("clients", {}, "username: missing; clients are named by username, or by id."),
        (
            "clients",
            {"username": ""},
            "username: '' is not accepted; it must be the name of a client,",
        ),
        ("clients", {"id": 0}, "id: 0 is not accepted; it must be a whole number from 1."),
        ("clients", {"id": "first"}, "id: 'first' is not accepted; it must be a whole number."),
        ("clients", {"id": 1.5}, "id: 1.5 is not accepted; it must be a whole number."),
        (
            "clients",
            {"id": 3, "username": "acme"},
            "(acme) id: excludes username; give one of the two.",
        ),
        (
            "directory_protections",
            {"client": "acme"},
            "(acme) path: missing; directory protections are named by client + path + username, or by id.",
        ),
        (
            "scheduled_tasks",
            {"client": "Acme", "description": "x"},
            "(Acme:x) client: 'Acme' is not accepted;",
        ),
        ("dns", {}, "domain: give either domain or id."),
        (
            "dns",
            {"domain": "acme.example", "id": 3},
            "(acme.example) domain: give either domain or id.",
        ),
        (
            "dns",
            {"id": 3, "domain": "acme.example"},
            "(acme.example) domain: give either domain or id.",
        ),
        ("dns", {"id": "x"}, "id: 'x' is not accepted; it must be a whole number."),
        (
            "dns",
            {"domain": "acme.example", "state": {"a": 1}},
            "(acme.example) state: {'a': 1} is not accepted; it must be a string.",
        ),
        (
            "dns",
            {"domain": "acme.example", "append": "perhaps"},
            "(acme.example) append: 'perhaps' is not accepted; it must be true or false.",
        ),
        ("dns", {"domain": "nowhere"}, "(nowhere) domain: 'nowhere' is not accepted;"),
        (
            "dns",
            {"domain": "acme.example", "records": [5], "purge": True},
            "(acme.example) records[0]: must be a dictionary with host, type, ttl, value.",
        ),
        (
            "dns",
            {"domain": "acme.example", "records": {}},
            "(acme.example) records: must be a list of dictionaries with host, type, ttl, value.",
        ),
        (
            "domains",
            {"domain": "acme.example", "id_user": 3, "client": "acme"},
            "(acme.example) client: excludes id_user; give one of the two.",
        ),
        (
            "domains",
            {"domain": "acme.example", "security": {"certificate": "x", "id_certificate": 3}},
            "(acme.example) security.certificate: excludes security.id_certificate; give one of the two.",
        ),
        (
            "domains",
            {"domain": "acme.example", "security": {}},
            "(acme.example) security: an empty dictionary would change nothing; list the fields to change.",
        ),
        (
            "domains",
            {"domain": "acme.example", "security": "on"},
            "(acme.example) security: must be a dictionary with certificate, ",
        ),
        (
            "domains",
            {"domain": "acme.example", "security": {"hsts": True}},
            "(acme.example) security.hsts: there is no such field;",
        ),
        (
            "domains",
            {"domain": "acme.example", "target": {"forwarding_type": 307}},
            "(acme.example) target.forwarding_type: 307 is not accepted; it must be one of 301, 302.",
        ),
        (
            "scheduled_tasks",
            {"client": "acme", "description": "x", "type": "cron"},
            "(acme:x) type: 'cron' is not accepted; it must be one of exec, php, http.",
        ),
        (
            "clients",
            {"username": "acme", "extra": {"email": "x"}},
            "(acme) extra: email is a separate option; give it there.",
        ),
        (
            "clients",
            {"username": "acme", "extra": "colour=blue"},
            "(acme) extra: must be a dictionary of other fields.",
        ),
        (
            "emails",
            {"email": "info@acme.example", "max_size": 1.5},
            "(info@acme.example) max_size: 1.5 is not accepted",
        ),
        (
            "emails",
            {"email": "info@acme.example", "aliases": ["a@acme.example", False]},
            f"(info@acme.example) aliases[1]: False {SWITCH}",
        ),
        (
            "clients",
            {"username": "acme", "contact_data": {"country": False}},
            f"(acme) contact_data.country: False {SWITCH}",
        ),
        ("clients", {"username": "acme", "language": True}, f"(acme) language: True {SWITCH}"),
        (
            "clients",
            {"username": "acme", "notes": {"a": "x"}},
            "(acme) notes: {'a': 'x'} is not accepted; it must be a string.",
        ),
        (
            "emails",
            {"email": "info@acme.example", "client": None, "state": "absent"},
            "(info@acme.example) client: is null, which would take away what another client has; omit it",
        ),
        (
            "dns",
            {
                "domain": "acme.example",
                "state": "absent",
                "records": [{"host": "www", "type": "A", "value": None}],
            },
            "(acme.example) records[0].value: is null, which would remove every record of this host and type; omit it",
        ),
        (
            "emails",
            {"email": "info@acme.example", "max_size": True},
            "(info@acme.example) max_size: True is not accepted; it must be a whole number",
        ),
        ("clients", {"id": True}, "id: True is not accepted; it must be a whole number."),
        (
            "plans",
            {"name": "Business", "resources": {"domains": 2.5}},
            "(Business) resources.domains: 2.5 is not accepted; it must be a whole number",
        ),
    ],
)
def test_a_wrong_option_is_the_only_mistake_and_names_the_accepted_form(
    kind: str, options: dict[str, Any], mistake: str
) -> None:
    assert get_only_mistake({kind: [options]}).startswith(f"{kind}[0] {mistake}")


# Secrets


@pytest.mark.parametrize(
    ("kind", "options", "mistake"),
    [
        (
            "emails",
            {"password": SECRET, "password_hash": SECRET},
            "password: excludes password_hash; give one of the two.",
        ),
        (
            "emails",
            {"password": {"x": SECRET}},
            "password: the given value is not accepted; it must be a string.",
        ),
        (
            "emails",
            {"password_hash": [SECRET]},
            "password_hash: the given value is not accepted; it must be a string.",
        ),
        ("emails", {"password": 342391}, f"password: the given value {DIGITS}"),
        ("emails", {"password_hash": 1.5}, f"password_hash: the given value {DIGITS}"),
        ("emails", {"password": True}, f"password: the given value {SWITCH}"),
        (
            "clients",
            {"password_hash": SECRET},
            "password_hash_os: missing; it is needed with password_hash.",
        ),
        (
            "clients",
            {"password_hash_os": SECRET},
            "password_hash: missing; it is needed with password_hash_os.",
        ),
        (
            "clients",
            {"password_hash_os": SECRET, "password_hash": [SECRET]},
            "password_hash: the given value is not accepted; it must be a string.",
        ),
        ("emails", {"password": ""}, "password: is empty,"),
        (
            "emails",
            {"password": SECRET, "regenerate_password": "yes"},
            "password: excludes regenerate_password: true;",
        ),
        (
            "emails",
            {"password": SECRET, "update_password": "never"},
            "update_password: the given value is not accepted;",
        ),
        (
            "emails",
            {"password": SECRET, "description": [SECRET]},
            "description: ['********'] is not accepted;",
        ),
        ("emails", {"passwort": SECRET}, "passwort: there is no such option;"),
        (
            "certificates",
            {"components": {"private_key": SECRET}},
            "components.private_key: the given value is not",
        ),
        (
            "certificates",
            {"components": KEY},
            "components: must be a dictionary with certificate, ",
        ),
        ("certificates", {"components": {"certificate": KEY}}, "components.certificate: "),
    ],
)
def test_a_mistake_beside_a_secret_shows_nothing_of_it(
    kind: str, options: dict[str, Any], mistake: str
) -> None:
    named = {name: sample.option for name, sample in get_key(TABLES[kind]).items()}
    subject = f"{kind}[0] ({':'.join(named.values())}) "

    assert get_only_mistake({kind: [{**named, **options}]}).startswith(subject + mistake)


def test_an_item_knows_the_secrets_that_a_message_may_not_have() -> None:
    (item,) = list_items(
        {
            "emails": [
                {
                    "email": "info@acme.example",
                    "password": SECRET,
                    "extra": {"token": "t0ken-of-it"},
                }
            ]
        }
    )["emails"]

    assert item.list_secrets() == [SECRET, "t0ken-of-it"]
    assert SECRET not in repr(item)


# The other options of the task


@pytest.mark.parametrize(
    ("options", "mistake"),
    [
        (
            {"purge": ["emails"]},
            "purge: resources has no emails; give an empty list to delete all of them.",
        ),
        (
            {"concurrency": 0},
            "concurrency: 0 is not accepted; it must be a whole number from 1 to 16.",
        ),
        (
            {"concurrency": 17},
            "concurrency: 17 is not accepted; it must be a whole number from 1 to 16.",
        ),
        ({"max_deletes": -1}, "max_deletes: -1 is not accepted; it must be a whole number from 0."),
        (
            {"protect": {"dns": ["x"]}},
            "protect: there is no type dns; there are plans, admins, clients, certificates,",
        ),
        (
            {"protect": {"emails": "sales@*"}},
            "protect.emails: must be a list of names or shell patterns.",
        ),
        (
            {"protect": {"emails": [True]}},
            "protect.emails[0]: True is not accepted; YAML reads yes, no, on and off",
        ),
        (
            {"protect": {"clients": ["acme", 83]}},
            "protect.clients[1]: 83 is a number, and YAML may have changed",
        ),
        (
            {"protect": {"clients": ["acme", "83 "]}},
            "protect.clients[1]: '83 ' has blanks around what may be a number, and YAML may",
        ),
        (
            {"protect": {"clients": [None]}},
            "protect.clients[0]: None is not accepted; it must be a string.",
        ),
        (
            {"protect": {"emails": [""]}},
            "protect.emails[0]: is empty, which would protect nothing; name an object, or",
        ),
        (
            {"protect": {"clients": ["acme", " \t"]}},
            "protect.clients[1]: is empty, which would protect nothing;",
        ),
        (
            {"protect": {"domains": [["acme.example"]]}},
            "protect.domains[0]: ['acme.example'] is not accepted;",
        ),
    ],
    ids=str,
)
def test_the_other_options_are_checked_with_the_items(
    options: dict[str, Any], mistake: str
) -> None:
    assert get_only_mistake({"clients": []}, **options).startswith(mistake)

    problems = find_mistakes({"clients": [{}]}, **options)
    assert problems[0].startswith("clients[0] username: missing")
    assert problems[1].startswith(mistake)


# What is read


def test_the_items_are_in_the_order_of_dependency_and_subdomains_after_their_domains() -> None:
    resources = {
        "emails": [{"email": "a@acme.example"}],
        "domains": [
            {"domain": "a.b.acme.example"},
            {"domain": "z.example"},
            {"domain": "b.acme.example"},
            {"domain": "acme.example"},
        ],
        "dns": [{"domain": "acme.example"}],
        "plans": [{"name": "x"}],
    }
    parsed = list_items(resources)

    assert list(parsed) == ["plans", "domains", "dns", "emails"]
    assert [(item.index, item.key) for item in parsed["domains"]] == [
        (1, "z.example"),
        (3, "acme.example"),
        (2, "b.acme.example"),
        (0, "a.b.acme.example"),
    ]
    assert str(parsed["domains"][0].name) == "domains[1] (z.example)"


@pytest.mark.parametrize("wrong", [{"nothing": 1}, {"Geheim-2026z": 1}, {"update_password": 5}])
@pytest.mark.parametrize("plural", [name for name, kind in KINDS.items() if kind.password])
def test_no_mistake_shows_a_password_that_is_a_name_of_its_item(
    plural: str, wrong: dict[str, Any]
) -> None:
    names = dict.fromkeys(KINDS[plural].key_options, "Geheim-2026z")
    twice = {**names, "password": "Geheim-2026z"}

    mistakes = read_items({plural: [{**twice, **wrong}, twice, names]}).mistakes

    assert mistakes
    assert "Geheim" not in str(mistakes)
