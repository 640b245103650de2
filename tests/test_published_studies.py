"""The real studies, where they are at hand: what `reproduce` says of the papers' numbers, and ours against a plain restatement.

What these files taught is also proven on small hand-made ones (``tests/data/studies``), which are always there.
"""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import app
from agreement import Options
from agreement.meta.alternative_annotator import SLOTS
from concord import agreement, commands
from concord.common.context import Context
from concord.meta.findings import alt_test, rank
from concord.studies.comparison import ComparedNumber, compare
from data.selection import Selection
from data.store.core.store import Store
from data.studies import geneval, tifa
from tests.agreement.oracles import krippendorff, stats

STUDIES = Path(__file__).resolve().parents[2] / "shared" / "studies"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not STUDIES.is_dir(), reason="the published studies are not beside this checkout"),
]

PUBLISHED = {"geneval": geneval.GENEVAL, "tifa": tifa.TIFA}
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
        assert out.getvalue().count("2000 annotations, 400 images") == 2
        yield store


@pytest.fixture(scope="module")
def rows(store: Store) -> dict[str, list[dict[str, Any]]]:
    """All point estimates."""
    return agreement.compute(store, Selection(), Options(intervals=False)).to_json()


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
    results = {line.number.statistic: line.value, **line.beside}
    expected = {
        f"krippendorff_alpha_{level}": krippendorff.alpha(scores, level_of_measurement=level)
        for level in ("nominal", "ordinal", "interval", "ratio")
    }
    assert results == pytest.approx(expected, abs=1e-9)


BENCHMARKS = ("genai-bench", "imagenhub", "viescore", "tia2", "arena-votes")


@pytest.mark.skipif(
    not all((STUDIES / name).is_dir() for name in BENCHMARKS), reason="five studies are not beside this checkout"
)
def test_the_audit_is_what_the_command_writes() -> None:
    ran = CliRunner().invoke(app.app, ["reproduce", "all", str(STUDIES), "--format", "md"])
    assert ran.exit_code == 1
    assert "6 of 643 determined numbers not as printed" in ran.stderr
    audit = Path(__file__).resolve().parents[1] / "docs" / "audit.md"
    assert ran.stdout == audit.read_text(encoding="utf-8")
    counts = [[int(cell) for cell in line.split("|")[2:6]] for line in ran.stdout.splitlines() if "](#" in line]
    # GenEval, TIFA, GenAI-Bench, VIEScore, ImagenHub, TIA2, the arena: numbers, same, different, not determined
    assert counts == [
        [25, 8, 0, 17], [25, 24, 1, 0], [3, 0, 3, 0], [38, 37, 1, 0], [42, 42, 0, 0], [525, 525, 0, 0], [2, 1, 1, 0],
    ]  # fmt: skip


def value(rows: list[dict[str, Any]], **key: Any) -> float:
    """The one value with these keys."""
    results = [row["value"] for row in rows if all(row[name] == wanted for name, wanted in key.items())]
    assert len(results) == 1, f"{key}: {len(results)} rows"
    assert isinstance(results[0], float)
    return results[0]


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
def test_geneval__human_score(rows: dict[str, list[dict[str, Any]]], source: str, exact: float) -> None:
    here = {"suite": "geneval", "generator": source, "task": "all", "aspect": "correct", "statistic": "mean"}
    assert value(rows["among_people"], **here) == pytest.approx(exact, abs=1e-12)
    plain = [verdict for images in labels(source).values() for image in images.values() for verdict in image]
    assert len(plain) == 2000
    assert np.mean(plain) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("source", GENEVAL)
def test_geneval__agreement_per_task(rows: dict[str, list[dict[str, Any]]], source: str) -> None:
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


def test_tifa__every_metric_as_scipy_has_it(rows: dict[str, list[dict[str, Any]]]) -> None:
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


def test_the_ten_metrics_of_tifa_beside_people(store: Store) -> None:
    rows = rank(store, Selection(suite=("tifa",)), Options(each_generator=False))
    whole = {(row.statistic, row.scorer): row for row in rows if row.task == row.generator == "all"}
    metrics = {row.scorer for row in rows} - {None}
    assert len(metrics) == 10
    # one rating of two images of a prompt, in the order of the other one, by a loop
    file = json.loads((STUDIES / "tifa" / "human_annotations_with_scores.json").read_text(encoding="utf-8"))
    images: dict[str, list[list[float]]] = defaultdict(list)
    for each in file.values():
        images[each["text_id"]].append([float(value) for value in each["human_scores"]])
    shares = [
        np.mean([np.sign(a[k] - b[k]) == np.sign(a[1 - k] - b[1 - k]) for a, b in combinations(every, 2) for k in (0, 1)])
        for every in images.values()
    ]
    assert whole["pairwise_accuracy", None].value == pytest.approx(np.mean(shares), abs=1e-9)
    results = {name: whole["pairwise_accuracy", name] for name in metrics}
    seated = {name: row.ceiling.verdict.scorer or 0.0 for name, row in results.items() if row.ceiling}
    assert max(seated.values()) == seated["tifa_git-large"] == pytest.approx(0.553, abs=5e-4)
    assert {row.ceiling.verdict.verdict for row in results.values() if row.ceiling} == {"below"}
    assert min(results, key=lambda name: results[name].value or 0) == "bleu"
    order = whole["generator_pairwise_accuracy", "bleu"]
    assert (order.value, order.pairs_apart, order.pairs) == (1.0, 7, 10)
    refused = alt_test(store, Selection(suite=("tifa",)), Options(each_generator=False))
    assert all(row.value is None and row.reason is not None and SLOTS in row.reason.within() for row in refused)
