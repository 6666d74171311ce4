# SPDX-License-Identifier: GPL-3.0-or-later
"""Describes views, routines, triggers and events, and makes statements for another definer.

A statement is a value from the source, never a part of a script. Only its beginning, which the
server writes in one form, is taken apart; nothing is searched for in the text of a program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..content_errors import ContentError
from ..shown_text import show_name
from .queries.programs_query import ProgramRow
from .queries.session import SQL_MODE
from .queries.sql import quote_name
from .rows import read_mark

_NAME = rb'(?:`(?:[^`]|``)*`|"(?:[^"]|"")*")'
_DEFINER = re.compile(
    rb"CREATE (?:OR REPLACE )?(?:ALGORITHM=[A-Z]{1,20} )?"
    rb"(?P<definer>DEFINER=(?P<user>" + _NAME + rb")(?:@(?P<host>" + _NAME + rb"))? )?"
)
# The server writes all of this. An interval is a number, or in quotes.
_EVENT = re.compile(
    rb"EVENT " + _NAME + rb" ON SCHEDULE "
    rb"(?:AT '[^']{1,40}'"
    rb"|EVERY (?:'[^']{1,80}'|-?[0-9]{1,20}) [A-Z_]{1,20}"
    rb"(?: STARTS '[^']{1,40}')?(?: ENDS '[^']{1,40}')?)"
    rb" ON COMPLETION (?:NOT )?PRESERVE "
    rb"(?P<state>ENABLE|DISABLE ON SLAVE|DISABLE)(?= )"
)
# A text in quotes, or names with points between them. Both may lack their end.
_TEXT_OR_NAMES = re.compile(
    rb"'(?:[^'\\]|\\.|'')*(?:'|\\?\Z)|`(?:[^`]|``)*(?:`|\Z)(?:\.`(?:[^`]|``)*(?:`|\Z))*",
    re.DOTALL,
)
_MODE = re.compile(rb"[A-Z0-9_,]{0,1000}")
_WORD = re.compile(rb"[a-z0-9_]{1,64}")
_STATES = {
    "ENABLED": b"ENABLE",
    "DISABLED": b"DISABLE",
    "SLAVESIDE_DISABLED": b"DISABLE ON SLAVE",
}
DISABLED = b"DISABLE"
VIEW = "view"
TRIGGER = "trigger"
EVENT = "event"


@dataclass(frozen=True)
class Account:
    """Names an account of a database server."""

    user: str
    host: str

    def __str__(self) -> str:
        """Return the account as results show it."""
        return f"{self.user}@{self.host}"

    def quote(self) -> str:
        """Return the account as SQL has it."""
        user = quote_name(self.user)

        return f"{user}@{quote_name(self.host)}"


@dataclass(frozen=True)
class Program:
    """Describes a view, routine, trigger or event.

    kind: In lower case, as the server names it.
    owner: Of a trigger: its table and when it runs.
    order: Of a trigger: which of those that run at the same time it is.
    statement: Makes it, in the bytes in which it was written.
    definer_clause: Which bytes of the statement name the definer.
    sql_mode, time_zone, character_set, collation, database_collation: Of the session that wrote
        it. They are part of what it means.
    state: Of an event: ENABLE, DISABLE or DISABLE ON SLAVE.
    is_past: Whether an event has had its only time, so that no server takes it any more.
    defect: Why a view does not work where it is; empty if it does.
    """

    kind: str
    name: str
    statement: bytes
    definer: Account | None
    definer_clause: tuple[int, int]
    character_set: bytes
    collation: bytes
    sql_mode: bytes = b""
    time_zone: bytes = b""
    database_collation: bytes = b""
    owner: str = ""
    order: str = ""
    state: bytes = b""
    is_past: bool = False
    defect: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Return what tells it from all others of its database."""
        return self.kind, self.name

    @property
    def meaning(self) -> tuple[bytes, ...]:
        """Return what it is, whoever its definer is and whether it runs."""
        begin, end = self.definer_clause
        statement = self.statement[:begin] + self.statement[end:]
        if self.kind == EVENT:
            statement = _with_state(statement, DISABLED)

        return (
            statement,
            self.sql_mode,
            self.time_zone,
            self.character_set,
            self.collation,
            self.database_collation,
            self.owner.encode("utf-8", "surrogateescape"),
        )

    def make_statement(self, definer: Account, state: bytes) -> bytes:
        """Return the statement that makes it for a definer, an event in a state."""
        begin, end = self.definer_clause
        clause = f"DEFINER={definer.quote()} ".encode("utf-8", "surrogateescape")
        statement = self.statement[:begin] + clause + self.statement[end:]
        if self.kind == EVENT:
            statement = _with_state(statement, state)

        return statement

    def make_session(self) -> list[str]:
        """Return the statements that give a session the settings in which it was written."""
        # The server keeps no mode of a view.
        mode = SQL_MODE.encode() if self.kind == VIEW else self.sql_mode
        settings = [
            f"sql_mode = x'{mode.hex()}'",
            f"character_set_client = {self.character_set.decode()}",
            f"collation_connection = {self.collation.decode()}",
        ]
        if self.time_zone:
            settings.append(f"time_zone = x'{self.time_zone.hex()}'")

        return [f"SET SESSION {', '.join(settings)}"]


def read_programs(rows: list[list[bytes]], database: str) -> dict[tuple[str, str], Program]:
    """Return the programs of a database, by kind and name, in an order in which they can be made.

    A view that needs another view can come before that.

    Args:
        rows: What shows them.
        database: The name of the database.

    Raises:
        ContentError: A program is shown in a form in which no server shows one.
    """
    programs = [_read_program(group, database) for group in _group_rows(rows)]

    return {program.key: program for program in sorted(programs, key=_rank_by_creation)}


_ORDER_OF_KINDS = ("function", "procedure", "package", "package body", VIEW, TRIGGER, EVENT)


def _rank_by_creation(program: Program) -> tuple[int, str, str, str]:
    return (
        _ORDER_OF_KINDS.index(program.kind),
        program.owner,
        program.order,
        program.name,
    )


def _group_rows(rows: Iterable[list[bytes]]) -> list[_Group]:
    """Return the rows of each program together."""
    groups: list[_Group] = []
    for row in rows:
        mark = read_mark(row)
        if mark is not None and mark[0] == "program":
            groups.append(_Group(ProgramRow(*mark[1:])))
        elif mark is not None and mark[0] == "defect" and groups:
            groups[-1].defect = str(mark[1])
        elif groups and not groups[-1].values:
            groups[-1].values = row

    return groups


@dataclass
class _Group:
    """Holds what is shown of a program.

    head: Which program it is.
    values: What SHOW CREATE says of it.
    defect: Why a view does not work.
    """

    head: ProgramRow
    values: list[bytes] = field(default_factory=list)
    defect: str = ""


def _read_program(group: _Group, database: str) -> Program:
    head = group.head
    kind = head.kind.lower()
    name = head.name
    columns = dict(zip(_COLUMNS.get(kind, _COLUMNS_OF_ROUTINES), group.values))
    statement = columns.get("statement", b"")
    match = _DEFINER.match(statement)
    keyword = _KEYWORDS.get(kind)
    if match is None or keyword is None or not keyword.match(statement, match.end()):
        raise ContentError(f"the source shows no statement for the {kind} {show_name(name)}.")
    if kind == EVENT and not _EVENT.match(statement, match.end()):
        raise ContentError(f"the source shows no schedule for the event {show_name(name)}.")
    _check_settings(kind, name, columns)
    if kind == VIEW:
        end = match.end()
        statement = statement[:end] + remove_database(statement[end:], database)

    definer = None
    clause = (match.end(), match.end())
    if match.group("definer") is not None:
        definer = Account(_read_name(match.group("user")), _read_name(match.group("host")))
        clause = match.span("definer")

    return Program(
        kind=kind,
        name=name,
        statement=statement,
        definer=definer,
        definer_clause=clause,
        character_set=columns["character_set"],
        collation=columns["collation"],
        sql_mode=columns.get("sql_mode", b""),
        time_zone=columns.get("time_zone", b""),
        database_collation=columns.get("database_collation", b""),
        owner=f"{head.table_or_status} {head.timing_or_past}" if kind == TRIGGER else "",
        order=head.trigger_order if kind == TRIGGER else "",
        state=_STATES[head.table_or_status] if kind == EVENT else b"",
        is_past=kind == EVENT and head.timing_or_past == "PAST",
        defect=group.defect,
    )


_COLUMNS_OF_ROUTINES = (
    "name",
    "sql_mode",
    "statement",
    "character_set",
    "collation",
    "database_collation",
)
_COLUMNS = {
    VIEW: ("name", "statement", "character_set", "collation"),
    EVENT: (
        "name",
        "sql_mode",
        "time_zone",
        "statement",
        "character_set",
        "collation",
        "database_collation",
    ),
}
# What stands behind the definer, in each case as the person wrote it.
_KEYWORDS = {
    VIEW: re.compile(rb"(?:SQL SECURITY (?:DEFINER|INVOKER) )?VIEW `"),
    TRIGGER: re.compile(rb"TRIGGER\b", re.IGNORECASE),
    EVENT: re.compile(rb"EVENT "),
    "function": re.compile(rb"(?:AGGREGATE )?FUNCTION "),
    "procedure": re.compile(rb"PROCEDURE "),
    "package": re.compile(rb"PACKAGE "),
    "package body": re.compile(rb"PACKAGE BODY "),
}


def _check_settings(kind: str, name: str, columns: dict[str, bytes]) -> None:
    """Refuse settings that are no plain words, since they become parts of statements."""
    for column in ("character_set", "collation", "database_collation"):
        if column in columns and not _WORD.fullmatch(columns[column]):
            raise ContentError(f"the source shows no {column} for the {kind} {show_name(name)}.")
    if not _MODE.fullmatch(columns.get("sql_mode", b"")):
        raise ContentError(f"the source shows no sql_mode for the {kind} {show_name(name)}.")


def remove_database(text: bytes, database: str) -> bytes:
    """Return the text of a view without the name of its own database.

    The server shows that name in a view that does not work, and in no other one. Without it, the
    view belongs to the database in which it is made. A table or alias of the same name cannot be
    told from the database, so with one of these only names of three parts are changed.
    """
    own_name = quote_name(database).encode("utf-8", "surrogateescape")
    begin = own_name + b"."
    is_ambiguous = any(match.group() == own_name for match in _TEXT_OR_NAMES.finditer(text))

    def shorten(match: re.Match[bytes]) -> bytes:
        names = match.group()
        if not names.startswith(begin):
            return names
        if is_ambiguous and names.count(b"`.`") < 2:
            return names

        return names[len(begin) :]

    return _TEXT_OR_NAMES.sub(shorten, text)


def _read_name(quoted: bytes | None) -> str:
    """Return a name that is in quotes, which are doubled in it."""
    if quoted is None:
        return ""
    quote = quoted[:1]

    return quoted[1:-1].replace(quote + quote, quote).decode("utf-8", "surrogateescape")


def _with_state(statement: bytes, state: bytes) -> bytes:
    """Return the statement of an event with another state."""
    begin = _DEFINER.match(statement)
    match = _EVENT.match(statement, begin.end() if begin else 0)
    if match is None:
        return statement
    start, end = match.span("state")

    return statement[:start] + state + statement[end:]
