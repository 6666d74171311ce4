# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown of each certificate after a run, or in check mode. Pure. Private to the collection."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils._task.mistakes import first_of
from .plan import Entry, end_of, not_covered
from .wanted import Wanted

_MOST_NAMED = 20

Keys = Collection[tuple[str, str]]


@dataclass(frozen=True)
class Course:
    """What became of one certificate, or would.

    why: why it was ordered; empty where it was not. trouble: what it failed with, or that it was not tried. kept: what was to be put in place;
    None where nothing was. reachable: the domains to assign that the panel has for its client. end: until when the one is valid that the panel
    had before; None where it had none.
    """

    wanted: Wanted
    why: str
    trouble: str
    kept: Entry | None
    reachable: Collection[str]
    end: datetime.datetime | None


def row_of(course: Course, changes: Keys, wrong: Keys, now: datetime.datetime, planned: bool) -> dict[str, Any]:
    """A certificate as the task returns it, and in ``done`` what was done.

    changes: by kind and key what was to be changed on the panel. wrong: what did not become as it is wanted. planned: in check mode.
    """
    wanted, name, would = course.wanted, course.wanted.name, "would be " if planned else ""
    predicted = planned and bool(course.why)
    done = [f"{would}ordered, since {course.why}"] if course.why else []
    done += [course.trouble] if course.trouble else []
    is_wrong = ("certificates", name) in wrong
    if course.kept is not None and is_wrong:
        done.append("could not be uploaded")
    elif predicted or ("certificates", name) in changes:
        done.append(f"{would}uploaded")
    uncovered = not_covered(wanted, course.kept, now)
    wrongly = [one for one in wanted.assign if one not in course.reachable or ("domains", one) in wrong]
    # The panel cannot say what it would do with a certificate that is not there yet.
    new = [one for one in wanted.assign if ("domains", one) in changes and one not in wrongly]
    new += wanted.assign if predicted and course.kept is None else []
    if new:
        done.append(f"{would}assigned to {first_of(new, _MOST_NAMED)}")
    if course.kept is not None and uncovered and not predicted:
        done.append(f"not valid for {first_of(uncovered, _MOST_NAMED)}, left as they are")
    out = wrongly if predicted else [*wrongly, *uncovered]
    in_use = predicted or (course.kept is not None and not is_wrong)
    end = _end(course, is_wrong or planned)
    return {
        "name": name,
        "domains": list(wanted.names),
        "not_after": end.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ") if end else None,
        "renewed": bool(course.why),
        "assigned": [one for one in wanted.assign if one not in out] if in_use else [],
        "done": done,
    }


def _end(course: Course, is_as_before: bool) -> datetime.datetime | None:
    """Until when the certificate that the panel has is valid; None where it has none of ours. is_as_before: nothing was uploaded."""
    if course.kept is None:
        return None
    return course.end if is_as_before else end_of(course.kept)


def line_of(row: Mapping[str, Any], planned: bool) -> str:
    """A certificate for a person. row: as ``row_of`` makes it."""
    until = f"until {row['not_after'][:10]}" if row["not_after"] else "not there yet"
    if planned and row["renewed"] and row["not_after"]:
        until = f"{until} now"
    return f"{row['name']}: {'; '.join([until, *row['done']])}"


def line_of_others(names: Collection[str]) -> list[str]:
    """A line about the certificates and orders of the state folder that no item names, whose keys are not lost; none where there are none."""
    words = "in the state folder with their keys, and not among the items; nothing is done with them"
    return [f"{first_of(sorted(names), _MOST_NAMED)}: {words}"] if names else []
