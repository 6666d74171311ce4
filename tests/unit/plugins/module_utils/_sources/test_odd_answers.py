"""Values of another kind than their field's: each field of each kind, each kind of value.

They are one error, which names field and object.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import UnexpectedAnswer
from ansible_collections.hosting.panel.plugins.module_utils._http.answers import read_response
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import (
    DETAILS,
    KINDS,
    SERVER_FIELDS,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import Secrets
from ansible_collections.hosting.panel.plugins.module_utils._sources.checked_answers import (
    read_answer,
    read_objects,
    require_ids,
)
from ansible_collections.hosting.panel.plugins.module_utils._values.answer_forms import AnswerForm
from ansible_collections.hosting.panel.plugins.module_utils._values.nesting import DEEPEST
from tests.support.odd_values import ODD, Place, fits, list_fields, with_value_at
from tests.support.transcript import Reply, make_answer, make_response

PLACES = [(kind, field) for kind in KINDS.values() for field in list_fields(kind.answer_form)]
DETAILED = [
    (name, form, field)
    for name, form in {**DETAILS, "server": SERVER_FIELDS}.items()
    for field in list_fields(form)
]


def test_every_field_of_every_kind_is_tried() -> None:
    assert len(PLACES) > 240
    assert {kind.plural for kind, _field in PLACES} == set(KINDS)

    named = {field.name for _kind, field in PLACES}
    assert {
        "security.id_certificate",
        "id_user",
        "status",
        "secured_domains",
        "aliases[0]",
        "records.other[0].ttl",
    } <= named


# Each field is a case, and not each field with each value: those are ten thousand.
@pytest.mark.parametrize(
    ("kind", "field"), PLACES, ids=[f"{kind.plural} {field.name}" for kind, field in PLACES]
)
def test_a_value_of_a_list_is_in_the_form_of_its_field_or_an_error_that_names_it(
    kind: Kind, field: Place
) -> None:
    name = {kind.name_field: "acme"} if field.name != kind.name_field else {}
    owner = f"{kind.title} acme" if name else f"a {kind.title}"
    # Of a list or a dictionary, the error is about the first that does not fit in it.
    message = rf"GET {kind.path} shows (an id that is none|{re.escape(field.name)}[\w.\[\]]* of {owner} as .*; it must be )"

    for odd, value in ODD.items():
        listed = [{kind.name_field: "first"}, with_value_at(name, field.path, value)]
        if fits(field, value):
            read_objects(listed, kind.path, kind)
            json.dumps(listed)
        else:
            with pytest.raises(UnexpectedAnswer) as caught:
                read_objects(listed, kind.path, kind)
            assert re.match(message, str(caught.value)), (odd, str(caught.value))
            assert len(caught.value.problem.cause) < 300, odd


@pytest.mark.parametrize(
    ("name", "form", "field"),
    DETAILED,
    ids=[f"{name} {field.name}" for name, _form, field in DETAILED],
)
def test_the_same_holds_for_what_a_client_has_and_uses_and_for_the_server(
    name: str, form: AnswerForm, field: Place
) -> None:
    message = rf"GET /{name} shows {re.escape(field.name)}[\w.\[\]]* as .*; it must be "

    for odd, value in ODD.items():
        answered = with_value_at({}, field.path, value)
        if fits(field, value):
            read_answer(answered, f"/{name}", form)
        else:
            with pytest.raises(UnexpectedAnswer) as caught:
                read_answer(answered, f"/{name}", form)
            assert re.match(message, str(caught.value)), (odd, str(caught.value))


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_what_is_tracked_by_its_id_has_to_show_one(kind: Any) -> None:
    with pytest.raises(
        UnexpectedAnswer, match=f"^GET {kind.path} shows {kind.title} acme without an id"
    ):
        require_ids([{"id": 1}, {kind.name_field: "acme"}], kind)
    require_ids([{"id": 1}], kind)


def test_a_secret_of_another_kind_is_not_shown() -> None:
    listed = [{"name": "acme", "components": {"private_key": ["-----BEGIN PRIVATE KEY-----"]}}]
    with pytest.raises(UnexpectedAnswer) as caught:
        read_objects(listed, "/certificates", KINDS["certificates"])

    assert "components.private_key of certificate acme as " in str(caught.value)
    assert "BEGIN" not in str(caught.value)


# What no field can hold.


def nest_json(depth: int, with_names: bool) -> str:
    """JSON so deep, with a list or a dictionary at each level."""
    begin, end = ('{"a": ', "}") if with_names else ("[", "]")
    return begin * depth + ("1" if with_names else "") + end * depth


UNUSABLE = {
    "nested 65": (nest_json(DEEPEST + 1, False), "it is JSON nested more than 64 levels deep"),
    "nested 900": (nest_json(900, True), "it is JSON nested more than 64 levels deep"),
    "nested 900 in a list": (
        f"[{nest_json(900, True)}]",
        "it is JSON nested more than 64 levels deep",
    ),
    "nested 100,000": (nest_json(100_000, False), "it is JSON nested more than 64 levels deep"),
    "a lone surrogate": ('{"notes": "\\ud800"}', "it is JSON with a half of a character"),
    "the other half": ('{"notes": "x\\uDFFFx"}', "it is JSON with a half of a character"),
    "a surrogate in a name": ('[{"\\ud83d": 1}]', "it is JSON with a half of a character"),
    "a mark of Ansible": (
        '[{"id": 1, "extra": {"__ansible_vault": "x"}}]',
        "it is JSON with a name that starts with __ansible",
    ),
    "a mark with escaped letters": (
        '{"a": [[{"\\u005f_\\u0061nsible_type": "TrustedAsTemplate"}]]}',
        "it is JSON with a name that starts with __ansible",
    ),
    "no number": ('{"max_size": NaN}', "it is incomplete or invalid application/json"),
    "an infinity": ('{"max_size": -Infinity}', "it is incomplete or invalid application/json"),
    "a number beyond all": ('{"max_size": 1e999}', "it is incomplete or invalid application/json"),
    "5,000 digits": (
        f'{{"max_size": {"9" * 5000}}}',
        "it is incomplete or invalid application/json",
    ),
}


@pytest.mark.parametrize("method", ["GET", "PUT", "POST"])
@pytest.mark.parametrize("name", list(UNUSABLE))
def test_json_that_cannot_be_used_is_no_answer_and_says_why(name: str, method: str) -> None:
    text, problem = UNUSABLE[name]
    reply = Reply(200, text.encode(), {"Content-Type": "application/json"})

    attempt = read_response(make_response(reply, method, "https://panel.example/", {}), Secrets([]))

    assert attempt.answer is None
    assert attempt.problem.startswith(problem)


@pytest.mark.parametrize(
    "text",
    [
        nest_json(DEEPEST, False),
        nest_json(DEEPEST, True),
        '["\\ud83d\\ude00"]',
        '["\\\\ud800"]',
        "[1.5, 1e300]",
        '{"notes": "__ansible_vault", "ansible": {"_ansible_x": "\\u0041"}}',
        '["\U0001f600"]',
    ],
)
def test_json_that_can_be_used_is_an_answer(text: str) -> None:
    attempt = read_response(
        make_response(make_answer(200, json.loads(text)), "GET", "https://panel.example/", {}),
        Secrets([]),
    )
    assert attempt.answer is not None


def test_depth_is_told_of_wide_answers_too() -> None:
    wide: list[Any] = [{"a": [{"b": number}]} for number in range(500)]
    attempt = read_response(
        make_response(make_answer(200, wide), "GET", "https://panel.example/", {}), Secrets([])
    )

    assert attempt.answer is not None

    wide[499] = json.loads(nest_json(DEEPEST, True))
    attempt = read_response(
        make_response(make_answer(200, wide), "GET", "https://panel.example/", {}), Secrets([])
    )

    assert attempt.answer is None
