"""The benchmarks run, in small: what they compare is equal, and they say what they measured."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import agreement, annotate, backups, browse, coverage, measuring, tune
from benchmarks.meta import ranking

pytestmark = pytest.mark.slow


def test_agreement_equals_pandas_scikit_learn_and_scipy(capsys: pytest.CaptureFixture[str]) -> None:
    lines = agreement.main(["--rows", "2000"])
    assert capsys.readouterr().out.splitlines() == lines
    assert re.match(r"400 images, 5 tasks, (1,9|2,0)\d\d judgements by people, 2,000 by scorers$", lines[0])
    for start in ("table per task", "the same and further", "one more answer", "the first answer"):
        (line,) = (line for line in lines if line.startswith(start))
        ratio, largest = line.split()[-2:]
        assert float(ratio) > 0
        assert float(largest) <= 1e-9
    # for each of 6 tasks: 2 of people, 4 of each scorer with labels, 2 of each with scores
    assert lines[-1].startswith(f"{6 * (2 + 4 * len(agreement.JUDGES) + 2 * len(agreement.SCORERS))} of our ")


def test_tune_shows_the_scorers_verdicts_and_the_reports_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    lines = tune.main(["--images", "510", "--steps", "2"])
    assert capsys.readouterr().out.splitlines() == lines
    assert re.match(r"510 images, \d{3} answers, 3 statistics by task$", lines[0])
    assert lines[-2].split(" ", 3)[2] == str(2 * len(tune.MOVES) ** 2)
    # for each slider three statistics of six tasks, of all images and of the tasks' mean
    assert lines[-1].startswith(f"verdicts equal to the scorer's own; {4 * 3 * 8} numbers of agreement equal to the report's")


def test_browse_asks_every_view_and_its_rows_are_those_made_anew(capsys: pytest.CaptureFixture[str]) -> None:
    lines = browse.main(["--images", "2000", "--rounds", "1", "--views", "3", "--answers", "3"])
    assert capsys.readouterr().out.splitlines() == lines
    assert re.match(r"2,000 images, 3 people with 2,\d{3} answers, 7 scorers with 14,000 looks, 2\d,\d{3} ", lines[0])
    views = 1 + len(browse.CHANGES) + len(browse.ORDERS) + 5
    assert any(line.split(" views under")[0].endswith(f"of {views}") for line in lines)
    assert any(line.startswith("wide rows: 2,000 in ") for line in lines)
    assert len([line for line in lines if line.startswith("an answer with")]) == 2


def test_both_forms_store_the_same_answers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    lines = annotate.main(["--quick", "--json", str(figures)])
    assert capsys.readouterr().out.splitlines() == lines
    # one answer each before the first round; where there is a browser, one person is at it
    plan, at_browser = annotate.SMALL, any("in Chromium" in line for line in lines)
    n = plan.clients * (1 + plan.answers * plan.rounds) + at_browser * (1 + plan.clicks * plan.rounds)
    assert lines[-1] == f"both databases hold the same {n} answers; of those acknowledged none is missing"
    payload = json.loads(figures.read_text(encoding="utf-8"))
    assert payload["answers"] == n
    assert min(payload[side]["per_second"] for side in ("ours", "queued")) > 0


def test_backups_are_whole_and_restored(capsys: pytest.CaptureFixture[str]) -> None:
    lines = backups.main(["--images", "1000", "--people", "2", "--think", "0.1", "--alone", "0.5"])
    assert capsys.readouterr().out.splitlines() == lines
    assert lines[0].startswith("1,000 images, ")
    assert [line.split("  ")[0] for line in lines[1:4]] == ["no backup", "backup, asked", "backup, scheduled"]
    assert lines[-1] == "all rows of the backup are in the restored project"


def test_coverage_names_every_cell_and_a_small_run_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert coverage.main(["--quick"]) == 0
    lines = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    lines = [line for line in lines if line[0] not in ("| population", "| people", "| test")]
    tests = [line for line in lines if line[0].endswith(" a prompt")]
    sampled = {**coverage.PANELS, **coverage.SKEWED_PANELS}
    panels = [line for line in lines if line[0].removeprefix("| ").rpartition(", ")[0] in sampled and line not in tests]
    intervals = [line for line in lines if line not in tests and line not in panels]
    assert {line[0].removeprefix("| ") for line in intervals} == {*coverage.POPULATIONS, *coverage.FRESH}
    shares = [float(line[3].split()[0]) for line in (*intervals, *panels)]
    assert all(0 <= share <= 1 for share in shares if share == share)
    assert len(panels) == 3 * 3 * len(sampled)
    worlds = {**coverage.TESTS, **coverage.FRESH_TESTS, **coverage.EQUIVALENCE}
    assert len(tests) == 2 * sum(len(statistics) for _, statistics, _, _ in worlds.values())


def test_rankings_have_a_line_for_each_world(capsys: pytest.CaptureFixture[str]) -> None:
    assert ranking.main(["--quick"]) == 0
    lines = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    worlds = [line[0].removeprefix("| ") for line in lines]
    # of soft accuracy there is no line where a quick study has too few prompts for an interval
    assert all(worlds.count(name) in (2, 4) for name in ranking.WORLDS)
    assert len([name for name in worlds if "levels, up to" in name]) == 4


def test_impossible_coverage_is_a_failure() -> None:
    held, missed = ((0.5, 0.4, 0.6),) * 500, ((0.5, 0.1, 0.2),) * 500
    assert coverage.coverage(0.5, held, ordinary=True).note.startswith("coverage 0.98")
    # a cell that is not ordinary may have wide intervals, or none, but not wrong ones
    assert coverage.coverage(0.5, held, ordinary=False).note == ""
    assert coverage.coverage(0.5, ((0.5, None, None),) * 500, ordinary=False).note == ""
    assert coverage.coverage(0.5, missed, ordinary=False).note.startswith("misses in at least 0.98")
    assert "coverage 0.000" in coverage.coverage(0.5, missed, ordinary=True).note


@pytest.mark.parametrize("path", sorted(Path(backups.__file__).parent.rglob("*.py")), ids=lambda path: path.stem)
def test_a_benchmark_script_imports_our_packages(path: Path) -> None:
    """Called as docs/benchmarks.md says it is: from its own folder none of them is found."""
    code = path.read_text(encoding="utf-8")
    if "__main__" in code:
        before = code.split("\nfrom benchmarks ")[0].split("\nfrom data.")[0]
        assert "sys.path" in before


def test_a_difference_fails_the_agreement_benchmark() -> None:
    mine = {("all", "m", "cohen_kappa"): 0.5, ("all", "m", "pabak"): 0.1}
    assert agreement.apart(mine, {("all", "m", "cohen_kappa"): 0.5}) == 0.0
    for other in (0.5 + 2e-9, float("nan")):
        with pytest.raises(AssertionError):
            agreement.apart(mine, {("all", "m", "cohen_kappa"): other})
    with pytest.raises(AssertionError):
        agreement.apart(mine, {("all", "m", "spearman"): 0.5})


class _Counted:
    def one(self, clock: list[float]) -> None:
        clock[0] += 3.0

    def two(self, clock: list[float]) -> None:
        clock[0] += 1.0


def test_where_time_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    counted, plain = _Counted(), _Counted.one
    parts = measuring.Parts({"first": (_Counted, "one"), "second": (_Counted, "two")})
    with parts:
        counted.one(clock)
        counted.two(clock)
        counted.two(clock)
    counted.one(clock)
    assert parts.shares(10.0) == "first 30%, second 20%, the rest 50%"
    assert _Counted.one is plain


def test_geneval_equals_the_published_loop(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("transformers", reason="the group scorers is not installed")
    from benchmarks.scorers import geneval

    lines = geneval.main(["--small", "--images", "3", "--device", "cpu"])
    assert capfd.readouterr().out.splitlines()[-len(lines) :] == lines
    said = re.match(r"3 images, 3 of them by the published loop, (\d+) objects and (\d+) colours compared, on cpu$", lines[0])
    assert said is not None
    assert int(said[1]) > 3
    assert int(said[2]) >= 1
    assert lines[-1].startswith("other verdicts 0, reasons 0, boxes 0, objects that one side alone sees 0; ")


def test_different_evidence_fails_the_geneval_benchmark() -> None:
    pytest.importorskip("transformers", reason="the group scorers is not installed")
    from benchmarks.scorers import geneval
    from data.jobs.runs import Detection, Observation, WorkItem

    spec = {"tag": "colors", "include": [{"class": "dog", "count": 1, "color": "red"}]}
    bench = geneval.Bench([WorkItem("0", "", "", "", spec)], {}, "cpu")
    colors = (1.0, *[0.0] * 9)
    dog = Detection("dog", 0.5, (0, 0, 4, 4), None, colors)
    difference = geneval.apart(bench, [Observation("0", {}, (dog,))], [Observation("0", {}, (replace(dog, score=0.5004),))])
    assert (difference.detections, difference.colors, difference.color) == (1, 1, 0.0)
    assert difference.score == pytest.approx(4e-4)
    for other in (
        replace(dog, score=0.5 + 1.1 * geneval.TOLERANCE),
        replace(dog, score=0.2),
        replace(dog, label="cat"),
        replace(dog, box=(0, 0, 4, 5)),
        replace(dog, colors=colors[::-1]),
    ):
        with pytest.raises(AssertionError):
            geneval.apart(bench, [Observation("0", {}, (dog,))], [Observation("0", {}, (other,))])
    # a GPU's last digits depend on how many pictures go together: there it is counted
    bench = replace(bench, device="cuda")
    for other, boxes, alone in ((replace(dog, box=(0, 0, 4, 5)), 1, 0), (replace(dog, box=(0, 0, 9, 9), score=0.2), 0, 1)):
        found = geneval.apart(bench, [Observation("0", {}, (dog, dog))], [Observation("0", {}, (dog, other))])
        assert (found.boxes, found.alone) == (boxes, alone)


def test_vqa_in_batches_equals_a_question_per_call(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("transformers", reason="the group scorers is not installed")
    from benchmarks.scorers import vqa

    lines = vqa.main(["--small", "--images", "2", "--device", "cpu"])
    assert capfd.readouterr().out.splitlines()[-len(lines) :] == lines
    assert lines[0] == "2 images, 6 questions each, on cpu"
    assert sum(line.startswith("equal answers; probabilities within") for line in lines) == 2


def test_different_answers_fail_the_vqa_benchmark() -> None:
    pytest.importorskip("transformers", reason="the group scorers is not installed")
    from benchmarks.scorers import vqa
    from scorers.models.vqa import VqaAnswer

    answer = VqaAnswer("yes", (0.6, 0.4), None, "likelihood")
    assert vqa.compared([[answer]], [[replace(answer, probabilities=(0.6004, 0.3996))]]) == pytest.approx(4e-4)
    for other in (
        replace(answer, chosen="no"),
        replace(answer, free="yes"),
        replace(answer, probabilities=(0.602, 0.398)),
        replace(answer, probabilities=(0.6, 0.2, 0.2)),
    ):
        with pytest.raises((AssertionError, ValueError)):
            vqa.compared([[answer]], [[other]])


def test_memory_is_taken_before_every_part_and_must_not_grow(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="the group scorers is not installed")
    from benchmarks.scorers import geneval, memory

    paths = geneval.paintings(tmp_path / "images", 2 * memory.PART + 1, ((64, 48), (48, 64)))
    taken = memory.measure(paths, tmp_path)
    assert (taken.images, taken.failed) == (len(paths), 0)
    # before each of three parts, and after the last
    assert len(taken.megabytes) == 4
    assert min(taken.megabytes) > 50

    flat = memory.Taken([80.0, *[100.0] * 4, 99.0, *[105.0] * 4], 80, 1)
    assert memory.lines_of(flat) == [
        "80 images, 1 that could not be looked at",
        "memory in MB before part 1: 80, at most in the first fifth: 100, in the last: 105 (+5.0%)",
    ]
    with pytest.raises(AssertionError, match=r"memory grew by 20\.0%, from 100 to 120 MB"):
        memory.lines_of(memory.Taken([80.0, *[100.0] * 8, 120.0], 80, 0))


def test_selfeval_equals_three_plain_loops(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("diffusers", reason="the group scorers is not installed")
    from benchmarks.scorers import selfeval

    lines = selfeval.main(["--images", "1", "--trials", "2", "--steps", "3"])
    assert capsys.readouterr().out.splitlines() == lines
    assert re.fullmatch(r"images a second: [\d.]+, three loops [\d.]+", lines[-3])
    assert lines[-2].startswith("where ours spends it, the network's forward pass: ")
    assert lines[-1].startswith(f"equal terms: {1 * 2 * selfeval.CAPTIONS * 3}, ")
    with pytest.raises(AssertionError):
        selfeval.compared([np.ones((1, 1, 2), np.float32)], [np.array([[[1.0, 1.002]]], np.float32)])
