"""What every kind refuses, waits for and reads, generated from its table and the samples.

What it writes is in test_behaviours.py.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._schema.desired_object import (
    build_argument_spec,
    read_desired,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.fields import (
    Field,
    Mutability,
    Reference,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.groups import Group
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from tests.support.grid import (
    HASH,
    PASSWORD,
    get_existing_label,
    make_full_body,
    make_key_options,
    make_smallest_creation,
)
from tests.support.place import Place
from tests.support.samples import (
    Member,
    find_value_at,
    get_key,
    list_members,
    list_rows,
    make_sample,
    make_wire_key,
    put,
    read_kinds,
    read_samples,
)


def has_unusual_values(kind: Kind) -> bool:
    """Tell whether the samples have values that only an object that has them keeps."""
    return any(field.unusual for field in list_rows(kind))


def has_references(kind: Kind) -> bool:
    """Tell whether a field names another object."""
    return any(isinstance(field.row, Reference) for field in list_rows(kind))


def has_fixed_fields(kind: Kind) -> bool:
    """Tell whether a field cannot be changed once the object exists."""
    return any(field.row.change is Mutability.IDENTITY for field in list_members(kind))


KINDS = list(read_kinds().values())
WITH_PASSWORDS = [kind for kind in KINDS if kind.password is not None]
WITH_UNUSUAL_VALUES = [kind for kind in KINDS if has_unusual_values(kind)]
WITH_REFERENCES = [kind for kind in KINDS if has_references(kind)]
WITH_FIXED_FIELDS = [kind for kind in KINDS if has_fixed_fields(kind)]
LISTED = [kind for kind in KINDS if not kind.traits.by_name]
NOBODY = "none.example"
GONE = 4711


def mark_every_kind(*selected: Kind) -> pytest.MarkDecorator:
    """Return the mark that runs a test for each kind, or for some."""
    return pytest.mark.parametrize("kind", selected or KINDS, ids=lambda kind: kind.singular)


def get_label(kind: Kind) -> str:
    """Return how messages name the object of a kind."""
    return ":".join(str(value) for value in make_key_options(kind).values())


def get_existing_id(panel: Place, kind: Kind) -> int:
    """Return the id of the object that exists."""
    identifier: int = panel.resolve({"id_of": get_existing_label(kind)})
    return identifier


# Values


@mark_every_kind()
def test_a_wrong_value_is_refused_with_the_form_that_is_taken_before_any_request(
    sample_panel: Place, kind: Kind
) -> None:
    wrong = [(row, value) for row in list_rows(kind) for value in row.wrong]
    for field, value in wrong:
        options = sample_panel.resolve(put(make_key_options(kind), field.path, value))
        hidden = isinstance(field.row, Field) and not (
            field.row.type.is_printable and not field.row.secret
        )
        option, form = field.path, field.form
        written = find_value_at(options, field.path)
        if field.is_list:
            # The last entry is the wrong one.
            option = f"{option}[{len(written) - 1}]"
            written = written[-1]
            form = form.partition("each entry must be ")[2]
        displayed = "the given value" if hidden else repr(written)
        refused = sample_panel.perform_task(kind, options)
        assert refused.outcome == "failed", (field.path, value)
        assert refused.requests == [], (field.path, value)
        secrets = str(find_value_at(options, field.path)).splitlines()[1:-1] if hidden else []
        assert [line for line in secrets if line in str(refused.result)] == []
        with pytest.raises(OptionError) as caught:
            read_desired(kind, options)
        assert caught.value.option == option
        assert str(caught.value) == f"{option}: {displayed} is not accepted; it must be {form}."


@mark_every_kind(*WITH_UNUSUAL_VALUES)
def test_what_only_an_object_that_has_it_keeps_is_refused_before_any_write(
    sample_panel: Place, kind: Kind
) -> None:
    sample_panel.prepare()
    for field, value in [(row, value) for row in list_rows(kind) for value in row.unusual]:
        refused = sample_panel.perform_task(
            kind, sample_panel.resolve(put(make_key_options(kind), field.path, value))
        )
        assert refused.outcome == "failed", (field.path, value)
        assert refused.writes == [], (field.path, value)
        assert refused.result["error"]["option"].startswith(field.path)
        assert "Nothing was written." in refused.msg


@mark_every_kind(*WITH_REFERENCES)
def test_an_id_of_nothing_is_refused_before_any_request(sample_panel: Place, kind: Kind) -> None:
    for field in list_rows(kind):
        if isinstance(field.row, Reference):
            options = {
                name: value for name, value in make_key_options(kind).items() if name != field.path
            }
            for identifier in (-1,) if field.row.empty_is_zero else (0, -1):
                refused = sample_panel.perform_task(kind, put(options, field.wire_path, identifier))
                assert refused.result["error"] == {
                    "type": "OptionError",
                    "option": field.wire_path,
                }
                assert refused.requests == []


@mark_every_kind()
def test_extra_has_no_member_that_is_an_option(sample_panel: Place, kind: Kind) -> None:
    for row in kind.fields:
        refused = sample_panel.perform_task(
            kind, {**make_key_options(kind), "extra": {row.name: {}}}
        )
        assert refused.result["error"] == {"type": "OptionError", "option": "extra"}
        assert refused.requests == []


@mark_every_kind()
def test_a_missing_part_of_the_key_is_named_before_any_request(
    sample_panel: Place, kind: Kind
) -> None:
    for name in list(make_key_options(kind))[len(kind.key) > 1 :]:
        refused = sample_panel.perform_task(
            kind,
            {option: value for option, value in make_key_options(kind).items() if option != name},
        )
        assert refused.outcome == "failed"
        assert refused.requests == []
        assert name in refused.msg
        if len(kind.key) > 1:
            parts = " + ".join(make_key_options(kind))
            assert refused.msg == f"{name}: missing; {kind.title}s are named by {parts}, or by id."


# Creation


@mark_every_kind()
def test_what_a_new_object_needs_is_named_where_it_is_missing(
    sample_panel: Place, kind: Kind
) -> None:
    paths = [
        path
        for path in read_samples()["kinds"][kind.singular].get("needed", ())
        if kind.singular != "admin"
    ]
    groups = {path.partition(".")[0] for path in paths if "." in path}

    sample_panel.prepare()

    for path, check_mode in itertools.product((*paths, *groups), (True, False)):
        options, _body = make_smallest_creation(kind)
        *group, name = path.split(".")
        (find_value_at(options, group[0]) if group else options).pop(name)
        refused = sample_panel.perform_task(kind, options, check_mode)
        form = " It must be one of exec, php, http." if path == "type" else ""
        assert refused.msg == (
            f"{path}: missing; it is needed to create the {kind.title} {get_label(kind)}, which is not on this panel.{form}"
        )
        assert refused.result["error"] == {"type": "OptionError", "option": path}
        assert refused.writes == []


@mark_every_kind()
def test_a_name_that_leads_nowhere_fails_before_any_write_and_is_warned_about_in_check_mode(
    sample_panel: Place, kind: Kind
) -> None:
    references = [field for field in list_rows(kind) if isinstance(field.row, Reference)]
    for field, is_there in itertools.product(references, (False, True)):
        if is_there and (not field.is_free or field.row in kind.key):
            continue
        options, _body = make_smallest_creation(kind)
        put(options, field.path, NOBODY)
        if field.path == "parent_domain":
            options["domain"] = f"shop.{NOBODY}"
        sample_panel.prepare(kind, *([make_full_body(kind)] if is_there else []))
        problem = (
            f"{field.path}: there is no {getattr(field.row, 'noun', '')} {NOBODY} on this panel."
        )
        refused = sample_panel.perform_task(kind, options)
        assert (
            refused.msg == f"{problem} Create it first, or correct the name. Nothing was written."
        )
        assert refused.result["error"] == {"type": "UnknownReference", "option": field.path}
        predicted = sample_panel.perform_task(kind, options, check_mode=True)
        assert refused.writes == predicted.writes == []
        if kind.singular == "email":
            # Whose it is the domain tells too.
            assert predicted.msg.startswith(
                "email: the domain acme.example belongs to the client acme, and the "
            )
            continue
        assert predicted.changed, predicted.msg
        assert predicted.result["warnings"] == [
            f"{problem} Check mode assumes that an earlier task creates it; if not, the real run fails here."
        ]
        assert find_value_at(predicted.result[kind.singular], field.wire_path) is None


# Finding


@mark_every_kind()
def test_an_object_named_by_an_id_that_is_not_there_is_never_created(
    sample_panel: Place, kind: Kind
) -> None:
    options, _body = make_smallest_creation(kind)
    sample_panel.prepare()

    refused = sample_panel.perform_task(
        kind, {**{name: options[name] for name in options.keys() - get_key(kind)}, "id": GONE}
    )

    assert refused.msg == (
        f"id: the panel has no {kind.title} with id {GONE}, and {kind.titles} are never created under another id. "
        "Omit id, and name the object instead. Nothing was written."
    )
    assert refused.result["error"] == {"type": "Conflict", "option": "id"}
    assert refused.writes == []


@mark_every_kind(*[kind for kind in KINDS if kind.is_renamable])
def test_a_new_name_that_another_one_has_is_refused_before_any_write(
    sample_panel: Place, kind: Kind
) -> None:
    new_name = read_samples()["kinds"][kind.singular]["new_name"]
    field = kind.name_field
    sample_panel.prepare(kind, make_full_body(kind), {**make_full_body(kind), field: new_name})
    refused = sample_panel.perform_task(kind, {**make_key_options(kind), "new_name": new_name})

    first = get_existing_id(sample_panel, kind)

    assert refused.msg == (
        f"new_name: the {kind.title} {get_label(kind)} cannot be renamed, since {new_name} exists too (ids {first} and {first + 1}). "
        "Nothing was written."
    )
    assert refused.writes == []


@pytest.mark.parametrize("state", ["present", "absent"])
@mark_every_kind(*LISTED)
def test_two_of_one_name_are_an_error_that_tells_their_ids(
    sample_panel: Place, kind: Kind, state: str
) -> None:
    sample_panel.prepare(kind, make_full_body(kind))
    sample_panel.double(kind)
    refused = sample_panel.perform_task(kind, {**make_key_options(kind), "state": state})
    first = get_existing_id(sample_panel, kind)

    name = ":".join(
        str(value) for option, value in make_key_options(kind).items() if option != "client"
    )

    assert refused.msg == (
        f"2 {kind.title}s are named {name} (ids {first}, {first + 1}). Specify the id of the one you mean. Nothing was written."
    )
    assert refused.writes == []


OWNED = [kind for kind in KINDS if any(field.wire_path == "id_user" for field in list_rows(kind))]
OTHER_OWNERS = {
    "its name": ({"client": "globex"}, "Conflict"),
    "its id": ({"id_user": {"id_of": "clients/globex"}}, "Conflict"),
    "nobody": ({"client": NOBODY}, "UnknownReference"),
}


@pytest.mark.parametrize(("owner", "error"), OTHER_OWNERS.values(), ids=OTHER_OWNERS)
@mark_every_kind(*[kind for kind in OWNED if len(kind.key) == 1])
def test_what_belongs_to_another_client_is_not_deleted(
    sample_panel: Place, kind: Kind, owner: dict[str, Any], error: str
) -> None:
    sample_panel.prepare(kind, make_full_body(kind))
    (option,) = owner
    names = (make_key_options(kind), {"id": get_existing_id(sample_panel, kind)})

    for name, check_mode in itertools.product(names, (True, False)):
        refused = sample_panel.perform_task(kind, {**name, **owner, "state": "absent"}, check_mode)
        assert refused.result["error"] == {"type": error, "option": option}
        assert refused.writes == []

    same = {option: "acme" if option == "client" else {"id_of": "clients/acme"}}
    deletion = {**make_key_options(kind), "state": "absent"}

    assert sample_panel.perform_task(kind, {**deletion, **same}).changed
    # What is gone already is nobody's.
    assert sample_panel.perform_task(kind, {**deletion, **owner}).changed is False


@mark_every_kind(*[kind for kind in KINDS if len(kind.key) > 1])
def test_with_an_id_the_parts_of_the_key_are_members_but_for_the_owner(
    sample_panel: Place, kind: Kind
) -> None:
    sample_panel.prepare(kind, make_full_body(kind))
    identifier = get_existing_id(sample_panel, kind)
    options = {**make_key_options(kind), "id": identifier, kind.name_field: "another one"}

    renamed = sample_panel.perform_task(kind, options)

    assert [(write["path"], write["body"]) for write in renamed.writes] == [
        (f"{kind.path}/{identifier}", {kind.name_field: "another one"})
    ]

    refused = sample_panel.perform_task(kind, {"id": identifier, "client": "globex"})
    assert refused.writes == []
    assert refused.msg.startswith(
        f"client: the {kind.title} with id {identifier} exists with the client acme, the task requires the client globex, and the panel"
    )


def name_owners(field: Member) -> tuple[str, str]:
    """Return how a refusal names the first value of a field, and the second one."""
    row = field.row
    first, second = (value.option for value in field.values[:2])
    if not isinstance(row, Reference):
        return str(first), str(second)

    return f"the {row.noun} {first}" if first else f"no {row.noun}", f"the {row.noun} {second}"


@mark_every_kind(*WITH_FIXED_FIELDS)
def test_what_cannot_be_changed_is_an_error_that_names_both(
    sample_panel: Place, kind: Kind
) -> None:
    sample_panel.prepare(kind, make_full_body(kind))

    for field in [field for field in list_members(kind) if field.row.change is Mutability.IDENTITY]:
        row = field.row
        current, required = name_owners(field)
        second = field.values[1]
        for option, value in {field.path: second.option, field.wire_path: second.wire}.items():
            refused = sample_panel.perform_task(kind, {**make_key_options(kind), option: value})

            if isinstance(row, Reference) and option == field.wire_path:
                required = f"the {row.noun} with id {sample_panel.resolve(value)}"
            assert refused.msg == (
                f"{option}: the {kind.title} {get_label(kind)} exists with {current}, "
                f"the task requires {required}, and the panel cannot change that. "
                "Correct the task. Nothing was written."
            )
            assert refused.result["error"] == {"type": "Conflict", "option": option}
            assert refused.writes == []


# Passwords


@pytest.mark.parametrize("option", ["password", "password_hash"])
@mark_every_kind(*WITH_PASSWORDS)
def test_an_empty_password_is_refused_before_any_request(
    sample_panel: Place, kind: Kind, option: str
) -> None:
    needs_os_hash = option == "password_hash" and kind.password and kind.password.hash_os
    beside = {"password_hash_os": HASH} if needs_os_hash else {}

    refused = sample_panel.perform_task(kind, {**make_key_options(kind), option: "", **beside})

    assert refused.result["error"] == {"type": "OptionError", "option": option}
    assert refused.requests == []


@mark_every_kind(*WITH_PASSWORDS)
def test_a_password_and_a_new_one_exclude_each_other_and_no_new_one_does_not(
    sample_panel: Place, kind: Kind
) -> None:
    sample_panel.prepare(kind, make_full_body(kind))
    options = {**make_key_options(kind), "password": PASSWORD}

    assert (
        sample_panel.perform_task(kind, {**options, "regenerate_password": False}).changed is False
    )

    refused = sample_panel.perform_task(kind, {**options, "regenerate_password": True})
    assert refused.msg == "password: excludes regenerate_password: true; give one of the two."
    assert refused.requests == []


@pytest.mark.parametrize("in_bulk", [False, True], ids=["alone", "in bulk"])
@pytest.mark.parametrize("option", ["update_password", "regenerate_password"])
@mark_every_kind(*WITH_PASSWORDS)
def test_a_password_that_somebody_typed_beside_its_option_is_not_shown(
    sample_panel: Place, kind: Kind, option: str, in_bulk: bool
) -> None:
    sample_panel.prepare(kind, make_full_body(kind))
    item = {**make_key_options(kind), option: PASSWORD}
    resources = {kind.plural: [sample_panel.resolve(item)]}

    if in_bulk:
        refused = sample_panel.run("panel_resources", "panel_resources", {"resources": resources})
    else:
        refused = sample_panel.perform_task(kind, item)

    assert f"{option}: the given value is not accepted; it must be " in refused.msg
    assert PASSWORD not in refused.msg
    assert refused.requests == []


@mark_every_kind(*WITH_PASSWORDS)
def test_a_hash_that_the_panel_does_not_show_is_sent_when_that_is_asked_for(
    sample_panel: Place, kind: Kind
) -> None:
    sample_panel.prepare(kind, make_full_body(kind), password_hashes="written")
    hashed = {
        "password_hash": HASH,
        **({"password_hash_os": HASH} if kind.password and kind.password.hash_os else {}),
    }

    sent = sample_panel.perform_task(
        kind, {**make_key_options(kind), **hashed, "update_password": "always"}
    )

    assert [write["body"] for write in sent.writes] == [hashed]
    assert sent.changed


# Waiting


@mark_every_kind()
def test_a_wait_looks_at_the_object_until_it_is_applied(sample_panel: Place, kind: Kind) -> None:
    if not kind.traits.has_status:
        assert not {"wait", "wait_timeout"} & build_argument_spec(kind).keys()
        return

    sample_panel.prepare(kind, make_full_body(kind))
    path = f"{kind.path}/{get_existing_id(sample_panel, kind)}"
    named = sample_panel.perform_task(kind, make_key_options(kind)).calls

    right = sample_panel.perform_task(kind, {**make_key_options(kind), "wait": True})

    assert right.calls == [*named, f"GET {path}"]
    assert right.result[kind.singular]["status"] == 1

    free = next(
        field
        for field in list_members(kind)
        if field.is_free and not isinstance(field.row, Reference)
    )
    changed = sample_panel.perform_task(
        kind, {**put(make_key_options(kind), free.path, free.values[1].option), "wait": True}
    )

    assert changed.calls == [*named, f"PUT {path}", f"GET {path}"]
    assert find_value_at(changed.result[kind.singular], free.wire_path) == free.values[1].wire


# Reading


def read(panel: Place, kind: Kind, **options: Any) -> list[dict[str, Any]]:
    """Return what the info module of a kind reads."""
    items: list[dict[str, Any]] = panel.perform_task(kind, options, info=True).result[kind.plural]
    return items


@mark_every_kind()
def test_reading_takes_one_request_and_shows_no_secret(sample_panel: Place, kind: Kind) -> None:
    sample_panel.prepare(kind, make_full_body(kind), password_hashes="written_and_shown")

    recording = sample_panel.perform_task(kind, {}, info=True)

    items = recording.result[kind.plural]
    assert recording.calls == [f"GET {kind.path}"]
    assert recording.changed is False
    assert get_existing_id(sample_panel, kind) in [item["id"] for item in items]
    assert not [name for item in items for name in item if name.startswith("password")]
    assert "PRIVATE KEY" not in str(items)


@pytest.mark.parametrize(
    ("kind", "sort"),
    [
        pytest.param(kind, sort, id=f"{kind.singular} by {sort}")
        for kind in KINDS
        for sort in kind.traits.sorts
    ],
)
def test_reading_in_an_order_takes_one_request(sample_panel: Place, kind: Kind, sort: str) -> None:
    sample_panel.prepare(kind, make_full_body(kind), password_hashes="written_and_shown")

    recording = sample_panel.perform_task(kind, {"sort": sort, "order": "desc"}, info=True)

    items = recording.result[kind.plural]
    names = [item[sort] for item in items]
    assert recording.calls == [f"GET {kind.path}"]
    assert recording.changed is False
    assert get_existing_id(sample_panel, kind) in [item["id"] for item in items]
    assert names == sorted(names, reverse=True)


@mark_every_kind()
def test_one_object_is_read_by_its_key_in_any_spelling_or_by_its_id(
    sample_panel: Place, kind: Kind
) -> None:
    sample_panel.prepare(kind, make_full_body(kind))
    described = read_samples()["kinds"][kind.singular]
    identifier = get_existing_id(sample_panel, kind)
    spellings = [{}, described.get("same_key") or {}, *described.get("same_keys", ())]

    for spelling in spellings:
        assert [
            item["id"]
            for item in read(sample_panel, kind, **{**make_key_options(kind), **spelling})
        ] == [identifier]

    by_id = sample_panel.perform_task(kind, {"id": identifier}, info=True)
    assert [item["id"] for item in by_id.result[kind.plural]] == [identifier]
    assert by_id.calls == [f"GET {kind.path}/{identifier}"]

    missing = sample_panel.perform_task(kind, {"id": GONE}, info=True)
    # Of a path that is inferred the list decides.
    listed = [f"GET {kind.path}"] if "inferred" in described.get("traits", ()) else []

    assert missing.result[kind.plural] == []
    assert missing.calls == [f"GET {kind.path}/{GONE}", *listed]

    for name in make_key_options(kind):
        unknown = f"nobody@{NOBODY}" if "@" in str(make_key_options(kind)[name]) else NOBODY
        assert read(sample_panel, kind, **{**make_key_options(kind), name: unknown}) == []


def make_siblings(kind: Kind) -> list[dict[str, Any]]:
    """Return objects of a kind that each have another value in one part of the key."""
    siblings = []
    for changed_key in read_samples()["kinds"][kind.singular]["other_keys"]:
        ((option, value),) = changed_key.items()
        field = next(row.name for row in kind.key if option in (row.name, row.option))
        siblings.append({**make_full_body(kind), field: make_sample(value).wire})
    return siblings


@mark_every_kind(*[kind for kind in KINDS if len(kind.key) > 1])
def test_each_part_of_a_key_is_a_filter(sample_panel: Place, kind: Kind) -> None:
    siblings = make_siblings(kind)
    sample_panel.prepare(kind, make_full_body(kind), *siblings)

    everything = read(sample_panel, kind)

    assert len(everything) == 1 + len(siblings)

    options_of_key = {row.name: row.option for row in kind.key}
    for field, value in sample_panel.resolve(make_wire_key(kind)).items():
        option = options_of_key[field]
        name = make_key_options(kind)[option]
        expected = [item["id"] for item in everything if item[field] == value]
        assert len(expected) < len(everything)
        assert [item["id"] for item in read(sample_panel, kind, **{option: name})] == expected
        if option != field:
            assert [item["id"] for item in read(sample_panel, kind, **{field: value})] == expected


@mark_every_kind()
def test_what_is_read_can_be_given_and_is_right_already(sample_panel: Place, kind: Kind) -> None:
    sample_panel.prepare(kind, make_full_body(kind))
    (item,) = read(sample_panel, kind, **make_key_options(kind))
    key = {name for name in get_key(kind) if len(kind.key) == 1}
    options = {
        name: value
        for name, value in item.items()
        if name in build_argument_spec(kind) and name not in key
    }

    right = sample_panel.perform_task(kind, options)

    assert right.outcome == "ok", right.msg
    assert right.changed is False, right.msg
    assert right.writes == [], right.msg
    assert "warnings" not in right.result

    groups = {row.name for row in kind.fields if isinstance(row, Group)}
    assert groups <= options.keys()
