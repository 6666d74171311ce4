"""Databases, FTP users, directory protections and scheduled tasks: found by id only."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.simulator import Simulator

CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "databases": (
        {"database_name": "acme_shop"},
        {
            "database_name": "acme_shop",
            "database_username": "acme_shop",
            "description": "",
            "size": 0,
            "remote_hosts": [],
        },
    ),
    "ftp-users": (
        {"username": "acme-web"},
        {"status": 1, "username": "acme-web", "description": "", "home_directory": "/www"},
    ),
    "directory-protections": (
        {"path": "/acme.example/intern", "username": "eva"},
        {"status": 1, "path": "/acme.example/intern", "auth_name": "", "username": "eva", "exceptions": []},
    ),
    "scheduled-tasks": (
        {"type": "php", "command": "cron.php", "schedule": {"hour": "*/2"}},
        {
            "status": 1,
            "type": "php",
            "command": "cron.php",
            "description": "",
            "php_interpreter": None,
            "schedule": {"minute": "0", "hour": "*/2", "day_of_month": "*", "month": "*", "day_of_week": "*"},
            "is_enabled": True,
        },
    ),
}


@pytest.mark.parametrize("path", CASES)
def test_an_object_is_created_changed_and_deleted_by_id(simulator: Simulator, acme: int, path: str) -> None:
    simulator.settings({"status_delay": 0})
    body, expected = CASES[path]
    created = simulator.request("POST", f"/{path}", {"id_user": acme, **body})
    assert created.status_code == 201
    assert ("password" in created.json()) == (path != "scheduled-tasks")
    assert simulator.request("GET", f"/{path}").json() == [{"id": 1, "id_user": acme, **expected}]
    assert simulator.request("GET", f"/{path}/1").json() == {"id": 1, "id_user": acme, **expected}
    change = {"exceptions": ["/public"]} if path == "directory-protections" else {"description": "new"}
    assert simulator.request("PUT", f"/{path}/1", change).json() == {"id": 1}
    assert simulator.request("GET", f"/{path}/1").json() == {"id": 1, "id_user": acme, **expected, **change}
    assert simulator.request("DELETE", f"/{path}/1").status_code == 204
    for method in ("GET", "PUT", "DELETE"):
        assert simulator.request(method, f"/{path}/1", {} if method == "PUT" else None).status_code == 404


@pytest.mark.parametrize("path", CASES)
def test_there_is_no_form_by_name(simulator: Simulator, acme: int, path: str) -> None:
    simulator.request("POST", f"/{path}", {"id_user": acme, **CASES[path][0]})
    for name in ("acme_shop", "acme-web", "eva"):
        answer = simulator.request("GET", f"/{path}/name/{name}")
        assert (answer.status_code, answer.json()["message"]) == (404, "The endpoint does not exist.")


@pytest.mark.parametrize(
    ("path", "is_unique"),
    [("databases", True), ("ftp-users", True), ("directory-protections", False), ("scheduled-tasks", False)],
)
def test_names_of_databases_and_ftp_users_are_unique_the_others_are_not(
    simulator: Simulator, acme: int, path: str, is_unique: bool
) -> None:
    body = {"id_user": acme, **CASES[path][0]}
    simulator.request("POST", f"/{path}", body)
    assert simulator.request("POST", f"/{path}", body).status_code == (400 if is_unique else 201)
