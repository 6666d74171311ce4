# SPDX-License-Identifier: GPL-3.0-or-later
"""All kinds by their plural name, and the panel that has them."""

from __future__ import annotations

from panel_simulator.kinds.certificates import CERTIFICATES
from panel_simulator.kinds.domains import DOMAINS
from panel_simulator.kinds.emails import EMAILS
from panel_simulator.kinds.further_kinds import (
    DATABASES,
    DIRECTORY_PROTECTIONS,
    FTP_USERS,
    SCHEDULED_TASKS,
)
from panel_simulator.kinds.hosting_plans import HOSTING_PLANS
from panel_simulator.kinds.users import ADMINS, CLIENTS
from panel_simulator.panel import Panel
from panel_simulator.store import Kind

# In the order in which objects can be created without a missing reference.
_IN_ORDER = (
    *(HOSTING_PLANS, ADMINS, CLIENTS, CERTIFICATES, DOMAINS, EMAILS),
    *(DATABASES, FTP_USERS, DIRECTORY_PROTECTIONS, SCHEDULED_TASKS),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _IN_ORDER}


class InstalledPanel(Panel):
    """A panel with all of its kinds."""

    kinds = KINDS
