"""What holds of every questionnaire: its keys, its checks, what its answers come to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agreement import Scale
from annotation.questionnaires import registry
from annotation.questionnaires.base import Questionnaire, check, key_problem, to_json, visible
from annotation.questionnaires.form import FormItem
from data.aspects import SCALES
from tests.annotation.questionnaires.forms import ALL, any_answers, good_answers, item_of

each = pytest.mark.parametrize("name", ALL)
quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
BUILT_IN = ("geneval", "tifa_likert", "tifa_vqa", "visor", "ab", "yes_no")


def test_the_registry_has_them_and_says_what_was_meant() -> None:
    assert tuple(registry.FORMS) == BUILT_IN
    assert [registry.get(name).name for name in BUILT_IN] == [*BUILT_IN]
    with pytest.raises(ValueError, match="there is no questionnaire 'viso'; did you mean visor"):
        registry.get("viso")
    with pytest.raises(ValueError, match="known: geneval, tifa_likert, tifa_vqa, visor, ab, yes_no, a YAML file"):
        registry.get("zzz")


@each
def test_every_answer_has_a_key_of_its_own(name: str) -> None:
    _, _, questionnaire = item_of(name)
    assert [key_problem(question) for question in questionnaire.questions if key_problem(question)] == []
    ids = [question.id for question in questionnaire.questions] + [blank.id for blank in questionnaire.blanks]
    assert len(set(ids)) == len(ids)
    for question in questionnaire.questions:
        assert question.options or question.kind in ("text", "number"), "nothing could be answered"
        assert (question.numbers is None) == (question.kind != "number")
        earlier = ids[: ids.index(question.id)]
        assert {condition.question for condition in question.shown_if} <= set(earlier)


@each
def test_name_version_and_images_are_those_of_the_form(name: str) -> None:
    form, item, questionnaire = item_of(name)
    assert (questionnaire.name, questionnaire.version) == (form.name, form.version)
    assert form.problem(item) is None
    places = {question.member for question in questionnaire.questions} | {blank.member for blank in questionnaire.blanks}
    assert places <= {None, *range(item.n_images)}
    assert [blank.member for blank in questionnaire.blanks] == ([None] if form.item_kind == "image" else [0, 1])


@each
def test_a_browser_gets_plain_data_and_no_generator(name: str) -> None:
    form, item, questionnaire = item_of(name)
    data = json.dumps(to_json(questionnaire))
    assert json.loads(data)["questions"]
    assert all(generator not in data for generator in item.generators if "g-" in generator)
    others = FormItem(item.text, item.spec, item.n_images, item.questions, item.generators[::-1], item.order[::-1])
    assert form.build(others) == questionnaire


@each
def test_scales_are_those_that_everybody_has(name: str) -> None:
    form = ALL[name]
    assert {aspect: SCALES[aspect] for aspect in form.scales if aspect in SCALES} == {
        aspect: scale for aspect, scale in form.scales.items() if aspect in SCALES
    }
    assert all(str(Scale.parse(scale)) == scale for scale in form.scales.values())


@each
@quick
@given(data=st.data())
def test_good_answers_are_taken_and_mean_something_on_the_scales(name: str, data: st.DataObject) -> None:
    form, item, questionnaire = item_of(name)
    answers = data.draw(good_answers(questionnaire))
    assert check(questionnaire, answers).errors == {}
    cleaned = check(questionnaire, answers).answers
    derived = form.derive(item, cleaned)
    assert form.derive(item, answers) == derived, "what is hidden means nothing"
    places = [(judgement.aspect, judgement.target, judgement.item_id) for judgement in derived]
    assert len(set(places)) == len(places), "one judgement for each aspect, target and image"
    for judgement in derived:
        scale = Scale.parse(form.scales[judgement.aspect])
        if judgement.label is None:
            assert judgement.value is None
            assert judgement.reason in ("cannot_tell", "blank_image")
        else:
            read = scale.read(judgement.label)
            assert (read.label, read.number) == (judgement.label, judgement.value)
            assert judgement.reason is None
        assert judgement.item_id in (None, *item.images)


@each
@quick
@given(data=st.data())
def test_whatever_is_sent_is_refused_in_words_or_stored(name: str, data: st.DataObject) -> None:
    form, item, questionnaire = item_of(name)
    answers = data.draw(any_answers(questionnaire))
    errors = check(questionnaire, answers).errors
    assert all(text.endswith(".") for text in errors.values())
    cleaned = check(questionnaire, answers).answers
    assert check(questionnaire, cleaned).answers == cleaned
    assert visible(questionnaire, cleaned) == visible(questionnaire, answers)
    if not errors:
        json.dumps(cleaned, allow_nan=False).encode()
        assert check(questionnaire, cleaned).errors == {}
        form.derive(item, cleaned)


@each
def test_blank_images_end_the_form(name: str) -> None:
    form, item, questionnaire = item_of(name)
    blank = {blank.id: "yes" for blank in questionnaire.blanks}
    assert visible(questionnaire, blank) == []
    assert check(questionnaire, blank).errors == {}
    assert check(questionnaire, blank | {questionnaire.questions[0].id: "junk"}).errors == {}
    assert check(questionnaire, blank | {questionnaire.questions[0].id: "left over"}).answers == blank
    assert {judgement.aspect for judgement in form.derive(item, blank)} <= set(form.scales)


@pytest.mark.parametrize("value", [True, 1, "no", "YES", ["yes"], {"a": 1}, ""])
def test_only_yes_marks_a_blank(value: Any) -> None:
    _, _, questionnaire = item_of("visor")
    assert "blank_image" in check(questionnaire, {"blank_image": value}).errors
    assert visible(questionnaire, {"blank_image": value}) == visible(questionnaire, {})


def group() -> Questionnaire:
    return item_of("tifa_likert")[2]


def test_one_blank_image_of_several_hides_its_questions_only() -> None:
    assert visible(group(), {"blank_image_0": "yes"}) == ["elements", "missed_1", "faithfulness_1"]
    assert visible(group(), {"blank_image_1": "yes"}) == ["elements", "missed_0", "faithfulness_0"]
    assert list(check(group(), {"blank_image_1": "yes"}).errors) == ["faithfulness_0"]
    assert visible(group(), {"blank_image_0": "yes", "blank_image_1": "yes"}) == []


@pytest.mark.parametrize(
    ("value", "fine"),
    [
        (0, True), (0.5, True), (20, True), (20.0, True), (2, True), (None, True), ("", True),
        (0.25, False), (-1, False), (20.5, False), (float("nan"), False), (float("inf"), False), (10**400, False),
        (True, False), ("2", False), ([2], False), ("cannot_tell", False),
    ],
)  # fmt: skip
def test_numbers(value: Any, fine: bool) -> None:
    answers = {"missed_0": value, "faithfulness_0": 3, "faithfulness_1": 4}
    assert list(check(group(), answers).errors) == ([] if fine else ["missed_0"])


def test_what_goes_with_no_other() -> None:
    _, _, questionnaire = item_of("visor")
    answers = {"quality": 1, "scene": 1, "objects": 2, "present_a": "yes", "present_b": "yes", "merged": "distinct"}
    assert check(questionnaire, answers | {"relations": ["above", "left of"]}).errors == {}
    assert check(questionnaire, answers | {"relations": ["none"]}).errors == {}
    wrong = check(questionnaire, answers | {"relations": ["none", "above"]}).errors
    assert wrong == {"relations": "One of the ticked answers cannot be combined with others."}
    for junk in ("above", ["above", "above"], ["inside"], [["above"]], {"above": 1}, [1]):
        assert list(check(questionnaire, answers | {"relations": junk}).errors) == ["relations"]


@pytest.mark.parametrize("n", [0, 1, 3])
def test_the_images_must_be_as_many_as_the_form_shows(n: int) -> None:
    for name, form in ALL.items():
        _, item, _ = item_of(name)
        fits = n >= 1 if form.item_kind == "group" else n == (1 if form.item_kind == "image" else 2)
        result = form.problem(FormItem(item.text, item.spec, n, item.questions, item.generators))
        assert (result is None) == fits
        assert fits or f"not of {n} images" in (result or "")
