"""Prompt files of every shape, whole and broken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.files import InputError
from data.prompts import geneval_suite, sr2d_suite
from data.prompts.prompt_files import format_prompts, read_prompts, write_prompts
from data.records import Prompt

SHARED = Path(__file__).resolve().parents[4] / "shared" / "studies"
COW = '{"tag": "single_object", "include": [{"class": "cow", "count": 1}], "prompt": "a photo of a cow"}'


def written(folder: Path, text: str, name: str = "p.jsonl") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_our_own_shape(tmp_path: Path) -> None:
    text = (
        "\ufeff"
        '{"prompt": "a cat "}\r\n'
        "\n"
        '{"text": "a\u2028dog", "task": "t", "extra": 1}\n'
        '{"prompt_id": "mine/x", "prompt": "p", "text": "p", "spec": {"a": "cat"}}'
    )
    assert read_prompts(written(tmp_path, text), "mine") == [
        Prompt("mine/00000", "mine", "a cat "),
        Prompt("mine/00002", "mine", "a\u2028dog", "t"),
        Prompt("mine/x", "mine", "p", None, {"a": "cat"}),
    ]


def test_geneval_metadata(tmp_path: Path) -> None:
    assert read_prompts(written(tmp_path, f"\n{COW}\n"), "mine") == [
        Prompt("mine/00001", "mine", "a photo of a cow", "single_object", json.loads(COW))
    ]


def test_tifa_array(tmp_path: Path) -> None:
    text = '[\n {"id": "coco_1", "caption": "It\u2019s on ", "coco_val_id": "1"},\n {"id": "x", "caption": "b"}]\n'
    assert read_prompts(written(tmp_path, text, "p.json"), "tifa") == [
        Prompt("tifa/coco_1", "tifa", "It\u2019s on ", "coco"),
        Prompt("tifa/x", "tifa", "b", "x"),
    ]


def test_plain_text(tmp_path: Path) -> None:
    prompts = read_prompts(written(tmp_path, "[a cat]\r\n \n{b\n", "p.TXT"), "mine")
    assert prompts == [Prompt("mine/00000", "mine", "[a cat]"), Prompt("mine/00002", "mine", "{b")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no prompts"),
        ("{oops}\n", ":1: not JSON"),
        ('\n\n{"prompt": ""}', ":3: 'prompt' is '', a text expected"),
        ('{"prompt": 5}', "'prompt' is 5"),
        ('{"promt": "x"}', "unknown key 'promt'; did you mean 'prompt'"),
        ('{"a": "x"}', "an object with 'prompt'"),
        ("5\n", "found 5, a JSON object"),
        ('{"prompt": "a", "text": "b"}', "differ"),
        ('{"prompt": "a", "prompt_id": "other/1"}', "must begin with 'mine/'"),
        ('{"prompt": "a", "prompt_id": "mine/a/b"}', "must not hold '/'"),
        ('{"prompt": "a", "prompt_id": "mine/"}', "the id is empty"),
        ('{"prompt": "a", "spec": []}', "'spec' is [], a JSON object expected"),
        ('{"prompt": "a", "spec": {"include": [{"class": 1}]}}', ":1: spec: 'include[0]' needs a 'class' name"),
        ('{"prompt": "a", "spec": {"include": [{"class": "b", "position": [["x"], 0]}, {"class": "c"}]}}', ":1: spec"),
        ('{"prompt": "a", "spec": {"include": [{"class": "b"}], "exclude": 5}}', ":1: spec"),
        ('{"prompt": "a", "spec": {"a": "cat", "relation": "left"}}', "spec: 'relation'"),
        ('{"prompt": "a", "spec": {"a": ["cat"]}}', "spec"),
        ('{"prompt": "a", "spec": {"x": NaN}}', "spec of an unknown shape"),
        ('{"prompt": "a"}\n\0', ":2: holds a NUL byte"),
        (COW.replace('"tag"', '"tags"'), "GenEval metadata without 'tag'"),
        ('{"tag": "colors", "prompt": "x"}', "GenEval metadata without 'include'"),
        ('{"prompt": "a"}\n{"prompt": "b", "prompt_id": "mine/00000"}', ":2: id 'mine/00000' is that of line 1 too"),
        ('{"prompt": "\\ud800"}', "surrogate"),
        ('{"prompt": "a\\u0000"}', "NUL"),
        ("[" * 100_000, "not JSON|cannot be read"),
        ('[{"prompt": "a"}\n{"prompt": "b"}]', ":2: not JSON (',' or ']' expected"),
        ('[{"prompt": "a"},\n', ":2: not JSON"),
        ('[{"prompt": "a"}] x', "after the end"),
        ('[{"prompt": "a"},\n{"prompt": 1}]', ":2: 'prompt' is 1"),
        ('{\n"prompt": "a"}', ":1: not JSON"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_prompts(path, "mine")
    assert str(caught.value).startswith(str(path))
    assert any(part in str(caught.value) for part in message.split("|"))
    assert "\n" not in str(caught.value)


def test_only_utf8_is_read(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_bytes(b"ok\ncaf\xe9\n")
    with pytest.raises(InputError, match=r":2: byte 0xe9 is not UTF-8"):
        read_prompts(path, "mine")
    path.write_bytes("ok".encode("utf-16"))
    with pytest.raises(InputError, match="UTF-16"):
        read_prompts(path, "mine")
    (tmp_path / "empty").mkdir()
    for wrong, message in ((tmp_path / "empty", "a folder without .txt files"), (tmp_path / "no", "no such file")):
        with pytest.raises(InputError, match=message):
            read_prompts(wrong, "mine")


def test_five_problems_are_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_prompts(written(tmp_path, "5\n" * 9), "mine")
    assert len(caught.value.problems) == 5
    with pytest.raises(InputError) as caught:
        read_prompts(written(tmp_path, '5\n{"prompt": "a"}\n{\n'), "mine")
    assert len(caught.value.problems) == 2


def test_suite_names(tmp_path: Path) -> None:
    for suite in ("", "a/b", "a\n"):
        with pytest.raises(ValueError, match="the suite's name"):
            read_prompts(tmp_path / "p", suite)


def test_written_prompts_are_read_back(tmp_path: Path) -> None:
    for prompts in (
        geneval_suite.sample(),
        geneval_suite.sample(7, 20),
        geneval_suite.sample()[3:5],
        [sr2d_suite.numbered_prompt(n) for n in (5, 8, 31_679)],
        [Prompt("geneval/00000", "geneval", "x", "t", {"include": [], "tag": "t", "prompt": "other"})],
    ):
        assert read_prompts(write_prompts(prompts, tmp_path / "p.jsonl"), prompts[0].suite) == prompts
    assert json.loads(format_prompts(geneval_suite.sample(7)).split("\n")[0])["tag"] == "single_object"
    with pytest.raises(ValueError, match="one suite"):
        format_prompts([Prompt("a/1", "a", "x"), Prompt("b/1", "b", "x")])


plain = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(str.strip)


@given(st.lists(st.tuples(plain, st.none() | plain), min_size=1, max_size=5))
def test_any_text_is_read_back_unchanged(tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str | None]]) -> None:
    prompts = [Prompt(f"mine/{n}", "mine", text, task) for n, (text, task) in enumerate(texts)]
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    assert read_prompts(write_prompts(prompts, path), "mine") == prompts


@pytest.mark.skipif(not SHARED.exists(), reason="the published studies are not here")
def test_published_files() -> None:
    texts = read_prompts(SHARED / "tifa" / "tifa_v1.0_text_inputs.json", "tifa")
    assert len(texts) == 4081
    assert {prompt.task for prompt in texts} == {"coco", "partiprompt", "paintskill", "drawbench"}
    assert read_prompts(SHARED / "geneval" / "evaluation_metadata.jsonl", "geneval") == geneval_suite.sample()
