"""Reading clients with what belongs to them, what they use, and their traffic."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.modules.panel_client_info import OPERATION
from tests.support.tasks import run_task
from tests.support.transcript import NOT_FOUND, Dialogue, call, make_answer

ACME, BETA = {"id": 21, "username": "acme"}, {"id": 22, "username": "beta"}
STATS = {"disk_space": {"value": 1, "max": -1}}
TRAFFIC = {"http": {"in": 1, "out": 2}}


def test_each_include_is_one_more_request_for_each_client(dialogue: Dialogue) -> None:
    session = dialogue(
        call("GET", "/clients", make_answer(200, [ACME, BETA])),
        call("GET", "/clients/21/stats", make_answer(200, STATS)),
        call("GET", "/clients/21/traffic", make_answer(200, TRAFFIC), query={"month": "2026-10"}),
        call("GET", "/clients/22/stats", make_answer(200, STATS)),
        call("GET", "/clients/22/traffic", make_answer(200, TRAFFIC), query={"month": "2026-10"}),
    )
    result = run_task(OPERATION, session, {"include": ["traffic", "stats"], "month": "2026-10"})

    assert result["clients"] == [
        {**session, "stats": STATS, "traffic": TRAFFIC} for session in (ACME, BETA)
    ]


def test_secrets_in_what_belongs_to_a_client_are_dropped(dialogue: Dialogue) -> None:
    resources = {
        "emails": [{"id": 1, "email": "info@acme.example", "password_hash": "$6$x"}],
        "certificates": [{"id": 2, "components": {"certificate": "c", "private_key": "k"}}],
    }
    session = dialogue(
        call("GET", "/clients/21", make_answer(200, {**ACME, "password_hash": "$6$x"})),
        call("GET", "/clients/21/resources", make_answer(200, resources)),
    )

    assert run_task(OPERATION, session, {"id": 21, "include": ["resources"]})["clients"] == [
        {
            **ACME,
            "resources": {
                "emails": [{"id": 1, "email": "info@acme.example"}],
                "certificates": [{"id": 2, "components": {"certificate": "c"}}],
            },
        }
    ]


def test_a_client_that_is_deleted_meanwhile_is_left_out(dialogue: Dialogue) -> None:
    session = dialogue(
        call("GET", "/clients", make_answer(200, [ACME, BETA])),
        call("GET", "/clients/21/stats", make_answer(404, NOT_FOUND)),
        call("GET", "/clients/21", make_answer(404, NOT_FOUND)),
        call("GET", "/clients/22/stats", make_answer(200, STATS)),
    )

    assert run_task(OPERATION, session, {"include": ["stats"]})["clients"] == [
        {**BETA, "stats": STATS}
    ]


@pytest.mark.parametrize("month", ["2026-13", "2026-1", "10-2026", "2026-10-01", ""])
def test_a_wrong_month_is_an_error_before_the_first_request(dialogue: Dialogue, month: str) -> None:
    result = run_task(OPERATION, dialogue(), {"include": ["traffic"], "month": month})
    assert (
        result["msg"]
        == f"month: {month!r} is not accepted; it must be a month YYYY-MM, 2026-11 for example."
    )


def test_a_month_without_traffic_is_an_error_before_the_first_request(dialogue: Dialogue) -> None:
    result = run_task(OPERATION, dialogue(), {"include": ["stats"], "month": "2026-10"})
    assert (
        result["msg"]
        == "month: chooses the month of the traffic; add traffic to include, or omit month."
    )
