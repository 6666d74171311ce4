"""What recordings of the core say.

The same code agrees with itself, and another output of the same input is a difference.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tools import record, recorded

FORM = recorded.Form("/folder/of/tests")


def written(folder: Path, *cases: tuple[str, str]) -> Path:
    """Return a recording of these keys, each with what came out."""
    folder.mkdir()
    with gzip.open(folder / "main.jsonl.gz", "wt", encoding="utf-8") as file:
        for key, out in cases:
            line = {
                "part": "task",
                "key": key,
                "name": "panel_client",
                "test": "a test",
                "in": "[]",
                "out": out,
            }
            file.write(json.dumps(line) + "\n")

    return folder


OLD = (("a", '{"changed": true}'), ("b", '{"changed": false}'))


@pytest.mark.parametrize(
    ("new", "code", "counts"),
    [
        pytest.param(
            OLD, 0, "2 common, 0 of them different, 0 only in old, 0 only in new", id="the same"
        ),
        pytest.param(
            (OLD[1], ("c", "{}")),
            0,
            "1 common, 0 of them different, 1 only in old, 1 only in new",
            id="other inputs",
        ),
        pytest.param(
            (("a", "{}"), OLD[1]),
            1,
            "2 common, 1 of them different, 0 only in old, 0 only in new",
            id="another output",
        ),
        pytest.param(
            (*OLD, ("a", "{}")),
            1,
            "2 common, 1 of them different, 0 only in old, 0 only in new",
            id="one output more",
        ),
    ],
)
def test_another_output_of_the_same_input_is_a_difference(
    new: tuple[tuple[str, str], ...],
    code: int,
    counts: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = [str(written(tmp_path / "old", *OLD)), str(written(tmp_path / "new", *new))]
    assert record.main(["compare", *arguments]) == code
    assert capsys.readouterr().out.splitlines()[-1] == counts


@pytest.mark.parametrize(
    ("value", "form"),
    [
        pytest.param(
            {"b": 1, "a": (True, None)}, '{"a": [true, null], "b": 1}', id="order of members"
        ),
        pytest.param("/folder/of/tests/test_a0/file", '"<folder>/*/file"', id="folder of a test"),
        pytest.param("2026-11-29T17:00:00+01:00", '"<date>"', id="instant of the run"),
        pytest.param("2020-02-29", '"2020-02-29"', id="date of a test"),
        pytest.param(
            ["a" * 32, "b" * 64, "a" * 32],
            '["<hash 1>", "<hash 2>", "<hash 1>"]',
            id="equal checksums",
        ),
        pytest.param("http://127.0.0.1:41234/x", '"http://127.0.0.1:<port>/x"', id="port"),
        pytest.param("waited 5 s", '"waited 5 s"', id="simulated seconds"),
    ],
)
def test_what_changes_with_every_run_has_one_form(value: object, form: str) -> None:
    assert FORM.write(value) == form


def test_equal_certificates_have_one_number_and_other_ones_another() -> None:
    blocks = [
        f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n"
        for body in ("aA==", "bB==", "aA==")
    ]
    numbers = [text.split()[1] for text in json.loads(FORM.write(blocks))]

    assert numbers == ["1", "2", "1"]


def test_seconds_of_a_command_are_left_out() -> None:
    assert FORM.write("done in 12.5 s", of_command=True) == '"done in <count> s"'


def test_addresses_and_versions_of_a_command_are_kept() -> None:
    assert FORM.write("PHP 8.4 at 192.0.2.10", of_command=True) == '"PHP 8.4 at 192.0.2.10"'


def test_the_same_text_gives_the_same_chances_and_another_one_others() -> None:
    first, second, different = (recorded.Chances(text).token_hex(8) for text in ("a", "a", "b"))
    assert first == second != different
