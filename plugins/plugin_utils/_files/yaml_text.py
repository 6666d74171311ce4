# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file of YAML as Ansible reads it, but that nothing in it is evaluated, with every mistake in it. Private to the collection."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from ansible.parsing.vault import VaultLib

from ...module_utils._task.mistakes import Mistake
from .._jobs.vaulted import VaultedName, hold, in_vaulted_file
from .._run.controller_files import VAULT_HEADER, read_regular, reason_of
from .places import MemberPath, Place
from .text_lines import place_of as place_of_byte
from .vault_text import VAULT_TAGS, Ciphertext, NotDecrypted, decrypted

_TEMPLATE = re.compile(r"\{\{|\{%")
_TEMPLATES = (
    "templates are not evaluated in these files. Write the value itself; encrypt a secret with ansible-vault encrypt_string, and mark a text "
    "that is meant as it stands with !unsafe."
)
_SECOND_DOCUMENT = (
    "holds more than one YAML document, and a file holds one. Put all of it into one, or make a file of each document."
)
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OTHER_NUMBER = (
    "YAML reads another number than is written here (01234 becomes 668, 1_000 becomes 1000, 12:30:45 becomes 45045). "
    "Where a text is meant, put it in quotes; else write the number with decimal digits only."
)
_NO_NAME = (
    "there is a list or a dictionary in the place of a name, as {{ }} without quotes makes one. Templates are not evaluated in these files; "
    "write the value itself."
)
LookAt = Callable[[str, "yaml.Node | None"], list[str]]


@dataclass(frozen=True)
class YamlText:
    """content: None where there is none, or it cannot be read. mistakes: each with the name of the file.

    places: of what is in the content, by its path, ("emails", 0, "max_size") for example.
    """

    content: Any = field(default=None, repr=False)
    mistakes: list[str] = field(default_factory=list)
    places: Mapping[MemberPath, Place] = field(default_factory=dict, repr=False)


def read_yaml(
    path: Path, name: str, vault: VaultLib, look_at: LookAt | None = None, decrypts_values: bool = True
) -> YamlText:
    """The content of a file. name: of the file in mistakes. look_at: finds more mistakes in a text that is not encrypted.

    decrypts_values: otherwise a value that is encrypted on its own is a Ciphertext.
    """
    plain = ""
    try:
        text = read_regular(path)
        is_encrypted = text.startswith(VAULT_HEADER)
        plain = (decrypted(vault, text) if is_encrypted else text).decode("utf-8")
        loader = _Loader(plain)
        loader.vault, loader.is_vaulted, loader.decrypts_values = vault, is_encrypted, decrypts_values
        return _read(loader, plain, name, look_at)
    except OSError as error:
        return _mistaken(name, f"{reason_of(error)}.")
    except UnicodeDecodeError as error:
        return _mistaken(name, f"{place_of_byte(error)}: the file is not in UTF-8.")
    except NotDecrypted as error:
        return _mistaken(name, str(error))
    except yaml.YAMLError as error:
        return _mistaken(name, _reason(error, plain))
    except RecursionError:
        return _mistaken(name, f"{_deepest(plain)}: is nested too deeply.")


def _read(loader: _Loader, plain: str, name: str, look_at: LookAt | None) -> YamlText:
    try:
        node = loader.get_node() if loader.check_node() else None
        if loader.check_node():
            return _mistaken(name, f"{_place(loader.peek_event())}: {_SECOND_DOCUMENT}")
        looped = None if node is None else _in_itself(node, {})
        if looped is not None:
            return _mistaken(name, f"{_place(looped)}: holds an alias that stands for something that it is in.")
        more = look_at(plain, node) if look_at is not None and not loader.is_vaulted else []
        content = None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()
    mistakes = [Mistake(name, mistake, ": ") for mistake in more]
    # In the order of the lines, and not in that in which values are made.
    mistakes += [Mistake(f"{name}: {place}", sentence, ": ") for place, sentence in sorted(loader.mistakes)]
    return YamlText(content, list(mistakes), _places_in(node))


def _deepest(plain: str) -> Place:
    """Where the text is nested most deeply, as far as it can be read."""
    depth, deepest, place = 0, 0, Place(1, 1)
    with contextlib.suppress(yaml.YAMLError):
        for event in yaml.parse(plain, Loader=_Base):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > deepest:
                deepest, place = depth, _place(event)
    return place


def _mistaken(name: str, sentence: str) -> YamlText:
    return YamlText(mistakes=[Mistake(name, sentence, ": ")])


def _in_itself(node: yaml.Node, known: dict[int, bool]) -> yaml.Node | None:
    """The first node that is in itself. known: by the identity of a node whether it is being looked into, and not just was."""
    if id(node) in known:
        return node if known[id(node)] else None
    known[id(node)] = True
    inner = node.value if isinstance(node, yaml.CollectionNode) else []
    nodes = [one for entry in inner for one in (entry if isinstance(entry, tuple) else (entry,))]
    found = next(filter(None, (_in_itself(one, known) for one in nodes)), None)
    known[id(node)] = False
    return found


def _places_in(root: yaml.Node | None) -> dict[MemberPath, Place]:
    """Each node once, since aliases may make of a few lines more paths than any memory holds; what is behind one has the place of the alias."""
    places: dict[MemberPath, Place] = {}
    seen: set[int] = set()
    waiting: list[tuple[MemberPath, yaml.Node]] = [] if root is None else [((), root)]
    while waiting:
        path, node = waiting.pop()
        places.setdefault(path, _place(node))
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode):
                    places.setdefault((*path, key.value), _place(key))
                    waiting.append(((*path, key.value), value))
        elif isinstance(node, yaml.SequenceNode):
            waiting += [((*path, number), entry) for number, entry in enumerate(node.value)]
    return places


def _place(node: Any) -> Place:
    """Where a node or an event begins."""
    return Place(node.start_mark.line + 1, node.start_mark.column + 1)


def place_of(error: yaml.YAMLError) -> str:
    """Where a text is no YAML, as far as that is known, as the beginning of a sentence."""
    mark = getattr(error, "problem_mark", None)
    return f"{Place(mark.line + 1, mark.column + 1)}: " if mark is not None else ""


def _reason(error: yaml.YAMLError, plain: str) -> str:
    """What is wrong and where, without the text around it, which may be secret."""
    if isinstance(error, yaml.reader.ReaderError) and (sign := yaml.reader.Reader.NON_PRINTABLE.search(plain)):
        before = plain[: sign.start()]
        place = Place(before.count("\n") + 1, len(before) - before.rfind("\n"))
        return f"{place}: there is a control character. Remove it, or write it as an escape in double quotes."
    where = place_of(error)
    if isinstance(error, yaml.constructor.ConstructorError):
        return f"{where}there is no such tag in these files; put a text that begins with ! in quotes."
    if isinstance(error, yaml.composer.ComposerError):
        return f"{where}there is no such alias, or it is there twice; put a text that begins with * or & in quotes."
    # Single signs are what is missing or too much; longer texts are of the file.
    problem = re.sub(r"'(?!<)[^']{3,}'?.*", "…", getattr(error, "problem", None) or "is no YAML")
    return f"{where}{problem}."


class _Loader(_Base):
    """YAML as Ansible reads it, but that nothing is evaluated and that a key which is there twice is a mistake."""

    vault: VaultLib
    is_vaulted: bool
    decrypts_values: bool

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.mistakes: list[tuple[Place, str]] = []

    def mistake(self, node: yaml.Node, sentence: str) -> None:
        """Goes on after a mistake."""
        self.mistakes.append((_place(node), sentence))

    def text(self, node: yaml.ScalarNode) -> str:
        value: str = self.construct_scalar(node)
        if _TEMPLATE.search(value):
            self.mistake(node, _TEMPLATES)
        return value

    def plain_text(self, node: yaml.ScalarNode) -> str:
        value: str = self.construct_scalar(node)
        return value

    def whole_number(self, node: yaml.ScalarNode) -> Any:
        """Decided here, as the only place that knows the digits that were written. They may be a secret, and are in no mistake."""
        number = self.construct_yaml_int(node)
        if str(number) == node.value:
            return number
        self.mistake(node, _OTHER_NUMBER)
        return node.value

    def secret(self, node: yaml.ScalarNode) -> str:
        if not self.decrypts_values:
            return Ciphertext(self.construct_scalar(node))
        try:
            text = decrypted(self.vault, self.construct_scalar(node).encode()).decode("utf-8")
        except (NotDecrypted, UnicodeDecodeError) as error:
            raise NotDecrypted(f"{_place(node)}: {error}") from None
        hold(self.vault, [text])
        return text

    def mapping(self, node: yaml.MappingNode) -> Any:
        result: dict[Any, Any] = {}
        yield result
        if isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            node.value = [member for member in node.value if self._has_name(member[0], seen)]
        members = self.construct_mapping(node)
        if self.is_vaulted:
            members = in_vaulted_file(self.vault, members)
        vaulted = {key.value for key, value in node.value if _is_vaulted(value)}
        result.update({VaultedName(name) if name in vaulted else name: value for name, value in members.items()})

    def _has_name(self, key: yaml.Node, seen: set[str]) -> bool:
        """Whether a member has a name at all; one that is there twice, too, is a mistake. seen: the names before it."""
        if not isinstance(key, yaml.ScalarNode):
            self.mistake(key, _NO_NAME)
            return False
        if key.value in seen:
            self.mistake(key, f"{key.value} is there twice.")
        seen.add(key.value)
        return True


def _is_vaulted(node: yaml.Node) -> bool:
    """Whether a value, or an entry of a list, is encrypted."""
    if isinstance(node, yaml.SequenceNode):
        return any(entry.tag in VAULT_TAGS for entry in node.value)
    return node.tag in VAULT_TAGS


def _register(tag: str, construct: Callable[[Any, Any], Any]) -> None:
    _Loader.add_constructor(tag, construct)


def _as_tagged(construct: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """What PyYAML raises for !!int and its like names the value, and not where it is."""

    def constructed(loader: _Loader, node: yaml.Node) -> Any:
        try:
            return construct(loader, node)
        except (ValueError, LookupError):
            loader.mistake(node, "holds a value that is not what its tag says.")
            return None

    return constructed


_register("tag:yaml.org,2002:str", _Loader.text)
_register("tag:yaml.org,2002:map", _Loader.mapping)
_register("tag:yaml.org,2002:int", _as_tagged(_Loader.whole_number))
_register("tag:yaml.org,2002:float", _as_tagged(_Base.construct_yaml_float))
_register("tag:yaml.org,2002:bool", _as_tagged(_Base.construct_yaml_bool))
# A date is an option's text like any other.
_register("tag:yaml.org,2002:timestamp", _Loader.plain_text)
_register("!unsafe", _Loader.plain_text)
for _tag in VAULT_TAGS:
    _register(_tag, _Loader.secret)
