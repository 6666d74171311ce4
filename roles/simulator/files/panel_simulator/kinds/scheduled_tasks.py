"""Scheduled tasks (facts.md section 11). The paths are inferred; there is nothing that must be unique."""

from __future__ import annotations

from panel_simulator.fields import Field, Members
from panel_simulator.kinds.kind import Change, Kind
from panel_simulator.kinds.users import check_owner
from panel_simulator.limits import check_limits
from panel_simulator.panel import Panel
from panel_simulator.values import Choice, Flag, Number, Text

_CRON_FIELD = Text(pattern=r"[0-9A-Za-z*,/-]+", required=True, form="is not a field of a cron schedule.")


def _prepare(panel: Panel, change: Change) -> None:
    data = change.data
    if change.entry is None:
        check_owner(panel, data["id_user"], system_allowed=True)
        if data["id_user"]:
            check_limits(panel, data["id_user"], {"scheduled_tasks": 1})


SCHEDULED_TASKS = Kind(
    name="scheduled_tasks",
    noun="scheduled task",
    by_name=False,
    sorts=("id", "description"),
    documented=frozenset(),
    has_status=True,
    fields=(
        Field("id_user", Number(least=0), default=0, access="create", inferred=True, note="0 is the system's root."),
        Field("type", Choice("exec", "php", "http"), required=True),
        Field("command", Text(required=True), required=True),
        Field("description", Text(), default=""),
        Field("php_interpreter", Text(nullable=True), default=None, note="For the type php."),
        Field(
            "schedule",
            Members(
                (
                    Field("minute", _CRON_FIELD, default="0", inferred=True),
                    *(
                        Field(name, _CRON_FIELD, default="*", inferred=True)
                        for name in ("hour", "day_of_month", "month", "day_of_week")
                    ),
                )
            ),
        ),
        Field("is_enabled", Flag(), default=True, inferred=True),
    ),
    prepare=_prepare,
)
