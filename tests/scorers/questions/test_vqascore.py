"""The probability of "Yes", as it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from data.jobs.runs import Observation
from data.records import Judgement
from data.spec import Spec
from scorers import registry
from scorers.base import Shown
from scorers.questions.vqascore import SCORER, VqaScorePerceiver, judge


class Model:
    """As sure as the images are wide, in percent; notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def likelihood(self, images: Sequence[Image.Image], questions: Sequence[str], answer: str) -> NDArray[np.float64]:
        self.asked += [(question, answer) for question in questions]
        return np.array([image.width / 100 for image in images])

    def answer_length(self, answer: str) -> int:
        return len(answer.split())


def test_each_image_is_asked_whether_it_shows_its_own_prompt() -> None:
    model = Model()
    batch = [Shown(text, Image.new("RGB", (width, 2)), text, Spec()) for text, width in (("a red cup", 25), ("{two} dogs", 50))]
    observations = VqaScorePerceiver(model, "Yes").perceive(batch)  # type: ignore[arg-type]
    assert model.asked == [
        ('Does this figure show "a red cup"? Please answer yes or no.', "Yes"),
        ('Does this figure show "{two} dogs"? Please answer yes or no.', "Yes"),
    ]
    assert [observation.item_id for observation in observations] == ["a red cup", "{two} dogs"]
    verdicts = [judge(Spec(), observation, {}) for observation in observations]
    assert [verdict.judgements for verdict in verdicts] == [(Judgement("score", None, 0.25),), (Judgement("score", None, 0.5),)]
    assert verdicts[0].checks[0].text == 'probability of "Yes" to whether it shows the prompt: 0.2500'


def test_another_question_may_be_asked() -> None:
    model = Model()
    VqaScorePerceiver(model, "yes", "Is there {text} here?").perceive(  # type: ignore[arg-type]
        [Shown("1", Image.new("RGB", (2, 2)), "a {cup}", Spec())]
    )
    assert model.asked == [("Is there a {cup} here?", "yes")]


def test_it_is_the_authors_definition_unless_the_product_is_asked_for() -> None:
    """t2v_metrics: exp(-CrossEntropyLoss(reduction="mean")) over the answer's tokens and the end, here on crafted logits."""
    torch = pytest.importorskip("torch", reason="the group scorers is not installed")
    from scorers.models.vqa.model import sum_log_probabilities

    logits = torch.tensor([[2.0, -1.0, 0.5, 7.0], [0.1, 3.0, -2.0, 0.0]])
    tensor = torch.tensor([[0, 1]])
    (weight,) = sum_log_probabilities(logits, tensor, torch.ones_like(tensor, dtype=torch.bool))
    expected = float(torch.exp(-torch.nn.CrossEntropyLoss(reduction="mean")(logits, tensor[0])))
    seen = Observation("x", {"likelihood": math.exp(weight), "answer": "Yes", "tokens": 2})
    verdict = judge(Spec(), seen, {})
    assert verdict.judgements[0].value == pytest.approx(expected, rel=1e-6)
    assert verdict.checks[0].text.endswith(", the mean of 2 tokens")
    assert judge(Spec(), seen, {"combine": "product"}).judgements[0].value == pytest.approx(expected**2, rel=1e-6)
    two_words = Shown("1", Image.new("RGB", (25, 2)), "a cup", Spec())
    (observation,) = VqaScorePerceiver(Model(), "oh yes").perceive([two_words])  # type: ignore[arg-type]
    assert observation.payload == {"likelihood": 0.25, "answer": "oh yes", "tokens": 2}
    assert judge(Spec(), observation, {}).judgements[0].value == pytest.approx(0.5)


def test_by_a_flipped_text_the_number_is_no_score() -> None:
    verdict = judge(Spec(), Observation("x", {"likelihood": 0.5, "answer": "Yes"}), {"flip": "relation"})
    assert verdict.judgements == (Judgement("flipped", None, 0.5, "relation"),)
    assert verdict.checks[0].text == 'probability of "Yes" to whether it shows the prompt with its relation flipped: 0.5000'
    with pytest.raises(ValueError, match="there is no flip 'up'"):
        SCORER.check({"answer": "Yes", "flip": "up"})


@pytest.mark.parametrize(
    "payload",
    [{}, {"likelihood": 0.5, "tokens": 0}, {"likelihood": None}, {"likelihood": float("nan")}, {"likelihood": "high"}],
)
def test_no_number_is_no_score(payload: dict[str, object]) -> None:
    (judgement,) = judge(Spec(), Observation("x", payload), {}).judgements
    assert (judgement.label, judgement.value, judgement.reason) == (None, None, "not_finite")
    assert judge(Spec(), Observation("x", failed="no such file"), {}).judgements == ()


def test_profiles_name_the_answer_as_their_models_say_it() -> None:
    assert registry.get("vqascore") is SCORER
    assert registry.settings(SCORER, "instructblip-xl") == {
        "vqa": "Salesforce/instructblip-flan-t5-xl",
        "answer": "Yes",
        "weights": {},
    }
    assert SCORER.profiles["playground"]["answer"] == "yes"
    for template in ("Is it so?", "{text} {text}"):
        with pytest.raises(ValueError, match=r"template must hold \{text\} once"):
            registry.settings(SCORER, "instructblip-xl", {"template": template})
    with pytest.raises(ValueError, match="combine must be mean or product, got 'sum'"):
        registry.settings(SCORER, "instructblip-xl", {"combine": "sum"})
    with pytest.raises(ValueError, match="answer must not be empty"):
        registry.settings(SCORER, "instructblip-xl", {"answer": " "})


def test_a_model_is_opened_and_gives_probabilities(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="the group scorers is not installed")
    from tests.scorers.models.vqa import tiny_vqa_models
    from tests.scorers.tiny_models import picture

    settings = {"vqa": str(tiny_vqa_models.blip(tmp_path / "m")), "answer": "yes"}
    batch = [Shown(str(seed), picture(seed)[0], "a red cup", Spec()) for seed in range(3)]
    results = [observation.payload["likelihood"] for observation in SCORER.open(settings, "cpu").perceive(batch)]
    assert len(set(results)) == 3
    assert all(0 < likelihood < 1 for likelihood in results)
