"""What all unit tests share.

A clean environment, a simulated clock, and a written dialogue with the panel.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import hypothesis
import pytest
from hypothesis.configuration import set_hypothesis_home_dir

from ansible_collections.hosting.panel.plugins.module_utils._errors import PanelError
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._operation import locks
from tests.support.transcript import Call, Dialogue, SimulatedTime, Transcript, make_connection
from tools.layout import ROOT, link_collection

# For `ansible-test units`, which reads no pyproject.toml and knows no tools.
sys.path.insert(0, str(ROOT / "roles" / "simulator" / "files"))
link_collection()

set_hypothesis_home_dir(Path(__file__).parents[2] / ".build" / "hypothesis")
# The same examples in every run: a unit test that fails now and then is worth less than one that
# looks further.
hypothesis.settings.register_profile(
    "unit", database=None, deadline=None, derandomize=True, max_examples=8
)
# What `make test` looks at, with the coverage.
hypothesis.settings.register_profile(
    "more", hypothesis.settings.get_profile("unit"), max_examples=60
)
hypothesis.settings.load_profile("unit")

pytest.register_assert_rewrite("tests.support.grid_checks")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker that only pyproject.toml declares otherwise."""
    config.addinivalue_line("markers", "long: see pyproject.toml")


@pytest.fixture(scope="session", autouse=True)
def clean_environment() -> None:
    """No connection option, proxy or CA bundle of the person who runs the tests."""
    for name in list(os.environ):
        if (
            name.upper().endswith("_PROXY")
            or name.startswith("PANEL_")
            or name.endswith("_CA_BUNDLE")
        ):
            del os.environ[name]


@pytest.fixture(scope="session", autouse=True)
def own_locks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test waits for the locks of another process, which writes an object of the same name."""
    with mock.patch.object(locks, "_TEMPORARY", str(tmp_path_factory.mktemp("locks"))):
        yield


@pytest.fixture(scope="session", autouse=True)
def templates_compiled_once() -> Iterator[None]:
    """Jinja compiles each template once, and not for each page, of which it is most of the work."""
    try:
        template = importlib.import_module(
            "ansible_collections.hosting.panel.plugins.plugin_utils._run.template"
        )
        jinja2 = importlib.import_module("jinja2")
    except ImportError:  # `ansible-test` hides them from the tests of modules
        yield
        return

    compiled: dict[str, bytes] = {}

    class Compiled(jinja2.BytecodeCache):
        """Templates by their keys."""

        def load_bytecode(self, bucket: Any) -> None:
            """Give the bucket what was compiled; it takes only what its template still is."""
            if bucket.key in compiled:
                bucket.bytecode_from_string(compiled[bucket.key])

        def dump_bytecode(self, bucket: Any) -> None:
            """Keep what was compiled."""
            compiled[bucket.key] = bucket.bytecode_to_string()

    environment = functools.partial(template.Environment, bytecode_cache=Compiled())
    with mock.patch.object(template, "Environment", environment):
        yield


MOST_SENTENCES, MOST_WORDS = 3, 60
_QUOTED = re.compile(r'"[^"]*"|\'[^\']*\'')
_END_OF_A_SENTENCE = re.compile(r"[.!?…](?=\s|$)")
_SEVERAL = re.compile(r"(?:hosting\.panel\.\w+: )?\d+ mistakes: ")
_WORD = re.compile(r"\S*[^\W\d_]\S*")


@pytest.fixture(autouse=True)
def short_messages(long_messages: list[str]) -> Iterator[None]:
    """No error that a test provokes has a longer message than a person reads, beside the panel's
    own words and those of an object's failure.
    """
    yield
    texts = "\n".join(long_messages)
    long_messages.clear()
    assert not texts, texts


@pytest.fixture(scope="session")
def long_messages() -> Iterator[list[str]]:
    """Return a list that gets each message of the collection which is too long."""
    too_long: list[str] = []
    kinds: list[Any] = [PanelError]
    with contextlib.suppress(ImportError):  # `ansible-test` hides it from the tests of modules
        kinds.append(importlib.import_module("ansible.errors").AnsibleError)

    def wrap_init(original: Any) -> Any:
        def initialize(self: Any, message: str = "", /, *more: Any, **details: Any) -> None:
            original(self, message, *more, **details)
            reached = getattr(details.get("reached"), "fields", {})
            foreign_texts = [
                details.get("message"),
                *(entry.get("msg") for entry in reached.get("results", ())),
            ]
            problem = getattr(self, "problem", None)
            text_of_ours = (
                str(message)
                if problem is None
                else f"{problem.cause} {problem.written.value} {problem.written_detail} {problem.advice}"
            )
            for text in filter(None, foreign_texts):
                text_of_ours = text_of_ours.replace(text, "X")
            text_of_ours = _QUOTED.sub("X", text_of_ours)
            sentences, word_count = (
                len(_END_OF_A_SENTENCE.findall(text_of_ours)),
                len(_WORD.findall(text_of_ours)),
            )

            # Of several mistakes each has its own sentences.
            if (
                not _SEVERAL.match(text_of_ours)
                and (sentences > MOST_SENTENCES or word_count > MOST_WORDS)
                and _is_ours()
            ):
                too_long.append(f"{sentences} sentences, {word_count} words: {message}")

        return initialize

    with contextlib.ExitStack() as stack:
        for kind in kinds:
            stack.enter_context(mock.patch.object(kind, "__init__", wrap_init(kind.__init__)))
        yield too_long


def _is_ours() -> bool:
    """Whether the error was made by the collection, and not by a test."""
    for frame, _line in traceback.walk_stack(None):
        file = frame.f_code.co_filename
        if file != __file__ and not file.endswith("_errors.py"):
            return "/plugins/" in file.replace("/tests/unit/plugins/", "/")

    return False


@pytest.fixture(scope="session")
def sample_panel() -> Any:
    """A panel with the world of the samples."""
    # After the assertions that it brings are prepared.
    from tests.support.place import Place

    return Place()


@pytest.fixture
def time() -> SimulatedTime:
    """Give the test a clock that runs as fast as it is asked."""
    return SimulatedTime()


@pytest.fixture
def in_memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Makes a panel in memory with the objects of a seed, and settings of the simulator.

    See tests/support/in_memory.py.
    """
    from tests.support.in_memory import InMemory, make_folder_of_run

    with make_folder_of_run(tmp_path_factory.mktemp("run")):
        yield InMemory


@pytest.fixture
def dialogue(time: SimulatedTime) -> Iterator[Dialogue]:
    """Makes a session that expects exactly the given calls.

    The ones that were not made fail the test at its end.
    """
    transcripts: list[Transcript] = []

    def make(*calls: Call, **changes: Any) -> PanelSession:
        settings = make_connection(**changes)
        transcripts.append(Transcript(*calls, time=time, base_url=settings.base_url))
        return PanelSession(settings, time.retry_budget(settings.retry_time), transcripts[-1])

    yield make

    for transcript in transcripts:
        transcript.finish()
