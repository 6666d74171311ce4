"""A ping says which of the three failed: the way to the panel, the key, or the access."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._endpoints.server import PING
from tests.support.tasks import run_task
from tests.support.transcript import Dialogue, answer, call, page, untrusted_certificate

INVALID = {"code": "403 Forbidden", "message": "API key is missing or invalid."}


@pytest.mark.parametrize(
    "reply", [answer(200, {"response": "pong"}), page(200, "pong", "text/plain"), answer(200, {"pong": 1})]
)
def test_a_pong_is_read_in_every_form(dialogue: Dialogue, reply: Any) -> None:
    assert run_task(PING, dialogue(call("GET", "/ping", reply)), {})["ping"] == "pong"


@pytest.mark.parametrize(
    ("reply", "cause", "words"),
    [
        (
            answer(401, INVALID),
            "key",
            'The API key is not accepted. GET /ping was refused (401): "API key is missing or invalid." Check api_key',
        ),
        (page(401), "key", "or a web server or proxy before the panel refuses it."),
        (answer(403, INVALID), "access", "API disabled or address not allowed. GET /ping was refused (403): "),
        (page(404), "unreachable", "What answers is not the API of a panel. GET /ping failed (404): text/html"),
        (
            page(200),
            "unreachable",
            "What answers is not the API of a panel. GET /ping got an unexpected answer (200): it is not JSON",
        ),
        (answer(200, {"status": "ok"}), "unreachable", "GET /ping got another answer than pong. Check api_url."),
        (untrusted_certificate(), "unreachable", "The panel is not reachable. GET /ping failed: the certificate of "),
    ],
)
def test_a_ping_that_fails_says_which_of_the_three_it_was(
    dialogue: Dialogue, reply: Any, cause: str, words: str
) -> None:
    result = run_task(PING, dialogue(call("GET", "/ping", reply)), {})
    assert result["error"]["cause"] == cause
    assert words in result["msg"]
