"""A problem becomes one message, in the order in which an operator reads it."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import (
    OptionError,
    PanelError,
    RequestError,
    name_subject_in_errors,
    raise_if_any,
)
from ansible_collections.hosting.panel.plugins.module_utils._problems import (
    ItemName,
    OptionPath,
    OtherItem,
    Problem,
    ProblemForm,
    Written,
    describe_option_problem,
    format_message,
    format_messages,
)

ITEM = ItemName("emails", 7, "info@acme.example")
MESSAGES = {
    "an option": (describe_option_problem("max_size", "is empty."), "max_size: is empty."),
    "an object": (
        Problem(subject="client acme", cause="is gone."),
        "client acme: is gone.",
    ),
    "an object before the option": (
        Problem(path=("records",), subject="zone acme.example", cause="is disabled."),
        "zone acme.example: is disabled.",
    ),
    "what was written before the advice": (
        describe_option_problem("id", "is wrong.", Written.NOTHING, "Correct it."),
        "id: is wrong. Nothing was written. Correct it.",
    ),
    "what was written after the advice": (
        Problem(
            ("id",),
            cause="is wrong.",
            written=Written.NOTHING,
            advice="Omit it.",
            form=ProblemForm.MISMATCH,
        ),
        "id: is wrong. Omit it. Nothing was written.",
    ),
    "the beginning of names that are too long": (
        Problem(("x" * 601, 0), cause="is empty.", item=ItemName("emails", 7, "y" * 601)),
        f"emails[7] ({'y' * 600}…) {'x' * 600}…[0]: is empty.",
    ),
    "what was going on": (
        Problem(subject="shop acme", context="reading failed", cause="it is gone."),
        "shop acme: reading failed: it is gone.",
    ),
    "two failures, the last one first": (
        Problem(
            context="looking for it failed too",
            cause="GET was refused.",
            earlier_cause="POST failed.",
            written=Written.MAYBE_CREATED,
        ),
        "looking for it failed too: GET was refused; before that POST failed. It may have been created.",
    ),
    "how what may have been written looks": (
        Problem(
            cause="POST got no answer.",
            written=Written.MAYBE_CREATED,
            written_detail="there are two.",
            advice="Look there.",
        ),
        "POST got no answer. It may have been created: there are two. Look there.",
    ),
    "where a wrong value comes from": (
        replace(
            describe_option_problem("timeout", "must be 1", advice="Correct it."),
            detail="The environment sets it.",
        ),
        "timeout: must be 1. The environment sets it. Correct it.",
    ),
    "a sentence without its full stop": (Problem(cause="is busy"), "is busy."),
    "an option of an item": (
        Problem(("max_size",), cause="is empty.", item=ITEM),
        "emails[7] (info@acme.example) max_size: is empty.",
    ),
    "an item": (
        Problem(cause="must be a dictionary.", item=ItemName("emails", 7)),
        "emails[7]: must be a dictionary.",
    ),
    "an item that is the subject of the sentence": (
        Problem(cause="GET /emails failed.", item=ITEM, form=ProblemForm.ITEM_MISTAKE),
        "emails[7] (info@acme.example) GET /emails failed.",
    ),
    "two items": (
        Problem(
            cause="names the same object as",
            item=ITEM,
            other_item=OtherItem(ItemName("emails", 3)),
        ),
        "emails[7] (info@acme.example): names the same object as emails[3].",
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_problem_is_put_into_words(name: str) -> None:
    problem, message = MESSAGES[name]
    assert format_message(problem) == message


def test_only_nothing_written_is_left_out_of_a_message_that_says_it_elsewhere() -> None:
    left_out = [
        written
        for written in Written
        if describe_option_problem("id", "is wrong.", written).without_nothing_written().written
        is not written
    ]
    assert left_out == [Written.NOTHING]


@pytest.mark.parametrize("written", Written)
def test_what_was_written_survives_the_way_to_another_process(written: Written) -> None:
    problem = Problem(cause="is gone.", written=written, written_detail="look.")
    assert Problem.from_json(json.loads(json.dumps(problem.as_json()))) == problem


def test_several_problems_are_one_message() -> None:
    assert format_messages(
        [describe_option_problem("a", "is empty."), describe_option_problem("b", "is wrong.")]
    ) == ("a: is empty. b: is wrong.")


TWO_MISTAKES = [
    describe_option_problem("id", "is wrong.", Written.NOTHING, "Correct it."),
    describe_option_problem("max_size", "is empty.", Written.NOTHING),
]


def test_a_message_of_several_mistakes_says_once_at_its_end_that_nothing_was_written() -> None:
    message = "id: is wrong. Correct it. max_size: is empty. Nothing was written."

    with pytest.raises(OptionError) as raised:
        raise_if_any(TWO_MISTAKES)

    assert str(raised.value) == message
    assert raised.value.as_result()["msg"] == message
    assert "Nothing was written" not in raised.value.format_for_comparison()


def test_a_list_of_mistakes_says_once_at_its_end_that_nothing_was_written() -> None:
    error = PanelError()
    error.listed_in = "mistakes"
    error.problems = tuple(TWO_MISTAKES)

    failed_result = error.as_result()

    assert failed_result["error"]["mistakes"] == [
        "id: is wrong. Correct it.",
        "max_size: is empty.",
    ]
    assert failed_result["msg"] == str(error)
    assert failed_result["msg"] == (
        "2 mistakes: id: is wrong. Correct it. max_size: is empty. Nothing was written."
    )


def test_a_caller_names_the_object_of_a_request_and_an_outer_one_counts_for_more() -> None:
    message = r"^client acme: GET /clients failed\. Nothing was written\. Try later\.$"
    with (
        pytest.raises(RequestError, match=message),
        name_subject_in_errors("client acme", Written.NOTHING),
        name_subject_in_errors("clients"),
    ):
        raise RequestError("GET /clients failed.", advice="Try later.")


def test_the_texts_of_a_problem_can_be_masked() -> None:
    error = OptionError("s3cret is wrong.", option="password", advice="Do not use s3cret.")
    masked = error.problem.with_texts(lambda text: text.replace("s3cret", "***"))

    assert format_message(masked) == "password: *** is wrong. Do not use ***."


def test_a_secret_in_the_path_of_an_option_is_masked() -> None:
    problem = describe_option_problem(("mapping", "s3cret", 0), "is wrong.")
    masked = problem.with_texts(lambda text: text.replace("s3cret", "***"))

    assert masked.path == ("mapping", "***", 0)
    assert masked.option == "mapping.***[0]"


@pytest.mark.parametrize(
    "field",
    [field.name for field in fields(Problem) if field.type == "str"],
)
def test_a_secret_in_any_text_of_a_problem_is_masked(field: str) -> None:
    problem = Problem(**{field: "s3cret"})
    assert problem.with_texts(lambda text: text.replace("s3cret", "***")) == Problem(
        **{field: "***"}
    )


def test_a_secret_in_the_name_of_an_item_or_of_its_file_is_masked() -> None:
    item = ItemName("clients", 0, "s3cret", "s3cret.yml: line 1")
    problem = Problem(cause="is empty.", item=item)
    masked = problem.with_texts(lambda text: text.replace("s3cret", "***"))
    assert format_message(masked) == "***.yml: line 1: clients ***: is empty."


def test_a_problem_is_the_same_after_its_way_to_a_front_end_in_another_process() -> None:
    problem = Problem(
        path=("purge", 0),
        cause="takes it, but",
        form=ProblemForm.ITEM_MISTAKE,
        item=ITEM,
        other_item=OtherItem(ITEM, " needs it."),
    )
    assert Problem.from_json(json.loads(json.dumps(problem.as_json()))) == problem


def test_an_item_is_named_by_the_file_and_line_that_has_it() -> None:
    def locate_item(item: ItemName, path: OptionPath) -> ItemName:
        return replace(item, place=f"all.yml: line {9 if path else 8}")

    problem = Problem(("max_size",), cause="is empty.", item=ITEM)

    assert format_message(problem.with_places(locate_item)) == (
        "all.yml: line 9: emails info@acme.example max_size: is empty."
    )

    same = Problem(
        cause="names the same object as",
        item=ITEM,
        other_item=OtherItem(ITEM),
    )

    assert format_message(same.with_places(locate_item)) == (
        "all.yml: line 8: emails info@acme.example: names the same object as all.yml: line 8: emails info@acme.example."
    )
