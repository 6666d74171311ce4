"""What other files repeat of the tables of kinds, of the names of modules and of the addresses in galaxy.yml, written from these.

``python -m tools.generated`` writes it, ``--check`` only says what is out of date.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import yaml

from tools.layout import ROOT, make_importable
from tools.links import Address, read_galaxy


def write_collection_url(text: str) -> str:
    """Return tools/docs/antsibull-docs.cfg with the address of galaxy.yml."""
    pattern = r'(  hosting\.panel = ")https:[^"]*'
    return _replace_each(pattern, lambda match: match[1] + read_galaxy()["repository"], text)


LINK_TO_GUIDE = re.compile(r"(?<=,)https:[^),]*/(docs/\w+\.md)")
"""The address in a link of a plugin's documentation to a guide of the collection."""


def list_plugins_with_links() -> list[str]:
    """Return the paths of the plugins whose documentation links to guides of the collection."""
    return sorted(
        path.relative_to(ROOT).as_posix()
        for path in ROOT.glob("plugins/*/*.py")
        if LINK_TO_GUIDE.search(path.read_text(encoding="utf-8"))
    )


def write_addresses_of_guides(text: str) -> str:
    """Return documentation of plugins, its links to guides with the address of galaxy.yml."""
    address = Address.read(read_galaxy())
    return LINK_TO_GUIDE.sub(lambda match: address.find(match[1]), text)


def make_contacts() -> str:
    """Return .github/ISSUE_TEMPLATE/config.yml: where GitHub sends a person beside the forms."""
    page = Address.read(read_galaxy()).find("SECURITY.md")
    return (
        "# Written by `python -m tools.generated`.\n---\nblank_issues_enabled: true\n"
        f"contact_links:\n  - name: Report a vulnerability\n    url: {page}\n"
        "    about: In private, as SECURITY.md says\n"
    )


def make_links() -> str:
    """Return docs/docsite/links.yml: the links of the collection's page in Ansible's documentation."""
    return (
        "# Written by `python -m tools.generated`.\n---\nextra_links:\n"
        f"  - description: Repository\n    url: {read_galaxy()['repository']}\n"
        f"  - description: Guides\n    url: {read_galaxy()['documentation']}\n"
        f"  - description: Report an issue\n    url: {read_galaxy()['issues']}\n"
        "communication:\n  forums:\n    - topic: Ansible Forum\n"
        "      url: https://forum.ansible.com/c/help/6\n"
    )


OWN_SETTINGS = "scenario:\n"
SCENARIOS = sorted(
    path.relative_to(ROOT).as_posix() for path in ROOT.glob("extensions/molecule/*/molecule.yml")
)
PLUGINS = "ansible_collections.hosting.panel.plugins"


def write_modules(text: str) -> str:
    """Return meta/runtime.yml with every module in the action group.

    A module is routed, unless it is an action with nothing else, or works on content of a host and
    calls no panel.
    """
    routed = _list_plugin_names("modules") - _list_plugin_names("action") - _list_content_modules()
    # Which of the actions take the options of the connection is written by hand, and which modules
    # take passwords.
    groups = yaml.safe_load(text)["action_groups"]
    members = _format_members(routed | set(groups["panel"]))
    with_passwords = _format_members(groups["panel_passwords"])
    routes = "".join(
        f"    {name}:\n      action_plugin: hosting.panel.panel\n" for name in sorted(routed)
    )
    tables = f"action_groups:\n  panel:\n{members}  panel_passwords:\n{with_passwords}"
    routing = f"plugin_routing:\n  modules:\n{routes}"
    return text.partition("action_groups:")[0] + tables + routing


def _format_members(names: Iterable[str]) -> str:
    return "".join(f"    - {name}\n" for name in sorted(names))


def _list_plugin_names(folder: str) -> set[str]:
    return {path.stem for path in ROOT.glob(f"plugins/{folder}/panel_*.py")}


def _list_content_modules() -> set[str]:
    return {
        path.stem
        for path in ROOT.glob("plugins/modules/panel_*.py")
        if "module_utils._content" in path.read_text(encoding="utf-8")
    }


def make_choices_writer(kinds: Iterable[str]) -> Callable[[str], str]:
    """Return a function that writes these kinds into a text.

    They come wherever the text has a list of choices that begins with the first of them, and it is
    a ValueError if no list does.
    """
    names = list(kinds)

    def change(text: str) -> str:
        """Return the text with the list of choices."""
        choices = f"choices: [{', '.join(names)}]"
        return _replace_each(rf"choices: \[{names[0]}, [^]]*\]", lambda _match: choices, text)

    return change


def _replace_each(pattern: str, replace: Callable[[re.Match[str]], str], text: str) -> str:
    """Return the text with each match replaced. Raises ValueError where there is none: what nothing
    is written into would always seem to be up to date."""
    replaced, count = re.subn(pattern, replace, text)
    if not count:
        raise ValueError(f"nothing in it matches {pattern}")
    return replaced


def write_settings_of_default(text: str) -> str:
    """Return a molecule scenario with the settings of the scenario default, and its sequence."""
    default = (ROOT / "extensions/molecule/default/molecule.yml").read_text(encoding="utf-8")
    settings, _line, _sequence = default.partition(OWN_SETTINGS)
    _settings, line, sequence = text.partition(OWN_SETTINGS)
    return settings + line + sequence


def list_rotated_kinds(tables: Mapping[str, Any]) -> list[str]:
    """Return the kinds whose passwords the role rotate changes.

    These are clients, and what clients have under a name.
    """
    rotated = []
    for plural, kind in tables.items():
        is_of_client = plural == "clients" or kind.owner
        if kind.password is not None and len(kind.key) == 1 and is_of_client:
            rotated.append(plural)

    return rotated


def list_texts() -> list[tuple[str, Callable[[str], str]]]:
    """Return what is written, with a function that makes the new text of the old one."""
    registry = importlib.import_module(f"{PLUGINS}.module_utils._kinds.registry")
    rotated = list_rotated_kinds(registry.TABLES)
    return [
        (".github/ISSUE_TEMPLATE/config.yml", lambda _text: make_contacts()),
        ("docs/docsite/links.yml", lambda _text: make_links()),
        *((name, write_addresses_of_guides) for name in list_plugins_with_links()),
        ("tools/docs/antsibull-docs.cfg", write_collection_url),
        ("meta/runtime.yml", write_modules),
        ("plugins/modules/panel_resources.py", make_choices_writer(registry.TABLES)),
        ("plugins/modules/panel_resources_info.py", make_choices_writer(registry.KINDS)),
        ("roles/rotate/vars/main.yml", make_choices_writer(rotated)),
        ("extensions/awx/objects/job_templates.yml", make_choices_writer(registry.TABLES)),
        ("extensions/awx/objects/job_templates.yml", make_choices_writer(rotated)),
        *((name, write_settings_of_default) for name in SCENARIOS),
    ]


def main(is_check: bool) -> int:
    """Return 1 where something would have to be written and only a check was asked for, and where a
    file has no place for it."""
    make_importable()
    outdated = 0
    without_place = 0

    for name, change in list_texts():
        file = ROOT / name
        text = file.read_text(encoding="utf-8")
        try:
            changed = change(text)
        except ValueError as error:
            print(f"{name} cannot be written: {error}")
            without_place += 1
            continue
        if changed == text:
            continue
        outdated += 1
        if is_check:
            print(f"{name} is out of date; run python -m tools.generated")
        else:
            print(f"{name} written")
            file.write_text(changed, encoding="utf-8")

    return int(without_place > 0 or (is_check and outdated > 0))


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
