"""Files of an export and of an archive that a playbook loads as variables.

Each text of the panel is the text that it was, and nothing runs.

The texts are generated: each way to write a template that some release of ansible-core knows, in
each place of a text.
"""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.hosting.panel.plugins.plugin_utils._events.plain_texts import (
    without_templates,
)
from tests.support.playbook import IN_PROCESS, Run, play
from tests.support.simulator import Simulator

CONTACT = (
    "first_name",
    "last_name",
    "company",
    "telephone",
    "address",
    "city",
    "state",
    "client_id",
)
FIELDS = ("notes", *CONTACT)
# Signs in place of {{ and }}, as a header names them.
SIGNS = [
    ("[[", "]]"),
    ("<%", "%>"),
    ("${", "}"),
    ("((", "))"),
    ("@", "@"),
    ("[%", "%]"),
    ("«", "»"),
]
HEADERS = [
    "#jinja2: variable_start_string:'{0}', variable_end_string:'{1}'\n",
    "#jinja2:variable_start_string:'{0}',variable_end_string:'{1}', trim_blocks: False\n",
    '#jinja2:  variable_end_string : "{1}" ,variable_start_string:"{0}"\n\n',
    "#jinja2: variable_start_string:'{0}', variable_end_string:'{1}'\r\n",
    " #jinja2: variable_start_string:'{0}', variable_end_string:'{1}'\n",
    "\n#jinja2: variable_start_string:'{0}', variable_end_string:'{1}'\n",
    "\t\n #jinja2: variable_start_string:'{0}', variable_end_string:'{1}'\n",
    "# jinja2: variable_start_string:'{0}', variable_end_string:'{1}'\n",
    "#JINJA2: variable_start_string:'{0}', variable_end_string:'{1}'\n",
    "x\n#jinja2: variable_start_string:'{0}', variable_end_string:'{1}'\n",
    # A playbook takes it apart.
    "x|#jinja2: variable_start_string:'{0}', variable_end_string:'{1}'\n",
]
# {0} is what is run.
TEMPLATES = [
    "{{{{ {0} }}}}",
    # A playbook takes the blanks away.
    "{{ {{ {0} }} }}",
    "{{{{-{0}-}}}}",
    "{{% set x = {0} %}}",
    "{{%- if {0} %}}x{{% endif %}}",
    "{{# {0} #}}",
    "{{# x #}}{{{{ {0} }}}}",
    "a {{{{ {0} }}}} b",
    "line\n{{{{ {0} }}}}\nline",
    "#jinja2: block_start_string:'[%', block_end_string:'%]'\n[% set x = {0} %]",
    "#jinja2: line_statement_prefix:'%'\n% set x = {0}\nx",
    "#jinja2: comment_start_string:'[#', comment_end_string:'#]'\n{{{{ {0} }}}}",
]
# What becomes a template once it was taken for a list, a dictionary or a text of Python.
LITERALS = [
    '["\\x7b\\x7b {0} \\x7d\\x7d"]',
    '["\\u007b\\u007b {0} \\u007d\\u007d"]',
    '["\\173\\173 {0} \\175\\175"]',
    '["\\N{{LEFT CURLY BRACKET}}" "\\x7b {0} }}" "}}"]',
    '["{{" "{{ {0} }}" "}}"]',
    '["a", ["{{" "{{ {0} }}" "}}"]]',
    '{{"a": "{{" "{{ {0} }}" "}}"}}',
    "\\x7b\\x7b {0} \\x7d\\x7d",
    '{{" "{{ {0} }}" "}}',
    '#jinja2: variable_start_string:"\\x5b\\x5b", variable_end_string:"]]"\n[[ {0} ]]',
]
PLAIN = [
    "#jinja2:",
    "#jinja2: x",
    "#jinja2:\n",
    "#jinja2",
    "{",
    "}",
    "{{",
    "}}",
    "{%",
    "{#",
    "{{ x",
    "x }}",
    "{{}}",
    "[[",
    "<% x %>",
    "[]",
    "{}",
    "[1, 2]",
    "{'a': 1}",
    '{"a": 1}',
    "[x]",
    "True",
    "False",
    "None",
    "true",
    "null",
    "yes",
    "off",
    "~",
    "",
    " ",
    "0",
    "012",
    "0x1f",
    "1e3",
    "1.10",
    "12:30",
    "2031-01-01",
    "2031-01-01T00:00:00Z",
    "=",
    "<<",
    "!unsafe x",
    "!vault |",
    "&a",
    "*a",
    "- a",
    "? a",
    "a: b",
    "a:",
    ":a",
    "# a",
    "a # b",
    "a #b",
    "'a'",
    '"a"',
    "'",
    '"',
    "|",
    ">",
    "%YAML 1.1",
    "---",
    "...",
    "a\n---\nb",
    "a\n...\nb",
    "@a",
    "`a`",
    "a\\b",
    "\\",
    " a",
    "a ",
    "a\n",
    "a\n\n",
    "\na",
    "\n\n a",
    "  a\n b",
    "a\n  b\n",
    "a \nb",
    "a\tb",
    "\ta",
    "a\rb",
    "a\r\nb\r\n",
    "\r",
    "a\u0085b",
    "a\u2028b",
    "\ufeffa",
    "\u200ba",
    "ü",
    "𝒜",
    "\u202ea",
    "a" * 500,
    "$6$a$b",
    "%{REQUEST_URI}",
    "^(.*)\\.html$",
]


@dataclass(frozen=True)
class Trap:
    """A folder in which each template that is evaluated leaves a file."""

    folder: Path

    def call(self, name: object) -> str:
        """Return a call of a lookup that leaves a file where somebody evaluates it."""
        return f"lookup('ansible.builtin.pipe', 'touch$IFS{self.folder / str(name)}')"

    @property
    def sprung(self) -> list[str]:
        """Return the names of the calls that somebody evaluated."""
        return sorted(path.name for path in self.folder.iterdir())


def generate_texts(trap: Trap) -> Iterator[str]:
    """Yield the texts, each with a call of its own."""
    number = itertools.count()
    for header, (start, end) in itertools.product(HEADERS, SIGNS):
        yield f"{header.format(start, end)}{start} {trap.call(next(number))} {end}"

    for form, (before, after) in itertools.product(
        TEMPLATES + LITERALS, [("", ""), (" ", "\n"), ("'", "'"), ("[", "]")]
    ):
        yield before + form.format(trap.call(next(number))) + after

    yield from PLAIN


def make_records(texts: list[str]) -> list[dict[str, Any]]:
    """Return a record of the panel's for each text that a zone takes."""
    fitting = [text for text in texts if text.strip() and text.isprintable() and len(text) < 200]
    return [
        {"host": f"t{number}", "type": "TXT", "ttl": 60, "value": text}
        for number, text in enumerate(fitting)
    ]


def debug(name: str, text: str | list[str], **more: Any) -> dict[str, Any]:
    """Return a task that prints a text."""
    return {"name": name, "ansible.builtin.debug": {"msg": text}, **more}


def make_loading_tasks(files: list[str]) -> Iterator[dict[str, Any]]:
    """Yield tasks that load each file."""
    for number, file in enumerate(files):
        yield {
            "name": "load",
            "ansible.builtin.include_vars": {"file": file, "name": f"file_{number}"},
        }
        yield debug(f"loaded {number}", f"{{{{ file_{number} | to_json | b64encode }}}}")


def make_expression(number: int) -> str:
    """Return a text by itself.

    Ansible takes a whole list for data where one of its texts is marked.
    """
    field = FIELDS[number % len(FIELDS)]
    path = field if field == "notes" else f"contact_data.{field}"
    return f"file_{number // len(FIELDS)}.clients[0].{path}"


def make_uses(numbers: list[int]) -> Iterator[dict[str, Any]]:
    """Yield tasks that use these texts in the ways in which playbooks use variables."""
    texts = {number: make_expression(number) for number in numbers}
    displays = [f"{{{{ {text} }}}} {{{{ {text} | trim }}}}" for text in texts.values()]

    yield debug("shown", displays)

    variables = {f"variable_{number}": f"{{{{ {text} }}}}" for number, text in texts.items()}
    lists = {f"list_{number}": f"""["{{{{ {text} }}}}"]""" for number, text in texts.items()}
    names = [*variables, *lists]
    looked_up = [
        f"{{{{ {name} }}}} {{{{ lookup('ansible.builtin.vars', '{name}') }}}}" for name in names
    ]

    yield debug("of variables", looked_up, vars={**variables, **lists})

    facts = {
        **{f"kept_{number}": f"{{{{ {text} }}}}" for number, text in texts.items()},
        **{f"trimmed_{number}": f"{{{{ {text} | trim }}}}" for number, text in texts.items()},
        **{
            f"last_{number}": f"{{{{ {text}.split('|') | last }}}}"
            for number, text in texts.items()
        },
        **{
            f"joined_{number}": f"{{{{ {text} | replace(' ', '') }}}}"
            for number, text in texts.items()
        },
        **{f"lower_{number}": f"{{{{ {text} | lower }}}}" for number, text in texts.items()},
        **{f"listed_{number}": f"""["{{{{ {text} }}}}"]""" for number, text in texts.items()},
        **{f"quoted_{number}": f"""['{{{{ {text} }}}}']""" for number, text in texts.items()},
    }

    yield {"name": "keep", "ansible.builtin.set_fact": facts}

    yield debug("of facts", [f"{{{{ {name} }}}}" for name in facts])

    conditions = [f"{text} != 'x'" for text in texts.values()]

    yield debug("as a condition", "x", when=conditions)


def make_clients(texts: list[str]) -> list[dict[str, Any]]:
    """Return clients that have all of the texts between them."""
    clients = []
    for start in range(0, len(texts), len(FIELDS)):
        values = dict(zip(FIELDS, texts[start : start + len(FIELDS)], strict=False))
        values = {**dict.fromkeys(FIELDS, ""), **values}
        contact = {name: values[name] for name in CONTACT}
        clients.append(
            {
                "username": f"client-{len(clients):03}",
                "notes": values["notes"],
                "contact_data": contact,
            }
        )

    return clients


def list_texts(client: dict[str, Any]) -> dict[str, str]:
    """Return the texts of a client, as YAML and JSON keep the ends of their lines."""
    texts = {"notes": client["notes"], **client["contact_data"]}
    return {name: texts[name].replace("\r\n", "\n") for name in FIELDS}


def read_printed(run: Run, name: str) -> Any:
    """Return the variables that a task printed in base64."""
    return json.loads(base64.b64decode(run[name].result["msg"]))


def test_every_text_is_the_same_in_every_file_and_none_runs(
    simulator: Simulator, tmp_path: Path
) -> None:
    trap = Trap(tmp_path / "sprung")
    trap.folder.mkdir()
    texts = list(generate_texts(trap))
    clients = make_clients(texts)
    simulator.reset()
    simulator.change_settings({"status_delay": 0})
    simulator.seed(
        {"clients": clients, "domains": [{"domain": "acme.example", "client": "client-000"}]}
    )
    zone = simulator.request("GET", "/dns/name/acme.example").json()["records"]
    simulator.request(
        "PUT", "/dns/name/acme.example", {"records": {**zone, "other": make_records(texts)}}
    )

    # Out of the panel, and back.
    exported = tmp_path / "panel"
    archives = tmp_path / "archives"
    connection = simulator.environment
    reading = {"resources_dir": str(exported)}

    run = play(
        [
            {"name": "export", "hosting.panel.panel_export": {"dir": str(exported)}, "diff": True},
            {
                "name": "archive",
                "hosting.panel.panel_archive": {"username": "client-000", "dir": str(archives)},
            },
            {
                "name": "back",
                "hosting.panel.panel_resources": {**reading, "return_unchanged": True},
                "diff": True,
            },
            {
                "name": "compared",
                "hosting.panel.panel_resources": {**reading, "compare": True},
                "check_mode": True,
            },
        ],
        simulator,
        tmp_path / "first",
        IN_PROCESS,
        ["-vv"],
        connection,
    )

    assert [recording.msg for recording in run.recordings if recording.outcome == "failed"] == []
    assert len(run["export"].result["written"]) == len(clients) + 1
    assert (run["back"].changed, run["compared"].result["differences"]) == (False, [])

    # Loaded as variables, in each way there is.
    files = [str(path) for path in sorted(exported.glob("clients/*.yml"))]
    (rebuild,) = archives.glob("*/rebuild.yml")
    (archived,) = archives.glob("*/client.json")
    tasks = [
        {
            "name": "load the archive",
            "ansible.builtin.include_vars": {"file": str(archived), "name": "archived"},
        },
        debug("of the archive", "{{ archived }} {{ archived.notes }} {{ archived.contact_data }}"),
        debug("as it was", "{{ archived | to_json | b64encode }}"),
        debug("from a file of the play", "{{ clients | to_json | b64encode }}"),
        debug("all", "{{ clients }} {{ dns }}"),
        *make_loading_tasks([*files, str(rebuild)]),
    ]
    ways = [
        (["-e", f"@{files[0]}"], {}, [*tasks, *make_uses(list(range(len(texts))))]),
        ([], {"vars_files": [files[0]]}, tasks),
        (["-e", f"@{rebuild}"], {}, tasks[:5]),
    ]

    for arguments, keywords, chosen in ways:
        run = play(
            chosen, simulator, tmp_path / "second", IN_PROCESS, arguments, connection, keywords
        )
        assert trap.sprung == []
        assert [recording.msg for recording in run.recordings if recording.outcome != "ok"] == []
        assert list_texts(read_printed(run, "from a file of the play")[0]) == list_texts(clients[0])
        assert list_texts(read_printed(run, "as it was")) == list_texts(clients[0])
        if len(chosen) == 5:
            continue
        contents = [read_printed(run, f"loaded {number}") for number in range(len(files) + 1)]
        assert [list_texts(content["clients"][0]) for content in contents[:-1]] == list(
            map(list_texts, clients)
        )
        assert list_record_values(contents[0]) == list_record_values(contents[-1])
        assert list_record_values(contents[0]) == {
            record["host"]: record["value"] for record in make_records(texts)
        }


def list_record_values(content: dict[str, Any]) -> dict[str, str]:
    """Return the values of the records with texts in a file of an export or an archive."""
    rows = content["dns"][0]["records"]
    return {row["host"]: row["value"] for row in rows if row["host"].startswith("t")}


def test_no_text_of_an_event_runs_which_nothing_can_mark(tmp_path: Path) -> None:
    trap = Trap(tmp_path / "sprung")
    trap.folder.mkdir()
    texts = [without_templates(text) for text in generate_texts(trap)]
    file = tmp_path / "event.json"
    content = {
        f"file_{number}": {"clients": [client]} for number, client in enumerate(make_clients(texts))
    }
    file.write_text(json.dumps(content), "utf-8")

    run = play(
        make_uses(list(range(len(texts)))), None, tmp_path / "play", IN_PROCESS, ["-e", f"@{file}"]
    )

    assert [recording.msg for recording in run.recordings if recording.outcome != "ok"] == []
    assert trap.sprung == []


def test_the_same_texts_run_where_nothing_marks_them(tmp_path: Path) -> None:
    """Otherwise the test above would prove nothing."""
    trap = Trap(tmp_path / "sprung")
    trap.folder.mkdir()
    texts = list(generate_texts(trap))
    clients = make_clients(texts)
    file = tmp_path / "clients.yml"
    file.write_text(
        yaml.safe_dump(
            {f"file_{number}": {"clients": [client]} for number, client in enumerate(clients)}
        ),
        "utf-8",
    )
    # One after the other, since a template that fails ends its task.
    chosen = range(0, len(texts) - len(PLAIN), 3)
    tasks = [task for number in chosen for task in make_uses([number])]

    play(tasks, None, tmp_path / "play", IN_PROCESS, ["-e", f"@{file}"])

    assert len(trap.sprung) > len(chosen) / 3, trap.sprung
