# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of fields: nested dictionaries, of which each field is managed for itself. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._errors import OptionError, raise_if_any
from .._problems import Problem, describe_fields, describe_option_problem, format_path
from .._values.answer_forms import SWITCH, TEXT, AnswerForm, DictionaryOf
from .difference import ComparedObject, FieldChange, compare_value
from .field_paths import Path
from .fields import Field, OptionValues, RequestedReference, read_fields


@dataclass(frozen=True)
class Group(Field):
    """Declares a nested dictionary, managed field by field.

    fields: Its fields.
    clearable: Whether an empty dictionary clears all of its fields.
    alternatives: The fields of which at most one is on, each with the value that means off;
        switching one on switches the others off.
    read_only: The fields that the panel shows and nobody sets; they are accepted, so that what was
        read can be given, and ignored.
    """

    fields: tuple[Field, ...] = ()
    clearable: bool = False
    alternatives: tuple[tuple[str, Any], ...] = ()
    read_only: tuple[str, ...] = ()

    @property
    def answer_form(self) -> DictionaryOf:
        """Return the forms of all fields that the panel shows in it; of those that nobody sets, the
        name tells a switch from a text.
        """
        forms: dict[str, AnswerForm] = {}
        for name in self.read_only:
            forms[name] = SWITCH if name.startswith("is_") else TEXT

        for field in self.fields:
            forms[field.name] = field.answer_form
        return DictionaryOf(forms)

    def describe_arguments(self) -> dict[str, dict[str, Any]]:
        """Return how Ansible describes the option of the group."""
        options: dict[str, dict[str, Any]] = {}
        for field in self.fields:
            options.update(field.describe_arguments())
        for name in self.read_only:
            options[name] = {"type": "raw"}
        return {self.name: {"type": "dict", "options": options}}

    def read(self, requested: Mapping[str, Any], path: Path, target: OptionValues) -> None:
        """Add to the target what the option says of each field; raise OptionError."""
        fields = self._select(requested.get(self.name))
        inner = OptionValues()
        problems = read_fields(self.fields, fields, (*path, self.name), inner)
        raise_if_any(
            [
                *problems,
                *self._find_double_alternatives(inner),
                *self._find_ineffective(inner.values),
            ]
        )

        target.references += inner.references
        target.unusual += inner.unusual
        if inner.values:
            target.values[self.name] = inner.values

    def _select(self, value: Any) -> dict[str, Any]:
        """Return the fields of the dictionary that count; those that are cleared with an empty
        text. Raises OptionError for a dictionary that would change nothing.
        """
        if not isinstance(value, dict):
            form = f"a dictionary{describe_fields(field.name for field in self.fields)}"
            raise OptionError(f"must be {form}.", option=self.name)

        fields = {
            name: inner
            for name, inner in value.items()
            if inner is not None and name not in self.read_only
        }
        if fields or not value.keys().isdisjoint(self.read_only):
            return fields
        if not self.clearable:
            raise OptionError(
                "an empty dictionary would change nothing; list the fields to change.",
                option=self.name,
            )
        return dict.fromkeys([field.name for field in self.fields], "")

    def _find_double_alternatives(self, inner: OptionValues) -> Iterator[Problem]:
        """Yield a problem where two alternatives are on."""
        values_off = dict(self.alternatives)
        switched_on: list[Path] = [
            (self.name, name)
            for name, value_off in self.alternatives
            if inner.values.get(name, value_off) != value_off
        ]
        switched_on += [
            reference.option_path
            for reference in inner.references
            if _is_switched_on(reference, values_off)
        ]
        if len(switched_on) > 1:
            cause = f"excludes {format_path(switched_on[1])}; give one of the two."
            yield describe_option_problem(switched_on[0], cause)

    def _find_ineffective(self, values: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield a problem for each field that does not apply beside its siblings."""
        for field in self.fields:
            if field.only_with is None or values.get(field.name) is None:
                continue

            sibling, value = field.only_with
            if values.get(sibling, value) != value:
                cause = f"counts only with {self.name}.{sibling}: {value}; omit it, or clear it."
                yield describe_option_problem((self.name, field.name), cause)

    def compare(
        self,
        desired: Mapping[str, Any],
        holder: Mapping[str, Any],
        path: Path,
        compared: ComparedObject,
        earlier: Sequence[FieldChange],
    ) -> list[FieldChange]:
        """Return what has to be sent so that the group has the desired fields."""
        del earlier  # fields beside the group do not matter for it
        path = (*path, self.name)
        current = holder.get(self.name)
        if not isinstance(current, dict):
            current = {}

        changes: list[FieldChange] = []
        for field in self.fields:
            if field.name in desired:
                changes += field.compare(desired[field.name], current, path, compared, changes)

        sent = {change.path[-1]: change.value for change in changes if change.is_sent}
        if not sent:
            return changes
        if any(sent.get(name, value_off) != value_off for name, value_off in self.alternatives):
            changes += self._switch_others_off(desired, current, path)
        changes += self._complete(desired, current, path, changes)
        return changes

    def _switch_others_off(
        self, desired: Mapping[str, Any], current: Mapping[str, Any], path: Path
    ) -> list[FieldChange]:
        """Send the alternatives that are not desired as off.

        A panel that merges would keep them on beside the one that is switched on, and may refuse
        two.
        """
        changes = []
        for name, value_off in self.alternatives:
            if name in desired:
                continue
            field_path = (*path, name)
            if str(current.get(name) or value_off) != str(value_off):
                changes.append(compare_value(field_path, value_off, current[name]))
            else:
                changes.append(FieldChange(field_path, value_off, is_sent=True))
        return changes

    def _complete(
        self,
        desired: Mapping[str, Any],
        current: Mapping[str, Any],
        path: Path,
        changes: Iterable[FieldChange],
    ) -> list[FieldChange]:
        """Send all fields that the panel shows, and the secrets that the task has.

        A panel may replace a nested object rather than merge it (docs/panel_api.md#nested-objects).
        """
        sent = {change.path[-1]: change.value for change in changes if change.is_sent}
        completed = []
        for field in self.fields:
            name = field.name
            # Of a secret the panel shows nothing, so that the task has to say it again.
            values = desired if field.secret else current
            if name in sent or name not in values:
                continue

            sent[name] = values[name]
            if not field.secret and not field.applies_beside({**current, **sent}):
                sent[name] = None
            completed.append(FieldChange((*path, name), sent[name], is_sent=True))
        return completed


def _is_switched_on(reference: RequestedReference, values_off: Mapping[str, Any]) -> bool:
    name = reference.field.name
    return name in values_off and reference.name_or_id != values_off[name]
