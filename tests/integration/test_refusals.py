"""Whatever the simulator refuses is foreseen in check mode and before the first write, unless the reason is written down; alone and in bulk."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from tests.support.pem import texts
from tests.support.playbook import IN_PROCESS, MODULE, Recording, Run, task
from tests.support.simulator import FILES, Simulator
from tests.support.worker import work

DATA = yaml.safe_load(Path(__file__).with_name("refusals.yml").read_text(encoding="utf-8"))
# Where the simulator says what it refuses objects for; what else raises Invalid is about requests, or about the simulator itself.
SOURCES = [
    *(FILES / "panel_simulator" / "kinds").glob("*.py"),
    *(FILES / "panel_simulator" / f"{name}.py" for name in ("limits", "passwords", "pem")),
]
PARTS = {"one": ("one", "one"), "two": ("two", "two"), "mixed": ("one", "two")}
ALONE, TOGETHER = "alone", "together"


@dataclass(frozen=True)
class Refusal:
    """A task that the panel refuses, as the data file describes it."""

    kind: str
    options: Mapping[str, Any]
    said: str
    foreseen: str = ""
    why: str = ""
    could_come: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.said} ({', '.join(str(value) for value in self.options.values())})"


REFUSALS = [Refusal(kind, **described) for kind, found in DATA["refusals"].items() for described in found]
FORESEEN = [refusal for refusal in REFUSALS if refusal.foreseen]
UNFORESEEN = [refusal for refusal in REFUSALS if not refusal.foreseen]


def filled_in(value: Any) -> Any:
    """A value with certificates and keys in the places of their names."""
    if isinstance(value, Mapping) and "pem" in value:
        certificate, key = PARTS[value["pem"]]
        return {"certificate": texts()[f"{certificate}.certificate"], "private_key": texts()[f"{key}.private_key"]}
    if isinstance(value, Mapping):
        return {name: filled_in(member) for name, member in value.items()}
    return [filled_in(member) for member in value] if isinstance(value, list) else value


def simulated() -> Iterator[str]:
    """The words of every refusal in the simulator's sources, each as far as it holds no value."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Invalid":
                (text,) = node.args
                parts = text.values if isinstance(text, ast.JoinedStr) else [text]
                yield "…".join(str(part.value) for part in parts if isinstance(part, ast.Constant))


def name_of(refusal: Refusal, how: str, check_mode: bool) -> str:
    """The name of a task."""
    return f"{refusal.name} {how} {'check' if check_mode else 'real'}"


def tasks(everything: bool = True) -> Iterator[dict[str, object]]:
    """Each refusal in check mode and for real, alone and as an item of panel_resources; or only for real and alone."""
    for refusal in REFUSALS:
        options = filled_in(refusal.options)
        before = [["POST", "/reset", None], ["POST", "/seed", filled_in(DATA["world"])]]
        before.append(
            [
                "POST",
                "/settings",
                {"foreign_certificates": "accepted", "hostname": "server.panel.example", **refusal.settings},
            ]
        )
        for check_mode in (True, False) if everything else (False,):
            singular = TABLES[refusal.kind].singular
            alone = name_of(refusal, ALONE, check_mode)
            yield task(alone, f"panel_{singular}", options, before, check_mode=check_mode)
            if not everything:
                continue
            together = name_of(refusal, TOGETHER, check_mode)
            items = {"resources": {refusal.kind: [options]}}
            yield task(together, "panel_resources", items, before, check_mode=check_mode)


@pytest.fixture(scope="module")
def run(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return work(tasks(), simulator, tmp_path_factory.mktemp("refusals"), IN_PROCESS)


@pytest.fixture(scope="module")
def run_as_modules(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return work(tasks(everything=False), simulator, tmp_path_factory.mktemp("refusals"), MODULE)


def without_ending(message: str) -> str:
    return message.replace(" Nothing was written.", "")


@pytest.mark.parametrize("refusal", FORESEEN, ids=lambda refusal: refusal.name)
def test_what_the_panel_would_refuse_fails_before_the_first_write_and_in_check_mode(run: Run, refusal: Refusal) -> None:
    for how in (ALONE, TOGETHER):
        predicted, real = (run[name_of(refusal, how, check_mode)] for check_mode in (True, False))
        if refusal.could_come and how == ALONE:
            assert (predicted.outcome, predicted.writes) == ("ok", [])
            assert [
                one for one in predicted.result["warnings"] if refusal.foreseen in one and "otherwise the real" in one
            ]
            predicted = real
        for recording in (predicted, real):
            assert recording.outcome == "failed", (how, recording.result)
            assert recording.writes == []
            assert refusal.foreseen in recording.msg
        assert predicted.msg == real.msg
        assert predicted.result.get("error") == real.result.get("error")
    alone = run[name_of(refusal, ALONE, False)].msg
    assert without_ending(alone) in without_ending(run[name_of(refusal, TOGETHER, False)].msg)


@pytest.mark.parametrize("refusal", UNFORESEEN, ids=lambda refusal: refusal.name)
def test_what_is_not_foreseen_is_refused_by_the_panel(run: Run, refusal: Refusal) -> None:
    assert refusal.why
    for how in (ALONE, TOGETHER):
        recording: Recording = run[name_of(refusal, how, False)]
        assert recording.outcome == "failed"
        assert [request["status"] for request in recording.writes] == [400]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.name)
def test_a_module_says_the_same(run: Run, run_as_modules: Run, refusal: Refusal) -> None:
    name = name_of(refusal, ALONE, False)
    assert (run_as_modules[name].outcome, run_as_modules[name].msg) == ("failed", run[name].msg)


@pytest.mark.parametrize("words", sorted(set(simulated())))
def test_every_refusal_of_the_simulator_is_among_them(words: str) -> None:
    known = [*DATA["never_sent"], *DATA["of_open_points"], *(refusal.said for refusal in REFUSALS)]
    parts = [part.strip(" .") for part in words.split("…") if part.strip(" .")]
    assert any(said in part or part in said for said in known for part in parts)
