"""Profiles and settings of the start: what makes no sense is refused in one sentence, and two profiles of one panel are equal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from panel_simulator.__main__ import main
from panel_simulator.answering import answered
from panel_simulator.calls import Call
from panel_simulator.installed_panel import KNOWN, InstalledPanel
from panel_simulator.settings import POINTS, OpenPoint, Settings, normal, read_profile
from panel_simulator.state import plant

WRONG: dict[str, list[tuple[str, str]]] = yaml.safe_load(
    Path(__file__).with_name("wrong_settings.yml").read_text("utf-8")
)
SEED = {
    "clients": [{"username": "acme"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "info@acme.example"}],
}


@pytest.mark.parametrize(("profile", "words"), WRONG["profiles"], ids=[text for text, _words in WRONG["profiles"]])
def test_a_profile_that_makes_no_sense_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], profile: str, words: str
) -> None:
    file = tmp_path / "profile.yml"
    file.write_text(profile, encoding="utf-8")
    assert main(["--api-key", "k", "--profile", str(file)]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"The profile cannot be taken: {file}")
    assert words in said.err
    assert (said.out, said.err.count("\n"), said.err[-2] in ".?") == ("", 1, True)


@pytest.mark.parametrize(("settings", "words"), WRONG["settings"])
def test_settings_that_make_no_sense_are_refused_in_one_sentence(
    capsys: pytest.CaptureFixture[str], settings: str, words: str
) -> None:
    try:
        code: object = main(["--api-key", "k", "--settings", settings])
    except SystemExit as end:
        code = end.code
    said = capsys.readouterr()
    assert code == 2
    assert said.err.startswith(f"The settings cannot be taken: {words}"), said.err
    assert (said.out, said.err.count("\n"), said.err[-2] in ".?") == ("", 1, True)


@pytest.mark.parametrize(
    ("name", "words"),
    [("none.yml", "cannot be read: No such file or directory."), (".", "cannot be read: Is a directory.")],
)
def test_a_profile_that_is_no_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, words: str
) -> None:
    file = tmp_path / name
    assert main(["--api-key", "k", "--profile", str(file)]) == 2
    assert capsys.readouterr().err == f"The profile cannot be taken: {file} {words}\n"


@pytest.mark.parametrize("point", POINTS.values(), ids=lambda point: point.name)
def test_what_the_table_tries_can_be_had(point: OpenPoint) -> None:
    for value in (point.default, *point.tried):
        Settings(KNOWN).merge({point.name: value})


def test_every_member_that_a_panel_shows_can_be_hidden() -> None:
    panel = InstalledPanel("key")
    plant(panel, SEED)
    for kind, members in KNOWN.members.items():
        panel.settings.merge({"hidden_members": {kind: list(members)}})
        reply = answered(panel, Call("GET", f"/{kind}/{2 if kind == 'clients' else 1}", key="key"))
        if reply.status == 200:
            assert json.loads(reply.body) == {}, kind


@pytest.mark.parametrize("pattern", ["GET /clients", "(PUT|DELETE) /clients/.*", r"GET /clients/\d{5}"])
def test_a_pattern_that_fits_a_path_is_taken(pattern: str) -> None:
    Settings(KNOWN).merge({"missing_paths": [pattern]})


def test_two_profiles_of_one_panel_are_equal_whatever_their_order(tmp_path: Path) -> None:
    found = []
    for text in (
        "numbers: texts\ndates: as_declared\nhidden_members: {emails: [size, description], clients: [notes]}\nextra_members: {clients: {b: 2, a: 1}}",
        "extra_members: {emails: {}, clients: {a: 1, b: 2}}\nhidden_members: {clients: [notes], emails: [description, size]}\nnumbers: texts",
    ):
        file = tmp_path / "profile.yml"
        file.write_text(text, encoding="utf-8")
        found.append(json.dumps(read_profile(file, KNOWN)))
    assert len(set(found)) == 1
    assert normal(json.loads(found[0])) == json.loads(found[0])
    assert "dates" not in found[0]


def test_lists_leave_a_member_out_that_has_another_name() -> None:
    panel = InstalledPanel("key")
    plant(panel, SEED)
    both = {"short_lists": {"clients": ["notes"]}, "renamed_members": {"clients": {"notes": "text"}}}
    panel.settings.merge(both)
    paths = ("/clients", "/clients/2")
    listed, single = (json.loads(answered(panel, Call("GET", path, key="key")).body) for path in paths)
    assert ("text" in listed[0], "text" in single) == (False, True)


def test_zones_have_members_that_only_this_panel_knows() -> None:
    panel = InstalledPanel("key")
    plant(panel, SEED)
    panel.settings.merge({"extra_members": {"dns": {"colour": "blue"}}})
    assert json.loads(answered(panel, Call("GET", "/dns/1", key="key")).body)["colour"] == "blue"


@pytest.mark.parametrize(
    ("profile", "kept"),
    [
        ({"renamed_members": {"clients": {"notes": "text"}}}, ["", "new"]),
        # As a verify tells the same panel.
        ({"hidden_members": {"clients": ["notes"]}, "extra_members": {"clients": {"text": ""}}}, ["old", "old"]),
    ],
)
def test_a_member_with_another_name_is_taken_under_that_alone_and_a_hidden_one_under_its_own(
    profile: dict[str, Any], kept: list[str]
) -> None:
    panel = InstalledPanel("key")
    plant(panel, SEED)
    panel.settings.merge(profile)
    found = []
    for name, value in (("notes", "old"), ("text", "new")):
        body = json.dumps({name: value}).encode()
        assert answered(panel, Call("PUT", "/clients/2", raw=body, key="key")).status == 200
        entry = panel.store.get("clients", 2)
        assert entry is not None
        found.append(entry.data["notes"])
    assert found == kept
