# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests how programs of a database are read, and made for another definer."""

from __future__ import annotations

import json

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.comparison import (
    Contents,
    find_moved_triggers,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.content_digest import (
    compute_digest,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.programs import (
    DISABLED,
    Account,
    Program,
    read_programs,
    remove_database,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.structure import (
    Structure,
)

OWNER = Account("own`er", "%")
CLAUSE = b"DEFINER=`own``er`@`%` "


def read_one(
    kind: str, values: list[bytes], attributes: tuple[str, str, str] = ("", "", "")
) -> Program:
    """Read one program as the client prints it."""
    mark = [json.dumps(["program", kind, "p", *attributes]).encode()]
    programs = read_programs([mark, values], "db")
    return programs[kind.lower(), "p"]


def make_routine(statement: bytes) -> list[bytes]:
    """Return the row that shows a routine."""
    return [b"p", b"", statement, b"utf8mb4", b"utf8mb4_bin", b"utf8mb4_bin"]


@pytest.mark.parametrize(
    ("written", "account"),
    [
        (b"`root`@`localhost`", "root@localhost"),
        (b"`a``b`@`%`", "a`b@%"),
        (b'"a""b"@"h"', 'a"b@h'),
        (b"`role`", "role@"),
        (b"`DEFINER=``x``@``y`` PROCEDURE`@`h`", "DEFINER=`x`@`y` PROCEDURE@h"),
    ],
)
def test_a_definer_is_read_and_replaced(written: bytes, account: str) -> None:
    body = b"PROCEDURE `p`() SELECT 'DEFINER=`root`@`localhost` '"

    program = read_one("PROCEDURE", make_routine(b"CREATE DEFINER=" + written + b" " + body))

    assert str(program.definer) == account
    assert program.make_statement(OWNER, b"") == b"CREATE " + CLAUSE + body


def test_a_statement_without_a_definer_gets_one() -> None:
    program = read_one("FUNCTION", make_routine(b"CREATE FUNCTION `p`() RETURNS INT RETURN 1"))

    assert program.definer is None
    assert program.make_statement(OWNER, b"").startswith(b"CREATE " + CLAUSE + b"FUNCTION")


def test_programs_with_other_definers_mean_the_same() -> None:
    first, second = (
        read_one(
            "PROCEDURE", make_routine(b"CREATE DEFINER=`" + user + b"`@`h` PROCEDURE `p`() DO 1")
        )
        for user in (b"a", b"b")
    )

    assert first.meaning == second.meaning


@pytest.mark.parametrize(
    "schedule",
    [
        b"AT '2030-01-01 00:00:00'",
        b"EVERY 1 DAY STARTS '2026-01-01 00:00:00'",
        b"EVERY '1:30' HOUR_MINUTE STARTS '2026-01-01 00:00:00' ENDS '2027-01-01 00:00:00'",
    ],
)
@pytest.mark.parametrize("state", [b"ENABLE", b"DISABLE", b"DISABLE ON SLAVE"])
def test_the_state_of_an_event_is_replaced_where_the_server_writes_it(
    schedule: bytes, state: bytes
) -> None:
    begin = b"EVENT `p ON COMPLETION PRESERVE ENABLE ` ON SCHEDULE " + schedule
    end = b" COMMENT ' ENABLE ' DO SELECT ' ON COMPLETION PRESERVE ENABLE '"
    statement = b"CREATE DEFINER=`a`@`h` " + begin + b" ON COMPLETION NOT PRESERVE " + state + end
    values = [b"p", b"", b"SYSTEM", statement, b"utf8mb4", b"utf8mb4_bin", b"utf8mb4_bin"]

    program = read_one("EVENT", values, ("ENABLED", "", ""))

    expected = b"CREATE " + CLAUSE + begin + b" ON COMPLETION NOT PRESERVE DISABLE" + end
    assert program.make_statement(OWNER, DISABLED) == expected


@pytest.mark.parametrize(
    "statement",
    [
        b"",
        b"NULL",
        b"DROP DATABASE x",
        b"CREATE DEFINER=`a`@`h` TABLE `p` (a INT)",
        b"CREATE DEFINER=`a`@`h` USER `p`",
        b"CREATE /*!50003 DEFINER=`a`@`h` */ PROCEDURE `p`() DO 1",
        b"CREATE DEFINER=CURRENT_USER PROCEDURE `p`() DO 1",
        b"CREATE DEFINER=`a`@`h` FUNCTION `p`() RETURNS INT RETURN 1",
    ],
)
def test_a_statement_that_makes_no_program_of_its_kind_is_refused(statement: bytes) -> None:
    with pytest.raises(ContentError):
        read_one("PROCEDURE", make_routine(statement))


@pytest.mark.parametrize("position", [1, 3, 4, 5])
def test_settings_that_are_no_words_are_refused(position: int) -> None:
    values = make_routine(b"CREATE PROCEDURE `p`() DO 1")
    values[position] = b"x'; DROP DATABASE y"

    with pytest.raises(ContentError):
        read_one("PROCEDURE", values)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"select `db`.`t`.`a` AS `a` from `db`.`t`", b"select `t`.`a` AS `a` from `t`"),
        (b"select '`db`.`t`' AS `a`", b"select '`db`.`t`' AS `a`"),
        (b"select 'it''s \\' `db`.`t`' AS `a`", b"select 'it''s \\' `db`.`t`' AS `a`"),
        (b"select `x``db`.`a` from `x``db`", b"select `x``db`.`a` from `x``db`"),
        (
            b"select `other`.`db`.`a` from `other`.`db`",
            b"select `other`.`db`.`a` from `other`.`db`",
        ),
        (b"select `db`.`a` AS `a` from `db`", b"select `db`.`a` AS `a` from `db`"),
        (b"select `db`.`f`(1) AS `a`", b"select `f`(1) AS `a`"),
    ],
    ids=["names", "text", "quotes", "end of a name", "other database", "table", "function"],
)
def test_a_view_loses_the_name_of_its_own_database_only(text: bytes, expected: bytes) -> None:
    assert remove_database(text, "db") == expected


def read_triggers(*attributes: tuple[str, str, str]) -> Contents:
    """Return a database with triggers: of each its name, its table and its order."""
    rows: list[list[bytes]] = []
    for name, table, order in attributes:
        mark = ["program", "TRIGGER", name, table, "BEFORE INSERT", order.zfill(10)]
        rows.append([json.dumps(mark).encode()])
        rows.append(make_routine(f"CREATE TRIGGER {name} BEFORE INSERT DO 1".encode()))
    structure = Structure("11.8", 0, False, "utf8mb4", "utf8mb4_bin", {})

    return Contents(structure, {}, read_programs(rows, "db"))


TRIGGERS = (("a", "t", "1"), ("b", "t", "2"), ("c", "t", "3"), ("d", "u", "1"))
ORDERS = {
    "same": (TRIGGERS, set()),
    "with gaps": ((("a", "t", "1"), ("b", "t", "4"), ("c", "t", "9"), ("d", "u", "7")), set()),
    "changed": (
        (("a", "t", "1"), ("b", "t", "3"), ("c", "t", "2"), ("d", "u", "1")),
        {"b", "c"},
    ),
    "first is missing": ((("b", "t", "1"), ("c", "t", "2"), ("d", "u", "1")), set()),
    "one more": ((("x", "t", "2"), ("a", "t", "1"), ("b", "t", "3"), ("d", "u", "1")), set()),
    "of another table": ((("a", "u", "2"), ("b", "t", "1"), ("d", "u", "1")), set()),
    "ten": ((("a", "t", "9"), ("b", "t", "10"), ("c", "t", "11")), set()),
}


@pytest.mark.parametrize(("of_target", "moved"), ORDERS.values(), ids=list(ORDERS))
def test_triggers_of_both_sides_that_run_in_another_order_are_found(
    of_target: tuple[tuple[str, str, str], ...], moved: set[str]
) -> None:
    triggers = find_moved_triggers(read_triggers(*TRIGGERS), read_triggers(*of_target))

    assert {name for _kind, name in triggers} == moved


def test_digest_of_triggers_in_another_order_is_another_one() -> None:
    digests = [compute_digest(read_triggers(*of_target)) for of_target, _moved in ORDERS.values()]

    assert digests[0] == digests[1]
    assert digests[0] != digests[2]
