# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An encrypted value is shown in no plan, whichever option of whichever type it is, and however short."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._bulk.plan_lines import plan_text
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import DNS, KINDS
from ansible_collections.hosting.panel.plugins.module_utils._schema.difference import put
from ansible_collections.hosting.panel.plugins.module_utils._schema.fields import Reference
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.encrypted_values import EncryptedValues
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.yaml_file import read_yaml
from ansible_collections.hosting.panel.plugins.plugin_utils._plan.page import markdown
from tests.support.in_memory import VAULT

# As short as it can be, and one that is in other words too.
VALUES = ("7", "yes", "a canary of sixty letters that is cut where a line is shown to people")
OPTIONS = [
    (plural, tuple(path))
    for plural, kind in KINDS.items()
    if plural != DNS
    for path, option in kind.leaves()
    if not isinstance(option, Reference) and path[0] not in kind.named_by
]


class Vaulted(str):
    """A text that is written encrypted."""


class Dumper(yaml.SafeDumper):
    """Writes values as ``ansible-vault encrypt_string`` does."""

    def vaulted(self, value: Vaulted) -> yaml.Node:
        text = VAULT.encrypt(str(value), secret=VAULT.secrets[0][1]).decode()
        return self.represent_scalar("!vault", text, style="|")


Dumper.add_representer(Vaulted, Dumper.vaulted)


def nested(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    made: dict[str, Any] = {}
    put(made, path, value)
    return made


@pytest.mark.parametrize("whole", [False, True], ids=["value", "file"])
@pytest.mark.parametrize(
    ("plural", "path"), OPTIONS, ids=lambda value: value if isinstance(value, str) else ".".join(value)
)
def test_no_option_of_any_type_is_shown(plural: str, path: tuple[str, ...], whole: bool, tmp_path: Path) -> None:
    names = {name: f"name-{number}.example" for number, name in enumerate(KINDS[plural].named_by)}
    for value in VALUES:
        text = yaml.dump({plural: [{**names, **nested(path, value if whole else Vaulted(value))}]}, Dumper=Dumper)
        file = tmp_path / "all.yml"
        file.write_bytes(VAULT.encrypt(text, secret=VAULT.secrets[0][1]) if whole else text.encode())
        read = read_yaml(file, "all.yml", VAULT)
        assert read.mistakes == ()
        for number, verb in enumerate(("create", "update", "delete")):
            before = nested(path, f"another {number} before") if verb != "create" else {}
            after = nested(path, value) if verb != "delete" else {}
            action = {
                "kind": plural,
                "key": KINDS[plural].key_of(names),
                "action": verb,
                "before": before,
                "after": after,
            }
            counts = {"create": 0, "update": 0, "delete": 0, "unchanged": 0}
            plan = EncryptedValues([read]).masked_plan({"summary": counts, "actions": [action], "checksum": "c0ffee"})
            shown = plan_text(plan) + markdown({"plan": plan}, "web-1")
            assert "another" not in str(plan) and value not in str(plan["actions"][0]["after"])
            assert f" {value}\n" not in shown and f"`{value}`" not in shown
            if verb == "update":
                assert "******** (old)" in shown and "******** (new)" in shown
