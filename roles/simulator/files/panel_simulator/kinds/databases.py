"""Databases (facts.md section 10). Only the list is documented; the other paths have no by-name form."""

from __future__ import annotations

from panel_simulator.fields import Field
from panel_simulator.kinds.kind import Change, Kind
from panel_simulator.kinds.users import check_owner
from panel_simulator.limits import check_limits
from panel_simulator.panel import Panel
from panel_simulator.values import ListOf, Number, Text

_NAME = Text(pattern=r"[A-Za-z0-9_-]+", longest=64, required=True, form="may have letters, digits, '_' and '-' only.")


def _prepare(panel: Panel, change: Change) -> None:
    data = change.data
    if change.entry is None:
        check_owner(panel, data["id_user"])
        check_limits(panel, data["id_user"], {"databases": 1})
        data["database_username"] = data["database_username"] or data["database_name"]


DATABASES = Kind(
    name="databases",
    noun="database",
    key="database_name",
    key_scope="database name",
    by_name=False,
    sorts=("id", "database_name", "database_username"),
    documented=frozenset({"list"}),
    has_password=True,
    fields=(
        Field("id_user", Number(least=1), required=True, access="create"),
        Field("database_name", _NAME, required=True, access="create"),
        Field(
            "database_username",
            _NAME,
            default="",
            access="create",
            inferred=True,
            note="That it defaults to the database's name is inferred.",
        ),
        Field("description", Text(), default=""),
        Field("size", Number(least=0), default=0, access="ro"),
        Field("remote_hosts", ListOf(Text(required=True)), default=[]),
    ),
    prepare=_prepare,
)
