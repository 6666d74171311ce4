# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a verify: page and profile are of one run, and what saw less does not replace what saw more. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from .._run.controller_files import reason_of, replace_file

_MODE = 0o644
_EXTENT = re.compile(r"^.*which (was not finished, and )?saw (\d+) of \d+ points.*$", re.MULTILINE)
_VERSION = re.compile(r"version:? (\d[\d.]*\d)")


class Extent(NamedTuple):
    """How much a run saw; the greater, the more."""

    was_finished: bool
    points: int


def _extent(text: str) -> tuple[str, Extent] | None:
    """Version and extent of the run that wrote it; None where no run did."""
    found = _EXTENT.search(text)
    if found is None:
        return None
    version = _VERSION.search(found[0])
    return version[1] if version else "", Extent(not found[1], int(found[2]))


def is_fuller(earlier: str, later: str) -> bool:
    """Whether the earlier text is of a run that saw more of the same version of the panel. A run that was not finished saw less than any other."""
    one, other = _extent(earlier), _extent(later)
    return one is not None and other is not None and one[0] == other[0] and one[1] > other[1]


def noted(text: str, notes: tuple[str, ...]) -> str:
    """The page of an earlier run, with what is to be known of a later one below its title."""
    title, _blank, rest = text.partition("\n\n")
    new = [line for line in (f"**A later verify: {note}**" for note in notes) if line not in text]
    return "\n\n".join([title, *new, rest])


def written(
    page: tuple[Path | None, str],
    profile: tuple[Path | None, str],
    notes: tuple[str, ...],
    only_predicted: bool,
    is_known: bool,
) -> tuple[list[str], list[str], list[str]]:
    """The files that got, or would get, another text; those that are kept; sentences for those that cannot be written.

    notes: what has to be told in any case. is_known: whether the texts are those that a run for real would have.
    """
    texts = {path: text for path, text in (page, profile) if path is not None}
    before = {path: found for path in texts if is_known and (found := _read(path)) is not None}
    kept = [str(path) for path, text in before.items()] if _any_fuller(before, texts) else []
    if kept:
        path = page[0]
        texts = {path: noted(before[path], notes) if path in before else page[1]} if notes and path is not None else {}
    changed, problems = [], []
    for path, text in texts.items():
        try:
            if before.get(path) == text:
                continue
            if not only_predicted:
                replace_file(path, text.encode(), _MODE)
            changed.append(str(path))
        except OSError as error:
            problems.append(f"The panel was verified, but {path} cannot be written: {reason_of(error)}.")
    return changed, kept, problems


def _any_fuller(before: Mapping[Path, str], texts: Mapping[Path, str]) -> bool:
    return any(is_fuller(text, texts[path]) for path, text in before.items())


def _read(path: Path) -> str | None:
    """What it holds; None where nothing can be told of it, as of what is no text."""
    try:
        return path.read_bytes().decode() if path.is_file() else None
    except (OSError, ValueError):
        return None
