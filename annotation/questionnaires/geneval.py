"""GenEval's questionnaire: its questions (appendix D.1) with levels in words of our own, and its rules (section 5).

The authors' own form, read from their file, is ``geneval_authors``.

Answers from the form and imported ones have one shape: ``objects`` str, ``count_k`` int 0..5, ``color_k`` list of str,
``realism_k`` int 1..3, ``position_x``/``position_y`` str, ``caption_fit`` int 1..4, and ``"cannot_tell"`` anywhere.
``count_absent_k`` int of what must not be there, ``detail_k`` ``"yes"`` or ``"no"``. A missing key is a blank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from annotation.questionnaires import worked_examples
from annotation.questionnaires.base import (
    COLORS,
    COUNTS,
    PRESENT_COUNTS,
    YES_NO,
    Condition,
    InstructionSection,
    Option,
    Question,
    Questionnaire,
    says_blank,
)
from annotation.questionnaires.form import Form, FormItem, Meaning, Verdict, all_of, level, meaning, unsure, yes_no
from data.aspects import CANNOT_TELL, COUNT_CAP, YES
from data.prompts.coco import plural
from data.prompts.questions import detail_question
from data.records import Judgement
from data.spec import ExcludeSpec, ObjectSpec, Relation, RelationSpec, Spec

INSTRUCTIONS: Final = (
    InstructionSection(
        "You see one picture at a time, possibly made by an AI image generator. You may be asked about",
        (
            "List of objects: What objects are you able to discern in the image?",
            "Number of objects: How many objects of a particular type are visible, either fully or partially?",
            "Color of objects: What color(s) would you consider the object(s) to be?",
            "Realism: How realistic or structurally correct are the objects?",
            "Relative position: What is the relative position in the image of one object to another?",
            "Caption fit: How well does the image correspond to a provided caption?",
        ),
    ),
    InstructionSection(
        "A few notes",
        (
            "Complete question 1 before moving on to other questions. If you are unable to recognize a particular object, "
            "guess what it is or use a brief description.",
            "Additional questions may appear based on your previous answers. Make sure to answer all questions shown.",
            "When asked about color, select at least one color that best matches the true color of the object(s).",
            "Do not consider color when deciding how realistic an object is; focus on the shape and form compared to "
            "real life.",
            "When asked about position, an object can be both above/below and to the left/right of another object. Mark "
            "position from your perspective looking at the 2D image, not from the camera perspective.",
            "The image may be just a black square, in which case, you should say there are no objects.",
            "If you really cannot say, choose “Cannot tell”: that is an answer too, and better than a guess.",
        ),
    ),
    InstructionSection(
        "An example: asked for is “a red cup left of a dog”; shown are a dog and, to its right, two cups, one half white",
        (
            "Objects: cups, dog. Cups: 2, red and white. Dogs: 1, in the colors that it has.",
            "Is the cup to the left or right of the dog: right. Above or below: neither, as they stand level.",
            "The caption: “Misses one of many”, as the objects and the color are there and the place is wrong.",
        ),
    ),
)

NAME: Final = "geneval"
VERSION: Final = "3"
RULE_VERSION: Final = "geneval-answers-3"
"""Moves with every change of these rules, so that judgements made by older ones are remade."""


@dataclass(frozen=True, slots=True)
class LevelAspects:
    """The aspects that the two graded questions are judged by: levels in other words are a scale of their own."""

    fit: str
    realism: str


OWN_LEVELS: Final = LevelAspects("caption_match", "shape_realism")
RELEASED_LEVELS: Final = LevelAspects("caption_fit", "realism")
"""The aspects of the authors' form, as the released annotations have them."""

_AXIS: Final[dict[Relation, tuple[str, str]]] = {
    "left of": ("position_x", "left"),
    "right of": ("position_x", "right"),
    "above": ("position_y", "above"),
    "below": ("position_y", "below"),
}

REALISM: Final = (Option(1, "Severe defects", "1"), Option(2, "Some defects", "2"), Option(3, "Realistic", "3"))
CAPTION_FIT: Final = (
    Option(1, "Unrelated", "1"),
    Option(2, "Misses several or most elements", "2"),
    Option(3, "Misses one of many", "3"),
    Option(4, "Fully captures it", "4"),
)
POSITION_X: Final = (
    Option("left", "Left", "ArrowLeft"),
    Option("right", "Right", "ArrowRight"),
    Option("neither", "Neither", "n"),
)
POSITION_Y: Final = (
    Option("above", "Above", "ArrowUp"),
    Option("below", "Below", "ArrowDown"),
    Option("neither", "Neither", "n"),
)

_FIRST_ANSWERED: Final = (Condition("objects"),)


def geneval_questionnaire(spec: Spec) -> Questionnaire:
    """GenEval's questions for what ``spec`` asks; without objects only the first and the last remain."""
    text = "Briefly list all the objects visible in the image, separated by commas."
    questions = [Question("objects", "text", text, "If there are no objects in the image, write “none”.")]
    for k in range(len(spec.objects)):
        questions += _object_questions(spec, k)
    for suffix, subject, reference in position_pairs(spec):
        questions += _position_questions(spec, suffix, subject, reference)
    questions += [_detail_question(spec, k) for k in range(len(spec.details))]
    for k, excluded in enumerate(spec.absent):
        text = f"How many {plural(excluded.name)} are in the image?"
        questions.append(Question(f"count_absent_{k}", "count", text, options=COUNTS, shown_if=_FIRST_ANSWERED))
    text = "How well does the image fit this caption?"
    questions.append(Question("caption_fit", "likert", text, options=CAPTION_FIT, shown_if=_FIRST_ANSWERED, caption=True))
    return Questionnaire(NAME, VERSION, INSTRUCTIONS, tuple(questions))


def position_pairs(spec: Spec) -> Iterator[tuple[str, int, int]]:
    """(suffix of the question ids, subject, reference) of every position asked.

    Two objects without a relation are asked about all the same, the second relative to the first, as GenEval does.
    """
    relations: tuple[RelationSpec, ...] = spec.relations
    if relations:
        for k, relation in enumerate(relations):
            yield position_suffix(k), relation.subject, relation.reference
    elif len(spec.objects) == 2:
        yield position_suffix(0), 1, 0


def position_suffix(relation: int) -> str:
    """Of the ids of a relation's questions: ``position_x``, then ``position_x_2`` and so on."""
    return "" if relation == 0 else f"_{relation + 1}"


def _object_questions(spec: Spec, k: int) -> list[Question]:
    thing = spec.objects[k]
    # Two entries of one class cannot be told apart by name; the number at least shows that it is not the same question again.
    many = plural(thing.name) + thing.target.removeprefix(thing.name)
    there = (Condition(f"count_{k}", PRESENT_COUNTS),)
    realism_help = "Ignore the color of the object, and focus on any visible defects in the shape or structure."
    return [
        Question(f"count_{k}", "count", f"How many {many} are in the image?", options=COUNTS, shown_if=_FIRST_ANSWERED),
        Question(f"color_{k}", "colors", f"What color of {many} are in the image?", "Choose all that apply.", COLORS, there),
        Question(f"realism_{k}", "likert", f"How realistic are the {many} in the image?", realism_help, REALISM, there),
    ]


def _position_questions(spec: Spec, suffix: str, subject: int, reference: int) -> list[Question]:
    first, other = spec.objects[subject].target, spec.objects[reference].target
    both = tuple(Condition(f"count_{k}", PRESENT_COUNTS) for k in sorted((subject, reference)))
    as_viewer = "Provide your answer as a viewer of the image, not from the “camera’s perspective”."
    horizontal = f"Is the {first} to the left or right of the {other}?"
    vertical = f"Is the {first} above or below the {other}?"
    return [
        Question(f"position_x{suffix}", "choice", horizontal, as_viewer, POSITION_X, both),
        Question(f"position_y{suffix}", "choice", vertical, as_viewer, POSITION_Y, both),
    ]


def _detail_question(spec: Spec, k: int) -> Question:
    detail, text = spec.details[k], detail_question(spec, spec.details[k])
    both = {n for n in (detail.subject, detail.reference) if n is not None}
    there = tuple(Condition(f"count_{n}", PRESENT_COUNTS) for n in sorted(both))
    return Question(f"detail_{k}", "choice", text[:1].upper() + text[1:], options=YES_NO, shown_if=there)


def derive(spec: Spec, answers: Mapping[str, Any], levels: LevelAspects = OWN_LEVELS) -> list[Judgement]:
    """The judgements that one annotation makes, by the questions that ``spec`` asks; ``levels``: how its grades are named.

    ``correct`` is yes iff every object is there in the asked number (no fewer, or exactly so many where the spec is exact;
    both capped at 5), with the asked colour among those ticked, every asked relation is the answer on its own axis, every
    detail (material, size, depth, distance) is answered yes, and of what must not be there are fewer than the spec says.
    Quality, realism, free text and what the spec does not ask play no part. A blank where something is needed is a no;
    ``cannot_tell`` leaves the question open unless something else fails for certain. Follow-ups of an object that is
    not there are ignored, whatever a changed mind left in them. A blank image has none of the objects, and fits nothing.
    """
    if says_blank(answers):
        numbers = [*range(len(spec.objects)), *(f"absent_{k}" for k in range(len(spec.absent)))]
        answers = {**{f"count_{k}": 0 for k in numbers}, "caption_fit": CAPTION_FIT[0].value}
    judgements: list[Judgement] = []
    needed: list[Verdict] = []
    for k, thing in enumerate(spec.objects):
        counted = _count(answers, k)
        enough, judged = _counted(thing, counted)
        needed.append(enough)
        judgements += judged
        if not _is_there(counted):
            continue
        if thing.color is not None:
            ticked = answers.get(f"color_{k}")
            has_color = None if ticked == CANNOT_TELL else isinstance(ticked, (list, tuple)) and thing.color in ticked
            needed.append(has_color)
            judgements.append(yes_no("color", has_color, thing.target))
        judgements += level(levels.realism, answers.get(f"realism_{k}"), 3, thing.target)
    for r, relation in enumerate(spec.relations):
        if all(_is_there(_count(answers, k)) for k in (relation.subject, relation.reference)):
            holds = _relation_holds(answers, r, relation)
            needed.append(holds)
            judgements.append(yes_no("position", holds, relation.target))
    for k, detail in enumerate(spec.details):
        if all(_is_there(_count(answers, n)) for n in (detail.subject, detail.reference) if n is not None):
            answer = answers.get(f"detail_{k}")
            needed.append(None if answer == CANNOT_TELL else answer == YES)
            judgements.append(yes_no(detail.kind, needed[-1], detail.target))
    for k, excluded in enumerate(spec.absent):
        few, judged = _counted_absent(excluded, _count(answers, f"absent_{k}"))
        needed.append(few)
        judgements += judged
    judgements += level(levels.fit, answers.get("caption_fit"), 4)
    # A spec without objects asks nothing that could be met or missed.
    return [yes_no("correct", all_of(needed)), *judgements] if needed else judgements


def _count(answers: Mapping[str, Any], k: int | str) -> int | str | None:
    answer = answers.get(f"count_{k}")
    if answer == CANNOT_TELL:
        return CANNOT_TELL
    if isinstance(answer, int) and not isinstance(answer, bool) and answer >= 0:
        return min(answer, COUNT_CAP)
    return None


def _is_there(counted: int | str | None) -> bool:
    return isinstance(counted, int) and counted >= 1


def _counted(thing: ObjectSpec, counted: int | str | None) -> tuple[Verdict, list[Judgement]]:
    """Whether there are enough of it, and what is judged."""
    target = thing.target
    if counted is None:  # blank: "nobody said" is not "it is not there", except for `correct`
        return False, []
    if not isinstance(counted, int):
        return None, [unsure("present", target), unsure("count", target)]
    count = min(thing.count, COUNT_CAP)
    enough = counted == count if thing.exact else counted >= count
    return enough, [yes_no("present", counted >= 1, target), Judgement("count", str(counted), float(counted), target)]


def _counted_absent(excluded: ExcludeSpec, counted: int | str | None) -> tuple[Verdict, list[Judgement]]:
    """Whether there are few enough of it, and what is judged; 5 or more may be fewer than a larger number."""
    if counted is None:
        return False, []
    if not isinstance(counted, int):
        return None, [unsure("present", excluded.name), unsure("count", excluded.name)]
    few = None if counted == COUNT_CAP < excluded.count else counted < excluded.count
    return few, [
        yes_no("present", counted >= 1, excluded.name),
        Judgement("count", str(counted), float(counted), excluded.name),
    ]


def _relation_holds(answers: Mapping[str, Any], index: int, relation: RelationSpec) -> Verdict:
    axis, side = _AXIS[relation.relation]
    answer = answers.get(axis + position_suffix(index))
    return None if answer == CANNOT_TELL else answer == side


def meanings(levels: LevelAspects) -> tuple[Meaning, ...]:
    """Return what follows from answers to this form, by aspect."""
    return (
        meaning(
            "correct",
            "",
            "yes iff every object is there in the asked number (at least so many, or exactly), with the asked color among those"
            " ticked, every asked relation is the answer on its axis, every detail is answered yes, and what must not be there"
            " is not; a blank image: no",
        ),
        meaning("present", "each object, also one that must not be there", "yes iff its number is not 0; a blank image: no"),
        meaning("count", "each object", "its number, 5 meaning “5 or more”; a blank image: 0"),
        meaning("color", "each object with a color", "yes iff that color is among those ticked; nothing if it is not there"),
        meaning("position", "each relation", "yes iff it is the answer on its axis; nothing if an object is not there"),
        *(
            meaning(kind, f"each asked {kind}", "as answered; nothing if an object is not there")
            for kind in ("material", "size", "depth", "distance")
        ),
        meaning(levels.realism, "each object", "as answered; nothing if it is not there"),
        meaning(levels.fit, "", "as answered; a blank image: 1"),
    )


EXAMPLE: Final = FormItem(
    "a photo of a purple cow left of a bench",
    {
        "tag": "position",
        "include": [
            {"class": "bench", "count": 1},
            {"class": "cow", "count": 1, "color": "purple", "position": ["left of", 0]},
        ],
    },
)

FORM: Final = Form(
    name=NAME,
    version=VERSION,
    item_kind="image",
    summary="GenEval's questions: what is in the picture, how many, in which colors and where, and how well the caption fits.",
    rule_version=RULE_VERSION,
    build=lambda item: geneval_questionnaire(item.demands),
    derive=lambda item, answers: derive(item.demands, answers),
    meanings=meanings(OWN_LEVELS),
    example=EXAMPLE,
    worked_examples=worked_examples.GENEVAL,
)
