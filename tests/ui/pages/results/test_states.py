"""Results in each state of a project: few prompts, nobody, no scorer, one generator, many generators."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import htpy

from data.records import Annotation, Evidence, Image, Item, Prompt, Rater
from data.store.core.store import Store
from data.store.imports import ImportBundle, apply
from tests.concord.generators_project import judgement
from ui.pages.results import ResultsPage
from ui.shell.html import rendered


def fill(store: Store, generators: int, prompts: int, *, people: bool = True, scorer: bool = True) -> None:
    """Generators of which the first are better; one person and a scorer see what is there."""
    asked = [Prompt(f"s/{n}", "s", f"prompt {n}") for n in range(prompts)]
    images = [Image(prompt.prompt_id, f"g{g:02}", 0) for prompt in asked for g in range(generators)]
    items = [Item(each.image_id, "s", each.prompt_id, None, each.generator) for each in images]
    right = {
        each.image_id: (n * 7 + int(each.generator[1:]) * 3) % 11 > int(each.generator[1:]) % 8 for n, each in enumerate(images)
    }
    evidence = [
        Evidence(f"v{item}", item, "verdicts", {}, (judgement(item, says),), "1") for item, says in right.items() if scorer
    ]
    annotations = [
        Annotation(f"a-{item}", item, "ann", "quick", {}, (judgement(item, says),), "1")
        for item, says in right.items()
        if people
    ]
    raters = [Rater("verdicts", "scorer")] * scorer + [Rater("ann", "human", "person")] * people
    bundle = ImportBundle(
        "ratings", "all", "0", prompts=asked, images=images, items=items, raters=raters,
        scales=[("s", "correct", "nominal")], annotations=annotations, evidence=evidence,
    )  # fmt: skip
    apply(store, [bundle])


def whole(store: Store, **asked: str) -> str:
    *_, last = ResultsPage(store).draw_place(lambda name: [asked[name]] if name in asked else [])
    return rendered(htpy.fragment[last.content])


def text(drawn: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", " ", drawn)).split())


def test_fewer_than_five_prompts_rank_nobody(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, 3, 3)
        drawn = whole(store)
    assert "too few prompts to rank (3 of 5)" in text(drawn)
    assert "cc-bracket" not in drawn
    assert drawn.count("cc-dot--people") == 3
    # a suite without metrics of its own has no switch to them
    assert "By task" not in text(drawn)


def test_without_people_the_scorer_stands_first_and_nobody_has_checked_it(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, 3, 12, people=False)
        drawn = whole(store)
    assert "verdicts puts g" in text(drawn)
    assert "first; nobody has checked it Share" in text(drawn)
    assert "Label images" in text(drawn)
    assert "cc-dot--people" not in drawn
    assert "Sharpened by" not in text(drawn)


def test_without_a_scorer_there_is_no_switch_and_the_last_line_says_how_to_get_one(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, 3, 12, scorer=False)
        drawn = whole(store)
    assert "cc-dot--scorer" not in drawn
    assert "Sharpened by" not in text(drawn)
    assert "Could be here: scorers ( score the images )" in text(drawn)


def test_one_generator_has_no_rank_and_nothing_to_compare(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, 1, 12)
        drawn = whole(store)
    assert re.search(r"<h1>g00: 0\.\d\d \[", drawn)
    assert "data-compare" not in drawn
    assert "cc-tick" not in drawn


def test_thirty_generators_are_folded_and_all_of_them_are_a_link_away(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, 30, 12)
        drawn = whole(store)
        every = whole(store, all="1")
    shown = drawn.count("data-generator=")
    assert 12 <= shown < 30
    assert f"{30 - shown} more generators" in text(drawn)
    assert every.count("data-generator=") == 30
    # eight of them side by side at the same prompts
    assert drawn.count('class="cc-same-generator"') == 8
