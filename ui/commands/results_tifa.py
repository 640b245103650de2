"""``import results tifa``: the answers in a result file of TIFA's own code, as a scorer's."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from data.aspects import SCALES
from data.files import check_name, located, printable, quoted
from data.formats.tifa_results import CaptionAnswers, ModelAnswer, read_results
from data.jobs.runs import Observation, Run
from data.prompts.prompt_files import text_source
from data.prompts.questions import ELEMENT_TYPES, PromptQuestion
from data.records import Evidence, Image, Prompt, Rater, image_item
from data.store import imports, library, runs
from data.store.core.store import Store
from data.store.imports import ImportBundle, ImportedRun
from data.store.judgements import scorer_evidence
from data.store.library import QuestionVersion
from scorers import registry
from scorers.questions.rules import AnsweredQuestion, payload_of
from ui import words
from ui.commands import working
from ui.commands.context import CommandError, Context, digest, report
from ui.commands.derive import judge, rules

_KIND: Final = "results tifa"
_SETTINGS: Final = {"vqa": "not known", "answering": "free"}


@dataclass(slots=True)
class _Read:
    """What the file holds, by image; and what was left out, with the reason."""

    found: dict[str, tuple[Image, Prompt, list[ModelAnswer]]] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)


def import_tifa(context: Context, file: str, generator: str, suite: str, rater: str) -> None:
    """Take in all answers that can be placed: image 0 of ``generator`` for each text. The questions come along where a prompt
    has none."""
    path = context.file(file)
    for name, what in ((generator, "the generator's name"), (suite, "the suite's name"), (rater, "the rater's name")):
        check_name(name, what)
    sha256 = digest(path, repr((generator, suite, rater)))
    known = imports.find_import(context.store, _KIND, sha256)
    if known is not None:
        context.say(f"nothing to do: this was imported before, as import {known}")
        return
    read = _read(path, generator, suite)
    scorer = registry.get("tifa")
    whose = runs.scorer_rater(context.store, rater, scorer.version, _SETTINGS)
    for item_id in scorer_evidence.items_with_evidence(context.store, list(read.found), whose.rater_id):
        del read.found[item_id]
        read.left.append(f"{item_id}: {whose.rater_id} has judged it before")
    for line in read.left:
        context.warn(f"left out: {printable(line)}")
    if not read.found:
        raise CommandError(f"{file}: none of its answers could be imported")
    bundle = _bundle(context.store, read, generator, whose, sha256)
    (imported,) = imports.apply(context.store, [bundle])
    report(context, f"{words.count(len(bundle.evidence), 'image')} of {generator} judged by {whose.rater_id}", imported)
    if read.left:
        raise CommandError(f"{words.count(len(read.left), 'answer')} or texts left out (see above); the rest is in")


def _read(path: Path, generator: str, suite: str) -> _Read:
    read = _Read()
    for one in read_results(path):
        read.left += [located(path, one.number, why) for why in one.wrong]
        try:
            if one.answers:
                _place(read, one, generator, suite)
        except ValueError as error:
            read.left.append(located(path, one.number, str(error)))
    return read


def _place(read: _Read, one: CaptionAnswers, generator: str, suite: str) -> None:
    name = check_name(one.id, "the text's id")
    if not one.caption.strip():
        raise ValueError(f"{quoted(name)} has no caption, so its prompt is not known")
    prompt = Prompt(f"{suite}/{name}", suite, one.caption, text_source(name))
    image = Image(prompt.prompt_id, generator, 0)
    if image.image_id in read.found:
        raise ValueError(f"answers about {quoted(name)} stand here twice")
    good = []
    for said in one.answers:
        if why := _odd(said.question):
            read.left.append(f"{name}: {why}")
        else:
            good.append(said)
    if good:
        read.found[image.image_id] = (image, prompt, good)


def _odd(question: PromptQuestion) -> str:
    if question.element_type not in ELEMENT_TYPES:
        return f"'element_type' is {quoted(question.element_type)}, one of {', '.join(ELEMENT_TYPES)} expected"
    if question.answer not in question.choices:
        return f"'answer' is {quoted(question.answer)}, which is not among the choices"
    return ""


def _bundle(store: Store, read: _Read, generator: str, whose: Rater, sha256: str) -> ImportBundle:
    published = {prompt.prompt_id: prompt for _, prompt, _ in read.found.values()}
    # one that the project has keeps its task, which its items have
    stored = published | library.prompts_by_id(store, list(published))
    asked = library.current_questions(store, list(published))
    scorer, run_id = registry.get("tifa"), working.next_id(store, whose.rater_id)
    evidence: list[Evidence] = []
    observed: list[Observation] = []
    for item_id, (_, prompt, said) in read.found.items():
        answers = [AnsweredQuestion(one.question, one.chosen, free=one.free) for one in said]
        version = _version([one.question for one in said], asked.get(prompt.prompt_id))
        seen = Observation(item_id, payload_of(version, answers))
        judgements = judge(scorer, {}, seen, whose.settings)
        evidence.append(Evidence(f"{run_id}:{item_id}", item_id, whose.rater_id, seen.payload, judgements, rules(scorer)))
        observed.append(seen)
    new = {prompt.prompt_id: [one.question for one in said] for _, prompt, said in read.found.values()}
    run = Run(run_id, scorer.name, scorer.version, "official", whose.settings)
    return ImportBundle(
        _KIND,
        generator,
        sha256,
        prompts=list(published.values()),
        images=[image for image, _, _ in read.found.values()],
        items=[image_item(image, stored[prompt.prompt_id]) for image, prompt, _ in read.found.values()],
        raters=[whose],
        scales=[(suite, name, SCALES[name]) for suite in {one.suite for one in published.values()} for name in scorer.scales],
        evidence=evidence,
        questions={name: found for name, found in new.items() if name not in asked},
        observed=ImportedRun(run, whose.rater_id, f"runs/{run_id}", observed),
    )


def _version(said: list[PromptQuestion], now: QuestionVersion | None) -> int:
    """Of the prompt's questions, as the project counts; 0 where they are none of its versions."""
    if now is None:
        return 1
    return now.number if tuple(said) == now.questions else 0
