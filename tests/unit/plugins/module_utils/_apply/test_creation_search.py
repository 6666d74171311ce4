# SPDX-License-Identifier: GPL-3.0-or-later
"""What was on the panel before a creation tells the object that it made from those of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._apply.apply import apply
from ansible_collections.hosting.panel.plugins.module_utils._apply.creation_search import (
    CreationSearch,
)
from ansible_collections.hosting.panel.plugins.module_utils._errors import Reached
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import FTP_USER
from ansible_collections.hosting.panel.plugins.module_utils._operation.defects import Defect
from ansible_collections.hosting.panel.plugins.module_utils._plan.object_plan import (
    CREATE,
    ObjectPlan,
)
from ansible_collections.hosting.panel.plugins.module_utils._resolve.resolution import (
    locate_object,
    resolve,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.desired_object import (
    DesiredObject,
)
from ansible_collections.hosting.panel.plugins.module_utils._sources.live_source import (
    LiveObjects,
    LiveSource,
)
from ansible_collections.hosting.panel.plugins.module_utils._sources.snapshot_source import (
    SnapshotSource,
)
from ansible_collections.hosting.panel.plugins.module_utils._sources.task_creations import (
    SentCreation,
)
from tests.support.memory import MemoryPanel
from tests.support.transcript import call, make_answer

BODY = {"username": "shop", "id_user": 1}
OF_OWNER = {"id": 5, "username": "acme_old", "id_user": 1}
RIVAL = SentCreation(1, "blog")


def test_nothing_is_created_under_a_name_that_may_change_unless_a_list_was_read() -> None:
    panel = MemoryPanel({"/clients": [{"id": 1, "username": "acme"}]})
    plan = ObjectPlan(FTP_USER, DesiredObject(), "FTP user shop", CREATE, body=BODY)

    applied = apply(plan, LiveSource(lambda: panel), locked={("shop",): ()})

    assert isinstance(applied.error, Defect)
    assert panel.writes == []


def test_an_object_of_the_owner_counts_as_new_only_beside_a_list_without_it() -> None:
    panel = MemoryPanel({"/ftp-users": [OF_OWNER]})
    objects = LiveSource(lambda: panel).get_objects(FTP_USER)

    def search(listed_before: frozenset[int] | None) -> list[int]:
        creation_search = CreationSearch(objects, BODY, BODY, ["username"], listed_before)
        result = creation_search.search(1, may_have_another_name=True)
        return [item["id"] for item in result.candidates]

    assert search(frozenset()) == [5]
    assert search(frozenset([5])) == []
    with pytest.raises(LookupError):
        search(None)


def test_a_new_object_is_taken_by_no_other_creation_while_its_own_is_under_way() -> None:
    reads = 0

    def settle_other_creation(method: str, _path: str, _body: Any) -> None:
        nonlocal reads
        reads += method == "GET"
        if reads == 3:
            objects.creations.settle(RIVAL, OF_OWNER["id"])

    panel = MemoryPanel({"/ftp-users": [OF_OWNER]}, before=settle_other_creation)
    objects = LiveSource(lambda: panel).get_objects(FTP_USER)
    objects.creations.begin(RIVAL)
    search = CreationSearch(objects, BODY, BODY, ["username"], frozenset())

    outcome = search.search(4, may_have_another_name=True)

    assert reads == 4
    assert outcome.candidates == []


@pytest.mark.parametrize("shows_owner", [True, False])
def test_a_new_object_may_be_that_of_another_creation_without_an_outcome(shows_owner: bool) -> None:
    short = {} if shows_owner else {"/ftp-users": ["id_user"]}
    panel = MemoryPanel({"/ftp-users": [OF_OWNER]}, short=short)
    objects = LiveSource(lambda: panel).get_objects(FTP_USER)
    objects.creations.begin(RIVAL._replace(owner_id=1 if shows_owner else 2))
    search = CreationSearch(objects, BODY, BODY, ["username"], frozenset())

    outcome = search.search(2, may_have_another_name=True)

    assert [item["id"] for item in outcome.candidates] == [OF_OWNER["id"]]
    assert outcome.may_be_of_others


@pytest.mark.parametrize(
    ("rival", "listed", "candidate", "is_doubtful"),
    [
        pytest.param("shop", ["acme_shop"], "acme_shop", True, id="prefix, first"),
        pytest.param("acme_shop", ["acme_shop"], "acme_shop", True, id="prefix, second"),
        pytest.param("shop", ["shop", "acme_shop"], "acme_shop", False, id="each has its own"),
        pytest.param("blog", ["acme_shop"], "acme_shop", False, id="a name that holds no other"),
        pytest.param("acme_blog", ["acme_blog"], None, False, id="the name of another one"),
        pytest.param("blog", ["acme_x1"], "acme_x1", True, id="made up"),
    ],
)
def test_a_name_is_evidence_for_the_creation_that_has_sent_it_unless_the_panel_adds_to_names(
    rival: str, listed: list[str], candidate: str | None, is_doubtful: bool
) -> None:
    ours = "shop" if rival == "acme_shop" else "acme_shop"
    items = [
        {"id": number, "username": name, "id_user": 1} for number, name in enumerate(listed, 5)
    ]
    objects = LiveSource(lambda: MemoryPanel({"/ftp-users": items})).get_objects(FTP_USER)
    objects.creations.begin(SentCreation(1, rival))
    body = {"username": ours, "id_user": 1}
    search = CreationSearch(objects, body, body, ["username"], frozenset())

    outcome = search.search(1, may_have_another_name=True)

    expected_names = [] if candidate is None else [candidate]
    assert [item["username"] for item in outcome.candidates] == expected_names
    assert outcome.may_be_of_others == is_doubtful


def test_a_name_is_no_evidence_where_the_panel_makes_up_names() -> None:
    panel = MemoryPanel({"/ftp-users": [{"id": 5, "username": "shop", "id_user": 1}]})
    objects = LiveSource(lambda: panel).get_objects(FTP_USER)
    objects.creations.note_kept_name(SentCreation(1, "mail"), "acme_x1")
    objects.creations.begin(RIVAL)
    search = CreationSearch(objects, BODY, BODY, ["username"], frozenset())

    outcome = search.search(1, may_have_another_name=True)

    assert outcome.may_be_of_others


@pytest.mark.parametrize("is_made_by_task", [True, False])
def test_what_stands_in_the_way_of_a_creation_is_of_the_task_only_where_its_id_says_so(
    is_made_by_task: bool,
) -> None:
    panel = MemoryPanel({"/ftp-users": [{"id": 5, "username": "shop", "id_user": 1}]})
    objects = LiveSource(lambda: panel).get_objects(FTP_USER)
    objects.creations.begin(RIVAL)
    objects.creations.settle(RIVAL, 5 if is_made_by_task else None)
    if not is_made_by_task:
        objects.creations.note_existing(5)
    search = CreationSearch(objects, BODY, BODY, ["username"], frozenset())

    outcome = search.search(1, may_have_another_name=False)

    assert outcome.may_be_of_others == is_made_by_task


@pytest.mark.parametrize("source_type", [LiveSource, SnapshotSource])
def test_a_creation_knows_the_list_of_its_own_search_and_none_that_is_read_later(
    source_type: type[LiveSource] | type[SnapshotSource],
) -> None:
    panels = [MemoryPanel({"/ftp-users": [OF_OWNER]})]
    source = source_type(lambda: panels[-1])
    location = locate_object(FTP_USER, DesiredObject(key={"username": "shop"}), source)
    panels.append(MemoryPanel({"/ftp-users": [OF_OWNER, {**OF_OWNER, "id": 6}]}))
    source.get_objects(FTP_USER).fetch_all()

    assert resolve(location, source).listed_ids == frozenset([5])


def test_a_defect_after_a_creation_says_what_was_created(
    dialogue: Callable[..., PanelSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let the name that the panel keeps be looked at by code that fails."""
    session = dialogue(call("POST", "/ftp-users", make_answer(201, {"id": 7}), BODY))
    monkeypatch.setattr(LiveObjects, "fetch", lambda *_arguments: 1 / 0)
    plan = ObjectPlan(
        FTP_USER, DesiredObject(), "FTP user shop", CREATE, body=BODY, listed_ids=frozenset()
    )

    applied = apply(plan, LiveSource(lambda: session), locked={("shop",): ()})

    assert isinstance(applied.error, Defect)
    assert applied.error.reached == Reached(is_changed=True, identifier=7)
    assert applied.identifier == 7
