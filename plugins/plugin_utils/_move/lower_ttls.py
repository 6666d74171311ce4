# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lowers the times to live in all zones of a client, and keeps the zones as they were in a file on the controller. Private to the collection."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...module_utils._kinds.domain import class_of
from ...module_utils._kinds.registry import DNS
from ...module_utils._schema.kind import OWNER
from .._jobs.job import Job
from .._jobs.job_failed import JobFailed, explained, id_of
from .._jobs.run_modules import ModuleRuns, read_objects, with_owners
from .._run.controller_files import check_place, locked_folder, private_folder, write_private_file
from .mapping import CannotMove, no_client
from .move_options import panel_of_side, read_zones_file
from .moved_zones import changes_only_ttls, longest, lowered

_NOT_CHANGED = "No zone was changed."


def check_lowering(arguments: Mapping[str, Any]) -> None:
    """Raises CannotMove, and JobFailed where the file cannot be written."""
    if not 30 <= arguments["ttl"] <= 86400:
        raise CannotMove(f"ttl: {arguments['ttl']} is not accepted; it must be from 30 to 86400 seconds.")
    if not arguments["zones_file"]:
        raise CannotMove("zones_file: missing; the zones as they were are kept in it.")
    with explained(f"zones_file: {arguments['zones_file']}", _NOT_CHANGED):
        check_place(Path(arguments["zones_file"]), missing=1)


def lower_ttls(job: Job) -> dict[str, Any]:
    """The result of the step. Raises CannotMove, WithoutId and ModuleFailed before a zone is changed, JobFailed also later."""
    arguments = job.arguments
    check_lowering(arguments)
    source = panel_of_side(job, "source")
    kept = read_zones_file(arguments["zones_file"], arguments["client"], source.name())
    zones = _zones_of(source, arguments["client"])
    wanted: dict[str, list[dict[str, Any]]] = {}
    for zone in zones:
        records = lowered(_records(zone), arguments["ttl"])
        if records is not None:
            wanted[zone["domain"]] = records
    changed = [zone for zone in zones if zone["domain"] in wanted]
    options: dict[str, Any] = {
        "resources": {"dns": [{"domain": domain, "records": records} for domain, records in wanted.items()]}
    }
    if changed:
        options["expected_checksum"] = _checked(source.succeed("panel_resources", options, check_mode=True)["plan"])
    if changed and not job.check_mode:
        with explained(f"zones_file: {arguments['zones_file']}", _NOT_CHANGED):
            kept = keep_zones(Path(arguments["zones_file"]), arguments["client"], source.name(), changed)
    result = {
        "changed": bool(changed),
        "zones": [{"domain": zone["domain"], "longest_ttl": longest(_records(zone))} for zone in changed],
        "wait": max((longest(_records(zone)) for zone in [*kept.values(), *changed]), default=0),
    }
    done = source.run("panel_resources", options) if changed else {}
    if done.get("failed"):
        raise JobFailed(f"On the source: {done.get('msg')}", changed=bool(done.get("changed")))
    return result


def keep_zones(path: Path, client: str, panel: str, zones: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Puts the zones as they are into the file, and returns all that are in it; raises OSError, and CannotMove as of `read_zones_file`.

    What a zone was before the first time counts, also where another run kept it after this one had read the zones.
    """
    with locked_folder(private_folder(path)):
        kept = read_zones_file(str(path), client, panel)
        new = {zone["domain"]: zone for zone in zones if zone["domain"] not in kept}
        if new:
            kept.update(new)
            content = {"client": client, "panel": panel, "zones": kept}
            write_private_file(path, f"{json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True)}\n")
    return kept


def _checked(plan: Mapping[str, Any]) -> str:
    """The checksum of a plan that changes times to live and nothing else: what somebody changed in a zone since it was read stays."""
    others = [action["key"] for action in plan["actions"] if not changes_only_ttls(action)]
    if others:
        raise CannotMove(f"client: somebody changes records of {', '.join(others)} right now; run it again.")
    return str(plan["checksum"])


def _zones_of(source: ModuleRuns, client: str) -> list[dict[str, Any]]:
    """The zones with records of the client's main domains. Raises WithoutId."""
    found = read_objects(source, "clients", username=client)
    if not found:
        raise no_client(client)
    owner = str(id_of(found[0], f"clients {client}"))
    ids = [
        id_of(domain, f"domains {domain.get('domain')}")
        for domain in with_owners(source, "domains", read_objects(source, "domains"))
        if str(domain.get(OWNER)) == owner and class_of(domain) == "main_domains"
    ]
    zones = [zone for identifier in ids for zone in source.read("panel_dns_info", DNS, {"id": identifier})]
    return [zone for zone in zones if not zone.get("is_dns_disabled") and _records(zone)]


def _records(zone: Mapping[str, Any]) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = (zone.get("records") or {}).get("other") or []
    return records
