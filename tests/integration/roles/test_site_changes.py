# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that are there already are changed beside a file of passwords, with a password in no item."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.integration.roles.operators import Operator, plays_of
from tests.support.playbook import IN_PROCESS

# By kind what names the object, what it has, and what becomes of that. Kinds that the role does not have get a task of their own.
ROLE = {
    "client": ({"username": "mueller"}, {"notes": "old"}, {"notes": "new"}),
    "emails": ({"email": "INFO@müller.example"}, {"max_size": "2G"}, {"max_size": "4G"}),
    "databases": ({"database_name": "mueller_shop"}, {"description": "old"}, {"description": "new"}),
    "ftp_users": ({"username": "mueller_web"}, {"description": "old"}, {"description": "new"}),
}
TASKS = {
    "admins": ({"username": "ops"}, {"email": "old@ops.example"}, {"email": "new@ops.example"}),
    "directory_protections": (
        {"client": "mueller", "path": "/www", "username": "visitor"},
        {"auth_name": "old"},
        {"auth_name": "new"},
    ),
}


def _run(operator: Operator, way: str, state: int, *words: str) -> Any:
    """Everything as it was (0) or is to be (1)."""
    given: dict[str, Any] = {kind: {**case[0], **case[1 + state]} for kind, case in ROLE.items()}
    variables = {
        "site_domains": [{"domain": "müller.example"}],
        **{f"site_{kind}": item if kind == "client" else [item] for kind, item in given.items()},
        "site_credentials_file": str(operator.credentials),
    }
    tasks = [
        {
            "name": f"Change {kind}",
            "hosting.panel.panel_object": {
                "kind": kind,
                "options": {**case[0], **case[1 + state]},
                "credentials_file": str(operator.credentials),
            },
        }
        for kind, case in TASKS.items()
    ]
    return operator.run(plays_of("site", tasks=tasks), variables, "--diff", *words, way=way)


def test_each_kind_with_passwords_is_changed_without_touching_its_password(
    make_operator: Callable[[str], Operator], way: str
) -> None:
    operator = make_operator("changes")
    first = _run(operator, IN_PROCESS, 0)
    assert first.code == 0, first.text[-3000:]
    kept = operator.credentials.read_bytes()

    check = _run(operator, way, 1, "--check")
    done = _run(operator, way, 1)
    assert done.code == 0, done.text[-3000:]
    assert [request["body"] for request in done.requests if request["method"] == "PUT"] == [
        {"notes": "new"},
        {"max_size": 4 * 1024**3},
        {"description": "new"},
        {"description": "new"},
        {"email": "new@ops.example"},
        {"auth_name": "new"},
    ]
    assert len(done.writes) == 6
    assert check.code == 0, check.text[-3000:]
    assert check.writes == []
    assert check.recap["changed"] == done.recap["changed"] == 6
    assert operator.credentials.read_bytes() == kept

    again = _run(operator, IN_PROCESS, 1)
    assert (again.code, again.writes, again.recap["changed"]) == (0, [], 0)
