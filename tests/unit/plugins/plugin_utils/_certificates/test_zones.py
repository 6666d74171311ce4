# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a certificate from being proven is told of that certificate alone, and each zone and name server is looked at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates import zones as module
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.name_servers import (
    NameServer,
    UnknownNameServer,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.plan import Panel
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.wanted import Wanted
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.zones import Zones
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.run_modules import ModuleFailed

PANEL = Panel(
    [
        {"id": number, "domain": f"{name}.example", "is_dns_disabled": name == "off"}
        for number, name in enumerate(("right", "dead", "alias", "off", "gone", "broken", "without"))
    ],
    [],
)
SHOWN: dict[str, dict[str, Any]] = {
    f"{name}.example": {"dns": [{"records": {"other": records}}]}
    for name, records in {
        "right": [{"host": "@", "type": "NS", "value": "ns1.provider.example."}],
        "dead": [
            {"host": "@", "type": "NS", "value": name} for name in ("dead.nowhere.example.", "ns1.provider.example.")
        ],
        "alias": [
            {"host": "@", "type": "NS", "value": "ns1.provider.example."},
            {"host": "_acme-challenge.www", "type": "CNAME", "value": "elsewhere.example."},
            {"host": "sub.alias.example.", "type": "NS", "value": "ns1.elsewhere.example."},
        ],
        "without": [],
    }.items()
}
SHOWN["gone.example"] = {"dns": []}
SHOWN["broken.example"] = {"failed": True, "msg": "The panel said no.", "error": {"type": "Refused"}}


class Modules:
    """A panel that shows zones, and counts how often it is asked."""

    def __init__(self, answers: Mapping[str, dict[str, Any]]) -> None:
        self.answers, self.asked = answers, list[str]()

    def run(self, _module: str, options: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.append(options["domain"])
        return self.answers[options["domain"]]

    def checked(self, result: dict[str, Any]) -> dict[str, Any]:
        if result.get("failed"):
            raise ModuleFailed(result)
        return result


@pytest.fixture(autouse=True)
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []

    def name_server(name: str) -> NameServer:
        names.append(name)
        if "nowhere" in name:
            raise UnknownNameServer(f"the name server {name} has no address")
        return NameServer(name, ("192.0.2.53",))

    monkeypatch.setattr(module, "name_server", name_server)
    return names


@pytest.mark.parametrize(
    ("names", "obstacles"),
    [
        (["right.example", "*.right.example"], []),
        (["alias.example"], []),
        (
            ["alias.example", "www.alias.example"],
            [
                (
                    "_acme-challenge.www.alias.example is an alias in the zone alias.example, so its challenge cannot be there; "
                    "remove the alias, or prove the name elsewhere."
                )
            ],
        ),
        (["notsub.alias.example"], []),
        *(
            (
                [f"{name}.alias.example"],
                [
                    (
                        f"_acme-challenge.{name.removeprefix('*.')}.alias.example lies in sub.alias.example, which the zone alias.example "
                        "leaves to other name servers, so its challenge cannot be there; prove the name where those have it."
                    )
                ],
            )
            for name in ("sub", "*.sub", "deep.www.sub")
        ),
        (
            ["dead.example", "right.example"],
            [
                "nameservers: the name server dead.nowhere.example has no address. Name those of dead.example that can be asked."
            ],
        ),
        (
            ["right.example", "off.example"],
            ["domains: DNS of off.example is disabled on this panel, so off.example cannot be proven by DNS here."],
        ),
        (["gone.example"], ["The panel does not show the zone gone.example."]),
        (["broken.example"], ["The zone broken.example cannot be read: The panel said no."]),
        (["without.example"], ["nameservers: the zone without.example names none of its own; name them."]),
    ],
)
def test_what_keeps_names_from_being_proven_is_told(names: list[str], obstacles: list[str]) -> None:
    modules: Any = Modules(SHOWN)
    assert list(Zones(modules, PANEL, []).obstacles(Wanted("a", "acme", tuple(names), ()))) == obstacles


WILD = [
    {"host": "@", "type": "NS", "value": "ns1.provider.example."},
    {"host": "*", "type": "A", "value": "192.0.2.10"},
    {"host": "there", "type": "AAAA", "value": "2001:db8::10"},
    {"host": "below.empty", "type": "A", "value": "192.0.2.10"},
    {"host": "*.wild.right.example.", "type": "CNAME", "value": "there"},
]


@pytest.mark.parametrize(
    ("names", "shadowed"),
    [
        (["right.example", "*.right.example"], []),
        (["there.right.example", "*.there.right.example"], []),
        # Names that exist have no wildcard even now.
        (["below.empty.right.example", "empty.right.example", "new.there.right.example"], []),
        (["shop.right.example", "*.shop.right.example"], ["shop.right.example"]),
        (["deep.shop.right.example"], ["deep.shop.right.example", "shop.right.example"]),
        (["shop.wild.right.example"], ["shop.wild.right.example"]),
    ],
)
def test_names_that_a_challenge_would_take_out_of_a_wildcard_are_told(names: list[str], shadowed: list[str]) -> None:
    modules: Any = Modules({"right.example": {"dns": [{"records": {"other": WILD}}]}})
    zones, wanted = Zones(modules, PANEL, []), Wanted("a", "acme", tuple(names), ())
    assert list(zones.obstacles(wanted)) == []
    told = list(zones.out_of_wildcards([wanted]))
    assert [sentence.partition(" has ")[0].partition(" have ")[0] for sentence in told] == (
        [", ".join(shadowed)] if shadowed else []
    )
    if shadowed:
        assert told[0].endswith(
            "by a wildcard of the zone right.example alone, and none while there is a challenge record below. Write the A and AAAA records of each "
            "name itself first."
        )


def test_each_zone_and_each_name_server_is_looked_at_once(looked_up: list[str]) -> None:
    modules: Any = Modules(SHOWN)
    zones = Zones(modules, PANEL, [])
    for names in (("dead.example", "right.example"), ("right.example",), ("dead.example",)):
        list(zones.obstacles(Wanted("a", "acme", names, ())))
    assert modules.asked == ["dead.example", "right.example"]
    assert looked_up == ["dead.nowhere.example", "ns1.provider.example"]
    assert [server.name for server in zones.servers["right.example"]] == ["ns1.provider.example"]


def test_a_panel_that_cannot_be_asked_at_all_ends_the_run() -> None:
    modules: Any = Modules(
        {"right.example": {"failed": True, "msg": "No connection.", "error": {"type": "Unreachable"}}}
    )
    with pytest.raises(ModuleFailed, match="No connection"):
        list(Zones(modules, PANEL, []).obstacles(Wanted("a", "acme", ("right.example",), ())))
