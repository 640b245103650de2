"""The flip test of a project: the command and the page, scorers that read, people's answers read again, and a run's life."""

from __future__ import annotations

import json
import re
import shutil
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation import simulated
from annotation.questionnaires.geneval import RULE_VERSION, derive
from annotation.simulated import DepictedItem
from concord.common import reason_sentences
from concord.error_analysis import failures, flips
from concord.error_analysis.flips import FlipResult
from concord.judging import derive_source
from concord.runs import run_session, score
from concord.scope import Scope
from data.aspects import SCALES
from data.jobs.runs import Observation, RunFolder
from data.prompts.flips import Flipped, flip
from data.records import Annotation, Image, Judgement, Prompt, Rater, image_item
from data.selection import Selection
from data.spec import Spec, parse_spec
from data.store import imports, runs
from data.store.browse import contents
from data.store.core import frame
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import recording, scorer_evidence
from scorers import clipscore, registry
from scorers.base import Flips, Settings, Verdict
from scorers.geneval import rules
from tests.ui import cow_scorer, drawn_images, explore_project, small_project
from tests.ui.drawn_images import CLIP, GENERATOR, RATER
from tests.ui.explore_project import HOSTILE
from tests.ui.small_project import concord, done, tables
from ui.pages.failures.flip_test import FLIP_TITLES
from ui.pages.failures.flip_test import flip_test as drawn_flip_test
from ui.pages.failures.view import FailuresView
from ui.shell.html import rendered

SUITE = "geneval"
READ = {"flip": "relation"}
READER = "clipscore-playground[flip=relation]"
EACH, PER_PROMPT = 3, 2
PROMPTS = {f"{SUITE}/{n:05d}": prompt for n, prompt in enumerate(drawn_images.prompts(EACH))}


def items(task: str) -> list[tuple[str, str]]:
    """(item, prompt) of a task's pictures."""
    return [
        (f"{id_}/{GENERATOR}/{k}", id_) for id_, prompt in PROMPTS.items() if prompt.task == task for k in range(PER_PROMPT)
    ]


def cosine(item: str, *, flipped: bool) -> float:
    return round(0.2 + len(item) / 1000 + int(item[-1]) / 10 - flipped * (int(item.split("/")[1]) - 12) / 100, 4)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures whose truth a scorer sees; two people and two imitations who answer, one who only rates."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn_images, "SETTINGS", {**drawn_images.SETTINGS, "counting_threshold": 0.3})
        folder = drawn_images.project(tmp_path_factory.mktemp("flips"), each=EACH, per_prompt=PER_PROMPT, size=64)
    with Store(folder) as store:
        _answer(store)
    return folder


def _answer(store: Store) -> None:
    known = [
        DepictedItem(
            image_item(Image(id_, GENERATOR, k), replace(prompt, prompt_id=id_)),
            parse_spec(prompt.spec),
            drawn_images.scene(prompt, k),
        )
        for id_, prompt in PROMPTS.items()
        for k in range(PER_PROMPT)
    ]
    said = simulated.annotate(known, simulated.PEOPLE[:4])
    real = {"simulated Ada": "ann", "simulated Dan": "ben"}
    annotations = [replace(annotation, rater_id=real.get(annotation.rater_id, annotation.rater_id)) for annotation in said]
    raters = [person.rater for person in simulated.PEOPLE[1:3]] + [
        Rater(who, "human", "person") for who in ("ann", "ben", "zoe")
    ]
    item = items("position")[0][0]
    fields = {"aspect": "correct", "target": None, "label": "yes", "value": 1.0}
    yes = Judgement("correct", "yes", 1.0)
    annotations.append(Annotation(str(uuid.uuid4()), item, "zoe", "direct", fields, (yes,), "direct-1"))
    scales = sorted({(SUITE, judged.aspect) for annotation in annotations for judged in annotation.judgements})
    bundle = ImportBundle(
        "answers", "a", "a", raters=raters, annotations=annotations, scales=[(s, a, SCALES[a]) for s, a in scales]
    )
    imports.apply(store, [bundle])


def read(store: Store, settings: Mapping[str, Any] = READ, run_id: str = "0009-read", *, leave: int = 0) -> str:
    """A finished run over flipped texts, as `score` would leave it; returns its rater."""
    name = score.rater_of(store, clipscore.SCORER, "playground", "1", settings).rater_id
    texts = items("position")[leave:]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn_images, "SETTINGS", dict(settings))
        seen = [Observation(item, {"cosine": cosine(item, flipped=True), "tokens": 8, "read": 8}) for item, _ in texts]
        explore_project.add_run(store, run_id, name, seen, {item: PROMPTS[id_].spec for item, id_ in texts}, clipscore.SCORER)
    return name


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Iterator[Store]:
    shutil.copytree(made, tmp_path / "project")
    with Store(tmp_path / "project") as store:
        yield store


def numbers(store: Store, kind: str = "relation", **where: Any) -> dict[tuple[str, str, str], FlipResult]:
    """Rows by rater, generator and statistic."""
    found = flips.rows(store, Selection(**where), kind)  # type: ignore[arg-type]
    json.dumps([row.to_json() for row in found.rows], allow_nan=False)
    return {(row.rater, row.generator, row.statistic): row for row in found.rows}


def restated(pairs: list[tuple[float, float]]) -> list[float]:
    true, flipped = np.array(pairs).T
    return [true.mean(), flipped.mean(), (true - flipped).mean()]


def values(result: Mapping[tuple[str, str, str], FlipResult], rater: str) -> list[float | None]:
    return [result[rater, "all", name].value for name in ("s", "s_flipped", "delta_s")]


# ---- who sees
@pytest.mark.parametrize(
    ("kind", "tasks"), [("relation", ["position"]), ("color", ["colors", "color_attr"]), ("count", ["counting"])]
)
def test_evidence_is_judged_again_by_the_flipped_specs(store: Store, kind: str, tasks: list[str]) -> None:
    about = [one for task in tasks for one in items(task)]
    sights = scorer_evidence.evidence_without_masks(store, [item for item, _ in about], RATER)
    assert sights is not None
    pairs = []
    for item, id_ in about:
        made = flip(PROMPTS[id_].text, PROMPTS[id_].spec, kind)  # type: ignore[arg-type]
        assert isinstance(made, Flipped)
        specs = (parse_spec(PROMPTS[id_].spec), parse_spec(made.spec))
        true, flipped = (rules.judge(spec, sights.seen[item], sights.settings).correct for spec in specs)
        # what is seen cannot be both
        assert not (true and flipped)
        pairs.append((float(bool(true)), float(bool(flipped))))
    results = numbers(store, kind)
    assert values(results, RATER) == pytest.approx(restated(pairs))
    assert sum(true for true, _ in pairs) > 0
    row = results[RATER, "all", "delta_s"]
    rest = EACH * 6 * PER_PROMPT - len(about)
    nothing = {"relation": "no_relation", "color": "no_color", "count": "no_exact_number"}[kind]
    assert (row.n_items, row.n_ratings, row.excluded) == (len(about), len(about), {nothing: rest})
    stored = frame.frame(store, Selection(aspect=("correct",), rater=(RATER,)))
    stored = stored[(stored.rater == RATER) & stored.task.isin(tasks)]
    assert results[RATER, "all", "s"].value == pytest.approx((stored.label == "yes").mean())


def test_a_colour_that_was_not_stored_is_counted_not_guessed(store: Store) -> None:
    sights = scorer_evidence.evidence_without_masks(store, [item for item, _ in items("colors")], RATER)
    assert sights is not None
    bare = [replace(seen, detections=tuple(replace(d, colors=None) for d in seen.detections)) for seen in sights.seen.values()]
    specs = {item: PROMPTS[id_].spec for item, id_ in items("colors")}
    explore_project.add_run(store, "0008-bare", "geneval-bare", bare, specs)
    results = numbers(store, "color", task=("colors",))
    row = results["geneval-bare", "all", "delta_s"]
    left = [
        observation
        for observation in bare
        if any(d.label == PROMPTS[observation.item_id[:13]].spec["include"][0]["class"] for d in observation.detections)
    ]
    assert row.excluded == {"no_verdict": len(left)}
    assert len(left) > 3
    # what is not there at all has no colour, and is wrong by either
    assert row.n_items == len(bare) - len(left)


def test_peoples_answers_are_read_again(store: Store) -> None:
    with store.read() as cursor:
        rows = cursor.execute(
            "select item_id, rater_id, answers from annotations where questionnaire = 'geneval' and item_id in"
            " (select item_id from items where task = 'position')"
        ).fetchall()
    pairs: dict[str, list[tuple[float, float]]] = {"people": [], "simulated people": []}
    turned = {"left": "right", "right": "left", "above": "below", "below": "above"}
    for item, rater, text in rows:
        answers, (thing, other) = json.loads(text), PROMPTS[item[:13]].spec["include"]
        assert (thing["count"], other["count"]) == (1, 1)
        requested = other["position"][0].split()[0]
        answer = answers.get("position_x" if requested in ("left", "right") else "position_y")
        there = all(isinstance(answers.get(f"count_{k}"), int) and answers[f"count_{k}"] >= 1 for k in range(2))
        if "cannot_tell" in (answer, answers.get("count_0"), answers.get("count_1")):
            continue
        group = "people" if rater in ("ann", "ben") else "simulated people"
        pairs[group].append((float(there and answer == requested), float(there and answer == turned[requested])))
    results = numbers(store)
    for group, mine in pairs.items():
        assert len(mine) > 5
        assert values(results, group) == pytest.approx(restated(mine))
        row = results[group, "all", "delta_s"]
        assert row.n_ratings == len(mine)
        assert row.people == ("real" if group == "people" else "simulated")
    # zoe's rating has no answers that could be read again
    assert results["people", "all", "s"].excluded["rated_directly"] == 1
    assert "rated_directly" not in results["simulated people", "all", "s"].excluded


def test_the_latest_revision_counts_and_what_came_after_the_evidence_does_not(store: Store) -> None:
    item, id_ = items("position")[0]
    requested = PROMPTS[id_].spec["include"][1]["position"][0].split()[0]
    axis = "position_x" if requested in ("left", "right") else "position_y"

    def say(who: str, there: int, **more: Any) -> str:
        answers = {"count_0": there, "count_1": 1, axis: requested}
        judged = tuple(derive(parse_spec(PROMPTS[id_].spec), answers))
        annotation = Annotation(str(uuid.uuid4()), item, who, "geneval", answers, judged, RULE_VERSION, **more)
        return recording.submit(store, annotation).annotation_id

    def told() -> tuple[float, float, int]:
        row = numbers(store)["people", "all", "s"]
        assert row.value is not None
        return row.value * row.n_ratings, row.n_ratings, row.excluded.get("saw_evidence", 0)

    yes, n, _ = told()
    say("eve", 1, saw_evidence=True)
    assert told() == pytest.approx((yes, n, 1))
    first = say("fay", 1)
    assert told() == pytest.approx((yes + 1, n + 1, 1))
    say("fay", 0, revises=first)
    assert told() == pytest.approx((yes, n + 1, 1))


# ---- who reads
def test_a_scorer_that_reads_meets_its_own_numbers_by_flipped_texts(store: Store) -> None:
    results = numbers(store)
    row = results[CLIP, "all", "delta_s"]
    assert (row.value, row.reason and reason_sentences.text(row.reason)) == (None, "it has not read the flipped prompts yet")
    assert row.command == "score clipscore --set flip=relation"
    assert row.excluded["no_flipped_score"] == len(items("position"))
    assert read(store, leave=1) == READER
    results = numbers(store)
    with store.read() as cursor:
        true = dict(cursor.execute("select item_id, value from judgements where aspect = 'score'").fetchall())
    pairs = [(true[item], cosine(item, flipped=True)) for item, _ in items("position")[1:]]
    assert values(results, CLIP) == pytest.approx(restated(pairs))
    row = results[CLIP, "all", "delta_s"]
    assert row.excluded["no_flipped_score"] == 1
    # one is missing: the same command makes it
    assert (row.reason, row.command, row.aspect) == (None, "score clipscore --set flip=relation", "score")
    assert not any(rater == READER for rater, _, _ in results)
    read(store, {"flip": "relation"}, "0010-rest")
    assert numbers(store)[CLIP, "all", "delta_s"].command == ""
    # the relation's run says nothing about colours
    assert numbers(store, "color")[CLIP, "all", "s"].n_items == 0


def test_only_a_rater_of_the_same_settings_is_a_partner(store: Store) -> None:
    seen = [Observation(item, {"cosine": 0.25, "tokens": 8, "read": 8}) for item, _ in items("position")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn_images, "SETTINGS", {"variant": "100*cos"})
        specs = {item: PROMPTS[id_].spec for item, id_ in items("position")}
        explore_project.add_run(store, "0008-other", "clip 100", seen, specs, clipscore.SCORER)
    read(store)
    row = numbers(store)["clip 100", "all", "delta_s"]
    assert (row.value, row.command) == (None, "score clipscore --set 'variant=100*cos' --set flip=relation")
    read(store, {"variant": "100*cos", "flip": "relation"}, "0010-other")
    results = numbers(store)
    expected = [25.0, float(np.mean([100 * cosine(observation.item_id, flipped=True) for observation in seen]))]
    assert values(results, "clip 100")[:2] == pytest.approx(expected)
    assert values(results, CLIP)[1] == pytest.approx(expected[1] / 100)


def test_numbers_by_flipped_prompts_are_no_scores(store: Store) -> None:
    before = frame.frame(store, Selection(aspect=("score",)))
    sources, raters, pictured = (
        scorer_evidence.evidence_sources(store),
        failures.failing_raters(store, SUITE),
        failures.sources(store),
    )
    read(store)
    after = frame.frame(store, Selection(aspect=("score",)))
    assert after.drop(columns="seq").equals(before.drop(columns="seq"))
    judgements = frame.frame(store, Selection(aspect=("flipped",), rater=(READER,)))
    judgements = judgements[judgements.rater == READER]
    assert set(judgements.aspect) == {"flipped"}
    assert set(judgements.target) == {"relation"}
    assert frame.scales(store)[SUITE, "flipped"] == "interval"
    # nor does anybody turn knobs or draw failures of what was seen by other prompts
    assert scorer_evidence.evidence_sources(store) == sources
    assert failures.sources(store) == pictured
    assert failures.failing_raters(store, SUITE) == raters
    assert READER in contents.rater_names(store)


def test_they_survive_a_rebuild(store: Store) -> None:
    read(store)
    with store.read() as cursor:
        query = "select * exclude (seq, rule_version) from judgements where rater_id = ? order by all"
        before = cursor.execute(query, [READER]).fetchall()
    rows = numbers(store)
    recording.rebuild(store, derive_source)
    with store.read() as cursor:
        assert cursor.execute(query, [READER]).fetchall() == before
    assert numbers(store) == rows
    assert len(before) == len(items("position"))


def test_who_has_no_flipped_score_says_why(store: Store, tmp_path: Path) -> None:
    item, id_ = items("position")[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn_images, "SETTINGS", registry.get("geneval-results").profiles["official"])
        seen = [Observation(item, {"correct": True, "reason": "", "details": False})]
        explore_project.add_run(
            store, "0013-official", "official", seen, {item: PROMPTS[id_].spec}, registry.get("geneval-results")
        )
    csv = tmp_path / "metric.csv"
    csv.write_text(f"image,who,value\n{item},metric,0.5\n")
    folder = store.project
    store.close()
    words = ("--item", "image", "--rater", "who", "--value", "value", "--aspect", "score", "--scale", "interval")
    done(folder, "import", "ratings", csv, *words, "--kind", "scorer", "--suite", SUITE)
    with Store(folder) as again:
        results = numbers(again)
    assert (
        reason_sentences.text(results["official", "all", "s"].reason)
        == "its verdicts came as they are: nothing can be judged again"
    )
    assert (
        reason_sentences.text(results["metric", "all", "s"].reason)
        == "its judgements were imported as they are: nothing can be judged again"
    )
    assert results["metric", "all", "s"].excluded["no_flipped_score"] == len(items("position"))


# ---- what is chosen
def test_what_a_selection_restricts(store: Store) -> None:
    read(store)
    results = numbers(store, rater=("ann",))
    assert {rater for rater, _, _ in results} == {"people", RATER, CLIP}
    assert results["people", "all", "s"].n_ratings < numbers(store)["people", "all", "s"].n_ratings
    # its partner is found all the same
    only = numbers(store, rater=(CLIP,))
    assert {rater for rater, _, _ in only} == {"people", "simulated people", CLIP}
    assert only[CLIP, "all", "delta_s"] == numbers(store)[CLIP, "all", "delta_s"]
    assert numbers(store, generator=("nobody",)) == {}
    colors = flips.rows(store, Selection(task=("colors",)), "relation")
    assert (colors.rows, colors.unflippable) == ([], [SUITE])


def test_of_very_many_images_some_are_taken_and_it_is_said(store: Store) -> None:
    some = flips.rows(store, Selection(), "relation", most=30)
    assert (some.images, some.total) == (30, EACH * 6 * PER_PROMPT)
    by_hand = {row.rater: row.n_items + sum(row.excluded.values()) for row in some.rows if row.statistic == "s"}
    assert by_hand[RATER] == 30
    assert some == flips.rows(store, Selection(), "relation", most=30)


def test_what_all_have_scored_stands_beside(store: Store) -> None:
    read(store, leave=2)
    results = numbers(store)
    raters = ("people", "simulated people", CLIP, RATER)
    shared = {results[rater, "shared", "s"].n_items for rater in raters}
    assert len(shared) == 1
    assert 0 < shared.pop() <= len(items("position")) - 2


# ---- command
def test_the_command(made: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(made, project)
    document = json.loads(done(project, "flips", "--format", "json"))
    assert {key: document[key] for key in ("selection", "flip", "unflippable")} == {
        "selection": {}, "flip": "relation", "unflippable": [],
    }  # fmt: skip
    with Store(project) as store:
        assert document["flips"] == [row.to_json() for row in flips.rows(store, Selection(), "relation").rows]
    ran = concord(project, "flips")
    assert ran.status == 0
    lines = [line.split() for line in ran.out.splitlines()]
    row = next(r for r in document["flips"] if (r["rater"], r["statistic"]) == (RATER, "delta_s"))
    line = next(words for words in lines if words[1:3] == [RATER, GENERATOR])
    assert f"{row['value']:.4f}" in line
    assert not any(words[1:3] == [RATER, "all"] for words in lines)  # one generator alone
    assert "it has not read the flipped prompts yet" in ran.out
    assert ran.err == "not all flipped prompts have been read yet; to have that done: score clipscore --set flip=relation\n"
    none = concord(project, "flips", "--kind", "count", "--task", "colors")
    assert none.out == "no prompt of geneval asks for a count that could be flipped\n"
    assert concord(project, "flips", "--generator", "other").out == "nothing to compare in this selection\n"
    assert concord(project, "flips", "--kind", "size").status == 2
    assert concord(project, "flips", "--aspect", "correct").status == 2
    table = done(project, "flips", "--format", "md", "--no-intervals", "--rater", RATER).splitlines()
    assert table[0].startswith("| suite | rater | generator | s |")
    assert {line.count("|") for line in table} == {table[0].count("|")}


# ---- runs
def _as_read(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001
    flip = settings.get("flip") or None
    return Verdict((Judgement("flipped" if flip else "score", None, float(seen.payload["red"]), flip),))


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch, project: Path, tmp_path: Path) -> Path:
    """A project with two pictures of a cow and two of a red car; the seer reads texts now."""
    scorer = replace(cow_scorer.SCORER, options={"flip": ""}, flips=Flips(rejudges=False), judge=_as_read)
    real = registry.get
    monkeypatch.setattr(registry, "get", lambda name: scorer if name == cow_scorer.NAME else real(name))
    cow_scorer.within(monkeypatch, run_session)
    images = small_project.geneval_folder(tmp_path / "sdv2")
    done(project, "import", "images", images, "--layout", "geneval", "--generator", "sdv2")
    return project


FLIP = ("score", cow_scorer.NAME, "--set", "flip=color")


def test_a_run_reads_flipped_texts_of_the_prompts_that_have_them(reader: Path) -> None:
    ran = concord(reader, *FLIP)
    assert (ran.status, ran.out) == (0, "2 images judged by seer-playground[flip=color]\n"), ran.err
    left_out = "2 images left out, whose prompts cannot be flipped: of prompts without a colour (2)"
    assert left_out in ran.err.splitlines()
    with Store(reader) as store:
        (row,) = runs.listed(store)
        work = RunFolder(store.project / row.folder).work()
    assert {item.text for item in work} == {"a photo of a purple car"}
    assert {item.spec["include"][0]["color"] for item in work} == {"purple"}
    assert (row.settings["flip"], row.n_items) == ("color", 2)
    before = tables(reader)
    assert {(one[2], one[3]) for one in before["judgements"]} == {("flipped", "color")}
    again = concord(reader, *FLIP)
    assert again.out == "nothing to do: seer-playground[flip=color] has judged all 2 images of this selection\n"
    assert again.err == left_out + "\n"
    assert tables(reader) == before
    done(reader, "rebuild")
    assert {(one[2], one[3]) for one in tables(reader)["judgements"]} == {("flipped", "color")}
    # without the setting it is the rater that it was
    assert done(reader, "score", cow_scorer.NAME) == "4 images judged by seer-playground\n"


def test_a_killed_run_goes_on(reader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_DIES_AFTER", "1")
    assert concord(reader, *FLIP, "--batch-size", 1).status == 1
    monkeypatch.delenv("SEER_DIES_AFTER")
    ran = concord(reader, *FLIP)
    assert (ran.status, ran.out) == (0, "2 images judged by seer-playground[flip=color]\n")
    assert len(tables(reader)["judgements"]) == 2


def test_a_selection_without_anything_to_flip_is_refused(reader: Path) -> None:
    ran = concord(reader, "score", cow_scorer.NAME, "--set", "flip=relation")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == (
        "score: nothing to score: 4 images left out, whose prompts cannot be flipped: of prompts without a relation (4)\n"
    )
    with Store(reader) as store:
        assert runs.listed(store) == []


def test_an_unknown_flip_is_refused(reader: Path) -> None:
    ran = concord(reader, "score", "clipscore", "--set", "flip=size")
    assert (ran.status, ran.err) == (2, "score: there is no flip 'size'; known: relation, color, count\n")
    assert "has no setting 'flip'" in concord(reader, "score", "geneval", "--set", "flip=count").err


# ---- page
def test_the_page_shows_the_commands_numbers(store: Store) -> None:
    read(store)
    shown = drawn_flip_test(store, Scope(SUITE), "relation")
    row = numbers(store)[CLIP, "all", "delta_s"]
    assert f">{row.value:.3f}<small" in rendered([shown.numbers, shown.notes])
    assert "Δs is how much higher" in rendered(shown.lead)
    names = re.findall(r'<span class="cc-dots-label" title="[^"]*">([^<]*)<', rendered(shown.figure))
    assert names == ["people", "simulated people", CLIP, RATER]
    assert "cc-dot-chance" in rendered(shown.figure)
    assert "ratings without the answers that they rest on: 1" in unescape(rendered([shown.numbers, shown.notes]))
    assert "score clipscore" not in rendered([shown.numbers, shown.notes])


def test_what_is_missing_is_taught(store: Store) -> None:
    shown = drawn_flip_test(store, Scope(SUITE), "relation")
    assert f"uv run app.py score clipscore --set flip=relation --project {store.project}" in unescape(
        rendered([shown.numbers, shown.notes])
    )
    prompt = Prompt("plain/0", "plain", "a cow", None, {"include": [{"class": "cow"}]})
    image = Image("plain/0", "g", 0)
    imports.apply(store, [ImportBundle("images", "p", "p", [prompt], [image], [image_item(image, prompt)])])
    none = drawn_flip_test(store, Scope("plain"), "count")
    assert none.figure is None
    assert "No prompt of plain asks for anything of this kind" in rendered(none.lead)
    assert "prompts geneval -o prompts.jsonl" in rendered([none.numbers, none.notes])


def test_nobody_has_judged_yet(tmp_path: Path) -> None:
    prompt = Prompt("new/0", "new", "a cow left of a cat", "position", {"a": "cow", "b": "cat", "relation": "left"})
    image = Image("new/0", "g", 0)
    with Store(tmp_path / "new") as store:
        imports.apply(store, [ImportBundle("images", "p", "p", [prompt], [image], [image_item(image, prompt)])])
        shown = drawn_flip_test(store, Scope("new"), "relation")
    assert shown.figure is None
    assert "Nobody has judged these images yet" in rendered(shown.lead)
    assert "score geneval" in rendered([shown.numbers, shown.notes])


def test_the_view_and_its_address() -> None:
    view = FailuresView.read(lambda name: {"picture": ["flips"], "flip": ["count"]}.get(name, []))
    assert (view.picture, view.flip) == ("flips", "count")
    assert view.address().endswith("?picture=flips&flip=count")
    assert FailuresView.read(lambda name: {"flip": ["size"]}.get(name, [])).flip == "relation"
    assert [*FLIP_TITLES] == ["relation", "color", "count"]


def test_hostile_names_stay_text(store: Store) -> None:
    spec = {"a": HOSTILE, "b": "cow", "relation": "left"}
    prompt = Prompt(f"{HOSTILE}/0", HOSTILE, f"{HOSTILE} left of a cow", HOSTILE, spec)
    images = [Image(prompt.prompt_id, HOSTILE, k) for k in range(2)]
    places = [image_item(image, prompt) for image in images]
    imports.apply(store, [ImportBundle("images", "h", "h", [prompt], images, places)])
    seen = [Observation(item.item_id, {}, ()) for item in places]
    explore_project.add_run(store, "0007-hostile", HOSTILE, seen, {item.item_id: spec for item in places})
    shown = drawn_flip_test(store, Scope(HOSTILE), "relation")
    everything = rendered(shown.lead) + rendered([shown.numbers, shown.notes]) + rendered(shown.figure)
    assert "<img" not in everything
    assert "&lt;img" in everything
    missing = drawn_flip_test(store, Scope(HOSTILE), "count")
    assert "<img" not in rendered(missing.lead) + rendered([missing.numbers, missing.notes])
