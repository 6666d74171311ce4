# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client that an object belongs to, the same pair of options for every kind. Private to the collection."""

from __future__ import annotations

from typing import Any

from .._schema.kind import OWNER, Change, Reference
from .._values.names import AccountName, composed


class ClientName(AccountName):
    """The username of a client. The panel refuses upper case (facts.md section 4.1), so it is a mistake and never another client."""

    def __init__(self) -> None:
        super().__init__()
        self.form = (
            "the name of a client, not empty and without upper case, blanks around it or characters that nobody sees"
        )

    def parse(self, value: Any) -> str:
        name = super().parse(value)
        if name != name.lower():
            raise ValueError
        return name

    def comparable(self, value: Any) -> Any:
        return composed(value) if isinstance(value, str) else value


def owner(
    required: bool = False,
    empty_is_zero: bool = False,
    inherit: str = "",
    change: Change = Change.IDENTITY,
) -> Reference:
    """The options client and id_user. Another owner would be another object, since no client of the API is known to change it.

    change: of certificates alone it is known that their owner can be changed (facts.md section 8).
    empty_is_zero: whether the server itself may own it, which the API writes as 0 (facts.md section 1).
    """
    return Reference(
        "client",
        OWNER,
        collection="/clients",
        noun="client",
        type=ClientName(),
        change=change,
        required=required,
        empty_is_zero=empty_is_zero,
        inherit=inherit,
    )
