"""What holds for every file of the repository."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._http.request_library import USER_AGENT
from tests.meta.modules import list_tracked_files, read_documentation
from tools.layout import ROOT

TEXTS = [
    path
    for path in list_tracked_files()
    if path.suffix in (".py", ".yml", ".yaml", ".md", ".toml", ".in", ".cfg", ".sh")
]


# What a line of comment looks like in a program, a template or a style sheet of the archive. The licence of
# pages and of YAML is in REUSE.toml, which is in the archive too.
# In two parts, so that `reuse lint` does not read it as the licence of this file.
LICENCE = "SPDX-License-" + "Identifier: GPL-3.0-or-later"
LICENCE_LINES = {
    ".css": f"/* {LICENCE} */",
    ".j2": f"{{# {LICENCE} #}}",
    ".js": f"// {LICENCE}",
    ".py": f"# {LICENCE}",
    ".sh": f"# {LICENCE}",
    ".sql": f"-- {LICENCE}",
}
FOLDERS_OF_PROGRAMS = ("extensions", "playbooks", "plugins", "roles")
# Without a comment, or with its licence in REUSE.toml.
OTHER_SUFFIXES = {"", ".cfg", ".in", ".json", ".md", ".toml", ".yml"}


def _name(path: Path) -> str:
    """Return the path of a file in the repository."""
    return path.relative_to(ROOT).as_posix()


def test_every_program_of_the_archive_names_its_licence_in_its_first_lines() -> None:
    unnamed = []
    for path in list_tracked_files():
        is_program = _name(path).startswith(FOLDERS_OF_PROGRAMS)
        if not is_program or path.suffix in OTHER_SUFFIXES:
            continue
        first_lines = path.read_text(encoding="utf-8").splitlines()[:5]
        if LICENCE_LINES.get(path.suffix) not in first_lines:
            unnamed.append(_name(path))

    assert unnamed == []


def test_no_file_names_a_folder_of_a_machine() -> None:
    # Written so that this file does not find itself.
    folders = re.compile("/" + r"(?:root|work)/[a-z.]")
    offenders = [_name(path) for path in TEXTS if folders.search(path.read_text(encoding="utf-8"))]

    assert offenders == []


# In a template, `counts.update` is the method of the dictionary, also where it has such a key.
METHODS_OF_DICTIONARIES = "|".join(name for name in dir(dict) if not name.startswith("_"))
UNCALLED_METHOD = re.compile(
    rf"[\w\])](?<!ansible\.builtin)\.(?:{METHODS_OF_DICTIONARIES})\b(?!\()"
)


def test_no_template_shows_a_method_of_a_dictionary_in_place_of_a_value() -> None:
    lines = [
        f"{_name(path)}:{number}: {line.strip()}"
        for path in list_tracked_files()
        if path.suffix in (".yml", ".j2") and _name(path).startswith(FOLDERS_OF_PROGRAMS)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if UNCALLED_METHOD.search(line)
    ]

    assert lines == []


@pytest.mark.parametrize(
    "folders",
    [("unit",), ("integration", "docs", "tools", "reliability")],
    ids=["unit tests", "tests in other folders"],
)
def test_no_two_files_of_tests_that_are_run_together_have_one_name(
    folders: tuple[str, ...],
) -> None:
    # Outside of packages, pytest tells them apart by their names alone.
    paths = [path for folder in folders for path in (ROOT / "tests" / folder).rglob("test_*.py")]
    names = Counter(path.name for path in paths)

    assert [name for name, count in names.items() if count > 1] == []


PLAYBOOKS = sorted(
    [*(ROOT / "playbooks").glob("*.yml"), *(ROOT / "extensions" / "awx" / "project").glob("*.yml")]
)


@pytest.mark.parametrize("path", PLAYBOOKS, ids=_name)
def test_a_playbook_takes_every_option_of_the_connection_from_a_variable(path: Path) -> None:
    shared = yaml.safe_load((ROOT / "playbooks" / "vars" / "panel.yml").read_text(encoding="utf-8"))

    for play in yaml.safe_load(path.read_text(encoding="utf-8")):
        connection = play.get("module_defaults", {}).get("group/hosting.panel.panel", {})
        source = "panel_"
        if connection == "{{ __panel_connection }}":
            assert "vars/panel.yml" in play["vars_files"]
            connection = shared["__panel_connection"]
            source = "__panel.panel_"
        if connection == "{{ __panels_connection }}":
            assert "vars/panels.yml" in play["vars_files"]
            of_awx = path.parent / "vars" / "panels.yml"
            connection = yaml.safe_load(of_awx.read_text(encoding="utf-8"))["__panels_connection"]
            source = "__panels.panel_"
        if "panel_api_url" in str(connection):
            names = read_documentation("panel_ping")["options"]
            expected = {name: f"{{{{ {source}{name} | default(omit) }}}}" for name in names}
            # From a table of its own, so that no other variable evaluates it again.
            table = "__panel_key_given" if source == "__panel.panel_" else "__panels_secrets_given"
            expected["api_key"] = f"{{{{ {table}.settings.panel_api_key | default(omit) }}}}"
            assert connection == expected


def _find_connections(value: Any) -> Iterator[dict[str, str]]:
    """Yield the connections that are written out anywhere in a playbook."""
    if isinstance(value, dict) and "api_url" in value and "api_key" in value:
        yield value
    children = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list)):
        for child in children:
            yield from _find_connections(child)


def test_a_connection_from_the_variables_of_a_host_has_every_option() -> None:
    names = read_documentation("panel_ping")["options"]
    connections = [
        (path.name, connection)
        for path in PLAYBOOKS
        for connection in _find_connections(yaml.safe_load(path.read_text(encoding="utf-8")))
        if "hostvars[" in connection["api_url"]
    ]

    assert len(connections) == 2

    for playbook, connection in connections:
        assert connection.keys() == names.keys(), playbook
        assert [name for name in names if f".panel_{name} " not in connection[name]] == []


HOSTS_TEXT = re.compile(
    r"\{\{ query\('ansible.builtin.inventory_hostnames', .*?or 'localhost' \}\}", re.DOTALL
)
ON_PANELS = [
    path
    for path in PLAYBOOKS
    if path.parent == ROOT / "playbooks" and HOSTS_TEXT.search(path.read_text("utf-8"))
]


def test_all_playbooks_on_panels_choose_their_hosts_in_one_way() -> None:
    # A play's hosts are read before its files of variables, so the expression cannot stand in one
    # of these.
    texts = {
        HOSTS_TEXT.findall(path.read_text("utf-8"))[0].replace("onboard_hosts", "panel_hosts")
        for path in ON_PANELS
    }

    assert len(ON_PANELS) == 11 and len(texts) == 1

    pattern = yaml.safe_load((ROOT / "playbooks" / "vars" / "panel.yml").read_text("utf-8"))[
        "__panel_pattern"
    ]
    blanks = re.compile(r"select\('search', '([^']+)'\)")

    assert set(blanks.findall(pattern)) == set(blanks.findall(texts.pop())) != set()


AWX_PROJECT = ROOT / "extensions" / "awx" / "project"
AWX_TASKS = sorted([*AWX_PROJECT.glob("*.yml"), *(AWX_PROJECT / "tasks").glob("*.yml")])
# Their texts are for people, or are lists of names.
NAMES_IN_MESSAGES = {
    f"__{role}_typed_names" for role in ("move", "offboard", "rotate", "site", "sites", "suspend")
}
NO_EXPRESSIONS = {"name", "msg", "fail_msg", "__panels_required", *NAMES_IN_MESSAGES}


def _find_expressions(value: Any) -> Iterator[str]:
    """Yield the texts of tasks that Ansible evaluates."""
    if isinstance(value, str):
        yield value
    children: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, list):
        children = enumerate(value)

    for name, child in children:
        if name not in NO_EXPRESSIONS:
            yield from _find_expressions(child)


@pytest.mark.parametrize("path", AWX_TASKS, ids=_name)
def test_a_job_of_awx_reads_its_variables_by_the_one_rule_for_what_counts_as_given(
    path: Path,
) -> None:
    tables = yaml.safe_load((AWX_PROJECT / "vars" / "panels.yml").read_text(encoding="utf-8"))
    variables = [*tables["__panels_variables"], *tables["__panels_secret_variables"]]
    names = "|".join(name for name in variables if name.startswith("panels_"))

    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    raw = [
        text for text in _find_expressions(content) if re.search(rf"(?<![\w.])({names})\b", text)
    ]

    assert raw == []


def test_what_is_written_from_the_tables_is_up_to_date() -> None:
    command = [sys.executable, "-m", "tools.generated", "--check"]
    check = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )

    assert check.returncode == 0, check.stdout + check.stderr


def test_requests_name_the_version_of_the_collection() -> None:
    galaxy = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))

    assert USER_AGENT.startswith(f"hosting.panel/{galaxy['version']} ")


def test_pages_and_jobs_install_the_releases_of_ansible_that_the_practice_fleet_takes() -> None:
    demo = (ROOT / "requirements" / "demo.in").read_text(encoding="utf-8")
    (supported,) = re.findall(r"^ansible-core.*", demo, re.MULTILINE)
    pages = [*ROOT.glob("docs/*.md"), *ROOT.glob("extensions/ci/*.yml")]
    installed = {
        page.name: requirement
        for page in pages
        for requirement in re.findall(
            r"pip install .*?[\s'](ansible-core[^\s']*)", page.read_text(encoding="utf-8")
        )
    }

    assert installed == dict.fromkeys(
        ("events.md", "getting_started.md", "github.yml", "gitlab.yml"), supported
    )


TASK_FILES = sorted(
    [*(ROOT / "roles").glob("*/tasks/*.yml"), *(ROOT / "playbooks" / "tasks").glob("*.yml")]
)


def list_tasks(tasks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield tasks and those in their blocks."""
    for task in tasks:
        yield task
        for name in ("block", "rescue", "always"):
            yield from list_tasks(task.get(name, []))


# From ansible-core 2.21 on, an item without ansible_connection takes the connection of the one
# before: where that is local, the task runs on the wrong host.
@pytest.mark.parametrize("path", TASK_FILES, ids=_name)
def test_all_items_of_a_loop_run_on_one_host(path: Path) -> None:
    for task in list_tasks(yaml.safe_load(path.read_text(encoding="utf-8")) or []):
        variable = task.get("loop_control", {}).get("loop_var", "item")
        hosts = str(task.get("delegate_to", ""))
        assert "loop" not in task or not re.search(rf"\b{variable}\b", hosts), task["name"]


# Ansible ends the play for a host that is gone, and takes no section "always" for it.
def test_a_target_that_is_gone_does_not_end_a_copy_before_its_key_is_removed_from_the_source() -> (
    None
):
    copying = {}
    for kind in ("tree", "mailbox", "database"):
        path = ROOT / "roles" / "content" / "tasks" / f"{kind}.yml"
        for task in yaml.safe_load(path.read_text(encoding="utf-8")):
            modules = [name for name in str(task).split("'") if name.endswith("_sync")]
            if modules:
                copying[kind] = task.get("ignore_unreachable")
    assert copying == {"tree": True, "mailbox": True, "database": True}


def test_tests_of_content_that_run_together_have_different_names() -> None:
    folders = ("tests/content", "tests/unit/plugins/module_utils/_content")
    names = [path.name for folder in folders for path in (ROOT / folder).rglob("test_*.py")]

    assert sorted(names) == sorted(set(names))
