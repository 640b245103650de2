"""VISOR over many images without a project: `judge visor --summary`, in percent.

Only counts are kept, so that any number of images can be added. The formulas are those of `agreement.suite_metrics.formulas`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agreement.suite_metrics.catalogue import VISOR_COND, VISOR_N, VISOR_OA, VISOR_UNCOND
from agreement.suite_metrics.formulas import TRIALS, EquivalentPrompts, PromptCounts, at_least, equivalent_trials
from data.prompts.coco import COCO, SUPERCATEGORY, plain_name
from data.spec import OPPOSITE, Spec
from scorers.base import Verdict
from scorers.visor.results import VisorRequest

Scores = dict[str, float | int | None]

_RANK: Final = {name: k for k, name in enumerate(COCO)}
_GROUPS: Final = {name: k for k, name in enumerate(dict.fromkeys(SUPERCATEGORY.values()))}
_NO_GROUP: Final = "other"


@dataclass(slots=True)
class _Prompt:
    """A prompt's images, counted: all, those with a, with b, with all objects, and the correct ones."""

    asked: VisorRequest
    n: int = 0
    a: int = 0
    b: int = 0
    both: int = 0
    correct: int = 0


class VisorTally:
    """Images of any number of generators, counted by prompt."""

    def __init__(self) -> None:
        self._prompts: dict[str, dict[str, _Prompt]] = {}

    def add(self, generator: str, prompt_id: str, spec: Spec, verdict: Verdict) -> None:
        """Count one image, as ``scorers.visor.rules.judge`` judged it.

        Raises:
            ValueError: it is not VISOR's to score, or its prompt asked for something else before; nothing is counted then.
        """
        request, judged = VisorRequest.of(spec), verdict.correct
        if judged is None:
            raise ValueError("VISOR checks neither counts nor colours")
        prompts = self._prompts.setdefault(generator, {})
        prompt = prompts.setdefault(prompt_id, _Prompt(request))
        if prompt.asked != request:
            raise ValueError(f"prompt {prompt_id} asked for {_words(prompt.asked)} before, and for {_words(request)} here")
        there = {plain_name(name): n > 0 for name, n in verdict.found.items()}
        a, b = there[request.a], request.b is None or there[request.b]
        prompt.n += 1
        prompt.a += a
        prompt.b += b
        prompt.both += a and b
        prompt.correct += judged

    def summary(self) -> dict[str, Any]:
        """Return all scores, by generator.

        ``generators``: see ``scores``. ``relations``, ``supercategories``: the same by relation (Table VI), and by pair of
        supercategories in either order (Figure 9). ``objects``: OA of the first object, of the second, of both (Figure 12).
        ``kinds``: OA of prompts with one object, with two, with two in a relation (Figure 11). ``consistency``: see
        ``consistency`` (Table VII).
        """
        # as `visor.py`: what asks for no relation is left out
        related = {
            name: [prompt for prompt in prompts.values() if prompt.asked.relation is not None]
            for name, prompts in self._prompts.items()
        }
        return {
            "generators": {name: scores(prompts) for name, prompts in related.items()},
            "relations": _each(related, lambda prompts: _by(prompts, lambda prompt: prompt.asked.relation, OPPOSITE)),
            "supercategories": _each(related, _by_supercategories),
            "objects": _each(related, _objects),
            "kinds": _each({name: list(prompts.values()) for name, prompts in self._prompts.items()}, _kinds),
            "consistency": _each(related, consistency),
        }


def scores(prompts: Iterable[_Prompt]) -> Scores:
    """Return OA, VISOR and their like over prompts with a relation.

    - ``OA``: share of images with both objects. ``VISOR_uncond``: of images with both in the asked relation.
      ``VISOR_cond``: the same of those with both; None if there is none.
    - ``VISOR_n``: share of prompts with n correct images or more, of all prompts, as ``visor.py`` divides;
      ``VISOR_n_both_found``: of those prompts of which an image shows both objects, as the notebook does.
    """
    counts = _counts(list(prompts))
    shown = counts.take(counts.both > 0)
    numbers = range(1, int(counts.images.max(initial=max(VISOR_N))) + 1)
    return {
        "OA": TRIALS[VISOR_OA](counts).percent,
        "VISOR_uncond": TRIALS[VISOR_UNCOND](counts).percent,
        "VISOR_cond": TRIALS[VISOR_COND](counts).percent,
        **{f"VISOR_{k}": at_least(counts, k).percent for k in numbers},
        **{f"VISOR_{k}_both_found": at_least(shown, k).percent for k in numbers},
        "n_images": int(counts.images.sum()),
        "n_prompts": counts.images.size,
    }


def _counts(prompts: list[_Prompt]) -> PromptCounts:
    n, both, correct = ([getattr(prompt, name) for prompt in prompts] for name in ("n", "both", "correct"))
    return PromptCounts.decided(n, both, correct)


def equivalence(request: VisorRequest) -> EquivalentPrompts:
    """Return the place of a request for a relation among its equivalents: that one is first which names the object first that
    COCO names first.
    """
    a, b, relation = request.a, request.b or "", request.relation or ""
    first = _class_rank(a) < _class_rank(b)
    pair = f"{a} {relation} {b}" if first else f"{b} {OPPOSITE[relation]} {a}"
    return EquivalentPrompts(pair, first, relation)


def consistency(prompts: Iterable[_Prompt]) -> Scores:
    """Return how often equivalent prompts ("a left of b", "b right of a") are drawn alike, by relation, and their mean.

    The paper gives no formula. Here: of all pairs of an image of the one prompt and an image of the other, both with both
    objects, the share whose verdicts agree. A pair of prompts stands under the relation of that one which names the object
    first that COCO names first. Prompts that ask the same count as one, whatever else they say (``sr2d-attributes``).
    """
    listed = list(prompts)
    places = [equivalence(prompt.asked) for prompt in listed]
    parts = {part.relation: part.trials for part in equivalent_trials(_counts(listed), places)}
    shares = {relation: parts[relation].percent if relation in parts else None for relation in OPPOSITE}
    known = [share for share in shares.values() if share is not None]
    n_pairs = sum(int(trials.n.sum()) for trials in parts.values())
    return {**shares, "average": sum(known) / len(known) if known else None, "n_pairs": n_pairs}


def _each(groups: Mapping[str, list[_Prompt]], of: Callable[[list[_Prompt]], Any]) -> dict[str, Any]:
    return {name: of(prompts) for name, prompts in groups.items()}


def _by(prompts: Iterable[_Prompt], key: Callable[[_Prompt], Hashable], order: Iterable[Hashable]) -> dict[Hashable, Scores]:
    groups: dict[Hashable, list[_Prompt]] = {name: [] for name in order}
    for prompt in prompts:
        groups.setdefault(key(prompt), []).append(prompt)
    return {name: scores(group) for name, group in groups.items() if group}


def _by_supercategories(prompts: Iterable[_Prompt]) -> list[dict[str, Any]]:
    tables = _by(prompts, lambda prompt: tuple(sorted((_group(prompt.asked.a), _group(prompt.asked.b)), key=_group_rank)), ())
    rows = [{"pair": list(pair), **row} for pair, row in tables.items() if isinstance(pair, tuple)]
    return sorted(rows, key=lambda row: [_group_rank(name) for name in row["pair"]])


def _objects(prompts: list[_Prompt]) -> Scores:
    n, a, b, both = (sum(getattr(prompt, name) for prompt in prompts) for name in ("n", "a", "b", "both"))
    return {"A": _percent(a, n), "B": _percent(b, n), "both": _percent(both, n), "n_images": n}


def _kinds(prompts: list[_Prompt]) -> dict[str, Scores]:
    by_kind = {kind: [prompt for prompt in prompts if prompt.asked.kind == kind] for kind in ("single", "and", "relation")}
    counts = {kind: (sum(prompt.both for prompt in some), sum(prompt.n for prompt in some)) for kind, some in by_kind.items()}
    return {kind: {"OA": _percent(both, n), "n_images": n} for kind, (both, n) in counts.items()}


def _group(name: str | None) -> str:
    return SUPERCATEGORY.get(name or "", _NO_GROUP)


def _group_rank(name: str) -> int:
    return _GROUPS.get(name, len(_GROUPS))


def _class_rank(name: str) -> tuple[int, str]:
    """Return a key that sorts names in COCO's order, then in the alphabet's."""
    return _RANK.get(name, len(_RANK)), name


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _words(request: VisorRequest) -> str:
    return f"{request.a} {request.relation or 'and'} {request.b}" if request.b else request.a
