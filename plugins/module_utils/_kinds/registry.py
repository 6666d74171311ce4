# SPDX-License-Identifier: GPL-3.0-or-later
"""All kinds of objects, and the forms of what answers hold beside them. Whoever asks something
about kinds asks here, and keeps no list of its own.
"""

from __future__ import annotations

from .._schema.kind import Kind
from .._values.answer_forms import (
    NUMBER,
    SWITCH,
    TEXT,
    TEXTS,
    DictionaryOf,
    ListOf,
    Loose,
    declare_numbers,
)
from .tables import CLIENT, DOMAIN, IN_ORDER, ZONE

# By their plurals, in the order of dependency.
KINDS: dict[str, Kind] = {kind.plural: kind for kind in IN_ORDER}
DNS = ZONE.plural

# Those whose objects are made and deleted one by one, each with an id of its own.
TABLES = {plural: kind for plural, kind in KINDS.items() if not kind.part_of}
BY_PATH = {kind.path: kind for kind in TABLES.values()}
# These kinds go with a client, whose resources have their names
# (docs/panel_api.md#resources-of-a-client).
OWNED = tuple(plural for plural, kind in TABLES.items() if kind.owner)
# What is in a domain by its name.
IN_DOMAINS = tuple(
    plural for plural, kind in TABLES.items() if kind.name_field in kind.rules.addresses
)
# Objects of these kinds take others with them (docs/panel_api.md#contents-of-a-client for clients).
CASCADING = (CLIENT.plural, DOMAIN.plural)
# What others use without being part of it.
_REFERENCES = [(kind, reference) for kind in TABLES.values() for reference in kind.references]
USED_BY_OTHERS = frozenset(
    BY_PATH[reference.kind_path].plural
    for kind, reference in _REFERENCES
    if reference.kind_path not in (CLIENT.path, kind.path)
)

# The numbers have the meaning of docs/panel_api.md#status.
OKAY = 1
ERROR = 2
STATUS_WORDS = {0: "unknown", OKAY: "okay", ERROR: "error", 3: "config_new", 4: "config_update"}

# The statistics (docs/panel_api.md#statistics-of-a-client) have fields that run full, and fields
# that are counted: to use all that was paid for is normal there.
CONSUMED = ("disk_space", "traffic", "files")
COUNTED = (
    *("domains", "subdomains", "email_accounts", "email_addresses", "email_forwardings"),
    *("databases", "ftp_users", "scheduled_tasks"),
)
# The forms of what a client has and uses, by the last part of the path; a field that is unknown
# here stays as it is. The protocols are those of docs/panel_api.md#traffic-of-a-client.
PROTOCOLS = ("http", "smtp", "pop3", "imap", "ftp")
_USE = DictionaryOf(declare_numbers("value", "max"))
_DIRECTIONS = DictionaryOf(declare_numbers("in", "out"))
DETAILS: dict[str, DictionaryOf] = {
    "resources": DictionaryOf({plural: ListOf(TABLES[plural].answer_form) for plural in OWNED}),
    "stats": DictionaryOf(dict.fromkeys((*CONSUMED, *COUNTED), _USE), default=Loose(_USE)),
    "traffic": DictionaryOf(dict.fromkeys(PROTOCOLS, _DIRECTIONS), default=Loose(_DIRECTIONS)),
}
_LOOSE_NUMBER = Loose(NUMBER)
# These fields are known from docs/panel_api.md#fields-of-the-server.
SERVER_FIELDS = DictionaryOf({
    "meta": DictionaryOf({
        "hostname": TEXT,
        "panel_version": TEXT,
        "panel_build": _LOOSE_NUMBER,
        "ip_addresses": TEXTS,
        "uptime": DictionaryOf(declare_numbers("days", "hours", "minutes", "seconds")),
    }),
    "operating_system": DictionaryOf({
        "label": TEXT,
        "updates": DictionaryOf({"reboot_required": SWITCH}),
    }),
    "utilization": DictionaryOf({"load": Loose(DictionaryOf({}, default=_LOOSE_NUMBER))}),
    "resources": DictionaryOf(
        declare_numbers("traffic", "consumed_disk_space"), default=_LOOSE_NUMBER
    ),
    "ports": Loose(ListOf(DictionaryOf({"port": NUMBER, "is_online": SWITCH}))),
})  # fmt: skip
