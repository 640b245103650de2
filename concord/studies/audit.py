"""The audit of published studies: of each what it claims, what its files say, what follows, and its judges beside its people;
from computed numbers alone.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from concord.common.table import Field, field, table_of, texts
from concord.common.text_tables import markdown as markdown_table
from concord.studies import judge_words
from concord.studies.benchmarks import REPRODUCTIONS
from concord.studies.comparison import ComparedNumber, VerdictCounts, as_json, table
from concord.studies.judges import JudgedPeople
from data.studies.printed_numbers import PrintedNumber


@dataclass(frozen=True, slots=True)
class AuditedStudy:
    """A study's printed numbers beside ours, and its judges beside its people, by aspect."""

    lines: Sequence[ComparedNumber]
    judged: Sequence[JudgedPeople]


Audited = Mapping[str, AuditedStudy]
"""By the study's name."""
MANY: Final = 60
"""Of a study with more numbers, those that are as printed are counted by task."""

_NAME: Final = re.compile(r"\{([^}]+)\}")
_NO_ANCHOR: Final = re.compile(r"[^\w\- ]")
"""What the anchor of a Markdown heading leaves out."""
_INTRODUCTION: Final = """# Audit of published studies

Each study's printed numbers, computed again from the files that its authors released. A different number is no reproach:
releasing ratings is what makes it visible. *Same* means equal in the printed digits; *not determined*, that the released files
do not decide it. Intervals are 95 %, by leaving out one prompt at a time (of one prompt: one image); *n* counts images, or
votes. This page is written by `reproduce all FOLDER --format md` ([how](reproducing.md)).

Kappa (κ) and alpha (α) are agreement beyond chance: 1 if all say the same, 0 if no more often than by chance. Pearson's r,
Spearman's rho and Kendall's tau are correlations: 1 if what is higher for one is higher for the other, 0 if both have nothing
in common."""


def text(studies: Audited) -> str:
    """All studies as tables for a terminal."""
    parts = []
    for name, each in studies.items():
        parts.append(table(REPRODUCTIONS[name].study, each.lines))
        parts += ["\n".join([judge_words.title(judged), *_answers(judged)]) for judged in each.judged]
    return "\n\n".join(parts)


def document(studies: Audited) -> str:
    """One JSON document: by study what `reproduce` says of it, and by aspect the judges beside people, in words."""
    parts = {
        name: json.loads(as_json(REPRODUCTIONS[name].study, each.lines))
        | {"judges": {judged.judged.aspect: dict(judge_words.answers(judged)) for judged in each.judged}}
        for name, each in studies.items()
    }
    return json.dumps(parts, ensure_ascii=False, indent=1)


def _answers(judged: JudgedPeople) -> list[str]:
    return [f"{question}? {answer}" if judged.judges else answer for question, answer in judge_words.answers(judged)]


def audit(studies: Audited) -> str:
    """The page in Markdown: an overview, then a chapter for each study."""
    counts = {name: VerdictCounts.of(each.lines) for name, each in studies.items()}
    rows = []
    for name, count in counts.items():
        paper = REPRODUCTIONS[name].study.paper
        link = f"[{paper}](#{_NO_ANCHOR.sub('', paper.lower()).replace(' ', '-')})"
        numbers = (count.total, count.same, count.different, count.not_determined)
        rows.append([link, *map(str, numbers)])
    chapters = ("\n\n".join([_chapter(name, each.lines), *map(_judged, each.judged)]) for name, each in studies.items())
    overview = "\n".join(markdown_table(texts("Studies", ("study", "numbers", "same", "different", "not determined"), rows)))
    return "\n\n".join([_INTRODUCTION, overview, f"**Judges beside people.** {judge_words.HOW_TO_READ}", *chapters])


def _judged(judged: JudgedPeople) -> str:
    """The part of a chapter on the judges of one aspect."""
    parts = [f"### {judge_words.title(judged)}"]
    mark = "?" if judged.judges else "."
    parts += [f"**{question}{mark}** {answer}" for question, answer in judge_words.answers(judged)]
    beside_people = judge_words.table(judged)
    return "\n\n".join([*parts, "\n".join(markdown_table(beside_people))] if beside_people else parts)


def _chapter(name: str, lines: Sequence[ComparedNumber]) -> str:
    study = REPRODUCTIONS[name].study
    parts = [f"## {study.paper}"]
    for title, words in (("Claim", study.claim), ("What the files say", study.files_say), ("Consequence", study.consequence)):
        if words:
            parts.append(f"**{title}.** {filled(words, lines)}")
    listed = [line for line in lines if len(lines) <= MANY or line.verdict != "same"]
    if listed:
        parts.append("\n".join(markdown_table(table_of(study.paper, _FIELDS, listed))))
    if len(lines) > MANY:
        tasks = Counter(line.number.task for line in lines)
        same = Counter(line.number.task for line in lines if line.verdict == "same")
        parts.append("As printed: " + ", ".join(f"{same[task]} of {n} ({task})" for task, n in tasks.items()) + ".")
    different = [line for line in lines if line.verdict == "different"]
    reasons = dict.fromkeys(f"{line.number.called}: {line.reason}" for line in different)
    remarks = [*study.notes, *(f"Different: {reason}." for reason in reasons)]
    undetermined = Counter(line.reason for line in lines if line.verdict == "not_determined")
    remarks += [f"Not determined: {n} of the above: {reason}." for reason, n in undetermined.items()]
    remarks += [f"Not determined: {each.what} ({each.where}): {each.why}." for each in study.open]
    parts.append("\n".join(f"- {remark}" for remark in remarks))
    return "\n\n".join(part for part in parts if part)


def _beside(line: ComparedNumber) -> str:
    return "; ".join(
        f"{name.replace('_', ' ')} {formatted(line.number, value)}" for name, value in line.beside.items() if value is not None
    )


_FIELDS: Final[Sequence[Field[ComparedNumber]]] = (
    field("in the paper", lambda line: f"{line.number.called} ({line.number.where})"),
    field("printed", lambda line: line.number.printed),
    field("ours", lambda line: "–" if line.value is None else formatted(line.number, line.value)),
    field("95 % interval", lambda line: interval(line)),
    field("n", lambda line: line.n_items, ","),
    field("verdict", lambda line: line.verdict.replace("_", " ")),
    field("beside it", _beside),
)


def formatted(number: PrintedNumber, value: float) -> str:
    """A number to four decimals; counts and per cent as they are printed, with no fewer digits."""
    if number.quantity != "value":
        return f"{value:z,.4f}".rstrip("0").rstrip(".")
    return f"{100 * value:z.4f} %" if number.percent else f"{value:z.4f}"


def interval(line: ComparedNumber) -> str:
    """Its 95 % interval; nothing where there is none."""
    if line.low is None or line.high is None:
        return ""
    return f"{formatted(line.number, line.low)} to {formatted(line.number, line.high)}"


def names_in(words: str) -> list[str]:
    """The names of the numbers in a chapter's words."""
    return _NAME.findall(words)


def filled(words: str, lines: Sequence[ComparedNumber]) -> str:
    """A chapter's words with their numbers."""
    values = _values(lines)
    return _NAME.sub(lambda name: values.get(name[1], "–"), words)


def _values(lines: Sequence[ComparedNumber]) -> Mapping[str, str]:
    """What a chapter's words may name: by a number's name ours, by ``NAME|OTHER`` what stands beside it, and the counts."""
    values = {line.number.called: formatted(line.number, line.value) for line in lines if line.value is not None}
    for line in lines:
        beside = {name: value for name, value in line.beside.items() if value is not None}
        values |= {f"{line.number.called}|{name}": formatted(line.number, value) for name, value in beside.items()}
    count = VerdictCounts.of(lines)
    return values | {"same": str(count.same), "determined": str(count.same + count.different)}


FORMATS: Final[Mapping[str, Callable[[Audited], str]]] = {"table": text, "md": audit, "json": document}
