"""The sampled and enumerated suites against their published lists."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from data.prompts import geneval, sr2d
from data.prompts.coco import COCO, GENEVAL, article_by_letter, article_by_sound
from data.prompts.files import format_prompts
from data.prompts.spec import parse_spec

SHARED = Path(__file__).resolve().parents[4] / "shared" / "studies"
needs_studies = pytest.mark.skipif(not SHARED.exists(), reason="the published studies are not here")


def test_names() -> None:
    assert len(COCO) == len(set(COCO)) == 80
    renamed = {(k, b) for k, (a, b) in enumerate(zip(COCO, GENEVAL, strict=True)) if a != b}
    assert renamed == {(64, "computer mouse"), (65, "tv remote"), (66, "computer keyboard")}
    assert article_by_letter("orange") == article_by_sound("orange") == "an"
    assert article_by_letter("hour") == "a"
    assert article_by_sound("hour") == "an"


def test_geneval_has_the_published_hash() -> None:
    published = format_prompts(geneval.sample())
    assert hashlib.sha256(published.encode()).hexdigest() == "5c48e0813e812e3c373fa5c8ed07a8f0a483be30272b4427b0559c8048e67c13"


@needs_studies
def test_geneval_equals_the_published_file() -> None:
    assert format_prompts(geneval.sample()) == (SHARED / "geneval" / "evaluation_metadata.jsonl").read_text()


def test_geneval_lines_by_hand() -> None:
    prompts = geneval.sample()
    assert Counter(prompt.task for prompt in prompts) == {
        "single_object": 80,
        "two_object": 99,
        "counting": 80,
        "colors": 94,
        "position": 100,
        "color_attr": 100,
    }
    assert prompts[0].prompt_id == "geneval/00000"
    assert prompts[80].text == "a photo of a bench and a sports ball"
    counting = prompts[179]
    assert json.dumps(counting.spec) == (
        '{"tag": "counting", "include": [{"class": "clock", "count": 2}], "exclude": [{"class": "clock", "count": 3}], '
        '"prompt": "a photo of two clocks"}'
    )
    assert all(parse_spec(prompt.spec).relations for prompt in prompts if prompt.task == "position")


def test_geneval_position_puts_the_reference_first() -> None:
    position = next(prompt for prompt in geneval.sample() if prompt.task == "position")
    relation = parse_spec(position.spec).relations[0]
    objects = parse_spec(position.spec).objects
    words = [objects[relation.subject].name, relation.relation, objects[relation.reference].name]
    assert [word in position.text for word in words] == [True] * 3
    assert [position.text.index(word) for word in words] == sorted(position.text.index(word) for word in words)


def test_geneval_sets_have_names_of_their_own() -> None:
    assert geneval.suite_name() == "geneval"
    assert geneval.suite_name(seed=7) == "geneval@seed7"
    assert geneval.suite_name(seed=43, n=20) == "geneval@seed43-n20"
    small = geneval.sample(seed=7, n=20)
    assert {prompt.suite for prompt in small} == {"geneval@seed7-n20"}
    assert small[0].prompt_id == "geneval@seed7-n20/00000"
    assert small == geneval.sample(seed=7, n=20) != geneval.sample(seed=8, n=20)
    assert len(geneval.sample(n=0)) == 80
    texts = [json.dumps(prompt.spec) for prompt in geneval.sample(seed=1, n=2000)]
    assert len(texts) == len(set(texts)) < 80 + 5 * 2000
    with pytest.raises(ValueError, match="negative"):
        geneval.sample(seed=-1)


def test_sr2d() -> None:
    prompts = sr2d.all_prompts()
    assert len(prompts) == sr2d.SIZE == 31_680
    assert [prompt.prompt_id for prompt in prompts] == [f"sr2d/{n:05d}" for n in range(31_680)]
    tasks = Counter(prompt.task for prompt in prompts)
    assert tasks == {"left": 6320, "right": 6320, "above": 6320, "below": 6320, "and": 6320, "single": 80}
    assert len({prompt.text for prompt in prompts}) == 31_680
    assert [prompt.text for prompt in prompts[:10]] == [
        "a person to the left of a bicycle",
        "a bicycle to the left of a person",
        "a person to the right of a bicycle",
        "a bicycle to the right of a person",
        "a person above a bicycle",
        "a bicycle above a person",
        "a person below a bicycle",
        "a bicycle below a person",
        "a person and a bicycle",
        "a bicycle and a person",
    ]
    assert prompts[1].spec == {"a": "bicycle", "b": "person", "relation": "left"}
    assert prompts[8].spec == {"a": "person", "b": "bicycle"}
    assert (prompts[-1].text, prompts[-1].spec) == ("a toothbrush", {"a": "toothbrush"})
    assert prompts[31_600 + 20].text == "an elephant"
    assert sr2d.prompt(810).text == "a bicycle to the left of an airplane"
    assert parse_spec(sr2d.prompt(15407).spec).relations[0].target == "chair below zebra"


@pytest.mark.parametrize("number", [-1, 31_680])
def test_sr2d_has_an_end(number: int) -> None:
    with pytest.raises(ValueError, match="numbered 0 to 31679"):
        sr2d.prompt(number)
