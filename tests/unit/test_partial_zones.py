"""An answer that lacks a part of an enabled zone is never taken for a zone without it.

Each part, missing or of an empty or wrong form, for everything that reads a zone: nothing is
written, and no archive says that the zone has no records.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from panel_simulator import handlers
from tests.support import pem
from tests.support.in_memory import InMemory
from tests.support.mixed_panel import make_mixed_objects
from tests.support.odd_values import with_value_at

pytestmark = pytest.mark.long

MISSING: Any = object()


class OddPart(NamedTuple):
    """A part of a zone and what the panel shows in its place; MISSING for an answer without it."""

    path: tuple[str, ...]
    value: Any


PARTS = [("records",), ("records", "soa"), ("records", "other")]
FORMS = {"missing": MISSING, "null": None, "dictionary": {}, "text": "", "number": 7}
CASES = [
    pytest.param(OddPart(path, value), id=f"{'.'.join(path)} {form}")
    for path in PARTS
    for form, value in FORMS.items()
]
RECORD = {"host": "shop", "type": "A", "value": "192.0.2.20"}
READERS = {
    "present": ("panel_dns", {"records": [RECORD]}),
    "purge": ("panel_dns", {"records": [RECORD], "purge": True, "max_delete_percent": 100}),
    "absent": ("panel_dns", {"records": [RECORD], "state": "absent"}),
    "soa": ("panel_dns", {"soa": {"refresh": 7200}}),
    "info": ("panel_dns_info", {}),
    "archive": ("panel_archive", {}),
}


@pytest.fixture
def panel() -> InMemory:
    """Make a panel with a zone of its own records."""
    return InMemory(make_mixed_objects(pem.make_texts(), clients=1))


def show_odd_zones(monkeypatch: pytest.MonkeyPatch, odd_part: OddPart, is_disabled: bool) -> None:
    """Let every zone of a panel in memory show a part in another form."""
    show_zone = handlers.zones.show_zone

    def show_odd_zone(*arguments: Any) -> Any:
        """Return the zone with the odd part."""
        zone = {**show_zone(*arguments), "is_dns_disabled": is_disabled}
        if odd_part.value is not MISSING:
            return with_value_at(zone, odd_part.path, odd_part.value)
        if odd_part.path == ("records",):
            del zone["records"]
            return zone
        records = dict(zone["records"])
        del records[odd_part.path[-1]]
        return {**zone, "records": records}

    monkeypatch.setattr(handlers.zones, "show_zone", show_odd_zone)


def read_zone(panel: InMemory, reader: str, folder: Path) -> dict[str, Any]:
    """Return the result of a task that reads the zones of the only client."""
    module, options = READERS[reader]
    [client] = panel.list_objects("clients")
    if reader == "archive":
        return panel.run(module, username=client["username"], dir=str(folder / "archives"))
    domain = next(item for item in panel.list_objects("domains") if not item["id_parent_domain"])
    return panel.run(module, domain=domain["domain"], **options)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("odd_part", CASES)
def test_an_enabled_zone_without_a_part_is_an_error_before_any_write(
    panel: InMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str, odd_part: OddPart
) -> None:
    show_odd_zones(monkeypatch, odd_part, is_disabled=False)
    result = read_zone(panel, reader, tmp_path)

    assert result.get("failed") is True, result
    assert result["error"]["type"] == "UnexpectedAnswer", result["msg"]
    assert panel.writes == []
    assert list(tmp_path.rglob("*.json")) == []


@pytest.mark.parametrize("value", [MISSING, None], ids=["missing", "null"])
@pytest.mark.parametrize("path", PARTS, ids=".".join)
def test_a_disabled_zone_may_lack_a_part(
    panel: InMemory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    path: tuple[str, ...],
    value: Any,
) -> None:
    show_odd_zones(monkeypatch, OddPart(path, value), is_disabled=True)
    assert not read_zone(panel, "info", tmp_path).get("failed")


@pytest.mark.parametrize("is_disabled", [False, True])
def test_the_reason_for_a_zone_without_records_is_what_the_answer_says(
    panel: InMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_disabled: bool
) -> None:
    show_odd_zones(monkeypatch, OddPart(("records", "other"), []), is_disabled)
    left_out = read_zone(panel, "archive", tmp_path)["left_out"]

    reasons = {reason for path, reason in left_out.items() if path.startswith("zones/")}
    because = ", since DNS is disabled for the domain" if is_disabled else ""
    assert reasons == {f"The zone has no records{because}."}
