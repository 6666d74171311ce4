# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of what a reader of another panel gives: each row once."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_rows import (
    READER_FAILED,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    LeftOut,
    Origin,
    Source,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_tables import (
    Tables,
)
from tests.support import ispconfig_source


def list_origins(item: Any) -> Iterator[Origin]:
    """Yield each origin in an object or in what it is made of."""
    if isinstance(item, Origin):
        yield item
    elif isinstance(item, tuple):
        for entry in item:
            yield from list_origins(entry)
    elif dataclasses.is_dataclass(item):
        for field in dataclasses.fields(item):
            yield from list_origins(getattr(item, field.name))


def find_accounting_faults(source: Source, rows: Iterable[Origin]) -> list[str]:
    """Return which rows are missing, in objects and left out, left out twice, or lost by a fault.

    Args:
        source: What a reader gave.
        rows: Where each row comes from that stands for something a customer has. A certificate that
            shares its row with a site is an entry beside that of the site.
    """
    sites = {domain.origin for domain in source.domains}
    sites.update(item.origin for item in source.left_out if item.plural == "domains")
    whole = [
        item
        for item in source.left_out
        if item.field is None and (item.plural != "certificates" or item.origin not in sites)
    ]
    partly = {item.origin for item in source.left_out if item.field is not None}
    left_out = Counter(item.origin for item in whole)
    carried = set(list_origins(dataclasses.replace(source, left_out=())))
    faults = list_failed_rows(source)
    for row in rows:
        if row not in carried and row not in left_out and row not in partly:
            faults.append(f"{row} is nowhere")
        if row in carried and row in left_out:
            faults.append(f"{row} is carried and left out")
        if left_out[row] > 1:
            faults.append(f"{row} is left out {left_out[row]} times")
    return faults


def list_failed_rows(source: Source) -> list[str]:
    """Return the rows that do not arrive since a reader failed, with the reason of each."""
    beginning = READER_FAILED.partition("{}")[0]
    return [
        f"{item.origin}: {item.reason}"
        for item in source.left_out
        if item.reason.startswith(beginning)
    ]


def find_left_out(source: Source, table: str, id_: str, field: str | None = None) -> LeftOut:
    """Return the one entry of a row among those that are left out."""
    entries = [
        item
        for item in source.left_out
        if item.origin == Origin(table, id_) and item.field == field
    ]
    assert len(entries) == 1, entries
    return entries[0]


def list_ispconfig_rows(tables: Tables) -> Iterator[Origin]:
    """Yield where each row of an ISPConfig comes from that stands for something a customer has.

    Policies of spam come with the panel.
    """
    for table, key in ispconfig_source.KEYS.items():
        if table in ispconfig_source.NO_OBJECTS:
            continue
        for row in tables.list_rows(table):
            yield Origin(table, row[key] or "")
