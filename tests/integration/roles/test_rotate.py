"""The role hosting.panel.rotate.

New passwords that are in the file before the panel has them, whatever happens in between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.roles.operators import (
    Operator,
    Passwords,
    RoleRun,
    assert_failed,
    assert_refused,
    make_plays,
)
from tests.support.playbook import MODULE

MakeOperator = Callable[[str], Operator]
PLAYS = make_plays("rotate")
SEED: dict[str, Any] = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme", "hosting_plan": "Business"}, {"username": "beta"}],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "müller.example", "client": "beta"},
    ],
    "emails": [
        {"email": "info@acme.example"},
        {"email": "printer@acme.example"},
        {"email": "sales@acme.example"},
        {"email": "info@müller.example"},
    ],
    "databases": [{"database_name": "acme_shop", "client": "acme"}],
    "ftp_users": [{"username": "acme_web", "client": "acme"}],
}
EVERYTHING: dict[str, Any] = {
    "rotate_id": "2026-11",
    "rotate_kinds": ["clients", "emails", "databases", "ftp_users"],
    "rotate_plans": ["Business"],
    "rotate_objects": {"emails": ["info@MÜLLER.example"]},
    "rotate_except": "printer@*",  # as -e rotate_except=printer@* gives it
    "rotate_credentials_file": "rotation.yml",
}
CHOSEN = [
    ("clients", "acme"),
    ("emails", "info@acme.example"),
    ("emails", "info@xn--mller-kva.example"),
    ("emails", "sales@acme.example"),
    ("databases", "acme_shop"),
    ("ftp_users", "acme_web"),
]
PUTS = [
    "PUT /clients/2",
    "PUT /emails/1",
    "PUT /emails/4",
    "PUT /emails/3",
    "PUT /databases/1",
    "PUT /ftp-users/1",
]


@pytest.fixture
def operator(make_operator: MakeOperator) -> Operator:
    """Return an operator whose panel has a password of every kind."""
    new_operator = make_operator("rotation")
    new_operator.simulator.seed(SEED)
    return new_operator


def rotate(
    operator: Operator,
    *arguments: str,
    way: str = "in process",
    vault: bool = True,
    **variables: Any,
) -> RoleRun:
    """Run the role for everything that has a password."""
    return operator.run(PLAYS, {**EVERYTHING, **variables}, *arguments, way=way, vault=vault)


def read_passwords(operator: Operator, name: str = "generated_passwords") -> Passwords:
    """Return the passwords that the role wrote into its file."""
    return operator.read_passwords(operator.folder / "rotation.yml", name)


def test_a_rotation_sets_each_password_once_and_a_second_run_with_its_id_does_nothing(
    operator: Operator,
) -> None:
    before = operator.list_passwords_on_panel()
    check = rotate(operator, "--check")

    assert (check.code, check.writes, check.recap["changed"]) == (0, [], 1), check.text
    assert not (operator.folder / "rotation.yml").exists()
    assert "rotation 2026-11: 6 new passwords would be in" in check.said

    first = rotate(operator, "-vvvv")
    assert (first.code, sorted(first.writes), first.recap["changed"]) == (0, sorted(PUTS), 1), (
        first.text[-3000:]
    )

    after = operator.list_passwords_on_panel()
    assert [name for name in before if after[name] != before[name]] == sorted(
        CHOSEN, key=list(before).index
    )
    assert read_passwords(operator) == {name: after[name] for name in CHOSEN}
    assert [name for name in CHOSEN if after[name] in first.text] == []
    assert [set(request["body"]) for request in first.requests if request["method"] == "PUT"] == [
        {"password"}
    ] * 6

    encrypted = (operator.folder / "rotation.yml").read_bytes()
    second = rotate(operator)

    assert (second.code, second.writes, second.recap["changed"]) == (0, [], 0), second.text
    assert "rotation 2026-11: nothing to do, 6 were set before" in second.said
    assert (operator.folder / "rotation.yml").read_bytes() == encrypted

    mailbox = {
        "rotate_plans": [],
        "rotate_objects": {"emails": ["info@acme.example"]},
        "rotate_id": "2026-12",
    }
    another = rotate(operator, way=MODULE, **mailbox)

    assert (another.code, another.writes) == (0, PUTS[1:2]), another.text
    assert (
        after[CHOSEN[1]]
        != operator.list_passwords_on_panel()[CHOSEN[1]]
        == read_passwords(operator)[CHOSEN[1]]
    )


def test_what_is_mistaken_is_refused_before_anything_is_written(operator: Operator) -> None:
    wrong = {
        "rotate_except": ["prnter@acme.example"],
        "rotate_clients": ["nobody"],
        "rotate_objects": {"emails": ["q@acme.example"]},
        "rotate_max": 4,
    }
    assert_failed(
        rotate(operator, "--check", **wrong),
        "rotate_except: nothing on this panel fits prnter@acme.example; did you mean printer@acme.example?",
        "rotate_clients: nothing on this panel fits nobody",
        "rotate_objects.emails: nothing on this panel fits q@acme.example",
        "rotate_max: 6 objects would get new passwords (limit 4).",
        "Nothing was written.",
    )
    assert_failed(rotate(operator, rotate_max=-1), "rotate_max: -1 is invalid.")

    assert_refused(rotate(operator, rotate_kinds=[]), "rotate_kinds: missing. Set it to the types")
    nothing = rotate(operator, rotate_plans=[], rotate_objects={}, rotate_max="few")
    assert_refused(nothing, "rotate_max: 'few' is invalid.")
    nothing = rotate(operator, rotate_plans=[], rotate_objects={})
    assert_refused(nothing, "rotate_clients, rotate_plans, rotate_objects: choose at least one")

    assert not (operator.folder / "rotation.yml").exists()
