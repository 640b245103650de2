"""Captioning as a baseline (TIFA, section 5.1, Table 2): a model says what it sees, its words are held against the prompt.

The caption and its nearness to the prompt by three measures are kept; which of them is the score is a matter of judging.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from data.aspects import SCALES
from data.jobs.runs import Observation
from data.prompts.spec import Spec
from data.records import Judgement
from scorers.base import Check, Perceiver, Scorer, Settings, Shown, Verdict
from scorers.caption_scores import nearness

if TYPE_CHECKING:
    from scorers.models.captions import Captioner

METRICS: Final = {"bleu4": "BLEU-4", "rouge_l": "ROUGE-L", "meteor": "METEOR (equal words and stems)"}
_SEARCH: Final[Settings] = {"beams": 5, "longest": 30, "metric": "meteor"}


class CaptionPerceiver:
    """The model in memory."""

    def __init__(self, captioner: Captioner) -> None:
        self._captioner = captioner

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``."""
        said = self._captioner.captions([shown.image for shown in batch])
        return [
            Observation(shown.item_id, {"caption": caption} | asdict(nearness(caption, shown.text)))
            for shown, caption in zip(batch, said, strict=True)
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
    from scorers.models.captions import Captioner

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
