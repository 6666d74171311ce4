"""One request of a task that gets another answer than it should, or none, and what the message of
the task then is to say.

struck = Struck("PUT", "/emails/3", REPLIES["a page of a firewall"]) message = Told(result,
subject="mailbox info@acme.example")
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import requests

from panel_simulator.answering import Reply, answer_call
from panel_simulator.calls import Call
from tests.support.memory import Session
from tests.support.transcript import make_cut_off_fault, make_read_timeout_fault, make_reset_fault

MOST_SENTENCES = 3
MOST_WORDS = 60
NOTHING_WRITTEN = "Nothing was written."
_WRITTEN = re.compile(
    r"It (?:may have been|was) (?:created|written|deleted)|it was (?:created|written|stored)|It may have a new password|password is lost"
    r"|[1-9]\d* (?:was|were) written|[1-9]\d* may have been"
)
_AGAIN = re.compile(r"[Rr]un (?:the task )?again|run it again")
# The panel's own words, which may be of any length.
_QUOTED = re.compile(r'"[^"]*"')
_END = re.compile(r"[.!?](?= +[A-Z(]|$)")


def _make_page(status: int, title: str) -> Reply:
    body = f"<html><head><title>{title}</title></head><body><h1>{title}</h1></body></html>"
    return Reply(status, body.encode(), "text/html; charset=utf-8")


def _make_json_error(status: int, message: str) -> Reply:
    return Reply(
        status, json.dumps({"code": str(status), "message": message}).encode(), "application/json"
    )


def _make_json(status: int, text: str) -> Reply:
    return Reply(status, text.encode(), "application/json")


def _make_refused_fault() -> Exception:
    from urllib3.connection import HTTPSConnection
    from urllib3.exceptions import MaxRetryError, NewConnectionError

    new = NewConnectionError(
        HTTPSConnection("panel.example"),
        "Failed to establish a new connection: [Errno 111] Connection refused",
    )

    return requests.ConnectionError(MaxRetryError(None, "/", new))  # type: ignore[arg-type]


# By name, what comes back; an exception where nothing does.
ANSWERS: dict[str, Reply | Exception] = {
    "a refusal": _make_json_error(400, "The value is invalid."),
    "a conflict": _make_json_error(409, "There is one already."),
    "a key that only reads": _make_json_error(403, "Permission denied."),
    "a key that is not known": _make_json_error(401, "API key is missing or invalid."),
    "slow down": _make_json_error(429, "Slow down."),
    "an error of the panel": _make_json_error(500, "Internal error."),
    "the panel in trouble": _make_json_error(503, "The panel is in trouble."),
    "a page of a firewall": _make_page(403, "403 Forbidden"),
    "a page of mod_security": _make_page(406, "Not Acceptable!"),
    "a page of a body too large": _make_page(413, "413 Request Entity Too Large"),
    "a page of an error": _make_page(500, "500 Internal Server Error"),
    "a page of a bad gateway": _make_page(502, "502 Bad Gateway"),
    "a page of a reload": _make_page(503, "503 Service Unavailable"),
    "a page of a gateway that waited": _make_page(504, "504 Gateway Time-out"),
    "a page of a proxy abroad": _make_page(521, "Web server is down"),
    "a page without the path": _make_page(404, "404 Not Found"),
    "a page that is a success": _make_page(200, "Welcome"),
    "truncated": _make_json(200, '{"id": 4711, "username": "ac'),
    "truncated without its type": Reply(200, b'{"id": 4711, "username": "ac', "text/html"),
    "a warning of PHP before it": Reply(
        200, b'<br />\n<b>Warning</b>: Undefined array key {"id": 1}', "text/html"
    ),
    "nothing in it": _make_json(200, ""),
    "an envelope": _make_json(200, '{"data": [], "total": 0}'),
    "an error with 200": _make_json(200, '{"error": "out of order"}'),
    "JSON that is no error": _make_json(400, '{"error": "out of order"}'),
    "a part of it": _make_json(206, "[]"),
    "a redirect": Reply(302, b"", "text/html", {"Location": "https://login.panel.example/"}),
    "cut off": make_cut_off_fault(),
    "reset": make_reset_fault(),
    "no answer": make_read_timeout_fault(),
    "no connection": _make_refused_fault(),
}
# What may also be the answer of something else than a panel, where no panel has answered before.
OF_ANOTHER_SERVER = frozenset(
    {
        "a page without the path",
        "a page that is a success",
        "a redirect",
        "a warning of PHP before it",
        "truncated without its type",
        "no connection",
    }
)


@dataclass(frozen=True)
class Strike:
    """What every request with this method and path gets from the ``number``-th request of the task
    on. takes_effect: whether it is done."""

    number: int
    method: str
    path: str
    answer: Reply | Exception
    takes_effect: bool = False


class StruckSession(Session):
    """A session in which one request, and each repeat of it, is struck."""

    strike: Strike | None = None

    def reply_to(self, call: Call, entry: dict[str, Any], timeout: float) -> Reply:
        """Answer as the panel does, or strike where it is time to."""
        strike = self.strike
        is_struck = (
            strike is not None
            and len(self.log) >= strike.number
            and (call.method, call.path) == (strike.method, strike.path)
        )
        if not is_struck or strike is None:
            return super().reply_to(call, entry, timeout)
        entry["fault"] = "struck"
        if strike.takes_effect:
            answer_call(self._panel, call)
        if isinstance(strike.answer, Reply):
            return strike.answer
        self.clock.now += timeout
        raise strike.answer


def count_sentences(message: str) -> int:
    """Return how many sentences a message has, beside those of the panel."""
    return len(_END.findall(_QUOTED.sub("…", message).strip())) or 1


@dataclass(frozen=True)
class Told:
    """The message of a failed task, and what is known of what happened.

    subject: what it has to name. is_write: whether a write was struck. has_changed: whether the
    panel is another one now. is_known: whether a panel had answered before, or its own error came.
    writes: whether the task would write at all.
    """

    message: str
    subject: str
    answer: str
    is_write: bool
    has_changed: bool
    is_known: bool
    writes: bool

    def find_mistakes(self) -> Iterator[str]:
        """Yield what is wrong with the message."""
        if self.subject not in self.message:
            yield f"does not name {self.subject}"
        if count_sentences(self.message) > MOST_SENTENCES:
            yield f"has {count_sentences(self.message)} sentences"
        word_count = len(_QUOTED.sub("…", self.message).split())
        if word_count > MOST_WORDS:
            yield f"has {word_count} words"
        if "api_url" in self.message and (self.is_known or self.answer not in OF_ANOTHER_SERVER):
            yield "doubts api_url"
        is_denied = NOTHING_WRITTEN in self.message or re.search(
            r"\b0 were written(?!, [1-9])", self.message
        )
        if self.has_changed and is_denied:
            yield "denies what was written"
        if self.writes and not is_denied and not _WRITTEN.search(self.message):
            yield "does not say what was written"

        if (
            self.is_write
            and self.has_changed
            and not (_AGAIN.search(self.message) or "Check the panel" in self.message)
        ):
            yield "does not say that the task can be run again"

        if "Traceback" in self.message or "defect" in self.message:
            yield "is none for people"


def get_request(requests_before: list[Mapping[str, Any]], number: int) -> tuple[str, str]:
    """Return method and path of the request with this number, from 1."""
    request = requests_before[number - 1]
    return request["method"], request["path"]
