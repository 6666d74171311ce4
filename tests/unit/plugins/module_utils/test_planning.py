"""From the wanted and the current object to one change: what is sent, what is shown, what is refused."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.module_utils._object.planning import Plan, make_plan
from ansible_collections.hosting.panel.plugins.module_utils._schema.difference import SECRET_CHANGES, Resolved
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import (
    Change,
    Field,
    Group,
    Kind,
    Password,
    Reference,
    read_wanted,
)
from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import is_secret_name
from ansible_collections.hosting.panel.plugins.module_utils._values.names import EmailAddress
from ansible_collections.hosting.panel.plugins.module_utils._values.pem import Pem
from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import (
    Boolean,
    Choice,
    Day,
    Integer,
    SetOf,
    Text,
    ValueType,
    contains,
)

OWNER = Reference("client", "id_user", "/clients", "client", Text(), change=Change.IDENTITY, required=True)
LOCK = Reference("lock", "id_lock", "/locks", "lock", Text(), empty_is_zero=True)
BRAND = Reference(
    "brand",
    "id_brand",
    "/brands",
    "brand",
    Text(),
    alike=lambda shop, brand: contains(shop.get("colours"), brand["colours"]),
)
SHOP = Kind(
    singular="shop",
    plural="shops",
    title="shop",
    path="/shops",
    key=(Field("name", Text(clearable=False)),),
    rows=(
        OWNER,
        BRAND,
        Field("kind", Text(), change=Change.IDENTITY),
        Field("with_sign", Boolean(), change=Change.AT_CREATION),
        Field("notes", Text()),
        Field("title", Text(), default_from="notes"),
        Field("size", Integer(0)),
        Field("closes_on", Day()),
        Field("aliases", SetOf(EmailAddress())),
        Group("contact", members=(Field("city", Text()), Field("zip", Text())), clearable=True),
        Group(
            "door",
            members=(
                Field("is_open", Boolean()),
                LOCK,
                Field("certificate", Text()),
                Field("private_key", Text(), secret=True, unchanged_with="certificate"),
            ),
        ),
    ),
    renames=True,
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
    "door": {"is_open": True, "id_lock": 3, "key_number": 9, "certificate": "c", "certificate_utf8": "c"},
    "status": 1,
    "opening_hours": {"x": 1, "y": 2},
    "password_hash": "$6$old",
}
OWNED = {("id_user",): Resolved(21)}


def plan(current: Any = ..., resolved: Any = ..., inherited: Any = None, **options: Any) -> Plan:
    """The plan for options as a user writes them, from CURRENT and OWNED where nothing else is given; neither may change."""
    current = CURRENT if current is ... else current
    resolved = OWNED if resolved is ... else resolved
    before = copy.deepcopy(current)
    made = make_plan(SHOP, read_wanted(SHOP, {"name": "acme", **options}), current, resolved, inherited)
    assert current == before
    return made


# Nothing to do.


def test_a_deletion_shows_the_members_of_the_table_without_secrets() -> None:
    made = plan(state="absent")
    assert (made.action, made.body, made.after, made.object) == ("delete", {}, {}, None)
    assert made.before["notes"] == "old"
    assert "status" not in made.before
    assert "password_hash" not in str(made.before)


# What is sent.


def test_a_secret_that_the_panel_shows_is_neither_repeated_nor_shown() -> None:
    current = {**CURRENT, "door": {**CURRENT["door"], "private_key": "shown by the panel"}}
    made = plan(current, door={"is_open": False})
    assert made.body == {"door": {"is_open": False, "id_lock": 3, "certificate": "c"}}
    assert "shown by the panel" not in f"{made.before}{made.after}{made.object}"
    same = plan(current, door={"private_key": "shown by the panel"})
    assert (same.action, same.before, same.after) == ("none", {}, {})


@pytest.mark.parametrize("shown", [0, None, "0"])
def test_no_reference_is_zero(shown: Any) -> None:
    current = {**CURRENT, "door": {**CURRENT["door"], "id_lock": shown}}
    resolved = {("door", "id_lock"): Resolved(0)}
    assert plan(current, resolved, door={"lock": ""}).action == "none"
    assert plan(resolved=resolved, door={"lock": ""}).body["door"]["id_lock"] == 0


def test_a_reference_that_does_not_exist_yet_is_predicted_as_a_change() -> None:
    made = plan(resolved={("door", "id_lock"): Resolved(None)}, door={"lock": "coming"})
    assert made.action == "update"
    assert made.after == {"door": {"lock": "coming"}}


@pytest.mark.parametrize("shown", [{}, {"id_brand": None}])
@pytest.mark.parametrize(("colours", "action"), [({"a": 1}, "none"), ({"a": 2}, "update")])
def test_where_the_id_of_a_reference_is_not_shown_the_objects_are_compared(
    shown: dict[str, Any], colours: dict[str, int], action: str
) -> None:
    current = {**CURRENT, **shown, "colours": {"a": 1, "b": 2}}
    made = plan(current, {("id_brand",): Resolved(5, {"id": 5, "colours": colours})}, brand="Red")
    assert made.action == action
    assert made.body == ({} if action == "none" else {"id_brand": 5})


def test_a_shown_id_of_a_reference_is_trusted() -> None:
    current = {**CURRENT, "id_brand": "5", "colours": {}}
    resolved = {("id_brand",): Resolved(5, {"id": 5, "colours": {"a": 1}})}
    assert plan(current, resolved, brand="Red").action == "none"


# Creating.


def test_a_given_reference_outranks_an_inherited_one() -> None:
    made = plan(None, {("id_user",): Resolved(22)}, {"id_user": 21}, client="other")
    assert made.body["id_user"] == 22


# Flags of creation and identity.


def test_a_flag_of_creation_says_nothing_where_the_panel_does_not_show_it() -> None:
    current = {name: value for name, value in CURRENT.items() if name != "with_sign"}
    assert plan(current, with_sign=False) == plan(current)


def test_an_identity_that_the_panel_does_not_show_is_not_compared() -> None:
    current = {name: value for name, value in CURRENT.items() if name not in ("kind", "id_user")}
    assert plan(current, {("id_user",): Resolved(22)}, kind="shoes", id_user=22).action == "none"


# What cannot be read.


def test_a_member_that_the_panel_does_not_show_is_sent_with_a_warning() -> None:
    current = {name: value for name, value in CURRENT.items() if name != "notes"}
    made = plan(current, notes="x")
    assert made.body == {"notes": "x"}
    assert len(made.warnings) == 1
    assert "does not show notes of the shop acme" in made.warnings[0]
    assert "sent again in every run" in made.warnings[0]


def test_clearing_a_member_that_the_panel_does_not_show_is_nothing() -> None:
    current = {name: value for name, value in CURRENT.items() if name not in ("notes", "closes_on", "contact")}
    made = plan(current, notes="", closes_on="", contact={})
    assert (made.action, made.warnings) == ("none", ())


@pytest.mark.parametrize("group", [None, [], "x"])
def test_a_group_that_the_panel_does_not_show_is_sent(group: Any) -> None:
    assert plan({**CURRENT, "contact": group}, contact={"city": "Köln"}).body == {"contact": {"city": "Köln"}}


def test_extra_that_the_panel_does_not_show_warns() -> None:
    made = plan(extra={"colour": "blue"})
    assert made.warnings == ("The panel does not show colour (from extra) of the shop acme; it is sent in every run.",)


def test_extra_is_compared_deeply_and_sent_as_it_is() -> None:
    current = {**CURRENT, "spam": {"score": 5, "rules": [1, 2], "deep": {"a": 1, "b": 2}}}
    assert plan(current, extra={"spam": {"deep": {"a": 1}, "rules": [1, 2]}}).action == "none"
    made = plan(current, extra={"spam": {"deep": {"a": 3}}})
    assert made.body == {"spam": {"deep": {"a": 3}}}
    assert made.object is not None
    assert made.object["spam"] == {"score": 5, "rules": [1, 2], "deep": {"a": 3, "b": 2}}
    assert plan(current, extra={"spam": {"rules": [2, 1]}}).action == "update"


# Secrets.


def test_of_a_secret_in_extra_the_diff_says_only_that_it_changes() -> None:
    current = {**CURRENT, "api_token": "old", "spam": {"token": "old", "score": 5}}
    same = plan(current, notes="x", extra={"api_token": "old", "spam": {"token": "old"}})
    assert (same.before, same.after) == ({"notes": "old", "spam": {"score": 5}}, {"notes": "x", "spam": {"score": 5}})
    made = plan(current, extra={"api_token": "new", "spam": {"token": "new", "score": 5}})
    assert made.before == {"spam": {"score": 5}}
    assert made.after == {"api_token": SECRET_CHANGES, "spam": {"score": 5, "token": SECRET_CHANGES}}
    assert made.body == {"api_token": "new", "spam": {"token": "new", "score": 5}}


def test_of_a_secret_within_a_text_the_diff_says_only_that_it_changes() -> None:
    current = {**CURRENT, "notes": "https://u:old@x.example"}
    made = plan(current, notes="https://u:new@x.example")
    assert made.body == {"notes": "https://u:new@x.example"}
    assert (made.before, made.after) == ({"notes": "https://********@x.example"}, {"notes": SECRET_CHANGES})
    assert plan(current, notes="https://u:old@x.example").action == "none"
    assert plan(current, notes="https://u:new@y.example").after == {"notes": "https://********@y.example"}


def test_every_secret_of_a_table_has_the_name_of_one() -> None:
    # Results and diffs leave secrets out by their names.
    for kind in TABLES.values():
        for row in kind.rows:
            members = row.members if isinstance(row, Group) else (row,)
            assert all(is_secret_name(each.name) for each in members if getattr(each, "secret", False))


# Passwords, in all combinations.

PASSWORD = {"password": "hunter2hunter2"}
HASH = {"password_hash": "$6$new"}
SAME_HASH = {"password_hash": "$6$old"}
ALWAYS = {"update_password": "always"}
NO_HASH_SHOWN = {name: value for name, value in CURRENT.items() if name != "password_hash"}


@pytest.mark.parametrize(
    ("current", "options", "body", "generates"),
    [
        (CURRENT, {}, {}, False),
        (CURRENT, PASSWORD, {}, False),
        (CURRENT, {**PASSWORD, "update_password": "on_create"}, {}, False),
        (CURRENT, {**PASSWORD, **ALWAYS}, PASSWORD, False),
        (CURRENT, ALWAYS, {}, False),
        (CURRENT, HASH, HASH, False),
        (CURRENT, SAME_HASH, {}, False),
        (CURRENT, {**SAME_HASH, **ALWAYS}, {}, False),
        (NO_HASH_SHOWN, HASH, {}, False),
        (NO_HASH_SHOWN, {**HASH, **ALWAYS}, HASH, False),
        ({**CURRENT, "password_hash": ""}, {**HASH, **ALWAYS}, HASH, False),
        ({**CURRENT, "password_hash": None}, HASH, {}, False),
        (CURRENT, {"regenerate_password": True}, {"password": None}, True),
        (CURRENT, {"regenerate_password": True, **ALWAYS}, {"password": None}, True),
        (CURRENT, {"regenerate_password": False}, {}, False),
    ],
)
def test_passwords_of_an_existing_object(
    current: dict[str, Any], options: dict[str, Any], body: dict[str, Any], generates: bool
) -> None:
    made = plan(current, **options)
    assert (made.body, made.generates) == (body, generates)
    assert made.action == ("update" if body else "none")
    assert made.before == {}
    assert list(made.after.values()) == ([SECRET_CHANGES] if body else [])
    assert "password" not in str(made.object)


# Properties.


CANARY = "c4n4ry-s3cr3t"
CANARY_IN_PEM = "YzRuNHJ5LXMzY3IzdA=="
VALUES: dict[str, list[Any]] = {
    "Text": ["", "a", "b", "two\nlines", "Köln", "7"],
    "Boolean": [True, False],
    "Day": ["", "2026-12-31", "2027-01-01T10:00:00+02:00", "2027-01-01T08:00:00Z"],
    "EmailAddress": ["", "a@shop.example", "B@Müller.example", "b@xn--mller-kva.example"],
    "DomainName": ["shop.example", "Müller.example"],
    "Integer": [1, 2, 3, -1],
    "OptionalInteger": ["", 1, 2],
    "ByteSize": ["1G", "1024M", 1073741824, "2K", -1],
    "Directory": ["/www/", "www", "/www/a"],
    "CronField": ["*", "1"],
    "RemoteHost": ["%", "192.0.2.7", "App.example.com"],
}


def values_of(value_type: ValueType) -> st.SearchStrategy[Any] | None:
    """Values that the type accepts; None for a type that this test does not know."""
    if isinstance(value_type, SetOf):
        items = values_of(value_type.item)
        return None if items is None else st.lists(items, max_size=3)
    if isinstance(value_type, Pem):
        block = f"-----BEGIN {value_type.label}-----\n{{}}\n-----END {value_type.label}-----\n"
        return st.sampled_from([block.format(text) for text in ("YQ==", "Yg==", CANARY_IN_PEM)])
    if isinstance(value_type, Choice):
        return st.sampled_from(value_type.choices)
    values = VALUES.get(type(value_type).__name__)
    accepted = [value for value in values or () if accepts(value_type, value)]
    return st.sampled_from(accepted) if accepted else None


def accepts(value_type: ValueType, value: Any) -> bool:
    try:
        value_type.parse(value)
    except ValueError:
        return False
    return True


def options_of(rows: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the options of a table, secrets included."""
    optional: dict[str, Any] = {}
    for row in rows:
        if isinstance(row, Group):
            optional[row.name] = options_of(row.members)
        elif isinstance(row, Reference):
            optional[row.name] = st.integers(1, 3)
        elif row.change is not Change.FREE:
            continue
        else:
            strategy = values_of(row.type)
            if strategy is not None:
                optional[row.name] = strategy
    return st.fixed_dictionaries({}, optional=optional)


def planned(kind: Kind, options: dict[str, Any], current: dict[str, Any] | None) -> Plan:
    """The plan; options that contradict each other are no example of anything."""
    named = keys_of(kind) if len(kind.key) == 1 else {"id": 7}
    try:
        wanted = read_wanted(kind, {**named, **options})
    except OptionError as error:
        assert "excludes" in error.problem or "counts only with" in error.problem or "empty dictionary" in error.problem
        assume(False)
    resolved = {reference.path: Resolved(reference.id) for reference in wanted.references}
    return make_plan(kind, wanted, current, resolved)


def keys_of(kind: Kind) -> dict[str, Any]:
    written = {"DomainName": "shop.example", "EmailAddress": "info@shop.example"}
    return {row.name: written.get(type(row.type).__name__, "acme") for row in kind.key if isinstance(row, Field)}


def stored(current: dict[str, Any], body: dict[str, Any], merges: bool) -> dict[str, Any]:
    after = copy.deepcopy(current)
    for name, value in body.items():
        old = after.get(name)
        after[name] = {**old, **value} if merges and isinstance(old, dict) and isinstance(value, dict) else value
    return after


@pytest.mark.parametrize("kind", TABLES.values(), ids=lambda kind: kind.plural)
@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data(), merges=st.booleans())
def test_what_a_plan_sends_is_right_afterwards_and_holds_no_secret_in_what_it_shows(
    kind: Kind, data: st.DataObject, merges: bool
) -> None:
    before = data.draw(options_of(kind.rows))
    options = data.draw(options_of(kind.rows))
    password = {"password": CANARY, "update_password": "always"} if kind.password is not None else {}
    hidden = {"extra": {"smtp_password": CANARY, "nested": {"token": CANARY, "x": 1}}}
    start = {"id": 7, **keys_of(kind)}
    current = stored(start, dict(planned(kind, before, start).body), merges)
    made = planned(kind, {**options, **password, **hidden}, current)
    shown = f"{made.before}{made.after}{made.object}{made.warnings}"
    assert CANARY not in shown
    assert "PRIVATE KEY" not in shown
    plain = planned(kind, options, current)
    after = stored(current, dict(plain.body), merges)
    again = planned(kind, options, after)
    assert (again.action, again.body) == ("none", {})
    assert again.before == again.after
