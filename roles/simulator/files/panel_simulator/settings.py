"""Everything that can be switched on a running simulator: the administrator's options, times, connections, and what the interface leaves open."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from panel_simulator.errors import Invalid
from panel_simulator.forms import Known, problem, unknown
from panel_simulator.open_points import POINTS

LANGUAGES = [
    "id", "ca", "de", "en", "es", "fr", "it", "hu", "nl", "no", "pl", "pt", "pt-BR", "sv", "tr", "ru", "ar", "zh-CN", "zh-TW",
]  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """One setting that is no open point."""

    default: Any
    form: str
    meaning: str


SETTINGS: dict[str, Setting] = {
    # The panel's own API options (facts.md section 1.2).
    "api_enabled": Setting(True, "switch", "the API is switched on; otherwise every request gets 403"),
    "allowed_addresses": Setting(
        [], "networks", "addresses and networks that may use the key; empty: all; others get 403"
    ),
    "ignore_account_limits": Setting(False, "switch", "limits of the client are not enforced"),
    "apply_password_policy": Setting(False, "switch", "passwords that are given must satisfy the panel's policy"),
    # The panel's configuration (facts.md section 12).
    "hostname": Setting("server.panel.example", "host", "name of the server, in system domains and in GET /server"),
    "ip_addresses": Setting(
        ["192.0.2.10", "2001:db8::10"], "addresses", "addresses of the server, in default zones and in GET /server"
    ),
    "name_servers": Setting(
        ["ns1.panel.example.", "ns2.panel.example."],
        "some texts",
        "name servers of default zones; the first is the primary",
    ),
    "prohibited_domains": Setting([], "texts", "domains that cannot be created, nor domains below them"),
    "languages": Setting(LANGUAGES, "texts", "languages that users may have"),
    "default_language": Setting("en", "text", "language of users created without one"),
    "php_versions": Setting(
        ["7.4", "8.0", "8.1", "8.2", "8.3", "8.4"],
        "texts",
        "PHP interpreters beside the default one, which is an empty string",
    ),
    "skeletons": Setting(["default"], "texts", "skeleton templates that clients may be created with"),
    "shows_private_keys": Setting(False, "switch", "certificates are shown with their private key"),
    # Statuses.
    "status_delay": Setting(0.3, "seconds", "seconds until status 3 or 4 becomes 1"),
    "status_delays": Setting({}, "seconds by kind", "by kind, another status_delay: {emails: 2}"),
    "failing_kinds": Setting([], "kinds", "kinds whose status becomes 2 instead of 1"),
    # Reboot.
    "reboot_delay": Setting(4.0, "seconds", "seconds between the answer to POST /server/reboot and the reboot"),
    "reboot_down_time": Setting(2.0, "seconds", "seconds that the panel is away for"),
    # The connection.
    "latency": Setting(0.0, "milliseconds", "milliseconds before each answer"),
    "connection_latency": Setting(0.0, "milliseconds", "further milliseconds before the first answer on a connection"),
    "write_latency": Setting(0.0, "milliseconds", "further milliseconds before the answer to a POST, PUT or DELETE"),
    "requests_per_connection": Setting(0, "number", "the connection is closed after so many answers; 0: never"),
    "announce_close": Setting(True, "switch", "such an answer says Connection: close"),
    "keep_alive_seconds": Setting(75.0, "seconds", "an idle connection is closed after so many seconds"),
    "reload_every_writes": Setting(0, "number", "every so many writes the web server reloads; 0: never"),
    "reload_milliseconds": Setting(500.0, "milliseconds", "for so long every answer is an HTML error page"),
    "reload_status": Setting(503, "status", "status of these answers"),
    # The name server.
    "dns_delay": Setting(0.0, "seconds", "seconds until the name server answers with what was written"),
    "dns_latency": Setting(0.0, "milliseconds", "milliseconds before each answer of the name server"),
}


def _defaults() -> dict[str, Any]:
    settings = {name: setting.default for name, setting in SETTINGS.items()}
    return copy.deepcopy({**settings, **{name: point.default for name, point in POINTS.items()}})


class Settings:
    """Current values by attribute; ``revision`` grows with every change."""

    def __init__(self, known: Known) -> None:
        self.known = known
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
        self.values = _defaults()
        self.revision += 1

    def merge(self, changes: Any) -> None:
        """Takes the given settings over; raises Invalid naming the first wrong one, and then changes none."""
        if not isinstance(changes, Mapping):
            raise Invalid("settings: must be an object.")
        for name, value in changes.items():
            self._check(name, value)
        self.values.update({name: copy.deepcopy(value) for name, value in changes.items()})
        self.revision += 1

    def _check(self, name: str, value: Any) -> None:
        if name in POINTS:
            POINTS[name].check(value, self.known)
        elif name not in SETTINGS:
            raise Invalid(unknown(f"{name}: there is no such setting", name, (*SETTINGS, *POINTS)))
        elif wrong := problem(SETTINGS[name].form, value, self.known):
            raise Invalid(f"{name}: {wrong}")
