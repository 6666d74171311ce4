# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of the command line that record a conversation or play one."""

from __future__ import annotations

import argparse
import ipaddress
from pathlib import Path

# What a panel of its own would need, and neither of the two has.
_OF_A_PANEL = ("state", "seed", "profile", "read_only", "dns")
_OF_ANSWERS = ("settings", "latency")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds them."""
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="pass requests on to --upstream, and write the conversation to a new file",
    )
    parser.add_argument("--upstream", metavar="URL", help="the panel to record, such as https://panel.example")
    parser.add_argument(
        "--upstream-ca", type=Path, metavar="FILE", help="PEM file that its certificate is checked with"
    )
    parser.add_argument("--replay", type=Path, metavar="FILE", help="answer as a recorded conversation does")


def check_options(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Exits with a message where they do not go together."""
    if options.record and options.replay:
        parser.error("--record and --replay exclude each other")
    if bool(options.record) != bool(options.upstream):
        parser.error("--record needs --upstream, and --upstream needs --record")
    if options.upstream_ca and not options.upstream:
        parser.error("--upstream-ca needs --upstream")
    if options.record and not _is_loopback(options.host):
        parser.error("--record listens on loopback addresses only")
    way = "record" if options.record else "replay" if options.replay else ""
    for name in _OF_A_PANEL + (_OF_ANSWERS if options.record else ()) if way else ():
        # Settings are a dictionary by now.
        if getattr(options, name) not in (parser.get_default(name), {}):
            parser.error(f"--{name.replace('_', '-')} does not go with --{way}")
    if options.dns_port_file and options.dns is None:
        parser.error("--dns-port-file needs --dns")
    if not way and options.api_key is None and options.api_key_file is None:
        parser.error("one of the arguments --api-key --api-key-file is required")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
