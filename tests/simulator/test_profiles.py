# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles and settings of the start: what makes no sense is refused in one sentence, and two profiles of one panel are equal."""

from __future__ import annotations

import datetime
import json
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from panel_simulator.__main__ import main
from panel_simulator.answering import answered
from panel_simulator.calls import Call
from panel_simulator.errors import Invalid
from panel_simulator.forms import told
from panel_simulator.installed_panel import InstalledPanel
from panel_simulator.known import KNOWN
from panel_simulator.open_points import POINTS, OpenPoint, normal
from panel_simulator.profiles import read_profile
from panel_simulator.seed import plant
from panel_simulator.settings import SETTINGS, Settings

WRONG: dict[str, list[tuple[str, str]]] = yaml.safe_load(
    Path(__file__).with_name("wrong_settings.yml").read_text("utf-8")
)
SEED = {
    "clients": [{"username": "acme"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "info@acme.example"}],
}
PATHS = ("/clients", "/clients/2", "/clients/2/resources", "/domains", "/domains/1", "/emails", "/dns/1", "/server")


@pytest.mark.parametrize(("profile", "words"), WRONG["profiles"], ids=[text for text, _words in WRONG["profiles"]])
def test_a_profile_that_makes_no_sense_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], profile: str, words: str
) -> None:
    file = tmp_path / "profile.yml"
    # As a file of its own has them, without half characters.
    file.write_text(profile.encode("utf-8", "backslashreplace").decode(), encoding="utf-8")
    assert main(["--api-key", "k", "--profile", str(file)]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"The profile cannot be taken: {file}")
    assert words.encode("utf-8", "backslashreplace").decode() in said.err
    assert (said.out, said.err.count("\n"), said.err[-2] in ".?") == ("", 1, True)


@pytest.mark.parametrize(("settings", "words"), WRONG["settings"])
def test_settings_that_make_no_sense_are_refused_in_one_sentence(
    capsys: pytest.CaptureFixture[str], settings: str, words: str
) -> None:
    try:
        code: object = main(["--api-key", "k", "--settings", settings.encode("utf-8", "backslashreplace").decode()])
    except SystemExit as end:
        code = end.code
    said = capsys.readouterr()
    assert code == 2
    assert said.err.startswith(f"The settings cannot be taken: {words.encode('utf-8', 'backslashreplace').decode()}"), (
        said.err
    )
    assert (said.out, said.err.count("\n"), said.err[-2] in ".?") == ("", 1, True)


@pytest.mark.parametrize("latency", ["-1", "nan", "inf"])
def test_a_latency_that_is_none_is_refused_as_the_setting_is(capsys: pytest.CaptureFixture[str], latency: str) -> None:
    assert main(["--api-key", "k", "--latency", latency]) == 2
    assert "latency: must be a number of milliseconds from 0 to 1000000000, and is " in capsys.readouterr().err


def test_what_the_profile_and_the_settings_say_is_looked_at_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "profile.yml"
    file.write_text("extra_members: {clients: {text: x}}\n", encoding="utf-8")
    settings = json.dumps({"renamed_members": {"clients": {"notes": "text"}}})
    assert main(["--api-key", "k", "--profile", str(file), "--settings", settings]) == 2
    assert capsys.readouterr().err.startswith("The settings cannot be taken: renamed_members: clients have text ")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"ping: text\n# \xff\n", "line 2: there is a byte that is not UTF-8."),
        (b"[" * 3000, "it has more than 100 lists and mappings in each other."),
        (b"extra_members: {clients: {a: " + b"[" * 150 + b"]" * 150 + b"}}", "line 1: there are more than 100 lists"),
        (b"request_limit: " + b"9" * 5000, "is not what YAML takes it for"),
    ],
)
def test_a_file_that_nobody_can_read_is_refused_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, words: str
) -> None:
    file = tmp_path / "profile.yml"
    file.write_bytes(content)
    assert main(["--api-key", "k", "--profile", str(file)]) == 2
    said = capsys.readouterr().err
    assert (words in said, said.count("\n")) == (True, 1), said[:500]


@pytest.mark.parametrize(("name", "words"), [("none.yml", "No such file or directory."), (".", "Is a directory.")])
def test_a_profile_that_is_no_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, words: str
) -> None:
    file = tmp_path / name
    assert main(["--api-key", "k", "--profile", str(file)]) == 2
    assert capsys.readouterr().err == f"The profile cannot be taken: {file} cannot be read: {words}\n"


# Odd values of everything.

_DEEP: list[Any] = []
for _time in range(150):
    _DEEP = [_DEEP]
INNER: list[Any] = [
    None, True, False, 0, 1, -1, 1.5, 409, math.inf, -math.inf, math.nan, 10**30, "", " ", "x", "\ud800", "notes", "%40",
    datetime.date(2026, 1, 1), b"hi", {"a", "b"}, ("x",), object, _DEEP,
]  # fmt: skip
ODD: list[Any] = [
    *INNER,
    *([one] for one in INNER),
    *({"clients": one} for one in INNER),
    *({"clients": [one]} for one in INNER),
    *({"clients": {"notes": one}} for one in INNER),
    *({kind: {"colour": one}} for kind in ("clients", "dns") for one in INNER),
    {5: 1}, {"nobody": {}}, {"clients": {5: "x"}}, {"clients": {"colour": {5: "x"}}}, [[]], {"dns": ["records"]},
    ["GET /clients"], ["GET /nothing"], ["("], ["a{99999999999}"],
]  # fmt: skip


@pytest.mark.parametrize("name", [*POINTS, *SETTINGS])
def test_an_odd_value_is_refused_by_its_name_or_every_answer_is_json(name: str) -> None:
    taken = 0
    for value in ODD:
        try:
            Settings(KNOWN).merge({name: value})
        except Invalid as error:
            assert error.message.startswith(f"{name}: "), error.message
            assert error.message.endswith((".", "?")), error.message
            assert len(error.message) < 800
            continue
        taken += 1
        panel = InstalledPanel("key")
        plant(panel, SEED)
        panel.settings.merge({name: value})
        json.dumps(panel.settings.values, allow_nan=False)
        for path in PATHS:
            reply = answered(panel, Call("GET", path, key="key"))
            if reply.body[:1] in (b"{", b"["):
                json.loads(reply.body.decode("utf-8"), parse_constant=pytest.fail)
    assert taken < 60


@pytest.mark.parametrize("point", POINTS.values(), ids=lambda point: point.name)
def test_what_the_table_tries_can_be_had(point: OpenPoint) -> None:
    for value in (point.default, *point.tried):
        Settings(KNOWN).merge({point.name: value})


def test_every_member_that_a_panel_shows_can_be_hidden() -> None:
    panel = InstalledPanel("key")
    plant(panel, SEED)
    for kind, members in KNOWN.shown.items():
        panel.settings.merge({"hidden_members": {kind: list(members)}})
        reply = answered(panel, Call("GET", f"/{kind}/{2 if kind == 'clients' else 1}", key="key"))
        if reply.status == 200:
            assert json.loads(reply.body) == {}, kind


# Paths.


@pytest.mark.parametrize(
    "pattern",
    [
        "GET /clients",
        "(PUT|DELETE) /clients/.*",
        ".* /emails/.*",
        r"GET /clients/\d{5}",
        "GET /clients/77",
        "GET /emails/name/info%40acme.example",
        r"DELETE /hosting-plans/\d+",
        "POST /server/reboot",
    ],
)
def test_a_pattern_that_fits_a_path_is_taken(pattern: str) -> None:
    Settings(KNOWN).merge({"missing_paths": [pattern]})


# Two profiles of one panel.


def shuffled(value: Any, dice: random.Random) -> Any:
    """With the members and the items in another order."""
    if isinstance(value, dict):
        names = dice.sample(list(value), len(value))
        return {name: shuffled(value[name], dice) for name in names}
    return dice.sample(value, len(value)) if isinstance(value, list) else value


def mixtures() -> Iterator[Any]:
    dice = random.Random(1)
    for number in range(40):
        chosen = dice.sample([one for one in POINTS.values() if one.is_verified(one.default)], 6)
        values = {one.name: [value for value in (one.default, *one.tried) if one.is_verified(value)] for one in chosen}
        yield pytest.param({name: dice.choice(some) for name, some in values.items()}, id=str(number))


@pytest.mark.parametrize("profile", list(mixtures()))
def test_two_profiles_of_one_panel_are_equal_whatever_their_order(profile: dict[str, Any], tmp_path: Path) -> None:
    file, dice, texts = tmp_path / "profile.yml", random.Random(2), set()
    for _again in range(3):
        file.write_text(yaml.safe_dump(shuffled(profile, dice), sort_keys=False), encoding="utf-8")
        texts.add(yaml.safe_dump(read_profile(file), sort_keys=False))
    assert len(texts) == 1
    assert read_profile(file) == normal(profile)
    assert normal(normal(profile)) == normal(profile)


def test_what_says_nothing_is_not_in_the_normal_form() -> None:
    said = {
        "ping": "response",
        "hidden_members": {"clients": []},
        "list_lag": 0,
        "extra_members": {"emails": {}, "clients": {"b": 2, "a": 1}},
    }
    assert told(normal(said)) == '{"extra_members": {"clients": {"a": 1, "b": 2}}}'


# What goes with what.


def test_lists_leave_a_member_out_that_has_another_name() -> None:
    panel = InstalledPanel("key")
    plant(panel, SEED)
    both = {"short_lists": {"clients": ["notes"]}, "renamed_members": {"clients": {"notes": "text"}}}
    panel.settings.merge(both)
    listed, single = (json.loads(answered(panel, Call("GET", path, key="key")).body) for path in PATHS[:2])
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
