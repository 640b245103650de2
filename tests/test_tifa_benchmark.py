"""The benchmark of TIFA against the renderer's truth: its figures by hand, and what it says of the committed run."""

from __future__ import annotations

import json

import pytest

from benchmarks.scorers.tifa import PictureCase, VqaAnswer, figures, of_sample
from data.jobs.runs import RunFolder
from data.playground import sample
from data.playground.drawing import CARELESS
from data.prompts.questions import PromptQuestion


def held_answer(chosen: str, true: str | None, answer: str = "yes", kind: str = "object") -> VqaAnswer:
    choices = ("yes", "no") if answer in ("yes", "no") else (answer, "other", "third")
    return VqaAnswer(PromptQuestion("q", "q?", choices, answer, kind, "x"), chosen, true)


def test_accuracy_by_hand() -> None:
    cases = [
        # the model is right about a missing object; TIFA is 0 by both
        PictureCase("a", (held_answer("no", "no"),)),
        PictureCase("a", (held_answer("yes", "yes"), held_answer("red", "blue", "red", "color"))),
        # no answer is true: not counted in accuracy, not met in the score
        PictureCase("b", (held_answer("yes", "yes"), held_answer("red", None, "red", "color"), held_answer("no", "yes"))),
    ]
    assert [case.score(true=True) for case in cases] == pytest.approx([0, 0.5, 2 / 3])
    assert [case.score(true=False) for case in cases] == pytest.approx([0, 1, 2 / 3])
    results = figures(cases)
    assert {name: (entry["value"], entry["n"]) for name, entry in results["accuracy"].items()} == {
        "all": (0.6, 5),
        "object": (0.75, 4),
        "color": (0.0, 1),
        "yes or no": (0.75, 4),
        "several choices": (0.0, 1),
    }
    # always "yes" to yes/no questions is right in three of four; "blue" in the one other
    assert results["accuracy"]["all"]["commonest_answer"] == pytest.approx(4 / 5)
    # ranks 1, 2, 3 against 1, 3, 2
    assert results["spearman"]["value"] == pytest.approx(0.5)
    assert (results["images"], results["spearman"]["n"]) == (3, 3)


def test_the_committed_run_is_near_the_truth() -> None:
    cases = of_sample()
    read = sample.read_sample(sample.FOLDER)
    assert len(cases) == sum(image.generator == CARELESS for image in read.images)
    results = figures(cases)
    accuracy = {name: entry["value"] for name, entry in results["accuracy"].items()}
    assert accuracy["all"] > 0.95
    assert min(accuracy[kind] for kind in ("object", "food", "color", "spatial")) > 0.95
    assert accuracy["counting"] > 0.75
    assert results["spearman"]["low"] > 0.8
    # far above what answering without looking would give
    assert all(entry["value"] > entry["commonest_answer"] + 0.2 for entry in results["accuracy"].values())


def test_the_committed_run_is_of_the_committed_weights() -> None:
    from scorers import registry

    run = RunFolder(sample.FOLDER / "runs" / "tifa-playground").job()
    assert run.settings == registry.settings(registry.get("tifa"), "playground")
    assert json.loads(json.dumps(run.settings))["weights"]
