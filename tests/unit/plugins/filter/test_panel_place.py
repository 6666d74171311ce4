"""panel_place: which panel a new customer goes to, and why not to another one."""

from __future__ import annotations

import datetime
import itertools
import json
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.filter.panel_place import FilterModule
from ansible_collections.hosting.panel.plugins.plugin_utils._report.build_report import build_report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_reading import (
    PanelReading,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._run.marked_texts import mark_texts

GIB = 1 << 30
NOW = datetime.datetime(2026, 11, 20, 6, 0, tzinfo=datetime.UTC)
choose = FilterModule().filters()["panel_place"]


def make_panel(name: str, size: Any = 100, used: Any = 10, promised: Any = 50, **more: Any) -> Any:
    """Return a panel with figures in GiB."""
    figures = {"disk_size": size, "disk_used": used, "disk_promised": promised}
    gigabytes = {
        name: figure * GIB if type(figure) is int else figure for name, figure in figures.items()
    }
    return {"name": name, **gigabytes, "clients": 3, **more}


def order_panels(panels: Any, demand: Any = "10G", **rules: Any) -> list[tuple[str, bool]]:
    """Return the names of the panels in order, each with whether it fits."""
    return [(entry["panel"], entry["fits"]) for entry in choose(panels, demand, **rules)]


def make_reading(name: str, **more: Any) -> PanelReading:
    """Return a panel as a report reads it, with a client that may use 50 of 100 GiB."""
    return PanelReading(
        name,
        f"{name}.example",
        **{
            "disk_space": 100 * GIB,
            "server": {"resources": {"consumed_disk_space": 10 * GIB}},
            "objects": {"clients": [{"id": 1, "username": "acme"}]},
            "stats": {1: {"disk_space": {"value": GIB, "max": 50 * GIB}}},
            **more,
        },
    )


def report(*readings: PanelReading) -> dict[str, Any]:
    """Return the JSON of a report."""
    document: dict[str, Any] = json.loads(json.dumps(build_report(readings, NOW)))
    return document


# The order, and the figures.


def test_the_panel_that_has_promised_the_smallest_share_comes_first() -> None:
    panels = [
        make_panel("a", promised=70),
        make_panel("b", size=200, promised=100),
        make_panel("c", promised=55),
    ]

    assert choose(panels, "10G") == [
        {
            "panel": "b",
            "fits": True,
            "why": "55.0 % of the disk would be promised; 180 GiB would be left free",
            "promised_percent": 55.0,
        },
        {
            "panel": "c",
            "fits": True,
            "why": "65.0 % of the disk would be promised; 80.0 GiB would be left free",
            "promised_percent": 65.0,
        },
        {
            "panel": "a",
            "fits": True,
            "why": "80.0 % of the disk would be promised; 80.0 GiB would be left free",
            "promised_percent": 80.0,
        },
    ]


def test_equal_shares_are_ordered_by_clients_and_then_by_name() -> None:
    panels = [make_panel("c", clients=2), make_panel("b", clients=2), make_panel("a", clients=5)]
    assert order_panels(panels) == [("b", True), ("c", True), ("a", True)]


def test_a_preferred_panel_comes_first_if_it_fits() -> None:
    panels = [
        make_panel("a"),
        make_panel("b", promised=90),
        make_panel("c", promised=80),
        make_panel("d", size=10),
    ]

    assert order_panels(panels, prefer=["b", "c", "d"]) == [
        ("c", True),
        ("b", True),
        ("a", True),
        ("d", False),
    ]


# By case the figures of a panel in GiB, the rules, and whether it fits.
BOUNDS: dict[str, tuple[dict[str, int], dict[str, Any], bool]] = {
    "promised at the bound": ({"promised": 90}, {"most_promised_percent": 100}, True),
    "promised above it": ({"promised": 91}, {"most_promised_percent": 100}, False),
    "promised more than the disk": ({"promised": 190}, {"most_promised_percent": 200}, True),
    "no bound": ({"promised": 9000}, {}, True),
    "exactly as much free": ({"used": 90}, {}, True),
    "too little free": ({"used": 91}, {}, False),
    "as much left as is kept free": ({"used": 40}, {"keep_free": "50G"}, True),
    "less left than is kept free": ({"used": 41}, {"keep_free": "50G"}, False),
    "more used than the disk has": ({"used": 101}, {}, False),
}


@pytest.mark.parametrize(("figures", "rules", "fits"), BOUNDS.values(), ids=BOUNDS)
def test_a_bound_may_be_reached_and_not_passed(
    figures: dict[str, int], rules: dict[str, Any], fits: bool
) -> None:
    assert order_panels([make_panel("a", **figures)], **rules) == [("a", fits)]


def test_a_share_is_compared_before_it_is_rounded() -> None:
    entry = make_panel("a", size=100_000, promised=99_991)
    (chosen,) = choose([entry], "10G", most_promised_percent=100)
    assert (chosen["fits"], chosen["promised_percent"]) == (False, 100.0)
    assert chosen["why"].endswith(
        "100.0 % of the disk would be promised, which is more than most_promised_percent (100)"
    )


def test_a_shortage_is_told_where_both_sizes_are_the_same_once_they_are_rounded() -> None:
    (refused,) = choose([make_panel("a", used=0)], "10G", keep_free=90 * 2**30 + 1)
    assert refused["why"] == "100 GiB are free, and 100 GiB have to be: 1 B too few"


def test_a_refusal_names_every_reason() -> None:
    entry = make_panel("a", used=95, promised=95)

    (refused,) = choose([entry], "10G", most_promised_percent=100, never=["a"], only=[])

    assert refused["why"] == (
        "never names it; only does not name it; "
        "105.0 % of the disk would be promised, which is more than most_promised_percent (100); "
        "5.0 GiB are free, and 10.0 GiB have to be: 5.0 GiB too few"
    )


@pytest.mark.parametrize("value", [None, "", "absent"])
@pytest.mark.parametrize("figure", ["disk_size", "disk_used", "disk_promised", "clients"])
def test_a_panel_with_an_unknown_figure_never_fits(figure: str, value: Any) -> None:
    unclear = make_panel("a", promised=0, **{figure: value})
    if value == "absent":
        del unclear[figure]

    entries = choose([unclear, make_panel("b", promised=900)], 1, prefer=["a"], only=["a", "b"])

    assert [(entry["panel"], entry["fits"]) for entry in entries] == [("b", True), ("a", False)]
    assert entries[1]["why"] == f"not known: {figure}"
    is_share_known = figure in ("disk_used", "clients")
    assert (entries[1]["promised_percent"] is not None) is is_share_known


SIZES = st.one_of(st.none(), st.integers(1, 40))
AMOUNTS = st.one_of(st.none(), st.integers(0, 40))
NAMES = ("a", "b", "c")
SUBSETS = [list(names) for count in range(4) for names in itertools.combinations(NAMES, count)]


RULES = st.fixed_dictionaries({
    "most_promised_percent": st.one_of(st.none(), st.integers(1, 200)),
    "keep_free": st.integers(0, 40),
    "only": st.one_of(st.none(), st.sampled_from(SUBSETS)),
    "never": st.sampled_from(SUBSETS),
    "prefer": st.sampled_from(SUBSETS),
})  # fmt: skip


def is_allowed(name: str, figures: tuple[Any, ...], demand: int, rules: dict[str, Any]) -> bool:
    """Return whether no rule refuses a panel, by the words of the documentation."""
    if None in figures or name in rules["never"]:
        return False
    if rules["only"] is not None and name not in rules["only"]:
        return False
    size, used, promised, _clients = figures
    if size - used - demand < rules["keep_free"]:
        return False
    most = rules["most_promised_percent"]
    return most is None or 100 * (promised + demand) <= most * size


@given(
    figures=st.lists(st.tuples(SIZES, AMOUNTS, AMOUNTS, AMOUNTS), min_size=3, max_size=3),
    demand=st.integers(0, 40),
    rules=RULES,
)
def test_whatever_the_figures_are_no_panel_that_breaks_a_rule_fits(
    figures: list[tuple[Any, ...]], demand: int, rules: dict[str, Any]
) -> None:
    fields = ("disk_size", "disk_used", "disk_promised", "clients")
    panels = [
        {"name": name, **dict(zip(fields, values, strict=True))}
        for name, values in zip(NAMES, figures, strict=True)
    ]

    entries = choose(panels, demand, **rules)

    expected = {
        name: is_allowed(name, values, demand, rules)
        for name, values in zip(NAMES, figures, strict=True)
    }
    assert {entry["panel"]: entry["fits"] for entry in entries} == expected
    assert all(entry["why"] for entry in entries)

    fitting = [entry for entry in entries if entry["fits"]]
    assert entries[: len(fitting)] == fitting
    ranks = [
        (entry["panel"] not in rules["prefer"], entry["promised_percent"]) for entry in fitting
    ]
    assert ranks == sorted(ranks)
    assert entries == choose(panels[::-1], demand, **rules)


# What a customer needs.

DEMANDS: dict[str, Any] = {
    "a number": 10 * GIB,
    "a text": "10G",
    "resources": {"disk_space": "10G", "traffic": -1},
    "a plan": {"name": "Business", "resources": {"disk_space": 10 * GIB}, "permissions": {}},
}


@pytest.mark.parametrize("demand", DEMANDS.values(), ids=DEMANDS)
def test_a_demand_is_bytes_or_a_plan(demand: Any) -> None:
    assert choose([make_panel("a")], demand)[0]["promised_percent"] == 60.0


@pytest.mark.parametrize("demand", [-1, "-1", {"disk_space": -1}], ids=str)
def test_no_panel_fits_a_demand_without_a_limit(demand: Any) -> None:
    assert choose([make_panel("a")], demand) == [
        {
            "panel": "a",
            "fits": False,
            "why": "the demand has no limit",
            "promised_percent": None,
        }
    ]


# A report.


@pytest.mark.parametrize("form", [json.dumps, dict], ids=["text", "read"])
def test_the_marks_of_a_report_are_no_part_of_its_texts(form: Any) -> None:
    document = mark_texts(report(make_reading("[::1]:8443")))
    assert document["servers"][0]["server"] == {"__ansible_unsafe": "[::1]:8443"}

    assert order_panels(form(document), prefer=["[::1]:8443"]) == [("[::1]:8443", True)]


@pytest.mark.parametrize("form", [json.dumps, lambda document: document], ids=["text", "read"])
def test_a_report_gives_the_figures_of_its_panels(form: Any) -> None:
    full = make_reading("full", server={"resources": {"consumed_disk_space": 95 * GIB}})
    document = report(make_reading("one"), full)

    assert choose(form(document), "10G", most_promised_percent=60) == [
        {
            "panel": "one",
            "fits": True,
            "why": "60.0 % of the disk would be promised; 80.0 GiB would be left free",
            "promised_percent": 60.0,
        },
        {
            "panel": "full",
            "fits": False,
            "why": "5.0 GiB are free, and 10.0 GiB have to be: 5.0 GiB too few",
            "promised_percent": 60.0,
        },
    ]


# By case what a panel of a report lacks, and why it does not fit.
UNCLEAR: dict[str, tuple[dict[str, Any], str]] = {
    "no size": ({"disk_space": None}, "not known: disk_size"),
    "no use": ({"server": {}}, "not known: disk_used"),
    "an unread client": ({"stats": {}}, "not known: disk_promised"),
    "a client without a known limit": (
        {"stats": {1: {"disk_space": {"value": 1, "max": None}}}},
        "not known: disk_promised",
    ),
    "an unread panel": ({"failure": "no answer", "objects": {}}, "the panel could not be read"),
}


@pytest.mark.parametrize(("fields", "reason"), UNCLEAR.values(), ids=UNCLEAR)
def test_a_panel_of_a_report_that_is_not_known_well_never_fits(
    fields: dict[str, Any], reason: str
) -> None:
    (chosen,) = choose(report(make_reading("one", **fields)), 1)
    assert (chosen["fits"], chosen["why"]) == (False, reason)


def test_a_client_without_a_limit_is_named_in_the_reason() -> None:
    stats = {1: {"disk_space": {"value": GIB, "max": -1}}}
    (chosen,) = choose(report(make_reading("one", stats=stats)), "10G")
    assert chosen["fits"]
    assert chosen["why"].endswith("; clients without a limit, which are not counted: 1")


# Mistakes.

LIST = [make_panel("web-1"), make_panel("web-2")]
MISTAKES: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "no report": ({"servers": []}, 1, {}, "the input: it is no report; "),
    "no JSON": ("{", 1, {}, "the input: it is no report; "),
    "JSON of something else": ("[]", 1, {}, "the input: it is no report; "),
    "a number": (5, 1, {}, "the input: it is no report; "),
    "another version": ({**report(), "version": 2}, 1, {}, "the input.version: only a report of "),
    "damaged servers": ({**report(), "servers": "x"}, 1, {}, "the input: it is no report; "),
    "a server that is none": ({**report(), "servers": [1]}, 1, {}, "the input.servers[0]: it must "),
    "a damaged figure": (
        {**report(), "servers": [{"server": "a", "disk_space": {"used": "much"}}]},
        1,
        {},
        "the input.servers[0].disk_space.used: 'much' is not accepted",
    ),
    "a damaged group": (
        {**report(), "servers": [{"server": "a", "disk_space": 5}]},
        1,
        {},
        "the input.servers[0].disk_space: it must be a dictionary",
    ),
    "damaged clients": ({**report(), "clients": [1]}, 1, {}, "the input.clients: its entries"),
    "an entry that is none": ([1], 1, {}, "the input[0]: it must be a dictionary"),
    "an entry without a name": ([{}], 1, {}, "the input[0].name: it must be the name"),
    "a switch for a size": ([make_panel("a", size=True)], 1, {}, "the input[0].disk_size: "),
    "a text for a size": ([make_panel("a", size="2 TB")], 1, {}, "the input[0].disk_size: '2 TB' is not"),
    "a disk of nothing": ([make_panel("a", size=0)], 1, {}, "the input[0].disk_size: 0 is not"),
    "a negative promise": ([make_panel("a", promised=-1)], 1, {}, "the input[0].disk_promised: "),
    "clients as a list": ([make_panel("a", clients=[])], 1, {}, "the input[0].clients: "),
    "a name twice": ([make_panel("a"), make_panel("a")], 1, {}, "the input: two panels have the name a."),
    "a demand of nothing": (LIST, "", {}, "demand: missing; "),
    "a plan without a size": (LIST, {"resources": {}}, {}, "demand.resources.disk_space: missing; "),
    "a plan of another form": (LIST, {"resources": 1}, {}, "demand.resources: it must be a dict"),
    "a misspelt resource": (LIST, {"disk_spase": 1}, {}, "demand.disk_space: missing; "),
    "a demand in words": (LIST, "much", {}, "demand: 'much' is not accepted"),
    "a switch as a demand": (LIST, True, {}, "demand: True is not accepted"),
    "a list as a demand": (LIST, [1], {}, "demand: [1] is not accepted"),
    "no percent": (LIST, 1, {"most_promised_percent": 0}, "most_promised_percent: 0 is not"),
    "half a percent": (LIST, 1, {"most_promised_percent": 0.5}, "most_promised_percent: it must"),
    "an odd size to keep": (LIST, 1, {"keep_free": "-1"}, "keep_free: '-1' is not accepted"),
    "a name that is no list": (LIST, 1, {"never": "web-1"}, "never: it must be a list"),
    "a misspelt name": (LIST, 1, {"never": ["wbe-1"]}, "never: there is no panel wbe-1; did you"),
    "an unknown name": (LIST, 1, {"only": ["x"]}, "only: there is no panel x."),
    "a long name": (LIST, 1, {"only": ["x" * 601]}, f"only: there is no panel {'x' * 600}…."),
    "an empty name": (LIST, 1, {"prefer": [""]}, "prefer: there is no panel (empty)."),
}  # fmt: skip


@pytest.mark.parametrize(("panels", "demand", "rules", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named_and_nothing_is_chosen(
    panels: Any, demand: Any, rules: dict[str, Any], message: str
) -> None:
    with pytest.raises(AnsibleFilterError) as error:
        choose(panels, demand, **rules)
    assert str(error.value).startswith(f"hosting.panel.panel_place: {message}")


def test_all_mistakes_are_named_at_once() -> None:
    panels = [make_panel("a", size="lots"), make_panel("b", used=[])]
    with pytest.raises(AnsibleFilterError) as error:
        choose(panels, "much", keep_free="some")
    assert str(error.value).startswith("hosting.panel.panel_place: 4 mistakes: ")
    for subject in ("[0].disk_size: ", "[1].disk_used: ", " demand: ", " keep_free: "):
        assert subject in str(error.value)
