# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of a run in which something failed, in the words of the role's users. Pure. Private to the collection."""

from __future__ import annotations

import datetime
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ...module_utils._kinds.certificate import CERTIFICATE
from ...module_utils._task.mistakes import first_of
from .plan import Entry, lifetime_of
from .wanted import Wanted

_MOST_NAMED = 20
_MOST_TOLD = 5
_TOO_SHORT = "No certificate_renew_days is short enough for the shortest of them."
_DONE = ("changed", "unchanged")
# Advice about an option that nobody wrote: the key is the one that was made with the certificate.
_ADVICE = CERTIFICATE.advice({"components": {"private_key": "given"}})


def wrong_in(done: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """By kind and key why panel_resources could not do it. done: what it returned."""
    results = [one for one in done.get("results") or () if one["result"] not in _DONE]
    return {(one["kind"], one["key"]): str(one.get("msg", "")) for one in results}


def not_in_place(done: Mapping[str, Any]) -> list[str]:
    """The sentences about what panel_resources was to upload and to assign, and could not. done: what it returned."""
    if not done.get("failed"):
        return []
    wrong = wrong_in(done)
    if not wrong:
        return [f"The certificates cannot be put in place: {_plain(str(done.get('msg')))}"]
    said = [
        f"{key} {'could not be uploaded' if kind == 'certificates' else 'does not use its certificate'}: {_plain(why)}"
        for (kind, key), why in wrong.items()
    ]
    return [f"Not all certificates are where they belong: {first_of(said, _MOST_TOLD, ' ')}"]


def _plain(message: str) -> str:
    return " ".join(message.replace(_ADVICE, "").split())


def out_of_place(done: Mapping[str, Any], wanted: Iterable[Wanted]) -> set[tuple[str, str]]:
    """By kind and key what panel_resources did not bring to what is wanted; all where it did nothing at all. done: what it returned."""
    if not done.get("failed") or done.get("results"):
        return set(wrong_in(done))
    return {key for one in wanted for key in keys_of(one)}


def keys_of(wanted: Wanted) -> set[tuple[str, str]]:
    """By kind and key what panel_resources is to do for a certificate."""
    return {("certificates", wanted.name), *(("domains", domain) for domain in wanted.assign)}


def complaint(
    failed: Sequence[str],
    end: str,
    left: Sequence[str],
    issued: Collection[str],
    done: Mapping[str, Any],
    zones: Sequence[str] = (),
    held_back: Collection[str] = (),
) -> str:
    """What to say of a run in which something failed; empty where nothing did.

    failed: sentences about the certificates that failed. end: why nothing was ordered at all, as ``why_not_ordered`` says it. left: the
    certificates that were not tried. issued: those that were issued. done: what panel_resources returned. zones: those whose challenge records
    were removed at the end. held_back: the certificates that were not to be put in place.
    """
    said = [*failed, *([end] if end else [])]
    if left:
        said.append(
            f"{len(left)} {'was' if len(left) == 1 else 'were'} not tried after that: {first_of(left, _MOST_NAMED)}."
        )
    said += not_in_place(done)
    if not said:
        return ""
    if zones:
        said.append(f"The challenge records in {first_of(zones, _MOST_NAMED)} were removed.")
    if (failed or left) and not issued and not end:
        said.append("Nothing was issued.")
    if done.get("failed"):
        said.append("The next run puts what is kept in place without a new order.")
    elif issued:
        waiting = [name for name in issued if name in held_back]
        not_in_use = f". Not in place: {first_of(waiting, _MOST_NAMED)}." if waiting else " and in place."
        said.append(f"What was issued is kept{not_in_use}")
    return " ".join([*said, "Run again for the rest."])


def why_not_ordered(end: str, is_written: bool) -> str:
    """Why nothing was ordered, in a sentence; empty where something was. is_written: whether this run has written anything anywhere."""
    return f"{end} Nothing was ordered{'' if is_written else ' or written'}." if end else ""


def about_short_lives(kept: Mapping[str, Entry], renew_days: int) -> list[str]:
    """A warning about certificates that are due from the day on which they are issued; none where there are none. kept: by name."""
    lives = {name: lifetime_of(one) for name, one in kept.items()}
    short = {name: life for name, life in lives.items() if life <= datetime.timedelta(days=renew_days)}
    if not short:
        return []
    words = f"{first_of(list(short), _MOST_NAMED)}: valid for {_length(max(short.values()))} at most from the start, and so renewed in each run."
    days = _days(min(short.values()))
    return [f"{words} {f'Set certificate_renew_days to less than {days}.' if days > 1 else _TOO_SHORT}"]


def _days(life: datetime.timedelta) -> int:
    """Whole days, the last one also where it is none."""
    return math.ceil(life / datetime.timedelta(days=1))


def _length(life: datetime.timedelta) -> str:
    days = _days(life)
    return f"{days} days" if days > 1 else f"{math.ceil(life / datetime.timedelta(hours=1))} hours"
