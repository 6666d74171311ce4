"""Tasks that handle secrets: every secret option of every kind, in everything that a task may do with it. Made from the tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind, argument_spec, constraints
from tests.support import pem
from tests.support.grid import SIMULATOR_KINDS, key_options
from tests.support.marked_secrets import HEAD, forms, secret_key, texts_in
from tests.support.marked_secrets import secret as canary
from tests.support.operations import world
from tests.support.playbook import task
from tests.support.samples import kinds, members_of, put, resolved, samples

Options = dict[str, Any]
API_KEY = secret_key("key")
# Members that the panel has beside those of the tables, with names of secrets.
EXTRA = {"api_token": canary("extra"), "settings": {"client_secret": canary("nested"), "colour": "blue"}}
SETTINGS: dict[str, Any] = {
    "status_delay": 0,
    "password_hashes": "written_and_shown",
    "shows_private_keys": True,
    "extra_members": {
        SIMULATOR_KINDS.get(kind.plural, kind.plural): {"api_token": canary("onpanel"), "settings": {}}
        for kind in kinds().values()
    },
}
OK, FAILED = "ok", "failed"
CHECK = {"check_mode": True}


@dataclass(frozen=True)
class Case:
    """A task that handles secrets. outcome: what has to become of it; fresh: whether the panel is made anew for it."""

    name: str
    about: str
    module: str
    options: Options
    outcome: str = OK
    fresh: bool = False
    faults: tuple[Mapping[str, Any], ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def task(self) -> dict[str, Any]:
        before: list[Any] = [["DELETE", "/faults", None]]
        if self.fresh:
            before += [["POST", "/reset", None], ["POST", "/settings", SETTINGS], ["POST", "/seed", world()]]
        before += [["POST", "/faults", fault] for fault in self.faults]
        return task(f"{self.about}: {self.name}", f"panel_{self.module}", self.options, before, **self.keywords)


def holds_secret(text: str) -> bool:
    """Whether a text is one of the secrets."""
    return HEAD in text or "PRIVATE KEY" in text


def cases() -> Iterator[Case]:
    """Everything, kind by kind."""
    yield from _of_the_key()
    for kind in kinds().values():
        variants = secrets_of(kind, kind.singular.replace("_", ""))
        for number, secrets in enumerate(variants, 1):
            yield from _of_variant(kind, secrets, f"{kind.singular} {number}" if len(variants) > 1 else kind.singular)
    yield from _of_many()
    yield from _of_calls()


def creation(kind: Kind) -> Options:
    """The options of the smallest creation, without secrets."""
    options = key_options(kind)
    members = {member.path: member for member in members_of(kind)}
    for path in samples()["kinds"][kind.singular].get("needed", ()):
        put(options, path, members[path].values[0].option)
    no_ids: dict[str, int] = {}
    filled: Options = resolved(options, no_ids.__getitem__, pem.texts())
    return filled


def secrets_of(kind: Kind, tag: str) -> list[Options]:
    """The secret options of a kind, those that exclude each other apart from each other; tag: tells canaries apart."""
    names = {name for name, spec in argument_spec(kind).items() if spec.get("no_log")}
    exclusive = [pair for pair in constraints(kind)["mutually_exclusive"] if set(pair) <= names]
    variants = []
    for left in itertools.product(*exclusive):
        chosen = names - (set().union(*exclusive) - set(left))
        # What belongs to an excluded hash is left out with it.
        chosen -= set() if "password_hash" in chosen else {"password_hash_os"}
        secrets = {name: canary(f"{tag}{name.replace('_', '')}") for name in argument_spec(kind) if name in chosen}
        variants.append({**secrets, "extra": EXTRA})
    return variants


def echo(options: Mapping[str, Any], status: int, is_page: bool = False) -> dict[str, Any]:
    """A panel that answers with the secrets that it was sent, in every form; as the page of a web server with ``is_page``."""
    secrets = [API_KEY, *filter(holds_secret, texts_in(options))]
    message = "Do not use " + " or ".join(form for secret in secrets for form in sorted(forms(secret)))
    struck = {"method": ["POST", "PUT"], "when": "before"}
    if is_page:
        return {"kind": "status", "status": 200, "message": message, "times": 0, **struck}
    return {"kind": "body", "status": status, "body": {"code": f"{status} Refused", "message": message}, **struck}


def _of_variant(kind: Kind, secrets: Options, about: str) -> Iterator[Case]:
    options = {**creation(kind), **secrets}
    changed = {**options, "extra": {**EXTRA, "api_token": canary("changed")}}
    if kind.password is not None:
        changed["update_password"] = "always"
    perhaps = {**options, "state": "perhaps"}

    def case(title: str, given: Options, outcome: str = OK, **more: Any) -> Case:
        return Case(title, about, kind.singular, given, outcome, **more)

    def echoed(title: str, status: int, is_page: bool = False, **more: Any) -> Case:
        return case(title, {**options, **more}, FAILED, fresh=is_page, faults=(echo(options, status, is_page),))

    yield case("created in check mode", options, fresh=True, keywords=CHECK)
    yield echoed("refused with an echo", 400)
    yield echoed("failed with an echo", 500)
    yield echoed("a page with an echo", 200, True, retry_time=0)
    yield case("created in a loop", options, fresh=True, keywords={"loop": [1, 2], "no_log": False})
    yield case("unchanged", options)
    yield case("changed in check mode", changed, keywords=CHECK)
    yield case("changed", changed)
    yield Case("read", about, f"{kind.singular}_info", {})
    yield case("an unknown option", {**options, "passwort": canary("misspelt")}, FAILED)
    yield case("a wrong value beside it", perhaps, FAILED)
    yield case("a wrong type beside it", {**options, "extra": canary("notadictionary")}, FAILED)
    for name in (name for name in secrets if name != "extra"):
        yield case(f"a list as {name}", {**perhaps, name: [options[name]]}, FAILED)
        yield case(f"a dictionary as {name}", {**perhaps, name: {"value": options[name]}}, FAILED)
    yield case("deleted", {**options, "state": "absent"})


def _of_the_key() -> Iterator[Case]:
    yield Case("accepted", "key", "ping", {}, fresh=True)
    quoted = quote(API_KEY, safe="")
    refused: dict[str, Options] = {
        "not accepted": {"api_key": secret_key("wrongkey")},
        "in the address": {"api_url": f"https://x:{quoted}@192.0.2.1"},
        "in the query of the address": {"api_url": f"https://192.0.2.1/?key={quote(API_KEY)}"},
        "as a list": {"api_key": [API_KEY]},
        "as a dictionary": {"api_key": {"value": API_KEY}},
        "with a line break": {"api_key": f"{API_KEY}\n{API_KEY}"},
    }
    for title, options in refused.items():
        yield Case(title, "key", "ping", options, FAILED)
    redirect = {"kind": "redirect", "location": f"https://{quoted}@elsewhere.example/?key={quote(API_KEY)}"}
    yield Case("in a redirect", "key", "ping", {}, FAILED, faults=(redirect,))


def _of_many() -> Iterator[Case]:
    resources = many("many")

    def each(**more: Any) -> dict[str, list[Options]]:
        return {plural: [{**item, **more} for item in items] for plural, items in resources.items()}

    always = {
        plural: [{**item, **({"update_password": "always"} if "password" in item else {})} for item in items]
        for plural, items in many("other").items()
    }
    one_each = {plural: items[:1] for plural, items in resources.items()}
    # A panel that answers about each kind with the secrets of its only object.
    paths = {kind.plural: f"^{kind.path}" for kind in kinds().values()}
    refused, pages = (
        tuple({**echo(one, 400, is_page), "path": paths[plural], "times": 0} for plural, [one] in one_each.items())
        for is_page in (False, True)
    )
    tasks: list[tuple[str, Any, str, dict[str, Any]]] = [
        ("planned", resources, OK, {"fresh": True, "keywords": CHECK}),
        ("refused with an echo", one_each, FAILED, {"faults": refused}),
        ("pages with an echo", one_each, FAILED, {"faults": pages}),
        ("created", resources, OK, {"fresh": True}),
        ("unchanged", resources, OK, {}),
        ("changed", always, OK, {}),
        ("mistakes", each(passwort=canary("misspelt"), state="perhaps"), FAILED, {}),
        ("wrong types", each(extra=canary("notadictionary")), FAILED, {}),
        ("a list", [canary("list")], FAILED, {}),
        ("a text", canary("text"), FAILED, {}),
        ("items that are texts", {plural: [canary("item")] for plural in resources}, FAILED, {}),
    ]
    for title, wanted, outcome, more in tasks:
        options = {"resources": wanted, "return_unchanged": True, "retry_time": 1}
        yield Case(title, "many", "resources", options, outcome, **more)
    yield Case("read", "many", "resources_info", {})


def many(tag: str) -> dict[str, list[Options]]:
    """An object of every kind with each variant of its secrets, for panel_resources."""
    found: dict[str, list[Options]] = {kind.plural: [] for kind in kinds().values()}
    for kind in kinds().values():
        for number, secrets in enumerate(secrets_of(kind, tag)):
            options = creation(kind)
            name = list(key_options(kind))[-1]
            first, at, rest = options[name].partition("@") if number else (options[name], "", "")
            options[name] = f"{first}{number}{at}{rest}" if number else first
            found[kind.plural].append({**options, **secrets})
    return found


def _of_calls() -> Iterator[Case]:
    body = {"password": canary("body"), "api_token": canary("bodytoken"), "notes": "x"}
    put_it = {"method": "PUT", "path": "/clients/name/acme", "body": body}
    faults = (echo(body, 400),)
    yield Case("written", "call", "api", put_it, fresh=True)
    yield Case("refused with an echo", "call", "api", put_it, FAILED, faults=faults)
    yield Case("an echo that is accepted", "call", "api", {**put_it, "status": [400]}, faults=faults)
    yield Case("read", "call", "api", {"path": "/clients"})
    yield Case("a text as body", "call", "api", {**put_it, "body": canary("textbody")}, FAILED)
    for kind in kinds().values():
        yield Case(f"read {kind.plural}", "call", "api", {"path": kind.path})
