# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""PEM compares by content, not by white space, and is sent as it is written."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._values.pem import Pem, pem_blocks
from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import parsed

CERTIFICATE, AUTHORITY = Pem("CERTIFICATE"), Pem("CERTIFICATE", clearable=True)


def pem(content: bytes, label: str = "CERTIFICATE", width: int = 64, end: str = "\n", headers: str = "") -> str:
    text = base64.b64encode(content).decode()
    lines = [text[start : start + width] for start in range(0, len(text), width)]
    return end.join([f"-----BEGIN {label}-----", *headers.splitlines(), *lines, f"-----END {label}-----", ""])


LEAF, MIDDLE, ROOT = pem(b"leaf" * 40), pem(b"middle" * 40), pem(b"root" * 40)


def test_a_text_is_sent_as_it_is_written_with_one_line_end() -> None:
    assert CERTIFICATE.parse(f"\n{LEAF}{MIDDLE}\n\n") == LEAF + MIDDLE
    assert CERTIFICATE.parse(LEAF.replace("\n", "\r\n")) == LEAF
    with_comment = "subject=CN=shop.example\n" + LEAF
    assert CERTIFICATE.parse(with_comment) == with_comment


@pytest.mark.parametrize(
    "current",
    [
        LEAF,
        LEAF.rstrip("\n"),
        LEAF.replace("\n", "\r\n"),
        "\n \n" + LEAF + "\n\n",
        pem(b"leaf" * 40, width=76),
        pem(b"leaf" * 40, width=10_000),
        pem(b"leaf" * 40, end="  \n\t"),
        "Bag Attributes\n    friendlyName: shop: 1\nsubject=CN=shop.example\n" + LEAF,
    ],
)
def test_white_space_and_comments_do_not_count(current: str) -> None:
    assert CERTIFICATE.same(CERTIFICATE.parse(LEAF), current)


@pytest.mark.parametrize("current", [MIDDLE, LEAF + MIDDLE, "", None, "no pem", 7, [], LEAF[:-40]])
def test_other_content_does(current: Any) -> None:
    assert not CERTIFICATE.same(LEAF, current)


def test_a_bundle_is_compared_as_a_set_and_sent_in_its_order() -> None:
    bundle = AUTHORITY.parse(ROOT + MIDDLE)
    assert bundle == ROOT + MIDDLE
    assert AUTHORITY.same(bundle, MIDDLE + "\n" + ROOT)
    assert not AUTHORITY.same(bundle, MIDDLE)
    assert not AUTHORITY.same(bundle, MIDDLE + ROOT + LEAF)


def test_headers_inside_a_block_do_not_count() -> None:
    key = Pem("PRIVATE KEY")
    plain = pem(b"key" * 40, "RSA PRIVATE KEY")
    assert key.same(plain, pem(b"key" * 40, "RSA PRIVATE KEY", headers="X-Note: made on the old server\n"))
    encrypted = pem(b"key" * 40, "RSA PRIVATE KEY", headers="Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\n")
    assert key.parse(encrypted) == encrypted


@pytest.mark.parametrize("label", ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"])
def test_keys_have_several_labels(label: str) -> None:
    assert Pem("PRIVATE KEY").parse(pem(b"key", label)) == pem(b"key", label)


def test_the_parameters_before_a_key_on_a_curve_do_not_count() -> None:
    key = Pem("PRIVATE KEY")
    alone, both = pem(b"key", "EC PRIVATE KEY"), pem(b"curve", "EC PARAMETERS") + pem(b"key", "EC PRIVATE KEY")
    assert key.parse(both) == both
    assert key.same(alone, both)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "no pem",
        pem(b"key", "PRIVATE KEY"),
        LEAF + pem(b"key", "PRIVATE KEY"),
        LEAF.replace("-----END", "----END"),
        LEAF.replace("CERTIFICATE-----", "CERTIFICAT-----", 1),
        "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n",
        LEAF.replace("\n", "\\n"),
        None,
        7,
        True,
        [LEAF],
        {},
    ],
)
def test_what_is_no_certificate_is_refused_and_not_shown(written: Any) -> None:
    with pytest.raises(OptionError) as caught:
        parsed(CERTIFICATE, "components.certificate", written)
    assert "-----BEGIN CERTIFICATE-----" in caught.value.message
    assert base64.b64encode(b"key").decode() not in caught.value.message


def test_an_empty_text_clears_only_where_the_panel_takes_it() -> None:
    assert AUTHORITY.parse("") == ""
    assert AUTHORITY.parse(" \n") == ""
    for current in (None, ""):
        assert AUTHORITY.same("", current)
    assert not AUTHORITY.same("", LEAF)


@given(st.lists(st.binary(min_size=1, max_size=200), min_size=1, max_size=3), st.integers(1, 100), st.booleans())
def test_a_parsed_text_parses_to_itself(contents: list[bytes], width: int, has_windows_line_ends: bool) -> None:
    written = "".join(pem(content, width=width) for content in contents)
    stored = CERTIFICATE.parse(written.replace("\n", "\r\n") if has_windows_line_ends else written)
    assert CERTIFICATE.parse(stored) == stored
    assert CERTIFICATE.same(stored, written)
    assert [content for _label, content in pem_blocks(stored)] == contents


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.lists(st.text())))
def test_comparing_never_fails(current: Any) -> None:
    CERTIFICATE.same(LEAF, current)
