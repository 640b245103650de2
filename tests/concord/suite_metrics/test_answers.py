"""TIFA's and SelfEval's metrics of a project, of scorers and of people, against plain counts of the answers."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from agreement import Options
from agreement.estimate import Estimate
from concord.suite_metrics import suite_metrics
from data.selection import Selection
from data.store.core.store import Store
from tests.ui import matching_evidence, question_project
from tests.ui.question_project import SUITE, mostly, sometimes
from tests.ui.small_project import done, png

POINT = Options(intervals=False)
Key = tuple[str, str, str | None]


def metrics(store: Store, prefix: str) -> dict[tuple[str, str], dict[Key, Estimate]]:
    """Numbers by rater and kind of people, then by statistic, generator and target (or task, where there is one)."""
    made: dict[tuple[str, str], dict[Key, Estimate]] = defaultdict(dict)
    for row in suite_metrics(store, Selection(), POINT):
        if row.statistic.startswith(prefix):
            place = row.target or (None if row.task == "all" else row.task)
            assert (row.statistic, row.generator, place) not in made[row.rater, row.people]
            made[row.rater, row.people][row.statistic, row.generator, place] = row
    return made


def majority(votes: list[str]) -> str | None:
    label, n = Counter(votes).most_common(1)[0]
    return label if 2 * n > len(votes) else None


def test_tifa_of_people_is_that_of_what_most_of_them_answer(tmp_path: Path) -> None:
    folder = question_project.project(tmp_path)
    with Store(folder) as store:
        items = question_project.items(store)
        question_project.answer(store, question_project.VQA, mostly(0.6))
        choices = [mostly(0.8, seed=1), sometimes(mostly(0.8, seed=1), mostly(0.2, seed=5), 0.4, seed=2), mostly(0.5, seed=3)]
        for k, choose in enumerate(choices):
            # the third has seen only some of the images: of others two people may differ
            question_project.say(store, f"p{k}", choose, items if k < 2 else items[::2])
        question_project.say(store, "simulated s", mostly(0.9, seed=9), items[:5])
        made = metrics(store, "tifa")
        assert set(made) == {(question_project.VQA, ""), ("", "real"), ("", "simulated")}
        model, people = mostly(0.6), made["", "real"]
        for answers, found in (("model", made[question_project.VQA, ""]), ("people", people)):
            score: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
            by_type: dict[tuple[str, str], list[bool]] = defaultdict(list)
            for place, item in enumerate(items):
                prompt, generator, _ = item.rsplit("/", 2)
                right = []
                for question in question_project.asked(store, item).questions:
                    voters = [model] if answers == "model" else choices[: 2 + (place % 2 == 0)]
                    said = majority([choose(item, question) for choose in voters])
                    if said is not None:
                        right.append(said == question.answer)
                        by_type[generator, question.element_type].append(right[-1])
                if right:
                    score[generator][prompt].append(sum(right) / len(right))
            for generator, prompts in score.items():
                each = [sum(images) / len(images) for images in prompts.values()]
                assert found["tifa_score", generator, None].value == pytest.approx(sum(each) / len(each), abs=1e-12)
            for (generator, element_type), hits in by_type.items():
                row = found["tifa_accuracy", generator, element_type]
                assert row.value == pytest.approx(sum(hits) / len(hits), abs=1e-12)
                assert row.n_ratings == len(hits)
        left = people["tifa_accuracy", "alpha", None].excluded
        assert left["undecided"] > 0


def test_selfeval_of_people_is_that_of_the_captions_that_most_of_them_choose(tmp_path: Path) -> None:
    offered = {"a": (["x", "y"], 0), "b": (["x", "y", "z", "w"], 2), "c": (["u", "v"], 1), "d": (["u", "v"], 0)}
    lines = []
    for name, (captions, right) in offered.items():
        png(tmp_path / f"{name}.png", "red", (9, 9))
        lines.append({"image": f"{name}.png", "captions": captions, "right": right, "task": "color" if name < "c" else "shape"})
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    project = tmp_path / "project"
    done(project, "import", "itm", tmp_path / "rows.jsonl", "--suite", "itm")
    items = matching_evidence.items(project)
    # most choose the right one, a wrong one, nothing (a tie), and the right one
    chosen = {items[0]: "xxy", items[1]: "xxz", items[2]: "uv", items[3]: "u"}
    rows = ["item,who,caption"] + [f"{item},p{k},{label}" for item, labels in chosen.items() for k, label in enumerate(labels)]
    (tmp_path / "r.csv").write_text("\n".join(rows) + "\n")
    words = ["--item", "item", "--rater", "who", "--value", "caption", "--aspect", "caption", "--scale", "nominal"]
    done(project, "import", "ratings", tmp_path / "r.csv", *words, "--suite", "itm")
    with Store(project) as store:
        fits: dict[str, Any] = {items[0]: [1, 0], items[1]: [0, 0, 1, 0], items[2]: [1, 1], items[3]: [None, 1]}
        matching_evidence.said(store, "clip", fits)
        made = metrics(store, "selfeval")
    (people,), (clip,) = ([of for (rater, _), of in made.items() if bool(rater) == scorer] for scorer in (False, True))
    accuracy, above = people["selfeval_accuracy", "real", None], people["selfeval_above_chance", "real", None]
    assert accuracy.value == pytest.approx(2 / 3)
    assert (accuracy.n_items, accuracy.excluded) == (3, {"not_finite": 1})
    assert above.value == pytest.approx(2 / 3 - (1 / 2 + 1 / 4 + 1 / 2) / 3)
    assert people["selfeval_accuracy", "real", "color"].value == pytest.approx(1 / 2)
    # a tie is not right, and without a number for each caption nothing is known
    assert clip["selfeval_accuracy", "real", None].value == pytest.approx(2 / 3)
    assert clip["selfeval_accuracy", "real", "shape"].value == 0


def test_selections_that_are_not_about_whole_images_have_no_metrics(tmp_path: Path) -> None:
    folder = question_project.project(tmp_path)
    with Store(folder) as store:
        question_project.answer(store, question_project.VQA, mostly(0.6))
        assert suite_metrics(store, Selection(suite=(SUITE,)), POINT)
        assert suite_metrics(store, Selection(suite=(SUITE,), target=("cow",)), POINT) == ()
        assert suite_metrics(store, Selection(certainty=("split",)), POINT) == ()
        assert suite_metrics(store, Selection(suite=("other",)), POINT) == ()
        assert suite_metrics(store, Selection(aspect=("quality",)), POINT) == ()
