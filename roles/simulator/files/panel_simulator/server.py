"""Handlers of /ping, /server and /login."""

from __future__ import annotations

import secrets

from panel_simulator.calls import Answer, Call
from panel_simulator.client_reports import disk_space, traffic_this_month
from panel_simulator.errors import Invalid
from panel_simulator.kinds.clients import CLIENTS
from panel_simulator.panel import Panel
from panel_simulator.resources import find

BLOCKS = ("meta", "operating_system", "utilization", "resources", "components", "additional_php_interpreters", "ports")
LOGIN_VALIDITY = 3600.0
LOGIN_PATH = "/login"


def get_ping(_panel: Panel, _call: Call) -> Answer:
    """That the API answers; JSON with one member (facts.md section 2)."""
    return Answer(value={"response": "pong"})


def get_server(panel: Panel, call: Call) -> Answer:
    """Blocks of information about the server; boolean query parameters of the blocks' names select them (inferred)."""
    wanted = call.selection(BLOCKS)
    return Answer(value={name: block for name, block in _blocks(panel).items() if name in wanted})


def _blocks(panel: Panel) -> dict[str, object]:
    settings = panel.settings
    minutes, seconds = divmod(int(panel.clock() - panel.booted_at), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return {
        "meta": {
            "hostname": settings.hostname,
            "ip_addresses": list(settings.ip_addresses),
            "panel_version": "26.0",
            "panel_build": 3510,
            "uptime": {"days": days, "hours": hours, "minutes": minutes, "seconds": seconds},
        },
        "operating_system": {"label": "Debian 13 (64-bit)", "updates": {"reboot_required": False}},
        "utilization": {"load": {"minute_1": 0.12, "minute_5": 0.1, "minute_15": 0.05, "percent": 3}},
        "resources": {
            "traffic": sum(traffic_this_month(client) for client in panel.store.all("clients")),
            "consumed_disk_space": sum(disk_space(panel, client) for client in panel.store.all("clients")),
        },
        "components": {"kernel": "6.12.0", "web_server": "Apache 2.4", "database": "MariaDB 11.8"},
        "additional_php_interpreters": list(settings.php_versions),
        "ports": [{"port": port, "protocol": "tcp", "is_online": True} for port in (22, 25, 80, 443, 587, 993)],
    }


def post_reboot(_panel: Panel, call: Call) -> Answer:
    """202 with an empty body (inferred); a body, if there is one, must be JSON. What then happens is in application.py."""
    if call.raw.strip():
        call.decoded_body()
    return Answer(status=202)


def get_login(panel: Panel, call: Call) -> Answer:
    """A URL that logs a client in, valid for 60 minutes; the query parameter ``page`` is inferred."""
    client = find(panel, CLIENTS, call)
    token = secrets.token_urlsafe(24)
    panel.logins[token] = (client.id, panel.clock() + LOGIN_VALIDITY)
    page = call.query.get("page", "")
    if page and not page.replace("_", "").replace("-", "").isalnum():
        raise Invalid("page: is not the name of a page.")
    url = f"{call.base_url}{LOGIN_PATH}?token={token}" + (f"&page={page}" if page else "")
    return Answer(value={"url": url})


def login_page(panel: Panel, token: str) -> tuple[int, str]:
    """(status, HTML) of the page behind a login URL."""
    client, until = panel.logins.get(token, (0, 0.0))
    entry = panel.store.get("clients", client)
    if entry is None or panel.clock() > until:
        return 403, "<!DOCTYPE html>\n<title>Login</title>\n<p>This login link is not valid.</p>\n"
    return 200, f"<!DOCTYPE html>\n<title>Login</title>\n<p>Logged in as {entry.data['username']}.</p>\n"
