"""From the wanted and the current object to one change.

What is sent, what is shown, what is refused.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.module_utils._plan.object_plan import (
    CREATE,
    ObjectPlan,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.copying_reference import (
    CopyingReference,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.desired_object import (
    DesiredObject,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.difference import (
    SECRET_CHANGES,
    SECRET_GENERATED,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.field_paths import set_value
from ansible_collections.hosting.panel.plugins.module_utils._schema.fields import (
    Field,
    Mutability,
    declare_reference,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.groups import Group
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from ansible_collections.hosting.panel.plugins.module_utils._schema.password_options import Password
from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import remove_secrets
from ansible_collections.hosting.panel.plugins.module_utils._secrets.secret_forms import (
    is_secret_name,
)
from ansible_collections.hosting.panel.plugins.module_utils._values import value_types
from ansible_collections.hosting.panel.plugins.module_utils._values.days import Day
from ansible_collections.hosting.panel.plugins.module_utils._values.names import EmailAddress
from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import (
    Boolean,
    Integer,
    Text,
)
from tests.support.tasks import make_object_plan

OWNER = declare_reference(
    "client", Text(), name="id_user", change=Mutability.IDENTITY, required=True
)
LOCK = declare_reference("lock", Text(), empty_is_zero=True)
BRAND = CopyingReference(
    "id_brand",
    Text(),
    option="brand",
    kind_path="/brands",
    noun="brand",
    copies={"colours": "colours"},
)
SHOP = Kind(
    singular="shop",
    key=(Field("name", Text(clearable=False)),),
    fields=(
        OWNER,
        BRAND,
        Field("kind", Text(), change=Mutability.IDENTITY),
        Field("with_sign", Boolean(), change=Mutability.AT_CREATION),
        Field("notes", Text()),
        Field("title", Text(), default_from="notes"),
        Field("size", Integer(0)),
        Field("closes_on", Day()),
        Field("aliases", value_types.SetOf(EmailAddress())),
        Group("contact", fields=(Field("city", Text()), Field("zip", Text())), clearable=True),
        Group(
            "door",
            fields=(
                Field("is_open", Boolean()),
                LOCK,
                Field("certificate", Text()),
                Field("private_key", Text(), secret=True, unchanged_with="certificate"),
            ),
        ),
    ),
    is_renamable=True,
    password=Password(),
)
CURRENT: dict[str, Any] = {
    "id": 7,
    "name": "acme",
    "id_user": 21,
    "kind": "books",
    "with_sign": True,
    "notes": "old",
    "title": "Acme",
    "size": 5,
    "closes_on": "2026-12-31T00:00:00+01:00",
    "aliases": ["a@shop.example", "b@shop.example"],
    "contact": {"city": "Köln", "zip": "50667", "created_at": "2026-01-01"},
    "door": {
        "is_open": True,
        "id_lock": 3,
        "key_number": 9,
        "certificate": "c",
        "certificate_utf8": "c",
    },
    "status": 1,
    "opening_hours": {"x": 1, "y": 2},
    "password_hash": "$6$old",
}


def plan(current: Any = None, leads_to: int = 21, **options: Any) -> ObjectPlan:
    """The plan for options as a user writes them, from CURRENT where nothing else is given.

    It may not change.
    """
    current = CURRENT if current is None else current
    before = copy.deepcopy(current)
    object_plan = make_object_plan(SHOP, {"name": "acme", **options}, current, leads_to)
    assert current == before

    return object_plan


# What is sent.


def test_a_secret_that_the_panel_shows_is_neither_repeated_nor_shown() -> None:
    current = {**CURRENT, "door": {**CURRENT["door"], "private_key": "shown by the panel"}}
    object_plan = plan(current, door={"is_open": False})

    assert object_plan.body == {"door": {"is_open": False, "id_lock": 3, "certificate": "c"}}
    assert (
        "shown by the panel"
        not in f"{object_plan.before}{object_plan.after}{remove_secrets(object_plan.outcome)}"
    )

    same = plan(current, door={"private_key": "shown by the panel"})
    assert same.action == "none"
    assert same.before == {"door": {}}
    assert same.after == {"door": {}}


@pytest.mark.parametrize("current_key", [{}, {"private_key": "k"}], ids=["hidden", "visible"])
def test_a_secret_of_the_task_is_sent_with_its_group_although_it_is_unchanged(
    current_key: dict[str, str],
) -> None:
    """Leave a panel that replaces nested objects no chance to lose it."""
    current = {**CURRENT, "door": {**CURRENT["door"], **current_key}}
    object_plan = plan(current, door={"is_open": False, "certificate": "c", "private_key": "k"})

    assert object_plan.body == {
        "door": {"is_open": False, "id_lock": 3, "certificate": "c", "private_key": "k"}
    }
    assert (
        "'k'" not in f"{object_plan.before}{object_plan.after}{remove_secrets(object_plan.outcome)}"
    )


# Flags of creation and identity.


def test_an_identity_that_the_panel_does_not_show_is_not_compared() -> None:
    current = {name: value for name, value in CURRENT.items() if name not in ("kind", "id_user")}
    assert plan(current, 22, kind="shoes", id_user=22).action == "none"


# What cannot be read.


def test_a_member_that_the_panel_does_not_show_is_sent_with_a_warning() -> None:
    current = {name: value for name, value in CURRENT.items() if name != "notes"}
    object_plan = plan(current, notes="x")

    assert object_plan.body == {"notes": "x"}
    assert len(object_plan.warnings) == 1
    assert "does not show notes of the shop acme" in object_plan.warnings[0]
    assert "sent again in every run" in object_plan.warnings[0]


def test_clearing_a_member_that_the_panel_does_not_show_is_nothing() -> None:
    current = {
        name: value
        for name, value in CURRENT.items()
        if name not in ("notes", "closes_on", "contact")
    }
    object_plan = plan(current, notes="", closes_on="", contact={})

    assert object_plan.action == "none"
    assert object_plan.warnings == ()


@pytest.mark.parametrize("group", [None, [], "x"], ids=str)
def test_a_group_that_the_panel_does_not_show_is_sent(group: Any) -> None:
    assert plan({**CURRENT, "contact": group}, contact={"city": "Köln"}).body == {
        "contact": {"city": "Köln"}
    }


def test_extra_is_compared_deeply_and_sent_as_it_is() -> None:
    current = {**CURRENT, "spam": {"score": 5, "rules": [1, 2], "deep": {"a": 1, "b": 2}}}
    assert plan(current, extra={"spam": {"deep": {"a": 1}, "rules": [1, 2]}}).action == "none"

    object_plan = plan(current, extra={"spam": {"deep": {"a": 3}}})
    assert object_plan.body == {"spam": {"deep": {"a": 3}}}
    assert object_plan.outcome is not None
    assert object_plan.outcome["spam"] == {"score": 5, "rules": [1, 2], "deep": {"a": 3, "b": 2}}
    assert plan(current, extra={"spam": {"rules": [2, 1]}}).action == "update"


def test_what_the_panel_derives_from_an_old_value_is_not_shown_beside_the_new_one() -> None:
    current = {**CURRENT, "aliases_utf8": ["a@shop.example", "b@shop.example"]}
    changed = plan(current, aliases=["c@shop.example"])
    same = plan(current, notes="x")

    assert remove_secrets(changed.outcome) == {
        name: value for name, value in CURRENT.items() if name != "password_hash"
    } | {"aliases": ["c@shop.example"]}
    assert same.outcome is not None
    assert same.outcome["aliases_utf8"] == current["aliases_utf8"]


# Secrets.


def test_of_a_secret_in_extra_the_diff_says_only_that_it_changes() -> None:
    current = {**CURRENT, "api_token": "old", "spam": {"token": "old", "score": 5}}
    same = plan(current, notes="x", extra={"api_token": "old", "spam": {"token": "old"}})

    assert same.before == {"notes": "old", "spam": {"score": 5}}
    assert same.after == {"notes": "x", "spam": {"score": 5}}

    object_plan = plan(current, extra={"api_token": "new", "spam": {"token": "new", "score": 5}})
    assert object_plan.before == {"spam": {"score": 5}}
    assert object_plan.after == {
        "api_token": SECRET_CHANGES,
        "spam": {"score": 5, "token": SECRET_CHANGES},
    }
    assert object_plan.body == {"api_token": "new", "spam": {"token": "new", "score": 5}}


def test_of_a_secret_within_a_text_the_diff_says_only_that_it_changes() -> None:
    current = {**CURRENT, "notes": "https://u:old@x.example"}
    object_plan = plan(current, notes="https://u:new@x.example")

    assert object_plan.body == {"notes": "https://u:new@x.example"}
    assert object_plan.before == {"notes": "https://********@x.example"}
    assert object_plan.after == {"notes": SECRET_CHANGES}
    assert plan(current, notes="https://u:old@x.example").action == "none"
    assert plan(current, notes="https://u:new@y.example").after == {
        "notes": "https://********@y.example"
    }


@pytest.mark.parametrize("plural", TABLES)
def test_every_secret_of_a_table_has_the_name_of_one(plural: str) -> None:
    # Results and diffs leave secrets out by their names.
    for row in TABLES[plural].fields:
        fields = row.fields if isinstance(row, Group) else (row,)
        secrets = [field.name for field in fields if getattr(field, "secret", False)]
        assert all(map(is_secret_name, secrets))


# What the diff shows only in part.

LOGIN = "https://user:pass@x.example"
LEAVES = [
    (kind, path, row)
    for kind in TABLES.values()
    for path, row in kind.walk_fields()
    if not isinstance(row.type, Boolean)
]


@pytest.mark.parametrize(
    ("kind", "path", "row"),
    LEAVES,
    ids=[f"{kind.plural} {'.'.join(path)}" for kind, path, _row in LEAVES],
)
def test_a_text_of_any_field_that_a_mask_hides_is_known_to_the_plan_but_for_secrets(
    kind: Kind, path: tuple[str, ...], row: Field
) -> None:
    body: dict[str, Any] = {}
    set_value(body, path, LOGIN)

    object_plan = ObjectPlan(kind, DesiredObject(), "x", CREATE, body=body)

    assert object_plan.partly_masked_texts == ([] if row.secret else [(path, LOGIN)])


def test_of_extra_the_secrets_are_no_partly_masked_texts() -> None:
    extra = {"keyword": LOGIN, "colours": {"secretary": LOGIN, "red": [LOGIN, "plain"]}}
    assert plan(extra=extra).partly_masked_texts == [(("colours", "red", "0"), LOGIN)]
    assert plan(
        notes=LOGIN, password="https://a:b@x.example", update_password="always"
    ).partly_masked_texts == [(("notes",), LOGIN)]


def test_the_diff_tells_a_secret_of_extra_that_changes_from_one_that_stays() -> None:
    current = {**CURRENT, "keyword": "old"}
    stays = plan(current, notes="x", extra={"keyword": "old"})

    changes = plan(current, notes="x", extra={"keyword": "new"})

    assert stays.before == {"notes": "old"}
    assert stays.after == {"notes": "x"}
    assert changes.before == {"notes": "old"}
    assert changes.after == {"notes": "x", "keyword": SECRET_CHANGES}


def test_the_diff_tells_a_password_that_the_panel_generates_from_one_that_is_set() -> None:
    assert plan(regenerate_password=True).after == {"password": SECRET_GENERATED}
    assert plan(password="x-secret-x", update_password="always").after == {
        "password": SECRET_CHANGES
    }
