"""What the role content keeps of each object, and what it says at the end."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_content_message import (
    panel_content_message,
)
from ansible_collections.hosting.panel.plugins.filter.panel_content_overwriting import (
    panel_content_overwriting,
)
from ansible_collections.hosting.panel.plugins.filter.panel_content_result import (
    panel_content_result,
)
from ansible_collections.hosting.panel.plugins.filter.panel_content_start import panel_content_start
from ansible_collections.hosting.panel.plugins.filter.panel_content_state import panel_content_state
from ansible_collections.hosting.panel.plugins.filter.panel_to_json import panel_to_json
from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)

HOSTS = ["old", "new"]
NOW = "2026-11-30T13:00:00+00:00"
TREE = {"kind": "tree", "key": "tree:/a:/b", "from": "/a", "to": "/b"}
MAILBOX = {"kind": "mailbox", "key": "mailbox:i@a:i@a", "from": "i@a.example", "to": "i@a.example"}
DATABASE = {"kind": "database", "key": "database:a:a", "from": "acme_db", "to": "acme_db"}
OBJECTS = [TREE, MAILBOX]
DONE = {"is_complete": True}


def _start(step: str, text: str = "") -> dict[str, Any]:
    state: dict[str, Any] = panel_content_start(text, step, HOSTS, OBJECTS)["state"]
    return state


@pytest.mark.parametrize(
    ("step", "done", "outcome"),
    [
        ("copy", {"result": {"is_complete": True, "changed": True, "differences": []}}, "copied"),
        (
            "copy",
            {"result": {"is_complete": True, "changed": False, "differences": []}},
            "unchanged",
        ),
        ("copy", {"result": {"msg": "dest: it is gone."}}, "failed"),
        ("copy", {"result": {}}, "failed"),
        ("verify", {"result": {"changed": False, "differences": []}}, "failed"),
        (
            "copy",
            {
                "result": {
                    "is_complete": True,
                    "changed": True,
                    "differences": [{"why": "was written"}],
                }
            },
            "copied",
        ),
        (
            "final",
            {
                "result": {"is_complete": True, "changed": True},
                "comparison": {"is_complete": True, "differences": ["x"]},
            },
            "differs",
        ),
        (
            "final",
            {"result": {"is_complete": True, "changed": True}, "comparison": {"msg": "gone"}},
            "failed",
        ),
        (
            "final",
            {
                "result": {"is_complete": True, "changed": False},
                "repair": {"is_complete": True, "changed": True},
            },
            "copied",
        ),
        (
            "final",
            {
                "result": {"is_complete": True, "changed": True},
                "repair": {"msg": "gone"},
                "comparison": {},
            },
            "failed",
        ),
        ("verify", {"result": {"is_complete": True, "changed": False, "differences": []}}, "equal"),
        (
            "verify",
            {"result": {"is_complete": True, "changed": False, "differences": ["x"]}},
            "differs",
        ),
        ("late", {"result": {"is_complete": True, "changed": True, "differences": []}}, "copied"),
    ],
)
def test_an_outcome_follows_from_what_the_modules_returned(
    step: str, done: dict[str, Any], outcome: str
) -> None:
    state = panel_content_state(_start(step), TREE, done, step, NOW)
    result = panel_content_result([TREE], state, step)

    assert result["objects"][0]["outcome"] == outcome
    assert bool(result["failures"]) == (outcome in ("failed", "differs"))
    assert len(state["objects"][TREE["key"]]["passes"][step]["digest"]) == 64


def test_a_failure_names_the_option_as_the_operator_has_it() -> None:
    error = ContentError("/b is gone.", "dest", "Nothing was written.", "Make it.")
    failure = {"msg": error.compose(), "error": error.describe()}
    module_results = {"result": failure, "option_names": {"dest": "to"}}

    state = panel_content_state(_start("copy"), TREE, module_results, "copy", NOW)

    reason = "to: /b is gone. Nothing was written. Make it."
    assert state["objects"][TREE["key"]]["passes"]["copy"]["why"] == reason


def test_a_failure_that_is_none_of_the_module_is_kept_as_it_is() -> None:
    failure = {"msg": "dest: the host is gone.", "error": {"type": "Defect"}}
    module_results = {"result": failure, "option_names": {"dest": "to"}}

    state = panel_content_state(_start("copy"), TREE, module_results, "copy", NOW)

    reason = "dest: the host is gone."
    assert state["objects"][TREE["key"]]["passes"]["copy"]["why"] == reason


def test_a_killed_run_goes_on_and_a_complete_one_begins_anew() -> None:
    done = {"result": {"is_complete": True, "changed": True, "differences": []}}
    state = panel_content_state(_start("copy"), TREE, done, "copy", NOW)

    assert _start("copy", panel_to_json(state))["run"]["done"] == [TREE["key"]]
    assert _start("final", panel_to_json(state))["run"]["done"] == []
    assert _start("copy", panel_to_json({**state, "run": {}}))["run"]["done"] == []


def test_what_a_second_copy_sent_counts_too() -> None:
    done = {
        "result": {"is_complete": True, "changed": True, "sent": 3, "bytes": 10, "differences": []},
        "repair": {"is_complete": True, "changed": True, "sent": 1, "bytes": 5},
    }
    state = panel_content_state(_start("final"), TREE, done, "final", NOW)

    counts = state["objects"][TREE["key"]]["passes"]["final"]["counts"]
    assert counts == {"sent": 4, "bytes": 15}


@pytest.mark.parametrize("step", ["final", "late"])
def test_what_a_killed_run_of_a_proof_has_done_is_compared_anew(step: str) -> None:
    done = {"result": {"is_complete": True, "changed": True, "messages": 3, "differences": []}}
    state = panel_content_state(_start(step), MAILBOX, done, step, "earlier")
    resumed = _start(step, panel_to_json(state))
    assert resumed["run"] == {
        "step": step,
        "done": [],
        "failed": [],
        "to_compare": [MAILBOX["key"]],
    }

    comparison = {"result": {"is_complete": True, "changed": False, "differences": []}}
    equal = panel_content_state(resumed, MAILBOX, comparison, step, NOW)
    entry = equal["objects"][MAILBOX["key"]]["passes"][step]
    assert equal["run"]["done"] == [MAILBOX["key"]]
    assert (entry["outcome"], entry["at"], entry["counts"]) == ("copied", NOW, {"messages": 3})


@pytest.mark.parametrize(
    "comparison",
    [
        {"is_complete": True, "changed": False, "differences": ["index.php"]},
        {"is_complete": True, "changed": True, "differences": []},
        {"msg": "the connection has ended"},
        {"is_complete": False, "changed": False, "differences": []},
        {},
    ],
    ids=["differs", "would change", "failed", "incomplete", "nothing"],
)
def test_what_is_no_longer_equal_is_left_to_be_copied(comparison: dict[str, Any]) -> None:
    done = {"result": {"is_complete": True, "changed": True, "differences": []}}
    state = panel_content_state(_start("final"), TREE, done, "final", "earlier")
    resumed = _start("final", panel_to_json(state))

    compared = panel_content_state(resumed, TREE, {"result": comparison}, "final", NOW)

    assert compared["objects"] == resumed["objects"]
    assert compared["run"] == {"step": "final", "done": [], "failed": [], "to_compare": []}


def test_a_proof_that_names_an_unknown_object_is_not_trusted() -> None:
    damaged = _start("final")
    damaged["run"]["to_compare"] = [TREE["key"]]

    compared = panel_content_state(damaged, TREE, {"result": {"is_complete": True}}, "final", NOW)

    assert compared["run"] == {"step": "final", "done": [], "failed": [], "to_compare": []}


def test_a_second_kill_forgets_nothing_that_is_to_be_compared() -> None:
    done = {"result": {"is_complete": True, "changed": True, "differences": []}}
    killed = panel_content_state(_start("final"), TREE, done, "final", NOW)
    killed = panel_content_state(killed, MAILBOX, done, "final", NOW)
    resumed = _start("final", panel_to_json(killed))
    killed_again = panel_content_state(
        resumed, TREE, {"result": {"is_complete": True}}, "final", NOW
    )

    run = _start("final", panel_to_json(killed_again))["run"]

    assert sorted(run["to_compare"]) == sorted([TREE["key"], MAILBOX["key"]])


def test_a_comparison_is_never_taken_from_an_earlier_run() -> None:
    done = {"result": {"is_complete": True, "changed": False, "differences": []}}
    state = panel_content_state(_start("verify"), TREE, done, "verify", NOW)

    assert _start("verify", panel_to_json(state))["run"]["done"] == []


def test_an_object_that_failed_is_tried_again() -> None:
    state = panel_content_state(_start("copy"), TREE, {"result": {"msg": "no"}}, "copy", NOW)

    run = _start("copy", panel_to_json(state))["run"]

    assert run == {"step": "copy", "done": [], "failed": [], "to_compare": []}


def test_a_pass_has_the_same_form_in_the_file_as_ever() -> None:
    result = {
        "is_complete": True,
        "changed": True,
        "bytes": 5,
        "differences": ["x"],
        "left_out": [{"path": "p"}],
    }
    state = panel_content_state(_start("verify"), TREE, {"result": result}, "verify", NOW)

    entry = state["objects"][TREE["key"]]
    ended_pass = dict(entry["passes"]["verify"])
    assert len(ended_pass.pop("digest")) == 64
    assert ended_pass == {
        "at": NOW,
        "outcome": "differs",
        "changed": True,
        "counts": {"bytes": 5},
        "differences": ["x"],
        "left_out": [{"path": "p"}],
        "why": "",
        "compared": "every file by its content, with type, mode, time, links, ACL and attributes",
        "proof": "equal",
    }
    assert {name: entry[name] for name in ("kind", "from", "to", "last")} == {
        "kind": "tree",
        "from": "/a",
        "to": "/b",
        "last": "verify",
    }


def test_a_pass_of_an_older_release_with_fewer_fields_is_confirmed_and_shown() -> None:
    done = {"result": {"is_complete": True, "changed": True, "differences": []}}
    state = panel_content_state(_start("final"), TREE, done, "final", "earlier")
    entry = state["objects"][TREE["key"]]
    entry["passes"]["final"] = {"outcome": "copied", "changed": True}
    resumed = _start("final", panel_to_json(state))

    confirmed = panel_content_state(resumed, TREE, {"result": {"is_complete": True}}, "final", NOW)
    (row,) = panel_content_result([TREE], confirmed, "final")["objects"]

    assert (row["outcome"], row["at"], row["counts"]) == ("copied", NOW, {})


@pytest.mark.parametrize(
    ("step", "late_outcome", "is_contained"),
    [("copy", "", True), ("late", "", True), ("verify", "", False), ("verify", "copied", True)],
)
def test_a_mailbox_says_whether_it_is_equal_or_lacks_nothing(
    step: str, late_outcome: str, is_contained: bool
) -> None:
    state = _start(step)
    passes = {"late": {"outcome": late_outcome}} if late_outcome else {}
    state["objects"] = {MAILBOX["key"]: {"passes": passes}}

    state = panel_content_state(state, MAILBOX, {"result": {"is_complete": True}}, step, NOW)

    compared = state["objects"][MAILBOX["key"]]["passes"][step]["compared"]
    assert ("what the new one received stays" in compared) == is_contained


def test_names_of_customers_files_survive_the_state() -> None:
    done = {
        "result": {
            "is_complete": True,
            "left_out": [{"path": "{{ 7 * 6 }}", "why": "pipe"}],
            "differences": [],
        }
    }
    state = panel_content_state(_start("copy"), TREE, done, "copy", NOW)
    reread = _start("copy", panel_to_json(state))

    assert reread["objects"] == state["objects"]


def test_what_no_pass_has_touched_is_left_with_a_reason() -> None:
    late = panel_content_result(OBJECTS, _start("late"), "late")
    check = panel_content_result(
        OBJECTS,
        _start("copy"),
        "copy",
        {"trees": [{"path": "/a", "bytes": 5}]},
        True,
    )

    assert [row["outcome"] for row in late["objects"]] == ["left", "left"]
    assert "late is for mailboxes" in late["objects"][0]["why"]
    assert [row["bytes"] for row in check["objects"]] == [5, None]
    assert {row["why"] for row in check["objects"]} == {"check mode copies nothing"}


@pytest.mark.parametrize(
    ("step", "done", "in_words"),
    [
        ("final", {"result": {"is_complete": True, "changed": True}}, "copied"),
        ("final", {"result": {"is_complete": True, "changed": False}}, "was right already"),
        ("verify", {"result": {"is_complete": True, "changed": False}}, "equal on both servers"),
        ("verify", {"result": {"is_complete": True, "differences": ["a"]}}, "DIFFERS"),
        ("final", {"result": {"msg": "gone"}}, "FAILED"),
    ],
)
def test_an_object_has_a_title_and_its_outcome_in_words_for_pages(
    step: str, done: dict[str, Any], in_words: str
) -> None:
    state = panel_content_state(_start(step), TREE, done, step, NOW)
    rows = panel_content_result([TREE, MAILBOX], state, step)["objects"]

    assert [(row["title"], row["in_words"]) for row in rows] == [
        ("Files", in_words),
        ("Mailbox", "not touched"),
    ]


@pytest.mark.parametrize(
    ("outcome", "in_words"),
    [
        ({"is_complete": True, "changed": False, "differences": []}, "complete on the new server"),
        ({"is_complete": True, "changed": True, "differences": ["a"]}, "DIFFERS"),
    ],
    ids=["complete", "differs"],
)
def test_a_mailbox_that_may_have_more_on_the_target_is_not_called_equal(
    outcome: dict[str, Any], in_words: str
) -> None:
    late = panel_content_state(
        _start("late"), MAILBOX, {"result": {"is_complete": True}}, "late", NOW
    )
    start = _start("verify", panel_to_json({**late, "run": {}}))
    state = panel_content_state(start, MAILBOX, {"result": outcome}, "verify", NOW)
    (row,) = panel_content_result([MAILBOX], state, "verify")["objects"]

    assert row["in_words"] == in_words


@pytest.mark.parametrize(
    ("number", "ending"),
    [
        (0, "on the new one; what the new one received stays"),
        (1, ", except 1 message that the new one had before, and that was deleted there; what the"),
        (3, ", except 3 messages that the new one had before, and that were deleted there; what"),
    ],
)
def test_the_proof_of_a_mailbox_says_how_much_was_deleted_on_the_target(
    number: int, ending: str
) -> None:
    result = {"is_complete": True, "changed": True, "deleted_on_target": number}
    state = panel_content_state(_start("final"), MAILBOX, {"result": result}, "final", NOW)
    (row,) = panel_content_result([MAILBOX], state, "final")["objects"]

    assert ending in row["compared"]
    assert "everything of the old server is on the new one" in row["compared"]


@pytest.mark.parametrize(
    ("content", "digest", "in_words"),
    [
        (DATABASE, "5" * 64, "Digest of the content"),
        (MAILBOX, "5" * 64, "Digest of the content"),
        (TREE, "", "Digest of this entry"),
    ],
)
def test_a_digest_says_what_it_is_made_of(
    content: dict[str, Any], digest: str, in_words: str
) -> None:
    rows = []
    for time in ("earlier", NOW):
        result = {"is_complete": True, "changed": time == NOW, "differences": [], "digest": digest}
        state = panel_content_state(_start("final"), content, {"result": result}, "final", time)
        rows += panel_content_result([content], state, "final")["objects"]

    assert [row["digest_in_words"] for row in rows] == [in_words, in_words]
    assert (rows[0]["digest"] == rows[1]["digest"]) == bool(digest)


def test_the_digest_of_what_failed_is_that_of_its_entry() -> None:
    failure = {"result": {"msg": "the disk is full"}}
    state = panel_content_state(_start("final"), DATABASE, failure, "final", NOW)

    (row,) = panel_content_result([DATABASE], state, "final")["objects"]

    assert row["digest_in_words"] == "Digest of this entry"


@pytest.mark.parametrize(
    ("final_result", "warning"),
    [
        ({"is_complete": True, "changed": True, "differences": []}, ""),
        ({"msg": "gone"}, "; the step final, which has to come before, has not succeeded"),
        (None, "; the step final, which has to come before, has not succeeded"),
    ],
    ids=["final", "failed", "never"],
)
def test_late_mail_before_the_last_copy_is_told(
    final_result: dict[str, Any] | None, warning: str
) -> None:
    state = _start("final")
    if final_result is not None:
        state = panel_content_state(state, TREE, {"result": final_result}, "final", NOW)
    late = _start("late", panel_to_json({**state, "run": {}}))
    (row,) = panel_content_result([TREE], late, "late")["objects"]

    assert row["why"] == f"the step late is for mailboxes{warning}"


@pytest.mark.parametrize(
    ("module_result", "compared"),
    [
        ({"msg": "the target is gone"}, ""),
        (
            {
                "is_complete": True,
                "differences": [{"folder": "INBOX", "why": "1 message is missing"}],
            },
            "every message by IMAP folder, UID, size, flags and date",
        ),
    ],
    ids=["failed", "differs"],
)
def test_nothing_is_told_to_be_complete_that_failed_or_differs(
    module_result: dict[str, Any], compared: str
) -> None:
    state = panel_content_state(_start("final"), MAILBOX, {"result": module_result}, "final", NOW)
    (row,) = panel_content_result([MAILBOX], state, "final")["objects"]

    assert row["compared"] == compared


@pytest.mark.parametrize(
    ("number", "name", "unlisted"),
    [(1001, "left_out", {}), (1300, "left_out", {"left_out": 299})],
)
def test_what_is_left_out_is_counted_where_it_is_not_listed(
    number: int, name: str, unlisted: dict[str, int]
) -> None:
    left_out = [{"path": f"f{index}", "why": "unreadable"} for index in range(number)]
    done = {"result": {"is_complete": True, "changed": False, name: left_out}}
    state = panel_content_state(_start("copy"), TREE, done, "copy", NOW)

    (row,) = panel_content_result([TREE], state, "copy")["objects"]

    assert (len(row[name]), row["unlisted"]) == (1001, unlisted)
    assert _start("copy", panel_to_json(state))["run"]["done"] == [TREE["key"]]


def test_the_number_of_differences_that_a_module_does_not_list_is_kept() -> None:
    names = [*(f"f{index}" for index in range(1000)), "and 7 more"]
    done = {"result": {"is_complete": True, "changed": False, "differences": names}}
    state = panel_content_state(_start("verify"), TREE, done, "verify", NOW)

    assert state["objects"][TREE["key"]]["passes"]["verify"]["differences"] == names


COMPLETE = {"is_complete": True, "changed": True, "differences": []}
LEFT_OUT = {**COMPLETE, "left_out": [{"path": "a.sock", "why": "socket"}]}
EXCLUDING = {**TREE, "exclude": ["/log"]}
ALL_THE_REST = (
    "Everything below, except what was left out, is on the new server: both servers were compared."
)
LACKS = "entries: not complete on the new server."
HAS = "entries: on the new server, as a comparison of both servers shows."


@pytest.mark.parametrize(
    ("step", "done", "in_words"),
    [
        (
            "final",
            [(TREE, COMPLETE), (MAILBOX, COMPLETE)],
            "Everything below is on the new server: both servers were compared.",
        ),
        (
            "final",
            [(TREE, LEFT_OUT), (MAILBOX, COMPLETE)],
            ALL_THE_REST,
        ),
        (
            "final",
            [(EXCLUDING, COMPLETE), (MAILBOX, {**COMPLETE, "deleted_on_target": 1})],
            ALL_THE_REST.replace(" out,", " out and mail that was deleted there,"),
        ),
        (
            "final",
            [(EXCLUDING, COMPLETE)],
            ALL_THE_REST,
        ),
        (
            "copy",
            [(TREE, COMPLETE), (MAILBOX, COMPLETE), (DATABASE, {**COMPLETE, "differences": ["x"]})],
            f"1 of 3 {LACKS} 1 of 3 {HAS} 1 of 3 entries: copied and not compared yet.",
        ),
        (
            "final",
            [(TREE, {"msg": "gone"}), (DATABASE, COMPLETE)],
            f"1 of 2 {LACKS} 1 of 2 {HAS}",
        ),
        (
            "late",
            [(TREE, None), (MAILBOX, COMPLETE)],
            f"1 of 2 {HAS} 1 of 2 entries: not touched by this step.",
        ),
        ("late", [(TREE, None)], "1 of 1 entry: not touched by this step."),
        ("late", [], ""),
    ],
    ids=["all", "left out", "deleted", "excluded", "copy", "failed", "late", "one", "none"],
)
def test_a_page_begins_with_how_much_is_on_the_new_server(
    step: str, done: list[tuple[dict[str, Any], dict[str, Any] | None]], in_words: str
) -> None:
    state = _start(step)
    for content, result in done:
        if result is not None:
            state = panel_content_state(state, content, {"result": result}, step, NOW)

    objects = [content for content, _result in done]
    assert panel_content_result(objects, state, step)["in_words"] == in_words


@pytest.mark.parametrize(
    ("numbers", "in_words"),
    [
        ({"sent": 1, "deleted": 0, "bytes": 9}, "1 file or directory sent, 9 bytes"),
        ({"sent": 0, "deleted": 0, "bytes": 0}, ""),
        ({"folders": 1, "messages": 0}, "1 IMAP folder, 0 messages"),
        (
            {"tables": 2, "rows": 1, "programs": 3},
            "2 tables, 1 row, 3 views, routines, triggers and events",
        ),
    ],
    ids=["files", "nothing", "mailbox", "database"],
)
def test_a_page_says_what_its_numbers_count(numbers: dict[str, int], in_words: str) -> None:
    done = {"result": {**COMPLETE, **numbers}}
    state = panel_content_state(_start("final"), TREE, done, "final", NOW)

    (row,) = panel_content_result([TREE], state, "final")["objects"]

    assert row["counts_in_words"] == in_words


def test_differences_name_their_object() -> None:
    done = {
        "result": {
            "is_complete": True,
            "differences": [{"folder": "INBOX", "why": "1 message is missing"}],
        }
    }
    state = panel_content_state(_start("verify"), MAILBOX, done, "verify", NOW)
    result = panel_content_result([MAILBOX], state, "verify")

    assert result["differences"] == [
        {
            "kind": "mailbox",
            "object": "i@a.example",
            "name": "INBOX",
            "why": "1 message is missing",
        }
    ]
    message = panel_content_message({**result, "page": "moves/new.md"}, "new")
    assert "mailbox i@a.example differs: INBOX: 1 message is missing." in message


def test_a_difference_of_a_database_says_what_it_is_in() -> None:
    difference = {"kind": "table", "name": "orders", "why": "its number of rows is 10 and not 12"}
    done = {"result": {"is_complete": True, "differences": [difference]}}
    state = panel_content_state(_start("verify"), DATABASE, done, "verify", NOW)
    result = panel_content_result([DATABASE], state, "verify")

    message = panel_content_message({**result, "page": "moves/new.md"}, "new")
    assert "differs: table orders: its number of rows is 10 and not 12." in message


@pytest.mark.parametrize(
    ("count", "sentence"),
    [(0, ""), (1, " The page names 1 difference."), (2, " The page names 2 differences.")],
)
def test_a_copy_that_left_differences_says_how_many_the_page_names(
    count: int, sentence: str
) -> None:
    difference = {"kind": "view", "name": "totals", "why": "it cannot be made here"}
    done = {"result": {"is_complete": True, "changed": True, "differences": [difference] * count}}
    state = panel_content_state(_start("copy"), DATABASE, done, "copy", NOW)
    result = panel_content_result([DATABASE], state, "copy")

    message = panel_content_message({**result, "page": "moves/new.md"}, "new")
    assert message == f"new: 1 copied.{sentence} Page: moves/new.md"


@pytest.mark.parametrize(
    ("hosts", "sentence"),
    [
        (["other", "new"], "it is about the source old."),
        (["old", "other"], "it is about the target new."),
    ],
)
def test_the_state_of_another_host_is_refused(hosts: list[str], sentence: str) -> None:
    text = panel_to_json(_start("copy"))

    mistake = panel_content_start(text, "copy", hosts, OBJECTS)["mistake"]

    assert mistake == f"{sentence} Move the file away."


def _make_killed_state() -> dict[str, Any]:
    """Return the state that a killed run of the step late has left, with all its values."""
    result = {
        "is_complete": True,
        "changed": True,
        "messages": 3,
        "differences": [],
        "left_out": [{"path": "p"}],
    }
    state = panel_content_state(_start("final"), TREE, {"result": result}, "final", NOW)
    late = _start("late", panel_to_json(state))
    return panel_content_state(late, MAILBOX, {"result": result}, "late", NOW)


class _Missing:
    """Stands for a value that is not there."""


MISSING = _Missing()
_OF_TREE = ("objects", TREE["key"])
_OF_PASS = (*_OF_TREE, "passes", "final")
_OF_RUN = ("run",)
NOT_TEXTS = (MISSING, None, 5, True, [], {})
NOT_SWITCHES = (MISSING, None, "no", "false", "", 0, 1, [], {})
NOT_MAPPINGS = (MISSING, None, "", "late", 5, [], ["late"])
NOT_LISTS_OF_KEYS = (MISSING, None, 5, "a", {}, [5], [["a"]])
# By the location of each value of a state what it may not be.
WRONG_VALUES: dict[tuple[str, ...], tuple[Any, ...]] = {
    ("version",): (MISSING, None, "1", True, 1.0, [], -1),
    ("source",): NOT_TEXTS,
    ("target",): NOT_TEXTS,
    ("is_taken_over",): NOT_SWITCHES,
    ("objects",): NOT_MAPPINGS,
    _OF_RUN: NOT_MAPPINGS,
    (*_OF_RUN, "step"): (*NOT_TEXTS, "", "info", "Late"),
    (*_OF_RUN, "done"): (*NOT_LISTS_OF_KEYS, ["mailbox:j@a:j@a"], [TREE["key"]]),
    (*_OF_RUN, "failed"): (*NOT_LISTS_OF_KEYS, ["mailbox:j@a:j@a"]),
    (*_OF_RUN, "to_compare"): (*NOT_LISTS_OF_KEYS, ["mailbox:j@a:j@a"]),
    _OF_TREE: (None, "copied", [], 5, {}),
    (*_OF_TREE, "kind"): (*NOT_TEXTS, "", "trees", "Tree"),
    (*_OF_TREE, "from"): (*NOT_TEXTS, "", "~/www", "a", "/a/", "/a/../b"),
    (*_OF_TREE, "to"): (*NOT_TEXTS, "", "~/www", "b", "/b/", "/b/../a"),
    (*_OF_TREE, "passes"): NOT_MAPPINGS,
    (*_OF_TREE, "passes", "Final"): ({"outcome": "copied", "changed": True},),
    _OF_PASS: (None, "copied", [], 5, {}),
    (*_OF_PASS, "outcome"): (*NOT_TEXTS, "", "Copied", "left"),
    (*_OF_PASS, "changed"): NOT_SWITCHES,
    (*_OF_PASS, "at"): NOT_TEXTS[1:],
    (*_OF_PASS, "counts"): (*NOT_MAPPINGS[1:], {"bytes": "5"}, {"bytes": -1}, {"bytes": True}),
    (*_OF_PASS, "differences"): (None, "a", {"a": 1}, 5, [5], ["a", {}]),
    (*_OF_PASS, "left_out"): (None, "a", {"a": 1}, 5, ["a"], [{"why": []}], [{"path": 1}]),
    (*_OF_PASS, "unlisted"): (None, "a", [], {"left_out": "1"}, {"left_out": -1}),
    (*_OF_PASS, "why"): NOT_TEXTS[1:],
    (*_OF_PASS, "compared"): NOT_TEXTS[1:],
    (*_OF_PASS, "proof"): NOT_TEXTS[1:],
    (*_OF_PASS, "digest"): NOT_TEXTS[1:],
}


def _replace_value(state: dict[str, Any], location: tuple[str, ...], value: Any) -> None:
    *names, last_name = location
    values = state
    for name in names:
        values = values[name]
    if value is MISSING:
        del values[last_name]
    else:
        values[last_name] = value


@pytest.mark.parametrize("location", WRONG_VALUES, ids=".".join)
def test_a_value_of_another_form_is_named_and_the_state_is_not_believed(
    location: tuple[str, ...],
) -> None:
    assert _find_mistake(panel_to_json(_make_killed_state()), "late", OBJECTS) == ""

    for value in WRONG_VALUES[location]:
        state = _make_killed_state()
        _replace_value(state, location, value)

        mistake = _find_mistake(panel_to_json(state), "late", OBJECTS)

        name = ".".join(location).replace(f"objects.{TREE['key']}", f"objects[{TREE['key']}]")
        assert mistake.startswith(f"this state of a copy is damaged: {name}"), value
        assert mistake.endswith(
            " is missing or has another form. Restore the file. "
            "Move it away only if customers do not use the target yet."
        )


@pytest.mark.parametrize(
    ("location", "value"),
    [
        (("about",), "a value that no release writes"),
        ((*_OF_TREE, "last"), MISSING),
        ((*_OF_TREE, "about"), "x"),
        (_OF_RUN, {}),
        *(
            ((*_OF_PASS, name), MISSING)
            for name in ("at", "counts", "why", "compared", "proof", "digest")
        ),
        *(((*_OF_PASS, name), MISSING) for name in ("differences", "left_out")),
        ((*_OF_PASS, "differences"), [{"kind": "table", "name": "t", "why": "it is missing"}]),
        ((*_OF_PASS, "differences"), ["index.php"]),
    ],
)
def test_a_state_that_says_more_or_less_than_it_has_to_is_read(
    location: tuple[str, ...], value: Any
) -> None:
    state = _make_killed_state()
    _replace_value(state, location, value)

    assert _find_mistake(panel_to_json(state), "late", OBJECTS) == ""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "this is no state of a copy."),
        ("{}", "this is no state of a copy."),
        ("[]", "this is no state of a copy."),
        ("null", "this is no state of a copy."),
        (" ", "this is no state of a copy."),
        ('{"format": null}', "this is no state of a copy."),
        ('{"format": "x"}', "this is no state of a copy."),
        (
            '{"format": "hosting.panel.content", "version": 2}',
            "another release wrote this state of a copy, in version 2 of its form.",
        ),
    ],
)
def test_a_file_that_is_no_state_is_refused(text: str, sentence: str) -> None:
    assert panel_content_start(text, "copy", HOSTS, OBJECTS)["mistake"].startswith(sentence)


def _make_state_after_late(content: dict[str, Any]) -> str:
    """Return the text of a state after the step late, with a pass of other content."""
    state = panel_content_state(
        _start("final"), content, {"result": {"is_complete": True}}, "final", NOW
    )
    text: str = panel_to_json({**_start("late", panel_to_json(state)), "run": {}})

    return text


def _find_mistake(text: str, step: str, objects: list[dict[str, Any]]) -> str:
    mistake: str = panel_content_start(text, step, HOSTS, objects)["mistake"]
    start = panel_content_start(text, step, HOSTS, [])
    if not start["mistake"]:
        # The role asks again once it has full paths, of the state with which it has started.
        assert panel_content_overwriting(start["state"], step, objects) == mistake
    return mistake


# A customer may have no mailbox: then the step late copies nothing.
@pytest.mark.parametrize("step", ["copy", "final"])
def test_what_customers_changed_after_the_switch_is_not_overwritten(step: str) -> None:
    mistake = _find_mistake(_make_state_after_late(TREE), step, [TREE])

    assert "the step late has run already" in mistake
    assert mistake.endswith(
        "To copy even so, move the file away; for customers who have not switched yet, name another directory."
    )


def test_steps_after_the_step_late_do_not_forget_it() -> None:
    text = panel_to_json(_start("verify", _make_state_after_late(TREE)))

    assert "the step late has run already" in _find_mistake(text, "final", [TREE])


def test_a_state_that_begins_with_late_mail_spares_files_too() -> None:
    assert "late has run already" in _find_mistake(
        _make_state_after_late(MAILBOX), "final", OBJECTS
    )


@pytest.mark.parametrize("step", ["info", "late", "verify"])
def test_other_steps_may_follow_late_mail(step: str) -> None:
    assert _find_mistake(_make_state_after_late(TREE), step, OBJECTS) == ""


def _make_state_after_final(*outcomes: tuple[dict[str, Any], dict[str, Any]]) -> str:
    """Return the text of a state after the step final, with what each object returned."""
    state = _start("final")
    for content, result in outcomes:
        state = panel_content_state(state, content, {"result": result}, "final", NOW)
    text: str = panel_to_json(state)

    return text


# The file is named with full paths by a run, and may be named in a home by the next one.
HOME_TREE = {
    "kind": "tree",
    "key": "tree:~acme/www:~acme/www",
    "from": "~/www",
    "to": "~/www",
    "owner": "acme",
}
RESOLVED = {**HOME_TREE, "from": "/home/acme/www", "to": "/home/acme/www"}
FULL = {**RESOLVED, "key": "tree:/home/acme/www:/home/acme/www"}


def test_a_copy_after_the_last_one_is_refused_and_the_last_one_is_not() -> None:
    text = _end_run(
        _make_state_after_final((TREE, {"is_complete": True, "changed": True}), (MAILBOX, DONE))
    )

    mistake = _find_mistake(text, "copy", [TREE])

    assert "run final again in place of copy" in mistake
    assert "set move_content: false." in mistake
    assert panel_content_start(text, "copy", HOSTS)["mistake"] == mistake
    assert _find_mistake(text, "final", [TREE]) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [(RESOLVED, FULL), (FULL, RESOLVED), (RESOLVED, HOME_TREE)],
    ids=["a home, then a path", "a path, then a home", "a home that is not read yet"],
)
def test_a_tree_is_known_by_its_target_however_it_is_spelled(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    text = _end_run(_make_state_after_final((before, {"is_complete": True, "changed": True})))

    assert "the step final has ended" in _find_mistake(text, "copy", [after])


INNER = {**FULL, "key": "tree:/x:/home/acme/www/shop", "to": "/home/acme/www/shop"}


@pytest.mark.parametrize(
    ("before", "after", "is_refused"),
    [
        (INNER, FULL, True),
        (FULL, INNER, True),
        (INNER, {**FULL, "exclude": ["/shop"]}, False),
        (INNER, {**FULL, "to": "/home/acme/www2"}, False),
        ({**INNER, "kind": "database"}, FULL, False),
    ],
    ids=["around it", "in it", "parted", "beside it", "another kind"],
)
def test_a_tree_around_one_that_customers_use_or_in_it_is_not_copied(
    before: dict[str, Any], after: dict[str, Any], is_refused: bool
) -> None:
    text = _end_run(_make_state_after_final((before, {"is_complete": True, "changed": True})))

    assert bool(_find_mistake(text, "copy", [after])) == is_refused


OTHER = {"kind": "tree", "key": "tree:/c:/b", "from": "/c", "to": "/b"}
OTHER_DATABASE = {**DATABASE, "key": "database:c:a", "from": "other_db"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TREE, [OTHER]),
        (TREE, [{**OTHER, "to": "/b/shop"}]),
        (TREE, [{**OTHER, "to": "/b/shop"}, TREE]),
        ({**TREE, "to": "/b/shop"}, [{**OTHER, "exclude": ["/blog"]}]),
        (DATABASE, [OTHER_DATABASE]),
    ],
    ids=["tree", "in it", "in it and itself", "around it", "database"],
)
def test_a_last_copy_from_elsewhere_does_not_replace_what_the_last_one_brought(
    before: dict[str, Any], after: list[dict[str, Any]]
) -> None:
    text = _end_run(_make_state_after_final((before, {"is_complete": True, "changed": True})))

    mistake = _find_mistake(text, "final", after)

    assert f"the step final has copied {before['from']} to {before['to']}" in mistake
    assert f"To copy {after[0]['from']} to {after[0]['to']} would replace it." in mistake
    assert "move the file away" in mistake
    assert _find_mistake(text, "verify", after) == ""


@pytest.mark.parametrize(
    ("before", "result", "after"),
    [
        (TREE, {"msg": "full"}, [OTHER]),
        (TREE, {"differences": ["x"]}, [OTHER]),
        (TREE, {}, [{**OTHER, "to": "/b2"}]),
        (TREE, {}, [{**OTHER, "from": "~/www"}]),
        (TREE, {}, [{**TREE, "key": "tree:~x/:/b"}]),
        (TREE, {}, [{**TREE, "from": "/a/shop", "to": "/b/shop"}]),
        ({**TREE, "from": "/a/shop", "to": "/b/shop"}, {}, [TREE]),
        (TREE, {}, [{**OTHER, "to": "/b/shop"}, {**TREE, "exclude": ["/shop"]}]),
        ({**TREE, "to": "/b/shop"}, {}, [{**OTHER, "exclude": ["/shop"]}]),
        (MAILBOX, {}, [{**MAILBOX, "from": "j@a.example"}]),
        (DATABASE, {}, [{**DATABASE, "key": "database:a:c", "to": "other_db"}]),
        (DATABASE, {}, [OTHER]),
    ],
    ids=[
        "it failed",
        "it differed",
        "beside it",
        "a home that is not read yet",
        "the same spelled in another way",
        "a part of the same",
        "the whole of the same",
        "what is excluded now",
        "around what it excludes",
        "mail stays",
        "another database",
        "another kind",
    ],
)
def test_a_last_copy_that_replaces_nothing_of_another_is_taken(
    before: dict[str, Any], result: dict[str, Any], after: list[dict[str, Any]]
) -> None:
    text = _end_run(_make_state_after_final((before, result)))

    assert _find_mistake(text, "final", after) == ""


def test_a_tree_in_another_one_is_known_by_its_own_last_copy() -> None:
    inner = {**OTHER, "to": "/b/shop"}
    text = _end_run(_make_state_after_final((TREE, DONE), (inner, DONE)))

    assert _find_mistake(text, "final", [inner]) == ""
    assert _find_mistake(text, "final", [inner, {**TREE, "exclude": ["/shop"]}]) == ""
    assert "To copy /a to /b would replace it." in _find_mistake(text, "final", [inner, TREE])
    assert "would replace" in _find_mistake(text, "final", [{**inner, "from": "/d"}])


def test_a_tree_that_failed_hides_no_other_one_that_customers_use() -> None:
    text = _end_run(
        _make_state_after_final(
            (INNER, {"is_complete": True, "changed": True}), (FULL, {"msg": "full"})
        )
    )

    assert _find_mistake(text, "copy", [INNER]) != ""
    assert _find_mistake(text, "copy", [INNER, FULL]) == ""


def _end_run(text: str) -> str:
    """Return the text of a state whose step has ended."""
    state: dict[str, Any] = panel_content_start(text, "info", HOSTS, [])["state"]
    ended: str = panel_to_json({**state, "run": {}})

    return ended


@pytest.mark.parametrize(
    "result",
    [{"msg": "the disk is full"}, {"is_complete": True, "differences": ["x"]}],
    ids=["failed", "differs"],
)
def test_a_copy_may_follow_a_last_one_that_did_not_succeed(result: dict[str, Any]) -> None:
    text = _make_state_after_final(
        (TREE, {"is_complete": True, "changed": True}), (MAILBOX, result)
    )

    assert panel_content_start(text, "copy", HOSTS)["mistake"] == ""


def test_a_last_copy_that_was_stopped_does_not_count() -> None:
    copied = panel_content_state(
        _start("copy"), MAILBOX, {"result": {"is_complete": True}}, "copy", NOW
    )
    started = _start("final", panel_to_json(copied))
    state = panel_content_state(started, TREE, {"result": {"is_complete": True}}, "final", NOW)

    assert panel_content_start(panel_to_json(state), "copy", HOSTS)["mistake"] == ""


def test_a_last_copy_of_one_customer_does_not_count_for_another() -> None:
    text = _make_state_after_final((TREE, {"is_complete": True, "changed": True}))
    second = {"kind": "tree", "key": "tree:/c:/d", "from": "/c", "to": "/d"}

    assert _find_mistake(text, "copy", [second]) == ""


def test_mailboxes_alone_may_be_copied_after_the_last_copy() -> None:
    text = _make_state_after_final((MAILBOX, {"is_complete": True, "changed": True}))

    assert panel_content_start(text, "copy", HOSTS)["mistake"] == ""


def test_mailboxes_alone_may_be_copied_at_any_time() -> None:
    assert _find_mistake(_make_state_after_late(MAILBOX), "copy", [MAILBOX]) == ""


def test_the_message_says_what_failed_besides_the_objects() -> None:
    state = panel_content_state(
        _start("copy"), TREE, {"result": {"is_complete": True}}, "copy", NOW
    )
    result = panel_content_result([TREE], state, "copy")

    message = panel_content_message(
        {**result, "failures": ["content_source: old is gone."], "page": ""}, "new"
    )

    assert message == "new: content_source: old is gone. What was copied stays."
