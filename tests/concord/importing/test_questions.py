"""``questionnaires`` and ``import questions``: what people are asked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import app
from annotation.questionnaires.registry import EXAMPLE, FORMS
from concord.importing import prompts as command
from data.prompts.questions import questions_from_spec
from data.store import library
from data.store.core.store import Store
from tests.ui import small_project
from tests.ui.small_project import concord, done, query

KNOWN = "known: geneval, tifa_likert, tifa_vqa, visor, ab, yes_no, a YAML file of your own"
ROOT = Path(__file__).resolve().parents[3]


def printed(*words: object) -> tuple[int, str, str]:
    ran = CliRunner().invoke(app.app, ["questionnaires", *map(str, words)])
    return ran.exit_code, ran.stdout, ran.stderr


def test_the_documentation_is_what_the_command_prints() -> None:
    """If this fails: uv run app.py questionnaires > docs/questionnaires.md"""
    status, out, _ = printed()
    assert status == 0
    assert (ROOT / "docs" / "questionnaires.md").read_text(encoding="utf-8") == out


@pytest.mark.parametrize("name", FORMS)
def test_one_questionnaire_is_said_whole(name: str) -> None:
    status, out, err = printed(name)
    assert (status, err) == (0, "")
    form = FORMS[name]
    for question in form.build(form.example).questions:
        assert f"(`{question.id}`)" in out
        for option in question.options:
            assert f"`{option.key}` {option.label}" in out
    for meaning in form.meanings:
        assert f"| `{meaning.aspect}` | {meaning.target} | `{meaning.scale}` |" in out
    assert out in printed()[1]


def test_a_file_of_ones_own_is_checked_and_printed(tmp_path: Path) -> None:
    status, out, err = printed(EXAMPLE)
    assert (status, err) == (0, "")
    assert "`ordinal:gloomy<plain<cheerful`" in out
    path = tmp_path / "mine.yml"
    path.write_text("name: <b>\nquestions: []")
    name = "'name' is '<b>'; small letters, digits, - and _ expected, a letter first, at most 40"
    assert printed(path) == (1, "", f"questionnaires: {path}: {name}\n")
    path.write_text("name: b\nquestions:\n  - {id: a}\n  - {id: b, kind: x, text: y}")
    status, out, err = printed(path)
    assert (status, out, len(err.splitlines())) == (1, "", 2)
    assert all(line.startswith(f"questionnaires: {path}: question '") for line in err.splitlines())


def test_text_of_ones_own_means_nothing_in_markdown(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("name: b\nsummary: '<img src=x> [a](b) | *c* `d`'\nquestions: [{id: a, kind: count, text: '# <b>'}]")
    _, out, _ = printed(path)
    assert r"\<img src=x\> \[a\](b) \| \*c\* \`d\`" in out
    assert r"1. \# \<b\> (`a`)" in out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["viso"], "questionnaires: there is no questionnaire 'viso'; did you mean visor?\n"),
        (["nowhere.yaml"], "questionnaires: nowhere.yaml: no such file; check the path\n"),
        (["\x1b[31m"], f"questionnaires: there is no questionnaire '\\x1b[31m'; {KNOWN}\n"),
    ],
)
def test_names_that_are_none(words: list[str], expected: str) -> None:
    assert printed(*words) == (1, "", expected)


def asked(project: Path) -> list[str]:
    return query(project, "select text from questions order by prompt_id, version, position")


def test_questions_from_a_file_bring_their_prompts(project: Path, tmp_path: Path) -> None:
    path = small_project.questions(tmp_path / "q.json")
    assert done(project, "import", "questions", path) == (
        "tifa: 1 questions about 1 prompts (import 1; to take it back: import undo 1)\n"
    )
    assert query(project, "select prompt_id || ' ' || task || ': ' || text from prompts") == ["tifa/coco_1 coco: a gray cat"]
    assert done(project, "import", "questions", path) == "nothing to do: these questions are asked already\n"
    small_project.questions(path, {"question_id": "what-color-is-the-cat", "question": "what colour is the cat?"})
    assert "; 1 prompts had others before (import " in done(project, "import", "questions", path)
    with Store(project) as store:
        now = library.current_questions(store, ["tifa/coco_1"])["tifa/coco_1"]
    assert (now.number, now.questions[0].question_id) == (2, "what-color-is-the-cat")
    # the first file again is another edit
    small_project.questions(path)
    number = done(project, "import", "questions", path).split("import undo ")[1].rstrip(")\n")
    assert asked(project) == ["what color is the cat?", "what colour is the cat?", "what color is the cat?"]
    done(project, "import", "undo", number)
    assert asked(project) == ["what color is the cat?", "what colour is the cat?"]


def test_questions_from_specs(project: Path, tmp_path: Path) -> None:
    prompts = tmp_path / "p.jsonl"
    prompts.write_text(
        "\n".join(
            json.dumps(line)
            for line in [*small_project.METADATA, {"prompt": "a nice evening"}, {"prompt": "b", "spec": {"a": "cup"}}]
        )
    )
    done(project, "import", "prompts", prompts, "--suite", "mine")
    made = done(project, "import", "questions", "--from-specs")
    assert made == (
        "1 prompts have no spec that questions could be made from\n"
        "all suites: 8 questions about 3 prompts (import 2; to take it back: import undo 2)\n"
    )
    assert asked(project)[:3] == ["is there a cow?", "which of these is in the image?", "is there a car?"]
    again = done(project, "import", "questions", "--from-specs", "--suite", "mine")
    assert again.endswith("nothing to do: these questions are asked already\n")


def test_questions_of_before_parents_stay_comparable(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prompts = tmp_path / "p.jsonl"
    prompts.write_text(json.dumps(small_project.METADATA[0] | {"include": [{"class": "cow", "count": 2}]}))
    done(project, "import", "prompts", prompts, "--suite", "mine")
    with monkeypatch.context() as patch:
        patch.setattr(
            command,
            "questions_from_spec",
            lambda spec: tuple(replace(question, parents=()) for question in questions_from_spec(spec)),
        )
        done(project, "import", "questions", "--from-specs")
    assert done(project, "import", "questions", "--from-specs") == (
        "all suites: 4 questions about 1 prompts; 1 prompts had others before, and 4 of these questions too:"
        " answers to them stay comparable (import 3; to take it back: import undo 3)\n"
    )
    assert done(project, "import", "questions", "--from-specs") == "nothing to do: these questions are asked already\n"


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ([], 2, "give a FILE of questions, or --from-specs, and not both"),
        (["q.json", "--from-specs"], 2, "give a FILE of questions, or --from-specs, and not both"),
        (["nowhere.json"], 1, "nowhere.json: there is no such file"),
        (["--from-specs"], 1, "there are no prompts in this project; import some first"),
        (["--from-specs", "--suite", "x"], 1, "there are no prompts of suite 'x' in this project; import some first"),
        (["q.json", "--suite", "a/b"], 1, "the suite's name 'a/b' becomes part of ids"),
    ],
)
def test_what_cannot_be_done(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], status: int, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    small_project.questions(tmp_path / "q.json")
    ran = concord(project, "import", "questions", *words)
    assert (ran.status, ran.out) == (status, "")
    assert ran.err.startswith(f"import questions: {said}")
    assert ran.err.count("\n") == 1


def test_a_caption_that_is_not_the_prompts(project: Path, tmp_path: Path) -> None:
    path = small_project.questions(tmp_path / "q.json")
    done(project, "import", "questions", path)
    ran = concord(project, "import", "questions", small_project.questions(path, {"caption": "a red cat", "question": "red?"}))
    assert ran.status == 1
    assert "tifa/coco_1: its text is 'a gray cat' already, not 'a red cat' as in q.json" in ran.err
    assert asked(project) == ["what color is the cat?"]
