# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests how rows are compared where checksums of two servers do not count."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.comparison import (
    Contents,
    find_doubtful,
    find_proven,
    replace_checksums,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.content_digest import (
    compute_digest,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.programs import (
    Account,
    Program,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.structure import (
    Checksum,
    Digest,
    Structure,
    read_digests,
    read_structure,
)

DIGEST = Digest(3, 3, (2**70, 7))
STRUCTURE = Structure("11.8", 0, False, "utf8mb4", "utf8mb4_bin", {})


def make_rows(*marks: list[Any]) -> list[list[bytes]]:
    """Return rows as the client prints them."""
    return [[json.dumps(mark).encode()] for mark in marks]


def make_contents(**checksums: tuple[int, str]) -> Contents:
    """Return a database with these numbers of rows and checksums."""
    return Contents(
        STRUCTURE, {name: Checksum(*checksum, 0) for name, checksum in checksums.items()}, {}
    )


def make_structure(kind: str, character_set: str | None = None) -> Structure:
    """Return a database with one column of a type."""
    rows = make_rows(
        ["server", "10.11", 0, 1],
        ["database", "utf8mb4", "utf8mb4_bin"],
        ["column", "t", 1, "c", kind, "YES", None, "", character_set, None, None, ""],
        ["table", "t", "BASE TABLE"],
    )
    rows.append([b"t", f"CREATE TABLE `t` (\n  `c` {kind}\n)".encode()])

    return read_structure(rows, "acme_db1")


@pytest.mark.parametrize(
    ("kind", "character_set", "is_changed"),
    [
        ("int(11)", None, False),
        ("varchar(9)", "utf8mb4", False),
        ("varchar(9)", "utf8mb3", False),
        ("varchar(9)", "utf8", False),
        ("text", "latin1", False),
        ("text", "cp932", True),
        ("enum('a')", "big5", True),
        ("enum('a','b')", "utf8mb4", False),
        ("enum('a','')", "utf8mb4", True),
        ("set('','a')", "utf8mb4", True),
        ("float", None, True),
        ("float(7,4)", None, True),
        ("double", None, False),
    ],
)
def test_a_table_is_read_exactly_where_a_dump_could_change_a_value(
    kind: str, character_set: str | None, is_changed: bool
) -> None:
    table = make_structure(kind, character_set).tables["t"]

    assert table.is_changed_by_dump == is_changed


def test_digests_are_read_by_table() -> None:
    rows = make_rows(["table", "a", "BASE TABLE"], ["digest", 3, 3, 2**70, 7])
    assert read_digests(rows) == {"a": DIGEST}


def test_digest_that_is_none_is_an_error() -> None:
    rows = make_rows(["table", "a", "BASE TABLE"], ["digest", 3])
    with pytest.raises(ContentError, match="table a cannot be read"):
        read_digests(rows)


@pytest.mark.parametrize(
    ("digest", "is_proof"),
    [
        (DIGEST, True),
        (Digest(4, 4, DIGEST.sums), False),
        (Digest(3, 3, (2**70, 8)), False),
        (Digest(3, 3, (2**70 + 1, 7)), False),
    ],
)
def test_digest_proves_equal_rows_alone(digest: Digest, is_proof: bool) -> None:
    assert DIGEST.proves_equal(digest) is is_proof


def test_digest_of_some_rows_proves_nothing() -> None:
    partial = Digest(3, 2, (1, 1))
    assert not partial.proves_equal(partial)


def test_table_is_doubtful_where_its_checksum_alone_is_another_one() -> None:
    source = make_contents(equal=(1, "5"), other=(1, "5"), more=(2, "5"), gone=(1, "5"))
    target = make_contents(equal=(1, "5"), other=(1, "6"), more=(1, "6"), new=(1, "5"))
    assert find_doubtful(source, target) == {"other"}


def test_table_is_proven_where_both_sides_have_the_same_digest() -> None:
    source = {"a": DIGEST, "b": DIGEST, "c": DIGEST}
    target = {"a": DIGEST, "b": Digest(3, 3, (1, 1))}
    assert find_proven({"a", "b", "c", "d"}, source, target) == ["a"]


def test_checksum_of_the_source_takes_the_place_of_a_proven_table_alone() -> None:
    source = make_contents(a=(1, "5"), b=(1, "5"))
    target = make_contents(a=(1, "6"), b=(1, "6"))
    assert replace_checksums(source, target, ["a"]) == make_contents(a=(1, "5"), b=(1, "6"))


def test_old_form_of_a_time_is_no_other_column() -> None:
    old = make_structure("datetime(3) /* mariadb-5.3 */").tables["t"]
    assert old.find_difference(make_structure("datetime(3)").tables["t"]) == ""
    assert old.find_difference(make_structure("datetime(2)").tables["t"]) == "columns"


def test_text_of_a_type_is_not_taken_for_its_form() -> None:
    values = make_structure("enum('a /* mariadb-5.3 */')").tables["t"]
    assert values.find_difference(make_structure("enum('a')").tables["t"]) == "columns"


SEQUENCES = {
    "own": ("nextval(`acme_db1`.`a``b`)", "nextval(`a``b`)", "0", False),
    "in a sum": ("1 + LASTVAL(`acme_db1`.`s`)", "1 + LASTVAL(`s`)", "1 + 0", False),
    "of another": ("nextval(`other`.`s`)", "nextval(`other`.`s`)", "nextval(`other`.`s`)", True),
    "set": ("setval(`acme_db1`.`s`, 5)", "setval(`acme_db1`.`s`, 5)", None, True),
    "a text": (r"'it''s \\'' nextval(`acme_db1`.`s`)'", None, None, False),
    "a name": ("`nextval(` + 1", None, None, False),
    "no end": ("'nextval(`acme_db1`.`s`)\\", None, None, False),
}


@pytest.mark.parametrize(
    ("default", "short", "tried", "is_foreign"), SEQUENCES.values(), ids=list(SEQUENCES)
)
def test_a_default_names_a_sequence_of_its_own_database_without_the_database(
    default: str, short: str | None, tried: str | None, is_foreign: bool
) -> None:
    rows = make_rows(
        ["server", "10.11", 0, 1],
        ["database", "utf8mb4", "utf8mb4_bin"],
        ["column", "t", 1, "c", "int", "YES", default, "", None, None, None, ""],
        ["table", "t", "BASE TABLE"],
    )
    rows.append([b"t", f"CREATE TABLE `t` (\n  `c` int DEFAULT {default}".encode()])

    table = read_structure(rows, "acme_db1").tables["t"]

    short = short or default
    assert table.columns[0].default == short
    assert table.statement.decode().endswith(f"DEFAULT {short}")
    assert table.trial_statement.decode().endswith(f"DEFAULT {tried or short}")
    assert table.has_foreign_sequence == is_foreign


KEYS = {
    "to a table of the same database": ("FOREIGN KEY (`a`) REFERENCES `parent` (`a`)", False),
    "to a table of another database": ("FOREIGN KEY (`a`) REFERENCES `b``c`.`parent` (`a`)", True),
    "in a comment": (r"`a` int COMMENT 'it''s \\'' REFERENCES `other`.`parent` (`a`)'", False),
    "in a name": ("`REFERENCES `` int", False),
    "in the name of a column": ("`x REFERENCES ``other``.``parent``` int", False),
    "after a name with a point": ("`a.b` int, FOREIGN KEY (`a.b`) REFERENCES `p.q` (`a`)", False),
}


@pytest.mark.parametrize(("clause", "is_elsewhere"), KEYS.values(), ids=list(KEYS))
def test_a_key_that_refers_to_another_database_is_found_in_the_statement_alone(
    clause: str, is_elsewhere: bool
) -> None:
    rows = make_rows(
        ["server", "10.11", 0, 1],
        ["database", "utf8mb4", "utf8mb4_bin"],
        ["table", "t", "BASE TABLE"],
    )
    rows.append([b"t", f"CREATE TABLE `t` (\n  {clause}\n) ENGINE=InnoDB".encode()])

    assert read_structure(rows, "acme").tables["t"].has_foreign_key_elsewhere == is_elsewhere


def make_copied(rows: int = 1, checksum: str = "5", **changes: Any) -> Contents:
    """Return a database with one table and one view."""
    definer = changes.get("definer", "")
    clause = f"DEFINER=`{definer}`@`localhost` "
    view = Program(
        "view",
        "v",
        f"CREATE {clause}VIEW `v` AS select 1".encode(),
        Account(definer, "localhost"),
        (7, 7 + len(clause)),
        b"utf8mb4",
        changes.get("collation", b"utf8mb4_bin"),
        database_collation=changes.get("database_collation", b""),
    )

    return Contents(
        make_structure(changes.get("kind", "int(11)")),
        {"t": Checksum(rows, checksum, 0)},
        {view.key: view},
    )


def test_digest_of_a_copy_with_another_definer_is_that_of_its_source() -> None:
    assert compute_digest(make_copied(definer="owner")) == compute_digest(make_copied())


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": 2},
        {"checksum": "6"},
        {"kind": "bigint(20)"},
        {"collation": b"latin1_bin"},
        {"database_collation": b"latin1_bin"},
    ],
    ids=["rows", "checksum", "column", "view", "collation of the database"],
)
def test_digest_of_other_content_is_another_one(changes: dict[str, Any]) -> None:
    assert compute_digest(make_copied(**changes)) != compute_digest(make_copied())
