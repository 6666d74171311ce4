"""A panel simulator of one's own for a test.

A process on a free port, ended by ``stop`` or with the process that started it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import requests

FILES = Path(__file__).resolve().parents[2] / "roles" / "simulator" / "files"
API_KEY = "k1234567.simulator-test-key"
WRITES = ("POST", "PUT", "DELETE")
START_TIME = 20.0


def end(process: subprocess.Popen[bytes]) -> None:
    """End the process; do nothing if it has ended."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)


class Simulator:
    """A running simulator.

    ``url`` is its base without a path, ``api_url`` the one with /api/v2, ``dns_port`` that of its
    name server or 0.
    """

    def __init__(
        self,
        api_key: str = API_KEY,
        settings: dict[str, Any] | None = None,
        tls: tuple[str, str] | None = None,
        arguments: Sequence[str] = (),
        max_seconds: float = 1800,
        dns: bool = False,
    ) -> None:
        """Start one and waits until it accepts requests.

        ``tls`` is (certificate file, key file) for 127.0.0.1.

        ``arguments`` are further options of the command line; ``dns``: whether it answers DNS
        queries too. Raises RuntimeError with what the simulator said if it does not start.
        """
        self.api_key = api_key
        self.dns_port = 0
        self._session = requests.Session()
        self._session.verify = str(tls[0]) if tls else True
        # Settings of the machine (proxies, CA bundles) are not for a test's own loopback server.
        self._session.trust_env = False
        command = [
            sys.executable,
            "-m",
            "panel_simulator",
            "--parent",
            str(os.getpid()),
            "--api-key",
            api_key,
        ]
        command += [
            "--max-seconds",
            str(max_seconds),
            "--settings",
            json.dumps(settings or {}),
            *arguments,
        ]
        if tls:
            command += ["--tls", *map(str, tls)]
        self._error_file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in stop

        with tempfile.TemporaryDirectory(prefix="simulator-") as directory:
            port_file = Path(directory, "port")
            dns_port_file = Path(directory, "dns-port")
            command += ["--dns", "0", "--dns-port-file", str(dns_port_file)] if dns else []
            self.process = subprocess.Popen(
                [*command, "--port-file", str(port_file)],
                env={**os.environ, "PYTHONPATH": str(FILES)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._error_file,
            )
            port = _wait_for_port(self.process, port_file)

            if not port:
                errors = self.read_errors()
                self.stop()
                raise RuntimeError(f"The simulator did not start: {errors or 'it said nothing'}")

            if dns:
                self.dns_port = int(dns_port_file.read_text(encoding="ascii"))

        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
        self.api_url = f"{self.url}/api/v2"

    @classmethod
    def start(cls, *arguments: Any, **options: Any) -> Simulator:
        """Start a simulator; a name for the class that says what happens."""
        return cls(*arguments, **options)

    def __enter__(self) -> Simulator:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables of the environment that name this panel and its key."""
        return {"PANEL_API_URL": self.url, "PANEL_API_KEY": self.api_key}

    def read_errors(self) -> str:
        """Return what it wrote to its standard error: nothing, unless something in it is broken."""
        self._error_file.seek(0)
        return self._error_file.read().decode("utf-8", "replace")

    def stop(self) -> None:
        """End the process; do nothing if it has ended."""
        self._session.close()
        end(self.process)
        self._error_file.close()

    def request(
        self, method: str, path: str, body: Any = None, **keywords: Any
    ) -> requests.Response:
        """Send a request to the API with the key; ``path`` is below /api/v2.

        It is logged like any other.
        """
        headers = {
            "X-API-Key": self.api_key,
            "Accept": "application/json",
            **keywords.pop("headers", {}),
        }
        data = None if body is None else json.dumps(body).encode()
        keywords.setdefault("timeout", 30)
        keywords.setdefault("allow_redirects", False)

        return self._session.request(
            method, self.api_url + path, data=data, headers=headers, **keywords
        )

    def read_log(self, since: int = 0) -> list[dict[str, Any]]:
        """Return the requests after number ``since``.

        Each with number, time, connection, method, path, query, target, body, status and fault.
        """
        requests: list[dict[str, Any]] = self.send_control_request("GET", f"/log?since={since}")[
            "requests"
        ]
        return requests

    def get_last_number(self) -> int:
        """Return the number of the last request, to ask for those after it."""
        return int(self.send_control_request("GET", "/log?since=999999999")["next"])

    def clear_log(self) -> None:
        """Forget the requests so far; numbers go on."""
        self.send_control_request("DELETE", "/log")

    def list_writes(self, since: int = 0) -> list[dict[str, Any]]:
        """Return the POST, PUT and DELETE requests of the log."""
        return [entry for entry in self.read_log(since) if entry["method"] in WRITES]

    def queue_fault(self, fault: dict[str, Any] | list[dict[str, Any]]) -> None:
        """Queue a fault, or several."""
        self.send_control_request("POST", "/faults", fault)

    def list_faults(self) -> list[dict[str, Any]]:
        """Return the faults that are still queued."""
        queued: list[dict[str, Any]] = self.send_control_request("GET", "/faults")
        return queued

    def clear_faults(self) -> None:
        """Take all queued faults back."""
        self.send_control_request("DELETE", "/faults")

    def change_settings(self, changes: dict[str, Any] | None = None) -> dict[str, Any]:
        """Merge ``changes`` into the settings, and return all of them as they are then."""
        settings: dict[str, Any] = self.send_control_request(
            "GET" if changes is None else "POST", "/settings", changes
        )
        return settings

    def get_state(self) -> dict[str, Any]:
        """Return everything that the panel knows, passwords included."""
        state: dict[str, Any] = self.send_control_request("GET", "/state")
        return state

    def set_state(self, state: dict[str, Any]) -> None:
        """Put a state from ``state()`` back."""
        self.send_control_request("PUT", "/state", state)

    def list_objects(self, kind: str) -> list[dict[str, Any]]:
        """Return the objects of a kind: their members with ``id``, and ``hidden`` (passwords)."""
        return [
            {"id": item["id"], **item["data"], "hidden": item["hidden"]}
            for item in self.get_state()["objects"][kind]
        ]

    def seed(self, seed: dict[str, Any]) -> dict[str, int]:
        """Create objects in bulk, references by name; the number of objects by kind.

        It is not logged.
        """
        counts: dict[str, int] = self.send_control_request("POST", "/seed", seed)
        return counts

    def get_counters(self) -> dict[str, Any]:
        """Return by_method, connections and stalled."""
        counters: dict[str, Any] = self.send_control_request("GET", "/counters")
        return counters

    def reset(self) -> None:
        """Set objects, settings, faults and log to what they were after the start."""
        self.send_control_request("POST", "/reset")

    def send_control_request(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request to the simulator itself, not to its panel."""
        data = None if body is None else json.dumps(body).encode()
        response = self._session.request(
            method, f"{self.url}/_simulator{path}", data=data, timeout=60
        )
        if response.status_code >= 400:
            raise ValueError(f"{method} /_simulator{path}: {response.text}")

        return response.json() if response.content else None


def _wait_for_port(process: subprocess.Popen[bytes], port_file: Path) -> int:
    """Return the port, 0 if the process ended or took too long."""
    deadline = time.monotonic() + START_TIME
    while time.monotonic() < deadline and process.poll() is None:
        if port_file.exists():
            return int(port_file.read_text(encoding="ascii"))
        time.sleep(0.01)

    return 0
