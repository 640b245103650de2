"""Questions in the store: versions, what is asked now, and what an import takes back."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from data.prompts.questions import PromptQuestion
from data.records import Prompt
from data.store import imports, library
from data.store.core import schema
from data.store.core.connections import DATABASE
from data.store.core.store import Store
from data.store.imports import ImportBundle, ImportRefused
from data.store.library import QuestionVersion
from tests.data.store.small_project import PROMPT, column, content, fill, submit

RED = PromptQuestion("red", "is it red? <b>", ("yes", "no"), "yes", "color", "red")
WHAT = PromptQuestion("what", "what is it?", ("cat", "dog", "cow", "bird"), "cat", "animal/human", "cat")
PLACE = PROMPT.prompt_id


def asking(*question: PromptQuestion, sha256: str = "1", prompt: Prompt = PROMPT) -> ImportBundle:
    return ImportBundle("questions", "tifa", sha256, prompts=[prompt], questions={prompt.prompt_id: question})


def brought(store: Store, bundle: ImportBundle) -> int | None:
    (imported,) = imports.apply(store, [bundle])
    return imported.import_id


def test_questions_come_back_in_their_order(store: Store) -> None:
    brought(store, asking(WHAT, RED))
    assert library.current_questions(store, [PLACE, "nowhere"]) == {PLACE: QuestionVersion(1, (WHAT, RED))}
    assert library.questions_at(store, PLACE, 1) == QuestionVersion(1, (WHAT, RED))
    assert library.questions_at(store, PLACE, 0) == QuestionVersion()
    with pytest.raises(KeyError, match="no version 2"):
        library.questions_at(store, PLACE, 2)


def test_parents_come_back_and_make_a_version(store: Store) -> None:
    child = replace(WHAT, parents=("red",))
    brought(store, asking(RED, WHAT))
    brought(store, asking(RED, child, sha256="2"))
    assert library.questions_at(store, PLACE, 1) == QuestionVersion(1, (RED, WHAT))
    assert library.current_questions(store, [PLACE]) == {PLACE: QuestionVersion(2, (RED, child))}


def test_what_an_older_concord_asked_has_no_parents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "migrations"
    old.mkdir()
    for file in schema.MIGRATIONS.glob("000[1-8]*.sql"):
        shutil.copy(file, old)
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", old)
        with Store(tmp_path / "project"):
            pass
    with duckdb.connect(str(tmp_path / "project" / DATABASE)) as connection:
        connection.execute(
            "insert into questions values (?, 1, 0, 'red', 'is it red? <b>', '[\"yes\",\"no\"]', 'yes', 'color', 'red', 1)",
            [PLACE],
        )
    with Store(tmp_path / "project") as store:
        assert library.current_questions(store, [PLACE]) == {PLACE: QuestionVersion(1, (RED,))}
        brought(store, asking(RED))
        assert library.current_questions(store, [PLACE])[PLACE].number == 1
        brought(store, asking(replace(WHAT, parents=("red",)), RED, sha256="2"))
        assert library.current_questions(store, [PLACE])[PLACE].questions[0].parents == ("red",)


def test_an_edit_is_a_new_version_and_keeps_the_name(store: Store) -> None:
    first = brought(store, asking(RED, WHAT))
    edited = replace(RED, text="is the cat red?", choices=("no", "yes"))
    second = brought(store, asking(edited, sha256="2"))
    assert library.current_questions(store, [PLACE])[PLACE] == QuestionVersion(2, (edited,))
    assert library.questions_at(store, PLACE, 1) == QuestionVersion(1, (RED, WHAT))
    assert second is not None
    imports.undo(store, second)
    assert library.current_questions(store, [PLACE])[PLACE] == QuestionVersion(1, (RED, WHAT))
    assert first is not None
    imports.undo(store, first)
    assert library.current_questions(store, [PLACE]) == {}


def test_the_same_questions_again_are_nothing_new(store: Store) -> None:
    assert brought(store, asking(RED)) is not None
    assert brought(store, asking(RED, sha256="2")) is None
    assert library.current_questions(store, [PLACE])[PLACE].number == 1
    assert len(imports.listed(store)) == 1


def test_undo_leaves_no_trace(store: Store) -> None:
    fill(store)
    before = content(store)
    number = brought(store, asking(RED, WHAT, prompt=PROMPT))
    assert content(store) != before
    assert number is not None
    assert imports.undo(store, number)["questions"] == 2
    assert content(store) == before


def test_a_prompt_stays_while_others_ask_about_it(store: Store) -> None:
    first = brought(store, asking(RED))
    brought(store, asking(WHAT, sha256="2"))
    assert first is not None
    imports.undo(store, first)
    assert column(store, "select prompt_id from prompts") == [PLACE]
    assert library.current_questions(store, [PLACE])[PLACE] == QuestionVersion(2, (WHAT,))


def test_another_text_has_other_questions(store: Store) -> None:
    fill(store)
    (imported,) = imports.apply(store, [asking(RED, prompt=replace(PROMPT, text="three cats"))])
    assert library.current_questions(store, [PLACE]) == {}
    assert "its text is 'two cats' already" in imported.refused[0]


def test_what_people_have_answered_is_not_taken_back(store: Store) -> None:
    (item, *_) = fill(store)
    submit(store, item, "early", questionnaire=library.ANSWERED_BY)
    number = brought(store, asking(RED))
    submit(store, item, "other", questionnaire="geneval")
    assert number is not None
    imports.undo(store, number)
    number = brought(store, asking(RED, sha256="2"))
    submit(store, item, "ann", questionnaire=library.ANSWERED_BY)
    before = content(store)
    assert number is not None
    with pytest.raises(ImportRefused, match="1 person has given 1 answer to what import 3 asks"):
        imports.undo(store, number)
    assert content(store) == before
