"""One task for one object, request by request, where something is odd, lost or late.

Its ordinary way is in tests/unit/test_behaviours.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._kinds import registry
from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import CLIENT
from ansible_collections.hosting.panel.plugins.module_utils._object import object_task
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    NotApplied,
    build_resource_operation,
    wait_until_applied,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.fields import (
    Field,
    Mutability,
    declare_reference,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.groups import Group
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import (
    Kind,
    ObjectRules,
    PanelTraits,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.password_options import Password
from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import Boolean, Text
from tests.support import transcript
from tests.support.memory import MemoryPanel
from tests.support.tasks import run_task
from tests.support.transcript import (
    NOT_FOUND,
    Call,
    Dialogue,
    Reply,
    SimulatedTime,
    call,
    make_answer,
    make_page,
    make_reset_fault,
)

SHOP = Kind(
    singular="shop",
    key=(Field("name", Text(clearable=False)),),
    fields=(
        declare_reference(
            "client",
            Text(clearable=False),
            name="id_user",
            change=Mutability.IDENTITY,
            inherit="name",
        ),
        declare_reference("brand", Text(clearable=False)),
        Field("notes", Text()),
        Field("is_main", Boolean()),
        Group("door", fields=(Field("colour", Text()),)),
    ),
    is_renamable=True,
    password=Password(),
    traits=PanelTraits(has_status=True),
    rules=ObjectRules(addresses=("name",)),
)
BRANDS = Kind("brand", (Field("name", Text(clearable=False)),))
OPERATION = build_resource_operation(SHOP)
ACME = {"id": 7, "name": "acme", "id_user": 21, "notes": "old", "is_main": False, "status": 1}
ABSENT = make_answer(404, NOT_FOUND)


@pytest.fixture(autouse=True)
def _register_shop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind of this panel alone."""
    monkeypatch.setitem(registry.BY_PATH, BRANDS.path, BRANDS)


def make_shop_call(reply: Reply | Exception, name: str = "acme") -> Call:
    """Return the request for a shop by its name."""
    return call("GET", f"/shops/name/{name}", reply)


def make_domain_call(owner: int | None = 21, name: str = "acme") -> Call:
    """Return the request for the domain from which a shop has its owner."""
    return call(
        "GET",
        f"/domains/name/{name}",
        ABSENT if owner is None else make_answer(200, {"id": 1, "id_user": owner}),
    )


def make_creation_call(body: dict[str, Any], reply: Reply | Exception | None = None) -> Call:
    """Return the request that creates the shop."""
    return call(
        "POST",
        "/shops",
        reply or make_answer(201, {"id": 7}),
        {"name": "acme", "id_user": 21, **body},
    )


def change(body: dict[str, Any], reply: Reply | Exception | None = None) -> Call:
    """Return the request that changes the shop."""
    return call("PUT", "/shops/7", reply or make_answer(200, {"id": 7}), body)


def run(panel: PanelSession, /, check_mode: bool = False, **options: Any) -> dict[str, Any]:
    """Run the module of the shop."""
    return run_task(OPERATION, panel, {"name": "acme", **options}, check_mode)


# Of a page the list decides whether the object is there.
SHOPS_UNREADABLE = call("GET", "/shops", make_page(404))


# References.


@pytest.mark.parametrize(
    "reply",
    [make_page(404), make_answer(200), make_answer(200, []), make_answer(200, {"name": "Red"})],
)
def test_a_failing_look_up_of_a_reference_is_not_an_unknown_one(
    dialogue: Dialogue, reply: Reply
) -> None:
    # Of a page the list decides, which cannot be read either.
    listed = [call("GET", "/brands", reply)] if reply == make_page(404) else []
    result = run(
        dialogue(
            make_shop_call(make_answer(200, ACME)), call("GET", "/brands/name/Red", reply), *listed
        ),
        brand="Red",
    )

    assert result["error"]["type"] == "UnexpectedAnswer"


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    "owner", [{}, {"id_user": None}, {"id_user": -2}, {"id_user": ""}], ids=str
)
def test_nothing_is_created_for_an_owner_that_the_panel_does_not_show(
    dialogue: Dialogue, check_mode: bool, owner: dict[str, Any]
) -> None:
    source = call("GET", make_domain_call().path, make_answer(200, {"id": 3, **owner}))

    result = run(dialogue(make_shop_call(ABSENT), source), check_mode)

    assert result["error"] == {"type": "Conflict", "option": "client"}
    assert "Give client or id_user. Nothing was written." in result["msg"]


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("odd", [True, 2.0, [2], {}, "x", "../clients/2"], ids=repr)
def test_nothing_is_created_for_an_owner_whose_id_is_none(
    dialogue: Dialogue, check_mode: bool, odd: Any
) -> None:
    source = call("GET", make_domain_call().path, make_answer(200, {"id": 3, "id_user": odd}))

    result = run(dialogue(make_shop_call(ABSENT), source), check_mode)

    assert result["error"]["type"] == "UnexpectedAnswer"
    assert "shows id_user as " in result["msg"]


# Passwords.


def test_a_new_password_that_the_panel_does_not_show_is_an_error(dialogue: Dialogue) -> None:
    result = run(
        dialogue(make_shop_call(make_answer(200, ACME)), change({"password": None})),
        regenerate_password=True,
    )

    assert result["failed"] is True
    assert "regenerate_password: true" in result["msg"]


@pytest.mark.parametrize(
    "fault",
    [make_reset_fault(), transcript.make_read_timeout_fault(), make_page(502), make_page(503)],
)
def test_a_new_password_that_may_come_late_is_not_asked_for_again(
    dialogue: Dialogue, fault: Reply | Exception
) -> None:
    session = dialogue(
        make_shop_call(make_answer(200, ACME)), change({"password": None}, fault), retry_time=20
    )
    result = run(session, regenerate_password=True)

    assert result["failed"], result
    assert (
        "may have a new password, which is lost. Run the task again in a few minutes"
        in result["msg"]
    )


def test_a_change_without_a_password_is_sent_again_at_once(dialogue: Dialogue) -> None:
    session = dialogue(
        make_shop_call(make_answer(200, ACME)),
        change({"notes": "x"}, make_reset_fault()),
        change({"notes": "x"}),
        retry_time=5,
    )

    assert run(session, notes="x")["changed"] is True


@pytest.mark.parametrize("status", [400, 401])
def test_a_new_password_that_was_certainly_not_made_is_not_told(
    dialogue: Dialogue, status: int
) -> None:
    refused = make_answer(status, {"code": "No", "message": "No."})
    result = run(
        dialogue(make_shop_call(make_answer(200, ACME)), change({"password": None}, refused)),
        regenerate_password=True,
    )

    assert "Nothing was written." in result["msg"]
    assert "new password" not in result["msg"]


# Lost answers.


def test_a_lost_creation_of_another_owner_fails_loudly(dialogue: Dialogue) -> None:
    foreign_shop = {**ACME, "id_user": 22}
    session = dialogue(
        make_shop_call(ABSENT),
        make_domain_call(),
        make_creation_call({"notes": "old"}, make_reset_fault()),
        make_shop_call(make_answer(200, foreign_shop)),
    )

    assert run(session, notes="old", id_user=21)["error"]["type"] == "OutcomeUnknown"


# What somebody else did in the meantime.


TAKEN = {"code": "400 Bad Request", "message": "The name is taken."}


@pytest.mark.parametrize("status", [400, 409, 422])
@pytest.mark.parametrize(("notes", "writes"), [("x", []), ("old", [change({"notes": "x"})])])
def test_what_is_there_by_now_is_treated_as_an_existing_object(
    dialogue: Dialogue, status: int, notes: str, writes: list[Any]
) -> None:
    existing = make_shop_call(make_answer(200, {**ACME, "notes": notes}))
    result = run(
        dialogue(
            make_shop_call(ABSENT),
            make_domain_call(),
            make_creation_call({"notes": "x"}, make_answer(status, TAKEN)),
            existing,
            *writes,
        ),
        notes="x",
    )

    assert not result.get("failed"), result
    assert result["changed"] == bool(writes)
    assert result["shop"]["id"] == 7
    assert result["shop"]["notes"] == "x"
    assert "generated_password" not in result
    assert result["diff"]["after"] == {"notes": "x"}


def test_the_password_of_what_somebody_else_made_meanwhile_is_not_changed(
    dialogue: Dialogue,
) -> None:
    session = dialogue(
        make_shop_call(ABSENT),
        make_domain_call(),
        make_creation_call({"password": "hunter2hunter2"}, make_answer(400, TAKEN)),
        make_shop_call(make_answer(200, ACME)),
    )
    assert run(session, password="hunter2hunter2")["changed"] is False


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"password": "hunter2hunter2"}, id="password"),
        pytest.param({"password_hash": "$6$x", "update_password": "always"}, id="hash"),
    ],
)
def test_a_password_that_was_given_is_no_generated_one_where_the_panel_repeats_it(
    dialogue: Dialogue, options: dict[str, Any]
) -> None:
    sent = {name: value for name, value in options.items() if name != "update_password"}
    creation = make_creation_call(sent, make_answer(201, {"id": 7, "password": "hunter2hunter2"}))

    result = run(dialogue(make_shop_call(ABSENT), make_domain_call(), creation), **options)

    assert result["changed"] is True
    assert "generated_password" not in result
    assert "hunter2" not in str(result)


# Waiting.


@pytest.fixture
def waits(time: SimulatedTime, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting happens on the simulated clock."""
    real = object_task.wait_until_applied

    def wait(read: Any, label: str, timeout: float) -> int:
        return real(read, label, timeout, time.sleep, time.get_time)

    monkeypatch.setattr(object_task, "wait_until_applied", wait)


def look(status: int) -> Call:
    """Return the request for the shop, which shows a status."""
    return call("GET", "/shops/7", make_answer(200, {**ACME, "status": status}))


@pytest.mark.usefixtures("waits")
def test_a_failed_wait_hands_over_what_was_reached_and_the_real_status(dialogue: Dialogue) -> None:
    session = dialogue(
        make_shop_call(ABSENT),
        make_domain_call(),
        make_creation_call({}, make_answer(201, {"id": 7, "password": "made"})),
        look(3),
        look(2),
    )
    result = run(session, wait=True)

    assert result["failed"] is True
    assert result["changed"] is True
    assert result["generated_password"] == "made"
    assert result["shop"]["id"] == 7
    assert result["shop"]["status"] == 2
    assert result["error"] == {"type": "NotApplied", "status": 2}


@pytest.mark.usefixtures("waits")
def test_check_mode_predicts_that_the_wait_for_what_the_panel_could_not_apply_fails(
    dialogue: Dialogue,
) -> None:
    failing = [make_shop_call(make_answer(200, {**ACME, "status": 2})), look(2)]
    predicted, real = (
        run(dialogue(*failing), check_mode=check_mode, wait=True) for check_mode in (True, False)
    )

    assert predicted["error"] == {"type": "NotApplied", "status": 2}
    assert predicted["shop"]["status"] == 2
    assert predicted == real


def test_a_client_that_is_gone_at_its_deletion_takes_nothing_with_it() -> None:
    def interfere(method: str, _path: str, _body: Any) -> None:
        if method == "DELETE":
            panel.clear("/clients")

    owned = {"/databases": [{"id": 5, "id_user": 1, "database_name": "shop"}]}
    panel = MemoryPanel({"/clients": [{"id": 1, "username": "acme"}], **owned}, before=interfere)

    result = run_task(
        build_resource_operation(CLIENT), panel, {"username": "acme", "state": "absent"}
    )

    assert result["changed"] is False
    assert result["removed"] == {}


# Reading back.

WHOLE = {
    **ACME,
    "notes": "x",
    "created_at": "2026-11-22T01:00:00+01:00",
    "password_hash": "$6$never-shown",
}
READ = {name: value for name, value in WHOLE.items() if name != "password_hash"}
WHOLE_SHOP = call("GET", "/shops/7", make_answer(200, WHOLE))


def test_what_was_made_or_changed_is_read_back_with_all_its_members_but_the_secrets(
    dialogue: Dialogue,
) -> None:
    creation = make_creation_call({"notes": "x"}, make_answer(201, {"id": 7, "password": "made"}))
    result = run(
        dialogue(make_shop_call(ABSENT), make_domain_call(), creation, WHOLE_SHOP),
        notes="x",
        read_back=True,
    )

    assert result["changed"] is True
    assert result["shop"] == READ
    assert result["generated_password"] == "made"

    session = dialogue(make_shop_call(make_answer(200, ACME)), change({"notes": "x"}), WHOLE_SHOP)
    assert run(session, notes="x", read_back=True)["shop"] == READ


@pytest.mark.parametrize("option", ["read_back", "wait"])
@pytest.mark.parametrize(
    "reply",
    [ABSENT, make_page(404), make_answer(206, WHOLE), make_answer(200, []), make_reset_fault()],
)
def test_a_reading_back_that_fails_says_that_the_write_happened(
    dialogue: Dialogue, reply: Reply | Exception, option: str
) -> None:
    creation = make_creation_call({"notes": "x"}, make_answer(201, {"id": 7, "password": "made"}))
    listed = [SHOPS_UNREADABLE] if reply == make_page(404) else []
    session = dialogue(
        make_shop_call(ABSENT),
        make_domain_call(),
        creation,
        call("GET", "/shops/7", reply),
        *listed,
        retry_time=0,
    )

    result = run(session, notes="x", **{option: True})

    assert result["failed"] is True
    assert result["changed"] is True
    assert result["generated_password"] == "made"
    assert result["shop"] == {"id": 7, "name": "acme", "id_user": 21, "notes": "x"}
    assert result["error"]["type"] == "NotReadBack"
    assert result["msg"].startswith("shop acme: it was stored, but reading it back failed: ")
    assert "Nothing was written" not in result["msg"]

    # Whether it is applied, a task that waits has not seen.
    advice = {
        "wait": "Run the task again to wait for it.",
        "read_back": "you do not have to run it again.",
    }

    assert result["msg"].endswith(advice[option])


# Waiting until the panel has applied a change


def wait(time: SimulatedTime, *statuses: Any, timeout: float = 120) -> None:
    """Waits for an object that shows these statuses, the last of them for ever."""
    answers: Iterator[Mapping[str, Any]] = iter([{"status": status} for status in statuses])
    last: dict[str, Any] = {}

    def read() -> Mapping[str, Any]:
        last.update(next(answers, last))
        return last

    wait_until_applied(read, "the domain shop.example", timeout, time.sleep, time.get_time)


def test_it_waits_a_second_between_two_looks(time: SimulatedTime) -> None:
    wait(time, 3, 3, 4, 0, 1)
    assert time.sleeps == [1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("statuses", [(2,), (3, 2)], ids=str)
def test_an_error_of_the_panel_ends_it_at_once(
    time: SimulatedTime, statuses: tuple[int, ...]
) -> None:
    with pytest.raises(NotApplied) as caught:
        wait(time, *statuses)

    assert "status 2 (error)" in str(caught.value)
    assert caught.value.problem.advice == "Check the panel's own log; the object exists."
    assert caught.value.details == {"status": 2}


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (3, "status 3 (config_new)"),
        (4, "status 4 (config_update)"),
        (0, "status 0 (unknown)"),
        (None, "not shown"),
        (17, "not shown"),
        ("1", "not shown"),
    ],
)
def test_the_time_ends_it_with_the_last_status(
    time: SimulatedTime, status: Any, message: str
) -> None:
    start = time.now
    with pytest.raises(NotApplied) as caught:
        wait(time, status, timeout=10)

    assert message in str(caught.value)
    assert "within 10 s" in str(caught.value)
    assert caught.value.problem.advice == "Run the task again, or raise wait_timeout."
    assert caught.value.details == {"status": status}
    assert 9 <= time.now - start <= 10
