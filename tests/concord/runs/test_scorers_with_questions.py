"""``score`` with a scorer that is asked the prompts' questions: what it is asked, what is left out, what has changed since."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from concord.runs import run_session
from data.jobs.runs import RunFolder
from data.selection import Selection
from data.store import library, runs
from data.store.core.store import Store
from scorers import registry
from scorers.questions import tifa
from tests.ui import cow_scorer, small_project
from tests.ui.small_project import concord, done, query

ASKED = [
    {"id": "00000", "caption": "x", "question": "is there a cow?", "choices": ["yes", "no"], "answer": "yes"},
    {"id": "00000", "caption": "x", "question": "what is it?", "choices": ["cow", "cat", "dog"], "answer": "dog"},
]


@pytest.fixture(autouse=True)
def without_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """TIFA's scorer, its answers by the seer's worker."""
    real = registry.get
    scorer = replace(tifa.TIFA, models=frozenset())
    monkeypatch.setattr(registry, "get", lambda name: scorer if name == "tifa" else real(name))
    cow_scorer.within(monkeypatch, run_session)


@pytest.fixture
def pictured(project: Path, tmp_path: Path) -> Path:
    """A project with four images of two prompts."""
    images = small_project.geneval_folder(tmp_path / "sdv2")
    done(project, "import", "images", images, "--layout", "geneval", "--generator", "sdv2")
    return project


def ask(project: Path, file: Path, entries: list[dict[str, Any]]) -> None:
    (text,) = query(project, "select text from prompts where prompt_id = 'geneval/00000'")
    records = [{"element_type": "animal/human", "element": "cow", **entry, "caption": text} for entry in entries]
    file.write_text(json.dumps(records))
    done(project, "import", "questions", file, "--suite", "geneval")


def test_images_without_questions_are_left_out_and_it_is_said(pictured: Path, tmp_path: Path) -> None:
    nothing = concord(pictured, "score", "tifa")
    assert nothing.status == 1
    assert "nothing to score: 4 images left out, whose prompts have no questions; import questions FILE" in nothing.err
    ask(pictured, tmp_path / "asked.json", ASKED)
    ran = concord(pictured, "score", "tifa")
    assert (ran.status, ran.out) == (0, "2 images judged by tifa-playground\n"), ran.err
    assert "2 images left out, whose prompts have no questions" in ran.err
    with Store(pictured) as store:
        (row,) = runs.listed(store)
        work = RunFolder(pictured / row.folder).work()
        pending = runs.count_pending(store, Selection(), row.rater_id, asked=True)
    assert [[question.text for question in each.questions] for each in work] == [["is there a cow?", "what is it?"]] * 2
    assert [each.version for each in work] == [1, 1]
    assert (pending.images, pending.left) == (2, 0)
    # the seer answers with the last choice: no, and dog
    answers = query(pictured, "select target || ': ' || label from judgements where aspect = 'answer' order by item_id, target")
    assert answers == ["is-there-a-cow: no", "what-is-it: dog"] * 2
    assert query(pictured, "select value from judgements where aspect = 'score'") == [0.5, 0.5]
    assert query(pictured, "select scale from scales where aspect = 'answer'") == ["nominal"]


def test_other_questions_since_are_told(pictured: Path, tmp_path: Path) -> None:
    ask(pictured, tmp_path / "asked.json", ASKED)
    done(pictured, "score", "tifa")
    assert (
        concord(pictured, "score", "tifa").err
        == "2 images left out, whose prompts have no questions; import questions FILE, or import questions --from-specs\n"
    )
    ask(pictured, tmp_path / "others.json", [ASKED[0]])
    again = concord(pictured, "score", "tifa")
    assert again.status == 0
    assert "of 2 images it answered other questions than are asked now" in again.err
    with Store(pictured) as store:
        assert library.count_outdated_answers(store, "tifa-playground") == 2
        assert library.count_outdated_answers(store, "nobody") == 0


def test_a_rebuild_says_the_same(pictured: Path, tmp_path: Path) -> None:
    ask(pictured, tmp_path / "asked.json", ASKED)
    done(pictured, "score", "tifa")
    ask(pictured, tmp_path / "others.json", [ASKED[0]])
    said = "item_id || aspect || coalesce(target, '') || coalesce(label, '') || coalesce(value, -1)"
    rows = f"select {said} from judgements order by 1"
    before = query(pictured, rows)
    done(pictured, "rebuild")
    assert query(pictured, rows) == before
    assert len(before) == 6
