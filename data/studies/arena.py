"""The votes of GenAI-Arena (Jiang et al. 2024) with those of two judges: their reader, and the printed accuracies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from data.files import Problems, fail, located, quoted, read_text
from data.json_files import json_entries
from data.records import Item, Prompt
from data.studies.printed_numbers import PrintedNumber, PublishedStudy
from data.studies.study_ratings import refuse_empty, value_of
from data.validation import text_of

ARENA_SUITE: Final = "arena"
LEFT: Final = "left"
RIGHT: Final = "right"


@dataclass(frozen=True, slots=True)
class ArenaVote:
    """One vote on one pair, with what each judge said of it.

    Attributes:
        chose: ``left``, ``right``, ``both`` or ``none``, as people did.
        judged: by judge the same, None where its answer names none of these; with its words and the released mark.
    """

    item: Item
    chose: str
    raw: Mapping[str, Any]
    judged: Mapping[str, JudgeVote]


@dataclass(frozen=True, slots=True)
class JudgeVote:
    """A judge's vote: as read, as written, whether the file marks it as right, and its words."""

    chose: str | None
    written: str | None
    marked: bool
    response: str


@dataclass(frozen=True, slots=True)
class ArenaVotes:
    """All votes, and the prompts: pairs of one text have one prompt."""

    prompts: tuple[Prompt, ...]
    votes: tuple[ArenaVote, ...]
    excluded: tuple[str, ...] = field(default=())


_VOTES: Final = {"leftvote": LEFT, "rightvote": RIGHT, "tievote": "both", "bothbad_vote": "none"}
_JUDGE_VOTES: Final = {"[[A>B]]": LEFT, "[[B>A]]": RIGHT, "[[A=B=Good]]": "both", "[[A=B=Bad]]": "none"}


def read_arena(files: Sequence[Path]) -> ArenaVotes:
    """GenAI-Arena: ``JUDGE_pairwise.jsonl``, a line for each vote. The generators are not named, so sides are.

    Raises:
        InputError: a line is not as it should be, or two files are about different votes; nothing is read then.
    """
    prompts: dict[str, Prompt] = {}
    votes: dict[int, ArenaVote] = {}
    unread: list[str] = []
    for path in files:
        judge, problems = path.name.removesuffix("_pairwise.jsonl"), Problems(path)
        seen: set[int] = set()
        for _, line, read in json_entries(path, read_text(path)):
            with problems.at(line):
                entry = read()
                if not isinstance(entry, dict):
                    raise ValueError(f"a line is {quoted(entry)}, an object expected")
                number, text = value_of(entry, "idx", int, "a whole number"), text_of(entry, "prompt")
                vote, marked = _VOTES.get(text_of(entry, "human_vote")), value_of(entry, "correct", bool, "true or false")
                if vote is None or number in seen:
                    raise ValueError(f"vote {number} is {quoted(entry['human_vote'])}, or stands there twice")
                seen.add(number)
                prompt = prompts.setdefault(text, Prompt(f"{ARENA_SUITE}/{len(prompts):05d}", ARENA_SUITE, text))
                item = Item(f"{prompt.prompt_id}/vote {number}", ARENA_SUITE, prompt.prompt_id, None, None, "pair")
                raw = {"idx": number, "human_vote": entry["human_vote"], "generators": [LEFT, RIGHT]}
                known = votes.setdefault(number, ArenaVote(item, vote, raw, {}))
                if (known.item, known.chose) != (item, vote):
                    raise ValueError(f"vote {number} is another one than in {files[0].name}")
                written = None if entry.get("model_vote") is None else text_of(entry, "model_vote")
                chose = read_choice(written)
                if chose is None:
                    unread.append(located(path, line, f"vote {number}: the judge's answer {quoted(written)} names no vote"))
                judge_vote = JudgeVote(chose, written, marked, str(entry.get("response") or ""))
                votes[number] = replace(known, judged={**known.judged, judge: judge_vote})
        problems.check()
        if seen != votes.keys():
            fail(path, None, f"has {len(seen)} votes, {files[0].name} has others")
    refuse_empty([*votes], files[0])
    return ArenaVotes(tuple(prompts.values()), tuple(votes.values()), tuple(unread))


def read_choice(written: str | None, *, exactly: bool = True) -> str | None:
    """The vote that a judge's answer names, None for none; not ``exactly``: also where other words stand around it."""
    if exactly or written is None:
        return _JUDGE_VOTES.get(written or "")
    return next((vote for sign, vote in _JUDGE_VOTES.items() if sign in written), None)


_ARENA_FILE: Final = "GenAI-Bench (arena), image generation"

ARENA: Final = PublishedStudy(
    paper="Jiang et al.: GenAI-Arena (2024), votes with judges",
    suite=ARENA_SUITE,
    aspect="preference",
    sources={},
    numbers=(
        PrintedNumber("Accuracy, GPT-4o", _ARENA_FILE, "45.59", "percent_agreement", percent=True, rater="gpt4o"),
        PrintedNumber(
            "Accuracy, Gemini-1.5-pro",
            _ARENA_FILE,
            "44.67",
            "percent_agreement",
            percent=True,
            rater="gemini15pro",
            if_different="one answer, [[A=B]], is marked as right for a tie in the file, though it is none of the four votes;"
            " with the file's own marks it is as printed",
        ),
    ),
    notes=("An answer that names none of the four votes counts as wrong, as in the released files.",),
    claim="Asked which of two images is better, GPT-4o votes as people did in 45.59 % of votes, Gemini-1.5-pro in 44.67 %.",
    files_say="From the votes: {Accuracy, GPT-4o} (GPT-4o) and {Accuracy, Gemini-1.5-pro} (Gemini). The file marks one more of"
    " Gemini's answers as right: {Accuracy, Gemini-1.5-pro|as marked in the file}. If votes that Gemini wrote into a sentence"
    " are read, too, it has {Accuracy, Gemini-1.5-pro|votes in other words read, too}.",
    consequence="The numbers stand; one vote of 1,735 decides the second decimal. Which of the two judges is nearer to people"
    " depends on the question: by the share of equal votes they are as good as equal, by kappa, which takes chance into"
    " account, GPT-4o is ahead (below).",
)
