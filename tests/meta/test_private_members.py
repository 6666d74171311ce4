"""A private member of ansible-core is used only where the file names it, says why, and on which
releases of ansible-core it was tried.

Which members there are is asked of the ansible-core that is installed.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest
from ansible.inventory.data import InventoryData
from ansible.module_utils.basic import AnsibleModule
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.play_context import PlayContext
from ansible.playbook.task import Task
from ansible.plugins.action import ActionBase
from ansible.plugins.cache import BaseFileCacheModule, CachePluginAdjudicator
from ansible.plugins.connection import ConnectionBase
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible.plugins.lookup import LookupBase
from ansible.plugins.shell import ShellBase
from ansible.template import Templar
from ansible.utils.display import Display

from tools.environments import CONTROLLER_PYTHON
from tools.layout import ROOT

PLUGINS = ROOT / "plugins"
# Where private members may be used: each of these files names them.
NAMING = (PLUGINS / "plugin_utils" / "_ansible", PLUGINS / "module_utils" / "_ansible.py")
TRIED = f"Tried on ansible-core {', '.join(sorted(CONTROLLER_PYTHON))}."

# Names with an underscore that the guides of Ansible for developers give to plugins and modules.
DOCUMENTED = {
    "_task": "developing_plugins: the task of an action plugin",
    "_connection": "developing_plugins: the connection of an action plugin",
    "_loader": "developing_plugins: the loader of an action plugin or lookup",
    "_templar": "developing_plugins: the templates of an action plugin or lookup",
    "_execute_module": "developing_plugins: how an action plugin runs a module",
    "_supports_check_mode": "developing_plugins: what an action plugin declares",
    "_supports_async": "developing_plugins: what an action plugin declares",
    "_requires_connection": "developing_plugins: what an action plugin declares",
    "_diff": "developing_modules: whether a module shows differences",
    "_read_config_data": "developing_inventory: how an inventory plugin reads its file",
    "_cache": "developing_inventory: the cache of an inventory plugin",
    "_set_composite_vars": "developing_inventory: the option compose",
    "_add_host_to_composed_groups": "developing_inventory: the option groups",
    "_add_host_to_keyed_groups": "developing_inventory: the option keyed_groups",
}
CLASSES = (
    ActionBase,
    AnsibleModule,
    BaseFileCacheModule,
    BaseInventoryPlugin,
    Cacheable,
    CachePluginAdjudicator,
    ConnectionBase,
    Constructable,
    DataLoader,
    Display,
    InventoryData,
    LookupBase,
    PlayContext,
    ShellBase,
    Task,
    Templar,
)
_ACCESSORS = frozenset({"getattr", "setattr", "hasattr", "delattr"})
# A type of nodes of a syntax tree.
Node = TypeVar("Node", bound=ast.AST)
# Python itself gives these to named tuples; the underscore keeps them apart from the fields.
_OF_NAMED_TUPLES = frozenset({"_asdict", "_field_defaults", "_fields", "_make", "_replace"})


def is_private(name: str) -> bool:
    """Return whether a name is for the file or the class alone that defines it."""
    return name.startswith("_") and not name.startswith("__") and name != "_"


@cache
def list_private_members() -> frozenset[str]:
    """Return the private names that the classes of ansible-core define or set.

    With those of their base classes.
    """
    names: set[str] = set()
    for base in {base for class_ in CLASSES for base in class_.__mro__ if base is not object}:
        names.update(filter(is_private, vars(base)))
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError):
            continue
        attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
        names.update(
            node.attr for node in attributes if is_private(node.attr) and _is_self(node.value)
        )

    return frozenset(names)


def _is_self(node: ast.AST) -> bool:
    """Return whether a node is the object or the class of a method."""
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


@cache
def list_own_classes_of_ansible() -> frozenset[str]:
    """Return the names of the collection's classes that a class of ansible-core is above of."""
    bases: dict[str, set[str]] = {}
    derived: set[str] = set()

    for path in list_files():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = list_names_from_ansible(tree)
        for class_ in list_nodes(tree, ast.ClassDef):
            names = list_base_names(class_)
            bases.setdefault(class_.name, set()).update(names)
            if names & imported:
                derived.add(class_.name)

    return frozenset(with_classes_below(derived, bases))


def list_base_names(class_: ast.ClassDef) -> set[str]:
    """Return the names of the classes that a class names as its bases."""
    return {ast.unparse(base).rpartition(".")[2] for base in class_.bases}


def with_classes_below(derived: set[str], bases: Mapping[str, set[str]]) -> set[str]:
    """Return classes with all that have one of them above them, directly or not."""
    below = {name for name, names in bases.items() if names & derived}
    if below <= derived:
        return derived
    return with_classes_below(derived | below, bases)


def list_names_from_ansible(tree: ast.Module) -> set[str]:
    """Return the names that a file has from ansible-core."""
    names: set[str] = set()
    for statement in list_nodes(tree, ast.ImportFrom):
        if _is_ansible(statement.module or "") and not statement.level:
            names.update(alias.asname or alias.name for alias in statement.names)

    for statement in list_nodes(tree, ast.Import):
        aliases = [alias for alias in statement.names if _is_ansible(alias.name)]
        names.update(alias.asname or alias.name.partition(".")[0] for alias in aliases)

    return names


def list_nodes(tree: ast.AST, node_type: type[Node]) -> Iterator[Node]:
    """Yield the nodes of one type."""
    return (node for node in ast.walk(tree) if isinstance(node, node_type))


def _is_ansible(module: str) -> bool:
    """Return whether a module is one of ansible-core's."""
    return module == "ansible" or module.startswith("ansible.")


def find_uses(source: str, derived: frozenset[str] = frozenset()) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each private member of ansible-core that a file uses.

    A name with an underscore belongs to the collection if a class that has nothing of ansible-core
    uses it of itself, or if the file defines it and no class of ansible-core has one of this name.
    All others count as ansible-core's.

    Args:
        source: The text of the file.
        derived: The collection's classes that a class of ansible-core is above of.
    """
    tree = ast.parse(source)
    imported = list_names_from_ansible(tree)
    defined = list_defined_names(tree)
    owners = map_nodes_to_classes(tree)

    for statement in ast.walk(tree):
        yield from _find_private_imports(statement)

    for attribute in list_nodes(tree, ast.Attribute):
        owner = owners.get(attribute)
        is_of_plain_class = owner is not None and not _is_of_ansible(owner, derived, imported)
        is_its_own = is_of_plain_class and _is_self(attribute.value)
        if not is_its_own and _is_private_of_core(attribute.attr, defined):
            yield attribute.lineno, attribute.attr

    for class_ in list_nodes(tree, ast.ClassDef):
        if _is_of_ansible(class_, derived, imported):
            yield from _find_replaced_members(class_)

    for call in list_nodes(tree, ast.Call):
        name = _get_accessed_name(call)
        if _is_private_of_core(name, defined):
            yield call.lineno, name

    for constant in list_nodes(tree, ast.Constant):
        if re.fullmatch(r"_ansible_\w*", str(constant.value)):
            yield constant.lineno, str(constant.value)


def _find_replaced_members(class_: ast.ClassDef) -> Iterator[tuple[int, str]]:
    """Yield the private members of ansible-core that a class below one of its classes defines."""
    replaceable = list_private_members() - DOCUMENTED.keys()
    return ((line, name) for line, name in _list_members(class_) if name in replaceable)


def _get_accessed_name(call: ast.Call) -> str:
    """Return the name that getattr or one of its like takes as a text; empty for other calls."""
    is_accessor = isinstance(call.func, ast.Name) and call.func.id in _ACCESSORS
    if not is_accessor or len(call.args) < 2:
        return ""
    argument = call.args[1]

    return str(argument.value) if isinstance(argument, ast.Constant) else ""


def _is_private_of_core(name: str, defined: set[str]) -> bool:
    """Return whether a name is private and not the collection's."""
    return is_private(name) and _is_of_core(name, defined)


def _is_of_core(name: str, defined: set[str]) -> bool:
    """Return whether a private name is ansible-core's, as far as one file shows it."""
    if name in DOCUMENTED or name in _OF_NAMED_TUPLES:
        return False
    return name not in defined or name in list_private_members()


def _find_private_imports(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield each private part of what a statement imports from ansible-core."""
    if isinstance(node, ast.ImportFrom) and not node.level and _is_ansible(node.module or ""):
        paths = [f"{node.module}.{alias.name}" for alias in node.names]
    elif isinstance(node, ast.Import):
        paths = [alias.name for alias in node.names if _is_ansible(alias.name)]
    else:
        return

    for path in paths:
        yield from (
            (node.lineno, component) for component in path.split(".") if is_private(component)
        )


def _list_members(node: ast.ClassDef) -> Iterator[tuple[int, str]]:
    """Yield what a class defines itself, and so may put in the place of what is above."""
    for member in node.body:
        yield from ((member.lineno, name) for name in _list_names_of_statement(member))


def _list_names_of_statement(statement: ast.stmt) -> list[str]:
    """Return the names of functions and variables that a statement of a class defines."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return [statement.name]
    targets: list[ast.expr] = []

    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    elif isinstance(statement, ast.Assign):
        targets = statement.targets

    return [target.id for target in targets if isinstance(target, ast.Name)]


def _is_of_ansible(node: ast.ClassDef, derived: frozenset[str], imported: set[str]) -> bool:
    """Return whether a class is below one of ansible-core's."""
    return bool(list_base_names(node) & (imported | derived)) or node.name in derived


def list_defined_names(tree: ast.Module) -> set[str]:
    """Return the names that a file gives to functions, classes, variables and attributes."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)

    return names


def map_nodes_to_classes(tree: ast.Module) -> Mapping[ast.AST, ast.ClassDef]:
    """Return the innermost class around each node."""
    classes: dict[ast.AST, ast.ClassDef] = {}
    for node in ast.walk(tree):  # from the outside to the inside
        if isinstance(node, ast.ClassDef):
            classes.update(dict.fromkeys(ast.walk(node), node))

    return classes


def list_files() -> list[Path]:
    """Return all Python files of the plugins."""
    return sorted(PLUGINS.rglob("*.py"))


def is_naming(path: Path) -> bool:
    """Return whether a file is one of those that may use private members."""
    return any(path == location or location in path.parents for location in NAMING)


def get_file_name(path: Path) -> str:
    """Return the path of a file below the plugins."""
    return str(path.relative_to(PLUGINS))


@pytest.mark.parametrize(
    "path", [path for path in list_files() if not is_naming(path)], ids=get_file_name
)
def test_a_private_member_of_ansible_core_is_used_where_it_is_named(path: Path) -> None:
    assert list(find_uses(path.read_text(encoding="utf-8"), list_own_classes_of_ansible())) == []


@pytest.mark.parametrize(
    "path", [path for path in list_files() if is_naming(path)], ids=get_file_name
)
def test_a_file_names_the_private_members_that_it_uses_and_the_releases_on_which_it_was_tried(
    path: Path,
) -> None:
    source = path.read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(source)) or ""

    assert TRIED in docstring
    assert [
        name
        for _line, name in find_uses(source, list_own_classes_of_ansible())
        if name not in docstring
    ] == []


ACTION = "from ansible.plugins.action import ActionBase\nclass Action(ActionBase):\n"
RUN = ACTION + "    def run(self): "
CLIENT = "class Client:\n    def __init__(self): self._vault, self._lists = 1, 2\n"
FORBIDDEN = {
    "a method": (RUN + "self._remove_tmp_path('x')", "_remove_tmp_path"),
    "an attribute of an attribute": (RUN + "return self._loader._vault", "_vault"),
    "by its name in a text": (RUN + "return getattr(self._loader, '_vault', None)", "_vault"),
    "an attribute of something else": (
        "def folder(action): return action._connection._shell.tmpdir",
        "_shell",
    ),
    "a method that is replaced": (
        ACTION + "    def _make_tmp_path(self): return '/tmp'",
        "_make_tmp_path",
    ),
    "an attribute that is replaced": (ACTION + "    _play_context = None", "_play_context"),
    "in a class further below": (
        "class Action(Derived):\n    def run(self): self._transfer_file",
        "_transfer_file",
    ),
    "of the same name as one's own": (CLIENT + "def read(loader): return loader._vault", "_vault"),
    "a function": ("from ansible.module_utils.basic import _load_params", "_load_params"),
    "a function of a module": (
        "from ansible.module_utils import basic\nbasic._load_params()",
        "_load_params",
    ),
    "a package": ("from ansible.module_utils._internal import _messages", "_internal"),
    "a member of a result": ("RESULT = {'_ansible_no_log': True}", "_ansible_no_log"),
}


@pytest.mark.parametrize(("source", "name"), FORBIDDEN.values(), ids=FORBIDDEN)
def test_a_private_member_is_noticed(source: str, name: str) -> None:
    assert name in [member for _line, member in find_uses(source, frozenset({"Derived"}))]


ALLOWED = {
    "what Ansible documents": RUN + "return self._execute_module(self._task.args)",
    "what a plugin declares": ACTION + "    _supports_async = True",
    "what a class of the collection has": CLIENT + "    def vault(self): return self._vault",
    "what a plugin has itself": RUN + "return self._kept()\n    def _kept(self): return 1",
    "what the same file defines": CLIENT + "def read(client): return client._lists",
    "what is public": "from ansible.parsing.vault import VaultLib\nVaultLib().secrets",
}


@pytest.mark.parametrize("source", ALLOWED.values(), ids=ALLOWED)
def test_what_is_no_private_member_is_not_noticed(source: str) -> None:
    assert list(find_uses(source, frozenset({"Derived"}))) == []


@pytest.mark.parametrize(
    "name",
    [
        "_vault",
        "_shell",
        "_plugin",
        "_cache_dir",
        "_remove_tmp_path",
        "_sanitize_group_name",
        "_play_context",
    ],
)
def test_the_installed_ansible_core_is_asked_for_its_members(name: str) -> None:
    assert name in list_private_members()
