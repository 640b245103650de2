"""``judge`` at the command line: lines in, verdicts out; a bad line is one line on stderr and stops nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import app
from data.prompts import geneval_suite, sr2d_suite
from tests.scorers import official_geneval
from tests.ui.small_project import Ran

CUP = geneval_suite.single_object("cup")


def judge(*words: object) -> Ran:
    done = CliRunner().invoke(app.app, ["judge", *map(str, words)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Ran(done.exit_code, done.stdout, done.stderr)


def written(path: Path, *lines: Any) -> Path:
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines), encoding="utf-8")
    return path


def cup(id_: object, *scores: float, spec: Any = CUP, **more: Any) -> dict[str, Any]:
    records = [{"label": "cup", "score": score, "box": [0, 0, 10, 10], **more} for score in scores]
    return {"id": id_, "spec": spec, "detections": records}


def verdicts(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


# ---- geneval


def test_a_verdict_for_each_line(tmp_path: Path) -> None:
    ran = judge("geneval", "--evidence", written(tmp_path / "in.jsonl", cup("a", 0.5, 0.31), cup(7, 0.3)))
    assert (ran.status, ran.err) == (0, "")
    assert verdicts(ran.out) == [
        {"id": "a", "correct": True, "reason": "", "found": {"cup": 2}, "relations": []},
        {"id": 7, "correct": False, "reason": "expected cup>=1, found 0", "found": {"cup": 0}, "relations": []},
    ]


@pytest.mark.parametrize(
    ("offset", "relation", "code", "paper"),
    [
        ((60, 0), "right of", False, True),
        ((80, 0), "right of", False, True),
        ((81, 0), "right of", True, True),
        ((100, 150), "right of", False, True),
        ((100, 150), "below", True, True),
        ((60, 60), "right of", False, True),
        ((60, 60), "below", False, True),
    ],
)
def test_the_fixtures_of_both_rules(tmp_path: Path, offset: tuple[int, int], relation: str, code: bool, paper: bool) -> None:
    x, y = offset
    records = [
        {"label": "dog", "score": 0.9, "box": [x, y, x + 200, y + 200]},
        {"label": "cup", "score": 0.9, "box": [0, 0, 200, 200]},
    ]
    path = written(
        tmp_path / "in.jsonl", {"id": "a", "spec": geneval_suite.position("dog", "cup", relation), "detections": records}
    )
    for rule, expected in (("official", code), ("paper", paper)):
        (line,) = verdicts(judge("geneval", "--evidence", path, "--rule", rule).out)
        assert line["correct"] is expected
        (standing,) = line["relations"]
        assert (standing["target"], standing["holds"], standing["boxes"]) == (f"dog {relation} cup", expected, [0, 1])
        assert (relation in standing["found"]) is expected
    assert verdicts(judge("geneval", "--evidence", path).out)[0]["correct"] is code


def test_every_number_of_the_rules_can_be_set(tmp_path: Path) -> None:
    count = geneval_suite.counting("cup", 2)
    path = written(tmp_path / "in.jsonl", cup("a", 0.2), cup("b", 0.95, 0.8, 0.7, spec=count))

    def correct(*words: object) -> list[bool]:
        return [line["correct"] for line in verdicts(judge("geneval", "--evidence", path, *words).out)]

    assert correct() == [False, False]
    assert correct("--threshold", 0.1, "--counting-threshold", 0.75) == [True, True]
    assert correct("--counting-threshold", 0.1) == [False, False]
    assert correct("--counting-threshold", 0.1, "--max-objects", 2) == [False, True]
    assert correct("--counting-threshold", 0.1, "--max-overlap", 0.5) == [False, False]  # one is left
    near = {"id": "c", "spec": geneval_suite.position("dog", "cup", "right of"), "detections": [
        {"label": "dog", "score": 0.9, "box": [60, 0, 260, 200]}, {"label": "cup", "score": 0.9, "box": [0, 0, 200, 200]}
    ]}  # fmt: skip
    written(path, near)
    assert (correct(), correct("--position-threshold", 0.05)) == ([False], [True])


@pytest.mark.parametrize(
    "words", [("--threshold", 1.5), ("--rule", "code"), ("--max-objects", 0), ("--counting-threshold", "x")]
)
def test_senseless_numbers_are_bad_usage(tmp_path: Path, words: tuple[str, object]) -> None:
    ran = judge("geneval", "--evidence", written(tmp_path / "in.jsonl", cup("a", 0.5)), *words)
    assert (ran.status, ran.out) == (2, "")
    assert words[0] in ran.err


def test_a_bad_line_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = written(
        tmp_path / "in.jsonl",
        cup("a", 0.5),
        "{",
        "",
        cup("b", 5),
        {"id": "c", "spec": {"include": [{"class": "cup", "count": -1}]}, "detections": []},
        cup("d", 0.5, spec={}),
        cup("e", 0.5),
    )
    target = tmp_path / "out.jsonl"
    ran = judge("geneval", "--evidence", path, "-o", target)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.splitlines() == [
        f"{path}:2: not JSON (Expecting property name enclosed in double quotes, character 2)",
        f"{path}:4: 'detections[0].score' is 5, at most 1 expected",
        f"{path}:5: 'include[0].count' must be a whole number of at least 1, got -1",
        f"{path}:6: d: 'spec' asks for nothing; an object with 'include' or 'exclude' expected",
        "judge geneval: 4 of 6 lines could not be judged (see above)",
    ]
    assert [line["id"] for line in verdicts(target.read_text())] == ["a", "e"]


def test_a_colour_that_the_evidence_does_not_tell_leaves_the_verdict_open(tmp_path: Path) -> None:
    spec = geneval_suite.colors("cup", "red")
    path = written(
        tmp_path / "in.jsonl", cup("a", 0.5, spec=spec), cup("b", 0.5, spec=spec, color="red"), cup("c", 0.1, spec=spec)
    )
    ran = judge("geneval", "--evidence", path)
    assert ran.status == 1
    assert [line["correct"] for line in verdicts(ran.out)] == [None, True, False]
    assert ran.err.splitlines()[0] == f"{path}:1: a: cup: red asked for, no colour seen"
    told = judge("geneval", "--evidence", path, "--summary")
    assert "Total images: 2\n" in told.out
    assert told.status == 1


def test_a_file_is_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("before\n")
    ran = judge("geneval", "--evidence", written(tmp_path / "in.jsonl", "{", "[]"), "-o", target)
    assert (ran.status, target.read_text()) == (1, "before\n")
    assert ran.err.endswith("none of 2 lines could be judged; nothing was written\n")
    empty = judge("geneval", "--evidence", written(tmp_path / "empty.jsonl"), "-o", target)
    assert (empty.status, target.read_text()) == (1, "before\n")
    assert empty.err == f"judge geneval: {tmp_path / 'empty.jsonl'}: holds no evidence; nothing was written\n"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    same = written(tmp_path / "same.jsonl", cup("a", 0.5))
    assert judge("geneval", "--evidence", same, "-o", same).status == 0
    assert verdicts(same.read_text())[0]["correct"] is True


@pytest.mark.parametrize(("evidence", "why"), [("none.jsonl", "no such file"), (".", "this is a folder")])
def test_what_cannot_be_read_or_written_is_one_line(tmp_path: Path, evidence: str, why: str) -> None:
    ran = judge("geneval", "--evidence", tmp_path / evidence)
    assert (ran.status, ran.err.count("\n")) == (1, 1)
    assert why in ran.err
    path = written(tmp_path / "in.jsonl", cup("a", 0.5))
    for target in (tmp_path / "no" / "out.jsonl", tmp_path):
        ran = judge("geneval", "--evidence", path, "-o", target)
        assert (ran.status, ran.err.count("\n")) == (1, 1)
        assert "cannot be written" in ran.err


def test_the_summary_stands_alone_and_lines_go_to_a_file_only(tmp_path: Path) -> None:
    lines = [cup(f"{n}", *([0.5] * (n % 2))) for n in range(4)]
    path = written(tmp_path / "in.jsonl", *lines, cup("more", 0.95, 0.95, spec=geneval_suite.counting("cup", 2)))
    text = (
        "Summary\n=======\nTotal images: 5\nTotal prompts: 2\n% correct images: 60.00%\n% correct prompts: 100.00%\n\n"
        "Task breakdown\n==============\nsingle_object    = 50.00% (2 / 4)\ncounting         = 100.00% (1 / 1)\n\n"
        "Overall score (avg. over tasks): 0.75000\n"
    )
    ran = judge("geneval", "--evidence", path, "--summary")
    assert (ran.status, ran.out, ran.err) == (0, text, "")
    ran = judge("geneval", "--evidence", path, "--summary", "-o", tmp_path / "out.jsonl")
    assert ran.out == text
    assert len(verdicts((tmp_path / "out.jsonl").read_text())) == 5


def test_genevals_own_file_is_written_and_read(tmp_path: Path) -> None:
    spec = geneval_suite.color_attr(["cup", "dog"], ["red", "blue"])
    seen = [
        {"label": "dog", "score": 0.5, "box": [0, 0, 10, 10], "color": "black"},
        {"label": "cup", "score": 0.9, "box": [0, 0, 10, 20], "color": "red"},
        {"label": "car", "score": 0.2, "box": [0, 0, 1, 1]},
    ]
    path = written(tmp_path / "in.jsonl", {"id": "out/sd/00001/samples/0000.png", "spec": spec, "detections": seen})
    target = tmp_path / "results.jsonl"
    assert judge("geneval", "--evidence", path, "--format", "results", "-o", target).status == 0
    (line,) = verdicts(target.read_text())
    assert list(line) == ["filename", "tag", "prompt", "correct", "reason", "metadata", "details"]
    assert (line["filename"], line["tag"], line["prompt"]) == ("out/sd/00001/samples/0000.png", "color_attr", spec["prompt"])
    assert (line["correct"], line["reason"]) == (False, "expected blue dog>=1, found 0 blue; and 1 black")
    assert json.loads(line["metadata"]) == spec
    # by GenEval's own order of classes; what did not count is not there
    assert line["details"] == '{"dog": [[0.0, 0.0, 10.0, 10.0, 0.5]], "cup": [[0.0, 0.0, 10.0, 20.0, 0.9]]}'
    again = judge("geneval", "--evidence", target)
    assert again.status == 0, again.err
    assert {name: verdicts(again.out)[0][name] for name in ("id", "correct", "reason")} == {
        "id": line["filename"], "correct": False, "reason": line["reason"]
    }  # fmt: skip
    assert judge("geneval", "--evidence", target, "--format", "results").out == target.read_text()
    bare = written(tmp_path / "bare.jsonl", {**line, "details": None})
    assert "the line has no 'details', so it cannot be judged" in judge("geneval", "--evidence", bare).err


# ---- visor


def image(number: int, k: int, *result: tuple[str, float, float], generator: str = "sd", **more: Any) -> dict[str, Any]:
    seen = [{"label": name, "score": score, "box": [x, 0, x + 2, 2]} for name, score, x in result]
    line = {"id": f"{number}_{k}", "prompt_id": number, "generator": generator, "spec": sr2d_suite.numbered_prompt(number).spec}
    return {**line, "detections": seen, **more}


# a kite to the right of a bicycle
RIGHT = (("kite", 0.2, 9.0), ("bicycle", 0.2, 0.0))
WRONG = (("kite", 0.2, 0.0), ("bicycle", 0.2, 9.0))


@pytest.fixture
def images(tmp_path: Path) -> Path:
    seen = [RIGHT, RIGHT, WRONG, RIGHT[:1]]
    lines = [image(1103, k, *one) for k, one in enumerate(seen)]
    return written(tmp_path / "in.jsonl", *lines, *[image(1103, k, *RIGHT, generator="glide") for k in range(4)])


def test_a_verdict_for_each_image(images: Path) -> None:
    ran = judge("visor", "--evidence", images, "--generator", "sd")
    assert (ran.status, ran.err) == (0, "")
    lines = verdicts(ran.out)
    assert [(line["id"], line["correct"], line["reason"]) for line in lines] == [
        ("1103_0", True, ""),
        ("1103_1", True, ""),
        ("1103_2", False, "no kite right of bicycle among 1 pair"),
        ("1103_3", False, "bicycle not found"),
    ]
    assert (lines[3]["found"], lines[3]["prompt_id"], lines[3]["generator"]) == ({"kite": 1, "bicycle": 0}, "1103", "sd")
    assert lines[3]["relations"][0]["holds"] is None


def test_the_scores_of_all_images_as_json(images: Path, tmp_path: Path) -> None:
    ran = judge("visor", "--evidence", images, "--summary", "-o", tmp_path / "out.jsonl")
    assert (ran.status, ran.err) == (0, "")
    assert len(verdicts((tmp_path / "out.jsonl").read_text())) == 8
    summary = json.loads(ran.out)
    assert list(summary) == ["threshold", "generators", "relations", "supercategories", "objects", "kinds", "consistency"]
    for name, lines in (("sd", range(4)), ("glide", range(4, 8))):
        every = [json.loads(line) for line in images.read_text().splitlines()]
        expected = official_geneval.visor_scores([every[k] for k in lines])
        assert summary["generators"][name] == pytest.approx(expected)
    assert summary["generators"]["sd"] == {
        "OA": 75.0, "VISOR_uncond": 50.0, "VISOR_cond": pytest.approx(200 / 3),
        "VISOR_1": 100.0, "VISOR_2": 100.0, "VISOR_3": 0.0, "VISOR_4": 0.0,
        "VISOR_1_both_found": 100.0, "VISOR_2_both_found": 100.0, "VISOR_3_both_found": 0.0, "VISOR_4_both_found": 0.0,
        "n_images": 4, "n_prompts": 1,
    }  # fmt: skip
    strict = json.loads(judge("visor", "--evidence", images, "--summary", "--threshold", 0.2).out)
    assert (strict["threshold"], strict["generators"]["sd"]["OA"], strict["generators"]["sd"]["VISOR_cond"]) == (0.2, 0.0, None)


def test_visors_bad_lines_are_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = written(
        tmp_path / "in.jsonl",
        image(1103, 0, *RIGHT),
        image(1103, 1, generator=None),  # type: ignore[arg-type]
        image(1103, 2, prompt_id=None),
        image(1103, 3, spec={"a": "kite", "b": "cat", "relation": "left"}),
        image(1103, 4, spec=geneval_suite.colors("kite", "red")),
        "nonsense",
    )
    ran = judge("visor", "--evidence", path, "--summary")
    assert ran.status == 1
    assert [line.removeprefix(f"{path}:") for line in ran.err.splitlines()] == [
        "2: 'generator' is missing",
        "3: 'prompt_id' is missing",
        "4: 1103_3: prompt 1103 asked for kite right bicycle before, and for kite left cat here",
        "5: 1103_4: VISOR checks neither counts nor colours",
        "6: not JSON (Expecting value, character 1)",
        "judge visor: 5 of 6 lines could not be judged (see above)",
    ]
    assert json.loads(ran.out)["generators"]["sd"]["n_images"] == 1


def test_visors_own_file_is_written_and_read(images: Path, tmp_path: Path) -> None:
    target = tmp_path / "results_sd_text_spatial_rel_phrases_owlvit_0.1.json"
    ran = judge("visor", "--evidence", images, "--format", "detections", "-o", target)
    assert (ran.status, target.exists()) == (2, False)
    assert (
        ran.err == "judge visor: VISOR's file is for one generator, and there are 'glide' and 'sd'; choose one: --generator\n"
    )
    assert judge("visor", "--evidence", images, "--generator", "sd", "--format", "detections", "-o", target).status == 0
    payload = json.loads(target.read_text())
    assert list(payload) == ["1103_0", "1103_1", "1103_2", "1103_3"]
    assert payload["1103_2"] == {
        "classes": ["kite", "bicycle"], "centroid": [[1.0, 1.0], [10.0, 1.0]], "recall": 2, "sra": 0,
        "text": "a kite to the right of a bicycle",
    }  # fmt: skip
    by_lines = json.loads(judge("visor", "--evidence", images, "--summary").out)["generators"]["sd"]
    ran = judge("visor", "--evidence", target, "--summary")
    assert (ran.status, ran.err) == (0, "")
    assert json.loads(ran.out)["generators"] == {"sd": by_lines}
    # what the name does not tell has to be said, and what the file claims is checked
    payload["1103_0"]["sra"] = 0
    other = tmp_path / "mine.json"
    other.write_text(json.dumps(payload, indent=2))
    assert judge("visor", "--evidence", other).status == 2
    ran = judge("visor", "--evidence", other, "--generator", "sd", "--threshold", 0.5, "--summary")
    assert json.loads(ran.out)["generators"] == {"sd": by_lines}
    assert ran.err.splitlines() == [
        f"{other}: these detections have no confidences, so no threshold changes them",
        f"{other}: of 1 image the file's own 'sra' differs from what its centroids say; these count",
    ]


def test_a_bad_entry_of_visors_file_is_named_and_the_rest_goes_on(images: Path, tmp_path: Path) -> None:
    target = tmp_path / "results_sd_text_spatial_rel_phrases_owlvit_0.1.json"
    assert judge("visor", "--evidence", images, "--generator", "sd", "--format", "detections", "-o", target).status == 0
    payload = {"x": {}, **json.loads(target.read_text()), "1103_9": {"classes": ["kite"], "centroid": []}}
    target.write_text(json.dumps(payload, indent=1))
    ran = judge("visor", "--evidence", target, "--summary")
    assert ran.status == 1
    assert "2: key 'x', <prompt id>_<number> expected" in ran.err
    assert "'1103_9': the lists 'classes' and 'centroid' must be of one length" in ran.err
    assert json.loads(ran.out)["generators"]["sd"]["n_images"] == 4
    target.write_text(target.read_text()[:-40])
    cut = judge("visor", "--evidence", target, "--summary")
    assert (cut.status, cut.out) == (1, "")
    assert "not JSON" in cut.err
