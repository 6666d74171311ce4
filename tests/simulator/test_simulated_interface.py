"""Every path of the API, who may ask and in which representation, and what the simulator says about
itself."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest
import requests
import yaml

from panel_simulator.answering import ROUTES
from tests.support.simulator import Simulator

# By the paths, the methods of each.
_ALL = ("GET", "PUT", "DELETE")
_NAMED = ("admins", "clients", "hosting-plans", "domains", "certificates", "emails")
# How an object is named in a path.
_FORMS = ("{id}", "name/{name}")
_REPORTS = ("clients/*/resources", "clients/*/stats", "clients/*/traffic")
DOCUMENTED = {
    *(("GET", path) for path in ("/server", "/ping", "/databases")),
    ("POST", "/server/reboot"),
    *((method, f"/{kind}") for kind in _NAMED for method in ("GET", "POST")),
    *(("GET", f"/{path.replace('*', form)}") for form in _FORMS for path in ("login/*", *_REPORTS)),
    *(
        (method, f"/{kind}/{form}")
        for method in _ALL
        for kind in (*_NAMED, "dns")
        for form in _FORMS
    ),
}
_INFERRED = ("databases", "ftp-users", "directory-protections", "scheduled-tasks")
INFERRED = {
    *((method, f"/{kind}") for kind in _INFERRED for method in ("GET", "POST")),
    *((method, f"/{kind}/{{id}}") for kind in _INFERRED for method in _ALL),
} - DOCUMENTED


def test_the_paths_are_those_of_the_document_and_the_inferred_ones() -> None:
    documented = [(route.method, route.path) for route in ROUTES if route.is_documented]
    inferred = [(route.method, route.path) for route in ROUTES if not route.is_documented]

    assert (set(documented), set(inferred)) == (DOCUMENTED, INFERRED)
    assert len(ROUTES) == len(DOCUMENTED) + len(INFERRED)


@pytest.mark.parametrize(("method", "route"), sorted(DOCUMENTED | INFERRED))
def test_every_path_is_served(simulator: Simulator, method: str, route: str) -> None:
    path = route.replace("{id}", "99").replace("{name}", "unknown.example")
    get = 404 if "9" in path or "unknown" in path else 200
    expected = {"GET": get, "POST": 400, "PUT": 404, "DELETE": 404}[method]
    if route == "/server/reboot":
        expected = 202

    answer = simulator.request(method, path, {} if method in ("POST", "PUT") else None)

    assert answer.status_code == expected
    assert "endpoint" not in answer.text


@pytest.fixture
def document(simulator: Simulator) -> dict[str, Any]:
    """Return the OpenAPI document that the panel serves."""
    return requests.get(f"{simulator.url}/api/openapi.json", timeout=10).json()


def test_the_openapi_document_needs_no_key_and_has_every_path_once_with_its_parameters(
    simulator: Simulator, document: dict[str, Any]
) -> None:
    assert (document["openapi"], document["info"]["version"]) == ("3.0.3", "2.15")
    assert document["servers"] == [{"url": simulator.api_url}]
    assert document["components"]["securitySchemes"]["ApiKey"]["name"] == "X-API-Key"

    operations = {
        (method.upper(), path): operation
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }

    assert set(operations) == DOCUMENTED | INFERRED
    assert len({operation["operationId"] for operation in operations.values()}) == len(operations)

    for (method, path), operation in operations.items():
        in_path = {item["name"] for item in operation["parameters"] if item["in"] == "path"}
        assert in_path == {name for name in ("id", "name") if f"{{{name}}}" in path}
        assert ("requestBody" in operation) == (method in ("POST", "PUT"))
        assert "default" in operation["responses"]
        assert operation.get("x-inferred", False) == ((method, path) in INFERRED)


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        ("clients", "client"),
        ("domains", "domain"),
        ("emails", "email_account"),
        ("hosting-plans", "hosting_plan"),
    ],
)
def test_objects_have_the_members_that_the_openapi_document_names(
    simulator: Simulator, acme: int, document: dict[str, Any], kind: str, schema: str
) -> None:
    simulator.request("POST", "/emails", {"id_user": acme, "email": "info@acme.example"})
    properties = document["components"]["schemas"][schema]["properties"]
    readable = {name for name, described in properties.items() if not described.get("writeOnly")}
    last = simulator.request("GET", f"/{kind}").json()[-1]

    assert set(last) == readable - {"password_hash"}


def test_a_missing_key_is_401_in_the_words_of_the_panel(simulator: Simulator) -> None:
    answer = requests.get(f"{simulator.api_url}/clients", timeout=10)
    assert answer.status_code == 401
    assert answer.json() == {
        "code": "401 Unauthorized",
        "message": "API key is missing or invalid.",
    }


def test_a_wrong_method_is_told_the_right_ones(simulator: Simulator) -> None:
    assert simulator.request("PATCH", "/clients/1", {}).headers["Allow"] == "GET, PUT, DELETE"
    assert requests.put(f"{simulator.url}/_simulator/log", timeout=10).status_code == 405


@pytest.mark.parametrize(
    ("accept", "status", "form"),
    [
        ("*/*", 200, "application/json"),
        ("text/html, application/json;q=0.5", 200, "application/json"),
        ("application/json; charset=utf-8", 200, "application/json"),
        ("text/html", 406, "application/json"),
        ("image/png", 406, "application/json"),
        ("nonsense", 406, "application/json"),
        ("application/json;q=0", 406, "application/json"),
        ("application/xml", 200, "application/xml"),
        ("application/xml;q=0.1, */*;q=0, application/json;q=0.0, text/*;q=0.5", 200, "text/yaml"),
    ],
)
def test_the_accept_header_chooses_one_of_three_types(
    simulator: Simulator, accept: str, status: int, form: str
) -> None:
    answer = simulator.request("GET", "/admins", headers={"Accept": accept})
    assert (answer.status_code, answer.headers["Content-Type"].split(";")[0]) == (status, form)


def test_yaml_and_xml_have_what_json_has(simulator: Simulator) -> None:
    simulator.seed({"clients": [{"username": "acme", "notes": "a < b\x01 & c"}]})
    forms = ("text/yaml", "application/xml")
    as_yaml, as_xml = (
        simulator.request("GET", "/clients", headers={"Accept": form}) for form in forms
    )

    assert yaml.safe_load(as_yaml.text) == simulator.request("GET", "/clients").json()

    root = ElementTree.fromstring(as_xml.content)
    xml_values = (root.tag, root.findtext("item/notes"), root.findtext("item/is_suspended"))

    assert xml_values == ("response", "a < b & c", "false")


@pytest.mark.parametrize("data", [b"", b"{", b"username=acme", b"\xff\xfe", b"[" * 100_000])
def test_a_body_that_is_no_json_is_400(simulator: Simulator, data: bytes) -> None:
    headers = {"X-API-Key": simulator.api_key}
    answer = requests.post(f"{simulator.api_url}/clients", data=data, headers=headers, timeout=10)

    assert (answer.status_code, answer.json()["code"]) == (400, "400 Bad Request")


def test_read_only_answers_every_write_with_403_and_logs_it() -> None:
    with Simulator.start(arguments=["--read-only"], max_seconds=60) as simulator:
        answer = simulator.request("POST", "/clients", {"username": "acme"})
        assert (answer.status_code, answer.json()["code"]) == (403, "403 Forbidden")
        assert [(entry["method"], entry["status"]) for entry in simulator.list_writes()] == [
            ("POST", 403)
        ]
        assert simulator.request("GET", "/clients").json() == []


def test_a_login_url_opens_a_page_for_clients_only(simulator: Simulator, acme: int) -> None:
    url = simulator.request("GET", f"/login/{acme}?page=domains").json()["url"]
    assert (url.startswith(f"{simulator.url}/login?token="), url.endswith("&page=domains")) == (
        True,
        True,
    )
    assert "Logged in as acme." in requests.get(url, timeout=10).text
    assert requests.get(f"{simulator.url}/login?token=x", timeout=10).status_code == 403
    assert simulator.request("GET", "/login/name/admin").status_code == 404


def test_lists_sort_by_the_documented_members_only() -> None:
    """The words are those of the description of the API, version 2.15."""
    sorts = {
        route.path: list(route.query["sort"])
        for route in ROUTES
        if route.form == "list" and route.is_documented
    }

    assert sorts == {
        "/admins": ["id", "username"],
        "/clients": ["id", "username"],
        "/hosting-plans": ["id", "name"],
        "/domains": ["id", "domain", "domain_utf8"],
        "/certificates": ["id", "name"],
        "/emails": ["id", "email", "email_utf8"],
        "/databases": ["id", "database_name", "database_username"],
    }
