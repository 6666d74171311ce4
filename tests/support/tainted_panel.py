# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server in front of a simulator that does what is asked, and taints the answers: a different mark in every place of them.

A mark is a word of letters, which looks harmless, and one of letters and digits, which does not. So what is found somewhere names the
place that it came from, and whether something of it was judged.
"""

from __future__ import annotations

import base64
import contextlib
import html
import json
import re
import threading
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import quote

import requests

from tests.support.simulator import Simulator

JSON, HTML, TEXT = "application/json", "text/html; charset=utf-8", "text/plain"
_CONSONANTS, _VOWELS = "bdfgjklmnprstvwz", "aeiou"
# What begins every mark; no word of ours or of Ansible has it.
HEAD = "quazy"
# What the panel generates here. Once an answer has told it, letters alone are found again, which no rule for words tells from one; one
# that the panel only complains about looks like every generated password.
GENERATED = "zorvaquimbel"
UNTOLD = "zorVa7quim2Bel9x"


class Answer(NamedTuple):
    """What goes back. headers: whole lines, which may be none."""

    status: int
    content: bytes
    content_type: str = JSON
    headers: tuple[str, ...] = ()


@dataclass
class Marks:
    """Makes a mark for each place, always the same one."""

    places: dict[str, str] = field(default_factory=dict)

    def word(self, place: str) -> str:
        """The mark of letters."""
        if place not in self.places:
            number, syllables = len(self.places), ""
            for _digit in range(3):
                number, rest = divmod(number, len(_CONSONANTS) * len(_VOWELS))
                syllables += _CONSONANTS[rest // len(_VOWELS)] + _VOWELS[rest % len(_VOWELS)]
            self.places[place] = f"{HEAD}{syllables}"
        return self.places[place]

    def code(self, place: str) -> str:
        """The mark of letters and digits."""
        return f"{self.word(place).upper()}7x9"

    def both(self, place: str) -> str:
        return f"{self.word(place)} {self.code(place)}"

    def found_in(self, text: str) -> dict[str, set[str]]:
        """The places whose marks are in a text: "word", "code"."""
        by_word = {word: place for place, word in self.places.items()}
        found: dict[str, set[str]] = {}
        for hit in re.finditer(rf"(?i)({HEAD}(?:[a-z]{{2}}){{3}})(7x9)?", text):
            place = by_word.get(hit[1].lower(), f"unknown: {hit[0]}")
            found.setdefault(place, set()).add("code" if hit[2] else "word")
        return found


# How a message repeats a secret.
ECHOES: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "in capitals": str.upper,
    "numeric entities": lambda text: "".join(f"&#{ord(one)};" for one in text),
    "entities of entities": lambda text: html.escape("".join(f"&#{ord(one)};" for one in text)),
    "escapes": lambda text: "".join(f"\\u{ord(one):04x}" for one in text),
    "JSON in JSON": lambda text: json.dumps(json.dumps({"password": text})),
    "percent": lambda text: quote(text, safe=""),
    "every letter in percent": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "hexadecimal": lambda text: text.encode().hex(),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "cut": lambda text: text[:-3],
    "letter by letter": " ".join,
    "in an address": lambda text: f"https://panel.example/?p={text}",
}


def echoes_in(text: str, secret: str) -> list[str]:
    """The ways in which a text holds a secret."""
    found = [name for name, echo in ECHOES.items() if echo(secret) in text]
    pieces = (secret[start : start + 6] for start in range(len(secret) - 5))
    return [*found, *(f"the piece {piece}" for piece in pieces if piece.casefold() in text.casefold())]


class Request(NamedTuple):
    """What was asked for, and what the panel answered. secrets: those that requests and answers held so far."""

    method: str
    path: str
    status: int
    content: bytes
    data: Any
    marks: Marks
    secrets: tuple[str, ...]


def tainted(value: Any, marks: Marks, place: str = "member") -> Any:
    """A copy with more members in every dictionary: one that is harmless, and some that are secrets by name or form."""
    if isinstance(value, list):
        return [tainted(entry, marks, place) for entry in value]
    if not isinstance(value, dict):
        return value
    more = {
        "zz_new": marks.both(place),
        "newPassword": marks.both(f"{place} newPassword"),
        "pwd": marks.both(f"{place} pwd"),
        "apiKey": [marks.both(f"{place} apiKey")],
        "credentials": {
            "user": marks.both(f"{place} credentials"),
            "deep": [{"x": marks.both(f"{place} credentials")}],
        },
        "callback": f"https://root:{marks.code(f'{place} login')}@panel.example/x",
        "details": json.dumps(
            {"password": marks.both(f"{place} text of JSON"), "deep": [{"pwd": marks.word(f"{place} text of JSON")}]}
        ),
        "digest": f"$6$salt${marks.code(f'{place} hash')}",
        "entry": f"{{SSHA}}{marks.code(f'{place} hash')}",
        "blob": f"-----BEGIN PRIVATE KEY-----\n{marks.code(f'{place} private key')}\n-----END PRIVATE KEY-----\n",
    }
    return {**{name: tainted(member, marks, place) for name, member in value.items()}, **more}


def _whole(content_type: str) -> Callable[[Request], Answer]:
    def shape(request: Request) -> Answer:
        if request.data is None:
            return Answer(request.status, request.content)
        return Answer(request.status, json.dumps(tainted(request.data, request.marks)).encode(), content_type)

    return shape


def _hidden(request: Request, place: str) -> str:
    """The body that a panel meant to send, in something that cannot be read."""
    data = request.data if isinstance(request.data, dict) else {"items": request.data}
    return json.dumps({"first": request.marks.both(place), **tainted(data, request.marks, place)})


def _cut(request: Request) -> Answer:
    return Answer(request.status, _hidden(request, "cut").encode()[:-9])


def _php(request: Request) -> Answer:
    warning = f"<br />\n<b>Warning</b>: {request.marks.both('warning')} in /srv/x.php on line 3<br />\n"
    return Answer(request.status, (warning + _hidden(request, "behind a warning")).encode(), JSON)


def _text(status: int, content_type: str) -> Callable[[Request], Answer]:
    def shape(request: Request) -> Answer:
        text = f"{request.marks.both('text')}, password: {request.marks.word('text')}\n{_hidden(request, 'text')[:-1]}"
        return Answer(status or request.status, text.encode(), content_type)

    return shape


def _page(status: int) -> Callable[[Request], Answer]:
    def shape(request: Request) -> Answer:
        marks = request.marks
        body = f"<h1>{marks.both('heading')}</h1><p>{marks.both('page')}</p><pre>{_hidden(request, 'page')}</pre>"
        title = marks.word("title") if status % 2 else marks.both("odd title")
        return Answer(status or request.status, f"<html><title>{title}</title>{body}</html>".encode(), HTML)

    return shape


def _error(status: int, message: Callable[[Request], Any], has_code: bool = True) -> Callable[[Request], Answer]:
    def shape(request: Request) -> Answer:
        body = tainted({"message": message(request)}, request.marks, "error")
        if has_code:
            body["code"] = f"{status} {request.marks.word('code')}"
        return Answer(status, json.dumps({**body, "errors": {"x": [request.marks.both("error deep")]}}).encode(), JSON)

    return shape


def _said(request: Request) -> str:
    return f"The value {request.marks.both('message')} is not accepted."


def _dictionary(request: Request) -> Any:
    return {"text": request.marks.both("message dictionary"), "password": request.marks.word("message dictionary")}


def _members(request: Request) -> str:
    return f'wrong: {{"x": "{request.marks.both("message members")}"}}'


def _named(request: Request) -> str:
    return f"password: {request.marks.word('message password')}"


def _echo(echo: Callable[[str], str]) -> Callable[[Request], Any]:
    return lambda request: "Not good: " + " or ".join(echo(secret) for secret in request.secrets) + " as we see."


def _redirect(request: Request) -> Answer:
    marks = request.marks
    to = f"https://{marks.code('location user')}:{marks.word('location user')}@{marks.code('location host')}.example/{marks.word('location path')}"
    return Answer(302, b"", TEXT, (f"Location: {to}?token={marks.both('location query').replace(' ', '')}",))


def _headers(request: Request) -> Answer:
    lines = (
        f"Retry-After: {request.marks.code('retry')}",
        f"a line {request.marks.both('broken header')} without a colon",
        f"X-Behind: {request.marks.both('header behind')}",
    )
    return Answer(503, b"", f"text/{request.marks.code('type')}", lines)


def _no_type(request: Request) -> Answer:
    return Answer(request.status, _hidden(request, "no type").encode()[:-1], f"text/{request.marks.code('type')}")


SHAPES: dict[str, Callable[[Request], Answer]] = {
    "whole JSON": _whole(JSON),
    "whole JSON as HTML": _whole(HTML),
    "whole JSON as text": _whole(TEXT),
    "whole JSON without a type": _whole(""),
    "cut JSON": _cut,
    "a warning ahead": _php,
    "text": _text(0, TEXT),
    "text as JSON": _text(0, JSON),
    "text without a type": _no_type,
    "a page": _page(0),
    **{f"a page with {status}": _page(status) for status in (201, 401, 403, 404, 405, 409, 429, 500, 501, 502, 503, 504)},
    **{f"text with {status}": _text(status, TEXT) for status in (400, 404, 500, 503)},
    **{f"{status}": _error(status, _said) for status in (400, 401, 403, 404, 405, 409, 422, 429, 500, 501, 502, 503, 504)},
    **{f"{status} without a code": _error(status, _said, has_code=False) for status in (400, 500)},
    **{f"{status} with a dictionary": _error(status, _dictionary) for status in (400, 404, 500)},
    **{f"{status} with a list": _error(status, lambda one: [_dictionary(one)]) for status in (400, 500)},
    **{f"{status} with members": _error(status, _members) for status in (400, 500)},
    **{f"{status} with a name": _error(status, _named) for status in (400, 500)},
    **{f"an echo, {name}": _error(400, _echo(echo)) for name, echo in ECHOES.items()},
    "a failure with an echo": _error(500, _echo(str)),
    "a redirect": _redirect,
    "headers": _headers,
}  # fmt: skip
# The shapes that a program can read: their members are part of results.
UNDERSTOOD = tuple(name for name in SHAPES if name.startswith("whole JSON"))


@dataclass
class TaintedPanel:
    """The server. shape and applies say which answers are tainted, and spare how many of those come through before."""

    simulator: Simulator
    marks: Marks
    url: str = ""
    shape: str = "whole JSON"
    applies: Callable[[str], bool] = lambda _method: True
    spare: int = 0
    secrets: list[str] = field(default_factory=list)

    @property
    def api_key(self) -> str:
        return self.simulator.api_key

    def last_number(self) -> int:
        return self.simulator.last_number()

    def log(self, since: int = 0) -> list[dict[str, Any]]:
        return self.simulator.log(since)

    def taint(self, shape: str, applies: Callable[[str], bool], spare: int = 0) -> None:
        """From now on answers to these methods have this shape."""
        self.shape, self.applies, self.spare = shape, applies, spare
        self.secrets.clear()

    def answered(self, method: str, path: str, content: bytes) -> Answer:
        """The panel's answer, tainted."""
        headers = {"X-API-Key": self.simulator.api_key, **({"Content-Type": JSON} if content else {})}
        answer = requests.request(
            method, self.simulator.url + path, data=content or None, headers=headers, timeout=30, allow_redirects=False
        )
        data = _decoded(answer.content)
        is_tainted = self.applies(method) and not self.spare
        self.spare -= self.applies(method) and not is_tainted
        if isinstance(data, dict) and isinstance(data.get("password"), str):
            data["password"] = UNTOLD if is_tainted else GENERATED
        for known in (_decoded(content), data):
            self.secrets += [one for one in _passwords(known) if one not in self.secrets]
        if not is_tainted:
            return Answer(answer.status_code, answer.content if data is None else json.dumps(data).encode())
        secrets = tuple(self.secrets) or (UNTOLD,)
        return SHAPES[self.shape](Request(method, path, answer.status_code, answer.content, data, self.marks, secrets))


def _decoded(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def _passwords(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, member in value.items():
            if name in ("password", "url") and isinstance(member, str) and len(member) >= len(GENERATED):
                yield member
            yield from _passwords(member)
    elif isinstance(value, list):
        for entry in value:
            yield from _passwords(entry)


@contextlib.contextmanager
def tainted_panel(simulator: Simulator) -> Iterator[TaintedPanel]:
    """A running one."""
    panel = TaintedPanel(simulator, Marks())

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer_it(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            answer = panel.answered(self.command, self.path, self.rfile.read(length))
            marks = panel.marks
            lines = [
                f"HTTP/1.1 {200 if answer.status == 204 and answer.content else answer.status} {marks.both('reason')}",
                *([f"Content-Type: {answer.content_type}"] if answer.content_type else []),
                f"Content-Length: {len(answer.content)}",
                f"Server: {marks.both('header')}",
                f"Set-Cookie: session={marks.code('cookie')}",
                f"WWW-Authenticate: Basic realm={marks.code('realm')}",
                *answer.headers,
            ]
            self.wfile.write("\r\n".join([*lines, "", ""]).encode() + answer.content)

        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                return self.answer_it
            raise AttributeError(name)

        def log_message(self, *_arguments: Any) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    panel.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield panel
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
