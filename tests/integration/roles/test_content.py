"""What the role hosting.panel.content refuses before it reaches any host.

The copy itself is tested with real servers, in tests/content.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.roles.operators import Operator, assert_refused, make_plays
from tests.support.playbook import play
from tools.layout import ROOT

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


def test_the_page_says_how_many_entries_it_does_not_list(tmp_path: Path) -> None:
    row = {
        "kind": "tree",
        "title": "directory",
        "from": "/srv/acme",
        "to": "/home/acme",
        "in_words": "not equal",
        "why": "",
        "excluded": [],
        "left_out": [{"path": "run/s", "why": "socket"}],
        "unlisted": {"differences": 1201, "left_out": 77},
    }
    difference = {"kind": "tree", "object": "/home/acme", "name": "index.html", "why": ""}
    page = tmp_path / "page.md"
    template = {
        "src": str(ROOT / "roles" / "content" / "templates" / "content.md.j2"),
        "dest": str(page),
    }
    variables = {
        "__content_target": "new.example",
        "__content_settings": {"content_source": "old.example"},
        "content_result": {
            "step": "verify",
            "in_words": "1 of 1 objects differs.",
            "digest": "0123",
            "objects": [row],
            "differences": [difference],
        },
    }

    play([{"ansible.builtin.template": template}], None, tmp_path, keywords={"vars": variables})

    text = page.read_text(encoding="utf-8")
    differing, left_out = text.split("## What differs")[1].split("## What was left out")
    assert differing.split("\n- ")[1:] == [
        "directory `/home/acme`: `index.html`",
        "directory `/home/acme`: and 1201 more\n\n",
    ]
    assert left_out.splitlines()[2:4] == [
        "- directory `/home/acme`: `run/s`, a socket, which holds no data",
        "- directory `/home/acme`: and 77 more",
    ]


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


# No server listens there, so the host is gone at once.
GONE = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1}
HERE = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}


def write_servers(operator: Operator, source: dict[str, Any], target: dict[str, Any]) -> str:
    """Write an inventory with both servers, and return its path."""
    inventory = operator.folder / "servers.json"
    hosts = {"old.example": source, "new.example": target}
    inventory.write_text(json.dumps({"all": {"hosts": hosts}}), encoding="utf-8")
    return str(inventory)


@pytest.mark.parametrize(
    ("source", "target", "missing_host"),
    [
        pytest.param(GONE, HERE, "old.example", id="the source"),
        pytest.param(HERE, GONE, "new.example", id="the target"),
    ],
)
def test_a_host_that_is_gone_where_homes_are_read_is_named(
    make_operator: MakeOperator, source: dict[str, Any], target: dict[str, Any], missing_host: str
) -> None:
    operator = make_operator("content")
    variables = {
        "content_source": "old.example",
        "content_target": "new.example",
        "content_step": "copy",
        "content_state_dir": str(operator.folder / "moves"),
        "content_objects": {"trees": [{"from": "~/www", "to": "~/www", "owner": "root"}]},
    }

    run = operator.run(PLAYS, variables, "-i", write_servers(operator, source, target))

    assert run.code != 0
    assert f"{missing_host}: cannot be reached. Nothing was copied. Run the step again." in run.said
    assert run.recap["failed"] == 1


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"mailboxes": [{"from": "info@acme.example"}]}, id="mailbox"),
        pytest.param({"databases": [{"from": "acme_db1"}, {"from": "acme_db2"}]}, id="databases"),
    ],
)
def test_a_source_that_is_gone_where_it_is_only_read_is_named(
    make_operator: MakeOperator, content: dict[str, Any]
) -> None:
    operator = make_operator("content")
    variables = {
        "content_source": "old.example",
        "content_target": "new.example",
        "content_step": "info",
        "content_state_dir": str(operator.folder / "moves"),
        "content_objects": content,
    }

    run = operator.run(PLAYS, variables, "-i", write_servers(operator, GONE, HERE))

    assert run.code != 0
    assert "old.example: cannot be reached. Nothing was copied. Run the step again." in run.said
    assert run.recap["failed"] == 1


def test_a_key_that_is_left_on_a_target_that_is_gone_is_named(make_operator: MakeOperator) -> None:
    operator = make_operator("content")
    close = {
        "name": "Close the way",
        "ansible.builtin.include_role": {"name": "hosting.panel.content", "tasks_from": "close"},
    }
    show = {"name": "Show", "ansible.builtin.debug": {"msg": "{{ __content_key_failures }}"}}
    include = {
        "name": "Read the variables",
        "ansible.builtin.include_vars": {
            "file": str(ROOT / "roles" / "content" / "vars" / "main.yml")
        },
    }
    play = {"hosts": "localhost", "gather_facts": False, "tasks": [close, include, show]}
    variables = {
        "content_source": "old.example",
        "content_target": "new.example",
        "content_step": "copy",
        "content_state_dir": str(operator.folder / "moves"),
        "__content_root": str(operator.folder),
        "__content_ssh": {"keys_file": ""},
    }

    run = operator.run([play], variables, "-i", write_servers(operator, HERE, GONE))

    assert "content_target: new.example is gone, so the key of this run is still in" in run.said
