"""The real studies, where they are at hand: what `reproduce` says of the papers' numbers, and ours against a plain restatement.

What these files taught is also proven on small hand-made ones (``tests/data/studies``), which are always there.
"""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import app  # noqa: F401 - declares the commands
from agreement import Options
from concord import agreement
from concord.common.context import Context
from concord.studies.reproduce import ComparedNumber, compare
from data.store.core.selection import Selection
from data.store.core.store import Store
from data.studies.published import STUDIES as PUBLISHED
from tests.agreement.oracles import krippendorff, stats
from ui import commands

STUDIES = Path(__file__).resolve().parents[2] / "shared" / "studies"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not STUDIES.is_dir(), reason="the published studies are not beside this checkout"),
]

GENEVAL = {"sdv2": "annotations_sdv2.csv", "if-xl": "annotations_if-xl.csv"}
TASKS = ("single_object", "two_object", "counting", "colors", "position", "color_attr")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A project with both studies, imported by command."""
    sources = [f"{name}={STUDIES / 'geneval' / file}" for name, file in GENEVAL.items()]
    with Store(tmp_path_factory.mktemp("project")) as store:
        out, err = io.StringIO(), io.StringIO()
        context = Context(store, Path.cwd(), out, err)
        metadata = str(STUDIES / "geneval" / "evaluation_metadata.jsonl")
        assert commands.run(context, "import study geneval", {"metadata": metadata, "sources": sources}) == 0, err.getvalue()
        file = str(STUDIES / "tifa" / "human_annotations_with_scores.json")
        assert commands.run(context, "import study tifa", {"file": file}) == 0, err.getvalue()
        assert out.getvalue().count("2000 annotations of 400 images") == 2
        yield store


@pytest.fixture(scope="module")
def rows(store: Store) -> agreement.Rows:
    """All point estimates."""
    return agreement.compute(store, Selection(), Options(intervals=False))


def verdicts(store: Store, study: str, verdict: str) -> dict[str, ComparedNumber]:
    """What `reproduce` says of a study, by what the paper calls the number."""
    return {line.number.called: line for line in compare(store, PUBLISHED[study]) if line.verdict == verdict}


def test_geneval__what_two_of_three_sources_determine_is_as_printed(store: Store) -> None:
    same, undetermined = verdicts(store, "geneval", "same"), verdicts(store, "geneval", "not_determined")
    parts = ("Human", "Images", "Prompts", "Annotations of each image")
    assert set(same) == {f"{part}, {name}" for part in parts for name in ("SDv2.1", "IF-XL")}
    assert [same[f"Human, {name}"].rounded for name in ("SDv2.1", "IF-XL")] == ["0.57", "0.72"]
    assert len(same) + len(undetermined) == len(PUBLISHED["geneval"].numbers)
    assert {line.reason for line in undetermined.values()} == {"no clip in these data"}
    unanimous = sum(len(set(image)) == 1 for source in GENEVAL for task in labels(source).values() for image in task.values())
    assert undetermined["Unanimous examples"].value == unanimous == 555
    assert undetermined["Annotations"].value == 4000


def test_tifa__all_but_alpha_is_as_printed(store: Store) -> None:
    same, different = verdicts(store, "tifa", "same"), verdicts(store, "tifa", "different")
    assert set(different) == {"Krippendorff's alpha, Likert scores"}
    assert len(same) == 2 * 10 + 4 == len(PUBLISHED["tifa"].numbers) - 1
    (alpha,) = different.values()
    assert (alpha.number.printed, alpha.rounded) == ("0.67", "0.68")
    mplug = same["Spearman's rho, TIFA (mPLUG)"]
    assert mplug.rounded == "59.7"
    assert mplug.value == pytest.approx(0.596720, abs=5e-7)
    assert mplug.beside == {"spearman": pytest.approx(0.592188, abs=5e-7)}


def test_tifa__alpha_as_the_library_has_it(store: Store) -> None:
    file = STUDIES / "tifa" / "human_annotations_with_scores.json"
    scores = np.array([entry["human_scores"] for entry in json.loads(file.read_text(encoding="utf-8")).values()], float).T
    (line,) = verdicts(store, "tifa", "different").values()
    found = {line.number.statistic: line.value, **line.beside}
    expected = {
        f"krippendorff_alpha_{level}": krippendorff.alpha(scores, level_of_measurement=level)
        for level in ("nominal", "ordinal", "interval", "ratio")
    }
    assert found == pytest.approx(expected, abs=1e-9)


def value(rows: list[dict[str, Any]], **key: Any) -> float:
    """The one value with these keys."""
    found = [row["value"] for row in rows if all(row[name] == wanted for name, wanted in key.items())]
    assert len(found) == 1, f"{key}: {len(found)} rows"
    assert isinstance(found[0], float)
    return found[0]


def labels(source: str) -> dict[str, dict[str, list[bool]]]:
    """Task, then image, then each annotation's verdict in file order: a restatement of the paper's rule on raw cells."""
    with (STUDIES / "geneval" / "evaluation_metadata.jsonl").open(encoding="utf-8") as lines:
        metadata = [json.loads(line) for line in lines]
    text = (STUDIES / "geneval" / GENEVAL[source]).read_bytes().decode("utf-8")
    # the records end at LF alone; a bare CR is part of a free text that no rule reads
    table = csv.DictReader(io.StringIO(text.replace("\r", " ")))
    verdicts: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for record in table:
        spec = metadata[int(record["Input.prompt_id"])]
        verdicts[spec["tag"]][record["Input.index"]].append(right(spec, record))
    return verdicts


def right(spec: dict[str, Any], record: dict[str, str]) -> bool:
    for k, wanted in enumerate(spec["include"]):
        count = float(record[f"Answer.task-count-{k}"] or 0)
        if count < 1 or (spec["tag"] == "counting" and count != wanted["count"]):
            return False
        if "color" in wanted and wanted["color"] not in record[f"Answer.task-color-{k}"].split("|"):
            return False
        if "position" in wanted:
            relation = wanted["position"][0].removesuffix(" of")
            if relation not in (record["Answer.task-position-x"], record["Answer.task-position-y"]):
                return False
    return True


@pytest.mark.parametrize(("source", "exact"), [("sdv2", 0.5695), ("if-xl", 0.7155)])
def test_geneval__human_score(rows: agreement.Rows, source: str, exact: float) -> None:
    here = {"suite": "geneval", "generator": source, "task": "all", "aspect": "correct", "statistic": "mean"}
    assert value(rows["among_people"], **here) == pytest.approx(exact, abs=1e-12)
    plain = [verdict for images in labels(source).values() for image in images.values() for verdict in image]
    assert len(plain) == 2000
    assert np.mean(plain) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("source", GENEVAL)
def test_geneval__agreement_per_task(rows: agreement.Rows, source: str) -> None:
    among = {"suite": "geneval", "generator": source, "aspect": "correct"}
    verdicts = labels(source)
    assert set(verdicts) == set(TASKS)
    first, every = {}, {}
    for task, images in verdicts.items():
        sides = [(image[0], other) for image in images.values() for other in image[1:]]
        first[task] = float(np.mean([a == b for a, b in sides]))
        pairs = [image[i] == image[j] for image in images.values() for i in range(5) for j in range(i)]
        every[task] = float(np.mean(pairs))
        at = among | {"task": task}
        assert value(rows["among_people"], **at, statistic="percent_agreement_first_vs_rest") == pytest.approx(first[task])
        assert value(rows["among_people"], **at, statistic="percent_agreement") == pytest.approx(every[task])
    mean = among | {"task": "tasks_mean"}
    assert value(rows["among_people"], **mean, statistic="percent_agreement_first_vs_rest") == pytest.approx(
        float(np.mean(list(first.values())))
    )
    assert value(rows["among_people"], **mean, statistic="percent_agreement") == pytest.approx(
        float(np.mean(list(every.values())))
    )


def test_tifa__every_metric_as_scipy_has_it(rows: agreement.Rows) -> None:
    file = STUDIES / "tifa" / "human_annotations_with_scores.json"
    entries = list(json.loads(file.read_text(encoding="utf-8")).values())
    people = [entry["human_avg"] for entry in entries]
    metrics = [
        name
        for name in entries[0]
        if name.startswith("tifa_") or name in ("meteor", "bleu", "rouge", "spice", "clipscore_vitb32")
    ]
    assert len(metrics) == 10
    for metric in metrics:
        scores = [entry[metric] for entry in entries]
        here = {"suite": "tifa", "generator": "all", "task": "all", "aspect": "faithfulness", "rater": metric}
        expected = {
            "pearson": stats.pearsonr(people, scores),
            "spearman": stats.spearmanr(people, scores),
            "kendall_tau_b": stats.kendalltau(people, scores),
        }
        for statistic, result in expected.items():
            assert value(rows["raters"], **here, statistic=statistic) == pytest.approx(result.statistic, abs=1e-9)
