"""A list of the sections of Ansible's own documentation to which generated pages lead, in the format that Sphinx reads."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

from tools.layout import BUILD

ANSIBLE_DOCUMENTATION = "https://docs.ansible.com/projects/ansible/latest/"
INVENTORY = BUILD / "docs" / "ansible.inv"
APPENDICES = "reference_appendices"
SECTIONS = (
    ("action_plugins", "plugins/action.html#action-plugins", "Action plugins"),
    ("ansible_configuration_settings", f"{APPENDICES}/config.html", "Ansible configuration settings"),
    ("common_return_values", f"{APPENDICES}/common_return_values.html", "Common return values"),
)
"""Label, address below ANSIBLE_DOCUMENTATION, and title."""
VARIABLE = re.compile(r":\w+:`(ANSIBLE(?:\\?_[A-Z0-9]+)+)`")
PLUGIN = re.compile(r"<(ansible_collections\.ansible\.builtin\.(\w+))>`")
HEADER = "# Sphinx inventory version 2\n# Project: Ansible\n# Version: \n# The remainder of this file is compressed using zlib.\n"


def write_inventory(pages: Path) -> None:
    """Write the file that the settings of Sphinx name, with every variable and plugin of Ansible that the pages refer to."""
    text = "".join(page.read_text(encoding="utf-8") for page in sorted(pages.glob("*.rst")))
    lines = {f"{name} std:label -1 {address} {title}\n" for name, address, title in SECTIONS}
    lines |= {
        f"{name} std:envvar -1 {APPENDICES}/config.html#envvar-{name} -\n"
        for name in VARIABLE.findall(text.replace("\\_", "_"))
    }
    lines |= {
        f"{label} std:label -1 collections/ansible/builtin/{plugin}.html {plugin}\n"
        for label, plugin in PLUGIN.findall(text)
    }
    INVENTORY.write_bytes(HEADER.encode() + zlib.compress("".join(sorted(lines)).encode()))
