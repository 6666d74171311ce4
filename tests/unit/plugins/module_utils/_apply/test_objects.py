"""Objects are found by their key, and created exactly once whatever the network does."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._apply.apply import apply
from ansible_collections.hosting.panel.plugins.module_utils._apply.creation_rules import (
    Candidate,
    may_send_again,
    react_to,
)
from ansible_collections.hosting.panel.plugins.module_utils._apply.outcomes import (
    Failed,
    FailedMidway,
    Lost,
    Rejected,
    Unidentified,
    UnsettledOutcome,
)
from ansible_collections.hosting.panel.plugins.module_utils._errors import (
    Effect,
    OutcomeUnknown,
    Reached,
    Refused,
    RequestError,
    UnexpectedAnswer,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._http.repeats import MAX_POLLS
from ansible_collections.hosting.panel.plugins.module_utils._plan.object_plan import (
    CREATE,
    ObjectPlan,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.desired_object import (
    DesiredObject,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.fields import (
    Field,
    declare_reference,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind, PanelTraits
from ansible_collections.hosting.panel.plugins.module_utils._schema.password_options import Password
from ansible_collections.hosting.panel.plugins.module_utils._sources.live_source import (
    LiveObjects,
    LiveSource,
)
from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import Text
from tests.support.transcript import (
    NOT_FOUND,
    Call,
    Dialogue,
    Reply,
    call,
    make_answer,
    make_connection,
    make_page,
    make_read_timeout_fault,
    make_reset_fault,
    make_response,
)

NAMED = Kind(
    singular="client",
    key=(Field("username", Text()),),
    fields=(Field("notes", Text()),),
    password=Password(),
)
# Found in a list, and not protected by the panel against a second one of the same name.
LISTED = Kind(
    singular="task",
    title="scheduled task",
    path="/scheduled-tasks",
    key=(declare_reference("client", Text(), name="id_user"), Field("description", Text())),
    fields=(Field("command", Text()),),
    traits=PanelTraits(by_name=False, is_unique=False),
)
# Of which no description says how one object is addressed, so that the list decides after a 404.
INFERRED = replace(NAMED, traits=PanelTraits(is_inferred=True))
ACME = {"id": 7, "username": "acme", "notes": "x"}
BODY = {"username": "acme", "notes": "x"}
BACKUP = {"id": 3, "id_user": 21, "description": "backup", "command": "/bin/true"}
KEY = {"id_user": 21, "description": "backup"}
LISTED_KEY = ("21", "backup")
Made = tuple[Any, str | None]  # an id, and the password that the panel made
TAKEN = {"code": "400 Bad Request", "message": "The username is taken."}


def look(reply: Reply | Exception) -> Call:
    """Return the request for the client by its name."""
    return call("GET", "/clients/name/acme", reply)


def post(reply: Reply | Exception, seconds: float = 0.0) -> Call:
    """Return the request that creates the client."""
    return call("POST", "/clients", reply, BODY, seconds=seconds)


def renew(reply: Reply | Exception) -> Call:
    """Return the request for a new password of the client."""
    return call("PUT", "/clients/7", reply, {"password": None})


ABSENT = look(make_answer(404, NOT_FOUND))
PRESENT = look(make_answer(200, ACME))


def get_live_objects(session: PanelSession, kind: Kind) -> LiveObjects:
    """Return the objects of a kind on the panel."""
    return LiveSource(lambda: session).get_objects(kind)


def attempt_creation(
    session: PanelSession, kind: Kind, key: Mapping[str, Any], generates: bool = False
) -> Made:
    """What comes of the creation of an object that a task found absent."""
    is_named = kind is NAMED
    values = {"notes": "x"} if is_named else {"command": "/bin/true"}
    requested = DesiredObject(key=key, values=values)
    label = "client acme" if is_named else "scheduled task backup"
    plan = ObjectPlan(
        kind, requested, label, CREATE, body={**key, **values}, generates_password=generates
    )
    applied = apply(plan, LiveSource(lambda: session), locked={LISTED_KEY: []})
    if applied.error is not None:
        raise applied.error

    return applied.identifier, applied.password


def create(session: PanelSession, generates: bool = False) -> Made:
    """Create the client."""
    return attempt_creation(session, NAMED, {"username": "acme"}, generates)


def create_listed(session: PanelSession) -> Made:
    """Create the scheduled task, which only its list can find."""
    return attempt_creation(session, LISTED, KEY)


# Creating.


def test_the_refusal_of_a_second_creation_tells_of_the_first_where_the_object_is_not_ours(
    dialogue: Dialogue,
) -> None:
    foreign_object = look(make_answer(200, {**ACME, "notes": "of somebody else"}))
    with pytest.raises(OutcomeUnknown, match=r"is taken.*not as the task requires"):
        create(
            dialogue(
                post(make_read_timeout_fault()),
                ABSENT,
                post(make_answer(400, TAKEN)),
                foreign_object,
            )
        )


def test_a_refusal_of_a_name_that_is_taken_but_not_to_be_seen_yet_is_waited_behind(
    dialogue: Dialogue,
) -> None:
    session = dialogue(
        post(make_reset_fault()), ABSENT, post(make_answer(400, TAKEN)), ABSENT, ABSENT, PRESENT
    )
    assert create(session) == (7, None)


@pytest.mark.parametrize(
    "behind",
    [
        make_answer(404, NOT_FOUND),
        make_page(404),
        make_answer(500, TAKEN),
        make_answer(200, ["odd"]),
    ],
)
def test_a_refusal_stays_one_where_nothing_is_seen_behind_it(
    dialogue: Dialogue, behind: Reply
) -> None:
    looks = [look(behind)] * (2 if behind.status == 500 else 1)
    # Of a page the list decides, which cannot be read either.
    looks += [call("GET", "/clients", behind)] if behind == make_page(404) else []

    with pytest.raises(Refused, match="is taken"):
        create(dialogue(post(make_answer(400, TAKEN)), *looks))


@pytest.mark.parametrize(
    "behind",
    [
        pytest.param(make_answer(400, TAKEN), id="name is taken"),
        pytest.param(make_answer(401, TAKEN), id="key is refused"),
    ],
)
def test_whatever_ends_a_second_attempt_says_that_the_first_may_have_made_it(
    dialogue: Dialogue, behind: Any
) -> None:
    looks = [ABSENT] * 4 if behind == make_answer(400, TAKEN) else []
    session = dialogue(post(make_reset_fault()), ABSENT, post(behind), *looks, retry_time=6)

    with pytest.raises(
        OutcomeUnknown,
        match=r"a second attempt.*failed.*It may have been created\. Run the task again",
    ):
        create(session)


@pytest.mark.parametrize(
    "reply", [make_answer(400, TAKEN), make_answer(401, TAKEN), make_answer(200, ["odd"])]
)
def test_a_look_that_fails_does_not_hide_the_creation(dialogue: Dialogue, reply: Reply) -> None:
    with pytest.raises(
        OutcomeUnknown, match=r"looking for it failed too.*It may have been created"
    ) as caught:
        create(dialogue(post(make_reset_fault()), look(reply)), generates=True)

    assert caught.value.details["path"] == "/clients"
    assert "regenerate_password: true" in str(caught.value)


@pytest.mark.parametrize(
    "reply", [make_answer(500, TAKEN), make_answer(200, {"id": 7}), make_answer(401, TAKEN)]
)
def test_a_password_that_nobody_knows_is_an_error_with_the_id(
    dialogue: Dialogue, reply: Reply
) -> None:
    with pytest.raises(
        OutcomeUnknown, match="created with id 7, and its generated password did not arrive"
    ) as caught:
        create(dialogue(post(make_answer(201, {"id": 7})), renew(reply)), generates=True)
    assert caught.value.details["id"] == 7
    assert caught.value.reached == Reached(is_changed=True, identifier=7)


# What follows an attempt.

_FAULT = RequestError("")
_LOST = Lost(_FAULT, may_complete_later=False, wait=None)
_UNFINISHED = Lost(_FAULT, may_complete_later=True, wait=None)
_UNIQUE = PanelTraits()
_DOUBLED = PanelTraits(is_unique=False)
_RENAMED = PanelTraits(has_scheme=True)


@pytest.mark.parametrize(
    ("outcome", "at_first", "after_a_lost_answer"),
    [
        (Unidentified(_FAULT), (1, Candidate.OURS), (MAX_POLLS, Candidate.OURS)),
        (
            Rejected(_FAULT),
            (1, Candidate.SOMEBODY_ELSES),
            (MAX_POLLS, Candidate.OURS_IF_AS_DESIRED),
        ),
        (
            FailedMidway(_FAULT),
            (1, Candidate.OURS_IF_AS_DESIRED),
            (MAX_POLLS, Candidate.OURS_IF_AS_DESIRED),
        ),
        (_LOST, (1, Candidate.OURS_IF_AS_DESIRED), (1, Candidate.OURS_IF_AS_DESIRED)),
    ],
)
def test_how_long_an_object_is_looked_for_and_whose_it_is(
    outcome: UnsettledOutcome,
    at_first: tuple[int, Candidate],
    after_a_lost_answer: tuple[int, Candidate],
) -> None:
    assert react_to(outcome, False, _UNIQUE) == at_first
    assert react_to(outcome, True, _UNIQUE) == after_a_lost_answer
    if isinstance(outcome, Lost):
        reaction = react_to(outcome, False, _DOUBLED)
        assert reaction is not None
        assert reaction.polls == MAX_POLLS


@pytest.mark.parametrize("is_repeat", [False, True])
def test_nothing_is_looked_for_where_nothing_was_created(is_repeat: bool) -> None:
    assert react_to(Failed(_FAULT), is_repeat, _UNIQUE) is None


@pytest.mark.parametrize(
    ("outcome", "traits", "is_outlasted", "may_send"),
    [
        (_LOST, _UNIQUE, False, True),
        (_UNFINISHED, _UNIQUE, False, True),
        (_LOST, _DOUBLED, False, False),
        (_LOST, _DOUBLED, True, True),
        (_UNFINISHED, _DOUBLED, True, False),
        (_LOST, _RENAMED, False, False),
        (_UNFINISHED, _RENAMED, True, True),
        (Rejected(_FAULT), _UNIQUE, True, False),
        (Unidentified(_FAULT), _UNIQUE, True, False),
    ],
)
def test_a_creation_is_sent_again_where_a_second_is_refused_or_the_first_has_ended(
    outcome: UnsettledOutcome, traits: PanelTraits, is_outlasted: bool, may_send: bool
) -> None:
    assert may_send_again(outcome, traits, is_outlasted) is may_send


# Answers that say less than they should.


@pytest.mark.parametrize("data", [{}, [], None, {"id": "../7"}, {"id": True}, "ok", 7], ids=str)
def test_the_id_of_a_confirmed_creation_is_looked_up_where_it_is_not_said(
    dialogue: Dialogue, data: Any
) -> None:
    assert create(dialogue(post(make_answer(201, data)), PRESENT)) == (7, None)


def test_the_password_in_an_answer_without_an_id_counts(dialogue: Dialogue) -> None:
    kept_otherwise = look(make_answer(200, {**ACME, "notes": "X"}))
    assert create(
        dialogue(post(make_answer(201, {"password": "Made-1"})), kept_otherwise), generates=True
    ) == (7, "Made-1")


def test_a_confirmed_creation_without_an_object_is_an_error(dialogue: Dialogue) -> None:
    with pytest.raises(
        UnexpectedAnswer, match=r"did not answer with an id .*It may have been created"
    ) as caught:
        create(dialogue(post(make_answer(200, {})), ABSENT), generates=True)
    assert caught.value.may_have_written
    assert "its password is lost" in str(caught.value)


@pytest.mark.parametrize(
    "reply", [make_answer(201, {}), make_reset_fault()], ids=["said to be done", "lost"]
)
def test_what_is_shown_without_an_id_is_not_said_to_be_absent(
    dialogue: Dialogue, reply: Reply | Exception
) -> None:
    with pytest.raises(
        OutcomeUnknown, match=r"what is there now, acme .* is not as the task requires"
    ) as caught:
        create(dialogue(post(reply), look(make_answer(200, BODY))))
    assert "not there" not in str(caught.value)


@pytest.mark.parametrize(
    "data", [{"id": 7}, {"id": 7, "password": None}, {"id": 7, "password": ""}], ids=str
)
def test_a_password_that_the_panel_does_not_say_is_made_anew(
    dialogue: Dialogue, data: dict[str, Any]
) -> None:
    session = dialogue(
        post(make_answer(201, data)), renew(make_answer(200, {"id": 7, "password": "made anew"}))
    )
    assert create(session, generates=True) == (7, "made anew")


# Kinds that the panel does not protect against a second one.


def make_tasks_call(*items: Mapping[str, Any]) -> Call:
    """Return the request for the list of scheduled tasks."""
    return call("GET", "/scheduled-tasks", make_answer(200, list(items)))


def post_task(reply: Reply | Exception) -> Call:
    """Return the request that creates the scheduled task."""
    return call("POST", "/scheduled-tasks", reply, {**KEY, "command": "/bin/true"})


def test_two_of_one_name_after_a_lost_creation_are_named(dialogue: Dialogue) -> None:
    with pytest.raises(OutcomeUnknown, match=r"2 scheduled tasks are named backup \(ids 3, 4\)"):
        create_listed(
            dialogue(post_task(make_reset_fault()), make_tasks_call(BACKUP, {**BACKUP, "id": 4}))
        )


# Finding.


@pytest.mark.parametrize("answered_name", ["other", "ACME", "", None])
def test_an_answer_about_another_object_is_not_taken_for_the_named_one(
    dialogue: Dialogue, answered_name: Any
) -> None:
    with pytest.raises(UnexpectedAnswer, match="answered with another client"):
        get_live_objects(
            dialogue(look(make_answer(200, {**ACME, "username": answered_name}))), NAMED
        ).find_by_key({"username": "acme"})


@pytest.mark.parametrize(
    "data", [[], [ACME], "acme", 7, None, True, {"code": "500", "message": "no"}]
)
def test_an_answer_of_another_shape_is_not_taken_for_an_object(
    dialogue: Dialogue, data: Any
) -> None:
    with pytest.raises(UnexpectedAnswer):
        get_live_objects(dialogue(look(make_answer(200, data))), NAMED).find_by_key(
            {"username": "acme"}
        )
    with pytest.raises(UnexpectedAnswer):
        get_live_objects(
            dialogue(call("GET", "/clients/7", make_answer(200, data))), NAMED
        ).find_by_id(7)


@pytest.mark.parametrize("data", [{}, "acme", "", None, [7], [[]], {"error": "no"}], ids=str)
def test_an_answer_of_another_shape_is_not_taken_for_a_list(dialogue: Dialogue, data: Any) -> None:
    with pytest.raises(UnexpectedAnswer):
        get_live_objects(
            dialogue(call("GET", "/scheduled-tasks", make_answer(200, data))), LISTED
        ).fetch_all()


@pytest.mark.parametrize("status", [202, 206])
def test_a_part_of_a_list_or_of_an_object_is_not_taken_for_it(
    dialogue: Dialogue, status: int
) -> None:
    with pytest.raises(
        UnexpectedAnswer,
        match=rf"GET /scheduled-tasks got an unexpected answer \({status}\): it is only a part",
    ):
        get_live_objects(
            dialogue(call("GET", "/scheduled-tasks", make_answer(status, []))), LISTED
        ).find_by_key(KEY)

    with pytest.raises(UnexpectedAnswer, match=rf"answer \({status}\)"):
        get_live_objects(dialogue(look(make_answer(status, ACME))), NAMED).find_by_key(
            {"username": "acme"}
        )


@pytest.mark.parametrize(
    "identifier",
    [
        pytest.param([7], id="list"),
        pytest.param({"id": 7}, id="dictionary"),
        pytest.param(True, id="switch"),
        pytest.param(7.0, id="fraction"),
        pytest.param(0, id="zero"),
        pytest.param(-1, id="negative number"),
        pytest.param("", id="empty text"),
        pytest.param("x", id="word"),
        pytest.param("-7", id="negative text"),
        pytest.param(" 7", id="text with a blank"),
        pytest.param("７", id="full width digit"),
        pytest.param("../clients/2", id="path"),
        pytest.param("9" * 19, id="too many digits"),
    ],
)
def test_an_id_that_is_none_is_not_taken_for_one(dialogue: Dialogue, identifier: Any) -> None:
    message = r"shows (an id that is none .*; ids are whole numbers from 1|id( of .*)? as .*; it must be a whole number)\."
    odd = {**ACME, "id": identifier}

    with pytest.raises(UnexpectedAnswer, match=message):
        get_live_objects(dialogue(look(make_answer(200, odd))), NAMED).find_by_key(
            {"username": "acme"}
        )

    with pytest.raises(UnexpectedAnswer, match=message):
        get_live_objects(
            dialogue(call("GET", "/scheduled-tasks", make_answer(200, [BACKUP, odd]))), LISTED
        ).find_by_key(KEY)


def test_an_object_with_another_id_is_not_the_one_that_was_asked_for(dialogue: Dialogue) -> None:
    session = dialogue(call("GET", "/clients/7", make_answer(200, {**ACME, "id": 8})))
    with pytest.raises(UnexpectedAnswer, match="answered with another client: its id is 8"):
        get_live_objects(session, NAMED).find_by_id(7)


def test_a_deletion_after_a_lost_answer_may_have_been_written_where_its_list_cannot_be_read(
    dialogue: Dialogue,
) -> None:
    session = dialogue(
        call("DELETE", "/clients/7", make_reset_fault()),
        call("DELETE", "/clients/7", make_answer(404, NOT_FOUND)),
        call("GET", "/clients", make_answer(400, TAKEN)),
    )
    with pytest.raises(Refused, match="It may have been deleted") as caught:
        get_live_objects(session, INFERRED).delete(7)
    assert caught.value.may_have_written
    assert caught.value.effect is Effect.UNKNOWN


def test_a_password_of_a_creation_without_an_id_is_kept_where_its_object_is_not_found(
    dialogue: Dialogue,
) -> None:
    answer = post(make_answer(201, {"password": "made-by-the-panel"}))
    with pytest.raises(UnexpectedAnswer, match="did not answer with an id") as caught:
        create(dialogue(answer, ABSENT), generates=True)

    assert caught.value.reached == Reached(password="made-by-the-panel")
    assert "regenerate_password" not in str(caught.value)


class ReloadingSession:
    """Stands in for requests.Session: a creation meets a reload, but has its effect.

    During the look-up that follows, another thread sends a request.
    """

    def __init__(self) -> None:
        self.order: list[str] = []
        self.session = PanelSession(make_connection(), http_session=self)
        self.session.allow_at_once(2)
        self.other_thread = threading.Thread(
            target=lambda: self.session.get("/clients/name/other"), daemon=True
        )

    def mount(self, _prefix: str, _adapter: Any) -> None:
        """Take an adapter for kept-alive connections; nothing is done with it."""

    def request(self, method: str, url: str, **_arguments: Any) -> Any:
        """Answer a request, and note it when it is answered."""
        name = url.rpartition("/")[2]
        reply = make_page(503) if method == "POST" else make_answer(200, ACME)
        if (method, name) == ("GET", "acme") and "POST clients" in self.order:
            self.other_thread.start()
            self.other_thread.join(0.2)
        self.order.append(f"{method} {name}")
        return make_response(reply, method, url, None)


def test_the_other_threads_wait_until_a_creation_that_met_a_reload_has_been_looked_for() -> None:
    panel = ReloadingSession()

    assert create(panel.session) == (7, None)
    panel.other_thread.join(10)

    assert panel.order[-3:] == ["POST clients", "GET acme", "GET other"]
