"""A plan in lines for a person: the counts, what goes first, by client, and what changes of each object."""

from __future__ import annotations

from typing import Any

from ansible_collections.hosting.panel.plugins.filter.panel_plan_lines import panel_plan_lines

GIB = 2**30


def action(verb: str, kind: str, key: str, client: str | None = None, **more: Any) -> dict[str, Any]:
    return {"action": verb, "kind": kind, "key": key, "id": 1, "client": client, "before": {}, "after": {}, **more}


def plan(*actions: dict[str, Any]) -> dict[str, Any]:
    return {
        "summary": {"create": 1, "update": 2, "delete": 3, "unchanged": 4},
        "actions": list(actions),
        "checksum": "x",
    }


def line(**members: Any) -> str:
    return panel_plan_lines(plan({**action("update", "emails", "a@b.example"), **members}))[2].strip()


A_SET = {"host": "www", "type": "A", "ttl": 60, "before": ["192.0.2.1"], "after": ["192.0.2.2"]}
MIXED = plan(
    action("create", "plans", "Business", after={"name": "Business", "resources": {"disk_space": 10 * GIB}}),
    action("create", "emails", "new@beta.example", "beta", after={"email": "new@beta.example", "max_size": GIB}),
    action("update", "emails", "info@acme.example", "acme", before={"max_size": GIB}, after={"max_size": 5 * GIB}),
    action("delete", "domains", "gone.example", "beta", also_deleted={"emails": ["a@gone.example", "b@gone.example"]}),
    action("update", "dns", "acme.example", "acme", entries=[A_SET, {**A_SET, "host": "new", "before": []}]),
    action("delete", "emails", "old@acme.example", "acme"),
)


def test_what_goes_comes_first_and_everything_is_by_client() -> None:
    assert panel_plan_lines(MIXED) == [
        "1 to create, 2 to update, 3 to delete, 4 unchanged",
        "acme:",
        "  delete  mailbox old@acme.example",
        "  update  DNS zone acme.example",
        "    www A -192.0.2.1 +192.0.2.2 ttl 60",
        "    new A +192.0.2.2 ttl 60",
        "beta:",
        "  delete  domain gone.example  and with it 2 mailboxes",
        "the panel itself:",
        "  create  hosting plan Business  resources.disk_space 10G",
        "acme:",
        "  update  mailbox info@acme.example  max_size 1G -> 5G",
        "beta:",
        "  create  mailbox new@beta.example  max_size 1G",
    ]


def test_the_order_of_a_plan_makes_no_difference_nor_whether_the_whole_result_is_given() -> None:
    lines = panel_plan_lines(MIXED)
    assert panel_plan_lines({**MIXED, "actions": MIXED["actions"][::-1]}) == lines
    assert panel_plan_lines({"changed": True, "plan": MIXED}) == lines
    assert panel_plan_lines({"failed": True, "msg": "No."}) == []


def test_a_change_shows_what_changes_and_nothing_else() -> None:
    for before, after, shown in [
        ({"php_version": "8.1"}, {"php_version": "8.3"}, "php_version 8.1 -> 8.3"),
        (
            {"security": {"is_hsts": False, "x": 1}},
            {"security": {"is_hsts": True, "x": 1}},
            "security.is_hsts false -> true",
        ),
        ({"aliases": ["a", "b"]}, {"aliases": ["b", "c"]}, "aliases -a +c"),
        ({"notes": ""}, {"notes": " two\nlines"}, 'notes "" -> " two\\nlines"'),
        ({"delete_on": None}, {"delete_on": "2031-01-01"}, "delete_on null -> 2031-01-01"),
        ({"notes": "x"}, {"notes": None}, "notes x -> null"),
        ({}, {"password": "(new)"}, "password (new)"),
        ({"a": 1, "b": 2}, {"a": 2, "b": 3}, "a 1 -> 2, b 2 -> 3"),
        ({"max_size": -1}, {"max_size": 10**9}, "max_size unlimited -> 1000000000 (954 MiB)"),
        ({}, {"max_size": 1536}, "max_size 1536 (1.5 KiB)"),
        ({"max_size": True}, {"max_size": "5"}, "max_size true -> 5"),
        ({"notes": "x" * 99}, {"notes": "y"}, f"notes {'x' * 59}… -> y"),
    ]:
        assert line(before=before, after=after) == f"update  mailbox a@b.example  {shown}"


def test_a_set_of_which_the_ttl_alone_changes_shows_that() -> None:
    found = panel_plan_lines(plan(action("update", "dns", "a.example", entries=[{**A_SET, "after": A_SET["before"]}])))
    assert found[3] == "    www A ttl 60"


def test_a_line_is_no_longer_than_a_person_reads() -> None:
    changes = {f"member{number}": number for number in range(99)}
    assert len(line(before=dict.fromkeys(changes, -1), after=changes)) == 240


def test_a_long_plan_is_cut_and_says_how_much_it_leaves_out() -> None:
    assert panel_plan_lines(MIXED, most=2)[-2:] == ["    new A +192.0.2.2 ttl 60", "and 4 more"]
    assert panel_plan_lines(MIXED, most=6) == panel_plan_lines(MIXED)
    many = [action("create", "emails", f"{'x' * 90}{number}@acme.example", "acme") for number in range(5000)]
    lines = panel_plan_lines(plan(*many))
    assert 50_000 < len("\n".join(lines)) < 60_000
    assert lines[-1] == f"and {5000 - len(lines) + 3} more"
