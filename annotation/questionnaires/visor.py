"""VISOR's human study (section 5.3, figure 5): seven questions about two objects and how they stand.

The paper shows the wording in a picture only; ours says the same. A is the object that a relation is said of, B the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from annotation.questionnaires import worked_examples
from annotation.questionnaires.base import (
    COUNTS,
    NO_RELATION,
    RELATION_KEYS,
    YES_NO,
    Condition,
    InstructionSection,
    Option,
    Question,
    Questionnaire,
    is_blank,
    says_blank,
)
from annotation.questionnaires.form import BLANK, Form, FormItem, Verdict, all_of, level, meaning, unsure, yes_no
from data.aspects import CANNOT_TELL, COUNT_CAP, NO, YES
from data.prompts.coco import article_by_sound
from data.records import Judgement
from data.spec import RELATION_PHRASES, ObjectSpec, Spec, asks_only_positions

NAME: Final = "visor"
VERSION: Final = "1"

QUALITY: Final = (
    Option(1, "Very poor", "1"),
    Option(2, "Poor", "2"),
    Option(3, "Fair", "3"),
    Option(4, "Good", "4"),
    Option(5, "Very good", "5"),
)
LIKELIHOOD: Final = (
    Option(1, "Very unlikely", "1"),
    Option(2, "Unlikely", "2"),
    Option(3, "Possible", "3"),
    Option(4, "Likely", "4"),
    Option(5, "Very likely", "5"),
)
MERGED: Final = (Option("merged", "Merged into one", "m"), Option("distinct", "Distinct", "d"))

INSTRUCTIONS: Final = (
    InstructionSection(
        "You see one picture at a time, made by an AI image generator. You are asked about",
        (
            "Quality: how good the image looks, whatever it shows.",
            "Scene: how likely it is to come upon such a scene in the real world.",
            "Objects: how many there are in all, and whether two particular ones are among them.",
            "Places: all relations between the two that are true, as you see the picture.",
            "Merging: whether the two are blended into one thing (a dog made of bread), or distinct.",
        ),
    ),
    InstructionSection(
        "An example: a dog on a table, and a cup to its right on the floor",
        (
            "Objects: 3. A dog: yes. A cup: yes.",
            "True of the dog and the cup: to the left of, and above. They are distinct.",
        ),
    ),
)


def _build(item: FormItem) -> Questionnaire:
    spec = item.demands
    questions = [
        Question("quality", "likert", "How good is the quality of the image?", options=QUALITY),
        Question("scene", "likert", "How likely is such a scene in the real world?", options=LIKELIHOOD),
        Question("objects", "count", "How many objects are in the image?", options=COUNTS),
    ]
    things = requested_objects(spec)
    for name, thing in zip("ab", things, strict=False):
        text = f"Is there {article_by_sound(thing.target)} {thing.target} in the image?"
        questions.append(Question(f"present_{name}", "choice", text, options=YES_NO))
    if len(things) == 2:
        questions += _about_both(*(thing.target for thing in things))
    return Questionnaire(NAME, VERSION, INSTRUCTIONS, tuple(questions))


def _about_both(a: str, b: str) -> list[Question]:
    both = (Condition("present_a", (YES,)), Condition("present_b", (YES,)))
    options = [Option(name, f"The {a} is {words} the {b}", RELATION_KEYS[name]) for name, words in RELATION_PHRASES.items()]
    options.append(Option(NO_RELATION, "None of these", "n"))
    places = "Which of these are true?"
    every = "Choose all that apply, from your perspective looking at the image."
    return [
        Question("relations", "multi", places, every, tuple(options), both, alone=(NO_RELATION,)),
        Question("merged", "choice", f"Are the {a} and the {b} merged or distinct?", options=MERGED, shown_if=both),
    ]


def requested_objects(spec: Spec) -> tuple[ObjectSpec, ...]:
    """A and B, as the form asks for them: with a relation, whose place is asked for first."""
    if spec.relations:
        return tuple(spec.objects[k] for k in (spec.relations[0].subject, spec.relations[0].reference))
    return spec.objects


def _judgements(spec: Spec, answers: Mapping[str, Any]) -> list[Judgement]:
    """What is left open makes no judgement, and none of ``correct`` where that would need it."""
    if says_blank(answers):
        nothing = {"objects": 0, "present_a": NO, "present_b": NO}
        return [*(unsure(aspect, reason=BLANK) for aspect in ("quality", "scene")), *_judgements(spec, nothing)]
    things = dict(zip(("present_a", "present_b"), requested_objects(spec), strict=False))
    here = {
        thing.target: _verdict(answers[key], answers[key] == YES) for key, thing in things.items() if not _left(answers, key)
    }
    judgements = [*level("quality", answers.get("quality"), 5), *level("scene", answers.get("scene"), 5), *_counted(answers)]
    judgements += [yes_no("present", present, target) for target, present in here.items()]
    if not _left(answers, "merged"):
        judgements.append(yes_no("merged", _verdict(answers["merged"], answers["merged"] == "merged")))
    needed = [here.get(thing.target) for thing in things.values()]
    complete = len(here) == len(things)
    if all(needed) and complete:
        complete = not (spec.relations and _left(answers, "relations"))
        for relation in spec.relations if complete else ():
            holds = _verdict(answers["relations"], relation.relation in answers["relations"])
            judgements.append(yes_no("position", holds, relation.target))
            needed.append(holds)
    if asks_only_positions(spec) and (complete or False in needed):
        judgements.append(yes_no("correct", all_of(needed)))
    return judgements


def _left(answers: Mapping[str, Any], key: str) -> bool:
    return is_blank(answers.get(key))


def _verdict(answer: Any, holds: bool) -> Verdict:
    return None if answer == CANNOT_TELL else holds


def _counted(answers: Mapping[str, Any]) -> Iterable[Judgement]:
    answer = answers.get("objects")
    if answer == CANNOT_TELL:
        return (unsure("count"),)
    if isinstance(answer, int) and not isinstance(answer, bool) and 0 <= answer <= COUNT_CAP:
        return (Judgement("count", str(answer), float(answer)),)
    return ()


def _unfit(item: FormItem) -> str | None:
    spec = item.demands
    if 1 <= len(spec.objects) <= 2 and len(spec.relations) <= 1:
        return None
    return (
        f"VISOR asks about one object, or two and one relation; this prompt's spec has {len(spec.objects)} objects and"
        f" {len(spec.relations)} relations"
    )


FORM: Final = Form(
    name=NAME,
    version=VERSION,
    item_kind="image",
    summary="VISOR's seven questions: quality, scene, number of objects, A and B present, their relations, merged or distinct.",
    rule_version="visor-answers-1",
    build=_build,
    derive=lambda item, answers: _judgements(item.demands, answers),
    meanings=(
        meaning("quality", "", "as answered; a blank image: nothing (reason blank_image)"),
        meaning("scene", "", "as answered; a blank image: nothing (reason blank_image)"),
        meaning("count", "", "all objects of the image together, 5 meaning “5 or more”; a blank image: 0"),
        meaning("present", "each object", "as answered; a blank image: no"),
        meaning("position", "the relation", "yes iff it is among those ticked; nothing if an object is not there"),
        meaning("merged", "", "yes iff merged; nothing if an object is not there"),
        meaning(
            "correct",
            "",
            "yes iff all objects are there and the asked relation is ticked; only of prompts that ask for nothing else"
            " (no numbers, no colors), as VISOR's own rules; a blank image: no",
        ),
    ),
    example=FormItem("a cow above a bench", {"a": "cow", "b": "bench", "relation": "above"}),
    unfit=_unfit,
    worked_examples=worked_examples.VISOR,
)
