"""What a purge takes, what no deletion takes, and how many objects go.

A rebuild without private keys makes everything but certificates.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.actions import (
    Action,
    Cascaded,
    Deletion,
)
from ansible_collections.hosting.panel.plugins.module_utils._bulk.bulk_task import (
    build_resources_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._bulk.deletion_guards import (
    check_deletions,
)
from ansible_collections.hosting.panel.plugins.module_utils._bulk.deletions import Cascade
from ansible_collections.hosting.panel.plugins.module_utils._bulk.name_patterns import NamePatterns
from ansible_collections.hosting.panel.plugins.module_utils._bulk.panel_reader import PanelReader
from ansible_collections.hosting.panel.plugins.module_utils._bulk.plan_state import PlanState
from ansible_collections.hosting.panel.plugins.module_utils._errors import (
    Conflict,
    UnexpectedAnswer,
)
from ansible_collections.hosting.panel.plugins.module_utils._items.desired_items import read_items
from ansible_collections.hosting.panel.plugins.module_utils._items.export_task import (
    export_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import DOMAIN
from ansible_collections.hosting.panel.plugins.module_utils._sources.snapshot_source import (
    SnapshotSource,
)
from tests.support.memory import MemoryPanel
from tests.support.tasks import run_items, run_task

Objects = dict[str, list[dict[str, Any]]]
TASK = {"type": "exec", "command": "/bin/true"}
NO_NAME = "the panel shows no description of it, without which it is not made again"
TWICE = "several have this name, so an item could not say which one it means"
OWNERLESS = "the client that it belongs to is not on the panel, cannot be named, or is left out too"


def make_objects() -> Objects:
    """Objects that no item can name, beside one of each kind that an item can."""
    return {
        "/clients": [{"id": 1, "username": "acme"}, {"id": 2, "username": "UPPER"}],
        "/domains": [
            {
                "id": 11,
                "domain": "acme.example",
                "id_user": 1,
                "id_parent_domain": 0,
                "is_system_domain": False,
            },
            {
                "id": 12,
                "domain": "upper.example",
                "id_user": 2,
                "id_parent_domain": 0,
                "is_system_domain": False,
            },
        ],
        "/emails": [
            {"id": 21, "email": "info@acme.example", "id_user": 1},
            {"id": 22, "email": "nobody", "id_user": 1},
            {"id": 23, "email": "lost@acme.example", "id_user": 99},
        ],
        "/directory-protections": [
            {"id": 31, "id_user": 1, "path": "/shop", "username": "u"},
            {"id": 32, "id_user": 1, "path": " ", "username": "u"},
        ],
        "/scheduled-tasks": [
            {"id": 41, "id_user": 1, "description": "Backup", **TASK},
            {"id": 42, "id_user": 1, "description": "", **TASK},
            {"id": 43, "id_user": 1, "description": "", **TASK},
            {"id": 44, "id_user": 1, "description": "cron", **TASK},
            {"id": 45, "id_user": 1, "description": "cron", **TASK},
            {"id": 47, "id_user": 1, "description": "Lame", "type": "exec", "command": ""},
        ],
    }


KINDS = ["clients", "domains", "emails", "directory_protections", "scheduled_tasks"]


def purge(panel: MemoryPanel, resources: dict[str, Any], *kinds: str) -> dict[str, Any]:
    """Run the items with a purge of some kinds, which succeeds."""
    result = run_items(panel, resources, purge=list(kinds), max_deletes=99)
    assert not result.get("failed"), result["msg"]
    return result


@pytest.mark.parametrize(
    "short", [{}, {"/scheduled-tasks": ["command"], "/emails": ["id_user"]}], ids=str
)
def test_an_export_that_is_applied_with_a_purge_of_everything_deletes_nothing(
    short: dict[str, list[str]],
) -> None:
    panel = MemoryPanel(make_objects(), short)
    resources = run_task(export_operation(), panel, {"kinds": KINDS})["resources"]

    result = purge(panel, resources, *KINDS)

    assert result["changed"] is False
    assert panel.writes == []
    assert {kind: len(items) for kind, items in resources.items()} == dict.fromkeys(KINDS, 1)


def test_what_a_purge_leaves_is_named_with_the_reason_and_what_deletes_it() -> None:
    panel = MemoryPanel(make_objects())
    result = purge(panel, {"scheduled_tasks": [], "emails": []}, "scheduled_tasks", "emails")

    assert panel.writes == [("DELETE", "/scheduled-tasks/41", None), ("DELETE", "/emails/21", None)]

    address = "its email 'nobody' is none that the module accepts; it must be an e-mail address such as info@example.com, in punycode or UTF-8"
    lame = "the panel shows no command of it, without which it is not made again"

    assert result["warnings"] == [
        f"purge: {names}: not deleted, since no item could keep it: {reason}. Delete such objects by id, with state: absent."
        for names, reason in (
            ("emails: nobody (id 22)", address),
            ("emails: lost@acme.example (id 23)", OWNERLESS),
            ("scheduled_tasks: acme:id 42 (id 42), acme:id 43 (id 43)", NO_NAME),
            ("scheduled_tasks: acme:cron (id 44), acme:cron (id 45)", TWICE),
            ("scheduled_tasks: acme:Lame (id 47)", lame),
        )
    ]


def test_a_comparison_names_what_no_item_could_keep_and_does_not_speak_of_a_purge() -> None:
    """Compare a panel with its export, which lacks such objects."""
    panel = MemoryPanel(make_objects())
    resources = run_task(export_operation(), panel, {"kinds": ["plans", *KINDS]})["resources"]

    result = run_items(panel, resources, compare=True, check_mode=True)

    assert result["changed"] is False
    assert result["plan"]["actions"] == []
    assert sorted(omission["id"] for omission in result["not_compared"]) == sorted(
        [2, 12, 22, 23, 32, 42, 43, 44, 45, 47]
    )
    assert {"kind": "emails", "key": "lost@acme.example", "id": 23, "reason": OWNERLESS} in result[
        "not_compared"
    ]

    warning = f"emails: lost@acme.example (id 23): not compared, since no item could keep it: {OWNERLESS}."
    assert warning in result["warnings"]
    assert "deleted" not in str(result["warnings"])


def test_what_a_purge_leaves_goes_by_its_id_and_is_warned_of_no_more() -> None:
    panel = MemoryPanel(make_objects())
    absent = [{"id": number, "state": "absent"} for number in (42, 43, 44, 45, 47)]

    result = purge(
        panel,
        {"scheduled_tasks": [{"client": "acme", "description": "Backup"}, *absent]},
        "scheduled_tasks",
    )

    assert sorted(path for _method, path, _body in panel.writes) == [
        f"/scheduled-tasks/{task['id']}" for task in absent
    ]
    assert "warnings" not in result


def test_a_purge_that_deletes_nothing_asks_for_no_more_than_its_own_list() -> None:
    panel = MemoryPanel({"/emails": [], "/clients": [{"id": 1, "username": "acme"}]})
    purge(panel, {"emails": []}, "emails")

    assert [path for _method, path, _body in panel.calls] == ["/emails"]


# What lists leave out


DOMAINS = [
    {"id": 11, "domain": "acme.example", "id_user": 1, "id_parent_domain": 0},
    {
        "id": 12,
        "domain": "system.example",
        "id_user": 1,
        "id_parent_domain": 0,
        "is_system_domain": True,
    },
    {"id": 13, "domain": "old.example", "id_user": 1, "id_parent_domain": 0},
    {"id": 14, "domain": "sub.old.example", "id_user": 1, "id_parent_domain": 13},
    {"id": 15, "domain": "sub.system.example", "id_user": 1, "id_parent_domain": 12},
]


def test_a_system_domain_stays_where_it_alone_shows_that_it_is_one_and_the_list_does_not() -> None:
    clients = [{"id": 1, "username": "acme"}]
    short = ["is_system_domain", "id_user"]
    panel = MemoryPanel({"/clients": clients, "/domains": DOMAINS}, {"/domains": short})

    purge(panel, {"domains": [{"domain": "acme.example"}]}, "domains")

    assert [path for _method, path, _body in panel.writes] == [
        "/domains/14",
        "/domains/15",
        "/domains/13",
    ]
    assert "/domains/11" not in panel.reads


def test_single_objects_show_the_main_administrator_and_the_subdomains() -> None:
    details = {"zoe": {}, "chief": {"is_main_admin": True}, "aide": {"is_main_admin": False}}
    admins = [
        {"id": number, "username": name, **details[name]} for number, name in enumerate(details, 1)
    ]
    panel = MemoryPanel({"/admins": admins}, {"/admins": ["is_main_admin"]})

    purge(panel, {"admins": []}, "admins")

    assert sorted(path for _method, path, _body in panel.writes) == ["/admins/1", "/admins/3"]

    top = [{name: value for name, value in domain.items() if value != 0} for domain in DOMAINS]
    panel = MemoryPanel(
        {"/clients": [{"id": 1, "username": "acme"}], "/domains": top},
        {"/domains": ["id_parent_domain"]},
    )
    deletions = {"domains": [{"domain": "old.example", "state": "absent"}]}

    result = run_task(
        build_resources_operation(), panel, {"resources": deletions, "concurrency": 1}
    )

    assert result["error"]["objects"] == [{"kind": "domains", "key": "sub.old.example"}]


def test_a_purge_reads_no_object_that_an_item_names() -> None:
    mailboxes = [
        {"id": 100 + n, "email": f"m{n}@acme.example", "id_user": 1, "description": ""}
        for n in range(9)
    ]
    world = {
        "/clients": [{"id": 1, "username": "acme"}],
        "/domains": DOMAINS[:1],
        "/emails": mailboxes,
    }
    panel = MemoryPanel(world, {"/emails": ["id_user"], "/domains": ["id_user"]})
    named = [{"email": mailbox["email"], "description": ""} for mailbox in mailboxes]

    purge(panel, {"emails": named}, "emails")

    assert panel.reads == ["/emails"]

    panel.forget()
    purge(panel, {"emails": named[1:]}, "emails")

    assert [path for path in panel.reads if path.startswith("/emails/")] == ["/emails/100"]
    assert panel.writes == [("DELETE", "/emails/100", None)]


# A rebuild from an export, which has no private keys


PEM = "-----BEGIN CERTIFICATE-----\nMAIFAA==\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nMAIFAA==\n-----END PRIVATE KEY-----\n"
EXPORTED: dict[str, list[dict[str, Any]]] = {
    "clients": [{"username": "acme", "password": "Correct-horse-7"}],
    "certificates": [{"name": "acme 2026", "client": "acme", "components": {"certificate": PEM}}],
    "domains": [
        {
            "domain": "acme.example",
            "client": "acme",
            "security": {"certificate": "acme 2026", "is_prefer_https": True},
        }
    ],
}
LEFT_OUT = {
    "kind": "certificates",
    "key": "acme 2026",
    "id": None,
    "result": "skipped",
    "msg": "components.private_key: not given, and needed to create it.",
}


def test_a_certificate_without_its_key_is_left_out_and_everything_else_is_made() -> None:
    panel = MemoryPanel()
    result = run_task(build_resources_operation(), panel, {"resources": EXPORTED})

    assert "failed" not in result, result
    assert [(method, path) for method, path, _body in panel.writes] == [
        ("POST", "/clients"),
        ("POST", "/domains"),
    ]

    domain = panel.writes[1][2]
    assert domain["security"] == {"is_prefer_https": True}
    assert LEFT_OUT in result["results"]
    assert result["warnings"] == [
        (
            "certificates[0] (acme 2026): it is not on this panel and cannot be created without components.private_key, so it is left "
            "out. Add that, and run again."
        ),
        "domains[0] (acme.example): security.certificate is not set, since that object is left out.",
    ]


def test_another_missing_option_is_still_a_mistake() -> None:
    panel = MemoryPanel()
    item = {"name": "acme 2026", "components": {"ca_certificate": PEM}}

    result = run_task(build_resources_operation(), panel, {"resources": {"certificates": [item]}})

    assert result["failed"]
    assert "components.certificate: missing" in result["msg"]


# What is protected, and how many go

IDN = "xn--mller-kva.example"


@pytest.mark.parametrize(
    ("kind", "key", "pattern"),
    [
        ("domains", IDN, "müller.example"),
        ("domains", IDN, "MÜLLER.example"),
        ("domains", IDN, "mu\u0308ller.*"),
        ("domains", f"shop.{IDN}", "*.müller.example"),
        ("domains", f"shop.{IDN}", " *.MÜLLER.example. "),
        ("domains", IDN, "XN--MLLER-KVA.example."),
        ("domains", "müller.example", IDN),
        ("domains", IDN, "xn--ml*"),
        ("domains", "xn--ls8h.example", "xn--ls8h.example"),
        ("domains", "acme.example.", "acme.example"),
        ("emails", f"info@{IDN}", "*@müller.example"),
        ("emails", f"info@{IDN}", " Info@Müller.example. "),
        ("plans", "Gold [old]", "Gold [old]"),
        ("plans", "Gold [old]", "gold *"),
        ("clients", "acme", "ACME "),
        ("admins", "eve", "Eve"),
        ("certificates", "acme 2026", "acme 2026 "),
        ("databases", "acme_shop", "ACME_shop"),
        ("ftp_users", "acme_web", "acme_w??"),
        ("directory_protections", "acme:/intern:guest", "acme:*"),
        ("scheduled_tasks", ":Backup", ":Backup"),
    ],
)
def test_a_name_or_pattern_protects_in_every_spelling_that_an_item_may_have(
    kind: str, key: Any, pattern: Any
) -> None:
    assert NamePatterns([pattern], kind).fits(key)


@pytest.mark.parametrize(
    ("key", "pattern"),
    [
        (IDN, "miller.example"),
        ("xn--\u00fc.example", "y.example"),
        ("ab", "a"),
        ("ab", ""),
        ("a.b", "b"),
    ],
)
def test_another_name_does_not(key: str, pattern: str) -> None:
    assert not NamePatterns([pattern], "domains").fits(key)

    purged = [make_deletion("domains", key, 1, named=False)]
    check_deletions(purged, {"emails": [key]}, 1)

    with pytest.raises(Conflict, match="1 protected object would be deleted"):
        check_deletions(purged, {"domains": [key]}, 1)


def test_objects_of_the_same_name_are_counted_one_by_one() -> None:
    task = {"id_user": 0, "description": "Backup", "type": "exec", "command": "/bin/true"}
    panel = MemoryPanel({"/scheduled-tasks": [{"id": number, **task} for number in (1, 2, 3)]})
    absent = {"scheduled_tasks": [{"id": number, "state": "absent"} for number in (1, 2, 3)]}

    result = run_task(build_resources_operation(), panel, {"resources": absent, "max_deletes": 1})

    assert result["msg"].startswith(
        "max_deletes: 3 objects would be deleted (3 scheduled tasks; the limit is 1): "
    )
    assert panel.writes == []


def make_deletion(
    kind: str, key: str, number: int, *cascaded: tuple[str, str, Any], named: bool = True
) -> Action:
    """named: whether an item says that the object shall be absent, and not only a purge."""
    item = read_items({kind: [{"email": key, "state": "absent"}]}).items[kind][0] if named else None
    cascade = [Cascaded(*entry) for entry in [(kind, key, number), *cascaded]]
    return Action(kind, key, Deletion(tuple(cascade)), {}, item=item, identifier=number)


NAMED = [make_deletion("emails", f"{name}@a.example", number) for number, name in enumerate("ab")]
PURGED = [
    make_deletion("emails", f"{name}@a.example", number, named=False)
    for number, name in enumerate("cd", 2)
]
WITH_MORE = [make_deletion("emails", "e@a.example", 5, ("ftp_users", "f", 1))]


@pytest.mark.parametrize(
    ("actions", "fitting", "exceeding"),
    [
        pytest.param([], [None, 0], [], id="nothing"),
        pytest.param(NAMED, [None, 2], [0, 1], id="named objects"),
        pytest.param(PURGED[:1], [1], [None, 0], id="one purged object"),
        pytest.param(PURGED, [2, 3], [1], id="purged objects"),
        pytest.param([*NAMED, *PURGED[:1]], [3], [None], id="named and one purged object"),
        pytest.param([*NAMED, *PURGED], [4], [None, 3], id="named and purged objects"),
        pytest.param(WITH_MORE, [2], [None, 1], id="named object with others"),
    ],
)
def test_what_is_above_the_limit_does_not_go_and_what_is_within_it_does(
    actions: Any, fitting: list[Any], exceeding: list[Any]
) -> None:
    for limit in fitting:
        check_deletions(actions, {}, limit)

    total = sum(len(action.cascade) for action in actions)

    for limit in exceeding:
        message = rf"{total} objects? would be deleted .*; the limit is {limit or 0}\)"
        with pytest.raises(Conflict, match=message) as caught:
            check_deletions(actions, {}, limit)
        details = caught.value.as_result()["error"]
        assert details["option"] == "max_deletes"
        assert details["deletes"] == total
        assert details["limit"] == (limit or 0)


@pytest.mark.parametrize("check_mode", [False, True])
def test_what_is_another_clients_is_neither_deleted_nor_written(check_mode: bool) -> None:
    panel = MemoryPanel(
        {
            "/clients": [{"id": 11, "username": "acme"}, {"id": 12, "username": "beta"}],
            "/domains": [{"id": 31, "domain": "beta.example", "id_user": 12}],
            "/emails": [{"id": 51, "email": "x@beta.example", "id_user": 12}],
        }
    )
    record = {"host": "www", "type": "A", "ttl": 60, "value": "192.0.2.1"}
    resources = {
        "domains": [{"domain": "beta.example", "client": "acme", "state": "absent"}],
        "emails": [{"id": 51, "client": "acme", "state": "absent"}],
        "dns": [{"domain": "beta.example", "client": "acme", "records": [record]}],
    }

    result = run_task(
        build_resources_operation(),
        panel,
        {"resources": resources, "max_deletes": 9},
        check_mode=check_mode,
    )

    assert len(result["error"]["mistakes"]) == 3
    assert all("the client beta, the task " in mistake for mistake in result["error"]["mistakes"])
    assert panel.writes == []


# What is deleted along

OF_OTHERS = {"id": 12, "domain": "b.example"}
PARENT = {"id": 11, "domain": "a.example"}


def list_cascade_of_parent(*other_domains: dict[str, Any]) -> list[str]:
    """Return the keys of what is deleted with a.example, where the panel has these domains too."""
    return list_cascade_by_lists({"/domains": [PARENT, *other_domains]})


def list_cascade_by_lists(lists: Objects) -> list[str]:
    """Return the keys of what is deleted with a.example. lists: by path; only domains are read
    before.
    """
    panel = MemoryPanel()
    panel.get = lambda path, query=None: lists.get(path, [])  # type: ignore[method-assign]
    source = SnapshotSource(lambda: panel)
    source.get_objects(DOMAIN).list_all()
    state = PlanState(source)
    reader = PanelReader(source, {}, set(), lambda _line: None)

    return [member.key for member in Cascade(state, reader).list_members_of(DOMAIN, PARENT)]


def test_what_is_in_a_list_that_was_not_read_yet_is_deleted_along_too() -> None:
    mailbox = {"id": 21, "email": "info@a.example"}

    assert list_cascade_by_lists({"/domains": [PARENT], "/emails": [mailbox]}) == [
        "a.example",
        "info@a.example",
    ]


def test_a_list_that_cannot_be_read_ends_the_plan() -> None:
    with pytest.raises(UnexpectedAnswer):
        list_cascade_by_lists({"/domains": [PARENT], "/emails": {"error": "no"}})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("other_domains", "cascade"),
    [
        pytest.param([OF_OTHERS], ["a.example"], id="no parent shown"),
        pytest.param(
            [{"id": None, "domain": "www.a.example", "id_parent_domain": 11}, OF_OTHERS],
            ["a.example", "www.a.example"],
            id="a subdomain without an id",
        ),
        pytest.param(
            [
                {"id": None, "domain": "www.a.example", "id_parent_domain": 11},
                {"id": None, "domain": "shop.a.example", "id_parent_domain": "11"},
            ],
            ["a.example", "www.a.example", "shop.a.example"],
            id="two subdomains without an id",
        ),
        pytest.param(
            [
                {"id": 13, "domain": "www.a.example", "id_parent_domain": 11},
                {"id": 14, "domain": "x.www.a.example", "id_parent_domain": 13},
            ],
            ["a.example", "www.a.example", "x.www.a.example"],
            id="a subdomain of a subdomain",
        ),
    ],
)
def test_what_shows_neither_id_nor_parent_is_in_no_domain(
    other_domains: list[dict[str, Any]], cascade: list[str]
) -> None:
    assert list_cascade_of_parent(*other_domains) == cascade
