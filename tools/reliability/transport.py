"""Everything between the controller and the panel: TLS, plain http, redirects, .netrc, proxies, IPv6, closed connections, denied keys."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.broken_server import Wire, proxy, recording
from tests.support.bulk import customers
from tests.support.pem import Authority
from tests.support.playbook import IN_PROCESS, MODULE, PRELOADED, Recording, Run, play, task
from tests.support.simulator import API_KEY, Simulator
from tools.reliability.figures import Row, Size

OK, FAILED = "ok", "failed"
REDIRECTS = (301, 302, 303, 307, 308)
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
FAR = "panel.example"
FRESH: list[Any] = [["POST", "/reset", None], ["POST", "/seed", {"clients": [{"username": "acme"}]}]]
ITEMS = 6
MANY = customers(4)
PASSWORD_OF_NETRC = "hunter2-of-netrc"
QUICK = {"timeout": 5, "retry_time": 0}


def _nothing_more(_recording: Recording) -> Iterator[str]:
    yield from ()


@dataclass(frozen=True)
class Case:
    """A task. words: of its message or of the warnings; check: what else is wrong with it, in words; reached: whether the panel may be."""

    name: str
    options: dict[str, Any]
    outcome: str = OK
    words: tuple[str, ...] = ()
    module: str = "panel_api"
    environment: dict[str, str] = field(default_factory=dict)
    before: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    check: Callable[[Recording], Iterator[str]] = _nothing_more

    def task(self) -> dict[str, Any]:
        keywords = {**self.keywords, **({"environment": self.environment} if self.environment else {})}
        return task(self.name, self.module, self.options, self.before, **keywords)


def run(size: Size) -> list[Row]:
    """The rows of the table."""
    started = time.monotonic()
    tried, failed = 0, 0
    wrong: list[str] = []
    for way in (IN_PROCESS, MODULE):
        with tempfile.TemporaryDirectory(prefix="transport-") as temporary, contextlib.ExitStack() as servers:
            folder = Path(temporary)
            simulator = servers.enter_context(Simulator.start(settings={"status_delay": 0}))
            cases = [*_tls(folder, servers), *_far(folder, servers), *_plain(servers), *_near(servers)]
            if way == MODULE and size is Size.SLICE:
                cases = cases[::4]
            _write_netrc(folder)
            tasks = [case.task() for case in cases]
            run_of_way = play(tasks, simulator, folder, way, ["-v"], PRELOADED)
            found = [f"{case.name}, {way}: {problem}" for case in cases for problem in _problems(case, run_of_way)]
            tried, wrong = tried + len(cases), wrong + found
            failed += sum(case.outcome == FAILED == run_of_way[case.name].outcome for case in cases)
    return [
        Row(
            experiment="transport",
            what="authorities, hosts, redirects, proxies, closed connections, denied keys",
            tried=tried,
            survived=tried - failed - len(wrong),
            failed_loudly=failed,
            leaked=sum("the key" in problem for problem in wrong),
            seconds=time.monotonic() - started,
            remark="refused connections count as failed and said so",
            wrong=wrong,
        )
    ]


def _problems(case: Case, run_of_way: Run) -> Iterator[str]:
    one = run_of_way[case.name]
    if one.outcome != case.outcome:
        yield f"{one.outcome} instead of {case.outcome}: {one.msg[:300]}"
        return
    said = f"{one.msg} {one.result.get('warnings', '')} {[item.get('msg') for item in one.result.get('results', ()) if isinstance(item, dict)]}"
    # The default callback takes warnings out of the result when it prints them.
    said = f"{said} {' '.join(run_of_way.text.split())}" if case.outcome == OK else said
    yield from (f"it does not say {words!r}: {said[:300]}" for words in case.words if words not in said)
    if API_KEY in str(one.result):
        yield "the key is in the result"
    yield from case.check(one)


def _never_reached(wire: Wire, what: str, connections: bool = True) -> Callable[[Recording], Iterator[str]]:
    """Nothing was sent to this server; with ``connections`` there was not even a connection."""

    def check(_recording: Recording) -> Iterator[str]:
        if wire.received or (connections and wire.connections):
            leaked = " with the key" if wire.about(API_KEY) else ""
            yield f"{what} got {wire.connections} connections and {len(wire.received)} requests{leaked}"

    return check


def _reached(wire: Wire, name: str) -> Callable[[Recording], Iterator[str]]:
    """Exactly one request of this case reached the panel, with the key and nobody else's."""

    def check(_recording: Recording) -> Iterator[str]:
        requests = wire.about(f"/{name} ")
        if len(requests) != 1 or API_KEY.encode() not in requests[0]:
            yield f"{len(requests)} requests reached the panel"
        if any(b"authorization" in request.lower() for request in requests):
            yield "what .netrc holds was sent"

    return check


def _asked(name: str, url: str, **more: Any) -> dict[str, Any]:
    return {"path": f"/{name}", "api_url": url, **QUICK, **more}


def _tls(folder: Path, servers: contextlib.ExitStack) -> Iterator[Case]:
    """Certificates of a private authority, near by."""
    authority, other = Authority(folder), Authority(folder, "another authority")
    panel = servers.enter_context(recording(tls=authority.issue("127.0.0.1")))
    expired = servers.enter_context(recording(tls=authority.issue("127.0.0.1", days=-1)))
    own: dict[str, Any] = {"ca_path": str(authority.file)}

    def case(name: str, wire: Wire, words: tuple[str, ...] = (), host: str = "127.0.0.1", **options: Any) -> Case:
        given = _asked(name, f"https://{host}:{wire.port}", **options)
        if words and not name.startswith("unchecked"):
            return Case(name, given, FAILED, words, check=_unseen(wire, name))
        return Case(name, given, OK, words, check=_reached(wire, name))

    yield case("unknown-authority", panel, ("not signed by an authority", "ca_path"))
    yield case("other-authority", panel, ("not signed by an authority",), ca_path=str(other.file))
    yield case("own-authority", panel, **own)
    yield case("wrong-host", panel, ("is for another host name",), "localhost", **own)
    yield case("expired", expired, ("has expired",), **own)
    yield case("unchecked", panel, ("validate_certs is false",), validate_certs=False)
    yield case("unchecked-expired", expired, ("validate_certs is false",), validate_certs=False)
    yield case("unchecked-host", panel, ("validate_certs is false",), "localhost", validate_certs=False)
    yield case("no-such-authority", panel, ("ca_path:", "there is no file"), ca_path=str(folder / "missing.pem"))
    six = servers.enter_context(recording(tls=authority.issue("::1"), host="::1"))
    yield case("literal-address-6", six, host="[::1]", **own)
    yield case("literal-address-6-unknown", six, ("not signed by an authority",), host="[::1]")
    plain = servers.enter_context(recording(host="::1"))
    yield Case("plain-6", _asked("plain-6", f"http://[::1]:{plain.port}"), check=_reached(plain, "plain-6"))


def _unseen(wire: Wire, name: str) -> Callable[[Recording], Iterator[str]]:
    def check(_recording: Recording) -> Iterator[str]:
        if wire.about(f"/{name} "):
            yield "the request reached the server, with the key"

    return check


def _far(folder: Path, servers: contextlib.ExitStack) -> Iterator[Case]:
    """A panel that is not on this machine: behind a proxy, which is the only way to it."""
    authority = Authority(folder, "far authority")
    panel = servers.enter_context(recording(tls=authority.issue(FAR)))
    stranger = servers.enter_context(recording(tls=authority.issue("elsewhere.example")))
    tunnel, to_stranger = (servers.enter_context(proxy(wire.port)) for wire in (panel, stranger))
    refusing = servers.enter_context(proxy(panel.port, "407 Proxy Authentication Required"))
    unused = servers.enter_context(proxy(panel.port))
    own = {"ca_path": str(authority.file)}
    through = {"HTTPS_PROXY": f"http://127.0.0.1:{tunnel.port}", "HTTP_PROXY": f"http://127.0.0.1:{unused.port}"}

    def only_the_tunnel(name: str) -> Callable[[Recording], Iterator[str]]:
        def check(one: Recording) -> Iterator[str]:
            yield from _reached(panel, name)(one)
            if tunnel.about(API_KEY) or not tunnel.received[-1].startswith(f"CONNECT {FAR}:443 ".encode()):
                yield "the proxy saw more than the name of the host, or nothing: maybe the key"

        return check

    for name, url in {"through-a-proxy": f"https://{FAR}", "through-a-proxy-bare": FAR}.items():
        yield Case(name, _asked(name, url, **own), environment=through, check=only_the_tunnel(name))
    through_lower = {"https_proxy": through["HTTPS_PROXY"]}
    name = "through-a-proxy-lower"
    yield Case(name, _asked(name, f"https://{FAR}", **own), environment=through_lower, check=only_the_tunnel(name))
    lead_away = {**through, "HTTPS_PROXY": f"http://127.0.0.1:{to_stranger.port}"}
    options = _asked("proxy-to-another-host", f"https://{FAR}", **own)
    words = ("is for another host name",)
    yield Case(
        "proxy-to-another-host",
        options,
        FAILED,
        words,
        environment=lead_away,
        check=_never_reached(stranger, "the stranger", False),
    )
    refused = {"HTTPS_PROXY": f"http://127.0.0.1:{refusing.port}"}
    options = _asked("refused-by-the-proxy", f"https://{FAR}", **own)
    yield Case(
        "refused-by-the-proxy",
        options,
        FAILED,
        ("the proxy",),
        environment=refused,
        check=_unseen(panel, "refused-by-the-proxy"),
    )
    passed_by = {"HTTPS_PROXY": f"http://127.0.0.1:{unused.port}", "NO_PROXY": f"localhost,{FAR}"}
    options = _asked("passing-by-the-proxy", f"https://{FAR}", **own)
    check = _never_reached(unused, "the proxy that NO_PROXY rules out")
    yield Case("passing-by-the-proxy", options, FAILED, ("does not resolve",), environment=passed_by, check=check)


def _plain(servers: contextlib.ExitStack) -> Iterator[Case]:
    """Plain http to another machine; every way there would be through this proxy."""
    caught = servers.enter_context(proxy(9))
    everywhere = dict.fromkeys(PROXIES, f"http://127.0.0.1:{caught.port}")
    for host in (FAR, "192.0.2.1", "[2001:db8::10]", "127.0.0.1.example", "localhost.example"):
        name = f"plain http to {host}"
        options = _asked("plain", f"http://{host}")
        words = ("api_url:", "plain http", "use https://")
        yield Case(name, options, FAILED, words, environment=everywhere, check=_never_reached(caught, "the network"))


def _near(servers: contextlib.ExitStack) -> Iterator[Case]:
    """Redirects, closed connections and denied keys, on the simulator."""
    caught = servers.enter_context(recording())
    for status in REDIRECTS:
        fault = {"kind": "redirect", "status": status, "location": f"http://127.0.0.1:{caught.port}/api/v2/clients"}
        for method in ("GET", "POST"):
            options = {"method": method, "path": "/clients", "body": {"username": "x"} if method == "POST" else None}
            yield Case(
                f"{status} of {method}",
                options,
                FAILED,
                ("redirects to 127.0.0.1", "not followed"),
                before=(*FRESH, ["POST", "/faults", fault]),
                check=_never_reached(caught, "the target of the redirect"),
            )
    unused = servers.enter_context(proxy(9))
    near = dict.fromkeys(PROXIES, f"http://127.0.0.1:{unused.port}")
    check = _never_reached(unused, "a proxy for what stays on this machine")
    yield Case("near by with a proxy", {}, module="panel_ping", environment=near, check=check)
    yield from _closed()
    yield from _denied()


def _closed() -> Iterator[Case]:
    """The panel closes kept connections between two items, with and without saying so."""
    for number, announced in ((1, True), (1, False), (3, False)):
        setting = {"requests_per_connection": number, "announce_close": announced}
        yield Case(
            f"closed after {number}{'' if announced else ', unannounced'}",
            {"username": "client-{{ item }}", "password": "Correct-horse-7", "retry_time": 5},
            module="panel_client",
            before=(*FRESH, ["POST", "/settings", setting]),
            keywords={"loop": list(range(ITEMS))},
            check=_exactly("POST", ITEMS),
        )
    yield Case(
        "closed while idle",
        {"username": "client-{{ item }}", "password": "Correct-horse-7"},
        module="panel_client",
        before=(*FRESH, ["POST", "/settings", {"keep_alive_seconds": 0.05}]),
        keywords={"loop": list(range(3)), "loop_control": {"pause": 0.2}},
        check=_exactly("POST", 3),
    )


def _exactly(method: str, count: int) -> Callable[[Recording], Iterator[str]]:
    def check(one: Recording) -> Iterator[str]:
        sent = [call for call in one.calls if call.startswith(f"{method} ")]
        if len(sent) != count:
            yield f"{len(sent)} instead of {count} {method} requests"

    return check


def _denied() -> Iterator[Case]:
    """After the first 401 or 403 a task sends nothing more, also with many objects at once; after a 401 no item of its loop does."""
    off: tuple[Any, ...] = (*FRESH, ["POST", "/settings", {"api_enabled": False}])
    wrong_key = {"api_key": "k7654321.another-key"}
    client = {"username": "client-{{ item }}"}
    loop = {"loop": list(range(ITEMS))}
    many = {"resources": MANY, "concurrency": 8}
    for name, module, options, before, keywords, status in (
        ("401 in a task", "panel_client", {"username": "acme", **wrong_key}, FRESH, {}, 401),
        ("401 in a loop", "panel_client", {**client, **wrong_key}, FRESH, loop, 401),
        ("403 in a task", "panel_client", {"username": "acme"}, off, {}, 403),
        ("401 of many", "panel_resources", {**many, **wrong_key}, FRESH, {}, 401),
        ("403 of many", "panel_resources", many, off, {}, 403),
        ("403 of many in check mode", "panel_resources", many, off, {"check_mode": True}, 403),
        ("401 of a list", "panel_client_info", wrong_key, FRESH, {}, 401),
    ):
        words = ("401", "api_key") if status == 401 else ("403", "API is switched off")
        yield Case(
            name, options, FAILED, words, module, before=tuple(before), keywords=keywords, check=_denied_once([status])
        )
    yield Case("accepted again", {}, module="panel_ping", before=tuple(FRESH), check=_denied_once([200]))


def _denied_once(statuses: Sequence[int]) -> Callable[[Recording], Iterator[str]]:
    def check(one: Recording) -> Iterator[str]:
        found = [request["status"] for request in one.requests]
        if found != list(statuses):
            yield f"the panel answered {found} instead of {list(statuses)}"

    return check


def _write_netrc(folder: Path) -> None:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    hosts = (FAR, "127.0.0.1", "localhost", "::1")
    text = "".join(f"machine {host} login admin password {PASSWORD_OF_NETRC}\n" for host in hosts)
    (home / ".netrc").write_text(text, encoding="utf-8")
    (home / ".netrc").chmod(0o600)
