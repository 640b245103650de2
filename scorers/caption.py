"""Captioning as a baseline (TIFA, section 5.1, Table 2): a model describes the image, and its words are compared with the
prompt.

The caption and its nearness to the prompt by three measures (BLEU-4, ROUGE-L, METEOR; each 0 to 1) are stored; which of them is
the score is a matter of judging. Words are runs of letters and digits, in lower case; the
published figures come of another tokenizer (PTB, in Java) and differ in the third digit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from data.aspects import SCALES
from data.jobs.runs import Observation
from data.records import Judgement
from data.spec import Spec
from scorers.base import Check, Perceiver, Scorer, Settings, Shown, Verdict

if TYPE_CHECKING:
    from scorers.models.text_generation import Captioner


_WORD: Final = re.compile(r"[a-z0-9]+")
_BETA: Final = 1.2
_TINY: Final = 1e-15


@dataclass(frozen=True, slots=True)
class CaptionNearness:
    """``bleu4``: BLEU-4 of one sentence, orders without a match counting next to nothing (as coco-caption's). ``rouge_l``: F of
    the longest common subsequence, recall weighing 1.2 times (as coco-caption's). ``meteor``: METEOR of 2005 (alpha .9, beta 3,
    gamma .5) by equal words and stems; synonyms would need a dictionary that is in no package."""

    bleu4: float
    rouge_l: float
    meteor: float


class _NoSynonyms:
    """In place of WordNet."""

    def synsets(self, word: str) -> list[Any]:  # noqa: ARG002
        return []


def caption_nearness(caption: str, prompt: str) -> CaptionNearness:
    """Of a caption to the prompt; 0 where either has no words."""
    # a second to import, and wanted by the worker alone
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
    from nltk.translate.meteor_score import single_meteor_score

    caption_words, prompt_words = _WORD.findall(caption.lower()), _WORD.findall(prompt.lower())
    if not caption_words or not prompt_words:
        return CaptionNearness(0.0, 0.0, 0.0)
    bleu = sentence_bleu([prompt_words], caption_words, smoothing_function=SmoothingFunction(epsilon=_TINY).method1)
    meteor = single_meteor_score(prompt_words, caption_words, wordnet=_NoSynonyms())
    return CaptionNearness(float(bleu), _rouge_l(caption_words, prompt_words), float(meteor))


def _rouge_l(words: Sequence[str], reference: Sequence[str]) -> float:
    """ROUGE-L (Lin 2004, section 3.1): F of the longest common subsequence, recall weighing _BETA times."""
    longest = [0] * (len(reference) + 1)  # of the words so far with each beginning of the prompt
    for word in words:
        before = list(longest)
        for k, other in enumerate(reference, 1):
            longest[k] = before[k - 1] + 1 if word == other else max(before[k], longest[k - 1])
    precision, recall = longest[-1] / len(words), longest[-1] / len(reference)
    below = recall + _BETA**2 * precision
    return (1 + _BETA**2) * precision * recall / below if below else 0.0


METRICS: Final = {"bleu4": "BLEU-4", "rouge_l": "ROUGE-L", "meteor": "METEOR (equal words and stems)"}
_SEARCH: Final[Settings] = {"beams": 5, "longest": 30, "metric": "meteor"}


class CaptionPerceiver:
    """The model in memory."""

    def __init__(self, captioner: Captioner) -> None:
        self._captioner = captioner

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``."""
        captions = self._captioner.captions([shown.image for shown in batch])
        return [
            Observation(shown.item_id, {"caption": caption} | asdict(caption_nearness(caption, shown.text)))
            for shown, caption in zip(batch, captions, strict=True)
        ]


def judge(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001  (as every scorer's)
    """``score``: the nearness that ``metric`` names, 0 to 1."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    metric = settings["metric"]
    score = float(seen.payload[metric])
    checks = [Check(f"caption: {seen.payload['caption']}", None)]
    checks += [Check(f"{title} with the prompt: {seen.payload[name]:.4f}", None) for name, title in METRICS.items()]
    return Verdict((Judgement("score", None, score),), checks=tuple(checks))


def _open(settings: Settings, device: str) -> Perceiver:
    from scorers.models.text_generation import Captioner

    return CaptionPerceiver(Captioner(settings["captioner"], device, beams=settings["beams"], longest=settings["longest"]))


def _check(settings: Settings) -> None:
    if settings["metric"] not in METRICS:
        raise ValueError(f"there is no metric {settings['metric']!r}; known: {', '.join(METRICS)}")
    for name in ("beams", "longest"):
        if settings[name] < 1:
            raise ValueError(f"{name} must be at least 1, got {settings[name]}")


SCORER: Final = Scorer(
    name="caption",
    version="1",
    summary="A caption of the image, held against the prompt by BLEU-4, ROUGE-L or METEOR.",
    profiles={
        # the paper's captioner
        "paper": {"captioner": "Salesforce/blip2-flan-t5-xl", **_SEARCH},
        "blip": {"captioner": "Salesforce/blip-image-captioning-large", **_SEARCH},
    },
    judging=frozenset({"metric"}),
    open=_open,
    judge=judge,
    scales={"score": SCALES["score"]},
    models=frozenset({"captioner"}),
    check=_check,
)
