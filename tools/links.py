"""Follow every link of the pages, as a reader of the repository and as a reader of the archive.

In the repository a link to a file is relative, so it works on every code host and in a clone. In
the archive it is a whole address, since Galaxy shows a page without the files around it:
`write_release_addresses` makes it of the address and the version in galaxy.yml when the archive is
built, so that it leads to the page of this release, also after later ones.

`python -m tools.links` counts the links of the repository, and names those that are dead.
"""

from __future__ import annotations

import posixpath
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tools.layout import ROOT, list_tracked_paths

INDEX = "docs/README.md"
PLACEHOLDER = re.compile(r"[./@]([\w-]+\.)*example(?![\w.-])")
PICTURES = (".gif", ".jpg", ".png", ".svg")
OF_THE_SITE = "tools/docs/"
"""Its pages link to what the site has."""
# A fenced block, or words set as code, in which nothing is a link; or the target of a link.
CODE_OR_TARGET = re.compile(
    r"(?ms)^ *(?P<fence>```+).*?^ *(?P=fence)|(?P<ticks>`+)[^`].*?(?P=ticks)|(?<=\]\()(?P<target>[^)\s]+)"
)
ELSEWHERE = re.compile(r"[a-z][a-z+.-]*:|#|//", re.IGNORECASE)
"""How a target starts that is no file beside the page."""


class Link(NamedTuple):
    """A link of a page: where it is, where it leads, and whether a picture is shown there."""

    page: str
    target: str
    is_picture: bool


@dataclass(frozen=True)
class Address:
    """The addresses at which a code host shows the repository."""

    repository: str
    files: str
    """Of the file PATH it is this one with PATH behind it."""

    @classmethod
    def read(cls, galaxy: Mapping[str, Any]) -> Address:
        """Return the addresses that galaxy.yml has."""
        return cls(galaxy["repository"], galaxy["documentation"].removesuffix(INDEX))

    @classmethod
    def read_release(cls, galaxy: Mapping[str, Any]) -> Address:
        """Return the addresses at the tag of the version that galaxy.yml has."""
        of_branch = cls.read(galaxy)
        all_branches = of_branch.files.rstrip("/").rpartition("/")[0]
        return cls(of_branch.repository, f"{all_branches}/{galaxy['version']}/")

    def find(self, path: str) -> str:
        """Return the address of a file or directory; of a picture, that of the picture itself."""
        files = self.files
        if path.endswith(PICTURES):
            files = files.replace("/blob/", "/raw/")
        return files + path

    def find_path(self, target: str) -> str | None:
        """Return the path of the file to which an address leads, None if it is no file's."""
        for files in (self.files, self.files.replace("/blob/", "/raw/")):
            if target.startswith(files):
                return target.removeprefix(files)
        return None


@dataclass(frozen=True)
class Files:
    """What a reader has: the paths of all files, and the texts of the pages."""

    paths: frozenset[str]
    pages: Mapping[str, str]

    def has(self, path: str) -> bool:
        """Return whether a file or a directory exists."""
        return path in self.paths or any(name.startswith(f"{path}/") for name in self.paths)


def read_galaxy(root: Path = ROOT) -> dict[str, Any]:
    """Return galaxy.yml."""
    content: dict[str, Any] = yaml.safe_load((root / "galaxy.yml").read_text(encoding="utf-8"))
    return content


def read_repository() -> Files:
    """Return the files of the checkout, with the pages that a code host shows."""
    paths = list_tracked_paths()
    pages = {
        path: (ROOT / path).read_text(encoding="utf-8")
        for path in paths
        if path.endswith(".md") and not path.startswith(OF_THE_SITE)
    }
    return Files(frozenset(paths), pages)


def read_archive(archive: Path) -> Files:
    """Return the files of an archive of the collection, with its pages."""
    pages = {}
    with tarfile.open(archive) as content:
        paths = frozenset(member.name for member in content.getmembers() if not member.isdir())
        for name in sorted(path for path in paths if path.endswith(".md")):
            file = content.extractfile(name)
            if file is not None:
                pages[name] = file.read().decode()

    return Files(paths, pages)


def list_links(page: str, text: str) -> list[Link]:
    """Return the links and pictures of a page, also those within tables."""
    links = []
    for token in _list_tokens(text):
        target = token.attrGet("href") or token.attrGet("src")
        if target:
            links.append(Link(page, str(target), token.type == "image"))

    return links


def list_anchors(text: str) -> set[str]:
    """Return the anchors that code hosts give the headings of a page."""
    anchors: Counter[str] = Counter()
    names = set()
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            heading = "".join(child.content for child in inline.children or [])
            name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            names.add(f"{name}-{anchors[name]}" if anchors[name] else name)
            anchors[name] += 1

    return names


def _list_tokens(text: str) -> Iterator[Token]:
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        yield from token.children or []


def list_dead(
    reader: Files,
    repository: Files,
    address: Address,
    *,
    is_published: bool = False,
    has_files: bool = True,
) -> tuple[int, list[str]]:
    """Follow each link of a reader's pages that leads into the project.

    Args:
        reader: what the reader has.
        repository: what the code host shows at the project's addresses.
        address: the project's addresses.
        is_published: whether something is at these addresses.
        has_files: whether the pages are shown with the files around them.

    Returns:
        How many links were followed, and a line for each that leads nowhere.
    """
    view = _View(reader, repository, address, is_published, has_files)
    followed = 0
    dead = []
    for page, text in sorted(reader.pages.items()):
        links = [link for link in list_links(page, text) if view.is_into_project(link.target)]
        followed += len(links)
        for link in links:
            fault = view.find_fault(link)
            if fault:
                dead.append(f"{page}: {link.target}: {fault}")

    return followed, dead


@dataclass(frozen=True)
class _View:
    """How a reader sees the pages; the fields are the arguments of `list_dead`."""

    reader: Files
    repository: Files
    address: Address
    is_published: bool
    has_files: bool

    def is_into_project(self, target: str) -> bool:
        """Return whether a target is no address of others, which may have changed since."""
        if not _is_address(target):
            return True
        return target.startswith(self.address.repository) or bool(PLACEHOLDER.search(target))

    def find_fault(self, link: Link) -> str:
        """Return why a link into the project leads nowhere, an empty text if it leads somewhere."""
        path = self.address.find_path(link.target)
        if path is not None and self.is_published:
            return _find_fault(self.repository, path, link.is_picture)
        if _is_address(link.target):
            return self._find_fault_of_address(link.target)
        if self.has_files or link.target.startswith("#"):
            return _find_fault(self.reader, _resolve(link.page, link.target), link.is_picture)
        return "not a whole address"

    def _find_fault_of_address(self, target: str) -> str:
        """Return why nothing is at an address that is no file's."""
        if self.is_published and target.startswith(self.address.repository):
            return ""
        return "nothing is at this address"


def _is_address(target: str) -> bool:
    """Return whether a target is a whole address, neither a file nor a heading of the page."""
    return bool(ELSEWHERE.match(target)) and not target.startswith("#")


def _resolve(page: str, target: str) -> str:
    """Return the path, with its anchor, of the target of a page's link."""
    if target.startswith("#"):
        return page + target
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), target))


def _find_fault(files: Files, target: str, is_picture: bool) -> str:
    """Return why a path with an anchor leads nowhere, an empty text if it leads somewhere."""
    path, _hash, anchor = unquote(target).partition("#")
    if not files.has(path.rstrip("/")):
        return "no such file"
    if is_picture and not path.endswith(PICTURES):
        return "no picture"
    if anchor and anchor not in list_anchors(files.pages.get(path, "")):
        return "no such heading"
    return ""


def write_whole_addresses(text: str, page: str, address: Address) -> str:
    """Return a page of the archive: its links to files beside it are whole addresses."""

    def replace(match: re.Match[str]) -> str:
        """Return the address of a file, and anything else as it is."""
        target = match["target"]
        if target is None or ELSEWHERE.match(target):
            return match[0]
        return address.find(_resolve(page, target))

    return CODE_OR_TARGET.sub(replace, text)


def write_release_addresses(folder: Path) -> None:
    """Write the addresses of this release into a copy of the checkout, of which an archive is made.

    Links of pages become whole addresses. The documentation of plugins has addresses of the branch,
    which become those of the tag.
    """
    galaxy = read_galaxy(folder)
    release = Address.read_release(galaxy)
    for page in folder.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        path = page.relative_to(folder).as_posix()
        page.write_text(write_whole_addresses(text, path, release), encoding="utf-8")

    branch = Address.read(galaxy)
    for plugin in folder.glob("plugins/*/*.py"):
        text = plugin.read_text(encoding="utf-8")
        plugin.write_text(text.replace(branch.files, release.files), encoding="utf-8")


def main() -> int:
    """Follow the links of the repository; return 1 if one is dead."""
    repository = read_repository()
    address = Address.read(read_galaxy())
    followed, dead = list_dead(repository, repository, address, is_published=False)
    print(*dead, f"{followed} links were followed, {len(dead)} are dead.", sep="\n")
    return int(bool(dead))


if __name__ == "__main__":
    sys.exit(main())
