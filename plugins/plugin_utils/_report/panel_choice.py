# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts panels in order for a new customer, by the disk space that they have and have promised.

Pure. A panel fits only if all of its figures are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...module_utils._errors import OptionError, collect_problems, raise_if_any
from ...module_utils._problems import OptionPath, Problem, cut_name
from ...module_utils._values.near_names import ask_for_like_word
from ...module_utils._values.sizes import ByteSize, format_size
from ...module_utils._values.value_types import Integer, ValueType, parse_option
from .._run.marked_texts import load_marked_json, unmark_texts
from .build_report import FORMAT, VERSION

INPUT = "the input"
_DISK_SIZE = ByteSize(unlimited=False)
_DISK_SPACE = ByteSize(least=0, unlimited=False)
_DEMAND = ByteSize(least=0)
_NUMBER = Integer(0)
_PERCENT = Integer(1)
# In a figure of a panel, a demand or a rule.
_NOT_GIVEN = (None, "")
_UNLIMITED = -1
# By figure of a panel what it has to be.
_FIGURES: dict[str, ValueType] = {
    "disk_size": _DISK_SIZE,
    "disk_used": _DISK_SPACE,
    "disk_promised": _DISK_SPACE,
    "clients": _NUMBER,
}
# By figure where the row of a server has it in a report.
_FIGURES_IN_REPORT = {
    "disk_size": ("disk_space", "capacity"),
    "disk_used": ("disk_space", "used"),
    "disk_promised": ("disk_space", "promised"),
    "clients": ("counts", "clients"),
}
_NO_REPORT = "it is no report; use the JSON file of a report, or a list of panels."


@dataclass(frozen=True)
class PanelFigures:
    """What is known of a panel.

    Attributes:
        name: The panel.
        figures: Bytes and the number of clients, by name; None for what is not known.
        failure: Why it cannot be chosen whatever its figures are; empty if it can.
        unlimited_clients: How many clients are in no figure since they have no limit.
    """

    name: str
    figures: Mapping[str, int | None]
    failure: str = ""
    unlimited_clients: int = 0

    @property
    def unknown(self) -> list[str]:
        """Return the names of the figures that are not known."""
        return [name for name in _FIGURES if self.figures.get(name) is None]

    def compute_promised_share(self, demand: int | None) -> Fraction | None:
        """Return which part of the disk is promised with the demand; None if it is not known."""
        size = self.figures.get("disk_size")
        promised = self.figures.get("disk_promised")
        if size is None or promised is None or demand is None or self.failure:
            return None
        return Fraction(promised + demand, size)


@dataclass(frozen=True)
class Rules:
    """Which panels may be chosen.

    Attributes:
        most_promised_percent: How much of the disk may be promised; None for any part.
        keep_free: Bytes that have to be left free.
        prefer: The panels that come first if they fit.
        only: The panels that may be chosen; None for all.
        never: The panels that must not be chosen.
    """

    most_promised_percent: int | None = None
    keep_free: int = 0
    prefer: frozenset[str] = frozenset()
    only: frozenset[str] | None = None
    never: frozenset[str] = frozenset()


def choose_panels(panels: Any, demand: Any, rules: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the panels in order, the best first, with the reason for each.

    Args:
        panels: The JSON of a report, or a list of panels with their figures.
        demand: Bytes, a plan, or the resources of one.
        rules: The fields of ``Rules``, as they were written.

    Raises:
        OptionError: Something has another form; it names all of it.
    """
    problems: list[Problem] = []
    known_panels: list[PanelFigures] = []
    bytes_needed = None
    read_rules = Rules()
    with collect_problems(problems):
        known_panels = read_panels(panels)
    with collect_problems(problems):
        bytes_needed = read_demand(demand)
    with collect_problems(problems):
        read_rules = _read_rules(rules)
    raise_if_any(problems)

    _require_names(rules, [panel.name for panel in known_panels])
    ordered = sorted(known_panels, key=lambda panel: _rank(panel, bytes_needed, read_rules))
    return [_describe(panel, bytes_needed, read_rules) for panel in ordered]


# What is read.


def read_panels(panels: Any) -> list[PanelFigures]:
    """Return the panels of a report or a list; raises OptionError."""
    if isinstance(panels, str):
        panels = _parse_report(panels)
    else:
        # Another filter may have read the file, and left its marks.
        panels = unmark_texts(panels)
    if isinstance(panels, Mapping):
        read = _read_report(panels)
    elif isinstance(panels, Sequence):
        read = _read_entries(panels)
    else:
        raise OptionError(_NO_REPORT, option=INPUT)

    names = [panel.name for panel in read]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"two panels have the name {name}.", option=INPUT)
    return read


def read_demand(demand: Any) -> int | None:
    """Return the bytes that a customer needs; None for one without a limit. Raises OptionError."""
    path: OptionPath = ("demand",)
    if isinstance(demand, Mapping) and "resources" in demand:
        path = ("demand", "resources")
        demand = demand["resources"]
        if not isinstance(demand, Mapping):
            raise OptionError("it must be a dictionary with disk_space.", option=path)
    if isinstance(demand, Mapping):
        path = (*path, "disk_space")
        demand = demand.get("disk_space")
    if demand in _NOT_GIVEN:
        raise OptionError("missing; name the bytes of disk space.", option=path)

    needed: int = parse_option(_DEMAND, path, demand)
    return None if needed == _UNLIMITED else needed


def _parse_report(text: str) -> Any:
    try:
        report = load_marked_json(text)
    except ValueError:
        report = None
    if not isinstance(report, Mapping):
        raise OptionError(_NO_REPORT, option=INPUT)
    return report


def _read_report(report: Mapping[str, Any]) -> list[PanelFigures]:
    """Return the panels of a report; raises OptionError."""
    servers = report.get("servers")
    is_list = isinstance(servers, Sequence) and not isinstance(servers, str)
    if report.get("format") != FORMAT or not is_list:
        raise OptionError(_NO_REPORT, option=INPUT)
    if report.get("version") != VERSION:
        raise OptionError(
            f"only a report of version {VERSION} can be read.", option=(INPUT, "version")
        )

    unclear_servers = set(_list_servers_with_unknown_limits(report.get("clients") or ()))
    problems: list[Problem] = []
    panels = []
    for index, row in enumerate(servers or ()):
        with collect_problems(problems):
            path = (INPUT, "servers", index)
            panels.append(_read_server(path, row, unclear_servers))
    raise_if_any(problems)
    return panels


def _list_servers_with_unknown_limits(clients: Iterable[Any]) -> Iterator[Any]:
    """Yield the server of each client in a report whose limit of disk space is not known.

    What is promised there is more than the report says.
    """
    for client in clients:
        if not isinstance(client, Mapping):
            raise OptionError("its entries must be dictionaries.", option=(INPUT, "clients"))
        limits = [
            resource.get("max")
            for resource in client.get("resources") or ()
            if resource.get("name") == "disk_space"
        ]
        if not limits or None in limits:
            yield client.get("server")


def _read_server(path: OptionPath, row: Any, unclear_servers: set[Any]) -> PanelFigures:
    """Return a panel of a report.

    Args:
        path: Leads to it.
        row: Its row.
        unclear_servers: The names of those that promise more than the report says.

    Raises:
        OptionError: The row has another form.
    """
    if not isinstance(row, Mapping):
        raise OptionError("it must be a dictionary.", option=path)
    values = {}
    paths: dict[str, OptionPath] = {}
    for figure, (group, field) in _FIGURES_IN_REPORT.items():
        fields = row.get(group) or {}
        if not isinstance(fields, Mapping):
            raise OptionError("it must be a dictionary.", option=(*path, group))
        values[figure] = fields.get(field)
        paths[figure] = (*path, group, field)

    name = _read_name((*path, "server"), row.get("server"))
    if name in unclear_servers:
        values["disk_promised"] = None
    failure = ""
    if row.get("failure"):
        failure = "the panel could not be read"
    unlimited_clients = (row.get("disk_space") or {}).get("unlimited_clients") or 0
    parse_option(_NUMBER, (*path, "disk_space", "unlimited_clients"), unlimited_clients)
    return PanelFigures(name, _read_figures(values, paths), failure, unlimited_clients)


def _read_entries(entries: Sequence[Any]) -> list[PanelFigures]:
    """Return the panels of a list; raises OptionError."""
    problems: list[Problem] = []
    panels = []
    for index, entry in enumerate(entries):
        path: OptionPath = (INPUT, index)
        with collect_problems(problems):
            if not isinstance(entry, Mapping):
                raise OptionError("it must be a dictionary with name and figures.", option=path)
            name = _read_name((*path, "name"), entry.get("name"))
            paths = {figure: (*path, figure) for figure in _FIGURES}
            panels.append(PanelFigures(name, _read_figures(entry, paths)))
    raise_if_any(problems)
    return panels


def _read_name(path: OptionPath, name: Any) -> str:
    if not isinstance(name, str) or not name.strip():
        raise OptionError("it must be the name of a panel.", option=path)
    return name


def _read_figures(
    values: Mapping[str, Any], paths: Mapping[str, OptionPath]
) -> dict[str, int | None]:
    """Return the figures of a panel; raises OptionError.

    Args:
        values: The figures as they were written, by name.
        paths: By name what leads to the figure.
    """
    problems: list[Problem] = []
    figures: dict[str, int | None] = {}
    for name, value_type in _FIGURES.items():
        value = values.get(name)
        if value in _NOT_GIVEN:
            continue
        with collect_problems(problems):
            figures[name] = parse_option(value_type, paths[name], value)
    raise_if_any(problems)
    return figures


def _read_rules(written: Mapping[str, Any]) -> Rules:
    """Return the rules; raises OptionError."""
    most = written.get("most_promised_percent")
    if most is not None:
        most = parse_option(_PERCENT, "most_promised_percent", most)
    keep_free = written.get("keep_free")
    if keep_free in _NOT_GIVEN:
        keep_free = 0
    only = written.get("only")
    return Rules(
        most_promised_percent=most,
        keep_free=parse_option(_DISK_SPACE, "keep_free", keep_free),
        prefer=frozenset(written.get("prefer") or ()),
        only=None if only is None else frozenset(only),
        never=frozenset(written.get("never") or ()),
    )


def _require_names(written: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raise OptionError for a rule about a panel that is not among these."""
    problems: list[Problem] = []
    for option in ("prefer", "only", "never"):
        for name in written.get(option) or ():
            if name in names:
                continue
            hint = ask_for_like_word(name, names)
            with collect_problems(problems):
                displayed = cut_name(name) or "(empty)"
                raise OptionError(f"there is no panel {displayed}{hint}", option=option)
    raise_if_any(problems)


# What is decided.


def _rank(panel: PanelFigures, demand: int | None, rules: Rules) -> tuple[Any, ...]:
    """Return a key that sorts the best panel first, and the refused ones last."""
    fits = not _list_refusals(panel, demand, rules)
    share = panel.compute_promised_share(demand)
    is_preferred = fits and panel.name in rules.prefer
    clients = panel.figures.get("clients")
    return (
        not fits,
        not is_preferred,
        share is None,
        share or 0,
        clients is None,
        clients or 0,
        panel.name,
    )


def _describe(panel: PanelFigures, demand: int | None, rules: Rules) -> dict[str, Any]:
    """Return the entry of a panel in the result."""
    refusals = _list_refusals(panel, demand, rules)
    share = panel.compute_promised_share(demand)
    reasons = refusals or _list_merits(panel, demand or 0, rules)
    return {
        "panel": panel.name,
        "fits": not refusals,
        "why": "; ".join(reasons),
        "promised_percent": None if share is None else round(float(share * 100), 1),
    }


def _list_refusals(panel: PanelFigures, demand: int | None, rules: Rules) -> list[str]:
    """Return why a panel does not fit; nothing if it does."""
    reasons = []
    if panel.name in rules.never:
        reasons.append("never names it")
    if rules.only is not None and panel.name not in rules.only:
        reasons.append("only does not name it")
    if panel.failure:
        return [*reasons, panel.failure]

    if panel.unknown:
        reasons.append(f"not known: {', '.join(panel.unknown)}")
    if demand is None:
        return [*reasons, "the demand has no limit"]
    reasons += _list_shortages(panel, demand, rules)
    return reasons


def _list_shortages(panel: PanelFigures, demand: int, rules: Rules) -> Iterator[str]:
    """Yield which rule about space the panel would break, as far as its figures are known."""
    share = panel.compute_promised_share(demand)
    most = rules.most_promised_percent
    if share is not None and most is not None and share * 100 > most:
        percent = format(float(share * 100), ".1f")
        promised = f"{percent} % of the disk would be promised"
        yield f"{promised}, which is more than most_promised_percent ({most})"

    size = panel.figures.get("disk_size")
    used = panel.figures.get("disk_used")
    if size is None or used is None:
        return
    free = size - used
    needed = demand + rules.keep_free
    if free < needed:
        # Both may be the same number once they are rounded.
        shortage = f"{_format_plain_size(needed - free)} too few"
        free_size = _format_plain_size(free)
        yield f"{free_size} are free, and {_format_plain_size(needed)} have to be: {shortage}"


def _list_merits(panel: PanelFigures, demand: int, rules: Rules) -> Iterator[str]:
    """Yield why a panel that fits is where it is in the order."""
    if panel.name in rules.prefer:
        yield "prefer names it"
    share = panel.compute_promised_share(demand) or Fraction(0)
    yield f"{float(share * 100):.1f} % of the disk would be promised"
    free_bytes = (panel.figures["disk_size"] or 0) - (panel.figures["disk_used"] or 0) - demand
    yield f"{_format_plain_size(free_bytes)} would be left free"
    if panel.unlimited_clients:
        yield f"clients without a limit, which are not counted: {panel.unlimited_clients}"


def _format_plain_size(size: int) -> str:
    return format_size(size).replace("\u00a0", " ")
