"""Two images of one prompt, side by side (SelfEval's A/B test): which of them is faithful to the text?

The sides are by chance and kept with the annotation; what is judged is the generator, never a side.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from annotation.questionnaires import worked_examples
from annotation.questionnaires.base import Blank, InstructionSection, Option, Question, Questionnaire, is_blank, says_blank
from annotation.questionnaires.form import Form, FormItem, meaning, unsure
from data.aspects import CANNOT_TELL
from data.records import Judgement

NAME: Final = "ab"
VERSION: Final = "2"

BOTH: Final = "both"
NONE: Final = "none"
SIDES: Final = ("left", "right")
CHOICES: Final = (
    Option("left", "The left one", "1"),
    Option("right", "The right one", "2"),
    Option(BOTH, "Both", "b"),
    Option(NONE, "Neither", "n"),
)
BLANKS: Final = tuple(Blank(f"blank_image_{k}", f"The {side} image is blank", member=k) for k, side in enumerate(SIDES))

INSTRUCTIONS: Final = (
    InstructionSection(
        "Which of the two images shows what the text says?",
        (
            "Choose one image if only that one is faithful to the text, “Both” if both are, “Neither” if none is.",
            "Judge what is shown, not how well: if both show what the text says and one of them is the better picture, choose "
            "“Both”.",
            "If something that the text names is missing in both, choose “Neither”.",
        ),
    ),
    InstructionSection(
        "An example: “a cow above a bench”",
        ("Left a sharp picture of a cow beside a bench, right a blurred one of a cow above a bench: the right one.",),
    ),
)


def preference(item: FormItem, side: str) -> Judgement:
    """The judgement that choosing ``left``, ``right``, ``both`` or ``none`` is.

    Raises:
        ValueError: it is none of these, or nobody can tell whose image it is (see ``unfit``).
    """
    if side == CANNOT_TELL:
        return unsure("preference")
    if side in (BOTH, NONE):
        return Judgement("preference", side, None)
    if (why := unfit(item)) is not None:
        raise ValueError(why)
    return Judgement("preference", item.generators[item.position(SIDES.index(side))], None)


def unfit(item: FormItem) -> str | None:
    """Why a preference between these two says nothing."""
    if len(item.generators) != 2 or len(set(item.generators)) != 2:
        return "a preference is between two generators' images"
    odd = next((name for name in item.generators if name in (BOTH, NONE)), None)
    return None if odd is None else f"a generator named '{odd}' cannot be told from that answer"


def _derive(item: FormItem, answers: Mapping[str, Any]) -> list[Judgement]:
    answer = NONE if all(says_blank(answers, blank) for blank in BLANKS) else answers.get("preference")
    return [] if is_blank(answer) else [preference(item, str(answer))]


_QUESTION: Final = Question("preference", "choice", "Which image is faithful to this text?", options=CHOICES, caption=True)

FORM: Final = Form(
    name=NAME,
    version=VERSION,
    item_kind="pair",
    summary="Two images of one prompt side by side: left, right, both or neither is faithful to the text.",
    rule_version="ab-1",
    build=lambda _: Questionnaire(NAME, VERSION, INSTRUCTIONS, (_QUESTION,), BLANKS),
    derive=_derive,
    meanings=(
        meaning(
            "preference",
            "",
            "the generator of the chosen image, or both, or none; two blank images: none. One blank image leaves the question",
        ),
    ),
    example=FormItem("a cow above a bench", n_images=2, generators=("one", "other"), order=(1, 0)),
    unfit=unfit,
    worked_examples=worked_examples.AB,
)
