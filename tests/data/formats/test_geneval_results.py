"""GenEval's results and summary, letter by letter as pandas makes them."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pandas as pd
import pytest

from data.formats.official_results import (
    GenEvalResult,
    ImagePath,
    Summary,
    format_result,
    is_result,
    parse_image_path,
    read_result,
)
from data.prompts import geneval_suite

CUP = geneval_suite.single_object("cup")


def row(**changed: Any) -> dict[str, Any]:
    usual = {
        "filename": "out/sd/00042/samples/0003.png",
        "tag": "single_object",
        "prompt": CUP["prompt"],
        "correct": True,
        "reason": "",
        "metadata": json.dumps(CUP),
        "details": json.dumps({"cup": [[1.0, 2.0, 30.5, 4.0, 0.75], [0.0, 0.0, 1.0, 1.0, 0.5]]}),
    }
    return usual | changed


def as_pandas(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    pd.DataFrame(rows).to_json(text, orient="records", lines=True)
    return text.getvalue()


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"correct": False, "reason": 'expected cup>=1, found 0\nno target for "cup" to be left of'},
        {"prompt": "a café / a \\ <b>\u2028 \t 杯", "tag": "t/a\x01"},
        {"details": "{}"},
    ],
)
def test_a_line_is_read_and_written_as_pandas_writes_it(changed: dict[str, Any]) -> None:
    requested = row(**changed)
    text = as_pandas([requested])
    read = read_result(json.loads(text))
    assert format_result(read) == text
    assert (read.filename, read.prompt, read.correct, read.metadata) == (
        requested["filename"],
        requested["prompt"],
        requested["correct"],
        CUP,
    )


def test_details_are_boxes_and_confidences() -> None:
    read = read_result(row())
    assert read.details == {"cup": [((1.0, 2.0, 30.5, 4.0), 0.75), ((0.0, 0.0, 1.0, 1.0), 0.5)]}
    # plain objects are read too, and boxes without a confidence, which counted
    assert read_result(row(metadata=CUP, details={"cup": [[1, 2, 3, 4]]})).details == {"cup": [((1, 2, 3, 4), 1.0)]}
    assert read_result(row(details=None)).details is None
    assert read_result(row(correct=0)).correct is False
    assert is_result(row())
    assert not is_result({"id": "x", "spec": {}, "detections": []})


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"filename": ""}, "'filename' is '', a text expected"),
        ({"tag": None}, "'tag' is None"),
        ({"correct": "yes"}, "'correct' is 'yes', true or false expected"),
        ({"correct": None}, "'correct' is None"),
        ({"metadata": "{"}, "'metadata' is '{', an object expected"),
        ({"metadata": None}, "'metadata' is None, an object expected"),
        ({"details": "[1]"}, r"'details' is \[1\], an object expected"),
        ({"details": {"cup": 3}}, "'details.cup' is 3, a list expected"),
        ({"details": {"cup": [[1, 2, 3]]}}, r"'details.cup\[0\]\[0\]\[3\]' is missing"),
        ({"details": {"cup": [[1, 2, 3, 4, 5]]}}, r"'details.cup\[0\]\[1\]' is 5, at most 1 expected"),
    ],
)
def test_an_invalid_line_says_what_is_wrong(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_result(row(**changed))


@pytest.mark.parametrize(
    ("filename", "place"),
    [
        ("out/sd/00042/samples/0003.png", ImagePath(42, 3, "sd", "0003.png")),
        ("/data/a b/7/samples/12.png", ImagePath(7, 12, "a b", "12.png")),
        ("C:\\out\\sd\\00042\\samples\\0003.png", ImagePath(42, 3, "sd", "0003.png")),
        ("./00042/samples/0003.png", ImagePath(42, 3, None, "0003.png")),
        ("00042/samples/0003.jpg", ImagePath(42, 3, None, "0003.jpg")),
        ("sd/00042/samples/a sample.v2.png", ImagePath(42, None, "sd", "a sample.v2.png")),
        ("/00042/samples/0003.png", ImagePath(42, 3, None, "0003.png")),
    ],
)
def test_a_files_name_says_which_image_it_is(filename: str, place: ImagePath) -> None:
    assert parse_image_path(filename) == place


@pytest.mark.parametrize("filename", ["0003.png", "sd/x/samples/0.png", "sd/1/0.png", "1/samples/0.png/x"])
def test_other_file_names_are_refused(filename: str) -> None:
    with pytest.raises(ValueError, match=r"00042/samples/0000\.png expected"):
        parse_image_path(filename)


def printed(rows: list[dict[str, Any]]) -> str:
    """What GenEval's script prints, from pandas' own groups."""
    frame = pd.DataFrame(rows)
    shares = frame.groupby("tag", sort=False)["correct"].agg(["mean", "sum", "size"])
    tasks = "".join(
        f"{tag:<16} = {one['mean']:.2%} ({int(one['sum'])} / {int(one['size'])})\n" for tag, one in shares.iterrows()
    )
    prompts = frame.groupby("metadata")["correct"].max()
    return (
        f"Summary\n=======\nTotal images: {len(frame)}\nTotal prompts: {len(prompts)}\n"
        f"% correct images: {frame['correct'].mean():.2%}\n% correct prompts: {prompts.mean():.2%}\n\n"
        f"Task breakdown\n==============\n{tasks}\nOverall score (avg. over tasks): {shares['mean'].mean():.5f}\n"
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_summary_is_what_genevals_script_prints(seed: int) -> None:
    rng = random.Random(seed)
    prompts = rng.sample(geneval_suite.sample(), 40)
    rows: list[dict[str, Any]] = []
    for _ in range(rng.randint(1, 300)):
        prompt = rng.choice(prompts)
        rows.append({"tag": prompt.task, "metadata": json.dumps(prompt.spec), "correct": rng.random() < 0.4})
    summary = Summary()
    for one in rows:
        summary.add(one["tag"], json.loads(one["metadata"]), one["correct"])
    assert summary.text() == printed(rows)


def test_a_summary_by_hand() -> None:
    summary = Summary()
    for tag, n, correct in (("colors", 1, True), ("colors", 1, False), ("colors", 2, False), ("counting", 3, True)):
        summary.add(tag, {"prompt": n}, correct)
    assert summary.text() == (
        "Summary\n=======\nTotal images: 4\nTotal prompts: 3\n% correct images: 50.00%\n% correct prompts: 66.67%\n\n"
        "Task breakdown\n==============\ncolors           = 33.33% (1 / 3)\ncounting         = 100.00% (1 / 1)\n\n"
        "Overall score (avg. over tasks): 0.66667\n"
    )
    with pytest.raises(ValueError, match="nothing to sum up"):
        Summary().text()


def test_a_result_without_details_is_written_without_boxes() -> None:
    result = GenEvalResult("a/1/samples/1.png", "t", "p", False, "why", {"tag": "t"}, None)
    assert json.loads(json.loads(format_result(result))["details"]) == {}
