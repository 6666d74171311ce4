# SPDX-License-Identifier: GPL-3.0-or-later
"""Manages the zone of one main domain: read, plan, read again, write, read, verify. Private to the collection.

The panel replaces a zone as a whole, so whatever somebody else changes between reading and writing would be lost. A second read just
before the write makes that moment as short as it can be, a third one after it proves what became of the zone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from .._errors import Conflict, PanelError, Refused, UnknownReference, without_ending
from .._http.answers import unexpected_answer
from .._http.panel_client import PanelClient
from .._kinds.client import CLIENT
from .._kinds.domain import DOMAIN, ZONE
from .._object.objects import Panel
from .._schema.kind import OWNER
from .._secrets.redaction import without_secrets
from .._task.locks import exclusive, longest_write
from .._task.operation import Operation, Outcome, Task
from .planning import NEW_ZONE, Zone, ZonePlan, listed, plan_zone, shortfall
from .reading import PUBLIC, find_domain, find_zone, same_zone, zone_path
from .wanted_zone import DNS_OPTIONS, WAIT_OPTIONS, WantedZone, located, read_wanted_zone

_MOST_STARTS = 5
# What stands for the zone of a domain that is gone, of which records are to be removed.
GONE = dict(NEW_ZONE)


class ZoneDamaged(PanelError):
    """A zone was written and does not hold what it should. The result has the records from before."""


def dns_operation() -> Operation:
    return Operation(options={**DNS_OPTIONS, **WAIT_OPTIONS}, run=_run)


def _run(params: Mapping[str, Any], task: Task) -> Outcome:
    wanted, servers = read_wanted_zone(params), None
    if params.get("wait"):
        from .waiting import named_servers, own_servers, wait_until_served  # noqa: PLC0415 - few tasks wait

        servers = named_servers(params, wanted)
    before, wanted = observed(Panel(lambda: task.client), wanted, assume=task.warn if task.check_mode else None)
    for warning in wanted.warnings:
        task.warn(warning)
    plan = plan_zone(before, wanted)
    after = plan.zone
    if before is not None and plan.is_change and not task.check_mode:
        plan, before, after = write_zone(task.client, wanted, before)
    result = _reported(wanted, before, after)
    if servers is not None and not task.check_mode and after is not GONE:
        try:
            servers = servers or own_servers(after, str(wanted.domain))
            wait_until_served(wanted, after, servers, params["wait_timeout"], task.say)
        except PanelError as error:
            error.details["result"] = {"changed": plan.is_change, **result}
            raise
    return Outcome(plan.is_change, result, plan.before, plan.after)


def _reported(wanted: WantedZone, before: Zone | None, after: Zone | None = None) -> dict[str, Any]:
    """The result keys of a task. after: None where it is not known."""
    records = (before or NEW_ZONE)["records"]
    result: dict[str, Any] = {"records_before": records["other"], "soa_before": records["soa"]}
    if after is not None:
        named = {"id": wanted.id} if wanted.id is not None else {"domain": wanted.domain}
        result[ZONE.singular] = None if after is GONE else {**named, **after}
    shown: dict[str, Any] = without_secrets(result, PUBLIC)
    return shown


class ReadZone(NamedTuple):
    """A zone as it is, and what is wanted of it, located. zone: None where its domain is still to be made; GONE where records are to be
    removed and the domain is not there any more."""

    zone: Zone | None
    wanted: WantedZone

    def write(self, client: PanelClient, is_exact: bool) -> bool:
        """Makes it what is wanted; False where it was that by then. is_exact: only where it changes as it was planned to."""
        zone = _read_again(client, self.wanted) if self.zone is None else self.zone
        # Which records a new zone has, no plan could tell; check mode says that it changes.
        approved = plan_zone(zone, self.wanted) if is_exact and self.zone is not None else None
        return write_zone(client, self.wanted, zone, approved)[0].is_change or self.zone is None


def observed(
    panel: Panel, wanted: WantedZone, new: frozenset[str] = frozenset(), assume: Callable[[str], None] | None = None
) -> ReadZone:
    """The zone of a task or an item; raises UnknownReference where there is none.

    new: the domains that the same task creates. assume: is told that there is no such domain, where an earlier task may create it.
    """
    domains, shown, zone = panel.store(DOMAIN), [OWNER] if wanted.client is not None else [], None
    domain = domains.by_id(wanted.id, shown)
    if domain is not None:
        if not isinstance(domain.get("domain"), str):
            raise unexpected_answer(zone_path(wanted, DOMAIN), "does not say which domain that is.")
        wanted = located(wanted, domain["domain"])
    if wanted.domain in new:
        return ReadZone(None, wanted)
    if wanted.id is None or domain is not None:
        zone = _read(panel.client, wanted)
        domain = domain or (find_domain(panel.client, wanted) if zone is None else None)
    if zone is not None:
        if wanted.client is not None:
            domain = domain or domains.by_key({"domain": wanted.domain}, shown) or {}
            _check_owner(panel, wanted, domain.get(OWNER))
        return ReadZone(zone, wanted)
    if domain is None and wanted.state == "absent":
        return ReadZone(GONE, wanted)
    why = "there is no such domain. Create it first, or correct the task."
    if domain is not None:
        why = "a subdomain has no zone. Manage the records in the zone of the main domain that it belongs to."
    option = "domain" if wanted.id is None else "id"
    problem = f"{option}: {wanted.label()} is not a main domain of this panel: {why}"
    if domain is not None or wanted.id is not None or assume is None:
        raise UnknownReference(f"{problem} Nothing was written.", option=option)
    assume(f"{problem} Check mode assumes that an earlier task creates it; if not, the real run fails here.")
    return ReadZone(None, wanted)


def _check_owner(panel: Panel, wanted: WantedZone, shown: Any) -> None:
    """Raises where the domain does not belong to the client. shown: the id of its owner."""
    owner = panel.look_up(CLIENT.path, str(wanted.client))
    if owner is None:
        problem = f"there is no client {wanted.client} on this panel. Correct the name. Nothing was written."
        raise UnknownReference(f"client: {problem}", option="client")
    if shown is not None and str(shown) != str(owner.get("id")):
        raise Conflict(
            f"client: the domain {wanted.label()} belongs to {panel.owner(shown)}, the task says the client {wanted.client}. "
            "Correct the task. Nothing was written.",
            option="client",
        )


def _read(client: PanelClient, wanted: WantedZone) -> Zone | None:
    """The zone; switches that it does not show are those of its domain, where they may decide something."""
    zone = find_zone(client, wanted)
    hidden = [name for name in ("is_custom_dns", "is_dns_disabled") if zone and zone.get(name) is None]
    if zone and hidden and (wanted.records is None or not zone["records"]["other"]):
        domain = find_domain(client, wanted) or {}
        zone.update({name: domain[name] for name in hidden if name in domain})
    return zone


def write_zone(
    client: PanelClient, wanted: WantedZone, zone: Zone, approved: ZonePlan | None = None
) -> tuple[ZonePlan, Zone, Zone]:
    """Makes the zone (as it was read) what is wanted; the plan, and the zone before and after. approved: the only plan that is carried out.

    Raises Conflict before the write when the plan is refused or the zone does not hold still, Busy when another task does not end to write
    it, ZoneDamaged when it is wrong after the write.
    """
    # By panel and zone, whichever option names it.
    name = f"{client.connection.panel} zone {str(wanted.domain).lower()}"
    with exclusive(name, f"zone {wanted.label()}", longest_write(client.connection)):
        for _start in range(_MOST_STARTS):
            plan = plan_zone(zone, wanted)
            if not plan.is_change:
                return plan, zone, plan.zone
            if approved is not None and plan[3:] != approved[3:]:
                raise Conflict(
                    f"zone {wanted.label()}: it has changed since its plan was made, and expected_checksum allows only that plan. "
                    "Nothing was written for this zone. Plan again."
                )
            now = _read_again(client, wanted)
            if same_zone(zone, now):
                moved = _write(client, wanted, zone, plan)
                if moved is None or not plan_zone(moved, wanted).is_change:
                    return plan, zone, _verified(client, wanted, zone, plan)
                now = moved
            zone = now
    raise Conflict(
        f"zone {wanted.label()}: someone else changed it {_MOST_STARTS} times between reading and writing. Nothing was written. "
        "Run the task again when they are done."
    )


def _read_again(client: PanelClient, wanted: WantedZone) -> Zone:
    zone = _read(client, wanted)
    if zone is None and wanted.state == "absent" and find_domain(client, wanted) is None:
        return GONE
    if zone is None:
        raise Conflict(f"zone {wanted.label()}: it is not there any more. Nothing was written.")
    return zone


class _Moved(Exception):
    """After a lost answer the zone (args) is another one: the write had its effect, or someone else changed it."""


def _write(client: PanelClient, wanted: WantedZone, zone: Zone, plan: ZonePlan) -> Zone | None:
    """Sends the plan. After a lost answer the zone is read until it is as wanted, or the write cannot come any more; a repeat must not
    overwrite what somebody else wrote meanwhile. Returns the zone if that found another one than before the write."""

    def look(is_last: bool) -> None:
        with _after_write("may have been written before.", wanted, zone):
            again = _read_again(client, wanted)
        if not same_zone(zone, again) and (is_last or not plan_zone(again, wanted).is_change):
            raise _Moved(again)

    path = zone_path(wanted)
    try:
        if plan.method == "DELETE":
            client.delete(path, before_repeat=look)
        else:
            client.put(path, plan.body, before_repeat=look)
    except _Moved as moved:
        client.patience.begin_anew()
        found: Zone = moved.args[0]
        return found
    except PanelError as error:
        if not isinstance(error, Refused):
            error.details.setdefault("result", _reported(wanted, zone))
        raise
    return None


def _verified(client: PanelClient, wanted: WantedZone, zone: Zone, plan: ZonePlan) -> Zone:
    """The zone after the write."""
    with _after_write("was written before, and could not be checked.", wanted, zone, changed=True):
        after = _read(client, wanted)
        found = shortfall(zone, plan, after, wanted)
    if after is not None and not found["lost"] and not found["unmet"]:
        return after
    text = f"zone {wanted.label()}: it was written, and someone else changed it at the same moment."
    for whose, lines in (("what others wrote", found["lost"]), ("this task", found["unmet"])):
        text += f" Missing of {whose}: {listed(lines)}." if lines else ""
    text += " Run the task again; to restore the records of others, add error.lost_records with append: true."
    raise ZoneDamaged(text, **found, result={"changed": True, **_reported(wanted, zone, after)})


@contextmanager
def _after_write(problem: str, wanted: WantedZone, zone: Zone, **reached: Any) -> Iterator[None]:
    """A failure in here says that the zone may be another one by now, and has its records from before."""
    try:
        yield
    except PanelError as error:
        # Its advice is true of the request that failed, and not of the task.
        what = getattr(error, "what", without_ending(error.message))
        advice = "Run the task again, and compare with records_before in this result."
        error.message = f"{what} The zone of {wanted.label()} {problem} {advice}"
        error.details["result"] = {**reached, **_reported(wanted, zone)}
        error.may_have_written = True
        raise
