"""Values of HTTPS, SVCB, LOC, CAA, NAPTR, TLSA, SSHFP, DS and their like: all spellings of one are equal, and those of two are not."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import dns.rdata
import pytest

from ansible_collections.hosting.panel.plugins.module_utils._dns import record_values
from ansible_collections.hosting.panel.plugins.module_utils._dns.record_forms import form_of

ZONE = "acme.example"
Draw = random.Random
# A value as parts that mean it, and a function that spells them.
Spell = Callable[[Draw, Any], str]


def form(kind: str, value: str) -> str:
    return record_values.comparable_value(kind, value, ZONE)


def library(kind: str, value: str) -> Any:
    """What dnspython reads, an independent judge."""
    return dns.rdata.from_text("IN", kind, value, dns.name.from_text(ZONE), False)


def blank(draw: Draw) -> str:
    return draw.choice((" ", " ", "  ", "\t"))


def text(draw: Draw, content: str, escapes: float = 0.1) -> str:
    """A text as a word of a zone file."""
    escaped = "".join(
        f"\\{ord(sign):03d}" if draw.random() < escapes else f"\\{sign}" if sign in '"\\' else sign for sign in content
    )
    is_bare = content and not set(content) & set(' ;"()\\')
    return draw.choice((f'"{escaped}"', escaped)) if is_bare else f'"{escaped}"'


def name(draw: Draw, whole: str) -> str:
    """An absolute name, in upper case or relative to the zone."""
    choices = [whole, whole.upper()]
    if whole.endswith(f".{ZONE}.") and whole.count(".") == 3:
        choices.append(whole.removesuffix(f".{ZONE}."))
    return draw.choice(choices)


def hexadecimal(draw: Draw, digits: str) -> str:
    digits = draw.choice((digits, digits.upper()))
    cut = draw.randrange(1, len(digits))
    return draw.choice((digits, f"{digits[:cut]}{blank(draw)}{digits[cut:]}"))


def number(draw: Draw, value: int) -> str:
    return draw.choice((str(value), str(value), f"0{value}"))


def line(draw: Draw, *words: str) -> str:
    value = blank(draw).join(words)
    return draw.choice((value, value, f"( {value} )", f" {value} "))


NAMES = (".", "svc.other.example.", f"www.{ZONE}.", f"a.b.{ZONE}.")


def drawn_service(draw: Draw) -> Any:
    parameters: dict[str, Any] = {}
    if draw.random() < 0.8:
        parameters["alpn"] = draw.sample(("h2", "h3", "http/1.1", "f,oo", "b\\ar"), draw.randrange(1, 4))
    if "alpn" in parameters and draw.random() < 0.3:
        parameters["no-default-alpn"] = None
    if draw.random() < 0.5:
        parameters["port"] = draw.choice((443, 8443, 65535))
    if draw.random() < 0.5:
        parameters["ipv4hint"] = [f"192.0.2.{draw.randrange(9)}" for _one in range(draw.randrange(1, 3))]
    if draw.random() < 0.5:
        parameters["ipv6hint"] = draw.sample(("2001:db8::1", "2001:db8::f", "::1"), draw.randrange(1, 3))
    if draw.random() < 0.3:
        # The judge reads no other lists of configurations.
        parameters["ech"] = "AAT+DQAA"
    if draw.random() < 0.3:
        parameters["key667"] = draw.choice(("hello", "a b", ""))
    if parameters and draw.random() < 0.3:
        parameters["mandatory"] = draw.sample(sorted(parameters), draw.randrange(1, len(parameters) + 1))
        parameters["mandatory"].sort()
    return draw.choice((1, 2, 16)), draw.choice(NAMES), parameters


def spelt_service(draw: Draw, model: Any) -> str:
    priority, target, parameters = model
    words = []
    for key in draw.sample(sorted(parameters), len(parameters)):
        value = parameters[key]
        if value is None:
            words.append(key)
        elif key == "alpn":
            # A comma within an entry has a backslash before it, which the word writes as two.
            entries = [entry.replace("\\", "\\\\").replace(",", "\\,") for entry in value]
            words.append(f"{key}={text(draw, ','.join(entries))}")
        elif key == "ipv6hint":
            written = [draw.choice((one, one.upper(), one.replace("db8::", "db8:0::"))) for one in value]
            words.append(f"{key}={text(draw, ','.join(written), 0)}")
        elif key == "mandatory":
            shuffled = draw.sample(value, len(value))
            words.append(f"{key}={text(draw, ','.join(shuffled), 0)}")
        elif isinstance(value, list):
            words.append(f"{key}={text(draw, ','.join(value), 0)}")
        elif key in ("port", "ech"):
            words.append(f"{key}={text(draw, str(value), 0)}")
        else:
            words.append(f"{key}={text(draw, value)}")
    return line(draw, str(priority), name(draw, target), *words)


def drawn_place(draw: Draw) -> Any:
    angle = (draw.randrange(90), draw.choice((0, 0, 22)), draw.choice((0, 0, 23000, 23500, 1)))
    other = (draw.randrange(180), draw.choice((0, 53)), draw.choice((0, 32000, 59999)))
    sizes = tuple(draw.choice(choices) for choices in ((100, 3000), (1000000, 200), (1000, 0)))
    return angle, draw.choice("NS"), other, draw.choice("EW"), draw.choice((0, -200, 4428499, 150)), sizes


def spelt_place(draw: Draw, model: Any) -> str:
    def angle(parts: tuple[int, int, int]) -> list[str]:
        degrees, minutes, thousandths = parts
        seconds = f"{thousandths // 1000}.{thousandths % 1000:03d}"
        shorter = seconds.rstrip("0").rstrip(".")
        words = [str(degrees), str(minutes), draw.choice((seconds, shorter))]
        while len(words) > 1 and words[-1] in ("0", "0.000") and draw.random() < 0.5:
            words.pop()
        return words

    def metres(centimetres: int) -> str:
        whole = f"{centimetres / 100:.2f}"
        shorter = whole.rstrip("0").rstrip(".")
        return draw.choice((whole, shorter)) + draw.choice(("m", ""))

    latitude, north, longitude, east, altitude, sizes = model
    written = [metres(size) for size in sizes]
    usual = [100, 1000000, 1000]
    while written and sizes[len(written) - 1] == usual[len(written) - 1] and draw.random() < 0.5:
        written.pop()
    return line(draw, *angle(latitude), north, *angle(longitude), east, metres(altitude), *written)


def drawn_naptr(draw: Draw) -> Any:
    services = ("E2U+sip", "sips+d2t", "", "http")
    patterns = ("", "!^.*$!sip:it@acme.example!", r"!(.*)!\1@acme.example!", "!^.*$!a b!")
    return (
        draw.randrange(99),
        draw.randrange(99),
        draw.choice("usa"),
        draw.choice(services),
        draw.choice(patterns),
        draw.choice(NAMES),
    )


def spelt_naptr(draw: Draw, model: Any) -> str:
    order, preference, flags, service, pattern, replacement = model
    texts = [text(draw, one) for one in (flags, service, pattern)]
    return line(draw, number(draw, order), number(draw, preference), *texts, name(draw, replacement))


def drawn_digits(*ranges: tuple[int, ...]) -> Callable[[Draw], Any]:
    return lambda draw: (*(draw.choice(one) for one in ranges), "".join(draw.choices("0123456789abcdef", k=64)))


def spelt_digits(draw: Draw, model: Any) -> str:
    *numbers, digits = model
    return line(draw, *(number(draw, one) for one in numbers), hexadecimal(draw, digits))


ALGORITHMS = {5: "RSASHA1", 8: "RSASHA256", 13: "ECDSAP256SHA256", 15: "ED25519"}


def spelt_ds(draw: Draw, model: Any) -> str:
    tag, algorithm, digest, digits = model
    named = draw.choice((str(algorithm), ALGORITHMS[algorithm], ALGORITHMS[algorithm].lower()))
    return line(draw, number(draw, tag), named, number(draw, digest), hexadecimal(draw, digits))


def drawn_caa(draw: Draw) -> Any:
    values = ("ca.example", ";", "ca.example; account=1", "mailto:it@acme.example", 'a"b\\c', "")
    return draw.choice((0, 128)), draw.choice(("issue", "issuewild", "iodef")), draw.choice(values)


def spelt_caa(draw: Draw, model: Any) -> str:
    flags, tag, value = model
    return blank(draw).join((number(draw, flags), draw.choice((tag, tag.upper())), text(draw, value)))


def drawn_uri(draw: Draw) -> Any:
    return draw.randrange(9), draw.randrange(9), draw.choice(("https://acme.example/", "sip:a b"))


def spelt_uri(draw: Draw, model: Any) -> str:
    return line(draw, number(draw, model[0]), number(draw, model[1]), text(draw, model[2]))


KINDS: dict[str, tuple[Callable[[Draw], Any], Spell]] = {
    "CAA": (drawn_caa, spelt_caa),
    "DS": (drawn_digits((1, 60485), tuple(ALGORITHMS), (2,)), spelt_ds),
    "HTTPS": (drawn_service, spelt_service),
    "LOC": (drawn_place, spelt_place),
    "NAPTR": (drawn_naptr, spelt_naptr),
    "SSHFP": (drawn_digits((1, 4), (2,)), spelt_digits),
    "SVCB": (drawn_service, spelt_service),
    "TLSA": (drawn_digits((3, 2), (0, 1), (0, 1)), spelt_digits),
    "SMIMEA": (drawn_digits((3, 2), (0, 1), (0, 1)), spelt_digits),
    "URI": (drawn_uri, spelt_uri),
}
CASES = [(kind, seed) for kind in KINDS for seed in range(40)]


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_all_spellings_of_a_value_are_equal_and_the_library_agrees(kind: str, seed: int) -> None:
    draw = random.Random(f"{kind} {seed}")
    draw_model, spell = KINDS[kind]
    model = draw_model(draw)
    spellings = [spell(draw, model) for _number in range(4)]
    forms = {form(kind, one) for one in spellings}
    assert len(forms) == 1, spellings
    # The judge knows no name of an algorithm in lower case, and takes case in flags for a difference; it says what a name server would serve.
    served = library(kind, spellings[0]).to_text()
    assert form(kind, served) in forms, (spellings[0], served)
    # No module refuses what means something.
    assert record_values.sent_value(kind, spellings[0].strip())


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_two_values_are_equal_only_if_they_mean_the_same(kind: str, seed: int) -> None:
    draw = random.Random(f"{kind} two {seed}")
    draw_model, spell = KINDS[kind]
    first, second = draw_model(draw), draw_model(draw)
    are_equal = form(kind, spell(draw, first)) == form(kind, spell(draw, second))
    assert are_equal == (first == second), (first, second)


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("HTTPS", "1 . alpn=h2,h3", '1 . alpn="h2,h3"'),
        ("HTTPS", "1 . port=443 alpn=h2", "1 . alpn=h2 port=443"),
        ("HTTPS", "1 . key1=\\002h2", "1 . alpn=h2"),
        ("HTTPS", "1 . key65479=x", '1 . key65479="x"'),
        ("HTTPS", "0 www", "0 www.acme.example."),
        ("HTTPS", "1 . no-default-alpn alpn=h2", '1 . alpn=h2 no-default-alpn=""'),
        ("SVCB", "1 dns.other.example dohpath=/q{?dns}", '1 dns.other.example. dohpath="/q{?dns}"'),
        ("LOC", "52 22 23.000 N 4 53 32.000 E -2.00m 1m 10000m 10m", "52 22 23 n 4 53 32 e -2"),
        ("LOC", "42 N 71 W 0", "42 0 0.000 N 71 0 0.000 W 0.00m 1.00m 10000.00m 10.00m"),
        ("CAA", "0 issue ca.example", '0 issue "ca.example"'),
        ("CAA", r'0 issue "ca.example\; account=1"', '0 issue "ca.example; account=1"'),
        ("NAPTR", '10 20 u e2u+SIP "!a!b!" .', '10 20 "U" "E2U+sip" "!a!b!" .'),
        ("TLSA", "3 1 1 ABCD EF", "3 1 1 (abcdef)"),
        ("DS", "60485 ECDSAP256SHA256 SHA-256 ABCD", "60485 13 2 abcd"),
        ("OPENPGPKEY", "mQEN Aaaa", "mQENAaaa"),
    ],
)
def test_these_mean_the_same(kind: str, first: str, second: str) -> None:
    assert form(kind, first) == form(kind, second)


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("HTTPS", "1 . alpn=h2,h3", "1 . alpn=h3,h2"),
        ("HTTPS", "1 . alpn=h2", "1 . alpn=h2 no-default-alpn"),
        ("HTTPS", "1 . alpn=h2", "2 . alpn=h2"),
        ("HTTPS", "1 . port=443", "1 . port=8443"),
        ("HTTPS", "1 . alpn=H2", "1 . alpn=h2"),
        ("LOC", "52 N 4 E 0", "52 S 4 E 0"),
        ("LOC", "52 N 4 E 0 1m", "52 N 4 E 0 20m"),
        ("CAA", '0 issue "ca.example"', '0 issue "CA.example;"'),
        ("NAPTR", '10 20 "u" "x" "!A!b!" .', '10 20 "u" "x" "!a!b!" .'),
        ("TLSA", "3 1 1 abcd", "3 1 0 abcd"),
        ("OPENPGPKEY", "mQENaaaa", "mQENAaaa"),
    ],
)
def test_these_do_not_mean_the_same(kind: str, first: str, second: str) -> None:
    assert form(kind, first) != form(kind, second)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("HTTPS", "1"),
        ("HTTPS", "x ."),
        ("HTTPS", "1 . alpn=h2 alpn=h3"),
        ("HTTPS", "1 . alpn"),
        ("HTTPS", "1 . alpn=h2,"),
        ("HTTPS", "1 . port=70000"),
        ("HTTPS", "1 . ipv4hint=192.0.2"),
        ("HTTPS", "1 . ech=*"),
        ("HTTPS", "1 . nonsense=1"),
        ("HTTPS", "1 . key70000=1"),
        ("HTTPS", '1 . alpn="h2'),
        ("HTTPS", "1 . no-default-alpn=x"),
        ("HTTPS", "1 . key5=\\999"),
        ("LOC", "nowhere"),
        ("LOC", "91 N 4 E 0"),
        ("LOC", "52 60 N 4 E 0"),
        ("LOC", "52 N 4 E"),
        ("LOC", "52 N 4 E 1e9"),
        ("LOC", "52 N 4 E 0 -1m"),
        ("NAPTR", '10 20 "u" "x" "!a!b!"'),
        ("TLSA", "3 1"),
        ("TLSA", "3 1 1 xyz"),
        ("DS", "1 NOTHING 2 ab"),
        ("URI", "1 1"),
        ("HINFO", "a b"),
        ("TXT", "a"),
    ],
)
def test_what_has_no_form_is_compared_as_it_is_written(kind: str, value: str) -> None:
    with pytest.raises(ValueError):
        form_of(kind, value, ZONE)
    if kind not in ("TXT", "HINFO"):
        assert form(kind, f" {value.replace(' ', '  ')} ") == value
        # A panel may know more of it than this does.
        assert record_values.sent_value(kind, value) == value


@pytest.mark.parametrize("part", ['"', '""', "\\", '\\"', "(", ",", "a,", "alpn=", "key1=x ", "1 ", "\\1", "é"])
@pytest.mark.parametrize("kind", ["HTTPS", "LOC", "NAPTR", "CAA", "TLSA", "DS", "URI"])
def test_a_long_hostile_value_is_compared_in_time_that_grows_with_its_length(kind: str, part: str) -> None:
    start = time.process_time()
    form(kind, f"1 . alpn={part * 30000}")
    form(kind, part * 30000)
    assert time.process_time() - start < 5
