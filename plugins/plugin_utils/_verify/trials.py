# SPDX-License-Identifier: GPL-3.0-or-later
"""What is tried on a panel with a test client.

A trial returns what the panel does on its point, None if that did not show, and leaves everything
so that the next one can work.
"""

from __future__ import annotations

import contextlib
import datetime
import functools
from collections.abc import Callable, Mapping
from typing import Any

from ...module_utils._errors import PanelError
from ...module_utils._http.panel_session import join_path
from ...module_utils._values.days import parse_time
from ...module_utils._values.value_types import Boolean, read_id
from .asked_panel import Answer, OddForm, UnclearAnswer, read_mapping
from .open_points import BY_NAME, OTHERWISE, read_whole_number
from .ownership import CLIENTS, PLANS, Presence
from .tried_panel import NotMade, RunIdentity, TriedPanel

_LIMITS = {"subdomains": 9, "ftp_users": 9, "scheduled_tasks": 9, "email_accounts": 9}
_CONTACT = {"first_name": "Hosting", "city": "Verify"}
_OTHER_CITY = "Elsewhere"
_HASH = "$6$hostingpanelverif$" + "." * 86
# By the beginning of a hash: the step whose kind takes it, and a hash of no password.
_HASHES_BY_FORM = {
    "$2y$": ("mailbox", "$2y$10$" + "." * 53),
    "$5$": ("mailbox", "$5$hostingpanelverif$" + "." * 43),
    "$6$": ("mailbox", _HASH),
    "$apr1$": ("protection", "$apr1$hostingp$" + "." * 22),
    "*": ("database", "*" + "0" * 40),
}
_TEXT_OF_RECORD = "hosting panel verify"
_DAYS_OF_OBJECTS = 2
_UTC = datetime.timedelta()
# By value of the point what a name has behind it; the last one is the usual name.
_ENDS = {"%20": " x", "+": "+x", "%2F": "/x", "%25": "%x", "": ""}
# By step a field that its path can change.
_FIELDS_OF_INFERRED_PATHS = {
    "database": "description",
    "protection": "auth_name",
    "ftp_user": "description",
    "task": "description",
}
# The statuses of a path or method that a panel does not have.
_NOT_THERE = (404, 405)


def _read_switch(value: Any) -> Any:
    """Return True or False for a switch in any form; something else for what is none."""
    return Boolean().normalize(value)


# What the trials make.


def _make_bodies(
    identity: RunIdentity, plan_id: int | None = None
) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return by step what it makes: the kind, and the fields beside the owner.

    Args:
        identity: What the objects show of the run.
        plan_id: The hosting plan of the client; None if there is none.
    """
    name = identity.name
    last_day = datetime.date.today() + datetime.timedelta(days=_DAYS_OF_OBJECTS)
    client: dict[str, Any] = {
        "username": name,
        "notes": f"A test of hosting.panel.verify, which may be deleted. Run {identity.mark}",
        "contact_data": _CONTACT,
        # After a crash the panel itself removes it then.
        "delete_on": f"{last_day}T12:00:00+00:00",
    }
    if plan_id is not None:
        client["id_hosting_plan"] = plan_id
    task = {
        "description": name,
        "type": "exec",
        "command": "/bin/true",
        "is_enabled": False,
        "schedule": {"minute": "0"},
    }
    return {
        "plan": (PLANS, {"name": name, "resources": _make_limits(identity, databases=1)}),
        "client": (CLIENTS, client),
        "domain": ("domains", {"domain": f"{name}.example"}),
        "certificate": ("certificates", {"name": name, "components": _make_certificate()}),
        "mailbox": ("emails", {"email": f"m@{name}.example"}),
        "database": (
            "databases",
            {"database_name": f"v{name}_1", "database_username": f"v{name}_1"},
        ),
        "ftp_user": ("ftp_users", {"username": f"v{name}_f", "home_directory": "/www"}),
        "protection": (
            "directory_protections",
            {"username": name, "path": f"/{name}", "auth_name": "Verify"},
        ),
        "task": ("scheduled_tasks", task),
        "second_domain": ("domains", {"domain": f"{name}-2.example"}),
        "second_mailbox": ("emails", {"email": f"m@{name}-2.example"}),
    }


def _make_limits(identity: RunIdentity, databases: int) -> dict[str, int]:
    """Return the limits of the hosting plan."""
    return {**_LIMITS, **identity.limits, "databases": databases}


def _make_subdomain_name(identity: RunIdentity) -> str:
    return f"sub.{identity.name}.example"


def list_used_names(identity: RunIdentity) -> dict[str, list[str]]:
    """Return by kind the names of everything that the trials make."""
    names: dict[str, list[str]] = {}
    for kind, body in _make_bodies(identity).values():
        names.setdefault(kind, []).append(body[BY_NAME[kind].name_field])
    names["domains"].append(_make_subdomain_name(identity))
    return names


def _create(panel: TriedPanel, step: str) -> Answer:
    plan_id = panel.objects["plan"].id if "plan" in panel.objects else None
    kind, body = _make_bodies(panel.identity, plan_id)[step]
    return panel.create(step, kind, body)


@functools.cache
def _make_certificate() -> dict[str, str]:
    """Return a certificate for no host, with its key."""
    # Ansible brings it along; the tests of imports have Ansible alone.
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    host = "verify.example"
    key = ec.generate_private_key(ec.SECP256R1())
    begin = datetime.datetime.now(datetime.timezone.utc)
    end = begin + datetime.timedelta(days=_DAYS_OF_OBJECTS)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    serial_number = x509.random_serial_number()
    builder = x509.CertificateBuilder(name, name, key.public_key(), serial_number, begin, end)
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), False)
    certificate = builder.sign(key, hashes.SHA256())

    pem = serialization.Encoding.PEM
    private_key = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return {
        "certificate": certificate.public_bytes(pem).decode(),
        "private_key": private_key.decode(),
    }


# The trials, which need what ``panel.objects`` has.


def _try_new_clients(panel: TriedPanel) -> str | None:
    """Make a domain at once after the client, which may be too early, and then everything else."""
    answer = _create(panel, "domain")
    if answer.is_refused:
        panel.wait_for_settled_status()
    for step in _make_bodies(panel.identity):
        if step not in panel.objects:
            _create(panel, step)

    if "domain" not in panel.objects:
        return None
    if answer.is_refused:
        return "when_ready"
    return None if panel.observations.findings["first_status"] in (None, 1) else "at_once"


def _try_nested_update(panel: TriedPanel) -> str | None:
    panel.change("client", contact_data=_CONTACT)
    panel.change("client", contact_data={"city": _OTHER_CITY})
    contact = read_mapping(panel.show("client").get("contact_data"))
    if contact.get("city") != _OTHER_CITY:
        return None
    return "merge" if contact.get("first_name") else "replace"


def _try_unknown_members(panel: TriedPanel) -> str | None:
    return panel.change("client", hosting_panel_verify="x").choose("ignore", "refuse")


def _try_scalars(panel: TriedPanel) -> str | None:
    """Write a number as a text, and a text as a number."""
    answer = panel.change("domain", security={"hsts_max_age": "31536000"})
    as_text = answer.choose("converted", "refused")
    answer = panel.change("client", contact_data={**_CONTACT, "client_id": 17})
    as_number = answer.choose("converted", "refused")
    if "refused" in (as_text, as_number):
        return "refused"
    return as_text and as_number


def _try_missing_dates(panel: TriedPanel) -> str | None:
    panel.change("client", suspend_on=None)
    client = panel.show("client")
    if "suspend_on" not in client:
        return None
    if client["suspend_on"] is None:
        return "null_value"
    return "empty_text" if client["suspend_on"] == "" else OTHERWISE


def _try_dates(panel: TriedPanel) -> str | None:
    """Return in which time zone the panel shows moments that were written in UTC."""
    offsets_of_client = _find_offsets(panel, "client", "suspend_on")
    offsets_of_domain = _find_offsets(panel, "domain", "delete_on")
    if not offsets_of_client or not offsets_of_domain:
        return None
    if "date" in offsets_of_client | offsets_of_domain:
        return "date"
    if len(offsets_of_client) > 1 or len(offsets_of_domain) > 1:
        return "local_with_winter"
    if offsets_of_client != offsets_of_domain:
        return "as_declared" if offsets_of_domain == {_UTC} else OTHERWISE

    offset = offsets_of_client.pop()
    if offset > _UTC:
        return "local"
    return "west" if offset < _UTC else "utc"


def _find_offsets(panel: TriedPanel, step: str, field: str) -> set[Any]:
    """Return those in which a moment in winter and one in summer are shown; empty unless both are.

    A bare day is ``date``.
    """
    offsets: set[Any] = set()
    is_complete = True
    next_year = datetime.date.today().year + 1
    for month in ("01", "07"):
        actual = _write_and_read_moment(
            panel, step, field, f"{next_year}-{month}-15T12:00:00+00:00"
        )
        if not actual:
            is_complete = False
        elif len(actual) == len("YYYY-MM-DD"):
            offsets.add("date")
        else:
            offsets.add(_read_offset(actual))
    with contextlib.suppress(UnclearAnswer):
        panel.change(step, **{field: None})
    return offsets if is_complete else set()


def _read_offset(text: str) -> datetime.timedelta | None:
    """Return the offset that a time is written with; raises OddForm for what is no time."""
    time = parse_time(text)
    if time is None:
        raise OddForm(f"This is no time: {text}")
    return time.utcoffset()


def _write_and_read_moment(panel: TriedPanel, step: str, field: str, moment: str) -> str:
    """Write a moment, and return how the panel shows it; empty if it does not.

    Raises:
        OddForm: The panel shows it as something else than a text.
    """
    actual = None
    with contextlib.suppress(UnclearAnswer):
        if panel.change(step, **{field: moment}).is_done:
            actual = panel.show(step).get(field)
    if actual and not isinstance(actual, str):
        raise OddForm(f"This is no text: {actual}")
    return actual or ""


def _try_certificate_update(panel: TriedPanel) -> str | None:
    components = {"certificate": _make_certificate()["certificate"]}
    return panel.change("certificate", components=components).choose("keeps_key", "needs_key")


def _try_password_hashes(panel: TriedPanel) -> str | None:
    answer = panel.change("mailbox", password_hash=_HASH)
    if not answer.is_done:
        return "refused" if answer.is_refused else None
    is_shown = panel.show("mailbox").get("password_hash")
    return "written_and_shown" if is_shown else "written"


def _try_refused_hashes(panel: TriedPanel) -> list[str] | None:
    """Try a hash of each form, where its kind has it."""
    refused = []
    for form, (step, text) in _HASHES_BY_FORM.items():
        if step not in panel.objects:
            return None
        answer = panel.change(step, password_hash=text)
        if not answer.is_done and not answer.is_refused:
            return None
        if answer.is_refused:
            refused.append(form)
    # A panel that takes no hash at all refuses none for its form.
    return [] if len(refused) == len(_HASHES_BY_FORM) else refused


def _try_unresolved_names(panel: TriedPanel) -> list[str] | None:
    """Look for objects by names of the certificate, and by that of the mailbox."""
    mailbox_name = panel.find_made("mailbox").name
    is_resolved = {}
    for written, end in _ENDS.items():
        name = panel.identity.name + end
        if panel.change("certificate", name=name).is_done:
            is_resolved[written] = _is_found_by_name(panel, "certificate", name)

    is_resolved["%40"] = _is_found_by_name(panel, "mailbox", mailbox_name)

    unresolved = sorted(written for written, is_found in is_resolved.items() if not is_found)
    # Without the usual name nothing shows; without all names, only what is not resolved does.
    has_all = len(is_resolved) > len(_ENDS)
    if is_resolved.get("") and (unresolved or has_all):
        return unresolved
    return None


def _is_found_by_name(panel: TriedPanel, step: str, name: str) -> bool:
    creation = panel.find_made(step)
    path = f"{BY_NAME[creation.kind].path}/name{join_path(name)}"
    item = panel.asked.ask_clearly("GET", path).object
    return read_id(item.get("id")) == creation.id


def _try_subdomain_members(panel: TriedPanel) -> str | None:
    name = _make_subdomain_name(panel.identity)
    body = {"id_parent_domain": panel.find_made("domain").id, "domain": name}
    flags = {"create_www_subdomain": False, "is_email_domain": True, "is_dns_disabled": False}
    if panel.create("subdomain", "domains", {**body, **flags}).is_refused:
        return "refused" if panel.create("subdomain", "domains", body).is_done else None
    is_email_domain = _read_switch(panel.show("subdomain").get("is_email_domain"))
    if not isinstance(is_email_domain, bool):
        return None
    return "accepted" if is_email_domain else "ignored"


def _try_subdomain_zones(panel: TriedPanel) -> str | None:
    """Look for a text in the zone of the subdomain that the zone of the domain has from now on."""
    path = f"/dns{join_path(panel.find_made('domain').id)}"
    path_of_subdomain = f"/dns{join_path(panel.find_made('subdomain').id)}"
    zone = panel.asked.ask_clearly("GET", path)
    zone_data = read_mapping(zone.data)
    if "records" not in zone_data:
        return None
    panel.observations.add_own_sample("dns", zone.object, {})

    records = read_mapping(zone_data["records"])
    if "other" not in records:
        return None
    if not isinstance(records["other"], list):
        raise OddForm("The records are no list.")
    record = {"host": "verify", "ttl": 3600, "type": "TXT", "value": _TEXT_OF_RECORD}
    body = {"records": {**records, "other": [*records["other"], record]}}
    if not panel.asked.ask("PUT", path, body).is_done:
        return None
    answer = panel.asked.ask_clearly("GET", path_of_subdomain)
    if answer.is_done:
        return "of_parent" if _TEXT_OF_RECORD in str(answer.data) else "own"
    return "none" if answer.status in (400, 404) else None


def _try_kept_texts(panel: TriedPanel) -> str | None:
    """Read all that was made, alone and in its list, and under which names databases and FTP users
    are kept."""
    ways = set()
    is_complete = True
    for step, creation in reversed(panel.objects.items()):
        has_way = step in ("database", "ftp_user")
        try:
            item = panel.asked.read_list(creation.kind).get(creation.id or 0, {})
            alone = panel.show(step)
        except UnclearAnswer:
            is_complete = is_complete and not has_way
            continue
        if alone or item:
            panel.observations.add_own_sample(creation.kind, alone, item)
        if item and has_way:
            kept_name = str(item.get(BY_NAME[creation.kind].name_field))
            ways.add(_find_way_of_keeping(creation.name, kept_name))
    return ways.pop() if is_complete and len(ways) == 1 else None


def _find_way_of_keeping(name: str, kept_name: str) -> str:
    if kept_name == name:
        return "as_sent"
    return "prefixed" if kept_name.endswith(f"_{name}") else "generated"


def _try_plan_assignment(panel: TriedPanel) -> str | None:
    """Compare the limit of the client after its plan was changed, and after it was assigned
    again."""
    if not panel.change("plan", resources=_make_limits(panel.identity, databases=2)).is_done:
        return None
    after_change = _read_limit_of_databases(panel)
    if not panel.change("client", id_hosting_plan=panel.find_made("plan").id).is_done:
        return None
    after_assignment = _read_limit_of_databases(panel)
    return {(1, 2): "copies", (1, 1): "nothing"}.get((after_change, after_assignment))


def _read_limit_of_databases(panel: TriedPanel) -> Any:
    client = panel.show("client")
    limits = read_mapping(client.get("resource_limits", client.get("resources")))
    return read_whole_number(limits.get("databases"))


def _try_plan_deletion(panel: TriedPanel) -> str | None:
    return panel.delete(panel.find_made("plan")).choose("allowed", "refused")


def _try_certificate_choice(panel: TriedPanel) -> str | None:
    """Choose Let's Encrypt for a domain with another certificate.

    If a PUT replaces nested objects, both fields have to be sent, and what the panel does alone
    does not show.
    """
    if panel.observations.findings.get("nested_update") != "merge":
        return None
    security = {"id_certificate": panel.find_made("certificate").id, "lets_encrypt": False}
    if not panel.change("domain", security=security).is_done:
        return None

    answer = Answer(0)
    actual: Mapping[str, Any] = {}
    with contextlib.suppress(UnclearAnswer):
        answer = panel.change("domain", security={"lets_encrypt": True})
        actual = read_mapping(panel.show("domain").get("security"))
    # Before the panel orders a certificate that no one needs.
    with contextlib.suppress(UnclearAnswer):
        panel.change("domain", security={"id_certificate": 0, "lets_encrypt": False})
    if answer.is_done and not _read_switch(actual.get("lets_encrypt")):
        return None
    has_both = read_whole_number(actual.get("id_certificate"))
    return answer.choose("both" if has_both else "replaces", "refused")


def _try_domain_deletion(panel: TriedPanel) -> str | None:
    """Delete a domain with a mailbox, which may go some seconds later."""
    domain = panel.find_made("second_domain")
    answer = panel.delete(domain)
    if not answer.is_done:
        return "refused" if answer.is_refused else None
    # The mailbox says something only once the domain is gone.
    if domain.presence is not Presence.GONE:
        return None
    ways = {Presence.GONE: "cascade", Presence.THERE: "kept"}
    return ways.get(panel.wait_until_gone(panel.find_made("second_mailbox")))


def _try_statuses(panel: TriedPanel) -> str | None:
    first = panel.observations.findings["first_status"]
    last = panel.wait_for_settled_status()
    if first is None or last is None:
        return None
    if last not in (1, 2):
        return "stay"
    return "at_once" if first == 1 else "settle"


def _try_missing_paths(panel: TriedPanel) -> list[str] | None:
    """Use the paths of objects that exist, so that what is missing is a path."""
    missing = []
    for step, field in _FIELDS_OF_INFERRED_PATHS.items():
        if step not in panel.objects:
            continue
        creation = panel.objects[step]
        answers = {
            "GET": panel.asked.ask_clearly("GET", creation.path),
            "PUT": panel.change(step, **{field: panel.identity.name}),
            "DELETE": panel.delete(creation),
        }
        if answers["DELETE"].is_broken:
            return None
        methods = [method for method, answer in answers.items() if answer.status in _NOT_THERE]
        pattern = "|".join(methods)
        if len(methods) > 1:
            pattern = f"({pattern})"
        if pattern:
            missing.append(rf"{pattern} {BY_NAME[creation.kind].path}/\d+")

    if missing or panel.objects.keys() >= _FIELDS_OF_INFERRED_PATHS.keys():
        return sorted(missing)
    return None


# By point its trial, in this order.
TRIALS: Mapping[str, Callable[[TriedPanel], Any]] = {
    "nested_update": _try_nested_update,
    "unknown_members": _try_unknown_members,
    "scalars": _try_scalars,
    "missing_dates": _try_missing_dates,
    "dates": _try_dates,
    "certificate_update": _try_certificate_update,
    "password_hashes": _try_password_hashes,
    "refused_hashes": _try_refused_hashes,
    "unresolved_names": _try_unresolved_names,
    "subdomain_members": _try_subdomain_members,
    "subdomain_zones": _try_subdomain_zones,
    "kept_texts": _try_kept_texts,
    "plan_assignment": _try_plan_assignment,
    "plan_deletion": _try_plan_deletion,
    "certificate_choice": _try_certificate_choice,
    "domain_deletion": _try_domain_deletion,
    "statuses": _try_statuses,
    "missing_paths": _try_missing_paths,
}


def run_trials(panel: TriedPanel) -> None:
    """Try everything, and note what the panel does in the findings.

    An answer of a form that no one foresaw is a finding on its point, and ends nothing. One that is
    broken is none. A trial that fails in any other way is a defect, and ends the run.

    Raises:
        PanelError: The panel does not create the test client.
        RequestError: No answer came.
    """
    _create(panel, "plan")
    answer = _create(panel, "client")
    if "client" not in panel.objects:
        reason = answer.message or answer.status
        raise PanelError(
            f"client {panel.identity.name}: the panel did not create the test client: {reason}"
        )

    panel.observations.findings["first_status"] = panel.read_status_of_client()
    panel.observations.findings["new_clients"] = _try_new_clients(panel)
    for point, run_trial in TRIALS.items():
        try:
            finding = run_trial(panel)
        except (NotMade, UnclearAnswer):
            finding = None
        except OddForm:
            finding = OTHERWISE
        if finding is not None:
            panel.observations.findings[point] = finding
