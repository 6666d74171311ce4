"""Directory protections (facts.md section 11). The paths are inferred; several users on one path are several objects."""

from __future__ import annotations

from panel_simulator.fields import Field
from panel_simulator.kinds.kind import Change, Kind
from panel_simulator.kinds.users import check_owner
from panel_simulator.panel import Panel
from panel_simulator.values import ListOf, Number, Text


def _prepare(panel: Panel, change: Change) -> None:
    if change.entry is None:
        check_owner(panel, change.data["id_user"])


DIRECTORY_PROTECTIONS = Kind(
    name="directory_protections",
    noun="directory protection",
    by_name=False,
    sorts=("id", "path", "username"),
    documented=frozenset(),
    has_status=True,
    has_password=True,
    fields=(
        Field("id_user", Number(least=1), required=True, access="create"),
        Field("path", Text(required=True), required=True, inferred=True),
        Field("auth_name", Text(), default=""),
        Field(
            "username",
            Text(pattern=r"[^:\s]+", required=True, form="must not have colons or spaces."),
            required=True,
            inferred=True,
        ),
        Field("exceptions", ListOf(Text(required=True)), default=[], inferred=True),
    ),
    prepare=_prepare,
)
