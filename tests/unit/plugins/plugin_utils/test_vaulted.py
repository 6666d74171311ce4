# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was encrypted with Vault is masked by its place in every member of every kind, and its text elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultSecret

from ansible_collections.hosting.panel.plugins.module_utils._bulk.plan_lines import plan_text
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import DNS, KINDS
from ansible_collections.hosting.panel.plugins.module_utils._schema.fields import Reference
from ansible_collections.hosting.panel.plugins.module_utils._values.names import address_in_letters
from ansible_collections.hosting.panel.plugins.plugin_utils._files.yaml_text import read_yaml
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.vaulted import RunVault, marks_in, with_masked_members
from ansible_collections.hosting.panel.plugins.plugin_utils._plan.page import markdown

SECRET = VaultSecret(b"correct horse")
# As short as it can be, and one that is in other words too.
VALUES = ("7", "yes", "a canary of sixty letters that is cut where a line is shown to people")
MEMBERS = [
    (plural, tuple(path))
    for plural, kind in KINDS.items()
    if plural != DNS
    for path, member in kind.leaves()
    if not isinstance(member, Reference) and path[0] not in kind.named_by
]


def encrypted(vault: RunVault, text: str) -> str:
    return str(vault.encrypt(text, secret=SECRET).decode())


def nested(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    for name in reversed(path):
        value = {name: value}
    return dict(value)


class Vaulted(str):
    """A text that is written encrypted."""


class Dumper(yaml.SafeDumper):
    """Writes values as ``ansible-vault encrypt_string`` does."""

    def vaulted(self, value: Vaulted) -> yaml.Node:
        return self.represent_scalar("!vault", encrypted(RunVault([("default", SECRET)]), str(value)), style="|")


Dumper.add_representer(Vaulted, Dumper.vaulted)


def read(folder: Path, item: dict[str, Any], plural: str, whole: bool) -> Any:
    """What a file with the item has in it."""
    vault = RunVault([("default", SECRET)])
    text = yaml.dump({plural: [item]}, Dumper=Dumper, sort_keys=False)
    file = folder / "all.yml"
    file.write_text(encrypted(vault, text) if whole else text, encoding="utf-8")
    found = read_yaml(file, "all.yml", vault)
    assert found.mistakes == []
    return found.content


def shown(action: dict[str, Any], marks: Any) -> str:
    """Everything that a person reads of a plan."""
    plan = {"summary": {"create": 0, "update": 1, "delete": 0, "unchanged": 0}, "actions": [action]}
    result = with_masked_members({"plan": plan, "diff": {"prepared": plan_text(plan)}}, marks)
    return "\n".join([markdown({**result["plan"], "checksum": "x"}), result["diff"]["prepared"]])


@pytest.mark.parametrize("whole", [False, True], ids=["value", "file"])
@pytest.mark.parametrize(
    ("plural", "path"), MEMBERS, ids=lambda value: value if isinstance(value, str) else ".".join(value)
)
def test_no_member_of_any_kind_is_shown_by_its_value(
    plural: str, path: tuple[str, ...], whole: bool, tmp_path: Path
) -> None:
    for value in VALUES:
        names = {name: f"name-{number}.example" for number, name in enumerate(KINDS[plural].named_by)}
        item = {**names, **nested(path, value if whole else Vaulted(value))}
        resources = read(tmp_path, item, plural, whole)
        assert resources == {plural: [item]}
        key = str(KINDS[plural].key_of(item))
        # By another object of the same kind it is told whether the place counts, or the text.
        for number, verb in enumerate(("create", "update", "delete")):
            before = nested(path, f"another {number} before") if verb != "create" else {}
            after = nested(path, value) if verb != "delete" else {}
            action = {"kind": plural, "key": key, "action": verb, "before": before, "after": after}
            text = shown(action, marks_in(resources))
            assert "another" not in text
            assert f": {value}" not in text and f" {value}\n" not in text
            assert f"`{value}`" not in text
            if verb == "update":
                assert "******** (old)" in text and "******** (new)" in text


def test_a_member_of_another_object_and_the_name_of_a_vaulted_one_are_shown() -> None:
    action = {"kind": "clients", "key": "beta", "action": "create", "before": {}, "after": {"notes": "public"}}
    marks = {"clients": {"acme": frozenset({("notes",)})}}
    acme = {**action, "key": "acme"}
    plan = {"summary": {}, "actions": [acme, action]}
    masked = with_masked_members({"plan": plan}, marks)["plan"]["actions"]
    assert [one["after"]["notes"] for one in masked] == ["********", "public"]


def test_of_a_list_what_goes_stays_and_comes_is_told_without_the_entries() -> None:
    records = [[{"host": "a", "value": value} for value in values] for values in (("old", "same"), ("same", "new"))]
    action = {
        "kind": DNS, "key": "acme.example", "action": "update", "before": {"records": records[0]}, "after": {"records": records[1]},
    }  # fmt: skip
    masked = with_masked_members(
        {"plan": {"actions": [action]}}, {DNS: {"acme.example": frozenset({("records", "value")})}}
    )
    (shown,) = masked["plan"]["actions"]
    sides = [[record["value"] for record in shown[side]["records"]] for side in ("before", "after")]
    assert sides == [["******** (old)", "********"], ["********", "******** (new)"]]


def test_records_that_a_plan_has_as_lines_are_masked_where_a_part_of_one_was_encrypted() -> None:
    lines = {"before": {"records": ["a TXT 1"]}, "after": {"records": ["a TXT 1", "b TXT 7"]}}
    action = {"kind": DNS, "key": "acme.example", "action": "update", **lines}
    (shown,) = with_masked_members(
        {"plan": {"actions": [action]}}, {DNS: {"acme.example": frozenset({("records", "value")})}}
    )["plan"]["actions"]
    assert (shown["before"], shown["after"]) == (
        {"records": ["********"]},
        {"records": ["********", "******** (new)"]},
    )


@pytest.mark.parametrize(
    ("held", "text", "masked"),
    [
        ("1", "line 1, column 1", "line 1, column 1"),
        ("yes", "type yes", "type yes"),
        ("c4nary", "notes: 'c4nary' is wrong, c4nary2 too", "notes: '********' is wrong, c4nary2 too"),
        ("two\nlines of it", "it has 'two\\nlines of it' and lines of it", "it has '********' and ********"),
    ],
)
def test_a_text_is_masked_everywhere_from_a_length_on(held: str, text: str, masked: str) -> None:
    vault = RunVault(None)
    vault.hold([held])
    assert vault.masked({"msg": [text]}) == {"msg": [masked]}


@pytest.mark.parametrize(
    ("plural", "held"),
    [
        ("domains", "Geheim-Domain.Example"),
        ("domains", "GEHEIM.EXAMPLE."),
        ("domains", "Bücher.example"),
        ("domains", "Bu\u0308cher.example"),
        ("emails", "EncMail@MÜLLER-hid.acme.example"),
        ("emails", "encmail@xn--mller-hid-q9a.acme.example"),
        ("emails", "Boss@Acme.Example"),
    ],
)
def test_an_encrypted_name_is_masked_in_the_spelling_of_the_panel_and_of_people(plural: str, held: str) -> None:
    vault = RunVault(None)
    vault.hold([held])
    stored = KINDS[plural].key[0].type.parse(held)
    for name in (held, stored, address_in_letters(stored)):
        assert vault.masked(f"- new: domain `{name}`, www.{name} too") == "- new: domain `********`, www.******** too"


@pytest.mark.parametrize("held", ["Acme", "Call the Boss. Today.", "A.B c.D", "Boss@nowhere", "Boss@.", "A..b"])
def test_a_text_that_is_no_name_is_masked_as_it_is_written_alone(held: str) -> None:
    vault = RunVault(None)
    vault.hold([held])
    assert vault.masked([held, held.lower()]) == ["********", held.lower()]


def test_records_that_a_zone_loses_are_masked_where_its_records_were_encrypted() -> None:
    entry = {"host": "a", "type": "TXT", "ttl": 60, "before": ["7"], "after": []}
    action = {"kind": DNS, "key": "acme.example", "action": "update", "before": {}, "after": {}, "entries": [entry]}
    for path, expected in ((("records", "value"), ["********"]), ((), ["********"]), (("soa",), ["7"])):
        marks = {DNS: {"acme.example": frozenset({path})}}
        (shown,) = with_masked_members({"plan": {"actions": [action]}}, marks)["plan"]["actions"]
        assert shown["entries"][0]["before"] == expected
