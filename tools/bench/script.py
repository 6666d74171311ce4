"""The floor: plain scripts with requests that do the same work. `python script.py mailboxes|report FILE`, a JSON file with all that they need.

`mailboxes` brings those of a panel in line: one list, a second one only where something must be created, and the writes that are needed. `report`
makes the requests of a report, with threads. The CA is in the environment variable REQUESTS_CA_BUNDLE.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
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


def sender(url: str, key: str, at_once: int) -> Send:
    """A function that sends a request and returns its answer."""
    session = requests.Session()
    session.headers["X-API-Key"] = key
    session.mount("https://", HTTPAdapter(pool_maxsize=at_once))

    def send(method: str, path: str, body: Any = None) -> Any:
        response = session.request(method, f"{url}/api/v2{path}", json=body, timeout=60)
        response.raise_for_status()
        return response.json()

    return send


def mailboxes(wish: dict[str, Any]) -> None:
    """Compare with the panel and send what is missing or differs."""
    send = sender(wish["panel_url"], wish["panel_key"], wish["concurrency"])
    present = {mailbox["email"]: mailbox for mailbox in send("GET", "/emails")}
    missing, writes = [], []
    for mailbox in wish["mailboxes"]:
        found = present.get(mailbox["email"])
        if found is None:
            missing.append(mailbox)
        elif changes := {name: mailbox[name] for name in FIELDS if mailbox[name] != found[name]}:
            writes.append(("PUT", f"/emails/{found['id']}", changes))
    if missing:
        owners = {domain["domain"]: domain["id_user"] for domain in send("GET", "/domains")}
        for mailbox in missing:
            body = {**mailbox, "id_user": owners[mailbox["email"].rpartition("@")[2]]}
            writes.append(("POST", "/emails", body))
    if wish["concurrency"] == 1:
        for write in writes:
            send(*write)
    else:
        with ThreadPoolExecutor(wish["concurrency"]) as pool:
            list(pool.map(lambda write: send(*write), writes))


def report(wish: dict[str, Any]) -> None:
    """Read every panel and print how much there was."""

    def read(url: str) -> int:
        send = sender(url, wish["panel_key"], wish["concurrency"])
        send("GET", "/server")
        with ThreadPoolExecutor(wish["concurrency"]) as pool:
            lists = dict(
                zip(LISTS, pool.map(lambda name: send("GET", f"/{name}"), LISTS), strict=True)
            )
            paths = [f"/clients/{one['id']}/stats" for one in lists["clients"]]
            paths += [
                f"/clients/{one['id']}/traffic?month={month}"
                for one in lists["clients"]
                for month in wish["months"]
            ]
            paths += [f"/dns/{one['id']}" for one in lists["domains"] if not one["is_subdomain"]]
            return 1 + len(LISTS) + len(list(pool.map(lambda path: send("GET", path), paths)))

    with ThreadPoolExecutor(wish["panels_at_once"]) as pool:
        print(sum(pool.map(read, wish["panels"])), "answers")


if __name__ == "__main__":
    {"mailboxes": mailboxes, "report": report}[sys.argv[1]](
        json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    )
