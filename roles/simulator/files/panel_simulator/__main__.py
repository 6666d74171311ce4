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
from panel_simulator.background import is_running
from panel_simulator.calls import ApiError
from panel_simulator.connections import Listener
from panel_simulator.handling import serving
from panel_simulator.installed_panel import KNOWN, InstalledPanel
from panel_simulator.settings import Settings, read_profile
from panel_simulator.state import StateFile, write_atomically

if TYPE_CHECKING:
    from panel_simulator.name_server import NameListener

_WATCH_INTERVAL = 0.2


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line; exits with a message when it is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m panel_simulator", description="A simulator of the panel's REST API v2. README.md says more."
    )
    add = parser.add_argument
    key = parser.add_mutually_exclusive_group(required=True)
    key.add_argument("--api-key", metavar="KEY", help="the key that requests must carry")
    key.add_argument("--api-key-file", type=Path, metavar="FILE", help="a file with the key")
    add("--host", metavar="ADDRESS", default="127.0.0.1", help="listen on this address (default: %(default)s)")
    add("--port", type=_port, default=0, help="listen on this port; 0: a free one (default)")
    add("--port-file", type=Path, metavar="FILE", help="write the port here once requests are accepted")
    add("--pid-file", type=Path, metavar="FILE", help="write the process id here; removed at the end")
    add("--tls", nargs=2, metavar=("CERTIFICATE", "KEY"), help="serve HTTPS with these PEM files")
    add("--dns", type=_port, metavar="PORT", help="answer DNS queries for the panel's zones; 0: on a free port")
    add("--dns-port-file", type=Path, metavar="FILE", help="write the port of --dns here, before --port-file")
    add("--state", type=Path, metavar="FILE", help="keep the objects here across restarts")
    add("--seed", type=Path, metavar="FILE", help="create the objects of this file if there is no state yet")
    add("--settings", metavar="JSON", default="{}", help="settings as a JSON object")
    add("--profile", type=Path, metavar="FILE", help="what this panel does where the interface leaves it open")
    add("--latency", type=float, metavar="MS", help="milliseconds before each answer")
    add("--read-only", action="store_true", help="answer every write with 403, as to a key that may only read")
    add("--parent", type=int, metavar="PID", help="end when this process is gone")
    add("--max-seconds", type=float, metavar="N", help="end after this time in any case")
    options = parser.parse_args(arguments)
    if options.dns_port_file and options.dns is None:
        parser.error("--dns-port-file needs --dns")
    return options


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 2**16):
        raise argparse.ArgumentTypeError("must be a number from 0 to 65535")
    return int(text)


def _first_settings(options: argparse.Namespace) -> dict[str, Any]:
    """Those of the profile, and what outranks them; raises ValueError with a sentence."""
    try:
        profile = read_profile(options.profile, KNOWN) if options.profile else {}
    except ApiError as error:
        raise ValueError(f"The profile cannot be taken: {error}") from error
    latency = {} if options.latency is None else {"latency": options.latency}
    try:
        given = json.loads(options.settings)
        for part in (given, latency):
            Settings(KNOWN).merge(part)
    except ApiError as error:
        raise ValueError(f"The settings cannot be taken: {error}") from error
    except ValueError as error:
        raise ValueError(f"The settings cannot be taken: they are not JSON: {error}.") from error
    return {**profile, **given, **latency}


def _application(options: argparse.Namespace) -> tuple[Application, StateFile | None]:
    """The application with its first objects; raises ApiError, OSError or ValueError."""
    api_key = options.api_key_file.read_text(encoding="utf-8").strip() if options.api_key_file else options.api_key
    if not api_key:
        raise ValueError("the API key is empty.")
    seed = _read_document(options.seed) if options.seed else None
    scheme = "https" if options.tls else "http"
    application = Application(InstalledPanel(api_key), options.read_only, scheme, _first_settings(options), seed)
    if not options.state:
        return application, None
    state_file = StateFile(options.state, application.panel)
    state_file.read()
    state_file.save()
    return application, state_file


def _read_document(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except yaml.YAMLError as error:
        raise ValueError(f"{path} is neither JSON nor YAML: {' '.join(str(error).split())}.") from error


def _tls_context(options: argparse.Namespace) -> ssl.SSLContext | None:
    if not options.tls:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(*options.tls)
    except OSError as error:
        raise ValueError(f"--tls {' '.join(options.tls)}: {error.strerror or error}.") from error
    return context


def _serve(options: argparse.Namespace) -> None:
    """Runs until a signal, the end of the parent or the end of the time."""
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: ended.set())
    application, state_file = _application(options)
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
    files = {options.dns_port_file: name_listener and name_listener.port, options.pid_file: os.getpid()}
    for path, number in {**files, options.port_file: listener.port}.items():
        if path:
            write_atomically(path, f"{number}\n")
    print(f"Panel simulator listens on {scheme}://{host}:{listener.port}{API_PATH}", flush=True)
    if name_listener is not None:
        print(f"Panel simulator answers DNS queries on {host}:{name_listener.port}", flush=True)


def _watch(
    options: argparse.Namespace, ended: threading.Event, application: Application, state_file: StateFile | None
) -> None:
    end = time.monotonic() + options.max_seconds if options.max_seconds else None
    while not ended.wait(_WATCH_INTERVAL):
        if state_file is not None:
            with application.lock:
                state_file.save()
        if options.parent is not None and not is_running(options.parent):
            return
        if end is not None and time.monotonic() >= end:
            return


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 at a regular end, 2 and one sentence on standard error when the simulator cannot start."""
    options = parse_arguments(arguments)
    try:
        _serve(options)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        words = f"{where}{error.strerror or error}."
    except (ApiError, ImportError, ValueError) as error:
        words = str(error)
    else:
        return 0
    is_sentence = words.startswith(("The profile", "The settings"))
    print(words if is_sentence else f"The simulator cannot start: {words}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
