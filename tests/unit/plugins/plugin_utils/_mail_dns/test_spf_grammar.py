"""SPF records by the grammar of RFC 7208.

What a receiver takes is fine, and one wrong word anywhere is a permanent error.
"""

from __future__ import annotations

import random
import time

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._mail_dns.judge import list_findings
from ansible_collections.hosting.panel.plugins.plugin_utils._mail_dns.spf_syntax import parse_spf
from tests.support.seeds import make_seeds

Draw = random.Random


def list_problems(text: str) -> list[tuple[str, str]]:
    """What is wrong with the SPF record of a domain: the problem and its level."""
    records = [
        {"host": "@", "type": "TXT", "ttl": 60, "value": text},
        {"host": "@", "type": "A", "ttl": 60, "value": "192.0.2.1"},
    ]
    findings = list_findings({"domain": "acme.example", "records": records})
    return [
        (finding["problem"], finding["level"]) for finding in findings if finding["about"] == "spf"
    ]


# The rules of section 12, each as a function that draws one of its words


def draw_macro(draw: Draw) -> str:
    """Return a random macro."""
    if draw.random() < 0.1:
        return draw.choice(("%%", "%_", "%-"))
    letter = draw.choice("slodiphvSLODIPHV")
    transformers = draw.choice(("", "", "1", "2r", "r", "10", "128R"))
    delimiters = "".join(draw.choices(".-+,/_=", k=draw.choice((0, 0, 1, 3))))

    return f"%{{{letter}{transformers}{delimiters}}}"


def draw_label(draw: Draw) -> str:
    """Return a random label of a name."""
    return draw.choice(("_spf", "mail", "a-b", "1", "x", "Foo", "xn--mller-kva"))


def draw_domain(draw: Draw) -> str:
    """Of a zone that this panel does not hold, so that nothing but its form is judged."""
    if draw.random() < 0.3:
        return ".".join(
            draw_macro(draw) if draw.random() < 0.6 else draw_label(draw) for _label in range(2)
        ) + draw.choice((".%{d}", ".elsewhere.example"))
    return ".".join(draw_label(draw) for _label in range(draw.randrange(1, 3))) + draw.choice(
        (".elsewhere.example", ".example.", ".co2", ".x-1")
    )


def draw_ipv4_length(draw: Draw) -> str:
    """Return the length of a network of IPv4."""
    return f"/{draw.choice((0, 1, 8, 24, 32))}"


def draw_ipv6_length(draw: Draw) -> str:
    """Return the length of a network of IPv6."""
    return f"/{draw.choice((0, 1, 48, 64, 128))}"


def draw_ipv4_address(draw: Draw) -> str:
    """Return a random address of IPv4."""
    return ".".join(
        str(draw.choice((0, 1, 9, 10, 99, 100, 199, 200, 249, 250, 255))) for _octet in range(4)
    )


def draw_ipv6_address(draw: Draw) -> str:
    """Return a random address of IPv6."""
    return draw.choice(
        (
            "2001:db8::1",
            "2001:DB8::",
            "::",
            "::1",
            "1:2:3:4:5:6:7:8",
            "::ffff:192.0.2.1",
            "Cafe::babe:8000",
        )
    )


def draw_mechanism(draw: Draw) -> str:
    """Return a random mechanism."""
    name = draw.choice(("ip4", "ip4", "ip6", "ip6", "a", "mx", "ptr", "include", "exists"))
    if name == "ip4":
        term = f"ip4:{draw_ipv4_address(draw)}{draw.choice(('', draw_ipv4_length(draw)))}"
    elif name == "ip6":
        term = f"ip6:{draw_ipv6_address(draw)}{draw.choice(('', draw_ipv6_length(draw)))}"
    elif name in ("a", "mx"):
        lengths = draw.choice(
            (
                "",
                draw_ipv4_length(draw),
                f"/{draw_ipv6_length(draw)}",
                f"{draw_ipv4_length(draw)}/{draw_ipv6_length(draw)}",
            )
        )
        term = f"{name}:{draw_domain(draw)}{lengths}"
    else:
        term = f"{name}:{draw_domain(draw)}"

    return draw.choice(("", "", "+", "-", "~", "?")) + draw.choice(
        (term, term, term[: len(name)].upper() + term[len(name) :])
    )


def draw_modifier(draw: Draw) -> str:
    """Return a random modifier."""
    return draw.choice(
        (
            f"exp={draw_domain(draw)}",
            "unknown=",
            "x-1_y.z=%{d}/%{s}!~",
            f"moo={draw_macro(draw)}",
            "default=pass",
        )
    )


def draw_record(draw: Draw) -> list[str]:
    """The words behind the version, with fewer look-ups than are allowed."""
    terms = [draw_mechanism(draw) for _number in range(draw.randrange(6))]
    terms += [draw_modifier(draw)] if draw.random() < 0.4 else []
    return [*terms, draw.choice(("-all", "~all", "?all", "-ALL", f"redirect={draw_domain(draw)}"))]


def join_terms(draw: Draw, terms: list[str]) -> str:
    """Return the terms as a record in one of its spellings."""
    version = draw.choice(("v=spf1", "v=spf1", "V=SPF1"))
    return "".join(
        [version, *(draw.choice((" ", " ", "  ")) + term for term in terms)]
    ) + draw.choice(("", " "))


@pytest.mark.parametrize("seed", make_seeds(400))
def test_a_record_that_fits_the_grammar_has_no_mistake(seed: int) -> None:
    draw = random.Random(seed)
    text = join_terms(draw, draw_record(draw))

    assert parse_spf(text).mistakes == []
    # A network of all addresses fits the grammar, and is a fault all the same.
    bad = {problem for problem, level in list_problems(text) if level == "bad"}
    assert bad <= {"allows_everyone"}


WRONG = [
    # Addresses and their lengths
    *(
        "ip4:192.0.2.0/33",
        "ip4:192.0.2.300",
        "ip4:192.0.2.256",
        "ip4:192.0.2",
        "ip4:192.0.2.1.1",
        "ip4:192.0.2.01",
        "ip4:192.0.2.1/08",
    ),
    *(
        "ip4:192.0.2.0/",
        "ip4:192.0.2.0/x",
        "ip4:192.0.2.0//24",
        "ip4:192.0.2.0/-1",
        "ip4:192.0.2.1:25",
        "ip4:",
        "ip4",
        "ip4:2001:db8::1",
    ),
    *(
        "ip4:192.0.2.1,192.0.2.2",
        "ip4=192.0.2.1",
        "ip4:mail.acme.example",
        "ip4: 192.0.2.1",
        "ip4:192.0.2.+1",
        "ip4/24",
        "ip4:١.0.2.1",
    ),
    *(
        "ip6:1200::AB00::7777",
        "ip6:2001:db8::/129",
        "ip6:2001:db8::/064",
        "ip6:192.0.2.1",
        "ip6:",
        "ip6",
        "ip6:fe80::1%eth0",
        "ip6:::1::",
    ),
    *(
        "ip6:2001:db8::1//64",
        "ip6:[2001:db8::1]",
        "ip6:12345::",
        "ip6:1:2:3:4:5:6:7",
        "ip6:::ffff:192.0.2.300",
    ),
    # Lengths of networks behind names
    *(
        "a/33",
        "a//129",
        "a/24/64",
        "a/24//129",
        "a/",
        "a//",
        "a/024",
        "a:mail.acme.example/33",
        "a:mail.acme.example/24/",
        "mx/99",
        "mx//999",
    ),
    *(
        "mx:acme.example//",
        "a/-1",
        "ptr/24",
        "ptr:acme.example/24",
        "include:elsewhere.example/24",
        "exists:elsewhere.example/24",
    ),
    # Names
    *(
        "a:",
        "mx:",
        "ptr:",
        "include:",
        "include",
        "exists:",
        "exists",
        "a:museum",
        "a:museum.",
        "a:192.0.2.1",
        "a:x.1",
        "include:x.-y",
    ),
    *(
        "include:x.y-",
        "include:acme_example",
        "include:acme.exa_mple",
        "mx:münchen.example",
        "include:acme\u00a0.example",
        "a:acme.example,",
    ),
    *(
        "mx:mail..example",
        "a:.mail.example",
        "ptr:mail.example..",
        "exists:a..example",
        "include:a..example/",
        "redirect=a..example",
        "exp=a..x",
    ),
    *(f"a:{'x' * 64}.example", f"include:{'x.' * 126}example"),
    *("include:<acme.example>", 'include:"acme.example"', "include: acme.example"),
    # Macros
    *(
        "exists:%{z}.example.com",
        "exists:%{d",
        "exists:%d.example.com",
        "exists:%.example.com",
        "exists:%{d0}.example.com",
        "exists:%{}.example",
    ),
    *(
        "exists:%{d}%",
        "exists:%{ir}.%{c}.example.com",
        "exists:%{t}",
        "exists:%{r}.x",
        "exists:%(d).example.com",
        "exists:%{dr2}.example.com",
    ),
    *(
        "exists:%{d*}.example",
        "exists:%{d}.",
        "exists:%{d}example",
        "exists:%{d}.x.1",
        "exists:%{ d}.example.com",
    ),
    *("foo=%{z}", "foo=%x", "foo=%{c0}", "foo=é"),
    # Modifiers
    *(
        "redirect=",
        "redirect",
        "redirect:acme.example",
        "redirect=museum",
        "-redirect=acme.example",
        "redirect=192.0.2.1",
        "exp=",
        "exp=x",
    ),
    *(
        "redirect=a.example redirect=b.example",
        "redirect=a.example redirect=a.example",
        "exp=a.example exp=a.example",
        "+foo=bar",
        "1foo=bar",
    ),
    *("=bar", "-exp=a.example", "REDIRECT=a.example redirect=b.example", "exp=%{c}.example.com"),
    # Words
    *(
        "all:x",
        "all/24",
        "all.",
        "all=",
        "ipv4:192.0.2.1",
        "ip:192.0.2.1",
        "mail.acme.example",
        "192.0.2.1",
        "+",
        "--all",
        "-",
        "a b",
        "a;",
        ",",
    ),
    *(
        "m:acme.example",
        "include;acme.example",
        "?",
        "++a",
        "a+",
        "(a)",
        "a,mx",
        "mx\ta",
        "a\u200b",
        "\u2212all",
        "\u2013all",
        "'a'",
        "%{d}",
    ),
    *(
        "inlcude:acme.example",
        "a:b.example:25\u0000",
        "ip4:192.0.2.1;",
        "spf2.0/pra",
        "exists=%{i}.example.com",
        "ptr=",
        "a=x",
        "mx=acme.example",
    ),
]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("at", ["first", "between", "last", "alone"])
def test_one_wrong_word_anywhere_is_a_permanent_error(wrong: str, at: str) -> None:
    draw = random.Random(f"{wrong} {at}")
    terms = draw_record(draw) if at != "alone" else []
    # What the record has itself would make a second one of these.
    terms = [term for term in terms if not term.lower().startswith(("redirect", "exp"))]
    position = {"first": 0, "between": len(terms) // 2}.get(at, len(terms))
    terms[position:position] = [wrong]

    text = join_terms(draw, terms)

    assert ("syntax", "bad") in list_problems(text), text


@pytest.mark.parametrize("end", ["?all", "~all", "-all", "+all"])
@pytest.mark.parametrize("wrong", ["mx:mail..example", "ip4:192.0.2", "a:museum", "nonsense"])
def test_a_wrong_word_behind_all_is_a_permanent_error_too(end: str, wrong: str) -> None:
    assert ("syntax", "bad") in list_problems(f"v=spf1 {end} {wrong}")


@pytest.mark.parametrize("seed", make_seeds(100))
def test_each_mechanism_behind_all_is_named_and_no_modifier_is(seed: int) -> None:
    draw = random.Random(seed)
    before = [draw_mechanism(draw) for _number in range(draw.randrange(3))]
    behind = [draw_mechanism(draw) for _number in range(draw.randrange(4))]

    end = draw.choice(("-all", "~all", "?ALL"))

    assert (
        parse_spf(" ".join(["v=spf1", *before, end, *behind, draw_modifier(draw)])).ignored
        == behind
    )


@pytest.mark.parametrize(
    "terms", ["redirect=a.example -all", "-all redirect=a.example", "a ~all Redirect=a.example"]
)
def test_a_redirect_beside_all_is_named(terms: str) -> None:
    assert [term.lower() for term in parse_spf(f"v=spf1 {terms}").ignored] == ["redirect=a.example"]


# What a slip of the hand puts into a word, takes out of it, or makes of it; each is wrong wherever
# it stands.
SLIPS = {
    "a sign that no word has": lambda draw, term: term + draw.choice(";,()<>\"'\\é\u00a0\t"),
    "a qualifier in the middle": lambda _draw, term: (
        f"{term[:1]} +{term[1:]}" if term[0] not in "+-~?" else f"+{term}"
    ),
    "two qualifiers": lambda draw, term: draw.choice("+-~?") * 2 + term.lstrip("+-~?"),
    "a blank before the name": lambda _draw, term: (
        term.replace(":", ": ", 1) if ":" in term else f"{term}: x"
    ),
    "an unclosed macro": lambda draw, term: (
        f"exists:{term.partition(':')[2] or 'x'}%{{{draw.choice('sdi')}"
    ),
    "an unknown macro": lambda draw, term: (
        f"exists:{term.partition(':')[2] or 'x'}%{{{draw.choice('abefgjkmnquwxyz')}}}"
    ),
    "a name in letters of its language": lambda _draw, term: (
        f"{term.partition(':')[0].lstrip('+-~?')}:bücher.example"
    ),
    "a length that is too long": lambda draw, _term: (
        f"{draw.choice(('a', 'mx'))}/{draw.randrange(33, 1000)}"
    ),
    "a network of too many": lambda draw, _term: (
        f"ip4:{draw_ipv4_address(draw)}/{draw.randrange(33, 1000)}"
    ),
    "a number that no address has": lambda draw, _term: f"ip4:192.0.{draw.randrange(256, 1000)}.1",
    "a network of IPv6 that is too long": lambda draw, _term: (
        f"ip6:{draw_ipv6_address(draw)}/{draw.randrange(129, 1000)}"
    ),
    "twice the short form": lambda draw, _term: f"ip6:1::{draw.randrange(9)}::2",
    "an unknown mechanism": lambda _draw, term: f"x{term.lstrip('+-~?')}",
}


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("seed", make_seeds(25))
def test_a_slip_of_the_hand_is_a_permanent_error(slip: str, seed: int) -> None:
    draw = random.Random(f"{slip} {seed}")
    terms = draw_record(draw)
    position = draw.randrange(len(terms))
    if "=" in terms[position]:
        terms[position] = draw_mechanism(draw)

    terms[position] = SLIPS[slip](draw, terms[position])

    text = join_terms(draw, terms)

    assert ("syntax", "bad") in list_problems(text), text


@pytest.mark.parametrize(
    ("first", "second"),
    [("redirect=a.example", "redirect=b.example"), ("exp=a.example", "exp=a.example")],
)
@pytest.mark.parametrize("pattern", ["{0} {1} -all", "-all {0} {1}", "{0} a -all {2}"])
def test_a_modifier_that_is_there_twice_is_a_permanent_error_wherever_it_is(
    first: str, second: str, pattern: str
) -> None:
    text = pattern.format(first, second, second.upper())
    assert list_problems(f"v=spf1 {text}") == [("syntax", "bad")]


@pytest.mark.parametrize(
    "unit",
    [
        "%",
        "%{",
        "%{d}",
        "%{d}.",
        "a",
        "a.",
        "/",
        "/1",
        "//1",
        "1",
        ":",
        "=",
        "-",
        " a",
        "é",
        ".%{i}x",
    ],
)
@pytest.mark.parametrize(
    "head",
    [
        "v=spf1 ",
        "v=spf1 a:",
        "v=spf1 exists:",
        "v=spf1 a",
        "v=spf1 redirect=",
        "v=spf1 x=",
        "v=spf1 ip6:",
    ],
)
@pytest.mark.long
def test_a_long_hostile_record_is_judged_in_time_that_grows_with_its_length(
    head: str, unit: str
) -> None:
    start = time.process_time()
    parse_spf(head + unit * 30000)

    assert time.process_time() - start < 5
