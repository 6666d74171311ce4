# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the event source, and what it keeps on disk."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.plugin_utils._events.event_options import ARGUMENT_SPEC, read_options
from ansible_collections.hosting.panel.plugins.plugin_utils._events.event_state import (
    EventState,
    StateFailure,
    only_user,
)
from tools.layout import ROOT

KEY = "k1234567.secret-key-of-a-test"
ONE = {"api_url": "https://web-1.example", "api_key": KEY}
SOURCE = ROOT / "extensions" / "eda" / "plugins" / "event_source" / "panel.py"


def test_a_panel_is_called_by_its_host_and_the_defaults_are_those_of_the_documentation() -> None:
    settings = read_options(ONE)
    assert [panel.name for panel in settings.panels] == ["web-1.example"]
    assert (settings.interval, settings.wanted.certificate_days, settings.wanted.limit_percent) == (
        300,
        (30, 14, 7, 1),
        90,
    )
    assert settings.state_file is None


def test_several_panels_have_names_and_share_what_they_leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANEL_RETRY_TIME", "3")
    panels = [{"name": "one", **ONE}, {"api_url": "two.example", "api_key": KEY, "timeout": "5"}]
    found = read_options({"panels": panels, "interval": "60", "certificate_days": ["1", 14]})
    assert [(panel.name, panel.connection.timeout, panel.connection.retry_time) for panel in found.panels] == [
        ("one", 30, 3),
        ("two.example", 5, 3),
    ]
    assert (found.interval, found.wanted.certificate_days) == (60, (14, 1))


def test_the_one_panel_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANEL_API_URL", "https://web-1.example")
    monkeypatch.setenv("PANEL_API_KEY", KEY)
    assert [panel.name for panel in read_options({}).panels] == ["web-1.example"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "api_url: missing"),
        ({**ONE, "interval": 9}, "interval: 9 is not accepted; use whole numbers from 10 to 86400."),
        ({**ONE, "limit_percent": 0}, "limit_percent: 0 is not accepted"),
        ({**ONE, "certificate_days": [7, -1]}, "certificate_days: -1 is not accepted"),
        ({**ONE, "events": ["object_faild"]}, "object_faild"),
        ({**ONE, "intervall": 10}, "intervall. Supported parameters include: api_key"),
        ({"panels": [{**ONE, "validate_cert": True}]}, "panels.validate_cert. Supported parameters include"),
        ({"panels": [{**ONE, "name": "a"}, {**ONE, "name": "a"}]}, "panels[1].name: a is the name of another panel"),
        ({"panels": [{**ONE, "name": "a"}, {"name": "b"}]}, "panels[1].api_url: missing. Each of several panels"),
        ({**ONE, "api_url": "http://web-1.example"}, "plain http would show the API key"),
        ({**ONE, "state_file": "/nowhere/state.json"}, "state_file: /nowhere/state.json: the folder /nowhere does not exist"),
    ],
)  # fmt: skip
def test_mistakes_are_named_and_no_key(given: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError) as raised:
        read_options(given)
    assert words in str(raised.value)
    assert KEY not in str(raised.value)


def test_the_documentation_of_the_source_has_every_option_with_its_default() -> None:
    loaded = importlib.util.spec_from_file_location("event_source", SOURCE)
    assert loaded is not None
    assert loaded.loader is not None
    module = importlib.util.module_from_spec(loaded)
    loaded.loader.exec_module(module)
    options = yaml.safe_load(module.DOCUMENTATION)["options"]
    assert options.keys() == ARGUMENT_SPEC.keys()
    for name, described in options.items():
        assert described["type"] == ARGUMENT_SPEC[name]["type"], name
        if name not in ("timeout", "retry_time", "validate_certs", "events"):
            assert described.get("default") == ARGUMENT_SPEC[name].get("default"), name
    assert options["events"]["choices"] == ARGUMENT_SPEC["events"]["choices"]
    (rulebook,) = yaml.safe_load(module.EXAMPLES)
    read_options({**ONE, **rulebook["sources"][0]["hosting.panel.panel"], "state_file": None})


def test_what_is_known_and_pending_is_there_after_a_restart_in_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    state = EventState(path)
    assert state.panels == {}
    first, second = ({"panel": {"key": key}, "meta": {"uuid": key}} for key in "ab")
    state.learn("web-1", {"clients": {}}, [first, second])
    state.taken()
    again = EventState(path)
    assert again.panels["web-1"] == {"clients": {}}
    assert again.pending == [second]
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.stat().st_mtime_ns
    again.learn("web-1", {"clients": {}}, [])
    assert path.stat().st_mtime_ns == before


def written(tmp_path: Path) -> str:
    EventState(tmp_path / "state.json").learn(
        "web-1", {"clients": {"1": {"username": "acme"}}}, [{"panel": {}, "meta": {}}]
    )
    return (tmp_path / "state.json").read_text(encoding="utf-8")


DAMAGES: dict[str, Callable[[str], str]] = {
    "empty": lambda _text: "",
    "half": lambda text: text[: len(text) // 2],
    "no dictionary": lambda _text: "[]",
    "another version": lambda text: text.replace('"version": 1', '"version": 2'),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_an_error_and_left_alone(tmp_path: Path, damage: str) -> None:
    text = DAMAGES[damage](written(tmp_path))
    path = tmp_path / "state.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StateFailure, match="damaged, or written by something else"):
        EventState(path)
    assert path.read_text(encoding="utf-8") == text


def test_a_state_that_cannot_be_written_is_named_and_the_old_one_stays(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    state = EventState(folder / "state.json")
    folder.rmdir()
    with pytest.raises(StateFailure, match=r"state\.json.*What was there is as it was"):
        state.learn("web-1", {}, [{"panel": {}}])


def test_one_event_source_at_a_time_uses_a_file(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    with only_user(path), pytest.raises(StateFailure, match="is in use by another event source"), only_user(path):
        pass
    with only_user(path), only_user(None):
        pass
