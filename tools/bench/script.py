"""The floor: plain scripts with requests that do the same work.

`python script.py mailboxes|report FILE`, a JSON file with all that they need. `mailboxes` brings
those of a panel in line: one list, a second one only if something must be created, and the writes
that are needed. `report` makes the requests of a report, with threads. The CA is in the environment
variable REQUESTS_CA_BUNDLE.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import requests
from requests.adapters import HTTPAdapter

FIELDS = ("description", "max_size")
LISTS = (
    "hosting-plans", "clients", "domains", "certificates", "emails", "databases", "ftp-users", "scheduled-tasks", "directory-protections",
)  # fmt: skip
Send = Callable[..., Any]


def make_sender(url: str, key: str, at_once: int) -> Send:
    """Return a function that sends a request and returns its answer."""
    session = requests.Session()
    session.headers["X-API-Key"] = key
    session.mount("https://", HTTPAdapter(pool_maxsize=at_once))

    def send(method: str, path: str, body: Any = None) -> Any:
        """Send a request; return the decoded answer, or raise an error of requests."""
        response = session.request(method, f"{url}/api/v2{path}", json=body, timeout=60)
        response.raise_for_status()
        return response.json()

    return send


def complete_mailboxes(wish: dict[str, Any]) -> None:
    """Compare with the panel and send what is missing or differs."""
    send = make_sender(wish["panel_url"], wish["panel_key"], wish["concurrency"])
    present = {mailbox["email"]: mailbox for mailbox in send("GET", "/emails")}
    missing = []
    writes = []

    for mailbox in wish["mailboxes"]:
        current = present.get(mailbox["email"])
        if current is None:
            missing.append(mailbox)
            continue

        changes = {name: mailbox[name] for name in FIELDS if mailbox[name] != current[name]}
        if changes:
            writes.append(("PUT", f"/emails/{current['id']}", changes))

    if missing:
        owners = {domain["domain"]: domain["id_user"] for domain in send("GET", "/domains")}
        for mailbox in missing:
            body = {**mailbox, "id_user": owners[mailbox["email"].rpartition("@")[2]]}
            writes.append(("POST", "/emails", body))

    _send_all(send, writes, wish["concurrency"])


def _send_all(send: Send, writes: Sequence[tuple[str, str, Any]], at_once: int) -> None:
    """Send writes, one after the other or several at once."""
    if at_once == 1:
        for write in writes:
            send(*write)
    else:
        with ThreadPoolExecutor(at_once) as pool:
            list(pool.map(lambda write: send(*write), writes))


def report(wish: dict[str, Any]) -> None:
    """Read every panel and print how much there was."""

    def read(url: str) -> int:
        """Return the number of answers of a panel."""
        send = make_sender(url, wish["panel_key"], wish["concurrency"])

        def get(path: str) -> Any:
            return send("GET", path)

        get("/server")
        with ThreadPoolExecutor(wish["concurrency"]) as pool:
            answers = pool.map(get, [f"/{name}" for name in LISTS])
            lists = dict(zip(LISTS, answers, strict=True))
            paths = _list_paths(lists["clients"], lists["domains"], wish["months"])
            details = list(pool.map(get, paths))

        return 1 + len(LISTS) + len(details)

    with ThreadPoolExecutor(wish["panels_at_once"]) as pool:
        counts = pool.map(read, wish["panels"])
        print(sum(counts), "answers")


def _list_paths(
    clients: list[dict[str, Any]], domains: list[dict[str, Any]], months: list[str]
) -> list[str]:
    """Return the paths of what a report reads of each client and domain."""
    paths = [f"/clients/{client['id']}/stats" for client in clients]
    for client in clients:
        paths += [f"/clients/{client['id']}/traffic?month={month}" for month in months]

    paths += [f"/dns/{domain['id']}" for domain in domains if not domain["is_subdomain"]]
    return paths


if __name__ == "__main__":
    wish_file = Path(sys.argv[2])
    command = {"mailboxes": complete_mailboxes, "report": report}[sys.argv[1]]
    command(json.loads(wish_file.read_text(encoding="utf-8")))
