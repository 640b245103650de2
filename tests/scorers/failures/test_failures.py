"""Failure pictures: tables worked out by hand, and VISOR’s own summary as a second opinion."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from concord.suite_metrics.visor_summary import VisorTally
from data.jobs.runs import Detection, Observation
from data.prompts import geneval_suite as prompts
from data.prompts import sr2d_suite
from data.spec import parse_spec
from scorers.base import Scorer
from scorers.failures import ANY, PICTURES, FailureCell, FailureTable, JudgedImage, SuiteEvidence
from scorers.failures.objects import bindings, colors, counts, first_object, kinds, positions, split_pair, supercategories
from scorers.failures.thresholds_and_seeds import seeds, thresholds
from scorers.geneval import scorer
from scorers.visor import scorer as visor_scorer
from tests.scorers.geneval.test_rules import NUMBERS, detection_of
from tests.scorers.visor.test_visor import at

SETTINGS = {**scorer.SCORER.profiles["playground"], **NUMBERS}


def case(
    number: int,
    spec: Mapping[str, Any],
    *detection: Detection,
    generator: str = "g",
    index: int = 0,
    scorer: Scorer = scorer.SCORER,
    task: str = "",
    settings: Mapping[str, Any] = SETTINGS,
) -> JudgedImage:
    asked, item = parse_spec(spec), f"s/{number}/{generator}/{index}"
    seen = Observation(item, {}, detection)
    task = task or str(spec.get("tag") or spec.get("relation") or "")
    return JudgedImage(item, f"s/{number}", generator, index, task, asked, seen, scorer.judge(asked, seen, settings))


def looked(*cases: JudgedImage, scorer: Scorer = scorer.SCORER, settings: Mapping[str, Any] = SETTINGS) -> SuiteEvidence:
    return SuiteEvidence(scorer, settings, cases)


def numbers(table: FailureTable, generator: str = ANY) -> dict[str, dict[str, tuple[int, int]]]:
    """Hits and n of all cells that are not empty, by what was asked and found."""
    results: dict[str, dict[str, tuple[int, int]]] = {}
    for cell in table.rows(generator):
        if cell.hits:
            results.setdefault(cell.asked, {})[cell.found] = (cell.hits, cell.n)
    return results


# ---- numbers
TWO_CUPS, THREE_CUPS = prompts.counting("cup", 2), prompts.counting("cup", 3)
CUP = detection_of("cup")


def test_asked_and_found_numbers_uncapped_and_of_the_counting_task_alone() -> None:
    table = counts(
        looked(
            case(0, TWO_CUPS, CUP, CUP),
            case(0, TWO_CUPS, *[CUP] * 7, index=1),
            case(1, THREE_CUPS, CUP, CUP),
            case(1, THREE_CUPS, CUP, CUP, detection_of("cup", 0.9), index=1),  # not above 0.9: two
            case(2, prompts.single_object("cup"), CUP, CUP),
            case(3, TWO_CUPS, generator="h"),
        )
    )
    assert table.asked == ("2", "3")
    assert table.found == (*"01234567", "as asked", "too few", "too many")
    assert numbers(table) == {
        "2": {"0": (1, 3), "2": (1, 3), "7": (1, 3), "as asked": (1, 3), "too few": (1, 3), "too many": (1, 3)},
        "3": {"2": (2, 2), "too few": (2, 2)},
    }
    assert numbers(table, "h") == {"2": {"0": (1, 1), "too few": (1, 1)}}
    assert table.cell("3", "2").items == ("s/1/g/0", "s/1/g/1")
    # whatever was asked, two were found: in 3 of 5
    both = table.cell(ANY, "2")
    assert (both.hits, both.n, both.items) == (3, 5, ("s/0/g/0", "s/1/g/0", "s/1/g/1"))
    assert {(count.prompt_id, count.hits, count.n) for count in both.counts} == {("s/0", 1, 2), ("s/1", 2, 2), ("s/3", 0, 1)}


def test_a_spec_that_asks_for_a_billion_does_not_make_a_billion_columns() -> None:
    spec = {"tag": "counting", "include": [{"class": "cup", "count": 10**9}]}
    table = counts(looked(case(0, spec, CUP)))
    assert table.asked == ("1000000000",)
    assert len(table.found) == 21 + 3


# ---- colours
RED_CUP_BLUE_BOOK = prompts.color_attr(["cup", "book"], ["red", "blue"])


@pytest.mark.parametrize(
    ("cup", "book", "name"),
    [
        ("red", "blue", "own colours"),
        ("blue", "red", "swapped"),
        ("blue", "blue", "leaked"),  # the book's colour is on the cup, and the book has it too
        ("red", "red", "leaked"),
        ("blue", "pink", "moved"),  # the book's colour is on the cup, the book has it no more
        ("pink", "red", "moved"),
        ("pink", "blue", "another colour"),
        ("red", "pink", "another colour"),
        ("pink", "pink", "another colour"),
    ],
)
def test_swapped_and_leaked_are_told_apart(cup: str, book: str, name: str) -> None:
    table = bindings(looked(case(0, RED_CUP_BLUE_BOOK, detection_of("cup", color=cup), detection_of("book", color=book))))
    # GenEval's paper calls the three alike
    wrong = ("on the wrong object",) if name in ("swapped", "leaked", "moved") else ()
    assert [unit.found for unit in table.units] == [(name, *wrong)]


def test_what_is_missing_enters_no_share_and_what_has_no_colour_is_not_counted() -> None:
    red, blue = detection_of("cup", color="red"), detection_of("book", color="blue")
    table = bindings(
        looked(
            case(0, RED_CUP_BLUE_BOOK, red, blue),
            case(0, RED_CUP_BLUE_BOOK, red, index=1),
            case(0, RED_CUP_BLUE_BOOK, red, detection_of("book", 0.2, color="blue"), index=2),  # not above the threshold
            case(0, RED_CUP_BLUE_BOOK, red, detection_of("book"), index=3),  # nobody looked at its colour
        )
    )
    assert numbers(table) == {"colours of their own": {"own colours": (1, 1), "object missing": (2, 3)}}
    assert table.cell().n == 1


def test_bindings_are_of_two_colours_on_two_classes() -> None:
    same_colors = prompts.color_attr(["cup", "book"], ["red", "red"])
    same_class = prompts.color_attr(["cup", "cup"], ["red", "blue"])
    alone = prompts.colors("cup", "red")
    detections = [detection_of("cup", color="red"), detection_of("book", color="red")]
    assert (
        bindings(looked(*(case(k, spec, *detections) for k, spec in enumerate([same_colors, same_class, alone])))).units == ()
    )


def test_of_several_of_a_kind_as_many_as_asked_are_looked_at() -> None:
    # two red cups and a blue book: a third cup, less sure, is not looked at; one cup of two is blue
    spec = {"include": [{"class": "cup", "count": 2, "color": "red"}, {"class": "book", "count": 1, "color": "blue"}]}
    cups = [
        detection_of("cup", 0.9, color="red"),
        detection_of("cup", 0.8, color="blue"),
        detection_of("cup", 0.7, color="red"),
    ]
    table = looked(case(0, spec, *cups, detection_of("book", color="blue")))
    assert [unit.found[0] for unit in bindings(table).units] == ["leaked"]
    assert numbers(colors(table)) == {
        "red": {"red": (1, 2), "blue": (1, 2), "as asked": (1, 2), "not as asked": (1, 2)},
        "blue": {"blue": (1, 1), "as asked": (1, 1)},
    }


def test_asked_and_found_colours() -> None:
    table = colors(
        looked(
            case(0, prompts.colors("cup", "red"), detection_of("cup", color="red")),
            case(0, prompts.colors("cup", "red"), detection_of("cup", color="pink"), index=1),
            case(0, prompts.colors("cup", "red"), index=2),
            case(1, RED_CUP_BLUE_BOOK, detection_of("cup", color="blue"), detection_of("book", color="red")),
            case(2, prompts.color_attr(["cup", "cup"], ["red", "blue"]), detection_of("cup", color="red")),
        )
    )
    assert numbers(table) == {
        "red": {
            "red": (1, 3),
            "blue": (1, 3),
            "pink": (1, 3),
            "as asked": (1, 3),
            "not as asked": (2, 3),
            "object not found": (1, 4),
        },
        "blue": {"red": (1, 1), "not as asked": (1, 1)},
    }
    assert table.found[:3] == ("red", "blue", "pink")  # in GenEval's order
    assert table.cell(ANY, "red").items == ("s/0/g/0", "s/1/g/0")


# ---- relations
LEFT_CUP = prompts.position("dog", "cup", "left of")
BOX = (100.0, 100.0, 150.0, 150.0)


def dog(x: float, y: float, score: float = 0.9) -> Detection:
    return detection_of("dog", score, (100 + x, 100 + y, 150 + x, 150 + y))


def test_asked_and_found_relations() -> None:
    # boxes of 50: the offset is shortened by 10, and must then be more than half of what it was
    cup = detection_of("cup", box=BOX)
    table = positions(
        looked(
            case(0, LEFT_CUP, cup, dog(-80, 0)),
            case(0, LEFT_CUP, cup, dog(80, 0), index=1),
            case(0, LEFT_CUP, cup, dog(80, -80), index=2),  # 70 / 113: right of and above
            case(0, LEFT_CUP, cup, dog(-15, 0), index=3),  # 5 / 15: nowhere
            case(0, LEFT_CUP, cup, index=4),
            case(1, prompts.position("dog", "cup", "above"), cup, dog(0, -80), generator="h"),
        )
    )
    assert numbers(table) == {
        "left of": {
            "left of": (1, 4),
            "right of": (2, 4),
            "above": (1, 4),
            "no clear relation": (1, 4),
            "as asked": (1, 4),
            "the opposite": (2, 4),
            "not both found": (1, 5),
        },
        "above": {"above": (1, 1), "as asked": (1, 1)},
    }
    assert table.cell("left of", "right of").items == ("s/0/g/1", "s/0/g/2")
    # the bias: whatever was asked, above in 2 of 5
    assert (table.cell(ANY, "above").hits, table.cell(ANY, "above").n) == (2, 5)
    assert table.generators == ("g", "h")


def test_pairs_of_supercategories_stand_in_cocos_order() -> None:
    cup = detection_of("cup", box=BOX)
    plain = prompts.two_object("cup", "dog")
    cases = [
        case(0, LEFT_CUP, cup, dog(-80, 0)),
        case(0, LEFT_CUP, cup, dog(80, 0), index=1),
        case(0, LEFT_CUP, cup, index=2),
        case(1, plain, cup, dog(0, 0)),
    ]
    table = supercategories(looked(*cases))
    assert numbers(table) == {
        "animal and kitchen": {"correct": (1, 3), "both found, not as asked": (1, 3), "not both found": (1, 3)}
    }
    assert split_pair("animal and kitchen") == ("animal", "kitchen")
    # no relation in the whole suite: all prompts with two objects
    assert numbers(supercategories(looked(cases[-1]))) == {"animal and kitchen": {"correct": (1, 1)}}
    odd = prompts.two_object("zorb", "computer mouse")
    assert numbers(supercategories(looked(case(2, odd)))) == {"electronic and other": {"not both found": (1, 1)}}


# ---- which objects
def test_kinds_of_prompt_and_whether_their_objects_are_there() -> None:
    cup, book = detection_of("cup"), detection_of("book", color="blue")
    table = kinds(
        looked(
            case(0, prompts.single_object("cup"), cup),
            case(1, prompts.single_object("dog"), cup),
            case(2, prompts.two_object("cup", "dog"), cup),
            case(3, LEFT_CUP),
            case(4, prompts.colors("book", "red"), book),
            case(5, RED_CUP_BLUE_BOOK, cup, book),
            case(6, TWO_CUPS, cup, cup),
            case(7, prompts.two_object("cup", "cup"), cup),
        )
    )
    assert numbers(table) == {
        "one object": {"all found": (1, 2), "none found": (1, 2)},
        "one object in a colour": {"all found": (1, 1)},
        "two objects": {"some found": (1, 1)},
        "two objects in colours": {"all found": (1, 1)},
        "two objects in a relation": {"none found": (1, 1)},
    }


def test_the_first_object_is_the_one_that_the_text_names_first() -> None:
    # "a photo of a dog left of a cup" lists the cup first
    assert LEFT_CUP["prompt"] == "a photo of a dog left of a cup"
    cup = detection_of("cup", box=BOX)
    table = first_object(
        looked(
            case(0, LEFT_CUP, cup),
            case(0, LEFT_CUP, dog(0, 0), index=1),
            case(0, LEFT_CUP, cup, dog(80, 0), index=2),
            case(1, prompts.two_object("cup", "dog"), cup),
        )
    )
    assert numbers(table) == {
        "two objects": {"first found": (1, 1), "only one": (1, 1), "only the first": (1, 1)},
        "two objects in a relation": {
            "both found": (1, 3),
            "only one": (2, 3),
            "only the first": (1, 3),
            "only the second": (1, 3),
            "first found": (2, 3),
            "second found": (2, 3),
        },
    }
    assert table.cell("two objects in a relation", "only the first").items == ("s/0/g/1",)


def _random_visor(seed: int) -> list[JudgedImage]:
    draw = random.Random(seed)
    made = []
    for _ in range(120):
        number = draw.choice([draw.randrange(sr2d_suite.SIZE), sr2d_suite.SIZE - 1 - draw.randrange(80)])
        prompt = sr2d_suite.numbered_prompt(number)
        for index in range(2):
            names = [str(prompt.spec[key]) for key in ("a", "b") if key in prompt.spec]
            detections = [at(name, draw.randrange(3), draw.randrange(3)) for name in names if draw.random() < 0.7]
            options: Any = {"generator": draw.choice("gh"), "index": index, "scorer": visor_scorer.SCORER, "settings": {}}
            made.append(case(number, prompt.spec, *detections, task=str(prompt.task), **options))
    return made


def test_visors_own_summary_says_the_same() -> None:
    cases = _random_visor(3)
    tally = VisorTally()
    for done in cases:
        tally.add(done.generator, done.prompt_id, done.spec, done.verdict)
    summary, all_of_it = tally.summary(), looked(*cases, scorer=visor_scorer.SCORER, settings={})
    tables = {name: picture(all_of_it) for name, picture in PICTURES.items()}
    for generator in ("g", "h"):
        for name, kind in {"single": "one object", "and": "two objects", "relation": "two objects in a relation"}.items():
            cell = tables["kinds"].cell(kind, "all found", generator)
            assert summary["kinds"][generator][name] == {"OA": pytest.approx(_percent(cell)), "n_images": cell.n}
        rows = {" and ".join(row["pair"]): row for row in summary["supercategories"][generator]}
        pairs = tables["supercategories"]
        assert {pair for pair in pairs.asked if pairs.cell(pair, ANY, generator).n} == set(rows)
        for pair, row in rows.items():
            assert row["VISOR_uncond"] == pytest.approx(_percent(pairs.cell(pair, "correct", generator)))
        objects = summary["objects"][generator]
        for key, result in {"A": "first found", "B": "second found", "both": "both found"}.items():
            assert objects[key] == pytest.approx(_percent(tables["first"].cell("two objects in a relation", result, generator)))
        for word, relation in {"left": "left of", "right": "right of", "above": "above", "below": "below"}.items():
            cell = tables["positions"].cell(relation, relation, generator)
            assert summary["relations"][generator][word]["VISOR_cond"] == pytest.approx(_percent(cell))
        hits = [tables["seeds"].cell(index, "correct", generator) for index in "01"]
        overall = 100 * sum(cell.hits for cell in hits) / sum(cell.n for cell in hits)
        assert summary["generators"][generator]["VISOR_uncond"] == pytest.approx(overall)


def _percent(cell: FailureCell) -> float | None:
    return 100 * cell.hits / cell.n if cell.n else None


# ---- scores
def test_scores_by_threshold() -> None:
    table = thresholds(
        looked(
            case(0, prompts.single_object("cup"), detection_of("cup", 0.55)),
            case(1, prompts.single_object("cup"), detection_of("cup", 0.3), generator="h"),
            # of the counting task, whose own threshold (0.9) stays
            case(2, TWO_CUPS, detection_of("cup", 0.95), detection_of("cup", 0.95)),
        )
    )
    assert table.asked == ("0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9")
    right = {value: table.cell(value, "correct").items for value in table.asked}
    counted = "s/2/g/0"
    assert right["0.2"] == ("s/0/g/0", "s/1/h/0", counted)
    assert right["0.3"] == right["0.5"] == ("s/0/g/0", counted)  # not above 0.3
    assert right["0.6"] == right["0.9"] == (counted,)
    assert [(count.task, count.hits, count.n) for count in table.cell("0.6", "correct", "g").counts] == [
        ("single_object", 0, 1),
        ("counting", 1, 1),
    ]


def test_the_scorers_own_threshold_is_among_them_and_none_that_the_evidence_does_not_reach() -> None:
    settings = {**SETTINGS, "keep": 0.25, "threshold": 0.45}
    table = thresholds(looked(case(0, prompts.single_object("cup"), detection_of("cup", 0.5)), settings=settings))
    assert table.asked == ("0.3", "0.4", "0.45", "0.5", "0.6", "0.7", "0.8", "0.9")


def test_there_is_no_other_threshold_where_nobody_knows_what_was_cut() -> None:
    imported = {name: value for name, value in SETTINGS.items() if name != "keep"}
    assert thresholds(looked(case(0, prompts.single_object("cup"), CUP), settings=imported)).units == ()


def test_each_threshold_gives_what_judging_gives() -> None:
    draw = random.Random(5)
    cases = [
        case(
            k,
            LEFT_CUP,
            *(dog(draw.randrange(-99, 99), 0, draw.random()) for _ in range(3)),
            detection_of("cup", draw.random(), BOX),
        )
        for k in range(60)
    ]
    table = thresholds(looked(*cases))
    for value in table.asked:
        settings = {**SETTINGS, "threshold": float(value)}
        right = tuple(c.item_id for c in cases if scorer.SCORER.judge(c.spec, c.seen, settings).correct)
        assert table.cell(value, "correct").items == right
    assert len({table.cell(value, "correct").items for value in table.asked}) > 5


def test_scores_by_the_images_number() -> None:
    cup = prompts.single_object("cup")
    cases = [case(0, cup, CUP), case(0, cup, index=10), case(1, cup, index=2), case(1, cup, CUP, generator="h", index=2)]
    table = seeds(looked(*cases))
    assert table.asked == ("0", "2", "10")  # as numbers
    assert numbers(table) == {"0": {"correct": (1, 1)}, "2": {"correct": (1, 2), "wrong": (1, 2)}, "10": {"wrong": (1, 1)}}
