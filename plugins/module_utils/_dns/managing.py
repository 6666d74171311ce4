# SPDX-License-Identifier: GPL-3.0-or-later
"""Manages the zone of one main domain: read, plan, read again, write, read, verify. Private to the collection.

The panel replaces a zone as a whole, so whatever somebody else changes between reading and writing would be lost. A second read just
before the write makes that moment as short as it can be, a third one after it proves what became of the zone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .._errors import Conflict, OptionError, PanelError, Refused, RequestError, UnknownReference, about
from .._http.answers import unexpected_answer
from .._http.panel_client import PanelClient
from .._kinds.tables import CLIENT, DOMAIN, ZONE
from .._log import NOTHING_TO_CHANGE, log_plan, log_resolved
from .._operation.locks import exclusive, longest_write
from .._operation.operation import Operation, Outcome, Task
from .._problems import NOTHING_WRITTEN
from .._schema.kind import OWNER
from .._secrets.redaction import without_secrets
from .._sources.live_source import LiveSource
from .._sources.object_source import ObjectSource
from .planning import NEW_ZONE, Zone, ZonePlan, listed, plan_zone, protect_warnings, shortfall
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
        from .waiting import named_servers, wait_until_served  # noqa: PLC0415 - few tasks wait

        servers = named_servers(params, wanted)
    read = observed(LiveSource(lambda: task.client), wanted, assume=task.warn if task.check_mode else None)
    before, wanted = read
    for warning in (*wanted.warnings, *protect_warnings(before, wanted)):
        task.warn(warning)
    plan = plan_zone(before, wanted)
    log_resolved(wanted.subject, None, before is not None and before is not GONE)
    log_plan(wanted.subject, "change" if plan.is_change else NOTHING_TO_CHANGE)
    after = plan.zone
    if plan.is_change and not task.check_mode:
        plan, before, after = read.write(task.client)
    result = _reported(wanted, before, after)
    if servers is not None and not task.check_mode and after is not GONE:
        try:
            wait_until_served(wanted, after, servers, params["wait_timeout"], task.say, task.name_of)
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

    def write(self, client: PanelClient, is_exact: bool = False) -> tuple[ZonePlan, Zone, Zone]:
        """Makes the zone what is wanted; the plan, and the zone before and after. is_exact: only as it was planned to change.

        Raises Conflict before the write when the plan is refused or the zone does not hold still, Busy when another task does not end to
        write it, ZoneDamaged when it is wrong after the write.
        """
        wanted, label = self.wanted, self.wanted.subject
        with about(label, NOTHING_WRITTEN):
            zone = self.zone or _read_again(client, wanted)
        plan = approved = plan_zone(zone, wanted)
        # By panel and zone, whichever option names it.
        name = f"{client.connection.panel} zone {str(wanted.domain).lower()}"
        with exclusive(name, label, longest_write(client.connection)), about(label, NOTHING_WRITTEN):
            for _start in range(_MOST_STARTS):
                if not plan.is_change:
                    return plan, zone, zone
                # Which records a new zone has, no plan could tell.
                if is_exact and self.zone is not None and plan[3:] != approved[3:]:
                    raise Conflict(
                        "it has changed since its plan was made, and expected_checksum allows only that plan.",
                        label,
                        written="Nothing was written for this zone.",
                        advice="Plan again.",
                    )
                now = _read_again(client, wanted)
                if same_zone(zone, now):
                    try:
                        return plan, zone, _sent(client, wanted, zone, plan)
                    except _Moved as moved:
                        (now,) = moved.args
                zone, plan = now, plan_zone(now, wanted)
        raise Conflict(
            f"someone else changed it {_MOST_STARTS} times between reading and writing.",
            label,
            written=NOTHING_WRITTEN,
            advice="Run the task again when they are done.",
        )


def observed(
    source: ObjectSource[Any],
    wanted: WantedZone,
    new: frozenset[str] = frozenset(),
    assume: Callable[[str], None] | None = None,
) -> ReadZone:
    """The zone of a task or an item; raises UnknownReference where there is none.

    new: the domains that the same task creates. assume: is told that there is no such domain, where an earlier task may create it.
    """
    with about(wanted.subject, NOTHING_WRITTEN):
        return _observed(source, wanted, new, assume)


def _observed(
    source: ObjectSource[Any], wanted: WantedZone, new: frozenset[str], assume: Callable[[str], None] | None
) -> ReadZone:
    domains, shown = source.of(DOMAIN), [OWNER] if wanted.client is not None else []
    domain = domains.find_by_id(wanted.id, shown)
    if domain is not None:
        if not isinstance(domain.get("domain"), str):
            raise unexpected_answer(zone_path(wanted, DOMAIN), "does not say which domain that is.")
        wanted = located(wanted, domain["domain"])
    if wanted.domain in new:
        return ReadZone(None, wanted)
    if wanted.domain is not None:
        zone = _read(source.client, wanted)
        if zone is not None:
            if wanted.client is not None:
                domain = domain or domains.find_by_key({"domain": wanted.domain}, shown) or {}
                _check_owner(source, wanted, domain.get(OWNER))
            return ReadZone(zone, wanted)
        domain = domain or find_domain(source.client, wanted)
    if domain is None and wanted.state == "absent":
        return ReadZone(GONE, wanted)
    why = "there is no such domain. Create it first, or correct the task."
    if domain is not None:
        # The zone of a subdomain is not found (docs/panel_api.md#zones-of-subdomains).
        why = "a subdomain has no zone. Manage the records in the zone of the main domain that it belongs to."
    option = "domain" if wanted.id is None else "id"
    cause = f"{wanted.label()} is not a main domain of this panel: {why}"
    if domain is not None or wanted.id is not None or assume is None:
        raise UnknownReference(cause, option=option, written=NOTHING_WRITTEN)
    assume(f"{option}: {cause} Check mode assumes that an earlier task creates it; if not, the real run fails here.")
    return ReadZone(None, wanted)


def _check_owner(source: ObjectSource[Any], wanted: WantedZone, identifier: int | None) -> None:
    owner, row = source.find(CLIENT.path, None, identifier) or {}, CLIENT.key[-1]
    if identifier is not None and row.same(wanted.client, owner.get(row.name)):
        return
    if source.find(CLIENT.path, wanted.client) is None:
        raise UnknownReference(
            f"there is no client {wanted.client} on this panel.",
            option="client",
            written=NOTHING_WRITTEN,
            advice="Correct the name.",
            is_written_last=True,
            missing=f"client {wanted.client}",
        )
    if identifier is None:  # the panel does not show whose domain it is
        return
    raise Conflict(
        f"the domain {wanted.label()} belongs to {source.owner_in_words(identifier)}, the task says the client {wanted.client}.",
        option="client",
        written=NOTHING_WRITTEN,
        advice="Correct the task.",
        is_written_last=True,
    )


def _read(client: PanelClient, wanted: WantedZone) -> Zone | None:
    """The zone; switches that it does not show are those of its domain, where they may decide something."""
    zone = find_zone(client, wanted)
    hidden = [name for name in ("is_custom_dns", "is_dns_disabled") if zone and zone.get(name) is None]
    if zone and hidden and (wanted.records is None or not zone["records"]["other"]):
        domain = find_domain(client, wanted) or {}
        zone.update({name: domain[name] for name in hidden if name in domain})
    return zone


def _read_again(client: PanelClient, wanted: WantedZone) -> Zone:
    zone = _read(client, wanted)
    if zone is None and wanted.state == "absent" and find_domain(client, wanted) is None:
        return GONE
    if zone is None:
        raise Conflict("it is not there any more.", wanted.subject, written=NOTHING_WRITTEN)
    return zone


def _needs_change(zone: Zone, wanted: WantedZone) -> bool:
    """Tells whether a zone is not as it is wanted, also where it cannot become so."""
    try:
        return plan_zone(zone, wanted).is_change
    except (Conflict, OptionError):
        return True


class _Moved(Exception):
    """After a lost answer the zone (args) is another one: the write had its effect, or someone else changed it."""


def _sent(client: PanelClient, wanted: WantedZone, before: Zone, plan: ZonePlan) -> Zone:
    """Sends the plan; the zone after it. After a lost answer the zone is read until it is as wanted, or the write cannot come any more; a
    repeat must not overwrite what somebody else wrote meanwhile. Raises _Moved where somebody did, and nothing of the plan is there."""
    written, reached = "It may have been written.", {}
    advice = "Run the task again, and compare with records_before in this result."

    def look(is_last: bool) -> None:
        again = _read_again(client, wanted)
        if not same_zone(before, again) and (is_last or not _needs_change(again, wanted)):
            client.patience.begin_anew()
            raise _Moved(again)

    try:
        try:
            client.call(plan.method, zone_path(wanted), body=plan.body or None, before_repeat=look)
        except _Moved as moved:
            if _needs_change(moved.args[0], wanted):
                raise
        written, reached = "It was written.", {"changed": True}
        after = _read_again(client, wanted)
    except Conflict as conflict:
        conflict.amend(written=written, advice=advice)
        conflict.may_have_written = True
        conflict.details["result"] = {**reached, **_reported(wanted, before)}
        raise
    except RequestError as error:
        if error.details["method"] == "GET":
            # Its advice is true of the request that failed, and not of the task.
            error.amend(written=written, advice=advice)
            error.may_have_written = True
        elif isinstance(error, Refused):
            raise
        error.details["result"] = {**reached, **_reported(wanted, before)}
        raise
    missed: dict[str, Any] = shortfall(before, plan, after, wanted)
    if not missed["lost"] and not missed["unmet"]:
        return after
    missing = {"what others wrote": missed["lost"], "this task": missed["unmet"]}
    told = "; ".join(f"of {whose}: {listed(lines)}" for whose, lines in missing.items() if lines)
    raise ZoneDamaged(
        f"it was written, and someone else changed it at the same moment. Missing {told}. Run the task again; to restore the "
        "records of others, add error.lost_records with append: true.",
        wanted.subject,
        **missed,
        result={**reached, **_reported(wanted, before, after)},
    )
