# SPDX-License-Identifier: GPL-3.0-or-later
"""What a role or playbook hands on to a module is called in messages by the variable that the
operator wrote."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from jinja2.nativetypes import NativeEnvironment

from ansible_collections.hosting.panel.plugins.plugin_utils._run.in_process import load_operation
from tests.support.in_memory import ACTIONS, InMemory
from tools.layout import ROOT

PLAYBOOKS = ROOT / "playbooks"
ROLES = ROOT / "roles"
COLLECTION = "hosting.panel."
RESOURCES_DEFAULTS = f"{COLLECTION}panel_resources"
CONNECTION_DEFAULTS = f"group/{COLLECTION}panel"
# How a template reads a variable that the lookup panel_variables has read.
VARIABLE = re.compile(r"\b__(?:panel|\w+_settings)\.(\w+(?:\.(?:api_url|username))?)")
PRIVATE = re.compile(r"\b__\w+\b(?!\.)")
# What a role works out itself; the variables only decide whether it does.
DERIVED = {
    ("panel_resources", "expected_checksum"),
    ("panel_resources", "resources"),
    ("panel_dns", "records"),
}


# Modules of Ansible's own form: the role content says which object failed, and keeps their words.
OF_CONTENT = {"panel_content_info", "panel_database_sync", "panel_files_sync", "panel_mailbox_sync"}


class HandedOn(NamedTuple):
    """An option of a task that a variable sets, and what messages of the task call its options."""

    where: str
    module: str
    option: str
    variable: str
    names: Mapping[str, str]


def read(path: Path) -> Any:
    """Return the content of a file in YAML."""
    return yaml.safe_load(path.read_text(encoding="utf-8")) or []


class OwnNames(dict[str, str]):
    """Calls each variable of a role as it is called where no job says what a person typed."""

    def __missing__(self, variable: str) -> str:
        """Return the name of the variable itself."""
        return variable


def combine_tables(*tables: Mapping[str, str]) -> dict[str, str]:
    """Return one table of several, as Ansible's filter of this name does."""
    combined: dict[str, str] = {}
    for table in tables:
        combined.update(table)
    return combined


def make_environment() -> NativeEnvironment:
    """Return what renders the templates of the tables of names."""
    environment = NativeEnvironment()
    environment.filters["combine"] = combine_tables
    return environment


def select_tables(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the variables that say what messages call options, as they are written."""
    endings = ("_names", "_names_of_panels")
    return {name: table for name, table in variables.items() if name.endswith(endings)}


def has_templates(table: Mapping[str, Any]) -> bool:
    """Return whether names in a table are templates."""
    return any(isinstance(text, str) and "{{" in text for text in table.values())


def render_tables(variables: Mapping[str, Any]) -> dict[str, Mapping[str, str]]:
    """Return the tables of names, as for a run that sets none of the panel's variables."""
    environment = make_environment()
    tables = select_tables(variables)
    # In the order of the file: a table may be made of the tables before it.
    for name, table in tables.items():
        if isinstance(table, str):
            tables[name] = OwnNames()
        elif has_templates(table):
            context = {**tables, "__panel": {}}
            tables[name] = {
                key: environment.from_string(text).render(context) for key, text in table.items()
            }
    return tables


def render_names(value: Any, variables: Mapping[str, Any]) -> dict[str, str]:
    """Return a table of names, which may be a template of the tables among the variables."""
    if not isinstance(value, str):
        return dict(value or {})

    item = {"panel": "source"} if "item." in value else "source"
    context = {**render_tables(variables), "item": item}
    return dict(make_environment().from_string(value).render(context))


def get_variable(value: Any, variables: Mapping[str, Any]) -> str:
    """The only variable that a template reads, also by a private one.

    Empty if there are several or none.
    """
    text = str(value)
    for _depth in range(2):
        text = PRIVATE.sub(lambda match: str(variables.get(match[0], match[0])), text)
    names = set(VARIABLE.findall(text))

    return names.pop() if len(names) == 1 and text.lstrip().startswith("{{") else ""


def list_tasks(
    tasks: list[Any], inherited: Mapping[str, Any]
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each task with the keywords ``vars`` and ``module_defaults`` that count for it."""
    for task in tasks:
        inherited_here = {
            "vars": {**inherited.get("vars", {}), **task.get("vars", {})},
            "module_defaults": {
                **inherited.get("module_defaults", {}),
                **task.get("module_defaults", {}),
            },
        }
        yield task, inherited_here
        for section in ("block", "rescue", "always", "tasks", "post_tasks", "handlers"):
            yield from list_tasks(task.get(section, []), inherited_here)


def find_included_file(path: Path, task: Mapping[str, Any]) -> Path | None:
    """Return the file beside this one that a task includes by its name."""
    included = str(task.get("ansible.builtin.include_tasks", ""))
    if not included.endswith(".yml") or "{{" in included:
        return None

    beside = path.parent / included
    return beside if beside.is_file() and beside != path else None


def is_of_collection(key: str) -> bool:
    """Whether a keyword of a task is a module of the collection."""
    return key.startswith(COLLECTION)


def list_passed_options(
    key: str, options: Any, context: Mapping[str, Any], variables: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the options of a task with those that its ``module_defaults`` bring."""
    passed = dict(options or {})
    for defaults in (RESOURCES_DEFAULTS, CONNECTION_DEFAULTS):
        source = context["module_defaults"].get(defaults, "")
        if defaults in (key, CONNECTION_DEFAULTS) and source:
            passed = {**variables.get(str(source).strip("{} "), {}), **passed}
    return passed


def is_derived(module: str, option: str, variable: str) -> bool:
    """Whether a role works the option out itself."""
    role = variable.partition("_")[0]
    return (module, option) in DERIVED and role in ("certificate", "offboard", "site", "sites")


def list_handed_on(
    path: Path, tasks: list[Any], inherited: Mapping[str, Any], variables: Mapping[str, Any]
) -> Iterator[HandedOn]:
    """Yield what the tasks of a file, and of the files that they include, hand on."""
    for task, context in list_tasks(tasks, inherited):
        beside = find_included_file(path, task)
        if beside is not None:
            yield from list_handed_on(beside, read(beside), context, variables)

        names = render_names(context["vars"].get("__panel_option_names", {}), variables)
        names = {**variables.get("__panel_connection_names", {}), **names}
        where = f"{path.relative_to(ROOT)}: {task.get('name')}"

        for key in filter(is_of_collection, task):
            module = key.removeprefix(COLLECTION)
            for option, value in list_passed_options(key, task[key], context, variables).items():
                variable = get_variable(value, variables)
                if module in OF_CONTENT:
                    continue
                if variable not in ("", option) and not is_derived(module, option, variable):
                    yield HandedOn(where, module, option, variable, names)


def list_all_handed_on() -> Iterator[HandedOn]:
    """Yield what the playbooks and the roles hand on."""
    shared = read(PLAYBOOKS / "vars" / "panel.yml")
    for path in sorted(PLAYBOOKS.glob("*.yml")):
        plays = read(path)
        yield from list_handed_on(path, plays, {}, shared)

    for role in sorted(ROLES.glob("*/tasks/main.yml")):
        variables = (
            read(role.parent.parent / "vars" / "main.yml")
            if role.parent.parent.joinpath("vars").is_dir()
            else {}
        )
        files = sorted(role.parent.glob("*.yml"))
        included = "".join(path.read_text(encoding="utf-8") for path in files)
        for path in files:
            # One that is included by its name gets the keywords of the task that does so.
            if f"include_tasks: {path.name}" not in included:
                yield from list_handed_on(path, read(path), {}, variables)


HANDED_ON = list(
    dict.fromkeys((handed_on.where, handed_on.option) for handed_on in list_all_handed_on())
)
BY_PLACE = {(handed_on.where, handed_on.option): handed_on for handed_on in list_all_handed_on()}
IDS = [f"{where} {option}" for where, option in HANDED_ON]
# Options of the test's own, without which a task has no other mistakes.
REQUIRED: dict[str, dict[str, Any]] = {
    "panel_resources": {"resources": {}},
    "panel_export": {"dir": "/dev/null/x/at/all"},
    "panel_archive": {"username": "acme", "dir": "/dev/null/x/at/all"},
    "panel_import": {"source": "froxlor", "path": "/dev/null/at/all", "dir": "/dev/null/x/at/all"},
    "panel_lock": {"path": "/dev/null/at/all.json"},
    "panel_report": {"file": "/dev/null/at/all/report.html"},
    "panel_secrets": {"path": "/dev/null/at/all.yml"},
    "panel_dns": {"domain": "acme.example"},
    "panel_login_info": {"username": "acme"},
}
WRONG: dict[str, Any] = {
    "int": "two",
    "bool": "perhaps",
    "list": {"a": 1},
    "dict": 7,
    "str": [1],
    "path": [1],
}


def test_many_variables_are_handed_on() -> None:
    modules = {BY_PLACE[position].module for position in HANDED_ON}
    assert modules > {
        "panel_resources",
        "panel_export",
        "panel_verify",
        "panel_report",
        "panel_archive",
        "panel_client_info",
    }
    assert len(HANDED_ON) > 60


@pytest.mark.parametrize("sample_panel", HANDED_ON, ids=IDS)
def test_each_variable_that_is_handed_on_has_its_name_in_messages(
    sample_panel: tuple[str, str],
) -> None:
    handed_on = BY_PLACE[sample_panel]
    name = handed_on.names.get(handed_on.option, "")

    assert name.partition(".")[0] == handed_on.variable.partition(".")[0]


def get_specification(module: str) -> Mapping[str, Any]:
    """Return the options of a module."""
    if importlib.util.find_spec(f"{ACTIONS}.{module}"):
        action = importlib.import_module(f"{ACTIONS}.{module}").ActionModule
        return dict(action.specification)
    return dict(load_operation(module).validator.argument_spec)


@pytest.mark.parametrize("sample_panel", HANDED_ON, ids=IDS)
def test_a_value_of_another_type_is_refused_by_the_name_of_the_variable(
    sample_panel: tuple[str, str],
) -> None:
    handed_on = BY_PLACE[sample_panel]
    kind = get_specification(handed_on.module)[handed_on.option]["type"]
    options = {**REQUIRED.get(handed_on.module, {}), handed_on.option: WRONG[kind]}
    panel = InMemory()

    result = panel.run(
        handed_on.module, task_vars={"__panel_option_names": handed_on.names}, **options
    )

    assert result["failed"]
    assert panel.writes == []
    assert handed_on.names[handed_on.option] in result["msg"]
    assert not re.search(rf"(?<![\w.]){handed_on.option}\b(?!\])", result["msg"]), result["msg"]
