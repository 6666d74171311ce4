"""The page of an import: what a person reads of it, whatever names and reasons a source has."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapped_source import (
    ExceededLimit,
    MappedSource,
    ObjectName,
    PasswordCounts,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.writing.page import (
    render_import_page,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.read_source import PANELS
from ansible_collections.hosting.panel.plugins.plugin_utils._written_files.forms import FORMS

MAILBOX = {
    "client": "anna",
    "kind": "emails",
    "key": "info@anna.example",
    "source": "mail_user:1",
    "table": "mail_user",
}
ORPHAN = {
    "client": None,
    "kind": "databases",
    "key": "lost",
    "source": "web_database:9",
    "table": "web_database",
}
NO_FILTERS = "The API has no filters."
MAPPED = MappedSource(
    resources={
        None: {"plans": [{"name": "Small"}]},
        "anna": {"clients": [{"username": "anna"}], "emails": [{"email": "info@anna.example"}]},
        "bert": {"clients": [{"username": "bert"}]},
    },
    renamed=[
        {"client": "anna", "kind": "clients", "from": "Anna", "to": "anna", "why": "Lower case."}
    ],
    left_out=[
        {**MAILBOX, "field": "autoresponder", "why": "The API has no autoresponders."},
        {**MAILBOX, "field": "filter", "why": NO_FILTERS},
        {**ORPHAN, "why": "It belongs to no customer."},
    ],
    questions=[{"mapping": "php_versions", "about": "PHP 8.1", "default": ""}],
    passwords=PasswordCounts(kept=3, new=1),
    changed_passwords=[
        ObjectName("anna", "clients", "anna"),
        ObjectName("anna", "emails", "info@anna.example"),
    ],
    exceeded_limits=[ExceededLimit("anna", "domains", 5, 6)],
)
ADDRESSES_LOST = "Mail addresses that do not arrive"
# Whatever a customer may have written.
HOSTILE = [
    "a\nb",
    "# heading",
    "[link](https://evil.example)",
    "www.evil.example",
    "`code` ``more``",
    "<script>alert(1)</script>",
    "{{ lookup('pipe', 'id') }}",
    "@someone #1",
    "abc\u202egnp.exe",
    "\x1b[2J",
    "| table | row |",
    "x" * 5_000,
    "\u202e " * 240,
]


def get_section(page: str, title: str) -> str:
    """Return what stands below a heading of the second level."""
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_the_page_says_what_arrives_for_each_client() -> None:
    arrivals = get_section(render_import_page("froxlor", MAPPED, {}), "What arrives")

    assert "1 hosting plan, 2 clients, 1 mailbox." in arrivals
    assert "- `anna`: 1 mailbox\n- `bert`: nothing but the account\n" in arrivals
    assert "Passwords: 3 stay, 1 are new." in arrivals


@pytest.mark.parametrize(
    ("forwards", "line"),
    [
        (0, "Passwords: 0 stay, 0 are new."),
        (1, "Passwords: 0 stay, 0 are new. 1 address that only forwards gets one too."),
        (2, "Passwords: 0 stay, 0 are new. 2 addresses that only forward get one too."),
    ],
)
def test_the_page_counts_the_new_passwords_of_addresses_that_only_forward(
    forwards: int, line: str
) -> None:
    emails = [{"email": "info@anna.example", "max_size": 1}]
    emails += [{"email": f"{number}@anna.example"} for number in range(forwards)]
    mapped = MappedSource(resources={"anna": {"emails": emails}})

    arrivals = get_section(render_import_page("froxlor", mapped, {}), "What arrives")

    assert arrivals.strip().splitlines()[-1] == line


@pytest.mark.parametrize(
    "line",
    [
        "- client `Anna` is now `anna`: Lower case",
        "- client `anna`",
        "- mailbox `info@anna.example` of `anna`",
        "- mailbox `info@anna.example`, field `autoresponder` (`mail_user:1`)",
        "- `anna`: domains 6, and the plan allows 5",
        "- The panel takes them only with its option `ignore_account_limits`.",
    ],
)
def test_the_page_says_what_customers_notice_first(line: str) -> None:
    notices = get_section(render_import_page("froxlor", MAPPED, {}), "What customers notice first")

    assert line in notices.splitlines()


def test_what_is_left_out_is_grouped_by_reason_and_then_by_client() -> None:
    omissions = get_section(render_import_page("froxlor", MAPPED, {}), "What is left out")

    assert omissions.strip().splitlines() == [
        "### The API has no autoresponders",
        "",
        "Of `anna`:",
        "",
        "- mailbox `info@anna.example`, field `autoresponder` (`mail_user:1`)",
        "",
        "### The API has no filters",
        "",
        "Of `anna`:",
        "",
        "- mailbox `info@anna.example`, field `filter` (`mail_user:1`)",
        "",
        "### It belongs to no customer",
        "",
        "Without an owner:",
        "",
        "- database `lost` (`web_database:9`)",
    ]


def test_the_page_says_what_may_be_decided_and_what_comes_next() -> None:
    page = render_import_page("froxlor", MAPPED, {})

    assert "- `mapping.php_versions` for `PHP 8.1`: nothing was assumed" in page
    assert get_section(page, "Next steps").strip().startswith("1. ")


def test_a_source_without_anything_has_a_page_too() -> None:
    page = render_import_page("ISPConfig", MappedSource(), {})

    assert "Nothing." in get_section(page, "What arrives")
    assert get_section(page, "Questions").strip() == "None."


def test_the_next_steps_begin_with_the_questions_only_if_there_are_some() -> None:
    asked = get_section(render_import_page("froxlor", MAPPED, {}), "Next steps").strip()
    unasked = get_section(render_import_page("froxlor", MappedSource(), {}), "Next steps").strip()

    assert asked.startswith("1. Answer the questions above in a mapping")
    assert unasked.startswith("1. Read the files of the directory.")


def test_content_is_copied_and_tasks_stay_off_until_dns_leads_to_the_new_server() -> None:
    steps = get_section(render_import_page("froxlor", MAPPED, {}), "Next steps")
    before, switch, after = steps.partition("Let DNS lead to the new server")

    assert switch
    assert "with the role's step `final`" in before
    assert "scheduled tasks" not in before
    assert "copy the content" not in after
    assert "fetch late mail with the step `late`" in after
    assert "scheduled tasks" in after


@pytest.mark.parametrize(
    ("kept", "exceeded", "options"),
    [
        (0, [], ""),
        (1, [], "`use_password_hashes`"),
        (0, [ExceededLimit("anna", "domains", 5, 6)], "`ignore_account_limits`"),
        (
            1,
            [ExceededLimit("anna", "domains", 5, 6)],
            "`use_password_hashes` and `ignore_account_limits`",
        ),
    ],
)
def test_the_steps_name_the_options_without_which_the_panel_refuses_the_files(
    kept: int, exceeded: list[ExceededLimit], options: str
) -> None:
    mapped = MappedSource(passwords=PasswordCounts(kept, 0), exceeded_limits=exceeded)

    steps = (
        get_section(render_import_page("froxlor", mapped, {}), "Next steps").strip().splitlines()
    )

    enabling = [step for step in steps if step.startswith("2. Enable ")]
    expected = f"2. Enable {options} on the panel, without which it refuses what the files say."
    assert enabling == ([expected] if options else [])
    assert steps[1 + len(enabling)].startswith(f"{2 + len(enabling)}. Run `hosting.panel.plan`")


@pytest.mark.parametrize(
    ("reason", "title"),
    [
        ("The panel has no field for it.", "The panel has no field for it"),
        (
            "It has no other sender (info@a.example), and no limit.",
            "It has no other sender `(info@a.example)`, and no limit",
        ),
        ("Use a .htaccess file.", "Use a `.htaccess` file"),
        ("Names hold a to z, ., _ and -.", "Names hold a to z, `.`, `_` and `-`"),
        ("/web/.. leads to /web/../...", "`/web/..` leads to `/web/../..`"),
        ("It is .., or /web/.: see there. It is.", "It is `..`, or `/web/.`: see there. It is"),
        ("See www.a.example", "See `www.a.example`"),
        ("PHP 8.1: mapping.x lacks it.", "PHP 8.1: `mapping.x` lacks it"),
        ("two  blanks\nand a line", "two  `blanks\\nand` a line"),
    ],
)
def test_of_a_reason_only_words_that_could_be_markup_are_code(reason: str, title: str) -> None:
    left_out = [{**MAILBOX, "field": "filter", "why": reason}]
    page = render_import_page("froxlor", MappedSource(left_out=left_out), {})

    assert f"### {title}\n" in get_section(page, "What is left out")


def test_an_import_replaces_the_page_of_an_earlier_one() -> None:
    assert FORMS["import_page"].beginning.match(render_import_page("froxlor", MAPPED, {}))


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("option", ["key", "why", "client", "field"])
def test_no_text_of_a_source_is_more_than_a_text(text: str, option: str) -> None:
    entry: dict[str, Any] = {**MAILBOX, "field": "filter", "why": NO_FILTERS, option: text}
    plain = render_import_page("froxlor", MappedSource(left_out=[{**entry, option: "plain"}]), {})

    page = render_import_page("froxlor", MappedSource(left_out=[entry]), {})

    assert page.count("\n") == plain.count("\n")
    assert max(map(len, page.splitlines())) <= 1_200
    assert all(sign.isprintable() or sign == "\n" for sign in page)
    outside_of_code = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", page)
    for sign in ("<script", "](", "www.", "@", "{{", "|"):
        assert sign not in outside_of_code


def test_a_row_that_is_no_object_of_the_panel_is_called_what_it_is() -> None:
    entry = {
        "client": "anna",
        "kind": "ftp_users",
        "source": "shell_user:3",
        "table": "shell_user",
        "why": "no shells",
    }
    source = MappedSource(left_out=[{**entry, "key": "anna_ssh"}])

    page = render_import_page("ISPConfig", source, {"shell_user": "shell user"})

    assert "- shell user `anna_ssh` (`shell_user:3`)" in page


def test_what_nearly_each_object_has_is_named_once_with_a_number() -> None:
    left_out = [
        {
            "client": client,
            "kind": kind,
            "key": str(number),
            "source": f"row:{number}",
            "table": "row",
            "field": "backup_interval",
            "why": "Backups are settings of the server.",
        }
        for number, (client, kind) in enumerate(
            [("anna", "domains"), ("bert", "domains"), ("bert", "databases")]
        )
    ]

    omissions = get_section(
        render_import_page("ISPConfig", MappedSource(left_out=left_out), {}), "What is left out"
    )

    assert omissions.strip().splitlines() == [
        "### Backups are settings of the server",
        "",
        "- 2 domains, field `backup_interval`",
        "- 1 database, field `backup_interval`",
    ]


def test_the_page_says_that_a_user_of_a_database_is_renamed_and_not_the_database() -> None:
    reason = "It is the user of the database acme-blog."
    renamed = {"client": "acme", "kind": "databases", "from": "shop", "to": "shop_2", "why": reason}
    page = render_import_page("froxlor", MappedSource(renamed=[renamed]), {})

    assert "database user `shop` is now `shop_2` of `acme`: It is the user" in page


NOTICED = MappedSource(
    resources={
        "anna": {
            "clients": [{"username": "anna", "hosting_plan": "Import 1", "is_suspended": True}],
            "domains": [{"domain": "a.example", "is_disabled": True}, {"domain": "b.example"}],
            "emails": [{"email": "all@a.example", "catch_all": True}, {"email": "c@a.example"}],
        },
    },
    left_out=[
        {**MAILBOX, "why": NO_FILTERS},
        {**MAILBOX, "key": "@a.example", "source": "mail_user:2", "why": NO_FILTERS},
        {**MAILBOX, "source": "mail_user:3", "field": "aliases", "why": NO_FILTERS},
        {**MAILBOX, "source": "mail_user:4", "field": "spam_filter", "why": NO_FILTERS},
    ],
    questions=[
        {"mapping": "addresses", "about": "192.0.2.10", "default": None},
        {"mapping": "php_versions", "about": "PHP 8.1", "default": ""},
        {"mapping": "mailbox_size", "about": "c@a.example", "default": "10G"},
    ],
    question_counts={
        ("addresses", "192.0.2.10"): 3,
        ("php_versions", "PHP 8.1"): 1,
        ("mailbox_size", "c@a.example"): 1,
    },
)


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("Customers that are suspended", ["- client `anna`"]),
        ("Domains that are disabled", ["- domain `a.example` of `anna`"]),
        (
            "Addresses that get all other mail of their domain",
            ["- mailbox `all@a.example` of `anna`"],
        ),
        (
            "Mail addresses that do not arrive",
            [
                "- mailbox `info@anna.example` (`mail_user:1`): The API has no filters",
                "- mailbox `@a.example` (`mail_user:2`): The API has no filters",
                "- mailbox `info@anna.example`, field `aliases` (`mail_user:3`): The API has no filters",
            ],
        ),
    ],
)
def test_the_page_shows_what_a_customer_would_call_about(title: str, lines: list[str]) -> None:
    notices = get_section(render_import_page("froxlor", NOTICED, {}), "What customers notice first")
    block = notices.partition(f"### {title}\n\n")[2].partition("\n\n")[0]

    assert block.strip().splitlines() == lines


@pytest.mark.parametrize(
    ("panel", "table", "title"),
    [
        ("ispconfig", "mail_user", "mailbox"),
        ("ispconfig", "mail_forwarding", "forward"),
        ("ispconfig", "mail_mailinglist", "mailing list"),
        ("froxlor", "mail_virtual", "mailbox"),
        ("ispconfig", "spamfilter_users", None),
        ("ispconfig", "spamfilter_wblist", None),
        ("ispconfig", "mail_get", None),
        ("ispconfig", "mail_relay_recipient", None),
        ("froxlor", "mail_sender_aliases", None),
    ],
)
def test_only_addresses_are_among_the_addresses_that_do_not_arrive(
    panel: str, table: str, title: str | None
) -> None:
    entry = {**MAILBOX, "source": f"{table}:1", "table": table, "why": NO_FILTERS}
    mapped = MappedSource(left_out=[entry])
    source = PANELS[panel]

    page = render_import_page(panel, mapped, source.row_titles, source.address_tables)

    notices = get_section(page, "What customers notice first").strip().splitlines()
    line = f"- {title} `info@anna.example` (`{table}:1`): The API has no filters"
    expected = ["Nothing."] if title is None else [f"### {ADDRESSES_LOST}", "", line]
    assert notices == expected


def test_the_page_says_which_hosting_plan_each_client_gets() -> None:
    arrivals = get_section(render_import_page("froxlor", NOTICED, {}), "What arrives")

    assert "- `anna`: hosting plan `Import 1`; 2 domains, 2 mailboxes" in arrivals.splitlines()


def test_each_question_says_what_happens_without_an_answer() -> None:
    questions = get_section(render_import_page("froxlor", NOTICED, {}), "Questions")

    assert questions.strip().splitlines() == [
        "- `mapping.addresses` for `192.0.2.10`: nothing was assumed, so 3 records are left out",
        "- `mapping.php_versions` for `PHP 8.1`: nothing was assumed, so 1 domain gets the panel's default version",
        "- `mapping.mailbox_size` for `c@a.example`: `10G` was assumed",
    ]
