"""What the description of the API leaves open: each value of each point on a panel that starts with
it, profiles, and settings that make no sense."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from panel_simulator import openapi
from panel_simulator.__main__ import main
from panel_simulator.answering import Reply
from panel_simulator.kinds import KINDS, InstalledPanel
from panel_simulator.settings import POINTS, SETTINGS, ZONES, list_shown_names, read_profile
from panel_simulator.state import dump, plant
from tests.simulator.asking import Asked, read_content, with_pem
from tests.support.simulator import FILES, Simulator

DATA: dict[str, dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_suffix("").with_name("open_points.yml").read_text("utf-8")
)
WORLD: dict[str, Any] = {
    "hosting_plans": [
        {"name": "Business", "resources": {"databases": 1}},
        *({"name": f"a{sign}b"} for sign in " /%"),
        {"name": "c+d"},
    ],
    "clients": [{"username": "acme", "hosting_plan": "Business"}, {"username": "aaron"}],
    "certificates": [
        {
            "name": name,
            "client": client,
            "components": {"certificate": "$certificate", "private_key": "$key"},
        }
        for name, client in (("own", "acme"), ("foreign", "aaron"))
    ],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "www.acme.example", "client": "acme", "parent_domain": "acme.example"},
        {"domain": "acme.server.panel.example", "client": "acme", "is_system_domain": True},
    ],
    "emails": [
        {"email": "info@acme.example"},
        {"email": "b@acme.example"},
        {"email": "z@acme.example"},
    ],
    "databases": [{"database_name": "shop", "client": "acme"}],
    "ftp_users": [{"username": "acme-web", "client": "acme"}],
    "directory_protections": [{"client": "acme", "path": "/x", "username": "u"}],
}


@cache
def make_world() -> dict[str, Any]:
    """Return the state of a panel with the world on it."""
    panel = InstalledPanel("key")
    plant(panel, with_pem(WORLD))
    return dump(panel)


def find_missing_members(usual: list[Reply], replies: list[Reply]) -> list[str]:
    """Return each member that an answer lacks beside that of a usual panel, with its number."""
    missing_names = []
    for number, (usual_reply, reply) in enumerate(zip(usual, replies, strict=True)):
        before, after = (
            item[0] if isinstance(item, list) else item
            for item in (read_content(usual_reply), read_content(reply))
        )
        if (
            isinstance(before, dict)
            and isinstance(after, dict)
            and reply.status == usual_reply.status
        ):
            missing_names += [f"{number} {name}" for name in sorted({*before} - {*after})]

    return missing_names


def take_picture(name: str, value: Any) -> list[Any]:
    """Return what is looked at of the answers of a panel on which the point has that value."""
    data = DATA[name]
    panel, usual = (
        Asked({**data.get("with", {}), **settings}, state=make_world())
        for settings in ({name: value}, {})
    )

    for step in data["ask"]:
        panel.ask(step)
        usual.ask(step)

    lacks = find_missing_members(usual.replies, panel.replies)

    return [lacks if path == "missing" else panel.get_value(path) for path in data["look"]]


def list_cases() -> Iterator[Any]:
    """Yield each point with one of its values, and what the answers then show."""
    for name, data in DATA.items():
        for value, findings in data["finds"]:
            yield pytest.param(name, value, findings, id=f"{name}: {value}")


@pytest.mark.parametrize(("name", "value", "findings"), list(list_cases()))
def test_a_panel_with_a_value_of_a_point_shows_it(
    name: str, value: Any, findings: list[Any], tmp_path: Path
) -> None:
    file = tmp_path / "profile.yml"
    file.write_text(yaml.safe_dump({name: value}, allow_unicode=True), encoding="utf-8")

    seen = take_picture(name, read_profile(file, KINDS).get(name, POINTS[name].default))

    assert seen == findings


@pytest.mark.parametrize("name", POINTS)
def test_every_value_of_a_point_is_shown_in_a_way_of_its_own(name: str) -> None:
    values, findings = zip(*DATA[name]["finds"], strict=True)
    assert list(values) == [POINTS[name].default, *POINTS[name].tried]
    assert len({json.dumps(finding) for finding in findings}) == len(findings)


def test_the_data_are_about_points_that_there_are() -> None:
    assert [*DATA] == [*POINTS]


def test_no_setting_has_two_homes_and_the_page_has_the_defaults_of_all() -> None:
    assert not set(SETTINGS) & set(POINTS)

    rows = re.findall(
        r"^\| `(\w+)` \| `(.+?)` \|", (FILES / "README.md").read_text("utf-8"), re.MULTILINE
    )

    assert {name: json.loads(default) for name, default in rows if name in SETTINGS} == SETTINGS


def test_members_are_named_by_the_kinds_that_there_are_and_zones() -> None:
    assert set(list_shown_names(KINDS)) == {*KINDS, "dns"}
    assert set(ZONES["dns"]) == set(
        openapi.make_document("")["components"]["schemas"]["dns"]["properties"]
    )


def test_a_panel_over_http_has_its_profile(tmp_path: Path) -> None:
    file = tmp_path / "profile.yml"
    file.write_text("numbers: texts\nhidden_members: {admins: [language]}\n", encoding="utf-8")

    with Simulator.start(arguments=["--profile", str(file)], max_seconds=60) as simulator:
        answer = simulator.request("GET", "/admins/1")
        assert (answer.json()["id"], "language" in answer.json()) == ("1", False)
        assert answer.json()["username"] == "admin"

        simulator.reset()
        assert simulator.change_settings()["numbers"] == "texts"
        assert simulator.read_errors() == ""


WRONG: list[tuple[str, str, str]] = yaml.safe_load(
    Path(__file__).with_name("wrong_settings.yml").read_text("utf-8")
)


@pytest.mark.parametrize(("option", "text", "message"), WRONG)
def test_what_makes_no_sense_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, text: str, message: str
) -> None:
    file = tmp_path / ("profile.yml" if text else "")
    if text:
        file.write_text(text, encoding="utf-8")

    file_name = f"{file}" if option == "--profile" else ""

    assert main(["--api-key", "k", "--max-seconds", "1", option, file_name or text]) == 2

    captured = capsys.readouterr()
    assert captured.err.startswith(f"The simulator cannot start: {file_name}")
    assert message in captured.err
    assert (captured.out, captured.err.count("\n"), captured.err[-2] in ".?") == ("", 1, True)


def test_every_member_that_a_panel_shows_can_be_hidden() -> None:
    panel = Asked(
        {
            "hidden_members": {
                kind: list(members) for kind, members in list_shown_names(KINDS).items()
            }
        },
        state=make_world(),
    )
    for kind in list_shown_names(KINDS):
        reply = panel.ask({"get": f"/{kind.replace('_', '-')}/{2 if kind == 'clients' else 1}"})
        assert reply is not None
        assert reply.status == 404 or read_content(reply) == {}, kind
