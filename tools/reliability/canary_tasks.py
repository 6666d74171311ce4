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
from tests.support.marked_secrets import HEAD, forms, secret_key
from tests.support.marked_secrets import secret as canary
from tests.support.playbook import task
from tests.support.samples import kinds, members_of, put, resolved, samples

Options = dict[str, Any]
API_KEY = secret_key("key")
WRONG_KEY = secret_key("wrongkey")
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


def world() -> dict[str, Any]:
    """What the objects of the samples need, on the panel before."""
    found: dict[str, Any] = resolved(samples()["world"], _no_id, pem.texts())
    return found


def creation(kind: Kind) -> Options:
    """The options of the smallest creation, without secrets."""
    options = key_options(kind)
    members = {member.path: member for member in members_of(kind)}
    for path in samples()["kinds"][kind.singular].get("needed", ()):
        put(options, path, members[path].values[0].option)
    filled: Options = resolved(options, _no_id, pem.texts())
    return filled


def _no_id(name: str) -> int:
    raise KeyError(name)


def secrets_of(kind: Kind, tag: str) -> list[Options]:
    """The secret options of a kind, those that exclude each other apart from each other; tag: tells canaries apart."""
    names = [name for name, spec in argument_spec(kind).items() if spec.get("no_log")]
    exclusive = [set(pair) for pair in constraints(kind)["mutually_exclusive"] if set(pair) <= set(names)]
    variants: list[Options] = [
        {name: canary(f"{tag}{name.replace('_', '')}") for name in names if name not in excluded}
        for excluded in _one_of_each(exclusive)
    ]
    # What belongs to an excluded hash is left out with it.
    for variant in variants:
        if "password_hash" not in variant:
            variant.pop("password_hash_os", None)
    return [{**variant, "extra": EXTRA} for variant in variants]


def _one_of_each(exclusive: list[set[str]]) -> Iterator[set[str]]:
    """What is left out, so that one of each pair is left."""
    for left in itertools.product(*exclusive):
        yield set().union(*exclusive) - set(left)


def echo(options: Mapping[str, Any], status: int, is_page: bool = False) -> dict[str, Any]:
    """A panel that answers with the secrets that it was sent, in every form; as the page of a web server with ``is_page``."""
    secrets = [API_KEY, *_secrets_in(options)]
    message = "Do not use " + " or ".join(form for secret in secrets for form in sorted(forms(secret)))
    if is_page:
        page = f"<html><body>{message}</body></html>"
        return {"kind": "html_200", "html": page, "method": ["POST", "PUT"], "when": "before", "times": 0}
    body = {"code": f"{status} Refused", "message": message}
    return {"kind": "body", "status": status, "body": body, "method": ["POST", "PUT"], "when": "before"}


def _secrets_in(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for member in value.values():
            yield from _secrets_in(member)
    elif isinstance(value, list):
        for entry in value:
            yield from _secrets_in(entry)
    elif isinstance(value, str) and holds_secret(value):
        yield value


def holds_secret(text: str) -> bool:
    """Whether a text is one of the secrets."""
    return HEAD in text or "PRIVATE KEY" in text


def cases() -> Iterator[Case]:
    """Everything, kind by kind."""
    yield from _of_the_key()
    for kind in kinds().values():
        variants = secrets_of(kind, kind.singular.replace("_", ""))
        for number, secrets in enumerate(variants):
            yield from _of_variant(
                kind, secrets, f"{kind.singular} {number + 1}" if len(variants) > 1 else kind.singular
            )
    yield from _of_many()
    yield from _of_calls()


def _of_variant(kind: Kind, secrets: Options, about: str) -> Iterator[Case]:
    module = kind.singular
    options = {**creation(kind), **secrets}
    changed = {**options, "extra": {**EXTRA, "api_token": canary("changed")}}
    if kind.password is not None:
        changed = {**changed, "update_password": "always"}

    def case(title: str, given: Options, outcome: str = OK, **more: Any) -> Case:
        return Case(title, about, module, given, outcome, **more)

    yield case("created in check mode", options, fresh=True, keywords={"check_mode": True})
    yield case("refused with an echo", options, FAILED, faults=(echo(options, 400),))
    yield case("failed with an echo", options, FAILED, faults=(echo(options, 500),))
    yield case(
        "a page with an echo", {**options, "retry_time": 0}, FAILED, fresh=True, faults=(echo(options, 200, True),)
    )
    yield case("created in a loop", options, fresh=True, keywords={"loop": [1, 2], "no_log": False})
    yield case("unchanged", options)
    yield case("changed in check mode", changed, keywords={"check_mode": True})
    yield case("changed", changed)
    yield Case("read", about, f"{module}_info", {})
    yield case("an unknown option", {**options, "passwort": canary("misspelt")}, FAILED)
    yield case("a wrong value beside it", {**options, "state": "perhaps"}, FAILED)
    yield case("a wrong type beside it", {**options, "extra": canary("notadictionary")}, FAILED)
    for secret in [secret for secret in secrets if secret != "extra"]:
        listed = {**options, secret: [options[secret]], "state": "perhaps"}
        yield case(f"a list as {secret}", listed, FAILED)
        yield case(
            f"a dictionary as {secret}", {**options, secret: {"value": options[secret]}, "state": "perhaps"}, FAILED
        )
    yield case("deleted", {**options, "state": "absent"})


def _of_the_key() -> Iterator[Case]:
    yield Case("accepted", "key", "ping", {}, fresh=True)
    yield Case("not accepted", "key", "ping", {"api_key": WRONG_KEY}, FAILED)
    address = f"https://x:{quote(API_KEY, safe='')}@192.0.2.1"
    yield Case("in the address", "key", "ping", {"api_url": address}, FAILED)
    yield Case(
        "in the query of the address", "key", "ping", {"api_url": f"https://192.0.2.1/?key={quote(API_KEY)}"}, FAILED
    )
    location = f"https://{quote(API_KEY, safe='')}@elsewhere.example/?key={quote(API_KEY)}"
    yield Case("in a redirect", "key", "ping", {}, FAILED, faults=({"kind": "redirect", "location": location},))
    yield Case("as a list", "key", "ping", {"api_key": [API_KEY]}, FAILED)
    yield Case("as a dictionary", "key", "ping", {"api_key": {"value": API_KEY}}, FAILED)
    yield Case("with a line break", "key", "ping", {"api_key": f"{API_KEY}\n{API_KEY}"}, FAILED)


def _of_many() -> Iterator[Case]:
    resources = many("many")
    always = {
        plural: [{**item, **({"update_password": "always"} if "password" in item else {})} for item in items]
        for plural, items in many("other").items()
    }
    one_each = {plural: items[:1] for plural, items in resources.items()}
    refused, pages = (_echoes(one_each, 400, is_page) for is_page in (False, True))
    mistaken = {
        plural: [{**item, "passwort": canary("misspelt"), "state": "perhaps"} for item in items]
        for plural, items in resources.items()
    }
    types = {
        plural: [{**item, "extra": canary("notadictionary")} for item in items] for plural, items in resources.items()
    }

    def case(title: str, wanted: Any, outcome: str = OK, **more: Any) -> Case:
        options = {"resources": wanted, "return_unchanged": True, "retry_time": 1}
        return Case(title, "many", "resources", options, outcome, **more)

    yield case("planned", resources, fresh=True, keywords={"check_mode": True})
    yield case("refused with an echo", one_each, FAILED, faults=refused)
    yield case("pages with an echo", one_each, FAILED, faults=pages)
    yield case("created", resources, fresh=True)
    yield case("unchanged", resources)
    yield case("changed", always)
    yield case("mistakes", mistaken, FAILED)
    yield case("wrong types", types, FAILED)
    yield case("a list", [canary("list")], FAILED)
    yield case("a text", canary("text"), FAILED)
    yield case("items that are texts", {plural: [canary("item")] for plural in resources}, FAILED)
    yield Case("read", "many", "resources_info", {})


def _echoes(resources: Mapping[str, list[Options]], status: int, is_page: bool) -> tuple[dict[str, Any], ...]:
    """A panel that answers about each kind with the secrets of its only object."""
    paths = {kind.plural: kind.path for kind in kinds().values()}
    return tuple(
        {**echo(items[0], status, is_page), "path": f"^{paths[plural]}", "times": 0}
        for plural, items in resources.items()
    )


def many(tag: str) -> dict[str, list[Options]]:
    """An object of every kind with each variant of its secrets, for panel_resources."""
    found: dict[str, list[Options]] = {}
    for kind in kinds().values():
        items = []
        for number, secrets in enumerate(secrets_of(kind, tag)):
            options = creation(kind)
            name = list(key_options(kind))[-1]
            options[name] = options[name] if not number else _another(options[name], number)
            items.append({**options, **secrets})
        found[kind.plural] = items
    return found


def _another(name: str, number: int) -> str:
    first, at, rest = name.partition("@")
    return f"{first}{number}{at}{rest}"


def _of_calls() -> Iterator[Case]:
    body = {"password": canary("body"), "api_token": canary("bodytoken"), "notes": "x"}
    put_it = {"method": "PUT", "path": "/clients/name/acme", "body": body}
    yield Case("written", "call", "api", put_it, fresh=True)
    yield Case("refused with an echo", "call", "api", put_it, FAILED, faults=(echo(body, 400),))
    yield Case("an echo that is accepted", "call", "api", {**put_it, "status": [400]}, faults=(echo(body, 400),))
    yield Case("read", "call", "api", {"path": "/clients"})
    yield Case("a text as body", "call", "api", {**put_it, "body": canary("textbody")}, FAILED)
    for kind in kinds().values():
        yield Case(f"read {kind.plural}", "call", "api", {"path": kind.path})
