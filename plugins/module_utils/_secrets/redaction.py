# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds secrets by options, names of fields and what they look like.

All is pure but ``Secrets``, which keeps the secrets of a session and learns those of its answers.
Known secrets leave every text that a panel or a message repeats; all else of the panel's words is
shown.
"""

from __future__ import annotations

import functools
import json
import re
import threading
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, Callable

from .known_forms import LONGEST_SECRET, KnownForms
from .secret_forms import (
    MASK,
    PRIVATE_KEY,
    holds_private_key,
    is_secret_in_extra,
    is_secret_name,
    mask_secret_forms,
)
from .spellings import LENGTH_OF_A_WORD, read_escapes

Path = tuple[str, ...]
IsSecret = Callable[[Any], bool]
ChangeText = Callable[[str], str]
EXTRA = "extra"  # the option for fields that the tables do not know
_OF_ADDRESSES = re.compile("url|link", re.IGNORECASE)
_HOST = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
_PARTS = re.compile(rf"[^/?&=#]{{{LENGTH_OF_A_WORD},}}")
# The types of options whose text may be a structure.
_STRUCTURES = frozenset({"dict", "list", "raw"})
_AROUND_VALUES = " \t\r\n\"'\\[](){}"
_PARTS_OF_VALUES = re.compile(rf"[^\s\"'\\[\](){{}},:=<>]{{{LENGTH_OF_A_WORD},}}")
_DROPPED = object()
LONGEST = 500
# Of a text of which a person sees 500 characters, so many are looked at, and a few more for a
# secret that begins in these.
_MOST_READ = 16_000
_MOST_ANSWERS = 100
# Fields of results that are words for people, and not data; playbooks put them into messages too.
_WORDS = frozenset({
    "msg",
    "warnings",
    "deprecations",
    "lines",
    "failures",
    "mistakes",
    "generates",
    "differences",
    "left_out",
    "unread",
})  # fmt: skip
# Control characters except the tabulator, what ends a line or a paragraph, marks that turn the
# direction of a text, what is not seen at all, and halves of characters, which no terminal takes.
_CONTROL = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_FIELD_NAME = re.compile("[a-z_]*")
_TITLE = re.compile(r"<title\b[^<>]*>", re.IGNORECASE)
_END_OF_TITLE = re.compile("</title", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
# Not html.unescape on the whole, which fails for a number of thousands of digits.
_ENTITY = re.compile(r"&(?:#[0-9]{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};?)")


def map_texts(
    value: Any,
    text: ChangeText,
    secret: Any = None,
    public: frozenset[str] = frozenset(),
    is_secret: IsSecret = is_secret_name,
) -> Any:
    """Return a copy of a value with each of its texts replaced.

    Args:
        value: What is copied.
        text: Makes what stands in the place of a text.
        secret: Stands in the place of a field with the name of a secret, if anything does.
        public: Names of fields whose texts everyone can read anyway; of these only private keys
            are replaced.
        is_secret: Whether a name is that of a secret.
    """
    return _Mapper(text, secret, public, is_secret).copy(value)


class _Mapper:
    """Copies values with their texts and secrets replaced; it takes the arguments of
    ``map_texts``.
    """

    def __init__(
        self,
        text: ChangeText,
        secret: Any,
        public: frozenset[str],
        is_secret: IsSecret,
    ) -> None:
        self._text = text
        self._secret = secret
        self._public = public
        self._is_secret = is_secret

    def copy(self, value: Any) -> Any:
        """Return a copy of a value."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, (list, tuple)):
            return [self.copy(entry) for entry in value]
        if isinstance(value, dict):
            return self._copy_fields(value)
        return value

    def _copy_fields(self, fields: dict[Any, Any]) -> dict[Any, Any]:
        """Return a copy of a dictionary."""
        copied: dict[Any, Any] = {}
        for name, member in fields.items():
            if not self._replaces(name, member):
                copied[name] = self._copy_member(name, member)
            elif self._secret is not _DROPPED:
                copied[name] = member if member in (None, "") else self._secret
        return copied

    def _copy_member(self, name: Any, member: Any) -> Any:
        """Return a copy of a field that is not secret by its name."""
        if name in self._public and _is_public_text(member):
            return member
        return self.copy(member)

    def _replaces(self, name: Any, member: Any) -> bool:
        """Tell whether something else stands in the place of a field; a switch may ask for a
        secret.
        """
        if self._secret is None or isinstance(member, bool):
            return False
        return self._is_secret(name)


class _MapperOfNames(_Mapper):
    """Copies values with their texts and the names of fields replaced.

    A name of small letters stays: it is that of a result or of a panel's table, where playbooks
    look for it, even if a password is the same word.
    """

    def __init__(self, text: ChangeText) -> None:
        super().__init__(text, None, frozenset(), is_secret_name)
        # Each name is masked once.
        self._names: dict[Any, Any] = {}

    def _copy_fields(self, fields: dict[Any, Any]) -> dict[Any, Any]:
        """Return a copy of a dictionary, with numbers behind names that become the same."""
        copied: dict[Any, Any] = {}
        counts: Counter[str] = Counter()
        for name, member in fields.items():
            new_name = self._mask_name(name)
            if new_name != name:
                counts[new_name] += 1
            if counts[new_name] > 1:
                new_name = f"{new_name} ({counts[new_name]})"
            copied[new_name] = self.copy(member)
        return copied

    def _mask_name(self, name: Any) -> Any:
        """Return what stands in the place of a name."""
        if name not in self._names:
            is_word = not isinstance(name, str) or _FIELD_NAME.fullmatch(name)
            self._names[name] = name if is_word else self._text(name)
        return self._names[name]


def _is_public_text(value: object) -> bool:
    """Tell whether the value of a field that everyone can read is a text without a private key."""
    return isinstance(value, str) and not holds_private_key(value)


def remove_secrets(value: Any, public: frozenset[str] = frozenset()) -> Any:
    """Return a copy without secret fields, and with what is secret by its form masked elsewhere.

    Args:
        value: What is copied.
        public: As of ``map_texts``.
    """
    return map_texts(value, mask_secret_forms, _DROPPED, public)


def remove_secrets_in_extra(
    actual: Mapping[str, Any], extra: Mapping[str, Any], mark: Any = None
) -> dict[str, Any]:
    """Return a copy without what is secret in the fields that the option extra gave.

    Args:
        actual: An object, or a side of its diff.
        extra: What the option says.
        mark: Stands in the place of each secret; without one the field is left out.
    """
    secret = _DROPPED if mark is None else mark
    kept: dict[str, Any] = {}
    for name, value in actual.items():
        if name in extra:
            kept.update(map_texts({name: value}, str, secret, is_secret=is_secret_in_extra))
        else:
            kept[name] = value
    return kept


def find_partly_masked_texts(
    value: Any, is_secret: IsSecret = is_secret_name, path: Path = ()
) -> Iterator[tuple[Path, str]]:
    """Yield the texts that ``mask_secret_forms`` does not show as they are, each with its path;
    none of secret fields.

    Args:
        value: Where they are.
        is_secret: Whether a name is that of a secret.
        path: Leads to the value.
    """
    if isinstance(value, str):
        if mask_secret_forms(value) != value:
            yield path, value
        return

    for step, member in _list_public_members(value, is_secret):
        yield from find_partly_masked_texts(member, is_secret, (*path, step))


def _list_public_members(value: Any, is_secret: IsSecret) -> Iterator[tuple[str, Any]]:
    """Yield what is in a dictionary or a list, each with its name or position; no secret fields."""
    if isinstance(value, dict):
        for name, member in value.items():
            if not is_secret(name):
                yield str(name), member
    elif isinstance(value, (list, tuple)):
        for position, entry in enumerate(value):
            yield str(position), entry


def mask_secrets(value: Any) -> Any:
    """Return a copy in which secret fields are masked, and what is secret by its form."""
    return map_texts(value, mask_secret_forms, MASK)


def collect_texts(value: Any) -> list[str]:
    """Return every text and number in a value, as a text."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for member in value for text in collect_texts(member)]
    if isinstance(value, bool) or value is None or value == "":
        return []
    return [str(value)]


def collect_secrets(
    value: Any,
    argument_spec: Mapping[str, Any] | None = None,
    is_secret: IsSecret = is_secret_name,
) -> list[str]:
    """Return the values of all options that are marked no_log, and of all fields with the name of a
    secret.
    """
    if isinstance(value, list):
        return [
            text for entry in value for text in collect_secrets(entry, argument_spec, is_secret)
        ]
    if not isinstance(value, dict):
        return []

    if argument_spec is None:
        argument_spec = {}
    secrets: list[str] = []
    for name, member in value.items():
        specification = argument_spec.get(name, {})
        secrets += _collect_secrets_in_member(name, member, specification, is_secret)
    return secrets


def _collect_secrets_in_member(
    name: Any, member: Any, specification: Mapping[str, Any], is_secret: IsSecret
) -> list[str]:
    """Return the secrets in a field or an option, whose specification is empty for a field."""
    is_structure = specification.get("type") in _STRUCTURES
    if is_structure and isinstance(member, str):
        member = parse_structure(member) or member
    if specification.get("no_log", is_secret(name)):
        return _collect_texts_of_secret(name, member)
    if is_structure and isinstance(member, str):
        return _collect_secrets_in_text(member)
    if not isinstance(member, (dict, list)):
        return []

    if specification and name == EXTRA:
        is_secret = is_secret_in_extra
    return collect_secrets(member, specification.get("options"), is_secret)


def _collect_secrets_in_text(text: str) -> list[str]:
    """Return the values of secret fields in the text of a structure that cannot be read as one."""
    if len(text) < LENGTH_OF_A_WORD:
        return []
    from .unread_text import find_named_values  # noqa: PLC0415 - as in mask_forms_and_names

    secrets: list[str] = []
    for reading in read_escapes(text):
        for start, end in find_named_values(reading.text):
            value = reading.text[start:end]
            secrets += [value.strip(_AROUND_VALUES), *_PARTS_OF_VALUES.findall(value)]
    return [secret for secret in secrets if secret]


def _collect_texts_of_secret(name: str, value: Any) -> list[str]:
    """Return what is secret in the value of a secret field."""
    texts = collect_texts(value)
    if not _OF_ADDRESSES.search(name):
        return texts

    # Of an address the parts that are no words, since the host is in every other one too.
    secret_parts: list[str] = []
    for text in texts:
        secret_parts += _list_secret_parts_of(text)
    return secret_parts


def _list_secret_parts_of(address: str) -> list[str]:
    """Return the parts of an address, behind its host, that are no words."""
    behind_host = _HOST.sub("", address.strip())
    return [segment for segment in _PARTS.findall(behind_host) if segment.strip()]


def parse_structure(text: str) -> Any:
    """Return what a text of JSON stands for, if that is a dictionary or a list; None for every
    other text.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, (dict, list)):
        return None
    return value


class Scope(Enum):
    """Which of the known secrets are masked."""

    GIVEN = "those that were added"
    ALL = "those, and the ones that only answers hold"


class Secrets:
    """Secrets of options, answers and the API key, masked wherever a text repeats them.

    A panel, Ansible or a message may repeat them in any spelling. Safe to use from several threads.
    It gets ready with the first text, since most tasks never show one.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._lock = threading.RLock()
        # What was added, and what answers hold, are kept apart: what a result shows must not
        # depend on how many answers came, or on what was masked before.
        self._added: list[str] = list(texts)
        self._answers: list[Any] = []
        self._given = KnownForms()
        self._answered = KnownForms()

    def add(self, texts: Iterable[str]) -> None:
        """Mask these texts from now on."""
        new = tuple(texts)
        with self._lock:
            self._added.extend(new)

    def learn(self, answer: Any) -> None:
        """Mask the secret fields of an answer from now on."""
        if not isinstance(answer, (dict, list)):
            return
        with self._lock:
            self._answers.append(answer)
            if len(self._answers) > _MOST_ANSWERS:
                # A loop of thousands of items does not keep all of its answers.
                self._read_answers()

    def _read_answers(self) -> None:
        """Make the forms of the secrets in the answers that were kept."""
        for answer in self._answers:
            self._answered.add(collect_secrets(answer))
        self._answers = []

    def mask(
        self, text: str, least: int = 1, scope: Scope = Scope.ALL, most: int | None = None
    ) -> str:
        """Return a text without known secrets.

        Args:
            text: What is masked.
            least: How long a secret has to be.
            scope: Which secrets are masked.
            most: How many characters of the text are returned; all without it.
        """
        with self._lock:
            known_forms = self._prepare_forms_of(scope)
            is_known = any(forms.has_secret(text) for forms in known_forms)
            if is_known and text.strip() and len(text) >= least:
                return MASK

            end = len(text)
            searched = text
            if most is not None:
                end = most
                searched = text[: most + LONGEST_SECRET]
            spans: list[tuple[int, int]] = []
            for reading in read_escapes(searched):
                for forms in known_forms:
                    spans += forms.find_spans_in(reading, least)
        return _with_masks(text, spans, end)

    def _prepare_forms_of(self, scope: Scope) -> list[KnownForms]:
        """Return the forms of the secrets of a scope, ready to be looked for."""
        self._given.add(self._added)
        self._added = []
        if scope is Scope.GIVEN:
            return [self._given]

        self._read_answers()
        return [self._given, self._answered]

    def mask_value(self, value: Any) -> Any:
        """Return a copy of a value without known secrets in its texts and names of fields."""
        return _MapperOfNames(self.mask).copy(value)

    def mask_given_value(self, value: Any, public: Container[str] = ()) -> Any:
        """Return a copy of a value in which only the secrets that were added are masked, and those
        that only answers hold are shown.

        Args:
            value: What is copied.
            public: Texts that the task shows anyway, which a short secret does not blank.
        """
        return _MapperOfNames(functools.partial(self.mask_given, public=public)).copy(value)

    def mask_given(self, text: str, public: Container[str] = ()) -> str:
        """Return a text as ``mask_given_value`` shows it."""
        least = LENGTH_OF_A_WORD if text in public else 1
        return self.mask(text, least, Scope.GIVEN)

    def is_masked_form(self, displayed: str, text: str) -> bool:
        """Tell whether a result shows a text in this form, with a mask in the place of a secret."""
        if MASK not in displayed or displayed == text:
            return False
        return displayed in (self.mask_given(text), self.mask(text))

    def clean_text(self, text: object) -> str:
        """Return a reason in an error of the panel, on one line."""
        reason = self.mask(str(text), most=_MOST_READ)
        reason = PRIVATE_KEY.sub(MASK, reason)
        reason = _TAG.sub(" ", _without_comments(reason))
        reason = _ENTITY.sub(_unescape, reason)
        reason = " ".join(_CONTROL.sub(_replace_control, reason).split())

        # An entity may have stood for a letter of a secret, and a control character between two of
        # them.
        reason = self.mask(reason)
        if len(reason) <= LONGEST:
            return reason
        beginning = reason[:LONGEST]
        whole_words = beginning.rpartition(" ")[0]
        return f"{whole_words or beginning} …"

    def describe_page(self, content: bytes, media_type: str, shows_beginning: bool = True) -> str:
        """Return what is said of an answer that cannot be read.

        It is its type, and its title if it is HTML, or else how it begins.

        Args:
            content: The body.
            media_type: What its header says.
            shows_beginning: Whether the beginning is shown; not where a half of it may be data
                of customers.
        """
        type_name = media_type.partition(";")[0]
        kind = self.clean_text(type_name)[:60] or "no media type"
        text = content[: _MOST_READ + LONGEST_SECRET].decode("utf-8", "replace")
        title = _find_title_of(text)
        if title is not None:
            return f'{kind} with the title "{self.clean_text(mask_forms_and_names(title))}"'
        if "html" in kind or not text.strip() or not shows_beginning:
            return f"{kind} of {len(content)} bytes"

        beginning = mask_forms_and_names(self.mask(text, most=_MOST_READ))
        return f'{kind}: "{self.clean_text(beginning)}"'


def mask_forms_and_names(text: str) -> str:
    """Return an answer that cannot be read without what is secret in it.

    That is what is secret by its form, and the values of secret fields, also in what the text says
    once its escapes are read.
    """
    # Its expressions take a fiftieth of the start of a module, and few answers cannot be read.
    from .unread_text import find_forms_in_text, find_named_values  # noqa: PLC0415

    spans: list[tuple[int, int]] = []
    for reading in read_escapes(text):
        for finder in (find_forms_in_text, find_named_values):
            for start, end in finder(reading.text):
                spans.append((reading.get_position(start), reading.get_position(end)))
    return _with_masks(text, spans, len(text))


def _unescape(entity: re.Match[str]) -> str:
    """Return the letters that an entity of HTML stands for."""
    import html  # noqa: PLC0415 - it has a table of all entities, and few texts have one

    return html.unescape(entity[0])


def _replace_control(control: re.Match[str]) -> str:
    """Return what stands in the place of a control character on one line."""
    return " " if control[0].isspace() else ""


def _with_masks(text: str, spans: Iterable[tuple[int, int]], most: int) -> str:
    """Return the beginning of a text, with a mask in the place of each span; those that share a
    letter are one.
    """
    parts: list[str] = []
    masked_to = 0
    for start, end in sorted(spans):
        if start >= most:
            break
        if start >= masked_to or not parts:
            parts += [text[masked_to:start], MASK]
        masked_to = max(masked_to, end)

    if not parts and most >= len(text):
        return text
    return "".join([*parts, text[masked_to:most]])


def _find_title_of(page: str) -> str | None:
    """Return the title of a page of HTML, if it has one."""
    begin = _TITLE.search(page)
    if begin is None:
        return None
    end = _END_OF_TITLE.search(page, begin.end())
    if end is None:
        return None
    return page[begin.end() : end.start()]


def _without_comments(page: str) -> str:
    """Return a page of HTML with a space in the place of each comment."""
    parts: list[str] = []
    end = 0
    while True:
        start = page.find("<!--", end)
        behind = page.find("-->", start + 4) if start >= 0 else -1
        if behind < 0:
            # One that does not end is none, and neither is any behind it.
            return "".join([*parts, page[end:]])
        parts += [page[end:start], " "]
        end = behind + 3


def escape_control_characters(text: str) -> str:
    r"""Return the text with what a terminal would obey, or not show, in signs that show: ``\x1b``,
    ``\n``, ``\u200b``.

    No message has a second line.
    """
    # Of a type of ours, Ansible's queue of results could not be read again, and the run would
    # never end: hence str.
    return str(_CONTROL.sub(_escape_control, text))


def with_harmless_words(result: dict[str, Any]) -> dict[str, Any]:
    """Return the result with all that people read gone through ``escape_control_characters``,
    diffs line by line.
    """
    harmless = _with_harmless_messages(result)
    if "diff" in result:
        harmless["diff"] = map_texts(result["diff"], _without_control_characters)
    return harmless


def _with_harmless_messages(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a result with the messages escaped that they have, also those of its
    error and of each of its objects.

    A list of mistakes repeats the message, with the names that are in it. Fields that hold a name,
    or the panel's own message, stay as they are: playbooks compare them.
    """
    harmless = dict(fields)
    for name in _WORDS & fields.keys():
        harmless[name] = map_texts(fields[name], escape_control_characters)
    if isinstance(fields.get("error"), Mapping):
        harmless["error"] = _with_harmless_messages(fields["error"])
    if isinstance(fields.get("results"), list):
        harmless["results"] = [
            _with_harmless_messages(entry) if isinstance(entry, Mapping) else entry
            for entry in fields["results"]
        ]
    return harmless


def _without_control_characters(text: str) -> str:
    """Return a text of several lines, each as ``escape_control_characters`` makes it."""
    return "\n".join(map(escape_control_characters, text.split("\n")))


def _escape_control(control: re.Match[str]) -> str:
    """Return the signs that show a control character."""
    return control[0].encode("unicode_escape").decode()
