# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel's own description against the tables: what is new, gone or otherwise, and no word of its free text, whatever the document is."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.plugin_utils._verify.openapi import (
    LARGEST,
    DescriptionError,
    compared,
    compared_with,
)
from panel_simulator.openapi import document

DOCUMENT = json.loads(json.dumps(document("https://panel.example/api/v2")))
# The simulator's admins have it, which no source proves.
USUAL = {
    "paths": {"new": [], "gone": []},
    "members": {"new": ["admins.created_at"], "gone": [], "otherwise": []},
    "untold": 0,
}


def _schema(changed: dict[str, Any], name: str) -> dict[str, Any]:
    properties: dict[str, Any] = changed["components"]["schemas"][name]["properties"]
    return properties


def _told(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """What is told of the document with a change, beside the usual."""
    changed = copy.deepcopy(DOCUMENT)
    change(changed)
    found = compared(changed)
    assert set(USUAL["members"]["new"]) <= set(found["members"]["new"])  # type: ignore[index]
    found["members"]["new"] = [name for name in found["members"]["new"] if name != "admins.created_at"]
    return {
        **{f"paths {name}": value for name, value in found["paths"].items() if value},
        **{f"members {name}": value for name, value in found["members"].items() if value},
        **({"untold": found["untold"]} if found["untold"] else {}),
    }


def test_the_description_of_the_simulator_has_what_the_tables_have() -> None:
    assert compared(DOCUMENT) == USUAL


@pytest.mark.parametrize("write", [json.dumps, yaml.safe_dump])
def test_json_and_yaml_are_the_same(tmp_path: Path, write: Callable[[Any], str]) -> None:
    path = tmp_path / "openapi"
    path.write_text(write(DOCUMENT), encoding="utf-8")
    assert compared_with(path) == USUAL


def _add_path(path: str) -> Callable[[dict[str, Any]], object]:
    return lambda changed: changed["paths"].update({path: {"get": {"responses": {}}}})


def test_a_new_path_is_told_by_its_name() -> None:
    assert _told(_add_path("/backups/{id}/snapshots")) == {"paths new": ["GET /backups/{}/snapshots"]}


@pytest.mark.parametrize("path", ["/Secret Name", "/x?token=1", "/{id}/" + "a" * 60, "backups", "/<script>"])
def test_a_path_that_is_none_of_the_usual_form_is_counted_and_not_told(path: str) -> None:
    assert _told(_add_path(path)) == {"untold": 1}


def test_a_path_that_is_gone_is_told() -> None:
    assert _told(lambda changed: changed["paths"].pop("/ping")) == {"paths gone": ["GET /ping"]}


def test_the_prefix_of_the_version_does_not_count() -> None:
    def change(changed: dict[str, Any]) -> None:
        changed["paths"] = {f"/api/v2{path}": item for path, item in changed["paths"].items()}

    assert _told(change) == {}


def test_a_new_member_is_told_and_one_that_is_no_usual_name_is_counted() -> None:
    def change(changed: dict[str, Any]) -> None:
        _schema(changed, "email_account").update(
            {"spam_filter": {"type": "string", "description": "SECRET"}, "Some Name": {"type": "string"}}
        )

    told = _told(change)
    assert told == {"members new": ["emails.spam_filter"], "untold": 1}
    assert "SECRET" not in json.dumps(told)


def test_a_member_that_is_gone_is_told() -> None:
    assert _told(lambda changed: _schema(changed, "email_account").pop("catch_all")) == {
        "members gone": ["emails.catch_all"]
    }


def test_another_type_is_told() -> None:
    told = _told(lambda changed: _schema(changed, "email_account").update(catch_all={"type": "string"}))
    assert told == {"members otherwise": [{"member": "emails.catch_all", "expected": "boolean", "found": "string"}]}


def test_other_values_are_told() -> None:
    def change(changed: dict[str, Any]) -> None:
        _schema(changed, "scheduled_task")["type"] = {
            "type": "string",
            "enum": ["exec", "php", "http", "python", "A SECRET"],
        }

    assert _told(change) == {
        "members otherwise": [
            {"member": "scheduled_tasks.type", "expected": "exec, http, php", "found": "exec, http, php, python"}
        ]
    }


def _round(changed: dict[str, Any]) -> None:
    _schema(changed, "email_account")["description"] = {"$ref": "#/components/schemas/Loop"}
    changed["components"]["schemas"]["Loop"] = {"$ref": "#/components/schemas/Loop"}


def _nested(changed: dict[str, Any]) -> None:
    name = "email_account"
    changed["components"]["schemas"][name]["allOf"] = [{"$ref": f"#/components/schemas/{name}"}] * 2


@pytest.mark.parametrize("change", [_round, _nested])
def test_a_document_that_goes_round_ends(change: Callable[[dict[str, Any]], object]) -> None:
    changed = copy.deepcopy(DOCUMENT)
    change(changed)
    try:
        assert compared(changed)
    except DescriptionError as error:
        assert "so deep" in str(error)


BOMB = "a: &a [x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 40)}]\n" for n in range(8)
)
HOSTILE = {
    "nothing": b"",
    "a text": b"hello",
    "a list": b"[]",
    "another document": b"{}",
    "paths that are a list": b'{"openapi": "3", "paths": []}',
    "half of it": json.dumps(DOCUMENT).encode()[:5000],
    "no text": bytes(range(256)),
    "deep": b"[" * 100_000,
    "deep JSON": b'{"a":' * 100_000,
    "aliases of aliases": BOMB.encode(),
    "huge": b" " * (LARGEST + 1),
    "tags": b"!!python/object/apply:os.system ['true']",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_description_ends_in_one_sentence(tmp_path: Path, name: str) -> None:
    path = tmp_path / "openapi.yml"
    path.write_bytes(HOSTILE[name])
    with pytest.raises(DescriptionError) as error:
        compared_with(path)
    assert str(error.value).endswith(".")
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    "wrong", [None, 1, "x", [], [1], {"get": 1}, {"get": {"responses": 1}}, {"get": {"responses": {"200": [1]}}}]
)
def test_wrong_types_within_it_are_left_out(wrong: Any) -> None:
    changed = copy.deepcopy(DOCUMENT)
    changed["paths"]["/emails"] = wrong
    assert "paths" in compared(changed)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("openapi: 3.0.0\npaths\ninfo:\n", 2),
        ('{"openapi": "3.0.0",\n "paths" {}}', 2),
        ("openapi: 3.0.0\npaths: [\n", 3),
    ],
)
def test_of_what_is_neither_json_nor_yaml_the_wrong_line_is_told(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "openapi.yml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DescriptionError) as error:
        compared_with(path)
    assert str(error.value) == f"{path} is neither JSON nor YAML, from line {line} on."


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="cannot be read"):
        compared_with(tmp_path / "nothing.yml")
