"""Everything between the controller and the panel: TLS, plain http, redirects, .netrc, proxies, IPv6, closed connections, denied keys."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.broken_server import Wire, proxy, recording
from tests.support.bulk import customers
from tests.support.pem import Authority
from tests.support.playbook import MODULE, PRELOADED, WAYS, Recording, Run, play, task
from tests.support.simulator import API_KEY, Simulator
from tools.reliability.figures import LEAKED, WRONG, Problem, Row, Size, Tried, row_of

REDIRECTS = (301, 302, 303, 307, 308)
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
FAR = "panel.example"
FRESH: tuple[Any, ...] = (["POST", "/reset", None], ["POST", "/seed", {"clients": [{"username": "acme"}]}])
ITEMS = 6
NETRC = "machine {} login admin password hunter2-of-netrc\n"
Check = Callable[[Recording], str]


@dataclass(frozen=True)
class Case:
    """A task. words: of its message or of the warnings; check: what else is wrong with it, in words, or nothing."""

    name: str
    options: dict[str, Any]
    check: Check
    words: tuple[str, ...] = ()
    is_ok: bool = False
    module: str = "panel_api"
    environment: dict[str, str] = field(default_factory=dict)
    before: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)

    def task(self) -> dict[str, Any]:
        keywords = {**self.keywords, **({"environment": self.environment} if self.environment else {})}
        return task(self.name, self.module, self.options, self.before, **keywords)


def run(size: Size) -> list[Row]:
    """One row."""
    begin = time.monotonic()
    tried: list[Tried] = []
    for way in WAYS:
        with tempfile.TemporaryDirectory(prefix="transport-") as temporary, contextlib.ExitStack() as servers:
            folder = Path(temporary)
            simulator = servers.enter_context(Simulator.start(settings={"status_delay": 0}))
            cases = [*_tls(folder, servers), *_far(folder, servers), *_near(servers), *_closed(), *_denied()]
            if way == MODULE and size is Size.SLICE:
                cases = cases[::4]
            netrc = folder / "home" / ".netrc"
            netrc.parent.mkdir()
            netrc.write_text("".join(map(NETRC.format, (FAR, "127.0.0.1", "localhost", "::1"))), encoding="utf-8")
            netrc.chmod(0o600)
            ended = play([case.task() for case in cases], simulator, folder, way, ["-v"], PRELOADED)
            tried += (Tried(f"{case.name}, {way}", case.is_ok, list(_problems(case, ended))) for case in cases)
    what = "authorities, hosts, redirects, proxies, closed connections, denied keys"
    return [row_of("transport", what, tried, begin, "refused connections count as failed and said so")]


def _problems(case: Case, ended: Run) -> Iterator[Problem]:
    one = ended[case.name]
    if (one.outcome == "ok") != case.is_ok:
        yield WRONG, f"{one.outcome}: {one.msg[:300]}"
        return
    items = [item.get("msg") for item in one.result.get("results", ()) if isinstance(item, dict)]
    said = f"{one.msg} {one.result.get('warnings', '')} {items}"
    # The default callback takes warnings out of the result when it prints them.
    said += " ".join(ended.text.split()) if case.is_ok else ""
    yield from ((WRONG, f"it does not say {words!r}: {said[:300]}") for words in case.words if words not in said)
    if API_KEY in str(one.result):
        yield LEAKED, "the key is in the result"
    if problem := case.check(one):
        yield LEAKED if "the key" in problem else WRONG, problem


def _unused(wire: Wire, what: str) -> Check:
    """There was not even a connection to this server."""

    def check(_one: Recording) -> str:
        leaked = " with the key" if wire.about(API_KEY) else ""
        is_unused = not (wire.received or wire.connections)
        return "" if is_unused else f"{what} got {wire.connections} connections, {len(wire.received)} requests{leaked}"

    return check


def _unsent(wire: Wire, text: str = "") -> Check:
    """No request with this text was sent to this server."""
    return lambda _one: "the request reached the server, with the key" if wire.about(text) else ""


def _reached(wire: Wire, name: str) -> Check:
    """Exactly one request of this case reached the panel, with the key and nobody else's."""

    def check(_one: Recording) -> str:
        requests = wire.about(f"/{name} ")
        if len(requests) != 1 or API_KEY.encode() not in requests[0]:
            return f"{len(requests)} requests reached the panel"
        has_other = any(b"authorization" in request.lower() for request in requests)
        return "what .netrc holds was sent" if has_other else ""

    return check


def _at(wire: Wire) -> str:
    return f"http://127.0.0.1:{wire.port}"


def _asked(name: str, url: str, **more: Any) -> dict[str, Any]:
    return {"path": f"/{name}", "api_url": url, "timeout": 5, "retry_time": 0, **more}


def _tls(folder: Path, servers: contextlib.ExitStack) -> Iterator[Case]:
    """Certificates of a private authority, near by."""
    authority, other = Authority(folder), Authority(folder, "another authority")
    panel = servers.enter_context(recording(tls=authority.issue("127.0.0.1")))
    expired = servers.enter_context(recording(tls=authority.issue("127.0.0.1", days=-1)))
    six = servers.enter_context(recording(tls=authority.issue("::1"), host="::1"))
    plain = servers.enter_context(recording(host="::1"))
    own = {"ca_path": str(authority.file)}
    unchecked = {"validate_certs": False}
    unknown = "not signed by an authority"

    def case(
        name: str, wire: Wire, options: dict[str, Any], words: tuple[str, ...] = (), host: str = "127.0.0.1"
    ) -> Case:
        is_ok = not words or options is unchecked
        check = _reached(wire, name) if is_ok else _unsent(wire, f"/{name} ")
        return Case(name, _asked(name, f"https://{host}:{wire.port}", **options), check, words, is_ok)

    yield case("unknown-authority", panel, {}, (unknown, "ca_path"))
    yield case("other-authority", panel, {"ca_path": str(other.file)}, (unknown,))
    yield case("own-authority", panel, own)
    yield case("wrong-host", panel, own, ("is for another host name",), "localhost")
    yield case("expired", expired, own, ("has expired",))
    yield case("unchecked", panel, unchecked, ("validate_certs is false",))
    yield case("unchecked-expired", expired, unchecked, ("validate_certs is false",))
    yield case("unchecked-host", panel, unchecked, ("validate_certs is false",), "localhost")
    missing = {"ca_path": str(folder / "missing.pem")}
    yield case("no-such-authority", panel, missing, ("ca_path:", "there is no file"))
    yield case("literal-address-6", six, own, host="[::1]")
    yield case("literal-address-6-unknown", six, {}, (unknown,), "[::1]")
    yield Case("plain-6", _asked("plain-6", f"http://[::1]:{plain.port}"), _reached(plain, "plain-6"), is_ok=True)


def _far(folder: Path, servers: contextlib.ExitStack) -> Iterator[Case]:
    """A panel that is not on this machine: behind a proxy, which is the only way to it."""
    authority = Authority(folder, "far authority")
    panel = servers.enter_context(recording(tls=authority.issue(FAR)))
    stranger = servers.enter_context(recording(tls=authority.issue("elsewhere.example")))
    tunnel, to_stranger, unused = (servers.enter_context(proxy(wire.port)) for wire in (panel, stranger, panel))
    refusing = servers.enter_context(proxy(panel.port, "407 Proxy Authentication Required"))
    own = {"ca_path": str(authority.file)}

    def only_the_tunnel(name: str) -> Check:
        def check(one: Recording) -> str:
            is_clean = not tunnel.about(API_KEY) and tunnel.received[-1].startswith(f"CONNECT {FAR}:443 ".encode())
            return _reached(panel, name)(one) or ("" if is_clean else "the proxy saw more than the host, maybe the key")

        return check

    through = {"HTTPS_PROXY": _at(tunnel), "HTTP_PROXY": _at(unused)}
    for name, url, environment in (
        ("through-a-proxy", f"https://{FAR}", through),
        ("through-a-proxy-bare", FAR, through),
        ("through-a-proxy-lower", f"https://{FAR}", {"https_proxy": _at(tunnel)}),
    ):
        yield Case(name, _asked(name, url, **own), only_the_tunnel(name), is_ok=True, environment=environment)
    for name, words, environment, check in (
        ("proxy-to-another-host", "is for another host name", {"HTTPS_PROXY": _at(to_stranger)}, _unsent(stranger)),
        ("refused-by-the-proxy", "the proxy", {"HTTPS_PROXY": _at(refusing)}, _unsent(panel, "/refused-by-the-proxy ")),
        (
            "passing-by-the-proxy",
            "does not resolve",
            {"HTTPS_PROXY": _at(unused), "NO_PROXY": f"localhost,{FAR}"},
            _unused(unused, "the proxy that NO_PROXY rules out"),
        ),
    ):
        yield Case(name, _asked(name, f"https://{FAR}", **own), check, (words,), environment=environment)
    # Plain http to another machine; every way there would be through this proxy.
    caught = servers.enter_context(proxy(9))
    everywhere = dict.fromkeys(PROXIES, _at(caught))
    for host in (FAR, "192.0.2.1", "[2001:db8::10]", "127.0.0.1.example", "localhost.example"):
        options, said = _asked("plain", f"http://{host}"), ("api_url:", "plain http", "use https://")
        yield Case(f"plain http to {host}", options, _unused(caught, "the network"), said, environment=everywhere)


def _near(servers: contextlib.ExitStack) -> Iterator[Case]:
    """Redirects of the simulator, and a proxy for what is near by."""
    caught, unused = servers.enter_context(recording()), servers.enter_context(proxy(9))
    for status in REDIRECTS:
        fault = {"kind": "redirect", "status": status, "location": f"{_at(caught)}/api/v2/clients"}
        for method, body in (("GET", None), ("POST", {"username": "x"})):
            yield Case(
                f"{status} of {method}",
                {"method": method, "path": "/clients", "body": body},
                _unused(caught, "the target of the redirect"),
                ("redirects to 127.0.0.1", "not followed"),
                before=(*FRESH, ["POST", "/faults", fault]),
            )
    near = dict.fromkeys(PROXIES, _at(unused))
    check = _unused(unused, "a proxy for what stays on this machine")
    yield Case("near by with a proxy", {}, check, is_ok=True, module="panel_ping", environment=near)


def _closed() -> Iterator[Case]:
    """The panel closes kept connections between two items, with and without saying so."""
    for name, setting, count, pause in (
        ("closed after 1", {"requests_per_connection": 1, "announce_close": True}, ITEMS, 0),
        ("closed after 1, unannounced", {"requests_per_connection": 1, "announce_close": False}, ITEMS, 0),
        ("closed after 3, unannounced", {"requests_per_connection": 3, "announce_close": False}, ITEMS, 0),
        ("closed while idle", {"keep_alive_seconds": 0.05}, 3, 0.2),
    ):

        def check(one: Recording, count: int = count) -> str:
            sent = sum(call.startswith("POST ") for call in one.calls)
            return "" if sent == count else f"{sent} instead of {count} POST requests"

        yield Case(
            name,
            {"username": "client-{{ item }}", "password": "Correct-horse-7", "retry_time": 5},
            check,
            is_ok=True,
            module="panel_client",
            before=(*FRESH, ["POST", "/settings", setting]),
            keywords={"loop": list(range(count)), "loop_control": {"pause": pause}},
        )


def _denied() -> Iterator[Case]:
    """After the first 401 or 403 a task sends nothing more, also with many objects at once; after a 401 no item of its loop does."""
    off = (*FRESH, ["POST", "/settings", {"api_enabled": False}])
    wrong_key = {"api_key": "k7654321.another-key"}
    acme, client = {"username": "acme"}, {"username": "client-{{ item }}"}
    many = {"resources": customers(4), "concurrency": 8}
    for name, module, options, keywords, status in (
        ("401 in a task", "panel_client", {**acme, **wrong_key}, {}, 401),
        ("401 in a loop", "panel_client", {**client, **wrong_key}, {"loop": list(range(ITEMS))}, 401),
        ("403 in a task", "panel_client", acme, {}, 403),
        ("401 of many", "panel_resources", {**many, **wrong_key}, {}, 401),
        ("403 of many", "panel_resources", many, {}, 403),
        ("403 of many in check mode", "panel_resources", many, {"check_mode": True}, 403),
        ("401 of a list", "panel_client_info", wrong_key, {}, 401),
        ("accepted again", "panel_ping", {}, {}, 200),
    ):

        def check(one: Recording, status: int = status) -> str:
            found = [request["status"] for request in one.requests]
            return "" if found == [status] else f"the panel answered {found} instead of {[status]}"

        words = {401: ("401", "api_key"), 403: ("403", "API is switched off")}.get(status, ())
        before = off if status == 403 else FRESH
        yield Case(name, options, check, words, status == 200, module, before=before, keywords=keywords)
