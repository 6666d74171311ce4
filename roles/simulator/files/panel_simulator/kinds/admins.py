"""Admin accounts (facts.md section 3)."""

from __future__ import annotations

from panel_simulator.errors import Invalid
from panel_simulator.fields import Field
from panel_simulator.kinds.kind import Change, Kind
from panel_simulator.kinds.users import SCOPE, SEQUENCE, USERNAME, check_language
from panel_simulator.panel import Panel
from panel_simulator.store import Entry
from panel_simulator.values import Address, Flag, Text


def _is_last_main_admin(panel: Panel, entry: Entry) -> bool:
    others = (other for other in panel.store.all("admins") if other is not entry)
    return bool(entry.data["is_main_admin"]) and not any(other.data["is_main_admin"] for other in others)


def _prepare(panel: Panel, change: Change) -> None:
    check_language(panel, change.data)
    if change.entry is None:
        change.data["created_at"] = panel.now()
    elif not change.data["is_main_admin"] and _is_last_main_admin(panel, change.entry):
        raise Invalid("is_main_admin: the last main admin must stay one.")


def _check_deletion(panel: Panel, entry: Entry) -> None:
    if _is_last_main_admin(panel, entry):
        raise Invalid("The last main admin cannot be deleted.")


ADMINS = Kind(
    name="admins",
    noun="admin",
    key="username",
    key_scope=SCOPE,
    shared_sequence=SEQUENCE,
    sorts=("id", "username"),
    has_password=True,
    fields=(
        Field(
            "username",
            USERNAME,
            required=True,
            inferred=True,
            note="Documented for creation; that a PUT may change it is inferred.",
        ),
        Field("email", Address(), required=True),
        Field("language", Text(), default="", inferred=True, note="Documented; the default is inferred."),
        Field(
            "is_main_admin",
            Flag(),
            default=False,
            inferred=True,
            note="Documented for creation; that a PUT may change it is inferred.",
        ),
        Field("created_at", Text(), access="ro", inferred=True),
    ),
    prepare=_prepare,
    check_deletion=_check_deletion,
    notes={"delete": "That the last main admin cannot be deleted is inferred."},
)
