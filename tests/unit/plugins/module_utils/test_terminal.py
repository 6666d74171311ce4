"""Nothing that a customer called something drives the terminal of whoever reads the messages."""

from __future__ import annotations

import pickle

from ansible_collections.hosting.panel.plugins.module_utils._secrets.panel_text import on_one_line
from ansible_collections.hosting.panel.plugins.module_utils._task.operation import with_harmless_words

# Clears the screen, forges lines, colours, turns the direction, and ends a line in other ways.
NASTY = "x\n\x1b[2J\x1b[1;1H\rPLAY RECAP ***\nlocalhost : ok=9\x9b31m\x08\x7f\u202eelif\u2066\u2028\u2029\x85"
SHOWN = r"x\n\x1b[2J\x1b[1;1H\rPLAY RECAP ***\nlocalhost : ok=9\x9b31m\x08\x7f\u202eelif\u2066\u2028\u2029\x85"


def test_words_for_people_leave_as_plain_texts_that_another_process_can_read() -> None:
    class Own(str):
        """A text that another process could not read."""

    mistake = Own("emails[0] is wrong.")
    done = with_harmless_words({"msg": mistake, "mistakes": [mistake], "left_out": {mistake: (mistake,)}})
    assert pickle.loads(pickle.dumps(done)) == {
        "msg": "emails[0] is wrong.",
        "mistakes": ["emails[0] is wrong."],
        "left_out": {"emails[0] is wrong.": ["emails[0] is wrong."]},
    }
    assert {type(done["msg"]), type(done["mistakes"][0]), *map(type, done["left_out"])} == {str}


def test_a_text_with_nothing_to_obey_is_the_same_text() -> None:
    text = "Müller's\ttable: שלום, 例え.jp, €\u00a0"
    assert on_one_line(text) is text


def test_everything_for_people_in_a_result_is_cleaned_and_nothing_else() -> None:
    result = {
        "msg": NASTY,
        "warnings": [NASTY],
        "deprecations": [{"msg": NASTY, "version": "2.0.0"}],
        "left_out": {NASTY: NASTY},
        "plan": {"actions": [{"key": NASTY}]},
        "diff": [{"before": "a\x1b\nb", "after": {"key": NASTY}, "before_header": NASTY}],
    }
    assert with_harmless_words(result) == {
        "msg": SHOWN,
        "warnings": [SHOWN],
        "deprecations": [{"msg": SHOWN, "version": "2.0.0"}],
        "left_out": {SHOWN: SHOWN},
        "plan": {"actions": [{"key": NASTY}]},
        "diff": [{"before": "a\\x1b\nb", "after": {"key": NASTY}, "before_header": SHOWN.replace(r"\n", "\n")}],
    }
