"""Judges beside people: the numbers are those of the commands and of scipy, and the words name the best of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from concord.studies import judge_words
from concord.studies.judges import JudgedPeople, judges_of
from data.store.core.store import Store
from data.studies.viescore import VIESCORE
from tests.agreement.oracles import stats
from tests.concord.studies import small_studies
from tests.concord.studies.small_studies import CLIP, CONSISTENCY, PAIRS
from tests.ui.small_project import done


@pytest.fixture
def project(tmp_path: Path) -> Path:
    small_studies.imagenhub(tmp_path / "imagenhub")
    small_studies.viescore(tmp_path / "viescore")
    done(tmp_path / "p", "import", "study", "viescore", tmp_path / "viescore", tmp_path / "imagenhub")
    return tmp_path / "p"


def consistency(project: Path) -> JudgedPeople:
    with Store(project) as store:
        first, _ = judges_of(store, "viescore", VIESCORE)
    return first


def test_agreement_is_that_of_scipy_over_all_images(project: Path) -> None:
    judged = consistency(project)
    people = np.array([[[cell[0] for cell in sample] for sample in person] for person in PAIRS]).mean(0).T
    judge = [CONSISTENCY["DALLE2"], CONSISTENCY["SD"]]
    pairs = [
        (float(min(np.ravel(score).astype(float))), mean)
        for scores, means in zip(judge, people, strict=True)
        for score, mean in zip(scores, means, strict=True)
        if score is not None
    ]
    expected = {
        "judge_0shot SC": float(stats.pearsonr(*zip(*pairs, strict=True))[0]),
        "CLIP_Score": float(stats.pearsonr([*CLIP["DALLE2"], *CLIP["SD"]], people.ravel())[0]),
    }
    assert {each.name: each.agreement for each in judged.judges} == pytest.approx(expected)
    assert [each.name for each in judged.judges] == sorted(expected, key=lambda name: -expected[name])


def test_rankings_and_differences_are_those_of_the_commands(project: Path) -> None:
    judged = consistency(project)
    about = ("--aspect", "semantic_consistency", "--format", "json")
    ranked = {(row["scorer"], row["statistic"]): row for row in json.loads(done(project, "rank", *about))["rows"]}
    assert {name for name, _ in ranked} > {each.name for each in judged.judges}  # PQ is another question
    for each in judged.judges:
        assert each.images is not None
        row = ranked[each.name, "pairwise_accuracy"]
        assert (each.images.value, each.images.low, each.images.n_items) == (row["value"], row["low"], row["n_items"])
    best, other = judged.judges
    there, back = judged.ahead(best, other), judged.ahead(other, best)
    assert there is not None
    assert back is not None
    assert (there.value, there.a, there.value_a) == (-(back.value or 0.0), back.b, back.value_b)
    assert (there.low, there.high) == tuple(None if end is None else -end for end in (back.high, back.low))


def test_the_words_name_the_best_and_people_s_level(project: Path) -> None:
    judged = consistency(project)
    best = judged.judges[0]
    agrees, ranks, replaces = (answer for _, answer in judge_words.answers(judged))
    assert agrees.startswith(f"{best.name}, with Pearson’s r {best.agreement:.4f}".replace("-", "−"))
    assert "where people reach" in agrees
    assert f"ahead of the next, {judged.judges[1].name}" in agrees
    assert ranks.startswith("Of two images of a prompt, ")
    assert "30 or more prompts in common" in replaces  # as tenths the judge is on people's scale, which is not the reason
    table = judge_words.table(judged)
    assert table is not None
    names = [row.cells[0].text for row in table.rows]
    assert names == ["people, each against the others", *(each.name for each in judged.judges)]
    assert f"{best.name} agrees best" in judge_words.summary(judged)
