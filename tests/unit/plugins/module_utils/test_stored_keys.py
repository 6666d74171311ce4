# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""New objects that the panel may show under another key than the one that was sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._errors import Refused
from ansible_collections.hosting.panel.plugins.module_utils._kinds.services import DIRECTORY_PROTECTION
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import run_task

SINGLE, BULK = resource_operation(DIRECTORY_PROTECTION), resources_operation()
PATH = "/directory-protections"
LIST = ("GET", PATH, None)
WANTED: dict[str, Any] = {"client": "acme", "path": "/shop", "username": "Boss"}
OTHER = {"id": 5, "id_user": 21, "path": "/other", "username": "staff"}
LAYOUT = pytest.mark.parametrize("in_bulk", [False, True], ids=["single", "bulk"])


class OddPanel(MemoryPanel):
    """keeps: members of what is created, as they are kept. answers: the id that a creation is answered with. hides: how many lists lack it."""

    def __init__(self, keeps: Mapping[str, Any], answers: int | None = None, hides: int = 0) -> None:
        super().__init__({"/clients": [{"id": 21, "username": "acme"}], PATH: [OTHER]})
        self._keeps, self._answers, self._hides = keeps, answers, hides
        self.is_broken = False

    def post(self, path: str, body: Mapping[str, Any], **more: Any) -> Any:
        written = super().post(path, {**body, **self._keeps}, **more)
        return {**written, "id": self._answers or written["id"]}

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        found = super().get(path, query)
        if self.is_broken and self.writes:
            raise Refused("GET was refused.", method="GET", path=path, attempts=1, status=400)
        if not (self._hides and self.writes and path == PATH):
            return found
        self._hides -= 1
        return [item for item in found if item["id"] == 5]

    def calls_after_writing(self) -> list[Any]:
        return self.calls[self.calls.index(self.writes[0]) :]


def run(panel: MemoryPanel, in_bulk: bool, *wanted: dict[str, Any]) -> dict[str, Any]:
    if in_bulk:
        return run_task(BULK, panel, {"resources": {"directory_protections": list(wanted)}})
    (one,) = wanted
    return run_task(SINGLE, panel, one)


@LAYOUT
def test_a_new_object_under_another_key_is_deleted_again_and_its_password_not_returned(in_bulk: bool) -> None:
    panel = OddPanel({"username": "boss"})
    result = run(panel, in_bulk, WANTED)
    assert [call[:2] for call in panel.writes] == [("POST", PATH), ("DELETE", f"{PATH}/22")]
    assert panel.objects[PATH] == [OTHER]
    assert "username in lower or upper case, as 'boss'" in result["msg"]
    assert (result["failed"], result["changed"]) == (True, False)
    assert "panel-made-1" not in str(result)


@LAYOUT
def test_an_object_that_was_there_before_is_never_deleted(in_bulk: bool) -> None:
    panel = OddPanel({}, answers=5)
    result = run(panel, in_bulk, WANTED)
    assert [call[0] for call in panel.writes] == ["POST"]
    assert result["failed"]
    assert "id 5, and that is another directory protection" in result["msg"]


@LAYOUT
def test_a_new_object_that_the_list_never_shows_fails_and_keeps_its_password(in_bulk: bool) -> None:
    panel = OddPanel({}, hides=7)
    result = run(panel, in_bulk, WANTED)
    assert (result["failed"], result["changed"]) == (True, True)
    assert "with id 22, and its list does not show it: another run would make another one." in str(result)
    assert [call[0] for call in panel.writes] == ["POST"]
    assert panel.calls_after_writing().count(LIST) == 7
    assert "panel-made-1" in str(result)


@LAYOUT
def test_a_new_object_that_the_list_shows_late_is_waited_for(in_bulk: bool) -> None:
    panel = OddPanel({}, hides=6)
    result = run(panel, in_bulk, WANTED)
    assert (result.get("failed"), result["changed"], result.get("warnings")) == (None, True, None)
    assert [call[0] for call in panel.writes] == ["POST"]
    assert panel.calls_after_writing().count(LIST) == 7


@LAYOUT
def test_a_list_that_cannot_be_read_afterwards_is_warned_of(in_bulk: bool) -> None:
    panel = OddPanel({})
    panel.is_broken = True
    result = run(panel, in_bulk, WANTED)
    assert result["changed"]
    assert "is not known" in str(result["warnings"])
    assert "panel-made-1" in str(result)


def test_many_new_objects_cost_one_more_list_before_and_one_after() -> None:
    panel = OddPanel({})
    result = run(panel, True, *({**WANTED, "username": f"user{number}"} for number in range(5)))
    assert result["changed"]
    assert panel.calls.count(LIST) == 3
    panel.forget()
    run(panel, True, {**WANTED, "username": "user0"})
    assert panel.calls.count(LIST) == 1


@LAYOUT
@pytest.mark.parametrize(
    ("kept", "words"),
    [
        ("/shop/ad", "cut after 8 characters"),
        ("/shop/admin &amp; more", "escaped as in HTML"),
        ("/SHOP/admin & more", "in lower or upper case"),
        ("/shop/admin  & more", "with other blanks"),
        ("example.net/shop", "path as 'example.net/shop'"),
    ],
)
def test_what_became_of_a_text_is_said_in_words(kept: str, words: str, in_bulk: bool) -> None:
    result = run(OddPanel({"path": kept}), in_bulk, {**WANTED, "path": "/shop/admin & more"})
    assert words in result["msg"]
