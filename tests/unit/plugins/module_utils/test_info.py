"""Reading objects: sorted by the panel, by a name in any spelling, and what is no answer. The rest is in tests/unit/test_every_kind.py."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._object.info import info_operation
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Field, Kind
from ansible_collections.hosting.panel.plugins.module_utils._values.names import DomainName
from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import Text
from tests.support.tasks import run_task
from tests.support.transcript import Dialogue, answer, call, page

DOMAIN = Kind(
    singular="domain",
    plural="domains",
    title="domain",
    path="/domains",
    key=(Field("domain", DomainName()),),
    rows=(Field("notes", Text()),),
    sorts=("id", "domain"),
)
DOMAINS = info_operation(DOMAIN)
A = {"id": 1, "domain": "a.example"}


def test_check_mode_reads_as_ever(dialogue: Dialogue) -> None:
    client = dialogue(call("GET", "/domains", answer(200, [A])))
    assert run_task(DOMAINS, client, {}, check_mode=True)["domains"] == [A]


def test_a_failing_look_up_is_not_an_empty_list(dialogue: Dialogue) -> None:
    for options, path in (({"domain": "a.example"}, "name/a.example"), ({"id": 1}, "1"), ({}, "")):
        # Of a page the list decides, which cannot be read either.
        paths = [f"/domains/{path}".rstrip("/"), *(["/domains"] if path else [])]
        client = dialogue(*(call("GET", one, page(404)) for one in paths))
        assert run_task(DOMAINS, client, options)["failed"] is True


def test_a_wrong_name_is_told_before_any_request(dialogue: Dialogue) -> None:
    result = run_task(DOMAINS, dialogue(), {"domain": "none"})
    assert result["error"] == {"type": "OptionError", "option": "domain"}


@pytest.mark.parametrize("data", [{}, None, [1], "x", {"items": [A]}])
def test_an_answer_of_another_shape_is_an_error(dialogue: Dialogue, data: Any) -> None:
    result = run_task(DOMAINS, dialogue(call("GET", "/domains", answer(200, data))), {})
    assert result["error"]["type"] == "UnexpectedAnswer"
