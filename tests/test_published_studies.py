"""The real studies, where they are at hand: our numbers against the papers' and against a plain restatement.

What these files taught is also proven on small hand-made ones (``tests/data/studies``), which are always there.
"""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from agreement import Options
from data.store.selection import Selection
from data.store.store import Store
from ui.commands import agreement, runner
from ui.commands.context import Context

STUDIES = Path(__file__).resolve().parents[2] / "shared" / "studies"
pytestmark = pytest.mark.skipif(not STUDIES.is_dir(), reason="the published studies are not beside this checkout")

GENEVAL = {"sdv2": "annotations_sdv2.csv", "if-xl": "annotations_if-xl.csv"}
TASKS = ("single_object", "two_object", "counting", "colors", "position", "color_attr")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> agreement.Rows:
    """All point estimates after importing both studies by command."""
    sources = [f"{name}={STUDIES / 'geneval' / file}" for name, file in GENEVAL.items()]
    with Store(tmp_path_factory.mktemp("project")) as store:
        out, err = io.StringIO(), io.StringIO()
        context = Context(store, Path.cwd(), out, err)
        metadata = str(STUDIES / "geneval" / "evaluation_metadata.jsonl")
        assert runner.run(context, "import study geneval", {"metadata": metadata, "sources": sources}) == 0, err.getvalue()
        file = str(STUDIES / "tifa" / "human_annotations_with_scores.json")
        assert runner.run(context, "import study tifa", {"file": file}) == 0, err.getvalue()
        assert out.getvalue().count("2000 annotations of 400 images") == 2
        return agreement.compute(store, Selection(), Options(intervals=False))


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


@pytest.mark.parametrize(("source", "printed"), [("sdv2", 0.5695), ("if-xl", 0.7155)])
def test_geneval__human_score(rows: agreement.Rows, source: str, printed: float) -> None:
    here = {"suite": "geneval", "generator": source, "task": "all", "aspect": "correct", "statistic": "mean"}
    assert value(rows["among_people"], **here) == pytest.approx(printed, abs=1e-12)
    plain = [verdict for images in labels(source).values() for image in images.values() for verdict in image]
    assert len(plain) == 2000
    assert np.mean(plain) == pytest.approx(printed, abs=1e-12)


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


def test_tifa__the_papers_pearson_and_the_true_spearman(rows: agreement.Rows) -> None:
    here = {"suite": "tifa", "generator": "all", "task": "all", "aspect": "faithfulness", "rater": "tifa_mplug-large"}
    assert value(rows["raters"], **here, statistic="pearson") == pytest.approx(0.597, abs=5e-4)
    assert value(rows["raters"], **here, statistic="kendall_tau_b") == pytest.approx(0.472, abs=5e-4)
    assert value(rows["raters"], **here, statistic="spearman") == pytest.approx(0.5922, abs=5e-5)


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
