"""What the interface leaves open: the table ``open_points.yml``, its values, and profiles, which say what one panel does there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from panel_simulator.errors import Invalid
from panel_simulator.forms import Known, problem, told, unknown
from panel_simulator.forms import normal as in_order

# Not by the path of this file, which may be in an archive.
TABLE = files("panel_simulator").joinpath("open_points.yml")


@dataclass(frozen=True)
class OpenPoint:
    """One row of the table. ``tried`` are the values that tests try beside the default; ``words`` all that there are, empty where there is a form.

    says: by value, or by the number of the example, words of what a task that cannot work there says.
    """

    name: str
    about: str
    default: Any
    tried: tuple[Any, ...]
    source: str
    confidence: str
    seen: str
    depends: tuple[str, ...]
    words: tuple[str, ...] = ()
    form: str = ""
    choices: tuple[str, ...] = ()
    means: Mapping[str, str] | str = ""
    says: Mapping[Any, str] = field(default_factory=dict)

    def check(self, value: Any, known: Known) -> None:
        """Raises Invalid for what is no value of it."""
        if self.words:
            if value not in self.words:
                raise Invalid(f"{self.name}: must be one of {', '.join(self.words)}, and is {told(value)}.")
            return
        wrong = problem(self.form, value, known)
        if not wrong and self.choices and not set(value) <= {*self.choices}:
            wrong = f"each item must be one of {', '.join(self.choices)}, and it is {told(value)}."
        if wrong:
            raise Invalid(f"{self.name}: {wrong}")

    def meaning(self, value: Any) -> str:
        """What a value that is not the default means for whoever uses the collection."""
        return self.means if isinstance(self.means, str) else self.means.get(str(value), "")

    def refusal(self, value: Any) -> str:
        """Words of what a task says that cannot work with this value; empty where everything works."""
        if value == self.default:
            return ""
        return self.says.get(value if self.words else self.tried.index(value) + 1, "")


def _read(name: str, row: Mapping[str, Any]) -> OpenPoint:
    rest = {one: row[one] for one in ("about", "source", "confidence", "seen")}
    rest |= {"depends": tuple(row["depends"]), "says": row.get("says", {})}
    if "values" in row:
        words = tuple(row["values"])
        means = {word: row["values"][word]["means"] for word in words[1:]}
        return OpenPoint(name, default=words[0], tried=words[1:], words=words, means=means, **rest)
    choices = tuple(row.get("choices", ()))
    tried = tuple(row["examples"])
    return OpenPoint(
        name, default=row["default"], tried=tried, form=row["form"], choices=choices, means=row["means"], **rest
    )


_ROWS = yaml.load(TABLE.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
POINTS: Mapping[str, OpenPoint] = {name: _read(name, row) for name, row in _ROWS.items()}


def normal(profile: Mapping[str, Any]) -> dict[str, Any]:
    """The one form of all profiles of a panel: in alphabetical order, and without the defaults."""
    ordered = {name: in_order(profile[name]) for name in sorted(profile)}
    return {name: value for name, value in ordered.items() if value != POINTS[name].default}


def read_profile(path: Path, known: Known) -> dict[str, Any]:
    """The points in which a panel differs from the defaults, in their normal form; raises Invalid."""
    try:
        profile = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise Invalid(f"{path} is not YAML: {' '.join(str(error).split())}.") from error
    if not isinstance(profile, Mapping):
        raise Invalid(f"{path} must be a mapping of points to values.")
    for name, value in profile.items():
        if name not in POINTS:
            raise Invalid(f"{path}: " + unknown(f"{name}: there is no such point", name, POINTS))
        try:
            POINTS[name].check(value, known)
        except Invalid as error:
            raise Invalid(f"{path}: {error.message}") from error
    return normal(profile)
