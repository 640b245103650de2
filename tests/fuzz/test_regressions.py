"""What the fuzz found: each input once more, and what is said of it now."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from annotation.questionnaires.custom import YamlError, read_yaml
from concord.campaigns.known_answers import read_known_answers
from concord.common import forwarding
from data.formats.official_results import read_results
from data.jobs.generation import GenerationFolder
from data.jobs.maps import MapFolder
from data.jobs.runs import Detection, Observation, Run, RunFolder, WorkItem
from data.json_files import read_json_lines
from data.prompts.prompt_files import read_prompts
from data.studies.tifa import read_human_annotations
from data.tables import read_cells, read_table, require_columns
from scorers import registry
from tests.fuzz import seeds
from tests.fuzz.cases import draw_case, try_case
from tests.fuzz.targets import READERS
from tests.ui import accounts_app, small_project
from tests.ui.small_project import concord, tables

RUN = {"run_id": "r", "scorer": "geneval", "version": "1", "profile": "playground", "settings": {}}


@pytest.mark.parametrize(
    "read",
    [
        lambda path: read_prompts(path, "s"),
        read_cells,
        lambda path: [line.wrong for line in read_json_lines(path)],
        lambda path: read_known_answers(f"[{path.read_text()}]"),
    ],
)
def test_a_number_with_too_many_digits_is_refused(tmp_path: Path, read: Callable[[Path], Any]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": ' + "7" * 5000 + "}\n")
    try:
        said = str(read(path))
    except ValueError as error:
        said = str(error)
    assert "a number with too many digits" in said
    assert "set_int_max_str_digits" not in said


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("run.json", {**RUN, "part_size": 0}, "'part_size' is 0"),
        ("run.json", {**RUN, "part_size": "2"}, "'part_size' is '2', a whole number expected"),
        ("run.json", {**RUN, "{{7*7}}": 1}, "is nothing that is known here"),
        ("run.json", {"run_id": "r"}, "'scorer' is missing"),
        ("run.json", [], "found [], an object expected"),
        ("manifest.jsonl", {"item_id": "i"}, "manifest.jsonl:1: 'path' is missing"),
        ("manifest.jsonl", [1], "manifest.jsonl:1: found [1], an object expected"),
        ("progress.json", {"STATE": "done"}, "'state' is missing"),
        ("progress.json", {"state": "done", "done": 1, "total": 1, "seconds": float("nan")}, "not finite"),
    ],
)
def test_a_runs_files_with_something_else(tmp_path: Path, name: str, value: Any, said: str) -> None:
    folder = RunFolder(tmp_path / "r")
    folder.create(Run("r", "geneval", "1", "playground", {}), [WorkItem("i", "a.png", "0" * 64, "a\u2028b", {})])
    assert folder.work()[0].text == "a\u2028b"
    (folder.path / name).write_text(json.dumps(value))
    with pytest.raises(ValueError, match=r"^[^\n]+$") as result:
        folder.job(), folder.work(), folder.progress()
    assert said in str(result.value)


@pytest.mark.parametrize("wanted", [None, 1, [1], [{"prompt_id": "p"}], {"a": 1}])
def test_a_generations_files_with_something_else(tmp_path: Path, wanted: Any) -> None:
    (tmp_path / "job.json").write_text(json.dumps({"generator": "g", "wanted": wanted, "batch_size": 1}))
    with pytest.raises(ValueError, match=r"job\.json:1: "):
        GenerationFolder(tmp_path).job()


def test_a_map_whose_worker_tells_nothing_that_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "progress.json").write_text("[" * 100_000)
    assert MapFolder(tmp_path).last_progress() is None


@pytest.mark.parametrize(
    "content", ['{"host": "h", "port": "1", "token": "x", "pid": 4}', "[" * 100_000, "[]", '{"host": {}}', ""]
)
def test_an_address_of_the_open_app_that_is_none(tmp_path: Path, content: str) -> None:
    (tmp_path / forwarding.FILE).write_text(content)
    assert forwarding.running(tmp_path) is None


@pytest.mark.parametrize(
    "text", ["!!set overlap: 3", "a: !!int abc", "a: !!binary x", "? !!map {a: b}\n: 1", "a: !!python/none"]
)
def test_tags_in_yaml_are_refused(text: str) -> None:
    with pytest.raises(YamlError, match=r"^line 1: tags \(!name\) are not read$"):
        read_yaml(text)
    assert isinstance(yaml.safe_load("!!set {a, b}"), set), "what they would make"


@pytest.mark.parametrize("parents", [1, True, {"a": 1}, "cat", [1]])
def test_parents_of_a_question_that_are_none(tmp_path: Path, parents: Any) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(seeds.lines({"id": "a", "answers": [{**seeds.QUESTIONS[0], "chosen": "yes", "parents": parents}]}))
    (answers,) = read_results(path)
    assert (answers.wrong, answers.answers[0].question.parents) == ((), ())


def test_missing_columns_are_reported_briefly(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(",".join(f"a rather long name of column {n}" for n in range(60)) + "\n")
    with pytest.raises(ValueError, match="and 57 more") as result:
        require_columns(read_table(path), [f"the name of column {n}" for n in range(60)])
    assert len(str(result.value).replace(str(path), "")) < 500


@pytest.mark.parametrize(
    ("change", "said"),
    [
        # each was taken in, and then no statistic of the project could be made
        (("nominal", "=1+1"), "a scale is nominal"),
        (("s,s/1,t,g,i1,clip", "h,s/1,t,g,i1,clip"), "means two different things in this file"),
        ((",nominal,yes,1.0", ",ordinal:1-5,yes,1.0"), "expects a finite number"),
    ],
)
def test_judgements_that_no_statistic_could_follow(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    project, path = tmp_path / "project", tmp_path / "j.csv"
    path.write_bytes(seeds.JUDGEMENTS.replace(change[0].encode(), change[1].encode(), 1))
    ran = concord(project, "import", "exported", path)
    assert ran.status == 1
    assert said in ran.err
    assert tables(project)["judgements"] == []


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("questions", '[{"question_id": "cat"}]', "'questions[0].text' is missing"),
        (
            "images",
            '[{"image": "i", "prompt": "p", "generator": "g", "index": 1e400}]',
            "'images[0].index' is inf, a whole number expected",
        ),
        ("images", "[7]", "'images[0]' is 7, an object expected"),
        (
            "campaign_made",
            '{"title": "C", "questionnaire": "geneval", "overlap": "x"}',
            "'campaign_made.overlap' is 'x', a whole number",
        ),
        ("annotation_id", "0b7c3f3e-0000-4000-8000-000000000002", "stands in it 2 times"),
    ],
)
def test_answers_about_what_was_never_written(tmp_path: Path, column: str, value: str, said: str) -> None:
    first, *others = [json.loads(line) for line in seeds.ANSWERS_JSONL.decode().splitlines()]
    path = tmp_path / "a.jsonl"
    path.write_bytes(seeds.lines(first | {column: value}, *others))
    ran = concord(tmp_path / "project", "import", "exported", path)
    assert (ran.status, ran.out) == (1, "")
    assert said in ran.err
    assert "unexpected" not in ran.err


def _made(folder: Path, settings: dict[str, Any], *seen: Observation) -> RunFolder:
    from hashlib import sha256

    pictures = small_project.geneval_folder(folder / "sdv2")
    small_project.done(folder / "project", "import", "images", pictures, "--layout", "geneval", "--generator", "sdv2")
    file = pictures / "00000" / "samples" / "0000.png"
    run_folder = RunFolder(folder / "run")
    item = WorkItem("geneval/00000/sdv2/0", str(file), sha256(file.read_bytes()).hexdigest(), "a", {})
    scorer = registry.get("geneval" if settings else "tifa")
    profile, usual = next(iter(scorer.profiles.items()))
    run_folder.create(Run("r", scorer.name, scorer.version, profile, {**usual, **settings}), [item])
    run_folder.write_part(0, seen)
    return run_folder


@pytest.mark.parametrize(
    ("settings", "seen", "said"),
    [
        ({}, partial(Observation, payload={"answers": [7]}), "is not valid for tifa"),
        ({}, partial(Observation, payload={"answers": 1e400}), "cannot be read as a part of a run"),
        ({"threshold": []}, Observation, "'settings' of run.json are invalid for geneval"),
        ({"threshold": 0.3}, partial(Observation, detections=(Detection("cow", float("nan"), (1, 2, 3, 4)),)), "not finite"),
    ],
)
def test_runs_that_no_scorer_has_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], seen: Callable[[str], Observation], said: str
) -> None:
    dumps = json.dumps
    monkeypatch.setattr("data.jobs.runs.json.dumps", lambda value, **more: dumps(value, **{**more, "allow_nan": True}))
    run = _made(tmp_path, settings, seen("geneval/00000/sdv2/0"))
    before = tables(tmp_path / "project")
    ran = concord(tmp_path / "project", "import", "scores", run.path)
    assert ran.status == 1
    assert said in ran.err
    assert "unexpected" not in ran.err
    # no rater, no run, no part of it
    assert tables(tmp_path / "project") == before


def test_parts_of_an_address_that_gradio_fails_on(tmp_path: Path) -> None:
    with accounts_app.house(tmp_path, pages=True) as house:
        for name, address in (
            ("anna", "/annotate/?page=geneval"),
            ("anna", "/annotate?p%61ge=x"),
            ("rosa", "/studio/?suite=a&page=x&deep_link=../../x"),
            ("rosa", "/studio/images?deep_link=x"),
        ):
            assert house.account(name).get(address, follow_redirects=True).status_code == 200, address
        assert house.app.openapi()["paths"]["/api/submit"]["post"]["responses"].keys() >= {"200", "403", "404", "422"}


NUMBERS = (
    ("evidence", 985), ("exported judgements: j.parquet", 1292), ("exported ratings: e.parquet", 1258),
    ("exported ratings: e.parquet", 3075), ("image-text matching: rows.jsonl", 849), ("known answers: k.json", 1132),
    ("questionnaire", 1583), ("ratings: argilla.jsonl", 326), ("run", 331), ("run", 440), ("study genai-bench", 391),
    ("study tifa", 232), ("study viescore", 497), ("study viescore", 1458),
)  # fmt: skip
"""Of the first hundred thousand cases those that were answered badly."""


@pytest.mark.parametrize(("name", "number"), NUMBERS)
def test_fuzz_cases_that_once_failed(tmp_path: Path, name: str, number: int) -> None:
    target = next(target for target in READERS if target.name == name)
    assert str(try_case(target, draw_case(target, number), tmp_path / "case") or "") == ""


def test_a_study_with_a_number_of_hundreds_of_digits(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(seeds.TIFA_STUDY.replace(b'"CLIPScore": 0.5', b'"CLIPScore": 1' + b"0" * 400, 1))
    with pytest.raises(ValueError, match=r"'CLIPScore' is 1000.*a number or null expected"):
        read_human_annotations(path)


def test_texts_of_parquet_that_are_no_texts(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "e.parquet"
    pq.write_table(pa.table({"suite": pa.array([b"\xff"]).view(pa.string())}), path)
    with pytest.raises(ValueError, match="byte 0xff in a text is not UTF-8"):
        read_cells(path)
