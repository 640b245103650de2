"""VISOR's and GenEval's metrics on ugly data, against plain restatements; and by hand, with what is undefined."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from typing import Any

import pytest

from agreement import Options
from agreement.estimate import Estimate
from agreement.reasons import ReasonCode
from agreement.suite_metrics.both_objects import Roles
from agreement.suite_metrics.catalogue import METRICS, METRICS_OF_KIND
from agreement.suite_metrics.formulas import EquivalentPrompts
from agreement.suite_metrics.verdicts import RelationPrompt, geneval_metrics, visor_metrics
from tests.agreement.frames import Judgement, frame, judgement

SCALES = {("s", "correct"): "nominal", ("s", "present"): "nominal"}
POINT = Options(intervals=False)
OPPOSITE = {"left": "right", "right": "left", "above": "below", "below": "above"}
WORDS = {True: "yes", False: "no"}


def relation_prompt(a: str, relation: str, b: str) -> RelationPrompt:
    """A prompt; of two equivalent ones that one is first whose A comes first in the alphabet."""
    first = a < b
    pair = f"{a} {relation} {b}" if first else f"{b} {OPPOSITE[relation]} {a}"
    return RelationPrompt(Roles(a, b, relation=True), EquivalentPrompts(pair, first, relation))


def ugly(seed: int) -> tuple[list[Judgement], dict[str, RelationPrompt]]:
    """Prompts with one to five images, some by one generator only; people and scorers with holes, ties, repeats, spellings."""
    rng = random.Random(seed)
    rows: list[Judgement] = []
    prompts: dict[str, RelationPrompt] = {}
    for n in range(24):
        a, b = rng.sample(["ant", "bee", "cat"], 2)
        prompts[f"p{n:02}"] = relation_prompt(a, rng.choice(list(OPPOSITE)), b)
    for prompt, asked in prompts.items():
        for generator in ("g", "h"):
            for image in range(rng.randint(0, 5)):
                place = {"prompt": prompt, "generator": generator, "task": asked.place.relation}
                item = f"{prompt}/{generator}/{image}"
                raters = [(f"r{k}", "human", k == 4) for k in range(rng.randint(0, 5))] + [("m", "scorer", False)]
                for name, kind, imitation in raters:
                    who = {"kind": kind, "identity": "person" if kind == "human" else None, "simulated": imitation, **place}
                    rows += _judged(rng, item, name, asked, who)
    rng.shuffle(rows)
    return [row | {"seq": k} for k, row in enumerate(rows)], prompts


def _judged(rng: random.Random, item: str, name: str, asked: RelationPrompt, who: dict[str, Any]) -> list[Judgement]:
    rows = []
    for target in (asked.roles.a, asked.roles.b, "dog"):
        if rng.random() < 0.9:
            label = rng.choice(["yes", "yes", "yes", "no", "Yes "])
            excluded = "cannot_tell" if rng.random() < 0.06 else None
            rows.append(judgement(item, name, label, **who | {"aspect": "present", "target": target, "excluded": excluded}))
    if rng.random() < 0.85:
        excluded = "surplus" if rng.random() < 0.06 else None
        rows.append(judgement(item, name, WORDS[rng.random() < 0.5], **who | {"excluded": excluded}))
    # about an object: not about the whole image
    rows.append(judgement(item, name, "yes", **who | {"target": "ant"}))
    return rows


Verdicts = dict[str, bool]


def majority(votes: list[bool]) -> bool | None:
    counts = Counter(votes)
    return None if counts[True] == counts[False] else counts[True] > counts[False]


def restated(rows: list[Judgement], prompts: dict[str, RelationPrompt], group: str) -> tuple[Verdicts, Verdicts]:
    """Return by image if both objects are there and if the image is correct; by people, simulated ones or a scorer."""
    mine = [
        row for row in rows
        if row["excluded"] is None and ("m" if row["kind"] == "scorer" else "sim" if row["simulated"] else "real") == group
    ]  # fmt: skip
    present: dict[tuple[str, str], dict[str, bool]] = defaultdict(dict)
    correct: dict[str, list[bool]] = defaultdict(list)
    for row in mine:
        roles = prompts[row["prompt"]].roles
        yes = row["label"].strip().lower() == "yes"
        if row["aspect"] == "present" and row["target"] in (roles.a, roles.b):
            present[row["item"], row["rater"]][row["target"]] = yes
        if row["aspect"] == "correct" and row["target"] is None:
            correct[row["item"]].append(yes)
    both: dict[str, list[bool]] = defaultdict(list)
    for (item, _), objects in present.items():
        if not all(objects.values()):
            both[item].append(False)
        elif len(objects) == 2:
            both[item].append(True)
    decided = ({item: majority(votes) for item, votes in said.items()} for said in (both, correct))
    first, second = ({item: vote for item, vote in each.items() if vote is not None} for each in decided)
    return first, second


def share(hits: list[bool]) -> float | None:
    return sum(hits) / len(hits) if hits else None


def expected(both: Verdicts, correct: Verdicts) -> dict[str, tuple[float | None, int]]:
    """Each metric of some images, with the number of images that it rests on."""
    shown = [item for item, there in both.items() if there and item in correct]
    by_prompt: dict[str, list[bool]] = defaultdict(list)
    for item, right in correct.items():
        by_prompt[item.rpartition("/")[0]].append(right)
    numbers = {f"visor_{n}": (share([sum(images) >= n for images in by_prompt.values()]), len(correct)) for n in range(1, 5)}
    return numbers | {
        "visor_oa": (share([*both.values()]), len(both)),
        "visor_uncond": (share([*correct.values()]), len(correct)),
        "visor_cond": (share([correct[item] for item in shown]), len(shown)),
        "geneval_correct_images": (share([*correct.values()]), len(correct)),
        "geneval_any_of_n": (share([any(images) for images in by_prompt.values()]), len(correct)),
        "geneval_all_of_n": (share([all(images) for images in by_prompt.values()]), len(correct)),
    }


def consistency(both: Verdicts, correct: Verdicts, prompts: dict[str, RelationPrompt]) -> dict[str, float]:
    """Return the consistency of each relation and their mean: images of a prompt beside those of an equivalent prompt."""
    shown = [item for item, there in both.items() if there and item in correct]
    alike: dict[str, list[bool]] = defaultdict(list)
    for item in shown:
        prompt, generator, _ = item.split("/")
        for other in shown:
            another, its, _ = other.split("/")
            one, two = prompts[prompt], prompts[another]
            mirrored = (one.roles.a, one.roles.b) == (two.roles.b, two.roles.a)
            same = OPPOSITE[one.place.relation] == two.place.relation and generator == its
            if mirrored and same and one.roles.a < two.roles.a:
                alike[one.place.relation].append(correct[item] == correct[other])
    shares = {relation: sum(pairs) / len(pairs) for relation, pairs in alike.items()}
    return shares | ({"all": sum(shares.values()) / len(shares)} if shares else {})


@pytest.mark.parametrize("seed", range(6))
def test_metrics_of_ugly_data_are_those_of_a_restatement(seed: int) -> None:
    rows, prompts = ugly(seed)
    made = [*visor_metrics(frame(rows), SCALES, prompts, POINT), *geneval_metrics(frame(rows), SCALES, POINT)]
    by_key = {(row.rater or row.people, row.generator, row.task, row.statistic): row for row in made}
    assert len(by_key) == len(made)
    checked = 0
    for group, name in (("real", "real"), ("sim", "simulated"), ("m", "m")):
        both, correct = restated(rows, prompts, group)
        for generator in ("g", "h", "all"):
            for task in (*OPPOSITE, "all"):

                def inside(item: str, generator: str = generator, task: str = task) -> bool:
                    prompt, its, _ = item.split("/")
                    return generator in ("all", its) and task in ("all", prompts[prompt].place.relation)

                there = [{item: v for item, v in each.items() if inside(item)} for each in (both, correct)]
                for statistic, (value, images) in expected(*there).items():
                    row = by_key.get((name, generator, task, statistic))
                    if row is None:
                        assert not images
                        continue
                    assert row.value == pytest.approx(value, abs=1e-12), (name, generator, task, statistic)
                    assert row.n_items == images
                    checked += 1
            mine, right = (
                {item: v for item, v in each.items() if generator in ("all", item.split("/")[1])} for each in (both, correct)
            )
            for task, value in consistency(mine, right, prompts).items():
                assert by_key[name, generator, task, "visor_consistency"].value == pytest.approx(value, abs=1e-12)
                checked += 1
    assert checked > 250


def one(rows: list[Estimate], statistic: str) -> Estimate:
    (found,) = [row for row in rows if (row.statistic, row.generator, row.task) == (statistic, "all", "all")]
    return found


def images(*verdicts: tuple[bool, bool]) -> list[Judgement]:
    """A scorer's verdicts of the images of one prompt: both objects, correct."""
    rows = []
    for k, (both, correct) in enumerate(verdicts):
        who = {"kind": "scorer", "identity": None, "prompt": "p"}
        rows += [judgement(f"i{k}", "m", WORDS[there], **who | {"aspect": "present", "target": target})
                 for target, there in (("ant", True), ("bee", both))]  # fmt: skip
        rows.append(judgement(f"i{k}", "m", WORDS[correct], **who))
    return rows


def test_what_no_image_qualifies_for_says_so() -> None:
    prompts = {"p": relation_prompt("ant", "left", "bee")}
    made = visor_metrics(frame(images((False, False), (False, False))), SCALES, prompts, Options())
    cond, alike = one(made, "visor_cond"), one(made, "visor_consistency")
    assert (cond.value, cond.low, cond.n_items) == (None, None, 0)
    assert cond.reason is not None
    assert cond.reason.code is ReasonCode.NO_IMAGE_WITH_BOTH_OBJECTS
    assert alike.reason is not None
    assert alike.reason.code is ReasonCode.NO_EQUIVALENT_PROMPTS
    assert one(made, "visor_oa").value == 0
    # one image qualifies, and one prompt tells nothing of others
    seen = one(visor_metrics(frame(images((True, True), (False, False))), SCALES, prompts, Options()), "visor_cond")
    assert (seen.value, seen.low, seen.n_items, seen.n_prompts) == (1, None, 1, 1)


def test_a_rater_who_judges_no_objects_has_only_what_needs_none() -> None:
    rows = [row for row in images((True, True), (True, False)) if row["aspect"] == "correct"]
    made = visor_metrics(frame(rows), SCALES, {"p": relation_prompt("ant", "left", "bee")}, POINT)
    assert {row.statistic for row in made} == {"visor_uncond", "visor_1", "visor_2", "visor_3", "visor_4"}
    assert visor_metrics(frame(rows), SCALES, {}, POINT) == []


def test_people_whose_votes_tie_are_counted_apart() -> None:
    rows = [judgement("i", f"r{k}", WORDS[k == 0], prompt="p") for k in range(2)]
    rows += [judgement("j", f"r{k}", "yes", prompt="p") for k in range(3)]
    made = geneval_metrics(frame(rows), SCALES, POINT)
    every = one(made, "geneval_all_of_n")
    assert (every.value, every.n_items, every.n_ratings, every.excluded) == (1, 1, 3, {"tied_majority": 1})


def test_each_metric_says_what_it_is() -> None:
    declared = [metric for metrics in METRICS_OF_KIND.values() for metric in metrics]
    assert len(declared) == len(METRICS) == 15
    for metric in declared:
        assert all((metric.title, metric.meaning, metric.formula, metric.range, metric.source, metric.needs))


def test_equivalent_prompts_that_are_equally_hard_tell_no_more_than_one_of_them() -> None:
    rng = random.Random(3)
    once: list[Judgement] = []
    twice: list[Judgement] = []
    prompts: dict[str, RelationPrompt] = {}
    for n in range(20):
        a, b = f"a{n:02}", f"b{n:02}"
        prompts |= {f"p{n}": relation_prompt(a, "left", b), f"q{n}": relation_prompt(b, "right", a)}
        chance = rng.random()
        for image in range(4):
            right = WORDS[rng.random() < chance]
            for prompt, task in ((f"p{n}", "left"), (f"q{n}", "right")):
                place = {"kind": "scorer", "prompt": prompt, "task": task}
                rows = [
                    judgement(f"{prompt}/{image}", "m", "yes", **place | {"aspect": "present", "target": each})
                    for each in (a, b)
                ]
                rows.append(judgement(f"{prompt}/{image}", "m", right, **place))
                twice += rows
                once += rows if task == "left" else []
    of_one, of_both = (
        {
            (row.task, row.statistic): (row.value, row.low, row.high)
            for row in visor_metrics(frame(rows), SCALES, prompts, Options())
        }
        for rows in (once, twice)
    )
    for metric in ("visor_uncond", "visor_cond", "visor_1", "visor_4"):
        assert of_one["all", metric][1] is not None
        assert of_both["all", metric] == pytest.approx(of_one["all", metric])
        assert of_both["tasks_mean", metric] == pytest.approx(of_one["all", metric])
