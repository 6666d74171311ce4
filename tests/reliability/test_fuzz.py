# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever options and answers come: no traceback, and no write that the plan did not show."""

from __future__ import annotations

import random

from tests.support.memory_panel import MemoryPanel
from tests.support.spoilt_panel import SpoiltPanel, client_of, spoiling
from tools.reliability import fuzz
from tools.reliability.figures import Size
from tools.reliability.fuzz_answers import Did, _compared, _compared_one
from tools.reliability.fuzz_options import operations


def test_nothing_unforeseen_comes_of_unforeseen_options_and_answers() -> None:
    options, answers = fuzz.run(Size.SLICE)

    assert options.wrong == []
    assert answers.wrong == []
    assert (options.tried, options.survived) > (300, 50)
    assert (answers.tried, answers.survived) > (1000, 500)
    assert int(answers.remark.split()[0]) > 150


def test_the_options_of_every_module_are_tried() -> None:
    assert {"panel_client", "panel_dns", "panel_resources", "panel_resources_info", "panel_api"} <= operations().keys()
    assert len(operations()) >= 25


def test_an_answer_is_always_spoilt_in_the_same_way() -> None:
    panel = MemoryPanel({"/clients": [{"id": number, "username": f"client-{number}"} for number in range(50)]})
    first, second = (
        [
            client_of(SpoiltPanel(panel, spoiling(seed, 1.0))).call("GET", "/clients", plain_text=True).data
            for seed in seeds
        ]
        for seeds in [[3, 4, 5]] * 2
    )

    assert repr(first) == repr(second)
    assert any(answer != panel.get("/clients") for answer in first)


def test_a_write_that_the_plan_did_not_show_is_found() -> None:
    from collections import Counter

    planned = Counter({("PUT", "/clients"): 1})
    shown, renewed, other = (
        ("PUT", "/clients/1", {"notes": "x"}),
        ("PUT", "/clients/1", {"password": None}),
        ("POST", "/emails", {}),
    )

    assert list(_compared(planned, Did({}, [shown], 0), 0)) == []
    assert list(_compared(planned, Did({}, [shown, renewed], 0), 0)) == []
    assert list(_compared(planned, Did({}, [shown, shown], 0), 0)) != []
    assert list(_compared(planned, Did({}, [shown, other], 0), 0)) != []
    assert list(_compared(planned, Did({}, [], 0), 0)) != []
    assert list(_compared(planned, Did({"failed": True}, [], 0), 0)) == []


def test_a_write_of_a_single_module_that_check_mode_did_not_show_is_found() -> None:
    quiet = Did({"changed": False, "diff": {"before": {}, "after": {}}}, [], 0)
    shown = Did({"changed": True, "diff": {"before": {"notes": ""}, "after": {"notes": "x"}}}, [], 0)
    put, delete = ("PUT", "/clients/1", {"notes": "x"}), ("DELETE", "/clients/1", None)

    assert list(_compared_one(quiet, quiet)) == []
    assert list(_compared_one(shown, Did({"changed": True}, [put], 0))) == []
    assert list(_compared_one(quiet, Did({"changed": False}, [put], 0))) != []
    assert list(_compared_one(shown, Did({"changed": True}, [delete], 0))) != []
    assert list(_compared_one(shown, Did({"changed": False}, [], 0))) != []


def test_the_dice_of_the_spoiling_fall_on_every_kind_of_damage() -> None:
    spoil = spoiling(random.Random(1).randrange(10**6), 1.0)
    answers = [
        spoil("GET", f"/clients/{number}", {"id": number, "notes": "x", "aliases": ["a"]}) for number in range(400)
    ]

    assert any(isinstance(answer, bytes) for answer in answers)
    assert any(isinstance(answer, dict) and list(answer.values()) == [None] * 3 for answer in answers)
    assert any(isinstance(answer, dict) and "aliases" not in answer for answer in answers)
    assert any(isinstance(answer, dict) and "zz_new" in answer for answer in answers)
    assert any(answer is None or isinstance(answer, list) for answer in answers)
