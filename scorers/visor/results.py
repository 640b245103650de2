"""VISOR over many images (Gokhale et al., 2022, sections 4 and 6; its ``visor.py`` and notebook): scores in percent, and its
detection file.

Of scores only counts are kept, so that any number of images can be added; the file is written image by image.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from data.files import quoted
from data.formats.evidence import EvidenceCase
from data.formats.official_results import entry_of, format_entry, key_of
from data.prompts.coco import COCO, SUPERCATEGORY, plain_name
from data.spec import OPPOSITE, Relation, Spec
from scorers.base import Verdict
from scorers.visor.rules import VisorRules, counted_objects, judge

Scores = dict[str, float | int | None]

RELATIONS: Final[dict[Relation, str]] = {"left of": "left", "right of": "right", "above": "above", "below": "below"}
"""Each relation's word in SR2D, in the paper's order."""
N: Final = 4
"""Images of a prompt in the paper; there is a VISOR_n up to it at least."""

_RANK: Final = {name: k for k, name in enumerate(COCO)}
_GROUPS: Final = {name: k for k, name in enumerate(dict.fromkeys(SUPERCATEGORY.values()))}
_NO_GROUP: Final = "other"


@dataclass(frozen=True, slots=True)
class VisorRequest:
    """What a prompt asks for: ``a``, in ``relation`` (``left``, ...) to ``b``; b and the relation may be missing."""

    a: str
    b: str | None
    relation: str | None

    @classmethod
    def of(cls, spec: Spec) -> VisorRequest:
        """Of one or two objects and at most one relation, that of the first to the second.

        Raises:
            ValueError: the spec asks for something else.
        """
        names = [plain_name(thing.name) for thing in spec.objects]
        relations = [(relation.subject, relation.reference, RELATIONS[relation.relation]) for relation in spec.relations]
        if len(names) == 1 and not relations:
            return cls(names[0], None, None)
        if len(names) == 2 and not relations:
            return cls(names[0], names[1], None)
        if len(names) == 2 and len(relations) == 1:
            subject, reference, word = relations[0]
            return cls(names[subject], names[reference], word)
        raise ValueError("VISOR scores one or two objects and one relation between them")

    @property
    def kind(self) -> str:
        """``single``, ``and`` or ``relation``, as in the paper's Figure 11."""
        return "relation" if self.relation else "and" if self.b else "single"


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
        """All scores, by generator.

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
    """OA, VISOR and their like over prompts with a relation.

    - ``OA``: share of images with both objects. ``VISOR_uncond``: of images with both in the asked relation.
      ``VISOR_cond``: the same of those with both; None if there is none.
    - ``VISOR_n``: share of prompts with n correct images or more, of all prompts, as ``visor.py`` divides;
      ``VISOR_n_both_found``: of those prompts of which an image shows both objects, as the notebook does.
    """
    all_prompts = list(prompts)
    n, both, correct = (sum(getattr(prompt, name) for prompt in all_prompts) for name in ("n", "both", "correct"))
    shown = [prompt for prompt in all_prompts if prompt.both]
    numbers = range(1, max([N, *(prompt.n for prompt in all_prompts)]) + 1)
    at_least = {k: sum(prompt.correct >= k for prompt in all_prompts) for k in numbers}
    return {
        "OA": _percent(both, n),
        "VISOR_uncond": _percent(correct, n),
        "VISOR_cond": _percent(correct, both),
        **{f"VISOR_{k}": _percent(at_least[k], len(all_prompts)) for k in numbers},
        **{f"VISOR_{k}_both_found": _percent(at_least[k], len(shown)) for k in numbers},
        "n_images": n,
        "n_prompts": len(all_prompts),
    }


def consistency(prompts: Iterable[_Prompt]) -> Scores:
    """How often equivalent prompts ("a left of b", "b right of a") are drawn alike, by relation, and the relations' mean.

    The paper gives no formula. Here: of all pairs of an image of the one prompt and an image of the other, both with both
    objects, the share whose verdicts agree. A pair of prompts stands under the relation of that one which names the object
    first that COCO names first. Prompts that ask the same count as one, whatever else they say (``sr2d-attributes``).
    """
    counts: dict[VisorRequest, tuple[int, int]] = {}
    for prompt in prompts:
        right, both = counts.get(prompt.asked, (0, 0))
        counts[prompt.asked] = (right + prompt.correct, both + prompt.both)
    alike, pairs = dict.fromkeys(OPPOSITE, 0), dict.fromkeys(OPPOSITE, 0)
    for request, (right, both) in counts.items():
        assert request.b is not None
        assert request.relation is not None
        other = counts.get(VisorRequest(request.b, request.a, OPPOSITE[request.relation]))
        if other is not None and _class_rank(request.a) < _class_rank(request.b):
            alike[request.relation] += right * other[0] + (both - right) * (other[1] - other[0])
            pairs[request.relation] += both * other[1]
    shares = {relation: _percent(alike[relation], pairs[relation]) for relation in OPPOSITE}
    known = [share for share in shares.values() if share is not None]
    return {**shares, "average": sum(known) / len(known) if known else None, "n_pairs": sum(pairs.values())}


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
    """COCO's order, then the alphabet's."""
    return _RANK.get(name, len(_RANK)), name


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _words(request: VisorRequest) -> str:
    return f"{request.a} {request.relation or 'and'} {request.b}" if request.b else request.a


class MixedGenerators(ValueError):
    """An image of another generator than the file's; the message says which."""


class DetectionFile:
    """One JSON object, of one generator. What ``write`` got is whole when it is closed."""

    def __init__(self, write: Callable[[str], object], rules: VisorRules) -> None:
        self._write = write
        self._rules = rules
        self._keys: set[str] = set()
        self._per_prompt: dict[str, int] = {}
        self._generator: str | None = None

    def add(self, case: EvidenceCase) -> None:
        """Write one image.

        Raises:
            MixedGenerators: it is not of the file's generator.
            ValueError: its prompt is not SR2D's, or there is an image of its name already.
        """
        if self._keys and case.generator != self._generator:
            other = f"{quoted(case.generator)} and {quoted(self._generator)}"
            raise MixedGenerators(f"VISOR's file is for one generator, and there are {other}; choose one: --generator")
        key = key_of(case, self._per_prompt)
        if key in self._keys:
            raise ValueError(f"there is an image {key} already")
        ranks = {thing.name: counted_objects(thing.name, case.seen.detections, self._rules) for thing in case.spec.objects}
        relations = judge(case.spec, case.seen, {"threshold": self._rules.threshold}).relations
        sra = bool(relations) and all(relation.holds for relation in relations)
        self._write(("," if self._keys else "{") + "\n" + format_entry(key, entry_of(case, ranks, sra)))
        self._keys.add(key)
        self._generator = case.generator
        prompt = key.partition("_")[0]
        self._per_prompt[prompt] = self._per_prompt.get(prompt, 0) + 1

    def close(self) -> None:
        """Write the end."""
        self._write("\n}\n" if self._keys else "{}\n")
