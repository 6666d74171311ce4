# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addresses of the project: `galaxy.yml` has them, and all other files repeat them."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import yaml

from tools.layout import ROOT

INDEX = "docs/README.md"
OF_A_FILE = re.compile(
    r"https://[^\s()<>`\"]+?/(?P<path>(?:docs|roles)/[\w./-]+\w|[A-Z_]{6,}(?:\.md|\.rst)?)(?=[#)>\s])"
)
HEADER = "{0} Copyright: (c) 2026, the hosting.panel contributors\n{0} SPDX-License-Identifier: GPL-3.0-or-later\n"
BY_TOOL = "{0} Written by `python -m tools.generated`.\n"


@cache
def named() -> dict[str, Any]:
    """Return galaxy.yml."""
    content: dict[str, Any] = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))
    return content


def of_file(path: str) -> str:
    """Return the address of a file of the repository; of a picture, that of the picture itself."""
    address: str = named()["documentation"].removesuffix(INDEX)
    return (address.replace("/blob/", "/raw/") if path.endswith(".png") else address) + path


def with_addresses(text: str) -> str:
    """README.md with the addresses of galaxy.yml."""
    text = OF_A_FILE.sub(lambda found: of_file(found["path"]), text)
    return re.sub(r"(\[issue tracker\]\()[^)]*", lambda found: found[1] + named()["issues"], text)


def without_addresses(text: str) -> str:
    """The text with links from the root of the repository, as the site has them."""
    return OF_A_FILE.sub(lambda found: found["path"], text)


def with_collection_url(text: str) -> str:
    """tools/docs/antsibull-docs.cfg with the address of galaxy.yml."""
    return re.sub(r'(  hosting\.panel = ")https:[^"]*', lambda found: found[1] + named()["repository"], text)


def links() -> str:
    """docs/docsite/links.yml: the links of the collection's page in Ansible's documentation."""
    return (HEADER + BY_TOOL).format("#") + (
        "---\nextra_links:\n"
        f"  - description: Repository\n    url: {named()['repository']}\n"
        f"  - description: Report an issue\n    url: {named()['issues']}\n"
    )


def guides() -> str:
    """docs/docsite/rst/guides.rst: the index of the guides, with links to them, which are Markdown."""
    index = (ROOT / INDEX).read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(.+?)\]\((\w+\.md)\) \| (.+) \|$", index, re.MULTILINE)
    lines = "".join(
        f"* `{title.replace('`', '')} <{of_file(f'docs/{page}')}>`__: {text.replace('`', '``')}\n"
        for title, page, text in rows
    )
    label = f"ansible_collections.{named()['namespace']}.{named()['name']}.docsite.guides"
    return (HEADER + BY_TOOL).format("..") + (
        f"\n.. _{label}:\n\nGuides\n======\n\n"
        f"Every command, playbook and output of these pages is executed by the tests, against a simulated panel.\n\n{lines}"
    )
