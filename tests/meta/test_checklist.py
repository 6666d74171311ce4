"""The checklist in CONTRIBUTING.md is enforced, point by point, and what it says of plugins and
roles holds."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.plugin_docs import read_docstring
from ansible.plugins.loader import fragment_loader
from ansible.utils.plugin_docs import get_docstring
from jinja2.defaults import DEFAULT_FILTERS

from tests.meta.modules import NAMES, prepare_loader, read_documentation
from tests.meta.test_architecture import is_there
from tools.environments import COMING_PYTHON, OLDEST_CONTROLLER_PYTHON
from tools.layout import ROOT

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
# Of the collection as it is, or a later one: new things are written before the release that has
# them.
RELEASE = re.compile(r"[1-9]\d*\.\d+\.0")
# A point, and in its last column the tests that enforce it.
POINTS = re.findall(r"^\| (.+?) \| (`tests/.+) \|$", CONTRIBUTING, re.MULTILINE)
ROLES = sorted({path.parent.parent.name for path in ROOT.glob("roles/*/meta/argument_specs.yml")})
PLUGINS = sorted(
    (kind, path)
    for kind in ("filter", "inventory", "lookup")
    for path in (ROOT / "plugins" / kind).glob("*.py")
    if path.stem != "__init__"
)
# Which begin like a variable of a role.
MEMBERS_OF_THE_API = {"suspend_on"}
SECRET = re.compile(r"(^|_)(password|passwd|api_key|private_key|secret)$")


def list_options(role: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield all options of all entry points of a role, also those within others.

    With their paths.
    """
    text = (ROOT / "roles" / role / "meta" / "argument_specs.yml").read_text(encoding="utf-8")
    for entry in yaml.safe_load(text)["argument_specs"].values():
        yield from list_inner_options(entry.get("options") or {}, "")


def list_inner_options(
    options: Mapping[str, Any], path: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield options with their paths, each followed by those within it."""
    for name, described in options.items():
        yield f"{path}{name}", described
        yield from list_inner_options(described.get("options") or {}, f"{path}{name}.")


def test_the_checklist_has_points() -> None:
    assert len(POINTS) > 15


@pytest.mark.parametrize(("point", "enforced"), POINTS, ids=[point for point, _tests in POINTS])
def test_a_point_of_the_checklist_is_enforced_by_tests_that_exist(
    point: str, enforced: str
) -> None:
    for named in re.findall(r"`(tests/[^`]+)`", enforced):
        file, _colons, test = named.partition("::")
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, named


# A path in the page, but for one that a reader fills in, such as roles/ROLE.
PATHS = sorted(
    path
    for path in set(re.findall(r"`(\.?\w[\w.]*(?:/[\w.]+)+)`", CONTRIBUTING))
    if not re.search(r"KIND|NAME|ROLE", path) and not path.startswith("meta/argument_specs")
)
_STARTS = [
    ROOT / folder for folder in (".", "tests", "plugins/module_utils", "plugins/plugin_utils")
]


@pytest.mark.parametrize("path", PATHS)
def test_a_file_that_the_page_names_exists(path: str) -> None:
    assert any((start / path).exists() for start in _STARTS)


# A private name in the page, but for the end of a module's name, and what ansible-core defines.
PRIVATE_NAMES = sorted(set(re.findall(r"`(_[a-z]\w+)`", CONTRIBUTING)) - {"_info", "_load_params"})


@pytest.mark.parametrize("name", PRIVATE_NAMES)
def test_a_private_name_of_the_page_exists(name: str) -> None:
    assert is_there(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_module_names_the_release_that_has_it_first(name: str) -> None:
    assert RELEASE.fullmatch(read_documentation(name)["version_added"])


@pytest.mark.parametrize(("kind", "path"), PLUGINS, ids=lambda value: getattr(value, "stem", value))
def test_a_plugin_is_documented_and_tested(kind: str, path: Path) -> None:
    prepare_loader()
    doc, examples, returned, _metadata = get_docstring(
        str(path), fragment_loader, collection_name="hosting.panel", plugin_type=kind
    )

    assert doc["description"] and doc["short_description"] and doc["author"] and examples
    assert returned or kind == "inventory"
    assert f"python >= {OLDEST_CONTROLLER_PYTHON}, < {COMING_PYTHON}" in doc["requirements"]
    assert RELEASE.fullmatch(doc["version_added"])

    full_name = f"hosting.panel.{path.stem}"
    # Guides, playbooks and roles are run by tests.
    texts = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "docs").glob("*.md")]
    texts += [*(ROOT / "playbooks").rglob("*.yml"), *(ROOT / "roles").glob("*/*/*.yml")]

    assert any(full_name in text.read_text(encoding="utf-8") for text in texts)


@pytest.mark.parametrize(("kind", "path"), PLUGINS, ids=lambda value: getattr(value, "stem", value))
def test_a_plugin_is_named_in_the_readme_unless_it_says_first_that_it_is_part_of_the_roles(
    kind: str, path: Path
) -> None:
    prepare_loader()
    doc = get_docstring(
        str(path), fragment_loader, collection_name="hosting.panel", plugin_type=kind
    )[0]
    beginning, colon, _explanation = doc["short_description"].partition(": ")
    is_part = bool(colon) and beginning.startswith("Part of the ")

    is_named = f"`{path.stem}`" in README or f"[{path.stem}]" in README
    assert is_named != is_part
    assert is_part or doc.get("seealso")
    assert not is_part or beginning == f"Part of {find_owner(path.stem)}"


DOCUMENTED = sorted(
    path
    for kind in ("doc_fragments", "filter", "inventory", "lookup", "modules")
    for path in (ROOT / "plugins" / kind).glob("*.py")
)
EVENT_SOURCES = sorted(ROOT.glob("extensions/eda/plugins/*/*.py"))
# Variables of its hosts, some of which are called as modules are.
INVENTORY = ROOT / "plugins" / "inventory" / "panel.py"
# In an expression. What Jinja itself has, has no other name.
SHORT_FILTER = re.compile(r"\|\s*([a-z]\w*)\b(?!\.)")
SHORT_NAME = re.compile(r"(?<![\w.#/-])(?<!^name: )(?<!^module: )(panel_\w+)", re.MULTILINE)


def read_documentation_texts(path: Path) -> str:
    """Return the documentation, the examples and the returned values of a plugin."""
    constants = [
        node.value
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "").isupper()
    ]
    return "".join(
        str(node.value)
        for node in constants
        # Each begins with the end of a line; other constants are names.
        if isinstance(node, ast.Constant) and str(node.value).startswith("\n")
    )


@pytest.mark.parametrize("path", [*DOCUMENTED, *EVENT_SOURCES], ids=lambda path: path.stem)
def test_the_documentation_and_examples_of_a_plugin_use_full_names_of_filters(path: Path) -> None:
    used = SHORT_FILTER.findall(read_documentation_texts(path))

    assert [name for name in used if name not in DEFAULT_FILTERS] == []


@pytest.mark.parametrize(
    "path",
    [path for path in DOCUMENTED if path != INVENTORY],
    ids=lambda path: f"{path.parent.name} {path.stem}",
)
def test_the_documentation_and_examples_of_a_plugin_use_full_names_of_plugins(path: Path) -> None:
    plugins = {*NAMES, *(plugin.stem for _kind, plugin in PLUGINS if plugin != INVENTORY)}
    used = SHORT_NAME.findall(read_documentation_texts(path))

    assert [name for name in used if name in plugins] == []


def test_the_event_source_is_documented() -> None:
    path = ROOT / "extensions" / "eda" / "plugins" / "event_source" / "panel.py"
    doc = read_docstring(str(path))["doc"]

    assert doc["description"] and doc["short_description"] and doc["author"]
    assert RELEASE.fullmatch(doc["version_added"])


def test_the_file_that_registries_read_names_every_directory_of_an_extension() -> None:
    text = (ROOT / "meta" / "extensions.yml").read_text(encoding="utf-8")
    named = [extension["args"]["ext_dir"] for extension in yaml.safe_load(text)["extensions"]]
    folders = (ROOT / "extensions" / "eda" / "plugins").iterdir()

    assert named == sorted(f"eda/plugins/{folder.name}" for folder in folders if folder.is_dir())


# By the name under which it is imported.
LIBRARIES = {"cryptography": "cryptography", "dns": "dnspython", "requests": "requests"}


@pytest.mark.parametrize(("kind", "path"), PLUGINS, ids=[path.stem for _kind, path in PLUGINS])
def test_a_plugin_that_imports_a_library_names_it_in_its_requirements(
    kind: str, path: Path
) -> None:
    prepare_loader()
    doc = get_docstring(
        str(path), fragment_loader, collection_name="hosting.panel", plugin_type=kind
    )[0]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    packages = {module.partition(".")[0] for module in modules}

    named = " ".join(doc.get("requirements", []))

    assert [
        name for package, name in LIBRARIES.items() if package in packages and name not in named
    ] == []


def find_owner(name: str) -> str:
    """Return the only role with a plugin, in words, or all roles and playbooks together."""
    pattern = re.compile(rf"\bhosting\.panel\.{name}\b")
    files = [*ROOT.glob("roles/*/*/*"), *ROOT.glob("playbooks/**/*.yml")]
    users = [
        path
        for path in files
        if path.suffix in (".yml", ".j2") and pattern.search(path.read_text(encoding="utf-8"))
    ]
    owners = {path.relative_to(ROOT).parts[:2] for path in users}
    folder, owner = owners.pop() if len(owners) == 1 else ("", "")
    return f"the role hosting.panel.{owner}" if folder == "roles" else "the roles and playbooks"


@pytest.mark.parametrize("role", ROLES)
def test_every_option_of_a_role_is_described_and_has_a_type_and_a_secret_is_not_logged(
    role: str,
) -> None:
    assert [
        path
        for path, option in list_options(role)
        if not (option.get("description") and option.get("type"))
    ] == []

    for path, option in list_options(role):
        # Not those within others: up to ansible-core 2.18 they would then take no value that is
        # encrypted with !vault.
        if (
            "." not in path
            and SECRET.search(path)
            and option["type"] == "str"
            and not option.get("choices")
        ):
            assert option.get("no_log"), path


@pytest.mark.parametrize("role", ROLES)
def test_the_variables_of_a_role_are_the_same_in_its_specification_defaults_and_tasks(
    role: str,
) -> None:
    folder = ROOT / "roles" / role
    options = {path: option for path, option in list_options(role) if "." not in path}
    file = folder / "defaults" / "main.yml"
    defaults = yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else {}
    fixed = {name: value for name, value in defaults.items() if "{{" not in str(value)}

    assert {
        name: option["default"] for name, option in options.items() if "default" in option
    } == fixed

    texts = [
        path.read_text(encoding="utf-8")
        for subfolder in ("tasks", "vars")
        for path in (folder / subfolder).glob("*.yml")
    ]

    # The variable of the role sites that is only called sites would be found everywhere.
    assert list_variables(role, "\n".join(texts)) == options.keys() - {role}


# How the description of a variable says its type, which Ansible itself must not check: it would
# refuse an empty value.
TYPE_IN_WORDS = {
    "switch": "Boolean.",
    "number": "Whole number.",
    "text": "String.",
    "secret": "String.",
    "answer": "String.",
    "date": "String or date.",
    "names": "List of strings.",
    "entries": "List.",
    "arguments": "List of strings and numbers.",
    "list": "List of dictionaries.",
    "objects": "List of dictionaries.",
    "mapping": "Dictionary.",
}


def read_table(role: str) -> dict[str, dict[str, Any]]:
    """Return how a role reads its variables."""
    variables = yaml.safe_load(
        (ROOT / "roles" / role / "vars" / "main.yml").read_text(encoding="utf-8")
    )
    tables = [table for name, table in variables.items() if name.endswith("_variables")]
    return {name: rules for table in tables for name, rules in table.items()}


def describe_kind(rules: Mapping[str, Any]) -> str:
    """Return how a description says what a variable takes."""
    if "most" in rules:
        return f"Whole number, at most {rules['most']}."
    if "choices" not in rules:
        return TYPE_IN_WORDS[rules["type"]]
    values = ", ".join(f"V({choice})" for choice in rules["choices"])
    return f"One of {values}." if rules["type"] == "choice" else f"List of {values}."


@pytest.mark.parametrize("role", ROLES)
def test_a_role_reads_its_variables_by_a_table_that_its_specification_describes(role: str) -> None:
    table = read_table(role)
    options = {name: option for name, option in list_options(role) if "." not in name}

    assert set(table) == set(options)

    for name, rules in table.items():
        option = options[name]
        if "default" in option:
            assert rules["default"] == option["default"], name
        # Ansible's own validation never speaks: the first task names all mistakes in one line.
        assert option["type"] == "raw", name
        assert not option.keys() & {"required", "choices", "elements"}, name

        description = option["description"]
        assert description[-1] == describe_kind(rules), name
        assert ("Required." in description) == bool(rules.get("required")), name


@pytest.mark.parametrize("role", ROLES)
def test_the_first_task_of_a_role_refuses_all_mistakes_in_its_variables(role: str) -> None:
    tasks = (ROOT / "roles" / role / "tasks" / "main.yml").read_text(encoding="utf-8")
    first = yaml.safe_load(tasks)[0]

    mistakes = f"__{role}_variable_mistakes"
    assert first["ansible.builtin.assert"]["that"] == f"{mistakes} == []"
    assert mistakes in first["ansible.builtin.assert"]["fail_msg"]


@pytest.mark.parametrize("role", ROLES)
def test_a_role_uses_no_variable_but_as_it_has_been_read(role: str) -> None:
    table = read_table(role)
    folder = ROOT / "roles" / role

    for path in [
        *folder.glob("tasks/*.yml"),
        *folder.glob("vars/*.yml"),
        *folder.glob("templates/*"),
    ]:
        for template in re.findall(
            r"(?s:{{.*?}}|{%.*?%})|(?<=when: ).*", path.read_text(encoding="utf-8")
        ):
            without_texts = re.sub(r"'[^']*'", "''", template)
            used = set(re.findall(r"(?<![\w.`])\w+", without_texts))
            assert used & set(table) == set(), path


def list_variables(role: str, text: str) -> set[str]:
    """Return the variables of a role in a text, without private ones and what it leaves behind."""
    return (
        set(re.findall(rf"\b{role}_[a-z_]+\b", text))
        - {f"{role}_result", "simulator_url"}
        - MEMBERS_OF_THE_API
    )


@pytest.mark.parametrize("role", ROLES)
def test_a_role_has_a_readme_with_an_example_that_speaks_of_check_mode_and_a_row_in_that_of_all(
    role: str,
) -> None:
    text = (ROOT / "roles" / role / "README.md").read_text(encoding="utf-8")
    assert f"roles/{role}/README.md" in README
    assert "```yaml\n" in text
    assert role == "simulator" or re.search("check mode|--check", text, re.IGNORECASE)


def test_before_the_first_release_one_fragment_says_what_it_brings() -> None:
    released = yaml.safe_load((ROOT / "changelogs" / "changelog.yaml").read_text(encoding="utf-8"))[
        "releases"
    ]
    fragments = [
        yaml.safe_load(path.read_text("utf-8"))
        for path in (ROOT / "changelogs" / "fragments").glob("*")
    ]

    assert released or [sorted(fragment) for fragment in fragments] == [
        ["known_issues", "release_summary"]
    ]


def list_tasks(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every task of a file of tasks or plays, those of blocks too."""
    for task in value if isinstance(value, list) else []:
        yield task
        for section in (
            "block",
            "rescue",
            "always",
            "tasks",
            "post_tasks",
            "pre_tasks",
            "handlers",
        ):
            yield from list_tasks(task.get(section))


def list_parameters(has_property: Callable[[dict[str, Any]], bool]) -> list[Any]:
    """Return every task with a property.

    Those of the roles, the playbooks and the projects of extensions.
    """
    parameters = []
    for folder in ("roles", "playbooks", "extensions"):
        for path in sorted((ROOT / folder).rglob("*.yml")):
            if path.parent.name not in ("tasks", "playbooks", "project", "handlers"):
                continue
            tasks = list_tasks(yaml.safe_load(path.read_text(encoding="utf-8")))
            named = [(task, f"{path.relative_to(ROOT)}: {task.get('name')}") for task in tasks]
            parameters += [
                pytest.param(task, id=name) for task, name in named if has_property(task)
            ]

    return parameters


WRITTEN = list_parameters(
    lambda task: "hosting.panel.panel_resources" in task and not task.get("check_mode")
)


@pytest.mark.parametrize("task", WRITTEN)
def test_a_task_whose_failure_would_show_whole_objects_leaves_it_to_one_that_shows_words(
    task: dict[str, Any],
) -> None:
    assert "register" in task
    assert task["failed_when"] is False


@pytest.mark.parametrize(
    "task", list_parameters(lambda task: task.get("delegate_to") == "localhost")
)
def test_a_task_on_the_controller_stays_the_user_whose_files_it_writes_in_a_play_with_become(
    task: dict[str, Any],
) -> None:
    assert task["become"] is False


@pytest.mark.parametrize("task", list_parameters(lambda task: "failed_when" in task))
def test_no_task_fails_with_a_condition_because_ansible_core_2_21_prints_that_instead_of_the_reason(
    task: dict[str, Any],
) -> None:
    assert task["failed_when"] is False
