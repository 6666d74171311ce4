"""A task in process and as a module of its own gives the same results, requests and words.

Every behaviour is in tests/unit.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.grid import normalize
from tests.support.playbook import PRELOADED, WAYS, Run, make_task, play
from tests.support.simulator import Simulator

# Made by the panel, so another in every run.
CHANGING = frozenset({"created_at", "generated_password"})
# What Ansible's own checks and those of the collection make of options, which neither may show or
# read in another way.
SECRET = 'hunter2"hü\\nter/2+'
ODD: dict[str, dict[str, Any]] = {
    "changes nested fields": {
        "contact_data": {"city": "Köln"},
        "notes": "",
        "suspend_on": "2031-01-01",
    },
    "is deleted": {"state": "absent"},
    "is there in check mode": {"notes": "new", "regenerate_password": True},
    "sets the password": {"password": SECRET, "update_password": "always"},
    "sends both hashes": {
        "password_hash": "$6$a",
        "password_hash_os": "$6$b",
        "update_password": "always",
    },
    "has extra": {"extra": {"api_token": SECRET, "colour": "blue", "deep": {"password": "x"}}},
    "takes texts for other types": {
        "is_suspended": "yes",
        "timeout": "5",
        "extra": '{"colour": "blue"}',
    },
    "knows no such plan": {"hosting_plan": "none"},
    "has a wrong value": {"email": "nobody"},
    "has an empty password": {"password": ""},
    "has an unknown option": {"usename": "acme"},
    "has a password and a hash": {"password": SECRET, "password_hash": SECRET},
    "has a text for a dictionary": {"contact_data": "Köln"},
    "has a wrong address": {"api_url": "http://admin:pass@panel.example"},
    "has no key": {"api_key": ""},
    "is denied": {"api_key": "prefix01.wrong-key"},
}


@pytest.fixture(scope="module")
def odd_runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Play tasks with odd options in both ways once for all tests."""
    seed = {"clients": [{"username": "acme", "notes": "old"}]}
    settings = {"password_hashes": "written"}
    before = [["POST", "/reset", None], ["POST", "/settings", settings], ["POST", "/seed", seed]]
    tasks = [
        make_task(
            name,
            "panel_client",
            {"username": "acme", **options},
            before,
            check_mode="check mode" in name,
        )
        for name, options in ODD.items()
    ]
    folder = tmp_path_factory.mktemp("odd")

    return {way: play(tasks, simulator, folder / way, way, variables=PRELOADED) for way in WAYS}


@pytest.mark.parametrize("name", ODD)
def test_both_ways_read_and_refuse_options_in_the_same_words_and_without_a_secret(
    name: str, odd_runs: dict[str, Run]
) -> None:
    in_process, as_module = (odd_runs[way][name] for way in WAYS)
    assert (in_process.outcome, in_process.calls) == (as_module.outcome, as_module.calls)

    results = []
    for recording in (in_process, as_module):
        warnings = [
            warning if isinstance(warning, str) else warning["event"]["msg"]
            for warning in recording.result.get("warnings", ())
        ]
        # Each way has a playbook of its own, and a warning says where the task is.
        warnings = [re.sub(r"^/.*/playbook\.yml:", "playbook.yml:", text) for text in warnings]
        # In which order Ansible names the words of a switch is left to chance.
        result = {
            **recording.result,
            "msg": recording.msg.partition("Valid booleans include")[0],
            "warnings": warnings,
        }
        results.append(normalize(result, CHANGING))
        assert [
            secret
            for secret in ("prefix01.", "hunter2", "$6$", "admin:pass")
            if secret in str(recording.result)
        ] == []

    assert results[0] == results[1]
    assert in_process.outcome == (
        "failed"
        if name.startswith(("has ", "is denied", "knows no")) and name != "has extra"
        else "ok"
    )
