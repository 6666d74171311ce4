"""The filters that are internal to the role move."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.hosting.panel.plugins.filter.panel_move_hashes import panel_move_hashes
from ansible_collections.hosting.panel.plugins.filter.panel_move_known_passwords import (
    panel_move_known_passwords,
)
from ansible_collections.hosting.panel.plugins.filter.panel_move_message import panel_move_message
from ansible_collections.hosting.panel.plugins.filter.panel_move_preparation import (
    panel_move_preparation,
)
from ansible_collections.hosting.panel.plugins.filter.panel_move_result import panel_move_result
from ansible_collections.hosting.panel.plugins.plugin_utils._ansible.untrusted import (
    trusted_template,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._move.hand_over import join_hashes

NOW = "2026-11-20T06:00:00+00:00"
EQUAL: dict[str, Any] = {"client": "acme", "differences": [], "suspended": []}


def make_zone(domain: str, *ttls: int) -> dict[str, Any]:
    """Return a zone with one record for each TTL."""
    records = [
        {"host": f"h{number}", "type": "A", "ttl": ttl, "value": "192.0.2.1"}
        for number, ttl in enumerate(ttls)
    ]
    return {"domain": domain, "records": {"other": records}}


def test_a_preparation_lowers_and_keeps_the_zones_with_longer_ttls_alone() -> None:
    zones = [make_zone("long.example", 3601, 60), make_zone("short.example", 60)]
    preparation = panel_move_preparation(zones, {}, 300)

    assert [item["domain"] for item in preparation["lowered"]] == ["long.example"]
    assert [record["ttl"] for record in preparation["lowered"][0]["records"]] == [300, 60]
    assert preparation["zones_before"] == {"long.example": zones[0]}
    assert preparation["hours"] == 2


def test_a_second_preparation_waits_for_what_the_first_one_kept() -> None:
    kept = {"long.example": make_zone("long.example", 3600)}
    preparation = panel_move_preparation([make_zone("long.example", 300)], kept, 300)
    assert preparation == {"lowered": [], "zones_before": kept, "hours": 1}


def test_without_longer_ttls_nobody_waits() -> None:
    preparation = panel_move_preparation([make_zone("short.example", 60)], {}, 300)
    assert preparation == {"lowered": [], "zones_before": {}, "hours": 0}


def list_known_passwords(text: str) -> list[list[Any]]:
    """Return the accounts of the new panel that the text of a credentials file names."""
    # Ansible marks the text of a lookup.
    marked_text = trusted_template(text)
    return panel_move_known_passwords(marked_text, "new.panel.example", "move_credentials_file")


def test_passwords_of_the_target_are_known_however_the_file_spells_it() -> None:
    entries = [
        {"panel": "https://NEW.panel.example/", "kind": "emails", "key": "info@acme.example"},
        {"panel": "old.panel.example", "kind": "emails", "key": "old@acme.example"},
        {"kind": "clients", "key": "acme"},
    ]
    text = yaml.safe_dump({"generated_passwords": entries})
    assert list_known_passwords(text) == [["emails", "info@acme.example"]]


@pytest.mark.parametrize(
    "text", ["", "# nothing yet\n", "{}", "generated_passwords: []", "generated_passwords:\n"]
)
def test_a_credentials_file_without_passwords_knows_none(text: str) -> None:
    assert list_known_passwords(text) == []


DAMAGED = {
    "no YAML": "generated_passwords: [{password: 'S3cret",
    "a tag": "generated_passwords: !S3cret [x]",
    "no time": "generated_passwords: [2026-99-99, S3cret]",
    "too deep": "S3cret: " + "[" * 2000,
    "no dictionary": "S3cret",
    "no list": "generated_passwords: S3cret",
    "no entry": "generated_passwords: [S3cret]",
    "an entry without a key": "generated_passwords: [{kind: emails, password: S3cret}]",
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_a_message_about_a_damaged_credentials_file_shows_nothing_of_it(text: str) -> None:
    with pytest.raises(AnsibleFilterError) as raised:
        list_known_passwords(text)

    assert str(raised.value) == (
        "hosting.panel.panel_move_known_passwords: move_credentials_file: the file holds no list"
        " generated_passwords. Correct the file."
    )
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


@pytest.mark.parametrize(
    ("earlier", "time"),
    [
        ({}, NOW),
        ({**EQUAL, "at": "2026-11-19T06:00:00+00:00"}, "2026-11-19T06:00:00+00:00"),
        ({**EQUAL, "differences": ["x"], "at": "2026-11-19T06:00:00+00:00"}, NOW),
        ({**EQUAL}, NOW),
    ],
)
def test_a_result_has_the_time_from_which_on_it_is_so(earlier: dict[str, Any], time: str) -> None:
    assert panel_move_result(EQUAL, earlier, NOW) == {**EQUAL, "at": time}


@pytest.mark.parametrize(
    ("suspended", "end"),
    [
        ([], ""),
        (["source"], ". The client is suspended on the source"),
        (
            ["source", "target"],
            ". The client is suspended on the source and on the target",
        ),
    ],
)
def test_the_message_of_equal_panels_says_where_the_client_is_suspended(
    suspended: list[str], end: str
) -> None:
    message = panel_move_message({**EQUAL, "suspended": suspended}, "acme.md")
    assert message == f"acme: both panels are equal. Page: acme.md{end}"


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ({}, "Nothing was written on either panel."),
        (
            {"create": 3, "update": 1, "delete": 0, "unchanged": 9},
            "On the target, 3 objects were created and 1 updated; nothing was written on the source.",
        ),
    ],
)
def test_the_message_of_a_difference_says_what_was_written(
    written: dict[str, int], sentence: str
) -> None:
    message = panel_move_message({**EQUAL, "differences": ["missing  x"]}, "acme.md", written)
    assert message == (
        f"acme: 1 difference: missing  x. {sentence} Correct on the source what cannot be copied, "
        "and run the step copy again. Page: acme.md"
    )


def test_differences_that_are_sentences_end_once() -> None:
    differences = ["not copied  x: it has no domain.", "move_names: x is not accepted."]
    message = panel_move_message({**EQUAL, "differences": differences}, "acme.md")
    assert ": not copied  x: it has no domain; move_names: x is not accepted. No" in message


def test_the_message_names_twenty_differences_at_most() -> None:
    differences = [f"missing  {number}" for number in range(21)]
    message = panel_move_message({**EQUAL, "differences": differences}, "acme.md")
    assert message.startswith("acme: 21 differences: missing  0; ")
    assert "missing  19. Nothing" in message


@pytest.mark.parametrize(
    ("text", "copied", "refused_forms", "reason"),
    [
        ("password_hashes: written_and_shown", True, [], ""),
        ("password_hash: written_and_shown", True, [], ""),
        (
            "password_hashes: written_and_shown\nrefused_hashes: [$2y$]",
            True,
            ["$2y$"],
            "",
        ),
        ("password_hashes: written", False, [], "show no hashes"),
        ("password_hashes: refused", False, [], "take no hashes"),
        ("{}", False, [], "take no hashes"),
        ("# nothing differs", False, [], "take no hashes"),
    ],
)
def test_the_profile_decides_whether_hashes_are_copied(
    text: str, copied: bool, refused_forms: list[str], reason: str
) -> None:
    read = panel_move_hashes(text)

    assert (read["copied"], read["refused_forms"], read["mistake"]) == (copied, refused_forms, "")
    assert reason in read["why"]


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "password_hashes: often",
        "password_hashes: written_and_shown\nrefused_hashes: [$9$]",
        "password_hashes: written_and_shown\nrefused_hashes: $2y$",
        "password_hashes: written_and_shown\nrefused_hashes: 0",
        "password_hashes: written_and_shown\nrefused_hashes: false",
        "password_hashes: written_and_shown\nrefused_hashes: ''",
        "password_hashes: written_and_shown\nrefused_hashes: {}",
        "a: [",
        "password_hashes: [written]",
    ],
)
def test_a_file_that_is_no_profile_is_a_mistake(text: str) -> None:
    read = panel_move_hashes(text)

    assert read["copied"] is False
    assert "panel_verify_profile_file" in read["mistake"]


def test_what_an_earlier_run_has_copied_stays_where_the_panel_does_not_show_it() -> None:
    unknown = {"kind": "emails", "key": "info@acme.example", "outcome": "unknown", "why": "hidden"}
    not_copied = {**unknown, "key": "other@acme.example"}

    joined = join_hashes([unknown, not_copied], [{**unknown, "outcome": "stays", "why": ""}])

    assert [entry["outcome"] for entry in joined] == ["stays", "unknown"]
