"""The reader on the page "Write a reader" works, and the page names all that a reader gives."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping.mapper import map_source
from ansible_collections.hosting.panel.plugins.plugin_utils._import.operator_mapping import (
    read_mapping,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.writing.page import (
    render_import_page,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.dump_file import (
    read_dump,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.read_source import (
    PANELS,
    read_path,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    LeftOut,
    Origin,
    Source,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_tables import (
    SourceError,
)
from tests.support.froxlor_source import dump_text, make_froxlor_rows
from tests.support.import_sources import find_accounting_faults, find_left_out
from tests.support.ispconfig_sample import make_sample
from tests.support.ispconfig_source import write_dump
from tests.support.program_file import load_program
from tools.layout import ROOT

PAGE = (ROOT / "docs" / "write_a_reader.md").read_text(encoding="utf-8")


def find_block(language: str) -> str:
    """Return the only block of the page in a language."""
    blocks: list[str] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 1
    return blocks[0]


@pytest.fixture
def reader(tmp_path: Path) -> Any:
    """Return the module that the page has."""
    path = tmp_path / "kiosk_reader.py"
    path.write_text(find_block("python"), encoding="utf-8")
    return load_program(path)


def read(reader: Any, folder: Path, dump: str) -> Source:
    """Return what the reader gives of a dump."""
    path = folder / "dump.sql"
    path.write_text(dump, encoding="utf-8")
    source = reader.KioskReader(read_dump(path, reader.FORMS)).read()
    assert isinstance(source, Source)
    return source


def test_the_reader_of_the_page_accounts_for_each_row_of_its_dump(
    reader: Any, tmp_path: Path
) -> None:
    source = read(reader, tmp_path, find_block("sql"))

    rows = [Origin("accounts", "1"), Origin("accounts", "2"), Origin("sites", "4")]
    assert find_accounting_faults(source, [*rows, Origin("boxes", "7"), Origin("boxes", "8")]) == []
    assert [customer.username for customer in source.customers] == ["anna"]
    assert [domain.name for domain in source.domains] == ["anna.example"]
    assert [box.quota for box in source.mailboxes] == [500 * 1024**2]
    assert find_left_out(source, "accounts", "2").reason == "It has no username."
    assert find_left_out(source, "boxes", "8").customer is None


def test_what_the_reader_of_the_page_gives_arrives_whole(reader: Any, tmp_path: Path) -> None:
    mapped = map_source(read(reader, tmp_path, find_block("sql")), read_mapping(None))

    assert mapped.counts == {"plans": 1, "clients": 1, "domains": 1, "emails": 1}
    items = mapped.resources["anna"]
    assert items["domains"][0]["domain"] == "anna.example"
    assert items["domains"][0]["target"] == {"target": "/shop"}
    assert items["emails"][0]["email"] == "info@anna.example"
    assert {entry["source"] for entry in mapped.carried} == {"accounts:1", "sites:4", "boxes:7"}
    omissions = {(entry["source"], entry.get("field")) for entry in mapped.left_out}
    # The panel of the page has no passwords of accounts.
    fields = {("accounts:1", "password_hash"), ("boxes:7", "autoresponder")}
    # The home has the directory of the site in it, and the role content copies one of the two.
    fields.add(("accounts:1", "content"))
    assert [tree["to"] for tree in mapped.content["trees"]] == ["~/www"]
    assert omissions == {("accounts:2", None), ("boxes:8", None)} | fields


def test_a_row_that_the_reader_of_the_page_did_not_expect_stops_no_other(
    reader: Any, tmp_path: Path
) -> None:
    dump = find_block("sql").replace("(7,1,", "(6,1,'x@anna.example','','many',NULL),(7,1,")

    source = read(reader, tmp_path, dump)

    assert find_left_out(source, "boxes", "6").reason == "Its megabytes makes no sense."
    assert [box.origin.id for box in source.mailboxes] == ["7"]


def test_a_dump_without_a_column_that_the_page_declares_is_refused(
    reader: Any, tmp_path: Path
) -> None:
    with pytest.raises(SourceError, match="the table boxes has no column megabytes"):
        read(reader, tmp_path, find_block("sql").replace("`megabytes`", "`gigabytes`"))


def test_the_page_names_all_that_a_source_has_and_the_kinds_of_it(tmp_path: Path) -> None:
    table = PAGE.partition("| tuple of `Source` |")[2].partition("\n\n")[0]
    cells = [line.split("|") for line in table.splitlines() if line.count("|") == 4]

    assert re.findall(r"`(\w+)`", "".join(row[1] for row in cells)) == [
        field.name for field in dataclasses.fields(Source)
    ]
    kinds = set(re.findall(r"`(\w+)`", "".join(row[3] for row in cells[1:])))
    assert kinds <= KINDS.keys()
    write_dump(make_sample(), tmp_path / "ispconfig.sql")
    (tmp_path / "froxlor.sql").write_text(dump_text(make_froxlor_rows()), encoding="utf-8")
    for panel in PANELS:
        source = read_path(panel, tmp_path / f"{panel}.sql", VaultLib())
        assert {entry.plural for entry in source.left_out} <= kinds


def make_loss(name: str) -> Source:
    """Return a source in which a field of a mailbox is left out."""
    address = "info@anna.example"
    row = Origin("filters", "9")
    return Source(left_out=(LeftOut("anna", "emails", address, row, "It is gone.", name),))


@pytest.mark.parametrize("name", ["autoresponder", "longer_autoresponder_text"])
def test_the_page_of_an_import_shows_autoresponders_by_their_field(name: str) -> None:
    mapped = map_source(make_loss(name), read_mapping(None))

    assert "### Autoresponders that are gone" in render_import_page("Kiosk", mapped, {})


@pytest.mark.parametrize("name", ["mailbox", "forwardings", "aliases", "catch_all"])
def test_the_page_of_an_import_shows_lost_addresses_by_their_field(name: str) -> None:
    mapped = map_source(make_loss(name), read_mapping(None))

    assert f"`{name}`" in PAGE
    assert "### Mail addresses that do not arrive" in render_import_page("Kiosk", mapped, {})


def test_the_page_names_files_that_exist() -> None:
    names = {path.name for path in ROOT.glob("plugins/**/*.py")}
    names |= {path.name for path in ROOT.glob("tests/**/*.py")}

    assert {Path(name).name for name in re.findall(r"`([\w/]+\.py)`", PAGE)} <= names
