# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets that a person wrote into a file in plain text.

Says where they are, and how a diff may show the file. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils._items.desired_items import get_item_reader
from ...module_utils._kinds.registry import KINDS
from ...module_utils._secrets.redaction import (
    EXTRA,
    Secrets,
    collect_texts,
    escape_control_characters,
)
from ...module_utils._secrets.secret_forms import (
    MASK,
    is_secret_in_extra,
    is_secret_name,
    mask_secret_forms,
)
from ...module_utils._values.near_names import find_near_name
from .export_text import HEADER, dump_with_header
from .panel_line import LINE
from .yaml_file import Place, Vaulted, YamlFile

_NOT_SHOWN = "# Comments and layout of this file are not shown.\n"
_NOT_READ = "# This file is not valid and is not shown.\n"
Specification = Mapping[str, Any]
"""The options of a kind, in Ansible's words."""


@dataclass(frozen=True)
class PlainSecret:
    """A secret field with a value in plain text.

    Attributes:
        where: Its place in the file.
        label: Its object and option, for a person.
        value: The secret.
    """

    where: Place
    label: str
    value: Any


def find_plain_secrets(file: YamlFile) -> list[PlainSecret]:
    """Return the secret fields that a file has in plain text, in the order of the file."""
    secrets: list[PlainSecret] = []
    if isinstance(file.content, dict):
        for kind, items in file.content.items():
            if kind in KINDS and isinstance(items, list):
                secrets += _find_secrets_of_kind(kind, items)
            else:
                secrets += _find_secrets_by_name(items, (kind,))
    else:
        secrets += _find_secrets_by_name(file.content, ())

    return [secret for secret in secrets if collect_texts(secret.value)]


def _find_secrets_by_name(value: Any, where: Place) -> Iterator[PlainSecret]:
    """Yield what is secret by its name, at any depth of what is no list of a kind."""
    for path, secret in _find_named_secrets(value, where):
        yield PlainSecret(path, _join_path(path), secret)


def _find_secrets_of_kind(plural: str, items: list[Any]) -> Iterator[PlainSecret]:
    options = get_item_reader(plural).spec
    for number, item in enumerate(items):
        if not isinstance(item, dict):
            continue
        name = f"{plural} {KINDS[plural].format_key(item) or ''}".rstrip()
        for path, value in _find_secrets_of_item(item, options):
            yield PlainSecret((plural, number, *path), f"{name} {_join_path(path)}", value)


def _join_path(path: Place) -> str:
    """Return the path of a field, for a person."""
    return escape_control_characters(".".join(str(step) for step in path))


def _find_secrets_of_item(
    item: Mapping[Any, Any], options: Specification
) -> Iterator[tuple[Place, Any]]:
    """Yield path and value of each secret field of an item, or of a group of it."""
    for name, value in item.items():
        yield from _find_secrets_of_option(name, value, options)


def _find_secrets_of_option(
    name: Any, value: Any, options: Specification
) -> Iterable[tuple[Place, Any]]:
    """Return path and value of each secret in one option of an item, which may not exist."""
    option = options.get(name)
    if option is None and _is_mistyped_secret(name, options):
        return _skip_encrypted((name,), value)
    if option is None or name == EXTRA:
        return _find_named_secrets({name: value}, ())
    if option.get("no_log"):
        return _skip_encrypted((name,), value)
    if isinstance(value, dict):
        return _find_secrets_of_group(name, value, option.get("options"))
    return ()


def _is_mistyped_secret(name: Any, options: Specification) -> bool:
    """Tell whether a name is one mistake away from that of a secret option."""
    secret_names = [secret for secret, option in options.items() if option.get("no_log")]
    return find_near_name(str(name), secret_names) is not None


def _find_secrets_of_group(
    name: str, fields: Mapping[Any, Any], options: Specification | None
) -> Iterator[tuple[Place, Any]]:
    """Yield path and value of each secret field of an option that is a dictionary.

    Args:
        name: The option.
        fields: Its value.
        options: Those of its fields, if it has any.
    """
    if options is None:
        yield from _find_named_secrets(fields, (name,))
        return
    for path, secret in _find_secrets_of_item(fields, options):
        yield (name, *path), secret


def _find_named_secrets(value: Any, where: Place) -> Iterator[tuple[Place, Any]]:
    """Yield path and value of each field whose name is that of a secret, at any depth."""
    if isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _find_named_secrets(entry, (*where, number))
    if not isinstance(value, dict):
        return
    for name, field in value.items():
        if is_secret_in_extra(name):
            yield from _skip_encrypted((*where, name), field)
        else:
            yield from _find_named_secrets(field, (*where, name))


def _skip_encrypted(where: Place, value: Any) -> Iterator[tuple[Place, Any]]:
    if not isinstance(value, Vaulted):
        yield where, value


# The file as it may be displayed


def display_file(file: YamlFile, text: str, secrets: Secrets) -> str:
    """Return a file for a diff, without anything that may be a secret in it.

    The text is made anew from what was read, since a secret may be in a comment, or be written in
    any way that YAML has.

    Args:
        file: The file, with what was read.
        text: The text of the file.
        secrets: The secrets of all files, which may be in other fields too.
    """
    if not isinstance(file.content, dict) or file.mistakes:
        return HEADER + _NOT_READ if text else ""

    displayed = {}
    for kind, items in file.content.items():
        displayed[kind] = _display_kind(kind, items, secrets)
    ending = "" if dump_with_header(file.content) == text else _NOT_SHOWN
    return dump_with_header(displayed) + ending


def _display_kind(kind: Any, items: Any, secrets: Secrets) -> Any:
    """Return the objects of a kind, or another part of a file, as a diff may show them."""
    if kind == LINE:
        return items
    if kind not in KINDS or not isinstance(items, list):
        return _mask(items)
    options = get_item_reader(kind).spec
    return [_display_fields(item, options, secrets) for item in items]


def _display_fields(fields: Any, options: Specification, secrets: Secrets) -> Any:
    """Return a dictionary as a diff may show it; masked if it is something else.

    Args:
        fields: The fields of an object, or of a group of its fields.
        options: The options of these fields.
        secrets: The secrets of all files.
    """
    if not isinstance(fields, dict):
        return _mask(fields)
    displayed = {}
    for name, value in fields.items():
        displayed[name] = _display_field(name, value, options.get(name), secrets)
    return displayed


def _display_field(name: Any, value: Any, option: Specification | None, secrets: Secrets) -> Any:
    """Return the value of an option as a diff may show it. option: what the kind says of it."""
    if option is None or option.get("no_log"):
        return _mask(value)
    choices = option.get("choices")
    if choices and value not in choices:
        # A password may stand where update_password is meant, for example.
        return _mask(value)
    if name == EXTRA:
        return _display_value(value, secrets, is_secret_in_extra)
    if "options" in option:
        return _display_fields(value, option["options"], secrets)
    is_of_fields = option.get("type") == "dict" or option.get("elements") == "dict"
    if isinstance(value, dict) and not is_of_fields:
        return _mask(value)
    return _display_value(value, secrets, is_secret_name)


def _display_value(value: Any, secrets: Secrets, is_secret: Callable[[Any], bool]) -> Any:
    """Return a value without options of its own, masked where that is needed.

    Fields that are secret by their names are masked, and known secrets in all others.

    Args:
        value: The value.
        secrets: The secrets of all files.
        is_secret: Tells by the name of a field whether it is secret.
    """
    if isinstance(value, dict):
        displayed_fields = {}
        for name, field in value.items():
            if is_secret(name):
                displayed_fields[name] = _mask(field)
            else:
                displayed_fields[name] = _display_value(field, secrets, is_secret)
        return displayed_fields
    if isinstance(value, list):
        return [_display_value(entry, secrets, is_secret) for entry in value]
    if isinstance(value, Vaulted) or value is None or isinstance(value, bool):
        return value

    text = str(value)
    displayed = secrets.mask(mask_secret_forms(text))
    return value if displayed == text else displayed


def _mask(value: Any) -> Any:
    """Return what stands for a value: itself where it is empty or encrypted."""
    is_harmless = isinstance(value, Vaulted) or value is None or value in ("", [], {})
    return value if is_harmless else MASK


def make_secrets(plain: list[PlainSecret]) -> Secrets:
    """Return what masks these secrets in any text."""
    texts: list[str] = []
    for secret in plain:
        texts += collect_texts(secret.value)
    return Secrets(texts)
