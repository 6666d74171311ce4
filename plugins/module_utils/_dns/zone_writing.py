# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a zone: read again, write, read, verify.

The panel replaces a zone as a whole, so whatever somebody else changes between reading and writing
would be lost. A second read just before the write makes that moment as short as it can be, a third
one after it proves what became of the zone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._errors import (
    Conflict,
    OptionError,
    PanelError,
    Reached,
    Refused,
    RequestError,
    name_subject_in_errors,
)
from .._http.panel_session import CallRules, PanelSession
from .._kinds.tables import ZONE
from .._operation.locks import estimate_longest_write, hold_lock
from .._problems import Written, abbreviate
from .._secrets.redaction import remove_secrets
from .desired_zone import DesiredZone
from .located_zone import LocatedZone, ZoneState, read_zone_again
from .panel_zones import PUBLIC, build_path, is_same_zone
from .planning import plan_zone
from .records import abbreviate_lines
from .zone_change import ZonePlan
from .zone_guards import refuse_masked_records
from .zone_verification import KeptValue, ZoneShortfall, verify_zone

_MAX_ATTEMPTS = 5
_MAX_KEPT = 5
_RESTORE = "Run the task again; to restore the records of others, add error.lost_records with append: true."
_COMPARE = "Run the task again, and compare with records_before in this result."


class ZoneDamaged(PanelError):
    """Says that a zone was written and does not hold what it should.

    The result has the records from before.
    """


class ZoneChanged(Exception):
    """Says that the zone is another one after a lost answer.

    The write had its effect, or someone else changed the zone.

    Args:
        latest: The zone as it is now.
    """

    def __init__(self, latest: LocatedZone) -> None:
        super().__init__()
        self.latest = latest


class ZoneResult(NamedTuple):
    """Holds what was done with a zone, or what check mode predicts.

    Attributes:
        plan: What was written, if it is a change.
        before: The zone before it.
        after: The zone after it.
    """

    plan: ZonePlan
    before: LocatedZone
    after: LocatedZone

    def report(self) -> dict[str, Any]:
        """Return the fields of a task's result."""
        return {**_report_before(self.before), **_report_after(self.after)}


def _report_before(before: LocatedZone) -> dict[str, Any]:
    records = before.zone["records"]
    report = {"records_before": records["other"], "soa_before": records["soa"]}
    displayed: dict[str, Any] = remove_secrets(report, PUBLIC)
    return displayed


def _report_after(after: LocatedZone) -> dict[str, Any]:
    if after.state is ZoneState.GONE:
        return {ZONE.singular: None}
    desired = after.desired
    name = {"domain": desired.domain} if desired.id is None else {"id": desired.id}
    displayed: dict[str, Any] = remove_secrets({ZONE.singular: {**name, **after.zone}}, PUBLIC)
    return displayed


def write_zone(
    session: PanelSession,
    located: LocatedZone,
    plan: ZonePlan,
    is_exact: bool = False,
) -> ZoneResult:
    """Make a zone what is desired.

    Args:
        session: Sends the requests.
        located: The zone as it was planned to change.
        plan: That change. It is made again for a zone that had not been there, or has changed.
        is_exact: Whether it may change only as it was planned.

    Raises:
        Conflict: The plan is refused, or the zone does not hold still; nothing was written.
        Busy: Another task does not stop writing the zone.
        ZoneDamaged: It is wrong after the write.
    """
    desired = located.desired
    current = located
    if located.state is ZoneState.PLANNED:
        with name_subject_in_errors(desired.subject, Written.NOTHING):
            current = read_zone_again(session, desired)
        plan = plan_zone(current.zone, desired)
    # Which records a new zone has, no plan could tell.
    approved = plan if is_exact and located.state is not ZoneState.PLANNED else None

    # By panel and zone, whichever option names it.
    lock = f"{session.connection.panel} zone {str(desired.domain).lower()}"
    seconds = estimate_longest_write(session.connection)
    with (
        hold_lock(lock, desired.subject, seconds),
        name_subject_in_errors(desired.subject, Written.NOTHING),
    ):
        for _attempt in range(_MAX_ATTEMPTS):
            if not plan.is_change:
                return ZoneResult(plan, current, current)
            if approved is not None:
                _refuse_other_effect(plan, approved, desired)
            refuse_masked_records(current.zone, plan, session.secrets.is_masked_form)
            latest = read_zone_again(session, desired)
            if is_same_zone(current.zone, latest.zone):
                try:
                    return ZoneResult(plan, current, _send(session, current, plan))
                except ZoneChanged as change:
                    latest = change.latest
            current = latest
            plan = plan_zone(current.zone, desired)
    if not plan.is_change:
        return ZoneResult(plan, current, current)
    raise Conflict(
        f"someone else changed it {_MAX_ATTEMPTS} times between reading and writing.",
        subject=desired.subject,
        written=Written.NOTHING,
        advice="Run the task again when they are done.",
    )


def _refuse_other_effect(plan: ZonePlan, approved: ZonePlan, desired: DesiredZone) -> None:
    """Raise Conflict for a plan that does not do what was approved."""
    if plan.has_same_effect(approved):
        return
    raise Conflict(
        "it has changed since its plan was made, and expected_checksum allows only that plan.",
        subject=desired.subject,
        written=Written.NOTHING_FOR_ZONE,
        advice="Plan again.",
    )


def _send(session: PanelSession, before: LocatedZone, plan: ZonePlan) -> LocatedZone:
    """Send a plan, and return the zone after it.

    Raises:
        ZoneChanged: After a lost answer someone else had changed the zone, and nothing of the plan
            took effect.
        ZoneDamaged: The zone lacks something after the write.
    """
    try:
        _request_change(session, before, plan)
    except (Conflict, RequestError) as error:
        reached = Reached(fields=_report_before(before))
        _describe_failure(error, Written.MAYBE_WRITTEN, reached)
        raise

    try:
        after = read_zone_again(session, before.desired)
    except (Conflict, RequestError) as error:
        reached = Reached(is_changed=True, fields=_report_before(before))
        _describe_failure(error, Written.ZONE, reached)
        raise
    _verify(ZoneResult(plan, before, after))
    return after


def _request_change(session: PanelSession, before: LocatedZone, plan: ZonePlan) -> None:
    """Send the request of a plan.

    After a lost answer the zone is read until it is as desired, or the write cannot come any more: a
    repeat must not overwrite what somebody else wrote in the meantime.
    """
    desired = before.desired

    def check_before_repeat(is_last: bool) -> None:
        """Raise ZoneChanged if the zone shows that the request must not be repeated."""
        latest = read_zone_again(session, desired)
        if is_same_zone(before.zone, latest.zone):
            return
        if is_last or not _needs_change(latest):
            session.retry_budget.reset()
            raise ZoneChanged(latest)

    path = build_path(ZONE, desired)
    body = plan.body or None
    try:
        rules = CallRules(before_repeat=check_before_repeat)
        session.call(plan.method, path, body=body, rules=rules)
    except ZoneChanged as change:
        if _needs_change(change.latest):
            raise
        # It has had its effect; an attempt before the last one was waited for.
        session.late_writes.settle(plan.method, path, body)


def _needs_change(located: LocatedZone) -> bool:
    """Tell whether a zone is not as it is desired, also where it cannot become so."""
    try:
        return plan_zone(located.zone, located.desired).is_change
    except (Conflict, OptionError):
        return True


def _describe_failure(
    error: Conflict | RequestError,
    written: Written,
    reached: Reached,
) -> None:
    """Let an error say what became of the zone.

    Args:
        error: The error.
        written: Whether the zone was written.
        reached: What the task has reached by then.
    """
    if isinstance(error, RequestError) and error.method != "GET":
        if isinstance(error, Refused):
            return
    else:
        # The advice of a failed GET is true of that request, and not of the task.
        error.amend(written=written, advice=_COMPARE)
    error.reached = reached


def _verify(result: ZoneResult) -> None:
    """Raise ZoneDamaged if the zone lacks something after its write."""
    desired = result.after.desired
    shortfall = verify_zone(result.before.zone, result.plan, result.after.zone, desired)
    if shortfall.is_empty:
        return
    raise ZoneDamaged(
        f"it was written, and {_describe_shortfall(shortfall)}.",
        subject=desired.subject,
        advice=_advise(shortfall),
        **shortfall.report(),
        reached=Reached(is_changed=True, fields=result.report()),
    )


def _describe_shortfall(shortfall: ZoneShortfall) -> str:
    """Say what a zone lacks; that somebody else is the cause only where records of others do."""
    if shortfall.lost_lines:
        missing = f"of what others wrote: {abbreviate_lines(shortfall.lost_lines)}"
        if shortfall.unmet:
            missing += f"; of this task: {abbreviate_lines(shortfall.unmet)}"
        return f"someone else changed it at the same moment. Missing {missing}"

    explained = {kept_value.unmet for kept_value in shortfall.kept_values}
    unexplained = [line for line in shortfall.unmet if line not in explained]
    parts = []
    if shortfall.kept_values:
        parts.append(f"the panel keeps another value: {_describe_kept(shortfall.kept_values)}")
    if unexplained:
        missing = f"Missing of this task: {abbreviate_lines(unexplained)}"
        parts.append(missing if parts else f"it is not as this task requires. {missing}")
    return ". ".join(parts)


def _describe_kept(kept_values: Sequence[KeptValue]) -> str:
    lines = []
    for name, sent, kept, _unmet in kept_values:
        kept_text = abbreviate_lines([kept])
        sent_text = abbreviate_lines([sent])
        lines.append(f"{name} is {kept_text} in place of {sent_text}")
    return abbreviate(list(dict.fromkeys(lines)), _MAX_KEPT, "; ")


def _advise(shortfall: ZoneShortfall) -> str:
    if shortfall.lost_lines:
        return _RESTORE
    if shortfall.kept_values:
        return "Run the task again; if it fails again, give it what the panel keeps."
    return "Run the task again; if it fails again, the panel does not take this."
