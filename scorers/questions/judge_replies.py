"""A judge's reply in free form: which of the choices it names, and why. What names none, or several, is not guessed.

A reply may think aloud first (``<think>``), be JSON, perhaps in a code fence, stand in Markdown, and name its choice by letter,
by the choice's words, or as a number out of the highest; on its first line, or behind words such as "Answer:".
"""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, Final

from data.aspects import NO, YES
from data.files import printable
from data.spec import NUMBER_WORDS

_LONGEST_REASON: Final = 1000
_LONGEST_REPLY: Final = 8000
"""Characters that are read, thoughts apart."""
_THOUGHT_END: Final = re.compile(r"</(?:think|thinking|thought|reasoning|reflection)>|◁/think▷", re.IGNORECASE)
_THOUGHT_START: Final = re.compile(r"<(?:think|thinking|thought|reasoning|reflection)>|◁think▷", re.IGNORECASE)
_FENCE: Final = re.compile(r"```[\w-]*[ \t]*\n?(.*?)```", re.DOTALL)
_WRAPPED: Final = re.compile(r"\\boxed\{(?:\\text\{)?([^{}]*)\}?\}|</?(?:answer|final_answer|final|response)>", re.IGNORECASE)
_NOUN: Final = (
    r"(?:answer|choice|option|verdict|rating|score|grade|response|selection|judge?ment|antwort|bewertung|réponse|respuesta"
    r"|risposta|resposta|ответ|оценка)\b"
)
_CHINESE_NOUN: Final = r"(?:答案|回答|选项|選項|选择|選擇|评分|評分|得分)"
_LINK: Final = r"\s*(?:(?:would\s+be|should\s+be|is|ist|est|es|è|é)\b\s*[:：]?|[:：=–—-]|(?:是|为|為)\s*[:：]?)\s*"
_MARKED: Final = re.compile(
    rf"(?:(?P<final>\bfinal\s+{_NOUN}|最终{_CHINESE_NOUN})|\b{_NOUN}|{_CHINESE_NOUN}){_LINK}(?=(?P<rest>.*))", re.IGNORECASE
)
_STATED: Final = re.compile(
    r"\bI(?:['’]d|\s+would|\s+will|['’]ll)?\s+(?:(?:choose|pick|select|prefer|say|go\s+with|answer)|(?:rate|give|score)"
    r"(?:\s+(?:it|this|the\s+image|this\s+image))?(?:\s+as)?(?:\s+an?)?)\s+(?=(?P<rest>.*))",
    re.IGNORECASE,
)
_KEYS: Final = (
    "final_answer", "answer", "choice", "option", "letter", "verdict", "judgement", "judgment", "prediction", "response",
    "result", "label", "score", "rating", "grade", "winner", "preference", "selected", "selection", "答案", "回答", "选项",
    "评分", "得分",
)  # fmt: skip
_REASONS: Final = (
    "reason",
    "reasoning",
    "explanation",
    "rationale",
    "justification",
    "why",
    "analysis",
    "thought",
    "理由",
    "原因",
    "解释",
)
_LETTER: Final = re.compile(
    r"(?:option|choice|选项|選項)?\s*[(\[（【「]?\s*([A-Za-z])(?![A-Za-z])\s*"
    r"(?P<mark>[)\]）】」.．。:：,，、;；–—-]*)(?P<rest>.*)",
    re.DOTALL | re.IGNORECASE,
)
_BECAUSE: Final = re.compile(
    r"(?:because|since|as\s+(?:the|it|there|this)|is\s+(?:the\s+)?(?:correct|right|best|better|my)|\(|is\s*$|,|，|因为)",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?:(?:/|／|out\s+of|of|von|sur|de)\s*(?P<highest>[0-9]+)|(?:points?|stars?|分|点))?"
    r"(?P<rest>.*)",
    re.DOTALL | re.IGNORECASE,
)
_ENDS: Final = re.compile(r"\s*(?:$|[.．。,，、;；:：!！?？\n)\]）】\-–—\"'”’])")
_AFTER_YES_NO: Final = re.compile(r"\s+(?:there|it|this|that|they|the|i|he|she|you|we|both|all|none)\b|\s*\(", re.IGNORECASE)
_AFTER_SIDE: Final = re.compile(
    r"\s*(?:-|side|hand|image|picture|one|side\s+image)?(?:\s+(?:image|one|picture|side))?\s*(?:$|[.,;:!]|is\s+(?:\w+\s+)?better|shows?\s+(?:it|this)\s+better)",
    re.IGNORECASE,
)
_SIDES: Final = {
    "left": ("左", "左图", "左边", "links", "gauche", "izquierda"),
    "right": ("右", "右图", "右边", "rechts", "droite", "derecha"),
}
_WORDS: Final = {
    YES: (
        "yes", "yeah", "yep", "true", "correct", "ja", "oui", "sí", "si", "sì", "sim", "da", "да", "是", "是的", "有", "有的",
        "对", "对的", "正确", "はい", "네", "예", "evet", "tak", "ano", "نعم",
    ),
    NO: (
        "no", "nope", "false", "incorrect", "nein", "non", "não", "нет", "不", "不是", "没有", "否", "不对", "错误", "いいえ",
        "아니요", "아니오", "hayır", "nie", "ne", "لا",
    ),
}  # fmt: skip
"""Words for yes and no in the languages in which judges reply; all of them name the choice that is one of them."""


@dataclass(frozen=True, slots=True)
class ReadReply:
    """What a reply says: the number of its choice (None if it names none, or several), and its reason if it gives one."""

    choice: int | None
    reason: str | None = None


def read_reply(text: str, choices: Sequence[str]) -> ReadReply:
    """Read a judge's reply to a question with these choices, which it was given by letter."""
    spoken = _without_thoughts(text)
    if spoken is None:
        return ReadReply(None)
    found, reason = _read_json(spoken, choices)
    if found is not _NO_JSON:
        return ReadReply(found, reason)
    lines = [line for line in (_plain(line) for line in _FENCE.sub(r"\1", spoken).split("\n")) if line]
    if not lines:
        return ReadReply(None)
    choice = _read_lines(lines, choices)
    reason = " ".join(" ".join(lines[1:]).split()) or (_rest_of(lines[0], choices) if choice is not None else "")
    return ReadReply(choice, printable(reason)[:_LONGEST_REASON] or None)


def _without_thoughts(text: str) -> str | None:
    """Return what a reply says after it has thought; None if it was cut off before."""
    # some servers leave out the first mark
    spoken = _THOUGHT_END.split(text)[-1]
    return None if _THOUGHT_START.search(spoken) else spoken[:_LONGEST_REPLY]


_NO_JSON: Final = -1


def _read_json(text: str, choices: Sequence[str]) -> tuple[int | None, str | None]:
    """Return the choice and the reason of a reply that is, or holds, one JSON object; ``_NO_JSON`` if it holds none."""
    for candidate in (*_FENCE.findall(text), text, *re.findall(r"\{[^{}]*\}", text)):
        value = _object(candidate.strip())
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, dict):
            continue
        entries = {str(key).strip().casefold().replace(" ", "_"): entry for key, entry in value.items()}
        named = {_read_value(entries[key], choices) for key in _KEYS if key in entries}
        if not named:
            continue
        reason = next((entries[key] for key in _REASONS if isinstance(entries.get(key), str)), "")
        reason = printable(" ".join(reason.split()))[:_LONGEST_REASON]
        return (named.pop() if len(named) == 1 else None), reason or None
    return _NO_JSON, None


def _object(text: str) -> Any:
    if not text.startswith(("{", "[")):
        return None
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        return ast.literal_eval(text)
    return None


def _read_value(value: Any, choices: Sequence[str]) -> int | None:
    if isinstance(value, bool):
        value = YES if value else NO
    if isinstance(value, int | float):
        value = f"{value:g}"
    return _read_start(_plain(value), choices) if isinstance(value, str) else None


def _plain(line: str) -> str:
    """Return a line without Markdown and in characters of usual width."""
    line = unicodedata.normalize("NFC", line).translate(_USUAL_WIDTH)
    line = _WRAPPED.sub(lambda match: match[1] or "", line)
    line = re.sub(r"[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}", "", line)
    return re.sub(r"^\s*(?:#+\s+|>\s+|[-•]\s+)*", "", line).strip(" \t\r\"'“”‘’`*_$")


_USUAL_WIDTH: Final = {code: chr(code - 0xFEE0) for code in range(0xFF10, 0xFF5B) if chr(code - 0xFEE0).isalnum()}


def _read_lines(lines: Sequence[str], choices: Sequence[str]) -> int | None:
    """Return the one choice that the lines name; a final answer is worth more than others."""
    marked, final = _marked(lines, choices)
    if final:
        return final.pop() if len(final) == 1 else None
    named = {*marked}
    if (first := _read_start(lines[0], choices)) is not None:
        named.add(first)
    # a list of the options is no choice among them; nor is a word on a line of its own that contradicts the first
    named |= {place for line in lines[1:] if (place := _read_whole(line, choices)) is not None}
    letters = {ascii_uppercase.find(match[1]) for line in lines if (match := re.match(r"[(\[]?([A-Z])[)\].:]", line))}
    if len({place for place in letters if place < len(choices)}) > 1:
        return None
    if not named and len(lines) > 1:
        last = _read_whole(lines[-1], choices)
        named = set() if last is None else {last}
    return named.pop() if len(named) == 1 else None


def _marked(lines: Sequence[str], choices: Sequence[str]) -> tuple[set[int], set[int]]:
    """Return the choices that stand behind words such as "Answer:", and those of them that are called final."""
    marked: set[int] = set()
    final: set[int] = set()
    for number, line in enumerate(lines):
        for match in (*_MARKED.finditer(line), *_STATED.finditer(line)):
            rest = match["rest"].strip() or (lines[number + 1] if number + 1 < len(lines) else "")
            rest = re.sub(r"^(?:the|an?|option|choice)\s+(?=\S{2})", "", rest, flags=re.IGNORECASE)
            if (place := _read_start(_plain(rest), choices)) is not None:
                (final if match.groupdict().get("final") else marked).add(place)
    return marked, final


def _read_whole(line: str, choices: Sequence[str]) -> int | None:
    """Return the choice that a line names and nothing else, by its letter, its words or both."""
    for place, choice in enumerate(choices):
        letter, words = ascii_uppercase[place], re.escape(choice.strip())
        if re.fullmatch(rf"[(\[]?{letter}[)\].:]*|[(\[]?{letter}[)\].:]+\s*{words}[.]?|{words}[.!]?", line, re.IGNORECASE):
            return place
    return None


def _read_start(line: str, choices: Sequence[str]) -> int | None:
    """Return the choice that a line names at its beginning; None if it names none, or more than one."""
    if (place := _read_words(line, choices)) is not None:
        return place
    if (place := _read_number(line, choices)) is not None:
        return place
    match = _LETTER.fullmatch(line)
    if match is None:
        return None
    place, mark, rest = ascii_uppercase.find(match[1].upper()), match["mark"], match["rest"].strip()
    if not 0 <= place < len(choices):
        return None
    if rest and not mark and not (match[1].isupper() and (_BECAUSE.match(rest) or _names(rest, choices[place]))):
        # "A bicycle is there" is a sentence, not a letter
        return None
    if rest and mark and not match[1].isupper() and mark[0] not in ".):":
        return None
    if re.match(r"-\w|['’]", line[match.end(1) :]) or (match[1] == "I" and mark[:1] == ","):
        # "A-frame", "I'm", "I, as a judge"
        return None
    if (
        rest
        and re.match(r"[(\[]?[A-Za-z][)\].,;:]*(?:\s|$)", rest)
        and not rest.startswith(("a ", "A ", "I "))
        and match[1] != rest[0]
    ):
        # "A, B" and "A. B" name two
        return None
    if re.match(r"(?:or|and|/|&|oder|und|或|和)(?:\s|$|[A-Z])", rest, re.IGNORECASE):
        return None
    others = [other for n, other in enumerate(choices) if n != place and _names(rest, other)]
    # "A. no" where A is yes contradicts itself
    if any(len(other) >= len(choices[place]) or not _names(rest, choices[place]) for other in others):
        return None
    return place


def _names(text: str, choice: str) -> bool:
    """Return True if a text begins with a choice's words."""
    return re.match(rf"{re.escape(choice.strip())}(?!\w)", text, re.IGNORECASE) is not None


def _spellings(choice: str) -> Iterator[str]:
    """Yield the words that mean a choice: its own, and yes and no and the sides in other languages."""
    plain = choice.strip().casefold()
    yield plain
    for words in (*_WORDS.values(), *((side, *more) for side, more in _SIDES.items())):
        if plain in words:
            yield from words
    if plain in NUMBER_WORDS:
        yield str(NUMBER_WORDS.index(plain))
    elif plain.isdecimal() and int(plain) < len(NUMBER_WORDS):
        yield NUMBER_WORDS[int(plain)]


def _read_words(line: str, choices: Sequence[str]) -> int | None:
    """Return the choice whose words a line begins with, the longest of them, if the line goes on in a way that leaves it so."""
    folded = line.casefold()
    longest: dict[int, int] = {}
    for place, choice in enumerate(choices):
        for words in _spellings(choice):
            if folded.startswith(words) and _may_follow(line[len(words) :], words, choice):
                longest[place] = max(longest.get(place, 0), len(words))
    if not longest:
        return None
    best = max(longest.values())
    (place, *others) = [place for place, length in longest.items() if length == best]
    rest = line[best:].strip(" ,;:.!-–—/")
    # "yes or no", "yes/no"
    if (
        others
        or re.match(r"(?:(?:or|and|oder|ou|o)\b|[或和&])\s*\w", rest, re.IGNORECASE)
        or _contradicted(rest, place, choices)
    ):
        return None
    return place


def _contradicted(rest: str, place: int, choices: Sequence[str]) -> bool:
    """Return True if what follows a choice is another choice alone."""
    other = rest.strip(" .()[]?!,;:-").casefold()
    return any(other in {*_spellings(choice)} for n, choice in enumerate(choices) if n != place)


def _may_follow(rest: str, words: str, choice: str) -> bool:
    plain = choice.strip().casefold()
    if words[-1].isdecimal() and re.match(r"\s*(?:[.,][0-9]|[0-9]|%|[-–—/]\s*[0-9]|to\b|of\b|out\b)", rest):
        return False
    if _ENDS.match(rest):
        return not re.match(r"\s*['’]\w", rest) and not re.match(r"-\w", rest)
    if plain in _SIDES:
        return _AFTER_SIDE.match(rest) is not None
    return any(plain in same for same in _WORDS.values()) and _AFTER_YES_NO.match(rest) is not None


def _read_number(line: str, choices: Sequence[str]) -> int | None:
    """Return the choice that is the number with which a line begins, as such or out of the highest choice."""
    numbers = [float(choice) if re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", choice.strip()) else None for choice in choices]
    match = _NUMBER.match(line)
    if match is None or None in numbers:
        return None
    if match["highest"] is not None and float(match["highest"]) != max(number for number in numbers if number is not None):
        return None
    rest = match["rest"]
    if rest and (not _ENDS.match(rest) or re.match(r"[.,][0-9]|\s*(?:[-–—]|to\b|or\b)\s*[0-9]", rest)):
        return None
    number = float(match["number"])
    return numbers.index(number) if number in numbers else None


def _rest_of(line: str, choices: Sequence[str]) -> str:
    """Return what a line says after its choice; empty if it says no more than that."""
    match = re.match(r"(?:\W*(?:[A-Za-z]\b[).:,\]]*|\w+\b))\s*[.,;:)\-–—]*\s*(?P<rest>.*)", line)
    rest = match["rest"] if match else ""
    return "" if _read_whole(line, choices) is not None or len(rest.split()) < 2 else rest
