"""The rules of GenEval and VISOR stated once more, plainly, from their papers and the reference: what ours are compared with.

Nothing of ours is used but the names of colours. Evidence is as in the lines that ``judge`` reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from data.prompts.geneval_suite import COLORS

Evidence = Mapping[str, Any]

GENEVAL = {
    "threshold": 0.3,
    "counting_threshold": 0.9,
    "max_objects": 16,
    "max_overlap": 1.0,
    "position_threshold": 0.1,
    "rule": "official",
}


def geneval(evidence: Evidence, **settings: Any) -> tuple[bool, list[str]]:
    """Verdict and reasons. Of two relations found the horizontal one is told first (GenEval joins a set)."""
    numbers = {**GENEVAL, **settings}
    spec, seen = evidence["spec"], evidence["detections"]
    needed = numbers["counting_threshold" if spec["tag"] == "counting" else "threshold"]
    objects = {name: _counted(seen, name, needed, numbers) for name in {entry["label"] for entry in seen}}
    reasons: list[str] = []
    groups: list[list[Any] | None] = []
    for wanted in spec.get("include", []):
        why, group = _included(wanted, objects, groups, numbers)
        groups.append(None if why else group)
        reasons += [why] if why else []
    for unwanted in spec.get("exclude", []):
        n = len(objects.get(unwanted["class"], []))
        if n >= unwanted["count"]:
            reasons.append(f"expected {unwanted['class']}<{unwanted['count']}, found {n}")
    return not reasons, reasons


def _included(
    wanted: Mapping[str, Any], objects: Mapping[str, list[Any]], groups: Sequence[list[Any] | None], numbers: Mapping[str, Any]
) -> tuple[str, list[Any]]:
    name, count = wanted["class"], wanted["count"]
    group = objects.get(name, [])[:count]
    if len(group) < count:
        return f"expected {name}>={count}, found {len(group)}", group
    if "color" in wanted:
        here = [entry["color"] for entry in group]
        right = here.count(wanted["color"])
        if right < count:
            listed = ", ".join(f"{here.count(color)} {color}" for color in COLORS if color in here)
            return f"expected {wanted['color']} {name}>={count}, found {right} {wanted['color']}; and {listed}", group
    if "position" in wanted:
        relation, index = wanted["position"]
        targets = groups[index]
        if targets is None:
            return f"no target for {name} to be {relation}", group
        for entry in group:
            for other in targets:
                results = relations(entry["box"], other["box"], numbers["position_threshold"], numbers["rule"])
                if relation not in results:
                    return f"expected {name} {relation} target, found {' and '.join(results)} target", group
    return "", group


def _counted(seen: Sequence[Any], name: str, needed: float, numbers: Mapping[str, Any]) -> list[Any]:
    of_kind = [entry for entry in seen if entry["label"] == name]
    scores = np.array([entry["score"] for entry in of_kind])
    left = [int(k) for k in np.argsort(scores, kind="stable")[::-1] if scores[k] > needed][: numbers["max_objects"]]
    remaining = []
    while left:
        best, *left = left
        remaining.append(of_kind[best])
        if numbers["max_overlap"] != 1:
            left = [k for k in left if iou(of_kind[best]["box"], of_kind[k]["box"]) < numbers["max_overlap"]]
    return remaining


def iou(a: Sequence[float], b: Sequence[float]) -> float:
    """Edges count as pixels."""
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    shared = float(np.prod(np.clip(high - low + 1, 0, None)))
    areas = sum(float(np.prod(np.clip(np.subtract(box[2:], box[:2]) + 1, 0, None))) for box in (a, b))
    return shared / (areas - shared) if areas - shared else 0.0


def relations(a: Sequence[float], b: Sequence[float], threshold: float, rule: str) -> list[str]:
    """In which relations a stands to b, horizontal first."""
    first, second = np.reshape(np.asarray(a, float), (2, 2)), np.reshape(np.asarray(b, float), (2, 2))
    apart = first.mean(axis=0) - second.mean(axis=0)
    room = threshold * (np.abs(first[1] - first[0]) + np.abs(second[1] - second[0]))
    if rule == "paper":
        right, below = (apart > room).tolist()
        left, above = (apart < -room).tolist()
    else:
        short = np.sign(apart) * np.clip(np.abs(apart) - room, 0, None)
        if (np.abs(short) < 1e-3).all():
            return []
        dx, dy = short / np.sqrt((apart**2).sum())
        left, right, above, below = dx < -0.5, dx > 0.5, dy < -0.5, dy > 0.5
    results = {"left of": left, "right of": right, "above": above, "below": below}
    return [name for name, holds in results.items() if holds]


def visor_sees(evidence: Evidence, threshold: float = 0.1) -> tuple[bool, bool, bool]:
    """Whether a was found, b was found, and any pair of them stands as asked."""
    spec = evidence["spec"]
    centers = {
        side: [
            ((x0 + x1) / 2, (y0 + y1) / 2)
            for x0, y0, x1, y1 in (
                entry["box"] for entry in evidence["detections"] if entry["label"] == spec[side] and entry["score"] > threshold
            )
        ]
        for side in ("a", "b")
    }
    axis = {"left": 0, "right": 0, "above": 1, "below": 1}[spec["relation"]]
    sign = {"left": 1, "right": -1, "above": 1, "below": -1}[spec["relation"]]
    any_pair = any(sign * b[axis] > sign * a[axis] for a in centers["a"] for b in centers["b"])
    return bool(centers["a"]), bool(centers["b"]), any_pair


def visor_scores(images: Sequence[Evidence], threshold: float = 0.1) -> dict[str, float]:
    """Of one generator's images, in percent; both ways to divide VISOR_n."""
    seen = [(image["prompt_id"], *visor_sees(image, threshold)) for image in images]
    both = [(prompt, a and b, a and b and stands) for prompt, a, b, stands in seen]
    n, n_both, n_right = len(both), sum(two for _, two, _ in both), sum(right for _, _, right in both)
    results = {"OA": 100 * n_both / n, "VISOR_uncond": 100 * n_right / n, "VISOR_cond": 100 * n_right / n_both}
    prompts = {prompt for prompt, _, _ in both}
    shown = {prompt for prompt, two, _ in both if two}
    per_prompt = {prompt: sum(right for other, _, right in both if other == prompt) for prompt in prompts}
    for k in (1, 2, 3, 4):
        enough = sum(number >= k for number in per_prompt.values())
        results[f"VISOR_{k}"] = 100 * enough / len(prompts)
        results[f"VISOR_{k}_both_found"] = 100 * enough / len(shown)
    return {**results, "n_images": n, "n_prompts": len(prompts)}
