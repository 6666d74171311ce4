# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of a report: where the panels come from, and all mistakes at once."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import connection_argument_spec
from ansible_collections.hosting.panel.plugins.plugin_utils._report.report_options import (
    ARGUMENT_SPEC,
    Options,
    WrongOptions,
    panels_of_hosts,
    read_options,
)
from tools.layout import ROOT

CLOCK = datetime.datetime(2026, 11, 20, 6, 0, tzinfo=datetime.UTC)
KEY = "k1234567.secret-key-of-a-test"


def options(tmp_path: Path, environment: dict[str, str] | None = None, **given: Any) -> Options:
    return read_options({"file": str(tmp_path / "r.html"), **given}, environment or {}, CLOCK)


def panel(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "api_url": f"https://{name}.example", "api_key": KEY, **more}


def test_a_panel_has_its_own_options_then_those_of_the_task_then_those_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PANEL_TIMEOUT", "3")
    panels = [panel("one", timeout=1), {"api_url": "two.example:8443"}]
    found = options(tmp_path, panels=panels, retry_time=2, api_key="of-the-task").panels
    assert [(one.name, one.address, one.connection.api_key) for one in found] == [
        ("one", "one.example", KEY),
        ("two.example:8443", "two.example:8443", "of-the-task"),
    ]
    assert [(one.connection.timeout, one.connection.retry_time, one.connection.verify) for one in found] == [
        (1, 2, True),
        (3, 2, True),
    ]


def test_each_of_several_panels_needs_an_address_and_a_key_that_are_not_those_of_the_environment(
    tmp_path: Path,
) -> None:
    environment = {"PANEL_API_URL": "https://one.example", "PANEL_API_KEY": "of-the-environment"}
    with pytest.raises(WrongOptions) as raised:
        options(
            tmp_path,
            environment,
            panels=[panel("one"), {"api_url": "https://two.example"}, {"name": "three", "api_key": KEY}],
        )
    assert str(raised.value) == (
        "panels[1].api_key: missing for two.example. Each of several panels needs a key of its own; PANEL_API_KEY counts where one panel "
        "alone is named. panels[2].api_url: missing for three. Each of several panels needs an address of its own; PANEL_API_URL counts "
        "where one panel alone is named."
    )
    alone = options(tmp_path, environment, panels=[{"name": "one"}]).panels
    assert [(one.address, one.connection.api_key) for one in alone] == [("one.example", "of-the-environment")]


def test_without_panels_it_is_the_one_of_the_task(tmp_path: Path) -> None:
    found = options(tmp_path, api_url="https://panel.example", api_key=KEY)
    assert [one.name for one in found.panels] == ["panel.example"]
    assert found.now == CLOCK


def test_hosts_are_panels_where_they_have_an_address() -> None:
    variables: dict[str, Any] = {
        "one": {"panel_api_url": "https://one.example", "panel_api_key": KEY, "panel_dir": "exports/one", "other": 5},
        "two": {"panel_api_url": "https://two.example", "panel_disk_space": "2T", "panel_timeout": None},
        "localhost": {},
    }
    with pytest.raises(WrongOptions, match=r"panel_api_key: missing for two\. "):
        panels_of_hosts(["one", "two"], variables)
    assert panels_of_hosts(["one", "two"], variables, has_key=True) == [
        {"name": "one", "api_url": "https://one.example", "api_key": KEY, "export_dir": "exports/one"},
        {"name": "two", "api_url": "https://two.example", "disk_space": "2T"},
    ]
    assert panels_of_hosts(["localhost"], variables) is None
    with pytest.raises(WrongOptions, match="panel_api_url: missing for localhost; other hosts of the play have it"):
        panels_of_hosts(["one", "localhost"], variables)


@pytest.mark.parametrize("number", ["inf", "nan", "abc"])
def test_a_number_of_the_environment_that_is_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    monkeypatch.setenv("PANEL_RETRY_TIME", number)
    with pytest.raises(WrongOptions, match=r"retry_time.*PANEL_RETRY_TIME in the environment"):
        options(tmp_path, panels=[panel("one")])


def test_exports_are_in_a_folder_of_the_panels_name(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "a%2Fb").mkdir()
    several = [panel("one"), panel("two"), panel("three", export_dir="elsewhere"), {**panel("four"), "name": "a/b"}]
    found = options(tmp_path, export_dir=str(tmp_path), panels=several).panels
    assert [one.export for one in found] == [tmp_path / "one", None, Path("elsewhere"), tmp_path / "a%2Fb"]
    alone = options(tmp_path, export_dir=str(tmp_path), panels=[panel("two")]).panels
    assert [one.export for one in alone] == [tmp_path]


def test_every_mistake_is_named_at_once_and_no_secret(tmp_path: Path) -> None:
    with pytest.raises(WrongOptions) as raised:
        options(
            tmp_path,
            panels=[
                panel("one"),
                {**panel("two"), "name": "one"},
                {**panel("three"), "api_url": "http://three.example"},
                {**panel("four"), "api_url": "https://one.example/api/v2"},
                {"name": "five", "api_url": "https://five.example"},
                panel("six", disk_space="2 TB"),
            ],
            near_percent=101,
            urgent_days=40,
            months=25,
            concurrency=0,
            mode="rw",
            time="noon",
            export_dir=str(tmp_path / "none"),
            json_file=str(tmp_path / "r.html"),
            metrics_file=str(tmp_path / "r.html"),
        )
    text = str(raised.value)
    assert KEY not in text
    for words in (
        "panels[1].name: one is the name of another panel",
        "panels[2].api_url: plain http would show the API key",
        "panels[3].api_url: is that of one, too",
        "panels[4].api_key: missing",
        "panels[5].disk_space: '2 TB' is not accepted",
        "near_percent: 101 is not accepted",
        "urgent_days: is more than soon_days",
        "months: 25 is not accepted",
        "concurrency: 0 is not accepted",
        "mode: 'rw' is not accepted",
        "time: 'noon' is no time",
        "export_dir: there is no folder",
        "json_file: is the same as file",
        "metrics_file: is the same as file",
    ):
        assert words in text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"panels": []}, "panels: is empty"),
        ({"panels": [panel("one", colour="red")]}, "colour"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_other_mistakes_are_named_too(tmp_path: Path, given: dict[str, Any], words: str) -> None:
    with pytest.raises(WrongOptions, match=words):
        options(tmp_path, **given)


def test_the_role_has_the_options_of_the_action_with_the_same_defaults() -> None:
    role = ROOT / "roles" / "report"
    described = yaml.safe_load((role / "meta" / "argument_specs.yml").read_text(encoding="utf-8"))
    defaults = yaml.safe_load((role / "defaults" / "main.yml").read_text(encoding="utf-8"))
    variables = described["argument_specs"]["main"]["options"]
    for variable, spec in variables.items():
        option = ARGUMENT_SPEC[variable.removeprefix("report_")]
        assert (variable, spec["type"], spec.get("default")) == (variable, option["type"], option.get("default"))
        assert defaults.get(variable) == spec.get("default")
    # The rest of the connection comes from module_defaults; the hosts the role fills in.
    named = {variable.removeprefix("report_") for variable in variables}
    assert ARGUMENT_SPEC.keys() - named - connection_argument_spec().keys() == {"hosts"}
    assert variables["report_panels"]["options"].keys() == ARGUMENT_SPEC["panels"]["options"].keys()


def test_the_resolver_is_the_address_of_a_name_server(tmp_path: Path) -> None:
    found = options(tmp_path, panels=[panel("one")], resolver="192.0.2.53")
    assert found.resolver is not None and found.mail_dns
    assert options(tmp_path, panels=[panel("one")], mail_dns=False).resolver is None
    with pytest.raises(
        WrongOptions, match=r"resolver: 'ns1\.example' is not accepted; it must be the address of a name server"
    ):
        options(tmp_path, panels=[panel("one")], resolver="ns1.example")
