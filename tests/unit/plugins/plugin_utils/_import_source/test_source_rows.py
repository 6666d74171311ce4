"""A row that makes no sense ends nothing but itself, and a fault of a reader is not taken for one."""

from __future__ import annotations

import dataclasses
import ipaddress
import json
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
    UNREADABLE,
    NoObject,
    try_row,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    Source,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_tables import (
    Tables,
    text_of,
)
from tests.support.froxlor_source import froxlor_rows
from tests.support.import_sources import accounting_faults, list_ispconfig_rows
from tests.support.ispconfig_sample import make_sample

TablesOfTexts = dict[str, list[dict[str, Any]]]


def refuse() -> None:
    """Read a row that does not arrive."""
    raise NoObject("It is off.")


NULL: Any = None


@pytest.mark.parametrize(
    ("read", "reason"),
    [
        pytest.param(refuse, "It is off.", id="a row that does not arrive"),
        pytest.param(lambda: int("many"), UNREADABLE, id="no number"),
        pytest.param(lambda: int(float("1e400")), UNREADABLE, id="a number without an end"),
        pytest.param(lambda: {}["column"], UNREADABLE, id="a part that is missing"),
        pytest.param("\udcff".encode, UNREADABLE, id="bytes that are no text"),
        pytest.param(lambda: json.loads("{"), UNREADABLE, id="half of a JSON text"),
        pytest.param(lambda: ipaddress.ip_address("x"), UNREADABLE, id="no address"),
        pytest.param(lambda: len(NULL), UNREADABLE, id="nothing, where a text was expected"),
        pytest.param(lambda: NULL.origin, UNREADABLE, id="nothing, of which a part was expected"),
    ],
)
def test_a_row_that_cannot_be_read_gives_its_reason(read: Callable[[], Any], reason: str) -> None:
    outcome = try_row(read)

    assert isinstance(outcome, NoObject)
    assert outcome.reason == reason


def test_a_fault_of_a_reader_is_no_error_of_a_row() -> None:
    def fail() -> None:
        raise AssertionError

    with pytest.raises(AssertionError):
        try_row(fail)


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
    sample = froxlor_rows() if panel == "froxlor" else make_sample()
    forms = FORMS_BY_TABLE if panel == "froxlor" else FORM_BY_TABLE
    return {
        table: [
            {column: text_of(row.get(column)) for column in forms[table].columns()} for row in rows
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
        yield from accounting_faults(source, list_ispconfig_rows(Tables(tables, "test")))
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
