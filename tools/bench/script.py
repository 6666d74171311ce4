"""The floor: a plain script with requests that brings the mailboxes of a panel in line.

``python floor.py VARIABLES URL CONCURRENCY``, where VARIABLES is the JSON file that the playbooks get. One list, a second one only where
something must be created, and the writes that are needed. The CA is in the environment variable REQUESTS_CA_BUNDLE.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import requests

MEMBERS = ("description", "max_size")


def main(file: str, url: str, concurrency: int) -> None:
    """Read the variables, compare with the panel and send what is missing or differs."""
    variables = json.loads(Path(file).read_text(encoding="utf-8"))
    session = requests.Session()
    session.headers["X-API-Key"] = variables["panel_key"]
    session.mount("https://", requests.adapters.HTTPAdapter(pool_maxsize=concurrency))

    def send(method: str, path: str, body: Any = None) -> Any:
        response = session.request(method, f"{url}/api/v2{path}", json=body, timeout=60)
        response.raise_for_status()
        return response.json()

    present = {mailbox["email"]: mailbox for mailbox in send("GET", "/emails")}
    missing, different = [], []
    for mailbox in variables["mailboxes"]:
        found = present.get(mailbox["email"])
        if found is None:
            missing.append(mailbox)
        else:
            changes = {name: mailbox[name] for name in MEMBERS if mailbox[name] != found[name]}
            if changes:
                different.append(("PUT", f"/emails/{found['id']}", changes))
    writes = list(different)
    if missing:
        owners = {domain["domain"]: domain["id_user"] for domain in send("GET", "/domains")}
        for mailbox in missing:
            body = {**mailbox, "id_user": owners[mailbox["email"].rpartition("@")[2]]}
            writes.append(("POST", "/emails", body))
    if concurrency == 1:
        for write in writes:
            send(*write)
        return
    with ThreadPoolExecutor(concurrency) as pool:
        for _answer in pool.map(lambda write: send(*write), writes):
            pass


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
