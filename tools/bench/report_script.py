"""The requests of a report as a plain script with threads makes them, which is what the report is compared with.

`python report_script.py FILE`: a JSON file with `panels` (addresses), `key`, `ca`, `months`, and how many `panels_at_once` and `requests_at_once`.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import requests
from requests.adapters import HTTPAdapter

LISTS = (
    "hosting-plans",
    "clients",
    "domains",
    "certificates",
    "emails",
    "databases",
    "ftp-users",
    "scheduled-tasks",
    "directory-protections",
)


def main(file: str) -> None:
    """Read every panel and print how much there was."""
    wish = json.loads(Path(file).read_text(encoding="utf-8"))
    with ThreadPoolExecutor(wish["panels_at_once"]) as pool:
        print(sum(pool.map(lambda url: _read(url, wish), wish["panels"])), "answers")


def _read(url: str, wish: dict[str, Any]) -> int:
    session = requests.Session()
    session.headers["X-API-Key"] = wish["key"]
    session.verify = wish["ca"]
    session.mount("https://", HTTPAdapter(pool_maxsize=wish["requests_at_once"]))

    def get(path: str) -> Any:
        answer = session.get(f"{url}/api/v2{path}", timeout=60)
        answer.raise_for_status()
        return answer.json()

    get("/server")
    with ThreadPoolExecutor(wish["requests_at_once"]) as pool:
        lists = dict(zip(LISTS, pool.map(lambda name: get(f"/{name}"), LISTS), strict=True))
        paths = [f"/clients/{client['id']}/stats" for client in lists["clients"]]
        paths += [
            f"/clients/{client['id']}/traffic?month={month}" for client in lists["clients"] for month in wish["months"]
        ]
        paths += [f"/dns/{domain['id']}" for domain in lists["domains"] if not domain["is_subdomain"]]
        return 1 + len(LISTS) + len(list(pool.map(get, paths)))


if __name__ == "__main__":
    main(sys.argv[1])
