"""python -m panel_simulator: options, start and end."""

from __future__ import annotations

import argparse
import gc
import json
import os
import signal
import ssl
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from panel_simulator import API_PATH
from panel_simulator.application import Application
from panel_simulator.connections import Listener
from panel_simulator.errors import ApiError
from panel_simulator.handling import serving
from panel_simulator.installed_panel import InstalledPanel
from panel_simulator.known import KNOWN
from panel_simulator.open_points import read_profile
from panel_simulator.processes import is_running
from panel_simulator.settings import Settings
from panel_simulator.state import StateFile, write_atomically

if TYPE_CHECKING:
    from panel_simulator.name_server import NameListener

WATCH_INTERVAL = 0.2


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line; exits with a message when it is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m panel_simulator", description="A simulator of the panel's REST API v2."
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=_port, default=0, help="port to listen on; 0: a free one (default)")
    parser.add_argument(
        "--dns", type=_port, metavar="PORT", help="answer DNS queries for the panel's zones on this port; 0: a free one"
    )
    parser.add_argument("--dns-port-file", type=Path, help="a file to write the port of --dns to, before --port-file")
    key = parser.add_mutually_exclusive_group()
    key.add_argument("--api-key", help="the key that requests must carry")
    key.add_argument(
        "--api-key-file", type=Path, help="a file with the key, which other users then do not see among the processes"
    )
    parser.add_argument("--tls", nargs=2, metavar=("CERTIFICATE", "KEY"), help="serve HTTPS with these PEM files")
    parser.add_argument("--state", type=Path, help="a file that keeps the objects across restarts")
    parser.add_argument(
        "--seed", type=Path, help="a JSON or YAML file with objects to create, if there is no state yet"
    )
    parser.add_argument("--settings", default="{}", help="settings as a JSON object; README.md lists them")
    parser.add_argument(
        "--profile", type=Path, help="a YAML file with what this panel does where the interface leaves it open"
    )
    parser.add_argument("--latency", type=float, help="milliseconds before each answer; short for the setting")
    parser.add_argument(
        "--read-only", action="store_true", help="answer every write with 403, as to a key that may only read"
    )
    parser.add_argument("--port-file", type=Path, help="a file to write the port to once requests are accepted")
    parser.add_argument("--pid-file", type=Path, help="a file to write the process id to; removed at the end")
    parser.add_argument("--parent", type=int, help="end when the process with this id is gone")
    parser.add_argument("--max-seconds", type=float, help="end after this time in any case")
    options = parser.parse_args(arguments)
    try:
        options.settings = json.loads(options.settings)
    except ValueError as error:
        parser.exit(2, f"The settings cannot be taken: they are not JSON: {error}.\n")
    if options.dns_port_file and options.dns is None:
        parser.error("--dns-port-file needs --dns")
    if options.api_key is None and options.api_key_file is None:
        parser.error("one of the arguments --api-key --api-key-file is required")
    return options


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 2**16):
        raise argparse.ArgumentTypeError("must be a number from 0 to 65535")
    return int(text)


def first_settings(options: argparse.Namespace) -> dict[str, Any]:
    """Those of the profile, and what outranks them; raises ValueError with a sentence."""
    try:
        profile = read_profile(options.profile, KNOWN) if options.profile else {}
    except ApiError as error:
        raise ValueError(f"The profile cannot be taken: {error}") from error
    settings = Settings(KNOWN)
    try:
        settings.merge(profile)
        settings.merge(options.settings)
        latency = {} if options.latency is None else {"latency": options.latency}
        settings.merge(latency)
    except ApiError as error:
        raise ValueError(f"The settings cannot be taken: {error}") from error
    return {**profile, **options.settings, **latency}


def build(options: argparse.Namespace) -> tuple[Application, StateFile | None]:
    """The application with its first objects; raises ApiError, OSError or ValueError."""
    scheme = "https" if options.tls else "http"
    api_key = options.api_key_file.read_text(encoding="utf-8").strip() if options.api_key_file else options.api_key
    if not api_key:
        raise ValueError("the API key is empty")
    panel = InstalledPanel(api_key)
    seed = _read_document(options.seed) if options.seed else None
    application = Application(panel, options.read_only, scheme, options.settings, seed)
    state_file = StateFile(options.state, panel) if options.state else None
    if state_file is not None:
        state_file.read()
    return application, state_file


def _read_document(path: Path) -> Any:
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"{path} is neither JSON nor YAML: {error}") from error
    return document or {}


def _tls_context(options: argparse.Namespace) -> ssl.SSLContext | None:
    if not options.tls:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(*options.tls)
    except OSError as error:
        raise ValueError(f"--tls {' '.join(options.tls)}: {error}") from error
    return context


def serve(options: argparse.Namespace) -> None:
    """Runs until a signal, the end of the parent or the end of the time."""
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: ended.set())
    application, state_file = build(options)
    listener = application.listener = Listener(options.host, options.port, _tls_context(options), serving(application))
    name_listener = _name_listener(options, application)
    try:
        listener.start()
        _tell(options, application.scheme, listener, name_listener)
        # Objects made so far stay; looking through them again and again only costs time.
        gc.freeze()
        _watch(options, ended, application, state_file)
    finally:
        listener.stop()
        if name_listener is not None:
            name_listener.stop()
        with application.lock:
            if state_file is not None:
                state_file.save()
        if options.pid_file:
            options.pid_file.unlink(missing_ok=True)


def _name_listener(options: argparse.Namespace, application: Application) -> NameListener | None:
    if options.dns is None:
        return None
    # Only who asks for it needs dnspython, which takes as long to load as all else.
    from panel_simulator.name_server import NameListener

    name_listener = NameListener(application, options.host, options.dns)
    name_listener.start()
    return name_listener


def _tell(options: argparse.Namespace, scheme: str, listener: Listener, name_listener: NameListener | None) -> None:
    host = f"[{options.host}]" if ":" in options.host else options.host
    if name_listener is not None and options.dns_port_file:
        write_atomically(options.dns_port_file, f"{name_listener.port}\n")
    if options.pid_file:
        write_atomically(options.pid_file, f"{os.getpid()}\n")
    if options.port_file:
        write_atomically(options.port_file, f"{listener.port}\n")
    print(f"Panel simulator listens on {scheme}://{host}:{listener.port}{API_PATH}", flush=True)
    if name_listener is not None:
        print(f"Panel simulator answers DNS queries on {host}:{name_listener.port}", flush=True)


def _watch(
    options: argparse.Namespace, ended: threading.Event, application: Application, state_file: StateFile | None
) -> None:
    end = time.monotonic() + options.max_seconds if options.max_seconds else None
    while not ended.wait(WATCH_INTERVAL):
        if state_file is not None:
            with application.lock:
                state_file.save()
        if options.parent is not None and not is_running(options.parent):
            return
        if end is not None and time.monotonic() >= end:
            return


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 at a regular end, 1 when the simulator could not start, 2 when it was started in a wrong way."""
    options = parse_arguments(arguments)
    try:
        options.settings = first_settings(options)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        serve(options)
    except ApiError as error:
        print(f"The simulator cannot start: {error.message}", file=sys.stderr)
        return 1
    except (ImportError, OSError, ValueError) as error:
        words = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else error
        print(f"The simulator cannot start: {words}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
