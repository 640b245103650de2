"""Captioning as a baseline (TIFA, section 5.1, Table 2): a model describes the image, and its words are compared with the
prompt.

The caption and its nearness to the prompt are stored (BLEU-1 to BLEU-4, ROUGE-L, METEOR, each 0 to 1; CIDEr-D, 0 to 10); which
of them is the score is a matter of judging. CIDEr's documents are the different prompts of the run. Words are runs of letters
and digits, in lower case; the published figures come of another tokenizer (PTB, in Java) and differ in the third digit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from data.aspects import SCALES
from data.jobs.runs import Observation, RunFolder
from data.prompts import flips
from data.records import Judgement
from data.spec import Spec
from scorers.base import Check, Flips, Perceiver, Scorer, Settings, Shown, Verdict
from scorers.cider import DocumentFrequencies, cider

if TYPE_CHECKING:
    from scorers.models.text_generation import Captioner


_WORD: Final = re.compile(r"[a-z0-9]+")
_BETA: Final = 1.2
_TINY: Final = 1e-15


@dataclass(frozen=True, slots=True)
class CaptionNearness:
    """Nearness of a caption to its prompt.

    Attributes:
        bleu1, bleu2, bleu3, bleu4: BLEU of one sentence over as many orders, those without a match counting next to nothing (as
            coco-caption's).
        rouge_l: F of the longest common subsequence, recall weighing 1.2 times (as coco-caption's).
        meteor: METEOR of 2005 (alpha .9, beta 3, gamma .5) by equal words and stems; synonyms would need a dictionary that is
            in no package.
    """

    bleu1: float
    bleu2: float
    bleu3: float
    bleu4: float
    rouge_l: float
    meteor: float


class _NoSynonyms:
    """In place of WordNet."""

    def synsets(self, word: str) -> list[Any]:  # noqa: ARG002
        return []


def words_of(text: str) -> list[str]:
    """Return a text's words, in lower case."""
    return _WORD.findall(text.lower())


def caption_nearness(caption: str, prompt: str) -> CaptionNearness:
    """Of a caption to the prompt; 0 where either has no words."""
    # a second to import, and wanted by the worker alone
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
    from nltk.translate.meteor_score import single_meteor_score

    caption_words, prompt_words = words_of(caption), words_of(prompt)
    if not caption_words or not prompt_words:
        return CaptionNearness(*[0.0] * len(fields(CaptionNearness)))
    weights = [tuple(1 / n for _ in range(n)) for n in (1, 2, 3, 4)]
    smoothing = SmoothingFunction(epsilon=_TINY).method1
    one, two, three, four = sentence_bleu([prompt_words], caption_words, weights, smoothing_function=smoothing)
    meteor = single_meteor_score(prompt_words, caption_words, wordnet=_NoSynonyms())
    rouge = _rouge_l(caption_words, prompt_words)
    return CaptionNearness(float(one), float(two), float(three), float(four), rouge, float(meteor))


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


METRICS: Final = {
    **{f"bleu{n}": f"BLEU-{n}" for n in (1, 2, 3, 4)},
    "rouge_l": "ROUGE-L",
    "meteor": "METEOR (equal words and stems)",
    "cider": "CIDEr-D",
}
_OPTIONS: Final[Settings] = {"flip": ""}
_SEARCH: Final[Settings] = {"beams": 5, "longest": 30, "metric": "meteor"}


class CaptionPerceiver:
    """The model in memory."""

    def __init__(self, captioner: Captioner) -> None:
        self._captioner = captioner
        self._frequencies = DocumentFrequencies.of(())

    def remember(self, folder: Path | None) -> None:
        """Count the words of all prompts of a run, for CIDEr."""
        texts = {work.text for work in RunFolder(folder).work()} if folder is not None else set()
        self._frequencies = DocumentFrequencies.of([words_of(text) for text in texts])

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``."""
        captions = self._captioner.captions([shown.image for shown in batch])
        observations = []
        for shown, caption in zip(batch, captions, strict=True):
            rarity = cider(words_of(caption), words_of(shown.text), self._frequencies)
            near = asdict(caption_nearness(caption, shown.text)) | {"cider": rarity, "documents": self._frequencies.n}
            observations.append(Observation(shown.item_id, {"caption": caption} | near))
        return observations


def judge(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001  (as every scorer's)
    """``score``: the nearness that ``metric`` names; undefined where it was not computed. Where the text was flipped it is
    ``flipped``, with the kind of flip as its target: no statistic takes it for a score."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    flip = settings.get("flip") or None
    aspect = "flipped" if flip else "score"
    text = f"prompt with its {flip} flipped" if flip else "prompt"
    # what was seen before a metric was there has none of it
    computed = {name: float(value) for name in METRICS if (value := seen.payload.get(name)) is not None}
    checks = [Check(f"caption: {seen.payload['caption']}", None)]
    checks += [Check(f"{METRICS[name]} with the {text}: {value:.4f}", None) for name, value in computed.items()]
    score = computed.get(settings["metric"])
    reason = None if score is not None else "no_value"
    return Verdict((Judgement(aspect, None, score, flip, reason),), checks=tuple(checks))


def _open(settings: Settings, device: str) -> Perceiver:
    from scorers.models.text_generation import Captioner

    return CaptionPerceiver(Captioner(settings["captioner"], device, beams=settings["beams"], longest=settings["longest"]))


def _check(settings: Settings) -> None:
    if settings["metric"] not in METRICS:
        raise ValueError(f"there is no metric {settings['metric']!r}; known: {', '.join(METRICS)}")
    if flip := settings.get("flip"):
        flips.check_kind(flip)
    for name in ("beams", "longest"):
        if settings[name] < 1:
            raise ValueError(f"{name} must be at least 1, got {settings[name]}")


SCORER: Final = Scorer(
    name="caption",
    version="1",
    summary="A caption of the image, held against the prompt by BLEU, ROUGE-L, METEOR or CIDEr.",
    profiles={
        # the paper's captioner
        "paper": {"captioner": "Salesforce/blip2-flan-t5-xl", **_SEARCH},
        "blip": {"captioner": "Salesforce/blip-image-captioning-large", **_SEARCH},
    },
    judging=frozenset({"metric"}),
    open=_open,
    judge=judge,
    scales={name: SCALES[name] for name in ("score", "flipped")},
    models=frozenset({"captioner"}),
    check=_check,
    options=_OPTIONS,
    flips=Flips(rejudges=False),
)
