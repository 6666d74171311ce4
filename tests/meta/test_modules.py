"""Every module is in every place in which a user looks for it, and its documentation says what it
does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import IN_ORDER
from tests.meta import modules
from tests.meta.modules import (
    HELPERS,
    NAMES,
    OF_CONTENT,
    WITHOUT_TWIN,
    is_shown,
    list_arguments,
    list_users,
    read_documentation,
    read_runtime,
)
from tools.environments import COMING_PYTHON, OLDEST_CONTROLLER_PYTHON, OLDEST_TARGET_PYTHON
from tools.layout import ROOT

INFERRED = [kind.singular for kind in IN_ORDER if kind.traits.is_inferred]
PUBLIC = [name for name in NAMES if name not in (*HELPERS, *OF_CONTENT)]
WRITING = [name for name in PUBLIC if not name.endswith("_info") and name not in WITHOUT_TWIN]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TESTS = "\n".join(
    path.read_text(encoding="utf-8")
    for path in (ROOT / "tests").rglob("*")
    if path.suffix in (".py", ".yml") and "meta" not in path.parts
)
# The grid of behaviours calls the modules of every kind with samples.
SAMPLES = yaml.safe_load((ROOT / "tests" / "support" / "samples.yml").read_text(encoding="utf-8"))
OF_SAMPLES = {f"panel_{kind}{twin}" for kind in SAMPLES["kinds"] for twin in ("", "_info")}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_module_is_in_every_place_in_which_it_is_looked_for(name: str) -> None:
    assert name in read_runtime()["action_groups"]["panel"]
    assert read_runtime()["plugin_routing"]["modules"][name] == {
        "action_plugin": "hosting.panel.panel"
    }
    assert name not in WRITING or f"{name}_info" in NAMES
    # An info module is named with its twin.
    assert f"`{name}`" in README or f"`{name.removesuffix('_info')}`" in README
    assert name in TESTS or name in OF_SAMPLES


@pytest.mark.parametrize("name", OF_CONTENT)
def test_a_module_for_content_is_named_and_tested_and_takes_no_connection(name: str) -> None:
    assert name not in read_runtime()["action_groups"]["panel"]
    assert name not in read_runtime()["plugin_routing"]["modules"]
    assert f"`{name}`" in README
    assert f'"{name}"' in TESTS
    assert "action_group" not in read_documentation(name)["attributes"]


def test_the_action_group_holds_modules_only() -> None:
    assert set(read_runtime()["action_groups"]["panel"]) <= set(NAMES)


def test_the_action_group_of_passwords_holds_the_modules_with_password_options() -> None:
    with_passwords = [
        name for name in WRITING if "update_password" in read_documentation(name)["options"]
    ]

    assert read_runtime()["action_groups"]["panel_passwords"] == with_passwords


@pytest.mark.parametrize("name", PUBLIC)
def test_a_module_documents_the_action_groups_that_it_is_in(name: str) -> None:
    groups = [
        f"hosting.panel.{group}"
        for group, members in read_runtime()["action_groups"].items()
        if name in members
    ]
    described = read_documentation(name)["attributes"]["action_group"]

    assert described["membership"] == groups
    assert all(f"C(group/{group})" in str(described["description"]) for group in groups)


@pytest.mark.parametrize("name", NAMES)
def test_a_module_that_only_roles_or_playbooks_use_says_first_whose_part_it_is(name: str) -> None:
    beginning, colon, _explanation = read_documentation(name)["short_description"].partition(": ")
    # A module for content works alone, and its example is in its own documentation.
    callers = [] if is_shown(name) or name in OF_CONTENT else list_users(name)
    kinds = {user.partition(" ")[0] for user in callers}
    if len(callers) > 1:
        kinds = {f"{kind}s" for kind in kinds}

    names = " and ".join(user.partition(" ")[2] for user in callers)
    expected = f"Part of the {''.join(kinds)} {names}" if callers else None

    assert (beginning if colon and beginning.startswith("Part of") else None) == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_documentation_is_complete(name: str) -> None:
    doc = read_documentation(name)
    attributes = {"check_mode", "diff_mode", "idempotent", "platform"}
    if name in PUBLIC:
        attributes.add("action_group")
    assert doc["module"] == name
    assert doc["author"] and doc["description"] and doc["short_description"] and doc["seealso"]
    assert attributes <= set(doc["attributes"])
    assert doc["examples"] and doc["return"]
    # A failed task of any module says in it what failed.
    assert doc["return"]["error"]["returned"] == "failure"
    assert [key for task in doc["examples"] for key in task if key.startswith("panel_")] == []
    assert [
        option
        for option, described in _list_options(doc["options"])
        if not described["description"]
    ] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_module_names_the_oldest_and_the_newest_python_that_runs_it(name: str) -> None:
    oldest = OLDEST_CONTROLLER_PYTHON if name in HELPERS else OLDEST_TARGET_PYTHON
    expected = f"python >= {oldest}, < {COMING_PYTHON}"
    if name in HELPERS:
        expected += " on the controller"

    assert expected in read_documentation(name)["requirements"]


@pytest.mark.parametrize("name", NAMES)
def test_only_a_module_that_returns_passwords_warns_of_them_with_async(name: str) -> None:
    documentation = read_documentation(name)
    passwords = {"generated_password", "generated_passwords"} & set(documentation["return"])
    described = str(documentation["attributes"].get("async", {}).get("description", ""))

    assert set(re.findall(r"RV\((\w+)\)", described)) == passwords


@pytest.mark.parametrize("name", NAMES)
def test_a_module_with_fields_that_are_always_sent_is_idempotent_in_part(name: str) -> None:
    documentation = read_documentation(name)
    idempotent = documentation["attributes"]["idempotent"]
    sends_always = "extra" in documentation["options"] or name == "panel_resources"

    assert ("(extra)" in str(idempotent.get("details", ""))) == sends_always
    if sends_always:
        assert idempotent["support"] == "partial"


@pytest.mark.parametrize("singular", INFERRED)
@pytest.mark.parametrize("suffix", ["", "_info"])
def test_a_module_that_infers_its_paths_says_that_they_may_change(
    singular: str, suffix: str
) -> None:
    [note] = [
        note
        for note in read_documentation(f"panel_{singular}{suffix}")["notes"]
        if "This module infers them" in note
    ]

    assert "Until the README lists a verified panel, they may change in a minor release." in note


def test_what_many_modules_say_of_how_they_run_stands_in_a_fragment() -> None:
    descriptions = [
        (attribute, str(description))
        for name in NAMES
        for attribute, description in modules.read_own_documentation(name)
        .get("attributes", {})
        .items()
    ]
    assert [description for description, count in Counter(descriptions).items() if count > 3] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_documented_options_are_those_that_the_module_takes(name: str) -> None:
    documented = dict(_list_facts(read_documentation(name)["options"], "suboptions"))
    assert documented == dict(_list_facts(list_arguments(name), "options"))


def _list_options(
    options: Mapping[str, Any], path: str = ""
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every option with its path, also those within others."""
    for name, described in options.items():
        yield f"{path}{name}", described
        yield from _list_options(described.get("suboptions") or {}, f"{path}{name}.")


def _list_facts(
    options: Mapping[str, Any], inner: str, path: str = ""
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what Ansible checks of every option or value, by its path."""
    for name, option in options.items():
        yield (
            f"{path}{name}",
            {
                "type": option.get("type", "str"),
                "elements": option.get("elements"),
                "choices": list(option.get("choices") or []),
                "default": option.get("default"),
                "required": bool(option.get("required")),
                "aliases": list(option.get("aliases") or []),
            },
        )
        yield from _list_facts(option.get(inner) or {}, inner, f"{path}{name}.")


def test_a_module_is_linked_and_not_only_set_in_the_type_of_code() -> None:
    sources = [*(ROOT / "plugins").rglob("*.py"), *(ROOT / "roles").glob("*/meta/*.yml")]
    unlinked = [
        (source.relative_to(ROOT).as_posix(), name)
        for source in sources
        for name in re.findall(r"\bC\((?:hosting\.panel\.)?(\w+)\)", source.read_text("utf-8"))
        if name in NAMES
    ]

    # The inventory has a variable of this name.
    assert unlinked == [("plugins/inventory/panel.py", "panel_client")]


@pytest.mark.parametrize("name", NAMES)
def test_the_notes_of_a_module_are_few(name: str) -> None:
    text = (modules.MODULES / f"{name}.py").read_text(encoding="utf-8")
    (documentation,) = re.findall(
        r'^DOCUMENTATION = r"""\n(.*?)^"""', text, re.DOTALL | re.MULTILINE
    )

    assert len(yaml.safe_load(documentation).get("notes", [])) <= 5
