"""What a prompt of VISOR's asks for (Gokhale et al., 2022), and VISOR's detection file, which is written image by image."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from data.files import quoted
from data.formats.evidence import EvidenceCase
from data.formats.official_results import entry_of, format_entry, key_of
from data.prompts.coco import plain_name
from data.spec import Relation, Spec
from scorers.visor.rules import VisorRules, counted_objects, judge

RELATIONS: Final[dict[Relation, str]] = {"left of": "left", "right of": "right", "above": "above", "below": "below"}
"""Each relation's word in SR2D, in the paper's order."""


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
