"""VISOR's rules and scores: by hand, and against the same stated once more."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from PIL import Image

from concord.suite_metrics.visor_summary import VisorTally
from data.formats.evidence import read_case
from data.jobs.runs import Detection, Observation
from data.prompts import geneval_suite, sr2d_suite
from data.prompts.coco import COCO, GENEVAL, SUPERCATEGORY
from data.records import Judgement
from data.spec import parse_spec
from scorers.base import RelationResult, Shown, Verdict
from scorers.models.detectors.base import DetectedObject
from scorers.visor.results import VisorRequest
from scorers.visor.rules import VisorRules, is_in_relation, judge
from scorers.visor.scorer import SCORER, VisorPerceiver
from tests.scorers import official_geneval

Box = tuple[float, float, float, float]
LEFT = {"a": "cat", "b": "dog", "relation": "left"}


def at(label: str, x: float, y: float = 0.0, score: float = 0.5, side: float = 10) -> Detection:
    return Detection(label, score, (x - side / 2, y - side / 2, x + side / 2, y + side / 2))


def judged(spec: dict[str, Any], *detection: Detection, **settings: Any) -> Verdict:
    return judge(parse_spec(spec), Observation("item", {}, detection), settings)


def labels(verdict: Verdict) -> dict[tuple[str, str | None], str | None]:
    return {(judgement.aspect, judgement.target): judgement.label for judgement in verdict.judgements}


# ---- one image


@pytest.mark.parametrize(
    ("relation", "b", "holds"),
    [
        ("left of", (1, 0), True),
        ("left of", (0, 50), False),  # the same place is no relation
        ("left of", (-1, 0), False),
        ("right of", (-0.001, 99), True),  # no dead zone, and the other axis does not matter
        ("right of", (0, 0), False),
        ("above", (0, 1), True),
        ("above", (0, -1), False),
        ("below", (77, -1), True),
        ("below", (0, 0), False),
    ],
)
def test_centres_are_compared_strictly_on_one_axis(relation: Any, b: tuple[float, float], holds: bool) -> None:
    # centre at (0, 0), whatever the size
    assert is_in_relation(relation, (-30, -20, 30, 20), (b[0] - 5, b[1] - 5, b[0] + 5, b[1] + 5)) is holds


def test_both_objects_and_their_relation() -> None:
    good = judged(LEFT, at("cat", 0), at("dog", 20))
    assert good.judgements == (
        Judgement("correct", "yes", 1.0),
        Judgement("present", "yes", 1.0, "cat"),
        Judgement("present", "yes", 1.0, "dog"),
        Judgement("position", "yes", 1.0, "cat left of dog"),
    )
    assert (good.reason, good.found) == ("", {"cat": 1, "dog": 1})
    assert good.relations == (RelationResult("cat left of dog", True, ("left of",), (0, 1), (-1.0, 0.0)),)
    assert good.checks[-1].text == "cat left of dog: found in one of 1 pair"
    bad = judged(LEFT, at("dog", 0), at("cat", 20, 20))
    assert labels(bad)[("correct", None)] == labels(bad)[("position", "cat left of dog")] == "no"
    assert bad.reason == "no cat left of dog among 1 pair"
    assert bad.relations[0].found == ("right of", "below")


def test_what_is_missing_leaves_the_relation_open() -> None:
    verdict = judged(LEFT, at("cat", 0), at("horse", 20))
    assert labels(verdict) == {("correct", None): "no", ("present", "cat"): "yes", ("present", "dog"): "no"}
    assert verdict.reason == "dog not found"
    assert verdict.checks[-1].text == "cat left of dog: no dog found to look at"
    assert judged(LEFT).reason == "cat not found\ndog not found"


def test_any_pair_will_do_and_nothing_is_suppressed() -> None:
    crowd = [at("cat", 50), at("dog", 0), at("dog", 10), at("cat", 51, score=0.11), at("dog", 51.5, score=0.2)]
    verdict = judged(LEFT, *crowd)
    assert labels(verdict)[("correct", None)] == "yes"
    assert verdict.relations[0].boxes == (0, 4)
    assert verdict.found == {"cat": 2, "dog": 3}
    assert judged(LEFT, *crowd, threshold=0.2).reason == "no cat left of dog among 2 pairs"
    # twenty of a kind are looked at, too
    assert labels(judged(LEFT, *[at("cat", 90)] * 20, at("cat", 0), at("dog", 1)))[("correct", None)] == "yes"


@pytest.mark.parametrize(("score", "there"), [(0.1, "no"), (0.1000001, "yes")])
def test_the_threshold_itself_is_not_enough(score: float, there: str) -> None:
    verdict = judged(LEFT, at("cat", 0, score=score), at("dog", 1))
    assert labels(verdict)[("present", "cat")] == there


def test_genevals_names_are_the_same_classes() -> None:
    verdict = judged({"a": "mouse", "b": "remote", "relation": "above"}, at("computer mouse", 0), at("tv remote", 0, 1))
    assert labels(verdict)[("correct", None)] == "yes"


def test_without_a_relation_presence_is_all() -> None:
    assert labels(judged({"a": "cat", "b": "dog"}, at("cat", 0), at("dog", 0))) == {
        ("correct", None): "yes", ("present", "cat"): "yes", ("present", "dog"): "yes"
    }  # fmt: skip
    assert judged({"a": "cat"}).reason == "cat not found"


@pytest.mark.parametrize("spec", [geneval_suite.counting("cat", 2), geneval_suite.colors("cat", "red"), {}])
def test_what_asks_for_numbers_or_colours_has_no_verdict(spec: dict[str, Any]) -> None:
    verdict = judged(spec, at("cat", 0), at("cat", 9))
    assert verdict.correct is None
    assert ("correct", None) not in labels(verdict)


def test_genevals_position_prompts_are_judged_too() -> None:
    verdict = judged(geneval_suite.position("cat", "dog", "above"), at("dog", 0, 9), at("cat", 0, 0))
    assert labels(verdict)[("position", "cat above dog")] == labels(verdict)[("correct", None)] == "yes"


def test_what_could_not_be_seen_is_not_judged() -> None:
    assert judge(parse_spec(LEFT), Observation("item", failed="no such file"), {}).judgements == ()
    with pytest.raises(ValueError, match="threshold must be from 0 to 1, got 2"):
        judged(LEFT, threshold=2)


def test_the_detector_is_asked_for_the_prompts_objects_alone() -> None:
    requested: list[Sequence[str]] = []

    class Detector:
        knows = None

        def detect(self, images: Sequence[Image.Image], names: Sequence[Sequence[str]]) -> list[list[DetectedObject]]:
            requested.extend(names)
            objects = [
                DetectedObject("mouse", 0.9, (0, 0, 5, 5)),
                DetectedObject("dog", 0.8, (1, 1, 2, 2)),
                DetectedObject("cup", 0.7, (3, 3, 4, 4)),
            ]
            return [objects for _ in images]

    picture = Image.new("RGB", (32, 24))
    specs = ({"a": "computer mouse", "b": "cup", "relation": "left"}, {"a": "cat"})
    batch = [Shown(str(k), picture, "", parse_spec(spec)) for k, spec in enumerate(specs)]
    first, second = VisorPerceiver(Detector()).perceive(batch)
    assert (first.item_id, first.payload) == ("0", {"width": 32, "height": 24})
    assert [(detection.label, detection.score, detection.mask) for detection in first.detections] == [
        ("mouse", 0.9, None),
        ("cup", 0.7, None),
    ]
    assert second.detections == ()
    assert requested == [["computer mouse", "cup"], ["cat"]]


def test_the_profile_keeps_what_its_threshold_may_need() -> None:
    settings = SCORER.profiles["playground"]
    assert VisorRules.of(SCORER.profiles["paper"]).threshold == VisorRules().threshold == 0.1
    assert all(VisorRules.of(profile).threshold >= profile["keep"] for profile in SCORER.profiles.values())
    with pytest.raises(ValueError, match=r"keep must be from 0 to the lowest threshold \(0.01\)"):
        SCORER.check({**settings, "threshold": 0.01})


# ---- many images


def test_every_name_has_its_supercategory() -> None:
    assert list(SUPERCATEGORY) == list(COCO)
    # the beginning and the end of each in COCO's own list
    ends = {"person": "person", "bicycle": "vehicle", "boat": "vehicle", "traffic light": "outdoor", "bench": "outdoor",
            "bird": "animal", "giraffe": "animal", "backpack": "accessory", "suitcase": "accessory", "frisbee": "sports",
            "tennis racket": "sports", "bottle": "kitchen", "bowl": "kitchen", "banana": "food", "cake": "food",
            "chair": "furniture", "toilet": "furniture", "tv": "electronic", "cell phone": "electronic",
            "microwave": "appliance", "refrigerator": "appliance", "book": "indoor", "toothbrush": "indoor"}  # fmt: skip
    assert {name: SUPERCATEGORY[name] for name in ends} == ends
    # VISOR's Table X names one class of each but person
    eleven = ("car", "bench", "dog", "suitcase", "sports ball", "cup", "cake", "chair", "laptop", "microwave", "book")
    assert [SUPERCATEGORY[name] for name in eleven] == list(dict.fromkeys(SUPERCATEGORY.values()))[1:]
    assert VisorRequest.of(parse_spec({"a": GENEVAL[64], "b": "cat"})).a == "mouse"


def tally(*images: tuple[str, dict[str, Any], Sequence[Detection]], generator: str = "g") -> VisorTally:
    visor_tally = VisorTally()
    for prompt_id, spec, seen in images:
        read = parse_spec(spec)
        visor_tally.add(generator, prompt_id, read, judge(read, Observation("i", {}, tuple(seen)), {}))
    return visor_tally


RIGHT_WAY: tuple[Detection, ...] = (at("cat", 0), at("dog", 9))
WRONG_WAY: tuple[Detection, ...] = (at("cat", 9), at("dog", 0))
CAT_ALONE: tuple[Detection, ...] = (at("cat", 0),)
NOTHING: tuple[Detection, ...] = ()


def test_the_scores_of_three_prompts_by_hand() -> None:
    """Prompt 1: right, right, wrong way, cat alone. Prompt 2: wrong way and three times nothing. Prompt 3: never both.

    12 images, 4 with both, 2 right; of three prompts one has two right ones; two prompts show both.
    """
    images = [("1", LEFT, seen) for seen in (RIGHT_WAY, RIGHT_WAY, WRONG_WAY, CAT_ALONE)]
    images += [("2", {**LEFT, "relation": "above"}, seen) for seen in (RIGHT_WAY, NOTHING, NOTHING, NOTHING)]
    images += [("3", {"a": "dog", "b": "cat", "relation": "below"}, CAT_ALONE)] * 4
    summary = tally(*images).summary()
    assert summary["generators"]["g"] == pytest.approx(
        {
            "OA": 100 * 4 / 12, "VISOR_uncond": 100 * 2 / 12, "VISOR_cond": 100 * 2 / 4,
            "VISOR_1": 100 / 3, "VISOR_2": 100 / 3, "VISOR_3": 0, "VISOR_4": 0,
            "VISOR_1_both_found": 50, "VISOR_2_both_found": 50, "VISOR_3_both_found": 0, "VISOR_4_both_found": 0,
            "n_images": 12, "n_prompts": 3,
        }
    )  # fmt: skip
    assert list(summary["relations"]["g"]) == ["left", "above", "below"]
    assert summary["relations"]["g"]["left"]["VISOR_cond"] == pytest.approx(100 * 2 / 3)
    assert summary["relations"]["g"]["below"]["VISOR_cond"] is None
    # cat: first object of 8 images and seen in 5, dog first in 4 and seen in none of these
    assert summary["objects"]["g"] == pytest.approx(
        {"A": 100 * 5 / 12, "B": 100 * 8 / 12, "both": 100 * 4 / 12, "n_images": 12}
    )
    (pair,) = summary["supercategories"]["g"]
    assert (pair["pair"], pair["n_images"]) == (["animal", "animal"], 12)


def test_prompts_without_a_relation_count_only_where_they_are_meant() -> None:
    single, two = {"a": "cat"}, {"a": "cat", "b": "dog"}
    images = [("1", LEFT, RIGHT_WAY), ("2", single, CAT_ALONE), ("2", single, NOTHING), ("3", two, CAT_ALONE)]
    summary = tally(*images).summary()
    assert summary["generators"]["g"]["n_images"] == 1
    assert summary["kinds"]["g"] == {
        "single": {"OA": 50.0, "n_images": 2}, "and": {"OA": 0.0, "n_images": 1}, "relation": {"OA": 100.0, "n_images": 1}
    }  # fmt: skip
    none = tally(("2", {"a": "cat"}, CAT_ALONE)).summary()["generators"]["g"]
    assert (none["OA"], none["VISOR_1"], none["n_images"]) == (None, None, 0)


def test_pairs_of_supercategories_have_no_order_but_cocos() -> None:
    def two(a: str, b: str) -> tuple[str, dict[str, Any], Sequence[Detection]]:
        return f"{a} {b}", {"a": a, "b": b, "relation": "left"}, (at(a, 0), at(b, 1))

    rows = tally(two("cup", "car"), two("bus", "fork"), two("unicorn", "car"), two("car", "bus")).summary()["supercategories"][
        "g"
    ]
    assert [(row["pair"], row["n_images"]) for row in rows] == [
        (["vehicle", "vehicle"], 1), (["vehicle", "kitchen"], 2), (["vehicle", "other"], 1)
    ]  # fmt: skip


def test_equivalent_prompts_are_alike_where_their_verdicts_are() -> None:
    """cat left of dog: two right, one wrong. dog right of cat: one right, two wrong. Of 9 pairs 2 x 1 + 1 x 2 agree."""
    mirrored = {"a": "dog", "b": "cat", "relation": "right"}
    images = [("1", LEFT, seen) for seen in (RIGHT_WAY, RIGHT_WAY, WRONG_WAY, CAT_ALONE)]
    images += [("2", mirrored, seen) for seen in (RIGHT_WAY, WRONG_WAY, WRONG_WAY, NOTHING)]
    # no partner of theirs shows both
    images += [("3", {**LEFT, "relation": "above"}, RIGHT_WAY), ("4", {**mirrored, "relation": "below"}, CAT_ALONE)]
    # cat comes before dog in COCO, so the pair stands under the first prompt's relation
    assert tally(*images).summary()["consistency"]["g"] == {
        "left": pytest.approx(100 * 4 / 9), "right": None, "above": None, "below": None,
        "average": pytest.approx(100 * 4 / 9), "n_pairs": 9,
    }  # fmt: skip


def test_a_prompt_asks_one_thing_and_visor_scores_what_it_can() -> None:
    visor_tally = tally(("1", LEFT, RIGHT_WAY))
    for spec, why in (
        ({**LEFT, "relation": "right"}, "prompt 1 asked for cat left dog before, and for cat right dog here"),
        (geneval_suite.colors("cat", "red"), "VISOR checks neither counts nor colours"),
        ({"include": [{"class": name} for name in ("cat", "dog", "cup")]}, "VISOR scores one or two objects"),
    ):
        read = parse_spec(spec)
        with pytest.raises(ValueError, match=why):
            visor_tally.add("g", "1", read, judge(read, Observation("i", {}, RIGHT_WAY), {}))
    assert visor_tally.summary()["generators"]["g"]["n_images"] == 1


def random_images(rng: random.Random, n_prompts: int, per_prompt: int) -> list[dict[str, Any]]:
    images = []
    for number in rng.sample([n for n in range(sr2d_suite.SIZE - 80) if n % 10 < 8], n_prompts):
        spec = sr2d_suite.numbered_prompt(number).spec
        for k in range(per_prompt):
            seen = []
            for _ in range(rng.choice((0, 1, 2, 5))):
                x, y = rng.randint(0, 4), rng.randint(0, 4)
                name = rng.choice((spec["a"], spec["b"], "dog"))
                seen.append({"label": name, "score": rng.choice((0.05, 0.1, 0.2, 0.9)), "box": [x, y, x + 2, y + 2]})
            images.append({"id": f"{number}_{k}", "prompt_id": number, "generator": "g", "spec": spec, "detections": seen})
    return images


@pytest.mark.parametrize(("threshold", "per_prompt"), [(0.1, 4), (0.05, 4), (0.2, 3), (0.1, 6)])
def test_scores_are_those_of_the_rules_stated_again(threshold: float, per_prompt: int) -> None:
    images = random_images(random.Random(threshold * per_prompt), 250, per_prompt)
    visor_tally = VisorTally()
    for image in images:
        read = read_case(image)
        verdict = judge(read.spec, read.seen, {"threshold": threshold})
        a, b, stands_so = official_geneval.visor_sees(image, threshold)
        assert (verdict.found[image["spec"]["a"]] > 0, verdict.found[image["spec"]["b"]] > 0) == (a, b)
        assert verdict.correct == (a and b and stands_so)
        visor_tally.add("g", str(image["prompt_id"]), read.spec, verdict)
    ours, expected = visor_tally.summary()["generators"]["g"], official_geneval.visor_scores(images, threshold)
    assert {name: ours[name] for name in expected} == pytest.approx(expected)
    numbers = range(1, max(4, per_prompt) + 1)
    assert [name for name in ours if name.startswith("VISOR_") and name[6:].isdigit()] == [f"VISOR_{k}" for k in numbers]
    # the paper's equation 4 is equivalent to: VISOR is the mean of VISOR_1 to VISOR_N
    assert ours["VISOR_uncond"] == pytest.approx(sum(ours[f"VISOR_{k}"] for k in numbers) / per_prompt)
