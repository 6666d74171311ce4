# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind that the API does not have is added to a copy of the plugins, and goes wherever the others go."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.layout import ROOT

TABLE = """
from __future__ import annotations

from .._schema.kind import Field, Kind, Password, Reference
from .._values.collections import SetOf
from .._values.names import EmailAddress
from .._values.value_types import Text
from .owner import ClientName, owner

MAILING_LIST = Kind(
    singular="mailing_list",
    plural="mailing_lists",
    title="mailing list",
    path="/mailing-lists",
    key=(Field("address", EmailAddress()),),
    rows=(
        owner(required=True),
        Reference("moderator", "id_moderator", collection="/clients", noun="client", type=ClientName(), empty_is_zero=True),
        Field("description", Text()),
        Field("members", SetOf(EmailAddress())),
    ),
    by_name=False,
    has_status=True,
    password=Password(),
    domain_of=lambda key: str(key["address"]).rpartition("@")[2],
    is_of_site=True,
)
"""
MODULE = """
from ansible_collections.hosting.panel.plugins.module_utils._kinds.mailing_list import MAILING_LIST
from ansible_collections.hosting.panel.plugins.module_utils._object.{room} import {operation}

OPERATION = {operation}(MAILING_LIST)
"""
# What the registry needs: the import, and the place in the order of dependency.
LINES = {
    "from .plan import PLAN\n": "from .mailing_list import MAILING_LIST\n",
    "        SCHEDULED_TASK,\n": "        MAILING_LIST,\n",
}


def test_a_new_kind_is_a_table_two_modules_and_a_line_in_the_registry(tmp_path: Path) -> None:
    plugins = tmp_path / "ansible_collections" / "hosting" / "panel" / "plugins"
    shutil.copytree(ROOT / "plugins", plugins, ignore=shutil.ignore_patterns("__pycache__"))
    kinds, modules = plugins / "module_utils" / "_kinds", plugins / "modules"
    (kinds / "mailing_list.py").write_text(TABLE, encoding="utf-8")
    for name, room, operation in (
        ("panel_mailing_list", "managing", "resource_operation"),
        ("panel_mailing_list_info", "info", "info_operation"),
    ):
        (modules / f"{name}.py").write_text(MODULE.format(room=room, operation=operation), encoding="utf-8")
    registry = (kinds / "registry.py").read_text(encoding="utf-8")
    for line, added in LINES.items():
        assert registry.count(line) == 1
        registry = registry.replace(line, added + line)
    (kinds / "registry.py").write_text(registry, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", str(Path(__file__).with_name("walk_of_a_new_kind.py")), "-q"]
    words += ["-o", f"pythonpath={tmp_path} {ROOT}", "-o", f"cache_dir={tmp_path / 'cache'}"]
    words += [f"--basetemp={tmp_path / 'walk'}"]
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHONPATH"))}
    walk = subprocess.run(words, cwd=ROOT, env=surroundings, capture_output=True, text=True, timeout=300, check=False)
    assert walk.returncode == 0, walk.stdout + walk.stderr
