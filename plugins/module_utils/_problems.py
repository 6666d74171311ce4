# SPDX-License-Identifier: GPL-3.0-or-later
"""Describes what went wrong, as data, and makes messages of it in the one way. Pure.

A message says in at most three sentences and 60 words, beside the panel's own: the object or
option, what failed, why in the panel's words, what was written, what to do. It never holds a
request body, a header or a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import Any, Callable, Union

OptionPath = tuple[Union[str, int], ...]
"""The steps to an option, or to what is in it, such as ``("emails", 0, "max_size")``."""
TypedNames = Mapping[str, str]
"""What messages call options, where a role or playbook sets them: by option the variable.

By ``resources.emails`` or ``resources.emails[0]`` what they call the items of a list, or one of
them: a variable, or a text in which ``{client}`` stands for the owner and ``{key}`` for the natural
key. By ``resources.clients[0].email`` the variable that sets an option of one.
"""
_ITEMS = "resources."
_PLACEHOLDER = re.compile(r"\{(client|key)\}")
MAX_LISTED = 50
# An address has 254 characters at most, and names of two objects may be one key.
_LONGEST_NAME = 600
_ENDS = (".", "!", "?", "…", '."', '!"', '?"', '…"')


@dataclass(frozen=True)
class ItemName:
    """Names an item of a list option, for example ``emails[7]``.

    plural: That of its kind, which is the name of the list.
    index: Its position in the list.
    key: Its natural key; empty where the item has none.
    place: The file and line that has it, by which it is named then; empty where no file has it.
    owner: The username of the client that it belongs to; empty where it names none.
    title: What a role calls it, as the values of ``TypedNames``; empty where none does.
    """

    plural: str
    index: int
    key: str = ""
    place: str = ""
    owner: str = ""
    title: str = ""

    @property
    def position(self) -> str:
        """Return the place of the item in the options, such as ``emails[7]``."""
        return f"{self.plural}[{self.index}]"

    def with_texts(self, change: Callable[[str], str]) -> ItemName:
        """Return the name with its texts of the user changed."""
        return replace(
            self, key=change(self.key), place=change(self.place), owner=change(self.owner)
        )

    def with_typed_names(self, names: TypedNames) -> ItemName:
        """Return the name with what a role calls the item, or its list."""
        title = names.get(f"{_ITEMS}{self.position}")
        if title is None and f"{_ITEMS}{self.plural}" in names:
            title = names[f"{_ITEMS}{self.plural}"]
            if not _PLACEHOLDER.search(title):
                title = f"{title}[{self.index}]"
        return replace(self, title=title or "")

    def __str__(self) -> str:
        if self.place:
            return f"{self.place}: {self.plural} {cut_name(self.key)}".rstrip()
        if _PLACEHOLDER.search(self.title):
            # In one pass, so that no name of the user counts as a placeholder.
            texts = {"client": cut_name(self.owner), "key": cut_name(self.key)}
            return _PLACEHOLDER.sub(lambda match: texts[match[1]], self.title).strip()
        position = self.title or self.position
        if self.key:
            return f"{position} ({cut_name(self.key)})"
        return position


class Written(Enum):
    """Names what messages say of what was written; the value is the sentence."""

    NOT_IN_QUESTION = ""
    """A message says nothing of it."""

    NOTHING = "Nothing was written."
    """The whole task has written nothing."""

    NOTHING_FOR_IT = "Nothing was written for it."
    NOTHING_FOR_ZONE = "Nothing was written for this zone."
    NO_FILE = "No file was written."
    NO_ARCHIVE = "No archive was written."
    NOTHING_SENT = "Nothing was sent."
    NOTHING_READ = "Nothing was read or written."

    MAYBE_CREATED = "It may have been created."
    MAYBE_WRITTEN = "It may have been written."
    MAYBE_DELETED = "It may have been deleted."
    MAYBE_NEW_PASSWORD = "It may have a new password, which is lost."
    MAYBE_REBOOTED = "The panel may have accepted the reboot."

    ZONE = "It was written."
    PASSWORD_LOST = "Its password is lost."
    RECORDS = "The records were written."
    RECORDS_ON_PANEL = "The panel has the records."

    @property
    def is_open(self) -> bool:
        """Tell whether nobody knows if something was written."""
        return self in _OPEN


_OPEN = frozenset(
    {
        Written.MAYBE_CREATED,
        Written.MAYBE_WRITTEN,
        Written.MAYBE_DELETED,
        Written.MAYBE_NEW_PASSWORD,
        Written.MAYBE_REBOOTED,
    }
)


class ProblemForm(Enum):
    """Names the forms that the message of a problem may have."""

    FAILURE = "failure"
    """Something failed or is wrong: what was written comes before what to do."""

    MISMATCH = "mismatch"
    """The task does not fit what the panel has: what to do comes before what was written."""

    ITEM_MISTAKE = "mistake of an item"
    """The cause continues a sentence whose subject is the item."""


@dataclass(frozen=True)
class OtherItem:
    """Names a second item, with which the sentence of a cause goes on.

    name: The item.
    ending: The rest of the sentence.
    """

    name: ItemName
    ending: str = "."

    def __str__(self) -> str:
        return f"{self.name}{self.ending}"


@dataclass(frozen=True)
class Problem:
    """Describes one thing that is wrong.

    path: Leads to the option, or to what is in it; empty where the problem is about none.
    subject: The object, such as ``mailbox info@acme.example``. A message that has one does not name
        the option.
    context: What was going on when it failed, as a clause that the cause goes on with, such as
        ``reading it back failed``; empty where the cause says it all.
    cause: What failed and why, in one sentence.
    earlier_cause: The cause of an earlier failure that led to this one, in one sentence.
    detail: A further sentence about the cause, such as where a wrong value comes from.
    written: What was written.
    written_detail: How what may have been written looks now, a clause that goes on after a colon;
        empty for none.
    advice: What to do.
    form: The form of its message.
    item: The item of a list option that the problem is about.
    other_item: The item that the cause ends with.
    """

    path: OptionPath = ()
    subject: str = ""
    context: str = ""
    cause: str = ""
    earlier_cause: str = ""
    detail: str = ""
    written: Written = Written.NOT_IN_QUESTION
    written_detail: str = ""
    advice: str = ""
    form: ProblemForm = ProblemForm.FAILURE
    item: ItemName | None = None
    other_item: OtherItem | None = None

    @property
    def option(self) -> str:
        """Return the option as messages name it, such as ``emails[0].max_size``; empty for none."""
        return format_path(self.path)

    def with_texts(self, change: Callable[[str], str]) -> Problem:
        """Return the problem with each of its texts changed, for example with masked secrets."""
        return replace(
            self,
            path=tuple([change(step) if isinstance(step, str) else step for step in self.path]),
            subject=change(self.subject),
            context=change(self.context),
            cause=change(self.cause),
            earlier_cause=change(self.earlier_cause),
            detail=change(self.detail),
            written_detail=change(self.written_detail),
            advice=change(self.advice),
            item=self.item and self.item.with_texts(change),
            other_item=self._with_other_item(lambda name: name.with_texts(change)),
        )

    def with_places(self, place_of: Callable[[ItemName, OptionPath], ItemName]) -> Problem:
        """Return the problem with its items named by the files that have them.

        Args:
            place_of: Returns an item with its place, given the item and the path of an option of
                it, which is empty for the item itself.
        """
        return replace(
            self,
            item=self.item and place_of(self.item, self.path),
            other_item=self._with_other_item(lambda name: place_of(name, ())),
        )

    def with_typed_names(self, names: TypedNames) -> Problem:
        """Return the problem with its option and its items called as a person typed them."""
        named = replace(
            self, other_item=self._with_other_item(lambda name: name.with_typed_names(names))
        )
        if self.item is None:
            return replace(named, path=name_option_path(self.path, names))

        option = f"{_ITEMS}{self.item.position}.{format_path(self.path[:1])}"
        if option in names:
            # The variable names the item, too.
            return replace(named, item=None, path=(names[option], *self.path[1:]))
        return replace(named, item=self.item.with_typed_names(names))

    def _with_other_item(self, change: Callable[[ItemName], ItemName]) -> OtherItem | None:
        """Return the other item with its name changed."""
        if self.other_item is None:
            return None
        return replace(self.other_item, name=change(self.other_item.name))

    def as_json(self) -> dict[str, Any]:
        """Return the problem in the types of JSON, for a front end in another process."""
        return {**asdict(self), "form": self.form.value, "written": self.written.value}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Problem:
        """Return the problem that ``as_json`` has described."""
        values = {**fields, "form": ProblemForm(fields["form"])}
        values["written"] = Written(fields["written"])
        values["path"] = tuple(fields["path"])
        item = fields["item"]
        if item is not None:
            values["item"] = ItemName(**item)
        other_item = fields["other_item"]
        if other_item is not None:
            values["other_item"] = OtherItem(ItemName(**other_item["name"]), other_item["ending"])
        return cls(**values)

    def without_nothing_written(self) -> Problem:
        """Return the problem for a message that says elsewhere what was written."""
        if self.written is not Written.NOTHING:
            return self
        return replace(self, written=Written.NOT_IN_QUESTION)


def describe_option_problem(
    option: str | OptionPath,
    cause: str,
    written: Written = Written.NOT_IN_QUESTION,
    advice: str = "",
) -> Problem:
    """Describe what is wrong with an option. option: its name, or the path to what is in it."""
    path = as_option_path(option)
    return Problem(path, cause=cause, written=written, advice=advice)


def as_option_path(option: str | OptionPath) -> OptionPath:
    """Return the path of an option. option: its name, which may be empty for none, or its path."""
    if not isinstance(option, str):
        return option
    return (option,) if option else ()


def name_option_path(path: OptionPath, names: TypedNames) -> OptionPath:
    """Return the path of an option that begins with the variable which sets the option."""
    if not path:
        return path
    first = str(path[0])
    return (names.get(first, first), *path[1:])


def format_path(path: Iterable[Any]) -> str:
    """Name a place in options as messages do, such as ``emails[0].max_size``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{cut_name(step)}"
    return text.removeprefix(".")


def cut_text(text: str, longest: int) -> str:
    """Return a text as a message shows it: the beginning of one with more characters."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def cut_name(name: str) -> str:
    """Return a name of a user as a message shows it."""
    return cut_text(name, _LONGEST_NAME)


def as_sentence(text: str) -> str:
    """Return the text with a full stop unless it ends as a sentence does."""
    if text.endswith(_ENDS):
        return text
    return f"{text}."


def as_clause(text: str) -> str:
    """Return a sentence without its full stop, for a text that goes on behind it."""
    return text.rstrip(".")


def format_message(problem: Problem) -> str:
    """Put a problem into words."""
    cause = _format_cause_of(problem)
    written = _format_written(problem)
    parts = [cause, written, problem.advice]
    if problem.form is ProblemForm.MISMATCH:
        parts = [cause, problem.advice, written]
    message = " ".join([as_sentence(text) for text in parts if text])
    if problem.item is None:
        return message

    is_option_named = bool(problem.option) and not problem.subject
    if is_option_named or problem.form is ProblemForm.ITEM_MISTAKE:
        return f"{problem.item} {message}"
    return f"{problem.item}: {message}"


def _format_cause_of(problem: Problem) -> str:
    """Put into words what failed and why, after the object or option that it is about."""
    cause = problem.cause
    if problem.earlier_cause:
        # One sentence of both, so that the whole message has three at most.
        cause = f"{as_clause(cause)}; before that {problem.earlier_cause}"
    if problem.other_item is not None:
        cause = f"{cause} {problem.other_item}"
    about = problem.subject or problem.option
    sentence = ": ".join([text for text in (about, problem.context, cause) if text])
    if problem.detail:
        return f"{as_sentence(sentence)} {problem.detail}"
    return sentence


def _format_written(problem: Problem) -> str:
    """Put into words what was written; empty where that is not in question."""
    sentence = problem.written.value
    if problem.written_detail:
        return f"{as_clause(sentence)}: {problem.written_detail}"
    return sentence


def format_messages(problems: Iterable[Problem], field: str = "") -> str:
    """Put the problems of one task into words. That it has written nothing is said once, at the
    end.

    Args:
        problems: What is wrong.
        field: The field of the result that has all of them, where a message may have too many;
            empty for a few.
    """
    several = list(problems)
    if len(several) == 1 and not field:
        return format_message(several[0])

    silent = [problem.without_nothing_written() for problem in several]
    messages = list(map(format_message, silent))
    if field:
        return join_problems(messages, field)
    if silent != several:
        messages.append(Written.NOTHING.value)
    return " ".join(messages)


def join_problems(
    messages: Iterable[str], field: str = "", written: Written = Written.NOTHING
) -> str:
    """Join messages, each once, to one that says how many there are, and what was written.

    Args:
        messages: Sentences.
        field: The field of the result that has those for which there is no room.
        written: What was written; NOT_IN_QUESTION where another place says it.
    """
    distinct = list(dict.fromkeys(messages))
    parts = distinct[:MAX_LISTED]
    if len(distinct) > 1:
        parts.insert(0, f"{len(distinct)} mistakes:")
    hidden = len(distinct) - MAX_LISTED
    if hidden > 0:
        ending = "more."
        if field:
            ending = f"more in {field}."
        parts.append(f"And {hidden} {ending}")
    if written is not Written.NOT_IN_QUESTION:
        parts.append(written.value)
    return " ".join(parts)


def format_number_of(number: int, one: str, several: str) -> str:
    """Return a number with what it counts, such as ``1 object`` or ``2 objects``."""
    return f"{number} {one if number == 1 else several}"


def limit_lines(lines: Sequence[str], most: int) -> list[str]:
    """Return the first lines, and one that says how many more there are."""
    hidden = len(lines) - most
    if hidden <= 0:
        return list(lines)
    return [*lines[:most], f"and {hidden} more"]


def abbreviate(names: Sequence[str], most: int, separator: str = ", ") -> str:
    """Return the first names in one text, for example ``a, b, and 3 more``."""
    return separator.join(limit_lines(names, most))


def describe_fields(names: Iterable[str]) -> str:
    """Return what follows "a dictionary" where it has these fields; empty where no one knows."""
    listed = ", ".join(names)
    return f" with {listed}" if listed else ""


def format_cause(problems: Sequence[Problem]) -> str:
    """Put problems of an option into words for a text that names the option itself."""
    return format_messages([replace(problems[0], path=()), *problems[1:]])
