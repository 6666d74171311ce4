"""What the role hosting.panel.content refuses before it reaches any host.

The copy itself is tested with real servers, in tests/content.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.integration.roles.operators import Operator, assert_refused, make_plays

MakeOperator = Callable[[str], Operator]
PLAYS = make_plays("content")


def test_wrong_variables_are_named_together_before_any_host_is_asked(
    make_operator: MakeOperator,
) -> None:
    run = make_operator("content").run(
        PLAYS,
        {
            "content_source": "nowhere.example",
            "content_step": "copy",
            "content_state_dir": "moves",
            "content_objects": {"trees": [{"from": "www", "onwer": "acme"}]},
        },
    )

    assert_refused(
        run,
        "content_source: nowhere.example is no host of the inventory.",
        "content_objects.trees[0].owner: missing.",
        "onwer",
    )


def test_what_is_missing_is_named(make_operator: MakeOperator) -> None:
    run = make_operator("content").run(PLAYS, {"content_step": "all", "content_source": "x"})

    assert_refused(
        run,
        "content_state_dir: missing.",
        "content_step: 'all' is invalid.",
    )


def test_what_another_role_was_given_has_its_name_there(make_operator: MakeOperator) -> None:
    run = make_operator("content").run(
        PLAYS,
        {
            "content_source": "x.example",
            "content_step": "copy",
            "content_state_dir": "moves",
            "content_objects_file": "nowhere.json",
            "__content_typed_names": {
                "content_source": "move_source.host",
                "content_objects_file": "move_client",
            },
        },
    )

    assert_refused(
        run,
        "move_source.host: x.example is no host of the inventory.",
        "move_client: there is no file",
    )
    assert "content_" not in run.said.partition("Action failed: ")[2].partition("Origin")[0]


def test_a_state_is_known_however_it_is_laid_out_and_only_its_own_guard_speaks(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("content")
    state_dir = operator.folder / "moves"
    state_dir.mkdir()
    state = {
        "format": "hosting.panel.content",
        "version": 1,
        "source": "old.example",
        "target": "localhost",
        "run": {},
        "is_taken_over": True,
        "objects": {},
    }
    (state_dir / "localhost.content.json").write_text(json.dumps(state), encoding="utf-8")
    (operator.folder / "old.yml").write_text("all: {hosts: {old.example: }}", encoding="utf-8")

    variables = {
        "content_source": "old.example",
        "content_step": "final",
        "content_state_dir": "moves",
        "content_objects": {"trees": [{"from": "/a", "to": "/b", "owner": "backup"}]},
    }
    run = operator.run(PLAYS, variables, "-i", "old.yml")

    assert_refused(run, "localhost.content.json: the step late has run already")
    assert "no state of a copy" not in run.said
