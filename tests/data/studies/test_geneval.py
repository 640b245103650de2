"""GenEval's released answers: what of a file is read, and what is refused in words."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from data.files import InputError
from data.records import Image, Item, Prompt
from data.studies.geneval import read_annotations, read_metadata
from data.studies.study_ratings import StudyRatings

SHARED = Path(__file__).resolve().parents[4] / "shared" / "studies"
needs_studies = pytest.mark.skipif(not SHARED.exists(), reason="the published studies are not here")

HEADER = (
    "HITId,Input.index,Input.prompt_id,Input.image_id,Input.image_url,Input.caption,Input.object_0_name,"
    "Input.object_1_name,Input.object_0_name_plural,Input.object_1_name_plural,Input.exclude,Answer.ee,"
    "Answer.task-color-0,Answer.task-color-1,Answer.task-count-0,Answer.task-count-1,Answer.task-objects,"
    "Answer.task-position-x,Answer.task-position-y,Answer.task-quality,Answer.task-real-0,Answer.task-real-1"
)
PROMPTS = [
    Prompt("geneval/00000", "geneval", "a photo of a cow", "single_object"),
    Prompt("geneval/00001", "geneval", "a photo of a cat left of a dog", "position"),
]


def row(prompt: int = 0, image: int = 0, **answers: str) -> str:
    caption = PROMPTS[prompt].text if prompt < len(PROMPTS) else "?"
    cells = {"ee": "1.5", "task-quality": "4", "task-objects": "cow", **{k.replace("_", "-"): v for k, v in answers.items()}}
    inputs = f"H,{prompt}_{image},{prompt},{image},u,{caption},cow,,cows,,"
    columns = [name.removeprefix("Answer.") for name in HEADER.split(",")[11:]]
    return inputs + "," + ",".join(cells.get(name, "") for name in columns)


def study(folder: Path, *rows: str, header: str = HEADER, end: str = "\n") -> StudyRatings:
    path = folder / "annotations.csv"
    path.write_bytes("".join(line + end for line in (header, *rows)).encode())
    return read_annotations(path, "sdv2", PROMPTS)


def test_geneval_row(tmp_path: Path) -> None:
    answers = {"task_count_0": "1", "task_count_1": "2.0", "task_color_0": "white|gray", "task_real_0": "3.0"}
    places = {"task_position_x": "neither_x", "task_position_y": "below", "task_objects": "none"}
    read = study(tmp_path, row(1, 3, **answers, **places))
    (annotation_row,) = read.rows
    assert annotation_row.image == Image("geneval/00001", "sdv2", 3)
    assert annotation_row.answers == {
        "objects": "none",
        "count_0": 1,
        "color_0": ["white", "gray"],
        "realism_0": 3,
        "count_1": 2,
        "position_x": "neither",
        "position_y": "below",
        "caption_fit": 4,
    }
    assert annotation_row.raw["Answer.task-count-1"] == "2.0"
    assert (annotation_row.active_seconds, annotation_row.rater_id) == (1.5, "geneval/slot-1")
    assert read.images == (annotation_row.image,)
    assert read.items == (Item("geneval/00001/sdv2/3", "geneval", "geneval/00001", "position", "sdv2"),)


def test_bare_carriage_returns_are_text(tmp_path: Path) -> None:
    read = study(tmp_path, row(task_objects="1.cow\r2.cat"), row(task_objects='"cow, \rcat\nand ""dog"""'), row())
    assert [found.answers["objects"] for found in read.rows] == ["1.cow\r2.cat", 'cow, \rcat\nand "dog"', "cow"]
    assert all(found.answers["caption_fit"] == 4 for found in read.rows)


def test_crlf_is_a_line_end_too(tmp_path: Path) -> None:
    read = study(tmp_path, row(task_real_1="2.0"), row(task_objects="a\rb"), end="\r\n")
    assert read.rows[0].answers["realism_1"] == 2
    assert read.rows[1].answers["objects"] == "a\rb"


def test_stale_answers_stay(tmp_path: Path) -> None:
    (annotation_row,) = study(tmp_path, row(task_count_0="0", task_color_0="red", task_real_0="2", task_position_x="left")).rows
    assert annotation_row.answers["color_0"] == ["red"]
    assert annotation_row.answers["realism_0"] == 2
    assert annotation_row.answers["position_x"] == "left"


def test_blank_cells_are_no_answers(tmp_path: Path) -> None:
    (annotation_row,) = study(tmp_path, row(ee="", task_objects="", task_quality="")).rows
    assert annotation_row.answers == {}
    assert annotation_row.active_seconds is None


def test_slots_count_within_an_image_in_file_order(tmp_path: Path) -> None:
    read = study(tmp_path, *[row(1, 0)] * 11, row(0, 1), row(1, 0), row(0, 1))
    assert Counter(found.rater_id for found in read.rows)["geneval/slot-1"] == 2
    assert read.rows[-2].rater_id == "geneval/slot-12"
    assert read.rows[-1].rater_id == "geneval/slot-2"
    assert {row.rater_id for row in read.rows} == {f"geneval/slot-{n}" for n in range(1, 13)}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (row(task_count_0="6"), "Answer.task-count-0 is '6', a whole number 0 to 5 expected"),
        (row(task_count_0="1.5"), "'1.5'"),
        (row(task_count_0="-1"), "'-1'"),
        (row(task_count_0="²"), "Answer.task-count-0"),
        (row(task_real_0="0"), "Answer.task-real-0 is '0', a whole number 1 to 3"),
        (row(task_quality="5"), "1 to 4"),
        (row(task_color_0="red|grey"), "Answer.task-color-0 is 'red|grey', a '|'-joined subset of red"),
        (row(task_color_0="red|red"), "subset"),
        (row(task_position_x="neither_y"), "expected one of left, right, neither_x"),
        (row(task_position_y="under"), "expected one of above, below, neither_y"),
        (row(ee="fast"), "Answer.ee is 'fast'"),
        (row(ee="nan"), "Answer.ee is 'nan'"),
        (row(7), "Input.prompt_id 7 is not a line of the metadata, which has 2"),
        (row().replace("0_0,", "0_1,"), "Input.index is '0_1', '0_0' expected"),
        (row().replace("a cow", "a sow"), "are these the metadata of this study?"),
        (row() + ",x", "23 cells, but the header has 22"),
        ("short,row", "2 cells, but the header has 22"),
        (row(task_objects='"open'), "never closed"),
        (row(task_objects='"a" b'), "write a quote twice"),
    ],
)
def test_wrong_rows_are_named(tmp_path: Path, bad: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        study(tmp_path, row(), bad)
    assert f"annotations.csv:3: {message}" in str(caught.value) or message in str(caught.value)
    assert ":3: " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wrong_headers(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r":1: no column 'Answer\.ee'\. Did you mean 'Answer\.e'\?"):
        study(tmp_path, header=HEADER.replace("Answer.ee", "Answer.e"))
    with pytest.raises(InputError, match=r":1: unknown column 'WorkerId'"):
        study(tmp_path, header=HEADER + ",WorkerId")
    with pytest.raises(InputError, match="twice"):
        study(tmp_path, header=HEADER + ",Answer.ee")
    with pytest.raises(InputError, match="no annotations"):
        study(tmp_path)
    with pytest.raises(InputError, match="the file is empty"):
        study(tmp_path, header="")
    with pytest.raises(InputError, match="CR only"):
        study(tmp_path, row(), end="\r")
    with pytest.raises(ValueError, match="the source's name"):
        read_annotations(tmp_path / "a.csv", "a/b", PROMPTS)


def test_up_to_five_problems(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        study(tmp_path, *[row(task_quality="9")] * 8)
    assert [problem.split(":")[1] for problem in caught.value.problems] == ["2", "3", "4", "5", "6"]


@needs_studies
@pytest.mark.parametrize("source", ["sdv2", "if-xl"])
def test_published_geneval(source: str) -> None:
    folder = SHARED / "geneval"
    prompts = read_metadata(folder / "evaluation_metadata.jsonl")
    read = read_annotations(folder / f"annotations_{source}.csv", source, prompts)
    assert len(read.rows) == 2000
    assert len(read.images) == len(read.items) == 400
    assert {row.rater_id for row in read.rows} == {f"geneval/slot-{n}" for n in range(1, 6)}
    assert all("caption_fit" in found.answers and "count_0" in found.answers for found in read.rows)
    assert all(found.answers["objects"] and found.active_seconds for found in read.rows)
    broken = sum("\r" in found.answers["objects"] for found in read.rows)
    assert broken == {"sdv2": 1, "if-xl": 4}[source]
