"""``import results`` and ``export results``: GenEval's and VISOR's own files, in and out of a project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from concord.judging import judge, rule_version_of
from data.formats.official_results import GenEvalResult, format_result
from data.jobs.runs import Detection, Observation, Run
from data.prompts import geneval_suite, sr2d_suite
from data.records import Evidence, Image, Prompt, Rater, image_item
from data.store import imports, runs
from data.store.core.store import Store
from data.store.imports import ImportBundle, ImportedRun
from data.store.judgements import scorer_evidence
from scorers import registry
from tests.ui import small_project
from tests.ui.small_project import concord, done, query, tables

PROMPTS = geneval_suite.sample()
RED_CUP = next(prompt for prompt in PROMPTS if prompt.task == "colors")
TWO = next(prompt for prompt in PROMPTS if prompt.task == "two_object")
BOX = (0.0, 0.0, 9.0, 9.0)


def name(prompt_id: str, k: int = 0, folder: str = "out/sd/") -> str:
    return f"{folder}{prompt_id.rsplit('/', 1)[-1]}/samples/{k:04d}.png"


def line(prompt: Any, k: int, correct: bool, reason: str = "", details: Any = None, folder: str = "out/sd/") -> str:
    return format_result(
        GenEvalResult(name(prompt.prompt_id, k, folder), prompt.task, prompt.text, correct, reason, prompt.spec, details or {})
    )


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Four images: a right colour, a wrong one, a pair of which one is missing, and a pair."""
    car, wanted = RED_CUP.spec["include"][0]["class"], RED_CUP.spec["include"][0]["color"]
    first, second = (entry["class"] for entry in TWO.spec["include"])
    path = tmp_path / "results.jsonl"
    path.write_text(
        line(RED_CUP, 0, True, "", {car: [(BOX, 0.75), (BOX, 0.5)]})
        + line(RED_CUP, 1, False, f"expected {wanted} {car}>=1, found 0 {wanted}; and 1 black", {car: [(BOX, 0.75)]})
        + line(TWO, 0, False, f"expected {second}>=1, found 0", {first: [(BOX, 0.5)]})
        + line(TWO, 1, True, "", {first: [(BOX, 0.5)], second: [(BOX, 0.4)]})
    )
    return path


def said(project: Path, aspect: str, rater: str = "geneval-official") -> list[Any]:
    return query(
        project,
        "select item_id || ' ' || coalesce(target || ' ', '') || coalesce(label, reason) from judgements"
        f" where aspect = '{aspect}' and rater_id = '{rater}' order by all",
    )


def test_verdicts_come_in_with_all_that_follows_from_their_boxes(project: Path, results: Path) -> None:
    out = done(project, "import", "results", "geneval", results)
    assert out == "4 images of sd judged by geneval-official (import 1; to take it back: import undo 1)\n"
    red, two = RED_CUP.prompt_id, TWO.prompt_id
    car = RED_CUP.spec["include"][0]["class"]
    first, second = (entry["class"] for entry in TWO.spec["include"])
    assert said(project, "correct") == sorted([f"{red}/sd/0 yes", f"{red}/sd/1 no", f"{two}/sd/0 no", f"{two}/sd/1 yes"])
    assert said(project, "color") == [f"{red}/sd/0 {car} yes", f"{red}/sd/1 {car} no"]
    counts = [
        (red, 0, car, 2),
        (red, 1, car, 1),
        (two, 0, first, 1),
        (two, 0, second, 0),
        (two, 1, first, 1),
        (two, 1, second, 1),
    ]
    assert said(project, "count") == sorted(f"{prompt}/sd/{k} {thing} {n}" for prompt, k, thing, n in counts)
    assert query(project, "select text from prompts order by text") == sorted([RED_CUP.text, TWO.text])
    before = tables(project)
    # what was seen stays evidence, so a rebuild changes nothing, and the same file is the same import
    done(project, "rebuild")
    assert tables(project) == before
    assert done(project, "import", "results", "geneval", results) == "nothing to do: this was imported before, as import 1\n"
    with Store(project) as store:
        (row,) = runs.listed(store)
        (by,) = scorer_evidence.evidence_of_item(store, f"{red}/sd/0")
    assert (row.state, row.scorer, row.n_done, row.rater_id) == ("done", "geneval-results", 4, "geneval-official")
    assert [(detection.label, detection.score) for detection in by.seen.detections] == [(car, 0.75), (car, 0.5)]
    assert "1 runs" in done(project, "import", "undo", 1)
    assert {table: rows for table, rows in tables(project).items() if rows} == {}


def test_they_meet_the_projects_images_and_prompts(project: Path, tmp_path: Path) -> None:
    """The project's own spec is judged by; another text is refused whole."""
    images = small_project.geneval_folder(tmp_path / "sdv2")
    done(project, "import", "images", images, "--layout", "geneval", "--generator", "sdv2")
    cow = small_project.METADATA[0]
    path = tmp_path / "results.jsonl"
    theirs = GenEvalResult("x/0/samples/1.png", "single_object", cow["prompt"], True, "", cow, {"cow": [(BOX, 0.9)]})  # type: ignore[arg-type]
    path.write_text(format_result(theirs))
    done(project, "import", "results", "geneval", path, "--generator", "sdv2", "--rater", "theirs")
    assert said(project, "correct", "theirs") == ["geneval/00000/sdv2/1 yes"]
    assert query(project, "select count(*) from images") == [4]
    path.write_text(path.read_text().replace("a photo of a cow", "a photo of a horse"))
    before = tables(project)
    ran = concord(project, "import", "results", "geneval", path, "--generator", "other")
    assert ran.status == 1
    assert "answers are about other texts than the project's" in ran.err
    assert tables(project) == before
    done(project, "import", "undo", 2)
    assert query(project, "select count(*) from images") == [4]


def test_bad_lines_are_left_out_and_told(project: Path, results: Path) -> None:
    good = results.read_text()
    first = json.loads(good.splitlines()[0])
    results.write_text(
        good
        + "nonsense\n"
        + json.dumps({**first, "filename": "sd/a.png"}) + "\n"
        + json.dumps({**first, "correct": "yes"}) + "\n"
        + json.dumps({**first, "metadata": {"include": 3}}) + "\n"
        + json.dumps({**first, "filename": "7/samples/0.png"}) + "\n"
        + json.dumps(first) + "\n"
    )  # fmt: skip
    ran = concord(project, "import", "results", "geneval", results)
    assert ran.status == 1
    assert ran.out.startswith("4 images of sd judged by geneval-official")
    assert [text.removeprefix(f"left out: {results}:") for text in ran.err.splitlines()] == [
        "5: not JSON (Expecting value, character 1)",
        "6: 'filename' is 'sd/a.png', .../00042/samples/0000.png expected",
        "7: 'correct' is 'yes', true or false expected",
        "8: 'include' must be a list, got int",
        "9: 'filename' '7/samples/0.png' does not name the generator of the image; add --generator NAME",
        f"10: {RED_CUP.prompt_id}/sd/0 occurs on an earlier line",
        "import results geneval: 6 lines skipped (see above); the rest is imported",
    ]
    assert len(said(project, "correct")) == 4
    # a longer file of the same images brings what is new
    results.write_text(good + line(TWO, 2, True, "", {entry["class"]: [(BOX, 0.5)] for entry in TWO.spec["include"]}))
    ran = concord(project, "import", "results", "geneval", results)
    assert ran.out.startswith("1 image of sd judged by geneval-official (import 2")
    assert ran.err.count("geneval-official has judged it before") == 4
    assert len(said(project, "correct")) == 5
    results.write_text("nonsense\n")
    ran = concord(project, "import", "results", "geneval", results)
    assert (ran.status, ran.out) == (1, "")


def test_the_files_verdict_stands_where_its_boxes_say_otherwise(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(line(TWO, 0, True, "", {}) + json.dumps({**json.loads(line(TWO, 1, True)), "details": None}) + "\n")
    ran = concord(project, "import", "results", "geneval", path)
    assert ran.status == 0
    label = "1 verdict not as the boxes beside would have it"
    assert ran.err == f"{label}, e.g. of {TWO.prompt_id}/sd/0; the file's verdicts are in\n"
    assert said(project, "correct") == [f"{TWO.prompt_id}/sd/0 yes", f"{TWO.prompt_id}/sd/1 yes"]
    assert len(said(project, "present")) == 2  # of the one that has details


def test_several_generators_come_from_one_file(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(line(TWO, 0, True, folder="out/a/") + line(TWO, 0, False, "x", folder="out/b/"))
    done(project, "import", "results", "geneval", path)
    assert query(project, "select distinct generator from images order by 1") == ["a", "b"]
    ran = concord(project, "import", "results", "geneval", path, "--generator", "one", "--suite", "bad/name")
    assert ran.status == 1
    assert "the suite's name" in ran.err


def test_what_was_imported_is_exported_letter_by_letter(project: Path, results: Path, tmp_path: Path) -> None:
    done(project, "import", "results", "geneval", results)
    target = tmp_path / "back.jsonl"
    said = done(project, "export", "results", "geneval", "--rater", "geneval-official", "-o", target)
    assert said == f"4 images in {target}\n"
    expected = results.read_text().replace("out\\/sd\\/", "sd\\/")
    assert sorted(target.read_text().splitlines()) == sorted(expected.splitlines())
    done(project, "export", "results", "geneval", "--rater", "geneval-official", "--task", "colors", "-o", target)
    assert len(target.read_text().splitlines()) == 2
    for words, why in (
        (("--rater", "nobody"), "no run of geneval or geneval-results is by this rater; known: geneval-official"),
        (("--rater", "geneval-official", "--task", "x"), "geneval-official has seen no image of this selection"),
        (("--rater", "geneval-official"), "cannot be written"),
    ):
        file = tmp_path / "no" / "x" if why == "cannot be written" else target
        ran = concord(project, "export", "results", "geneval", "-o", file, *words)
        assert (ran.status, ran.err.count("\n")) == (1, 1)
        assert why in ran.err
    assert len(target.read_text().splitlines()) == 2


def observed(project: Path, generator: str, numbers: list[int], prompts: list[Prompt] | None = None) -> None:
    """VISOR's verdicts on images of SR2D, or of other prompts, as a run that was made elsewhere."""
    scorer = registry.get("visor")
    settings = {"threshold": 0.1}
    rater = Rater("visor-playground", "scorer", None, scorer.version, settings)
    prompts = prompts or [sr2d_suite.numbered_prompt(number) for number in numbers]
    images = [Image(prompt.prompt_id, generator, 2) for prompt in prompts]
    seen = [
        Observation(
            image.image_id,
            {},
            tuple(Detection(prompt.spec[side], 0.5, (9.0 * k, 0.0, 9.0 * k + 2, 2.0)) for k, side in enumerate("ab")),
        )
        for image, prompt in zip(images, prompts, strict=True)
    ]
    run_id = f"run-{generator}"
    evidence = [
        Evidence(
            f"{run_id}:{observation.item_id}",
            observation.item_id,
            rater.rater_id,
            {},
            judge(scorer, prompt, observation, settings),
            rule_version_of(scorer),
        )
        for observation, prompt in zip(seen, prompts, strict=True)
    ]
    run = Run(run_id, "visor", scorer.version, "playground", settings)
    bundle = ImportBundle(
        "scores",
        run_id,
        run_id,
        prompts=prompts,
        images=images,
        items=[image_item(image, prompt) for image, prompt in zip(images, prompts, strict=True)],
        raters=[rater],
        scales=[(prompts[0].suite, aspect, "nominal") for aspect in ("correct", "present", "position")],
        evidence=evidence,
        observed=ImportedRun(run, rater.rater_id, f"runs/{run_id}", seen),
    )
    with Store(project) as store:
        imports.apply(store, [bundle])


def test_visors_detections_are_exported_for_one_generator(project: Path, tmp_path: Path) -> None:
    observed(project, "sd", [1100, 1103])  # a bicycle to the left of a kite, a kite to the right of a bicycle
    target = tmp_path / "results_sd_text_spatial_rel_phrases_owlvit_0.1.json"
    words = ("export", "results", "visor", "--rater", "visor-playground", "-o", target)
    assert done(project, *words) == f"2 images in {target}\n"
    payload = json.loads(target.read_text())
    assert {key: (entry["classes"], entry["sra"], entry["recall"]) for key, entry in payload.items()} == {
        "1100_2": (["bicycle", "kite"], 1, 2),
        "1103_2": (["kite", "bicycle"], 0, 2),
    }
    assert payload["1103_2"]["centroid"] == [[1.0, 1.0], [10.0, 1.0]]
    observed(project, "glide", [1100])
    ran = concord(project, *words)
    assert ran.status == 2
    assert "VISOR's file is for one generator, and there are 'sd' and 'glide'; choose one: --generator" in ran.err
    assert len(json.loads(target.read_text())) == 2
    assert done(project, *words, "--generator", "glide") == f"1 image in {target}\n"


def test_visors_variants_are_exported_by_the_numbers_of_sr2d(project: Path, tmp_path: Path) -> None:
    split = next(prompt for prompt in sr2d_suite.split_sentence_prompts() if prompt.prompt_id == "sr2d-split/01100")
    observed(project, "split", [], [split])
    target = tmp_path / "split.json"
    words = ("export", "results", "visor", "--rater", "visor-playground", "-o", target)
    assert done(project, *words) == f"1 image in {target}\n"
    payload = json.loads(target.read_text())
    # visor.py finds the text by the number
    assert payload.keys() == {"1100_2"}
    assert (payload["1100_2"]["text"], payload["1100_2"]["sra"]) == ("a bicycle to the left of a kite", 1)

    attributes = sr2d_suite.attribute_prompts(n=2)
    observed(project, "said", [], attributes)
    ran = concord(project, *words, "--generator", "said")
    assert ran.status == 2
    assert ran.err.count("\n") == 1
    assert 'one combination of attributes, and there are 16; choose one, such as --task "none, none"' in ran.err
    assert done(project, *words, "--generator", "said", "--task", "Z, ZC") == f"2 images in {target}\n"
    expected = {
        f"{sr2d_suite.prompt_number(attribute.spec['a'], attribute.spec['b'], attribute.spec['relation'])}_2"
        for attribute in attributes
    }
    assert json.loads(target.read_text()).keys() == expected
