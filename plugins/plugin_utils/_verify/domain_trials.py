# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is tried with domains, subdomains and certificates. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...module_utils._http.answers import Exchange
from .evidence import Untold, is_on, number
from .trials import Trying, trial

_PEM = Path(__file__).with_name("throw_away_certificate.pem")
_READY_AT_ONCE = Untold("The client was ready at once, as far as the panel shows.")
_HIDDEN_BY_REPLACING = Untold("It cannot be told from what the panel does with members that a PUT leaves out.")


def throw_away_certificate() -> tuple[str, str]:
    """It and its private key."""
    certificate, key = _PEM.read_text(encoding="ascii").split("-----BEGIN PRIVATE KEY-----")
    return certificate, f"-----BEGIN PRIVATE KEY-----{key}"


@trial
def new_clients(do: Trying) -> Any:
    """At once after the client, which may be too early; what is refused is asked for a second time under the name of the owner in any case."""
    name = f"{do.name}.example"
    body = {"id_user": do.has["client"].number, "domain": name}
    first = do.make("domain", "domains", name, body)
    if not first.is_refused:
        was_ready = do.seen.statuses[:1] in ([], [1])
        return None if "domain" not in do.has else _READY_AT_ONCE if was_ready else "at_once"
    do.objects.settled(do.has["client"], do.longest)
    is_made = do.make("domain", "domains", name, body).is_done
    return "when_ready" if is_made and do.seen.is_objection(first) else None


@trial
def subdomain_members(do: Trying) -> Any:
    domain, owner = do.has["domain"], do.has["client"].number
    name = f"{do.fresh('sub')}.{domain.name}"
    body = {"id_user": owner, "id_parent_domain": domain.number, "domain": name}
    flags = {"create_www_subdomain": False, "is_email_domain": True, "is_dns_disabled": False}
    reply = do.make("subdomain", "domains", name, {**body, **flags})
    if not reply.is_done:
        is_about_them = do.make("subdomain", "domains", name, body).is_done and do.seen.is_objection(reply)
        return "refused" if is_about_them else None
    shown = do.show("subdomain") if "subdomain" in do.has else {}
    if "is_email_domain" not in shown:
        return None
    return "accepted" if is_on(shown["is_email_domain"]) else "ignored"


@trial
def system_domains(do: Trying) -> Any:
    reply = do.read_list("domains")
    if _has_system_domain(do, reply):
        return "listed"
    # Where the list was not read, nobody knows whether it has them.
    is_asked_for = reply.is_done and _has_system_domain(do, do.ask("GET", "/domains", None, {"system_domains": "true"}))
    return "asked_only" if is_asked_for else None


def _has_system_domain(do: Trying, reply: Exchange) -> bool:
    own = (item for item in reply.items if str(item.get("domain", "")).startswith(f"{do.name}."))
    return any(is_on(item.get("is_system_domain")) for item in own)


@trial
def certificate_update(do: Trying) -> Any:
    components = {"certificate": throw_away_certificate()[0]}
    return do.accepted("certificate", {"components": components}, "keeps_key", "needs_key")


@trial
def certificate_choice(do: Trying) -> Any:
    """Where a PUT replaces the whole group, both are named, and only a panel that keeps both can be told."""
    first = {"id_certificate": do.has["certificate"].number, "lets_encrypt": False}
    if not do.change("domain", {"security": first}).is_done:
        return None
    merges = do.seen.tried.get("nested_update") == "merge"
    another = {"lets_encrypt": True} if merges else {**first, "lets_encrypt": True}
    reply = do.change("domain", {"security": another})
    if not reply.is_done:
        return None if not do.seen.is_objection(reply) else "refused" if merges else _HIDDEN_BY_REPLACING
    security = do.show("domain").get("security")
    # Before the panel asks for a certificate that nobody needs.
    do.change("domain", {"security": first})
    if not isinstance(security, Mapping) or not is_on(security.get("lets_encrypt")):
        return None
    if number(security.get("id_certificate")):
        return "both"
    return "replaces" if merges else _HIDDEN_BY_REPLACING


@trial
def certificate_deletion(do: Trying) -> Any:
    """Where the domain has it by now."""
    certificate = do.has["certificate"]
    security = do.show("domain").get("security")
    if not isinstance(security, Mapping) or number(security.get("id_certificate")) != certificate.number:
        return None
    return do.dropped(certificate, "detaches")


@trial
def domain_deletion(do: Trying) -> Any:
    """A domain of its own, with a mailbox, so that the client keeps the other."""
    domain, mailbox = do.has["second domain"], do.has["mailbox of the second domain"]
    if domain in do.objects.made:
        reply = do.objects.drop(domain)
        if not reply.is_done:
            return "refused" if do.seen.is_objection(reply) else None
    shown = do.ask("GET", mailbox.path)
    if shown.object:
        return "kept"
    if shown.status != 404 or not do.seen.single("emails"):
        return None
    if shown.is_json and mailbox in do.objects.made:
        do.objects.made.remove(mailbox)
    return "cascade"
