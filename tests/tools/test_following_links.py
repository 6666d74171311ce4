"""Links of pages are found, followed and written as whole addresses as code hosts would do it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tools import links

REPOSITORY = "https://git.panel.test/us/panel"
ADDRESS = links.Address(REPOSITORY, f"{REPOSITORY}/blob/main/")
GUIDE = "# Change DNS records\n\n## `panel_dns`: add, then *purge*\n\n## Safely\n\n## Safely\n"
PATHS = frozenset({"README.md", "docs/dns.md", "docs/images/report.png", "roles/site/README.md"})


def follow(text: str, **how: bool) -> list[str]:
    """Follow the links of a README with this text, and return what is wrong with them."""
    files = links.Files(PATHS, {"README.md": text, "docs/dns.md": GUIDE})
    return links.list_dead(files, files, ADDRESS, **how)[1]


@pytest.mark.parametrize(
    "target",
    [
        "docs/dns.md",
        "docs/dns.md#safely",
        "docs/dns.md#safely-1",
        "docs/dns.md#panel_dns-add-then-purge",
        "roles/site",
        "#readme",
        "https://www.keyhelp.de",
    ],
)
def test_a_link_that_leads_somewhere_is_alive(target: str) -> None:
    assert follow(f"# README\n\n[here]({target})") == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[here](docs/zones.md)", "docs/zones.md: no such file"),
        ("[here](docs/dns.md#purge)", "docs/dns.md#purge: no such heading"),
        ("| a |\n| --- |\n| [here](#there) |", "#there: no such heading"),
        ("![here](docs/dns.md)", "docs/dns.md: no picture"),
        ("[![a](docs/images/x.png)](docs/dns.md)", "docs/images/x.png: no such file"),
    ],
)
def test_a_link_of_the_repository_that_leads_nowhere_is_named(text: str, fault: str) -> None:
    assert follow(text) == [f"README.md: {fault}"]


@pytest.mark.parametrize("address", ["https://panel.example/us", f"{ADDRESS.repository}/issues"])
def test_an_address_at_which_nothing_is_yet_is_named(address: str) -> None:
    assert follow(f"[here]({address})") == [f"README.md: {address}: nothing is at this address"]


def test_a_link_within_code_is_none() -> None:
    assert follow("`[here](x.md)`\n\n```text\n[here](x.md)\n```\n") == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[here](docs/dns.md)", "docs/dns.md: not a whole address"),
        (f"[here]({ADDRESS.files}docs/zones.md)", f"{ADDRESS.files}docs/zones.md: no such file"),
        (f"[here]({ADDRESS.files}docs/dns.md#a)", f"{ADDRESS.files}docs/dns.md#a: no such heading"),
    ],
)  # fmt: skip
def test_a_link_of_the_archive_that_leads_nowhere_is_named(text: str, fault: str) -> None:
    assert follow(text, is_published=True, has_files=False) == [f"README.md: {fault}"]


@pytest.mark.parametrize("target", ["docs/dns.md#safely", "docs/images/report.png", "roles/site"])
def test_what_the_build_writes_into_the_archive_leads_where_the_relative_link_led(
    target: str,
) -> None:
    text = links.write_whole_addresses(f"![here]({target})", "README.md", ADDRESS)

    assert links.list_links("README.md", text)[0].target.startswith("https://git.panel.test/us/")
    assert follow(text.removeprefix("!"), is_published=True, has_files=False) == []


@pytest.mark.parametrize(
    ("page", "text", "written"),
    [
        ("docs/dns.md", "[a](../README.md#b)", f"[a]({ADDRESS.files}README.md#b)"),
        ("README.md", "![a](docs/a.png)", f"![a]({REPOSITORY}/raw/main/docs/a.png)"),
        ("README.md", "[a](#b) [c](https://d.test/e)", "[a](#b) [c](https://d.test/e)"),
        ("README.md", "`[a](b.md)`", "`[a](b.md)`"),
        ("README.md", "```\n[a](b.md)\n```\n", "```\n[a](b.md)\n```\n"),
    ],
)  # fmt: skip
def test_only_a_link_to_a_file_becomes_a_whole_address(page: str, text: str, written: str) -> None:
    assert links.write_whole_addresses(text, page, ADDRESS) == written


def test_pages_and_plugins_of_an_archive_lead_to_the_tag_of_its_version(tmp_path: Path) -> None:
    galaxy = {
        "repository": REPOSITORY,
        "documentation": f"{ADDRESS.files}docs/README.md",
        "version": "1.2.0",
    }
    (tmp_path / "galaxy.yml").write_text(yaml.safe_dump(galaxy), encoding="utf-8")
    page = tmp_path / "README.md"
    page.write_text("[a](docs/dns.md) ![b](docs/images/report.png)", encoding="utf-8")
    plugin = tmp_path / "plugins" / "modules" / "panel_dns.py"
    plugin.parent.mkdir(parents=True)
    plugin.write_text(f"L(zones,{ADDRESS.files}docs/dns.md#zones)", encoding="utf-8")

    links.write_release_addresses(tmp_path)

    assert page.read_text(encoding="utf-8") == (
        f"[a]({REPOSITORY}/blob/1.2.0/docs/dns.md) "
        f"![b]({REPOSITORY}/raw/1.2.0/docs/images/report.png)"
    )
    assert plugin.read_text(encoding="utf-8") == (
        f"L(zones,{REPOSITORY}/blob/1.2.0/docs/dns.md#zones)"
    )
