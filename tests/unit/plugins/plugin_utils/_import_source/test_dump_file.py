# SPDX-License-Identifier: GPL-3.0-or-later
"""Dumps are read as mysqldump writes them, and nothing of them is executed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import_source import dump_file
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.dump_file import (
    read_dump,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_tables import (
    MOST_ROWS,
    SourceError,
    TableForm,
)

BOX = TableForm("box", "id", ("name",), ("not-here", "a-size"))
CREATE = "CREATE TABLE `box` (\n  `id` int(11) NOT NULL,\n  `name` text,\n  `a-size` int,\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB;\n"
HEAD = "-- MariaDB dump 10.19  Distrib 10.11\n/*!40101 SET NAMES utf8mb4 */;\n"
END = "-- Dump completed on 2026-11-29\n"


def read_text(tmp_path: Path, text: str | bytes, forms: tuple[TableForm, ...] = (BOX,)):
    """Read a dump of the text, in a file of its own."""
    path = tmp_path / "dump.sql"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_dump(path, forms, {"panel_domains": "froxlor"})


def read_box(tmp_path: Path, values: str, create: str = CREATE):
    """Return the rows that a whole dump with these statements has."""
    return list(read_text(tmp_path, HEAD + create + values + END).list_rows("box"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("'plain'", "plain"),
        ("NULL", None),
        ("''", ""),
        (r"'it\'s'", "it's"),
        ("'it''s'", "it's"),
        (r"'a\nb\tc\rd\\e\"f'", 'a\nb\tc\rd\\e"f'),
        (r"'\0\Z\b\%\_'", "\0\x1a\b%_"),
        ("'),(2,''x'", "),(2,'x"),
        ("'Möbel – ﬂ 🪑'", "Möbel – ﬂ 🪑"),
        ("_utf8mb4'é'", "é"),
        ("_binary 'ab'", "ab"),
        ("0x4DC3B6", "Mö"),
        ("X'4D'", "M"),
        ("_utf8mb4 0x41", "A"),
        ("12", "12"),
        ("-1.50", "-1.50"),
        ("1e10", "1e10"),
    ],
)
def test_a_value_is_read_as_the_database_has_it(tmp_path, value, text):
    statement = f"INSERT INTO `box` VALUES (1,{value},3);\n"
    assert read_box(tmp_path, statement) == [{"id": "1", "name": text, "a-size": "3"}]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO `box` VALUES (1,'a',1),(2,'b',2);\n",
        "INSERT INTO `box` VALUES\n(1,'a',1),\n(2,'b',2);\n",
        "INSERT INTO `box` VALUES (1,'a',1);\nINSERT INTO `box` VALUES (2,'b',2);\n",
        "INSERT INTO `box` (`id`,`name`,`a-size`) VALUES (1,'a',1),(2,'b',2);\n",
        "INSERT INTO `box` (`a-size`, `name`, `id`) VALUES (1,'a',1),(2,'b',2);\n",
        "INSERT INTO `db`.`box` VALUES (1,'a',1),(2,'b',2);\n",
        "INSERT  IGNORE INTO `box` VALUES (1,'a',1),(2,'b',2);\n",
        "REPLACE INTO `box` VALUES (1,'a',1),(2,'b',2);\r\n",
    ],
)
def test_every_form_of_an_insert_gives_the_same_rows(tmp_path, statement):
    assert [row["name"] for row in read_box(tmp_path, statement)] == ["a", "b"]
    assert [row["a-size"] for row in read_box(tmp_path, statement)] == ["1", "2"]


def test_rows_of_other_tables_and_statements_in_texts_are_passed_over(tmp_path):
    values = (
        "INSERT INTO `log` VALUES (1,'INSERT INTO `box` VALUES (9,\\'x\\',9);');\n"
        "INSERT INTO `box` VALUES (1,'\\nINSERT INTO `box` VALUES (7,\\'y\\',1);\\n',1);\n"
        "DELIMITER ;;\nCREATE TRIGGER t BEFORE INSERT ON box FOR EACH ROW BEGIN\n"
        "INSERT INTO `box` VALUES (8,'z',8);\nEND ;;\nDELIMITER ;\n"
    )
    assert [row["id"] for row in read_box(tmp_path, values)] == ["1"]


def test_a_text_that_is_not_in_the_encoding_comes_with_lone_surrogates(tmp_path):
    text = (HEAD + CREATE).encode() + b"INSERT INTO `box` VALUES (1,'M\xf6',1);\n" + END.encode()
    assert read_text(tmp_path, text).list_rows("box")[0]["name"] == "M\udcf6"


def test_a_dump_in_latin1_is_read_as_such(tmp_path):
    text = (HEAD.replace("utf8mb4", "latin1") + CREATE).encode()
    text += b"INSERT INTO `box` VALUES (1,'M\xf6',1);\n" + END.encode()
    assert read_text(tmp_path, text).list_rows("box")[0]["name"] == "Mö"


def test_the_database_that_is_the_panels_is_read_of_several(tmp_path):
    second = "USE `other`;\nCREATE TABLE `wp` (\n  `id` int\n);\nINSERT INTO `wp` VALUES (1);\n"
    wanted_database = "USE `wanted_database`;\n" + CREATE + "INSERT INTO `box` VALUES (1,'a',1);\n"
    assert len(read_text(tmp_path, HEAD + second + wanted_database + END).list_rows("box")) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HEAD + CREATE + "INSERT INTO `box` VALUES (1,'a',1);\n", "without its last line"),
        (HEAD + CREATE + "INSERT INTO `box` VALUES (1,'a", "line 10: the dump ends in a row"),
        (HEAD + CREATE + "INSERT INTO `log` VALUES (1,'a", "the dump ends in a row"),
        (HEAD + "CREATE TABLE `box` (\n  `id` int,\n", "the dump ends in a table"),
        (HEAD + CREATE + "INSERT INTO `box` VALUES (1,'a');\n" + END, "2 values, and the table 3"),
        (HEAD + CREATE + "INSERT INTO `box` VALUES (1,a,2);\n" + END, "cannot be read"),
        (HEAD + CREATE + "INSERT INTO `box` VALUES (1,'a',2) junk);\n" + END, "cannot be read"),
        (HEAD + "INSERT INTO `box` VALUES (1,'a',2);\n" + END, "does not name the columns"),
        (HEAD + "CREATE TABLE `panel_domains` (\n  `id` int\n);\n" + END, "a dump of froxlor"),
        (HEAD + "CREATE TABLE `x` (\n  `id` int\n);\n" + END, "none of the panel's tables"),
        (HEAD + "CREATE TABLE `box` (\n  `id` int\n);\n" + END, "the table box has no column name"),
        ("", "none of the panel's tables"),
        ("just a text", "none of the panel's tables"),
        (b"\x1f\x8b\x08\x00rest", "compressed"),
        (b"\0\1\2" * 50, "none of the panel's tables"),
        (
            HEAD + "USE `a`;\n" + CREATE + "USE `b`;\n" + CREATE + END,
            "a and b are both databases of such a panel",
        ),
    ],
)
def test_what_nobody_can_read_is_one_error_with_file_and_place(tmp_path, text, reason):
    with pytest.raises(SourceError, match=r"dump\.sql") as failure:
        read_text(tmp_path, text)
    assert reason in str(failure.value)


def test_a_missing_table_of_several_is_named(tmp_path):
    second = TableForm("lid", "id", ("name",))
    with pytest.raises(SourceError, match="the dump lacks the tables lid"):
        read_text(tmp_path, HEAD + CREATE + END, (BOX, second))


def test_a_table_that_may_lack_has_no_rows(tmp_path):
    second = TableForm("lid", "id", ("name",), may_lack=True)
    tables = read_text(tmp_path, HEAD + CREATE + END, (BOX, second))
    assert tables.list_rows("lid") == ()
    assert list(tables.list_rows("box")) == []


@pytest.mark.parametrize("name", ["none.sql", ""], ids=["a missing file", "a folder"])
def test_a_missing_file_and_a_folder_are_errors_of_that_place(tmp_path, name):
    path = tmp_path / name
    with pytest.raises(SourceError, match=str(path)):
        read_dump(path, [BOX])


def test_the_size_of_a_dump_is_bounded(tmp_path):
    path = tmp_path / "dump.sql"
    with path.open("wb") as file:
        file.truncate(501 * 1024 * 1024)
    with pytest.raises(SourceError, match="more than 500 MB"):
        read_dump(path, [BOX])


def test_the_number_of_rows_of_a_dump_is_bounded(tmp_path, monkeypatch):
    assert MOST_ROWS == 5_000_000
    monkeypatch.setattr(dump_file, "MOST_ROWS", 2)
    statement = "INSERT INTO `box` VALUES (1,'a',2),(2,'a',2);\n"

    assert len(read_box(tmp_path, statement)) == 2
    with pytest.raises(SourceError, match="more than 2 rows"):
        read_box(tmp_path, statement + "INSERT INTO `box` VALUES (3,'a',2);\n")


@pytest.mark.parametrize(
    "text", ["(" * 2_000_000, "'" + "\\" * 2_000_000, "''" * 1_000_000, "(1,'" + "''" * 500_000]
)
def test_hostile_texts_end_in_an_error_in_linear_time(tmp_path, text):
    with pytest.raises(SourceError):
        read_text(tmp_path, HEAD + CREATE + "INSERT INTO `box` VALUES " + text + ");\n" + END)


_KEPT = "/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;\n"
_RESTORED = "/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;\n"
_ROW = "INSERT INTO `box` VALUES (1,'a',2);\n"


def test_a_dump_without_comments_is_whole_where_it_restores_what_it_has_set(tmp_path):
    tables = read_text(tmp_path, _KEPT + CREATE + _ROW + _RESTORED)

    assert len(list(tables.list_rows("box"))) == 1


@pytest.mark.parametrize("text", [_KEPT + CREATE, _KEPT + CREATE + _ROW])
def test_a_dump_without_comments_that_ends_between_two_statements_is_cut_off(tmp_path, text):
    with pytest.raises(SourceError, match="so it is cut off"):
        read_text(tmp_path, text)
