"""One model against another: the paired difference, by task, and the prompts it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from concord.comparison.model_comparison import RatedAspect, compare_models, rated_aspects
from data.store.core.store import Store
from tests.concord import generators_project


def test_differences_and_regressions_are_those_that_were_made(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        generators_project.fill(store)
        assert rated_aspects(store, "s") == (
            RatedAspect("people", "correct"), RatedAspect("scores", "score"), RatedAspect("verdicts", "correct"),
        )  # fmt: skip
        made = compare_models(store, "s", "bad", "good", RatedAspect("people", "correct"))
        unknown = compare_models(store, "s", "bad", "nobody", RatedAspect("people", "correct"))
    assert made.overall is not None
    assert made.overall.value == pytest.approx(0.5)
    worse = [n for n in range(12) if generators_project.is_right("bad", n) and not generators_project.is_right("good", n)]
    better = [n for n in range(12) if generators_project.is_right("good", n) and not generators_project.is_right("bad", n)]
    counted = (made.overall.wins, made.overall.losses, made.overall.ties)
    assert counted == (len(better), len(worse), 12 - len(better) - len(worse))
    assert [pair.prompt for pair in made.pairs if pair.change < 0] == [f"s/{n}" for n in worse]
    assert made.pairs[0].text == f"prompt {worse[0]}"
    assert [name for name, _ in made.by_task] == ["t1", "t2"]
    assert (unknown.overall, unknown.pairs) == (None, ())


def test_a_task_compares_its_own_prompts_and_answers_are_counted_by_image(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        generators_project.fill(store)
        made = compare_models(store, "s", "bad", "good", RatedAspect("people", "correct"), "t1")
    assert made.overall is not None
    assert (made.overall.prompts, made.by_task) == (6, ())
    assert {pair.task for pair in made.pairs} == {"t1"}
    assert made.answers["s/2/good/0"] == (2.0, 2)
    assert len(made.answers) == 12
