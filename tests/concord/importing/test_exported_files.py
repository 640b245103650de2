"""What is exported comes back: the same answers, the same judgements, the same numbers, whatever the format and the texts."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from data.prompts.questions import questions_from_spec
from data.spec import parse_spec
from data.store import imports
from data.store.core.store import Store
from data.store.imports import ImportBundle
from tests.concord.test_exporting import numbers, read_csv
from tests.ui import answers_project
from tests.ui.small_project import concord, done, query, tables

FORMATS = ("csv", "parquet", "jsonl")
JUDGED = (
    "select concat_ws('|', item_id, rater_id, aspect, target, label, value, reason, source_id, rule_version)"
    " from judgements {} order by all"
)
PEOPLES = "where source_id in (select annotation_id from annotations)"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = answers_project.project(tmp_path_factory.mktemp("whole") / "project")
    # what stands in it is what the rules make of it
    before = query(project, JUDGED.format(PEOPLES))
    assert len(before) > 500
    return project


def exported(project: Path, folder: Path, form: str, *words: object) -> tuple[Path, Path]:
    """Both files: the answers and the judgements."""
    folder.mkdir(exist_ok=True)
    answers, judgements = folder / f"answers.{form}", folder / f"judgements.{form}"
    done(project, "export", "annotations", "-o", answers, *words)
    done(project, "export", "judgements", "-o", judgements, *words)
    return answers, judgements


def rows(path: Path) -> list[dict[str, Any]]:
    """A file's rows without the numbers that say their order."""
    if path.suffix == ".parquet":
        records: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    elif path.suffix == ".jsonl":
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    else:
        records = [dict(row) for row in read_csv(path)]
    return [{name: value for name, value in row.items() if name != "seq"} for row in records]


def without_files(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A project without pictures knows no hashes of them."""
    for row in records:
        images = json.loads(row["images"]) if isinstance(row["images"], str) else row["images"]
        row["images"] = [{**image, "sha256": None} for image in images or []]
    return records


@pytest.mark.parametrize("form", FORMATS)
def test_all_comes_back_into_an_empty_project(world: Path, tmp_path: Path, form: str) -> None:
    files = exported(world, tmp_path / "first", form)
    again = tmp_path / "again"
    # the order of the files plays no part
    said = done(again, "import", "exported", files[1], files[0])
    assert f"answers.{form}: {query(world, 'select count(*) from annotations')[0]} answers, 2 campaigns (import 1;" in said
    # the judgements below are the same in every format, so their statistics are made for one
    for words in (("--by", "target", "--no-intervals"), ("--campaign", "own", "--no-intervals")) if form == "csv" else ():
        before = numbers(world, *words)
        assert len(before["among_people"]) > 5
        assert numbers(again, *words) == before
    back = exported(again, tmp_path / "second", form)
    assert without_files(rows(back[0])) == without_files(rows(files[0]))
    by_kind = [
        [[row for row in rows(path) if (row["kind"] == "scorer") == scorer] for scorer in (True, False)]
        for path in (files[1], back[1])
    ]
    assert by_kind[0] == by_kind[1]
    assert query(again, JUDGED.format("")) == query(world, JUDGED.format(""))
    before_rebuild = tables(again)
    done(again, "rebuild")
    assert tables(again)["judgements"] == before_rebuild["judgements"]


def test_answers_alone_come_back_into_a_project_with_the_pictures(world: Path, tmp_path: Path) -> None:
    answers, _ = exported(world, tmp_path, "csv")
    again = tmp_path / "again"
    with Store(again) as store:
        imports.apply(store, [answers_project.pictures()])
    before = tables(again)
    done(again, "import", "exported", answers)
    assert query(again, JUDGED.format("")) == query(world, JUDGED.format(PEOPLES))
    back, _ = exported(again, tmp_path / "second", "csv")
    assert rows(back) == rows(answers)
    done(again, "import", "undo", 2)
    assert tables(again) == before


def test_undoing_takes_all_back(world: Path, tmp_path: Path) -> None:
    files = exported(world, tmp_path, "jsonl")
    again = tmp_path / "again"
    done(again, "import", "exported", *files)
    assert query(again, "select campaign_id || ' ' || state from campaigns order by 1") == ["own stopped", "sides stopped"]
    done(again, "import", "undo", 2)
    done(again, "import", "undo", 1)
    assert {name: len(table) for name, table in tables(again).items() if table} == {}


def test_twice_in_whichever_format_is_once(world: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    done(again, "import", "exported", *exported(world, tmp_path, "csv"))
    before = tables(again)
    for form in FORMATS:
        assert done(again, "import", "exported", *exported(world, tmp_path, form)).count("nothing to do") == 2
    assert tables(again) == before
    # into the project that it is from: nothing is new
    own = tables(world)
    done(world, "import", "exported", *exported(world, tmp_path, "csv"))
    assert tables(world) == own


def test_every_answer_stands_as_it_stood(world: Path, tmp_path: Path) -> None:
    answers, _ = exported(world, tmp_path, "jsonl")
    records = rows(answers)
    assert Counter(row["status"] for row in records) == Counter(query(world, "select status from annotations"))
    assert {row["status"] for row in records} == {"valid", "surplus", "gold", "training"}
    revised = [row for row in records if row["revises"]]
    assert [row["first"] for row in revised] == [revised[0]["revises"]] * 2
    assert {row["shown"]["questions"] for row in records if row["questionnaire"] == "tifa_vqa"} == {1, 2}
    texts = {row["answers"].get("remarks") for row in records} - {None}
    assert texts == set(answers_project.TEXTS)
    assert {row["active_seconds"] for row in records} == {0.1 + 0.2}
    again = tmp_path / "again"
    done(again, "import", "exported", answers)
    columns = "annotation_id, answers, raw, started, submitted, active_seconds, saw_evidence, status, passed, selected, revises"
    told = f"select concat_ws('|', {columns}, root_id, campaign_id) from annotations order by all"
    assert query(again, told) == query(world, told)
    same = "select concat_ws('|', rater_id, kind, identity, simulated) from raters where kind = 'human' order by all"
    assert query(again, same) == query(world, same)


@pytest.mark.parametrize(
    ("words", "fits"),
    [
        (("--campaign", "own"), lambda row: row["campaign"] == "own"),
        (("--rater", answers_project.NAMES[3]), lambda row: row["rater"] == answers_project.NAMES[3]),
        (("--aspect", "preference"), lambda row: row["questionnaire"] == "ab"),
        (("--since", "2999-01-01"), None),
        (("--generator", "g1"), lambda row: row["generator"] == "g1" or row["item_kind"] == "pair"),
    ],
)
def test_a_selection_of_answers(world: Path, tmp_path: Path, words: tuple[str, ...], fits: Any) -> None:
    everything = rows(exported(world, tmp_path, "jsonl")[0])
    file = tmp_path / "some.jsonl"
    ran = concord(world, "export", "annotations", "-o", file, *words)
    if fits is None:
        assert (ran.status, ran.err) == (1, "export annotations: there is nothing in this selection; nothing was written\n")
        return
    wanted = [row for row in everything if fits(row) and (row["item_kind"] != "pair" or words[0] != "--generator" or pair(row))]
    assert ran.status == 0
    assert 0 < len(wanted) < len(everything)
    assert rows(file) == wanted


def pair(_: dict[str, Any]) -> bool:
    """What is said of a pair is about the pair, which is of no generator."""
    return False


def test_a_certainty_of_answers(world: Path, tmp_path: Path) -> None:
    file, judged = tmp_path / "some.jsonl", tmp_path / "some.csv"
    words = ("--certainty", "majority", "--aspect", "count")
    done(world, "export", "annotations", "-o", file, *words)
    done(world, "export", "judgements", "-o", judged, *words)
    sources = {row["source_id"] for row in read_csv(judged) if row["kind"] == "human"}
    latest = {row["annotation_id"] for row in rows(file)} - {row["revises"] for row in rows(file)}
    assert latest == sources
    assert sources


def test_pseudonyms_are_the_same_in_every_export_and_name_nobody(world: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    done(world, "export", "annotations", "-o", file, "--people", "pseudonyms")
    records, plain = rows(file), rows(exported(world, tmp_path, "jsonl")[0])
    known = {entry["rater"]: other["rater"] for entry, other in zip(plain, records, strict=True)}
    assert len(set(known.values())) == len(known)
    assert {name for name, other in known.items() if name == other} == {"simulated =Ben", "slot 1"}
    assert all(other.startswith("person-") for name, other in known.items() if name in answers_project.NAMES)
    assert not any(name in file.read_text() for name in ("calc", "neill", "@ann", "A1WORKERID"))
    done(world, "export", "annotations", "-o", tmp_path / "b.jsonl", "--people", "pseudonyms")
    assert (tmp_path / "b.jsonl").read_bytes() == file.read_bytes()
    # the same numbers, by other names
    done(tmp_path / "again", "import", "exported", file)
    assert len(query(tmp_path / "again", JUDGED.format(""))) == len(query(world, JUDGED.format(PEOPLES)))


def changed(path: Path, name: str, value: object, n: int = 0) -> Path:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    lines[n][name] = value
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("answers", "x", "'answers' is 'x', an object expected"),
        ("answers", [1], "'answers' is [1], an object expected"),
        ("status", "good", "'status' is 'good', one of 'valid', 'surplus', 'gold' or 'training' expected"),
        ("seq", 1.5, "'seq' is '1.5', a whole number expected"),
        ("submitted", "yesterday", "'submitted' is 'yesterday', a time such as"),
        ("questionnaire", "genevla", "there is no questionnaire 'genevla'; did you mean geneval?"),
        ("item", None, "'item' is missing"),
        ("images", [{"image": "x"}], "'images[0].prompt' is missing"),
        ("scales", {}, "the file does not say the scale of"),
    ],
)
def test_a_file_that_is_not_ours_is_refused_whole(world: Path, tmp_path: Path, name: str, value: object, message: str) -> None:
    answers, _ = exported(world, tmp_path, "jsonl")
    n = next(k for k, row in enumerate(rows(answers)) if row["campaign"] == "own") if name == "scales" else 0
    ran = concord(tmp_path / "again", "import", "exported", changed(answers, name, value, n))
    assert (ran.status, ran.out) == (1, "")
    assert message in ran.err
    assert {name: len(table) for name, table in tables(tmp_path / "again").items() if table} == {}


def test_what_contradicts_the_project_is_refused_whole(world: Path, tmp_path: Path) -> None:
    answers, _ = exported(world, tmp_path, "jsonl")
    again = tmp_path / "again"
    done(again, "import", "exported", answers)
    before = tables(again)
    content = answers.read_text(encoding="utf-8")
    for name, value, message in (
        ("prompt_text", "other", "'mine/00000' means two different things in this file"),
        ("rater", "plain", "one of the two was changed, or names were exchanged for pseudonyms"),
    ):
        ran = concord(again, "import", "exported", changed(answers, name, value))
        assert (ran.status, message in ran.err) == (1, True), ran.err
        answers.write_text(content, encoding="utf-8")
    answers.write_text(content.replace('"=1+1 cats"', '"=1+2 cats"'), encoding="utf-8")
    assert "answers are about other texts than the project's" in concord(again, "import", "exported", answers).err
    assert tables(again) == before
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    ran = concord(again, "import", "exported", tmp_path / "other.csv")
    assert "this is not a file of 'export annotations', 'export judgements' or 'export ratings'" in ran.err
    assert concord(again, "import", "exported", tmp_path / "none.csv").err.endswith("there is no such file\n")


def test_other_pictures_are_not_what_was_judged(world: Path, tmp_path: Path) -> None:
    answers, _ = exported(world, tmp_path, "csv")
    pictures = answers_project.pictures()
    with Store(tmp_path / "again") as store:
        imports.apply(store, [replace(pictures, images=[replace(image, sha256="f" * 64) for image in pictures.images])])
    ran = concord(tmp_path / "again", "import", "exported", answers)
    assert (ran.status, "the answers are about another image than this project's" in ran.err) == (1, True)


def test_ratings_come_back_by_the_same_command(world: Path, tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    done(world, "export", "ratings", "-o", file)
    done(tmp_path / "again", "import", "exported", file)
    before = numbers(world, "--no-intervals")
    # a table of ratings does not say what prompts ask for, which a suite's own metrics are of
    assert before.pop("suite_metrics") != []
    assert numbers(tmp_path / "again", "--no-intervals") == {**before, "suite_metrics": []}


def test_the_prompts_questions_keep_their_words_where_the_project_asks_others(world: Path, tmp_path: Path) -> None:
    answers, _ = exported(world, tmp_path, "csv", "--rater", answers_project.NAMES[5])
    again = tmp_path / "again"
    assert {row["questionnaire"] for row in rows(answers)} == {"tifa_vqa"}
    other = tuple(
        replace(question, text=f"other {question.text}") for question in questions_from_spec(parse_spec(answers_project.SPEC))
    )
    prompt = answers_project.prompts()[0].prompt_id
    bundles = [
        ImportBundle("questions", f"{n}", f"q{n}", questions={prompt: each}) for n, each in enumerate((other, other[:1]))
    ]
    with Store(again) as store:
        imports.apply(store, [ImportBundle("prompts", "p", "p", answers_project.prompts()), *bundles])
    done(again, "import", "exported", answers)
    asked_here = "select distinct prompt_id || ' ' || version from questions order by 1"
    assert query(again, asked_here) == ["mine/00000 1", "mine/00000 2", "mine/00000 3", "mine/00001 2"]
    assert query(again, "select distinct raw ->> 'questions' from annotations order by 1") == ["2", "3"]
    judged = query(again, JUDGED.format(""))
    assert judged == query(world, JUDGED.format(f"where rater_id = '{answers_project.NAMES[5]}'"))
    done(again, "rebuild")
    assert query(again, JUDGED.format("")) == judged
