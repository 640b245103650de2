"""VQAScore (Lin et al., 2024): how likely a model that answers questions is to say "Yes" to whether the image shows the prompt.

As its authors compute it (t2v_metrics): exp(-mean cross-entropy) of the answer's tokens, those of the end of the reply included
where the model is trained on it. So it is the geometric mean of the tokens' probabilities, between 0 and 1, and no share of yes
and no. With ``--set combine=product`` it is the probability of the whole answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from data.aspects import SCALES
from data.jobs.runs import Observation
from data.prompts import flips
from data.records import Judgement
from data.spec import Spec
from scorers.base import Check, Flips, Perceiver, Scorer, Settings, Shown, Verdict

if TYPE_CHECKING:
    from scorers.models.vqa import Vqa

TEMPLATE: Final = 'Does this figure show "{text}"? Please answer yes or no.'
"""The paper's (section 3); ``--set template=`` is another one."""
MARK: Final = "{text}"
MEAN: Final = "mean"
PRODUCT: Final = "product"
_OPTIONS: Final[Settings] = {"template": TEMPLATE, "combine": MEAN, "flip": ""}
"""``flip``: the texts that this rater is given are flipped so (``data.prompts.flips``): its numbers are no scores."""


class VqaScorePerceiver:
    """The model in memory. ``answer``: whose probability counts; ``template``: the question, ``{text}`` is the prompt."""

    def __init__(self, vqa: Vqa, answer: str, template: str = TEMPLATE, warnings: tuple[str, ...] = ()) -> None:
        self._vqa = vqa
        self._answer, self._template = answer, template
        self.warnings = warnings

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``. ``likelihood``: of ``answer``, 0 to 1, the product over so many ``tokens``."""
        texts = [self._template.replace(MARK, shown.text) for shown in batch]
        probabilities = self._vqa.likelihood([shown.image for shown in batch], texts, self._answer).tolist()
        tokens = self._vqa.answer_length(self._answer)
        return [
            Observation(shown.item_id, {"likelihood": probability, "answer": self._answer, "tokens": tokens})
            for shown, probability in zip(batch, probabilities, strict=True)
        ]


def judge(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001  (as every scorer's)
    """``score`` is the tokens' geometric mean, or the product. Where the text was flipped it is ``flipped``, with the kind of
    flip as its target: no statistic takes it for a score. Undefined if the model gave no number."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    flip = settings.get("flip") or None
    aspect = "flipped" if flip else "score"
    likelihood, tokens = seen.payload.get("likelihood"), seen.payload.get("tokens", 1)
    if not isinstance(likelihood, int | float) or not math.isfinite(likelihood) or not isinstance(tokens, int) or tokens < 1:
        return Verdict((Judgement(aspect, None, None, flip, "not_finite"),), checks=(Check("the model gave no number", None),))
    text = f"the prompt with its {flip} flipped" if flip else "the prompt"
    mean = settings.get("combine", MEAN) == MEAN
    score = likelihood ** (1 / tokens) if mean else float(likelihood)
    each = f", the mean of {tokens} tokens" if mean and tokens > 1 else ""
    check = Check(f'probability of "{seen.payload.get("answer")}" to whether it shows {text}: {score:.4f}{each}', None)
    return Verdict((Judgement(aspect, None, score, flip),), checks=(check,))


def _open(settings: Settings, device: str) -> Perceiver:
    from scorers.models.vqa import check_vqa, open_vqa

    # only likelihoods are asked for: no model of sentences is needed
    vqa = open_vqa(settings["vqa"], device, {"answering": "choices"})
    return VqaScorePerceiver(vqa, settings["answer"], settings.get("template", TEMPLATE), check_vqa(vqa, settings["vqa"]))


def _check(settings: Settings) -> None:
    if not settings["answer"].strip():
        raise ValueError("answer must not be empty: whose probability is asked for")
    if settings.get("template", TEMPLATE).count(MARK) != 1:
        raise ValueError(f"template must hold {MARK} once, where the prompt is to stand")
    if settings.get("combine", MEAN) not in (MEAN, PRODUCT):
        raise ValueError(f"combine must be {MEAN} or {PRODUCT}, got {settings['combine']!r}")
    if flip := settings.get("flip"):
        flips.check_kind(flip)


SCORER: Final = Scorer(
    name="vqascore",
    version="2",
    summary='How sure a model is that the image shows the prompt: its probability of "Yes".',
    profiles={
        # it learnt short questions about single things and reads 24 tokens, so that the paper's question is too long for it.
        # By this one, of 24 pictures that it had not seen 20 had a higher number with their own prompt than with another
        # picture's: enough for trying out, not for judging
        "playground": {"vqa": "assets/playground/vqa", "answer": "yes", "template": "{text}?"},
        # the authors' own model
        "paper": {"vqa": "zhiqiulin/clip-flant5-xxl", "answer": "Yes"},
        # of the paper's other models the one that is in transformers, in its smaller size (theirs has Flan-T5 XXL)
        "instructblip-xl": {"vqa": "Salesforce/instructblip-flan-t5-xl", "answer": "Yes"},
        "qwen": {
            "vqa": "Qwen/Qwen3-VL-2B-Instruct",
            "answer": "Yes",
            "template": 'Does this figure show "{text}"? Please answer Yes or No.',
        },
    },
    judging=frozenset({"combine"}),
    open=_open,
    judge=judge,
    scales={name: SCALES[name] for name in ("score", "flipped")},
    models=frozenset({"vqa"}),
    check=_check,
    options=_OPTIONS,
    flips=Flips(rejudges=False),
)
