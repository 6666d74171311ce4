"""What a failed task says, in Ansible's worker and as a module of its own.

Tests/unit/test_messages.py tries every kind and answer.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.playbook import WAYS, Run, play
from tests.support.simulator import Simulator

FIREWALL = {"kind": "status", "status": 403, "body": "html", "times": 0}
TRUNCATED = {"kind": "truncate", "times": 0}
REFUSED = {
    "kind": "status",
    "status": 400,
    "body": "json",
    "message": "The value is taken.",
    "times": 0,
}
RETRIES = {"retry_time": 0, "timeout": 5}
# By the name of a task: the fault, the module, its options, and what the message begins with and
# has in it.
CASES: dict[str, tuple[Mapping[str, Any], str, dict[str, Any], str, str]] = {
    "a client that is refused": (
        {**REFUSED, "method": "POST", "path": "^/clients$"},
        "panel_client",
        {"username": "globex"},
        "client globex: POST /clients was refused (400): ",
        "Nothing was written. Correct what the panel names",
    ),
    "a mailbox before which a firewall stands": (
        {**FIREWALL, "method": "PUT", "path": "^/emails/"},
        "panel_email",
        {"email": "info@acme.example", "max_size": "3G"},
        "mailbox info@acme.example: PUT /emails/1 was refused (403): text/html",
        "Nothing was written. A web server or proxy before the panel refuses this",
    ),
    "a mailbox whose change was not answered": (
        {**TRUNCATED, "method": "PUT", "path": "^/emails/"},
        "panel_email",
        {"email": "info@acme.example", "max_size": "4G"},
        "mailbox info@acme.example: PUT /emails/1 failed",
        "It may have been written. Run the task again.",
    ),
    "a domain that cannot be deleted": (
        {**FIREWALL, "status": 500, "method": "DELETE", "path": "^/domains/"},
        "panel_domain",
        {"domain": "acme.example", "state": "absent"},
        "domain acme.example: DELETE /domains/1 failed (500)",
        "It may have been deleted. Run the task again.",
    ),
    "a zone that is refused": (
        {**REFUSED, "method": "PUT", "path": "^/dns/"},
        "panel_dns",
        {"domain": "acme.example", "records": [{"host": "new", "type": "A", "value": "192.0.2.9"}]},
        "zone acme.example: PUT /dns/name/acme.example was refused (400): ",
        "Nothing was written. Correct what the panel names",
    ),
    "a mailbox that cannot be read": (
        {**FIREWALL, "method": "GET", "path": "^/emails/"},
        "panel_email_info",
        {"email": "info@acme.example"},
        "mailbox info@acme.example: GET /emails/name/info%40acme.example was refused (403): text/html",
        "A web server or proxy before the panel refuses this",
    ),
    "an object of many": (
        {**TRUNCATED, "method": "PUT", "path": "^/emails/"},
        "panel_resources",
        {"resources": {"emails": [{"email": "info@acme.example", "max_size": "5G"}]}},
        "1 of 1 changes failed, 0 were written, 1 may have been; mailbox info@acme.example: PUT /emails/1 failed",
        "Run the task again.",
    ),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Run]:
    """Run all tasks in each way; before a task its fault is set."""
    runs_by_way = {}
    for way in WAYS:
        with Simulator.start(settings={"status_delay": 0.0}) as simulator:
            domains = [{"domain": "acme.example", "client": "acme"}]
            clients = [{"username": "acme"}]
            simulator.seed(
                {"clients": clients, "domains": domains, "emails": [{"email": "info@acme.example"}]}
            )
            tasks: list[dict[str, Any]] = []
            for name, (fault, module, options, _begin, _message) in CASES.items():
                faults = functools.partial(_call, simulator)
                tasks += [faults("DELETE", None), faults("POST", fault)]
                tasks.append({"name": name, f"hosting.panel.{module}": {**RETRIES, **options}})
            runs_by_way[way] = play(
                tasks, simulator, tmp_path_factory.mktemp(way.replace(" ", "-")), way
            )

    return runs_by_way


def _call(simulator: Simulator, method: str, body: Any) -> dict[str, Any]:
    """Return a task that sets a fault of the simulator, or takes all away."""
    request = {
        "url": f"{simulator.url}/_simulator/faults",
        "method": method,
        "status_code": [200, 201, 204],
    }
    if body is not None:
        request |= {"body": body, "body_format": "json"}
    return {"name": f"Faults: {method}", "ansible.builtin.uri": request}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CASES)
def test_a_message_begins_with_its_object_in_either_way(
    runs: Mapping[str, Run], way: str, name: str
) -> None:
    _fault, _module, _options, begin, message = CASES[name]
    task = runs[way][name]

    assert task.outcome == "failed"
    assert task.msg.startswith(begin), task.msg
    assert message in task.msg
    assert "api_url" not in task.msg
    assert task.msg == runs[WAYS[0]][name].msg
