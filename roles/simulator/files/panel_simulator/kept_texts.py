"""The names under which a panel's naming scheme keeps databases and FTP users: the open point ``kept_texts``."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from typing import Any

_MEMBERS = {"databases": "database_name", "ftp_users": "username"}


def kept(scheme: str, kind: str, data: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """The members of an object as the panel keeps them. scheme: the value of the point. owner: the user name of the client."""
    member = _MEMBERS.get(kind, "")
    name = data.get(member)
    if not owner or not isinstance(name, str):
        return dict(data)
    if scheme == "prefixed" and not name.startswith(f"{owner}_"):
        name = f"{owner}_{name}"
    if scheme == "generated" and not re.fullmatch(rf"{re.escape(owner)}_\w\d+", name):
        name = f"{owner}_{kind[0]}{zlib.crc32(name.encode()) % 10000}"
    return {**data, member: name}
