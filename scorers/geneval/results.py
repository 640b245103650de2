"""GenEval's ``results.jsonl``, back and forth: verdicts of its own script as a scorer's, and ours as its lines.

Such a line holds boxes, but colours only in its reason; from there they are put back on the boxes that were looked at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final

from data.aspects import NO, YES
from data.formats.evidence import one_hot
from data.formats.official_results import Details, GenEvalResult
from data.jobs.runs import Detection, Observation
from data.prompts.coco import COCO, GENEVAL
from data.prompts.geneval_suite import COLORS
from data.records import Judgement
from data.spec import ObjectSpec, Spec
from scorers.base import Check, Perceiver, Scorer, Settings, Verdict
from scorers.geneval import rules
from scorers.geneval.rules import GenEvalRules, counted_objects

NAME: Final = "geneval-results"
SETTINGS: Final[Settings] = {
    # the file holds only what was above the thresholds of its run
    "threshold": 0.0,
    "counting_threshold": 0.0,
    "max_objects": 16,
    "max_overlap": 1.0,
    "position_threshold": 0.1,
    "rule": "official",
}

_NAMES: Final = {plain: name for plain, name in zip(COCO, GENEVAL, strict=True) if plain != name}
_ORDER: Final = {name: k for k, name in enumerate(GENEVAL)}
_COUNTED: Final = re.compile(r"([0-9]+) (\w+)")


def evidence_of(result: GenEvalResult, spec: Spec, item_id: str) -> Observation:
    """The evidence that a line holds: its verdict and reason, and its boxes if it has details."""
    detections: list[Detection] = []
    for name, boxes in (result.details or {}).items():
        ordered = sorted(boxes, key=lambda box: -box[1])
        here = [
            Detection(name, score, box, None, None if color is None else one_hot(color))
            for (box, score), color in zip(ordered, _colors(result, spec, name, len(boxes)), strict=True)
        ]
        # of equally confident ones the rules take the last first, the file has the first first
        here.reverse()
        detections += sorted(here, key=lambda detection: -detection.score)
    payload = {"correct": result.correct, "reason": result.reason, "details": result.details is not None}
    return Observation(item_id, payload, tuple(detections))


def judge(spec: Spec, seen: Observation, settings: Mapping[str, Any]) -> Verdict:
    """``correct`` and the reason are the file's; all else follows from its boxes, if it has any details."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    correct, reason = bool(seen.payload.get("correct")), str(seen.payload.get("reason", ""))
    file_judgement = Judgement("correct", YES if correct else NO, float(correct))
    if not seen.payload.get("details"):
        return Verdict((file_judgement,), reason, (Check("the file says no more than its verdict", None),))
    ours = rules.judge(spec, seen, settings)
    others = tuple(judgement for judgement in ours.judgements if judgement.aspect != "correct")
    checks = ours.checks
    if ours.correct not in (correct, None):
        checks = (Check("the file's verdict does not follow from the boxes that it lists", None), *checks)
    return replace(ours, judgements=(file_judgement, *others), reason=reason, checks=checks)


def follows(spec: Spec, seen: Observation, settings: Mapping[str, Any]) -> bool:
    """Whether the file's verdict is what the rules make of its boxes, or nothing else can be told from them."""
    return rules.judge(spec, seen, settings).correct in (seen.payload.get("correct"), None)


def details_of(spec: Spec, detections: Sequence[Detection], rules: GenEvalRules) -> Details:
    """What GenEval would list of an image: of every class the objects that count, by its names and in its order."""
    names = list(dict.fromkeys(_NAMES.get(detection.label, detection.label) for detection in detections))
    ordered = sorted(names, key=lambda name: _ORDER.get(name, len(_ORDER)))
    ranks_of = {name: counted_objects(detections, name, rules.needed(spec), rules) for name in ordered}
    return {name: [(detections[k].box, detections[k].score) for k in ranks] for name, ranks in ranks_of.items() if ranks}


def _colors(result: GenEvalResult, spec: Spec, name: str, n: int) -> list[str | None]:
    """The colour of each box of a class, most confident first; None where none was asked for or looked at."""
    object_spec = next((thing for thing in spec.objects if thing.name == name and thing.color is not None), None)
    if object_spec is None or n < object_spec.count:
        return [None] * n
    looked = _colors_in_reason(result.reason, object_spec)[: object_spec.count]
    return [*looked, *[None] * (n - len(looked))]


def _colors_in_reason(reason: str, spec: ObjectSpec) -> list[str]:
    """As many colours as were looked at. Which box had which is not said, but does not matter to any rule."""
    begins = f"expected {spec.color} {spec.name}>={spec.count}, found "
    line = next((line for line in reason.split("\n") if line.startswith(begins)), None)
    if line is None:
        return [spec.color or ""] * spec.count
    counted = _COUNTED.findall(line.partition("; and ")[2])
    return [color for times, color in counted if color in COLORS for _ in range(min(int(times), spec.count))]


def _open(settings: Settings, device: str) -> Perceiver:  # noqa: ARG001  (as every scorer's)
    raise ValueError(
        "these verdicts are from GenEval's own script; `import results geneval` imports them, there is nothing to score"
    )


SCORER: Final = Scorer(
    name=NAME,
    version="1",
    summary="Verdicts of GenEval's own script, from its results.jsonl.",
    profiles={"official": SETTINGS},
    judging=frozenset(field.name for field in fields(GenEvalRules)),
    open=_open,
    judge=judge,
    scales={"correct": "nominal", "present": "nominal", "count": "ordinal:0-5", "color": "nominal", "position": "nominal"},
    check=GenEvalRules.of,
)
