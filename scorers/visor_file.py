"""VISOR's detection file, written image by image from evidence."""

from __future__ import annotations

from collections.abc import Callable

from data.files import quoted
from data.formats.evidence import EvidenceCase
from data.formats.visor_detections import entry_of, format_entry, key_of
from scorers.visor_rules import Rules, found_of, judge


class MixedGenerators(ValueError):
    """An image of another generator than the file's; the message says which."""


class DetectionFile:
    """One JSON object, of one generator. What ``write`` got is whole when it is closed."""

    def __init__(self, write: Callable[[str], object], rules: Rules) -> None:
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
            raise MixedGenerators(f"VISOR's file is of one generator, there are {other}; choose one: --generator")
        key = key_of(case, self._per_prompt)
        if key in self._keys:
            raise ValueError(f"there is an image {key} already")
        found = {one.name: found_of(one.name, case.seen.detections, self._rules) for one in case.spec.objects}
        relations = judge(case.spec, case.seen, {"threshold": self._rules.threshold}).relations
        sra = bool(relations) and all(one.holds for one in relations)
        self._write(("," if self._keys else "{") + "\n" + format_entry(key, entry_of(case, found, sra)))
        self._keys.add(key)
        self._generator = case.generator
        prompt = key.partition("_")[0]
        self._per_prompt[prompt] = self._per_prompt.get(prompt, 0) + 1

    def close(self) -> None:
        """Write the end."""
        self._write("\n}\n" if self._keys else "{}\n")
