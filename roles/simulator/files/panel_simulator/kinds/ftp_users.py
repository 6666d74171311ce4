"""FTP users (facts.md section 11). The paths are inferred from v1 clients and the resource lists; there is no by-name form."""

from __future__ import annotations

from panel_simulator.fields import Field
from panel_simulator.kinds.kind import Change, Kind
from panel_simulator.kinds.users import check_owner
from panel_simulator.limits import check_limits
from panel_simulator.panel import Panel
from panel_simulator.values import Number, Text


def _prepare(panel: Panel, change: Change) -> None:
    if change.entry is None:
        check_owner(panel, change.data["id_user"])
        check_limits(panel, change.data["id_user"], {"ftp_users": 1})


FTP_USERS = Kind(
    name="ftp_users",
    noun="FTP user",
    key="username",
    key_scope="FTP username",
    by_name=False,
    sorts=("id", "username"),
    documented=frozenset(),
    has_status=True,
    has_password=True,
    fields=(
        Field("id_user", Number(least=1), required=True, access="create"),
        Field(
            "username",
            Text(
                pattern=r"[A-Za-z0-9._@-]+",
                longest=64,
                required=True,
                form="may have letters, digits, '.', '_', '@' and '-' only.",
            ),
            required=True,
            access="create",
        ),
        Field("description", Text(), default=""),
        Field(
            "home_directory",
            Text(pattern=r"/(www|files)(/.*)?", required=True, form="must lie under /www or /files."),
            default="/www",
            inferred=True,
            note="The default is inferred.",
        ),
    ),
    prepare=_prepare,
)
