"""A playbook or a role that fails says why once, also where a task runs after the failure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.integration.roles.operators import Operator, RoleRun, plays_of

MakeOperator = Callable[[str], Operator]
SEED: dict[str, Any] = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme", "hosting_plan": "Business"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "info@acme.example"}],
}
REFUSED_KEY: dict[str, Any] = {"PANEL_API_KEY": "k.wrong"}
SITE = {"site_client": {"username": "beta", "password": "given-password"}, "site_domains": [{"domain": "no.example"}]}
CUSTOMER = {"client": {"username": "beta", "password": "given-password"}, "domains": [{"domain": "no.example"}]}


class Failure(NamedTuple):
    """words: of what has to be said. files: what is in the operator's folder, by path."""

    words: str
    variables: dict[str, Any] = {}
    files: dict[str, str] = {}
    environment: dict[str, str] = {}


NEW_DOMAIN = {"panel/new.yml": "domains: [{domain: no.example, client: acme}]\n"}
NO_MAILBOX = {"panel/none.yml": "emails: []\n"}
PLAYBOOKS = {
    "apply": Failure("1 of 1 changes failed", {"panel_dir": "panel", "panel_confirm": False}, NEW_DOMAIN),
    "plan": Failure("1 object would be deleted", {"panel_dir": "panel", "panel_purge": ["emails"]}, NO_MAILBOX),
    "drift": Failure(" differs from panel in", {"panel_dir": "panel"}, NO_MAILBOX),
    "onboard": Failure("1 of 2 changes failed", SITE),
    "ping": Failure("was refused (401)", environment=REFUSED_KEY),
    "report": Failure("could not be read", {"report_file": "report.html"}, environment=REFUSED_KEY),
    "verify": Failure("The API key is not accepted", environment=REFUSED_KEY),
}
ROTATE = {"rotate_id": "1", "rotate_kinds": ["emails"], "rotate_credentials_file": "kept.yml"}
ROLES = {
    "sites": Failure("1 of 2 changes failed", {"sites": [CUSTOMER]}),
    "suspend": Failure("Not on this panel: nobody", {"suspend_clients": ["nobody"]}),
    "rotate": Failure("rotate_clients: no nobody here", {**ROTATE, "rotate_clients": ["nobody"]}),
    "simulator": Failure("simulator_api_key is missing"),
}


def fail(operator: Operator, playbook: str | list[Any], failure: Failure) -> RoleRun:
    operator.simulator.settings({"status_delay": 0, "prohibited_domains": ["no.example"]})
    operator.simulator.seed(SEED)
    for path, text in failure.files.items():
        file = operator.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    run = operator.run(playbook, failure.variables, environment=failure.environment)
    assert run.code != 0
    return run


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_a_playbook_that_fails_says_why_once(make_operator: MakeOperator, name: str) -> None:
    failure = PLAYBOOKS[name]
    run = fail(make_operator("once"), f"hosting.panel.{name}", failure)
    assert run.times(failure.words) == 1, run.text


@pytest.mark.parametrize("name", ROLES)
def test_a_role_that_fails_says_why_once(make_operator: MakeOperator, name: str) -> None:
    failure = ROLES[name]
    run = fail(make_operator("once"), plays_of(name), failure)
    assert run.times(failure.words) == 1, run.text
