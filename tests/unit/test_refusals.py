"""Whatever the simulator refuses is foreseen in check mode and before the first write, unless the
reason is written down; alone and in bulk."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.memory import MemoryPlace
from tests.support.pem import make_texts
from tests.support.playbook import Recording
from tests.support.simulator import FILES

pytestmark = pytest.mark.long

DATA = yaml.safe_load(Path(__file__).with_name("refusals.yml").read_text(encoding="utf-8"))
# Where the simulator says what it refuses objects for. What fields.py refuses is the form of a
# value, which samples.yml has; what else raises Invalid is about requests, or about the simulator
# itself.
PANEL = FILES / "panel_simulator"
SOURCES = [*(PANEL / "kinds").glob("*.py"), PANEL / "panel.py", PANEL / "zones.py"]
PARTS = {"one": ("one", "one"), "two": ("two", "two"), "mixed": ("one", "two")}
USUAL = {
    "status_delay": 0.0,
    "foreign_certificates": "accepted",
    "hostname": "server.panel.example",
}


@dataclass(frozen=True)
class Refusal:
    """A task that the panel refuses, as the data file describes it."""

    kind: str
    options: Mapping[str, Any]
    message: str
    foreseen: str = ""
    reason: str = ""
    could_come: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name of the case."""
        return f"{self.kind}: {self.message} ({', '.join(str(value) for value in self.options.values())})"

    def run(self, in_bulk: bool, check_mode: bool) -> Recording:
        """The task on a new panel, alone or as an item of panel_resources."""
        memory = MemoryPlace(fill_in(DATA["world"]), {**USUAL, **self.settings})
        options = fill_in(self.options)
        return memory.perform_task(self.kind, options, in_bulk, check_mode)


REFUSALS = [
    Refusal(kind, **described)
    for kind, descriptions in DATA["refusals"].items()
    for described in descriptions
]


def fill_in(value: Any) -> Any:
    """A value with certificates and keys in the places of their names."""
    if isinstance(value, Mapping) and "pem" in value:
        certificate, key = PARTS[value["pem"]]
        return {
            "certificate": make_texts()[f"{certificate}.certificate"],
            "private_key": make_texts()[f"{key}.private_key"],
        }

    if isinstance(value, Mapping):
        return {name: fill_in(field) for name, field in value.items()}

    return [fill_in(field) for field in value] if isinstance(value, list) else value


def list_refusals() -> Iterator[str]:
    """The words of every refusal in the simulator's sources, each as far as it holds no value."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Invalid":
                (text,) = node.args
                parts = text.values if isinstance(text, ast.JoinedStr) else [text]
                yield "…".join(
                    str(constant.value) for constant in parts if isinstance(constant, ast.Constant)
                )


EACH_FORESEEN = pytest.mark.parametrize(
    "refusal",
    [refusal for refusal in REFUSALS if refusal.foreseen],
    ids=lambda refusal: refusal.name,
)


@pytest.mark.parametrize("in_bulk", [False, True], ids=["alone", "in bulk"])
@EACH_FORESEEN
def test_what_the_panel_would_refuse_fails_before_the_first_write_and_in_check_mode(
    refusal: Refusal, in_bulk: bool
) -> None:
    predicted = refusal.run(in_bulk, check_mode=True)
    real = refusal.run(in_bulk, check_mode=False)

    assert real.outcome == "failed", real.result
    assert real.writes == [], real.result
    assert predicted.writes == [], real.result
    assert refusal.foreseen in real.msg

    if refusal.could_come and not in_bulk:
        warnings = predicted.result["warnings"]
        assert [
            warning
            for warning in warnings
            if refusal.foreseen in warning and "if not, the real" in warning
        ]
    else:
        assert predicted.outcome == "failed"
        assert predicted.msg == real.msg
        assert predicted.result.get("error") == real.result.get("error")


@EACH_FORESEEN
def test_an_item_is_refused_in_the_words_of_its_module(refusal: Refusal) -> None:
    alone = refusal.run(in_bulk=False, check_mode=False)
    in_bulk = refusal.run(in_bulk=True, check_mode=False)

    assert alone.msg.replace(" Nothing was written.", "") in in_bulk.msg


@pytest.mark.parametrize("in_bulk", [False, True], ids=["alone", "in bulk"])
@pytest.mark.parametrize(
    "refusal",
    [refusal for refusal in REFUSALS if not refusal.foreseen],
    ids=lambda refusal: refusal.name,
)
def test_what_is_not_foreseen_is_refused_by_the_panel(refusal: Refusal, in_bulk: bool) -> None:
    assert refusal.reason

    recording = refusal.run(in_bulk, check_mode=False)
    assert recording.outcome == "failed"
    assert {request["status"] for request in recording.writes} == {400}


@pytest.mark.parametrize("text", sorted(set(list_refusals())))
def test_every_refusal_of_the_simulator_is_among_them(text: str) -> None:
    listed = [
        *DATA["never_sent"],
        *DATA["of_open_points"],
        *(refusal.message for refusal in REFUSALS),
    ]
    parts = [
        part_of_text.strip(" .") for part_of_text in text.split("…") if part_of_text.strip(" .")
    ]

    assert any(
        entry in part_of_text or part_of_text in entry for entry in listed for part_of_text in parts
    )
