"""What is expected of each behaviour of the grid, whatever runs it.

A playbook or the operations themselves, in memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from ansible_collections.hosting.panel.plugins.module_utils._schema.difference import (
    SECRET_CHANGES,
    SECRET_GENERATED,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.fields import Field, Reference
from tests.support import grid
from tests.support.grid import (
    AGAIN,
    CHECK,
    NEW,
    REAL,
    SIMULATOR_KINDS,
    STEPS,
    Behaviour,
    get_existing_label,
    list_paths,
)
from tests.support.playbook import Recording
from tests.support.samples import (
    Member,
    find_value_at,
    list_members,
    make_wire_key,
    put,
    read_kinds,
    read_samples,
    resolve_value,
)

# What the panel itself makes of a change: copies of a plan's features, facts of a certificate,
# other spellings.
ADJUSTED = re.compile(
    r"client: (resource_limits|permissions|php|php_fpm)\..*|certificate: (valid_till|secured_domains|issuer)"
    r"|domain: (dkim_record|target\.is_forwarding)|email: .*_utf8"
)
# Named as secrets are.
Resolve = Callable[[Any], Any]
Steps = Mapping[str, Recording]
Check = Callable[[Behaviour, Steps, Resolve], None]


def make_resolver(
    begin: Callable[[], None],
    seed: Callable[[Any], Any],
    objects: Callable[[str], Any],
    pem: Mapping[str, str],
) -> Resolve:
    """Return what fills in ids and certificates.

    The panel starts anew before every behaviour, so ids are always the same.

    begin: makes the panel a new one. objects: what a panel has of a kind, by the simulator's name
    of it.
    """
    numbers: dict[str, int] = {}

    def fill(value: Any) -> Any:
        return resolve_value(value, numbers.__getitem__, pem)

    def list_existing(plural: str) -> Any:
        return objects(SIMULATOR_KINDS.get(plural, plural))

    for kind in (None, *read_kinds().values()):
        begin()
        seed(fill(read_samples()["world"]))
        if kind is None:
            for plural, name in (
                ("plans", "name"),
                ("clients", "username"),
                ("certificates", "name"),
                ("domains", "domain"),
            ):
                numbers.update(
                    {f"{plural}/{item[name]}": item["id"] for item in list_existing(plural)}
                )
            continue
        seed({kind.plural: [fill(grid.make_full_body(kind))]})
        key = fill(make_wire_key(kind))
        existing = next(item for item in list_existing(kind.plural) if key.items() <= item.items())
        numbers[get_existing_label(kind)] = existing["id"]

    return fill


def _get_object(step: Recording, behaviour: Behaviour, identifier: int) -> dict[str, Any]:
    kind = SIMULATOR_KINDS.get(behaviour.kind.plural, behaviour.kind.plural)
    data: dict[str, Any] = next(
        item["data"] for item in step.observed[0]["objects"][kind] if item["id"] == identifier
    )
    return data


def assert_body(behaviour: Behaviour, step: Recording, resolve: Resolve) -> None:
    """Assert that one write has exactly what changes, or that there is none."""
    write = behaviour.write
    assert len(step.writes) == (write is not None)

    if write is not None:
        assert (
            grid.find_body_differences(
                resolve(write.body), step.writes[0]["body"], resolve(write.unchanged)
            )
            == []
        )


def _join_path(path: Any) -> str:
    return path if isinstance(path, str) else "/".join(map(str, path))


def _list_unadjusted_paths(behaviour: Behaviour, paths: set[str]) -> set[str]:
    named = {f"{behaviour.kind.singular}: {path}" for path in paths}
    return {path for path in named if not ADJUSTED.fullmatch(path)}


def assert_exactly_these_requests(behaviour: Behaviour, steps: Steps, resolve: Resolve) -> None:
    """Assert that each step sends the requests of the behaviour, and no others."""
    for step in STEPS:
        expected = [
            f"{method} {_join_path(path)}" for method, path in resolve(behaviour.list_calls(step))
        ]
        calls = [unquote(call) for call in steps[step].calls]
        if expected and expected[-1].endswith(f"/{NEW}"):
            calls[-1] = re.sub(r"\d+$", NEW, calls[-1])
        assert calls == expected, step


def assert_real_run_sends_what_changes(
    behaviour: Behaviour, steps: Steps, resolve: Resolve
) -> None:
    """Assert that the real run writes what changes, or refuses."""
    real = steps[REAL]
    if behaviour.refused:
        assert real.outcome == "failed"
        assert all(fragment in real.msg for fragment in behaviour.refused), real.msg
        assert real.result["error"]["option"] == behaviour.refused[0].rstrip(":")
    else:
        assert real.outcome == "ok", real.msg

    assert [str(warning) for warning in real.result.get("warnings", [])] == list(behaviour.warned)
    assert real.changed == (behaviour.write is not None)
    assert_body(behaviour, real, resolve)


def assert_check_mode_predicts_the_real_run(
    behaviour: Behaviour, steps: Steps, resolve: Resolve
) -> None:
    """Assert that check mode reports what the real run does."""
    check = steps[CHECK]
    real = steps[REAL]
    assert check.writes == []
    assert check.outcome == real.outcome, check.msg
    assert check.changed == real.changed
    assert check.msg == real.msg
    assert check.result.get("diff") == real.result.get("diff")
    assert set(check.result) == set(real.result) - {"generated_password"}
    name = behaviour.kind.singular

    if not behaviour.refused and real.result[name] is not None:
        is_new = behaviour.write is not None and behaviour.write.method == "POST"
        unpredictable = {"id": None} if is_new else {}
        assert check.result[name] == {**real.result[name], **unpredictable}


def assert_second_run_sends_no_write(behaviour: Behaviour, steps: Steps, resolve: Resolve) -> None:
    """Assert that a second run finds nothing to do."""
    second_run = steps[AGAIN]
    if behaviour.repeats:
        assert_body(behaviour, second_run, resolve)
        return

    assert second_run.writes == []
    assert not second_run.changed
    assert second_run.outcome == steps[REAL].outcome
    assert "generated_password" not in second_run.result
    if not behaviour.refused:
        assert second_run.result["diff"]["before"] == second_run.result["diff"]["after"]


def assert_result_is_what_the_panel_shows(
    behaviour: Behaviour, steps: Steps, resolve: Resolve
) -> None:
    """Assert that the result is the object that a second run reads."""
    if behaviour.refused:
        return
    real, second_run = (steps[step].result[behaviour.kind.singular] for step in (REAL, AGAIN))

    if real is None:
        assert second_run is None
        return

    is_new = behaviour.write is not None and behaviour.write.method == "POST"
    # What the panel adds to a new object is not read; it gives days a time, and does not show flags
    # of creation.
    differences = {
        path
        for path in grid.find_changed_paths(real, second_run) - behaviour.kind.creation_flags
        if (not is_new or find_value_at(real, path) is not None) and not path.endswith("_on")
    }
    assert _list_unadjusted_paths(behaviour, differences) == set()


def assert_diff_shows_what_changes(behaviour: Behaviour, steps: Steps, resolve: Resolve) -> None:
    """Assert that the diff has what is sent and what it replaces."""
    write = behaviour.write
    if write is None or write.method == "DELETE":
        return
    diff = steps[REAL].result["diff"]
    expected = _list_displayed_changes(behaviour, write, resolve)
    # How sizes are written for people is held by test_spelled_answers.py.
    assert diff["after"] == behaviour.kind.display_sizes(expected)

    if write.method == "POST":
        assert diff["before"] == {}
        return

    (extra,) = behaviour.settings.get("extra_members", {"": {}}).values()
    existing = {
        **extra,
        **_get_object(
            steps[CHECK], behaviour, resolve({"id_of": get_existing_label(behaviour.kind)})
        ),
    }
    references = {
        member.path: member.wire_path
        for member in list_members(behaviour.kind)
        if isinstance(member.row, Reference)
    }
    before: dict[str, Any] = {}

    for path in list_paths(expected):
        value = find_value_at(expected, path)
        previous = find_value_at(existing, references.get(path, path))
        if value not in (SECRET_CHANGES, SECRET_GENERATED):
            # Beside the name of the new one, of which the task knows it.
            put(
                before,
                path,
                f"id {previous}" if path in references and isinstance(value, str) else previous,
            )

    assert diff["before"] == behaviour.kind.display_sizes(before)


def assert_nothing_else_changes(behaviour: Behaviour, steps: Steps, resolve: Resolve) -> None:
    """Assert that the panel changes what was requested alone."""
    if behaviour.write is None or behaviour.write.body is None or behaviour.existing is None:
        return
    identifier = resolve({"id_of": get_existing_label(behaviour.kind)})
    before, after = (_get_object(steps[step], behaviour, identifier) for step in (CHECK, REAL))
    unrequested = grid.find_changed_paths(before, after) - list_paths(resolve(behaviour.write.body))
    assert _list_unadjusted_paths(behaviour, unrequested) == set()


def assert_no_result_has_a_secret(behaviour: Behaviour, steps: Steps, resolve: Resolve) -> None:
    """Assert that no result of any step holds a password, a hash or a key."""
    secrets = [grid.PASSWORD, grid.HASH]
    for member in list_members(behaviour.kind):
        if getattr(member.row, "secret", False):
            secrets += [
                line for value in member.values for line in resolve(value.wire).splitlines()[1:-1]
            ]

    for step in STEPS:
        assert [secret for secret in secrets if secret in repr(steps[step].result)] == []


def assert_password_is_returned_once(behaviour: Behaviour, steps: Steps, resolve: Resolve) -> None:
    """Assert that the real run alone returns a generated password."""
    assert "generated_password" not in steps[CHECK].result
    password = steps[REAL].result.get("generated_password")
    assert bool(password) == behaviour.generates
    if password:
        assert str(steps[REAL].result).count(password) == 1


def _list_displayed_changes(
    behaviour: Behaviour, write: grid.Write, resolve: Resolve
) -> dict[str, Any]:
    """Return what a diff says of a change.

    The sent members by the names of their options, secrets hidden.
    """
    body = resolve(write.body)
    options = resolve(behaviour.options)
    rows = [Member(behaviour.kind, row) for row in behaviour.kind.key]
    members = {member.wire_path: member for member in (*rows, *list_members(behaviour.kind))}
    is_update = write.method == "PUT"

    changes: dict[str, Any] = {}

    for path in list_paths(body) - {"password_hash_os"}:
        value = find_value_at(body, path)
        change = _find_displayed_change(path, value, members.get(path), options, is_update)
        if change is not None:
            put(changes, *change)

    return changes


def _find_displayed_change(
    path: str, value: Any, member: Member | None, options: Any, is_update: bool
) -> tuple[str, Any] | None:
    """Return the path and the value of a change in a diff; None where it is not told."""
    if path == "password" and value is None and is_update:
        return path, SECRET_GENERATED
    if path.startswith("password") or _is_secret(member):
        return path, SECRET_CHANGES

    is_requested = find_value_at(options, path) is not None

    if member is not None and isinstance(member.row, Reference):
        name = find_value_at(options, member.path)
        if name is not None:
            return member.path, name or value
        # What nobody said of a new object is taken over from another one, and not told.
        return (path, value) if is_requested or is_update else None

    # What only loses its meaning is sent and not told.
    return (path, value) if value is not None or is_requested else None


def _is_secret(member: Member | None) -> bool:
    """Return whether a member is a field whose value no one may see."""
    row = member.row if member else None
    return isinstance(row, Field) and row.secret


CHECKS: tuple[Check, ...] = (
    assert_exactly_these_requests,
    assert_real_run_sends_what_changes,
    assert_check_mode_predicts_the_real_run,
    assert_second_run_sends_no_write,
    assert_result_is_what_the_panel_shows,
    assert_diff_shows_what_changes,
    assert_nothing_else_changes,
    assert_no_result_has_a_secret,
    assert_password_is_returned_once,
)
