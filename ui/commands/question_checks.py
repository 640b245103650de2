"""TIFA's filter over many questions: what a model answers from the prompt alone, written down as it comes, and what is kept."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from data.jobs.json_records import open_journal, read_journal
from data.prompts.questions import PromptQuestion
from data.records import Prompt
from scorers.questions.writing import FilterOutcome, filter_question, needs_free_answer
from ui.commands import question_worker as worker

_TELL_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Checking:
    """How questions are checked: by which model (None: not at all), and where its answers lie."""

    model: str | None
    device: str
    threshold: float
    answers: Path


@dataclass(slots=True)
class Checked:
    kept: list[tuple[Prompt, tuple[PromptQuestion, ...]]] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def check(options: Checking, made: Sequence[tuple[Prompt, Sequence[PromptQuestion]]]) -> Checked:
    """TIFA's filter; what the model answered is kept, so that another threshold costs nothing."""
    if options.model is None:
        return Checked([(prompt, tuple(asked)) for prompt, asked in made])
    answers = _answers(options, made)
    found = Checked()
    for prompt, asked in made:
        kept = []
        for question in asked:
            answer = answers[_place(prompt, question)]
            outcome = filter_question(question, answer["multiple"], answer["free"], options.threshold)
            if outcome is FilterOutcome.KEPT:
                kept.append(question)
            else:
                found.dropped[outcome] += 1
        found.kept.append((prompt, tuple(kept)))
    return found


_Place = tuple[str, str, tuple[str, ...], bool]


def _place(prompt: Prompt, question: PromptQuestion) -> _Place:
    return prompt.text, question.text, question.choices, needs_free_answer(question)


def _answers(options: Checking, made: Sequence[tuple[Prompt, Sequence[PromptQuestion]]]) -> dict[_Place, Mapping[str, Any]]:
    """What the checking model says to each question, now or earlier."""
    path = options.answers
    found: dict[_Place, Mapping[str, Any]] = {
        (one["caption"], one["question"], tuple(one["choices"]), one["free"] is not None): one
        for one in read_journal(path)
        if one.get("model") == options.model and {"caption", "question", "choices", "multiple", "free"} <= one.keys()
    }
    wanted = [_place(prompt, question) for prompt, asked in made for question in asked]
    left = [place for place in dict.fromkeys(wanted) if place not in found]
    if not left:
        return found
    warn(f"{len(left)} questions to check by {options.model} on {options.device}")
    progress = Progress(len(left), "questions checked")
    asked = [{"caption": text, "question": said, "choices": list(choices), "free": free} for text, said, choices, free in left]
    job = {"do": "answer", "model": options.model, "device": options.device, "asked": asked}
    with open_journal(path) as append:
        for place, what, said in zip(left, asked, worker.worked(job), strict=True):
            found[place] = {"model": options.model, **what, **said}
            append(found[place])
            progress.more()
    return found


def warn(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@dataclass(slots=True)
class Progress:
    """Tells now and then how far it is."""

    total: int
    what: str
    done: int = 0
    told: float = field(default_factory=time.monotonic)

    def more(self) -> None:
        self.done += 1
        if time.monotonic() - self.told > _TELL_SECONDS:
            self.told = time.monotonic()
            warn(f"{self.done:,} of {self.total:,} {self.what}")
