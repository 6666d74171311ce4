# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All kinds of objects. Whoever asks something about kinds asks here, and keeps no list of its own. Private to the collection."""

from __future__ import annotations

from .._schema.kind import Kind
from .client import ADMIN, CLIENT
from .domain import CERTIFICATE, DOMAIN, ZONE
from .email import EMAIL
from .plan import PLAN
from .services import DATABASE, DIRECTORY_PROTECTION, FTP_USER, SCHEDULED_TASK

# By their plurals, in the order of dependency: an object comes after those that it can name.
_IN_ORDER = (
    PLAN,
    ADMIN,
    CLIENT,
    CERTIFICATE,
    DOMAIN,
    ZONE,
    EMAIL,
    DATABASE,
    FTP_USER,
    DIRECTORY_PROTECTION,
    SCHEDULED_TASK,
)
KINDS: dict[str, Kind] = {kind.plural: kind for kind in _IN_ORDER}
DNS = ZONE.plural

# Those whose objects are made and deleted one by one, each with an id of its own.
TABLES = {plural: kind for plural, kind in KINDS.items() if not kind.part_of}
BY_PATH = {kind.path: kind for kind in TABLES.values()}
# What goes with a client; GET /clients/{id}/resources has it under these names (facts.md section 4.4).
OWNED = tuple(plural for plural, kind in TABLES.items() if kind.owner)
# What is in a domain: its subdomains, and what goes with its name.
IN_DOMAINS = tuple(plural for plural, kind in TABLES.items() if kind.domain_of)
# What goes with an object, by its kind, in words.
CONTENTS = {
    CLIENT.plural: [f"{TABLES[plural].titles}" for plural in OWNED],
    DOMAIN.plural: ["subdomains", *(f"{TABLES[plural].titles}" for plural in IN_DOMAINS)],
}
# Whose passwords the role rotate changes: clients, and what they have under a name of its own.
ROTATED = tuple(
    plural for plural, kind in TABLES.items() if kind.password and (kind is CLIENT or kind.owner) and len(kind.key) == 1
)
# What others use without being part of it.
USED_BY_OTHERS = frozenset(
    BY_PATH[row.collection].plural
    for kind in TABLES.values()
    for row in kind.references
    if row.collection not in (CLIENT.path, kind.path)
)
