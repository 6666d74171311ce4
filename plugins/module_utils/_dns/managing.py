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

from .._errors import Conflict, PanelError, Refused, UnknownReference, without_ending
from .._http.panel_client import PanelClient
from .._kinds.client import CLIENT
from .._kinds.client import owner as owner_row
from .._kinds.domain import DOMAIN, ZONE
from .._object.objects import Panel
from .._schema.kind import OWNER
from .._secrets.redaction import without_secrets
from .._task.locks import exclusive, longest_write
from .._task.operation import Operation, Outcome, Task
from .planning import NEW_ZONE, Shortfall, ZonePlan, listed, plan_zone, shortfall
from .reading import PUBLIC, domain_path, find_domain, find_zone, same_zone, zone_path
from .record_values import flag
from .wanted_zone import DNS_CONSTRAINTS, DNS_OPTIONS, WAIT_OPTIONS, WantedZone, located, read_wanted_zone

_MOST_STARTS = 5
# What stands for the zone of a domain that is gone, of which records are to be removed.
GONE = dict(NEW_ZONE)

Zone = Mapping[str, Any]


class ZoneDamaged(PanelError):
    """A zone was written and does not hold what it should. The result has the records from before."""


class ZoneChange(NamedTuple):
    """What happened to a zone. before: None where there is none yet, which only check mode accepts. after: as read, or as predicted."""

    plan: ZonePlan
    before: Zone | None
    after: Zone


def dns_operation() -> Operation:
    """The operation of panel_dns."""
    return Operation(options={**DNS_OPTIONS, **WAIT_OPTIONS}, constraints=DNS_CONSTRAINTS, run=_run)


def _run(params: Mapping[str, Any], task: Task) -> Outcome:
    wanted = read_wanted_zone(params)
    for warning in wanted.warnings:
        task.warn(warning)
    servers: Any = None
    if params.get("wait"):
        from .waiting import named_servers, own_servers, wait_until_served  # noqa: PLC0415 - few tasks wait

        servers = named_servers(params, wanted)
    zone, wanted = _observed(task, wanted)
    change = manage_zone(task, wanted, zone)
    result = _reported(wanted, change.before, change.after)
    if servers is not None and not task.check_mode and change.after is not GONE:
        try:
            domain = str(wanted.domain)
            servers = servers or own_servers(change.after, domain)
            wait_until_served(wanted, change.after, domain, servers, params["wait_timeout"], task.say)
        except PanelError as error:
            error.details["result"] = {"changed": change.plan.is_change, **result}
            raise
    return Outcome(change.plan.is_change, result, change.plan.before, change.plan.after)


def _reported(wanted: WantedZone, before: Zone | None, after: Zone | None = None) -> dict[str, Any]:
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


# Reading


def _observed(task: Task, wanted: WantedZone) -> tuple[Zone | None, WantedZone]:
    """The zone, and what is wanted of it with the domain where it is needed to compare.

    None in check mode for a domain that is not there, because an earlier task may be about to create it; else UnknownReference.
    """
    zone = _read(task.client, wanted)
    option = "domain" if wanted.id is None else "id"
    if zone is None:
        if find_domain(task.client, wanted) is not None:
            raise _no_zone_of_its_own(wanted)
        problem = f"{option}: {wanted.label()} is not a main domain of this panel: there is no such domain."
        if not task.check_mode or wanted.id is not None:
            advice = "Create it first, or correct the task. Nothing was written."
            raise UnknownReference(f"{problem} {advice}", option=option)
        task.warn(f"{problem} Check mode assumes that an earlier task creates it; otherwise the real run fails here.")
    elif zone is not GONE and (wanted.id is not None or wanted.client is not None):
        domain = find_domain(task.client, wanted) or {}
        if wanted.id is not None:
            name = domain.get("domain")
            if not isinstance(name, str):
                problem = f"GET {domain_path(wanted)} does not say which domain that is."
                raise Conflict(f"{problem} Nothing was written. Use domain instead.")
            wanted = located(wanted, name)
            for warning in wanted.warnings:
                task.warn(warning)
        _check_owner(wanted, domain, Panel(lambda: task.client))
    return zone, wanted


def _no_zone_of_its_own(wanted: WantedZone) -> UnknownReference:
    option = "domain" if wanted.id is None else "id"
    return UnknownReference(
        f"{option}: {wanted.label()} is not a main domain of this panel: subdomains have no zone of their own. Manage the records "
        "in the zone of the main domain that it belongs to. Nothing was written.",
        option=option,
    )


def _check_owner(wanted: WantedZone, domain: Mapping[str, Any], panel: Panel) -> None:
    """Raises UnknownReference or Conflict where the domain does not belong to the client that the task names."""
    if wanted.client is None:
        return
    owner = panel.look_up(CLIENT.path, wanted.client)
    if owner is None:
        problem = f"client: there is no client {wanted.client} on this panel. Correct the name. Nothing was written."
        raise UnknownReference(problem, option="client")
    shown = domain.get(OWNER)
    if shown is not None and str(shown) != str(owner.get("id")):
        raise Conflict(
            f"client: the domain {wanted.label()} belongs to {panel.shown(owner_row(), shown)}, the task says the client {wanted.client}. "
            "Correct the task. Nothing was written.",
            option="client",
        )


def _read(client: PanelClient, wanted: WantedZone) -> Zone | None:
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


class ReadZone(NamedTuple):
    """A zone of a run over many objects, before that run, and what is wanted of it, located. zone: None where its domain is still to be made."""

    zone: Zone | None
    wanted: WantedZone

    def planned(self) -> ZonePlan:
        """What has to be done with it."""
        return plan_zone(self.zone, self.wanted)

    def write(self, client: PanelClient, is_exact: bool) -> bool:
        """Makes it what is wanted; False where it was that by then. is_exact: only where it changes as it was planned to."""
        zone = self.zone
        if zone is None:
            # Which records a new zone has, no plan could tell.
            is_exact, zone = False, _read(client, self.wanted)
            if zone is None:
                raise _missing(client, self.wanted)
        change = manage_zone(Task(False, lambda: client), self.wanted, zone, is_exact)
        # Of a zone that was still to be made, check mode says the same.
        return self.zone is None or change.plan.is_change


def read_zone_of_many(panel: Panel, wanted: WantedZone, new: frozenset[str]) -> ReadZone:
    """The zone that an item names; raises UnknownReference where there is none. new: the domains that the same task creates."""
    if wanted.id is not None:
        domain = panel.store(DOMAIN).by_id(wanted.id)
        if domain is None:
            raise UnknownReference(f"id: there is no domain with id {wanted.id} on this panel.", option="id")
        wanted = located(wanted, str(domain["domain"]))
    if wanted.domain in new:
        return ReadZone(None, wanted)
    zone = _read(panel.client, wanted)
    if zone is None:
        raise _missing(panel.client, wanted)
    if wanted.client is not None:
        _check_owner(wanted, panel.store(DOMAIN).by_key({"domain": wanted.domain}, [OWNER]) or {}, panel)
    return ReadZone(zone, wanted)


def _missing(client: PanelClient, wanted: WantedZone) -> UnknownReference:
    if find_domain(client, wanted) is not None:
        return _no_zone_of_its_own(wanted)
    problem = f"domain: {wanted.label()} is not a domain of this panel, nor one that this task creates."
    return UnknownReference(problem, option="domain")


# Writing


def manage_zone(task: Task, wanted: WantedZone, zone: Zone | None, is_exact: bool = False) -> ZoneChange:
    """Makes the zone (as it was read) what is wanted (located), unless in check mode: with one write, and one more for what that leaves.
    is_exact: whether it may only change as it would have when it was read.

    Raises Conflict before the write when the plan is refused or the zone does not hold still, Busy when another task does not end to write
    it, ZoneDamaged when it is wrong after the write.
    """
    plan = plan_zone(zone, wanted)
    if zone is None or not plan.is_change or task.check_mode:
        return ZoneChange(plan, zone, plan.zone)
    connection = task.client.connection
    # By panel and zone, whichever option names it.
    name = f"{connection.panel} zone {str(wanted.domain).lower()}"
    with exclusive(name, f"zone {wanted.label()}", longest_write(connection)):
        return _change(task.client, wanted, zone, plan if is_exact else None)


def _change(client: PanelClient, wanted: WantedZone, zone: Zone, approved: ZonePlan | None) -> ZoneChange:
    for _start in range(_MOST_STARTS):
        plan = plan_zone(zone, wanted)
        if not plan.is_change:
            return ZoneChange(plan, zone, plan.zone)
        if approved is not None and plan.difference != approved.difference:
            raise Conflict(
                f"zone {wanted.label()}: it has changed since its plan was made, and expected_checksum allows only that plan. "
                "Nothing was written for this zone. Plan again."
            )
        again = _read_again(client, wanted)
        if not same_zone(zone, again):
            zone = again
            continue
        try:
            _write(client, wanted, zone, plan)
        except _Moved as moved:
            client.patience.begin_anew()
            if plan_zone(moved.zone, wanted).is_change:
                zone = moved.zone
                continue
        return ZoneChange(plan, zone, _verified(client, wanted, zone, plan))
    raise Conflict(
        f"zone {wanted.label()}: someone else changed it {_MOST_STARTS} times between reading and writing. Nothing was written. "
        "Run the task again when they are done."
    )


def _read_again(client: PanelClient, wanted: WantedZone) -> Zone:
    zone = _read(client, wanted)
    if zone is None:
        raise Conflict(f"zone {wanted.label()}: it vanished while the task ran. Nothing was written.")
    return zone


class _Moved(Exception):
    """The zone is another than before a write whose answer was lost: the write had its effect, or someone else changed it."""

    def __init__(self, zone: Zone) -> None:
        super().__init__()
        self.zone = zone


def _write(client: PanelClient, wanted: WantedZone, zone: Zone, plan: ZonePlan) -> None:
    """Sends the plan. After a lost answer the zone is read until it is as wanted, or the write cannot come any more; a repeat must not
    overwrite what somebody else wrote meanwhile."""

    def look(is_last: bool) -> None:
        try:
            again = _read_again(client, wanted)
        except PanelError as error:
            problem = f"The zone of {wanted.label()} may have been written before."
            raise _with_records(error, problem, wanted, zone) from error
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
        error.details.setdefault("result", _reported(wanted, zone))
        raise


def _verified(client: PanelClient, wanted: WantedZone, zone: Zone, plan: ZonePlan) -> Zone:
    """The zone after the write; raises ZoneDamaged where it is not what it should be."""
    try:
        after = _read(client, wanted)
        left = {name: value for name, value in plan.rest.items() if after and flag(after, name) is (not value)}
        if left:
            client.put(zone_path(wanted), left)
            after = _read(client, wanted)
        gone = Shortfall(unmet=("the zone is not there any more",))
        found = gone if after is None else shortfall(zone, plan, after, wanted)
    except PanelError as error:
        problem = f"The zone of {wanted.label()} was written before, and could not be checked."
        raise _with_records(error, problem, wanted, zone, changed=True) from error
    if after is not None and not found.lost and not found.unmet:
        return after
    text = f"zone {wanted.label()}: it was written, and someone else changed it at the same moment."
    if found.lost:
        text += f" Missing of what others wrote: {listed(found.lost)}."
    if found.unmet:
        text += f" Missing of this task: {listed(found.unmet)}."
    raise ZoneDamaged(
        f"{text} Run the task again; to restore the records of others, add error.lost_records with append: true.",
        lost=list(found.lost),
        lost_records=list(found.lost_records),
        unmet=list(found.unmet),
        result={"changed": True, **_reported(wanted, zone, after)},
    )


def _with_records(error: PanelError, problem: str, wanted: WantedZone, zone: Zone, **reached: Any) -> PanelError:
    message = without_ending(error.message)  # which is true of the request that failed, not of the task
    fault = type(error)(
        f"{message} {problem} Run the task again, and compare with records_before in this result.",
        **{**error.details, "result": {**reached, **_reported(wanted, zone)}},
    )
    fault.may_have_written = True
    return fault
