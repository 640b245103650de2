"""GenEval's form in its authors' words: read from a file of that form, safely, on the released answers' scale."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import pytest
from PIL import Image

from annotation.questionnaires import geneval, geneval_authors, registry
from annotation.questionnaires.base import check
from annotation.questionnaires.form import Form, FormItem
from annotation.questionnaires.geneval_template import read_template
from data.files import InputError
from tests.geneval_page import data_address, example, page, picture, write

POSITION = {
    "tag": "position",
    "include": [{"class": "bench", "count": 1}, {"class": "cow", "count": 1, "position": ["left of", 0]}],
}


def form(path: Path) -> Form:
    return registry.get(geneval_authors.NAME, read_template(path).template.to_definition())


def test_the_form_has_the_files_wording_and_levels(tmp_path: Path) -> None:
    questionnaire = form(write(tmp_path / "t.html", page())).build(FormItem("a cow left of a bench", POSITION))
    questions = {question.id: question for question in questionnaire.questions}
    assert questions["count_0"].text == "Count the benches."
    assert (questions["color_1"].text, questions["color_1"].help) == ("Colour of the cows?", "Tick each.")
    assert questions["position_x"].text == "Where is the cow from the bench?"
    assert [(o.value, o.label, o.key) for o in questions["caption_fit"].options] == [
        (4, "4 All of it.", "4"), (3, "3 Nearly all of it.", "3"), (2, "2 Little.", "2"), (1, "1 None of it.", "1"),
    ]  # fmt: skip
    assert [o.value for o in questions["position_y"].options] == ["above", "below", "neither"]
    assert [(s.title, s.lines) for s in questionnaire.instructions] == [("Look well", ("Take your time.",))]
    # as its authors asked it: nobody can pass
    assert questionnaire.blanks == ()
    assert check(questionnaire, {"objects": "cannot_tell", "blank_image": "yes"}).errors.keys() >= {"objects", "blank_image"}
    own = geneval.FORM.build(FormItem("a cow left of a bench", POSITION))
    assert [q.id for q in own.questions] == [*questions]


def test_its_answers_are_on_the_released_scale_and_ours_are_not(tmp_path: Path) -> None:
    item = FormItem("a cow left of a bench", POSITION)
    answers = {"objects": "a cow", "count_0": 1, "color_0": ["red"], "realism_0": 3, "count_1": 0, "caption_fit": 3}
    theirs = {judgement.aspect for judgement in form(write(tmp_path / "t.html", page())).derive(item, answers)}
    released = {judgement.aspect for judgement in registry.get(geneval_authors.NAME).derive(item, answers)}
    ours = {judgement.aspect for judgement in geneval.FORM.derive(item, answers)}
    assert theirs == released == {"correct", "present", "count", "realism", "caption_fit"}
    assert ours == {"correct", "present", "count", "shape_realism", "caption_match"}


def test_worked_pictures_are_data_packed_anew(tmp_path: Path) -> None:
    (tmp_path / "page_files").mkdir()
    (tmp_path / "page_files" / "0.png").write_bytes(picture("blue"))
    (tmp_path / "sdv2" / "00001").mkdir(parents=True)
    (tmp_path / "sdv2" / "00001" / "0.png").write_bytes(picture("green"))
    addresses = (data_address(picture()), "page_files/0.png", "https://example.org/images/sdv2/00001/0.png")
    text = page("".join(example(address, n) for n, address in enumerate(addresses, 1)))
    first, *others = form(write(tmp_path / "t.html", text)).worked_examples
    assert len(others) == 2
    for worked in (first, *others):
        head, _, body = worked.picture.partition(",")
        assert head == "data:image/webp;base64"
        assert Image.open(io.BytesIO(base64.b64decode(body))).size == (448, 224)
    assert first.lines == ("Count the cups. 2", "I marked 2 as there are two.", "Does it fit? 4 All of it.", "All is there.")


def test_hostile_pictures_are_left_out_and_said(tmp_path: Path) -> None:
    folder = tmp_path / "page"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(picture())
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    hostile = (
        "https://example.org/a.png",
        "../secret.png",
        str(tmp_path / "secret.png"),
        "link.png",
        "file:///etc/passwd",
        "javascript:alert(1)",
        data_address(b"<svg onload='alert(1)'/>", "image/svg+xml"),
        data_address(b"no picture"),
        "data:image/png;base64,%%%",
        "",
    )
    text = page("".join(example(address, n) for n, address in enumerate(hostile, 1)))
    read = read_template(write(folder / "t.html", text))
    assert read.template.examples == ()
    (note,) = read.notes
    assert note.startswith(
        "10 of 10 worked examples are left out; example 1: its picture 'https://example.org/a.png' is not in"
    )


def test_hostile_words_stay_words(tmp_path: Path) -> None:
    fit = {4: "&lt;img src=x onerror=alert(1)&gt;", 3: "three\u202e\u0007", 2: "<script>alert(1)</script>two", 1: "one"}
    questionnaire = form(write(tmp_path / "t.html", page(fit=fit))).build(FormItem("a", POSITION))
    labels = [option.label for option in questionnaire.questions[-1].options]
    assert labels == ["<img src=x onerror=alert(1)>", "three", "two", "one"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<p>Hello</p>", "there is no field task-objects"),
        (page(fit={5: "five", 3: "a", 2: "b", 1: "c"}), "field task-quality: its answers are 5, 3, 2, 1; expected 1, 2, 3, 4"),
        (
            page().replace("${object_0_name_plural}", "things"),
            "field task-count-0: its question does not name ${object_0_name}",
        ),
        (page().replace("Tick each.", "${constructor}"), "${'constructor'}, which nothing fills"),
        (page().replace("Tick each.", "x" * 3000), "a text has 3,000 characters; at most 2,000 are read"),
    ],
)
def test_another_file_is_refused_in_clear_words(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        read_template(write(tmp_path / "t.html", text))
    assert any(problem in line for line in refused.value.problems)
    assert all("this is not GenEval's published form" in line for line in refused.value.problems)


def test_a_changed_definition_is_refused(tmp_path: Path) -> None:
    definition = read_template(write(tmp_path / "t.html", page(example(data_address(picture()))))).template.to_definition()
    assert registry.get(geneval_authors.NAME, definition).worked_examples
    for old, new in (("data:image/webp", "https://x/"), ('"count_0"', '"count_9"'), ('"value": 4', '"value": 9'), ("{", "[")):
        with pytest.raises(InputError):
            registry.get(geneval_authors.NAME, definition.replace(old, new, 1))


def test_prompts_that_the_authors_could_not_ask_about_are_refused(tmp_path: Path) -> None:
    authors = form(write(tmp_path / "t.html", page()))
    three = {"include": [{"class": name, "count": 1} for name in ("cow", "bench", "cup")]}
    assert authors.problem(FormItem("a", POSITION)) is None
    assert "one object or two" in str(authors.problem(FormItem("a", three)))
    assert "one object or two" in str(authors.problem(FormItem("a")))
