# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is tried on a panel, as a table: each step makes something in the test client, or finds out what the panel does with it. Private.

A step gives what was found on its point, None if nothing was, and leaves everything so that the next one can work.
"""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

from ...module_utils._errors import PanelError
from ...module_utils._http.panel_client import path_of
from ...module_utils._values.value_types import Boolean
from .fields import BY_NAME, INFERRED, Shown, number
from .panel import CLIENTS, PLANS, Panel
from .points import OTHERWISE

_NOTES = "A test client of hosting.panel.verify, which may be deleted."
_LIMITS = {"subdomains": 9, "ftp_users": 9, "scheduled_tasks": 9, "email_accounts": 9}
_CONTACT = {"first_name": "Hosting", "city": "Verify"}
_HASH = "$6$hostingpanelverif$" + "." * 86
_SWITCH = Boolean()
_TEXT = "hosting panel verify"
# By value of the point what a name has behind it; the last one is the usual name.
_ENDS = {"%20": " x", "+": "+x", "%2F": "/x", "%25": "%x", "": ""}
_TASK = {"description": "{}", "type": "exec", "command": "/bin/true", "is_enabled": False, "schedule": {"minute": "0"}}
# By step what it makes: the kind, and the fields beside the owner; {} is the name of the client.
_OBJECTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "certificate": ("certificates", {"name": "{}"}),
    "mailbox": ("emails", {"email": "m@{}.example"}),
    "database": ("databases", {"database_name": "v{}_1", "database_username": "v{}_1"}),
    "ftp_user": ("ftp_users", {"username": "v{}_f", "home_directory": "/www"}),
    "protection": ("directory_protections", {"username": "{}", "path": "/{}", "auth_name": "Verify"}),
    "task": ("scheduled_tasks", _TASK),
    "second_domain": ("domains", {"domain": "{}-2.example"}),
    "second_mailbox": ("emails", {"email": "m@{}-2.example"}),
}


@functools.cache
def _certificate() -> dict[str, str]:
    """A certificate for no host, with its key."""
    # Ansible brings it along; the tests of imports have Ansible alone.
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.timezone.utc)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "verify.example")])
    until, number_ = now + datetime.timedelta(days=2), x509.random_serial_number()
    names = x509.SubjectAlternativeName([x509.DNSName("verify.example")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), number_, now, until).add_extension(names, False)
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    return {
        "certificate": builder.sign(key, hashes.SHA256()).public_bytes(pem).decode(),
        "private_key": key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain).decode(),
    }


def _public() -> dict[str, str]:
    return {"certificate": _certificate()["certificate"]}


def _plan(panel: Panel) -> None:
    panel.make("plan", PLANS, panel.name, {"name": panel.name, "resources": {**_LIMITS, "databases": 1}})


def _client(panel: Panel) -> None:
    body: dict[str, Any] = {"username": panel.name, "notes": _NOTES, "contact_data": _CONTACT}
    # After a crash the panel itself removes it then.
    body["delete_on"] = f"{datetime.date.today() + datetime.timedelta(days=2)}T12:00:00+00:00"
    if "plan" in panel.has:
        body["id_hosting_plan"] = panel.has["plan"].number
    answer = panel.make("client", CLIENTS, panel.name, body)
    if "client" not in panel.has:
        words = answer.words or answer.status
        raise PanelError(f"client {panel.name}: the panel did not create the test client: {words}")
    panel.seen["first_status"] = number(panel.show("client").get("status"))


def _object(panel: Panel, step: str) -> Any:
    kind, fields = _OBJECTS[step]
    body = {name: value.format(panel.name) if isinstance(value, str) else value for name, value in fields.items()}
    more = {"components": _certificate()} if step == "certificate" else {}
    panel.make(step, kind, body[BY_NAME[kind].name_member], {**body, **more})


def _new_clients(panel: Panel) -> Any:
    """Makes a domain at once after the client, which may be too early."""
    name = f"{panel.name}.example"
    if panel.make("domain", "domains", name, {"domain": name}).is_refused:
        panel.settles("client")
        return "when_ready" if panel.make("domain", "domains", name, {"domain": name}).is_done else None
    return None if panel.seen["first_status"] in (None, 1) else "at_once"


def _subdomain_members(panel: Panel) -> Any:
    name = f"sub.{panel.name}.example"
    body = {"id_parent_domain": panel.has["domain"].number, "domain": name}
    flags = {"create_www_subdomain": False, "is_email_domain": True, "is_dns_disabled": False}
    if panel.make("subdomain", "domains", name, {**body, **flags}).is_refused:
        return "refused" if panel.make("subdomain", "domains", name, body).is_done else None
    is_mail = panel.show("subdomain").get("is_email_domain") if "subdomain" in panel.has else None
    return {True: "accepted", False: "ignored"}.get(_SWITCH.comparable(is_mail))


def _nested_update(panel: Panel) -> Any:
    panel.change("client", contact_data=_CONTACT)
    if not panel.change("client", contact_data={"city": "Elsewhere"}).is_done:
        return None
    contact = panel.show("client").get("contact_data") or {}
    return None if contact.get("city") != "Elsewhere" else "merge" if contact.get("first_name") else "replace"


def _scalars(panel: Panel) -> Any:
    as_text = panel.change("domain", security={"hsts_max_age": "31536000"}).says("converted", "refused")
    as_number = panel.change("client", contact_data={**_CONTACT, "client_id": 17}).says("converted", "refused")
    return "refused" if "refused" in (as_text, as_number) else as_text and as_number


def _missing_dates(panel: Panel) -> Any:
    panel.change("client", suspend_on=None)
    shown = panel.show("client")
    return {None: "null_value", "": "empty_text"}.get(shown["suspend_on"], OTHERWISE) if "suspend_on" in shown else None


def _dates(panel: Panel) -> Any:
    """By the offsets in which clients and domains show a moment in winter and one in summer."""
    client, domain = (_offsets(panel, *one) for one in (("client", "suspend_on"), ("domain", "delete_on")))
    if not client or not domain or None in client | domain:
        return None
    if "date" in client | domain:
        return "date" if client == domain else OTHERWISE
    if len(client) > 1 or len(domain) > 1:
        return "local_with_winter"
    if client == domain:
        minutes = client.pop()
        return "local" if minutes > 0 else "west" if minutes < 0 else "utc"
    return "as_declared" if domain == {0} else OTHERWISE


def _offsets(panel: Panel, step: str, field: str) -> set[Any]:
    """Minutes east of Greenwich; ``date`` for a bare day, None if nothing is shown."""
    offsets: set[Any] = set()
    for month in ("01", "07"):
        moment = f"{datetime.date.today().year + 1}-{month}-15T12:00:00+00:00"
        if panel.change(step, **{field: moment}).is_done:
            shown = panel.show(step).get(field)
            if shown is None or re.fullmatch(r"\d{4}-\d\d-\d\d", shown):
                offsets.add(shown and "date")
            else:
                text = re.sub(r"\.\d+", "", shown).replace(" ", "T")
                at = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z").utcoffset() or datetime.timedelta()
                offsets.add(at.total_seconds() / 60)
    panel.change(step, **{field: None})
    return offsets


def _password_hashes(panel: Panel) -> Any:
    answer = panel.change("mailbox", password_hash=_HASH)
    is_shown = answer.is_done and panel.show("mailbox").get("password_hash")
    return answer.says("written_and_shown" if is_shown else "written", "refused")


def _unresolved_names(panel: Panel) -> Any:
    """By names of the certificate, and that of the mailbox."""
    found = {}
    for written, end in _ENDS.items():
        if panel.change("certificate", name=panel.name + end).is_done:
            found[written] = _is_found(panel, "certificate", panel.name + end)
    if "mailbox" in panel.has:
        found["%40"] = _is_found(panel, "mailbox", panel.has["mailbox"].name)
    missing = sorted(written for written, is_found in found.items() if not is_found)
    return missing if found.get("") and (missing or len(found) > len(_ENDS)) else None


def _is_found(panel: Panel, step: str, name: str) -> bool:
    made = panel.has[step]
    shown = panel.ask("GET", f"{BY_NAME[made.kind].path}/name{path_of(name)}").object
    return number(shown.get("id")) == made.number


def _subdomain_zones(panel: Panel) -> Any:
    """By a text that the zone of the domain has from now on."""
    domain, subdomain = (f"/dns{path_of(panel.has[step].number)}" for step in ("domain", "subdomain"))
    answer = panel.ask("GET", domain)
    panel.own["dns"] = Shown(answer.object, {})
    records = answer.data["records"] if answer.object else {"other": []}
    more = {"host": "verify", "ttl": 3600, "type": "TXT", "value": _TEXT}
    if (
        not answer.object
        or not panel.ask("PUT", domain, {"records": {**records, "other": [*records["other"], more]}}).is_done
    ):
        return None
    answer = panel.ask("GET", subdomain)
    if answer.is_done:
        return "of_parent" if _TEXT in str(answer.data) else "own"
    return "none" if answer.status in (400, 404) else OTHERWISE if answer.is_refused else None


def _kept_texts(panel: Panel) -> Any:
    """Reads all that was made, alone and in its list, and under which names databases and FTP users are kept."""
    kept = set()
    for step, made in panel.has.items():
        listed = panel.listed(made.kind) or ()
        item = next((item for item in listed if number(item.get("id")) == made.number), {})
        panel.own.setdefault(made.kind, Shown(panel.show(step), item))
        if item and step in ("database", "ftp_user"):
            name = item.get(BY_NAME[made.kind].name_member)
            is_longer = str(name).endswith(f"_{made.name}")
            kept.add("as_sent" if name == made.name else "prefixed" if is_longer else "generated")
    return kept.pop() if len(kept) == 1 else None


def _plan_assignment(panel: Panel) -> Any:
    """Only to be seen if limits of clients do not change with their plan."""
    if not panel.change("plan", resources={**_LIMITS, "databases": 2}).is_done or _limit(panel) != 1:
        return None
    is_assigned = panel.change("client", id_hosting_plan=panel.has["plan"].number).is_done
    return {2: "copies", 1: "nothing"}.get(_limit(panel)) if is_assigned else None


def _limit(panel: Panel) -> Any:
    client = panel.show("client")
    return number((client.get("resource_limits", client.get("resources")) or {}).get("databases"))


def _certificate_choice(panel: Panel) -> Any:
    """If a PUT replaces nested objects, both fields have to be given, and what the panel does alone does not show."""
    first = {"id_certificate": panel.has["certificate"].number, "lets_encrypt": False}
    if panel.seen.get("nested_update") != "merge" or not panel.change("domain", security=first).is_done:
        return None
    answer = panel.change("domain", security={"lets_encrypt": True})
    security = panel.show("domain").get("security") or {}
    # Before the panel orders a certificate that no one needs.
    panel.change("domain", security={"id_certificate": 0, "lets_encrypt": False})
    found = answer.says("both" if number(security.get("id_certificate")) else "replaces", "refused")
    return found if found == "refused" or _SWITCH.comparable(security.get("lets_encrypt")) is True else None


def _domain_deletion(panel: Panel) -> Any:
    """Mailboxes may go some seconds after their domain."""
    mailbox = panel.has["second_mailbox"]
    answer = panel.drop(panel.has["second_domain"])
    if answer.is_done and panel.until(lambda: panel.is_gone(mailbox), panel.wait):
        panel.made.remove(mailbox)
        return "cascade"
    return answer.says("kept", "refused")


def _statuses(panel: Panel) -> Any:
    first, last = panel.seen["first_status"], panel.settles("client")
    return None if None in (first, last) else "stay" if last not in (1, 2) else "at_once" if first == 1 else "settle"


def _missing_paths(panel: Panel) -> Any:
    """Of those that are inferred. The objects are there, so what is missing is a path."""
    made = sorted((one.kind, step) for step, one in panel.has.items() if one.kind in INFERRED)
    found = []
    for kind, step in made:
        field = "auth_name" if step == "protection" else "description"
        answers = {"GET": panel.ask("GET", panel.has[step].path), "PUT": panel.change(step, **{field: panel.name})}
        answers["DELETE"] = panel.drop(panel.has[step])
        methods = [method for method, answer in answers.items() if answer.status in (404, 405)]
        words = methods[0] if len(methods) == 1 else f"({'|'.join(methods)})"
        found += [rf"{words} {BY_NAME[kind].path}/\d+"] if methods else []
    return sorted(found) if found or len(made) == len(INFERRED) else None


Act = Callable[[Panel], Any]
# Point or step, the steps whose objects it needs, and what it does if it does not just make one of the objects.
STEPS: tuple[tuple[str, str, Act | None], ...] = (
    ("plan", "", _plan),
    ("client", "", _client),
    ("new_clients", "client", _new_clients),
    ("nested_update", "client", _nested_update),
    ("unknown_members", "client", lambda p: p.change("client", hosting_panel_verify="x").says("ignore", "refuse")),
    ("scalars", "client domain", _scalars),
    ("missing_dates", "client", _missing_dates),
    ("dates", "client domain", _dates),
    ("certificate", "client", None),
    (
        "certificate_update",
        "certificate",
        lambda p: p.change("certificate", components=_public()).says("keeps_key", "needs_key"),
    ),
    ("mailbox", "domain", None),
    ("password_hashes", "mailbox", _password_hashes),
    ("unresolved_names", "certificate", _unresolved_names),
    ("subdomain_members", "domain", _subdomain_members),
    ("subdomain_zones", "domain subdomain", _subdomain_zones),
    *((step, "client", None) for step in ("database", "ftp_user", "protection", "task")),
    ("kept_texts", "client", _kept_texts),
    ("plan_assignment", "client plan", _plan_assignment),
    ("plan_deletion", "client plan", lambda p: p.drop(p.has["plan"]).says("allowed", "refused")),
    ("certificate_choice", "domain certificate", _certificate_choice),
    ("second_domain", "client", None),
    ("second_mailbox", "second_domain", None),
    ("domain_deletion", "second_mailbox", _domain_deletion),
    ("statuses", "client", _statuses),
    ("missing_paths", "client", _missing_paths),
)


def take(panel: Panel) -> None:
    """Takes the steps that have what they need. An answer of a form that no one foresaw is a finding on its point, and ends nothing."""
    for name, needs, act in STEPS:
        if panel.has.keys() >= set(needs.split()):
            try:
                found = act(panel) if act else _object(panel, name)
            except (ValueError, TypeError, AttributeError, LookupError):
                found = OTHERWISE
            if found is not None:
                panel.seen[name] = found
