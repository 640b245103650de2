"""Imports of five published studies, and their numbers computed again, on small files: against scipy and krippendorff."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import app
from concord.studies import audit, benchmarks
from concord.studies.benchmarks import AS_MARKED, EQUAL_TERMS, FOUR_DIGITS, MEAN_OF_RHO, OTHER_WORDS
from concord.studies.comparison import ComparedNumber
from data.store import imports, library
from data.store.core.store import Store
from data.store.judgements import scorer_evidence
from data.studies.arena import ARENA
from data.studies.genai_bench import GENAI_BENCH
from data.studies.imagenhub import IMAGENHUB, OVERALL
from data.studies.printed_numbers import PrintedNumber, PublishedStudy
from data.studies.tia2 import TIA2
from data.studies.viescore import VIESCORE
from tests.agreement.oracles import krippendorff, stats
from tests.concord.studies import small_studies
from tests.concord.studies.small_studies import CONSISTENCY, GENERATORS, PAIRS, QUALITY
from tests.ui.small_project import Ran, concord, done

VIE = {"DALLE": "DALLE2", "SD": "SD"}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The folder of `reproduce all`."""
    small_studies.genai_bench(tmp_path / "genai-bench")
    small_studies.imagenhub(tmp_path / "imagenhub")
    small_studies.viescore(tmp_path / "viescore")
    small_studies.tia2(tmp_path / "tia2")
    small_studies.arena(tmp_path / "arena-votes")
    return tmp_path


def commands(files: Path) -> dict[str, list[object]]:
    return {
        "genai-bench": [files / "genai-bench"],
        "imagenhub": [files / "imagenhub"],
        "viescore": [files / "viescore", files / "imagenhub"],
        "tia2": [files / "tia2"],
        "arena": [files / "arena-votes"],
    }


@pytest.mark.parametrize("study", ["genai-bench", "imagenhub", "viescore", "tia2", "arena"])
def test_an_import_is_said_repeated_and_undone(files: Path, study: str) -> None:
    project = files / "project"
    ran = concord(project, "import", "study", study, *commands(files)[study])
    fields = {
        "genai-bench": "study genai-bench 1600: 18 annotations, 6 images (import 1)\n",
        "imagenhub": "study imagenhub text-to-image: 24 annotations, 8 images (import 1)\n",
        "viescore": "study viescore text-to-image: 8 images, 23 scores, 3 scorers (import 2)\n",
        "tia2": "study tia2 labels: 10 annotations, 4 images, 2 scores (import 1)\n",
        "arena": "study arena votes: 4 annotations, 4 pairs, 8 scores, 2 scorers (import 1)\n",
    }
    assert ran.status == 0, ran.err
    assert ran.out.endswith(fields[study])
    left_out = {
        "genai-bench": "genai_image_1600.json:2: 00000, DALLE_3, rating 2: 41 is not on the scale",
        "viescore": "judge_0shot SC: 1 images have no value",
        "tia2": 'human_labels_composition.json: 2 labels say "no answer"',
        "arena": "gemini_pairwise.jsonl:2: vote 1: the judge's answer",
    }
    assert left_out.get(study, "") in ran.err
    assert "imported before" in done(project, "import", "study", study, *commands(files)[study])
    with Store(project) as store:
        ids = [row.import_id for row in imports.listed(store)]
    for number in reversed(ids):
        done(project, "import", "undo", number)
    assert "judgements remade" in done(project, "rebuild")
    assert concord(project, "export", "ratings", "-o", files / "ratings.csv").status == 1
    assert done(project, "import", "study", study, *commands(files)[study]).endswith(
        fields[study].replace("import 2", f"import {2 * len(ids)}").replace("import 1", f"import {len(ids) + 1}")
    )


def test_a_wrong_file_brings_nothing(files: Path) -> None:
    (files / "viescore" / "results_judge_0shot/ImagenHub_Text-Guided_IG/SD/PQ.json").write_text(
        '{"sample_0.jpg": {"score": "?"}}'
    )
    ran = concord(files / "project", "import", "study", "viescore", *commands(files)["viescore"])
    assert (ran.status, ran.out) == (1, "")
    assert "SD/PQ.json:1: sample_0.jpg: the score is '?'" in ran.err
    assert concord(files / "project", "import", "undo").status == 1  # nothing has been imported


def test_judges_after_people_in_one_project(files: Path) -> None:
    """Both studies are about the same images; ImagenHub's files hold no texts, which VIEScore brings in either order."""
    project = files / "project"
    done(project, "import", "study", "imagenhub", *commands(files)["imagenhub"])
    with Store(project) as store:
        assert [prompt.text for prompt in library.prompts_of_suite(store, "imagenhub")][:1] == ["sample_0.jpg"]
    assert "imported before as import 1" in done(project, "import", "study", "viescore", *commands(files)["viescore"])
    done(files / "other", "import", "study", "viescore", *commands(files)["viescore"])
    done(files / "other", "import", "study", "imagenhub", *commands(files)["imagenhub"])
    with Store(project) as store, Store(files / "other") as other:
        texts = library.prompts_of_suite(store, "imagenhub")
        assert {prompt.text for prompt in texts} == {"A black banana."}
        assert texts == library.prompts_of_suite(other, "imagenhub")
        results = scorer_evidence.imported_words(store, "imagenhub", "imagenhub/00000/DALLE/0")
    assert results["imagenhub/00000/DALLE/0", "judge_0shot PQ"].reasoning == "odd shape"
    rows = json.loads(done(project, "agreement", "--format", "json", "--no-intervals", "--statistic", "spearman"))["raters"]
    met = {(row["aspect"], row["rater"]) for row in rows if row["value"] is not None}
    assert met >= {("semantic_consistency", "judge_0shot SC"), ("perceptual_quality", "judge_0shot PQ")}


def compared(files: Path, study: str, printed: PublishedStudy, monkeypatch: pytest.MonkeyPatch) -> dict[str, ComparedNumber]:
    """The numbers of a study with made-up printed ones, by what they are called."""
    name = {"genai-bench": "GENAI_BENCH", "imagenhub": "IMAGENHUB", "viescore": "VIESCORE", "tia2": "TIA2", "arena": "ARENA"}
    monkeypatch.setattr(benchmarks, name[study], printed)
    concord(files / "project", "import", "study", study, *commands(files)[study])
    with Store(files / "project") as store:
        return {line.number.called: line for line in benchmarks.REPRODUCTIONS[study].compare(store)}


def people(aspect: str, generator: str) -> np.ndarray[Any, Any]:
    """(persons, samples)."""
    pairs = np.array([[cells[GENERATORS.index(generator)] for cells in samples] for samples in PAIRS], float)
    result: np.ndarray[Any, Any] = {"SC": pairs[..., 0], "PQ": pairs[..., 1], "O": np.sqrt(pairs.prod(-1))}[aspect]
    return result


def test_imagenhub_by_krippendorff_and_by_hand(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"SC": "semantic_consistency", "PQ": "perceptual_quality", "O": OVERALL}
    numbers = [
        PrintedNumber(
            f"alpha {column} {generator}", "T", "0.5", "krippendorff_alpha_ordinal", generator=generator, aspect=aspect
        )
        for column, aspect in names.items()
        for generator in GENERATORS
    ]
    kappa = PrintedNumber("kappa", "T", "0.11", "fleiss_kappa", generator="DALLE")
    study = replace(IMAGENHUB, sources=dict.fromkeys(GENERATORS, ""), numbers=(*numbers, kappa))
    results = compared(files, "imagenhub", study, monkeypatch)
    for column in names:
        for generator in GENERATORS:
            expected = krippendorff.alpha(people(column, generator), level_of_measurement="ordinal")
            assert results[f"alpha {column} {generator}"].value == pytest.approx(expected, abs=1e-9)
    # SC of DALLE: 1 1 .5 | .5 .5 0 | 1 1 1 | 0 0 .5: agreeing pairs 1/3, 1/3, 1, 1/3, so p_a = 1/2;
    # of 12 ratings 5 are 1, 4 are .5 and 3 are 0: p_e = (25 + 16 + 9) / 144
    line = results["kappa"]
    assert line.value == pytest.approx((1 / 2 - 50 / 144) / (1 - 50 / 144))
    assert (line.n_items, line.n_ratings, line.verdict) == (4, 12, "different")


def test_genai_bench_as_released_and_cleaned(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = replace(GENAI_BENCH, sources={"DALLE_3": "", "SDXL_Base": ""})
    results = compared(files, "genai-bench", study, monkeypatch)
    ratings = np.array([[5, 41, 4], [2, 2, 3], [3, 3, 4], [1, 1, 2], [5, 4, 5], [2, 1, 1]], float).T
    cleaned = np.where(ratings > 5, np.nan, ratings)
    expected = {
        "Krippendorff's alpha, as released": krippendorff.alpha(ratings, level_of_measurement="interval"),
        "Krippendorff's alpha, as released, by order": krippendorff.alpha(ratings, level_of_measurement="ordinal"),
        "Krippendorff's alpha, cleaned": krippendorff.alpha(cleaned, level_of_measurement="interval"),
    }
    assert {name: line.value for name, line in results.items()} == pytest.approx(expected, abs=1e-9)
    assert results["Krippendorff's alpha, cleaned"].beside["krippendorff_alpha_ordinal"] == pytest.approx(
        krippendorff.alpha(cleaned, level_of_measurement="ordinal"), abs=1e-9
    )
    assert [results[name].n_ratings for name in expected] == [18, 18, 17]


def rho(x: Any, y: Any) -> float:
    return float(stats.spearmanr(x, y).statistic)


def judge(column: str, generator: str) -> tuple[list[int], np.ndarray[Any, Any]]:
    """The samples of which a judge has both scores, and its scores of these."""
    parts: dict[str, list[Any]] = {"SC": CONSISTENCY[VIE[generator]], "PQ": QUALITY[VIE[generator]]}
    smallest = {
        part: [None if each is None else min(map(float, each if isinstance(each, list) else [each])) for each in scores]
        for part, scores in parts.items()
    }
    both = [n for n in range(4) if smallest["SC"][n] is not None and smallest["PQ"][n] is not None]
    consistency, quality = (np.array([smallest[part][n] for n in both], float) / 10 for part in ("SC", "PQ"))
    return both, {"SC": consistency, "PQ": quality, "O": np.sqrt(consistency * quality)}[column]


def test_viescore_as_its_notebook_averages_and_plainly(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aspects = {"SC": "semantic_consistency", "PQ": "perceptual_quality", "O": OVERALL}
    numbers = [
        PrintedNumber(f"{rater} {column}", "T", "0.1", "spearman", rater=rater, aspect=aspect)
        for rater in ("people", "judge_0shot")
        for column, aspect in aspects.items()
    ]
    study = replace(VIESCORE, sources=dict.fromkeys(GENERATORS, ""), numbers=tuple(numbers))
    results = compared(files, "viescore", study, monkeypatch)
    for column in aspects:
        among = [[rho(p[k], np.delete(p, k, 0).mean(0)) for k in range(3)] for p in (people(column, g) for g in GENERATORS)]
        twice = np.tanh(np.mean([np.tanh(np.mean(each)) for each in among]))
        assert results[f"people {column}"].value == pytest.approx(twice)
        beside = results[f"people {column}"].beside
        assert beside[MEAN_OF_RHO] == pytest.approx(np.mean(among))
        printed = [round(float(np.tanh(np.mean(each))), 4) for each in among]
        assert beside[FOUR_DIGITS] == pytest.approx(np.tanh(np.mean(printed)), abs=1e-12)
        plain, equal = [], []
        for generator in GENERATORS:
            both, scores = judge(column, generator)
            ratings = people(column, generator)[:, both]
            plain.append(rho(scores, ratings.mean(0)))
            equal += [rho(scores, ratings[list(two)].mean(0)) for two in combinations(range(3), 2)]
        line = results[f"judge_0shot {column}"]
        assert line.value == pytest.approx(np.tanh(np.mean(plain)))
        assert line.beside[MEAN_OF_RHO] == pytest.approx(np.mean(plain))
        assert line.beside[EQUAL_TERMS] == pytest.approx(np.mean(equal))
        assert line.n_items == 7


def test_tia2_by_strict_majority_of_valid_labels(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = compared(files, "tia2", TIA2, monkeypatch)
    values = {
        name: (line.number.printed, line.value, line.n_items, line.n_ratings, line.verdict) for name, line in results.items()
    }
    assert values == {
        "tia2/composition-000": ("0.5000", 0.5, 2, 4, "same"),
        "tia2/comprehensive-000": ("1.0000", 1.0, 1, 3, "same"),
    }


def test_the_arena_counts_what_names_no_vote_as_wrong(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = tuple(
        PrintedNumber(rater, "T", printed, "percent_agreement", percent=True, rater=rater)
        for rater, printed in (("gemini", "50.00"), ("gpt", "75.00"), ("nobody", "1.00"))
    )
    results = compared(files, "arena", replace(ARENA, numbers=numbers), monkeypatch)
    assert [(line.value, line.verdict) for line in results.values()] == [
        (0.25, "different"),
        (0.75, "same"),
        (None, "not_determined"),
    ]
    assert results["gemini"].beside == {AS_MARKED: 0.5, OTHER_WORDS: 0.5}


def test_the_audit_of_all_of_them(files: Path) -> None:
    ran = reproduced("all", files, "--format", "md")
    assert ran.status == 1
    assert "determined numbers not as printed" in ran.err
    for words in (
        "# Audit of published studies",
        "**Claim.**",
        "| in the paper | printed | ours |",
        "2 of 2 shares are as released",
    ):
        assert words in ran.out
    document = json.loads(reproduced("all", files, "--format", "json").out)
    assert set(document) == set(commands(files))
    ran = reproduced("all", files / "tia2")
    assert (ran.status, ran.out) == (1, "")
    assert "no study in this folder; they are called geneval, tifa, genai-bench" in ran.err


def reproduced(*words: object) -> Ran:
    ran = CliRunner().invoke(app.app, ["reproduce", *map(str, words)])
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    return Ran(ran.exit_code, ran.stdout, ran.stderr)


def test_every_number_that_the_chapters_name_is_printed_somewhere() -> None:
    for study in (ARENA, GENAI_BENCH, IMAGENHUB, TIA2, VIESCORE):
        named = {*(number.called for number in study.numbers), "same", "determined"}
        for words in (study.files_say, study.consequence):
            for name in audit.names_in(words):
                assert name.split("|")[0] in named, name
