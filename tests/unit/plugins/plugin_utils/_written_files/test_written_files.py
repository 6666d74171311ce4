"""A file that a run writes replaces none that another variable names, and none that the collection
has not written."""

from __future__ import annotations

import datetime
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleLookupError

from ansible_collections.hosting.panel.plugins.filter.panel_plan_markdown import panel_plan_markdown
from ansible_collections.hosting.panel.plugins.filter.panel_to_json import panel_to_json
from ansible_collections.hosting.panel.plugins.lookup.panel_file_conflicts import (
    DOCUMENTATION,
    LookupModule,
)
from ansible_collections.hosting.panel.plugins.module_utils._operation import locks
from ansible_collections.hosting.panel.plugins.module_utils._problems import format_message
from ansible_collections.hosting.panel.plugins.plugin_utils._report.build_report import build_report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.metrics import render_metrics
from ansible_collections.hosting.panel.plugins.plugin_utils._report.rendering import render_page
from ansible_collections.hosting.panel.plugins.plugin_utils._verify import verdicts
from ansible_collections.hosting.panel.plugins.plugin_utils._written_files.conflicts import (
    find_conflicts,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._written_files.forms import FORMS
from ansible_collections.hosting.panel.plugins.plugin_utils._written_files.named_file import (
    NamedFile,
    inspect_file,
)
from tests.support.given_options import GivenOptions
from tools.layout import ROOT

PAGE = NamedFile("page_file", "/srv/out.md", FORMS["plan"])
SUMMARY = NamedFile("summary_file", "/srv/summary", FORMS["summary"])
PASSWORDS = NamedFile("passwords_file", "/srv/pw.yml")
PANEL = NamedFile("panel_dir", "/srv/panel", is_directory=True)
BOTH = "page_file, passwords_file: both are one file, "
READ = "would be read as a file of panel_dir, /srv/panel; name a file elsewhere."


def list_messages(files: Sequence[NamedFile], written: Sequence[str] | None = None) -> list[str]:
    """Return the messages about the files that must not be written."""
    return [format_message(conflict) for conflict in find_conflicts(files, written)]


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        pytest.param(
            (PAGE._replace(path="/srv/pw.yml"), PASSWORDS),
            f"{BOTH}/srv/pw.yml; name a file for each.",
            id="missing file",
        ),
        pytest.param(
            (PAGE._replace(inode=(1, 7)), PASSWORDS._replace(inode=(1, 7))),
            f"{BOTH}/srv/out.md and /srv/pw.yml; name a file for each.",
            id="hard link",
        ),
        pytest.param(
            (
                PAGE._replace(path="/srv/pw/acme.yml"),
                PASSWORDS._replace(path="/srv/pw/{client}.yml"),
            ),
            f"{BOTH}/srv/pw/acme.yml and /srv/pw/{{client}}.yml; name a file for each.",
            id="file of passwords of some client",
        ),
        pytest.param(
            (PAGE, SUMMARY._replace(path="/srv/out.md")),
            "page_file, summary_file: both are one file, /srv/out.md; name a file for each.",
            id="two written files",
        ),
        pytest.param(
            (PANEL, PAGE._replace(path="/srv/panel/new.YML")),
            f"page_file: /srv/panel/new.YML {READ}",
            id="page in panel",
        ),
        pytest.param(
            (PASSWORDS._replace(path="/srv/panel/clients/acme.yml"), PANEL),
            f"passwords_file: /srv/panel/clients/acme.yml {READ}",
            id="passwords among clients",
        ),
        pytest.param(
            (PASSWORDS._replace(path="/srv/panel/panel.yml"), PANEL),
            f"passwords_file: /srv/panel/panel.yml {READ}",
            id="passwords in the file of the panel",
        ),
        pytest.param(
            (PAGE._replace(path="/srv/panel"), PANEL),
            "page_file, panel_dir: both are /srv/panel; name a file for the first, and a directory for the other.",
            id="file and directory",
        ),
    ],
)
def test_two_names_of_one_file_are_one_conflict(
    files: tuple[NamedFile, ...], sentence: str
) -> None:
    assert list_messages(files) == [sentence]
    assert list_messages(files, ["page_file", "passwords_file"]) == [sentence]
    assert list_messages(files, ["another_file"]) == []


@pytest.mark.parametrize(
    "files",
    [
        pytest.param((PAGE, SUMMARY, PASSWORDS, PANEL), id="all elsewhere"),
        pytest.param(
            (PASSWORDS._replace(path="/srv/panel/pw.yml"), PANEL), id="passwords in the directory"
        ),
        pytest.param(
            (PAGE._replace(path="/srv/panel/plan.md"), PANEL),
            id="page that is no YAML in the directory",
        ),
        pytest.param(
            (PAGE._replace(path="/srv/panel-2/a.yml"), PANEL), id="directory with a longer name"
        ),
        pytest.param(
            (
                PAGE._replace(path="/srv/pw/a/b.yml"),
                PASSWORDS._replace(path="/srv/pw/{client}.yml"),
            ),
            id="deeper",
        ),
        pytest.param((PAGE, PAGE), id="one variable twice"),
    ],
)
def test_files_of_their_own_are_no_conflict(files: tuple[NamedFile, ...]) -> None:
    assert list_messages(files) == []


def make_plan_page(**options: Any) -> str:
    """Return the page of a plan without changes."""
    plan = {
        "actions": [],
        "checksum": "0" * 64,
        "summary": dict.fromkeys(("create", "update", "delete", "unchanged"), 0),
    }
    return panel_plan_markdown({"plan": plan}, **options)


REPORT = build_report([], datetime.datetime(2026, 11, 29, tzinfo=datetime.UTC), "Panels")
REPORT_PAGE = render_page(REPORT)
METRICS = render_metrics(REPORT)
VERIFY = {"checks": [], "version": "", "described": None, "left": []}
# By form what the collection writes there, also what it has written.
OWN = {
    "plan": ("plan", make_plan_page(panel="panel.example")),
    "plan of a panel with ticks": ("plan", make_plan_page(panel="a`b")),
    "drift": ("plan", make_plan_page(panel="panel.example", drift=True)),
    "no plan": ("plan", panel_plan_markdown({"failed": True, "msg": "x"}, panel="panel.example")),
    "no comparison": (
        "plan",
        panel_plan_markdown({"failed": True, "msg": "x"}, panel="panel.example", drift=True),
    ),
    "earlier drift": ("plan", "# No drift of `panel`\n\nThe panel is as the folder says.\n"),
    "summary": ("summary", f"{'client':<24}acme\n"),
    "verify": ("verify_report", verdicts.make_report_page(**VERIFY)),
    "profile": ("verify_profile", verdicts.format_profile({"dates": "utc"}, "25.1")),
    "empty profile": ("verify_profile", verdicts.format_profile({}, "")),
    "earlier profile": (
        "verify_profile",
        "# What a panel does otherwise than panel_simulator by itself; written by hosting.panel.verify.\n{}\n",
    ),
    "page of a report": ("report_page", REPORT_PAGE),
    "data of a report": ("report_json", json.dumps(REPORT, indent=1)),
    "metrics of a report": ("report_metrics", METRICS),
    "empty file": ("plan", "\n"),
}
FOREIGN = {
    "passwords": ("plan", "$ANSIBLE_VAULT;1.1;AES256\n3162\n"),
    "plan of a person": ("plan", "# Plan for the summer\n\n- Rest\n"),
    "plan below other text": ("plan", "Notes\n# Plan for `panel.example`\n\n"),
    "inventory": ("verify_profile", "panels:\n  hosts: {}\n"),
    "comment": ("verify_profile", "# How a panel differs\n"),
    "page of a plan": ("verify_report", make_plan_page(panel="panel.example")),
    "profile": ("verify_report", verdicts.format_profile({}, "")),
    "alerts on the metrics": (
        "report_metrics",
        (ROOT / "extensions/monitoring/alerts.yml").read_text("utf-8"),
    ),
    "comment in metrics": (
        "report_metrics",
        "# Beside hosting_panel_report_timestamp_seconds.\nbackup_age 7\n",
    ),
    "metrics below others": ("report_metrics", f"backup_age 7\n{METRICS}"),
    "report in other data": ("report_json", json.dumps({"reports": [REPORT]}, indent=1)),
    "format of a report below": (
        "report_json",
        json.dumps({"at": "x", "report": {"format": "hosting.panel.report"}}),
    ),
    "page with a report in it": (
        "report_page",
        f"<!DOCTYPE html>\n<title>All</title>\n<template>{REPORT_PAGE}</template>",
    ),
    "generator in a body": (
        "report_page",
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<title>A</title>\n<meta name="generator" content="hosting.panel">\n',
    ),
    "page of a person": ("verify_report", "# What this panel does\n\nIt serves our shops.\n"),
    "client": ("summary", "client acme\n"),
    "bytes": ("summary", "\ufffd\ufffd"),
    "zones": (
        "hand_over_json",
        '{\n    "client": "acme",\n    "panel": "p",\n    "zones": {}\n}\n',
    ),
    "hand-over": (
        "zones_before",
        '{\n    "at": "x",\n    "client": "acme",\n    "credentials_file": ""\n}\n',
    ),
}


@pytest.mark.parametrize(("form", "text"), OWN.values(), ids=OWN)
def test_what_an_earlier_run_wrote_is_replaced(tmp_path: Path, form: str, text: str) -> None:
    path = tmp_path / "with a space.txt"
    path.write_text(text, encoding="utf-8")

    assert list_messages([inspect_file("file", path, FORMS[form])]) == []


@pytest.mark.parametrize(
    ("form", "text"), [form_and_text for form_and_text in OWN.values() if form_and_text[1].strip()]
)
@pytest.mark.parametrize("above", ["Notes\n", "\n", "---\n", "<!-- "])
def test_what_an_earlier_run_wrote_below_other_text_is_not_replaced(
    tmp_path: Path, form: str, text: str, above: str
) -> None:
    path = tmp_path / "page"
    path.write_text(above + text, encoding="utf-8")
    [problem] = list_messages([inspect_file("file", path, FORMS[form])])

    assert f"that file is no {FORMS[form].title}, so it is not replaced" in problem


@pytest.mark.parametrize(("form", "text"), FOREIGN.values(), ids=FOREIGN)
def test_what_the_collection_has_not_written_is_not_replaced(
    tmp_path: Path, form: str, text: str
) -> None:
    path = tmp_path / "with a space.txt"
    path.write_text(text, encoding="utf-8")
    problem = f"that file is no {FORMS[form].title}, so it is not replaced; name another one, or move it away."

    assert list_messages([inspect_file("file", path, FORMS[form])]) == [f"file: {path}: {problem}"]
    assert list_messages([inspect_file("file", path, FORMS[form])], []) == []


@pytest.fixture
def passwords_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of a file of passwords in the directory of the run, which is the home too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / "pw.yml"


@pytest.mark.parametrize("name", ["pw.yml", "~/pw.yml", "./link.yml", "$HOME/pw.yml"])
def test_a_file_is_found_by_its_relative_path_below_the_home_and_by_links(
    passwords_path: Path, name: str
) -> None:
    passwords_path.with_name("link.yml").symlink_to("pw.yml")
    passwords = inspect_file("passwords_file", passwords_path)

    assert list_messages([inspect_file("page_file", name, FORMS["plan"]), passwords]) == [
        f"{BOTH}{passwords_path}; name a file for each."
    ]


def test_a_file_is_found_by_a_hard_link(passwords_path: Path) -> None:
    passwords_path.touch()
    hard_link = passwords_path.with_name("hard.yml")
    os.link(passwords_path, hard_link)
    files = [
        inspect_file("page_file", "hard.yml", FORMS["plan"]),
        inspect_file("passwords_file", passwords_path),
    ]

    assert list_messages(files) == [
        f"{BOTH}{hard_link} and {passwords_path}; name a file for each."
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none/plan.md", "none does not exist; create it."),
        (".", "that is no regular file"),
        ("pipe", "no regular file"),
    ],
    ids=["directory is missing", "directory", "pipe"],
)
def test_a_place_where_no_file_can_be_put_is_named_at_once(
    tmp_path: Path, name: str, message: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    [problem] = list_messages([inspect_file("page_file", tmp_path / name, FORMS["plan"])])

    assert problem.startswith(f"page_file: {os.path.realpath(tmp_path / name)}: ")
    assert message in problem

    target = inspect_file(
        "page_file", tmp_path / "none" / "plan.md", FORMS["plan"], makes_directory=True
    )

    assert list_messages([target]) == []


ZONES = '{\n    "client": "acme",\n    "panel": "web-1.example",\n    "zones": {}\n}\n'
MARKED_ZONES = panel_to_json({"client": "acme", "panel": "[::1]:8443", "zones": {}})
HAND_OVER = '{\n    "at": "2026-11-29",\n    "client": "acme",\n    "credentials_file": "",\n    "zones": {}\n}\n'
STATE = panel_to_json({"format": "hosting.panel.content", "objects": {}, "version": 1})


@pytest.mark.parametrize(
    ("form", "text", "is_damaged"),
    [
        pytest.param("zones_before", ZONES, False, id="zones"),
        pytest.param("zones_before", MARKED_ZONES, False, id="zones of an address of IPv6"),
        pytest.param("zones_before", ZONES[:-4], True, id="zones cut off"),
        pytest.param(
            "zones_before",
            ZONES.replace("{}", '{"a": "\\ud8'),
            True,
            id="zones cut off in a character",
        ),
        pytest.param("zones_before", ZONES.replace("{}", '{}, "zones": 5'), True, id="no zones"),
        pytest.param("zones_before", "", True, id="empty zones"),
        pytest.param("zones_before", ZONES.replace("{}", "{" + "[" * 9000), True, id="deep zones"),
        pytest.param("hand_over_json", HAND_OVER, False, id="hand-over"),
        pytest.param("hand_over_json", HAND_OVER[:-9], True, id="hand-over cut off"),
        pytest.param("hand_over_json", " \n", False, id="empty hand-over"),
        pytest.param("copy_state", STATE, False, id="state"),
        pytest.param("copy_state", STATE[:-9], True, id="state cut off"),
        pytest.param("copy_state", "", True, id="empty state"),
        pytest.param(
            "report_json", '{"format": "hosting.panel.report"', False, id="what no run reads again"
        ),
    ],
)
def test_a_file_that_a_later_run_reads_is_whole(
    tmp_path: Path, form: str, text: str, is_damaged: bool
) -> None:
    path = tmp_path / "acme.json"
    path.write_text(text, encoding="utf-8")
    problem = f"that {FORMS[form].title} is damaged or cut off; {FORMS[form].remedy}."
    expected = [f"move_dir: {path}: {problem}"] if is_damaged else []

    assert list_messages([inspect_file("move_dir", path, FORMS[form])]) == expected


@pytest.mark.parametrize(
    ("form", "text"),
    [("copy_state", STATE), ("zones_before", ZONES), ("hand_over_json", HAND_OVER)],
)
def test_a_file_that_another_tool_has_laid_out_anew_is_known(
    tmp_path: Path, form: str, text: str
) -> None:
    path = tmp_path / "acme.json"
    values = json.loads(text)
    backwards = dict(reversed(values.items()))
    for layout in (json.dumps(values), json.dumps(backwards), json.dumps(backwards, indent=2)):
        path.write_text(f"\n{layout}", encoding="utf-8")

        assert list_messages([inspect_file("move_dir", path, FORMS[form])]) == []


def test_a_state_is_known_by_its_format_whatever_comes_before_it(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"about": {"a": [1]}, **json.loads(STATE)}), encoding="utf-8")
    assert list_messages([inspect_file("move_dir", path, FORMS["copy_state"])]) == []

    path.write_text(json.dumps({"about": json.loads(STATE)}), encoding="utf-8")
    [problem] = list_messages([inspect_file("move_dir", path, FORMS["copy_state"])])
    assert "that file is no state of a copy, so it is not replaced" in problem


@pytest.mark.parametrize(
    ("form", "is_damaged"), [("copy_state", True), ("zones_before", True), ("copy_page", False)]
)
def test_a_link_that_leads_nowhere_is_no_missing_file_where_nothing_replaces_it(
    tmp_path: Path, form: str, is_damaged: bool
) -> None:
    link = tmp_path / "state.json"
    link.symlink_to(tmp_path / "not mounted")

    assert bool(list_messages([inspect_file("move_dir", link, FORMS[form])])) == is_damaged


def test_a_file_that_is_no_text_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "acme.json"
    path.write_bytes(ZONES.encode() + b"\xff")
    [problem] = list_messages([inspect_file("move_dir", path, FORMS["zones_before"])])

    assert "is damaged or cut off" in problem


@pytest.mark.parametrize("form", FORMS)
def test_a_missing_file_can_be_written(tmp_path: Path, form: str) -> None:
    assert list_messages([inspect_file("move_dir", tmp_path / "new", FORMS[form])]) == []


# The lookup.


class Lookup(GivenOptions, LookupModule):
    """The lookup with options that Ansible has read already."""


def look_up(*files: Any, variables: Any = None, **options: Any) -> list[str]:
    """Return what the lookup finds for some files."""
    return Lookup().run(list(files), variables or {}, **options)


def test_the_lookup_passes_over_what_is_not_set(tmp_path: Path) -> None:
    page = {"variable": "page_file", "path": f"{tmp_path}/pw.yml", "form": "plan"}
    unset = [
        {"variable": f"file_{number}", "path": path} for number, path in enumerate((None, "", " "))
    ]
    passwords = {"variable": "passwords_file", "path": f"{tmp_path}/pw.yml"}

    assert look_up(page, *unset) == []
    assert look_up(page, *unset, passwords) == [f"{BOTH}{tmp_path}/pw.yml; name a file for each."]
    assert look_up(page, passwords, written=[]) == []


@pytest.mark.parametrize("value", ["no", "false", 0, "", None])
def test_the_lookup_reads_the_texts_of_a_switch(tmp_path: Path, value: Any) -> None:
    passwords = {
        "variable": "passwords_file",
        "path": f"{tmp_path}/pw/panel.yml",
        "is_directory": value,
    }
    page = {"variable": "page_file", "path": f"{tmp_path}/pw/panel.yml/plan.md", "form": "plan"}
    [problem] = look_up(page, passwords)

    assert problem.startswith("page_file: ")
    assert "does not exist; create it." in problem


@pytest.mark.parametrize("host", ["web-1", "web-2"])
@pytest.mark.parametrize(
    "inner", ["panels/web-1/web-2", "panels/web-1/clients", "panels/web-1/web-2/web-1/web-2"]
)
def test_no_directory_of_a_host_lies_in_that_of_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inner: str, host: str
) -> None:
    """Look at both hosts, whose names the paths have."""
    monkeypatch.chdir(tmp_path)
    paths = {"web-1": "panels/web-1", "web-2": inner, "web-3": "panels/web-10", "web-4": ""}
    hostvars = {name: {"panel_dir": path} for name, path in paths.items()}
    directory = {"variable": "panel_dir", "path": paths[host], "is_directory": True}

    problems = look_up(
        directory,
        variables={"inventory_hostname": host, "hostvars": hostvars},
        written=["panel_dir"],
        hosts=list(paths),
    )
    places = f"{tmp_path}/{inner} of web-2 lies in {tmp_path}/panels/web-1 of web-1"

    assert problems == [f"panel_dir: {places}. Name directories that do not lie in one another."]


# By host its variables; what the play says itself is in no host's variables.
FLEETS: dict[str, tuple[dict[str, str], dict[str, str], str, list[str]]] = {
    "a name that begins as another": (
        {"eu": "panels/eu.example", "eu.example": "panels/eu.example"},
        {},
        "eu",
        ["panel_dir"],
    ),
    "two names in one path": ({"a": "/x/a/b", "b": "/x/a/b"}, {}, "a", ["panel_dir"]),
    "another spelling": (
        {"a": "panels/same", "b": "./panels/../panels/same"},
        {},
        "a",
        ["panel_dir"],
    ),
    "below the home": ({"a": "~/same", "b": "HOME/same"}, {}, "a", ["panel_dir"]),
    "a variable of the environment": (
        {"a": "$HOME/same", "b": "HOME/same"},
        {},
        "a",
        ["panel_dir"],
    ),
    "a variable of the play": ({}, {"a": "same", "b": "same"}, "b", ["panel_dir"]),
    "a variable of the play with another name": (
        {},
        {"eu": "p/eu.example", "eu.example": "p/eu.example"},
        "eu",
        ["panel_dir"],
    ),
    "files of their own": ({"a": "one", "b": "two"}, {}, "a", []),
    "a template of the play": ({}, {"eu": "p/eu", "eu.example": "p/eu.example"}, "eu.example", []),
    "another host without one": ({"a": "one", "b": ""}, {}, "a", []),
}


@pytest.mark.parametrize(("inventory", "play", "host", "names"), FLEETS.values(), ids=FLEETS)
def test_no_two_hosts_write_one_directory(
    inventory: dict[str, str],
    play: dict[str, str],
    host: str,
    names: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    inventory = {
        name: path.replace("HOME", str(tmp_path)) if "$" not in path else path
        for name, path in inventory.items()
    }
    hosts = sorted({**inventory, **play})
    hostvars = {name: {"panel_dir": inventory[name]} if name in inventory else {} for name in hosts}
    directory = {"variable": "panel_dir", "path": {**inventory, **play}[host], "is_directory": True}

    conflicts = look_up(
        directory,
        written=["panel_dir"],
        hosts=hosts,
        variables={"inventory_hostname": host, "hostvars": hostvars},
    )

    assert conflicts == [
        f"{name}: several panels have the same. Put inventory_hostname into its name."
        for name in names
    ]


def test_the_page_of_a_host_is_not_written_where_another_keeps_its_passwords(
    tmp_path: Path,
) -> None:
    hostvars = {
        "a": {"page_file": f"{tmp_path}/pw.yml"},
        "b": {"passwords_file": f"{tmp_path}/pw.yml"},
    }
    page = {"variable": "page_file", "path": f"{tmp_path}/pw.yml", "form": "plan"}
    options = {
        "written": ["page_file"],
        "hosts": ["a", "b"],
        "variables": {"inventory_hostname": "a", "hostvars": hostvars},
    }
    [conflict] = look_up(page, {"variable": "passwords_file", "path": ""}, **options)

    assert (
        conflict
        == f"page_file, passwords_file of another host: both are one file, {tmp_path}/pw.yml; name a file for each."
    )


class BrokenVariables(dict[str, Any]):
    """The variables of a host, each of which has a template that divides by zero."""

    def get(self, name: str, default: Any = None) -> Any:
        """Raise what some releases of ansible-core raise for such a template."""
        raise ZeroDivisionError(name, default)


@pytest.mark.parametrize(
    "variables",
    [BrokenVariables(), {"panel_dir": "a\0b"}, {"panel_dir": "a\ud800b"}, {"panel_dir": ["a"]}],
    ids=["template in error", "NUL character", "half of a character", "no text"],
)
def test_a_host_whose_variables_are_in_error_is_no_conflict_of_another_one(
    tmp_path: Path, variables: Any
) -> None:
    hostvars = {"good": {"panel_dir": str(tmp_path)}, "bad": variables}
    directory = {"variable": "panel_dir", "path": str(tmp_path), "is_directory": True}

    problems = look_up(
        directory,
        variables={"inventory_hostname": "good", "hostvars": hostvars},
        written=["panel_dir"],
        hosts=["good", "bad"],
    )

    assert problems == []


def test_the_page_of_the_lookup_names_each_form() -> None:
    description = yaml.safe_load(DOCUMENTATION)["options"]["_terms"]["description"]
    (forms,) = [text for text in description if text.startswith("C(form)")]

    assert re.findall(r"V\((\w+)\)", forms) == list(FORMS)


SWITCH = {"variable": "a", "path": "plan.md", "is_directory": "maybe"}


@pytest.mark.parametrize(
    "term",
    [
        "plan.md",
        {"path": "plan.md"},
        {"variable": "a", "file": "plan.md"},
        {"variable": "a", "form": "leaf"},
        SWITCH,
    ],
    ids=["text", "without a name", "unknown field", "unknown form", "no switch"],
)
def test_the_lookup_refuses_what_describes_no_file(term: Any) -> None:
    with pytest.raises(AnsibleLookupError, match="panel_file_conflicts: "):
        look_up(term)


def test_the_lookup_only_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Where a run marks what it uses.
    monkeypatch.setattr(locks, "_TEMPORARY", str(tmp_path))
    form = {"variable": "dir", "path": str(tmp_path / "state.json"), "form": "copy_state"}

    assert look_up(form) == []
    assert list(tmp_path.iterdir()) == []
