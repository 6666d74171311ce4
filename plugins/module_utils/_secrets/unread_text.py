# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what is secret in a text that cannot be read as an answer. Pure.

That is what is secret by its form, and the values of secret fields. It knows how JSON, XML, YAML,
forms, headers and PHP write the name of a field and its value. In doubt more is a part of the
value, and without an end the value goes to the end of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .secret_forms import (
    HASHES,
    LOGIN,
    MASK,
    PASSWORDS_IN_COMMANDS,
    PRIVATE_KEY,
    holds_private_key,
    is_secret_name,
)

Span = tuple[int, int]
_HASH_IN_TEXT = re.compile(rf"(?<![\w$])(?P<secret>{'|'.join(HASHES)})", re.ASCII | re.IGNORECASE)
_URL = re.compile(r"https?://[^\s\"'<>]*", re.IGNORECASE)
_NAME = re.compile(r"(?<![\w-])[\w-]+")
_LONGEST_TAG = 1000
_QUOTES = r"[\\\"']{0,8}"

# Between a name and its value.
_BETWEEN = re.compile(
    # The end of a name in brackets: of print_r and var_dump with the class of a field, or a form's.
    rf"{_QUOTES}(?:\[\])?(?::[\w\\:\"']{{0,100}}(?=\]))?\]?{_QUOTES}\s*"
    r"(?:(?P<sign>[:=]+>?|->)\s*"
    # serialize
    r"|;(?=[A-Za-z]:\d)"
    # A call.
    r"|(?=\(\s{0,9}[\"']))"
)
_BETWEEN_NAME_AND_VALUE = re.compile(
    rf"[\\\"']{{1,8}}\s*,\s*{_QUOTES}(?:value|val|text|content|data){_QUOTES}\s*(?:=>|[:=])\s*",
    re.IGNORECASE,
)
_BETWEEN_WORDS = re.compile(r"[ \t]+")
_LINE_START = re.compile(r"(?:^|[\r\n])[ \t]*(?:- )?\[?\Z")
_HEADER = re.compile(r"(?:.*[-_])?(?:authorization|cookie)", re.IGNORECASE)

# Markup.
_TAG = r"</?[A-Za-z](?:\"[^\"<>]*\"|'[^'<>]*'|[^<>\"'])*>"
_ONE_TAG = re.compile(rf"{_TAG}\s*")
_TAGS = re.compile(rf"(?:{_TAG}\s*)*")
_OPEN_TAG = re.compile(r"<(?P<element>[A-Za-z][\w:.-]*)[^<>]*(?<!/)>")
_TAG_AT_NAME = re.compile(r"<(?:(?P<space>(?:[\w.-]+:)?)|(?P<element>[A-Za-z][\w:.-]*)[^<>]*)\Z")
_END_OF_NAME = re.compile(_QUOTES)
_REST_OF_TAG = re.compile(r"(?:\"[^\"]*\"|'[^']*'|[^\"'>])*>")
_CONTENT = re.compile(r"(?:<!\[CDATA\[(?:[^\]]|\](?!\]>))*(?:\]\]>)?|[^<])*")
_CLOSE_TAG = re.compile(r"\s*(?:[:=]\s*)?</(?P<element>[A-Za-z][\w:.-]*)\s*>\s*(?:[:=]\s*)?")
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "param", "wbr"})
# What holds the name of the field beside it, maybe with more words.
_OF_NAMES = frozenset(
    {"b", "code", "dd", "dt", "em", "i", "key", "label", "name", "span", "strong"}
)
_OF_TABLES = frozenset({"td", "th"})

# A value.
_TYPE = re.compile(
    # var_dump
    r"(?:(?:string|array|object|enum|int|float|bool)\([^()\n]{0,200}\)(?:#\d+)?(?: \(\d+\))?\s*"
    # print_r and var_export
    r"|(?:Array|[\w\\]{1,100} Object)\s*(?=\()"
    # serialize
    r"|[A-Za-z]:\d+:(?:\"[^\"\n]{0,200}\":\d+:)?"
    # The scheme of a header.
    r"|(?:Bearer|Basic|Digest|Token|Negotiate|NTLM|ApiKey|[A-Z0-9]{1,9}-HMAC-SHA\d{1,4})\s+"
    # YAML
    r"|![\w!:,./-]{0,50}[ \t]+){0,3}",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"[>|][+-]?\d?[+-]?[ \t]*(?:#[^\n]*)?\r?\n")
_BLOCK_OF_LIST = re.compile(r"-[ \t]")
_QUOTED = re.compile(r"\\?\"(?:[^\"\\]|\\.)*\\?\"?|\\?'(?:[^'\\]|\\.)*'?", re.DOTALL)
_WORD = re.compile(r"[^\s,;&}<>\"'{[(\\]+|\\")
_REST_OF_LINE = re.compile(r"[^\r\n]*")
_REST_OF_FIELD = re.compile(r"[^\r\n&]*")
_REST_OF_HEADER = re.compile(r"[^\r\n\"'<]*")
_BRACKET_OR_QUOTE = re.compile(r"[][(){}\"']")
_OPENING = frozenset("([{")
_LINE = re.compile(r"(?P<indent>[ \t]*)(?P<text>[^\n]*)\n?")


class _Name(NamedTuple):
    """The name of a secret field in a text."""

    text: str
    start: int
    end: int


def find_forms_in_text(text: str) -> Iterator[Span]:
    """Yield where an answer that cannot be read has what is secret by its form.

    Hashes in the middle of a line count too, and addresses that log in.
    """
    for key in PRIVATE_KEY.finditer(text):
        yield key.span()
    if holds_private_key(PRIVATE_KEY.sub(MASK, text)):
        # The beginning of a key is missing.
        yield 0, len(text)
    for url in _URL.finditer(text):
        if "login" in url[0].lower():
            yield url.span()
    for pattern in (_HASH_IN_TEXT, LOGIN, *PASSWORDS_IN_COMMANDS):
        for hit in pattern.finditer(text):
            yield hit.span("secret")


def find_named_values(text: str) -> Iterator[Span]:
    """Yield where the values of secret fields are, from the first to the last.

    Args:
        text: What cannot be read.
    """
    read_to = 0
    for hit in _NAME.finditer(text):
        if hit.start() < read_to or not is_secret_name(hit[0]):
            continue
        name = _Name(hit[0], hit.start(), hit.end())
        span = _find_value_of(text, name)
        if span is not None and span[0] < span[1]:
            yield span
            read_to = span[1]


def _find_value_of(text: str, name: _Name) -> Span | None:
    """Return where the value of a field is; None if there is only its name."""
    between = _BETWEEN.match(text, name.end)
    if between is None:
        between = _BETWEEN_NAME_AND_VALUE.match(text, name.end)
    if between is None and name.text.startswith("--"):
        between = _BETWEEN_WORDS.match(text, name.end)
    if between is None:
        return _find_value_in_markup(text, name)

    is_of_line = _LINE_START.search(text, max(0, name.start - _LONGEST_TAG), name.start) is not None
    if is_of_line and "\n" in between[0]:
        return between.end(), _find_end_of_block(text, name, between.end())
    start = _find_end_of(_TAGS, text, between.end())
    start = _find_end_of(_TYPE, text, start)
    block = _BLOCK.match(text, start)
    if block is not None:
        return start, _find_end_of_block(text, name, block.end())

    end = _find_end_of_value(text, start)
    if text[start : start + 1] in ("", '"', "'", "{", "[", "(", "\\"):
        return start, end
    continuation = _choose_pattern_of_rest(name, is_of_line, between)
    if continuation is not None:
        end = max(end, _find_end_of(continuation, text, start))
    return start, end


def _choose_pattern_of_rest(
    name: _Name, is_of_line: bool, between: re.Match[str]
) -> re.Pattern[str] | None:
    """Return what more than a word belongs to a value without quotes; None if nothing does."""
    sign = between.groupdict().get("sign")  # not every pattern of what is between has one
    if is_of_line:
        return _REST_OF_FIELD if sign == "=" else _REST_OF_LINE
    if "]" in between[0] and sign == "=>":
        return _REST_OF_LINE
    return _REST_OF_HEADER if _HEADER.fullmatch(name.text) else None


def _find_end_of(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Return where what a pattern matches ends: at the start if that is nothing."""
    hit = pattern.match(text, start)
    return hit.end() if hit else start


def _find_end_of_value(text: str, start: int) -> int:
    """Return where a value ends: words, quoted texts and brackets without a space between them."""
    end = start
    while end < len(text):
        if text[end] in _OPENING:
            end = _find_end_of_brackets(text, end)
            continue
        token = _QUOTED.match(text, end) or _WORD.match(text, end)
        if token is None:
            break
        end = token.end()
    return end


def _find_end_of_brackets(text: str, start: int) -> int:
    """Return where a bracket is closed; the end of the text if it is not."""
    depth = 0
    end = start
    while True:
        hit = _BRACKET_OR_QUOTE.search(text, end)
        if hit is None:
            return len(text)

        end = hit.end()
        if hit[0] in "\"'":
            end = _find_end_of(_QUOTED, text, hit.start())
        elif hit[0] in _OPENING:
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return end


def _find_end_of_block(text: str, name: _Name, start: int) -> int:
    """Return where the lines end that YAML counts to a field: those that are indented more than its
    name, and a list that is indented as the name is.
    """
    line_start = text.rfind("\n", 0, name.start) + 1
    indent = name.start - line_start
    end = text.rfind("\n", 0, start) + 1
    while end < len(text):
        line = _LINE.match(text, end)
        if line is None:
            break
        depth = len(line["indent"])
        is_list = depth == indent and _BLOCK_OF_LIST.match(line["text"])
        if line["text"].strip() and depth <= indent and not is_list:
            break
        end = line.end()
    return max(start, end)


def _find_value_in_markup(text: str, name: _Name) -> Span | None:
    """Return where the value of a field of XML or HTML is; None if there is none."""
    window = text[max(0, name.start - _LONGEST_TAG) : name.start]
    tag = _TAG_AT_NAME.search(window)
    if tag is not None:
        return _find_value_of_tag(text, name, tag)

    close = _CLOSE_TAG.match(text, name.end)
    if close is None:
        return None
    element = close["element"].lower()
    is_alone = window.rstrip().endswith(">")
    if not is_alone and element not in _OF_NAMES | _OF_TABLES:
        return None
    return _find_value_behind_element(text, close.end())


def _find_value_of_tag(text: str, name: _Name, tag: re.Match[str]) -> Span | None:
    """Return the rest of a tag that has a name, with the content of its element.

    Args:
        text: What cannot be read.
        name: The name of the element, or a value of its attributes.
        tag: How the tag begins.
    """
    element = tag["element"]
    if element is None:
        element = f"{tag['space']}{name.text}"
    elif text[name.start - 1] not in "\"'":
        # An attribute without a value, or one of several words.
        return None

    start = _find_end_of(_END_OF_NAME, text, name.end)
    attributes = _REST_OF_TAG.match(text, start)
    if attributes is None:
        return start, len(text)
    if attributes[0].endswith("/>") or element.lower() in _VOID:
        return start, attributes.end() - 1
    if attributes[0] == ">":
        start = attributes.end()
    return start, _find_end_of_element(text, element, attributes.end())


def _find_value_behind_element(text: str, start: int) -> Span:
    """Return the content of the next element, or the text up to it. start: behind the element that
    holds a name.
    """
    while True:
        opened = _OPEN_TAG.match(text, start)
        if opened is not None and opened["element"].lower() not in _VOID:
            return opened.end(), _find_end_of_element(text, opened["element"], opened.end())
        tag_end = _find_end_of(_ONE_TAG, text, start)
        if tag_end == start:
            return start, _find_end_of(_CONTENT, text, start)
        start = tag_end


def _find_end_of_element(text: str, element: str, start: int) -> int:
    """Return where the content of an element ends; the end of the text if it is not closed."""
    depth = 1
    tags = re.compile(rf"<(?P<close>/?){re.escape(element)}(?![\w:.-])[^<>]*>", re.IGNORECASE)
    for tag in tags.finditer(text, start):
        if tag["close"]:
            depth -= 1
        elif not tag[0].endswith("/>"):
            depth += 1
        if depth == 0:
            return tag.start()
    return len(text)
