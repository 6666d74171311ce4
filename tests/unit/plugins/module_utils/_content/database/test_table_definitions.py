# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests which statements of tables are taken for equal."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.database.definitions import (
    list_definitions,
)

STATEMENT = (
    b"CREATE TABLE `t` (\n"
    b"  `a` int(11) NOT NULL AUTO_INCREMENT,\n"
    b"  `b` varchar(9) DEFAULT 'x COLLATE y',\n"
    b"  PRIMARY KEY (`a`),\n"
    b"  KEY `k` (`b`)\n"
    b") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4\n"
    b" PARTITION BY HASH (`a`)\n"
    b"(PARTITION `p` ENGINE = InnoDB,\n"
    b" PARTITION `q` ENGINE = InnoDB)"
)
EQUAL = {
    "counter": (b"=InnoDB DEFAULT", b"=InnoDB AUTO_INCREMENT=7 DEFAULT"),
    "character set of a column": (b"varchar(9) ", b"varchar(9) CHARACTER SET utf8mb4 "),
    "collation of a column": (b"varchar(9) ", b"varchar(9) COLLATE utf8mb4_bin "),
    "collation of the table": (b"CHARSET=utf8mb4", b"CHARSET=utf8mb4 COLLATE=utf8mb4_bin"),
    "old form of a time": (b"int(11)", b"int(11) /* mariadb-5.3 */"),
    "order of the indexes": (
        b"  PRIMARY KEY (`a`),\n  KEY `k` (`b`)\n",
        b"  KEY `k` (`b`),\n  PRIMARY KEY (`a`)\n",
    ),
}
OTHER = {
    "direction of an index": (b"(`b`)", b"(`b` DESC)"),
    "text that looks like a collation": (b"COLLATE y", b"COLLATE z"),
    "text that looks like a counter": (b"'x COLLATE", b"'x AUTO_INCREMENT=7 COLLATE"),
    "name that looks like a form": (b"`k`", b"`k /* mariadb-5.3 */`"),
    "name that ends its line": (b"KEY `k`", b"KEY `k,\n`"),
    "counter of a column": (b" AUTO_INCREMENT,", b","),
    "order of partitions": (
        b"(PARTITION `p` ENGINE = InnoDB,\n PARTITION `q` ENGINE = InnoDB)",
        b"(PARTITION `q` ENGINE = InnoDB,\n PARTITION `p` ENGINE = InnoDB)",
    ),
    "option of the table": (b" DEFAULT CHARSET", b" KEY_BLOCK_SIZE=4 DEFAULT CHARSET"),
    "text without an end": (b"COLLATE y'", b"COLLATE y"),
}


@pytest.mark.parametrize(("clause", "replacement"), EQUAL.values(), ids=list(EQUAL))
def test_what_another_part_says_makes_no_other_definition(
    clause: bytes, replacement: bytes
) -> None:
    assert STATEMENT.count(clause) == 1

    changed = STATEMENT.replace(clause, replacement)

    assert list_definitions(changed) == list_definitions(STATEMENT)


@pytest.mark.parametrize(("clause", "replacement"), OTHER.values(), ids=list(OTHER))
def test_each_other_change_of_a_statement_makes_another_definition(
    clause: bytes, replacement: bytes
) -> None:
    assert STATEMENT.count(clause) == 1

    changed = STATEMENT.replace(clause, replacement)

    assert list_definitions(changed) != list_definitions(STATEMENT)
