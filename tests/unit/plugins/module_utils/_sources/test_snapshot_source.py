"""The lists of a task about many objects are read by several threads while others change them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import UnexpectedAnswer
from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import CLIENT
from ansible_collections.hosting.panel.plugins.module_utils._sources.snapshot_source import (
    SnapshotObjects,
)
from tests.support.transcript import Dialogue, call, make_answer

LIMIT = 10.0  # seconds that a test waits for its threads
KEY = {"username": "acme"}
ACME = {"id": 7, "username": "acme", "notes": "before"}


@pytest.fixture
def objects(dialogue: Dialogue) -> SnapshotObjects:
    """Return the clients of a panel that has one."""
    panel = dialogue(call("GET", "/clients", make_answer(200, [ACME])))
    found = SnapshotObjects(lambda: panel, CLIENT)
    assert len(found.list_all()) == 1
    return found


def test_candidates_stay_as_they_were_when_the_list_changes(objects: SnapshotObjects) -> None:
    candidates = objects.list_candidates(KEY)

    objects.remove(7)
    objects.put({"id": 8, "username": "acme"})
    objects.put({"id": 9, "username": "acme"})

    assert [item["id"] for item in candidates] == [7]
    assert [item["id"] for item in objects.list_candidates(KEY)] == [8, 9]


class HalfPut(dict[str, Any]):
    """An object that stops the thread which puts it into the list after the old one is gone."""

    def __init__(self, item: dict[str, Any]) -> None:
        super().__init__(item)
        self.is_half_put = threading.Event()
        self.goes_on = threading.Event()

    def __getitem__(self, name: str) -> Any:
        if not self.is_half_put.is_set():
            self.is_half_put.set()
            assert self.goes_on.wait(LIMIT)
        return super().__getitem__(name)


FINDERS: dict[str, Callable[[SnapshotObjects], Any]] = {
    "by its key": lambda objects: objects.find_by_key(KEY),
    "by its id": lambda objects: objects.find_by_id(7),
    "among all": lambda objects: objects.list_all()[0],
}


@pytest.mark.parametrize("find", FINDERS.values(), ids=FINDERS)
def test_an_object_that_another_thread_replaces_is_never_missing(
    objects: SnapshotObjects, find: Callable[[SnapshotObjects], Any]
) -> None:
    item = HalfPut({**ACME, "notes": "after"})
    found: list[Any] = []
    writer = threading.Thread(target=objects.put, args=(item,), daemon=True)
    reader = threading.Thread(target=lambda: found.append(find(objects)), daemon=True)

    writer.start()
    assert item.is_half_put.wait(LIMIT)
    reader.start()
    reader.join(0.2)
    item.goes_on.set()
    writer.join(LIMIT)
    reader.join(LIMIT)

    assert [client and client["notes"] for client in found] == ["after"]


def test_a_list_that_shows_an_id_twice_is_refused_each_time_it_is_used(dialogue: Dialogue) -> None:
    twice = [ACME, {**ACME, "username": "globex"}]
    panel = dialogue(
        call("GET", "/clients", make_answer(200, twice)),
        call("GET", "/clients", make_answer(200, twice)),
    )
    objects = SnapshotObjects(lambda: panel, CLIENT)

    for _use in range(2):
        with pytest.raises(UnexpectedAnswer, match="shows an id twice"):
            objects.list_all()
    assert not objects.has_list


def test_a_list_that_shows_an_id_twice_can_be_read_again_once_it_is_right(
    dialogue: Dialogue,
) -> None:
    panel = dialogue(
        call("GET", "/clients", make_answer(200, [ACME, ACME])),
        call("GET", "/clients", make_answer(200, [ACME])),
    )
    objects = SnapshotObjects(lambda: panel, CLIENT)

    with pytest.raises(UnexpectedAnswer):
        objects.list_all()
    assert objects.list_all() == [ACME]
