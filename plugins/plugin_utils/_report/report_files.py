# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files have to be written, and writing them. Private to the collection.

A report that says the same as the one of earlier that day is not written: the time in a file is that from which on it was so. On another
day it is written in any case, since days until something ends are counted on it. Metrics are written each time, since they tell when that was.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from .._jobs.job_failed import explained
from .._run.controller_files import read_regular, replace_file

_WRITTEN_AT = re.compile(r'(?:"generated_at": ?"|<meta name="generated-at" content=")([0-9T:+.-]+)"')


class FileFailure(Exception):
    """A file cannot be read or written; the message names it."""


def text_for(path: Path, now: datetime.datetime, make: Callable[[datetime.datetime], str]) -> tuple[str, bool]:
    """(the text that the file has to have, whether it has another one now). ``make`` is the text for a time."""
    old = text_of(path)
    then = None if old is None else _written_at(old)
    if old is not None and then is not None and then.astimezone(now.tzinfo).date() == now.date():
        same = make(then.astimezone(now.tzinfo))
        if same == old:
            return old, False
    return make(now), True


def fresh_text(path: Path, text: str, as_of: Callable[[str], str]) -> tuple[str, bool]:
    """(the text, whether the file says something else now). ``as_of`` leaves the time out of a text."""
    old = text_of(path)
    return text, old is None or as_of(old) != as_of(text)


def _written_at(text: str) -> datetime.datetime | None:
    match = _WRITTEN_AT.search(text)
    if match is None:
        return None
    try:
        then = datetime.datetime.fromisoformat(match[1])
    except ValueError:
        return None
    return then if then.tzinfo else None


def text_of(path: Path) -> str | None:
    """The text of the file, None where there is none; raises FileFailure."""
    with explained(str(path), error=FileFailure):
        try:
            return read_regular(path).decode("utf-8", "replace")
        except FileNotFoundError:
            return None


def write(path: Path, text: str, mode: int, earlier: Sequence[Path] = ()) -> None:
    """Replaces the file as a whole, so that nobody sees half of it; makes its folder. earlier: what was written before it."""
    before = f"{', '.join(map(str, earlier)) or 'Nothing'} was written before it."
    with explained(str(path), f"What was there is as it was. {before} Mend the cause and run again.", FileFailure):
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text.encode(), mode)
