"""The docs: whatever the app has stands in them, made parts are up to date, links lead somewhere, examples are understood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agreement.catalogue import STATISTICS as CATALOGUE
from data.aspects import SCALES
from docs.making import commands, dictionary, pages, parts, routes, settings, statistics
from docs.making.blocks import ROOT, code, names_in, put
from docs.making.examples import EXAMPLES

DOCS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
BLOCK = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
LINE = re.compile(r"uv run (?:--no-group \w+ )*app\.py(?P<words>(?:\\\n|[^\n])*)")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def examples() -> Iterator[tuple[str, str]]:
    """Every command in a block of code, by the page; continued lines are one."""
    for path in DOCS:
        for block in BLOCK.findall(text_of(path)):
            for found in LINE.finditer(block):
                yield path.name, found["words"].replace("\\\n", " ").strip()


def prose(text: str) -> str:
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "", BLOCK.sub("", text))


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and GitLab make them."""
    found: set[str] = set()
    for line in re.findall(r"^#{1,6} (.+)$", BLOCK.sub("", text), re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", line.lower()).strip().replace(" ", "-")
        while name in found:
            name += "-1"
        found.add(name)
    return found


@pytest.mark.parametrize("name", parts.PARTS)
def test_made_parts_are_up_to_date(name: str) -> None:
    assert parts.page(name) == text_of(ROOT / name), f"{name} is stale: run `python -m docs.making`"
    assert set(names_in(text_of(ROOT / name))) == set(parts.PARTS[name])


def test_a_part_is_replaced_where_it_stands_and_nowhere_else() -> None:
    page = "a\n<!-- made: x -->\nold\n<!-- end -->\nb\n<!-- made: y -->\n<!-- end -->\n"
    assert put(page, "x", "new \\1") == page.replace("old", "\nnew \\1\n")
    for wrong in (page.replace("made: x", "made: z"), page + page):
        with pytest.raises(ValueError, match="once"):
            put(wrong, "x", "new")


def test_every_page_with_made_parts_is_known() -> None:
    assert {f"docs/{path.name}" for path in DOCS[1:] if names_in(text_of(path))} == set(parts.PARTS)


def test_every_command_and_option_is_documented() -> None:
    leaves = dict(commands.leaves())
    assert len(leaves) > 40
    assert set(leaves) - set(EXAMPLES) == set()
    written = text_of(ROOT / "docs" / "commands.md")
    for words, command in leaves.items():
        part = written.partition(f"\n## {words}\n")[2].partition("\n## ")[0]
        assert part, words
        assert command.help, words
        for one in command.params:
            if one.name != "help":
                assert one.help, f"{words}: {one.name} says nothing of itself"
                assert all(code(name) in part for name in one.opts if name.startswith("-")), (words, one.name)


@pytest.mark.parametrize(("page", "line"), sorted(set(examples())))
def test_documented_commands_are_understood(page: str, line: str) -> None:  # noqa: ARG001
    commands.parsed(line)


@pytest.mark.parametrize("line", ["score", "agreement --nope", "nothing", "export report --format docx -o x"])
def test_what_is_no_command_is_not_understood(line: str) -> None:
    with pytest.raises(Exception, match=r"\w"):
        commands.parsed(line)


def test_examples_end_where_the_shell_begins() -> None:
    assert commands.words_of("a 'b > c' --d \"e # f\" > g.json") == ["a", "b > c", "--d", "e # f"]
    assert commands.words_of("a b && c   # it's") == ["a", "b"]
    assert len({page for page, _ in examples()}) > 5


def test_every_setting_is_documented() -> None:
    assert settings.undocumented() == []
    written = text_of(ROOT / "docs" / "settings.md")
    assert "| `pass_mark` |" in written
    assert "| `counting_threshold` (judging) |" in written


def test_every_page_and_parameter_is_documented() -> None:
    assert pages.undocumented() == []
    assert {"suite", "about", "picture"} <= pages.accepted("browse")
    assert {"campaign", "case"} <= pages.accepted("campaigns")
    assert {"overview", "browse", "runs", "explore"} <= set(pages.modules())
    assert (["n", "ArrowRight"], "next image of the listing") in pages.keys_in("assets/js/workbench/keys.js")
    # and nothing is that there is not
    for name in set(pages.present()) - {"annotate", "preferences", "matching", "workbench"}:
        assert set(pages.told(name)) - pages.accepted(name) == set(), name


def test_every_table_and_column_is_documented() -> None:
    found = dictionary.schema()
    assert {"item_id", "aspect", "seq"} <= set(found["judgements"])
    assert dictionary.undocumented() == []
    written = text_of(ROOT / "docs" / "data.md")
    for name, columns in found.items():
        assert f"### {name}\n" in written or f"| `{name}` |" in written, name
        assert all(f"`{column}`" in written for column in columns), name
    # every aspect that there is has its line
    assert all(f"`{aspect}`" in written.partition("## Tables")[0] for aspect in SCALES)


def test_every_statistic_is_documented() -> None:
    assert statistics.undocumented() == []
    written = text_of(ROOT / "docs" / "statistics.md")
    for name in CATALOGUE:
        assert f"\n`{name}`: " in written, name
        assert set(statistics.UNDEFINED) == set(CATALOGUE)


def test_every_route_is_documented() -> None:
    listed = dict(routes.listed())
    assert {"GET /api/next", "POST /command", "GET /img/{sha256}", "GET /api/studio/items"} <= set(listed)
    assert [name for name, route in listed.items() if not routes.said_of(name, route)] == []


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = text_of(path)
    targets = [one or other for one, other in LINK.findall(prose(text))]
    broken = []
    for target in targets:
        if re.match(r"https?://", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        inside = file.is_relative_to(ROOT) and file.exists()
        if not inside or (anchor and file.suffix == ".md" and anchor not in anchors(text_of(file))):
            broken.append(target)
    assert broken == []


def test_the_links_are_seen() -> None:
    assert LINK.findall(prose("a [b](c.md#d) `[x](y)` ![e](f.png)")) == [("c.md#d", ""), ("", "f.png")]
    assert anchors("# What's `x`, and why?\n```\n# no\n```\n## A b\n") == {"whats-x-and-why", "a-b"}


def test_every_guide_is_linked_from_the_readme() -> None:
    linked = {one for one, _ in LINK.findall(prose(text_of(ROOT / "README.md")))}
    assert {f"docs/{path.name}" for path in DOCS[1:]} <= linked


def test_the_test_commands_are_those_of_ci() -> None:
    lines = text_of(ROOT / ".ci" / "run").splitlines()
    commands = [line for line in lines if line.startswith("uv run") and " pytest " in line]
    assert commands == ["uv run pytest -n 2", "uv run --group ray pytest -n 2 -m slow"]
    assert all(command in text_of(ROOT / "README.md") for command in commands)


def test_pictures_are_small() -> None:
    found = [path for path in (ROOT / "docs" / "screenshots").iterdir() if path.suffix in (".png", ".webp")]
    assert found
    assert {path.name: size for path in found if (size := path.stat().st_size) >= 200_000} == {}
