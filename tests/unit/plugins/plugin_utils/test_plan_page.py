# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan as Markdown for a merge request: by client, what goes first, and nothing but text whatever customers have written."""

from __future__ import annotations

import re
from typing import Any

import pytest
from markdown_it import MarkdownIt

from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.plan_by_client import by_client, lines_by_client
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.plan_page import (
    MOST_CHARACTERS,
    Page,
    code,
    code_block,
    counts,
)

GIB = 2**30


def action(verb: str, kind: str, key: str, client: str | None = None, **more: Any) -> dict[str, Any]:
    known = {} if client is None else {"client": client}
    return {"action": verb, "kind": kind, "key": key, "before": {}, "after": {}, **known, **more}


PLAN = [
    action("create", "plans", "Business", after={"name": "Business", "resources": {"disk_space": 10 * GIB}}),
    action("create", "emails", "new@beta.example", "beta", after={"email": "new@beta.example", "max_size": GIB}),
    action("update", "emails", "info@acme.example", "acme", before={"max_size": GIB}, after={"max_size": 5 * GIB}),
    action("create", "emails", "team@acme.example", "acme", after={"max_size": -1, "aliases": []}),
    action("delete", "emails", "old@zeta.example", "zeta"),
    action("update", "emails", "a@nobody.example", before={"aliases": ["x"]}, after={"aliases": ["y"]}),
    action("delete", "domains", "gone.example", "Beta", also_deleted={"emails": ["a@gone.example", "b@gone.example"]}),
]
WANTED = """\
# Plan

A note.

## To delete (2)

### `Beta`

- delete: domain `gone.example`
  - and with it 2 e-mail accounts: `a@gone.example`, `b@gone.example`

### `zeta`

- delete: e-mail account `old@zeta.example`

## To create and to change (5)

### Of the panel itself

- new: hosting plan `Business`
  - `resources.disk_space`: `10G`

### `acme`

- change: e-mail account `info@acme.example`
  - `max_size`: `1G` → `5G`
- new: e-mail account `team@acme.example`
  - `max_size`: `unlimited`
  - `aliases`: `[]`

### `beta`

- new: e-mail account `new@beta.example`
  - `max_size`: `1G`

### Of other clients

- change: e-mail account `a@nobody.example`
  - `aliases`: not any more `x`
  - `aliases`: also `y`
"""


def test_what_goes_comes_first_and_each_part_is_by_client_in_their_order() -> None:
    assert Page("Plan", ["A note."], PLAN).text() == WANTED
    assert Page("Plan", ["A note."], PLAN[::-1]).text() == WANTED


def test_a_plan_without_changes_is_a_page_without_parts() -> None:
    assert Page("Plan", ["0 to do."], []).text() == "# Plan\n\n0 to do.\n"


def test_a_client_of_which_something_goes_comes_before_the_others() -> None:
    mixed = [action("create", "emails", "z@b", "b"), action("delete", "emails", "a@b", "b"), *PLAN[:1]]
    assert [(client, [one["key"] for one in found]) for client, found in by_client([*mixed, PLAN[3]])] == [
        ("b", ["a@b", "z@b"]),
        ("", ["Business"]),
        ("acme", ["team@acme.example"]),
    ]


def test_the_numbers_count_what_goes_along() -> None:
    summary = {"create": 3, "update": 2, "delete": 2, "unchanged": 40}
    numbers = "**2 to delete**, **2 to update**, **3 to create**, 40 unchanged."
    assert counts(summary, []) == numbers
    assert counts(summary, PLAN) == f"{numbers} 2 more objects go along with the deletions."


SUMMARY = {"create": 3, "update": 2, "delete": 2, "unchanged": 40}


def test_the_lines_for_a_terminal_are_in_the_same_order_and_count_the_customers() -> None:
    assert lines_by_client({"summary": SUMMARY, "actions": PLAN}, 99, 40) == [
        "3 to create, 2 to update, 2 to delete, 40 unchanged",
        "4 of 40 customers change",
        "Beta:",
        "  delete  domains gone.example, and with it 2 emails",
        "zeta:",
        "  delete  emails old@zeta.example",
        "of the panel itself:",
        "  create  plans Business",
        "acme:",
        "  update  emails info@acme.example: max_size 1G -> 5G",
        "  create  emails team@acme.example",
        "beta:",
        "  create  emails new@beta.example",
        "of other clients:",
        "  update  emails a@nobody.example: aliases -x +y",
    ]


@pytest.mark.parametrize(
    ("most", "ending"),
    [
        (7, ["of other clients:", "  update  emails a@nobody.example: aliases -x +y"]),
        (6, ["  create  emails new@beta.example", "and 1 more of 1 more client"]),
        (
            4,
            [
                "acme:",
                "  update  emails info@acme.example: max_size 1G -> 5G",
                "  and 1 more",
                "and 2 more of 2 more clients",
            ],
        ),
        (0, ["4 of 9 customers change", "and 7 more of 6 more clients"]),
    ],
)
def test_of_a_long_plan_the_lines_say_how_many_changes_and_clients_are_left_out(most: int, ending: list[str]) -> None:
    assert lines_by_client({"summary": SUMMARY, "actions": PLAN}, most, 9)[-len(ending) :] == ending


# Texts of customers

NASTY = [
    "`rm -rf`",
    "``",
    "a ``` b `",
    "[click](https://evil.example)",
    "<img src=x onerror=alert(1)>",
    "# heading\n\n- list\n/close",
    "@everyone !1 #1 ~bug &1 $1",
    "| a | b |",
    "</code><script>",
    "\u202egpj.exe",
    "a\u200bb\u2060",
    "\x1b[31m",
    " ",
    "",
    "\\",
    "x" * 3000,
    "![](https://evil.example/pixel.png)",
    "\u2028second line",
]


def plain(page: str) -> str:
    """What of a page is not in code, as CommonMark tells it: a run of ticks up to the next one of the same length."""
    kept, rest = "", page
    while found := re.search("`+", rest):
        closing = re.search(f"(?<!`){found[0]}(?!`)", rest[found.end() :])
        assert closing, f"code that does not end: {rest[:80]!r}"
        kept += rest[: found.start()]
        inner = rest[found.end() : found.end() + closing.start()]
        assert "\n" not in inner
        rest = rest[found.end() + closing.end() :]
    return kept + rest


@pytest.mark.parametrize("text", NASTY, ids=ascii)
def test_a_text_of_a_customer_is_code_wherever_it_stands(text: str) -> None:
    whole = [
        action("create", "emails", text, text, after={"description": text}),
        action("update", "emails", text, text, before={"description": "x", "aliases": []}, after={"description": text}),
        action("update", "emails", text, text, before={"aliases": [text]}, after={"aliases": [f"{text}2"]}),
        action("delete", "domains", text, text, also_deleted={"emails": [text]}),
    ]
    harmless = [{**one, "key": "a", "client": "b"} for one in whole]
    page = Page(f"Plan for {code(text)}", [], whole).text()
    outside = plain(page)
    assert re.sub(r"[\w\s#:,→-]", "", outside) == "()()"
    assert len(page.splitlines()) == len(Page("Plan", [], harmless).text().splitlines())
    assert page.isprintable() or set(re.sub(r"[^\n]", "", page)) == {"\n"}


def test_a_renderer_makes_nothing_but_headings_lists_and_code_of_a_page() -> None:
    nasty = [
        action(
            verb, "domains", text, text, before={"x": text}, after={"x": f"{text}."}, also_deleted={"emails": [text]}
        )
        for text in NASTY
        for verb in ("create", "update", "delete")
    ]
    page = Page("Plan", [code_block(text) for text in NASTY], [*nasty, *PLAN]).text()
    shown = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(page)
    tags = set(re.findall(r"<(\w+)", shown))
    assert tags == {"h1", "h2", "h3", "ul", "li", "code", "pre", "p"} - ({"p"} - tags)
    assert "<code>[click](https://evil.example)</code>" in shown
    assert "<code>`rm -rf`</code>" in shown
    # Nothing of the page that is not in code names a place or a person.
    assert not re.search(r"://|@", re.sub("<code.*?</code>", "", shown, flags=re.DOTALL))


def test_a_text_in_code_is_seen_as_it_is() -> None:
    assert [code(text) for text in ("a", "a`b", "`", "a``b`", " a", "")] == [
        "`a`",
        "``a`b``",
        "`` ` ``",
        "``` a``b` ```",
        "`  a `",
        "`   `",
    ]


def test_a_message_in_a_block_cannot_leave_it() -> None:
    assert code_block("One.\n```\n# Two") == "````text\nOne.\\n```\\n# Two\n````"


def test_what_looks_like_a_secret_in_a_text_is_masked() -> None:
    texts = {"description": "password: hunter2", "notes": "https://user:t0ken@git.example", "x": "$6$salt$abcdefgh"}
    page = Page("Plan", [], [action("create", "emails", "a@b", "b", after=texts)]).text()
    assert [secret for secret in ("hunter2", "t0ken", "abcdefgh") if secret in page] == []
    assert "password: ********" in page


# Long plans


def test_a_client_with_very_many_changes_leaves_room_for_the_others() -> None:
    many = [action("create", "emails", f"m{number:04}@acme.example", "acme") for number in range(5000)]
    page = Page("Plan", [], [*many, *PLAN]).text()
    assert "- and 4002 more\n" in page
    assert "### `beta`" in page


def test_nothing_is_left_out_as_long_as_there_is_room() -> None:
    keys = [f"m{number:03}@acme.example" for number in range(400)]
    actions = [action("delete", "emails", key, "acme") for key in keys]
    actions.append(action("delete", "domains", "x.example", "beta", also_deleted={"emails": keys}))
    actions.append(action("update", "emails", "a@b", "beta", before={"aliases": []}, after={"aliases": keys}))
    page = Page("Plan", [], actions).text()
    assert [key for key in keys if page.count(f"`{key}`") != 3] == []
    assert " more" not in page


def test_changes_without_room_shorten_no_deletions() -> None:
    gone = [action("delete", "emails", f"m{number:03}@acme.example", "acme") for number in range(600)]
    new = [action("create", "emails", f"n{number:04}@beta.example", "beta") for number in range(5000)]
    page = Page("Plan", [], [*new, *gone]).text()
    assert page.count("\n- delete: ") == 600
    assert page.count("\n- new: ") == 300
    assert "- and 4700 more\n" in page


def test_an_object_with_very_many_changes_leaves_room_for_the_others() -> None:
    aliases = {"aliases": [f"a{number}@acme.example" for number in range(5000)]}
    many = action("update", "emails", "a@acme.example", "acme", before={"aliases": []}, after=aliases)
    page = Page("Plan", [], [many, *PLAN]).text()
    assert "  - `aliases`: also `a299@acme.example`\n  - and 4700 more\n" in page
    assert "### `beta`" in page


@pytest.mark.parametrize("longest", [10, 90, 250])
@pytest.mark.parametrize("verb", ["create", "delete"])
def test_a_page_is_never_longer_than_a_comment_may_be_and_says_how_much_it_leaves_out(verb: str, longest: int) -> None:
    many = [
        action(verb, "emails", f"{'x' * longest}{number}@c{number % 800}.example", f"c{number % 800:03}")
        for number in range(20_000)
    ]
    page = Page("Plan", ["A note."], [*many, action("delete", "emails", "last@acme.example", "zzz")]).text()
    assert MOST_CHARACTERS * 0.9 < len(page) <= MOST_CHARACTERS
    shown = page.count("\n- ") - page.count("\n- and ")
    counted = sum(map(int, re.findall(r"(?:\n- and |\nAnd )(\d+) more", page)))
    assert shown + counted == 20_001
    clients = page.count("\n### ") + sum(map(int, re.findall(r"of (\d+) more client", page)))
    assert clients == 801
    # What goes is there before anything else is left out.
    assert verb == "delete" or "last@acme.example" in page


@pytest.mark.parametrize(
    ("before", "after", "heading", "words"),
    [
        (["1", "2", "3"], ["1"], "To delete (1)", " **2 records go** from 1 DNS zone that stays."),
        (["1"], ["2"], "To delete (1)", " **1 record goes** from 1 DNS zone that stays."),
        (["1"], [], "To delete (1)", " **1 record goes** from 1 DNS zone that stays."),
        (["1"], ["1", "2"], "To create and to change (1)", ""),
    ],
)
def test_records_that_go_from_a_zone_are_counted_and_stand_among_the_deletions(
    before: list[str], after: list[str], heading: str, words: str
) -> None:
    entry = {"host": "a", "type": "A", "ttl": 60, "before": before, "after": after}
    zone = {"kind": "dns", "key": "acme.example", "action": "update", "before": {}, "after": {}, "entries": [entry]}
    summary = {"delete": 0, "update": 1, "create": 0, "unchanged": 0}
    said = counts(summary, [zone])
    assert said == f"**0 to delete**, **1 to update**, **0 to create**, 0 unchanged.{words}"
    page = Page("Plan", [said], [zone]).text()
    assert [line for line in page.splitlines() if line.startswith("## ")] == [f"## {heading}"]
    assert "- change: DNS zone `acme.example`" in page
