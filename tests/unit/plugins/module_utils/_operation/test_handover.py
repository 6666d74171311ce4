"""What a front end hands to a module beside its options."""

from __future__ import annotations

import json
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._operation.handover import Handover

FULL = Handover(
    approved_checksum="0123",
    encrypted={"texts": ["secret"], "places": [["emails", "info@acme.example", "password"]]},
    unlisted=["domains"],
    made_passwords=[["emails", 0]],
    names={"username": "panel_username"},
    unregistered="site.yml:4",
    months=["2026-11"],
    reports=["passwords"],
)


def test_a_process_gets_as_options_what_was_handed_over() -> None:
    options: dict[str, Any] = {"username": "acme", **FULL.as_options()}
    process_options: dict[str, Any] = json.loads(json.dumps(options))

    handover = Handover.take_from(process_options)

    assert handover == FULL
    assert process_options == {"username": "acme"}


def test_a_task_from_which_nothing_is_handed_over_has_no_further_options() -> None:
    assert Handover().as_options() == {}
    assert Handover.take_from({}) == Handover()


def test_no_handed_over_option_can_be_an_option_of_the_user() -> None:
    assert {option[:7] for option in FULL.as_options()} == {"_panel_"}
