"""Estimates of a project: which campaigns' labels count as drawn by chance, and which do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from agreement.meta.estimates import EstimateFinding, EstimateOptions
from concord.campaigns import planning
from concord.campaigns.spec import CampaignSpec, campaign_spec
from concord.common.reason_sentences import text
from concord.meta.estimates import estimate, estimated
from data.records import Evidence, Image, Item, Judgement, Prompt, Rater
from data.refusals import CampaignRefused
from data.selection import Selection
from data.store.campaigns import management, participation
from data.store.core import frame
from data.store.core.store import Store
from data.store.imports import ImportBundle, apply
from data.store.judgements import recording
from tests.data.store.small_campaign import give
from tests.data.store.small_project import SPEC, answer

PROMPTS = 40
GENERATORS = ("g1", "g2")


def truth(item: str) -> bool:
    _, prompt, generator, _ = item.split("/")
    return (int(prompt) * 7 + len(generator) * 3 + int(generator[1]) * 5) % 10 < 7


def bundle(prompts: range, generators: tuple[str, ...] = GENERATORS) -> ImportBundle:
    """An image of each generator for each prompt, with verdicts of two scorers: m is wrong in one of eight, n knows nothing."""
    made = [Prompt(f"geneval/{k:05d}", "geneval", "two cats", ("counting", "colors")[k % 2], SPEC) for k in prompts]
    images = [
        Image(prompt.prompt_id, g, 0, Path(f"/nowhere/{g}-{k}.png"), f"{k:032x}{ord(g[1]):032x}", 8, 8)
        for k, prompt in zip(prompts, made, strict=True)
        for g in generators
    ]
    by_id = {prompt.prompt_id: prompt for prompt in made}
    items = [Item(i.image_id, "geneval", i.prompt_id, by_id[i.prompt_id].task, i.generator) for i in images]
    evidence = []
    for n, item in enumerate(items):
        says = {"m": truth(item.item_id) != (n % 8 == 0), "n": n % 3 > 0}
        for rater, yes in says.items():
            judged = (Judgement("correct", "yes" if yes else "no", float(yes)),)
            evidence.append(Evidence(f"{rater}{item.item_id}", item.item_id, rater, {}, judged, "1"))
    raters = [Rater("m", "scorer"), Rater("n", "scorer")]
    scales = [("geneval", "correct", "nominal")]
    name = f"{prompts}{generators}"
    return ImportBundle("images", name, name, made, images, items, raters=raters, scales=scales, evidence=evidence)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as made:
        apply(made, [bundle(range(PROMPTS))])
        yield made


def campaign(store: Store, **values: object) -> list[str]:
    """Make and start a campaign; its ordinary items."""
    planning.make_campaign(store, campaign_spec({"id": "c", "questionnaire": "yes_no", "overlap": 1, **values}))
    management.move(store, "c", "running")
    return [item.item_id for item in management.items(store, "c")]


def label(store: Store, items: list[str], campaign_id: str = "c") -> None:
    for item in items:
        give(store, campaign_id, item, "ann")
        recording.submit(store, answer(item, "ann", "yes" if truth(item) else "no", campaign_id=campaign_id))


def rows(store: Store, **options: object) -> dict[tuple[str, str], EstimateFinding]:
    """By generator and task, of the scorer m."""
    findings = estimate(store, Selection(), EstimateOptions(scorers=("m",), **options))  # type: ignore[arg-type]
    return {(row.generator, row.task): row for row in findings}


def test_labels_that_a_campaign_drew_count(store: Store) -> None:
    label(store, campaign(store, n=30, seed=3))
    results = rows(store, target="these")
    whole = results["all", "all"]
    assert (whole.n_labelled, whole.n_unlabelled, whole.n_ratings, whole.reason) == (30, 50, 30, None)
    assert "drawn by chance in campaign c" in text(whole.method)
    assert whole.low is not None
    assert whole.high is not None
    assert whole.value is not None
    full = np.mean([truth(item.item_id) for item in bundle(range(PROMPTS)).items])
    assert whole.low < full < whole.high
    assert whole.low < whole.value < whole.high
    assert set(results) == {(g, t) for g in (*GENERATORS, "all") for t in ("counting", "colors", "all")}
    assert sum(results[g, "all"].n_labelled for g in GENERATORS) == 30


def test_drawn_images_without_an_answer_are_counted_in_the_method(store: Store) -> None:
    drawn = campaign(store, n=40, seed=3)
    label(store, drawn[:30])
    (method,) = {text(row.method) for row in rows(store).values() if row.generator == row.task == "all"}
    assert "campaign c (10 of 40 drawn images have no answer: right only if chance chose which)" in method
    label(store, drawn[30:])
    assert "no answer" not in text(rows(store)["all", "all"].method)


def test_what_chance_did_not_draw_is_refused_unless_the_user_says_so(store: Store) -> None:
    every = [item.item_id for item in bundle(range(PROMPTS)).items]
    label(store, campaign(store, items=every[:30]))
    finding = rows(store)["all", "all"]
    assert finding.value is None
    assert "not drawn by chance" in text(finding.reason)
    estimate_finding = rows(store, at_random=True)["all", "all"]
    assert estimate_finding.value is not None
    assert "as you say" in text(estimate_finding.method)


def test_a_draw_from_some_images_says_nothing_of_others(store: Store) -> None:
    label(store, campaign(store, n=20, generator=["g1"]))
    results = rows(store)
    assert results["g1", "all"].value is not None
    assert results["all", "all"].value is None
    # what came later could not be drawn
    apply(store, [bundle(range(PROMPTS, PROMPTS + 4), ("g1",))])
    assert rows(store)["g1", "all"].value is None


def test_in_a_fixed_order_labels_count_when_all_are_there(store: Store) -> None:
    items = campaign(store, n=20, order="fixed")
    label(store, items[:12])
    assert "8 of 20 drawn images of campaign c wait for people" in text(rows(store)["all", "all"].reason)
    label(store, items[12:])
    assert rows(store)["all", "all"].value is not None


def test_the_images_that_everybody_is_offered_come_by_chance(store: Store) -> None:
    first = participation.next_tasks(store, "ann", "default", ahead=5)
    assert first.tasks
    label(store, [item.item_id for item in bundle(range(PROMPTS)).items][::4], "default")
    assert rows(store)["all", "all"].n_labelled == 20


def test_labels_of_a_weighted_draw_count_in_estimates_alone(store: Store) -> None:
    items = campaign(store, n=40, draw="weighted", seed=5)
    chances = {item.item_id: item.draw_probability for item in management.items(store, "c")}
    assert all(chance and 0 < chance <= 1 for chance in chances.values())
    assert 25 < len(items) < 55
    label(store, items[:-1])
    assert f"1 of {len(items)} drawn images" in text(rows(store)["all", "all"].reason)
    label(store, items[-1:])
    whole = rows(store)["all", "all"]
    assert whole.n_labelled == len(items)
    assert "stored chances" in text(whole.method)
    assert whole.value is not None
    assert estimated(store) == [("geneval", "correct", "m"), ("geneval", "correct", "n")]
    people = frame.frame(store, Selection())
    assert set(people.loc[people["kind"] == "human", "excluded"]) == {"selected"}
    # Hajek's mean of the labels alone, by hand
    weights = np.array([1 / (chances[item] or 1) for item in items])
    assert whole.labels_mean == pytest.approx(np.average([truth(item) for item in items], weights=weights), abs=1e-12)


def test_a_weighted_draw_needs_scorers_and_a_number(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="draw weighted needs n"):
        CampaignSpec("c", draw="weighted")
    with pytest.raises(ValueError, match="random or weighted"):
        CampaignSpec("c", draw="clever")  # type: ignore[arg-type]
    with pytest.raises(CampaignRefused, match="single images"):
        planning.plan_campaign(store, CampaignSpec("c", draw="weighted", n=3, questionnaire="ab", generator=GENERATORS))
    with Store(tmp_path / "bare") as bare:
        apply(bare, [ImportBundle("images", "x", "x", *_bare())])
        with pytest.raises(CampaignRefused, match="score them first"):
            planning.plan_campaign(bare, CampaignSpec("c", draw="weighted", n=3, questionnaire="yes_no"))


def _bare() -> tuple[list[Prompt], list[Image], list[Item]]:
    made = bundle(range(5))
    return [*made.prompts], [*made.images], [*made.items]


def test_a_trial_hides_labels_and_shows_what_they_say(store: Store) -> None:
    every = [item.item_id for item in bundle(range(PROMPTS)).items]
    label(store, campaign(store, items=every))
    finding = rows(store, label_sample=30, target="these")["all", "all"]
    assert (finding.n_labelled, finding.n_unlabelled) == (30, 50)
    assert finding.full_mean == pytest.approx(np.mean([truth(item) for item in every]))
    assert finding.excluded == {"hidden": 50}
    again = rows(store, label_sample=30, target="these", seed=1)["all", "all"]
    assert again.value != finding.value
    # all are labelled: no draw is needed
    plain = rows(store)["all", "all"]
    assert plain.value == pytest.approx(finding.full_mean)
    assert plain.labels_saved == pytest.approx(0)


def test_corrected_rates_and_differences(store: Store) -> None:
    label(store, campaign(store, n=60, seed=3))
    finding = rows(store, method="corrected")["all", "all"]
    assert finding.value is not None
    assert finding.sensitivity is not None
    assert finding.sensitivity_low is not None
    assert finding.scorer_mean is not None
    assert finding.value != finding.scorer_mean
    useless = estimate(store, Selection(), EstimateOptions(method="corrected", scorers=("n",)))
    assert {row.value for row in useless if row.task == "all" and row.generator == "all"} == {None}
    pairs = estimate(store, Selection(), EstimateOptions(scorers=("m",), against="g2"))
    keys = [(r.suite, r.task, r.generator, r.aspect, r.people, r.statistic, r.scorer) for r in pairs]
    assert len(set(keys)) == len(keys)
    (less,) = [row for row in pairs if row.statistic == "difference" and row.task == "all"]
    means = rows(store)
    assert (less.generator, less.against) == ("g1", "g2")
    assert less.value == pytest.approx((means["g1", "all"].value or 0) - (means["g2", "all"].value or 0), abs=1e-9)
