# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A verify of the simulator's panel in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from panel_simulator import openapi
from panel_simulator.known import KNOWN
from panel_simulator.open_points import read_profile
from tests.support.tasks import CONNECTION
from tests.support.verifying import NAME, POINTS, VALUES, Struck, Verified, as_verified

NEVER = {"api_disabled", "foreign_certificates"}


@pytest.mark.parametrize(("name", "value"), [one for one in VALUES if one[0] not in NEVER], ids=json.dumps)
def test_each_value_of_each_point_is_found_alone(name: str, value: Any) -> None:
    panel = Verified(**{name: value})
    result = panel.verify(writes=True, wrong_key=True)
    assert "msg" not in result, result["msg"]
    assert result["profile"] == as_verified({name: value})
    assert result["left"] == []
    assert panel.names == set()


def test_a_usual_panel_contradicts_nothing_and_settles_all_that_is_ever_asked() -> None:
    result = Verified().verify(writes=True, wrong_key=True)
    verdicts = {check["id"]: check["verdict"] for check in result["checks"]}
    assert result["profile"] == {}
    assert {name for name, verdict in verdicts.items() if verdict != "confirmed"} == NEVER
    assert verdicts.keys() == {*POINTS, "described_paths", "described_fields"}
    assert len(POINTS) == 30


# What is made is removed.


def test_reading_writes_nothing_and_says_what_writes_would_show() -> None:
    panel = Verified({"clients": [{"username": "acme"}]})
    result = panel.verify()
    skipped = [check for check in result["checks"] if check["verdict"] == "skipped"]
    assert panel.writes == []
    assert len(skipped) > 20
    assert "panel_verify_writes=true" in result["lines"][-1]


def test_reading_alone_sees_what_a_client_shows() -> None:
    special = {"hidden_members": {"clients": ["created_at"]}, "numbers": "texts", "switches": "numbers"}
    assert Verified({"clients": [{"username": "acme"}]}, **special).verify()["profile"] == special


def test_check_mode_writes_nothing(tmp_path: Path) -> None:
    panel, page = Verified(), tmp_path / "panel.md"
    result = panel.verify(writes=True, report_file=str(page), check_mode=True)
    assert (panel.writes, page.exists(), result["written"]) == ([], False, [str(page)])


@pytest.mark.parametrize("at", (1, 2, 3, 6, 14, 30))
def test_what_was_made_is_removed_where_a_write_is_refused_for_good(at: int) -> None:
    panel = Verified()
    result = panel.verify(struck=Struck(at, status=500), writes=True, client=NAME)
    assert panel.names == set()
    assert result["left"] == []
    assert result.get("failed") in (None, True)


@pytest.mark.parametrize("at", (1, 2, 3, 6, 14, 30))
def test_what_was_made_is_removed_where_the_answer_to_a_write_is_lost(at: int) -> None:
    panel = Verified()
    result = panel.verify(struck=Struck(at, has_effect=True), writes=True, client=NAME)
    assert (panel.names, result["left"]) == (set(), [])


@pytest.mark.parametrize("at", (1, 2, 3, 6, 14, 30))
def test_what_was_made_is_removed_after_ctrl_c(at: int) -> None:
    panel = Verified()
    result = panel.verify(struck=Struck(at, has_effect=True, interrupts=True), writes=True, client=NAME)
    assert (panel.names, result["left"]) == (set(), [])
    assert "interrupted" in result["msg"]


def test_what_cannot_be_removed_is_named(tmp_path: Path) -> None:
    panel = Verified()
    page = tmp_path / "panel.md"
    result = panel.verify(
        struck=Struck(0, status=500, method="DELETE"), writes=True, client=NAME, report_file=str(page)
    )
    assert {"kind": "client", "name": NAME} in result["left"]
    assert f"client {NAME}" in result["msg"]
    assert result["failed"]


@pytest.mark.parametrize("seconds", [3, 12])
def test_deletions_that_take_seconds_are_waited_for(seconds: int) -> None:
    panel = Verified()
    result = panel.verify(late_deletions=seconds, writes=True)
    assert (result["profile"], result["left"], panel.names) == ({}, [], set())


def test_a_deletion_that_takes_longer_than_wait_timeout_is_left() -> None:
    result = Verified().verify(late_deletions=400, writes=True, wait_timeout=1, client=NAME)
    assert {"kind": "client", "name": NAME} in result["left"]


def test_what_a_killed_run_left_is_named_and_removed_by_its_name() -> None:
    notes = f"hosting.panel.verify {NAME}: a test client, which may be deleted."
    limits = {"subdomains": 73, "ftp_users": 73, "scheduled_tasks": 73, "email_accounts": 73}
    panel = Verified(
        {
            "hosting_plans": [{"name": NAME, "resources": limits}],
            "clients": [{"username": NAME, "notes": notes, "hosting_plan": NAME}, {"username": "hpverifybcdefg"}],
        },
        short_lists={"clients": ["notes"]},
    )
    (warning,) = panel.verify()["warnings"]
    assert f"panel_verify_client: {NAME}" in warning
    done = panel.verify(writes=True, client=NAME)
    assert (done["left"], panel.names) == ([], {"hpverifybcdefg"})


@pytest.mark.parametrize("kind", ["clients", "hosting_plans"])
def test_what_has_the_name_and_was_made_by_no_verify_is_left_alone(kind: str) -> None:
    panel = Verified({kind: [{"username" if kind == "clients" else "name": NAME}]})
    result = panel.verify(writes=True, client=NAME)
    assert "no verify made" in result["msg"]
    assert panel.writes == []


def test_a_panel_that_makes_no_client_fails_with_its_words() -> None:
    panel = Verified()
    result = panel.verify(struck=Struck(0, status=403, method="POST"), writes=True)
    assert "did not create the test client" in result["msg"]
    assert result["checks"]


# Answers of another form.


@pytest.mark.parametrize("value", [None, {}, ["x"], 7, [{"id": "x"}]])
@pytest.mark.parametrize(
    "path", ["/clients", "/hosting-plans", "/server", r"/clients/\d+", r"/domains/\d+", "/emails", r"/dns/\d+"]
)
def test_an_answer_of_another_form_ends_nothing(path: str, value: Any) -> None:
    panel = Verified()
    result = panel.verify(answers={path: value}, writes=True)
    assert result["checks"]
    assert "defect" not in result.get("msg", "")


def test_what_is_none_of_the_known_ways_is_otherwise_and_no_part_of_the_profile() -> None:
    result = Verified().verify(answers={r"/clients/2147483646": {"id": 1}})
    (check,) = [check for check in result["checks"] if check["id"] == "unknown_id"]
    assert (check["found"], check["verdict"], result["profile"]) == ("otherwise", "contradicted", {})


def test_neither_secrets_nor_names_of_customers_are_told(tmp_path: Path) -> None:
    seed = {
        "hosting_plans": [{"name": "Musterplan"}],
        "clients": [{"username": "mustermann", "notes": "geheim", "email": "a@mustermann.example"}],
        "domains": [{"domain": "mustermann.example", "client": "mustermann"}],
    }
    panel = Verified(seed, extra_members={"clients": {"mustermann": "x"}}, short_lists={"clients": ["notes"]})
    files = {name: str(tmp_path / name) for name in ("profile_file", "report_file")}
    told = json.dumps(panel.verify(**files)) + "".join(Path(path).read_text("utf-8") for path in files.values())
    assert [word for word in ("mustermann", "geheim", "Musterplan", CONNECTION["api_key"]) if word in told] == []


# Files.


def test_the_profile_is_what_the_simulator_takes_and_a_second_run_changes_nothing(tmp_path: Path) -> None:
    profile = {
        "dates": "utc",
        "numbers": "texts",
        "plan_deletion": "refused",
        "hidden_members": {"emails": ["id_user"]},
    }
    files = {"profile_file": str(tmp_path / "p.yml"), "report_file": str(tmp_path / "p.md")}
    first, second = (Verified(**profile).verify(writes=True, **files) for _run in range(2))
    assert read_profile(Path(files["profile_file"]), KNOWN) == profile == first["profile"]
    assert (first["changed"], second["changed"]) == (True, False)
    page = Path(files["report_file"]).read_text("utf-8")
    assert page.startswith("# What this panel does\n")
    assert "| `dates`: The offset of dates to suspend or delete on | contradicted | `as_declared` | `utc` |" in page


def test_wrong_options_and_foreign_files_are_refused_before_any_request(tmp_path: Path) -> None:
    foreign = tmp_path / "mine.yml"
    foreign.write_text("a: 1\n", encoding="utf-8")
    for options in (
        {"client": "Acme"},
        {"wait_timeout": 121},
        {"profile_file": str(foreign)},
        {"report_file": str(tmp_path / "no" / "p.md")},
    ):
        panel = Verified()
        assert next(iter(options)) in panel.verify(**options)["msg"]
        assert panel.log == []


# The panel's own description.


def test_the_description_of_the_simulator_has_all_that_the_collection_uses() -> None:
    result = Verified().verify()
    assert result["described"]["version"] == "2.15"
    assert result["described"]["paths"]["gone"] == result["described"]["fields"]["gone"] == []


def test_what_the_description_lacks_has_and_says_otherwise_is_told() -> None:
    panel = Verified()
    document = openapi.document("https://panel.example")
    del document["paths"]["/ftp-users/{id}"]["put"]
    document["paths"]["/backups"] = {"get": {"responses": {}}}
    mailbox = next(one for one in document["components"]["schemas"].values() if "catch_all" in one["properties"])
    mailbox["properties"]["store_forwarded_emails"] = {"type": "string"}
    del mailbox["properties"]["catch_all"]
    mailbox["properties"]["spam_filter"] = {"type": "boolean", "description": "Acme GmbH"}
    mailbox["properties"]["Acme GmbH"] = {"type": "string"}
    panel.serves = document
    result = panel.verify()
    assert result["described"]["paths"] == {"gone": ["PUT /ftp-users/{}"], "new": ["GET /backups"]}
    assert result["described"]["fields"]["gone"] == ["emails.catch_all"]
    assert "emails.spam_filter" in result["described"]["fields"]["new"]
    assert result["described"]["fields"]["otherwise"] == ["emails.store_forwarded_emails: string, not boolean"]
    verdicts = {check["id"]: check["verdict"] for check in result["checks"]}
    assert (verdicts["described_paths"], verdicts["described_fields"]) == ("contradicted", "contradicted")
    assert "Acme" not in json.dumps(result)


@pytest.mark.parametrize(
    "served",
    [b"<html></html>", b'{"openapi": "3', b"[]", b"{}", {"openapi": "3", "paths": []}, b'"' + b"x" * 5_100_000 + b'"'],
    ids=["page", "half", "list", "nothing", "no paths", "huge"],
)
def test_where_no_description_is_served_both_checks_are_unknown(served: Any) -> None:
    panel = Verified()
    panel.serves = served
    result = panel.verify()
    verdicts = {check["id"]: check["verdict"] for check in result["checks"]}
    assert (verdicts["described_paths"], verdicts["described_fields"], result["described"]) == (
        "unknown",
        "unknown",
        None,
    )


def test_a_description_that_goes_round_in_circles_comes_to_an_end() -> None:
    schema = {"$ref": "#/components/schemas/a"}
    content = {"application/json": {"schema": schema}}
    panel = Verified()
    panel.serves = {
        "openapi": "3",
        "paths": {"/emails": {"post": {"requestBody": {"content": content}}}},
        "components": {"schemas": {"a": {"allOf": [schema] * 9}}},
    }
    assert panel.verify()["described"] is None
