# SPDX-License-Identifier: GPL-3.0-or-later
"""The operation of panel_dns: it makes the zone of one main domain what is desired."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._errors import PanelError, Reached
from .._log import NOTHING_TO_CHANGE, log_plan, log_resolved
from .._operation.operation import Operation, Outcome, Task
from .._sources.live_source import LiveSource
from .desired_zone import DNS_OPTIONS, WAIT_OPTIONS, DesiredZone, read_desired_zone
from .located_zone import LocatedZone, ZoneState, locate_zone
from .planning import plan_zone
from .zone_guards import refuse_masked_records
from .zone_warnings import find_warnings
from .zone_writing import ZoneResult, write_zone

if TYPE_CHECKING:
    from .waiting import Servers


def build_dns_operation() -> Operation:
    """Describe the operation of the module."""
    return Operation(options={**DNS_OPTIONS, **WAIT_OPTIONS}, run=_run)


def _run(params: Mapping[str, Any], task: Task) -> Outcome:
    desired = read_desired_zone(params)
    servers = None
    if params.get("wait"):
        from .waiting import find_named_servers  # noqa: PLC0415 - few tasks wait

        servers = find_named_servers(params, desired)
    located = _locate(desired, task)
    plan = plan_zone(located.zone, located.desired)
    refuse_masked_records(located.zone, plan, task.session.secrets.is_masked_form)
    log_resolved(located.desired.subject, None, located.state is ZoneState.FOUND)
    log_plan(located.desired.subject, "change" if plan.is_change else NOTHING_TO_CHANGE)

    # What check mode predicts.
    result = ZoneResult(plan, located, located._replace(zone=plan.zone))
    if plan.is_change and not task.check_mode:
        result = write_zone(task.session, located, plan)
    if servers is not None and not task.check_mode:
        _wait(result, servers, params["wait_timeout"], task)
    plan = result.plan
    return Outcome(plan.is_change, result.report(), plan.before, plan.after)


def _locate(desired: DesiredZone, task: Task) -> LocatedZone:
    """Find the zone, and warn of options that may not mean what they seem to."""
    source = LiveSource(lambda: task.session)
    assume_domain = task.warn if task.check_mode else None
    located = locate_zone(source, desired, assume_domain=assume_domain)
    warnings = located.desired.warnings
    warnings += find_warnings(located.known_zone, located.desired)
    for warning in warnings:
        task.warn(warning)
    return located


def _wait(result: ZoneResult, servers: Servers, seconds: float, task: Task) -> None:
    """Wait until the name servers serve the zone; a failure has the result of the write."""
    if result.after.state is ZoneState.GONE:
        return
    from .waiting import wait_until_served  # noqa: PLC0415 - few tasks wait

    try:
        wait_until_served(result.after, servers, seconds, task.local.say, task.name_option)
    except PanelError as error:
        error.reached = Reached(result.plan.is_change, result.report())
        raise
