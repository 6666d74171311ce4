"""A verify tells forms that no one foresaw from its own defects."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._verify import trials, tried_panel
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.asked_panel import Answer
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.ownership import (
    CLIENTS,
    TrialCreation,
)
from panel_simulator.answering import Reply
from panel_simulator.calls import Call
from tests.support.verifying import NAME, Verified

Effect = Callable[[], Reply]


def show_instead(kind: str, field: str, value: Any) -> Callable[[Call, Effect], Reply]:
    """Return what answers as a panel that shows another value in a field of one object."""

    def answer(call: Call, effect: Effect) -> Reply:
        reply = effect()
        is_object = call.path.count("/") == 2 and call.path.startswith(f"/{kind}/")
        if call.method != "GET" or not is_object or reply.status != 200:
            return reply
        body = {**json.loads(reply.body), field: value}
        return replace(reply, body=json.dumps(body).encode())

    return answer


@pytest.mark.parametrize("error", [AttributeError, TypeError, ValueError, KeyError])
def test_a_trial_with_a_defect_ends_the_run_which_removes_what_it_made(
    error: type[Exception],
) -> None:
    verified = Verified()
    with mock.patch.object(trials, "TRIALS", {"scalars": mock.Mock(side_effect=error("slip"))}):
        result = verified.verify(writes=True, client=NAME)

    assert result["failed"]
    assert "defect" in result["msg"]
    assert result["left"] == []
    assert {check["found"] for check in result["checks"] if check["id"] == "scalars"} != {
        "otherwise"
    }


def test_a_defect_at_the_removal_of_an_object_is_in_the_log_and_the_others_are_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    monkeypatch.setenv("PANEL_LOG", str(log))
    delete = tried_panel.TriedPanel.delete

    def fail_at_clients(tried: tried_panel.TriedPanel, creation: TrialCreation) -> Answer:
        if creation.kind == CLIENTS:
            raise KeyError("slip")
        return delete(tried, creation)

    monkeypatch.setattr(tried_panel.TriedPanel, "delete", fail_at_clients)

    result = Verified().verify(writes=True, client=NAME)

    assert [remnant["kind"] for remnant in result["left"]] == ["client"]
    assert "defect KeyError at plugins/plugin_utils/_verify/tried_panel.py" in log.read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("point", "kind", "field", "value"),
    [
        ("nested_update", "clients", "contact_data", "Verify"),
        ("missing_dates", "clients", "suspend_on", {"date": None}),
        ("missing_dates", "clients", "suspend_on", "never"),
        ("dates", "clients", "suspend_on", 1795176000),
        ("dates", "clients", "suspend_on", "next winter"),
        ("plan_assignment", "clients", "resource_limits", "none"),
        ("certificate_choice", "domains", "security", ["hsts"]),
        ("subdomain_zones", "dns", "records", ["@ 3600 IN A 192.0.2.1"]),
        ("subdomain_zones", "dns", "records", {"other": "@ 3600 IN A 192.0.2.1"}),
    ],
)
def test_a_form_that_no_one_foresaw_is_a_finding_of_its_own(
    point: str, kind: str, field: str, value: Any
) -> None:
    result = Verified().verify(strike=show_instead(kind, field, value), writes=True, client=NAME)
    assert "defect" not in result.get("msg", "")
    findings = {check["id"]: check["found"] for check in result["checks"]}
    assert findings[point] == "otherwise"
