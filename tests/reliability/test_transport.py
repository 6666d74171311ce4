"""The key reaches the panel and nobody else, whatever is between them."""

from __future__ import annotations

from tools.reliability import transport
from tools.reliability.figures import Size


def test_the_key_reaches_the_panel_and_nobody_else() -> None:
    (row,) = transport.run(Size.SLICE)

    assert row.wrong == []
    assert (row.lost, row.doubled, row.leaked) == (0, 0, 0)
    assert row.tried >= 55
    assert row.survived >= 15
    assert row.failed_loudly >= 35
