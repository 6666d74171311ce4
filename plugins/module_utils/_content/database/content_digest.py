# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a digest of what a database holds, which stays the same as long as that does. Pure."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from .comparison import Contents
from .programs import Program
from .structure import Table


def compute_digest(contents: Contents) -> str:
    """Return the SHA-256 of what a comparison compares, in hexadecimal.

    It knows no order of rows, no counter and no definer, and not whether events run. Two equal
    databases have the same digest where their servers show tables by the same statements, and rows
    by the same checksums.
    """
    structure = contents.structure
    tables = [
        [*_describe_table(table), *_describe_rows(contents, name)]
        for name, table in sorted(structure.tables.items())
    ]
    # They are in the order in which they can be made, which is that in which triggers run.
    programs = [_describe_program(program) for program in contents.programs.values()]
    described = [structure.character_set, structure.collation, tables, programs]
    text = json.dumps(described, sort_keys=True, separators=(",", ":"))

    return hashlib.sha256(text.encode()).hexdigest()


def _describe_table(table: Table) -> list[Any]:
    statement = table.comparable_statement.decode("utf-8", "surrogateescape")

    return [table.name, table.kind, statement]


def _describe_program(program: Program) -> list[str]:
    meaning = [text.decode("utf-8", "surrogateescape") for text in program.meaning]

    return [program.kind, program.name, *meaning]


def _describe_rows(contents: Contents, name: str) -> list[Any]:
    checksum = contents.checksums.get(name)
    if checksum is None:
        # It came or went while it was read.
        return []
    return [checksum.rows, checksum.checksum, checksum.digest]
