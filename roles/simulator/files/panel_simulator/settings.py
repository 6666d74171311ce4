# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that can be switched on a running simulator: the API's options, and the answers to what no source proves."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from panel_simulator.errors import Invalid
from panel_simulator.kept_texts import FORMS

LANGUAGES = [
    "id", "ca", "de", "en", "es", "fr", "it", "hu", "nl", "no", "pl", "pt", "pt-BR", "sv", "tr", "ru", "ar", "zh-CN", "zh-TW",
]  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """One setting; ``choices`` limits strings."""

    default: Any
    meaning: str
    choices: tuple[str, ...] = ()


SETTINGS: dict[str, Setting] = {
    # The panel's own API options (facts.md section 1.2).
    "api_enabled": Setting(True, "the API is switched on; otherwise every request gets 403"),
    "allowed_addresses": Setting([], "addresses and networks that may use the key; empty: all; others get 403"),
    "ignore_account_limits": Setting(False, "limits of the client are not enforced"),
    "apply_password_policy": Setting(False, "passwords that are given must satisfy the panel's policy"),
    "use_password_hashes": Setting(False, "bodies may carry password_hash"),
    # The panel's configuration (facts.md section 12).
    "hostname": Setting("server.panel.example", "name of the server, in system domains and in GET /server"),
    "ip_addresses": Setting(
        ["192.0.2.10", "2001:db8::10"], "addresses of the server, in default zones and in GET /server"
    ),
    "name_servers": Setting(
        ["ns1.panel.example.", "ns2.panel.example."], "name servers of default zones; the first is the primary"
    ),
    "prohibited_domains": Setting([], "domains that cannot be created, nor domains below them"),
    "languages": Setting(LANGUAGES, "languages that users may have"),
    "default_language": Setting("en", "language of users created without one"),
    "php_versions": Setting(
        ["7.4", "8.0", "8.1", "8.2", "8.3", "8.4"], "PHP interpreters beside the default one, which is an empty string"
    ),
    "skeletons": Setting(["default"], "skeleton templates that clients may be created with"),
    # Answers to what no source proves.
    "nested_update": Setting(
        "merge",
        "members left out of a nested object of a PUT stay (merge) or get their defaults (replace)",
        ("merge", "replace"),
    ),
    "unknown_members": Setting(
        "ignore", "members of bodies that the API does not know are ignored or get 400 (refuse)", ("ignore", "refuse")
    ),
    "extra_members": Setting({}, "by kind, further members with their defaults: {clients: {colour: blue}}"),
    "short_lists": Setting({}, "by kind, members that items of lists leave out: {clients: [contact_data]}"),
    "hidden_members": Setting({}, "by kind, members that no answer carries: {clients: [created_at]}"),
    "duplicate_status": Setting(400, "status of the refusal of an object whose name is taken"),
    "missing_paths": Setting(
        [],
        "regular expressions of methods and paths that this panel does not have: [DELETE /ftp-users/.*]; they get 404",
    ),
    "kept_texts": Setting(
        "as_sent",
        "names of databases and FTP users, descriptions of scheduled tasks, paths and users of directory protections are kept as they are "
        "sent, cut after 20 characters, in the Unicode form NFC, escaped as in HTML, with ? in place of what is not ASCII, with single "
        "blanks, or in lower case",
        tuple(FORMS),
    ),
    "dates": Setting(
        "as_declared",
        "dates to suspend or delete on are answered in the offset of their member, or all in UTC, in the panel's offset (local), in its "
        "offset of winter, in one west of UTC, or as a date alone",
        ("as_declared", "utc", "local", "winter", "west", "date"),
    ),
    "foreign_certificates": Setting(
        "accept",
        "domains may use certificates of other clients (accept), or get 400 (refuse); those of the server are everybody's",
        ("accept", "refuse"),
    ),
    "show_id_hosting_plan": Setting(True, "answers about clients carry id_hosting_plan"),
    "show_private_key": Setting(False, "answers about certificates carry components.private_key"),
    "show_password_hash": Setting(False, "answers carry password_hash"),
    "dkim_read": Setting(
        "actual", "DNS answers carry the actual DKIM value or the placeholder", ("actual", "placeholder")
    ),
    "txt_read": Setting("as_written", "DNS answers carry TXT values as written or quoted", ("as_written", "quoted")),
    # Statuses.
    "status_delay": Setting(0.3, "seconds until status 3 or 4 becomes 1"),
    "status_delays": Setting({}, "by kind, another status_delay: {emails: 2}"),
    "failing_kinds": Setting([], "kinds whose status becomes 2 instead of 1"),
    # Reboot.
    "reboot_delay": Setting(4.0, "seconds between the answer to POST /server/reboot and the reboot"),
    "reboot_down_time": Setting(2.0, "seconds that the panel is away for"),
    # The connection.
    "latency": Setting(0.0, "milliseconds before each answer"),
    "connection_latency": Setting(0.0, "further milliseconds before the first answer on a connection"),
    "write_latency": Setting(0.0, "further milliseconds before the answer to a POST, PUT or DELETE"),
    "requests_per_connection": Setting(0, "the connection is closed after so many answers; 0: never"),
    "announce_close": Setting(True, "such an answer says Connection: close"),
    "keep_alive_seconds": Setting(75.0, "an idle connection is closed after so many seconds"),
    "reload_every_writes": Setting(0, "every so many writes the web server reloads; 0: never"),
    "reload_milliseconds": Setting(500.0, "for so long every answer is an HTML error page"),
    "reload_status": Setting(503, "status of these answers"),
}


# Settings that are objects by kind, and what they have for a kind.
_BY_KIND: dict[str, Any] = {
    "extra_members": Mapping,
    "hidden_members": list,
    "short_lists": list,
    "status_delays": (int, float),
}


class Settings:
    """Current values by attribute; ``revision`` grows with every change."""

    def __init__(self) -> None:
        self.revision = 0
        self.values: dict[str, Any] = {}
        self.reset()

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(name) from None

    def reset(self) -> None:
        """Everything back to its default."""
        self.values = {name: copy.deepcopy(setting.default) for name, setting in SETTINGS.items()}
        self.revision += 1

    def merge(self, changes: Any) -> None:
        """Takes the given settings over; raises Invalid naming the first wrong one, and then changes none."""
        if not isinstance(changes, Mapping):
            raise Invalid("settings: must be an object.")
        for name, value in changes.items():
            _check(name, value)
        self.values.update({name: copy.deepcopy(value) for name, value in changes.items()})
        self.revision += 1


def _check(name: str, value: Any) -> None:
    setting = SETTINGS.get(name)
    if setting is None:
        raise Invalid(f"{name}: unknown setting.")
    default = setting.default
    if setting.choices and value not in setting.choices:
        raise Invalid(f"{name}: must be one of {', '.join(setting.choices)}.")
    if isinstance(default, bool):
        fits = isinstance(value, bool)
    elif isinstance(default, (int, float)):
        fits = isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
    else:
        fits = isinstance(value, type(default))
    if name in ("reload_status", "duplicate_status"):
        fits = isinstance(value, int) and 400 <= value <= 599
    if isinstance(default, list):
        fits = fits and all(isinstance(item, str) for item in value)
    if name == "missing_paths":
        fits = fits and all(_is_pattern(item) for item in value)
    if name in _BY_KIND:
        fits = fits and all(isinstance(item, _BY_KIND[name]) for item in value.values())
    if not fits:
        raise Invalid(f"{name}: must have the form of its default {default!r}.")


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True
