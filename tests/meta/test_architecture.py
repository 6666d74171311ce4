"""Arrows between the files of the collection and of the simulator run one way, as the tables of
docs/architecture.md have them."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from tools.layout import ROOT

PLUGINS = ROOT / "plugins"
SIMULATOR = ROOT / "roles" / "simulator" / "files" / "panel_simulator"
PACKAGES = {PLUGINS: "ansible_collections.hosting.panel.plugins", SIMULATOR: "panel_simulator"}
TREES = ("module_utils", "plugin_utils")
# What Ansible loads; nothing else may use it.
FRONTS = ("modules", "action", "lookup", "inventory", "filter")
_DIRECTORY_ROW = re.compile(r"^\| `(_\w+)(?:\.py)?` \| (.+) \|$")


@cache
def list_sources(root: Path) -> dict[str, Path]:
    """Return the Python files below a folder, by their names from there."""
    paths = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path

    return paths


@cache
def list_imports(root: Path, name: str) -> frozenset[str]:
    """Return the full names that a file imports, also inside of functions.

    Those of its own tree without the package's name.
    """
    path = list_sources(root)[name]
    names: set[str] = set()

    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = get_imported_base(root, name, node)
            inner = {f"{base}.{alias.name}".lstrip(".") for alias in node.names}
            names |= inner & list_sources(root).keys() or {base}

    return frozenset(names)


def get_imported_base(root: Path, name: str, statement: ast.ImportFrom) -> str:
    """Return what stands between "from" and "import", in full and as the tree names it."""
    parts = statement.module.split(".") if statement.module else []
    if statement.level:
        is_package = list_sources(root)[name].stem == "__init__"
        package = name.split(".") if is_package else name.split(".")[:-1]
        parts = [*package[: len(package) - statement.level + 1], *parts]

    base = ".".join(parts)

    return "" if base == PACKAGES[root] else base.removeprefix(f"{PACKAGES[root]}.")


def list_users(library: str) -> set[str]:
    """Return the files of the plugins that import a library or a module of it."""
    return {name for name in list_sources(PLUGINS) if is_used_by(library, name)}


def is_used_by(library: str, name: str) -> bool:
    """Return whether a file of the plugins imports a library or a module of it."""
    return any(
        imported == library or imported.startswith(f"{library}.")
        for imported in list_imports(PLUGINS, name)
    )


@cache
def list_reached_files(root: Path, name: str) -> frozenset[str]:
    """Return the files of the tree that a file depends on, directly or not."""
    dependencies: set[str] = set()
    waiting = [name]

    while waiting:
        for dependency in list_imports(root, waiting.pop()) & list_sources(root).keys():
            if dependency not in dependencies:
                dependencies.add(dependency)
                waiting.append(dependency)

    return frozenset(dependencies)


@cache
def read_described_directories(tree: str) -> dict[str, str]:
    """Return the directories of a tree and what lives there.

    As docs/architecture.md lists them, the highest first.
    """
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = text.partition(f"## `plugins/{tree}`")[2].partition("\n## ")[0]
    return {row[1]: row[2] for line in section.splitlines() if (row := _DIRECTORY_ROW.match(line))}


PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
# Where the paths of the page begin; a file of the core or the controller is named from its tree on.
_STARTS = (ROOT, PLUGINS, *(PLUGINS / tree for tree in TREES))
# What the page names and others define: Ansible, libraries, and the options and kinds of users.
NAMES_OF_OTHERS = frozenset({
    "Ansible",
    "AnsibleModule",
    "_connection",
    "_execute_module",
    "_loader",
    "_templar",
    "async",
    "become",
    "changed",
    "credentials_file",
    "emails",
    "make",
    "plans",
    "requests",
    "resources",
    "resources_dir",
})  # fmt: skip


@cache
def list_defined_names() -> frozenset[str]:
    """Return the functions, types and constants of plugins and simulator.

    A method also as Type.method, a field as Type.field, and a constant that is a text also as that.
    """
    names: set[str] = set()
    for path in (*list_sources(PLUGINS).values(), *list_sources(SIMULATOR).values()):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names |= list_names_defined_by(node)
    return frozenset(names)


def list_names_defined_by(node: ast.AST) -> set[str]:
    """Return the names that one definition or assignment adds to `list_defined_names`."""
    if isinstance(node, ast.FunctionDef):
        return {node.name}
    if isinstance(node, ast.ClassDef):
        members = {member.name for member in node.body if hasattr(member, "name")}
        for member in node.body:
            members |= list_names_assigned_by(member)
        return {node.name, *[f"{node.name}.{member}" for member in members]}
    return list_names_assigned_by(node)


def list_names_assigned_by(node: ast.AST) -> set[str]:
    """Return the variables of an assignment, and its value where that is a text."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    if not isinstance(node, ast.Assign):
        return set()
    names = {target.id for target in node.targets if isinstance(target, ast.Name)}
    if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        names.add(node.value.value)
    return names


@cache
def list_variables_of_roles() -> frozenset[str]:
    """Return the variables that the roles set for themselves."""
    names: set[str] = set()
    for path in (ROOT / "roles").glob("*/vars/main.yml"):
        names |= yaml.safe_load(path.read_text(encoding="utf-8")).keys()
    for path in (ROOT / "roles").glob("*/meta/argument_specs.yml"):
        text = path.read_text(encoding="utf-8")
        names |= yaml.safe_load(text)["argument_specs"]["main"]["options"].keys()
    return frozenset(names)


@cache
def list_file_names() -> frozenset[str]:
    """Return the bare names of all files and folders of the repository's own folders."""
    names: set[str] = set()
    for folder in ("docs", "extensions", "plugins", "roles", "tests", "tools"):
        for path in (ROOT / folder).rglob("*"):
            names |= {path.name, path.stem}
    return frozenset(names)


def is_there(name: str) -> bool:
    """Tell whether a name in backticks is a file, or something that the plugins define."""
    # A path of another machine says nothing about this one.
    if name.startswith("/"):
        return name in list_defined_names() | NAMES_OF_OTHERS
    if any((start / name).exists() for start in _STARTS):
        return True
    if "/" in name:
        return False
    return (
        name
        in list_file_names() | list_defined_names() | list_variables_of_roles() | NAMES_OF_OTHERS
    )


# A name and its file, as in `plan_zone` in `_dns/planning.py`.
_NAME_IN_FILE = re.compile(r"`(_?[A-Za-z]\w+)` in `([\w/]+\.py)`")


def list_names_in_files(text: str) -> list[tuple[str, str]]:
    """Return the functions, types and constants of which a page says the file, with that file."""
    return _NAME_IN_FILE.findall(text)


def is_defined_in(name: str, file: str) -> bool:
    """Tell whether a file of the plugins, by the end of its path, defines a name."""
    for path in list_sources(PLUGINS).values():
        if path.as_posix().endswith(f"/{file}"):
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if any(name in list_names_defined_by(node) for node in nodes):
                return True
    return False


@pytest.mark.parametrize(("name", "file"), list_names_in_files(PAGE))
def test_what_the_page_names_is_defined_in_the_file_that_it_says(name: str, file: str) -> None:
    assert is_defined_in(name, file)


def list_names_in_code(text: str) -> list[str]:
    """Return what stands in backticks, and the types and functions of drawings with arrows."""
    drawings = re.findall(r"(?ms)^```text$(.*?)^```$", text)
    prose = re.sub(r"(?ms)^```text$.*?^```$", "", text)
    quoted = re.findall(r"`([^`\n<>]+)`", prose)
    drawn = [name for drawing in drawings for name in re.findall(r"\b[A-Z][a-z]\w+", drawing)]
    return sorted({*quoted, *drawn})


@pytest.mark.parametrize("name", list_names_in_code(PAGE))
def test_what_the_page_names_exists(name: str) -> None:
    assert is_there(name)


def test_a_file_or_function_that_is_gone_would_be_noticed() -> None:
    page = (
        "`_dns/managing.py`, `gone.py` and `no_such_function`\n```text\nItem -> NoSuchType\n```\n"
    )
    assert [name for name in list_names_in_code(page) if is_there(name)] == ["Item"]
    assert len(list_names_in_code(page)) == 5


SUPPORT = sorted(
    path.name
    for path in (ROOT / "tests" / "support").rglob("*")
    if path.suffix in (".py", ".yml") and path.stem != "__init__"
)


@pytest.mark.parametrize("name", SUPPORT)
def test_what_tests_share_is_on_the_map(name: str) -> None:
    assert f"`{name}`" in PAGE


SIMULATED = sorted(path.name for path in SIMULATOR.glob("*.py") if not path.stem.startswith("_"))


@pytest.mark.parametrize("name", SIMULATED)
def test_each_file_of_the_simulator_is_on_the_page(name: str) -> None:
    assert f"`{name}`" in PAGE


def list_directories(tree: str) -> list[str]:
    """Return the names of the directories of a tree, the highest first."""
    return list(read_described_directories(tree))


def get_level(name: str) -> tuple[int, int]:
    """Return how deep a file of the plugins lies: the tree, and the directory in it."""
    tree, _dot, path_in_tree = name.partition(".")
    if tree not in TREES:
        return (0, 0)
    return (2 - TREES.index(tree), list_directories(tree).index(path_in_tree.partition(".")[0]))


@pytest.mark.parametrize(
    ("root", "name"),
    [
        pytest.param(root, name, id=f"{root.name}:{name}")
        for root in PACKAGES
        for name in list_sources(root)
        if name
    ],
)
def test_no_file_depends_on_itself(root: Path, name: str) -> None:
    assert name not in list_reached_files(root, name)


@pytest.mark.parametrize("tree", TREES)
def test_every_directory_is_in_the_tables(tree: str) -> None:
    names_in_tree = {
        name.split(".")[1] for name in list_sources(PLUGINS) if name.startswith(f"{tree}.")
    }
    assert names_in_tree == set(list_directories(tree))
    assert len(names_in_tree) <= 23


@pytest.mark.parametrize("name", [name for name in list_sources(PLUGINS) if name.count(".") >= 1])
def test_a_directory_uses_only_directories_below_it(name: str) -> None:
    own_level = get_level(name)
    imported_files = list_imports(PLUGINS, name) & list_sources(PLUGINS).keys()

    assert [
        imported
        for imported in imported_files
        if "." in imported and own_level != (0, 0) and get_level(imported) < own_level
    ] == []
    assert [
        imported
        for imported in imported_files
        if own_level != (0, 0) and imported.partition(".")[0] in FRONTS
    ] == []


def get_directory(name: str) -> str:
    """Return the directory of a file of the core or the controller; empty for any other name."""
    tree, _dot, ending = name.partition(".")
    return ending.partition(".")[0] if tree in TREES else ""


def test_what_can_be_taken_out_is_needed_only_by_what_the_page_for_reviewers_says() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (sentence,) = re.findall(r"[^.]+ can each be taken out [^.]+\.[^|]+\|", text)
    removable, _separator, needs = sentence.partition(" can each be taken out ")
    groups = [name.rstrip("*") for name in re.findall(r"`(\w+\*?)`", removable)]

    needed = set()
    for name in list_sources(PLUGINS):
        user = get_directory(name)
        for imported in list_imports(PLUGINS, name):
            directory = get_directory(imported)
            group = next((group for group in groups if directory.startswith(group)), None)
            if user and group is not None and not user.startswith(group):
                needed.add((user, directory))

    assert len(groups) == 8
    assert needed == {
        ("_archive", "_report"),
        ("_events", "_report"),
        ("_import", "_content_copy"),
        ("_report", "_mail_dns"),
    }
    assert "`_archive` and `_events` need `_report`, which needs `_mail_dns`" in needs
    assert "and `_import` needs `_content_copy`." in needs


def test_content_needs_nothing_of_a_panel() -> None:
    own_files = {
        name for name in list_sources(PLUGINS) if name.startswith("module_utils._content.")
    }
    imported_files = {
        imported
        for name in own_files
        for imported in list_imports(PLUGINS, name)
        if imported.startswith("module_utils.")
    }
    assert imported_files - own_files == {
        "module_utils._log",
        "module_utils._operation.defects",
        "module_utils._operation.process_status",
    }


def test_only_the_client_knows_requests() -> None:
    assert list_users("requests") | list_users("urllib3") == {"module_utils._http.request_library"}


def test_only_the_module_front_end_knows_ansible_module() -> None:
    # One of them reads the options as they were sent.
    assert {
        name
        for name in list_users("ansible.module_utils.basic")
        if name.startswith("module_utils.")
    } == {
        "module_utils._ansible",
        "module_utils._task.module",
    }


@pytest.mark.parametrize(
    "name", [name for name in list_sources(PLUGINS) if name.endswith(".planning")]
)
def test_planning_cannot_send_anything(name: str) -> None:
    assert (
        list_reached_files(PLUGINS, name)
        & {"module_utils._http.panel_session", "module_utils._sources.object_source"}
        == set()
    )


# A result about many objects has a message for each; the others name a part of a plan or of an
# export.
MAKERS_OF_MESSAGES = {
    "module_utils._task.perform",
    "module_utils._bulk.action_report",
    "module_utils._bulk.planner",
    "module_utils._dns.record_options",
    "module_utils._errors",
    "module_utils._items.exporter",
}
_MAKES_MESSAGES = re.compile(r"\b(format_messages?|format_cause|join_problems)\b")


def test_messages_are_made_where_a_task_ends() -> None:
    makers = {
        name
        for name, path in list_sources(PLUGINS).items()
        if name.startswith("module_utils.")
        and _MAKES_MESSAGES.search(path.read_text(encoding="utf-8"))
    }
    assert makers - {"module_utils._problems"} == MAKERS_OF_MESSAGES


def test_what_was_not_written_is_data_and_a_sentence_in_one_place_alone() -> None:
    # What runs on a host for its content uses nothing of the panel's errors.
    owners = {"module_utils._problems", "module_utils._content.content_errors"}
    sentence = re.compile(
        r"(Nothing was (written( for it)?|sent|read or written)|No file was written)\."
    )
    users = {
        name
        for name, path in list_sources(PLUGINS).items()
        if not name.startswith("modules.") and sentence.search(path.read_text(encoding="utf-8"))
    }
    assert users == owners


def test_a_module_file_holds_no_more_than_documentation_and_a_name() -> None:
    for path in (PLUGINS / "modules").glob("panel_*.py"):
        defined = [
            node.name
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if hasattr(node, "name")
        ]
        assert defined in (["main"], []), path.name


PURE = [
    name
    for name, path in list_sources(PLUGINS).items()
    if " Pure"
    in (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]
]
SENDING_OR_WRITING = {
    "module_utils._http.panel_session",
    "module_utils._http.request_library",
    "plugin_utils._run.job",
    "plugin_utils._run.controller_files",
    "os",
    "shutil",
    "tempfile",
}


@pytest.mark.parametrize("name", PURE)
def test_what_says_that_it_is_pure_neither_sends_nor_writes_files(name: str) -> None:
    assert list_imports(PLUGINS, name) & SENDING_OR_WRITING == set()


def list_assigning_files(attribute: str) -> set[str]:
    """The files that set this attribute of something."""
    return {
        name
        for name, path in list_sources(PLUGINS).items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assign)
        and any(isinstance(one, ast.Attribute) and one.attr == attribute for one in node.targets)
    }


# With them it makes a copy of the task for a module that it runs.
def test_options_are_set_only_for_a_task_of_a_call() -> None:
    assert list_assigning_files("args") == {"plugin_utils._run.panel_action"}


def get_folder_in_directory(name: str) -> str:
    """Return the folder of a directory in which a file is; empty for one directly in it."""
    parts = name.split(".")
    return parts[2] if len(parts) > 3 else ""


def test_no_two_files_have_one_name() -> None:
    # A directory may have parallel folders: there the folder is a part of the name.
    names = [
        f"{get_folder_in_directory(name)}/{name.rpartition('.')[2]}"
        for name in list_sources(PLUGINS)
        if name.startswith(TREES)
    ]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_a_folder_of_a_directory_has_no_file_with_the_name_of_one_beside_it() -> None:
    # Else "from .x" and "from ..x" would mean two things in one file.
    directories_of_files = [
        (name, name.split(".")) for name in list_sources(PLUGINS) if name.startswith(TREES)
    ]
    assert [
        name
        for name, parts in directories_of_files
        if len(parts) > 3 and ".".join([*parts[:2], parts[-1]]) in list_sources(PLUGINS)
    ] == []


@pytest.mark.parametrize("tree", TREES)
def test_no_folder_has_more_files_than_a_reader_takes_in(tree: str) -> None:
    folders = [
        path.parent for path in list_sources(PLUGINS).values() if PLUGINS / tree in path.parents
    ]
    assert {folder.name for folder in folders if folders.count(folder) > 20} == set()


def test_the_folders_of_a_directory_use_each_other_one_way() -> None:
    arrows = set()
    for name in list_sources(PLUGINS):
        directory = ".".join(name.split(".")[:2])
        for imported in list_imports(PLUGINS, name):
            if get_folder_in_directory(name) and imported.startswith(f"{directory}."):
                arrows.add(
                    (directory, get_folder_in_directory(name), get_folder_in_directory(imported))
                )

    assert [
        (directory, user, used)
        for directory, user, used in arrows
        if used and user != used and (directory, used, user) in arrows
    ] == []
