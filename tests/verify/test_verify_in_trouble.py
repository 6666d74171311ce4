# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A verify of a panel in trouble: nothing is left behind unsaid, and what nobody knows is not taken for what the panel does."""

from __future__ import annotations

import datetime
import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._http.answers import Exchange
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.marks import PLAN_LIMITS, mark
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.objects import Made
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.removal import Removal
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.steps import Steps
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.verifying import _message
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.writing import WritingPhase, what_is_left
from panel_simulator.answering import answered
from panel_simulator.calls import Call
from panel_simulator.seed import plant
from tests.support.transcript import connection
from tests.support.verifying_in_memory import BREAKS_OFF, HANGS, TIMEOUT, Blow, Key, Outcome, Panel, at, numbered, since

REQUESTS = 112
# The requests of a verify are struck in turn, so that each is struck by something.
STRIDE = 14
TROUBLES = [
    Blow(status, is_json, has_effect)
    for status, is_json in ((500, True), (503, True), (503, False), (429, True), (408, True), (BREAKS_OFF, True))
    for has_effect in (False, True)
] + [Blow(HANGS, has_effect=True)]
READS = 8


def _failed(outcome: Outcome) -> str:
    """The message of the task."""
    assert outcome.error is not None
    return _message(outcome.error, connection(), what_is_left(outcome.left))


def _writes(outcome: Outcome) -> list[dict[str, Any]]:
    return [entry for entry in outcome.log if entry["method"] != "GET"]


def _names(left: list[dict[str, Any]]) -> set[str]:
    return {one["name"] for one in left}


@pytest.mark.parametrize(("offset", "blow"), list(enumerate(TROUBLES)), ids=map(str, TROUBLES))
def test_what_nobody_knows_of_one_request_leaves_nothing_behind_and_says_nothing_of_the_panel(
    offset: int, blow: Blow
) -> None:
    for number in range(1 + offset % STRIDE, REQUESTS, STRIDE):
        outcome = Panel().verify(numbered(number, blow))
        assert (outcome.on_panel, outcome.left, outcome.profile) == ({}, [], {}), number


@pytest.mark.parametrize("has_effect", [False, True])
@pytest.mark.parametrize("status", [BREAKS_OFF, 500])
def test_a_lost_answer_to_any_creation_leaves_nothing_behind(status: int, has_effect: bool) -> None:
    creations = [entry["path"] for entry in _writes(Panel().verify()) if entry["method"] == "POST"]
    assert len(creations) > 14
    for skip in range(len(creations)):
        outcome = Panel().verify(at("POST", "", Blow(status, has_effect=has_effect), skip=skip))
        assert (outcome.on_panel, outcome.left, outcome.profile) == ({}, [], {}), creations[skip]


@pytest.mark.parametrize("has_effect", [False, True])
@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.parametrize("path", ["^/clients$", "^/hosting-plans$", "^/domains$", "^/emails$"])
@pytest.mark.parametrize("settings", [{}, {"list_lag": 8}], ids=str)
def test_a_creation_whose_outcome_nobody_knows_leaves_nothing_behind(
    settings: dict[str, Any], path: str, status: int, has_effect: bool
) -> None:
    outcome = Panel(**settings).verify(at("POST", path, Blow(status, has_effect=has_effect)))
    # Where lists lag and the plan was not seen in one, nobody knows that it is not there.
    assert [one for one in outcome.left if not settings or "may_be_there" not in one] == []
    assert outcome.on_panel == {}
    assert set(outcome.profile) <= set(settings)


def test_a_client_that_is_in_no_list_yet_may_be_there() -> None:
    outcome = Panel(list_lag=60).verify(at("POST", "^/clients$", Blow(500, has_effect=True)))
    assert outcome.on_panel
    assert [one["kind"] for one in outcome.left if "may_be_there" in one] == ["client"]
    assert "client hpverify" in str(outcome.error)
    assert "(may be there)" in str(outcome.error)
    assert "Nothing was written" not in str(outcome.error)


def test_a_client_of_whom_the_panel_does_not_say_whose_it_is_may_be_there() -> None:
    panel = Panel(hidden_members={"clients": ["notes"]}, list_lag=4)
    outcome = panel.verify(at("POST", "^/clients$", Blow(500, has_effect=True)))
    assert _names(outcome.left) == set(outcome.on_panel["clients"])


@pytest.mark.parametrize("is_json", [True, False])
def test_403_to_one_path_is_none_of_the_key_and_leaves_nothing_behind(is_json: bool) -> None:
    for number in range(READS + 1, REQUESTS, STRIDE):
        key = Key()
        outcome = Panel().verify(numbered(number, Blow(403, is_json)), key=key)
        assert (outcome.on_panel, outcome.left, key.refusals) == ({}, [], []), number


@pytest.mark.parametrize("status", [403, 500, 503])
@pytest.mark.parametrize("path", [r"^/clients/\d+$", "^/certificates/name", r"^/ftp-users/\d", "^/domains$"])
def test_a_path_that_is_never_answered_leaves_nothing_behind(path: str, status: int) -> None:
    outcome = Panel().verify(at("GET", path, Blow(status), times=0, skip=path.startswith(r"^/clients")))
    assert (outcome.on_panel, outcome.left) == ({}, [])


def test_a_refused_ping_is_one_of_the_key() -> None:
    key = Key()
    outcome = Panel().verify(at("GET", "^/ping$", Blow(401)), key=key)
    assert "does not accept the key" in str(outcome.error)
    assert key.refusals == [401]


@pytest.mark.parametrize("limit", [30, 100])
def test_a_limit_of_requests_is_waited_for_and_says_nothing_of_the_panel(limit: int) -> None:
    outcome = Panel(request_limit=limit).verify()
    assert (outcome.on_panel, outcome.left, outcome.profile) == ({}, [], {})


def test_a_panel_that_fails_to_delete_once_is_asked_again() -> None:
    for blow in (Blow(500), Blow(429, wait=30), Blow(503)):
        outcome = Panel().verify(at("DELETE", "^/clients/", blow))
        assert (outcome.on_panel, outcome.left, outcome.profile) == ({}, [], {}), blow


@pytest.mark.parametrize("number", [9, 13, 40, 80, 105])
def test_a_panel_that_hangs_is_left_after_some_minutes_with_what_may_be_there(number: int) -> None:
    outcome = Panel().verify(since(number, Blow(HANGS)))
    assert outcome.seconds < 300
    assert len(outcome.log) - number < 10
    on_panel = set(itertools.chain.from_iterable(outcome.on_panel.values()))
    # The domain of the client below the server's name goes with the client.
    assert {name for name in on_panel if "server" not in name} <= _names(outcome.left)


SHUT = {
    "a refused key": (Blow(401), 0),
    "a refused key, as a page": (Blow(401, is_json=False), 0),
    # A ping says whether it is the key.
    "a panel whose API is switched off": (Blow(403), 1),
    "a panel whose API is switched off, as a page": (Blow(403, is_json=False), 1),
    "a panel without an API": (Blow(404, is_json=False), 1),
    "a page in the panel's place": (Blow(200, is_json=False), 1),
}


@pytest.mark.parametrize("number", [3, READS + 1, READS + 2, 20, 28, 40, 70, 102])
@pytest.mark.parametrize("name", SHUT)
def test_after_the_key_was_refused_in_the_midst_nothing_is_sent_and_nothing_said_of_the_panel(
    name: str, number: int
) -> None:
    blow, pings = SHUT[name]
    key = Key()
    outcome = Panel().verify(since(number, blow), key=key)
    assert [entry["path"] for entry in outcome.log[number:]] == ["/ping"] * pings
    assert key.refusals == [blow.status] * (blow.status in (401, 403))
    assert outcome.checks == []
    on_panel = set(itertools.chain.from_iterable(outcome.on_panel.values()))
    assert {one for one in on_panel if "server" not in one} <= _names(outcome.left)
    # A page in the place of an answer does not say that it is refused.
    assert blow.status == 200 or _names(outcome.left) <= on_panel
    message = str(_failed(outcome))
    assert f"({blow.status}" in message
    assert ("Run it again with writes" in message) is bool(outcome.left)


@pytest.mark.parametrize("times", [1, 3])
def test_one_401_ends_it_since_more_of_them_would_lead_to_a_ban(times: int) -> None:
    for number in range(READS + 1, REQUESTS, STRIDE):
        key = Key()
        outcome = Panel().verify(since(number, Blow(401), times), key=key)
        assert (len(outcome.log), outcome.checks, key.refusals) == (number, [], [401]), number


def test_where_all_but_pings_are_refused_it_ends_soon() -> None:
    outcome = Panel().verify(lambda number, _method, path: Blow(403) if number > 40 and path != "/ping" else None)
    assert len(outcome.log) - 40 <= 20
    on_panel = set(itertools.chain.from_iterable(outcome.on_panel.values()))
    assert {one for one in on_panel if "server" not in one} <= _names(outcome.left)


def test_what_a_defect_leaves_is_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def defect(_self: Any) -> None:
        raise ValueError

    monkeypatch.setattr(Steps, "_zone", defect)
    assert Panel().verify().on_panel == {}
    outcome = Panel().verify(at("DELETE", "^/clients", Blow(400), times=0))
    assert isinstance(outcome.error, ValueError)
    assert [one["kind"] for one in outcome.left] == ["client"]


class _Shows:
    """A panel that shows the same to every request."""

    def __init__(self, shown: Exchange) -> None:
        self.shown = shown
        self.deletions = 0

    def ask(self, method: str, _path: str) -> Exchange:
        self.deletions += method == "DELETE"
        return self.shown

    def allow(self, _requests: int, _seconds: float) -> None:
        """As often as it takes."""

    def sleep(self, _seconds: float) -> None:
        """At once."""

    def is_of_no_object(self, _path: str, _reply: Any) -> bool:
        """It has no page for that."""
        return False


@pytest.mark.parametrize(
    ("shown", "is_left"),
    [
        ({"id": 5, "email": "m@hpverifyabcdef.example"}, True),
        ({"id": 5, "email": "cut@hpver"}, True),
        ({"id": 5}, True),
        ({"id": 5, "email": "it@acme.example"}, False),
    ],
)
def test_an_object_is_gone_only_where_its_id_shows_the_name_of_another(shown: dict[str, Any], is_left: bool) -> None:
    made = Made("emails", "m@hpverifyabcdef.example", number=5, owner=2, kept="cut@hpver")
    panel: Any = _Shows(Exchange(200, shown))
    removal = Removal(panel, "hpverifyabcdef", [made])
    removal.everything()
    assert bool(removal.left) is is_left
    assert bool(panel.deletions) is is_left


def test_on_a_panel_where_an_earlier_client_cannot_be_removed_no_other_is_made() -> None:
    panel = Panel()
    never = at("DELETE", "^/clients/", Blow(400), times=0)
    first = panel.verify(never)
    again = panel.verify(never)
    assert str(again.error) == "Nothing was tried, since each verify would leave more."
    assert again.left == first.left == [{"kind": "client", "name": again.on_panel["clients"][0]}]
    assert panel.verify().on_panel == {}


def test_a_plan_that_a_late_list_still_shows_is_waited_for() -> None:
    outcome = Panel(plan_deletion="refused", unknown_id="page_404", list_lag=2).verify()
    assert (outcome.left, outcome.on_panel) == ([], {})


def test_a_panel_that_answers_ever_more_slowly_is_not_asked_for_ever() -> None:
    panel = Panel(statuses="stay")
    outcome = panel.verify(
        lambda number, _method, _path: panel.wait(TIMEOUT / 2) if number > READS else None, wait_timeout=120
    )
    assert outcome.seconds < 15 * 60
    assert (outcome.on_panel, outcome.left) == ({}, [])


def test_the_key_that_another_task_has_met_refused_does_not_keep_the_rest_on_the_panel() -> None:
    key = Key()

    def strike(number: int, _method: str, _path: str) -> None:
        key.refusals = [403] if number > 40 else []

    outcome = Panel().verify(strike, key=key)
    assert (outcome.on_panel, outcome.left, outcome.profile) == ({}, [], {})


def test_the_key_that_another_task_has_met_unknown_is_not_sent_any_more() -> None:
    key = Key()

    def strike(number: int, _method: str, _path: str) -> None:
        key.refusals = [401] if number >= 40 else []

    outcome = Panel().verify(strike, key=key)
    assert len(outcome.log) == 40
    assert "does not accept the key any more (401)" in _failed(outcome)


@pytest.mark.parametrize("status", [403, 405])
def test_a_client_that_is_refused_after_a_plan_was_made_is_none_of_a_key_that_only_reads(status: int) -> None:
    outcome = Panel().verify(at("POST", "^/clients$", Blow(status), times=0))
    assert str(outcome.error) == (
        f"The panel refused the throw-away client ({status}), so that nothing could be tried. What was written is removed again. "
        "Name another one with client, or look into the panel's log."
    )


def test_what_is_left_and_why_the_client_was_refused_are_said_together() -> None:
    def strike(_number: int, method: str, path: str) -> Blow | None:
        is_struck = (method, path) == ("POST", "/clients") or (method == "DELETE" and "plans" in path)
        return Blow(400) if is_struck else None

    outcome = Panel().verify(strike)
    assert "refused the throw-away client (400)" in str(outcome.error)
    assert "left on the panel: hosting plan hpverify" in str(outcome.error)


@pytest.mark.parametrize("path", ["^/clients/2147483646$", "^/hosting-panel-verify$"])
def test_a_refusal_of_a_path_that_is_not_there_does_not_end_it(path: str) -> None:
    outcome = Panel().verify(at("GET", path, Blow(403), times=0), writes=False)
    assert outcome.error is None


@pytest.mark.parametrize("settings", [{"statuses": "stay", "new_clients": "when_ready"}], ids=str)
def test_where_no_domain_could_be_made_nothing_is_said_of_system_domains(settings: dict[str, Any]) -> None:
    assert Panel(**settings).verify().profile.keys() <= settings.keys()
    assert Panel().verify(at("POST", "^/domains$", Blow(400), times=0)).profile == {}


def test_a_plan_is_a_verifys_also_where_lists_leave_its_limits_out() -> None:
    panel = Panel(short_lists={"hosting_plans": ["resources"]})
    panel.verify(at("DELETE", "^/(clients|hosting-plans)", Blow(400), times=0))
    assert panel.names().keys() >= {"clients", "hosting_plans"}
    outcome = panel.verify()
    assert outcome.on_panel == {}
    assert [line.partition(": ")[2] for line in outcome.found] == ["left by an earlier verify, and now removed"]


def test_a_client_of_a_given_name_is_found_by_its_mark_and_removed_where_it_is_named_again() -> None:
    panel = Panel()
    first = panel.verify(at("DELETE", "^/clients", Blow(400), times=0), client="probe-client")
    assert _names(first.left) == {"probe-client"}
    assert "with writes and client: probe-client," in what_is_left(first.left)
    wanted = ["probe-client: left by an earlier verify; a run with writes and client: probe-client removes it"]
    assert panel.verify().found == wanted
    outcome = panel.verify(client="probe-client")
    assert outcome.found == ["probe-client: left by an earlier verify, and now removed"]
    assert outcome.on_panel == {}


@pytest.mark.parametrize("kind", ["clients", "plans"])
@pytest.mark.parametrize("name", ["mueller-gmbh", "hpverifyabcdef"])
def test_what_is_somebody_elses_is_named_on_the_screen_alone(kind: str, name: str) -> None:
    seed = {kind: [{"username" if kind == "clients" else "name": name}]}
    outcome = Panel(seed).verify(client=name, writes=False)
    assert len(outcome.found) == 1
    assert name not in outcome.found[0]
    assert outcome.said == [f"left alone, since no verify has made it, as far as the panel shows: {name}"]


def _panel_with_left_overs(settings: dict[str, Any] | None = None) -> tuple[Panel, str]:
    """With all that a verify makes, and the throw-away name."""
    panel = Panel({"clients": [{"username": "acme"}]}, **(settings or {}))
    outcome = panel.verify(at("DELETE", "^/(clients|hosting-plans)", Blow(400), times=0))
    return panel, next(one["name"] for one in outcome.left if one["kind"] == "client")


def _ask(panel: Panel, method: str, path: str, body: dict[str, Any] | None = None) -> None:
    reply = answered(panel.panel, Call(method, path, {}, json.dumps(body or {}).encode(), key=panel.panel.api_key))
    assert reply.status < 300


@pytest.mark.parametrize(
    "settings",
    [{}, {"hidden_members": {"clients": ["id_hosting_plan"]}}, {"short_lists": {"clients": ["id_hosting_plan"]}}],
    ids=str,
)
def test_a_left_plan_that_a_customer_may_have_by_now_stays(settings: dict[str, Any]) -> None:
    panel, name = _panel_with_left_overs(settings)
    plan = next(one["id"] for one in panel.state()["objects"]["hosting_plans"] if one["data"]["name"] == name)
    _ask(panel, "PUT", "/clients/name/acme", {"id_hosting_plan": plan})
    outcome = panel.verify()
    assert outcome.found == [
        f"hosting plan {name}: left by an earlier verify, and a client may have it by now; it is left alone",
        f"{name}: left by an earlier verify, and now removed",
    ]
    assert (outcome.on_panel, outcome.profile) == ({"clients": ["acme"], "hosting_plans": [name]}, settings)
    acme = next(one["data"] for one in panel.state()["objects"]["clients"] if one["data"]["username"] == "acme")
    assert acme["id_hosting_plan"] == plan
    assert panel.verify().found == outcome.found[:1]


def test_a_left_client_that_somebody_uses_by_now_stays() -> None:
    panel, name = _panel_with_left_overs()
    owner = next(one["id"] for one in panel.state()["objects"]["clients"] if one["data"]["username"] == name)
    _ask(panel, "POST", "/domains", {"id_user": owner, "domain": "shop.example"})
    before = panel.names()
    outcome = panel.verify()
    assert outcome.found == [
        f"client {name}: left by an earlier verify, and somebody may use it by now; it is left alone"
    ]
    assert outcome.on_panel == before


def test_a_left_client_of_which_the_panel_does_not_show_what_it_has_stays() -> None:
    panel, name = _panel_with_left_overs()
    outcome = panel.verify(at("GET", "/resources$", Blow(404), times=0))
    assert outcome.found == [
        f"client {name}: left by an earlier verify, and somebody may use it by now; it is left alone"
    ]


@pytest.fixture
def by_another_address(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets what follows know the panel by another address."""
    init = WritingPhase.__init__

    def elsewhere(self: Any, conversation: Any, seen: Any, _base_url: str, say: Any) -> None:
        init(self, conversation, seen, "https://other.example/api/v2", say)

    return lambda: monkeypatch.setattr(WritingPhase, "__init__", elsewhere)


def test_a_verify_by_another_address_is_one_elsewhere(by_another_address: Callable[[], None]) -> None:
    panel = Panel()
    panel.verify(at("DELETE", "^/clients", Blow(400), times=0))
    before = panel.names()
    by_another_address()
    outcome = panel.verify()
    assert "may still run" in outcome.found[0]
    assert outcome.on_panel == before
    assert _writes(outcome) == []


NOW = datetime.datetime(2026, 11, 22, 12, 0, tzinfo=datetime.UTC)
SPENT = datetime.timedelta(seconds=1000)


def _panel_with_a_client_made(age: float, tells_time: bool = True) -> Panel:
    """A panel on which another machine has made its client so many minutes ago; the clock of this machine is a year off."""
    now = NOW if tells_time else datetime.datetime.now(datetime.UTC)
    notes = mark("hpverifyabcdef", now - datetime.timedelta(minutes=age), "0123456789ab")
    panel = Panel({"clients": [{"username": "hpverifyabcdef", "notes": notes}]})
    panel.date = NOW - SPENT if tells_time else None
    return panel


@pytest.mark.parametrize(
    ("tells_time", "age", "minutes"), [(True, 1, 14), (True, 14, 1), (False, 15, 45), (False, 59, 1)]
)
def test_a_client_of_another_machine_that_may_be_in_use_stays_and_nothing_is_tried(
    tells_time: bool, age: int, minutes: int
) -> None:
    outcome = _panel_with_a_client_made(age, tells_time).verify()
    assert outcome.on_panel == {"clients": ["hpverifyabcdef"]}
    assert _writes(outcome) == []
    assert _failed(outcome) == (
        "Nothing was tried. hpverifyabcdef: a verify from another machine made it and may still run. Run it again in "
        f"{minutes} minutes, or remove that by hand if it does not run any more."
    )
    assert outcome.found == [
        "hpverifyabcdef: a verify from another machine made it and may still run; it is left alone"
    ]


@pytest.mark.parametrize(("tells_time", "age"), [(True, 16), (False, 61)])
def test_a_client_of_another_machine_that_cannot_be_in_use_is_removed(tells_time: bool, age: int) -> None:
    outcome = _panel_with_a_client_made(age, tells_time).verify()
    assert (outcome.on_panel, outcome.left, outcome.profile) == ({}, [], {})


def test_a_client_is_marked_with_the_time_of_the_panel() -> None:
    panel = Panel()
    panel.date = NOW - SPENT
    outcome = panel.verify()
    bodies = [entry["body"] for entry in outcome.log if (entry["method"], entry["path"]) == ("POST", "/clients")]
    assert "since 2026-11-22T12:00:" in bodies[0]["notes"]
    assert bodies[0]["delete_on"].startswith("2026-11-24T")


@pytest.mark.parametrize("number", range(READS + 5, REQUESTS, 6))
@pytest.mark.parametrize("kinds", [["clients", "hosting-plans"], ["clients"], ["hosting-plans"]], ids=" and ".join)
def test_where_somebody_removes_the_client_or_its_plan_nothing_is_said_of_the_panel(
    kinds: list[str], number: int
) -> None:
    panel = Panel()

    def strike(at_number: int, _method: str, _path: str) -> None:
        if at_number == number:
            for kind in kinds:
                for entry in panel.state()["objects"][kind.replace("-", "_")]:
                    if "Default" not in entry["data"].values():
                        answered(panel.panel, Call("DELETE", f"/{kind}/{entry['id']}", key=panel.panel.api_key))

    outcome = panel.verify(strike)
    assert (outcome.on_panel, outcome.left, outcome.profile) == ({}, [], {})
    removed = str(outcome.error) if outcome.error else ""
    assert removed.startswith("Somebody has removed the throw-away ") or not _was_used_afterwards(outcome, number)


def _was_used_afterwards(outcome: Outcome, number: int) -> bool:
    """Whether the plan or the client was asked for after the others had removed it, and before its own deletion."""
    later = [(entry["method"], entry["path"]) for entry in outcome.log[number - 1 :]]
    return any(method == "PUT" and path.startswith(("/clients/", "/hosting-plans/")) for method, path in later)


def test_a_client_of_others_that_came_under_the_given_name_meanwhile_stays() -> None:
    panel = Panel()

    def strike(_number: int, method: str, path: str) -> Blow | None:
        if (method, path) != ("POST", "/clients"):
            return None
        if "clients" not in panel.names():
            plant(panel.panel, {"clients": [{"username": "mueller-gmbh"}]})
        return Blow(BREAKS_OFF)

    outcome = panel.verify(strike, client="mueller-gmbh")
    assert panel.names()["clients"] == ["mueller-gmbh"]
    assert outcome.left == [{"kind": "client", "name": "mueller-gmbh", "may_be_there": True}]


@pytest.mark.parametrize("status", [403, 500, 503])
@pytest.mark.parametrize("path", ["^/clients$", "^/hosting-plans$"])
def test_a_given_name_of_which_nobody_knows_whether_it_is_free_is_not_used(path: str, status: int) -> None:
    panel = Panel({"clients": [{"username": "mueller-gmbh"}], "plans": [{"name": "schmidt-ag"}]})
    before = panel.names()
    for name in ("mueller-gmbh", "schmidt-ag"):
        outcome = panel.verify(at("GET", path, Blow(status), skip=1, times=0), client=name)
        assert outcome.error is not None
        assert _writes(outcome) == []
    assert panel.names() == before


def test_a_task_of_another_verify_on_the_panel_is_not_taken_for_its_own(by_another_address: Callable[[], None]) -> None:
    panel = Panel()
    panel.verify(at("DELETE", "^/(clients|scheduled-tasks)", Blow(400), times=0))
    before = panel.names()["scheduled_tasks"]
    by_another_address()
    # The other one runs for ever, as far as anybody can see, and its client is not there at first.
    lost = at("POST", "^/scheduled-tasks$", Blow(BREAKS_OFF), times=0)
    hidden = at("GET", "^/clients$", Blow(200))
    outcome = panel.verify(lambda *request: lost(*request) or hidden(*request))
    assert panel.names()["scheduled_tasks"] == before
    assert {entry["method"] for entry in outcome.log if entry["path"].startswith("/scheduled-tasks/")} == set()


@pytest.mark.parametrize("list_lag", [0, 60])
def test_the_plan_of_a_verify_elsewhere_that_has_not_made_its_client_yet_stays(list_lag: int) -> None:
    name = "hpverifyabcdef"
    panel = Panel({"plans": [{"name": name, "resources": PLAN_LIMITS}]}, list_lag=list_lag)
    panel.wait(list_lag)
    begin = panel.now

    def strike(_number: int, _method: str, _path: str) -> None:
        if panel.now - begin > 5 and "clients" not in panel.names():
            notes = mark(name, datetime.datetime.now(datetime.UTC), "0123456789ab")
            body = json.dumps({"username": name, "notes": notes}).encode()
            answered(panel.panel, Call("POST", "/clients", {}, body, key=panel.panel.api_key))

    outcome = panel.verify(strike)
    assert "Run it again in 15 minutes" in _failed(outcome)
    assert _writes(outcome) == []
    assert outcome.on_panel == {"clients": [name], "hosting_plans": [name]}


def test_a_plan_that_a_crash_has_left_without_a_client_is_removed() -> None:
    panel = Panel({"plans": [{"name": "hpverifyabcdef", "resources": PLAN_LIMITS}]})
    outcome = panel.verify()
    assert (outcome.on_panel, outcome.left) == ({}, [])
    assert outcome.found == ["hpverifyabcdef: left by an earlier verify, and now removed"]
