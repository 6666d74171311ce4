# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of an authority that refuses, is in trouble, or is none."""

from __future__ import annotations

import base64
import hashlib
import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.authority import (
    Authority,
    AuthorityError,
    State,
    Trouble,
    check_authorities,
    look_at_directory,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.module_host import NoResult
from tests.support.broken_server import server

DIRECTORY = "https://ca.example/dir"
REQUEST = "-----BEGIN CERTIFICATE REQUEST-----\nMIIB+/A=\n-----END CERTIFICATE REQUEST-----\n"


class Modules:
    """Modules that return what a test gives, and keep what they were asked."""

    def __init__(self, *results: Mapping[str, Any] | NoResult) -> None:
        self.results, self.asked = list(results), list[tuple[str, dict[str, Any]]]()

    def run(self, module: str, options: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.append((module.removeprefix("community.crypto."), dict(options)))
        result = self.results.pop(0)
        if isinstance(result, NoResult):
            raise result
        return dict(result)


def authority(*results: Mapping[str, Any] | NoResult) -> tuple[Authority, Modules]:
    modules = Modules(*results)
    made: Any = modules
    found = Authority(made, DIRECTORY)
    found.key, found.uri = "the key", f"{DIRECTORY}/account"
    return found, modules


def problem(kind: str, detail: str, *subproblems: str) -> dict[str, Any]:
    error = "urn:ietf:params:acme:error:"
    inner = [{"type": f"{error}caa", "detail": one} for one in subproblems]
    return {
        "failed": True,
        "msg": "Failed.",
        "other": {"problem": {"type": error + kind, "detail": detail}, "subproblems": inner},
    }


@pytest.mark.parametrize(
    ("result", "trouble", "words"),
    [
        (
            problem("rejectedIdentifier", "The name acme.example is on a list."),
            Trouble.REFUSED,
            "The authority says: The name acme.example is on a list (rejectedIdentifier).",
        ),
        (
            problem("compound", "Some names failed", "CAA record for acme.example prevents issuance"),
            Trouble.REFUSED,
            "The authority says: Some names failed (compound). CAA record for acme.example prevents issuance (caa).",
        ),
        (
            problem("rateLimited", "too many certificates already issued for acme.example"),
            Trouble.LIMITED,
            "The authority does not do this now, since a limit is reached: too many certificates already issued for acme.example (rateLimited).",
        ),
        (
            problem("unauthorized", r"""Error at ("lookup of \"acme.example\" returned: '\\x03'")"""),
            Trouble.REFUSED,
            'The authority says: Error at ("lookup of "acme.example" returned: … (unauthorized).',
        ),
        (
            problem("serverInternal", "Sorry."),
            Trouble.AWAY,
            f"The authority at {DIRECTORY} is in trouble: Sorry (serverInternal).",
        ),
        (
            {"failed": True, "msg": "Failed for https://ca.example: <urlopen error [Errno 111] Connection refused>"},
            Trouble.AWAY,
            f"The authority at {DIRECTORY} cannot be reached, or does not answer as one.",
        ),
        (
            {"failed": True, "msg": "Account does not exist or is deactivated."},
            Trouble.ACCOUNT,
            f"The account is not one of the authority at {DIRECTORY} any more.",
        ),
        (
            {"failed": True, "msg": "Account is deactivated"},
            Trouble.ACCOUNT,
            f"The account is not one of the authority at {DIRECTORY} any more.",
        ),
        (
            problem("accountDoesNotExist", "Account 7 not found"),
            Trouble.ACCOUNT,
            "The authority does not know the account: Account 7 not found (accountDoesNotExist).",
        ),
    ],
)
def test_an_error_is_a_sentence(result: dict[str, Any], trouble: Trouble, words: str) -> None:
    asked, _modules = authority(result)
    with pytest.raises(AuthorityError) as caught:
        asked.order(["acme.example"])
    assert (caught.value.trouble, str(caught.value)) == (trouble, words)
    assert trouble.ends_run is (trouble in (Trouble.AWAY, Trouble.ACCOUNT))


@pytest.mark.parametrize(
    ("end", "trouble", "words"),
    [
        ((True, -1), Trouble.AWAY, f"The authority at {DIRECTORY} cannot be reached, or does not answer as one."),
        ((True, 503), Trouble.AWAY, f"The authority at {DIRECTORY} cannot be reached, or does not answer as one."),
        (
            (True, 200),
            Trouble.UNFINISHED,
            f"The authority at {DIRECTORY} answers too slowly for one step of this order.",
        ),
        (
            (
                False,
                429,
                '{"type": "urn:ietf:params:acme:error:rateLimited", "detail": "too many new orders recently"}',
            ),
            Trouble.LIMITED,
            "The authority does not do this now, since a limit is reached: too many new orders recently (rateLimited).",
        ),
        (
            (False, 429, "<html>"),
            Trouble.LIMITED,
            "The authority does not do this now, since a limit is reached: its reason is not shown, since it is no text.",
        ),
        ((False, 200), Trouble.UNFINISHED, "community.crypto.x ended without a result on this controller."),
    ],
)
def test_a_step_that_does_not_end_is_the_last_one_only_where_nobody_answered(
    end: tuple[Any, ...], trouble: Trouble, words: str
) -> None:
    asked, _modules = authority(NoResult("community.crypto.x", *end))
    with pytest.raises(AuthorityError) as caught:
        asked.order(["acme.example"])
    assert (caught.value.trouble, str(caught.value)) == (trouble, words)
    assert trouble.ends_run is (trouble is Trouble.AWAY)


@pytest.mark.parametrize(
    ("status", "trouble", "words"),
    [
        (429, Trouble.LIMITED, "The authority does not do this now, since a limit is reached: wait (rateLimited)."),
        (503, Trouble.AWAY, "The authority at {directory} cannot be reached, or does not answer as one."),
    ],
)
def test_a_directory_that_is_not_given_now_is_told_from_one_that_is_not_there(
    status: int, trouble: Trouble, words: str
) -> None:
    body = b'{"type": "urn:ietf:params:acme:error:rateLimited", "detail": "wait"}'

    def refuse(connection: socket.socket) -> None:
        connection.recv(10_000)
        connection.sendall(b"HTTP/1.1 %d No\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body))

    with server(refuse) as port, pytest.raises(AuthorityError) as caught:
        look_at_directory(f"http://127.0.0.1:{port}/dir", None)
    assert caught.value.trouble is trouble
    assert str(caught.value) == words.format(directory=f"http://127.0.0.1:{port}/dir")


@pytest.mark.parametrize("detail", ['{"password": "geheim-1234567"}', "token q83nvPz01LLx9q2nA11 <b>", None, 7])
def test_what_is_no_plain_sentence_of_the_authority_is_not_shown(detail: Any) -> None:
    asked, _modules = authority(problem("malformed", detail))
    with pytest.raises(AuthorityError) as caught:
        asked.order(["acme.example"])
    assert "geheim" not in str(caught.value)
    assert "q83nvPz01LLx9q2nA11" not in str(caught.value)
    assert "(malformed)" in str(caught.value)


ORDER = "https://ca.example/7"
ONE, TWO = "https://ca.example/authorization/1", "https://ca.example/authorization/2"


def answer(content: Any, **headers: str) -> dict[str, Any]:
    return {"output_json": content, "headers": headers}


def test_an_order_is_asked_for_once_and_its_address_known_before_anything_else_is_read() -> None:
    order = {"status": "pending", "finalize": f"{ORDER}/finalize", "authorizations": [ONE, TWO]}
    asked, modules = authority(
        {"account_uri": f"{DIRECTORY}/account"},
        {"directory": {"newOrder": "https://ca.example/new-order"}},
        answer(order, location=ORDER),
    )
    asked.register("")
    state = State("pending", f"{ORDER}/finalize", "", (ONE, TWO), {})
    assert asked.order(["*.acme.example", "acme.example"]) == (ORDER, state)
    (_account, _directory, (module, options)) = modules.asked
    assert (module, options["method"], options["url"]) == ("acme_inspect", "post", "https://ca.example/new-order")
    identifiers = [{"type": "dns", "value": name} for name in ("*.acme.example", "acme.example")]
    assert json.loads(options["content"]) == {"identifiers": identifiers}
    assert (options["account_key_content"], options["account_uri"]) == ("the key", f"{DIRECTORY}/account")


def test_where_an_order_stands_is_one_request_whatever_number_of_names_it_has() -> None:
    order = {"status": "valid", "certificate": f"{ORDER}/certificate", "authorizations": [ONE] * 100}
    asked, modules = authority(answer(order))
    state = asked.state(ORDER, ["acme.example"])
    assert (state.status, state.certificate, len(state.authorizations)) == ("valid", f"{ORDER}/certificate", 100)
    assert len(modules.asked) == 1


def test_why_a_proof_failed_is_read_from_the_order_and_its_authorizations() -> None:
    error = {"type": "urn:ietf:params:acme:error:dns", "detail": "no TXT record at _acme-challenge.acme.example"}
    order = {"status": "invalid", "error": error, "authorizations": [ONE, TWO]}
    other = {**error, "detail": "DNSSEC is broken"}
    asked, _modules = authority(
        answer(order),
        answer({"challenges": [{"type": "http-01"}, {"error": error}]}),
        answer({"challenges": [{"error": other}]}),
    )
    names = ["acme.example", "*.acme.example"]
    assert (
        asked.refusal(asked.state(ORDER, names), names)
        == "no TXT record at _acme-challenge.acme.example (dns). DNSSEC is broken (dns)."
    )
    silent, _modules = authority(answer("nothing that ACME has"))
    assert silent.refusal(silent.state(ORDER, []), []) == "the order is invalid."


def test_a_request_is_handed_in_as_acme_has_it_and_nothing_waits_for_it() -> None:
    asked, modules = authority(answer({"status": "processing"}))
    assert asked.finalize("https://ca.example/finalize", REQUEST, ["acme.example"]).status == "processing"
    ((module, options),) = modules.asked
    assert (module, options["content"]) == ("acme_inspect", '{"csr": "MIIB-_A"}')


def test_a_certificate_comes_with_those_above_it() -> None:
    blocks = [
        f"-----BEGIN CERTIFICATE-----\n{inside}\n-----END CERTIFICATE-----\n" for inside in ("MIIB", "MIIC", "MIID")
    ]
    asked, _modules = authority({"output_text": "\n".join(blocks)}, {"output_text": "<html>"})
    assert asked.certificate(f"{ORDER}/certificate", []) == (blocks[0], "\n".join(blocks[1:]))
    with pytest.raises(AuthorityError, match="something else than a certificate") as caught:
        asked.certificate(f"{ORDER}/certificate", [])
    assert caught.value.trouble is Trouble.REFUSED


def test_an_account_is_found_by_its_key_whatever_address_it_had() -> None:
    asked, modules = authority({"account_uri": f"{DIRECTORY}/new"}, {"directory": {"newOrder": "new"}})
    assert asked.register("hostmaster@provider.example") == asked.uri == f"{DIRECTORY}/new"
    (module, options), _directory = modules.asked
    assert (module, options["account_key_content"], options["contact"]) == (
        "acme_account",
        "the key",
        ["mailto:hostmaster@provider.example"],
    )
    assert "account_uri" not in options


def listed(status: str, *names: str) -> dict[str, Any]:
    return answer({"status": status, "identifiers": [{"type": "dns", "value": name} for name in names]})


def test_orders_that_are_open_are_found_in_the_list_of_the_account_where_there_is_one() -> None:
    uris = [f"https://ca.example/{number}" for number in range(5)]
    asked, modules = authority(
        answer({"status": "valid", "orders": "https://ca.example/orders"}),
        answer({"orders": uris[:2]}, link='<https://ca.example/dir>;rel="index", <https://ca.example/more>;rel="next"'),
        answer({"orders": uris[2:]}, link='<https://ca.example/dir>;rel="index"'),
        listed("valid", "acme.example"),
        listed("pending", "*.acme.example", "ACME.example"),
        listed("invalid", "acme.example"),
        listed("ready", "acme.example"),
    )
    assert asked.open_orders({uris[3]}) == {
        frozenset({"acme.example", "*.acme.example"}): [uris[1]],
        frozenset({"acme.example"}): [uris[4]],
    }
    read = [options["url"] for _module, options in modules.asked]
    lists = [f"https://ca.example/{name}" for name in ("orders", "more")]
    assert read == [f"{DIRECTORY}/account", *lists, *uris[:3], uris[4]]
    without, modules = authority(answer({"status": "valid"}))
    assert without.open_orders(set()) == {}
    assert len(modules.asked) == 1


def test_the_challenges_of_an_order_are_those_of_the_names_that_are_not_proven_yet() -> None:
    # The coordinates of the base point of P-256, which is the public key of the private key 1.
    key = ec.derive_private_key(1, ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    challenges = [
        {"type": "http-01", "token": "other", "status": "pending", "url": f"{ONE}/http"},
        {"type": "dns-01", "token": "the-token", "status": "pending", "url": f"{ONE}/dns"},
    ]
    told = [challenges[0], {**challenges[1], "status": "processing", "url": f"{TWO}/dns"}]
    acme, other = {"value": "acme.example"}, {"value": "other.example"}
    authorizations = [
        answer({"status": "pending", "identifier": acme, "challenges": challenges}),
        answer({"status": "pending", "identifier": acme, "challenges": told, "wildcard": True}),
        answer({"status": "valid", "identifier": other, "challenges": challenges}),
    ]
    asked, modules = authority(*authorizations, authorizations[0], {}, *authorizations[1:])
    state = State("pending", "", "", (ONE, TWO, f"{ORDER}/3"), {})
    asked.key = key.decode()
    point = {"crv": "P-256", "kty": "EC", "x": "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY"}
    point["y"] = "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"
    thumbprint = encoded(hashlib.sha256(json.dumps(point, separators=(",", ":")).encode()).digest())
    value = encoded(hashlib.sha256(f"the-token.{thumbprint}".encode()).digest())
    names = ["acme.example", "*.acme.example", "other.example"]
    assert asked.challenges(state, names) == {"_acme-challenge.acme.example": [value, value]}
    asked.prove(state, names)
    sent = [options["url"] for _module, options in modules.asked if options["method"] == "post"]
    assert sent == [f"{ONE}/dns"], "those that a killed run has told are not told again"


def encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


@pytest.mark.parametrize(
    "content", ["", "\n", "no certificate", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"]
)
def test_a_file_without_a_certificate_is_told(tmp_path: Path, content: str) -> None:
    file = tmp_path / "ca.pem"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(OSError, match="there is no certificate in PEM in it"):
        check_authorities(str(file))
