"""Whatever a panel answers, and whoever else works on it.

A verify deletes nothing that it did not make, and names what it leaves.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.plugin_utils._verify import ownership
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.open_points import BY_NAME
from panel_simulator.answering import Reply, answer_call
from panel_simulator.calls import Call
from panel_simulator.kinds import KINDS as SIMULATED
from panel_simulator.store import Entry
from tests.support.pem import make_texts
from tests.support.transcript import make_cut_off_fault, make_read_timeout_fault, make_reset_fault
from tests.support.verifying import NAME, Strike, Verified

Effect = Callable[[], Reply]
Fault = Callable[[Effect], Reply]

CUSTOMER_ID = 2
PEM = make_texts()
PAIR = {"certificate": PEM["one.certificate"], "private_key": PEM["one.private_key"]}
TASK = {"type": "exec", "command": "/bin/true", "schedule": {"minute": "0"}}
# Two objects of each kind, so that an id of 2 is always that of something of the customer's.
CUSTOMER: dict[str, list[dict[str, Any]]] = {
    "hosting_plans": [{"name": "Business"}],
    "clients": [{"username": "acme"}, {"username": "beta"}],
    "domains": [{"domain": f"{name}.example", "client": "acme"} for name in ("acme", "shop")],
    "certificates": [
        {"name": name, "client": "acme", "components": PAIR} for name in ("acme", "shop")
    ],
    "emails": [{"email": f"{name}@acme.example", "client": "acme"} for name in ("info", "shop")],
    "databases": [
        {"database_name": name, "database_username": name, "client": "acme"}
        for name in ("acme_1", "acme_2")
    ],
    "ftp_users": [
        {"username": name, "home_directory": "/www", "client": "acme"}
        for name in ("acme_1", "acme_2")
    ],
    "directory_protections": [
        {"username": name, "path": "/shop", "auth_name": "Shop", "client": "acme"}
        for name in ("one", "two")
    ],
    "scheduled_tasks": [{"description": name, "client": "acme", **TASK} for name in ("one", "two")],
}
# By kind, an object of the customer that has a name of the test client.
BODIES: dict[str, dict[str, Any]] = {
    "hosting_plans": {
        "name": NAME,
        "resources": {"subdomains": 9, "email_accounts": 9, "databases": 1},
    },
    "clients": {"username": NAME, "notes": "A test of hosting.panel.verify, which may be deleted."},
    "domains": {"domain": f"{NAME}.example", "id_user": CUSTOMER_ID},
    "certificates": {
        "name": NAME,
        "id_user": CUSTOMER_ID,
        "components": PAIR,
    },
    "emails": {"email": f"m@{NAME}.example", "id_user": CUSTOMER_ID},
    "databases": {
        "database_name": f"v{NAME}_1",
        "database_username": f"v{NAME}_1",
        "id_user": CUSTOMER_ID,
    },
    "ftp_users": {"username": f"v{NAME}_f", "home_directory": "/www", "id_user": CUSTOMER_ID},
    "directory_protections": {
        "username": NAME,
        "path": f"/{NAME}",
        "auth_name": "Shop",
        "id_user": CUSTOMER_ID,
    },
    "scheduled_tasks": {"description": NAME, "id_user": CUSTOMER_ID, **TASK},
}
KINDS = list(BODIES)


# What may become of a request.


def make_refusal(status: int, is_page: bool = False) -> Reply:
    """The answer of a panel that says no, or the page of its web server."""
    if is_page:
        return Reply(status, b"<html><title>Trouble</title></html>", "text/html")
    return Reply(
        status, json.dumps({"code": str(status), "message": "No."}).encode(), "application/json"
    )


def make_answering_fault(reply: Reply, has_effect: bool) -> Fault:
    """Makes a fault that answers so, before or after the effect."""

    def cause_fault(effect: Effect) -> Reply:
        if has_effect:
            effect()
        return reply

    return cause_fault


def loses(error: Callable[[], Exception], has_effect: bool) -> Fault:
    """Makes a fault after which no answer comes."""

    def cause_fault(effect: Effect) -> Reply:
        if has_effect:
            effect()
        raise error()

    return cause_fault


def rewrites(rewrite: Callable[[Any], Any]) -> Fault:
    """Makes a fault that puts another document into the place of the answer."""

    def cause_fault(effect: Effect) -> Reply:
        reply = effect()
        if reply.status >= 300 or not reply.body:
            return reply
        return replace(reply, body=json.dumps(rewrite(json.loads(reply.body))).encode())

    return cause_fault


def truncates(effect: Effect) -> Reply:
    """The connection ends where the document ends in the middle."""
    reply = effect()
    return replace(reply, status=200, body=(reply.body or b"{}")[:-1])


def mistypes(effect: Effect) -> Reply:
    """Answer with a page in place of JSON."""
    return replace(effect(), media_type="text/html")


REFUSALS = {
    f"{'page' if is_page else 'answer'} {status} {'after' if has_effect else 'before'}": make_answering_fault(
        make_refusal(status, is_page), has_effect
    )
    for status in (400, 403, 404, 500, 503)
    for is_page in (False, True)
    for has_effect in (False, True)
}
LOST = {
    f"{name} {'after' if has_effect else 'before'}": loses(error, has_effect)
    for name, error in {
        "reset": make_reset_fault,
        "cut off": make_cut_off_fault,
        "timeout": make_read_timeout_fault,
    }.items()
    for has_effect in (False, True)
}
# Only of answers that have a document.
OTHER_ANSWERS = {
    "truncated": truncates,
    "wrong type": mistypes,
    "envelope": rewrites(lambda data: {"data": data}),
    "empty": rewrites(lambda _data: {}),
    "list": rewrites(lambda data: [data]),
    "without id": rewrites(
        lambda data: {name: value for name, value in data.items() if name != "id"}
    ),
    "id of the customer": rewrites(lambda data: {**data, "id": CUSTOMER_ID}),
}
WRITE_FAULTS: dict[str, Fault] = {**REFUSALS, **LOST, **OTHER_ANSWERS}
# Those that let a list be read, and show less than all of it.
PARTS: dict[str, Fault] = {
    "first half": rewrites(lambda items: items[: len(items) // 2]),
    "first": rewrites(lambda items: items[:1]),
    "nothing": rewrites(lambda _items: []),
}
UNREADABLE: dict[str, Fault] = {
    "envelope": rewrites(lambda items: {"data": items, "total": len(items)}),
    "empty envelope": rewrites(lambda _items: {"data": []}),
    "null": rewrites(lambda _items: None),
    "object": rewrites(lambda _items: {}),
    "texts": rewrites(lambda _items: ["x"]),
    "without ids": rewrites(lambda _items: [{"username": "x"}]),
    "twice": rewrites(lambda items: [{"id": 1}, {"id": 1}, *items]),
    "part": make_answering_fault(Reply(206, b"[]", "application/json"), True),
    "truncated": truncates,
    "cut off": loses(make_cut_off_fault, True),
    **{name: fault for name, fault in REFUSALS.items() if name.endswith("before")},
}
LIST_FAULTS = {**PARTS, **UNREADABLE}


@dataclass
class Disturbed:
    """What goes wrong in one run, and what a customer does meanwhile.

    writes: by method and kind, the fault of the first such request. lists: by kind, the fault of
    its list. from_first_write: whether lists are whole before. meanwhile: the kind of which the
    customer makes an object in the moment in which the run makes its own, before or after it.
    """

    writes: Mapping[tuple[str, str], Fault] = field(default_factory=dict)
    lists: Mapping[str, Fault] = field(default_factory=dict)
    from_first_write: bool = False
    meanwhile: str = ""
    is_after: bool = False

    def run(self, before: str = "", **profile: Any) -> tuple[Verified, dict[str, Any]]:
        """The panel and the result. before: the kind of which the customer has an object."""
        panel = Verified(CUSTOMER, status_delay=0.0, **profile)
        if before:
            self.add(panel, before)
        self.customers = self.list_objects(panel)
        result = panel.verify(strike=self.strike(panel), writes=True, client=NAME)

        return panel, result

    def add(self, panel: Verified, kind: str) -> None:
        """The customer, or the administrator, makes an object of the test client's name."""
        if kind == "emails":
            # The panel itself takes no mailbox in a domain of another client, or in none.
            store = panel.panel.store
            old = next(iter(store.list_all(kind)))
            data = {**old.data, **BODIES[kind]}
            store.insert(
                Entry(kind, store.take_next_id(kind), data, old.hidden),
                SIMULATED[kind].list_claims(data),
            )
            return

        body = json.dumps(BODIES[kind]).encode()
        answer_call(
            panel.panel, Call("POST", BY_NAME[kind].path, {}, body, key=panel.panel.api_key)
        )

    @staticmethod
    def list_objects(panel: Verified) -> dict[tuple[str, int], Any]:
        """Everything on the panel by kind and id."""
        return {
            (kind, item["id"]): item["data"]
            for kind, items in panel.get_state()["objects"].items()
            for item in items
        }

    def strike(self, panel: Verified) -> Strike:
        """Return what strikes the requests of a run."""
        remaining = dict(self.writes)
        has_written = False

        def strike(call: Call, effect: Effect) -> Reply:
            nonlocal has_written
            kind = call.path.split("/")[1].replace("-", "_")
            is_list = call.path.count("/") == 1

            if call.method == "GET":
                is_struck = (
                    is_list and kind in self.lists and (has_written or not self.from_first_write)
                )
                return self.lists[kind](effect) if is_struck else effect()

            has_written = True
            fault = remaining.pop((call.method, kind), None)
            if call.method != "POST" or kind != self.meanwhile:
                return fault(effect) if fault else effect()
            self.meanwhile = ""

            return self._meet(panel, kind, fault, effect)

        return strike

    def _meet(self, panel: Verified, kind: str, fault: Fault | None, effect: Effect) -> Reply:
        """The customer and the run make an object at once."""

        def add() -> None:
            before = self.list_objects(panel)
            self.add(panel, kind)
            self.customers |= {
                key: data for key, data in self.list_objects(panel).items() if key not in before
            }

        if not self.is_after:
            add()

        try:
            return fault(effect) if fault else effect()
        finally:
            if self.is_after:
                add()


def check(disturbed: Disturbed, panel: Verified, result: Mapping[str, Any]) -> None:
    """Fails unless everything of others is as it was, and everything else is gone or named."""
    assert "defect" not in result.get("msg", "")
    objects = Disturbed.list_objects(panel)
    assert {key: objects.get(key) for key in disturbed.customers} == disturbed.customers
    reported = {(item["kind"], item["name"]) for item in result["left"]}
    created = {
        (BY_NAME[kind].title, data[BY_NAME[kind].name_field])
        for (kind, identifier), data in objects.items()
        if (kind, identifier) not in disturbed.customers
    }
    assert created <= reported
    if reported:
        assert result["failed"]


MEETINGS = {"a customer's object comes first": False, "a customer's object comes last": True}
# Of each sort one; all of them are tried before a release.
USUAL = [
    "answer 500 before",
    "answer 500 after",
    "page 403 before",
    "page 403 after",
    "reset before",
    "reset after",
    "truncated",
    "wrong type",
    "envelope",
    "id of the customer",
    *PARTS,
]


def select_in_turn(values: Iterable[Any], on_push: Container[Any]) -> list[Any]:
    """The values of a parameter: a push tries some, a release all."""
    release = (pytest.mark.long, pytest.mark.release)
    return [
        pytest.param(value, marks=pytest.mark.long if value in on_push else release)
        for value in values
    ]


FAULTS_OF_WRITES = select_in_turn(WRITE_FAULTS, USUAL)
FAULTS_OF_LISTS = select_in_turn(LIST_FAULTS, USUAL)


@pytest.mark.parametrize("fault", FAULTS_OF_WRITES)
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_becomes_of_the_answer_to_a_creation_everything_is_removed(
    kind: str, fault: str
) -> None:
    disturbed = Disturbed({("POST", kind): WRITE_FAULTS[fault]})
    panel, result = disturbed.run()

    check(disturbed, panel, result)

    assert result["left"] == []
    assert panel.names == set()


@pytest.mark.parametrize("meeting", select_in_turn(MEETINGS, ["a customer's object comes first"]))
@pytest.mark.parametrize("fault", FAULTS_OF_WRITES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_customer_makes_in_the_same_moment_stays(
    kind: str, fault: str, meeting: str
) -> None:
    disturbed = Disturbed(
        {("POST", kind): WRITE_FAULTS[fault]}, meanwhile=kind, is_after=MEETINGS[meeting]
    )
    panel, result = disturbed.run()
    check(disturbed, panel, result)


@pytest.mark.parametrize("kind", KINDS)
def test_with_a_name_that_somebody_has_nothing_is_written(kind: str) -> None:
    disturbed = Disturbed()
    panel, result = disturbed.run(before=kind)

    check(disturbed, panel, result)

    assert panel.writes == []
    assert result["left"] == []
    assert result["msg"] == (
        f"client: the panel has a {BY_NAME[kind].title} {BODIES[kind][BY_NAME[kind].name_field]}. "
        "Choose another name. Nothing was written."
    )


@pytest.mark.parametrize("fault", select_in_turn(UNREADABLE, USUAL))
@pytest.mark.parametrize("kind", KINDS)
def test_a_list_that_cannot_be_read_ends_the_trials_before_the_first_write(
    kind: str, fault: str
) -> None:
    disturbed = Disturbed(lists={kind: UNREADABLE[fault]})
    panel, result = disturbed.run(before=kind)

    check(disturbed, panel, result)

    assert panel.writes == []
    assert f"writes: The list of {BY_NAME[kind].titles} cannot be read: " in result["msg"]
    assert result["msg"].endswith(" Nothing was written.")


@pytest.mark.parametrize("partial", PARTS)
@pytest.mark.parametrize(
    "fault", select_in_turn(["reset before", "reset after", "answer 500 before"], ["reset before"])
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_part_of_a_list_is_not_taken_for_the_whole(kind: str, fault: str, partial: str) -> None:
    disturbed = Disturbed({("POST", kind): WRITE_FAULTS[fault]}, {kind: PARTS[partial]})
    panel, result = disturbed.run(before=kind)
    check(disturbed, panel, result)
    if BY_NAME[kind].traits.by_name:
        assert panel.writes == []


@pytest.mark.parametrize("fault", FAULTS_OF_LISTS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_list_that_fails_later_takes_nothing_of_others(kind: str, fault: str) -> None:
    for write, meanwhile in (("reset before", kind), ("reset after", "")):
        writes = {("POST", kind): WRITE_FAULTS[write]}
        disturbed = Disturbed(
            writes, {kind: LIST_FAULTS[fault]}, from_first_write=True, meanwhile=meanwhile
        )
        panel, result = disturbed.run()
        check(disturbed, panel, result)


@pytest.mark.parametrize("fault", FAULTS_OF_WRITES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_deletion_that_is_answered_otherwise_leaves_nothing_unnamed(
    kind: str, fault: str
) -> None:
    disturbed = Disturbed({("DELETE", kind): WRITE_FAULTS[fault]})
    panel, result = disturbed.run()

    check(disturbed, panel, result)

    assert result["left"] == []
    assert panel.names == set()


PROFILES: list[dict[str, Any]] = [
    {"kept_texts": "prefixed"},
    {"kept_texts": "generated"},
    {"hidden_members": {"emails": ["id_user"], "databases": ["id_user"], "clients": ["notes"]}},
    {"short_lists": {"clients": ["notes"], "domains": ["id_user"], "hosting_plans": ["resources"]}},
    {"renamed_members": {"domains": {"id_user": "id_client"}}},
    {"client_deletion": "refused", "domain_deletion": "refused", "plan_deletion": "refused"},
    {"domain_deletion": "kept", "numbers": "texts"},
    {"missing_paths": [r"(GET|PUT|DELETE) /(directory-protections|ftp-users|scheduled-tasks)/\d+"]},
]


@pytest.mark.parametrize(
    "fault", select_in_turn(["without id", "reset before", "reset after"], ["without id"])
)
@pytest.mark.parametrize("profile", PROFILES, ids=" ".join)
@pytest.mark.parametrize("kind", KINDS)
def test_on_other_panels_too_only_what_is_the_runs_own_is_deleted(
    kind: str, profile: dict[str, Any], fault: str
) -> None:
    disturbed = Disturbed({("POST", kind): WRITE_FAULTS[fault]}, meanwhile=kind)
    panel, result = disturbed.run(**profile)
    check(disturbed, panel, result)


@given(st.data())
def test_several_faults_at_once_delete_nothing_of_others(data: st.DataObject) -> None:
    places = st.tuples(st.sampled_from(["POST", "PUT", "DELETE"]), st.sampled_from(KINDS))
    disturbed = Disturbed(
        data.draw(
            st.dictionaries(places, st.sampled_from(list(WRITE_FAULTS.values())), max_size=4)
        ),
        data.draw(
            st.dictionaries(
                st.sampled_from(KINDS), st.sampled_from(list(LIST_FAULTS.values())), max_size=3
            )
        ),
        data.draw(st.booleans()),
        data.draw(st.sampled_from(["", *KINDS])),
        data.draw(st.booleans()),
    )
    profile = data.draw(st.sampled_from([{}, *PROFILES]))
    panel, result = disturbed.run(before=data.draw(st.sampled_from(["", "", *KINDS])), **profile)
    check(disturbed, panel, result)


@pytest.mark.parametrize("has_effect", [False, True], ids=["before the effect", "after it"])
@pytest.mark.parametrize("at", select_in_turn(range(1, 46), range(1, 46, 4)))
def test_ctrl_c_at_any_write_removes_everything(at: int, has_effect: bool) -> None:
    panel = Verified(CUSTOMER, status_delay=0.0)
    sent = 0

    def strike(call: Call, effect: Effect) -> Reply:
        nonlocal sent
        sent += call.method != "GET"
        if call.method == "GET" or sent != at:
            return effect()
        if has_effect:
            effect()
        signal.raise_signal(signal.SIGINT)
        raise make_reset_fault()

    disturbed = Disturbed()
    disturbed.customers = disturbed.list_objects(panel)
    result = panel.verify(strike=strike, writes=True, client=NAME)

    check(disturbed, panel, result)

    assert result["left"] == []
    assert panel.names == set()


# The examples by which this was found.


@pytest.mark.parametrize(
    "fault", ["answer 500 before", "page 500 before", "answer 403 before", "first", "truncated"]
)
def test_a_customer_is_not_deleted_where_the_list_of_clients_fails_and_the_creation_is_lost(
    fault: str,
) -> None:
    disturbed = Disturbed(
        {("POST", "clients"): WRITE_FAULTS["reset before"]}, {"clients": LIST_FAULTS[fault]}
    )
    panel, result = disturbed.run(before="clients")

    check(disturbed, panel, result)

    assert panel.writes == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_may_be_of_somebody_else_is_named_and_no_one_is_told_to_delete_it(kind: str) -> None:
    disturbed = Disturbed({("POST", kind): WRITE_FAULTS["reset before"]}, meanwhile=kind)
    panel, result = disturbed.run()

    check(disturbed, panel, result)
    name = BODIES[kind][BY_NAME[kind].name_field]

    assert result["left"] == [{"kind": BY_NAME[kind].title, "name": name}]

    message = f"These were kept, because this run may not have created them: {BY_NAME[kind].title} {name}. Check them on the panel."
    assert result["msg"].endswith(message)
    assert "delete" not in result["msg"]


# What is decided without a panel.


OF_LISTS = st.none() | st.integers() | st.text() | st.booleans()
DOCUMENTS = st.recursive(
    OF_LISTS,
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["id", "data"]), inner),
)


@given(DOCUMENTS)
def test_whatever_is_no_list_of_objects_with_ids_of_their_own_is_no_list(data: Any) -> None:
    objects = ownership.index_list(data)
    is_list = isinstance(data, list) and all(isinstance(item, dict) for item in data)

    if objects is not None:
        assert is_list
        assert list(objects.values()) == data
        assert all(identifier >= 1 for identifier in objects)


@given(st.sampled_from(KINDS), st.none() | st.text() | st.integers() | st.lists(st.text()))
def test_whatever_a_panel_shows_as_a_name_is_compared(kind: str, answered: Any) -> None:
    table = BY_NAME[kind]
    name = BODIES[kind][table.name_field]

    assert ownership.has_name(table, name, {table.name_field: name})
    assert not ownership.has_name(table, name, {table.name_field: answered})
