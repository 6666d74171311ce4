# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""As much of the API of AWX as its modules need to create objects: what it answers is known from those modules and from its published sources."""

from __future__ import annotations

import base64
import http.server
import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.support.marked_secrets import secret

Object = dict[str, Any]

TOKEN = "token-of-the-stand-in"
USERNAME, PASSWORD = "anna", secret("password")
AUTHORIZATIONS = {f"Bearer {TOKEN}", f"Basic {base64.b64encode(f'{USERNAME}:{PASSWORD}'.encode()).decode()}"}
WEBHOOK_KEY = secret("webhook")
ENCRYPTED = "$encrypted$"
# Fields that AWX keeps encrypted, of the credential types that load.yml uses.
SECRET = {
    "ssh_key_data",
    "key",
    "vault_password",
    "password",
    "secret_id",
    "client_key",
    "client_cert",
    "app_id",
    "api_key",
}
# Credential types that every AWX has.
TYPES = (
    "Source Control",
    "Vault",
    "Container Registry",
    "GPG Public Key",
    "HashiCorp Vault Secret Lookup",
    "CyberArk Central Credential Provider Lookup",
)
ROLES = {
    "teams": ("admin_role", "member_role", "read_role"),
    "job_templates": ("admin_role", "execute_role", "read_role"),
    "workflow_job_templates": ("admin_role", "execute_role", "read_role", "approval_role"),
}
TEXTS = ("text", "textarea", "password")
QUESTION = {"question_name", "question_description", "variable", "type", "required", "min", "max", "choices", "default"}


def complaint(survey: Object) -> str | None:
    """What AWX has against a survey."""
    for question in survey["spec"]:
        name, kind, default = question.get("variable"), question["type"], question.get("default")
        choices = question.get("choices", [])
        if not {"question_name", "variable", "type", "required"} <= question.keys() <= QUESTION:
            return f"{name}: fields"
        if kind in (*TEXTS, "multiplechoice", "multiselect") and not isinstance(default, str):
            return f"{name}: the default has to be a text"
        if kind == "integer" and not (isinstance(default, int) and question["min"] <= default <= question["max"]):
            return f"{name}: the default has to be a number within its limits"
        if kind in TEXTS and default and not question["min"] <= len(default) <= question["max"]:
            return f"{name}: the default has to be within its limits"
        if kind.startswith("multi") and not (choices and {*default.split("\n")} - {""} <= {*choices}):
            return f"{name}: the default has to be among its choices"
        if kind not in (*TEXTS, "integer", "multiplechoice", "multiselect"):
            return f"{name}: type"
    return None


class StandIn:
    """The objects of an AWX by collection and id, what is associated with them, and the requests that wrote."""

    def __init__(self) -> None:
        self.url = ""
        self.objects: dict[str, dict[int, Object]] = defaultdict(dict)
        self.associated: dict[str, list[int]] = defaultdict(list)
        self.surveys: dict[int, Object] = {}
        self.secrets: dict[int, Object] = {}
        self.settings: Object = {"AWX_ISOLATION_SHOW_PATHS": ["/etc/pki:/etc/pki:O"]}
        self.writes: list[str] = []
        self._next = 0
        for name in TYPES:
            self.create("credential_types", {"name": name})
        for name in ("anna", "ben"):
            self.create("users", {"username": name})

    def named(self, collection: str, name: str) -> Object:
        """The one object of this name."""
        (found,) = [one for one in self.objects[collection].values() if name in (one.get("name"), one.get("username"))]
        return found

    def names(self, collection: str, place: str) -> set[str]:
        """Names of what is associated, at the end of a path of the API."""
        return {
            self.objects[collection][one].get("name", "") for one in self.associated[f"/api/v2/{place.strip('/')}/"]
        }

    def create(self, collection: str, data: Object) -> Object:
        self._next += 1
        number = self._next
        url = f"/api/v2/{collection}/{number}/"
        made = {**data, "id": number, "type": collection.rstrip("s"), "url": url, "summary_fields": {}}
        made["related"] = {"survey_spec": f"{url}survey_spec/", "webhook_key": f"{url}webhook_key/"}
        if made.get("webhook_service"):
            made["related"]["webhook_receiver"] = f"{url}{made['webhook_service']}/"
        if collection == "projects":
            made["scm_revision"] = "1"
        roles = {}
        for role in ROLES.get(collection, ()):
            self._next += 1
            roles[role] = {"id": self._next}
        made["summary_fields"]["object_roles"] = roles
        self.objects[collection][number] = made
        self._keep(made, data)
        return made

    def change(self, found: Object, data: Object) -> Object:
        known = (
            data if found["type"] != "workflow_approval_template" else {key: data[key] for key in data if key in found}
        )
        found.update(known)
        self._keep(found, data)
        return found

    def _keep(self, found: Object, data: Object) -> None:
        """Keeps secrets apart, as AWX does."""
        if isinstance(data.get("inputs"), dict) and found["type"] == "credential":
            given = {key: value for key, value in data["inputs"].items() if value != ENCRYPTED}
            self.secrets.setdefault(found["id"], {}).update(given)
            found["inputs"] = {
                key: ENCRYPTED if key in SECRET and value else value for key, value in data["inputs"].items()
            }

    def answer(self, method: str, path: str, query: Object, data: Object) -> tuple[int, Any]:
        """Status and body for a request."""
        words = path.removeprefix("/api/v2/").strip("/").split("/")
        if words[0] == "tokens":
            # Of one module, which takes its own back.
            return (201, {"id": 1, "token": TOKEN}) if method == "POST" else (204, None)
        if method not in ("GET", "HEAD"):
            self.writes.append(f"{method} {path}")
        collection, number = words[0], int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
        if collection == "settings":
            self.settings.update(data)
            return 200, self.settings
        if len(words) == 1:
            return self._of_collection(method, collection, query, data)
        found = self.objects[collection].get(number, {})
        if len(words) == 2:
            return 200, self.change(found, data) if method == "PATCH" else found
        if words[2] == "webhook_key":
            return 200, {"webhook_key": WEBHOOK_KEY}
        if words[2] == "survey_spec":
            if method == "POST":
                if wrong := complaint(data):
                    return 400, {"error": wrong}
                self.surveys[number] = data
            return 200, self.surveys.get(number, {})
        if words[2] == "create_approval_template":
            made = self.create(
                "workflow_approval_templates", {key: data.get(key, "") for key in ("name", "description", "timeout")}
            )
            made["type"] = "workflow_approval_template"
            found["related"]["unified_job_template"] = made["url"]
            return 201, made
        return self._of_association(method, path, data)

    def _of_collection(self, method: str, collection: str, query: Object, data: Object) -> tuple[int, Any]:
        if method == "POST":
            return 201, self.create(collection, data)
        searched = (
            ("job_templates", "workflow_job_templates", "projects")
            if collection == "unified_job_templates"
            else (collection,)
        )
        query.pop("page_size", None)
        query.pop("type", None)
        found = [
            one
            for place in searched
            for one in self.objects[place].values()
            if all(str(one.get(key)) == value for key, value in query.items())
        ]
        return 200, {"count": len(found), "results": found, "next": None}

    def _of_association(self, method: str, path: str, data: Object) -> tuple[int, Any]:
        place = self.associated[path]
        if method == "POST":
            if data.get("disassociate"):
                place.remove(data["id"])
            else:
                place.append(data["id"])
            return 204, None
        return 200, {"count": len(place), "results": [{"id": one} for one in place], "next": None}


@contextmanager
def started() -> Iterator[StandIn]:
    """A stand-in that listens on a port of its own."""
    stand_in = StandIn()

    class Handler(http.server.BaseHTTPRequestHandler):
        wbufsize = -1  # one packet for an answer, since two of them take 40 milliseconds

        def do_GET(self) -> None:
            assert self.headers["Authorization"] in AUTHORIZATIONS
            address = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            data = json.loads(self.rfile.read(length) or b"{}")
            status, body = stand_in.answer(
                self.command, address.path.rstrip("/") + "/", dict(parse_qsl(address.query)), data
            )
            content = b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("X-API-Product-Name", "AWX")
            self.send_header("X-API-Product-Version", "24.6.1")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815 - the names that the class asks for

        def log_message(self, *_words: Any) -> None:
            """Says nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        stand_in.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield stand_in
        finally:
            server.shutdown()
