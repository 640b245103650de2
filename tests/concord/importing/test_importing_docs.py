"""Each row of the table in docs/importing.md, "What you have, and the command", is a command that works."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Final

import pytest

from tests.ui.small_project import concord, done, png
from tests.workbooks import workbook

DOCS: Final = Path(__file__).resolve().parents[3] / "docs" / "importing.md"
STARS: Final = ("--aspect", "quality", "--scale", "ordinal:1-5")
LABELS: Final = ("--aspect", "mood", "--scale", "nominal")
CSV: Final = "image,who,vote\na.png,ann,4\nb.png,ann,5\n"
QUALTRICS: Final = (
    "ResponseId,image,Q1\nResponse ID,image,Fit?\n"
    '"{""ImportId"":""_recordId""}","{""ImportId"":""image""}","{""ImportId"":""QID1""}"\n'
)
TASK: Final = {"data": {"image": "a.png"}, "annotations": [
    {"completed_by": 1, "result": [{"from_name": "stars", "type": "rating", "value": {"rating": 4}}]}]}  # fmt: skip
FLAT: Final = {"image": "a.png", "stars.responses": [4, 5], "stars.responses.users": ["u", "v"],
               "stars.responses.status": ["submitted", "draft"]}  # fmt: skip
FILES: Final[dict[str, tuple[str | bytes, tuple[str, ...], str]]] = {
    "votes.csv": (CSV, STARS, "2 ratings of 2 items by 1 rater"),
    "semicolons.csv": ("image;who;vote\na.png;ann;4,5\n".encode("utf-16"),
                       ("--aspect", "fit", "--scale", "interval"), "in UTF-16; separated"),
    "votes.xlsx": (workbook({"S": [["image", "who", "vote"], ["a.png", "ann", "4"]]}), STARS, "1 rating of 1 item"),
    "raters.csv": ("image,ann,ben\na.png,4,5\n", STARS, "2 ratings of 1 item by 2 raters ('ann', 'ben')"),
    "persons.csv": ("who,a.png,b.png\nann,4,5\nben,3,\n", STARS, "3 ratings of 2 items by 2 raters; 1 left out"),
    "grid.csv": ("Timestamp,Your name,Fit? [a.png],Fit? [b.png]\n1,ann,4,5\n", STARS, "2 ratings of 2 items by 1 rater"),
    "qualtrics.csv": (f"{QUALTRICS}R_1,a.png,good\n", LABELS, "lines 2 and 3 belong to the header"),
    "two_lines.csv": ("image,who,vote\nImage,Who are you?,Fit?\na.png,ann,4\n", STARS, "1 rating of 1 item"),
    "batch.csv": ("WorkerId,AssignmentStatus,Input.image,Answer.q\nW,Approved,a.png,4\nV,Rejected,a.png,1\n", STARS,
                  "1 left out: 1 rejected"),
    "toloka.tsv": ("INPUT:image\tOUTPUT:q\tASSIGNMENT:worker_id\tASSIGNMENT:status\na.png\t4\tw\tAPPROVED\n", STARS,
                   "1 rating of 1 item"),
    "label_studio.json": (json.dumps([TASK]), STARS, "1 rating of 1 item"),
    "argilla.jsonl": (json.dumps(FLAT), STARS, "1 left out: 1 not submitted"),
    "arena.csv": ("prompt,judge,model_a,model_b,winner\np,ann,sd,flux,model_a\n", (), "1 rating of 1 item"),
    "ticked.csv": ('image,who,seen\na.png,ann,"hands, text"\n', ("--aspect", "flaws"),
                   "each of 2 aspects: 'flaws: hands', 'flaws: text'"),
    "clip.json": ('{"a.png": 0.31, "b.png": 0.29}', ("--aspect", "score", "--scale", "interval"),
                  "2 ratings of 2 items by 1 rater"),
    "gaps.csv": ("image,who,vote\na,x,good\nb,x,N/A\nc,x,-\n", LABELS, "2 left out: 1 with 'N/A', 1 with '-'"),
    "polish.csv": ("image,who,vote\na,x,zły\n".encode("cp1250"), LABELS, "in cp1250"),
    "typed.csv": ("image,who,vote\na,x,Good\nb,x,good\nc,x,go\u200bod\n", LABELS, "3 ratings"),
    "windows.csv": ("image,who,vote\nC:\\out\\sdxl\\0.png,ann,4\n", STARS, "1 of 1 match an image of suite mine (by path)"),
}  # fmt: skip


def commands() -> list[str]:
    """The commands of the table, each with its file first."""
    section = DOCS.read_text(encoding="utf-8").split("## What you have, and the command")[1].split("\n### ")[0]
    return re.findall(r"\| `([a-z_]+\.[a-z]+ [^`]*)` \|$", section, re.MULTILINE)


def test_each_row_has_a_file_here() -> None:
    assert len(FILES) > 15
    assert sorted(command.split()[0] for command in commands()) == sorted(FILES)


@pytest.mark.parametrize("file", FILES)
def test_a_row_of_the_table_works(project: Path, tmp_path: Path, file: str) -> None:
    (command,) = (command for command in commands() if command.startswith(f"{file} "))
    content, described, said = FILES[file]
    (tmp_path / file).write_bytes(content.encode() if isinstance(content, str) else content)
    if file == "windows.csv":
        png(tmp_path / "images" / "sdxl" / "0.png", "red")
        (tmp_path / "images" / "images.csv").write_text("path,prompt,generator\nsdxl/0.png,a cat,sdxl\n")
        done(project, "import", "images", tmp_path / "images", "--layout", "csv", "--suite", "mine")
    _, *options = shlex.split(command)
    ran = concord(project, "import", "ratings", tmp_path / file, *options, *described)
    assert ran.status == 0, ran.err
    assert said in ran.out
