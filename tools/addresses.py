"""The addresses of the project: `galaxy.yml` has them, and all other files repeat them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import yaml

from tools.layout import ROOT
from tools.layout import guides as guide_pages

INDEX = "docs/README.md"
OF_A_FILE = re.compile(
    r"https://[^\s()<>`\"]+?/(?P<path>(?:docs|roles)/[\w./-]+\w|[A-Z_]{6,}(?:\.md|\.rst)?)(?=[#)>\s])"
)
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


def pages() -> list[str]:
    """Return the pages of the archive, in which a link to a file that is not in the archive is a whole address."""
    found = [ROOT / "README.md", ROOT / "SECURITY.md", *guide_pages(), *ROOT.glob("roles/**/README.md")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def with_addresses(text: str) -> str:
    """A page with the addresses of galaxy.yml; those of others stay."""
    text = _with_each_file(text, of_file)
    return re.sub(r"(\[issue tracker\]\()[^)]*", lambda found: found[1] + named()["issues"], text)


def without_addresses(text: str, folder: str = ".") -> str:
    """The text of a page in this folder of the repository with links to files in their place, as the site has them."""
    return _with_each_file(text, lambda path: os.path.relpath(path, folder))


def _with_each_file(text: str, change: Callable[[str], str]) -> str:
    return OF_A_FILE.sub(lambda found: change(found["path"]) if (ROOT / found["path"]).is_file() else found[0], text)


def with_collection_url(text: str) -> str:
    """tools/docs/antsibull-docs.cfg with the address of galaxy.yml."""
    return re.sub(r'(  hosting\.panel = ")https:[^"]*', lambda found: found[1] + named()["repository"], text)


def links() -> str:
    """docs/docsite/links.yml: the links of the collection's page in Ansible's documentation."""
    return BY_TOOL.format("#") + (
        "---\nextra_links:\n"
        f"  - description: Repository\n    url: {named()['repository']}\n"
        f"  - description: Guides\n    url: {named()['documentation']}\n"
        f"  - description: Report an issue\n    url: {named()['issues']}\n"
    )
