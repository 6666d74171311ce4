"""Handlers of /dns: the settings of a main domain's zone."""

from __future__ import annotations

from collections.abc import Mapping

from panel_simulator import objects, zones
from panel_simulator.calls import Answer, Call
from panel_simulator.errors import Invalid, NotFound
from panel_simulator.kinds.domains import DOMAINS, has_zone
from panel_simulator.members import presented, with_usual_names
from panel_simulator.panel import Panel
from panel_simulator.resources import find
from panel_simulator.store import CONFIG_UPDATE, Entry
from panel_simulator.values import Flag


def _find_main(panel: Panel, call: Call) -> Entry:
    """The domain whose zone it is: a main domain, unless the panel also answers for subdomains."""
    entry = find(panel, DOMAINS, call)
    if panel.settings.subdomain_zones == "of_parent":
        while (parent := panel.store.get("domains", entry.data["id_parent_domain"])) is not None:
            entry = parent
    if not has_zone(panel, entry.data):
        raise NotFound(f"{entry.data['domain']} is not a main domain.")
    return entry


def get_zone(panel: Panel, call: Call) -> Answer:
    """GET: the records that are active."""
    zone = zones.shown(panel, _find_main(panel, call)) | panel.settings.extra_members.get("dns", {})
    return Answer(value=presented(panel, "dns", zone))


def put_zone(panel: Panel, call: Call) -> Answer:
    """PUT: the complete record set, or ``is_dns_disabled``, and then records are ignored."""
    entry = _find_main(panel, call)
    body = with_usual_names(panel, "dns", call.decoded_body())
    if not isinstance(body, Mapping):
        raise Invalid("The request body must be a JSON object.")
    if "is_dns_disabled" in body:
        flag = body["is_dns_disabled"]
        if panel.settings.scalars == "converted":
            flag = Flag().converted(flag)
        entry.data["is_dns_disabled"] = Flag().check(flag, "is_dns_disabled")
        zones.reset(panel, entry)
    elif "records" not in body:
        raise Invalid("records: this member is required, unless is_dns_disabled is given.")
    else:
        zones.set_custom(panel, entry, *zones.read_records(panel, entry, body["records"]))
    objects.unsettle(panel, DOMAINS, entry, CONFIG_UPDATE)
    return Answer(value={"id": entry.id})


def delete_zone(panel: Panel, call: Call) -> Answer:
    """DELETE: enabled, with the default records."""
    entry = _find_main(panel, call)
    entry.data["is_dns_disabled"] = False
    zones.reset(panel, entry)
    objects.unsettle(panel, DOMAINS, entry, CONFIG_UPDATE)
    return Answer(status=204)
