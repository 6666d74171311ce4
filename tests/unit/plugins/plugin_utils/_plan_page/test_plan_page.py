"""A plan in lines for a person and as Markdown for a merge request.

By client, what goes first, and of customers nothing but text.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ansible_collections.hosting.panel.plugins.filter.panel_plan_lines import panel_plan_lines
from ansible_collections.hosting.panel.plugins.filter.panel_plan_markdown import panel_plan_markdown
from ansible_collections.hosting.panel.plugins.plugin_utils._plan_page.plan_page import (
    MOST_CHARACTERS,
)

GIB = 2**30
TAGS = {"h1", "h2", "h3", "ul", "li", "code", "pre", "p"}


def make_action(
    verb: str, kind: str, key: str, client: str | None = None, **more: Any
) -> dict[str, Any]:
    """Return an action of a plan."""
    return {
        "action": verb,
        "kind": kind,
        "key": key,
        "id": 1,
        "client": client,
        "before": {},
        "after": {},
        **more,
    }


def render_plainly(page: str) -> str:
    """Return a page as HTML, in which there is nothing but headings, lists, code and paragraphs."""
    rendered: str = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(page)
    assert set(re.findall(r"<(\w+)", rendered)) <= TAGS
    return rendered


def plan(*actions: dict[str, Any]) -> dict[str, Any]:
    """Return a plan that has some actions."""
    counts = {
        verb: sum(change["action"] == verb for change in actions)
        for verb in ("create", "update", "delete")
    }
    return {"summary": {**counts, "unchanged": 40}, "actions": list(actions), "checksum": "c0ffee"}


A_SET = {"host": "www", "type": "A", "ttl": 60, "before": ["192.0.2.1"], "after": ["192.0.2.2"]}
ACTIONS = [
    make_action(
        "create",
        "plans",
        "Business",
        after={"name": "Business", "resources": {"disk_space": 10 * GIB}},
    ),
    make_action(
        "create",
        "emails",
        "new@beta.example",
        "beta",
        after={"email": "new@beta.example", "max_size": GIB},
    ),
    make_action(
        "update",
        "emails",
        "info@acme.example",
        "acme",
        before={"max_size": GIB},
        after={"max_size": 5 * GIB},
    ),
    make_action(
        "create", "emails", "team@acme.example", "acme", after={"max_size": -1, "aliases": []}
    ),
    make_action("delete", "emails", "old@zeta.example", "zeta"),
    make_action("update", "dns", "acme.example", "acme", entries=[A_SET]),
    make_action(
        "delete",
        "domains",
        "gone.example",
        "Beta",
        also_deleted={"emails": ["a@gone.example", "b@gone.example"]},
    ),
]
WANTED = """\
# Plan for `web-1`

- 3 to create, 2 to update, 2 to delete, 40 unchanged.
- 2 more objects are deleted with these.
- 1 record is removed from 1 DNS zone that stays.
- `hosting.panel.apply` with `panel_expected_checksum` `c0ffee` does exactly this, or nothing.
- Warning: `Look.`

## To delete (3)

### `acme`

- update: DNS zone `acme.example`
  - `www A -192.0.2.1 +192.0.2.2 ttl 60`

### `Beta`

- delete: domain `gone.example`
  - and with it 2 mailboxes: `a@gone.example`, `b@gone.example`

### `zeta`

- delete: mailbox `old@zeta.example`

## To create and to update (4)

### The panel itself

- create: hosting plan `Business`
  - `resources.disk_space 10G`

### `acme`

- update: mailbox `info@acme.example`
  - `max_size 1G -> 5G`
- create: mailbox `team@acme.example`
  - `max_size unlimited`
  - `aliases []`

### `beta`

- create: mailbox `new@beta.example`
  - `max_size 1G`
"""


@pytest.mark.parametrize("actions", [ACTIONS, ACTIONS[::-1]], ids=["in order", "reversed"])
def test_what_goes_comes_first_and_each_part_is_by_client_in_their_order(
    actions: list[dict[str, Any]],
) -> None:
    page = panel_plan_markdown({"plan": plan(*actions), "warnings": ["Look."]}, "web-1")
    assert page == WANTED


def test_a_page_of_a_plan_alone_has_no_name_of_a_panel_and_no_warnings() -> None:
    assert panel_plan_markdown(plan(*ACTIONS)) == WANTED.replace(" for `web-1`", "").replace(
        "- Warning: `Look.`\n", ""
    )


def test_a_plan_without_changes_says_so() -> None:
    nothing = "# {} `web-1`\n\n- 0 to create, 0 to update, 0 to delete, 40 unchanged.\n- {}\n"
    assert panel_plan_markdown(plan(), "web-1") == nothing.format(
        "Plan for", "There is nothing to do."
    )

    page = panel_plan_markdown(plan(), "web-1", drift=True)
    assert page == nothing.format("Drift of", "The panel is as the files say.")


def test_a_page_of_a_drift_does_not_call_equal_what_was_not_compared() -> None:
    """Show a comparison without differences, with an object that no file could keep."""
    omission = {"kind": "emails", "key": "`nobody`", "id": 22, "reason": "it has no name"}
    page = panel_plan_markdown({"plan": plan(), "not_compared": [omission]}, "web-1", drift=True)

    assert "- The panel does not differ from the files where it could be compared.\n" in page
    assert "- Not compared: mailbox `` `nobody` (id 22) ``\n" in page
    assert "as the files say" not in page


def test_the_page_says_why_there_is_no_plan_and_shows_one_that_is_refused() -> None:
    message = "emails[0]: wrong. `Nothing` was written."
    none = panel_plan_markdown({"failed": True, "msg": message}, "web-1")

    assert (
        none == f"# No plan for `web-1`\n\n- There is none, because:\n\n```text\n{message}\n```\n"
    )

    refused = panel_plan_markdown(
        {"failed": True, "msg": "max_deletes: no.", "plan": plan(*ACTIONS)}, "web-1"
    )

    assert (
        "- This plan cannot be applied:\n\n```text\nmax_deletes: no.\n```\n\n## To delete (3)\n"
        in refused
    )
    assert "expected_checksum" not in refused


def test_a_drift_is_told_as_what_is_there_and_what_is_not() -> None:
    page = panel_plan_markdown(plan(*ACTIONS), "web-1", drift=True)
    assert page.startswith("# Drift of `web-1`\n")

    counts = "- 2 more objects belong to what only the panel has.\n- 1 record is only on the panel, in 1 DNS zone.\n"
    assert counts in page
    assert "## Only on the panel (3)" in page
    assert "- missing: mailbox `new@beta.example`" in page
    assert "checksum" not in page


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


@pytest.mark.parametrize("text", NASTY, ids=ascii)
def test_a_renderer_makes_nothing_but_headings_lists_and_code_of_a_page(text: str) -> None:
    nasty = [
        make_action(
            verb,
            "domains",
            text,
            text,
            before={"x": text},
            after={"x": f"{text}."},
            also_deleted={"emails": [text]},
        )
        for verb in ("create", "update", "delete")
    ]
    nasty.append(
        make_action(
            "update", "dns", text, text, entries=[{**A_SET, "host": text, "before": [text]}]
        )
    )
    refused = {"failed": True, "msg": text, "warnings": [text], "plan": plan(*nasty, *ACTIONS)}

    page = panel_plan_markdown(refused, text)

    assert page.isprintable() or set(re.sub(r"[^\n]", "", page)) == {"\n"}

    rendered = render_plainly(page)
    # Nothing of the page that is not in code names a place or a person.
    assert not re.search(r"://|@", re.sub("<code.*?</code>", "", rendered, flags=re.DOTALL))


# Long plans


@pytest.mark.parametrize("longest", [10, 250])
@pytest.mark.parametrize("verb", ["create", "delete"])
@pytest.mark.long
def test_a_page_is_never_longer_than_a_comment_may_be_and_says_how_much_it_leaves_out(
    verb: str, longest: int
) -> None:
    keys = [
        f"{'x' * longest}{number}@c{number % 80}.example"
        for number in range(MOST_CHARACTERS // (longest + 10))
    ]
    many = [
        make_action(verb, "emails", key, f"c{number % 80:03}") for number, key in enumerate(keys)
    ]

    page = panel_plan_markdown(
        plan(*many, make_action("delete", "emails", "last@acme.example", "zzz"))
    )

    assert MOST_CHARACTERS * 0.8 < len(page) <= MOST_CHARACTERS

    (omitted,) = re.findall(r"\nAnd (\d+) more objects, for which", page)
    assert len(re.findall(r"\n- (?:create|delete): ", page)) + int(omitted) == len(keys) + 1
    # What goes is there before anything else is left out.
    assert verb == "delete" or "last@acme.example" in page


def test_of_many_record_sets_the_first_are_shown_and_all_of_what_goes_along() -> None:
    sets = [{**A_SET, "host": f"host-{number}"} for number in range(5000)]
    page = panel_plan_markdown(
        plan(make_action("update", "dns", "a.example", "acme", entries=sets), *ACTIONS)
    )

    assert "\n  - and 4960 more\n" in page

    cascaded = {"emails": [f"m{number}@gone.example" for number in range(60)]}
    page = panel_plan_markdown(
        plan(make_action("delete", "domains", "gone.example", "beta", also_deleted=cascaded))
    )

    assert "m59@gone.example" in page
    assert "### `beta`" in page


# In lines

MIXED = plan(
    *ACTIONS[:3],
    make_action(
        "delete",
        "domains",
        "gone.example",
        "beta",
        also_deleted={"emails": ["a@gone.example", "b@gone.example"]},
    ),
    make_action(
        "update",
        "dns",
        "acme.example",
        "acme",
        entries=[A_SET, {**A_SET, "host": "new", "before": []}],
    ),
    make_action("delete", "emails", "old@acme.example", "acme"),
)


def format_line(**fields: Any) -> str:
    """Return the line of a change that has some fields."""
    return panel_plan_lines(plan({**make_action("update", "emails", "a@b.example"), **fields}))[
        2
    ].strip()


def test_what_goes_comes_first_and_everything_is_by_client() -> None:
    assert panel_plan_lines(MIXED) == [
        "2 to create, 2 to update, 2 to delete, 40 unchanged",
        "acme:",
        "  delete  mailbox old@acme.example",
        "  update  DNS zone acme.example",
        "    www A -192.0.2.1 +192.0.2.2 ttl 60",
        "    new A +192.0.2.2 ttl 60",
        "beta:",
        "  delete  domain gone.example  and with it 2 mailboxes",
        "    2 mailboxes: a@gone.example, b@gone.example",
        "the panel itself:",
        "  create  hosting plan Business  resources.disk_space 10G",
        "acme:",
        "  update  mailbox info@acme.example  max_size 1G -> 5G",
        "beta:",
        "  create  mailbox new@beta.example  max_size 1G",
    ]


def test_the_order_of_a_plan_makes_no_difference_nor_whether_the_whole_result_is_given() -> None:
    lines = panel_plan_lines(MIXED)
    assert panel_plan_lines({**MIXED, "actions": MIXED["actions"][::-1]}) == lines
    assert panel_plan_lines({"changed": True, "plan": MIXED}) == lines
    assert panel_plan_lines({"failed": True, "msg": "No."}) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            {"php_version": "8.1"}, {"php_version": "8.3"}, "php_version 8.1 -> 8.3", id="text"
        ),
        pytest.param(
            {"security": {"is_hsts": False, "x": 1}},
            {"security": {"is_hsts": True, "x": 1}},
            "security.is_hsts false -> true",
            id="field of a group",
        ),
        pytest.param({"aliases": ["a", "b"]}, {"aliases": ["b", "c"]}, "aliases -a +c", id="list"),
        pytest.param(
            {"notes": ""}, {"notes": " two\nlines"}, 'notes "" -> " two\\nlines"', id="empty text"
        ),
        pytest.param(
            {"delete_on": None},
            {"delete_on": "2031-01-01"},
            "delete_on null -> 2031-01-01",
            id="null before",
        ),
        pytest.param({"notes": "x"}, {"notes": None}, "notes x -> null", id="null after"),
        pytest.param({}, {"password": "(new)"}, "password (new)", id="password"),
        pytest.param({"a": 1, "b": 2}, {"a": 2, "b": 3}, "a 1 -> 2, b 2 -> 3", id="two fields"),
        pytest.param(
            {"max_size": -1},
            {"max_size": 10**9},
            "max_size unlimited -> 1000000000 (954 MiB)",
            id="unlimited size",
        ),
        pytest.param({}, {"max_size": 1536}, "max_size 1536 (1.5 KiB)", id="odd size"),
        pytest.param(
            {"max_size": True}, {"max_size": "5"}, "max_size true -> 5", id="size of another type"
        ),
        pytest.param(
            {"notes": "x" * 99}, {"notes": "y"}, f"notes {'x' * 59}… -> y", id="long text"
        ),
    ],
)
def test_a_change_shows_what_changes_and_nothing_else(
    before: dict[str, Any], after: dict[str, Any], expected: str
) -> None:
    assert format_line(before=before, after=after) == f"update  mailbox a@b.example  {expected}"


def test_a_limit_that_is_none_is_shown_as_unlimited_like_a_size() -> None:
    created = make_action("create", "plans", "Business")
    created["after"] = {"resources": {"disk_space": -1, "databases": -1, "ftp_users": 5}}

    assert panel_plan_lines(plan(created))[2].strip() == (
        "create  hosting plan Business  "
        "resources.disk_space unlimited, resources.databases unlimited, resources.ftp_users 5"
    )


def test_a_set_of_which_the_ttl_alone_changes_shows_that() -> None:
    lines = panel_plan_lines(
        plan(
            make_action("update", "dns", "a.example", entries=[{**A_SET, "after": A_SET["before"]}])
        )
    )
    assert lines[3] == "    www A ttl 60"


def test_a_line_is_no_longer_than_a_person_reads() -> None:
    changes = {f"member{number}": number for number in range(99)}
    assert len(format_line(before=dict.fromkeys(changes, -1), after=changes)) == 240


def test_a_long_plan_is_cut_and_says_how_much_it_leaves_out() -> None:
    assert panel_plan_lines(MIXED, most=2)[-2:] == ["    new A +192.0.2.2 ttl 60", "and 4 more"]
    assert panel_plan_lines(MIXED, most=6) == panel_plan_lines(MIXED)

    many = [
        make_action("create", "emails", f"{'x' * 90}{number}@acme.example", "acme")
        for number in range(5000)
    ]
    lines = panel_plan_lines(plan(*many))

    assert 50_000 < len("\n".join(lines)) < 60_000
    assert lines[-1] == f"and {5000 - len(lines) + 3} more"


# Everything that changes is told


def make_client_deletion(number: int, **cascaded: list[str]) -> dict[str, Any]:
    """Return the deletion of a client with what goes with it."""
    return make_action(
        "delete", "clients", f"client{number}", f"client{number}", also_deleted=cascaded
    )


def make_mailboxes(number: int, of: int = 0, length: int = 4) -> list[str]:
    """Return addresses of so many mailboxes, of a length."""
    return [f"{'m' * length}{number}@client{of}.example" for number in range(number)]


@pytest.mark.parametrize("number", [1, 40, 41, 400, 1500])
def test_everything_that_goes_with_a_client_is_named_before_any_change_has_room(
    number: int,
) -> None:
    cascaded = {
        "domains": ["client0.example"],
        "emails": make_mailboxes(number),
        "databases": ["client0_1"],
    }
    changes = [
        make_action("update", "emails", f"{number}@a.example", "acme", after={"notes": "x" * 900})
        for number in range(400)
    ]
    client_plan = plan(
        *changes,
        make_client_deletion(0, **cascaded),
        make_client_deletion(1, emails=make_mailboxes(2, 1)),
    )
    page, lines = panel_plan_markdown(client_plan), "\n".join(panel_plan_lines(client_plan))
    names = [name for keys in cascaded.values() for name in keys] + make_mailboxes(2, 1)

    for text in (page, lines):
        assert len(text) <= MOST_CHARACTERS
        assert [
            name
            for name in names
            if not re.search(rf"[ `]{re.escape(name)}[,`\n]|{re.escape(name)}$", text)
        ] == []

    listed = len(re.findall(r"^- update: ", page, re.MULTILINE))
    assert (
        f"\nAnd {400 - listed} more objects, for which this page has no room: {400 - listed} to create or update."
        in page
    )


@pytest.mark.parametrize("is_page", [True, False], ids=["page", "lines"])
@pytest.mark.parametrize("number", [3000, 20000])
def test_where_there_is_no_room_for_all_names_the_others_are_counted(
    number: int, is_page: bool
) -> None:
    client_plan = plan(
        make_client_deletion(0, emails=make_mailboxes(number)),
        make_action("create", "emails", "new@acme.example", "acme"),
    )

    if is_page:
        text = panel_plan_markdown(client_plan)
        named = len(re.findall(r"`m+\d+@", text))
    else:
        text = "\n".join(panel_plan_lines(client_plan))
        named = len(re.findall(r"\bm+\d+@", text))

    assert MOST_CHARACTERS * 0.9 < len(text) <= MOST_CHARACTERS
    assert re.findall(r"and (\d+) more\n", text)[0] == str(number - named)


def test_deletions_for_which_there_is_no_room_are_counted_apart() -> None:
    many = [
        make_action("delete", "emails", f"{'m' * 90}{number}@a.example", "acme")
        for number in range(700)
    ]
    page = panel_plan_markdown(
        plan(*many, make_action("create", "emails", "new@acme.example", "acme"))
    )
    omitted = 700 - len(re.findall(r"^- delete: ", page, re.MULTILINE))

    assert (
        f"\nAnd {omitted + 1} more objects, for which this page has no room: {omitted} to delete, 1 to create or update."
        in page
    )

    drift = panel_plan_markdown(plan(*many), drift=True)
    assert re.search(r"no room: \d+ only on the panel\. Look at the plan itself\.\n", drift)


def test_old_and_new_value_of_a_change_are_whole_where_there_is_room() -> None:
    old, new = "v=DKIM1; p=" + "A" * 3000 + "x", "v=DKIM1; p=" + "A" * 3000 + "y"
    entry = {
        "host": "default._domainkey",
        "type": "TXT",
        "ttl": 60,
        "before": [old],
        "after": [new],
    }
    two_changes = plan(
        make_action(
            "update", "clients", "acme", "acme", before={"notes": old}, after={"notes": new}
        ),
        make_action("update", "dns", "acme.example", "acme", entries=[entry]),
    )

    page = panel_plan_markdown(two_changes)

    assert f"`notes {old} -> {new}`" in page
    assert f"`default._domainkey TXT -{old} +{new} ttl 60`" in page


@pytest.mark.parametrize("where", ["a field", "a record set", "a list"])
def test_two_long_values_that_begin_alike_are_shown_where_they_differ(where: str) -> None:
    old, new = "A" * 300 + "old" + "B" * 300, "A" * 300 + "new" + "B" * 300
    entry = {"host": "www", "type": "TXT", "ttl": 60, "before": [old], "after": [new]}
    changed = {
        "a field": make_action(
            "update", "clients", "acme", "acme", before={"notes": old}, after={"notes": new}
        ),
        "a record set": make_action("update", "dns", "acme.example", "acme", entries=[entry]),
        "a list": make_action(
            "update",
            "emails",
            "a@b.example",
            "acme",
            before={"aliases": [old]},
            after={"aliases": [new]},
        ),
    }[where]

    text = "\n".join(panel_plan_lines(plan(changed)))

    assert f"…{'A' * 10}old" in text
    assert f"…{'A' * 10}new" in text

    many = [
        make_action("create", "emails", f"{number}@a.example", "acme", after={"notes": "x" * 900})
        for number in range(99)
    ]
    short = panel_plan_markdown(plan(changed, *many))

    assert f"…{'A' * 10}old" in short
    assert f"…{'A' * 10}new" in short


def test_a_field_for_which_a_line_has_no_room_has_its_own_line() -> None:
    fields = {f"member{number}": number for number in range(99)}
    changed = make_action(
        "update", "emails", "a@b.example", "b", before=dict.fromkeys(fields, -1), after=fields
    )

    lines = panel_plan_lines(plan(changed))
    names_in_line = {
        name
        for name in fields
        if re.search(rf"\b{name} -1 -> {fields[name]}(,|$)", lines[2].rstrip("…"))
    }

    assert 0 < len(names_in_line) < 20
    assert {line.strip() for line in lines[3:]} >= {
        f"{name} -1 -> {fields[name]}" for name in fields.keys() - names_in_line
    }


# Of every plan

TEXTS = st.text(max_size=30) | st.sampled_from(NASTY)
ALONG = st.dictionaries(
    st.sampled_from(["domains", "emails", "databases"]),
    st.lists(TEXTS, min_size=1, max_size=60),
    max_size=3,
)
VALUES = st.none() | st.booleans() | st.integers() | TEXTS | st.lists(TEXTS, max_size=5)
MEMBERS = st.dictionaries(
    st.sampled_from(["notes", "max_size", "aliases", "description"]), VALUES, max_size=4
)
ACTION = st.builds(
    make_action,
    st.sampled_from(["create", "update", "delete"]),
    st.sampled_from(["clients", "domains", "emails"]),
    TEXTS,
    st.none() | TEXTS,
    before=MEMBERS,
    after=MEMBERS,
    also_deleted=ALONG,
)


@given(st.lists(ACTION, max_size=12), st.sampled_from([1, 1, 1, 60]), st.booleans())
def test_of_any_plan_the_page_is_text_short_enough_and_tells_of_everything(
    actions: list[dict[str, Any]], times: int, drift: bool
) -> None:
    drawn_plan = plan(*actions * times)
    page, lines = (
        panel_plan_markdown(drawn_plan, "web-1", drift=drift),
        panel_plan_lines(drawn_plan),
    )

    assert len(page) <= MOST_CHARACTERS
    assert len("\n".join(lines)) <= MOST_CHARACTERS
    assert not re.search(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]", "".join(lines))

    render_plainly(page)

    listed = len(
        re.findall(
            r"^- (?:create|update|delete|missing|changed|only on the panel): ", page, re.MULTILINE
        )
    )
    omitted = re.findall(r"^And (\d+) more object", page, re.MULTILINE)

    assert listed + sum(map(int, omitted)) == len(actions) * times

    if not omitted:
        deletions = [change for change in actions if change["action"] == "delete"]
        assert (
            page.count("and with it ")
            == sum(len(change["also_deleted"]) for change in deletions) * times
        )
