"""The docs: whatever the app has stands in them, made parts are up to date, links lead somewhere, examples are understood."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agreement.catalogue import STATISTICS as CATALOGUE
from data.aspects import SCALES
from docs.making import ROOT, __main__, code, commands, names_in, pages, put, reference
from docs.making.commands import EXAMPLES
from scorers import registry

CHAPTERS = tuple(sorted((ROOT / "docs" / "statistics").glob("*.md")))
GUIDES = tuple(sorted((ROOT / "docs").glob("*.md")))
DOCS = (ROOT / "README.md", *GUIDES, *CHAPTERS)
BLOCK = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
LINE = re.compile(r"uv run (?:--no-group \w+ )*app\.py(?P<words>(?:\\\n|[^\n])*)")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def examples() -> Iterator[tuple[str, str]]:
    """Every command in a block of code, by the page; continued lines are one."""
    for path in DOCS:
        for block in BLOCK.findall(text_of(path)):
            for match in LINE.finditer(block):
                yield path.name, match["words"].replace("\\\n", " ").strip()


def prose(text: str) -> str:
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "", BLOCK.sub("", text))


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and GitLab make them."""
    results: set[str] = set()
    for line in re.findall(r"^#{1,6} (.+)$", BLOCK.sub("", text), re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", line.lower()).strip().replace(" ", "-")
        while name in results:
            name += "-1"
        results.add(name)
    return results


@pytest.mark.parametrize("name", __main__.PARTS)
def test_made_parts_are_up_to_date(name: str) -> None:
    assert __main__.page(name) == text_of(ROOT / name), f"{name} is stale: run `python -m docs.making`"
    assert set(names_in(text_of(ROOT / name))) == set(__main__.PARTS[name])


def test_a_made_part_is_replaced_and_nothing_else() -> None:
    page = "a\n<!-- made: x -->\nold\n<!-- end -->\nb\n<!-- made: y -->\n<!-- end -->\n"
    assert put(page, "x", "new \\1") == page.replace("old", "\nnew \\1\n")
    for wrong in (page.replace("made: x", "made: z"), page + page):
        with pytest.raises(ValueError, match="once"):
            put(wrong, "x", "new")


def test_every_page_with_made_parts_is_known() -> None:
    pages = {path.relative_to(ROOT).as_posix() for path in DOCS[1:] if names_in(text_of(path))}
    assert pages == set(__main__.PARTS)


def test_every_command_and_option_is_documented() -> None:
    leaves = dict(commands.leaves())
    assert len(leaves) > 40
    assert set(leaves) - set(EXAMPLES) == set()
    written = text_of(ROOT / "docs" / "commands.md")
    for words, command in leaves.items():
        part = written.partition(f"\n## {words}\n")[2].partition("\n## ")[0]
        assert part, words
        assert command.help, words
        for param in command.params:
            if param.name != "help":
                assert param.help, f"{words}: {param.name} says nothing of itself"
                assert all(code(name) in part for name in param.opts if name.startswith("-")), (words, param.name)


@pytest.mark.parametrize(("page", "line"), sorted(set(examples())))
def test_documented_commands_are_understood(page: str, line: str) -> None:  # noqa: ARG001
    commands.parsed(line)


@pytest.mark.parametrize("line", ["score", "agreement --nope", "nothing", "export report --format docx -o x"])
def test_invalid_commands_are_refused(line: str) -> None:
    with pytest.raises(Exception, match=r"\w"):
        commands.parsed(line)


def test_examples_end_where_the_shell_begins() -> None:
    assert commands.words_of("a 'b > c' --d \"e # f\" > g.json") == ["a", "b > c", "--d", "e # f"]
    assert commands.words_of("a b && c   # it's") == ["a", "b"]
    assert len({page for page, _ in examples()}) > 5


def test_every_setting_is_documented() -> None:
    assert reference.undocumented() == []
    written = text_of(ROOT / "docs" / "settings.md")
    assert "| `pass_mark` |" in written
    assert "| `counting_threshold` (judging) |" in written


def test_every_profile_has_a_line_that_says_whose_it_is() -> None:
    rows = [line.split("|")[1:3] for line in text_of(ROOT / "docs" / "models.md").splitlines() if line.startswith("| `")]
    named = {(scorer, profile) for one, two in rows for scorer in quoted(one) for profile in quoted(two)}
    for name in registry.NAMES:
        scorer = registry.get(name)
        assert {profile for of, profile in named if of == name} == set(scorer.profiles)
        assert not set(scorer.renamed) & set(scorer.profiles)
        assert set(scorer.renamed.values()) <= set(scorer.profiles)


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_every_page_and_parameter_is_documented() -> None:
    assert pages.undocumented() == []
    assert {"suite", "about", "picture"} <= pages.accepted("images")
    assert {"campaign", "case"} <= pages.accepted("people")
    assert {"results", "images", "runs", "tune"} <= set(pages.pages())
    assert (["j", "n", "ArrowRight"], "next image of the selection") in pages.keys_in("assets/js/drawer/keys.js")
    # and nothing is that there is not
    for name in set(pages.present()) - {"annotate", "captions"}:
        assert set(pages.documented(name)) - pages.accepted(name) == set(), name


def test_every_table_and_column_is_documented() -> None:
    results = reference.schema()
    assert {"item_id", "aspect", "seq"} <= set(results["judgements"])
    assert reference.undocumented_tables() == []
    written = text_of(ROOT / "docs" / "data.md")
    for name, columns in results.items():
        assert f"### {name}\n" in written or f"| `{name}` |" in written, name
        assert all(f"`{column}`" in written for column in columns), name
    # every aspect that there is has its line
    assert all(f"`{aspect}`" in written.partition("## Tables")[0] for aspect in SCALES)


def test_every_statistic_is_documented() -> None:
    assert reference.undocumented_statistics() == []
    written = text_of(ROOT / "docs" / "statistics" / "formulas.md")
    for name in CATALOGUE:
        assert f"\n`{name}`: " in written, name
        assert set(reference.UNDEFINED) == set(CATALOGUE)


def test_every_route_is_documented() -> None:
    listed = dict(reference.listed())
    assert {"GET /api/next", "POST /command", "GET /img/{sha256}", "GET /api/studio/items"} <= set(listed)
    assert [name for name, route in listed.items() if not reference.description_of(name, route)] == []


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = text_of(path)
    targets = [entry or other for entry, other in LINK.findall(prose(text))]
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


def test_the_link_check_reads_all_links() -> None:
    assert LINK.findall(prose("a [b](c.md#d) `[x](y)` ![e](f.png)")) == [("c.md#d", ""), ("", "f.png")]
    assert anchors("# What's `x`, and why?\n```\n# no\n```\n## A b\n") == {"whats-x-and-why", "a-b"}


def test_every_guide_is_linked_from_the_readme() -> None:
    linked = {entry for entry, _ in LINK.findall(prose(text_of(ROOT / "README.md")))}
    assert {f"docs/{path.name}" for path in GUIDES} <= linked


def test_every_chapter_of_statistics_is_linked_and_short() -> None:
    assert len(CHAPTERS) > 3
    linked = {entry for entry, _ in LINK.findall(prose(text_of(ROOT / "docs" / "statistics.md")))}
    assert {f"statistics/{path.name}" for path in CHAPTERS} <= linked
    lengths = {path.name: text_of(path).count("\n") for path in (ROOT / "docs" / "statistics.md", *CHAPTERS)}
    assert {name: n for name, n in lengths.items() if n > 300} == {}


def test_the_test_commands_are_those_of_ci() -> None:
    lines = text_of(ROOT / ".ci" / "run").splitlines()
    commands = [line for line in lines if line.startswith("uv run") and " pytest " in line]
    assert commands == ['uv run --group ray pytest -n 2 -m "slow or not slow"']
    assert all(command in text_of(ROOT / "README.md") for command in commands)


def test_pictures_are_small() -> None:
    paths = [path for path in (ROOT / "docs" / "screenshots").iterdir() if path.suffix in (".png", ".webp")]
    assert paths
    assert {path.name: size for path in paths if (size := path.stat().st_size) >= 200_000} == {}


HELD_BY = "Held by: "
"""Begins the paragraph that names the tests of the statements above it."""


def says_something(block: str) -> bool:
    """Return True if a block of a page's prose states something: no heading, no list of chapters, no list of tests."""
    return not re.match(rf"#|How often these|Chapters:|{HELD_BY}", block)


def goes_on(block: str, following: str) -> bool:
    """Return True if a statement does not end with this block: a formula, a table, points or the rest of a sentence follow."""
    return following.startswith(("    ", "| ", "- ")) or following[0].islower() or block.endswith(":")


def without_tests(page: str) -> list[str]:
    """Return the blocks of a page that end a statement and are not followed by the names of its tests, and such names alone."""
    blocks = [*page.strip().split("\n\n"), "#"]
    return [
        block
        for before, block, after in zip(["#", *blocks], blocks, blocks[1:], strict=False)
        if (says_something(block) and not after.startswith(HELD_BY) and not goes_on(block, after))
        or (block.startswith(HELD_BY) and not says_something(before))
    ]


def test_every_statement_about_statistics_names_tests_that_there_are() -> None:
    # what a formula is stands in the catalogue, and what simulations gave is printed by them
    pages = [
        ROOT / "docs" / "statistics.md",
        *(path for path in CHAPTERS if path.stem != "formulas" and not path.stem.startswith("coverage")),
    ]
    assert {path.name: left for path in pages if (left := without_tests(text_of(path)))} == {}
    tests = {name for path in (ROOT / "tests").rglob("test_*.py") for name in re.findall(r"def (test_\w+)", text_of(path))}
    for path in pages:
        held = [block for block in text_of(path).split("\n\n") if block.startswith(HELD_BY)]
        assert held
        assert all("test_" in block for block in held)
        names = {name.strip() for block in held for name in block.strip().removeprefix(HELD_BY).rstrip(".").split(",")}
        assert names - tests == set(), path.name


def test_a_statement_without_tests_is_found() -> None:
    page = "# A\n\nSaid.\n\nHeld by: test_a.\n\nAs:\n\n    x = y\n\nso.\n\n- point\n\nHeld by: test_b.\n"
    assert without_tests(page) == []
    assert without_tests(page.replace("Held by: test_a.\n\n", "")) == ["Said."]
    assert without_tests(page + "\n## B\n\nLast.\n") == ["Last."]
    assert without_tests("# A\n\nHeld by: test_a.\n") == ["Held by: test_a."]


NAMED = re.compile(r"`((?:\w+/)*[\w.]+/?)`")
"""A path in backticks."""


def test_paths_of_the_developers_pages_exist() -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()}
    for page in (ROOT / "docs" / "ARCHITECTURE.md", ROOT / "docs" / "CONTRIBUTING.md"):
        paths = {path for path in NAMED.findall(text_of(page)) if "/" in path and path.split("/")[0] in folders}
        assert len(paths) > 15
        assert {path for path in paths if not (ROOT / path).exists()} == set()


WALK = re.compile(r"^### (.+) \((\d+) functions, (\d+) files, (\d+) climbs\)$")
STEP = re.compile(r"^- `([\w./]+)`: (`\w+`(?:, `\w+`)*)$")
LONGEST_WALKS = [(40, 18, 5), (47, 32, 3), (17, 10, 0)]
FLOORS: tuple[tuple[str, ...], ...] = (
    ("data/store/core/",), ("data/",), ("annotation/", "scorers/", "agreement/"), ("concord/",), ("ui/",), ("assets/",),
)  # fmt: skip
"""Rooms from the ground up: an import goes down, and a walk should, too."""


def climbs(paths: list[str]) -> int:
    """How often a walk comes to a room above the one before it."""
    floors = [next(floor for floor, rooms in enumerate(FLOORS) if path.startswith(rooms)) for path in paths]
    return sum(after > before for before, after in itertools.pairwise(floors))


def test_the_walks_are_counted_and_short() -> None:
    walks: list[tuple[int, int, int]] = []
    steps: list[tuple[str, str]] = []
    for line in [*text_of(ROOT / "docs" / "ARCHITECTURE.md").splitlines(), "## end"]:
        if line.startswith("##") and walks and steps:
            paths = [path for path, _ in steps]
            assert (len(set(steps)), len(set(paths)), climbs(paths)) == walks[-1]
            steps = []
        if title := WALK.match(line):
            walks.append((int(title[2]), int(title[3]), int(title[4])))
        elif step := STEP.match(line):
            source = text_of(ROOT / step[1])
            for name in re.findall(r"`(\w+)`", step[2]):
                script = step[1].endswith(".js")
                shape = rf"(?:export )?(?:async )?(?:function )?{name}\(" if script else rf"(?:async )?(?:def|class) {name}\b"
                assert re.search(rf"^ *{shape}", source, re.MULTILINE), f"{step[1]}: {name}"
                steps.append((step[1], name))
    assert len(walks) == 3
    for walk, longest in zip(walks, LONGEST_WALKS, strict=True):
        assert all(n <= most for n, most in zip(walk, longest, strict=True))
