"""What a scorer of one's own imports (docs/scorer.md). These names stay where they are; modules behind them may move."""

from __future__ import annotations

from data.aspects import CANNOT_TELL, NO, SCALES, YES
from data.jobs.runs import Detection, pack_mask
from data.jobs.runs import Observation as Seen
from data.prompts.questions import PromptQuestion
from data.records import Judgement
from data.spec import ObjectSpec, RelationSpec, Spec
from scorers.base import Check, Flips, Knob, ModelBroken, Perceiver, Scorer, Settings, Shown, Verdict

__all__ = [
    "CANNOT_TELL",
    "NO",
    "SCALES",
    "YES",
    "Check",
    "Detection",
    "Flips",
    "Judgement",
    "Knob",
    "ModelBroken",
    "ObjectSpec",
    "Perceiver",
    "PromptQuestion",
    "RelationSpec",
    "Scorer",
    "Seen",
    "Settings",
    "Shown",
    "Spec",
    "Verdict",
    "pack_mask",
]
