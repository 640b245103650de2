"""What a scorer that reads prompts is given to read: the prompts as they are, or flipped (its setting ``flip``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from data.prompts.flips import Unflipped, flip
from data.runs import Work
from ui import words


@dataclass(frozen=True, slots=True)
class Readable:
    """Work with the texts to read; ``left_out``: images whose prompts cannot be flipped, by reason."""

    work: list[Work]
    left_out: Mapping[str, int]

    def told(self) -> str:
        """Of what was left out, one line."""
        why = "; ".join(f"{words.reason(reason)} ({n:,})" for reason, n in self.left_out.items())
        return f"{words.count(sum(self.left_out.values()), 'image')} left out, whose prompts cannot be flipped: {why}"


def readable(work: Sequence[Work], settings: Mapping[str, Any]) -> Readable:
    """As it is, unless the settings ask for flipped prompts.

    Raises:
        ValueError: there is no such kind of flip.
    """
    kind = settings.get("flip")
    if not kind:
        return Readable(list(work), {})
    fit: list[Work] = []
    left_out: Counter[str] = Counter()
    for one in work:
        made = flip(one.text, one.spec, kind)
        if isinstance(made, Unflipped):
            left_out[made.reason] += 1
        elif made.text is None:
            left_out["unsure_text"] += 1
        else:
            fit.append(replace(one, text=made.text, spec=made.spec))
    return Readable(fit, dict(left_out.most_common()))
