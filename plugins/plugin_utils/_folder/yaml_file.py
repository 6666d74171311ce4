# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a YAML file that a person wrote: nothing is evaluated, and every mistake has its file and line. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from ansible.errors import AnsibleError
from ansible.parsing.vault import AnsibleVaultFormatError, VaultLib

from ...module_utils._secrets.redaction import is_secret_name
from ...module_utils._task.mistakes import Mistake
from .._run.controller_files import VAULT_HEADER, read_regular, reason_of

MemberPath = tuple[Any, ...]
"""Where in the content: ("emails", 0, "max_size")."""
VAULT_TAGS = ("!vault", "!vault-encrypted")
EXPORT_MARK = "# hosting.panel.export:"
"""What the first line of a file begins with that an export wrote, and may replace."""
_SWITCHES = frozenset({"regenerate_password", "send_login_credentials", "update_password"})

_MOST_NODES_PER_CHARACTER = 20
_TEMPLATE = re.compile(r"\{\{|\{%")
_TEMPLATES = (
    "templates are not evaluated in these files. Write the value itself. Encrypt a secret with ansible-vault encrypt_string; "
    "mark a text that only looks like a template with !unsafe."
)
_NO_NAME = "a list or a dictionary cannot be a name. {{ }} without quotes makes one; templates are not evaluated in these files."
_NO_SECRET = (
    "encrypted with Ansible Vault, and this run has no Vault password. Start ansible-playbook with --vault-password-file, --vault-id or "
    "--ask-vault-pass, or set ANSIBLE_VAULT_PASSWORD_FILE."
)
_YAML = "tag:yaml.org,2002:"
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class NotDecrypted(Exception):
    """The text says why and holds nothing of the secret."""


class Secret(NamedTuple):
    """A value that the file has encrypted with !vault. text: None if this run cannot decrypt it."""

    ciphertext: str
    text: str | None


@dataclass(frozen=True)
class YamlFile:
    """What a file holds.

    content: plain dictionaries, lists, texts and numbers; None if the file is empty or cannot be read. mistakes: sentences that start with the file
    and, if known, the line. lines: by path, of every part of the content. secrets: by path, what is encrypted on its own. is_encrypted: the whole
    file was. is_from_export: its first line says that an export wrote it.
    """

    name: str
    content: Any = field(default=None, repr=False)
    mistakes: tuple[str, ...] = ()
    lines: dict[MemberPath, int] = field(default_factory=dict, repr=False)
    secrets: dict[MemberPath, Secret] = field(default_factory=dict, repr=False)
    is_encrypted: bool = False
    is_from_export: bool = False

    def place(self, path: MemberPath) -> str:
        """``NAME: line 7``, the line of the nearest part around a path that the file does not have."""
        line = next((self.lines[path[:end]] for end in range(len(path), -1, -1) if path[:end] in self.lines), None)
        return self.name if line is None else f"{self.name}: line {line}"

    def plain_secrets(self) -> list[str]:
        """Places of passwords and private keys that are not encrypted."""
        return [] if self.is_encrypted else [self.place(path) for path in self._plain(self.content, ())]

    def _plain(self, value: Any, path: MemberPath) -> Iterator[MemberPath]:
        if isinstance(value, list):
            for number, inner in enumerate(value):
                yield from self._plain(inner, (*path, number))
        for name, inner in value.items() if isinstance(value, dict) else ():
            where = (*path, name)
            if isinstance(inner, (dict, list)):
                yield from self._plain(inner, where)
            elif (
                inner not in (None, "") and where not in self.secrets and is_secret_name(name) and name not in _SWITCHES
            ):
                yield where


def read_yaml(path: Path, name: str, vault: VaultLib, must_decrypt: bool = True) -> YamlFile:
    """The content with all its mistakes; never raises. name: of the file in messages.

    must_decrypt: otherwise a value that this run cannot decrypt is no mistake, and None in the content.
    """
    reader = _Reader(name, vault, must_decrypt)
    is_encrypted = False
    try:
        data = read_regular(path)
        is_encrypted = data.startswith(VAULT_HEADER)
        text = (decrypted(vault, data) if is_encrypted else data).decode("utf-8-sig")
        content = reader.read(text)
    except OSError as error:
        return YamlFile(name, mistakes=(Mistake(name, f"{reason_of(error)}.", ": "),))
    except UnicodeDecodeError as error:
        line = 1 + error.object.count(b"\n", 0, error.start)
        return YamlFile(name, mistakes=(Mistake(f"{name}: line {line}", "the file is not in UTF-8.", ": "),))
    except NotDecrypted as error:
        return YamlFile(name, mistakes=(Mistake(name, str(error), ": "),), is_encrypted=is_encrypted)
    mistakes = tuple(mistake for _line, mistake in sorted(reader.mistakes, key=lambda one: one[0]))
    return YamlFile(name, content, mistakes, reader.lines, reader.secrets, is_encrypted, text.startswith(EXPORT_MARK))


def may_hold_secrets(path: Path) -> bool:
    """Whether anything in it may be encrypted, which is so of few files."""
    try:
        data = read_regular(path)
    except OSError:
        return True  # what is wrong with it shows when it is read
    return data.startswith(VAULT_HEADER) or b"!vault" in data


def decrypted(vault: VaultLib, data: bytes) -> bytes:
    """What was encrypted; raises NotDecrypted."""
    if not vault.secrets:
        raise NotDecrypted(_NO_SECRET)
    try:
        plain: bytes = vault.decrypt(data)
    except AnsibleVaultFormatError:
        raise NotDecrypted("encrypted with Ansible Vault, and damaged.") from None
    except AnsibleError:
        raise NotDecrypted("encrypted with Ansible Vault, and no Vault password of this run decrypts it.") from None
    return plain


class _Reader:
    def __init__(self, name: str, vault: VaultLib, must_decrypt: bool) -> None:
        self.mistakes: list[tuple[int, Mistake]] = []
        self.lines: dict[MemberPath, int] = {}
        self.secrets: dict[MemberPath, Secret] = {}
        self._name, self._vault, self._must_decrypt = name, vault, must_decrypt
        self._flat: set[int] = set()
        self._loader: Any = None

    def read(self, text: str) -> Any:
        try:
            self._loader = _Loader(text)
            root = self._loader.get_node() if self._loader.check_node() else None
            if self._loader.check_node():
                self._mistake(self._loader.peek_event(), "this is a second YAML document. Put everything into one.")
                return None
            if root is None or not self._is_finite(root, _MOST_NODES_PER_CHARACTER * len(text)):
                return None
            return self._value(root, ())
        except yaml.YAMLError as error:
            line, sentence = _explained(error, text)
            self.mistakes.append((line, Mistake(f"{self._name}: line {line}", sentence, ": ")))
        except RecursionError:
            self.mistakes.append((1, Mistake(self._name, "the content is nested too deeply.", ": ")))
        return None

    def _mistake(self, node: Any, sentence: str) -> None:
        line = _line(node)
        self.mistakes.append((line, Mistake(f"{self._name}: line {line}", sentence, ": ")))

    def _is_finite(self, root: yaml.Node, most: int) -> bool:
        """Counts the nodes with aliases expanded: a few lines of nested aliases may stand for more than any memory holds."""
        sizes: dict[int, int] = {}

        def size(node: yaml.Node) -> int:
            if isinstance(node, yaml.ScalarNode):
                return 1
            known = sizes.get(id(node))
            if known is None:
                sizes[id(node)] = 0
                known = sizes[id(node)] = 1 + sum(map(size, _inner(node)))
                if known > most:
                    raise _TooLarge(node, "aliases make this far larger than the file. Write the values out.")
            elif known == 0:
                raise _TooLarge(node, "an alias in this stands for the whole of it. Write the values out.")
            return known

        try:
            size(root)
        except _TooLarge as error:
            self._mistake(*error.args)
            return False
        return True

    def _value(self, node: Any, path: MemberPath) -> Any:
        self.lines.setdefault(path, _line(node))
        if isinstance(node, yaml.SequenceNode):
            return [self._value(entry, (*path, number)) for number, entry in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: MemberPath) -> dict[Any, Any]:
        if id(node) not in self._flat:
            self._flat.add(id(node))
            self._check_names(node)
            self._loader.flatten_mapping(node)
        found = {}
        for key, value in node.value:
            name = self._scalar(key, path) if isinstance(key, yaml.ScalarNode) else None
            if name is not None:
                self.lines[(*path, name)] = _line(key)
                found[name] = self._value(value, (*path, name))
        return found

    def _check_names(self, node: yaml.MappingNode) -> None:
        seen: set[str] = set()
        for key, _value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._mistake(key, _NO_NAME)
            elif key.value in seen:
                self._mistake(key, f"{key.value} is there twice.")
            else:
                seen.add(key.value)

    def _scalar(self, node: yaml.ScalarNode, path: MemberPath) -> Any:
        tag, text = node.tag.removeprefix(_YAML), node.value
        if tag == "str":
            if _TEMPLATE.search(text):
                self._mistake(node, _TEMPLATES)
            return text
        if tag in VAULT_TAGS:
            return self._secret(node, path)
        if tag in ("!unsafe", "timestamp"):  # an option takes a date as a text
            return text
        if tag not in ("int", "float", "bool", "null"):
            self._mistake(node, "this tag is not known in these files. Put a text that starts with ! in quotes.")
            return None
        try:
            value = self._loader.construct_object(node)
        except (ValueError, LookupError):
            self._mistake(node, "the value is not what its tag says.")
            return None
        # 01234 and 12:30:45 are other numbers in YAML than a person reads.
        return text if tag == "int" and str(value) != text else value

    def _secret(self, node: yaml.ScalarNode, path: MemberPath) -> str | None:
        text = None
        try:
            text = decrypted(self._vault, node.value.encode()).decode("utf-8")
        except UnicodeDecodeError:
            self._mistake(node, "the encrypted value is not a text in UTF-8.")
        except NotDecrypted as error:
            if self._must_decrypt:
                self._mistake(node, str(error))
        self.secrets[path] = Secret(node.value, text)
        return text


class _TooLarge(Exception):
    """args: the node, and a sentence."""


def _inner(node: yaml.Node) -> list[yaml.Node]:
    return [part for entry in node.value for part in (entry if isinstance(entry, tuple) else (entry,))]


def _line(node: Any) -> int:
    line: int = node.start_mark.line + 1
    return line


def _explained(error: yaml.YAMLError, text: str) -> tuple[int, str]:
    """The line, and what is wrong without the text around it, which may be secret."""
    if isinstance(error, yaml.reader.ReaderError):
        return 1 + text.encode()[: error.position].count(b"\n"), "control characters are not allowed."
    mark = getattr(error, "problem_mark", None)
    line = 1 if mark is None else mark.line + 1
    if isinstance(error, yaml.composer.ComposerError):
        return line, "there is no such alias, or it is there twice. Put a text that starts with * or & in quotes."
    problem = re.sub(r"'(?!<)[^']{3,}'?.*", "…", getattr(error, "problem", None) or "not valid YAML")
    return line, f"not valid YAML: {problem}."
