"""Carrying out a plan: what fails, what is skipped, what goes on, and what is reported of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils import _errors as errors
from ansible_collections.hosting.panel.plugins.module_utils._bulk.bulk_task import (
    build_resources_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._errors import (
    Denied,
    OutcomeUnknown,
    Refused,
    ServerFailed,
)
from ansible_collections.hosting.panel.plugins.module_utils._problems import Written
from tests.support.memory import MemoryPanel
from tests.support.tasks import run_items as run
from tests.support.tasks import run_task

SECRET = "s3cret-of-a-customer"
LIMIT = 10.0  # seconds that a test waits for its threads
Before = Callable[[str, str, Any], None]


def list_results(result: dict[str, Any]) -> dict[str, str]:
    """What came of each object."""
    return {f"{entry['kind']} {entry['key']}": entry["result"] for entry in result["results"]}


def fail_at(error: Callable[[str, str], Exception], *where: str) -> Before:
    """Fails the writes whose method and path, or whose body's values, are among those."""

    def interfere(method: str, path: str, body: Any) -> None:
        values = (
            [value for value in (body or {}).values() if isinstance(value, str)]
            if method != "GET"
            else []
        )
        if f"{method} {path}" in where or any(value in where for value in values):
            raise error(method, path)

    return interfere


def make_refusal(method: str, path: str) -> Refused:
    """Return the error of a request that the panel has refused."""
    return Refused(
        f"{method} {path} answered 400: no. Nothing was written by this request.",
        method=method,
        path=path,
        attempts=1,
        status=400,
        message="no",
    )


def make_error_maker(error: type[errors.PanelError]) -> Callable[[str, str], errors.PanelError]:
    """Return a function that makes errors of a class for a request."""
    return lambda method, path: error(
        f"{method} {path}: {error.__name__}.", method=method, path=path, attempts=1
    )


def make_clients(count: int, **fields: Any) -> dict[str, list[dict[str, Any]]]:
    """Return the answer of the list of clients, numbered from one."""
    return {
        "/clients": [
            {"id": n, "username": f"c{n}", "notes": "", **fields} for n in range(1, count + 1)
        ]
    }


def collect_problems(count: int) -> dict[str, Any]:
    """Items that change each of these clients."""
    return {"clients": [{"username": f"c{n}", "notes": "x"} for n in range(1, count + 1)]}


CUSTOMER = {
    "plans": [{"name": "Basic"}],
    "clients": [
        {"username": "acme", "hosting_plan": "Basic", "password": SECRET},
        {"username": "globex", "password": SECRET},
    ],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "shop.acme.example", "parent_domain": "acme.example"},
        {"domain": "globex.example", "client": "globex"},
    ],
    "dns": [{"domain": "acme.example", "is_dns_disabled": True}],
    "emails": [
        {"email": "info@acme.example", "password": SECRET},
        {"email": "info@globex.example"},
    ],
    "databases": [
        {"database_name": "acme_shop", "client": "acme"},
        {"database_name": "globex_shop", "client": "globex"},
    ],
}


def get_generated_password(panel: MemoryPanel, client: str) -> dict[str, str]:
    """What a task says of the password that the panel made for a client."""
    (password,) = [
        entry.hidden["password"]
        for entry in panel.panel.store.list_all("clients")
        if entry.data["username"] == client
    ]
    return {"kind": "clients", "key": client, "password": password}


# Failures


@pytest.mark.parametrize("concurrency", [1, 4])
def test_an_item_that_fails_stops_neither_the_others_nor_a_second_run(concurrency: int) -> None:
    panel = MemoryPanel(make_clients(6), before=fail_at(make_refusal, "PUT /clients/2"))
    result = run(panel, collect_problems(6), concurrency=concurrency)

    assert list_results(result) == {
        f"clients c{n}": "failed" if n == 2 else "changed" for n in range(1, 7)
    }
    assert result["failed"] is True
    assert result["changed"] is True
    assert result["msg"] == (
        "1 of 6 changes failed, 5 were written; client c2: PUT /clients/2 answered 400: no. Nothing was written by this request."
    )
    assert result["error"] == {"type": "Incomplete", "failed": 1, "skipped": 0, "written": 5}
    assert result["results"][1] == {
        "kind": "clients",
        "key": "c2",
        "id": 2,
        "result": "failed",
        "msg": "client c2: PUT /clients/2 answered 400: no. Nothing was written by this request.",
        "error": {
            "type": "Refused",
            "method": "PUT",
            "path": "/clients/2",
            "attempts": 1,
            "status": 400,
            "message": "no",
        },
    }
    assert result["plan"]["summary"]["update"] == 6

    panel.forget()
    panel.before = None

    second_run = run(panel, collect_problems(6), concurrency=concurrency)

    assert panel.writes == [("PUT", "/clients/2", {"notes": "x"})]
    assert list_results(second_run) == {"clients c2": "changed"}


@pytest.mark.parametrize("concurrency", [1, 4])
def test_what_needs_a_failed_object_is_skipped_and_everything_else_is_done(
    concurrency: int,
) -> None:
    panel = MemoryPanel(before=fail_at(make_refusal, "acme"))
    result = run(panel, CUSTOMER, concurrency=concurrency)

    assert [(entry["kind"], entry["key"], entry["result"]) for entry in result["results"]] == [
        ("plans", "Basic", "changed"),
        ("clients", "acme", "failed"),
        ("clients", "globex", "changed"),
        ("domains", "acme.example", "skipped"),
        ("domains", "globex.example", "changed"),
        ("domains", "shop.acme.example", "skipped"),
        ("dns", "acme.example", "skipped"),
        ("emails", "info@acme.example", "skipped"),
        ("emails", "info@globex.example", "changed"),
        ("databases", "acme_shop", "skipped"),
        ("databases", "globex_shop", "changed"),
    ]
    assert {
        f"{entry['kind']} {entry['key']}": entry["msg"]
        for entry in result["results"]
        if entry["result"] == "skipped"
    } == {
        "domains acme.example": "domain acme.example: it needs the client acme, which failed.",
        "domains shop.acme.example": "domain shop.acme.example: it needs the domain acme.example, which was skipped.",
        "dns acme.example": "DNS zone acme.example: it needs the domain acme.example, which was skipped.",
        "emails info@acme.example": "mailbox info@acme.example: it needs the domain acme.example, which was skipped.",
        "databases acme_shop": "database acme_shop: it needs the client acme, which failed.",
    }
    assert result["msg"].startswith(
        "1 of 11 changes failed, 5 were skipped, 5 were written, see results; first client acme: "
    )

    passwords = {entry["key"]: entry["password"] for entry in result["generated_passwords"]}
    assert passwords.keys() == {"info@globex.example", "globex_shop"}

    panel.forget()
    panel.before = None

    second_run = run(panel, CUSTOMER, concurrency=concurrency)

    assert [key for key, outcome in list_results(second_run).items() if outcome == "changed"] == [
        entry for entry, outcome in list_results(result).items() if outcome != "changed"
    ]

    panel.forget()
    assert run(panel, CUSTOMER, concurrency=concurrency)["changed"] is False
    assert panel.writes == []


def test_a_zone_that_may_be_damaged_hands_over_what_it_was_before() -> None:
    panel = MemoryPanel(
        ZONED, before=fail_at(make_error_maker(ServerFailed), "PUT /dns/name/acme.example")
    )
    result = run(panel, {"dns": [{"domain": "acme.example", "is_dns_disabled": True}]})
    (entry,) = result["results"]

    assert entry["result"] == "failed"

    now = MemoryPanel(ZONED).get("/dns/31")["records"]
    assert entry["records_before"] == now["other"]
    assert entry["soa_before"] == now["soa"]
    assert "result" not in entry["error"]


def test_a_zone_that_was_written_and_is_not_what_it_should_be_counts_as_changed() -> None:
    panel = MemoryPanel(ZONED)
    call = panel.call

    def call_and_lose(method: str, path: str, **request: Any) -> Any:
        answer = call(method, path, **request)
        if method == "PUT":
            call("DELETE", "/dns/31")
        return answer

    panel.call = call_and_lose  # type: ignore[method-assign]

    result = run(panel, {"dns": [{"domain": "acme.example", "is_dns_disabled": True}]})

    assert result["changed"] is True
    assert result["msg"].startswith(
        "1 of 1 changes failed (1 after it was written), 1 was written; zone acme.example: it was written"
    )


# The end of everything


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("status", [401, 403])
def test_nothing_more_is_sent_after_the_panel_denied_the_key(concurrency: int, status: int) -> None:
    def interfere(method: str, path: str, body: Any) -> None:
        if method != "GET":
            details = {
                "method": method,
                "path": path,
                "attempts": 1,
                "status": status,
                "message": "No.",
            }
            raise Denied(f"{method} {path} answered {status}.", **details)

    panel = MemoryPanel(make_clients(20), before=interfere)
    result = run(panel, collect_problems(20), concurrency=concurrency)
    failed = [entry for entry in result["results"] if entry["result"] == "failed"]
    skipped = [entry for entry in result["results"] if entry["result"] == "skipped"]

    assert 1 <= len(panel.writes) == len(failed) <= concurrency
    assert {entry["error"]["type"] for entry in failed} == {"Denied"}
    assert len(skipped) == 20 - len(failed)

    reason = "the panel does not accept the key for this any more, so nothing more was sent."
    assert [entry["msg"] for entry in skipped] == [
        f"client {entry['key']}: {reason}" for entry in skipped
    ]
    assert result["changed"] is False


@pytest.mark.parametrize(
    "paths", [("/clients/2",), ("/clients/2", "/clients/4"), ("/clients/2", "/clients/3")], ids=str
)
def test_a_page_of_a_firewall_stops_its_own_item_and_all_after_the_second_in_a_row(
    paths: tuple[str, ...],
) -> None:
    def interfere(method: str, path: str, body: Any) -> None:
        if path in paths:
            raise Denied(
                f"{method} {path} answered 403.", method=method, path=path, attempts=1, status=403
            )

    result = run(MemoryPanel(make_clients(6), before=interfere), collect_problems(6))
    outcomes = list(list_results(result).values())

    if "/clients/3" in paths:
        assert outcomes == ["changed", "failed", "failed", "skipped", "skipped", "skipped"]
        assert (
            result["results"][-1]["msg"]
            == "client c6: access was refused twice, so nothing more was sent."
        )
    else:
        assert [number for number, outcome in enumerate(outcomes, 1) if outcome == "failed"] == [
            int(path[-1]) for path in paths
        ]
        assert set(outcomes) == {"changed", "failed"}


@pytest.mark.parametrize("error", [errors.Unreachable, ServerFailed, OutcomeUnknown])
def test_a_panel_that_does_not_answer_twice_in_a_row_is_left_alone(
    error: type[errors.PanelError],
) -> None:
    def interfere(method: str, path: str, body: Any) -> None:
        if path in ("/clients/2", "/clients/4", "/clients/5"):
            fault = make_error_maker(error)(method, path)
            if error is OutcomeUnknown:
                fault.amend(written=Written.MAYBE_WRITTEN)
            raise fault

    panel = MemoryPanel(make_clients(7), before=interfere)

    result = run(panel, collect_problems(7))

    assert list(list_results(result).values()) == [
        "changed",
        "failed",
        "changed",
        "failed",
        "failed",
        "skipped",
        "skipped",
    ]
    assert [path for _method, path, _body in panel.writes] == [f"/clients/{n}" for n in range(1, 6)]
    assert (
        result["results"][-1]["msg"]
        == "client c7: the panel had stopped to answer, so nothing more was sent."
    )

    perhaps = ", 3 may have been" if error is OutcomeUnknown else ""
    assert result["msg"].startswith(
        f"3 of 7 changes failed, 2 were skipped, 2 were written{perhaps}, see results; first client c2: "
    )


def make_doubtful(
    error: type[errors.RequestError], is_in_doubt: bool = True
) -> Callable[[str, str], Exception]:
    """Errors of a write that may have had its effect, or of one that had none."""

    def make_error(method: str, path: str) -> Exception:
        fault = make_error_maker(error)(method, path)
        if is_in_doubt:
            fault.amend(written=Written.MAYBE_WRITTEN)
        return fault

    return make_error


ZONED = {
    "/clients": [{"id": 1, "username": "acme", "notes": ""}],
    "/domains": [{"id": 31, "domain": "acme.example", "id_user": 1}],
}


@pytest.mark.parametrize(
    ("error", "is_in_doubt"),
    [
        pytest.param(ServerFailed, True, id="server failed in doubt"),
        pytest.param(Refused, True, id="refused in doubt"),
        pytest.param(OutcomeUnknown, True, id="outcome unknown"),
        pytest.param(ServerFailed, False, id="server failed without doubt"),
    ],
)
@pytest.mark.parametrize(
    ("requested", "at", "subject"),
    [
        ({"clients": [{"username": "acme", "notes": "x"}]}, "PUT /clients/1", "client acme"),
        (
            {"dns": [{"domain": "acme.example", "is_dns_disabled": True}]},
            "PUT /dns/name/acme.example",
            "zone acme.example",
        ),
        ({"clients": [{"username": "new", "password": SECRET}]}, "POST /clients", "client new"),
    ],
)
def test_what_may_have_been_written_is_counted_whatever_the_error_is(
    error: Any, is_in_doubt: bool, requested: dict[str, Any], at: str, subject: str
) -> None:
    result = run(
        MemoryPanel(ZONED, before=fail_at(make_doubtful(error, is_in_doubt), at)), requested
    )
    perhaps = ", 1 may have been" if is_in_doubt else ""

    assert result["msg"].startswith(f"1 of 1 changes failed, 0 were written{perhaps}; {subject}: ")


def test_a_new_password_that_the_panel_does_not_tell_counts_as_written() -> None:
    panel = MemoryPanel(make_clients(1))
    put = panel.put
    panel.put = lambda *arguments, **how: {"id": put(*arguments, **how)["id"]}  # type: ignore[method-assign]

    result = run(panel, {"clients": [{"username": "c1", "regenerate_password": True}]})

    assert result["msg"].startswith(
        "1 of 1 changes failed (1 after it was written), 1 was written; client c1: "
    )
    assert result["changed"] is True


def test_a_defect_loses_no_generated_password_and_does_not_stop_the_others() -> None:
    panel = MemoryPanel(before=fail_at(lambda _method, _path: ValueError(SECRET), "c2"))
    result = run(panel, {"clients": [{"username": f"c{n}"} for n in (1, 2, 3)]})

    assert list_results(result) == {
        "clients c1": "changed",
        "clients c2": "failed",
        "clients c3": "changed",
    }
    assert result["results"][1]["error"] == {"type": "Defect"}
    assert (
        "A defect in the collection hosting.panel: ValueError in post (panel_session.py:"
        in result["results"][1]["msg"]
    )
    assert result["generated_passwords"] == [
        get_generated_password(panel, "c1"),
        get_generated_password(panel, "c3"),
    ]
    assert SECRET not in str(result)


def test_a_password_that_did_not_arrive_fails_its_item_only() -> None:
    panel = MemoryPanel()
    post = panel.post

    def without_password(path: str, body: Mapping[str, Any], **_how: bool) -> Any:
        return {"id": post(path, body)["id"]}

    panel.post = without_password  # type: ignore[method-assign]
    panel.before = fail_at(make_error_maker(ServerFailed), "PUT /clients/1")

    result = run(panel, {"clients": [{"username": "c1"}, {"username": "c2"}]})

    assert list_results(result) == {"clients c1": "failed", "clients c2": "changed"}
    assert (
        "was created with id 1, and its generated password did not arrive"
        in result["results"][0]["msg"]
    )
    assert result["results"][0]["id"] == 1
    assert result["msg"].startswith(
        "1 of 2 changes failed (1 after it was written), 2 were written; client c1: "
    )
    assert [entry["key"] for entry in result["generated_passwords"]] == ["c2"]


def test_nothing_is_sent_for_an_ansible_that_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    parents = iter([4711] * 2)
    monkeypatch.setattr("os.getppid", lambda: next(parents, 1))
    panel = MemoryPanel(make_clients(3))

    result = run(panel, collect_problems(3))

    assert list(list_results(result).values()) == ["changed", "skipped", "skipped"]
    assert result["results"][-1]["msg"] == "client c3: Ansible has ended, so nothing more was sent."
    assert result["msg"].startswith(
        "0 of 3 changes failed, 2 were skipped, 1 was written, see results; first client c2: Ansible has ended"
    )
    assert panel.writes == [("PUT", "/clients/1", {"notes": "x"})]


# Reports


def test_generated_passwords_are_told_once_and_not_in_check_mode() -> None:
    requested = {"clients": [{"username": "acme"}, {"username": "globex", "password": SECRET}]}
    panel = MemoryPanel()
    options = {"resources": requested, "concurrency": 1}

    assert "generated_passwords" not in run_task(
        build_resources_operation(), panel, options, check_mode=True
    )

    result = run(panel, requested)
    assert result["generated_passwords"] == [get_generated_password(panel, "acme")]
    assert get_generated_password(panel, "acme")["password"] not in str(
        {**result, "generated_passwords": []}
    )
    assert "generated_passwords" not in run(panel, requested)


def test_what_was_right_already_is_in_the_results_only_where_that_is_asked_for() -> None:
    requested = {"clients": [{"username": "c1", "notes": ""}, {"username": "c2", "notes": "x"}]}
    assert list_results(run(MemoryPanel(make_clients(2)), requested)) == {"clients c2": "changed"}

    result = run(MemoryPanel(make_clients(2)), requested, return_unchanged=True)
    assert list_results(result) == {"clients c2": "changed", "clients c1": "unchanged"}
    assert result["plan"]["summary"] == {"create": 0, "update": 1, "delete": 0, "unchanged": 1}

    failed = run(
        MemoryPanel(make_clients(2), before=fail_at(make_refusal, "PUT /clients/2")),
        requested,
        return_unchanged=True,
    )

    assert list_results(failed) == {"clients c2": "failed", "clients c1": "unchanged"}


# Several at once


def test_nothing_of_a_later_wave_begins_before_everything_of_an_earlier_one_ended() -> None:
    ended: list[str] = []

    def interfere(method: str, path: str, body: Any) -> None:
        if method == "POST" and path == "/clients" and body["username"] == "c1":
            # The others of its wave do not wait for it.
            other_requests.wait(LIMIT)
        elif path == "/clients" and method == "POST":
            ended.append("client")
            if len(ended) == 3:
                other_requests.set()
        elif method == "POST":
            assert len(panel.list_objects("/clients")) == 4

    other_requests = threading.Event()
    panel = MemoryPanel({"/clients": []}, before=interfere)
    requested = {
        "clients": [{"username": f"c{n}", "password": SECRET} for n in (1, 2, 3, 4)],
        "databases": [
            {"database_name": f"d{n}", "client": f"c{n}", "password": SECRET} for n in (1, 2, 3, 4)
        ],
    }

    result = run(panel, requested, concurrency=4)

    assert not result.get("failed"), result["msg"]

    ids = {item["username"]: item["id"] for item in panel.list_objects("/clients")}
    owners = {item["database_name"]: item["id_user"] for item in panel.list_objects("/databases")}

    assert owners == {f"d{n}": ids[f"c{n}"] for n in (1, 2, 3, 4)}


def test_a_subdomain_is_not_begun_before_its_domain_is_there() -> None:
    begun: list[str] = []

    def interfere(method: str, path: str, body: Any) -> None:
        if (method, path) != ("POST", "/domains"):
            return
        begun.append(body["domain"])
        if body["domain"] == "acme.example":
            threading.Event().wait(0.2)  # in which the others would begin
            assert begun == ["acme.example"]

    panel = MemoryPanel(make_clients(1), before=interfere)
    domains = ("a.acme.example", "b.acme.example", "acme.example")
    requested = {"domains": [{"domain": domain, "client": "c1"} for domain in domains]}

    result = run(panel, requested, concurrency=4)

    assert not result.get("failed"), result["msg"]
    assert begun[0] == "acme.example"


def test_as_many_actions_as_allowed_are_under_way_at_once_and_never_more() -> None:
    under_way = list[str]()
    counts = list[int]()

    def interfere(method: str, path: str, _body: Any) -> None:
        if method == "PUT":
            under_way.append(path)
            counts.append(len(under_way))
            threading.Event().wait(0.05)  # in which the others begin
            under_way.remove(path)

    assert not run(
        MemoryPanel(make_clients(12), before=interfere), collect_problems(12), concurrency=3
    ).get("failed")
    assert max(counts) == 3


# What somebody else made in the meantime


def test_what_is_there_by_now_is_treated_as_an_existing_object() -> None:
    def interfere(method: str, path: str, _body: Any) -> None:
        if (method, path) == ("POST", "/clients"):
            panel.add("/clients", {"id": 9, "username": "acme", "notes": "old"})
            raise make_refusal(method, path)

    panel = MemoryPanel({"/clients": []}, before=interfere)
    database = {"database_name": "acme_shop", "client": "acme", "password": SECRET}

    result = run(panel, {"clients": [{"username": "acme", "notes": "x"}], "databases": [database]})

    assert list_results(result) == {"clients acme": "changed", "databases acme_shop": "changed"}
    assert [entry.get("existed", False) for entry in result["results"]] == [True, False]
    assert "generated_passwords" not in result
    assert [(client["id"], client["notes"]) for client in panel.list_objects("/clients")] == [
        (9, "x")
    ]
    assert panel.list_objects("/databases")[0]["id_user"] == 9


# Exactly the approved plan

TASK = {"client": "acme", "description": "Backup", "type": "exec", "command": "/bin/true"}
RECORD = {"host": "www", "type": "A", "ttl": 60, "value": "192.0.2.7"}
PEM = "-----BEGIN CERTIFICATE-----\nMAIFAA==\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nMAIFAA==\n-----END PRIVATE KEY-----\n"


def run_overtaken(
    objects: Mapping[str, Any],
    requested: Mapping[str, Any],
    overtake: Callable[[MemoryPanel], None],
    at: str,
) -> tuple[dict[str, Any], MemoryPanel]:
    """A run with the checksum of its own plan, during which somebody else writes just before this
    request."""

    def interfere(method: str, path: str, _body: Any) -> None:
        if f"{method} {path}" == at and pending:
            pending.pop()(panel)

    pending: list[Callable[[MemoryPanel], None]] = []
    panel = MemoryPanel(objects, before=interfere)
    options = {"resources": dict(requested), "concurrency": 1}
    approved = run_task(build_resources_operation(), panel, options, check_mode=True)["plan"][
        "checksum"
    ]
    pending.append(overtake)

    return run(panel, requested, expected_checksum=approved), panel


def test_a_creation_that_was_approved_never_changes_what_somebody_else_made_meanwhile() -> None:
    theirs = {"id": 9, "name": "shop", "id_user": 1, "components": {"certificate": "theirs"}}

    def overtake(panel: MemoryPanel) -> None:
        panel.add("/certificates", theirs)
        raise make_refusal("POST", "/certificates")

    requested = {
        "certificates": [
            {
                "name": "shop",
                "client": "acme",
                "components": {"private_key": KEY, "certificate": PEM},
            }
        ]
    }
    result, panel = run_overtaken(
        {"/clients": [{"id": 1, "username": "acme"}]}, requested, overtake, "POST /certificates"
    )

    assert list_results(result) == {"certificates shop": "failed"}
    assert result["results"][0]["error"]["type"] == "ExistsByNow"
    assert "certificate shop: it exists by now, with id 9" in result["results"][0]["msg"]

    [stored] = panel.list_objects("/certificates")
    assert {**stored, **theirs} == stored


def test_a_creation_that_was_approved_is_not_made_where_the_panel_would_make_two() -> None:
    theirs = {
        "id": 9,
        "id_user": 1,
        "description": "Backup",
        "type": "exec",
        "command": "/bin/false",
    }

    def overtake(panel: MemoryPanel) -> None:
        panel.add("/scheduled-tasks", theirs)

    objects = {"/clients": [{"id": 1, "username": "acme", "notes": ""}]}
    requested = {"clients": [{"username": "acme", "notes": "x"}], "scheduled_tasks": [TASK]}
    result, panel = run_overtaken(objects, requested, overtake, "PUT /clients/1")

    assert list_results(result) == {
        "clients acme": "changed",
        "scheduled_tasks acme:Backup": "failed",
    }
    assert [task["command"] for task in panel.list_objects("/scheduled-tasks")] == ["/bin/false"]
    assert result["error"]["written"] == 1
    assert result["error"]["failed"] == 1


@pytest.mark.parametrize("is_made_again", [False, True])
def test_a_change_that_was_approved_is_that_of_this_id_alone(is_made_again: bool) -> None:
    def overtake(panel: MemoryPanel) -> None:
        panel.clear("/clients")
        if is_made_again:
            panel.add("/clients", {"id": 9, "username": "c1", "notes": "theirs"})
        raise Refused(
            "PUT /clients/1 answered 404.", method="PUT", path="/clients/1", attempts=1, status=404
        )

    result, panel = run_overtaken(make_clients(1), collect_problems(1), overtake, "PUT /clients/1")

    assert list_results(result) == {"clients c1": "failed"}
    assert [call[:2] for call in panel.writes] == [("PUT", "/clients/1")]


@pytest.mark.parametrize(("theirs", "outcome"), [("www", "failed"), ("other", "changed")])
def test_a_zone_in_which_the_approved_entries_are_others_by_now_is_not_written(
    theirs: str, outcome: str
) -> None:
    def overtake(panel: MemoryPanel) -> None:
        zone = panel.get("/dns/31")["records"]
        panel.put(
            "/dns/31",
            {
                "records": {
                    **zone,
                    "other": [*zone["other"], {**RECORD, "host": theirs, "value": "192.0.2.9"}],
                }
            },
        )

    objects = {
        "/clients": [{"id": 1, "username": "acme", "notes": ""}],
        "/domains": [{"id": 31, "domain": "acme.example", "id_user": 1}],
    }
    requested = {
        "clients": [{"username": "acme", "notes": "x"}],
        "dns": [{"domain": "acme.example", "records": [RECORD]}],
    }
    result, panel = run_overtaken(objects, requested, overtake, "PUT /clients/1")

    assert list_results(result) == {"clients acme": "changed", "dns acme.example": outcome}

    values = {record["value"] for record in panel.get("/dns/31")["records"]["other"]}
    assert values & {"192.0.2.7", "192.0.2.9"} == {"192.0.2.9"} | (
        {"192.0.2.7"} if outcome == "changed" else set()
    )


def test_a_deletion_that_was_approved_and_that_somebody_else_made_is_a_failure() -> None:
    def overtake(panel: MemoryPanel) -> None:
        panel.clear("/clients")

    requested = {"clients": [{"username": "c1", "state": "absent"}]}
    result, _panel = run_overtaken(make_clients(1), requested, overtake, "DELETE /clients/1")

    assert list_results(result) == {"clients c1": "failed"}
    assert result["changed"] is False
    assert (
        "client c1: it is gone by now: someone deleted it after the plan was made."
        in result["results"][0]["msg"]
    )


def test_what_somebody_else_deletes_before_the_task_is_no_change_of_the_task() -> None:
    def overtake(method: str, path: str, _body: Any) -> None:
        if f"{method} {path}" == "DELETE /clients/1":
            panel.clear("/clients")

    panel = MemoryPanel(make_clients(2), before=overtake)
    requested = {"clients": [{"username": name, "state": "absent"} for name in ("c1", "c2")]}

    result = run(panel, requested, concurrency=1)

    assert list_results(result) == {"clients c1": "unchanged", "clients c2": "unchanged"}
    assert result["changed"] is False
