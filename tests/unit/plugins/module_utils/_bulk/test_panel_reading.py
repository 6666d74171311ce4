"""What is read from the panel before anything is decided.

One list a kind, one request a zone, and what the lists leave out.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any
from unittest import mock

import pytest

from ansible_collections.hosting.panel.plugins.module_utils import _errors as errors
from ansible_collections.hosting.panel.plugins.module_utils._bulk import panel_reader
from ansible_collections.hosting.panel.plugins.module_utils._errors import (
    Denied,
    PanelError,
    ServerFailed,
    Unreachable,
)
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS, TABLES
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._problems import Written
from tests.support.memory import MemoryPanel
from tests.support.tasks import run_items as run
from tests.support.tasks import run_task
from tests.support.transcript import Dialogue, call, make_answer

IN_DOMAINS = [kind.path for kind in KINDS.values() if kind.name_field in kind.rules.addresses]
ACME = {"id": 11, "username": "acme", "email": "", "notes": "x"}
FEATURES = {
    "resources": {"domains": 5},
    "permissions": {"ssh": True},
    "php": {"memory_limit": "1G"},
    "php_fpm": {},
}
COPIED = {
    "resource_limits": {"domains": 5, "emails": 1},
    "permissions": {"ssh": True},
    "php": {"memory_limit": "1G"},
}
COPIED = {**COPIED, "php_fpm": {}}
BASIC = {"id": 1, "name": "Basic", **FEATURES}


def list_reads(
    objects: Mapping[str, Iterable[Mapping[str, Any]]],
    resources: Mapping[str, Any],
    short: Mapping[str, Iterable[str]] | None = None,
    **options: Any,
) -> list[str]:
    """The paths that are read by a run that finds everything right."""
    settings = {
        "extra_members": {"clients": {"colour": ""}},
        "password_hashes": "written_and_shown",
    }
    panel = MemoryPanel(objects, short, **settings)
    result = run(panel, resources, **options)
    assert not result.get("failed"), result["msg"]
    assert panel.writes == []
    assert result["changed"] is False

    return panel.reads


# Lists


def test_each_kind_that_is_needed_is_listed_once_however_many_objects_there_are() -> None:
    domains = [
        {"id": n, "domain": f"d{n}.example", "id_user": 11, "id_parent_domain": 0}
        for n in range(30, 60)
    ]
    emails = [
        {"id": 100 + n, "email": f"a@d{n}.example", "id_user": 11, "description": "x"}
        for n in range(30, 60)
    ]

    assert list_reads(
        {"/clients": [ACME], "/domains": domains, "/emails": emails},
        {
            "emails": [
                {"email": f"a@d{n}.example", "description": "x", "client": "acme"}
                for n in range(30, 60)
            ],
            "domains": [{"domain": f"d{n}.example"} for n in range(30, 60)],
        },
    ) == ["/clients", "/domains", "/emails"]

    # Of many with one name, such as admin, each is looked at once.
    shared = [{"id_user": n, "path": "/", "username": "admin"} for n in range(30, 60)]
    listed = {
        "/directory-protections": [
            {"id": n, **protection} for n, protection in enumerate(shared, 100)
        ]
    }

    with mock.patch.object(
        panel_reader, "list_compared_paths", wraps=panel_reader.list_compared_paths
    ) as looked_at:
        assert list_reads(listed, {"directory_protections": shared}) == [
            "/directory-protections",
            "/clients",
        ]

    assert looked_at.call_count == len(shared)


def test_the_kinds_that_go_with_a_deletion_are_listed_before_it_is_counted() -> None:
    domain = {"id": 31, "domain": "acme.example", "id_user": 11, "id_parent_domain": 0}
    panel = MemoryPanel({"/clients": [ACME], "/domains": [domain]})

    run(panel, {"domains": [{"domain": "acme.example", "state": "absent"}]}, max_deletes=9)

    assert panel.reads == ["/domains", *IN_DOMAINS, "/clients"]

    panel.forget()
    run(panel, {"clients": [{"username": "acme", "state": "absent"}]}, max_deletes=9)

    assert panel.reads == ["/clients", "/clients/11/resources"]


def test_the_first_list_is_read_alone_so_that_a_denied_key_is_shown_to_the_panel_once() -> None:
    def deny(method: str, path: str, _body: Any) -> None:
        time.sleep(0.05)  # in which the others would be sent
        raise Denied(
            f"{method} {path} answered 401.", method=method, path=path, attempts=1, status=401
        )

    panel = MemoryPanel(before=deny)

    result = run(
        panel,
        {"clients": [{"username": "acme"}], "emails": [], "plans": [{"name": "x"}]},
        concurrency=4,
    )

    assert result["error"]["type"] == "Denied"
    assert panel.calls == [("GET", "/hosting-plans", None)]


@pytest.mark.parametrize("error", [Denied, Unreachable, ServerFailed])
@pytest.mark.parametrize("concurrency", [1, 4])
def test_zones_are_not_asked_for_when_the_panel_does_not_answer_any_more(
    error: type[PanelError], concurrency: int
) -> None:
    def interfere(method: str, path: str, _body: Any) -> None:
        if path != "/dns/name/d0.example":
            raise error(f"{method} {path}: gone.", method=method, path=path, attempts=1)

    panel = MemoryPanel(
        {"/domains": [{"id": n + 1, "domain": f"d{n}.example", "id_user": 1} for n in range(40)]},
        before=interfere,
    )

    result = run(
        panel,
        {"dns": [{"domain": f"d{n}.example", "state": "default"} for n in range(40)]},
        concurrency=concurrency,
    )

    assert result["error"]["type"] == error.__name__
    assert len(panel.calls) <= 1 + concurrency


# What lists leave out


@pytest.mark.parametrize(
    ("options", "lacking"),
    [
        ({"contact_data": {"city": "Bonn"}}, ["contact_data"]),
        ({"extra": {"colour": "blue"}}, ["colour"]),
        (
            {"password_hash": "hash", "password_hash_os": "os", "update_password": "always"},
            ["password_hash"],
        ),
        ({"id_hosting_plan": 1}, ["id_hosting_plan", *COPIED]),
    ],
)
def test_everything_that_is_compared_counts_as_a_managed_member(
    options: dict[str, Any], lacking: list[str]
) -> None:
    client = {
        **ACME,
        "contact_data": {"city": "Bonn"},
        "colour": "blue",
        "password_hash": "hash",
        "id_hosting_plan": 1,
    }
    objects = {"/clients": [client], "/hosting-plans": [BASIC]}
    requested = {"clients": [{"username": "acme", **options}]}

    assert "/clients/11" in list_reads(objects, requested, {"/clients": lacking})
    assert "/clients/11" not in list_reads(objects, requested)


def test_the_owner_comes_from_the_domain_or_the_object_where_the_list_lacks_it() -> None:
    domain = {"id": 31, "domain": "acme.example", "id_user": 11}
    mails = [
        {"id": number, "email": f"{name}@acme.example"} for number, name in enumerate("abc", 5)
    ]
    short = [
        {"id": number, "database_name": name, "id_user": 11} for number, name in enumerate("de", 8)
    ]
    panel = MemoryPanel(
        {"/clients": [ACME], "/domains": [domain], "/emails": mails, "/databases": short},
        {"/databases": ["id_user"]},
    )
    requested = {
        "emails": [{"email": mailbox["email"], "description": "x"} for mailbox in mails],
        "databases": [
            {"database_name": database["database_name"], "description": "x"} for database in short
        ],
    }

    result = run(panel, requested)

    assert [(action["kind"], action["client"]) for action in result["plan"]["actions"]] == [
        ("emails", "acme")
    ] * 3 + [("databases", "acme")] * 2
    assert len(panel.reads) == len(set(panel.reads))

    nobodys = MemoryPanel({"/clients": [ACME], "/emails": mails})
    assert {
        action["client"]
        for action in run(nobodys, {"emails": requested["emails"]})["plan"]["actions"]
    } == {None}


def test_a_field_that_the_panel_never_shows_is_asked_for_and_sent_in_every_run() -> None:
    panel = MemoryPanel(
        {"/clients": [{"id": 11, "username": "acme"}]}, hidden_members={"clients": ["notes"]}
    )

    for _run in range(2):
        panel.forget()
        result = run(panel, {"clients": [{"username": "acme", "notes": "x"}]})
        assert panel.calls == [
            ("GET", "/clients", None),
            ("GET", "/clients/11", None),
            ("PUT", "/clients/11", {"notes": "x"}),
        ]
        (warning,) = result["warnings"]
        assert warning.startswith(
            "clients[0] (acme): The panel does not show notes of the client acme"
        )


# Hosting plans


@pytest.mark.parametrize("options", [{"hosting_plan": "Basic"}, {"id_hosting_plan": 1}], ids=str)
def test_a_plan_that_clients_do_not_show_is_told_by_its_features(options: dict[str, Any]) -> None:
    objects = {"/clients": [{**ACME, **COPIED}], "/hosting-plans": [BASIC]}
    requested = {"clients": [{"username": "acme", **options}]}

    assert list_reads(objects, requested) == ["/hosting-plans", "/clients"]

    short = {"/clients": [*COPIED], "/hosting-plans": [*FEATURES]}
    assert list_reads(objects, requested, short) == [
        "/hosting-plans",
        "/clients",
        "/clients/11",
        "/hosting-plans/1",
    ]


@pytest.mark.parametrize(
    "short", [["resource_limits"], ["resource_limits", "id_hosting_plan"], []], ids=str
)
@pytest.mark.parametrize("disk_space", [1, 2])
def test_a_plan_that_is_null_is_told_by_its_features_in_bulk_as_by_a_single_task(
    short: list[str], disk_space: int
) -> None:
    client = {**ACME, "id_hosting_plan": None, "resource_limits": {"disk_space": 1}}
    world = {
        "/clients": [client],
        "/hosting-plans": [{"id": 2, "name": "Pro", "resources": {"disk_space": disk_space}}],
    }
    item = {"username": "acme", "hosting_plan": "Pro"}
    panels = [MemoryPanel(world, {"/clients": short}) for _n in "ab"]
    results = [
        run(panels[0], {"clients": [item]}),
        run_task(build_resource_operation(TABLES["clients"]), panels[1], item),
    ]

    assert [panel.writes for panel in panels] == [
        [("PUT", "/clients/11", {"id_hosting_plan": 2})] * (disk_space - 1)
    ] * 2
    assert not any(result.get("failed") or "warnings" in result for result in results)


@pytest.mark.parametrize(("traffic", "is_change"), [(5, False), (6, True)])
def test_a_field_of_a_group_that_a_list_leaves_out_is_read_of_the_object(
    traffic: int, is_change: bool
) -> None:
    plan = {"id": 1, "name": "Pro", "resources": {"disk_space": 1, "traffic": 5}}
    panel = MemoryPanel({"/hosting-plans": [plan]}, {"/hosting-plans": ["resources.traffic"]})

    result = run(panel, {"plans": [{"name": "Pro", "resources": {"traffic": traffic}}]})

    assert panel.reads[:2] == ["/hosting-plans", "/hosting-plans/1"]
    assert result["changed"] is is_change
    assert len(panel.writes) == is_change


@pytest.mark.parametrize("reapply", [False, True])
def test_a_plan_that_cannot_be_told_is_warned_of_once(reapply: bool) -> None:
    hidden = {"clients": ["id_hosting_plan", *COPIED]}
    panel = MemoryPanel({"/clients": [ACME], "/hosting-plans": [BASIC]}, hidden_members=hidden)
    item = {"username": "acme", "hosting_plan": "Basic", "reapply_plan": reapply}

    result = run_task(build_resource_operation(TABLES["clients"]), panel, item)

    assert result["changed"] is False
    assert len(result["warnings"]) == 1


# Zones


def test_every_named_zone_is_read_once_and_domains_are_not_listed_for_it() -> None:
    domains = [{"id": n, "domain": f"d{n}.example", "id_user": 1} for n in (31, 32, 33)]
    requested = {"dns": [{"domain": f"d{n}.example", "state": "default"} for n in (31, 32)]}

    assert list_reads({"/domains": domains}, requested) == [
        "/dns/name/d31.example",
        "/dns/name/d32.example",
    ]


GONE = "is not a main domain of this panel: there is no such domain. Create it first, or correct the task."


def test_zones_that_cannot_be_managed_are_mistakes_of_their_items() -> None:
    def refuse(method: str, path: str, _body: Any) -> None:
        if path == "/dns/name/odd.example":
            raise errors.UnexpectedAnswer(
                f"GET {path} has no records.", method=method, path=path, attempts=1
            )

        if path == "/dns/name/broken.example":
            raise errors.Refused(
                f"GET {path} answered 400: broken.",
                advice="",
                written=Written.NOTHING,
                method=method,
                path=path,
                status=400,
            )

    domains = [{"id": 32, "domain": "sub.acme.example", "id_parent_domain": 31}]
    panel = MemoryPanel({"/domains": domains}, before=refuse)
    names = ("sub.acme.example", "nowhere.example", "broken.example", "odd.example")

    result = run(
        panel, {"dns": [*({"domain": name, "state": "default"} for name in names), {"id": 77}]}
    )

    assert [text.partition(" Manage")[0] for text in result["error"]["mistakes"]] == [
        "dns[0] (sub.acme.example) domain: sub.acme.example is not a main domain of this panel: a subdomain has no zone.",
        f"dns[1] (nowhere.example) domain: nowhere.example {GONE}",
        "dns[2] (broken.example) GET /dns/name/broken.example answered 400: broken.",
        "dns[3] (odd.example) GET /dns/name/odd.example has no records.",
        f"dns[4] (the domain with id 77) id: the domain with id 77 {GONE}",
    ]
    assert panel.writes == []


# Lists that are not quite as the API describes them


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ((1, 1), "clients: GET /clients shows an id twice"),
        (([1], 2), "clients: GET /clients shows id of client acme as [1];"),
        (({"a": 1}, 2), 'clients: GET /clients shows id of client acme as {"a": 1};'),
    ],
    ids=str,
)
def test_ids_that_do_not_tell_objects_from_each_other_end_the_task_before_a_write(
    dialogue: Dialogue, ids: tuple[Any, Any], message: str
) -> None:
    listed = [
        {"id": client_id, "username": name}
        for client_id, name in zip(ids, ("acme", "globex"), strict=True)
    ]
    panel = dialogue(call("GET", "/clients", make_answer(200, listed)))

    result = run(
        panel, {"clients": [{"username": "acme", "notes": "x"}]}, purge=["clients"], max_deletes=9
    )

    assert result["error"]["type"] == "UnexpectedAnswer"
    assert result["msg"].startswith(message)


def test_a_purge_deletes_by_the_number_that_a_text_says(dialogue: Dialogue) -> None:
    shop = {"id": "7", "database_name": "acme_shop", "id_user": "1"}
    listed = [shop, {"id": 8, "database_name": "acme_blog", "id_user": 1}]
    panel = dialogue(
        call("GET", "/databases", make_answer(200, listed)),
        call("GET", "/clients", make_answer(200, [{"id": 1, "username": "acme"}])),
        *(call("GET", path, make_answer(200, [])) for path in ("/domains", "/hosting-plans")),
        call("DELETE", "/databases/7", make_answer(204)),
    )
    run(panel, {"databases": [{"database_name": "acme_blog"}]}, purge=["databases"], max_deletes=9)


@pytest.mark.parametrize("identifier", ["../clients/2", "x", 1.5, True, -1])
def test_a_purge_never_deletes_by_what_is_no_id(dialogue: Dialogue, identifier: Any) -> None:
    listed = [{"id": identifier, "database_name": "acme_shop", "id_user": 1}]
    panel = dialogue(call("GET", "/databases", make_answer(200, listed)))

    result = run(panel, {"databases": []}, purge=["databases"], max_deletes=9)

    assert result["error"]["type"] == "UnexpectedAnswer"
