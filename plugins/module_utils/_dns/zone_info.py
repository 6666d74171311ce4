# SPDX-License-Identifier: GPL-3.0-or-later
"""The operation of panel_dns_info."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import name_subject_in_errors
from .._http.panel_session import PanelSession
from .._kinds.tables import DOMAIN, ZONE, classify_domain
from .._operation.masked_fields import report_masked_fields
from .._operation.operation import Operation, Outcome, Task
from .._secrets.redaction import remove_secrets
from .._sources.checked_answers import read_objects
from .._values.names import DomainName
from .desired_zone import read_desired_zone
from .panel_zones import PUBLIC, find_domain, find_zone_of_domain


def build_dns_info_operation() -> Operation:
    """Describe the operation of the module."""
    options = {"domain": DomainName().describe_argument(), "id": {"type": "int"}}
    return Operation(options=options, run=_run)


def _run(params: Mapping[str, Any], task: Task) -> Outcome:
    zones = []
    for domain in _list_domains(params, task.session):
        zone = find_zone_of_domain(task.session, domain)
        if zone is not None:
            names = {"domain": domain.get("domain"), "id": domain.get("id")}
            zones.append(remove_secrets({**names, **zone}, PUBLIC))
    report_masked_fields(task, ZONE.plural, "domain", zones)
    return Outcome(changed=False, result={ZONE.plural: zones})


def _list_domains(params: Mapping[str, Any], session: PanelSession) -> list[dict[str, Any]]:
    """Return the domain that the task names, else all main domains."""
    if params.get("domain") is not None or params.get("id") is not None:
        desired = read_desired_zone(params)
        with name_subject_in_errors(desired.subject):
            domain = find_domain(session, desired)
        return [] if domain is None else [domain]
    # No filter is used, since the values of filters are unknown
    # (docs/panel_api.md#domain-filters).
    with name_subject_in_errors(DOMAIN.titles):
        domains = read_objects(session.get(DOMAIN.path), DOMAIN.path, DOMAIN)
    return [domain for domain in domains if classify_domain(domain) == "main_domains"]
