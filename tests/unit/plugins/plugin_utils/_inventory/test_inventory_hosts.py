"""From what panels have to hosts.

Names that are safe and stand for one object, variables that a panel cannot abuse, groups.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import (
    ENVIRONMENT,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._inventory.hosts import (
    OF_PLAYBOOKS,
    PanelHost,
    make_hosts,
)
from tools.layout import ROOT

LIMITS = {"resources": {"domains": 5}, "permissions": {"ftp": True}}


def make_reading(
    clients: list[dict[str, Any]] | None = None,
    domains: list[dict[str, Any]] | None = None,
    plans: list[dict[str, Any]] | None = None,
) -> dict[str, list[dict[str, Any]]]:
    """Return what a panel shows."""
    return {"clients": clients or [], "domains": domains or [], "hosting_plans": plans or []}


ACME = {"id": 2, "username": "acme", "is_suspended": False, "status": 1}
DOMAIN = {"id": 7, "domain": "acme.example", "id_user": 2, "id_parent_domain": 0, "status": 1}


def list_domain_hosts(
    *entries: dict[str, Any], kinds: tuple[str, ...] = ("main_domains",), **more: Any
) -> list[PanelHost]:
    """Return the hosts that stand for some domains."""
    return make_hosts(
        {"web1": make_reading([ACME], list(entries), **more)},
        "domains",
        kinds,
        panel_in_names=False,
    )[0]


def list_client_hosts(
    *entries: dict[str, Any], plans: list[dict[str, Any]] | None = None
) -> list[PanelHost]:
    """Return the hosts that stand for some clients."""
    return make_hosts(
        {"web1": make_reading(list(entries), plans=plans)}, "clients", (), panel_in_names=False
    )[0]


@pytest.mark.parametrize("name", ["acme example", "{{ 7 * 7 }}", "../acme", "", None, "a" * 300])
def test_what_cannot_be_a_name_is_left_out_and_said(name: Any) -> None:
    read = make_reading([ACME], [{**DOMAIN, "domain": name}])
    hosts, warnings = make_hosts({"web1": read}, "domains", ("main_domains",), panel_in_names=False)

    assert hosts == []
    assert warnings == [f"panel web1: {name!r} cannot be the name of a host and is left out."]


def test_a_name_in_utf_8_is_in_punycode() -> None:
    assert [host.name for host in list_domain_hosts({**DOMAIN, "domain": "MÜLLER.example"})] == [
        "xn--mller-kva.example"
    ]


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "all", "ungrouped"])
def test_a_name_that_means_something_to_ansible_has_its_panel(name: str) -> None:
    assert [host.name for host in list_client_hosts({**ACME, "username": name})] == [f"{name}@web1"]


@pytest.mark.parametrize(("in_names", "globex"), [(False, "globex"), (True, "globex@web1")])
def test_a_name_that_two_panels_have_stands_for_neither_alone(in_names: bool, globex: str) -> None:
    readings = {
        "web1": make_reading([ACME, {"id": 3, "username": "globex"}]),
        "web2": make_reading([ACME]),
    }
    hosts, _warnings = make_hosts(readings, "clients", (), panel_in_names=in_names)

    assert [host.name for host in hosts] == ["acme@web1", globex, "acme@web2"]


def test_a_panel_cannot_say_how_it_is_to_be_reached() -> None:
    evil = {
        "api_url": "https://evil.example",
        "validate_certs": False,
        "name": "web9",
        "client": "globex",
        "a b": 1,
    }
    (host,) = list_domain_hosts({**DOMAIN, **evil, "ca_path": "/x", "hosting_plan": "x"})

    assert not {
        "panel_api_url",
        "panel_validate_certs",
        "panel_ca_path",
        "panel_name",
        "panel_a b",
    } & set(host.variables)
    assert host.variables["panel_client"] == "acme"
    assert host.variables["panel_hosting_plan"] is None


def test_a_panel_cannot_set_a_variable_that_a_playbook_reads() -> None:
    text = (ROOT / "playbooks" / "vars" / "panel.yml").read_text(encoding="utf-8")
    tables = yaml.safe_load(text)
    names = [*tables["__panel_variables"], *tables["__panel_host_variables"]]
    read = {name.removeprefix("panel_") for name in names if name.startswith("panel_")}

    assert {"after_apply", "confirm"} <= read <= {*OF_PLAYBOOKS, *ENVIRONMENT}

    (host,) = list_domain_hosts({**DOMAIN, **dict.fromkeys(sorted(OF_PLAYBOOKS), "evil")})
    assert "evil" not in host.variables.values()


def test_the_plan_is_known_by_its_id_or_as_the_only_one_whose_limits_the_client_has() -> None:
    plans = [{"id": 4, "name": "Basic", **LIMITS}, {"id": 5, "name": "Business", **LIMITS}]
    (host,) = list_client_hosts({**ACME, "id_hosting_plan": 5}, plans=plans)

    assert host.variables["panel_hosting_plan"] == "Business"
    assert ("plan", "Business") in host.groups

    same = {"resource_limits": LIMITS["resources"], "permissions": LIMITS["permissions"]}
    assert (
        list_client_hosts({**ACME, **same}, plans=plans)[0].variables["panel_hosting_plan"] is None
    )

    plans[1]["resources"] = {"domains": 6}
    assert (
        list_client_hosts({**ACME, **same}, plans=plans)[0].variables["panel_hosting_plan"]
        == "Basic"
    )


@pytest.mark.parametrize(
    ("client", "domain", "groups"),
    [
        pytest.param({}, {}, {("state", "active"), ("status", "okay")}, id="active"),
        pytest.param(
            {"is_suspended": True},
            {"status": 2},
            {("state", "suspended"), ("status", "error")},
            id="suspended",
        ),
        pytest.param(
            {"is_suspended": True},
            {"is_disabled": True, "status": 4},
            {("state", "disabled"), ("state", "suspended"), ("status", "config_update")},
            id="disabled and suspended",
        ),
        pytest.param(
            {}, {"is_disabled": True}, {("state", "disabled"), ("status", "okay")}, id="disabled"
        ),
        pytest.param({}, {"status": None}, {("state", "active")}, id="no status"),
    ],
)
def test_a_domain_is_in_the_groups_of_its_state(
    client: dict[str, Any], domain: dict[str, Any], groups: Any
) -> None:
    read = make_reading([{**ACME, **client}], [{**DOMAIN, **domain}])
    (host,) = make_hosts({"web1": read}, "domains", ("main_domains",), panel_in_names=False)[0]

    assert set(host.groups) == {*groups, ("client", "acme"), ("panel", "web1")}
