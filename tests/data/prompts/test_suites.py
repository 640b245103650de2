"""The sampled and enumerated suites against their published lists."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from data.prompts import geneval_suite, sr2d_suite
from data.prompts.coco import COCO, GENEVAL, SUPERCATEGORY, article_by_letter, article_by_sound, plural
from data.prompts.prompt_files import format_prompts, read_prompts, write_prompts
from data.records import Prompt
from data.spec import OPPOSITE, parse_spec

SHARED = Path(__file__).resolve().parents[4] / "shared" / "studies"
needs_studies = pytest.mark.skipif(not SHARED.exists(), reason="the published studies are not here")


def english() -> Any:
    """``inflect``, loaded when first called: every test process collects all tests, and its load takes seconds."""
    import inflect

    return inflect.engine()


def test_coco_and_geneval_names() -> None:
    assert len(COCO) == len(set(COCO)) == 80
    renamed = {(k, b) for k, (a, b) in enumerate(zip(COCO, GENEVAL, strict=True)) if a != b}
    assert renamed == {(64, "computer mouse"), (65, "tv remote"), (66, "computer keyboard")}
    assert article_by_letter("orange") == article_by_sound("orange") == "an"
    assert article_by_letter("hour") == "a"
    assert article_by_sound("hour") == "an"
    engine = english()
    assert [name for name in COCO if engine.a(name) != f"{article_by_sound(name)} {name}"] == []


def test_geneval_has_the_published_hash() -> None:
    published = format_prompts(geneval_suite.sample())
    assert hashlib.sha256(published.encode()).hexdigest() == "5c48e0813e812e3c373fa5c8ed07a8f0a483be30272b4427b0559c8048e67c13"


@needs_studies
def test_geneval_equals_the_published_file() -> None:
    assert format_prompts(geneval_suite.sample()) == (SHARED / "geneval" / "evaluation_metadata.jsonl").read_text()


def test_geneval_lines_by_hand() -> None:
    prompts = geneval_suite.sample()
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
    position = next(prompt for prompt in geneval_suite.sample() if prompt.task == "position")
    relation = parse_spec(position.spec).relations[0]
    objects = parse_spec(position.spec).objects
    words = [objects[relation.subject].name, relation.relation, objects[relation.reference].name]
    assert [word in position.text for word in words] == [True] * 3
    assert [position.text.index(word) for word in words] == sorted(position.text.index(word) for word in words)


def test_geneval_sets_have_names_of_their_own() -> None:
    assert geneval_suite.suite_name() == "geneval"
    assert geneval_suite.suite_name(seed=7) == "geneval@seed7"
    assert geneval_suite.suite_name(seed=43, n=20) == "geneval@seed43-n20"
    small = geneval_suite.sample(seed=7, n=20)
    assert {prompt.suite for prompt in small} == {"geneval@seed7-n20"}
    assert small[0].prompt_id == "geneval@seed7-n20/00000"
    assert small == geneval_suite.sample(seed=7, n=20) != geneval_suite.sample(seed=8, n=20)
    assert len(geneval_suite.sample(n=0)) == 80
    texts = [json.dumps(prompt.spec) for prompt in geneval_suite.sample(seed=1, n=2000)]
    assert len(texts) == len(set(texts)) < 80 + 5 * 2000
    with pytest.raises(ValueError, match="negative"):
        geneval_suite.sample(seed=-1)


def test_sr2d_equals_the_published_list() -> None:
    prompts = sr2d_suite.all_prompts()
    assert len(prompts) == sr2d_suite.SIZE == 31_680
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
    assert sr2d_suite.numbered_prompt(810).text == "a bicycle to the left of an airplane"
    assert parse_spec(sr2d_suite.numbered_prompt(15407).spec).relations[0].target == "chair below zebra"


@pytest.mark.parametrize("number", [-1, 31_680])
def test_sr2d_refuses_numbers_out_of_range(number: int) -> None:
    with pytest.raises(ValueError, match="numbered 0 to 31679"):
        sr2d_suite.numbered_prompt(number)


# ---- SR2D said otherwise (VISOR, section 6.6)
def test_a_prompt_of_sr2d_by_its_objects_and_relation() -> None:
    asking = [number for number in range(sr2d_suite.SIZE) if "relation" in sr2d_suite.numbered_prompt(number).spec]
    assert [sr2d_suite.prompt_number(**sr2d_suite.numbered_prompt(number).spec) for number in asking] == asking
    for wrong in (("cat", "cat", "left"), ("cat", "unicorn", "left"), ("cat", "dog", "and"), ("None", "None", "None")):
        with pytest.raises(ValueError, match="SR2D has no prompt"):
            sr2d_suite.prompt_number(*wrong)


def test_sentences_have_the_numbers_and_specs_of_sr2d() -> None:
    known = {prompt.prompt_id.split("/")[1]: prompt for prompt in sr2d_suite.all_prompts() if "relation" in prompt.spec}
    for suite, made in (("sr2d-sentences", sr2d_suite.sentence_prompts()), ("sr2d-split", sr2d_suite.split_sentence_prompts())):
        assert {prompt.suite for prompt in made} == {suite}
        assert len({prompt.text for prompt in made}) == len(made) == 25_280
        for prompt in made:
            same = known[prompt.prompt_id.removeprefix(f"{suite}/")]
            assert (prompt.task, prompt.spec) == (same.task, same.spec)


def test_sentences_are_the_papers() -> None:
    """Section 6.6 has the first of each; above and below are ours."""
    numbers = {
        (a, relation): sr2d_suite.prompt_number(a, b, relation)
        for a, b in (("cat", "dog"), ("dog", "cat"))
        for relation in OPPOSITE
    }
    whole, split = (
        {int(prompt.prompt_id[-5:]): prompt.text for prompt in made}
        for made in (sr2d_suite.sentence_prompts(), sr2d_suite.split_sentence_prompts())
    )
    assert whole[numbers["cat", "left"]] == "There is a cat to the left of a dog"
    assert whole[numbers["dog", "below"]] == "There is a dog below a cat"
    assert split[numbers["cat", "left"]] == "There is a cat to the left. There is a dog to the right"
    assert split[numbers["dog", "right"]] == "There is a dog to the right. There is a cat to the left"
    assert split[numbers["cat", "above"]] == "There is a cat above. There is a dog below"
    assert split[numbers["dog", "below"]] == "There is a dog below. There is a cat above"


def test_each_pair_has_all_combinations_of_attributes() -> None:
    made = sr2d_suite.attribute_prompts(n=sr2d_suite.MAX_ATTRIBUTE_PAIRS)
    # 11 categories, one of each supercategory but person's; each ordered pair in four relations; 16 combinations
    assert [SUPERCATEGORY[name] for name in sr2d_suite.ATTRIBUTE_CATEGORIES] == [*dict.fromkeys(SUPERCATEGORY.values())][1:]
    assert len(made) == 11 * 10 * 4 * 16 == len({prompt.prompt_id for prompt in made})
    assert set(Counter(prompt.task for prompt in made).values()) == {440}
    assert {"none, none", "Z, ZC", "C, none"} < {*sr2d_suite.ATTRIBUTE_COMBINATIONS}
    counter = Counter((prompt.spec["a"], prompt.spec["b"], prompt.spec["relation"]) for prompt in made)
    assert len(counter) == 440
    assert set(counter.values()) == {16}
    for start in range(0, len(made), 16):
        _check_combinations({prompt.task: prompt for prompt in made[start : start + 16]})


def _check_combinations(pair: dict[str | None, Prompt]) -> None:
    """Texts put together again from the pair's whole description."""
    fields = pair["ZC, ZC"].spec
    for task, prompt in pair.items():
        assert task is not None
        things = []
        for side, letters in zip("ab", task.split(", "), strict=True):
            words = [fields[f"{side}_{word}"] for word, letter in (("size", "Z"), ("color", "C")) if letter in letters]
            thing = " ".join([*words, fields[side]])
            things.append(f"{'an' if thing.startswith('orange') else 'a'} {thing}")
        between = {"left": "to the left of", "right": "to the right of"}.get(fields["relation"], fields["relation"])
        assert prompt.text == f"{things[0]} {between} {things[1]}"
        assert {key: prompt.spec[key] for key in ("a", "b", "relation")} == {key: fields[key] for key in ("a", "b", "relation")}
        spec = parse_spec(prompt.spec)
        # VISOR looks at objects and their relation alone
        assert (len(spec.objects), len(spec.relations)) == (2, 1)
        assert all(thing.color is None for thing in spec.objects)


def test_attributes_are_drawn_by_seed_and_keep_their_ids() -> None:
    few, many = sr2d_suite.attribute_prompts(n=3), sr2d_suite.attribute_prompts(n=5)
    assert len(few) == 48
    assert many[:48] == few
    assert few[17].prompt_id == "sr2d-attributes/00017"
    other = sr2d_suite.attribute_prompts(seed=7, n=3)
    assert other[0].prompt_id == "sr2d-attributes@seed7/00000"
    assert [prompt.text for prompt in other] != [prompt.text for prompt in few]
    everything = [prompt.spec for prompt in sr2d_suite.attribute_prompts(n=440)]
    assert {spec["a_size"] for spec in everything if "a_size" in spec} == {*sr2d_suite.ATTRIBUTE_SIZES}
    assert (
        {spec["b_color"] for spec in everything if "b_color" in spec}
        == {*sr2d_suite.ATTRIBUTE_COLORS}
        <= {*geneval_suite.COLORS}
    )
    for wrong in ({"n": 0}, {"n": 441}, {"seed": -1}):
        with pytest.raises(ValueError, match="n must be from 1 to 440"):
            sr2d_suite.attribute_prompts(**wrong)


@pytest.mark.parametrize(
    "made", [sr2d_suite.attribute_prompts(n=1), sr2d_suite.sentence_prompts()[:3]], ids=lambda made: made[0].suite
)
def test_variants_come_back_from_their_files(tmp_path: Path, made: list[Prompt]) -> None:
    assert read_prompts(write_prompts(made, tmp_path / "p.jsonl"), made[0].suite) == made


def test_plurals_of_cocos_names_are_english() -> None:
    engine = english()
    ours = {"skis": "skis", "scissors": "pairs of scissors"}
    for name in {*COCO, *GENEVAL}:
        assert plural(name) == ours.get(name, engine.plural_noun(name))


def test_coco_plurals_do_not_import_inflect() -> None:
    code = (
        "import sys; from annotation.questionnaires.geneval import FORM; from annotation.questionnaires.form import FormItem;"
        " from data.prompts.coco import COCO;"
        " [FORM.build(FormItem('a', {'a': name, 'b': 'dog', 'relation': 'above'})) for name in COCO];"
        " sys.exit('inflect' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
