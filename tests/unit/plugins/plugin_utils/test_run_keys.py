# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run knows of its keys."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from ansible import constants

from ansible_collections.hosting.panel.plugins.plugin_utils._run.refused_keys import RunKey

KEY = "prefix01.Zm9vYmFyYmF6cXV4"
URL = "https://panel.example/api/v2"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", str(tmp_path))
    return tmp_path / "hosting.panel"


def key(url: str = URL, api_key: str = KEY, timeout: float = 5.0, place: str = "") -> RunKey:
    return RunKey(url, api_key, timeout, place)


def refused(this: RunKey) -> int | None:
    with this.use() as status:
        return status


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_is_known_to_all_that_use_the_key_on_this_panel_from_this_place(status: int) -> None:
    with key().use() as before:
        key().answered(status)
    assert (before, refused(key())) == (None, status)
    assert refused(key(url="https://other.example/api/v2")) is None
    assert refused(key(api_key="another")) is None
    assert refused(key(place="web1")) is None


def test_a_key_that_was_accepted_may_be_refused_later_and_never_the_other_way_round() -> None:
    for status, known in ((200, None), (404, None), (403, 403), (200, 403), (401, 403)):
        with key().use():
            key().answered(status)
        assert refused(key()) == known


def test_the_first_use_is_alone_until_the_panel_has_answered() -> None:
    under_way: list[int] = []
    most: list[int] = []

    def use() -> None:
        with key().use() as status:
            if status is not None:
                return
            under_way.append(1)
            most.append(len(under_way))
            time.sleep(0.1)
            key().answered(401)
            under_way.pop()

    threads = [threading.Thread(target=use) for _number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert most == [1]


def test_nobody_waits_for_longer_than_an_answer_may_take_and_only_once() -> None:
    with key().use():
        waiting = key(timeout=0.2)
        begin = time.monotonic()
        assert refused(waiting) is None
        assert refused(waiting) is None
        assert 0.2 <= time.monotonic() - begin < 2


def test_nobody_waits_for_a_key_that_the_panel_takes() -> None:
    with key().use():
        key().answered(200)
    with key().use():
        begin = time.monotonic()
        assert refused(key(timeout=20)) is None
        assert time.monotonic() - begin < 5


def test_names_and_contents_of_files_do_not_tell_the_key(folder: Path) -> None:
    with key().use():
        key().answered(401)
    texts = [str(path) + path.read_text(encoding="ascii") for path in folder.iterdir()]
    assert texts
    assert not any(word in text for text in texts for word in (KEY, "prefix01", "panel.example"))
    assert folder.stat().st_mode & 0o777 == 0o700


def test_without_the_folder_of_the_run_nothing_is_known_and_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", "/proc/nowhere")
    with key().use() as status:
        key().answered(401)
    assert (status, refused(key())) == (None, None)


def test_a_key_that_is_refused_to_several_threads_at_once_looks_good_to_nobody() -> None:
    """What is half written would look like a key that the panel takes, or like none at all."""
    seen: list[object] = []

    def look(this: RunKey, ends: threading.Event) -> None:
        try:
            while not ends.is_set():
                seen.append(this._look())
        except ValueError as error:
            seen.append(error)

    for number in range(100):
        name, ends = f"key-{number}", threading.Event()
        assert refused(key(api_key=name)) is None  # makes the folder
        watcher = threading.Thread(target=look, args=(key(api_key=name), ends))
        threads = [threading.Thread(target=key(api_key=name).answered, args=(401,)) for _thread in range(4)]
        for thread in (watcher, *threads):
            thread.start()
        for thread in threads:
            thread.join(20)
        ends.set()
        watcher.join(20)
    assert [one for one in seen if one not in ((False, None), (True, 401))] == []
