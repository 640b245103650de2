"""Pairs of classes and how their prompts end: by hand, and against VISOR’s own summary pair by pair."""

from __future__ import annotations

import random

from concord.suite_metrics.visor_summary import VisorTally
from data.formats.cooccurrence import ordered_pair
from data.prompts import geneval_suite as prompts
from data.prompts import sr2d_suite
from scorers.failures import ANY, JudgedImage
from scorers.failures.objects import BOTH, HELD, NOT_BOTH, NOT_HELD, as_required, class_pairs, cooccurrence
from scorers.visor import scorer
from tests.scorers.failures.test_failures import case, looked
from tests.scorers.geneval.test_rules import detection_of
from tests.scorers.visor.test_visor import at

CAT_DOG = prompts.two_object("cat", "dog")
DOG_CAT_RED_BLUE = prompts.color_attr(["dog", "cat"], ["red", "blue"])
CAT, DOG = detection_of("cat"), detection_of("dog")


def test_both_and_as_asked_by_hand() -> None:
    table = cooccurrence(
        looked(
            case(0, CAT_DOG, CAT, DOG),
            case(0, CAT_DOG, CAT, index=1),
            # either order is one pair; colours are more to ask
            case(1, DOG_CAT_RED_BLUE, detection_of("dog", color="red"), detection_of("cat", color="blue")),
            case(1, DOG_CAT_RED_BLUE, detection_of("dog", color="red"), detection_of("cat", color="red"), index=1),
            case(1, DOG_CAT_RED_BLUE, detection_of("dog", color="red"), index=2),
            # nobody has seen the colours: found, and nothing said beyond
            case(1, DOG_CAT_RED_BLUE, DOG, CAT, index=3),
        )
    )
    assert [unit.found for unit in table.units] == [
        (BOTH,),
        (NOT_BOTH,),
        (BOTH, HELD),
        (BOTH, NOT_HELD),
        (NOT_BOTH,),
        (BOTH,),
    ]
    assert class_pairs(table) == {"cat and dog": ("cat", "dog")}
    cell = table.cell("cat and dog", BOTH)
    assert (cell.hits, cell.n) == (4, 6)
    right = as_required(table, "cat and dog")
    assert (right.hits, right.n, right.items) == (1, 2, ("s/1/g/0",))
    assert [(count.prompt_id, count.hits, count.n) for count in right.counts] == [("s/0", 0, 0), ("s/1", 1, 2)]
    assert as_required(table, "cat and dog", "nobody").n == 0


def test_only_prompts_for_one_each_of_two_classes() -> None:
    three = {"tag": "x", "include": [{"class": name, "count": 1} for name in ("cat", "dog", "cup")]}
    several = {"tag": "x", "include": [{"class": "cat", "count": 2}, {"class": "dog", "count": 1}]}
    without = {**CAT_DOG, "exclude": [{"class": "cup", "count": 1}]}
    others = [
        prompts.single_object("cat"),
        prompts.two_object("cat", "cat"),
        three,
        several,
        without,
        prompts.counting("cat", 2),
    ]
    assert cooccurrence(looked(*(case(k, spec, CAT, CAT, DOG) for k, spec in enumerate(others)))).units == ()


def test_the_classes_are_cocos() -> None:
    table = cooccurrence(looked(case(0, prompts.two_object("tv remote", "computer mouse"))))
    assert class_pairs(table) == {"mouse and remote": ("mouse", "remote")}


def test_as_visors_summary_has_it_pair_by_pair() -> None:
    """OA and VISOR_cond of each pair alone, from the code that writes the summary."""
    rng, settings = random.Random(8), {"threshold": 0.1}
    cases: list[JudgedImage] = []
    for number in rng.sample(range(40), 25) * 2:
        prompt = sr2d_suite.numbered_prompt(number)
        if "relation" in prompt.spec:
            detections = [at(prompt.spec[side], rng.randint(0, 9), rng.randint(0, 9)) for side in "ab" if rng.random() < 0.8]
            cases.append(case(number, prompt.spec, *detections, index=len(cases), scorer=scorer.SCORER, settings=settings))
    table = cooccurrence(looked(*cases, scorer=scorer.SCORER, settings=settings))
    seen = set()
    for requested, names in class_pairs(table).items():
        tally = VisorTally()
        mine = [one for one in cases if ordered_pair(*(thing.name for thing in one.spec.objects)) == names]
        for some in mine:
            tally.add("g", some.prompt_id, some.spec, some.verdict)
        expected = tally.summary()["generators"]["g"]
        both, right = table.cell(requested, BOTH, "g"), as_required(table, requested, "g")
        assert both.n == expected["n_images"] == len(mine)
        assert 100 * both.hits / both.n == expected["OA"]
        assert (100 * right.hits / right.n if right.n else None) == expected["VISOR_cond"]
        assert right.n == both.hits
        seen.add(expected["VISOR_cond"])
    assert len(seen) >= 3
    assert table.cell(ANY, ANY, "h").n == 0
