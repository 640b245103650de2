"""Campaigns in the words of GenEval's authors, and answers in ours beside them: two scales, never pooled."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import duckdb
import pytest

from concord.form.item_form import item_form
from concord.form.preview import preview_json
from concord.judging import derive_source
from data.store import campaign_items
from data.store.campaigns import management
from data.store.core.connections import DATABASE
from data.store.core.store import Store
from data.store.judgements import recording
from tests.data.store.small_campaign import give
from tests.data.store.test_migrations import build
from tests.geneval_page import data_address, example, page, picture, write
from tests.ui.http_visitor import COW
from tests.ui.small_project import agreement, concord, done, geneval_csv, geneval_folder, geneval_row, metadata


def answer(project: Path, campaign_id: str, person: str, fit: int) -> None:
    """Give this person's answer to the campaign's first image."""
    with Store(project) as store:
        campaign = management.get(store, campaign_id)
        assert campaign is not None
        item_id = management.items(store, campaign_id)[0].item_id
        (task,) = campaign_items.tasks(store, [item_id])
        give(store, campaign_id, item_id, person)
        about = item_form(store, campaign, task, person)
        recording.submit(store, about.annotation(person, COW | {"caption_fit": fit}, annotation_id=str(uuid.uuid4())))


def means(project: Path) -> dict[str, tuple[float, int]]:
    """People's mean of each aspect that is no yes or no, and how many answers it is of."""
    rows = agreement(project, "--suite", "geneval")["among_people"]
    pooled = [row for row in rows if (row["task"], row["generator"], row["statistic"]) == ("all", "all", "mean")]
    return {row["aspect"]: (row["value"], row["n_ratings"]) for row in pooled if row["aspect"] not in ("correct", "present")}


def test_a_template_makes_the_form_and_shares_the_released_scale(tmp_path: Path) -> None:
    project = tmp_path / "project"
    table = geneval_csv(
        tmp_path / "a.csv", geneval_row(0, 0, count_0="1", color_0="red", real_0="1", objects="cow", quality="2")
    )
    done(project, "import", "study", "geneval", "--metadata", metadata(tmp_path), f"sdv2={table}")
    done(project, "import", "images", geneval_folder(tmp_path / "i"), "--layout", "geneval", "--generator", "sdv2")
    file = write(tmp_path / "form.html", page(example(data_address(picture())) + example("https://example.org/x.png", 2)))
    image = ("--item", "geneval/00000/sdv2/0", "--overlap", 2)
    made = concord(project, "campaigns", "create", "theirs", "--questionnaire", "geneval", "--template", file, *image)
    assert made.status == 0
    assert "1 of 2 worked examples are left out; example 2: its picture 'https://example.org/x.png'" in made.err
    # the campaign keeps what it needs of the file
    file.unlink()
    done(project, "campaigns", "create", "ours", *image)
    for campaign, fit in (("theirs", 4), ("ours", 1)):
        done(project, "campaigns", "start", campaign)
        answer(project, campaign, "ann", fit)
    with Store(project) as store:
        seen = preview_json(store, "theirs")
        assert seen is not None
        questions = {question["id"]: question for question in seen["tasks"][0]["questionnaire"]["questions"]}
        assert questions["count_0"]["text"] == "Count the cows."
        assert questions["caption_fit"]["options"][0]["label"] == "4 All of it."
        (shown,) = seen["campaign"]["examples"]
        assert (shown["title"], shown["lines"][0]) == ("Example 1", "Count the cups. 2")
        assert shown["picture"].startswith("data:image/webp;base64,")
        stored = store.query_column("select distinct questionnaire from annotations order by 1", [])
        before = store.query_column("select aspect || label || rule_version from judgements order by seq, aspect", [])
        recording.rebuild(store, derive_source)
        assert store.query_column("select aspect || label || rule_version from judgements order by seq, aspect", []) == before
    assert stored == ["geneval", "geneval_authors"]
    # 2 of the study and 4 of the form together; ours apart
    assert means(project) == {
        "count": (1.0, 2), "caption_fit": (3.0, 2), "realism": (2.0, 2), "caption_match": (1.0, 1), "shape_realism": (3.0, 1),
    }  # fmt: skip


@pytest.mark.parametrize("also", [("--questionnaire", "visor"), ("--questionnaire-file", "own.yaml")])
def test_a_template_goes_with_no_other_questionnaire(tmp_path: Path, also: tuple[str, str]) -> None:
    project = tmp_path / "project"
    done(project, "import", "images", geneval_folder(tmp_path / "i"), "--layout", "geneval", "--generator", "sdv2")
    own = write(tmp_path / "own.yaml", "name: own\nquestions:\n  - {id: a, kind: text, text: Why}\n")
    words = [own if word == "own.yaml" else word for word in also]
    refused = concord(project, "campaigns", "create", "x", "--template", write(tmp_path / "t.html", page()), *words)
    assert (refused.status, "--template is GenEval's form" in refused.err) == (2, True)
    unnamed = concord(project, "campaigns", "create", "x", "--questionnaire", "geneval_authors")
    assert (unnamed.status, "--template FILE" in unnamed.err) == (1, True)


ITEM = "geneval/00000/g1/0"
GRADES = {"objects": "two cats", "count_0": 2, "color_0": ["red"], "realism_0": 3, "caption_fit": 4}


def project_of_before(folder: Path) -> Path:
    """A project of schema 24: an answer in our words and one of the released study, both under one name and one scale."""
    folder.mkdir()
    build(folder / DATABASE, 24)
    with duckdb.connect(str(folder / DATABASE)) as connection:
        for aspect, scale in (("count", "0-5"), ("caption_fit", "1-4"), ("realism", "1-3")):
            connection.execute("insert into scales values ('geneval', ?, ?, null)", [aspect, f"ordinal:{scale}"])
        for seq, (id_, rater, item) in enumerate((("own", "ann", ITEM), ("released", "slot 1", "geneval/00000/g1/1")), 100):
            connection.execute(
                "insert into annotations (annotation_id, item_id, rater_id, questionnaire, answers, submitted, saw_evidence,"
                " status, root_id, seq) values (?, ?, ?, 'geneval', ?, now(), false, 'valid', ?, ?)",
                [id_, item, rater, json.dumps(GRADES), id_, seq],
            )
            said = (
                ("correct", None, "yes", 1),
                ("present", "cat", "yes", 1),
                ("count", "cat", "2", 2),
                ("realism", "cat", "3", 3),
            )
            for aspect, target, label, number in (*said, ("caption_fit", None, "4", 4)):
                connection.execute(
                    "insert into judgements (item_id, rater_id, aspect, target, label, value, source_id, rule_version, seq)"
                    " values (?, ?, ?, ?, ?, ?, ?, 'geneval-answers-2', ?)",
                    [item, rater, aspect, target, label, number, id_, seq],
                )
        connection.execute(
            "insert into adjudications values ('v9', ?, 'caption_fit', null, null, 'person', 'ann', '3', '', 'me', now(), 102)",
            [ITEM],
        )
    return folder


def test_stored_answers_in_our_words_move_to_aspects_of_their_own(tmp_path: Path) -> None:
    project = project_of_before(tmp_path / "project")
    with Store(project) as store:
        sql = (
            "select source_id, questionnaire, aspect, j.label, rule_version from judgements j join annotations a"
            " on annotation_id = source_id where aspect not in ('correct', 'present') and j.seq >= 100 order by j.seq, aspect"
        )
        with store.read() as cursor:
            moved = cursor.execute(sql).fetchall()
        own, released = ("own", "geneval"), ("released", "geneval_authors")
        assert moved == [
            (*own, "caption_match", "4", "geneval-answers-3"),
            (*own, "count", "2", "geneval-answers-3"),
            (*own, "shape_realism", "3", "geneval-answers-3"),
            (*released, "caption_fit", "4", "geneval-answers-2"),
            (*released, "count", "2", "geneval-answers-2"),
            (*released, "realism", "3", "geneval-answers-2"),
        ]
        scales = store.query_column("select aspect || ' ' || scale from scales where suite = 'geneval' order by 1", [])
        levels = ["caption_fit ordinal:1-4", "caption_match ordinal:1-4", "realism ordinal:1-3", "shape_realism ordinal:1-3"]
        assert [scale for scale in scales if "caption" in scale or "realism" in scale] == levels
        assert store.query_column("select aspect from adjudications where adjudication_id = 'v9'", []) == ["caption_match"]
        # the migration says what the rules of today say
        recording.rebuild(store, derive_source)
        with store.read() as cursor:
            assert cursor.execute(sql).fetchall() == moved


def test_the_old_aspect_says_where_its_answers_went(tmp_path: Path) -> None:
    project = project_of_before(tmp_path / "project")
    with duckdb.connect(str(project / DATABASE)) as connection:
        connection.execute("delete from judgements where source_id = 'released'")
        connection.execute("delete from annotations where annotation_id = 'released'")
    told = concord(project, "agreement", "--aspect", "caption_fit", "--no-intervals")
    assert told.status == 0
    assert "answers to Concord's own wording of GenEval's form are caption_match" in told.err
    with Store(project) as store:
        # nothing of the old scale is left where nobody uses it
        assert store.query_column("select aspect from scales where aspect in ('caption_fit', 'realism')", []) == []
