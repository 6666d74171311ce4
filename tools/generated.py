"""What other files repeat of the tables of kinds, of the names of modules and of the addresses in galaxy.yml, written from these.

``python -m tools.generated`` writes it, ``--check`` only says what is out of date.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import yaml

from tools.layout import ROOT, make_importable
from tools.layout import guides as guide_pages

INDEX = "docs/README.md"
OF_A_FILE = re.compile(
    r"https://[^\s()<>`\"]+?/(?P<path>(?:docs|roles)/[\w./-]+\w|[A-Z_]{6,}(?:\.md|\.rst)?)(?=[#)>\s])"
)


@cache
def named() -> dict[str, Any]:
    """Return galaxy.yml."""
    content: dict[str, Any] = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))
    return content


def of_file(path: str) -> str:
    """Return the address of a file of the repository; of a picture, that of the picture itself."""
    address: str = named()["documentation"].removesuffix(INDEX)
    return (address.replace("/blob/", "/raw/") if path.endswith(".png") else address) + path


def pages() -> list[str]:
    """Return the pages of the archive, in which a link to a file that is not in the archive is a whole address."""
    found = [
        ROOT / "README.md",
        ROOT / "SECURITY.md",
        *guide_pages(),
        *ROOT.glob("roles/**/README.md"),
    ]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def with_addresses(text: str) -> str:
    """A page with the addresses of galaxy.yml; those of others stay."""
    text = _with_each_file(text, of_file)
    return re.sub(r"(\[issue tracker\]\()[^)]*", lambda found: found[1] + named()["issues"], text)


def without_addresses(text: str, folder: str = ".") -> str:
    """The text of a page in this folder of the repository with links to files in their place, as the site has them."""
    return _with_each_file(text, lambda path: os.path.relpath(path, folder))


def _with_each_file(text: str, change: Callable[[str], str]) -> str:
    return OF_A_FILE.sub(
        lambda found: change(found["path"]) if (ROOT / found["path"]).is_file() else found[0], text
    )


def with_collection_url(text: str) -> str:
    """tools/docs/antsibull-docs.cfg with the address of galaxy.yml."""
    return re.sub(
        r'(  hosting\.panel = ")https:[^"]*', lambda found: found[1] + named()["repository"], text
    )


def links() -> str:
    """docs/docsite/links.yml: the links of the collection's page in Ansible's documentation."""
    return (
        "# Written by `python -m tools.generated`.\n---\nextra_links:\n"
        f"  - description: Repository\n    url: {named()['repository']}\n"
        f"  - description: Guides\n    url: {named()['documentation']}\n"
        f"  - description: Report an issue\n    url: {named()['issues']}\n"
    )


OWN_SETTINGS = "scenario:\n"
SCENARIOS = sorted(
    path.relative_to(ROOT).as_posix() for path in ROOT.glob("extensions/molecule/*/molecule.yml")
)
PLUGINS = "ansible_collections.hosting.panel.plugins"


def with_modules(text: str) -> str:
    """meta/runtime.yml with every module in the action group, and routed unless it is an action with nothing else."""
    modules, actions = (
        {path.stem for path in ROOT.glob(f"plugins/{room}/panel_*.py")}
        for room in ("modules", "action")
    )
    routed = modules - actions
    # Which of the actions take the options of the connection is said by hand.
    group = routed | set(yaml.safe_load(text)["action_groups"]["panel"])
    members = "".join(f"    - {name}\n" for name in sorted(group))
    routes = "".join(
        f"    {name}:\n      action_plugin: hosting.panel.panel\n" for name in sorted(routed)
    )
    written = f"action_groups:\n  panel:\n{members}plugin_routing:\n  modules:\n{routes}"
    return text.partition("action_groups:")[0] + written


def with_choices(kinds: Iterable[str]) -> Callable[[str], str]:
    """A text with these kinds wherever it has a list of choices that begins with the first of them."""
    first, *others = kinds

    def change(text: str) -> str:
        return re.sub(
            rf"choices: \[{first}, [^]]*\]", f"choices: [{', '.join((first, *others))}]", text
        )

    return change


def with_settings_of_default(text: str) -> str:
    """The settings of a molecule scenario: those of the scenario default, but for the sequence."""
    settings = (ROOT / "extensions/molecule/default/molecule.yml").read_text(encoding="utf-8")
    return settings.partition(OWN_SETTINGS)[0] + "".join(text.partition(OWN_SETTINGS)[1:])


def rotated_kinds(tables: Mapping[str, Any]) -> list[str]:
    """Whose passwords the role rotate changes: clients, and what they have under a name of its own."""
    with_password = [(plural, kind) for plural, kind in tables.items() if kind.password is not None]
    return [
        plural
        for plural, kind in with_password
        if len(kind.key) == 1 and (plural == "clients" or kind.owner)
    ]


def texts() -> list[tuple[str, Callable[[str], str]]]:
    """What is written, with a function that makes the new text of the old one."""
    registry = importlib.import_module(f"{PLUGINS}.module_utils._kinds.registry")
    rotated = rotated_kinds(registry.TABLES)
    return [
        *((page, with_addresses) for page in pages()),
        ("docs/docsite/links.yml", lambda _text: links()),
        ("tools/docs/antsibull-docs.cfg", with_collection_url),
        ("meta/runtime.yml", with_modules),
        ("plugins/modules/panel_resources.py", with_choices(registry.TABLES)),
        ("plugins/modules/panel_resources_info.py", with_choices(registry.KINDS)),
        ("roles/rotate/vars/main.yml", with_choices(rotated)),
        ("extensions/awx/objects/job_templates.yml", with_choices(registry.TABLES)),
        ("extensions/awx/objects/job_templates.yml", with_choices(rotated)),
        *((name, with_settings_of_default) for name in SCENARIOS),
    ]


def main(is_check: bool) -> int:
    """Return 1 where something would have to be written and only a check was asked for."""
    make_importable()
    outdated = 0
    for name, change in texts():
        text = (ROOT / name).read_text(encoding="utf-8")
        if change(text) != text:
            outdated += 1
            print(
                f"{name} {'is out of date; run python -m tools.generated' if is_check else 'written'}"
            )
            if not is_check:
                (ROOT / name).write_text(change(text), encoding="utf-8")
    return int(is_check and outdated > 0)


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
