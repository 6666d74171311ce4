"""A verify of the simulator's panel in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from panel_simulator import openapi
from panel_simulator.kinds import KINDS as SIMULATED
from panel_simulator.settings import read_profile
from tests.support.tasks import CONNECTION
from tests.support.verifying import NAME, POINTS, VALUES, Struck, Verified, as_verified

pytestmark = pytest.mark.long

NEVER = {"api_disabled", "foreign_certificates"}


def list_verdicts(result: dict[str, Any]) -> dict[str, str]:
    """Return the verdict of each check."""
    return {check["id"]: check["verdict"] for check in result["checks"]}


# What changes the way in which others are found out, or ends it.
ALONE = (
    "wrong_key",
    "missing_paths",
    "certificate_choice",
    "client_deletion",
    "domain_deletion",
    "new_clients",
    "statuses",
)


def list_profiles() -> list[dict[str, Any]]:
    """Each value of each point in one profile.

    As many together as there are points, since none of them hides another.
    """
    panels: list[dict[str, Any]] = [{}]
    for name, value in (pair for pair in VALUES if pair[0] not in NEVER):
        free = next(
            (
                settings
                for settings in panels
                if name not in settings and not settings.keys() & ALONE
            ),
            None,
        )
        if free is None or name in ALONE:
            panels.append({name: value})
        else:
            free[name] = value

    return panels


@pytest.mark.parametrize("profile", list_profiles(), ids=list)
def test_each_value_of_each_point_is_found(profile: dict[str, Any]) -> None:
    panel = Verified(**profile)
    result = panel.verify(writes=True, wrong_key=True)

    assert "msg" not in result, result["msg"]
    assert result["profile"] == as_verified(profile)
    assert result["left"] == []
    assert panel.names == set()


def test_a_usual_panel_contradicts_nothing_and_settles_all_that_is_ever_asked() -> None:
    result = Verified().verify(writes=True, wrong_key=True)
    by_name = list_verdicts(result)

    assert result["profile"] == {}
    assert len(POINTS) == 31
    assert {name for name, verdict in by_name.items() if verdict != "confirmed"} == NEVER
    assert by_name.keys() == {*POINTS, "described_paths", "described_fields"}


def test_reading_writes_nothing_sees_what_a_client_shows_and_says_how_to_see_the_rest() -> None:
    special = {
        "hidden_members": {"clients": ["created_at"]},
        "numbers": "texts",
        "switches": "numbers",
    }
    panel = Verified({"clients": [{"username": "acme"}]}, **special)

    result = panel.verify()

    assert panel.writes == []
    assert result["profile"] == special
    assert list(list_verdicts(result).values()).count("skipped") > 20
    assert "run again with writes: true" in result["lines"][-1]


def test_check_mode_writes_nothing(tmp_path: Path) -> None:
    panel = Verified()
    page = tmp_path / "panel.md"
    result = panel.verify(writes=True, report_file=str(page), check_mode=True)

    assert panel.writes == []
    assert page.exists() is False
    assert result["written"] == [str(page)]


# What is made is removed.


@pytest.mark.parametrize(
    ("at", "struck"),
    [
        *((at, {"status": 500}) for at in (1, 14)),
        *((at, {"has_effect": True}) for at in (1, 2, 30)),
        *((at, {"has_effect": True, "interrupts": True}) for at in (1, 3, 30)),
    ],
    ids=str,
)
def test_what_was_made_is_removed_after_a_failure_a_lost_answer_and_ctrl_c(
    at: int, struck: dict[str, Any]
) -> None:
    panel = Verified()

    result = panel.verify(struck=Struck(at, **struck), writes=True, client=NAME)

    assert panel.names == set()
    assert result["left"] == []
    assert ("interrupted" in result.get("msg", "")) == ("interrupts" in struck)


def test_a_panel_that_forbids_one_path_is_asked_for_the_others() -> None:
    panel = Verified()
    result = panel.verify(struck=Struck(5, status=403), writes=True)

    assert "msg" not in result
    assert list(list_verdicts(result).values()).count("unknown") < 5


def test_what_cannot_be_removed_is_named() -> None:
    result = Verified().verify(
        struck=Struck(0, status=500, method="DELETE"), writes=True, client=NAME
    )

    assert {"kind": "client", "name": NAME} in result["left"]
    assert f"client {NAME}" in result["msg"]
    assert result["failed"]


@pytest.mark.parametrize(("seconds", "is_left"), [(3, False), (12, False), (400, True)])
def test_deletions_that_take_seconds_are_waited_for(seconds: int, is_left: bool) -> None:
    panel = Verified()
    result = panel.verify(late_deletions=seconds, writes=True, client=NAME)

    assert ({"kind": "client", "name": NAME} in result["left"]) == is_left
    assert is_left or (result["profile"], panel.names) == ({}, set())


@pytest.mark.parametrize("kind", ["clients", "hosting_plans"])
def test_what_has_the_name_of_the_test_client_is_left_alone(kind: str) -> None:
    panel = Verified({kind: [{"username" if kind == "clients" else "name": NAME}]})
    assert "Choose another name" in panel.verify(writes=True, client=NAME)["msg"]
    assert panel.writes == []


def test_a_panel_that_makes_no_client_fails_with_its_words() -> None:
    result = Verified().verify(struck=Struck(0, status=403, method="POST"), writes=True)
    assert "did not create the test client" in result["msg"]
    assert result["checks"]


# Answers of another form, files, and what stays secret.


ODD: tuple[Any, ...] = (None, {}, ["x"], 7, [{"id": "x"}])
PATHS = ("/clients", "/hosting-plans", "/server", r"/clients/\d+", r"/domains/\d+", r"/dns/\d+")


@pytest.mark.parametrize("value", ODD, ids=str)
def test_answers_of_another_form_end_nothing(value: Any) -> None:
    for path in PATHS if value is None else PATHS[ODD.index(value) - 1 :: 2]:
        result = Verified().verify(answers={path: value}, writes=True)
        assert result["checks"], path
        assert "defect" not in result.get("msg", ""), path


def test_what_is_none_of_the_known_ways_is_otherwise_and_no_part_of_the_profile() -> None:
    result = Verified().verify(answers={r"/clients/2147483646": {"id": 1}})
    (check,) = [check for check in result["checks"] if check["id"] == "unknown_id"]

    assert check["found"] == "otherwise"
    assert check["verdict"] == "contradicted"
    assert result["profile"] == {}


def test_neither_secrets_nor_names_of_customers_are_told(tmp_path: Path) -> None:
    seed = {
        "hosting_plans": [{"name": "Musterplan"}],
        "clients": [{"username": "mustermann", "notes": "geheim", "email": "a@mustermann.example"}],
        "domains": [{"domain": "mustermann.example", "client": "mustermann"}],
    }
    panel = Verified(
        seed, extra_members={"clients": {"mustermann": "x"}}, short_lists={"clients": ["notes"]}
    )
    files = {name: str(tmp_path / name) for name in ("profile_file", "report_file")}
    output = json.dumps(panel.verify(**files)) + "".join(
        Path(path).read_text("utf-8") for path in files.values()
    )

    assert [
        secret
        for secret in ("mustermann", "geheim", "Musterplan", CONNECTION["api_key"])
        if secret in output
    ] == []


def test_the_profile_is_what_the_simulator_takes_and_a_second_run_changes_nothing(
    tmp_path: Path,
) -> None:
    profile = {
        "dates": "utc",
        "hidden_members": {"emails": ["id_user"]},
        "numbers": "texts",
        "plan_deletion": "refused",
    }
    files = {"profile_file": str(tmp_path / "p.yml"), "report_file": str(tmp_path / "p.md")}
    first, second = (Verified(**profile).verify(writes=True, **files) for _run in range(2))

    assert read_profile(Path(files["profile_file"]), SIMULATED) == profile == first["profile"]
    assert first["changed"] is True
    assert second["changed"] is False

    page = Path(files["report_file"]).read_text("utf-8")
    assert page.startswith("# What this panel does\n")
    assert (
        "| `dates`: The offset of dates to suspend or delete on | contradicted | `as_declared` | `utc` |"
        in page
    )


def test_wrong_options_are_refused_before_any_request(tmp_path: Path) -> None:
    missing = str(tmp_path / "no" / "p.md")
    for name, value in {
        "client": "Acme",
        "wait_timeout": 121,
        "profile_file": str(tmp_path),
        "report_file": missing,
    }.items():
        panel = Verified()
        assert name in panel.verify(**{name: value})["msg"]
        assert panel.log == []


FOREIGN = "mail:\n  relay: smtp.example\n"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        pytest.param({"report_file": "mine.yml"}, "that file is no page of verify", id="page"),
        pytest.param(
            {"profile_file": "mine.yml"}, "that file is no profile of verify", id="profile"
        ),
        pytest.param(
            {"report_file": "new", "profile_file": "new"},
            "report_file, profile_file: both are one file",
            id="both",
        ),
        pytest.param(
            {"report_file": "empty", "profile_file": "link"},
            "report_file, profile_file: both are one file",
            id="both by a link",
        ),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_a_file_of_others_and_one_for_both_are_refused_before_any_request(
    tmp_path: Path, files: dict[str, str], message: str, check_mode: bool
) -> None:
    mine = tmp_path / "mine.yml"
    mine.write_text(FOREIGN, encoding="utf-8")
    (tmp_path / "empty").touch()
    (tmp_path / "link").symlink_to("empty")
    panel = Verified()
    options = {name: str(tmp_path / value) for name, value in files.items()}

    result = panel.verify(**options, writes=True, check_mode=check_mode)

    assert message in result["msg"]
    assert result["msg"].endswith("Nothing was read or written.")
    assert panel.log == []
    assert mine.read_text("utf-8") == FOREIGN
    assert (tmp_path / "new").exists() is False


# The panel's own description.


def test_what_the_description_lacks_has_and_says_otherwise_is_told() -> None:
    panel = Verified()
    assert panel.verify()["described"]["version"] == "2.15"

    document = openapi.make_document("https://panel.example")
    del document["paths"]["/ftp-users/{id}"]["put"]
    document["paths"]["/backups"] = {"get": {"responses": {}}}
    mailbox = next(
        schema
        for schema in document["components"]["schemas"].values()
        if "catch_all" in schema["properties"]
    )
    mailbox["properties"]["store_forwarded_emails"] = {"type": "string"}
    del mailbox["properties"]["catch_all"]
    mailbox["properties"]["spam_filter"] = {"type": "boolean", "description": "Acme GmbH"}
    mailbox["properties"]["Acme GmbH"] = {"type": "string"}
    panel.serves = document

    result = panel.verify()
    fields = result["described"]["fields"]

    assert result["described"]["paths"] == {"gone": ["PUT /ftp-users/{}"], "new": ["GET /backups"]}
    assert fields["gone"] == ["emails.catch_all"]
    assert "emails.spam_filter" in fields["new"]
    assert fields["otherwise"] == ["emails.store_forwarded_emails: string, not boolean"]
    assert {list_verdicts(result)[f"described_{subject}"] for subject in ("paths", "fields")} == {
        "contradicted"
    }
    assert "Acme" not in json.dumps(result)


CIRCLE = {"$ref": "#/components/schemas/a"}
BODY = {"content": {"application/json": {"schema": CIRCLE}}}


@pytest.mark.parametrize(
    "served",
    [
        pytest.param(b"<html></html>", id="page"),
        pytest.param(b'{"openapi": "3', id="truncated"),
        pytest.param(b"[]", id="list"),
        pytest.param({"openapi": "3", "paths": []}, id="no paths"),
        pytest.param(b'"' + b"x" * 5_100_000 + b'"', id="too long"),
        pytest.param(
            {
                "openapi": "3",
                "paths": {"/emails": {"post": {"requestBody": BODY}}},
                "components": {"schemas": {"a": {"allOf": [CIRCLE] * 9}}},
            },
            id="endless",
        ),
    ],
)
def test_without_a_description_both_checks_are_unknown(served: Any) -> None:
    panel = Verified()
    panel.serves = served

    result = panel.verify()

    verdict = list_verdicts(result)
    assert verdict["described_paths"] == "unknown"
    assert verdict["described_fields"] == "unknown"
    assert result["described"] is None
