# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that each query of a database shows what its reader expects."""

from __future__ import annotations

import re

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries import (
    checksums_query,
    each_table,
    programs_query,
    rows_commands,
    server_query,
    source_commands,
    structure_query,
    views_query,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.login import (
    Login,
)

TEXTS = "\n".join(
    argument
    for command in source_commands.list_source_commands("acme_db1", Login())
    for argument in command
)
# A statement that the server puts together is written in several texts.
QUERIES = re.sub(r"',\n\s+' ", " ", TEXTS)


def count_values(begin: int) -> int:
    """Return how many values the array has whose first one begins here, the mark left out."""
    depth = 0
    commas = 0
    for character in QUERIES[begin:]:
        if character == "," and depth == 0:
            commas += 1
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            break

    return commas


@pytest.mark.parametrize(
    ("mark", "row"),
    [
        ("server", structure_query.ServerRow),
        ("database", structure_query.DatabaseRow),
        ("merge", structure_query.MergeRow),
        ("column", structure_query.ColumnRow),
        ("sequence", structure_query.SequenceRow),
        ("rows", checksums_query.RowsRow),
        ("digest", checksums_query.DigestRow),
        ("exact", rows_commands.ExactRow),
        ("program", programs_query.ProgramRow),
        ("function", views_query.Function),
        ("view", views_query.View),
        ("account", server_query.AccountRow),
    ],
)
def test_a_query_shows_as_many_values_as_its_row_has_fields(mark: str, row: type) -> None:
    arrays = list(re.finditer(rf"JSON_ARRAY\(\s*'+{mark}'+", QUERIES))

    assert {count_values(array.end()) for array in arrays} == {len(row.__annotations__)}


def test_the_type_default_and_character_set_of_a_column_have_the_place_of_their_fields() -> None:
    columns = re.search(r"JSON_ARRAY\('column', ([^)]+)\)", QUERIES)
    assert columns is not None
    row = structure_query.ColumnRow(*re.split(r",\s+", columns[1]))  # type: ignore[arg-type]

    assert (row.type, row.default) == ("COLUMN_TYPE", "COLUMN_DEFAULT")
    assert row.character_set == "CHARACTER_SET_NAME"


def test_a_table_is_named_with_its_type_before_its_rows() -> None:
    assert each_table.TableRow._fields == ("name", "kind")
    assert QUERIES.count(each_table.SHOW_TABLE) == 3


def test_the_query_of_exact_rows_knows_the_character_sets_that_a_dump_keeps() -> None:
    kept = re.search(r"CHARACTER_SET_NAME NOT IN \(([^)]+)\)", QUERIES)

    assert kept is not None
    for name in re.findall(r"'(\w+)'", kept[1]):
        column = structure_query.ColumnRow(
            "t", 1, "c", "text", "YES", None, "", name, None, None, ""
        )
        assert not rows_commands.could_change_in_dump(column)
