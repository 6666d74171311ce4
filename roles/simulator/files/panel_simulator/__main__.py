# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m panel_simulator: options, start and end."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import ssl
import sys
import threading
import time
from pathlib import Path
from typing import Any

import yaml

from panel_simulator import API_PATH
from panel_simulator.application import Application
from panel_simulator.background import is_running
from panel_simulator.calls import ApiError
from panel_simulator.kinds import KINDS, InstalledPanel
from panel_simulator.server import Listener
from panel_simulator.settings import read_profile
from panel_simulator.state import StateFile, write_atomically

_WATCH_INTERVAL = 0.2


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line; exits with a message when it is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m panel_simulator",
        description="A simulator of the panel's REST API v2. README.md says more.",
    )
    add = parser.add_argument
    key = parser.add_mutually_exclusive_group(required=True)
    key.add_argument("--api-key", metavar="KEY", help="the one key that requests must carry")
    key.add_argument("--api-key-file", type=Path, metavar="FILE", help="a file with the key")
    add(
        "--host",
        metavar="ADDRESS",
        default="127.0.0.1",
        help="listen on this address (default: %(default)s)",
    )
    add("--port", type=_read_port, default=0, help="listen on this port; 0: a free one (default)")
    add(
        "--port-file",
        type=Path,
        metavar="FILE",
        help="write the port here once requests are accepted",
    )
    add(
        "--pid-file",
        type=Path,
        metavar="FILE",
        help="write the process id here; removed at the end",
    )
    add("--tls", nargs=2, metavar=("CERTIFICATE", "KEY"), help="serve HTTPS with these PEM files")
    add(
        "--dns",
        type=_read_port,
        metavar="PORT",
        help="answer DNS queries for the panel's zones; 0: on a free port",
    )
    add(
        "--dns-port-file",
        type=Path,
        metavar="FILE",
        help="write the port of --dns here, before --port-file",
    )
    add(
        "--state",
        type=Path,
        metavar="FILE",
        help="keep the objects, and their passwords, here across restarts",
    )
    add(
        "--seed",
        type=Path,
        metavar="FILE",
        help="create the objects of this file if there is no state yet",
    )
    add(
        "--settings",
        metavar="JSON",
        default="{}",
        help="settings as a JSON object; they outrank the profile",
    )
    add(
        "--profile",
        type=Path,
        metavar="FILE",
        help="what this panel does where the API leaves it open",
    )
    add("--latency", type=float, metavar="MS", help="milliseconds before each answer")
    add(
        "--read-only",
        action="store_true",
        help="answer every write with 403, as to a key that may only read",
    )
    add("--parent", type=int, metavar="PID", help="end when this process is gone")
    add("--max-seconds", type=float, metavar="N", help="end after this time in any case")
    options = parser.parse_args(arguments)
    if options.dns_port_file and options.dns is None:
        parser.error("--dns-port-file needs --dns")

    return options


def _read_port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 2**16):
        raise argparse.ArgumentTypeError("must be a number from 0 to 65535")
    return int(text)


def _read_settings(options: argparse.Namespace) -> list[Any]:
    """Return those of the profile, and what outranks them; raises ApiError or ValueError."""
    settings: list[Any] = []
    if options.profile:
        settings.append(read_profile(options.profile, KINDS))

    try:
        settings.append(json.loads(options.settings))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the settings are not JSON: {error}.") from error

    if options.latency is not None:
        settings.append({"latency": options.latency})

    return settings


def _make_application(options: argparse.Namespace) -> Application:
    """Make the application with its first objects; raises ApiError, OSError or ValueError."""
    api_key = options.api_key
    if options.api_key_file:
        api_key = options.api_key_file.read_text(encoding="utf-8").strip()

    if not api_key:
        raise ValueError("the API key is empty.")

    seed = {}
    if options.seed:
        seed = _read_document(options.seed)

    panel = InstalledPanel(api_key)
    panel.is_read_only = options.read_only
    scheme = "https" if options.tls else "http"
    return Application(panel, scheme, _read_settings(options), seed)


def _read_document(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path} is neither JSON nor YAML: {reason}.") from error


def _make_tls_context(options: argparse.Namespace) -> ssl.SSLContext | None:
    if not options.tls:
        return None

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(*options.tls)
    except OSError as error:
        raise ValueError(f"--tls {' '.join(options.tls)}: {error.strerror or error}.") from error

    return context


class _Saver:
    """What keeps the objects of a panel in the file of --state, if there is one."""

    def __init__(self, options: argparse.Namespace, application: Application) -> None:
        self._lock = application.lock
        self._file: StateFile | None = None
        if options.state:
            self._file = StateFile(options.state, application.panel)

    def save(self) -> None:
        """Write the state, unless nothing has changed."""
        if self._file is not None:
            with self._lock:
                self._file.save()


def _serve(options: argparse.Namespace) -> None:
    """Serve until a signal, the end of the parent or the end of the time."""
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: ended.set())

    application = _make_application(options)
    saver = _Saver(options, application)
    saver.save()

    with contextlib.ExitStack() as stack:
        stack.callback(saver.save)
        _listen(options, application, stack)
        end = time.monotonic() + (options.max_seconds or float("inf"))
        while not ended.wait(_WATCH_INTERVAL) and time.monotonic() < end:
            saver.save()
            if options.parent is not None and not is_running(options.parent):
                return


def _listen(
    options: argparse.Namespace, application: Application, stack: contextlib.ExitStack
) -> None:
    """Accept requests, and DNS queries if asked for, and report where."""
    listener = Listener(options.host, options.port, _make_tls_context(options), application.answer)
    application.listener = listener
    stack.callback(listener.stop)
    host = f"[{options.host}]" if ":" in options.host else options.host
    url = f"{application.scheme}://{host}:{listener.port}{API_PATH}"
    messages = [f"Panel simulator listens on {url}"]
    numbers = {options.pid_file: os.getpid()}
    if options.dns is not None:
        # Only a caller that asks for it needs dnspython, which takes as long to load as all else.
        from panel_simulator.name_server import NameServer

        name_server = NameServer(application, options.host, options.dns)
        stack.callback(name_server.stop)
        messages.append(f"Panel simulator answers DNS queries on {host}:{name_server.port}")
        numbers[options.dns_port_file] = name_server.port

    listener.start()
    # The port of the listener comes last: a program that waits for this file finds the others.
    numbers[options.port_file] = listener.port

    for path, number in numbers.items():
        if path:
            write_atomically(path, f"{number}\n")

    if options.pid_file:
        stack.callback(_remove_pid_file, options.pid_file)

    print(*messages, sep="\n", flush=True)


def _remove_pid_file(path: Path) -> None:
    """Remove the file with the process id of this process.

    Another process may have put its own there since; then the file stays.
    """
    with contextlib.suppress(OSError, ValueError):
        if int(path.read_text(encoding="ascii")) == os.getpid():
            path.unlink()


def main(arguments: list[str] | None = None) -> int:
    """Return the exit code: 0 at a regular end, 2 and a sentence on standard error otherwise."""
    options = parse_arguments(arguments)
    try:
        _serve(options)
    except OSError as error:
        reason = f"{error.strerror or error}."
        if error.filename:
            reason = f"{error.filename}: {reason}"
    except (ApiError, ImportError, ValueError) as error:
        reason = str(error)
    else:
        return 0

    print(f"The simulator cannot start: {reason}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
