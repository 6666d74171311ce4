"""The page of an import is for people, whatever the texts of customers are."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import HealthCheck, given, settings

from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping.mapper import map_source
from ansible_collections.hosting.panel.plugins.plugin_utils._import.operator_mapping import (
    read_mapping,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.writing.page import (
    render_import_page,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    Source,
)
from tests.support.generated_sources import draw_source

_CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(draw_source())
def test_no_text_of_a_customer_is_markup_or_hidden_on_the_page(source: Source) -> None:
    page = render_import_page("ISPConfig", map_source(source, read_mapping(None)), {})

    page.encode()
    for line in page.splitlines():
        assert len(line) <= 1200
        assert not any(unicodedata.category(sign) in ("Cc", "Cf", "Cs") for sign in line)
        assert "Geheim99" not in line
        outside = _CODE.sub("", line)
        assert not re.search(r"[<>\[\]{}|]|@|://|www\.", outside)
