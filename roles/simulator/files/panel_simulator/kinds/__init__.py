"""All kinds by their plural name."""

from __future__ import annotations

from panel_simulator.kinds.admins import ADMINS
from panel_simulator.kinds.certificates import CERTIFICATES
from panel_simulator.kinds.clients import CLIENTS
from panel_simulator.kinds.databases import DATABASES
from panel_simulator.kinds.directory_protections import DIRECTORY_PROTECTIONS
from panel_simulator.kinds.domains import DOMAINS
from panel_simulator.kinds.emails import EMAILS
from panel_simulator.kinds.ftp_users import FTP_USERS
from panel_simulator.kinds.hosting_plans import HOSTING_PLANS
from panel_simulator.kinds.kind import Kind
from panel_simulator.kinds.scheduled_tasks import SCHEDULED_TASKS

# In the order in which objects can be created without a missing reference.
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        HOSTING_PLANS,
        ADMINS,
        CLIENTS,
        CERTIFICATES,
        DOMAINS,
        EMAILS,
        DATABASES,
        FTP_USERS,
        DIRECTORY_PROTECTIONS,
        SCHEDULED_TASKS,
    )
}
