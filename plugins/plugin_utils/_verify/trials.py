# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is tried on a panel, as a table of steps: each makes something in the test client, and asks what the panel does with it. Private.

A trial gives by point what was found. It leaves everything so that the next one can work.
"""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...module_utils._errors import PanelError
from ...module_utils._http.panel_client import path_of
from .fields import BY_NAME, INFERRED, Shown, as_list, is_on, number
from .panel import CLIENTS, PLANS, Run, said
from .points import OTHERWISE

CONTACT = {"first_name": "Hosting", "city": "Verify"}
# No other plan has these limits together, so that a plan of a verify is known by them.
PLAN_LIMITS = {"subdomains": 73, "ftp_users": 73, "scheduled_tasks": 73, "email_accounts": 73}
_HASH = "$6$hostingpanelverif$" + "." * 86
_CHARACTERS = {"%20": " ", "+": "+", "%2F": "/", "%25": "%"}
_TEXT = "hosting panel verify"
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:?\d\d)")


@functools.cache
def test_certificate() -> dict[str, str]:
    """A certificate for no host, with its key."""
    # Ansible brings it along; the tests of imports have Ansible alone.
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "verify.example")])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder(
        name, name, key.public_key(), x509.random_serial_number(), now, now + datetime.timedelta(days=2)
    )
    signed = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName("verify.example")]), False).sign(
        key, hashes.SHA256()
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    return {
        "certificate": signed.public_bytes(pem).decode(),
        "private_key": key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain).decode(),
    }


# What is made.


def _plan(run: Run) -> None:
    run.make("plan", PLANS, run.name, {"name": run.name, "resources": {**PLAN_LIMITS, "databases": 1}})


def _client(run: Run) -> None:
    body: dict[str, Any] = {
        "username": run.name,
        "notes": run.notes,
        # After a crash the panel itself removes it then.
        "delete_on": f"{run.today + datetime.timedelta(days=2)}T12:00:00+00:00",
        "contact_data": CONTACT,
        **({"id_hosting_plan": run.has["plan"].number} if "plan" in run.has else {}),
    }
    answer = run.make("client", CLIENTS, run.name, body)
    if "client" not in run.has and answer.is_refused:
        answer = run.make("client", CLIENTS, run.name, {"username": run.name, "notes": run.notes})
    if "client" not in run.has:
        raise PanelError(
            f"client {run.name}: the panel did not create the test client: {answer.words or answer.status}"
        )
    run.first_status = run.own.get(CLIENTS, Shown({}, {})).single.get("status")


def _domain(run: Run) -> None:
    """At once after the client, which may be too early."""
    name = f"{run.name}.example"
    first = run.make("domain", "domains", name, {**run.owner, "domain": name})
    if first.is_refused:
        run.settles("client")
        again = run.make("domain", "domains", name, {**run.owner, "domain": name})
        run.seen["new_clients"] = "when_ready" if again.is_done else None
    elif number(run.first_status) not in (None, 1):
        run.seen["new_clients"] = "at_once"


def _subdomain(run: Run) -> None:
    name = f"sub.{run.name}.example"
    body = {**run.owner, "id_parent_domain": run.has["domain"].number, "domain": name}
    flags = {"create_www_subdomain": False, "is_email_domain": True, "is_dns_disabled": False}
    first = run.make("subdomain", "domains", name, {**body, **flags})
    if first.is_refused:
        run.make("subdomain", "domains", name, body)
        run.seen["subdomain_members"] = "refused" if "subdomain" in run.has else None
    elif "subdomain" in run.has and "is_email_domain" in (shown := run.show("subdomain")):
        run.seen["subdomain_members"] = "accepted" if is_on(shown["is_email_domain"]) else "ignored"
    # Of this kind the domain stands for all.
    run.show("domain")


_SCHEDULE = {"minute": "0", "hour": "0"}
# By step what it makes: the kind, and the fields beside the owner; {} is the name of the client.
_OBJECTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "certificate": ("certificates", {"name": "{}"}),
    "mailbox": ("emails", {"email": "m@{}.example"}),
    "database": ("databases", {"database_name": "v{}_1", "database_username": "v{}_1"}),
    "ftp_user": ("ftp_users", {"username": "v{}_f", "home_directory": "/www"}),
    "protection": ("directory_protections", {"username": "{}", "path": "/{}", "auth_name": "Verify"}),
    # It is off, and would do nothing.
    "task": (
        "scheduled_tasks",
        {"description": "{}", "type": "exec", "command": "/bin/true", "is_enabled": False, "schedule": _SCHEDULE},
    ),
    "second domain": ("domains", {"domain": "{}-2.example"}),
    "second mailbox": ("emails", {"email": "m@{}-2.example"}),
}


def _object(run: Run, step: str) -> None:
    kind, fields = _OBJECTS[step]
    body = {name: value.format(run.name) if isinstance(value, str) else value for name, value in fields.items()}
    more = {"components": test_certificate()} if step == "certificate" else {}
    run.make(step, kind, body[BY_NAME[kind].name_member], {**run.owner, **body, **more})


# What is tried.


def nested_update(run: Run) -> Any:
    run.change("client", {"contact_data": CONTACT})
    if not run.change("client", {"contact_data": {"city": "Elsewhere"}}).is_done:
        return None
    contact = run.show("client").get("contact_data")
    if not isinstance(contact, Mapping) or contact.get("city") != "Elsewhere":
        return None
    return "merge" if contact.get("first_name") else "replace"


def unknown_members(run: Run) -> Any:
    return run.accepted("client", {"notes": run.notes, "hosting_panel_verify": "x"}, "ignore", "refuse")


def scalars(run: Run) -> Any:
    as_text = run.accepted("domain", {"security": {"hsts_max_age": "31536000"}}, "converted", "refused")
    as_number = run.accepted("client", {"contact_data": {**CONTACT, "client_id": 17}}, "converted", "refused")
    return "refused" if "refused" in (as_text, as_number) else as_text and as_number


def missing_dates(run: Run) -> Any:
    run.change("client", {"suspend_on": None})
    shown = run.show("client")
    if "suspend_on" not in shown:
        return None
    return {None: "null_value", "": "empty_text"}.get(shown["suspend_on"], OTHERWISE)


def dates(run: Run) -> Any:
    """By the offsets of clients and of domains, in winter and in summer."""
    texts = {step: _shown_dates(run, step, name) for step, name in (("client", "suspend_on"), ("domain", "delete_on"))}
    run.change("client", {"suspend_on": None})
    run.change("domain", {"delete_on": None})
    every = [text for of_one in texts.values() for text in of_one]
    if not all(texts.values()) or not all(isinstance(text, str) for text in every):
        return None
    if all(_DAY.fullmatch(text) for text in every):
        return "date"
    client, domain = ({_offset(text) for text in of_one} for of_one in texts.values())
    if None in client | domain:
        return OTHERWISE
    if len(client) > 1 or len(domain) > 1:
        return "local_with_winter"
    (of_client,), (of_domain,) = client, domain
    if of_client == of_domain:
        return "utc" if not of_client else "local" if of_client > 0 else "west"
    return "as_declared" if not of_domain else OTHERWISE


def _shown_dates(run: Run, step: str, field: str) -> list[Any]:
    """As the panel shows a moment in winter and one in summer, both of which lie ahead."""
    moments = [f"{run.today.year + 1}-{month}-15T12:00:00+00:00" for month in ("01", "07")]
    return [run.show(step).get(field) for moment in moments if run.change(step, {field: moment}).is_done]


def _offset(text: str) -> int | None:
    """Minutes east of Greenwich."""
    found = _INSTANT.fullmatch(text)
    if found is None or found[1] == "Z":
        return None if found is None else 0
    minutes = int(found[1][1:3]) * 60 + int(found[1][-2:])
    return -minutes if found[1][0] == "-" else minutes


def certificate_update(run: Run) -> Any:
    body = {"components": {"certificate": test_certificate()["certificate"]}}
    return run.accepted("certificate", body, "keeps_key", "needs_key")


def unresolved_names(run: Run) -> Any:
    """By the names of the certificate and of the mailbox."""
    found: dict[str, bool] = {}
    for written, character in _CHARACTERS.items():
        name = f"{run.name}{character}x"
        if run.change("certificate", {"name": name}).is_done:
            found[written] = _is_found(run, "certificate", name)
    run.change("certificate", {"name": run.name})
    is_found_plainly = _is_found(run, "certificate", run.name)
    if "mailbox" in run.has:
        found["%40"] = _is_found(run, "mailbox", run.has["mailbox"].name)
    missing = [written for written, is_found in found.items() if not is_found]
    return missing if is_found_plainly and (missing or len(found) > len(_CHARACTERS)) else None


def _is_found(run: Run, step: str, name: str) -> bool:
    made = run.has[step]
    shown = run.panel.ask("GET", f"{BY_NAME[made.kind].path}/name{path_of(name)}").object
    return number(shown.get("id")) == made.number


def password_hashes(run: Run) -> Any:
    answer = run.change("mailbox", {"password_hash": _HASH})
    if not answer.is_done:
        return said(answer, "", "refused")
    return "written_and_shown" if run.show("mailbox").get("password_hash") else "written"


def subdomain_zones(run: Run) -> Any:
    """By a text that the zone of the domain has by now."""
    zone = run.zone() if "subdomain" in run.has else {}
    records = zone.get("records")
    soa, other = (records.get("soa"), as_list(records.get("other"))) if isinstance(records, Mapping) else (None, None)
    more = {"host": "verify", "ttl": 3600, "type": "TXT", "value": _TEXT}
    body = {"records": {"soa": soa, "other": [*(other if isinstance(other, list) else []), more]}}
    if not zone or not run.panel.ask("PUT", f"/dns{path_of(run.has['domain'].number)}", body).is_done:
        return None
    answer = run.panel.ask("GET", f"/dns{path_of(run.has['subdomain'].number)}")
    if answer.is_done:
        return "of_parent" if _TEXT in str(answer.data) else "own"
    return "none" if answer.status in (400, 404) else OTHERWISE if answer.is_refused else None


def kept_texts(run: Run) -> Any:
    """How the lists show what was made, and under which names databases and FTP users are kept."""
    for made in list(run.has.values()):
        listed = run.panel.ask("GET", BY_NAME[made.kind].path).items
        item = next((item for item in listed if number(item.get("id")) == made.number), {})
        shown = run.own.get(made.kind, Shown({}, {}))
        if item and (not shown.single or number(shown.single.get("id")) == made.number):
            run.own[made.kind] = shown._replace(item=item)
    sent = [(run.has[step], run.own.get(run.has[step].kind)) for step in ("database", "ftp_user") if step in run.has]
    kept = {_kept(made.name, shown.item.get(BY_NAME[made.kind].name_member)) for made, shown in sent if shown}
    return kept.pop() if len(kept) == 1 else None


def _kept(sent: str, kept: Any) -> str:
    return "as_sent" if kept == sent else "prefixed" if str(kept).endswith(f"_{sent}") else "generated"


def plan_assignment(run: Run) -> Any:
    """Only to be seen where limits of clients do not change with their plan."""
    if not run.change("plan", {"resources": {**PLAN_LIMITS, "databases": 2}}).is_done or _limit(run) != 1:
        return None
    if not run.change("client", {"id_hosting_plan": run.has["plan"].number}).is_done:
        return None
    return {2: "copies", 1: "nothing"}.get(_limit(run) or 0)


def _limit(run: Run) -> int | None:
    client = run.show("client")
    limits = client.get("resource_limits", client.get("resources"))
    return number(limits.get("databases")) if isinstance(limits, Mapping) else None


def plan_deletion(run: Run) -> Any:
    return said(run.drop("plan"), "allowed", "refused")


def certificate_choice(run: Run) -> Any:
    """Where a PUT replaces a nested object, both fields have to be named, and what the panel does alone does not show."""
    first = {"id_certificate": run.has["certificate"].number, "lets_encrypt": False}
    if run.seen.get("nested_update") != "merge" or not run.change("domain", {"security": first}).is_done:
        return None
    answer = run.change("domain", {"security": {"lets_encrypt": True}})
    security = run.show("domain").get("security")
    # Before the panel orders a certificate that nobody needs.
    run.change("domain", {"security": {"id_certificate": 0, "lets_encrypt": False}})
    if not answer.is_done:
        return said(answer, "", "refused")
    if not isinstance(security, Mapping) or not is_on(security.get("lets_encrypt")):
        return None
    return "both" if number(security.get("id_certificate")) else "replaces"


def domain_deletion(run: Run) -> Any:
    """Mailboxes may go some seconds after their domain."""
    mailbox = run.has["second mailbox"]
    answer = run.drop("second domain")
    if not answer.is_done:
        return said(answer, "", "refused")
    if not run.panel.until(lambda: run.panel.is_gone(mailbox), run.panel.wait):
        return "kept"
    run.panel.made.remove(mailbox)
    return "cascade"


def statuses(run: Run) -> Any:
    first, last = number(run.first_status), run.settles("client")
    if first is None or last is None:
        return None
    return "stay" if last not in (1, 2) else "at_once" if first == 1 else "settle"


def missing_paths(run: Run) -> Any:
    """Of those that are only inferred."""
    made = {step: one for step, one in run.has.items() if one.kind in INFERRED}
    for step, one in made.items():
        run.change(step, {"auth_name" if one.kind == "directory_protections" else "description": run.name})
        run.drop(step)
    if not made:
        return None
    found = []
    for kind in sorted(INFERRED):
        methods = [method for method in ("GET", "PUT", "DELETE") if run.paths.get((kind, method)) is False]
        if methods:
            found.append(
                f"{methods[0] if len(methods) == 1 else '(' + '|'.join(methods) + ')'} {BY_NAME[kind].path}" + r"/\d+"
            )
    return found if found or {one.kind for one in made.values()} == INFERRED else None


class Step(NamedTuple):
    """needs: the steps whose objects there have to be. make: where it is no plain object. trials: by the names of their points."""

    name: str
    needs: tuple[str, ...] = ("client",)
    trials: tuple[Callable[[Run], Any], ...] = ()
    make: Callable[[Run], None] | None = None


STEPS = (
    Step("plan", (), make=_plan),
    Step("client", (), make=_client),
    Step("domain", make=_domain),
    Step("changes", ("client", "domain"), (nested_update, unknown_members, scalars, missing_dates, dates)),
    Step("certificate", ("client",), (certificate_update,)),
    Step("mailbox", ("domain",), (password_hashes,)),
    Step("names", ("certificate",), (unresolved_names,)),
    Step("subdomain", ("domain",), (subdomain_zones,), _subdomain),
    *map(Step, ("database", "ftp_user", "protection", "task")),
    Step("lists", ("client",), (kept_texts,)),
    Step("plan of the client", ("client", "plan"), (plan_assignment, plan_deletion)),
    Step("choice", ("domain", "certificate"), (certificate_choice,)),
    Step("second domain"),
    Step("second mailbox", ("second domain",)),
    Step("deletion", ("second mailbox",), (domain_deletion,)),
    Step("end", ("client",), (statuses, missing_paths)),
)


def take(run: Run) -> None:
    """Takes the steps that have what they need. An answer of a form that nobody foresaw is told of its point, and ends nothing."""
    for step in STEPS:
        if not run.has.keys() >= set(step.needs):
            continue
        if step.make is not None:
            step.make(run)
        elif step.name in _OBJECTS:
            _object(run, step.name)
        for trial in step.trials:
            run.seen[trial.__name__] = _tried(trial, run)


def _tried(trial: Callable[[Run], Any], run: Run) -> Any:
    try:
        return trial(run)
    except (ValueError, TypeError, AttributeError, LookupError):
        return OTHERWISE
