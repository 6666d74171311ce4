"""From items and a panel to a plan.

What is wrong before any write, what goes with what, in which order, and what may not be deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.bulk_task import (
    build_resources_operation,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._plan_page.plan_page import (
    make_plan_page,
)
from tests.support.memory import MemoryPanel
from tests.support.pem import make_texts
from tests.support.tasks import run_task, without_new_ids

Objects = dict[str, list[dict[str, Any]]]
CERTIFICATE = {"certificate": "-----BEGIN CERTIFICATE-----\nMAIFAA==\n-----END CERTIFICATE-----\n"}


def make_objects() -> Objects:
    """A small panel on which things belong to each other."""
    return {
        "/hosting-plans": [{"id": 1, "name": "Business"}, {"id": 2, "name": "Basic"}],
        "/admins": [
            {"id": 5, "username": "admin", "is_main_admin": True},
            {"id": 6, "username": "eve", "is_main_admin": True},
            {"id": 7, "username": "sub", "is_main_admin": False},
        ],
        "/clients": [
            {"id": 11, "username": "acme", "id_hosting_plan": 1},
            {"id": 12, "username": "globex", "id_hosting_plan": 2},
        ],
        "/certificates": [
            {"id": 21, "name": "acme 2026", "id_user": 11, "components": CERTIFICATE}
        ],
        "/domains": [
            {"id": 31, "domain": "acme.example", "id_user": 11, "is_email_domain": True},
            {"id": 32, "domain": "www.acme.example", "id_user": 11, "id_parent_domain": 31},
            {"id": 33, "domain": "shop.acme.example", "id_user": 11, "id_parent_domain": 31},
            {"id": 34, "domain": "old.shop.acme.example", "id_user": 11, "id_parent_domain": 33},
            {"id": 35, "domain": "globex.example", "id_user": 12, "id_parent_domain": 0},
            {"id": 36, "domain": "acme.panel.example", "id_user": 11, "is_system_domain": 1},
        ],
        "/emails": [
            {"id": 41, "email": "info@acme.example", "id_user": 11},
            {"id": 42, "email": "a@shop.acme.example", "id_user": 11},
            {"id": 43, "email": "info@globex.example", "id_user": 12},
        ],
        "/databases": [
            {
                "id": 51,
                "database_name": "acme_shop",
                "database_username": "acme_shop",
                "id_user": 11,
            }
        ],
        "/ftp-users": [{"id": 61, "username": "acme_web", "id_user": 11}],
        "/directory-protections": [
            {"id": 71, "id_user": 11, "path": "/intern", "username": "guest"}
        ],
        "/scheduled-tasks": [
            {
                "id": 81,
                "id_user": 11,
                "description": "Backup",
                "type": "exec",
                "command": "/bin/true",
            },
            {
                "id": 82,
                "id_user": 0,
                "description": "Backup",
                "type": "exec",
                "command": "/bin/true",
            },
        ],
    }


CREATE_IT = " Create it first, or correct the name."
ABSENT = {"state": "absent"}
WITH_ACME = {
    "certificates": ["acme 2026"],
    "domains": [
        "acme.example",
        "acme.panel.example",
        "old.shop.acme.example",
        "shop.acme.example",
        "www.acme.example",
    ],
    "emails": ["a@shop.acme.example", "info@acme.example"],
    "databases": ["acme_shop"],
    "ftp_users": ["acme_web"],
    "directory_protections": ["acme:/intern:guest"],
    "scheduled_tasks": ["acme:Backup"],
}


def run_in_check_mode(
    resources: Mapping[str, Any], current: Objects | None = None, **options: Any
) -> dict[str, Any]:
    """The result of a run in check mode.

    A real run that would fail before its first write fails in the same words.
    """
    current = make_objects() if current is None else current
    options = {"resources": dict(resources), "concurrency": 1, **options}
    panel = MemoryPanel(current)
    result = run_task(build_resources_operation(), panel, options, check_mode=True)
    assert panel.writes == []
    changing_panel = MemoryPanel(current)
    real = run_task(build_resources_operation(), changing_panel, options)

    if result.get("failed"):
        assert changing_panel.writes == []
        assert real == result
        assert result["changed"] is False
        assert "Nothing was written." in result["msg"]
    else:
        assert not real.get("failed"), real["msg"]
        for name in ("changed", "plan", "diff"):
            assert real[name] == result[name], name
        assert without_new_ids(real["results"], real["plan"]) == result["results"]
        assert bool(changing_panel.writes) == result["changed"]

    return result


def find_mistakes(
    resources: Mapping[str, Any], current: Objects | None = None, **options: Any
) -> list[str]:
    """Return the mistakes for which the items are refused before a plan."""
    result = run_in_check_mode(resources, current, **options)
    assert result["error"]["type"] == "WrongItems"
    assert "plan" not in result
    problems: list[str] = result["error"]["mistakes"]

    return problems


def plan(resources: Mapping[str, Any], current: Objects | None = None, **options: Any) -> list[str]:
    """The actions, each as "action kind key"."""
    result = run_in_check_mode(resources, current, **options)
    assert not result.get("failed"), result["msg"]
    return [
        f"{action['action']} {action['kind']} {action['key']}"
        for action in result["plan"]["actions"]
    ]


def get_refusal(
    resources: Mapping[str, Any], current: Objects | None = None, **options: Any
) -> dict[str, Any]:
    """Return the result of items whose plan is refused."""
    result = run_in_check_mode(resources, current, **options)
    assert result["error"]["type"] == "Conflict"
    assert result["plan"]["actions"] != []
    return result


# Mistakes that only the panel can tell


def test_an_unknown_reference_is_a_mistake_before_any_write() -> None:
    assert find_mistakes(
        {
            "clients": [
                {"username": "acme", "notes": "new"},
                {"username": "new", "hosting_plan": "Gold"},
            ],
            "domains": [
                {"domain": "new.example", "client": "nobody"},
                {"domain": "a.new.example", "parent_domain": "b.new.example"},
            ],
            "emails": [
                {"email": "info@nowhere.example"},
                {"id": 41, "aliases": ["info@gone.example"]},
            ],
            "databases": [{"database_name": "acme_shop", "client": "nobody"}],
        }
    ) == [
        "clients[1] (new) hosting_plan: there is no hosting plan Gold on this panel. Create it first, or correct the name.",
        "domains[0] (new.example) client: there is no client nobody on this panel. Create it first, or correct the name.",
        "domains[1] (a.new.example) parent_domain: there is no domain b.new.example on this panel. Create it first, or correct the name.",
        "emails[0] (info@nowhere.example) email: there is no domain nowhere.example on this panel."
        + CREATE_IT,
        "emails[1] (with id 41) aliases: there is no domain gone.example on this panel."
        + CREATE_IT,
        "databases[0] (acme_shop) client: there is no client nobody on this panel. Create it first, or correct the name.",
    ]


@pytest.mark.parametrize("spelling", ["new.example", "NEW.Example", "new.example."])
def test_what_is_missing_for_the_mistake_of_another_item_is_named_there_alone(
    spelling: str,
) -> None:
    (mistake,) = find_mistakes(
        {
            "domains": [
                {"domain": spelling, "client": "nobody"},
                {"domain": "shop.new.example", "parent_domain": "new.example"},
            ]
        }
    )

    assert mistake.startswith("domains[0] ")


def test_a_zone_of_another_client_is_refused_by_both_owners_also_for_a_client_that_is_new() -> None:
    zone = {"domain": "acme.example", "records": [], "append": True}
    (mistake,) = find_mistakes(
        {
            "clients": [{"username": "new", "email": "it@new.example", "hosting_plan": "Basic"}],
            "dns": [{**zone, "client": "new"}],
        }
    )
    assert mistake.startswith(
        "dns[0] (acme.example) client: the domain acme.example belongs to the client acme, "
        "the task says the client new."
    )

    (mistake,) = find_mistakes({"dns": [{**zone, "client": "nobody"}]})
    assert "there is no client nobody on this panel" in mistake


def test_what_another_item_creates_can_be_referred_to() -> None:
    assert plan(
        {
            "emails": [{"email": "info@new.example", "password": "s3cret-of-a"}],
            "domains": [
                {"domain": "a.new.example", "parent_domain": "new.example"},
                {"domain": "new.example", "client": "new"},
            ],
            "clients": [{"username": "new", "hosting_plan": "Gold"}],
            "plans": [{"name": "Gold"}],
        }
    ) == [
        "create plans Gold",
        "create clients new",
        "create domains new.example",
        "create domains a.new.example",
        "create emails info@new.example",
    ]


def test_what_was_renamed_is_known_by_its_new_name_only() -> None:
    renamed = {"name": "Basic", "new_name": "Small"}
    assert plan(
        {"plans": [renamed], "clients": [{"username": "acme", "hosting_plan": "Small"}]}
    ) == [
        "update plans Basic",
        "update clients acme",
    ]

    (mistake,) = find_mistakes(
        {"plans": [renamed], "clients": [{"username": "acme", "hosting_plan": "Basic"}]}
    )

    assert mistake.startswith(
        "clients[0] (acme) hosting_plan: there is no hosting plan Basic on this panel."
    )


def test_an_option_that_is_missing_to_create_an_object_is_a_mistake() -> None:
    assert find_mistakes({"databases": [{"database_name": "new"}], "clients": [{"id": 99}]}) == [
        (
            "clients[0] (with id 99) id: the panel has no client with id 99, and clients are never created under another id. "
            "Omit id, and name the object instead."
        ),
        "databases[0] (new) client: missing; it is needed to create the database new, which is not on this panel.",
    ]


@pytest.mark.parametrize(
    ("kind", "first", "second", "label"),
    [
        pytest.param("clients", {"id": 11}, {"username": "acme"}, "acme", id="id and name"),
        pytest.param(
            "clients",
            {"username": "acme"},
            {"id": 11, "notes": "x"},
            "with id 11",
            id="name and id",
        ),
        pytest.param(
            "clients",
            {"username": "acme", "notes": "x"},
            {"id": 11, "notes": "y"},
            "with id 11",
            id="name and id with options",
        ),
        pytest.param(
            "scheduled_tasks",
            {"client": "acme", "description": "Backup"},
            {"id_user": 11, "description": "Backup"},
            "11:Backup",
            id="client and id of the client",
        ),
        pytest.param(
            "scheduled_tasks",
            {"client": "acme", "description": "New", "type": "exec", "command": "a"},
            {"id_user": 11, "description": "New", "type": "exec", "command": "a"},
            "11:New",
            id="new object by client and id of the client",
        ),
        pytest.param(
            "scheduled_tasks",
            {"client": "acme", "description": "New", "type": "exec", "command": "a"},
            {"id_user": 11, "description": "New", "type": "exec", "command": "b"},
            "11:New",
            id="new objects that are the same",
        ),
        pytest.param(
            "plans",
            {"name": "Basic", "new_name": "Small"},
            {"name": "Small"},
            "Small",
            id="new name of the other",
        ),
    ],
)
def test_two_items_about_one_object_are_a_mistake_however_they_name_it(
    kind: str, first: dict[str, Any], second: dict[str, Any], label: str
) -> None:
    (mistake,) = find_mistakes({kind: [first, second]})
    assert mistake.startswith(f"{kind}[1] ({label}) names the same object as {kind}[0] (")


# Deletions against wishes


@pytest.mark.parametrize(
    ("resources", "mistake"),
    [
        pytest.param(
            {
                "clients": [{"username": "acme", **ABSENT}],
                "databases": [{"database_name": "acme_shop"}],
            },
            "clients[0] (acme) would take databases acme_shop with it, but databases[0] (acme_shop) needs it.",
            id="client with a database",
        ),
        pytest.param(
            {
                "clients": [{"username": "acme", **ABSENT}],
                "databases": [{"database_name": "new", "client": "acme"}],
            },
            "clients[0] (acme) is deleted, but databases[0] (new) needs it.",
            id="client of a new database",
        ),
        pytest.param(
            {
                "plans": [{"name": "Basic", **ABSENT}],
                "clients": [{"username": "acme", "hosting_plan": "Basic"}],
            },
            "plans[0] (Basic) is deleted, but clients[0] (acme) needs it.",
            id="plan of a client",
        ),
        pytest.param(
            {
                "certificates": [{"id": 21, **ABSENT}],
                "domains": [{"id": 31, "security": {"certificate": "acme 2026"}}],
            },
            "certificates[0] (with id 21) is deleted, but domains[0] (with id 31) needs it.",
            id="certificate of a domain",
        ),
        pytest.param(
            {"domains": [{"domain": "acme.example", **ABSENT}, {"domain": "shop.acme.example"}]},
            "domains[0] (acme.example) would take domains shop.acme.example with it, but domains[1] (shop.acme.example) needs it.",
            id="domain with a subdomain",
        ),
        pytest.param(
            {
                "domains": [{"domain": "shop.acme.example", **ABSENT}],
                "emails": [{"email": "b@shop.acme.example"}],
            },
            "domains[0] (shop.acme.example) is deleted, but emails[0] (b@shop.acme.example) needs it.",
            id="domain of a mailbox",
        ),
        pytest.param(
            {
                "domains": [{"domain": "acme.example", **ABSENT}],
                "dns": [{"domain": "acme.example"}],
            },
            "domains[0] (acme.example) is deleted, but dns[0] (acme.example) needs it.",
            id="domain of a zone",
        ),
        pytest.param(
            {"clients": [{"username": "globex", **ABSENT}], "dns": [{"domain": "globex.example"}]},
            "clients[0] (globex) would take domains globex.example with it, but dns[0] (globex.example) needs it.",
            id="client with a domain of a zone",
        ),
    ],
)
def test_a_deletion_of_what_another_item_needs_is_a_mistake(
    resources: dict[str, Any], mistake: str
) -> None:
    (problem,) = find_mistakes(resources, max_deletes=100)
    assert problem.startswith(mistake)


def test_what_is_wrong_with_an_item_does_not_hide_that_a_deletion_takes_its_object() -> None:
    wrong = {"emails": [{"email": "info@acme.example", "client": "globex"}]}
    problems = find_mistakes(
        {"domains": [{"domain": "acme.example", **ABSENT}], **wrong}, max_deletes=100
    )

    assert len(problems) == 2
    assert problems[0].startswith("emails[0] (info@acme.example) client: ")
    assert problems[1].startswith(
        "domains[0] (acme.example) would take emails info@acme.example with it"
    )


def test_a_purge_of_what_an_item_needs_is_a_mistake() -> None:
    assert find_mistakes(
        {
            "clients": [{"username": "globex"}],
            "emails": [{"email": "info@acme.example"}, {"email": "b@acme.example"}],
        },
        purge=["clients"],
        max_deletes=100,
    ) == [
        "purge: clients acme would take domains acme.example with it, but emails[1] (b@acme.example) needs it.",
        "purge: clients acme would take emails info@acme.example with it, but emails[0] (info@acme.example) needs it.",
    ]


# What goes with what


def test_what_goes_with_a_client_is_in_the_plan() -> None:
    result = run_in_check_mode({"clients": [{"username": "acme", **ABSENT}]}, max_deletes=13)
    (action,) = result["plan"]["actions"]

    assert {"username": "acme", "id_hosting_plan": 1}.items() <= action.pop("before").items()
    assert list(action.pop("also_deleted_ids")) == list(WITH_ACME)

    who = {"kind": "clients", "key": "acme", "id": 11, "client": "acme"}
    assert action == {**who, "action": "delete", "after": {}, "also_deleted": WITH_ACME}
    assert result["plan"]["summary"] == {"create": 0, "update": 0, "delete": 1, "unchanged": 0}


def test_a_plan_names_object_and_owner_where_nothing_else_needs_the_clients() -> None:
    new = {
        "domains": [{"domain": "new.example", "client": "acme"}],
        "emails": [{"email": "b@new.example"}],
    }
    changed = {
        "emails": [{"email": "info@globex.example", "description": "x"}],
        "clients": [{"username": "beta"}],
    }
    deletions = {"emails": [{"email": "info@acme.example", **ABSENT}]}
    records = {
        "dns": [
            {
                "domain": "globex.example",
                "records": [{"host": "x", "type": "A", "ttl": 60, "value": "192.0.2.1"}],
            }
        ]
    }
    resources = {
        **new,
        **changed,
        "emails": new["emails"] + changed["emails"] + deletions["emails"],
        **records,
    }
    resources["plans"] = [{"name": "New"}]
    actions = run_in_check_mode(resources)["plan"]["actions"]

    assert {action["key"]: (action["client"], action["id"]) for action in actions} == {
        "New": (None, None),
        "beta": ("beta", None),
        "new.example": ("acme", None),
        "globex.example": ("globex", 35),
        "b@new.example": ("acme", None),
        "info@globex.example": ("globex", 43),
        "info@acme.example": ("acme", 41),
    }

    (alone,) = run_in_check_mode({"emails": changed["emails"]})["plan"]["actions"]
    assert alone["client"] == "globex"
    assert alone["id"] == 43

    (zone_alone,) = run_in_check_mode(records)["plan"]["actions"]
    assert zone_alone["client"] == "globex"
    assert zone_alone["id"] == 35


def test_what_goes_with_a_domain_is_its_mailboxes_and_everything_below_it() -> None:
    result = run_in_check_mode({"domains": [{"domain": "acme.example", **ABSENT}]}, max_deletes=6)
    (action,) = result["plan"]["actions"]

    assert action["also_deleted"] == {
        "domains": ["old.shop.acme.example", "shop.acme.example", "www.acme.example"],
        "emails": ["a@shop.acme.example", "info@acme.example"],
    }


def test_what_goes_along_twice_is_counted_once() -> None:
    deletions = {
        "clients": [{"username": "acme", **ABSENT}],
        "domains": [{"domain": "acme.example", **ABSENT}],
    }

    assert get_refusal(deletions, max_deletes=12)["error"]["deletes"] == 13
    assert plan(deletions, max_deletes=13) == ["delete domains acme.example", "delete clients acme"]


# How much may be deleted


def test_objects_that_are_named_and_take_nothing_with_them_may_be_deleted_without_a_limit() -> None:
    deletions = {
        "emails": [{"email": email["email"], **ABSENT} for email in make_objects()["/emails"]],
        "domains": [{"domain": "www.acme.example", **ABSENT}],
        "plans": [{"name": "Basic", **ABSENT}, {"name": "no such", **ABSENT}],
    }
    assert len(plan(deletions)) == 5


def test_what_goes_along_needs_a_limit() -> None:
    result = get_refusal(
        {
            "domains": [{"domain": "shop.acme.example", **ABSENT}],
            "emails": [{"email": "info@globex.example", **ABSENT}],
        }
    )

    assert result["msg"] == (
        "max_deletes: 4 objects would be deleted (2 domains, 2 mailboxes; the limit is 0): mailbox info@globex.example; "
        "domain shop.acme.example with 1 domain, 1 mailbox. Nothing was written. Set max_deletes: 4 to allow this."
    )
    assert result["error"] == {
        "type": "Conflict",
        "option": "max_deletes",
        "deletes": 4,
        "limit": 0,
        "objects": [
            {"kind": "domains", "key": "old.shop.acme.example"},
            {"kind": "emails", "key": "a@shop.acme.example"},
        ],
    }


# What a purge takes


def test_a_purge_takes_what_no_item_names_by_whatever_name() -> None:
    requested = {
        "scheduled_tasks": [{"id": 81}],
        "databases": [],
        "emails": [
            {"email": "INFO@Acme.example"},
            {"id": 42, **ABSENT},
            {"email": "new@acme.example", "password": "s3cret-of-a"},
        ],
    }

    assert plan(requested, purge=["scheduled_tasks", "databases", "emails"], max_deletes=9) == [
        "delete scheduled_tasks :Backup",
        "delete databases acme_shop",
        "delete emails a@shop.acme.example",
        "delete emails info@globex.example",
        "create emails new@acme.example",
    ]


def test_a_purge_leaves_system_domains_and_protected_ones() -> None:
    requested = {"domains": [{"domain": "acme.example"}, {"domain": "shop.acme.example"}]}
    assert plan(
        requested,
        purge=["domains"],
        max_deletes=9,
        protect={"domains": ["*.SHOP.acme.example", "none"]},
    ) == [
        "delete domains www.acme.example",
        "delete domains globex.example",
    ]


@pytest.mark.parametrize("named", [{"domain": "acme.example"}, {"id": 31}], ids=str)
@pytest.mark.parametrize(
    ("wants_www", "is_left"), [(True, True), ("yes", True), (False, False), (None, False)]
)
def test_a_purge_leaves_www_where_its_domain_is_created_with_it(
    named: dict[str, Any], wants_www: Any, is_left: bool
) -> None:
    requested = {
        "domains": [
            {**named, "create_www_subdomain": wants_www},
            *({"id": number} for number in (33, 34, 35)),
        ]
    }
    steps = plan(requested, purge=["domains"], max_deletes=9)

    assert steps == ([] if is_left else ["delete domains www.acme.example"])


# What is protected


@pytest.mark.parametrize(
    ("resources", "protect", "hit"),
    [
        pytest.param(
            {"emails": [{"email": "info@acme.example", **ABSENT}]},
            {"emails": ["INFO@*"]},
            "emails info@acme.example",
            id="the object",
        ),
        pytest.param(
            {"domains": [{"domain": "acme.example", **ABSENT}]},
            {"emails": ["a@shop.acme.example"]},
            "emails a@shop.acme.example (with domains acme.example)",
            id="object of the domain",
        ),
        pytest.param(
            {"clients": [{"username": "acme", **ABSENT}]},
            {"scheduled_tasks": ["acme:*"]},
            "scheduled_tasks acme:Backup (with clients acme)",
            id="object of the client",
        ),
    ],
)
def test_a_deletion_that_takes_a_protected_object_is_refused(
    resources: dict[str, Any], protect: dict[str, Any], hit: str
) -> None:
    result = get_refusal(resources, protect=protect, max_deletes=99)
    assert result["msg"] == (
        f"protect: 1 protected object would be deleted: {hit}. Nothing was written. Take them out of the deletions, or out of protect."
    )
    assert result["error"] == {"type": "Conflict", "option": "protect", "objects": [hit]}


# The last main admin


def test_the_last_main_admin_is_never_deleted() -> None:
    assert plan({"admins": [{"username": "admin", **ABSENT}]}) == ["delete admins admin"]

    (mistake,) = find_mistakes(
        {"admins": [{"username": "admin", **ABSENT}, {"username": "eve", **ABSENT}]}
    )

    assert mistake.startswith(
        "admins[1] (eve) is_main_admin: the admin eve is the last one with is_main_admin, and without one the panel cannot be managed"
    )


def test_a_purge_leaves_one_main_admin() -> None:
    options = {"purge": ["admins"], "max_deletes": 9}
    assert plan({"admins": []}, **options) == ["delete admins sub", "delete admins eve"]
    assert plan({"admins": [{"username": "eve"}]}, **options) == [
        "delete admins sub",
        "delete admins admin",
    ]
    assert plan({"admins": [{"username": "sub"}]}, **options) == ["delete admins eve"]
    assert plan({"admins": [{"username": "admin", **ABSENT}]}, **options) == [
        "delete admins admin",
        "delete admins sub",
    ]


# The order


def test_changes_follow_the_order_of_dependency_and_deletions_come_first_and_in_reverse() -> None:
    task = {"type": "exec", "command": "x"}
    secret = {"password": "s3cret-of-a"}
    components = {name: make_texts()[f"one.{name}"] for name in ("certificate", "private_key")}
    new = {
        "scheduled_tasks": [{"client": "new", "description": "x", **task}],
        "directory_protections": [{"client": "new", "path": "/x", "username": "x", **secret}],
        "ftp_users": [{"client": "new", "username": "x", **secret}],
        "databases": [{"client": "new", "database_name": "x", **secret}],
        "emails": [{"email": "x@new.example", **secret}],
        "dns": [{"domain": "new.example", "is_dns_disabled": True}],
        "domains": [
            {"domain": "b.a.new.example", "client": "new"},
            {"domain": "new.example", "client": "new"},
            {"domain": "a.new.example", "client": "new"},
        ],
        "certificates": [{"client": "new", "name": "x", "components": components}],
        "clients": [{"username": "new", "hosting_plan": "new", **secret}],
        "admins": [{"username": "newer", "email": "x@new.example", **secret}],
        "plans": [{"name": "new"}],
    }
    old = {
        "plans": [{"name": "Basic", **ABSENT}],
        "admins": [{"username": "sub", **ABSENT}],
        "clients": [{"username": "acme", **ABSENT}],
        "certificates": [{"name": "acme 2026", **ABSENT}],
        "domains": [{"id": number, **ABSENT} for number in (31, 33, 34, 32)],
        "emails": [{"email": "info@acme.example", **ABSENT}],
        "databases": [{"database_name": "acme_shop", **ABSENT}],
        "ftp_users": [{"username": "acme_web", **ABSENT}],
        "directory_protections": [
            {"client": "acme", "path": "intern", "username": "guest", **ABSENT}
        ],
        "scheduled_tasks": [{"client": "acme", "description": "Backup", **ABSENT}],
    }
    resources = {kind: [*new.get(kind, []), *old.get(kind, [])] for kind in {**new, **old}}

    assert plan(resources, max_deletes=99) == [
        "delete scheduled_tasks acme:Backup",
        "delete directory_protections acme:/intern:guest",
        "delete ftp_users acme_web",
        "delete databases acme_shop",
        "delete emails info@acme.example",
        "delete domains old.shop.acme.example",
        "delete domains shop.acme.example",
        "delete domains www.acme.example",
        "delete domains acme.example",
        "delete clients acme",
        "delete admins sub",
        "create plans new",
        "create admins newer",
        "create clients new",
        "create certificates x",
        "create domains new.example",
        "create domains a.new.example",
        "create domains b.a.new.example",
        "update dns new.example",
        "create emails x@new.example",
        "create databases x",
        "create ftp_users x",
        "create directory_protections new:/x:x",
        "create scheduled_tasks new:x",
        "delete certificates acme 2026",
        "delete plans Basic",
    ]


# Zones


@pytest.mark.parametrize("requested", [{"state": "default"}, {"is_dns_disabled": True}], ids=str)
def test_a_zone_that_is_reset_or_switched_off_shows_every_record_that_it_loses(
    requested: dict[str, Any],
) -> None:
    records = [
        {"host": f"app{number}", "type": "A", "ttl": 60, "value": "192.0.2.1"}
        for number in range(40)
    ]
    current = {**make_objects(), "/dns": [{"id": 31, "records": records}]}
    bulk_plan = run_in_check_mode({"dns": [{"domain": "acme.example", **requested}]}, current)[
        "plan"
    ]
    (action,) = bulk_plan["actions"]
    removal = {"type": "A", "ttl": 60, "before": ["192.0.2.1"], "after": []}

    assert action["entries"] == [
        {"host": host, **removal} for host in sorted(f"app{number}" for number in range(40))
    ]
    assert "- 40 records are removed from 1 DNS zone that stays.\n" in make_plan_page(bulk_plan)

    less = {**current, "/dns": [{"id": 31, "records": records[1:]}]}
    assert (
        run_in_check_mode({"dns": [{"domain": "acme.example", **requested}]}, less)["plan"][
            "checksum"
        ]
        != bulk_plan["checksum"]
    )


def test_an_action_on_a_zone_has_an_entry_for_each_record_set_that_changes_and_no_other() -> None:
    def make_a_records(host: str, *values: str, ttl: int = 60) -> list[dict[str, Any]]:
        return [{"host": host, "type": "A", "ttl": ttl, "value": value} for value in values]

    records = [
        *make_a_records("same", "192.0.2.1"),
        *make_a_records("less", "192.0.2.1", "192.0.2.2"),
        *make_a_records("ttl", "192.0.2.1"),
        *make_a_records("gone", "192.0.2.1"),
    ]
    requested = [
        *make_a_records("same", "192.0.2.1"),
        *make_a_records("less", "192.0.2.2"),
        *make_a_records("ttl", "192.0.2.1", ttl=300),
        *make_a_records("new", "192.0.2.3"),
    ]
    current = {**make_objects(), "/dns": [{"id": 31, "records": records}]}
    items = [
        {
            "domain": "acme.example",
            "records": requested,
            "purge": True,
            "max_delete_percent": 100,
            "soa": {"refresh": 7},
        }
    ]
    (action,) = run_in_check_mode({"dns": items}, current)["plan"]["actions"]

    assert action["before"].keys() == {"soa"}
    assert action["after"] == {"soa": {"refresh": 7}}
    assert [tuple(entry.values()) for entry in action["entries"]] == [
        ("gone", "A", 60, ["192.0.2.1"], []),
        ("less", "A", 60, ["192.0.2.1", "192.0.2.2"], ["192.0.2.2"]),
        ("new", "A", 60, [], ["192.0.2.3"]),
        ("ttl", "A", 300, ["192.0.2.1"], ["192.0.2.1"]),
    ]


# Names


def test_objects_are_named_by_their_natural_keys_however_the_items_name_them() -> None:
    requested = {
        "clients": [{"id": 11, "notes": "x"}],
        "domains": [{"id": 35, "php_version": "8.3"}],
        "dns": [{"id": 31, "is_dns_disabled": True}],
        "scheduled_tasks": [
            {"id": 82, "command": "/bin/false"},
            {"id_user": 11, "description": "Backup", "command": "y"},
        ],
        "directory_protections": [
            {"id_user": 12, "path": "/x", "username": "y", "password": "s3cret-of-a"},
            {"id_user": 12, "path": "/z", "username": "y", **ABSENT},
        ],
        "emails": [{"id": 99, **ABSENT}],
    }
    result = run_in_check_mode(requested, return_unchanged=True)

    assert [(entry["kind"], entry["key"]) for entry in result["results"]] == [
        ("clients", "acme"),
        ("domains", "globex.example"),
        ("dns", "acme.example"),
        ("directory_protections", "globex:/x:y"),
        ("scheduled_tasks", ":Backup"),
        ("scheduled_tasks", "acme:Backup"),
        ("directory_protections", "12:/z:y"),
        ("emails", "with id 99"),
    ]


# Warnings


def test_warnings_say_which_item_they_are_about() -> None:
    requested = {
        "domains": [
            {"domain": "acme.example", "create_www_subdomain": True},
            {"domain": "globex.example", "is_dns_disabled": True},
        ],
        "dns": [
            {
                "domain": "acme.example",
                "records": [
                    {"host": "x.acme.example", "type": "MX", "ttl": 60, "value": "5 mail.x"}
                ],
            }
        ],
    }
    current = make_objects()
    current["/domains"][4]["is_dns_disabled"] = False
    warnings = run_in_check_mode(requested, current)["warnings"]

    assert [text.partition(": ")[0] for text in warnings] == [
        "domains[1] (globex.example)",
        "dns[0] (acme.example)",
    ]
    assert "is_dns_disabled counts only at creation" in warnings[0]
