"""Every row of the interface document, and what the simulator says about itself."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from panel_simulator.routes import ROUTES
from tests.support.simulator import Simulator

NAMED = ("admins", "clients", "hosting-plans", "domains", "certificates", "emails")
DOCUMENTED = {
    ("GET", "/server"),
    ("POST", "/server/reboot"),
    ("GET", "/ping"),
    ("GET", "/login/{id}"),
    ("GET", "/login/name/{name}"),
    ("GET", "/databases"),
    *((method, f"/{kind}") for kind in NAMED for method in ("GET", "POST")),
    *(
        (method, f"/{kind}/{form}")
        for kind in (*NAMED, "dns")
        for form in ("{id}", "name/{name}")
        for method in ("GET", "PUT", "DELETE")
    ),
    *(
        ("GET", f"/clients/{form}/{report}")
        for form in ("{id}", "name/{name}")
        for report in ("resources", "stats", "traffic")
    ),
}
INFERRED = {
    ("POST", "/databases"),
    *((method, "/databases/{id}") for method in ("GET", "PUT", "DELETE")),
    *(
        (method, path)
        for kind in ("ftp-users", "directory-protections", "scheduled-tasks")
        for methods, path in ((("GET", "POST"), f"/{kind}"), (("GET", "PUT", "DELETE"), f"/{kind}/{{id}}"))
        for method in methods
    ),
}


def test_the_paths_are_those_of_the_document_and_the_inferred_ones() -> None:
    documented = [(route.method, route.path) for route in ROUTES if route.is_documented]
    inferred = [(route.method, route.path) for route in ROUTES if not route.is_documented]
    assert (set(documented), set(inferred)) == (DOCUMENTED, INFERRED)
    assert len(ROUTES) == len(DOCUMENTED) + len(INFERRED)


def test_every_path_is_served(simulator: Simulator) -> None:
    for method, path in sorted(DOCUMENTED | INFERRED):
        path = path.replace("{id}", "99").replace("{name}", "unknown.example")
        get = 404 if "9" in path or "unknown" in path else 200
        expected = {"GET": get, "POST": 400, "PUT": 404, "DELETE": 404}[method]
        answer = simulator.request(method, path, {} if method in ("POST", "PUT") else None)
        assert answer.status_code == (202 if path == "/server/reboot" else expected), (method, path)
        assert "endpoint" not in answer.text


@pytest.fixture
def document(simulator: Simulator) -> dict[str, Any]:
    return requests.get(f"{simulator.url}/api/openapi.json", timeout=10).json()


def test_the_openapi_document_needs_no_key_and_names_its_server(simulator: Simulator, document: dict[str, Any]) -> None:
    assert (document["openapi"], document["info"]["version"]) == ("3.0.3", "2.15")
    assert document["servers"] == [{"url": simulator.api_url}]
    assert document["components"]["securitySchemes"]["ApiKey"]["name"] == "X-API-Key"


def test_the_openapi_document_has_every_path_once_with_its_parameters(document: dict[str, Any]) -> None:
    operations = {
        (method.upper(), path): operation
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }
    assert set(operations) == DOCUMENTED | INFERRED
    identifiers = [operation["operationId"] for operation in operations.values()]
    assert len(identifiers) == len(set(identifiers))
    for (method, path), operation in operations.items():
        in_path = {item["name"] for item in operation["parameters"] if item["in"] == "path"}
        assert in_path == {name for name in ("id", "name") if f"{{{name}}}" in path}
        assert ("requestBody" in operation) == (method in ("POST", "PUT"))
        assert "401" in operation["responses"]
        assert operation.get("x-inferred", False) == ((method, path) in INFERRED)


def test_objects_have_the_members_that_the_openapi_document_names(
    simulator: Simulator, acme: int, document: dict[str, Any]
) -> None:
    simulator.request("POST", "/emails", {"id_user": acme, "email": "info@acme.example"})
    for kind, schema in (
        ("clients", "client"),
        ("domains", "domain"),
        ("emails", "email_account"),
        ("hosting-plans", "hosting_plan"),
    ):
        properties = document["components"]["schemas"][schema]["properties"]
        shown = {name for name, described in properties.items() if not described.get("writeOnly")} - {"password_hash"}
        assert set(simulator.request("GET", f"/{kind}").json()[-1]) == shown


@pytest.mark.parametrize(
    ("path", "sorts"),
    [
        ("/admins", ["id", "username"]),
        ("/clients", ["id", "username"]),
        ("/hosting-plans", ["id", "name"]),
        ("/domains", ["id", "domain", "domain_utf8"]),
        ("/certificates", ["id", "name"]),
        ("/emails", ["id", "email", "email_utf8"]),
        ("/databases", ["id", "database_name", "database_username"]),
    ],
)
def test_lists_sort_by_the_documented_members_only(simulator: Simulator, path: str, sorts: list[str]) -> None:
    for sort in sorts:
        assert simulator.request("GET", f"{path}?sort={sort}").status_code == 200
    assert simulator.request("GET", f"{path}?sort=password").status_code == 400
    assert simulator.request("GET", f"{path}?order=desc").status_code == 200
    assert simulator.request("GET", f"{path}?order=down").status_code == 400


def test_sort_and_order_decide_the_order_of_a_list(simulator: Simulator) -> None:
    simulator.seed({"clients": [{"username": name} for name in ("beta", "gamma", "alpha")]})

    def usernames(query: str) -> list[str]:
        return [client["username"] for client in simulator.request("GET", f"/clients{query}").json()]

    assert usernames("") == ["beta", "gamma", "alpha"]
    assert usernames("?order=desc") == ["alpha", "gamma", "beta"]
    assert usernames("?sort=username") == ["alpha", "beta", "gamma"]
    assert usernames("?sort=username&order=desc") == ["gamma", "beta", "alpha"]
