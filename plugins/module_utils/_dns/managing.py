# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manages the zone of one main domain: read, plan, read again, write, read, verify. Private to the collection.

The panel replaces a zone as a whole, so whatever somebody else changes between reading and writing would be lost. A second read just
before the write makes that moment as short as it can be, a third one after it proves what became of the zone.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Callable, NamedTuple

from .._errors import Conflict, PanelError, Refused, UnknownReference
from .._http.panel_client import PanelClient
from .._kinds.client import CLIENT
from .._kinds.domain import TELL_SUBDOMAINS, ZONE, class_of
from .._kinds.owner import owner as owner_row
from .._object.objects import Panel
from .._schema.kind import OWNER
from .._secrets.redaction import without_secrets
from .._task.locks import exclusive, longest_write
from .._task.mistakes import without_ending
from .._task.operation import Operation, Outcome, Task
from .._values.json_values import read_id
from .planning import ZonePlan, plan_zone
from .reading import domain_path, find_domain, find_zone, find_zone_of, same_zone, zone_path
from .verification import Shortfall, shortfall
from .wanted_zone import DNS_CONSTRAINTS, DNS_OPTIONS, WAIT_OPTIONS, WantedZone, located, needs_domain, read_wanted_zone
from .zone import PUBLIC, flag, listed, uses_domain

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
    wait = _waiting(task, wanted, params) if params.get("wait") else None
    zone, wanted = observe_zone(task, wanted)
    change = manage_zone(task, wanted, zone)
    for warning in change.plan.warnings:
        task.warn(warning)
    result = reported(wanted, change.before, change.after)
    if wait is not None and not task.check_mode:
        try:
            wait(wanted, change.after)
        except PanelError as error:
            error.details["result"] = {"changed": change.plan.is_change, **result}
            raise
    return Outcome(
        changed=change.plan.is_change,
        result=result,
        before=change.plan.before,
        after=change.plan.after,
    )


def _waiting(
    task: Task, given: WantedZone, params: Mapping[str, Any]
) -> Callable[[WantedZone, Mapping[str, Any]], None]:
    """What waits for the name servers once the zone is written; raises PanelError where that could not work."""
    from .waiting import named_servers, own_servers, wait_until_served  # noqa: PLC0415 - few tasks wait

    named = named_servers(params, given)

    def wait(wanted: WantedZone, zone: Mapping[str, Any]) -> None:
        domain = wanted.domain or str((find_domain(task.client, wanted) or {}).get("domain"))
        servers = named or own_servers(zone, domain)
        wait_until_served(wanted, zone, domain, servers, params["wait_timeout"], task.say)

    return wait


def reported(wanted: WantedZone, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> dict[str, Any]:
    """The result keys of a task. after: None where it is not known."""
    records: Mapping[str, Any] = before["records"] if before else {}
    result: dict[str, Any] = {"records_before": records.get("other", []), "soa_before": records.get("soa", {})}
    if after is not None:
        named = {"id": wanted.id} if wanted.id is not None else {"domain": wanted.domain}
        result[ZONE.singular] = {**named, **after}
    shown: dict[str, Any] = without_secrets(result, PUBLIC)
    return shown


def observe_zone(task: Task, wanted: WantedZone) -> tuple[dict[str, Any] | None, WantedZone]:
    """The zone, and what is wanted of it with the domain where it is needed to compare.

    None in check mode for a domain that is not there, because an earlier task may be about to create it; else UnknownReference.
    """
    zone = read_zone(task.client, wanted)
    if zone is None:
        _refuse_or_warn(task, wanted)
        return None, wanted
    if wanted.id is not None and wanted.domain is None:
        wanted = _located_by_id(task, wanted, zone)
    if wanted.client is not None:
        check_owner(wanted, find_domain(task.client, wanted) or {}, Panel(lambda: task.client))
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


def _located_by_id(task: Task, wanted: WantedZone, zone: Mapping[str, Any]) -> WantedZone:
    domain = None
    if needs_domain(wanted) or (wanted.records is not None and uses_domain(zone, wanted.records)):
        found = find_domain(task.client, wanted)
        domain = found.get("domain") if found else None
        if not isinstance(domain, str):
            raise Conflict(
                f"GET {domain_path(wanted)} does not say which domain that is. Name it by domain. Nothing was written."
            )
    again = located(wanted, domain)
    for warning in again.warnings:
        task.warn(warning)
    return again


def read_zone(client: PanelClient, wanted: WantedZone) -> dict[str, Any] | None:
    """The zone; switches that it does not show are taken from the domain where they decide something."""
    zone = find_zone(client, wanted)
    if zone is None:
        return None
    decides = wanted.state == "default" or wanted.is_dns_disabled is not None or not zone["records"]["other"]
    missing = [name for name in ("is_custom_dns", "is_dns_disabled") if flag(zone, name) is None]
    if missing and decides:
        found = find_domain(client, wanted) or {}
        zone.update({name: found[name] for name in missing if name in found})
    return zone


def _refuse_or_warn(task: Task, wanted: WantedZone) -> None:
    """The panel answers 404 for subdomains too; only the domain itself tells why there is no zone."""
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


def may_be_below_another(wanted: WantedZone) -> bool:
    """Whether only the domain itself tells that it is no subdomain; a name of two labels is below of nothing."""
    return wanted.domain is None or wanted.domain.count(".") > 1


def refuse_zone_of_main_domain(
    client: PanelClient, wanted: WantedZone, zone: Mapping[str, Any], domain: Mapping[str, Any]
) -> None:
    """Raises Conflict where the zone is, or may be, that of the main domain above, with which a panel may answer for a subdomain.

    domain: the one of the zone, with what the panel shows of it.
    """
    kind, is_told = class_of(domain), not TELL_SUBDOMAINS.isdisjoint(domain)
    if kind == "system_domains" or (is_told and kind != "subdomains"):
        return
    above = _zone_above(client, wanted, domain)
    if not is_told and above is None:
        return
    if above is not None and not same_zone(zone, above):
        return
    option = "domain" if wanted.id is None else "id"
    what = "is a subdomain" if is_told else "may be a subdomain, of which the panel does not say whether it is one"
    raise Conflict(
        f"{option}: {wanted.label()} {what}, and this panel answers with the zone of the main domain that it belongs to, which the task "
        "would change. Manage the records in the zone of the main domain. Nothing was written.",
        option=option,
    )


def _zone_above(client: PanelClient, wanted: WantedZone, domain: Mapping[str, Any]) -> dict[str, Any] | None:
    """The zone of the domain that this one is in, or else of the nearest one whose name it ends with; None where there is none."""
    parent = read_id(domain.get("id_parent_domain"))
    if parent is not None:
        return find_zone_of(client, parent)
    labels = str(domain.get("domain") or wanted.domain or "").split(".")
    names = (".".join(labels[start:]) for start in range(1, len(labels) - 1))
    zones = (find_zone(client, WantedZone(domain=name)) for name in names)
    return next((zone for zone in zones if zone is not None), None)


def manage_zone(task: Task, wanted: WantedZone, zone: Mapping[str, Any] | None, is_exact: bool = False) -> ZoneChange:
    """Makes the zone (as it was read) what is wanted (located), unless in check mode: with one write, and one more for what that leaves.
    is_exact: whether it may only change as it would have when it was read.

    Raises Conflict before the write when the plan is refused or the zone does not hold still, Busy when another task does not end to write
    it, ZoneDamaged when it is wrong after the write.
    """
    plan = plan_zone(zone, wanted)
    if zone is None or not plan.is_change:
        return ZoneChange(plan, zone, plan.zone)
    domain: Mapping[str, Any] = {"domain": wanted.domain}
    if may_be_below_another(wanted):
        domain = find_domain(task.client, wanted) or {}
        refuse_zone_of_main_domain(task.client, wanted, zone, domain)
    if task.check_mode:
        return ZoneChange(plan, zone, plan.zone)
    with _alone(task.client, wanted, str(domain.get("domain", wanted.label()))):
        return _change(task, wanted, zone, plan if is_exact else None)


def _alone(client: PanelClient, wanted: WantedZone, domain: str) -> AbstractContextManager[None]:
    """The time in which no other task of this user on this machine writes the zone, by whichever option it names it."""
    # By the zone alone, since one panel may be known by several names.
    return exclusive(f"zone {domain.lower()}", f"the zone of {wanted.label()}", longest_write(client.connection))


def _change(task: Task, wanted: WantedZone, zone: Mapping[str, Any], approved: ZonePlan | None) -> ZoneChange:
    for _start in range(MOST_STARTS):
        plan = plan_zone(zone, wanted)
        if not plan.is_change:
            return ZoneChange(plan, zone, plan.zone)
        if approved is not None and plan.difference != approved.difference:
            raise Conflict(
                f"The zone of {wanted.label()} has changed since its plan was made, so the task would change it in another way. "
                "expected_checksum allows only the plan. Nothing was written for this zone. Plan again."
            )
        again = _read_again(task.client, wanted)
        if not same_zone(zone, again):
            zone = again
            continue
        try:
            _write(task.client, wanted, zone, plan)
        except _Moved as moved:
            if plan_zone(moved.zone, wanted).is_change:
                zone = moved.zone
                continue
        return ZoneChange(plan, zone, _verified(task.client, wanted, zone, plan))
    raise Conflict(
        f"The zone of {wanted.label()} changed {MOST_STARTS} times between reading it and writing it: somebody else is changing it too. "
        "Nothing was written. Run the task again when they are done."
    )


def _read_again(client: PanelClient, wanted: WantedZone) -> dict[str, Any]:
    zone = read_zone(client, wanted)
    if zone is None:
        raise Conflict(f"The zone of {wanted.label()} vanished while the task ran. Nothing was written.")
    return zone


class _Moved(Exception):
    """The zone is another than before a write whose answer was lost: the write had its effect, or somebody else changed it."""

    def __init__(self, zone: dict[str, Any]) -> None:
        super().__init__()
        self.zone = zone


def _write(client: PanelClient, wanted: WantedZone, zone: Mapping[str, Any], plan: ZonePlan) -> None:
    """Sends the plan; a repeat must not overwrite what somebody else wrote meanwhile, so the zone is read again before each."""

    def look() -> None:
        try:
            again = _read_again(client, wanted)
        except PanelError as error:
            problem = (
                f"The zone of {wanted.label()} had been sent before that, and whether it was written is not known."
            )
            raise _with_records(error, problem, wanted, zone) from error
        if not same_zone(zone, again):
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


def _completed(client: PanelClient, wanted: WantedZone, plan: ZonePlan) -> dict[str, Any] | None:
    """The zone after the write, and after another one of what that has left as it was."""
    after = read_zone(client, wanted)
    left = {name: value for name, value in plan.rest.items() if after and flag(after, name) is (not value)}
    if not left:
        return after
    client.put(zone_path(wanted), left)
    return read_zone(client, wanted)


def _verified(client: PanelClient, wanted: WantedZone, zone: Mapping[str, Any], plan: ZonePlan) -> dict[str, Any]:
    """The zone after the write; raises ZoneDamaged where it is not what it should be."""
    try:
        after = _completed(client, wanted, plan)
        gone = Shortfall(unmet=("the zone is not there any more",))
        found = gone if after is None else shortfall(zone, plan, after, wanted)
    except PanelError as error:
        problem = f"The zone of {wanted.label()} had just been written, and whether anything is missing could not be made sure."
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
    """The same error with what it means for the zone, and with the records from before in the result."""
    message = without_ending(error.message)  # which is true of the request that failed, not of the task
    return type(error)(
        f"{message} {problem} Run the task again, and compare with records_before in this result.",
        **{**error.details, "result": {**reached, **reported(wanted, zone, None)}},
    )


def _words_for(found: Shortfall, wanted: WantedZone) -> str:
    text = f"The zone of {wanted.label()} was written, and is not what it should be: somebody else may have changed it at the same moment."
    if found.lost:
        text += f" Lost, though no part of this task: {listed(found.lost)}."
    if found.unmet:
        text += f" Missing of what the task wants: {listed(found.unmet)}."
    return (
        f"{text} Run the task again: it adds what it still misses. What others have lost comes back with append: true and "
        "error.lost_records of this result as records. Do not purge, which would remove what others have written since."
    )
