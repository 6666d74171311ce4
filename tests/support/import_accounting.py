"""Counts rows of a source: each that stands for something of a customer arrives or is left out."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    Certificate,
    LeftOut,
    Origin,
    Source,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_tables import (
    Tables,
)

# Columns that name a row, by table, of all that customers have at ISPConfig.
ISPCONFIG_TABLES = {
    "client": "client_id",
    "client_template": "template_id",
    "web_domain": "domain_id",
    "web_database": "database_id",
    "web_database_user": "database_user_id",
    "ftp_user": "ftp_user_id",
    "shell_user": "shell_user_id",
    "webdav_user": "webdav_user_id",
    "cron": "id",
    "web_folder": "web_folder_id",
    "web_folder_user": "web_folder_user_id",
    "mail_domain": "domain_id",
    "mail_user": "mailuser_id",
    "mail_forwarding": "forwarding_id",
    "mail_user_filter": "filter_id",
    "mail_get": "mailget_id",
    "mail_transport": "transport_id",
    "mail_mailinglist": "mailinglist_id",
    "spamfilter_users": "id",
    "spamfilter_wblist": "wblist_id",
    "dns_soa": "id",
    "dns_rr": "id",
    "dns_slave": "id",
}
# Rows that need not be named where the row that a column names is left out as a whole.
ISPCONFIG_PARENTS = {"dns_rr": ("zone", "dns_soa")}


def count_objects(source: Source) -> Counter[Origin]:
    """Return how often each row is an object of its own."""
    return Counter(
        item.origin
        for item in _walk(source)
        if hasattr(item, "origin") and not isinstance(item, (LeftOut, Certificate))
    )


def find_other_origins(source: Source) -> set[Origin]:
    """Return rows that are a part of an object: a user of a database, a folder of a protection."""
    origins = set()
    for item in _walk(source):
        for name in ("user_origin", "folder_origin", "hash_origin"):
            origin = getattr(item, name, None)
            if origin is not None:
                origins.add(origin)
    return origins


def find_unaccounted_rows(
    tables: Tables,
    source: Source,
    keys: Mapping[str, str],
    parents: Mapping[str, tuple[str, str]],
) -> list[str]:
    """Return the rows that are nowhere, or more than once, in the order of the tables.

    Args:
        tables: What was read.
        source: What became of it.
        keys: Columns that name a row, by table.
        parents: By table the column that names another row, and the table of that.
    """
    objects = count_objects(source)
    parts = find_other_origins(source)
    refused = Counter(
        entry.origin
        for entry in source.left_out
        if entry.kind != "certificates" and (entry.field is None or entry.origin not in objects)
    )
    faults = []
    for table, key in keys.items():
        for row in tables.rows(table):
            origin = Origin(table, row[key] or "")
            count = objects[origin] + refused[origin] + (origin in parts)
            if count != 1 and not (count == 0 and _has_absent_parent(row, table, parents, refused)):
                faults.append(f"{origin}: {count} times")
    return faults


def _has_absent_parent(
    row: Mapping[str, Any],
    table: str,
    parents: Mapping[str, tuple[str, str]],
    refused: Counter[Origin],
) -> bool:
    """Tell whether a row belongs to one that is left out as a whole."""
    if table not in parents:
        return False
    column, parent_table = parents[table]
    return refused[Origin(parent_table, row[column] or "")] == 1


def _walk(value: Any) -> Iterator[Any]:
    """Yield each object of a source, and those inside of it."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        for entry in value:
            yield from _walk(entry)
    elif dataclasses.is_dataclass(value) and not isinstance(value, Origin):
        yield value
        for field in dataclasses.fields(value):
            yield from _walk(getattr(value, field.name))
