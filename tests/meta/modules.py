"""The modules of the collection as their files say.

Documentation, options, lists in which they have to be.
"""

from __future__ import annotations

import importlib
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from ansible.parsing.plugin_docs import read_docstring
from ansible.plugins.loader import fragment_loader, init_plugin_loader
from ansible.utils.plugin_docs import get_docstring

from tools.layout import LINK, ROOT, link_collection, list_guides

MODULES = ROOT / "plugins" / "modules"
# Actions with the same name and nothing else.
HELPERS = tuple(sorted(path.stem for path in (ROOT / "plugins" / "action").glob("panel_*.py")))
# Modules that work on files, mail and databases of a host, and call no panel.
OF_CONTENT = tuple(
    sorted(
        path.stem
        for path in MODULES.glob("panel_*.py")
        if "module_utils._content" in path.read_text(encoding="utf-8")
    )
)
# Modules that act, and so have nothing to read.
WITHOUT_TWIN = ("panel_api", "panel_ping", "panel_reboot", *HELPERS)

NAMES = sorted(path.stem for path in MODULES.glob("panel_*.py"))


def list_users(name: str) -> list[str]:
    """Return the roles of the collection with a task of the module.

    Where no role has one, its playbooks.
    """
    roles = [path.parts[-3] for path in ROOT.glob("roles/*/tasks/*.yml") if _calls(path, name)]
    if roles:
        return [f"role hosting.panel.{role}" for role in sorted(set(roles))]
    return [
        f"playbook hosting.panel.{path.stem}"
        for path in sorted(ROOT.glob("playbooks/*.yml"))
        if _calls(path, name)
    ]


def is_shown(name: str) -> bool:
    """Return whether a page for users calls the module, in a task or on the command line."""
    pages = [ROOT / "README.md", *list_guides(), *ROOT.glob("roles/*/README.md")]
    return any(_calls(page, name) for page in pages)


def _calls(path: Path, name: str) -> bool:
    """Return whether a text has a task or a command line with the module."""
    return bool(
        re.search(
            rf"hosting\.panel\.{name}:|-m hosting\.panel\.{name}\b",
            path.read_text(encoding="utf-8"),
        )
    )


@cache
def prepare_loader() -> None:
    """Let Ansible's own loader find the collection."""
    link_collection()
    init_plugin_loader([str(LINK)])
    # What Python's own loader has loaded for another test lacks what Ansible's keeps of a
    # collection.
    panel = "ansible_collections.hosting.panel"

    for package in (
        "ansible_collections",
        "ansible_collections.hosting",
        panel,
        f"{panel}.plugins",
        f"{panel}.plugins.doc_fragments",
        f"{panel}.plugins.lookup",
    ):
        if package in sys.modules:
            importlib.reload(sys.modules[package])


@cache
def read_documentation(name: str) -> dict[str, Any]:
    """Return the documentation of a module with its fragments.

    Plus ``examples`` and ``return`` as YAML gives them.
    """
    prepare_loader()
    path = MODULES / f"{name}.py"
    doc, examples, returned, _metadata = get_docstring(
        str(path),
        fragment_loader,
        is_module=True,
        collection_name="hosting.panel",
        plugin_type="module",
    )
    returned = yaml.safe_load(returned) if isinstance(returned, str) else returned

    return {**doc, "examples": yaml.safe_load(examples or ""), "return": returned}


def read_own_documentation(name: str) -> dict[str, Any]:
    """Return the documentation of a module without its fragments."""
    doc: dict[str, Any] = read_docstring(str(MODULES / f"{name}.py"))["doc"]
    return doc


def find_operation(name: str) -> Any:
    """Return what the module does; None for the helpers, which are actions only."""
    module = importlib.import_module(f"ansible_collections.hosting.panel.plugins.modules.{name}")
    return getattr(module, "OPERATION", None)


def list_arguments(name: str) -> dict[str, Any]:
    """Return the options that the module takes.

    Those of its action where it is one of the helpers.
    """
    if name in OF_CONTENT:
        module = importlib.import_module(
            f"ansible_collections.hosting.panel.plugins.modules.{name}"
        )
        options: dict[str, Any] = module.OPTIONS
        return options
    module_operation = find_operation(name)
    if module_operation is not None:
        return module_operation.validator.argument_spec
    package = "ansible_collections.hosting.panel.plugins"
    specification = importlib.import_module(f"{package}.action.{name}").ActionModule.specification
    # Where a task may name several panels, their connection has its defaults later.
    connection = importlib.import_module(
        f"{package}.module_utils._http.connection_settings"
    ).build_connection_argument_spec()

    return {
        option: connection.get(option, described) for option, described in specification.items()
    }


def read_runtime() -> dict[str, Any]:
    """Return what meta/runtime.yml says."""
    content: dict[str, Any] = yaml.safe_load(
        (ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8")
    )
    return content


def list_tracked_files() -> list[Path]:
    """Return the files of the repository, without what git ignores."""
    import subprocess

    command = [
        "git",
        "-C",
        str(ROOT),
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "-z",
    ]
    names = subprocess.run(
        command, capture_output=True, check=True, text=True, timeout=60
    ).stdout.split("\0")

    return [ROOT / name for name in names if name and (ROOT / name).is_file()]
