# SPDX-License-Identifier: GPL-3.0-or-later
"""What a panel shows of a client, and how that differs from what was expected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from ...module_utils._errors import UnexpectedAnswer
from ...module_utils._kinds.registry import DNS, KINDS, OWNED
from ...module_utils._kinds.tables import classify_domain
from ...module_utils._object.info import TRAFFIC_BY_MONTH
from ...module_utils._operation.handover import ON_MASKED_FIELDS, REPORTS, Handover
from ...module_utils._operation.operation import MaskedField
from ...module_utils._problems import Written
from ...module_utils._schema.fields import OWNER
from ...module_utils._sources.checked_answers import require_ids
from .._report.months import list_months_until
from .._run.job import Job
from .archive_directory import ArchiveError, Documents

# Of traffic.
_MONTHS = 12
# Names of objects by kind and id.
Names = dict[tuple[str, Any], Any]


class PanelReader:
    """Reads the panel of a job by info modules.

    Attributes:
        masked_fields: The fields of what was read in which a mask stands for a secret of the task.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self.masked_fields: list[MaskedField] = []

    def read(
        self, module: str, field: str, options: Mapping[str, Any], months: Sequence[str] = ()
    ) -> Any:
        """Return a field of what an info module returned.

        Args:
            module: The name of the module, without its collection.
            field: The key in its result.
            options: Its options, without those of the connection.
            months: Those of which it reads the traffic too.

        Raises:
            ModuleFailed: The module failed; it has its message.
        """
        handover = Handover(months=months, reports=[ON_MASKED_FIELDS])
        result = self._job.read_result(module, options, handover)
        reports = result.pop(REPORTS, {})
        for masked in reports.get(ON_MASKED_FIELDS, ()):
            self.masked_fields.append(MaskedField(**masked))
        return result[field]

    def read_objects(self, plural: str, **options: Any) -> list[dict[str, Any]]:
        """Return the objects of a kind, or those that the options of its info module name."""
        return list(self.read(f"{KINDS[plural].module}_info", plural, options))


def read_documents(panel: PanelReader, username: str) -> Documents | None:
    """Read everything that the panel shows of a client; None if it has no such client.

    Raises:
        ArchiveError: An object has no id, or was removed while the client was read.
    """
    *earlier, newest = list_months_until(datetime.now(timezone.utc), _MONTHS)
    clients = panel.read_objects(
        "clients", username=username, include=["resources", "stats", "traffic"], month=newest
    )
    if not clients:
        return None

    _index_by_id("clients", clients)
    client = dict(clients[0])
    identifier = client["id"]
    resources = client.pop("resources")
    stats = client.pop("stats")
    traffic = {newest: client.pop("traffic")}
    traffic.update(_read_traffic(panel, identifier, earlier))
    owned = {
        kind: _read_owned(panel, kind, identifier, resources.get(kind) or ()) for kind in OWNED
    }
    return {
        "client": client,
        "resources": resources,
        "stats": stats,
        "traffic": traffic,
        DNS: _read_zones(panel, owned["domains"]),
        **owned,
    }


def _read_traffic(panel: PanelReader, identifier: int, months: Sequence[str]) -> dict[str, Any]:
    """Return the traffic of the client with this id, by month."""
    clients = panel.read("panel_client_info", "clients", {"id": identifier}, months=months)
    if not clients:
        raise _make_removed_error("clients", identifier)
    by_month: dict[str, Any] = clients[0][TRAFFIC_BY_MONTH]
    return by_month


def _read_zones(panel: PanelReader, domains: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    zones: list[dict[str, Any]] = []
    for domain in domains:
        if classify_domain(domain) == "main_domains":
            zones += panel.read("panel_dns_info", DNS, {"id": domain["id"]})
    return zones


def _read_owned(
    panel: PanelReader, plural: str, owner: int, resources: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the client's objects of a kind.

    Args:
        panel: The panel of the task.
        plural: A plural.
        owner: The id of the client.
        resources: As the client's resources have them, since a list may leave out whose an object
            is.
    """
    listed = _index_by_id(plural, panel.read_objects(plural))
    objects: dict[int, dict[str, Any]] = {}
    for identifier, item in _index_by_id(plural, resources).items():
        objects[identifier] = {**item, **listed.get(identifier, {})}
    for identifier, item in listed.items():
        if item.get(OWNER) == owner:
            objects[identifier] = dict(item)

    fields = _list_fields_to_archive(plural)
    for identifier, item in objects.items():
        if not fields <= item.keys():
            item.update(_read_object(panel, plural, identifier))
    return [objects[identifier] for identifier in sorted(objects)]


def _list_fields_to_archive(plural: str) -> set[str]:
    """Return the fields that an object has in an archive, if the panel shows them alone at
    least."""
    table = KINDS[plural]
    names = {field.name for field in (*table.key, *table.fields)}
    return names - table.creation_flags


def _index_by_id(plural: str, items: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """Return the objects by their ids; raises ArchiveError for one without an id, since an archive
    tells objects by it."""
    objects = [dict(item) for item in items]
    try:
        require_ids(objects, KINDS[plural])
    except UnexpectedAnswer as error:
        refusal = ArchiveError()
        refusal.problems = (replace(error.problem, subject="", written=Written.NOTHING),)
        raise refusal from None
    return {item["id"]: item for item in objects}


def _read_object(panel: PanelReader, plural: str, identifier: int) -> dict[str, Any]:
    objects = panel.read_objects(plural, id=identifier)
    if not objects:
        raise _make_removed_error(plural, identifier)
    return objects[0]


def _make_removed_error(plural: str, identifier: int) -> ArchiveError:
    return ArchiveError(
        "it was removed while the client was read.",
        subject=f"{KINDS[plural].title} with id {identifier}",
        advice="Run again.",
    )


# What came and went since the client was looked at.


def list_changes(expected: Mapping[str, Any] | None, documents: Documents | None) -> list[str]:
    """Return what came and went.

    Args:
        expected: The client's deletion in a plan; empty if there was no client, None if anything is
            expected.
        documents: The client now; None if there is none.
    """
    if expected is None:
        return []
    before = _collect_names_in_deletion(expected)
    now = _collect_names_in_documents(documents)
    removed = [
        _describe(kind, number, key, "removed")
        for kind, number, key in _find_missing_names(before, now)
    ]
    added = [
        _describe(kind, number, key, "added")
        for kind, number, key in _find_missing_names(now, before)
    ]
    return removed + added


def _collect_names_in_deletion(deletion: Mapping[str, Any]) -> Names:
    """Return the names in an action of a plan; none for an empty one."""
    names: Names = {}
    if deletion:
        names["clients", deletion.get("id")] = deletion.get("key")
    keys = deletion.get("also_deleted") or {}
    for kind, numbers in (deletion.get("also_deleted_ids") or {}).items():
        for number, key in zip(numbers, keys[kind]):
            names[kind, number] = key

    return names


def _collect_names_in_documents(documents: Documents | None) -> Names:
    if not documents:
        return {}
    names: Names = {
        ("clients", documents["client"]["id"]): KINDS["clients"].format_key(documents["client"])
    }
    for kind in OWNED:
        for item in documents[kind]:
            names[kind, item["id"]] = KINDS[kind].format_key(item)

    return names


def _find_missing_names(names: Names, other_names: Names) -> Iterator[tuple[str, Any, Any]]:
    """Yield kind, id and name of what is not among the others."""
    for (kind, number), key in names.items():
        if (kind, number) not in other_names:
            yield kind, number, key


def _describe(plural: str, number: Any, key: Any, change: str) -> str:
    return f"{KINDS[plural].title} {key} (id {number}) was {change}"
