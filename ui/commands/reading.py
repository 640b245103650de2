"""What a scorer is given to read: prompts as they are, or flipped (its setting ``flip``); their questions, if it is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from data.jobs.runs import WorkItem
from data.matching.captions import caption_candidates
from data.prompts.flips import FlipKind, Unflipped, flip
from data.store import library
from data.store.core.store import Store
from ui import words

if TYPE_CHECKING:
    from scorers.base import Scorer


_NO_QUESTIONS: Final = "no_questions"
_NO_CAPTIONS: Final = "no_captions"


@dataclass(frozen=True, slots=True)
class Readable:
    """Work with the texts to read; ``left_out``: images whose prompts cannot be read so, by reason."""

    work: list[WorkItem]
    left_out: Mapping[str, int]

    def told(self) -> str:
        """Of what was left out, one line."""
        out = words.count(sum(self.left_out.values()), "image")
        if _NO_QUESTIONS in self.left_out:
            return f"{out} left out, whose prompts have no questions; import questions FILE, or import questions --from-specs"
        if _NO_CAPTIONS in self.left_out:
            return f"{out} left out, whose prompts say nothing that could be changed into a wrong caption"
        why = "; ".join(f"{words.reason(reason)} ({n:,})" for reason, n in self.left_out.items())
        return f"{out} left out, whose prompts cannot be flipped: {why}"


def readable(store: Store, work: Sequence[WorkItem], scorer: Scorer, settings: Mapping[str, Any]) -> Readable:
    """As it is, unless the scorer is asked questions, chooses among captions, or the settings ask for flipped prompts.

    Raises:
        ValueError: there is no such kind of flip.
    """
    if scorer.asks:
        return _asked(store, work)
    if scorer.matches:
        return _captioned(work)
    kind = settings.get("flip")
    return _flipped(work, kind) if kind else Readable(list(work), {})


def _asked(store: Store, work: Sequence[WorkItem]) -> Readable:
    versions = library.current_questions_of_items(store, [one.item_id for one in work])
    fit = [
        replace(one, questions=[asdict(question) for question in now.questions], version=now.number)
        for one in work
        if (now := versions.get(one.item_id)) is not None
    ]
    return Readable(fit, {_NO_QUESTIONS: len(work) - len(fit)} if len(fit) < len(work) else {})


def _captioned(work: Sequence[WorkItem]) -> Readable:
    offered = [(one, caption_candidates(one.text, one.spec)) for one in work]
    fit = [replace(one, captions=found.captions, right=found.right) for one, found in offered if found is not None]
    return Readable(fit, {_NO_CAPTIONS: len(work) - len(fit)} if len(fit) < len(work) else {})


def _flipped(work: Sequence[WorkItem], kind: FlipKind) -> Readable:
    fit: list[WorkItem] = []
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
