"""What the panel would refuse is foreseen from a plan and its surroundings alone, without a
panel."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import (
    ADMIN,
    CLIENT,
    EMAIL,
    PLAN,
)
from ansible_collections.hosting.panel.plugins.module_utils._plan.object_plan import (
    CREATE,
    DELETE,
    UPDATE,
    ObjectPlan,
)
from ansible_collections.hosting.panel.plugins.module_utils._plan.preflight import (
    foresee_problems,
    list_copy_warnings,
)
from ansible_collections.hosting.panel.plugins.module_utils._problems import format_message
from ansible_collections.hosting.panel.plugins.module_utils._resolve.surroundings import (
    Neighbour,
    Surroundings,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.desired_object import (
    DesiredObject,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind

FOREIGN = Neighbour(
    "email", "domain acme.example", foreign_owners=("the client acme", "the client beta")
)
WITHOUT_EMAIL = Neighbour("email", "domain acme.example", takes_no_email=True)


def plan(kind: Kind, action: str, **further: Any) -> ObjectPlan:
    """Return the plan for an object of a kind."""
    return ObjectPlan(kind, DesiredObject(), f"{kind.title} x", action, **further)


REFUSED = {
    "a domain of another client": (
        plan(EMAIL, CREATE),
        Surroundings((FOREIGN,)),
        (
            "email: the domain acme.example belongs to the client acme, and the mailbox x to the client beta; the panel keeps "
            "the objects of its clients apart. Correct the task. Nothing was written."
        ),
    ),
    "a domain without e-mail": (
        plan(EMAIL, CREATE),
        Surroundings((WITHOUT_EMAIL,)),
        (
            "email: the domain acme.example takes no e-mail (is_email_domain: false). Switch that on with "
            "hosting.panel.panel_domain, or correct the address. Nothing was written."
        ),
    ),
    "an object without an id": (
        plan(EMAIL, UPDATE, current={"email": "a@acme.example"}, body={"description": "x"}),
        Surroundings(),
        "The panel shows no id of the mailbox x. Nothing was written.",
    ),
    "the last administrator": (
        plan(ADMIN, DELETE, current={"id": 1, "username": "root"}),
        Surroundings(is_last=True),
        (
            f"{ADMIN.rules.keep_last}: the admin root is the last one with {ADMIN.rules.keep_last}, and without one the panel cannot be "
            "managed. Nothing was written."
        ),
    ),
    "an owner whose id the panel does not show": (
        plan(EMAIL, CREATE, body={"email": "a@acme.example", "id_user": None}),
        Surroundings(),
        "client: the panel shows no id in id_user of the mailbox x. Give client or id_user. Nothing was written.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_panel_would_refuse_is_a_problem(case: str) -> None:
    planned, surroundings, message = REFUSED[case]
    (problem,) = foresee_problems(planned, surroundings)

    assert format_message(problem) == message


def test_a_change_without_a_problem_passes() -> None:
    changed = plan(EMAIL, UPDATE, current={"id": 7}, body={"description": "x"})
    assert (
        foresee_problems(changed, Surroundings((Neighbour("email", "domain acme.example"),))) == []
    )


def test_objects_that_keep_copies_are_a_warning() -> None:
    changed = plan(PLAN, UPDATE, current={"id": 7, "name": "Small"}, body={"resources": {}})
    (plan_of_client,) = CLIENT.references
    surroundings = Surroundings(copies=((CLIENT, plan_of_client),))
    (warning,) = list_copy_warnings(changed, surroundings)

    assert warning.startswith(
        "Clients that have the hosting plan Small keep the limits that came with it before; "
    )


@pytest.mark.parametrize(
    ("body", "is_set"),
    [
        ({"password": "x"}, True),
        ({"password": None}, True),
        ({"password_hash": "$6$x"}, False),
        ({}, False),
    ],
    ids=str,
)
def test_the_plan_says_whether_the_object_gets_a_password(
    body: dict[str, Any], is_set: bool
) -> None:
    assert plan(EMAIL, UPDATE, body=body).sets_password is is_set
