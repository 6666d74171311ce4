# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an answer may mean that lets nobody in, the likeliest first: the same in a task and in a ping."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._endpoints.ping import PING
from ansible_collections.hosting.panel.plugins.module_utils._errors import Denied
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import PanelClient
from tests.support.tasks import run_task
from tests.support.transcript import Call, Reply, answer, call, page

INVALID = {"code": "403 Forbidden", "message": "API key is missing or invalid."}
SWITCHED_OFF = "API is switched off (Configuration, API"
# What is said of an answer to a ping, in this order.
ANSWERS: dict[str, tuple[Reply, list[str]]] = {
    "a key that the panel does not know": (answer(401, INVALID), ["api_key", "mistyped"]),
    "a login, as a page": (page(401), ["web server's password", "api_key", "another product", SWITCHED_OFF]),
    "a refusal in JSON": (answer(403, INVALID), [SWITCHED_OFF, "not be used from this address", "api_key is wrong"]),
    "a refusal without a word": (
        answer(403),
        [SWITCHED_OFF, "not be used from this address", "api_key is wrong", "a proxy"],
    ),
    "a refusal, as a page": (
        page(403),
        [SWITCHED_OFF, "not be used from this address", "api_key is wrong", "a proxy", "another product"],
    ),
    "no such path": (page(404), ["another product", "another version", SWITCHED_OFF]),
    "a web page": (page(200), ["a web page, such as that of a login", "another product", "a proxy", SWITCHED_OFF]),
    "another answer": (answer(200, {"status": "ok"}), ["something else than the panel's pong", "another product"]),
    "a bad request": (page(400), ["another product", "another version", "http where the panel speaks https"]),
    "a login of a proxy": (page(407), ["a proxy", "login"]),
}


def _is_said(words: list[str], text: str) -> bool:
    """Whether the words are there in this order."""
    at = 0
    for word in words:
        at = text.find(word, at)
        if at < 0:
            return False
    return True


@pytest.mark.parametrize("name", ANSWERS)
def test_a_ping_names_the_causes_in_the_order_of_likelihood(name: str, dialogue: Callable[..., PanelClient]) -> None:
    reply, words = ANSWERS[name]
    result = run_task(PING, dialogue(call("GET", "/ping", reply)), {})
    assert _is_said(words, result["msg"]), result["msg"]
    assert "is not reachable" not in result["msg"]


MAY_NOT_WRITE = {"code": "403 Forbidden", "message": "This key may only read."}


@pytest.mark.parametrize(("reply", "is_told"), [(answer(403, MAY_NOT_WRITE), True), (page(403), False)])
def test_a_write_that_is_refused_after_a_read_was_answered_is_one_of_a_key_that_may_only_read(
    dialogue: Callable[..., PanelClient], reply: Reply, is_told: bool
) -> None:
    client = dialogue(call("GET", "/clients/7", answer(200, {"id": 7})), call("PUT", "/clients/7", reply, {"a": 1}))
    client.get("/clients/7")
    with pytest.raises(Denied) as caught:
        client.put("/clients/7", {"a": 1})
    words = ["this key may only read", "Use one that may write", SWITCHED_OFF, "not be used from this address"]
    assert _is_said(words, caught.value.message), caught.value.message
    assert ("a proxy" in caught.value.message) is not is_told
    assert caught.value.message.count("This key may only read.") == is_told


READ = call("GET", "/clients/7", answer(200, {"id": 7}))
WRITE = call("PUT", "/clients/7", answer(200, {"id": 7}), {"a": 1})


@pytest.mark.parametrize("before", [(), (READ, WRITE)], ids=["at first", "after a write"])
def test_a_write_that_is_refused_at_first_or_after_another_one_is_none_of_a_key_that_may_only_read(
    dialogue: Callable[..., PanelClient], before: tuple[Call, ...]
) -> None:
    client = dialogue(*before, call("PUT", "/clients/7", answer(403, INVALID), {"a": 1}))
    if before:
        client.get("/clients/7")
        client.put("/clients/7", {"a": 1})
    with pytest.raises(Denied) as caught:
        client.put("/clients/7", {"a": 1})
    assert "may only read" not in caught.value.message
