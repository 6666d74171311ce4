"""What makes two recordings of `tools.record` comparable: the same chances in each run, and one form for what changes with every run.

Temporary, as tools/record.py is.
"""

from __future__ import annotations

import base64
import binascii
import concurrent.futures.thread
import dataclasses
import datetime
import hashlib
import importlib
import json
import os
import random
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tools.layout import ROOT

NOW = datetime.datetime(2026, 11, 29, 12, tzinfo=datetime.UTC)
"""When the simulator creates all its objects."""
DEPTH_OF_COMMANDS = 2
"""How many processes are between the one that has loaded Ansible and a command."""
SIMULATOR = ("fields", "handlers", "kinds.domains", "panel")


class Chances(random.Random):
    """Random numbers that follow from a text; also what `secrets` offers, for the simulator."""

    def start(self, text: str) -> None:
        """Begin anew with the numbers of this text."""
        self.seed(text)

    def token_bytes(self, size: int | None = None) -> bytes:
        """Return so many bytes."""
        return self.randbytes(32 if size is None else size)

    def token_hex(self, size: int | None = None) -> str:
        """Return so many bytes as hexadecimal digits."""
        return self.token_bytes(size).hex()

    def token_urlsafe(self, size: int | None = None) -> str:
        """Return a text of letters and digits of about 4/3 of the size."""
        return base64.urlsafe_b64encode(self.token_bytes(size)).rstrip(b"=").decode()


OF_CODE, OF_SIMULATOR = Chances("code"), Chances("simulator")


class FixedTime(datetime.datetime):
    """A class of instants for which it is always the same time."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> FixedTime:
        """Return that time."""
        return cls.fromtimestamp(NOW.timestamp(), tz)


def fix_simulator() -> None:
    """Let the simulator of this process make the same passwords at the same time in each run, anew after each reset."""
    for name in SIMULATOR:
        module = vars(importlib.import_module(f"panel_simulator.{name}"))
        if "secrets" in module:
            module["secrets"] = OF_SIMULATOR
        if "datetime" in module:
            module["datetime"] = FixedTime
    panel = importlib.import_module("panel_simulator.panel").Panel
    reset = panel.reset_objects

    def reset_objects(self: Any) -> None:
        OF_SIMULATOR.start("reset")
        reset(self)

    panel.reset_objects = reset_objects


def fix_chances() -> None:
    """Let `random`, `secrets` and `os.urandom` of this process follow from the text that `start_chances` is called with."""
    vars(random)["_urandom"] = OF_CODE.token_bytes
    vars(os)["urandom"] = OF_CODE.token_bytes


def fix_commands() -> None:
    """Let the commands of Ansible that start in this process have the same chances, and send one request at a time.

    They are children of its children; each of their own children has other chances, in the order in which they are made.
    """
    fix_chances()
    name, depth, children = "", 0, 0

    def count() -> None:
        nonlocal children
        children += 1

    def start() -> None:
        nonlocal name, depth, children
        depth += 1
        name = f"{name} {children}" if depth > DEPTH_OF_COMMANDS else "command"
        children = 0
        OF_CODE.start(name)

    os.register_at_fork(before=count, after_in_child=start)
    make = ThreadPoolExecutor.__init__

    def make_for_one(self: Any, *arguments: Any, **keywords: Any) -> None:
        make(
            self,
            *(1, *arguments[1:]),
            **{name: value for name, value in keywords.items() if name != "max_workers"},
        )

    vars(concurrent.futures.thread)["ThreadPoolExecutor"].__init__ = make_for_one


def start_chances(text: str) -> None:
    """Begin anew with the numbers of this text."""
    OF_CODE.start(text)
    OF_SIMULATOR.start(text)
    random.seed(text)


# One form


_PEM = re.compile(
    r"-----\s*BEGIN\s+([A-Z0-9 ]+?)\s*-----.*?-----\s*END\s+\1\s*-----", re.DOTALL | re.IGNORECASE
)
_SPELLING = re.compile(r"[^A-Za-z0-9+/=]+")
_HASH = re.compile(r"\b(?:[0-9a-f]{32,128}|(?:[0-9A-Fa-f]{2}:){15,}[0-9A-Fa-f]{2})\b")
# From here to the end of what certificates of tests are valid for.
_DATE = re.compile(
    r"\b(?:2026-1[12]|202[789]-\d\d)-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)"
)
_REPLACED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"<(folder|temporary)>/[^/\s\"'\\]+"), r"<\1>/*"),
    (re.compile(r"ansible-(tmp|local)-[\w.-]+"), r"ansible-\1-*"),
    (re.compile(r"(?<=[/\"])(tmp|\.)[a-z0-9_]{8}(?![\w.])"), r"\1*"),
    (
        re.compile(r"\b(127\.0\.0\.1:|localhost:|::1\]:)\d{2,5}\b|(?<=_127_0_0_1_)\d{2,5}\b"),
        r"\1<port>",
    ),
    (re.compile(r"(?<=[:\[, ])1[789]\d{8}(?:\.\d+)?(?=[,\]} ])"), '"<time>"'),
    (re.compile(r"\b\d{24,}\b"), "<number>"),
    (re.compile(r"\b0x[0-9a-f]{6,}\b"), "<address>"),
)
_OF_COMMANDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b\d+(?:\.\d+)? ?(s|seconds?|ms)\b"), r"<count> \1"),
    (re.compile(r"\b(pid|process) \d+"), r"\1 <pid>"),
    (re.compile(r"(?<![.\d])j?\d{6,}\.\d+"), "<number>"),
)
_VOLATILE = frozenset({
    "ansible_job_id", "async_dir", "atime", "ctime", "delta", "dev", "duration", "elapsed", "end", "inode", "mtime", "pid", "ppid",
    "results_file", "seconds", "start",
})  # fmt: skip


def plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return {str(name): plain(member) for name, member in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((plain(member) for member in value), key=repr)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            member.name: plain(getattr(value, member.name)) for member in dataclasses.fields(value)
        }
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return [plain(member) for member in value]
    return type(value).__name__ if " at 0x" in repr(value) else repr(value)


def without_volatile(value: Any) -> Any:
    """Return the result of a command without its times and numbers of processes."""
    if isinstance(value, dict):
        if value.get("encoding") == "base64":
            value = {**value, "content": _decoded(value.get("content"))}
        return {
            name: without_volatile(member)
            for name, member in value.items()
            if name not in _VOLATILE
        }
    return [without_volatile(member) for member in value] if isinstance(value, list) else value


def _decoded(content: Any) -> Any:
    """Return what a file holds, as JSON where it is that."""
    try:
        text = base64.b64decode(content, validate=True).decode()
    except (TypeError, UnicodeDecodeError, binascii.Error):
        return content
    try:
        return without_volatile(json.loads(text))
    except ValueError:
        return text


class Form:
    """Writes values in one form. folder: of the temporary files of the tests."""

    def __init__(self, folder: str) -> None:
        """Note which paths are another one in each run."""
        paths = {folder: "<folder>", str(ROOT): "<root>", tempfile.gettempdir(): "<temporary>"}
        real = {os.path.realpath(path): name for path, name in paths.items()}
        self._paths = sorted({**real, **paths}.items(), key=lambda pair: -len(pair[0]))

    def write(self, value: Any, of_command: bool = False) -> str:
        """Return the JSON of a value. of_command: whether durations and numbers of processes are in its texts."""
        text = json.dumps(plain(value), sort_keys=True, ensure_ascii=False)
        for path, name in self._paths:
            text = text.replace(path, name)
        text = _numbered(_PEM, "pem", text, _meant, _spelling)
        text = _numbered(_HASH, "hash", text, str, lambda _text: "")
        text = _DATE.sub("<date>", text)
        for pattern, replacement in (*_REPLACED, *(_OF_COMMANDS if of_command else ())):
            text = pattern.sub(replacement, text)
        return text


def _meant(block: str) -> str:
    """Return what a PEM block says, however it is spelled."""
    return re.sub(r"(?:\\[nrt]|\s)+", "", block).lower()


def _spelling(block: str) -> str:
    """Return what a PEM block has beside its words, since their number changes with what they say."""
    return (
        " "
        + digest(" ".join(sorted(set(_SPELLING.findall(re.sub(r"\\([nrt])", r"\\-\1-", block))))))[
            :4
        ]
    )


def _numbered(
    pattern: re.Pattern[str],
    name: str,
    text: str,
    meant: Callable[[str], str],
    spelling: Callable[[str], str],
) -> str:
    """Replace what matches by its number: equal texts have the same one, in the order in which they come."""
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        return (
            f"<{name} {numbers.setdefault(meant(match[0]), len(numbers) + 1)}{spelling(match[0])}>"
        )

    return pattern.sub(number, text)


def digest(text: str) -> str:
    """Return a short name of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
