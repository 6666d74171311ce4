# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares a client on both panels of its move, and writes the hand-over page. Both panels are only read. Private to the collection."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ...module_utils._kinds.domain import class_of
from ...module_utils._kinds.registry import KINDS
from .._jobs.job import Job
from .._jobs.job_failed import explained
from .._jobs.run_modules import ModuleRuns, read_objects
from .._passwords.credentials_file import CredentialsFile, file_of_task
from .._run.controller_files import check_place, read_regular, write_private_file
from .differences import differences, only_on_target, present, suspended_on
from .hand_over_page import FACTS, PAGES, page_of, remaining
from .mapping import CannotMove, Rules, mapped
from .move_options import both_panels, read_rules
from .moved_zones import longest, name_servers, with_lowered_times
from .read_both_panels import read_both


def compare(job: Job) -> dict[str, Any]:
    """The result of the task; raises JobFailed, CannotMove, and CredentialsError before anything is written."""
    page = Path(job.arguments["page"])
    source, target = both_panels(job)
    for at, own in ((_beside(page), FACTS), (page, PAGES)):
        with explained(f"page: {at}"):
            check_place(at, missing=1, own=own)
    file = file_of_task(job)
    facts = _compared(source, target, job.arguments, file)
    is_new = _is_new(page, facts)
    if is_new and not job.check_mode:
        for at, text in (
            (page, page_of(facts)),
            (_beside(page), f"{json.dumps(facts, ensure_ascii=False, indent=2)}\n"),
        ):
            with explained(f"page: {at}"):
                write_private_file(at, text)
            job.shown["changed"] = True
    return {"changed": is_new, "differences": facts["differences"], "page": str(page), "hand_over": facts}


def _compared(
    source: ModuleRuns, target: ModuleRuns, arguments: Mapping[str, Any], file: CredentialsFile | None
) -> dict[str, Any]:
    """The facts for the hand-over page."""
    rules = read_rules(arguments, source.name())
    seen = read_both(source, target, rules.client)
    wanted = mapped(seen, rules)
    planned = target.succeed("panel_resources", {"resources": wanted.resources}, check_mode=True)
    details = _details(source, rules.client)
    made = present(wanted.resources, planned["plan"])
    before = [longest(zone["records"]["other"]) for zone in rules.zones_before.values()]
    main = [item["domain"] for item in details["resources"].get("domains") or () if class_of(item) == "main_domains"]
    return {
        "client": rules.client,
        "source": source.name(),
        "target": target.name(),
        "at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "differences": differences(planned["plan"], wanted.left_out),
        "only_on_target": only_on_target(wanted.resources, seen.target, rules.client),
        "suspended": suspended_on(seen.source, seen.target, rules.client),
        "made": made,
        "main_domains": sorted(main),
        "credentials_file": file.path if file is not None else "",
        "without_password": _unknown_passwords(made, rules, file, target.name()),
        "remaining": remaining(details, wanted.without_key),
        "name_servers": name_servers(wanted.resources.get("dns", ())),
        "lets_encrypt": wanted.lets_encrypt,
        "held_tasks": wanted.disabled_tasks,
        "zones_file": arguments["zones_file"] or "",
        "wait": max(before, default=0),
        "lowered": with_lowered_times(wanted.resources.get("dns", ()), rules.zones_before),
    }


def _details(source: ModuleRuns, client: str) -> dict[str, Any]:
    found = read_objects(source, "clients", username=client, include=["resources", "stats"])
    if not found:
        raise CannotMove(f"client: there is no client {client} on the source any more.")
    return found[0]


def _unknown_passwords(
    made: Mapping[str, list[str]], rules: Rules, file: CredentialsFile | None, panel: str
) -> list[str]:
    """Accounts on the target whose password is neither in the file nor was given."""
    kept = file.kept() if file is not None else set()
    return [
        f"{kind} {key}"
        for kind, keys in made.items()
        for key in keys
        if KINDS[kind].password and (panel, kind, key) not in kept and (kind, key) not in rules.passwords
    ]


def _beside(page: Path) -> Path:
    return page.with_suffix(".json")


def _is_new(page: Path, facts: Mapping[str, Any]) -> bool:
    """Whether the page on the disk says something else; the time alone is no reason to write it."""
    try:
        before = json.loads(read_regular(_beside(page)))
    except (OSError, ValueError):
        return True
    return not page.is_file() or {**before, "at": None} != {**facts, "at": None}
