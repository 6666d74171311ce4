"""A row that makes no sense ends nothing but itself, and a fault of a reader is not taken for one."""

from __future__ import annotations

import dataclasses
import json
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.froxlor.reader import (
    read_froxlor,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.froxlor.tables import (
    FORMS_BY_TABLE,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.ispconfig.reader import (
    read_ispconfig,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.ispconfig.tables import (
    FORM_BY_TABLE,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_rows import (
    NoObject,
    try_row,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    Source,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_tables import (
    SourceError,
    Tables,
    format_value,
)
from tests.support.froxlor_source import make_froxlor_rows
from tests.support.import_sources import (
    find_accounting_faults,
    list_failed_rows,
    list_ispconfig_rows,
)
from tests.support.ispconfig_sample import make_sample

TablesOfTexts = dict[str, list[dict[str, Any]]]


def refuse() -> None:
    """Read a row that does not arrive."""
    raise NoObject("It is off.")


def test_a_row_that_does_not_arrive_gives_its_reason() -> None:
    outcome = try_row(refuse, "mail_user")

    assert isinstance(outcome, NoObject)
    assert outcome.reason == "It is off."


NULL: Any = None


def mistype() -> None:
    """Name something that does not exist."""
    usernme  # type: ignore[name-defined]  # noqa: B018, F821


def doubt() -> None:
    """Find a row that nobody expected."""
    raise AssertionError


@pytest.mark.parametrize(
    ("read", "fault"),
    [
        pytest.param(lambda: int("secret"), "ValueError", id="no number"),
        pytest.param(lambda: int(float("1e400")), "OverflowError", id="a number without an end"),
        pytest.param(lambda: {}["secret"], "KeyError", id="a part that is missing"),
        pytest.param("secret\udcff".encode, "UnicodeEncodeError", id="bytes that are no text"),
        pytest.param(lambda: len(NULL), "TypeError", id="nothing, where a text was expected"),
        pytest.param(lambda: NULL.origin, "AttributeError", id="nothing, of which a part was"),
        pytest.param(mistype, "NameError", id="a name that does not exist"),
        pytest.param(doubt, "AssertionError", id="an assumption that is wrong"),
    ],
)
def test_a_fault_of_a_reader_costs_its_row_and_is_seen_as_one(
    read: Callable[[], Any], fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "hosting.panel")

    outcome = try_row(read, "mail_user")

    assert isinstance(outcome, NoObject)
    assert outcome.reason == (
        f"The reader of the import failed at this row ({fault}), which is a fault to report."
    )
    assert len(caplog.messages) == 1
    assert re.fullmatch(rf"read row of mail_user: {fault} in \w+\.py line \d+", caplog.messages[0])


@pytest.mark.parametrize("error", [SourceError("dump.sql", "cut off."), MemoryError()])
def test_what_no_row_is_to_blame_for_ends_the_import(error: Exception) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(type(error)):
        try_row(fail, "mail_user")


# Parts of what readers take apart: addresses, paths, lists, JSON, serialized PHP, schedules.
PARTS_OF_VALUES = (
    "@", ".", "..", "/", "[", "]", "{", '"', "a:1:{", "\\", "%", ":", "0x", "1e", "٧", "-", " ", "=",
    "[{", "xn--", "2001:db8::", "192.0.2.", "*/5", "\udcff", "\n", "-----BEGIN ", "#", "y",
)  # fmt: skip
FRAGMENTS = st.one_of(
    st.text(st.characters(exclude_categories=[]), max_size=6), st.sampled_from(PARTS_OF_VALUES)
)
VALUES = st.one_of(st.none(), st.lists(FRAGMENTS, max_size=6).map("".join))


@pytest.fixture(scope="module", params=["froxlor", "ispconfig"])
def panel(request: pytest.FixtureRequest) -> str:
    """Return the name of each panel."""
    return str(request.param)


def make_tables(panel: str) -> TablesOfTexts:
    """Return the rows of a panel's sample as a database shows them."""
    sample = make_froxlor_rows() if panel == "froxlor" else make_sample()
    forms = FORMS_BY_TABLE if panel == "froxlor" else FORM_BY_TABLE
    return {
        table: [
            {column: format_value(row.get(column)) for column in forms[table].list_columns()}
            for row in rows
        ]
        for table, rows in sample.items()
    }


def read_source(panel: str, tables: TablesOfTexts) -> Source:
    """Return what the reader of a panel gives."""
    read = read_froxlor if panel == "froxlor" else read_ispconfig
    return read(Tables(tables, "test"))


def list_faults(panel: str, source: Source, tables: TablesOfTexts) -> Iterator[str]:
    """Yield what is wrong with the account of the rows."""
    if panel == "ispconfig":
        yield from find_accounting_faults(source, list_ispconfig_rows(Tables(tables, "test")))
    yield from list_failed_rows(source)
    # What is no text could not be written.
    json.dumps(dataclasses.asdict(source), ensure_ascii=False).encode()


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_row_of_generated_values_ends_nothing_but_itself(panel: str, data: st.DataObject) -> None:
    tables = make_tables(panel)
    forms = FORMS_BY_TABLE if panel == "froxlor" else FORM_BY_TABLE
    table = data.draw(st.sampled_from(sorted(name for name, rows in tables.items() if rows)))
    row = data.draw(st.sampled_from(tables[table]))
    columns = st.sampled_from([column for column in row if column != forms[table].key])
    row.update(data.draw(st.dictionaries(columns, VALUES, min_size=1, max_size=5)))

    source = read_source(panel, tables)

    assert [*list_faults(panel, source, tables)] == []
    assert len(source.customers) >= 2
