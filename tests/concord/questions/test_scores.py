"""Questions of a project: answers read back with their wording, the rows of command and page, and what the Workbench shows."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi import FastAPI
from starlette.middleware.sessions import SessionMiddleware

from agreement import Options
from agreement.questions import beside_people, scores
from concord.error_analysis.failures import failing_raters
from concord.questions import scores as questions_scores
from concord.scope import open_scope
from data.jobs.runs import Observation, Run
from data.prompts.questions import PromptQuestion
from data.records import Image, Prompt, Rater, image_item
from data.selection import Selection
from data.store import imports, runs
from data.store import library as stored
from data.store.analysis import study_frames
from data.store.core.store import Store
from data.store.imports import ImportBundle
from scorers.questions import tifa
from scorers.questions.rules import AnsweredQuestion, payload_of
from tests.ui import explore_project, question_project
from tests.ui.explore_project import HOSTILE, table
from tests.ui.http_visitor import World
from tests.ui.question_project import SUITE, VQA, WEAK, mostly, sometimes
from tests.ui.small_project import concord, done
from ui.pages.failures import resolved_view
from ui.pages.failures.drawing import Drawing
from ui.pages.failures.questions import question_choices
from ui.pages.failures.questions import questions_picture as shown
from ui.pages.failures.view import SEEN, FailuresView
from ui.shell.html import rendered
from ui.web.api import form
from ui.web.api import inspection as inspection_api

TRUTH = mostly(0.6)
QUICK = Options()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eighteen pictures of six prompts by three generators; two models have answered, ann and ben about half of them."""
    project = question_project.project(tmp_path_factory.mktemp("asked"))
    with Store(project) as store:
        question_project.answer(store, VQA, sometimes(TRUTH, mostly(0.2, 5), 0.2))
        question_project.answer(store, WEAK, sometimes(TRUTH, mostly(0.2, 6), 0.6))
        half = question_project.items(store)[::2]
        for who, seed in (("ann", 1), ("ben", 2)):
            question_project.say(store, who, sometimes(TRUTH, mostly(0.5, 9), 0.1, seed), half)
    return project


@pytest.fixture
def store(template: Path, tmp_path: Path) -> Iterator[Store]:
    with Store(shutil.copytree(template, tmp_path / "project")) as store:
        yield store


@pytest.fixture(scope="module")
def standing(template: Path) -> Iterator[Store]:
    """For tests that leave nothing behind."""
    with Store(template) as store:
        yield store


def reworded(store: Store, item: str) -> PromptQuestion:
    """The first question about an image's prompt in other words, the others as they were; returns what it was."""
    first, *others = question_project.asked(store, item).questions
    prompt_id = item.rsplit("/", 2)[0]
    now = [replace(first, text=f"{first.text} (look well)"), *others]
    imports.apply(store, [ImportBundle("questions", "again", "again", questions={prompt_id: now})])
    return first


# ---- what is read back
def test_a_models_answers_come_back_as_they_were_given(standing: Store) -> None:
    frame = study_frames.scorer_answers(standing, Selection(suite=(SUITE,), rater=(VQA,)))
    values = []
    for item in question_project.items(standing):
        for question in question_project.asked(standing, item).questions:
            chosen = sometimes(TRUTH, mostly(0.2, 5), 0.2)(item, question)
            place = (VQA, item, item.rsplit("/", 2)[0], item.split("/")[-2])
            values.append(
                (*place, question.question_id, question.element_type, question.element, question.answer, chosen, question.text)
            )
    names = ["rater", "item", "prompt", "generator", "question", "element_type", "element", "answer", "chosen", "text"]
    assert [tuple(row) for row in frame[names].to_numpy().tolist()] == values
    assert set(frame["source"]) == {"single_object", "two_object", "counting", "colors", "position", "color_attr"}
    assert set(study_frames.scorer_answers(standing, Selection(generator=("beta",), task=("colors",)))["item"]) == {
        item for item in frame.loc[frame["source"] == "colors", "item"] if "/beta/" in item
    }
    assert study_frames.raters(standing) == {SUITE: [VQA, WEAK]}
    # a scorer that answers nothing is none
    assert study_frames.scorer_answers(standing, Selection(rater=("nobody",))).empty


def test_the_first_run_counts_and_broken_answers_do_not(store: Store) -> None:
    item = question_project.items(store)[0]
    before = study_frames.scorer_answers(store, Selection())
    question_project.answer(store, VQA, lambda _, question: question.choices[-1], [item], "0009-again")
    assert study_frames.scorer_answers(store, Selection()).equals(before)
    good = {"question_id": "q", "text": "t", "choices": ["yes", "no"], "answer": "yes", "chosen": "no"}
    odd: list[Any] = [
        good,
        good | {"chosen": "yes"},
        5,
        None,
        {},
        good | {"question_id": None},
        good | {"question_id": "r", "choices": {}},
    ]
    seen = [
        Observation(item, {"version": 1, "answers": odd}),
        Observation(question_project.items(store)[1], {"answers": "none"}),
    ]
    seen.append(Observation(question_project.items(store)[2], {"answers": [good]}, failed="the file is broken"))
    _bare(store, "odd", seen)
    frame = study_frames.scorer_answers(store, Selection(rater=("odd",)))
    assert frame[["question", "chosen", "element_type"]].to_numpy().tolist() == [["q", "no", ""], ["r", "no", ""]]
    assert study_frames.raters(store)[SUITE] == ["odd", VQA, WEAK]


def _bare(store: Store, rater: str, seen: list[Observation]) -> None:
    """Evidence from elsewhere, which its scorer could not judge."""
    run = Run(f"0008-{rater}", tifa.TIFA.name, "1", "playground", {})
    runs.add_run(store, run, Rater(rater, "scorer", None, "1", {}), f"runs/{run.run_id}", len(seen))
    runs.ingest(store, run.run_id, 0, [(observation, ()) for observation in seen], "tifa-1")


def test_people_meet_a_model_only_in_the_same_words(store: Store) -> None:
    item = question_project.items(store)[0]
    first = reworded(store, item)
    assert question_project.asked(store, item).number == 2
    question_project.say(store, "cyd", lambda _, question: question.answer, [item])
    frame = study_frames.person_answers(store, Selection())
    mine = frame[(frame["item"] == item) & (frame["question"] == first.question_id)].set_index("person")["wording"]
    theirs = study_frames.wordings(store, item, VQA)
    assert mine["ann"] == mine["ben"] == theirs[first.question_id]
    assert mine["cyd"] != theirs[first.question_id]
    other = frame[(frame["item"] == item) & (frame["question"] != first.question_id)]
    assert other["wording"].tolist() == [theirs[name] for name in other["question"]]
    assert set(other["person"]) == {"ann", "ben", "cyd"}
    about = {(answer.question, answer.person): answer.wording for answer in study_frames.answers_about(store, item)}
    assert about[first.question_id, "cyd"] == mine["cyd"]
    # whoever scores now is asked the new words, and meets cyd
    question_project.answer(store, "late", lambda _, question: question.answer, [item])
    assert study_frames.wordings(store, item, "late")[first.question_id] == mine["cyd"]
    states = questions_scores.answers_beside_people(store, SUITE, "", "late").set_index("question")["votes"]
    assert states[first.question_id] == 1
    assert questions_scores.mixed_texts(store, SUITE, VQA) == 0
    question_project.answer(store, VQA, TRUTH, [], "0011-none")
    pairs = [row for row in questions_scores.recall_models(store, SUITE, "") if (row.rater, row.other) == ("late", VQA)]
    assert [(pair.statistic, pair.n, pair.excluded["other_version"]) for pair in pairs][:1] == [("spearman", 0, 1)]


def test_texts_that_were_asked_differently_are_counted(store: Store) -> None:
    one, other, _ = (item for item in question_project.items(store) if item.startswith(f"{SUITE}/00000/"))
    question_project.answer(store, "slow", TRUTH, [one])
    reworded(store, one)
    question_project.answer(store, "slow", TRUTH, [other], "0010-slow")
    assert questions_scores.mixed_texts(store, SUITE, "slow") == 1
    told = unescape(rendered(shown(store, view(store, rater="slow")).notes))
    assert "Of 1 text not all images was asked the same questions" in told


def test_what_does_not_count_says_why(store: Store) -> None:
    item = question_project.items(store)[1]
    question_project.say(store, "eve", TRUTH, [item], saw_evidence=True)
    question_project.say(store, "fay", lambda *_: "cannot_tell", [item])
    frame = study_frames.person_answers(store, Selection())
    why = frame[frame["item"] == item].groupby("person")["excluded"].first().to_dict()
    assert why == {"eve": "saw_evidence", "fay": "cannot_tell"}
    rows = frame[(frame["person"] == "fay")]
    assert rows["label"].isna().all()
    (row,) = (entry for entry in questions_scores.recall_people(store, SUITE, "")[1] if (entry.rater, entry.by) == (VQA, "all"))
    wrong = questions_scores.answers_beside_people(store, SUITE, "", VQA)
    wrong = wrong[(wrong["item"] == item) & (wrong["answer"] != wrong["chosen"])]
    assert row.apart["cannot_tell"] == len(wrong)


def test_imitations_are_never_mixed_with_people(store: Store) -> None:
    before = questions_scores.recall_people(store, SUITE, "")
    question_project.say(store, "simulated Zoe", lambda _, question: question.choices[-1], question_project.items(store))
    after = questions_scores.recall_people(store, SUITE, "")
    assert [row for row in after[0] if row.people == "real"] == before[0]
    assert [row for row in after[1] if row.people == "real"] == before[1]
    assert {row.people for row in after[0]} == {row.people for row in after[1]} == {"real", "simulated"}
    html = rendered(shown(store, view(store, picture="people")).numbers)
    assert "simulated people" in table(html, "VQA models beside people")[VQA]


# ---- the rows
def test_rows_are_those_of_the_statistics(standing: Store) -> None:
    statistics = questions_scores.question_statistics(standing, Selection(), "photos", QUICK)
    answers, judgements = study_frames.scorer_answers(standing, Selection()), study_frames.person_answers(standing, Selection())
    sections = questions_scores.statistics_json(statistics, "photos")
    expected = [score.outcome.value for score in scores(answers, QUICK, "photos")]
    assert [row.value for row in statistics.scores] == expected
    assert [row.value for row in statistics.people] == [
        person.outcome.value for person in beside_people(answers, judgements, QUICK)
    ]
    assert {row["generator"] for row in sections["scores"] if row["reference"]} == {"photos"}
    assert [(row.rater, row.statistic) for row in statistics.models] == [(VQA, "spearman"), (VQA, "same_answers")]
    json.dumps(sections, allow_nan=False)
    row = next(row for row in statistics.scores if row.statistic == "accuracy" and row.group == "color")
    assert (row.suite, row.by, row.unit) == (SUITE, "element_type", "questions")
    assert row.n == row.n_questions >= row.n_items >= row.n_prompts
    # one generator beside the reference
    only = questions_scores.question_statistics(standing, Selection(generator=("alpha",), rater=(WEAK,)), "photos", QUICK)
    assert {(row.rater, row.generator) for row in only.scores} == {(WEAK, "alpha"), (WEAK, "photos")}
    assert questions_scores.question_statistics(standing, Selection(suite=("other",))).scores == []


def test_the_command_prints_the_same(template: Path, standing: Store, tmp_path: Path) -> None:
    statistics = questions_scores.question_statistics(standing, Selection(), None, Options(intervals=False))
    sections = questions_scores.statistics_json(statistics)
    project = shutil.copytree(template, tmp_path / "project")
    document = json.loads(done(project, "vqa", "--no-intervals", "--format", "json"))
    assert {name: document[name] for name in sections} == sections
    assert (document["reference"], document["selection"]) == (None, {})
    printed = done(project, "vqa", "--no-intervals", "--reference", "photos", "--generator", "alpha").splitlines()
    assert printed[0] == f"{SUITE}: Scores of generators"
    assert any("tifa_less_reference" in line for line in printed)
    assert any("krippendorff_alpha_nominal" in line for line in printed)
    (split,) = (row for row in statistics.splits if (row.rater, row.by) == (VQA, "all"))
    assert split.wrong == split.image_wrong + split.vqa_wrong + sum(split.apart.values())
    assert [*split.apart] == ["undecided", "cannot_tell", "other_version", "not_asked"]
    unknown = concord(project, "vqa", "--reference", "nobody", "--no-intervals")
    assert (unknown.status, unknown.err.splitlines()[-1].split(":")[0]) == (0, "--reference nobody")
    assert (
        concord(project, "vqa", "--generator", "other").out
        == "no scorer has answered questions about images of this selection\n"
    )
    assert concord(project, "vqa", "--aspect", "answer").status == 2


# ---- the page
def view_of(store: Store, values: Mapping[str, str]) -> FailuresView:
    asked = FailuresView.read(lambda name: [values[name]] if name in values else [])
    opened = open_scope(store, asked.scope)
    if opened is None:
        return asked
    return resolved_view(store, opened, asked, failing_raters(store, opened.scope.suite))[0]


def view(store: Store, **asked_for: str) -> FailuresView:
    return view_of(store, {"suite": SUITE, "picture": "types", **asked_for})


def test_each_picture_shows_the_rows(standing: Store) -> None:
    rows = questions_scores.recall_scores(standing, SUITE, "", "photos")
    for see, by, caption, statistic in (
        ("types", "element_type", "Right answers by element type", "accuracy"),
        ("sources", "source", "TIFA by text source", "tifa"),
        ("entities", "entities", "TIFA by number of entities", "tifa"),
    ):
        made = shown(standing, view(standing, picture=see, reference="photos"))
        lines = table(rendered([made.numbers, made.notes]), caption)
        mine = [row for row in rows if (row.rater, row.statistic) == (VQA, statistic) and row.by in (by, "all")]
        for generator, k in (("alpha", 0), ("beta", 1), ("photos", 2)):
            fields = {row.group.replace("_", " "): f"{row.value:.3f}" for row in mine if row.generator == generator}
            assert {name: cells[k] for name, cells in lines.items() if name in fields} == fields
        legend = rendered(made.figure).partition("</p>")[0]
        assert re.findall(r"</i>([^<]*)<", legend) == ["alpha", "beta", "photos (reference)"]
        assert legend.count("is-reference") == 1
    assert "photos, the reference," in rendered(made.lead)
    people, split = questions_scores.recall_people(standing, SUITE, "")
    made = shown(standing, view(standing, picture="people"))
    accuracy = next(row for row in people if (row.statistic, row.rater) == ("vqa_accuracy", VQA))
    assert table(rendered([made.numbers, made.notes]), "VQA models beside people")[VQA][1] == f"{accuracy.value:.3f}"
    # of the prompt and the question, each beside that of passing all; only a judge gives reasons
    biases = {row.statistic: row for row in people if row.rater == VQA and "length_bias" in row.statistic}
    assert biases["length_bias_question"].n == accuracy.n
    assert (biases["length_bias_reason"].n, biases["length_bias_reason"].excluded["no_length"]) == (0, accuracy.n)
    lengths = [f"{row.value:.3f}" for name, row in biases.items() if name != "length_bias_reason"]
    assert table(rendered([made.numbers, made.notes]), "Length bias")[VQA][1:5] == lengths
    whole = next(row for row in split if (row.rater, row.by) == (VQA, "all"))
    assert table(rendered([made.numbers, made.notes]), "Whose fault wrong answers are")["all"][:3] == [
        f"{whole.counts[name]:,}" for name in ("wrong", "image_wrong", "vqa_wrong")
    ]
    bars = rendered(made.figure).split('class="cc-share-bar"')[1:]
    sums = [sum(map(float, re.findall(r"flex-basis:([\d.]+)%", bar))) for bar in bars]
    assert sums == pytest.approx([100.0] * len(bars), abs=0.02)
    made = shown(standing, view(standing, picture="models"))
    pair, _ = questions_scores.recall_models(standing, SUITE, "")
    caption = "Scores per image: do two models put images in the same order?"
    assert table(rendered([made.numbers, made.notes]), caption)[VQA][1] == f"{pair.value:.3f}"
    assert "differ most" in rendered(made.listed)


@pytest.mark.parametrize("see", SEEN)
def test_every_number_leads_to_what_is_behind_it(standing: Store, see: str) -> None:
    made = shown(standing, view(standing, picture=see))
    addresses = [unescape(part.split('"')[0]) for part in rendered([made.numbers, made.notes]).split('href="')[1:]]
    own = [address for address in addresses if "/failures?" in address]
    assert own
    for address in own:
        asked_for = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        led = view_of(standing, asked_for)
        # what an address asks for is there
        assert {name: str(getattr(led, name)) for name in asked_for} == asked_for | {"suite": SUITE}
    if see in ("types", "people"):
        wrong = questions_scores.answers_beside_people(standing, SUITE, "", VQA)
        wrong = wrong[(wrong["answer"] != wrong["chosen"]) & (wrong["element_type"] == "color")]
        listed = rendered(shown(standing, view(standing, picture=see, group="color")).listed)
        assert f"{len(wrong)} answer" in listed
        assert listed.count("<tr>") == len(wrong) + 1
        assert "image=" in listed


def test_the_lists_are_what_they_say(standing: Store) -> None:
    rows = questions_scores.answers_beside_people(standing, SUITE, "", VQA)
    (split,) = (
        entry for entry in questions_scores.recall_people(standing, SUITE, "")[1] if (entry.rater, entry.by) == (VQA, "all")
    )
    for name in ("image_wrong", "vqa_wrong", "not_asked"):
        listed = rendered(shown(standing, view(standing, picture="people", answers=name)).listed)
        assert f"{split.counts[name]:,} answer" in listed or f"of {split.counts[name]:,}." in listed
    right = rendered(shown(standing, view(standing, answers="right", whose="beta")).listed)
    n = int(((rows["answer"] == rows["chosen"]) & (rows["generator"] == "beta")).sum())
    assert f"of {n:,}." in right or f"{n:,} answers" in right
    different = int(((rows["state"] == "decided") & (rows["people"] != rows["chosen"])).sum())
    assert f"{different:,} answer" in rendered(shown(standing, view(standing, picture="people", answers="different")).listed)


def test_the_menus_follow_what_there_is(standing: Store) -> None:
    chosen = view_of(standing, {})
    assert (chosen.suite, chosen.rater, chosen.picture, chosen.answers, chosen.group) == (SUITE, VQA, "types", "wrong", "all")
    offered = question_choices(standing, chosen)
    assert failing_raters(standing, SUITE) == [VQA, WEAK]
    assert [*offered["reference"]] == ["all", "alpha", "beta", "photos"]
    assert not offered["against"]
    assert [*question_choices(standing, replace(chosen, picture="models"))["against"]] == [WEAK]
    # in another picture nothing of this is in the way
    assert question_choices(standing, replace(chosen, picture="flips")) == {}
    assert "reference" not in replace(chosen, picture="flips", reference="photos").address()
    alone = view(standing, task="colors")
    assert {row.group for row in questions_scores.recall_scores(standing, SUITE, "colors", "") if row.by == "source"} == {
        "colors"
    }
    assert "texts of colors alone" in shown(standing, alone).lead


def test_what_is_missing_is_taught(store: Store, tmp_path: Path) -> None:
    with Store(tmp_path / "empty") as empty:
        made = shown(empty, view_of(empty, {"picture": "types"}))
        assert isinstance(made, Drawing)
        assert "score tifa" in rendered([made.numbers, made.notes])
        assert "import questions --from-specs" in rendered([made.numbers, made.notes])
    with store.read() as cursor:
        cursor.execute("delete from judgements where aspect = 'answer' and rater_id in ('ann', 'ben')")
    made = shown(store, view(store, picture="people"))
    assert "campaigns create questions --questionnaire tifa_vqa" in rendered([made.numbers, made.notes])
    assert made.figure is None
    assert "not asked" not in rendered(made.lead)
    with store.read() as cursor:
        cursor.execute("delete from evidence where rater_id = ?", [WEAK])
    made = shown(store, view(store, picture="models"))
    assert "score tifa --profile blip" in rendered([made.numbers, made.notes])
    assert made.figure is None


def test_dsgs_own_rule_is_named(store: Store) -> None:
    item = question_project.items(store)[0]
    now = question_project.asked(store, item)
    questions = [AnsweredQuestion(question, question.answer) for question in now.questions if question.is_yes_no]
    explore_project.add_run(
        store, "0007-dsg", "dsg", [Observation(item, payload_of(now.number, questions))], {item: {}}, tifa.DSG
    )
    assert "Its own score counts an answer only if" in rendered(shown(store, view(store, rater="dsg")).notes)
    assert "Its own score" not in rendered(shown(store, view(store, rater=VQA)).notes)


def test_hostile_texts_stay_texts(store: Store) -> None:
    prompt = Prompt("geneval/99999", SUITE, HOSTILE, HOSTILE, {})
    image = Image(prompt.prompt_id, HOSTILE, 0)
    asking = PromptQuestion(HOSTILE, HOSTILE, (HOSTILE, "no"), "no", "color", HOSTILE)
    bundle = ImportBundle(
        "images", "h", "h", [prompt], [image], [image_item(image, prompt)], questions={prompt.prompt_id: [asking]}
    )
    imports.apply(store, [bundle])
    item = image.image_id
    assert stored.current_questions_of_items(store, [item])
    for rater in (HOSTILE, f"{HOSTILE} 2"):
        question_project.answer(store, rater, lambda *_: HOSTILE, [item], f"0006-{len(rater)}")
    question_project.say(store, f"{HOSTILE} person", lambda *_: HOSTILE, [item])
    for see in SEEN:
        made = shown(store, view(store, rater=HOSTILE, picture=see, reference=HOSTILE))
        whole = rendered(made.lead) + rendered([made.numbers, made.notes]) + rendered(made.listed)
        assert "<img src=x" not in whole
        assert escape(HOSTILE) in whole
        assert "<img src=x" not in rendered(made.figure)


# ---- the Workbench
def workbench(store: Store, folder: Path) -> World:
    app = FastAPI()
    for router in (form.router, inspection_api.router):
        app.include_router(router(store))
    app.add_middleware(SessionMiddleware, secret_key=store.secret)
    return World(store, app, folder)


def test_the_workbench_tells_of_questions_when_it_may(store: Store, tmp_path: Path) -> None:
    item = question_project.items(store)[0]
    first = reworded(store, item)
    question_project.say(store, "cyd", lambda _, question: question.answer, [item])
    client = workbench(store, tmp_path).person("zoe")
    for route in ("item", "evidence", "task"):
        covered = client.get(f"/api/studio/{route}", params={"id": item}).text
        assert VQA not in covered
        assert "probabilities" not in covered
    sights = client.post("/api/studio/uncover", json={"id": item}).json()["scorers"]
    (sight,) = (sight for sight in sights if sight["rater"] == VQA)
    assert sight["score"]["value"] == pytest.approx(
        sum(entry["right"] for entry in sight["questions"]) / len(sight["questions"])
    )
    fields = {entry["id"]: entry for entry in sight["questions"]}
    assert list(fields) == [question.question_id for question in question_project.asked(store, item).questions]
    entry = fields[first.question_id]
    assert (entry["text"], entry["choices"], entry["answer"]) == (first.text, list(first.choices), first.answer)
    assert sum(entry["probabilities"]) == pytest.approx(1)
    assert entry["chosen"] == entry["choices"][entry["probabilities"].index(max(entry["probabilities"]))]
    people = {said["rater"]: said for said in entry["people"]}
    assert {name: person["other"] for name, person in people.items()} == {"ann": False, "ben": False, "cyd": True}
    assert people["cyd"] == {"rater": "cyd", "simulated": False, "says": first.answer, "why": None, "other": True}
    last = [*fields.values()][-1]
    assert {said["rater"]: said["other"] for said in last["people"]}["cyd"] is False


def test_evidence_from_elsewhere_cannot_break_the_workbench(store: Store, tmp_path: Path) -> None:
    item = question_project.items(store)[0]
    good = {"question_id": "q", "text": "t", "choices": ["a", "b"], "answer": "a", "chosen": "b"}
    odd = [good | {"probabilities": [7, "x"], "free": 5, "similarity": "high", "matched": None}, 5, {"question_id": "x"}]
    why = "its reply names none of the choices: 'hm'"
    left = [{key: value for key, value in good.items() if key != "chosen"} | {"failed": why, "question_id": "r"}, {"failed": 3}]
    _bare(store, "odd", [Observation(item, {"answers": odd, "unanswered": left})])
    client = workbench(store, tmp_path).person("zoe")
    sights = client.post("/api/studio/uncover", json={"id": item}).json()["scorers"]
    (sight,) = (sight for sight in sights if sight["rater"] == "odd")
    assert sight["unknown"]
    entry, unanswered = sight["questions"]
    assert (unanswered["id"], unanswered["right"], unanswered["failed"]) == ("r", None, why)
    assert (entry["probabilities"], entry["free"], entry["similarity"], entry["right"], entry["counts"]) == (
        None,
        None,
        None,
        False,
        False,
    )
