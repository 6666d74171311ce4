"""What an import leaves out where no Vault password of the run encrypts it."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapped_source import (
    MappedSource,
    Secret,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.writing.unencrypted import (
    leave_out_secrets,
)

CERTIFICATE = {
    "name": "anna.example",
    "client": "anna",
    "components": {"certificate": "PEM", "private_key": Secret("KEY")},
}
DOMAIN = {
    "domain": "anna.example",
    "client": "anna",
    "security": {"certificate": "anna.example", "is_prefer_https": True},
}
TASK = {"client": "anna", "description": "fetch", "command": Secret("https://u:p@x.example")}
ROW = {"client": "anna", "kind": "certificates", "key": "anna.example", "source": "web_domain:1"}
CARRIED = [
    ROW,
    {**ROW, "kind": "domains"},
    {**ROW, "kind": "scheduled_tasks", "key": "anna:fetch", "source": "cron:1"},
]
MAPPED = MappedSource(
    resources={
        "anna": {"certificates": [CERTIFICATE], "domains": [DOMAIN], "scheduled_tasks": [TASK]}
    },
    carried=CARRIED,
    left_out=[
        {**ROW, "field": "components.ca_certificate", "why": "It cannot be read."},
        {**ROW, "kind": "domains", "field": "lets_encrypt", "why": "No DNS yet."},
    ],
)


def test_an_object_with_a_secret_is_left_out_with_the_reason() -> None:
    result = leave_out_secrets(copy.deepcopy(MAPPED))

    assert list(result.resources["anna"]) == ["domains"]
    assert result.carried == [{**ROW, "kind": "domains"}]
    reasons = {entry["source"]: entry["why"] for entry in result.left_out if "field" not in entry}
    assert reasons == {
        "web_domain:1": (
            "Its private key would be in plain text, since this run has no Vault password."
        ),
        "cron:1": "Its command may have a password, and this run has no Vault password.",
    }
    assert result.counts == {"domains": 1}


def test_a_domain_loses_a_certificate_that_is_left_out_and_nothing_else() -> None:
    (domain,) = leave_out_secrets(copy.deepcopy(MAPPED)).resources["anna"]["domains"]

    assert domain["security"] == {"is_prefer_https": True}


def test_a_field_of_an_object_that_is_left_out_as_a_whole_is_not_named_too() -> None:
    result = leave_out_secrets(copy.deepcopy(MAPPED))

    fields = [entry["field"] for entry in result.left_out if entry.get("field")]
    assert fields == ["lets_encrypt"]


@pytest.mark.parametrize("client", ["anna", None])
def test_a_source_without_secrets_stays_as_it_is(client: str | None) -> None:
    mapped = MappedSource(resources={client: {"domains": [DOMAIN]}})

    assert leave_out_secrets(mapped) is mapped
