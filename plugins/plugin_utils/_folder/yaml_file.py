# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a YAML file that a person wrote: nothing is evaluated, and every mistake has its file and line. Private to the collection."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from ansible.errors import AnsibleError
from ansible.parsing.vault import VaultLib

from ...module_utils._values.nesting import DEEPEST
from .._run.controller_files import VAULT_HEADER, read_regular, reason_of
from .._run.nested_text import SAFE_LOADER, TooDeep, check_depth

Place = tuple[Any, ...]
"""Where in a file: ("emails", 0, "max_size")."""
_MOST_NODES_PER_CHARACTER = 20
_TEMPLATE = re.compile(r"\{\{|\{%|\A#jinja2:")
_TEMPLATES = (
    "templates are not evaluated in these files. Write the value itself; encrypt a secret with ansible-vault encrypt_string, and "
    "mark a string that only looks like a template with !unsafe."
)
_NO_NAME = "a list or a dictionary cannot be a name. {{ }} without quotes makes one; templates are not evaluated in these files."
_NO_SECRET = (
    "encrypted with Ansible Vault, and this run has no Vault password that decrypts it. Give the right one with --vault-password-file, --vault-id "
    "or --ask-vault-pass; if it is right, the text is damaged."
)


class NotRead(Exception):
    """The text says why; line: of the file, 0 for all of it."""

    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(why)
        self.line = line


class Vaulted(str):
    """A value that a file has encrypted on its own, decrypted; empty where this run cannot do that."""

    ciphertext = ""


@dataclass(frozen=True)
class YamlFile:
    """content: None if the file is empty or cannot be read. is_encrypted: as a whole. line: of all of it, for what is no YAML."""

    name: str
    content: Any = field(default=None, repr=False)
    mistakes: tuple[str, ...] = ()
    is_encrypted: bool = False
    root: yaml.Node | None = field(default=None, repr=False)
    line: int = 0

    def place(self, where: Place) -> str:
        """Return ``NAME: line 7``, the line of the nearest part around what the file does not have."""
        line = self.line if self.root is None else _lines_to(self.root, where)[-1]
        return f"{self.name}: line {line}" if line else self.name

    def written(self, where: Place) -> str | None:
        """Return the text of a single value as it is in the file; None where there is none."""
        node = self.root
        for step in where:
            node = None if node is None else _part_of(node, step)
        return str(node.value) if isinstance(node, yaml.ScalarNode) else None

    def has(self, where: Place) -> bool:
        """Tell whether the file has something there."""
        return self.root is not None and len(_lines_to(self.root, where)) > len(where)


def read_yaml(path: Path, name: str, vault: VaultLib, must_decrypt: bool = True) -> YamlFile:
    """Never raises. must_decrypt: otherwise a value that this run cannot decrypt is no mistake."""
    mistakes: list[tuple[int, str]] = []
    content = root = None
    text, is_encrypted = "", False
    try:
        text, is_encrypted = read_text(path, vault)
        check_depth(text)
        loader = _Loader(text, vault, must_decrypt, mistakes)
        root = loader.get_single_node()
        if root is not None:
            _check_aliases(root, _MOST_NODES_PER_CHARACTER * len(text), {})
            content = loader.construct_object(root, deep=True)
    except (NotRead, TooDeep) as error:
        mistakes.append((error.line, str(error)))
    except yaml.reader.ReaderError as error:
        mistakes.append((1 + text.encode()[: error.position].count(b"\n"), "control characters are not allowed."))
    except yaml.MarkedYAMLError as error:
        # Without the text around it, which may be secret.
        problem = re.sub(r"'(?!<)[^']{3,}'?.*", "…", f"{error.context or ''} {error.problem}".strip())
        mistakes.append((error.problem_mark.line + 1 if error.problem_mark else 1, f"not valid YAML: {problem}."))
    sentences = []
    for line, problem in sorted(mistakes):
        place = f"{name}: line {line}" if line else name
        sentences.append(f"{place}: {problem}")
    return YamlFile(name, content, tuple(sentences), is_encrypted, root if content is not None else None)


def read_text(path: Path, vault: VaultLib) -> tuple[str, bool]:
    """The text of a file, and whether it is encrypted as a whole; raises NotRead."""
    try:
        data = read_regular(path)
        is_encrypted = data.startswith(VAULT_HEADER)
        return (_decrypted(vault, data) if is_encrypted else data).decode("utf-8-sig"), is_encrypted
    except OSError as error:
        raise NotRead(f"{reason_of(error)}.") from None
    except UnicodeDecodeError as error:
        line = 1 + error.object.count(b"\n", 0, error.start)
        raise NotRead("the file is not in UTF-8. Save it in UTF-8.", line) from None


def _decrypted(vault: VaultLib, data: bytes) -> bytes:
    try:
        return bytes(vault.decrypt(data))
    except AnsibleError:
        raise NotRead(_NO_SECRET) from None


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _lines_to(node: yaml.Node, where: Place) -> list[int]:
    """The lines of the whole and of each part on the way, as far as the file has them."""
    lines = [_line(node)]
    for step in where:
        part = _named_part_of(node, step)
        if part is None:
            break
        name, node = part
        lines.append(_line(name))
    return lines


def _named_part_of(node: yaml.Node, step: Any) -> tuple[yaml.Node, yaml.Node] | None:
    """The part of a node at a step, behind what names it; None where there is none."""
    if isinstance(node, yaml.MappingNode):
        pairs = [pair for pair in node.value if pair[0].value == step]
        return pairs[-1] if pairs else None
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    return None


def _part_of(node: yaml.Node, step: Any) -> yaml.Node | None:
    part = _named_part_of(node, step)
    return None if part is None else part[1]


def _parts_of(node: yaml.Node) -> list[yaml.Node]:
    """Return the entries of a list, or the names and values of a dictionary."""
    if isinstance(node, yaml.ScalarNode):
        return []
    if not isinstance(node, yaml.MappingNode):
        return list(node.value)
    parts = []
    for name, value in node.value:
        parts += [name, value]
    return parts


def _check_aliases(node: yaml.Node, most: int, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Refuse a node whose aliases make it larger than any memory, or deeper than Python reads.

    Each alias counts as what it stands for.

    Args:
        node: The node.
        most: How many nodes it may be.
        known: Size and depth of nodes that were measured already, by id.

    Returns:
        How many nodes it is, and how deep they lie in one another.

    Raises:
        NotRead: It is too large.
        TooDeep: It is too deep, or is a part of itself.
    """
    if id(node) in known:
        return known[id(node)]
    # As long as it is not measured, only a part of it can ask for it.
    known[id(node)] = (1, DEEPEST)
    size = 1
    depth = 0
    for part in _parts_of(node):
        size_of_part, depth_of_part = _check_aliases(part, most, known)
        size += size_of_part
        depth = max(depth, depth_of_part)
    if not isinstance(node, yaml.ScalarNode):
        depth += 1
    if size > most:
        raise NotRead("aliases make this far larger than the file. Write the values out.", _line(node))
    if depth > DEEPEST:
        raise TooDeep(_line(node))
    known[id(node)] = (size, depth)
    return size, depth


class _Loader(SAFE_LOADER):
    """Makes plain values of a file, and notes what is wrong with it, each with its line."""

    def __init__(self, text: str, vault: VaultLib, must_decrypt: bool, mistakes: list[tuple[int, str]]) -> None:
        super().__init__(text)
        self._vault = vault
        self._must_decrypt = must_decrypt
        self._mistakes = mistakes

    def _mistake(self, node: yaml.Node, sentence: str) -> None:
        self._mistakes.append((_line(node), sentence))

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._mistake(key, _NO_NAME)
            elif key.value in seen:
                self._mistake(key, f"{key.value} is there twice.")
            else:
                seen.add(key.value)
        node.value = [pair for pair in node.value if isinstance(pair[0], yaml.ScalarNode)]
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping

    def text(self, node: Any) -> str:
        if _TEMPLATE.search(node.value):
            self._mistake(node, _TEMPLATES)
        return str(node.value)

    def as_written(self, node: Any) -> str:
        return str(node.value)

    def plain(self, node: Any) -> Any:
        kind = node.tag.rpartition(":")[2]
        try:
            value = getattr(self, f"construct_yaml_{kind}")(node)
        except (ValueError, LookupError):  # of a tag
            return node.value
        # 01234 and 12:30:45 are other numbers in YAML than a person reads, and 8.10 has lost a digit.
        is_number = kind in ("int", "float")
        return node.value if is_number and str(value) != node.value else value

    def unknown(self, node: Any) -> None:
        self._mistake(node, "this tag is not known in these files; put a string that starts with ! in quotes.")

    def vaulted(self, node: Any) -> Vaulted:
        value = Vaulted()
        try:
            value = Vaulted(_decrypted(self._vault, node.value.encode()).decode())
        except UnicodeDecodeError:
            self._mistake(node, "what it decrypts to is not in UTF-8.")
        except NotRead as error:
            if self._must_decrypt:
                self._mistake(node, str(error))
        value.ciphertext = node.value
        return value


_Loader.yaml_constructors = {
    **{
        f"tag:yaml.org,2002:{kind}": SAFE_LOADER.yaml_constructors[f"tag:yaml.org,2002:{kind}"]
        for kind in ("map", "seq")
    },
    **{f"tag:yaml.org,2002:{kind}": _Loader.plain for kind in ("int", "float", "bool", "null")},
    "tag:yaml.org,2002:str": _Loader.text,
    "tag:yaml.org,2002:timestamp": _Loader.as_written,  # an option takes a date as a text
    "!unsafe": _Loader.as_written,
    "!vault": _Loader.vaulted,
    "!vault-encrypted": _Loader.vaulted,
    None: _Loader.unknown,
}
