"""Each row of docs/importing.md, "Prompts, question lists and images: what you have", is a command that works."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Final

import pytest

from tests.ui.small_project import METADATA, concord, png

DOCS: Final = Path(__file__).resolve().parents[3] / "docs" / "importing.md"
DIMENSIONS: Final = '"{""考点"": [""风格""], ""考点对应描述"": [""油画""]}"'
ONEIG: Final = json.dumps([{"category": name, "id": "000", "prompt_en": name} for name in ("Anime_Stylization", "Portrait")])
VERDICT: Final = {"filename": "o/00000/samples/seed 7.png", "tag": METADATA[0]["tag"], "prompt": METADATA[0]["prompt"],
                  "correct": True, "reason": "", "metadata": METADATA[0], "details": {}}  # fmt: skip
FILES: Final = {
    "PartiPrompts.tsv": "Prompt\tCategory\tChallenge\tNote\na cube\tAbstract\tBasic\t\n",
    "mine.csv": "prompt_id,prompt,task\n7,a cube,count\n",
    "genai_image.json": json.dumps({"00000": {"id": "00000", "prompt": "a pie", "models": {}}}),
    "vbench.json": json.dumps([{"prompt_en": "a kite", "dimension": ["color"]}]),
    "dpg_prompts/12.txt": "a long text",
    "OneIG-Bench.json": ONEIG,
    "anime.json": json.dumps({"000": {"question": '{"1": "A boat?"}', "dependency": '{"1": [0]}'}}),
    "test_prompts_zh.csv": f"index,prompt_zh,sub_dims_zh\n0,一只猫,{DIMENSIONS}\n",
    "dsg.csv": "item_id,text,proposition_id,dependency,question_natural_language\na,a hat,1,0,Hat?\n",
    "tifa.csv": "id,caption,question,choices,answer\na,a hat,Hat?,yes|no,yes\n",
    "pictures/images.csv": "path,prompt\na.png,a hat\n",
    "geneval_folder/00000/metadata.jsonl": json.dumps(METADATA[0]),
    "results.jsonl": json.dumps(VERDICT),
}
SAID: Final = {
    "anime.json": "oneig: 1 questions about 1 prompts", "test_prompts_zh.csv": "unigenbench-zh: 1 questions about 1 prompts",
    "dsg.csv": "dsg: 1 questions about 1 prompts", "tifa.csv": "tifa: 1 questions about 1 prompts",
    "OneIG-Bench.json": "2 new of 2 prompts", "pictures": "1 images of 1 prompts", "geneval_folder": "1 images of 1 prompts",
    "results.jsonl": "1 image of NAME judged by",
}  # fmt: skip
BEFORE: Final = {"anime.json": "prompts OneIG-Bench.json --suite oneig",
                 "results.jsonl": "images geneval_folder --layout geneval --generator NAME"}  # fmt: skip


def commands() -> list[str]:
    section = (
        DOCS.read_text(encoding="utf-8").split("## Prompts, question lists and images: what you have")[1].split("\n## ")[0]
    )
    return re.findall(r"\| `((?:prompts|questions|images|results) [^`]*)` \|$", section, re.MULTILINE)


def file_of(command: str) -> str:
    return next(word for word in shlex.split(command)[1:] if word.split("/")[0] in {name.split("/")[0] for name in FILES})


def test_each_row_has_a_file_here() -> None:
    assert sorted(map(file_of, commands())) == sorted({name.split("/")[0] for name in FILES})


@pytest.mark.parametrize("command", commands())
def test_a_row_of_the_table_works(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    png(tmp_path / "pictures" / "a.png", "red")
    png(tmp_path / "geneval_folder" / "00000" / "samples" / "seed 7.png", "blue")
    monkeypatch.chdir(tmp_path)
    file = file_of(command)
    for line in filter(None, (BEFORE.get(file), command)):
        ran = concord(project, "import", *shlex.split(line))
        assert ran.status == 0, ran.err
    assert SAID.get(file, "1 new of 1 prompts") in ran.out
