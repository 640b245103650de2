"""``reproduce`` on small studies whose numbers are derived by hand, against made-up printed ones.

The real studies against the papers' own numbers: ``tests/test_published_studies.py``.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import app
from concord.studies.benchmarks import REPRODUCTIONS, Reproduction
from concord.studies.comparison import compare, rounding
from data.studies.geneval import GENEVAL
from data.studies.printed_numbers import TASKS_MEAN, PrintedNumber, PublishedStudy, UndeterminedNumbers
from data.studies.tifa import TIFA
from tests.ui.small_project import Ran, geneval_csv, geneval_row, metadata

FIRST = "percent_agreement_first_vs_rest"
KAPPA = "cohen_kappa_first_vs_rest"


def reproduce(*words: object) -> Ran:
    done = CliRunner().invoke(app.app, ["reproduce", *map(str, words)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Ran(done.exit_code, done.stdout, done.stderr)


def use(monkeypatch: pytest.MonkeyPatch, name: str, study: PublishedStudy) -> None:
    """Made-up printed numbers in place of a paper's."""
    monkeypatch.setitem(REPRODUCTIONS, name, Reproduction(study, lambda store: compare(store, study)))


def numbers(ran: Ran) -> dict[str, dict[str, Any]]:
    """The rows of `--format json`, by what the paper calls them."""
    return {row["called"]: row for row in json.loads(ran.out)["numbers"]}


def verdicts(ran: Ran) -> dict[str, tuple[str | None, str]]:
    return {called: (row["rounded"], row["verdict"]) for called, row in numbers(ran).items()}


def votes(prompt: int, *said: bool) -> list[dict[str, str]]:
    """An image of a prompt (0: a cow, 1: a red car) and whether each person finds it correct."""
    return [geneval_row(prompt, 0, count_0="1" if yes else "0", color_0="red" if yes else "") for yes in said]


@pytest.fixture
def geneval_files(tmp_path: Path) -> Path:
    """Two sources of two images with three annotations each."""
    folder = tmp_path / "clone" / "annotations"
    folder.mkdir(parents=True)
    metadata(folder.parent)
    geneval_csv(folder / "annotations_sdv2.csv", *votes(0, True, True, False), *votes(1, True, False, False))
    geneval_csv(folder / "annotations_if-xl.csv", *votes(0, True, True, True), *votes(1, False, False, True))
    return folder.parent


def words(folder: Path, *sources: str) -> list[object]:
    files = [f"{name}={folder / 'annotations' / f'annotations_{name}.csv'}" for name in sources]
    return ["geneval", "--metadata", folder / "evaluation_metadata.jsonl", *files]


# first against the others: the cow yes-yes, yes-no (sdv2), yes-yes twice (if-xl): 3/4;
# the car yes-no twice (sdv2), no-no, no-yes (if-xl): 1/4; the mean of the two tasks is 1/2.
# kappa of the car's pairs: the first says yes in 2/4, the others in 1/4; chance is 1/2 * 1/4 + 1/2 * 3/4 = 1/2,
# so it is (1/4 - 1/2) / (1/2)
BY_HAND = PublishedStudy(
    paper="Doe: A study (2023)",
    suite="geneval",
    aspect="correct",
    sources={"sdv2": "SDv2.1", "if-xl": "IF-XL"},
    numbers=(
        PrintedNumber("mean of sdv2", "Table 1", "0.50", "mean", generator="sdv2"),  # 3 of 6
        PrintedNumber("mean of if-xl", "Table 1", "0.67", "mean", generator="if-xl"),  # 4 of 6
        PrintedNumber("cow", "Table 2", "75", FIRST, percent=True, task="single_object"),
        PrintedNumber("car", "Table 2", "0.250", FIRST, task="colors", beside=("percent_agreement",)),
        PrintedNumber("overall", "Table 2", "0.5", FIRST, task=TASKS_MEAN),
        PrintedNumber("kappa", "Section 3", "-0.50", KAPPA, task="colors"),
        PrintedNumber("unanimous", "Section 3", "1", "unanimous_share", quantity="items_with"),  # the cow of if-xl
        PrintedNumber("images", "Section 3", "4", "mean", quantity="items"),
        PrintedNumber("annotations", "Section 3", "12", "mean", quantity="ratings"),
        PrintedNumber("each", "Section 3", "3", "mean", quantity="ratings_per_item"),
        PrintedNumber("prompts", "Section 3", "2", "mean", quantity="prompts"),
    ),
    notes=("A note.",),
    open=(UndeterminedNumbers("the moon", "Figure 9", "it is not in the files"),),
)


THIRD_FILE = "not compared: clip. annotations_clip.csv in the same public repository brings the other numbers\n"


def test_geneval_by_hand(geneval_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "geneval", BY_HAND)
    ran = reproduce(*words(geneval_files, "sdv2", "if-xl"), "--format", "json")
    assert (ran.status, ran.err) == (0, THIRD_FILE)
    assert verdicts(ran) == {number.called: (number.printed, "same") for number in BY_HAND.numbers}
    results = numbers(ran)
    exact = {
        "mean of if-xl": 2 / 3,
        "cow": 3 / 4,
        "car": 1 / 4,
        "overall": 1 / 2,
        "kappa": -1 / 2,
        "unanimous": 1,
        "prompts": 2,
    }
    assert {called: results[called]["value"] for called in exact} == pytest.approx(exact)
    # all pairs of the car: 1 of 3 agree for either source
    assert results["car"]["beside"] == {"percent_agreement": pytest.approx(1 / 3)}
    assert (results["cow"]["n_items"], results["cow"]["n_ratings"], results["cow"]["reason"]) == (2, 6, None)


def test_a_difference_is_shown_and_ends_with_1(geneval_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = (
        PrintedNumber("mean of if-xl", "Table 1", "0.66", "mean", generator="if-xl"),  # cut, not rounded
        PrintedNumber("kappa of the cow", "Section 3", "0.1", KAPPA, generator="if-xl", task="single_object"),  # all said yes
        PrintedNumber("unanimous", "Section 3", "2", "unanimous_share", quantity="items_with", if_different="it was a Monday"),
    )
    use(monkeypatch, "geneval", replace(BY_HAND, numbers=(*BY_HAND.numbers[:1], *wrong)))
    ran = reproduce(*words(geneval_files, "sdv2", "if-xl"))
    assert (ran.status, ran.err) == (1, "reproduce geneval: 3 of 4 determined numbers not as printed\n")
    assert "Different: mean of if-xl (Table 1): printed 0.66, ours 0.67: why is not known." in ran.out
    assert "Different: unanimous (Section 3): printed 2, ours 1: it was a Monday." in ran.out
    assert "Different: kappa of the cow (Section 3): printed 0.1, ours undefined: " in ran.out
    assert "Same 1, different 3, not determined 0." in ran.out
    ends = [line.split()[-1] for line in ran.out.splitlines() if line.startswith(("Table", "Section"))]
    assert ends == ["same", "different", "different", "different"]


def test_numbers_over_a_missing_source_are_not_determined(geneval_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "geneval", BY_HAND)
    ran = reproduce(*words(geneval_files, "sdv2"), "--format", "json")
    assert ran.status == 0
    results = numbers(ran)
    assert {called for called, row in results.items() if row["verdict"] == "same"} == {"mean of sdv2"}
    assert {row["reason"] for row in results.values() if row["verdict"] != "same"} == {"no if-xl in these data"}
    # over sdv2 alone the cow's first annotation agrees with one of two others: told, but not set against the printed number
    assert (results["cow"]["value"], results["cow"]["rounded"], results["cow"]["over"]) == (0.5, None, ["sdv2"])
    assert (results["mean of if-xl"]["value"], results["mean of if-xl"]["over"]) == (None, [])


def test_nothing_determined_is_no_success(geneval_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "geneval", replace(BY_HAND, numbers=BY_HAND.numbers[2:]))
    ran = reproduce(*words(geneval_files, "sdv2"))
    assert (ran.status, ran.err) == (1, "reproduce geneval: these data determine none of the paper's numbers\n")


def test_a_folder_does_as_well_as_its_files(geneval_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "geneval", BY_HAND)
    by_name = reproduce(*words(geneval_files, "if-xl", "sdv2"), "--format", "md")
    assert reproduce("geneval", geneval_files, "--format", "md") == by_name
    assert by_name.status == 0
    assert "## Doe: A study (2023)" in by_name.out
    # two prompts leave all open; nothing stands beside it
    row = "| Table 1 | mean of if-xl | mean | if-xl | 0.67 | 0.67 | 0.6666666666666666 | 0.0399 .. 0.9984 | 2 | 6 | same |  |"
    assert row in by_name.out
    assert "| unanimous_share x items | all | 1 | 1 | 1 |  | 4 | 12 | same |" in by_name.out
    assert "- Not determined: the moon (Figure 9): it is not in the files.\n" in by_name.out
    assert "- A note.\n" in by_name.out


def test_wrong_words(geneval_files: Path, tmp_path: Path) -> None:
    file = geneval_files / "annotations" / "annotations_sdv2.csv"
    spec = geneval_files / "evaluation_metadata.jsonl"
    requested: list[tuple[list[object], int, str]] = [
        (["geneval", f"sdv2={file}"], 2, "--metadata"),
        (["geneval", f"sd={file}", "--metadata", spec], 2, "no source 'sd'; name it one of clip, sdv2, if-xl"),
        (["geneval", "nowhere"], 1, "nowhere: there is no such folder"),
        (["geneval", file.parent], 1, "no evaluation_metadata.jsonl in this folder"),
        (["geneval", f"sdv2={tmp_path / 'none.csv'}", "--metadata", spec], 1, "there is no such file"),
        (["tifa", tmp_path], 1, "no human_annotations_with_scores.json in this folder"),
        (["tifa", spec], 1, "evaluation_metadata.jsonl"),
    ]
    for words, status, message in requested:
        ran = reproduce(*words)
        assert (ran.status, ran.out, ran.err.count("\n")) == (status, "", 1), words
        assert message in ran.err
    (geneval_files / "more").mkdir()
    (geneval_files / "more" / "evaluation_metadata.jsonl").write_bytes(spec.read_bytes())
    assert "evaluation_metadata.jsonl is there 2 times" in reproduce("geneval", geneval_files).err


# People's means are 4.5, 2, 3; the metric's numbers 0.9, 0.2, 0.1.
# Deviations 4/3, -7/6, -1/6 and 0.5, -0.2, -0.3: products 0.95, squares 19/6 and 0.38;
# r = 0.95 / sqrt(19/6 * 0.38) = sqrt(0.75).
# Ranks 3, 1, 2 and 3, 2, 1: rho = 1 - 6 * 2 / (3 * 8) = 1/2. Of three pairs two are in order: tau = 1/3.
LIKERT = PublishedStudy(
    paper="Doe: Another study (2023)",
    suite="tifa",
    aspect="faithfulness",
    sources={"sd": "SD"},
    numbers=(
        PrintedNumber("rho", "Table 2", "86.6", "pearson", percent=True, rater="metric", beside=("spearman",)),
        PrintedNumber("tau", "Table 2", "33.3", "kendall_tau_b", percent=True, rater="metric"),
        PrintedNumber("other", "Table 2", "12.3", "pearson", percent=True, rater="unknown"),
        PrintedNumber("texts", "Section 5", "3", "mean", quantity="prompts"),
    ),
)


@pytest.fixture
def tifa_file(tmp_path: Path) -> Path:
    entries = {
        f"coco_{n}_sd": {
            "text_id": f"coco_{n}", "text": f"text {n}", "image_path": "x", "human_scores": scores,
            "human_avg": sum(scores) / len(scores), "metric": score,
        }
        for n, (scores, score) in enumerate([([5, 4], 0.9), ([2, 2], 0.2), ([4, 2], 0.1)])
    }  # fmt: skip
    path = tmp_path / "human_annotations_with_scores.json"
    path.write_text(json.dumps(entries))
    return path


def test_tifa_by_hand(tifa_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "tifa", LIKERT)
    ran = reproduce("tifa", tifa_file.parent, "--format", "json")
    assert (ran.status, ran.err) == (0, "")
    same = {"rho": ("86.6", "same"), "tau": ("33.3", "same"), "texts": ("3", "same")}
    assert verdicts(ran) == {**same, "other": (None, "not_determined")}
    results = numbers(ran)
    assert results["rho"]["value"] == pytest.approx(0.75**0.5)
    assert results["rho"]["beside"] == {"spearman": pytest.approx(1 / 2)}
    assert results["other"]["reason"] == "these data hold nothing to compute it from"
    (shown,) = [line for line in reproduce("tifa", tifa_file).out.splitlines() if line.startswith("Table 2") and "rho" in line]
    assert " ".join(shown.split()).startswith("Table 2 rho pearson metric 86.6 86.6 0.866025403784438")
    assert " ".join(shown.split()).endswith(" 3 6 same spearman 50.0 (0.500000)")

    use(monkeypatch, "tifa", replace(LIKERT, numbers=(replace(LIKERT.numbers[0], printed="50.0"),)))
    ran = reproduce("tifa", tifa_file)
    assert (ran.status, ran.err) == (1, "reproduce tifa: 1 of 1 determined numbers not as printed\n")
    assert "Different: rho (Table 2): printed 50.0, ours 86.6" in ran.out


@pytest.mark.parametrize(
    ("printed", "percent", "value", "expected"),
    [
        ("0.57", False, 0.5695, "0.57"),
        ("0.56", False, 0.5695, "0.57"),
        ("0.12", False, 0.125, "0.12"),  # half a unit: either way is right
        ("0.13", False, 0.125, "0.13"),
        ("0.1", False, 0.1501, "0.2"),
        ("88", True, 0.8779, "88"),
        ("6,000", False, 6000.0, "6000"),
        ("6,000", False, 4000.0, "4000"),
        ("59.7", True, 0.59672, "59.7"),
    ],
)
def test_rounding_to_the_printed_digits(printed: str, percent: bool, value: float, expected: str) -> None:
    assert rounding(PrintedNumber("x", "y", printed, "mean", percent=percent), value) == expected


def test_what_the_data_file_says_can_be_looked_up() -> None:
    from agreement import STATISTICS

    for study in (GENEVAL, TIFA):
        named = [number.called + number.where for number in study.numbers]
        assert len(set(named)) == len(named)
        for number in study.numbers:
            float(number.printed.replace(",", ""))
            assert {number.statistic, *number.beside} <= set(STATISTICS)
            assert number.generator in (*study.sources, "all")
