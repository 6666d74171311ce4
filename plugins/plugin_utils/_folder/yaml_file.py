# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a YAML file that a person wrote.

Nothing is evaluated, and every mistake has its file and line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from ansible.errors import AnsibleError
from ansible.parsing.vault import VaultLib

from ...module_utils._problems import Problem
from .._run.controller_files import VAULT_HEADER, describe_reason, read_regular
from .._run.nested_text import SAFE_LOADER, TooDeep, TooLarge, check_aliases, check_depth
from .yaml_tags import DATE, PLAIN_TAGS, TAG, TEXT, UNSAFE, VAULT_TAGS, correct_nodes

Place = tuple[Any, ...]
"""Where in a file: ("emails", 0, "max_size")."""
_TEMPLATE = re.compile(r"\{\{|\{%|\A#jinja2:")
_TEMPLATES = (
    "templates are not evaluated in these files. Write the value itself; encrypt a secret with "
    "ansible-vault encrypt_string, and mark a string that only looks like a template with !unsafe."
)
# In the words of YAML: what it quotes is longer only where it comes from the file.
_QUOTED = re.compile(r"'([^']*)'?")
_LONGEST_SIGN = 2
# A byte order mark, blanks and empty lines, which editors put before the header.
_BEFORE_HEADER = b"\xef\xbb\xbf \t\r\n"
_LATE_HEADER = (
    "a byte order mark or blanks stand before $ANSIBLE_VAULT, so the file is not decrypted. "
    "Remove them."
)
# What Ansible's Vault makes of a text: a line with its format, and lines of hexadecimal digits.
_CIPHERTEXT = re.compile(
    r"\$ANSIBLE_VAULT;[0-9.]{1,9};[A-Z0-9]{1,20}(?:;[^\n]{1,1000})?[ \t\r]{0,100}\n[0-9a-fA-F\s]+"
)
_NOT_ENCRYPTED = (
    "!vault stands before a text that is not encrypted. Encrypt it with ansible-vault "
    "encrypt_string, or remove !vault."
)
_NO_SECRET = (
    "encrypted with Ansible Vault, and this run has no Vault password that decrypts it. "
    "Give the right one with --vault-password-file, --vault-id or --ask-vault-pass; "
    "if it is right, the text is damaged."
)


class NotRead(Exception):
    """A file cannot be read.

    Attributes:
        sentence: Why.
        line: The line of the file; 0 for all of it.
    """

    def __init__(self, sentence: str, line: int = 0) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.line = line


class Vaulted(str):
    """A value that a file has encrypted on its own, decrypted; empty where this run cannot do that.

    Attributes:
        ciphertext: The value as the file has it.
        is_decrypted: Whether the text is that of the value.
    """

    ciphertext = ""
    is_decrypted = True


@dataclass(frozen=True)
class YamlFile:
    """A file with objects.

    Attributes:
        name: Its path below the directory.
        content: What it holds; None if it is empty or cannot be read.
        mistakes: What is wrong with it, each with its line.
        is_encrypted: Whether it is encrypted as a whole.
        root: The nodes of the content, which know their lines.
        line: The line of all of it, for what is no YAML.
    """

    name: str
    content: Any = field(default=None, repr=False)
    mistakes: tuple[Problem, ...] = ()
    is_encrypted: bool = False
    root: yaml.Node | None = field(default=None, repr=False)
    line: int = 0

    @property
    def is_empty(self) -> bool:
        """Return whether it holds nothing at all. What is no dictionary may be meant as one."""
        return self.content is None or self.content == {}

    def locate(self, where: Place) -> str:
        """Return ``NAME: line 7``, the line of the nearest part that the file has."""
        line = self.line
        if self.root is not None:
            line = _list_lines_to(self.root, where)[-1]
        return f"{self.name}: line {line}" if line else self.name

    def find_text(self, where: Place) -> str | None:
        """Return the text of a single value as it is in the file; None if it has no such value."""
        node = self.root
        for step in where:
            if node is None:
                return None
            node = _find_part_node(node, step)
        return str(node.value) if isinstance(node, yaml.ScalarNode) else None

    def has(self, where: Place) -> bool:
        """Return whether the file has a value at a place."""
        return self.root is not None and len(_list_lines_to(self.root, where)) > len(where)


def read_yaml(path: Path, name: str, vault: VaultLib, must_decrypt: bool = True) -> YamlFile:
    """Read a file; never raises.

    Args:
        path: The file.
        name: What messages call it.
        vault: Decrypts it and its values.
        must_decrypt: Whether a value that this run cannot decrypt is a mistake.
    """
    mistakes: list[tuple[int, str]] = []
    content = None
    root = None
    is_encrypted = False
    try:
        text, is_encrypted = read_text(path, vault)
        check_depth(text)
        loader = _Loader(text, vault, must_decrypt, mistakes)
        root = loader.get_single_node()
        if root is not None:
            check_aliases(root, len(text))
            loader.correct(root)
            content = loader.construct_object(root, deep=True)
    except NotRead as error:
        mistakes.append((error.line, error.sentence))
    except (TooDeep, TooLarge) as error:
        mistakes.append((error.line, str(error)))
    except yaml.reader.ReaderError as error:
        line = 1 + text.encode()[: error.position].count(b"\n")
        mistakes.append((line, "control characters are not allowed."))
    except yaml.MarkedYAMLError as error:
        mistakes.append(_read_mistake(error, text))

    problems = []
    for line, sentence in sorted(mistakes):
        file_and_line = f"{name}: line {line}" if line else name
        problems.append(describe_mistake_in_file(file_and_line, sentence))
    if content is None:
        root = None
    return YamlFile(name, content, tuple(problems), is_encrypted, root)


def describe_mistake_in_file(file_and_line: str, sentence: str) -> Problem:
    """Return what is wrong in a file; the line is only there where it is known."""
    return Problem(subject=file_and_line, cause=sentence)


def _read_mistake(error: yaml.MarkedYAMLError, text: str) -> tuple[int, str]:
    """Return the line and the problem of what is no YAML, without the text around it."""
    problem = _hide_quoted_text(f"{error.context or ''} {error.problem}".strip())
    mark = error.problem_mark
    if not mark:
        return 1, f"not valid YAML: {problem}."
    (line,) = text.split("\n")[mark.line : mark.line + 1] or [""]
    if line[mark.column : mark.column + 1] == "\t":
        problem = "a tab stands where only blanks may"
    return mark.line + 1, f"not valid YAML: {problem}."


def _hide_quoted_text(problem: str) -> str:
    """Return a problem of YAML up to the first text of the file in it, which may be secret.

    What YAML itself quotes is a sign such as '-', or a word in angle brackets.
    """
    for quoted in _QUOTED.finditer(problem):
        if len(quoted[1]) > _LONGEST_SIGN and not quoted[1].startswith("<"):
            return f"{problem[: quoted.start()]}…"
    return problem


def read_text(path: Path, vault: VaultLib) -> tuple[str, bool]:
    """Return the text of a file, and whether it is encrypted as a whole.

    Raises:
        NotRead: It cannot be read or decrypted.
    """
    try:
        content = read_regular(path)
        is_encrypted = content.startswith(VAULT_HEADER)
        if is_encrypted:
            content = _decrypt(vault, content)
        elif content.lstrip(_BEFORE_HEADER).startswith(VAULT_HEADER):
            raise NotRead(_LATE_HEADER, 1)
        return content.decode("utf-8-sig"), is_encrypted
    except OSError as error:
        raise NotRead(f"{describe_reason(error)}.") from None
    except UnicodeDecodeError as error:
        line = 1 + error.object.count(b"\n", 0, error.start)
        raise NotRead("the file is not in UTF-8. Save it in UTF-8.", line) from None


def _decrypt(vault: VaultLib, ciphertext: bytes) -> bytes:
    try:
        return bytes(vault.decrypt(ciphertext))
    except AnsibleError:
        raise NotRead(_NO_SECRET) from None


# Places in a file


def _get_line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _list_lines_to(node: yaml.Node, where: Place) -> list[int]:
    """Return the lines of the whole and of each part on the way, as far as the file has them."""
    lines = [_get_line(node)]
    for step in where:
        name_and_node = _find_part(node, step)
        if name_and_node is None:
            break
        name, node = name_and_node
        lines.append(_get_line(name))
    return lines


def _find_part(node: yaml.Node, step: Any) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the part of a node at a step, behind what names it; None if it has no such part."""
    if isinstance(node, yaml.MappingNode):
        pairs = [pair for pair in node.value if pair[0].value == step]
        return pairs[-1] if pairs else None
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    return None


def _find_part_node(node: yaml.Node, step: Any) -> yaml.Node | None:
    name_and_node = _find_part(node, step)
    if name_and_node is None:
        return None
    _name, part_node = name_and_node
    return part_node


# Values


class _Loader(SAFE_LOADER):
    """Makes plain values of a file, and notes what is wrong with it, each with its line."""

    def __init__(
        self, text: str, vault: VaultLib, must_decrypt: bool, mistakes: list[tuple[int, str]]
    ) -> None:
        super().__init__(text)
        self._vault = vault
        self._must_decrypt = must_decrypt
        self._mistakes = mistakes

    def _add_mistake(self, node: yaml.Node, sentence: str) -> None:
        self._mistakes.append((_get_line(node), sentence))

    def correct(self, root: yaml.Node) -> None:
        """Note what is wrong with tags and names, and give all nodes tags that fit."""
        for node, sentence in correct_nodes(root, self):
            self._add_mistake(node, sentence)

    def construct_text(self, node: Any) -> str:
        """Return a text, and note that it is a template."""
        if _TEMPLATE.search(node.value):
            self._add_mistake(node, _TEMPLATES)
        return str(node.value)

    def construct_as_written(self, node: Any) -> str:
        """Return a value as the text that the file has."""
        return str(node.value)

    def construct_plain(self, node: Any) -> Any:
        """Return a number, a switch or nothing; a number that YAML changes stays a text."""
        kind = node.tag.rpartition(":")[2]
        try:
            value = getattr(self, f"construct_yaml_{kind}")(node)
            read = str(value)
        except ValueError:  # 0x_ is no number, and one of thousands of digits has no text
            return node.value
        # 01234 and 12:30:45 are other numbers in YAML than a person reads, and 8.10 has lost a
        # digit.
        is_number = kind in ("int", "float")
        return node.value if is_number and read != node.value else value

    def construct_vaulted(self, node: Any) -> str:
        """Return an encrypted value, decrypted, and note where that cannot be done.

        A text that is not encrypted stays plain, so that it is masked as any other is.
        """
        if _CIPHERTEXT.fullmatch(node.value) is None:
            self._add_mistake(node, _NOT_ENCRYPTED)
            return str(node.value)

        value = Vaulted()
        value.is_decrypted = False
        try:
            value = Vaulted(_decrypt(self._vault, node.value.encode()).decode())
        except UnicodeDecodeError:
            self._add_mistake(node, "what it decrypts to is not in UTF-8.")
        except NotRead as error:
            if self._must_decrypt:
                self._add_mistake(node, error.sentence)
        value.ciphertext = node.value
        return value


_Loader.yaml_constructors = {
    f"{TAG}map": SAFE_LOADER.yaml_constructors[f"{TAG}map"],
    f"{TAG}seq": SAFE_LOADER.yaml_constructors[f"{TAG}seq"],
    **dict.fromkeys(PLAIN_TAGS, _Loader.construct_plain),
    TEXT: _Loader.construct_text,
    # An option takes a date as a text.
    DATE: _Loader.construct_as_written,
    UNSAFE: _Loader.construct_as_written,
    **dict.fromkeys(VAULT_TAGS, _Loader.construct_vaulted),
}
