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
    """The text says why."""


class Secret(NamedTuple):
    """text: None if this run cannot decrypt it."""

    ciphertext: str
    text: str | None


@dataclass(frozen=True)
class YamlFile:
    """content: None if the file is empty or cannot be read. lines, secrets: by path. is_encrypted: as a whole."""

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
        content = self.content if isinstance(self.content, dict) and not self.is_encrypted else {}
        return [self.place(path) for path in self._plain(content, ())]

    def _plain(self, value: Any, path: MemberPath) -> Iterator[MemberPath]:
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            where = (*path, name)
            if isinstance(inner, (dict, list)):
                yield from self._plain(inner, where)
            elif is_secret_name(name) and name not in _SWITCHES and where not in self.secrets and inner:
                yield where


def read_yaml(path: Path, name: str, vault: VaultLib, must_decrypt: bool = True) -> YamlFile:
    """Never raises. must_decrypt: otherwise a value that this run cannot decrypt is no mistake, and None."""
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
    mistakes = sorted(reader.mistakes, key=lambda one: one[0])
    return YamlFile(
        name,
        content,
        tuple(one for _line, one in mistakes),
        reader.lines,
        reader.secrets,
        is_encrypted,
        text.startswith(EXPORT_MARK),
    )


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


class _TooLarge(Exception):
    pass


class _Reader:
    def __init__(self, name: str, vault: VaultLib, must_decrypt: bool) -> None:
        self.mistakes: list[tuple[int, Mistake]] = []
        self.lines: dict[MemberPath, int] = {}
        self.secrets: dict[MemberPath, Secret] = {}
        self._name, self._vault, self._must_decrypt = name, vault, must_decrypt
        self._flat: set[int] = set()
        self._loader: Any = None
        self._room = 0

    def read(self, text: str) -> Any:
        try:
            self._loader = _Loader(text)
            root = self._loader.get_node() if self._loader.check_node() else None
            if self._loader.check_node():
                self._mistake(_line(self._loader.peek_event()), "this is a second YAML document. Put all into one.")
            elif root is not None:
                self._room = _MOST_NODES_PER_CHARACTER * len(text)
                self._count(root)
                return self._value(root, ())
        except yaml.YAMLError as error:
            self._mistake(*_explained(error, text))
        except _TooLarge as error:
            self._mistake(error.args[0], "aliases make this far larger than the file. Write the values out.")
        except RecursionError:
            self.mistakes.append((1, Mistake(self._name, "the content is nested too deeply.", ": ")))
        return None

    def _mistake(self, line: int, sentence: str) -> None:
        self.mistakes.append((line, Mistake(f"{self._name}: line {line}", sentence, ": ")))

    def _count(self, node: yaml.Node, line: int = 0) -> None:
        """Each alias counts as what it stands for: a few nested ones are more than any memory holds. line: of the outermost part."""
        self._room -= 1
        if self._room < 0:
            raise _TooLarge(line)
        for entry in () if isinstance(node, yaml.ScalarNode) else node.value:
            parts = entry if isinstance(entry, tuple) else (entry,)
            for part in parts:
                self._count(part, line or _line(parts[0]))

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
                self._mistake(_line(key), _NO_NAME)
            elif key.value in seen:
                self._mistake(_line(key), f"{key.value} is there twice.")
            else:
                seen.add(key.value)

    def _scalar(self, node: yaml.ScalarNode, path: MemberPath) -> Any:
        tag, text = node.tag.removeprefix(_YAML), node.value
        if tag == "str":
            if _TEMPLATE.search(text):
                self._mistake(_line(node), _TEMPLATES)
            return text
        if tag in VAULT_TAGS:
            return self._secret(node, path)
        if tag in ("!unsafe", "timestamp"):  # an option takes a date as a text
            return text
        if tag not in ("int", "float", "bool", "null"):
            self._mistake(_line(node), "this tag is not known in these files. Put a text that starts with ! in quotes.")
            return None
        try:
            value = self._loader.construct_object(node)
        except (ValueError, LookupError):
            self._mistake(_line(node), "the value is not what its tag says.")
            return None
        # 01234 and 12:30:45 are other numbers in YAML than a person reads.
        return text if tag == "int" and str(value) != text else value

    def _secret(self, node: yaml.ScalarNode, path: MemberPath) -> str | None:
        text = None
        try:
            text = decrypted(self._vault, node.value.encode()).decode()
        except UnicodeDecodeError:
            self._mistake(_line(node), "the encrypted value is not a text in UTF-8.")
        except NotDecrypted as error:
            if self._must_decrypt:
                self._mistake(_line(node), str(error))
        self.secrets[path] = Secret(node.value, text)
        return text


def _line(node: Any) -> int:
    line: int = node.start_mark.line + 1
    return line


def _explained(error: yaml.YAMLError, text: str) -> tuple[int, str]:
    """The line, and what is wrong without the text around it, which may be secret."""
    if isinstance(error, yaml.reader.ReaderError):
        return 1 + text.encode()[: error.position].count(b"\n"), "control characters are not allowed."
    line = error.problem_mark.line + 1 if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark else 1
    if isinstance(error, yaml.composer.ComposerError):
        return line, "there is no such alias, or it is there twice. Put a text that starts with * or & in quotes."
    problem = re.sub(r"'(?!<)[^']{3,}'?.*", "…", getattr(error, "problem", None) or "not valid YAML")
    return line, f"not valid YAML: {problem}."
