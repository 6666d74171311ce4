# SPDX-License-Identifier: GPL-3.0-or-later
"""What is left to do for certificates: order, upload, assign, and why not. Private to the collection."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import importlib.util
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ansible.errors import AnsibleFilterError
from ansible.module_utils.compat.version import LooseVersion
from ansible.release import __version__

from ...module_utils._values.names import ascii_domain, composed
from ...module_utils._values.pem import CERTIFICATE, read_blocks
from ...module_utils._values.value_types import WrongValue

Dict = Mapping[str, Any]
_TTL = 60
_FOREIGN = (
    'the panel already has a certificate "{}" that this role did not upload. It was not overwritten. Rename it on the panel, or choose another '
    "name."
)


class Certificate(NamedTuple):
    """One that is wanted, with its names and domains in punycode."""

    name: str
    client: str
    names: list[str]
    assign: list[str]


def certificate_plan(
    items: Any,
    panel: Dict | None = None,
    kept: Dict | None = None,
    run: Dict | None = None,
    directory: str = "",
    key_type: str = "ec256",
    renew_days: int = 30,
) -> dict[str, Any]:
    """What is left to do; raises AnsibleFilterError."""
    mistakes: list[str] = []
    wanted = _wanted(items, mistakes)
    if not panel:
        return {"mistakes": mistakes, "missing": list(_missing())}
    kept, run = kept or {}, run or {}
    if kept.get("panel", panel["panel"]) != panel["panel"]:
        raise AnsibleFilterError(
            f"certificate_state_dir: the certificates there are those of the panel {kept['panel']}, and this panel is {panel['panel']}. Nothing "
            "was ordered. Give each panel its own directory."
        )
    old = kept.get("certificates") or {}
    domains = {ascii_domain(one["domain"]): one for one in panel["resources"]["domains"]}
    zones = {name: _zone(name, domains) for one in wanted for name in one.names}
    there = {one["name"]: one for one in panel["resources"]["certificates"]}
    incomplete = [one for one in panel["left_out"] if one["kind"] == "certificates" and not one.get("option")]
    there.update({one["key"]: one for one in incomplete})
    problems = {one.name: " ".join(_problems(one, panel, domains, zones, there, old)) for one in wanted}
    why = {one.name: _why_due(one, old.get(one.name), directory, key_type, renew_days) for one in wanted}
    due = {name: reason for name, reason in why.items() if reason and not problems[name]}
    foreign = sorted({*(run.get("foreign") or ()), *_foreign(run.get("actions") or (), old)})
    failed = {**problems, **_failed(wanted, run, zones), **{name: _FOREIGN.format(name) for name in foreign}}
    failed = {name: text for name, text in failed.items() if text}
    resources = _resources([one for one in wanted if not problems[one.name] and one.name not in foreign], old)
    challenges = _challenges(run.get("orders") or (), zones, kept.get("challenges") or {})
    is_complete = all(
        (there.get(one["name"]) or {}).get("client") == one["client"]
        and fingerprint(_pem(there[one["name"]])) == fingerprint(_pem(one))
        for one in resources["certificates"]
    ) and all(_used(domains[one["domain"]]) == _used(one) for one in resources["domains"])
    result = [
        {
            "name": one.name,
            "domains": one.names,
            "not_after": old[one.name]["not_after"] if one.name in old else None,
            "renewed": one.name in (run.get("issued") or ()),
            "assigned": [] if one.name in failed else _covered(one, old.get(one.name)),
        }
        for one in wanted
    ]
    return {
        "mistakes": mistakes,
        "names": {one.name: one.names for one in wanted},
        "due": due,
        "failed": failed,
        "challenges": challenges,
        "foreign": foreign,
        "resources": resources,
        "is_complete": is_complete,
        "is_work": bool(due or challenges or not is_complete),
        "result": result,
        "lines": list(_lines(result, due, failed, run)),
    }


def _missing() -> Iterator[str]:
    if LooseVersion(__version__) < LooseVersion("2.17"):
        yield f"This role needs ansible-core 2.17 or newer, and this is {__version__}."
    version = ""
    with contextlib.suppress(ImportError, OSError, ValueError, LookupError):
        (folder, *_others) = importlib.import_module("ansible_collections.community.crypto").__path__
        manifest = json.loads(Path(folder, "MANIFEST.json").read_text(encoding="utf-8"))
        version = manifest["collection_info"]["version"]
    if not version.startswith("3."):
        yield (
            f"This role needs the collection community.crypto 3, and {version or 'none'} is installed: ansible-galaxy collection install "
            "'community.crypto:>=3.0.0,<4.0.0'."
        )
    if importlib.util.find_spec("dns") is None:
        yield f"This role needs the Python library dnspython, which is not installed for {sys.executable}: pip install dnspython."


def _wanted(items: Any, mistakes: list[str]) -> list[Certificate]:
    """The certificates; the specification of the role reports its own mistakes."""
    found: dict[str, Certificate] = {}
    users: dict[str, str] = {}
    for item in items if isinstance(items, list) else ():
        if not isinstance(item, Mapping) or not {"name", "client", "domains"} <= item.keys():
            continue
        name = composed(str(item["name"]))
        place = f"certificate_items: {name}: "
        names, assign = (_names(item.get(option), place, option, mistakes) for option in ("domains", "assign"))
        if name in found:
            mistakes.append(f"{place}the name is there twice. Give each certificate its own name.")
        if not names:
            mistakes.append(f"{place}domains is empty.")
        for domain in assign:
            if users.setdefault(domain, name) != name:
                mistakes.append(f"{place}assign: {domain} is assigned to {users[domain]} too.")
            if not _covers(names, domain):
                mistakes.append(f"{place}assign: {domain} is not covered by domains. Add it there.")
        found[name] = Certificate(name, str(item["client"]), names, assign)
    return list(found.values())


def _names(texts: Any, place: str, option: str, mistakes: list[str]) -> list[str]:
    names = set()
    for text in texts if isinstance(texts, list) else ():
        star = "*." if option == "domains" and str(text).startswith("*.") else ""
        try:
            names.add(star + ascii_domain(str(text)[len(star) :]))
        except ValueError:
            mistakes.append(f"{place}{option}: {text!r} is not a domain name such as shop.example.com.")
    return sorted(names)


def _above(name: str, domains: Dict) -> list[str]:
    """Those of the domains that a name is or is below of, the longest first."""
    labels = name.removeprefix("*.").split(".")
    return [one for one in (".".join(labels[start:]) for start in range(len(labels))) if one in domains]


def _zone(name: str, domains: Dict) -> str | None:
    return next((one for one in _above(name, domains) if not domains[one].get("parent_domain")), None)


def _covers(names: Iterable[str], domain: str) -> bool:
    return domain in names or f"*.{domain.partition('.')[2]}" in names


def _covered(one: Certificate, state: Dict | None) -> list[str]:
    """The domains that get it, of those that the certificate of this state has."""
    return [domain for domain in one.assign if state and _covers(state["names"], domain)]


def _pem(item: Any) -> Any:
    return ((item or {}).get("components") or {}).get("certificate")


def _used(domain: Dict) -> Any:
    """The name of a domain's certificate."""
    return (domain.get("security") or {}).get("certificate")


def _problems(one: Certificate, panel: Dict, domains: Dict, zones: Dict, there: Dict, old: Dict) -> Iterator[str]:
    """What keeps a certificate from being ordered, whether it is due or not."""
    if one.client not in {client["username"] for client in panel["resources"]["clients"]}:
        yield f"client: no client {one.client} exists."
    for name in one.names:
        if zones[name] is None:
            yield f"domains: {name} is in no zone of this panel."
        elif domains[above := _above(name, domains)[0]].get("client") != one.client:
            yield f"domains: {above} belongs to another client than {one.client}."
    for domain in one.assign:
        if domain not in domains:
            yield f"assign: no domain {domain} exists."
        elif domains[domain].get("client") != one.client:
            yield f"assign: {domain} belongs to another client than {one.client}."
    if one.name in there and not _is_ours(_pem(there[one.name]), old.get(one.name)):
        yield _FOREIGN.format(one.name)
    elif one.name in there:
        users = sorted(name for name, shown in domains.items() if _used(shown) == one.name)
        if left := [name for name in users if not _covers(one.names, name)]:
            yield f"domains: {', '.join(left)} uses this certificate and would not be covered any more. Give it another certificate first."


def _is_ours(pem: Any, state: Dict | None) -> bool:
    ours = [state["certificate"], *(state.get("replaced") or ())] if state else []
    return fingerprint(pem) in map(fingerprint, ours)


def fingerprint(pem: Any) -> str:
    """Of the first certificate in a text; empty if there is none."""
    try:
        blocks = [block for block in read_blocks(str(pem)) if block.label == CERTIFICATE]
    except WrongValue:
        return ""
    return hashlib.sha256(blocks[0].content).hexdigest() if blocks else ""


def _why_due(one: Certificate, state: Dict | None, directory: str, key_type: str, renew_days: int) -> str:
    if not state:
        return "there is none yet"
    new, gone = (sorted(set(a) - set(b)) for a, b in ((one.names, state["names"]), (state["names"], one.names)))
    if new or gone:
        return " ".join(["its names change:", *(f"+{name}" for name in new), *(f"-{name}" for name in gone)])
    if state["key_type"] != key_type:
        return f"its key is {state['key_type']} and not {key_type}"
    if state["directory"] != directory:
        return f"it is of {state['directory']}"
    left = datetime.datetime.fromisoformat(state["not_after"]) - datetime.datetime.now(datetime.timezone.utc)
    return f"it expires on {state['not_after'][:10]}" if left <= datetime.timedelta(days=int(renew_days)) else ""


def _failed(wanted: list[Certificate], run: Dict, zones: Dict) -> dict[str, str]:
    """What went wrong in this run, by certificate."""
    due, unserved = run.get("due") or {}, run.get("zones") or {}
    failed = {
        one.name: " ".join(dict.fromkeys(unserved[zones[name]] for name in one.names if zones[name] in unserved))
        for one in wanted
        if one.name in due
    }
    if run.get("stopped"):
        done = {*run["failed"], *(order["name"] for order in run.get("orders") or ())}
        failed.update({name: f"was not ordered after that: {run['stopped']}" for name in due if name not in done})
    failed.update(run.get("failed") or {})
    for done in run.get("results") or ():
        users = [one.name for one in wanted if done["key"] == one.name or done["key"] in one.assign]
        if done["result"] in ("failed", "skipped") and users and not failed.get(users[0]):
            failed[users[0]] = f"{done['kind']} {done['key']}: {done.get('msg') or 'it was skipped.'}"
    return failed


def _foreign(actions: Iterable[Dict], old: Dict) -> Iterator[str]:
    """The certificates of a plan that are on the panel by now and that the role has not uploaded."""
    for one in actions:
        is_replaced = one["kind"] == "certificates" and one["action"] == "update" and _pem(one.get("after"))
        if is_replaced and not _is_ours(_pem(one.get("before")), old[one["key"]]):
            yield one["key"]


def _challenges(orders: Iterable[Dict], zones: Dict, left: Dict) -> dict[str, list[dict[str, Any]]]:
    """By zone the records; challenges: by host the values that the authority asks for."""
    found = {zone: list(records) for zone, records in left.items()}
    of_host = {name.removeprefix("*."): zone for name, zone in zones.items()}
    for order in orders:
        for host, values in order["challenges"].items():
            own = found.setdefault(of_host[host.removeprefix("_acme-challenge.")], [])
            records = [{"host": f"{host}.", "type": "TXT", "ttl": _TTL, "value": value} for value in values]
            own += [record for record in records if record not in own]
    return found


def _resources(wanted: Iterable[Certificate], old: Dict) -> dict[str, list[dict[str, Any]]]:
    """What was issued, and the domains that it covers."""
    certificates, domains = [], []
    for one in wanted:
        if state := old.get(one.name):
            components = {"private_key": state["private_key"], "certificate": state["certificate"]}
            components["ca_certificate"] = state["chain"]
            certificates.append({"name": one.name, "client": one.client, "components": components})
            used = {"certificate": one.name}
            domains += [{"domain": domain, "security": used} for domain in _covered(one, state)]
    return {"certificates": certificates, "domains": domains}


def _lines(result: list[Any], due: Dict, failed: Dict, run: Dict) -> Iterator[str]:
    if failed:
        words = " ".join(f"{name}: {text}" for name, text in failed.items())
        yield f"{len(failed)} of {len(result)} certificates failed: {words} Run again for the rest."
    for one in result:
        name = one["name"]
        parts = [f"until {one['not_after'][:10]}" if one["not_after"] else ""]
        if one["renewed"]:
            parts.append(f"ordered, since {run['due'][name]}")
        elif name in due and name not in failed:
            parts.append(f"would be ordered, since {due[name]}")
        parts += ["failed"] if name in failed else []
        yield f"{name}: {'; '.join(filter(None, parts))}"
