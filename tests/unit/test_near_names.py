"""A name that is one mistake away from one that was read anyway is named, whatever refers to it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import ServerFailed
from ansible_collections.hosting.panel.plugins.module_utils._sources.live_source import LiveObjects
from ansible_collections.hosting.panel.plugins.module_utils._values.near_names import (
    SURELY_MEANT,
    ask_for_like_word,
    ask_for_near_names,
    find_like_word,
)
from tests.support.in_memory import InMemory

SEED = {
    "plans": [{"name": "Business"}, {"name": "Busy Plus"}],
    "clients": [{"username": "acme"}, {"username": "beta"}],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "müller.example", "client": "acme"},
    ],
}
RECORDS = [{"host": "shop", "type": "A", "value": "192.0.2.10"}]
LISTS: list[tuple[str, dict[str, Any], str]] = [
    ("clients", {"username": "acme", "hosting_plan": "Busines"}, "Business"),
    ("clients", {"username": "acme", "hosting_plan": "business"}, "Business"),
    ("domains", {"domain": "new.example", "client": "amce"}, "acme"),
    ("domains", {"domain": "x.acme.example", "parent_domain": "acm.example"}, "acme.example"),
    ("domains", {"domain": "x.acme.example", "parent_domain": "müler.example"}, "müller.example"),
    ("emails", {"email": "info@acm.example"}, "acme.example"),
    ("databases", {"database_name": "shop", "client": "acm"}, "acme"),
    ("ftp_users", {"username": "shop", "client": "acm"}, "acme"),
    ("dns", {"domain": "acme.example", "client": "acm", "records": RECORDS}, "acme"),
]


@pytest.mark.parametrize(("kind", "item", "meant"), LISTS)
@pytest.mark.parametrize("check_mode", [False, True])
def test_a_task_about_many_objects_names_what_was_meant(
    kind: str, item: dict[str, Any], meant: str, check_mode: bool
) -> None:
    resources = {"clients": [{"username": "beta"}], kind: [item]}
    result = InMemory(SEED).run("panel_resources", resources=resources, check_mode=check_mode)

    assert result["failed"]
    assert f": did you mean {meant}?" in result["msg"]


def test_a_zone_of_a_task_about_many_objects_names_the_domain_that_was_meant() -> None:
    resources = {
        "domains": [{"domain": "acme.example", "is_disabled": False}],
        "dns": [{"domain": "acm.example", "records": RECORDS}],
    }
    result = InMemory(SEED).run("panel_resources", resources=resources)

    assert ": did you mean acme.example?" in result["msg"]


@pytest.mark.parametrize("kind", ["dns", "emails"])
def test_a_misspelt_domain_that_the_same_task_creates_is_named(kind: str) -> None:
    item = {"dns": {"domain": "brich.example"}, "emails": {"email": "info@brich.example"}}[kind]
    resources = {"domains": [{"domain": "birch.example", "client": "acme"}], kind: [item]}
    result = InMemory(SEED).run("panel_resources", resources=resources)

    assert ": did you mean birch.example?" in result["msg"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_a_task_about_one_object_names_what_was_meant_where_it_has_read_a_list(
    check_mode: bool,
) -> None:
    panel = InMemory(SEED)
    result = panel.run(
        "panel_client", username="acme", hosting_plan="Busy Plu", check_mode=check_mode
    )

    sentences = result["warnings"] if check_mode else [result["msg"]]
    assert "id you mean Busy Plus?" in sentences[0]
    assert [request["path"] for request in panel.log] == ["/clients/name/acme", "/hosting-plans"]


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(("written", "meant"), [("Busines", "Business"), ("Gold", None)])
def test_a_task_about_one_client_reads_the_hosting_plans_to_name_the_one_that_was_meant(
    written: str, meant: str | None, check_mode: bool
) -> None:
    panel = InMemory(SEED)
    result = panel.run("panel_client", username="acme", hosting_plan=written, check_mode=check_mode)

    sentences = result["warnings"] if check_mode else [result["msg"]]
    assert f"there is no hosting plan {written} on this panel." in sentences[0]
    assert (f"id you mean {meant}?" in sentences[0]) is (meant is not None)
    assert ("id you mean" in sentences[0]) is (meant is not None)
    assert [request["path"] for request in panel.log][-1] == "/hosting-plans"


def test_a_list_of_hosting_plans_that_cannot_be_read_is_no_failure_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_arguments: Any) -> None:
        raise ServerFailed("the panel failed.")

    monkeypatch.setattr(LiveObjects, "fetch_all", fail)
    result = InMemory(SEED).run("panel_client", username="acme", hosting_plan="Busines")

    assert result["msg"] == (
        "hosting_plan: there is no hosting plan Busines on this panel. "
        "Create it first, or correct the name. Nothing was written."
    )


@pytest.mark.parametrize("module", ["panel_resources_info", "panel_export"])
def test_an_export_of_clients_names_those_that_were_meant(module: str, tmp_path: Any) -> None:
    options = {"dir": str(tmp_path)} if module == "panel_export" else {}
    result = InMemory(SEED).run(module, clients=["acm", "nobody", "bta"], **options)

    assert "there is no client acm, bta, nobody on this panel." in result["msg"]
    assert "or omit clients to read everything: did you mean acme, beta?" in result["msg"]


@pytest.mark.parametrize(
    ("written", "names", "ending"),
    [
        (["Busines"], ["Basic", "Business"], ": did you mean Business?"),
        (["BUSINES"], ["Business"], ": did you mean Business?"),
        (["bsuiness"], ["Business"], ": did you mean Business?"),
        (["Busin"], ["Business"], "."),
        (["xn--mler-0ra.example"], ["xn--mller-kva.example"], ": did you mean müller.example?"),
        (["acm"], [], "."),
        ([], ["acme"], "."),
    ],
)
def test_a_name_is_near_if_it_differs_by_one_mistake_apart_from_case(
    written: list[str], names: list[str], ending: str
) -> None:
    assert ask_for_near_names(written, names) == ending


@pytest.mark.parametrize(
    ("written", "ending"),
    [
        ("usrname", "; did you mean username?"),
        ("name", "; did you mean username?"),
        ("password", "."),
        ("", "."),
    ],
)
def test_a_word_that_is_meant_is_alike(written: str, ending: str) -> None:
    assert ask_for_like_word(written, ["username", "reason"]) == ending


def test_a_column_of_a_table_is_meant_only_if_it_is_surely_misspelled() -> None:
    assert find_like_word("usrname", ["username"], SURELY_MEANT) == "username"
    assert find_like_word("name", ["username"], SURELY_MEANT) is None
