# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task wants of a zone: the options of panel_dns, checked before anything is sent, and
located in the zone. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Callable, NamedTuple

from .._errors import collect_problems, raise_if_any
from .._kinds.tables import CLIENT_NAME
from .._problems import OptionPath, Problem, describe_option_problem, format_path
from .._values.names import DomainName
from .._values.option_marks import FIELDS, NARROWS, TEXT_ONLY_MARK
from .._values.value_types import Boolean, Choice, Integer, ValueType, parse_option
from .record_options import (
    PATTERN,
    RECORD_FIELDS,
    SOA_FIELDS,
    CheckedRecord,
    RequestedRecord,
    read_record_tolerantly,
    read_soa,
)
from .records import Record, find_cname_conflicts, normalize_record

PROTECTED = ("@ NS", "_acme-challenge* TXT")

# Of the module alone: an item of a bulk run does not wait.
WAIT_OPTIONS: dict[str, dict[str, Any]] = {
    "wait": {"type": "bool", "default": False},
    "wait_timeout": {"type": "int", "default": 300},
    "nameservers": {"type": "list", "elements": "str", "default": [], **TEXT_ONLY_MARK},
}


class DesiredZone(NamedTuple):
    """Describes what a task wants of one zone.

    Attributes:
        state: The option.
        domain: The name of the zone; None where it is named by id and not located yet.
        id: The id of the domain; None where it is named by its name.
        client: The client that has to own the domain; None where that does not matter.
        records: The listed records; None where the option was omitted.
        soa: The listed fields of the SOA record.
        append: The option.
        purge: The option.
        protect: Shell patterns for host and type.
        max_delete_percent: The option.
        is_dns_disabled: The option; None where it was omitted.
        unusual_records: What the options refuse unless the zone has it, by the index of its record.
        unusual_soa: The same by the field of the SOA record.
        cname_conflicts: The same by the host that has a CNAME beside other records.
    """

    state: str = "present"
    domain: str | None = None
    id: int | None = None
    client: str | None = None
    records: Sequence[RequestedRecord] | None = None
    soa: Mapping[str, Any] = {}
    append: bool = False
    purge: bool = False
    protect: Sequence[RequestedRecord] = ()
    max_delete_percent: int = 30
    is_dns_disabled: bool | None = None
    unusual_records: Mapping[int, Sequence[Problem]] = {}
    unusual_soa: Mapping[str, Sequence[Problem]] = {}
    cname_conflicts: Mapping[str, Problem] = {}

    def list_unusual_problems(self) -> list[Problem]:
        """Return what is wrong with a zone that has nothing yet of what the options refuse."""
        problems_of_fields = (*self.unusual_soa.values(), *self.unusual_records.values())
        return [*chain.from_iterable(problems_of_fields), *self.cname_conflicts.values()]

    def format_label(self) -> str:
        """Return how messages name the domain."""
        if self.id is None and self.domain:
            return self.domain
        return f"the domain with id {self.id}"

    @property
    def subject(self) -> str:
        """Return what an error is about."""
        if self.domain:
            return f"zone {self.domain}"
        return f"zone of the domain with id {self.id}"

    @property
    def warnings(self) -> list[str]:
        """Warn of hosts that end in the name of the zone without a dot; it has to be located."""
        hosts = []
        for index, record in enumerate(self.records or ()):
            hosts.append((f"records[{index}].host", record["host"]))
        for index, pattern in enumerate(self.protect):
            hosts.append((f"protect[{index}]", pattern["host"]))

        warnings = []
        for option, host in hosts:
            if f".{host}".endswith(f".{self.domain}"):
                meaning = f"{host} has no dot at its end, so it means {host}.{self.domain}"
                warnings.append(f"{option}: {meaning}. Write the dot if the name is complete.")
        return warnings


_PLAIN_OPTIONS: dict[str, ValueType] = {
    "state": Choice("present", "absent", "default"),
    "domain": DomainName(),
    "id": Integer(1),
    "client": CLIENT_NAME,
    "max_delete_percent": Integer(0, 100),
    "append": Boolean(),
    "purge": Boolean(),
    "is_dns_disabled": Boolean(),
}


def _describe_options() -> dict[str, dict[str, Any]]:
    """Return the options of a zone in Ansible's words.

    records and soa have no suboptions: a zone is read and written back in the API's shape, in which
    a later panel may have more fields.
    """
    defaults = DesiredZone()
    options: dict[str, dict[str, Any]] = {}
    for name, value_type in _PLAIN_OPTIONS.items():
        options[name] = {**value_type.describe_argument(), "default": getattr(defaults, name)}
    options["records"] = {"type": "list", "elements": "dict", FIELDS: RECORD_FIELDS}
    options["soa"] = {"type": "dict", FIELDS: SOA_FIELDS}
    options["protect"] = {
        "type": "list",
        "elements": "str",
        "default": list(PROTECTED),
        NARROWS: "protect nothing",
    }
    return options


DNS_OPTIONS = _describe_options()


# The options


def read_desired_zone(
    params: Mapping[str, Any],
    record_labels: Sequence[str] = (),
    is_strict: bool = False,
) -> DesiredZone:
    """Read the options of a zone.

    Args:
        params: The options as they are written.
        record_labels: What messages call the records, such as the lines of a file; empty for their
            places in the option.
        is_strict: Whether what only a zone that has it already keeps is wrong, too.

    Returns:
        What is desired. Named by domain, it is located already. Named by id,
        ``locate_records`` has to follow once the domain is known.

    Raises:
        OptionError: Names each option and record that is wrong, and the accepted form.
    """
    options = {name: value for name, value in params.items() if value is not None}
    options.setdefault("protect", PROTECTED)
    problems: list[Problem] = []
    values = _read_plain_options(options, problems)
    if "soa" in options:
        with collect_problems(problems):
            soa = read_soa(("soa",), options["soa"])
            values["soa"] = soa.fields
            values["unusual_soa"] = soa.unusual
    values.update(_read_records(options, record_labels, problems))
    values.update(_read_patterns(options, problems))
    # Nothing follows from a state or a switch that is wrong.
    readable = options.keys() & {"domain", "id", "records", "soa", *values}
    problems += _find_combination_problems(
        {name: values.get(name, options[name]) for name in readable}
    )

    desired = DesiredZone(**values)
    with collect_problems(problems):
        if desired.domain:
            desired = locate_records(desired, desired.domain, record_labels)
    if is_strict:
        problems += desired.list_unusual_problems()
    raise_if_any(problems)
    return desired


def _read_plain_options(options: Mapping[str, Any], problems: list[Problem]) -> dict[str, Any]:
    """Return the options that are one value; what is wrong goes to the problems."""
    values = {}
    for name, value_type in _PLAIN_OPTIONS.items():
        if name in options:
            with collect_problems(problems):
                values[name] = parse_option(value_type, name, options[name])
    return values


def _read_records(
    options: Mapping[str, Any],
    record_labels: Sequence[str],
    problems: list[Problem],
) -> dict[str, Any]:
    """Return the fields of a desired zone about records; what is wrong goes to the problems."""
    needs_value = options.get("state") != "absent"

    def read(index: int, record: Any) -> CheckedRecord:
        path = _make_record_path(index, record_labels)
        return read_record_tolerantly(path, record, needs_value)

    checked = _read_list(options, "records", read, problems)
    if checked is None:
        return {}
    unusual = {
        index: record.unusual for index, record in enumerate(checked) if record and record.unusual
    }
    records = [None if record is None else record.fields for record in checked]
    return {"records": records, "unusual_records": unusual}


def _read_patterns(options: Mapping[str, Any], problems: list[Problem]) -> dict[str, Any]:
    """Return the field of a desired zone for protect; what is wrong goes to the problems."""

    def read(index: int, pattern: Any) -> RequestedRecord:
        fields: RequestedRecord = parse_option(PATTERN, ("protect", index), pattern)
        return fields

    patterns = _read_list(options, "protect", read, problems)
    return {} if patterns is None else {"protect": patterns}


def _read_list(
    options: Mapping[str, Any],
    name: str,
    read_entry: Callable[[int, Any], Any],
    problems: list[Problem],
) -> list[Any] | None:
    """Read the entries of an option.

    Args:
        options: All options.
        name: The name of the list.
        read_entry: Reads an entry, given its index; raises OptionError.
        problems: What is wrong is added here.

    Returns:
        The entries; a wrong one is None, so that the others keep their places. None without a list.
    """
    entries = options.get(name)
    if entries is None:
        return None
    if not isinstance(entries, (list, tuple)):
        problems.append(describe_option_problem(name, "must be a list."))
        return None
    values: list[Any] = []
    for index, entry in enumerate(entries):
        value = None
        with collect_problems(problems):
            value = read_entry(index, entry)
        values.append(value)
    return values


def _make_record_path(index: int, record_labels: Sequence[str]) -> OptionPath:
    """Return the path of a record; its label takes the place of it."""
    return (record_labels[index],) if record_labels else ("records", index)


def _find_combination_problems(options: Mapping[str, Any]) -> list[Problem]:
    """Return what is wrong with options that are right by themselves."""
    state = options.get("state", "present")
    managing = [
        name
        for name in ("records", "soa", "append", "purge")
        if options.get(name, False) is not False
    ]
    excluded = _list_excluded(state, managing)
    needing_records = _list_needing_records(state, managing)
    problems = []
    if ("domain" in options) == ("id" in options):
        problems.append(describe_option_problem("domain", "give either domain or id."))
    if "is_dns_disabled" in options:
        conflicting = [*managing] if state == "present" else [*managing, f"state: {state}"]
        if conflicting:
            cause = f"excludes {', '.join(conflicting)}. Use a separate task."
            problems.append(describe_option_problem("is_dns_disabled", cause))
    if excluded:
        problems.append(
            describe_option_problem(excluded[0], f"is not allowed with state: {state}.")
        )
    if len(needing_records) > 1:
        cause = "excludes append: one removes what is not given, the other removes nothing."
        problems.append(describe_option_problem("purge", cause))
    if options.get("soa") == {}:
        cause = "an empty dictionary would change nothing; list the fields to change."
        problems.append(describe_option_problem("soa", cause))
    may_need_records = not excluded and "is_dns_disabled" not in options
    if needing_records and may_need_records and "records" not in managing:
        cause = f"missing; it is needed with {' and '.join(needing_records)}."
        problems.append(describe_option_problem("records", cause))
    return problems


def _list_excluded(state: str, managing: Sequence[str]) -> list[str]:
    """Return the options that a state does not allow."""
    if state == "default":
        return list(managing)
    if state == "absent":
        return [name for name in managing if name != "records"]
    return []


def _list_needing_records(state: str, managing: Sequence[str]) -> list[str]:
    """Return what has no meaning without the option records."""
    if state == "absent":
        return ["state: absent"]
    return [f"{name}: true" for name in managing if name in ("append", "purge")]


# The place in the zone


class _LabelledRecord(NamedTuple):
    """A record and what messages call it: several have the label of one line of a file."""

    path: OptionPath
    record: Record


def locate_records(
    desired: DesiredZone,
    domain: str,
    record_labels: Sequence[str] = (),
) -> DesiredZone:
    """Return what is desired of the zone of a domain.

    Args:
        desired: What the options say.
        domain: The name of the domain.
        record_labels: What messages call the records; empty for their places in the option.

    Raises:
        OptionError: Hosts are outside of the zone.
    """
    records: list[_LabelledRecord] = []
    for index, fields in enumerate(desired.records or ()):
        if fields:
            path = _make_record_path(index, record_labels)
            records.append(_LabelledRecord(path, normalize_record(fields, domain)))
    hosts: list[tuple[OptionPath, str]] = [
        ((*path, "host"), record.host) for path, record in records
    ]
    for index, pattern in enumerate(desired.protect):
        if pattern:
            hosts.append((("protect", index), normalize_record(pattern, domain).host))

    # In the zone, a host is relative to it.
    problems = [
        describe_option_problem(path, f"{host} does not lie in the zone of {domain}.")
        for path, host in hosts
        if host.endswith(".")
    ]
    raise_if_any(problems)
    conflicts = _describe_cname_conflicts(records) if desired.state == "present" else {}
    return desired._replace(domain=domain, cname_conflicts=conflicts)


def _describe_cname_conflicts(records: Sequence[_LabelledRecord]) -> dict[str, Problem]:
    """Return by host what is wrong with a CNAME beside other records."""
    conflicts = find_cname_conflicts(record for _path, record in records)
    records_by_host: dict[str, list[_LabelledRecord]] = {}
    for labelled in records:
        records_by_host.setdefault(labelled.record.host, []).append(labelled)

    problems: dict[str, Problem] = {}
    for labelled in records:
        host = labelled.record.host
        if labelled.record.type != "CNAME" or host not in conflicts:
            continue
        neighbours = [record for record in records_by_host[host] if record is not labelled]
        neighbour = "the SOA and NS records of the domain itself"
        if neighbours:
            neighbour = f"{format_path(neighbours[0].path)} ({neighbours[0].record.type})"
        cause = f"a CNAME allows no other record on its host, and {host} also has {neighbour}."
        problems[host] = describe_option_problem(labelled.path, cause)
    return problems
