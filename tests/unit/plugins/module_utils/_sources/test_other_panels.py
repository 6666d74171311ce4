"""Panels that differ where the description of the API leaves it open: a task converges, or fails
before its first write and names the difference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unittest import mock

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.module_utils._sources.kind_objects import KeySearch
from ansible_collections.hosting.panel.plugins.module_utils._sources.live_source import LiveObjects
from tests.support import pem
from tests.support.memory import RESET, TIMED_OUT, Loss, MemoryPlace
from tests.support.mixed_panel import make_mixed_objects, with_keys

pytestmark = pytest.mark.long

LAYOUT = pytest.mark.parametrize("in_bulk", [False, True], ids=["single", "bulk"])
SUBDOMAIN = "sub.acme.example"
SEED: dict[str, Any] = {
    "plans": [{"name": "Business", "resources": {"domains": 50, "databases": 50}}],
    "clients": [{"username": "acme", "hosting_plan": "Business", "email": "it@acme.example"}],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": SUBDOMAIN, "parent_domain": "acme.example", "client": "acme"},
    ],
}
RECORD = {"host": "www", "type": "A", "ttl": 3600, "value": "192.0.2.77"}


class Panel(MemoryPlace):
    """A panel with these settings and, beside the seed, other objects."""

    def __init__(self, seed: Mapping[str, Any] | None = None, **settings: Any) -> None:
        together = {
            kind: [*SEED.get(kind, ()), *(seed or {}).get(kind, ())]
            for kind in {**SEED, **(seed or {})}
        }
        super().__init__(
            {kind: together[kind] for kind in KINDS if kind in together},
            {"status_delay": 0.0, **settings},
        )

    def get_id(self, kind: str, field: str, name: str) -> int:
        """Return the id of the object that has a name in a field."""
        return next(int(item["id"]) for item in self.list_objects(kind) if item[field] == name)


# kept_texts

NAMED = {"databases": "database_name", "ftp_users": "username"}
OF_EACH = pytest.mark.parametrize("kind", list(NAMED))


@LAYOUT
@OF_EACH
@pytest.mark.parametrize("scheme", ["prefixed", "generated"])
def test_what_the_panel_keeps_under_another_name_stays_and_is_named(
    scheme: str, kind: str, in_bulk: bool
) -> None:
    panel = Panel(kept_texts=scheme)
    ran = panel.perform_task(kind, {"client": "acme", NAMED[kind]: "shop"}, in_bulk)
    (kept,) = panel.list_objects(kind)

    assert ran.outcome == "failed", ran.msg
    assert ran.changed is True, ran.msg
    assert (
        f"the panel keeps it under another name, {kept[NAMED[kind]]} (id {kept['id']}). It was created."
        in ran.msg
    )

    second_run = panel.perform_task(
        kind, {"client": "acme", NAMED[kind]: kept[NAMED[kind]]}, in_bulk
    )
    assert second_run.outcome == "ok"
    assert second_run.changed is False
    assert len(panel.list_objects(kind)) == 1


@LAYOUT
@OF_EACH
@pytest.mark.parametrize("scheme", ["prefixed", "generated"])
@pytest.mark.parametrize(
    ("how", "after"),
    [(RESET, 0.0), (TIMED_OUT, 9.0), ("503 with JSON", 15.0), ("500 with JSON", 0.0)],
)
def test_what_the_panel_keeps_under_another_name_is_never_made_twice(
    scheme: str, kind: str, in_bulk: bool, how: str, after: float
) -> None:
    panel = Panel(kept_texts=scheme)
    ran = panel.perform_task(
        kind, {"client": "acme", NAMED[kind]: "shop"}, in_bulk, loss=Loss(how, after)
    )
    (kept,) = panel.list_objects(kind)

    assert ran.outcome == "failed", ran.msg
    assert ran.changed is True, ran.msg
    assert (
        f"the panel keeps it under another name, {kept[NAMED[kind]]} (id {kept['id']}). It was created."
        in ran.msg
    )
    assert "with regenerate_password: true, since its password is lost" in ran.msg

    error = (ran.result.get("results") or [ran.result])[0]["error"]
    assert error["type"] == "Conflict"
    assert error["kept_as"] == kept[NAMED[kind]]
    assert error["id"] == kept["id"]


def create_two(panel: Panel, kind: str, loss: Loss, retry_time: int = 60) -> list[dict[str, Any]]:
    """Return the results of a run that creates shop and then blog."""
    items = [{"client": "acme", NAMED[kind]: name} for name in ("shop", "blog")]
    options = {"resources": {kind: items}, "concurrency": 1}
    run = panel.run(kind, "panel_resources", options, loss, retry_time)
    return list(run.result["results"])


@OF_EACH
@pytest.mark.parametrize("scheme", ["prefixed", "generated"])
def test_a_lost_creation_that_never_came_is_not_found_in_another_one_of_the_run(
    scheme: str, kind: str
) -> None:
    panel = Panel(kept_texts=scheme)

    shop, blog = create_two(panel, kind, Loss(RESET, None, writes_before=1))

    kept_names = [kept[NAMED[kind]] for kept in panel.list_objects(kind)]
    assert shop["error"]["kept_as"] == kept_names[0]
    # It was created again, after the time in which the lost request could have made one.
    assert blog["error"]["kept_as"] == kept_names[1]
    assert len(kept_names) == 2


@OF_EACH
@pytest.mark.parametrize("scheme", ["prefixed", "generated"])
def test_a_lost_creation_is_found_beside_another_one_of_the_run(scheme: str, kind: str) -> None:
    panel = Panel(kept_texts=scheme)

    shop, blog = create_two(panel, kind, Loss(RESET, 0.0, writes_before=1))

    kept_names = [kept[NAMED[kind]] for kept in panel.list_objects(kind)]
    assert [shop["error"]["kept_as"], blog["error"]["kept_as"]] == kept_names
    assert len(kept_names) == 2


@OF_EACH
def test_a_new_object_is_not_taken_where_an_earlier_creation_may_have_made_it(kind: str) -> None:
    panel = Panel(kept_texts="generated")

    shop, blog = create_two(panel, kind, Loss(RESET, 15.0, writes=2), retry_time=5)

    assert shop["error"]["type"] == blog["error"]["type"] == "OutcomeUnknown"
    assert "may also be another one of this task" in blog["msg"]


@OF_EACH
@pytest.mark.parametrize("concurrency", [1, 2])
@pytest.mark.parametrize("retry_time", [5, 60])
@pytest.mark.parametrize(
    "loss",
    [
        pytest.param(None, id="all answered"),
        pytest.param(Loss(RESET, 0.0), id="first lost"),
        pytest.param(Loss(RESET, 0.0, writes=2), id="both lost"),
        pytest.param(Loss(RESET, 15.0, writes=2), id="both lost, and the first comes late"),
        pytest.param(Loss(RESET, None, writes=2), id="both lost, and the first never comes"),
    ],
)
def test_an_object_whose_name_fits_two_items_of_a_run_is_reported_only_for_the_one_that_made_it(
    loss: Loss | None, retry_time: int, concurrency: int, kind: str
) -> None:
    """On a panel that keeps shop as acme_shop, which another item has as its name."""
    panel = Panel(kept_texts="prefixed")
    passwords = {name: f"Password-of-{name}-1" for name in ("shop", "acme_shop")}
    items = [
        {"client": "acme", NAMED[kind]: name, "password": password}
        for name, password in passwords.items()
    ]
    options = {"resources": {kind: items}, "concurrency": concurrency}

    run = panel.run(kind, "panel_resources", options, loss, retry_time)

    (created,) = panel.panel.store.list_all(kind)
    maker = next(
        name for name, password in passwords.items() if created.hidden["password"] == password
    )
    identified = [entry for entry in run.result["results"] if entry.get("id") == created.id]
    assert [entry["key"] for entry in identified] in ([], [maker])
    for entry in identified:
        is_renamed = entry["result"] == "failed" and entry["error"]["kept_as"] == "acme_shop"
        assert is_renamed == (maker == "shop")


@OF_EACH
def test_an_item_whose_name_another_item_of_the_run_has_got_is_refused_and_says_so(
    kind: str,
) -> None:
    panel = Panel(kept_texts="prefixed")
    items = [{"client": "acme", NAMED[kind]: name} for name in ("shop", "acme_shop")]

    run = panel.run(
        kind, "panel_resources", {"resources": {kind: items}, "concurrency": 1}, retry_time=5
    )

    shop, acme_shop = run.result["results"]
    assert shop["error"]["kept_as"] == "acme_shop"
    assert acme_shop["error"]["type"] == "Refused"
    assert "acme_shop (id 1) may be another one of this task" in acme_shop["msg"]


@OF_EACH
def test_of_several_new_ones_none_is_taken_for_the_lost_one(kind: str) -> None:
    panel = Panel(kept_texts="generated")
    panel.perform_task(kind, {"client": "acme", NAMED[kind]: "acme_x1"})

    search_list = LiveObjects.search_list

    def search_empty_list(*arguments: Any) -> KeySearch:
        """Answer as a panel that did not show the first object yet."""
        return search_list(*arguments)._replace(listed_ids=frozenset())

    with mock.patch.object(LiveObjects, "search_list", search_empty_list):
        ran = panel.perform_task(
            kind, {"client": "acme", NAMED[kind]: "shop"}, loss=Loss(RESET, 0.0)
        )

    assert ran.outcome == "failed"
    assert len(panel.list_objects(kind)) == 2
    assert "find yours, and use its name" in ran.msg
    assert "Run the task again" not in ran.msg
    assert all(
        f"{item[NAMED[kind]]} (id {item['id']})" in ran.msg for item in panel.list_objects(kind)
    )


@LAYOUT
@OF_EACH
def test_a_name_that_does_not_fit_is_looked_at_once_and_stays_where_it_is_kept(
    kind: str, in_bulk: bool
) -> None:
    panel = Panel()
    runs = [
        panel.perform_task(kind, {"client": "acme", NAMED[kind]: "Shop"}, in_bulk)
        for _time in range(2)
    ]

    assert [(ran.outcome, ran.changed) for ran in runs] == [("ok", True), ("ok", False)]
    assert [item[NAMED[kind]] for item in panel.list_objects(kind)] == ["Shop"]


# unknown_id, unresolved_names

BY_NAME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "plans": ({"name": "50% + more a/b"}, {"resources": {"domains": 7}}),
    "clients": ({"username": "globex"}, {"notes": "changed"}),
    "admins": ({"username": "ops", "email": "ops@acme.example"}, {"email": "new@acme.example"}),
    "domains": ({"domain": "more.example", "client": "acme"}, {"php_version": "8.3"}),
    "emails": (
        {"email": "info@acme.example", "aliases": ["more@acme.example"]},
        {"description": "changed"},
    ),
}
NAMES_IN_PATHS = {
    "page": {"unknown_id": "page_404"},
    "blanks": {"unresolved_names": ["%20", "+", "%25"]},
    "slashes": {"unresolved_names": ["%2F"]},
}


@pytest.mark.parametrize("kind", list(BY_NAME))
@pytest.mark.parametrize("settings", list(NAMES_IN_PATHS))
def test_an_object_that_is_not_found_by_its_name_is_found_in_the_list(
    settings: str, kind: str
) -> None:
    panel = Panel(**NAMES_IN_PATHS[settings])
    new, change = BY_NAME[kind]
    key = dict([next(iter(new.items()))])
    before = len(panel.list_objects({"plans": "hosting_plans"}.get(kind, kind)))

    for step in (new, {**key, **change}, {**key, "state": "absent"}):
        runs = [
            panel.perform_task(kind, step, check_mode=check_mode)
            for check_mode in (True, False, True, False)
        ]
        assert [ran.outcome for ran in runs] == ["ok"] * 4, [ran.msg for ran in runs]
        assert [(ran.changed, len(ran.writes)) for ran in runs] == [
            (True, 0),
            (True, 1),
            (False, 0),
            (False, 0),
        ]

    assert len(panel.list_objects({"plans": "hosting_plans"}.get(kind, kind))) == before


def test_a_name_with_a_plus_is_never_taken_for_that_with_a_blank() -> None:
    plans = [{"name": "More mail"}, {"name": "More+mail"}]
    panel = Panel({"plans": plans}, unresolved_names=["+"])
    task = {"username": "acme", "hosting_plan": "More+mail"}
    runs = [panel.perform_task("clients", task) for _time in range(2)]

    assert [(ran.outcome, ran.changed) for ran in runs] == [("ok", True), ("ok", False)], runs[
        0
    ].msg

    requested = panel.get_id("hosting_plans", "name", "More+mail")
    assert [item["id_hosting_plan"] for item in panel.list_objects("clients")] == [requested]

    ran = panel.perform_task("clients", {"username": "acme", "hosting_plan": "More +mail"})
    assert ran.outcome == "failed"
    assert ran.writes == []


# short_lists


@LAYOUT
@pytest.mark.parametrize(
    ("kind", "new"),
    [
        ("emails", {"email": "info@acme.example"}),
        (
            "domains",
            {
                "domain": "new.acme.example",
                "is_email_domain": True,
                "parent_domain": "acme.example",
            },
        ),
        ("domains", {"domain": "new.acme.example", "is_email_domain": True, "id_parent_domain": 1}),
    ],
    ids=str,
)
def test_the_owner_comes_from_a_domain_that_only_shows_it_on_its_own(
    kind: str, new: dict[str, Any], in_bulk: bool
) -> None:
    panel = Panel(short_lists={"domains": ["id_user", "security"]})
    runs = [
        panel.perform_task(kind, new, in_bulk, check_mode=check_mode)
        for check_mode in (True, False, False)
    ]

    assert [(ran.outcome, ran.changed) for ran in runs] == [
        ("ok", True),
        ("ok", True),
        ("ok", False),
    ], runs[0].msg
    assert panel.list_objects(kind)[-1]["id_user"] == panel.get_id("clients", "username", "acme")


# hidden_members

LIMITS = ["resource_limits", "permissions", "php", "php_fpm"]


@LAYOUT
@pytest.mark.parametrize(
    "hidden", [LIMITS, LIMITS[:1]], ids=["nothing is shown", "a part is shown"]
)
def test_a_plan_that_nobody_shows_is_written_at_the_creation_alone(
    hidden: list[str], in_bulk: bool
) -> None:
    plans = [{"name": "Basic", "resources": {"domains": 5}}]
    panel = Panel({"plans": plans}, hidden_members={"clients": ["id_hosting_plan", *hidden]})
    new = {"username": "globex", "hosting_plan": "Basic"}

    for check_mode, changed in ((True, True), (False, True), (True, False), (False, False)):
        ran = panel.perform_task("clients", new, in_bulk, check_mode)
        assert ran.outcome == "ok", ran.msg
        assert ran.changed == changed, ran.msg
        assert len(ran.writes) == int(changed and not check_mode), ran.msg

    assert "so Basic was not assigned" in str(ran.result["warnings"])
    assert panel.list_objects("clients")[-1]["id_hosting_plan"] == panel.get_id(
        "hosting_plans", "name", "Basic"
    )


# domain_deletion, client_deletion

COMPONENTS = {
    "certificate": pem.make_texts()["one.certificate"],
    "private_key": pem.make_texts()["one.private_key"],
}
FULL: dict[str, list[dict[str, Any]]] = {
    "certificates": [{"name": "acme", "client": "acme", "components": COMPONENTS}],
    "domains": [{"domain": "deep.sub.acme.example", "parent_domain": SUBDOMAIN, "client": "acme"}],
    "emails": [{"email": "info@acme.example"}, {"email": "office@acme.example"}],
    "databases": [{"database_name": "acme_shop", "client": "acme"}],
    "scheduled_tasks": [
        {"client": "acme", "description": "backup", "type": "exec", "command": "/bin/true"}
    ],
}
WHOLE = {"clients": {"username": "acme"}, "domains": {"domain": "acme.example"}}


def test_what_is_deleted_on_its_own_and_would_go_along_is_a_change() -> None:
    panel = Panel(FULL)
    requested = {
        kind: [{"state": "absent", **key}]
        for kind, key in (*WHOLE.items(), ("certificates", {"name": "acme"}))
    }
    runs = [
        panel.run("all", "panel_resources", {"resources": requested, "max_deletes": 20})
        for _time in range(2)
    ]

    assert [(ran.outcome, ran.changed) for ran in runs] == [("ok", True), ("ok", False)], runs[
        0
    ].msg
    assert {(result["kind"], result["result"]) for result in runs[0].result["results"]} == {
        (kind, "changed") for kind in requested
    }


@pytest.mark.parametrize("loss", [None, Loss(RESET, None)], ids=["once", "after a lost answer"])
def test_a_deletion_that_is_refused_once_says_that_nothing_was_written(loss: Loss | None) -> None:
    ran = Panel(FULL, client_deletion="refused").perform_task(
        "clients", {**WHOLE["clients"], "state": "absent"}, loss=loss
    )
    assert ran.outcome == "failed", ran.msg
    assert ("Nothing was written" in ran.msg) == (loss is None), ran.msg


# numbers, switches, scalars

TEXTS = {"numbers": "texts", "switches": "texts", "scalars": "refused", "nested_update": "replace"}
POOL = {
    "pm": "dynamic",
    "max_children": 9,
    "min_spare_servers": 1,
    "max_spare_servers": 3,
    "status": True,
}
GROUPS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("plans", "resources", {"name": "Gold", "resources": {"domains": 5}}, {"databases": 7}),
    ("plans", "permissions", {"name": "Gold", "permissions": {"ssh": True}}, {"ftp": True}),
    ("plans", "php", {"name": "Gold", "php": {"max_execution_time": 30}}, {"memory_limit": "128M"}),
    ("plans", "php_fpm", {"name": "Gold", "php_fpm": POOL}, {"max_children": 8}),
    (
        "domains",
        "security",
        {"domain": "acme.example", "client": "acme"},
        {"hsts_max_age": 31536000},
    ),
    (
        "domains",
        "security",
        {"domain": "acme.example", "client": "acme"},
        {"is_prefer_https": True},
    ),
    (
        "domains",
        "target",
        {
            "domain": "www.acme.example",
            "client": "acme",
            "target": {"target": "https://a.example", "forwarding_type": 301},
        },
        {"target": "https://b.example"},
    ),
]


@LAYOUT
@pytest.mark.parametrize(("kind", "group", "existing", "change"), GROUPS, ids=str)
def test_what_is_sent_beside_a_change_has_its_own_type(
    kind: str, group: str, existing: dict[str, Any], change: dict[str, Any], in_bulk: bool
) -> None:
    usual, odd_panel = Panel(), Panel(**TEXTS)
    key = dict([next(iter(existing.items()))])

    for step in (existing, {**key, group: change}):
        runs = [(panel, panel.perform_task(kind, step, in_bulk)) for panel in (usual, odd_panel)]
        assert [ran.outcome for _panel, ran in runs] == ["ok", "ok"], runs[1][1].msg
        assert [write["body"] for write in runs[0][1].writes] == [
            write["body"] for write in runs[1][1].writes
        ]

    assert not odd_panel.perform_task(kind, {**key, group: change}, in_bulk).changed


@LAYOUT
@pytest.mark.parametrize(
    "record",
    [
        pytest.param(RECORD, id="address"),
        pytest.param(
            {**RECORD, "host": "mail", "type": "MX", "value": "10 mx.example."}, id="mail exchanger"
        ),
    ],
)
def test_records_that_stay_are_sent_in_their_own_types(in_bulk: bool, record: Any) -> None:
    panel = Panel(**TEXTS)
    runs = [
        panel.perform_task("dns", {"domain": "acme.example", "records": [record]}, in_bulk)
        for _time in range(2)
    ]

    assert [(ran.outcome, ran.changed) for ran in runs] == [("ok", True), ("ok", False)], runs[
        0
    ].msg


def test_a_zone_by_id_needs_the_name_that_the_panel_shows_of_the_domain(in_memory: Any) -> None:
    panel = in_memory(SEED, hidden_members={"domains": ["domain"]})
    result = panel.run(
        "panel_dns", id=1, records=[{"host": "www", "type": "A", "ttl": 60, "value": "192.0.2.1"}]
    )

    assert result["error"]["type"] == "UnexpectedAnswer"
    assert panel.writes == []
    assert "GET /domains/1 does not say which domain that is." in result["msg"]


# hidden_members, renamed_members


@pytest.mark.parametrize("kind", ["clients", "domains", "scheduled_tasks"])
def test_a_purge_deletes_nothing_that_is_shown_without_its_id(in_memory: Any, kind: str) -> None:
    cron = {"client": "acme", "description": "cron", "type": "exec", "command": "true"}
    panel = in_memory({**SEED, "scheduled_tasks": [cron]}, hidden_members={kind: ["id"]})

    result = panel.run("panel_resources", resources={kind: []}, purge=[kind], max_deletes=9)

    assert result["error"]["type"] == "UnexpectedAnswer"
    assert panel.writes == []
    assert "without its id." in result["msg"]


@LAYOUT
@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"state": "absent"}, id="deleted"),
        pytest.param({"is_main_admin": False}, id="demoted"),
    ],
)
def test_the_only_admin_stays_where_no_one_is_shown_as_a_main_admin(
    in_bulk: bool, change: dict[str, Any]
) -> None:
    panel = Panel(hidden_members={"admins": ["is_main_admin"]})
    ran = panel.perform_task("admins", {"username": "admin", **change}, in_bulk)

    assert ran.outcome == "failed", ran.msg
    assert ran.writes == [], ran.msg
    assert "is the last one" in ran.msg, ran.msg


@pytest.fixture
def without_owners() -> Panel:
    """Make a panel that does not show whose a domain is."""
    panel = Panel()
    panel.panel.settings.merge({"hidden_members": {"domains": ["id_user"]}})
    return panel


@LAYOUT
def test_a_mailbox_whose_domain_does_not_show_its_owner_is_not_made_for_nobody(
    without_owners: Panel, in_bulk: bool
) -> None:
    ran = without_owners.perform_task("emails", {"email": "info@acme.example"}, in_bulk)

    assert ran.outcome == "failed", ran.msg
    assert ran.writes == [], ran.msg
    assert "Give client or id_user." in ran.msg, ran.msg


@LAYOUT
@pytest.mark.parametrize("option", ["client", "id_user"])
def test_a_mailbox_whose_domain_does_not_show_its_owner_is_made_once_where_the_task_names_one(
    without_owners: Panel, option: str, in_bulk: bool
) -> None:
    acme = {"client": "acme", "id_user": without_owners.get_id("clients", "username", "acme")}
    mailbox = {"email": "info@acme.example", option: acme[option]}

    runs = [without_owners.perform_task("emails", mailbox, in_bulk) for _time in range(2)]

    assert [ran.outcome for ran in runs] == ["ok", "ok"], runs[0].msg
    assert [ran.changed for ran in runs] == [True, False]
    assert len(without_owners.list_objects("emails")) == 1


# certificate_update

OTHER = {
    "certificate": pem.make_texts()["two.certificate"],
    "private_key": pem.make_texts()["two.private_key"],
}


@LAYOUT
@pytest.mark.parametrize(
    "components",
    [{"certificate": OTHER["certificate"]}, {**COMPONENTS, "certificate": OTHER["certificate"]}],
    ids=["without the key", "with another key"],
)
def test_a_refused_certificate_comes_with_the_words_of_the_panel_about_its_key(
    components: dict[str, str], in_bulk: bool
) -> None:
    panel = Panel({"certificates": FULL["certificates"]}, certificate_update="needs_key")
    ran = panel.perform_task(
        "certificates", {"name": "acme", "client": "acme", "components": components}, in_bulk
    )

    assert ran.outcome == "failed"
    assert len(ran.writes) == 1
    assert ran.writes[0]["status"] == 400
    assert "private_key" in ran.msg

    ran = panel.perform_task(
        "certificates", {"name": "acme", "client": "acme", "components": OTHER}, in_bulk
    )

    assert ran.outcome == "ok"
    assert ran.changed is True


# dates


@LAYOUT
@pytest.mark.parametrize(
    ("kind", "options"),
    [("domains", {"domain": "acme.example"}), ("clients", {"username": "acme"})],
    ids=str,
)
@pytest.mark.parametrize("moment", ["2027-01-01T00:00:00+01:00", "2027-05-01T23:00:00-05:00"])
def test_a_moment_settles_after_one_write_where_only_its_day_is_shown(
    kind: str, options: dict[str, str], in_bulk: bool, moment: str
) -> None:
    field = {"domains": "delete_on", "clients": "suspend_on"}[kind]
    panel = Panel(dates="date")
    runs = [panel.perform_task(kind, {**options, field: moment}, in_bulk) for _time in range(2)]

    assert [(ran.outcome, ran.changed) for ran in runs] == [("ok", True), ("ok", False)]


# system_domains


@pytest.mark.parametrize(
    ("purge", "short"), [(False, {}), (True, {"domains": ["id_user"]})], ids=["absent", "purge"]
)
def test_a_plan_and_an_export_know_the_system_domain_of_a_client(
    purge: bool, short: dict[str, Any]
) -> None:
    panel = Panel(
        {"clients": [{"username": "beta", "create_system_domain": True}]}, short_lists=short
    )
    [domain] = [item for item in panel.list_objects("domains") if item["is_system_domain"]]
    requested = {"clients": []} if purge else {"clients": [{"username": "beta", "state": "absent"}]}
    options = {"resources": requested, "purge": ["clients"] if purge else [], "max_deletes": 20}

    ran = panel.run("plan", "panel_resources", options, check_mode=True)
    cascade = {
        action["key"]: action.get("also_deleted_ids") for action in ran.result["plan"]["actions"]
    }

    assert cascade["beta"] == {"domains": [domain["id"]]}, ran.msg

    ran = panel.run("export", "panel_resources_info", {"kinds": ["clients"]})
    has = {
        client["username"]: client.get("create_system_domain")
        for client in ran.result["resources"]["clients"]
    }

    assert has == {"acme": None, "beta": True}
    assert ran.calls.count("GET /domains") == 1


# missing_paths


@LAYOUT
def test_an_object_whose_own_path_is_missing_gets_its_password_by_its_id(in_bulk: bool) -> None:
    seed = {"ftp_users": [{"username": "acme_ftp", "client": "acme"}]}
    panel = Panel(seed, missing_paths=["GET /ftp-users/\\d+"])
    identifier = panel.get_id("ftp_users", "username", "acme_ftp")
    options = {"id": identifier, "password": "Another-password-1", "update_password": "always"}

    ran = panel.perform_task("ftp_users", options, in_bulk)

    assert ran.outcome == "ok", ran.msg
    assert ran.changed is True, ran.msg
    assert len(ran.writes) == 1, ran.msg

    deletion = panel.perform_task("ftp_users", {"id": 4711, "state": "absent"}, in_bulk)
    assert deletion.outcome == "ok", deletion.msg
    assert deletion.changed is False, deletion.msg


# hidden_members, in an export


def test_an_export_that_leaves_out_domains_is_applied_to_an_empty_panel() -> None:
    settings = {"status_delay": 0.0, "hidden_members": {"domains": ["id_user"]}}
    panel = MemoryPlace(make_mixed_objects(pem.make_texts(), clients=3), settings)

    export = panel.run("export", "panel_resources_info", {})

    assert "domains: client-000.example, " in str(export.result["warnings"])
    assert export.result["resources"]["domains"] == []
    assert export.result["resources"]["emails"] == []

    same = panel.run("same", "panel_resources", {"resources": export.result["resources"]})
    purged = {
        "resources": export.result["resources"],
        "purge": ["domains", "emails"],
        "max_deletes": 99,
    }

    spared = panel.run("purge", "panel_resources", purged)

    assert [(ran.outcome, ran.writes) for ran in (same, spared)] == [("ok", [])] * 2, spared.msg

    panel.panel.reset_objects()
    requested = {"resources": with_keys(export.result["resources"], pem.make_texts())}
    runs = [panel.run("rebuild", "panel_resources", requested) for _time in range(2)]

    assert [(ran.outcome, ran.changed) for ran in runs] == [("ok", True), ("ok", False)], runs[
        0
    ].msg
