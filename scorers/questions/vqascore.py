"""VQAScore (Lin et al., 2024): how likely a model that answers questions is to say "Yes" to whether the image shows the prompt.

The probability is stored as it is, of "Yes" among all that the model could say, between 0 and 1; it is no share of yes and no.
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
from scorers.base import Check, Perceiver, Scorer, Settings, Shown, Verdict

if TYPE_CHECKING:
    from scorers.models.vqa.base import Vqa

TEMPLATE: Final = 'Does this figure show "{text}"? Please answer yes or no.'
"""The paper's (section 3); ``--set template=`` is another one."""
MARK: Final = "{text}"
_OPTIONS: Final[Settings] = {"template": TEMPLATE, "flip": ""}
"""``flip``: the texts that this rater is given are flipped so (``data.prompts.flips``): its numbers are no scores."""


class VqaScorePerceiver:
    """The model in memory. ``answer``: whose probability counts; ``template``: the question, ``{text}`` is the prompt."""

    def __init__(self, vqa: Vqa, answer: str, template: str = TEMPLATE, warnings: tuple[str, ...] = ()) -> None:
        self._vqa = vqa
        self._answer, self._template = answer, template
        self.warnings = warnings

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``. ``likelihood``: of ``answer``, 0 to 1."""
        asked = [self._template.replace(MARK, shown.text) for shown in batch]
        said = self._vqa.likelihood([shown.image for shown in batch], asked, self._answer).tolist()
        return [
            Observation(shown.item_id, {"likelihood": one, "answer": self._answer})
            for shown, one in zip(batch, said, strict=True)
        ]


def judge(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001  (as every scorer's)
    """``score`` is the probability. Where the text was flipped it is ``flipped``, with the kind of flip as its target: no
    statistic takes it for a score. Undefined if the model gave no number."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    flip = settings.get("flip") or None
    aspect = "flipped" if flip else "score"
    likelihood = seen.payload.get("likelihood")
    if not isinstance(likelihood, int | float) or not math.isfinite(likelihood):
        return Verdict((Judgement(aspect, None, None, flip, "not_finite"),), checks=(Check("the model gave no number", None),))
    text = f"the prompt with its {flip} flipped" if flip else "the prompt"
    said = Check(f'probability of "{seen.payload.get("answer")}" to whether it shows {text}: {likelihood:.4f}', None)
    return Verdict((Judgement(aspect, None, float(likelihood), flip),), checks=(said,))


def _open(settings: Settings, device: str) -> Perceiver:
    from scorers.models.vqa import open_vqa
    from scorers.models.vqa.base import check_vqa

    # only likelihoods are asked for: no model of sentences is needed
    vqa = open_vqa(settings["vqa"], device, {"answering": "choices"})
    return VqaScorePerceiver(vqa, settings["answer"], settings.get("template", TEMPLATE), check_vqa(vqa, settings["vqa"]))


def _check(settings: Settings) -> None:
    if not settings["answer"].strip():
        raise ValueError("answer must not be empty: whose probability is asked for")
    if settings.get("template", TEMPLATE).count(MARK) != 1:
        raise ValueError(f"template must hold {MARK} once, where the prompt is to stand")
    if flip := settings.get("flip"):
        flips.check_kind(flip)


SCORER: Final = Scorer(
    name="vqascore",
    version="1",
    summary='How sure a model is that the image shows the prompt: its "Yes". The playground\'s was not taught whole prompts.',
    profiles={
        # it learnt short questions about single things and reads 24 tokens, so that the paper's question is too long for it.
        # By this one, of 24 pictures that it had not seen 20 had a higher number with their own prompt than with another
        # picture's: enough for trying out, not for judging
        "playground": {"vqa": "assets/playground/vqa", "answer": "yes", "template": "{text}?"},
        # of the paper's models the one that is in transformers, in its smaller size (theirs has Flan-T5 XXL)
        "paper": {"vqa": "Salesforce/instructblip-flan-t5-xl", "answer": "Yes"},
        "qwen": {"vqa": "Qwen/Qwen3-VL-2B-Instruct", "answer": "Yes"},
    },
    judging=frozenset(),
    open=_open,
    judge=judge,
    scales={name: SCALES[name] for name in ("score", "flipped")},
    models=frozenset({"vqa"}),
    check=_check,
    options=_OPTIONS,
    flips="read",
)
