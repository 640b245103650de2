"""Campaigns without Gradio: from a wish to a plan, known answers, pace, people and cases."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from annotation.questionnaires import ab, geneval, registry
from concord.campaigns import adjudication, annotators, known_answers, planning
from concord.campaigns.adjudication import DisagreementSide, RaterValue
from concord.campaigns.annotators import CampaignTopic
from concord.campaigns.planning import CampaignPlan
from concord.campaigns.progress import all_progress, answer_pace, describe_finding, describe_plan, progress_of
from concord.campaigns.spec import CampaignSpec, campaign_spec
from concord.form.item_form import item_form
from concord.new_campaigns.drafting import PRESETS
from data.campaigns.settings import Settings
from data.files import InputError
from data.prompts.questions import questions_from_spec
from data.refusals import CampaignRefused
from data.remarks import Adjudication
from data.selection import Selection
from data.spec import parse_spec
from data.store import imports
from data.store.campaign_items import AnnotationTask, read_tasks
from data.store.campaigns import management
from data.store.campaigns.monitoring import Effort, Hour
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import recording
from data.store.library import item_subjects
from tests.data.store.small_campaign import NAME, give, start
from tests.data.store.small_project import fill
from tests.ui import small_project as files
from tests.ui.http_visitor import COW, World, first, saying

NOW = datetime(2026, 1, 2, 12, 30, tzinfo=UTC)
CORRECT = CampaignTopic("geneval", "correct")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two generators' images of two prompts, two each."""
    project = tmp_path / "project"
    for name in ("one", "two"):
        images = files.geneval_folder(tmp_path / name)
        files.done(project, "import", "images", images, "--layout", "geneval", "--generator", name)
    with Store(project) as made:
        yield made


def ordinary(made: planning.CampaignPlan, sampling: str | None = None) -> list[str]:
    return [item.item_id for item in made.items if item.role == "ordinary" and sampling in (None, item.sampling)]


def test_a_wish_from_names_and_all_that_is_wrong_at_once() -> None:
    made = campaign_spec({"id": "x", "suite": "s", "n": 5, "pass_mark": "0.8", "limit": 3, "title": None})
    assert (made.campaign_id, made.suite, made.n, made.settings.pass_mark, made.settings.limit) == ("x", ("s",), 5, 0.8, 3)
    with pytest.raises(InputError) as error:
        campaign_spec({"overlapp": 3, "n": "many", "gold_feedback": 1, "items": [1]}, "f.yaml")
    assert error.value.problems == (
        "f.yaml: a campaign has no 'overlapp'; did you mean overlap?",
        "f.yaml: items: '[0]' is 1, a text expected",
        "f.yaml: n: found 'many', a whole number expected",
        "f.yaml: gold_feedback: found 1, true or false expected",
    )
    with pytest.raises(InputError, match="the campaign: limit must be 1 or more, got 0"):
        campaign_spec({"limit": 0})
    with pytest.raises(InputError, match="n: found True, a whole number expected"):
        campaign_spec({"n": True})


def test_what_is_drawn_and_what_is_picked(store: Store) -> None:
    made = planning.plan_campaign(store, CampaignSpec("c", n=3, seed=1, generator=("one",)))
    assert (len(ordinary(made, "random")), made.available, made.answers) == (3, 4, 9)
    assert planning.plan_campaign(store, CampaignSpec("c", n=3, seed=1, generator=("one",))).items == made.items
    every = [f"geneval/0000{prompt}/one/{n}" for prompt in (0, 1) for n in (0, 1)]
    (missing,) = set(every) - set(ordinary(made))
    also = planning.plan_campaign(store, CampaignSpec("c", n=3, seed=1, generator=("one",), also=(missing, ordinary(made)[0])))
    assert ordinary(also, "selected") == [missing]
    assert len(ordinary(also)) == 4
    listed = planning.plan_campaign(store, CampaignSpec("c", items=("geneval/00001/one/1", "geneval/00000/two/0")))
    assert ordinary(listed, "selected") == ["geneval/00001/one/1", "geneval/00000/two/0"]
    fixed = planning.plan_campaign(store, campaign_spec({"id": "c", "order": "fixed", "seed": 3}))
    assert ordinary(fixed) == sorted(ordinary(fixed))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"n": 99}, "99 images are requested, but only 8 are available"),
        ({"suite": "nothing"}, "no images with files fit this selection"),
        ({"items": ["nothing", "more"]}, "there is no item 'nothing' and 1 more in this project"),
        ({"questionnaire": "genevall"}, "did you mean geneval?"),
        ({"questionnaire": "ab", "generator": ["one"]}, "pairs are of two generators: name both, got 1"),
        ({"questionnaire": "tifa_likert", "items": ["geneval/00000/one/0"]}, None),
        ({"questionnaire": "ab", "items": ["geneval/00000/one/0"]}, "'ab' cannot ask about 1 of 1 items"),
        ({"check_every": 5}, "no gold or attention image is given"),
        ({"pass_mark": 0.5}, "no training image is given"),
        ({"definition": "name: x"}, "questions"),
        ({"id": "Not An Id"}, "a campaign's id has lower-case letters"),
    ],
)
def test_what_cannot_be_is_said(store: Store, given: dict[str, object], says: str | None) -> None:
    if says is None:
        planning.plan_campaign(store, campaign_spec({"id": "c"} | given))
        return
    with pytest.raises(ValueError, match=says.replace("?", r"\?")):
        planning.plan_campaign(store, campaign_spec({"id": "c"} | given))


def test_a_questionnaire_without_its_questions_names_the_command(store: Store) -> None:
    with pytest.raises(CampaignRefused, match=r"'tifa_vqa' cannot ask about 8 of 8 .*import questions --from-specs"):
        planning.plan_campaign(store, CampaignSpec("c", questionnaire="tifa_vqa"))
    assert management.listed(store) == []


def test_groups_and_pairs_are_made_only_for_what_is_drawn(store: Store) -> None:
    groups = planning.make_campaign(store, CampaignSpec("g", questionnaire="tifa_likert", n=1))
    assert (groups.available, len(ordinary(groups))) == (4, 1)
    assert [item.item_id for item in management.items(store, "g")] == ordinary(groups)
    # the only two generators are the two
    pairs = planning.make_campaign(store, CampaignSpec("p", questionnaire="ab", task=("colors",)))
    assert (pairs.pair, len(ordinary(pairs))) == (("one", "two"), 2)
    with store.read() as cursor:
        kinds = cursor.execute("select kind, count(*) from items group by kind order by kind").fetchall()
    assert kinds == [("group", 1), ("image", 8), ("pair", 2)]
    assert planning.plan_campaign(store, CampaignSpec("x", questionnaire="ab", generator=("two", "one"))).pair == ("two", "one")


def test_a_campaign_is_made_once_and_a_preview_makes_nothing(store: Store) -> None:
    planning.plan_campaign(store, CampaignSpec("c", questionnaire="ab"))
    assert management.listed(store) == []
    made = planning.make_campaign(store, CampaignSpec("c", title=" T "))
    assert (made.campaign.title, made.campaign.state, made.hours) == ("T", "draft", None)
    with pytest.raises(CampaignRefused, match="there is a campaign 'c' already"):
        planning.make_campaign(store, CampaignSpec("c", questionnaire="ab"))


def test_an_aspect_of_ones_own_keeps_its_scale(store: Store) -> None:
    def mood(*steps: str) -> str:
        return f"name: mine\nquestions:\n  - {{id: q, kind: likert, text: t, options: [{', '.join(steps)}], aspect: mood}}\n"

    with store.read() as cursor:
        cursor.execute("insert into scales (suite, aspect, scale) values ('geneval', 'mood', 'ordinal:low<high')")
    planning.plan_campaign(store, CampaignSpec("c", questionnaire="mine", definition=mood("low", "high")))
    with pytest.raises(CampaignRefused, match="'mine' judges mood on the scale ordinal:bad<good, and in geneval"):
        planning.plan_campaign(store, CampaignSpec("c", questionnaire="mine", definition=mood("bad", "good")))


KNOWN = json.dumps(
    [
        {"item": "geneval/00000/one/0", "role": "gold", "expected": {"count_0": 1}},
        {"item": "geneval/00001/one/0", "role": "training", "expected": {"caption_fit": {"any": [3, 4]}}},
    ]
)


def test_known_answers_leave_the_draw_and_cost_answers(store: Store) -> None:
    made = planning.plan_campaign(
        store, campaign_spec({"id": "c", "known": KNOWN, "check_every": 5, "pass_mark": 1.0, "overlap": 2})
    )
    roles = {item.item_id: item.role for item in made.items if item.role != "ordinary"}
    assert roles == {"geneval/00000/one/0": "gold", "geneval/00001/one/0": "training"}
    # 6 ordinary images, two people each, who meet the one check once each
    assert (made.answers, made.with_checks) == (12, 14)
    with pytest.raises(CampaignRefused, match="mixed in only with check_every"):
        planning.plan_campaign(store, campaign_spec({"id": "c", "known": KNOWN}))


def test_known_answers_as_a_table(store: Store) -> None:
    text = (
        "item,role,count_0,color_0,blank_image\r\n"
        "geneval/00001/one/0,gold,2,red|blue,\n"
        'geneval/00001/one/1,attention,"{""any"": [1, 2]}",,\n'
        "geneval/00000/one/1,gold,,,yes\n"
    )
    rows = known_answers.read_known_answers(text)
    made = known_answers.check_known_answers(geneval.FORM, rows, item_subjects(store, [row.item_id for row in rows]))
    assert [item.expected for item in made] == [
        {"count_0": 2, "color_0": ["red", "blue"]},
        {"count_0": {"any": [1, 2]}},
        {"blank_image": "yes"},
    ]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("nowhere,gold,1,", "there is no item 'nowhere'"),
        ("geneval/00001/one/0,golden,1,", "role is one of gold, attention, training, got 'golden'"),
        ("geneval/00001/one/0,ordinary,1,", "role is one of"),
        (
            "geneval/00001/one/0,gold,7,",
            "count_0: '7' cannot be an expected answer. Please choose one of the answers",
        ),
        ("geneval/00001/one/0,gold,1,mauve", "'mauve' is not one of them"),
        ("geneval/00001/one/0,gold,0,red", "color_0 is not shown to people who give the expected answers to count_0"),
        ("geneval/00001/one/0,gold,,", "no answer is given"),
        ('geneval/00001/one/0,gold,"{""any"": []}",', "several right answers are written"),
        ("geneval/00001/one/0,gold,{,", "is no JSON"),
        ("geneval/00001/one/0,gold,1", "4 columns expected"),
    ],
)
def test_each_line_that_is_wrong_is_named(store: Store, line: str, says: str) -> None:
    text = f"item,role,count_0,color_0\ngeneval/00000/one/0,gold,1,\n{line}\n"

    def read() -> None:
        rows = known_answers.read_known_answers(text)
        known_answers.check_known_answers(geneval.FORM, rows, item_subjects(store, [row.item_id for row in rows]))

    with pytest.raises(InputError) as error:
        read()
    assert len(error.value.problems) == 1
    assert error.value.problems[0].startswith("the known answers, line 3: ")
    assert says in error.value.problems[0]


def test_files_that_hold_no_questions_are_refused(store: Store) -> None:
    for text in ("{", "{}", "[1]", "a,b\n1,2\n", "item,role\nx,gold\n", "[]", '[{"item": 1, "role": "gold", "expected": {}}]'):
        with pytest.raises(InputError):
            known_answers.read_known_answers(text)
    assert known_answers.read_known_answers(" \n") == []
    twice = json.dumps([{"item": "geneval/00000/one/0", "role": "gold", "expected": {"count_0": n}} for n in (1, 2)])
    with pytest.raises(InputError, match="entry 2: item 'geneval/00000/one/0' is listed twice"):
        planning.plan_campaign(store, campaign_spec({"id": "c", "known": twice, "check_every": 2}))
    objects = json.dumps([{"item": "geneval/00000/one/0", "role": "gold", "expected": {"objects": "cow"}}])
    with pytest.raises(InputError, match="free text has no single correct answer"):
        planning.plan_campaign(store, campaign_spec({"id": "c", "known": objects, "check_every": 2}))


def test_no_side_can_be_expected_of_a_pair(store: Store) -> None:
    (pair, *_) = planning.make_campaign(store, CampaignSpec("p", questionnaire="ab")).items

    def expecting(answer: str) -> list[known_answers.KnownAnswerRow]:
        (question,) = [question.id for question in ab.FORM.build(ab.FORM.example).questions]
        return [known_answers.KnownAnswerRow("entry 1", pair.item_id, "gold", {question: answer}, texts=False)]

    results = item_subjects(store, [pair.item_id])
    assert known_answers.check_known_answers(ab.FORM, expecting("both"), results)[0].expected
    with pytest.raises(InputError, match="which side differs from person to person"):
        known_answers.check_known_answers(ab.FORM, expecting("left"), results)


def test_the_pace_is_that_of_the_last_day() -> None:
    def hours(*ago: tuple[int, int]) -> list[Hour]:
        return [Hour(NOW.replace(minute=0) - timedelta(hours=n), valid + 1, valid) for n, valid in ago]

    assert answer_pace([], 10, NOW).per_hour is None
    # nothing that counts
    assert answer_pace(hours((2, 0)), 10, NOW).per_hour is None
    # the first came up to 2.5 hours ago: 10 answers in 2.5 hours, 20 are left
    pace = answer_pace(hours((2, 4), (0, 6)), 20, NOW)
    assert (pace.n, pace.per_hour, pace.hours_left) == (10, 4.0, 5.0)
    # never over less than an hour, never more than a day
    assert answer_pace(hours((0, 6)), 0, NOW) == answer_pace(hours((0, 6)), -3, NOW)
    assert answer_pace(hours((0, 6)), 0, NOW).per_hour == 6
    assert answer_pace(hours((30, 500), (24, 48)), 48, NOW).per_hour == 2


def tasks_of(store: Store, item_id: str) -> list[AnnotationTask]:
    with store.read() as cursor:
        return [*read_tasks(cursor, [item_id]).values()]


def answered(world: World, **people_say: str) -> Store:
    """A running campaign in which people say y or n of the cow in four images, in the order of ids."""
    store = world.store
    planning.make_campaign(
        store, campaign_spec({"id": "c", "title": "C", "overlap": 3, "order": "fixed", "n": 2, "suite": ["geneval"], "seed": 1})
    )
    management.move(store, "c", "running")
    ids = [item.item_id for item in management.items(store, "c")]
    campaign = management.get(store, "c")
    assert campaign
    for name, text in people_say.items():
        for item_id, letter in zip(ids, text, strict=False):
            (task,) = tasks_of(store, item_id)
            answers = COW | {"count_0": 1 if letter == "y" else 0, "color_0": ["red"]}
            made = item_form(store, campaign, task, name).annotation(
                name, answers, annotation_id=str(uuid.uuid4()), active_seconds=20.0
            )
            give(store, "c", item_id, name)
            recording.submit(store, made)
    return store


def test_a_campaign_as_it_stands(world: World) -> None:
    store = answered(world, ann="yn", bob="yy")
    progress = progress_of(store, "c")
    assert progress
    assert (progress.coverage.answers, progress.coverage.wanted, progress.pace.n) == (4, 6, 4)
    assert progress.pace.per_hour == pytest.approx(4.0, abs=2.1)
    assert [progress.campaign.campaign_id for progress in all_progress(store)] == ["c"]
    assert progress_of(store, "nobody") is None


def test_people_beside_the_others(world: World) -> None:
    store = answered(world, ann="yn", bob="yy", cyd="yn")
    campaign = management.get(store, "c")
    assert campaign
    topics = annotators.topics(store, campaign)
    assert topics[0] == CORRECT
    results = {
        annotator.worker.person: annotator for annotator in annotators.annotators_of(store, campaign, CORRECT, intervals=False)
    }
    assert set(results) == {"ann", "bob", "cyd"}
    agreement = results["ann"].agreement
    assert agreement
    assert (agreement.n_ratings, agreement.n_items) == (4, 2)
    speed, same = results["ann"].speed, results["ann"].sameness
    assert speed
    assert (speed.n, speed.seconds, speed.campaign) == (2, 20.0, 20.0)
    assert same
    assert results["ann"].flags == ()
    assert annotators.annotators_of(store, campaign, None)[0].agreement is None


def test_cases_and_their_verdicts(world: World) -> None:
    store = answered(world, ann="yn", bob="yy", cyd="yn")
    (case,) = adjudication.contested_cases(store, "c", CORRECT)
    assert case.disagreement == pytest.approx(2 / 3)
    assert (case.n, case.verdict) == (3, None)
    rater_values = adjudication.rater_values(store, "c", CORRECT, case.item, None)
    assert [(rater_value.rater, rater_value.value, rater_value.why) for rater_value in rater_values] == [
        ("ann", "no", None),
        ("bob", "yes", None),
        ("cyd", "no", None),
    ]
    assert adjudication.verdict_labels(store, CORRECT, rater_values) == ["yes", "no"]
    assert len(adjudication.verdict_labels(store, CampaignTopic("geneval", "caption_match"), [])) == 4

    def verdict(wrong: str, rater: str | None = None, says: str = "no") -> bool:
        made = Adjudication(str(uuid.uuid4()), case.item, "correct", wrong, says, "me", campaign_id="c", rater_id=rater)  # type: ignore[arg-type]
        return adjudication.write_verdict(store, made)

    with pytest.raises(ValueError, match="say which scorer was wrong"):
        verdict("scorer")
    with pytest.raises(ValueError, match="say what is right"):
        verdict("prompt", says="")
    assert verdict("prompt")
    assert verdict("person", "bob")
    # the latest counts
    (decided,) = adjudication.verdicts(store, "c")
    assert [(blame.wrong, blame.rater, blame.n) for blame in adjudication.blames([decided])] == [("person", "bob", 1)]
    assert adjudication.contested_cases(store, "c", CORRECT)[0].verdict == decided
    assert [case.key for case in adjudication.verdicts_against([decided], "person", "bob")] == [case.key]
    assert adjudication.verdicts_against([decided], "scorer", None) == []
    assert adjudication.suite_of(store, "c", case.item) == "geneval"


def test_who_stands_against_whom() -> None:
    def said(**labels: str) -> list[RaterValue]:
        kinds = {"s": "scorer", "t": "scorer", "i": "human"}
        return [RaterValue(name, kinds.get(name, "human"), name == "i", label, None) for name, label in labels.items()]

    def sides(**labels: str) -> list[tuple[str, str]]:
        def side(one: DisagreementSide) -> str:
            return f"{one.rater or one.wrong} {one.label} {one.n}/{one.of}"

        return [(side(one), side(other)) for one, other in adjudication.sides(said(**labels))]

    assert sides(ann="yes", bob="yes", s="yes") == []
    assert sides(ann="yes", bob="yes", s="no", t="yes") == [("s no 1/1", "person yes 2/2")]
    # a person alone is named; an imitation does not count among people
    assert sides(ann="3", i="4", s="2") == [("s 2 1/1", "ann 3 1/1")]
    assert sides(i="yes", s="no") == [("s no 1/1", "i yes 1/1")]
    assert sides(ann="yes", bob="no", cyd="no", s="yes") == [("s yes 1/1", "person no 2/3"), ("ann yes 1/3", "person no 2/3")]
    # where people are evenly split a scorer stands against nobody
    assert sides(ann="yes", bob="no", s="yes") == [("ann yes 1/2", "bob no 1/2")]
    assert sides(s="yes", t="no") == [("s yes 1/1", "t no 1/1")]


def test_whoever_opens_a_case_does_not_answer_blind_any_more(world: World) -> None:
    client = world.person("rosa")
    task = first(client)
    item = world.column(f"select item_id from items where public_id = '{task['ticket']}'")[0]
    adjudication.record_uncovering(world.store, "rosa", item)
    assert client.post("/api/submit", json=saying(task["ticket"])).json()["saved"]
    assert world.column("select saw_evidence from annotations where rater_id = 'rosa' and import_id is null") == [True]
    # who has answered before has answered blind
    answered_before = world.person("sam")
    task = first(answered_before)
    answered_before.post("/api/submit", json=saying(task["ticket"]))
    item = world.column(f"select item_id from items where public_id = '{task['ticket']}'")[0]
    adjudication.record_uncovering(world.store, "sam", item)
    assert world.column("select how from uncovered order by how") == ["answered", "asked"]


def checked_plan(store: Store, images: int, gold: int, **values: object) -> planning.CampaignPlan:
    """A plan with so many images and gold items, of a project that has them."""
    items = fill(store, images + gold)
    known = json.dumps([{"item": item, "role": "gold", "expected": {"correct": "yes"}} for item in items[images:]])
    return planning.plan_campaign(store, campaign_spec({"id": "c", "questionnaire": "yes_no", "known": known} | values))


def test_what_the_checks_of_each_preset_can_find_is_said_at_creation(tmp_path: Path) -> None:
    said = {}
    for name, images, gold in (("Pilot", 30, 20), ("Crowd", 300, 20), ("Lab", 200, 20)):
        with Store(tmp_path / name) as store:
            # what gold without check_every gets
            preset = {"check_every": 10} | {key: value for key, value in PRESETS[name].items() if value is not None}
            said[name] = [line for line in describe_plan(store, checked_plan(store, images, gold, **preset)) if "check" in line]
    # in the docs
    who, one = "each person meets about", "somebody wrong on 70% is paused with"
    everybody = "somebody who answers all images meets"
    assert said["Crowd"][-1] == f"{who} 14 checks; {one} 80%, on 50% with 24%"
    assert said["Lab"][-1] == f"{everybody} 20 checks; {one} 96%, on 50% with 45%"
    assert said["Pilot"][-2] == f"{everybody} 7 checks; {one} 34%, on 50% with 7%"
    assert said["Pilot"][-1].startswith("warning: 7 checks for each person are too few to find who guesses")


@pytest.mark.parametrize(
    ("images", "gold", "every", "limit", "planned", "came"),
    [(8, 6, 5, None, 35, 34), (10, 1, 5, None, 33, 33), (30, 10, 10, None, 110, 110), (30, 2, 5, 20, 100, 102)],
)
def test_as_many_answers_come_as_are_planned_where_everybody_goes_to_the_end(
    store: Store, images: int, gold: int, every: int, limit: int | None, planned: int, came: int
) -> None:
    with Store(store.project.parent / "checked") as other:
        settings = Settings(check_every=every, limit=limit)
        running = start(other, images, overlap=3, special=("gold",) * gold, settings=settings)
        made = management.get(other, NAME)
        assert made
        items = tuple(management.items(other, NAME))
        plan = CampaignPlan(made, registry.YES_NO, items, images, Selection(), None, Effort(None, 0), {})
        answers = [len(running.walk(f"p{n}")) for n in range(9)]
    assert (plan.answers, plan.with_checks, sum(answers)) == (3 * images, planned, came)


@pytest.mark.parametrize(
    ("gold", "limit", "n", "warned"),
    [(20, 60, 14, False), (10, 60, 10, False), (9, 60, 9, True), (20, 36, 10, False), (20, 28, 8, True)],
)
def test_fewer_than_ten_checks_are_warned_of(store: Store, gold: int, limit: int, n: int, warned: bool) -> None:
    with Store(store.project.parent / "checked") as other:
        plan = checked_plan(other, 100, gold, check_every=5, limit=limit)
    lines = describe_finding(plan)
    assert plan.checks_each == n
    assert (len(lines) == 2, lines[0].startswith(f"each person meets about {n} checks")) == (warned, True)


def test_without_checks_nothing_is_said_of_them(store: Store) -> None:
    assert describe_finding(planning.plan_campaign(store, campaign_spec({"id": "c"}))) == []


def test_tifas_questions_ask_two_people_about_the_images_that_have_some(store: Store) -> None:
    with pytest.raises(CampaignRefused, match="cannot ask about 8 of 8 items"):
        planning.plan_campaign(store, campaign_spec({"id": "c", "questionnaire": "tifa_vqa"}))
    (question,) = questions_from_spec(parse_spec({"include": [{"class": "cow", "count": 1}]}))[:1]
    imports.apply(store, [ImportBundle("questions", "some", "q", questions={"geneval/00000": (question,)})])
    plan = planning.plan_campaign(store, campaign_spec({"id": "c", "questionnaire": "tifa_vqa"}))
    # both generators' two images of the one prompt
    assert (plan.count("ordinary"), plan.unasked, plan.campaign.overlap) == (4, 4, 2)
    described = describe_plan(store, plan)
    assert "4 images left out: no questions are known for their prompts" in described
    assert "where the 2 differ, one person more is asked" in described
    # whoever wants another number says it, and other questionnaires ask three
    assert (
        planning.plan_campaign(store, campaign_spec({"id": "c", "questionnaire": "tifa_vqa", "overlap": 4})).campaign.overlap
        == 4
    )
    assert planning.plan_campaign(store, campaign_spec({"id": "c"})).campaign.overlap == 3
