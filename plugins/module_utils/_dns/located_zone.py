# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the zone of a task or an item on the panel."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from .._errors import Conflict, UnknownReference, name_subject_in_errors
from .._http.failures import make_unexpected_answer
from .._http.panel_session import PanelSession
from .._kinds.tables import CLIENT, DOMAIN
from .._problems import ProblemForm, Written
from .._schema.fields import OWNER
from .._sources.object_source import ObjectSource
from .._values.near_names import ask_for_near_names
from .desired_zone import DesiredZone, locate_records
from .panel_zones import build_path, find_domain, find_zone
from .records import Zone
from .zone_change import NEW_ZONE

_SWITCHES = ("is_custom_dns", "is_dns_disabled")


class ZoneState(enum.Enum):
    """Tells what the panel has of a zone."""

    FOUND = "found"
    # Its domain is still to be created.
    PLANNED = "planned"
    # Its domain does not exist, and records are to be removed from it.
    GONE = "gone"


class LocatedZone(NamedTuple):
    """Holds a zone as it is, and what is desired of it.

    Attributes:
        desired: What the task wants, with the name of the domain.
        state: What the panel has of the zone.
        zone: The zone as the panel shows it; without records where it has none.
    """

    desired: DesiredZone
    state: ZoneState
    zone: Zone

    @property
    def known_zone(self) -> Zone | None:
        """Return the zone; None where its domain is still to be created."""
        return None if self.state is ZoneState.PLANNED else self.zone


def locate_zone(
    source: ObjectSource[Any],
    desired: DesiredZone,
    new_domains: Collection[str] = (),
    new_clients: Collection[str] = (),
    assume_domain: Callable[[str], None] | None = None,
) -> LocatedZone:
    """Find the zone of a task or an item.

    Args:
        source: The panel.
        desired: What the options say.
        new_domains: The domains that the same task creates.
        new_clients: The clients that the same task creates.
        assume_domain: Gets a warning that there is no such domain, where an earlier task may create
            it; without it, that is an error.

    Raises:
        UnknownReference: There is no such main domain or client.
        Conflict: The domain belongs to another client.
    """
    with name_subject_in_errors(desired.subject, Written.NOTHING):
        return _locate_zone(source, desired, new_domains, new_clients, assume_domain)


def _locate_zone(
    source: ObjectSource[Any],
    desired: DesiredZone,
    new_domains: Collection[str],
    new_clients: Collection[str],
    assume_domain: Callable[[str], None] | None,
) -> LocatedZone:
    domains = source.get_objects(DOMAIN)
    further_paths = [] if desired.client is None else [(OWNER,)]
    domain = domains.find_by_id(desired.id, further_paths)
    if domain is not None:
        if not isinstance(domain.get("domain"), str):
            path = build_path(DOMAIN, desired)
            raise make_unexpected_answer(path, "does not say which domain that is.")
        desired = locate_records(desired, domain["domain"])
    if desired.domain in new_domains:
        return LocatedZone(desired, ZoneState.PLANNED, NEW_ZONE)

    if desired.domain is not None:
        zone = _read_zone(source.session, desired)
        if zone is not None:
            if desired.client is not None:
                key = {"domain": desired.domain}
                domain = domain or domains.find_by_key(key, further_paths) or {}
                is_new_client = desired.client in new_clients
                _check_owner(source, desired, desired.client, domain.get(OWNER), is_new_client)
            return LocatedZone(desired, ZoneState.FOUND, zone)
        domain = domain or find_domain(source.session, desired)
    names = [*domains.list_names_read(), *new_domains]
    return _locate_missing_zone(desired, domain, names, assume_domain)


def _locate_missing_zone(
    desired: DesiredZone,
    domain: Mapping[str, Any] | None,
    names: Collection[str],
    assume_domain: Callable[[str], None] | None,
) -> LocatedZone:
    """Decide what it means that the panel has no such zone.

    Args:
        desired: What the task wants.
        domain: The domain, if there is one.
        names: The names of domains that were read anyway, or that the same task creates.
        assume_domain: As that of ``locate_zone``.
    """
    if domain is None and desired.state == "absent":
        return LocatedZone(desired, ZoneState.GONE, NEW_ZONE)
    ending = ask_for_near_names([desired.domain] if desired.domain else [], names)
    reason = f"there is no such domain. Create it first, or correct the task{ending}"
    if domain is not None:
        # The zone of a subdomain is not found (docs/panel_api.md#zones-of-subdomains).
        reason = "a subdomain has no zone. Manage the records in the zone of the main domain that it belongs to."
    option = "domain" if desired.id is None else "id"
    cause = f"{desired.format_label()} is not a main domain of this panel: {reason}"
    may_be_created = domain is None and desired.id is None
    if may_be_created and assume_domain is not None:
        assumption = (
            "Check mode assumes that an earlier task creates it; if not, the real run fails here."
        )
        assume_domain(f"{option}: {cause} {assumption}")
        return LocatedZone(desired, ZoneState.PLANNED, NEW_ZONE)
    raise UnknownReference(cause, option=option, written=Written.NOTHING)


def _check_owner(
    source: ObjectSource[Any],
    desired: DesiredZone,
    username: str,
    owner_id: int | None,
    is_new_client: bool,
) -> None:
    """Refuse a domain that does not belong to the client that the task names.

    Args:
        source: The panel.
        desired: What the task wants.
        username: That of the client that the task names.
        owner_id: The id of the domain's owner; None where the panel does not show it.
        is_new_client: Whether the same task creates the client.
    """
    username_field = CLIENT.key[-1]
    owner = source.find(CLIENT.path, None, owner_id) or {}
    if owner_id is not None and username_field.equals(username, owner.get(username_field.name)):
        return
    if not is_new_client and source.find(CLIENT.path, username) is None:
        names = source.get_objects(CLIENT).list_names_read()
        error = UnknownReference(
            f"there is no client {username} on this panel.",
            option="client",
            written=Written.NOTHING,
            advice=f"Correct the name{ask_for_near_names([username], names)}",
            form=ProblemForm.MISMATCH,
        )
        error.missing = (CLIENT.plural, username)
        raise error
    if owner_id is None:
        return
    owner_name = source.describe_owner(owner_id)
    raise Conflict(
        f"the domain {desired.format_label()} belongs to {owner_name}, "
        f"the task says the client {username}.",
        option="client",
        written=Written.NOTHING,
        advice="Correct the task.",
        form=ProblemForm.MISMATCH,
    )


def _read_zone(session: PanelSession, desired: DesiredZone) -> Zone | None:
    """Return the zone.

    Switches that it does not show are those of its domain, where they may decide something.
    """
    zone = find_zone(session, desired)
    if zone is None:
        return None
    hidden = [name for name in _SWITCHES if zone.get(name) is None]
    are_needed = desired.records is None or not zone["records"]["other"]
    if hidden and are_needed:
        domain = find_domain(session, desired) or {}
        zone.update({name: domain[name] for name in hidden if name in domain})
    return zone


def read_zone_again(session: PanelSession, desired: DesiredZone) -> LocatedZone:
    """Return the zone as it is now.

    Raises:
        Conflict: It does not exist any more.
    """
    zone = _read_zone(session, desired)
    if zone is not None:
        return LocatedZone(desired, ZoneState.FOUND, zone)
    if desired.state == "absent" and find_domain(session, desired) is None:
        return LocatedZone(desired, ZoneState.GONE, NEW_ZONE)
    raise Conflict("it is not there any more.", subject=desired.subject, written=Written.NOTHING)
