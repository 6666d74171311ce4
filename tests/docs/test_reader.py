# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of pages notices when a page is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.snippets import Reader, SnippetFailure, changed_text, missing_line, snippets

PRINTED = 'PLAY [Try] **********\nok: [localhost] => {\n    "msg": "seven"\n}\nlocalhost : ok=3    changed=0\n'


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    with Reader(tmp_path / "reader") as made:
        yield made


def page(folder: Path, *blocks: str) -> Path:
    """A page of blocks, each as its language (with a directive after a bar) and its lines."""
    text = "# A page\n"
    for block in blocks:
        head, _end, body = block.partition("\n")
        language, _bar, directive = head.partition("|")
        text += f"\n<!-- snippet: {directive} -->" if directive else ""
        text += f"\n```{language}\n{body}\n```\n"
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("expected", "missing"),
    [
        ("ok: [localhost] => {", None),
        ("PLAY [Try] ***\n...\nlocalhost : ok=3 changed=0", None),
        ('    "msg": "..."', None),
        ("localhost : ok=3 changed=1", "localhost : ok=3 changed=1"),
        ("localhost : ok=3 changed=0\nPLAY [Try] ***", "PLAY [Try] ***"),
        ("localhost", "localhost"),
    ],
)
def test_what_a_page_shows_has_to_be_printed_in_its_order(expected: str, missing: str | None) -> None:
    assert missing_line(expected, PRINTED) == missing


def test_a_diff_changes_the_lines_that_it_shows() -> None:
    change = " b\n-c\n+C\n@@\n-d\n+e\n+f\n"
    assert changed_text("a\nb\nc\nd\n", change, "page") == "a\nb\nC\ne\nf\n"


@pytest.mark.parametrize("text", ["a\n", "b\nb\n"])
def test_a_diff_of_lines_that_are_not_there_once_is_refused(text: str) -> None:
    with pytest.raises(SnippetFailure, match=r"^page: these lines are there [02] times"):
        changed_text(text, "-b\n+c\n", "page")


def test_a_block_without_a_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SnippetFailure, match=r"^page\.md:3: a block needs a language"):
        snippets(page(tmp_path, "\necho hello"))


def test_a_comment_counts_for_the_block_right_after_it_only(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("<!-- snippet: not run: no reason -->\nA text.\n```shell\ntrue\n```\n", encoding="utf-8")
    assert [snippet.reason for snippet in snippets(path)] == [None]


def test_what_a_block_exports_or_sets_and_where_it_goes_holds_for_the_next(tmp_path: Path, reader: Reader) -> None:
    reader.follow(
        page(
            tmp_path,
            "shell\nexport WORD='two words'\nOTHER='$1 more'\nmkdir inner\ncd inner",
            "shell\npwd; echo $WORD; echo $OTHER; env",
            "text\n.../inner\ntwo words\n$1 more\n...WORD=two words",
        )
    )


def test_a_file_that_a_page_shows_is_there_for_the_next_block(tmp_path: Path, reader: Reader) -> None:
    blocks = ("ini|file=a/b.ini\n[one]", "diff|file=a/b.ini\n-[one]\n+[two]", "shell\ncat a/b.ini", "text\n[two]")
    reader.follow(page(tmp_path, *blocks))


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("shell\necho out; exit 3", r"(?s)page\.md:3: ended with 3:\n.*\n--- printed\nout"),
        ("shell\nfalse\ntrue", r"page\.md:3: ended with 1"),
        ("shell|fails\ntrue", r"page\.md:4: should have failed"),
        ("text\nnever printed", r"page\.md:3: 'never printed' was not printed"),
        ("yaml|from=galaxy.yml\nname: something else", r"page\.md:4: galaxy\.yml does not hold"),
        ("yaml\nkey: value", r"page\.md:3: neither a playbook nor a list of tasks"),
        ("toml\nkey = 1", r"page\.md:3: nobody runs a block in toml"),
    ],
)
def test_a_page_that_is_wrong_is_named_with_its_line(tmp_path: Path, reader: Reader, block: str, message: str) -> None:
    with pytest.raises(SnippetFailure, match=message):
        reader.follow(page(tmp_path, block))


def test_tasks_of_several_blocks_are_run_on_the_readers_panel_in_their_order(tmp_path: Path, reader: Reader) -> None:
    first = "yaml\n- hosting.panel.panel_client: {username: acme, email: it@acme.example, password: 'a pass/w0rd'}"
    second = "yaml\n- hosting.panel.panel_domain: {domain: acme.example, client: acme}"
    check = "shell\nansible localhost -m hosting.panel.panel_domain_info -a api_url=https://panel.example/"
    path = page(tmp_path, first, second, "shell\nexport PANEL_API_KEY=...", check, 'text\n"domain": "acme.example",')
    reader.follow(path)
    assert [entry["path"] for entry in reader.panel().writes()] == ["/clients", "/domains"]


def test_a_task_that_fails_is_told_with_what_it_said(tmp_path: Path, reader: Reader) -> None:
    with pytest.raises(SnippetFailure, match=r"(?s)page\.md:3: ended with 2.*no client"):
        reader.follow(page(tmp_path, "yaml\n- hosting.panel.panel_domain: {domain: acme.example, client: acme}"))
