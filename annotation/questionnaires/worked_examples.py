"""Three drawn pictures with their right answers for each questionnaire: what people see before they begin.

They are drawn, so that no image of a study is given away, and each shows a difference that the instructions name.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from annotation.questionnaires.form import WorkedExample

_RED: Final = "#d92d27"
_GREEN: Final = "#2e9e4f"
_BLUE: Final = "#2563d9"


def _cup(x: int, y: int, color: str) -> str:
    handle = f'<circle cx="{x + 30}" cy="{y + 16}" r="9" fill="none" stroke="{color}" stroke-width="5"/>'
    return f'{handle}<path d="M{x} {y}h30l-4 34h-22z" fill="{color}"/>'


def _apple(x: int, y: int, color: str) -> str:
    stem = f'<path d="M{x} {y - 14}q2-9 7-11" stroke="#80512f" stroke-width="3" fill="none"/>'
    return f'{stem}<circle cx="{x}" cy="{y}" r="16" fill="{color}"/>'


def _drawing(*things: str, sides: bool = False) -> str:
    """Return a picture of things as a data address; with ``sides`` two pictures, side by side, of things above each other."""
    width, top = (260, 4) if sides else (160, 36)
    ground = '<rect width="100%" height="100%" fill="#fff"/><path d="M0 96h100%v24H0z" fill="#eef0f4"/>'
    line = '<path d="M130 0v120" stroke="#8a92a0"/>' if sides else ""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {top} {width} {112 - top}" width="{width}" height="{112 - top}">'
    return f"data:image/svg+xml,{quote(svg + ground + line + ''.join(things) + '</svg>')}"


_TWO_CUPS: Final = _drawing(_cup(20, 60, _RED), _cup(90, 60, _RED))
_CUP_THEN_APPLE: Final = _drawing(_cup(24, 60, _RED), _apple(118, 78, _GREEN))
_APPLE_THEN_CUP: Final = _drawing(_apple(38, 78, _GREEN), _cup(94, 60, _RED))
_CUP_ALONE: Final = _drawing(_cup(62, 60, _RED))
_STILL_LIFE: Final = _drawing(_cup(8, 60, _RED), _cup(58, 60, _RED), _apple(132, 78, _GREEN))

YES_NO: Final = (
    WorkedExample("two red cups", _TWO_CUPS, ("Yes: all that the prompt says is there.",)),
    WorkedExample("two red cups", _drawing(_cup(20, 60, _RED), _cup(90, 60, _BLUE)), ("No: one cup is blue.",)),
    WorkedExample("two red cups", _STILL_LIFE, ("Yes: the apple is more than the prompt says, which is fine.",)),
)
_LEFT_OF: Final = "a red cup left of a green apple"
GENEVAL: Final = (
    WorkedExample(
        _LEFT_OF,
        _CUP_THEN_APPLE,
        ("Cups: 1, red. Apples: 1, green. The apple is to the right of the cup.", "The caption: Fully captures it."),
    ),
    WorkedExample(
        _LEFT_OF,
        _APPLE_THEN_CUP,
        ("The same, but the apple is to the left of the cup.", "The caption: Misses one of many, the place."),
    ),
    WorkedExample(
        _LEFT_OF,
        _drawing(_cup(62, 60, _BLUE)),
        ("Cups: 1, blue. Apples: none.", "The caption: Misses several or most elements."),
    ),
)
VISOR: Final = (
    WorkedExample("a cup and an apple", _CUP_THEN_APPLE, ("Objects: 2. The cup is to the left of the apple. Distinct.",)),
    WorkedExample(
        "a cup and an apple",
        _drawing(_cup(24, 40, _RED), _apple(118, 92, _GREEN)),
        ("The cup is to the left of the apple and above it: both are true.",),
    ),
    WorkedExample("a cup and an apple", _CUP_ALONE, ("Objects: 1. A cup: yes. An apple: no.",)),
)
_LIKERT: Final = "two red cups and a green apple"
TIFA_LIKERT: Final = (
    WorkedExample(_LIKERT, _STILL_LIFE, ("5: cups, two, red, apple, green: all is there.",)),
    WorkedExample(
        _LIKERT,
        _drawing(_cup(8, 60, _RED), _cup(58, 60, _RED), _apple(132, 78, _RED)),
        ("4: one of five elements is wrong, the apple’s color.",),
    ),
    WorkedExample(
        _LIKERT, _drawing(_apple(80, 78, _GREEN)), ("2: the cups are missing, and their number and color with them: 3 of 5.",)
    ),
)
TIFA_VQA: Final = (
    WorkedExample("Is there a cup?", _CUP_THEN_APPLE, ("Yes.",)),
    WorkedExample(
        "What color is the cup: red, green or white?", _drawing(_cup(62, 60, _BLUE)), ("None of the above: it is blue.",)
    ),
    WorkedExample("What color is the apple: red or green?", _CUP_ALONE, ("None of the above: there is no apple.",)),
)
_ABOVE: Final = "a cup above an apple"
AB: Final = (
    WorkedExample(
        _ABOVE,
        _drawing(_cup(48, 16, _RED), _apple(65, 92, _GREEN), _cup(150, 60, _RED), _apple(230, 78, _GREEN), sides=True),
        ("The left one: on the right the cup is beside the apple.",),
    ),
    WorkedExample(
        _ABOVE,
        _drawing(_cup(48, 16, _RED), _apple(65, 92, _GREEN), _cup(178, 16, _BLUE), _apple(195, 92, _RED), sides=True),
        ("Both: no color is asked for, and which is the better picture does not matter.",),
    ),
    WorkedExample(
        _ABOVE,
        _drawing(_cup(48, 60, _RED), _apple(180, 78, _GREEN), _cup(210, 60, _RED), sides=True),
        ("Neither: the left has no apple, and on the right nothing is above.",),
    ),
)
