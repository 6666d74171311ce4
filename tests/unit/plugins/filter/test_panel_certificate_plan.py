"""What is to be ordered of an authority, the request for it, and what is signed."""

from __future__ import annotations

import base64
import datetime
import json
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from ansible_collections.hosting.panel.plugins.filter.panel_acme_jws import panel_acme_jws
from ansible_collections.hosting.panel.plugins.filter.panel_certificate_plan import (
    panel_certificate_plan,
)
from ansible_collections.hosting.panel.plugins.filter.panel_certificate_request import (
    panel_certificate_request,
)
from ansible_collections.hosting.panel.plugins.filter.panel_certificate_upload import (
    panel_certificate_upload,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.repeats import LATEST_EFFECT
from ansible_collections.hosting.panel.plugins.plugin_utils._certificate import requirements
from tests.support import pem
from tests.support.pem import encode_key

DIRECTORY = "https://ca.example/dir"
OURS, OTHER = pem.make_texts()["one.certificate"], pem.make_texts()["authority.certificate"]
ITEM: dict[str, Any] = {
    "name": "acme",
    "client": "acme",
    "domains": ["acme.example", "*.acme.example"],
    "assign": ["www.acme.example"],
}
NAMES = ["*.acme.example", "acme.example"]


def make_panel(certificate: str = "", used: bool = True) -> dict[str, Any]:
    """Return what a panel shows of the client, with a certificate where one is given."""
    components = {"certificate": certificate}
    domains = [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "www.acme.example", "client": "acme", "parent_domain": "acme.example"},
        {"domain": "beta.example", "client": "beta"},
    ]
    if used:
        domains[1]["security"] = {"certificate": "acme"}  # type: ignore[assignment]
    certificates = (
        [{"name": "acme", "client": "acme", "components": components}] if certificate else []
    )
    clients = [{"username": "acme"}, {"username": "beta"}]

    return {
        "panel": "p",
        "left_out": [],
        "resources": {"clients": clients, "domains": domains, "certificates": certificates},
    }


def make_kept_order(days: float = 60, **changes: Any) -> dict[str, Any]:
    """Return what is kept of an order whose certificate ends in so many days."""
    end = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=days)
    entry = {
        "names": NAMES,
        "directory": DIRECTORY,
        "key_type": "ec256",
        "not_after": end.isoformat(),
        "private_key": "key",
        "certificate": OURS,
        "chain": "",
        **changes,
    }

    return {"panel": "p", "certificates": {"acme": entry}}


def plan(items: Any = None, **changes: Any) -> dict[str, Any]:
    """Plan the certificate of the client, with some arguments changed."""
    options = {
        "panel": make_panel(OURS),
        "kept": make_kept_order(),
        "directory": DIRECTORY,
        **changes,
    }
    return panel_certificate_plan([ITEM] if items is None else items, **options)


def list_uploads(
    items: Any = None, *, panel: Any, kept: Any, foreign: Any = ()
) -> dict[str, list[dict[str, Any]]]:
    """Return what is uploaded of the certificate of the client."""
    return panel_certificate_upload([ITEM] if items is None else items, panel, kept, foreign)


def test_with_everything_in_its_place_there_is_no_work() -> None:
    result = plan()
    assert result["due"] == {}
    assert result["failed"] == {}
    assert result["is_complete"] is True
    assert result["is_work"] is False
    assert result["result"][0]["assigned"] == ["www.acme.example"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param(
            {"kept": {}, "panel": make_panel()}, "there is none yet", id="no certificate yet"
        ),
        pytest.param(
            {"kept": make_kept_order(names=["acme.example"])},
            "its names change: +*.acme.example",
            id="another name",
        ),
        pytest.param(
            {"key_type": "rsa2048"}, "its key is ec256 and not rsa2048", id="another type of key"
        ),
        pytest.param(
            {"directory": "https://other.example"},
            "it is of https://ca.example/dir",
            id="another directory",
        ),
        pytest.param(
            {"kept": make_kept_order(29.9)}, "it expires on ", id="ends in less than thirty days"
        ),
        pytest.param({"kept": make_kept_order(30.1)}, "", id="ends in more than thirty days"),
    ],
)
def test_a_certificate_is_due_for_a_reason(options: dict[str, Any], reason: str) -> None:
    assert plan(**options)["due"].get("acme", "").startswith(reason)
    assert bool(plan(**options)["due"]) is bool(reason)


@pytest.mark.parametrize(
    ("options", "is_complete"),
    [
        pytest.param({"panel": make_panel()}, False, id="the panel has none"),
        pytest.param({"panel": make_panel(OURS, used=False)}, False, id="no domain uses it"),
        pytest.param(
            {"panel": make_panel(OTHER), "kept": make_kept_order(replaced=[OTHER])},
            False,
            id="the panel has an older one",
        ),
    ],
)
def test_what_the_panel_lacks_is_uploaded_without_an_order(
    options: dict[str, Any], is_complete: bool
) -> None:
    options = {"kept": make_kept_order(), **options}
    result = plan(**options)
    assert result["due"] == {}
    assert result["failed"] == {}
    assert result["is_complete"] == is_complete

    upload = list_uploads(**options)
    assert upload["domains"] == [
        {"domain": "www.acme.example", "security": {"certificate": "acme"}}
    ]
    assert upload["certificates"][0]["components"]["private_key"] == "key"


def test_the_plan_can_be_shown_since_it_holds_no_key() -> None:
    kept = make_kept_order(private_key="a key that nobody may see")

    planned = plan(panel=make_panel(), kept=kept)

    assert planned["is_work"] is True
    assert "a key that nobody may see" not in str(planned)


@pytest.mark.parametrize("state", [{}, make_kept_order()], ids=["nothing kept", "another one kept"])
def test_a_certificate_that_the_role_did_not_upload_is_left_alone(state: dict[str, Any]) -> None:
    result = plan(panel=make_panel(OTHER), kept=state)
    assert (
        'the panel already has a certificate "acme" that this role did not upload.'
        in result["failed"]["acme"]
    )
    assert result["due"] == {}
    assert list_uploads(panel=make_panel(OTHER), kept=state)["certificates"] == []


@pytest.mark.parametrize(
    ("before", "is_foreign"),
    [
        pytest.param(
            {"components": {"certificate": OTHER}}, True, id="certificate of somebody else"
        ),
        pytest.param({"components": {"certificate": OURS}}, False, id="certificate of ours"),
    ],
)
def test_what_appears_between_the_plan_and_the_upload_is_left_out(
    before: dict[str, Any], is_foreign: bool
) -> None:
    action = {"kind": "certificates", "key": "acme", "action": "update"}
    after = {"components": {"certificate": OURS}}

    result = plan(
        panel=make_panel(), run={"actions": [{**action, "before": before, "after": after}]}
    )

    assert ("acme" in result["failed"]) is is_foreign
    upload = list_uploads(panel=make_panel(), kept=make_kept_order(), foreign=result["foreign"])
    assert bool(upload["certificates"]) is not is_foreign

    # It stays left out when the plan is made again without it.
    upload_plan = plan(panel=make_panel(), run={"foreign": result["foreign"], "actions": []})
    assert (upload_plan["foreign"], upload_plan["failed"]) == (result["foreign"], result["failed"])


def test_each_failure_is_told_by_the_name_of_its_certificate() -> None:
    items = [
        {**ITEM, "assign": []},
        {"name": "beta", "client": "beta", "domains": ["beta.example"]},
    ]
    run: dict[str, Any] = {"due": {"acme": "x", "beta": "x"}, "failed": {}, "orders": []}
    options: dict[str, Any] = {"kept": {}, "panel": make_panel(used=False)}

    unserved = plan(items, run={**run, "zones": {"beta.example": "ns1 lacks it"}}, **options)

    assert unserved["failed"] == {"beta": "ns1 lacks it"}

    stopped = plan(items, run={**run, "failed": {"acme": "limit"}, "stopped": "limit"}, **options)
    assert stopped["failed"] == {"acme": "limit", "beta": "was not ordered after that: limit"}

    outcome = {"kind": "domains", "key": "www.acme.example", "result": "failed", "msg": "no"}
    refused = plan(run={"upload": {"is_complete": False, "msg": "1 failed", "results": [outcome]}})

    assert refused["failed"] == {"acme": "domains www.acme.example: no"}
    assert (
        refused["failure"]
        == "1 of 1 certificates failed: acme: domains www.acme.example: no Run again for the rest."
    )
    assert refused["lines"] == [f"acme: until {refused['result'][0]['not_after'][:10]}; failed"]


def test_an_upload_that_was_refused_as_a_whole_fails_every_certificate_of_it() -> None:
    upload = {"is_complete": False, "msg": "The plan has changed.", "plan": {"actions": []}}
    items = [{**ITEM, "assign": []}, BETA]

    refused = plan(items, run={"upload": upload}, panel=make_panel(used=False))

    assert refused["failed"] == {"acme": "The plan has changed."}
    assert plan(run={"upload": {"is_complete": True, "results": []}})["failed"] == {}


def test_an_upload_keeps_the_earlier_reason_of_a_certificate() -> None:
    upload = {"is_complete": False, "msg": "The plan has changed."}

    refused = plan(run={"failed": {"acme": "the authority is gone"}, "upload": upload})

    assert refused["failed"] == {"acme": "the authority is gone"}


def test_what_would_keep_a_certificate_from_being_ordered_is_no_failure_of_one_that_is() -> None:
    panel = make_panel(OURS)
    panel["resources"]["clients"] = []

    waiting = plan(panel=panel)
    ordered = plan(panel=panel, run={"due": {"acme": "its names change"}})

    assert waiting["failed"] == {"acme": "client: no client acme exists."}
    assert ordered["failed"] == {}


def test_failures_are_in_the_order_of_the_certificates() -> None:
    beta = {"name": "beta", "client": "beta", "domains": ["beta.example"], "assign": []}
    panel = make_panel(OURS)
    panel["resources"]["clients"] = [{"username": "acme"}]

    planned = plan([ITEM, beta], panel=panel, run={"failed": {"acme": "limit"}})

    assert list(planned["failed"]) == ["acme", "beta"]


@pytest.mark.parametrize(
    ("kind", "failed", "assigned"),
    [
        pytest.param("domains", "wild", [], id="the domain"),
        pytest.param("certificates", "www.acme.example", ["www.acme.example"], id="its namesake"),
    ],
)
def test_a_refused_object_fails_its_own_certificate_and_not_one_of_the_same_name(
    kind: str, failed: str, assigned: list[str]
) -> None:
    items = [
        {**ITEM, "name": "www.acme.example", "domains": ["acme.example"], "assign": []},
        {**ITEM, "name": "wild"},
    ]
    refused = {"kind": kind, "key": "www.acme.example", "result": "failed", "msg": "no"}
    kept = {"panel": "p", "certificates": {"wild": make_kept_order()["certificates"]["acme"]}}

    planned = plan(
        items, kept=kept, panel=make_panel(used=False), run={"upload": {"results": [refused]}}
    )

    assert planned["failed"] == {failed: f"{kind} www.acme.example: no"}
    assert planned["result"][1]["assigned"] == assigned


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"client": "nobody"}, "no client nobody exists", id="unknown client"),
        pytest.param({"client": "amce"}, "exists: did you mean acme?", id="mistyped client"),
        pytest.param(
            {"domains": ["acme.example", "acme.exampel"], "assign": []},
            "domains: acme.exampel is in no zone of this panel: did you mean acme.example?",
            id="mistyped domain",
        ),
        pytest.param(
            {"domains": ["gone.example"], "assign": []},
            "domains: gone.example is in no zone of this panel.",
            id="domain of no zone",
        ),
        pytest.param(
            {"domains": ["beta.example"], "assign": []},
            "domains: beta.example belongs to another client than acme.",
            id="domain of another client",
        ),
        pytest.param(
            {"domains": ["beta.example"], "assign": ["beta.example"]},
            "assign: beta.example belongs to another client",
            id="assigned domain of another client",
        ),
        pytest.param(
            {"domains": ["x.gone.example"], "assign": ["x.gone.example"]},
            "assign: no domain x.gone.example exists.",
            id="unknown assigned domain",
        ),
        pytest.param(
            {"domains": ["acme.example"], "assign": []},
            "www.acme.example uses this certificate and would not be covered",
            id="domain in use that is not covered",
        ),
    ],
)
def test_what_keeps_a_certificate_from_being_ordered(changes: dict[str, Any], message: str) -> None:
    result = plan([{**ITEM, **changes}])
    assert message in result["failed"]["acme"]
    assert result["due"] == {}


@pytest.mark.parametrize(
    ("domains", "mistake"),
    [
        (["a b"], "domains: 'a b' is not a domain name such as shop.example.com."),
        ([], "domains is empty. Name at least one domain."),
    ],
)
@pytest.mark.parametrize("assign", [[], ["acme.example"]])
def test_one_cause_in_domains_is_one_mistake(domains: Any, mistake: str, assign: list[str]) -> None:
    item = {**ITEM, "domains": domains, "assign": assign}
    assert panel_certificate_plan([item])["mistakes"] == [f"certificate_items: acme: {mistake}"]


@pytest.mark.parametrize("domains", ["false", False, None, 0, {}])
def test_what_is_no_list_is_left_to_the_types_of_variables(domains: Any) -> None:
    item = {**ITEM, "domains": domains, "assign": ["acme.example"]}
    assert panel_certificate_plan([item])["mistakes"] == []


def test_the_folder_of_another_panel_is_refused() -> None:
    with pytest.raises(AnsibleFilterError, match="those of the panel old, and this panel is p"):
        plan(kept={**make_kept_order(), "panel": "old"})


@pytest.mark.parametrize(
    ("core", "message"),
    [
        ("2.17.14", "needs ansible-core 2.18 or newer"),
        ("2.18.0", "community.crypto 3, and none is installed"),
    ],
)
def test_what_the_controller_lacks_is_named(
    monkeypatch: pytest.MonkeyPatch, core: str, message: str
) -> None:
    monkeypatch.setattr(requirements, "__version__", core)
    assert any(message in problem for problem in panel_certificate_plan([])["missing"])


# What is signed for an authority


KEY = ec.generate_private_key(ec.SECP256R1())


def decode(text: str) -> bytes:
    """Return the bytes of a text in the base64 of JOSE."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_the_signature_is_that_of_the_key() -> None:
    result = panel_acme_jws(
        {"a": 1}, encode_key(KEY).decode(), "https://ca/acct/1", "https://ca/order", "nonce"
    )

    assert json.loads(decode(result["protected"])) == {
        "alg": "ES256",
        "kid": "https://ca/acct/1",
        "nonce": "nonce",
        "url": "https://ca/order",
    }
    assert json.loads(decode(result["payload"])) == {"a": 1}

    raw = decode(result["signature"])
    numbers = (int.from_bytes(half, "big") for half in (raw[:32], raw[32:]))
    text = f"{result['protected']}.{result['payload']}".encode()
    KEY.public_key().verify(utils.encode_dss_signature(*numbers), text, ec.ECDSA(hashes.SHA256()))


@pytest.mark.parametrize(
    "key", ["geheim", encode_key(ec.generate_private_key(ec.SECP384R1())).decode()]
)
def test_another_key_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(
        AnsibleFilterError, match="has to be a private key in PEM, on the curve P-256"
    ) as raised:
        panel_acme_jws({}, key, "", "", "")
    assert key not in str(raised.value)


BETA = {"name": "beta", "client": "beta", "domains": ["beta.example"]}


def make_orders(**hosts: str) -> list[dict[str, Any]]:
    """Return an order by name of its certificate, with one challenge at a host."""
    return [
        {"name": name, "challenges": {f"_acme-challenge.{host}": ["value"]}}
        for name, host in hosts.items()
    ]


@pytest.mark.parametrize(
    "host",
    [
        pytest.param("www.beta.example", id="a name below"),
        pytest.param("example", id="a name above"),
        pytest.param("acme.example", id="a name of another certificate"),
        pytest.param("{{ lookup('pipe', 'id') }}", id="no name"),
        pytest.param("", id="nothing"),
    ],
)
def test_a_challenge_for_a_foreign_name_fails_its_certificate_alone(host: str) -> None:
    planned = plan(
        [{**ITEM, "assign": []}, BETA],
        panel=make_panel(used=False),
        kept={},
        run={
            "due": {"acme": "x", "beta": "x"},
            "orders": make_orders(acme="acme.example", beta=host),
        },
    )

    assert list(planned["challenges"]) == ["acme.example"]
    assert "acme" not in planned["failed"]
    assert f"asks for a record at _acme-challenge.{host}," in planned["failed"]["beta"]


@pytest.mark.parametrize("host", ["BETA.example", "beta.example.", "Beta.Example."])
def test_an_authority_may_write_a_name_in_other_letters(host: str) -> None:
    planned = plan(
        [BETA],
        panel=make_panel(used=False),
        kept={},
        run={"due": {"beta": "x"}, "orders": make_orders(beta=host)},
    )

    assert planned["failed"] == {}
    record = {"host": "_acme-challenge.beta.example.", "type": "TXT", "ttl": 60, "value": "value"}
    assert planned["challenges"] == {"beta.example": [record]}


PAIRS = pem.make_texts()


@pytest.mark.parametrize(
    ("certificate", "key", "domains", "message"),
    [
        pytest.param("one.certificate", "one.private_key", ["one.example"], "", id="the right one"),
        pytest.param(
            "one.certificate",
            "two.private_key",
            ["one.example"],
            "for another key",
            id="another key",
        ),
        pytest.param(
            "one.certificate",
            "one.private_key",
            ["one.example", "*.one.example"],
            "without *.one.example.",
            id="a name is missing",
        ),
        pytest.param("no PEM", "one.private_key", ["one.example"], "cannot be read", id="no PEM"),
        pytest.param(
            f"{PAIRS['one.certificate']}{PAIRS['two.certificate'][:300]}",
            "one.private_key",
            ["one.example"],
            "cannot be read",
            id="a chain that is cut off",
        ),
        pytest.param(
            f"{PAIRS['one.certificate']}{PAIRS['two.certificate']}",
            "one.private_key",
            ["one.example"],
            "",
            id="the right one with a chain",
        ),
    ],
)
def test_a_certificate_that_was_not_ordered_is_not_taken(
    certificate: str, key: str, domains: list[str], message: str
) -> None:
    item = {"name": "one", "client": "acme", "domains": domains}
    panel = make_panel(used=False)
    panel["resources"]["domains"].append({"domain": "one.example", "client": "acme"})
    kept = {"ordered": {"one": PAIRS[key]}}
    planned = plan(
        [item],
        panel=panel,
        kept=kept,
        run={"due": {"one": "x"}, "fetched": {"one": PAIRS.get(certificate, certificate)}},
    )

    assert list_uploads([item], panel=panel, kept=kept)["certificates"] == []
    assert message in planned["failed"].get("one", "")
    assert bool(planned["failed"]) is bool(message)


# A request for a certificate


REQUEST_KEY = pem.make_texts()["one.private_key"]


def test_the_request_has_the_names_and_is_signed_with_the_key() -> None:
    request = x509.load_pem_x509_csr(
        panel_certificate_request(REQUEST_KEY, ["acme.example", "*.acme.example"]).encode()
    )
    names = request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value

    assert names.get_values_for_type(x509.DNSName) == ["acme.example", "*.acme.example"]
    assert request.is_signature_valid
    assert request.public_key() == load_pem_private_key(REQUEST_KEY.encode(), None).public_key()


RECORD = {"host": "_acme-challenge.acme.example.", "type": "TXT", "ttl": 60, "value": "a"}


@pytest.mark.parametrize(
    "challenges",
    [
        pytest.param([RECORD], id="a list"),
        pytest.param({"acme.example": RECORD}, id="a record in place of a list"),
        pytest.param({"acme.example": "all"}, id="a text"),
        pytest.param({"acme.example": [{**RECORD, "value": ""}]}, id="an empty value"),
        pytest.param({"acme.example": [{**RECORD, "value": None}]}, id="no value"),
        pytest.param({"acme.example": [{**RECORD, "type": "MX"}]}, id="another type"),
        pytest.param({"acme.example": [{**RECORD, "host": "acme.example."}]}, id="another host"),
        pytest.param({"acme.example": [RECORD, None]}, id="null behind a record"),
    ],
)
def test_kept_challenges_of_another_form_are_refused(challenges: Any) -> None:
    with pytest.raises(AnsibleFilterError, match="is not what this role writes"):
        plan(kept={**make_kept_order(), "challenges": challenges})


def test_kept_challenges_are_still_to_be_removed() -> None:
    result = plan(kept={**make_kept_order(), "challenges": {"acme.example": [RECORD]}})

    assert result["challenges"] == {"acme.example": [RECORD]}


@pytest.mark.parametrize(
    ("zones", "seconds"),
    [
        pytest.param(None, LATEST_EFFECT, id="another run was killed, or this one ends too early"),
        pytest.param({"acme.example": "slow"}, LATEST_EFFECT, id="one has a problem"),
        pytest.param({}, 0, id="all were answered"),
    ],
)
def test_a_record_that_may_still_come_is_waited_for_before_it_counts_as_removed(
    zones: Any, seconds: int
) -> None:
    run: dict[str, Any] = {"due": {"acme": "x"}}
    if zones is not None:
        run["zones"] = zones
    kept = {**make_kept_order(), "challenges": {"acme.example": [RECORD]}}

    assert plan(kept=kept, run=run)["wait"] == seconds


@pytest.mark.parametrize("kept", [{}, {"challenges": {}}, {"challenges": None}])
def test_without_challenges_nothing_is_waited_for(kept: Any) -> None:
    assert plan(kept=kept, panel=make_panel())["wait"] == 0
