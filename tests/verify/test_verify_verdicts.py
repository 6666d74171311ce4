# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a verify says of each point: nothing that one odd answer, a missing path or another point could make it look like."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._verify.conversation import NoAccess
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.evidence import DIFFERS
from tests.support.verifying_in_memory import BREAKS_OFF, Blow, Outcome, Panel, at, numbered, since

REQUESTS = 117
# The requests of a verify are struck in turn, so that each is struck by something.
STRIDE = 9
PASSING = [
    *(Blow(status, is_json) for status in (400, 403, 404, 405, 409, 422) for is_json in (True, False)),
    Blow(200, is_json=False),
]


def _verdicts(outcome: Outcome) -> dict[str, str]:
    return {check["id"]: check["verdict"] for check in outcome.checks}


def _reason(outcome: Outcome, point: str) -> str:
    return next(check["means"] for check in outcome.checks if check["id"] == point)


@pytest.mark.parametrize(("offset", "blow"), list(enumerate(PASSING)), ids=map(str, PASSING))
def test_one_answer_of_another_sort_makes_nothing_look_otherwise(offset: int, blow: Blow) -> None:
    for number in range(1 + offset % STRIDE, REQUESTS, STRIDE):
        outcome = Panel().verify(numbered(number, blow))
        assert "contradicted" not in _verdicts(outcome).values(), number
        assert (outcome.on_panel, outcome.left) == ({}, []), number


@pytest.mark.parametrize(
    "paths",
    [
        [r"(PUT|DELETE) /clients/\d+"],
        [r"DELETE /clients/\d+"],
        [r"DELETE /hosting-plans/\d+"],
        [r"PUT /hosting-plans/\d+"],
        [r"PUT /domains/\d+"],
        [r"DELETE /domains/\d+"],
        [r"PUT /emails/\d+"],
        [r"DELETE /certificates/\d+"],
        [r"PUT /certificates/\d+"],
        [r"GET /ftp-users/\d+"],
    ],
    ids=str,
)
@pytest.mark.parametrize("unknown_path", ["json_404", "page_404", "json_405", "json_403", "page_403"])
def test_a_missing_path_is_named_and_says_nothing_of_the_points_that_need_it(
    paths: list[str], unknown_path: str
) -> None:
    outcome = Panel(missing_paths=paths, unknown_path=unknown_path).verify()
    others = {} if unknown_path == "json_404" else {"unknown_path": unknown_path}
    assert outcome.profile == {"missing_paths": paths, **others}


@pytest.mark.parametrize("choice", ["replaces", "both", "refused"])
def test_what_a_put_replaces_is_not_taken_for_the_choice_of_certificates(choice: str) -> None:
    outcome = Panel(nested_update="replace", certificate_choice=choice).verify()
    verdict = _verdicts(outcome)["certificate_choice"]
    assert verdict == ("contradicted" if choice == "both" else "unknown")
    assert choice == "both" or "members that a PUT leaves out" in _reason(outcome, "certificate_choice")


@pytest.mark.parametrize("choice", ["replaces", "both", "refused"])
def test_the_choice_of_certificates_is_seen_where_a_put_merges(choice: str) -> None:
    outcome = Panel(certificate_choice=choice).verify()
    assert outcome.profile == ({} if choice == "replaces" else {"certificate_choice": choice})


ONCE = [
    ("PUT", r"^/emails/\d+$", Blow(400), 0, "unlimited_size"),
    ("PUT", r"^/certificates/\d+$", Blow(422), 0, "certificate_update"),
    ("DELETE", r"^/clients/\d+$", Blow(409), 0, "client_deletion"),
    ("DELETE", r"^/hosting-plans/\d+$", Blow(409), 0, "plan_deletion"),
    ("DELETE", r"^/certificates/\d+$", Blow(400), 0, "certificate_deletion"),
    ("GET", r"^/clients/2147483646$", Blow(404, is_json=False), 0, "unknown_id"),
    ("GET", r"^/hosting-panel-verify$", Blow(405), 0, "unknown_path"),
]


@pytest.mark.parametrize(("method", "path", "blow", "skip", "point"), ONCE, ids=[one[-1] for one in ONCE])
def test_what_a_panel_says_once_and_not_again_is_unknown_with_the_reason(
    method: str, path: str, blow: Blow, skip: int, point: str
) -> None:
    once = Panel().verify(at(method, path, blow, skip=skip))
    assert (_verdicts(once)[point], _reason(once, point), once.profile) == ("unknown", DIFFERS.reason, {})


def test_what_a_panel_says_twice_is_what_it_does() -> None:
    # After each the panel takes another change.
    first, third = (at("PUT", r"^/emails/\d+$", Blow(400), skip=skip) for skip in (0, 1))
    assert Panel().verify(lambda *asked: first(*asked) or third(*asked)).profile == {"unlimited_size": "refused"}


def test_lists_that_are_late_only_once_do_not_lag() -> None:
    panel = Panel()
    late = {"hosting_plans": ["Default"]}

    def strike(_number: int, _method: str, path: str) -> Blow | None:
        lags = path == "/hosting-plans" and "hosting_plans" in panel.names() and late.pop("hosting_plans", None)
        return Blow(200, body=json.dumps([])) if lags else None

    outcome = panel.verify(strike)
    assert (_verdicts(outcome)["list_lag"], _reason(outcome, "list_lag")) == ("unknown", DIFFERS.reason)
    assert outcome.profile == {}


def test_pages_in_the_place_of_lists_are_no_lag() -> None:
    outcome = Panel().verify(at("GET", "^/hosting-plans$", Blow(200, is_json=False), times=3, skip=1))
    assert outcome.profile == {}


def test_a_server_that_answers_everything_with_an_empty_list_is_no_panel() -> None:
    def strike(_number: int, _method: str, path: str) -> Blow | None:
        return Blow(200, body="[]") if path != "/ping" else None

    outcome = Panel().verify(strike)
    assert str(outcome.error) == (
        "GET /server was answered with something else than an object about the server: this is another product, or an API of another version than "
        "the 2.15 that this collection is for. Nothing was written."
    )


def test_default_takes_less_than_150_requests_and_what_is_otherwise_costs_a_few_more() -> None:
    special: dict[str, Any] = {
        "unlimited_size": "refused",
        "duplicates": 409,
        "over_limit": 403,
        "zone_deletion": "stays_disabled",
    }
    assert len(Panel().verify().log) <= REQUESTS
    outcome = Panel(**special).verify()
    assert outcome.profile == special
    assert len(outcome.log) < 150


def test_of_members_nothing_is_confirmed_where_a_kind_of_objects_could_not_be_made() -> None:
    outcome = Panel().verify(at("POST", "^/ftp-users$", Blow(400), times=0))
    for point in ("hidden_members", "short_lists", "extra_members", "renamed_members"):
        assert _verdicts(outcome)[point] == "unknown"
        assert "not all kinds" in _reason(outcome, point)
    assert outcome.profile == {}


def test_members_that_are_missing_only_once_are_not_hidden() -> None:
    part = Blow(200, body='{"id": 1, "name": "x"}')
    outcome = Panel().verify(at("GET", r"^/certificates/\d+$", part))
    assert (_verdicts(outcome)["hidden_members"], outcome.profile) == ("unknown", {})
    assert _reason(outcome, "hidden_members") == DIFFERS.reason


def test_what_is_read_otherwise_only_once_is_unknown() -> None:
    outcome = Panel().verify(at("GET", "^/server$", Blow(200, body='{"meta": {}, "ports": {}}'), skip=1), writes=False)
    assert (_verdicts(outcome)["filters"], _reason(outcome, "filters")) == ("unknown", DIFFERS.reason)


@pytest.mark.parametrize("number", [20, 40, 70, 100, 115])
def test_a_panel_with_pages_for_ids_of_no_object_is_told_from_one_that_goes_away(number: int) -> None:
    outcome = Panel(unknown_id="page_404").verify(since(number, Blow(404, is_json=False)))
    assert isinstance(outcome.error, NoAccess)
    assert (outcome.error.reply.status, outcome.checks) == (404, [])
    assert len(outcome.log) <= number + 5


def test_a_panel_with_pages_for_ids_of_no_object_takes_not_many_more_requests() -> None:
    assert len(Panel(unknown_id="page_404").verify().log) <= REQUESTS + 18


@pytest.mark.parametrize("kind", ["ftp-users", "directory-protections", "scheduled-tasks", "databases"])
def test_of_paths_nothing_is_confirmed_where_they_could_not_be_tried(kind: str) -> None:
    outcome = Panel().verify(at("POST", f"^/{kind}$", Blow(400), times=0))
    assert (_verdicts(outcome)["missing_paths"], outcome.profile) == ("unknown", {})


REFUSES_ALL = {
    ("PUT", r"^/clients/\d+$"): ("unknown_members", "scalars"),
    ("PUT", r"^/domains/\d+$"): ("scalars",),
    ("PUT", r"^/emails/\d+$"): ("unlimited_size", "max_size_zero", "password_hashes"),
    ("PUT", r"^/certificates/\d+$"): ("certificate_update", "unresolved_names"),
    ("PUT", r"^/dns/\d+$"): ("txt_read", "empty_host"),
    ("DELETE", r"^/certificates/\d+$"): ("certificate_deletion",),
    ("DELETE", r"^/hosting-plans/\d+$"): ("plan_deletion",),
    ("DELETE", r"^/domains/\d+$"): ("domain_deletion",),
    ("DELETE", r"^/clients/\d+$"): ("client_deletion",),
    ("GET", r"^/certificates/name/"): ("unresolved_names",),
    ("GET", r"^/emails/"): ("unresolved_names",),
}


@pytest.mark.parametrize(("refused", "points"), REFUSES_ALL.items(), ids=map(" ".join, REFUSES_ALL))
def test_what_a_panel_refuses_in_any_case_says_nothing_of_a_point(
    refused: tuple[str, str], points: tuple[str, ...]
) -> None:
    outcome = Panel().verify(at(*refused, Blow(400), times=0))
    assert {point: _verdicts(outcome)[point] for point in points} == dict.fromkeys(points, "unknown")
    assert outcome.profile == {}


@pytest.mark.parametrize("path", [path for method, path in REFUSES_ALL if method == "PUT"])
def test_what_a_panel_refuses_from_some_time_on_says_nothing_of_a_point(path: str) -> None:
    for taken_before in (1, 2, 4):
        assert Panel().verify(at("PUT", path, Blow(400), times=0, skip=taken_before)).profile == {}


def test_the_deletion_of_a_certificate_that_no_domain_has_says_nothing() -> None:
    outcome = Panel(certificate_deletion="refused").verify(at("PUT", r"^/domains/\d+$", Blow(409), times=0))
    assert _verdicts(outcome)["certificate_deletion"] == "unknown"


def test_switches_of_a_subdomain_that_is_not_shown_say_nothing() -> None:
    outcome = Panel(hidden_members={"domains": ["is_email_domain"]}).verify()
    assert _verdicts(outcome)["subdomain_members"] == "unknown"


def test_a_client_that_is_ready_at_once_does_not_show_whether_others_are_waited_for() -> None:
    for new_clients in ("at_once", "when_ready"):
        outcome = Panel(statuses="at_once", new_clients=new_clients).verify()
        assert (_verdicts(outcome)["new_clients"], outcome.profile) == ("unknown", {"statuses": "at_once"})


def test_a_member_of_another_name_that_lists_leave_out_is_told() -> None:
    special = {"renamed_members": {"domains": {"id_user": "id_client"}}, "short_lists": {"domains": ["id_user"]}}
    assert Panel(**special).verify().profile == special


def test_a_member_of_another_name_that_nobody_shows_is_told() -> None:
    special = {"hidden_members": {"domains": ["id_user"]}, "renamed_members": {"domains": {"id_user": "id_client"}}}
    assert Panel(**special).verify().profile == special


@pytest.mark.parametrize("number", [9, 10, 11, 12])
def test_a_lag_is_not_hidden_by_an_answer_that_was_waited_for(number: int) -> None:
    lost = Panel(list_lag=2).verify(numbered(number, Blow(BREAKS_OFF, has_effect=True)))
    assert lost.profile in ({}, {"list_lag": 2})
    assert _verdicts(lost)["list_lag"] != "confirmed"
    assert _verdicts(lost)["short_lists"] != "contradicted"


@pytest.mark.parametrize("body", ['{"code": "200", "message": "OK"}', "null", "[]", '"x"'])
@pytest.mark.parametrize("number", [30, 62, 80, 100, 113])
def test_what_answers_everything_with_the_same_is_no_special_panel_and_what_is_left_is_named(
    number: int, body: str
) -> None:
    outcome = Panel().verify(since(number, Blow(200, body=body)))
    assert set(outcome.profile) <= {"plan_assignment"}
    assert {one["kind"] for one in outcome.left} >= ({"client"} if "clients" in outcome.on_panel else set())
    assert bool(outcome.on_panel) <= bool(outcome.left)


@pytest.mark.parametrize("number", [12, 30, 62, 88, 100, 110])
def test_a_panel_that_answers_everything_with_404_is_none_whose_client_somebody_has_removed(number: int) -> None:
    outcome = Panel().verify(since(number, Blow(404)))
    assert "Somebody" not in str(outcome.error)
    assert outcome.left
