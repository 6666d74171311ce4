# SPDX-License-Identifier: GPL-3.0-or-later
"""One panel that is asked, what is tried on it, and what was made for that, which is removed at the end whatever happens. Private."""

from __future__ import annotations

import contextlib
import datetime
import functools
import secrets
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...module_utils._errors import OutcomeUnknown, PanelError, RequestError
from ...module_utils._http.connection_settings import Connection
from ...module_utils._http.panel_client import MOST_LOOKS, PanelClient, Patience, path_of
from ...module_utils._values.value_types import Boolean, read_id
from . import ownership
from .findings import BY_NAME, OTHERWISE, number
from .ownership import CLIENTS, OWNERS, PLANS, Creation

# In the panel's own form these statuses are about what was asked for, and not about path or key.
_REFUSALS = (400, 403, 409, 422)
# Seconds that suffice for all looks at what may come late, and looks that no number of seconds suffices for.
_LATE, _MANY = 60.0, 99
_DRAWN_LIMITS = ("email_addresses", "email_forwardings", "domains")


class Answer(NamedTuple):
    """status: 0 for a write whose answer was lost. sent: as the panel wrote it. data: the same with lists that it wrote as objects.

    is_own: the panel's, and no page of a web server.
    """

    status: int
    sent: Any = None
    data: Any = None
    is_own: bool = True
    words: str = ""

    @property
    def is_done(self) -> bool:
        return 200 <= self.status < 300

    @property
    def is_refused(self) -> bool:
        return self.is_own and self.status in _REFUSALS

    @property
    def object(self) -> Mapping[str, Any]:
        return self.sent if self.is_done and isinstance(self.sent, Mapping) else {}

    @property
    def form(self) -> str:
        return f"{'json' if self.is_own else 'page'}_{self.status}"

    def says(self, yes: str, no: str) -> str | None:
        return yes if self.is_done else no if self.is_refused else None


class UnreadableList(PanelError):
    """A list does not show which objects there are, so it does not show which are absent either."""


class NameTaken(PanelError):
    """The panel has an object with a name that the trials would use."""


class Panel:
    """One panel, and what the run has made on it.

    requests: how many were sent. has_written: whether one of them was a write. wait: seconds for what takes its time. creations: what was asked
    for and is not certainly absent. has: the run's own objects by step. shown: by kind one object, alone and as an item of its list. own: those
    kinds of which it is the test client's. seen: by point what was found.
    """

    def __init__(self, connection: Connection, wait: float) -> None:
        self.client = PanelClient(connection)
        self.wait = wait
        self.requests = 0
        self.has_written = False
        self.name = ""
        # What shows that the run made a client or a hosting plan: no other one has these values.
        self.mark = secrets.token_hex(8)
        self.limits = {name: 100_000 + secrets.randbelow(900_000) for name in _DRAWN_LIMITS}
        self.creations: list[Creation] = []
        self.has: dict[str, Creation] = {}
        self.shown: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {}
        self.own: set[str] = set()
        self.seen: dict[str, Any] = {}
        self._client_id: int | None = None
        # By kind the ids of objects that were there before the first write, and those of the run.
        self._ids_before: dict[str, frozenset[int]] = {}
        self._own_ids: dict[str, set[int]] = {}

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        """Return any answer; raises RequestError if none came."""
        self.requests += 1
        self.has_written = self.has_written or method != "GET"
        try:
            done = self.client.call(method, path, body=body)
        except RequestError as error:
            self.requests += error.details["attempts"] - 1
            status = 0 if isinstance(error, OutcomeUnknown) else error.details.get("status")
            if status is None:
                raise
            return Answer(status, is_own=bool({"code", "message"} & error.details.keys()), words=error.problem.cause)
        return Answer(done.status, done.as_sent, done.data)

    def read_list(self, kind: str) -> dict[int, Mapping[str, Any]]:
        """Return all objects of a kind by their ids; raises UnreadableList, or RequestError if no answer came."""
        path = BY_NAME[kind].path
        answer = self.ask("GET", path)
        objects = ownership.index_list(answer.data) if answer.is_done else None
        if objects is None:
            why = answer.words or f"GET {path} did not answer with a list of objects with ids."
            raise UnreadableList(f"The list of {BY_NAME[kind].titles} cannot be read: {why}")
        return objects

    def show(self, step: str) -> Mapping[str, Any]:
        return self.ask("GET", self.has[step].path).object

    def change(self, step: str, **fields: Any) -> Answer:
        return self.ask("PUT", self.has[step].path, fields)

    # What the run makes.

    def look_around(self, names: Mapping[str, list[str]]) -> None:
        """Note what the panel has before the first write.

        Args:
            names: by kind, those that the trials will use.

        Raises:
            UnreadableList: a list does not show what the panel has.
            NameTaken: one of the names is in use.
        """
        for kind, its_names in names.items():
            objects = self.read_list(kind)
            self._ids_before[kind] = frozenset(objects)
            taken = [name for name in its_names if self._is_listed(kind, name, objects)]
            if not taken and self._find_by_name(kind, its_names[0]):
                taken = its_names
            if taken:
                raise NameTaken(f"client: the panel has a {BY_NAME[kind].title} {taken[0]}. Choose another name.")

    def _is_listed(self, kind: str, name: str, objects: Mapping[int, Mapping[str, Any]]) -> bool:
        return any(ownership.has_name(BY_NAME[kind], name, item) for item in objects.values())

    def _find_by_name(self, kind: str, name: str) -> dict[int, Mapping[str, Any]]:
        """The object with this name by its id, also where the list is only a part of the whole; empty without one."""
        table = BY_NAME[kind]
        if not table.by_name:
            return {}
        item = self.ask("GET", table.path + path_of("name", name)).object
        identifier = read_id(item.get("id"))
        return {} if identifier is None else {identifier: item}

    def create(self, step: str, kind: str, body: Mapping[str, Any]) -> Answer:
        """Ask for an object, which the step has from then on if the run certainly made it."""
        bodies = [body]
        if "client" in self.has:
            bodies = [{owner: self._client_id, **body} for owner in OWNERS]
        answer = Answer(0)
        for sent in bodies:
            # Noted before it is asked for, so that it is removed whatever happens.
            creation = Creation(kind, sent, MOST_LOOKS)
            self.creations.append(creation)
            try:
                answer = self.ask("POST", BY_NAME[kind].path, sent)
            except RequestError:
                # It did not reach the panel.
                self.creations.remove(creation)
                raise
            self._take_answer(creation, answer)
            if creation.id is not None:
                self.has[step] = creation
            if not answer.is_refused:
                break
        return answer

    def _take_answer(self, creation: Creation, answer: Answer) -> None:
        """Note the id in the answer to a creation, or look for the object."""
        identifier = read_id(answer.object.get("id"))
        if identifier is not None and identifier not in self._ids_before[creation.kind]:
            self._take_id(creation, identifier)
            return
        if answer.status and not answer.is_done:
            # The panel is through with the request, so nothing comes late.
            creation.looks = 1
        if not answer.is_refused:
            self._find(creation)

    def _take_id(self, creation: Creation, identifier: int) -> None:
        creation.id = identifier
        self._own_ids.setdefault(creation.kind, set()).add(identifier)
        if creation.kind == CLIENTS:
            self._client_id = identifier

    def _find(self, creation: Creation) -> None:
        """Find the object of a creation whose answer does not say what became of it: it comes in some seconds, or never."""
        for _look in Patience(_LATE).looks(creation.looks):
            with contextlib.suppress(UnreadableList):
                candidates = self._find_candidates(creation).items()
                own = [identifier for identifier, item in candidates if self._is_own(creation, identifier, item)]
                if len(own) == 1:
                    self._take_id(creation, own[0])
                    return
        creation.looks = 1

    def _find_candidates(self, creation: Creation) -> dict[int, Mapping[str, Any]]:
        objects = {**self.read_list(creation.kind), **self._find_by_name(creation.kind, creation.name)}
        known = self._ids_before[creation.kind].union(self._own_ids.get(creation.kind, ()))
        return ownership.find_candidates(creation, objects, known, self._client_id)

    def _is_own(self, creation: Creation, identifier: int, item: Mapping[str, Any]) -> bool:
        """Whether an object that is new shows that the run made it, in its list or alone."""
        if ownership.is_own(creation, item, self._client_id):
            return True
        alone = self.ask("GET", creation.table.path + path_of(identifier)).object
        return read_id(alone.get("id")) == identifier and ownership.is_own(creation, alone, self._client_id)

    # What is removed.

    def wait_until_gone(self, creation: Creation) -> bool:
        """Wait until an object is gone, since the panel may delete in the background; return whether it is."""
        return any(self.is_gone(creation) for _look in Patience(self.wait).looks(_MANY))

    def is_gone(self, creation: Creation) -> bool:
        """Return whether neither the list nor its own path shows an object, which is then nothing to remove."""
        try:
            objects = self.read_list(creation.kind)
        except UnreadableList:
            return False
        if creation.id in objects:
            return False
        alone = self.ask("GET", creation.path).object
        if read_id(alone.get("id")) == creation.id:
            return False
        if creation in self.creations:
            self.creations.remove(creation)
        return True

    def delete(self, creation: Creation) -> Answer:
        """Delete an object of the run, and wait until it is gone."""
        answer = self.ask("DELETE", creation.path)
        if answer.is_done or answer.status in (0, 404):
            self.wait_until_gone(creation)
        else:
            # A panel may fail after it has deleted.
            self.is_gone(creation)
        return answer

    def remove_all(self) -> Answer | None:
        """Remove what the run has made. What it may have made, and cannot be told from an object of somebody else, stays in ``creations``.

        Returns:
            The answer to the deletion of the client with all that it has; None without a client.
        """
        self.client.patience = Patience(self.client.connection.retry_time)
        # Whatever goes wrong with one object, the others are removed too, and it stays in the list.
        for creation in self._without_id():
            with contextlib.suppress(Exception):
                self._find(creation)
        clients = [creation for creation in self.creations if creation.kind == CLIENTS and creation.id is not None]
        answers = []
        for client in clients:
            with contextlib.suppress(Exception):
                answers.append(self.delete(client))
        # Where the client could not go, what it has goes first. The plan, which came first, goes last.
        for creation in reversed(self.creations.copy()):
            if creation.id is not None:
                with contextlib.suppress(Exception):
                    self._delete_unless_gone(creation)
        for creation in self._without_id():
            with contextlib.suppress(Exception):
                if not self._find_candidates(creation):
                    self.creations.remove(creation)
        return answers[0] if answers else None

    def _without_id(self) -> list[Creation]:
        return [creation for creation in self.creations if creation.id is None]

    def _delete_unless_gone(self, creation: Creation) -> None:
        if not self.is_gone(creation):
            self.delete(creation)

    def settled_status(self) -> int | None:
        """Return that of the client, when it is 1 or 2 or the time is over."""
        status = None
        for _look in Patience(self.wait).looks(_MANY):
            status = number(self.show("client").get("status"))
            if status in (None, 1, 2):
                break
        return status


# What is tried. A step gives what was found on its point, None if nothing was, and leaves everything so that the next one can work.

_LIMITS = {"subdomains": 9, "ftp_users": 9, "scheduled_tasks": 9, "email_accounts": 9}
_CONTACT = {"first_name": "Hosting", "city": "Verify"}
_HASH = "$6$hostingpanelverif$" + "." * 86
_IS_ON = Boolean().comparable
_TEXT = "hosting panel verify"
_UTC = datetime.timedelta()
# By value of the point what a name has behind it; the last one is the usual name.
_ENDS = {"%20": " x", "+": "+x", "%2F": "/x", "%25": "%x", "": ""}


def _objects(panel: Panel) -> dict[str, tuple[str, dict[str, Any]]]:
    """By step what it makes: the kind, and the fields beside the owner."""
    name, plan = panel.name, {"id_hosting_plan": panel.has["plan"].id} if "plan" in panel.has else {}
    notes = f"A test of hosting.panel.verify, which may be deleted. Run {panel.mark}"
    # After a crash the panel itself removes it then.
    until = f"{datetime.date.today() + datetime.timedelta(days=2)}T12:00:00+00:00"
    command = {"type": "exec", "command": "/bin/true", "is_enabled": False, "schedule": {"minute": "0"}}
    return {
        "plan": (PLANS, {"name": name, "resources": {**_LIMITS, **panel.limits, "databases": 1}}),
        "client": (CLIENTS, {"username": name, "notes": notes, "contact_data": _CONTACT, "delete_on": until, **plan}),
        "domain": ("domains", {"domain": f"{name}.example"}),
        "certificate": ("certificates", {"name": name, "components": _certificate()}),
        "mailbox": ("emails", {"email": f"m@{name}.example"}),
        "database": ("databases", {"database_name": f"v{name}_1", "database_username": f"v{name}_1"}),
        "ftp_user": ("ftp_users", {"username": f"v{name}_f", "home_directory": "/www"}),
        "protection": ("directory_protections", {"username": name, "path": f"/{name}", "auth_name": "Verify"}),
        "task": ("scheduled_tasks", {"description": name, **command}),
        "second_domain": ("domains", {"domain": f"{name}-2.example"}),
        "second_mailbox": ("emails", {"email": f"m@{name}-2.example"}),
    }


def _subdomain(panel: Panel) -> str:
    return f"sub.{panel.name}.example"


def used_names(panel: Panel) -> dict[str, list[str]]:
    """Return by kind the names of everything that the trials make."""
    names: dict[str, list[str]] = {}
    for kind, body in _objects(panel).values():
        names.setdefault(kind, []).append(body[BY_NAME[kind].name_member])
    names["domains"].append(_subdomain(panel))
    return names


def _object(panel: Panel, step: str) -> Answer:
    return panel.create(step, *_objects(panel)[step])


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


def _new_clients(panel: Panel) -> Any:
    """Makes a domain at once after the client, which may be too early, and then everything else."""
    answer = _object(panel, "domain")
    if answer.is_refused:
        panel.settled_status()
    for step in [step for step in _objects(panel) if step not in panel.has]:
        _object(panel, step)
    if answer.is_refused:
        return "when_ready" if "domain" in panel.has else None
    return None if panel.seen["first_status"] in (None, 1) else "at_once"


def _subdomain_members(panel: Panel) -> Any:
    body = {"id_parent_domain": panel.has["domain"].id, "domain": _subdomain(panel)}
    flags = {"create_www_subdomain": False, "is_email_domain": True, "is_dns_disabled": False}
    if panel.create("subdomain", "domains", {**body, **flags}).is_refused:
        return "refused" if panel.create("subdomain", "domains", body).is_done else None
    return {True: "accepted", False: "ignored"}.get(_IS_ON(panel.show("subdomain").get("is_email_domain")))


def _nested_update(panel: Panel) -> Any:
    for contact in (_CONTACT, {"city": "Elsewhere"}):
        panel.change("client", contact_data=contact)
    shown = panel.show("client").get("contact_data") or {}
    return None if shown.get("city") != "Elsewhere" else "merge" if shown.get("first_name") else "replace"


def _scalars(panel: Panel) -> Any:
    as_text = panel.change("domain", security={"hsts_max_age": "31536000"}).says("converted", "refused")
    as_number = panel.change("client", contact_data={**_CONTACT, "client_id": 17}).says("converted", "refused")
    return "refused" if "refused" in (as_text, as_number) else as_text and as_number


def _missing_dates(panel: Panel) -> Any:
    panel.change("client", suspend_on=None)
    return {None: "null_value", "": "empty_text"}.get(panel.show("client")["suspend_on"], OTHERWISE)


def _dates(panel: Panel) -> Any:
    client, domain = _offsets(panel, "client", "suspend_on"), _offsets(panel, "domain", "delete_on")
    if not client or not domain:
        return None
    if "date" in client | domain:
        return "date"
    if len(client) > 1 or len(domain) > 1:
        return "local_with_winter"
    if client != domain:
        return "as_declared" if domain == {_UTC} else OTHERWISE
    offset = client.pop()
    return "local" if offset > _UTC else "west" if offset < _UTC else "utc"


def _offsets(panel: Panel, step: str, field: str) -> set[Any]:
    """Those in which a moment in winter and one in summer are shown; ``date`` for a bare day."""
    found: set[Any] = set()
    for month in ("01", "07"):
        moment = f"{datetime.date.today().year + 1}-{month}-15T12:00:00+00:00"
        shown = panel.show(step).get(field) if panel.change(step, **{field: moment}).is_done else None
        if shown:
            found.add("date" if len(shown) == 10 else datetime.datetime.fromisoformat(shown).utcoffset())
    panel.change(step, **{field: None})
    return found


def _password_hashes(panel: Panel) -> Any:
    answer, is_shown = panel.change("mailbox", password_hash=_HASH), panel.show("mailbox").get("password_hash")
    return answer.says("written_and_shown" if is_shown else "written", "refused")


def _unresolved_names(panel: Panel) -> Any:
    """By names of the certificate, and that of the mailbox."""
    found = {}
    names = [(written, "certificate", panel.name + end) for written, end in _ENDS.items()]
    for written, step, name in [*names, ("%40", "mailbox", panel.has["mailbox"].name)]:
        if step == "mailbox" or panel.change(step, name=name).is_done:
            made = panel.has[step]
            shown = panel.ask("GET", f"{BY_NAME[made.kind].path}/name{path_of(name)}").object
            found[written] = read_id(shown.get("id")) == made.id
    missing = sorted(written for written, is_found in found.items() if not is_found)
    return missing if found.get("") and (missing or len(found) > len(_ENDS)) else None


def _subdomain_zones(panel: Panel) -> Any:
    """By a text that the zone of the domain has from now on."""
    domain, subdomain = (f"/dns{path_of(panel.has[step].id)}" for step in ("domain", "subdomain"))
    zone, more = panel.ask("GET", domain), {"host": "verify", "ttl": 3600, "type": "TXT", "value": _TEXT}
    records = (zone.data or {})["records"]
    panel.shown["dns"] = (zone.object, {})
    panel.own.add("dns")
    if not panel.ask("PUT", domain, {"records": {**records, "other": [*records["other"], more]}}).is_done:
        return None
    answer = panel.ask("GET", subdomain)
    if answer.is_done:
        return "of_parent" if _TEXT in str(answer.data) else "own"
    return "none" if answer.status in (400, 404) else None


def _kept_texts(panel: Panel) -> Any:
    """Reads all that was made, alone and in its list, and under which names databases and FTP users are kept."""
    kept = set()
    for step, made in reversed(panel.has.items()):
        item: Mapping[str, Any] = {}
        with contextlib.suppress(UnreadableList):
            item = panel.read_list(made.kind).get(made.id or 0, {})
        panel.shown[made.kind] = (panel.show(step), item)
        panel.own.add(made.kind)
        if item and step in ("database", "ftp_user"):
            name = str(item.get(BY_NAME[made.kind].name_member))
            is_longer = name.endswith(f"_{made.name}")
            kept.add("as_sent" if name == made.name else "prefixed" if is_longer else "generated")
    return kept.pop() if len(kept) == 1 else None


def _plan_assignment(panel: Panel) -> Any:
    """By the limit of the client after its plan was changed, and after it was assigned again."""
    limits: list[Any] = []
    plan = panel.has["plan"].id
    for step, fields in (
        ("plan", {"resources": {**_LIMITS, **panel.limits, "databases": 2}}),
        ("client", {"id_hosting_plan": plan}),
    ):
        if not panel.change(step, **fields).is_done:
            return None
        shown = panel.show("client")
        limits.append(number((shown.get("resource_limits", shown.get("resources")) or {}).get("databases")))
    return {(1, 2): "copies", (1, 1): "nothing"}.get(tuple(limits))


def _certificate_choice(panel: Panel) -> Any:
    """If a PUT replaces nested objects, both fields have to be given, and what the panel does alone does not show."""
    first = {"id_certificate": panel.has["certificate"].id, "lets_encrypt": False}
    if panel.seen.get("nested_update") != "merge" or not panel.change("domain", security=first).is_done:
        return None
    answer = panel.change("domain", security={"lets_encrypt": True})
    security = panel.show("domain").get("security") or {}
    # Before the panel orders a certificate that no one needs.
    panel.change("domain", security={"id_certificate": 0, "lets_encrypt": False})
    if answer.is_done and not _IS_ON(security.get("lets_encrypt")):
        return None
    return answer.says("both" if number(security.get("id_certificate")) else "replaces", "refused")


def _domain_deletion(panel: Panel) -> Any:
    """Mailboxes may go some seconds after their domain."""
    answer = panel.delete(panel.has["second_domain"])
    is_gone = answer.is_done and panel.wait_until_gone(panel.has["second_mailbox"])
    return "cascade" if is_gone else answer.says("kept", "refused")


def _statuses(panel: Panel) -> Any:
    first, last = panel.seen["first_status"], panel.settled_status()
    return None if None in (first, last) else "stay" if last not in (1, 2) else "at_once" if first == 1 else "settle"


def _missing_paths(panel: Panel) -> Any:
    """The objects are there, so what is missing is a path."""
    inferred = {"database": "description", "protection": "auth_name", "ftp_user": "description", "task": "description"}
    found = []
    for step in [step for step in inferred if step in panel.has]:
        made = panel.has[step]
        answers = {"GET": panel.ask("GET", made.path), "PUT": panel.change(step, **{inferred[step]: panel.name})}
        answers["DELETE"] = panel.delete(made)
        methods = [method for method, answer in answers.items() if answer.status in (404, 405)]
        words = methods[0] if len(methods) == 1 else f"({'|'.join(methods)})"
        found += [rf"{words} {BY_NAME[made.kind].path}/\d+"] if methods else []
    return sorted(found) if found or panel.has.keys() >= inferred.keys() else None


# By point what finds it out, in this order; it needs what ``panel.has``.
TRIALS: Mapping[str, Callable[[Panel], Any]] = {
    "nested_update": _nested_update,
    "unknown_members": lambda panel: panel.change("client", hosting_panel_verify="x").says("ignore", "refuse"),
    "scalars": _scalars,
    "missing_dates": _missing_dates,
    "dates": _dates,
    "certificate_update": lambda panel: panel.change(
        "certificate", components={"certificate": _certificate()["certificate"]}
    ).says("keeps_key", "needs_key"),
    "password_hashes": _password_hashes,
    "unresolved_names": _unresolved_names,
    "subdomain_members": _subdomain_members,
    "subdomain_zones": _subdomain_zones,
    "kept_texts": _kept_texts,
    "plan_assignment": _plan_assignment,
    "plan_deletion": lambda panel: panel.delete(panel.has["plan"]).says("allowed", "refused"),
    "certificate_choice": _certificate_choice,
    "domain_deletion": _domain_deletion,
    "statuses": _statuses,
    "missing_paths": _missing_paths,
}


def take(panel: Panel) -> None:
    """Tries everything. An answer of a form that no one foresaw is a finding on its point, and ends nothing."""
    _object(panel, "plan")
    answer = _object(panel, "client")
    if "client" not in panel.has:
        words = answer.words or answer.status
        raise PanelError(f"client {panel.name}: the panel did not create the test client: {words}")
    panel.seen["first_status"] = number(panel.show("client").get("status"))
    panel.seen["new_clients"] = _new_clients(panel)
    for point, act in TRIALS.items():
        try:
            found = act(panel)
        except LookupError:
            found = None
        except (ValueError, TypeError, AttributeError):
            found = OTHERWISE
        if found is not None:
            panel.seen[point] = found
