"""The cosine, as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from data.jobs.runs import Observation
from data.records import Judgement
from data.spec import Spec
from scorers import registry
from scorers.base import Shown
from scorers.clipscore import PREFIX, SCORER, VARIANTS, ClipPerceiver, judge


class Clip:
    """Images are (1, 0), texts at the angle that they say in degrees."""

    context = 4
    scale = 50.0

    def images(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
        return np.array([(1, 0)] * len(images), np.float32)

    def texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        angles = np.deg2rad([float(text.split()[0]) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    def tokens(self, text: str) -> int:
        return len(text.split()) + 2


def perceived_evidence(*texts: str) -> list[Observation]:
    image = Image.new("RGB", (2, 2))
    return ClipPerceiver(Clip()).perceive([Shown(text, image, text, Spec()) for text in texts])  # type: ignore[arg-type]


def test_each_image_meets_its_own_prompt() -> None:
    observations = perceived_evidence("0", "60", "180")
    assert [observation.item_id for observation in observations] == ["0", "60", "180"]
    assert [observation.payload["cosine"] for observation in observations] == pytest.approx([1.0, 0.5, -1.0], abs=1e-6)
    # neither cut at zero nor stretched
    assert judge(Spec(), observations[2], {}).judgements == (Judgement("score", None, observations[2].payload["cosine"]),)


def test_what_was_not_read_is_said() -> None:
    short, long = perceived_evidence("60 x", "60 x y z")
    assert (short.payload["tokens"], short.payload["read"]) == (4, 4)
    assert len(judge(Spec(), short, {}).checks) == 1
    assert (long.payload["tokens"], long.payload["read"]) == (6, 4)
    assert judge(Spec(), long, {}).checks[1].text == "only the first 4 of the prompt's 6 tokens were read"


def test_no_number_is_no_score() -> None:
    (broken,) = perceived_evidence("nan")
    assert broken.payload["cosine"] is None
    (judgement,) = judge(Spec(), broken, {}).judgements
    assert (judgement.label, judgement.value, judgement.reason) == (None, None, "not_finite")


def test_what_could_not_be_seen_is_not_judged() -> None:
    assert judge(Spec(), Observation("a", failed="no such file"), {}).judgements == ()


@pytest.mark.parametrize(
    ("settings", "cosine", "score"),
    [
        ({}, -0.2, -0.2),
        ({"variant": "cos"}, 0.25, 0.25),
        ({"variant": "100*cos"}, 0.25, 25.0),
        ({"variant": "100*cos"}, -0.2, -20.0),
        ({"variant": "100*max(cos,0)"}, 0.25, 25.0),
        ({"variant": "100*max(cos,0)"}, -0.2, 0.0),
        ({"variant": "2.5*max(cos,0)"}, 0.25, 0.625),
        ({"variant": "2.5*max(cos,0)"}, -0.2, 0.0),
    ],
)
def test_variants_are_made_of_the_same_cosine(settings: Mapping[str, Any], cosine: float, score: float) -> None:
    verdict = judge(Spec(), Observation("a", {"cosine": cosine, "tokens": 3, "read": 3}), settings)
    assert verdict.judgements[0].value == pytest.approx(score)
    named = [check.text for check in verdict.checks if settings.get("variant", "") in check.text]
    assert named


def test_a_score_by_the_models_scale_needs_it() -> None:
    (observation,) = perceived_evidence("60")
    (judgement,) = judge(Spec(), observation, {"variant": "scale*cos"}).judgements
    assert judgement.value == pytest.approx(25.0)
    earlier = Observation("a", {"cosine": 0.5, "tokens": 3, "read": 3})
    (judgement,) = judge(Spec(), earlier, {"variant": "scale*cos"}).judgements
    assert (judgement.value, judgement.reason) == (None, "no_scale")


def test_the_prefix_comes_before_the_prompt_and_is_counted() -> None:
    read: list[str] = []

    class Reading(Clip):
        context = 77

        def texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
            read.extend(texts)
            return np.array([(1, 0)] * len(texts), np.float32)

    for prefix in (PREFIX, f" {PREFIX}  ", ""):
        it = ClipPerceiver(Reading(), prefix)  # type: ignore[arg-type]
        (observation,) = it.perceive([Shown("i", Image.new("RGB", (2, 2)), "a red cup", Spec())])
        assert observation.payload["tokens"] == (8 if prefix else 5)
    assert read == ["A photo depicts a red cup", "A photo depicts a red cup", "a red cup"]


def test_profiles_are_what_the_papers_report() -> None:
    assert registry.settings(SCORER, "paper") == {
        "clip": "ViT-B-32-quickgelu/openai", "prefix": "A photo depicts", "variant": "2.5*max(cos,0)", "weights": {}
    }  # fmt: skip
    assert registry.settings(SCORER, "geneval") == {
        "clip": "ViT-H-14/laion2b_s32b_b79k", "prefix": "", "variant": "100*max(cos,0)", "weights": {}
    }  # fmt: skip
    with pytest.raises(ValueError, match=r"there is no variant '200\*cos'; known: cos, 100\*cos"):
        registry.settings(SCORER, "paper", {"variant": "200*cos"})
    assert set(VARIANTS) == {"cos", "100*cos", "100*max(cos,0)", "2.5*max(cos,0)", "scale*cos"}


def test_options_are_stored_only_where_they_are_set() -> None:
    usual = registry.settings(SCORER, "playground")
    assert set(usual) == {"clip", "weights"}  # what the sample's runs have: they are the same rater
    assert registry.settings(SCORER, "playground", {"variant": "cos", "prefix": ""}) == usual
    assert registry.settings(SCORER, "playground", {"variant": "100*cos"}) == {**usual, "variant": "100*cos"}


def test_by_a_flipped_text_the_number_is_no_score() -> None:
    (observation,) = perceived_evidence("60")
    verdict = judge(Spec(), observation, {"flip": "relation", "variant": "100*cos"})
    assert verdict.judgements == (Judgement("flipped", None, 100 * observation.payload["cosine"], "relation"),)
    assert verdict.checks[0].text == "cosine of image and prompt with its relation flipped: 0.5000"
    none = judge(Spec(), Observation("x", {"cosine": None}), {"flip": "color"})
    assert none.judgements == (Judgement("flipped", None, None, "color", "not_finite"),)
    with pytest.raises(ValueError, match="there is no flip 'up'"):
        SCORER.check({"flip": "up"})
    SCORER.check({"flip": "count"})
    SCORER.check({"flip": ""})
