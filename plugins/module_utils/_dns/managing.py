# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manages the zone of one main domain: read, plan, read again, write, read, verify. Private to the collection.

The panel replaces a zone as a whole, so whatever somebody else changes between reading and writing would be lost. A second read just
before the write makes that moment as short as it can be, a third one after it proves what became of the zone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._errors import Conflict, PanelError, Refused, UnknownReference
from .._http.panel_client import PanelClient
from .._kinds.client import CLIENT
from .._kinds.domain import ZONE
from .._kinds.owner import owner as owner_row
from .._object.objects import Panel
from .._schema.kind import OWNER
from .._secrets.redaction import without_secrets
from .._task.locks import exclusive, longest_write
from .._task.mistakes import without_ending
from .._task.operation import Operation, Outcome, Task
from .planning import Shortfall, ZonePlan, plan_zone, shortfall
from .reading import domain_path, find_domain, find_zone, same_zone, zone_path
from .wanted_zone import DNS_CONSTRAINTS, DNS_OPTIONS, WAIT_OPTIONS, WantedZone, located, read_wanted_zone
from .zone import GONE, PUBLIC, flag, listed

MOST_STARTS = 5


class ZoneDamaged(PanelError):
    """A zone was written and does not hold what it should. The result has the records from before."""


class ZoneChange(NamedTuple):
    """What happened to a zone. before: None where there is none yet, which only check mode accepts. after: as read, or as predicted."""

    plan: ZonePlan
    before: Mapping[str, Any] | None
    after: Mapping[str, Any]


def dns_operation() -> Operation:
    """The operation of panel_dns."""
    return Operation(options={**DNS_OPTIONS, **WAIT_OPTIONS}, constraints=DNS_CONSTRAINTS, run=_run)


def _run(params: Mapping[str, Any], task: Task) -> Outcome:
    wanted = read_wanted_zone(params)
    for warning in wanted.warnings:
        task.warn(warning)
    named: Any = None
    if params.get("wait"):
        from .waiting import named_servers, own_servers, wait_until_served  # noqa: PLC0415 - few tasks wait

        named = named_servers(params, wanted)
    zone, wanted = observe_zone(task, wanted)
    change = manage_zone(task, wanted, zone)
    result = reported(wanted, change.before, change.after)
    if named is not None and not task.check_mode and change.after is not GONE:
        try:
            domain = str(wanted.domain)
            servers = named or own_servers(change.after, domain)
            wait_until_served(wanted, change.after, domain, servers, params["wait_timeout"], task.say)
        except PanelError as error:
            error.details["result"] = {"changed": change.plan.is_change, **result}
            raise
    return Outcome(change.plan.is_change, result, change.plan.before, change.plan.after)


def reported(wanted: WantedZone, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> dict[str, Any]:
    """The result keys of a task. after: None where it is not known."""
    records: Mapping[str, Any] = before["records"] if before else {}
    result: dict[str, Any] = {"records_before": records.get("other", []), "soa_before": records.get("soa", {})}
    if after is GONE:
        result[ZONE.singular] = None
    elif after is not None:
        named = {"id": wanted.id} if wanted.id is not None else {"domain": wanted.domain}
        result[ZONE.singular] = {**named, **after}
    shown: dict[str, Any] = without_secrets(result, PUBLIC)
    return shown


def observe_zone(task: Task, wanted: WantedZone) -> tuple[Mapping[str, Any] | None, WantedZone]:
    """The zone, and what is wanted of it with the domain where it is needed to compare.

    None in check mode for a domain that is not there, because an earlier task may be about to create it; else UnknownReference.
    """
    zone = read_zone(task.client, wanted)
    if zone is None:
        _refuse_or_warn(task, wanted)
        return None, wanted
    if zone is GONE:
        return zone, wanted
    if wanted.id is not None or wanted.client is not None:
        domain = find_domain(task.client, wanted) or {}
        if wanted.id is not None:
            wanted = _located_by_id(task, wanted, domain.get("domain"))
        check_owner(wanted, domain, Panel(lambda: task.client))
    return zone, wanted


def check_owner(wanted: WantedZone, domain: Mapping[str, Any], panel: Panel) -> None:
    """Raises UnknownReference or Conflict where the domain does not belong to the client that the task names."""
    if wanted.client is None:
        return
    owner = panel.look_up(CLIENT.path, wanted.client)
    if owner is None:
        raise UnknownReference(
            f"client: there is no client {wanted.client} on this panel. Correct the name. Nothing was written.",
            option="client",
        )
    shown = domain.get(OWNER)
    if shown is None or str(shown) == str(owner.get("id")):
        return
    raise Conflict(
        f"client: the domain {wanted.label()} belongs to {panel.shown(owner_row(), shown)}, the task says the client {wanted.client}. "
        "Correct the task. Nothing was written.",
        option="client",
    )


def _located_by_id(task: Task, wanted: WantedZone, domain: Any) -> WantedZone:
    if not isinstance(domain, str):
        raise Conflict(
            f"GET {domain_path(wanted)} does not say which domain that is. Nothing was written. Use domain instead."
        )
    again = located(wanted, domain)
    for warning in again.warnings:
        task.warn(warning)
    return again


def read_zone(client: PanelClient, wanted: WantedZone) -> Mapping[str, Any] | None:
    """The zone; switches that it does not show are taken from the domain where they decide something.

    GONE where records are to be removed and the domain is not there any more.
    """
    zone = find_zone(client, wanted)
    if zone is None:
        return GONE if wanted.state == "absent" and find_domain(client, wanted) is None else None
    decides = wanted.state == "default" or wanted.is_dns_disabled is not None or not zone["records"]["other"]
    missing = [name for name in ("is_custom_dns", "is_dns_disabled") if flag(zone, name) is None]
    if missing and decides:
        found = find_domain(client, wanted) or {}
        zone.update({name: found[name] for name in missing if name in found})
    return zone


def _refuse_or_warn(task: Task, wanted: WantedZone) -> None:
    option = "domain" if wanted.id is None else "id"
    if find_domain(task.client, wanted) is not None:
        raise no_zone_of_its_own(wanted)
    problem = f"{option}: {wanted.label()} is not a main domain of this panel: there is no such domain."
    if not task.check_mode or wanted.id is not None:
        raise UnknownReference(f"{problem} Create it first, or correct the task. Nothing was written.", option=option)
    task.warn(f"{problem} Check mode assumes that an earlier task creates it; otherwise the real run fails here.")


def no_zone_of_its_own(wanted: WantedZone) -> UnknownReference:
    """The error for a domain that is there and has no zone."""
    option = "domain" if wanted.id is None else "id"
    return UnknownReference(
        f"{option}: {wanted.label()} is not a main domain of this panel: subdomains have no zone of their own. Manage the records "
        "in the zone of the main domain that it belongs to. Nothing was written.",
        option=option,
    )


def manage_zone(task: Task, wanted: WantedZone, zone: Mapping[str, Any] | None, is_exact: bool = False) -> ZoneChange:
    """Makes the zone (as it was read) what is wanted (located), unless in check mode: with one write, and one more for what that leaves.
    is_exact: whether it may only change as it would have when it was read.

    Raises Conflict before the write when the plan is refused or the zone does not hold still, Busy when another task does not end to write
    it, ZoneDamaged when it is wrong after the write.
    """
    plan = plan_zone(zone, wanted)
    if zone is None or not plan.is_change:
        return ZoneChange(plan, zone, plan.zone)
    if task.check_mode:
        return ZoneChange(plan, zone, plan.zone)
    # By panel and zone, whichever option names it.
    with exclusive(
        f"{task.client.connection.panel} zone {str(wanted.domain).lower()}",
        f"zone {wanted.label()}",
        longest_write(task.client.connection),
    ):
        return _change(task, wanted, zone, plan if is_exact else None)


def _change(task: Task, wanted: WantedZone, zone: Mapping[str, Any], approved: ZonePlan | None) -> ZoneChange:
    for _start in range(MOST_STARTS):
        plan = plan_zone(zone, wanted)
        if not plan.is_change:
            return ZoneChange(plan, zone, plan.zone)
        if approved is not None and plan.difference != approved.difference:
            raise Conflict(
                f"zone {wanted.label()}: it has changed since its plan was made, and expected_checksum allows only that plan. "
                "Nothing was written for this zone. Plan again."
            )
        again = _read_again(task.client, wanted)
        if not same_zone(zone, again):
            zone = again
            continue
        try:
            _write(task.client, wanted, zone, plan)
        except _Moved as moved:
            task.client.patience.begin_anew()
            if plan_zone(moved.zone, wanted).is_change:
                zone = moved.zone
                continue
        return ZoneChange(plan, zone, _verified(task.client, wanted, zone, plan))
    raise Conflict(
        f"zone {wanted.label()}: someone else changed it {MOST_STARTS} times between reading and writing. Nothing was written. "
        "Run the task again when they are done."
    )


def _read_again(client: PanelClient, wanted: WantedZone) -> Mapping[str, Any]:
    zone = read_zone(client, wanted)
    if zone is None:
        raise Conflict(f"zone {wanted.label()}: it vanished while the task ran. Nothing was written.")
    return zone


class _Moved(Exception):
    """The zone is another than before a write whose answer was lost: the write had its effect, or someone else changed it."""

    def __init__(self, zone: Mapping[str, Any]) -> None:
        super().__init__()
        self.zone = zone


def _write(client: PanelClient, wanted: WantedZone, zone: Mapping[str, Any], plan: ZonePlan) -> None:
    """Sends the plan. After a lost answer the zone is read until it is as wanted, or the write cannot come any more; a repeat must not
    overwrite what somebody else wrote meanwhile."""

    def look(is_last: bool) -> None:
        try:
            again = _read_again(client, wanted)
        except PanelError as error:
            raise _with_records(
                error, f"The zone of {wanted.label()} may have been written before.", wanted, zone
            ) from error
        if not same_zone(zone, again) and (is_last or not plan_zone(again, wanted).is_change):
            raise _Moved(again)

    path = zone_path(wanted)
    try:
        if plan.method == "DELETE":
            client.delete(path, before_repeat=look)
        else:
            client.put(path, plan.body, before_repeat=look)
    except Refused:
        raise
    except PanelError as error:
        error.details.setdefault("result", reported(wanted, zone, None))
        raise


def _completed(client: PanelClient, wanted: WantedZone, plan: ZonePlan) -> Mapping[str, Any] | None:
    after = read_zone(client, wanted)
    left = {name: value for name, value in plan.rest.items() if after and flag(after, name) is (not value)}
    if not left:
        return after
    client.put(zone_path(wanted), left)
    return read_zone(client, wanted)


def _verified(client: PanelClient, wanted: WantedZone, zone: Mapping[str, Any], plan: ZonePlan) -> Mapping[str, Any]:
    """The zone after the write; raises ZoneDamaged where it is not what it should be."""
    try:
        after = _completed(client, wanted, plan)
        gone = Shortfall(unmet=("the zone is not there any more",))
        found = gone if after is None else shortfall(zone, plan, after, wanted)
    except PanelError as error:
        problem = f"The zone of {wanted.label()} was written before, and could not be checked."
        raise _with_records(error, problem, wanted, zone, changed=True) from error
    if after is None or found.lost or found.unmet:
        raise ZoneDamaged(
            _words_for(found, wanted),
            lost=list(found.lost),
            lost_records=list(found.lost_records),
            unmet=list(found.unmet),
            result={"changed": True, **reported(wanted, zone, after)},
        )
    return after


def _with_records(
    error: PanelError, problem: str, wanted: WantedZone, zone: Mapping[str, Any], **reached: Any
) -> PanelError:
    message = without_ending(error.message)  # which is true of the request that failed, not of the task
    fault = type(error)(
        f"{message} {problem} Run the task again, and compare with records_before in this result.",
        **{**error.details, "result": {**reached, **reported(wanted, zone, None)}},
    )
    fault.may_have_written = True
    return fault


def _words_for(found: Shortfall, wanted: WantedZone) -> str:
    text = f"zone {wanted.label()}: it was written, and someone else changed it at the same moment."
    if found.lost:
        text += f" Missing of what others wrote: {listed(found.lost)}."
    if found.unmet:
        text += f" Missing of this task: {listed(found.unmet)}."
    return f"{text} Run the task again; to restore the records of others, add error.lost_records with append: true."
