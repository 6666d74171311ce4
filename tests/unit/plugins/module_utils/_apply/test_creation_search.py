# SPDX-License-Identifier: GPL-3.0-or-later
"""What was on the panel before a creation tells the object that it made from those of others."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._apply.apply import apply
from ansible_collections.hosting.panel.plugins.module_utils._apply.creation_search import (
    CreationSearch,
)
from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import FTP_USER
from ansible_collections.hosting.panel.plugins.module_utils._operation.defects import Defect
from ansible_collections.hosting.panel.plugins.module_utils._plan.object_plan import (
    CREATE,
    ObjectPlan,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.desired_object import (
    DesiredObject,
)
from ansible_collections.hosting.panel.plugins.module_utils._sources.live_source import LiveSource
from tests.support.memory import MemoryPanel

BODY = {"username": "shop", "id_user": 1}
OF_OWNER = {"id": 5, "username": "acme_old", "id_user": 1}


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
